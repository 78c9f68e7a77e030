//! Data movement of a kernel: through the load/store pipes of its units, and from L2. The addresses of the first warp
//! are examined one by one.
use super::{
    super::tiling::{Tiling, TilingLevel},
    DeviceModel, UNROLLED,
    footprint::{AccessView, SECTOR},
    kernel::KernelEstimate,
};

/// Number of banks of shared memory.
const BANKS: u64 = 32;
/// Bytes of a cache line.
const LINE: u64 = 128;
/// The time of an access to a cache line, as a multiple of that of a wavefront of shared memory.
const GLOBAL_WAVEFRONT: f64 = 1.3;
/// Bytes of a bank.
const BANK: u64 = 4;
/// The time that L2 takes to write a part of a sector, as a multiple of that for a whole one.
const PARTIAL_SECTOR: f64 = 2.5;
/// Bytes that are assumed of the L1 cache of a unit at least.
const LEAST_CACHE: f64 = 16384.0;

/// The data movement of a kernel.
pub(super) struct DataMovement {
    /// Wavefronts of the pipes that load and store: the steps that their accesses are split into.
    pub(super) loads: f64,
    /// Bytes that units request from L2.
    pub(super) from_l2: f64,
    /// Bytes in flight per thread.
    pub(super) bytes_in_flight: f64,
}

/// Returns the sorted indices of the units of `UNIT` bytes that accesses of `bytes` bytes at these addresses touch.
fn units<const UNIT: u64>(addresses: &[i64], bytes: u64) -> Vec<i64> {
    let mut units = Vec::with_capacity(2 * addresses.len());
    for address in addresses {
        let last = address.saturating_add(bytes as i64 - 1);
        let (first, last) = (address.div_euclid(UNIT as i64), last.div_euclid(UNIT as i64));
        // Adjacent threads touch the same units most of the time.
        let known = units.last().copied();
        units.extend((first..=last).filter(|unit| Some(*unit) != known));
    }
    units.sort_unstable();
    units.dedup();
    units
}

/// The number of wavefronts that accesses of `bytes` bytes to shared memory at these addresses take. A wavefront serves
/// the threads that access 128 bytes together, or twice as many if each thread has a neighbor with the same address; bank
/// conflicts serialize them.
fn wavefronts(addresses: &[i64], bytes: u64) -> f64 {
    let is_paired = |distance: usize| (0..addresses.len()).all(|i| addresses.get(i ^ distance) == Some(&addresses[i]));
    let words = bytes.div_ceil(BANK).next_power_of_two().min(BANKS);
    let paired = if words > 1 && (is_paired(1) || is_paired(2)) { 2 } else { 1 };
    addresses.chunks((paired * BANKS / words) as usize).map(|together| conflicts(together, bytes)).sum::<f64>().max(1.0)
}

/// The maximum number of words of a bank that accesses of `bytes` bytes at these addresses touch.
fn conflicts(addresses: &[i64], bytes: u64) -> f64 {
    let mut wavefronts = [0u32; BANKS as usize];
    let words = units::<BANK>(addresses, bytes);
    words.iter().for_each(|word| wavefronts[word.rem_euclid(BANKS as i64) as usize] += 1);
    f64::from(wavefronts.into_iter().max().unwrap_or(1))
}

/// The bytes that a store of `bytes` bytes at each of these addresses takes the time of: those of the sectors that it
/// writes. L2 merges a sector that is written in part with what it has.
fn written(addresses: &[i64], bytes: u64) -> f64 {
    // Vectors are aligned, and the smallest accesses have a byte.
    let step = bytes.clamp(1, SECTOR);
    let mut pieces: Vec<_> = addresses
        .iter()
        .flat_map(|first| (0..bytes / step).map(move |piece| first.saturating_add((piece * step) as i64)))
        .collect();
    pieces.sort_unstable();
    pieces.dedup();
    let cost = |together: &[i64]| if together.len() as u64 * step < SECTOR { PARTIAL_SECTOR } else { 1.0 };
    pieces.chunk_by(|a, b| a.div_euclid(SECTOR as i64) == b.div_euclid(SECTOR as i64)).map(cost).sum::<f64>()
        * SECTOR as f64
}

/// The mean over the positions of the first address within a sector, which are multiples of `apart` bytes.
fn mean_over_positions(apart: u64, cost: impl Fn(i64) -> f64) -> f64 {
    let positions: Vec<_> = (0..SECTOR).step_by(apart.clamp(1, SECTOR) as usize).collect();
    positions.iter().map(|position| cost(*position as i64)).sum::<f64>() / positions.len() as f64
}

impl DeviceModel<'_> {
    /// Returns the data movement of a kernel.
    pub(super) fn moved(&self, kernel: &KernelEstimate<'_>) -> DataMovement {
        let (device, tiling, launch) = (self.device, kernel.tiling, &kernel.launch);
        let (blocks, all_warps) = (launch.blocks as f64, kernel.all_warps);
        let mut moved = DataMovement { loads: 0.0, from_l2: 0.0, bytes_in_flight: 0.0 };
        let l1 = device.shared_bytes_per_unit.saturating_sub(launch.shared_bytes.saturating_mul(launch.per_unit));
        let in_cache =
            self.touched(&self.covered(tiling, &[TilingLevel::Warps, TilingLevel::Threads, TilingLevel::Registers]));
        let is_cached = in_cache * kernel.resident_blocks <= (l1 as f64).max(LEAST_CACHE);
        let of_block = self.covered(tiling, &TilingLevel::ALL[1..]);
        for (view, read) in self.views.iter().zip(&kernel.reads) {
            let access = view.access;
            if !access.is_output && tiling.shared[access.buffer] {
                let conflicts = |&(width, count): &(u64, f64)| count * self.conflicts(view, tiling, width);
                moved.loads += all_warps * kernel.times(view) * read.by_width.iter().map(conflicts).sum::<f64>();
                continue;
            }
            let width = read.by_width.first().map_or(1, |(width, _)| *width);
            let (accesses, bytes) = (kernel.accesses(view, read), width * access.bytes);
            let addresses = view.in_memory(tiling, device.warp);
            // Loads from memory go through a slower pipe than loads from shared memory, line by line.
            moved.loads += all_warps * accesses * GLOBAL_WAVEFRONT * units::<LINE>(&addresses, bytes).len() as f64;
            let requested = all_warps * accesses * units::<SECTOR>(&addresses, bytes).len() as f64 * SECTOR as f64;
            let of_blocks = blocks * view.touched(&of_block);
            moved.from_l2 += match () {
                () if access.is_output => {
                    let moved = |by: i64| addresses.iter().map(|first| first.saturating_add(by)).collect::<Vec<_>>();
                    let cost = |by: i64| written(&moved(by), bytes);
                    all_warps * accesses * mean_over_positions(view.apart(tiling).max(bytes), cost)
                }
                () if !access.is_first => 0.0,
                // Data that other threads have loaded may be evicted from the first cache of the unit.
                () if !is_cached => requested.max(of_blocks),
                () if requested > 1.5 * of_blocks => requested.min(2.0 * of_blocks),
                () => of_blocks,
            };
            if !access.is_output {
                let is_carried = kernel.unrolled.is_carried(view, tiling);
                let at_a_time = if is_carried { 1.0 } else { UNROLLED.min(kernel.unrolled.turns) };
                moved.bytes_in_flight += read.elements as f64 * access.bytes as f64 * at_a_time;
            }
        }
        let of_part = self.covered(tiling, &TilingLevel::ALL[2..]);
        for (view, bytes) in &kernel.parts {
            let (bytes, of_element) = (*bytes as f64, view.access.bytes as f64);
            let width = self.copied(view, tiling);
            let stored = blocks * kernel.outer * self.stores(view, tiling, width) * (bytes / of_element);
            moved.loads += stored / (width * device.warp) as f64;
            moved.from_l2 += blocks * kernel.outer * view.touched(&of_part);
            moved.bytes_in_flight += (bytes / launch.threads as f64).max(of_element);
        }
        moved
    }

    /// The number of wavefronts for one load of `width` elements by each thread of the first warp from shared memory.
    fn conflicts(&self, view: &AccessView<'_>, tiling: &Tiling, width: u64) -> f64 {
        wavefronts(&view.in_part(tiling, self.device.warp), width * view.access.bytes)
    }

    /// The number of wavefronts in which a warp copies `width` adjacent elements of memory per thread to shared memory.
    fn stores(&self, view: &AccessView<'_>, tiling: &Tiling, width: u64) -> f64 {
        let bytes = view.access.bytes;
        if view.has_rows_in_order(tiling) {
            return wavefronts(&view.stored(tiling, self.device.warp, width), width * bytes);
        }
        // Elements that are not adjacent in shared memory are stored one by one.
        width as f64 * wavefronts(&view.stored(tiling, self.device.warp, width), bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The addresses of 32 threads.
    fn warp(address: impl Fn(i64) -> i64) -> Vec<i64> {
        (0..32).map(address).collect()
    }

    #[test]
    fn wide_loads_take_a_wavefront_for_128_bytes() {
        assert_eq!(wavefronts(&warp(|thread| 4 * thread), 4), 1.0);
        assert_eq!(wavefronts(&warp(|thread| 16 * thread), 16), 4.0);
        // Eight threads load the same: two of them are served at a time.
        assert_eq!(wavefronts(&warp(|thread| 16 * (thread / 8)), 16), 2.0);
        assert_eq!(wavefronts(&warp(|_| 0), 4), 1.0);
        // All elements of a column, and every other vector, are in the same banks.
        assert_eq!(wavefronts(&warp(|thread| 128 * thread), 4), 32.0);
        assert_eq!(wavefronts(&warp(|thread| 32 * thread), 16), 8.0);
    }

    #[test]
    fn parts_of_sectors_take_longer_than_sectors() {
        let sector = SECTOR as f64;
        assert_eq!(written(&warp(|thread| 4 * thread), 4), 4.0 * sector);
        assert_eq!(written(&warp(|thread| 16 * thread), 16), 16.0 * sector);
        assert_eq!(written(&warp(|thread| 80 * thread), 4), 32.0 * PARTIAL_SECTOR * sector);
        assert_eq!(written(&[0, 0, 0], 32), sector);
        // A run that starts in the middle of a sector ends in one.
        assert_eq!(written(&warp(|thread| 16 + 4 * thread), 4), (3.0 + 2.0 * PARTIAL_SECTOR) * sector);
        assert_eq!(mean_over_positions(16, |position| position as f64), 8.0);
        assert_eq!(mean_over_positions(32, |position| position as f64), 0.0);
    }
}
