//! Loops over the parts of a level, and over elements. Parts whose register tiles are full have loops without checks.
//!
//! ```text
//! for p in 0..trip   ──▶   for p in 0..full: ..            all points of a tile are in bounds
//!                          for p in full..trip: ..         with a check of each point
//! ```
use crate::nest::{
    accumulator::elements,
    code::Code,
    construction::Construction,
    cursor::{Cursor, ExecutionSpace},
    gpu::{launch, parts},
    index::Index::{self, Constant},
    loops,
    partial_sums::PartialSums,
    space::Point,
    tree::Value,
};
use crate::plan::runner::Runner;
use mdh_dialects::{ir::IntPredicate, schedule::model::Level};

/// Emits a loop over `trip` parts of a level; the loop is parallel if cores run it.
pub fn over<'t>(
    cursor: &Cursor<'t>,
    (level, runner): (Level, Runner),
    trip: Index,
    body: impl FnOnce(Cursor<'t>, Index),
) {
    let b = &cursor.b.over(level);
    if matches!(runner, Runner::Cores(_)) && trip.constant() != Some(1) {
        loops::parallel(b, trip, |b, scope, number| body(Cursor { b: *b, ..cursor.clone() }.on_thread(scope), number));
    } else {
        loops::sequential(b, trip, |b, number| body(Cursor { b: *b, ..cursor.clone() }, number));
    }
}

/// Emits a sequential loop over the parts of a level, with loop-carried values. `level`: true if the threads of a block
/// wait for each other in it. Iterations in which all points of
/// the tile are in bounds come first, in a loop without checks.
pub fn sequential<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    level: (Level, bool),
    first: Index,
    initial: &[Value],
    body: &mut dyn FnMut(Cursor<'t>, &[Value]) -> Vec<Value>,
) -> Vec<Value> {
    sequential_in_blocks(nest, cursor, level, first, initial, None, body)
}

/// Emits a sequential loop as [`sequential`] does, in blocks if there are partial sums.
pub fn sequential_in_blocks<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    (level, is_collective): (Level, bool),
    first: Index,
    initial: &[Value],
    partial_sums: Option<&PartialSums<'_, 't>>,
    body: &mut dyn FnMut(Cursor<'t>, &[Value]) -> Vec<Value>,
) -> Vec<Value> {
    let (b, d) = (&cursor.b.over(level), level.dimension);
    let trip = nest.trip(cursor, level);
    if !parts::is_uniform(nest, cursor, d) && is_collective {
        let longest = parts::uniform_trip(nest, cursor, level);
        return loops::carried(b, first, longest, initial, |b, number, carried| {
            let (inner, exists) = cursor.in_uniform_loop(b, level, number, trip);
            let inner = Cursor { buffered_loop: cursor.buffered_loop_of(level, first, longest), ..inner };
            let values = body(inner, carried);
            values.iter().zip(carried).map(|(new, old)| b.select(exists, *new, *old)).collect()
        });
    }
    let mut part = |cursor: &Cursor<'t>, from: Index, to: Index, initial: &[Value], in_blocks: bool| {
        let iteration = |b: &Code<'t>, number: Index, carried: &[Value]| {
            let buffered_loop = if is_collective { cursor.buffered_loop_of(level, from, to) } else { None };
            body(Cursor { buffered_loop, ..cursor.inside(b, level, number) }, carried)
        };
        let b = &cursor.b.over(level);
        match partial_sums.filter(|_| in_blocks) {
            Some(sums) => sums.carried(b, (from, to), initial, iteration),
            None => loops::carried(b, from, to, initial, iteration),
        }
    };
    if !cursor.tile.checks(d) || cursor.point.free[d] != [level.layer] || is_collective {
        let Some(count) = full_trip(nest, cursor, level, trip).filter(|_| !is_collective) else {
            return part(cursor, first, trip, initial, true);
        };
        // All parts but the last are full: their loops have a static length and can be unrolled.
        let is_whole = trip.compare(b, IntPredicate::Eq, count);
        let types: Vec<_> = initial.iter().map(|value| b.type_of(*value)).collect();
        let part = std::cell::RefCell::new(part);
        let version =
            |b: &Code<'t>, to| (part.borrow_mut())(&Cursor { b: *b, ..cursor.clone() }, first, to, initial, true);
        return loops::branch(b, is_whole, &types, |b| version(b, count), |b| version(b, trip));
    }
    let last = cursor.point.offset(b, &nest.space, d).add(b, cursor.tile.span(b, &nest.space, d));
    let rest = nest.space.extent(d).sub(b, last);
    let full = rest.ceildiv(b, nest.space.strides[level.layer][d]).max(b, first).min(b, trip);
    let unchecked = Cursor { tile: cursor.tile.checking(d, false), ..cursor.clone() };
    let values = part(&unchecked, first, full, initial, true);
    part(cursor, full, trip, &values, false)
}

/// The static trip count of the innermost reduction loop of a kernel where the reduction does not end early; `None`
/// if this count is unknown, if the trip count is static anyway, or if the target's kernels do not unroll
/// reductions.
fn full_trip<'t>(nest: &Construction<'_, 't>, cursor: &Cursor<'t>, level: Level, trip: Index) -> Option<Index> {
    let is_last = cursor.depth + 1 == nest.phases.scalar.len();
    let is_reduction = nest.workload.operators[level.dimension].reduces();
    let count = nest.space.parts[level.layer][level.dimension];
    let is_known = count.constant().is_some() && trip.constant().is_none();
    let unrolls = nest.kernels.is_some_and(|kernels| kernels.unrolls_reductions);
    (unrolls && cursor.kernel().is_some() && is_last && is_reduction && is_known).then_some(count)
}

/// Emits a sequential loop over the parts of a level.
pub fn each<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    level: (Level, bool),
    body: &mut dyn FnMut(Cursor<'t>),
) {
    sequential(nest, cursor, level, Constant(0), &[], &mut |inner, _| {
        body(inner);
        vec![]
    });
}

/// Emits loops over all result elements of the iteration space at the cursor; on the host around kernels, a kernel
/// with one thread for each element.
pub fn each_element<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    body: &mut dyn FnMut(&Cursor<'t>, &Code<'t>, &Point),
) {
    if let ExecutionSpace::Host = cursor.place {
        return launch::on_elements(
            nest,
            cursor,
            &nest.non_reduction_dimensions(),
            None,
            1,
            &mut |cursor, point, _| body(cursor, &cursor.b, point),
        );
    }
    let cursor = &parts::fix_owned(nest, cursor);
    elements(&cursor.b, &nest.space, &cursor.point, &nest.non_reduction_dimensions(), &mut |b, point| {
        body(cursor, b, point)
    });
}
