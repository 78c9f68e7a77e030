//! Tests of reading.
use super::*;
use crate::{
    Cause, Kind,
    database::tests::empty,
    key::tests::key,
    measurement::tests::{failed, measured, with_ratio},
};
use proptest::prelude::*;
use std::time::Duration;

/// Returns the schedules of rows, by the number in them, with their times.
fn times(rows: &[Stored]) -> Vec<(String, Option<f64>)> {
    let number = |row: &Stored| row.measurement.schedule.chars().filter(char::is_ascii_digit).skip(1).collect();
    rows.iter().map(|row| (number(row), row.seconds)).collect()
}

fn of_version(version: &str, of: Measurement) -> Measurement {
    Measurement { compiler: version.to_owned(), ..of }
}

#[test]
fn the_fastest_row_is_the_best() {
    let (_folder, database) = empty();
    for row in [measured(1, 0.5), measured(2, 0.25), measured(3, 0.75), failed(4, Cause::Wrong)] {
        database.record(&key("8"), &row).unwrap();
    }
    assert_eq!(database.best(&key("8"), "0.1.0").unwrap().unwrap().measurement, measured(2, 0.25));
    let text = |all: &[(&str, Option<f64>)]| all.iter().map(|(a, b)| ((*a).to_owned(), *b)).collect::<Vec<_>>();
    let ranked = [("2", Some(0.25)), ("1", Some(0.5)), ("3", Some(0.75))];
    assert_eq!(times(&database.ranked(&key("8"), "0.1.0", 10).unwrap()), text(&ranked));
    assert_eq!(times(&database.ranked(&key("8"), "0.1.0", 2).unwrap()), text(&ranked[..2]));
    let all = [&ranked[..], &[("4", None)]].concat();
    assert_eq!(times(&database.rows(&key("8"), "0.1.0").unwrap()), text(&all));
    assert_eq!(database.best(&key("9"), "0.1.0").unwrap(), None);
}

#[test]
fn rows_that_failed_never_win() {
    let (_folder, database) = empty();
    for (i, cause) in (0..).zip(Cause::ALL) {
        database.record(&key("8"), &failed(i, cause)).unwrap();
    }
    assert_eq!(database.best(&key("8"), "0.1.0").unwrap(), None);
    assert_eq!(database.best(&key("8"), "0.2.0").unwrap(), None);
    assert_eq!(database.nearest(&key("9"), "0.1.0", 5).unwrap(), []);
    assert_eq!(database.rows(&key("8"), "0.1.0").unwrap().len(), 5);
}

#[test]
fn ratios_are_compared_before_times() {
    let (_folder, database) = empty();
    // The machine was twice as slow when the second schedule was measured, which is faster than the first one.
    database.record(&key("8"), &with_ratio(measured(1, 0.75), 0.75)).unwrap();
    database.record(&key("8"), &with_ratio(measured(2, 1.0), 0.5)).unwrap();
    database.record(&key("8"), &measured(3, 0.9)).unwrap();
    let best = |of: &Key| database.best(of, "0.1.0").unwrap().unwrap();
    // Without the default, only times are known.
    assert_eq!(
        (best(&key("8")).seconds, best(&key("8")).measurement.schedule),
        (Some(0.75), measured(1, 1.0).schedule)
    );
    let default = Measurement { is_default: true, ..with_ratio(measured(0, 1.0), 1.01) };
    database.record(&key("8"), &default).unwrap();
    assert_eq!((best(&key("8")).seconds, best(&key("8")).measurement.schedule), (Some(0.5), measured(2, 1.0).schedule));
    assert_eq!(database.default_row(&key("8"), "0.1.0").unwrap().unwrap().seconds, Some(1.0));
    assert_eq!(database.default_row(&key("8"), "0.2.0").unwrap(), None);
    // The default of another version says nothing about this one.
    database.record(&key("9"), &with_ratio(measured(1, 0.75), 0.75)).unwrap();
    database.record(&key("9"), &of_version("0.2.0", default)).unwrap();
    assert_eq!(best(&key("9")).seconds, Some(0.75));
}

#[test]
fn the_newest_default_counts() {
    let (_folder, database) = empty();
    let default = |schedule, seconds, age| {
        let of = measured(schedule, seconds);
        Measurement { is_default: true, created: of.created - Duration::from_secs(age), ..of }
    };
    database.record(&key("8"), &default(1, 3.0, 5)).unwrap();
    database.record(&key("8"), &default(2, 2.0, 1)).unwrap();
    database.record(&key("8"), &default(3, 4.0, 9)).unwrap();
    assert_eq!(database.default_row(&key("8"), "0.1.0").unwrap().unwrap().seconds, Some(2.0));
}

#[test]
fn rows_of_other_versions_are_starting_points() {
    let (_folder, database) = empty();
    database.record(&key("8"), &of_version("0.0.9", measured(1, 0.25))).unwrap();
    database.record(&key("8"), &of_version("0.2.0", measured(2, 0.125))).unwrap();
    let best = database.best(&key("8"), "0.1.0").unwrap().unwrap();
    assert_eq!((best.seconds, best.is_current), (Some(0.125), false));
    database.record(&key("8"), &measured(3, 0.5)).unwrap();
    let ranked = database.ranked(&key("8"), "0.1.0", 10).unwrap();
    let order: Vec<_> = ranked.iter().map(|row| (row.seconds, row.is_current)).collect();
    assert_eq!(order, [(Some(0.5), true), (Some(0.125), false), (Some(0.25), false)]);
    // One that failed with this version does not hide those of others.
    database.record(&key("9"), &of_version("0.2.0", measured(2, 0.125))).unwrap();
    database.record(&key("9"), &failed(2, Cause::Crashed)).unwrap();
    assert!(!database.best(&key("9"), "0.1.0").unwrap().unwrap().is_current);
}

#[test]
fn the_nearest_sizes() {
    let (_folder, database) = empty();
    let base = key("1024,512");
    for (i, extents) in (0..).zip(["1024,512", "2048,512", "1024,64", "?,512", "1024,512,1", "512,512", "1000,500"]) {
        database.record(&key(extents), &measured(i, 1.0)).unwrap();
        database.record(&key(extents), &measured(i + 10, 0.5)).unwrap();
    }
    let others = [
        Key { strict: true, ..key("1024,513") },
        Key { device: "another".to_owned(), ..key("1024,513") },
        Key { fingerprint: "c0ffee00".to_owned(), ..key("1024,513") },
    ];
    others.iter().for_each(|other| assert!(database.record(other, &measured(1, 1.0)).is_ok()));
    let nearest = |count| -> Vec<(String, Option<f64>)> {
        let found = database.nearest(&base, "0.1.0", count).unwrap();
        assert!(found.is_sorted_by(|a, b| a.distance <= b.distance));
        found.into_iter().map(|near| (near.stored.key.extents.to_string(), near.stored.seconds)).collect()
    };
    let order = ["1000,500", "512,512", "2048,512", "1024,64"].map(|extents| (extents.to_owned(), Some(0.5)));
    assert_eq!(nearest(10), order);
    assert_eq!(nearest(2), order[..2]);
    assert_eq!(nearest(0), []);
}

#[test]
fn keys_are_selected_by_name_fingerprint_or_function() {
    let (_folder, database) = empty();
    let other = Key { fingerprint: "dead".to_owned(), ..key("8") };
    database.record(&key("16"), &measured(1, 1.0)).unwrap();
    database.record(&key("8"), &measured(1, 1.0)).unwrap();
    database.record(&other, &Measurement { function: "scan".to_owned(), ..measured(1, 1.0) }).unwrap();
    let all = [key("8"), key("16"), other.clone()];
    assert_eq!(database.keys("").unwrap(), all);
    assert_eq!(database.keys("c0f").unwrap(), all[..2]);
    assert_eq!(database.keys("matvec").unwrap(), all[..2]);
    assert_eq!(database.keys("scan").unwrap(), all[2..]);
    assert_eq!(database.keys(&other.name()[..9]).unwrap(), all[2..]);
    for none in ["sca", "scans", "%", "_", "c0ffee0"] {
        assert_eq!(database.keys(none).unwrap(), [], "{none}");
    }
}

#[test]
fn summaries_count_rows() {
    let (_folder, database) = empty();
    let default = Measurement { is_default: true, ..measured(0, 2.0) };
    let newer = Measurement { function: "renamed".to_owned(), ..with_ratio(measured(1, 1.9), 0.25) };
    let newer = Measurement { created: newer.created + Duration::from_secs(9), ..newer };
    for row in [&default, &newer, &failed(2, Cause::Wrong), &of_version("0.0.9", measured(3, 0.1))] {
        database.record(&key("8"), row).unwrap();
    }
    database.record(&key("16"), &failed(2, Cause::Wrong)).unwrap();
    let summaries = database.summaries("", "0.1.0").unwrap();
    let [of, other] = &summaries[..] else { panic!("{summaries:?}") };
    assert_eq!((of.rows, of.failed, of.default, of.gain()), (4, 1, Some(2.0), Some(4.0)));
    assert_eq!((of.function.as_str(), of.newest), ("renamed", newer.created));
    assert_eq!(of.best.as_ref().unwrap().measurement, newer);
    assert_eq!((other.rows, other.failed, &other.best, other.default, other.gain()), (1, 1, &None, None, None));
    // A version without a default has no gain.
    let of = &database.summaries("", "0.0.9").unwrap()[0];
    assert_eq!((of.best.as_ref().unwrap().seconds, of.default, of.gain()), (Some(0.1), None, None));
}

#[test]
fn rows_that_were_changed_outside_are_corrupt() {
    for change in [
        "UPDATE measurement SET schedule = replace(schedule, '1', '7')",
        "UPDATE measurement SET schedule = 'x'",
        "UPDATE measurement SET outcome = 'splendid'",
        "UPDATE measurement SET seconds = -1",
        "UPDATE measurement SET seconds = NULL",
        "UPDATE measurement SET samples = 5000000000",
        "UPDATE measurement SET created = -1",
        "UPDATE measurement SET strategy = CAST(x'ff' AS TEXT)",
        "UPDATE key SET threads = -1",
        "UPDATE key SET device = 'another'",
        "UPDATE key SET extents = '8,'",
        "DROP TABLE measurement",
    ] {
        let (_folder, database) = empty();
        database.record(&key("8"), &measured(1, 1.0)).unwrap();
        database.connection.execute_batch(change).unwrap();
        let error = database.rows(&key("8"), "0.1.0").unwrap_err();
        assert_eq!(error.kind(), Kind::Corrupt, "{change}: {error}");
        let start = format!("the database '{}' is corrupt: ", database.path().display());
        assert!(error.to_string().starts_with(&start), "{change}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_best_row_is_the_minimum(all in proptest::collection::vec((0..6u64, 1..9u32, 0..3u32), 1..12)) {
        let (_folder, database) = empty();
        for (schedule, eighths, kind) in &all {
            let row = measured(*schedule, f64::from(*eighths) / 8.0);
            let row = match kind {
                0 => row,
                1 => of_version("0.2.0", row),
                _ => failed(*schedule, Cause::Wrong),
            };
            database.record(&key("8"), &row).unwrap();
        }
        let rows = database.rows(&key("8"), "0.1.0").unwrap();
        let current = rows.iter().filter(|row| row.is_current && row.seconds.is_some());
        let other = rows.iter().filter(|row| !row.is_current && row.seconds.is_some());
        let least = |rows: &mut dyn Iterator<Item = &Stored>| rows.filter_map(|row| row.seconds).min_by(f64::total_cmp);
        let expected = least(&mut current.into_iter()).or(least(&mut other.into_iter()));
        prop_assert_eq!(database.best(&key("8"), "0.1.0").unwrap().and_then(|row| row.seconds), expected);
    }
}
