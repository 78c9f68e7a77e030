//! The input of nest construction: a computation, reduced to the properties that its loops depend on.
use super::{operators::Combiner, tree::Array, types::Element};
use crate::analysis::{computation::ExtentSource, index::Access};
use mdh_dialects::{
    hom::CombineOperator,
    schedule::model::{Level, Schedule},
};

/// The properties of a computation that the construction uses.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The sources of the extents, by dimension.
    pub extents: Vec<ExtentSource>,
    /// The combine operators, by dimension.
    pub operators: Vec<CombineOperator>,
    /// The types of the tuple that the scalar function takes.
    pub input_types: Vec<Element>,
    /// The types of the tuple that the scalar function yields.
    pub output_types: Vec<Element>,
    /// The input buffers.
    pub inputs: Vec<Input>,
    /// The output buffers.
    pub outputs: Vec<Output>,
    /// True if the computation allocates its output buffers; otherwise they are destinations with previous contents.
    pub has_results: bool,
    /// True if the computation is directly in the body of a function, and not in a loop or a branch.
    pub is_outermost: bool,
    /// The combining function; `None` if every operator is a concatenation.
    pub combiner: Option<Combiner>,
    /// The initial values, one for each component of the results; empty if there are none.
    pub inits: Vec<Initial>,
    /// The scalar function.
    pub body: Body,
    /// The computations whose results are computed in parts, in the order of the program.
    pub producers: Vec<Producer>,
    /// True if the reduction of several dimensions may have one running value, and if parts of scans may be reduced before
    /// they are scanned.
    pub reassociate: bool,
}

/// A computation whose results the nest reads in parts, each computed directly before it is read (`producers.rs`).
#[derive(Clone, Debug)]
pub struct Producer {
    /// Its number among the computations of the function, counted from 0.
    pub number: usize,
    /// The computation.
    pub workload: Workload,
    /// Its schedule, for a part of its results.
    pub schedule: Schedule,
    /// The level of the consumer each part of which computes a part of the results.
    pub level: Level,
    /// By dimension: the indices of a part; `None` for all indices of the dimension.
    pub ranges: Vec<Option<PartRange>>,
}

/// The indices of a dimension of a producer that points of the consumer read: those from `low` to `high` after a linear
/// function of the point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartRange {
    /// The dimensions of the consumer that the indices depend on, each with its coefficient.
    pub coefficients: Vec<(usize, i64)>,
    /// The smallest constant.
    pub low: i64,
    /// The largest constant.
    pub high: i64,
    /// True if indices may be outside of the dimension where no point reads them, so that a part ends at its extent.
    pub is_limited: bool,
}

/// The initial value of a component of the results.
#[derive(Clone, Debug)]
pub enum Initial {
    /// A constant.
    Constant,
    /// A scalar that is defined before the nest.
    Scalar,
    /// The elements of a buffer.
    Elements {
        /// The memory of the buffer.
        array: Array,
        /// The access to it.
        access: Access,
        /// True if an output may alias it.
        is_overwritten: bool,
    },
    /// The previous contents of the elements that the results are written to.
    InPlace,
}

/// An input buffer.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its memory.
    pub array: Array,
    /// Its accesses, in order.
    pub accesses: Vec<Access>,
    /// The position of its first access in the scalar tuple.
    pub first_component: usize,
    /// True if a point may read an element after another point has written it, so that the nest reads a copy.
    pub is_overwritten: bool,
    /// True if a point reads the element that it writes.
    pub is_updated: bool,
    /// The producer and its output, counted from 0, if the buffer is computed in parts and never exists as a whole.
    pub producer: Option<(usize, usize)>,
}

/// An output buffer.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its memory.
    pub array: Array,
    /// Its accesses, in order.
    pub accesses: Vec<Access>,
    /// True if it is known to be aligned to a cache line.
    pub is_aligned: bool,
    /// True if the program fills it by a copy directly before the computation, which the nest may replace.
    pub is_copied_before: bool,
}

/// Properties of the scalar function.
#[derive(Clone, Debug)]
pub struct Body {
    /// True if all its values can be elements of vectors.
    pub is_vectorizable: bool,
    /// True if it may be evaluated speculatively, on values that no point of the iteration space has.
    pub is_speculatable: bool,
    /// True if it has no branches or loops.
    pub is_plain: bool,
    /// The dimensions whose index it uses, each once, in the order of first use.
    pub indices: Vec<usize>,
}

impl Workload {
    /// The components whose initial values are buffers.
    pub fn initial_buffers(&self) -> Vec<usize> {
        let is_buffer = |(_, initial): &(usize, &Initial)| matches!(initial, Initial::Elements { .. });
        self.inits.iter().enumerate().filter(is_buffer).map(|(component, _)| component).collect()
    }

    /// True if a carry comes into a scan whose values are reductions.
    pub fn carries_into_reduction(&self) -> bool {
        !self.inits.is_empty() && self.has_scan() && self.operators.iter().any(CombineOperator::reduces)
    }

    /// True if a dimension is scanned.
    pub fn has_scan(&self) -> bool {
        self.operators.iter().any(CombineOperator::is_scan)
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.operators.len()
    }

    /// True if blocks over which a scanned dimension is distributed first reduce their parts, and scan them after their
    /// carry-ins are known. The computation must be one scan with a built-in operator, without reductions. This pays
    /// off if the scalar function is cheap, and if reading the inputs once more moves fewer bytes than writing all
    /// results and reading them again.
    pub fn reduces_before_scan(&self) -> bool {
        let bytes = |types: &[Element]| types.iter().map(|element| element.bytes()).sum::<u64>();
        let scans: Vec<_> = self.operators.iter().filter(|operator| operator.is_scan()).collect();
        matches!(scans[..], [scan] if scan.is_builtin())
            && !self.operators.iter().any(CombineOperator::reduces)
            && bytes(&self.input_types) < 2 * bytes(&self.output_types)
            && self.body.is_plain
    }
}
