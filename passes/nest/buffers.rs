//! The buffers of a loop nest: promoted parts of inputs, and what parts of the space yield.
//!
//! A buffer is allocated where its memory is: on the processor, in the global memory of a device, in what the threads of a block share, or in
//! what a thread has for itself. In a kernel, a part in memory that threads share holds what all of them reach, and all of them copy it.
use crate::{
    analysis::index::Access,
    nest::{
        accumulator::{Accumulator, Store},
        contents::{Cause, Contents, What},
        frame::{Construction, Frame, Place},
        gpu::double_buffer::Ahead,
        index::Index::{self, Constant},
        loops::Scope,
        source::Promotion,
        space::Point,
    },
};
use mdh_dialects::schedule::{
    model::{Level, Placement},
    roles::Memory,
};

impl<'t> Construction<'_, 't> {
    /// Carries out the de-composition steps that read from another place than the step before, at the depth where they belong; where a
    /// kernel begins, those that the host could not, too.
    pub fn promote(&self, frame: &mut Frame<'t>, begins: bool) {
        let mut depth = 0;
        let mut threads_ahead = false;
        let mut moves = vec![];
        for (i, step) in self.schedule.decompose.iter().enumerate() {
            let at = depth.min(self.decomposed);
            if at == frame.depth || begins && at < frame.depth {
                moves.push((i, &step.placements));
            }
            if self.schedule.is_loop(step.level) {
                threads_ahead |= depth >= frame.depth && self.is_shared_out(&step.tag);
                depth += 1;
            }
        }
        if frame.depth == depth {
            moves.push((self.schedule.decompose.len(), &self.schedule.scalar.reads));
        }
        if begins {
            moves.drain(..moves.len().saturating_sub(1));
        }
        for (i, placements) in moves {
            let copies = |(buffer, placement): (usize, &Placement)| {
                frame.placements[buffer] != *placement && *placement != self.home_inputs[buffer]
            };
            let is_shared = |placement: &Placement| self.memory(&placement.region) != Memory::Private;
            let mut shared =
                placements.iter().enumerate().filter(|&(i, placement)| copies((i, placement)) && is_shared(placement));
            let kernel = frame.kernel().filter(|_| shared.next().is_some()).cloned();
            if let Some(kernel) = &kernel {
                kernel.barrier(&frame.b);
            }
            let mut ahead = vec![];
            for (buffer, placement) in placements.iter().enumerate() {
                let memory = self.memory(&placement.region);
                if frame.placements[buffer] == *placement
                    || matches!(frame.place, Place::Host) && memory != Memory::Global
                {
                    continue;
                }
                frame.placements[buffer] = placement.clone();
                if *placement == self.home_inputs[buffer] {
                    frame.sources[buffer] = self.home[buffer].clone();
                    frame.common[buffer] = self.home[buffer].clone();
                    frame.since[buffer] = 0;
                    continue;
                }
                let point = frame.point_of(memory);
                let scope = self.scope(frame, memory);
                let is_own = memory == Memory::Private || matches!(frame.place, Place::Processor);
                let from = if is_own { &frame.sources[buffer] } else { &frame.common[buffer] };
                let turn = self.turn(frame, buffer, placement);
                let contents = Contents::new(What::Input(buffer), self.because_of_decompose(i, buffer), placement);
                let promoted = from.iter().enumerate().map(|(group, source)| {
                    let promotion = Promotion {
                        // The threads of a kernel are all under way already.
                        parallel: threads_ahead && !frame.threaded && self.kernels.is_none(),
                        ..self.promotion((buffer, group), placement, &point, &scope, turn.is_some())
                    };
                    let b = &frame.b;
                    let contents = Contents { part: group, ..contents.clone() };
                    match &frame.place {
                        Place::Host => {
                            let part = source.part(b, &promotion, contents);
                            self.on_all(frame, |inner, number, count| {
                                source.fill_by_all(&inner.b, &part, &promotion, (number, count));
                            });
                            part
                        }
                        Place::Kernel(kernel) if memory != Memory::Private => {
                            if let Some(number) = turn.and_then(|turn| frame.point.number(turn.level)) {
                                let part = source.part(b, &promotion, contents).at(Some(self.place_in_turn(b, number)));
                                ahead.push(Ahead { buffer, group, from: source.clone(), to: part.clone() });
                                return part;
                            }
                            let block = (memory == Memory::Global).then_some(kernel.block);
                            let part = source.part(b, &promotion, contents).at(block);
                            source.fill_by_all(b, &part, &promotion, (kernel.thread, Constant(kernel.threads)));
                            part
                        }
                        _ => source.promote(b, &promotion, contents),
                    }
                });
                frame.sources[buffer] = promoted.collect();
                if !is_own {
                    frame.common[buffer] = frame.sources[buffer].clone();
                    frame.since[buffer] = frame.depth;
                }
            }
            if let Some(turn) = frame.turn.filter(|_| !ahead.is_empty()) {
                self.copy_ahead(frame, turn, placements, &ahead);
            }
            if let Some(kernel) = &kernel {
                kernel.barrier(&frame.b);
            }
        }
    }

    /// A part of a group of accesses, by input buffer and group.
    pub fn promotion<'a>(
        &'a self,
        (buffer, group): (usize, usize),
        placement: &'a Placement,
        point: &'a Point,
        scope: &'a Scope<'t>,
        in_turn: bool,
    ) -> Promotion<'a, 't> {
        Promotion {
            space: &self.space,
            scope,
            group: &self.groups[buffer][group],
            point,
            placement,
            in_turn,
            is_asynchronous: in_turn && self.copies_ahead(),
            tile: &self.tile,
            element: self.workload.inputs[buffer].array.element,
            parallel: false,
        }
    }

    /// Where buffers of a kind of memory are allocated.
    pub fn scope(&self, frame: &Frame<'t>, memory: Memory) -> Scope<'t> {
        match (&frame.place, memory) {
            (Place::Processor | Place::Host, _) => frame.scope.clone(),
            (Place::Kernel(kernel), Memory::Global) => kernel.global.of_blocks(kernel.blocks),
            (Place::Kernel(kernel), Memory::Shared) => kernel.private.shared(),
            (Place::Kernel(kernel), Memory::Private) => kernel.private.clone(),
        }
    }

    /// New buffers for something that is necessary because of a step: for what the free layers of the frame and the levels of its tile yield, in the layouts of these placements.
    pub fn allocate(
        &self,
        frame: &Frame<'t>,
        placements: &[Placement],
        order: Option<Vec<usize>>,
        lead: Option<Index>,
        (what, cause): (What, Cause),
    ) -> Accumulator {
        let mut stores = vec![];
        let is_alone = self.workload.outputs.len() == 1;
        for (i, (output, placement)) in self.workload.outputs.iter().zip(placements).enumerate() {
            for (part, access) in output.accesses.iter().enumerate() {
                let dimensions = order.clone().unwrap_or_else(|| self.kept());
                let dimensions = by_layout(&dimensions, access, &placement.layout);
                let memory = self.memory(&placement.region);
                let scope = self.scope(frame, memory);
                let point = frame.point_of(memory);
                let (sizes, numbers): (Vec<_>, Vec<_>) = self.copies(frame, memory).into_iter().unzip();
                let sizes: Vec<_> = sizes.into_iter().chain(lead).collect();
                let output_number = (!is_alone).then_some(i);
                let contents = Contents { output: output_number, part, ..Contents::new(what, cause, placement) };
                let element = output.array.element;
                let store = Store::allocate(&scope, &self.space, &point, &dimensions, &sizes, element, contents);
                let block = frame.kernel().filter(|_| memory == Memory::Global).map(|kernel| kernel.block);
                stores.push(store.inside(block.into_iter().chain(numbers).collect()));
            }
        }
        Accumulator { stores, placements: placements.to_vec(), opened: vec![] }
    }

    /// The sizes and numbers of a buffer of several threads that is not theirs together: each part of a reduced level has its own.
    fn copies(&self, frame: &Frame<'t>, memory: Memory) -> Vec<(Index, Index)> {
        let Some(kernel) = frame.kernel().filter(|_| memory != Memory::Private) else { return vec![] };
        let reduced = kernel.fixed.iter().filter(|level| self.workload.operators[level.dimension].reduces());
        let copy = |level: &Level| Some((self.space.parts[level.layer][level.dimension], frame.point.number(*level)?));
        reduced.filter_map(copy).collect()
    }
}

/// Iteration dimensions in the order in which a buffer with this layout stores them; dimensions that the index function does not
/// use come first.
fn by_layout(dimensions: &[usize], access: &Access, layout: &[usize]) -> Vec<usize> {
    let rank_of = |d: usize| layout.iter().position(|&axis| access.uses(axis, d));
    let mut sorted = dimensions.to_vec();
    sorted.sort_by_key(|&d| rank_of(d).map_or(0, |position| position + 1));
    sorted
}
