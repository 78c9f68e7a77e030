//! Data movement of a plan: into caches, into packed parts, and between threads.
use super::{
    super::{plan::PlanLoop, problem::BufferAccess},
    SUSTAINED,
    compute::PAGE,
    footprint::Footprints,
    geometry::PackedInput,
};
use crate::plan::runner::Runner;

/// Fraction of a cache that data may occupy before they count as too large for it.
const CACHE_FRACTION: f64 = 0.75;
/// Minimum associativity that is assumed of a cache (lines per set).
const MIN_ASSOCIATIVITY: u64 = 12;
/// Number of vectors of results that a tile may store at once for each stream of the prefetchers: processors wait for a
/// limited number of lines.
const STORED_PER_STREAM: f64 = 0.5;
/// Relative slowdown of the transfers from memory for each further vector.
const STORE_BURST: f64 = 0.02;
/// Relative slowdown of writing to memory for each row that a tile writes in one page and that prefetchers do not follow:
/// stores wait for lines that are not prefetched.
const ROW_OF_PAGE: f64 = 0.5;
/// Rows of a page that prefetchers follow, for each of their streams.
const ROWS_OF_PAGE_PER_STREAM: f64 = 1.0 / 16.0;
/// Bytes of a contiguous run that takes twice as long as an equal share of a long run, with one stream: more streams load
/// more runs at a time.
const HALF_SPEED_RUN: f64 = 3200.0;

impl Footprints<'_> {
    /// Returns true if rows of an access displace one another in a cache: rows whose stride is a multiple of a large
    /// power of two share a few of its sets.
    fn has_set_conflicts(&self, access: &BufferAccess, from: usize, cache: usize) -> bool {
        let description = &self.geometry.machine.caches[cache];
        let axes = self.axes(access, from);
        let way = 1u64 << (description.bytes / MIN_ASSOCIATIVITY).max(1).ilog2();
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
        // Rows in all sets displace one another only if the data are too large for the cache.
        if sets >= (way / description.line) as f64 {
            return false;
        }
        rows as f64 * lines > 0.5 * sets * (description.bytes / way) as f64
    }

    /// The bytes that all threads move into a cache, and the number of bytes that would take as long in a few long
    /// streams: prefetchers follow a limited number of streams.
    pub(super) fn moved(&self, cache: usize, used: u64) -> (f64, f64) {
        let description = &self.geometry.machine.caches[cache];
        let whole = self.accesses().map(|access| self.bytes(access, 0)).sum::<f64>();
        if whole <= description.bytes as f64 * CACHE_FRACTION {
            // Data that fit are still in the cache after the previous call.
            return (0.0, 0.0);
        }
        let first = self.geometry.loops.iter().take_while(|l| l.kind == Runner::THREADS).count();
        let sharers = description.shared_by.min(used).max(1);
        let capacity = description.bytes as f64 * CACHE_FRACTION / sharers as f64;
        let innermost = self.geometry.sequential;
        let fits = |from: usize| self.accesses().map(|access| self.bytes(access, from)).sum::<f64>() <= capacity;
        let all = (first..=innermost).find(|&from| fits(from)).unwrap_or(innermost);
        let is_last = cache + 1 == self.geometry.machine.caches.len();
        let moved = |access: &BufferAccess| {
            let calm = (all..=innermost).find(|&from| is_last || !self.has_set_conflicts(access, from, cache));
            let from = calm.unwrap_or(innermost);
            let outer = &self.geometry.loops[..from];
            let last = outer.iter().rposition(|l| access.depends_on(l.dimension)).map_or(0, |last| last + 1);
            let times = self.executions(access, last);
            // If a cache is not shared, each thread loads its own copy of common data into it.
            let alone = outer.iter().any(|l| l.kind == Runner::THREADS && !access.depends_on(l.dimension));
            let copies = if alone && last == 0 && sharers < used { used as f64 } else { 1.0 };
            // Lines are read before they are written, unless the result is so large that stores bypass the caches.
            let whole = access.sizes.iter().fold(access.bytes, |bytes, size| bytes.saturating_mul(*size));
            let streams = is_last && whole / 2 >= description.bytes && self.geometry.has_whole_lines(access);
            let twice = if access.is_output && !streams { 2.0 } else { 1.0 };
            let touched =
                if last == from && calm.is_some() { self.step(access, from) } else { self.bytes(access, from) };
            touched * times * copies * twice
        };
        let add = |(bytes, slowed): (f64, f64), access: &BufferAccess| {
            let more = moved(access);
            let slower = if cache > 0 { self.slowdown(access, is_last) } else { 1.0 };
            (bytes + more, slowed + more * slower)
        };
        self.accesses().fold((0.0, 0.0), add)
    }

    /// How often the loops around a position execute what is inside, counted in whole parts of the data of an access: part
    /// counts are rounded up, and parts past the end of a dimension have no data.
    fn executions(&self, access: &BufferAccess, position: usize) -> f64 {
        let geometry = self.geometry;
        let executed = |d: usize| {
            let own = geometry.loops[..position].iter().filter(|l| l.dimension == d);
            let parts = own.map(|l| l.parts as f64).product::<f64>();
            let needed = geometry.problem.extent(d) as f64 / geometry.covered(d, position) as f64;
            parts.min(if access.depends_on(d) { needed } else { needed.ceil() })
        };
        (0..geometry.problem.rank()).map(executed).product()
    }

    /// The ratio of the transfer time of an access to that of the same bytes in one long row. It is greater than 1 if
    /// the loops inside the loop along rows access more rows at a time than prefetchers follow, or if only a short run
    /// of each row is read before other rows.
    fn slowdown(&self, access: &BufferAccess, is_last: bool) -> f64 {
        // The loops over reductions inside a tile belong to the tile.
        let sequential = self.geometry.tile.min(self.geometry.sequential);
        if self.is_packed(access, sequential) {
            return 1.0;
        }
        // Axes that a tile covers completely are part of longer rows.
        let whole = self.axes(access, sequential).iter().rev().take_while(|(points, size)| points >= size).count();
        let rank = access.map.rank();
        let Some(row) = (rank - whole.min(rank.saturating_sub(1))).checked_sub(1) else { return 1.0 };
        let walk = self.geometry.loops[..sequential].iter().rposition(|l| access.map.uses(row, l.dimension));
        // Rows that are covered completely form one run.
        let rows_and_run = |from: usize| {
            let (mut rows, mut run, mut is_whole) = (1.0, 1.0, true);
            for (points, size) in self.axes(access, from).iter().rev() {
                *(if is_whole { &mut run } else { &mut rows }) *= *points as f64;
                is_whole &= points == size;
            }
            (rows, run)
        };
        let (rows, _) = rows_and_run(walk.map_or(0, |walk| walk + 1));
        let turns = |l: &PlanLoop| (0..row).any(|axis| access.map.uses(axis, l.dimension));
        let followed = self.geometry.machine.prefetch_streams as f64;
        let inside = match walk.filter(|_| rows <= 4.0 * followed) {
            Some(walk) => self.geometry.loops[..walk].iter().rposition(turns).map_or(0, |turn| turn + 1),
            None => sequential,
        };
        // The next iteration of a loop along the axis around whole rows continues with the next element in memory.
        let is_whole = row > 0 && self.axes(access, inside)[row..].iter().all(|(points, size)| points >= size);
        let outer = self.geometry.loops[..inside].last().filter(|l| is_whole && access.map.uses(row - 1, l.dimension));
        let run = rows_and_run(inside - usize::from(outer.is_some())).1 * access.bytes as f64;
        let streams = if is_last { (1.0 + (rows / followed - 1.0) / 3.0).clamp(1.0, 2.0) } else { 1.0 };
        // Stores that bypass the caches wait for no lines.
        let waits = is_last && access.is_output && !self.geometry.has_whole_lines(access);
        let stored = if waits { self.rows_of_page(access, row, sequential) } else { 1.0 };
        let missed = (stored - (ROWS_OF_PAGE_PER_STREAM * followed).max(1.0)).max(0.0);
        streams * (1.0 + HALF_SPEED_RUN / followed / run) * (1.0 + ROW_OF_PAGE * missed)
    }

    /// The number of rows of a page that the loops from a position inward touch. `row`: the axis along which they are.
    fn rows_of_page(&self, access: &BufferAccess, row: usize, from: usize) -> f64 {
        let axes = self.axes(access, from);
        let mut stride = axes[row..].iter().fold(access.bytes, |bytes, (_, size)| bytes.saturating_mul(*size));
        let mut rows = 1.0;
        for (points, size) in axes[..row].iter().rev() {
            rows *= (PAGE / stride as f64).clamp(1.0, *points as f64);
            stride = stride.saturating_mul(*size);
        }
        rows
    }

    /// The ratio of the time of the transfers from memory to that of a tile that stores few results at once. With a
    /// reduction inside of the tile, stores are rare.
    pub(super) fn burst(&self) -> f64 {
        let geometry = self.geometry;
        let inner = &geometry.plan.loops[geometry.tile..];
        if inner.iter().any(|l| l.kind == Runner::Loop) {
            return 1.0;
        }
        let results = geometry.problem.accesses.iter().filter(|access| access.is_output).count() as f64;
        let stored = results * geometry.trips(inner, &[Runner::Unrolled]);
        let at_once = STORED_PER_STREAM * geometry.machine.prefetch_streams as f64;
        1.0 + STORE_BURST * (stored - at_once).max(0.0)
    }

    /// Cycles of a single thread to pack inputs: each element is read and written.
    pub(super) fn packing(&self) -> f64 {
        let copy = |packed: &PackedInput| {
            let access = self.accesses().find(|access| !access.is_output && access.buffer == packed.buffer);
            let Some(access) = access else { return 0.0 };
            let times = match packed.before {
                0 => 1.0 / self.geometry.problem.executions_per_copy[packed.buffer],
                before => self.executions(access, before),
            };
            // Bytes per cycle. If the order of the axes changes, elements are copied one by one, each from another
            // line.
            let rank = self.geometry.problem.shape.inputs[packed.buffer];
            let is_same = packed.stored_axes.last().is_none_or(|(last, _)| last + 1 == rank);
            let is_tiled = packed.stored_axes.len() > rank;
            let rate = match (is_same, is_tiled) {
                (true, _) => 12.0,
                (false, true) => 2.5,
                (false, false) => 0.6,
            };
            let bytes = self.bytes(access, packed.before);
            // Lines are read before they are written. Data that fit into no cache come from memory and return to it.
            let caches = &self.geometry.machine.caches;
            let holds =
                |cache: usize| caches.get(cache).is_some_and(|cache| bytes <= cache.bytes as f64 * CACHE_FRACTION);
            let moved = match (holds(1), holds(caches.len() - 1)) {
                (true, _) => 0.0,
                (false, true) => 3.0 * bytes / (SUSTAINED[1] * caches[caches.len() - 1].bandwidth),
                (false, false) => {
                    let share = self.geometry.machine.memory_bandwidth / self.geometry.machine.cores as f64;
                    3.0 * bytes * self.geometry.machine.gigahertz / share
                }
            };
            times * ((bytes / rate).max(moved) + 20.0)
        };
        self.geometry.packed.iter().map(copy).sum()
    }

    /// Number of cache lines of packed parts that a thread reads and that another thread has written.
    pub(super) fn lines_of_others(&self, used: u64) -> f64 {
        let lines = |packed: &PackedInput| {
            let access = self.accesses().find(|access| !access.is_output && access.buffer == packed.buffer);
            let bytes = access.map_or(0.0, |access| self.bytes(access, 0));
            bytes / self.geometry.line() as f64 / self.geometry.problem.executions_per_copy[packed.buffer]
        };
        let common = self.geometry.packed.iter().filter(|packed| packed.before == 0).map(lines);
        common.sum::<f64>() * (used - 1) as f64 / used as f64
    }

    /// The number of transfers between cores of cache lines of results at the boundary between the parts of two
    /// threads.
    pub(super) fn false_sharing(&self, used: u64) -> f64 {
        let line = self.geometry.line();
        let first = self.geometry.loops.iter().take_while(|l| l.kind == Runner::THREADS).count();
        let again = self.geometry.loops[first..self.geometry.sequential]
            .iter()
            .filter(|l| self.geometry.problem.reduces(l.dimension));
        let times = again.map(|l| l.parts as f64).product::<f64>() - 1.0;
        let rows = |access: &BufferAccess| {
            let (last, size) = access.map.rank().checked_sub(1).zip(access.sizes.last())?;
            let stride = |l: &PlanLoop| access.map.stride(last, l.dimension);
            let bytes = |l: &PlanLoop| {
                let step = stride(l).unsigned_abs().saturating_mul(self.geometry.covered(l.dimension, first));
                step.saturating_mul(access.bytes)
            };
            let is_shared =
                self.geometry.loops[..first].iter().any(|l| stride(l) != 0 && !bytes(l).is_multiple_of(line));
            let is_ragged = self.geometry.loops[..first].iter().any(|l| stride(l) != 0)
                && !size.saturating_mul(access.bytes).is_multiple_of(line);
            let rows: f64 = self.axes(access, first).iter().rev().skip(1).map(|(points, _)| *points as f64).product();
            (is_shared || is_ragged && rows > 1.0).then_some(rows)
        };
        let rows: f64 = self.accesses().filter(|access| access.is_output).filter_map(rows).sum();
        if used > 1 { times * rows } else { 0.0 }
    }

    /// Cycles to combine the private results of the parts of a reduction.
    pub(super) fn partial_results(&self, parts: u64) -> f64 {
        let is_reduction = |l: &PlanLoop| l.kind == Runner::THREADS && self.geometry.problem.reduces(l.dimension);
        if !self.geometry.loops.iter().any(is_reduction) {
            return 0.0;
        }
        let kept = (0..self.geometry.problem.rank()).filter(|&d| self.geometry.problem.keeps(d));
        let kept: f64 = kept.map(|d| self.geometry.problem.extent(d) as f64).product();
        let values = parts as f64 * kept * self.geometry.problem.components as f64;
        // Contiguous values are combined as vectors, at the speed of the cache that they fit into.
        let cache = self.geometry.machine.caches.get(1).map_or(0.0, |cache| cache.bytes as f64);
        let share = values * self.geometry.problem.widest as f64 / cache;
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
