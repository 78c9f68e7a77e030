//! Formulas at one parameter of a tree: earlier parameters are values of the state, later ones are bounds.
//!
//! ```text
//! at G:  (N / L) % G   ──▶   state[0] % value
//! ```
use super::{
    formula::{Condition, Formula, Parameter, Relation},
    values::ParameterValues,
};

/// A formula at a parameter. Its value is an interval, of one number if all parameters are known.
pub(super) enum Resolved {
    /// A constant, or a later parameter.
    Between(u64, u64),
    /// A value of the state.
    Slot(usize),
    /// The value of the parameter.
    Value,
    Product(Vec<Resolved>),
    Sum(Vec<Resolved>),
    Quotient(Box<(Resolved, Resolved)>),
    QuotientUp(Box<(Resolved, Resolved)>),
    Remainder(Box<(Resolved, Resolved)>),
}

/// The values before a parameter; `None` where a formula is undefined.
pub(super) type Slots = [Option<u64>];

impl Resolved {
    /// Returns the smallest and the largest possible value; `None` if the formula is undefined.
    pub(super) fn bounds(&self, slots: &Slots, value: u64) -> Option<(u64, u64)> {
        let fold = |parts: &[Self], start: u64, combine: fn(u64, u64) -> u64| {
            parts.iter().try_fold((start, start), |(low, high), part| {
                let bounds = part.bounds(slots, value)?;
                Some((combine(low, bounds.0), combine(high, bounds.1)))
            })
        };
        let pair = |pair: &(Self, Self)| {
            let divisor = pair.1.bounds(slots, value).filter(|bounds| bounds.1 != 0)?;
            Some((pair.0.bounds(slots, value)?, divisor))
        };
        match self {
            Self::Between(low, high) => Some((*low, *high)),
            Self::Slot(slot) => slots.get(*slot).copied().flatten().map(|value| (value, value)),
            Self::Value => Some((value, value)),
            Self::Product(parts) => fold(parts, 1, u64::saturating_mul),
            Self::Sum(parts) => fold(parts, 0, u64::saturating_add),
            Self::Quotient(both) => pair(both).map(|(a, b)| (a.0 / b.1, a.1 / b.0.max(1))),
            Self::QuotientUp(both) => pair(both).map(|(a, b)| (a.0.div_ceil(b.1), a.1.div_ceil(b.0.max(1)))),
            Self::Remainder(both) => pair(both).map(|(a, b)| match (a.0 == a.1, b.0 == b.1) {
                (true, true) => (a.0 % b.0, a.0 % b.0),
                _ => (0, a.1.min(b.1 - 1)),
            }),
        }
    }

    /// Returns the value if all parameters are known.
    pub(super) fn exact(&self, slots: &Slots, value: u64) -> Option<u64> {
        self.bounds(slots, value).filter(|(low, high)| low == high).map(|(low, _)| low)
    }

    /// Returns true if the formula reads the parameter.
    fn reads_value(&self) -> bool {
        match self {
            Self::Between(..) | Self::Slot(_) => false,
            Self::Value => true,
            Self::Product(parts) | Self::Sum(parts) => parts.iter().any(Self::reads_value),
            Self::Quotient(both) | Self::QuotientUp(both) | Self::Remainder(both) => {
                both.0.reads_value() || both.1.reads_value()
            }
        }
    }
}

/// A condition at a parameter.
pub(super) struct ResolvedCondition {
    left: Resolved,
    relation: Relation,
    right: Resolved,
}

impl ResolvedCondition {
    /// Returns true if the condition holds for some values of later parameters, as far as their bounds show; exact if
    /// all parameters are known.
    pub(super) fn is_possible(&self, slots: &Slots, value: u64) -> bool {
        let (Some(left), Some(right)) = (self.left.bounds(slots, value), self.right.bounds(slots, value)) else {
            return false;
        };
        if left.0 == left.1 && right.0 == right.1 {
            return self.relation.holds(left.0, right.0);
        }
        match self.relation {
            Relation::AtMost => left.0 <= right.1,
            Relation::AtLeast => left.1 >= right.0,
            Relation::Equal => left.0 <= right.1 && right.0 <= left.1,
            Relation::Divides | Relation::MultipleOf | Relation::Different => true,
        }
    }
}

/// What narrows the values of a parameter before its conditions are checked.
pub(super) enum Narrowing {
    /// The value divides this.
    Divides(Resolved),
    /// The value times the factors is at most the bound.
    AtMost { factors: Vec<Resolved>, bound: Resolved },
}

/// Resolves formulas at one parameter, and collects what its state must have.
pub(super) struct Resolver<'a> {
    pub(super) parameter: Parameter,
    /// The values of all parameters, by number.
    pub(super) values: &'a [ParameterValues],
    /// The formulas of earlier parameters whose values the state must have.
    pub(super) slots: Vec<Formula>,
}

impl Resolver<'_> {
    fn slot(&mut self, formula: &Formula) -> Resolved {
        let known = self.slots.iter().position(|slot| slot == formula);
        Resolved::Slot(known.unwrap_or_else(|| {
            self.slots.push(formula.clone());
            self.slots.len() - 1
        }))
    }

    fn is_known(&self, formula: &Formula) -> bool {
        formula.last().is_some_and(|last| last < self.parameter)
    }

    /// Returns the parts of a product or sum; those that are known together are one slot.
    fn parts(&mut self, parts: &[Formula], together: fn(Vec<Formula>) -> Formula) -> Vec<Resolved> {
        let (mut known, open): (Vec<_>, Vec<_>) = parts.iter().cloned().partition(|part| self.is_known(part));
        let mut resolved: Vec<_> = open.iter().map(|part| self.formula(part)).collect();
        match known.len() {
            0 => {}
            1 => resolved.extend(known.pop().map(|part| self.slot(&part))),
            _ => resolved.push(self.slot(&together(known))),
        }
        resolved
    }

    /// Returns a formula at the parameter.
    pub(super) fn formula(&mut self, formula: &Formula) -> Resolved {
        if self.is_known(formula) {
            return self.slot(formula);
        }
        match formula {
            Formula::Constant(number) => Resolved::Between(*number, *number),
            Formula::Parameter(parameter) if *parameter == self.parameter => Resolved::Value,
            Formula::Parameter(later) => {
                let (low, high) = self.values.get(later.0).and_then(ParameterValues::bounds).unwrap_or((0, u64::MAX));
                Resolved::Between(low, high)
            }
            Formula::Product(parts) => Resolved::Product(self.parts(parts, Formula::Product)),
            Formula::Sum(parts) => Resolved::Sum(self.parts(parts, Formula::Sum)),
            Formula::Quotient(both) => Resolved::Quotient(self.pair(both)),
            Formula::QuotientUp(both) => Resolved::QuotientUp(self.pair(both)),
            Formula::Remainder(both) => Resolved::Remainder(self.pair(both)),
        }
    }

    fn pair(&mut self, both: &(Formula, Formula)) -> Box<(Resolved, Resolved)> {
        Box::new((self.formula(&both.0), self.formula(&both.1)))
    }

    /// Returns a condition at the parameter.
    pub(super) fn condition(&mut self, condition: &Condition) -> ResolvedCondition {
        let (left, right) = (self.formula(&condition.left), self.formula(&condition.right));
        ResolvedCondition { left, relation: condition.relation, right }
    }

    /// Returns what a condition that must hold narrows.
    pub(super) fn narrowing(&mut self, condition: &Condition) -> Option<Narrowing> {
        let (small, large) = match condition.relation {
            Relation::Divides | Relation::AtMost => (&condition.left, &condition.right),
            Relation::MultipleOf | Relation::AtLeast => (&condition.right, &condition.left),
            Relation::Equal | Relation::Different => return None,
        };
        let parameter = Formula::Parameter(self.parameter);
        let factors = match small {
            Formula::Product(factors) => factors.as_slice(),
            single => std::slice::from_ref(single),
        };
        let position = factors.iter().position(|factor| *factor == parameter)?;
        let others: Vec<_> = [&factors[..position], &factors[position + 1..]].concat();
        let (factors, bound) = (self.parts(&others, Formula::Product), self.formula(large));
        let is_usable = !bound.reads_value() && !factors.iter().any(Resolved::reads_value);
        is_usable.then_some(match condition.relation {
            Relation::Divides | Relation::MultipleOf => Narrowing::Divides(bound),
            _ => Narrowing::AtMost { factors, bound },
        })
    }
}

/// Returns true if some of the formulas read the parameter.
pub(super) fn read_value(formulas: &[Resolved]) -> bool {
    formulas.iter().any(Resolved::reads_value)
}
