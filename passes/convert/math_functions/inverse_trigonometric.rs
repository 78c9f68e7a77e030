//! The inverse trigonometric functions.
//!
//! `asin` and `acos` are a polynomial up to 1/2, and beyond, by `asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2))`, the
//! polynomial of a smaller number, as in fdlibm (Sun Microsystems, 1993, `e_asin.c`). The arctangent of a quotient of
//! at most 1 is a polynomial up to 1/2, and beyond the polynomial in `atan(n / d) = pi/4 + atan((n - d) / (n + d))`,
//! where the difference is exact (P. Sterbenz, Floating-Point Computation, 1974), so that there is one division.
//! Multiples of pi/2 and pi/4 are added in two parts, the small ones first.
use super::value::{Boolean, Float, Format};

/// pi/2 as a sum of two parts.
fn half_pi(format: Format) -> [f64; 2] {
    match format {
        Format::F32 => [1.5707963705062866, -4.371139000186243e-08],
        Format::F64 => [std::f64::consts::FRAC_PI_2, 6.123233995736766e-17],
    }
}

/// The terms of `asin` and `acos`.
struct Arcsine<'c> {
    /// True if `|x|` exceeds 1/2.
    is_large: Boolean<'c>,
    /// `|x|`, or the square root of `(1 - |x|) / 2`, and by how much its arcsine is larger.
    argument: Float<'c>,
    more: Float<'c>,
}

/// The terms for an argument. Fits `asin_f32` (error 2^-27) and `asin_f64` (2^-55).
fn arcsine(x: Float<'_>) -> Arcsine<'_> {
    let coefficients: &[f64] = match x.on.format {
        Format::F32 => &[0.16666752, 0.074953094, 0.045469154, 0.024184741, 0.042158395],
        Format::F64 => &[
            0.16666666666665408,
            0.07500000000337119,
            0.04464285682824607,
            0.030381959140310503,
            0.022371757970204454,
            0.01735970598172416,
            0.013885223321276176,
            0.012169292169888532,
            0.006527623314286144,
            0.01952923918465158,
            -0.016225799113475704,
            0.03191334256100274,
        ],
    };
    let magnitude = x.magnitude();
    let is_large = magnitude.exceeds(0.5);
    let square = is_large.select((1.0 - magnitude) * 0.5, x * x);
    let argument = is_large.select(square.square_root(), magnitude);
    Arcsine { is_large, argument, more: argument * square * square.polynomial(coefficients) }
}

/// `asin`: below 2.5 ulp.
pub fn asin(x: Float<'_>) -> Float<'_> {
    let Arcsine { is_large, argument, more } = arcsine(x);
    let [high, low] = half_pi(x.on.format);
    let far = (high - (argument + argument)) + (low - (more + more));
    is_large.select(far, argument + more).with_sign_of(x)
}

/// `acos`: below 2 ulp.
pub fn acos<'c>(x: Float<'c>) -> Float<'c> {
    let Arcsine { is_large, argument, more } = arcsine(x);
    let [high, low] = half_pi(x.on.format);
    let is_negative = x.is_below(0.0);
    let signed = |value: Float<'c>| {
        let value = is_large.select(value + value, -value);
        is_negative.select(-value, value)
    };
    // Zero, one or two times pi/2.
    let multiple = is_large.select(is_negative.select(x.on.float(2.0), 0.0), 1.0);
    multiple.multiply_add(high, signed(argument)) + multiple.multiply_add(low, signed(more))
}

/// An arctangent as `quarters pi/4 + rest`.
struct Arctangent<'c> {
    quarters: Float<'c>,
    rest: Float<'c>,
}

/// The arctangent of a quotient of at most 1. Fits `atan_f32` (error 2^-31) and `atan_f64` (2^-57).
fn arctangent<'c>(numerator: Float<'c>, denominator: Float<'c>) -> Arctangent<'c> {
    let on = numerator.on;
    let coefficients: &[f64] = match on.format {
        Format::F32 => &[-0.33333328, 0.19999555, -0.14273107, 0.10948411, -0.08009076, 0.039042152],
        Format::F64 => &[
            -0.3333333333333298,
            0.19999999999903104,
            -0.14285714276384878,
            0.11111110659575148,
            -0.0909089624284333,
            0.07692073878486858,
            -0.06663810234666705,
            0.05858296156853297,
            -0.05121992979120961,
            0.04186467324714999,
            -0.027434345441212732,
            0.010116421180428815,
        ],
    };
    let is_large = (numerator + numerator).exceeds(denominator);
    let ratio =
        is_large.select(numerator - denominator, numerator) / is_large.select(numerator + denominator, denominator);
    let square = ratio * ratio;
    let rest = (ratio * square).multiply_add(square.polynomial(coefficients), ratio);
    Arctangent { quarters: is_large.select(on.float(1.0), 0.0), rest }
}

impl<'c> Arctangent<'c> {
    /// `quarters pi/4` minus `self` where the condition is true, `self` elsewhere.
    fn taken_from(self, quarters: f64, condition: Boolean<'c>) -> Self {
        Self {
            quarters: condition.select(quarters - self.quarters, self.quarters),
            rest: condition.select(-self.rest, self.rest),
        }
    }

    fn sum(self) -> Float<'c> {
        let [high, low] = half_pi(self.rest.on.format);
        self.quarters * (high * 0.5) + self.quarters.multiply_add(low * 0.5, self.rest)
    }
}

/// `atan`: below 2 ulp.
pub fn atan(x: Float<'_>) -> Float<'_> {
    let magnitude = x.magnitude();
    let is_steep = magnitude.exceeds(1.0);
    let numerator = is_steep.select(1.0, magnitude);
    let denominator = is_steep.select(magnitude, 1.0);
    arctangent(numerator, denominator).taken_from(2.0, is_steep).sum().with_sign_of(x)
}

/// `atan2`: below 2.5 ulp.
pub fn atan2<'c>(y: Float<'c>, x: Float<'c>) -> Float<'c> {
    let on = x.on;
    let is_steep = y.magnitude().exceeds(x.magnitude());
    let smaller = is_steep.select(x.magnitude(), y.magnitude());
    let larger = is_steep.select(y.magnitude(), x.magnitude());
    // The quotient of infinities is 1, that of zeros 0, and the sum of large numbers must be finite.
    let is_infinite = larger.equals(f64::INFINITY);
    let scale = larger.exceeds(2f64.powi(on.format.bias() as i32 - 2)).select(on.float(0.0625), 1.0);
    let limit = is_infinite.select(smaller.equals(f64::INFINITY).select(on.float(1.0), 0.0), smaller * scale);
    let larger = (is_infinite | larger.equals(0.0)).select(1.0, larger * scale);
    let angle = arctangent(limit, larger).taken_from(2.0, is_steep).taken_from(4.0, x.bits().is_below(0));
    let is_nan = x.is_nan() | y.is_nan();
    is_nan.select(f64::NAN, angle.sum().with_sign_of(y))
}
