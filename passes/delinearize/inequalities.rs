//! Systems of inequalities between polynomials, by Fourier-Motzkin elimination: what follows, and what cannot hold.
//!
//! ```text
//! s0 - 8 >= 0 and -s0 + 1 >= 0    ──▶    -7 >= 0: no values satisfy both
//! ```
//!
//! Products of variables are taken as variables of their own, so a contradiction is one, and what is not found to be
//! contradictory may still be.
use crate::analysis::index::{
    Expression,
    expression::division::{Monomial, gcd},
};
use std::collections::BTreeMap;

/// The most inequalities of a system while variables are eliminated; a larger one is not decided.
const MAX_INEQUALITIES: usize = 512;

/// Coefficients by product of variables, and a constant: their sum is not negative.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Inequality {
    coefficients: Vec<(Monomial, i128)>,
    constant: i128,
}

impl Inequality {
    fn of(expression: &Expression) -> Option<Self> {
        let (constants, coefficients): (Vec<_>, Vec<_>) =
            expression.monomials()?.into_iter().partition(|(monomial, _)| monomial.is_empty());
        let constant = constants.first().map_or(0, |(_, constant)| *constant);
        Some(Self { coefficients, constant }.tightened())
    }

    /// The coefficients without a common divisor. All values are integers, so the constant is rounded down.
    fn tightened(mut self) -> Self {
        let divisor = self.coefficients.iter().fold(0, |divisor, (_, c)| gcd(divisor, *c));
        if divisor > 1 {
            self.coefficients.iter_mut().for_each(|(_, c)| *c /= divisor);
            self.constant = self.constant.div_euclid(divisor);
        }
        self.coefficients.sort();
        self
    }

    fn coefficient(&self, monomial: &Monomial) -> i128 {
        self.coefficients.iter().find(|(known, _)| known == monomial).map_or(0, |(_, c)| *c)
    }

    /// The sum of multiples of two inequalities in which a product of variables has opposite signs, without it.
    fn combined(&self, other: &Self, monomial: &Monomial) -> Option<Self> {
        let (one, two) = (self.coefficient(monomial).checked_abs()?, other.coefficient(monomial).checked_abs()?);
        let divisor = gcd(one, two).max(1);
        let (of_self, of_other) = (two / divisor, one / divisor);
        let mut sum: BTreeMap<Monomial, i128> = BTreeMap::new();
        for (inequality, factor) in [(self, of_self), (other, of_other)] {
            for (monomial, c) in &inequality.coefficients {
                let entry = sum.entry(monomial.clone()).or_default();
                *entry = entry.checked_add(c.checked_mul(factor)?)?;
            }
        }
        let constants = self.constant.checked_mul(of_self)?.checked_add(other.constant.checked_mul(of_other)?)?;
        let coefficients = sum.into_iter().filter(|(_, c)| *c != 0).collect();
        Some(Self { coefficients, constant: constants }.tightened())
    }
}

/// True if no integers satisfy `expression >= 0` for all of these expressions. False if that is not known.
pub fn are_contradictory<'e>(expressions: impl IntoIterator<Item = &'e Expression>) -> bool {
    let mut system: Vec<_> = expressions.into_iter().filter_map(Inequality::of).collect();
    loop {
        // Of inequalities with the same coefficients, that with the smallest constant is the strongest.
        system.sort();
        system.dedup_by(|later, first| later.coefficients == first.coefficients);
        if system.iter().any(|inequality| inequality.coefficients.is_empty() && inequality.constant < 0) {
            return true;
        }
        let mut counts: BTreeMap<&Monomial, [usize; 2]> = BTreeMap::new();
        for (monomial, c) in system.iter().flat_map(|inequality| &inequality.coefficients) {
            counts.entry(monomial).or_default()[usize::from(*c > 0)] += 1;
        }
        let product = |(_, [negative, positive]): &(&&Monomial, &[usize; 2])| negative * positive;
        let Some(next) = counts.iter().min_by_key(product).map(|(monomial, _)| (*monomial).clone()) else {
            return false;
        };
        let (with, mut rest): (Vec<_>, Vec<_>) =
            system.into_iter().partition(|inequality| inequality.coefficient(&next) != 0);
        let (positive, negative): (Vec<_>, Vec<_>) =
            with.into_iter().partition(|inequality| inequality.coefficient(&next) > 0);
        for one in &positive {
            rest.extend(negative.iter().filter_map(|other| one.combined(other, &next)));
        }
        if rest.len() > MAX_INEQUALITIES {
            return false;
        }
        system = rest;
    }
}

/// True if `expression >= 0` follows from these facts. False if that is not known.
pub fn follows(expression: &Expression, facts: &[Expression]) -> bool {
    let opposite = Expression::constant(-1).checked_sub(expression);
    opposite.is_some_and(|opposite| are_contradictory(facts.iter().chain([&opposite])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(number: usize) -> Expression {
        Expression::symbol(number)
    }

    fn c(value: i128) -> Expression {
        Expression::constant(value)
    }

    #[test]
    fn contradictions_are_found() {
        assert!(are_contradictory(&[s(0) - c(8), c(1) - s(0)]));
        assert!(!are_contradictory(&[s(0) - c(8), c(9) - s(0)]));
        // 2 * s0 = 3 has no integer solution.
        assert!(are_contradictory(&[s(0) * c(2) - c(3), c(3) - s(0) * c(2)]));
        assert!(are_contradictory(&[s(0) * s(1) - s(2), s(2) - s(3), s(3) - s(0) * s(1) - c(1)]));
        assert!(!are_contradictory(&[]));
    }

    #[test]
    fn consequences_follow() {
        let facts = [s(1) - s(0), s(2) - s(1), s(0) - c(1)];
        assert!(follows(&(s(2) - c(1)), &facts));
        assert!(!follows(&(s(2) - c(2)), &facts));
        assert!(follows(&c(0), &[]));
        assert!(!follows(&c(-1), &[]));
    }
}
