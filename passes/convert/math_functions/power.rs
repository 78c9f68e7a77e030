//! Powers: `2^(y log2(|x|))`, with the sign of the result.
//!
//! The product `y log2(|x|)` may be as large as 1024, and must be exact to as many fraction digits as the result has.
//! In f32, it is computed in f64. In f64, the logarithm and all values derived from it are sums of two parts, of which
//! the first has at most 26 bits, so that products of first parts are exact on all processors. The formulas are after
//! fdlibm (Sun Microsystems, 1993, `e_pow.c`), without its table.
use super::{
    exponential::{beyond_line, nearest, scaled},
    logarithm::exponent_and_fraction,
    value::{Boolean, Float, Format},
};

/// The number of fraction bits of an f64 that are not in the first part.
const LOW_PART_BITS: u32 = 27;

/// A bound of the exponent: powers with a larger exponent differ from that with this one only in their sign.
const MAX_EXPONENT: f64 = (1_u128 << 64) as f64;

/// `powf`: below 1 ulp in f32, 2 ulp in f64. The exponent may have more bits than the base, such as the integer
/// exponent of `fpowi`.
pub fn powf<'c>(x: Float<'c>, y: Float<'c>) -> Float<'c> {
    let limited = y.at_most(MAX_EXPONENT).at_least(-MAX_EXPONENT);
    let power = match x.on.format {
        Format::F32 if y.on.format == Format::F32 => power_f32(x.magnitude(), limited.widened()),
        Format::F32 => power_f32(x.magnitude(), limited),
        Format::F64 => power_f64(x.magnitude(), limited),
    };
    with_special(x, y, power)
}

/// Constant exponents whose powers are a few products, a quotient or a square root.
pub const KNOWN_EXPONENTS: [f64; 5] = [-1.0, 0.5, 1.0, 2.0, 3.0];

/// A power with one of [`KNOWN_EXPONENTS`]; other exponents use [`powf`].
pub fn with_known_exponent(x: Float<'_>, exponent: f64) -> Float<'_> {
    match exponent {
        -1.0 => 1.0 / x,
        // Unlike the square root, the power of -0 is +0, and that of -infinity is +infinity.
        0.5 => x.equals(f64::NEG_INFINITY).select(f64::INFINITY, x.square_root()) + 0.0,
        1.0 => x,
        2.0 => x * x,
        3.0 => x * x * x,
        _ => powf(x, x.on.float(exponent)),
    }
}

/// True if a number that is not negative is an integer.
fn is_integer(x: Float<'_>) -> Boolean<'_> {
    let whole = f64::from(x.on.format.fraction()).exp2();
    x.exceeds(whole) | (x + whole - whole).equals(x)
}

/// The power, given that of `|x|`, with the special cases of the C standard, annex F.
fn with_special<'c>(x: Float<'c>, y: Float<'c>, power: Float<'c>) -> Float<'c> {
    let (magnitude, exponent) = (x.magnitude(), y.magnitude());
    let is_whole = is_integer(exponent);
    let is_odd = is_whole & !is_integer(exponent * 0.5);
    let is_zero = magnitude.equals(0.0);
    let is_infinite = magnitude.equals(f64::INFINITY);
    let is_falling = y.is_below(0.0);
    let end = ((is_zero & is_falling) | (is_infinite & !is_falling)).select(x.on.float(f64::INFINITY), 0.0);
    let power = (is_zero | is_infinite).select(end, power);
    let power = (is_odd & x.bits().is_below(0)).select(-power, power);
    let is_outside = x.is_below(0.0) & !is_infinite & !is_whole;
    let power = (is_outside | x.is_nan() | y.is_nan()).select(f64::NAN, power);
    (y.equals(0.0) | x.equals(1.0)).select(1.0, power)
}

/// The power of a positive finite number, with an exponent in f64. Fits `pow_log2_f32` (error 2^-37) and `pow_exp2_f32`
/// (2^-28).
fn power_f32<'c>(x: Float<'c>, y: Float<'c>) -> Float<'c> {
    let logarithm =
        [2.8853900817901694, 0.961796673227926, 0.5770836082312535, 0.41167124187731174, 0.3407588046394459];
    let power = [
        1.0,
        0.6931472149761493,
        0.24022652786736146,
        0.0555031053634739,
        0.009617692383148732,
        0.001340664868013267,
        0.00015594858243228927,
    ];
    let (exponent, fraction) = exponent_and_fraction(x);
    let fraction = fraction.widened();
    let s = fraction / (fraction + 2.0);
    let logarithm = s.multiply_add((s * s).polynomial(&logarithm), exponent.widened());
    let product = (y * logarithm).at_most(200.0).at_least(-200.0);
    let (n, integer) = nearest(product, 1.0);
    ((product - n).polynomial(&power) * integer.power_of_two()).narrowed()
}

/// An unevaluated sum of two parts.
#[derive(Clone, Copy)]
struct Sum<'c> {
    first: Float<'c>,
    second: Float<'c>,
}

/// Splits the sum of a large and a small number into two parts.
fn sum<'c>(large: Float<'c>, small: Float<'c>) -> Sum<'c> {
    let first = (large + small).without_last_bits(LOW_PART_BITS);
    Sum { first, second: small - (first - large) }
}

/// The binary logarithm of a positive finite number, with a relative error below 2^-62. Fits `pow_log2_f64` (error
/// 2^-66).
fn logarithm(x: Float<'_>) -> Sum<'_> {
    let coefficients = [
        0.6000000000000341,
        0.428571428551375,
        0.3333333378220109,
        0.2727267633235071,
        0.2308014670842996,
        0.198849632108821,
        0.197970578205051,
    ];
    // 2 / (3 ln 2).
    let (scale, scale_first, scale_second) = (0.9617966939259756, 0.9617966860532761, 7.872699542894897e-09);
    let (exponent, fraction) = exponent_and_fraction(x);
    let divisor = fraction + 2.0;
    let inverse = 1.0 / divisor;
    let s = fraction * inverse;
    let s_first = s.without_last_bits(LOW_PART_BITS);
    let divisor_first = divisor.without_last_bits(LOW_PART_BITS);
    let divisor_second = fraction - (divisor_first - 2.0);
    let s_second = inverse * (fraction - s_first * divisor_first - s_first * divisor_second);
    let square = s * s;
    let square_first = s_first * s_first;
    let rest = s_second * (s_first + s) + square * square * square.polynomial(&coefficients);
    let factor_first = (square_first + 3.0 + rest).without_last_bits(LOW_PART_BITS);
    let factor_second = rest - (factor_first - 3.0 - square_first);
    let product = sum(s_first * factor_first, s_second * factor_first + factor_second * s);
    let first = product.first * scale_first;
    let second = product.first * scale_second + product.second * scale;
    let with_exponent = (first + second + exponent).without_last_bits(LOW_PART_BITS);
    Sum { first: with_exponent, second: second - (with_exponent - exponent - first) }
}

/// The power of a positive finite number.
fn power_f64<'c>(x: Float<'c>, y: Float<'c>) -> Float<'c> {
    let logarithm = logarithm(x);
    let y_first = y.without_last_bits(LOW_PART_BITS);
    let first = y_first * logarithm.first;
    let second = (y - y_first) * logarithm.first + y * logarithm.second;
    // Beyond this limit, the result is infinite or zero.
    let product = first + second;
    let is_inside = product.magnitude().is_below(1100.0);
    let first = is_inside.select(first, x.on.float(1100.0).with_sign_of(product));
    let second = is_inside.select(second, 0.0);
    let (n, integer) = nearest(first + second, 1.0);
    let rest = sum(first - n, second);
    // ln 2 in two parts.
    let large = rest.first * 0.6931471675634384;
    let small = rest.second * std::f64::consts::LN_2 + rest.first * 1.2996506893889889e-08;
    let r = large + small;
    let lost = small - (r - large);
    // The rounding error of the sum with 1 is exact, so that powers that are floats have no error.
    let sum = r + 1.0;
    let lost = lost + (1.0 - sum + r);
    scaled(sum + (r * r).multiply_add(beyond_line(r), lost), integer)
}
