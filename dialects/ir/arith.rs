//! Comparisons and constants of `arith`.
use super::{
    attributes::integer_attribute,
    builder::Builder,
    handles::{Op, Val, attribute},
    types::with_element,
};
use melior::ir::{Type, ValueLike, attribute::IntegerAttribute, r#type::IntegerType};

/// Predicates of `arith.cmpi`: `S…` compares signed integers, `U…` unsigned ones. The discriminants are the values of
/// its attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum IntPredicate {
    Eq,
    Ne,
    Slt,
    Sle,
    Sgt,
    Sge,
    Ult,
    Ule,
    Ugt,
    Uge,
}

impl IntPredicate {
    /// All predicates, in the order of their values.
    pub const ALL: [Self; 10] =
        [Self::Eq, Self::Ne, Self::Slt, Self::Sle, Self::Sgt, Self::Sge, Self::Ult, Self::Ule, Self::Ugt, Self::Uge];

    /// The predicate of the same comparison with its operands swapped.
    pub fn swapped(self) -> Self {
        match self {
            Self::Eq | Self::Ne => self,
            Self::Slt => Self::Sgt,
            Self::Sle => Self::Sge,
            Self::Sgt => Self::Slt,
            Self::Sge => Self::Sle,
            Self::Ult => Self::Ugt,
            Self::Ule => Self::Uge,
            Self::Ugt => Self::Ult,
            Self::Uge => Self::Ule,
        }
    }

    /// The predicate of an `arith.cmpi`.
    pub fn of(comparison: Op<'_>) -> Option<Self> {
        Self::ALL.get(number(comparison)?).copied()
    }
}

/// True if integer arithmetic does not wrap around: `promise` is `nsw` for numbers with a sign, and `nuw` for others.
pub fn promises(operation: Op<'_>, promise: &str) -> bool {
    attribute(operation, "overflowFlags").is_some_and(|flags| flags.to_string().contains(promise))
}

/// Predicates of `arith.cmpf`: `O…` (ordered) holds only if neither operand is NaN, `U…` (unordered) also if one is.
/// The discriminants are the values of its attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FloatPredicate {
    AlwaysFalse,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
    AlwaysTrue,
}

impl FloatPredicate {
    /// All predicates, in the order of their values.
    pub const ALL: [Self; 16] = [
        Self::AlwaysFalse,
        Self::Oeq,
        Self::Ogt,
        Self::Oge,
        Self::Olt,
        Self::Ole,
        Self::One,
        Self::Ord,
        Self::Ueq,
        Self::Ugt,
        Self::Uge,
        Self::Ult,
        Self::Ule,
        Self::Une,
        Self::Uno,
        Self::AlwaysTrue,
    ];

    /// The predicate of an `arith.cmpf`.
    pub fn of(comparison: Op<'_>) -> Option<Self> {
        Self::ALL.get(number(comparison)?).copied()
    }
}

const PREDICATE: &str = "predicate";

fn number(comparison: Op<'_>) -> Option<usize> {
    usize::try_from(attribute(comparison, PREDICATE).and_then(integer_attribute)?).ok()
}

impl<'c> Builder<'c> {
    /// Compares integers or indices; vectors are compared lane by lane.
    pub fn cmpi(&self, predicate: IntPredicate, left: Val<'c>, right: Val<'c>) -> Val<'c> {
        self.compare("arith.cmpi", predicate as i64, left, right)
    }

    /// Compares floats; vectors are compared lane by lane.
    pub fn cmpf(&self, predicate: FloatPredicate, left: Val<'c>, right: Val<'c>) -> Val<'c> {
        self.compare("arith.cmpf", predicate as i64, left, right)
    }

    fn compare(&self, name: &str, predicate: i64, left: Val<'c>, right: Val<'c>) -> Val<'c> {
        let truth: Type<'c> = IntegerType::new(self.context, 1).into();
        let number = IntegerAttribute::new(IntegerType::new(self.context, 64).into(), predicate).into();
        self.value(name, &[left, right], with_element(left.r#type(), truth), &[(PREDICATE, number)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predicates_have_the_numbers_of_their_attributes() {
        assert!(IntPredicate::ALL.iter().enumerate().all(|(i, predicate)| *predicate as usize == i));
        assert!(FloatPredicate::ALL.iter().enumerate().all(|(i, predicate)| *predicate as usize == i));
    }
}
