//! What a comparison with the reference evaluator sees.
use super::buffers;
use crate::reference::{Buffer, ReferenceOutcome};
use serde_json::{Value, json};
use std::fmt;

/// The largest tolerated error of an element that counts as compared, in proportion to the largest element of its
/// array.
const LIMIT: f64 = 0.25;

/// What a comparison with the reference evaluator sees. It follows from the outcome of the evaluator alone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coverage {
    /// The number of elements of the outputs.
    pub elements: usize,
    /// The number of elements that have been evaluated.
    pub evaluated: usize,
    /// The number of evaluated elements for which the evaluator tolerates errors above the limit, because their type
    /// cannot hold the sums that lead to them.
    pub unchecked: usize,
    /// The largest tolerated error of the other ones, in proportion to the largest element of their array.
    pub tolerated: f64,
}

impl Coverage {
    /// What a comparison with an outcome sees.
    pub fn of(expected: &ReferenceOutcome, written: &[usize]) -> Self {
        buffers(expected, written).map(Self::of_buffer).fold(Self::default(), |all, one| Self {
            elements: all.elements + one.elements,
            evaluated: all.evaluated + one.evaluated,
            unchecked: all.unchecked + one.unchecked,
            tolerated: all.tolerated.max(one.tolerated),
        })
    }

    /// What a comparison with an array sees.
    pub fn of_buffer(expected: &Buffer) -> Self {
        let Buffer { array, errors, .. } = expected;
        let elements = array.len();
        let evaluated: Vec<_> = (0..elements).filter(|i| expected.is_defined(*i)).collect();
        let mut coverage = Self { elements, evaluated: evaluated.len(), ..Self::default() };
        let Some(errors) = errors else { return coverage };
        let magnitude = |i: &usize| array.element.to_f64(array.get(*i)).abs();
        let largest = evaluated.iter().map(magnitude).filter(|magnitude| magnitude.is_finite()).fold(0.0, f64::max);
        for error in evaluated.iter().map(|i| errors[*i]).filter(|error| *error > 0.0) {
            if error <= LIMIT * largest {
                coverage.tolerated = coverage.tolerated.max(error / largest);
            } else {
                coverage.unchecked += 1;
            }
        }
        coverage
    }

    /// The fields of an object that describes it.
    pub fn fields(&self) -> [(&'static str, Value); 4] {
        [
            ("elements", json!(self.elements)),
            ("evaluated_elements", json!(self.evaluated)),
            ("unchecked_elements", json!(self.unchecked)),
            ("tolerated_error", json!(self.tolerated)),
        ]
    }
}

impl fmt::Display for Coverage {
    /// Nothing if all elements must be equal.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { elements, evaluated, unchecked, tolerated } = self;
        let mut parts = vec![];
        if evaluated < elements {
            parts.push(format!("a sample of {evaluated} of {elements} elements is compared"));
        }
        if *tolerated > 0.0 {
            parts.push(format!("errors up to {tolerated:.1e} of the largest element are tolerated"));
        }
        if *unchecked > 0 {
            let reason = "not checked, because their type cannot hold the sums that lead to them";
            parts.push(format!("elements that are {reason}: {unchecked}"));
        }
        formatter.write_str(&parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::{Array, Element};

    #[test]
    fn elements_with_large_tolerated_errors_are_not_checked() {
        let mut array = Array::filled(Element::F32, &[4], 0).unwrap();
        (0..4).for_each(|i| array.set(i, Element::F32.from_f64(i as f64)));
        let mut buffer = Buffer { errors: Some(vec![0.0, 0.3, 1.0, f64::INFINITY]), ..array.into() };
        let coverage = Coverage { elements: 4, evaluated: 4, unchecked: 2, tolerated: 0.3 / 3.0 };
        assert_eq!(Coverage::of_buffer(&buffer), coverage);
        buffer.defined = Some(vec![true, true, false, false]);
        let text = Coverage::of_buffer(&buffer).to_string();
        assert_eq!(
            text,
            "a sample of 2 of 4 elements is compared; elements that are not checked, because their type cannot hold the \
             sums that lead to them: 1"
        );
        buffer.errors = None;
        assert_eq!(Coverage::of_buffer(&buffer), Coverage { elements: 4, evaluated: 2, ..Coverage::default() });
    }
}
