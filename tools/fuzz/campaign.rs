//! Runs many cases: worker processes, their answers, and the failures found.
use crate::fuzz::{
    case::{Case, Engine},
    execute::{self, Failure, Stage},
    shrink,
};
use anyhow::{Context as _, Result, anyhow};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    collections::VecDeque,
    ffi::OsString,
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

/// Time limit of a case.
const PATIENCE: Duration = Duration::from_secs(180);
/// Number of lines of a worker's standard error that are kept for the report of a crash.
const LAST_WORDS: usize = 12;

/// A request to a worker, one per line.
#[derive(Serialize, Deserialize)]
enum Question {
    /// The case of a seed: the seed, the device, and whether its options are drawn.
    Seed(u64, Option<Engine>, bool),
    /// A case as JSON.
    Case(Value),
}

/// Serves requests from the standard input until it ends: the main function of a worker.
pub fn work() -> Result<()> {
    let context = crate::program::context();
    for line in std::io::stdin().lock().lines() {
        let case = match serde_json::from_str(&line?)? {
            Question::Seed(seed, device, varies) => Case::from_seed(seed, device, varies),
            Question::Case(value) => Case::from_value(&value)?,
        };
        let answer: Option<Failure> = execute::run(&context, &case).err();
        println!("{}", serde_json::to_string(&answer)?);
    }
    Ok(())
}

/// Environment variables of worker processes, in addition to inherited ones: the dynamic linker reads some only when a
/// process starts.
pub type Environment = Vec<(&'static str, OsString)>;

/// A worker process. It is replaced if it dies or does not answer.
pub struct Worker {
    program: PathBuf,
    environment: Environment,
    child: Child,
    input: Option<ChildStdin>,
    answers: Receiver<String>,
    last_words: Arc<Mutex<VecDeque<String>>>,
}

impl Worker {
    /// Starts a worker: the program with the command `work`.
    pub fn start(program: &Path, environment: &Environment) -> Result<Self> {
        let mut child = Command::new(program)
            .arg("work")
            // Fills uninitialized memory with a pattern other than 0.
            .env("MALLOC_PERTURB_", "203")
            .env("OMP_WAIT_POLICY", "passive")
            .env("RUST_BACKTRACE", "0")
            .envs(environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start '{}'", program.display()))?;
        let input = child.stdin.take();
        let (sender, answers) = channel();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        let last_words = Arc::new(Mutex::new(VecDeque::new()));
        if let Some(errors) = child.stderr.take() {
            let kept = Arc::clone(&last_words);
            thread::spawn(move || keep_last_words(errors, &kept));
        }
        Ok(Self { program: program.to_owned(), environment: environment.clone(), child, input, answers, last_words })
    }

    /// The failure of a seed's case; `None` if it passes.
    pub fn seed(&mut self, seed: u64, device: Option<Engine>, varies: bool) -> Result<Option<Failure>> {
        self.ask(&Question::Seed(seed, device, varies))
    }

    /// The failure of a case; `None` if it passes.
    pub fn case(&mut self, case: &Case) -> Result<Option<Failure>> {
        self.ask(&Question::Case(case.to_value()?))
    }

    fn ask(&mut self, question: &Question) -> Result<Option<Failure>> {
        let line = serde_json::to_string(question)? + "\n";
        // If the worker is dead already, it will not answer.
        let _ = self.input.as_mut().map(|input| input.write_all(line.as_bytes()).and_then(|()| input.flush()));
        match self.answers.recv_timeout(PATIENCE) {
            Ok(answer) => {
                let failure: Option<Failure> =
                    serde_json::from_str(&answer).with_context(|| format!("the worker answered {answer}"))?;
                // After a kernel has failed, its process can no longer use a CUDA device.
                if failure.is_some() {
                    self.replace()?;
                }
                Ok(failure)
            }
            Err(RecvTimeoutError::Timeout) => {
                self.replace()?;
                Ok(Some(Failure { stage: Stage::Hang, message: format!("no answer in {} s", PATIENCE.as_secs()) }))
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = self.child.wait()?;
                thread::sleep(Duration::from_millis(20));
                let words = self.last_words.lock().map(|words| words.iter().cloned().collect::<Vec<_>>().join("\n"));
                let message = format!("the process ended: {status}\n{}", words.unwrap_or_default());
                self.replace()?;
                Ok(Some(Failure { stage: Stage::Crash, message }))
            }
        }
    }

    fn replace(&mut self) -> Result<()> {
        *self = Self::start(&self.program, &self.environment)?;
        Ok(())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // A closed input ends the worker, but not while it runs a case.
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn keep_last_words(errors: impl Read, kept: &Mutex<VecDeque<String>>) {
    for line in BufReader::new(errors).lines().map_while(Result::ok) {
        if let Ok(mut kept) = kept.lock() {
            kept.push_back(line);
            if kept.len() > LAST_WORDS {
                kept.pop_front();
            }
        }
    }
}

/// The parameters of a campaign.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The executable of workers: `mdh-fuzz`.
    pub worker: PathBuf,
    /// The first seed; the others are consecutive.
    pub seed: u64,
    /// The number of cases.
    pub count: u64,
    /// The number of parallel workers.
    pub jobs: usize,
    /// The folder that failing cases are written to.
    pub failures: PathBuf,
    /// The campaign stops after this many failures.
    pub enough: usize,
    /// True if failing cases are shrunk before they are written.
    pub shrink: bool,
    /// The device that cases run on; `None` for the processor.
    pub device: Option<Engine>,
    /// Environment variables with which workers find the device.
    pub environment: Environment,
    /// True if options are drawn; otherwise all cases have the default ones.
    pub varies: bool,
}

/// A failing case that has been written.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Its seed.
    pub seed: u64,
    /// Its folder.
    pub folder: PathBuf,
    /// The failure.
    pub failure: Failure,
}

impl Campaign {
    /// Runs the cases. `progress` is called with the number of completed cases, and with each failure.
    pub fn run(&self, progress: &(dyn Fn(u64, Option<&Finding>) + Sync)) -> Result<Vec<Finding>> {
        let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
        let findings = Mutex::new(vec![]);
        let found = || findings.lock().map_or(0, |findings: std::sync::MutexGuard<'_, Vec<Finding>>| findings.len());
        let job = || -> Result<()> {
            let mut worker = Worker::start(&self.worker, &self.environment)?;
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= self.count || found() >= self.enough {
                    return Ok(());
                }
                let seed = self.seed.wrapping_add(number);
                let finding = match worker.seed(seed, self.device, self.varies)? {
                    Some(failure) => Some(self.keep(&mut worker, seed, failure)?),
                    None => None,
                };
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, finding.as_ref());
                if let (Some(finding), Ok(mut findings)) = (finding, findings.lock()) {
                    findings.push(finding);
                }
            }
        };
        thread::scope(|scope| {
            let jobs: Vec<_> = (0..self.jobs.max(1)).map(|_| scope.spawn(job)).collect();
            jobs.into_iter().try_for_each(|job| job.join().map_err(|_| anyhow!("a job has panicked"))?)
        })?;
        findings.into_inner().map_err(|_| anyhow!("a job has panicked"))
    }

    fn keep(&self, worker: &mut Worker, seed: u64, failure: Failure) -> Result<Finding> {
        let case = Case::from_seed(seed, self.device, self.varies);
        let (case, failure) = if self.shrink { shrink::shrink(worker, case, failure)? } else { (case, failure) };
        let folder = self.failures.join(seed.to_string());
        write(&folder, seed, &case, &failure)?;
        Ok(Finding { seed, folder, failure })
    }
}

/// Writes a case with everything that is needed to reproduce it.
fn write(folder: &Path, seed: u64, case: &Case, failure: &Failure) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create '{}'", folder.display()))?;
    let file = |name: &str, text: &str| {
        fs::write(folder.join(name), text).with_context(|| format!("cannot write '{}'", folder.join(name).display()))
    };
    let place = folder.display();
    let mut command = format!("mdh run {place}/program.mlir");
    for (i, (array, parameter)) in case.program.data()?.iter().zip(case.program.parameters()).enumerate() {
        if matches!(parameter, crate::fuzz::text::Argument::Extent(_)) {
            command += &format!(" --input {}", array.get(0));
            continue;
        }
        crate::npy::write(&folder.join(format!("{i}.npy")), array)?;
        command += &format!(" --input {place}/{i}.npy");
    }
    if let Some(schedule) = case.schedule_text() {
        file("schedule.json", &schedule)?;
        command += &format!(" --schedule {place}/schedule.json");
    }
    let engine = match case.device {
        Some(device) => format!("--engine {}", device.0.name),
        None => format!("--threads {}", case.threads),
    };
    command += &format!(" {engine} --check");
    if case.options.strict {
        command += " --strict";
    }
    let processor = case.options.processor.as_ref();
    let processor = processor
        .map(|(cpu, features)| format!("// Code for this processor is run by mdh-fuzz only: {cpu} {features}\n"));
    let lines: String = failure.message.lines().map(|line| format!("//   {line}\n")).collect();
    let head = format!(
        "// The case of seed {seed}, shrunk, fails in {:?}:\n{lines}// To run it again:\n//   mdh-fuzz run {place}\n//   {command}\n{}",
        failure.stage,
        processor.unwrap_or_default()
    );
    file("program.mlir", &(head + &case.program.text()))?;
    file("case.json", &serde_json::to_string(&case.to_value()?)?)
}

/// Reads a written case.
pub fn read(folder: &Path) -> Result<Case> {
    let path = folder.join("case.json");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read '{}'", path.display()))?;
    Case::from_value(&serde_json::from_str(&text)?)
}
