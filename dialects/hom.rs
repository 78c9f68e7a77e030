//! A Rust view of `mdh.hom.*`: combine operators and their functions.
use crate::{
    ffi::{self, Combine},
    ir,
};
use melior::{
    Context,
    ir::{Attribute, attribute::FlatSymbolRefAttribute},
};

pub mod builtin;
pub(crate) mod compute;
mod ops;
pub mod verify;

pub use ops::*;

/// A built-in combining function on scalars: integers are signed, `min` and `max` on floats propagate NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Kind {
    Add,
    Mul,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// The function of a point-wise or prefix-sum operator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// One kind for each component of the scalar tuple (already expanded: `pw<add>` on a tuple of two is `[Add, Add]`).
    Builtin(Vec<Kind>),
    /// The symbol of an `mdh.hom.operator`.
    Symbol(String),
}

/// A combine operator (paper, Definition 2 and Examples 1 to 3).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CombineOperator {
    /// `#mdh.cc`: keeps the index set.
    Concatenation,
    /// `#mdh.pw<…>`: reduces the index set to one point.
    PointWise(Function),
    /// `#mdh.ps<…>`: keeps the index set; position i holds the combination of positions 0 to i.
    PrefixSum(Function),
}

impl CombineOperator {
    /// The combining function; none for concatenation.
    pub fn function(&self) -> Option<&Function> {
        match self {
            Self::Concatenation => None,
            Self::PointWise(function) | Self::PrefixSum(function) => Some(function),
        }
    }

    /// Whether the dimension becomes one point.
    pub fn reduces(&self) -> bool {
        matches!(self, Self::PointWise(_))
    }

    /// Whether the dimension stays: each of its points has a result of its own.
    pub fn keeps(&self) -> bool {
        !self.reduces()
    }

    /// Whether nothing is combined.
    pub fn concatenates(&self) -> bool {
        *self == Self::Concatenation
    }

    /// Whether results are combined.
    pub fn combines(&self) -> bool {
        !self.concatenates()
    }

    /// Whether each point has what it and all before it combine to.
    pub fn is_scan(&self) -> bool {
        matches!(self, Self::PrefixSum(_))
    }

    /// Whether values must be combined in the order of their positions. Scans need it; the functions of reductions commute (rule C19).
    pub fn is_ordered(&self) -> bool {
        self.is_scan()
    }

    /// Whether a built-in function combines.
    pub fn is_builtin(&self) -> bool {
        matches!(self.function(), Some(Function::Builtin(_)))
    }

    /// Whether a function of the program combines.
    pub fn is_user(&self) -> bool {
        matches!(self.function(), Some(Function::Symbol(_)))
    }

    /// What combines what a scan carries from part to part: the reduction by its function. Others are themselves.
    pub fn carry(&self) -> Self {
        match self {
            Self::PrefixSum(function) => Self::PointWise(function.clone()),
            other => other.clone(),
        }
    }
}

impl CombineOperator {
    /// As an attribute.
    pub fn attribute<'c>(&self, context: &'c Context) -> Attribute<'c> {
        let combine = match self.function() {
            None => Combine::Concatenation,
            Some(Function::Builtin(kinds)) => {
                Combine::Kinds(self.reduces(), kinds.iter().map(|kind| *kind as i32).collect(), true)
            }
            Some(Function::Symbol(symbol)) => {
                Combine::Symbol(self.reduces(), FlatSymbolRefAttribute::new(context, symbol).into())
            }
        };
        ffi::combine_get(context, &combine)
    }
}

/// A combine operator from its attribute; `arity` is the number of components of the scalar tuple that it combines.
pub fn combine_operator(attribute: Attribute<'_>, arity: usize) -> Option<CombineOperator> {
    let (point_wise, function) = match ffi::combine(attribute)? {
        Combine::Concatenation => return Some(CombineOperator::Concatenation),
        Combine::Symbol(point_wise, symbol) => (point_wise, Function::Symbol(ir::symbol_attribute(symbol)?.to_owned())),
        Combine::Kinds(point_wise, kinds, is_list) => {
            let kinds = kinds.into_iter().map(kind_from_number).collect::<Option<Vec<_>>>()?;
            let kinds = if is_list { kinds } else { vec![*kinds.first()?; arity] };
            (point_wise, Function::Builtin(kinds))
        }
    };
    Some(if point_wise { CombineOperator::PointWise(function) } else { CombineOperator::PrefixSum(function) })
}

/// A kind from its number in the C API.
fn kind_from_number(number: i32) -> Option<Kind> {
    builtin::BUILTINS.get(usize::try_from(number).ok()?).map(|row| row.kind)
}
