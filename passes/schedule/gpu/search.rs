//! The search: enumerates shapes of blocks, register tiles and what is in shared memory, and improves the best of them by small changes, as
//! long as the cost model expects a gain.
mod changes;

use super::{
    super::{
        climb::{self, Changes, Estimate, Found, Space, Stage, Strategy},
        cost::Prediction,
        problem::{BufferAccess, Problem},
    },
    build::REGISTERS,
    cost::{Model, Padding},
    tiling::{Column, Order, Place, Tiling},
};
use crate::{machine::device::Device, schedule::gpu::layers::Layers};

/// How many of the first choices are improved, of each kind, and how often at most.
const CLOSELY: usize = 8;
const OF_KIND: usize = 2;
const ROUNDS: usize = 10;
/// Points of reductions that a copy to shared memory is for at first.
const SLAB: u64 = 32;
/// The most blocks along y and along z, and the most threads along z.
const MOST_BLOCKS: u64 = 65535;
const MOST_THREADS_Z: u64 = 64;
/// The longest extent that has as many threads as points, whatever that is.
const SHORT: u64 = 64;
/// The most values of a thread that are combined with those of other threads.
const COMBINED: u64 = 8;
/// Tilings that should take so many times as long as the best one are left out of candidates: nobody would run them.
const SENSIBLE: f64 = 10.0;

/// What is searched for, and on what.
pub(super) struct Search<'a> {
    problem: &'a Problem,
    model: Model<'a>,
    /// The threads that a block may have, in warps of so many, or without warps.
    most_threads: u64,
    warps: Option<(u64, u64)>,
    is_strict: bool,
    /// Fewer points than this leave compute units without work.
    few: u64,
    /// By dimension how many accesses it walks along memory in, outputs before inputs.
    along: Vec<u64>,
}

/// The choices that a tiling is made from.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::schedule) struct Choices {
    /// The dimensions of the threads, x first.
    axes: Vec<usize>,
    dimensions: Vec<Dimension>,
    inputs: Vec<Input>,
    /// Whether what is in shared memory is copied while the part before is in use.
    is_ahead: bool,
}

/// What is done of a dimension.
#[derive(Clone, Debug, PartialEq)]
struct Dimension {
    /// Threads of a block.
    threads: u64,
    /// Values in registers.
    registers: u64,
    /// Points of a reduction between copies.
    inner: u64,
    /// Blocks of what is combined.
    blocks: u64,
    /// Whether the values in registers are neighbours, and not those of threads.
    is_blocked: bool,
}

/// What is done with an input.
#[derive(Clone, Debug, PartialEq)]
struct Input {
    is_shared: bool,
    /// The axis that rows in shared memory are along.
    row: usize,
    /// What rows in shared memory are longer than what is in them for.
    padding: Padding,
}

impl Choices {
    /// Whether anything is in shared memory.
    fn is_shared(&self) -> bool {
        self.inputs.iter().any(|input| input.is_shared)
    }
}

impl Space for Search<'_> {
    type Choices = Choices;
    /// The dimension along x, and whether anything is in shared memory: what is improved around a tile differs by them.
    type Kind = (Option<usize>, bool);

    const STRATEGY: Strategy = Strategy {
        rankings: &[|estimate| estimate.seconds],
        of_kind: OF_KIND,
        kinds: usize::MAX,
        all: CLOSELY,
        stages: &[Stage { rounds: ROUNDS, kept: CLOSELY }],
    };

    fn starts(&self) -> Vec<Choices> {
        self.first()
    }

    fn kind(&self, choices: &Choices) -> Self::Kind {
        (choices.axes.first().copied(), choices.is_shared())
    }

    fn cost(&self, choices: &Choices, limit: Option<f64>) -> Option<Estimate> {
        self.model.estimate(&self.tiling(choices)?, limit)
    }

    fn change(&self, changes: &mut Changes<'_, Choices>) {
        (0..self.rank()).for_each(|d| self.divide(changes, d));
        self.share(changes);
    }
}

impl<'a> Search<'a> {
    pub(super) fn new(problem: &'a Problem, device: &'a Device, layers: &Layers<'_>, is_strict: bool) -> Self {
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
            model: Model::new(problem, device),
            most_threads,
            warps,
            is_strict: is_strict && problem.is_inexact,
            few: device.compute_units.saturating_mul(device.most_threads_per_unit),
        }
    }

    /// At most so many tilings with what is expected of them, the best one first.
    pub(super) fn run(&self, count: usize) -> Vec<(Tiling, Prediction)> {
        let climb = climb::search(self);
        let (best, seconds) = match climb.best.first() {
            Some(best) => (best.choices.clone(), best.seconds),
            None => (self.least(), f64::INFINITY),
        };
        let tiling = |choices: &Choices| {
            let tiling = self.tiling(choices)?;
            let prediction = self.model.predict(&tiling, true)?;
            Some((tiling, prediction))
        };
        let mut chosen: Vec<(Tiling, Prediction)> =
            tiling(&best).or_else(|| tiling(&self.least())).into_iter().collect();
        if count > 1 {
            let improved = climb.best.into_iter().map(|Found { seconds, choices, .. }| (seconds, choices));
            let starts = climb.starts.into_iter().map(|(cost, choices)| (cost.seconds, choices));
            let others = improved.chain(starts).filter(|(cost, _)| *cost <= SENSIBLE * seconds);
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

    /// Whether threads or blocks may take a dimension apart.
    fn may_split(&self, d: usize) -> bool {
        self.problem.concatenates(d) || !self.is_strict
    }

    /// Whether blocks may take apart what is combined: without them there would not be work for all units.
    fn may_split_blocks(&self, d: usize) -> bool {
        let kept = (0..self.rank()).filter(|&d| self.problem.concatenates(d)).map(|d| self.problem.extent(d));
        !self.problem.concatenates(d) && self.may_split(d) && kept.fold(1u64, u64::saturating_mul) < self.few
    }

    /// Whether the loop over a reduction may be taken apart.
    fn may_tile(&self, d: usize) -> bool {
        let reduced = (0..self.rank()).filter(|&d| self.problem.reduces(d)).count();
        self.problem.reduces(d) && (!self.is_strict || reduced == 1)
    }

    /// Whether a thread may have several values of a dimension in registers: an input is the same for them, it copies a block for others to
    /// transpose, or it scans them.
    fn may_unroll(&self, d: usize) -> bool {
        let inputs = || self.problem.accesses.iter().filter(|access| !access.is_output);
        let is_pure = || !(0..self.rank()).any(|d| self.problem.reduces(d));
        let is_reused = self.problem.concatenates(d) && inputs().any(|access| !access.depends_on(d));
        let is_copied = || self.problem.concatenates(d) && inputs().any(|access| self.is_transposed(access));
        is_reused && !is_pure() || is_pure() && (self.problem.is_scan(d) || is_copied())
    }

    /// Whether neighbours of an input are not those of the first output.
    fn is_transposed(&self, access: &BufferAccess) -> bool {
        let along =
            |access: &BufferAccess| (0..self.rank()).find(|&d| access.distance(d) == 1 && self.problem.extent(d) > 1);
        let output = self.problem.accesses.iter().find(|access| access.is_output).and_then(along);
        along(access).zip(output).is_some_and(|(own, other)| own != other && self.problem.concatenates(own))
    }

    /// Whether an input is the same for several threads, in one of its dimensions or where windows overlap, or those that read neighbours in
    /// memory are not those that write them.
    fn may_share(&self, buffer: usize) -> bool {
        let mut accesses = self.problem.accesses.iter().filter(|access| !access.is_output && access.buffer == buffer);
        let is_same =
            |access: &BufferAccess| (0..self.rank()).any(|d| self.problem.concatenates(d) && !access.depends_on(d));
        let is_reduced = (0..self.rank()).any(|d| self.problem.reduces(d));
        let slides = |access: &BufferAccess| (0..self.rank()).any(|d| self.overlaps(access, d));
        accesses.any(|access| match is_reduced {
            true => is_same(access) || slides(access),
            false => self.is_transposed(access) && (0..self.rank()).all(|d| self.problem.concatenates(d)),
        })
    }

    /// Whether neighbours in a concatenated dimension have windows of an input that overlap.
    fn overlaps(&self, access: &BufferAccess, d: usize) -> bool {
        !access.is_output && self.problem.concatenates(d) && access.map.slides_along(d)
    }

    /// The choice of one thread and no tiles.
    fn least(&self) -> Choices {
        let rank = self.rank();
        let distance = |&d: &usize| {
            let accesses = self.problem.accesses.iter();
            accesses.map(|access| access.distance(d)).filter(|stride| *stride > 0).min().unwrap_or(u64::MAX)
        };
        let mut axes: Vec<_> = (0..rank).collect();
        axes.sort_by_key(distance);
        let one = Dimension { threads: 1, registers: 1, inner: 1, blocks: 1, is_blocked: false };
        let input = |rank: &usize| Input { is_shared: false, row: rank.saturating_sub(1), padding: Padding::None };
        let inputs = self.problem.shape.inputs.iter().map(input).collect();
        Choices { axes, dimensions: vec![one; rank], inputs, is_ahead: false }
    }

    /// Shapes of blocks over pairs of dimensions, with register tiles and copies.
    fn first(&self) -> Vec<Choices> {
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
                    for (of_x, of_y) in [(1, 1), (1, 4), (4, 4), (4, 8), (8, 8)] {
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
                        // Neighbours in registers read what their windows share once.
                        let slides = |choices: &Choices, d: usize| {
                            let mut accesses = self.problem.accesses.iter();
                            choices.dimensions[d].registers > 1 && accesses.any(|access| self.overlaps(access, d))
                        };
                        for d in 0..self.rank() {
                            choices.dimensions[d].is_blocked = slides(&choices, d);
                        }
                        if shares.contains(&true) {
                            let mut copied = choices.clone();
                            let inputs = copied.inputs.iter_mut().zip(&shares);
                            inputs.for_each(|(input, shares)| input.is_shared = *shares);
                            let mut slab = SLAB;
                            for &d in least.axes.iter().filter(|d| self.may_tile(**d)) {
                                copied.dimensions[d].inner = self.problem.extent(d).min(slab);
                                slab = slab.div_ceil(copied.dimensions[d].inner);
                            }
                            all.push(copied);
                        }
                        // Reductions that are taken apart fill the device where there is little else.
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

    /// The tiling of choices; none if it breaks a limit that the cost model does not know.
    fn tiling(&self, choices: &Choices) -> Option<Tiling> {
        let (problem, rank) = (self.problem, self.rank());
        let product = |of: fn(&Dimension) -> u64| choices.dimensions.iter().map(of).fold(1u64, u64::saturating_mul);
        let (threads, values) = (product(|d| d.threads), product(|d| d.registers));
        if threads > self.most_threads || values > REGISTERS {
            return None;
        }
        // Many values of each thread are not combined with those of others.
        if values > COMBINED && (0..rank).any(|d| problem.reduces(d) && choices.dimensions[d].threads > 1) {
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
            // Threads that scan have their values in registers, so that blocks take what is left.
            let is_whole = problem.concatenates(d) || (problem.is_scan(d) && all > 1);
            let is_split = is_whole || choices.dimensions[d].blocks > 1;
            let (blocks, outer) = if is_whole {
                (extent.div_ceil(point), 1)
            } else {
                let outer = extent.div_ceil(choices.dimensions[d].blocks).div_ceil(point);
                (extent.div_ceil(point.saturating_mul(outer)), outer)
            };
            let dynamic = is_unknown.then_some(if is_split { Place::Blocks } else { Place::Outer });
            let parts = [blocks, outer, inner, registers, all / lanes[d], lanes[d]];
            let order = match () {
                () if problem.is_scan(d) => Order::Scan,
                () if choices.dimensions[d].is_blocked => Order::Blocked,
                () => Order::Cyclic,
            };
            Column::new(parts, extent, dynamic, order)
        };
        let mut columns: Vec<_> = (0..rank).map(column).collect();
        // Neighbouring threads walk along memory; what has one thread needs no axis in front of the others.
        let mut axes = choices.axes.clone();
        axes.sort_by_key(|&d| {
            let has_threads = columns[d].covered(&[Place::Warps, Place::Threads]) > 1;
            std::cmp::Reverse(has_threads.then_some(self.along[d]))
        });
        let along_z = axes.iter().skip(2).map(|&d| columns[d].covered(&[Place::Warps, Place::Threads]));
        if along_z.product::<u64>() > MOST_THREADS_Z {
            return None;
        }
        let grid = self.grid(&mut columns, &axes);
        let inputs = choices.inputs.len();
        let is_ahead = choices.is_ahead && columns.iter().any(|column| column.of(Place::Outer) > 1);
        let buffers = vec![if is_ahead { 2 } else { 1 }; inputs];
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

    /// The dimensions of the blocks, x first. Where there are too many along y or z, the longest is x, and others become loops.
    fn grid(&self, columns: &mut [Column], axes: &[usize]) -> Vec<usize> {
        let blocks = |columns: &[Column], d: usize| columns[d].of(Place::Blocks);
        let fits = |columns: &[Column], axes: &[usize]| {
            let rest = axes.iter().skip(2).fold(1u64, |rest, &d| rest.saturating_mul(blocks(columns, d)));
            axes.get(1).is_none_or(|&y| blocks(columns, y) <= MOST_BLOCKS) && rest <= MOST_BLOCKS
        };
        if fits(columns, axes) {
            return axes.to_vec();
        }
        let mut grid = axes.to_vec();
        grid.sort_by_key(|&d| std::cmp::Reverse(blocks(columns, d)));
        for &d in grid.iter().skip(1).rev() {
            if fits(columns, &grid) {
                break;
            }
            let column = &mut columns[d];
            if column.dynamic.is_none() && self.problem.concatenates(d) {
                column.parts.swap(Place::Blocks as usize, Place::Outer as usize);
                column.strides[Place::Outer as usize] = column.strides[Place::Blocks as usize];
            }
        }
        grid
    }
}
