//! What precedes the loops of a part: parts of producers, copies of inputs, and a separate scalar phase.
use super::{PlanPosition, PlanResolver, PlannedSpace};
use crate::plan::{
    Cause, KernelPhase, PlannedEntry, PlannedPromotion, PlannedScalarPhase, PromotionStep, ScalarLoop, runner::Runner,
};
use mdh_dialects::schedule::{
    model::{Level, Placement, Tag},
    roles::{CoreRole, Memory},
};

impl PlanResolver<'_> {
    /// The entry of a part: it computes parts of producers, promotes inputs and, at the depth of the shared levels, runs
    /// a separate scalar phase.
    pub(super) fn enter(&self, position: &mut PlanPosition) -> PlannedEntry {
        if position.has_results {
            return PlannedEntry::default();
        }
        self.entry(position, false)
    }

    /// The entry of a kernel for the re-composition, which also computes the parts of producers and promotes the inputs
    /// that the host could not.
    pub(super) fn begin(&self, position: &mut PlanPosition) -> PlannedEntry {
        self.entry(position, true)
    }

    fn entry(&self, position: &mut PlanPosition, begins: bool) -> PlannedEntry {
        let producers = self.producers(position, begins);
        let copies = self.copies(position, begins);
        PlannedEntry { producers, scalar_phase: self.scalar_phase(position).map(Box::new), ..copies }
    }

    /// The copies of inputs at a position, alone.
    pub(super) fn copies(&self, position: &mut PlanPosition, begins: bool) -> PlannedEntry {
        let is_parallel = self.distributes_inside(position) && !position.is_in_parallel_loop && !self.facts.has_kernels;
        PlannedEntry { promotions: self.promotions(position, begins), is_parallel, ..PlannedEntry::default() }
    }

    /// The producers whose parts are computed at a position. At the entry of a kernel (`begins`), also those around it:
    /// the host computes none.
    fn producers(&self, position: &PlanPosition, begins: bool) -> Vec<usize> {
        let is_here = |depth: usize| depth == position.depth || begins && depth < position.depth;
        let places = self.facts.producers.iter().enumerate().filter(|(_, place)| is_here(place.depth));
        if position.is_host() { vec![] } else { places.map(|(number, _)| number).collect() }
    }

    /// The steps of the de-composition at the depth of a position, which give inputs new placements. The host has only
    /// placements in global memory. Therefore, at the entry of a kernel (`begins`), the innermost of the steps at and
    /// around the position counts.
    fn promotions(&self, position: &mut PlanPosition, begins: bool) -> Vec<PromotionStep> {
        let mut steps = vec![];
        for (i, placements) in self.placements_at(position.depth, begins) {
            let home = |input: usize| &self.facts.inputs[input].home;
            let is_shared_copy = |(input, placement): (usize, &Placement)| {
                position.placements[input] != *placement
                    && placement != home(input)
                    && self.memory(&placement.region) != Memory::Private
            };
            let has_barriers = position.is_kernel() && placements.iter().enumerate().any(is_shared_copy);
            let mut inputs = vec![];
            for (input, placement) in placements.iter().enumerate() {
                let is_in_kernel =
                    self.memory(&placement.region) != Memory::Global || self.facts.inputs[input].is_produced;
                if position.placements[input] == *placement || position.is_host() && is_in_kernel {
                    continue;
                }
                position.placements[input] = placement.clone();
                let (is_home, cause) = (placement == home(input), self.because_of_decompose(i, input));
                inputs.push(PlannedPromotion { input, placement: placement.clone(), is_home, cause });
            }
            if !inputs.is_empty() {
                steps.push(PromotionStep { position: i, inputs, has_barriers });
            }
        }
        steps
    }

    /// The positions and placements of the de-composition steps at a depth. The depth of a step is the number of loops
    /// before it, at most the number that the de-composition and the scalar phase share. The reads of the scalar phase
    /// have the position after the last step. At the entry of a kernel (`begins`), only the innermost of the steps up to
    /// this depth.
    fn placements_at(&self, at: usize, begins: bool) -> Vec<(usize, &[Placement])> {
        let (mut depth, mut moves) = (0, vec![]);
        for (i, step) in self.phases.decompose.iter().enumerate() {
            let of_step = depth.min(self.decomposed);
            if of_step == at || begins && of_step < at {
                moves.push((i, &step.placements[..]));
            }
            depth += usize::from(step.is_loop);
        }
        if at == depth {
            moves.push((self.phases.decompose.len(), &self.phases.reads));
        }
        if begins {
            moves.drain(..moves.len().saturating_sub(1));
        }
        moves
    }

    /// True if the de-composition distributes a loop inside of a position over threads.
    fn distributes_inside(&self, position: &PlanPosition) -> bool {
        let loops = self.phases.decompose.iter().filter(|step| step.is_loop);
        loops.skip(position.depth).any(|step| self.is_distributed(&step.tag))
    }

    /// The cause of a part of an input at step `i` of the de-composition, or at the scalar phase if `i` is past the last
    /// step: the first of the steps directly before it that have the same placement.
    fn because_of_decompose(&self, i: usize, input: usize) -> Cause {
        let steps = &self.phases.decompose;
        let placement = |i: usize| steps.get(i).map_or(&self.phases.reads[input], |step| &step.placements[input]);
        let before = (0..i).rev().take_while(|earlier| placement(*earlier) == placement(i));
        let first = before.last().unwrap_or(i);
        steps.get(first).map_or(Cause::Scalar, |step| Cause::Decompose(first, step.level))
    }

    /// The separate scalar phase, with results in memory, if the position is at the depth of the shared levels and the
    /// scalar phase has further levels.
    fn scalar_phase(&self, position: &mut PlanPosition) -> Option<PlannedScalarPhase> {
        let is_alone = position.depth == self.shared && self.shared < self.phases.scalar.len();
        // Otherwise both phases go into one kernel.
        let is_here = !position.is_host() || self.has_blocks_inside();
        if position.has_results || !is_alone || !is_here {
            return None;
        }
        let placements = self.phases.writes.clone();
        let is_private = |placement: &Placement| self.memory(&placement.region) == Memory::Private;
        let is_redundant = position.is_kernel() && placements.iter().any(is_private);
        let mut inner = position.clone();
        let kernel = position.is_host().then(|| self.distributed_scalars(position.depth));
        let mut entry = PlannedEntry::default();
        if let Some(kernel) = &kernel {
            inner = inner.in_kernel(kernel);
            entry = self.copies(&mut inner, true);
        }
        let loops = self.scalar_loops(&mut inner, is_redundant);
        position.has_results = true;
        Some(PlannedScalarPhase { placements, kernel, entry, is_redundant, loops })
    }

    /// The loops of the scalar phase inside of a position.
    fn scalar_loops(&self, position: &mut PlanPosition, is_redundant: bool) -> Vec<ScalarLoop> {
        let mut loops = vec![];
        for (level, tag) in &self.phases.scalar[position.depth..] {
            let trip = self.trip(position, *level);
            let is_collective = self.is_collective(position);
            let runner = self.scalar_runner(position, (*level, tag), is_redundant, trip);
            *position = self.in_loop(position, *level, trip);
            position.is_in_parallel_loop |= !self.facts.has_kernels && runner != Runner::Loop;
            let (level, count) = (*level, trip.and_then(|trip| u64::try_from(trip).ok()));
            loops.push(ScalarLoop { level, count, runner, is_collective, entry: self.copies(position, false) });
        }
        loops
    }

    /// What runs the parts of a level of a separate scalar phase.
    fn scalar_runner(
        &self,
        position: &PlanPosition,
        (level, tag): (Level, &Tag),
        is_redundant: bool,
        trip: Option<i64>,
    ) -> Runner {
        let is_own = match &position.space {
            PlannedSpace::Kernel { distributed, .. } => !is_redundant && distributed.has(KernelPhase::Scalar, level),
            PlannedSpace::Host => false,
            PlannedSpace::Processor => self.is_distributed(tag) && trip != Some(1),
        };
        let role = self.phases.schedule.system.core_role(&tag.layer).filter(|_| position.is_kernel());
        if is_own { Runner::Cores(role.unwrap_or(CoreRole::Threads)) } else { Runner::Loop }
    }
}
