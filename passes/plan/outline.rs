//! The outline of a plan: the levels around its scalar function, outermost first, and the promotions of inputs among
//! them.
//!
//! ```text
//! threads for level (1, 1):           ──▶   threads (1, 1) · [input 2] · (1, 3) · unroll (2, 1) · vectorize (3, 2)
//!   promote input 2 to L2[1, 2]
//!   for level (1, 3):
//!     unroll level (2, 1) by 6, vectorize level (3, 2) by 16:
//!       scalar function
//! ```
//!
//! The cost models, `mdh explain --why` and the lints of schedules read it. Code may exist in several versions, such as
//! the reduction of each part before its scan: the outline is that of the first version with the most levels.
use super::{
    DistributedLevels, LoopPlan, PlanNode, PlannedAxes, PlannedBody, PlannedEntry, PlannedLoop, PlannedScalarPhase,
    ScalarLoop, runner::Runner,
};
use mdh_dialects::schedule::{
    model::{Level, Placement},
    roles::CoreRole,
};

/// The copy of a part of an input to another region or layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromotedInput {
    /// The input buffer.
    pub input: usize,
    /// The number of levels around the copy.
    pub inside: usize,
    /// The placement of the part.
    pub placement: Placement,
}

/// The levels around the scalar function of a plan, and the promotions among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The levels, outermost first. Levels with one part are left out.
    pub levels: Vec<(Level, Runner)>,
    /// The promotions, in execution order.
    pub promotions: Vec<PromotedInput>,
}

impl Outline {
    /// Returns the outline of a plan.
    pub fn of(plan: &LoopPlan) -> Self {
        let mut walk = Walk::default();
        walk.body(&plan.body);
        walk.found.unwrap_or_default()
    }

    /// Returns the execution of the parts of a level; `None` if the level is not in the outline: it has one part.
    pub fn runner(&self, level: Level) -> Option<Runner> {
        self.levels.iter().find(|(known, _)| *known == level).map(|(_, runner)| *runner)
    }
}

/// The traversal of a plan to all evaluations of its scalar function.
#[derive(Default)]
struct Walk {
    here: Outline,
    found: Option<Outline>,
}

impl Walk {
    fn body(&mut self, body: &PlannedBody) {
        self.entry(&body.entry);
        self.node(&body.node);
    }

    fn entry(&mut self, entry: &PlannedEntry) {
        let inside = self.here.levels.len();
        for promotion in entry.promotions.iter().flat_map(|step| &step.inputs).filter(|promotion| !promotion.is_home) {
            let (input, placement) = (promotion.input, promotion.placement.clone());
            self.here.promotions.push(PromotedInput { input, inside, placement });
        }
        if let Some(phase) = &entry.scalar_phase {
            self.scalar_phase(phase);
        }
    }

    fn scalar_phase(&mut self, phase: &PlannedScalarPhase) {
        self.inside(phase.kernel.as_ref().map_or(vec![], levels), |walk| {
            walk.entry(&phase.entry);
            for ScalarLoop { level, count, runner, entry, .. } in &phase.loops {
                if *count != Some(1) && walk.has_loop(*level, *runner) {
                    walk.here.levels.push((*level, *runner));
                }
                walk.entry(entry);
            }
            walk.leaf();
        });
    }

    fn node(&mut self, node: &PlanNode) {
        match node {
            PlanNode::Kernel(kernel) => {
                let levels = levels(&kernel.distributed);
                self.inside(levels, |walk| walk.body(&kernel.body));
            }
            PlanNode::Accumulate(buffer) => self.node(&buffer.node),
            PlanNode::Tile(tile) => self.tile(&tile.axes, &tile.node),
            PlanNode::Carry(carry) => self.tile(&carry.tile, &carry.node),
            PlanNode::Loop(planned) => self.parts(planned),
            PlanNode::Leaf { is_loaded: false } => self.leaf(),
            PlanNode::Leaf { is_loaded: true } => {}
        }
    }

    fn tile(&mut self, axes: &PlannedAxes, node: &PlanNode) {
        let levels = axes
            .axes
            .iter()
            .map(|(axis, _)| (axis.level, if axis.is_lanes { Runner::Lanes } else { Runner::Unrolled }));
        self.inside(levels, |walk| {
            axes.axes.iter().for_each(|(_, entry)| walk.entry(entry));
            walk.node(node);
        });
    }

    fn parts(&mut self, planned: &PlannedLoop) {
        if let Some(reduction) = &planned.reduction {
            self.parts(reduction);
        }
        // One part has no loop.
        let is_loop = planned.count != Some(1) && self.has_loop(planned.level, planned.runner);
        let own = is_loop.then_some((planned.level, planned.runner)).filter(|_| planned.kernel.is_none());
        let levels = planned.kernel.as_ref().map_or(own.into_iter().collect(), levels);
        self.inside(levels, |walk| walk.body(&planned.body));
    }

    /// True if a level has a loop here: a kernel has the levels of its cores where it begins.
    fn has_loop(&self, level: Level, runner: Runner) -> bool {
        runner == Runner::Loop || self.here.runner(level).is_none()
    }

    /// Visits what is inside of some levels.
    fn inside(&mut self, levels: impl IntoIterator<Item = (Level, Runner)>, visit: impl FnOnce(&mut Self)) {
        let before = (self.here.levels.len(), self.here.promotions.len());
        self.here.levels.extend(levels);
        visit(self);
        self.here.levels.truncate(before.0);
        self.here.promotions.truncate(before.1);
    }

    fn leaf(&mut self) {
        let is_deeper = |found: &Outline| found.levels.len() < self.here.levels.len();
        if self.found.as_ref().is_none_or(is_deeper) {
            self.found = Some(self.here.clone());
        }
    }
}

/// The levels that a kernel distributes, outermost cores first. Phases may distribute a level over different cores.
fn levels(distributed: &DistributedLevels) -> Vec<(Level, Runner)> {
    let mut found: Vec<(Level, CoreRole)> = vec![];
    for known in &distributed.levels {
        let level = (known.level, known.role);
        if !found.contains(&level) {
            found.push(level);
        }
    }
    found.sort_by_key(|(_, role)| CoreRole::ALL.iter().position(|known| known == role));
    found.into_iter().map(|(level, role)| (level, Runner::Cores(role))).collect()
}
