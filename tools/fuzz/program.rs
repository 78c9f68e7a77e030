//! Programs as data: created by the generator, reduced by the shrinker, and printed as text.
use crate::fuzz::{initial::Initial, operators::Combine, producer::Producer, scalar::Expression};
use mdh_dialects::hom::{CombineOperator, Function};
use mdh_dialects::schedule::rules::Shape;
use serde::{Deserialize, Serialize};

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Scalar {
    F16,
    Bf16,
    F32,
    F64,
    I1,
    I8,
    I16,
    I32,
    I64,
    Index,
}

impl Scalar {
    /// All types.
    pub const ALL: [Self; 10] =
        [Self::F32, Self::F64, Self::F16, Self::Bf16, Self::I1, Self::I8, Self::I16, Self::I32, Self::I64, Self::Index];

    /// The name in MLIR.
    pub fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I1 => "i1",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::Index => "index",
        }
    }

    /// Returns true for floating-point types.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::F32 | Self::F64)
    }

    /// The number of bits.
    pub fn width(self) -> u32 {
        match self {
            Self::I1 => 1,
            Self::I8 => 8,
            Self::I16 | Self::F16 | Self::Bf16 => 16,
            Self::I32 | Self::F32 => 32,
            Self::I64 | Self::Index | Self::F64 => 64,
        }
    }

    /// The largest number up to which the type represents all integers exactly.
    pub fn exact(self) -> f64 {
        match self {
            Self::Bf16 => 256.0,
            Self::F16 => 2048.0,
            Self::F32 => 16_777_216.0,
            _ => 9_007_199_254_740_992.0,
        }
    }
}

/// The combine operator of a dimension; the combining function is that of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operator {
    /// `#mdh.cc`
    Concatenation,
    /// `#mdh.pw`
    PointWise,
    /// `#mdh.ps`
    PrefixSum,
}

/// A dimension of the iteration space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dimension {
    /// The extent.
    pub extent: u64,
    /// True if the extent is `?` in the type.
    pub dynamic: bool,
    /// The combine operator.
    pub operator: Operator,
}

/// The index function of one buffer dimension.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexFunction {
    /// The coefficient of each iteration dimension.
    pub coefficients: Vec<i64>,
    /// The offset.
    pub constant: i64,
}

impl IndexFunction {
    /// The minimum and maximum index over an iteration space with these extents.
    pub fn range(&self, extents: &[u64]) -> (i64, i64) {
        let span = |c: i64, extent: u64| c * (extent as i64 - 1).max(0);
        let terms: Vec<_> = self.coefficients.iter().zip(extents).map(|(&c, &extent)| span(c, extent)).collect();
        let low: i64 = terms.iter().map(|term| *term.min(&0)).sum();
        let high: i64 = terms.iter().map(|term| *term.max(&0)).sum();
        (self.constant + low, self.constant + high)
    }

    /// The dimension that the row is equal to; `None` for other rows.
    pub fn single(&self) -> Option<usize> {
        let mut used = self.coefficients.iter().enumerate().filter(|(_, c)| **c != 0);
        let (d, &c) = used.next()?;
        (c == 1 && self.constant == 0 && used.next().is_none()).then_some(d)
    }
}

/// An access: a row for each buffer dimension.
pub type Access = Vec<IndexFunction>;

/// A size of a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// The number of elements.
    pub size: u64,
    /// True if the size is `?` in the type.
    pub dynamic: bool,
}

/// A buffer of an input or output view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buffer {
    /// The element type.
    pub element: Scalar,
    /// The sizes.
    pub sizes: Vec<Size>,
    /// True for a memref, false for a tensor.
    pub memref: bool,
    /// The accesses.
    pub accesses: Vec<Access>,
}

impl Buffer {
    /// The number of elements.
    pub fn elements(&self) -> u64 {
        self.sizes.iter().map(|size| size.size).product()
    }
}

/// The destination of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Destination {
    /// A new buffer.
    New,
    /// A destination of its own.
    Own,
    /// An input buffer, which is overwritten.
    Input(usize),
}

/// An output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The buffer.
    pub buffer: Buffer,
    /// Its destination; new for all outputs or for none.
    pub destination: Destination,
}

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

    /// The input buffer and its dimension that define a dynamic extent.
    pub fn defining(&self, d: usize) -> Option<(usize, usize)> {
        self.inputs.iter().enumerate().find_map(|(buffer, input)| {
            let axis = |access: &Access| access.iter().position(|row| row.single() == Some(d));
            input.accesses.iter().find_map(axis).map(|axis| (buffer, axis))
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
