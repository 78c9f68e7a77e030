//! The levels of register tiles: which levels are unrolled-and-jammed at a position.
use super::{PlanPosition, PlanResolver};
use crate::plan::{
    PlannedAxes,
    order::OrderedStep,
    tile::{self, TileAxis},
};
use mdh_dialects::schedule::model::Placement;

impl PlanResolver<'_> {
    /// True if the code at a position consists only of loops, the scalar function and combining: nothing is promoted,
    /// computed for a producer, materialized or moved to another buffer, no loop is distributed over cores, and no
    /// prefix sum is computed.
    fn has_only_loops(&self, j: usize, position: &PlanPosition, placements: &[Placement]) -> bool {
        let has_kernels = self.facts.has_kernels;
        if !position.has_results {
            // In a kernel, a part is computed for all points of a tile together.
            let innermost = self.facts.producers.iter().map(|place| place.depth).max().unwrap_or(0);
            if !has_kernels && position.depth < innermost || self.shared < self.phases.scalar.len() {
                return false;
            }
            let mut depth = 0;
            // In a kernel, a part is promoted for all points of a tile together.
            let is_unchanged = |placements: &[Placement]| has_kernels || placements == position.placements;
            for step in &self.phases.decompose {
                if depth.min(self.decomposed) > position.depth && !is_unchanged(&step.placements) {
                    return false;
                }
                depth += usize::from(step.is_loop);
            }
            if depth > position.depth && !is_unchanged(&self.phases.reads) {
                return false;
            }
        }
        let is_plain = |step: &OrderedStep| {
            let is_scan = self.facts.operators[step.level.dimension].is_scan();
            step.placements == placements && !(step.is_loop && (is_scan || self.is_distributed(&step.tag)))
        };
        self.phases.recompose[j..].iter().all(is_plain) && (position.has_results || self.phases.writes == placements)
    }

    /// The level of step `j` as a new axis of the register tile; `None` if its tag is neither registers nor lanes, if
    /// the tile would be too large, or if the code from the step on has more than loops.
    pub(super) fn plain_axis(&self, j: usize, position: &PlanPosition, placements: &[Placement]) -> Option<TileAxis> {
        self.axis(&self.phases.recompose[j], &position.tile).filter(|_| self.has_only_loops(j, position, placements))
    }

    fn axis(&self, step: &OrderedStep, tile: &[TileAxis]) -> Option<TileAxis> {
        let schedule = self.phases.schedule;
        let has_lanes = !self.facts.has_kernels && schedule.is_vector(&step.tag);
        if !has_lanes && !schedule.is_register(&step.tag) {
            return None;
        }
        let count = schedule.parts[step.level.layer][step.level.dimension]?;
        let is_vector = self.facts.is_vectorizable && has_lanes;
        tile::axis(tile, step.level, i64::try_from(count).ok()?, is_vector)
    }

    /// The levels of concatenated dimensions, from step `j` on without a gap, to unroll-and-jam here; empty if this is
    /// not possible.
    pub(super) fn leading_axes(&self, j: usize, position: &PlanPosition, placements: &[Placement]) -> Vec<TileAxis> {
        if !self.has_only_loops(j, position, placements) {
            return vec![];
        }
        let (mut tile, mut axes) = (position.tile.clone(), vec![]);
        for step in self.phases.recompose[j..].iter().filter(|step| step.is_loop) {
            let is_kept = self.facts.operators[step.level.dimension].keeps();
            let Some(axis) = self.axis(step, &tile).filter(|_| is_kept && !tile::has(&tile, step.level)) else {
                break;
            };
            tile.push(axis);
            axes.push(axis);
        }
        axes
    }

    /// The levels of concatenated dimensions among the steps from `j` on, if all other loops there are reductions and
    /// their results can stay in registers; `None` otherwise.
    pub(super) fn carried_axes(
        &self,
        j: usize,
        position: &PlanPosition,
        placements: &[Placement],
    ) -> Option<Vec<TileAxis>> {
        let has_identity = self.facts.has_identity?;
        let is_plain = self.has_only_loops(j, position, placements);
        let (mut tile, mut axes, mut loops) = (position.tile.clone(), vec![], 0);
        for (i, step) in self.phases.recompose.iter().enumerate().skip(j) {
            if i > j && step.placements != placements {
                return None;
            }
            if !step.is_loop || tile::has(&tile, step.level) {
                continue;
            }
            let axis = self.axis(step, &tile).filter(|_| is_plain);
            match (self.facts.operators[step.level.dimension].reduces(), axis) {
                (true, None) if self.is_distributed(&step.tag) => return None,
                (true, None) => loops += 1,
                (true, Some(_)) => {}
                (false, Some(axis)) => {
                    tile.push(axis);
                    axes.push(axis);
                }
                (false, None) => return None,
            }
        }
        // Without an identity the first value initializes the reduction: the first iteration is peeled, which works for
        // one loop only.
        (self.phases.writes == placements && (has_identity || loops <= 1)).then_some(axes)
    }

    /// The register tile inside of step `j`, if it is the innermost scan, whose running values can stay in registers;
    /// `None` otherwise.
    pub(super) fn carried_scan_axes(
        &self,
        j: usize,
        position: &PlanPosition,
        placements: &[Placement],
    ) -> Option<Vec<TileAxis>> {
        let inside = &self.phases.recompose[j + 1..];
        let loops = inside.iter().filter(|step| step.is_loop).count();
        if loops == 0 {
            let is_last = inside.iter().all(|step| step.placements == placements) && self.phases.writes == placements;
            return is_last.then(Vec::new);
        }
        let axes = self.leading_axes(j + 1, position, placements);
        (axes.len() == loops).then_some(axes)
    }

    /// The position inside of additional axes of the register tile, with the copies at each of them.
    pub(super) fn in_tile(&self, position: &PlanPosition, axes: &[TileAxis]) -> (PlannedAxes, PlanPosition) {
        let mut inner = position.clone();
        let mut planned = vec![];
        for axis in axes {
            inner = inner.inside(axis.level, Some(0));
            inner.tile.push(*axis);
            let copies = self.facts.has_kernels && !inner.has_results;
            planned.push((*axis, if copies { self.copies(&mut inner, false) } else { Default::default() }));
        }
        let is_collective = self.is_collective(&inner);
        (PlannedAxes { axes: planned, is_collective }, inner)
    }
}
