//! The kinds of operations on elements that cost models tell apart.
use mdh_dialects::{
    hom::{Index, Yield},
    ir::{self, Op, OpView},
};

/// The kind of an operation on elements. Each cost model has a price for each kind, in its own unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// No instruction: constants, terminators, and casts of indices.
    Free,
    /// A product of floats.
    Product,
    /// A sum or a difference of floats.
    Sum,
    /// A quotient or a square root of floats.
    Quotient,
    /// A minimum or a maximum of floats that propagates NaN.
    Extremum,
    /// A product of integers.
    IntegerProduct,
    /// A quotient or a remainder without vector instruction.
    IntegerQuotient,
    /// Another operation of one instruction.
    Simple,
    /// A function of `math` that rounds.
    Rounding,
    /// The function `math.rsqrt`.
    ReciprocalRoot,
    /// Another function of `math`.
    Function,
    /// An operation of another dialect.
    Other,
}

impl OperationKind {
    /// The kind of an operation.
    pub fn of(operation: Op<'_>) -> Self {
        match ir::name(operation) {
            "arith.constant" | "arith.index_cast" | "func.return" | "scf.yield" | Yield::NAME | Index::NAME => {
                Self::Free
            }
            "arith.mulf" => Self::Product,
            "arith.addf" | "arith.subf" => Self::Sum,
            "arith.divf" | "math.sqrt" => Self::Quotient,
            "arith.minimumf" | "arith.maximumf" => Self::Extremum,
            "arith.muli" => Self::IntegerProduct,
            "math.absf" | "math.absi" | "math.copysign" | "math.fma" => Self::Simple,
            "math.floor" | "math.ceil" => Self::Rounding,
            "math.rsqrt" => Self::ReciprocalRoot,
            name if name.starts_with("arith.rem") || name.contains("div") && name.starts_with("arith.") => {
                Self::IntegerQuotient
            }
            name if name.starts_with("arith.") => Self::Simple,
            name if name.starts_with("math.") => Self::Function,
            _ => Self::Other,
        }
    }
}
