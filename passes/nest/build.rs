//! Builds the loop nests of a low-level expression.
//!
//! Each of the three phases (de-composition D, scalar S, re-composition R) has its own order of levels. The phases
//! share their leading loops as far as both order and tags coincide:
//!
//! ```text
//! D = S = R                 S and R share k levels               D and S share k levels
//! for shared levels:        for shared levels:                   for shared levels:
//!   promote inputs            for other levels of S:               promote inputs for all other levels of D
//!   r = combine(r, f(...))      results[...] = f(...)              for other levels of S: ...
//!                             for other levels of R:
//!                               r = combine(r, results[...])
//! ```
//!
//! The re-composition is the outermost structure: `recompose` recurses over its steps from the outermost to the
//! innermost, and each step delivers into an [`Accumulator`]. A step begins a new accumulator in four cases: the
//! schedule names another region or layout, a prefix sum lies inside of a reduction into the same memory, a reduction
//! lies inside of a reduction of another dimension and reassociation is not allowed, or parallel parts have private
//! partial results.
use crate::nest::{
    accumulator::{Accumulator, elements},
    code::Code,
    construction::Construction,
    contents::{Cause, ContentKind},
    cursor::{Cursor, ExecutionSpace},
    gpu::kernel::KernelPhase,
    index::Index::{self, Constant},
    lanes::{Mask, lift, lifted},
    loops,
    space::Point,
    strategy::Strategy,
    tile::PointVector,
    tree::{Combination, Operation, PointIndex, Purpose, Scalar, Value},
    types::Lanes,
};
use mdh_dialects::schedule::{
    model::{Level, Placement, Step, Tag},
    roles::{CoreRole, Memory},
};

impl<'t> Construction<'_, 't> {
    /// Generates all loops; results go to `outputs`.
    pub fn generate(&self, mut cursor: Cursor<'t>, outputs: Accumulator) {
        self.enter(&mut cursor);
        self.recompose(0, cursor, outputs);
    }

    /// Entry of a loop body: computes parts of producers, promotes inputs and, at the depth of the shared levels, runs a separate scalar phase.
    pub fn enter(&self, cursor: &mut Cursor<'t>) {
        if cursor.results.is_some() {
            return;
        }
        self.compute_producers(cursor, false);
        self.promote(cursor, false);
        self.materialize(cursor);
    }

    /// Runs a separate scalar phase with results in memory, if `cursor` is at the depth of the shared levels and the
    /// scalar phase has further levels.
    pub fn materialize(&self, cursor: &mut Cursor<'t>) {
        let is_alone = cursor.depth == self.shared && self.shared < self.schedule.scalar_loops().len();
        if cursor.results.is_some() || !is_alone {
            return;
        }
        let order: Vec<_> = self.reduced().chain(self.non_reduction_dimensions()).collect();
        let writes = &self.schedule.scalar.writes;
        if matches!(cursor.place, ExecutionSpace::Host) && !self.has_blocks_inside() {
            // Both phases go into one kernel.
            return;
        }
        let results = self.allocate(cursor, writes, Some(order), None, (ContentKind::Scalars, Cause::Scalar));
        match &cursor.place {
            ExecutionSpace::Processor => self.scalar_phase(cursor.clone(), &results),
            ExecutionSpace::Host => self.scalar_phase_on_device(cursor, &results),
            ExecutionSpace::Kernel(kernel) => {
                let is_private = |placement: &Placement| self.memory(&placement.region) == Memory::Private;
                let is_redundant = writes.iter().any(is_private);
                kernel.barrier(&cursor.b);
                let alone = if is_redundant { cursor.clone() } else { cursor.begin(KernelPhase::Scalar) };
                let alone = alone.in_kernel(|kernel| {
                    kernel.unfixed.clear();
                    kernel.is_redundant = is_redundant;
                    if is_redundant {
                        (kernel.active, kernel.takes_part) = (None, None);
                    }
                });
                self.scalar_phase(alone, &results);
                kernel.barrier(&cursor.b);
            }
        }
        cursor.results = Some(results);
    }

    fn reduced(&self) -> impl Iterator<Item = usize> {
        let operators = &self.workload.operators;
        (0..operators.len()).filter(|&d| operators[d].reduces()).collect::<Vec<_>>().into_iter()
    }

    /// Emits loops over the levels of the scalar phase that the re-composition does not share; results go to a buffer.
    pub fn scalar_phase(&self, cursor: Cursor<'t>, results: &Accumulator) {
        let levels = self.schedule.scalar_loops();
        let Some((level, tag)) = levels.get(cursor.depth) else {
            let values = self.leaf(&cursor);
            return self.deliver_tile(&cursor, results, &values);
        };
        let is_own = cursor
            .kernel()
            .is_some_and(|kernel| !kernel.is_redundant && kernel.mapped(KernelPhase::Scalar, *level).is_some());
        if is_own {
            let mut inner = self.fix(&cursor, KernelPhase::Scalar, *level);
            self.promote(&mut inner, false);
            return self.scalar_phase(inner, results);
        }
        if self.kernels.is_some() {
            return self.each(&cursor, *level, &mut |mut inner| {
                self.promote(&mut inner, false);
                self.scalar_phase(inner, results);
            });
        }
        let trip = self.trip(&cursor, *level);
        self.over(&cursor, (*level, tag), trip, |mut inner, number| {
            inner = inner.clone().inside(&inner.b, *level, number);
            self.promote(&mut inner, false);
            self.scalar_phase(inner, results);
        });
    }

    /// True if copies to shared memory are asynchronous: threads continue while the copies are in flight.
    pub fn copies_ahead(&self) -> bool {
        self.kernels.is_some_and(|kernels| kernels.copies_ahead)
    }

    /// True if the parts of a level with this tag are computed in parallel: by threads on a processor, by any core
    /// layer on a device.
    pub fn is_distributed(&self, tag: &Tag) -> bool {
        if self.kernels.is_some() { self.schedule.is_core(tag) } else { self.schedule.is_threaded(tag) }
    }

    /// Emits a loop over `trip` parts of a level; the loop is parallel if the level is distributed over threads.
    pub fn over(
        &self,
        cursor: &Cursor<'t>,
        (level, tag): (Level, &Tag),
        trip: Index,
        body: impl FnOnce(Cursor<'t>, Index),
    ) {
        let b = &cursor.b.over(level);
        if self.is_distributed(tag) && trip.constant() != Some(1) {
            loops::parallel(b, trip, |b, scope, number| {
                body(Cursor { b: *b, ..cursor.clone() }.on_thread(scope), number)
            });
        } else {
            loops::sequential(b, trip, |b, number| body(Cursor { b: *b, ..cursor.clone() }, number));
        }
    }

    /// The placements that step `j` of the re-composition writes to; past the last step, those of the scalar phase.
    pub fn placements(&self, j: usize) -> &[Placement] {
        self.schedule.recompose.get(j).map_or(&self.schedule.scalar.writes, |step| &step.placements)
    }

    /// Delivers the results of the steps from `j` on into an accumulator.
    pub fn recompose(&self, j: usize, cursor: Cursor<'t>, into: Accumulator) {
        if matches!(cursor.place, ExecutionSpace::Host) && self.recompose_on_device(j, &cursor, &into) {
            return;
        }
        let step = self.schedule.recompose.get(j);
        let materialised = step.is_none() && cursor.results.is_some();
        let mut into = into;
        if self.is_in_registers(j, &cursor, &into) {
            into.placements = self.placements(j).to_vec();
        }
        let moved = !materialised && into.placements != self.placements(j);
        let begins_anew = step.is_some_and(|step| {
            let operator = &self.workload.operators[step.level.dimension];
            let is_other = |level: &Level| level.dimension != step.level.dimension;
            // Each dimension is reduced into its own value, unless reassociation allows one value for all.
            let is_separate =
                || !self.has_one_value && !cursor.tile.has(step.level) && into.entered.iter().any(is_other);
            let is_loop = self.schedule.is_loop(step.level) && !into.entered.is_empty();
            is_loop && (operator.is_scan() || operator.reduces() && is_separate())
        });
        if !moved && !begins_anew {
            return self.step(j, cursor, into);
        }
        // The buffer also has the points of the register tile: all of them are computed before the first is delivered.
        let cause = self.because_of_recompose(j);
        let part = self.allocate(&cursor, self.placements(j), None, None, (ContentKind::Outputs, cause));
        self.step(j, cursor.clone(), part.clone());
        self.elements(&cursor, &mut |cursor, b, point| {
            let cursor = Cursor { b: *b, point: point.clone(), ..cursor.clone() };
            let lanes = cursor.tile.lanes();
            let elements = cursor.tile.elements(b, &self.space, &cursor.point);
            let values: Vec<_> =
                elements.iter().map(|element| part.load_element(b, &self.space, element, lanes)).collect();
            self.deliver_tile(&cursor, &into, &values);
        });
        if let Some(kernel) = cursor.kernel().filter(|_| self.is_collective(&cursor)) {
            kernel.barrier(&cursor.b);
        }
    }

    /// Emits loops over all result elements of the iteration space at the cursor; on the host around kernels, a kernel
    /// with one thread for each element.
    pub fn elements(&self, cursor: &Cursor<'t>, body: &mut dyn FnMut(&Cursor<'t>, &Code<'t>, &Point)) {
        if let ExecutionSpace::Host = cursor.place {
            return self.on_elements(cursor, &self.non_reduction_dimensions(), None, 1, &mut |cursor, point, _| {
                body(cursor, &cursor.b, point)
            });
        }
        let cursor = &self.fix_owned(cursor);
        elements(&cursor.b, &self.space, &cursor.point, &self.non_reduction_dimensions(), &mut |b, point| {
            body(cursor, b, point)
        });
    }

    /// True if the results of the steps from `j` on stay in registers, so that the buffer in private memory of a thread
    /// that the schedule names is not allocated.
    fn is_in_registers(&self, j: usize, cursor: &Cursor<'t>, into: &Accumulator) -> bool {
        let placements = self.placements(j);
        let is_private = placements.iter().all(|placement| self.memory(&placement.region) == Memory::Private);
        if cursor.kernel().is_none() || into.placements == placements || !is_private {
            return false;
        }
        let inside_step = &self.schedule.recompose[j..];
        let is_settled =
            inside_step.iter().all(|step| step.placements == placements) && self.schedule.scalar.writes == placements;
        let is_loop = |step: &&Step| self.schedule.is_loop(step.level) && !cursor.tile.has(step.level);
        let mut loops = inside_step.iter().filter(is_loop);
        let concatenates = loops.all(|step| self.workload.operators[step.level.dimension].concatenates());
        let relabelled = Accumulator { placements: placements.to_vec(), ..into.clone() };
        is_settled && cursor.results.is_none() && (concatenates || self.is_innermost_reduction(j, cursor, &relabelled))
    }

    /// Emits the parts of step `j` and delivers their results, which are in the placements of the accumulator.
    fn step(&self, j: usize, cursor: Cursor<'t>, into: Accumulator) {
        let Some(step) = self.schedule.recompose.get(j) else {
            let values = self.leaf(&cursor);
            return self.deliver_tile(&cursor, &into, &values);
        };
        if !self.schedule.is_loop(step.level) || cursor.tile.has(step.level) {
            return self.recompose(j + 1, cursor, into);
        }
        let axes = self.leading_axes(j, &cursor, &into.placements);
        if !axes.is_empty() {
            // Results that are combined in memory are not written again: another thread may be at work on them.
            let is_written_once = self.combiner.is_none();
            self.unroll_and_jam(&cursor, &axes, is_written_once.then_some(&into), &[], &mut |cursor| {
                self.recompose(j, cursor.clone(), into.clone());
                vec![]
            });
            return;
        }
        let trip = self.trip(&cursor, step.level);
        let strategy = self.strategy(j, step, &cursor, &into, trip);
        let cursor = match strategy {
            Strategy::Combine(combination) => cursor.within(Purpose::Combine { level: step.level, combination }),
            _ => cursor,
        };
        match strategy {
            Strategy::Each => match self.full_parts(j, &cursor, trip, &into) {
                Some(full) => self.full_then_partial(&cursor, step.level, full, trip, &mut |inner| {
                    self.inside_step(j, inner, into.clone());
                }),
                None => self.each(&cursor, step.level, &mut |inner| self.inside_step(j, inner, into.clone())),
            },
            Strategy::EachOnThreads => self.over(&cursor, (step.level, &step.tag), trip, |inner, number| {
                self.inside_step(j, inner.inside(&inner.b, step.level, number), into);
            }),
            Strategy::Own => self.inside_step(j, self.fix(&cursor, KernelPhase::Recompose, step.level), into),
            Strategy::Combine(combination) => self.combine_parts(j, &cursor, trip, into, combination),
        }
    }

    /// Continues inside of step `j`, with the cursor in one of its parts.
    fn inside_step(&self, j: usize, mut inner: Cursor<'t>, into: Accumulator) {
        self.enter(&mut inner);
        self.recompose(j + 1, inner, into);
    }

    /// Emits the parts of step `j` and the combination of their results.
    fn combine_parts(&self, j: usize, cursor: &Cursor<'t>, trip: Index, into: Accumulator, combination: Combination) {
        let Some(level) = self.schedule.recompose.get(j).map(|step| step.level) else { return };
        let is_on_processor = matches!(cursor.place, ExecutionSpace::Processor);
        match combination {
            Combination::Carried => self.reduce_carried(j, cursor.clone(), into),
            Combination::InMemory => {
                self.initialize(cursor, &into);
                self.each(cursor, level, &mut |inner| self.inside_step(j, inner, into.inside(level)));
            }
            Combination::TreeAcross(CoreRole::Blocks) => self.reduce_blocks(j, cursor, trip, &into),
            Combination::TreeAcross(_) if is_on_processor => self.reduce_parallel(j, cursor.clone(), trip, into),
            Combination::TreeAcross(_) => self.reduce_threads(j, cursor, &into),
            Combination::Scan => self.scan_sequential(j, cursor.clone(), into),
            Combination::ScanAcross(CoreRole::Blocks) => self.scan_blocks(j, cursor, trip, &into),
            Combination::ScanAcross(_) if is_on_processor => self.scan_parallel(j, cursor.clone(), trip, into),
            Combination::ScanAcross(_) => self.scan_threads(j, cursor, &into),
        }
    }

    /// Computes private partial results of all parts in parallel, then combines them in order.
    fn reduce_parallel(&self, j: usize, cursor: Cursor<'t>, trip: Index, into: Accumulator) {
        let Some(step) = self.schedule.recompose.get(j) else { return };
        let Level { layer, dimension } = step.level;
        let inner_point = Cursor { point: cursor.point.with(dimension, layer, layer, Constant(0)), ..cursor.clone() };
        let lead = Some(self.space.parts[layer][dimension]);
        let contents = (ContentKind::Partial, self.because_of_recompose(j));
        let partial = self.allocate(&inner_point, self.placements(j + 1), None, lead, contents);
        self.over(&cursor, (step.level, &step.tag), trip, |inner, number| {
            let mut inner = inner.inside(&inner.b, step.level, number);
            self.enter(&mut inner);
            self.recompose(j + 1, inner, partial.at(number));
        });
        self.initialize(&cursor, &into);
        let into = into.inside(step.level);
        loops::sequential(&cursor.b.over(step.level), trip, |b, number| {
            let point = cursor.point.with(dimension, layer, layer, number);
            elements(b, &self.space, &point, &self.non_reduction_dimensions(), &mut |b, point| {
                let values = partial.at(number).load(b, &self.space, point);
                self.deliver(&cursor, b, point, &into, &values);
            });
        });
    }

    /// True if step `j` is the innermost loop and no buffer lies between it and the scalar function.
    pub fn is_last_loop(&self, j: usize, into: &Accumulator) -> bool {
        let inside_step = &self.schedule.recompose[j + 1..];
        let is_final = |placements: &[Placement]| into.placements == placements;
        inside_step.iter().all(|step| !self.schedule.is_loop(step.level) && is_final(&step.placements))
            && is_final(&self.schedule.scalar.writes)
    }

    /// True if a dimension is known to be non-empty, so that every loop over its parts has at least one iteration.
    pub fn is_inhabited(&self, dimension: usize) -> bool {
        self.space.extent(dimension).constant().is_some_and(|extent| extent > 0)
    }

    /// Combines values into the element of an accumulator at a point.
    pub fn deliver(&self, cursor: &Cursor<'t>, b: &Code<'t>, point: &Point, into: &Accumulator, values: &[Value]) {
        let element = PointVector { point: point.clone(), mask: Mask::default() };
        cursor.guarded(b, |b| self.deliver_element(b, &element, None, into, values));
    }

    /// Combines the values of all elements of the register tile into an accumulator.
    pub fn deliver_tile(&self, cursor: &Cursor<'t>, into: &Accumulator, values: &[Vec<Value>]) {
        let lanes = cursor.tile.lanes();
        cursor.guarded(&cursor.b, |b| {
            for (element, values) in cursor.tile.elements(b, &self.space, &cursor.point).iter().zip(values) {
                self.deliver_element(b, element, lanes, into, values);
            }
        });
    }

    /// Combines the values of one element of the register tile into an accumulator, or stores the first ones.
    fn deliver_element(
        &self,
        b: &Code<'t>,
        element: &PointVector,
        lanes: Option<Lanes>,
        into: &Accumulator,
        values: &[Value],
    ) {
        let inits = into.inits.as_ref();
        let Some(combiner) = self.combiner.as_ref().filter(|_| !into.entered.is_empty() || inits.is_some()) else {
            return into.store_element(b, &self.space, element, lanes, values);
        };
        if let Some(inits) = inits.filter(|_| into.entered.is_empty()) {
            let first = inits.load(b, &self.space, element, lanes);
            let values: Vec<_> = values.iter().map(|value| lift(b, lanes, *value)).collect();
            let combined = combiner.combine(b, &first, &values, lanes);
            return into.store_element(b, &self.space, element, lanes, &combined);
        }
        let combine = |b: &Code<'t>| {
            let old = into.load_element(b, &self.space, element, lanes);
            let combined = combiner.combine(b, &old, values, lanes);
            into.store_element(b, &self.space, element, lanes, &combined);
            vec![]
        };
        if combiner.has_identity || inits.is_some() {
            combine(b);
            return;
        }
        let first = into.is_first(b, &element.point);
        let store = |b: &Code<'t>| {
            into.store_element(b, &self.space, element, lanes, values);
            vec![]
        };
        loops::branch(b, first, &[], store, combine);
    }

    /// The results at the elements of the register tile: computed by the scalar function, or loaded from the results of
    /// a separate scalar phase.
    pub fn leaf(&self, cursor: &Cursor<'t>) -> Vec<Vec<Value>> {
        let (b, lanes) = (&cursor.b, cursor.tile.lanes());
        let elements = cursor.tile.elements(b, &self.space, &cursor.point);
        match &cursor.results {
            Some(results) => {
                elements.iter().map(|element| results.load_element(b, &self.space, element, lanes)).collect()
            }
            None => self.with_carry_in(cursor, &elements, self.scalar(cursor, &elements)),
        }
    }

    /// Evaluates the scalar function at elements of the register tile; elements that share an input value load it once.
    fn scalar(&self, cursor: &Cursor<'t>, elements: &[PointVector]) -> Vec<Vec<Value>> {
        let (b, lanes) = (&cursor.b, cursor.tile.lanes());
        let body = &self.workload.body;
        // Masked-off lanes read zeros. If the scalar function cannot be evaluated on zeros, they repeat the first lane
        // instead.
        let repeats = lanes.is_some() && !body.is_speculatable;
        // Results of out-of-bounds points are not used. If a promoted part has memory for these points, they read it
        // without bounds checks, whatever its contents.
        let checked = cursor.tile.checked();
        let is_free = self.kernels.is_some() && lanes.is_none() && !checked.is_empty() && body.is_speculatable;
        let beyond = is_free.then(|| cursor.tile.unchecked().elements(b, &self.space, &cursor.point));
        let mut reads = self.reads(cursor, (elements, beyond.as_deref()), repeats);
        let value = |(i, element): (usize, &PointVector)| {
            let arguments = self.arguments(&mut reads, i);
            self.at(b, element, lanes, repeats, &arguments)
        };
        elements.iter().enumerate().map(value).collect()
    }

    /// Applies the scalar function to arguments, at the points of an element of a tile.
    fn at(
        &self,
        b: &Code<'t>,
        element: &PointVector,
        lanes: Option<Lanes>,
        repeats: bool,
        arguments: &[Value],
    ) -> Vec<Value> {
        let index = |&dimension: &usize| {
            let code = b.inside();
            let first = element.point.index(&code, &self.space, dimension);
            let along = lanes.filter(|lanes| lanes.level.dimension == dimension);
            let stride = along.map(|lanes| self.space.strides[lanes.level.layer][dimension]);
            let inside = element.mask.lanes.filter(|_| repeats);
            PointIndex { dimension, code: code.block(), first, stride, inside }
        };
        let indices = self.workload.body.indices.iter().map(index).collect();
        let types: Vec<_> = self.workload.output_types.iter().map(|element| lifted(lanes, *element)).collect();
        let scalar = Scalar { lanes: lanes.map(|lanes| lanes.count), indices };
        b.statement(Operation::Scalar(scalar), arguments, &types)
    }
}
