//! The choice of what a script leaves open, here of part counts.
//!
//! ```text
//! %t, %r = tile %i by [?]   ──▶   the number with the shortest predicted time
//! ```
//!
//! The search changes one count at a time, from several initial choices, as long as the cost model predicts a gain. Only
//! numbers whose schedule violates no rule are candidates. Equal inputs give equal results: of equal times the first one
//! wins.
use super::{Script, ScriptRun};
use crate::{
    analysis::computation::Computation,
    nest::outline::Outline,
    schedule::{
        explain, gpu,
        plan::{LoopKind, Plan},
        problem::Problem,
        search::{HostSearch, fixed::FixedLoops},
        tuning::TuningContext,
    },
};
use mdh_dialects::{
    pass::Failure,
    schedule::{
        model::{Schedule, System},
        rules,
    },
};

/// The candidates for an open part count, besides the extent.
const COUNTS: [u64; 26] =
    [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048];
/// The counts that the search begins with: all open counts have one of them, as far as the extents allow.
const STARTS: [u64; 4] = [1, 4, 8, 16];
/// Maximum number of rounds, each of which changes all open counts.
const MAX_ROUNDS: usize = 4;

/// The predicted times of the schedules of a script.
struct ScriptCost<'a, 'c> {
    script: &'a Script<'a, 'c>,
    computation: &'a Computation<'c>,
    problem: Problem,
    tuning: &'a TuningContext,
}

impl<'c> Script<'_, 'c> {
    /// Applies all commands and chooses what the script leaves open: the loops of dimensions that no command names, and
    /// part counts.
    pub fn complete(
        &self,
        computation: &Computation<'c>,
        tuning: &TuningContext,
    ) -> Result<ScriptRun<'c>, Failure<'c>> {
        let mut run = self.run(&[])?;
        match self.opened(&run.state, computation, tuning) {
            Some(state) => run.finish(state, self),
            None if !run.open.is_empty() => {
                let chosen = self.run(&self.counts(&run, computation, tuning))?;
                run.finish(chosen.state, self);
            }
            None => {}
        }
        Ok(run)
    }

    /// Returns numbers for the open part counts, in the order of the script.
    fn counts(&self, run: &ScriptRun<'c>, computation: &Computation<'c>, tuning: &TuningContext) -> Vec<u64> {
        let open = &run.open;
        let problem = Problem::of(computation, tuning.functions(self.system));
        let counts: Vec<Vec<u64>> = open.iter().map(|(_, d)| counts(problem.extent(*d))).collect();
        let costs = ScriptCost { script: self, computation, problem, tuning };
        let starts = STARTS.iter().map(|start| {
            let nearest = |counts: &Vec<u64>| counts.iter().copied().filter(|count| count <= start).max().unwrap_or(1);
            counts.iter().map(nearest).collect::<Vec<_>>()
        });
        let mut best: Option<(f64, Vec<u64>)> = None;
        for start in starts {
            let Some(found) = costs.improved(start, &counts) else { continue };
            if best.as_ref().is_none_or(|best| found.0 < best.0) {
                best = Some(found);
            }
        }
        best.map_or_else(|| vec![1; open.len()], |(_, chosen)| chosen)
    }
}

impl ScriptCost<'_, '_> {
    /// The predicted time in seconds; `None` if the schedule violates a rule or a limit of the device.
    fn seconds(&self, chosen: &[u64]) -> Option<f64> {
        let run = self.script.run(chosen).ok()?;
        predicted(&run.schedule(self.script), self.computation, &self.problem, self.tuning)
    }

    /// Changes the counts one after the other while it pays.
    fn improved(&self, start: Vec<u64>, counts: &[Vec<u64>]) -> Option<(f64, Vec<u64>)> {
        let (mut seconds, mut chosen) = (self.seconds(&start)?, start);
        for _ in 0..MAX_ROUNDS {
            let before = seconds;
            for (i, counts) in counts.iter().enumerate() {
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
}

/// The candidates for the number of parts of a loop of a dimension.
fn counts(extent: u64) -> Vec<u64> {
    let mut counts: Vec<_> = COUNTS.iter().copied().filter(|count| *count <= extent).collect();
    if extent <= COUNTS[COUNTS.len() - 1] && !counts.contains(&extent) {
        counts.push(extent);
    }
    counts
}

/// The predicted time of a schedule in seconds; `None` if it violates a rule or a limit of the device, or if its code
/// would be too large.
pub fn predicted(
    schedule: &Schedule,
    computation: &Computation<'_>,
    problem: &Problem,
    tuning: &TuningContext,
) -> Option<f64> {
    rules::check(schedule, &problem.shape).ok()?;
    let outline = Outline::of(&explain::nest(computation, schedule, tuning));
    let seconds = match gpu::DeviceLayers::of(&schedule.system) {
        Some(_) => gpu::possible(problem, &outline, schedule, tuning)?,
        None => {
            let plan = Plan::of(&outline, schedule, problem);
            let is_in_order = plan.loops.iter().all(|l| matches!(l.kind, LoopKind::Threads | LoopKind::Sequential));
            search(problem, &schedule.system, tuning, None).cost_of_plan(&plan, is_in_order, None)?.seconds
        }
    };
    seconds.is_finite().then_some(seconds)
}

/// The search for CPUs, among plans with given loops.
pub(super) fn search<'a>(
    problem: &'a Problem,
    system: &System,
    tuning: &'a TuningContext,
    fixed: Option<&'a FixedLoops>,
) -> HostSearch<'a> {
    HostSearch {
        problem,
        machine: &tuning.machine,
        threads: tuning.threads(),
        strict: tuning.strict,
        most_loops: super::layers::sequential(system).len(),
        fixed,
    }
}
