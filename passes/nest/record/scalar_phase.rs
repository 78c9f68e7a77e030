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
    },
    plan::{Cause, KernelPhase, PlannedScalarPhase, ScalarLoop, runner::Runner},
};

impl<'t> Construction<'_, 't> {
    /// Runs a separate scalar phase with results in memory.
    pub fn materialize(&self, cursor: &mut Cursor<'t>, phase: &PlannedScalarPhase) {
        let order: Vec<_> = self.reduced().chain(self.non_reduction_dimensions()).collect();
        let contents = (ContentKind::Scalars, Cause::Scalar);
        let results = self.allocate(cursor, &phase.placements, Some(order), None, contents);
        match &cursor.place {
            ExecutionSpace::Processor => self.scalar_phase(&phase.loops, cursor.clone(), &results),
            ExecutionSpace::Host => self.scalar_phase_on_device(cursor, phase, &results),
            ExecutionSpace::Kernel(kernel) => {
                kernel.barrier(&cursor.b);
                let alone = if phase.is_redundant { cursor.clone() } else { cursor.begin(KernelPhase::Scalar) };
                let alone = alone.in_kernel(|kernel| {
                    kernel.unfixed.clear();
                    if phase.is_redundant {
                        (kernel.active, kernel.takes_part) = (None, None);
                    }
                });
                self.scalar_phase(&phase.loops, alone, &results);
                kernel.barrier(&cursor.b);
            }
        }
        cursor.results = Some(results);
    }

    fn reduced(&self) -> impl Iterator<Item = usize> {
        let operators = &self.workload.operators;
        (0..operators.len()).filter(|&d| operators[d].reduces()).collect::<Vec<_>>().into_iter()
    }

    /// Runs the separate scalar phase as a kernel, launched from the host.
    fn scalar_phase_on_device(&self, cursor: &Cursor<'t>, phase: &PlannedScalarPhase, results: &Accumulator) {
        let Some(distributed) = &phase.kernel else { return };
        self.launch(cursor, distributed, |cursor| {
            let mut cursor = cursor.begin(KernelPhase::Scalar);
            self.promote(&mut cursor, &phase.entry);
            self.scalar_phase(&phase.loops, cursor, results);
        });
    }

    /// Emits the loops of a separate scalar phase; results go to a buffer.
    fn scalar_phase(&self, loops: &[ScalarLoop], cursor: Cursor<'t>, results: &Accumulator) {
        let Some((planned, rest)) = loops.split_first() else {
            let values = self.leaf(&cursor);
            return self.deliver_tile(&cursor, results, &values);
        };
        let ScalarLoop { level, runner, is_collective, entry, .. } = planned;
        let inside = |mut inner: Cursor<'t>| {
            self.promote(&mut inner, entry);
            self.scalar_phase(rest, inner, results);
        };
        if self.kernels.is_none() {
            let trip = self.trip(&cursor, *level);
            return self.over(&cursor, (*level, *runner), trip, |inner, number| {
                inside(inner.inside(&inner.b, *level, number));
            });
        }
        match runner {
            Runner::Cores(_) => inside(self.fix(&cursor, KernelPhase::Scalar, *level)),
            _ => self.each(&cursor, (*level, *is_collective), &mut |inner| inside(inner)),
        }
    }
}
