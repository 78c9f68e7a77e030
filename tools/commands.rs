//! The command line of `mdh`, which runs, compiles, explains and tunes MDH programs; the Python package has it, too.
mod cc;
mod compile;
mod database;
mod devices;
mod engine;
mod explain;
mod failure;
mod inputs;
mod options;
mod process;
mod progress;
mod run;
mod tune;

use anyhow::{Context, Result};
use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use std::ffi::OsString;

const AFTER_HELP: &str = "\
Examples:
  mdh run examples/matvec.mlir --function matvec --input M.npy --input v.npy --output w.npy --check
  mdh compile examples/matvec.mlir --function matvec_small --emit object --output matvec.o
  mdh explain examples/matvec.mlir --function matvec_512x4096
  mdh tune examples/matmul.mlir --function matmul_1024 --budget 10m --database tuned.db
  mdh database list --database tuned.db
  mdh devices
  mdh completions bash > /etc/bash_completion.d/mdh

Exit codes:
  0   done
  1   the program, an input, an output or the value of an option is invalid; the message says which
  2   the command line cannot be parsed: an unknown or missing option, or a value of the wrong kind
  3   --check found results that differ from the reference evaluator's
  4   no device of the requested API is available; the message says what is missing
  70  an internal error

'mdh help COMMAND' describes a command. Programs are MLIR; 'mdh-opt' runs single passes on them.";

/// Runs, compiles, explains and tunes programs of multi-dimensional homomorphisms (MDH).
#[derive(Parser)]
#[command(name = "mdh", version, after_help = AFTER_HELP, max_term_width = 100, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Run),
    Compile(compile::Compile),
    Cc(cc::Cc),
    Explain(explain::Explain),
    Tune(Box<tune::Tune>),
    #[command(hide = true)]
    TuneWorker(Box<tune::TuneWorker>),
    Database(database::Database),
    Devices(devices::Devices),
    /// Print shell completions
    #[command(
        after_help = "Examples:\n  mdh completions bash > /etc/bash_completion.d/mdh\n  mdh completions zsh > ~/.zfunc/_mdh\n  \
        mdh completions fish > ~/.config/fish/completions/mdh.fish"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print a manual page: of the program, or of a command
    #[command(after_help = "Example:\n  mdh manual run | man --local-file -")]
    Manual {
        /// The command
        command: Option<String>,
    },
}

/// The manual page of the program, or of one of its commands.
fn manual(command: Option<&str>) -> Result<String> {
    let mut program = Arguments::command().disable_help_subcommand(true);
    program.build();
    let described = match command {
        None => program,
        Some(name) => program.find_subcommand(name).with_context(|| format!("there is no command '{name}'"))?.clone(),
    };
    let mut page = vec![];
    clap_mangen::Man::new(described).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// Runs a command line, whose first argument is the name of the program. Returns the exit code; ends the process itself
/// if the command line cannot be parsed.
pub fn run(arguments: Vec<OsString>) -> u8 {
    mdh_dialects::tool::report_fatal_errors();
    failure::guard(|| {
        // The name of the program by which it is a C compiler.
        let program = arguments.first().map(std::path::Path::new).and_then(std::path::Path::file_name);
        if program.is_some_and(|program| program == "mdh-cc") {
            return cc::run(arguments.get(1..).unwrap_or_default()).unwrap_or_else(|error| failure::report(&error));
        }
        let outcome = match Arguments::parse_from(&arguments).command {
            Command::Run(run) => run.run(arguments.get(1..).unwrap_or_default()),
            Command::Compile(compile) => compile.run().map(|()| failure::DONE),
            Command::Cc(cc) => cc.run(),
            Command::Explain(explain) => explain.run().map(|()| failure::DONE),
            Command::Tune(tune) => tune.run(arguments.get(2..).unwrap_or_default()),
            Command::TuneWorker(worker) => worker.run(),
            Command::Database(database) => database.run().map(|()| failure::DONE),
            Command::Devices(devices) => devices.run(),
            Command::Completions { shell } => {
                let mut script = vec![];
                clap_complete::generate(shell, &mut Arguments::command(), "mdh", &mut script);
                failure::print(&String::from_utf8_lossy(&script)).map(|()| failure::DONE)
            }
            Command::Manual { command } => {
                manual(command.as_deref()).and_then(|page| failure::print(&page)).map(|()| failure::DONE)
            }
        };
        outcome.unwrap_or_else(|error| failure::report(&error))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_manual_page() {
        let page = manual(None).unwrap();
        for command in Arguments::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            let name = command.get_name();
            assert!(page.contains(&format!("mdh\\-{name}(1)")), "{name}: {page}");
            let page = manual(Some(name)).unwrap();
            assert!(page.contains(&format!(".TH mdh-{name} 1")), "{name}: {page}");
        }
        assert_eq!(manual(Some("none")).unwrap_err().to_string(), "there is no command 'none'");
    }
}
