//! Prefetches: what hardware does not see coming.
//!
//! ```text
//! for j (L1): for k: … B[k, j + 0..16] …   ──▶   for j: for k: prefetch B[k, j + 16 ..]; … B[k, j + 0..16] …
//! ```
//!
//! A reduction that goes from row to row reads a short run of each. Prefetchers follow long runs, and few rows at a time; the runs
//! that the next tile will read are asked for while this one is computed.
use crate::{
    analysis::index::Group,
    nest::{
        frame::{Construction, Frame},
        index::Index::{Computed, Constant},
        space::Point,
        tile::and,
    },
};
use mdh_dialects::{
    ir::IntPredicate,
    schedule::model::{Level, Step},
};

/// Buffers of fewer bytes stay in the cache of a core.
const LARGE: u64 = 1 << 20;

impl<'t> Construction<'_, 't> {
    /// The point whose elements of an input the next tile reads, at the same place of the reduction as this point, if these come as a
    /// surprise for the hardware.
    pub fn next_run(&self, frame: &Frame<'t>, buffer: usize, group: &Group, point: &Point) -> Option<Point> {
        let (b, lanes) = (&frame.b, frame.tile.lanes()?);
        let input = &self.workload.inputs[buffer];
        let is_large = input.array.bytes().is_none_or(|bytes| bytes >= LARGE);
        let is_home = frame.placements[buffer] == self.home_inputs[buffer];
        if !is_large || !is_home || !group.runs_along(lanes.level.dimension) {
            return None;
        }
        let is_one_by_one = |step: &&Step| {
            let tag = &step.tag;
            let is_tile = self.schedule.is_register(tag) || self.schedule.is_vector(tag);
            self.schedule.is_loop(step.level) && !is_tile && !self.schedule.is_threaded(tag)
        };
        let mut loops = self.schedule.recompose.iter().filter(is_one_by_one).rev().map(|step| step.level);
        let innermost = loops.next()?.dimension;
        if !group.depends_on(innermost) || group.runs_along(innermost) {
            return None;
        }
        let level = loops.find(|level| group.runs_along(level.dimension))?;
        let Level { layer, dimension } = level;
        let (_, number) = *point.fixed[dimension].iter().find(|(known, _)| *known == layer)?;
        let mut next = point.clone();
        next.set(level, number.add(b, Constant(1)));
        // Behind the last tile there is none.
        let is_inside =
            next.offset(b, &self.space, dimension).compare(b, IntPredicate::Slt, self.space.extent(dimension));
        let is_part = number.add(b, Constant(1)).compare(b, IntPredicate::Slt, self.space.parts[layer][dimension]);
        let exists = and(b, Some(is_inside), is_part);
        let chosen = [exists, number.add(b, Constant(1)).materialize(b), number.materialize(b)];
        next.set(level, Computed(b.select(chosen[0], chosen[1], chosen[2])));
        Some(next)
    }
}
