//! What blocks, loops, registers, warps and threads do of each dimension.
use super::super::problem::Problem;
use crate::{
    nest::outline::{Outline, Runner},
    notation::json::axis,
    schedule::gpu::layers::DeviceLayers,
};
use mdh_dialects::schedule::{
    model::{Schedule, Step},
    roles::CoreRole,
};

/// What works on a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TilingLevel {
    /// Blocks of threads.
    Blocks,
    /// A loop around what is copied to shared memory.
    Outer,
    /// A loop inside of it.
    Inner,
    /// Unrolled, in the registers of a thread.
    Registers,
    /// Warps of a block.
    Warps,
    /// Threads of a block or warp.
    Threads,
}

impl TilingLevel {
    /// All of them, by their position in [`Column::parts`].
    pub(super) const ALL: [Self; 6] =
        [Self::Blocks, Self::Outer, Self::Inner, Self::Registers, Self::Warps, Self::Threads];
}

/// The order of the layers of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Neighbouring points are those of neighbouring threads.
    Cyclic,
    /// Neighbouring points are in the registers of a thread.
    Blocked,
    /// Layers stay in the order of the loops (rule S7): all points of a thread are neighbours.
    Scan,
}

impl Order {
    /// From the outermost to the innermost layer.
    pub(super) fn places(self, has_warps: bool) -> impl Iterator<Item = TilingLevel> {
        use TilingLevel::{Blocks, Inner, Outer, Registers, Threads, Warps};
        let all = match self {
            Self::Cyclic => [Blocks, Outer, Inner, Registers, Warps, Threads],
            Self::Blocked => [Blocks, Outer, Inner, Warps, Threads, Registers],
            Self::Scan => [Blocks, Warps, Threads, Outer, Inner, Registers],
        };
        all.into_iter().filter(move |place| has_warps || *place != Warps)
    }
}

/// What is done of a dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    /// By place the number of parts, for a dynamic extent the expected one.
    pub(super) parts: [u64; 6],
    /// By place how many points apart neighbours are.
    pub(super) strides: [u64; 6],
    /// The place that has as many parts as the extent needs.
    pub(super) dynamic: Option<TilingLevel>,
    /// The order of the places.
    pub(super) order: Order,
}

impl Column {
    /// The parts of a place.
    pub(super) fn of(&self, place: TilingLevel) -> u64 {
        self.parts[place as usize]
    }

    /// How many points apart neighbours of a place are.
    pub(super) fn apart(&self, place: TilingLevel) -> i64 {
        i64::try_from(self.strides[place as usize]).unwrap_or(i64::MAX)
    }

    /// The points that these places reach.
    pub(super) fn covered(&self, places: &[TilingLevel]) -> u64 {
        places.iter().fold(1u64, |points, place| points.saturating_mul(self.of(*place)))
    }

    /// Parts in an order of layers, such that rule S2 holds: they cover the extent, and none is always empty.
    pub(super) fn new(mut parts: [u64; 6], extent: u64, dynamic: Option<TilingLevel>, order: Order) -> Self {
        let places: Vec<_> = order.places(true).collect();
        for (i, &place) in places.iter().enumerate() {
            if dynamic.is_some() {
                break;
            }
            let size = places[i + 1..].iter().fold(1u64, |size, inner| size.saturating_mul(parts[*inner as usize]));
            let (count, needed) = (&mut parts[place as usize], extent.div_ceil(size));
            // The last threads of a warp may have nothing to do.
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

/// What is done of all dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tiling {
    /// By dimension.
    pub(super) columns: Vec<Column>,
    /// The dimensions of the threads, x first.
    pub(super) axes: Vec<usize>,
    /// The dimensions of the blocks, x first.
    pub(super) grid: Vec<usize>,
    /// By input whether it is read from shared memory.
    pub(super) shared: Vec<bool>,
    /// By input the axis that its parts there have their rows along.
    pub(super) rows: Vec<usize>,
    /// By input how many elements longer a row of its parts there is stored; 0 leaves it to the compiler.
    pub(super) pads: Vec<u64>,
    /// By input the places that its parts there use in turn.
    pub(super) buffers: Vec<u64>,
}

impl Tiling {
    /// The product of the parts of a place over all dimensions.
    pub(super) fn count(&self, place: TilingLevel) -> u64 {
        self.columns.iter().fold(1u64, |count, column| count.saturating_mul(column.of(place)))
    }

    /// The places that the parts of an input in shared memory take: with a loop around them, each after the other has its own.
    pub(super) fn places(&self, buffer: usize) -> u64 {
        if self.count(TilingLevel::Outer) > 1 { self.buffers[buffer] } else { 1 }
    }

    /// The threads of a block.
    pub(super) fn threads(&self) -> u64 {
        self.count(TilingLevel::Warps).saturating_mul(self.count(TilingLevel::Threads))
    }

    /// The tiling that the kernels of a schedule carry out, from the outline of their nest. Loops are around copies to shared memory if
    /// their level is on the memory of the device.
    pub(super) fn of(outline: &Outline, schedule: &Schedule, problem: &Problem, layers: &DeviceLayers<'_>) -> Self {
        let rank = problem.rank();
        let partition = problem.partition(schedule);
        let place = |step: &Step| match outline.runner(step.level) {
            Some(Runner::Cores(CoreRole::Blocks)) => TilingLevel::Blocks,
            Some(Runner::Cores(CoreRole::Warps)) => TilingLevel::Warps,
            Some(Runner::Cores(_)) => TilingLevel::Threads,
            Some(Runner::Unrolled | Runner::Lanes) => TilingLevel::Registers,
            Some(Runner::Loop) if step.tag.layer == layers.global => TilingLevel::Outer,
            // Short loops of scans are unrolled by what compiles the kernel.
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
        let reads = schedule.decompose.iter().map(|step| &step.placements).chain([&schedule.scalar.reads]);
        let inputs = problem.shape.inputs.len();
        let (mut shared, mut pads, mut buffers) = (vec![false; inputs], vec![0; inputs], vec![1; inputs]);
        let mut rows: Vec<_> = problem.shape.inputs.iter().map(|rank| rank.saturating_sub(1)).collect();
        for (i, placement) in reads.flat_map(|placements| placements.iter().enumerate()) {
            if placement.region == layers.shared {
                (shared[i], pads[i], buffers[i]) = (true, placement.pad, placement.buffers);
                rows[i] = placement.layout.last().copied().unwrap_or(0);
            }
        }
        Self { columns, axes, grid, shared, rows, pads, buffers }
    }

    /// The tiling for a person: what works on which parts, and what is in shared memory.
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
