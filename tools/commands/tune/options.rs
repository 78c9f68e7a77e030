//! The options of `mdh tune`, which its processes have, too.
use crate::{
    commands::{
        engine::Engine,
        options::{ClangOptions, ExecutionOptions, LoweringOptions, PROGRAM, running_threads},
    },
    tuning::budget::Budget,
};
use anyhow::{Result, ensure};
use clap::{Args, builder::RangedU64ValueParser};
use mdh_passes::{
    pipeline::Options,
    tune::strategy::{DEFAULT_STRATEGY, STRATEGIES},
};
use std::{
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

/// Set by an interrupt.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

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
    #[arg(help = PROGRAM, required_unless_present = "all", conflicts_with = "all")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub execution: ExecutionOptions,
    #[command(flatten)]
    pub lowering: LoweringOptions,
    /// Tune every public function of every .mlir file of a directory; each has the whole budget
    #[arg(long, value_name = "DIR", conflicts_with_all = ["function", "input", "output", "report"])]
    pub all: Option<PathBuf>,
    /// The budget: a number of evaluations, or a time such as 90s, 10m or 2h
    #[arg(long, value_name = "TIME|N", default_value = "10m", value_parser = Budget::parse)]
    pub budget: Budget,
    /// The database (SQLite) that results are recorded in; created if missing; defaults to the environment variable
    /// MDH_DATABASE
    #[arg(long, value_name = "FILE")]
    pub database: Option<PathBuf>,
    /// The file (JSON) that the best schedules are written to, for --schedule
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How candidates are chosen
    #[arg(long, value_name = "NAME", default_value = DEFAULT_STRATEGY, value_parser = strategies())]
    pub strategy: String,
    /// The seed of random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Number of candidates that are compiled at the same time; defaults to the cores of this machine
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=64))]
    pub ahead: Option<usize>,
    /// Write a page about the session to this file (HTML): times, predictions, and the best schedule
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// The process that started this one, and with which it ends
    #[arg(long, value_name = "PID", hide = true)]
    pub parent: Option<i32>,
    #[command(flatten)]
    pub clang: ClangOptions,
}

/// The names of the strategies, with their descriptions.
fn strategies() -> clap::builder::PossibleValuesParser {
    let value = |kind: &mdh_passes::tune::strategy::StrategyKind| {
        clap::builder::PossibleValue::new(kind.name).help(kind.description)
    };
    STRATEGIES.iter().map(value).collect::<Vec<_>>().into()
}

impl Tune {
    /// Selects the device of the engine. Errors: there is none, or the engine has no devices.
    pub fn select(&self) -> Result<()> {
        ensure!(self.execution.engine != Engine::Reference, "a tuner requires another engine than reference");
        self.execution.check_device()?;
        self.execution.select()
    }

    /// The options of the compilation with a schedule file, or with default schedules.
    pub fn passes(&self, schedule: Option<&Path>) -> Result<Options> {
        let options = self.lowering.passes(self.execution.engine.target(), schedule)?;
        Ok(Options { has_runtime_checks: true, ..options })
    }
}
