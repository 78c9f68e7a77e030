//! The logarithms.
//!
//! An argument is `2^e m` with m in [sqrt(1/2), sqrt(2)], and `log(2^e m) = e ln 2 + log(1 + f)` with `f = m - 1`,
//! which is exact. In f32, `log(1 + f)` is a polynomial in f. In f64, it is a polynomial in `s = f / (2 + f)`, by
//! `log(1 + f) = log(1 + s) - log(1 - s)`, in the order of operations of fdlibm (Sun Microsystems, 1993, `e_log.c`):
//! what is added to f is small, so that its rounding errors are small, too.
use super::{
    exponential::ln_2,
    value::{Float, Format},
};

/// The decomposition of a positive number `2^e m`.
pub struct LogarithmParts<'c> {
    /// The exponent e.
    pub exponent: Float<'c>,
    /// `m - 1`.
    pub fraction: Float<'c>,
    /// `log(m) - (m - 1)`.
    pub rest: Float<'c>,
}

/// Decomposes positive numbers, including subnormal ones.
pub fn parts(x: Float<'_>) -> LogarithmParts<'_> {
    let (exponent, fraction) = exponent_and_fraction(x);
    LogarithmParts { exponent, fraction, rest: rest(fraction) }
}

/// The exponent e and `m - 1` of positive numbers.
pub fn exponent_and_fraction(x: Float<'_>) -> (Float<'_>, Float<'_>) {
    let (on, format) = (x.on, x.on.format);
    let up = f64::from(format.fraction() + 1);
    let is_small = x.is_below(format.smallest_normal());
    let normal = is_small.select(x * up.exp2(), x);
    let least = on.float(std::f64::consts::FRAC_1_SQRT_2).bits();
    let exponent = (normal.bits() - least).shifted_right(format.fraction());
    let fraction = (normal.bits() - exponent.shifted_left(format.fraction())).as_float() - 1.0;
    let exponent = exponent.to_float();
    (is_small.select(exponent - up, exponent), fraction)
}

/// `log(1 + f) - f` for `1 + f` in [sqrt(1/2), sqrt(2)]. Fits `log_f32` (error 2^-27) and `log_f64` (2^-57).
pub fn rest(f: Float<'_>) -> Float<'_> {
    let half_square = f * f * 0.5;
    match f.on.format {
        Format::F32 => {
            let coefficients =
                [0.3333333, -0.25000826, 0.20001264, -0.16623221, 0.14200741, -0.13160463, 0.12769537, -0.07644347];
            (f * (f * f)).multiply_add(f.polynomial(&coefficients), -half_square)
        }
        Format::F64 => {
            let coefficients = [
                0.6666666666666735,
                0.3999999999940913,
                0.28571428743730104,
                0.22222198426911832,
                0.18183572323979638,
                0.1531383616168763,
                0.1479819168507266,
            ];
            let s = f / (f + 2.0);
            let square = s * s;
            s * (half_square + square * square.polynomial(&coefficients)) - half_square
        }
    }
}

/// The result for positive numbers, completed by the special cases: -infinity for zero, NaN for negative numbers.
pub fn with_special<'c>(x: Float<'c>, result: Float<'c>) -> Float<'c> {
    let result = x.is_below(f64::INFINITY).select(result, x);
    let other = x.equals(0.0).select(f64::NEG_INFINITY, f64::NAN);
    x.exceeds(0.0).select(result, other)
}

/// `log`: below 1 ulp.
pub fn log(x: Float<'_>) -> Float<'_> {
    let LogarithmParts { exponent, fraction, rest } = parts(x);
    with_special(x, multiple_and_sum(exponent, fraction, rest))
}

/// `exponent ln 2 + fraction + rest`, where `rest` is small.
pub fn multiple_and_sum<'c>(exponent: Float<'c>, fraction: Float<'c>, rest: Float<'c>) -> Float<'c> {
    let [high, low] = ln_2(exponent.on.format);
    // The product is exact, and zero or larger than the fraction: the rounding error of their sum is exact (T. J.
    // Dekker, 1971).
    let multiple = exponent * high;
    let sum = multiple + fraction;
    let lost = multiple - sum + fraction;
    sum + (exponent.multiply_add(low, rest) + lost)
}

/// `log2`: below 2 ulp, exact for powers of two.
pub fn log2(x: Float<'_>) -> Float<'_> {
    let LogarithmParts { exponent, fraction, rest } = parts(x);
    with_special(x, exponent + (fraction + rest) * std::f64::consts::LOG2_E)
}

/// `log10`: below 2 ulp.
pub fn log10(x: Float<'_>) -> Float<'_> {
    let LogarithmParts { exponent, fraction, rest } = parts(x);
    // log10(2) in two parts, of which the first has 12 or 32 bits.
    let [high, low] = match x.on.format {
        Format::F32 => [0.301025390625, 4.605038981195214e-06],
        Format::F64 => [0.3010299955494702, 1.1451100898021838e-10],
    };
    let small = exponent.multiply_add(low, (fraction + rest) * std::f64::consts::LOG10_E);
    with_special(x, exponent * high + small)
}
