//! Functions from the bits of operands to the bits of a result.
use crate::array::Slot;

/// A function from the bits of operands to the bits of a result.
pub enum Kernel {
    /// Of one operand.
    Unary(Box<dyn Fn(Slot) -> Slot + Send + Sync>),
    /// Of two operands.
    Binary(Box<dyn Fn(Slot, Slot) -> Slot + Send + Sync>),
    /// Of three operands.
    Ternary(Box<dyn Fn(Slot, Slot, Slot) -> Slot + Send + Sync>),
    /// Of two operands, undefined for some values; the error says why.
    PartialBinary(Box<dyn Fn(Slot, Slot) -> Result<Slot, String> + Send + Sync>),
}

impl Kernel {
    /// A function of one operand.
    pub fn unary(function: impl Fn(Slot) -> Slot + Send + Sync + 'static) -> Self {
        Self::Unary(Box::new(function))
    }

    /// A function of two operands.
    pub fn binary(function: impl Fn(Slot, Slot) -> Slot + Send + Sync + 'static) -> Self {
        Self::Binary(Box::new(function))
    }

    /// A function of three operands.
    pub fn ternary(function: impl Fn(Slot, Slot, Slot) -> Slot + Send + Sync + 'static) -> Self {
        Self::Ternary(Box::new(function))
    }

    /// A function of two operands that is undefined for some values.
    pub fn partial_binary(function: impl Fn(Slot, Slot) -> Result<Slot, String> + Send + Sync + 'static) -> Self {
        Self::PartialBinary(Box::new(function))
    }

    /// The number of operands.
    pub fn arity(&self) -> usize {
        match self {
            Self::Unary(_) => 1,
            Self::Binary(_) | Self::PartialBinary(_) => 2,
            Self::Ternary(_) => 3,
        }
    }

    /// Applies the function.
    pub fn apply(&self, operands: &[Slot]) -> Result<Slot, String> {
        match (self, operands) {
            (Self::Unary(f), [a]) => Ok(f(*a)),
            (Self::Binary(f), [a, b]) => Ok(f(*a, *b)),
            (Self::Ternary(f), [a, b, c]) => Ok(f(*a, *b, *c)),
            (Self::PartialBinary(f), [a, b]) => f(*a, *b),
            _ => Err(format!("requires {} operands, but has {}", self.arity(), operands.len())),
        }
    }
}
