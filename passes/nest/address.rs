//! Where elements are: index functions at points, and how rows of parts lie in caches.
use super::{
    code::Code,
    index::Index::{self, Constant},
    space::{Point, Space},
    types::Lanes,
};
use crate::analysis::index::Access;

/// The bytes of a line of the caches, to which buffers are aligned.
pub const LINE: i64 = 64;

/// Rows whose bytes are a multiple of this meet in few sets of a cache.
const CONFLICTING: u64 = 1024;

/// The elements of so many bytes that a row of a part takes in memory: a line more where rows would displace each other in caches.
pub fn padded(count: u64, bytes: u64) -> u64 {
    let is_conflicting = count > 0 && count.saturating_mul(bytes).is_multiple_of(CONFLICTING);
    if is_conflicting { count.saturating_add(LINE as u64 / bytes) } else { count }
}

/// How far apart two lanes are along an axis of an access.
pub fn linear_step<'t>(b: &Code<'t>, space: &Space, access: &Access, axis: usize, lanes: Option<Lanes>) -> Index {
    lanes.map_or(Constant(0), |Lanes { level, .. }| {
        space.strides[level.layer][level.dimension].mul(b, Constant(access.stride(axis, level.dimension)))
    })
}

/// The index along an axis of an access at a point.
pub fn linear<'t>(b: &Code<'t>, space: &Space, point: &Point, access: &Access, axis: usize) -> Index {
    let sum = access.terms(axis).fold(Constant(0), |sum, (d, c)| {
        let term = point.offset(b, space, d).mul(b, Constant(c));
        sum.add(b, term)
    });
    sum.add(b, Constant(access.origin(axis)))
}
