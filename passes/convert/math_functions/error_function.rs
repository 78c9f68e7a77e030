//! The error function and its complement.
use super::{
    exponential::{expm1_of_rest, reduced, scaled},
    value::{Float, Format},
};

/// `erf`: below 2 ulp. Near 0, it is [`near`]. Beyond, it is `1 - q(x)^8` in f32, where the polynomial q approximates
/// the eighth root of `erfc`: q is smooth, and its rounding errors are small compared to 1. The idea of a power of a
/// polynomial is from C. Hastings, Approximations for Digital Computers, 1955, sheet 43. Fits `erfc_root_f32` (error
/// 2^-29). In f64, it is `1 - erfc(x)`.
pub fn erf(x: Float<'_>) -> Float<'_> {
    let magnitude = x.magnitude();
    let (limit, far) = match x.on.format {
        Format::F32 => {
            let coefficients = [
                1.0008458,
                -0.14485809,
                -0.062241696,
                -0.010129494,
                0.011950277,
                -0.0020508731,
                5.623747e-05,
                8.515972e-06,
            ];
            let root = magnitude.at_most(4.0).polynomial(&coefficients);
            let second = root * root;
            let fourth = second * second;
            (1.2, 1.0 - fourth * fourth)
        }
        Format::F64 => (0.85, 1.0 - far(magnitude)),
    };
    magnitude.is_below(limit).select(near(magnitude), far).with_sign_of(x)
}

/// `erfc`: below 4 ulp. `1 - erf(x)` while `erf` is below 1/2.
pub fn erfc(x: Float<'_>) -> Float<'_> {
    let magnitude = x.magnitude();
    let positive = far(magnitude);
    let far = x.is_below(0.0).select(2.0 - positive, positive);
    magnitude.is_below(0.47).select(1.0 - near(x), far)
}

/// `erf` up to 1.2 (f32) or 0.85 (f64): a polynomial. Fits `erf_f32` (error 2^-29) and `erf_f64` (2^-56).
fn near(x: Float<'_>) -> Float<'_> {
    let coefficients: &[f64] = match x.on.format {
        Format::F32 => {
            &[0.12837917, -0.3761263, 0.112836584, -0.0268595, 0.005207499, -0.0008324144, 0.00010317108, -7.424138e-06]
        }
        Format::F64 => &[
            0.1283791670955126,
            -0.3761263890318415,
            0.11283791670976001,
            -0.02686617064943777,
            0.005223977671047933,
            -0.0008548329839939736,
            0.00012055441203529951,
            -1.4928308704255496e-05,
            1.6503658799335812e-06,
            -1.6760146257422254e-07,
            1.6787936239082978e-08,
            -1.5183692626124852e-09,
        ],
    };
    x.multiply_add((x * x).polynomial(coefficients), x)
}

/// `erfc` of numbers that are not negative: `exp(-x^2) q(t) / (1 + 2 x)`, where q is a polynomial, and
/// `t = (x - k) / (x + k)` (M. Shepherd and J. Laframboise, Chebyshev approximation of (1 + 2x) exp(x^2) erfc x in
/// 0 <= x < infinity, 1981). The square of x is split into the exact square of a number with few bits and the
/// remainder. Fits `erfc_f32` (error 2^-25) and `erfc_f64` (2^-54).
fn far(x: Float<'_>) -> Float<'_> {
    let (k, unused, highest, coefficients): (f64, u32, f64, &[f64]) = match x.on.format {
        Format::F32 => (
            2.0,
            12,
            10.3,
            &[
                1.2769784,
                -0.09276415,
                -0.16603005,
                0.16405779,
                -0.054217063,
                -0.008072684,
                0.00866899,
                0.0013453896,
                -0.0012645215,
                -0.000430638,
            ],
        ),
        Format::F64 => (
            3.0,
            27,
            27.3,
            &[
                1.2530080582697296,
                -0.1356211061245807,
                -0.04756229435343746,
                0.12964515870271223,
                -0.11927366341596603,
                0.0683080273454157,
                -0.023770514905960754,
                0.0025293917965785607,
                0.001888690233221007,
                -0.0007798321262519034,
                -0.00010515906499052254,
                0.00012509868392280283,
                4.946782286777436e-06,
                -2.0098566570841725e-05,
                -7.250028821731619e-07,
                3.4683269377312754e-06,
                3.4638768427271436e-07,
                -6.108275954914e-07,
                -1.3033108027791795e-07,
                9.618145576341098e-08,
                3.3681797986090096e-08,
                -9.857589428021932e-09,
                -4.7459680474965574e-09,
            ],
        ),
    };
    let x = x.at_most(highest);
    let t = (x - k) / (x + k);
    let few = x.without_last_bits(unused);
    let (n, r) = reduced(-(few * few));
    let exponential = expm1_of_rest(r - (x - few) * (x + few));
    let q = t.polynomial(coefficients);
    scaled(q.multiply_add(exponential, q) / x.multiply_add(2.0, 1.0), n)
}
