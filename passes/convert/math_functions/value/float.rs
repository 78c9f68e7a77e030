//! Floats.
use super::{
    integer::Integer,
    lanes::{Format, LaneType},
    truth::Boolean,
};
use mdh_dialects::ir::{FloatPredicate, Val};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Floats.
#[derive(Clone, Copy)]
pub struct Float<'c> {
    /// The lanes and the builder.
    pub on: LaneType<'c>,
    /// The value.
    pub value: Val<'c>,
}

/// An operand: a float, or a constant for all lanes.
pub trait Operand<'c>: Copy {
    /// Converts it to a float.
    fn float(self, on: LaneType<'c>) -> Float<'c>;
    /// Its format, if known.
    fn format(self) -> Option<Format>;
}

impl<'c> LaneType<'c> {
    /// A constant for all lanes, rounded to the format.
    pub fn float(&self, number: f64) -> Float<'c> {
        let bits = match self.format {
            Format::F32 => (number as f32).to_bits().into(),
            Format::F64 => number.to_bits().into(),
        };
        Float { on: *self, value: self.builder.literal(bits, self.float_type()) }
    }
}

impl<'c> Operand<'c> for Float<'c> {
    fn float(self, _on: LaneType<'c>) -> Float<'c> {
        self
    }

    fn format(self) -> Option<Format> {
        Some(self.on.format)
    }
}

impl<'c> Operand<'c> for f64 {
    fn float(self, on: LaneType<'c>) -> Float<'c> {
        on.float(self)
    }

    fn format(self) -> Option<Format> {
        None
    }
}

impl<'c> Float<'c> {
    fn apply(self, name: &str, others: &[Val<'c>]) -> Self {
        let operands: Vec<_> = [self.value].into_iter().chain(others.iter().copied()).collect();
        Self { value: self.on.builder.value(name, &operands, self.on.float_type(), &[]), ..self }
    }

    fn contracted(self, name: &str, other: Self) -> Self {
        let flags = [("fastmath", self.on.builder.contract())];
        let value = self.on.builder.value(name, &[self.value, other.value], self.on.float_type(), &flags);
        Self { value, ..self }
    }

    /// `self * factor + term`: fused if the processor has a fast instruction for it, rounded twice otherwise.
    pub fn multiply_add(self, factor: impl Operand<'c>, term: impl Operand<'c>) -> Self {
        let (factor, term) = (factor.float(self.on), term.float(self.on));
        self.contracted("arith.mulf", factor).contracted("arith.addf", term)
    }

    /// Evaluates a polynomial in `self` by Horner's scheme; the constant coefficient is first.
    pub fn polynomial(self, coefficients: &[f64]) -> Self {
        let Some((last, rest)) = coefficients.split_last() else { return self.on.float(0.0) };
        rest.iter().rev().fold(self.on.float(*last), |sum, coefficient| sum.multiply_add(self, *coefficient))
    }

    /// Its absolute value.
    pub fn magnitude(self) -> Self {
        self.apply("math.absf", &[])
    }

    /// `self` with the sign of another value.
    pub fn with_sign_of(self, other: Self) -> Self {
        self.apply("math.copysign", &[other.value])
    }

    /// Its square root.
    pub fn square_root(self) -> Self {
        self.apply("math.sqrt", &[])
    }

    /// Its bits.
    pub fn bits(self) -> Integer<'c> {
        let value = self.on.builder.value("arith.bitcast", &[self.value], self.on.integer_type(), &[]);
        Integer { on: self.on, value }
    }

    /// Extends it to 64 bits.
    pub fn widened(self) -> Self {
        let on = self.on.of(Format::F64);
        Self { on, value: self.on.builder.value("arith.extf", &[self.value], on.float_type(), &[]) }
    }

    /// Rounds it to 32 bits.
    pub fn narrowed(self) -> Self {
        let on = self.on.of(Format::F32);
        Self { on, value: self.on.builder.value("arith.truncf", &[self.value], on.float_type(), &[]) }
    }

    /// Clears the last `count` bits of its fraction.
    pub fn without_last_bits(self, count: u32) -> Self {
        (self.bits() & self.on.integer(-1 << count)).as_float()
    }

    fn compare(self, predicate: FloatPredicate, other: impl Operand<'c>) -> Boolean<'c> {
        Boolean { on: self.on, value: self.on.builder.cmpf(predicate, self.value, other.float(self.on).value) }
    }

    /// True if both are equal; false if either is NaN.
    pub fn equals(self, other: impl Operand<'c>) -> Boolean<'c> {
        self.compare(FloatPredicate::Oeq, other)
    }

    /// True if it is larger; false if either is NaN.
    pub fn exceeds(self, other: impl Operand<'c>) -> Boolean<'c> {
        self.compare(FloatPredicate::Ogt, other)
    }

    /// True if it is smaller; false if either is NaN.
    pub fn is_below(self, other: impl Operand<'c>) -> Boolean<'c> {
        self.compare(FloatPredicate::Olt, other)
    }

    /// True if it is NaN.
    pub fn is_nan(self) -> Boolean<'c> {
        self.compare(FloatPredicate::Uno, self)
    }

    /// The minimum of it and a limit; NaN if it is NaN.
    pub fn at_most(self, limit: impl Operand<'c>) -> Self {
        let limit = limit.float(self.on);
        limit.is_below(self).select(limit, self)
    }

    /// The maximum of it and a limit; NaN if it is NaN.
    pub fn at_least(self, limit: impl Operand<'c>) -> Self {
        let limit = limit.float(self.on);
        limit.exceeds(self).select(limit, self)
    }
}

macro_rules! float_operators {
    ($($operator:ident, $method:ident, $name:literal;)*) => {$(
        impl<'c, O: Operand<'c>> $operator<O> for Float<'c> {
            type Output = Self;

            fn $method(self, other: O) -> Self {
                self.apply($name, &[other.float(self.on).value])
            }
        }

        impl<'c> $operator<Float<'c>> for f64 {
            type Output = Float<'c>;

            fn $method(self, other: Float<'c>) -> Float<'c> {
                other.on.float(self).apply($name, &[other.value])
            }
        }
    )*};
}

float_operators! {
    Add, add, "arith.addf";
    Sub, sub, "arith.subf";
    Mul, mul, "arith.mulf";
    Div, div, "arith.divf";
}

impl Neg for Float<'_> {
    type Output = Self;

    fn neg(self) -> Self {
        self.apply("arith.negf", &[])
    }
}
