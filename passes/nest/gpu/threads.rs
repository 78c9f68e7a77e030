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
    index::Index::{self, Constant},
    loops, scan,
    space::Point,
    tile::and,
};
use crate::plan::{KernelPhase, PlanNode, PlannedLoop};
use mdh_dialects::{ir::IntPredicate, schedule::model::Level};

/// The distribution of a level over threads: the part number of this thread, the number of parts, and the distance of
/// the threads of adjacent parts.
pub type Distribution = (Index, i64, i64);

impl<'t> Construction<'_, 't> {
    /// The distribution of a level of the re-composition over the threads of the kernel around the cursor.
    fn share(&self, cursor: &Cursor<'t>, level: Level) -> Option<Distribution> {
        let mapped = cursor.kernel()?.mapped(KernelPhase::Recompose, level)?;
        Some((mapped.number, mapped.count.constant().unwrap_or(1), mapped.stride.unwrap_or(1)))
    }

    /// Reduces the parts of a level, each of which one thread owns.
    pub fn reduce_threads(&self, planned: &PlannedLoop, cursor: &Cursor<'t>, into: &Accumulator) {
        let Some(share) = self.share(cursor, planned.level) else { return };
        let (cause, body) = (planned.cause, &planned.body);
        let trip = self.trip(cursor, planned.level);
        let mut inner = self.fix(cursor, KernelPhase::Recompose, planned.level);
        self.enter(&mut inner, &body.entry);
        if let (PlanNode::Carry(carry), None) = (&body.node, &planned.partial) {
            let (active, unfixed) = cursor.kernel().map_or((None, vec![]), |k| (k.active, k.unfixed.clone()));
            self.unroll_and_jam(&inner, &carry.tile, None, &[], &mut |tile| {
                let values = self.carry(&carry.node, tile, None);
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
        let part = self.allocate(&inner, planned.placements(), None, None, (ContentKind::Partial, cause));
        self.record(&body.node, inner.clone(), part.clone());
        self.uniform_elements(&self.fix_owned(cursor), &self.non_reduction_dimensions(), &mut |cursor, element| {
            let b = &cursor.b;
            let values = part.load(b, &self.space, element);
            let reduced = self.across(cursor, share, trip, cause, &values);
            self.deliver(cursor, b, element, into, &reduced);
        });
    }

    /// Scans the parts of a level, each of which one thread owns.
    pub fn scan_threads(&self, planned: &PlannedLoop, cursor: &Cursor<'t>, into: &Accumulator) {
        let (level, Some(combiner)) = (planned.level, &self.combiner) else { return };
        let Some((number, count, stride)) = self.share(cursor, level) else { return };
        let Some(kernel) = cursor.kernel() else { return };
        let d = level.dimension;
        let trip = self.trip(cursor, level);
        let mut inner = self.fix(cursor, KernelPhase::Recompose, level);
        self.enter(&mut inner, &planned.body.entry);
        self.record(&planned.body.node, inner.clone(), into.clone());
        let is_reduced_inside = |level: &Level| {
            self.workload.operators[level.dimension].reduces()
                && self.share(cursor, *level).is_some()
                && inner.point.number(*level).is_none()
        };
        if kernel.mapped.iter().any(|mapped| is_reduced_inside(&mapped.level)) {
            // One thread has written the result that several have reduced; others read it.
            kernel.barrier(&cursor.b);
        }
        let others: Vec<_> = self.non_reduction_dimensions().into_iter().filter(|&other| other != d).collect();
        let own_part = inner.point.number(level).unwrap_or(Constant(0));
        self.uniform_elements(&self.fix_owned(cursor), &others, &mut |cursor, element| {
            let b = &cursor.b;
            // The sum of the last part is not needed, and its last element may be out of bounds.
            let is_followed = number.add(b, Constant(1)).compare(b, IntPredicate::Slt, trip);
            let sums = loops::branch(
                b,
                is_followed,
                &combiner.scalars(),
                |b| {
                    let last = scan::with_last_of(b, self, &cursor.point, element, level, own_part);
                    into.load(b, &self.space, &last)
                },
                |b| {
                    let mut first = element.with(d, level.layer, level.layer, own_part);
                    for layer in first.free[d].clone() {
                        first = first.with(d, layer, layer, Constant(0));
                    }
                    into.load(b, &self.space, &first)
                },
            );
            let carry = self.before(cursor, (number, count, stride), planned.cause, &sums);
            let follows = and(
                b,
                Some(number.compare(b, IntPredicate::Sgt, Constant(0))),
                number.compare(b, IntPredicate::Slt, trip),
            );
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
                let own = inside.iter().fold(part, |part, inside| self.fix(&part, KernelPhase::Recompose, *inside));
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
}
