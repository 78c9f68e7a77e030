//! The program that a tuner and its processes run, as options of the command line.
use crate::{
    commands::engine::Engine,
    jit,
    session::{self, Session},
};
use anyhow::{Result, ensure};
use clap::{Args, builder::RangedU64ValueParser};
use mdh_passes::pipeline::{Options, Raising};
use std::{
    ffi::OsString,
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

/// The options that decide what is run, and on what.
#[derive(Args, Clone, Debug)]
pub struct Program {
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
    /// Number of threads, at most 1024; defaults to the cores of this machine
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=jit::MAX_THREADS as u64))]
    pub threads: Option<usize>,
    /// The system (abstract system model) of the schedules
    #[arg(long, value_name = "NAME")]
    pub system: Option<String>,
    /// A machine description (JSON) for default schedules; defaults to the program's, else to this machine's
    #[arg(long, value_name = "FILE")]
    pub machine: Option<PathBuf>,
    /// Raise linalg to views and homomorphisms: true, false (it is lowered to plain loops), or required (it is an error
    /// if an operation cannot be raised)
    #[arg(long, value_name = "WHEN", default_value = "true", value_parser = Raising::named)]
    pub raise: Raising,
    /// Evaluate floats in the order of the definition: schedules preserve the order of reductions, and no
    /// multiplication is contracted with an addition
    #[arg(long)]
    pub strict: bool,
}

impl Program {
    /// Selects the device of the engine. Errors: there is none, or the engine has no devices.
    pub fn select(&self) -> Result<()> {
        ensure!(self.engine != Engine::Reference, "a tuner requires another engine than reference");
        self.engine.check_device(self.device.as_deref())?;
        self.engine.select(self.device.as_deref())
    }

    /// The number of threads that run the function.
    pub fn threads(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(jit::MAX_THREADS);
        self.threads.unwrap_or_else(all)
    }

    /// The options of the compilation with a schedule file, or with default schedules.
    pub fn options(&self, schedule: Option<&Path>) -> Result<Options> {
        Ok(Options {
            target: self.engine.target(),
            system: self.system.clone(),
            schedule: session::text("schedule", schedule)?,
            threads: self.threads,
            raise: self.raise,
            strict: self.strict,
            has_runtime_checks: true,
            ..Options::default()
        })
    }

    /// A session that compiles with a schedule file.
    pub fn session(&self, schedule: &Path) -> Result<Session> {
        Ok(Session::new(self.options(Some(schedule))?, self.machine.clone(), None))
    }

    /// The options as arguments of a command line, for a function with inputs in these files.
    pub fn arguments(&self, function: &str, inputs: &[PathBuf]) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec!["--function".into(), function.into()];
        let mut add = |option: &str, value: OsString| arguments.extend([option.into(), value]);
        for input in inputs {
            add("--input", input.into());
        }
        add("--engine", self.engine.name().into());
        if let Some(device) = &self.device {
            add("--device", device.into());
        }
        if let Some(threads) = self.threads {
            add("--threads", threads.to_string().into());
        }
        if let Some(system) = &self.system {
            add("--system", system.into());
        }
        if let Some(machine) = &self.machine {
            add("--machine", machine.into());
        }
        add("--raise", self.raise.name().into());
        if self.strict {
            arguments.push("--strict".into());
        }
        arguments
    }
}
