//! Merging: the rows of another database -> this one, in one transaction.
use crate::{Database, Error, Key, Kind, Measurement, Recorded, Result};
use std::{fs, path::Path};

/// What merging or importing did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// The number of rows that were added.
    pub added: usize,
    /// The number of rows that were replaced by newer ones.
    pub replaced: usize,
    /// The number of rows that were newer or the same already.
    pub kept: usize,
}

impl Merged {
    fn count(&mut self, recorded: Recorded) {
        match recorded {
            Recorded::Added => self.added += 1,
            Recorded::Replaced => self.replaced += 1,
            Recorded::Kept => self.kept += 1,
        }
    }
}

impl Database {
    /// Records all rows of another database, by the rule of [`Database::record`], so that the order of mergers makes no
    /// difference. The other file is not changed. It is an error, and this database unchanged, if the other one is
    /// damaged, newer, or this one.
    pub fn merge(&self, other: impl AsRef<Path>) -> Result<Merged> {
        let other = Self::open_read_only(other)?;
        if let (Ok(mine), Ok(theirs)) = (fs::canonicalize(&self.path), fs::canonicalize(&other.path))
            && mine == theirs
        {
            let path = self.path.display();
            return Err(Error::new(Kind::Invalid, format!("cannot merge the database '{path}' into itself")));
        }
        // Damage of indices is not found by reading rows.
        other.check()?;
        self.write(|_| {
            let mut merged = Merged::default();
            other.each_row(|row| {
                merged.count(self.put(&row.key, &row.measurement)?);
                Ok(())
            })?;
            Ok(merged)
        })
    }

    /// Records measurements in one transaction.
    pub fn record_all(&self, measurements: &[(Key, Measurement)]) -> Result<Merged> {
        self.write(|_| {
            let mut merged = Merged::default();
            for (key, measurement) in measurements {
                merged.count(self.put(key, measurement)?);
            }
            Ok(merged)
        })
    }
}

#[cfg(test)]
#[path = "merge/tests.rs"]
mod tests;
