//! `mdh database`: shows a database of tuning results, takes schedules from it, and combines databases.
mod change;
mod exchange;
mod list;
mod selection;
mod show;

use crate::tuning::record;
use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use mdh_database::Database as Rows;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
A key is what a measurement is for: a computation, its extents, and the machine. KEY selects keys by the first digits of their names, as \
'list' prints them, by the first digits of a fingerprint, or by the name of a function.

Examples:
  mdh database list --database tuned.db
  mdh database show matmul_1024 --database tuned.db
  mdh database export 3f1c09 --output best.json
  mdh database merge other.db --database tuned.db
  mdh database prune --failed --best 10 --dry-run";

/// Show a database of tuning results, export and import rows, and combine databases
///
/// 'mdh tune' records every schedule that it measures in a database, an SQLite file that any number of processes may
/// share. 'mdh run', 'mdh compile' and 'mdh explain' take the best schedules from it.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP, arg_required_else_help = true)]
pub struct Database {
    /// The database; defaults to the environment variable MDH_DATABASE
    #[arg(long, value_name = "FILE", global = true)]
    database: Option<PathBuf>,
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Clone, Debug)]
enum Action {
    List(list::List),
    Show(show::Show),
    Export(exchange::Export),
    Import(exchange::Import),
    Prune(change::Prune),
    Merge(change::Merge),
}

impl Database {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        let file = record::named(self.database.as_deref());
        let file = file.with_context(|| {
            format!("a database is required: --database FILE, or the environment variable {}", record::VARIABLE)
        })?;
        match &self.action {
            Action::List(list) => list.run(&Rows::open_read_only(file)?),
            Action::Show(show) => show.run(&Rows::open_read_only(file)?),
            Action::Export(export) => export.run(&Rows::open_read_only(file)?),
            Action::Import(import) => import.run(&file),
            Action::Prune(prune) => prune.run(&file),
            Action::Merge(merge) => merge.run(&file),
        }
    }
}

#[cfg(test)]
mod tests;
