//! Index arithmetic in a nest. Constants are folded during construction, so that static extents need no arithmetic at
//! run time; an `analysis::index::Expression` represents the same arithmetic without statements. Constants saturate:
//! `memory.rs` detects sizes that do.
use super::{
    code::Code,
    tree::{Binary, Value},
    types::Type,
};
use mdh_dialects::ir::IntPredicate;

/// An index: a compile-time constant, or a value of type `index`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// Known at compile time.
    Constant(i64),
    /// Known at run time.
    Computed(Value),
}

use Index::{Computed, Constant};

impl Index {
    /// The constant; `None` if it is computed.
    pub fn constant(self) -> Option<i64> {
        match self {
            Constant(value) => Some(value),
            Computed(_) => None,
        }
    }

    /// The index as a value.
    pub fn materialize(self, b: &Code<'_>) -> Value {
        match self {
            Computed(value) => value,
            Constant(value) => b.constant(value, Type::INDEX),
        }
    }

    /// `self + other`
    pub fn add(self, b: &Code<'_>, other: Self) -> Self {
        match (self, other) {
            (Constant(x), Constant(y)) => Constant(x.saturating_add(y)),
            (Constant(0), x) | (x, Constant(0)) => x,
            _ => binary(b, Binary::Add, self, other),
        }
    }

    /// `self - other`
    pub fn sub(self, b: &Code<'_>, other: Self) -> Self {
        match (self, other) {
            (Constant(x), Constant(y)) => Constant(x.saturating_sub(y)),
            (Computed(x), Computed(y)) if x == y => Constant(0),
            (x, Constant(0)) => x,
            _ => binary(b, Binary::Subtract, self, other),
        }
    }

    /// `self * other`
    pub fn mul(self, b: &Code<'_>, other: Self) -> Self {
        match (self, other) {
            (Constant(x), Constant(y)) => Constant(x.saturating_mul(y)),
            (Constant(0), _) | (_, Constant(0)) => Constant(0),
            (Constant(1), x) | (x, Constant(1)) => x,
            _ => binary(b, Binary::Multiply, self, other),
        }
    }

    /// The minimum.
    pub fn min(self, b: &Code<'_>, other: Self) -> Self {
        match (self, other) {
            (Constant(x), Constant(y)) => Constant(x.min(y)),
            _ => binary(b, Binary::Minimum, self, other),
        }
    }

    /// The maximum.
    pub fn max(self, b: &Code<'_>, other: Self) -> Self {
        match (self, other) {
            (Constant(x), Constant(y)) => Constant(x.max(y)),
            _ => binary(b, Binary::Maximum, self, other),
        }
    }

    /// `self / other` rounded up, for a positive divisor.
    pub fn ceildiv(self, b: &Code<'_>, other: Self) -> Self {
        match (self, other) {
            (Constant(x), Constant(y)) => Constant(x.div_euclid(y) + i64::from(x.rem_euclid(y) != 0)),
            (x, Constant(1)) => x,
            _ => binary(b, Binary::CeilDivide, self, other),
        }
    }

    /// `self / other` rounded down, for a non-negative dividend and a positive divisor.
    pub fn div(self, b: &Code<'_>, other: Self) -> Self {
        match (self, other) {
            (Constant(x), Constant(y)) => Constant(x / y),
            (x, Constant(1)) => x,
            _ => binary(b, Binary::Divide, self, other),
        }
    }

    /// The remainder of `self / other`, for a non-negative dividend and a positive divisor.
    pub fn rem(self, b: &Code<'_>, other: Self) -> Self {
        match (self, other) {
            (Constant(x), Constant(y)) => Constant(x % y),
            (_, Constant(1)) => Constant(0),
            _ => binary(b, Binary::Remainder, self, other),
        }
    }

    /// The comparison `self predicate other` as an `i1`.
    pub fn compare(self, b: &Code<'_>, predicate: IntPredicate, other: Self) -> Value {
        let (left, right) = (self.materialize(b), other.materialize(b));
        b.compare(predicate, left, right)
    }
}

fn binary(b: &Code<'_>, operation: Binary, left: Index, right: Index) -> Index {
    let (left, right) = (left.materialize(b), right.materialize(b));
    Computed(b.binary(operation, left, right, Type::INDEX))
}
