//! The parts of a level, and the combination of their results.
//!
//! ```text
//! separate results   ──▶   a loop, threads of a processor, or the part of this block or thread
//! in memory          ──▶   initialize; for each part: result = result + part
//! in a tree          ──▶   parallel: partial[part] = ..; for each part: result = result + partial[part]
//! ```
use crate::{
    nest::{
        accumulator::{Accumulator, elements},
        construction::Construction,
        contents::ContentKind,
        cursor::{Cursor, ExecutionSpace},
        gpu::{blocks, parts, scans, threads},
        index::Index::{self, Constant},
        initialize, loops, partial_tiles,
        record::{allocate, deliver, iterate},
        scan,
        tree::Purpose,
    },
    plan::{
        KernelPhase, PlannedBuffer, PlannedLoop,
        runner::{Combination, Runner},
    },
};
use mdh_dialects::schedule::{model::Level, roles::CoreRole};

/// Emits the parts of a level, and the combination of their results.
pub fn parts<'t>(nest: &Construction<'_, 't>, planned: &PlannedLoop, cursor: Cursor<'t>, into: Accumulator) {
    let trip = nest.trip(&cursor, planned.level);
    let is_on_processor = matches!(cursor.place, ExecutionSpace::Processor);
    let Some(combination) = planned.combination else { return each_part(nest, planned, &cursor, trip, into) };
    let cursor = &cursor.within(Purpose::Combine { level: planned.level, combination });
    match combination {
        Combination::Carried | Combination::InMemory => {
            initialize::initialize(nest, cursor, &into);
            let inside = into.inside(planned.level);
            iterate::each(nest, cursor, planned.collective_level(), &mut |inner| {
                nest.body(&planned.body, inner, inside.clone());
            });
        }
        Combination::TreeAcross(CoreRole::Blocks) => blocks::reduce_blocks(nest, planned, cursor, trip, &into),
        Combination::TreeAcross(_) if is_on_processor => reduce_parallel(nest, planned, cursor, trip, &into),
        Combination::TreeAcross(_) => threads::reduce_threads(nest, planned, cursor, &into),
        Combination::Scan => scan::scan_sequential(nest, planned, cursor, &into),
        Combination::ScanAcross(CoreRole::Blocks) => scans::scan_blocks(nest, planned, cursor, trip, &into),
        Combination::ScanAcross(_) if is_on_processor => scan::scan_parallel(nest, planned, cursor, trip, &into),
        Combination::ScanAcross(_) => threads::scan_threads(nest, planned, cursor, &into),
    }
}

/// Emits parts whose results are separate: a loop, or in a kernel the part of this block or thread.
fn each_part<'t>(
    nest: &Construction<'_, 't>,
    planned: &PlannedLoop,
    cursor: &Cursor<'t>,
    trip: Index,
    into: Accumulator,
) {
    let PlannedLoop { level, runner, body, .. } = planned;
    match (runner, cursor.kernel()) {
        (Runner::Cores(_), Some(_)) => {
            nest.body(body, parts::fix(nest, cursor, KernelPhase::Recompose, *level), into);
        }
        (Runner::Cores(_), None) => iterate::over(cursor, (*level, *runner), trip, |inner, number| {
            nest.body(body, inner.inside(&inner.b, *level, number), into);
        }),
        _ => match partial_tiles::full_parts(nest, planned, cursor, trip, &into) {
            Some(full) => partial_tiles::full_then_partial(cursor, *level, full, trip, &mut |inner| {
                nest.body(body, inner, into.clone());
            }),
            None => iterate::each(nest, cursor, planned.collective_level(), &mut |inner| {
                nest.body(body, inner, into.clone());
            }),
        },
    }
}

/// Results in a buffer of their own, which are then combined into the accumulator.
pub fn accumulate_apart<'t>(
    nest: &Construction<'_, 't>,
    buffer: &PlannedBuffer,
    cursor: &Cursor<'t>,
    into: &Accumulator,
) {
    // The buffer also has the points of the register tile: all of them are computed before the first is delivered.
    let part = allocate::allocate(nest, cursor, &buffer.placements, None, None, (ContentKind::Outputs, buffer.cause));
    nest.record(&buffer.node, cursor.clone(), part.clone());
    iterate::each_element(nest, cursor, &mut |cursor, b, point| {
        let cursor = Cursor { b: *b, point: point.clone(), ..cursor.clone() };
        let lanes = cursor.tile.lanes();
        let elements = cursor.tile.elements(b, &nest.space, &cursor.point);
        let values: Vec<_> = elements.iter().map(|element| part.load_element(b, &nest.space, element, lanes)).collect();
        deliver::deliver_tile(nest, &cursor, into, &values);
    });
    if let Some(kernel) = cursor.kernel().filter(|_| buffer.is_collective) {
        kernel.barrier(&cursor.b);
    }
}

/// Computes private partial results of all parts in parallel, then combines them in order.
fn reduce_parallel<'t>(
    nest: &Construction<'_, 't>,
    planned: &PlannedLoop,
    cursor: &Cursor<'t>,
    trip: Index,
    into: &Accumulator,
) {
    let Level { layer, dimension } = planned.level;
    let inner_point = Cursor { point: cursor.point.with(dimension, layer, layer, Constant(0)), ..cursor.clone() };
    let lead = Some(nest.space.parts[layer][dimension]);
    let contents = (ContentKind::Partial, planned.cause);
    let partial = allocate::allocate(nest, &inner_point, planned.placements(), None, lead, contents);
    iterate::over(cursor, (planned.level, planned.runner), trip, |inner, number| {
        nest.body(&planned.body, inner.inside(&inner.b, planned.level, number), partial.at(number));
    });
    initialize::initialize(nest, cursor, into);
    let into = into.inside(planned.level);
    loops::sequential(&cursor.b.over(planned.level), trip, |b, number| {
        let point = cursor.point.with(dimension, layer, layer, number);
        elements(b, &nest.space, &point, &nest.non_reduction_dimensions(), &mut |b, point| {
            let values = partial.at(number).load(b, &nest.space, point);
            deliver::deliver(nest, cursor, b, point, &into, &values);
        });
    });
}
