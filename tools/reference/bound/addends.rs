//! Sums that an engine may compute in any order.
//!
//! The error of a sum of n numbers of type T is at most `n u M`, where `u` is the largest relative error of a rounding
//! and `M` the sum of the magnitudes of the addends (Higham, *Accuracy and Stability of Numerical Algorithms*, 4.2). For
//! large n that says nothing. Three facts about the addends give a smaller bound:
//!
//! - If all addends are multiples of a power of two of which `M` is a small multiple, every partial sum in every order is
//!   exact.
//! - Roundings that are independent of each other mostly cancel: the error exceeds `c sqrt(n) u P`, where `P` bounds the
//!   partial sums, with a probability of at most `2 exp(-c² / 2)`, and in practice much less, because partial sums are
//!   mostly smaller than `P` (Higham and Mary, *A New Approach to Probabilistic Rounding Error Analysis*, SIAM J. Sci.
//!   Comput. 41(5), 2019). [`CONFIDENCE`] is the `c` of this file.
//! - Roundings depend on each other if the addends differ by less than the distance of the numbers next to the sum, such
//!   as in the sum of 0.1 and 0.1 and so on, if a few numbers repeat, or if the sum becomes so large that addends are lost
//!   (stagnation). The first and the last follow from the sums of magnitudes and squares, the second is observed on the
//!   sum of the magnitudes in T. Then the error is proportional to n.
//!
//! The evaluator itself rounds, too, but its own error is known: it is tracked, not estimated.
use super::{epsilon, largest};
use crate::array::Element;

/// The number of standard deviations, at least, that the error of independent roundings may have.
const CONFIDENCE: f64 = 4.0;
/// The number of standard deviations from which on roundings are not independent.
const SIGNIFICANCE: f64 = 3.0;
/// The factor between an observed dependency of roundings and the one that is assumed of other orders.
const MARGIN: f64 = 2.0;
/// The dependency that is assumed of a sum of partial sums, whose roundings in the order of a single loop are not observed.
const ASSUMED: f64 = 0.25;
/// Dependency is observed as long as `n u` is less than this: later, addends are lost whether they are alike or not.
const OBSERVED: f64 = 0.25;

/// What is known of the addends of a sum in any order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Addends {
    /// The number of roundings: one less than there are addends.
    roundings: f64,
    /// The sum of their magnitudes.
    magnitude: f64,
    /// The sum of their squares.
    squares: f64,
    /// Their sum, rounded to f64.
    exact: f64,
    /// Their sum minus the evaluator's.
    deviation: f64,
    /// Their sum with alternating signs, to recognize addends whose partial sums in another order are large.
    alternating: f64,
    /// The sum of their magnitudes, with roundings to the type.
    rounded: f64,
    /// The sum of the squares of all partial sums of it.
    walk: f64,
    /// The largest observed relative error of `rounded` by rounding that independent roundings do not explain.
    drift: f64,
    /// True if some of them were added to each other before they were added to others.
    is_nested: bool,
    /// The largest power of two that divides all of them; 0 if they are not exact.
    unit: f64,
}

impl Addends {
    /// A single addend.
    pub fn of(value: f64, is_exact: bool) -> Self {
        Self {
            roundings: 0.0,
            magnitude: value.abs(),
            squares: value * value,
            exact: value,
            deviation: 0.0,
            alternating: value,
            rounded: value.abs(),
            walk: 0.0,
            drift: 0.0,
            is_nested: false,
            unit: if is_exact { lowest_bit(value) } else { 0.0 },
        }
    }

    /// The sum of their magnitudes.
    pub fn magnitude(&self) -> f64 {
        self.magnitude
    }

    /// The same addends with the other sign.
    pub fn negated(self) -> Self {
        Self { exact: -self.exact, deviation: -self.deviation, alternating: -self.alternating, ..self }
    }

    /// The addends of both, of which the evaluator has computed the sums `values`, and from these the sum `value`.
    pub fn and(&self, other: &Self, element: Element, values: [f64; 2], value: f64) -> Self {
        let roundings = self.roundings + other.roundings + 1.0;
        let magnitude = self.magnitude + other.magnitude;
        let sign = if self.roundings % 2.0 == 0.0 { -1.0 } else { 1.0 };
        let rounded = round(element, self.rounded + other.rounded);
        let unit = epsilon(element) / 2.0;
        // The error of the sum of magnitudes counts if independent roundings do not explain it.
        let observed = (rounded - magnitude).abs() / magnitude;
        let walk = self.walk + other.walk + rounded * rounded;
        let is_early = roundings * unit < OBSERVED;
        let is_dependent = is_early && (rounded - magnitude).abs() > SIGNIFICANCE * unit * walk.sqrt();
        let drift = if is_dependent { observed / roundings } else { 0.0 };
        Self {
            roundings,
            magnitude,
            squares: self.squares + other.squares,
            exact: self.exact + other.exact,
            deviation: self.deviation + other.deviation + lost(values, value),
            alternating: self.alternating + sign * other.alternating,
            rounded,
            walk,
            drift: drift.max(self.drift).max(other.drift),
            is_nested: self.is_nested || other.is_nested || self.roundings * other.roundings > 0.0,
            unit: self.unit.min(other.unit),
        }
    }

    /// How far the sum of an engine may be from the evaluator's; infinite if the type may not hold it.
    pub fn error(&self, element: Element) -> f64 {
        let count = self.roundings;
        let unit = epsilon(element) / 2.0;
        // Infinities and NaN are the same in every order.
        if !self.magnitude.is_finite() || count == 0.0 {
            return 0.0;
        }
        if self.magnitude <= self.unit / unit && self.magnitude <= largest(element) {
            return 0.0;
        }
        let spread = self.squares.sqrt();
        let partial = self.magnitude.min(self.exact.abs() + spread + self.alternating.abs());
        let independent = CONFIDENCE * count.sqrt() * unit * partial;
        // The distance of the numbers next to the partial sums, compared with the addends and their standard deviation.
        let distance = 2.0 * unit * partial;
        let mean_square = self.squares / (count + 1.0);
        let variance = (mean_square - (self.magnitude / (count + 1.0)).powi(2)).max(0.0);
        let is_lost = mean_square.sqrt() < distance;
        // Of addends with a normal distribution, the mean rounding error is half the distance times the exponential of
        // twice this number; others are less evenly distributed.
        let alike = (-(std::f64::consts::PI / distance).powi(2) * variance).exp();
        let dependence = match element {
            // All errors are small.
            Element::F64 => 1.0,
            _ if is_lost => 1.0,
            _ => (MARGIN * self.drift / unit).max(alike).max(if self.is_nested { ASSUMED } else { 0.0 }).min(1.0),
        };
        let dependent = dependence * count * unit * self.magnitude;
        let all = (count * unit * self.magnitude).min(independent + dependent).min(self.magnitude);
        let reached = self.magnitude.min(self.exact.abs() + CONFIDENCE * spread + self.alternating.abs());
        if reached + all >= largest(element) {
            // Addends of one sign overflow in every order.
            let always = self.exact.abs() >= self.magnitude * (1.0 - f64::from(f32::EPSILON))
                && self.magnitude - all > largest(element) * (1.0 + epsilon(element));
            return if always { 0.0 } else { f64::INFINITY };
        }
        let error = self.deviation.abs() + all;
        if error.is_nan() { f64::INFINITY } else { error }
    }
}

/// How many times the largest error of one rounding the error of this many independent roundings may be.
pub fn independent(count: f64) -> f64 {
    count.min(CONFIDENCE * count.sqrt())
}

/// What the rounding of a sum of two numbers has lost. The sum of two f64 is computed without error (Knuth's TwoSum);
/// that of two numbers of a smaller type has none that matters.
fn lost([x, y]: [f64; 2], value: f64) -> f64 {
    let sum = x + y;
    let rest = sum - x;
    (sum - value) + ((x - (sum - rest)) + (y - rest))
}

/// The power of two that is the lowest bit of a number; infinite for zero.
fn lowest_bit(value: f64) -> f64 {
    const FRACTION: i32 = f64::MANTISSA_DIGITS as i32 - 1;
    if value == 0.0 {
        return f64::INFINITY;
    }
    let exponent = (value.to_bits() >> FRACTION & 0x7ff) as i32;
    let fraction = value.to_bits() & ((1 << FRACTION) - 1);
    match (exponent, fraction) {
        (0, _) => 0.0,
        (_, 0) => 2f64.powi(exponent - 1023),
        (_, fraction) => 2f64.powi(exponent - 1023 - FRACTION + fraction.trailing_zeros() as i32),
    }
}

/// Rounds a number to a type.
fn round(element: Element, value: f64) -> f64 {
    match element {
        Element::F32 => f64::from(value as f32),
        Element::F64 => value,
        _ => element.to_f64(element.from_f64(value)),
    }
}

/// Returns true if a product of two floats of a type is exact.
pub fn is_exact_product(element: Element, x: f64, y: f64, value: f64) -> bool {
    match element {
        // The residual of a small product is not a number of the type.
        Element::F64 => value.abs() > 2f64.powi(-900) && x.mul_add(y, -value) == 0.0,
        _ => x * y == value,
    }
}

/// Returns true if a sum of two floats is exact.
pub fn is_exact_sum(x: f64, y: f64, value: f64) -> bool {
    lost([x, y], value) == 0.0
}
