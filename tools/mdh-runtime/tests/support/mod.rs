//! What the tests share: a process for each, since the library has one state, and the environment where drivers are found.
pub mod interface;

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, Output},
};

const CHILD: &str = "MDH_RUNTIME_TEST";

/// Where the build puts things.
pub fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the folder of the build").to_owned()
}

/// Makes OpenCL find the run-time system that `scripts/opencl.sh` installs, unless the user says where one is.
fn environment() -> Vec<(&'static str, OsString)> {
    let folder = target().join("gpu");
    if env::var_os("OCL_ICD_VENDORS").is_some() || !folder.join("vendors").exists() {
        return vec![];
    }
    let libraries = folder.join("lib");
    let loader = libraries.join("libOpenCL.so.1");
    // The loader of that system itself links libraries beside it.
    let path = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let path = env::join_paths([libraries].into_iter().chain(env::split_paths(&path))).expect("folders without colons");
    vec![
        ("OCL_ICD_VENDORS", folder.join("vendors").into()),
        ("MDH_OPENCL_LIBRARY", loader.into()),
        ("LD_LIBRARY_PATH", path),
    ]
}

/// The command that runs a test of this program again, in a process of its own.
pub fn child(test: &str) -> Command {
    let mut command = Command::new(env::current_exe().expect("the test's program"));
    command.args(["--exact", test, "--nocapture"]).env(CHILD, test).envs(environment()).env_remove("MDH_DEVICE");
    command
}

/// Whether this is the test's own process.
pub fn is_child() -> bool {
    env::var_os(CHILD).is_some()
}

/// Both streams of a process.
pub fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}
