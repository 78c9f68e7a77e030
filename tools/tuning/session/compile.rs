//! The compilation of candidates: those that the strategy proposes are compiled ahead, as far as they are not known.
use super::{TuningSession, failure};
use crate::tuning::{evaluation::observed, process::Process, protocol::Event};
use anyhow::{Context as _, Result};
use mdh_database::{Cause, Outcome};
use mdh_dialects::schedule::model::Schedule;
use mdh_passes::{
    schedule::tuned,
    tune::{program::ProgramPoint, strategy::Failure},
};
use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

/// Time limit of the compilation of the default schedules, and upper bound of that of a candidate.
pub(super) const LIMIT: Duration = Duration::from_secs(120);
/// The compilation of a candidate, while nothing is measured, may take this many times as long as that of the default
/// schedules: in the time of a longer one, several others can be measured.
const MAX_TIMES: u32 = 20;
/// The compilation of a candidate may take this long whatever that of the default schedules takes.
const MIN_LIMIT: Duration = Duration::from_secs(5);
/// Maximum number of proposals in a row that need no measurement.
const MAX_KNOWN: usize = 2000;

/// A candidate that is being compiled.
pub(super) struct Candidate {
    pub(super) point: ProgramPoint,
    pub(super) schedules: Vec<Schedule>,
    pub(super) text: String,
    pub(super) strategy: String,
    pub(super) process: Process,
    pub(super) folder: PathBuf,
    /// When its compilation began, or was resumed.
    since: Instant,
    /// Time of its compilation before that.
    before: Duration,
}

impl Candidate {
    /// Pauses its compilation.
    pub(super) fn pause(&mut self) {
        self.process.pause();
        self.before += self.since.elapsed();
    }

    /// Returns the time limit of the compilation of others, if this is the one of the default schedules.
    pub(super) fn limit_of_others(&self) -> Duration {
        (self.before * MAX_TIMES).clamp(MIN_LIMIT, LIMIT)
    }

    /// Resumes its compilation.
    pub(super) fn resume(&mut self) {
        self.process.resume();
        self.since = Instant::now();
    }
}

impl TuningSession<'_> {
    /// Starts the compilation of candidates, as many as may be compiled ahead.
    pub(super) fn fill(&mut self) -> Result<()> {
        let mut known = 0;
        while self.pending.len() < self.setup.ahead && known < MAX_KNOWN && !self.is_exhausted {
            let (point, strategy, is_queued) = match self.queue.pop_front() {
                Some((point, from)) => (point, from, true),
                None => match self.strategy.propose() {
                    Some(point) => (point, self.name.clone(), false),
                    None => {
                        self.is_exhausted = true;
                        break;
                    }
                },
            };
            let Some(schedules) = self.space.schedules(&point) else {
                self.strategy.observe(&point, Err(Failure::Invalid));
                known += 1;
                continue;
            };
            let text = tuned::to_text(&schedules);
            let is_pending = self.pending.iter().any(|candidate| candidate.text == text);
            match self.known.get(&text).filter(|_| !is_queued) {
                // Different choices may give the same schedule.
                Some(outcome) => self.strategy.observe(&point, observed(outcome, self.unit())),
                None if is_pending => {}
                None => {
                    let candidate = self.begin(point, schedules, strategy)?;
                    self.pending.push(candidate);
                    continue;
                }
            }
            known += 1;
        }
        self.is_exhausted |= known == MAX_KNOWN;
        Ok(())
    }

    /// Compiles schedules while nothing else runs. The error is the reason why it failed.
    pub(super) fn compiled(&mut self, schedules: &[Schedule]) -> Result<Candidate, String> {
        let point = self.space.default_point().clone();
        let begun = self.begin(point, schedules.to_vec(), String::new());
        let mut candidate = begun.map_err(|error| format!("{error:#}"))?;
        match candidate.process.wait(LIMIT) {
            Ok(Event::Compiled) => candidate.pause(),
            other => return Err(failure(other).1),
        }
        Ok(candidate)
    }

    /// Starts the process of a candidate.
    fn begin(&mut self, point: ProgramPoint, schedules: Vec<Schedule>, strategy: String) -> Result<Candidate> {
        let folder = self.folder.join(format!("candidate-{}", self.started));
        self.started += 1;
        fs::create_dir(&folder).with_context(|| format!("cannot make the folder '{}'", folder.display()))?;
        let file = folder.join("schedule.json");
        fs::write(&file, (self.setup.file)(&schedules))
            .with_context(|| format!("cannot write the file '{}'", file.display()))?;
        let process = Process::start(&(self.setup.command)(&file, &folder))?;
        let text = tuned::to_text(&schedules);
        Ok(Candidate {
            point,
            schedules,
            text,
            strategy,
            process,
            folder,
            since: Instant::now(),
            before: Duration::ZERO,
        })
    }

    /// Returns the position of a candidate that is compiled, or that has failed.
    pub(super) fn next_compiled(&mut self) -> Result<Option<usize>> {
        for position in 0..self.pending.len() {
            let candidate = &mut self.pending[position];
            let failed = match candidate.process.poll() {
                Some(Ok(Event::Compiled)) => return Ok(Some(position)),
                Some(other) => Some(failure(other)),
                None if candidate.before + candidate.since.elapsed() > self.compile_limit => {
                    let reason = format!("its compilation took more than {:.1} s", self.compile_limit.as_secs_f64());
                    Some((Cause::TimedOut, reason))
                }
                None => None,
            };
            if let Some((cause, reason)) = failed {
                let candidate = self.pending.remove(position);
                self.finish(
                    candidate.point,
                    &candidate.schedules,
                    candidate.strategy,
                    Outcome::Failed { cause, reason },
                );
                let _ = fs::remove_dir_all(&candidate.folder);
                return Ok(None);
            }
        }
        Ok(None)
    }
}
