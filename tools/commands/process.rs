//! Processes of this program.
use std::{ffi::OsString, path::PathBuf};

/// The command that starts this program in another process: itself, or the Python package in which it runs.
pub fn own_program() -> Vec<OsString> {
    let own = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("mdh"));
    let is_python = own.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python"));
    let module = if is_python { vec!["-m".into(), "mdh".into()] } else { vec![] };
    [own.into()].into_iter().chain(module).collect()
}
