//! The functions of `math` on floats, correctly rounded or within 1 ulp.
//!
//! The C library's functions are not used: their results depend on its version and on the machine, and some are off by
//! several ulps. Results of smaller types are rounded from f64, whose own rounding error changes them only in the
//! rarest cases.
use super::kernel::function::Kernel;
use crate::array::Element;

/// A function by its name without the dialect prefix.
pub fn named(name: &str, element: Element) -> Option<Kernel> {
    let function: fn(f64) -> f64 = match name {
        "atan2" => return pair(element, arc_tangent),
        "powf" => return pair(element, power),
        "rsqrt" => inverse_root,
        "cbrt" => pxfm::f_cbrt,
        "exp" => exponential,
        "exp2" => pxfm::f_exp2,
        "expm1" => pxfm::f_expm1,
        "log" => pxfm::f_log,
        "log2" => pxfm::f_log2,
        "log10" => pxfm::f_log10,
        "log1p" => pxfm::f_log1p,
        "sin" => pxfm::f_sin,
        "cos" => pxfm::f_cos,
        "tan" => pxfm::f_tan,
        "asin" => pxfm::f_asin,
        "acos" => pxfm::f_acos,
        "atan" => pxfm::f_atan,
        "sinh" => hyperbolic_sine,
        "cosh" => pxfm::f_cosh,
        "tanh" => pxfm::f_tanh,
        "asinh" => pxfm::f_asinh,
        "acosh" => pxfm::f_acosh,
        "atanh" => pxfm::f_atanh,
        "erf" => pxfm::f_erf,
        "erfc" => pxfm::f_erfc,
        _ => return None,
    };
    element.is_float().then(|| Kernel::unary(move |a| element.from_f64(function(element.to_f64(a)))))
}

fn pair(element: Element, function: fn(f64, f64) -> f64) -> Option<Kernel> {
    let apply = move |a, b| element.from_f64(function(element.to_f64(a), element.to_f64(b)));
    element.is_float().then(|| Kernel::binary(apply))
}

/// `math.fpowi`: the exact product of as many factors as the exponent says, rounded once; its reciprocal for a negative
/// exponent.
pub fn integer_power(base: Element, exponent: Element) -> Kernel {
    Kernel::binary(move |a, b| {
        let (value, exponent) = (base.to_f64(a), exponent.signed(b));
        // The parity is taken from the integer, because large integers lose it when converted to floats.
        let magnitude = power(value.abs(), exponent as f64);
        base.from_f64(if value.is_sign_negative() && exponent & 1 == 1 { -magnitude } else { magnitude })
    })
}

/// `math.fma` of a 16-bit type, rounded once: f64 represents the product exactly, and the sum is rounded to odd to
/// avoid double rounding.
pub fn narrow_fma(element: Element) -> Kernel {
    Kernel::ternary(move |a, b, c| {
        let (product, addend) = (element.to_f64(a) * element.to_f64(b), element.to_f64(c));
        let sum = product + addend;
        let part = sum - product;
        let error = (product - (sum - part)) + (addend - part);
        let is_even = sum.to_bits() & 1 == 0;
        let odd = if (error > 0.0) == (sum > 0.0) { sum.to_bits() + 1 } else { sum.to_bits().wrapping_sub(1) };
        element.from_f64(if sum.is_finite() && error != 0.0 && is_even { f64::from_bits(odd) } else { sum })
    })
}

/// `base` to the power of `exponent`.
fn power(base: f64, exponent: f64) -> f64 {
    if exponent == 0.0 || base == 1.0 {
        return 1.0;
    }
    if base.is_nan() || exponent.is_nan() {
        return f64::NAN;
    }
    match exponent {
        // For these exponents, the special cases of `pxfm::f_pow` overflow.
        2.0 => base * base,
        -2.0 | 0.5 | -0.5 => libm::pow(base, exponent),
        _ => {
            let result = pxfm::f_pow(base, exponent);
            if result.abs() < SMALL { small_power(base, exponent, result) } else { result }
        }
    }
}

/// Below this, the low parts of double-double numbers are subnormal.
const SMALL: f64 = 1e-270;

/// A small power; `result` is that of `pxfm::f_pow`. `libm::pow` covers exponents below 2^31.
fn small_power(base: f64, exponent: f64, result: f64) -> f64 {
    if exponent.abs() < 2f64.powi(31) {
        return libm::pow(base, exponent);
    }
    if result.abs() >= f64::MIN_POSITIVE {
        return result;
    }
    let is_negative = base.is_sign_negative() && exponent.abs() % 2.0 == 1.0;
    let root = pxfm::f_pow(base.abs(), exponent / 2.0);
    root * root * if is_negative { -1.0 } else { 1.0 }
}

/// The exponential function; subnormal results are those of `libm`.
fn exponential(value: f64) -> f64 {
    let result = pxfm::f_exp(value);
    if result < f64::MIN_POSITIVE { libm::exp(value) } else { result }
}

/// The angle of a point, with the sign of `y` even if it underflows to zero.
fn arc_tangent(y: f64, x: f64) -> f64 {
    pxfm::f_atan2(y, x).copysign(y)
}

/// The hyperbolic sine, which preserves the sign of a zero.
fn hyperbolic_sine(value: f64) -> f64 {
    if value == 0.0 { value } else { pxfm::f_sinh(value) }
}

/// The reciprocal square root; infinity with the same sign for a zero.
fn inverse_root(value: f64) -> f64 {
    if value == 0.0 { 1.0 / value } else { pxfm::f_rsqrt(value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Slot;

    fn apply(kernel: &Kernel, slots: &[Slot]) -> f64 {
        Element::F64.to_f64(kernel.apply(slots).unwrap())
    }

    #[test]
    fn special_values_are_those_of_annex_f() {
        let slot = |value: f64| Element::F64.from_f64(value);
        let (nan, infinity) = (f64::NAN, f64::INFINITY);
        for (name, x, y, expected) in [
            ("powf", nan, 0.0, 1.0),
            ("powf", 1.0, nan, 1.0),
            ("powf", nan, 1.0, nan),
            ("powf", -1.0, infinity, 1.0),
            ("powf", -0.0, -3.0, -infinity),
            ("powf", -8.0, 1.0 / 3.0, nan),
            ("powf", f64::MAX, -0.5, 7.458340731200207e-155),
            ("powf", 2f64.powi(530), -2.0, 2f64.powi(-1060)),
            ("powf", -2.0, -2.0, 0.25),
            ("powf", -infinity, 0.5, infinity),
            ("powf", -2.533318582574992e-8, 43.0, -0.0),
            ("powf", -0.0, 3.0, -0.0),
            ("powf", -infinity, -3.0, -0.0),
            ("powf", -f64::from_bits(3), 1.0, -f64::from_bits(3)),
            ("powf", -2f64.powi(1023), -1.0, -2f64.powi(-1023)),
            ("atan2", -f64::MIN_POSITIVE, f64::MAX, -0.0),
            ("atan2", -0.0, -0.0, -std::f64::consts::PI),
        ] {
            let result = apply(&named(name, Element::F64).unwrap(), &[slot(x), slot(y)]);
            assert!(
                result.to_bits() == expected.to_bits() || result.is_nan() && expected.is_nan(),
                "{name} {x} {y}: {result}"
            );
        }
        for (name, x, expected) in [
            ("sinh", -0.0, -0.0),
            ("rsqrt", -0.0, -infinity),
            ("rsqrt", 0.0, infinity),
            ("acosh", 1.0, 0.0),
            ("exp", -709.1710454871065, 1.025482419521424e-308),
            ("exp", -800.0, 0.0),
            ("log", 1.0, 0.0),
        ] {
            let result = apply(&named(name, Element::F64).unwrap(), &[slot(x)]);
            assert_eq!(result.to_bits(), f64::to_bits(expected), "{name} {x}: {result}");
        }
    }

    #[test]
    fn products_and_sums_of_16_bits_are_rounded_once() {
        let fma = |element: Element, operands: [f64; 3]| {
            let slots = operands.map(|value| element.from_f64(value));
            element.to_f64(narrow_fma(element).apply(&slots).unwrap())
        };
        // Slightly above the midpoint between two floats, by less than f32 and f64 can represent.
        assert_eq!(fma(Element::F16, [2.5, 1074.0, 2f64.powi(-23)]), 2686.0);
        assert_eq!(fma(Element::F16, [2.5, 1074.0, 0.0]), 2684.0);
        assert_eq!(fma(Element::Bf16, [9.0, 29.0, 2f64.powi(-100)]), 262.0);
        assert_eq!(fma(Element::Bf16, [9.0, 29.0, 0.0]), 260.0);
        assert_eq!(fma(Element::Bf16, [7.0, 37.0, -2f64.powi(-100)]), 258.0);
        assert_eq!(fma(Element::F16, [65504.0, 2.0, f64::NEG_INFINITY]), f64::NEG_INFINITY);
    }

    #[test]
    fn integer_powers_are_odd_or_even_whatever_their_size() {
        let of = |value: f64, exponent: i128| {
            let integer = Element::Integer(64);
            apply(
                &integer_power(Element::F64, integer),
                &[Element::F64.from_f64(value), integer.from_integer(exponent)],
            )
        };
        assert_eq!(of(-1.0, i128::from(i64::MAX)), -1.0);
        assert_eq!(of(-1.0, i128::from(i64::MIN)), 1.0);
        assert_eq!(of(-2.0, -3), -0.125);
        assert_eq!(of(f64::NAN, 0), 1.0);
        assert_eq!(of(-0.0, -1), f64::NEG_INFINITY);
    }
}
