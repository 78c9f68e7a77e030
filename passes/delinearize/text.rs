//! Shapes, subscripts and conditions as text.
//!
//! ```text
//! [?][n1], [i + 1][j] if 0 <= o1 and o1 + s1 <= n1, exact
//! ```
use super::polynomial::SourceParameter;
use crate::{
    analysis::index::{Expression, Variable},
    raise::loops::spelled,
};

/// The name of a variable, and true.
fn name(variable: Variable, parameters: &[SourceParameter<'_>]) -> (String, bool) {
    let text = match variable {
        Variable::Dimension(number) => spelled::variable(number),
        Variable::Symbol(number) => match parameters.get(number) {
            Some(SourceParameter::Value { value, .. }) => spelled::argument(*value),
            _ => None,
        }
        .unwrap_or_else(|| format!("s{number}")),
    };
    (text, true)
}

/// An expression.
pub fn expression(of: &Expression, parameters: &[SourceParameter<'_>]) -> String {
    of.spelled(&|variable| name(variable, parameters))
}

/// A list of sizes or subscripts.
pub fn list<'e>(of: impl IntoIterator<Item = &'e Expression>, parameters: &[SourceParameter<'_>]) -> String {
    of.into_iter().map(|one| format!("[{}]", expression(one, parameters))).collect()
}

/// Expressions that must not be negative.
pub fn condition(requirements: &[Expression], parameters: &[SourceParameter<'_>]) -> String {
    let side = |of: &Expression, sign: i128| {
        let terms = of.monomials().unwrap_or_default().into_iter().filter(|(_, c)| c.signum() == sign);
        let side = Expression::of_monomials(terms.map(|(monomial, c)| (monomial, c.saturating_abs())));
        expression(&side.unwrap_or_else(|| Expression::constant(0)), parameters)
    };
    let all: Vec<_> = requirements.iter().map(|of| format!("{} <= {}", side(of, -1), side(of, 1))).collect();
    if all.is_empty() { "true".to_owned() } else { all.join(" and ") }
}
