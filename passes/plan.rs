//! Plans of loops: what a schedule decides about the loops of a computation, as a tree of plain data.
//!
//! ```text
//! schedule × facts ──resolve──▶ plan ──record──▶ nest
//! ```
//!
//! A schedule says what is divided, and where buffers are. A plan says what runs the parts of each level, which levels
//! belong to a register tile, where results accumulate and how they are combined, where an input is copied, and which
//! levels form a kernel. It has a node for each level, and not for each statement: the nest of a plan (`passes/nest/`)
//! has the statements. `resolve.rs` builds a plan, `print.rs` prints it, and `check.rs` checks what kernels require.
//!
//! ```text
//! D = S = R: i (++), k (+)                 plan
//! REG, SIMD: tiles of i            ──▶     for (1, 1)
//!                                            unroll (2, 1) by 4
//!                                              in registers:
//!                                                for (1, 2) carried
//!                                                  scalar function
//! ```
//!
//! Each node has the step of the user's schedule that it comes from. What depends on the extents at run time, such as
//! partial tiles, is in versions of the code of a node.

pub mod check;
pub mod facts;
pub mod order;
pub mod outline;
pub mod print;
pub mod resolve;
pub mod runner;
pub mod static_counts;
pub mod tile;

use mdh_dialects::schedule::{
    model::{Level, Placement, Tag},
    roles::CoreRole,
};
use runner::{Combination, Runner};
use tile::TileAxis;

/// The loops of a computation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopPlan {
    /// The code of the whole computation.
    pub body: PlannedBody,
}

/// The code of a part: what precedes its loops, and the loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedBody {
    /// What precedes the loops.
    pub entry: PlannedEntry,
    /// The loops.
    pub node: PlanNode,
}

/// What precedes the loops of a part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlannedEntry {
    /// The producers whose parts are computed, in order.
    pub producers: Vec<usize>,
    /// The steps of the de-composition that place inputs, in order.
    pub promotions: Vec<PromotionStep>,
    /// True if threads of a processor copy inputs in parallel.
    pub is_parallel: bool,
    /// The separate scalar phase; `None` if there is none, or if it is elsewhere.
    pub scalar_phase: Option<Box<PlannedScalarPhase>>,
}

impl PlannedEntry {
    /// True if nothing precedes the loops.
    pub fn is_empty(&self) -> bool {
        self.producers.is_empty() && self.promotions.is_empty() && self.scalar_phase.is_none()
    }
}

/// A step of the de-composition, or the scalar phase, that gives inputs other placements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromotionStep {
    /// The position of the step; that of the scalar phase is after the last step.
    pub position: usize,
    /// The inputs whose placement changes.
    pub inputs: Vec<PlannedPromotion>,
    /// True if the threads of a block wait before and after the copies.
    pub has_barriers: bool,
}

/// A new placement of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedPromotion {
    /// The input buffer.
    pub input: usize,
    /// The placement of the copy.
    pub placement: Placement,
    /// True if the input is read from the user's buffer again, so that nothing is copied.
    pub is_home: bool,
    /// The step that makes the copy necessary.
    pub cause: Cause,
}

/// The step that makes a buffer necessary: its position in its phase, and its level in the user's schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// No step of the schedule: the computation itself.
    Computation,
    /// A step of the de-composition.
    Decompose(usize, Level),
    /// The scalar phase.
    Scalar,
    /// A step of the re-composition.
    Recompose(usize, Level),
    /// A level at which a producer is computed.
    Producer(Level),
}

/// A scalar phase with loops of its own, whose results are in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedScalarPhase {
    /// The placements of its results, by output buffer.
    pub placements: Vec<Placement>,
    /// The kernel that runs it; `None` if it runs where it is.
    pub kernel: Option<DistributedLevels>,
    /// What precedes the loops in the kernel.
    pub entry: PlannedEntry,
    /// True if each thread of a kernel executes all of it, with results in private memory.
    pub is_redundant: bool,
    /// Its loops, outermost first.
    pub loops: Vec<ScalarLoop>,
}

/// A loop of a separate scalar phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalarLoop {
    /// The level.
    pub level: Level,
    /// The number of its parts, if it is known before the program runs.
    pub count: Option<u64>,
    /// What runs its parts.
    pub runner: Runner,
    /// True if the threads of a block wait for each other inside of it.
    pub is_collective: bool,
    /// The promotions inside of it.
    pub entry: PlannedEntry,
}

/// A node of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanNode {
    /// A kernel, launched by the host.
    Kernel(Box<PlannedKernel>),
    /// Results in a buffer of their own, which are then combined into those around them.
    Accumulate(Box<PlannedBuffer>),
    /// Levels of a register tile.
    Tile(Box<PlannedTile>),
    /// The parts of a level.
    Loop(Box<PlannedLoop>),
    /// Loops whose results stay in registers until they are stored.
    Carry(Box<PlannedCarry>),
    /// The values at a point.
    Leaf {
        /// True if they are the results of a separate scalar phase; false if the scalar function computes them.
        is_loaded: bool,
    },
}

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedKernel {
    /// The levels that its blocks and threads own.
    pub distributed: DistributedLevels,
    /// The code of a thread.
    pub body: PlannedBody,
}

/// The levels that are distributed over the blocks and threads of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DistributedLevels {
    /// By phase.
    pub levels: Vec<DistributedLevel>,
    /// Levels of threads that are fixed at the position of their step, inside of other steps, and not at the entry of
    /// the kernel.
    pub unfixed: Vec<Level>,
    /// The number of threads of a block; `None` if it follows from a dynamic extent.
    pub threads: Option<u64>,
}

/// A level that is distributed over blocks or threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistributedLevel {
    /// The phase in which it is distributed.
    pub phase: KernelPhase,
    /// The level.
    pub level: Level,
    /// The core layer, and the dimension of the grid or block.
    pub tag: Tag,
    /// The role of the core layer.
    pub role: CoreRole,
    /// The number of its parts, if it is known before the program runs.
    pub count: Option<u64>,
}

/// The phases whose levels are mapped to blocks and threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelPhase {
    /// The loops that the scalar phase and the re-composition share.
    Both,
    /// The scalar phase inside of the common loops, if it has loops of its own.
    Scalar,
    /// The re-composition inside of the common loops.
    Recompose,
}

/// Results in a buffer of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedBuffer {
    /// The step that makes the buffer necessary.
    pub cause: Cause,
    /// The placements of the results, by output buffer.
    pub placements: Vec<Placement>,
    /// True if the threads of a block wait for each other before the results are overwritten.
    pub is_collective: bool,
    /// The loops that compute the results.
    pub node: PlanNode,
}

/// Levels of a register tile, all of whose parts are computed at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedTile {
    /// The levels, outermost first.
    pub axes: PlannedAxes,
    /// The loops inside of the tile.
    pub node: PlanNode,
}

/// Levels of a register tile, with the copies at each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlannedAxes {
    /// The levels, outermost first, each with what precedes those inside of it.
    pub axes: Vec<(TileAxis, PlannedEntry)>,
    /// True if the threads of a block wait for each other inside of the tile.
    pub is_collective: bool,
}

impl PlannedAxes {
    /// The levels, outermost first.
    pub fn levels(&self) -> Vec<TileAxis> {
        self.axes.iter().map(|(axis, _)| *axis).collect()
    }
}

/// The parts of a level of the re-composition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedLoop {
    /// The step.
    pub cause: Cause,
    /// The level.
    pub level: Level,
    /// The number of its parts, if it is known before the program runs.
    pub count: Option<u64>,
    /// What runs the parts.
    pub runner: Runner,
    /// How their results are combined; `None` if they are separate.
    pub combination: Option<Combination>,
    /// By output buffer, the placements of the results of a part, or of the carry of a scanned part, if they are in
    /// memory of their own.
    pub partial: Option<Vec<Placement>>,
    /// True if the threads of a block wait for each other inside of the loop.
    pub is_collective: bool,
    /// How a loop in registers adds to its accumulators.
    pub summation: Summation,
    /// True if a loop in registers passes its accumulators to the loops inside of it.
    pub is_one_sum: bool,
    /// True if the first part is computed before the loop, whose first values are its results.
    pub is_peeled: bool,
    /// The kernel whose blocks run the parts, each one part.
    pub kernel: Option<DistributedLevels>,
    /// The reduction of each part that precedes the scan of the parts by blocks.
    pub reduction: Option<Box<PlannedLoop>>,
    /// The code of a part.
    pub body: PlannedBody,
}

impl PlannedLoop {
    /// The level, and whether the threads of a block wait for each other inside of it.
    pub fn collective_level(&self) -> (Level, bool) {
        (self.level, self.is_collective)
    }

    /// The placements of partial results.
    pub fn placements(&self) -> &[Placement] {
        self.partial.as_deref().unwrap_or_default()
    }
}

/// Loops whose results stay in registers: reductions, or the innermost scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedCarry {
    /// The level of the outermost of the loops.
    pub level: Level,
    /// How the results of its parts are combined.
    pub combination: Combination,
    /// The register tile around the loops.
    pub tile: PlannedAxes,
    /// The reduced dimensions of the loops and of the tile.
    pub reduced: Vec<usize>,
    /// What the loops start with.
    pub start: CarryStart,
    /// The loops.
    pub node: PlanNode,
}

/// What the values of loops in registers start with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarryStart {
    /// The identity, or the first value.
    Anew,
    /// The initial values of the computation.
    InitialValues,
    /// The results of the loops around them.
    Results,
}

/// How a loop adds to its accumulators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Summation {
    /// Each iteration adds to the same accumulators.
    #[default]
    Whole,
    /// Each iteration has accumulators of its own, which are added afterwards.
    Each,
    /// Each block of this many iterations has accumulators of its own.
    Blocks(i64),
}
