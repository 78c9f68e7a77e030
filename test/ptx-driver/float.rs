//! Floating-point instructions, as functions of the bits of registers.
use crate::{
    program::{Binary, Ternary, Unary},
    types::Type,
};
use half::{bf16, f16};

/// A float format. Results are rounded once, to nearest even.
pub trait Float: Copy + PartialOrd {
    const SIGN: u64;
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
    /// Widens exactly.
    fn wide(self) -> f64;
    /// Rounds to this format. If `wide` is a number rounded to odd at 53 bits, the result is the correctly rounded
    /// number.
    fn round(wide: f64) -> Self;
    fn fma(self, b: Self, c: Self) -> Self {
        Self::round(sum_to_odd(self.wide() * b.wide(), c.wide()))
    }
}

impl Float for f32 {
    const SIGN: u64 = 1 << 31;
    fn of(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
    fn wide(self) -> f64 {
        self.into()
    }
    fn round(wide: f64) -> Self {
        wide as Self
    }
    fn fma(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
}

impl Float for f64 {
    const SIGN: u64 = 1 << 63;
    fn of(bits: u64) -> Self {
        Self::from_bits(bits)
    }
    fn bits(self) -> u64 {
        self.to_bits()
    }
    fn wide(self) -> f64 {
        self
    }
    fn round(wide: f64) -> Self {
        wide
    }
    fn fma(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
}

macro_rules! halves {
    ($($half:ident)*) => {$(
        impl Float for $half {
            const SIGN: u64 = 1 << 15;
            fn of(bits: u64) -> Self {
                Self::from_bits(bits as u16)
            }
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
            fn wide(self) -> f64 {
                self.to_f64()
            }
            fn round(wide: f64) -> Self {
                Self::from_f32(narrow_to_odd(wide))
            }
        }
    )*};
}
halves! { f16 bf16 }

/// The sum of two numbers, rounded to odd: if it is inexact, its last bit is 1. A second rounding to fewer bits is then
/// correct.
pub fn sum_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let error = sum_error(a, b, sum);
    if error == 0.0 || error.is_nan() || !sum.is_finite() || sum.to_bits() & 1 == 1 {
        return sum;
    }
    if error > 0.0 { sum.next_up() } else { sum.next_down() }
}

/// The rounding error of `sum = a + b`, exactly (TwoSum).
fn sum_error(a: f64, b: f64, sum: f64) -> f64 {
    let part = sum - a;
    (a - (sum - part)) + (b - part)
}

/// A number as an `f32`, rounded to odd.
fn narrow_to_odd(wide: f64) -> f32 {
    let narrow = wide as f32;
    if !wide.is_finite() || f64::from(narrow) == wide || narrow.is_finite() && narrow.to_bits() & 1 == 1 {
        return narrow;
    }
    if f64::from(narrow) < wide { narrow.next_up() } else { narrow.next_down() }
}

/// A rounding mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    Nearest,
    Zero,
    Down,
    Up,
}

/// Corrects `value`, rounded to nearest, to a rounding mode, where the exact number is `value + error`.
pub fn correct(value: f64, error: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Nearest => value,
        _ if error == 0.0 || error.is_nan() => value,
        Rounding::Down if error < 0.0 => value.next_down(),
        Rounding::Up if error > 0.0 => value.next_up(),
        Rounding::Zero if value > 0.0 && error < 0.0 => value.next_down(),
        Rounding::Zero if value < 0.0 && error > 0.0 => value.next_up(),
        _ => value,
    }
}

/// A number as an `f32`, in a rounding mode.
pub fn narrow(wide: f64, rounding: Rounding) -> f32 {
    let value = wide as f32;
    let error = wide - f64::from(value);
    match rounding {
        _ if error == 0.0 || wide.is_nan() || wide.is_infinite() => value,
        Rounding::Down if error < 0.0 => value.next_down(),
        Rounding::Up if error > 0.0 => value.next_up(),
        Rounding::Zero if value > 0.0 && error < 0.0 => value.next_down(),
        Rounding::Zero if value < 0.0 && error > 0.0 => value.next_up(),
        _ => value,
    }
}

fn add<F: Float>(a: u64, b: u64) -> u64 {
    F::round(sum_to_odd(F::of(a).wide(), F::of(b).wide())).bits()
}

fn subtract<F: Float>(a: u64, b: u64) -> u64 {
    add::<F>(a, b ^ F::SIGN)
}

fn multiply<F: Float>(a: u64, b: u64) -> u64 {
    // The product is exact in an `f64` if the format is narrower.
    F::round(F::of(a).wide() * F::of(b).wide()).bits()
}

fn multiply_add<F: Float>(a: u64, b: u64, c: u64) -> u64 {
    F::of(a).fma(F::of(b), F::of(c)).bits()
}

/// The minimum. If one operand is NaN, the other one; `-0.0` is less than `0.0`.
fn minimum<F: Float>(a: u64, b: u64) -> u64 {
    let (x, y) = (F::of(a).wide(), F::of(b).wide());
    let is_first = y.is_nan() || x < y || x == y && x.is_sign_negative();
    if is_first { a } else { b }
}

fn maximum<F: Float>(a: u64, b: u64) -> u64 {
    let (x, y) = (F::of(a).wide(), F::of(b).wide());
    let is_first = y.is_nan() || x > y || x == y && x.is_sign_positive();
    if is_first { a } else { b }
}

/// The minimum; NaN if one operand is NaN.
fn minimum_nan<F: Float>(a: u64, b: u64) -> u64 {
    if F::of(a).wide().is_nan() {
        a
    } else if F::of(b).wide().is_nan() {
        b
    } else {
        minimum::<F>(a, b)
    }
}

fn maximum_nan<F: Float>(a: u64, b: u64) -> u64 {
    if F::of(a).wide().is_nan() {
        a
    } else if F::of(b).wide().is_nan() {
        b
    } else {
        maximum::<F>(a, b)
    }
}

fn negate<F: Float>(a: u64) -> u64 {
    a ^ F::SIGN
}

fn absolute<F: Float>(a: u64) -> u64 {
    a & !F::SIGN
}

/// The second operand with the sign of the first.
fn copy_sign<F: Float>(a: u64, b: u64) -> u64 {
    a & F::SIGN | b & !F::SIGN
}

/// Applies a function to each half of a register.
macro_rules! packed {
    ($function:expr, $($x:ident)+) => {
        |$($x: u64),+| $function($($x & 0xffff),+) & 0xffff | ($function($($x >> 16 & 0xffff),+) & 0xffff) << 16
    };
}

/// The instance of a generic function for a type.
macro_rules! for_floats {
    ($type:expr, $function:ident, $($x:ident)+) => {
        match $type {
            Type::F16 => $function::<f16>,
            Type::Bf16 => $function::<bf16>,
            Type::F16x2 => packed!($function::<f16>, $($x)+),
            Type::Bf16x2 => packed!($function::<bf16>, $($x)+),
            Type::F32 => $function::<f32>,
            Type::F64 => $function::<f64>,
            _ => return None,
        }
    };
}

/// A unary instruction, by its name without the type.
pub fn unary(name: &str, ty: Type) -> Option<Unary> {
    Some(match (name, ty) {
        ("neg", _) => for_floats!(ty, negate, a),
        ("abs", _) => for_floats!(ty, absolute, a),
        ("sqrt.rn" | "sqrt.approx", Type::F32) => |a| f32::of(a).sqrt().bits(),
        ("sqrt.rn", Type::F64) => |a| f64::of(a).sqrt().bits(),
        ("rcp.rn", Type::F32) => |a| (1.0 / f32::of(a)).bits(),
        ("rcp.rn", Type::F64) => |a| (1.0 / f64::of(a)).bits(),
        ("rcp.approx.ftz", Type::F32) => |a| flush(1.0 / flush(f32::of(a))).bits(),
        // The `f64` approximations use and produce only the upper 32 bits.
        ("rcp.approx.ftz", Type::F64) => |a| upper(1.0 / upper(f64::of(a))).bits(),
        ("rsqrt.approx.ftz", Type::F64) => |a| upper(1.0 / upper(f64::of(a)).sqrt()).bits(),
        ("rsqrt.approx", Type::F64) => |a| (1.0 / f64::of(a).sqrt()).bits(),
        ("rsqrt.approx", Type::F32) => |a| ((1.0 / f32::of(a).wide().sqrt()) as f32).bits(),
        ("rsqrt.approx.ftz", Type::F32) => |a| flush((1.0 / flush(f32::of(a)).wide().sqrt()) as f32).bits(),
        ("sqrt.approx.ftz", Type::F32) => |a| flush(flush(f32::of(a)).sqrt()).bits(),
        ("ex2.approx", Type::F32) => |a| (f32::of(a).wide().exp2() as f32).bits(),
        ("ex2.approx.ftz", Type::F32) => |a| flush(flush(f32::of(a)).wide().exp2() as f32).bits(),
        ("lg2.approx", Type::F32) => |a| (f32::of(a).wide().log2() as f32).bits(),
        ("lg2.approx.ftz", Type::F32) => |a| flush(flush(f32::of(a)).wide().log2() as f32).bits(),
        ("sin.approx", Type::F32) => |a| (f32::of(a).wide().sin() as f32).bits(),
        ("sin.approx.ftz", Type::F32) => |a| flush(flush(f32::of(a)).wide().sin() as f32).bits(),
        ("cos.approx", Type::F32) => |a| (f32::of(a).wide().cos() as f32).bits(),
        ("cos.approx.ftz", Type::F32) => |a| flush(flush(f32::of(a)).wide().cos() as f32).bits(),
        ("tanh.approx", Type::F32) => |a| (f32::of(a).wide().tanh() as f32).bits(),
        _ => return None,
    })
}

/// Flushes a denormal number to a zero of the same sign.
fn flush(value: f32) -> f32 {
    if value.is_subnormal() { 0f32.copysign(value) } else { value }
}

/// A number with its lower 32 bits cleared; a denormal one is flushed to zero.
fn upper(value: f64) -> f64 {
    if value.is_subnormal() { 0f64.copysign(value) } else { f64::from_bits(value.to_bits() & !0xffff_ffff) }
}

/// A binary instruction, by its name without the type.
pub fn binary(name: &str, ty: Type) -> Option<Binary> {
    // The most frequent instructions come first.
    match (name, ty) {
        ("add" | "add.rn", Type::F32) => return Some(|a, b| (f32::of(a) + f32::of(b)).bits()),
        ("sub" | "sub.rn", Type::F32) => return Some(|a, b| (f32::of(a) - f32::of(b)).bits()),
        ("add" | "add.rn", Type::F64) => return Some(|a, b| (f64::of(a) + f64::of(b)).bits()),
        ("sub" | "sub.rn", Type::F64) => return Some(|a, b| (f64::of(a) - f64::of(b)).bits()),
        _ => {}
    }
    Some(match (name, ty) {
        ("add" | "add.rn", _) => for_floats!(ty, add, a b),
        ("sub" | "sub.rn", _) => for_floats!(ty, subtract, a b),
        ("mul" | "mul.rn", _) => for_floats!(ty, multiply, a b),
        ("add.rz", Type::F32) => |a, b| narrow(sum_to_odd(f32::of(a).wide(), f32::of(b).wide()), Rounding::Zero).bits(),
        ("mul.rz", Type::F32) => |a, b| narrow(f32::of(a).wide() * f32::of(b).wide(), Rounding::Zero).bits(),
        ("add.rz", Type::F64) => |a, b| {
            let (a, b) = (f64::of(a), f64::of(b));
            correct(a + b, sum_error(a, b, a + b), Rounding::Zero).bits()
        },
        ("div.rn" | "div.full" | "div.approx", Type::F32) => |a, b| (f32::of(a) / f32::of(b)).bits(),
        ("div.approx.ftz" | "div.full.ftz", Type::F32) => |a, b| flush(flush(f32::of(a)) / flush(f32::of(b))).bits(),
        ("div.rn", Type::F64) => |a, b| (f64::of(a) / f64::of(b)).bits(),
        ("min", _) => for_floats!(ty, minimum, a b),
        ("max", _) => for_floats!(ty, maximum, a b),
        ("min.NaN", _) if ty != Type::F64 => for_floats!(ty, minimum_nan, a b),
        ("max.NaN", _) if ty != Type::F64 => for_floats!(ty, maximum_nan, a b),
        ("copysign", Type::F32) => copy_sign::<f32>,
        ("copysign", Type::F64) => copy_sign::<f64>,
        _ => return None,
    })
}

/// A ternary instruction, by its name without the type.
pub fn ternary(name: &str, ty: Type) -> Option<Ternary> {
    fn directed(a: u64, b: u64, c: u64, rounding: Rounding) -> u64 {
        narrow(sum_to_odd(f32::of(a).wide() * f32::of(b).wide(), f32::of(c).wide()), rounding).bits()
    }
    Some(match (name, ty) {
        ("fma.rn", _) => for_floats!(ty, multiply_add, a b c),
        ("fma.rz", Type::F32) => |a, b, c| directed(a, b, c, Rounding::Zero),
        ("fma.rm", Type::F32) => |a, b, c| directed(a, b, c, Rounding::Down),
        ("fma.rp", Type::F32) => |a, b, c| directed(a, b, c, Rounding::Up),
        _ => return None,
    })
}
