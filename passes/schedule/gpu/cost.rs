//! An analytic cost model of kernels: how long a tiling takes on a device.
//!
//! Instructions, loads and the bytes that blocks ask memory for are counted for the first warp, whose threads' addresses are looked at one by
//! one: which of them meet in a transaction, and which in a bank of shared memory.
mod footprint;
mod loads;

use super::{
    super::{
        climb::Estimate,
        cost::{Launch, Prediction, Traffic},
        device::Device,
        problem::Problem,
    },
    tiling::{Place, Tiling},
};
use crate::nest::gpu::scans::SCANNING;
use footprint::{SECTOR, View};
use loads::{Loads, Unrolled};

/// Banks of shared memory, and the bytes of each.
const BANKS: u64 = 32;
const BANK: u64 = 4;
/// Bytes that a load of a warp moves at full speed.
const WAVEFRONT: f64 = 128.0;
/// The most bytes of shared memory of a block in default schedules: what launches need not ask for. Larger parts have not been measured.
const UNASKED: u64 = 48 << 10;
/// Registers that a thread needs for addresses and counters, and for each access.
const ADDRESSES: u64 = 24;
const OF_ACCESS: u64 = 2;
/// How many of the registers of a thread a tile may take: the scalar function needs some, too.
const TILED: f64 = 0.75;
/// The same where extents are not known, and the registers that bounds and strides of a dimension take there.
const TILED_UNKNOWN: f64 = 0.5;
const OF_UNKNOWN: u64 = 8;
/// Instructions that a thread begins with, that an iteration of an unrolled loop costs, that copying some neighbours costs, and that a
/// division costs that finds out which, by a power of two and else.
const PROLOGUE: f64 = 20.0;
const ITERATION: f64 = 1.5;
const COPY: f64 = 5.0;
const SHIFT: f64 = 2.0;
const DIVISION: f64 = 14.0;
/// Instructions that all threads wait for at a barrier, and that a step of a reduction in a warp costs.
const BARRIER: f64 = 30.0;
const SHUFFLE: f64 = 4.0;
/// How many independent instructions of its warps a unit needs to be busy.
const IN_FLIGHT: f64 = 32.0;
/// Seconds that memory takes to answer, and the most bytes that a thread waits for at a time.
const LATENCY: f64 = 6e-7;
const WAITING: f64 = 64.0;
/// Iterations whose loads are under way at a time.
const UNROLLED: f64 = 4.0;
/// How much of what takes less time than the slowest part is not hidden behind it.
const EXPOSED: f64 = 0.25;
/// How much of the bandwidth of memory and of the operations a kernel gets.
const SUSTAINED: f64 = 0.85;
/// Seconds for each block's partial results when another kernel combines them.
const PARTIAL: f64 = 5e-10;

/// The numbers of the units of so many bytes that accesses of so many bytes at these addresses touch.
fn units(addresses: Vec<i64>, bytes: u64, unit: u64) -> Vec<i64> {
    let (bytes, unit) = (bytes as i64, unit as i64);
    let touched = |address: i64| address.div_euclid(unit)..=(address + bytes - 1).div_euclid(unit);
    addresses.into_iter().flat_map(touched).collect()
}

/// How many turns accesses of shared memory of so many bytes at these addresses take.
fn turns(addresses: Vec<i64>, bytes: u64) -> f64 {
    let mut words = units(addresses, bytes, BANK);
    words.sort_unstable();
    words.dedup();
    let mut turns = [0u32; BANKS as usize];
    words.iter().for_each(|word| turns[word.rem_euclid(BANKS as i64) as usize] += 1);
    f64::from(turns.into_iter().max().unwrap_or(1).max(1))
}

/// What rows in shared memory are longer for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Padding {
    /// Nothing.
    None,
    /// Elements of several rows in one column are in several banks.
    Odd,
    /// Rows begin where wide loads can.
    Aligned,
    /// Both, as far as wide loads go.
    Shifted,
}

/// What stays the same for all tilings of a problem.
pub(super) struct Model<'a> {
    problem: &'a Problem,
    device: &'a Device,
    views: Vec<View<'a>>,
}

impl<'a> Model<'a> {
    pub(super) fn new(problem: &'a Problem, device: &'a Device) -> Self {
        Self { problem, device, views: View::all(problem) }
    }

    /// The bytes of shared memory of a block: parts of inputs, and what threads combine.
    fn shared_bytes(&self, tiling: &Tiling) -> u64 {
        let places = |(view, bytes): (&View<'_>, u64)| bytes.saturating_mul(tiling.places(view.access.buffer));
        let parts = self.parts(tiling).map(places).fold(0u64, u64::saturating_add);
        let combines =
            |place| (0..tiling.columns.len()).any(|d| !self.problem.concatenates(d) && tiling.columns[d].of(place) > 1);
        // A value of each thread, if warps combine what they have.
        let is_wide = combines(Place::Warps) || (combines(Place::Threads) && tiling.threads() > self.device.warp);
        let tuple = self.problem.components as u64 * self.problem.widest;
        parts.saturating_add(if is_wide { tiling.threads().saturating_mul(tuple) } else { 0 })
    }

    /// What is copied to shared memory, with the bytes of its parts.
    fn parts(&self, tiling: &Tiling) -> impl Iterator<Item = (&View<'a>, u64)> {
        let copied = self
            .views
            .iter()
            .filter(|view| view.access.is_first && !view.access.is_output && tiling.shared[view.access.buffer]);
        copied.map(|view| (view, view.bytes_of_part(tiling)))
    }

    /// The registers that a thread needs at least, and those that it has a use for, if it reads so much of each view at once, so often in a
    /// row.
    fn registers(&self, tiling: &Tiling, reads: &[Loads], in_a_row: u64) -> (u64, u64) {
        let problem = self.problem;
        let words = |bytes: u64| bytes.div_ceil(4);
        let kept = (0..tiling.columns.len()).filter(|&d| problem.keeps(d));
        let results = kept.fold(problem.components as u64 * words(problem.widest), |results, d| {
            results.saturating_mul(tiling.columns[d].of(Place::Registers))
        });
        let operands = |waiting: &dyn Fn(&View<'_>, &Loads) -> u64| {
            let inputs = self.views.iter().zip(reads).filter(|(view, _)| !view.access.is_output);
            let words = inputs.map(|(view, loads)| waiting(view, loads).saturating_mul(words(view.access.bytes)));
            words.fold(0u64, u64::saturating_add)
        };
        // What is read for several iterations at once waits for them.
        let read = |view: &View<'_>, loads: &Loads| view.values(tiling).saturating_mul(loads.ahead);
        // What windows share stays in registers, and the assembler puts all loads of memory of a reduction without a loop in front of it.
        let wanted = |view: &View<'_>, loads: &Loads| match tiling.shared[view.access.buffer] {
            false => loads.elements.saturating_mul(in_a_row),
            true if view.has_overlaps() => loads.elements,
            true => 0,
        };
        let (least, most) = (operands(&read), operands(&|view, loads| read(view, loads).max(wanted(view, loads))));
        // Copies go through registers unless threads go on in the meantime.
        let copied = self.parts(tiling).map(|(_, bytes)| words(bytes)).fold(0u64, u64::saturating_add);
        let copied = if self.is_ahead(tiling) { 0 } else { copied.div_ceil(tiling.threads()) };
        let unknown = if self.has_unknown() { OF_UNKNOWN * problem.rank() as u64 } else { 0 };
        let fixed = ADDRESSES + OF_ACCESS * problem.accesses.len() as u64;
        let fixed = fixed.saturating_add(unknown).saturating_add(results);
        (fixed.saturating_add(least.max(copied)), fixed.saturating_add(most.max(copied)))
    }

    /// Whether some extent is not known.
    fn has_unknown(&self) -> bool {
        self.problem.has_dynamic_extents()
    }

    /// Whether a block copies its next parts while it computes with those before.
    fn is_ahead(&self, tiling: &Tiling) -> bool {
        self.device.copies_ahead && self.parts(tiling).all(|(view, _)| tiling.places(view.access.buffer) > 1)
    }

    /// How many elements longer a row of an input's part in shared memory is to be.
    pub(super) fn pad(&self, tiling: &Tiling, buffer: usize, padding: Padding) -> u64 {
        let mut views = self.views.iter().filter(|view| !view.access.is_output && view.access.buffer == buffer);
        let Some((view, row)) = views.next().and_then(|view| Some((view, view.row(tiling)?))) else { return 0 };
        let wide = self.widest(view);
        match padding {
            Padding::None => 0,
            Padding::Odd => 1 - row % 2,
            Padding::Aligned => row.next_multiple_of(wide) - row,
            Padding::Shifted => row.next_multiple_of(wide) - row + if row.div_ceil(wide) % 2 == 0 { wide } else { 0 },
        }
    }

    /// The most elements that one load or store of a thread moves.
    fn widest(&self, view: &View<'_>) -> u64 {
        (self.device.load_bytes / view.access.bytes).max(1)
    }

    /// What a search compares of a tiling; none if the device cannot run it, or it takes no fewer seconds than a limit.
    pub(super) fn estimate(&self, tiling: &Tiling, _limit: Option<f64>) -> Option<Estimate> {
        let Prediction { seconds, compute, .. } = self.predict(tiling, false)?;
        Some(Estimate { seconds, compute })
    }

    /// What is expected of a tiling; none if the device cannot run it. Limits may be left out of account.
    pub(super) fn predict(&self, tiling: &Tiling, anyway: bool) -> Option<Prediction> {
        let (problem, device) = (self.problem, self.device);
        let (threads, blocks) = (tiling.threads(), tiling.count(Place::Blocks));
        let unrolled = Unrolled::of(problem, &self.views, tiling);
        let reads = self.views.iter().map(|view| view.loads(problem, tiling, &unrolled, self.widest(view)));
        let reads: Vec<_> = reads.collect();
        let (shared_bytes, (needed, wanted)) =
            (self.shared_bytes(tiling), self.registers(tiling, &reads, unrolled.in_a_row));
        let warps = threads.div_ceil(device.warp);
        // Without a tile there is no choice: what has no register waits in memory.
        let tile = tiling.count(Place::Registers) as f64;
        let most_registers = device.registers_per_thread.min(device.registers_per_unit / threads.max(1));
        let tiled = if self.has_unknown() { TILED_UNKNOWN } else { TILED };
        let most_registers = (tiled * most_registers as f64) as u64;
        let registers = needed.max(wanted.min(most_registers));
        let registers = if tile > 1.0 { registers } else { registers.min(device.registers_per_thread) };
        let of_block = registers.next_multiple_of(8) * warps * device.warp;
        let fits = threads <= device.most_threads
            && shared_bytes <= device.shared_bytes.min(UNASKED)
            && (needed <= most_registers || tile <= 1.0)
            && (of_block <= device.registers_per_unit || threads <= device.warp);
        if !fits && !anyway {
            return None;
        }
        let limits = [
            device.most_blocks_per_unit,
            device.most_threads_per_unit / (warps * device.warp).min(device.most_threads_per_unit),
            device.registers_per_unit / of_block.max(1),
            device.shared_bytes_per_unit / shared_bytes.max(1),
        ];
        let per_unit = limits.into_iter().min().unwrap_or(1).max(1);
        let used = blocks.min(device.compute_units);
        let at_once = device.compute_units * per_unit;
        // The last blocks leave units without work.
        let waves = blocks as f64 / at_once as f64;
        let idle = if waves > 8.0 { 1.0 } else { blocks.div_ceil(used) as f64 / (blocks as f64 / used as f64) };
        let share = idle * device.compute_units as f64 / used as f64;
        let resident = per_unit.min(blocks.div_ceil(used)) as f64 * warps as f64;

        let loops = |places: &[Place]| places.iter().map(|place| tiling.count(*place) as f64).product::<f64>();
        let outer = loops(&[Place::Outer]);
        let iterations = outer * loops(&[Place::Inner]);
        let turns = unrolled.turns;
        let all_warps = blocks as f64 * warps as f64;
        let (mut loads, mut instructions) = (0.0, tile * (problem.slots.max(0.5) + problem.scalar_cycles));
        let mut from_l2 = 0.0;
        let mut waiting = 0.0;
        let l1 = device.shared_bytes_per_unit.saturating_sub(shared_bytes.saturating_mul(per_unit)) as f64;
        let resident_blocks = per_unit.min(blocks.div_ceil(used)) as f64;
        let at_a_time = [Place::Warps, Place::Threads, Place::Registers];
        let in_cache = self.touched(tiling, &at_a_time);
        for (view, read) in self.views.iter().zip(&reads) {
            let (access, values) = (view.access, read.elements as f64);
            let is_carried = unrolled.is_carried(view, tiling);
            let times = if access.is_output || is_carried { 1.0 } else { turns };
            let accesses = times * read.by_width.iter().map(|(_, count)| count).sum::<f64>();
            if !access.is_output && tiling.shared[access.buffer] {
                let conflicts = |&(width, count): &(u64, f64)| count * self.conflicts(view, tiling, width);
                loads += all_warps * times * read.by_width.iter().map(conflicts).sum::<f64>();
                instructions += accesses / iterations;
                continue;
            }
            let width = read.by_width.first().map_or(1, |(width, _)| *width);
            let sectors = self.sectors(view, tiling, width);
            // Loads of memory go through a slower pipe than those of shared memory.
            loads += all_warps * accesses * 2.0 * (sectors * SECTOR as f64 / WAVEFRONT).max(1.0);
            instructions += 2.0 * accesses / iterations;
            let requested = all_warps * accesses * sectors * SECTOR as f64;
            let of_blocks = blocks as f64 * view.touched(problem, tiling, &Place::ALL[1..]);
            from_l2 += match () {
                () if !view.access.is_first => 0.0,
                // What other threads have loaded may be gone from the cache of the unit.
                () if in_cache * resident_blocks > l1.max(16384.0) && !access.is_output => requested.max(of_blocks),
                () if requested > 1.5 * of_blocks => requested.min(2.0 * of_blocks),
                () => of_blocks,
            };
            if !access.is_output {
                waiting += values * access.bytes as f64 * if is_carried { 1.0 } else { UNROLLED.min(turns) };
            }
        }
        let mut copies = 0.0;
        for (view, bytes) in self.parts(tiling) {
            let access = view.access;
            let elements = bytes as f64 / access.bytes as f64;
            let width = view.copied(problem, tiling, self.widest(view));
            loads += blocks as f64 * outer * self.stores(view, tiling, width) * elements / (width * device.warp) as f64;
            let width = width as f64;
            let divisions = view.divisors(tiling).map(|by| if by.is_power_of_two() { SHIFT } else { DIVISION });
            let copy = COPY + divisions.sum::<f64>();
            copies += copy * (elements / width / threads as f64).ceil() + BARRIER / 2.0;
            from_l2 += blocks as f64 * outer * view.touched(problem, tiling, &Place::ALL[2..]);
            waiting += (bytes as f64 / threads as f64).max(access.bytes as f64);
        }
        let mut stalls = 0.0;
        if tiling.shared.contains(&true) {
            copies += BARRIER;
            // A block waits for what it copies, of parts in turn for the first ones only; others go on in the meantime.
            stalls = if self.is_ahead(tiling) { 1.0 } else { outer } * LATENCY * waves.ceil() / resident_blocks;
        }
        let mut per_thread = PROLOGUE + iterations * instructions + turns * ITERATION + outer * copies;
        per_thread += self.combining(tiling);
        let rate = SUSTAINED * device.operations * 1e9 / 2.0 / if problem.widest > 4 { 2.0 } else { 1.0 };
        // The instructions of a large tile wait for each other's operands.
        let independent = if tile <= 4.0 { tile } else { 2.0 * tile.min(16.0).sqrt() };
        // A warp that waits leaves its unit to the others, if there are some.
        let busy = (resident * independent / IN_FLIGHT).min(1.0) * resident / (resident + 1.0);
        let compute = all_warps * device.warp as f64 * per_thread / (rate * busy) * share + stalls;
        let shared = loads * WAVEFRONT / (device.shared_bandwidth * 1e9) * share;
        let l2 = from_l2 / (device.l2_bandwidth * 1e9) * (share / idle).max(1.0).min(share);
        let from_memory = self.memory_bytes(tiling, blocks.min(at_once), from_l2);
        let active = blocks.min(at_once) as f64 * threads as f64;
        let under_way = active * waiting.clamp(4.0, WAITING) / (device.memory_bandwidth * 1e9 * LATENCY);
        let memory = from_memory / (SUSTAINED * device.memory_bandwidth * 1e9 * under_way.min(1.0));
        let traffic = vec![
            Traffic { layer: "shared memory and L1", bytes: loads * WAVEFRONT, seconds: shared },
            Traffic { layer: "L2", bytes: from_l2, seconds: l2 },
            Traffic { layer: "memory", bytes: from_memory, seconds: memory },
        ];
        let combination = device.launch * 1e-6 + self.between_blocks(tiling);
        let slowest = traffic.iter().map(|traffic| traffic.seconds).fold(compute, f64::max);
        let sum = traffic.iter().map(|traffic| traffic.seconds).sum::<f64>() + compute;
        let seconds = slowest + EXPOSED * (sum - slowest) + combination;
        let launch = Launch { blocks, threads, registers, shared_bytes, per_unit, units: device.compute_units };
        Some(Prediction { seconds, compute, traffic, combination, packing: 0.0, launch: Some(launch) })
    }

    /// The bytes that some places touch of all buffers.
    fn touched(&self, tiling: &Tiling, places: &[Place]) -> f64 {
        let firsts = self.views.iter().filter(|view| view.access.is_first);
        firsts.map(|view| view.touched(self.problem, tiling, places)).sum()
    }

    /// How many transactions of memory one load of so many elements of each thread of the first warp needs.
    fn sectors(&self, view: &View<'_>, tiling: &Tiling, width: u64) -> f64 {
        let mut sectors = units(view.in_memory(tiling, self.device.warp), width * view.access.bytes, SECTOR);
        sectors.sort_unstable();
        sectors.dedup();
        sectors.len() as f64
    }

    /// How many turns one load of so many elements of each thread of the first warp from shared memory takes.
    fn conflicts(&self, view: &View<'_>, tiling: &Tiling, width: u64) -> f64 {
        turns(view.in_part(tiling, self.device.warp), width * view.access.bytes)
    }

    /// How many turns it takes a warp to copy so many neighbours in memory for each thread to shared memory.
    fn stores(&self, view: &View<'_>, tiling: &Tiling, width: u64) -> f64 {
        let bytes = view.access.bytes;
        let is_row = tiling.rows[view.access.buffer] + 1 == view.access.sizes.len();
        if is_row {
            return turns(view.stored(tiling, self.device.warp, width), width * bytes);
        }
        // What are no neighbours in shared memory are stored one by one.
        width as f64 * turns(view.stored(tiling, self.device.warp, width), bytes)
    }

    /// Instructions of a thread to combine what the threads of its block have.
    fn combining(&self, tiling: &Tiling) -> f64 {
        let problem = self.problem;
        let combined: u64 = (0..tiling.columns.len())
            .filter(|&d| !problem.concatenates(d))
            .map(|d| tiling.columns[d].covered(&[Place::Warps, Place::Threads]))
            .product();
        if combined < 2 {
            return 0.0;
        }
        let values = (0..tiling.columns.len()).filter(|&d| problem.keeps(d));
        let values: f64 = values.map(|d| tiling.columns[d].of(Place::Registers) as f64).product();
        let steps = f64::from(combined.next_power_of_two().ilog2());
        let across = if combined > self.device.warp { 4.0 * BARRIER } else { 0.0 };
        let values = values * problem.components as f64;
        values * steps * (SHUFFLE + problem.slots + problem.scalar_cycles) + across * values.sqrt()
    }

    /// Bytes of memory: what is used at all, or more where the blocks that run at a time do not find it in the second cache.
    fn memory_bytes(&self, tiling: &Tiling, at_once: u64, from_l2: f64) -> f64 {
        let all = self.touched(tiling, &Place::ALL);
        if all <= 0.7 * self.device.l2_bytes as f64 {
            return all;
        }
        // Blocks run in the order of the grid, x first.
        let mut together = tiling.clone();
        let mut rest = at_once;
        for &d in &tiling.grid {
            let parts = &mut together.columns[d].parts[Place::Blocks as usize];
            *parts = (*parts).min(rest.max(1));
            rest /= *parts;
        }
        let turns = tiling.count(Place::Blocks).div_ceil(together.count(Place::Blocks).max(1)) as f64;
        let again = self.touched(&together, &Place::ALL) * turns;
        again.min(from_l2).max(all)
    }

    /// Seconds of further kernels that combine what blocks have.
    fn between_blocks(&self, tiling: &Tiling) -> f64 {
        let (problem, device) = (self.problem, self.device);
        let rank = tiling.columns.len();
        let parts = |wanted: &dyn Fn(usize) -> bool| {
            let combined = (0..rank).filter(|&d| wanted(d));
            combined.map(|d| tiling.columns[d].of(Place::Blocks) as f64).product::<f64>()
        };
        let (reduced, scanned) = (parts(&|d| problem.reduces(d)), parts(&|d| problem.is_scan(d)));
        let results = (0..rank).filter(|&d| problem.keeps(d)).map(|d| problem.extent(d) as f64).product::<f64>();
        let bytes = results * problem.components as f64 * problem.widest as f64;
        let moved = |bytes: f64| bytes / (SUSTAINED * device.memory_bandwidth * 1e9);
        let mut seconds = 0.0;
        if reduced > 1.0 {
            seconds += device.launch * 1e-6 + moved(2.0 * bytes * reduced) + PARTIAL * reduced;
        }
        if scanned > 1.0 {
            let inputs =
                problem.accesses.iter().filter(|access| !access.is_output).map(|access| access.bytes).sum::<u64>();
            let again = if problem.reduces_before_scan { results * inputs as f64 } else { 2.0 * bytes };
            // A thread goes twice over its neighbours among the parts.
            let turns = 2.0 * (scanned / SCANNING as f64).ceil();
            seconds += 2.0 * device.launch * 1e-6 + moved(again) + turns * LATENCY / UNROLLED;
        }
        seconds
    }
}
