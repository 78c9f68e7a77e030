//! Comparison of results with those of the reference evaluator.
//!
//! Integers must be equal. NaN equals NaN, and infinities must be equal. Other floats may differ by
//!
//! ```text
//! |actual - expected| <= eps * (16 + length) * max(|expected|, largest)
//! ```
//!
//! where `eps` is the distance from 1 to the next number of the type, `length` how many values are combined to one, which may happen
//! in any order, and `largest` the largest finite |expected| of the array: terms that cancel leave errors of their own size, not of
//! their sum's. 16 is what a scalar function may lose where an engine rounds its operations differently.
use crate::{
    array::{Array, Element},
    reference::Buffer,
};

/// How two arrays differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// The largest absolute error; infinite where one of both is not finite.
    pub absolute: f64,
    /// The largest relative error; infinite where zero is expected.
    pub relative: f64,
    /// What is wrong with the first element that differs too much.
    pub problem: Option<String>,
}

impl Difference {
    /// The larger error of both, and the first problem.
    pub fn or(self, other: Self) -> Self {
        Self {
            absolute: self.absolute.max(other.absolute),
            relative: self.relative.max(other.relative),
            problem: self.problem.or(other.problem),
        }
    }
}

/// Compares an array with what is expected; elements that are not defined are not compared.
pub fn compare(actual: &Array, expected: &Buffer, reduction_length: u64) -> Difference {
    let Buffer { array: expected, defined } = expected;
    if (actual.element, &actual.shape) != (expected.element, &expected.shape) {
        let problem = format!(
            "is an array of shape {:?} and type {}, expected shape {:?} and type {}",
            actual.shape, actual.element, expected.shape, expected.element
        );
        return Difference { absolute: f64::INFINITY, relative: f64::INFINITY, problem: Some(problem) };
    }
    let element = actual.element;
    let is_defined = |i: &usize| defined.as_ref().is_none_or(|defined| defined[*i]);
    let magnitudes = (0..expected.len()).filter(is_defined).map(|i| element.to_f64(expected.get(i)).abs());
    let largest =
        if element.is_float() { magnitudes.filter(|value| value.is_finite()).fold(0.0, f64::max) } else { 0.0 };
    let tolerance = epsilon(element) * (16.0 + reduction_length as f64);
    let mut difference = Difference::default();
    for i in (0..actual.len()).filter(is_defined) {
        let (got, want) = (actual.get(i), expected.get(i));
        if got == want {
            continue;
        }
        let (a, e) = (element.to_f64(got), element.to_f64(want));
        if a == e && element.is_float() || a.is_nan() && e.is_nan() {
            continue;
        }
        let comparable = a.is_finite() && e.is_finite();
        let absolute = match (comparable, element.is_float()) {
            (true, true) => (a - e).abs(),
            // Not by way of floats, which cannot tell large integers apart.
            (true, false) => element.signed(got).abs_diff(element.signed(want)) as f64,
            (false, _) => f64::INFINITY,
        };
        let relative = if e == 0.0 { f64::INFINITY } else { absolute / e.abs() };
        difference.absolute = difference.absolute.max(absolute);
        difference.relative = difference.relative.max(relative);
        let allowed = if element.is_float() { tolerance * largest.max(e.abs()) } else { 0.0 };
        if difference.problem.is_none() && (!comparable || absolute > allowed) {
            let tolerated = if element.is_float() { format!(" (tolerated: {allowed:e})") } else { String::new() };
            difference.problem = Some(format!(
                "element {:?} is {}, expected {}{tolerated}",
                actual.position(i),
                element.text(got),
                element.text(want)
            ));
        }
    }
    difference
}

/// The distance from 1 to the next float; zero for integers.
fn epsilon(element: Element) -> f64 {
    match element {
        Element::F16 => 2f64.powi(-10),
        Element::Bf16 => 2f64.powi(-7),
        Element::F32 => f64::from(f32::EPSILON),
        Element::F64 => f64::EPSILON,
        Element::Integer(_) | Element::Index => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(element: Element, values: &[f64]) -> Array {
        let mut array = Array::filled(element, &[values.len()], 0).unwrap();
        values.iter().enumerate().for_each(|(i, value)| array.set(i, element.from_f64(*value)));
        array
    }

    fn compared(element: Element, actual: &[f64], expected: &[f64], length: u64) -> Difference {
        compare(&array(element, actual), &array(element, expected).into(), length)
    }

    #[test]
    fn integers_are_exact() {
        let difference = compared(Element::Integer(32), &[1.0, -2.0], &[1.0, 2.0], 1000);
        assert_eq!((difference.absolute, difference.relative), (4.0, 2.0));
        assert_eq!(difference.problem.unwrap(), "element [1] is -2, expected 2");
    }

    #[test]
    fn floats_may_differ_the_more_the_longer_the_sum() {
        let (actual, expected) = ([1.0 + 100.0 * f64::from(f32::EPSILON)], [1.0]);
        assert!(compared(Element::F32, &actual, &expected, 1).problem.is_some());
        assert_eq!(compared(Element::F32, &actual, &expected, 100).problem, None);
        let difference = compared(Element::F32, &[1.5], &[1.0], 1);
        assert_eq!((difference.absolute, difference.relative), (0.5, 0.5));
    }

    #[test]
    fn errors_of_terms_that_cancel_are_tolerated() {
        assert_eq!(compared(Element::F32, &[1000.0, 1e-4], &[1000.0, 0.0], 64).problem, None);
        assert!(compared(Element::F32, &[1000.0, 1.0], &[1000.0, 0.0], 64).problem.is_some());
    }

    #[test]
    fn nan_equals_nan_and_infinities_are_exact() {
        let (nan, infinity) = (f64::NAN, f64::INFINITY);
        assert_eq!(compared(Element::F64, &[nan, infinity, 0.0], &[nan, infinity, -0.0], 1), Difference::default());
        for (actual, expected) in [(nan, 1.0), (1.0, nan), (infinity, -infinity), (1e300, infinity)] {
            let difference = compared(Element::F64, &[actual], &[expected], 1);
            assert!(difference.problem.is_some() && difference.absolute.is_infinite(), "{actual} {expected}");
        }
    }

    #[test]
    fn what_is_not_defined_is_not_compared() {
        let mut expected = Buffer::from(array(Element::F32, &[1.0, 2.0]));
        expected.defined = Some(vec![true, false]);
        assert_eq!(compare(&array(Element::F32, &[1.0, 5.0]), &expected, 1), Difference::default());
        expected.defined = None;
        assert!(compare(&array(Element::F32, &[1.0, 5.0]), &expected, 1).problem.is_some());
    }

    #[test]
    fn shapes_and_types_must_agree() {
        let problem =
            compare(&array(Element::F32, &[1.0]), &array(Element::F64, &[1.0, 2.0]).into(), 1).problem.unwrap();
        assert_eq!(problem, "is an array of shape [1] and type f32, expected shape [2] and type f64");
    }
}
