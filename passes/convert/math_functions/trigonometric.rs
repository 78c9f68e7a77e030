//! The trigonometric functions.
//!
//! An argument is the nearest multiple of pi/2 and a rest of at most pi/4, see [`reduction`](super::reduction). The
//! sine and the cosine of the rest are polynomials computed by `scripts/math/minimax.py`. The last two bits of the multiple
//! determine which of them is the result, and its sign (J.-M. Muller, Elementary Functions, chapter 11).
use super::{
    library::Library,
    reduction::{Reduced, reduced},
    value::{Float, Format, Integer},
};

/// `sin` of a reduced argument. Fits `sin_f32` (error 2^-27) and `sin_f64` (2^-57).
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

/// `cos` of a reduced argument. Fits `cos_f32` (error 2^-33) and `cos_f64` (2^-64).
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
    // The rounding error of the sum, which is exact (T. J. Dekker, 1971).
    let lost = 1.0 - near + half;
    near + (square * square).multiply_add(square.polynomial(coefficients), lost)
}

/// Selects the sine, or the cosine if the last bit of the quadrant is set, and negates it if the second last bit is
/// set.
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

/// `tan`: below 3 ulp. The quotient of sine and cosine, or the negated quotient of cosine and sine.
pub fn tan<'c>(library: &Library<'c>, x: Float<'c>) -> Float<'c> {
    let Reduced { quadrant, rest } = reduced(library, x);
    let (sine, cosine) = (sin_of_rest(rest), cos_of_rest(rest));
    let is_even = (quadrant & 1).equals(0);
    is_even.select(sine, -cosine) / is_even.select(cosine, sine)
}
