//! The evaluation of a candidate: its first run, the comparison of its results, and its time in turns with the best one.
use super::{Running, TuningSession, compile::Candidate, failure};
use crate::tuning::{
    clock::{self, Failing, Times},
    protocol::{Event, WorkerCommand},
};
use anyhow::{Result, anyhow};
use mdh_database::{Cause, Outcome};
use std::{
    fs,
    time::{Instant, SystemTime},
};

/// The first run of a candidate may take this many times as long as a run of the best one.
const HOPELESS: f64 = 8.0;
/// The first run may take this long in seconds whatever the best one takes.
const MIN_HOPELESS: f64 = 0.02;
/// The first run may take this many times as long as that of the default schedule: both start threads and touch new
/// memory, which can take much longer than the computation.
const FIRST_HOPELESS: f64 = 4.0;
/// Minimum gain of a schedule over the best one so far, as a ratio.
const GAIN: f64 = 0.995;
/// Number of turns of a schedule that seems to be the best one with the default one.
const DIRECT_TURNS: usize = 7;
/// Number of turns that warm the machine up before the default schedule is measured.
pub(super) const WARM_UP: usize = 3;

impl TuningSession<'_> {
    /// Measures the default schedules: the unit of all other times, and the first best ones.
    pub(super) fn measure_default(&mut self) -> Result<()> {
        let point = self.space.default_point().clone();
        let wrong = |reason: String| anyhow!("the default schedule cannot be measured: {reason}");
        let schedules = self.space.schedules(&point).ok_or_else(|| wrong("it is impossible".to_owned()))?;
        let mut default = self.compiled(&schedules).map_err(wrong)?;
        self.compile_limit = default.limit_of_others();
        (self.start, self.start_of_clock) = (Instant::now(), SystemTime::now());
        let mut seconds = self.first_run(&mut default, None).map_err(|(_, reason)| wrong(reason))?;
        self.default_first = seconds;
        let mut times = vec![];
        for _ in 0..=WARM_UP {
            let turn = clock::turn(&mut default.process, seconds, self.setup.patience);
            times = turn.map_err(|ended| wrong(failure(Err(ended)).1))?;
            seconds = clock::median(&times);
        }
        // The best one has a process of its own, so that both can be compared in the end.
        let again = self.compiled(&schedules).map_err(wrong)?;
        let running = |candidate: Candidate| Running {
            process: candidate.process,
            schedules: candidate.schedules,
            ratio: 1.0,
            seconds,
        };
        self.default = Some(running(default));
        self.best = Some(running(again));
        let (samples, spread) = (times.len() as u32, clock::spread(&times));
        let outcome = Outcome::Measured { seconds, ratio: Some(1.0), samples, spread };
        self.finish(point, &schedules, "default".to_owned(), outcome);
        Ok(())
    }

    /// Runs a candidate once, and compares its results. `best`: the time of a run of the best one in seconds. Returns the
    /// time of the run in seconds, or why it failed.
    pub(super) fn first_run(&self, candidate: &mut Candidate, best: Option<f64>) -> Result<f64, (Cause, String)> {
        let process = &mut candidate.process;
        process.resume();
        process.send(&WorkerCommand::First);
        let outcome = process.wait(clock::limit(best.unwrap_or(f64::INFINITY), self.setup.patience));
        process.pause();
        let (seconds, outputs) = match outcome {
            Ok(Event::Ran { seconds, outputs }) => (seconds, outputs),
            Err(crate::tuning::process::Ended::Failed(reason)) => return Err((Cause::Crashed, reason)),
            other => return Err(failure(other)),
        };
        // A slow schedule need not be right to be of no use.
        let shortest = MIN_HOPELESS.max(FIRST_HOPELESS * self.default_first);
        if let Some(best) = best.filter(|best| seconds > (HOPELESS * best).max(shortest)) {
            return Err((
                Cause::Hopeless,
                format!("its first run took {seconds:.3e} s, the best one takes {best:.3e} s"),
            ));
        }
        let difference = (self.setup.check)(&outputs).map_err(|error| (Cause::Crashed, format!("{error:#}")))?;
        for output in &outputs {
            let _ = fs::remove_file(output);
        }
        match difference {
            Some(problem) => Err((Cause::Wrong, problem)),
            None => Ok(seconds),
        }
    }

    /// Evaluates a compiled candidate while all others are paused.
    pub(super) fn evaluate(&mut self, mut candidate: Candidate) -> Result<()> {
        let Some(mut best) = self.best.take() else { return Ok(()) };
        let outcome = match self.times(&mut candidate, &mut best) {
            Ok((Times { seconds, samples, spread, .. }, ratio, is_better)) => {
                if is_better {
                    std::mem::swap(&mut candidate.process, &mut best.process);
                    best = Running { schedules: candidate.schedules.clone(), ratio, seconds, ..best };
                }
                Outcome::Measured { seconds, ratio: Some(ratio), samples: samples as u32, spread }
            }
            Err((cause, reason)) => Outcome::Failed { cause, reason },
        };
        self.best = Some(best);
        let Candidate { point, schedules, strategy, folder, process, .. } = candidate;
        drop(process);
        let _ = fs::remove_dir_all(&folder);
        // What was interrupted is no result.
        if !self.is_interrupted() || matches!(outcome, Outcome::Measured { .. }) {
            self.finish(point, &schedules, strategy, outcome);
        }
        Ok(())
    }

    /// Measures a candidate in turns with the best one, and if it seems to be faster, with the default schedules, too:
    /// products of ratios to one best schedule after another would grow with each lucky measurement. Returns its times,
    /// its ratio to the default schedules, and whether it is better; or why it failed.
    fn times(&mut self, candidate: &mut Candidate, best: &mut Running) -> Result<(Times, f64, bool), (Cause, String)> {
        let patience = self.setup.patience;
        let seconds = self.first_run(candidate, Some(best.seconds))?;
        let expected = (seconds, best.seconds);
        let times = clock::compare(&mut candidate.process, &mut best.process, expected, None, patience);
        let times = times.map_err(|failing| ended(failing, "best"))?;
        let Some(default) = self.default.as_mut().filter(|_| times.ratio < GAIN) else {
            let ratio = times.ratio * best.ratio;
            return Ok((times, ratio, false));
        };
        let expected = (times.seconds, default.seconds);
        let direct =
            clock::compare(&mut candidate.process, &mut default.process, expected, Some(DIRECT_TURNS), patience);
        let ratio = direct.map_err(|failing| ended(failing, "default"))?.ratio;
        Ok((times, ratio, ratio < best.ratio))
    }
}

/// The cause and the reason of a comparison that failed. `other`: what the candidate was compared with.
fn ended(failing: Failing, other: &str) -> (Cause, String) {
    match failing {
        Failing::Candidate(ended) => failure(Err(ended)),
        Failing::Other(ended) => (Cause::Refused, format!("the {other} schedule: {}", failure(Err(ended)).1)),
    }
}
