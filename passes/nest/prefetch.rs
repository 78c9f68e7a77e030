//! Software prefetches, for access patterns that hardware prefetchers do not detect.
//!
//! ```mlir
//! // mdh-opt --lower-mdh="stop-after=loops print-nest=true"
//! mdh.lowlevel.system @lanes memory [MM: global, L1: cache] cores [SIMD: lanes] combine [L1]
//! func.func @columns(%B: memref<1024x512xf32>, %y: memref<512xf32>) {
//!   %in = mdh.view.inp_view %B[affine_map<(j, k) -> (k, j)>] : (memref<1024x512xf32>) -> !mdh.mda<512x1024, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @lanes, parts = [[32, 1], [1, 1024], [16, 1]],
//!       decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"], ["SIMD,x", "SIMD,y"]]}}} {
//!   ^bb0(%b: f32):
//!     mdh.hom.yield %b : f32
//!   } : !mdh.mda<512x1024, f32> -> !mdh.mda<512x1, f32>
//!   mdh.view.out_view %r[affine_map<(j, k) -> (j)>] into %y : !mdh.mda<512x1, f32>, memref<512xf32>
//!   return
//! }
//! ```
//! becomes
//! ```text
//! for p1_1 in 0..32:
//!   level (2, 2) carried:
//!     vectorize level (3, 1) by 16:
//!       %0 = identity
//!       %1 = broadcast %0
//!       %2 = for p2_2 in 0..1024 carrying (%3 = %1):
//!         prefetch input 1[p2_2, 16 * (if 16 * (p1_1 + 1) < 512 and p1_1 + 1 < 32 then p1_1 + 1 else p1_1)]
//!         %4 = load 16 of input 1[p2_2, 16 * p1_1]
//!         %5 = scalar (%4) on 16 lanes
//!         %6 = combine (%3) with (%5) on 16 lanes
//!         yield %6
//!       store %2 to 16 of output 1[16 * p1_1]
//! ```
//!
//! A reduction along a column of a row-major buffer reads a short contiguous run of each row. Hardware prefetchers
//! follow long runs, and few rows at a time. So the runs that the next tile will read are prefetched while the current
//! tile is computed.
use crate::{
    analysis::index::Group,
    nest::{
        construction::Construction,
        cursor::Cursor,
        index::Index::{Computed, Constant},
        space::Point,
        tile::and,
    },
};
use mdh_dialects::{ir::IntPredicate, schedule::model::Level};

/// Minimum size in bytes of buffers that are prefetched: smaller ones stay in the cache of a core.
const LARGE: u64 = 1 << 20;

/// The point of the next tile at the same position of the reduction as `point`, if an input's elements there should
/// be prefetched: hardware prefetchers do not detect the access pattern, and the input is large.
pub fn next_run<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    buffer: usize,
    group: &Group,
    point: &Point,
) -> Option<Point> {
    let (b, lanes) = (&cursor.b, cursor.tile.lanes()?);
    let input = &nest.workload.inputs[buffer];
    let is_large = input.array.bytes().is_none_or(|bytes| bytes >= LARGE);
    if !is_large || !cursor.is_home[buffer] || !group.is_contiguous_along(lanes.level.dimension) {
        return None;
    }
    let mut loops = nest.sequential.iter().rev().copied();
    let innermost = loops.next()?.dimension;
    if !group.depends_on(innermost) || group.is_contiguous_along(innermost) {
        return None;
    }
    let level = loops.find(|level| group.is_contiguous_along(level.dimension))?;
    let Level { layer, dimension } = level;
    let (_, number) = *point.fixed[dimension].iter().find(|(known, _)| *known == layer)?;
    let mut next = point.clone();
    next.set(level, number.add(b, Constant(1)));
    // After the last tile, the current one is prefetched again.
    let is_inside = next.offset(b, &nest.space, dimension).compare(b, IntPredicate::Slt, nest.space.extent(dimension));
    let is_part = number.add(b, Constant(1)).compare(b, IntPredicate::Slt, nest.space.parts[layer][dimension]);
    let exists = and(b, Some(is_inside), is_part);
    let chosen = [exists, number.add(b, Constant(1)).materialize(b), number.materialize(b)];
    next.set(level, Computed(b.select(chosen[0], chosen[1], chosen[2])));
    Some(next)
}
