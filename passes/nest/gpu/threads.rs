//! Exchange across the threads of a block: reduction and scanned dimensions that are distributed over them.
//!
//! ```text
//! R: k (CC, +)   ──▶   own = f over this thread's parts
//!                      sum = the combination of all (exchange.rs)
//!                      thread 0: into = sum
//! ```
use super::{Memory, kernel::KernelPhase};
use crate::nest::{
    accumulator::{Accumulator, elements},
    code::Code,
    construction::Construction,
    contents::ContentKind,
    cursor::Cursor,
    index::Index::{self, Constant},
    loops, scan,
    space::Point,
    tile::and,
};
use mdh_dialects::{
    ir::IntPredicate,
    schedule::model::{Level, Step},
};

/// The distribution of a level over threads: the part number of this thread, the number of parts, and the distance of
/// the threads of adjacent parts.
pub type Distribution = (Index, i64, i64);

impl<'t> Construction<'_, 't> {
    /// The distribution of a level of the re-composition over the threads of the kernel around the cursor.
    fn share(&self, cursor: &Cursor<'t>, level: Level) -> Option<Distribution> {
        let mapped = cursor.kernel()?.mapped(KernelPhase::Recompose, level)?;
        Some((mapped.number, mapped.count.constant().unwrap_or(1), mapped.stride.unwrap_or(1)))
    }

    /// Reduces the parts of step `j`, each of which one thread owns.
    pub fn reduce_threads(&self, j: usize, cursor: &Cursor<'t>, into: &Accumulator) {
        let Some(step) = self.schedule.recompose.get(j) else { return };
        let Some(share) = self.share(cursor, step.level) else { return };
        let cause = self.because_of_recompose(j);
        let trip = self.trip(cursor, step.level);
        let mut inner = self.fix(cursor, KernelPhase::Recompose, step.level);
        self.enter(&mut inner);
        let placements = self.placements(j + 1).to_vec();
        let relabelled = Accumulator { placements: placements.clone(), entered: vec![], ..into.clone() };
        if let Some(axes) = self.carried_axes(j + 1, &inner, &relabelled) {
            let is_collective = inner.kernel().is_some_and(|kernel| kernel.is_collective);
            let in_uniform_loop = inner.in_kernel(|kernel| kernel.is_collective = true);
            let (active, unfixed) = cursor.kernel().map_or((None, vec![]), |k| (k.active, k.unfixed.clone()));
            self.unroll_and_jam(&in_uniform_loop, &axes, None, &[], &mut |tile| {
                let alone = tile.in_kernel(|kernel| kernel.is_collective = is_collective);
                let values = self.carry(j + 1, &alone, &placements, None);
                let Some(combiner) = &self.combiner else { return vec![] };
                let tuples = values.chunks(combiner.types.len());
                let reduced = tuples.map(|values| self.across(tile, share, trip, cause, values));
                let reduced: Vec<_> = reduced.collect();
                let outer = tile.in_kernel(|kernel| (kernel.active, kernel.unfixed) = (active, unfixed.clone()));
                self.deliver_tile(&outer, into, &reduced);
                vec![]
            });
            return;
        }
        let part = self.allocate(&inner, &placements, None, None, (ContentKind::Partial, cause));
        self.recompose(j + 1, inner.clone(), part.clone());
        self.uniform_elements(&self.fix_owned(cursor), &self.non_reduction_dimensions(), &mut |cursor, element| {
            let b = &cursor.b;
            let values = part.load(b, &self.space, element);
            let reduced = self.across(cursor, share, trip, cause, &values);
            self.deliver(cursor, b, element, into, &reduced);
        });
    }

    /// Scans the parts of step `j`, each of which one thread owns.
    pub fn scan_threads(&self, j: usize, cursor: &Cursor<'t>, into: &Accumulator) {
        let (Some(step), Some(combiner)) = (self.schedule.recompose.get(j), &self.combiner) else { return };
        let Some((number, count, stride)) = self.share(cursor, step.level) else { return };
        let Some(kernel) = cursor.kernel() else { return };
        let d = step.level.dimension;
        let trip = self.trip(cursor, step.level);
        let mut inner = self.fix(cursor, KernelPhase::Recompose, step.level);
        self.enter(&mut inner);
        self.recompose(j + 1, inner.clone(), into.clone());
        let shares_reduction = |step: &Step| {
            self.workload.operators[step.level.dimension].reduces() && self.share(cursor, step.level).is_some()
        };
        if self.schedule.recompose[j + 1..].iter().any(shares_reduction) {
            // One thread has written the result that several have reduced; others read it.
            kernel.barrier(&cursor.b);
        }
        let others: Vec<_> = self.non_reduction_dimensions().into_iter().filter(|&other| other != d).collect();
        let own_part = inner.point.number(step.level).unwrap_or(Constant(0));
        self.uniform_elements(&self.fix_owned(cursor), &others, &mut |cursor, element| {
            let b = &cursor.b;
            // The sum of the last part is not needed, and its last element may be out of bounds.
            let is_followed = number.add(b, Constant(1)).compare(b, IntPredicate::Slt, trip);
            let sums = loops::branch(
                b,
                is_followed,
                &combiner.scalars(),
                |b| {
                    let last = scan::with_last_of(b, self, &cursor.point, element, step.level, own_part);
                    into.load(b, &self.space, &last)
                },
                |b| {
                    let mut first = element.with(d, step.level.layer, step.level.layer, own_part);
                    for layer in first.free[d].clone() {
                        first = first.with(d, layer, layer, Constant(0));
                    }
                    into.load(b, &self.space, &first)
                },
            );
            let carry = self.before(cursor, (number, count, stride), self.because_of_recompose(j), &sums);
            let follows = and(
                b,
                Some(number.compare(b, IntPredicate::Sgt, Constant(0))),
                number.compare(b, IntPredicate::Slt, trip),
            );
            let is_inside = |level: &&Level| level.dimension == d && **level != step.level;
            let inside: Vec<_> = kernel.unfixed.iter().filter(is_inside).copied().collect();
            if !inside.is_empty() {
                // This thread has read the last element of the part, which another thread is about to update.
                kernel.barrier(b);
            }
            let then = |b: &Code<'t>| {
                let point = element.with(d, step.level.layer, step.level.layer, own_part);
                let part = Cursor { b: *b, point, ..cursor.clone() };
                let part = part.in_kernel(|kernel| kernel.unfixed.retain(|unfixed| *unfixed != step.level));
                // Each thread updates its own part; if further levels distribute the part over several threads, each of
                // these threads updates its share.
                let own = inside.iter().fold(part, |part, level| self.fix(&part, KernelPhase::Recompose, *level));
                elements(b, &self.space, &own.point, &[d], &mut |b, point| {
                    own.guarded(b, |b| scan::combine_into(self, b, point, into, &carry));
                });
                vec![]
            };
            loops::branch(b, follows, &[], then, |_| vec![]);
        });
        kernel.barrier(&cursor.b);
    }

    /// Emits loops over all elements of the iteration space at the cursor in these dimensions, with control flow that
    /// is uniform across the block.
    pub fn uniform_elements(
        &self,
        cursor: &Cursor<'t>,
        dimensions: &[usize],
        body: &mut dyn FnMut(&Cursor<'t>, &Point),
    ) {
        let mut first = cursor.point.clone();
        for fixed in cursor.kernel().map_or(&[][..], |kernel| &kernel.fixed) {
            first.set(*fixed, Constant(0));
        }
        self.elements_of_all(cursor, &first, dimensions, body);
    }

    /// As [`Self::uniform_elements`]. `most`: the point of the first thread, which has the largest trip counts. Other
    /// threads have their own points, also in iterations that are out of bounds for them.
    fn elements_of_all(
        &self,
        cursor: &Cursor<'t>,
        most: &Point,
        dimensions: &[usize],
        body: &mut dyn FnMut(&Cursor<'t>, &Point),
    ) {
        let next =
            dimensions.iter().find_map(|&d| self.space.runs(d, &cursor.point.free[d]).first().map(|&run| (d, run)));
        let Some((d, (first, last))) = next else { return body(cursor, &cursor.point) };
        let trip = |point: &Point| self.space.trip(&cursor.b, d, first, last, point);
        let own = trip(&cursor.point);
        let longest = if self.is_uniform(cursor, d) { own } else { trip(most) };
        loops::sequential(&cursor.b.over_layers(d, [first, last]), longest, |b, number| {
            let mut inner = Cursor { b: *b, ..cursor.clone() };
            let most = most.with(d, first, last, number);
            let mut number = number;
            if !self.is_uniform(cursor, d) {
                let exists = number.compare(b, IntPredicate::Slt, own);
                inner = inner.in_kernel(|kernel| kernel.active = Some(and(b, kernel.active, exists)));
                number = number.min(b, own.sub(b, Constant(1)));
            }
            inner.point = inner.point.with(d, first, last, number);
            self.elements_of_all(&inner, &most, dimensions, body);
        });
    }

    /// The kind of device memory of a region.
    pub fn memory(&self, region: &str) -> Memory {
        self.schedule.system.device_memory(region)
    }
}
