//! An analytic cost model for kernels: predicts the time of a tiling on a device.
//!
//! Instructions, loads and the bytes that blocks request from memory are counted for the first warp. The addresses of
//! its threads are examined one by one: which of them share a memory transaction (coalescing), and which share a bank
//! of shared memory (bank conflicts).
mod footprint;
mod kernel;
mod loads;
mod moved;

use super::{
    super::{
        climb::Estimate,
        cost::{Prediction, Traffic},
        problem::Problem,
    },
    tiling::{Tiling, TilingLevel},
};
use crate::{machine::device::Device, nest::gpu::scans::SCANNING};
use footprint::{AccessView, SECTOR};
use kernel::KernelEstimate;

/// Maximum number of bytes of a wavefront: one step of the load/store pipe of a unit, for a warp.
const WAVEFRONT: f64 = 128.0;
/// Latency of memory, in seconds.
const LATENCY: f64 = 6e-7;
/// Maximum number of bytes in flight per thread.
const MAX_BYTES_IN_FLIGHT: f64 = 64.0;
/// Number of iterations whose loads are in flight at a time.
const UNROLLED: f64 = 4.0;
/// Fraction of non-bottleneck time that does not overlap with the bottleneck.
const UNOVERLAPPED: f64 = 0.25;
/// Fraction of the nominal operation rate that a kernel attains.
const SUSTAINED: f64 = 0.85;
/// Fraction of the nominal memory bandwidth that a kernel attains.
const SUSTAINED_MEMORY: f64 = 0.92;
/// Factor on a lower bound of the time, which compensates for rounding of floating-point sums.
const ROUNDING_MARGIN: f64 = 1.0 - 1e-9;
/// Fraction of L2 that keeps data until it is used again.
const CACHED: f64 = 0.7;
/// Time between the starts of two blocks on a device, in seconds.
const BLOCK_START: f64 = 6.3e-10;
/// The time that memory takes to change a part of a sector, which it must read first, as a multiple of that for a whole
/// one.
const CHANGED_SECTOR: f64 = 10.0;
/// Time per block whose partial results another kernel combines, in seconds.
const PARTIAL_RESULT_TIME: f64 = 5e-10;

/// Row padding of shared-memory tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Padding {
    /// No padding.
    None,
    /// Rows have an odd number of elements, so that the elements of a column are in different banks.
    Odd,
    /// Rows start at multiples of a wide load.
    Aligned,
    /// Rows are an odd number of wide loads long: both, as far as wide loads allow.
    Shifted,
}

/// The inputs of the model that are the same for all tilings of a problem.
pub(super) struct DeviceModel<'a> {
    problem: &'a Problem,
    device: &'a Device,
    views: Vec<AccessView<'a>>,
}

impl<'a> DeviceModel<'a> {
    pub(super) fn new(problem: &'a Problem, device: &'a Device) -> Self {
        Self { problem, device, views: AccessView::all(problem) }
    }

    /// The number of elements to pad a row of an input's part in shared memory with.
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

    /// Maximum number of elements that one load or store of a thread moves.
    fn widest(&self, view: &AccessView<'_>) -> u64 {
        (self.device.load_bytes / view.access.bytes).max(1)
    }

    /// Returns the costs of a tiling that a search compares; `None` if the device cannot run it. May return `None` if
    /// it takes at least `limit` seconds.
    pub(super) fn estimate(&self, tiling: &Tiling, limit: Option<f64>) -> Option<Estimate> {
        let kernel = self.kernel(tiling, false)?;
        let compute = self.compute(&kernel);
        let used = self.used_bytes(tiling);
        let combination = self.combination(tiling);
        // Lower bound: all used bytes come from memory once, at full speed.
        let least = total(compute, [self.seconds_of_memory(used)]) + combination;
        if limit.is_some_and(|limit| ROUNDING_MARGIN * least >= limit) {
            return None;
        }
        let traffic = self.traffic(&kernel, used).map(|traffic| traffic.seconds);
        Some(Estimate { seconds: total(compute, traffic) + combination, compute })
    }

    /// Predicts the time of a tiling; `None` if the device cannot run it. `ignores_limits`: ignores the limits of the
    /// device.
    pub(super) fn predict(&self, tiling: &Tiling, ignores_limits: bool) -> Option<Prediction> {
        let kernel = self.kernel(tiling, ignores_limits)?;
        let compute = self.compute(&kernel);
        let traffic = self.traffic(&kernel, self.used_bytes(tiling));
        let combination = self.combination(tiling);
        let seconds = total(compute, traffic.each_ref().map(|traffic| traffic.seconds)) + combination;
        let (traffic, launch) = (traffic.into(), Some(kernel.launch));
        Some(Prediction { seconds, compute, traffic, combination, packing: 0.0, launch })
    }

    /// The traffic of each memory layer; `used` is the footprint of the computation in bytes.
    fn traffic(&self, kernel: &KernelEstimate<'_>, used: f64) -> [Traffic; 3] {
        let (device, moved) = (self.device, self.moved(kernel));
        let (idle_factor, tail_factor) = (kernel.idle_factor, kernel.tail_factor);
        let shared = moved.loads * WAVEFRONT / (device.shared_bandwidth * 1e9) * idle_factor;
        let l2 = moved.from_l2 / (device.l2_bandwidth * 1e9) * (idle_factor / tail_factor).max(1.0).min(idle_factor);
        let resident = kernel.launch.blocks.min(kernel.resident_limit);
        let from_memory = self.memory_bytes(kernel.tiling, resident, moved.from_l2, used)
            + self.views.iter().map(|view| self.changed_bytes(kernel, view, used)).sum::<f64>();
        let active = resident as f64 * kernel.launch.threads as f64;
        let under_way =
            active * moved.bytes_in_flight.clamp(4.0, MAX_BYTES_IN_FLIGHT) / (device.memory_bandwidth * 1e9 * LATENCY);
        let memory = from_memory / (SUSTAINED_MEMORY * device.memory_bandwidth * 1e9 * under_way.min(1.0));
        [
            Traffic { layer: "shared memory and L1", bytes: moved.loads * WAVEFRONT, seconds: shared },
            Traffic { layer: "L2", bytes: moved.from_l2, seconds: l2 },
            Traffic { layer: "memory", bytes: from_memory, seconds: memory },
        ]
    }

    /// Time to transfer bytes from or to memory at the sustained bandwidth, in seconds.
    fn seconds_of_memory(&self, bytes: f64) -> f64 {
        bytes / (SUSTAINED_MEMORY * self.device.memory_bandwidth * 1e9)
    }

    /// By dimension: the number of points that some levels cover.
    fn covered(&self, tiling: &Tiling, places: &[TilingLevel]) -> Vec<u64> {
        tiling.columns.iter().zip(self.problem.extents()).map(|(c, extent)| c.covered(places).min(extent)).collect()
    }

    /// The bytes of all buffers that these numbers of points of each dimension touch.
    fn touched(&self, covered: &[u64]) -> f64 {
        self.views.iter().filter(|view| view.access.is_first).map(|view| view.touched(covered)).sum()
    }

    /// The footprint of the computation in bytes.
    fn used_bytes(&self, tiling: &Tiling) -> f64 {
        self.touched(&self.covered(tiling, &TilingLevel::ALL))
    }

    /// Bytes that memory moves: the footprint `used` if it fits into L2. Otherwise each wave of `resident_limit` blocks
    /// reads its data again, unless L2 has it from the wave before that used it, but no more than the bytes that are
    /// requested from L2.
    fn memory_bytes(&self, tiling: &Tiling, resident_limit: u64, from_l2: f64, used: f64) -> f64 {
        let kept = CACHED * self.device.l2_bytes as f64;
        if used <= kept {
            return used;
        }
        // Blocks run in the order of the grid, x first.
        let mut covered = self.covered(tiling, &TilingLevel::ALL[1..]);
        let mut rest = resident_limit;
        let mut waves = vec![];
        for &d in &tiling.grid {
            let parts = tiling.columns[d].of(TilingLevel::Blocks);
            let together = parts.min(rest.max(1));
            rest /= together;
            covered[d] = covered[d].saturating_mul(together).min(self.problem.extent(d));
            waves.push((d, parts.div_ceil(together) as f64));
        }
        let all = self.covered(tiling, &TilingLevel::ALL);
        let views = self.views.iter().filter(|view| view.access.is_first);
        let mut bytes: Vec<_> = views.clone().map(|view| view.touched(&all)).collect();
        for (d, waves) in waves {
            // Between two waves that use the same data are those of the dimensions before.
            if self.touched(&covered) > kept {
                let again = bytes.iter_mut().zip(views.clone()).filter(|(_, view)| !view.access.depends_on(d));
                again.for_each(|(bytes, _)| *bytes *= waves);
            }
            covered[d] = all[d];
        }
        bytes.into_iter().sum::<f64>().min(from_l2).max(used)
    }

    /// Additional bytes of memory traffic for the sectors of an output that several blocks write at different times.
    fn changed_bytes(&self, kernel: &KernelEstimate<'_>, view: &AccessView<'_>, used: f64) -> f64 {
        let tiling = kernel.tiling;
        if !view.access.is_output || used <= CACHED * self.device.l2_bytes as f64 {
            return 0.0;
        }
        let Some((run, divided, apart)) = view.run(&self.covered(tiling, &TilingLevel::ALL[1..]), self.problem) else {
            return 0.0;
        };
        // The neighbors along the first dimensions of the grid run at the same time.
        let before =
            tiling.grid.iter().take_while(|d| **d != divided).map(|d| tiling.columns[*d].of(TilingLevel::Blocks));
        if before.fold(1u64, u64::saturating_mul) < kernel.resident_limit {
            return 0.0;
        }
        let whole = apart.min(SECTOR) as f64 / SECTOR as f64;
        let written: f64 = view.touched(&self.covered(tiling, &TilingLevel::ALL));
        written / run as f64 * 2.0 * (1.0 - whole) * CHANGED_SECTOR * SECTOR as f64
    }

    /// Time to launch kernels and to combine the results of blocks, in seconds.
    fn combination(&self, tiling: &Tiling) -> f64 {
        self.device.launch * 1e-6 + self.between_blocks(tiling)
    }

    /// Time of further kernels that combine the results of blocks, in seconds.
    fn between_blocks(&self, tiling: &Tiling) -> f64 {
        let (problem, device) = (self.problem, self.device);
        let rank = tiling.columns.len();
        let parts = |wanted: &dyn Fn(usize) -> bool| {
            let combined = (0..rank).filter(|&d| wanted(d));
            combined.map(|d| tiling.columns[d].of(TilingLevel::Blocks) as f64).product::<f64>()
        };
        let (reduced, scanned) = (parts(&|d| problem.reduces(d)), parts(&|d| problem.is_scan(d)));
        let results = (0..rank).filter(|&d| problem.keeps(d)).map(|d| problem.extent(d) as f64).product::<f64>();
        let bytes = results * problem.components as f64 * problem.widest as f64;
        let mut seconds = 0.0;
        if reduced > 1.0 {
            seconds +=
                device.launch * 1e-6 + self.seconds_of_memory(2.0 * bytes * reduced) + PARTIAL_RESULT_TIME * reduced;
        }
        if scanned > 1.0 {
            let inputs =
                problem.accesses.iter().filter(|access| !access.is_output).map(|access| access.bytes).sum::<u64>();
            let again = if problem.reduces_before_scan { results * inputs as f64 } else { 2.0 * bytes };
            // Each thread traverses its consecutive parts twice.
            let turns = 2.0 * (scanned / SCANNING as f64).ceil();
            seconds += 2.0 * device.launch * 1e-6 + self.seconds_of_memory(again) + turns * LATENCY / UNROLLED;
        }
        seconds
    }
}

/// Total time of compute and of the transfers of each memory layer in seconds; most of them overlap.
fn total<const LAYERS: usize>(compute: f64, traffic: [f64; LAYERS]) -> f64 {
    let slowest = traffic.into_iter().fold(compute, f64::max);
    let sum = traffic.into_iter().sum::<f64>() + compute;
    slowest + UNOVERLAPPED * (sum - slowest)
}
