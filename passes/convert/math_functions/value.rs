//! Values in the bodies of math functions: floats, their bits, and truth values, of one lane or of many, written as expressions.
//!
//! Operators round as IEEE 754 says, and nothing changes their order. Where a product and a sum may be rounded once or twice,
//! [`Float::multiply_add`] says so: not every processor can round once.
use mdh_dialects::ir::Builder;
use melior::ir::Type;

mod float;
mod integer;
mod truth;
pub use float::{Float, Operand};
pub use integer::Integer;
pub use truth::Truth;

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
    pub fn r#type(&self, element: Type<'c>) -> Type<'c> {
        self.count.map_or(element, |count| self.builder.vector(count as i64, element))
    }

    /// The type of so many truth values.
    pub fn truth_type(&self) -> Type<'c> {
        self.r#type(self.builder.i1())
    }

    /// The type of the floats.
    pub fn float_type(&self) -> Type<'c> {
        self.r#type(match self.format {
            Format::F32 => self.builder.f32(),
            Format::F64 => self.builder.f64(),
        })
    }

    fn integer_type(&self) -> Type<'c> {
        self.r#type(self.builder.integer(self.format.bits()))
    }

    /// The same on floats of another format.
    pub fn of(&self, format: Format) -> Self {
        Self { format, ..*self }
    }

    /// A number in all lanes, rounded to the format.
    pub fn float(&self, number: f64) -> Float<'c> {
        let bits = match self.format {
            Format::F32 => (number as f32).to_bits().into(),
            Format::F64 => number.to_bits().into(),
        };
        Float { on: *self, value: self.builder.literal(bits, self.float_type()) }
    }

    /// An integer in all lanes.
    pub fn integer(&self, number: i64) -> Integer<'c> {
        Integer { on: *self, value: self.builder.literal(number.into(), self.integer_type()) }
    }
}
