//! `mdh run --isolated`: a process without rights compiles and runs the program, and this one reads its results.
//!
//! ```text
//! mdh run --isolated ──▶ mdh run --confined --isolated: confinement, compilation, execution
//!          outputs   ◀── lengths, elements, shapes and bytes of the results, on its standard output
//! ```
use super::{Computed, Run};
use crate::{
    array::{Array, Element},
    commands::{failure, process},
    confinement, jit,
    memory::{Bytes, guarded},
    npy::Output,
};
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};
use std::{
    ffi::OsString,
    io::{Read, Write as _},
    os::unix::process::ExitStatusExt as _,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// Variables of the environment that the process needs to be started, or whose values it checks.
const VARIABLES: [&str; 4] = ["LD_LIBRARY_PATH", "OMP_NUM_THREADS", "PYTHONHOME", "PYTHONPATH"];

/// The largest number of bytes of messages, and of the description of results.
const MESSAGES: u64 = 16 << 20;

/// Signals of crashes with their names.
const SIGNALS: [(i32, &str); 8] = [
    (libc::SIGABRT, "SIGABRT"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGKILL, "SIGKILL"),
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGSYS, "SIGSYS"),
    (libc::SIGTRAP, "SIGTRAP"),
];

/// What the process has computed, without the elements of the outputs.
#[derive(Debug, Serialize, Deserialize)]
struct Description {
    text: String,
    problem: Option<String>,
    /// The element type and the shape of each output.
    outputs: Vec<(String, Vec<usize>)>,
}

impl Run {
    /// Runs the process. `arguments`: the command line from the name of the command on.
    pub(super) fn isolated(&self, arguments: &[OsString]) -> Result<u8> {
        ensure!(
            self.execution.engine.api().is_none(),
            "--isolated requires --engine cpu or reference: the driver of a device requires rights"
        );
        self.check_files()?;
        let outputs = self.output.iter().map(|path| Output::new(path)).collect::<Result<Vec<_>>>()?;
        let mut child = start(arguments)?;
        let (sender, answers) = mpsc::channel();
        let (most, results, messages) = (self.memory(), child.stdout.take(), child.stderr.take());
        thread::spawn(move || sender.send(results.map(|results| received(results, most))));
        let messages = thread::spawn(move || messages.map(text_of).unwrap_or_default());
        let (file, limit) = (self.file.display(), *self.time_limit);
        let Ok(answer) = answers.recv_timeout(limit) else {
            let _ = child.kill();
            let _ = child.wait();
            bail!("'{file}' has not ended after {} (--time-limit)", humantime::format_duration(limit));
        };
        let status = ended(&mut child, limit)?;
        let messages = messages.join().unwrap_or_default();
        if let Some(signal) = status.signal() {
            let name = SIGNALS.iter().find(|(known, _)| *known == signal).map_or("unknown", |(_, name)| name);
            bail!(
                "'{file}' was ended by signal {signal} ({name}): it has crashed, or needs more than {} MiB of memory \
                 (--memory-limit)",
                self.memory() >> 20
            );
        }
        eprint!("{messages}");
        match (status.code(), answer) {
            (Some(0), Some(Ok(computed))) => self.finish(&computed, outputs),
            (None | Some(0), _) => bail!("'{file}' has ended without results"),
            (Some(code), _) if messages.is_empty() => bail!("'{file}' has ended with exit code {code}"),
            (Some(code), _) => Ok(u8::try_from(code).unwrap_or(1)),
        }
    }

    /// The largest number of bytes of memory of the process.
    fn memory(&self) -> u64 {
        let half = || {
            let system = rustix::system::sysinfo();
            u64::from(system.mem_unit).saturating_mul(system.totalram) / 2
        };
        self.memory_limit.map_or_else(half, |mebibytes| mebibytes.saturating_mul(1 << 20))
    }

    /// The process: gives up its rights before it reads the program.
    pub(super) fn confined(&self) -> Result<u8> {
        // The library is loaded from a file.
        jit::openmp()?;
        guarded::enable();
        let files = [Some(&self.file), self.schedules.schedule.as_ref(), self.lowering.machine.as_ref()];
        let files = files.into_iter().flatten();
        let inputs = self.execution.input.iter().map(Path::new);
        let readable: Vec<_> = files.map(|path| path.as_path()).chain(inputs).collect();
        confinement::confine(&readable, self.memory())?;
        send(&self.compute(|| Ok(()))?)
    }
}

/// Starts the process, with the same command line.
fn start(arguments: &[OsString]) -> Result<Child> {
    let own = process::own_program();
    let (command, rest) = arguments.split_first().ok_or_else(|| anyhow!("the command is empty"))?;
    let variables = VARIABLES.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    Command::new(&own[0])
        .args(&own[1..])
        .args([command, &OsString::from("--confined")])
        .args(rest)
        .env_clear()
        .envs(variables)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start a process for --isolated")
}

/// Waits for the end of a process that has answered or closed its output, and kills it if it does not end.
fn ended(child: &mut Child, limit: Duration) -> Result<ExitStatus> {
    const STEP: Duration = Duration::from_millis(2);
    let start = Instant::now();
    while start.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        thread::sleep(STEP);
    }
    let _ = child.kill();
    Ok(child.wait()?)
}

/// Messages as text. A process that writes too many of them is not kept waiting.
fn text_of(messages: impl Read) -> String {
    let mut bytes = vec![];
    let mut messages = messages.take(MESSAGES);
    let _ = messages.read_to_end(&mut bytes);
    let _ = std::io::copy(&mut messages.into_inner(), &mut std::io::sink());
    printable(&String::from_utf8_lossy(&bytes))
}

/// A text without characters that control a terminal.
fn printable(text: &str) -> String {
    let is_printable = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    text.chars().map(|c| if is_printable(c) { c } else { char::REPLACEMENT_CHARACTER }).collect()
}

/// Writes what has been computed to the standard output.
fn send(computed: &Computed) -> Result<u8> {
    let Computed { text, problem, outputs } = computed;
    let described = outputs.iter().map(|array| (array.element.to_string(), array.shape.clone())).collect();
    let description = Description { text: text.clone(), problem: problem.clone(), outputs: described };
    let description = serde_json::to_vec(&description)?;
    let mut pipe = std::io::stdout().lock();
    pipe.write_all(&(description.len() as u64).to_le_bytes())?;
    pipe.write_all(&description)?;
    outputs.iter().try_for_each(|array| pipe.write_all(&array.data))?;
    pipe.flush()?;
    Ok(failure::DONE)
}

/// Reads what a process has computed, which may be anything. `most`: the largest number of bytes of its outputs.
fn received(mut pipe: impl Read, most: u64) -> Result<Computed> {
    let mut length = [0; 8];
    pipe.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    ensure!(length <= MESSAGES, "the description of results has {length} bytes");
    let mut description = vec![];
    pipe.by_ref().take(length).read_to_end(&mut description)?;
    let Description { text, problem, outputs } = serde_json::from_slice(&description)?;
    let mut rest = most;
    let array = |(name, shape): (String, Vec<usize>)| {
        let element = Element::from_name(&name).ok_or_else(|| anyhow!("unknown element type '{name}'"))?;
        let count = shape.iter().try_fold(1usize, |count, size| count.checked_mul(*size));
        let bytes = count.and_then(|count| count.checked_mul(element.bytes())).filter(|bytes| *bytes as u64 <= rest);
        let bytes = bytes.ok_or_else(|| anyhow!("an output of shape {shape:?} is too large"))?;
        rest -= bytes as u64;
        let mut data = Bytes::filled(bytes, 0).ok_or_else(|| anyhow!("no memory for an output"))?;
        pipe.read_exact(&mut data)?;
        Ok(Array { element, shape, data })
    };
    let outputs = outputs.into_iter().map(array).collect::<Result<_>>()?;
    Ok(Computed { text: printable(&text), problem: problem.map(|problem| printable(&problem)), outputs })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(description: &str, data: &[u8]) -> Result<Computed> {
        let length = (description.len() as u64).to_le_bytes();
        received(&[&length, description.as_bytes(), data].concat()[..], 64)
    }

    #[test]
    fn an_answer_is_only_what_it_can_be() {
        let described = |element: &str, shape: &str| {
            format!(r#"{{"text":"a[2J","problem":null,"outputs":[["{element}",{shape}]]}}"#)
        };
        let computed = answer(&described("i16", "[2]"), &[1, 0, 2, 0]).unwrap();
        assert_eq!((computed.outputs[0].get(1), computed.outputs[0].shape.as_slice()), (2, &[2][..]));
        assert!(answer(&described("i16", "[2]"), &[1, 0, 2]).is_err());
        assert!(answer(&described("i16", "[33]"), &[0; 66]).is_err());
        assert!(answer(&described("i16", "[4294967296, 4294967296, 4294967296]"), &[]).is_err());
        assert!(answer(&described("pointer", "[2]"), &[0; 64]).is_err());
        assert!(answer("{}", &[]).is_err());
        assert!(received(&u64::MAX.to_le_bytes()[..], 64).is_err());
        assert!(received(&[][..], 64).is_err());
        assert_eq!(printable("a\u{1b}[2J\n"), "a\u{fffd}[2J\n");
    }
}
