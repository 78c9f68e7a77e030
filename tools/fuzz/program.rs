//! Programs as data: created by the generator, reduced by the shrinker, and printed as text.
use crate::fuzz::{initial::Initial, operators::Combine, producer::Producer, scalar::Expression};
use mdh_dialects::hom::{CombineOperator, Function};
use mdh_dialects::schedule::rules::Shape;
use serde::{Deserialize, Serialize};

pub use crate::fuzz::buffer::{Access, Buffer, Destination, Dimension, IndexFunction, Operator, Output, Scalar, Size};

/// A program: a function with a computation, and optionally producers of its inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// The iteration space.
    pub dimensions: Vec<Dimension>,
    /// The combining function.
    pub combine: Combine,
    /// The input view.
    pub inputs: Vec<Buffer>,
    /// The producers, in order.
    pub producers: Vec<Producer>,
    /// Pairs of inputs that are the same value; the argument of the second one is unused.
    pub same: Vec<(usize, usize)>,
    /// The output view.
    pub outputs: Vec<Output>,
    /// The initial values, one for each component of the results, or none.
    #[serde(default)]
    pub inits: Vec<Initial>,
    /// The scalar function: an expression for each component.
    pub scalar: Vec<Expression>,
    /// True if data contain NaNs.
    pub nan: bool,
    /// The seed of the arguments' data.
    pub data: u64,
}

impl Program {
    /// The extents.
    pub fn extents(&self) -> Vec<u64> {
        self.dimensions.iter().map(|dimension| dimension.extent).collect()
    }

    /// Maximum number of points that are combined into one element.
    pub fn combined(&self) -> u64 {
        let combined = self.dimensions.iter().filter(|dimension| dimension.operator != Operator::Concatenation);
        let points: u64 = combined.map(|dimension| dimension.extent.max(1)).product();
        // An initial value is as large as several values that are combined.
        if self.inits.is_empty() { points } else { points + 4 }
    }

    /// The component types of the scalar function's argument.
    pub fn arguments(&self) -> Vec<Scalar> {
        self.inputs.iter().flat_map(|input| input.accesses.iter().map(|_| input.element)).collect()
    }

    /// The component types of the scalar function's result.
    pub fn components(&self) -> Vec<Scalar> {
        let components = |output: &Output| vec![output.buffer.element; output.buffer.accesses.len()];
        self.outputs.iter().flat_map(components).collect()
    }

    /// The dimensions whose dynamic extents are operands of the `inp_view`.
    pub fn extent_operands(&self) -> Vec<usize> {
        let dynamic = (0..self.dimensions.len()).filter(|&d| self.dimensions[d].dynamic);
        dynamic.filter(|&d| self.defining(d).is_none()).collect()
    }

    /// The input buffer and its dimension that define a dynamic extent: no index of the buffer there depends on the
    /// dimension in another way.
    pub fn defining(&self, d: usize) -> Option<(usize, usize)> {
        self.inputs.iter().enumerate().find_map(|(buffer, input)| {
            let is_index = |row: &IndexFunction| row.single() == Some(d);
            let indexed =
                input.accesses.iter().flat_map(|access| (0..access.len()).filter(move |axis| is_index(&access[*axis])));
            let is_other = |row: &IndexFunction| row.coefficients[d] != 0 && !is_index(row);
            let mut indexed = indexed.filter(|axis| !input.accesses.iter().any(|access| is_other(&access[*axis])));
            Some((buffer, indexed.next()?))
        })
    }

    /// Returns true if the operators are a homomorphism only by declaration: several dimensions with a non-commutative
    /// function.
    pub fn declares_homomorphism(&self) -> bool {
        let combining = self.dimensions.iter().filter(|dimension| dimension.operator != Operator::Concatenation);
        combining.count() > 1 && !self.combine.is_commutative()
    }

    /// Returns true if an input can be the same value as another one: it has the same type and size, and no output
    /// overwrites it.
    pub fn can_be_same(&self, one: usize, other: usize) -> bool {
        let (a, b) = (&self.inputs[one], &self.inputs[other]);
        (a.element, a.memref, &a.sizes) == (b.element, b.memref, &b.sizes)
            && self.outputs.iter().all(|output| output.destination != Destination::Input(other))
    }

    /// The shape of the computation, for the rules of schedules.
    pub fn shape(&self) -> Shape {
        let function = || Function::Symbol("combine".into());
        let operator = |dimension: &Dimension| match dimension.operator {
            Operator::Concatenation => CombineOperator::Concatenation,
            Operator::PointWise => CombineOperator::PointWise(function()),
            Operator::PrefixSum => CombineOperator::PrefixSum(function()),
        };
        Shape::new(
            self.dimensions.iter().map(|d| (!d.dynamic).then_some(d.extent)),
            self.dimensions.iter().map(operator).collect(),
            self.inputs.iter().map(|input| input.sizes.len()).collect(),
            self.outputs.iter().map(|output| output.buffer.sizes.len()).collect(),
        )
    }
}
