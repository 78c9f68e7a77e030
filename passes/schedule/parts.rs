//! Schedules of producers, which are computed in parts at a level of their consumer, and of these consumers.
//!
//! ```text
//! parts [[1, 1], [1, 8], [6, 512]]  ──▶   parts [["?", 1], [1, 8], [6, 512]]        for a dimension that results keep
//! ```
use super::problem::ASSUMED_EXTENT;
use crate::analysis::{computation::Computation, index::Domain};
use mdh_dialects::{
    hom::CombineOperator,
    schedule::model::{Level, Placement, Schedule, Step, Tag},
};

/// A schedule for parts of a producer from one for the extents of a part, on one thread.
pub fn of_producer(schedule: &Schedule, operators: &[CombineOperator]) -> Schedule {
    let kept: Vec<_> = (0..operators.len()).filter(|d| operators[*d].keeps()).collect();
    let outermost = outermost_placements(schedule);
    of_dimensions(schedule, &kept, &outermost)
}

/// A schedule for all parts of some dimensions of a consumer from one for the extents of a part, on one thread. Inputs
/// that move with the part are copied in parts, too.
pub fn of_consumer(schedule: &Schedule, computation: &Computation<'_>, dimensions: &[usize]) -> Schedule {
    let mut outermost = outermost_placements(schedule);
    for (placement, input) in outermost.iter_mut().zip(&computation.inputs) {
        if input.accesses.iter().any(|access| dimensions.iter().any(|d| access.depends_on(*d))) {
            *placement = schedule.home(input.shape.len());
        }
    }
    of_dimensions(schedule, dimensions, &outermost)
}

/// The placements of inputs outside of all loops.
fn outermost_placements(schedule: &Schedule) -> Vec<Placement> {
    schedule.decompose.first().map_or_else(|| schedule.scalar.reads.clone(), |step| step.placements.clone())
}

/// A schedule for all parts of some dimensions from one for the extents of a part, on one thread: the outermost memory
/// layer of these dimensions has as many parts as needed, in loops around all others, where inputs are read from these
/// placements.
fn of_dimensions(schedule: &Schedule, dimensions: &[usize], placements: &[Placement]) -> Schedule {
    let mut schedule = schedule.clone();
    let mut outermost: Vec<Level> = vec![];
    let is_given = |d: &&usize| schedule.parts.iter().all(|layer| layer[**d].is_some());
    let opened: Vec<_> = dimensions.iter().filter(is_given).copied().collect();
    for d in opened {
        let Some(level) = outermost_memory(&schedule, d) else { continue };
        schedule.parts[level.layer][d] = None;
        // The levels of a scanned dimension are in the order of the layers (rule S7).
        outermost.extend((0..=level.layer).map(|layer| Level { layer, dimension: d }));
    }
    move_outside(&mut schedule, &outermost, placements);
    schedule
}

/// The level of a dimension on the outermost memory layer.
fn outermost_memory(schedule: &Schedule, d: usize) -> Option<Level> {
    let levels = schedule.decompose.iter().filter(|step| step.level.dimension == d);
    let of_memory = levels.filter(|step| schedule.system.memory_role(&step.tag.layer).is_some());
    of_memory.map(|step| step.level).min()
}

/// The innermost of the loops over parts of some dimensions.
pub fn innermost(schedule: &Schedule, dimensions: &[usize]) -> Option<Level> {
    outermost_memory(schedule, *dimensions.last()?)
}

/// Distributes the parts of the largest of some concatenated dimensions over threads, as at most this number of parts.
pub fn distribute(schedule: &mut Schedule, dimensions: &[usize], count: u64, domain: &Domain) {
    let extent = |d: usize| domain.extent(d).unwrap_or(ASSUMED_EXTENT);
    let Some(d) = dimensions.iter().copied().max_by_key(|d| extent(*d)) else { return };
    let Some(level) = outermost_memory(schedule, d) else { return };
    let threaded = schedule.decompose.iter().find(|step| step.level.dimension == d && schedule.is_threaded(&step.tag));
    let Some(threads) = threaded.map(|step| step.level) else { return };
    let inside = (level.layer + 1..schedule.parts.len()).filter_map(|layer| schedule.parts[layer][d]).product::<u64>();
    let parts = extent(d).div_ceil(inside.max(1));
    schedule.parts[threads.layer][d] = Some(count.min(parts).max(1));
    let placements = outermost_placements(schedule);
    move_outside(schedule, &[threads], &placements);
}

/// Moves levels outside of all others, in this order. Inputs are read from these placements in their steps.
fn move_outside(schedule: &mut Schedule, levels: &[Level], placements: &[Placement]) {
    let position = |level: Level| levels.iter().position(|known| *known == level).unwrap_or(levels.len());
    schedule.decompose.sort_by_key(|step: &Step| position(step.level));
    for step in schedule.decompose.iter_mut().take(levels.len()) {
        step.placements = placements.to_vec();
    }
    schedule.scalar.order.sort_by_key(|(level, _): &(Level, Tag)| position(*level));
    schedule.recompose.sort_by_key(|step: &Step| position(step.level));
}
