//! Scans whose parts are distributed over blocks.
//!
//! ```text
//! any operator:                                      built-in operators, where reading once more is cheaper:
//! blocks(p):  part[p] = scan of part p               blocks(p):  sum[p] = reduction of part p
//! threads(p): sum[p] = sum[p-1] ∘ last of part[p]    threads(p): sum[p] = sum[p-1] ∘ sum[p]
//! all:        part[p] = sum[p-1] ∘ part[p]           blocks(p):  part[p] = sum[p-1] ∘ scan of part p
//! ```
//!
//! The first variant writes all results, and another kernel reads and updates them; the second variant reads the inputs
//! twice instead. Reductions do not keep the order of their parts, which user-defined operators and strict
//! floating-point semantics require.
use super::linearized::Linearized;
use crate::nest::{
    accumulator::Accumulator,
    code::Code,
    construction::Construction,
    contents::ContentKind,
    cursor::Cursor,
    gpu::{blocks, exchange, launch, parts},
    index::Index::{self, Constant},
    loops,
    record::allocate,
    scan,
    space::Point,
    tree::Value,
    workload::Workload,
};
use crate::plan::{Cause, KernelPhase, PlannedLoop};
use mdh_dialects::{hom::CombineOperator, ir::IntPredicate, schedule::model::Level};

/// The most threads of the block that scans the sums of the blocks.
pub const SCANNING: u64 = 256;

/// Scans the parts of a level, which are distributed over blocks.
pub fn scan_blocks<'t>(
    nest: &Construction<'_, 't>,
    planned: &PlannedLoop,
    cursor: &Cursor<'t>,
    trip: Index,
    into: &Accumulator,
) {
    let PlannedLoop { level, cause, body, .. } = planned;
    let (level, cause) = (*level, *cause);
    let Level { layer, dimension } = level;
    let others: Vec<_> = nest.non_reduction_dimensions().into_iter().filter(|&d| d != dimension).collect();
    let lead = Some(nest.space.parts[layer][dimension]);
    let contents = (ContentKind::Carried, cause);
    let sums = allocate::allocate(nest, cursor, planned.placements(), Some(others.clone()), lead, contents);
    let followed = trip.sub(&cursor.b, Constant(1));
    if let Some(reduction) = &planned.reduction {
        when_some(cursor, followed, &mut |cursor| {
            reduce_parts(nest, reduction, cursor, trip, &sums);
            scan_sums(nest, cursor, (&others, cause), followed, &sums, &|b, _, point, number| {
                sums.at(number).load(b, &nest.space, point)
            });
        });
        blocks::each_on_blocks(nest, planned, cursor, trip, &mut |inner, number| {
            nest.record(&body.node, inner.clone(), into.clone());
            add_together(nest, &inner, number, into, &sums);
        });
        return;
    }
    blocks::each_on_blocks(nest, planned, cursor, trip, &mut |inner, _| nest.record(&body.node, inner, into.clone()));
    when_some(cursor, followed, &mut |cursor| {
        scan_sums(nest, cursor, (&others, cause), followed, &sums, &|b, inner, point, number| {
            let last = scan::with_last_of(b, nest, &inner.point, point, level, number);
            into.load(b, &nest.space, &last)
        });
        launch::on_elements(nest, cursor, &nest.non_reduction_dimensions(), Some(level), 1, &mut |inner, point, _| {
            let number = point.number(level).unwrap_or(Constant(0));
            let later = number.compare(&inner.b, IntPredicate::Sgt, Constant(0));
            inner.guarded(&inner.b, |b| {
                loops::when(b, later, |b| add_before(nest, b, point, number, into, &sums));
            });
        });
    });
}

/// `element = carry-in of its part ∘ element`; `number` is the number of this part.
fn add_before<'t>(
    nest: &Construction<'_, 't>,
    b: &Code<'t>,
    element: &Point,
    number: Index,
    into: &Accumulator,
    sums: &Accumulator,
) {
    let before = sums.at(number.sub(b, Constant(1))).load(b, &nest.space, element);
    scan::combine_into(nest, b, element, into, &before);
}

/// Reduces each part of a level, whose dimension is scanned.
fn reduce_parts<'t>(
    nest: &Construction<'_, 't>,
    reduction: &PlannedLoop,
    cursor: &Cursor<'t>,
    trip: Index,
    sums: &Accumulator,
) {
    let operators = nest.workload.operators.iter().map(CombineOperator::carry).collect();
    let workload = Workload { operators, ..nest.workload.clone() };
    let nest = Construction { workload: &workload, ..nest.clone() };
    blocks::each_on_blocks(&nest, reduction, cursor, trip, &mut |inner, number| {
        nest.record(&reduction.body.node, inner, sums.at(number));
    });
}

/// Combines the carry-in of a block's part into all of its elements, which are distributed over its threads.
fn add_together<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    number: Index,
    into: &Accumulator,
    sums: &Accumulator,
) {
    let Some(kernel) = cursor.kernel() else { return };
    let is_block = |level: &&Level| cursor.point.number(**level).is_none();
    let of_blocks = kernel.mapped.iter().filter(|mapped| mapped.stride.is_none()).map(|mapped| &mapped.level);
    let own = of_blocks
        .filter(is_block)
        .fold(cursor.clone(), |own, level| parts::fix(nest, &own, KernelPhase::Recompose, *level));
    let own = own.in_kernel(|kernel| {
        kernel.unfixed.clear();
        kernel.takes_part = None;
    });
    let b = &cursor.b;
    kernel.barrier(b);
    let later = number.compare(b, IntPredicate::Sgt, Constant(0));
    let linearized = Linearized::new(b, nest, &own.point, &nest.non_reduction_dimensions(), None);
    let (thread, threads) = (kernel.thread, Constant(kernel.threads));
    let add = |b: &Code<'t>| {
        let (all, ahead) = (linearized.total, Constant(kernel.threads - 1).sub(b, thread));
        let is_alike = all.constant().is_some_and(|all| all % kernel.threads == 0);
        let count = if is_alike { all } else { all.add(b, ahead) }.div(b, threads);
        loops::sequential(b, count, |b, round| {
            let (point, exists) = linearized.at(b, nest, &own.point, round.mul(b, threads).add(b, thread));
            let add = |b: &Code<'t>| add_before(nest, b, &point, number, into, sums);
            match exists {
                Some(exists) => loops::when(b, exists, add),
                None => add(b),
            }
        });
    };
    own.guarded(b, |b| loops::when(b, later, add));
}

/// Emits host code that runs only if a number of parts is positive.
fn when_some<'t>(cursor: &Cursor<'t>, parts: Index, body: &mut dyn FnMut(&Cursor<'t>)) {
    if parts.constant().is_some() {
        return body(cursor);
    }
    let some = parts.compare(&cursor.b, IntPredicate::Sgt, Constant(0));
    loops::when(&cursor.b, some, |b| body(&Cursor { b: *b, ..cursor.clone() }));
}

/// Scans the sums of the parts (inclusive), for each element of some dimensions: one block for each element, and
/// adjacent parts for each of its threads. `cause`: the step that scans. `value`: loads the sum of a part.
fn scan_sums<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    (dimensions, cause): (&[usize], Cause),
    parts: Index,
    sums: &Accumulator,
    value: &dyn Fn(&Code<'t>, &Cursor<'t>, &Point, Index) -> Vec<Value>,
) {
    let Some(combiner) = &nest.combiner else { return };
    let threads =
        nest.schedule.system.whole_warps(parts.constant().map_or(SCANNING as i64, |parts| parts.min(SCANNING as i64)));
    let each = parts.ceildiv(&cursor.b, Constant(threads));
    launch::on_elements(nest, cursor, dimensions, None, threads, &mut |inner, point, thread| {
        let b = &inner.b;
        let value = |b: &Code<'t>, number: Index| value(b, inner, point, number);
        let begin = thread.mul(b, each);
        let second = begin.add(b, Constant(1));
        let end = if each.constant() == Some(1) { second } else { begin.add(b, each).min(b, parts) };
        let first = value(b, begin.min(b, parts.sub(b, Constant(1))));
        let own =
            loops::carried(b, second, end, &first, |b, number, sum| combiner.combine(b, sum, &value(b, number), None));
        let before = if threads > 1 { exchange::before(nest, inner, (thread, threads, 1), cause, &own) } else { own };
        let add = |b: &Code<'t>| {
            let follows = thread.compare(b, IntPredicate::Sgt, Constant(0));
            let with_carry = |b: &Code<'t>| combiner.combine(b, &before, &first, None);
            let sum = loops::branch(b, follows, &combiner.scalars(), with_carry, |_| first.clone());
            sums.at(begin).store(b, &nest.space, point, &sum);
            loops::carried(b, second, end, &sum, |b, number, sum| {
                let sum = combiner.combine(b, sum, &value(b, number), None);
                sums.at(number).store(b, &nest.space, point, &sum);
                sum
            });
        };
        let some = begin.compare(b, IntPredicate::Slt, parts);
        inner.guarded(b, |b| loops::when(b, some, add));
    });
}
