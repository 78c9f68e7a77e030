//! The command line of `mdh-opt`, MLIR's opt with the mdh dialect and its passes; the Python package has it, too.
//!
//! Invoked under another name (through a link), it is the language server, the reducer or the translator for the same
//! dialects.
mod language_server;
mod reports;

use mdh_dialects::tool::{Tool, run_tool};
use melior::{
    dialect::DialectRegistry,
    utility::{register_all_dialects, register_all_passes},
};
use std::ffi::OsString;

/// Runs a command line, whose first argument is the name of the program. Returns the exit status.
pub fn run(arguments: Vec<OsString>) -> i32 {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    register_all_passes();
    mdh_dialects::tool::register_dialect(&registry);
    mdh_passes::register(|path| std::fs::read_to_string(path));
    mdh_database::passes::register();
    let name = arguments.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let tool = match name.rsplit('/').next().unwrap_or_default() {
        "mdh-lsp-server" => Tool::LanguageServer,
        "mdh-reduce" => Tool::Reduce,
        "mdh-translate" => Tool::Translate,
        _ => Tool::Opt,
    };
    let run = || run_tool(tool, arguments.clone(), &registry);
    match tool {
        Tool::LanguageServer if language_server::is_served(&arguments) => language_server::run(run),
        Tool::Opt => reports::run(run),
        _ => run(),
    }
}
