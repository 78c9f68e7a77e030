//! Tests of recording.
use super::*;
use crate::{
    Cause, Outcome,
    key::tests::key,
    measurement::tests::{any_measurement, failed, measured},
};
use proptest::prelude::*;
use std::time::Duration;
use tempfile::TempDir;

/// Returns an empty database in a folder that is removed at the end.
pub(crate) fn empty() -> (TempDir, Database) {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path().join("tuning.db")).unwrap();
    (folder, database)
}

/// Returns the measurements of all rows of a key.
pub(crate) fn measurements(database: &Database, key: &Key) -> Vec<Measurement> {
    database.rows(key, "0.1.0").unwrap().into_iter().map(|row| row.measurement).collect()
}

#[test]
fn what_is_recorded_is_read() {
    let (_folder, database) = empty();
    let (a, b) = (key("8,16"), key("8,?"));
    let first = measured(1, 0.25);
    let second = Measurement { predicted: None, is_default: true, ..failed(2, Cause::Wrong) };
    assert_eq!(database.record(&a, &first), Ok(Recorded::Added));
    assert_eq!(database.record(&b, &second), Ok(Recorded::Added));
    assert_eq!(measurements(&database, &a), [first]);
    assert_eq!(measurements(&database, &b), [second]);
    assert_eq!(measurements(&database, &key("8,17")), []);
}

#[test]
fn another_process_sees_what_is_recorded() {
    let (_folder, database) = empty();
    let reader = Database::open_read_only(database.path()).unwrap();
    assert_eq!(measurements(&reader, &key("8")), []);
    database.record(&key("8"), &measured(1, 0.25)).unwrap();
    assert_eq!(measurements(&reader, &key("8")), [measured(1, 0.25)]);
}

#[test]
fn a_schedule_has_one_row_a_version() {
    let (_folder, database) = empty();
    let later = |by: u64, of: Measurement| Measurement { created: of.created + Duration::from_secs(by), ..of };
    let (old, new) = (measured(1, 0.25), later(1, measured(1, 0.5)));
    let record = |of: &Measurement| database.record(&key("8"), of).unwrap();
    assert_eq!(record(&new), Recorded::Added);
    assert_eq!(record(&old), Recorded::Kept);
    assert_eq!(record(&new), Recorded::Kept);
    assert_eq!(measurements(&database, &key("8")), std::slice::from_ref(&new));
    let newest = later(2, failed(1, Cause::TimedOut));
    assert_eq!(record(&newest), Recorded::Replaced);
    assert_eq!(record(&later(3, failed(1, Cause::Hopeless))), Recorded::Kept);
    assert_eq!(measurements(&database, &key("8")), std::slice::from_ref(&newest));
    // The same schedule with other white space, and of another version.
    let spaced = Measurement { schedule: measured(1, 0.25).schedule.replace(' ', "\n "), ..later(4, old.clone()) };
    assert_eq!(record(&spaced), Recorded::Replaced);
    let other = Measurement { compiler: "0.2.0".to_owned(), ..old };
    assert_eq!(record(&other), Recorded::Added);
    assert_eq!(measurements(&database, &key("8")), [spaced, other]);
}

#[test]
fn a_default_schedule_remains_one() {
    let (_folder, database) = empty();
    let default = Measurement { is_default: true, ..measured(1, 0.25) };
    let later = Measurement { created: default.created + Duration::from_secs(1), ..measured(1, 0.5) };
    let is_default = || measurements(&database, &key("8"))[0].is_default;
    database.record(&key("8"), &default).unwrap();
    assert_eq!(database.record(&key("8"), &later), Ok(Recorded::Replaced));
    assert!(is_default());
    // An older measurement that was of the default marks the newer row.
    let (_folder, database) = empty();
    database.record(&key("8"), &later).unwrap();
    assert_eq!(database.record(&key("8"), &default), Ok(Recorded::Kept));
    let rows = measurements(&database, &key("8"));
    assert_eq!(rows, [Measurement { is_default: true, ..later }]);
}

#[test]
fn invalid_measurements_are_errors() {
    let (_folder, database) = empty();
    let error = database.record(&key("8"), &measured(1, f64::NAN)).unwrap_err();
    assert_eq!(error.kind(), Kind::Invalid);
    let text = "the time in seconds requires a positive number, but it is NaN";
    assert_eq!(error.to_string(), format!("cannot record in the database '{}': {text}", database.path().display()));
    // All or nothing.
    let all = [(key("8"), measured(1, 1.0)), (key("8"), measured(2, -1.0))];
    assert_eq!(database.record_all(&all).unwrap_err().kind(), Kind::Invalid);
    assert_eq!(database.keys("").unwrap(), []);
}

#[test]
fn a_full_disk_is_an_error_and_keeps_the_rows() {
    let (_folder, database) = empty();
    database.record(&key("8"), &measured(0, 1.0)).unwrap();
    database.connection.pragma_update(None, "max_page_count", 24).unwrap();
    let long = Outcome::Failed { cause: Cause::Crashed, reason: "a long reason ".repeat(100) };
    let mut recorded = 0;
    let error = loop {
        match database.record(&key("8"), &Measurement { outcome: long.clone(), ..measured(recorded + 1, 1.0) }) {
            Ok(_) => recorded += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), Kind::Full);
    let path = database.path().display();
    assert_eq!(error.to_string(), format!("the database '{path}' cannot grow: the disk or the quota is full"));
    assert!(recorded > 0);
    assert_eq!(measurements(&database, &key("8")).len() as u64, recorded + 1);
    database.connection.pragma_update(None, "max_page_count", 1 << 20).unwrap();
    assert_eq!(database.record(&key("8"), &measured(recorded + 1, 1.0)), Ok(Recorded::Added));
    database.check().unwrap();
}

#[test]
fn a_file_that_another_version_has_migrated_is_left_alone() {
    let (_folder, database) = empty();
    let other = Database::open(database.path()).unwrap();
    other.connection.pragma_update(None, "user_version", 1000).unwrap();
    assert_eq!(database.record(&key("8"), &measured(1, 1.0)).unwrap_err().kind(), Kind::Newer);
    assert_eq!(measurements(&database, &key("8")), []);
}

#[test]
fn a_reader_does_not_write() {
    let (_folder, database) = empty();
    let reader = Database::open_read_only(database.path()).unwrap();
    let error = reader.record(&key("8"), &measured(1, 1.0)).unwrap_err();
    assert_eq!(error.kind(), Kind::ReadOnly);
    assert_eq!(error.to_string(), format!("the database '{}' cannot be written to", database.path().display()));
    // SQLite itself refuses, too.
    let refused = reader.connection.execute("DELETE FROM measurement", []).unwrap_err();
    assert_eq!(Error::of(reader.path(), &refused).kind(), Kind::ReadOnly);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_order_of_recording_makes_no_difference(
        (all, shuffled) in proptest::collection::vec(any_measurement(), 0..8)
            .prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle()))
    ) {
        let recorded = |all: &[Measurement]| {
            let (_folder, database) = empty();
            for measurement in all {
                database.record(&key("8"), measurement).unwrap();
            }
            measurements(&database, &key("8"))
        };
        let rows = recorded(&all);
        prop_assert_eq!(&rows, &recorded(&shuffled));
        // Each version of each schedule once.
        let mut configurations: Vec<_> = all.iter().map(|of| (&of.schedule, &of.compiler)).collect();
        configurations.sort();
        configurations.dedup();
        prop_assert_eq!(rows.len(), configurations.len());
    }
}
