//! Tests of merging.
use super::*;
use crate::{
    Cause,
    database::tests::{empty, measurements},
    key::tests::key,
    measurement::tests::{any_measurement, failed, measured},
};
use proptest::prelude::*;
use std::{
    os::unix::fs::{FileExt, symlink},
    time::Duration,
};

fn filled(all: &[Measurement]) -> (tempfile::TempDir, Database) {
    let (folder, database) = empty();
    all.iter().for_each(|of| assert!(database.record(&key("8"), of).is_ok()));
    (folder, database)
}

#[test]
fn rows_of_both_are_there() {
    let later = |of: Measurement| Measurement { created: of.created + Duration::from_secs(1), ..of };
    let newer = later(measured(2, 0.5));
    let (_a, target) = filled(&[measured(1, 1.0), measured(2, 2.0), newer_than(&measured(3, 3.0))]);
    let (_b, source) = filled(&[newer.clone(), measured(3, 9.0), failed(4, Cause::Wrong)]);
    source.record(&key("16"), &measured(1, 1.0)).unwrap();
    assert_eq!(target.merge(source.path()), Ok(Merged { added: 2, replaced: 1, kept: 1 }));
    let rows = measurements(&target, &key("8"));
    assert_eq!(rows, [newer, measured(1, 1.0), newer_than(&measured(3, 3.0)), failed(4, Cause::Wrong)]);
    assert_eq!(measurements(&target, &key("16")), [measured(1, 1.0)]);
    // Again: nothing new.
    assert_eq!(target.merge(source.path()), Ok(Merged { added: 0, replaced: 0, kept: 4 }));
    assert_eq!(source.keys("").unwrap().len(), 2);
}

fn newer_than(of: &Measurement) -> Measurement {
    Measurement { created: of.created + Duration::from_secs(60), ..of.clone() }
}

#[test]
fn a_database_is_not_merged_into_itself() {
    let (folder, database) = filled(&[measured(1, 1.0)]);
    let link = folder.path().join("link.db");
    symlink(database.path(), &link).unwrap();
    for path in [database.path(), &link] {
        let error = database.merge(path).unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid);
        let text = format!("cannot merge the database '{}' into itself", database.path().display());
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn a_bad_source_changes_nothing() {
    let many: Vec<_> = (0..200).map(|i| measured(i, 1.0)).collect();
    let target = filled(&[measured(1000, 1.0)]);
    let (_folder, source) = filled(&many);
    let path = source.path().to_owned();
    let refused = |kind| {
        assert_eq!(target.1.merge(&path).unwrap_err().kind(), kind);
        assert_eq!(measurements(&target.1, &key("8")), [measured(1000, 1.0)]);
    };
    // A row that comes after others that were good.
    source.connection.execute_batch("UPDATE measurement SET seconds = 1e999 WHERE id = 150").unwrap();
    refused(Kind::Corrupt);
    source.connection.execute_batch("UPDATE measurement SET seconds = 1 WHERE id = 150").unwrap();
    source.connection.pragma_update(None, "user_version", 9).unwrap();
    refused(Kind::Newer);
    source.connection.pragma_update(None, "user_version", 1).unwrap();
    drop(source);
    assert_eq!(target.1.merge(&path).unwrap().added, 200);
    // A page in the middle.
    let target = filled(&[measured(1000, 1.0)]);
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(&[0xa5; 4096], 7 * 4096).unwrap();
    assert_eq!(target.1.merge(&path).unwrap_err().kind(), Kind::Corrupt);
    file.set_len(3 * 4096).unwrap();
    assert_eq!(target.1.merge(&path).unwrap_err().kind(), Kind::Corrupt);
    assert_eq!(measurements(&target.1, &key("8")), [measured(1000, 1.0)]);
    fs::remove_file(&path).unwrap();
    assert_eq!(target.1.merge(&path).unwrap_err().kind(), Kind::Missing);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn the_direction_of_a_merger_makes_no_difference(
        a in proptest::collection::vec(any_measurement(), 0..6),
        b in proptest::collection::vec(any_measurement(), 0..6),
    ) {
        let merged = |into: &[Measurement], from: &[Measurement]| {
            let ((_a, target), (_b, source)) = (filled(into), filled(from));
            target.merge(source.path()).unwrap();
            measurements(&target, &key("8"))
        };
        prop_assert_eq!(merged(&a, &b), merged(&b, &a));
    }
}
