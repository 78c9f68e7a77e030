//! Tests of pruning.
use super::*;
use crate::{
    Cause, Measurement,
    database::tests::{empty, measurements},
    key::tests::key,
    measurement::tests::{failed, measured},
};
use std::fs;
use tempfile::TempDir;

/// Returns a database with six rows of one key and a failed row of another one.
fn filled() -> (TempDir, Database) {
    let (folder, database) = empty();
    let other = Measurement { compiler: "0.0.9".to_owned(), ..measured(1, 0.5) };
    let default = Measurement { is_default: true, ..measured(0, 9.0) };
    for row in [default, measured(1, 1.0), measured(2, 2.0), measured(3, 3.0), failed(4, Cause::Wrong), other] {
        database.record(&key("8"), &row).unwrap();
    }
    database.record(&key("16"), &failed(1, Cause::Crashed)).unwrap();
    (folder, database)
}

/// Prunes all keys. Returns what was removed, and the schedules that remain of the first key, with their versions.
fn pruned(prune: &Prune) -> (Pruned, Vec<String>) {
    let (_folder, database) = filled();
    let keys = database.keys("").unwrap();
    let expected = database.would_prune(&keys, prune).unwrap();
    assert_eq!(measurements(&database, &key("8")).len(), 6);
    let pruned = database.prune(&keys, prune).unwrap();
    assert_eq!(pruned, expected);
    database.check().unwrap();
    assert_eq!(database.keys("").unwrap().len(), 2 - pruned.keys);
    let number = |of: &Measurement| of.schedule.chars().filter(char::is_ascii_digit).skip(1).collect::<String>();
    let rows = measurements(&database, &key("8"));
    (pruned, rows.iter().map(|of| format!("{} {}", number(of), of.compiler)).collect())
}

#[test]
fn slow_rows() {
    let (removed, rows) = pruned(&Prune { best: Some(1), ..Prune::default() });
    assert_eq!(removed, Pruned { removed: 2, remaining: 5, keys: 0 });
    assert_eq!(rows, ["1 0.1.0", "0 0.1.0", "1 0.0.9", "4 0.1.0"]);
    // The default and those that failed remain.
    let (_, rows) = pruned(&Prune { best: Some(0), ..Prune::default() });
    assert_eq!(rows, ["0 0.1.0", "4 0.1.0"]);
}

#[test]
fn rows_of_other_versions() {
    let (removed, rows) = pruned(&Prune { except: Some("0.0.9".to_owned()), ..Prune::default() });
    assert_eq!(removed, Pruned { removed: 6, remaining: 1, keys: 1 });
    assert_eq!(rows, ["1 0.0.9"]);
}

#[test]
fn rows_that_failed() {
    let (removed, rows) = pruned(&Prune { failed: true, ..Prune::default() });
    assert_eq!(removed, Pruned { removed: 2, remaining: 5, keys: 1 });
    assert_eq!(rows, ["1 0.1.0", "2 0.1.0", "3 0.1.0", "0 0.1.0", "1 0.0.9"]);
    let (removed, rows) = pruned(&Prune { failed: true, best: Some(2), except: Some("0.1.0".to_owned()) });
    assert_eq!(removed, Pruned { removed: 4, remaining: 3, keys: 1 });
    assert_eq!(rows, ["1 0.1.0", "2 0.1.0", "0 0.1.0"]);
}

#[test]
fn only_the_keys_that_were_selected() {
    let (_folder, database) = filled();
    let all = Prune { failed: true, ..Prune::default() };
    assert_eq!(database.prune(&[key("16")], &all), Ok(Pruned { removed: 1, remaining: 0, keys: 1 }));
    assert_eq!(measurements(&database, &key("8")).len(), 6);
    assert_eq!(database.prune(&[], &all), Ok(Pruned::default()));
    assert_eq!(database.prune(&[key("8")], &Prune::default()), Ok(Pruned { removed: 0, remaining: 6, keys: 0 }));
}

#[test]
fn the_file_gets_smaller_and_a_reader_changes_nothing() {
    let (_folder, database) = filled();
    let many: Vec<_> = (100..1100).map(|i| (key("8"), measured(i, i as f64))).collect();
    database.record_all(&many).unwrap();
    let path = database.path().to_owned();
    database.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let before = fs::metadata(&path).unwrap().len();
    let prune = Prune { best: Some(1), ..Prune::default() };
    let reader = Database::open_read_only(&path).unwrap();
    assert_eq!(reader.would_prune(&[key("8")], &prune).unwrap().removed, 1002);
    assert!(reader.prune(&[key("8")], &prune).is_err());
    drop(reader);
    assert_eq!(database.prune(&[key("8")], &prune).unwrap().removed, 1002);
    assert!(fs::metadata(&path).unwrap().len() < before / 4);
}
