//! Partial register tiles: those at the end of a dimension whose extent is no multiple of the size of a tile.
//!
//! A mask for each point executes all vectors of the tile, of which most are full; masked stores are slow on processors
//! without registers for masks, and loads that follow wait for them. If all memory is addressed by the indices of points,
//! a partial tile is moved instead, and computes again what the tile before has computed, or else is computed in a loop.
//!
//! ```text
//! 10 points of a dimension, in tiles of 2 vectors with 2 lanes:
//!   points 0..4, 4..8, 8..12 with a mask   ──▶   points 0..4, 4..8, 6..10, if a point may be computed again
//!                                          ──▶   points 0..4, 4..8, then vector 8..10, otherwise
//! ```
use super::{
    accumulator::Accumulator,
    code::Code,
    construction::Construction,
    cursor::Cursor,
    index::Index::{self, Constant},
    loops,
    source::Source,
    space::Point,
    store::Store,
    tile::{Tile, and},
    tree::Value,
};
use crate::plan::{PlanNode, PlannedLoop, tile::TileAxis};
use mdh_dialects::{ir::IntPredicate, schedule::model::Level};

/// The fewest bytes of vectors that only processors with registers for masks have.
const MASKED: u64 = 64;

/// A dimension in which it is known only at run time whether all points of a tile are inside.
pub struct OpenDimension {
    /// The dimension.
    pub d: usize,
    /// The index of the last point of the tile.
    pub last: Index,
}

/// The register tiles that need no check of their points.
pub struct FullTiles {
    /// The condition at run time under which they do not; `None` if it always holds.
    pub condition: Option<Value>,
    /// The first point of such a tile.
    pub point: Point,
}

/// The tiles that are full where they are.
pub fn full_tiles<'t>(nest: &Construction<'_, 't>, cursor: &Cursor<'t>, open: &[OpenDimension]) -> FullTiles {
    let b = &cursor.b;
    let condition = open.iter().fold(None, |all, &OpenDimension { d, last }| {
        Some(and(b, all, last.compare(b, IntPredicate::Slt, nest.space.extent(d))))
    });
    FullTiles { condition, point: cursor.point.clone() }
}

/// The tiles that are full after those that are partial have been moved back: all of a dimension that is not smaller
/// than one tile. If one of the dimensions is known to be smaller, the tiles that are full where they are.
pub fn moved_inside<'t>(nest: &Construction<'_, 't>, cursor: &Cursor<'t>, open: &[OpenDimension]) -> FullTiles {
    let b = &cursor.b;
    let (mut condition, mut point) = (None, cursor.point.clone());
    for &OpenDimension { d, .. } in open {
        let (extent, span) = (nest.space.extent(d), cursor.tile.span(b, &nest.space, d));
        match (extent.constant(), span.constant()) {
            // Between the points of the tile are points of other tiles, which a moved tile would not compute.
            (_, span) if span != Some(cursor.tile.points(d) - 1) => return full_tiles(nest, cursor, open),
            (Some(extent), Some(span)) if extent > span => {}
            (Some(_), Some(_)) => return full_tiles(nest, cursor, open),
            _ => condition = Some(and(b, condition, span.compare(b, IntPredicate::Slt, extent))),
        }
        let first = extent.sub(b, span.add(b, Constant(1)));
        let distance = first.sub(b, cursor.point.offset(b, &nest.space, d)).min(b, Constant(0));
        point = point.moved(b, d, distance);
    }
    FullTiles { condition, point }
}

/// True if the points of a tile address all memory by their indices, so that a tile can be anywhere: on the processor,
/// with user's buffers, whose results are written once.
pub fn is_movable<'t>(nest: &Construction<'_, 't>, cursor: &Cursor<'t>, into: &Accumulator) -> bool {
    nest.kernels.is_none()
        && cursor.results.is_none()
        && nest.carry_in.is_none()
        && into.inits.is_none()
        && into.entered.is_empty()
        && into.stores.iter().all(Store::is_movable)
        && cursor.sources.iter().flatten().all(Source::is_user)
}

/// True if a point may be computed again: no output is read.
pub fn is_idempotent<'t>(nest: &Construction<'_, 't>) -> bool {
    !nest.workload.inputs.iter().any(|input| input.is_overwritten || input.is_updated)
}

/// The number of parts of a loop whose tiles are full, if those of the others have code of their own: addresses in it
/// would be computed in each iteration. `None` if the loop is not the innermost one around tiles of its dimension, or
/// if partial tiles are moved.
pub fn full_parts<'t>(
    nest: &Construction<'_, 't>,
    planned: &PlannedLoop,
    cursor: &Cursor<'t>,
    trip: Index,
    into: &Accumulator,
) -> Option<Index> {
    let Level { layer, dimension: d } = planned.level;
    let PlanNode::Tile(inside) = &planned.body.node else { return None };
    let is_moved = is_movable(nest, cursor, into) && is_idempotent(nest);
    if nest.kernels.is_some() || nest.combiner.is_some() || is_moved || nest.space.is_exact(d) {
        return None;
    }
    let b = &cursor.b;
    let first = cursor.inside(b, Level { layer, dimension: d }, Constant(0));
    let tile = inside.axes.levels().iter().fold(cursor.tile.clone(), |tile, axis| tile.with(*axis));
    let is_in_tile = |inner: &usize| tile.has(Level { layer: *inner, dimension: d });
    if !planned.body.entry.is_empty() || first.point.free[d].is_empty() || !first.point.free[d].iter().all(is_in_tile) {
        return None;
    }
    let last = cursor.point.offset(b, &nest.space, d).add(b, tile.span(b, &nest.space, d));
    let full = nest.space.extent(d).sub(b, last).ceildiv(b, nest.space.strides[layer][d]);
    Some(full.max(b, Constant(0)).min(b, trip))
}

/// Emits a loop over the parts of a level whose tiles are full, and one over the others.
pub fn full_then_partial<'t>(
    cursor: &Cursor<'t>,
    level: Level,
    full: Index,
    trip: Index,
    body: &mut dyn FnMut(Cursor<'t>),
) {
    for (from, to, is_full) in [(Constant(0), full, true), (full, trip, false)] {
        let tile = cursor.tile.knowing(level.dimension, is_full);
        let here = Cursor { tile, ..cursor.clone() };
        loops::carried(&cursor.b.over(level), from, to, &[], |b, number, _| {
            body(here.inside(b, level, number));
            vec![]
        });
    }
}

/// Emits loops over the axes of a partial tile around `body`, which gets a vector, or a point. `cursor`: at the first
/// point of the tile, which checks the dimensions in which it may be partial.
pub fn one_by_one<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    axes: &[TileAxis],
    body: &mut dyn FnMut(&Cursor<'t>) -> Vec<Value>,
) {
    let next = axes.iter().position(|axis| !axis.is_lanes).unwrap_or_default();
    let Some(&axis) = axes.get(next) else {
        body(cursor);
        return;
    };
    let rest = [&axes[..next], &axes[next + 1..]].concat();
    let (b, d) = (&cursor.b, axis.level.dimension);
    let stride = nest.space.strides[axis.level.layer][d];
    let is_checked = cursor.tile.checks(d);
    let inside = nest.space.extent(d).sub(b, cursor.point.offset(b, &nest.space, d)).ceildiv(b, stride);
    let each = |b: &Code<'t>, trip: Index, body: &mut dyn FnMut(&Cursor<'t>) -> Vec<Value>| {
        loops::sequential(&b.of_no_level(), trip, |b, number| {
            let point = cursor.point.moved(b, d, number.mul(b, stride));
            let tile = cursor.tile.single(axis.level);
            one_by_one(nest, &Cursor { b: *b, point, tile, ..cursor.clone() }, &rest, body);
        });
        vec![]
    };
    let count = Constant(axis.count);
    if !axis.is_lanes {
        each(b, if is_checked { inside.min(b, count) } else { count }, body);
        return;
    }
    let whole = |b: &Code<'t>, tile: Tile, body: &mut dyn FnMut(&Cursor<'t>) -> Vec<Value>| {
        body(&Cursor { b: *b, tile, ..cursor.clone() })
    };
    if !is_checked {
        whole(b, cursor.tile.unchecked(), body);
        return;
    }
    let bytes = nest.workload.output_types.iter().map(|element| element.bytes()).max().unwrap_or(1);
    let has_masks = axis.count.unsigned_abs() * bytes >= MASKED;
    let is_full = inside.compare(b, IntPredicate::Sge, count);
    // Both versions call the body, one after the other.
    let body = std::cell::RefCell::new(body);
    let full = |b: &Code<'t>| whole(b, cursor.tile.unchecked(), *body.borrow_mut());
    let partial = |b: &Code<'t>| match has_masks {
        true => whole(b, cursor.tile.unchecked().checking(d, true), *body.borrow_mut()),
        false => each(b, inside, *body.borrow_mut()),
    };
    loops::branch(b, is_full, &[], full, partial);
}
