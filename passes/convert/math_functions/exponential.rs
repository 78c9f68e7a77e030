//! The exponential functions and `tanh`.
//!
//! An argument is the nearest multiple of ln 2 and a rest of at most half of ln 2 (W. J. Cody and W. Waite, Software
//! Manual for the Elementary Functions, 1980, chapter 6): `exp(n ln 2 + r) = 2^n exp(r)`. The multiple is subtracted in
//! two parts, of which the first has so few bits that its products are exact. `exp(r)` is a polynomial computed by
//! `scripts/math/minimax.py`.
use super::value::{Float, Format, Integer};

/// The integer nearest to the product, as a float and as an integer. It must be small compared to [`Format::magic`].
pub fn nearest(x: Float<'_>, factor: f64) -> (Float<'_>, Integer<'_>) {
    let magic = x.on.format.magic();
    let shifted = if factor == 1.0 { x + magic } else { x.multiply_add(factor, magic) };
    (shifted - magic, shifted.bits() - x.on.float(magic).bits())
}

/// Reduces `x = n ln 2 + r`: the integer n, and r.
pub fn reduced(x: Float<'_>) -> (Integer<'_>, Float<'_>) {
    let (n, integer) = nearest(x, std::f64::consts::LOG2_E);
    let [high, low] = ln_2(x.on.format);
    (integer, n.multiply_add(-low, n.multiply_add(-high, x)))
}

/// ln 2 in two parts. The first has 12 or 32 bits.
pub fn ln_2(format: Format) -> [f64; 2] {
    match format {
        Format::F32 => [0.693115234375, 3.1946184945309415e-05],
        Format::F64 => [0.6931471803691238, 1.9082149292705877e-10],
    }
}

/// `exp(r) - 1` for r of at most half of ln 2.
pub fn expm1_of_rest(r: Float<'_>) -> Float<'_> {
    (r * r).multiply_add(beyond_line(r), r)
}

/// `(exp(r) - 1 - r) / r^2`. Fits `exp_f32` (error 2^-28) and `exp_f64` (2^-63).
pub fn beyond_line(r: Float<'_>) -> Float<'_> {
    let coefficients: &[f64] = match r.on.format {
        Format::F32 => &[0.49999994, 0.16666517, 0.041668106, 0.008369201, 0.0013838663],
        Format::F64 => &[
            0.5,
            0.16666666666666688,
            0.041666666666666824,
            0.00833333333331389,
            0.0013888888888778453,
            0.00019841269903367884,
            2.480158755649571e-05,
            2.7557228695307114e-06,
            2.755707182970275e-07,
            2.511392481977143e-08,
            2.097591113463785e-09,
        ],
    };
    r.polynomial(coefficients)
}

/// `y` times a power of two. The exponent may be up to twice the largest exponent: the factor is applied in two halves,
/// so that a subnormal result is rounded once.
pub fn scaled<'c>(y: Float<'c>, exponent: Integer<'c>) -> Float<'c> {
    let half = exponent.shifted_right(1);
    y * half.power_of_two() * (exponent - half).power_of_two()
}

/// `exp`: below 1.1 ulp. Beyond the limits the result is infinite or zero.
pub fn exp(x: Float<'_>) -> Float<'_> {
    let (lowest, highest) = if x.on.format == Format::F32 { (-104.0, 89.0) } else { (-746.0, 710.0) };
    let (n, r) = reduced(x.at_least(lowest).at_most(highest));
    scaled(expm1_of_rest(r) + 1.0, n)
}

/// `exp2`: as [`exp`], of the distance to the nearest integer times ln 2.
pub fn exp2(x: Float<'_>) -> Float<'_> {
    let (lowest, highest) = if x.on.format == Format::F32 { (-151.0, 129.0) } else { (-1076.0, 1025.0) };
    let x = x.at_least(lowest).at_most(highest);
    let (n, integer) = nearest(x, 1.0);
    scaled(expm1_of_rest((x - n) * std::f64::consts::LN_2) + 1.0, integer)
}

/// `tanh`, monotone: near 0 a polynomial that adds less than a quarter of x to x; elsewhere `1 - 2 / (exp(2 |x|) + 1)`,
/// all of whose operations are monotone. Fits `tanh_f32` (error 2^-27) and `tanh_f64` (2^-57).
pub fn tanh(x: Float<'_>) -> Float<'_> {
    let (coefficients, largest): (&[f64], f64) = match x.on.format {
        Format::F32 => (&[-0.3333332, 0.13332257, -0.053707696, 0.019349515], 9.5),
        Format::F64 => {
            let coefficients = &[
                -0.3333333333333333,
                0.13333333333332711,
                -0.05396825396753264,
                0.021869488494938985,
                -0.008863234186836459,
                0.003592101252461858,
                -0.0014554978529479708,
                0.0005873714056427154,
                -0.00022646107010904795,
                6.367051674168745e-05,
            ];
            (coefficients, 19.5)
        }
    };
    let magnitude = x.magnitude();
    let square = x * x;
    let near = (magnitude * square).multiply_add(square.polynomial(coefficients), magnitude);
    let (n, r) = reduced((magnitude + magnitude).at_most(2.0 * largest));
    let exponential = (expm1_of_rest(r) + 1.0) * n.power_of_two();
    let far = 1.0 - 2.0 / (exponential + 1.0);
    magnitude.is_below(0.35).select(near, far).with_sign_of(x)
}
