//! Resolves a schedule to a plan.
//!
//! The re-composition is the outermost structure: each of its steps has its results in the buffers around it, or in new
//! ones. The other phases are resolved at the position of the re-composition: the steps of the de-composition and the
//! scalar phase at the depth of the loops that they share with it.
//!
//! ```text
//! D = S = R                 S and R share k levels               D and S share k levels
//! for shared levels:        for shared levels:                   for shared levels:
//!   promote inputs            for other levels of S:               promote inputs for all other levels of D
//!   r = combine(r, f(...))      results[...] = f(...)              for other levels of S: ...
//!                             for other levels of R:
//!                               r = combine(r, results[...])
//! ```
//!
//! `resolve/tile.rs` decides which levels belong to a register tile, `resolve/promote.rs` what precedes the loops of a
//! part, `resolve/combine.rs` what runs the parts of a level and how their results are combined, `resolve/carry.rs`
//! which loops have their results in registers, and `resolve/kernels.rs` which steps form a kernel.
mod carry;
mod combine;
mod kernels;
mod promote;
mod tile;

pub use kernels::{depth, memory, places};

use super::{
    Cause, DistributedLevels, LoopPlan, PlanNode, PlannedBody, PlannedBuffer, PlannedTile,
    facts::PlanFacts,
    order::{OrderedStep, Phases},
    tile::TileAxis,
};
use mdh_dialects::schedule::{
    model::{Level, Placement, Tag},
    roles::Memory,
};

/// The plan of a schedule, whose phases are in the order of their loops.
pub fn resolve(facts: &PlanFacts, phases: &Phases<'_>) -> LoopPlan {
    let (shared, decomposed) = (phases.shared(&phases.recompose), phases.shared(&phases.decompose));
    let resolver = PlanResolver { facts, phases, shared, decomposed };
    let mut position = PlanPosition::new(facts);
    let entry = resolver.enter(&mut position);
    let outputs = Destination { has_inits: facts.has_inits, ..Destination::new(&facts.outputs) };
    LoopPlan { body: PlannedBody { entry, node: resolver.recompose(0, &position, &outputs) } }
}

/// The inputs of all decisions, which are the same at all positions.
struct PlanResolver<'a> {
    facts: &'a PlanFacts,
    phases: &'a Phases<'a>,
    /// The number of leading loops that the scalar phase and the re-composition share.
    shared: usize,
    /// The number of leading loops that the de-composition and the scalar phase share.
    decomposed: usize,
}

/// A position in the loops.
#[derive(Clone)]
struct PlanPosition {
    /// What runs the code here.
    space: PlannedSpace,
    /// The number of levels with more than one part that are around this position.
    depth: usize,
    /// By dimension: the layers whose loop is around this position, and the part number if it is known.
    fixed: Vec<Vec<(usize, Option<i64>)>>,
    /// The register tile around this position.
    tile: Vec<TileAxis>,
    /// By input buffer: its placement.
    placements: Vec<Placement>,
    /// True after a separate scalar phase.
    has_results: bool,
    /// True inside of a parallel loop.
    is_in_parallel_loop: bool,
}

/// What runs the code at a position.
#[derive(Clone)]
enum PlannedSpace {
    /// The processor, with buffers in its memory.
    Processor,
    /// The host around kernels.
    Host,
    /// A kernel.
    Kernel {
        /// The levels that its blocks and threads own.
        distributed: DistributedLevels,
        /// True if control flow must be uniform across the block in the code inside of this position.
        is_collective: bool,
    },
}

impl PlanPosition {
    /// The entry of the nest.
    fn new(facts: &PlanFacts) -> Self {
        Self {
            space: if facts.has_kernels { PlannedSpace::Host } else { PlannedSpace::Processor },
            depth: 0,
            fixed: vec![vec![]; facts.operators.len()],
            tile: vec![],
            placements: facts.placements.clone(),
            has_results: false,
            is_in_parallel_loop: facts.is_in_parallel_loop,
        }
    }

    /// This position inside of a loop over the parts of a level. `number`: the part number, if it is known.
    fn inside(&self, level: Level, number: Option<i64>) -> Self {
        let mut inner = self.clone();
        inner.fixed[level.dimension].push((level.layer, number));
        inner.depth += 1;
        inner
    }

    fn in_kernel(&self, distributed: &DistributedLevels) -> Self {
        let space = PlannedSpace::Kernel { distributed: distributed.clone(), is_collective: false };
        Self { space, ..self.clone() }
    }

    fn is_host(&self) -> bool {
        matches!(self.space, PlannedSpace::Host)
    }

    fn is_kernel(&self) -> bool {
        matches!(self.space, PlannedSpace::Kernel { .. })
    }

    fn is_processor(&self) -> bool {
        matches!(self.space, PlannedSpace::Processor)
    }

    /// True if a level is an axis of the register tile.
    fn has_in_tile(&self, level: Level) -> bool {
        super::tile::has(&self.tile, level)
    }
}

/// The results into which a step combines its own.
#[derive(Clone)]
struct Destination {
    /// By output buffer.
    placements: Vec<Placement>,
    /// The levels of reduced dimensions that are around the position and inside of the allocation of the results.
    entered: Vec<Level>,
    /// True if they start with initial values.
    has_inits: bool,
}

impl Destination {
    fn new(placements: &[Placement]) -> Self {
        Self { placements: placements.to_vec(), entered: vec![], has_inits: false }
    }

    /// These results inside of one more level of a reduced dimension.
    fn inside(&self, level: Level) -> Self {
        let mut inner = self.clone();
        inner.entered.push(level);
        inner
    }
}

impl PlanResolver<'_> {
    /// The loops of the steps from `j` of the re-composition on.
    fn recompose(&self, j: usize, position: &PlanPosition, into: &Destination) -> PlanNode {
        if position.is_host() && self.fits_kernel(j, position) {
            return self.kernel(j, position, into);
        }
        let step = self.phases.recompose.get(j);
        let is_loaded = step.is_none() && position.has_results;
        let mut into = into.clone();
        if self.is_in_registers(j, position, &into) {
            into.placements = self.placements(j).to_vec();
        }
        let moved = !is_loaded && into.placements != self.placements(j);
        let begins_anew = step.is_some_and(|step| self.begins_anew(step, position, &into));
        if !moved && !begins_anew {
            return self.step(j, position, &into);
        }
        let placements = self.placements(j).to_vec();
        let node = self.step(j, position, &Destination::new(&placements));
        let (cause, is_collective) = (self.because_of_recompose(j), self.is_collective(position));
        PlanNode::Accumulate(Box::new(PlannedBuffer { cause, placements, is_collective, node }))
    }

    /// True if a step needs results of its own: a prefix sum inside of a reduction, or a reduction inside of a reduction
    /// of another dimension, unless one value reduces all dimensions.
    fn begins_anew(&self, step: &OrderedStep, position: &PlanPosition, into: &Destination) -> bool {
        let operator = &self.facts.operators[step.level.dimension];
        let is_other = |level: &Level| level.dimension != step.level.dimension;
        let is_separate =
            || !self.facts.has_one_value && !position.has_in_tile(step.level) && into.entered.iter().any(is_other);
        let is_loop = step.is_loop && !into.entered.is_empty();
        is_loop && (operator.is_scan() || operator.reduces() && is_separate())
    }

    /// True if the results of the steps from `j` on stay in registers, so that the buffer in private memory of a thread
    /// that the schedule names is not allocated.
    fn is_in_registers(&self, j: usize, position: &PlanPosition, into: &Destination) -> bool {
        let placements = self.placements(j);
        let is_private = placements.iter().all(|placement| self.memory(&placement.region) == Memory::Private);
        if !position.is_kernel() || into.placements == placements || !is_private {
            return false;
        }
        let inside = &self.phases.recompose[j..];
        let is_settled = inside.iter().all(|step| step.placements == placements) && self.phases.writes == placements;
        let mut loops = inside.iter().filter(|step| step.is_loop && !position.has_in_tile(step.level));
        let concatenates = loops.all(|step| self.facts.operators[step.level.dimension].concatenates());
        is_settled && !position.has_results && (concatenates || self.carried_axes(j, position, placements).is_some())
    }

    /// The loops of step `j`, whose results are in the placements of the destination.
    fn step(&self, j: usize, position: &PlanPosition, into: &Destination) -> PlanNode {
        let Some(step) = self.phases.recompose.get(j) else {
            return PlanNode::Leaf { is_loaded: position.has_results };
        };
        if !step.is_loop || position.has_in_tile(step.level) {
            return self.recompose(j + 1, position, into);
        }
        let axes = self.leading_axes(j, position, &into.placements);
        if axes.is_empty() {
            return self.parts(j, step, position, into);
        }
        let (axes, inner) = self.in_tile(position, &axes);
        PlanNode::Tile(Box::new(PlannedTile { axes, node: self.recompose(j, &inner, into) }))
    }

    /// The placements that step `j` of the re-composition writes to; past the last step, those of the scalar phase.
    fn placements(&self, j: usize) -> &[Placement] {
        self.phases.recompose.get(j).map_or(&self.phases.writes, |step| &step.placements)
    }

    /// Step `j` of the re-composition as the cause of a buffer; past the last step, the scalar phase.
    fn because_of_recompose(&self, j: usize) -> Cause {
        self.phases.recompose.get(j).map_or(Cause::Scalar, |step| Cause::Recompose(j, step.level))
    }

    /// The number of parts of a level that start before the end of its dimension, if it is known.
    fn trip(&self, position: &PlanPosition, level: Level) -> Option<i64> {
        self.facts.counts.trip(level, &position.fixed)
    }

    /// The position in a loop over `trip` parts of a level.
    fn in_loop(&self, position: &PlanPosition, level: Level, trip: Option<i64>) -> PlanPosition {
        position.inside(level, (trip == Some(1)).then_some(0))
    }

    /// The kind of device memory of a region.
    fn memory(&self, region: &str) -> Memory {
        self.phases.schedule.system.device_memory(region)
    }

    /// True if the parts of a level with this tag are computed in parallel: by threads on a processor, by any core layer
    /// on a device.
    fn is_distributed(&self, tag: &Tag) -> bool {
        let schedule = self.phases.schedule;
        if self.facts.has_kernels { schedule.is_core(tag) } else { schedule.is_threaded(tag) }
    }
}
