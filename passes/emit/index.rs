//! Index arithmetic in generated code. Constants are folded as it is built, so that static extents leave no arithmetic
//! behind. The counterpart without code is `analysis::index::Expression`.
use mdh_dialects::ir::{Builder, IntPredicate, Val};

/// An index: a constant, or a value of type `index`.
#[derive(Clone, Copy, Debug)]
pub enum EmittedIndex<'c> {
    /// Known at compile time.
    Constant(i64),
    /// Known at run time.
    Value(Val<'c>),
}

use EmittedIndex::{Constant, Value};

impl<'c> EmittedIndex<'c> {
    /// Its value if it is a constant.
    pub fn constant(self) -> Option<i64> {
        match self {
            Constant(value) => Some(value),
            Value(_) => None,
        }
    }

    /// The index as an SSA value.
    pub fn materialize(self, b: &Builder<'c>) -> Val<'c> {
        match self {
            Value(value) => value,
            Constant(value) => b.constant(value, b.index()),
        }
    }

    /// `self + other`
    pub fn add(self, b: &Builder<'c>, other: Self) -> Self {
        match (self, other) {
            (Constant(x), Constant(y)) => Constant(x + y),
            (Constant(0), x) | (x, Constant(0)) => x,
            _ => binary(b, "arith.addi", self, other),
        }
    }

    /// `self * other`
    pub fn mul(self, b: &Builder<'c>, other: Self) -> Self {
        match (self, other) {
            (Constant(x), Constant(y)) => Constant(x * y),
            (Constant(0), _) | (_, Constant(0)) => Constant(0),
            (Constant(1), x) | (x, Constant(1)) => x,
            _ => binary(b, "arith.muli", self, other),
        }
    }

    /// The comparison `self predicate other` as an `i1`.
    pub fn compare(self, b: &Builder<'c>, predicate: IntPredicate, other: Self) -> Val<'c> {
        let (left, right) = (self.materialize(b), other.materialize(b));
        b.cmpi(predicate, left, right)
    }
}

fn binary<'c>(b: &Builder<'c>, name: &str, left: EmittedIndex<'c>, right: EmittedIndex<'c>) -> EmittedIndex<'c> {
    let operands = [left.materialize(b), right.materialize(b)];
    Value(b.value(name, &operands, b.index(), &[]))
}
