//! Reads measured search spaces: caches of Kernel Tuner, and results in the T4 format.
//!
//! ```text
//! {"tune_params": {"x": [1, 2]}, "cache": {"1": {"x": 1, "time": 3.5}, "2": {"x": 2, "time": "RuntimeFailedConfig"}}}
//! {"results": [{"configuration": {"x": 1}, "measurements": [{"name": "time", "value": 3.5}], "invalidity": "correct"}]}
//!     ──▶ x: 1, 2; times: 3.5, failed
//! ```
//!
//! A file may be compressed with gzip.
use anyhow::{Context, Result, bail, ensure};
use flate2::read::MultiGzDecoder;
use serde_json::{Map, Value};
use std::{collections::HashMap, fs, io::Read, path::Path};

/// The first bytes of a file that is compressed with gzip.
const GZIP: [u8; 2] = [0x1F, 0x8B];

/// A measured search space: all its configurations, with their times.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The parameters with the values that occur, in ascending order; parameters of one value are left out.
    pub parameters: Vec<(String, Vec<f64>)>,
    /// The configurations: by parameter, the index of its value.
    pub points: Vec<Vec<usize>>,
    /// By configuration, its time in the unit of the file; `None` if it failed.
    pub times: Vec<Option<f64>>,
}

/// Reads a file.
///
/// # Errors
///
/// If the file cannot be read, is no JSON, has neither format, or has no configuration with a time.
pub fn read(path: &Path) -> Result<Measured> {
    let name = || format!("cannot read {}", path.display());
    let bytes = fs::read(path).with_context(name)?;
    parse(&bytes).with_context(name)
}

/// Reads the content of a file.
///
/// # Errors
///
/// If it is no JSON, has neither format, or has no configuration with a time.
pub fn parse(bytes: &[u8]) -> Result<Measured> {
    let mut text = vec![];
    let bytes = match bytes.starts_with(&GZIP) {
        true => {
            MultiGzDecoder::new(bytes).read_to_end(&mut text).context("the compressed data are damaged")?;
            &text
        }
        false => bytes,
    };
    let value: Value = serde_json::from_slice(bytes).context("the text is not valid JSON")?;
    let rows = match (value.get("cache"), value.get("results")) {
        (Some(cache), _) => of_cache(&value, cache)?,
        (None, Some(results)) => of_results(results)?,
        (None, None) => bail!("requires the member 'cache' of Kernel Tuner or 'results' of the T4 format, has neither"),
    };
    measured(rows)
}

/// A configuration: its values by name, and its time.
type Row = (Vec<(String, f64)>, Option<f64>);

/// Returns the configurations of a cache of Kernel Tuner. Every entry is a flat object of parameters and results.
fn of_cache(file: &Value, cache: &Value) -> Result<Vec<Row>> {
    let cache = cache.as_object().context("'cache' must be an object")?;
    let parameters = file.get("tune_params").and_then(Value::as_object).context("requires an object 'tune_params'")?;
    let objective = file.get("objective").and_then(Value::as_str).unwrap_or("time");
    let row = |(key, entry): (&String, &Value)| {
        let entry = entry.as_object().with_context(|| format!("entry '{key}' must be an object"))?;
        let value = |name: &String| Ok((name.clone(), number(entry, name)?));
        let values: Result<Vec<_>> = parameters.keys().map(value).collect();
        let values = values.with_context(|| format!("entry '{key}'"))?;
        // Kernel Tuner writes the name of an error in place of a time.
        Ok((values, entry.get(objective).and_then(time)))
    };
    cache.iter().map(row).collect()
}

/// Returns the configurations of a list of T4 results.
fn of_results(results: &Value) -> Result<Vec<Row>> {
    let results = results.as_array().context("'results' must be an array")?;
    results
        .iter()
        .enumerate()
        .map(|(index, result)| of_result(result).with_context(|| format!("result {index}")))
        .collect()
}

/// Returns the configuration of a T4 result. Its time is the measurement of its first objective.
fn of_result(result: &Value) -> Result<Row> {
    let configuration = result.get("configuration").and_then(Value::as_object).context("requires 'configuration'")?;
    let values: Result<Vec<_>> =
        configuration.keys().map(|name| Ok((name.clone(), number(configuration, name)?))).collect();
    let is_correct = result.get("invalidity").and_then(Value::as_str).is_none_or(|reason| reason == "correct");
    let objective = result.pointer("/objectives/0").and_then(Value::as_str).unwrap_or("time");
    let measurements = result.get("measurements").and_then(Value::as_array);
    let mut measurements = measurements.into_iter().flatten();
    let found = measurements.find(|one| one.get("name").and_then(Value::as_str) == Some(objective));
    let seconds = found.and_then(|one| one.get("value")).and_then(time);
    Ok((values?, seconds.filter(|_| is_correct)))
}

/// Returns the value of a parameter as a number. Truth values are 0 and 1.
fn number(values: &Map<String, Value>, name: &str) -> Result<f64> {
    match values.get(name) {
        Some(Value::Bool(value)) => Ok(f64::from(u8::from(*value))),
        Some(Value::Number(value)) => value.as_f64().with_context(|| format!("parameter '{name}' is out of range")),
        Some(value) => bail!("parameter '{name}' must be a number, is {value}"),
        None => bail!("has no value of parameter '{name}'"),
    }
}

/// Returns a time, unless it is no positive number.
fn time(value: &Value) -> Option<f64> {
    value.as_f64().filter(|time| time.is_finite() && *time > 0.0)
}

/// Returns the space of configurations.
fn measured(rows: Vec<Row>) -> Result<Measured> {
    let names: Vec<_> =
        rows.first().context("there are no configurations")?.0.iter().map(|(name, _)| name.clone()).collect();
    let mut values = vec![vec![]; names.len()];
    for (index, (row, _)) in rows.iter().enumerate() {
        let is_same = row.len() == names.len() && row.iter().zip(&names).all(|((name, _), other)| name == other);
        ensure!(is_same, "configuration {index} has other parameters than the first one");
        row.iter().zip(&mut values).for_each(|((_, value), values)| values.push(*value));
    }
    for values in &mut values {
        values.sort_by(f64::total_cmp);
        values.dedup();
    }
    let (mut points, mut times, mut known) = (vec![], vec![], HashMap::new());
    for (index, (row, time)) in rows.into_iter().enumerate() {
        let indices = row.iter().zip(&values).filter(|(_, values)| values.len() > 1);
        let point: Vec<_> = indices.map(|((_, value), values)| values.partition_point(|other| other < value)).collect();
        let first = *known.entry(point.clone()).or_insert(index);
        ensure!(first == index, "configuration {index} equals configuration {first}");
        points.push(point);
        times.push(time);
    }
    ensure!(times.iter().any(Option::is_some), "no configuration has a time");
    let parameters = names.into_iter().zip(values).filter(|(_, values)| values.len() > 1).collect();
    Ok(Measured { parameters, points, times })
}
