//! Damaged files: every operation ends with rows that are whole or with an error that names the file, and a damaged
//! file is never merged.
use mdh_database::{COMPILER, Cause, Database, Extents, Key, Kind, Measurement, Outcome, Prune};
use proptest::prelude::*;
use std::{collections::BTreeSet, fs, path::Path, time::SystemTime};

fn key(extent: u64) -> Key {
    Key {
        fingerprint: "c0ffee".to_owned(),
        extents: Extents(vec![vec![Some(extent)]]),
        strict: false,
        threads: 8,
        features: "+avx2".to_owned(),
        engine: "cpu".to_owned(),
        device: "a processor".to_owned(),
    }
}

fn schedule(number: u64) -> String {
    format!("{{\"version\": 2, \"parts\": [[{number}]], \"text\": \"{}\"}}", "long ".repeat(60))
}

fn measurement(number: u64) -> Measurement {
    let outcome = match number % 5 {
        4 => Outcome::Failed { cause: Cause::Wrong, reason: "a reason".to_owned() },
        _ => Outcome::Measured { seconds: 1.0 + number as f64, ratio: Some(0.5), samples: 3, spread: 0.0 },
    };
    Measurement {
        schedule: schedule(number),
        is_default: number == 0,
        outcome,
        predicted: Some(1.0),
        strategy: "numbers".to_owned(),
        compiler: COMPILER.to_owned(),
        function: "f".to_owned(),
        created: SystemTime::UNIX_EPOCH,
    }
}

/// Returns the bytes of a file with 60 rows.
fn bytes() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tuning.db");
    let all: Vec<_> = (0..60).map(|i| (key(i % 7), measurement(i))).collect();
    Database::open(&path).unwrap().record_all(&all).unwrap();
    fs::read(path).unwrap()
}

/// Uses a file in every way that does not write. Returns the schedules found, or the kind of the first error.
fn read(path: &Path) -> Result<BTreeSet<String>, Kind> {
    let used = || -> mdh_database::Result<BTreeSet<String>> {
        let database = Database::open_read_only(path)?;
        let mut found = BTreeSet::new();
        for key in database.keys("")? {
            let rows = database.rows(&key, COMPILER)?;
            // A key may have lost its rows, and then there is no file to export.
            if !rows.is_empty() {
                database.export_t4(&key, COMPILER)?;
            }
            found.extend(rows.into_iter().map(|row| row.measurement.schedule));
            database.best(&key, COMPILER)?;
            database.nearest(&key, COMPILER, 3)?;
            database.default_row(&key, COMPILER)?;
        }
        database.summaries("f", COMPILER)?;
        database.export_json(&database.keys("")?)?;
        Ok(found)
    };
    used().map_err(|error| {
        let (text, name) = (error.to_string(), path.display().to_string());
        assert!(text.contains(&name), "{text}");
        error.kind()
    })
}

/// Uses a file in every way that writes. Every way ends.
fn write(path: &Path) {
    if let Ok(database) = Database::open(path) {
        let _ = database.record(&key(3), &measurement(1000));
        let _ = database.record(&key(2), &Measurement { created: SystemTime::now(), ..measurement(2) });
        let _ = database.prune(&[key(0), key(1)], &Prune { best: Some(1), failed: true, ..Prune::default() });
    }
}

fn is_damage(kind: Kind) -> bool {
    matches!(kind, Kind::Corrupt | Kind::NotADatabase | Kind::Newer | Kind::Io)
}

#[test]
fn a_file_that_was_cut_off() {
    let (bytes, folder) = (bytes(), tempfile::tempdir().unwrap());
    let path = folder.path().join("tuning.db");
    assert!(bytes.len() > 10 * 4096);
    for length in [1, 16, 100, 511, 512, 1000, 4095, 4096, 4097, 5 * 4096, 5 * 4096 + 7, bytes.len() - 4096] {
        fs::write(&path, &bytes[..length]).unwrap();
        let kind = read(&path).unwrap_err();
        assert!(matches!(kind, Kind::Corrupt | Kind::NotADatabase), "{length}: {kind:?}");
        assert!(Database::open(&path).is_err(), "{length}");
        assert_eq!(fs::read(&path).unwrap(), bytes[..length], "{length}");
    }
}

#[test]
fn pages_that_were_overwritten() {
    let (bytes, folder) = (bytes(), tempfile::tempdir().unwrap());
    let path = folder.path().join("tuning.db");
    let target = Database::open(folder.path().join("target.db")).unwrap();
    for page in 0..bytes.len() / 4096 {
        for value in [0, 0xff, 0x41] {
            let mut damaged = bytes.clone();
            damaged[page * 4096..][..4096].fill(value);
            fs::write(&path, damaged).unwrap();
            assert!(is_damage(target.merge(&path).unwrap_err().kind()), "page {page}, {value}");
        }
    }
    assert_eq!(target.keys("").unwrap(), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn bytes_that_were_overwritten(changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40)) {
        let (mut bytes, folder) = (bytes(), tempfile::tempdir().unwrap());
        let path = folder.path().join("tuning.db");
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        fs::write(&path, &bytes).unwrap();
        let original: BTreeSet<String> = (0..60).map(schedule).collect();
        match read(&path) {
            // Schedules are whole: their hash is checked.
            Ok(found) => prop_assert!(found.is_subset(&original)),
            Err(kind) => prop_assert!(is_damage(kind), "{kind:?}"),
        }
        prop_assert_eq!(fs::read(&path).unwrap(), bytes);
        write(&path);
    }
}
