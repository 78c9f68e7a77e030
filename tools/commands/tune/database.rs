//! The database that a command records to.
use anyhow::Result;
use mdh_database::Database;
use std::{
    cell::OnceCell,
    path::{Path, PathBuf},
};

/// The database that a command records to. A new one is created only when there is something to measure, so that no error
/// of the program leaves an empty file.
pub struct LateDatabase {
    path: PathBuf,
    opened: OnceCell<Database>,
}

impl LateDatabase {
    /// Opens the database if it exists.
    pub fn new(path: impl AsRef<Path>) -> Result<Self> {
        let late = Self { path: path.as_ref().to_owned(), opened: OnceCell::new() };
        if late.path.exists() {
            late.open()?;
        }
        Ok(late)
    }

    /// Opens the database, or creates it.
    pub fn open(&self) -> Result<&Database> {
        if let Some(database) = self.opened.get() {
            return Ok(database);
        }
        let database = Database::open(&self.path)?;
        Ok(self.opened.get_or_init(|| database))
    }
}
