//! Exchange across the threads of a block: reduction and scanned dimensions that are distributed over them.
//!
//! ```text
//! R: k (CC, +)   ──▶   own = f over this thread's parts
//!                      sum = the combination of all (exchange.rs)
//!                      thread 0: into = sum
//! ```
use crate::nest::{
    accumulator::{Accumulator, elements},
    code::Code,
    construction::Construction,
    contents::ContentKind,
    cursor::Cursor,
    gpu::{
        exchange::{self, Distribution},
        parts,
    },
    index::Index::Constant,
    loops,
    record::{allocate, carry, deliver, unroll},
    scan,
    space::Point,
    tile::and,
};
use crate::plan::{KernelPhase, PlanNode, PlannedLoop};
use mdh_dialects::{ir::IntPredicate, schedule::model::Level};

/// The distribution of a level of the re-composition over the threads of the kernel around the cursor.
fn share<'t>(cursor: &Cursor<'t>, level: Level) -> Option<Distribution> {
    let mapped = cursor.kernel()?.mapped(KernelPhase::Recompose, level)?;
    Some((mapped.number, mapped.count.constant().unwrap_or(1), mapped.stride.unwrap_or(1)))
}

/// Reduces the parts of a level, each of which one thread owns.
pub fn reduce_threads<'t>(nest: &Construction<'_, 't>, planned: &PlannedLoop, cursor: &Cursor<'t>, into: &Accumulator) {
    let Some(share) = share(cursor, planned.level) else { return };
    let (cause, body) = (planned.cause, &planned.body);
    let trip = nest.trip(cursor, planned.level);
    let mut inner = parts::fix(nest, cursor, KernelPhase::Recompose, planned.level);
    nest.enter(&mut inner, &body.entry);
    if let (PlanNode::Carry(carry), None) = (&body.node, &planned.partial) {
        let (active, unfixed) = cursor.kernel().map_or((None, vec![]), |k| (k.active, k.unfixed.clone()));
        unroll::unroll_and_jam(nest, &inner, &carry.tile, None, &[], &mut |tile| {
            let values = carry::carry(nest, &carry.node, tile, None);
            let Some(combiner) = &nest.combiner else { return vec![] };
            let tuples = values.chunks(combiner.types.len());
            let reduced = tuples.map(|values| exchange::across(nest, tile, share, trip, cause, values));
            let reduced: Vec<_> = reduced.collect();
            let outer = tile.in_kernel(|kernel| (kernel.active, kernel.unfixed) = (active, unfixed.clone()));
            deliver::deliver_tile(nest, &outer, into, &reduced);
            vec![]
        });
        return;
    }
    let part = allocate::allocate(nest, &inner, planned.placements(), None, None, (ContentKind::Partial, cause));
    nest.record(&body.node, inner.clone(), part.clone());
    uniform_elements(
        nest,
        &parts::fix_owned(nest, cursor),
        &nest.non_reduction_dimensions(),
        &mut |cursor, element| {
            let b = &cursor.b;
            let values = part.load(b, &nest.space, element);
            let reduced = exchange::across(nest, cursor, share, trip, cause, &values);
            deliver::deliver(nest, cursor, b, element, into, &reduced);
        },
    );
}

/// Scans the parts of a level, each of which one thread owns.
pub fn scan_threads<'t>(nest: &Construction<'_, 't>, planned: &PlannedLoop, cursor: &Cursor<'t>, into: &Accumulator) {
    let (level, Some(combiner)) = (planned.level, &nest.combiner) else { return };
    let Some((number, count, stride)) = share(cursor, level) else { return };
    let Some(kernel) = cursor.kernel() else { return };
    let d = level.dimension;
    let trip = nest.trip(cursor, level);
    let mut inner = parts::fix(nest, cursor, KernelPhase::Recompose, level);
    nest.enter(&mut inner, &planned.body.entry);
    nest.record(&planned.body.node, inner.clone(), into.clone());
    let is_reduced_inside = |level: &Level| {
        nest.workload.operators[level.dimension].reduces()
            && share(cursor, *level).is_some()
            && inner.point.number(*level).is_none()
    };
    if kernel.mapped.iter().any(|mapped| is_reduced_inside(&mapped.level)) {
        // One thread has written the result that several have reduced; others read it.
        kernel.barrier(&cursor.b);
    }
    let others: Vec<_> = nest.non_reduction_dimensions().into_iter().filter(|&other| other != d).collect();
    let own_part = inner.point.number(level).unwrap_or(Constant(0));
    uniform_elements(nest, &parts::fix_owned(nest, cursor), &others, &mut |cursor, element| {
        let b = &cursor.b;
        // The sum of the last part is not needed, and its last element may be out of bounds.
        let is_followed = number.add(b, Constant(1)).compare(b, IntPredicate::Slt, trip);
        let sums = loops::branch(
            b,
            is_followed,
            &combiner.scalars(),
            |b| {
                let last = scan::with_last_of(b, nest, &cursor.point, element, level, own_part);
                into.load(b, &nest.space, &last)
            },
            |b| {
                let mut first = element.with(d, level.layer, level.layer, own_part);
                for layer in first.free[d].clone() {
                    first = first.with(d, layer, layer, Constant(0));
                }
                into.load(b, &nest.space, &first)
            },
        );
        let carry = exchange::before(nest, cursor, (number, count, stride), planned.cause, &sums);
        let follows =
            and(b, Some(number.compare(b, IntPredicate::Sgt, Constant(0))), number.compare(b, IntPredicate::Slt, trip));
        let is_inside = |inside: &&Level| inside.dimension == d && **inside != level;
        let inside: Vec<_> = kernel.unfixed.iter().filter(is_inside).copied().collect();
        if !inside.is_empty() {
            // This thread has read the last element of the part, which another thread is about to update.
            kernel.barrier(b);
        }
        let then = |b: &Code<'t>| {
            let point = element.with(d, level.layer, level.layer, own_part);
            let part = Cursor { b: *b, point, ..cursor.clone() };
            let part = part.in_kernel(|kernel| kernel.unfixed.retain(|unfixed| *unfixed != level));
            // Each thread updates its own part; if further levels distribute the part over several threads, each of
            // these threads updates its share.
            let own = inside.iter().fold(part, |part, inside| parts::fix(nest, &part, KernelPhase::Recompose, *inside));
            elements(b, &nest.space, &own.point, &[d], &mut |b, point| {
                own.guarded(b, |b| scan::combine_into(nest, b, point, into, &carry));
            });
            vec![]
        };
        loops::branch(b, follows, &[], then, |_| vec![]);
    });
    kernel.barrier(&cursor.b);
}

/// Emits loops over all elements of the iteration space at the cursor in these dimensions, with control flow that
/// is uniform across the block.
pub fn uniform_elements<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    dimensions: &[usize],
    body: &mut dyn FnMut(&Cursor<'t>, &Point),
) {
    let mut first = cursor.point.clone();
    for fixed in cursor.kernel().map_or(&[][..], |kernel| &kernel.fixed) {
        first.set(*fixed, Constant(0));
    }
    elements_of_all(nest, cursor, &first, dimensions, body);
}

/// As [`uniform_elements`]. `most`: the point of the first thread, which has the largest trip counts. Other
/// threads have their own points, also in iterations that are out of bounds for them.
fn elements_of_all<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    most: &Point,
    dimensions: &[usize],
    body: &mut dyn FnMut(&Cursor<'t>, &Point),
) {
    let next = dimensions.iter().find_map(|&d| nest.space.runs(d, &cursor.point.free[d]).first().map(|&run| (d, run)));
    let Some((d, (first, last))) = next else { return body(cursor, &cursor.point) };
    let trip = |point: &Point| nest.space.trip(&cursor.b, d, first, last, point);
    let own = trip(&cursor.point);
    let longest = if parts::is_uniform(nest, cursor, d) { own } else { trip(most) };
    loops::sequential(&cursor.b.over_layers(d, [first, last]), longest, |b, number| {
        let mut inner = Cursor { b: *b, ..cursor.clone() };
        let most = most.with(d, first, last, number);
        let mut number = number;
        if !parts::is_uniform(nest, cursor, d) {
            let exists = number.compare(b, IntPredicate::Slt, own);
            inner = inner.in_kernel(|kernel| kernel.active = Some(and(b, kernel.active, exists)));
            number = number.min(b, own.sub(b, Constant(1)));
        }
        inner.point = inner.point.with(d, first, last, number);
        elements_of_all(nest, &inner, &most, dimensions, body);
    });
}
