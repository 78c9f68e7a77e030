//! Reductions and scans whose results stay in registers, and the partial sums of long ones.
use super::{Destination, PlanPosition, PlanResolver, PlannedSpace};
use crate::plan::{
    CarryStart, PlanNode, PlannedAxes, PlannedBody, PlannedCarry, PlannedLoop, PlannedTile, Summation,
    order::OrderedStep, runner::Combination,
};
use mdh_dialects::schedule::model::{Level, Placement};

/// The number of additions to one accumulator, one after the other: the error of a block is then about that of the
/// addition of its sum to those of the others.
const BLOCK: u64 = 4096;

/// A sum of up to this many additions is not divided.
const LONGEST: u64 = 2 * BLOCK;

/// The number of additions that makes one more addition, of their sum to an accumulator in memory, cheap.
const SHORTEST: u64 = 128;

impl PlanResolver<'_> {
    /// The loops from step `j` on in registers, if they are sequential reductions whose results can stay there.
    pub(super) fn carried(&self, j: usize, position: &PlanPosition, into: &Destination) -> Option<PlanNode> {
        let axes = self.carried_axes(j, position, &into.placements)?;
        let (tile, inner) = self.in_tile(position, &axes);
        let level = self.phases.recompose[j].level;
        let is_same = into.entered.iter().all(|entered| entered.dimension == level.dimension);
        let has_more = !into.entered.is_empty()
            && (self.facts.has_one_value || is_same)
            && !self.adds_partial_sums(j, &inner, into);
        let start = match () {
            () if into.has_inits && into.entered.is_empty() => CarryStart::InitialValues,
            () if has_more && (self.facts.has_identity == Some(true) || into.has_inits) => CarryStart::Results,
            () => CarryStart::Anew,
        };
        let steps = self.phases.recompose[j..].iter().map(|step| step.level.dimension);
        let mut reduced: Vec<_> = steps.filter(|&d| self.facts.operators[d].reduces()).collect();
        reduced.sort_unstable();
        reduced.dedup();
        let node = self.carry(j, &inner, &into.placements, start != CarryStart::Anew);
        let combination = Combination::Carried;
        Some(PlanNode::Carry(Box::new(PlannedCarry { level, combination, tile, reduced, start, node })))
    }

    /// The loops from step `j` on in the registers of the threads of a block, which then combine them over a level.
    pub(super) fn carried_in_block(
        &self,
        j: usize,
        level: Level,
        position: &PlanPosition,
        placements: &[Placement],
    ) -> Option<PlanNode> {
        let axes = self.carried_axes(j, position, placements)?;
        let mut together = position.clone();
        let is_alone = match &mut together.space {
            PlannedSpace::Kernel { is_collective, .. } => !std::mem::replace(is_collective, true),
            PlannedSpace::Host | PlannedSpace::Processor => false,
        };
        let (tile, mut inner) = self.in_tile(&together, &axes);
        if let PlannedSpace::Kernel { is_collective, .. } = &mut inner.space {
            *is_collective = !is_alone;
        }
        Some(carry_anew(level, (Combination::Carried, tile), self.carry(j, &inner, placements, false)))
    }

    /// The loops and tiles from step `j` on, whose results are in registers. `is_started`: true if the values start with
    /// others.
    fn carry(&self, j: usize, position: &PlanPosition, placements: &[Placement], is_started: bool) -> PlanNode {
        let is_next = |step: &OrderedStep| step.is_loop && !position.has_in_tile(step.level);
        let next = self.phases.recompose.iter().enumerate().skip(j).find(|(_, step)| is_next(step));
        let Some((j, step)) = next else { return PlanNode::Leaf { is_loaded: position.has_results } };
        if let Some(axis) = self.plain_axis(j, position, placements) {
            let (axes, inner) = self.in_tile(position, &[axis]);
            return PlanNode::Tile(Box::new(PlannedTile { axes, node: self.carry(j + 1, &inner, placements, false) }));
        }
        let mut inner = self.in_loop(position, step.level, self.trip(position, step.level));
        let entry = self.enter(&mut inner);
        let is_one_sum = self.facts.has_one_value || !self.reduces_another(j, &inner);
        let summation = self.summation(j, position);
        let passes = is_one_sum && summation != Summation::Each;
        let body = PlannedBody { entry, node: self.carry(j + 1, &inner, placements, passes) };
        PlanNode::Loop(Box::new(PlannedLoop {
            combination: Some(Combination::Carried),
            summation,
            is_one_sum,
            is_peeled: !is_started && self.facts.has_identity != Some(true),
            ..self.planned(j, step, position, body)
        }))
    }

    /// True if the next loop inside of step `j` reduces another dimension.
    fn reduces_another(&self, j: usize, position: &PlanPosition) -> bool {
        let (steps, d) = (&self.phases.recompose, self.phases.recompose[j].level.dimension);
        let mut rest = steps[j + 1..].iter().filter(|step| step.is_loop && !position.has_in_tile(step.level));
        rest.next().is_some_and(|step| step.level.dimension != d)
    }

    /// How the loop of step `j`, and the loops inside of it, add to the same accumulators.
    fn summation(&self, j: usize, position: &PlanPosition) -> Summation {
        if !self.facts.divides_sums {
            return Summation::Whole;
        }
        match (self.facts.counts.count(self.phases.recompose[j].level), self.additions(j + 1, position)) {
            (Some(own), Some(inside)) if own.saturating_mul(inside) <= LONGEST => Summation::Whole,
            (own, Some(inside)) if inside <= BLOCK / 2 => {
                // Blocks of one length need no computation of their ends.
                let longest = BLOCK / inside.max(1);
                let divides = |block: &u64| own.is_some_and(|own| own.is_multiple_of(*block));
                let block = (longest.div_ceil(2)..=longest).rev().find(divides).unwrap_or(longest);
                Summation::Blocks(block as i64)
            }
            _ => Summation::Each,
        }
    }

    /// True if the loops from step `j` on add to accumulators of their own, which are then added to those in memory,
    /// because loops around them add to the latter, too.
    fn adds_partial_sums(&self, j: usize, position: &PlanPosition, into: &Destination) -> bool {
        let inside = self.additions(j, position);
        let mut around = into.entered.iter();
        let all = inside.and_then(|inside| {
            around.try_fold(inside, |product, level| Some(product.saturating_mul(self.facts.counts.count(*level)?)))
        });
        self.facts.divides_sums && all.is_none_or(|all| all > LONGEST) && inside.is_none_or(|inside| inside >= SHORTEST)
    }

    /// The number of additions of the loops from step `j` on to an accumulator; `None` if it follows from a dynamic
    /// extent. The parts of a register tile are combined before they are accumulated.
    fn additions(&self, j: usize, position: &PlanPosition) -> Option<u64> {
        let schedule = self.phases.schedule;
        let is_unrolled = |step: &OrderedStep| schedule.is_register(&step.tag) || schedule.is_vector(&step.tag);
        let is_loop = |step: &&OrderedStep| step.is_loop && !position.has_in_tile(step.level) && !is_unrolled(step);
        let mut loops = self.phases.recompose[j..].iter().filter(is_loop);
        loops.try_fold(1u64, |product, step| Some(product.saturating_mul(self.facts.counts.count(step.level)?)))
    }
}

/// Loops in registers that begin anew, and reduce no dimension that may be empty.
pub(super) fn carry_anew(level: Level, (combination, tile): (Combination, PlannedAxes), node: PlanNode) -> PlanNode {
    let (reduced, start) = (vec![], CarryStart::Anew);
    PlanNode::Carry(Box::new(PlannedCarry { level, combination, tile, reduced, start, node }))
}
