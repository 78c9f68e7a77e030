//! The cube root.
use super::value::{Float, Format};

/// `cbrt`: below 1 ulp, without a division.
///
/// A constant minus a third of the bits of x is a first estimate of `x^(-1/3)`, since the bits are nearly the logarithm
/// (W. Kahan and K. C. Ng, 1986, in the comments of fdlibm's `s_cbrt.c`; the constant minimizes the maximum error).
/// With `h = 1 - x y^3`, a better estimate is `y (1 - h)^(-1/3)`, a series in h (A. Householder, The numerical
/// treatment of a single nonlinear equation, 1970). A Newton step for the cube root itself removes the rounding errors
/// of `x y^2`.
pub fn cbrt(x: Float<'_>) -> Float<'_> {
    let format = x.on.format;
    // The low bits that the first estimate ignores; the exponent below which arguments are scaled up, so that nothing
    // overflows and no precision is lost, and the exponents of both scalings.
    let (unused, smallest, up, down) = match format {
        Format::F32 => (8, -78, 48.0_f64, -16.0_f64),
        Format::F64 => (20, -900, 108.0, -36.0),
    };
    let magnitude = x.magnitude();
    let is_small = magnitude.is_below(2f64.powi(smallest));
    let a = is_small.select(magnitude * up.exp2(), magnitude);
    let whole = f64::from(format.fraction()).exp2();
    let bits = (a.bits().shifted_right_unsigned(unused) | x.on.float(whole).bits()).as_float() - whole;
    let scale = f64::from(format.fraction() - unused).exp2();
    let third = bits * (-1.0 / 3.0) + (4.0 / 3.0 * format.bias() as f64 - 0.068) * scale;
    let mut y = (third + whole).bits().shifted_left(unused).as_float();
    let steps: &[&[f64]] = match format {
        Format::F32 => &[&[1.0 / 3.0, 2.0 / 9.0, 14.0 / 81.0], &[1.0 / 3.0, 2.0 / 9.0]],
        Format::F64 => &[&[1.0 / 3.0, 2.0 / 9.0, 14.0 / 81.0], &[1.0 / 3.0, 2.0 / 9.0, 14.0 / 81.0]],
    };
    for series in steps {
        let h = 1.0 - (a * y) * (y * y);
        y = (y * h).multiply_add(h.polynomial(series), y);
    }
    let square = y * y;
    let root = a * square;
    // A quarter of the residual: for the largest number, the cube of a root that is too large would overflow.
    let half = root * 0.5;
    let missing = (-(half * half)).multiply_add(root, a * 0.25);
    let root = missing.multiply_add(square * (4.0 / 3.0), root);
    let result = is_small.select(root * down.exp2(), root).with_sign_of(x);
    // Zeros, infinities and NaN.
    (magnitude.exceeds(0.0) & magnitude.is_below(f64::INFINITY)).select(result, x)
}
