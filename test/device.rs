//! The devices that tests run on, if there are any.
#[path = "../tools/mdh-runtime/tests/support/environment.rs"]
mod environment;

use std::{process::Command, sync::OnceLock};

pub use environment::environment;

/// Whether an engine, cuda or opencl, has a device. Where it has none, this says so: the test is done.
pub fn is_there(engine: &str) -> bool {
    static MISSING: [OnceLock<Option<String>>; 2] = [const { OnceLock::new() }; 2];
    let missing = MISSING[usize::from(engine == "cuda")].get_or_init(|| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mdh"));
        let output = command.args(["devices", "--engine", engine]).envs(environment()).output().expect("mdh runs");
        (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).trim().to_owned())
    });
    missing.iter().for_each(|sentence| println!("unsupported: {sentence}"));
    missing.is_none()
}
