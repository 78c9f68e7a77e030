//! The schema of a database and its versions: a file of version 1 -> the same rows in the current version.
use crate::{Error, Kind, Result};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::Path;

/// Marks a file as a database of tuning results: the letters `MDHt`.
const APPLICATION: i64 = 0x4d44_4874;

/// The text that leads from each version to the next one, from an empty file on. Texts of released versions are never
/// changed.
const STEPS: &[&str] = &[include_str!("schema/1.sql")];

/// The current version of the schema.
pub const VERSION: usize = STEPS.len();

/// Returns the version of a file, 0 if it is empty. It is an error if the file is newer, damaged, or of another
/// program.
pub fn version(connection: &Connection, path: &Path) -> Result<usize> {
    version_by(connection, path, STEPS)
}

fn version_by(connection: &Connection, path: &Path, steps: &[&str]) -> Result<usize> {
    let current = steps.len();
    let failed = |error: rusqlite::Error| Error::of(path, &error);
    // One transaction, because another process may be creating the tables.
    let transaction = match connection.is_autocommit() {
        true => Some(Transaction::new_unchecked(connection, TransactionBehavior::Deferred).map_err(failed)?),
        false => None,
    };
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map_err(failed);
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    let application = number("PRAGMA application_id")?;
    let version = number("PRAGMA user_version")?;
    if let Some(transaction) = transaction {
        transaction.finish().map_err(failed)?;
    }
    match (application, usize::try_from(version)) {
        (0, Ok(0)) if tables == 0 => Ok(0),
        (APPLICATION, Ok(version)) if (1..=current).contains(&version) => {
            known(connection, path, &steps[..version])?;
            Ok(version)
        }
        (APPLICATION, Ok(version)) if version > current => Err(Error::new(
            Kind::Newer,
            format!(
                "the database '{}' has version {version}, but this version of the tools requires at most {current}",
                path.display()
            ),
        )),
        (APPLICATION, _) => Err(Error::corrupt(path, format!("it has version {version}"))),
        _ => Err(Error::new(
            Kind::NotADatabase,
            format!("'{}' is a database of another program, not of tuning results", path.display()),
        )),
    }
}

/// Checks that a file has the tables and indexes of its version and nothing else: what a view, a trigger or the text of a
/// table in a file of somebody else computes has no limit.
fn known(connection: &Connection, path: &Path, steps: &[&str]) -> Result<()> {
    let failed = |error: rusqlite::Error| Error::of(path, &error);
    let model = Connection::open_in_memory().map_err(failed)?;
    for step in steps {
        model.execute_batch(step).map_err(failed)?;
    }
    let expected = entries(&model, usize::MAX).map_err(failed)?;
    let found = entries(connection, expected.len() + 1).map_err(failed)?;
    if found == expected {
        return Ok(());
    }
    let foreign = found.iter().find(|entry| !expected.contains(entry));
    let what = foreign.map_or("lacks a table or an index".to_owned(), |(kind, name, _)| {
        format!("has the {kind} '{name}', which is none of version {}", steps.len())
    });
    Err(Error::corrupt(path, format!("it {what}")))
}

/// The kinds, names and texts of what a file declares, in order; at most so many. SQLite's own statistics do not count.
fn entries(connection: &Connection, most: usize) -> rusqlite::Result<Vec<(String, String, Option<String>)>> {
    let mut query = connection
        .prepare("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat_' ORDER BY type, name")?;
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    rows.take(most).collect()
}

/// Brings a file to the current version in one transaction: all of it or nothing.
pub fn migrate(connection: &Connection, path: &Path) -> Result<()> {
    migrate_by(connection, path, STEPS)
}

fn migrate_by(connection: &Connection, path: &Path, steps: &[&str]) -> Result<()> {
    if version_by(connection, path, steps)? == steps.len() {
        return Ok(());
    }
    let failed = |error: rusqlite::Error| Error::of(path, &error);
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate).map_err(failed)?;
    // Another process may have been faster.
    let version = version_by(connection, path, steps)?;
    for step in steps.iter().skip(version) {
        transaction.execute_batch(step).map_err(failed)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
    transaction.pragma_update(None, "user_version", steps.len() as i64).map_err(failed)?;
    transaction.commit().map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a later version could change.
    const LATER: &str = "ALTER TABLE measurement ADD COLUMN joules REAL; UPDATE measurement SET joules = 2 * seconds;";

    const ROWS: &str = "
        INSERT INTO key VALUES (1, 'name', 'c0ffee', '8,16', 0, 8, '', 'cpu', 'a processor');
        INSERT INTO measurement VALUES
          (1, 1, '0.1.0', x'00', 1, 'measured', 1.5, NULL, 5, 0.1, NULL, NULL, 'default', 'f', 0, '{}'),
          (2, 1, '0.1.0', x'01', 0, 'wrong', NULL, NULL, NULL, NULL, 'why', NULL, 'random', 'f', 0, '{\"a\":1}');";

    fn path() -> &'static Path {
        Path::new("file")
    }

    fn first_version() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        migrate_by(&connection, path(), &STEPS[..1]).unwrap();
        connection.execute_batch(ROWS).unwrap();
        connection
    }

    fn rows(connection: &Connection, columns: &str) -> Vec<Option<f64>> {
        let mut query = connection.prepare(&format!("SELECT {columns} FROM measurement ORDER BY id")).unwrap();
        query.query_map([], |row| row.get(0)).unwrap().collect::<rusqlite::Result<_>>().unwrap()
    }

    #[test]
    fn a_file_of_an_older_version_keeps_its_rows() {
        let connection = first_version();
        migrate_by(&connection, path(), &[STEPS[0], LATER]).unwrap();
        assert_eq!(version_by(&connection, path(), &[STEPS[0], LATER]), Ok(2));
        assert_eq!(rows(&connection, "seconds"), [Some(1.5), None]);
        assert_eq!(rows(&connection, "joules"), [Some(3.0), None]);
        // Again: nothing to do.
        migrate_by(&connection, path(), &[STEPS[0], LATER]).unwrap();
        assert_eq!(rows(&connection, "joules"), [Some(3.0), None]);
    }

    #[test]
    fn an_empty_file_and_a_migrated_one_have_the_same_tables() {
        let tables = |connection: &Connection| -> Vec<String> {
            let mut query = connection.prepare("SELECT sql FROM sqlite_schema ORDER BY name").unwrap();
            let texts = query.query_map([], |row| row.get::<_, Option<String>>(0)).unwrap();
            texts.filter_map(|text| text.unwrap()).collect()
        };
        let new = Connection::open_in_memory().unwrap();
        assert_eq!(version(&new, path()), Ok(0));
        migrate_by(&new, path(), &[STEPS[0], LATER]).unwrap();
        let old = first_version();
        migrate_by(&old, path(), &[STEPS[0], LATER]).unwrap();
        assert_eq!(tables(&new), tables(&old));
    }

    #[test]
    fn a_migration_that_fails_changes_nothing() {
        let connection = first_version();
        let broken = format!("{LATER} ALTER TABLE no_such_table RENAME TO another;");
        let error = migrate_by(&connection, path(), &[STEPS[0], &broken]).unwrap_err();
        assert_eq!(error.to_string(), "the database 'file' is corrupt: no such table: no_such_table");
        assert_eq!(version(&connection, path()), Ok(1));
        assert_eq!(rows(&connection, "seconds"), [Some(1.5), None]);
        assert!(connection.prepare("SELECT joules FROM measurement").is_err());
    }

    #[test]
    fn files_that_are_not_of_this_version() {
        let newer = first_version();
        migrate_by(&newer, path(), &[STEPS[0], LATER]).unwrap();
        let error = version(&newer, path()).unwrap_err();
        assert_eq!(error.kind(), Kind::Newer);
        let text = "the database 'file' has version 2, but this version of the tools requires at most 1";
        assert_eq!(error.to_string(), text);

        let other = Connection::open_in_memory().unwrap();
        other.execute_batch("CREATE TABLE contacts (name TEXT);").unwrap();
        assert_eq!(version(&other, path()).unwrap_err().kind(), Kind::NotADatabase);
        let kind = |pragmas: &str| {
            let connection = Connection::open_in_memory().unwrap();
            connection.execute_batch(pragmas).unwrap();
            version(&connection, path()).unwrap_err().kind()
        };
        assert_eq!(kind("PRAGMA application_id = 7;"), Kind::NotADatabase);
        assert_eq!(kind("PRAGMA user_version = 1;"), Kind::NotADatabase);
        assert_eq!(kind(&format!("PRAGMA application_id = {APPLICATION};")), Kind::Corrupt);
        assert_eq!(kind(&format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = -1;")), Kind::Corrupt);
    }
}
