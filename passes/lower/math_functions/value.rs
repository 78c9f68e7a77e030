//! Values in the bodies of math functions: floats, their bits, and truth values, of one lane or of many, written as expressions.
//!
//! Operators round as IEEE 754 says, and nothing changes their order. Where a product and a sum may be rounded once or twice,
//! [`Float::multiply_add`] says so: not every processor can round once.
use mdh_dialects::ir::{Builder, Val};
use melior::ir::{Attribute, Type};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// The floats that are computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Of 32 bits.
    F32,
    /// Of 64 bits.
    F64,
}

impl Format {
    /// How many bits.
    pub fn bits(self) -> u32 {
        if self == Self::F32 { 32 } else { 64 }
    }

    /// How many bits of the fraction are stored.
    pub fn fraction(self) -> u32 {
        if self == Self::F32 { 23 } else { 52 }
    }

    /// What is added to exponents to store them.
    pub fn bias(self) -> i64 {
        if self == Self::F32 { 127 } else { 1023 }
    }

    /// Three quarters of the numbers that no fraction is stored of: a small number that is added to it leaves its nearest integer in
    /// the last bits.
    pub fn magic(self) -> f64 {
        1.5 * 2f64.powi(self.fraction() as i32)
    }

    /// The smallest normal number.
    pub fn smallest_normal(self) -> f64 {
        2f64.powi(1 - self.bias() as i32)
    }
}

/// How many values there are, and where operations on them are built.
#[derive(Clone, Copy)]
pub struct Lanes<'c> {
    /// Where operations are built.
    pub builder: Builder<'c>,
    /// The type of the floats.
    pub format: Format,
    /// The number of lanes; a scalar if not given.
    pub count: Option<u64>,
}

impl<'c> Lanes<'c> {
    /// The type of so many elements.
    pub fn r#type(&self, element: &str) -> Type<'c> {
        match self.count {
            None => self.builder.r#type(element),
            Some(count) => self.builder.r#type(&format!("vector<{count}x{element}>")),
        }
    }

    /// The type of the floats.
    pub fn float_type(&self) -> Type<'c> {
        self.r#type(&format!("f{}", self.format.bits()))
    }

    fn integer_type(&self) -> Type<'c> {
        self.r#type(&format!("i{}", self.format.bits()))
    }

    /// The same on floats of another format.
    pub fn of(&self, format: Format) -> Self {
        Self { format, ..*self }
    }

    /// A number in all lanes, rounded to the format.
    pub fn float(&self, number: f64) -> Float<'c> {
        let bits = match self.format {
            Format::F32 => format!("0x{:08X}", (number as f32).to_bits()),
            Format::F64 => format!("0x{:016X}", number.to_bits()),
        };
        Float { on: *self, value: self.constant(&bits, self.float_type()) }
    }

    /// An integer in all lanes.
    pub fn integer(&self, number: i64) -> Integer<'c> {
        Integer { on: *self, value: self.constant(&number.to_string(), self.integer_type()) }
    }

    fn constant(&self, number: &str, r#type: Type<'c>) -> Val<'c> {
        let text =
            if self.count.is_some() { format!("dense<{number}> : {type}") } else { format!("{number} : {type}") };
        self.builder.value("arith.constant", &[], r#type, &[("value", self.builder.attribute(&text))])
    }

    fn predicate(&self, number: u8) -> Attribute<'c> {
        self.builder.attribute(&format!("{number} : i64"))
    }
}

/// Floats.
#[derive(Clone, Copy)]
pub struct Float<'c> {
    /// How many, and where.
    pub on: Lanes<'c>,
    /// The value.
    pub value: Val<'c>,
}

/// Integers as wide as the floats.
#[derive(Clone, Copy)]
pub struct Integer<'c> {
    /// How many, and where.
    pub on: Lanes<'c>,
    /// The value.
    pub value: Val<'c>,
}

/// What holds or does not.
#[derive(Clone, Copy)]
pub struct Truth<'c> {
    /// How many, and where.
    pub on: Lanes<'c>,
    /// The value, of `i1`.
    pub value: Val<'c>,
}

impl<'c> Float<'c> {
    fn apply(self, name: &str, others: &[Val<'c>]) -> Self {
        let operands: Vec<_> = [self.value].into_iter().chain(others.iter().copied()).collect();
        Self { value: self.on.builder.value(name, &operands, self.on.float_type(), &[]), ..self }
    }

    fn contracted(self, name: &str, other: Self) -> Self {
        let flags = [("fastmath", self.on.builder.attribute("#arith.fastmath<contract>"))];
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

    fn compare(self, predicate: u8, other: impl Operand<'c>) -> Truth<'c> {
        let operands = [self.value, other.float(self.on).value];
        let predicate = [("predicate", self.on.predicate(predicate))];
        Truth { on: self.on, value: self.on.builder.value("arith.cmpf", &operands, self.on.r#type("i1"), &predicate) }
    }

    /// Whether both are equal and neither is NaN.
    pub fn equals(self, other: impl Operand<'c>) -> Truth<'c> {
        self.compare(1, other)
    }

    /// Whether it is larger and neither is NaN.
    pub fn exceeds(self, other: impl Operand<'c>) -> Truth<'c> {
        self.compare(2, other)
    }

    /// Whether it is smaller and neither is NaN.
    pub fn is_below(self, other: impl Operand<'c>) -> Truth<'c> {
        self.compare(4, other)
    }

    /// Whether it is NaN.
    pub fn is_nan(self) -> Truth<'c> {
        self.compare(14, self)
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

impl<'c> Integer<'c> {
    fn apply(self, name: &str, other: Self) -> Self {
        Self { value: self.on.builder.value(name, &[self.value, other.value], self.on.integer_type(), &[]), ..self }
    }

    /// The float of these bits.
    pub fn as_float(self) -> Float<'c> {
        let value = self.on.builder.value("arith.bitcast", &[self.value], self.on.float_type(), &[]);
        Float { on: self.on, value }
    }

    /// The nearest float. Slow for 64 bits but on processors with AVX-512.
    pub fn to_float(self) -> Float<'c> {
        let value = self.on.builder.value("arith.sitofp", &[self.value], self.on.float_type(), &[]);
        Float { on: self.on, value }
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

    fn compare(self, predicate: u8, other: Self) -> Truth<'c> {
        let predicate = [("predicate", self.on.predicate(predicate))];
        let value = self.on.builder.value("arith.cmpi", &[self.value, other.value], self.on.r#type("i1"), &predicate);
        Truth { on: self.on, value }
    }

    /// Whether both are equal.
    pub fn equals(self, other: i64) -> Truth<'c> {
        self.compare(0, self.on.integer(other))
    }

    /// Whether it is larger, as a signed integer.
    pub fn exceeds(self, other: i64) -> Truth<'c> {
        self.compare(4, self.on.integer(other))
    }

    /// Whether it is smaller, as a signed integer.
    pub fn is_below(self, other: i64) -> Truth<'c> {
        self.compare(2, self.on.integer(other))
    }

    /// The power of two with this exponent, which must be that of a normal number.
    pub fn power_of_two(self) -> Float<'c> {
        (self + self.on.format.bias()).shifted_left(self.on.format.fraction()).as_float()
    }
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
        let value = self.on.builder.value(name, &[self.value, other.value], self.on.r#type("i1"), &[]);
        Self { value, ..self }
    }

    /// Whether it holds in any lane, as a scalar.
    pub fn any(self) -> Val<'c> {
        if self.on.count.is_none() {
            return self.value;
        }
        let builder = self.on.builder;
        let kind = [("kind", builder.attribute("#vector.kind<or>"))];
        builder.value("vector.reduction", &[self.value], builder.r#type("i1"), &kind)
    }
}

/// What can be an operand: a float, or a number in all lanes.
pub trait Operand<'c>: Copy {
    /// As floats.
    fn float(self, on: Lanes<'c>) -> Float<'c>;
    /// Of which format, if that is known.
    fn format(self) -> Option<Format>;
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
        let r#type = self.on.r#type("i1");
        let all = self.on.constant("true", r#type);
        Self { value: self.on.builder.value("arith.xori", &[self.value, all], r#type, &[]), ..self }
    }
}
