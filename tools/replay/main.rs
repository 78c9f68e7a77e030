//! `mdh-replay`: replays the search strategies of the tuner on measured search spaces, where a time is looked up instead
//! of measured.
//!
//! ```text
//! mdh-replay A100.json.gz --strategy learned --seeds 100 ──▶ evaluations to 95 % of the best performance, as a part of
//!     those of random search
//! ```
mod read;
mod run;
mod space;
#[cfg(test)]
mod tests;

use anyhow::{Result, bail, ensure};
use clap::Parser;
use mdh_passes::tune::strategy::{DEFAULT_STRATEGY, STRATEGIES};
use run::Evaluations;
use serde::Serialize;
use std::{io::Write, path::PathBuf};

/// Replays search strategies on measured search spaces: caches of Kernel Tuner, or results in the T4 format, which may be
/// compressed with gzip.
#[derive(Parser)]
#[command(name = "mdh-replay", version)]
struct Options {
    /// The measured spaces
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The strategy
    #[arg(long, default_value = DEFAULT_STRATEGY)]
    strategy: String,
    /// Number of seeds
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// Maximum number of evaluations for each seed
    #[arg(long, default_value_t = 1000)]
    budget: usize,
    /// Required fractions of the best performance, above 0 and at most 1
    #[arg(long, value_delimiter = ',', default_value = "0.95,0.99")]
    fractions: Vec<f64>,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

/// The results of all spaces.
#[derive(Serialize)]
struct Report {
    strategy: String,
    seeds: u64,
    budget: usize,
    spaces: Vec<SpaceReport>,
}

/// The results of a space.
#[derive(Serialize)]
struct SpaceReport {
    file: String,
    points: usize,
    failed: usize,
    parameters: Vec<String>,
    /// The best time, in the unit of the file.
    best: f64,
    evaluations: Vec<Evaluations>,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let report = replay(&options)?;
    let text = match options.json {
        true => serde_json::to_string_pretty(&report)? + "\n",
        false => table(&report),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

/// Replays the strategy on all spaces.
fn replay(options: &Options) -> Result<Report> {
    let name = &options.strategy;
    if !STRATEGIES.iter().any(|kind| kind.name == name) {
        let names: Vec<_> = STRATEGIES.iter().map(|kind| kind.name).collect();
        bail!("no strategy '{name}': there are {}", names.join(", "));
    }
    for fraction in &options.fractions {
        ensure!(*fraction > 0.0 && *fraction <= 1.0, "a fraction must be above 0 and at most 1, is {fraction}");
    }
    let one = |path: &PathBuf| {
        let measured = read::read(path)?;
        let space = space::Space::new(&measured);
        let evaluations = run::replay(&space, name, options.seeds, options.budget, &options.fractions)?;
        Ok(SpaceReport {
            file: path.display().to_string(),
            points: measured.points.len(),
            failed: measured.times.iter().filter(|time| time.is_none()).count(),
            parameters: measured.parameters.into_iter().map(|(name, _)| name).collect(),
            best: measured.times.iter().flatten().copied().fold(f64::INFINITY, f64::min),
            evaluations,
        })
    };
    let spaces = options.files.iter().map(one).collect::<Result<Vec<_>>>()?;
    Ok(Report { strategy: name.clone(), seeds: options.seeds, budget: options.budget, spaces })
}

/// Returns the results as a table.
fn table(report: &Report) -> String {
    let mut text = String::new();
    for space in &report.spaces {
        let head =
            format!("{}: {} points, {} failed, best time {}", space.file, space.points, space.failed, space.best);
        text += &format!("{head}\n");
        for one in &space.evaluations {
            let median = one.median.map_or_else(|| format!("over {}", report.budget), |median| median.to_string());
            let ratio = one.ratio().map_or_else(String::new, |ratio| format!(", {ratio:.3} of it"));
            let (fraction, good, random) = (one.fraction, one.good, one.random);
            text += &format!(
                "    {fraction}: {good} points, random search {random}, {} {median}{ratio}\n",
                report.strategy
            );
        }
    }
    text
}
