//! Compute time of the tiles of a plan: the cycles of their instructions.
use super::{
    super::{plan::PlanLoop, problem::BufferAccess},
    geometry::{Geometry, LaneAccess},
};
use crate::plan::runner::Runner;
use mdh_dialects::schedule::model::StoredAxis;
use std::collections::BTreeSet;

/// Bytes of a page.
pub(super) const PAGE: f64 = 4096.0;
/// Entries of the first-level TLB.
const TLB_ENTRIES: f64 = 64.0;
/// Cycles of a look-up in the second-level TLB.
const TLB_LOOKUP: f64 = 1.5;
/// Cycles of a change of page that no arithmetic hides: prefetchers stop at page boundaries.
const PAGE_CHANGE: f64 = 0.9;
/// The time of an instruction that moves lanes, relative to one of arithmetic, with which it mostly overlaps.
const LANES: f64 = 0.25;
/// Number of broadcast values beyond which LLVM's scheduler loads one ahead for each [`VALUES_AHEAD`] of them.
const FEW_BROADCASTS: f64 = 6.5;
/// See [`FEW_BROADCASTS`].
const VALUES_AHEAD: f64 = 4.0 / 3.0;
/// Maximum number of iterations of an unrolled loop of which it loads values ahead.
const UNROLLED_AHEAD: u64 = 3;
/// Relative slowdown of a tile for each broadcast value that is spilled to the stack.
const SPILLED: f64 = 0.02;
/// Factor on the time of a tile for each of its loops over a dynamic extent: the extent may be small, and most of the
/// tile out of bounds.
const DYNAMIC_EXTENT_FACTOR: f64 = 1.1;
/// Cycles that a loop inside a tile loses until it runs at full speed, and at its exit, which is mispredicted.
const LOOP_STARTUP: f64 = 40.0;
/// Maximum number of parts of a reduction that is always unrolled.
const SHORT_LOOP: u64 = 8;
/// Maximum number of arithmetic instructions of an innermost loop that LLVM unrolls completely.
const UNROLLED: f64 = 300.0;

/// True if the innermost loop is unrolled completely. `instructions`: the arithmetic instructions of an iteration.
fn is_unrolled(innermost: &PlanLoop, instructions: f64) -> bool {
    innermost.parts <= SHORT_LOOP || innermost.parts as f64 * instructions <= UNROLLED
}

/// The number of broadcast values of an innermost loop that LLVM's scheduler loads before they are used.
/// `instructions`: the arithmetic instructions of an iteration.
fn loaded_ahead(broadcasts: f64, innermost: Option<&&PlanLoop>, instructions: f64) -> f64 {
    let unrolled = innermost.filter(|l| is_unrolled(l, instructions)).map_or(1, |l| l.parts);
    (broadcasts - FEW_BROADCASTS).max(0.0) * unrolled.min(UNROLLED_AHEAD) as f64 / VALUES_AHEAD
}

/// The number of iterations of the loops around the innermost one, each of which ends with an exit of the innermost one.
/// `inner`: loops that are not unrolled, which have no exits.
fn runs(inner: &[&PlanLoop]) -> f64 {
    inner.split_last().map_or(0.0, |(_, outer)| outer.iter().map(|l| l.parts as f64).product())
}

impl Geometry<'_> {
    /// Fraction of the iterations of the plan that the nest executes: part counts are rounded up, and loops skip parts
    /// past the end of a dimension.
    fn executed_fraction(&self) -> f64 {
        let share = |d: usize| {
            let parts = |registers: bool| {
                let own = self.plan.loops.iter().filter(|l| l.dimension == d);
                let own = own.filter(|l| l.is_in_registers() == registers);
                own.map(|l| l.parts).fold(1u64, u64::saturating_mul)
            };
            let lanes = self.vector.filter(|l| l.dimension == d).map_or(1, |l| l.parts);
            let (extent, tile) = (self.problem.extent(d).div_ceil(lanes), (parts(true) / lanes).max(1));
            // A partial tile computes other elements instead of those out of bounds, which are known only if it is the
            // only tile.
            let needed = if extent < tile { extent as f64 / tile as f64 } else { extent.div_ceil(tile) as f64 };
            (needed / parts(false) as f64).min(1.0)
        };
        (0..self.problem.rank()).map(share).product()
    }

    /// Bytes of a value: of all lanes of a vector, if there is one.
    fn value_bytes(&self) -> u64 {
        self.vector.map_or(1, |l| l.parts).saturating_mul(self.problem.widest)
    }

    /// Bytes of a value that an instruction loads: at most those of a register.
    fn loaded_at_once(&self) -> u64 {
        self.value_bytes().clamp(1, self.machine.vector_bits / 8)
    }

    /// Returns true if no load of contiguous lanes crosses a cache line.
    fn is_aligned(&self, access: &BufferAccess) -> bool {
        let line = self.line().min(self.loaded_at_once().next_power_of_two());
        let packed = self.packed(access);
        // A tile that is packed contiguously starts at a line boundary.
        if packed.is_some_and(|packed| packed.stored_axes.len() > self.problem.shape.inputs[packed.buffer]) {
            return true;
        }
        let size = match packed {
            Some(_) => self.memory(access).next_back().map(|(_, size)| size),
            None => access.sizes.last().copied(),
        };
        let rows =
            access.sizes.len() == 1 || size.is_some_and(|size| size.saturating_mul(access.bytes).is_multiple_of(line));
        let last = access.map.rank().checked_sub(1);
        let vector = self.vector.map(|l| l.dimension);
        let others = last.is_none_or(|axis| access.map.terms(axis).all(|(d, _)| Some(d) == vector));
        let is_whole = |origin: i64| origin.unsigned_abs().saturating_mul(access.bytes).is_multiple_of(line);
        let first = last.is_none_or(|axis| is_whole(access.map.origin(axis)));
        rows && others && first
    }

    /// The number of pieces of this many bits of a value.
    fn pieces(&self, bits: u64) -> f64 {
        self.value_bytes().div_ceil(bits / 8).max(1) as f64
    }

    /// The time of a load of contiguous lanes, in loads of a register, of an access that changes pages so often.
    fn contiguous(&self, access: &BufferAccess, pages: f64) -> f64 {
        let (registers, pieces) = (self.pieces(self.machine.vector_bits), self.pieces(self.machine.datapath_bits));
        // An access that changes pages has an additional prefetch.
        if self.is_aligned(access) {
            return 1.1 * pieces + registers * pages;
        }
        // Of loads that start anywhere, the fraction that crosses a line, and takes twice as long.
        let crossing = (self.loaded_at_once() as f64 / self.line() as f64).min(1.0);
        pieces + registers * crossing + registers * pages
    }

    /// The instructions of all tiles, in cycles of a single thread.
    pub(super) fn instructions(&self) -> f64 {
        let (problem, machine) = (self.problem, self.machine);
        let (outer, rest) = self.plan.loops.split_at(self.tile);
        let tiles = self.trips(outer, &[Runner::THREADS, Runner::Loop]);
        let inner: Vec<_> = rest.iter().filter(|l| l.kind == Runner::Loop).collect();
        let iterations: f64 = inner.iter().map(|l| l.parts as f64).product();
        let (values, width) = (self.trips(rest, &[Runner::Unrolled]), self.vector.map_or(1, |l| l.parts));
        // A vector that is longer than a register takes several instructions, and a longer one than a unit several cycles.
        let (registers, pieces) = (self.pieces(machine.vector_bits), self.pieces(machine.datapath_bits));
        let (mut loads, mut fixed, mut vectors) = (self.loaded_addresses(!inner.is_empty()), 0.0, 0.0f64);
        let (mut shared, mut turns, mut broadcasts, mut waiting, mut moves) = (0.0, 0.0, 0.0, 0.0, 0.0f64);
        let mut shuffles = 0.0;
        let mut operations = values * registers * problem.slots;
        let unrolled = self.unrolled_reductions(&inner, values);
        let mut seen: BTreeSet<(usize, Vec<i64>)> = BTreeSet::new();
        for access in problem.accesses.iter().filter(|access| !access.is_output) {
            let window = self.window(access, unrolled);
            let from_lanes = self.vectors_of_lanes(access, &seen) as f64 * window.fraction;
            let count = self.distinct(access, &mut seen) as f64;
            let pages = inner.last().map_or(0.0, |l| self.page_changes(access, l));
            let own = count * window.fraction;
            operations += own * registers;
            shuffles += from_lanes * pieces;
            let cost = match self.lanes(access) {
                LaneAccess::Broadcast => count,
                LaneAccess::Contiguous => (own - from_lanes) * self.contiguous(access, pages),
                LaneAccess::Strided => count * 2.0 * width as f64,
            };
            if self.lanes(access) == LaneAccess::Broadcast {
                shared += count * self.shared(access, &inner, values * registers);
                broadcasts += count;
            }
            if let Some(l) = inner.last() {
                loads += if l.parts as f64 * pages > TLB_ENTRIES { 2.0 * TLB_LOOKUP * pages } else { 0.0 };
                turns += PAGE_CHANGE * pages;
            }
            if self.lanes(access) != LaneAccess::Broadcast {
                vectors = vectors.max(count * registers);
                waiting += count * registers * window.waiting;
                moves = moves.max(window.moves);
            }
            if inner.iter().any(|l| access.depends_on(l.dimension)) || inner.is_empty() {
                loads += cost;
            } else {
                fixed += cost;
            }
        }
        let reduces = self.plan.loops.iter().any(|l| problem.reduces(l.dimension));
        let components = problem.components as f64;
        let arithmetic = (values * pieces * problem.slots + LANES * shuffles) / machine.fma_units as f64;
        let scalar = values * width as f64 * problem.scalar_cycles;
        let is_short = inner.is_empty() || iterations * operations <= machine.reorder_buffer as f64;
        let is_straight = unrolled.len() == inner.len() && is_short;
        let chain = if reduces && !is_straight { problem.latency } else { 0.0 };
        // Intermediate values need registers, too, as do broadcast values that several instructions use.
        let ahead = if values > broadcasts { loaded_ahead(broadcasts, inner.last(), values * registers) } else { 0.0 };
        let live = values * registers * components + vectors + 1.0 + ahead + (problem.slots / 4.0).floor().min(16.0);
        loads += moves * (live + waiting - machine.vector_registers as f64).clamp(0.0, waiting);
        let issue = (values * registers * problem.slots + loads + 2.0) / 5.0;
        // Loads and arithmetic overlap, but not completely.
        let mut iteration =
            (arithmetic + scalar).max(loads / 2.0).max(chain).max(issue) + 0.15 * loads.min(2.0 * arithmetic);
        // Broadcasts that unrolled reductions share stay live from one to the next, on the stack if no registers are
        // left.
        let kept = (live + shared - machine.vector_registers as f64).clamp(0.0, shared);
        iteration = iteration * (1.0 + SPILLED * kept) + turns;
        iteration *= self.dynamic_factor();
        let spilled = (live - machine.vector_registers as f64).max(0.0);
        iteration += if inner.is_empty() { 0.3 * spilled } else { 1.5 * spilled };
        let runs = if is_straight { 0.0 } else { runs(&inner[..inner.len() - unrolled.len()]) };
        let updates = outer.iter().any(|l| problem.reduces(l.dimension));
        tiles
            * self.executed_fraction()
            * (iterations * iteration
                + 4.0 * runs
                + fixed / 2.0
                + self.ending(values, pieces, updates)
                + self.startup(is_straight, updates, iterations * operations))
    }

    /// The factor on the time of a tile for its loops over dynamic extents.
    fn dynamic_factor(&self) -> f64 {
        let is_dynamic = |l: &&PlanLoop| l.is_in_registers() && self.problem.known_extent(l.dimension).is_none();
        DYNAMIC_EXTENT_FACTOR.powi(self.plan.loops.iter().filter(is_dynamic).count() as i32)
    }

    /// Cycles that a tile of some instructions loses at its start.
    fn startup(&self, is_straight: bool, updates: bool, instructions: f64) -> f64 {
        // The processor executes the end of a tile that is short enough together with the start of the next one, unless
        // that one adds to the same results.
        let alone = (instructions / self.machine.reorder_buffer as f64 - 1.0).clamp(0.0, 1.0);
        match (is_straight, self.problem.functions.is_empty()) {
            (false, _) => LOOP_STARTUP * if updates { 2.0 } else { alone },
            (true, true) => 2.0,
            // Most of it overlaps with `math` functions.
            (true, false) => 0.7,
        }
    }

    /// Cycles at the end of a tile of `values`, each in `pieces`: lanes of vectors are combined, and results are stored,
    /// or, with `updates`, added to what is there.
    fn ending(&self, values: f64, pieces: f64, updates: bool) -> f64 {
        let problem = self.problem;
        let written = self.stores() * values * pieces * if updates { 2.0 } else { 1.0 };
        let folded = self.vector.filter(|l| problem.reduces(l.dimension)).map_or(0.0, |l| {
            let steps = (l.parts as f64).log2();
            values * problem.components as f64 * steps * (problem.slots.max(1.0) + 3.0)
        });
        written + folded
    }

    /// The number of values that stay live for each broadcast element of a tile of `values`; 0 without reuse. If an
    /// unrolled dimension and a short reduction index the same axis, an iteration of the reduction reads elements of the
    /// previous iteration again. The result is the number of iterations in between, of the inner loops that the access depends on.
    fn shared(&self, access: &BufferAccess, inner: &[&PlanLoop], values: f64) -> f64 {
        let uses = |axis: usize, l: &PlanLoop| access.map.uses(axis, l.dimension);
        let unrolled = |axis| self.plan.loops.iter().find(|l| l.kind == Runner::Unrolled && uses(axis, l));
        let step = |axis, l: &PlanLoop| access.map.stride(axis, l.dimension).unsigned_abs().max(1);
        let is_short =
            |(n, l): (usize, &&PlanLoop)| l.parts <= SHORT_LOOP || n + 1 == inner.len() && is_unrolled(l, values);
        let short = |axis| {
            let position = inner.iter().enumerate().position(|(n, l)| is_short((n, l)) && uses(axis, l))?;
            let inside = inner[position + 1..].iter().filter(|l| access.depends_on(l.dimension));
            // The iterations of the short loop until the neighbor in the tile reads an element again.
            let apart = step(axis, unrolled(axis)?).div_ceil(step(axis, inner[position]));
            let is_shared = apart < inner[position].parts;
            is_shared.then(|| apart as f64 * inside.map(|l| l.parts as f64).product::<f64>())
        };
        (0..access.map.rank()).filter_map(short).fold(0.0, f64::max)
    }

    /// Number of pages that an iteration of the innermost loop advances, at most 1; 0 if the loop has at most
    /// [`SHORT_LOOP`] iterations.
    fn page_changes(&self, access: &BufferAccess, innermost: &PlanLoop) -> f64 {
        let (d, mut stride) = (innermost.dimension, access.bytes);
        let step = self.memory(access).rev().fold(0u64, |step, ((axis, stored), size)| {
            let coefficient = access.map.stride(axis, d).unsigned_abs();
            let own = if stored == StoredAxis::Elements { 0 } else { coefficient.saturating_mul(stride) };
            stride = stride.saturating_mul(size);
            step.saturating_add(own)
        });
        if innermost.parts > SHORT_LOOP { (step as f64 / PAGE).min(1.0) } else { 0.0 }
    }

    /// Instructions that store a vector of each result, for each vector register that it takes.
    fn stores(&self) -> f64 {
        self.problem.accesses.iter().filter(|access| access.is_output).map(|access| self.stored(access)).sum()
    }

    /// Instructions that store a vector of an access, for each vector register that it takes.
    fn stored(&self, access: &BufferAccess) -> f64 {
        match self.lanes(access) {
            LaneAccess::Broadcast | LaneAccess::Contiguous => 1.0,
            LaneAccess::Strided => 2.0 * self.vector.map_or(1.0, |l| l.parts as f64),
        }
    }

    /// The number of distinct scalars or vectors of an access that a tile reads and that no previous access reads.
    pub(super) fn distinct(&self, access: &BufferAccess, seen: &mut BTreeSet<(usize, Vec<i64>)>) -> usize {
        let unrolled: Vec<_> = self.plan.loops.iter().filter(|l| l.kind == Runner::Unrolled).collect();
        let is_apart = |axis| unrolled.iter().filter(|l| access.map.uses(axis, l.dimension)).count() <= 1;
        if self.is_only(access) && (0..access.map.rank()).all(is_apart) {
            let own = unrolled.iter().filter(|l| access.depends_on(l.dimension));
            return own.map(|l| l.parts as usize).product();
        }
        // Accesses with other coefficients read the same elements only by chance.
        self.places(access).into_iter().filter(|place| seen.insert((access.buffer, place.clone()))).count()
    }

    /// True if no other access reads the buffer.
    fn is_only(&self, access: &BufferAccess) -> bool {
        let same = self.problem.accesses.iter().filter(|other| !other.is_output && other.buffer == access.buffer);
        same.count() == 1
    }

    /// The number of vectors of an access that are lanes of those that previous accesses read (`nest/reads.rs`).
    fn vectors_of_lanes(&self, access: &BufferAccess, seen: &BTreeSet<(usize, Vec<i64>)>) -> usize {
        let width = self.vector.map_or(1, |l| l.parts) as i64;
        let is_line = self.value_bytes() >= self.line();
        if !is_line
            || self.is_only(access)
            || self.packed(access).is_some()
            || self.lanes(access) != LaneAccess::Contiguous
        {
            return 0;
        }
        let is_between = |place: &Vec<i64>| {
            let at = |distance: i64| {
                let mut place = place.clone();
                place.last_mut().into_iter().for_each(|last| *last = last.wrapping_add(distance));
                seen.contains(&(access.buffer, place))
            };
            !at(0) && (1..width).any(|distance| at(-distance) && at(width - distance))
        };
        self.places(access).iter().filter(|place| is_between(place)).count()
    }

    /// The first indices of the scalars or vectors of an access that a tile reads, relative to those of the tile.
    fn places(&self, access: &BufferAccess) -> Vec<Vec<i64>> {
        let mut places = vec![access.map.origins().to_vec()];
        let unrolled = self.plan.loops.iter().filter(|l| l.kind == Runner::Unrolled);
        for l in unrolled.filter(|l| access.depends_on(l.dimension)) {
            let width = self.vector.filter(|v| v.dimension == l.dimension).map_or(1, |v| v.parts) as i64;
            let moved = |place: &Vec<i64>, n: i64| access.map.moved(place, l.dimension, n.wrapping_mul(width));
            places = places
                .iter()
                .flat_map(|place| (0..l.parts as i64).map(move |n| (place, n)))
                .map(|(p, n)| moved(p, n))
                .collect();
        }
        places
    }
}
