//! A low-level expression in the form that the rules check. It may be incomplete; a schedule gives a complete one.
//!
//! ```text
//! inp_view -> decompose* -> scalar -> recompose* -> out_view
//! ```
use super::{
    model::{Level, Placement, Schedule, System, Tag},
    rules::Shape,
};
use crate::hom::CombineOperator;

/// A position in an expression, to which a violation or its note refers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// A step of the de-composition phase, by its index.
    Decompose(usize),
    /// The scalar phase.
    Scalar,
    /// A step of the re-composition phase, by its index.
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
    /// The number of its parts; `None` (`?`) if it follows from the extent.
    pub parts: Option<u64>,
    /// The system level that executes it, if already known.
    pub tag: Option<Tag>,
    /// The placement of each buffer, if already known. The scalar phase has one list for all of its levels, not here.
    pub placements: Option<Vec<Placement>>,
    /// The operator that combines its parts in the re-composition phase.
    pub operator: CombineOperator,
}

/// One low-level expression, possibly incomplete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The system, if it is known.
    pub system: Option<System>,
    /// The number of its layers.
    pub layers: usize,
    /// The extents of the iteration space; `None` if dynamic.
    pub extents: Vec<Option<u64>>,
    /// The rank of each input buffer, if the de-composition phase starts at its view, and thus is complete.
    pub inputs: Option<Vec<usize>>,
    /// The rank of each output buffer, if the re-composition phase ends at its view, and thus is complete.
    pub outputs: Option<Vec<usize>>,
    /// By layer, then by dimension: the number of parts; `None` unless all levels are present.
    pub parts: Option<Vec<Vec<Option<u64>>>>,
    /// The de-composition phase, outermost step first.
    pub decompose: Vec<ChainStep>,
    /// The levels of the scalar phase.
    pub scalar: Vec<ChainStep>,
    /// By input buffer: where the scalar phase reads, if already known.
    pub reads: Option<Vec<Placement>>,
    /// By output buffer: where the scalar phase writes, if already known.
    pub writes: Option<Vec<Placement>>,
    /// The re-composition phase, outermost step first.
    pub recompose: Vec<ChainStep>,
}

impl Chain {
    /// The expression of a computation with a schedule, whose part counts must cover all layers and dimensions.
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
