//! Addresses: index functions evaluated at points, and the padding of rows against cache conflicts.
use super::{
    code::Code,
    index::Index::{self, Constant},
    space::{IterationSpace, Point},
    types::Lanes,
};
use crate::analysis::index::Access;

/// Bytes of a cache line, to which buffers are aligned.
pub const LINE: i64 = 64;

/// Rows whose size in bytes is a multiple of this map to few cache sets.
const CONFLICTING: u64 = 1024;

/// The length in memory, in elements, of a row of a part with `count` elements of `bytes` bytes each. Rows that would
/// conflict in the caches are padded by one cache line.
pub fn padded(count: u64, bytes: u64) -> u64 {
    let is_conflicting = count > 0 && count.saturating_mul(bytes).is_multiple_of(CONFLICTING);
    if is_conflicting { count.saturating_add(LINE as u64 / bytes) } else { count }
}

/// The difference of the indices of two adjacent lanes along an axis of an access; 0 without lanes.
pub fn linear_step<'t>(
    b: &Code<'t>,
    space: &IterationSpace,
    access: &Access,
    axis: usize,
    lanes: Option<Lanes>,
) -> Index {
    lanes.map_or(Constant(0), |Lanes { level, .. }| {
        space.strides[level.layer][level.dimension].mul(b, Constant(access.stride(axis, level.dimension)))
    })
}

/// The index along an axis of an access at a point.
pub fn linear<'t>(b: &Code<'t>, space: &IterationSpace, point: &Point, access: &Access, axis: usize) -> Index {
    let sum = access.terms(axis).fold(Constant(0), |sum, (d, c)| {
        let term = point.index(b, space, d).mul(b, Constant(c));
        sum.add(b, term)
    });
    sum.add(b, Constant(access.origin(axis)))
}
