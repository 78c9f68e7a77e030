//! The values that suffice for a law of tuples, by class of values.
//!
//! An operator of comparisons and selections commutes with every map of the values that keeps their order, NaN, the zeros
//! and the constants that they are compared with. Three tuples have at most three different values for each component of
//! a class. So it suffices that between two neighboring constants there are three values for each component, and a law
//! that holds for all tuples of such values holds for all tuples.
//!
//! ```text
//! floats that are compared with 1:   -inf  -2  -1  -0  0  1/4  1/2  3/4  1  2  3  inf  NaN
//! ```
use super::{
    program::ValueClass,
    scalar::{ScalarType, mask, signed},
};

/// The values of a class.
#[derive(Debug, Default)]
pub struct ValueDomain {
    /// The values.
    pub values: Vec<u64>,
    /// By value: true if it can be a component of an identity. Values between constants only represent others.
    pub is_constant: Vec<bool>,
}

/// The number of tuples that a law of one class needs values for.
const TUPLES: usize = 3;

impl ValueDomain {
    /// The domain of a class of values of a type, which are compared or only selected. `others` are constants that tuples
    /// in a law have.
    pub fn of((class, is_compared): (&ValueClass, bool), ty: ScalarType, others: &[u64]) -> Self {
        let needed = TUPLES * class.components.len();
        let constants = [&class.constants[..], others].concat();
        let mut domain = Self::default();
        match ty {
            ScalarType::Integer(1) => domain.extend([0, 1], true),
            ScalarType::Float if is_compared => domain.floats(needed, &constants),
            ScalarType::Integer(width) if is_compared => {
                domain.integers(needed, &constants, (width, class.is_unsigned));
            }
            // Values that are only selected need to be different.
            _ => {
                domain.extend(constants.iter().copied(), true);
                let count = domain.values.len() + needed;
                let next = |i: u64| match ty {
                    ScalarType::Float => (i as f64).to_bits(),
                    ScalarType::Integer(_) => i,
                };
                let most = if let ScalarType::Integer(width) = ty { mask(width) } else { u64::MAX };
                let mut others = (0..=most).map(next);
                while domain.values.len() < count {
                    let Some(value) = others.next() else { break };
                    domain.extend([value], true);
                }
            }
        }
        domain
    }

    /// Keeps some of the values.
    pub fn retain(&mut self, is_kept: impl Fn(u64) -> bool) {
        let kept = std::mem::take(&mut self.values).into_iter().zip(std::mem::take(&mut self.is_constant));
        (self.values, self.is_constant) = kept.filter(|(value, _)| is_kept(*value)).unzip();
    }

    fn extend(&mut self, values: impl IntoIterator<Item = u64>, is_constant: bool) {
        for value in values {
            if !self.values.contains(&value) {
                self.values.push(value);
                self.is_constant.push(is_constant);
            }
        }
    }

    fn floats(&mut self, needed: usize, constants: &[u64]) {
        let all: Vec<_> = constants.iter().map(|bits| f64::from_bits(*bits)).collect();
        let mut finite: Vec<_> = all.iter().copied().filter(|value| value.is_finite() && *value != 0.0).collect();
        finite.push(0.0);
        finite.sort_by(f64::total_cmp);
        finite.dedup();
        // An infinity that is no constant is one of the values beyond the last constant.
        let count = |infinity: f64| if all.contains(&infinity) { needed } else { needed - 1 };
        let (low, high) = (finite[0], finite[finite.len() - 1]);
        // Round numbers are easier to read, but beyond large constants there may be adjacent ones only.
        let beyond = |from: f64, end: f64, count: usize| -> Vec<u64> {
            let far: Vec<_> = (1..=count).map(|i| from + end.signum() * i as f64 * from.abs().max(1.0)).collect();
            match far.iter().all(|value| value.is_finite()) {
                true => far.into_iter().map(f64::to_bits).collect(),
                false if end > 0.0 => between(from, end, count),
                false => {
                    between(-from, -end, count).into_iter().map(|bits| (-f64::from_bits(bits)).to_bits()).collect()
                }
            }
        };
        self.extend(beyond(high, f64::INFINITY, count(f64::INFINITY)), false);
        self.extend(beyond(low, f64::NEG_INFINITY, count(f64::NEG_INFINITY)), false);
        for pair in finite.windows(2) {
            self.extend(between(pair[0], pair[1], needed), false);
        }
        self.extend(finite.into_iter().map(f64::to_bits), true);
        self.extend([-0.0, f64::NEG_INFINITY, f64::INFINITY, f64::NAN].map(f64::to_bits), true);
    }

    fn integers(&mut self, needed: usize, constants: &[u64], (width, is_unsigned): (u32, bool)) {
        let number = |bits: u64| i128::from(signed(bits, width));
        let (least, most) = (number(1 << (width - 1)), number(mask(width) >> 1));
        let mut special: Vec<_> = constants.iter().map(|bits| number(*bits)).collect();
        special.extend([least, most]);
        if is_unsigned {
            // Signed and unsigned orders agree within each half.
            special.extend([-1, 0]);
        }
        special.sort_unstable();
        special.dedup();
        let bits = |value: i128| value as u64 & mask(width);
        for pair in special.windows(2) {
            let (first, last) = (pair[0] + 1, pair[1] - 1);
            // Small numbers are easier to read.
            let start = (last + 1 - needed as i128).min(0).max(first);
            self.extend((start..=last).take(needed).map(bits), false);
        }
        self.extend(special.into_iter().map(bits), true);
    }
}

/// Numbers between two floats, as many as there are or as needed.
fn between(low: f64, high: f64, needed: usize) -> Vec<u64> {
    let step = (high - low) / (needed + 1) as f64;
    let even: Vec<_> = (1..=needed).map(|i| low + step * i as f64).collect();
    let is_increasing = even.windows(2).all(|pair| pair[0] < pair[1]);
    let is_between = even.iter().all(|value| value.is_finite() && low < *value && *value < high);
    let adjacent = std::iter::successors(Some(low.next_up()), |value| Some(value.next_up()));
    let adjacent = adjacent.take_while(|value| *value < high).filter(|value| *value != 0.0).take(needed);
    let values = if is_increasing && is_between { even } else { adjacent.collect() };
    values.into_iter().map(f64::to_bits).collect()
}
