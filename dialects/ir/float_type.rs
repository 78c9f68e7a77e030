//! The floating-point types that code is generated for.
use melior::ir::{Type, TypeLike};

/// A floating-point type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatType {
    /// IEEE 754, 16 bits.
    F16,
    /// bfloat16: the upper 16 bits of an [`Self::F32`].
    Bf16,
    /// IEEE 754, 32 bits.
    F32,
    /// IEEE 754, 64 bits.
    F64,
}

impl FloatType {
    /// The floating-point type that a type is; `None` for other types.
    pub fn of(ty: Type<'_>) -> Option<Self> {
        match () {
            () if ty.is_f16() => Some(Self::F16),
            () if ty.is_bf16() => Some(Self::Bf16),
            () if ty.is_f32() => Some(Self::F32),
            () if ty.is_f64() => Some(Self::F64),
            () => None,
        }
    }

    /// The number of bits of a value.
    pub fn bits(self) -> u32 {
        match self {
            Self::F16 | Self::Bf16 => 16,
            Self::F32 => 32,
            Self::F64 => 64,
        }
    }

    /// The number of bits of the mantissa that are stored.
    fn mantissa_bits(self) -> u32 {
        match self {
            Self::F16 => 10,
            Self::Bf16 => 7,
            Self::F32 => 23,
            Self::F64 => 52,
        }
    }

    /// The bits of -0.0: only the sign.
    pub fn negative_zero(self) -> u64 {
        1 << (self.bits() - 1)
    }

    /// The bits of infinity: all exponent bits set, zero mantissa.
    pub fn infinity(self) -> u64 {
        let mantissa = self.mantissa_bits();
        ((1 << (self.bits() - 1 - mantissa)) - 1) << mantissa
    }

    /// The bits of 1.0: all exponent bits but the first set.
    pub fn one(self) -> u64 {
        let mantissa = self.mantissa_bits();
        ((1 << (self.bits() - 2 - mantissa)) - 1) << mantissa
    }

    /// The bits of the smallest normal number: only the last exponent bit.
    pub fn smallest_normal(self) -> u64 {
        1 << self.mantissa_bits()
    }
}

#[cfg(test)]
mod tests {
    use super::FloatType::{Bf16, F16, F32, F64};

    #[test]
    fn bits_are_those_of_rust() {
        assert_eq!(F32.infinity(), u64::from(f32::INFINITY.to_bits()));
        assert_eq!(F32.one(), u64::from(1f32.to_bits()));
        assert_eq!(F32.smallest_normal(), u64::from(f32::MIN_POSITIVE.to_bits()));
        assert_eq!(F32.negative_zero(), u64::from((-0f32).to_bits()));
        assert_eq!((F64.infinity(), F64.one()), (f64::INFINITY.to_bits(), 1f64.to_bits()));
        assert_eq!((F64.smallest_normal(), F64.negative_zero()), (f64::MIN_POSITIVE.to_bits(), (-0f64).to_bits()));
        assert_eq!((F16.infinity(), F16.one(), F16.smallest_normal()), (0x7C00, 0x3C00, 0x0400));
        assert_eq!((Bf16.infinity(), Bf16.one(), Bf16.smallest_normal()), (0x7F80, 0x3F80, 0x0080));
    }
}
