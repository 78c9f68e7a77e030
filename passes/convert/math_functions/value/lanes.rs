//! The number of lanes of values, their format, and the builder of their operations.
use mdh_dialects::ir::Builder;
use melior::ir::Type;

/// The floating-point formats of computations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// 32 bits.
    F32,
    /// 64 bits.
    F64,
}

impl Format {
    /// The number of bits.
    pub fn bits(self) -> u32 {
        if self == Self::F32 { 32 } else { 64 }
    }

    /// The number of stored fraction bits.
    pub fn fraction(self) -> u32 {
        if self == Self::F32 { 23 } else { 52 }
    }

    /// The exponent bias.
    pub fn bias(self) -> i64 {
        if self == Self::F32 { 127 } else { 1023 }
    }

    /// 1.5 times the smallest number without a stored fraction. Adding a small number to it leaves the nearest integer
    /// of that number in the last bits.
    pub fn magic(self) -> f64 {
        1.5 * 2f64.powi(self.fraction() as i32)
    }

    /// The smallest normal number.
    pub fn smallest_normal(self) -> f64 {
        2f64.powi(1 - self.bias() as i32)
    }
}

/// The number of lanes, the format, and the builder of operations on them.
#[derive(Clone, Copy)]
pub struct LaneType<'c> {
    /// The builder of the operations.
    pub builder: Builder<'c>,
    /// The floating-point format.
    pub format: Format,
    /// The number of lanes; `None` for scalars.
    pub count: Option<u64>,
}

impl<'c> LaneType<'c> {
    /// The type of a value of this element type: a vector of all lanes, or a scalar.
    pub fn r#type(&self, element: Type<'c>) -> Type<'c> {
        self.count.map_or(element, |count| self.builder.vector(count as i64, element))
    }

    /// The type of booleans.
    pub fn truth_type(&self) -> Type<'c> {
        self.r#type(self.builder.i1())
    }

    /// The type of floats.
    pub fn float_type(&self) -> Type<'c> {
        self.r#type(match self.format {
            Format::F32 => self.builder.f32(),
            Format::F64 => self.builder.f64(),
        })
    }

    /// The type of integers that are as wide as the floats.
    pub fn integer_type(&self) -> Type<'c> {
        self.r#type(self.builder.integer(self.format.bits()))
    }

    /// The same lanes in another format.
    pub fn of(&self, format: Format) -> Self {
        Self { format, ..*self }
    }
}
