//! Kernels: which steps form a kernel, which levels it distributes, and whether its threads wait for each other.
//!
//! Kernels are as large as possible: all steps from a step on form one kernel, unless blocks exchange values inside of
//! it. The steps before it run on the host, as loops around kernels.
use super::{Destination, PlanPosition, PlanResolver, PlannedSpace};
use crate::plan::{
    DistributedLevel, DistributedLevels, KernelPhase, PlanNode, PlannedBody, PlannedKernel, facts::ProducerPlace,
    order::Phases,
};
use mdh_dialects::schedule::{
    model::{Level, Placement, Schedule, Tag},
    roles::{CoreRole, Memory},
};

/// The number of loops around the position inside of a level of the scalar phase.
pub fn depth(schedule: &Schedule, level: Level) -> usize {
    let order = schedule.scalar.order.iter().map(|(level, _)| *level);
    let position = schedule.scalar.order.iter().position(|(known, _)| *known == level);
    order.take(position.map_or(0, |position| position + 1)).filter(|level| schedule.is_loop(*level)).count()
}

/// The memory of the parts of a producer at a level of its consumer in a kernel. The error is a level of blocks that is
/// not around it.
pub fn memory(schedule: &Schedule, level: Level) -> Result<Memory, Level> {
    let loops = schedule.scalar_loops();
    let around = &loops[..depth(schedule, level)];
    let steps = schedule.recompose.iter().map(|step| (step.level, &step.tag));
    let is_inside =
        |(level, _): &(Level, &Tag)| schedule.is_loop(*level) && around.iter().all(|(outer, _)| outer != level);
    let inside: Vec<_> = loops.iter().copied().chain(steps).filter(is_inside).collect();
    match inside.iter().find(|(_, tag)| schedule.is_of_blocks(tag)) {
        Some((level, _)) => Err(*level),
        None if inside.iter().any(|(_, tag)| schedule.is_of_threads(tag)) => Ok(Memory::Shared),
        None => Ok(Memory::Private),
    }
}

/// By producer at a level of the consumer: where its parts are computed.
pub fn places(levels: impl Iterator<Item = Level>, phases: &Phases<'_>, has_kernels: bool) -> Vec<ProducerPlace> {
    let schedule = phases.schedule;
    let place = |level: Level| {
        let around = &schedule.scalar_loops()[..depth(schedule, level)];
        let memory = if has_kernels { memory(schedule, level).unwrap_or(Memory::Private) } else { Memory::Private };
        ProducerPlace { depth: around.iter().map(|(level, _)| phases.depth(*level)).max().unwrap_or(0), memory }
    };
    levels.map(place).collect()
}

impl DistributedLevels {
    /// True if a level is distributed in a phase.
    pub(super) fn has(&self, phase: KernelPhase, level: Level) -> bool {
        self.levels.iter().any(|known| [phase, KernelPhase::Both].contains(&known.phase) && known.level == level)
    }
}

impl PlanResolver<'_> {
    /// True if the steps from `j` on fit into one kernel: blocks do not exchange values in them.
    pub(super) fn fits_kernel(&self, j: usize, position: &PlanPosition) -> bool {
        !self.phases.combines_blocks(j, &self.facts.operators) && (position.has_results || !self.has_blocks_inside())
    }

    /// True if a level is distributed over blocks inside of the loops that the scalar phase and the re-composition
    /// share.
    pub(super) fn has_blocks_inside(&self) -> bool {
        self.phases.has_blocks_inside(self.shared)
    }

    /// The kernel of the steps from `j` on.
    pub(super) fn kernel(&self, j: usize, position: &PlanPosition, into: &Destination) -> PlanNode {
        let distributed = self.distributed(j, position);
        let mut inner = position.in_kernel(&distributed);
        let entry = self.begin(&mut inner);
        let body = PlannedBody { entry, node: self.recompose(j, &inner, into) };
        PlanNode::Kernel(Box::new(PlannedKernel { distributed, body }))
    }

    /// The levels that a kernel for the steps from `j` on distributes.
    pub(super) fn distributed(&self, j: usize, position: &PlanPosition) -> DistributedLevels {
        let mut distributed = DistributedLevels::default();
        for step in self.phases.recompose[j..].iter().filter(|step| step.is_loop) {
            if !self.phases.schedule.is_core(&step.tag) {
                continue;
            }
            let is_common = self.phases.scalar[..self.shared].iter().any(|(known, _)| *known == step.level);
            let phase = if position.has_results || is_common { KernelPhase::Both } else { KernelPhase::Recompose };
            distributed.levels.push(self.distributed_level(phase, step.level, &step.tag));
            // Levels that are not common are fixed after the copies of common steps, even if the scalar phase has
            // already run.
            if !is_common || self.facts.operators[step.level.dimension].combines() {
                distributed.unfixed.push(step.level);
            }
        }
        if !position.has_results {
            distributed.levels.extend(self.scalar_levels(self.shared));
        }
        self.with_threads(distributed)
    }

    /// A level that is distributed over the cores of its tag.
    pub(super) fn distributed_level(&self, phase: KernelPhase, level: Level, tag: &Tag) -> DistributedLevel {
        let role = self.phases.schedule.system.core_role(&tag.layer).unwrap_or(CoreRole::Threads);
        DistributedLevel { phase, level, tag: tag.clone(), role, count: self.facts.counts.count(level) }
    }

    /// The levels that a kernel for the scalar phase inside of its first `depth` loops distributes.
    pub(super) fn distributed_scalars(&self, depth: usize) -> DistributedLevels {
        let levels = self.scalar_levels(depth).collect();
        self.with_threads(DistributedLevels { levels, ..DistributedLevels::default() })
    }

    /// The levels that the scalar phase distributes inside of its first `depth` loops.
    fn scalar_levels(&self, depth: usize) -> impl Iterator<Item = DistributedLevel> {
        let loops = self.phases.scalar.iter().skip(depth).filter(|(_, tag)| self.phases.schedule.is_core(tag));
        loops.map(|(level, tag)| self.distributed_level(KernelPhase::Scalar, *level, tag))
    }

    /// A kernel with the number of threads of its blocks: those of the phase that has more, in whole warps if its threads
    /// exchange values.
    fn with_threads(&self, kernel: DistributedLevels) -> DistributedLevels {
        let count = |phase: KernelPhase| {
            let mut of_phase = kernel.of_threads().filter(|known| known.phase == phase);
            of_phase.try_fold(1u64, |product, known| Some(product.saturating_mul(known.count?)))
        };
        let own =
            count(KernelPhase::Scalar).zip(count(KernelPhase::Recompose)).map(|(scalar, other)| scalar.max(other));
        let threads = own.zip(count(KernelPhase::Both)).map(|(own, both)| own.saturating_mul(both));
        let combines = |known: &DistributedLevel| {
            known.phase != KernelPhase::Scalar && self.facts.operators[known.level.dimension].combines()
        };
        let exchanges = kernel.of_threads().any(combines);
        let system = &self.phases.schedule.system;
        let whole = |threads: u64| i64::try_from(threads).map_or(threads, |threads| system.whole_warps(threads) as u64);
        DistributedLevels { threads: if exchanges { threads.map(whole) } else { threads }, ..kernel }
    }

    /// True if the threads of a block may wait for each other in the code inside of a position.
    pub(super) fn is_collective(&self, position: &PlanPosition) -> bool {
        let PlannedSpace::Kernel { is_collective, .. } = &position.space else { return false };
        *is_collective || !position.has_results && self.copies_together(position) || {
            let loops = self.phases.recompose.iter().filter(|step| step.is_loop);
            let combines = |level: Level| self.facts.operators[level.dimension].combines();
            let mut inside = loops.skip(position.depth);
            inside.any(|step| self.phases.schedule.is_core(&step.tag) && combines(step.level))
        }
    }

    /// True if the threads of a block compute or copy parts together inside of a position, or run the scalar phase.
    fn copies_together(&self, position: &PlanPosition) -> bool {
        let is_shared = |region: &str| self.memory(region) != Memory::Private;
        let is_inside = |place: &ProducerPlace| place.memory == Memory::Shared && place.depth > position.depth;
        let has_phase = self.shared < self.phases.scalar.len() && position.depth <= self.shared;
        if self.facts.producers.iter().any(is_inside) || has_phase {
            return true;
        }
        let moves = |new: &[Placement], old: &[&Placement]| {
            new.iter().zip(old).any(|(new, old)| new != *old && is_shared(&new.region))
        };
        let home: Vec<_> = self.facts.inputs.iter().map(|input| &input.home).collect();
        let (mut depth, mut around) = (0, home);
        for step in &self.phases.decompose {
            if moves(&step.placements, &around) && depth.min(self.decomposed) > position.depth {
                return true;
            }
            depth += usize::from(step.is_loop);
            around = step.placements.iter().collect();
        }
        moves(&self.phases.reads, &around) && depth > position.depth
    }
}
