//! What a plan depends on beside the schedule: the operators, the static part counts, and what code can do.
use super::static_counts::StaticCounts;
use mdh_dialects::{
    hom::CombineOperator,
    schedule::{model::Placement, roles::Memory},
};

/// The properties of a computation and of its target that a plan depends on.
#[derive(Clone, Debug)]
pub struct PlanFacts {
    /// The combine operators, by dimension.
    pub operators: Vec<CombineOperator>,
    /// The static part counts.
    pub counts: StaticCounts,
    /// True if the combining function has an identity; `None` if every operator is a concatenation.
    pub has_identity: Option<bool>,
    /// True if the results start with initial values. (Those of a scan are a carry that comes in.)
    pub has_inits: bool,
    /// True if all values can be vector lanes.
    pub is_vectorizable: bool,
    /// True if one running value reduces several dimensions.
    pub has_one_value: bool,
    /// True if parts of scans may be reduced before blocks scan them, and if that is cheaper.
    pub reduces_before_scan: bool,
    /// True if long sums are divided into partial sums.
    pub divides_sums: bool,
    /// By input buffer: the placement of the user's buffer, and whether a producer computes it in parts.
    pub inputs: Vec<PlannedInput>,
    /// By output buffer: the placement of the user's buffer.
    pub outputs: Vec<Placement>,
    /// By producer: where its parts are computed.
    pub producers: Vec<ProducerPlace>,
    /// True if kernels run the loops.
    pub has_kernels: bool,
    /// By input buffer: its placement at the entry of the nest.
    pub placements: Vec<Placement>,
    /// True if the nest is in a parallel loop.
    pub is_in_parallel_loop: bool,
}

/// An input buffer as a plan sees it.
#[derive(Clone, Debug)]
pub struct PlannedInput {
    /// The placement of the user's buffer.
    pub home: Placement,
    /// True if a producer computes it in parts, which exist in kernels only.
    pub is_produced: bool,
}

/// Where the parts of a producer are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProducerPlace {
    /// The number of loops of the consumer around them.
    pub depth: usize,
    /// The memory of the parts. Each thread computes those in private memory for itself; the threads of a block compute
    /// those in shared memory together.
    pub memory: Memory,
}
