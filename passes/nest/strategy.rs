//! How the parts of a step of the re-composition are gone through, and how their results are combined: decided before anything is built.
//!
//! ```text
//! R: i (++), k (+)      ──▶   each i, then k carried                     registers hold the result, which is written once
//! R: k (+), i (++)      ──▶   k in memory, then each i                   each part is combined into the result
//! R: k (COR, +), ..     ──▶   k in a tree across threads                 private partial results, then their combination
//! R: i (COR, ps +), ..  ──▶   i in a scan across threads
//! ```
use super::{
    accumulator::Accumulator,
    frame::{Construction, Frame, Place},
    index::Index,
    tree::Combination,
};
use mdh_dialects::{
    hom::CombineOperator,
    schedule::{model::Step, roles::CoreRole},
};

/// What becomes of the parts of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// A loop, whose iterations keep their results apart.
    Each,
    /// The same, shared out to the threads of the processor.
    EachOnThreads,
    /// A block or a thread of a kernel has the part that is its own.
    Own,
    /// Results are combined.
    Combine(Combination),
}

impl<'t> Construction<'_, 't> {
    /// What becomes of the parts of step `j`, so many, in a frame that delivers into an accumulator.
    pub fn strategy(&self, j: usize, step: &Step, frame: &Frame<'t>, into: &Accumulator, trip: Index) -> Strategy {
        use Combination::{Carried, InMemory, Scan, ScanAcross, TreeAcross};
        let operator = &self.workload.operators[step.level.dimension];
        // Threads of a kernel that have no part of what is there once must not write with the one that has it.
        let has_idle = frame.kernel().is_some() && operator.concatenates();
        let is_shared_out = self.is_shared_out(&step.tag) && (has_idle || trip.constant() != Some(1));
        let across = match (&frame.place, self.schedule.is_of_blocks(&step.tag)) {
            _ if !is_shared_out => None,
            (Place::Host, true) => Some(CoreRole::Blocks),
            // What threads would share out between kernels that blocks exchange something in, the host goes through.
            (Place::Host, false) => None,
            (Place::Processor | Place::Kernel(_), _) => Some(self.role_of_threads(step)),
        };
        match (operator, across) {
            (CombineOperator::Concatenation, _) if !is_shared_out => Strategy::Each,
            (CombineOperator::Concatenation, _) => match frame.place {
                Place::Processor => Strategy::EachOnThreads,
                Place::Kernel(_) => Strategy::Own,
                Place::Host => Strategy::Each,
            },
            (CombineOperator::PointWise(_), Some(role)) => Strategy::Combine(TreeAcross(role)),
            (CombineOperator::PointWise(_), None) => {
                let is_carried = !is_shared_out && self.is_innermost_reduction(j, frame, into);
                Strategy::Combine(if is_carried { Carried } else { InMemory })
            }
            (CombineOperator::PrefixSum(_), Some(role)) => Strategy::Combine(ScanAcross(role)),
            (CombineOperator::PrefixSum(_), None) => Strategy::Combine(Scan),
        }
    }

    /// What the threads that share out a step are: those of warps, too, have a name of their own.
    fn role_of_threads(&self, step: &Step) -> CoreRole {
        match self.schedule.system.core_role(&step.tag.layer) {
            Some(CoreRole::Warps) => CoreRole::Warps,
            _ => CoreRole::Threads,
        }
    }
}
