//! A tuning session: the schedules of one function are proposed, compiled, compared, measured and recorded, until a
//! budget is used up.
mod compile;
mod confirm;
mod evaluate;
mod progress;
#[cfg(test)]
mod tests;

use self::compile::Candidate;
use super::{
    budget::Budget,
    evaluation::{Evaluation, observed},
    process::{Ended, Process},
    protocol::Event,
};
use anyhow::{Result, bail};
use mdh_database::{Cause, Database, Key, Outcome};
use mdh_dialects::schedule::model::Schedule;
use mdh_passes::{
    schedule::tuned,
    tune::{
        program::{ProgramPoint, ProgramSpace},
        strategy::SearchStrategy,
    },
};
use std::{
    collections::{HashMap, VecDeque},
    ffi::OsString,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
    thread,
    time::{Duration, Instant, SystemTime},
};

/// Interval of checks for compiled candidates.
const TICK: Duration = Duration::from_millis(2);

/// What a session runs, and how.
pub struct TuningSetup<'a> {
    /// The command of the process of a candidate, from the file of its schedules and the folder of its outputs.
    pub command: &'a dyn Fn(&Path, &Path) -> Vec<OsString>,
    /// Compares the output files of a run with the reference; returns a sentence if they differ.
    pub check: &'a dyn Fn(&[PathBuf]) -> Result<Option<String>>,
    /// The text of the file with the schedules of the function.
    pub file: &'a dyn Fn(&[Schedule]) -> String,
    /// The budget.
    pub budget: Budget,
    /// Maximum number of candidates that are compiled ahead.
    pub ahead: usize,
    /// Minimum time limit of runs: whatever the best schedule takes, a candidate is not stopped earlier.
    pub patience: Duration,
    /// Set if the session is to end.
    pub interrupted: &'a AtomicBool,
    /// Called after each evaluation.
    pub progress: &'a dyn Fn(&State<'_>),
}

/// The state of a session, for progress.
pub struct State<'a> {
    /// The evaluations so far.
    pub evaluations: &'a [Evaluation],
    /// The time of the default schedules in seconds.
    pub default: f64,
    /// The best ratio to the default schedules.
    pub best: f64,
    /// The time of the first measurement.
    pub start: Instant,
}

/// Where results are recorded.
pub struct Record<'a> {
    /// The database.
    pub database: &'a Database,
    /// The key of the function.
    pub key: &'a Key,
    /// The name of the function, for people.
    pub function: &'a str,
}

/// A running schedule.
struct Running {
    process: Process,
    schedules: Vec<Schedule>,
    /// The ratio to the default schedules.
    ratio: f64,
    /// Time of a run in seconds.
    seconds: f64,
}

/// The result of a session.
pub struct Tuned {
    /// All evaluations, in order; the first one is the default.
    pub evaluations: Vec<Evaluation>,
    /// The best schedules.
    pub best: Vec<Schedule>,
    /// Their time divided by that of the default schedules.
    pub ratio: f64,
    /// The best ratio of the search and that of the last comparison, if this one did not confirm that a schedule is
    /// faster than the default ones.
    pub unconfirmed: Option<(f64, f64)>,
    /// The time of the default schedules in seconds.
    pub default: f64,
    /// When the first measurement began.
    pub started: SystemTime,
    /// Time of the session in seconds.
    pub elapsed: f64,
    /// True if the session was interrupted.
    pub is_interrupted: bool,
    /// Number of schedules that were measured in earlier sessions.
    pub known: usize,
    /// True if the strategy proposed nothing more.
    pub is_exhausted: bool,
}

/// A session.
pub struct TuningSession<'a> {
    setup: TuningSetup<'a>,
    space: &'a ProgramSpace,
    strategy: Box<dyn SearchStrategy<ProgramPoint> + 'a>,
    name: String,
    record: Option<Record<'a>>,
    folder: &'a Path,
    /// Schedules to measure before the strategy is asked, and where they are from.
    queue: VecDeque<(ProgramPoint, String)>,
    /// The outcomes of schedules by their text.
    known: HashMap<String, Outcome>,
    /// The points and outcomes that earlier sessions recorded.
    earlier: Vec<(ProgramPoint, Outcome)>,
    pending: Vec<Candidate>,
    /// Time limit of the compilation of a candidate.
    compile_limit: Duration,
    /// Time of the first run of the default schedules in seconds: it touches new memory and starts threads.
    default_first: f64,
    evaluations: Vec<Evaluation>,
    default: Option<Running>,
    best: Option<Running>,
    unconfirmed: Option<(f64, f64)>,
    start: Instant,
    /// The start by the clock of the system, which may be set while the session runs.
    start_of_clock: SystemTime,
    /// Number of candidates that were started, which names their folders.
    started: usize,
    is_exhausted: bool,
}

impl<'a> TuningSession<'a> {
    /// Returns a session that has not started. `folder`: an empty folder for its files. `name`: the name of the strategy.
    pub fn new(
        setup: TuningSetup<'a>,
        space: &'a ProgramSpace,
        (name, strategy): (&str, Box<dyn SearchStrategy<ProgramPoint> + 'a>),
        record: Option<Record<'a>>,
        folder: &'a Path,
    ) -> Self {
        Self {
            setup,
            space,
            strategy,
            name: name.to_owned(),
            record,
            folder,
            queue: VecDeque::new(),
            known: HashMap::new(),
            earlier: vec![],
            pending: vec![],
            compile_limit: compile::LIMIT,
            default_first: 0.0,
            evaluations: vec![],
            default: None,
            best: None,
            unconfirmed: None,
            start: Instant::now(),
            start_of_clock: SystemTime::now(),
            started: 0,
            is_exhausted: false,
        }
    }

    /// Adds schedules that are measured first, also if they are known. `from`: where they are from.
    pub fn first(&mut self, point: ProgramPoint, from: &str) {
        self.queue.push_back((point, from.to_owned()));
    }

    /// Adds a schedule that was measured in an earlier session: it is not measured again.
    pub fn known(&mut self, point: ProgramPoint, schedules: &[Schedule], outcome: Outcome) {
        self.known.insert(tuned::to_text(schedules), outcome.clone());
        self.earlier.push((point, outcome));
    }

    /// Adds the text of a schedule that a rule refused in an earlier session: it is not compiled again.
    pub fn refused(&mut self, text: String, outcome: Outcome) {
        self.known.insert(text, outcome);
    }

    /// Runs the session. Errors: the default schedules cannot be measured, or the files of the session cannot be written.
    pub fn run(mut self) -> Result<Tuned> {
        let known = self.earlier.len();
        self.measure_default()?;
        for (point, outcome) in std::mem::take(&mut self.earlier) {
            self.strategy.observe(&point, observed(&outcome, self.unit()));
        }
        while !self.is_over() {
            self.fill()?;
            let Some(position) = self.next_compiled()? else {
                if self.pending.is_empty() && self.is_exhausted {
                    break;
                }
                thread::sleep(TICK);
                continue;
            };
            let candidate = self.pending.remove(position);
            self.pending.iter_mut().for_each(Candidate::pause);
            self.evaluate(candidate)?;
            self.pending.iter_mut().for_each(Candidate::resume);
        }
        self.pending.clear();
        self.confirm()?;
        let (Some(default), Some(best)) = (&self.default, &self.best) else {
            bail!("the default schedules were not measured");
        };
        Ok(Tuned {
            best: best.schedules.clone(),
            ratio: best.ratio,
            unconfirmed: self.unconfirmed,
            default: default.seconds,
            started: self.start_of_clock,
            elapsed: self.start.elapsed().as_secs_f64(),
            is_interrupted: self.is_interrupted(),
            evaluations: self.evaluations,
            known,
            is_exhausted: self.is_exhausted,
        })
    }
}

/// The cause and the reason of an unexpected event, or of the end of a process.
fn failure(outcome: Result<Event, Ended>) -> (Cause, String) {
    match outcome {
        Err(Ended::Failed(reason)) => (Cause::Refused, reason),
        Err(Ended::Crashed(reason)) => (Cause::Crashed, reason),
        Err(Ended::TimedOut(limit)) => (Cause::TimedOut, format!("it took more than {:.1} s", limit.as_secs_f64())),
        Ok(event) => (Cause::Crashed, format!("unexpected event {event:?}")),
    }
}
