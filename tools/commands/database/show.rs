//! `mdh database show`: the rows of keys as tables.
use super::selection::{count, selected};
use crate::commands::failure;
use anyhow::Result;
use clap::Args;
use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};
use mdh_database::{COMPILER, Database, Key, Outcome, Stored};
use mdh_passes::schedule::explain::seconds;

/// Show the rows of keys: the fastest schedules first, last those that failed, with the reason
///
/// The ratio is the time divided by that of the default schedule, measured in turns with it, so that drift of the
/// machine's speed is not in it; rows are ranked by it. The spread is the interquartile range of the samples divided by
/// their median.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  mdh database show matmul_1024 --database tuned.db\n  mdh database show 3f1c09 --rows 100"
)]
pub struct Show {
    /// The keys: the first digits of a name or fingerprint, or a function; defaults to all
    key: Option<String>,
    /// The number of rows of each key
    #[arg(long, value_name = "N", default_value_t = 20)]
    rows: usize,
    /// Print JSON: all rows, in the form of export --format json
    #[arg(long, conflicts_with = "rows")]
    json: bool,
}

impl Show {
    /// Runs the command.
    pub fn run(&self, rows: &Database) -> Result<()> {
        let keys = selected(rows, self.key.as_deref())?;
        if self.json {
            return failure::print(&rows.export_json(&keys)?);
        }
        if keys.is_empty() {
            return failure::print(&format!("the database '{}' has no rows\n", rows.path().display()));
        }
        for (i, key) in keys.iter().enumerate() {
            let all = rows.rows(key, COMPILER)?;
            let (shown, hidden) = all.split_at(all.len().min(self.rows));
            let gap = if i == 0 { "" } else { "\n" };
            let rest = match hidden.len() {
                0 => String::new(),
                more => format!("{} more; --rows {} shows all\n", count(more, "row"), all.len()),
            };
            failure::print(&format!("{gap}{}{}\n{rest}", head(key, &all), table(shown)))?;
        }
        Ok(())
    }
}

/// Describes a key in lines.
fn head(key: &Key, rows: &[Stored]) -> String {
    let function = rows.iter().max_by_key(|row| row.measurement.created).map(|row| row.measurement.function.as_str());
    let lines = [
        ("key", key.name()),
        ("function", function.unwrap_or_default().to_owned()),
        ("fingerprint", key.fingerprint.clone()),
        ("extents", key.extents.to_string()),
        ("engine", key.engine.clone()),
        ("device", key.device.clone()),
        ("features", key.features.clone()),
        ("threads", key.threads.to_string()),
        ("strict", if key.strict { "yes" } else { "no" }.to_owned()),
    ];
    let filled = lines.iter().filter(|(_, text)| !text.is_empty());
    filled.map(|(title, text)| format!("{title}: {text}\n")).collect()
}

fn table(rows: &[Stored]) -> Table {
    let mut table = Table::new();
    let titles = ["", "time", "ratio", "spread", "samples", "expected", "strategy", "version", "recorded", "outcome"];
    table.load_preset(UTF8_BORDERS_ONLY).set_header(titles);
    for (i, row) in rows.iter().enumerate() {
        let of = &row.measurement;
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let (ratio, spread, samples, reason) = match &of.outcome {
            Outcome::Measured { ratio, spread, samples, .. } => {
                (*ratio, Some(format!("{:.1} %", spread * 100.0)), Some(samples.to_string()), String::new())
            }
            Outcome::Failed { reason, .. } => (None, None, None, format!(": {}", one_line(reason))),
        };
        let default = if of.is_default { ", the default schedule" } else { "" };
        table.add_row([
            (i + 1).to_string(),
            or_none(row.seconds.map(seconds)),
            or_none(ratio.map(|ratio| format!("{ratio:.3}"))),
            or_none(spread),
            or_none(samples),
            or_none(of.predicted.map(seconds)),
            of.strategy.clone(),
            of.compiler.clone(),
            humantime::format_rfc3339_seconds(of.created).to_string(),
            format!("{}{reason}{default}", of.outcome.name()),
        ]);
    }
    for numbers in 0..6 {
        table.column_mut(numbers).into_iter().for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    }
    table
}

/// Returns the beginning of a reason, which may be the output of a process that crashed.
fn one_line(reason: &str) -> String {
    const LONGEST: usize = 100;
    let line: String =
        reason.lines().next().unwrap_or_default().chars().filter(|letter| !letter.is_control()).collect();
    if line.chars().count() > LONGEST || reason.lines().count() > 1 {
        return format!("{}…", line.chars().take(LONGEST).collect::<String>());
    }
    line
}
