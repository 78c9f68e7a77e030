//! `mdh database export` and `import`: schedules and rows as files.
use super::{change::counts, selection::selected};
use crate::{commands::failure, object};
use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use mdh_database::{COMPILER, Database, Key};
use mdh_execution::failure::os_message;
use std::{
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
};

/// Write the best schedule of a key as a schedule file, or rows in a form for other programs
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  mdh database export matmul_1024 --output best.json --database tuned.db\n  \
    mdh run examples/matmul.mlir --function matmul_1024 --schedule best.json …\n  \
    mdh database export --format json --output rows.json\n  mdh database export 3f1c09 --format t4 > T4.json")]
pub struct Export {
    /// The keys: the first digits of a name or fingerprint, or a function; defaults to all. A schedule and a file in T4
    /// belong to one key
    key: Option<String>,
    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Schedule)]
    format: Format,
    /// The file; - is the standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// The best schedule, in the form that --schedule accepts
    Schedule,
    /// All rows, in the form that import accepts
    Json,
    /// All rows, in the auto-tuning results format of Kernel Tuner and other tuners
    T4,
}

impl Export {
    /// Runs the command.
    pub fn run(&self, rows: &Database) -> Result<()> {
        let keys = selected(rows, self.key.as_deref())?;
        let text = match self.format {
            Format::Schedule => best(rows, self.only(rows, &keys)?)?,
            Format::Json => rows.export_json(&keys)?,
            Format::T4 => rows.export_t4(self.only(rows, &keys)?, COMPILER)?,
        };
        match self.output == Path::new("-") {
            true => failure::print(&text),
            false => object::write(&self.output, text.as_bytes()),
        }
    }

    /// Returns the only key, or an error that names the others.
    fn only<'a>(&self, rows: &Database, keys: &'a [Key]) -> Result<&'a Key> {
        const NAMED: usize = 5;
        match keys {
            [key] => Ok(key),
            [] => bail!("the database '{}' has no rows", rows.path().display()),
            _ => {
                let name = |key: &Key| format!("{} (extents {}, {})", key.name(), key.extents, key.engine);
                let names: Vec<String> = keys.iter().take(NAMED).map(name).collect();
                let more = if keys.len() > NAMED { ", …" } else { "" };
                let found = match &self.key {
                    Some(key) => format!("'{key}' selects"),
                    None => format!("the database '{}' has", rows.path().display()),
                };
                bail!("one key is required, but {found} {}: {}{more}", keys.len(), names.join(", "))
            }
        }
    }
}

/// Returns the text of the best schedule of a key.
fn best(rows: &Database, key: &Key) -> Result<String> {
    let best = rows.best(key, COMPILER)?;
    let best = best.with_context(|| format!("no schedule of the key {} was measured successfully", key.name()))?;
    if !best.is_current {
        let version = &best.measurement.compiler;
        let note =
            format!("note: the schedule was measured with version {version} of the compiler, and not with {COMPILER}");
        let _ = writeln!(std::io::stderr(), "{note}");
    }
    // The schedules of several computations are recorded without the name of their function.
    let name = serde_json::Value::from(best.measurement.function).to_string();
    let text = best.measurement.schedule.replacen("\"\":", &format!("{name}:"), 1);
    Ok(format!("{}\n", text.trim_end()))
}

/// Record the rows of files that export --format json has written
///
/// Of two rows of the same schedule and version of the compiler, the newer one is kept. Each file is recorded as a whole
/// or, if it is malformed, not at all.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example:\n  mdh database import rows.json --database tuned.db")]
pub struct Import {
    /// The files; - is the standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Print JSON: the numbers of rows
    #[arg(long)]
    json: bool,
}

impl Import {
    /// Runs the command.
    pub fn run(&self, database: &Path) -> Result<()> {
        // No database is created if a file cannot be read.
        let texts = self.files.iter().map(|file| read(file)).collect::<Result<Vec<_>>>()?;
        let rows = Database::open(database)?;
        for (file, text) in self.files.iter().zip(texts) {
            let merged = rows.import_json(&text, &file.display().to_string())?;
            failure::print(&counts(file, merged, self.json))?;
        }
        Ok(())
    }
}

fn read(file: &Path) -> Result<String> {
    let bytes = match file == Path::new("-") {
        true => {
            let mut bytes = vec![];
            std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
        }
        false => fs::read(file),
    };
    let bytes = bytes.map_err(|error| anyhow!("cannot read '{}': {}", file.display(), os_message(&error)))?;
    String::from_utf8(bytes).map_err(|_| anyhow!("cannot import '{}': it is not UTF-8", file.display()))
}
