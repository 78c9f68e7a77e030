//! `mdh tune`: measures schedules of a function, and records the best ones.
mod database;
mod function;
mod options;
mod outcome;
mod scripts;
mod worker;

use super::failure;
use crate::{program, signature, tuning::record};
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use database::LateDatabase;
use function::Tuner;
use mdh_dialects::ir;
use mdh_execution::failure::os_message;
use options::INTERRUPTED;
use outcome::TuningOutcome;
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
use serde_json::Value;
use std::{ffi::OsString, fs, path::Path, sync::atomic::Ordering};

pub use options::Tune;
pub use worker::TuneWorker;

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
            |error: &std::io::Error| anyhow!("cannot read the directory '{}': {}", folder.display(), os_message(error));
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
    let module = program::read(&context, file, &[])?;
    let functions = signature::public_functions(ir::op(module.as_operation()));
    Ok(functions.into_iter().filter_map(|function| Some(signature::of(function).ok()?.name)).collect())
}
