//! Tests of T4 files.
use super::*;
use crate::{
    database::tests::empty,
    key::tests::key,
    measurement::tests::{failed, measured, with_ratio},
};

/// What T4 requires of a file of results, version 1.0.0.
fn schema() -> jsonschema::Validator {
    let result = json!({
        "type": "object",
        "required": ["configuration", "times", "invalidity", "correctness"],
        "properties": {
            "timestamp": {"type": "string"},
            "configuration": {"type": "object", "additionalProperties": {"type": ["number", "string", "boolean", "null"]}},
            "objectives": {"type": "array", "items": {"type": "string"}},
            "times": {"type": "object", "properties": {"runtimes": {"type": "array", "items": {"type": "number"}}}},
            "invalidity": {"enum": ["timeout", "compile", "runtime", "correctness", "constraints", "correct"]},
            "correctness": {"type": "number"},
            "measurements": {"type": "array", "items": {
                "type": "object",
                "required": ["name", "value", "unit"],
                "properties": {
                    "name": {"type": "string"},
                    "value": {"type": ["number", "string", "array"]},
                    "unit": {"type": "string"},
                },
            }},
        },
    });
    let file = json!({
        "type": "object",
        "required": ["schema_version", "results"],
        "properties": {
            "schema_version": {"type": "string", "pattern": "^[0-9]+[.][0-9]+[.][0-9]+$"},
            "metadata": {"type": "object"},
            "results": {"type": "array", "items": result},
        },
    });
    jsonschema::validator_for(&file).unwrap()
}

fn parsed(database: &Database) -> Value {
    let value = serde_json::from_str(&database.export_t4(&key("8"), "0.1.0").unwrap()).unwrap();
    let schema = schema();
    assert_eq!(schema.iter_errors(&value).map(|error| error.to_string()).collect::<Vec<_>>(), [""; 0]);
    value
}

#[test]
fn the_form_of_a_file() {
    let (_folder, database) = empty();
    let schedule = r#"{"version": 2, "parts": [[2, "?"]], "decompose": {"tags": [["A,x"]]}, "at": null}"#.to_owned();
    let row = Measurement { schedule, ..with_ratio(measured(1, 0.25), 0.5) };
    database.record(&key("8"), &row).unwrap();
    let file = parsed(&database);
    assert_eq!(file["schema_version"], "1.0.0");
    assert_eq!(file["metadata"]["timeunit"], "milliseconds");
    assert_eq!(file["metadata"]["compiler"], "0.1.0");
    assert_eq!(file["metadata"]["key"]["extents"], "8");
    let expected = json!([{
        "timestamp": "1970-01-01T00:16:40.000000Z",
        "configuration":
            {"version": 2, "parts[0][0]": 2, "parts[0][1]": "?", "decompose.tags[0][0]": "A,x", "at": null},
        "times": {"runtimes": [250.0]},
        "invalidity": "correct",
        "correctness": 1,
        "measurements": [
            {"name": "time", "value": 250.0, "unit": "ms"},
            {"name": "ratio", "value": 0.5, "unit": ""},
            {"name": "samples", "value": 5, "unit": ""},
            {"name": "spread", "value": 0.01, "unit": ""},
            {"name": "predicted", "value": 500.0, "unit": "ms"},
        ],
        "objectives": ["time"],
    }]);
    assert_eq!(file["results"], expected);
}

#[test]
fn every_cause_has_a_name_in_the_format() {
    let (_folder, database) = empty();
    (0..).zip(Cause::ALL).for_each(|(i, cause)| assert!(database.record(&key("8"), &failed(i, cause)).is_ok()));
    let file = parsed(&database);
    let results = file["results"].as_array().unwrap();
    let invalidity = |cause: Cause| {
        let reason = format!("{}: a reason", cause.name());
        let of = results.iter().find(|result| result["measurements"][1]["value"] == reason).unwrap();
        assert_eq!((&of["correctness"], &of["times"]), (&json!(0), &json!({})));
        of["invalidity"].as_str().unwrap()
    };
    assert_eq!(Cause::ALL.map(invalidity), ["correctness", "runtime", "timeout", "constraints", "timeout"]);
}

#[test]
fn rows_of_one_version() {
    let (_folder, database) = empty();
    let of_version = |version: &str, of| Measurement { compiler: version.to_owned(), ..of };
    database.record(&key("8"), &of_version("0.0.8", measured(1, 0.5))).unwrap();
    database.record(&key("8"), &of_version("0.0.9", measured(1, 0.25))).unwrap();
    // Without rows of the version that was asked for, that of the fastest.
    assert_eq!(parsed(&database)["metadata"]["compiler"], "0.0.9");
    database.record(&key("8"), &failed(1, Cause::Wrong)).unwrap();
    let file = parsed(&database);
    assert_eq!((&file["metadata"]["compiler"], file["results"].as_array().unwrap().len()), (&json!("0.1.0"), 1));
    let error = database.export_t4(&key("9"), "0.1.0").unwrap_err();
    assert_eq!(error.kind(), Kind::Invalid);
    let text = format!("the database '{}' has no rows of the key {}", database.path().display(), key("9").name());
    assert_eq!(error.to_string(), text);
}

#[test]
fn several_functions_have_paths() {
    let file = configuration(r#"{"version": 2, "schedules": {"f": [{"parts": [[1]]}, null]}}"#);
    let paths: Vec<_> = file.keys().map(String::as_str).collect();
    assert_eq!(paths, ["version", "schedules.f[0].parts[0][0]", "schedules.f[1]"]);
}
