//! The strategy for the parts of a re-composition step: how they are iterated over, and how their results are combined.
//! It is chosen before code is built.
//!
//! ```text
//! R: i (++), k (+)      ──▶   each i, then k carried                     registers hold the result, which is written once
//! R: k (+), i (++)      ──▶   k in memory, then each i                   each part is combined into the result
//! R: k (COR, +), ..     ──▶   k in a tree across threads                 private partial results, then their combination
//! R: i (COR, ps +), ..  ──▶   i in a scan across threads
//! ```
use super::{
    accumulator::Accumulator,
    construction::Construction,
    cursor::{Cursor, ExecutionSpace},
    index::Index,
    tree::Combination,
};
use mdh_dialects::{
    hom::CombineOperator,
    schedule::{model::Step, roles::CoreRole},
};

/// The implementation of the parts of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// A sequential loop whose iterations write separate results.
    Each,
    /// The same as a parallel loop, distributed over the threads of the processor.
    EachOnThreads,
    /// Each block or thread of a kernel computes its own part.
    Own,
    /// The results of the parts are combined.
    Combine(Combination),
}

impl<'t> Construction<'_, 't> {
    /// The strategy for the `trip` parts of step `j` at a cursor, whose results go to the accumulator `into`.
    pub fn strategy(&self, j: usize, step: &Step, cursor: &Cursor<'t>, into: &Accumulator, trip: Index) -> Strategy {
        use Combination::{Carried, InMemory, Scan, ScanAcross, TreeAcross};
        let operator = &self.workload.operators[step.level.dimension];
        // In a kernel, a concatenated level of one part still counts as distributed: only the thread with this part may
        // write, and other threads have none.
        let has_idle = cursor.kernel().is_some() && operator.concatenates();
        let is_distributed = self.is_distributed(&step.tag) && (has_idle || trip.constant() != Some(1));
        let across = match (&cursor.place, self.schedule.is_of_blocks(&step.tag)) {
            _ if !is_distributed => None,
            (ExecutionSpace::Host, true) => Some(CoreRole::Blocks),
            // Between kernels that exchange values across blocks, the host loops over the levels of threads.
            (ExecutionSpace::Host, false) => None,
            (ExecutionSpace::Processor | ExecutionSpace::Kernel(_), _) => Some(self.role_of_threads(step)),
        };
        match (operator, across) {
            (CombineOperator::Concatenation, _) if !is_distributed => Strategy::Each,
            (CombineOperator::Concatenation, _) => match cursor.place {
                ExecutionSpace::Processor => Strategy::EachOnThreads,
                ExecutionSpace::Kernel(_) => Strategy::Own,
                ExecutionSpace::Host => Strategy::Each,
            },
            (CombineOperator::PointWise(_), Some(role)) => Strategy::Combine(TreeAcross(role)),
            (CombineOperator::PointWise(_), None) => {
                let is_carried = !is_distributed && self.is_innermost_reduction(j, cursor, into);
                Strategy::Combine(if is_carried { Carried } else { InMemory })
            }
            (CombineOperator::PrefixSum(_), Some(role)) => Strategy::Combine(ScanAcross(role)),
            (CombineOperator::PrefixSum(_), None) => Strategy::Combine(Scan),
        }
    }

    /// The role of the threads that a step is distributed over; warps are reported separately.
    fn role_of_threads(&self, step: &Step) -> CoreRole {
        match self.schedule.system.core_role(&step.tag.layer) {
            Some(CoreRole::Warps) => CoreRole::Warps,
            _ => CoreRole::Threads,
        }
    }
}
