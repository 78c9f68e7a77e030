//! Options that several commands have, each declared once.
use super::engine::Engine;
use crate::{
    jit, report,
    session::text,
    target::host::{Processor, ProcessorNames, ProcessorOptions},
    tuning::record,
};
use anyhow::{Result, ensure};
use clap::{Arg, Args, builder::RangedU64ValueParser};
use mdh_passes::{
    notation::partial::Change,
    pipeline::{Options, Raising},
    schedule::tuning::MAX_THREADS,
    target::Target,
};
use melior::ir::Module;
use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

/// How a program is lowered, and the machine that default schedules are made for.
#[derive(Args, Clone, Debug)]
pub struct LoweringOptions {
    /// The system (abstract system model) that default schedules are made for
    #[arg(long, value_name = "NAME")]
    pub system: Option<String>,
    /// A machine description (JSON) for default schedules; defaults to the program's, else to this machine's
    #[arg(long, value_name = "FILE")]
    pub machine: Option<PathBuf>,
    /// Number of threads that default schedules are made for; defaults to the cores of the machine
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=MAX_THREADS as u64))]
    pub threads: Option<usize>,
    /// Raise linalg to views and homomorphisms: true, false (it is lowered to plain loops), or required (it is an error
    /// if an operation cannot be raised)
    #[arg(long, value_name = "WHEN", default_value = "true", value_parser = Raising::named)]
    pub raise: Raising,
    /// Evaluate floats in the order of the definition: default schedules preserve the order of reductions, and no
    /// multiplication is contracted with an addition
    #[arg(long)]
    pub strict: bool,
}

impl LoweringOptions {
    /// The options of passes for a target, with a schedule file or default schedules.
    pub fn passes(&self, target: &'static Target, schedule: Option<&Path>) -> Result<Options> {
        Ok(Options {
            target,
            system: self.system.clone(),
            schedule: text("schedule", schedule)?,
            threads: self.threads,
            raise: self.raise,
            strict: self.strict,
            ..Options::default()
        })
    }

    /// The number of threads that run a function: by default all of this machine.
    pub fn running_threads(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(jit::MAX_THREADS);
        self.threads.unwrap_or_else(all)
    }
}

/// `--threads` of a command that runs a function, where it is also the number of threads that run it.
pub fn running_threads(option: Arg, help: &'static str) -> Arg {
    option.help(help).value_parser(RangedU64ValueParser::<usize>::new().range(1..=jit::MAX_THREADS as u64))
}

/// The help of `--set`.
const SET: &str = "Override an entry of the schedule, such as parts[5][1]=12, with indices from 0 as in the file; \
    schedules.FUNCTION[NUMBER].parts… if there are several computations";

/// The schedules of a program.
#[derive(Args, Clone, Debug)]
pub struct ScheduleOptions {
    /// A schedule file (JSON) for the computations of the program; defaults to default schedules
    #[arg(long, value_name = "FILE")]
    pub schedule: Option<PathBuf>,
    #[arg(long, value_name = "PATH=VALUE", value_parser = Change::checked, help = SET)]
    pub set: Vec<String>,
    #[arg(long, value_name = "FILE", help = record::HELP)]
    pub database: Option<PathBuf>,
}

impl ScheduleOptions {
    /// The options of passes for a target, with these schedules.
    pub fn passes(&self, lowering: &LoweringOptions, target: &'static Target) -> Result<Options> {
        Ok(Options {
            set: self.set.clone(),
            database: record::option(self.database.as_deref())?,
            ..lowering.passes(target, self.schedule.as_deref())?
        })
    }
}

/// What runs a function, and on what.
#[derive(Args, Clone, Debug)]
pub struct ExecutionOptions {
    /// The public function; may be omitted if there is only one
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// An argument: an .npy file or a number; one option for each argument
    #[arg(long, value_name = "FILE|NUMBER", allow_hyphen_values = true)]
    pub input: Vec<String>,
    /// The engine that runs the function
    #[arg(long, value_enum, default_value_t)]
    pub engine: Engine,
    /// The device of the engine: its index in 'mdh devices' or a part of its name; defaults to the environment variable
    /// MDH_DEVICE, else to the first GPU, else to the first device
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
}

impl ExecutionOptions {
    /// Checks that the engine has devices if one is named.
    pub fn check_device(&self) -> Result<()> {
        self.engine.check_device(self.device.as_deref())
    }

    /// Selects the device of the engine's kernels, if it has any. The error is a missing device.
    pub fn select(&self) -> Result<()> {
        self.engine.select(self.device.as_deref())
    }
}

/// The help of the file of a program.
pub const PROGRAM: &str =
    "The program: MLIR, C (.c, .cc, .cpp) or LLVM IR (.ll, .bc); - is MLIR from the standard input";

/// Options of clang, which reads C programs.
#[derive(Args, Clone, Debug, Default)]
pub struct ClangOptions {
    /// Options of clang for a C program, such as -- -O3 -DN=100
    #[arg(last = true, value_name = "CLANG_OPTION")]
    pub flags: Vec<String>,
}

/// The report of raising.
#[derive(Args, Clone, Debug)]
pub struct ReportOptions {
    /// Write what is raised, and what stays for which reason, to this file (JSON), before the program is compiled
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

impl ReportOptions {
    /// Checks that programs are raised if a report is requested.
    pub fn check(&self, raising: Raising) -> Result<()> {
        let is_possible = self.report.is_none() || raising != Raising::Off;
        ensure!(is_possible, "--report requires --raise true or required, but got {}", raising.name());
        Ok(())
    }

    /// Writes the report of a program, if one is requested: of the functions that are compiled, and those that they refer
    /// to.
    pub fn write(&self, module: &Module<'_>) -> Result<()> {
        self.report.as_deref().map_or(Ok(()), |path| report::write(path, module))
    }
}

impl ProcessorNames {
    /// The processor, if an option names it or its features.
    pub fn given(&self) -> Result<Option<Processor>> {
        let options = ProcessorOptions { names: self.clone(), ..ProcessorOptions::default() };
        self.is_given().then(|| Processor::new(&options)).transpose()
    }
}
