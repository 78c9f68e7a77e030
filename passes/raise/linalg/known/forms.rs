//! The known forms: updates of a state by an element, with the operator that merges two states.
//!
//! The operators are associative and commutative in exact arithmetic. A state merged with a point has the same bits as the
//! update of the source, where both are finite.
use super::terms::{TermFunction as F, TermId, Terms};

/// A form.
#[derive(Debug)]
pub struct Form {
    /// The terms.
    pub terms: Terms,
    /// By component: its value after an element.
    pub update: Vec<TermId>,
    /// By component: its number in the state of an element, if the update reads no value for it.
    pub point: Vec<f64>,
    /// The first of the components that are alike; the number of components if all differ.
    pub alike: usize,
    /// By component: the state that two states are merged to.
    pub merge: Vec<TermId>,
    /// A component whose initial value must be a constant other than NaN.
    pub number: Option<usize>,
}

/// The forms with this many components.
pub fn forms(count: usize) -> Vec<Form> {
    let mut all = vec![];
    for maximum in [F::Maximum, F::MaximumNumber, F::Larger] {
        for exponential in [F::Exponential, F::PowerOfTwo] {
            if count > 1 {
                all.push(sums_of_exponentials(count, maximum, exponential));
            }
        }
    }
    if count == 3 {
        all.push(mean_and_variance());
    }
    all
}

/// The running maximum `m` of values `v`, and sums `s` of exponentials of the distances to it, with or without weights
/// `w`: log-sum-exp, softmax and attention.
///
/// ```text
/// update by v, w     n = max(m, v)       s * exp(m - n) + w * exp(v - n)
/// merge              n = max(m1, m2)     s1 * exp(m1 - n) + s2 * exp(m2 - n)
/// ```
///
/// Two states of minus infinity alone have no distance. Their sums are 0, so that the merge of the states of parts is no
/// NaN if the elements of a part are minus infinity.
fn sums_of_exponentials(count: usize, maximum: F, exponential: F) -> Form {
    let t = Terms::default();
    let (left, right) = (t.left(0..count), t.right(0..count));
    let (infinity, zero) = (t.number(f64::NEG_INFINITY), t.number(0.0));
    let finite = |most| t.apply(F::Select, &[t.apply(F::Equal, &[most, infinity]), zero, most]);
    let scale = |from, to| t.apply(exponential, &[t.apply(F::Subtract, &[from, to])]);
    let product = |x, y| t.apply(F::Multiply, &[x, y]);
    let next = t.apply(maximum, &[left[0], right[0]]);
    let shift = t.either(&[next, finite(next)]);
    let mut update = vec![next];
    for component in 1..count {
        let power = scale(right[0], shift);
        let term = t.either(&[product(right[component], power), power]);
        update.push(t.apply(F::Add, &[product(left[component], scale(left[0], shift)), term]));
    }
    let shift = finite(next);
    let scales = [scale(left[0], shift), scale(right[0], shift)];
    let sum = |component: usize| {
        t.apply(F::Add, &[product(left[component], scales[0]), product(right[component], scales[1])])
    };
    let merge = [next].into_iter().chain((1..count).map(sum)).collect();
    let number = (maximum == F::Larger).then_some(0);
    Form { update, point: vec![1.0; count], alike: 1, merge, number, terms: t }
}

/// The running number, mean and sum of squares of differences from the mean: Welford's algorithm.
///
/// ```text
/// update by x     n = k + 1       d = x - mean        mean' = mean + d / n
///                 M' = M + d * (x - mean')
/// merge           n = k1 + k2     d = mean2 - mean1   mean = mean1 + (k1 == 0 ? d : d * k2 / n)
///                 M = M1 + d * k2 * (mean2 - mean) + M2
/// ```
///
/// This is Chan's merge: `mean2 - mean` is `d * k1 / n`. With the state of no element on the left, the mean and `M` are
/// exactly those on the right.
fn mean_and_variance() -> Form {
    let t = Terms::default();
    let (left, right) = (t.left(0..3), t.right(0..3));
    let (zero, one) = (t.number(0.0), t.number(1.0));
    let add = |x, y| t.apply(F::Add, &[x, y]);
    let difference = |x, y| t.apply(F::Subtract, &[x, y]);
    let product = |x, y| t.apply(F::Multiply, &[x, y]);
    let quotient = |x, y| t.apply(F::Divide, &[x, y]);
    let float = |x| t.apply(F::Float, &[x]);
    let value = right[1];
    let count = add(left[0], one);
    let divisor = t.either(&[float(count), add(float(left[0]), one)]);
    let distance = difference(value, left[1]);
    let mean = add(left[1], quotient(distance, divisor));
    let squares = add(left[2], product(distance, difference(value, mean)));
    let update = vec![count, mean, squares];

    let count = add(left[0], right[0]);
    let distance = difference(right[1], left[1]);
    let weighted = product(distance, float(right[0]));
    let is_first = t.apply(F::Equal, &[left[0], zero]);
    let step = t.apply(F::Select, &[is_first, distance, quotient(weighted, float(count))]);
    let mean = add(left[1], step);
    let squares = add(add(left[2], product(weighted, difference(right[1], mean))), right[2]);
    let merge = vec![count, mean, squares];
    Form { update, point: vec![1.0, 0.0, 0.0], alike: 3, merge, number: None, terms: t }
}
