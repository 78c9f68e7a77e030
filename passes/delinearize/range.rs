//! The loops of a nest as ranges of polynomials, and the extremes of affine expressions over their points.
//!
//! ```text
//! d0 in 0 .. s0, d1 in 0 .. d0 + 1:    d0 - d1 is from 0 to s0 - 1
//! ```
use super::inequalities::follows;
use crate::analysis::index::{Expression, Variable};

/// The values of the dimension that has the position of the range.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopRange {
    /// The first value: affine in dimensions of outer loops.
    pub lower: Expression,
    /// The bound above all values, likewise.
    pub upper: Expression,
    /// The last value, if the loop runs, or a bound of it if it is not `has_last`.
    pub last: Expression,
    /// True if `last` is the last value.
    pub has_last: bool,
    /// The distance of the values, at least 1.
    pub step: i128,
}

/// The loops of a nest, outer ones first, and what is known of symbols.
#[derive(Clone, Debug, Default)]
pub struct NestRanges {
    /// By dimension.
    pub loops: Vec<LoopRange>,
    /// Expressions of symbols that are not negative.
    pub facts: Vec<Expression>,
}

/// The number of runs of a loop with dynamic bounds under which a shape must be possible.
const RUNS: i128 = 8;

impl NestRanges {
    /// The smallest and the largest value of an affine expression over the points of the loops, as expressions of
    /// symbols; `None` if it is not affine, or a number does not fit in 128 bits.
    pub fn extremes(&self, expression: &Expression) -> Option<[Expression; 2]> {
        let extreme = |wanted: i128| {
            let mut value = expression.clone();
            for (d, range) in self.loops.iter().enumerate().rev() {
                let dimension = Variable::Dimension(d);
                let coefficient = value.coefficient(dimension)?.value()?;
                let limit = if coefficient.signum() == wanted { &range.last } else { &range.lower };
                if coefficient != 0 {
                    value = value.substituted(dimension, limit)?;
                }
            }
            Some(value)
        };
        Some([extreme(-1)?, extreme(1)?])
    }

    /// What holds if each of these loops runs at least once.
    pub fn once(&self, loops: &[usize]) -> Vec<Expression> {
        self.running(loops, 1)
    }

    /// What holds if each of these loops runs 8 times at some point of the outer ones, or as often as its static bounds
    /// say.
    pub fn often(&self, loops: &[usize]) -> Vec<Expression> {
        self.running(loops, RUNS)
    }

    fn running(&self, loops: &[usize], times: i128) -> Vec<Expression> {
        let run = |d: &usize| {
            let LoopRange { lower, upper, step, .. } = &self.loops[*d];
            let length = upper.checked_sub(lower)?;
            let [_, most] = self.extremes(&length)?;
            let times = if most.value().is_some() { 1 } else { times };
            most.checked_sub(&Expression::constant((times - 1).checked_mul(*step)? + 1))
        };
        let known = loops.iter().filter_map(run);
        // The last value is less than a step before the bound.
        let last = loops.iter().filter(|d| self.loops[**d].step > 1).flat_map(|d| {
            let LoopRange { upper, last, step, .. } = &self.loops[*d];
            let below = upper.checked_sub(last).and_then(|rest| rest.checked_sub(&Expression::constant(1)));
            let near = last.checked_sub(upper).and_then(|rest| rest.checked_add(&Expression::constant(*step)));
            [below, near].into_iter().flatten().collect::<Vec<_>>()
        });
        known.chain(last).filter(|fact| !fact.has_dimensions()).chain(self.facts.iter().cloned()).collect()
    }

    /// True if extremes over these loops are values at points: each of them runs where those around it run.
    pub fn are_exact(&self, loops: &[usize]) -> bool {
        let facts = self.once(loops);
        loops.iter().all(|d| {
            let LoopRange { lower, upper, has_last, .. } = &self.loops[*d];
            let never_empty = || {
                let [least, _] = self.extremes(&upper.checked_sub(lower)?)?;
                Some(follows(&least.checked_sub(&Expression::constant(1))?, &facts))
            };
            *has_last && (!lower.has_dimensions() && !upper.has_dimensions() || never_empty() == Some(true))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(number: usize) -> Expression {
        Expression::symbol(number)
    }

    fn d(number: usize) -> Expression {
        Expression::dimension(number)
    }

    fn c(value: i128) -> Expression {
        Expression::constant(value)
    }

    fn range(lower: Expression, upper: Expression) -> LoopRange {
        LoopRange { last: upper.clone() - c(1), lower, upper, has_last: true, step: 1 }
    }

    #[test]
    fn extremes_are_at_corners() {
        let nest = NestRanges { loops: vec![range(c(0), s(0)), range(c(0), d(0) + c(1))], facts: vec![] };
        let [least, most] = nest.extremes(&(d(0) - d(1))).expect("it is affine");
        assert_eq!((least, most), (c(0), s(0) - c(1)));
        assert_eq!(nest.extremes(&(d(0) * s(1))), None);
        assert!(nest.are_exact(&[0, 1]));
        let empty = NestRanges { loops: vec![range(c(0), s(0)), range(c(0), d(0))], facts: vec![] };
        assert!(!empty.are_exact(&[0, 1]));
    }

    #[test]
    fn loops_that_run_say_what_bounds_are() {
        let nest = NestRanges { loops: vec![range(c(0), s(0)), range(c(0), c(3))], facts: vec![] };
        assert_eq!(nest.often(&[0, 1]), [s(0) - c(8), c(2)]);
        assert_eq!(nest.once(&[0]), [s(0) - c(1)]);
    }
}
