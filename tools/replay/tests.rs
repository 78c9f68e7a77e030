//! Spaces in both formats, errors of files, and the statistics of replayed searches.
use super::*;
use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};

/// A space of 8 × 5 configurations, of which those with y = 4 fail; the best one is x = 16, y = 1.
fn cache() -> Value {
    let time = |x: i32, y: i32| 1.0 + (f64::from(x).log2() - 4.0).abs() + 0.5 * f64::from((y - 1).abs());
    let mut entries = serde_json::Map::new();
    for exponent in 0..8 {
        for y in 0..5 {
            let x = 1 << exponent;
            let time = if y == 4 { json!("RuntimeFailedConfig") } else { json!(time(x, y)) };
            entries.insert(format!("{x},{y},7"), json!({"x": x, "y": y, "fixed": 7, "time": time}));
        }
    }
    json!({"tune_params": {"x": [], "y": [], "fixed": []}, "objective": "time", "cache": entries})
}

/// The same space in the T4 format.
fn results() -> Value {
    let cache = cache();
    let result = |entry: &Value| {
        let configuration = json!({"x": entry["x"], "y": entry["y"], "fixed": entry["fixed"]});
        match entry["time"].as_f64() {
            Some(time) => json!({"configuration": configuration, "invalidity": "correct", "objectives": ["time"],
                "measurements": [{"name": "power", "value": 3}, {"name": "time", "value": time}]}),
            None => json!({"configuration": configuration, "invalidity": "runtime", "objectives": ["time"],
                "measurements": [{"name": "time", "value": 1e-9}]}),
        }
    };
    let entries = cache["cache"].as_object().unwrap().values();
    json!({"schema_version": "1.0.0", "results": entries.map(result).collect::<Vec<_>>()})
}

fn options(arguments: &[&str]) -> Options {
    Options::parse_from(["mdh-replay"].iter().chain(arguments))
}

/// Returns the causes of the error of a text.
fn error(text: &str) -> String {
    format!("{:#}", read::parse(text.as_bytes()).unwrap_err())
}

#[test]
fn both_formats_are_read() {
    let measured = read::parse(cache().to_string().as_bytes()).unwrap();
    assert_eq!(measured, read::parse(results().to_string().as_bytes()).unwrap());
    let sizes = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];
    let parameters = [("x".to_string(), sizes.to_vec()), ("y".to_string(), vec![0.0, 1.0, 2.0, 3.0, 4.0])];
    assert_eq!(measured.parameters, parameters);
    assert_eq!((measured.points.len(), &measured.points[21], measured.times[21]), (40, &vec![4, 1], Some(1.0)));
    assert_eq!(measured.times.iter().filter(|time| time.is_none()).count(), 8);
}

#[test]
fn compressed_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.json.gz");
    let mut encoder = GzEncoder::new(vec![], Compression::fast());
    encoder.write_all(cache().to_string().as_bytes()).unwrap();
    let bytes = encoder.finish().unwrap();
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(read::read(&path).unwrap(), read::parse(cache().to_string().as_bytes()).unwrap());
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let error = format!("{:#}", read::read(&path).unwrap_err());
    assert!(error.starts_with("cannot read ") && error.contains("the compressed data are damaged"), "{error}");
    let error = format!("{:#}", read::read(&folder.path().join("none.json")).unwrap_err());
    assert!(error.starts_with("cannot read ") && error.contains("none.json"), "{error}");
}

#[test]
fn bad_files_are_errors() {
    for (text, message) in [
        ("{", "the text is not valid JSON"),
        ("[]", "requires the member 'cache' of Kernel Tuner or 'results' of the T4 format, has neither"),
        (r#"{"cache": [], "tune_params": {}}"#, "'cache' must be an object"),
        (r#"{"cache": {}}"#, "requires an object 'tune_params'"),
        (r#"{"cache": {}, "tune_params": {"x": [1]}}"#, "there are no configurations"),
        (r#"{"cache": {"1": 3}, "tune_params": {"x": [1]}}"#, "entry '1' must be an object"),
        (r#"{"cache": {"1": {"time": 3}}, "tune_params": {"x": [1]}}"#, "entry '1': has no value of parameter 'x'"),
        (r#"{"cache": {"1": {"x": "a"}}, "tune_params": {"x": [1]}}"#, "parameter 'x' must be a number, is \"a\""),
        (r#"{"cache": {"1": {"x": 1, "time": "failed"}}, "tune_params": {"x": [1]}}"#, "no configuration has a time"),
        (
            r#"{"cache": {"1": {"x": 1, "time": 1}, "2": {"x": 1, "time": 1}}, "tune_params": {"x": [1]}}"#,
            "configuration 1 equals configuration 0",
        ),
        (r#"{"results": {}}"#, "'results' must be an array"),
        (r#"{"results": [{}]}"#, "result 0: requires 'configuration'"),
        (
            r#"{"results": [{"configuration": {"x": 1}}, {"configuration": {"y": 1}}]}"#,
            "configuration 1 has other parameters than the first one",
        ),
    ] {
        let error = error(text);
        assert!(error.contains(message), "{text}: {error}");
    }
}

#[test]
fn neighbors_differ_in_one_parameter() {
    use mdh_passes::tune::landscape::Landscape;
    let space = space::Space::new(&read::parse(cache().to_string().as_bytes()).unwrap());
    assert_eq!(space.neighbors(&21).len(), 7 + 4);
    // x = 16 as a logarithm, y = 1 as it is, because it may be 0.
    assert_eq!(space.features(&21), [4.0, 1.0]);
    assert_eq!((space.time(21), space.time(24)), (Some(1.0), None));
}

#[test]
fn random_search_is_exact() {
    // One of two, found at once with a probability of one half; the last one of four after two.
    assert_eq!([(2, 1), (4, 1), (10, 10), (4362, 1)].map(|(all, good)| run::random_median(all, good)), [1, 2, 1, 2181]);
}

#[test]
fn strategies_are_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space.json");
    std::fs::write(&path, cache().to_string()).unwrap();
    let path = path.to_str().unwrap();
    for kind in STRATEGIES {
        let report = replay(&options(&[path, "--strategy", kind.name, "--seeds", "9"])).unwrap();
        let space = &report.spaces[0];
        assert_eq!((space.points, space.failed, space.best), (40, 8, 1.0));
        let found = &space.evaluations[0];
        assert_eq!((found.good, found.random, found.by_seed.len()), (1, 20, 9));
        assert!(found.by_seed.iter().all(|needed| needed.is_some_and(|needed| needed <= 40)), "{}", kind.name);
    }
    let report = replay(&options(&[path, "--strategy", "random", "--seeds", "3", "--budget", "0"])).unwrap();
    assert_eq!(report.spaces[0].evaluations[0].by_seed, [None; 3]);
    assert!(table(&report).contains("0.95: 1 points, random search 20, random over 0"), "{}", table(&report));
}

#[test]
fn bad_options_are_errors() {
    let message = |arguments: &[&str]| format!("{:#}", replay(&options(arguments)).err().unwrap());
    let names = "learned, model, annealing, local, bandit, random";
    assert_eq!(message(&["a", "--strategy", "best"]), format!("no strategy 'best': there are {names}"));
    assert_eq!(message(&["a", "--fractions", "1.5"]), "a fraction must be above 0 and at most 1, is 1.5");
    assert!(Options::try_parse_from(["mdh-replay"]).is_err());
    assert!(Options::try_parse_from(["mdh-replay", "a", "--seeds", "0"]).is_err());
}
