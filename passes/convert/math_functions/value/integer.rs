//! Integers.
use super::{float::Float, lanes::Lanes, truth::Truth};
use mdh_dialects::ir::{IntPredicate, Val};
use std::ops::{Add, BitAnd, BitOr, BitXor, Sub};

/// Integers as wide as the floats.
#[derive(Clone, Copy)]
pub struct Integer<'c> {
    /// How many, and where.
    pub on: Lanes<'c>,
    /// The value.
    pub value: Val<'c>,
}

impl<'c> Lanes<'c> {
    /// An integer in all lanes.
    pub fn integer(&self, number: i64) -> Integer<'c> {
        Integer { on: *self, value: self.builder.literal(number.into(), self.integer_type()) }
    }
}

impl<'c> Integer<'c> {
    fn apply(self, name: &str, other: Self) -> Self {
        Self { value: self.on.builder.value(name, &[self.value, other.value], self.on.integer_type(), &[]), ..self }
    }

    /// The float of these bits.
    pub fn as_float(self) -> Float<'c> {
        let value = self.on.builder.value("arith.bitcast", &[self.value], self.on.float_type(), &[]);
        Float { on: self.on, value }
    }

    /// As a float. It must be small against [`Format::magic`](super::Format::magic): conversions from any integers of 64 bits are slow
    /// but on processors with AVX-512.
    pub fn to_float(self) -> Float<'c> {
        let magic = self.on.float(self.on.format.magic());
        (self + magic.bits()).as_float() - magic
    }

    /// Its bits moved to the left, by a number of bits in each lane.
    pub fn shifted_left(self, bits: u32) -> Self {
        self.apply("arith.shli", self.on.integer(i64::from(bits)))
    }

    /// Its bits moved to the right; the sign is copied to those that become free.
    pub fn shifted_right(self, bits: u32) -> Self {
        self.apply("arith.shrsi", self.on.integer(i64::from(bits)))
    }

    /// Its bits moved to the right; those that become free are zero.
    pub fn shifted_right_unsigned(self, bits: u32) -> Self {
        self.apply("arith.shrui", self.on.integer(i64::from(bits)))
    }

    fn compare(self, predicate: IntPredicate, other: Self) -> Truth<'c> {
        Truth { on: self.on, value: self.on.builder.cmpi(predicate, self.value, other.value) }
    }

    /// Whether both are equal.
    pub fn equals(self, other: i64) -> Truth<'c> {
        self.compare(IntPredicate::Eq, self.on.integer(other))
    }

    /// Whether it is larger, as a signed integer.
    pub fn exceeds(self, other: i64) -> Truth<'c> {
        self.compare(IntPredicate::Sgt, self.on.integer(other))
    }

    /// Whether it is smaller, as a signed integer.
    pub fn is_below(self, other: i64) -> Truth<'c> {
        self.compare(IntPredicate::Slt, self.on.integer(other))
    }

    /// The power of two with this exponent, which must be that of a normal number.
    pub fn power_of_two(self) -> Float<'c> {
        (self + self.on.format.bias()).shifted_left(self.on.format.fraction()).as_float()
    }
}

macro_rules! integer_operators {
    ($($operator:ident, $method:ident, $name:literal;)*) => {$(
        impl $operator for Integer<'_> {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                self.apply($name, other)
            }
        }

        impl $operator<i64> for Integer<'_> {
            type Output = Self;

            fn $method(self, other: i64) -> Self {
                self.apply($name, self.on.integer(other))
            }
        }
    )*};
}

integer_operators! {
    Add, add, "arith.addi";
    Sub, sub, "arith.subi";
    BitAnd, bitand, "arith.andi";
    BitOr, bitor, "arith.ori";
    BitXor, bitxor, "arith.xori";
}
