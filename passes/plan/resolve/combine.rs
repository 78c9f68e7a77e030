//! What runs the parts of a step of the re-composition, and how their results are combined.
//!
//! ```text
//! R: i (++), k (+)      ──▶   each i, then k carried                     registers hold the result, which is written once
//! R: k (+), i (++)      ──▶   k in memory, then each i                   each part is combined into the result
//! R: k (COR, +), ..     ──▶   k in a tree across threads                 private partial results, then their combination
//! R: i (COR, ps +), ..  ──▶   i in a scan across threads
//! ```
use super::{Destination, PlanPosition, PlanResolver, PlannedSpace, carry::carry_anew};
use crate::plan::{
    KernelPhase, PlanNode, PlannedBody, PlannedEntry, PlannedLoop, Summation,
    order::{OrderedStep, Phases},
    runner::{Combination, Runner},
    tile::TileAxis,
};
use mdh_dialects::{
    hom::CombineOperator,
    schedule::{model::Placement, roles::CoreRole},
};

impl PlanResolver<'_> {
    /// The parts of step `j`.
    pub(super) fn parts(&self, j: usize, step: &OrderedStep, position: &PlanPosition, into: &Destination) -> PlanNode {
        use Combination::{InMemory, Scan, ScanAcross, TreeAcross};
        let node = |planned: PlannedLoop| PlanNode::Loop(Box::new(planned));
        let across = self.cores(step, position);
        match (&self.facts.operators[step.level.dimension], across) {
            (CombineOperator::Concatenation, _) => {
                let role = across.filter(|_| !position.is_host());
                let runner = role.map_or(Runner::Loop, Runner::Cores);
                node(self.looped(j, step, position, into, (runner, None, None)))
            }
            (CombineOperator::PointWise(_), Some(CoreRole::Blocks)) => {
                let results = Destination::new(&step.placements);
                node(self.on_blocks(j, step, position, &results, TreeAcross(CoreRole::Blocks)))
            }
            (CombineOperator::PointWise(_), Some(role)) => self.tree_across(j, step, position, role),
            (CombineOperator::PointWise(_), None) => {
                let may_be_carried = !self.is_distributed_here(step, position);
                may_be_carried.then(|| self.carried(j, position, into)).flatten().unwrap_or_else(|| {
                    let how = (Runner::Loop, Some(InMemory), None);
                    node(self.looped(j, step, position, &into.inside(step.level), how))
                })
            }
            (CombineOperator::PrefixSum(_), Some(CoreRole::Blocks)) => {
                let scan = self.on_blocks(j, step, position, into, ScanAcross(CoreRole::Blocks));
                let reduction = self.reduction(j, step, position).map(Box::new);
                node(PlannedLoop { reduction, ..scan })
            }
            (CombineOperator::PrefixSum(_), Some(role)) => {
                let how = (Runner::Cores(role), Some(ScanAcross(role)), Some(step.placements.clone()));
                node(self.looped(j, step, position, into, how))
            }
            (CombineOperator::PrefixSum(_), None) => {
                let axes = self.carried_scan_axes(j, position, &into.placements).filter(|_| !position.is_host());
                match axes {
                    Some(axes) => self.carried_scan(j, step, position, &axes),
                    None => node(self.looped(j, step, position, into, (Runner::Loop, Some(Scan), None))),
                }
            }
        }
    }

    /// True if the parts of a step are distributed over cores. In a kernel, a concatenated level of one part still counts
    /// as distributed: only the thread with this part may write, and other threads have none.
    fn is_distributed_here(&self, step: &OrderedStep, position: &PlanPosition) -> bool {
        let concatenates = self.facts.operators[step.level.dimension].concatenates();
        let has_idle = position.is_kernel() && concatenates;
        self.is_distributed(&step.tag) && (has_idle || self.trip(position, step.level) != Some(1))
    }

    /// The cores that run the parts of a step at a position; `None` if they run in order.
    fn cores(&self, step: &OrderedStep, position: &PlanPosition) -> Option<CoreRole> {
        let schedule = self.phases.schedule;
        if !self.is_distributed_here(step, position) {
            return None;
        }
        match (&position.space, schedule.is_of_blocks(&step.tag)) {
            (PlannedSpace::Host, true) => Some(CoreRole::Blocks),
            // Between kernels that exchange values across blocks, the host loops over the levels of threads.
            (PlannedSpace::Host, false) => None,
            (PlannedSpace::Processor, _) => Some(match schedule.system.core_role(&step.tag.layer) {
                Some(CoreRole::Warps) => CoreRole::Warps,
                _ => CoreRole::Threads,
            }),
            (PlannedSpace::Kernel { .. }, _) => schedule.system.core_role(&step.tag.layer),
        }
    }

    /// The parts of step `j`, run by a loop or by the cores of one processor or block.
    fn looped(
        &self,
        j: usize,
        step: &OrderedStep,
        position: &PlanPosition,
        into: &Destination,
        (runner, combination, partial): (Runner, Option<Combination>, Option<Vec<Placement>>),
    ) -> PlannedLoop {
        let mut inner = self.in_loop(position, step.level, self.trip(position, step.level));
        inner.is_in_parallel_loop |= position.is_processor() && runner != Runner::Loop;
        let entry = self.enter(&mut inner);
        let body = PlannedBody { entry, node: self.recompose(j + 1, &inner, into) };
        PlannedLoop { runner, combination, partial, ..self.planned(j, step, position, body) }
    }

    /// A sequential loop over the parts of step `j`, without a combination of results.
    pub(super) fn planned(
        &self,
        j: usize,
        step: &OrderedStep,
        position: &PlanPosition,
        body: PlannedBody,
    ) -> PlannedLoop {
        PlannedLoop {
            cause: self.because_of_recompose(j),
            level: step.level,
            count: self.trip(position, step.level).and_then(|count| u64::try_from(count).ok()),
            runner: Runner::Loop,
            combination: None,
            partial: None,
            is_collective: self.is_collective(position),
            summation: Summation::Whole,
            is_one_sum: false,
            is_peeled: false,
            kernel: None,
            reduction: None,
            body,
        }
    }

    /// Partial results of threads, which are then combined. In a kernel they stay in registers if possible.
    fn tree_across(&self, j: usize, step: &OrderedStep, position: &PlanPosition, role: CoreRole) -> PlanNode {
        let combination = Some(Combination::TreeAcross(role));
        let placements = self.placements(j + 1);
        if position.is_kernel() {
            let mut inner = self.in_loop(position, step.level, self.trip(position, step.level));
            let entry = self.enter(&mut inner);
            if let Some(node) = self.carried_in_block(j + 1, step.level, &inner, placements) {
                let body = PlannedBody { entry, node };
                let runner = Runner::Cores(role);
                let planned = PlannedLoop { runner, combination, ..self.planned(j, step, position, body) };
                return PlanNode::Loop(Box::new(planned));
            }
        }
        let partial = Some(placements.to_vec());
        let how = (Runner::Cores(role), combination, partial);
        PlanNode::Loop(Box::new(self.looped(j, step, position, &Destination::new(placements), how)))
    }

    /// The parts of step `j`, which blocks combine, with results `inside` of it. If blocks exchange no values inside of it,
    /// each part has its own blocks in one kernel; otherwise the host runs them one after the other.
    fn on_blocks(
        &self,
        j: usize,
        step: &OrderedStep,
        position: &PlanPosition,
        inside: &Destination,
        combination: Combination,
    ) -> PlannedLoop {
        let own = self.on_own_blocks(j, step, position, inside);
        let planned = own.unwrap_or_else(|| self.looped(j, step, position, inside, (Runner::Loop, None, None)));
        PlannedLoop { combination: Some(combination), partial: Some(step.placements.clone()), ..planned }
    }

    /// The parts of step `j` in one kernel, each with its own blocks; `None` if blocks exchange values inside of it.
    fn on_own_blocks(
        &self,
        j: usize,
        step: &OrderedStep,
        position: &PlanPosition,
        inside: &Destination,
    ) -> Option<PlannedLoop> {
        let first = position.inside(step.level, Some(0));
        if !self.fits_kernel(j + 1, &first) {
            return None;
        }
        let mut kernel = self.distributed(j + 1, &first);
        let level = step.level;
        kernel.levels.push(self.distributed_level(KernelPhase::Both, level, &step.tag));
        let inner = position.in_kernel(&kernel);
        let mut inner = self.in_loop(&inner, level, self.trip(&inner, level));
        let entry = self.begin(&mut inner);
        let body = PlannedBody { entry, node: self.recompose(j + 1, &inner, inside) };
        let runner = Runner::Cores(CoreRole::Blocks);
        Some(PlannedLoop { runner, kernel: Some(kernel), ..self.planned(j, step, position, body) })
    }

    /// The reduction of each part of a level that blocks scan, if it is cheaper to reduce the parts first.
    fn reduction(&self, j: usize, step: &OrderedStep, position: &PlanPosition) -> Option<PlannedLoop> {
        let first = position.inside(step.level, None);
        let reduces_first = self.facts.reduces_before_scan
            && !position.has_results
            && self.shared == self.phases.scalar.len()
            && self.fits_kernel(j + 1, &first);
        if !reduces_first {
            return None;
        }
        let mut facts = self.facts.clone();
        facts.operators = facts.operators.iter().map(CombineOperator::carry).collect();
        // Inside of the loops over other dimensions a part is reduced to one value, so its own parts need no buffers.
        let schedule = self.phases.schedule;
        let mut phases: Phases<'_> = self.phases.clone();
        let is_around = |other: &OrderedStep| {
            let is_other = other.level.dimension != step.level.dimension && !schedule.is_register(&other.tag);
            other.is_loop && (is_other || schedule.is_of_blocks(&other.tag))
        };
        let around = phases.recompose.iter().rposition(is_around).map_or(0, |last| last + 1);
        for inside in &mut phases.recompose[around..] {
            inside.placements.clone_from(&phases.writes);
        }
        let resolver = PlanResolver { facts: &facts, phases: &phases, ..*self };
        resolver.on_own_blocks(j, step, position, &Destination::new(&step.placements))
    }

    /// The innermost scan: the running values of the register tile are loop-carried in registers.
    fn carried_scan(&self, j: usize, step: &OrderedStep, position: &PlanPosition, axes: &[TileAxis]) -> PlanNode {
        let (tile, around) = self.in_tile(position, axes);
        let mut inner = around.inside(step.level, None);
        let entry: PlannedEntry = self.enter(&mut inner);
        let body = PlannedBody { entry, node: PlanNode::Leaf { is_loaded: inner.has_results } };
        let combination = Some(Combination::Scan);
        let planned = PlannedLoop { combination, is_peeled: true, ..self.planned(j, step, &around, body) };
        carry_anew(step.level, (Combination::Scan, tile), PlanNode::Loop(Box::new(planned)))
    }
}
