//! Kernel launches: the mapping of levels to grid and block, and kernels over the elements of buffers.
//!
//! ```text
//! kernel of blocks (1, 1), threads (2, 1)   ──▶   gpu.launch blocks(..) threads(..): map level (1, 1) to block.x, ..
//! ```
use super::{
    exchange::counts_slower,
    kernel::{KernelContext, Mapped, delinearize},
    kernel_memory::KernelMemory,
    linearized::Linearized,
};
use crate::{
    nest::{
        code::Code,
        construction::Construction,
        cursor::{Cursor, ExecutionSpace},
        index::Index::{self, Computed, Constant},
        loops::{self, Scope},
        space::Point,
        tree::{self, Operation},
        types::Type,
    },
    plan::{DistributedLevel, DistributedLevels, KernelPhase},
};
use mdh_dialects::{
    ir::IntPredicate,
    schedule::{model::Level, roles::CoreRole},
};
use std::rc::Rc;

/// The most blocks of a grid in y and in z.
const MAX_BLOCKS: i64 = 65535;
/// The most threads of a block in z.
const MAX_THREADS_Z: i64 = 64;
/// The threads of a block in kernels that iterate over elements.
pub(super) const THREADS: i64 = 128;
/// The blocks of kernels whose threads process more than one element each.
const GRID_STRIDE_BLOCKS: i64 = 256;

/// The sizes of a grid or a block, and the levels that are mapped to each dimension.
struct GridSizes {
    sizes: [Index; 3],
    /// By dimension, fastest-varying first.
    levels: [Vec<(KernelPhase, Level, Index)>; 3],
}

/// Launches a kernel that distributes some levels over its blocks and threads.
pub fn launch<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    distributed: &DistributedLevels,
    body: impl FnOnce(Cursor<'t>),
) {
    let levels = distributed.levels.iter();
    let (blocks, threads): (Vec<_>, Vec<_>) = levels.partition(|known| known.role == CoreRole::Blocks);
    let mut sizes = (grid(nest, &cursor.b, &blocks), block(nest, &cursor.b, &threads));
    let combines = |known: &&DistributedLevel| {
        known.phase != KernelPhase::Scalar && nest.workload.operators[known.level.dimension].combines()
    };
    if let Some(count) = sizes.1.sizes[0].constant().filter(|_| threads.iter().any(combines)) {
        sizes.1.sizes[0] = Constant(nest.schedule.system.whole_warps(count));
    }
    launch_sizes(nest, cursor, sizes, Some(distributed), body);
}

/// Launches a kernel of these sizes. `distributed`: the levels that are mapped to it; `None` if its threads iterate
/// over elements.
fn launch_sizes<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    (grid, block): (GridSizes, GridSizes),
    distributed: Option<&DistributedLevels>,
    body: impl FnOnce(Cursor<'t>),
) {
    let b = &cursor.b;
    // A plan with a dynamic number of threads is refused before, except by reports.
    let threads = block.sizes.iter().map(|size| size.constant().unwrap_or(1)).fold(1i64, i64::saturating_mul);
    let inside = b.inside();
    let numbers: Vec<_> = (0..12).map(|_| b.argument(Type::INDEX)).collect();
    let ids: Vec<_> = numbers.iter().copied().map(Computed).collect();
    let linear = |ids: &[Index], sizes: &[Index; 3]| {
        let number = |i: usize| if sizes[i].constant() == Some(1) { Constant(0) } else { ids[i] };
        number(2).mul(&inside, sizes[1]).add(&inside, number(1)).mul(&inside, sizes[0]).add(&inside, number(0))
    };
    let blocks = grid.sizes.iter().fold(Constant(1), |product: Index, size| product.mul(b, *size));
    let (block_number, thread_number) = (linear(&ids[..3], &grid.sizes), linear(&ids[3..6], &block.sizes));
    let number = block_number.mul(&inside, Constant(threads)).add(&inside, thread_number);
    let all = blocks.mul(b, Constant(threads));
    let global = Scope::device(b);
    let kernel_memory = Rc::new(KernelMemory::new(global.clone(), [number, all]));
    let private = Scope::private(&inside, kernel_memory.clone());
    let mut mapped = vec![];
    grid.number(&inside, &ids[..3], false, &mut mapped);
    block.number(&inside, &ids[3..6], true, &mut mapped);
    let mapped = Rc::new(mapped);
    let kernel = KernelContext {
        global: global.clone(),
        private: private.clone(),
        block: block_number,
        blocks,
        thread: thread_number,
        threads,
        mapped: mapped.clone(),
        takes_part: None,
        active: None,
        fixed: vec![],
        unfixed: distributed.map_or(vec![], |distributed| distributed.unfixed.clone()),
        exchange: Rc::default(),
    };
    body(Cursor { b: inside, place: ExecutionSpace::Kernel(Box::new(kernel)), buffered_loop: None, ..cursor.clone() });
    let sizes = grid.sizes.iter().chain(&block.sizes);
    let mut operands: Vec<_> = sizes.map(|size| size.materialize(b)).collect();
    let asked = kernel_memory.lay_out(&private.place());
    operands.extend(asked);
    let shared = if asked.is_none() { kernel_memory.buffers() } else { vec![] };
    let kernel = tree::Kernel {
        numbers,
        body: inside.block(),
        shared,
        levels: distributed.map(|distributed| parts_of(nest, distributed, &mapped)),
        has_dynamic_shared_memory: asked.is_some(),
    };
    b.effect(Operation::Kernel(kernel), &operands);
    global.close(b);
}

/// The levels that are mapped to the kernel, each with its core role and the part number of the executing thread. A
/// level of two phases may have two part numbers.
fn parts_of<'t>(
    nest: &Construction<'_, 't>,
    distributed: &DistributedLevels,
    mapped: &[Mapped],
) -> Vec<tree::KernelLevel> {
    let mut parts = vec![];
    for DistributedLevel { level, role, .. } in &distributed.levels {
        for Mapped { number, .. } in mapped.iter().filter(|mapped| mapped.level == *level) {
            let share = tree::KernelLevel { level: *level, role: *role, part: *number };
            if !parts.contains(&share) {
                parts.push(share);
            }
        }
    }
    let roles = &nest.schedule.system.core_roles;
    parts.sort_by_key(|share| roles.iter().position(|role| *role == share.role));
    parts
}

/// By level, fastest-varying first: its dimension of the grid or block (at most 2), phase and part count.
fn counts<'t>(nest: &Construction<'_, 't>, levels: &[&DistributedLevel]) -> Vec<(usize, (KernelPhase, Level, Index))> {
    let count = |level: Level| nest.space.parts[level.layer][level.dimension];
    let mut levels = levels.to_vec();
    levels.sort_by_key(|known| counts_slower(&nest.schedule.system, &known.tag));
    let of = |known: &DistributedLevel| (known.phase, known.level, count(known.level));
    levels.into_iter().map(|known| (known.tag.dimension.min(2), of(known))).collect()
}

/// The grid. Dimensions beyond three are folded into z. If y or z would exceed its limit or is dynamic, all
/// dimensions are folded into x.
fn grid<'t>(nest: &Construction<'_, 't>, b: &Code<'t>, levels: &[&DistributedLevel]) -> GridSizes {
    let counts = counts(nest, levels);
    let sizes = GridSizes::new(b, &counts, |dimension| dimension);
    let fits = |size: &Index| size.constant().is_some_and(|size| size <= MAX_BLOCKS);
    if sizes.sizes[1..].iter().all(fits) { sizes } else { GridSizes::new(b, &counts, |_| 0) }
}

/// The block. If the phases differ, if the system has warps, or if z would exceed its limit, all threads are in x.
fn block<'t>(nest: &Construction<'_, 't>, b: &Code<'t>, levels: &[&DistributedLevel]) -> GridSizes {
    let counts = counts(nest, levels);
    let is_one_phase = levels.iter().all(|known| known.phase == KernelPhase::Both);
    let is_flat = !is_one_phase || nest.schedule.system.has_warps();
    let sizes = GridSizes::new(b, &counts, |dimension| if is_flat { 0 } else { dimension });
    let fits = sizes.sizes[2].constant().is_some_and(|size| size <= MAX_THREADS_Z);
    if fits { sizes } else { GridSizes::new(b, &counts, |_| 0) }
}

/// Launches a kernel of a fixed size. `body` gets the linear thread index in the launch, and the number of threads.
pub fn on_all<'t>(nest: &Construction<'_, 't>, cursor: &Cursor<'t>, body: impl FnOnce(&Cursor<'t>, Index, Index)) {
    let sizes = |size: i64| GridSizes { sizes: [Constant(size), Constant(1), Constant(1)], levels: Default::default() };
    launch_sizes(nest, cursor, (sizes(GRID_STRIDE_BLOCKS), sizes(THREADS)), None, |cursor| {
        let Some(kernel) = cursor.kernel() else { return };
        let number = kernel.block.mul(&cursor.b, Constant(THREADS)).add(&cursor.b, kernel.thread);
        body(&cursor, number, Constant(GRID_STRIDE_BLOCKS * THREADS));
    });
}

/// Launches a kernel with `threads` threads for each element of the iteration space at the cursor in some
/// dimensions. `apart`: a level whose part number is enumerated separately.
pub fn on_elements<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    dimensions: &[usize],
    apart: Option<Level>,
    threads: i64,
    body: &mut dyn FnMut(&Cursor<'t>, &Point, Index),
) {
    let b = &cursor.b;
    let linearized = Linearized::new(b, nest, &cursor.point, dimensions, apart);
    let total = linearized.total;
    let each = if threads > 1 { 1 } else { THREADS };
    let width = each * threads;
    let blocks = total.ceildiv(b, Constant(each));
    let (grid, block) = ([blocks, Constant(1), Constant(1)], [Constant(width), Constant(1), Constant(1)]);
    let sizes = |sizes: [Index; 3]| GridSizes { sizes, levels: Default::default() };
    launch_sizes(nest, cursor, (sizes(grid), sizes(block)), None, |cursor| {
        let b = &cursor.b;
        let Some(kernel) = cursor.kernel() else { return };
        let (block, thread) = (kernel.block, kernel.thread);
        let (number, thread) =
            if threads > 1 { (block, thread) } else { (block.mul(b, Constant(THREADS)).add(b, thread), Constant(0)) };
        let mut run = |b: &Code<'t>| {
            let (point, exists) = linearized.at(b, nest, &cursor.point, number);
            let inner = Cursor { b: *b, ..cursor.clone() }.in_kernel(|kernel| kernel.active = exists);
            body(&inner, &point, thread);
        };
        match total.constant() {
            _ if threads > 1 => run(b),
            Some(total) if total % THREADS == 0 => run(b),
            _ => {
                let exists = number.compare(b, IntPredicate::Slt, total);
                let then = |b: &Code<'t>| {
                    run(b);
                    vec![]
                };
                loops::branch(b, exists, &[], then, |_| vec![]);
            }
        }
    });
}

impl GridSizes {
    fn new(b: &Code<'_>, counts: &[(usize, (KernelPhase, Level, Index))], place: impl Fn(usize) -> usize) -> Self {
        let mut levels = [vec![], vec![], vec![]];
        for (dimension, level) in counts {
            levels[place(*dimension)].push(*level);
        }
        let size = |levels: &Vec<(KernelPhase, Level, Index)>| {
            let of = |phase: KernelPhase| {
                let counts = levels.iter().filter(|level| level.0 == phase).map(|level| level.2);
                counts.fold(Constant(1), |product: Index, count| product.mul(b, count))
            };
            of(KernelPhase::Scalar).max(b, of(KernelPhase::Recompose)).mul(b, of(KernelPhase::Both))
        };
        Self { sizes: [size(&levels[0]), size(&levels[1]), size(&levels[2])], levels }
    }

    /// Appends the mapping of each level, with the part number of a block or thread computed from its IDs in the three
    /// dimensions. Levels of both phases are appended once.
    fn number(&self, b: &Code<'_>, ids: &[Index], is_threads: bool, mapped: &mut Vec<Mapped>) {
        let mut stride = 1i64;
        for ((levels, id), size) in self.levels.iter().zip(ids).zip(&self.sizes) {
            // Starts with the phase that has levels of its own: there, a common level is not the last digit, so all
            // threads have a part of it.
            let has_more = levels.iter().any(|level| level.0 == KernelPhase::Scalar) || !is_threads;
            let phases = if has_more {
                [KernelPhase::Scalar, KernelPhase::Recompose]
            } else {
                [KernelPhase::Recompose, KernelPhase::Scalar]
            };
            for phase in phases {
                for level in of_phase(b, levels, phase, (*id, *size), is_threads.then_some(stride)) {
                    if !mapped.iter().any(|known| known.phase == level.phase && known.level == level.level) {
                        mapped.push(level);
                    }
                }
            }
            stride = stride.saturating_mul(size.constant().unwrap_or(1));
        }
    }
}

/// The levels of a phase in one dimension of the grid or block; their part numbers are the digits of the ID in this
/// dimension. `stride`: the distance of adjacent threads of this dimension; `None` for blocks.
fn of_phase<'t>(
    b: &Code<'t>,
    levels: &[(KernelPhase, Level, Index)],
    phase: KernelPhase,
    (id, size): (Index, Index),
    mut stride: Option<i64>,
) -> Vec<Mapped> {
    let of = |phase: KernelPhase| levels.iter().filter(move |level| level.0 == phase);
    let chosen: Vec<_> = of(KernelPhase::Both).chain(of(phase)).collect();
    let counts: Vec<_> = chosen.iter().map(|level| level.2).collect();
    let numbers = delinearize(b, id, &counts);
    let total = counts.iter().map(|count| count.constant()).product::<Option<i64>>();
    // If the other phase has more parts, or the block is padded to whole warps, the last digit of this phase may be
    // past its last part.
    let is_full = match total {
        Some(_) => total == size.constant(),
        None => of(KernelPhase::Scalar).chain(of(KernelPhase::Recompose)).next().is_none(),
    };
    let levels = chosen.iter().zip(numbers).enumerate().map(|(i, (&&(phase, level, count), number))| {
        let is_bounded = is_full || i + 1 < chosen.len();
        let own = stride;
        stride = stride.map(|stride| stride.saturating_mul(count.constant().unwrap_or(1)));
        Mapped { phase, level, count, number, is_bounded, stride: own }
    });
    levels.collect()
}
