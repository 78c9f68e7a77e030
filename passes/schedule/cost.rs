//! An analytic cost model: how long the loops of a plan take on a machine.
//!
//! The arithmetic of one register tile follows from the instructions of a point, the loads that its elements share, and how long
//! a combined value takes; the bytes that a layer of memory moves from the innermost loops whose data fit into the cache in front of it
//! (the data of an access are read again in each iteration of the loops around those, up to the last one that it depends on).
use super::{
    machine::Machine,
    plan::{Kind, Loop, Packed, Plan},
    problem::{Access, Problem},
};
use crate::lower::source::padded;
use std::collections::BTreeSet;

/// How much of a cache the data of a computation may take before they count as too large.
const USABLE: f64 = 0.75;
/// Seconds until threads have begun and come to their end.
const FORK: f64 = 4e-6;
/// Seconds that a part of a parallel loop costs.
const PART: f64 = 1e-7;
/// Seconds until a line of a cache that one core has written is in another one's, and back.
const TRANSFER: f64 = 2e-7;
/// The least number of lines that a set of a cache is taken to hold.
const WAYS: u64 = 12;
/// The bytes of a page, how many pages the first translation buffer has, the cycles of a look-up in the second one, and how many of them
/// no arithmetic hides: prefetchers end at a page.
const PAGE: u64 = 4096;
const PAGES: u64 = 64;
const PAGE_TURN: f64 = 1.5;
const UNHIDDEN: f64 = 0.9;
/// How many times longer a tile takes whose broadcasts are kept on the stack.
const SPILLED: f64 = 1.6;
/// Cycles until a loop inside of a tile runs at full speed and after its end, which is not predicted.
const RAMP: f64 = 40.0;
/// The most parts of a reduction that is unrolled for sure.
const SHORT: u64 = 8;
/// How many rows prefetchers follow.
const STREAMS: f64 = 16.0;
/// A run of so many bytes takes twice as long as its share of a long one.
const RUN: f64 = 200.0;
/// How much of what takes less time than the slowest part is not hidden behind it; of what the second cache delivers, less.
const EXPOSED: f64 = 0.35;
/// How much of the tabled bandwidth of the second cache, and of those behind it, a loop nest gets.
const SUSTAINED: [f64; 2] = [0.9, 0.6];

/// What a layer of memory moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// The layer behind a cache: L2, L3 or memory.
    pub layer: String,
    /// Bytes of all threads.
    pub bytes: f64,
    /// Seconds that it takes.
    pub seconds: f64,
}

/// What the model expects of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The time in seconds.
    pub seconds: f64,
    /// Seconds of arithmetic and instructions.
    pub compute: f64,
    /// By layer of memory.
    pub traffic: Vec<Traffic>,
    /// Seconds for threads and the combination of their results.
    pub combination: f64,
    /// Seconds to pack inputs.
    pub packing: f64,
}

impl Prediction {
    /// What takes longest.
    pub fn bound(&self) -> &str {
        let slowest = self.traffic.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds));
        match slowest {
            Some(traffic) if traffic.seconds > self.compute.max(self.combination) => &traffic.layer,
            _ if self.combination > self.compute => "combination",
            _ => "compute",
        }
    }
}

/// Predicts the time of a plan with so many threads.
pub fn predict(problem: &Problem, machine: &Machine, plan: &Plan, threads: u64) -> Prediction {
    let nest = Nest::new(problem, machine, plan);
    let cycles = |cycles: f64| cycles / (machine.gigahertz * 1e9);
    let parts: u64 = plan.loops.iter().filter(|l| l.kind == Kind::Threads).map(|l| l.parts).product();
    let used = parts.min(threads).max(1);
    // The thread with the most parts is the last one.
    let share = parts.div_ceil(used) as f64 / parts as f64;
    let compute = cycles(nest.instructions()) * share;
    let packing = cycles(nest.packing()) * share;
    let combination = match parts > 1 {
        true => FORK + PART * parts as f64 + cycles(nest.partial_results(parts)) + nest.contended(used) * TRANSFER,
        false => 0.0,
    };
    let traffic: Vec<_> = (0..machine.caches.len())
        .map(|cache| {
            let (bytes, slowed) = nest.moved(cache, used);
            let last = cache + 1 == machine.caches.len();
            let seconds = if last {
                let all = machine.memory_bandwidth * 1e9;
                slowed / (all * (used as f64 / machine.cores as f64).clamp(0.5, 1.0))
            } else {
                cycles(slowed * share / (SUSTAINED[cache.min(1)] * machine.caches[cache + 1].bandwidth))
            };
            let layer = if last { "memory".to_owned() } else { format!("L{}", cache + 2) };
            Traffic { layer, bytes, seconds }
        })
        .collect();
    let slowest = traffic.iter().map(|traffic| traffic.seconds).fold(compute, f64::max);
    let overlaps =
        |(cache, traffic): (usize, &Traffic)| if cache == 0 { 0.3 * traffic.seconds } else { traffic.seconds };
    let all = traffic.iter().enumerate().map(overlaps).sum::<f64>() + compute;
    let seconds = slowest + EXPOSED * (all - slowest).max(0.0) + combination + packing;
    Prediction { seconds, compute, traffic, combination, packing }
}

struct Nest<'a> {
    problem: &'a Problem,
    machine: &'a Machine,
    plan: &'a Plan,
    /// The loops as memory sees them: those of the register tile run innermost.
    loops: Vec<Loop>,
    /// Packed inputs, and the position among these loops.
    packed: Vec<Packed>,
}

/// A dimension of memory: an axis of a buffer, or a part of one that a layout takes apart.
struct Strip {
    axis: usize,
    part: Part,
}

#[derive(Clone, Copy, PartialEq)]
enum Part {
    All,
    Tiles,
    Elements,
}

/// How the lanes of a vector lie in memory.
#[derive(Clone, Copy, PartialEq)]
enum Lanes {
    Same,
    Neighbours,
    Apart,
}

impl<'a> Nest<'a> {
    fn new(problem: &'a Problem, machine: &'a Machine, plan: &'a Plan) -> Self {
        let (tile, mut loops): (Vec<_>, Vec<_>) = plan.loops.iter().partition(|l| l.is_in_registers());
        let packed = plan.packed.iter().map(|packed| {
            let before = plan.loops[..packed.before].iter().filter(|l| !l.is_in_registers()).count();
            Packed { before, ..packed.clone() }
        });
        let packed = packed.collect();
        loops.extend(tile);
        Self { problem, machine, plan, loops, packed }
    }

    /// The position of the first loop of the register tile.
    fn tile(&self) -> usize {
        self.plan.loops.iter().position(Loop::is_in_registers).unwrap_or(self.plan.loops.len())
    }

    /// How many loops, of threads or one part after the other, are around the register tile as memory sees it.
    fn sequential(&self) -> usize {
        self.loops.iter().take_while(|l| !l.is_in_registers()).count()
    }

    /// The share of the tiles that a nest of rounded counts runs through: it ends where the dimension does.
    fn clipped(&self) -> f64 {
        let share = |d: usize| {
            let parts = |registers: bool| {
                let own = self.plan.loops.iter().filter(|l| l.dimension == d);
                let own = own.filter(|l| l.is_in_registers() == registers);
                own.map(|l| l.parts).fold(1u64, u64::saturating_mul)
            };
            let needed = self.problem.extents[d].div_ceil(parts(true));
            (needed as f64 / parts(false) as f64).min(1.0)
        };
        (0..self.problem.extents.len()).map(share).product()
    }

    fn trips(&self, loops: &[Loop], kinds: &[Kind]) -> f64 {
        loops.iter().filter(|l| kinds.contains(&l.kind)).map(|l| l.parts as f64).product()
    }

    fn vector(&self) -> Option<&Loop> {
        self.plan.loops.iter().find(|l| l.kind == Kind::Lanes)
    }

    fn lanes(&self, access: &Access) -> Lanes {
        let Some(vector) = self.vector().filter(|l| access.depends_on(l.dimension)) else { return Lanes::Same };
        let d = vector.dimension;
        if let Some(last) = self.packed(access).and_then(|packed| packed.layout.last()) {
            return if access.axis(d) == Some(*last) { Lanes::Neighbours } else { Lanes::Apart };
        }
        match access.function.coefficients.split_last() {
            Some((last, outer)) if last[d] == 1 && outer.iter().all(|row| row[d] == 0) => Lanes::Neighbours,
            _ => Lanes::Apart,
        }
    }

    /// Whether neighbouring lanes begin where lines do.
    fn is_aligned(&self, access: &Access) -> bool {
        let line = self.machine.caches.first().map_or(64, |cache| cache.line);
        let packed = self.packed(access);
        // A tile that is packed side by side begins with a line.
        if packed.is_some_and(|packed| packed.layout.len() > access.sizes.len()) {
            return true;
        }
        let size = match packed {
            Some(_) => self.axes(access, self.loops.len()).last().map(|(_, size)| *size),
            None => access.sizes.last().copied(),
        };
        let rows = access.sizes.len() == 1 || size.is_some_and(|size| (size * access.bytes).is_multiple_of(line));
        let others = access.function.coefficients.last().is_none_or(|row| {
            let vector = self.vector().map(|l| l.dimension);
            row.iter().enumerate().all(|(d, c)| *c == 0 || Some(d) == vector)
        });
        let first =
            access.function.constants.last().is_none_or(|c| (c.unsigned_abs() * access.bytes).is_multiple_of(line));
        rows && others && first
    }

    /// The instructions of all tiles, in cycles of one thread.
    fn instructions(&self) -> f64 {
        let (problem, machine) = (self.problem, self.machine);
        let tile = self.tile();
        let (outer, rest) = self.plan.loops.split_at(tile);
        let tiles = self.trips(outer, &[Kind::Threads, Kind::Sequential]);
        let inner: Vec<_> = rest.iter().filter(|l| l.kind == Kind::Sequential).collect();
        let iterations: f64 = inner.iter().map(|l| l.parts as f64).product();
        let values = self.trips(rest, &[Kind::Unrolled]);
        let width = self.vector().map_or(1, |l| l.parts);
        // A vector that is longer than a register takes several instructions.
        let registers = width.saturating_mul(problem.widest).div_ceil(machine.vector_bits / 8).max(1) as f64;
        let (mut loads, mut fixed, mut vectors, mut shared, mut turns) = (0.0, 0.0, 0.0f64, 0.0, 0.0);
        let mut seen: BTreeSet<(usize, Vec<i64>)> = BTreeSet::new();
        for access in problem.accesses.iter().filter(|access| !access.is_output) {
            let count = self.distinct(access, &mut seen) as f64;
            let far = inner.last().filter(|l| self.turns_pages(access, l));
            let cost = match self.lanes(access) {
                Lanes::Same => count,
                // A load that is not aligned takes two lines; what is far is prefetched, too.
                Lanes::Neighbours => {
                    let lines = if self.is_aligned(access) { 1.1 } else { 2.0 };
                    count * registers * if far.is_some() { lines + 1.0 } else { lines }
                }
                Lanes::Apart => count * 2.0 * width as f64,
            };
            if self.lanes(access) == Lanes::Same && self.overlaps(access, &inner) {
                shared += count;
            }
            if let Some(l) = far {
                loads += if l.parts > PAGES { 2.0 * PAGE_TURN } else { 0.0 };
                turns += UNHIDDEN;
            }
            if self.lanes(access) != Lanes::Same {
                vectors = vectors.max(count * registers);
            }
            if inner.iter().any(|l| access.depends_on(l.dimension)) || inner.is_empty() {
                loads += cost;
            } else {
                fixed += cost;
            }
        }
        let reduces = self.plan.loops.iter().any(|l| problem.collapses(l.dimension));
        let components = problem.components as f64;
        let arithmetic = values * registers * problem.slots / machine.fma_units as f64;
        let scalar = values * width as f64 * problem.scalar_cycles;
        let chain = if reduces && !inner.is_empty() { problem.latency } else { 0.0 };
        let issue = (values * registers * problem.slots + loads + 2.0) / 5.0;
        // Loads and arithmetic overlap, but not for nothing.
        let mut iteration =
            (arithmetic + scalar).max(loads / 2.0).max(chain).max(issue) + 0.15 * loads.min(2.0 * arithmetic);
        // What is computed on the way to a value needs registers, too.
        let live = values * registers * components + vectors + 2.0 + (problem.slots / 4.0).floor().min(16.0);
        // Broadcasts that unrolled reductions share are kept from one to the next, without registers for them on the stack.
        let is_kept = live + shared <= self.machine.vector_registers as f64;
        iteration = if is_kept { iteration } else { SPILLED * iteration } + turns;
        let spilled = (live - machine.vector_registers as f64).max(0.0);
        iteration += if inner.is_empty() { 0.3 * spilled } else { 1.5 * spilled };
        // The loops around the innermost one, and the end of each run of the innermost one.
        let runs: f64 = inner.split_last().map_or(0.0, |(_, outer)| outer.iter().map(|l| l.parts as f64).product());
        let stores: f64 =
            problem.accesses.iter().filter(|access| access.is_output).map(|access| self.stored(access)).sum();
        let updates = outer.iter().any(|l| problem.collapses(l.dimension));
        let written = stores * values * registers * if updates { 2.0 } else { 1.0 };
        let folded = self.vector().filter(|l| problem.collapses(l.dimension)).map_or(0.0, |l| {
            let steps = (l.parts as f64).log2();
            values * components * steps * (problem.slots.max(1.0) + 3.0)
        });
        tiles
            * self.clipped()
            * (iterations * iteration
                + 4.0 * runs
                + fixed / 2.0
                + written
                + folded
                + if inner.is_empty() { 2.0 } else { RAMP * if updates { 2.0 } else { 1.0 } })
    }

    /// Whether an unrolled dimension and a short reduction walk along the same axis.
    fn overlaps(&self, access: &Access, inner: &[&Loop]) -> bool {
        let unrolled = || self.plan.loops.iter().filter(|l| l.kind == Kind::Unrolled);
        let short = || inner.iter().filter(|l| l.parts <= SHORT);
        access
            .function
            .coefficients
            .iter()
            .any(|row| unrolled().any(|l| row[l.dimension] != 0) && short().any(|l| row[l.dimension] != 0))
    }

    /// Whether each iteration of the innermost loop is on another page.
    fn turns_pages(&self, access: &Access, innermost: &Loop) -> bool {
        let (d, mut stride) = (innermost.dimension, access.bytes);
        let (axes, strips) = (self.axes(access, self.loops.len()), self.strips(access, self.loops.len()));
        let step = axes.iter().zip(strips).rev().fold(0u64, |step, ((_, size), strip)| {
            let coefficient = access.function.coefficients[strip.axis][d].unsigned_abs();
            let own = if strip.part == Part::Elements { 0 } else { coefficient.saturating_mul(stride) };
            stride = stride.saturating_mul(*size);
            step.saturating_add(own)
        });
        step >= PAGE && innermost.parts > SHORT
    }

    fn stored(&self, access: &Access) -> f64 {
        match self.lanes(access) {
            Lanes::Same | Lanes::Neighbours => 1.0,
            Lanes::Apart => 2.0 * self.vector().map_or(1.0, |l| l.parts as f64),
        }
    }

    /// How many elements (of vectors) of an access the elements of a tile read that no access before it does.
    fn distinct(&self, access: &Access, seen: &mut BTreeSet<(usize, Vec<i64>)>) -> usize {
        let unrolled: Vec<_> = self.plan.loops.iter().filter(|l| l.kind == Kind::Unrolled).collect();
        let mut places = vec![access.function.constants.clone()];
        for l in unrolled.iter().filter(|l| access.depends_on(l.dimension)) {
            let width = self.vector().filter(|v| v.dimension == l.dimension).map_or(1, |v| v.parts) as i64;
            let moved = |place: &Vec<i64>, n: i64| {
                let rows = place.iter().zip(&access.function.coefficients);
                rows.map(|(at, row)| at.wrapping_add(row[l.dimension].wrapping_mul(n).wrapping_mul(width)))
                    .collect::<Vec<_>>()
            };
            places = places
                .iter()
                .flat_map(|place| (0..l.parts as i64).map(move |n| (place, n)))
                .map(|(p, n)| moved(p, n))
                .collect();
        }
        // Accesses with other coefficients meet by chance only.
        places.into_iter().filter(|place| seen.insert((access.buffer, place.clone()))).count()
    }

    /// How many points of a dimension the loops from a position on reach.
    fn covered(&self, d: usize, from: usize) -> u64 {
        let parts = self.loops[from..].iter().filter(|l| l.dimension == d).map(|l| l.parts);
        parts.fold(1u64, u64::saturating_mul).min(self.problem.extents[d])
    }

    /// The bytes of an access that the loops from a position on touch, in whole lines.
    fn footprint(&self, access: &Access, from: usize) -> f64 {
        self.touched(access, from, self.machine.caches.first().map_or(64, |cache| cache.line) as f64)
    }

    /// The bytes that a loop at a position adds in each iteration, where it goes on inside of a line that is still in the cache.
    fn step(&self, access: &Access, from: usize) -> f64 {
        let line = self.machine.caches.first().map_or(64, |cache| cache.line);
        let goes_on = from > 0
            && access.function.coefficients.last().is_some_and(|row| {
                let l = &self.loops[from - 1];
                let distance = row[l.dimension]
                    .unsigned_abs()
                    .saturating_mul(self.covered(l.dimension, from))
                    .saturating_mul(access.bytes);
                0 < distance && distance < line
            });
        if goes_on { self.touched(access, from, 1.0) } else { self.footprint(access, from) }
    }

    /// By dimension of memory, the slowest one first: how many indices the loops from a position on touch, and the size.
    fn axes(&self, access: &Access, from: usize) -> Vec<(u64, u64)> {
        let span = |strip: &Strip, from: usize| {
            let axis = strip.axis;
            let dimensions = access.function.coefficients[axis].iter().enumerate().filter(|(_, c)| **c != 0);
            if strip.part != Part::All {
                let reached = |(d, _)| self.reached(d, from, strip.part == Part::Elements);
                return dimensions.map(reached).fold(1u64, u64::saturating_mul);
            }
            let (mut span, mut points) = (1u64, 1u64);
            for (d, c) in dimensions {
                let covered = self.covered(d, from);
                span = span.saturating_add(c.unsigned_abs().saturating_mul(covered - 1));
                points = points.saturating_mul(covered);
            }
            let apart = self.spread(access, axis);
            span.min(points).saturating_add(apart).min(access.sizes[axis].max(1))
        };
        let packed = self.packed_part(access, from);
        let strips = self.strips(access, from);
        let size = |strip: &Strip| packed.map_or(access.sizes[strip.axis].max(1), |packed| span(strip, packed.before));
        let mut axes: Vec<_> = strips.iter().map(|strip| (span(strip, from), size(strip))).collect();
        if let (Some(_), [_, .., (_, last)]) = (packed, axes.as_mut_slice()) {
            *last = padded(*last, access.bytes);
        }
        axes
    }

    /// How many parts of a dimension the loops from a position on reach: elements of one register tile, or tiles.
    fn reached(&self, d: usize, from: usize, inside: bool) -> u64 {
        let own = self.loops[from..].iter().filter(|l| l.dimension == d && l.is_in_registers() == inside);
        own.map(|l| l.parts).fold(1u64, u64::saturating_mul)
    }

    /// How far apart the accesses of a buffer that have the same coefficients are along an axis.
    fn spread(&self, access: &Access, axis: usize) -> u64 {
        let same = |other: &&Access| {
            (other.is_output, other.buffer) == (access.is_output, access.buffer)
                && other.function.coefficients == access.function.coefficients
        };
        let constants = self.problem.accesses.iter().filter(same).map(|other| other.function.constants[axis]);
        let (low, high) = constants.fold((i64::MAX, i64::MIN), |(low, high), c| (low.min(c), high.max(c)));
        high.saturating_sub(low).unsigned_abs()
    }

    /// The dimensions of memory, the slowest one first.
    fn strips(&self, access: &Access, from: usize) -> Vec<Strip> {
        let Some(packed) = self.packed_part(access, from) else {
            return (0..access.sizes.len()).map(|axis| Strip { axis, part: Part::All }).collect();
        };
        let strip = |(position, &axis): (usize, &usize)| {
            let is_split = packed.layout.iter().filter(|&&other| other == axis).count() > 1;
            let is_first = !packed.layout[..position].contains(&axis);
            let part = match (is_split, is_first) {
                (false, _) => Part::All,
                (true, true) => Part::Tiles,
                (true, false) => Part::Elements,
            };
            Strip { axis, part }
        };
        packed.layout.iter().enumerate().map(strip).collect()
    }

    /// The packed part that an access reads somewhere.
    fn packed(&self, access: &Access) -> Option<&Packed> {
        self.packed.iter().find(|packed| !access.is_output && packed.buffer == access.buffer)
    }

    /// The packed part that an access reads inside of a position.
    fn packed_part(&self, access: &Access, from: usize) -> Option<&Packed> {
        self.packed(access).filter(|packed| packed.before <= from)
    }

    fn touched(&self, access: &Access, from: usize, line: f64) -> f64 {
        let axes = self.axes(access, from);
        let Some(((last, size), outer)) = axes.split_last() else { return line };
        let bytes = *last as f64 * access.bytes as f64;
        let row = if last == size { bytes } else { (bytes / line).ceil() * line };
        (outer.iter().map(|(points, _)| *points as f64).product::<f64>() * row).max(line)
    }

    /// Accesses with the same coefficients share what they touch.
    fn accesses(&self) -> impl Iterator<Item = &Access> {
        let all = &self.problem.accesses;
        all.iter().enumerate().filter_map(move |(i, access)| {
            let same = |other: &&Access| {
                other.is_output == access.is_output
                    && other.buffer == access.buffer
                    && other.function.coefficients == access.function.coefficients
            };
            (!all[..i].iter().any(|other| same(&other))).then_some(access)
        })
    }

    /// Whether rows of an access lie so that they displace one another in a cache: rows with a stride of a large power of two share
    /// a few of its sets.
    fn conflicts(&self, access: &Access, from: usize, cache: usize) -> bool {
        let description = &self.machine.caches[cache];
        let axes = self.axes(access, from);
        let way = 1u64 << (description.bytes / WAYS).max(1).ilog2();
        let (mut rows, mut apart, mut stride) = (1u64, way, access.bytes);
        for (i, &(points, size)) in axes.iter().enumerate().rev() {
            if i + 1 < axes.len() && points > 1 {
                rows = rows.saturating_mul(points);
                apart = apart.min(1 << stride.trailing_zeros().min(62));
            }
            stride = stride.saturating_mul(size);
        }
        let lines =
            (self.touched(access, from, description.line as f64) / description.line as f64 / rows as f64).ceil();
        let sets = (way / apart) as f64 * lines.min((apart / description.line).max(1) as f64);
        rows as f64 * lines > 0.5 * sets * (description.bytes / way) as f64
    }

    /// The bytes that all threads move into a cache.
    /// With it, the bytes that would take as long in a few streams: prefetchers follow no more than some.
    fn moved(&self, cache: usize, used: u64) -> (f64, f64) {
        let first = self.loops.iter().take_while(|l| l.kind == Kind::Threads).count();
        let description = &self.machine.caches[cache];
        let sharers = description.shared_by.min(used).max(1);
        let capacity = description.bytes as f64 * USABLE / sharers as f64;
        let innermost = self.sequential();
        let fits = |from: usize| self.accesses().map(|access| self.footprint(access, from)).sum::<f64>() <= capacity;
        let all = (first..=innermost).find(|&from| fits(from)).unwrap_or(innermost);
        let is_last = cache + 1 == self.machine.caches.len();
        let whole = self.accesses().map(|access| self.footprint(access, 0)).sum::<f64>();
        if whole <= description.bytes as f64 * USABLE {
            // What fits is there from the last call on.
            return (0.0, 0.0);
        }
        let moved = |access: &Access| {
            let calm = (all..=innermost).find(|&from| is_last || !self.conflicts(access, from, cache));
            let from = calm.unwrap_or(innermost);
            let outer = &self.loops[..from];
            let last = outer.iter().rposition(|l| access.depends_on(l.dimension)).map_or(0, |last| last + 1);
            let times = outer[..last].iter().map(|l| l.parts as f64).product::<f64>();
            // Each thread reads what it needs itself, in front of a cache that is not shared.
            let alone = outer.iter().any(|l| l.kind == Kind::Threads && !access.depends_on(l.dimension));
            let copies = if alone && last == 0 && sharers < used { used as f64 } else { 1.0 };
            // What is written is read before, unless it is so large that it goes past the caches.
            let whole = access.sizes.iter().fold(access.bytes, |bytes, size| bytes.saturating_mul(*size));
            let streams = is_last && whole / 2 >= description.bytes;
            let twice = if access.is_output && !streams { 2.0 } else { 1.0 };
            let touched =
                if last == from && calm.is_some() { self.step(access, from) } else { self.footprint(access, from) };
            touched * times * copies * twice
        };
        let add = |(bytes, slowed): (f64, f64), access: &Access| {
            let more = moved(access);
            let slower = if cache > 0 { self.slowdown(access, is_last) } else { 1.0 };
            (bytes + more, slowed + more * slower)
        };
        self.accesses().fold((0.0, 0.0), add)
    }

    /// How much longer the bytes of an access take than those of one long row: the loops inside of the one that walks along rows go
    /// through many rows at the same time, or only a short run of each is read before others are.
    fn slowdown(&self, access: &Access, is_last: bool) -> f64 {
        // What a tile reduces is read with it.
        let sequential = self.tile().min(self.sequential());
        if self.packed_part(access, sequential).is_some() {
            return 1.0;
        }
        // Axes that a tile touches as a whole are part of longer rows.
        let whole = self.axes(access, sequential).iter().rev().take_while(|(points, size)| points >= size).count();
        let rows = &access.function.coefficients;
        let Some((row, outer)) = rows[..rows.len() - whole.min(rows.len().saturating_sub(1))].split_last() else {
            return 1.0;
        };
        let walk = self.loops[..sequential].iter().rposition(|l| row[l.dimension] != 0);
        // Rows that are touched as a whole are one.
        let rows_and_run = |from: usize| {
            let (mut rows, mut run, mut is_whole) = (1.0, 1.0, true);
            for (points, size) in self.axes(access, from).into_iter().rev() {
                *(if is_whole { &mut run } else { &mut rows }) *= points as f64;
                is_whole &= points == size;
            }
            (rows, run)
        };
        let (rows, _) = rows_and_run(walk.map_or(0, |walk| walk + 1));
        let turns = |l: &Loop| outer.iter().any(|row| row[l.dimension] != 0);
        let inside = match walk.filter(|_| rows <= 4.0 * STREAMS) {
            Some(walk) => self.loops[..walk].iter().rposition(turns).map_or(0, |turn| turn + 1),
            None => sequential,
        };
        let run = rows_and_run(inside).1 * access.bytes as f64;
        let streams = if is_last { (1.0 + (rows - STREAMS) / 48.0).clamp(1.0, 2.0) } else { 1.0 };
        streams * (1.0 + RUN / run)
    }

    /// Cycles of one thread for packed parts: each element is read and written.
    fn packing(&self) -> f64 {
        let copy = |packed: &Packed| {
            let access = self.accesses().find(|access| !access.is_output && access.buffer == packed.buffer);
            let times: f64 = self.loops[..packed.before].iter().map(|l| l.parts as f64).product();
            // An element at a time, and from another line each, where the order of the axes changes.
            let is_same = packed.layout.last().is_none_or(|last| last + 1 == self.problem.shape.inputs[packed.buffer]);
            let is_tiled = packed.layout.len() > self.problem.shape.inputs[packed.buffer];
            let rate = match (is_same, is_tiled) {
                (true, _) => 12.0,
                (false, true) => 2.5,
                (false, false) => 0.6,
            };
            let Some(access) = access else { return 0.0 };
            let bytes = self.footprint(access, packed.before);
            // What is written is read before; what no cache holds comes from memory and goes there.
            let caches = &self.machine.caches;
            let holds = |cache: usize| caches.get(cache).is_some_and(|cache| bytes <= cache.bytes as f64 * USABLE);
            let moved = match (holds(1), holds(caches.len() - 1)) {
                (true, _) => 0.0,
                (false, true) => 3.0 * bytes / (SUSTAINED[1] * caches[caches.len() - 1].bandwidth),
                (false, false) => {
                    let share = self.machine.memory_bandwidth / self.machine.cores as f64;
                    3.0 * bytes * self.machine.gigahertz / share
                }
            };
            times * ((bytes / rate).max(moved) + 20.0)
        };
        self.packed.iter().map(copy).sum()
    }

    /// How often lines of results at the border between two threads go from one to the other.
    fn contended(&self, used: u64) -> f64 {
        let line = self.machine.caches.first().map_or(64, |cache| cache.line);
        let first = self.loops.iter().take_while(|l| l.kind == Kind::Threads).count();
        let again = self.loops[first..self.sequential()].iter().filter(|l| self.problem.collapses(l.dimension));
        let times = again.map(|l| l.parts as f64).product::<f64>() - 1.0;
        let rows = |access: &Access| {
            let (row, size) = access.function.coefficients.split_last().map(|(row, _)| row).zip(access.sizes.last())?;
            let bytes = |l: &Loop| row[l.dimension].unsigned_abs() * self.covered(l.dimension, first) * access.bytes;
            let is_shared = self.loops[..first].iter().any(|l| row[l.dimension] != 0 && !bytes(l).is_multiple_of(line));
            let is_ragged = self.loops[..first].iter().any(|l| row[l.dimension] != 0)
                && !(size * access.bytes).is_multiple_of(line);
            let rows: f64 = self.axes(access, first).iter().rev().skip(1).map(|(points, _)| *points as f64).product();
            (is_shared || is_ragged && rows > 1.0).then_some(rows)
        };
        let rows: f64 = self.accesses().filter(|access| access.is_output).filter_map(rows).sum();
        if used > 1 { times * rows } else { 0.0 }
    }

    /// Cycles to combine the private results of the parts of a collapsed dimension.
    fn partial_results(&self, parts: u64) -> f64 {
        let is_collapsed = |l: &Loop| l.kind == Kind::Threads && self.problem.collapses(l.dimension);
        if !self.loops.iter().any(is_collapsed) {
            return 0.0;
        }
        let kept = (0..self.problem.extents.len()).filter(|&d| !self.problem.collapses(d));
        let kept: f64 = kept.map(|d| self.problem.extents[d] as f64).product();
        let values = parts as f64 * kept * self.problem.components as f64;
        // Neighbours are combined as vectors, as fast as they come.
        let cache = self.machine.caches.get(1).map_or(0.0, |cache| cache.bytes as f64);
        let share = values * self.problem.widest as f64 / cache;
        values
            * if share <= 0.25 {
                0.5
            } else if share <= 1.0 {
                1.0
            } else {
                2.0
            }
    }
}
