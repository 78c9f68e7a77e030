//! The buffers of a loop nest: promoted parts of inputs, and results of parts of the iteration space.
//!
//! The scope of an allocation follows from its memory: the processor, global memory of a device, shared memory of a
//! block, or private memory of a thread. In a kernel, a part in shared or global memory contains the elements that all
//! threads of the block reach, and all of them copy it.
//!
//! ```mlir
//! // mdh-opt --lower-mdh="stop-after=loops print-nest=true"
//! mdh.lowlevel.system @caches memory [MM: global, L1: cache] cores []
//! func.func @rows(%M: memref<6x8xf32>, %w: memref<6xf32>) {
//!   %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @caches, parts = [[3, 1], [2, 8]],
//!       decompose = {tags = [["MM,x", "MM,y"], ["L1,x", "L1,y"]], reads = [[["MM[1, 2]", "MM[1, 2]"], ["L1[2, 1]", "L1[2, 1]"]]]},
//!       scalar = {reads = ["L1[2, 1]"]}}} {
//!   ^bb0(%a: f32):
//!     mdh.hom.yield %a : f32
//!   } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
//!   mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<6x1, f32>, memref<6xf32>
//!   return
//! }
//! ```
//! becomes
//! ```text
//! allocate part1: 8 x 2 x f32 on the stack
//! for p1_1 in 0..3:
//!   promote input 1 to L1[2, 1]:
//!     for p2_2 in 0..8:
//!       for p2_1 in 0..2:
//!         %0 = load input 1[2 * p1_1 + p2_1, p2_2]
//!         store %0 to part1[p2_2, p2_1]
//!   for p2_1 in 0..2:
//!     ..
//!       %1 = for p2_2 in 0..8 carrying (%2 = ..):
//!         %3 = load part1[p2_2, p2_1]
//! ```
use crate::{
    analysis::index::Access,
    nest::{
        accumulator::Accumulator,
        construction::Construction,
        contents::{Cause, ContentKind, Contents},
        cursor::{Cursor, ExecutionSpace},
        gpu::double_buffer::Ahead,
        index::Index::{self, Constant},
        loops::Scope,
        source::Promotion,
        space::Point,
        store::Store,
        tree::Purpose,
    },
};
use mdh_dialects::schedule::{
    model::{Level, Placement, Schedule, Step},
    roles::Memory,
};

impl<'t> Construction<'_, 't> {
    /// Implements the de-composition steps at the depth of the cursor: copies each input whose placement changes to its
    /// new placement. The host implements only placements in global memory. Therefore, at the entry of a kernel
    /// (`begins`), the innermost of the steps at and around the cursor is implemented.
    pub fn promote(&self, cursor: &mut Cursor<'t>, begins: bool) {
        let distributes_inside = self.distributes_inside(cursor);
        for (i, placements) in self.placements_at(cursor, begins) {
            let copies = |(buffer, placement): (usize, &Placement)| {
                cursor.placements[buffer] != *placement && *placement != self.home_inputs[buffer]
            };
            let is_shared = |placement: &Placement| self.memory(&placement.region) != Memory::Private;
            let mut shared =
                placements.iter().enumerate().filter(|&(i, placement)| copies((i, placement)) && is_shared(placement));
            let kernel = cursor.kernel().filter(|_| shared.next().is_some()).cloned();
            if let Some(kernel) = &kernel {
                kernel.barrier(&cursor.b);
            }
            let mut ahead = vec![];
            for (buffer, placement) in placements.iter().enumerate() {
                let memory = self.memory(&placement.region);
                // Parts of the results of producers exist in kernels only.
                let is_in_kernel = memory != Memory::Global || self.workload.inputs[buffer].producer.is_some();
                if cursor.placements[buffer] == *placement
                    || matches!(cursor.place, ExecutionSpace::Host) && is_in_kernel
                {
                    continue;
                }
                cursor.placements[buffer] = placement.clone();
                if *placement == self.home_inputs[buffer] {
                    cursor.sources[buffer] = cursor.home[buffer].clone();
                    cursor.common[buffer] = cursor.home[buffer].clone();
                    cursor.placed_at[buffer] = 0;
                } else {
                    self.promote_input(cursor, (i, buffer), placement, distributes_inside, &mut ahead);
                }
            }
            if let Some(buffered_loop) = cursor.buffered_loop.filter(|_| !ahead.is_empty()) {
                self.copy_ahead(cursor, buffered_loop, placements, &ahead);
            }
            if let Some(kernel) = &kernel {
                kernel.barrier(&cursor.b);
            }
        }
    }

    /// The positions and placements of the de-composition steps at the depth of the cursor. The depth of a step is the
    /// number of loops before it, at most the number that the de-composition and the scalar phase share. The reads of
    /// the scalar phase have the position after the last step. At the entry of a kernel (`begins`), only the innermost
    /// of the steps up to this depth.
    pub fn placements_at(&self, cursor: &Cursor<'t>, begins: bool) -> Vec<(usize, &[Placement])> {
        let Schedule { decompose, scalar, .. } = self.schedule;
        let (mut depth, mut moves) = (0, vec![]);
        for (i, step) in decompose.iter().enumerate() {
            let at = depth.min(self.decomposed);
            if at == cursor.depth || begins && at < cursor.depth {
                moves.push((i, &step.placements[..]));
            }
            depth += usize::from(self.schedule.is_loop(step.level));
        }
        if cursor.depth == depth {
            moves.push((decompose.len(), &scalar.reads));
        }
        if begins {
            moves.drain(..moves.len().saturating_sub(1));
        }
        moves
    }

    /// True if the de-composition distributes a loop inside of the cursor's position over threads.
    pub fn distributes_inside(&self, cursor: &Cursor<'t>) -> bool {
        let loops = self.schedule.decompose.iter().filter(|step| self.schedule.is_loop(step.level));
        loops.skip(cursor.depth).any(|step| self.is_distributed(&step.tag))
    }

    /// Promotes the part of an input that the code inside of the cursor's position reads, to the placement of step `i`
    /// of the de-composition. Multi-buffered parts are added to `ahead` instead, to be copied ahead of their use.
    pub fn promote_input(
        &self,
        cursor: &mut Cursor<'t>,
        (i, buffer): (usize, usize),
        placement: &Placement,
        distributes_inside: bool,
        ahead: &mut Vec<Ahead>,
    ) {
        let memory = self.memory(&placement.region);
        let point = cursor.point_of(memory);
        let scope = self.scope(cursor, memory);
        let is_own = memory == Memory::Private || matches!(cursor.place, ExecutionSpace::Processor);
        let from = if is_own { &cursor.sources[buffer] } else { &cursor.common[buffer] };
        let buffered_loop = self.buffered_loop(cursor, buffer, placement);
        let contents = Contents::new(ContentKind::Input(buffer), self.because_of_decompose(i, buffer), placement);
        let promoted = from.iter().enumerate().map(|(group, source)| {
            let promotion = Promotion {
                // In a kernel, all threads are already running.
                parallel: distributes_inside && !cursor.is_in_parallel_loop && self.kernels.is_none(),
                ..self.promotion((buffer, group), placement, &point, &scope, buffered_loop.is_some())
            };
            let contents = Contents { part: group, ..contents.clone() };
            if let Some(number) = buffered_loop.and_then(|buffered_loop| cursor.point.number(buffered_loop.level)) {
                let b = &cursor.b;
                let part = source.part(b, &promotion, contents).at(Some(self.slot(b, number)));
                ahead.push(Ahead { buffer, group, from: source.clone(), to: part.clone() });
                return part;
            }
            let inside = cursor.within(Purpose::Promote { input: buffer, group, placement: placement.clone() });
            let b = &inside.b;
            match &cursor.place {
                ExecutionSpace::Host => {
                    let part = source.part(b, &promotion, contents);
                    self.on_all(&inside, |inner, number, count| {
                        source.copy_by_threads(&inner.b, &part, &promotion, (number, count));
                    });
                    part
                }
                ExecutionSpace::Kernel(kernel) if memory != Memory::Private => {
                    let block = (memory == Memory::Global).then_some(kernel.block);
                    let part = source.part(b, &promotion, contents).at(block);
                    source.copy_by_threads(b, &part, &promotion, (kernel.thread, Constant(kernel.threads)));
                    part
                }
                _ => source.promote(b, &promotion, contents),
            }
        });
        cursor.sources[buffer] = promoted.collect();
        if !is_own {
            cursor.common[buffer] = cursor.sources[buffer].clone();
            cursor.placed_at[buffer] = cursor.depth;
        }
    }

    /// The promotion of a part of a group of accesses, by input buffer and group.
    pub fn promotion<'a>(
        &'a self,
        (buffer, group): (usize, usize),
        placement: &'a Placement,
        point: &'a Point,
        scope: &'a Scope<'t>,
        is_multi_buffered: bool,
    ) -> Promotion<'a, 't> {
        Promotion {
            space: &self.space,
            scope,
            group: &self.groups[buffer][group],
            point,
            placement,
            is_multi_buffered,
            is_asynchronous: is_multi_buffered && self.copies_ahead(),
            tile: &self.tile,
            element: self.workload.inputs[buffer].array.element,
            parallel: false,
        }
    }

    /// The scope that allocates buffers in a kind of memory.
    pub fn scope(&self, cursor: &Cursor<'t>, memory: Memory) -> Scope<'t> {
        match (&cursor.place, memory) {
            (ExecutionSpace::Processor | ExecutionSpace::Host, _) => cursor.scope.clone(),
            (ExecutionSpace::Kernel(kernel), Memory::Global) => kernel.global.of_blocks(kernel.blocks),
            (ExecutionSpace::Kernel(kernel), Memory::Shared) => kernel.private.shared(),
            (ExecutionSpace::Kernel(kernel), Memory::Private) => kernel.private.clone(),
        }
    }

    /// Allocates buffers for the results of the iteration space at the cursor, including those of its register tile, in
    /// the layouts of `placements`. `order`: the dimensions that they store, before they are sorted by layout; by
    /// default the non-reduction dimensions. `lead`: the size of an additional leading dimension. The cause is the step
    /// that makes the buffers necessary.
    pub fn allocate(
        &self,
        cursor: &Cursor<'t>,
        placements: &[Placement],
        order: Option<Vec<usize>>,
        lead: Option<Index>,
        (what, cause): (ContentKind, Cause),
    ) -> Accumulator {
        let mut stores = vec![];
        let is_alone = self.workload.outputs.len() == 1;
        for (i, (output, placement)) in self.workload.outputs.iter().zip(placements).enumerate() {
            for (part, access) in output.accesses.iter().enumerate() {
                let dimensions = order.clone().unwrap_or_else(|| self.non_reduction_dimensions());
                let dimensions = by_layout(&dimensions, access, &placement.layout);
                let memory = self.memory(&placement.region);
                let scope = self.scope(cursor, memory);
                let point = cursor.point_of(memory);
                let (sizes, numbers): (Vec<_>, Vec<_>) = self.copies(cursor, memory).into_iter().unzip();
                let sizes: Vec<_> = sizes.into_iter().chain(lead).collect();
                let output_number = (!is_alone).then_some(i);
                let contents = Contents { output: output_number, part, ..Contents::new(what, cause, placement) };
                let element = output.array.element;
                let store = Store::allocate(&scope, &self.space, &point, &dimensions, &sizes, element, contents);
                let block = cursor.kernel().filter(|_| memory == Memory::Global).map(|kernel| kernel.block);
                stores.push(store.inside(block.into_iter().chain(numbers).collect()));
            }
        }
        Accumulator { stores, placements: placements.to_vec(), entered: vec![], inits: None }
    }

    /// The leading sizes and indices of a buffer in shared or global memory: each part of a reduction level that is
    /// distributed over threads has its own copy.
    fn copies(&self, cursor: &Cursor<'t>, memory: Memory) -> Vec<(Index, Index)> {
        let Some(kernel) = cursor.kernel().filter(|_| memory != Memory::Private) else { return vec![] };
        let reduced = kernel.fixed.iter().filter(|level| self.workload.operators[level.dimension].reduces());
        let copy = |level: &Level| Some((self.space.parts[level.layer][level.dimension], cursor.point.number(*level)?));
        reduced.filter_map(copy).collect()
    }
}

impl Construction<'_, '_> {
    /// The cause of a part of an input at step `i` of the de-composition, or at the scalar phase if `i` is past the
    /// last step: the first of the steps directly before it that have the same placement.
    pub fn because_of_decompose(&self, i: usize, buffer: usize) -> Cause {
        let Schedule { decompose, scalar, .. } = self.schedule;
        let placement = |i: usize| decompose.get(i).map_or(&scalar.reads[buffer], |step| &step.placements[buffer]);
        let before = (0..i).rev().take_while(|earlier| placement(*earlier) == placement(i));
        let first = before.last().unwrap_or(i);
        decompose
            .get(first)
            .map_or(Cause::Scalar, |step| Cause::Decompose(first, self.original_level(step, &self.original.decompose)))
    }

    /// Step `j` of the re-composition as the cause of a buffer; past the last step, the scalar phase.
    pub fn because_of_recompose(&self, j: usize) -> Cause {
        let step = self.schedule.recompose.get(j);
        step.map_or(Cause::Scalar, |step| Cause::Recompose(j, self.original_level(step, &self.original.recompose)))
    }

    /// The level of a step in the schedule as it was given. A step of one part that only retains the placements of a
    /// hoisted step gets the level of that step.
    fn original_level(&self, step: &Step, original: &[Step]) -> Level {
        let is_kept = step.level.layer >= self.original.parts.len();
        let is_same = |known: &&Step| {
            known.level.dimension == step.level.dimension
                && known.placements == step.placements
                && self.original.is_loop(known.level)
        };
        original.iter().find(is_same).filter(|_| is_kept).map_or(step.level, |known| known.level)
    }
}

/// Sorts iteration dimensions in the order in which a buffer with this layout stores them. Dimensions that the index
/// function does not use come first.
fn by_layout(dimensions: &[usize], access: &Access, layout: &[usize]) -> Vec<usize> {
    let rank_of = |d: usize| layout.iter().position(|&axis| access.uses(axis, d));
    let mut sorted = dimensions.to_vec();
    sorted.sort_by_key(|&d| rank_of(d).map_or(0, |position| position + 1));
    sorted
}
