//! The geometry of a plan: what the loops from a position on touch.
use super::super::{
    machine::Machine,
    plan::{Kind, Loop, Packed, Plan},
    problem::{BufferAccess, Problem},
};
use crate::nest::address::padded;
use mdh_dialects::schedule::model::{Strip, strips};

/// A plan on a machine, as memory sees it.
pub(super) struct Nest<'a> {
    pub(super) problem: &'a Problem,
    pub(super) machine: &'a Machine,
    pub(super) plan: &'a Plan,
    /// The loops as memory sees them: those of the register tile run innermost.
    pub(super) loops: Vec<Loop>,
    /// Packed inputs, and the position among these loops.
    pub(super) packed: Vec<Packed>,
    /// One of the accesses that share what they touch.
    unique: Vec<&'a BufferAccess>,
}

/// How the lanes of a vector lie in memory.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Lanes {
    Same,
    Neighbours,
    Apart,
}

impl<'a> Nest<'a> {
    pub(super) fn new(problem: &'a Problem, machine: &'a Machine, plan: &'a Plan) -> Self {
        let (tile, mut loops): (Vec<_>, Vec<_>) = plan.loops.iter().partition(|l| l.is_in_registers());
        let packed = plan.packed.iter().map(|packed| {
            let before = plan.loops[..packed.before].iter().filter(|l| !l.is_in_registers()).count();
            Packed { before, ..packed.clone() }
        });
        let packed = packed.collect();
        loops.extend(tile);
        let unique = problem.accesses.iter().filter(|access| access.is_first).collect();
        Self { problem, machine, plan, loops, packed, unique }
    }

    /// The position of the first loop of the register tile.
    pub(super) fn tile(&self) -> usize {
        self.plan.loops.iter().position(Loop::is_in_registers).unwrap_or(self.plan.loops.len())
    }

    /// How many loops, of threads or one part after the other, are around the register tile as memory sees it.
    pub(super) fn sequential(&self) -> usize {
        self.loops.iter().take_while(|l| !l.is_in_registers()).count()
    }

    pub(super) fn trips(&self, loops: &[Loop], kinds: &[Kind]) -> f64 {
        loops.iter().filter(|l| kinds.contains(&l.kind)).map(|l| l.parts as f64).product()
    }

    pub(super) fn vector(&self) -> Option<&Loop> {
        self.plan.loops.iter().find(|l| l.kind == Kind::Lanes)
    }

    pub(super) fn lanes(&self, access: &BufferAccess) -> Lanes {
        let Some(vector) = self.vector().filter(|l| access.depends_on(l.dimension)) else { return Lanes::Same };
        if !access.has_vectors {
            return Lanes::Apart;
        }
        let d = vector.dimension;
        if let Some(last) = self.packed(access).and_then(|packed| packed.layout.last()) {
            return if access.axis(d) == Some(*last) { Lanes::Neighbours } else { Lanes::Apart };
        }
        match access.axis(d) {
            Some(axis) if axis + 1 == access.map.rank() => Lanes::Neighbours,
            _ => Lanes::Apart,
        }
    }

    /// How many points of a dimension the loops from a position on reach.
    pub(super) fn covered(&self, d: usize, from: usize) -> u64 {
        let parts = self.loops[from..].iter().filter(|l| l.dimension == d).map(|l| l.parts);
        parts.fold(1u64, u64::saturating_mul).min(self.problem.extent(d))
    }

    /// The bytes of an access that the loops from a position on touch, in whole lines.
    pub(super) fn footprint(&self, access: &BufferAccess, from: usize) -> f64 {
        self.touched(access, from, self.machine.caches.first().map_or(64, |cache| cache.line) as f64)
    }

    /// The bytes that a loop at a position adds in each iteration, where it goes on inside of a line that is still in the cache.
    pub(super) fn step(&self, access: &BufferAccess, from: usize) -> f64 {
        let line = self.machine.caches.first().map_or(64, |cache| cache.line);
        let goes_on = from > 0
            && access.map.rank().checked_sub(1).is_some_and(|last| {
                let l = &self.loops[from - 1];
                let distance = access
                    .map
                    .stride(last, l.dimension)
                    .unsigned_abs()
                    .saturating_mul(self.covered(l.dimension, from))
                    .saturating_mul(access.bytes);
                0 < distance && distance < line
            });
        if goes_on { self.touched(access, from, 1.0) } else { self.footprint(access, from) }
    }

    /// By dimension of memory, the slowest one first: how many indices the loops from a position on touch, and the size.
    pub(super) fn axes(&self, access: &BufferAccess, from: usize) -> Vec<(u64, u64)> {
        let span = |&(axis, strip): &(usize, Strip), from: usize| {
            if strip != Strip::All {
                let reached = |(d, _)| self.reached(d, from, strip == Strip::Elements);
                return access.map.terms(axis).map(reached).fold(1u64, u64::saturating_mul);
            }
            let group = &self.problem.groups[access.group];
            group.reached(axis, |d| self.covered(d, from)).min(access.sizes[axis].max(1))
        };
        let packed = self.packed_part(access, from);
        let strips = self.strips(access, from);
        let size = |strip: &(usize, Strip)| match packed {
            Some(packed) => span(strip, packed.before),
            None => access.sizes[strip.0].max(1),
        };
        let mut axes: Vec<_> = strips.iter().map(|strip| (span(strip, from), size(strip))).collect();
        if let (Some(_), [_, .., (_, last)]) = (packed, axes.as_mut_slice()) {
            *last = padded(*last, access.bytes);
        }
        axes
    }

    /// How many parts of a dimension the loops from a position on reach: elements of one register tile, or tiles.
    fn reached(&self, d: usize, from: usize, inside: bool) -> u64 {
        let own = self.loops[from..].iter().filter(|l| l.dimension == d && l.is_in_registers() == inside);
        own.map(|l| l.parts).fold(1u64, u64::saturating_mul)
    }

    /// The dimensions of memory, the slowest one first.
    pub(super) fn strips(&self, access: &BufferAccess, from: usize) -> Vec<(usize, Strip)> {
        match self.packed_part(access, from) {
            Some(packed) => strips(&packed.layout).collect(),
            None => (0..access.sizes.len()).map(|axis| (axis, Strip::All)).collect(),
        }
    }

    /// The packed part that an access reads somewhere.
    pub(super) fn packed(&self, access: &BufferAccess) -> Option<&Packed> {
        self.packed.iter().find(|packed| !access.is_output && packed.buffer == access.buffer)
    }

    /// The packed part that an access reads inside of a position.
    pub(super) fn packed_part(&self, access: &BufferAccess, from: usize) -> Option<&Packed> {
        self.packed(access).filter(|packed| packed.before <= from)
    }

    pub(super) fn touched(&self, access: &BufferAccess, from: usize, line: f64) -> f64 {
        let axes = self.axes(access, from);
        let Some(((last, size), outer)) = axes.split_last() else { return line };
        let bytes = *last as f64 * access.bytes as f64;
        let row = if last == size { bytes } else { (bytes / line).ceil() * line };
        (outer.iter().map(|(points, _)| *points as f64).product::<f64>() * row).max(line)
    }

    /// Accesses with the same coefficients share what they touch.
    pub(super) fn accesses(&self) -> impl Iterator<Item = &'a BufferAccess> {
        self.unique.iter().copied()
    }
}
