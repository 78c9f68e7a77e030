//! Booleans.
use super::{
    float::{Float, Operand},
    integer::Integer,
    lanes::LaneType,
};
use mdh_dialects::ir::Val;
use std::ops::{BitAnd, BitOr, Not};

/// A boolean for each lane.
#[derive(Clone, Copy)]
pub struct Boolean<'c> {
    /// The lanes and the builder.
    pub on: LaneType<'c>,
    /// The value, of `i1`.
    pub value: Val<'c>,
}

impl<'c> Boolean<'c> {
    /// Selects `yes` in lanes where it is true, and `no` in the others.
    pub fn select(self, yes: impl Operand<'c>, no: impl Operand<'c>) -> Float<'c> {
        // The selected floats may have another format than the compared ones.
        let on = yes.format().or(no.format()).map_or(self.on, |format| self.on.of(format));
        let (yes, no) = (yes.float(on), no.float(on));
        Float { on, value: on.builder.value("arith.select", &[self.value, yes.value, no.value], on.float_type(), &[]) }
    }

    /// Selects between integers.
    pub fn select_integer(self, yes: Integer<'c>, no: Integer<'c>) -> Integer<'c> {
        let ty = yes.on.integer_type();
        Integer { on: yes.on, value: yes.on.builder.value("arith.select", &[self.value, yes.value, no.value], ty, &[]) }
    }

    fn apply(self, name: &str, other: Self) -> Self {
        let value = self.on.builder.value(name, &[self.value, other.value], self.on.truth_type(), &[]);
        Self { value, ..self }
    }

    /// True if it is true in any lane, as a scalar.
    pub fn any(self) -> Val<'c> {
        if self.on.count.is_none() {
            return self.value;
        }
        let builder = self.on.builder;
        let kind = [("kind", builder.or_kind())];
        builder.value("vector.reduction", &[self.value], builder.i1(), &kind)
    }
}

impl BitAnd for Boolean<'_> {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        self.apply("arith.andi", other)
    }
}

impl BitOr for Boolean<'_> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.apply("arith.ori", other)
    }
}

impl Not for Boolean<'_> {
    type Output = Self;

    fn not(self) -> Self {
        let ty = self.on.truth_type();
        let all = self.on.builder.literal(1, ty);
        Self { value: self.on.builder.value("arith.xori", &[self.value, all], ty, &[]), ..self }
    }
}
