//! Truth values.
use super::{Float, Integer, Lanes, float::Operand};
use mdh_dialects::ir::Val;
use std::ops::{BitAnd, BitOr, Not};

/// What holds or does not.
#[derive(Clone, Copy)]
pub struct Truth<'c> {
    /// How many, and where.
    pub on: Lanes<'c>,
    /// The value, of `i1`.
    pub value: Val<'c>,
}

impl<'c> Truth<'c> {
    /// `yes` where it holds, `no` elsewhere.
    pub fn select(self, yes: impl Operand<'c>, no: impl Operand<'c>) -> Float<'c> {
        // Of the floats to choose between, one may be of another format than what was compared.
        let on = yes.format().or(no.format()).map_or(self.on, |format| self.on.of(format));
        let (yes, no) = (yes.float(on), no.float(on));
        Float { on, value: on.builder.value("arith.select", &[self.value, yes.value, no.value], on.float_type(), &[]) }
    }

    /// The same for integers.
    pub fn select_integer(self, yes: Integer<'c>, no: Integer<'c>) -> Integer<'c> {
        let r#type = yes.on.integer_type();
        Integer {
            on: yes.on,
            value: yes.on.builder.value("arith.select", &[self.value, yes.value, no.value], r#type, &[]),
        }
    }

    fn apply(self, name: &str, other: Self) -> Self {
        let value = self.on.builder.value(name, &[self.value, other.value], self.on.truth_type(), &[]);
        Self { value, ..self }
    }

    /// Whether it holds in any lane, as a scalar.
    pub fn any(self) -> Val<'c> {
        if self.on.count.is_none() {
            return self.value;
        }
        let builder = self.on.builder;
        let kind = [("kind", builder.or_kind())];
        builder.value("vector.reduction", &[self.value], builder.i1(), &kind)
    }
}

impl BitAnd for Truth<'_> {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        self.apply("arith.andi", other)
    }
}

impl BitOr for Truth<'_> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.apply("arith.ori", other)
    }
}

impl Not for Truth<'_> {
    type Output = Self;

    fn not(self) -> Self {
        let r#type = self.on.truth_type();
        let all = self.on.builder.literal(1, r#type);
        Self { value: self.on.builder.value("arith.xori", &[self.value, all], r#type, &[]), ..self }
    }
}
