//! The outline of a nest: the levels around its scalar function, outermost first, and the promotions of inputs among
//! them.
//!
//! ```text
//! parallel for p1_1:                  ──▶   threads (1, 1) · [input 2] · (1, 3) · unroll (2, 1) · vectorize (3, 2)
//!   promote input 2 to L2[1,2]:
//!   for p1_3:
//!     unroll level (2, 1) by 6, vectorize level (3, 2) by 16:
//!       … scalar …
//! ```
//!
//! The cost models, `mdh explain --why` and the lints of schedules read it, because it describes the generated code. A
//! search works in the other direction: it proposes a plan or a tiling, whose schedule has a nest with the same outline
//! (`schedule/plan/tests.rs` and `schedule/gpu/tests.rs` compare both). Code may exist in several versions, such as for
//! whole and for partial register tiles: the outline is that of the first version with the most levels.
use super::tree::{Block, Nest, Operation, Purpose, TileAxis};
use mdh_dialects::schedule::{
    model::{Level, Placement},
    roles::CoreRole,
};

/// The execution of the parts of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runner {
    /// By threads of the processor, or by blocks, warps or threads of a kernel.
    Cores(CoreRole),
    /// By a sequential loop.
    Loop,
    /// By unrolled code, with a value in registers for each part.
    Unrolled,
    /// As the lanes of vectors.
    Lanes,
}

/// The copy of a part of an input to another region or layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromotedInput {
    /// The input buffer.
    pub input: usize,
    /// The number of levels around the copy.
    pub inside: usize,
    /// The placement of the part.
    pub placement: Placement,
}

/// The levels around the scalar function of a nest, and the promotions among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The levels, outermost first. Levels with one part are left out.
    pub levels: Vec<(Level, Runner)>,
    /// The promotions, in execution order.
    pub promotions: Vec<PromotedInput>,
}

impl Outline {
    /// Returns the outline of a nest.
    pub fn of(nest: &Nest) -> Self {
        let mut walk = Walk { nest, here: Self::default(), found: None };
        walk.block(Nest::BODY);
        walk.found.unwrap_or_default()
    }

    /// Returns the execution of the parts of a level; `None` if the level is not in the outline: it has one part.
    pub fn runner(&self, level: Level) -> Option<Runner> {
        self.levels.iter().find(|(known, _)| *known == level).map(|(_, runner)| *runner)
    }
}

/// The traversal of a nest to all evaluations of its scalar function.
struct Walk<'a> {
    nest: &'a Nest,
    here: Outline,
    found: Option<Outline>,
}

impl Walk<'_> {
    fn block(&mut self, block: Block) {
        let nest = self.nest;
        for statement in nest.block(block) {
            match &statement.operation {
                Operation::Scalar(_) => self.scalar(),
                // The loops of a producer are not around the scalar function of the computation.
                Operation::Group(Purpose::Compute { .. } | Purpose::Share { .. }, _) => {}
                Operation::Group(Purpose::Promote { input, placement, .. }, _) => {
                    let inside = self.here.levels.len();
                    self.here.promotions.push(PromotedInput { input: *input, inside, placement: placement.clone() });
                }
                Operation::Group(Purpose::Tile(axes), block) => {
                    let runner = |axis: &TileAxis| if axis.is_lanes { Runner::Lanes } else { Runner::Unrolled };
                    self.inside(axes.iter().map(|axis| (axis.level, runner(axis))), *block);
                }
                Operation::Loop(r#loop) => self.inside(r#loop.level.map(|level| (level, Runner::Loop)), r#loop.body),
                Operation::Parallel(r#loop) => {
                    let runner = Runner::Cores(CoreRole::Threads);
                    self.inside(r#loop.level.map(|level| (level, runner)), r#loop.body);
                }
                Operation::Kernel(kernel) => {
                    let levels = kernel.levels.iter().flatten();
                    self.inside(levels.map(|share| (share.level, Runner::Cores(share.role))), kernel.body);
                }
                operation => operation.blocks().into_iter().for_each(|block| self.block(block)),
            }
        }
    }

    /// Visits the block of some levels. Promotions before the scalar function may be in branches of a block, such as the
    /// first copy to several buffer slots, so promotions end with the block of their levels.
    fn inside(&mut self, levels: impl IntoIterator<Item = (Level, Runner)>, block: Block) {
        let (before, promotions) = (self.here.levels.len(), self.here.promotions.len());
        self.here.levels.extend(levels);
        self.block(block);
        self.here.levels.truncate(before);
        self.here.promotions.truncate(promotions);
    }

    fn scalar(&mut self) {
        let is_deeper = |found: &Outline| found.levels.len() < self.here.levels.len();
        if self.found.as_ref().is_none_or(is_deeper) {
            self.found = Some(self.here.clone());
        }
    }
}
