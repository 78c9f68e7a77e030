//! Integer expressions over dimensions and symbols: sums of products, minima, maxima, and ceiling divisions.
//!
//! Expressions are folded on construction into a canonical form for sums: `(2 * d0 + 3) - d0 - 3` is `d0`. Constants
//! are exact up to 128 bits, and saturate beyond.
mod bounds;
pub mod division;

pub use bounds::{Facts, VariableRange};

use std::{
    fmt,
    ops::{Add, Mul, Sub},
};

/// A variable of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variable {
    /// The induction variable of a loop.
    Dimension(usize),
    /// A value that is known only at run time, but before all loops.
    Symbol(usize),
}

impl Variable {
    /// True for the induction variable of a loop.
    pub fn is_dimension(self) -> bool {
        matches!(self, Self::Dimension(_))
    }
}

/// An integer expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expression {
    /// In ascending order of their factors, which are distinct.
    terms: Vec<Term>,
    constant: i128,
}

/// A product with a nonzero coefficient.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Term {
    /// At least one factor, in ascending order.
    factors: Vec<Factor>,
    coefficient: i128,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Factor {
    Variable(Variable),
    /// Two operands or more, in ascending order.
    Min(Vec<Expression>),
    /// Two operands or more, in ascending order.
    Max(Vec<Expression>),
    /// A ceiling division with a positive divisor.
    CeilDiv(Box<Expression>, Box<Expression>),
}

impl Expression {
    /// A constant.
    pub fn constant(value: impl Into<i128>) -> Self {
        Self { terms: vec![], constant: value.into() }
    }

    /// A dimension.
    pub fn dimension(number: usize) -> Self {
        Self::factor(Factor::Variable(Variable::Dimension(number)))
    }

    /// A symbol.
    pub fn symbol(number: usize) -> Self {
        Self::factor(Factor::Variable(Variable::Symbol(number)))
    }

    fn factor(factor: Factor) -> Self {
        Self { terms: vec![Term { factors: vec![factor], coefficient: 1 }], constant: 0 }
    }

    /// Its value, if it is a constant.
    pub fn value(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Its value as a count, if it is a constant: negative values become 0, and values that are too large become
    /// `u64::MAX`.
    pub fn count(&self) -> Option<u64> {
        self.value().map(|value| u64::try_from(value.max(0)).unwrap_or(u64::MAX))
    }

    /// The minimum of two expressions.
    pub fn min(self, other: Self) -> Self {
        self.extreme(other, i128::min, false)
    }

    /// The maximum of two expressions.
    pub fn max(self, other: Self) -> Self {
        self.extreme(other, i128::max, true)
    }

    fn extreme(self, other: Self, choose: fn(i128, i128) -> i128, is_max: bool) -> Self {
        // Expressions with a constant difference have the same order everywhere.
        if let Some(difference) = (self.clone() - other.clone()).value() {
            return if choose(difference, 0) == difference { self } else { other };
        }
        let operands = |expression: Self| match expression.single() {
            Some(Factor::Min(operands)) if !is_max => operands.clone(),
            Some(Factor::Max(operands)) if is_max => operands.clone(),
            _ => vec![expression],
        };
        let mut all: Vec<Self> = vec![];
        for operand in [operands(self), operands(other)].concat() {
            let known = all.iter_mut().find_map(|known| {
                let difference = (operand.clone() - known.clone()).value()?;
                Some((known, difference))
            });
            match known {
                Some((known, difference)) if choose(difference, 0) == difference => *known = operand,
                Some(_) => {}
                None => all.push(operand),
            }
        }
        all.sort();
        match <[Self; 1]>::try_from(all) {
            Ok([only]) => only,
            Err(all) => Self::factor(if is_max { Factor::Max(all) } else { Factor::Min(all) }),
        }
    }

    /// The ceiling division by a positive divisor.
    pub fn ceildiv(self, divisor: Self) -> Self {
        if self == divisor {
            return Self::constant(1);
        }
        let Some(by) = divisor.value() else {
            let is_zero = self.value() == Some(0);
            let quotient = || Self::factor(Factor::CeilDiv(Box::new(self), Box::new(divisor)));
            return if is_zero { Self::constant(0) } else { quotient() };
        };
        // Multiples of the divisor are divided exactly: ceildiv(8 * s0 + 3, 8) is s0 + 1.
        let (whole, rest): (Vec<_>, Vec<_>) = self.terms.into_iter().partition(|term| term.coefficient % by == 0);
        let whole = whole.into_iter().map(|term| Term { coefficient: term.coefficient / by, ..term });
        let exact = Self { terms: whole.collect(), constant: self.constant.div_euclid(by) };
        let rest = Self { terms: rest, constant: self.constant.rem_euclid(by) };
        let quotient = match (rest.value(), rest.single()) {
            (Some(value), _) => Self::constant(i128::from(value > 0)),
            // ceildiv(ceildiv(x, a), b) is ceildiv(x, a * b).
            (None, Some(Factor::CeilDiv(dividend, inner))) if inner.value().is_some() => {
                return exact + dividend.as_ref().clone().ceildiv(inner.as_ref().clone() * divisor);
            }
            (None, _) => Self::factor(Factor::CeilDiv(Box::new(rest), Box::new(divisor))),
        };
        exact + quotient
    }

    /// The only factor of the expression, if it has the coefficient 1 and there is no constant.
    fn single(&self) -> Option<&Factor> {
        match (self.terms.as_slice(), self.constant) {
            ([Term { factors, coefficient: 1 }], 0) => match factors.as_slice() {
                [factor] => Some(factor),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns true if it is affine: a constant plus multiples of variables.
    pub fn is_affine(&self) -> bool {
        self.terms.iter().all(|term| matches!(term.factors[..], [Factor::Variable(_)]))
    }

    /// Returns true if it depends on a variable that satisfies the predicate.
    pub fn depends_on(&self, is_asked: &dyn Fn(Variable) -> bool) -> bool {
        let depends = |factor: &Factor| match factor {
            Factor::Variable(variable) => is_asked(*variable),
            Factor::Min(operands) | Factor::Max(operands) => operands.iter().any(|e| e.depends_on(is_asked)),
            Factor::CeilDiv(dividend, divisor) => dividend.depends_on(is_asked) || divisor.depends_on(is_asked),
        };
        self.terms.iter().flat_map(|term| &term.factors).any(depends)
    }

    /// True if it depends on an induction variable.
    pub fn has_dimensions(&self) -> bool {
        self.depends_on(&Variable::is_dimension)
    }

    /// Evaluates it for these values of the variables.
    pub fn evaluate(&self, values: &dyn Fn(Variable) -> i128) -> i128 {
        let of = |factor: &Factor| match factor {
            Factor::Variable(variable) => values(*variable),
            Factor::Min(operands) => operands.iter().map(|e| e.evaluate(values)).min().unwrap_or(0),
            Factor::Max(operands) => operands.iter().map(|e| e.evaluate(values)).max().unwrap_or(0),
            Factor::CeilDiv(dividend, divisor) => {
                let (dividend, divisor) = (dividend.evaluate(values), divisor.evaluate(values).max(1));
                dividend.div_euclid(divisor) + i128::from(dividend.rem_euclid(divisor) > 0)
            }
        };
        let product = |term: &Term| {
            term.factors.iter().map(of).fold(term.coefficient, |product, value| product.saturating_mul(value))
        };
        self.terms.iter().map(product).fold(self.constant, i128::saturating_add)
    }
}

impl From<u64> for Expression {
    fn from(value: u64) -> Self {
        Self::constant(value)
    }
}

impl Add for Expression {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self.constant = self.constant.saturating_add(other.constant);
        for term in other.terms {
            match self.terms.binary_search_by(|known| known.factors.cmp(&term.factors)) {
                Err(position) => self.terms.insert(position, term),
                Ok(position) => {
                    let known = &mut self.terms[position].coefficient;
                    *known = known.saturating_add(term.coefficient);
                    if *known == 0 {
                        self.terms.remove(position);
                    }
                }
            }
        }
        self
    }
}

impl Sub for Expression {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + other * Self::constant(-1)
    }
}

impl Mul for Expression {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let terms = |expression: &Self| {
            let constant = Term { factors: vec![], coefficient: expression.constant };
            [&expression.terms[..], &[constant]].concat().into_iter().filter(|term| term.coefficient != 0)
        };
        let products = terms(&self).flat_map(|left| terms(&other).map(move |right| left.times(&right)));
        products.fold(Self::constant(0), Self::add)
    }
}

impl Term {
    /// The product of two terms, either of which may have no factors.
    fn times(&self, other: &Self) -> Expression {
        let mut factors = [&self.factors[..], &other.factors[..]].concat();
        factors.sort();
        let coefficient = self.coefficient.saturating_mul(other.coefficient);
        match factors.is_empty() {
            true => Expression::constant(coefficient),
            false => Expression { terms: vec![Term { factors, coefficient }], constant: 0 },
        }
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dimension(number) => write!(f, "d{number}"),
            Self::Symbol(number) => write!(f, "s{number}"),
        }
    }
}

impl Expression {
    /// The expression as text, positive terms first. `name`: a variable, and whether it needs no parentheses in a
    /// product.
    pub fn spelled(&self, name: &dyn Fn(Variable) -> (String, bool)) -> String {
        let is_negative = |term: &&Term| term.coefficient < 0;
        let (negative, positive): (Vec<_>, Vec<_>) = self.terms.iter().partition(is_negative);
        let is_first = positive.is_empty() && self.constant > 0;
        let mut text = if is_first { self.constant.to_string() } else { String::new() };
        for Term { factors, coefficient } in positive.into_iter().chain(negative) {
            text += match (text.is_empty(), *coefficient < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            let number = (coefficient.unsigned_abs() != 1).then(|| coefficient.unsigned_abs().to_string());
            let is_alone = self.terms.len() == 1 && self.constant == 0 && factors.len() == 1 && *coefficient == 1;
            let factors = factors.iter().map(|factor| factor.spelled(name, is_alone));
            text += &number.into_iter().chain(factors).collect::<Vec<_>>().join(" * ");
        }
        match self.constant {
            _ if is_first => text,
            0 if !text.is_empty() => text,
            constant if text.is_empty() => constant.to_string(),
            constant => format!("{text} {} {}", if constant < 0 { "-" } else { "+" }, constant.unsigned_abs()),
        }
    }
}

impl Expression {
    /// The expression as the operand of a product or a quotient: in parentheses if it needs some.
    pub fn spelled_operand(&self, name: &dyn Fn(Variable) -> (String, bool)) -> String {
        match (self.single(), self.value()) {
            (Some(factor), _) => factor.spelled(name, false),
            (None, Some(number @ 0..)) => number.to_string(),
            (None, _) => format!("({})", self.spelled(name)),
        }
    }
}

impl Factor {
    fn spelled(&self, name: &dyn Fn(Variable) -> (String, bool), is_alone: bool) -> String {
        let list = |operands: &[Expression]| operands.iter().map(|e| e.spelled(name)).collect::<Vec<_>>().join(", ");
        match self {
            Self::Variable(variable) => match name(*variable) {
                (text, is_atom) if is_atom || is_alone => text,
                (text, _) => format!("({text})"),
            },
            Self::Min(operands) => format!("min({})", list(operands)),
            Self::Max(operands) => format!("max({})", list(operands)),
            Self::CeilDiv(dividend, divisor) => {
                format!("ceildiv({}, {})", dividend.spelled(name), divisor.spelled(name))
            }
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled(&|variable| (variable.to_string(), true)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::random::Random;

    fn d(number: usize) -> Expression {
        Expression::dimension(number)
    }

    fn s(number: usize) -> Expression {
        Expression::symbol(number)
    }

    fn c(value: i64) -> Expression {
        Expression::constant(value)
    }

    #[test]
    fn sums_have_one_form() {
        assert_eq!(d(0) * c(2) + c(3) - d(0) - c(3), d(0));
        assert_eq!((d(0) + s(1)) * (d(0) - s(1)), d(0) * d(0) - s(1) * s(1));
        assert_eq!((d(1) * c(0)).value(), Some(0));
        assert_eq!(((s(0) + c(1)) * c(4) - s(0) * c(4)).value(), Some(4));
    }

    #[test]
    fn extremes_that_are_known_are_chosen() {
        assert_eq!(c(3).min(c(5)), c(3));
        assert_eq!((s(0) + c(1)).max(s(0)), s(0) + c(1));
        assert_eq!(s(0).min(d(0)), d(0).min(s(0)));
        assert_eq!(s(0).min(c(7)).min(c(5)), s(0).min(c(5)));
        assert_eq!(s(0).min(d(0)).min(s(0) + c(1)), s(0).min(d(0)));
        assert_ne!(s(0).min(d(0)), s(0).max(d(0)));
    }

    #[test]
    fn quotients_are_rounded_up() {
        assert_eq!(c(7).ceildiv(c(2)), c(4));
        assert_eq!(c(-7).ceildiv(c(2)), c(-3));
        assert_eq!((s(0) * c(8) + c(3)).ceildiv(c(8)), s(0) + c(1));
        assert_eq!(s(0).ceildiv(c(4)).ceildiv(c(2)), s(0).ceildiv(c(8)));
        assert_eq!(s(0).ceildiv(c(1)), s(0));
        assert_eq!(s(0).ceildiv(s(0)), c(1));
    }

    #[test]
    fn texts_are_as_people_write_them() {
        let trips = c(16).min((s(0) - d(1) * c(16)).ceildiv(c(4)));
        assert_eq!(trips.to_string(), "min(16, ceildiv(s0, 4) - 4 * d1)");
        assert_eq!((d(0) * s(0) * c(-3) + c(1)).to_string(), "1 - 3 * d0 * s0");
        assert_eq!((d(0) - d(1) - c(2)).to_string(), "d0 - d1 - 2");
        assert_eq!(c(-5).to_string(), "-5");
        assert_eq!(c(0).to_string(), "0");
    }

    #[test]
    fn questions_look_inside() {
        let trips = c(16).min((s(0) - d(1)).ceildiv(c(4)));
        assert!(trips.depends_on(&|variable| variable == Variable::Dimension(1)));
        assert!(!trips.depends_on(&|variable| variable == Variable::Dimension(0)));
        assert!((d(0) * c(2) + s(1)).is_affine());
        assert!(!trips.is_affine() && !(d(0) * s(0)).is_affine());
        assert_eq!(c(-1).count(), Some(0));
        assert_eq!(c(i64::MAX).mul(c(i64::MAX)).count(), Some(u64::MAX));
    }

    /// A random expression, and its value for the variable values 3 and 5, computed step by step.
    fn random_expression(random: &mut Random, depth: usize) -> (Expression, i128) {
        if depth == 0 || random.below(5) == 0 {
            return match random.below(3) {
                0 => (d(0), 3),
                1 => (s(0), 5),
                _ => {
                    let value = random.below(21) as i64 - 10;
                    (c(value), i128::from(value))
                }
            };
        }
        let ((left, x), (right, y)) = (random_expression(random, depth - 1), random_expression(random, depth - 1));
        match random.below(6) {
            0 => (left + right, x + y),
            1 => (left - right, x - y),
            2 => (left * right, x * y),
            3 => (left.min(right), x.min(y)),
            4 => (left.max(right), x.max(y)),
            _ => {
                let by = random.below(7) as i64 + 1;
                let divisor = i128::from(by);
                (left.ceildiv(c(by)), x.div_euclid(divisor) + i128::from(x.rem_euclid(divisor) > 0))
            }
        }
    }

    #[test]
    fn folding_keeps_values() {
        let mut random = Random::new(7);
        let values = |variable| if variable == Variable::Dimension(0) { 3 } else { 5 };
        for _ in 0..2000 {
            let (expression, value) = random_expression(&mut random, 4);
            assert_eq!(expression.evaluate(&values), value, "{expression}");
        }
    }
}
