//! Kernel launches: which steps form a kernel, the mapping of levels to grid and block, and reductions across blocks.
//!
//! ```text
//! R: k (SMX, +), i (CC, ++), ..   ──▶   gpu.launch blocks(k): partial[k][i] = ..
//!                                       gpu.launch blocks(i) threads(t): w[i] = partial[0][i] + partial[1][i] + ..
//! ```
//!
//! Kernels are as large as possible: all steps from a step on form one kernel, unless blocks exchange values inside of
//! it. The steps before it run on the host, as loops around kernels.
use super::{
    exchange::counts_slower,
    kernel::{KernelContext, KernelPhase, Mapped, delinearize},
    kernel_memory::KernelMemory,
    limits::Limits,
    linearized::Linearized,
};
use crate::nest::{
    accumulator::Accumulator,
    code::Code,
    construction::Construction,
    contents::ContentKind,
    cursor::{Cursor, ExecutionSpace},
    index::Index::{self, Computed, Constant},
    loops::{self, Scope},
    space::Point,
    tile::and,
    tree::{self, Operation},
    types::Type,
};
use mdh_dialects::{
    ir::IntPredicate,
    schedule::{
        model::{Level, Step, Tag},
        rules::name,
    },
};
use std::rc::Rc;

/// The most blocks of a grid in y and in z.
const MAX_BLOCKS: i64 = 65535;
/// The most threads of a block in z.
const MAX_THREADS_Z: i64 = 64;
/// The threads of a block in kernels that iterate over elements.
const THREADS: i64 = 128;
/// The blocks of kernels whose threads process more than one element each.
const GRID_STRIDE_BLOCKS: i64 = 256;

/// The levels that are distributed over the blocks and threads of a kernel.
#[derive(Clone, Debug, Default)]
pub struct DistributedLevels {
    /// By phase.
    pub levels: Vec<(KernelPhase, Level, Tag)>,
    /// Levels of threads that are fixed at the position of their step, inside of other steps, and not at the entry of
    /// the kernel.
    pub unfixed: Vec<Level>,
}

/// The sizes of a grid or a block, and the levels that are mapped to each dimension.
struct GridSizes {
    sizes: [Index; 3],
    /// By dimension, fastest-varying first.
    levels: [Vec<(KernelPhase, Level, Index)>; 3],
}

impl<'t> Construction<'_, 't> {
    /// True if the steps from `j` on fit into one kernel: blocks do not exchange values in them.
    pub fn fits_kernel(&self, j: usize, cursor: &Cursor<'t>) -> bool {
        let combines = |step: &&Step| {
            self.schedule.is_block(step.level, &step.tag) && self.workload.operators[step.level.dimension].combines()
        };
        if self.schedule.recompose[j..].iter().any(|step| combines(&step)) {
            return false;
        }
        cursor.results.is_some() || !self.has_blocks_inside()
    }

    /// True if a level is distributed over blocks inside of the loops that the scalar phase and the re-composition
    /// share.
    pub fn has_blocks_inside(&self) -> bool {
        self.schedule.has_blocks_inside(self.shared)
    }

    /// Entry of a kernel: computes the parts of producers and promotes the inputs that the host could not, and runs a
    /// separate scalar phase before the re-composition.
    fn begin(&self, cursor: &mut Cursor<'t>) {
        *cursor = cursor.begin(KernelPhase::Recompose);
        self.compute_producers(cursor, true);
        self.promote(cursor, true);
        self.materialize(cursor);
    }

    /// The levels that a kernel for the steps from `j` on distributes.
    fn distributed(&self, j: usize, cursor: &Cursor<'t>) -> DistributedLevels {
        let mut distributed = DistributedLevels::default();
        for step in self.schedule.recompose[j..].iter().filter(|step| self.schedule.is_loop(step.level)) {
            if !self.schedule.is_core(&step.tag) {
                continue;
            }
            let is_shared = cursor.results.is_some() || self.is_shared_loop(step.level);
            let phase = if is_shared { KernelPhase::Both } else { KernelPhase::Recompose };
            distributed.levels.push((phase, step.level, step.tag.clone()));
            // Levels that are not common are fixed after the copies of common steps, even if the scalar phase has
            // already run.
            let is_first = self.is_shared_loop(step.level);
            if !is_first || self.workload.operators[step.level.dimension].combines() {
                distributed.unfixed.push(step.level);
            }
        }
        if cursor.results.is_none() {
            distributed.levels.extend(self.scalar_levels(self.shared));
        }
        distributed
    }

    /// True if a level is among the loops that the scalar phase and the re-composition share.
    fn is_shared_loop(&self, level: Level) -> bool {
        self.schedule.scalar_loops()[..self.shared].iter().any(|(known, _)| *known == level)
    }

    /// The levels that the scalar phase distributes inside of its first `depth` loops.
    fn scalar_levels(&self, depth: usize) -> Vec<(KernelPhase, Level, Tag)> {
        let loops = self.schedule.scalar_loops().into_iter().skip(depth);
        loops
            .filter(|(_, tag)| self.schedule.is_core(tag))
            .map(|(l, tag)| (KernelPhase::Scalar, l, tag.clone()))
            .collect()
    }

    /// Delivers the results of the steps from `j` on by a kernel, launched from the host. Returns false if they do not
    /// fit into one kernel.
    pub fn recompose_on_device(&self, j: usize, cursor: &Cursor<'t>, into: &Accumulator) -> bool {
        if !self.fits_kernel(j, cursor) {
            return false;
        }
        let distributed = self.distributed(j, cursor);
        self.launch(cursor, &distributed, |mut cursor| {
            self.begin(&mut cursor);
            self.recompose(j, cursor, into.clone());
        });
        true
    }

    /// Runs the separate scalar phase as a kernel, launched from the host.
    pub fn scalar_phase_on_device(&self, cursor: &Cursor<'t>, results: &Accumulator) {
        let distributed = DistributedLevels { levels: self.scalar_levels(cursor.depth), unfixed: vec![] };
        self.launch(cursor, &distributed, |cursor| {
            let mut cursor = cursor.begin(KernelPhase::Scalar);
            self.promote(&mut cursor, true);
            self.scalar_phase(cursor, results);
        });
    }

    /// Launches a kernel that distributes some levels over its blocks and threads.
    pub fn launch(&self, cursor: &Cursor<'t>, distributed: &DistributedLevels, body: impl FnOnce(Cursor<'t>)) {
        let levels = distributed.levels.iter().cloned();
        let (blocks, threads): (Vec<_>, Vec<_>) =
            levels.partition(|(_, level, tag)| self.schedule.is_block(*level, tag));
        let mut sizes = (self.grid(&cursor.b, &blocks), self.block(&cursor.b, &threads));
        let combines = |(phase, level, _): &(KernelPhase, Level, Tag)| {
            *phase != KernelPhase::Scalar && self.workload.operators[level.dimension].combines()
        };
        if let Some(count) = sizes.1.sizes[0].constant().filter(|_| threads.iter().any(combines)) {
            sizes.1.sizes[0] = Constant(self.schedule.system.whole_warps(count));
        }
        self.launch_sizes(cursor, sizes, Some(distributed), body);
    }

    /// Launches a kernel of these sizes. `distributed`: the levels that are mapped to it; `None` if its threads iterate
    /// over elements.
    fn launch_sizes(
        &self,
        cursor: &Cursor<'t>,
        (grid, block): (GridSizes, GridSizes),
        distributed: Option<&DistributedLevels>,
        body: impl FnOnce(Cursor<'t>),
    ) {
        let b = &cursor.b;
        let constant = |size: &Index| {
            size.constant().unwrap_or_else(|| {
                let obstacle =
                    "requires a static number of threads, but a level of threads has ? parts of a dynamic extent";
                cursor.obstacle.fail(obstacle.to_owned());
                1
            })
        };
        let threads = block.sizes.iter().map(constant).fold(1i64, i64::saturating_mul);
        let Limits { device, threads: most, .. } = &*cursor.obstacle.limits;
        if threads.unsigned_abs() > *most {
            let parts = block.levels.iter().flatten().filter_map(|(phase, level, count)| {
                let phase = if *phase == KernelPhase::Scalar { " of the scalar phase" } else { "" };
                let count = count.constant()?;
                Some(format!("{count} for level {}{phase}", name(*level)))
            });
            let parts = parts.collect::<Vec<_>>().join(", ");
            cursor.obstacle.fail(format!(
                "requires at most {most} threads in a block on {device}, but the schedule has {threads}: {parts}"
            ));
        }
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
        let kernel_memory = Rc::new(KernelMemory::new(global.clone(), [number, all], cursor.obstacle.clone()));
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
            is_collective: false,
            is_redundant: false,
            exchange: Rc::default(),
        };
        body(Cursor {
            b: inside,
            place: ExecutionSpace::Kernel(Box::new(kernel)),
            buffered_loop: None,
            ..cursor.clone()
        });
        let sizes = grid.sizes.iter().chain(&block.sizes);
        let mut operands: Vec<_> = sizes.map(|size| size.materialize(b)).collect();
        let asked = kernel_memory.lay_out(&private.place());
        operands.extend(asked);
        let shared = if asked.is_none() { kernel_memory.buffers() } else { vec![] };
        let kernel = tree::Kernel {
            numbers,
            body: inside.block(),
            shared,
            levels: distributed.map(|distributed| self.parts_of(distributed, &mapped)),
            has_dynamic_shared_memory: asked.is_some(),
        };
        b.effect(Operation::Kernel(kernel), &operands);
        global.close(b);
    }

    /// The levels that are mapped to the kernel, each with its core role and the part number of the executing thread. A
    /// level of two phases may have two part numbers.
    fn parts_of(&self, distributed: &DistributedLevels, mapped: &[Mapped]) -> Vec<tree::KernelLevel> {
        let mut parts = vec![];
        for (_, level, tag) in &distributed.levels {
            let Some(role) = self.schedule.system.core_role(&tag.layer) else { continue };
            for Mapped { number, .. } in mapped.iter().filter(|mapped| mapped.level == *level) {
                let share = tree::KernelLevel { level: *level, role, part: *number };
                if !parts.contains(&share) {
                    parts.push(share);
                }
            }
        }
        let roles = &self.schedule.system.core_roles;
        parts.sort_by_key(|share| roles.iter().position(|role| *role == share.role));
        parts
    }

    /// By level, fastest-varying first: its dimension of the grid or block (at most 2), phase and part count.
    fn counts(&self, levels: &[(KernelPhase, Level, Tag)]) -> Vec<(usize, (KernelPhase, Level, Index))> {
        let count = |level: &Level| self.space.parts[level.layer][level.dimension];
        let mut levels: Vec<_> = levels.iter().collect();
        levels.sort_by_key(|(_, _, tag)| counts_slower(&self.schedule.system, tag));
        levels.into_iter().map(|(phase, level, tag)| (tag.dimension.min(2), (*phase, *level, count(level)))).collect()
    }

    /// The grid. Dimensions beyond three are folded into z. If y or z would exceed its limit or is dynamic, all
    /// dimensions are folded into x.
    fn grid(&self, b: &Code<'t>, levels: &[(KernelPhase, Level, Tag)]) -> GridSizes {
        let counts = self.counts(levels);
        let sizes = GridSizes::new(b, &counts, |dimension| dimension);
        let fits = |size: &Index| size.constant().is_some_and(|size| size <= MAX_BLOCKS);
        if sizes.sizes[1..].iter().all(fits) { sizes } else { GridSizes::new(b, &counts, |_| 0) }
    }

    /// The block. If the phases differ, if the system has warps, or if z would exceed its limit, all threads are in x.
    fn block(&self, b: &Code<'t>, levels: &[(KernelPhase, Level, Tag)]) -> GridSizes {
        let counts = self.counts(levels);
        let is_one_phase = levels.iter().all(|level| level.0 == KernelPhase::Both);
        let is_flat = !is_one_phase || self.schedule.system.has_warps();
        let sizes = GridSizes::new(b, &counts, |dimension| if is_flat { 0 } else { dimension });
        let fits = sizes.sizes[2].constant().is_some_and(|size| size <= MAX_THREADS_Z);
        if fits { sizes } else { GridSizes::new(b, &counts, |_| 0) }
    }

    /// Runs the parts of the level of step `j`. If blocks exchange no values inside of it, each part has its own blocks
    /// in one kernel; otherwise the host runs them one after the other.
    pub fn each_on_blocks(&self, j: usize, cursor: &Cursor<'t>, trip: Index, body: &mut dyn FnMut(Cursor<'t>, Index)) {
        let Some(step) = self.schedule.recompose.get(j) else { return };
        let Level { layer, dimension } = step.level;
        let first = Cursor {
            point: cursor.point.with(dimension, layer, layer, Constant(0)),
            depth: cursor.depth + 1,
            ..cursor.clone()
        };
        if !self.fits_kernel(j + 1, &first) {
            loops::sequential(&cursor.b.over(step.level), trip, |b, number| {
                let mut inner = cursor.inside(b, step.level, number);
                self.enter(&mut inner);
                body(inner, number);
            });
            return;
        }
        let mut distributed = self.distributed(j + 1, &first);
        distributed.levels.push((KernelPhase::Both, step.level, step.tag.clone()));
        self.launch(cursor, &distributed, |cursor| {
            let mut inner = self.fix(&cursor, KernelPhase::Both, step.level);
            self.begin(&mut inner);
            let number = inner.point.number(step.level).unwrap_or(Constant(0));
            body(inner, number);
        });
    }

    /// Reduces a level that is distributed over blocks: one kernel computes partial results of all parts, and a second
    /// one combines them.
    pub fn reduce_blocks(&self, j: usize, cursor: &Cursor<'t>, trip: Index, into: &Accumulator) {
        let (Some(step), Some(combiner)) = (self.schedule.recompose.get(j), &self.combiner) else { return };
        let Level { layer, dimension } = step.level;
        let first = Cursor { point: cursor.point.with(dimension, layer, layer, Constant(0)), ..cursor.clone() };
        let lead = Some(self.space.parts[layer][dimension]);
        // Partial results are placed where the blocks combine them, whatever placements the steps of a block use.
        let cause = self.because_of_recompose(j);
        let partial = self.allocate(&first, &step.placements, None, lead, (ContentKind::Partial, cause));
        self.each_on_blocks(j, cursor, trip, &mut |inner, number| self.recompose(j + 1, inner, partial.at(number)));
        // One block for each element; its threads distribute the parts.
        let threads = self.schedule.system.whole_warps(trip.constant().map_or(THREADS, |trip| trip.min(THREADS)));
        self.on_elements(cursor, &self.non_reduction_dimensions(), None, threads, &mut |cursor, point, thread| {
            let b = &cursor.b;
            let value = |b: &Code<'t>, number: Index| {
                let point = point.with(dimension, layer, layer, number);
                partial.at(number).load(b, &self.space, &point)
            };
            let valid = trip.min(b, Constant(threads));
            let first = value(b, thread.min(b, valid.sub(b, Constant(1))));
            let more = trip.sub(b, thread).sub(b, Constant(1)).max(b, Constant(0)).div(b, Constant(threads));
            let sum = loops::carried(&b.over(step.level), Constant(0), more, &first, |b, i, sum| {
                let number = i.add(b, Constant(1)).mul(b, Constant(threads)).add(b, thread);
                combiner.combine(b, sum, &value(b, number), None)
            });
            let sum = self.across(cursor, (thread, threads, 1), valid, cause, &sum);
            let is_first = thread.compare(b, IntPredicate::Eq, Constant(0));
            let cursor = cursor.in_kernel(|kernel| kernel.active = Some(and(b, kernel.active, is_first)));
            self.deliver(&cursor, b, point, into, &sum);
        });
    }

    /// Launches a kernel of a fixed size. `body` gets the linear thread index in the launch, and the number of threads.
    pub fn on_all(&self, cursor: &Cursor<'t>, body: impl FnOnce(&Cursor<'t>, Index, Index)) {
        let sizes =
            |size: i64| GridSizes { sizes: [Constant(size), Constant(1), Constant(1)], levels: Default::default() };
        self.launch_sizes(cursor, (sizes(GRID_STRIDE_BLOCKS), sizes(THREADS)), None, |cursor| {
            let Some(kernel) = cursor.kernel() else { return };
            let number = kernel.block.mul(&cursor.b, Constant(THREADS)).add(&cursor.b, kernel.thread);
            body(&cursor, number, Constant(GRID_STRIDE_BLOCKS * THREADS));
        });
    }

    /// Launches a kernel with `threads` threads for each element of the iteration space at the cursor in some
    /// dimensions. `apart`: a level whose part number is enumerated separately.
    pub fn on_elements(
        &self,
        cursor: &Cursor<'t>,
        dimensions: &[usize],
        apart: Option<Level>,
        threads: i64,
        body: &mut dyn FnMut(&Cursor<'t>, &Point, Index),
    ) {
        let b = &cursor.b;
        let linearized = Linearized::new(b, self, &cursor.point, dimensions, apart);
        let total = linearized.total;
        let each = if threads > 1 { 1 } else { THREADS };
        let width = each * threads;
        let blocks = total.ceildiv(b, Constant(each));
        let (grid, block) = ([blocks, Constant(1), Constant(1)], [Constant(width), Constant(1), Constant(1)]);
        let sizes = |sizes: [Index; 3]| GridSizes { sizes, levels: Default::default() };
        self.launch_sizes(cursor, (sizes(grid), sizes(block)), None, |cursor| {
            let b = &cursor.b;
            let Some(kernel) = cursor.kernel() else { return };
            let (block, thread) = (kernel.block, kernel.thread);
            let (number, thread) = if threads > 1 {
                (block, thread)
            } else {
                (block.mul(b, Constant(THREADS)).add(b, thread), Constant(0))
            };
            let mut run = |b: &Code<'t>| {
                let (point, exists) = linearized.at(b, self, &cursor.point, number);
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
