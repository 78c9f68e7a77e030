//! The search for tilings of kernels: enumerates block shapes, register tiles and inputs in shared memory, and improves
//! the best tilings by small changes as long as the cost model predicts a gain.
mod changes;
mod points;

use super::{
    super::{
        climb::{self, Changes, ClimbLimits, ClimbStage, Estimate, Found, Neighbors, SearchSpace},
        cost::Prediction,
        problem::{BufferAccess, Problem},
    },
    build::MAX_REGISTER_VALUES,
    cost::{DeviceModel, Padding},
    tiling::{Column, Order, Tiling, TilingLevel},
};
use crate::{machine::device::Device, schedule::gpu::layers::DeviceLayers};

/// Number of initial choices that are improved.
const IMPROVED: usize = 8;
/// Maximum number of initial choices per kind that are improved.
const IMPROVED_PER_KIND: usize = 2;
/// Maximum number of changes of each improved choice.
const MAX_CHANGES: usize = 10;
/// Initial number of reduction points per copy to shared memory.
const INITIAL_TILE: u64 = 32;
/// Maximum number of blocks along y, and along z.
const MAX_BLOCKS: u64 = 65535;
/// Maximum number of threads along z.
const MAX_THREADS_Z: u64 = 64;
/// Maximum extent that may have one thread per point even if it is not a power of two.
const MAX_EXACT_THREADS: u64 = 64;
/// Maximum number of values per thread that are combined with those of other threads.
const MAX_COMBINED_VALUES: u64 = 8;
/// Maximum predicted time of a candidate, as a multiple of that of the best tiling: nobody would run a slower one.
const MAX_SLOWDOWN: f64 = 10.0;

/// The inputs of the search.
pub(in crate::schedule) struct DeviceSearch<'a> {
    problem: &'a Problem,
    model: DeviceModel<'a>,
    /// Maximum number of threads per block.
    most_threads: u64,
    /// Maximum number of warps per block and of threads per warp; `None` if the system has no warps.
    warps: Option<(u64, u64)>,
    /// Maximum number of resident threads on the device: with fewer points, compute units are idle.
    few: u64,
    /// By dimension: the weight of the accesses that are contiguous along it, 3 for each output and 2 for each input.
    along: Vec<u64>,
}

/// The choices that determine a tiling: a point of the search space.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeviceChoices {
    /// The dimensions of the threads, x first.
    axes: Vec<usize>,
    dimensions: Vec<DimensionChoice>,
    inputs: Vec<InputChoice>,
    /// True if parts in shared memory are double-buffered: the next one is copied while the current one is in use.
    is_double_buffered: bool,
}

/// The choices for a dimension.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct DimensionChoice {
    /// Threads per block.
    threads: u64,
    /// Values per thread in registers.
    registers: u64,
    /// Points of a reduction per copy to shared memory.
    inner: u64,
    /// Number of blocks, if the dimension is combined.
    blocks: u64,
    /// True if adjacent points are in the registers of one thread; false if they belong to adjacent threads.
    is_blocked: bool,
}

/// The choices for an input.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct InputChoice {
    is_shared: bool,
    /// The contiguous axis in shared memory, along which rows run.
    row: usize,
    /// Row padding in shared memory.
    padding: Padding,
}

impl DeviceChoices {
    /// Returns true if an input is in shared memory.
    fn is_shared(&self) -> bool {
        self.inputs.iter().any(|input| input.is_shared)
    }
}

impl SearchSpace for DeviceSearch<'_> {
    type Choices = DeviceChoices;
    /// The dimension along x, and true if an input is in shared memory. Both determine which changes improve a tile.
    type Kind = (Option<usize>, bool);

    const LIMITS: ClimbLimits = ClimbLimits {
        rankings: &[|estimate| estimate.seconds],
        max_per_kind: IMPROVED_PER_KIND,
        max_kinds: usize::MAX,
        all: IMPROVED,
        stages: &[ClimbStage { rounds: MAX_CHANGES, kept: IMPROVED, changes: Changes::Neighbors }],
    };

    fn starts(&self) -> Vec<DeviceChoices> {
        self.first()
    }

    fn kind(&self, choices: &DeviceChoices) -> Self::Kind {
        (choices.axes.first().copied(), choices.is_shared())
    }

    fn cost(&self, choices: &DeviceChoices, limit: Option<f64>) -> Option<Estimate> {
        self.model.estimate(&self.tiling(choices)?, limit)
    }

    fn neighbors(&self, changes: &mut Neighbors<'_, DeviceChoices>) {
        (0..self.rank()).for_each(|d| self.divide(changes, d));
        self.share(changes);
    }
}

impl<'a> DeviceSearch<'a> {
    pub(super) fn new(problem: &'a Problem, device: &'a Device, layers: &DeviceLayers<'_>) -> Self {
        let lanes = layers.threads.1.min(device.most_threads);
        let warps = layers.warps.map(|(_, most)| (most, lanes.min(device.warp.max(2))));
        let most_threads = warps.map_or(lanes, |(most, lanes)| most.saturating_mul(lanes)).min(device.most_threads);
        let walks = |d: usize| {
            let along = problem.accesses.iter().filter(|access| access.distance(d) == 1);
            along.map(|access| if access.is_output { 3 } else { 2 }).sum()
        };
        Self {
            problem,
            along: (0..problem.rank()).map(walks).collect(),
            model: DeviceModel::new(problem, device),
            most_threads,
            warps,
            few: device.compute_units.saturating_mul(device.most_threads_per_unit),
        }
    }

    /// Returns at most `count` tilings with their predictions: the best one, then others in the order of their
    /// predicted time, evenly spread over all candidates.
    pub(super) fn run(&self, count: usize) -> Vec<(Tiling, Prediction)> {
        let climb = climb::search(self);
        let (best, seconds) = match climb.best.first() {
            Some(best) => (best.choices.clone(), best.seconds),
            None => (self.least(), f64::INFINITY),
        };
        let tiling = |choices: &DeviceChoices| {
            let tiling = self.tiling(choices)?;
            let prediction = self.model.predict(&tiling, true)?;
            Some((tiling, prediction))
        };
        let mut chosen: Vec<(Tiling, Prediction)> =
            tiling(&best).or_else(|| tiling(&self.least())).into_iter().collect();
        if count > 1 {
            let improved = climb.best.into_iter().map(|Found { seconds, choices, .. }| (seconds, choices));
            let starts = climb.starts.into_iter().map(|(cost, choices)| (cost.seconds, choices));
            let others = improved.chain(starts).filter(|(cost, _)| *cost <= MAX_SLOWDOWN * seconds);
            let mut others: Vec<_> = others.filter_map(|(_, choices)| tiling(&choices)).collect();
            others.sort_by(|a, b| a.1.seconds.total_cmp(&b.1.seconds));
            others.dedup_by(|a, b| a.0 == b.0);
            others.retain(|(other, _)| chosen.first().is_none_or(|(best, _)| best != other));
            let wanted = (count - 1).min(others.len());
            let last = others.len().saturating_sub(1);
            chosen.extend(
                (1..=wanted).map(|i| others[if wanted > 1 { (i - 1) * last / (wanted - 1) } else { last }].clone()),
            );
        }
        chosen
    }

    fn rank(&self) -> usize {
        self.problem.rank()
    }

    /// Returns true if a dimension is reduced.
    fn has_reduction(&self) -> bool {
        (0..self.rank()).any(|d| self.problem.reduces(d))
    }

    /// Returns true if a dimension may be distributed over threads or blocks.
    fn may_split(&self, d: usize) -> bool {
        self.problem.concatenates(d) || !self.problem.keeps_order
    }

    /// Returns true if a combined dimension may be distributed over blocks: without them there would not be work for
    /// all units.
    fn may_split_blocks(&self, d: usize) -> bool {
        let kept = (0..self.rank()).filter(|&d| self.problem.concatenates(d)).map(|d| self.problem.extent(d));
        !self.problem.concatenates(d) && self.may_split(d) && kept.fold(1u64, u64::saturating_mul) < self.few
    }

    /// Returns true if the loop over a reduction may be tiled.
    fn may_tile(&self, d: usize) -> bool {
        let reduced = (0..self.rank()).filter(|&d| self.problem.reduces(d)).count();
        self.problem.reduces(d) && (!self.problem.keeps_order || reduced == 1)
    }

    /// Returns true if a thread may have several values of a dimension in registers. With reductions, some input must
    /// not depend on the dimension, so that the values share its elements. Without reductions, the dimension must be
    /// scanned, or concatenated with a transposed input, which threads transpose tile by tile, or with adjacent values
    /// that threads load and store together, or with windows that overlap.
    fn may_unroll(&self, d: usize) -> bool {
        let inputs = || self.problem.accesses.iter().filter(|access| !access.is_output);
        let is_reused = self.problem.concatenates(d) && inputs().any(|access| !access.depends_on(d));
        let is_copied = || self.problem.concatenates(d) && inputs().any(|access| self.is_transposed(access));
        let has_neighbors = || {
            let mut accesses = self.problem.accesses.iter();
            self.problem.concatenates(d) && accesses.any(|access| access.distance(d) == 1 || self.is_shifted(access, d))
        };
        is_reused && self.has_reduction()
            || !self.has_reduction() && (self.problem.is_scan(d) || is_copied() || has_neighbors())
    }

    /// Returns true if adjacent points of a dimension read the same elements of an input, by different accesses.
    fn is_shifted(&self, access: &BufferAccess, d: usize) -> bool {
        let group = &self.problem.groups[access.group];
        !access.is_output && access.map.axis(d).is_some_and(|axis| group.spread(axis) > 0)
    }

    /// Returns true if an input is contiguous along another dimension than the first output, and that dimension is
    /// concatenated.
    fn is_transposed(&self, access: &BufferAccess) -> bool {
        let along =
            |access: &BufferAccess| (0..self.rank()).find(|&d| access.distance(d) == 1 && self.problem.extent(d) > 1);
        let output = self.problem.accesses.iter().find(|access| access.is_output).and_then(along);
        along(access).zip(output).is_some_and(|(own, other)| own != other && self.problem.concatenates(own))
    }

    /// Returns true if an input is worth copying to shared memory. With reductions, several threads read the same
    /// elements: the input does not depend on a dimension, or windows overlap. Without reductions, the input is
    /// transposed: the threads that read adjacent elements are not those that write them.
    fn may_share(&self, buffer: usize) -> bool {
        let mut accesses = self.problem.accesses.iter().filter(|access| !access.is_output && access.buffer == buffer);
        let is_same =
            |access: &BufferAccess| (0..self.rank()).any(|d| self.problem.concatenates(d) && !access.depends_on(d));
        let slides = |access: &BufferAccess| (0..self.rank()).any(|d| self.overlaps(access, d));
        accesses.any(|access| match self.has_reduction() {
            true => is_same(access) || slides(access),
            false => self.is_transposed(access) && (0..self.rank()).all(|d| self.problem.concatenates(d)),
        })
    }

    /// Returns true if consecutive points of a concatenated dimension have overlapping windows of an input.
    fn overlaps(&self, access: &BufferAccess, d: usize) -> bool {
        !access.is_output && self.problem.concatenates(d) && access.map.has_sliding_window(d)
    }

    /// Returns the choices with one thread and no tiles.
    fn least(&self) -> DeviceChoices {
        let rank = self.rank();
        let distance = |&d: &usize| {
            let accesses = self.problem.accesses.iter();
            accesses.map(|access| access.distance(d)).filter(|stride| *stride > 0).min().unwrap_or(u64::MAX)
        };
        let mut axes: Vec<_> = (0..rank).collect();
        axes.sort_by_key(distance);
        let one = DimensionChoice { threads: 1, registers: 1, inner: 1, blocks: 1, is_blocked: false };
        let input =
            |rank: &usize| InputChoice { is_shared: false, row: rank.saturating_sub(1), padding: Padding::None };
        let inputs = self.problem.shape.inputs.iter().map(input).collect();
        DeviceChoices { axes, dimensions: vec![one; rank], inputs, is_double_buffered: false }
    }

    /// Returns choices in which each thread reads adjacent values from shared memory, where inputs that are contiguous
    /// along a reduction are transposed, while the next parts are copied; `None` if no thread has several values.
    fn with_adjacent_values(&self, choices: &DeviceChoices) -> Option<DeviceChoices> {
        let has_several = |d: usize| choices.dimensions[d].registers > 1 && self.problem.concatenates(d);
        let mut changed = choices.clone();
        for d in (0..self.rank()).filter(|&d| has_several(d)) {
            changed.dimensions[d].is_blocked = true;
            let inputs = self.problem.accesses.iter().filter(|access| !access.is_output && access.distance(d) > 1);
            for access in inputs {
                let input = &mut changed.inputs[access.buffer];
                let row = access.map.axis(d).filter(|axis| input.is_shared && access.map.is_index_of(*axis, d));
                (input.row, input.padding) = row.map_or((input.row, input.padding), |row| (row, Padding::Aligned));
            }
        }
        changed.is_double_buffered = true;
        (0..self.rank()).any(has_several).then_some(changed)
    }

    /// Returns the initial choices: block shapes over pairs of dimensions, with register tiles and copies to shared
    /// memory.
    fn first(&self) -> Vec<DeviceChoices> {
        let least = self.least();
        let is_free = |d: &usize| self.may_split(*d) && self.problem.extent(*d) > 1;
        let free: Vec<_> = least.axes.iter().copied().filter(is_free).collect();
        let shares: Vec<_> = (0..least.inputs.len()).map(|buffer| self.may_share(buffer)).collect();
        let mut all = vec![least.clone()];
        for &x in &free {
            let others = free.iter().copied().filter(|&d| d != x).map(Some);
            for y in others.chain([None]) {
                let mut base = least.clone();
                let front = [Some(x), y].into_iter().flatten();
                let rest: Vec<_> = base.axes.iter().copied().filter(|d| *d != x && Some(*d) != y).collect();
                base.axes = front.chain(rest).collect();
                for (along_x, along_y) in [(8, 8), (16, 16), (32, 1), (32, 4), (32, 8), (64, 4), (128, 1), (256, 1)] {
                    if y.is_none() != (along_y == 1) {
                        continue;
                    }
                    for (of_x, of_y) in [(1, 1), (1, 4), (4, 4), (4, 8), (8, 8), (4, 16)] {
                        let mut choices = base.clone();
                        choices.dimensions[x].threads = along_x;
                        choices.dimensions[x].registers = if self.may_unroll(x) { of_x } else { 1 };
                        if let Some(y) = y {
                            choices.dimensions[y].threads = along_y;
                            choices.dimensions[y].registers = if self.may_unroll(y) { of_y } else { 1 };
                        }
                        if of_y > 1 && choices.dimensions.iter().all(|dimension| dimension.registers == 1) {
                            continue;
                        }
                        // Adjacent values in registers read the overlap of their windows once.
                        let slides = |choices: &DeviceChoices, d: usize| {
                            let mut accesses = self.problem.accesses.iter();
                            choices.dimensions[d].registers > 1 && accesses.any(|access| self.overlaps(access, d))
                        };
                        // A thread loads and stores adjacent values together.
                        let is_dense = |choices: &DeviceChoices, d: usize| {
                            let mut accesses = self.problem.accesses.iter();
                            !self.has_reduction()
                                && choices.dimensions[d].registers > 1
                                && accesses.all(|access| !access.depends_on(d) || access.distance(d) == 1)
                        };
                        for d in 0..self.rank() {
                            choices.dimensions[d].is_blocked = slides(&choices, d) || is_dense(&choices, d);
                        }
                        if shares.contains(&true) {
                            let mut copied = choices.clone();
                            let inputs = copied.inputs.iter_mut().zip(&shares);
                            inputs.for_each(|(input, shares)| input.is_shared = *shares);
                            let mut slab = INITIAL_TILE;
                            for &d in least.axes.iter().filter(|d| self.may_tile(**d)) {
                                copied.dimensions[d].inner = self.problem.extent(d).min(slab);
                                slab = slab.div_ceil(copied.dimensions[d].inner);
                            }
                            all.extend(self.with_adjacent_values(&copied));
                            all.push(copied);
                        }
                        // Reductions that are distributed over blocks fill the device if there is little other
                        // parallelism.
                        for &d in free.iter().filter(|d| self.may_split_blocks(**d)) {
                            for blocks in [64, 512] {
                                let mut split = choices.clone();
                                split.dimensions[d].blocks = blocks;
                                all.push(split);
                            }
                        }
                        all.push(choices);
                    }
                }
            }
        }
        all
    }

    /// Returns the tiling of choices; `None` if it violates a limit that the cost model does not check.
    pub(super) fn tiling(&self, choices: &DeviceChoices) -> Option<Tiling> {
        let (problem, rank) = (self.problem, self.rank());
        let product =
            |of: fn(&DimensionChoice) -> u64| choices.dimensions.iter().map(of).fold(1u64, u64::saturating_mul);
        let (threads, values) = (product(|d| d.threads), product(|d| d.registers));
        if threads > self.most_threads || values > MAX_REGISTER_VALUES {
            return None;
        }
        // Threads with many values do not combine them with other threads.
        if values > MAX_COMBINED_VALUES && (0..rank).any(|d| problem.reduces(d) && choices.dimensions[d].threads > 1) {
            return None;
        }
        let mut lanes: Vec<_> = choices.dimensions.iter().map(|dimension| dimension.threads).collect();
        if let Some((most_warps, most_lanes)) = self.warps {
            let mut rest = most_lanes;
            let mut axes = choices.axes.clone();
            axes.sort_by_key(|&d| std::cmp::Reverse(self.along[d]));
            for &d in &axes {
                lanes[d] = lanes[d].min(rest);
                rest /= lanes[d];
                if !choices.dimensions[d].threads.is_multiple_of(lanes[d]) {
                    return None;
                }
            }
            if threads / lanes.iter().product::<u64>() > most_warps {
                return None;
            }
        }
        let is_tiled = choices.is_shared();
        let column = |d: usize| {
            let extent = problem.extent(d);
            let inner = if is_tiled { choices.dimensions[d].inner } else { 1 };
            let (all, registers) = (choices.dimensions[d].threads, choices.dimensions[d].registers);
            let point = all.saturating_mul(registers).saturating_mul(inner);
            let is_unknown = problem.known_extent(d).is_none_or(|extent| extent == 0);
            // Threads that scan have their values in registers, and blocks take the rest.
            let is_whole = problem.concatenates(d) || (problem.is_scan(d) && all > 1);
            let is_split = is_whole || choices.dimensions[d].blocks > 1;
            let (blocks, outer) = if is_whole {
                (extent.div_ceil(point), 1)
            } else {
                let outer = extent.div_ceil(choices.dimensions[d].blocks).div_ceil(point);
                (extent.div_ceil(point.saturating_mul(outer)), outer)
            };
            let dynamic = is_unknown.then_some(if is_split { TilingLevel::Blocks } else { TilingLevel::Outer });
            let parts = [blocks, outer, inner, registers, all / lanes[d], lanes[d]];
            let order = match () {
                () if problem.is_scan(d) => Order::Scan,
                () if choices.dimensions[d].is_blocked => Order::Blocked,
                () => Order::Cyclic,
            };
            Column::new(parts, extent, dynamic, order)
        };
        let mut columns: Vec<_> = (0..rank).map(column).collect();
        // Adjacent threads access contiguous memory. Dimensions with one thread come last.
        let mut axes = choices.axes.clone();
        axes.sort_by_key(|&d| {
            let has_threads = columns[d].covered(&[TilingLevel::Warps, TilingLevel::Threads]) > 1;
            std::cmp::Reverse(has_threads.then_some(self.along[d]))
        });
        let along_z = axes.iter().skip(2).map(|&d| columns[d].covered(&[TilingLevel::Warps, TilingLevel::Threads]));
        if along_z.product::<u64>() > MAX_THREADS_Z {
            return None;
        }
        let grid = self.grid(&mut columns, &axes);
        let inputs = choices.inputs.len();
        let is_double_buffered =
            choices.is_double_buffered && columns.iter().any(|column| column.of(TilingLevel::Outer) > 1);
        let buffers = vec![if is_double_buffered { 2 } else { 1 }; inputs];
        let shared = choices.inputs.iter().map(|input| input.is_shared).collect();
        let rows = choices.inputs.iter().map(|input| input.row).collect();
        let mut tiling = Tiling { columns, axes, grid, shared, rows, pads: vec![0; inputs], buffers };
        let pad = |buffer: usize| match choices.inputs[buffer].is_shared {
            true => self.model.pad(&tiling, buffer, choices.inputs[buffer].padding),
            false => 0,
        };
        tiling.pads = (0..inputs).map(pad).collect();
        Some(tiling)
    }

    /// Returns the dimensions of the grid, x first: blocks that run at the same time write adjacent elements. If there are
    /// too many blocks along y or z, the longest dimension becomes x, and others become loops.
    fn grid(&self, columns: &mut [Column], axes: &[usize]) -> Vec<usize> {
        let written = |&d: &usize| {
            let mut outputs = self.problem.accesses.iter().filter(|access| access.is_output && access.depends_on(d));
            outputs.next().map_or(u64::MAX, |access| access.distance(d))
        };
        let mut axes = axes.to_vec();
        axes.sort_by_key(written);
        let blocks = |columns: &[Column], d: usize| columns[d].of(TilingLevel::Blocks);
        let fits = |columns: &[Column], axes: &[usize]| {
            let rest = axes.iter().skip(2).fold(1u64, |rest, &d| rest.saturating_mul(blocks(columns, d)));
            axes.get(1).is_none_or(|&y| blocks(columns, y) <= MAX_BLOCKS) && rest <= MAX_BLOCKS
        };
        if fits(columns, &axes) {
            return axes;
        }
        let mut grid = axes;
        grid.sort_by_key(|&d| std::cmp::Reverse(blocks(columns, d)));
        for &d in grid.iter().skip(1).rev() {
            if fits(columns, &grid) {
                break;
            }
            let column = &mut columns[d];
            if column.dynamic.is_none() && self.problem.concatenates(d) {
                column.parts.swap(TilingLevel::Blocks as usize, TilingLevel::Outer as usize);
                column.strides[TilingLevel::Outer as usize] = column.strides[TilingLevel::Blocks as usize];
            }
        }
        grid
    }
}
