//! What the tests share: a process for each, since the library has one state, and the environment where drivers are found.
mod environment;
pub mod interface;

use std::{
    env,
    process::{Command, Output},
};

const CHILD: &str = "MDH_RUNTIME_TEST";

/// The command that runs a test of this program again, in a process of its own.
pub fn child(test: &str) -> Command {
    let mut command = Command::new(env::current_exe().expect("the test's program"));
    command
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, test)
        .envs(environment::environment())
        .env_remove("MDH_DEVICE");
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
