//! The database of one file, and recording: key and measurement -> a row, in one transaction.
use crate::{Error, Key, Kind, Measurement, Result, measurement, open, query, schema};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use std::path::{Path, PathBuf};

/// A database of tuning results. One thread uses it at a time; other threads and processes open the file themselves.
#[derive(Debug)]
pub struct Database {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    pub(crate) can_write: bool,
}

/// What recording a measurement did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// A row was added.
    Added,
    /// The row of the same schedule and version of the compiler was replaced.
    Replaced,
    /// That row is newer, complete or the same, and was kept.
    Kept,
}

impl Database {
    /// Returns the path of its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Records a measurement, in one transaction: afterwards, the row survives the end of the process.
    ///
    /// A key has one row for each schedule and version of the compiler. Of two measurements of the same one, the newer
    /// is kept, except that one that was stopped early ([`Cause::Hopeless`](crate::Cause)) never replaces a complete
    /// one. A schedule that was once recorded as the default of its key remains marked as such.
    pub fn record(&self, key: &Key, measurement: &Measurement) -> Result<Recorded> {
        self.write(|_| self.put(key, measurement))
    }

    /// Changes rows in one transaction: all of it or nothing.
    pub(crate) fn write<T>(&self, action: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        if !self.can_write {
            return Err(open::read_only(&self.path));
        }
        let begun = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate);
        let transaction = begun.map_err(|error| self.failed(&error))?;
        // A newer version of the tools may have migrated the file since it was opened.
        schema::version(&self.connection, &self.path)?;
        let outcome = action(&transaction)?;
        transaction.commit().map_err(|error| self.failed(&error))?;
        Ok(outcome)
    }

    /// Reads several times from one state of the file.
    pub(crate) fn read<T>(&self, action: impl FnOnce() -> Result<T>) -> Result<T> {
        let begun = Transaction::new_unchecked(&self.connection, TransactionBehavior::Deferred);
        let transaction = begun.map_err(|error| self.failed(&error))?;
        let outcome = action()?;
        transaction.finish().map_err(|error| self.failed(&error))?;
        Ok(outcome)
    }

    /// Returns the error of this file.
    pub(crate) fn failed(&self, error: &rusqlite::Error) -> Error {
        Error::of(&self.path, error)
    }

    /// Adds or replaces a row within a transaction.
    pub(crate) fn put(&self, key: &Key, measurement: &Measurement) -> Result<Recorded> {
        let digest = measurement.check().and_then(|()| measurement::digest(&measurement.schedule));
        let digest = digest.map_err(|problem| {
            Error::new(Kind::Invalid, format!("cannot record in the database '{}': {problem}", self.path.display()))
        })?;
        let failed = |error: rusqlite::Error| self.failed(&error);
        let key = self.key_number(key).map_err(failed)?;
        let Some((row, old)) = self.same_schedule(key, &measurement.compiler, &digest).map_err(failed)? else {
            self.insert(key, &digest, measurement).map_err(failed)?;
            return Ok(Recorded::Added);
        };
        let is_default = old.is_default || measurement.is_default;
        if measurement.replaces(&old) {
            self.connection.execute("DELETE FROM measurement WHERE id = ?1", [row]).map_err(failed)?;
            self.insert(key, &digest, &Measurement { is_default, ..measurement.clone() }).map_err(failed)?;
            return Ok(Recorded::Replaced);
        }
        if is_default && !old.is_default {
            self.connection.execute("UPDATE measurement SET is_default = 1 WHERE id = ?1", [row]).map_err(failed)?;
        }
        Ok(Recorded::Kept)
    }

    /// Returns the number of a key in this file, which is added if it is new.
    fn key_number(&self, key: &Key) -> rusqlite::Result<i64> {
        let Key { fingerprint, extents, strict, threads, features, engine, device } = key;
        let name = key.name();
        self.connection.execute(
            "INSERT INTO key (name, fingerprint, extents, strict, threads, features, engine, device)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (name) DO NOTHING",
            params![name, fingerprint, extents.to_string(), strict, threads, features, engine, device],
        )?;
        self.connection.query_row("SELECT id FROM key WHERE name = ?1", [name], |row| row.get(0))
    }

    /// Returns the row of a schedule and version of the compiler.
    fn same_schedule(
        &self,
        key: i64,
        compiler: &str,
        digest: &[u8; 32],
    ) -> rusqlite::Result<Option<(i64, Measurement)>> {
        let sql = "SELECT * FROM measurement WHERE key = ?1 AND compiler = ?2 AND digest = ?3";
        let found = |row: &rusqlite::Row<'_>| Ok((row.get("id")?, query::measurement(row)?));
        self.connection.query_row(sql, params![key, compiler, digest], found).optional()
    }

    fn insert(&self, key: i64, digest: &[u8; 32], of: &Measurement) -> rusqlite::Result<()> {
        let fields = measurement::Fields::from(&of.outcome);
        self.connection.execute(
            "INSERT INTO measurement (key, compiler, digest, schedule, is_default, outcome, seconds, ratio, samples,
               spread, reason, predicted, strategy, function, created)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
            params![
                key,
                of.compiler,
                digest,
                of.schedule,
                of.is_default,
                fields.outcome,
                fields.seconds,
                fields.ratio,
                fields.samples,
                fields.spread,
                fields.reason,
                of.predicted,
                of.strategy,
                of.function,
                measurement::microseconds(of.created),
            ],
        )?;
        Ok(())
    }
}

#[cfg(test)]
#[path = "database/tests.rs"]
pub(crate) mod tests;
