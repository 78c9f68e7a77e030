//! Operations on floats. 16-bit types are computed in f32 and rounded after each operation.
use super::{kernel::function::Kernel, math};
use crate::array::{Element, Slot};
use half::{bf16, f16};
use mdh_dialects::{hom::Kind, ir::FloatPredicate};
use std::cmp::Ordering;

/// A kernel that computes the same expression in f32 or f64, depending on the type. The body must be generic over both.
macro_rules! by_type {
    ($make:ident, $element:expr, |$($operand:ident),+| $body:expr) => {
        match $element {
            Element::F16 => Kernel::$make(|$($operand),+| {
                $(let $operand = f16::from_bits($operand as u16).to_f32();)+
                Slot::from(f16::from_f32($body).to_bits())
            }),
            Element::Bf16 => Kernel::$make(|$($operand),+| {
                $(let $operand = bf16::from_bits($operand as u16).to_f32();)+
                Slot::from(bf16::from_f32($body).to_bits())
            }),
            Element::F32 => Kernel::$make(|$($operand),+| {
                $(let $operand = f32::from_bits($operand as u32);)+
                Slot::from(f32::to_bits($body))
            }),
            Element::F64 => Kernel::$make(|$($operand),+| {
                $(let $operand = f64::from_bits($operand as u64);)+
                Slot::from(f64::to_bits($body))
            }),
            Element::Integer(_) | Element::Index => return None,
        }
    };
}

/// Maximum and minimum as MLIR defines them, in both precisions.
trait Extremes: Copy {
    fn larger(self, other: Self) -> Self;
    fn smaller(self, other: Self) -> Self;
}

macro_rules! extremes {
    ($type:ty) => {
        impl Extremes for $type {
            fn larger(self, other: Self) -> Self {
                if self.is_nan() || other.is_nan() {
                    <$type>::NAN
                } else if self == other {
                    // Of two zeros the positive one.
                    if self.is_sign_positive() { self } else { other }
                } else if self > other {
                    self
                } else {
                    other
                }
            }

            fn smaller(self, other: Self) -> Self {
                -(-self).larger(-other)
            }
        }
    };
}

extremes!(f32);
extremes!(f64);

/// An operation on operands and a result of one float type.
pub fn named(name: &str, element: Element) -> Option<Kernel> {
    Some(match name {
        "arith.addf" => by_type!(binary, element, |a, b| a + b),
        "arith.subf" => by_type!(binary, element, |a, b| a - b),
        "arith.mulf" => by_type!(binary, element, |a, b| a * b),
        "arith.divf" => by_type!(binary, element, |a, b| a / b),
        "arith.remf" => by_type!(binary, element, |a, b| a % b),
        // Only the sign bit changes, also of a NaN.
        "arith.negf" => sign(element, |bit, a| a ^ bit),
        "math.absf" => sign(element, |bit, a| a & !bit),
        "arith.maximumf" => by_type!(binary, element, |a, b| a.larger(b)),
        "arith.minimumf" => by_type!(binary, element, |a, b| a.smaller(b)),
        "arith.maxnumf" => {
            by_type!(binary, element, |a, b| if a.is_nan() || b.is_nan() { a.max(b) } else { a.larger(b) })
        }
        "arith.minnumf" => {
            by_type!(binary, element, |a, b| if a.is_nan() || b.is_nan() { a.min(b) } else { a.smaller(b) })
        }
        "math.copysign" => by_type!(binary, element, |a, b| a.copysign(b)),
        "math.fma" if element.bits() == 16 => math::narrow_fma(element),
        "math.fma" => by_type!(ternary, element, |a, b, c| a.mul_add(b, c)),
        "math.clampf" => by_type!(ternary, element, |a, low, high| a.larger(low).smaller(high)),
        "math.sqrt" => by_type!(unary, element, |a| a.sqrt()),
        "math.ceil" => by_type!(unary, element, |a| a.ceil()),
        "math.floor" => by_type!(unary, element, |a| a.floor()),
        "math.trunc" => by_type!(unary, element, |a| a.trunc()),
        "math.round" => by_type!(unary, element, |a| a.round()),
        "math.roundeven" => by_type!(unary, element, |a| a.round_ties_even()),
        _ => return math::named(name.strip_prefix("math.")?, element),
    })
}

fn sign(element: Element, function: fn(Slot, Slot) -> Slot) -> Kernel {
    let bit = 1 << (element.bits() - 1);
    Kernel::unary(move |a| function(bit, a))
}

/// `math.isnormal`: true unless the value is zero, subnormal, infinite or NaN in its own type.
pub fn is_normal(element: Element) -> Option<Kernel> {
    Some(match element {
        Element::F16 => Kernel::unary(|a| f16::from_bits(a as u16).is_normal().into()),
        Element::Bf16 => Kernel::unary(|a| bf16::from_bits(a as u16).is_normal().into()),
        Element::F32 => Kernel::unary(|a| f32::from_bits(a as u32).is_normal().into()),
        Element::F64 => Kernel::unary(|a| f64::from_bits(a as u64).is_normal().into()),
        Element::Integer(_) | Element::Index => return None,
    })
}

/// `arith.cmpf`.
pub fn compare(predicate: FloatPredicate, element: Element) -> Kernel {
    // The set of outcomes for which the predicate holds: 1 equal, 2 greater, 4 less, 8 unordered.
    let holds = match predicate {
        FloatPredicate::AlwaysFalse => 0,
        FloatPredicate::Oeq => 1,
        FloatPredicate::Ogt => 2,
        FloatPredicate::Oge => 3,
        FloatPredicate::Olt => 4,
        FloatPredicate::Ole => 5,
        FloatPredicate::One => 6,
        FloatPredicate::Ord => 7,
        FloatPredicate::Uno => 8,
        FloatPredicate::Ueq => 9,
        FloatPredicate::Ugt => 10,
        FloatPredicate::Uge => 11,
        FloatPredicate::Ult => 12,
        FloatPredicate::Ule => 13,
        FloatPredicate::Une => 14,
        FloatPredicate::AlwaysTrue => 15,
    };
    Kernel::binary(move |a, b| {
        let outcome = match element.to_f64(a).partial_cmp(&element.to_f64(b)) {
            Some(Ordering::Equal) => 1,
            Some(Ordering::Greater) => 2,
            Some(Ordering::Less) => 4,
            None => 8,
        };
        Slot::from(holds & outcome != 0)
    })
}

/// `arith.sitofp`.
pub fn from_signed(from: Element, to: Element) -> Kernel {
    Kernel::unary(move |a| {
        let value = from.signed(a);
        let magnitude = magnitude(value.unsigned_abs(), to);
        to.from_f64(if value < 0 { -magnitude } else { magnitude })
    })
}

/// `arith.uitofp`.
pub fn from_unsigned(to: Element) -> Kernel {
    Kernel::unary(move |a| to.from_f64(magnitude(a, to)))
}

/// Converts an integer to f64 for rounding to a type; exact if 53 bits suffice. Smaller types are rounded from f64: to
/// avoid double rounding, bits that f64 cannot represent are or-ed into its last bit (round to odd).
fn magnitude(value: u128, to: Element) -> f64 {
    if to == Element::F64 {
        return value as f64;
    }
    let lost = (128 - value.leading_zeros()).saturating_sub(f64::MANTISSA_DIGITS);
    let kernel_memory = value >> lost;
    ((kernel_memory | u128::from(kernel_memory << lost != value)) << lost) as f64
}

/// `arith.fptosi` and `arith.fptoui`: round toward zero, then to the nearest number of the type; a NaN becomes 0.
pub fn to_integer(from: Element, to: Element, is_signed: bool) -> Kernel {
    let bits = to.bits();
    let least = i128::MIN >> (128 - bits);
    Kernel::unary(move |a| {
        let value = from.to_f64(a);
        match is_signed {
            true => to.from_integer((value as i128).clamp(least, !least)),
            false => (value as u128).min(to.mask()),
        }
    })
}

/// A built-in combining function with its identity; `min` and `max` propagate NaN. `None` for bitwise functions.
pub fn combine(kind: Kind, element: Element) -> Option<(Kernel, Slot)> {
    let (name, identity) = match kind {
        // The identity is -0.0: 0.0 + -0.0 is 0.0, but -0.0 + x is x for every x.
        Kind::Add => ("arith.addf", -0.0),
        Kind::Mul => ("arith.mulf", 1.0),
        Kind::Min => ("arith.minimumf", f64::INFINITY),
        Kind::Max => ("arith.maximumf", f64::NEG_INFINITY),
        Kind::And | Kind::Or | Kind::Xor => return None,
    };
    Some((named(name, element)?, element.from_f64(identity)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: [Element; 4] = [Element::F16, Element::Bf16, Element::F32, Element::F64];

    fn apply(name: &str, element: Element, operands: &[f64]) -> f64 {
        let slots: Vec<_> = operands.iter().map(|value| element.from_f64(*value)).collect();
        element.to_f64(named(name, element).expect("the operation is known").apply(&slots).unwrap())
    }

    #[test]
    fn exact_results_are_the_same_in_every_type() {
        for (name, operands, expected) in [
            ("arith.addf", &[1.5, 2.25][..], 3.75),
            ("arith.subf", &[1.5, 2.25], -0.75),
            ("arith.mulf", &[1.5, 2.5], 3.75),
            ("arith.divf", &[3.0, 4.0], 0.75),
            ("arith.remf", &[-7.0, 3.0], -1.0),
            ("arith.negf", &[2.0], -2.0),
            ("arith.maximumf", &[1.0, 2.0], 2.0),
            ("arith.minimumf", &[1.0, 2.0], 1.0),
            ("arith.maxnumf", &[f64::NAN, 2.0], 2.0),
            ("arith.minnumf", &[1.0, f64::NAN], 1.0),
            ("math.absf", &[-2.0], 2.0),
            ("math.copysign", &[3.0, -1.0], -3.0),
            ("math.atan2", &[0.0, 1.0], 0.0),
            ("math.powf", &[2.0, 5.0], 32.0),
            ("math.fma", &[2.0, 3.0, 4.0], 10.0),
            ("math.clampf", &[5.0, 0.0, 2.0], 2.0),
            ("math.sqrt", &[9.0], 3.0),
            ("math.rsqrt", &[4.0], 0.5),
            ("math.cbrt", &[27.0], 3.0),
            ("math.exp", &[0.0], 1.0),
            ("math.exp2", &[3.0], 8.0),
            ("math.expm1", &[0.0], 0.0),
            ("math.log", &[1.0], 0.0),
            ("math.log2", &[8.0], 3.0),
            ("math.log10", &[100.0], 2.0),
            ("math.log1p", &[0.0], 0.0),
            ("math.sin", &[0.0], 0.0),
            ("math.cos", &[0.0], 1.0),
            ("math.tan", &[0.0], 0.0),
            ("math.asin", &[0.0], 0.0),
            ("math.acos", &[1.0], 0.0),
            ("math.atan", &[0.0], 0.0),
            ("math.sinh", &[0.0], 0.0),
            ("math.cosh", &[0.0], 1.0),
            ("math.tanh", &[0.0], 0.0),
            ("math.asinh", &[0.0], 0.0),
            ("math.acosh", &[1.0], 0.0),
            ("math.atanh", &[0.0], 0.0),
            ("math.erf", &[0.0], 0.0),
            ("math.erfc", &[0.0], 1.0),
            ("math.ceil", &[1.25], 2.0),
            ("math.floor", &[-1.25], -2.0),
            ("math.trunc", &[-1.75], -1.0),
            ("math.round", &[2.5], 3.0),
            ("math.roundeven", &[2.5], 2.0),
        ] {
            for element in TYPES {
                assert_eq!(apply(name, element, operands), expected, "{name} on {element}");
            }
        }
    }

    #[test]
    fn rounding_is_that_of_the_type() {
        assert_eq!(apply("arith.addf", Element::F16, &[2048.0, 1.0]), 2048.0);
        assert_eq!(apply("arith.addf", Element::Bf16, &[256.0, 1.0]), 256.0);
        assert_eq!(apply("arith.addf", Element::F32, &[16_777_216.0, 1.0]), 16_777_216.0);
        assert_eq!(apply("arith.mulf", Element::F16, &[256.0, 256.0]), f64::INFINITY);
        assert_eq!(apply("math.exp", Element::F32, &[1.0]), f64::from(1f32.exp()));
        assert_eq!(apply("math.exp", Element::F64, &[1.0]), 1f64.exp());
    }

    #[test]
    fn nan_and_zeros() {
        for element in TYPES {
            assert!(apply("arith.maximumf", element, &[f64::NAN, 1.0]).is_nan());
            assert!(apply("arith.minimumf", element, &[1.0, f64::NAN]).is_nan());
            assert!(apply("arith.maximumf", element, &[-0.0, 0.0]).is_sign_positive());
            assert!(apply("arith.minimumf", element, &[0.0, -0.0]).is_sign_negative());
            assert!(apply("arith.negf", element, &[0.0]).is_sign_negative());
        }
    }

    #[test]
    fn comparisons() {
        let holds = |a: f64, b: f64| -> Vec<i64> {
            let slots = [Element::F32.from_f64(a), Element::F32.from_f64(b)];
            let holds = |predicate: &FloatPredicate| compare(*predicate, Element::F32).apply(&slots) == Ok(1);
            FloatPredicate::ALL.into_iter().filter(holds).map(|predicate| predicate as i64).collect()
        };
        assert_eq!(holds(1.0, 1.0), [1, 3, 5, 7, 8, 10, 12, 15]);
        assert_eq!(holds(2.0, 1.0), [2, 3, 6, 7, 9, 10, 13, 15]);
        assert_eq!(holds(1.0, 2.0), [4, 5, 6, 7, 11, 12, 13, 15]);
        assert_eq!(holds(f64::NAN, 1.0), [8, 9, 10, 11, 12, 13, 14, 15]);
    }

    #[test]
    fn conversions() {
        let byte = Element::Integer(8);
        let to_signed = |value: f64| to_integer(Element::F32, byte, true).apply(&[Element::F32.from_f64(value)]);
        assert_eq!(to_signed(-128.75), Ok(0x80));
        assert_eq!([127.9, 128.0, 1e30, f64::INFINITY].map(to_signed), [const { Ok(0x7f) }; 4]);
        assert_eq!([-129.0, -1e30, f64::NEG_INFINITY].map(to_signed), [const { Ok(0x80) }; 3]);
        assert_eq!(to_signed(f64::NAN), Ok(0));
        let to_unsigned = |value: f64| to_integer(Element::F64, byte, false).apply(&[Element::F64.from_f64(value)]);
        assert_eq!(to_unsigned(255.5), Ok(255));
        assert_eq!(to_unsigned(-0.5), Ok(0));
        assert_eq!([256.0, f64::INFINITY].map(to_unsigned), [const { Ok(255) }; 2]);
        assert_eq!([-1.0, f64::NEG_INFINITY, f64::NAN].map(to_unsigned), [const { Ok(0) }; 3]);
        let to_truth =
            |value: f64| to_integer(Element::F64, Element::Integer(1), true).apply(&[Element::F64.from_f64(value)]);
        assert_eq!([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0].map(to_truth), [1, 1, 0, 0, 0, 0].map(Ok));
        let float = |kernel: Kernel| Element::F32.to_f64(kernel.apply(&[0xff]).unwrap());
        assert_eq!(float(from_signed(byte, Element::F32)), -1.0);
        assert_eq!(float(from_unsigned(Element::F32)), 255.0);
        assert_eq!(
            math::integer_power(Element::F32, byte).apply(&[Element::F32.from_f64(2.0), 0xff]),
            Ok(Element::F32.from_f64(0.5))
        );
    }

    #[test]
    fn integers_are_rounded_once() {
        let largest = u128::MAX;
        for (to, value, expected) in [
            (Element::Bf16, (1 << 30) + (1 << 22), 2f64.powi(30)),
            (Element::Bf16, (1 << 30) + (1 << 22) + 1, 2f64.powi(30) + 2f64.powi(23)),
            (Element::Bf16, (1 << 60) + (1 << 52) + 1, 2f64.powi(60) + 2f64.powi(53)),
            (Element::Bf16, (1 << 120) + (1 << 112) + 1, 2f64.powi(120) + 2f64.powi(113)),
            (Element::Bf16, (1 << 120) + (3 << 112) - 1, 2f64.powi(120) + 2f64.powi(113)),
            (Element::Bf16, largest, f64::INFINITY),
            (Element::F16, 2049, 2048.0),
            (Element::F16, 2051, 2052.0),
            (Element::F16, 65519, 65504.0),
            (Element::F16, 65520, f64::INFINITY),
            (Element::F16, 1 << 100, f64::INFINITY),
            (Element::F32, (1 << 60) + (1 << 36), 2f64.powi(60)),
            (Element::F32, (1 << 60) + (1 << 36) + 1, 2f64.powi(60) + 2f64.powi(37)),
            (Element::F32, largest, f64::INFINITY),
            (Element::F64, (1 << 120) + (1 << 67) + 1, 2f64.powi(120) + 2f64.powi(68)),
            (Element::F64, largest, 2f64.powi(128)),
        ] {
            let float = |kernel: Kernel, slot| to.to_f64(kernel.apply(&[slot]).unwrap());
            assert_eq!(float(from_unsigned(to), value), expected, "{value} as {to}");
            if value != largest {
                assert_eq!(float(from_signed(Element::Integer(128), to), value.wrapping_neg()), -expected);
            }
        }
    }

    #[test]
    fn normal_numbers_are_those_of_the_type() {
        let is_normal = |element: Element, value: f64| is_normal(element).unwrap().apply(&[element.from_f64(value)]);
        assert_eq!(is_normal(Element::F16, 1e-5), Ok(0));
        assert_eq!(is_normal(Element::F32, 1e-5), Ok(1));
        assert_eq!(is_normal(Element::F64, f64::INFINITY), Ok(0));
    }
}
