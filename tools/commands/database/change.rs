//! `mdh database merge` and `prune`: more rows, and fewer.
use super::selection::{count, selected};
use crate::commands::failure;
use anyhow::Result;
use clap::{ArgGroup, Args};
use mdh_database::{COMPILER, Database, Merged};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Record the rows of other databases
///
/// Of two rows of the same schedule and version of the compiler, the newer one is kept, so that the order of databases
/// makes no difference. Each database is merged as a whole or, if it is damaged or of a newer version, not at all. The
/// other databases are not changed.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example:\n  mdh database merge laptop.db server.db --database tuned.db")]
pub struct Merge {
    /// The other databases
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Print JSON: the numbers of rows
    #[arg(long)]
    json: bool,
}

impl Merge {
    /// Runs the command.
    pub fn run(&self, database: &Path) -> Result<()> {
        // No database is created if another one cannot be read.
        self.files.iter().try_for_each(|file| Database::open_read_only(file).map(drop))?;
        let rows = Database::open(database)?;
        for file in &self.files {
            failure::print(&counts(file, rows.merge(file)?, self.json))?;
        }
        Ok(())
    }
}

/// Describes in a line what was recorded of a file.
pub fn counts(file: &Path, merged: Merged, as_json: bool) -> String {
    let (file, Merged { added, replaced, kept }) = (file.display().to_string(), merged);
    match as_json {
        true => format!("{}\n", json!({"file": file, "added": added, "replaced": replaced, "kept": kept})),
        false => format!("{file}: {} added, {replaced} replaced, {kept} kept\n", count(added, "row")),
    }
}

/// Remove rows: those that failed, slow ones, or those of other versions of the compiler
#[derive(Args, Clone, Debug)]
#[command(group = ArgGroup::new("what").args(["failed", "best", "other_versions"]).multiple(true).required(true))]
#[command(after_help = "Examples:\n  mdh database prune --failed --best 10 --dry-run --database tuned.db\n  \
    mdh database prune matmul_1024 --other-versions")]
pub struct Prune {
    /// The keys: the first digits of a name or fingerprint, or a function; defaults to all
    key: Option<String>,
    /// Remove the rows that failed: wrong, crashed, timed out, refused or hopeless
    #[arg(long)]
    failed: bool,
    /// Keep only the N fastest rows of each key and version of the compiler, and those of default schedules
    #[arg(long, value_name = "N")]
    best: Option<usize>,
    /// Remove the rows of other versions of the compiler, which are starting points of the tuner
    #[arg(long)]
    other_versions: bool,
    /// Only print what would be removed
    #[arg(long)]
    dry_run: bool,
    /// Print JSON: the numbers of rows
    #[arg(long)]
    json: bool,
}

impl Prune {
    /// Runs the command.
    pub fn run(&self, database: &Path) -> Result<()> {
        let except = self.other_versions.then(|| COMPILER.to_owned());
        let prune = mdh_database::Prune { except, best: self.best, failed: self.failed };
        // A database that is missing is not created.
        let reader = Database::open_read_only(database)?;
        let keys = selected(&reader, self.key.as_deref())?;
        let pruned = match self.dry_run {
            true => reader.would_prune(&keys, &prune)?,
            false => {
                drop(reader);
                Database::open(database)?.prune(&keys, &prune)?
            }
        };
        let mdh_database::Pruned { removed, remaining, keys } = pruned;
        let (rows, of_keys, rest) = (count(removed, "row"), count(keys, "key"), count(remaining, "row"));
        let text = match (self.json, self.dry_run) {
            (true, _) => format!("{}\n", json!({"removed": removed, "remaining": remaining, "keys_removed": keys})),
            (false, true) => format!("would remove {rows} and {of_keys}, and keep {rest}\n"),
            (false, false) => format!("removed {rows} and {of_keys}, and kept {rest}\n"),
        };
        failure::print(&text)
    }
}
