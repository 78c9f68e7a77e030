//! The space of the schedules of a computation that searches explore, on processors and on devices: its points are
//! choices, each of which gives a schedule and a predicted time.
//!
//! ```text
//! computation, system, machine ──▶ choices ──▶ schedule
//!                                     │ ◀───────── of the same form
//!                                     └──▶ neighbors, predicted time, numbers for a learned model
//! ```
use super::{
    climb::SearchSpace,
    default::MAX_EXTENT,
    gpu::{self, DeviceLayers},
    plan::{HostLayers, Plan},
    problem::Problem,
    random::Random,
    script::{space::ScriptSpace, steps::ScriptSteps},
    search::{HostChoices, HostSearch},
    tuning::TuningContext,
};
use crate::analysis::computation::Computation;
use mdh_dialects::schedule::model::{Schedule, System};
use rayon::prelude::*;
use std::collections::HashSet;

/// Number of initial choices that are improved: the best ones, and as many others.
const IMPROVED: usize = 24;
/// Maximum number of random changes of the part counts of a script.
const RANDOM_CHANGES: usize = 8;

/// A point of a space.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Choices {
    /// Choices for a processor.
    Host(HostChoices),
    /// Choices for a device.
    Device(gpu::DeviceChoices),
    /// Numbers for the part counts that a script leaves open, in its order.
    Counts(Vec<u64>),
}

/// The space of a computation on a system.
pub struct ComputationSpace {
    problem: Problem,
    system: System,
    tuning: TuningContext,
    /// What all schedules have in common, if a script schedules the computation.
    script: Option<ScriptSpace>,
    /// The initial choices, best predicted first.
    starts: Vec<Choices>,
}

impl ComputationSpace {
    /// Returns the space; `None` if there is no search on the system, or for such extents.
    pub fn of(computation: &Computation<'_>, system: &System, tuning: &TuningContext) -> Option<Self> {
        HostLayers::of(system).map(drop).or_else(|| DeviceLayers::of(system).map(drop))?;
        let problem = Problem::of(computation, tuning.functions(system, computation));
        if problem.extents().any(|extent| extent > MAX_EXTENT) {
            return None;
        }
        let space = Self { problem, system: system.clone(), tuning: tuning.clone(), script: None, starts: vec![] };
        let starts = match space.device() {
            Some(device) => device.search().starts().into_iter().map(Choices::Device).collect::<Vec<_>>(),
            None => space.host()?.starts().into_iter().map(Choices::Host).collect(),
        };
        Some(space.with_starts(starts))
    }

    /// Returns the space of what a script leaves open; `None` if a command breaks a rule.
    pub fn of_script(
        steps: &ScriptSteps,
        computation: &Computation<'_>,
        system: &System,
        tuning: &TuningContext,
    ) -> Option<Self> {
        let script = ScriptSpace::of(steps, computation, system, tuning)?;
        let counts = script.promising_counts().into_iter().map(Choices::Counts).collect();
        let problem = Problem::of(computation, tuning.functions(system, computation));
        let (system, tuning) = (system.clone(), tuning.clone());
        let space = Self { problem, system, tuning, script: Some(script), starts: vec![] };
        let is_planned = space.script.as_ref().is_some_and(|script| script.fixed().is_some());
        let plans = space.host().filter(|_| is_planned).map_or_else(Vec::new, |search| search.starts());
        let space = space.with_starts(plans.into_iter().map(Choices::Host).collect());
        // As for the cost model: if no plan has the loops of the script, only part counts are open.
        Some(if space.starts.is_empty() { space.with_starts(counts) } else { space })
    }

    /// Returns the space with these initial choices, and those that the cost model makes of the best ones.
    fn with_starts(mut self, starts: Vec<Choices>) -> Self {
        self.starts = self.ranked(starts);
        let improved: Vec<_> = self.promising().into_par_iter().map(|choices| self.improved(choices)).collect();
        let all = [improved, self.starts.clone()].concat();
        self.starts = self.ranked(all);
        self
    }

    /// Returns true if a schedule has everything that the script decides, or if there is no script.
    pub fn admits(&self, schedule: &Schedule) -> bool {
        self.script.as_ref().is_none_or(|script| script.completed(schedule).is_some())
    }

    /// Returns the possible ones of some choices, best predicted first, each once.
    fn ranked(&self, choices: Vec<Choices>) -> Vec<Choices> {
        let priced = choices.into_par_iter().filter_map(|choices| Some((self.predicted(&choices)?, choices)));
        let mut priced: Vec<_> = priced.collect();
        priced.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut known = HashSet::new();
        priced.into_iter().map(|(_, choices)| choices).filter(|choices| known.insert(choices.clone())).collect()
    }

    /// Returns the best predicted initial choices, and others that are evenly spaced in their ranking.
    fn promising(&self) -> Vec<&Choices> {
        let (best, others) = self.starts.split_at(self.starts.len().min(IMPROVED));
        best.iter().chain(others.iter().step_by((others.len() / IMPROVED).max(1))).collect()
    }

    /// Returns choices after the changes that the cost model recommends.
    fn improved(&self, choices: &Choices) -> Choices {
        let improved = match choices {
            Choices::Host(own) => self.host().and_then(|search| search.improved(own)).map(Choices::Host),
            Choices::Device(own) => self.device().and_then(|space| space.search().improved(own)).map(Choices::Device),
            Choices::Counts(_) => None,
        };
        improved.unwrap_or_else(|| choices.clone())
    }

    fn host(&self) -> Option<HostSearch<'_>> {
        Some(HostSearch {
            problem: &self.problem,
            machine: &self.tuning.machine,
            threads: self.tuning.threads(),
            most_loops: HostLayers::of(&self.system)?.sequential(),
            fixed: self.script.as_ref().and_then(ScriptSpace::fixed),
        })
    }

    fn device(&self) -> Option<gpu::DeviceSpace<'_>> {
        gpu::DeviceSpace::new(&self.problem, &self.system, &self.tuning)
    }

    /// Returns the initial choices of the search, best predicted first.
    pub fn starts(&self) -> &[Choices] {
        &self.starts
    }

    /// Returns all choices that differ from these by one change, and are possible.
    pub fn neighbors(&self, choices: &Choices) -> Vec<Choices> {
        let all: Vec<_> = match choices {
            Choices::Host(own) => self.host().iter().flat_map(|search| search.around(own)).map(Choices::Host).collect(),
            Choices::Device(own) => {
                self.device().iter().flat_map(|space| space.search().around(own)).map(Choices::Device).collect()
            }
            Choices::Counts(own) => {
                self.script.iter().flat_map(|script| script.around(own)).map(Choices::Counts).collect()
            }
        };
        all.into_iter().filter(|choices| self.predicted(choices).is_some()).collect()
    }

    /// Returns random choices; `None` if none are possible.
    pub fn random(&self, random: &mut Random) -> Option<Choices> {
        let start = self.starts.get(random.below(self.starts.len()))?;
        Some(match start {
            Choices::Host(own) => Choices::Host(self.host()?.random(own, random)),
            Choices::Device(own) => Choices::Device(self.device()?.search().random(own, random)),
            Choices::Counts(_) => self.random_counts(start, random),
        })
    }

    /// Returns part counts of a script after some random changes.
    fn random_counts(&self, start: &Choices, random: &mut Random) -> Choices {
        let mut choices = start.clone();
        for _ in 0..random.below(RANDOM_CHANGES + 1) {
            let around = self.neighbors(&choices);
            choices = around.get(random.below(around.len())).cloned().unwrap_or(choices);
        }
        choices
    }

    /// Returns the predicted time of choices in seconds; `None` if they are impossible.
    pub fn predicted(&self, choices: &Choices) -> Option<f64> {
        match choices {
            Choices::Host(own) => {
                let seconds = self.host()?.seconds(own)?;
                (self.script.is_none() || self.schedule(choices).is_some()).then_some(seconds)
            }
            Choices::Device(own) => self.device()?.search().seconds(own),
            Choices::Counts(own) => self.script.as_ref()?.seconds(own),
        }
    }

    /// Returns numbers that describe choices, as many for all choices of the space.
    pub fn features(&self, choices: &Choices) -> Vec<f64> {
        match choices {
            Choices::Host(own) => self.host().map_or_else(Vec::new, |search| search.features(own)),
            Choices::Device(own) => self.device().map_or_else(Vec::new, |space| space.search().features(own)),
            Choices::Counts(own) => own.iter().map(|count| (*count as f64).log2()).collect(),
        }
    }

    /// Returns the schedule of choices; `None` if they are impossible.
    pub fn schedule(&self, choices: &Choices) -> Option<Schedule> {
        match choices {
            Choices::Host(own) => {
                let plan = self.host()?.plan(own);
                if let Some(script) = &self.script {
                    return Some(script.schedule_of(&script.of_plan(&plan)?));
                }
                Some(plan.schedule(&self.problem, &self.system, &HostLayers::of(&self.system)?))
            }
            Choices::Device(own) => self.device()?.schedule(own),
            Choices::Counts(own) => {
                let script = self.script.as_ref()?;
                Some(script.schedule_of(&script.of_counts(own)?))
            }
        }
    }

    /// Returns the choices that give a schedule; `None` if the space has none.
    pub fn choices(&self, schedule: &Schedule) -> Option<Choices> {
        if schedule.system != self.system {
            return None;
        }
        let choices = match (self.starts.first()?, &self.script) {
            (Choices::Counts(_), script) => Choices::Counts(script.as_ref()?.counts_of(schedule)?),
            (Choices::Host(_), Some(script)) => Choices::Host(self.host()?.choices(&script.plan_of(schedule)?)?),
            (Choices::Host(_), None) => {
                Choices::Host(self.host()?.choices(&Plan::of_schedule(schedule, &self.problem)?)?)
            }
            (Choices::Device(_), _) => Choices::Device(self.device()?.choices(schedule)?),
        };
        (self.schedule(&choices).as_ref() == Some(schedule)).then_some(choices)
    }
}
