//! Code size of a plan, in operations before simplification. Each element of a register tile has its own copy of the
//! scalar function, and each lane that is strided in memory has its own load or store.
use super::{
    super::problem::BufferAccess,
    geometry::{Geometry, LaneAccess},
};
use crate::plan::runner::Runner;
use std::collections::BTreeSet;

/// Operations of the control flow of a loop.
const LOOP: u64 = 6;
/// Operations of the copy of a packed input.
const PACKED: u64 = 40;
/// Operations of the loop over the lanes of a vector at the end of a dimension.
const LANE_LOOP: u64 = 6;

impl Geometry<'_> {
    /// Number of operations of all loops.
    pub(super) fn operations(&self) -> u64 {
        let width = self.vector.map_or(1, |l| l.parts);
        let values = self.plan.loops.iter().filter(|l| l.kind == Runner::Unrolled).map(|l| l.parts);
        let values = values.fold(1u64, u64::saturating_mul);
        let (problem, mut seen) = (self.problem, BTreeSet::new());
        let inputs = problem.accesses.iter().filter(|access| !access.is_output);
        let loads = inputs.map(|access| self.distinct(access, &mut seen) as u64 * self.read(access, width));
        let loads: u64 = loads.sum();
        let components = problem.components as u64;
        let computed = values.saturating_mul(problem.code.on_lanes(width) + components);
        let folded = self.vector.filter(|l| problem.reduces(l.dimension)).map_or(0, |l| {
            let steps = u64::from(l.parts.next_power_of_two().ilog2());
            values.saturating_mul(steps * (problem.code.on_lanes(1) + 2 * components))
        });
        let outputs = |code: &dyn Fn(&BufferAccess) -> u64| {
            let accesses = problem.accesses.iter().filter(|access| access.is_output);
            accesses.map(|access| values.saturating_mul(code(access))).fold(0u64, u64::saturating_add)
        };
        // The accumulators of an outer reduction loop are read before they are written.
        let is_updated = self.plan.loops[..self.tile].iter().any(|l| problem.reduces(l.dimension));
        let read = if is_updated { outputs(&|access| self.read(access, width)) } else { 0 };
        let all = [loads, computed, folded, read].into_iter().fold(0u64, u64::saturating_add);
        let whole = all.saturating_add(outputs(&|access| self.written(access, width)));
        // If tiles exceed the end of a dimension, partial tiles have their own version of the code.
        let is_clipped = |d: usize| {
            let tile = self.plan.loops.iter().filter(|l| l.dimension == d && l.is_in_registers()).map(|l| l.parts);
            let tile = tile.fold(1u64, u64::saturating_mul);
            tile > 1 && problem.known_extent(d).is_none_or(|extent| !extent.is_multiple_of(tile))
        };
        let partial_tiles = match (0..problem.rank()).any(is_clipped) {
            true => all.saturating_add(outputs(&|access| self.written_at_end(access))),
            false => 0,
        };
        let loops = self.plan.loops.len() as u64 * LOOP + self.plan.packed.len() as u64 * PACKED;
        whole.saturating_add(partial_tiles).saturating_add(loops)
    }

    /// Operations that read an element of a tile: contiguous elements share the common part of their addresses.
    fn read(&self, access: &BufferAccess, width: u64) -> u64 {
        match self.lanes(access) {
            LaneAccess::Broadcast | LaneAccess::Contiguous => 2,
            LaneAccess::Strided => width + width / 2,
        }
    }

    /// Operations that write an element of a full tile.
    fn written(&self, access: &BufferAccess, width: u64) -> u64 {
        match self.lanes(access) {
            LaneAccess::Broadcast | LaneAccess::Contiguous => 2,
            LaneAccess::Strided => 2 * width,
        }
    }

    /// Operations that write an element of a partial tile, as far as it is in bounds.
    fn written_at_end(&self, access: &BufferAccess) -> u64 {
        match self.lanes(access) {
            LaneAccess::Broadcast | LaneAccess::Contiguous => 3,
            LaneAccess::Strided => LANE_LOOP,
        }
    }
}
