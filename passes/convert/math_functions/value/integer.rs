//! Integers.
use super::{float::Float, lanes::LaneType, truth::Boolean};
use mdh_dialects::ir::{IntPredicate, Val};
use std::ops::{Add, BitAnd, BitOr, BitXor, Sub};

/// Integers as wide as the floats.
#[derive(Clone, Copy)]
pub struct Integer<'c> {
    /// The lanes and the builder.
    pub on: LaneType<'c>,
    /// The value.
    pub value: Val<'c>,
}

impl<'c> LaneType<'c> {
    /// A constant for all lanes.
    pub fn integer(&self, number: i64) -> Integer<'c> {
        Integer { on: *self, value: self.builder.literal(number.into(), self.integer_type()) }
    }
}

impl<'c> Integer<'c> {
    fn apply(self, name: &str, other: Self) -> Self {
        Self { value: self.on.builder.value(name, &[self.value, other.value], self.on.integer_type(), &[]), ..self }
    }

    /// The float with these bits.
    pub fn as_float(self) -> Float<'c> {
        let value = self.on.builder.value("arith.bitcast", &[self.value], self.on.float_type(), &[]);
        Float { on: self.on, value }
    }

    /// Converts it to a float. It must be small compared to [`Format::magic`](super::Format::magic): the conversion of
    /// arbitrary 64-bit integers is slow on processors without AVX-512.
    pub fn to_float(self) -> Float<'c> {
        let magic = self.on.float(self.on.format.magic());
        (self + magic.bits()).as_float() - magic
    }

    /// Shifts it left by the same number of bits in each lane.
    pub fn shifted_left(self, bits: u32) -> Self {
        self.apply("arith.shli", self.on.integer(i64::from(bits)))
    }

    /// Arithmetic right shift.
    pub fn shifted_right(self, bits: u32) -> Self {
        self.apply("arith.shrsi", self.on.integer(i64::from(bits)))
    }

    /// Logical right shift.
    pub fn shifted_right_unsigned(self, bits: u32) -> Self {
        self.apply("arith.shrui", self.on.integer(i64::from(bits)))
    }

    fn compare(self, predicate: IntPredicate, other: Self) -> Boolean<'c> {
        Boolean { on: self.on, value: self.on.builder.cmpi(predicate, self.value, other.value) }
    }

    /// True if it is equal to a number.
    pub fn equals(self, other: i64) -> Boolean<'c> {
        self.compare(IntPredicate::Eq, self.on.integer(other))
    }

    /// True if it is larger than a number, as a signed integer.
    pub fn exceeds(self, other: i64) -> Boolean<'c> {
        self.compare(IntPredicate::Sgt, self.on.integer(other))
    }

    /// True if it is smaller than a number, as a signed integer.
    pub fn is_below(self, other: i64) -> Boolean<'c> {
        self.compare(IntPredicate::Slt, self.on.integer(other))
    }

    /// The power of two with this exponent, which must be the exponent of a normal number.
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
