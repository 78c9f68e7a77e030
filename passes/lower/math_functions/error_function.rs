//! The error function.
use super::value::Float;

/// `erf` in f32, below 2 ulp: a polynomial up to 1.2, and `1 - q(x)^8` beyond, where the polynomial q is the eighth root of `erfc`: it is
/// smooth, and what its roundings add is small against 1. The idea of a power of a polynomial is of C. Hastings, Approximations for Digital
/// Computers, 1955, sheet 43. Fits `erf_f32` (error 2^-29) and `erfc_root_f32` (2^-29).
pub fn erf(x: Float<'_>) -> Float<'_> {
    let near =
        [0.12837917, -0.3761263, 0.112836584, -0.0268595, 0.0052075023, -0.00083242287, 0.00010317813, -7.4260247e-06];
    let far =
        [1.0008458, -0.14485809, -0.0622417, -0.0101294825, 0.011950263, -0.002050864, 5.6234447e-05, 8.516376e-06];
    let magnitude = x.magnitude();
    let square = x * x;
    let near = magnitude.multiply_add(square.polynomial(&near), magnitude);
    let root = magnitude.at_most(4.0).polynomial(&far);
    let second = root * root;
    let fourth = second * second;
    let far = 1.0 - fourth * fourth;
    magnitude.is_below(1.2).select(near, far).with_sign_of(x)
}
