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
use super::{kernel::KernelPhase, linearized::Linearized};
use crate::nest::{
    accumulator::Accumulator,
    code::Code,
    construction::Construction,
    contents::{Cause, ContentKind},
    cursor::Cursor,
    index::Index::{self, Constant},
    loops, scan,
    space::Point,
    tree::Value,
    workload::Workload,
};
use mdh_dialects::{
    hom::CombineOperator,
    ir::IntPredicate,
    schedule::model::{Level, Schedule, Step},
};

/// The most threads of the block that scans the sums of the blocks.
pub const SCANNING: u64 = 256;

impl<'t> Construction<'_, 't> {
    /// Scans the parts of step `j`, which are distributed over blocks.
    pub fn scan_blocks(&self, j: usize, cursor: &Cursor<'t>, trip: Index, into: &Accumulator) {
        let Some(step) = self.schedule.recompose.get(j) else { return };
        let Level { layer, dimension } = step.level;
        let others: Vec<_> = self.non_reduction_dimensions().into_iter().filter(|&d| d != dimension).collect();
        let lead = Some(self.space.parts[layer][dimension]);
        let cause = self.because_of_recompose(j);
        let sums = self.allocate(cursor, &step.placements, Some(others.clone()), lead, (ContentKind::Carried, cause));
        let followed = trip.sub(&cursor.b, Constant(1));
        if self.reduces_first(j, cursor) {
            self.when_some(cursor, followed, &mut |cursor| {
                self.reduce_parts(j, cursor, trip, &sums);
                self.scan_sums(cursor, (&others, cause), followed, &sums, &|b, _, point, number| {
                    sums.at(number).load(b, &self.space, point)
                });
            });
            self.each_on_blocks(j, cursor, trip, &mut |inner, number| {
                self.recompose(j + 1, inner.clone(), into.clone());
                self.add_together(&inner, number, into, &sums);
            });
            return;
        }
        self.each_on_blocks(j, cursor, trip, &mut |inner, _| self.recompose(j + 1, inner, into.clone()));
        self.when_some(cursor, followed, &mut |cursor| {
            self.scan_sums(cursor, (&others, cause), followed, &sums, &|b, inner, point, number| {
                let last = scan::with_last_of(b, self, &inner.point, point, step.level, number);
                into.load(b, &self.space, &last)
            });
            self.on_elements(cursor, &self.non_reduction_dimensions(), Some(step.level), 1, &mut |inner, point, _| {
                let number = point.number(step.level).unwrap_or(Constant(0));
                let later = number.compare(&inner.b, IntPredicate::Sgt, Constant(0));
                inner.guarded(&inner.b, |b| {
                    loops::when(b, later, |b| self.add_before(b, point, number, into, &sums));
                });
            });
        });
    }

    /// `element = carry-in of its part ∘ element`; `number` is the number of this part.
    fn add_before(&self, b: &Code<'t>, element: &Point, number: Index, into: &Accumulator, sums: &Accumulator) {
        let before = sums.at(number.sub(b, Constant(1))).load(b, &self.space, element);
        scan::combine_into(self, b, element, into, &before);
    }

    /// True if blocks reduce the parts of step `j` before they scan them, with one kernel for each.
    fn reduces_first(&self, j: usize, cursor: &Cursor<'t>) -> bool {
        let first = Cursor { depth: cursor.depth + 1, ..cursor.clone() };
        self.reassociate
            && cursor.results.is_none()
            && self.shared == self.schedule.scalar_loops().len()
            && self.workload.reduces_before_scan()
            && self.fits_kernel(j + 1, &first)
    }

    /// Reduces each part of step `j`, which is a scan.
    fn reduce_parts(&self, j: usize, cursor: &Cursor<'t>, trip: Index, sums: &Accumulator) {
        let Some(Level { dimension, .. }) = self.schedule.recompose.get(j).map(|step| step.level) else { return };
        let operators = self.workload.operators.iter().map(CombineOperator::carry).collect();
        let workload = Workload { operators, ..self.workload.clone() };
        // Inside of the loops over other dimensions a part is reduced to one value, so its own parts need no buffers.
        let mut schedule: Schedule = self.schedule.clone();
        let is_around = |step: &Step| {
            let is_other = step.level.dimension != dimension && !schedule.is_register(&step.tag);
            schedule.is_loop(step.level) && (is_other || schedule.is_block(step.level, &step.tag))
        };
        let around = schedule.recompose.iter().rposition(is_around).map_or(0, |last| last + 1);
        for step in &mut schedule.recompose[around..] {
            step.placements.clone_from(&schedule.scalar.writes);
        }
        let nest = Construction { workload: &workload, schedule: &schedule, ..self.clone() };
        nest.each_on_blocks(j, cursor, trip, &mut |inner, number| nest.recompose(j + 1, inner, sums.at(number)));
    }

    /// Combines the carry-in of a block's part into all of its elements, which are distributed over its threads.
    fn add_together(&self, cursor: &Cursor<'t>, number: Index, into: &Accumulator, sums: &Accumulator) {
        let Some(kernel) = cursor.kernel() else { return };
        let is_block = |level: &&Level| cursor.point.number(**level).is_none();
        let of_blocks = kernel.mapped.iter().filter(|mapped| mapped.stride.is_none()).map(|mapped| &mapped.level);
        let own = of_blocks
            .filter(is_block)
            .fold(cursor.clone(), |own, level| self.fix(&own, KernelPhase::Recompose, *level));
        let own = own.in_kernel(|kernel| {
            kernel.unfixed.clear();
            kernel.takes_part = None;
        });
        let b = &cursor.b;
        kernel.barrier(b);
        let later = number.compare(b, IntPredicate::Sgt, Constant(0));
        let linearized = Linearized::new(b, self, &own.point, &self.non_reduction_dimensions(), None);
        let (thread, threads) = (kernel.thread, Constant(kernel.threads));
        let add = |b: &Code<'t>| {
            let (all, ahead) = (linearized.total, Constant(kernel.threads - 1).sub(b, thread));
            let is_alike = all.constant().is_some_and(|all| all % kernel.threads == 0);
            let count = if is_alike { all } else { all.add(b, ahead) }.div(b, threads);
            loops::sequential(b, count, |b, round| {
                let (point, exists) = linearized.at(b, self, &own.point, round.mul(b, threads).add(b, thread));
                let add = |b: &Code<'t>| self.add_before(b, &point, number, into, sums);
                match exists {
                    Some(exists) => loops::when(b, exists, add),
                    None => add(b),
                }
            });
        };
        own.guarded(b, |b| loops::when(b, later, add));
    }

    /// Emits host code that runs only if a number of parts is positive.
    fn when_some(&self, cursor: &Cursor<'t>, parts: Index, body: &mut dyn FnMut(&Cursor<'t>)) {
        if parts.constant().is_some() {
            return body(cursor);
        }
        let some = parts.compare(&cursor.b, IntPredicate::Sgt, Constant(0));
        loops::when(&cursor.b, some, |b| body(&Cursor { b: *b, ..cursor.clone() }));
    }

    /// Scans the sums of the parts (inclusive), for each element of some dimensions: one block for each element, and
    /// adjacent parts for each of its threads. `cause`: the step that scans. `value`: loads the sum of a part.
    fn scan_sums(
        &self,
        cursor: &Cursor<'t>,
        (dimensions, cause): (&[usize], Cause),
        parts: Index,
        sums: &Accumulator,
        value: &dyn Fn(&Code<'t>, &Cursor<'t>, &Point, Index) -> Vec<Value>,
    ) {
        let Some(combiner) = &self.combiner else { return };
        let threads = self
            .schedule
            .system
            .whole_warps(parts.constant().map_or(SCANNING as i64, |parts| parts.min(SCANNING as i64)));
        let each = parts.ceildiv(&cursor.b, Constant(threads));
        self.on_elements(cursor, dimensions, None, threads, &mut |inner, point, thread| {
            let b = &inner.b;
            let value = |b: &Code<'t>, number: Index| value(b, inner, point, number);
            let begin = thread.mul(b, each);
            let second = begin.add(b, Constant(1));
            let end = if each.constant() == Some(1) { second } else { begin.add(b, each).min(b, parts) };
            let first = value(b, begin.min(b, parts.sub(b, Constant(1))));
            let own = loops::carried(b, second, end, &first, |b, number, sum| {
                combiner.combine(b, sum, &value(b, number), None)
            });
            let before = if threads > 1 { self.before(inner, (thread, threads, 1), cause, &own) } else { own };
            let add = |b: &Code<'t>| {
                let follows = thread.compare(b, IntPredicate::Sgt, Constant(0));
                let with_carry = |b: &Code<'t>| combiner.combine(b, &before, &first, None);
                let sum = loops::branch(b, follows, &combiner.scalars(), with_carry, |_| first.clone());
                sums.at(begin).store(b, &self.space, point, &sum);
                loops::carried(b, second, end, &sum, |b, number, sum| {
                    let sum = combiner.combine(b, sum, &value(b, number), None);
                    sums.at(number).store(b, &self.space, point, &sum);
                    sum
                });
            };
            let some = begin.compare(b, IntPredicate::Slt, parts);
            inner.guarded(b, |b| loops::when(b, some, add));
        });
    }
}
