//! The loops of a plan in execution order, the number of points that the loops from each position inward cover, and the
//! layout of vector lanes in memory.
use super::super::{
    plan::{Plan, PlanLoop},
    problem::{BufferAccess, Problem},
};
use crate::plan::runner::Runner;
use crate::{machine::Machine, nest::address::padded};
use mdh_dialects::schedule::model::{StoredAxis, stored_axes};

/// A plan on a machine, with its loops in execution order.
pub(super) struct Geometry<'a> {
    pub(super) problem: &'a Problem,
    pub(super) machine: &'a Machine,
    pub(super) plan: &'a Plan,
    /// The loops in execution order: those of the register tile are innermost, because they are jammed into the
    /// reduction loops inside of them.
    pub(super) loops: Vec<PlanLoop>,
    /// Packed inputs.
    pub(super) packed: Vec<PackedInput>,
    /// The position in the plan of the first loop of the register tile.
    pub(super) tile: usize,
    /// The number of loops around the register tile in `loops`.
    pub(super) sequential: usize,
    /// The loop over vector lanes.
    pub(super) vector: Option<PlanLoop>,
    /// By position, from the outermost loop to after the innermost one, and dimension: the number of points that the
    /// loops from there inward cover.
    covered: Vec<u64>,
}

/// A packed input.
pub(super) struct PackedInput {
    pub(super) buffer: usize,
    /// The position in [`Geometry::loops`] before which it is packed.
    pub(super) before: usize,
    /// The dimensions of the packed part, slowest first: axes of the buffer, or the tiles and elements of a packed
    /// axis.
    pub(super) stored_axes: Vec<(usize, StoredAxis)>,
}

/// The layout of the lanes of a vector in memory.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum LaneAccess {
    /// All lanes read the same element (a broadcast).
    Broadcast,
    /// Contiguous elements.
    Contiguous,
    /// Strided elements.
    Strided,
}

impl<'a> Geometry<'a> {
    pub(super) fn new(problem: &'a Problem, machine: &'a Machine, plan: &'a Plan) -> Self {
        let outside = |loops: &'a [PlanLoop]| loops.iter().filter(|l| !l.is_in_registers()).copied();
        let mut loops = Vec::with_capacity(plan.loops.len());
        loops.extend(outside(&plan.loops));
        let sequential = loops.len();
        loops.extend(plan.loops.iter().filter(|l| l.is_in_registers()));
        let packed = plan.packed.iter().map(|packed| PackedInput {
            buffer: packed.buffer,
            before: outside(&plan.loops[..packed.before]).count(),
            stored_axes: stored_axes(&packed.layout).collect(),
        });
        let rank = problem.rank();
        let mut covered = vec![1u64; (loops.len() + 1) * rank];
        for (position, l) in loops.iter().enumerate().rev() {
            covered.copy_within((position + 1) * rank..(position + 2) * rank, position * rank);
            let points = &mut covered[position * rank + l.dimension];
            *points = points.saturating_mul(l.parts);
        }
        Self {
            problem,
            machine,
            plan,
            packed: packed.collect(),
            tile: plan.loops.iter().position(PlanLoop::is_in_registers).unwrap_or(plan.loops.len()),
            sequential,
            vector: plan.loops.iter().find(|l| l.kind == Runner::Lanes).copied(),
            loops,
            covered,
        }
    }

    /// Bytes of a line of the first cache.
    pub(super) fn line(&self) -> u64 {
        self.machine.caches.first().map_or(64, |cache| cache.line)
    }

    /// Returns true if each row of a buffer is a whole number of lines. Only then do vectors of results start at lines,
    /// which stores that bypass the caches require.
    pub(super) fn has_whole_lines(&self, access: &BufferAccess) -> bool {
        let row = access.sizes.last().map(|size| size.saturating_mul(access.bytes));
        access.sizes.len() < 2 || row.is_some_and(|row| row.is_multiple_of(self.line()))
    }

    /// The product of the trip counts of the loops of some kinds.
    pub(super) fn trips(&self, loops: &[PlanLoop], kinds: &[Runner]) -> f64 {
        loops.iter().filter(|l| kinds.contains(&l.kind)).map(|l| l.parts as f64).product()
    }

    /// The layout in memory of the lanes of an access.
    pub(super) fn lanes(&self, access: &BufferAccess) -> LaneAccess {
        let Some(vector) = self.vector.filter(|l| access.depends_on(l.dimension)) else { return LaneAccess::Broadcast };
        if !access.has_vectors {
            return LaneAccess::Strided;
        }
        let d = vector.dimension;
        let last = match self.packed(access) {
            Some(packed) => packed.stored_axes.last().map(|(axis, _)| *axis),
            None if !access.has_contiguous_rows => None,
            None => access.map.rank().checked_sub(1),
        };
        match access.axis(d) {
            Some(axis) if Some(axis) == last => LaneAccess::Contiguous,
            _ => LaneAccess::Strided,
        }
    }

    /// The number of points of a dimension that the loops from a position inward cover.
    pub(super) fn covered(&self, d: usize, from: usize) -> u64 {
        self.covered[from * self.problem.rank() + d].min(self.problem.extent(d))
    }

    /// The fraction of the points of all threads that the largest part of one has: part counts are rounded up, and the
    /// parts at the end of a dimension are smaller than the others, or empty.
    pub(super) fn largest_part(&self) -> f64 {
        let threads = self.loops.iter().enumerate().filter(|(_, l)| l.kind == Runner::THREADS);
        let share = |(position, l): (usize, &PlanLoop)| {
            self.covered(l.dimension, position + 1) as f64 / self.covered(l.dimension, position) as f64
        };
        threads.map(share).product()
    }

    /// The number of parts of a dimension in the loops from a position inward: elements of a register tile if `inside`,
    /// else tiles.
    fn reached(&self, d: usize, from: usize, inside: bool) -> u64 {
        let own = self.loops[from..].iter().filter(|l| l.dimension == d && l.is_in_registers() == inside);
        own.map(|l| l.parts).fold(1u64, u64::saturating_mul)
    }

    /// The number of indices of a dimension of memory (an axis of the buffer, or the tiles or elements of a packed
    /// axis) that the loops from a position inward touch.
    pub(super) fn span(&self, access: &BufferAccess, (axis, stored): (usize, StoredAxis), from: usize) -> u64 {
        if stored != StoredAxis::All {
            let reached = |(d, _)| self.reached(d, from, stored == StoredAxis::Elements);
            return access.map.terms(axis).map(reached).fold(1u64, u64::saturating_mul);
        }
        let group = &self.problem.groups[access.group];
        group.reached(axis, |d| self.covered(d, from)).min(access.sizes[axis].max(1))
    }

    /// The size of a dimension of memory: of a packed part, or of the buffer.
    pub(super) fn size(&self, access: &BufferAccess, packed: Option<&PackedInput>, position: usize) -> u64 {
        let Some(packed) = packed else { return access.sizes[position].max(1) };
        let size = self.span(access, packed.stored_axes[position], packed.before);
        let is_row = position > 0 && position + 1 == packed.stored_axes.len();
        if is_row { padded(size, access.bytes) } else { size }
    }

    /// The dimensions of the memory that an access reads or writes, slowest first, and the size of each.
    pub(super) fn memory(
        &self,
        access: &BufferAccess,
    ) -> impl DoubleEndedIterator<Item = ((usize, StoredAxis), u64)> + ExactSizeIterator {
        let packed = self.packed(access);
        let count = packed.map_or(access.sizes.len(), |packed| packed.stored_axes.len());
        (0..count).map(move |i| {
            let stored = packed.map_or((i, StoredAxis::All), |packed| packed.stored_axes[i]);
            (stored, self.size(access, packed, i))
        })
    }

    /// The packed part that an access reads at some position, if any.
    pub(super) fn packed(&self, access: &BufferAccess) -> Option<&PackedInput> {
        self.packed.iter().find(|packed| !access.is_output && packed.buffer == access.buffer)
    }
}
