//! Builds the loop nests of a low-level expression.
//!
//! Each of the three phases (de-composition D, scalar S, re-composition R) has its own order of levels. The phases
//! share their leading loops as far as both order and assignment coincide:
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
//! innermost, and each step delivers into an [`Accumulator`]. A step begins a new accumulator in three cases: the
//! schedule names another region or layout, a prefix sum lies inside of a reduction into the same memory, or parallel
//! parts have private partial results.
use crate::nest::{
    accumulator::{Accumulator, elements},
    code::Code,
    contents::{Cause, What},
    frame::{Construction, Frame, Place},
    gpu::kernel::Phase,
    index::Index::{self, Constant},
    lanes::{Mask, lifted},
    loops,
    source::Source,
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
    pub fn generate(&self, mut frame: Frame<'t>, outputs: Accumulator) {
        self.enter(&mut frame);
        self.recompose(0, frame, outputs);
    }

    /// Entry of a loop body: promotes inputs; below the shared levels, runs the scalar phase into memory.
    pub fn enter(&self, frame: &mut Frame<'t>) {
        if frame.results.is_some() {
            return;
        }
        self.promote(frame, false);
        self.materialize(frame);
    }

    /// Runs a separate scalar phase with results in memory, if `frame` is at the depth of the shared levels and the
    /// scalar phase has further levels.
    pub fn materialize(&self, frame: &mut Frame<'t>) {
        let is_alone = frame.depth == self.shared && self.shared < self.schedule.scalar_loops().len();
        if frame.results.is_some() || !is_alone {
            return;
        }
        let order: Vec<_> = self.reduced().chain(self.kept()).collect();
        let writes = &self.schedule.scalar.writes;
        if matches!(frame.place, Place::Host) && !self.has_blocks_behind() {
            // Both phases go into one kernel.
            return;
        }
        let results = self.allocate(frame, writes, Some(order), None, (What::Scalars, Cause::Scalar));
        match &frame.place {
            Place::Processor => self.scalar_phase(frame.clone(), &results),
            Place::Host => self.scalar_phase_on_device(frame, &results),
            Place::Kernel(kernel) => {
                let is_private = |placement: &Placement| self.memory(&placement.region) == Memory::Private;
                let is_redundant = writes.iter().any(is_private);
                kernel.barrier(&frame.b);
                let alone = if is_redundant { frame.clone() } else { frame.begin(Phase::Scalar) };
                let alone = alone.in_kernel(|kernel| {
                    kernel.waiting.clear();
                    kernel.is_redundant = is_redundant;
                    if is_redundant {
                        (kernel.active, kernel.takes_part) = (None, None);
                    }
                });
                self.scalar_phase(alone, &results);
                kernel.barrier(&frame.b);
            }
        }
        frame.results = Some(results);
    }

    fn reduced(&self) -> impl Iterator<Item = usize> {
        let operators = &self.workload.operators;
        (0..operators.len()).filter(|&d| operators[d].reduces()).collect::<Vec<_>>().into_iter()
    }

    /// Emits loops over the levels of the scalar phase that the re-composition does not share; results go to a buffer.
    pub fn scalar_phase(&self, frame: Frame<'t>, results: &Accumulator) {
        let levels = self.schedule.scalar_loops();
        let Some((level, tag)) = levels.get(frame.depth) else {
            let values = self.leaf(&frame);
            return self.deliver_tile(&frame, results, &values);
        };
        let is_own =
            frame.kernel().is_some_and(|kernel| !kernel.is_redundant && kernel.mapped(Phase::Scalar, *level).is_some());
        if is_own {
            let mut inner = self.fix(&frame, Phase::Scalar, *level);
            self.promote(&mut inner, false);
            return self.scalar_phase(inner, results);
        }
        if self.kernels.is_some() {
            return self.each(&frame, *level, &mut |mut inner| {
                self.promote(&mut inner, false);
                self.scalar_phase(inner, results);
            });
        }
        let trip = self.trip(&frame, *level);
        self.over(&frame, (*level, tag), trip, |mut inner, number| {
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
    pub fn is_shared_out(&self, tag: &Tag) -> bool {
        if self.kernels.is_some() { self.schedule.is_core(tag) } else { self.schedule.is_threaded(tag) }
    }

    /// Emits a loop over `trip` parts of a level; the loop is parallel if the level is distributed over threads.
    pub fn over(
        &self,
        frame: &Frame<'t>,
        (level, tag): (Level, &Tag),
        trip: Index,
        body: impl FnOnce(Frame<'t>, Index),
    ) {
        let b = &frame.b.over(level);
        if self.is_shared_out(tag) && trip.constant() != Some(1) {
            loops::parallel(b, trip, |b, scope, number| {
                body(Frame { b: *b, ..frame.clone() }.on_thread(scope), number)
            });
        } else {
            loops::sequential(b, trip, |b, number| body(Frame { b: *b, ..frame.clone() }, number));
        }
    }

    /// The placements that step `j` of the re-composition writes to; past the last step, those of the scalar phase.
    pub fn placements(&self, j: usize) -> &[Placement] {
        self.schedule.recompose.get(j).map_or(&self.schedule.scalar.writes, |step| &step.placements)
    }

    /// Delivers the results of the steps from `j` on into an accumulator.
    pub fn recompose(&self, j: usize, frame: Frame<'t>, into: Accumulator) {
        if matches!(frame.place, Place::Host) && self.recompose_on_device(j, &frame, &into) {
            return;
        }
        let step = self.schedule.recompose.get(j);
        let materialised = step.is_none() && frame.results.is_some();
        let mut into = into;
        if self.is_in_registers(j, &frame, &into) {
            into.placements = self.placements(j).to_vec();
        }
        let moved = !materialised && into.placements != self.placements(j);
        let begins_anew = step.is_some_and(|step| {
            let operator = &self.workload.operators[step.level.dimension];
            let is_other = |level: &Level| level.dimension != step.level.dimension;
            // Each dimension is reduced into its own value, unless reassociation allows one value for all.
            let is_separate = || !self.reassociate && !frame.tile.has(step.level) && into.opened.iter().any(is_other);
            let is_loop = self.schedule.is_loop(step.level) && !into.opened.is_empty();
            is_loop && (operator.is_scan() || operator.reduces() && is_separate())
        });
        if !moved && !begins_anew {
            return self.step(j, frame, into);
        }
        // The buffer also has the points of the frame's register tile: all of them are computed before the first is
        // delivered.
        let cause = self.because_of_recompose(j);
        let part = self.allocate(&frame, self.placements(j), None, None, (What::Outputs, cause));
        self.step(j, frame.clone(), part.clone());
        self.elements(&frame, &mut |frame, b, point| {
            let frame = Frame { b: *b, point: point.clone(), ..frame.clone() };
            let lanes = frame.tile.lanes();
            let elements = frame.tile.elements(b, &self.space, &frame.point);
            let values: Vec<_> =
                elements.iter().map(|element| part.load_element(b, &self.space, element, lanes)).collect();
            self.deliver_tile(&frame, &into, &values);
        });
        if let Some(kernel) = frame.kernel().filter(|_| self.is_collective(&frame)) {
            kernel.barrier(&frame.b);
        }
    }

    /// Emits loops over all result elements in the part of a frame.
    pub fn elements(&self, frame: &Frame<'t>, body: &mut dyn FnMut(&Frame<'t>, &Code<'t>, &Point)) {
        if let Place::Host = frame.place {
            return self.on_elements(frame, &self.kept(), None, 1, &mut |frame, point, _| body(frame, &frame.b, point));
        }
        let frame = &self.owned(frame);
        elements(&frame.b, &self.space, &frame.point, &self.kept(), &mut |b, point| body(frame, b, point));
    }

    /// True if the results of the steps from `j` on stay in registers although the schedule names a thread's private
    /// memory.
    fn is_in_registers(&self, j: usize, frame: &Frame<'t>, into: &Accumulator) -> bool {
        let placements = self.placements(j);
        let is_private = placements.iter().all(|placement| self.memory(&placement.region) == Memory::Private);
        if frame.kernel().is_none() || into.placements == placements || !is_private {
            return false;
        }
        let behind = &self.schedule.recompose[j..];
        let is_settled =
            behind.iter().all(|step| step.placements == placements) && self.schedule.scalar.writes == placements;
        let is_loop = |step: &&Step| self.schedule.is_loop(step.level) && !frame.tile.has(step.level);
        let mut loops = behind.iter().filter(is_loop);
        let concatenates = loops.all(|step| self.workload.operators[step.level.dimension].concatenates());
        let relabelled = Accumulator { placements: placements.to_vec(), ..into.clone() };
        is_settled && frame.results.is_none() && (concatenates || self.is_innermost_reduction(j, frame, &relabelled))
    }

    fn step(&self, j: usize, frame: Frame<'t>, into: Accumulator) {
        let Some(step) = self.schedule.recompose.get(j) else {
            let values = self.leaf(&frame);
            return self.deliver_tile(&frame, &into, &values);
        };
        if !self.schedule.is_loop(step.level) || frame.tile.has(step.level) {
            return self.recompose(j + 1, frame, into);
        }
        let axes = self.leading_axes(j, &frame, &into.placements);
        if !axes.is_empty() {
            self.open(&frame, &axes, &[], &mut |frame| {
                self.recompose(j, frame.clone(), into.clone());
                vec![]
            });
            return;
        }
        let trip = self.trip(&frame, step.level);
        let strategy = self.strategy(j, step, &frame, &into, trip);
        let frame = match strategy {
            Strategy::Combine(combination) => frame.within(Purpose::Combine { level: step.level, combination }),
            _ => frame,
        };
        match strategy {
            Strategy::Each => self.each(&frame, step.level, &mut |inner| self.behind(j, inner, into.clone())),
            Strategy::EachOnThreads => self.over(&frame, (step.level, &step.tag), trip, |inner, number| {
                self.behind(j, inner.inside(&inner.b, step.level, number), into);
            }),
            Strategy::Own => self.behind(j, self.fix(&frame, Phase::Recompose, step.level), into),
            Strategy::Combine(combination) => self.combine_parts(j, &frame, trip, into, combination),
        }
    }

    /// Continues inside of step `j`, in a frame that has fixed a part of it.
    fn behind(&self, j: usize, mut inner: Frame<'t>, into: Accumulator) {
        self.enter(&mut inner);
        self.recompose(j + 1, inner, into);
    }

    /// Emits the parts of step `j` and the combination of their results.
    fn combine_parts(&self, j: usize, frame: &Frame<'t>, trip: Index, into: Accumulator, combination: Combination) {
        let Some(level) = self.schedule.recompose.get(j).map(|step| step.level) else { return };
        let is_on_processor = matches!(frame.place, Place::Processor);
        match combination {
            Combination::Carried => self.reduce_carried(j, frame.clone(), into),
            Combination::InMemory => {
                self.initialize(frame, &into);
                self.each(frame, level, &mut |inner| self.behind(j, inner, into.inside(level)));
            }
            Combination::TreeAcross(CoreRole::Blocks) => self.reduce_blocks(j, frame, trip, &into),
            Combination::TreeAcross(_) if is_on_processor => self.reduce_parallel(j, frame.clone(), trip, into),
            Combination::TreeAcross(_) => self.reduce_threads(j, frame, &into),
            Combination::Scan => self.scan_sequential(j, frame.clone(), into),
            Combination::ScanAcross(CoreRole::Blocks) => self.scan_blocks(j, frame, trip, &into),
            Combination::ScanAcross(_) if is_on_processor => self.scan_parallel(j, frame.clone(), trip, into),
            Combination::ScanAcross(_) => self.scan_threads(j, frame, &into),
        }
    }

    /// Computes private partial results of all parts in parallel, then combines them in order.
    fn reduce_parallel(&self, j: usize, frame: Frame<'t>, trip: Index, into: Accumulator) {
        let Some(step) = self.schedule.recompose.get(j) else { return };
        let Level { layer, dimension } = step.level;
        let inner_point = Frame { point: frame.point.with(dimension, layer, layer, Constant(0)), ..frame.clone() };
        let lead = Some(self.space.parts[layer][dimension]);
        let contents = (What::Partial, self.because_of_recompose(j));
        let partial = self.allocate(&inner_point, self.placements(j + 1), None, lead, contents);
        self.over(&frame, (step.level, &step.tag), trip, |inner, number| {
            let mut inner = inner.inside(&inner.b, step.level, number);
            self.enter(&mut inner);
            self.recompose(j + 1, inner, partial.at(number));
        });
        self.initialize(&frame, &into);
        let into = into.inside(step.level);
        loops::sequential(&frame.b.over(step.level), trip, |b, number| {
            let point = frame.point.with(dimension, layer, layer, number);
            elements(b, &self.space, &point, &self.kept(), &mut |b, point| {
                let values = partial.at(number).load(b, &self.space, point);
                self.deliver(&frame, b, point, &into, &values);
            });
        });
    }

    /// True if step `j` is the innermost loop and no buffer lies between it and the scalar function.
    pub fn is_last_loop(&self, j: usize, into: &Accumulator) -> bool {
        let behind = &self.schedule.recompose[j + 1..];
        let settled = |placements: &[Placement]| into.placements == placements;
        behind.iter().all(|step| !self.schedule.is_loop(step.level) && settled(&step.placements))
            && settled(&self.schedule.scalar.writes)
    }

    /// True if a dimension is known to be non-empty, so that every loop over its parts has at least one iteration.
    pub fn is_inhabited(&self, dimension: usize) -> bool {
        self.space.extent(dimension).constant().is_some_and(|extent| extent > 0)
    }

    /// Fills an accumulator with the identity before its first reduction, if the combining function has an identity.
    pub fn initialize(&self, frame: &Frame<'t>, into: &Accumulator) {
        let Some(combiner) = self.combiner.as_ref().filter(|c| into.opened.is_empty() && c.has_identity) else {
            return;
        };
        let (lanes, into) = (frame.tile.lanes(), into.cached());
        self.elements(&frame.within(Purpose::Initialize), &mut |frame, b, point| {
            frame.guarded(b, |b| {
                let Some(identity) = combiner.identity(b) else { return };
                for element in frame.tile.elements(b, &self.space, point) {
                    into.store_element(b, &self.space, &element, lanes, &identity);
                }
            });
        });
    }

    /// Combines values into the element of an accumulator at a point.
    pub fn deliver(&self, frame: &Frame<'t>, b: &Code<'t>, point: &Point, into: &Accumulator, values: &[Value]) {
        let element = PointVector { point: point.clone(), mask: Mask::default() };
        frame.guarded(b, |b| self.deliver_element(b, &element, None, into, values));
    }

    /// Combines the values of all elements of a frame's tile into an accumulator.
    pub fn deliver_tile(&self, frame: &Frame<'t>, into: &Accumulator, values: &[Vec<Value>]) {
        let lanes = frame.tile.lanes();
        frame.guarded(&frame.b, |b| {
            for (element, values) in frame.tile.elements(b, &self.space, &frame.point).iter().zip(values) {
                self.deliver_element(b, element, lanes, into, values);
            }
        });
    }

    fn deliver_element(
        &self,
        b: &Code<'t>,
        element: &PointVector,
        lanes: Option<Lanes>,
        into: &Accumulator,
        values: &[Value],
    ) {
        let Some(combiner) = self.combiner.as_ref().filter(|_| !into.opened.is_empty()) else {
            return into.store_element(b, &self.space, element, lanes, values);
        };
        let combine = |b: &Code<'t>| {
            let old = into.load_element(b, &self.space, element, lanes);
            let combined = combiner.combine(b, &old, values, lanes);
            into.store_element(b, &self.space, element, lanes, &combined);
            vec![]
        };
        if combiner.has_identity {
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

    /// The results at the elements of a frame's tile: computed by the scalar function, or loaded from the results of a
    /// separate scalar phase.
    pub fn leaf(&self, frame: &Frame<'t>) -> Vec<Vec<Value>> {
        let (b, lanes) = (&frame.b, frame.tile.lanes());
        let elements = frame.tile.elements(b, &self.space, &frame.point);
        match &frame.results {
            Some(results) => {
                elements.iter().map(|element| results.load_element(b, &self.space, element, lanes)).collect()
            }
            None => self.scalar(frame, &elements),
        }
    }

    fn scalar(&self, frame: &Frame<'t>, elements: &[PointVector]) -> Vec<Vec<Value>> {
        let (b, lanes) = (&frame.b, frame.tile.lanes());
        let body = &self.workload.body;
        // Masked-off lanes read zeros. If the scalar function cannot be evaluated on those, they repeat the first lane
        // instead.
        let repeats = lanes.is_some() && !body.is_speculatable;
        // Results of out-of-bounds points are not used. If a promoted part has memory for these points, they read it
        // without bounds checks, whatever its contents.
        let checked = frame.tile.checked();
        let is_free = self.kernels.is_some() && lanes.is_none() && !checked.is_empty() && body.is_speculatable;
        let beyond = is_free.then(|| frame.tile.unchecked().elements(b, &self.space, &frame.point));
        let has_beyond = |source: &Source| checked.iter().all(|&d| source.has_memory_behind(d));
        let mut read: Vec<Read> = vec![];
        let numbers = frame.tile.numbers();
        let value = |(i, element): (usize, &PointVector)| {
            let numbers = &numbers[i];
            let mut components = vec![None; self.workload.input_types.len()];
            for (buffer, groups) in self.groups.iter().enumerate() {
                let element_type = self.workload.inputs[buffer].array.element;
                for (group, source) in groups.iter().zip(&frame.sources[buffer]) {
                    let seen = numbers.iter().copied().filter(|(level, _)| group.depends_on(level.dimension));
                    let seen: Vec<_> = seen.collect();
                    for (access, &component) in group.components.iter().enumerate() {
                        let key = (component, seen.clone());
                        let known = read.iter().find(|(known, _)| *known == key).map(|(_, value)| *value);
                        let value = known.unwrap_or_else(|| {
                            if let Some(next) = self.next_run(frame, buffer, group, &element.point) {
                                source.access(b, &self.space, group, access, &next, lanes).prefetch(b);
                            }
                            let beyond = beyond.as_ref().filter(|_| has_beyond(source));
                            let element = beyond.map_or(element, |beyond| &beyond[i]);
                            let address = source.access(b, &self.space, group, access, &element.point, lanes);
                            address.load(b, element_type, lanes, &element.mask, repeats)
                        });
                        read.push((key, value));
                        components[component] = Some(value);
                    }
                }
            }
            let arguments: Vec<_> = components.into_iter().flatten().collect();
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
            let first = element.point.offset(&code, &self.space, dimension);
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

/// Key: a component of the scalar tuple, and the part numbers of the unrolled levels that its access depends on. Value:
/// the loaded value.
type Read = ((usize, Vec<(Level, i64)>), Value);
