//! The end of a session: the fastest schedules are compared with the default ones again, in new processes.
//!
//! ```text
//! best · second · third · least time, each in turns with the default   ──▶   in three new processes   ──▶   the medians decide
//! ```
//!
//! Times differ from process to process, because their memory has other pages: a schedule that was the fastest one in a
//! single process may have been lucky. So may the process of the default ones have been slow for a while: the schedule of
//! the least time is a finalist, too, whatever its ratio is.
use super::{Running, TuningSession, compile::Candidate};
use crate::tuning::{
    clock::{self, Times},
    evaluation::Evaluation,
};
use anyhow::{Result, anyhow};
use mdh_database::Outcome;
use mdh_dialects::schedule::model::Schedule;
use std::{
    fs,
    time::{Duration, Instant},
};

/// Maximum number of schedules that are compared again because of their ratio to the default ones.
const FINALISTS: usize = 3;
/// Maximum ratio of their times to that of the best one.
const RANGE: f64 = 1.1;
/// Number of new processes of each.
const ROUNDS: usize = 3;
/// Number of turns of a comparison.
const TURNS: usize = 7;
/// No round begins after this part of the time of the session, and after [`MIN_TIME`].
const PART: u32 = 10;
/// See [`PART`].
const MIN_TIME: Duration = Duration::from_secs(1);
/// Maximum ratio to the default schedules of schedules that replace them.
const MAX_RATIO: f64 = 0.99;
/// Minimum factor between the ratio of a schedule that does not win and that of the winner.
const APART: f64 = 1.0 + 1e-6;
/// Maximum factor between the times of one process that is as fast as before.
const ALIKE: f64 = 1.5;

/// Schedules that may win.
struct Finalist {
    schedules: Vec<Schedule>,
    /// Their times beside the default schedules, one for each process.
    times: Vec<Times>,
}

impl Finalist {
    /// Returns the median ratio to the default schedules; infinity without any.
    fn ratio(&self) -> f64 {
        let ratios: Vec<_> = self.times.iter().map(|times| times.ratio).collect();
        if ratios.is_empty() { f64::INFINITY } else { clock::median(&ratios) }
    }

    fn outcome(&self) -> Outcome {
        let of = |value: fn(&Times) -> f64| clock::median(&self.times.iter().map(value).collect::<Vec<_>>());
        let samples = self.times.iter().map(|times| times.samples as u32).sum();
        let (seconds, spread) = (of(|times| times.seconds), of(|times| times.spread));
        Outcome::Measured { seconds, ratio: Some(self.ratio()), samples, spread }
    }
}

impl TuningSession<'_> {
    /// Compares the fastest schedules with the default ones again; the default ones stay unless others are faster.
    pub(super) fn confirm(&mut self) -> Result<()> {
        let (Some(mut default), Some(mut best)) = (self.default.take(), self.best.take()) else { return Ok(()) };
        if best.schedules == default.schedules {
            // The first times of a session may be those of a busy machine.
            let again = clock::turn(&mut default.process, default.seconds, self.setup.patience);
            default.seconds = again.map_or(default.seconds, |times| clock::median(&times));
            self.set_default(default.seconds);
        } else {
            let (start, limit) = (Instant::now(), (self.start.elapsed() / PART).max(MIN_TIME));
            let mut finalists = self.finalists(&best);
            for _ in 0..ROUNDS {
                if self.is_interrupted() || start.elapsed() > limit {
                    break;
                }
                self.compare_again(&default, &mut finalists);
            }
            // Without time for new processes, those that run decide.
            if let Some(first) = finalists.first_mut().filter(|first| first.times.is_empty()) {
                let (expected, patience) = ((best.seconds, default.seconds), self.setup.patience);
                let times = clock::compare(&mut best.process, &mut default.process, expected, Some(TURNS), patience);
                first.times.push(times.map_err(|failing| anyhow!("the last comparison failed: {failing:?}"))?);
            }
            let times = finalists.iter().flat_map(|finalist| &finalist.times);
            default.seconds = clock::median(&times.map(|times| times.other_seconds).collect::<Vec<_>>());
            self.set_default(default.seconds);
            self.correct(&finalists);
            let before = best.ratio;
            let winner = finalists.into_iter().min_by(|a, b| a.ratio().total_cmp(&b.ratio()));
            let after = winner.as_ref().map(Finalist::ratio).filter(|ratio| ratio.is_finite());
            self.unconfirmed = after.filter(|after| *after > MAX_RATIO).map(|after| (before, after));
            best = match winner.filter(|winner| winner.ratio() <= MAX_RATIO) {
                Some(winner) => Running { ratio: winner.ratio(), schedules: winner.schedules, ..best },
                None => Running { ratio: 1.0, schedules: default.schedules.clone(), ..best },
            };
        }
        self.rank_first(&best);
        self.default = Some(default);
        self.best = Some(best);
        Ok(())
    }

    /// Makes the ratios of all other schedules larger than that of the winner: programs use the schedule that the database
    /// ranks first, and a ratio that was not confirmed, or is not below [`MAX_RATIO`], is not a reason to use another one.
    fn rank_first(&mut self, winner: &Running) {
        let mut changed = vec![];
        for evaluation in self.evaluations.iter_mut().filter(|of| !of.is_default && of.schedules != winner.schedules) {
            match &mut evaluation.outcome {
                Outcome::Measured { ratio: Some(ratio), .. } if *ratio < winner.ratio * APART => {
                    *ratio = winner.ratio * APART;
                }
                _ => continue,
            }
            changed.push(evaluation.clone());
        }
        // A newer row replaces an older one.
        self.write(&changed, Duration::from_micros(2));
    }

    /// Replaces the time of the default schedules.
    fn set_default(&mut self, time: f64) {
        let default = self.evaluations.iter_mut().find(|evaluation| evaluation.is_default);
        let Some(default) = default.filter(|_| time.is_finite()) else { return };
        if let Outcome::Measured { seconds, .. } = &mut default.outcome {
            *seconds = time;
            let changed = [default.clone()];
            // A newer row replaces an older one.
            self.write(&changed, Duration::from_micros(1));
        }
    }

    /// Returns the best schedules, and others of this session that were about as fast.
    fn finalists(&self, best: &Running) -> Vec<Finalist> {
        let is_other = |schedules: &[Schedule]| schedules != best.schedules;
        let others =
            self.evaluations.iter().filter(|evaluation| !evaluation.is_default && is_other(&evaluation.schedules));
        let mut others: Vec<_> = others
            .filter_map(|evaluation| {
                let (seconds, ratio) = measured(evaluation)?;
                Some((seconds, ratio, &evaluation.schedules))
            })
            .collect();
        let fastest = others.iter().min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, _, schedules)| *schedules);
        others.retain(|(_, ratio, _)| *ratio <= RANGE * best.ratio);
        others.sort_by(|(_, a, _), (_, b, _)| a.total_cmp(b));
        let by_ratio = others.into_iter().map(|(_, _, schedules)| schedules).take(FINALISTS - 1);
        let mut all: Vec<_> = std::iter::once(&best.schedules).chain(by_ratio).collect();
        all.extend(fastest.filter(|fastest| !all.contains(fastest)));
        all.into_iter().map(|schedules| Finalist { schedules: schedules.clone(), times: vec![] }).collect()
    }

    /// Compares finalists with the default schedules in new processes. One that fails gets no time.
    fn compare_again(&mut self, default: &Running, finalists: &mut [Finalist]) {
        let usual = default.seconds;
        let Some((mut default, seconds)) = self.begun(&default.schedules, usual) else { return };
        for finalist in finalists {
            let Some((mut own, first)) = self.begun(&finalist.schedules, usual) else { continue };
            let (expected, patience) = ((first, seconds), self.setup.patience);
            let times = clock::compare(&mut own.process, &mut default.process, expected, Some(TURNS), patience);
            finalist.times.extend(times);
            let _ = fs::remove_dir_all(&own.folder);
        }
        let _ = fs::remove_dir_all(&default.folder);
    }

    /// Returns a new process of schedules, and the time of a run in seconds; `None` if it fails. `usual`: the time of the
    /// default schedules.
    fn begun(&mut self, schedules: &[Schedule], usual: f64) -> Option<(Candidate, f64)> {
        let mut candidate = self.compiled(schedules).ok()?;
        let seconds = self.first_run(&mut candidate, Some(usual)).ok()?;
        Some((candidate, seconds))
    }

    /// Replaces the outcomes of finalists by those of the last comparisons. The ratios of other schedules were measured
    /// beside the same process of the default ones, which may have been slow: they change by as much as those of the
    /// finalists beside which it was as slow.
    fn correct(&mut self, finalists: &[Finalist]) {
        let confirmed: Vec<_> = finalists.iter().filter(|finalist| !finalist.times.is_empty()).collect();
        let position = |finalist: &Finalist| {
            self.evaluations.iter().rposition(|evaluation| evaluation.schedules == finalist.schedules)
        };
        let positions: Vec<_> =
            confirmed.iter().filter_map(|finalist| Some((position(finalist)?, *finalist))).collect();
        // The time of the default ones beside each finalist, and the factor by which its ratio changes.
        let change = |(number, finalist): &(usize, &Finalist)| {
            let (seconds, ratio) = measured(&self.evaluations[*number])?;
            Some((seconds / ratio, finalist.ratio() / ratio))
        };
        let changes: Vec<_> = positions.iter().filter_map(change).collect();
        if changes.is_empty() {
            return;
        }
        let mut changed = vec![];
        for (number, evaluation) in self.evaluations.iter_mut().enumerate() {
            match (positions.iter().find(|(own, _)| *own == number), &mut evaluation.outcome) {
                (Some((_, finalist)), outcome) => *outcome = finalist.outcome(),
                (None, Outcome::Measured { seconds, ratio: Some(ratio), .. }) if !evaluation.is_default => {
                    let beside = *seconds / *ratio;
                    let is_alike = |other: f64| (ALIKE.recip()..=ALIKE).contains(&(beside / other));
                    let alike = changes.iter().filter(|(other, _)| is_alike(*other)).map(|(_, change)| *change);
                    let change = clock::median(&alike.collect::<Vec<_>>());
                    *ratio *= if change.is_nan() { 1.0 } else { change };
                }
                _ => continue,
            }
            changed.push(evaluation.clone());
        }
        // A newer row replaces an older one.
        self.write(&changed, Duration::from_micros(1));
    }
}

/// The time of an evaluation in seconds, and its ratio to the default schedules; `None` without times.
fn measured(evaluation: &Evaluation) -> Option<(f64, f64)> {
    match evaluation.outcome {
        Outcome::Measured { seconds, ratio: Some(ratio), .. } => Some((seconds, ratio)),
        _ => None,
    }
}
