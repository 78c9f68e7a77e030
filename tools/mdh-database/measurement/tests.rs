//! Tests of measurements, and measurements for other tests.
use super::*;
use proptest::prelude::*;

/// Returns the measurement of a schedule that is named by a number: its time in seconds, created at 1000 s.
pub(crate) fn measured(schedule: u64, seconds: f64) -> Measurement {
    Measurement {
        schedule: format!("{{\"version\": 2, \"parts\": [[{schedule}]]}}"),
        is_default: false,
        outcome: Outcome::Measured { seconds, ratio: None, samples: 5, spread: 0.01 },
        predicted: Some(0.5),
        strategy: "random".to_owned(),
        compiler: "0.1.0".to_owned(),
        function: "matvec".to_owned(),
        created: time(1_000_000_000).unwrap(),
    }
}

/// Returns the measurement of a schedule that failed.
pub(crate) fn failed(schedule: u64, cause: Cause) -> Measurement {
    let outcome = Outcome::Failed { cause, reason: "a reason".to_owned() };
    Measurement { outcome, ..measured(schedule, 1.0) }
}

/// Returns the measurement with its ratio to the default.
pub(crate) fn with_ratio(of: Measurement, to_default: f64) -> Measurement {
    match of.outcome {
        Outcome::Measured { seconds, samples, spread, .. } => {
            let outcome = Outcome::Measured { seconds, ratio: Some(to_default), samples, spread };
            Measurement { outcome, ..of }
        }
        Outcome::Failed { .. } => of,
    }
}

#[test]
fn values_that_cannot_be_kept() {
    let base = measured(1, 1.0);
    let timed = |seconds, ratio, samples, spread| Measurement {
        outcome: Outcome::Measured { seconds, ratio, samples, spread },
        ..base.clone()
    };
    assert_eq!(base.check(), Ok(()));
    let error = |measurement: Measurement| measurement.check().unwrap_err();
    for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let text = error(timed(seconds, None, 1, 0.0));
        assert_eq!(text, format!("the time in seconds requires a positive number, but it is {seconds}"));
        assert!(timed(1.0, Some(seconds), 1, 0.0).check().is_err());
        assert!(Measurement { predicted: Some(seconds), ..base.clone() }.check().is_err());
    }
    assert_eq!(error(timed(1.0, None, 0, 0.0)), "the number of samples requires a positive number, but it is 0");
    assert_eq!(error(timed(1.0, None, 1, -0.5)), "the spread requires a number of at least 0, but it is -0.5");
    assert!(timed(1.0, None, 1, f64::NAN).check().is_err());
    let early = UNIX_EPOCH - Duration::from_secs(1);
    assert_eq!(error(Measurement { created: early, ..base.clone() }), "the time of the measurement is out of range");
    for schedule in ["", "[]", "{", "1", "{} {}"] {
        let text = error(Measurement { schedule: schedule.to_owned(), ..base.clone() });
        assert!(text.starts_with("a schedule requires a JSON object"), "{text}");
    }
}

#[test]
fn white_space_is_no_part_of_a_schedule() {
    let same = digest("{\"version\":2,\"parts\":[[1]]}");
    assert_eq!(digest("{ \"version\" : 2,\n  \"parts\": [ [1] ] }\n"), same);
    assert_ne!(digest("{\"version\":2,\"parts\":[[2]]}"), same);
    assert_ne!(digest("{\"version\":2,\"parts\":[[\"1\"]]}"), same);
    // Files contain hashes, which never change: this one has the fields in the order of the text.
    let hash = blake3::hash(b"{\"version\":2,\"parts\":[[1]]}");
    assert_eq!(same, Ok(*hash.as_bytes()));
}

#[test]
fn fields_of_two_outcomes_are_none() {
    let right = Fields::from(&measured(1, 1.0).outcome);
    let wrong = Fields::from(&failed(1, Cause::Wrong).outcome);
    for malformed in [
        Fields { reason: Some("a reason".to_owned()), ..right.clone() },
        Fields { seconds: None, ..right.clone() },
        Fields { samples: None, ..right.clone() },
        Fields { outcome: "wrong".to_owned(), ..right },
        Fields { seconds: Some(1.0), ..wrong.clone() },
        Fields { outcome: MEASURED.to_owned(), ..wrong.clone() },
        Fields { reason: None, ..wrong },
    ] {
        assert!(Outcome::try_from(malformed.clone()).is_err(), "{malformed:?}");
    }
}

#[test]
fn the_newer_one_is_kept_unless_it_was_stopped_early() {
    let at = |seconds: i64, of: Measurement| Measurement { created: time(seconds * 1_000_000).unwrap(), ..of };
    let (old, new) = (at(1, measured(1, 1.0)), at(2, measured(1, 2.0)));
    assert!(new.replaces(&old) && !old.replaces(&new));
    assert!(!old.replaces(&old));
    for cause in Cause::ALL {
        let later = at(3, failed(1, cause));
        assert_eq!(later.replaces(&new), cause != Cause::Hopeless, "{cause:?}");
        assert_eq!(new.replaces(&later), cause == Cause::Hopeless, "{cause:?}");
    }
    // Complete, though older.
    assert!(at(1, failed(1, Cause::Wrong)).replaces(&at(2, failed(1, Cause::Hopeless))));
}

pub(crate) fn any_outcome() -> impl Strategy<Value = Outcome> {
    let time = || 1e-9..1e3f64;
    let timed = (time(), proptest::option::of(time()), 1..100u32, 0.0..1.0f64)
        .prop_map(|(seconds, ratio, samples, spread)| Outcome::Measured { seconds, ratio, samples, spread });
    let failed =
        (proptest::sample::select(&Cause::ALL[..]), ".*").prop_map(|(cause, reason)| Outcome::Failed { cause, reason });
    prop_oneof![timed, failed]
}

/// Any measurement of one of a few schedules, at one of a few times.
pub(crate) fn any_measurement() -> impl Strategy<Value = Measurement> {
    let version = proptest::sample::select(&["0.1.0", "0.2.0"][..]);
    (0..3u64, any_outcome(), proptest::option::of(1e-9..1e3f64), ".*", version, any::<bool>(), 0..4i64).prop_map(
        |(schedule, outcome, predicted, strategy, version, is_default, second)| Measurement {
            outcome,
            predicted,
            strategy,
            is_default,
            compiler: version.to_owned(),
            created: time(second * 1_000_000).unwrap(),
            ..measured(schedule, 1.0)
        },
    )
}

proptest! {
    #[test]
    fn fields_and_outcomes_correspond(outcome in any_outcome()) {
        prop_assert_eq!(Outcome::try_from(Fields::from(&outcome)).unwrap(), outcome);
    }

    #[test]
    fn of_different_measurements_one_replaces_the_other(a in any_measurement(), b in any_measurement()) {
        let b = Measurement { is_default: a.is_default, ..b };
        prop_assume!((&a.outcome, a.created, a.predicted, &a.strategy) != (&b.outcome, b.created, b.predicted, &b.strategy));
        prop_assert!(a.replaces(&b) != b.replaces(&a));
    }

    #[test]
    fn times_are_kept_in_microseconds(number in 0..i64::MAX) {
        prop_assert_eq!(microseconds(time(number).unwrap()), Some(number));
    }
}
