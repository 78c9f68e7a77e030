//! The device of OpenCL that tests run on, if there is one.
#[path = "../tools/mdh-runtime/tests/support/environment.rs"]
mod environment;

use std::{process::Command, sync::OnceLock};

pub use environment::environment;

/// Whether there is a device. Where there is none, it says so: the test is done.
pub fn is_there() -> bool {
    static MISSING: OnceLock<Option<String>> = OnceLock::new();
    let missing = MISSING.get_or_init(|| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mdh"));
        let output = command.args(["devices", "--engine", "opencl"]).envs(environment()).output().expect("mdh runs");
        (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).trim().to_owned())
    });
    missing.iter().for_each(|sentence| println!("unsupported: {sentence}"));
    missing.is_none()
}
