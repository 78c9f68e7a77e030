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
mod identity;
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

/// The combining function of a point-wise or prefix-sum operator.
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
    /// `#mdh.pw<…>`: collapses the index set to one point.
    PointWise(Function),
    /// `#mdh.ps<…>`: keeps the index set; position i contains the combination of positions 0 to i.
    PrefixSum(Function),
}

impl CombineOperator {
    /// The combining function; `None` for concatenation.
    pub fn function(&self) -> Option<&Function> {
        match self {
            Self::Concatenation => None,
            Self::PointWise(function) | Self::PrefixSum(function) => Some(function),
        }
    }

    /// True for `pw`: the dimension collapses to one point (a reduction dimension).
    pub fn reduces(&self) -> bool {
        matches!(self, Self::PointWise(_))
    }

    /// True for `cc` and `ps`: each point of the dimension has its own result (a non-reduction dimension).
    pub fn keeps(&self) -> bool {
        !self.reduces()
    }

    /// True for `cc`: nothing is combined.
    pub fn concatenates(&self) -> bool {
        *self == Self::Concatenation
    }

    /// True for `pw` and `ps`: results are combined.
    pub fn combines(&self) -> bool {
        !self.concatenates()
    }

    /// True for `ps`: the result of each point is the combination of all points up to it.
    pub fn is_scan(&self) -> bool {
        matches!(self, Self::PrefixSum(_))
    }

    /// True if values must be combined in the order of their positions. This holds for scans; the functions of
    /// reductions are commutative (rule C19).
    pub fn is_ordered(&self) -> bool {
        self.is_scan()
    }

    /// True if the combining function is built in.
    pub fn is_builtin(&self) -> bool {
        matches!(self.function(), Some(Function::Builtin(_)))
    }

    /// True if the combining function is defined by the program.
    pub fn is_user(&self) -> bool {
        matches!(self.function(), Some(Function::Symbol(_)))
    }

    /// The operator that combines the carry of a scan across parts: the reduction with the same function. Other
    /// operators are returned unchanged.
    pub fn carry(&self) -> Self {
        match self {
            Self::PrefixSum(function) => Self::PointWise(function.clone()),
            other => other.clone(),
        }
    }
}

impl CombineOperator {
    /// Converts to an attribute.
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

/// Converts a combine operator from its attribute; `arity` is the number of components of the scalar tuple that it
/// combines.
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

/// The kind with this enumeration value in the C API.
fn kind_from_number(number: i32) -> Option<Kind> {
    builtin::BUILTINS.get(usize::try_from(number).ok()?).map(|row| row.kind)
}
