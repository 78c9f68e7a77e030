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
    construction::Construction,
    cursor::Cursor,
    index::Index::{self, Constant},
    lanes::{fold, lift, lifted},
    loops,
    operators::Combiner,
    partial_sums::{PartialSums, Summation},
    partial_tiles::{FullTiles, OpenDimension},
    tile::and,
    tree::{Purpose, TileAxis, Value},
    types::{Element, Type},
};
use mdh_dialects::{
    ir::IntPredicate,
    schedule::model::{Level, Placement, Step},
};

impl<'t> Construction<'_, 't> {
    /// True if the code at the cursor consists only of loops, the scalar function and combining: nothing is promoted,
    /// computed for a producer, materialized or moved to another buffer, no loop is distributed over cores, and no prefix sum is computed.
    fn has_only_loops(&self, j: usize, cursor: &Cursor<'t>, placements: &[Placement]) -> bool {
        if cursor.results.is_none() {
            // In a kernel, a part is computed for all points of a tile together.
            if self.kernels.is_none() && cursor.depth < self.depth_of_producers() {
                return false;
            }
            if self.shared < self.schedule.scalar_loops().len() {
                return false;
            }
            let mut depth = 0;
            // In a kernel, a part is promoted for all points of a tile together.
            let is_unchanged = |placements: &[Placement]| self.kernels.is_some() || placements == cursor.placements;
            for step in &self.schedule.decompose {
                if depth.min(self.decomposed) > cursor.depth && !is_unchanged(&step.placements) {
                    return false;
                }
                depth += usize::from(self.schedule.is_loop(step.level));
            }
            if depth > cursor.depth && !is_unchanged(&self.schedule.scalar.reads) {
                return false;
            }
        }
        let is_plain = |step: &Step| {
            let is_scan = self.workload.operators[step.level.dimension].is_scan();
            let is_loop = self.schedule.is_loop(step.level);
            step.placements == placements && !(is_loop && (is_scan || self.is_distributed(&step.tag)))
        };
        self.schedule.recompose[j..].iter().all(is_plain)
            && (cursor.results.is_some() || self.schedule.scalar.writes == placements)
    }

    /// The level of a step as a new axis of the register tile; `None` if its tag is neither registers nor lanes, or if
    /// the tile would be too large.
    fn axis(&self, step: &Step, cursor: &Cursor<'t>) -> Option<TileAxis> {
        let has_lanes = self.kernels.is_none() && self.schedule.is_vector(&step.tag);
        let is_vector = self.is_vectorizable && has_lanes;
        if !has_lanes && !self.schedule.is_register(&step.tag) {
            return None;
        }
        let count = self.schedule.parts[step.level.layer][step.level.dimension]?;
        cursor.tile.axis(step.level, i64::try_from(count).ok()?, is_vector)
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
    pub fn leading_axes(&self, j: usize, cursor: &Cursor<'t>, placements: &[Placement]) -> Vec<TileAxis> {
        if !self.has_only_loops(j, cursor, placements) {
            return vec![];
        }
        let (mut cursor, mut axes) = (cursor.clone(), vec![]);
        for step in self.schedule.recompose[j..].iter().filter(|step| self.schedule.is_loop(step.level)) {
            let is_kept = self.workload.operators[step.level.dimension].keeps();
            let Some(axis) = self.axis(step, &cursor).filter(|_| is_kept && !cursor.tile.has(step.level)) else {
                break;
            };
            cursor.tile = cursor.tile.with(axis);
            axes.push(axis);
        }
        axes
    }

    /// The levels of concatenated dimensions among the steps from `j` on, if all other loops there are reductions and
    /// their results can stay in registers; `None` otherwise.
    pub fn carried_axes(&self, j: usize, cursor: &Cursor<'t>, into: &Accumulator) -> Option<Vec<TileAxis>> {
        let has_identity = self.combiner.as_ref().map(|combiner| combiner.has_identity)?;
        let is_plain = self.has_only_loops(j, cursor, &into.placements);
        let is_final = |placements: &[Placement]| into.placements == placements;
        let (mut cursor, mut axes, mut loops) = (cursor.clone(), vec![], 0);
        for (i, step) in self.schedule.recompose.iter().enumerate().skip(j) {
            if i > j && !is_final(&step.placements) {
                return None;
            }
            if !self.schedule.is_loop(step.level) || cursor.tile.has(step.level) {
                continue;
            }
            let axis = self.axis(step, &cursor).filter(|_| is_plain);
            match (self.workload.operators[step.level.dimension].reduces(), axis) {
                (true, None) if self.is_distributed(&step.tag) => return None,
                (true, None) => loops += 1,
                (true, Some(_)) => {}
                (false, Some(axis)) => {
                    cursor.tile = cursor.tile.with(axis);
                    axes.push(axis);
                }
                (false, None) => return None,
            }
        }
        // Without an identity the first value initializes the reduction: the first iteration is peeled, which works for
        // one loop only.
        (is_final(&self.schedule.scalar.writes) && (has_identity || loops <= 1)).then_some(axes)
    }

    /// True if step `j` and all loops inside of it are sequential reductions, so that their result can stay in
    /// registers.
    pub fn is_innermost_reduction(&self, j: usize, cursor: &Cursor<'t>, into: &Accumulator) -> bool {
        self.carried_axes(j, cursor, into).is_some()
    }

    /// Emits `body` inside of additional tile axes. If points of a tile may be out of bounds in a dimension without
    /// inner loops, emits two versions: one for full tiles without checks, and one for partial tiles with a check of
    /// each point, or with a loop over the points (`partial_tiles.rs`). If the values may be written to `into` once more,
    /// the first version also computes partial tiles, which it moves. In a dimension with inner loops,
    /// [`Self::sequential`] separates full from partial tiles. Code with barriers has one version, with checks.
    pub fn unroll_and_jam(
        &self,
        cursor: &Cursor<'t>,
        axes: &[TileAxis],
        into: Option<&Accumulator>,
        types: &[Type],
        body: &mut dyn FnMut(&Cursor<'t>) -> Vec<Value>,
    ) -> Vec<Value> {
        let mut inner = match axes {
            [] => cursor.clone(),
            axes => cursor.within(Purpose::Tile(axes.to_vec())),
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
        // Threads that synchronize at barriers cannot execute different versions.
        let is_collective = self.is_collective(&inner);
        let mut dimensions: Vec<_> = axes.iter().map(|axis| axis.level.dimension).collect();
        dimensions.sort_unstable();
        dimensions.dedup();
        let mut open = vec![];
        for d in dimensions.into_iter().filter(|&d| !self.space.is_exact(d)) {
            let last = inner.point.offset(b, &self.space, d).add(b, inner.tile.span(b, &self.space, d));
            match (last.constant(), self.space.extent(d).constant()) {
                _ if !inner.point.free[d].is_empty() => inner.tile = inner.tile.checking(d, true),
                (Some(last), Some(extent)) => inner.tile = inner.tile.checking(d, last >= extent),
                _ if is_collective => inner.tile = inner.tile.checking(d, true),
                _ if inner.tile.is_full(d) == Some(true) => {}
                _ => open.push(OpenDimension { d, last }),
            }
        }
        let is_movable = into.is_some_and(|into| self.is_movable(&inner, into));
        let partial = |b: &Code<'t>, body: &mut dyn FnMut(&Cursor<'t>) -> Vec<Value>| {
            let tile = open.iter().fold(inner.tile.clone(), |tile, open| tile.checking(open.d, true));
            let here = Cursor { b: *b, tile, ..inner.clone() };
            let has_loops = axes.iter().any(|axis| !inner.point.free[axis.level.dimension].is_empty());
            if is_movable && !has_loops && cursor.tile.axes.is_empty() && self.combiner.is_none() {
                self.one_by_one(&here, axes, body);
                return vec![];
            }
            body(&here)
        };
        if open.iter().any(|open| inner.tile.is_full(open.d) == Some(false)) {
            return partial(b, body);
        }
        let FullTiles { condition, point } = match is_movable && self.is_idempotent() {
            true => self.moved_inside(&inner, &open),
            false => self.full_tiles(&inner, &open),
        };
        let Some(is_full) = condition else { return body(&Cursor { point, ..inner }) };
        let full = |b: &Code<'t>, body: &mut dyn FnMut(&Cursor<'t>) -> Vec<Value>| {
            body(&Cursor { b: *b, point, ..inner.clone() })
        };
        // Both versions call the body, one after the other.
        let body = std::cell::RefCell::new(body);
        loops::branch(b, is_full, types, |b| full(b, *body.borrow_mut()), |b| partial(b, *body.borrow_mut()))
    }

    /// Emits a sequential loop over the parts of a level, with loop-carried values. Iterations in which all points of
    /// the tile are in bounds come first, in a loop without checks.
    pub fn sequential(
        &self,
        cursor: &Cursor<'t>,
        level: Level,
        first: Index,
        initial: &[Value],
        body: &mut dyn FnMut(Cursor<'t>, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        self.sequential_in_blocks(cursor, level, first, initial, None, body)
    }

    /// Emits a sequential loop as [`Self::sequential`] does, in blocks if there are partial sums.
    fn sequential_in_blocks(
        &self,
        cursor: &Cursor<'t>,
        level: Level,
        first: Index,
        initial: &[Value],
        partial_sums: Option<&PartialSums<'_, 't>>,
        body: &mut dyn FnMut(Cursor<'t>, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let (b, d) = (&cursor.b.over(level), level.dimension);
        let trip = self.trip(cursor, level);
        if !self.is_uniform(cursor, d) && self.is_collective(cursor) {
            let longest = self.uniform_trip(cursor, level);
            return loops::carried(b, first, longest, initial, |b, number, carried| {
                let (inner, exists) = cursor.in_uniform_loop(b, level, number, trip);
                let inner = Cursor { buffered_loop: cursor.buffered_loop_of(level, first, longest), ..inner };
                let values = body(inner, carried);
                values.iter().zip(carried).map(|(new, old)| b.select(exists, *new, *old)).collect()
            });
        }
        let is_alike = self.is_collective(cursor);
        let mut part = |cursor: &Cursor<'t>, from: Index, to: Index, initial: &[Value], in_blocks: bool| {
            let iteration = |b: &Code<'t>, number: Index, carried: &[Value]| {
                let buffered_loop = if is_alike { cursor.buffered_loop_of(level, from, to) } else { None };
                body(Cursor { buffered_loop, ..cursor.inside(b, level, number) }, carried)
            };
            let b = &cursor.b.over(level);
            match partial_sums.filter(|_| in_blocks) {
                Some(sums) => sums.carried(b, (from, to), initial, iteration),
                None => loops::carried(b, from, to, initial, iteration),
            }
        };
        if !cursor.tile.checks(d) || cursor.point.free[d] != [level.layer] || is_alike {
            let Some(count) = self.full_trip(cursor, level, trip).filter(|_| !is_alike) else {
                return part(cursor, first, trip, initial, true);
            };
            // All parts but the last are full: their loops have a static length and can be unrolled.
            let is_whole = trip.compare(b, IntPredicate::Eq, count);
            let types: Vec<_> = initial.iter().map(|value| b.type_of(*value)).collect();
            let part = std::cell::RefCell::new(part);
            let version =
                |b: &Code<'t>, to| (part.borrow_mut())(&Cursor { b: *b, ..cursor.clone() }, first, to, initial, true);
            return loops::branch(b, is_whole, &types, |b| version(b, count), |b| version(b, trip));
        }
        let last = cursor.point.offset(b, &self.space, d).add(b, cursor.tile.span(b, &self.space, d));
        let rest = self.space.extent(d).sub(b, last);
        let full = rest.ceildiv(b, self.space.strides[level.layer][d]).max(b, first).min(b, trip);
        let unchecked = Cursor { tile: cursor.tile.checking(d, false), ..cursor.clone() };
        let values = part(&unchecked, first, full, initial, true);
        part(cursor, full, trip, &values, false)
    }

    /// The static trip count of the innermost reduction loop of a kernel where the reduction does not end early; `None`
    /// if this count is unknown, if the trip count is static anyway, or if the target's kernels do not unroll
    /// reductions.
    fn full_trip(&self, cursor: &Cursor<'t>, level: Level, trip: Index) -> Option<Index> {
        let is_last = cursor.depth + 1 == self.schedule.scalar_loops().len();
        let is_reduction = self.workload.operators[level.dimension].reduces();
        let count = self.space.parts[level.layer][level.dimension];
        let is_known = count.constant().is_some() && trip.constant().is_none();
        let unrolls = self.kernels.is_some_and(|kernels| kernels.unrolls_reductions);
        (unrolls && cursor.kernel().is_some() && is_last && is_reduction && is_known).then_some(count)
    }

    /// Emits a sequential loop over the parts of a level.
    pub fn each(&self, cursor: &Cursor<'t>, level: Level, body: &mut dyn FnMut(Cursor<'t>)) {
        self.sequential(cursor, level, Constant(0), &[], &mut |inner, _| {
            body(inner);
            vec![]
        });
    }

    /// The innermost reduction: the results are loop-carried in registers and stored once.
    pub fn reduce_carried(&self, j: usize, cursor: Cursor<'t>, into: Accumulator) {
        let (Some(combiner), Some(axes)) = (&self.combiner, self.carried_axes(j, &cursor, &into)) else { return };
        let reduce = |cursor: &Cursor<'t>| {
            let (b, lanes) = (&cursor.b, cursor.tile.lanes());
            let step = self.schedule.recompose.get(j).map(|step| step.level.dimension);
            let is_same = into.entered.iter().all(|level| Some(level.dimension) == step);
            let has_more = !into.entered.is_empty()
                && (self.has_one_value || is_same)
                && !self.adds_partial_sums(j, cursor, combiner, &into);
            let elements = || cursor.tile.elements(b, &self.space, &cursor.point);
            let initial = match &into.inits {
                Some(inits) if into.entered.is_empty() => {
                    Some(elements().iter().flat_map(|element| inits.load(b, &self.space, element, lanes)).collect())
                }
                inits => (has_more && (combiner.has_identity || inits.is_some())).then(|| {
                    elements().iter().flat_map(|element| into.load_element(b, &self.space, element, lanes)).collect()
                }),
            };
            let is_started = initial.is_some();
            let values = self.carry(j, cursor, &into.placements, initial);
            let values: Vec<_> = values.chunks(combiner.types.len()).map(<[_]>::to_vec).collect();
            let into = match is_started {
                true if into.entered.is_empty() => Accumulator { inits: None, ..into.clone() },
                true => Accumulator { entered: vec![], inits: None, ..into.cached() },
                false => into.clone(),
            };
            self.deliver_tile(cursor, &into, &values);
        };
        let steps = self.schedule.recompose[j..].iter().map(|step| step.level.dimension);
        let mut empty: Vec<_> = steps
            .filter(|&d| self.workload.operators[d].reduces())
            .filter(|&d| !combiner.has_identity && !self.is_inhabited(d))
            .collect();
        empty.sort_unstable();
        empty.dedup();
        self.unroll_and_jam(&cursor, &axes, Some(&into), &[], &mut |cursor| {
            // Without an identity the first value initializes the reduction, but an empty dimension has no values.
            let b = &cursor.b;
            let exists = empty.iter().fold(None, |exists, &d| {
                let extent = self.space.extent(d);
                Some(and(b, exists, extent.compare(b, IntPredicate::Sgt, Constant(0))))
            });
            let Some(exists) = exists else {
                reduce(cursor);
                return vec![];
            };
            let then = |b: &Code<'t>| {
                reduce(&Cursor { b: *b, ..cursor.clone() });
                vec![]
            };
            let otherwise = |b: &Code<'t>| {
                if let Some(inits) = into.inits.as_ref().filter(|_| into.entered.is_empty()) {
                    self.fill(&Cursor { b: *b, ..cursor.clone() }, &into, inits);
                }
                vec![]
            };
            loops::branch(b, exists, &[], then, otherwise)
        });
    }

    /// The values of all elements of the register tile, reduced over the steps from `j` on. `initial`: the values to
    /// accumulate onto; `None` to begin with the identity, or with the first value.
    pub fn carry(
        &self,
        j: usize,
        cursor: &Cursor<'t>,
        placements: &[Placement],
        initial: Option<Vec<Value>>,
    ) -> Vec<Value> {
        let Some(combiner) = &self.combiner else { return vec![] };
        let is_next = |step: &Step| self.schedule.is_loop(step.level) && !cursor.tile.has(step.level);
        let next = self.schedule.recompose.iter().enumerate().skip(j).find(|(_, step)| is_next(step));
        let Some((j, step)) = next else {
            let values = self.leaf(cursor).concat();
            return match initial {
                Some(initial) => self.accumulate(cursor, combiner, &initial, &values),
                None => values,
            };
        };
        let (b, types) = (&cursor.b, self.types(cursor, combiner));
        if let Some(axis) = self.axis(step, cursor).filter(|_| self.has_only_loops(j, cursor, placements)) {
            let values = self.unroll_and_jam(cursor, &[axis], None, &types, &mut |inner| {
                let values = self.carry(j + 1, inner, placements, None);
                self.fold(inner, combiner, axis, &values)
            });
            return match initial {
                Some(initial) => self.accumulate(cursor, combiner, &initial, &values),
                None => values,
            };
        }
        let (first, initial) = match (initial, combiner.has_identity) {
            (Some(initial), _) => (Constant(0), initial),
            (None, true) => (Constant(0), self.identities(cursor, combiner)),
            (None, false) => {
                let mut inner = cursor.inside(b, step.level, Constant(0));
                self.enter(&mut inner);
                (Constant(1), self.carry(j + 1, &inner, placements, None))
            }
        };
        let summation = self.summation(j, cursor, combiner);
        let identity = match summation {
            Summation::Blocks(_) => self.identities(cursor, combiner),
            Summation::Whole | Summation::Each => vec![],
        };
        let add = |b: &Code<'t>, left: &[Value], right: &[Value]| {
            self.combine(&Cursor { b: *b, ..cursor.clone() }, combiner, left, right)
        };
        let partial_sums = match summation {
            Summation::Blocks(block) => Some(PartialSums { block, identity: &identity, add: &add }),
            Summation::Whole | Summation::Each => None,
        };
        self.sequential_in_blocks(
            cursor,
            step.level,
            first,
            &initial,
            partial_sums.as_ref(),
            &mut |mut inner, carried| {
                self.enter(&mut inner);
                let is_one_sum = self.has_one_value || !self.reduces_another(j, &inner);
                if is_one_sum && summation != Summation::Each {
                    return self.carry(j + 1, &inner, placements, Some(carried.to_vec()));
                }
                let values = self.carry(j + 1, &inner, placements, None);
                self.accumulate(&inner, combiner, carried, &values)
            },
        )
    }

    /// The identity at each element of the register tile, of a function that has one.
    fn identities(&self, cursor: &Cursor<'t>, combiner: &Combiner) -> Vec<Value> {
        let (b, lanes) = (&cursor.b, cursor.tile.lanes());
        let identity = combiner.identity(b).unwrap_or_default();
        let identity: Vec<_> = identity.into_iter().map(|value| lift(b, lanes, value)).collect();
        identity.repeat(cursor.tile.values() as usize)
    }

    /// True if the next loop inside of step `j` reduces another dimension.
    fn reduces_another(&self, j: usize, cursor: &Cursor<'t>) -> bool {
        let (steps, d) = (&self.schedule.recompose, self.schedule.recompose[j].level.dimension);
        let mut rest = steps[j + 1..].iter().filter(|step| self.schedule.is_loop(step.level));
        rest.find(|step| !cursor.tile.has(step.level)).is_some_and(|step| step.level.dimension != d)
    }

    /// The types of the values of all elements of the register tile.
    fn types(&self, cursor: &Cursor<'t>, combiner: &Combiner) -> Vec<Type> {
        let lanes = cursor.tile.lanes();
        let types: Vec<_> = combiner.types.iter().map(|element| lifted(lanes, *element)).collect();
        types.repeat(cursor.tile.values() as usize)
    }

    /// `left ∘ right` at all elements of the register tile.
    pub fn combine(&self, cursor: &Cursor<'t>, combiner: &Combiner, left: &[Value], right: &[Value]) -> Vec<Value> {
        let (b, lanes, width) = (&cursor.b, cursor.tile.lanes(), combiner.types.len());
        left.chunks(width).zip(right.chunks(width)).flat_map(|(x, y)| combiner.combine(b, x, y, lanes)).collect()
    }

    /// `left ∘ right` at those points of the tile that are inside of the iteration space, `left` elsewhere.
    fn accumulate(&self, cursor: &Cursor<'t>, combiner: &Combiner, left: &[Value], right: &[Value]) -> Vec<Value> {
        let (b, lanes) = (&cursor.b, cursor.tile.lanes());
        if cursor.tile.axes.is_empty() {
            return combiner.accumulate(b, left, right);
        }
        let combined = self.combine(cursor, combiner, left, right);
        let reduces = |axis: &TileAxis| self.workload.operators[axis.level.dimension].reduces();
        if !cursor.tile.axes.iter().any(|axis| reduces(axis) && cursor.tile.checks(axis.level.dimension)) {
            return combined;
        }
        let elements = cursor.tile.elements(b, &self.space, &cursor.point);
        let width = combiner.types.len();
        let mut values = vec![];
        for ((element, new), old) in elements.iter().zip(combined.chunks(width)).zip(left.chunks(width)) {
            let condition = element.mask.condition(b, lanes);
            values.extend(new.iter().zip(old).map(|(new, old)| condition.map_or(*new, |c| b.select(c, *new, *old))));
        }
        values
    }

    /// Reduces the innermost axis of the register tile, by combining its parts.
    fn fold(&self, cursor: &Cursor<'t>, combiner: &Combiner, axis: TileAxis, values: &[Value]) -> Vec<Value> {
        let (b, width) = (&cursor.b, combiner.types.len());
        let elements = cursor.tile.elements(b, &self.space, &cursor.point);
        if let Some(lanes) = cursor.tile.lanes().filter(|_| axis.is_lanes) {
            let folded = elements.iter().zip(values.chunks(width));
            return folded.flat_map(|(element, values)| fold(b, lanes, element.mask.lanes, values, combiner)).collect();
        }
        let lanes = cursor.tile.lanes();
        let mut folded = vec![];
        let parts: Vec<_> = elements.iter().zip(values.chunks(width)).collect();
        for parts in parts.chunks(axis.count as usize) {
            let Some(((_, first), rest)) = parts.split_first() else { continue };
            folded.extend(rest.iter().fold(first.to_vec(), |sum, (element, values)| {
                let combined = combiner.combine(b, &sum, values, lanes);
                let condition = element.mask.condition(b, lanes).filter(|_| cursor.tile.checks(axis.level.dimension));
                let chosen = combined.iter().zip(&sum);
                chosen.map(|(new, old)| condition.map_or(*new, |c| b.select(c, *new, *old))).collect()
            }));
        }
        folded
    }
}
