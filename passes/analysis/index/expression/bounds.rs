//! What the ranges of its variables say about an expression: minima, maxima and quotients whose result is known.
//!
//! ```text
//! d0 in 0..8:  min(8, 64 - 8 * d0)  ──▶  8        d0 in 0..s1:  max(s1 - d0, 0)  ──▶  s1 - d0
//! ```
use super::{Expression, Factor, Variable};

/// The smallest and the largest value of a variable, as expressions of variables with smaller numbers; `None` if it is
/// not limited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VariableRange {
    /// The smallest value.
    pub least: Option<Expression>,
    /// The largest value.
    pub most: Option<Expression>,
}

/// What is known about variables.
pub trait Facts {
    /// What a variable is equal to.
    fn equal(&self, variable: Variable) -> Option<Expression>;
    /// The range of a variable.
    fn range(&self, variable: Variable) -> VariableRange;
}

/// The bounds of a number; `None` if it is not limited.
type Extremes = [Option<i128>; 2];

impl Expression {
    /// The expression, without the minima, maxima and quotients whose result is known.
    pub fn simplified(&self, facts: &dyn Facts) -> Self {
        let product = |sum: Self, term: &super::Term| {
            let factors = term.factors.iter().map(|factor| simplified(factor, facts));
            sum + factors.fold(Self::constant(term.coefficient), |product, factor| product * factor)
        };
        let sum = self.terms.iter().fold(Self::constant(self.constant), product);
        match sum.bounds(facts) {
            [Some(least), Some(most)] if least == most => Self::constant(least),
            _ => sum,
        }
    }

    /// The smallest value that the ranges allow; `None` if it is not limited.
    pub fn least(&self, facts: &dyn Facts) -> Option<i128> {
        let replaced = self.innermost().and_then(|(variable, coefficient)| {
            let difference = limit(variable, coefficient, facts)? - Self::factor(Factor::Variable(variable));
            Some(self.clone() + difference * Self::constant(coefficient))
        });
        match replaced {
            Some(replaced) => replaced.least(facts),
            None => self.terms.iter().try_fold(self.constant, |sum, term| {
                let factors = term.factors.iter().map(|factor| bounds(factor, facts));
                let [least, _] = factors.fold([Some(term.coefficient); 2], product);
                sum.checked_add(least?)
            }),
        }
    }

    /// The largest value that the ranges allow; `None` if it is not limited.
    pub fn most(&self, facts: &dyn Facts) -> Option<i128> {
        (self.clone() * Self::constant(-1)).least(facts)?.checked_neg()
    }

    fn bounds(&self, facts: &dyn Facts) -> Extremes {
        [self.least(facts), self.most(facts)]
    }

    /// The variable with the largest number, with its coefficient, if it only occurs by itself: its limit, an expression
    /// of variables with smaller numbers, can replace it.
    fn innermost(&self) -> Option<(Variable, i128)> {
        let own = |(i, term): (usize, &super::Term)| match term.factors[..] {
            [Factor::Variable(variable)] => Some((number(variable), variable, term.coefficient, i)),
            _ => None,
        };
        let mut alone: Vec<_> = self.terms.iter().enumerate().filter_map(own).collect();
        alone.sort_by_key(|(number, ..)| std::cmp::Reverse(*number));
        let is_elsewhere = |variable: Variable, own: usize| {
            let others = self.terms.iter().enumerate().filter(|(i, _)| *i != own);
            others
                .flat_map(|(_, term)| &term.factors)
                .any(|factor| Self::factor(factor.clone()).depends_on(&|other| other == variable))
        };
        let (_, variable, coefficient, _) =
            alone.into_iter().find(|(_, variable, _, i)| !is_elsewhere(*variable, *i))?;
        Some((variable, coefficient))
    }
}

fn number(variable: Variable) -> usize {
    match variable {
        Variable::Dimension(number) | Variable::Symbol(number) => number,
    }
}

/// The limit of a variable at which a multiple of it is smallest.
fn limit(variable: Variable, coefficient: i128, facts: &dyn Facts) -> Option<Expression> {
    let VariableRange { least, most } = facts.range(variable);
    let limit = if coefficient > 0 { least } else { most }?;
    (!limit.depends_on(&|other| number(other) >= number(variable))).then_some(limit)
}

fn simplified(factor: &Factor, facts: &dyn Facts) -> Expression {
    match factor {
        Factor::Variable(variable) => match facts.equal(*variable) {
            Some(equal) => equal,
            None => Expression::factor(factor.clone()),
        },
        Factor::Min(operands) => extreme(operands, facts, Expression::min, |one, other| {
            (one.clone() - other.clone()).most(facts).is_some_and(|most| most <= 0)
        }),
        Factor::Max(operands) => extreme(operands, facts, Expression::max, |one, other| {
            (one.clone() - other.clone()).least(facts).is_some_and(|least| least >= 0)
        }),
        Factor::CeilDiv(dividend, divisor) => dividend.simplified(facts).ceildiv(divisor.simplified(facts)),
    }
}

/// A minimum or a maximum of the operands that can be the result. `decides`: true if the first operand makes the second
/// one superfluous.
fn extreme(
    operands: &[Expression],
    facts: &dyn Facts,
    choose: fn(Expression, Expression) -> Expression,
    decides: impl Fn(&Expression, &Expression) -> bool,
) -> Expression {
    let mut left: Vec<Expression> = vec![];
    for operand in operands.iter().map(|operand| operand.simplified(facts)) {
        if !left.iter().any(|other| decides(other, &operand)) {
            left.retain(|other| !decides(&operand, other));
            left.push(operand);
        }
    }
    left.into_iter().reduce(choose).unwrap_or_else(|| Expression::constant(0))
}

fn bounds(factor: &Factor, facts: &dyn Facts) -> Extremes {
    match factor {
        Factor::Variable(variable) => [1, -1].map(|coefficient| {
            let limit = limit(*variable, coefficient, facts)?;
            if coefficient > 0 { limit.least(facts) } else { limit.most(facts) }
        }),
        Factor::Min(operands) => {
            let all: Vec<_> = operands.iter().map(|operand| operand.bounds(facts)).collect();
            let least = all.iter().map(|[least, _]| *least).reduce(|one, other| Some(one?.min(other?)));
            [least.flatten(), all.iter().filter_map(|[_, most]| *most).min()]
        }
        Factor::Max(operands) => {
            let all: Vec<_> = operands.iter().map(|operand| operand.bounds(facts)).collect();
            let most = all.iter().map(|[_, most]| *most).reduce(|one, other| Some(one?.max(other?)));
            [all.iter().filter_map(|[least, _]| *least).max(), most.flatten()]
        }
        Factor::CeilDiv(dividend, divisor) => {
            let ([least, most], [smallest, largest]) = (dividend.bounds(facts), divisor.bounds(facts));
            let Some(smallest) = smallest.filter(|smallest| *smallest > 0) else { return [None; 2] };
            let quotient = |dividend: i128, divisor: i128| {
                dividend.div_euclid(divisor) + i128::from(dividend.rem_euclid(divisor) > 0)
            };
            // A larger divisor brings a quotient closer to zero.
            let least = least.map(|least| match largest {
                _ if least < 0 => quotient(least, smallest),
                Some(largest) => quotient(least, largest),
                None => i128::from(least > 0),
            });
            let most = most.map(|most| match largest {
                _ if most >= 0 => quotient(most, smallest),
                Some(largest) => quotient(most, largest),
                None => 0,
            });
            [least, most]
        }
    }
}

/// The bounds of a product.
fn product(one: Extremes, other: Extremes) -> Extremes {
    if let ([Some(a), Some(b)], [Some(c), Some(d)]) = (one, other) {
        let ends = [a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)];
        let Some(ends) = ends.into_iter().collect::<Option<Vec<_>>>() else { return [None; 2] };
        return [ends.iter().min().copied(), ends.iter().max().copied()];
    }
    let times = |one: Option<i128>, other: Option<i128>| one?.checked_mul(other?);
    match (one, other) {
        ([Some(a), b], [Some(c), d]) if a >= 0 && c >= 0 => [a.checked_mul(c), times(b, d)],
        // A negative number by one that is not negative.
        ([a, Some(b)], [Some(c), d]) if b <= 0 && c >= 0 => [times(a, d), b.checked_mul(c)],
        ([Some(c), d], [a, Some(b)]) if b <= 0 && c >= 0 => [times(a, d), b.checked_mul(c)],
        _ => [None; 2],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dimension 1 is in 0..8, dimension 2 in 0..s0, dimension 3 is 5, and symbols are not negative.
    struct Known;

    impl Facts for Known {
        fn equal(&self, variable: Variable) -> Option<Expression> {
            (variable == Variable::Dimension(3)).then(|| n(5))
        }

        fn range(&self, variable: Variable) -> VariableRange {
            let most = match variable {
                Variable::Dimension(1) => Some(n(7)),
                Variable::Dimension(2) => Some(s(0) - n(1)),
                Variable::Dimension(_) => return VariableRange::default(),
                Variable::Symbol(_) => None,
            };
            VariableRange { least: Some(n(0)), most }
        }
    }

    fn n(value: i64) -> Expression {
        Expression::constant(value)
    }

    fn d(number: usize) -> Expression {
        Expression::dimension(number)
    }

    fn s(number: usize) -> Expression {
        Expression::symbol(number)
    }

    fn check(expression: Expression, expected: &str) {
        assert_eq!(expression.simplified(&Known).to_string(), expected);
    }

    #[test]
    fn known_minima_and_maxima_are_their_results() {
        check(n(8).min(n(64) - n(8) * d(1)), "8");
        check(n(8).min(n(60) - n(8) * d(1)), "min(8, 60 - 8 * d1)");
        check(n(0).max(n(56) - n(8) * d(1)), "56 - 8 * d1");
        check((s(0) - d(2)).max(n(1)), "s0 - d2");
        check((s(0) - d(2)).min(n(0)), "0");
        check(s(0).max(n(0)).min(s(0) + s(4)), "s0");
        check(d(9).min(n(4)), "min(4, d9)");
        // The middle one is never the smallest.
        check(d(9).min(n(7) + s(4)).min(n(7)), "min(7, d9)");
    }

    #[test]
    fn known_quotients_and_variables_are_numbers() {
        check((d(1) + n(1)).ceildiv(n(8)), "1");
        check((d(1) + n(2)).ceildiv(n(8)), "ceildiv(d1 + 2, 8)");
        check(d(3) * s(0) + d(1), "d1 + 5 * s0");
        check(n(7).ceildiv(s(0) + n(7)), "1");
        check((d(1) - n(7)).ceildiv(s(0) + n(8)), "0");
    }

    #[test]
    fn bounds_hold_for_all_values() {
        let of = |expression: Expression| [expression.least(&Known), expression.most(&Known)];
        assert_eq!(of(d(1) * n(-2) + n(3)), [Some(-11), Some(3)]);
        assert_eq!(of(d(1) * d(1)), [Some(0), Some(49)]);
        assert_eq!(of(d(1) * s(0)), [Some(0), None]);
        assert_eq!(of(n(0) - d(1) * s(0)), [None, Some(0)]);
        assert_eq!(of(d(9)), [None, None]);
        assert_eq!(of(d(1).max(s(0))), [Some(0), None]);
        assert_eq!(of(d(1).min(s(0))), [Some(0), Some(7)]);
        assert_eq!(of(n(i64::MAX) * n(i64::MAX) * d(1) * d(1) * d(1)), [None, None]);
        assert_eq!(of(s(0) - d(2)), [Some(1), None]);
    }
}
