//! Levels that are distributed over blocks: each part has its own blocks in one kernel, or the host runs the parts.
//!
//! ```text
//! R: k (SMX, +), i (CC, ++), ..   ──▶   gpu.launch blocks(k): partial[k][i] = ..
//!                                       gpu.launch blocks(i) threads(t): w[i] = partial[0][i] + partial[1][i] + ..
//! ```
use crate::{
    nest::{
        accumulator::Accumulator,
        code::Code,
        construction::Construction,
        contents::ContentKind,
        cursor::Cursor,
        gpu::launch::THREADS,
        gpu::{exchange, launch, parts},
        index::Index::{self, Constant},
        loops,
        record::{allocate, deliver},
        tile::and,
    },
    plan::{KernelPhase, PlannedLoop},
};
use mdh_dialects::{ir::IntPredicate, schedule::model::Level};

/// Runs the parts of a level: each with its own blocks in one kernel, or one after the other on the host.
pub fn each_on_blocks<'t>(
    nest: &Construction<'_, 't>,
    planned: &PlannedLoop,
    cursor: &Cursor<'t>,
    trip: Index,
    body: &mut dyn FnMut(Cursor<'t>, Index),
) {
    let (level, entry) = (planned.level, &planned.body.entry);
    let Some(distributed) = &planned.kernel else {
        loops::sequential(&cursor.b.over(level), trip, |b, number| {
            let mut inner = cursor.inside(b, level, number);
            nest.enter(&mut inner, entry);
            body(inner, number);
        });
        return;
    };
    launch::launch(nest, cursor, distributed, |cursor| {
        let mut inner = parts::fix(nest, &cursor, KernelPhase::Both, level).begin(KernelPhase::Recompose);
        nest.enter(&mut inner, entry);
        let number = inner.point.number(level).unwrap_or(Constant(0));
        body(inner, number);
    });
}

/// Reduces a level that is distributed over blocks: one kernel computes partial results of all parts, and a second
/// one combines them.
pub fn reduce_blocks<'t>(
    nest: &Construction<'_, 't>,
    planned: &PlannedLoop,
    cursor: &Cursor<'t>,
    trip: Index,
    into: &Accumulator,
) {
    let (PlannedLoop { level, cause, body, .. }, Some(combiner)) = (planned, &nest.combiner) else { return };
    let (level, cause) = (*level, *cause);
    let Level { layer, dimension } = level;
    let first = Cursor { point: cursor.point.with(dimension, layer, layer, Constant(0)), ..cursor.clone() };
    let lead = Some(nest.space.parts[layer][dimension]);
    // Partial results are placed where the blocks combine them, whatever placements the steps of a block use.
    let partial = allocate::allocate(nest, &first, planned.placements(), None, lead, (ContentKind::Partial, cause));
    each_on_blocks(nest, planned, cursor, trip, &mut |inner, number| {
        nest.record(&body.node, inner, partial.at(number));
    });
    // One block for each element; its threads distribute the parts.
    let threads = nest.schedule.system.whole_warps(trip.constant().map_or(THREADS, |trip| trip.min(THREADS)));
    launch::on_elements(nest, cursor, &nest.non_reduction_dimensions(), None, threads, &mut |cursor, point, thread| {
        let b = &cursor.b;
        let value = |b: &Code<'t>, number: Index| {
            let point = point.with(dimension, layer, layer, number);
            partial.at(number).load(b, &nest.space, &point)
        };
        let valid = trip.min(b, Constant(threads));
        let first = value(b, thread.min(b, valid.sub(b, Constant(1))));
        let more = trip.sub(b, thread).sub(b, Constant(1)).max(b, Constant(0)).div(b, Constant(threads));
        let sum = loops::carried(&b.over(level), Constant(0), more, &first, |b, i, sum| {
            let number = i.add(b, Constant(1)).mul(b, Constant(threads)).add(b, thread);
            combiner.combine(b, sum, &value(b, number), None)
        });
        let sum = exchange::across(nest, cursor, (thread, threads, 1), valid, cause, &sum);
        let is_first = thread.compare(b, IntPredicate::Eq, Constant(0));
        let cursor = cursor.in_kernel(|kernel| kernel.active = Some(and(b, kernel.active, is_first)));
        deliver::deliver(nest, &cursor, b, point, into, &sum);
    });
}
