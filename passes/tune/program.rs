//! The schedules of all computations of a function as a space: a tuner measures functions, not single computations.
//!
//! ```text
//! computation 1, computation 2, computation 3     a point: choices for each,
//!               └── in parts of 3 ──┘             and which are computed in parts of which
//! ```
//!
//! A script of a computation decides a part of its schedule: only what it leaves open is searched.
use super::{landscape::Landscape, space::ScheduleSpace};
use crate::{
    analysis::computation::Computation,
    schedule::{
        default,
        producers::ProducerSearch,
        random::{Random, random_schedule},
        script::steps::ScriptSteps,
        space::{Choices, ComputationSpace},
        tuning::TuningContext,
    },
};
use mdh_dialects::schedule::{
    model::{Schedule, System},
    rules::Shape,
};
use std::sync::Arc;

/// Maximum number of initial points of a computation.
const MAX_STARTS: usize = 400;

/// The schedule of a computation at a point.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ComputationChoice {
    /// A point of the space of the computation.
    Searched(Choices),
    /// Another schedule, such as one from a file.
    Given(Arc<Schedule>),
}

/// A point: the schedules of all computations of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProgramPoint {
    /// The grouping: which computations are computed in parts of which.
    grouping: usize,
    /// By computation: its schedule, unless the grouping determines it.
    choices: Vec<ComputationChoice>,
}

/// Schedules of computations that are computed in parts of each other; the choices of others are free.
struct Grouping {
    /// By computation: its schedule, if the grouping determines it.
    schedules: Vec<Option<Arc<Schedule>>>,
    /// Its predicted time in seconds; `None` if it is not known.
    seconds: Option<f64>,
}

/// A computation of the function.
struct SearchedComputation {
    shape: Shape,
    /// The system of its schedules.
    system: System,
    /// True if a script decides a part of its schedule.
    is_scripted: bool,
    /// `None` without a search on the system.
    space: Option<ComputationSpace>,
    /// Without a search on the system: all legal schedules.
    legal: Option<ScheduleSpace>,
    /// Its schedule by itself that the cost model prefers.
    default: ComputationChoice,
    /// Its predicted time in seconds.
    expected: Option<f64>,
}

/// The space of the schedules of a function.
pub struct ProgramSpace {
    parts: Vec<SearchedComputation>,
    /// The groupings: of the default schedules, none, and one for each group that is legal.
    groupings: Vec<Grouping>,
    /// The point of the default schedules.
    default: ProgramPoint,
}

impl ProgramSpace {
    /// Returns the space of some computations, all of one function. `names`: by computation, the name of the function
    /// and its number in the function. `scripts`: by computation, the script that schedules it, if any. `defaults`: their
    /// default schedules; with a script, the one that the script and the cost model make.
    pub fn of(
        computations: &[Computation<'_>],
        names: &[(String, usize)],
        defaults: &[Schedule],
        scripts: &[Option<ScriptSteps>],
        system: &System,
        tuning: &TuningContext,
    ) -> Self {
        let part = |((computation, script), own): ((&Computation<'_>, &Option<ScriptSteps>), &Schedule)| match script {
            Some(script) => SearchedComputation::scripted(computation, script, own, tuning),
            None => SearchedComputation::free(computation, system, tuning),
        };
        let parts: Vec<_> = computations.iter().zip(scripts).zip(defaults).map(part).collect();
        let expected: Vec<_> = parts.iter().map(|part| part.expected).collect();
        let none = || vec![None; parts.len()];
        // Other computations fit a position that a script decides with the schedules that it was decided for.
        let is_placed = parts.iter().zip(defaults).any(|(part, own)| part.is_scripted && own.at.is_some());
        let fixed = |(part, own): (&SearchedComputation, &Schedule)| {
            (is_placed && !part.is_scripted).then(|| Arc::new(own.clone()))
        };
        let first: Vec<_> = parts.iter().zip(defaults).map(fixed).collect();
        let seconds = (!is_placed).then_some(0.0);
        let mut groupings = vec![Grouping { schedules: first, seconds }];
        let search = ProducerSearch { computations, names, system, tuning };
        let groups = if is_placed { vec![] } else { search.groups(&expected) };
        for (schedules, seconds) in groups {
            let mut grouping = Grouping { schedules: none(), seconds: Some(seconds) };
            for (i, schedule) in schedules {
                grouping.schedules[i] = Some(Arc::new(schedule));
            }
            groupings.push(grouping);
        }
        let mut space = Self {
            default: ProgramPoint { grouping: 0, choices: parts.iter().map(|part| part.default.clone()).collect() },
            parts,
            groupings,
        };
        space.default = space.point(defaults);
        space
    }

    /// Returns the point of the default schedules.
    pub fn default_point(&self) -> &ProgramPoint {
        &self.default
    }

    /// Returns true if the default schedules are the only ones: others are not reached from the initial points.
    pub fn is_single(&self) -> bool {
        let default = self.schedules(&self.default);
        let is_same = |point: &ProgramPoint| self.schedules(point) == default;
        self.starts().iter().all(is_same) && self.neighbors(&self.default).iter().all(is_same)
    }

    /// Returns the point of some schedules, one for each computation.
    pub fn point(&mut self, schedules: &[Schedule]) -> ProgramPoint {
        let choices = |grouping: &Grouping, parts: &[SearchedComputation]| -> Vec<ComputationChoice> {
            let each = parts.iter().zip(&grouping.schedules).zip(schedules);
            each.map(|((part, fixed), schedule)| match fixed {
                Some(_) => part.default.clone(),
                None => choice(part.space.as_ref(), schedule),
            })
            .collect()
        };
        let fits = |grouping: &Grouping, parts: &[SearchedComputation]| {
            let mut each = parts.iter().zip(&grouping.schedules).zip(schedules);
            each.all(|((part, fixed), schedule)| match fixed {
                Some(fixed) => **fixed == *schedule,
                None => schedule.at.is_none() || part.is_scripted,
            })
        };
        // Most specific first: the grouping without groups fits all schedules that are not computed in parts.
        let known = (0..self.groupings.len()).rev().find(|i| fits(&self.groupings[*i], &self.parts));
        let grouping = known.unwrap_or_else(|| {
            // A consumer of parts has a schedule that depends on its producers, so all computations are fixed.
            let fixed = schedules.iter().map(|schedule| Some(Arc::new(schedule.clone()))).collect();
            self.groupings.push(Grouping { schedules: fixed, seconds: None });
            self.groupings.len() - 1
        });
        ProgramPoint { grouping, choices: choices(&self.groupings[grouping], &self.parts) }
    }

    /// Returns true if schedules, one for each computation, have everything that scripts decide.
    pub fn admits(&self, schedules: &[Schedule]) -> bool {
        let is_admitted = |(part, schedule): (&SearchedComputation, &Schedule)| match &part.space {
            _ if !part.is_scripted => true,
            Some(space) => space.admits(schedule),
            None => part.legal.is_some() && schedule.system == part.system,
        };
        schedules.len() == self.parts.len() && self.parts.iter().zip(schedules).all(is_admitted)
    }

    /// Returns the schedules of a point; `None` if it is impossible.
    pub fn schedules(&self, point: &ProgramPoint) -> Option<Vec<Schedule>> {
        let fixed = &self.groupings.get(point.grouping)?.schedules;
        let each = self.parts.iter().zip(fixed).zip(&point.choices);
        each.map(|((part, fixed), choice)| match (fixed, choice) {
            (Some(schedule), _) => Some((**schedule).clone()),
            (None, ComputationChoice::Given(schedule)) => Some((**schedule).clone()),
            (None, ComputationChoice::Searched(choices)) => part.space.as_ref()?.schedule(choices),
        })
        .collect()
    }

    /// Returns the computations whose choices are free at a point.
    fn free(&self, point: &ProgramPoint) -> impl Iterator<Item = (usize, &SearchedComputation)> {
        let fixed = &self.groupings[point.grouping].schedules;
        self.parts.iter().enumerate().filter(|(i, _)| fixed[*i].is_none())
    }

    /// Returns a point with another choice for a computation.
    fn with(&self, point: &ProgramPoint, i: usize, choice: ComputationChoice) -> ProgramPoint {
        let mut point = point.clone();
        point.choices[i] = choice;
        point
    }
}

impl SearchedComputation {
    /// Returns a computation that no script schedules.
    fn free(computation: &Computation<'_>, system: &System, tuning: &TuningContext) -> Self {
        let space = ComputationSpace::of(computation, system, tuning);
        let (schedule, expected) = default::expected(computation, system, tuning);
        let default = choice(space.as_ref(), &schedule);
        let shape = computation.shape();
        // Without bounds for its extents, a space may be too large; candidates are then random.
        let legal = if space.is_none() { ScheduleSpace::new(&shape, system).ok() } else { None };
        Self { shape, system: system.clone(), is_scripted: false, space, legal, default, expected }
    }

    /// Returns a computation with a script. `own`: the schedule that the script and the cost model make.
    fn scripted(computation: &Computation<'_>, script: &ScriptSteps, own: &Schedule, tuning: &TuningContext) -> Self {
        let system = &own.system;
        // A script without commands decides the system alone.
        let whole = if script.steps.is_empty() { Some(Self::free(computation, system, tuning)) } else { None };
        let (space, legal) = match whole {
            Some(whole) => (whole.space, whole.legal),
            None => (ComputationSpace::of_script(script, computation, system, tuning), None),
        };
        let default = choice(space.as_ref(), own);
        // Only default schedules are replaced by those of computations in parts of each other.
        let (shape, system) = (computation.shape(), system.clone());
        Self { shape, system, is_scripted: true, space, legal, default, expected: None }
    }
}

/// Returns a schedule as a choice.
fn choice(space: Option<&ComputationSpace>, schedule: &Schedule) -> ComputationChoice {
    let choices = space.and_then(|space| space.choices(schedule));
    choices.map_or_else(|| ComputationChoice::Given(Arc::new(schedule.clone())), ComputationChoice::Searched)
}

impl Landscape for ProgramSpace {
    type Point = ProgramPoint;

    fn starts(&self) -> Vec<ProgramPoint> {
        let mut starts = vec![self.default.clone()];
        let whole = |grouping: usize| ProgramPoint {
            grouping,
            choices: self.parts.iter().map(|part| part.default.clone()).collect(),
        };
        let mut others: Vec<_> = (0..self.groupings.len()).map(whole).collect();
        for (i, part) in self.free(&self.default) {
            let own = part.space.iter().flat_map(|space| space.starts()).take(MAX_STARTS);
            others.extend(own.map(|choices| self.with(&self.default, i, ComputationChoice::Searched(choices.clone()))));
        }
        others.retain(|point| *point != self.default);
        others.sort_by_cached_key(|point| {
            // The order of positive floats is that of their bits.
            self.predicted(point).unwrap_or(f64::INFINITY).to_bits()
        });
        starts.extend(others);
        starts
    }

    fn random(&self, random: &mut Random) -> Option<ProgramPoint> {
        let mut point =
            ProgramPoint { grouping: random.below(self.groupings.len()), choices: self.default.choices.clone() };
        let free: Vec<_> = self.free(&point).map(|(i, _)| i).collect();
        for i in free {
            let part = &self.parts[i];
            point.choices[i] = match &part.space {
                Some(space) => space.random(random).map_or_else(|| part.default.clone(), ComputationChoice::Searched),
                None if part.is_scripted && part.legal.is_none() => part.default.clone(),
                None => ComputationChoice::Given(Arc::new(random_schedule(&part.shape, &part.system, random))),
            };
        }
        Some(point)
    }

    fn neighbors(&self, point: &ProgramPoint) -> Vec<ProgramPoint> {
        let mut all = vec![];
        for (i, part) in self.free(point) {
            let changed: Vec<_> = match (&part.space, &part.legal, &point.choices[i]) {
                (Some(space), _, ComputationChoice::Searched(choices)) => {
                    space.neighbors(choices).into_iter().map(ComputationChoice::Searched).collect()
                }
                (None, Some(legal), ComputationChoice::Given(schedule)) => {
                    let given = |schedule| ComputationChoice::Given(Arc::new(schedule));
                    legal.neighbors(schedule).unwrap_or_default().into_iter().map(given).collect()
                }
                _ => vec![],
            };
            all.extend(changed.into_iter().map(|changed| self.with(point, i, changed)));
        }
        let others = (0..self.groupings.len()).filter(|grouping| *grouping != point.grouping);
        all.extend(others.map(|grouping| ProgramPoint { grouping, choices: point.choices.clone() }));
        all
    }

    fn predicted(&self, point: &ProgramPoint) -> Option<f64> {
        let mut seconds = self.groupings.get(point.grouping)?.seconds?;
        for (i, part) in self.free(point) {
            seconds += match &point.choices[i] {
                ComputationChoice::Searched(choices) => part.space.as_ref()?.predicted(choices)?,
                ComputationChoice::Given(_) => return None,
            };
        }
        Some(seconds)
    }

    fn features(&self, point: &ProgramPoint) -> Vec<f64> {
        let mut features = vec![point.grouping as f64];
        for (part, choice) in self.parts.iter().zip(&point.choices) {
            let Some(space) = &part.space else { continue };
            match choice {
                ComputationChoice::Searched(choices) => features.extend(space.features(choices)),
                // Numbers that no choices have, as many as for choices.
                ComputationChoice::Given(_) => {
                    let count = space.starts().first().map_or(0, |start| space.features(start).len());
                    features.extend(vec![-1.0; count]);
                }
            }
        }
        features
    }
}
