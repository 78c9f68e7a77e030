//! Results that are exact up to a rounding to 64 bits, and the distance of floats from them in ULPs.
use mdh_tools::array::Element;

/// An exact result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Exact {
    /// NaN.
    NotANumber,
    /// A signed infinity.
    Infinite {
        /// The sign.
        negative: bool,
    },
    /// A signed zero.
    Zero {
        /// The sign.
        negative: bool,
    },
    /// A nonzero number `digits / 2^64 * 2^exponent`. The leading bit of `digits` is 1, so the fraction is in [1/2, 1).
    Finite {
        /// The sign.
        negative: bool,
        /// The exponent.
        exponent: i64,
        /// The significand.
        digits: u64,
    },
}

/// A float format: number of significand bits, exponent of the smallest denormal, and the least power of two that
/// overflows (as exponents).
struct Format {
    digits: i64,
    smallest: i64,
    largest: i64,
}

impl Format {
    fn of(element: Element) -> Self {
        let (digits, smallest, largest) = match element {
            Element::F16 => (11, -24, 16),
            Element::Bf16 => (8, -133, 128),
            Element::F32 => (24, -149, 128),
            _ => (53, -1074, 1024),
        };
        Self { digits, smallest, largest }
    }
}

impl Exact {
    /// Converts a float exactly.
    pub fn of(value: f64) -> Self {
        let negative = value.is_sign_negative();
        let (biased, low) = (value.to_bits() >> 52 & 0x7ff, value.to_bits() & ((1 << 52) - 1));
        match (biased, low) {
            (0x7ff, 0) => Self::Infinite { negative },
            (0x7ff, _) => Self::NotANumber,
            (0, 0) => Self::Zero { negative },
            _ => {
                let (digits, exponent) = if biased == 0 { (low, 1) } else { (low | 1 << 52, biased as i64) };
                let unused = digits.leading_zeros();
                Self::Finite { negative, exponent: exponent - 1011 - i64::from(unused), digits: digits << unused }
            }
        }
    }

    /// The distance of `value`, a float of a type, from the exact result, in units of the last place of the type at the
    /// magnitude of the exact result. `None` if they differ by more than rounding: infinities, signs, zeros, or NaN.
    pub fn distance(&self, value: f64, element: Element) -> Option<f64> {
        let format = Format::of(element);
        let (negative, exponent, digits) = match *self {
            Self::NotANumber => return value.is_nan().then_some(0.0),
            Self::Infinite { negative } => {
                return (value.is_infinite() && value.is_sign_negative() == negative).then_some(0.0);
            }
            Self::Zero { negative } => return (value == 0.0 && value.is_sign_negative() == negative).then_some(0.0),
            Self::Finite { negative, exponent, digits } => (negative, exponent, digits),
        };
        if value.is_nan() || value.is_sign_negative() != negative {
            return None;
        }
        let place = (exponent.min(format.largest) - format.digits).max(format.smallest);
        // The significand in two halves, because an `f64` cannot represent all its 64 bits.
        let half = |digits: u64| scaled(digits as f64, exponent - 64 - place);
        let (high, low) = (half(digits >> 32 << 32), half(digits & 0xffff_ffff));
        if value.is_infinite() {
            // An infinity counts as the float after the largest one. It is right if the exact result rounds to it.
            let distance = scaled(1.0, format.digits) - high - low;
            return Some(if distance <= 0.5 { 0.0 } else { distance });
        }
        Some((scaled(value.abs(), -place) - high - low).abs())
    }
}

/// Returns `value * 2^exponent`, scaled in steps such that no intermediate result overflows or underflows before the
/// result does.
fn scaled(value: f64, exponent: i64) -> f64 {
    let exponent = exponent.clamp(-4000, 4000) as i32;
    (0..4).map(|i| (exponent + i) >> 2).fold(value, |value, part| value * 2f64.powi(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_exact() {
        for element in [Element::F16, Element::Bf16, Element::F32, Element::F64] {
            for value in [1.0, -1.5, 0.0, -0.0, f64::INFINITY, f64::NAN, 2f64.powi(-24), 65504.0] {
                let value = element.to_f64(element.from_f64(value));
                assert_eq!(Exact::of(value).distance(value, element), Some(0.0), "{value} as {element}");
            }
        }
        assert_eq!(Exact::of(f64::from_bits(1)).distance(f64::from_bits(3), Element::F64), Some(2.0));
        assert_eq!(Exact::of(f64::MAX).distance(f64::MAX.next_down(), Element::F64), Some(1.0));
    }

    #[test]
    fn distances_are_those_of_the_type() {
        let one = Exact::of(1.0);
        assert_eq!(one.distance(1.0 + f64::EPSILON, Element::F64), Some(1.0));
        assert_eq!(one.distance(1.0 + f64::from(f32::EPSILON), Element::F32), Some(1.0));
        assert_eq!(one.distance(1.0 + 2f64.powi(-7), Element::Bf16), Some(1.0));
        // A quarter of a unit of the last place above 1.
        let between = Exact::Finite { negative: false, exponent: 1, digits: 1 << 63 | 1 << 9 };
        assert_eq!(between.distance(1.0, Element::F64), Some(0.25));
        assert_eq!(between.distance(1.0 + f64::EPSILON, Element::F64), Some(0.75));
    }

    #[test]
    fn what_is_no_matter_of_rounding_has_no_distance() {
        assert_eq!(Exact::of(0.0).distance(-0.0, Element::F64), None);
        assert_eq!(Exact::of(1.0).distance(f64::NAN, Element::F64), None);
        assert_eq!(Exact::of(f64::INFINITY).distance(f64::MAX, Element::F64), None);
        assert_eq!(Exact::of(-1.0).distance(1.0, Element::F32), None);
        assert_eq!(Exact::NotANumber.distance(f64::NAN, Element::F32), Some(0.0));
    }

    #[test]
    fn infinities_are_right_where_rounding_gives_them() {
        let large = Exact::Finite { negative: false, exponent: 1100, digits: 1 << 63 };
        assert_eq!(large.distance(f64::INFINITY, Element::F64), Some(0.0));
        assert!(large.distance(f64::MAX, Element::F64).is_some_and(|distance| distance > 1e15));
        assert_eq!(Exact::of(f64::MAX).distance(f64::INFINITY, Element::F64), Some(1.0));
        assert_eq!(Exact::of(65520.0).distance(f64::INFINITY, Element::F16), Some(0.0));
        assert_eq!(Exact::of(65519.0).distance(f64::INFINITY, Element::F16).map(|d| d > 0.5), Some(true));
    }
}
