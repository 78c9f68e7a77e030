//! Prefix sums: carried in registers, sequential over the parts, or in three phases on all threads.
//!
//! ```mlir
//! // mdh-opt --lower-mdh="stop-after=loops print-nest=true"
//! mdh.lowlevel.system @tiles memory [MM: global, REG: registers] cores [SIMD: lanes] combine [REG]
//! func.func @sums(%x: memref<2x8xf32>, %y: memref<2x8xf32>) {
//!   %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>] : (memref<2x8xf32>) -> !mdh.mda<2x8, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.ps<add>] attributes {schedule = {system = @tiles, parts = [[1, 8], [2, 1], [1, 1]],
//!       decompose = {order = [[3, 1], [4, 2], [5, 6]], tags = [["MM,x", "MM,y"], ["REG,x", "REG,y"], ["SIMD,x", "SIMD,y"]]}}} {
//!   ^bb0(%a: f32):
//!     mdh.hom.yield %a : f32
//!   } : !mdh.mda<2x8, f32> -> !mdh.mda<2x8, f32>
//!   mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>] into %y : !mdh.mda<2x8, f32>, memref<2x8xf32>
//!   return
//! }
//! ```
//! becomes
//! ```text
//! level (1, 2) in a scan:
//!   unroll level (2, 1) by 2:
//!     %a = load input 1[0, 0]
//!     %b = scalar (%a)
//!     %c = load input 1[1, 0]
//!     %d = scalar (%c)
//!     store %b to output 1[0, 0]
//!     store %d to output 1[1, 0]
//!     %e, %f = for p1_2 in 1..8 carrying (%g = %b, %h = %d):
//!       ..
//!       %i = combine (%g) with (%j)
//!       %k = combine (%h) with (%l)
//!       store %i to output 1[0, p1_2]
//!       store %k to output 1[1, p1_2]
//!       yield %i, %k
//! ```
//!
//! The innermost scan carries its values in registers, one for each element of a register tile inside of it. Others are
//! computed in memory:
//!
//! ```text
//! sequential:                              parallel:
//! for p:                                   parallel for p: part[p] = scan of part p
//!   part[p] = scan of part p               for p > 0: carry[p] = carry[p-1] ∘ last element of part[p-1]
//!   if p > 0:                              parallel for p > 0:
//!     part[p] = last of part[p-1] ∘ part[p]  part[p] = carry[p] ∘ part[p]
//! ```
//!
//! The parts of a level are contiguous: the verifier requires the layers of a scanned dimension to be in ascending
//! order.
use crate::{
    nest::{
        accumulator::{Accumulator, elements},
        code::Code,
        construction::Construction,
        contents::ContentKind,
        cursor::Cursor,
        index::Index::{self, Constant},
        loops,
        record::{allocate, carry, deliver, iterate, unroll},
        space::Point,
        tree::Value,
    },
    plan::{PlanNode, PlannedCarry, PlannedLoop},
};
use mdh_dialects::{ir::IntPredicate, schedule::model::Level};

/// Scans the parts of a level in order.
pub fn scan_sequential<'t>(
    nest: &Construction<'_, 't>,
    planned: &PlannedLoop,
    cursor: &Cursor<'t>,
    into: &Accumulator,
) {
    let (level, around) = (planned.level, &cursor.point);
    iterate::each(nest, cursor, planned.collective_level(), &mut |mut inner| {
        nest.enter(&mut inner, &planned.body.entry);
        let (b, outer) = (inner.b, inner.clone());
        let number = inner.point.number(level).unwrap_or(Constant(0));
        nest.record(&planned.body.node, inner, into.clone());
        let kernel = outer.kernel().filter(|_| planned.is_collective);
        let wait = || kernel.into_iter().for_each(|kernel| kernel.barrier(&b));
        wait();
        let later = number.compare(&b, IntPredicate::Sgt, Constant(0));
        let add = |cursor: &Cursor<'t>, b: &Code<'t>, element: &Point| {
            let previous = number.sub(b, Constant(1));
            let last = with_last_of(b, nest, around, element, level, previous);
            let carry = into.load(b, &nest.space, &last);
            cursor.guarded(b, |b| combine_into(nest, b, element, into, &carry));
        };
        let all = |b: &Code<'t>| {
            iterate::each_element(nest, &Cursor { b: *b, ..outer.clone() }, &mut |cursor, b, element| {
                add(cursor, b, element)
            });
            vec![]
        };
        loops::branch(&b, later, &[], all, |_| vec![]);
        wait();
    });
}

/// The innermost scan: the running values of the register tile are loop-carried in registers.
pub fn scan_carried<'t>(nest: &Construction<'_, 't>, planned: &PlannedCarry, cursor: &Cursor<'t>, into: &Accumulator) {
    let PlanNode::Loop(scan) = &planned.node else { return };
    unroll::unroll_and_jam(nest, cursor, &planned.tile, None, &[], &mut |cursor| {
        scan_loop(nest, scan, cursor, into);
        vec![]
    });
}

fn scan_loop<'t>(nest: &Construction<'_, 't>, planned: &PlannedLoop, cursor: &Cursor<'t>, into: &Accumulator) {
    let (Some(combiner), PlannedLoop { level, body, .. }) = (&nest.combiner, planned) else { return };
    let store = |cursor: &Cursor<'t>, values: &[Value]| {
        let lanes = cursor.tile.lanes();
        cursor.guarded(&cursor.b, |b| {
            let elements = cursor.tile.elements(b, &nest.space, &cursor.point);
            for (element, values) in elements.iter().zip(values.chunks(combiner.types.len())) {
                into.store_element(b, &nest.space, element, lanes, values);
            }
        });
    };
    let scan = |b: &Code<'t>| {
        let cursor = Cursor { b: *b, ..cursor.clone() };
        let mut start = cursor.inside(b, *level, Constant(0));
        nest.enter(&mut start, &body.entry);
        let first = deliver::leaf(nest, &start).concat();
        store(&start, &first);
        let later = Cursor { is_after_first: true, ..cursor.clone() };
        iterate::sequential(nest, &later, planned.collective_level(), Constant(1), &first, &mut |mut inner, carry| {
            nest.enter(&mut inner, &body.entry);
            let values = carry::combine(&inner, combiner, carry, &deliver::leaf(nest, &inner).concat());
            store(&inner, &values);
            values
        });
        vec![]
    };
    if deliver::is_inhabited(nest, level.dimension) {
        scan(&cursor.b);
    } else {
        let some = nest.trip(cursor, *level).compare(&cursor.b, IntPredicate::Sgt, Constant(0));
        loops::branch(&cursor.b, some, &[], scan, |_| vec![]);
    }
}

/// Scans the parts of a level, which are distributed over threads.
pub fn scan_parallel<'t>(
    nest: &Construction<'_, 't>,
    planned: &PlannedLoop,
    cursor: &Cursor<'t>,
    trip: Index,
    into: &Accumulator,
) {
    let Some(combiner) = &nest.combiner else { return };
    let (level, on_threads) = (planned.level, (planned.level, planned.runner));
    let Level { layer, dimension } = level;
    iterate::over(cursor, on_threads, trip, |inner, number| {
        nest.body(&planned.body, inner.inside(&inner.b, level, number), into.clone());
    });
    let others: Vec<_> = nest.non_reduction_dimensions().into_iter().filter(|&d| d != dimension).collect();
    let lead = Some(nest.space.parts[layer][dimension]);
    let contents = (ContentKind::Carried, planned.cause);
    let carry = allocate::allocate(nest, cursor, planned.placements(), Some(others.clone()), lead, contents);
    let b = &cursor.b;
    loops::carried(&b.over(level), Constant(1), trip, &[], |b, number, _| {
        let previous = number.sub(b, Constant(1));
        elements(b, &nest.space, &cursor.point, &others, &mut |b, element| {
            let last = with_last_of(b, nest, &cursor.point, element, level, previous);
            let values = into.load(b, &nest.space, &last);
            let later = previous.compare(b, IntPredicate::Sgt, Constant(0));
            let sums = loops::branch(
                b,
                later,
                &combiner.scalars(),
                |b| {
                    let before = carry.at(previous).load(b, &nest.space, element);
                    combiner.combine(b, &before, &values, None)
                },
                |_| values.clone(),
            );
            carry.at(number).store(b, &nest.space, element, &sums);
        });
        vec![]
    });
    let rest = trip.sub(b, Constant(1));
    iterate::over(cursor, on_threads, rest, |inner, number| {
        let b = &inner.b;
        let number = number.add(b, Constant(1));
        let point = cursor.point.with(dimension, layer, layer, number);
        elements(b, &nest.space, &point, &nest.non_reduction_dimensions(), &mut |b, element| {
            let sums = carry.at(number).load(b, &nest.space, element);
            combine_into(nest, b, element, into, &sums);
        });
    });
}

/// `element = carry ∘ element`
pub fn combine_into<'t>(
    nest: &Construction<'_, 't>,
    b: &Code<'t>,
    element: &Point,
    into: &Accumulator,
    carry: &[Value],
) {
    let Some(combiner) = &nest.combiner else { return };
    let values = into.load(b, &nest.space, element);
    let combined = combiner.combine(b, carry, &values, None);
    into.store(b, &nest.space, element, &combined);
}

/// The point of an element, except that the scanned dimension is at the last index of part `number` of a level.
pub fn with_last_of<'t>(
    b: &Code<'t>,
    nest: &Construction<'_, 't>,
    outer: &Point,
    element: &Point,
    level: Level,
    number: Index,
) -> Point {
    let d = level.dimension;
    let mut point = element.clone();
    point.fixed[d] = outer.fixed[d].clone();
    point.free[d] = outer.free[d].clone();
    let mut point = point.with(d, level.layer, level.layer, number);
    if let (Some(&first), Some(&last)) = (point.free[d].first(), point.free[d].last()) {
        // A part that is not the last one is full, so its last index is its size minus one.
        let inside = nest.space.product(b, d, |l| first <= l && l <= last).sub(b, Constant(1));
        point = point.with(d, first, last, inside);
    }
    point
}
