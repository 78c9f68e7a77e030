//! Comparison of results with those of the reference evaluator.
//!
//! NaN equals NaN, with any bits, and infinities must be equal. Other numbers may differ from the evaluator's by its
//! error bound, which follows from the roundings and the magnitudes of intermediate values (`reference::bound`). If
//! nothing has been rounded, numbers must be equal, and zeros must have the same sign.
//!
//! A comparison says what it cannot see ([`Coverage`]): elements that are not in the sample, the largest error that it
//! tolerates, and elements whose type cannot hold their sums.
mod coverage;

use crate::{
    array::Array,
    reference::{Buffer, ReferenceOutcome},
};
pub use coverage::Coverage;

/// The difference of two arrays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// Maximum absolute error; infinite if one of two numbers is not finite.
    pub absolute: f64,
    /// Maximum relative error; infinite if zero is expected.
    pub relative: f64,
    /// The error message for the first element that differs too much.
    pub problem: Option<String>,
}

impl Difference {
    /// The larger errors of both, and the first problem.
    pub fn or(self, other: Self) -> Self {
        Self {
            absolute: self.absolute.max(other.absolute),
            relative: self.relative.max(other.relative),
            problem: self.problem.or(other.problem),
        }
    }
}

/// Compares an array with the expected one; undefined elements are not compared.
pub fn compare(actual: &Array, expected: &Buffer) -> Difference {
    let Buffer { array: expected, defined, errors } = expected;
    if (actual.element, &actual.shape) != (expected.element, &expected.shape) {
        let problem = format!(
            "is an array of shape {:?} and type {}, expected shape {:?} and type {}",
            actual.shape, actual.element, expected.shape, expected.element
        );
        return Difference { absolute: f64::INFINITY, relative: f64::INFINITY, problem: Some(problem) };
    }
    let element = actual.element;
    let is_defined = |i: &usize| defined.as_ref().is_none_or(|defined| defined[*i]);
    let mut difference = Difference::default();
    for i in (0..actual.len()).filter(is_defined) {
        let (got, want) = (actual.get(i), expected.get(i));
        if got == want {
            continue;
        }
        let (a, e) = (element.to_f64(got), element.to_f64(want));
        let allowed = errors.as_ref().map_or(0.0, |errors| errors[i]);
        if element.is_float() && (a == e && allowed > 0.0 || a.is_nan() && e.is_nan()) {
            continue;
        }
        let comparable = a.is_finite() && e.is_finite();
        let absolute = match (comparable, element.is_float()) {
            (true, true) => (a - e).abs(),
            // Computed on integers, because floats cannot represent all large integers.
            (true, false) => element.signed(got).abs_diff(element.signed(want)) as f64,
            (false, _) => f64::INFINITY,
        };
        let relative = if e == 0.0 { f64::INFINITY } else { absolute / e.abs() };
        difference.absolute = difference.absolute.max(absolute);
        difference.relative = difference.relative.max(relative);
        let is_wrong = absolute > allowed || absolute == 0.0;
        if difference.problem.is_none() && is_wrong {
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

/// Compares the outputs of a run (results, then written memrefs) with those of the reference evaluator.
pub fn outputs(expected: &ReferenceOutcome, outputs: &[Array], written: &[usize]) -> Difference {
    let differences =
        outputs.iter().zip(buffers(expected, written)).enumerate().map(|(i, (actual, expected_buffer))| {
            let difference = compare(actual, expected_buffer);
            let what = what(i, expected.results.len(), written);
            Difference { problem: difference.problem.map(|problem| format!("{what}: {problem}")), ..difference }
        });
    differences.fold(Difference::default(), Difference::or)
}

/// The expected outputs: results, then written memrefs.
fn buffers<'a>(expected: &'a ReferenceOutcome, written: &'a [usize]) -> impl Iterator<Item = &'a Buffer> {
    expected.results.iter().chain(written.iter().filter_map(|i| expected.arguments.get(*i)))
}

/// The name of an output in messages: a result or, after the results, a written memref argument.
pub fn what(output: usize, results: usize, written: &[usize]) -> String {
    match output.checked_sub(results) {
        None => format!("result {}", output + 1),
        Some(i) => format!("argument {}", written.get(i).map_or(0, |argument| argument + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Element;

    fn array(element: Element, values: &[f64]) -> Array {
        let mut array = Array::filled(element, &[values.len()], 0).unwrap();
        values.iter().enumerate().for_each(|(i, value)| array.set(i, element.from_f64(*value)));
        array
    }

    fn compared(element: Element, actual: &[f64], expected: &[f64], error: f64) -> Difference {
        let expected = Buffer { errors: Some(vec![error; expected.len()]), ..array(element, expected).into() };
        compare(&array(element, actual), &expected)
    }

    #[test]
    fn what_is_exact_must_be_equal() {
        let difference = compared(Element::Integer(32), &[1.0, -2.0], &[1.0, 2.0], 0.0);
        assert_eq!((difference.absolute, difference.relative), (4.0, 2.0));
        assert_eq!(difference.problem.unwrap(), "element [1] is -2, expected 2");
        let difference = compared(Element::F32, &[-0.0], &[0.0], 0.0);
        assert_eq!(difference.problem.unwrap(), "element [0] is -0, expected 0 (tolerated: 0e0)");
    }

    #[test]
    fn other_numbers_may_differ_by_their_errors() {
        let difference = compared(Element::F32, &[1.5], &[1.0], 0.5);
        assert_eq!(difference, Difference { absolute: 0.5, relative: 0.5, problem: None });
        assert!(compared(Element::F32, &[1.5], &[1.0], 0.25).problem.is_some());
        assert_eq!(compared(Element::F32, &[-0.0], &[0.0], 0.25), Difference::default());
    }

    #[test]
    fn nan_equals_nan_and_infinities_are_exact() {
        let (nan, infinity) = (f64::NAN, f64::INFINITY);
        assert_eq!(compared(Element::F64, &[nan, infinity], &[nan, infinity], 0.0), Difference::default());
        for (actual, expected) in [(nan, 1.0), (1.0, nan), (infinity, -infinity), (1e300, infinity)] {
            let difference = compared(Element::F64, &[actual], &[expected], 1.0);
            assert!(difference.problem.is_some() && difference.absolute.is_infinite(), "{actual} {expected}");
        }
    }

    #[test]
    fn what_is_not_defined_is_not_compared() {
        let mut expected = Buffer::from(array(Element::F32, &[1.0, 2.0]));
        expected.defined = Some(vec![true, false]);
        assert_eq!(compare(&array(Element::F32, &[1.0, 5.0]), &expected), Difference::default());
        expected.defined = None;
        assert!(compare(&array(Element::F32, &[1.0, 5.0]), &expected).problem.is_some());
    }

    #[test]
    fn shapes_and_types_must_agree() {
        let problem = compare(&array(Element::F32, &[1.0]), &array(Element::F64, &[1.0, 2.0]).into()).problem.unwrap();
        assert_eq!(problem, "is an array of shape [1] and type f32, expected shape [2] and type f64");
    }
}
