//! `mdh`: runs, compiles and explains MDH programs.
use std::process::ExitCode;

fn main() -> ExitCode {
    mdh_tools::commands::run(std::env::args_os().collect()).into()
}
