//! Reading: a key -> its rows, the fastest schedule, those of other sizes, a summary.
use crate::{
    Database, Error, Extents, Key, Measurement, Outcome, Result,
    measurement::{self, Fields},
};
use rusqlite::{Row, ToSql, types::Type};
use std::time::SystemTime;

/// A row of the database.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// What was measured.
    pub key: Key,
    /// The measurement.
    pub measurement: Measurement,
    /// The time in seconds by which rows are ranked: the ratio to the default schedule, which is free of drift, times
    /// the time of the default; the measured time if one of them is missing. `None` if the measurement failed.
    pub seconds: Option<f64>,
    /// True if it is of the version of the compiler that was asked for. The code of other versions may be different,
    /// and their schedules may break rules: they are starting points.
    pub is_current: bool,
}

/// The fastest row of another size.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbor {
    /// The distance of the extents: [`Extents::distance`].
    pub distance: f64,
    /// The row.
    pub stored: Stored,
}

/// The rows of a key in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The key.
    pub key: Key,
    /// The name of the function in the newest row.
    pub function: String,
    /// The number of rows.
    pub rows: usize,
    /// The number of rows that failed.
    pub failed: usize,
    /// The fastest row.
    pub best: Option<Stored>,
    /// The time of the default schedule in seconds, with the version of the compiler of the fastest row.
    pub default: Option<f64>,
    /// When the newest row was recorded.
    pub newest: SystemTime,
}

impl Summary {
    /// Returns how many times faster the fastest row is than the default schedule.
    pub fn gain(&self) -> Option<f64> {
        Some(self.default? / self.best.as_ref()?.seconds?)
    }
}

/// All rows with their keys, their times without drift, and whether they are of the version ?1.
pub(crate) const ROWS: &str = "
    SELECT k.name, k.fingerprint, k.extents, k.strict, k.threads, k.features, k.engine, k.device, m.*,
      CASE
        WHEN m.outcome <> 'measured' THEN NULL
        WHEN m.is_default THEN m.seconds
        ELSE coalesce(m.ratio * (
          SELECT d.seconds FROM measurement d
          WHERE d.key = m.key AND d.compiler = m.compiler AND d.is_default = 1 AND d.outcome = 'measured'
          ORDER BY d.created DESC, d.digest LIMIT 1), m.seconds)
      END AS time,
      m.compiler = ?1 AS is_current
    FROM measurement m JOIN key k ON k.id = m.key";

/// The order of rows of a key: those of the version ?1 first, by time, and last those that failed.
pub(crate) const ORDER: &str = "ORDER BY time IS NULL, is_current DESC, time, digest, compiler";

impl Database {
    /// Returns the row with the fastest schedule of a key: one of this version of the compiler, if there is one that
    /// was measured, else one of another version. Rows that failed never win.
    pub fn best(&self, key: &Key, compiler: &str) -> Result<Option<Stored>> {
        Ok(self.ranked(key, compiler, 1)?.pop())
    }

    /// Returns up to `count` rows with a time: first those of this version of the compiler, fastest first, then those
    /// of other versions.
    pub fn ranked(&self, key: &Key, compiler: &str, count: usize) -> Result<Vec<Stored>> {
        // Rows are chosen without their schedules, which are long.
        let chosen = format!("SELECT id FROM ({ROWS} WHERE k.name = ?2 AND m.outcome = 'measured') {ORDER} LIMIT ?3");
        let sql = format!("{ROWS} WHERE m.id IN ({chosen}) {ORDER}");
        self.rows_of(&sql, &[&compiler, &key.name(), &i64::try_from(count).unwrap_or(i64::MAX)])
    }

    /// Returns all rows of a key in the same order, and then those that failed.
    pub fn rows(&self, key: &Key, compiler: &str) -> Result<Vec<Stored>> {
        self.rows_of(&format!("{ROWS} WHERE k.name = ?2 {ORDER}"), &[&compiler, &key.name()])
    }

    /// Returns the newest row of the default schedule of a key with this version of the compiler. It may have failed.
    pub fn default_row(&self, key: &Key, compiler: &str) -> Result<Option<Stored>> {
        let condition = "k.name = ?2 AND m.compiler = ?1 AND m.is_default";
        let sql = format!("{ROWS} WHERE {condition} ORDER BY m.created DESC, m.digest LIMIT 1");
        Ok(self.rows_of(&sql, &[&compiler, &key.name()])?.pop())
    }

    /// Returns the fastest row of each of the `count` nearest keys that differ from this one only in their extents,
    /// nearest first.
    pub fn nearest(&self, key: &Key, compiler: &str, count: usize) -> Result<Vec<Neighbor>> {
        let keys = self.keys_of("SELECT * FROM key WHERE fingerprint = ?1", &[&key.fingerprint])?;
        let others = keys.into_iter().filter(|other| other.extents != key.extents && other.is_another_size_of(key));
        let with_distance = |other: Key| Some((other.extents.distance(&key.extents)?, other));
        let mut others: Vec<(f64, Key)> = others.filter_map(with_distance).collect();
        others.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        let mut neighbors = vec![];
        for (distance, other) in others {
            if neighbors.len() == count {
                break;
            }
            neighbors.extend(self.best(&other, compiler)?.map(|stored| Neighbor { distance, stored }));
        }
        Ok(neighbors)
    }

    /// Returns the keys, in order, whose names or fingerprints begin with a text, or that have a row of a function of
    /// this name; all keys if the text is empty.
    pub fn keys(&self, selector: &str) -> Result<Vec<Key>> {
        let sql = "SELECT * FROM key k WHERE substr(name, 1, length(?1)) = ?1
            OR substr(fingerprint, 1, length(?1)) = ?1
            OR EXISTS (SELECT 1 FROM measurement m WHERE m.key = k.id AND m.function = ?1)";
        let mut keys = self.keys_of(sql, &[&selector])?;
        keys.sort();
        Ok(keys)
    }

    /// Returns the summaries of the selected keys: [`Database::keys`]. Rows of this version of the compiler come
    /// first.
    pub fn summaries(&self, selector: &str, compiler: &str) -> Result<Vec<Summary>> {
        self.read(|| {
            let keys = self.keys(selector)?.into_iter();
            let summaries = keys.map(|key| self.summary(key, compiler)).collect::<Result<Vec<_>>>()?;
            Ok(summaries.into_iter().flatten().collect())
        })
    }

    /// Returns the summary of a key; `None` if it has no rows.
    fn summary(&self, key: Key, compiler: &str) -> Result<Option<Summary>> {
        let rows = self.rows(&key, compiler)?;
        let Some(newest) = rows.iter().max_by_key(|row| row.measurement.created) else { return Ok(None) };
        let best = rows.first().filter(|row| row.seconds.is_some()).cloned();
        let default = match &best {
            Some(best) => self.default_row(&key, &best.measurement.compiler)?.and_then(|row| row.seconds),
            None => None,
        };
        Ok(Some(Summary {
            function: newest.measurement.function.clone(),
            rows: rows.len(),
            failed: rows.iter().filter(|row| row.seconds.is_none()).count(),
            best,
            default,
            newest: newest.measurement.created,
            key,
        }))
    }

    /// Checks the whole file for damage.
    pub fn check(&self) -> Result<()> {
        let found = self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
        match found.map_err(|error| self.failed(&error))?.as_str() {
            "ok" => Ok(()),
            problem => Err(Error::corrupt(&self.path, problem)),
        }
    }

    pub(crate) fn rows_of(&self, sql: &str, parameters: &[&dyn ToSql]) -> Result<Vec<Stored>> {
        self.all(sql, parameters, stored)
    }

    fn keys_of(&self, sql: &str, parameters: &[&dyn ToSql]) -> Result<Vec<Key>> {
        self.all(sql, parameters, key)
    }

    pub(crate) fn all<T>(
        &self,
        sql: &str,
        parameters: &[&dyn ToSql],
        convert: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let mut all = vec![];
        self.each(sql, parameters, convert, |value| {
            all.push(value);
            Ok(())
        })?;
        Ok(all)
    }

    /// Calls a function for all rows, one after the other.
    pub(crate) fn each_row(&self, action: impl FnMut(Stored) -> Result<()>) -> Result<()> {
        self.each(&format!("{ROWS} ORDER BY m.id"), &[&""], stored, action)
    }

    fn each<T>(
        &self,
        sql: &str,
        parameters: &[&dyn ToSql],
        convert: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
        mut action: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let failed = |error: rusqlite::Error| self.failed(&error);
        let mut query = self.connection.prepare(sql).map_err(failed)?;
        let rows = query.query_map(parameters, convert).map_err(failed)?;
        for row in rows {
            action(row.map_err(failed)?)?;
        }
        Ok(())
    }
}

/// Returns the error of a row that has not been written like this.
fn malformed(problem: impl Into<String>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Text, problem.into().into())
}

fn key(row: &Row<'_>) -> rusqlite::Result<Key> {
    let key = Key {
        fingerprint: row.get("fingerprint")?,
        extents: row.get::<_, String>("extents")?.parse::<Extents>().map_err(malformed)?,
        strict: row.get("strict")?,
        threads: row.get("threads")?,
        features: row.get("features")?,
        engine: row.get("engine")?,
        device: row.get("device")?,
    };
    match row.get::<_, String>("name")? == key.name() {
        true => Ok(key),
        false => Err(malformed("a key does not have the name of its fields")),
    }
}

/// Returns the measurement of a row of the table.
pub(crate) fn measurement(row: &Row<'_>) -> rusqlite::Result<Measurement> {
    let fields = Fields {
        outcome: row.get("outcome")?,
        seconds: row.get("seconds")?,
        ratio: row.get("ratio")?,
        samples: row.get("samples")?,
        spread: row.get("spread")?,
        reason: row.get("reason")?,
    };
    let measurement = Measurement {
        schedule: row.get("schedule")?,
        is_default: row.get("is_default")?,
        outcome: Outcome::try_from(fields).map_err(malformed)?,
        predicted: row.get("predicted")?,
        strategy: row.get("strategy")?,
        compiler: row.get("compiler")?,
        function: row.get("function")?,
        created: measurement::time(row.get("created")?).ok_or_else(|| malformed("a time is out of range"))?,
    };
    measurement.check().map_err(malformed)?;
    match measurement::digest(&measurement.schedule).is_ok_and(|digest| row.get("digest") == Ok(digest)) {
        true => Ok(measurement),
        false => Err(malformed("a schedule has changed since it was recorded")),
    }
}

fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    let (key, measurement) = (key(row)?, measurement(row)?);
    Ok(Stored { key, measurement, seconds: row.get("time")?, is_current: row.get("is_current")? })
}

#[cfg(test)]
#[path = "query/tests.rs"]
mod tests;
