//! How each dimension is split over grid, loops, registers, warps and threads.
use super::super::problem::Problem;
use crate::{
    notation::json::axis,
    plan::{
        outline::{Outline, PromotedInput},
        runner::Runner,
    },
    schedule::gpu::layers::DeviceLayers,
};
use mdh_dialects::schedule::{
    model::{Schedule, Step},
    roles::CoreRole,
};

/// The levels over which a tiling splits a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TilingLevel {
    /// Blocks of threads.
    Blocks,
    /// A loop around the copies to shared memory.
    Outer,
    /// A loop inside of the copies to shared memory.
    Inner,
    /// Unrolled, in the registers of a thread.
    Registers,
    /// Warps of a block.
    Warps,
    /// Threads of a block or warp.
    Threads,
}

impl TilingLevel {
    /// All levels, by their position in [`Column::parts`].
    pub(super) const ALL: [Self; 6] =
        [Self::Blocks, Self::Outer, Self::Inner, Self::Registers, Self::Warps, Self::Threads];
}

/// The order of the levels of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Adjacent points belong to adjacent threads.
    Cyclic,
    /// Adjacent points are in the registers of one thread.
    Blocked,
    /// The levels are in loop order (rule S7): the points of a thread are contiguous.
    Scan,
}

impl Order {
    /// Returns the levels, from the outermost to the innermost layer.
    pub(super) fn levels(self, has_warps: bool) -> impl Iterator<Item = TilingLevel> {
        use TilingLevel::{Blocks, Inner, Outer, Registers, Threads, Warps};
        let all = match self {
            Self::Cyclic => [Blocks, Outer, Inner, Registers, Warps, Threads],
            Self::Blocked => [Blocks, Outer, Inner, Warps, Threads, Registers],
            Self::Scan => [Blocks, Warps, Threads, Outer, Inner, Registers],
        };
        all.into_iter().filter(move |place| has_warps || *place != Warps)
    }
}

/// The split of one dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    /// By level: the number of parts; for a dynamic extent, the expected number.
    pub(super) parts: [u64; 6],
    /// By level: the distance of adjacent parts, in points.
    pub(super) strides: [u64; 6],
    /// The level with a dynamic number of parts, for a dynamic extent.
    pub(super) dynamic: Option<TilingLevel>,
    /// The order of the levels.
    pub(super) order: Order,
}

impl Column {
    /// Returns the number of parts of a level.
    pub(super) fn of(&self, place: TilingLevel) -> u64 {
        self.parts[place as usize]
    }

    /// Returns the distance of adjacent parts of a level, in points.
    pub(super) fn apart(&self, place: TilingLevel) -> i64 {
        i64::try_from(self.strides[place as usize]).unwrap_or(i64::MAX)
    }

    /// Returns the number of points that these levels cover.
    pub(super) fn covered(&self, places: &[TilingLevel]) -> u64 {
        places.iter().fold(1u64, |points, place| points.saturating_mul(self.of(*place)))
    }

    /// Reduces the part counts so that rule S2 holds: the parts cover the extent, and none is always empty. Computes
    /// the strides.
    pub(super) fn new(mut parts: [u64; 6], extent: u64, dynamic: Option<TilingLevel>, order: Order) -> Self {
        let places: Vec<_> = order.levels(true).collect();
        for (i, &place) in places.iter().enumerate() {
            if dynamic.is_some() {
                break;
            }
            let size = places[i + 1..].iter().fold(1u64, |size, inner| size.saturating_mul(parts[*inner as usize]));
            let (count, needed) = (&mut parts[place as usize], extent.div_ceil(size));
            // The last threads of a warp may be idle.
            let is_rounded = size == 1 && place == TilingLevel::Threads && count.is_power_of_two();
            *count = (*count).min(if is_rounded { extent.next_power_of_two() } else { needed });
            if *count > 1 {
                break;
            }
        }
        let mut strides = [1; 6];
        let mut stride = 1u64;
        for &place in places.iter().rev() {
            strides[place as usize] = stride;
            stride = stride.saturating_mul(parts[place as usize]);
        }
        Self { parts, strides, dynamic, order }
    }
}

/// The split of all dimensions, and the inputs in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tiling {
    /// The splits, by dimension.
    pub(super) columns: Vec<Column>,
    /// The dimensions of the threads, x first.
    pub(super) axes: Vec<usize>,
    /// The dimensions of the blocks, x first.
    pub(super) grid: Vec<usize>,
    /// By input: true if it is read from shared memory.
    pub(super) shared: Vec<bool>,
    /// By input: the contiguous axis of its parts in shared memory, along which rows run.
    pub(super) rows: Vec<usize>,
    /// By input: the row padding of its parts in shared memory, in elements; 0 leaves it to the compiler.
    pub(super) pads: Vec<u64>,
    /// By input: the number of buffer slots of its parts in shared memory.
    pub(super) buffers: Vec<u64>,
}

impl Tiling {
    /// Returns the product of the part counts of a level over all dimensions.
    pub(super) fn count(&self, place: TilingLevel) -> u64 {
        self.columns.iter().fold(1u64, |count, column| count.saturating_mul(column.of(place)))
    }

    /// Returns true if some of these levels have more than one part of a dimension that satisfies the predicate.
    pub(super) fn splits(&self, wanted: impl Fn(usize) -> bool, levels: &[TilingLevel]) -> bool {
        self.columns.iter().enumerate().any(|(d, column)| wanted(d) && column.covered(levels) > 1)
    }

    /// Returns the number of buffer slots of an input in shared memory: 1 without a loop around its copies.
    pub(super) fn slots(&self, buffer: usize) -> u64 {
        if self.count(TilingLevel::Outer) > 1 { self.buffers[buffer] } else { 1 }
    }

    /// Returns the number of threads of a block.
    pub(super) fn threads(&self) -> u64 {
        self.count(TilingLevel::Warps).saturating_mul(self.count(TilingLevel::Threads))
    }

    /// Returns the tiling that the kernels of a schedule implement, from the outline of their nest. A loop is around
    /// the copies to shared memory if its level is on the global memory of the device.
    pub(super) fn of(outline: &Outline, schedule: &Schedule, problem: &Problem, layers: &DeviceLayers<'_>) -> Self {
        let rank = problem.rank();
        let partition = problem.partition(schedule);
        let place = |step: &Step| match outline.runner(step.level) {
            Some(Runner::Cores(CoreRole::Blocks)) => TilingLevel::Blocks,
            Some(Runner::Cores(CoreRole::Warps)) => TilingLevel::Warps,
            Some(Runner::Cores(_)) => TilingLevel::Threads,
            Some(Runner::Unrolled | Runner::Lanes) => TilingLevel::Registers,
            Some(Runner::Loop) if step.tag.layer == layers.global => TilingLevel::Outer,
            // The compiler of the kernel unrolls short loops of scans.
            Some(Runner::Loop) if step.tag.layer == layers.registers && problem.is_scan(step.level.dimension) => {
                TilingLevel::Registers
            }
            Some(Runner::Loop) => TilingLevel::Inner,
            None => layers.place(&step.tag.layer),
        };
        let mut columns = vec![Column { parts: [1; 6], strides: [1; 6], dynamic: None, order: Order::Cyclic }; rank];
        let (mut axes, mut grid): (Vec<_>, Vec<_>) = ((0..rank).collect(), (0..rank).collect());
        for step in &schedule.recompose {
            let (d, place) = (step.level.dimension, place(step));
            let stride = partition.stride(step.level).count().unwrap_or(1);
            let column = &mut columns[d];
            let count = partition.count(step.level).unwrap_or(1).max(1);
            let apart = &mut column.strides[place as usize];
            *apart = match (column.parts[place as usize] > 1, count > 1) {
                (false, _) => stride,
                (true, true) => stride.min(*apart),
                (true, false) => *apart,
            };
            let parts = &mut column.parts[place as usize];
            *parts = parts.saturating_mul(count);
            if schedule.parts[step.level.layer][d].is_none() {
                column.dynamic = Some(place);
            }
            match place {
                TilingLevel::Threads => axes[step.tag.dimension] = d,
                TilingLevel::Blocks => grid[step.tag.dimension] = d,
                _ => {}
            }
        }
        for (d, column) in columns.iter_mut().enumerate() {
            let stride = |place: TilingLevel| column.strides[place as usize];
            column.order = match () {
                () if problem.is_scan(d) => Order::Scan,
                () if column.of(TilingLevel::Registers) > 1
                    && stride(TilingLevel::Registers) < stride(TilingLevel::Threads) =>
                {
                    Order::Blocked
                }
                () => Order::Cyclic,
            };
        }
        let inputs = problem.shape.inputs.len();
        let (mut shared, mut pads, mut buffers) = (vec![false; inputs], vec![0; inputs], vec![1; inputs]);
        let mut rows: Vec<_> = problem.shape.inputs.iter().map(|rank| rank.saturating_sub(1)).collect();
        for &PromotedInput { input: i, ref placement, .. } in &outline.promotions {
            if placement.region == layers.shared {
                (shared[i], pads[i], buffers[i]) = (true, placement.pad, placement.buffers);
                rows[i] = problem.orders[i].to_memory(&placement.layout).last().copied().unwrap_or(0);
            }
        }
        Self { columns, axes, grid, shared, rows, pads, buffers }
    }

    /// Returns the tiling as text: the splits in loop order, and the inputs in shared memory.
    pub(super) fn describe(&self, layers: &DeviceLayers<'_>) -> String {
        let part = |(name, place, order): (&str, TilingLevel, &[usize])| {
            let parts = order.iter().enumerate().filter(|(_, d)| self.columns[**d].of(place) > 1);
            let parts: Vec<_> = parts
                .map(|(position, &d)| match place {
                    TilingLevel::Blocks | TilingLevel::Warps | TilingLevel::Threads => {
                        format!("{} {} on {}", axis(d), self.columns[d].of(place), axis(position))
                    }
                    _ => format!("{} {}", axis(d), self.columns[d].of(place)),
                })
                .collect();
            (!parts.is_empty()).then(|| format!("{name} {}", parts.join(", ")))
        };
        let all: Vec<_> = (0..self.columns.len()).collect();
        let mut text: Vec<_> = [
            ("blocks", TilingLevel::Blocks, self.grid.as_slice()),
            ("warps", TilingLevel::Warps, self.axes.as_slice()),
            ("threads", TilingLevel::Threads, self.axes.as_slice()),
            ("loops", TilingLevel::Outer, all.as_slice()),
        ]
        .into_iter()
        .filter_map(part)
        .collect();
        let shared: Vec<_> =
            self.shared.iter().enumerate().filter(|(_, shared)| **shared).map(|(i, _)| (i + 1).to_string()).collect();
        if !shared.is_empty() {
            text.push(format!("[input {} to {}]", shared.join(", "), layers.shared));
        }
        text.extend(
            [("registers", TilingLevel::Registers, all.as_slice()), ("loops", TilingLevel::Inner, all.as_slice())]
                .into_iter()
                .filter_map(part),
        );
        text.join(" · ")
    }
}
