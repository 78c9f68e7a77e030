//! What a nest is built from: a computation, as far as its loops depend on it.
use super::{operators::Combiner, tree::Array, types::Element};
use crate::analysis::{computation::ExtentSource, index::Access};
use mdh_dialects::hom::CombineOperator;

/// What the construction asks of a computation.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Where the extents come from, by dimension.
    pub extents: Vec<ExtentSource>,
    /// One combine operator a dimension.
    pub operators: Vec<CombineOperator>,
    /// The types of the tuple that the scalar function takes.
    pub input_types: Vec<Element>,
    /// The types of the tuple that the scalar function yields.
    pub output_types: Vec<Element>,
    /// The input buffers.
    pub inputs: Vec<Input>,
    /// The output buffers.
    pub outputs: Vec<Output>,
    /// Whether the computation makes its output buffers; otherwise they are destinations, which hold something before.
    pub has_results: bool,
    /// Whether it stands in the body of a function, and not in a loop or a branch.
    pub is_outermost: bool,
    /// The combining function; none where every operator is a concatenation.
    pub combiner: Option<Combiner>,
    /// The scalar function.
    pub body: Body,
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
    /// Whether an output may share memory with it.
    pub is_overwritten: bool,
}

/// An output buffer.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its memory.
    pub array: Array,
    /// Its accesses, in order.
    pub accesses: Vec<Access>,
    /// Whether it is known to begin with a line of the caches.
    pub is_aligned: bool,
    /// Whether a copy fills it just before, which the nest may replace.
    pub is_copied_before: bool,
}

/// What is known of the scalar function.
#[derive(Clone, Debug)]
pub struct Body {
    /// Whether all its values can be elements of vectors.
    pub is_vectorizable: bool,
    /// Whether it may be computed for values that no point of the iteration space has.
    pub is_speculatable: bool,
    /// Whether it has no branches or loops of its own.
    pub is_plain: bool,
    /// The dimensions whose index it asks for, each once, in the order in which it does.
    pub indices: Vec<usize>,
}

/// How code may differ from the definition.
#[derive(Clone, Copy, Debug)]
pub struct Freedom {
    /// Whether a product and a sum may be rounded once.
    pub contract: bool,
    /// Whether the reduction of several dimensions may have one running value, and parts of scans may be reduced before they are scanned.
    pub reassociate: bool,
}

impl Workload {
    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.operators.len()
    }

    /// Whether blocks that share out a scanned dimension first reduce their parts, and scan them when they know what comes before: where
    /// the scalar function is cheap, and reading inputs once more moves fewer bytes than to write all results and read them again.
    pub fn reduces_before_scan(&self) -> bool {
        let bytes = |types: &[Element]| types.iter().map(|element| element.bytes()).sum::<u64>();
        let scans: Vec<_> = self.operators.iter().filter(|operator| operator.is_scan()).collect();
        matches!(scans[..], [scan] if scan.is_builtin())
            && !self.operators.iter().any(CombineOperator::reduces)
            && bytes(&self.input_types) < 2 * bytes(&self.output_types)
            && self.body.is_plain
    }
}
