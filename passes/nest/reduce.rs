//! Register tiles in a loop nest: unroll-and-jam of their levels, and reductions whose results stay in registers.
//!
//! ```mlir
//! // mdh-opt --lower-mdh="stop-after=loops print-nest=true"
//! mdh.lowlevel.system @tiles memory [MM: global, REG: registers] cores [SIMD: lanes] combine [REG]
//! func.func @matmul(%A: memref<2x32xf32>, %B: memref<32x16xf32>, %C: memref<2x16xf32>) {
//!   %in = mdh.view.inp_view %A[affine_map<(i, j, k) -> (i, k)>], %B[affine_map<(i, j, k) -> (k, j)>] : (memref<2x32xf32>, memref<32x16xf32>) -> !mdh.mda<2x16x32, f32, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @tiles, parts = [[1, 1, 32], [2, 1, 1], [1, 16, 1]],
//!       decompose = {tags = [["MM,x", "MM,y", "MM,z"], ["REG,x", "REG,y", "REG,z"], ["SIMD,x", "SIMD,y", "SIMD,z"]]}}} {
//!   ^bb0(%a: f32, %b: f32):
//!     %p = arith.mulf %a, %b : f32
//!     mdh.hom.yield %p : f32
//!   } : !mdh.mda<2x16x32, f32, f32> -> !mdh.mda<2x16x1, f32>
//!   mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] into %C : !mdh.mda<2x16x1, f32>, memref<2x16xf32>
//!   return
//! }
//! ```
//! becomes
//! ```text
//! level (1, 3) carried:
//!   unroll level (2, 1) by 2, vectorize level (3, 2) by 16:
//!     %c, %d = for p1_3 in 0..32 carrying (%e = .., %f = ..):
//!       %x = load input 1[0, p1_3]
//!       %b = load 16 of input 2[p1_3, 0]
//!       %p = scalar (%x, %b) on 16 lanes
//!       %y = load input 1[1, p1_3]
//!       %q = scalar (%y, %b) on 16 lanes
//!       %g = combine (%e) with (%p) on 16 lanes
//!       %h = combine (%f) with (%q) on 16 lanes
//!       yield %g, %h
//!     store %c to 16 of output 1[0, 0]
//!     store %d to 16 of output 1[1, 0]
//! ```
use crate::nest::{
    accumulator::Accumulator,
    code::Code,
    frame::{Construction, Frame},
    index::Index::{self, Constant},
    lanes::{fold, lift, lifted},
    loops,
    operators::Combiner,
    tile::and,
    tree::{Axis, Purpose, Value},
    types::{Element, Lanes, Type},
};
use mdh_dialects::{
    ir::IntPredicate,
    schedule::model::{Level, Placement, Step},
};

impl<'t> Construction<'_, 't> {
    /// True if the code inside of a frame consists only of loops, the scalar function and combining: nothing is
    /// promoted, materialized or moved to another buffer, no loop is distributed over cores, and no prefix sum is
    /// computed.
    fn is_plain(&self, j: usize, frame: &Frame<'t>, placements: &[Placement]) -> bool {
        if frame.results.is_none() {
            if self.shared < self.schedule.scalar_loops().len() {
                return false;
            }
            let mut depth = 0;
            // In a kernel, a part is promoted for all points of a tile together.
            let stays = |placements: &[Placement]| self.kernels.is_some() || placements == frame.placements;
            for step in &self.schedule.decompose {
                if depth.min(self.decomposed) > frame.depth && !stays(&step.placements) {
                    return false;
                }
                depth += usize::from(self.schedule.is_loop(step.level));
            }
            if depth > frame.depth && !stays(&self.schedule.scalar.reads) {
                return false;
            }
        }
        let is_plain = |step: &Step| {
            let is_scan = self.workload.operators[step.level.dimension].is_scan();
            let is_loop = self.schedule.is_loop(step.level);
            step.placements == placements && !(is_loop && (is_scan || self.is_shared_out(&step.tag)))
        };
        self.schedule.recompose[j..].iter().all(is_plain)
            && (frame.results.is_some() || self.schedule.scalar.writes == placements)
    }

    /// The level of a step as an axis of the frame's tile; `None` if its tag is neither registers nor lanes, or if the
    /// tile has no room.
    fn axis(&self, step: &Step, frame: &Frame<'t>) -> Option<Axis> {
        let has_lanes = self.kernels.is_none() && self.schedule.is_vector(&step.tag);
        let is_vector = self.is_vectorizable && has_lanes;
        if !has_lanes && !self.schedule.is_register(&step.tag) {
            return None;
        }
        let count = self.schedule.parts[step.level.layer][step.level.dimension]?;
        frame.tile.axis(step.level, i64::try_from(count).ok()?, is_vector)
    }

    /// True if all values of the computation can be vector lanes.
    pub fn has_vectors(&self) -> bool {
        let types = self.workload.input_types.iter().chain(&self.workload.output_types);
        types.copied().all(Element::is_vectorizable)
            && self.workload.body.is_vectorizable
            && self.combiner.as_ref().is_none_or(|combiner| combiner.is_vectorizable)
    }

    /// The levels of concatenated dimensions, from step `j` on without a gap, to unroll-and-jam here; empty if this is
    /// not possible.
    pub fn leading_axes(&self, j: usize, frame: &Frame<'t>, placements: &[Placement]) -> Vec<Axis> {
        if !self.is_plain(j, frame, placements) {
            return vec![];
        }
        let (mut frame, mut axes) = (frame.clone(), vec![]);
        for step in self.schedule.recompose[j..].iter().filter(|step| self.schedule.is_loop(step.level)) {
            let is_kept = self.workload.operators[step.level.dimension].keeps();
            let Some(axis) = self.axis(step, &frame).filter(|_| is_kept && !frame.tile.has(step.level)) else { break };
            frame.tile = frame.tile.with(axis);
            axes.push(axis);
        }
        axes
    }

    /// The levels of concatenated dimensions among the steps from `j` on, if all other loops there are reductions and
    /// their results can stay in registers; `None` otherwise.
    pub fn carried_axes(&self, j: usize, frame: &Frame<'t>, into: &Accumulator) -> Option<Vec<Axis>> {
        let has_identity = self.combiner.as_ref().map(|combiner| combiner.has_identity)?;
        let is_plain = self.is_plain(j, frame, &into.placements);
        let settled = |placements: &[Placement]| into.placements == placements;
        let (mut frame, mut axes, mut loops) = (frame.clone(), vec![], 0);
        for (i, step) in self.schedule.recompose.iter().enumerate().skip(j) {
            if i > j && !settled(&step.placements) {
                return None;
            }
            if !self.schedule.is_loop(step.level) || frame.tile.has(step.level) {
                continue;
            }
            let axis = self.axis(step, &frame).filter(|_| is_plain);
            match (self.workload.operators[step.level.dimension].reduces(), axis) {
                (true, None) if self.is_shared_out(&step.tag) => return None,
                (true, None) => loops += 1,
                (true, Some(_)) => {}
                (false, Some(axis)) => {
                    frame.tile = frame.tile.with(axis);
                    axes.push(axis);
                }
                (false, None) => return None,
            }
        }
        // Without an identity the first value initializes the reduction: the first iteration is peeled, which works for
        // one loop only.
        (settled(&self.schedule.scalar.writes) && (has_identity || loops <= 1)).then_some(axes)
    }

    /// True if step `j` and all loops inside of it are sequential reductions, so that their result can stay in
    /// registers.
    pub fn is_innermost_reduction(&self, j: usize, frame: &Frame<'t>, into: &Accumulator) -> bool {
        self.carried_axes(j, frame, into).is_some()
    }

    /// Emits `body` inside of additional tile axes. If points of a full tile may be out of bounds, and no inner loop
    /// separates these iterations, emits two versions: one for full tiles without checks, and one for partial tiles
    /// with a check of each point.
    pub fn open(
        &self,
        frame: &Frame<'t>,
        axes: &[Axis],
        types: &[Type],
        body: &mut dyn FnMut(&Frame<'t>) -> Vec<Value>,
    ) -> Vec<Value> {
        let mut inner = match axes {
            [] => frame.clone(),
            axes => frame.within(Purpose::Tile(axes.to_vec())),
        };
        let b = &inner.b.clone();
        for axis in axes {
            let Level { layer, dimension } = axis.level;
            inner.point = inner.point.with(dimension, layer, layer, Constant(0));
            inner.depth += 1;
            inner.tile = inner.tile.with(*axis);
            if self.kernels.is_some() && inner.results.is_none() {
                self.promote(&mut inner, false);
            }
        }
        // Threads that synchronize at barriers cannot be in different versions.
        let is_collective = self.is_collective(&inner);
        let mut dimensions: Vec<_> = axes.iter().map(|axis| axis.level.dimension).collect();
        dimensions.sort_unstable();
        dimensions.dedup();
        let (mut is_full, mut decided) = (None, vec![]);
        for d in dimensions.into_iter().filter(|&d| !self.space.is_exact(d)) {
            let last = inner.point.offset(b, &self.space, d).add(b, inner.tile.span(b, &self.space, d));
            match (last.constant(), self.space.extent(d).constant()) {
                _ if !inner.point.free[d].is_empty() => inner.tile = inner.tile.checking(d, true),
                (Some(last), Some(extent)) => inner.tile = inner.tile.checking(d, last >= extent),
                _ if is_collective => inner.tile = inner.tile.checking(d, true),
                _ => {
                    is_full = Some(and(b, is_full, last.compare(b, IntPredicate::Slt, self.space.extent(d))));
                    decided.push(d);
                }
            }
        }
        let Some(is_full) = is_full else { return body(&inner) };
        // Both versions call the body, one after the other.
        let body = std::cell::RefCell::new(body);
        let version = |b: &Code<'t>, checks: bool| {
            let tile = decided.iter().fold(inner.tile.clone(), |tile, &d| tile.checking(d, checks));
            (body.borrow_mut())(&Frame { b: *b, tile, ..inner.clone() })
        };
        loops::branch(b, is_full, types, |b| version(b, false), |b| version(b, true))
    }

    /// Emits a sequential loop over the parts of a level, with loop-carried values. Iterations in which all points of
    /// the tile are in bounds come first, in a loop without checks.
    pub fn sequential(
        &self,
        frame: &Frame<'t>,
        level: Level,
        first: Index,
        initial: &[Value],
        body: &mut dyn FnMut(Frame<'t>, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let (b, d) = (&frame.b.over(level), level.dimension);
        let trip = self.trip(frame, level);
        if !self.is_uniform(frame, d) && self.is_collective(frame) {
            let longest = self.uniform_trip(frame, level);
            return loops::carried(b, first, longest, initial, |b, number, carried| {
                let (inner, exists) = frame.together(b, level, number, trip);
                let inner = Frame { turn: frame.turn_of(level, first, longest), ..inner };
                let values = body(inner, carried);
                values.iter().zip(carried).map(|(new, old)| b.select(exists, *new, *old)).collect()
            });
        }
        let is_alike = self.is_collective(frame);
        let mut part = |frame: &Frame<'t>, from: Index, to: Index, initial: &[Value]| {
            loops::carried(&frame.b.over(level), from, to, initial, |b, number, carried| {
                let turn = if is_alike { frame.turn_of(level, from, to) } else { None };
                body(Frame { turn, ..frame.inside(b, level, number) }, carried)
            })
        };
        if !frame.tile.checks(d) || frame.point.free[d] != [level.layer] || is_alike {
            let Some(count) = self.whole(frame, level, trip).filter(|_| !is_alike) else {
                return part(frame, first, trip, initial);
            };
            // All parts but the last are full: their loops have a static length and can be unrolled.
            let is_whole = trip.compare(b, IntPredicate::Eq, count);
            let types: Vec<_> = initial.iter().map(|value| b.type_of(*value)).collect();
            let part = std::cell::RefCell::new(part);
            let version = |b: &Code<'t>, to| (part.borrow_mut())(&Frame { b: *b, ..frame.clone() }, first, to, initial);
            return loops::branch(b, is_whole, &types, |b| version(b, count), |b| version(b, trip));
        }
        let last = frame.point.offset(b, &self.space, d).add(b, frame.tile.span(b, &self.space, d));
        let rest = self.space.extent(d).sub(b, last);
        let full = rest.ceildiv(b, self.space.strides[level.layer][d]).max(b, first).min(b, trip);
        let unchecked = Frame { tile: frame.tile.checking(d, false), ..frame.clone() };
        let values = part(&unchecked, first, full, initial);
        part(frame, full, trip, &values)
    }

    /// The static trip count of the innermost reduction loop of a kernel where the reduction does not end early; `None`
    /// if this count is unknown, if the trip count is static anyway, or if the target's kernels do not unroll
    /// reductions.
    fn whole(&self, frame: &Frame<'t>, level: Level, trip: Index) -> Option<Index> {
        let is_last = frame.depth + 1 == self.schedule.scalar_loops().len();
        let is_reduction = self.workload.operators[level.dimension].reduces();
        let count = self.space.parts[level.layer][level.dimension];
        let is_known = count.constant().is_some() && trip.constant().is_none();
        let unrolls = self.kernels.is_some_and(|kernels| kernels.unrolls_reductions);
        (unrolls && frame.kernel().is_some() && is_last && is_reduction && is_known).then_some(count)
    }

    /// Emits a sequential loop over the parts of a level.
    pub fn each(&self, frame: &Frame<'t>, level: Level, body: &mut dyn FnMut(Frame<'t>)) {
        self.sequential(frame, level, Constant(0), &[], &mut |inner, _| {
            body(inner);
            vec![]
        });
    }

    /// The innermost reduction: the results are loop-carried in registers and stored once.
    pub fn reduce_carried(&self, j: usize, frame: Frame<'t>, into: Accumulator) {
        let (Some(combiner), Some(axes)) = (&self.combiner, self.carried_axes(j, &frame, &into)) else { return };
        let reduce = |frame: &Frame<'t>| {
            let (b, lanes) = (&frame.b, frame.tile.lanes());
            let step = self.schedule.recompose.get(j).map(|step| step.level.dimension);
            let is_same = into.opened.iter().all(|level| Some(level.dimension) == step);
            let has_more = !into.opened.is_empty() && (self.reassociate || is_same);
            let initial = (has_more && combiner.has_identity).then(|| {
                let elements = frame.tile.elements(b, &self.space, &frame.point);
                elements.iter().flat_map(|element| into.load_element(b, &self.space, element, lanes)).collect()
            });
            let is_started = initial.is_some();
            let values = self.carry(j, frame, &into.placements, initial);
            let values: Vec<_> = values.chunks(combiner.types.len()).map(<[_]>::to_vec).collect();
            let into = if is_started { Accumulator { opened: vec![], ..into.cached() } } else { into.clone() };
            self.deliver_tile(frame, &into, &values);
        };
        let steps = self.schedule.recompose[j..].iter().map(|step| step.level.dimension);
        let mut empty: Vec<_> = steps
            .filter(|&d| self.workload.operators[d].reduces())
            .filter(|&d| !combiner.has_identity && !self.is_inhabited(d))
            .collect();
        empty.sort_unstable();
        empty.dedup();
        self.open(&frame, &axes, &[], &mut |frame| {
            // Without an identity the first value initializes the reduction, but an empty dimension has no values.
            let b = &frame.b;
            let exists = empty.iter().fold(None, |exists, &d| {
                let extent = self.space.extent(d);
                Some(and(b, exists, extent.compare(b, IntPredicate::Sgt, Constant(0))))
            });
            let Some(exists) = exists else {
                reduce(frame);
                return vec![];
            };
            let then = |b: &Code<'t>| {
                reduce(&Frame { b: *b, ..frame.clone() });
                vec![]
            };
            loops::branch(b, exists, &[], then, |_| vec![])
        });
    }

    /// The values of all elements of a frame's tile, reduced over the steps from `j` on. `initial`: the values to
    /// accumulate onto.
    pub fn carry(
        &self,
        j: usize,
        frame: &Frame<'t>,
        placements: &[Placement],
        initial: Option<Vec<Value>>,
    ) -> Vec<Value> {
        let Some(combiner) = &self.combiner else { return vec![] };
        let is_next = |step: &Step| self.schedule.is_loop(step.level) && !frame.tile.has(step.level);
        let next = self.schedule.recompose.iter().enumerate().skip(j).find(|(_, step)| is_next(step));
        let Some((j, step)) = next else {
            let values = self.leaf(frame).concat();
            return match initial {
                Some(initial) => self.accumulate(frame, combiner, &initial, &values),
                None => values,
            };
        };
        let (b, types) = (&frame.b, self.types(frame, combiner));
        if let Some(axis) = self.axis(step, frame).filter(|_| self.is_plain(j, frame, placements)) {
            let values = self.open(frame, &[axis], &types, &mut |inner| {
                let values = self.carry(j + 1, inner, placements, None);
                self.fold(inner, combiner, axis, &values)
            });
            return match initial {
                Some(initial) => self.accumulate(frame, combiner, &initial, &values),
                None => values,
            };
        }
        let (first, initial) = match (initial, combiner.identity(b)) {
            (Some(initial), _) => (Constant(0), initial),
            (None, Some(identity)) => {
                let lanes = frame.tile.lanes();
                let identity: Vec<_> = identity.into_iter().map(|value| lift(b, lanes, value)).collect();
                (Constant(0), identity.repeat(frame.tile.values() as usize))
            }
            (None, None) => {
                let mut inner = frame.inside(b, step.level, Constant(0));
                self.enter(&mut inner);
                (Constant(1), self.carry(j + 1, &inner, placements, None))
            }
        };
        self.sequential(frame, step.level, first, &initial, &mut |mut inner, carried| {
            self.enter(&mut inner);
            if self.reassociate || !self.reduces_another(j, &inner) {
                return self.carry(j + 1, &inner, placements, Some(carried.to_vec()));
            }
            let values = self.carry(j + 1, &inner, placements, None);
            self.accumulate(&inner, combiner, carried, &values)
        })
    }

    /// True if the next loop inside of step `j` reduces another dimension.
    fn reduces_another(&self, j: usize, frame: &Frame<'t>) -> bool {
        let (steps, d) = (&self.schedule.recompose, self.schedule.recompose[j].level.dimension);
        let mut rest = steps[j + 1..].iter().filter(|step| self.schedule.is_loop(step.level));
        rest.find(|step| !frame.tile.has(step.level)).is_some_and(|step| step.level.dimension != d)
    }

    /// The types of the values of all elements of a frame's tile.
    fn types(&self, frame: &Frame<'t>, combiner: &Combiner) -> Vec<Type> {
        let lanes = frame.tile.lanes();
        let types: Vec<_> = combiner.types.iter().map(|element| lifted(lanes, *element)).collect();
        types.repeat(frame.tile.values() as usize)
    }

    fn combine(
        &self,
        b: &Code<'t>,
        combiner: &Combiner,
        lanes: Option<Lanes>,
        left: &[Value],
        right: &[Value],
    ) -> Vec<Value> {
        let width = combiner.types.len();
        left.chunks(width).zip(right.chunks(width)).flat_map(|(x, y)| combiner.combine(b, x, y, lanes)).collect()
    }

    /// `left ∘ right` at those points of the tile that are inside of the iteration space, `left` elsewhere.
    fn accumulate(&self, frame: &Frame<'t>, combiner: &Combiner, left: &[Value], right: &[Value]) -> Vec<Value> {
        let (b, lanes) = (&frame.b, frame.tile.lanes());
        if frame.tile.axes.is_empty() {
            return combiner.accumulate(b, left, right);
        }
        let combined = self.combine(b, combiner, lanes, left, right);
        let reduces = |axis: &Axis| self.workload.operators[axis.level.dimension].reduces();
        if !frame.tile.axes.iter().any(|axis| reduces(axis) && frame.tile.checks(axis.level.dimension)) {
            return combined;
        }
        let elements = frame.tile.elements(b, &self.space, &frame.point);
        let width = combiner.types.len();
        let mut values = vec![];
        for ((element, new), old) in elements.iter().zip(combined.chunks(width)).zip(left.chunks(width)) {
            let condition = element.mask.condition(b, lanes);
            values.extend(new.iter().zip(old).map(|(new, old)| condition.map_or(*new, |c| b.select(c, *new, *old))));
        }
        values
    }

    /// Reduces the innermost axis of a frame's tile, by combining its parts.
    fn fold(&self, frame: &Frame<'t>, combiner: &Combiner, axis: Axis, values: &[Value]) -> Vec<Value> {
        let (b, width) = (&frame.b, combiner.types.len());
        let elements = frame.tile.elements(b, &self.space, &frame.point);
        if let Some(lanes) = frame.tile.lanes().filter(|_| axis.is_lanes) {
            let folded = elements.iter().zip(values.chunks(width));
            return folded.flat_map(|(element, values)| fold(b, lanes, element.mask.lanes, values, combiner)).collect();
        }
        let lanes = frame.tile.lanes();
        let mut folded = vec![];
        let parts: Vec<_> = elements.iter().zip(values.chunks(width)).collect();
        for parts in parts.chunks(axis.count as usize) {
            let Some(((_, first), rest)) = parts.split_first() else { continue };
            folded.extend(rest.iter().fold(first.to_vec(), |sum, (element, values)| {
                let combined = combiner.combine(b, &sum, values, lanes);
                let condition = element.mask.condition(b, lanes).filter(|_| frame.tile.checks(axis.level.dimension));
                let chosen = combined.iter().zip(&sum);
                chosen.map(|(new, old)| condition.map_or(*new, |c| b.select(c, *new, *old))).collect()
            }));
        }
        folded
    }
}
