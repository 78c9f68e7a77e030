//! The auto-tuning results format T4, which Kernel Tuner and others write and read: rows of one key -> a JSON file.
//!
//! ```text
//! {"schema_version": "1.0.0", "metadata": {..}, "results": [
//!   {"timestamp": "2026-01-31T12:00:00.000000Z", "configuration": {"version": 2, "parts[0][0]": 4, ..},
//!    "times": {"runtimes": [1.25]}, "invalidity": "correct", "correctness": 1, "measurements": [..],
//!    "objectives": ["time"]}
//! ]}
//! ```
//!
//! A configuration in T4 has names and single values, so that the names are paths of a schedule file, as `--set` takes
//! them. Times are in milliseconds.
use crate::{Cause, Database, Error, Key, Kind, Measurement, Outcome, Result, exchange::document};
use serde_json::{Map, Value, json};

impl Database {
    /// Returns the rows of a key as the text of a T4 file: those of this version of the compiler, or if there are none
    /// those of the version of the best row. It is an error if there are no such rows.
    pub fn export_t4(&self, key: &Key, compiler: &str) -> Result<String> {
        let rows = self.rows(key, compiler)?;
        let current = rows.iter().find(|row| row.is_current).or(rows.first());
        let Some(version) = current.map(|row| row.measurement.compiler.clone()) else {
            let (path, name) = (self.path.display(), key.name());
            return Err(Error::new(Kind::Invalid, format!("the database '{path}' has no rows of the key {name}")));
        };
        let of_version = rows.iter().map(|row| &row.measurement).filter(|of| of.compiler == version);
        let results: Vec<String> = of_version.map(|of| result(of).to_string()).collect();
        let metadata = json!({ "timeunit": "milliseconds", "compiler": version, "key": key });
        Ok(document(&format!("\"schema_version\": \"1.0.0\", \"metadata\": {metadata}, \"results\""), &results))
    }
}

fn result(of: &Measurement) -> Value {
    let measurement = |name: &str, value: Value, unit: &str| json!({"name": name, "value": value, "unit": unit});
    let (mut times, mut measurements) = (Map::new(), vec![]);
    let invalidity = match &of.outcome {
        Outcome::Measured { seconds, ratio, samples, spread } => {
            let time = seconds * 1e3;
            // Only the median is known.
            times.insert("runtimes".to_owned(), json!([time]));
            measurements.push(measurement("time", json!(time), "ms"));
            measurements.extend(ratio.map(|ratio| measurement("ratio", json!(ratio), "")));
            measurements.push(measurement("samples", json!(samples), ""));
            measurements.push(measurement("spread", json!(spread), ""));
            "correct"
        }
        Outcome::Failed { cause, reason } => {
            // In place of a time, Kernel Tuner names the class of the error.
            let (invalidity, class) = match cause {
                Cause::Wrong => ("correctness", "RuntimeFailedConfig"),
                Cause::Crashed => ("runtime", "RuntimeFailedConfig"),
                Cause::TimedOut | Cause::Hopeless => ("timeout", "RuntimeFailedConfig"),
                Cause::Refused => ("constraints", "InvalidConfig"),
            };
            measurements.push(measurement("time", json!(class), ""));
            measurements.push(measurement("reason", json!(format!("{}: {reason}", cause.name())), ""));
            invalidity
        }
    };
    measurements.extend(of.predicted.map(|seconds| measurement("predicted", json!(seconds * 1e3), "ms")));
    json!({
        "timestamp": humantime::format_rfc3339_micros(of.created).to_string(),
        "configuration": configuration(&of.schedule),
        "times": times,
        "invalidity": invalidity,
        "correctness": u8::from(matches!(of.outcome, Outcome::Measured { .. })),
        "measurements": measurements,
        "objectives": ["time"],
    })
}

/// Returns the entries of a schedule by their paths.
fn configuration(schedule: &str) -> Map<String, Value> {
    let mut entries = Map::new();
    // A row whose schedule is not JSON is an error when it is read.
    flatten(String::new(), &serde_json::from_str(schedule).unwrap_or_default(), &mut entries);
    entries
}

fn flatten(path: String, value: &Value, entries: &mut Map<String, Value>) {
    match value {
        Value::Object(fields) => {
            let dot = if path.is_empty() { "" } else { "." };
            fields.iter().for_each(|(name, value)| flatten(format!("{path}{dot}{name}"), value, entries));
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, value)| flatten(format!("{path}[{i}]"), value, entries));
        }
        _ => {
            entries.insert(path, value.clone());
        }
    }
}

#[cfg(test)]
#[path = "t4/tests.rs"]
mod tests;
