//! Axes: from values to positions, with ticks.
//!
//! ```text
//! logarithmic, 0.3 ms .. 40 ms, on 400 units     ->   ticks at 0.5 ms, 1 ms, 2 ms, 5 ms, 10 ms, 20 ms
//! linear,      0 .. 2000,       on 400 units     ->   ticks at 0, 500, 1,000, 1,500, 2,000
//! ```
use super::text;

/// How values become positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally long.
    Linear,
    /// Equal ratios are equally long.
    Logarithmic,
}

/// An axis: a range of values on a range of positions.
#[derive(Clone, Debug)]
pub struct Axis {
    scale: Scale,
    /// The values at both ends; equal if there are none.
    values: (f64, f64),
    /// The positions of both ends.
    positions: (f64, f64),
}

/// A tick: its position and its label.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// The position on the axis.
    pub at: f64,
    /// The label.
    pub label: String,
}

impl Axis {
    /// Returns the linear axis from 0 to the largest value, which is at least 1.
    pub fn from_zero(largest: f64, positions: (f64, f64)) -> Self {
        let largest = if largest.is_finite() { largest.max(1.0) } else { 1.0 };
        Self { scale: Scale::Linear, values: (0.0, largest), positions }
    }

    /// Returns the logarithmic axis of times with a margin at both ends. Without times it has no ticks.
    pub fn of_times(times: impl IntoIterator<Item = f64>, positions: (f64, f64)) -> Self {
        let range = |(low, high): (f64, f64), time: f64| (low.min(time), high.max(time));
        let (low, high) = times.into_iter().fold((f64::INFINITY, 0.0), range);
        if low > high {
            return Self { scale: Scale::Logarithmic, values: (1.0, 1.0), positions };
        }
        let margin = (high / low).powf(0.06).max(1.06);
        Self { scale: Scale::Logarithmic, values: (low / margin, high * margin), positions }
    }

    /// Returns the same values on other positions.
    pub fn at(&self, positions: (f64, f64)) -> Self {
        Self { positions, ..self.clone() }
    }

    /// Returns the position of a value; values outside of the range are at the ends.
    pub fn position(&self, value: f64) -> f64 {
        let fraction = match self.scale {
            Scale::Linear => (value - self.values.0) / (self.values.1 - self.values.0),
            Scale::Logarithmic => (value / self.values.0).ln() / (self.values.1 / self.values.0).ln(),
        };
        let fraction = if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 0.0 };
        self.positions.0 + fraction * (self.positions.1 - self.positions.0)
    }

    /// Returns the values that divide the range into equally long pieces, with both ends.
    pub fn divided(&self, pieces: usize) -> Vec<f64> {
        let (low, high) = self.values;
        let at = |i: usize| {
            let fraction = i as f64 / pieces.max(1) as f64;
            match self.scale {
                Scale::Linear => low + fraction * (high - low),
                Scale::Logarithmic => low * (high / low).powf(fraction),
            }
        };
        (0..=pieces).map(at).collect()
    }

    /// Returns at most about as many ticks as given, with labels for counts.
    pub fn counts(&self, most: usize) -> Vec<Tick> {
        let step = step((self.values.1 - self.values.0) / most as f64).max(1.0);
        self.labelled(multiples(step, self.values), |value| text::thousands(&format!("{value:.0}")))
    }

    /// Returns the ticks of an axis of wall time in seconds, and its unit.
    pub fn wall(&self, most: usize) -> (Vec<Tick>, &'static str) {
        let units = [(1.0, "s"), (60.0, "min"), (3600.0, "h")];
        // Minutes from 3 minutes on, hours from 3 hours on.
        let unit = units.into_iter().rev().find(|(unit, _)| self.values.1 >= 3.0 * unit);
        let (unit, name) = unit.unwrap_or((1.0, "s"));
        let step = step((self.values.1 - self.values.0) / unit / most as f64);
        let values = multiples(step, (self.values.0 / unit, self.values.1 / unit));
        let decimals = decimals(step);
        let ticks = values.into_iter().map(|value| Tick {
            at: self.position(value * unit),
            label: text::thousands(&format!("{value:.decimals$}")),
        });
        (ticks.collect(), name)
    }

    /// Returns the ticks of an axis of times of calls, at most about as many as given, with units.
    pub fn times(&self, most: usize) -> Vec<Tick> {
        let (low, high) = self.values;
        if low >= high {
            return vec![];
        }
        let decades = (high / low).log10();
        let candidates = [&[1.0, 2.0, 5.0][..], &[1.0, 3.0], &[1.0]].map(|digits| within(digits, 1, self.values));
        let fitting = candidates.into_iter().find(|values| values.len() <= most && values.len() > 2);
        let values = match fitting {
            Some(values) => values,
            None if decades < 1.0 => multiples(step((high - low) / most as f64), self.values),
            None => within(&[1.0], (decades / most as f64).ceil().max(1.0) as i32, self.values),
        };
        self.labelled(values, short_time)
    }

    fn labelled(&self, values: Vec<f64>, label: impl Fn(f64) -> String) -> Vec<Tick> {
        values.into_iter().map(|value| Tick { at: self.position(value), label: label(value) }).collect()
    }
}

/// Returns a step of 1, 2 or 5 times a power of ten that is not shorter than the given one.
fn step(shortest: f64) -> f64 {
    if !shortest.is_finite() || shortest <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(shortest.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= shortest * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// Returns the multiples of a step in a range, at most 100.
fn multiples(step: f64, (low, high): (f64, f64)) -> Vec<f64> {
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    (0..100).map(|i| first + f64::from(i)).take_while(|factor| *factor <= last).map(|factor| factor * step).collect()
}

/// Returns the products of digits and powers of ten in a range. `every`: the distance of the exponents.
fn within(digits: &[f64], every: i32, (low, high): (f64, f64)) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let powers = (first..=last).filter(|exponent| exponent.rem_euclid(every) == 0).map(|exponent| 10f64.powi(exponent));
    let products = powers.flat_map(|power| digits.iter().map(move |digit| digit * power));
    products.filter(|value| *value >= low * (1.0 - 1e-9) && *value <= high * (1.0 + 1e-9)).collect()
}

/// Returns how many decimals show a step.
fn decimals(step: f64) -> usize {
    (-step.log10() - 1e-9).ceil().clamp(0.0, 9.0) as usize
}

/// Returns a time with as few digits as it needs, at most four.
fn short_time(seconds: f64) -> String {
    let units = [(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms")];
    let (unit, name) = units.into_iter().find(|(unit, _)| seconds / unit < 999.95).unwrap_or((1.0, "s"));
    let number = seconds / unit;
    let whole = number.abs().max(1.0).log10().floor() as usize;
    let text = format!("{number:.*}", 3usize.saturating_sub(whole));
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{} {name}", text::thousands(text))
}
