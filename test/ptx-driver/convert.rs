//! Conversions between types (`cvt`).
use crate::{
    float::{Float, Rounding, narrow, sum_to_odd},
    program::Unary,
    types::Type,
};
use half::{bf16, f16};

/// A conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    to: Type,
    from: Type,
    /// Rounding to a narrower float.
    rounding: Option<Rounding>,
    /// Rounding to an integer, or to a float with an integral value.
    integral: Option<Rounding>,
    saturates: bool,
    /// True if denormal numbers are flushed to zero.
    flushes: bool,
}

impl Conversion {
    /// Parses the parts of an instruction name that follow `cvt`. `None` if the conversion is unknown. Handles one
    /// source register; [`pack`] handles `cvt` with two.
    pub fn parse(parts: &[&str]) -> Option<Self> {
        let [modifiers @ .., to, from] = parts else { return None };
        let (to, from) = (Type::parse(to)?, Type::parse(from)?);
        let mut conversion = Self { to, from, rounding: None, integral: None, saturates: false, flushes: false };
        for modifier in modifiers {
            match *modifier {
                "rn" => conversion.rounding = Some(Rounding::Nearest),
                "rz" => conversion.rounding = Some(Rounding::Zero),
                "rm" => conversion.rounding = Some(Rounding::Down),
                "rp" => conversion.rounding = Some(Rounding::Up),
                "rni" => conversion.integral = Some(Rounding::Nearest),
                "rzi" => conversion.integral = Some(Rounding::Zero),
                "rmi" => conversion.integral = Some(Rounding::Down),
                "rpi" => conversion.integral = Some(Rounding::Up),
                "sat" => conversion.saturates = true,
                "ftz" if [to, from].contains(&Type::F32) => conversion.flushes = true,
                _ => return None,
            }
        }
        conversion.is_legal().then_some(conversion)
    }

    fn is_legal(&self) -> bool {
        let is_packed = |ty| matches!(ty, Type::F16x2 | Type::Bf16x2);
        let Self { to, from, rounding, integral, .. } = *self;
        if to == Type::Pred || from == Type::Pred || is_packed(from) || rounding.is_some() && integral.is_some() {
            return false;
        }
        match (to.is_float(), from.is_float()) {
            // `pack` handles conversions of two registers to a packed pair.
            _ if is_packed(to) => false,
            (true, true) if to.bytes() > from.bytes() => rounding.is_none() && integral.is_none(),
            (true, true) if to == from => rounding.is_none() && integral.is_some() || self.saturates || to != Type::F64,
            // Narrowing to a half type supports round-to-nearest only.
            (true, true) => {
                integral.is_none() && (to == Type::F32 || rounding == Some(Rounding::Nearest)) && rounding.is_some()
            }
            (true, false) => integral.is_none() && rounding == Some(Rounding::Nearest),
            (false, true) => rounding.is_none() && integral.is_some(),
            (false, false) => rounding.is_none() && integral.is_none(),
        }
    }

    /// The conversion as a plain function, for the most frequent ones: integer to integer without saturation.
    pub fn function(&self) -> Option<Unary> {
        if self.to.is_float() || self.from.is_float() || self.saturates {
            return None;
        }
        // A narrower source is sign- or zero-extended. Bits above the width of the target are never read.
        Some(match (self.from, self.to.bytes() > self.from.bytes()) {
            (_, false) if self.to.bytes() >= 2 => |a| a,
            (Type::U8 | Type::B8, _) => |a| a & 0xff,
            (Type::U16 | Type::B16, true) => |a| a & 0xffff,
            (Type::U32 | Type::B32, true) => |a| a & 0xffff_ffff,
            (Type::S8, _) => |a| a as i8 as u64,
            (Type::S16, true) => |a| a as i16 as u64,
            (Type::S32, true) => |a| a as i32 as u64,
            // To a byte in a wider register.
            _ if self.to == Type::S8 => |a| a as i8 as u64,
            _ => |a| a & 0xff,
        })
    }

    /// Applies the conversion to the bits of a register and returns the bits of the result.
    pub fn apply(&self, bits: u64) -> u64 {
        match (self.from.is_float(), self.to.is_float()) {
            (true, _) => {
                let mut value = decode(self.from, bits);
                if self.flushes && self.from == Type::F32 && (value as f32).is_subnormal() {
                    value = 0f64.copysign(value);
                }
                let value = self.integral.map_or(value, |rounding| to_integral(value, rounding));
                if self.to.is_float() { self.encode(value) } else { self.integer(value) }
            }
            (false, true) => {
                let integer = decode_integer(self.from, bits);
                if self.to == Type::F64 {
                    return (integer as f64).bits();
                }
                // Split in two parts, each of which is exact in an `f64`.
                let low = integer & 0xffff_ffff;
                self.encode(sum_to_odd((integer - low) as f64, low as f64))
            }
            (false, false) => self.clamp(decode_integer(self.from, bits)),
        }
    }

    /// Encodes a number as a float. The number may be rounded to odd, so that the second rounding is correct.
    fn encode(&self, value: f64) -> u64 {
        let value = match (self.saturates, value.is_nan()) {
            (true, true) => 0.0,
            (true, false) => value.clamp(0.0, 1.0),
            _ => value,
        };
        match self.to {
            Type::F16 => f16::round(value).bits(),
            Type::Bf16 => bf16::round(value).bits(),
            Type::F32 => {
                let narrow = narrow(value, self.rounding.unwrap_or(Rounding::Nearest));
                (if self.flushes && narrow.is_subnormal() { 0f32.copysign(narrow) } else { narrow }).bits()
            }
            _ => value.bits(),
        }
    }

    /// Encodes an integral number as an integer. Out-of-range values saturate.
    fn integer(&self, value: f64) -> u64 {
        if value.is_nan() {
            let is_zero = self.from != Type::F64 && self.to.bytes() < 8;
            return if is_zero { 0 } else { 1 << (8 * self.to.bytes() - 1) };
        }
        // `as` saturates.
        self.clamp_always(value as i128)
    }

    fn clamp(&self, value: i128) -> u64 {
        if self.saturates { self.clamp_always(value) } else { self.wrap(value) }
    }

    fn clamp_always(&self, value: i128) -> u64 {
        let bits = 8 * u32::from(self.to.bytes());
        let (least, most) = if self.to.is_signed() {
            (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        } else {
            (0, (1i128 << bits) - 1)
        };
        value.clamp(least, most) as u64
    }

    fn wrap(&self, value: i128) -> u64 {
        match self.to {
            Type::S8 => value as i8 as u64,
            Type::U8 | Type::B8 => value as u8 as u64,
            _ => value as u64,
        }
    }
}

/// The exact value of a float.
fn decode(ty: Type, bits: u64) -> f64 {
    match ty {
        Type::F16 => f16::of(bits).wide(),
        Type::Bf16 => bf16::of(bits).wide(),
        Type::F32 => f32::of(bits).wide(),
        _ => f64::of(bits),
    }
}

fn decode_integer(ty: Type, bits: u64) -> i128 {
    match ty {
        Type::S8 => (bits as i8).into(),
        Type::S16 => (bits as i16).into(),
        Type::S32 => (bits as i32).into(),
        Type::S64 => (bits as i64).into(),
        Type::U8 | Type::B8 => (bits as u8).into(),
        Type::U16 | Type::B16 => (bits as u16).into(),
        Type::U32 | Type::B32 => (bits as u32).into(),
        _ => bits.into(),
    }
}

fn to_integral(value: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Nearest => value.round_ties_even(),
        Rounding::Zero => value.trunc(),
        Rounding::Down => value.floor(),
        Rounding::Up => value.ceil(),
    }
}

/// Packs two converted numbers into the upper and the lower half of a register: `cvt.rn.f16x2.f32` and
/// `cvt.rn.bf16x2.f32`.
pub fn pack(parts: &[&str]) -> Option<crate::program::Binary> {
    Some(match parts {
        ["rn", "f16x2", "f32"] => {
            |a, b| f16::round(f32::of(a).wide()).bits() << 16 | f16::round(f32::of(b).wide()).bits()
        }
        ["rn", "bf16x2", "f32"] => {
            |a, b| bf16::round(f32::of(a).wide()).bits() << 16 | bf16::round(f32::of(b).wide()).bits()
        }
        _ => return None,
    })
}
