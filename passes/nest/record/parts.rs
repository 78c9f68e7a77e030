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
        index::Index::{self, Constant},
        loops,
        tree::Purpose,
    },
    plan::{
        KernelPhase, PlannedBuffer, PlannedLoop,
        runner::{Combination, Runner},
    },
};
use mdh_dialects::schedule::{model::Level, roles::CoreRole};

impl<'t> Construction<'_, 't> {
    /// Emits the parts of a level, and the combination of their results.
    pub fn parts(&self, planned: &PlannedLoop, cursor: Cursor<'t>, into: Accumulator) {
        let trip = self.trip(&cursor, planned.level);
        let is_on_processor = matches!(cursor.place, ExecutionSpace::Processor);
        let Some(combination) = planned.combination else { return self.each_part(planned, &cursor, trip, into) };
        let cursor = &cursor.within(Purpose::Combine { level: planned.level, combination });
        match combination {
            Combination::Carried | Combination::InMemory => {
                self.initialize(cursor, &into);
                let inside = into.inside(planned.level);
                self.each(cursor, planned.collective_level(), &mut |inner| {
                    self.body(&planned.body, inner, inside.clone());
                });
            }
            Combination::TreeAcross(CoreRole::Blocks) => self.reduce_blocks(planned, cursor, trip, &into),
            Combination::TreeAcross(_) if is_on_processor => self.reduce_parallel(planned, cursor, trip, &into),
            Combination::TreeAcross(_) => self.reduce_threads(planned, cursor, &into),
            Combination::Scan => self.scan_sequential(planned, cursor, &into),
            Combination::ScanAcross(CoreRole::Blocks) => self.scan_blocks(planned, cursor, trip, &into),
            Combination::ScanAcross(_) if is_on_processor => self.scan_parallel(planned, cursor, trip, &into),
            Combination::ScanAcross(_) => self.scan_threads(planned, cursor, &into),
        }
    }

    /// Emits parts whose results are separate: a loop, or in a kernel the part of this block or thread.
    fn each_part(&self, planned: &PlannedLoop, cursor: &Cursor<'t>, trip: Index, into: Accumulator) {
        let PlannedLoop { level, runner, body, .. } = planned;
        match (runner, cursor.kernel()) {
            (Runner::Cores(_), Some(_)) => {
                self.body(body, self.fix(cursor, KernelPhase::Recompose, *level), into);
            }
            (Runner::Cores(_), None) => self.over(cursor, (*level, *runner), trip, |inner, number| {
                self.body(body, inner.inside(&inner.b, *level, number), into);
            }),
            _ => match self.full_parts(planned, cursor, trip, &into) {
                Some(full) => self.full_then_partial(cursor, *level, full, trip, &mut |inner| {
                    self.body(body, inner, into.clone());
                }),
                None => self.each(cursor, planned.collective_level(), &mut |inner| {
                    self.body(body, inner, into.clone());
                }),
            },
        }
    }

    /// Results in a buffer of their own, which are then combined into the accumulator.
    pub fn accumulate_apart(&self, buffer: &PlannedBuffer, cursor: &Cursor<'t>, into: &Accumulator) {
        // The buffer also has the points of the register tile: all of them are computed before the first is delivered.
        let part = self.allocate(cursor, &buffer.placements, None, None, (ContentKind::Outputs, buffer.cause));
        self.record(&buffer.node, cursor.clone(), part.clone());
        self.elements(cursor, &mut |cursor, b, point| {
            let cursor = Cursor { b: *b, point: point.clone(), ..cursor.clone() };
            let lanes = cursor.tile.lanes();
            let elements = cursor.tile.elements(b, &self.space, &cursor.point);
            let values: Vec<_> =
                elements.iter().map(|element| part.load_element(b, &self.space, element, lanes)).collect();
            self.deliver_tile(&cursor, into, &values);
        });
        if let Some(kernel) = cursor.kernel().filter(|_| buffer.is_collective) {
            kernel.barrier(&cursor.b);
        }
    }

    /// Computes private partial results of all parts in parallel, then combines them in order.
    fn reduce_parallel(&self, planned: &PlannedLoop, cursor: &Cursor<'t>, trip: Index, into: &Accumulator) {
        let Level { layer, dimension } = planned.level;
        let inner_point = Cursor { point: cursor.point.with(dimension, layer, layer, Constant(0)), ..cursor.clone() };
        let lead = Some(self.space.parts[layer][dimension]);
        let contents = (ContentKind::Partial, planned.cause);
        let partial = self.allocate(&inner_point, planned.placements(), None, lead, contents);
        self.over(cursor, (planned.level, planned.runner), trip, |inner, number| {
            self.body(&planned.body, inner.inside(&inner.b, planned.level, number), partial.at(number));
        });
        self.initialize(cursor, into);
        let into = into.inside(planned.level);
        loops::sequential(&cursor.b.over(planned.level), trip, |b, number| {
            let point = cursor.point.with(dimension, layer, layer, number);
            elements(b, &self.space, &point, &self.non_reduction_dimensions(), &mut |b, point| {
                let values = partial.at(number).load(b, &self.space, point);
                self.deliver(cursor, b, point, &into, &values);
            });
        });
    }
}
