//! The schedules that a script leaves open, as a space: each has the loops and the placements that the script decides.
//!
//! ```text
//! tile %i by [?, 16] · vectorize ..   ──▶   loops of plans for open dimensions, or numbers for open part counts
//!                                     ◀──   a schedule that has everything that the script decides
//! ```
use super::{complete::counts, open::OpenLoops, state::ScriptState, steps::ScriptSteps};
use crate::{
    analysis::computation::Computation,
    lower::workload::workload,
    nest::workload::Workload,
    schedule::{plan::Plan, problem::Problem, search::fixed::FixedLoops, tuning::TuningContext},
};
use mdh_dialects::schedule::model::{Schedule, System};
use std::{collections::HashMap, sync::Mutex};

/// The schedules of a script for a computation.
pub struct ScriptSpace {
    steps: ScriptSteps,
    pub(super) system: System,
    pub(super) problem: Problem,
    pub(super) tuning: TuningContext,
    pub(super) workload: Workload,
    /// The loops after all commands, with open part counts.
    state: ScriptState,
    /// The loops of the script in plans; `None` if only part counts are open.
    open: Option<OpenLoops>,
    /// By open part count: the candidates.
    candidates: Vec<Vec<u64>>,
    /// The predicted times in seconds of part counts, which take long to compute; `None` if they are impossible.
    pub(super) predicted: Mutex<HashMap<Vec<u64>, Option<f64>>>,
}

impl ScriptSpace {
    /// Returns the space of a script. `state`: the loops after all commands.
    pub fn new(
        steps: ScriptSteps,
        state: ScriptState,
        computation: &Computation<'_>,
        system: &System,
        tuning: &TuningContext,
    ) -> Self {
        let problem = Problem::of(computation, tuning.functions(system, computation));
        let open = OpenLoops::of(&state, &steps.is_open, &problem, system);
        let candidates = steps.open_counts().into_iter().map(|d| counts(problem.extent(d))).collect();
        let (system, tuning, workload) = (system.clone(), tuning.clone(), workload(computation));
        Self { steps, system, problem, tuning, workload, state, open, candidates, predicted: Mutex::default() }
    }

    /// Returns the space of a script; `None` if a command breaks a rule.
    pub fn of(
        steps: &ScriptSteps,
        computation: &Computation<'_>,
        system: &System,
        tuning: &TuningContext,
    ) -> Option<Self> {
        let state = steps.state(system, &computation.shape(), &[]).ok()?;
        Some(Self::new(steps.clone(), state, computation, system, tuning))
    }

    /// Returns by open part count the numbers that are candidates.
    pub fn candidates(&self) -> &[Vec<u64>] {
        &self.candidates
    }

    /// Returns the loops that plans must have; `None` if only part counts are open.
    pub fn fixed(&self) -> Option<&FixedLoops> {
        self.open.as_ref().map(|open| &open.fixed)
    }

    /// Returns the plan with the shortest predicted time; `None` if only part counts are open, or if no plan has the
    /// loops of the script.
    pub fn best_plan(&self) -> Option<Plan> {
        self.search(Some(self.fixed()?)).best()
    }

    /// Returns the loops of the script with those of a plan for the open dimensions; `None` if the plan has not the
    /// loops of the script, or if they break a rule.
    pub fn of_plan(&self, plan: &Plan) -> Option<ScriptState> {
        self.open.as_ref()?.merged(&self.state, plan, &self.system, &self.problem.shape)
    }

    /// Returns the loops with numbers for the open part counts; `None` if they break a rule.
    pub fn of_counts(&self, chosen: &[u64]) -> Option<ScriptState> {
        self.steps.state(&self.system, &self.problem.shape, chosen).ok()
    }

    /// Returns the schedule with these loops.
    pub fn schedule_of(&self, state: &ScriptState) -> Schedule {
        state.schedule(&self.system, &self.problem.shape)
    }

    /// Returns the plan of a schedule, without the copies of inputs that the script decides.
    pub fn plan_of(&self, schedule: &Schedule) -> Option<Plan> {
        let mut plan = Plan::of_schedule(schedule, &self.problem)?;
        plan.packed.retain(|packed| self.fixed().is_some_and(|fixed| fixed.may_pack[packed.buffer]));
        Some(plan)
    }

    /// Returns the numbers for the open part counts that give a schedule; `None` if none do.
    pub fn counts_of(&self, schedule: &Schedule) -> Option<Vec<u64>> {
        let counts = self.steps.counts_of(schedule, &self.state);
        let state = self.of_counts(&counts)?;
        (self.schedule_of(&state) == *schedule).then_some(counts)
    }

    /// Returns the numbers for the open part counts that differ in one number.
    pub fn around(&self, chosen: &[u64]) -> Vec<Vec<u64>> {
        let others = |i: usize| self.candidates[i].iter().map(move |count| (i, *count));
        let changed = |(i, count): (usize, u64)| {
            let mut changed = chosen.to_vec();
            changed[i] = count;
            changed
        };
        let all = (0..self.candidates.len().min(chosen.len())).flat_map(others).map(changed);
        all.filter(|changed| changed != chosen).collect()
    }

    /// Returns the loops of a schedule that has everything that the script decides; `None` for another schedule.
    pub fn completed(&self, schedule: &Schedule) -> Option<ScriptState> {
        if schedule.system != self.system {
            return None;
        }
        let planned = self.plan_of(schedule).and_then(|plan| self.of_plan(&plan));
        let planned = planned.filter(|state| self.schedule_of(state) == *schedule);
        planned.or_else(|| self.of_counts(&self.counts_of(schedule)?))
    }
}
