//! `mdh tune`: measures schedules of a function, and records the best ones.
mod function;
mod outcome;
mod scripts;
pub mod worker;

use super::{
    engine::Engine,
    failure,
    options::{ExecutionOptions, LoweringOptions, running_threads},
};
use crate::{
    program, signature,
    tuning::{budget::Budget, record},
};
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use clap::{Args, builder::RangedU64ValueParser};
use function::Tuner;
use mdh_database::Database;
use mdh_dialects::ir;
use mdh_execution::failure::plain;
use mdh_passes::{
    pipeline::Options,
    tune::strategy::{DEFAULT_STRATEGY, STRATEGIES},
};
use outcome::TuningOutcome;
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
use serde_json::Value;
use std::{
    cell::OnceCell,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

pub use worker::TuneWorker;

const AFTER_HELP: &str = "\
Each candidate is compiled in a process of its own, ahead of its measurement; compilation pauses while something is measured. Its \
results are compared with those of the reference evaluator before it is timed, and it is timed in turns with the best schedule so far, so \
that drift of the machine affects both. Candidates that are refused, wrong, slow, or crash are recorded with the reason. In the end the \
best schedule is compared with the default one once more.

The budget counts from the first measurement: the reference evaluator comes before. Ctrl-C ends the session, and keeps everything that was \
measured. A session waits until those of other processes on this machine have ended.

Without --input, arrays of static sizes have random elements: floats from 0 to 1, integers from 0 to 15.

mdh run, mdh compile and mdh explain use the best schedule of a database with --database, or with the environment variable MDH_DATABASE. \
A size that was not tuned starts from the nearest sizes that were. A session with a database continues earlier ones: nothing is measured \
twice.

Examples:
  mdh tune examples/matmul.mlir --function matmul_1024 --budget 10m --database tuned.db
  mdh tune examples/matmul.mlir --function matmul_64 --budget 50 --output best.json
  mdh tune --all examples --budget 1m --database tuned.db
  mdh run examples/matmul.mlir --function matmul_1024 --input A.npy --input B.npy --repeat 10 \\
      --database tuned.db";

/// The help of `--threads`.
const THREADS: &str = "Number of threads, at most 1024; defaults to the cores of this machine";
/// The help of `--system`.
const SYSTEM: &str = "The system (abstract system model) of the schedules";
/// The help of `--strict`.
const STRICT: &str = "Evaluate floats in the order of the definition: schedules preserve the order of reductions, and no \
    multiplication is contracted with an addition";

/// Measure schedules of a function, and record them in a database
#[derive(Args, Clone, Debug)]
#[command(
    after_help = AFTER_HELP,
    mut_arg("threads", |option| running_threads(option, THREADS)),
    mut_arg("system", |option| option.help(SYSTEM)),
    mut_arg("strict", |option| option.help(STRICT))
)]
pub struct Tune {
    /// The program, in MLIR; - is the standard input
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    file: Option<PathBuf>,
    #[command(flatten)]
    execution: ExecutionOptions,
    #[command(flatten)]
    lowering: LoweringOptions,
    /// Tune every public function of every .mlir file of a directory; each has the whole budget
    #[arg(long, value_name = "DIR", conflicts_with_all = ["function", "input", "output", "report"])]
    all: Option<PathBuf>,
    /// The budget: a number of evaluations, or a time such as 90s, 10m or 2h
    #[arg(long, value_name = "TIME|N", default_value = "10m", value_parser = Budget::parse)]
    budget: Budget,
    /// The database (SQLite) that results are recorded in; created if missing; defaults to the environment variable
    /// MDH_DATABASE
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
    /// The file (JSON) that the best schedules are written to, for --schedule
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How candidates are chosen
    #[arg(long, value_name = "NAME", default_value = DEFAULT_STRATEGY, value_parser = strategies())]
    strategy: String,
    /// The seed of random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of candidates that are compiled at the same time; defaults to the cores of this machine
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=64))]
    ahead: Option<usize>,
    /// Write a page about the session to this file (HTML): times, predictions, and the best schedule
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// The process that started this one, and with which it ends
    #[arg(long, value_name = "PID", hide = true)]
    parent: Option<i32>,
}

/// The names of the strategies, with their descriptions.
fn strategies() -> clap::builder::PossibleValuesParser {
    let value = |kind: &mdh_passes::tune::strategy::StrategyKind| {
        clap::builder::PossibleValue::new(kind.name).help(kind.description)
    };
    STRATEGIES.iter().map(value).collect::<Vec<_>>().into()
}

/// The database that a command records to. A new one is created only when there is something to measure, so that no error
/// of the program leaves an empty file.
struct LateDatabase {
    path: PathBuf,
    opened: OnceCell<Database>,
}

impl LateDatabase {
    /// Opens the database if it exists.
    fn new(path: impl AsRef<Path>) -> Result<Self> {
        let late = Self { path: path.as_ref().to_owned(), opened: OnceCell::new() };
        if late.path.exists() {
            late.open()?;
        }
        Ok(late)
    }

    /// Opens the database, or creates it.
    fn open(&self) -> Result<&Database> {
        if let Some(database) = self.opened.get() {
            return Ok(database);
        }
        let database = Database::open(&self.path)?;
        Ok(self.opened.get_or_init(|| database))
    }
}

/// Set by an interrupt.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

impl Tune {
    /// Runs the command. `arguments`: the command line after the name of the command.
    pub fn run(&self, arguments: &[OsString]) -> Result<u8> {
        if let Some(parent) = self.parent {
            end_with(parent)?;
        }
        let database = record::named(self.database.as_deref());
        ensure!(
            database.is_some() || self.output.is_some(),
            "requires --database FILE, the environment variable {}, or --output FILE: nothing would be recorded",
            record::VARIABLE
        );
        self.select()?;
        let database = database.map(LateDatabase::new).transpose()?;
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.lowering.running_threads())
            .build_global()
            .context("cannot start threads")?;
        // In a process that has a handler already, its owner decides what an interrupt does.
        let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
        match (&self.file, &self.all) {
            (Some(file), _) => {
                let tuner = Tuner::new(self, arguments, file, database.as_ref())?;
                let outcome = tuner.run(self.execution.function.as_deref())?;
                self.finish(&outcome)?;
                let text = if self.json { format!("{:#}\n", outcome.json()) } else { outcome.to_string() };
                failure::print(&text)?;
            }
            (None, Some(folder)) => self.all(arguments, folder, database.as_ref())?,
            (None, None) => bail!("requires a program"),
        }
        Ok(failure::DONE)
    }

    /// Selects the device of the engine. Errors: there is none, or the engine has no devices.
    fn select(&self) -> Result<()> {
        ensure!(self.execution.engine != Engine::Reference, "a tuner requires another engine than reference");
        self.execution.check_device()?;
        self.execution.select()
    }

    /// The options of the compilation with a schedule file, or with default schedules.
    fn passes(&self, schedule: Option<&Path>) -> Result<Options> {
        let options = self.lowering.passes(self.execution.engine.target(), schedule)?;
        Ok(Options { has_runtime_checks: true, ..options })
    }

    /// Writes the files about a session.
    fn finish(&self, outcome: &TuningOutcome) -> Result<()> {
        if let Some(output) = &self.output {
            crate::object::write(output, outcome.schedule_file().as_bytes())?;
        }
        if let Some(report) = &self.report {
            crate::object::write(report, outcome.page().as_bytes())?;
        }
        Ok(())
    }

    /// Tunes all functions of a directory. What cannot be tuned is a warning.
    fn all(&self, arguments: &[OsString], folder: &Path, database: Option<&LateDatabase>) -> Result<()> {
        let wrong =
            |error: &std::io::Error| anyhow!("cannot read the directory '{}': {}", folder.display(), plain(error));
        let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(|e| wrong(&e))?;
        let mut files: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "mlir"));
        files.sort();
        ensure!(!files.is_empty(), "the directory '{}' has no .mlir file", folder.display());
        let (mut outcomes, mut count) = (vec![], 0);
        for file in &files {
            let functions = functions(file);
            let functions = match functions {
                Ok(functions) => functions,
                Err(error) => {
                    eprintln!("warning: '{}': {}", file.display(), program::causes(&error));
                    continue;
                }
            };
            for function in functions {
                if INTERRUPTED.load(Ordering::Relaxed) {
                    break;
                }
                count += 1;
                let tuner = Tuner::new(self, arguments, file, database);
                match tuner.and_then(|tuner| tuner.run(Some(&function))) {
                    Ok(outcome) if self.json => outcomes.push(outcome.json()),
                    Ok(outcome) => failure::print(&outcome.to_string())?,
                    Err(error) => {
                        eprintln!("warning: '{}' of '{}': {}", function, file.display(), program::causes(&error));
                    }
                }
            }
        }
        ensure!(count > 0, "the directory '{}' has no function that can be tuned", folder.display());
        if self.json {
            failure::print(&format!("{:#}\n", Value::from(outcomes)))?;
        }
        Ok(())
    }
}

/// Makes this process end with its parent, however that ends.
fn end_with(parent: i32) -> Result<()> {
    set_parent_process_death_signal(Some(Signal::TERM)).context("cannot follow the process that started the tuner")?;
    // It may have ended before.
    ensure!(
        getppid().map(Pid::as_raw_nonzero).is_some_and(|found| found.get() == parent),
        "the process {parent}, which started the tuner, has ended"
    );
    Ok(())
}

/// The names of the public functions of a program.
fn functions(file: &Path) -> Result<Vec<String>> {
    let context = program::context();
    let module = program::read(&context, file)?;
    let functions = signature::public_functions(ir::op(module.as_operation()));
    Ok(functions.into_iter().filter_map(|function| Some(signature::of(function).ok()?.name)).collect())
}
