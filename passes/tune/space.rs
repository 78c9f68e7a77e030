//! The space of all legal schedules of a computation on a system: counted exactly, indexed, and sampled uniformly.
//!
//! ```text
//! shape and system   ──▶   schedule(0), schedule(1), .., schedule(count - 1)        index(schedule(i)) = i
//! ```
//!
//! A schedule is legal if it satisfies the rules S1 to S10 and S12; one of a producer, which is computed in parts at a
//! level of its consumer, if it satisfies F1 to F6, too. Its parts are independent but for rules S8 and S9:
//! part counts by dimension, tags and orders of three phases, and placements. Part counts with a `?` have a bound,
//! because the rules allow products up to 2^62.
mod assignment;
mod code;
mod columns;
mod digits;
mod estimate;
mod limited;
mod moves;
mod phase;
mod placements;
pub mod producer;
mod slots;
#[cfg(test)]
mod tests;
mod unlimited;

pub use self::estimate::{SampledCount, SampledCounts};

use self::{
    columns::{ColumnShape, ColumnSpace},
    digits::{factorial, subsets},
    limited::{Classes, LimitedSpace, LimitedTags},
    placements::{InputPlacements, output_layouts},
    producer::ProducerRules,
    slots::PhaseClasses,
    unlimited::{Recomposition, RecompositionSpace},
};
use crate::{schedule::random::Random, tune::constraints::number::Count};
use mdh_dialects::schedule::{
    model::{Schedule, System},
    rules::{self, Shape},
};
use num_bigint::BigUint;
use num_traits::One;

/// The largest number of layers of a system.
const MAX_LAYERS: usize = 64;
/// The largest number of samples that rule S9 rejects before one is legal.
const MAX_REJECTED: usize = 100_000;

/// A rule that makes the space smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpaceRule {
    /// The label in `docs/spec.md`.
    pub label: &'static str,
    /// Why it is required.
    pub reason: &'static str,
}

/// The rules of the space.
pub const RULES: [SpaceRule; 14] = [
    SpaceRule { label: "S1", reason: "each phase processes every level once" },
    SpaceRule { label: "S2", reason: "the parts cover each point of the dimension, and none is always empty" },
    SpaceRule { label: "S3", reason: "each level of the system executes one level of each phase" },
    SpaceRule { label: "S4", reason: "buffers are stored in memory of the system" },
    SpaceRule { label: "S5", reason: "a layout enumerates each element once" },
    SpaceRule { label: "S6", reason: "each buffer is stored somewhere" },
    SpaceRule { label: "S7", reason: "a prefix sum combines its parts in order" },
    SpaceRule { label: "S8", reason: "cores combine results in memory that all of them can access" },
    SpaceRule { label: "S9", reason: "a core layer executes a limited number of parts" },
    SpaceRule { label: "S10", reason: "one part count of a dimension can follow from the extent at run time" },
    SpaceRule { label: "S12", reason: "parts are padded and buffered only in memory that kernels manage" },
    SpaceRule { label: "F2", reason: "parts of a producer are computed around all phases of its consumer" },
    SpaceRule { label: "F4", reason: "the threads of the consumer compute the parts, whose extents follow from it" },
    SpaceRule { label: "F6", reason: "each thread of a kernel runs all loops of a producer" },
];

/// Bounds of a space, and of the work to count it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpaceBounds {
    /// By dimension: the largest product of the part counts of a column with `?` other than the `?`. `None`, also for
    /// dimensions without an element, is the largest product that numbers can have there, or 512 for a dynamic extent.
    pub products: Vec<Option<u64>>,
    /// The largest number of values and runs to count the part counts of a dimension.
    pub column_work: u64,
    /// The largest number of values and runs to count schedules with rule S9.
    pub limit_work: u64,
}

impl Default for SpaceBounds {
    fn default() -> Self {
        Self { products: vec![], column_work: 1 << 26, limit_work: 1 << 18 }
    }
}

/// The part of a schedule that rules S8 and S9 couple.
enum Coupling {
    /// The combined dimensions and the re-composition.
    Unlimited(Box<RecompositionSpace>),
    /// All dimensions and phases.
    Limited(Box<LimitedSpace>),
}

/// All legal schedules of a computation on a system.
pub struct ScheduleSpace {
    shape: Shape,
    system: System,
    columns: Vec<ColumnSpace>,
    is_combined: Vec<bool>,
    inputs: Vec<InputPlacements>,
    coupling: Coupling,
    /// The classes of the system's levels in the phases.
    classes: Classes,
    /// The rules of producers; `None` if all results are computed at once.
    producer: Option<ProducerRules>,
    /// The bound of the numbers of schedules.
    size: BigUint,
    /// Why the schedules with rule S9 are not counted.
    uncounted: Option<String>,
}

impl ScheduleSpace {
    /// Returns the space with default bounds.
    pub fn new(shape: &Shape, system: &System) -> Result<Self, String> {
        Self::within(shape, system, &SpaceBounds::default())
    }

    /// Returns the space with these bounds. It is an error if the space is empty, with the rule that empties it, if the
    /// system has no memory or contradicts itself, or if the part counts of a dimension are too many to be counted.
    pub fn within(shape: &Shape, system: &System, bounds: &SpaceBounds) -> Result<Self, String> {
        Self::of(shape, system, None, bounds)
    }

    /// Returns the space of a computation whose results are computed in parts at a level of a consumer, with the errors of
    /// [`Self::within`].
    pub fn of_producer(
        shape: &Shape,
        system: &System,
        rules: ProducerRules,
        bounds: &SpaceBounds,
    ) -> Result<Self, String> {
        if rules.positions.is_empty() {
            return Err(format!("the space is empty: {}", with_reason("F2: no level of a consumer is allowed")));
        }
        Self::of(&ProducerRules::shape(shape), system, Some(rules), bounds)
    }

    fn of(
        shape: &Shape,
        system: &System,
        producer: Option<ProducerRules>,
        bounds: &SpaceBounds,
    ) -> Result<Self, String> {
        check_system(shape, system)?;
        let column = |(dimension, extent): (usize, Option<u64>)| {
            let bound = bounds.products.get(dimension).copied().flatten();
            let shape = ColumnShape::new(extent, system.layers(), bound);
            let column = shape.and_then(|shape| ColumnSpace::new(shape, bounds.column_work));
            column.map_err(|problem| format!("dimension {}: {problem}", dimension + 1))
        };
        let columns = shape.extents().enumerate().map(column).collect::<Result<Vec<_>, _>>()?;
        let is_in_place = |input: usize| producer.as_ref().is_some_and(|rules| rules.is_in_place(input));
        let inputs = shape
            .inputs
            .iter()
            .enumerate()
            .map(|(input, rank)| InputPlacements::new(*rank, is_in_place(input), system, bounds.column_work));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let is_combined: Vec<_> = shape.operators.iter().map(|operator| operator.combines()).collect();
        let limits = producer.as_ref().map_or_else(|| system.limit.clone(), |rules| rules.limits(system));
        let plain = PhaseClasses::without_outputs(shape, system, &limits);
        let classes = [plain.clone(), plain, PhaseClasses::with_outputs(shape, system, &limits)];
        let (coupling, uncounted) = couple(system, &limits, &columns, &is_combined, &classes, bounds)?;
        let mut space = Self {
            shape: shape.clone(),
            system: system.clone(),
            columns,
            is_combined,
            inputs,
            coupling,
            classes,
            producer,
            size: BigUint::one(),
            uncounted,
        };
        space.size = space.product();
        Ok(space)
    }

    /// Returns the number of schedules; the error is that rule S9 makes it too expensive to count.
    pub fn count(&self) -> Result<&BigUint, String> {
        match &self.uncounted {
            Some(problem) => Err(problem.clone()),
            None => Ok(&self.size),
        }
    }

    /// Returns the bound of the numbers of schedules: the count, or if rule S9 makes that too expensive, the number of
    /// schedules that satisfy all other rules.
    pub fn size(&self) -> &BigUint {
        &self.size
    }

    /// Returns a schedule, which may violate rule S9 if the space is not counted; each is equally likely.
    fn drawn(&self, random: &mut Random) -> Schedule {
        self.decode(BigUint::below(&self.size, &mut || random.next()))
    }

    /// Returns the number of levels of a phase.
    fn levels(&self) -> usize {
        self.system.layers() * self.shape.rank()
    }

    /// Returns the product of the numbers of choices of all parts.
    fn product(&self) -> BigUint {
        let (levels, layers) = (self.levels(), self.system.layers());
        let scans = self.shape.operators.iter().filter(|operator| operator.is_scan()).count();
        let positions = (0..scans).map(|scan| subsets(levels - scan * layers, layers)).product::<BigUint>();
        let orders = factorial(levels).pow(2) * positions * factorial(levels - scans * layers);
        let inputs = self.inputs.iter().map(|input| input.count().clone()).product::<BigUint>();
        let layouts = self.shape.outputs.iter().map(|rank| output_layouts(*rank)).product::<BigUint>();
        let writes = BigUint::from(self.system.memory.len()).pow(self.shape.outputs.len() as u32);
        let coupled = match &self.coupling {
            Coupling::Limited(limited) => limited.count().clone(),
            Coupling::Unlimited(recomposition) => {
                let free = self.columns.iter().zip(&self.is_combined).filter(|(_, is_combined)| !**is_combined);
                let columns = free.map(|(column, _)| column.count()).product::<BigUint>();
                recomposition.count() * columns * factorial(levels).pow(2)
            }
        };
        let steps = levels as u32 + 1;
        let positions = self.producer.as_ref().map_or(1, |rules| rules.positions.len());
        orders * inputs.pow(steps) * layouts.pow(steps) * writes * coupled * positions
    }

    /// Returns the schedule with this number. The error is that the number is not below [`Self::size`], or that its
    /// schedule violates rule S9, which happens only if the space is not counted.
    pub fn schedule(&self, index: &BigUint) -> Result<Schedule, String> {
        if *index >= self.size {
            return Err(format!("the numbers of schedules are below {}, but this one is {index}", self.size));
        }
        let schedule = self.decode(index.clone());
        match &self.uncounted {
            Some(_) => self.check(&schedule).map(|()| schedule),
            None => Ok(schedule),
        }
    }

    /// Returns the number of a schedule; the error is the violated rule, or the bound that the schedule exceeds.
    pub fn index(&self, schedule: &Schedule) -> Result<BigUint, String> {
        self.check(schedule)?;
        self.encode(schedule)
    }

    /// Checks that a schedule is in the space; the error is the violated rule, or the bound that it exceeds.
    pub fn check(&self, schedule: &Schedule) -> Result<(), String> {
        if schedule.system != self.system {
            let (own, other) = (&self.system.name, &schedule.system.name);
            return Err(format!("the space is about the system @{own} as declared, but the schedule is for @{other}"));
        }
        match &self.producer {
            Some(rules) => rules.check_position(schedule, &self.shape).map_err(|problem| with_reason(&problem))?,
            None if schedule.at.is_some() => {
                return Err(
                    "the space has schedules that compute all results at once, but this one names a consumer".into()
                );
            }
            None => {}
        }
        rules::check(schedule, &self.shape).map_err(|violations| with_reason(&rules::summary(&violations)))?;
        if let Some(rules) = &self.producer {
            rules.check_levels(schedule, &self.shape).map_err(|problem| with_reason(&problem))?;
        }
        for (dimension, space) in self.columns.iter().enumerate() {
            let column = columns::column(schedule, dimension);
            space.shape.choice(&column).map_err(|problem| format!("dimension {}: {problem}", dimension + 1))?;
        }
        Ok(())
    }

    /// Returns a schedule; each is equally likely. If rule S9 makes the space too expensive to count, schedules without
    /// it are drawn until one satisfies it; the error is that none does.
    pub fn sample(&self, random: &mut Random) -> Result<Schedule, String> {
        for _ in 0..MAX_REJECTED {
            let schedule = self.drawn(random);
            if self.uncounted.is_none() || self.check(&schedule).is_ok() {
                return Ok(schedule);
            }
        }
        Err(format!("S9: none of {MAX_REJECTED} random schedules has few enough parts on the core layers"))
    }
}

/// Adds the reason of the rule that a violation begins with.
fn with_reason(violation: &str) -> String {
    let label = violation.split(':').next().unwrap_or_default();
    let rule = RULES.iter().find(|rule| rule.label == label);
    rule.map_or_else(|| violation.to_owned(), |rule| format!("{violation}; {}", rule.reason))
}

/// Checks that a system has memory, distinct names and complete lists, and allows parts on each core layer.
fn check_system(shape: &Shape, system: &System) -> Result<(), String> {
    let System { name, memory, cores, .. } = system;
    let layers: Vec<_> = system.layer_names().collect();
    if shape.operators.len() != shape.rank() {
        let (operators, rank) = (shape.operators.len(), shape.rank());
        return Err(format!("the computation has {rank} dimensions, but {operators} operators"));
    }
    if memory.is_empty() || layers.len() > MAX_LAYERS {
        let layers = layers.len();
        return Err(format!(
            "the space requires at least one memory layer and at most {MAX_LAYERS} layers, but the system @{name} has {} and {layers}",
            memory.len()
        ));
    }
    if let Some(twice) = layers.iter().enumerate().find(|(number, layer)| layers[..*number].contains(layer)) {
        return Err(format!("the system @{name} has two layers with the name {}", twice.1));
    }
    if [system.combine.len(), system.limit.len(), system.core_roles.len()] != [cores.len(); 3]
        || system.memory_roles.len() != memory.len()
        || system.combine.iter().any(|region| *region >= memory.len())
    {
        return Err(format!("the system @{name} lacks roles, limits or regions of its layers"));
    }
    let is_empty = |limit: &Option<u64>| *limit == Some(0) && shape.rank() > 0;
    if let Some(core) = system.limit.iter().position(is_empty) {
        let problem = format!("S9: the core layer {} of the system @{name} allows 0 parts", cores[core]);
        return Err(format!("the space is empty: {}", with_reason(&problem)));
    }
    Ok(())
}

/// Returns the part of schedules that rules S8 and S9 couple, without S9 if that is too expensive to count, and why.
fn couple(
    system: &System,
    limits: &[Option<u64>],
    columns: &[ColumnSpace],
    is_combined: &[bool],
    classes: &Classes,
    bounds: &SpaceBounds,
) -> Result<(Coupling, Option<String>), String> {
    let shapes = columns.iter().map(|column| column.shape.clone()).collect();
    let limited = LimitedTags::new(shapes, is_combined.to_vec(), classes.clone());
    let mut uncounted = None;
    if !limited.is_unlimited() {
        match LimitedSpace::new(limited, bounds.limit_work) {
            Ok(limited) => return Ok((Coupling::Limited(Box::new(limited)), None)),
            Err(problem) => {
                let limits = system.cores.iter().zip(limits).filter_map(|(core, limit)| Some((core, (*limit)?)));
                let limits: Vec<_> = limits.map(|(core, limit)| format!("{limit} parts on {core}")).collect();
                uncounted = Some(format!(
                    "S9: the schedules of {} dimensions with at most {} require {problem} to be counted",
                    columns.len(),
                    limits.join(" and ")
                ));
            }
        }
    }
    let [_, _, combining] = classes;
    let recomposition = Recomposition::new(columns, is_combined, combining.clone(), system.layers());
    let recomposition = RecompositionSpace::new(recomposition, bounds.column_work)?;
    Ok((Coupling::Unlimited(Box::new(recomposition)), uncounted))
}
