//! The values of a parameter before constraints.
//!
//! ```text
//! interval 1 to 4092 · divisors of 1024 · powers of 2 from 1 to 64 · one of 2, 3, 5
//! ```
use std::ops::RangeInclusive;

/// The values that a parameter may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterValues {
    /// How messages name them, such as `1 to 4092`.
    text: String,
    content: ValueList,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ValueList {
    Interval(u64, u64),
    /// In ascending order.
    Listed(Vec<u64>),
}

impl ParameterValues {
    /// Returns the numbers from `first` to `last`.
    pub fn interval(first: u64, last: u64) -> Self {
        Self { text: format!("{first} to {last}"), content: ValueList::Interval(first, last) }
    }

    /// Returns the divisors of a number; none of 0, which all numbers divide.
    pub fn divisors(of: u64) -> Self {
        Self { text: format!("the divisors of {of}"), content: ValueList::Listed(divisors(of)) }
    }

    /// Returns the powers of a base that are at most `last`, beginning with 1.
    pub fn powers(base: u64, last: u64) -> Self {
        let next = |power: &u64| power.checked_mul(base).filter(|next| next > power);
        let powers = std::iter::successors(Some(1), next).take_while(|power| *power <= last).collect();
        Self { text: format!("the powers of {base} up to {last}"), content: ValueList::Listed(powers) }
    }

    /// Returns these numbers.
    pub fn list(values: impl IntoIterator<Item = u64>) -> Self {
        let mut values: Vec<_> = values.into_iter().collect();
        values.sort_unstable();
        values.dedup();
        let text = values.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        Self { text: format!("one of {text}"), content: ValueList::Listed(values) }
    }

    /// Returns the text of messages.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns true if the parameter may have this value.
    pub fn contains(&self, value: u64) -> bool {
        match &self.content {
            ValueList::Interval(first, last) => (*first..=*last).contains(&value),
            ValueList::Listed(values) => values.binary_search(&value).is_ok(),
        }
    }

    /// Returns the smallest and the largest value; `None` if there are none.
    pub fn bounds(&self) -> Option<(u64, u64)> {
        match &self.content {
            ValueList::Interval(first, last) => (first <= last).then_some((*first, *last)),
            ValueList::Listed(values) => Some((*values.first()?, *values.last()?)),
        }
    }

    /// Returns the ranges of consecutive values up to a bound, in ascending order.
    pub fn ranges(&self, most: u64) -> Vec<RangeInclusive<u64>> {
        match &self.content {
            // The number of values of a range has 64 bits.
            ValueList::Interval(0, u64::MAX) if most == u64::MAX => vec![0..=u64::MAX - 1, u64::MAX..=u64::MAX],
            ValueList::Interval(first, last) => {
                let range = *first..=*last.min(&most);
                if range.is_empty() { vec![] } else { vec![range] }
            }
            ValueList::Listed(values) => {
                let values = &values[..values.partition_point(|value| *value <= most)];
                let ranges = values.chunk_by(|a, b| *a + 1 == *b);
                ranges.filter_map(|range| Some(*range.first()?..=*range.last()?)).collect()
            }
        }
    }
}

/// Returns the divisors of a number in ascending order; none of 0.
pub(super) fn divisors(of: u64) -> Vec<u64> {
    let small: Vec<_> = (1..=of.isqrt()).filter(|divisor| of.is_multiple_of(*divisor)).collect();
    let large = small.iter().rev().map(|divisor| of / divisor).filter(|large| small.last() != Some(large));
    small.iter().copied().chain(large).collect()
}
