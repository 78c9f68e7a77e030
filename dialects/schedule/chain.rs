//! A low-level expression as the rules see it, as far as it is there: a schedule is a complete one.
//!
//! ```text
//! inp_view -> decompose* -> scalar -> recompose* -> out_view
//! ```
use super::{
    model::{Level, Placement, Schedule, System, Tag},
    rules::Shape,
};
use crate::hom::CombineOperator;

/// A place in an expression, where a rule is violated or what it is violated by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A step of the de-composition phase, by its position.
    Decompose(usize),
    /// The scalar phase.
    Scalar,
    /// A step of the re-composition phase, by its position.
    Recompose(usize),
    /// The view of the inputs.
    Inputs,
    /// The view of the outputs.
    Outputs,
    /// The system.
    System,
}

/// A level of one of the phases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainStep {
    /// The level.
    pub level: Level,
    /// The number of its parts; `None` is as many as the extent needs.
    pub parts: Option<u64>,
    /// The system level that computes it, if it is known already.
    pub tag: Option<Tag>,
    /// By buffer, if they are known already. The scalar phase has those of all of its levels in common.
    pub placements: Option<Vec<Placement>>,
    /// What combines its parts in the re-composition phase.
    pub operator: CombineOperator,
}

/// One low-level expression, as far as it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The system, if it is known.
    pub system: Option<System>,
    /// The number of its layers.
    pub layers: usize,
    /// The extents of the iteration space; `None` where dynamic.
    pub extents: Vec<Option<u64>>,
    /// The rank of each input buffer, if the de-composition phase reaches the view that has them: then it is complete.
    pub inputs: Option<Vec<usize>>,
    /// The rank of each output buffer, if the re-composition phase reaches the view that has them: then it is complete.
    pub outputs: Option<Vec<usize>>,
    /// By layer, then by dimension: the number of parts, if all levels are there.
    pub parts: Option<Vec<Vec<Option<u64>>>>,
    /// The de-composition phase, outermost step first.
    pub decompose: Vec<ChainStep>,
    /// The levels of the scalar phase.
    pub scalar: Vec<ChainStep>,
    /// By input buffer, where the scalar phase reads, if it is known already.
    pub reads: Option<Vec<Placement>>,
    /// By output buffer, where the scalar phase writes, if it is known already.
    pub writes: Option<Vec<Placement>>,
    /// The re-composition phase, outermost step first.
    pub recompose: Vec<ChainStep>,
}

impl Chain {
    /// The expression that a schedule makes of a computation. It has parts for each of its layers and dimensions.
    pub fn of(schedule: &Schedule, shape: &Shape) -> Self {
        let step = |level: Level, tag: &Tag, placements: Option<&Vec<Placement>>| ChainStep {
            level,
            parts: schedule.parts.get(level.layer).and_then(|row| row.get(level.dimension)).map_or(Some(1), |p| *p),
            tag: Some(tag.clone()),
            placements: placements.cloned(),
            operator: shape.operators.get(level.dimension).cloned().unwrap_or(CombineOperator::Concatenation),
        };
        let steps = |steps: &[super::model::Step]| {
            steps.iter().map(|one| step(one.level, &one.tag, Some(&one.placements))).collect()
        };
        Self {
            layers: schedule.system.layers(),
            system: Some(schedule.system.clone()),
            extents: shape.extents.clone(),
            inputs: Some(shape.inputs.clone()),
            outputs: Some(shape.outputs.clone()),
            parts: Some(schedule.parts.clone()),
            decompose: steps(&schedule.decompose),
            scalar: schedule.scalar.order.iter().map(|(level, tag)| step(*level, tag, None)).collect(),
            reads: Some(schedule.scalar.reads.clone()),
            writes: Some(schedule.scalar.writes.clone()),
            recompose: steps(&schedule.recompose),
        }
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.extents.len()
    }
}
