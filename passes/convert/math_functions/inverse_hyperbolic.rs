//! `log1p` and the inverse hyperbolic functions, which are logarithms of `1 + z` for a z with few rounding errors.
//!
//! Multiplication by a power of two is exact, so `1 + x = 2^e (1 + f)` with `f = 2^-e x + (2^-e - 1)`, where only the
//! last sum is rounded, and nothing for e = 0. The method is that of W. Kahan, Branch cuts for complex elementary
//! functions, 1987, without his division. The formulas of the inverse hyperbolic functions are those of fdlibm (Sun
//! Microsystems, 1993).
use super::{
    logarithm::{multiple_and_sum, rest},
    value::{Boolean, Float, Format},
};

/// `log1p(x) + more ln 2`, for x larger than -1.
fn log1p_and<'c>(x: Float<'c>, more: Option<Float<'c>>) -> Float<'c> {
    let (on, format) = (x.on, x.on.format);
    let least = on.float(std::f64::consts::FRAC_1_SQRT_2).bits();
    let exponent = ((x + 1.0).bits() - least).shifted_right(format.fraction());
    let stored = exponent.shifted_left(format.fraction());
    // 4 times the power of two: a normal number even for the largest exponent.
    let power = (on.float(4.0).bits() - stored).as_float();
    let fraction = (x.bits() - stored).as_float() + power.multiply_add(0.25, -1.0);
    let exponent = exponent.to_float();
    let exponent = more.map_or(exponent, |more| exponent + more);
    multiple_and_sum(exponent, fraction, rest(fraction))
}

/// `log1p`: below 2 ulp.
pub fn log1p(x: Float<'_>) -> Float<'_> {
    let result = x.is_below(f64::INFINITY).select(log1p_and(x, None), x);
    let other = x.equals(-1.0).select(f64::NEG_INFINITY, f64::NAN);
    let result = x.exceeds(-1.0).select(result, other);
    // The result for zeros has lost its sign.
    x.equals(0.0).select(x, result)
}

/// True for large arguments, for which `z` is the argument itself, and ln 2 is added to the result.
fn is_large(x: Float<'_>) -> Boolean<'_> {
    x.exceeds(if x.on.format == Format::F32 { 28.0_f64.exp2() } else { 60.0_f64.exp2() })
}

/// `asinh`: below 2 ulp. `z = |x| + x^2 / (1 + sqrt(1 + x^2))`.
pub fn asinh(x: Float<'_>) -> Float<'_> {
    let magnitude = x.magnitude();
    let is_large = is_large(magnitude);
    let root = x.multiply_add(x, x.on.float(1.0)).square_root();
    let z = is_large.select(magnitude, magnitude + x * x / (root + 1.0));
    let result = log1p_and(z, Some(is_large.select(x.on.float(1.0), 0.0)));
    magnitude.is_below(f64::INFINITY).select(result, magnitude).with_sign_of(x)
}

/// `acosh`: below 2.5 ulp. `z = t + sqrt(t (x + 1))` with `t = x - 1`.
pub fn acosh(x: Float<'_>) -> Float<'_> {
    let is_large = is_large(x);
    let beyond = x - 1.0;
    let z = is_large.select(x, beyond + (beyond * (x + 1.0)).square_root());
    let result = log1p_and(z, Some(is_large.select(x.on.float(1.0), 0.0)));
    let result = x.is_below(f64::INFINITY).select(result, x);
    x.is_below(1.0).select(f64::NAN, result)
}

/// `atanh`: below 2 ulp. `z = 2 |x| / (1 - |x|)`.
pub fn atanh(x: Float<'_>) -> Float<'_> {
    let magnitude = x.magnitude();
    let z = (magnitude + magnitude) / (1.0 - magnitude);
    let other = magnitude.equals(1.0).select(x.on.float(f64::INFINITY), f64::NAN);
    magnitude.is_below(1.0).select(log1p_and(z, None) * 0.5, other).with_sign_of(x)
}
