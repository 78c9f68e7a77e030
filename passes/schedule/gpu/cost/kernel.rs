//! The resources of a kernel on a device, and the time of its instructions.
use super::{
    super::{
        super::cost::Launch,
        tiling::{Tiling, TilingLevel},
    },
    BLOCK_START, DeviceModel, SUSTAINED,
    footprint::AccessView,
    loads::{Loads, Unrolled},
};
use crate::target::limits::{MANY_VALUES, OTHER_REGISTERS};

/// Maximum bytes of shared memory per block in default schedules. Larger parts have not been measured.
const MEASURED_SHARED: u64 = 100 << 10;
/// The same if an extent is dynamic: copies of large parts of unknown sizes take many registers.
const MEASURED_SHARED_DYNAMIC: u64 = 48 << 10;
/// Registers per thread for addresses and counters.
const ADDRESSES: u64 = 24;
/// Additional registers per thread for each access.
const ACCESS_REGISTERS: u64 = 2;
/// Maximum fraction of the registers of a thread that a tile may take: the scalar function needs some, too.
const TILE_REGISTERS: f64 = 0.75;
/// The fraction of [`TILE_REGISTERS`] if an extent is dynamic.
const TILE_REGISTERS_DYNAMIC: f64 = 0.5;
/// Registers per dimension for bounds and strides if an extent is dynamic.
const DYNAMIC_REGISTERS: u64 = 8;
/// Instructions at the start of a thread.
const PROLOGUE: f64 = 20.0;
/// Instructions of a load from or a store to global memory, with its address.
const GLOBAL_ACCESS: f64 = 3.0;
/// Overhead of an iteration of an unrolled loop, in instructions.
const ITERATION: f64 = 1.5;
/// Instructions that copy a group of adjacent elements.
const COPY: f64 = 5.0;
/// Instructions of a division by a power of two that computes which elements to copy.
const SHIFT: f64 = 2.0;
/// Instructions of a division by another number that computes which elements to copy.
const DIVISION: f64 = 14.0;
/// Cost of a barrier, in instructions that all threads wait for.
const BARRIER: f64 = 30.0;
/// Slowdown if the only block of a unit waits at barriers; with more blocks, others continue.
const WAITING: f64 = 0.15;
/// Instructions of a step of a reduction within a warp.
const SHUFFLE: f64 = 4.0;
/// Latency of a copy to shared memory, mostly from L2, in seconds.
const COPY_LATENCY: f64 = 4e-7;
/// Latency of loads from L2, in seconds.
const L2_LATENCY: f64 = 2.5e-7;
/// Number of registers of a thread with which few warps are resident, and loads wait for registers.
const MANY_REGISTERS: f64 = 128.0;
/// Slowdown of a thread that needs twice as many registers.
const PRESSURE: f64 = 0.35;
/// Number of independent instructions of its warps that keep a unit busy.
const IN_FLIGHT: f64 = 32.0;

/// A tiling on a device.
pub(super) struct KernelEstimate<'a> {
    pub(super) tiling: &'a Tiling,
    pub(super) launch: Launch,
    /// The iterations that a thread computes at once.
    pub(super) unrolled: Unrolled,
    /// By view: the elements that a thread reads for the unrolled iterations.
    pub(super) reads: Vec<Loads>,
    /// The parts that are copied to shared memory, with their bytes.
    pub(super) parts: Vec<(&'a AccessView<'a>, u64)>,
    /// Slowdown because few registers are left to load values ahead.
    pressure: f64,
    /// True if a block copies its next parts while it computes with the current ones.
    is_double_buffered: bool,
    /// Warps per block.
    warps: u64,
    /// Warps of all blocks.
    pub(super) all_warps: f64,
    /// Resident blocks on the device at a time.
    pub(super) resident_limit: u64,
    /// Resident blocks per unit at a time.
    pub(super) resident_blocks: f64,
    /// Slowdown because the last blocks leave units idle.
    pub(super) tail_factor: f64,
    /// Slowdown because units are idle: `tail_factor`, times the ratio of all units to units with blocks.
    pub(super) idle_factor: f64,
    /// Trip count of all loops around copies to shared memory.
    pub(super) outer: f64,
    /// Trip count of all loops around the values in registers.
    pub(super) iterations: f64,
}

impl DeviceModel<'_> {
    /// Returns false if the nest of a tiling would have other loops than the tiling.
    fn is_possible(&self, tiling: &Tiling) -> bool {
        let is_scan = |d| self.problem.is_scan(d);
        // The host would iterate over the parts of the scan, and launch a reduction across blocks for each.
        let is_nested = tiling.splits(is_scan, &[TilingLevel::Blocks])
            && tiling.splits(|d| self.problem.reduces(d), &[TilingLevel::Blocks]);
        // Levels of registers are hoisted out of scans within a block, which cannot be jammed into them.
        let is_tiled_around_scan = tiling.splits(|d| self.problem.concatenates(d), &[TilingLevel::Registers])
            && tiling.splits(is_scan, &TilingLevel::ALL[1..]);
        !is_nested && !is_tiled_around_scan
    }

    /// Returns the kernel of a tiling, with the resources of the device that it takes; `None` if they exceed the limits
    /// of the device, unless `ignores_limits`.
    pub(super) fn kernel<'a>(&'a self, tiling: &'a Tiling, ignores_limits: bool) -> Option<KernelEstimate<'a>> {
        let (problem, device) = (self.problem, self.device);
        if !ignores_limits && !self.is_possible(tiling) {
            return None;
        }
        let (threads, blocks) = (tiling.threads(), tiling.count(TilingLevel::Blocks));
        let unrolled = Unrolled::of(problem, &self.views, tiling);
        let reads = self.views.iter().map(|view| view.loads(problem, tiling, &unrolled, self.widest(view)));
        let (reads, parts): (Vec<_>, _) = (reads.collect(), self.parts(tiling));
        let is_double_buffered =
            device.copies_ahead && parts.iter().all(|(view, _)| tiling.slots(view.access.buffer) > 1);
        let copied = if is_double_buffered { &[] } else { parts.as_slice() };
        let (needed, wanted) = self.registers(tiling, &reads, copied, unrolled.straight_line_repetitions);
        let shared_bytes = self.shared_bytes(tiling, &parts);
        let warps = threads.div_ceil(device.warp);
        // Without a tile there is no alternative: values without a register are spilled to memory.
        let is_tiled = tiling.count(TilingLevel::Registers) > 1;
        let most_registers = device.registers_per_thread.min(device.registers_per_unit / threads.max(1));
        let tiled = if problem.has_dynamic_extents() { TILE_REGISTERS_DYNAMIC } else { TILE_REGISTERS };
        let most_registers = (tiled * most_registers as f64) as u64;
        let registers = needed.max(wanted.min(most_registers));
        let registers = if is_tiled { registers } else { registers.min(device.registers_per_thread) };
        let of_block = registers.next_multiple_of(8) * warps * device.warp;
        let most_shared = if problem.has_dynamic_extents() { MEASURED_SHARED_DYNAMIC } else { MEASURED_SHARED };
        let fits = threads <= device.most_threads
            && shared_bytes <= device.shared_bytes.min(most_shared)
            && (needed <= most_registers || !is_tiled)
            && (of_block <= device.registers_per_unit || threads <= device.warp);
        if !fits && !ignores_limits {
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
        let resident_limit = device.compute_units * per_unit;
        // The last blocks leave units idle.
        let waves = blocks as f64 / resident_limit as f64;
        let tail_factor = if waves > 8.0 { 1.0 } else { blocks.div_ceil(used) as f64 / (blocks as f64 / used as f64) };
        let outer = tiling.count(TilingLevel::Outer) as f64;
        Some(KernelEstimate {
            tiling,
            launch: Launch { blocks, threads, registers, shared_bytes, per_unit, units: device.compute_units },
            unrolled,
            reads,
            parts,
            pressure: 1.0 + PRESSURE * (needed as f64 / MANY_REGISTERS - 1.0).max(0.0),
            is_double_buffered,
            warps,
            all_warps: blocks as f64 * warps as f64,
            resident_limit,
            resident_blocks: per_unit.min(blocks.div_ceil(used)) as f64,
            tail_factor,
            idle_factor: tail_factor * device.compute_units as f64 / used as f64,
            outer,
            iterations: outer * tiling.count(TilingLevel::Inner) as f64,
        })
    }

    /// The parts that are copied to shared memory, with their bytes.
    fn parts(&self, tiling: &Tiling) -> Vec<(&AccessView<'_>, u64)> {
        let is_copied = |view: &&AccessView<'_>| {
            view.access.is_first && !view.access.is_output && tiling.shared[view.access.buffer]
        };
        self.views.iter().filter(is_copied).map(|view| (view, view.bytes_of_part(tiling))).collect()
    }

    /// The number of elements that a thread copies to shared memory at a time. Asynchronous copies of a transposed part
    /// move one by one what is not adjacent there.
    pub(super) fn copied(&self, view: &AccessView<'_>, tiling: &Tiling) -> u64 {
        let is_asynchronous = self.device.copies_ahead && tiling.slots(view.access.buffer) > 1;
        let most = if is_asynchronous && !view.has_rows_in_order(tiling) { 1 } else { self.widest(view) };
        view.copied(self.problem, tiling, most)
    }

    /// Bytes of shared memory per block: parts of inputs, and values that threads combine.
    fn shared_bytes(&self, tiling: &Tiling, parts: &[(&AccessView<'_>, u64)]) -> u64 {
        let slots = |(view, bytes): &(&AccessView<'_>, u64)| bytes.saturating_mul(tiling.slots(view.access.buffer));
        let parts = parts.iter().map(slots).fold(0u64, u64::saturating_add);
        let combines = |level| tiling.splits(|d| !self.problem.concatenates(d), &[level]);
        // One value per thread if results are combined across warps.
        let is_wide =
            combines(TilingLevel::Warps) || (combines(TilingLevel::Threads) && tiling.threads() > self.device.warp);
        let tuple = self.problem.components as u64 * self.problem.widest;
        parts.saturating_add(if is_wide { tiling.threads().saturating_mul(tuple) } else { 0 })
    }

    /// The number of registers that a thread needs at least, and the number that it has a use for. `reads`: the
    /// elements of each view that it reads at once. `straight_line_repetitions`: how often it does so without a loop.
    /// `copied`: the parts that it copies through registers, not asynchronously.
    fn registers(
        &self,
        tiling: &Tiling,
        reads: &[Loads],
        copied: &[(&AccessView<'_>, u64)],
        straight_line_repetitions: u64,
    ) -> (u64, u64) {
        let problem = self.problem;
        let words = |bytes: u64| bytes.div_ceil(4);
        let kept = (0..tiling.columns.len()).filter(|&d| problem.keeps(d));
        let results = kept.fold(problem.components as u64 * words(problem.widest), |results, d| {
            results.saturating_mul(tiling.columns[d].of(TilingLevel::Registers))
        });
        let operands = |count: &dyn Fn(&AccessView<'_>, &Loads) -> u64| {
            let inputs = self.views.iter().zip(reads).filter(|(view, _)| !view.access.is_output);
            let words = inputs.map(|(view, loads)| count(view, loads).saturating_mul(words(view.access.bytes)));
            words.fold(0u64, u64::saturating_add)
        };
        // Elements that are read for several iterations at once stay in registers until the last of these iterations.
        let read = |view: &AccessView<'_>, loads: &Loads| view.values(tiling).saturating_mul(loads.ahead);
        // Elements that windows share stay in registers, and the assembler hoists all loads from global memory of a
        // fully unrolled reduction to its start.
        let wanted = |view: &AccessView<'_>, loads: &Loads| match tiling.shared[view.access.buffer] {
            false => loads.elements.saturating_mul(straight_line_repetitions),
            true if view.has_overlaps() => loads.elements,
            true => 0,
        };
        let (least, most) = (operands(&read), operands(&|view, loads| read(view, loads).max(wanted(view, loads))));
        let copied = copied.iter().map(|(_, bytes)| words(*bytes)).fold(0u64, u64::saturating_add);
        let copied = copied.div_ceil(tiling.threads());
        let unknown = if problem.has_dynamic_extents() { DYNAMIC_REGISTERS * problem.rank() as u64 } else { 0 };
        let fixed = ADDRESSES + ACCESS_REGISTERS * problem.accesses.len() as u64;
        let fixed = fixed.saturating_add(unknown).saturating_add(results);
        let taken = if results >= MANY_VALUES { results.saturating_add(OTHER_REGISTERS) } else { 0 };
        (fixed.saturating_add(least.max(copied)), fixed.saturating_add(most.max(copied)).max(taken))
    }

    /// Time of arithmetic and instructions in seconds.
    pub(super) fn compute(&self, kernel: &KernelEstimate<'_>) -> f64 {
        let (problem, device, tiling) = (self.problem, self.device, kernel.tiling);
        let Launch { blocks, threads, .. } = kernel.launch;
        let (turns, outer) = (kernel.unrolled.turns, kernel.outer);
        let tile = tiling.count(TilingLevel::Registers) as f64;
        let mut instructions = tile * (problem.slots.max(0.5) + problem.scalar_cycles);
        for (view, read) in self.views.iter().zip(&kernel.reads) {
            let accesses = kernel.accesses(view, read);
            let is_shared = !view.access.is_output && tiling.shared[view.access.buffer];
            instructions += if is_shared { accesses } else { GLOBAL_ACCESS * accesses } / kernel.iterations;
        }
        let mut copies = 0.0;
        for (view, bytes) in &kernel.parts {
            let elements = *bytes as f64 / view.access.bytes as f64;
            let width = self.copied(view, tiling) as f64;
            let divisions = view.divisors(tiling).map(|by| if by.is_power_of_two() { SHIFT } else { DIVISION });
            let copy = COPY + divisions.sum::<f64>();
            copies += copy * (elements / width / threads as f64).ceil() + BARRIER / 2.0;
        }
        // Nothing overlaps the copy of the first parts.
        let parts: f64 = kernel.parts.iter().map(|(_, bytes)| *bytes as f64).sum();
        let first = parts * kernel.resident_blocks * device.compute_units as f64 / (device.l2_bandwidth * 1e9);
        let (mut stalls, mut waiting) = (0.0, 1.0);
        if tiling.shared.contains(&true) {
            copies += BARRIER;
            waiting += WAITING / kernel.resident_blocks;
            // A block waits for each copy, or with double buffering for the first one only; other blocks continue
            // meanwhile.
            let waves = blocks as f64 / kernel.resident_limit as f64;
            stalls = match kernel.is_double_buffered {
                true => waves.ceil() * (COPY_LATENCY / kernel.resident_blocks + first),
                false => waves.ceil() * outer * COPY_LATENCY / kernel.resident_blocks,
            };
        }
        let mut per_thread =
            PROLOGUE + kernel.pressure * kernel.iterations * instructions + turns * ITERATION + outer * copies;
        per_thread += self.combining(tiling);
        let rate = SUSTAINED * device.operations * 1e9 / 2.0 / if problem.widest > 4 { 2.0 } else { 1.0 };
        // The instructions of a large tile wait for each other's operands.
        let independent = if tile <= 4.0 { tile } else { 2.0 * tile.min(16.0).sqrt() };
        // While a warp waits, its unit executes the other resident warps, if any.
        let resident = kernel.resident_blocks * kernel.warps as f64;
        let busy = (resident * independent / IN_FLIGHT).min(1.0) * resident / (resident + 1.0);
        let issued =
            kernel.all_warps * device.warp as f64 * per_thread * waiting / (rate * busy) * kernel.idle_factor + stalls;
        issued.max(self.latency(kernel)).max(blocks as f64 * BLOCK_START)
    }

    /// The time in which the loads of a thread from global memory follow each other, iteration by iteration.
    fn latency(&self, kernel: &KernelEstimate<'_>) -> f64 {
        let loads = |view: &AccessView<'_>| {
            !view.access.is_output
                && !kernel.tiling.shared[view.access.buffer]
                && !kernel.unrolled.is_carried(view, kernel.tiling)
        };
        if !self.views.iter().any(loads) {
            return 0.0;
        }
        let waves = (kernel.launch.blocks as f64 / kernel.resident_limit as f64).ceil();
        waves * kernel.unrolled.turns / kernel.unrolled.straight_line_repetitions as f64 * L2_LATENCY
    }

    /// Instructions of a thread to combine the results of the threads of its block.
    fn combining(&self, tiling: &Tiling) -> f64 {
        let problem = self.problem;
        let combined: u64 = (0..tiling.columns.len())
            .filter(|&d| !problem.concatenates(d))
            .map(|d| tiling.columns[d].covered(&[TilingLevel::Warps, TilingLevel::Threads]))
            .product();
        if combined < 2 {
            return 0.0;
        }
        let values = (0..tiling.columns.len()).filter(|&d| problem.keeps(d));
        let values: f64 = values.map(|d| tiling.columns[d].of(TilingLevel::Registers) as f64).product();
        let steps = f64::from(combined.next_power_of_two().ilog2());
        let across = if combined > self.device.warp { 4.0 * BARRIER } else { 0.0 };
        let values = values * problem.components as f64;
        values * steps * (SHUFFLE + problem.slots + problem.scalar_cycles) + across * values.sqrt()
    }
}

impl KernelEstimate<'_> {
    /// The number of times that a thread repeats its reads or writes of a view.
    pub(super) fn times(&self, view: &AccessView<'_>) -> f64 {
        let is_once = view.access.is_output || self.unrolled.is_carried(view, self.tiling);
        if is_once { 1.0 } else { self.unrolled.turns }
    }

    /// Number of loads or stores of a thread.
    pub(super) fn accesses(&self, view: &AccessView<'_>, read: &Loads) -> f64 {
        self.times(view) * read.by_width.iter().map(|(_, count)| count).sum::<f64>()
    }
}
