//! Rows as JSON, to be read by other programs and imported elsewhere.
//!
//! ```text
//! {"format": "mdh tuning results", "version": 1, "measurements": [
//!   {"key": {"fingerprint": "3f1c09d2", "extents": "1024,512", ..}, .., "seconds": 0.00125, .., "schedule": {..}}
//! ]}
//! ```
use crate::{Database, Error, Key, Kind, Measurement, Merged, Outcome, Result, measurement::Fields};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the files are.
const FORMAT: &str = "mdh tuning results";

/// The version of the format.
const VERSION: u32 = 1;

/// A measurement with its key.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    key: Key,
    function: String,
    compiler: String,
    created: String,
    strategy: String,
    is_default: bool,
    outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spread: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    predicted: Option<f64>,
    schedule: Value,
}

impl Row {
    fn new(key: Key, of: Measurement) -> std::result::Result<Self, String> {
        let Fields { outcome, seconds, ratio, samples, spread, reason } = Fields::from(&of.outcome);
        let schedule = serde_json::from_str(&of.schedule).map_err(|problem| problem.to_string())?;
        Ok(Self {
            key,
            function: of.function,
            compiler: of.compiler,
            created: humantime::format_rfc3339_micros(of.created).to_string(),
            strategy: of.strategy,
            is_default: of.is_default,
            outcome,
            seconds,
            ratio,
            samples,
            spread,
            reason,
            predicted: of.predicted,
            schedule,
        })
    }

    fn read(self) -> std::result::Result<(Key, Measurement), String> {
        let Self { outcome, seconds, ratio, samples, spread, reason, .. } = self;
        let created = humantime::parse_rfc3339(&self.created)
            .map_err(|_| format!("a time requires the form 2026-01-31T12:00:00Z, but it is '{}'", self.created))?;
        let measurement = Measurement {
            schedule: self.schedule.to_string(),
            is_default: self.is_default,
            outcome: Outcome::try_from(Fields { outcome, seconds, ratio, samples, spread, reason })?,
            predicted: self.predicted,
            strategy: self.strategy,
            compiler: self.compiler,
            function: self.function,
            created,
        };
        measurement.check()?;
        Ok((self.key, measurement))
    }
}

impl Database {
    /// Returns all rows of these keys as the text of a JSON file, a line for each row.
    pub fn export_json(&self, keys: &[Key]) -> Result<String> {
        let mut lines = vec![];
        self.read(|| {
            for key in keys {
                // The version of the compiler orders the rows only.
                for stored in self.rows(key, "")? {
                    let row = Row::new(stored.key, stored.measurement);
                    let text = row.and_then(|row| serde_json::to_string(&row).map_err(|problem| problem.to_string()));
                    lines.push(text.map_err(|problem| Error::corrupt(&self.path, problem))?);
                }
            }
            Ok(())
        })?;
        Ok(document(&format!("\"format\": \"{FORMAT}\", \"version\": {VERSION}, \"measurements\""), &lines))
    }

    /// Records the measurements of the text of a JSON file, which messages call `source`: all of them, or none if one
    /// is malformed.
    pub fn import_json(&self, text: &str, source: &str) -> Result<Merged> {
        let invalid = |problem: String| Error::new(Kind::Invalid, format!("cannot import '{source}': {problem}"));
        let value: Value = serde_json::from_str(text).map_err(|problem| invalid(problem.to_string()))?;
        if (value.get("format"), value.get("version")) != (Some(&FORMAT.into()), Some(&VERSION.into())) {
            return Err(invalid(format!("it requires \"format\": \"{FORMAT}\" and \"version\": {VERSION}")));
        }
        let rows = value.get("measurements").and_then(Value::as_array);
        let rows = rows.ok_or_else(|| invalid("it requires a list of \"measurements\"".to_owned()))?.iter().enumerate();
        let read = |(i, row): (usize, &Value)| {
            let row = Row::deserialize(row).map_err(|problem| problem.to_string());
            row.and_then(Row::read).map_err(|problem| invalid(format!("measurements[{i}]: {problem}")))
        };
        self.record_all(&rows.map(read).collect::<Result<Vec<_>>>()?)
    }
}

/// Returns the text of a JSON object whose last field is a list, a line for each of its items.
pub(crate) fn document(head: &str, items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| format!("\n  {item}")).collect();
    format!("{{{head}: [{}\n]}}\n", items.join(","))
}

#[cfg(test)]
#[path = "exchange/tests.rs"]
mod tests;
