//! Shared test support: each test runs in a process of its own, since the library has one global state, with the
//! environment in which drivers are found.
mod environment;
pub mod interface;

use std::{
    env,
    process::{Command, Output},
};

const CHILD: &str = "MDH_RUNTIME_TEST";

/// The command that runs a test of this executable again, in a process of its own.
pub fn child(test: &str) -> Command {
    let mut command = Command::new(env::current_exe().expect("the test's program"));
    command
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, test)
        .envs(environment::environment())
        .env_remove("MDH_DEVICE");
    command
}

/// Returns true in the test's own process.
pub fn is_child() -> bool {
    env::var_os(CHILD).is_some()
}

/// The standard output and error of a process.
pub fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}
