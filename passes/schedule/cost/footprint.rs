//! Footprints: the indices and bytes of each buffer that the loops from each position inward touch.
use super::{super::problem::BufferAccess, geometry::Geometry};
use mdh_dialects::schedule::model::StoredAxis;

/// The footprint of each group of accesses, by loop position.
pub(super) struct Footprints<'a> {
    pub(super) geometry: &'a Geometry<'a>,
    /// By group.
    groups: Vec<Footprint>,
}

/// The footprint of a buffer, by loop position.
struct Footprint {
    /// The first position at which the packed part is read; `usize::MAX` if there is none.
    packed_from: usize,
    /// Number of dimensions of the packed part; 0 if there is none.
    packed: usize,
    /// Rank of the buffer.
    rank: usize,
    /// By position: for each dimension of memory, slowest first, the number of indices touched, and the size.
    axes: Vec<(u64, u64)>,
    /// By position: the bytes touched, in whole lines.
    bytes: Vec<f64>,
}

impl<'a> Footprints<'a> {
    pub(super) fn new(geometry: &'a Geometry<'a>) -> Self {
        let firsts = geometry.problem.accesses.iter().filter(|access| access.is_first);
        Self { geometry, groups: firsts.map(|access| Footprint::new(geometry, access)).collect() }
    }

    /// The first access of each group: accesses with the same coefficients share their footprint.
    pub(super) fn accesses(&self) -> impl Iterator<Item = &'a BufferAccess> {
        self.geometry.problem.accesses.iter().filter(|access| access.is_first)
    }

    /// For each dimension of memory, slowest first: the number of indices that the loops from a position inward touch,
    /// and the size.
    pub(super) fn axes(&self, access: &BufferAccess, from: usize) -> &[(u64, u64)] {
        self.groups[access.group].axes(from)
    }

    /// The bytes of an access that the loops from a position inward touch, in whole lines.
    pub(super) fn bytes(&self, access: &BufferAccess, from: usize) -> f64 {
        self.groups[access.group].bytes[from]
    }

    /// The bytes that each iteration of the loop around a position adds: whole lines, unless the loop advances inside a
    /// line that is still in the cache. Windows that overlap those of the iteration before add only what is new.
    pub(super) fn step(&self, access: &BufferAccess, from: usize) -> f64 {
        let geometry = self.geometry;
        let Some(l) = from.checked_sub(1).map(|around| &geometry.loops[around]) else {
            return self.bytes(access, from);
        };
        let distance = |axis: usize| {
            let stride = access.map.stride(axis, l.dimension).unsigned_abs();
            stride.saturating_mul(geometry.covered(l.dimension, from))
        };
        let last = access.map.rank().checked_sub(1).map_or(0, |last| distance(last).saturating_mul(access.bytes));
        let goes_on = 0 < last && last < geometry.line();
        if self.is_packed(access, from) {
            return if goes_on { self.touched(access, from, 1.0) } else { self.bytes(access, from) };
        }
        let new = |(axis, (points, size)): (usize, &(u64, u64))| match distance(axis) {
            0 => (*points, *size),
            distance => (distance.min(*points), *size),
        };
        let axes: Vec<_> = self.axes(access, from).iter().enumerate().map(new).collect();
        touched(&axes, access.bytes, if goes_on { 1.0 } else { geometry.line() as f64 })
    }

    /// The bytes of an access that the loops from a position inward touch, in whole lines of `line` bytes.
    pub(super) fn touched(&self, access: &BufferAccess, from: usize, line: f64) -> f64 {
        touched(self.axes(access, from), access.bytes, line)
    }

    /// Returns true if an access reads a packed part at a position.
    pub(super) fn is_packed(&self, access: &BufferAccess, from: usize) -> bool {
        self.groups[access.group].packed_from <= from
    }
}

impl Footprint {
    fn new(geometry: &Geometry<'_>, access: &BufferAccess) -> Self {
        let (last, rank, packed) = (geometry.loops.len(), access.sizes.len(), geometry.packed(access));
        let (packed_from, dimensions) =
            packed.map_or((usize::MAX, 0), |packed| (packed.before, packed.stored_axes.len()));
        let width = rank.max(dimensions);
        let mut axes = vec![(1, 1); (last + 1) * width];
        let mut bytes = vec![0.0; last + 1];
        for from in (0..=last).rev() {
            let here = packed.filter(|packed| packed.before <= from);
            let count = here.map_or(rank, |packed| packed.stored_axes.len());
            let (own, inner) = axes[from * width..].split_at_mut(width);
            // Adding a loop only affects axes that depend on its dimension.
            let added = geometry.loops.get(from).filter(|_| from + 1 != packed_from).map(|l| l.dimension);
            let mut is_same = added.is_some();
            for i in 0..count {
                let stored = here.map_or((i, StoredAxis::All), |packed| packed.stored_axes[i]);
                own[i] = match added {
                    Some(d) if !access.map.uses(stored.0, d) => inner[i],
                    Some(_) => (geometry.span(access, stored, from), inner[i].1),
                    None => (geometry.span(access, stored, from), geometry.size(access, here, i)),
                };
                is_same &= added.is_some_and(|_| own[i] == inner[i]);
            }
            let line = geometry.line() as f64;
            bytes[from] = if is_same { bytes[from + 1] } else { touched(&own[..count], access.bytes, line) };
        }
        Self { packed_from, packed: dimensions, rank, axes, bytes }
    }

    /// For each dimension of memory at a position, slowest first: the number of indices touched, and the size.
    fn axes(&self, from: usize) -> &[(u64, u64)] {
        let first = from * self.rank.max(self.packed);
        let count = if from < self.packed_from { self.rank } else { self.packed };
        &self.axes[first..first + count]
    }
}

/// The bytes that these indices touch, in whole lines of `line` bytes.
fn touched(axes: &[(u64, u64)], bytes: u64, line: f64) -> f64 {
    let Some(((last, size), outer)) = axes.split_last() else { return line };
    let bytes = *last as f64 * bytes as f64;
    let row = if last == size { bytes } else { (bytes / line).ceil() * line };
    (outer.iter().map(|(points, _)| *points as f64).product::<f64>() * row).max(line)
}
