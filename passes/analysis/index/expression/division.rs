//! Polynomials: expressions whose factors are variables, with arithmetic that is exact or fails.
//!
//! ```text
//! n0 * n1 * i + n1 * j + k + 3    divided by n1    ──▶    n0 * i + j, and the remainder k + 3
//! ```
//!
//! Division takes the leading monomials in graded lexicographic order, and only exact quotients of coefficients. All
//! functions return `None` where an expression is no polynomial, or a coefficient does not fit in 128 bits.
use super::{Expression, Factor, Term, Variable};
use std::cmp::{Ordering, Reverse};

/// A product of variables, in ascending order; the empty product is 1.
pub type Monomial = Vec<Variable>;

/// The graded lexicographic order: of two monomials of one degree, that with more of the first variable is larger.
fn order(one: &Monomial, other: &Monomial) -> Ordering {
    (one.len(), Reverse(one)).cmp(&(other.len(), Reverse(other)))
}

/// The quotient of two monomials, if it is one.
pub fn quotient(dividend: &[Variable], divisor: &[Variable]) -> Option<Monomial> {
    let mut left = dividend.to_vec();
    for variable in divisor {
        left.remove(left.iter().position(|known| known == variable)?);
    }
    Some(left)
}

/// The greatest common divisor, which is not negative.
pub fn gcd(one: i128, other: i128) -> i128 {
    let divisor = num_integer::gcd(one.unsigned_abs(), other.unsigned_abs());
    i128::try_from(divisor).unwrap_or(i128::MAX)
}

impl Expression {
    /// Its terms, the constant among them if it is not 0.
    pub fn monomials(&self) -> Option<Vec<(Monomial, i128)>> {
        let variable = |factor: &Factor| match factor {
            Factor::Variable(variable) => Some(*variable),
            _ => None,
        };
        let term = |term: &Term| Some((term.factors.iter().map(variable).collect::<Option<_>>()?, term.coefficient));
        let constant = (self.constant != 0).then(|| Some((vec![], self.constant)));
        self.terms.iter().map(term).chain(constant).collect()
    }

    /// The sum of terms.
    pub fn of_monomials(terms: impl IntoIterator<Item = (Monomial, i128)>) -> Option<Self> {
        let mut sum = Self::constant(0);
        for (mut monomial, coefficient) in terms {
            monomial.sort();
            sum.accumulate(monomial.into_iter().map(Factor::Variable).collect(), coefficient)?;
        }
        Some(sum)
    }

    fn accumulate(&mut self, factors: Vec<Factor>, coefficient: i128) -> Option<()> {
        if factors.is_empty() {
            self.constant = self.constant.checked_add(coefficient)?;
            return Some(());
        }
        match self.terms.binary_search_by(|known| known.factors.cmp(&factors)) {
            Err(position) if coefficient != 0 => self.terms.insert(position, Term { factors, coefficient }),
            Err(_) => {}
            Ok(position) => {
                let sum = self.terms[position].coefficient.checked_add(coefficient)?;
                match sum {
                    0 => drop(self.terms.remove(position)),
                    _ => self.terms[position].coefficient = sum,
                }
            }
        }
        Some(())
    }

    /// The exact sum.
    pub fn checked_add(&self, other: &Self) -> Option<Self> {
        self.checked_add_multiple(other, 1)
    }

    /// The exact difference.
    pub fn checked_sub(&self, other: &Self) -> Option<Self> {
        self.checked_add_multiple(other, -1)
    }

    /// The exact sum with a multiple of another polynomial.
    pub fn checked_add_multiple(&self, other: &Self, factor: i128) -> Option<Self> {
        let scaled = other.monomials()?.into_iter().map(|(monomial, c)| Some((monomial, c.checked_mul(factor)?)));
        let scaled = scaled.collect::<Option<Vec<_>>>()?;
        Self::of_monomials(self.monomials()?.into_iter().chain(scaled))
    }

    /// The exact product.
    pub fn checked_mul(&self, other: &Self) -> Option<Self> {
        let (left, right) = (self.monomials()?, other.monomials()?);
        let mut products = vec![];
        for (one, c) in &left {
            for (two, e) in &right {
                products.push(([&one[..], &two[..]].concat(), c.checked_mul(*e)?));
            }
        }
        Self::of_monomials(products)
    }

    /// The largest number of variables of a product; 0 for a constant.
    pub fn degree(&self) -> usize {
        self.terms.iter().map(|term| term.factors.len()).max().unwrap_or(0)
    }

    /// The number of terms, the constant among them if it is not 0.
    pub fn count_of_terms(&self) -> usize {
        self.terms.len() + usize::from(self.constant != 0)
    }

    /// The greatest common divisor of the coefficients, with the sign of the leading one; 0 for the constant 0.
    pub fn content(&self) -> Option<i128> {
        let all = self.monomials()?;
        let leading = all.iter().max_by(|(one, _), (other, _)| order(one, other)).map_or(0, |(_, c)| *c);
        let content = all.iter().fold(0, |divisor, (_, coefficient)| gcd(divisor, *coefficient));
        Some(if leading < 0 { -content } else { content })
    }

    /// The quotient by a number that divides all coefficients.
    pub fn exact_quotient(&self, divisor: i128) -> Option<Self> {
        let quotients = self.monomials()?.into_iter().map(|(monomial, c)| {
            let is_exact = c.checked_rem(divisor)? == 0;
            is_exact.then(|| Some((monomial, c.checked_div(divisor)?))).flatten()
        });
        Self::of_monomials(quotients.collect::<Option<Vec<_>>>()?)
    }

    /// The polynomial that a variable is multiplied by; `None` if it is multiplied by itself.
    pub fn coefficient(&self, variable: Variable) -> Option<Self> {
        let mut found = vec![];
        for (monomial, coefficient) in self.monomials()? {
            if let Some(rest) = quotient(&monomial, &[variable]) {
                if rest.contains(&variable) {
                    return None;
                }
                found.push((rest, coefficient));
            }
        }
        Self::of_monomials(found)
    }

    /// The polynomial with another one in place of a variable.
    pub fn substituted(&self, variable: Variable, by: &Self) -> Option<Self> {
        let mut sum = Self::constant(0);
        for (monomial, coefficient) in self.monomials()? {
            let (own, rest): (Vec<_>, Vec<_>) = monomial.into_iter().partition(|known| *known == variable);
            let mut product = Self::of_monomials([(rest, coefficient)])?;
            for _ in own {
                product = product.checked_mul(by)?;
            }
            sum = sum.checked_add(&product)?;
        }
        Some(sum)
    }

    /// The quotient and the remainder by a polynomial other than 0. Quotients of the coefficients by a number are rounded
    /// to the nearest one, so that `2001 * d0` by 2000 is `d0` with the remainder `d0`.
    pub fn divided(&self, divisor: &Self) -> Option<(Self, Self)> {
        if let Some(number) = divisor.value() {
            return self.divided_by_number(number);
        }
        let parts = divisor.monomials()?;
        let (leading, factor) = parts.iter().max_by(|(one, _), (other, _)| order(one, other))?;
        let (mut rest, mut whole, mut remainder) = (self.clone(), vec![], vec![]);
        loop {
            let left = rest.monomials()?;
            let Some((monomial, coefficient)) = left.iter().max_by(|(one, _), (other, _)| order(one, other)) else {
                break;
            };
            let exact = quotient(monomial, leading).filter(|_| coefficient % factor == 0);
            let taken = match exact {
                Some(quotient) => {
                    let term = (quotient, coefficient.checked_div(*factor)?);
                    let taken = Self::of_monomials([term.clone()])?.checked_mul(divisor)?;
                    whole.push(term);
                    taken
                }
                None => {
                    remainder.push((monomial.clone(), *coefficient));
                    Self::of_monomials([(monomial.clone(), *coefficient)])?
                }
            };
            rest = rest.checked_sub(&taken)?;
        }
        Some((Self::of_monomials(whole)?, Self::of_monomials(remainder)?))
    }

    fn divided_by_number(&self, divisor: i128) -> Option<(Self, Self)> {
        let (mut whole, mut remainder) = (vec![], vec![]);
        for (monomial, coefficient) in self.monomials()? {
            // Of two numbers that are as near, the smaller one: the remainder is positive.
            let doubled = coefficient.checked_mul(2)?.checked_add(divisor)?.checked_sub(1)?;
            let quotient = doubled.checked_div_euclid(divisor.checked_mul(2)?)?;
            let rest = coefficient.checked_sub(quotient.checked_mul(divisor)?)?;
            whole.push((monomial.clone(), quotient));
            remainder.push((monomial, rest));
        }
        Some((Self::of_monomials(whole)?, Self::of_monomials(remainder)?))
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

    fn c(value: i128) -> Expression {
        Expression::constant(value)
    }

    fn check(dividend: Expression, divisor: Expression, quotient: &str, remainder: &str) {
        let (whole, rest) = dividend.divided(&divisor).expect("coefficients are small");
        assert_eq!((whole.to_string().as_str(), rest.to_string().as_str()), (quotient, remainder));
        assert_eq!(whole * divisor + rest, dividend);
    }

    #[test]
    fn division_takes_what_is_exact() {
        check(s(0) * s(1) * d(0) + s(1) * d(1) + d(2) + c(3), s(1), "d0 * s0 + d1", "d2 + 3");
        check((s(0) + s(1) - c(1)) * d(0) + d(1), s(0) + s(1) - c(1), "d0", "d1");
        check(s(0) * d(0) * c(2) + d(1), s(0) * c(2), "d0", "d1");
        check(s(0) * d(0) * c(3), s(0) * c(2), "0", "3 * d0 * s0");
        check(d(0), s(0), "0", "d0");
        check(c(0), s(0), "0", "0");
    }

    #[test]
    fn quotients_of_numbers_are_the_nearest() {
        check(d(0) * c(2001), c(2000), "d0", "d0");
        check(d(0) * c(1000) + c(999), c(1000), "d0 + 1", "-1");
        check(c(500), c(1000), "0", "500");
        check(c(-500), c(1000), "-1", "500");
        check(d(0) * c(-1), c(1000), "0", "-d0");
    }

    #[test]
    fn coefficients_are_polynomials() {
        let index = (s(0) + c(1)) * d(0) * c(4) + d(1);
        assert_eq!(index.coefficient(Variable::Dimension(0)), Some(s(0) * c(4) + c(4)));
        assert_eq!(index.coefficient(Variable::Dimension(2)), Some(c(0)));
        assert_eq!((d(0) * d(0)).coefficient(Variable::Dimension(0)), None);
        assert_eq!((s(0) * c(-4) + c(6)).content(), Some(-2));
        assert_eq!(index.substituted(Variable::Dimension(0), &(s(1) - c(1))).map(|e| e.degree()), Some(2));
    }

    #[test]
    fn numbers_beyond_128_bits_are_refused() {
        let large = c(i128::MAX);
        assert_eq!(large.checked_add(&c(1)), None);
        assert_eq!((s(0) * large.clone()).checked_mul(&c(2)), None);
        assert_eq!(s(0).min(c(3)).checked_add(&c(1)), None);
        assert_eq!((s(0) * large).divided(&c(3)), None);
    }

    fn random_polynomial(random: &mut Random) -> Expression {
        let term = |random: &mut Random| {
            let variables = [d(0), d(1), s(0), s(1)];
            let count = random.below(3);
            let coefficient = c(random.below(9) as i128 - 4);
            (0..count).fold(coefficient, |product, _| product * variables[random.below(4)].clone())
        };
        (0..random.below(4) + 1).fold(c(0), |sum, _| sum + term(random))
    }

    #[test]
    fn quotients_and_remainders_make_up_the_dividend() {
        let mut random = Random::new(11);
        for _ in 0..2000 {
            let (dividend, divisor) = (random_polynomial(&mut random), random_polynomial(&mut random));
            if divisor.value().is_some_and(|number| number <= 0) {
                continue;
            }
            let (whole, rest) = dividend.divided(&divisor).expect("coefficients are small");
            assert_eq!(whole * divisor.clone() + rest, dividend, "{dividend} by {divisor}");
        }
    }
}
