//! The process of a candidate: compiles a function with a schedule, and runs it when the tuner says so.
use super::protocol::{Event, WorkerCommand};
use crate::{
    array::Array,
    jit::{Argument, Compiled},
    memory, npy,
};
use anyhow::{Context as _, Result, anyhow};
use std::{
    io::{BufRead, Write, stdin, stdout},
    path::{Path, PathBuf},
    process,
    sync::{Arc, mpsc},
    thread,
};

/// Runs a candidate: `compile` compiles it; `written` are the memref arguments that it writes; `folder` is where its
/// outputs are written. Returns when the tuner closes the standard input.
pub fn run(
    compile: impl FnOnce() -> Result<Arc<Compiled>>,
    arguments: &[Array],
    written: &[usize],
    folder: &Path,
) -> Result<()> {
    // Read at once: without the tuner, the process ends, whatever it is doing.
    let (sender, commands) = mpsc::channel();
    thread::spawn(move || {
        for line in stdin().lock().lines() {
            let command = line.ok().and_then(|line| serde_json::from_str::<WorkerCommand>(&line).ok());
            if command.is_none_or(|command| sender.send(command).is_err()) {
                break;
            }
        }
        process::exit(0);
    });
    let outcome = compile().and_then(|compiled| {
        report(&Event::Compiled)?;
        serve(&compiled, &commands, arguments, written, folder)
    });
    match outcome {
        Ok(()) => Ok(()),
        Err(error) => report(&Event::Failed { reason: crate::program::causes(&error) }),
    }
}

fn report(event: &Event) -> Result<()> {
    let mut output = stdout().lock();
    writeln!(output, "{}", serde_json::to_string(event)?)?;
    output.flush().context("cannot report to the tuner")
}

fn serve(
    compiled: &Compiled,
    commands: &mpsc::Receiver<WorkerCommand>,
    arguments: &[Array],
    written: &[usize],
    folder: &Path,
) -> Result<()> {
    memory::keep();
    let is_written = compiled.signature().arguments.iter().any(|argument| argument.in_place);
    let copies = || arguments.iter().cloned().map(Argument::Array).collect::<Vec<_>>();
    let mut own = copies();
    for command in commands {
        let count = match command {
            WorkerCommand::First => 1,
            // The first run after a pause finds cold caches and sleeping threads.
            WorkerCommand::Measure { count } => count + 1,
        };
        let (mut seconds, mut results) = (vec![], vec![]);
        for _ in 0..count {
            if is_written {
                own = copies();
            }
            // Each run writes the memory of the one before it; new memory would be slow.
            results.clear();
            let (outputs, time) = compiled.measure(&mut own)?;
            seconds.push(compiled.kernel_seconds().unwrap_or(time.as_secs_f64()));
            results = outputs;
        }
        report(&match command {
            WorkerCommand::Measure { .. } => Event::Measured { seconds: seconds.split_off(1) },
            WorkerCommand::First => {
                results.extend(written.iter().filter_map(|i| match &own[*i] {
                    Argument::Array(array) => Some(array.clone()),
                    Argument::Index(_) => None,
                }));
                Event::Ran { seconds: seconds[0], outputs: write(&results, folder)? }
            }
        })?;
    }
    Ok(())
}

/// Writes outputs to files.
fn write(outputs: &[Array], folder: &Path) -> Result<Vec<PathBuf>> {
    let write = |(i, array): (usize, &Array)| {
        let path = folder.join(format!("output-{}.npy", i + 1));
        npy::write(&path, array).map_err(|error| anyhow!("cannot write output {}: {error}", i + 1))?;
        Ok(path)
    };
    outputs.iter().enumerate().map(write).collect()
}
