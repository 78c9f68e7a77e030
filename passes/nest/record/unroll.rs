//! Unroll-and-jam: the levels of a register tile, all of whose parts are computed at once.
//!
//! ```text
//! all points in bounds       ──▶   one version without checks
//! known only at run time     ──▶   if full: without checks; else: with a check of each point, moved, or in a loop
//! ```
use crate::{
    nest::{
        accumulator::Accumulator,
        code::Code,
        construction::Construction,
        cursor::Cursor,
        index::Index::Constant,
        loops, partial_tiles,
        partial_tiles::{FullTiles, OpenDimension},
        record::promote,
        tree::{Purpose, Value},
        types::Type,
    },
    plan::PlannedAxes,
};
use mdh_dialects::schedule::model::Level;

/// Emits `body` inside of additional tile axes. If points of a tile may be out of bounds in a dimension without
/// inner loops, emits two versions: one for full tiles without checks, and one for partial tiles with a check of
/// each point, or with a loop over the points (`partial_tiles.rs`). If the values may be written to `into` once more,
/// the first version also computes partial tiles, which it moves. In a dimension with inner loops,
/// [`iterate::sequential`](super::iterate::sequential) separates full from partial tiles. Code with barriers has one
/// version, with checks.
pub fn unroll_and_jam<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    planned: &PlannedAxes,
    into: Option<&Accumulator>,
    types: &[Type],
    body: &mut dyn FnMut(&Cursor<'t>) -> Vec<Value>,
) -> Vec<Value> {
    let axes = &planned.levels()[..];
    let mut inner = match axes {
        [] => cursor.clone(),
        axes => cursor.within(Purpose::Tile(axes.to_vec())),
    };
    let b = &inner.b.clone();
    for (axis, entry) in &planned.axes {
        let Level { layer, dimension } = axis.level;
        inner.point = inner.point.with(dimension, layer, layer, Constant(0));
        inner.depth += 1;
        inner.tile = inner.tile.with(*axis);
        promote::promote(nest, &mut inner, entry);
    }
    // Threads that synchronize at barriers cannot execute different versions.
    let is_collective = planned.is_collective;
    let mut dimensions: Vec<_> = axes.iter().map(|axis| axis.level.dimension).collect();
    dimensions.sort_unstable();
    dimensions.dedup();
    let mut open = vec![];
    for d in dimensions.into_iter().filter(|&d| !nest.space.is_exact(d)) {
        let last = inner.point.offset(b, &nest.space, d).add(b, inner.tile.span(b, &nest.space, d));
        match (last.constant(), nest.space.extent(d).constant()) {
            _ if !inner.point.free[d].is_empty() => inner.tile = inner.tile.checking(d, true),
            (Some(last), Some(extent)) => inner.tile = inner.tile.checking(d, last >= extent),
            _ if is_collective => inner.tile = inner.tile.checking(d, true),
            _ if inner.tile.is_full(d) == Some(true) => {}
            _ => open.push(OpenDimension { d, last }),
        }
    }
    let is_movable = into.is_some_and(|into| partial_tiles::is_movable(nest, &inner, into));
    let partial = |b: &Code<'t>, body: &mut dyn FnMut(&Cursor<'t>) -> Vec<Value>| {
        let tile = open.iter().fold(inner.tile.clone(), |tile, open| tile.checking(open.d, true));
        let here = Cursor { b: *b, tile, ..inner.clone() };
        let has_loops = axes.iter().any(|axis| !inner.point.free[axis.level.dimension].is_empty());
        if is_movable && !has_loops && cursor.tile.axes.is_empty() && nest.combiner.is_none() {
            partial_tiles::one_by_one(nest, &here, axes, body);
            return vec![];
        }
        body(&here)
    };
    if open.iter().any(|open| inner.tile.is_full(open.d) == Some(false)) {
        return partial(b, body);
    }
    let FullTiles { condition, point } = match is_movable && partial_tiles::is_idempotent(nest) {
        true => partial_tiles::moved_inside(nest, &inner, &open),
        false => partial_tiles::full_tiles(nest, &inner, &open),
    };
    let Some(is_full) = condition else { return body(&Cursor { point, ..inner }) };
    let full =
        |b: &Code<'t>, body: &mut dyn FnMut(&Cursor<'t>) -> Vec<Value>| body(&Cursor { b: *b, point, ..inner.clone() });
    // Both versions call the body, one after the other.
    let body = std::cell::RefCell::new(body);
    loops::branch(b, is_full, types, |b| full(b, *body.borrow_mut()), |b| partial(b, *body.borrow_mut()))
}
