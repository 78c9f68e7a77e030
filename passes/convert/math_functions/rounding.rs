//! Rounding to integers, for processors without instructions for it: x86 before SSE4.1.
//!
//! Adding and subtracting a number that is too large to store a fraction rounds to the nearest integer. Larger numbers
//! are integers.
use super::value::Float;

/// The number from which on all floats are integers.
fn whole(x: Float<'_>) -> f64 {
    f64::from(x.on.format.fraction()).exp2()
}

/// A function of the nearest integer (ties to even), with the sign of x; x itself if it is an integer or NaN.
fn rounded<'c>(x: Float<'c>, change: impl FnOnce(Float<'c>) -> Float<'c>) -> Float<'c> {
    let (magnitude, whole) = (x.magnitude(), whole(x));
    let nearest = (magnitude + whole - whole).with_sign_of(x);
    magnitude.is_below(whole).select(change(nearest).with_sign_of(x), x)
}

/// `roundeven`.
pub fn round_even(x: Float<'_>) -> Float<'_> {
    rounded(x, |nearest| nearest)
}

/// `floor`.
pub fn floor(x: Float<'_>) -> Float<'_> {
    rounded(x, |nearest| nearest - nearest.exceeds(x).select(1.0, 0.0))
}

/// `ceil`.
pub fn ceil(x: Float<'_>) -> Float<'_> {
    rounded(x, |nearest| nearest + nearest.is_below(x).select(1.0, 0.0))
}

/// `trunc`.
pub fn trunc(x: Float<'_>) -> Float<'_> {
    rounded(x, |nearest| {
        let (nearest, magnitude) = (nearest.magnitude(), x.magnitude());
        nearest - nearest.exceeds(magnitude).select(1.0, 0.0)
    })
}

/// `round`: ties away from zero.
pub fn round(x: Float<'_>) -> Float<'_> {
    rounded(x, |nearest| {
        let (nearest, magnitude) = (nearest.magnitude(), x.magnitude());
        nearest + (magnitude - nearest).equals(0.5).select(1.0, 0.0)
    })
}
