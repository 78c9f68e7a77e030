//! Footprints: the elements of a buffer that some levels of a tiling touch, and their addresses.
use super::super::{
    super::problem::{BufferAccess, Problem},
    tiling::{Tiling, TilingLevel},
};
use crate::{analysis::index::Group, nest::address::padded};

/// Bytes of a sector, the smallest memory transaction.
pub(super) const SECTOR: u64 = 32;

/// The levels whose indices vary within a part in shared memory, which the threads of a block share.
const OF_PART: [TilingLevel; 4] =
    [TilingLevel::Inner, TilingLevel::Registers, TilingLevel::Warps, TilingLevel::Threads];

/// An access, with its properties that are the same for all tilings.
pub(super) struct AccessView<'a> {
    pub(super) access: &'a BufferAccess,
    /// By dimension: the signed distance in memory, in elements, of consecutive indices.
    pub(super) strides: Vec<i64>,
    /// The group of accesses that share their footprint.
    group: &'a Group,
    /// The number of accesses of the group that differ in more than the last index.
    rows: usize,
}

impl<'a> AccessView<'a> {
    /// Returns the views of all accesses.
    pub(super) fn all(problem: &'a Problem) -> Vec<Self> {
        let view = |access: &'a BufferAccess| {
            let strides = (0..problem.rank()).map(|d| access.map.step(d, &access.sizes)).collect();
            let group = &problem.groups[access.group];
            let mut rows: Vec<_> = group.accesses().iter().map(|access| access.origins().split_last()).collect();
            rows.iter_mut().flatten().for_each(|(last, _)| *last = &0);
            rows.sort_unstable();
            rows.dedup();
            AccessView { access, strides, group, rows: rows.len() }
        };
        problem.accesses.iter().map(view).collect()
    }

    fn rank(&self) -> usize {
        self.group.rank()
    }

    /// The size of the buffer along an axis.
    fn size(&self, axis: usize) -> u64 {
        self.access.sizes[axis].max(1)
    }

    /// The dimension of an axis along which consecutive indices are consecutive elements, if no other dimension occurs
    /// in the axis.
    fn dense(&self, axis: usize) -> Option<usize> {
        let mut terms = self.group.terms(axis);
        let (d, stride) = terms.next()?;
        (stride == 1 && terms.next().is_none()).then_some(d)
    }

    /// The bytes that these numbers of points of each dimension touch, in whole sectors.
    pub(super) fn touched(&self, covered: &[u64]) -> f64 {
        let covered = |d: usize| covered[d];
        let Some(last) = self.rank().checked_sub(1) else { return self.access.bytes as f64 };
        let reached = |axis: usize| self.group.reached(axis, covered).min(self.size(axis));
        // The accesses together may leave out rows of their hull.
        let of_one = |axis: usize| reached(axis).saturating_sub(self.group.spread(axis)).max(1) as f64;
        let hull: f64 = (0..last).map(|axis| reached(axis) as f64).product();
        let rows = hull.min((0..last).map(of_one).product::<f64>() * self.rows as f64);
        let (count, span) = (reached(last), self.group.span(last, covered).min(self.size(last)));
        rows * (span.saturating_mul(self.access.bytes).div_ceil(SECTOR).min(count) * SECTOR) as f64
    }

    /// The axes of a part in shared memory, slowest first.
    fn axes_of_part(&self, tiling: &Tiling) -> Vec<usize> {
        let row = tiling.rows[self.access.buffer];
        let row = (row < self.rank()).then_some(row);
        (0..self.rank()).filter(|axis| Some(*axis) != row).chain(row).collect()
    }

    /// The sizes of a part by axis, without padding.
    fn extents_of_part(&self, tiling: &Tiling) -> Vec<u64> {
        let covered = |d: usize| tiling.columns[d].covered(&OF_PART);
        let size = |axis: usize| match self.group.single(axis) {
            Some(single) => covered(single.dimension),
            None => self.group.span(axis, covered),
        };
        (0..self.rank()).map(size).collect()
    }

    /// The divisors by which a thread computes which elements it copies to shared memory.
    pub(super) fn divisors(&self, tiling: &Tiling) -> impl Iterator<Item = u64> {
        self.extents_of_part(tiling).into_iter().filter(|size| *size > 1).skip(1)
    }

    /// The sizes of a part in shared memory by axis. Rows are padded as the schedule says, or by default if they would
    /// share few banks.
    fn sizes_of_part(&self, tiling: &Tiling) -> Vec<u64> {
        let mut sizes = self.extents_of_part(tiling);
        let (pad, count) = (tiling.pads[self.access.buffer], sizes.len());
        match sizes.get_mut(tiling.rows[self.access.buffer]) {
            Some(row) if pad > 0 => *row = row.saturating_add(pad),
            Some(row) if count > 1 => *row = padded(*row, self.access.bytes),
            _ => {}
        }
        sizes
    }

    /// The number of elements of a row of a part in shared memory without padding; `None` if the rank is below 2.
    pub(super) fn row(&self, tiling: &Tiling) -> Option<u64> {
        let extents = self.extents_of_part(tiling);
        extents.get(tiling.rows[self.access.buffer]).copied().filter(|_| extents.len() > 1)
    }

    /// Bytes of a part in shared memory.
    pub(super) fn bytes_of_part(&self, tiling: &Tiling) -> u64 {
        self.sizes_of_part(tiling).into_iter().fold(self.access.bytes, u64::saturating_mul)
    }

    /// The number of elements of a user's buffer that a thread loads or stores at a time, at most `most`, and the
    /// dimension along which they are adjacent. They are adjacent values in registers, or are read in consecutive
    /// iterations.
    pub(super) fn vector(&self, problem: &Problem, tiling: &Tiling, most: u64) -> (u64, Option<usize>) {
        let none = (1, None);
        let Some(last) = self.rank().checked_sub(1) else { return none };
        let Some(d) = self.dense(last) else { return none };
        let column = &tiling.columns[d];
        let is_innermost = |place: &&TilingLevel| column.of(**place) > 1 && column.strides[**place as usize] == 1;
        let places = [TilingLevel::Registers, TilingLevel::Inner, TilingLevel::Outer];
        let Some(place) = places.iter().find(is_innermost) else { return none };
        // Points that may be out of bounds are accessed one by one.
        let is_exact = problem.known_extent(d) == Some(column.covered(&TilingLevel::ALL));
        if self.group.spread(last) > 0 || !is_exact {
            return none;
        }
        let row = if last == 0 { most } else { self.size(last) };
        let width = [most, column.of(*place), row].into_iter().map(u64::trailing_zeros).min().unwrap_or(0);
        if width == 0 { none } else { (1 << width, Some(d)) }
    }

    /// Returns true if adjacent points in different dimensions may read the same element.
    pub(super) fn has_overlaps(&self) -> bool {
        (0..self.rank()).any(|axis| self.group.terms(axis).count() > 1)
    }

    /// The number of values of the buffer that a thread has in registers; elements that it needs several times count
    /// each time.
    pub(super) fn values(&self, tiling: &Tiling) -> u64 {
        let points = (0..tiling.columns.len()).filter(|&d| self.access.depends_on(d));
        points.fold(1u64, |values, d| values.saturating_mul(tiling.columns[d].of(TilingLevel::Registers)))
    }

    /// Returns true if elements that are adjacent in memory are adjacent in a part in shared memory, too.
    pub(super) fn has_rows_in_order(&self, tiling: &Tiling) -> bool {
        tiling.rows[self.access.buffer] + 1 == self.access.sizes.len()
    }

    /// The number of elements that a thread copies to shared memory at a time, at most `most`.
    pub(super) fn copied(&self, problem: &Problem, tiling: &Tiling, most: u64) -> u64 {
        let Some(last) = self.rank().checked_sub(1) else { return 1 };
        let Some(d) = self.dense(last) else { return 1 };
        let row = tiling.columns[d].covered(&OF_PART);
        let is_known = problem.known_extent(d).is_some() && self.group.spread(last) == 0;
        let width = [most, row, self.size(last)].into_iter().map(u64::trailing_zeros).min().unwrap_or(0);
        if is_known { 1 << width } else { 1 }
    }

    /// For each thread of the first warp: the offset in bytes of the elements that it copies in a part in shared
    /// memory; `width` elements per thread, which are adjacent in memory.
    pub(super) fn stored(&self, tiling: &Tiling, warp: u64, width: u64) -> Vec<i64> {
        let (extents, sizes) = (self.extents_of_part(tiling), self.sizes_of_part(tiling));
        let mut strides = vec![1u64; self.rank()];
        let mut size = self.access.bytes;
        for axis in self.axes_of_part(tiling).into_iter().rev() {
            strides[axis] = size;
            size = size.saturating_mul(sizes[axis]);
        }
        let place = |thread: u64| {
            let mut rest = thread * width;
            let mut address = 0u64;
            for (extent, stride) in extents.iter().zip(&strides).rev() {
                address = address.saturating_add((rest % extent).saturating_mul(*stride));
                rest /= extent;
            }
            i64::try_from(address).unwrap_or(i64::MAX)
        };
        (0..warp).map(place).collect()
    }

    /// For each thread of the first warp: the offset of its element in memory, in bytes.
    pub(super) fn in_memory(&self, tiling: &Tiling, warp: u64) -> Vec<i64> {
        self.addresses(tiling, warp, &self.strides)
    }

    /// The contiguous bytes of an output that `covered` points of each dimension write, the dimension that ends them, and
    /// the largest power of two that divides the bytes between two of them; `None` if they write everything.
    pub(super) fn run(&self, covered: &[u64], problem: &Problem) -> Option<(u64, usize, u64)> {
        let mut dimensions: Vec<_> = (0..covered.len()).filter(|&d| self.strides[d] != 0).collect();
        dimensions.sort_by_key(|&d| self.strides[d].unsigned_abs());
        let d = dimensions.into_iter().find(|&d| covered[d] < problem.extent(d))?;
        let stride = self.strides[d].unsigned_abs().saturating_mul(self.access.bytes);
        let run = stride.saturating_mul(covered[d]);
        // Rows of the buffer start at multiples of the run, or of the whole row.
        let rows = stride.saturating_mul(problem.extent(d));
        let apart = [run, rows].map(|bytes| 1u64 << bytes.trailing_zeros().min(63));
        Some((run, d, apart[0].min(apart[1])))
    }

    /// The largest power of two that divides the distances in bytes between the elements of a thread, and between those of
    /// different warps.
    pub(super) fn apart(&self, tiling: &Tiling) -> u64 {
        let mut least = SECTOR.ilog2();
        for (d, column) in tiling.columns.iter().enumerate().filter(|(d, _)| self.access.depends_on(*d)) {
            for place in TilingLevel::ALL.into_iter().filter(|place| column.of(*place) > 1) {
                // The threads of dimensions after the first one are in other warps, too.
                if place != TilingLevel::Threads || tiling.axes.first() != Some(&d) {
                    least = least.min(column.apart(place).saturating_mul(self.strides[d]).trailing_zeros());
                }
            }
        }
        (1u64 << least).saturating_mul(self.access.bytes).min(SECTOR)
    }

    /// For each thread of the first warp: the offset of its element in a part in shared memory, in bytes.
    pub(super) fn in_part(&self, tiling: &Tiling, warp: u64) -> Vec<i64> {
        self.addresses(tiling, warp, &self.strides_of_part(tiling))
    }

    /// By dimension: the signed distance, in elements, of consecutive indices in a part in shared memory.
    pub(super) fn strides_of_part(&self, tiling: &Tiling) -> Vec<i64> {
        let mut strides = vec![0i64; tiling.columns.len()];
        let sizes = self.sizes_of_part(tiling);
        let mut size = 1i64;
        for number in self.axes_of_part(tiling).into_iter().rev() {
            let is_single = self.group.single(number).is_some();
            for (d, c) in self.group.terms(number) {
                let step = if is_single { c.signum() } else { c };
                strides[d] = strides[d].saturating_add(step.saturating_mul(size));
            }
            size = size.saturating_mul(i64::try_from(sizes[number]).unwrap_or(i64::MAX));
        }
        strides
    }

    /// For each thread of the first warp: the offset of its element in bytes. `strides`: by dimension, in elements.
    fn addresses(&self, tiling: &Tiling, warp: u64, strides: &[i64]) -> Vec<i64> {
        let mut addresses = Vec::with_capacity(2 * warp as usize);
        addresses.push(0i64);
        for &d in &tiling.axes {
            let column = &tiling.columns[d];
            let count = column.of(TilingLevel::Threads).min(warp.div_ceil(addresses.len() as u64));
            let apart =
                column.apart(TilingLevel::Threads).saturating_mul(strides[d]).saturating_mul(self.access.bytes as i64);
            let first = addresses.len();
            for number in 1..count as i64 {
                for i in 0..first {
                    addresses.push(addresses[i].saturating_add(apart.saturating_mul(number)));
                }
            }
        }
        addresses.truncate(warp as usize);
        addresses
    }
}
