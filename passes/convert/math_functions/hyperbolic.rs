//! `expm1` and the hyperbolic functions, except [`tanh`](super::exponential::tanh).
//!
//! As in the exponential functions, an argument is `n ln 2 + r`. Exact terms in the powers of two stay separate from
//! rounded terms, so that there is no cancellation: `expm1(x) = 2^n expm1(r) + (2^n - 1)`, and by the addition theorems
//! `sinh(x) = sinh(n ln 2) cosh(r) + cosh(n ln 2) sinh(r)` and `cosh(x) = cosh(n ln 2) cosh(r) + sinh(n ln 2) sinh(r)`,
//! without a division. The order of operations in `expm1` is after P. Tang, Table-driven implementation of the expm1
//! function, 1992, without the table.
use super::{
    exponential::{expm1_of_rest, reduced},
    value::{Float, Format, Integer},
};

/// `expm1`: below 2 ulp.
pub fn expm1(x: Float<'_>) -> Float<'_> {
    let (lowest, highest) = if x.on.format == Format::F32 { (-20.0, 89.0) } else { (-40.0, 710.0) };
    let (n, r) = reduced(x.at_least(lowest).at_most(highest));
    let near = expm1_of_rest(r);
    // Half of the power, since the largest power of two overflows.
    let half = (n - 1).power_of_two();
    let far = half.multiply_add(near, half - 0.5);
    n.equals(0).select(near, far + far).with_sign_of(x)
}

/// The terms of `sinh` and `cosh`.
struct HyperbolicParts<'c> {
    exponent: Integer<'c>,
    /// Halves of `sinh(n ln 2)` and `cosh(n ln 2)`.
    sinh: Float<'c>,
    cosh: Float<'c>,
    /// `sinh(r)` and `cosh(r) - 1`.
    sinh_of_rest: Float<'c>,
    cosh_of_rest: Float<'c>,
}

/// The terms for `|x|`. Fits `sinh_f32`, `sinh_f64`, `cosh_f32` and `cosh_f64` (errors below 2^-33 and 2^-64).
fn parts(x: Float<'_>) -> HyperbolicParts<'_> {
    let on = x.on;
    let format = on.format;
    let (highest, sinh, cosh): (f64, &[f64], &[f64]) = match format {
        Format::F32 => (89.5, &[0.16666667, 0.008333175, 0.00019974088], &[0.5, 0.04166646, 0.0013935426]),
        Format::F64 => (
            710.5,
            &[
                0.16666666666666666,
                0.008333333333334428,
                0.00019841269837066257,
                2.7557326272043717e-06,
                2.5046735489806752e-08,
                1.7593872839338337e-10,
            ],
            &[
                0.5,
                0.041666666666666685,
                0.0013888888888873316,
                2.4801587349055983e-05,
                2.7557252011565293e-07,
                2.092169210367775e-09,
            ],
        ),
    };
    let (exponent, r) = reduced(x.magnitude().at_most(highest));
    let up = (exponent - 2).power_of_two();
    // The bits of 2^k and of 2^-k have the same sum for all k. For the largest k, this makes 2^-k zero.
    let down = (on.integer((2 * format.bias()) << format.fraction()) - up.bits()).as_float() * 0.0625;
    let square = r * r;
    HyperbolicParts {
        exponent,
        sinh: up - down,
        cosh: up + down,
        sinh_of_rest: (square * r).multiply_add(square.polynomial(sinh), r),
        cosh_of_rest: square * square.polynomial(cosh),
    }
}

/// `sinh`: below 2.5 ulp.
pub fn sinh(x: Float<'_>) -> Float<'_> {
    let parts = parts(x);
    let half = parts.sinh + parts.cosh.multiply_add(parts.sinh_of_rest, parts.sinh * parts.cosh_of_rest);
    parts.exponent.equals(0).select(parts.sinh_of_rest, half + half).with_sign_of(x)
}

/// `cosh`: below 2 ulp.
pub fn cosh(x: Float<'_>) -> Float<'_> {
    let parts = parts(x);
    let half = parts.cosh + parts.sinh.multiply_add(parts.sinh_of_rest, parts.cosh * parts.cosh_of_rest);
    half + half
}
