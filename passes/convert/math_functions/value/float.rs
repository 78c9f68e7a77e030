//! Floats.
use super::{
    integer::Integer,
    lanes::{Format, Lanes},
    truth::Truth,
};
use mdh_dialects::ir::{FloatPredicate, Val};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Floats.
#[derive(Clone, Copy)]
pub struct Float<'c> {
    /// How many, and where.
    pub on: Lanes<'c>,
    /// The value.
    pub value: Val<'c>,
}

/// What can be an operand: a float, or a number in all lanes.
pub trait Operand<'c>: Copy {
    /// As floats.
    fn float(self, on: Lanes<'c>) -> Float<'c>;
    /// Of which format, if that is known.
    fn format(self) -> Option<Format>;
}

impl<'c> Lanes<'c> {
    /// A number in all lanes, rounded to the format.
    pub fn float(&self, number: f64) -> Float<'c> {
        let bits = match self.format {
            Format::F32 => (number as f32).to_bits().into(),
            Format::F64 => number.to_bits().into(),
        };
        Float { on: *self, value: self.builder.literal(bits, self.float_type()) }
    }
}

impl<'c> Operand<'c> for Float<'c> {
    fn float(self, _on: Lanes<'c>) -> Float<'c> {
        self
    }

    fn format(self) -> Option<Format> {
        Some(self.on.format)
    }
}

impl<'c> Operand<'c> for f64 {
    fn float(self, on: Lanes<'c>) -> Float<'c> {
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

    /// Its product with a factor, and a term: rounded once where that is quick, else twice.
    pub fn multiply_add(self, factor: impl Operand<'c>, term: impl Operand<'c>) -> Self {
        let (factor, term) = (factor.float(self.on), term.float(self.on));
        self.contracted("arith.mulf", factor).contracted("arith.addf", term)
    }

    /// A polynomial of it by Horner's scheme, the constant coefficient first.
    pub fn polynomial(self, coefficients: &[f64]) -> Self {
        let Some((last, rest)) = coefficients.split_last() else { return self.on.float(0.0) };
        rest.iter().rev().fold(self.on.float(*last), |sum, coefficient| sum.multiply_add(self, *coefficient))
    }

    /// Without its sign.
    pub fn magnitude(self) -> Self {
        self.apply("math.absf", &[])
    }

    /// With the sign of another one.
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

    /// In 64 bits.
    pub fn widened(self) -> Self {
        let on = self.on.of(Format::F64);
        Self { on, value: self.on.builder.value("arith.extf", &[self.value], on.float_type(), &[]) }
    }

    /// Rounded to 32 bits.
    pub fn narrowed(self) -> Self {
        let on = self.on.of(Format::F32);
        Self { on, value: self.on.builder.value("arith.truncf", &[self.value], on.float_type(), &[]) }
    }

    /// With the last `count` bits of the fraction cleared.
    pub fn without_last_bits(self, count: u32) -> Self {
        (self.bits() & self.on.integer(-1 << count)).as_float()
    }

    fn compare(self, predicate: FloatPredicate, other: impl Operand<'c>) -> Truth<'c> {
        Truth { on: self.on, value: self.on.builder.cmpf(predicate, self.value, other.float(self.on).value) }
    }

    /// Whether both are equal and neither is NaN.
    pub fn equals(self, other: impl Operand<'c>) -> Truth<'c> {
        self.compare(FloatPredicate::Oeq, other)
    }

    /// Whether it is larger and neither is NaN.
    pub fn exceeds(self, other: impl Operand<'c>) -> Truth<'c> {
        self.compare(FloatPredicate::Ogt, other)
    }

    /// Whether it is smaller and neither is NaN.
    pub fn is_below(self, other: impl Operand<'c>) -> Truth<'c> {
        self.compare(FloatPredicate::Olt, other)
    }

    /// Whether it is NaN.
    pub fn is_nan(self) -> Truth<'c> {
        self.compare(FloatPredicate::Uno, self)
    }

    /// At most a limit; NaN stays.
    pub fn at_most(self, limit: impl Operand<'c>) -> Self {
        let limit = limit.float(self.on);
        limit.is_below(self).select(limit, self)
    }

    /// At least a limit; NaN stays.
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
