//! The outline of a nest, which must be that of its plan.
//!
//! ```text
//! parallel for p1_1:                  ──▶   threads (1, 1) · [input 2] · (1, 3) · unroll (2, 1) · vectorize (3, 2)
//!   promote input 2 to L2[1,2]:
//!   for p1_3:
//!     unroll level (2, 1) by 6, vectorize level (3, 2) by 16:
//!       … scalar …
//! ```
//!
//! A debug build compares every nest with its plan. Code may exist in several versions, such as for whole and for partial
//! register tiles: the outline is that of the first version with the most levels.
use super::tree::{Block, Nest, Operation, Purpose};
use crate::plan::{
    LoopPlan,
    outline::{Outline, PromotedInput},
    runner::Runner,
    tile::TileAxis,
};
use mdh_dialects::schedule::{
    model::{Level, Schedule},
    roles::CoreRole,
};
use std::collections::BTreeSet;

/// What a nest has and its plan has not, or the other way round; `None` if they agree. A loop of up to three parts need not
/// be in the nest, which may have code for each of them: for the first one, for full register tiles, and for a partial one.
pub fn difference(plan: &LoopPlan, nest: &Nest, schedule: &Schedule) -> Option<String> {
    let (planned, recorded) = (Outline::of(plan), recorded(nest));
    // The trip count of a level may be smaller than its part count if another level follows from the extent.
    let is_open = |d: usize| schedule.parts.iter().any(|layer| layer[d].is_none());
    let is_short = |level: &Level| {
        is_open(level.dimension) || schedule.parts[level.layer][level.dimension].is_none_or(|count| count <= 3)
    };
    let is_unrolled = |(level, runner): &&(Level, Runner)| {
        *runner == Runner::Loop && is_short(level) && recorded.runner(*level).is_none()
    };
    let levels: Vec<_> = planned.levels.iter().filter(|planned| !is_unrolled(planned)).copied().collect();
    // A peeled iteration and several groups of accesses repeat promotions.
    let inputs = |outline: &Outline| -> BTreeSet<(usize, String)> {
        outline.promotions.iter().map(|promotion| (promotion.input, promotion.placement.to_string())).collect()
    };
    let is_alike = levels == recorded.levels && inputs(&planned) == inputs(&recorded);
    // An empty dimension has no code for its points.
    (!is_alike && recorded != Outline::default()).then(|| format!("{plan}has {planned:?}, its nest {recorded:?}"))
}

/// The outline of a nest.
fn recorded(nest: &Nest) -> Outline {
    let mut walk = RecordedWalk { nest, here: Outline::default(), found: None };
    walk.block(Nest::BODY);
    walk.found.unwrap_or_default()
}

/// The traversal of a nest to all evaluations of its scalar function.
struct RecordedWalk<'a> {
    nest: &'a Nest,
    here: Outline,
    found: Option<Outline>,
}

impl RecordedWalk<'_> {
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
                    let mut levels: Vec<_> =
                        kernel.levels.iter().flatten().map(|share| (share.level, Runner::Cores(share.role))).collect();
                    levels.dedup();
                    self.inside(levels, kernel.body);
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
