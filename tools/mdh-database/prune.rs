//! Removing rows that are not needed: the best ten of each key are kept, for example.
use crate::{Database, Key, Result, measurement::MEASURED, query};

/// Which rows to remove: those that at least one field selects.
#[derive(Clone, Debug, Default)]
pub struct Prune {
    /// Removes the rows of all versions of the compiler except this one.
    pub except: Option<String>,
    /// Removes the measured rows that are not among so many fastest of their key and version of the compiler. The row
    /// of the default schedule remains.
    pub best: Option<usize>,
    /// Removes the rows that failed.
    pub failed: bool,
}

/// What was removed, or would be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// The number of rows that are removed.
    pub removed: usize,
    /// The number of rows that remain.
    pub remaining: usize,
    /// The number of keys that are removed, because they have no rows left.
    pub keys: usize,
}

/// A row as far as pruning is concerned.
struct Candidate {
    row: i64,
    compiler: String,
    is_default: bool,
    is_measured: bool,
    /// Its position among the rows of its key and version, from 1.
    rank: usize,
}

impl Prune {
    fn removes(&self, row: &Candidate) -> bool {
        let is_other = self.except.as_ref().is_some_and(|version| *version != row.compiler);
        let is_slow = self.best.is_some_and(|count| row.is_measured && !row.is_default && row.rank > count);
        is_other || is_slow || (self.failed && !row.is_measured)
    }
}

impl Database {
    /// Returns what [`Database::prune`] would remove.
    pub fn would_prune(&self, keys: &[Key], prune: &Prune) -> Result<Pruned> {
        self.read(|| Ok(self.selection(keys, prune)?.1))
    }

    /// Removes rows of these keys in one transaction, then makes the file smaller if no other process uses it.
    pub fn prune(&self, keys: &[Key], prune: &Prune) -> Result<Pruned> {
        let pruned = self.write(|transaction| {
            let failed = |error: rusqlite::Error| self.failed(&error);
            let (rows, pruned) = self.selection(keys, prune)?;
            for row in rows {
                transaction.execute("DELETE FROM measurement WHERE id = ?1", [row]).map_err(failed)?;
            }
            let unused = "DELETE FROM key WHERE NOT EXISTS (SELECT 1 FROM measurement m WHERE m.key = key.id)";
            transaction.execute(unused, []).map_err(failed)?;
            Ok(pruned)
        })?;
        if pruned.removed > 0 {
            // The rows are gone whether or not the file can be rewritten now: others may use it, or the disk be full.
            let _ = self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
        }
        Ok(pruned)
    }

    /// Returns the numbers of the rows to remove, and counts them.
    fn selection(&self, keys: &[Key], prune: &Prune) -> Result<(Vec<i64>, Pruned)> {
        let (mut selected, mut pruned) = (vec![], Pruned::default());
        for key in keys {
            let rows = self.candidates(key)?;
            let removed: Vec<i64> = rows.iter().filter(|row| prune.removes(row)).map(|row| row.row).collect();
            pruned.removed += removed.len();
            pruned.remaining += rows.len() - removed.len();
            pruned.keys += usize::from(removed.len() == rows.len());
            selected.extend(removed);
        }
        Ok((selected, pruned))
    }

    fn candidates(&self, key: &Key) -> Result<Vec<Candidate>> {
        let sql = format!(
            "SELECT id, compiler, is_default, outcome,
               row_number() OVER (PARTITION BY key, compiler ORDER BY time IS NULL, time, digest) AS rank
             FROM ({} WHERE k.name = ?2) ORDER BY id",
            query::ROWS
        );
        self.all(&sql, &[&"", &key.name()], |row| {
            Ok(Candidate {
                row: row.get("id")?,
                compiler: row.get("compiler")?,
                is_default: row.get("is_default")?,
                is_measured: row.get::<_, String>("outcome")? == MEASURED,
                rank: usize::try_from(row.get::<_, i64>("rank")?).unwrap_or(usize::MAX),
            })
        })
    }
}

#[cfg(test)]
#[path = "prune/tests.rs"]
mod tests;
