//! The walk over a plan, which records its nest: each node delivers into an [`Accumulator`].
//!
//! ```text
//! plan ──▶ kernel · buffer · tile · loop · carry · leaf      a file for each in `record/` or `gpu/`
//! ```
//!
//! The nest is built once, in order. The files of nodes import the functions that they call, and record the nodes inside of
//! their own by [`Construction::record`] and [`Construction::enter`].
pub mod allocate;
pub mod carry;
pub mod deliver;
pub mod iterate;
pub mod parts;
pub mod promote;
pub mod scalar_phase;
pub mod unroll;

use crate::{
    nest::{
        accumulator::Accumulator, construction::Construction, cursor::Cursor, gpu::launch, producers, scan,
        shared_inputs, tree::Purpose,
    },
    plan::{KernelPhase, LoopPlan, PlanNode, PlannedBody, PlannedEntry, runner::Combination},
};

impl<'t> Construction<'_, 't> {
    /// Generates all loops; results go to `outputs`.
    pub fn generate(&self, plan: &LoopPlan, mut cursor: Cursor<'t>, outputs: Accumulator) {
        if self.kernels.is_none() {
            shared_inputs::share_inputs(self, &mut cursor, plan.body.entry.is_parallel);
        }
        self.body(&plan.body, cursor, outputs);
    }

    /// The code of a part: what precedes its loops, and the loops.
    pub fn body(&self, body: &PlannedBody, mut cursor: Cursor<'t>, into: Accumulator) {
        self.enter(&mut cursor, &body.entry);
        self.record(&body.node, cursor, into);
    }

    /// What precedes the loops of a part: computes parts of producers, promotes inputs, and runs a separate scalar phase.
    pub fn enter(&self, cursor: &mut Cursor<'t>, entry: &PlannedEntry) {
        producers::compute_producers(self, cursor, &entry.producers);
        promote::promote(self, cursor, entry);
        if let Some(phase) = &entry.scalar_phase {
            scalar_phase::materialize(self, cursor, phase);
        }
    }

    /// Emits a node of the plan, and delivers its results into an accumulator.
    pub fn record(&self, node: &PlanNode, cursor: Cursor<'t>, into: Accumulator) {
        match node {
            PlanNode::Kernel(kernel) => launch::launch(self, &cursor, &kernel.distributed, |cursor| {
                self.body(&kernel.body, cursor.begin(KernelPhase::Recompose), into);
            }),
            PlanNode::Accumulate(buffer) => parts::accumulate_apart(self, buffer, &cursor, &into),
            PlanNode::Tile(tile) => {
                // Results that are combined in memory are not written again: another thread may be at work on them.
                let is_written_once = self.combiner.is_none();
                unroll::unroll_and_jam(
                    self,
                    &cursor,
                    &tile.axes,
                    is_written_once.then_some(&into),
                    &[],
                    &mut |cursor| {
                        self.record(&tile.node, cursor.clone(), into.clone());
                        vec![]
                    },
                );
            }
            PlanNode::Loop(planned) => parts::parts(self, planned, cursor, into),
            PlanNode::Carry(carry) => {
                let (level, combination) = (carry.level, carry.combination);
                let cursor = cursor.within(Purpose::Combine { level, combination });
                match combination {
                    Combination::Scan => scan::scan_carried(self, carry, &cursor, &into),
                    _ => carry::reduce_carried(self, carry, &cursor, &into),
                }
            }
            PlanNode::Leaf { .. } => {
                let values = deliver::leaf(self, &cursor);
                deliver::deliver_tile(self, &cursor, &into, &values);
            }
        }
    }
}
