//! The circular functions.
//!
//! An argument is the nearest multiple of pi/2 and a rest of at most pi/4, [`reduction`](super::reduction). The sine and the cosine of the
//! rest are polynomials by `scripts/minimax.py`; which of them is the result, and its sign, follows from the last two bits of the multiple
//! (J.-M. Muller, Elementary Functions, chapter 11).
use super::{
    library::Library,
    reduction::{Reduced, reduced},
    value::{Float, Format, Integer},
};

/// `sin` of a rest. Fits `sin_f32` (error 2^-27) and `sin_f64` (2^-57).
fn sin_of_rest(r: Float<'_>) -> Float<'_> {
    let coefficients: &[f64] = match r.on.format {
        Format::F32 => &[-0.16666655, 0.008332189, -0.00019518283],
        Format::F64 => &[
            -0.1666666666666663,
            0.00833333333332184,
            -0.0001984126982935836,
            2.7557313538388348e-06,
            -2.5050734359659528e-08,
            1.5895431069414438e-10,
        ],
    };
    let square = r * r;
    (r * square).multiply_add(square.polynomial(coefficients), r).with_sign_of(r)
}

/// `cos` of a rest. Fits `cos_f32` (error 2^-33) and `cos_f64` (2^-64).
fn cos_of_rest(r: Float<'_>) -> Float<'_> {
    let coefficients: &[f64] = match r.on.format {
        Format::F32 => &[0.041666646, -0.0013887301, 2.4430674e-05],
        Format::F64 => &[
            0.0416666666666666,
            -0.001388888888887447,
            2.480158728966689e-05,
            -2.7557314399251074e-07,
            2.0875728990430395e-09,
            -1.135991701821164e-11,
        ],
    };
    let square = r * r;
    let half = square * -0.5;
    let near = half + 1.0;
    // What the sum has lost, exactly (T. J. Dekker, 1971).
    let lost = 1.0 - near + half;
    near + (square * square).multiply_add(square.polynomial(coefficients), lost)
}

/// The sine or the cosine, whose sign changes if the second last bit of an integer is set, and which are exchanged if the last one is.
fn chosen<'c>(quadrant: Integer<'c>, sine: Float<'c>, cosine: Float<'c>) -> Float<'c> {
    let value = (quadrant & 1).equals(0).select(sine, cosine);
    let sign = (quadrant & 2).shifted_left(value.on.format.bits() - 2);
    (value.bits() ^ sign).as_float()
}

/// `sin`: below 2 ulp.
pub fn sin<'c>(library: &Library<'c>, x: Float<'c>) -> Float<'c> {
    let Reduced { quadrant, rest } = reduced(library, x);
    chosen(quadrant, sin_of_rest(rest), cos_of_rest(rest))
}

/// `cos`: as [`sin`].
pub fn cos<'c>(library: &Library<'c>, x: Float<'c>) -> Float<'c> {
    let Reduced { quadrant, rest } = reduced(library, x);
    chosen(quadrant + 1, sin_of_rest(rest), cos_of_rest(rest))
}

/// `sin` and `cos`.
pub fn sincos<'c>(library: &Library<'c>, x: Float<'c>) -> Vec<Float<'c>> {
    let Reduced { quadrant, rest } = reduced(library, x);
    let (sine, cosine) = (sin_of_rest(rest), cos_of_rest(rest));
    vec![chosen(quadrant, sine, cosine), chosen(quadrant + 1, sine, cosine)]
}

/// `tan`: below 3 ulp. The ratio of sine and cosine, or of cosine and sine with another sign.
pub fn tan<'c>(library: &Library<'c>, x: Float<'c>) -> Float<'c> {
    let Reduced { quadrant, rest } = reduced(library, x);
    let (sine, cosine) = (sin_of_rest(rest), cos_of_rest(rest));
    let is_even = (quadrant & 1).equals(0);
    is_even.select(sine, -cosine) / is_even.select(cosine, sine)
}
