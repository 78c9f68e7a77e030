//! `mdh database list`: a line for each key, with the time of its best schedule.
use super::selection::selected;
use crate::commands::failure;
use anyhow::Result;
use clap::Args;
use comfy_table::{CellAlignment, Table, presets::UTF8_BORDERS_ONLY};
use mdh_database::{COMPILER, Database, Summary};
use mdh_passes::schedule::explain::seconds;
use serde_json::{Value, json};

/// List the keys, a line each, with the number of rows and the time of the best schedule
///
/// The gain is how many times faster the best schedule is than the default one. A version is shown if the best schedule
/// was measured with another version of the compiler: it is a starting point for the tuner, and no program uses it.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  mdh database list --database tuned.db\n  mdh database list matmul_1024 --json")]
pub struct List {
    /// List only these keys: the first digits of a name or fingerprint, or a function
    key: Option<String>,
    /// Print JSON: exact numbers, in seconds
    #[arg(long)]
    json: bool,
}

impl List {
    /// Runs the command.
    pub fn run(&self, rows: &Database) -> Result<()> {
        selected(rows, self.key.as_deref())?;
        let summaries = rows.summaries(self.key.as_deref().unwrap_or_default(), COMPILER)?;
        let path = rows.path().display();
        if self.json {
            let keys: Vec<_> = summaries.iter().map(value).collect();
            return failure::print(&format!("{:#}\n", json!({"database": path.to_string(), "keys": keys})));
        }
        match summaries.is_empty() {
            true => failure::print(&format!("the database '{path}' has no rows\n")),
            false => failure::print(&format!("{}\n", table(&summaries))),
        }
    }
}

fn value(of: &Summary) -> Value {
    let best = of.best.as_ref();
    json!({
        "name": of.key.name(),
        "key": of.key,
        "function": of.function,
        "rows": of.rows,
        "failed": of.failed,
        "best_seconds": best.and_then(|best| best.seconds),
        "default_seconds": of.default,
        "gain": of.gain(),
        "compiler": best.map(|best| &best.measurement.compiler),
        "newest": humantime::format_rfc3339_seconds(of.newest).to_string(),
    })
}

fn table(summaries: &[Summary]) -> Table {
    let mut table = Table::new();
    let titles =
        ["key", "function", "extents", "engine", "threads", "device", "rows", "failed", "best", "gain", "version"];
    table.load_preset(UTF8_BORDERS_ONLY).set_header(titles);
    for of in summaries {
        let best = of.best.as_ref();
        let strict = if of.key.strict { ", strict" } else { "" };
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        table.add_row([
            of.key.name(),
            of.function.clone(),
            of.key.extents.to_string(),
            of.key.engine.clone(),
            format!("{}{strict}", of.key.threads),
            of.key.device.clone(),
            of.rows.to_string(),
            of.failed.to_string(),
            or_none(best.and_then(|best| best.seconds).map(seconds)),
            or_none(of.gain().map(|gain| format!("{gain:.2}"))),
            best.filter(|best| !best.is_current).map(|best| best.measurement.compiler.clone()).unwrap_or_default(),
        ]);
    }
    for numbers in 6..10 {
        table.column_mut(numbers).into_iter().for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    }
    table
}
