//! Formulas over parameters, and the conditions of constraints. They are printable, and a tree derives from them what
//! the rest of a point depends on.
//!
//! ```text
//! (N / L) % G = 0   ──▶   G divides N / L   ──▶   after L is chosen: only the value of N / L matters
//! ```
use std::fmt;

/// A parameter of a space, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Parameter(pub(super) usize);

impl Parameter {
    /// Returns the position of the values of the parameter in a point.
    pub fn position(self) -> usize {
        self.0
    }
}

/// An expression over parameters, with unsigned 64-bit values that saturate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// A number.
    Constant(u64),
    /// The value of a parameter.
    Parameter(Parameter),
    /// A product.
    Product(Vec<Formula>),
    /// A sum.
    Sum(Vec<Formula>),
    /// A quotient, rounded down; undefined if the divisor is 0.
    Quotient(Box<(Formula, Formula)>),
    /// A quotient, rounded up; undefined if the divisor is 0.
    QuotientUp(Box<(Formula, Formula)>),
    /// A remainder; undefined if the divisor is 0.
    Remainder(Box<(Formula, Formula)>),
}

impl From<u64> for Formula {
    fn from(number: u64) -> Self {
        Self::Constant(number)
    }
}

impl From<Parameter> for Formula {
    fn from(parameter: Parameter) -> Self {
        Self::Parameter(parameter)
    }
}

impl Formula {
    /// Returns the product of formulas.
    pub fn product<F: Into<Self>>(factors: impl IntoIterator<Item = F>) -> Self {
        Self::Product(factors.into_iter().map(Into::into).collect())
    }

    /// Returns the sum of formulas.
    pub fn sum<F: Into<Self>>(terms: impl IntoIterator<Item = F>) -> Self {
        Self::Sum(terms.into_iter().map(Into::into).collect())
    }

    /// Returns the quotient, rounded down.
    pub fn quotient(dividend: impl Into<Self>, divisor: impl Into<Self>) -> Self {
        Self::Quotient(Box::new((dividend.into(), divisor.into())))
    }

    /// Returns the quotient, rounded up.
    pub fn quotient_up(dividend: impl Into<Self>, divisor: impl Into<Self>) -> Self {
        Self::QuotientUp(Box::new((dividend.into(), divisor.into())))
    }

    /// Returns the remainder.
    pub fn remainder(dividend: impl Into<Self>, divisor: impl Into<Self>) -> Self {
        Self::Remainder(Box::new((dividend.into(), divisor.into())))
    }

    /// Passes every parameter that the formula reads to `visit`.
    pub(super) fn visit(&self, visit: &mut dyn FnMut(Parameter)) {
        match self {
            Self::Constant(_) => {}
            Self::Parameter(parameter) => visit(*parameter),
            Self::Product(parts) | Self::Sum(parts) => parts.iter().for_each(|part| part.visit(visit)),
            Self::Quotient(pair) | Self::QuotientUp(pair) | Self::Remainder(pair) => {
                pair.0.visit(visit);
                pair.1.visit(visit);
            }
        }
    }

    /// Returns the last parameter that the formula reads; `None` for constants.
    pub(super) fn last(&self) -> Option<Parameter> {
        let mut last = None;
        self.visit(&mut |parameter| last = last.max(Some(parameter)));
        last
    }

    /// Returns the value at a point; `None` if it is undefined.
    pub(super) fn value(&self, point: &[u64]) -> Option<u64> {
        let values = |parts: &[Self], start: u64, combine: fn(u64, u64) -> u64| {
            parts.iter().try_fold(start, |all, part| Some(combine(all, part.value(point)?)))
        };
        let pair = |pair: &(Self, Self)| Some((pair.0.value(point)?, pair.1.value(point).filter(|d| *d != 0)?));
        match self {
            Self::Constant(number) => Some(*number),
            Self::Parameter(parameter) => point.get(parameter.0).copied(),
            Self::Product(parts) => values(parts, 1, u64::saturating_mul),
            Self::Sum(parts) => values(parts, 0, u64::saturating_add),
            Self::Quotient(both) => pair(both).map(|(a, b)| a / b),
            Self::QuotientUp(both) => pair(both).map(|(a, b)| a.div_ceil(b)),
            Self::Remainder(both) => pair(both).map(|(a, b)| a % b),
        }
    }

    /// Returns the formula with names of parameters, in parentheses if it is an operation inside of another one.
    pub(super) fn text(&self, names: &[String], is_inside: bool) -> String {
        let list = |parts: &[Self], operator: &str| {
            parts.iter().map(|part| part.text(names, true)).collect::<Vec<_>>().join(operator)
        };
        let pair = |pair: &(Self, Self), operator: &str| {
            format!("{} {operator} {}", pair.0.text(names, true), pair.1.text(names, true))
        };
        let text = match self {
            Self::Constant(number) => return number.to_string(),
            Self::Parameter(parameter) => return names.get(parameter.0).cloned().unwrap_or_default(),
            Self::QuotientUp(both) => return format!("ceil({})", pair(both, "/")),
            Self::Product(parts) => list(parts, " * "),
            Self::Sum(parts) => list(parts, " + "),
            Self::Quotient(both) => pair(both, "/"),
            Self::Remainder(both) => pair(both, "%"),
        };
        if is_inside { format!("({text})") } else { text }
    }
}

/// A relation between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// The left value is a divisor of the right one, and not 0.
    Divides,
    /// The left value is a multiple of the right one, which is not 0.
    MultipleOf,
    /// At most.
    AtMost,
    /// At least.
    AtLeast,
    /// Equal.
    Equal,
    /// Different.
    Different,
}

impl Relation {
    /// Returns true if the relation holds.
    pub fn holds(self, left: u64, right: u64) -> bool {
        match self {
            Self::Divides => left != 0 && right.is_multiple_of(left),
            Self::MultipleOf => right != 0 && left.is_multiple_of(right),
            Self::AtMost => left <= right,
            Self::AtLeast => left >= right,
            Self::Equal => left == right,
            Self::Different => left != right,
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Divides => "divides",
            Self::MultipleOf => "is a multiple of",
            Self::AtMost => "<=",
            Self::AtLeast => ">=",
            Self::Equal => "=",
            Self::Different => "!=",
        })
    }
}

/// A relation between two formulas; it does not hold where one of them is undefined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The left side.
    pub left: Formula,
    /// The relation.
    pub relation: Relation,
    /// The right side.
    pub right: Formula,
}

impl Condition {
    /// Returns a condition.
    pub fn new(left: impl Into<Formula>, relation: Relation, right: impl Into<Formula>) -> Self {
        Self { left: left.into(), relation, right: right.into() }
    }

    pub(super) fn holds(&self, point: &[u64]) -> bool {
        let values = self.left.value(point).zip(self.right.value(point));
        values.is_some_and(|(left, right)| self.relation.holds(left, right))
    }
}

/// What a constraint requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// At least one of the conditions holds.
    Any(Vec<Condition>),
    /// The values of the parameters are pairwise different.
    PairwiseDifferent(Vec<Parameter>),
}

impl From<Condition> for Requirement {
    fn from(condition: Condition) -> Self {
        Self::Any(vec![condition])
    }
}

impl Requirement {
    /// Returns the parameters that the requirement reads, in ascending order.
    pub fn parameters(&self) -> Vec<Parameter> {
        let mut found = vec![];
        match self {
            Self::Any(conditions) => {
                for side in conditions.iter().flat_map(|condition| [&condition.left, &condition.right]) {
                    side.visit(&mut |parameter| found.push(parameter));
                }
            }
            Self::PairwiseDifferent(parameters) => found.extend(parameters),
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns true if a point satisfies the requirement.
    pub(super) fn holds(&self, point: &[u64]) -> bool {
        match self {
            Self::Any(conditions) => conditions.iter().any(|condition| condition.holds(point)),
            Self::PairwiseDifferent(_) => {
                let parameters = self.parameters();
                let mut values: Vec<_> = parameters.iter().filter_map(|parameter| point.get(parameter.0)).collect();
                values.sort_unstable();
                values.windows(2).all(|pair| pair[0] != pair[1])
            }
        }
    }

    /// Returns the requirement with names of parameters, such as `G divides N / L`.
    pub(super) fn text(&self, names: &[String]) -> String {
        let one = |condition: &Condition| {
            let side = |formula: &Formula| formula.text(names, false);
            format!("{} {} {}", side(&condition.left), condition.relation, side(&condition.right))
        };
        match self {
            Self::Any(conditions) => conditions.iter().map(one).collect::<Vec<_>>().join(" or "),
            Self::PairwiseDifferent(parameters) => {
                let names: Vec<_> =
                    parameters.iter().filter_map(|parameter| names.get(parameter.0)).map(String::as_str).collect();
                format!("{} are pairwise different", names.join(", "))
            }
        }
    }
}
