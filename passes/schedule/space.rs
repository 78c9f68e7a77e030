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
    search::{HostChoices, HostSearch},
    tuning::TuningContext,
};
use crate::analysis::computation::Computation;
use mdh_dialects::schedule::model::{Schedule, System};
use rayon::prelude::*;
use std::collections::HashSet;

/// Number of initial choices that are improved: the best ones, and as many others.
const IMPROVED: usize = 24;

/// A point of a space.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Choices {
    /// Choices for a processor.
    Host(HostChoices),
    /// Choices for a device.
    Device(gpu::DeviceChoices),
}

/// The space of a computation on a system.
pub struct ComputationSpace {
    problem: Problem,
    system: System,
    tuning: TuningContext,
    /// The initial choices, best predicted first.
    starts: Vec<Choices>,
}

impl ComputationSpace {
    /// Returns the space; `None` if there is no search on the system, or for such extents.
    pub fn of(computation: &Computation<'_>, system: &System, tuning: &TuningContext) -> Option<Self> {
        HostLayers::of(system).map(drop).or_else(|| DeviceLayers::of(system).map(drop))?;
        let problem = Problem::of(computation, tuning.functions(system));
        if problem.extents().any(|extent| extent > MAX_EXTENT) {
            return None;
        }
        let mut space = Self { problem, system: system.clone(), tuning: tuning.clone(), starts: vec![] };
        let starts = match space.device() {
            Some(device) => device.search().starts().into_iter().map(Choices::Device).collect::<Vec<_>>(),
            None => space.host()?.starts().into_iter().map(Choices::Host).collect(),
        };
        space.starts = space.ranked(starts);
        let improved: Vec<_> = space.promising().into_par_iter().map(|choices| space.improved(choices)).collect();
        let all = [improved, space.starts.clone()].concat();
        space.starts = space.ranked(all);
        Some(space)
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
        };
        improved.unwrap_or_else(|| choices.clone())
    }

    fn host(&self) -> Option<HostSearch<'_>> {
        Some(HostSearch {
            problem: &self.problem,
            machine: &self.tuning.machine,
            threads: self.tuning.threads(),
            strict: self.tuning.strict,
            most_loops: HostLayers::of(&self.system)?.sequential(),
            fixed: None,
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
        };
        all.into_iter().filter(|choices| self.predicted(choices).is_some()).collect()
    }

    /// Returns random choices; `None` if none are possible.
    pub fn random(&self, random: &mut Random) -> Option<Choices> {
        let start = self.starts.get(random.below(self.starts.len()))?;
        Some(match start {
            Choices::Host(own) => Choices::Host(self.host()?.random(own, random)),
            Choices::Device(own) => Choices::Device(self.device()?.search().random(own, random)),
        })
    }

    /// Returns the predicted time of choices in seconds; `None` if they are impossible.
    pub fn predicted(&self, choices: &Choices) -> Option<f64> {
        match choices {
            Choices::Host(own) => self.host()?.seconds(own),
            Choices::Device(own) => self.device()?.search().seconds(own),
        }
    }

    /// Returns numbers that describe choices, as many for all choices of the space.
    pub fn features(&self, choices: &Choices) -> Vec<f64> {
        match choices {
            Choices::Host(own) => self.host().map_or_else(Vec::new, |search| search.features(own)),
            Choices::Device(own) => self.device().map_or_else(Vec::new, |space| space.search().features(own)),
        }
    }

    /// Returns the schedule of choices; `None` if they are impossible.
    pub fn schedule(&self, choices: &Choices) -> Option<Schedule> {
        match choices {
            Choices::Host(own) => {
                let plan = self.host()?.plan(own);
                Some(plan.schedule(&self.problem, &self.system, &HostLayers::of(&self.system)?))
            }
            Choices::Device(own) => self.device()?.schedule(own),
        }
    }

    /// Returns the choices that give a schedule; `None` if the space has none.
    pub fn choices(&self, schedule: &Schedule) -> Option<Choices> {
        let search = self.host().filter(|_| schedule.system == self.system)?;
        let plan = Plan::of_schedule(schedule, &self.problem)?;
        let choices = Choices::Host(search.choices(&plan)?);
        (self.schedule(&choices).as_ref() == Some(schedule)).then_some(choices)
    }
}
