//! The choice of what a script leaves open, here of part counts.
//!
//! ```text
//! %t, %r = tile %i by [?]   ──▶   the number with the shortest predicted time
//! ```
//!
//! The search changes one count at a time, from several initial choices, as long as the cost model predicts a gain. Only
//! numbers whose schedule violates no rule are candidates. Equal inputs give equal results: of equal times the first one
//! wins.
use super::{Script, ScriptRun, space::ScriptSpace, steps::ScriptSteps};
use crate::{
    analysis::computation::Computation,
    nest::planning,
    plan::outline::Outline,
    plan::runner::Runner,
    schedule::{
        gpu,
        plan::Plan,
        search::{HostSearch, fixed::FixedLoops},
        tuning::TuningContext,
    },
};
use mdh_dialects::{
    pass::Failure,
    schedule::{model::Schedule, rules},
};
use std::sync::PoisonError;

/// The candidates for an open part count, besides the extent.
const COUNTS: [u64; 26] =
    [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048];
/// The counts that the search begins with: all open counts have one of them, as far as the extents allow.
const STARTS: [u64; 4] = [1, 4, 8, 16];
/// Maximum number of rounds, each of which changes all open counts.
const MAX_ROUNDS: usize = 4;

impl<'c> Script<'_, 'c> {
    /// Applies all commands and chooses what the script leaves open: the loops of dimensions that no command names, and
    /// part counts.
    pub fn complete(
        &self,
        computation: &Computation<'c>,
        tuning: &TuningContext,
    ) -> Result<ScriptRun<'c>, Failure<'c>> {
        let mut run = self.run(&[])?;
        let space = self.space(&run, computation, tuning);
        let opened = space.best_plan().and_then(|plan| space.of_plan(&plan));
        if let Some(state) = opened {
            run.finish(state, self);
        } else if let Some(counts) = space.best_counts() {
            let chosen = self.run(&counts)?;
            run.finish(chosen.state, self);
        }
        Ok(run)
    }

    /// Applies all commands, and chooses what the script leaves open as a schedule has it; `None` if the schedule has
    /// not the loops and placements of the script.
    pub fn completed_by(
        &self,
        schedule: &Schedule,
        computation: &Computation<'c>,
        tuning: &TuningContext,
    ) -> Option<ScriptRun<'c>> {
        let mut run = self.run(&[]).ok()?;
        let state = self.space(&run, computation, tuning).completed(schedule)?;
        run.finish(state, self);
        Some(run)
    }

    fn space(&self, run: &ScriptRun<'c>, computation: &Computation<'c>, tuning: &TuningContext) -> ScriptSpace {
        ScriptSpace::new(ScriptSteps::of(self.op), run.state.clone(), computation, self.system, tuning)
    }
}

impl ScriptSpace {
    /// Returns the best numbers for the open part counts, in the order of the script; `None` if no count is open.
    fn best_counts(&self) -> Option<Vec<u64>> {
        let mut best: Option<(f64, Vec<u64>)> = None;
        for found in self.starts_of_counts().into_iter().filter_map(|start| self.improved(start)) {
            if best.as_ref().is_none_or(|best| found.0 < best.0) {
                best = Some(found);
            }
        }
        let open = self.candidates().len();
        (open > 0).then(|| best.map_or_else(|| vec![1; open], |(_, chosen)| chosen))
    }

    /// Returns the numbers that the search begins with: alike for all open part counts, as far as the extents allow.
    fn starts_of_counts(&self) -> Vec<Vec<u64>> {
        let nearest = |counts: &Vec<u64>, start: u64| counts.iter().copied().filter(|count| *count <= start).max();
        let start = |start: &u64| self.candidates().iter().map(|counts| nearest(counts, *start).unwrap_or(1)).collect();
        STARTS.iter().map(start).collect()
    }

    /// Changes the counts one after the other while it pays. Returns the predicted time in seconds and the counts;
    /// `None` if the first ones are impossible.
    fn improved(&self, start: Vec<u64>) -> Option<(f64, Vec<u64>)> {
        let (mut seconds, mut chosen) = (self.seconds(&start)?, start);
        for _ in 0..MAX_ROUNDS {
            let before = seconds;
            for (i, counts) in self.candidates().iter().enumerate() {
                for count in counts {
                    let mut changed = chosen.clone();
                    changed[i] = *count;
                    match self.seconds(&changed) {
                        Some(shorter) if shorter < seconds => (seconds, chosen) = (shorter, changed),
                        _ => {}
                    }
                }
            }
            if seconds >= before {
                break;
            }
        }
        Some((seconds, chosen))
    }

    /// Returns numbers for the open part counts that a tuner begins with, some of them improved by the cost model.
    pub fn promising_counts(&self) -> Vec<Vec<u64>> {
        let starts = self.starts_of_counts();
        let improved: Vec<_> = starts.iter().filter_map(|start| Some(self.improved(start.clone())?.1)).collect();
        improved.into_iter().chain(starts).collect()
    }

    /// Returns the predicted time in seconds with numbers for the open part counts; `None` if the schedule violates a
    /// rule or a limit of the device, or if its code would be too large.
    pub fn seconds(&self, chosen: &[u64]) -> Option<f64> {
        // A panic while the lock is held leaves no entry half written.
        let known = || self.predicted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seconds) = known().get(chosen) {
            return *seconds;
        }
        let seconds = self.seconds_of(chosen);
        known().insert(chosen.to_vec(), seconds);
        seconds
    }

    /// As [`Self::seconds`], computed.
    fn seconds_of(&self, chosen: &[u64]) -> Option<f64> {
        let schedule = self.schedule_of(&self.of_counts(chosen)?);
        let (problem, tuning) = (&self.problem, &self.tuning);
        rules::check(&schedule, &problem.shape).ok()?;
        let outline = Outline::of(&planning::usual_plan(&self.workload, &schedule));
        let seconds = match gpu::DeviceLayers::of(&schedule.system) {
            Some(_) => gpu::possible(problem, &outline, &schedule, tuning)?,
            None => {
                let plan = Plan::of(&outline, &schedule, problem);
                let is_in_order = plan.loops.iter().all(|l| matches!(l.kind, Runner::THREADS | Runner::Loop));
                self.search(None).cost_of_plan(&plan, is_in_order, None)?.seconds
            }
        };
        seconds.is_finite().then_some(seconds)
    }

    /// Returns the search for CPUs, among plans with given loops.
    pub fn search<'a>(&'a self, fixed: Option<&'a FixedLoops>) -> HostSearch<'a> {
        HostSearch {
            problem: &self.problem,
            machine: &self.tuning.machine,
            threads: self.tuning.threads(),
            most_loops: super::layers::sequential(&self.system).len(),
            fixed,
        }
    }
}

/// The candidates for the number of parts of a loop of a dimension.
pub(super) fn counts(extent: u64) -> Vec<u64> {
    let mut counts: Vec<_> = COUNTS.iter().copied().filter(|count| *count <= extent).collect();
    if extent <= COUNTS[COUNTS.len() - 1] && !counts.contains(&extent) {
        counts.push(extent);
    }
    counts
}
