//! Tests of JSON files.
use super::*;
use crate::{
    Cause,
    database::tests::{empty, measurements},
    key::tests::key,
    measurement::tests::{any_measurement, failed, measured, with_ratio},
};
use proptest::prelude::*;

/// Returns the text of a file with two rows.
fn exported() -> String {
    let (_folder, database) = empty();
    database.record(&key("8"), &with_ratio(measured(1, 0.125), 0.5)).unwrap();
    database.record(&key("8"), &failed(2, Cause::TimedOut)).unwrap();
    database.export_json(&database.keys("").unwrap()).unwrap()
}

#[test]
fn the_form_of_a_file() {
    let key = "{\"fingerprint\":\"c0ffee\",\"extents\":\"8\",\"strict\":false,\"threads\":8,\
        \"features\":\"+avx2,+fma\",\"engine\":\"cpu\",\"device\":\"a processor\"}";
    let of = "\"function\":\"matvec\",\"compiler\":\"0.1.0\",\"created\":\"1970-01-01T00:16:40.000000Z\",\
        \"strategy\":\"random\",\"is_default\":false";
    let expected = format!(
        "{{\"format\": \"mdh tuning results\", \"version\": 1, \"measurements\": [\n  \
        {{\"key\":{key},{of},\"outcome\":\"measured\",\"seconds\":0.125,\"ratio\":0.5,\"samples\":5,\"spread\":0.01,\
        \"predicted\":0.5,\"schedule\":{{\"version\":2,\"parts\":[[1]]}}}},\n  \
        {{\"key\":{key},{of},\"outcome\":\"timed out\",\"reason\":\"a reason\",\
        \"predicted\":0.5,\"schedule\":{{\"version\":2,\"parts\":[[2]]}}}}\n]}}\n"
    );
    assert_eq!(exported(), expected);
}

#[test]
fn malformed_files_are_errors_that_name_the_place() {
    let (_folder, database) = empty();
    let good = exported();
    let error = |text: &str| {
        let error = database.import_json(text, "rows.json").unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid);
        assert_eq!(database.keys("").unwrap(), []);
        error.to_string()
    };
    let with = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        // In the second row, or in the head.
        let at = good.rfind(from).unwrap();
        error(&format!("{}{to}{}", &good[..at], &good[at + from.len()..]))
    };
    let form = "cannot import 'rows.json': it requires \"format\": \"mdh tuning results\" and \"version\": 1";
    assert_eq!(error("{}"), form);
    assert_eq!(error("[1, 2]"), form);
    assert_eq!(with("\"version\": 1", "\"version\": 2"), form);
    assert_eq!(
        with("\"measurements\"", "\"rows\""),
        "cannot import 'rows.json': it requires a list of \"measurements\""
    );
    assert!(error("").starts_with("cannot import 'rows.json': EOF"));
    assert!(error(&good[..good.len() / 2]).starts_with("cannot import 'rows.json': "));
    let second = "cannot import 'rows.json': measurements[1]: ";
    for (from, to, problem) in [
        ("\"timed out\"", "\"late\"", "no outcome is named 'late'"),
        ("\"timed out\"", "\"measured\"", "no outcome is named 'measured'"),
        (
            "\"reason\":\"a reason\",",
            "",
            "an outcome requires either seconds, samples and a spread, or a reason, which 'timed out' does not have",
        ),
        (
            "\"predicted\":0.5",
            "\"predicted\":-1",
            "the expected time in seconds requires a positive number, but it is -1",
        ),
        ("\"predicted\"", "\"expected\"", "unknown field `expected`"),
        ("{\"version\":2,\"parts\":[[2]]}", "[2]", "a schedule requires a JSON object"),
        ("1970-01-01T00:16:40.000000Z", "today", "a time requires the form 2026-01-31T12:00:00Z, but it is 'today'"),
        ("\"extents\":\"8\"", "\"extents\":\"8x8\"", "extents require a form such as 1024,512;8,?, but they are '8x8'"),
        ("\"threads\":8", "\"threads\":-8", "invalid value: integer `-8`, expected u32"),
        ("\"strict\":false,", "", "missing field `strict`"),
    ] {
        let text = with(from, to);
        assert!(text.starts_with(&format!("{second}{problem}")), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn what_is_exported_is_imported(all in proptest::collection::vec(any_measurement(), 0..8)) {
        let (_a, database) = empty();
        let compact = |of: Measurement| Measurement { schedule: of.schedule.replace(' ', ""), ..of };
        let all: Vec<_> = all.into_iter().map(compact).collect();
        all.iter().for_each(|of| assert!(database.record(&key("8,?"), of).is_ok()));
        let text = database.export_json(&database.keys("").unwrap()).unwrap();
        let (_b, other) = empty();
        let merged = other.import_json(&text, "rows.json").unwrap();
        let rows = measurements(&database, &key("8,?"));
        prop_assert_eq!(merged, Merged { added: rows.len(), replaced: 0, kept: 0 });
        prop_assert_eq!(measurements(&other, &key("8,?")), rows);
        // Again: every row is there already.
        prop_assert_eq!(other.import_json(&text, "rows.json").unwrap().added, 0);
        prop_assert_eq!(other.export_json(&other.keys("").unwrap()).unwrap(), text);
    }
}
