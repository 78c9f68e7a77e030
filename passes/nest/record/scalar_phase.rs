//! A separate scalar phase: the scalar function at all points of a part, with results in memory.
//!
//! ```text
//! S: i, k   R: k, i   ──▶   for i, k: results[i, k] = f(..)
//!                           for k, i: w[i] = w[i] + results[i, k]
//! ```
use crate::{
    nest::{
        accumulator::Accumulator,
        construction::Construction,
        contents::ContentKind,
        cursor::{Cursor, ExecutionSpace},
        gpu::{launch, parts},
        record::{allocate, deliver, iterate, promote},
    },
    plan::{Cause, KernelPhase, PlannedScalarPhase, ScalarLoop, runner::Runner},
};

/// Runs a separate scalar phase with results in memory.
pub fn materialize<'t>(nest: &Construction<'_, 't>, cursor: &mut Cursor<'t>, phase: &PlannedScalarPhase) {
    let order: Vec<_> = reduced(nest).chain(nest.non_reduction_dimensions()).collect();
    let contents = (ContentKind::Scalars, Cause::Scalar);
    let results = allocate::allocate(nest, cursor, &phase.placements, Some(order), None, contents);
    match &cursor.place {
        ExecutionSpace::Processor => scalar_phase(nest, &phase.loops, cursor.clone(), &results),
        ExecutionSpace::Host => scalar_phase_on_device(nest, cursor, phase, &results),
        ExecutionSpace::Kernel(kernel) => {
            kernel.barrier(&cursor.b);
            let alone = if phase.is_redundant { cursor.clone() } else { cursor.begin(KernelPhase::Scalar) };
            let alone = alone.in_kernel(|kernel| {
                kernel.unfixed.clear();
                if phase.is_redundant {
                    (kernel.active, kernel.takes_part) = (None, None);
                }
            });
            scalar_phase(nest, &phase.loops, alone, &results);
            kernel.barrier(&cursor.b);
        }
    }
    cursor.results = Some(results);
}

fn reduced<'t>(nest: &Construction<'_, 't>) -> impl Iterator<Item = usize> {
    let operators = &nest.workload.operators;
    (0..operators.len()).filter(|&d| operators[d].reduces()).collect::<Vec<_>>().into_iter()
}

/// Runs the separate scalar phase as a kernel, launched from the host.
fn scalar_phase_on_device<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    phase: &PlannedScalarPhase,
    results: &Accumulator,
) {
    let Some(distributed) = &phase.kernel else { return };
    launch::launch(nest, cursor, distributed, |cursor| {
        let mut cursor = cursor.begin(KernelPhase::Scalar);
        promote::promote(nest, &mut cursor, &phase.entry);
        scalar_phase(nest, &phase.loops, cursor, results);
    });
}

/// Emits the loops of a separate scalar phase; results go to a buffer.
fn scalar_phase<'t>(nest: &Construction<'_, 't>, loops: &[ScalarLoop], cursor: Cursor<'t>, results: &Accumulator) {
    let Some((planned, rest)) = loops.split_first() else {
        let values = deliver::leaf(nest, &cursor);
        return deliver::deliver_tile(nest, &cursor, results, &values);
    };
    let ScalarLoop { level, runner, is_collective, entry, .. } = planned;
    let inside = |mut inner: Cursor<'t>| {
        promote::promote(nest, &mut inner, entry);
        scalar_phase(nest, rest, inner, results);
    };
    if nest.kernels.is_none() {
        let trip = nest.trip(&cursor, *level);
        return iterate::over(&cursor, (*level, *runner), trip, |inner, number| {
            inside(inner.inside(&inner.b, *level, number));
        });
    }
    match runner {
        Runner::Cores(_) => inside(parts::fix(nest, &cursor, KernelPhase::Scalar, *level)),
        _ => iterate::each(nest, &cursor, (*level, *is_collective), &mut |inner| inside(inner)),
    }
}
