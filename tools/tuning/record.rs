//! The database that a command uses.
use std::path::{Path, PathBuf};

/// The environment variable that names a database.
pub const VARIABLE: &str = "MDH_DATABASE";

/// The help of `--database` in commands that only read it.
pub const HELP: &str = "A database of tuned schedules, which 'mdh tune' writes: they replace default ones; defaults to the \
    environment variable MDH_DATABASE";

/// Returns the database that an option or the environment names.
pub fn named(option: Option<&Path>) -> Option<PathBuf> {
    let variable = || std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    option.map(Path::to_path_buf).or_else(variable)
}

/// Returns the database that an option or the environment names, as an option of passes. The error is a path that is
/// not UTF-8.
pub fn option(option: Option<&Path>) -> anyhow::Result<Option<String>> {
    crate::session::text("database", named(option).as_deref())
}
