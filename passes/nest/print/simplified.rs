//! Index arithmetic for readers who want to know how much is done, and not by which operations: without minima, maxima,
//! quotients, remainders and conditions whose result follows from the bounds of the loops.
//!
//! ```text
//! for p1_1 in 0..8:
//!   for i0 in 0..min(8, 64 - p1_1 * 8):     8 iterations
//!     if p1_1 * 8 + i0 < 64:                always
//! ```
use super::names::Names;
use crate::{
    analysis::index::{Expression, Facts, Variable, VariableRange},
    nest::{
        index::Index,
        tree::{Binary, Buffer, Operation, Statement, Value},
        types::Type,
    },
};
use mdh_dialects::ir::IntPredicate;
use std::{cell::RefCell, collections::HashMap};

/// The index arithmetic of a nest, with what is known about its values.
pub struct Simplified<'a, 'n> {
    names: &'a Names<'n>,
    /// By value: its range, if it is the index of a loop or a number of a kernel.
    ranges: HashMap<Value, VariableRange>,
    /// The first value that is the size of a buffer along an axis.
    sizes: HashMap<(Buffer, i64), Value>,
    /// What values are equal to.
    equal: RefCell<HashMap<Value, Option<Expression>>>,
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SimplifiedCondition {
    /// It has the same result each time.
    Known(bool),
    /// As text.
    Open(String),
}

impl<'a, 'n> Simplified<'a, 'n> {
    /// Collects what is known about the values of a nest.
    pub fn of(names: &'a Names<'n>) -> Self {
        let mut found =
            Self { names, ranges: HashMap::new(), sizes: HashMap::new(), equal: RefCell::new(HashMap::new()) };
        for statement in names.nest().blocks.iter().flatten() {
            found.statement(statement);
        }
        found
    }

    fn statement(&mut self, Statement { operation, operands, results }: &Statement) {
        match operation {
            Operation::Loop(r#loop) | Operation::Parallel(r#loop) => {
                let [lower, upper, step] = [0, 1, 2].map(|i| operands.get(i).map(|bound| self.expression(*bound)));
                let (Some(lower), Some(upper), Some(step)) = (lower, upper, step) else { return };
                let last = match (lower.value(), upper.value(), step.value()) {
                    (Some(first), Some(end), Some(step)) if first < end && step > 0 => {
                        Expression::constant(first + (end - 1 - first) / step * step)
                    }
                    _ => upper - Expression::constant(1),
                };
                self.ranges.insert(r#loop.index, VariableRange { least: Some(lower), most: Some(last) });
            }
            Operation::Kernel(kernel) => {
                let sizes: Vec<_> = operands.iter().take(6).map(|size| self.expression(*size)).collect();
                let numbers = kernel.numbers.iter().zip(sizes.iter().chain(&sizes)).enumerate();
                for (i, (number, size)) in numbers {
                    let last = size.clone() - Expression::constant(1);
                    // Block and thread IDs come first, then the numbers of blocks and threads.
                    let (least, most) =
                        if i < 6 { (Expression::constant(0), last) } else { (size.clone(), size.clone()) };
                    self.ranges.insert(*number, VariableRange { least: Some(least), most: Some(most) });
                }
            }
            Operation::Dimension(buffer) => {
                let axis = operands.first().and_then(|axis| self.expression(*axis).value());
                if let (Some(axis), Some(size)) = (axis.and_then(|axis| i64::try_from(axis).ok()), results.first()) {
                    let first = self.sizes.entry((*buffer, axis)).or_insert(*size);
                    *first = (*first).min(*size);
                }
            }
            _ => {}
        }
    }

    fn expression(&self, value: Value) -> Expression {
        self.names.definitions.expression(Index::Computed(value))
    }

    fn simple(&self, value: Value) -> Expression {
        self.expression(value).simplified(self)
    }

    /// A value as text.
    pub fn value(&self, value: Value) -> String {
        self.text(&self.simple(value))
    }

    /// The number of iterations of a loop with these bounds and this step: a number if it is known, else as text.
    pub fn iterations(&self, [lower, upper, step]: [Value; 3]) -> Result<u64, String> {
        let length = self.expression(upper) - self.expression(lower);
        let count = length.ceildiv(self.expression(step)).simplified(self);
        count.count().ok_or_else(|| count.spelled_operand(&|variable| self.variable(value_of(variable))))
    }

    /// A condition.
    pub fn condition(&self, value: Value) -> SimplifiedCondition {
        let open = || SimplifiedCondition::Open(self.names.value(value));
        let Some(Statement { operation, operands, .. }) = self.names.definitions.statement(value) else {
            return open();
        };
        match (operation, &operands[..]) {
            (Operation::Constant(number), _) => SimplifiedCondition::Known(*number != 0),
            (Operation::Compare(predicate), [left, right]) if self.is_index(*left) => {
                self.comparison(*predicate, self.simple(*left), self.simple(*right))
            }
            (Operation::Binary(Binary::And), [left, right]) if *left < value && *right < value => {
                match (self.condition(*left), self.condition(*right)) {
                    (SimplifiedCondition::Known(false), _) | (_, SimplifiedCondition::Known(false)) => {
                        SimplifiedCondition::Known(false)
                    }
                    (SimplifiedCondition::Known(true), other) | (other, SimplifiedCondition::Known(true)) => other,
                    (SimplifiedCondition::Open(left), SimplifiedCondition::Open(right)) if left == right => {
                        SimplifiedCondition::Open(left)
                    }
                    (SimplifiedCondition::Open(left), SimplifiedCondition::Open(right)) => {
                        SimplifiedCondition::Open(format!("{left} and {right}"))
                    }
                }
            }
            _ => open(),
        }
    }

    fn is_index(&self, value: Value) -> bool {
        self.names.nest().type_of(value) == Type::INDEX
    }

    fn comparison(&self, predicate: IntPredicate, left: Expression, right: Expression) -> SimplifiedCondition {
        let difference = left.clone() - right.clone();
        let (least, most) = (difference.least(self), difference.most(self));
        let is_below = |limit: i128| match (least, most) {
            (_, Some(most)) if most < limit => Some(true),
            (Some(least), _) if least >= limit => Some(false),
            _ => None,
        };
        let is_equal = match (least, most) {
            (Some(0), Some(0)) => Some(true),
            (Some(1..), _) | (_, Some(..=-1)) => Some(false),
            _ => None,
        };
        let is_unsigned = || [&left, &right].iter().all(|side| side.least(self).is_some_and(|least| least >= 0));
        let (known, sign) = match predicate {
            IntPredicate::Eq => (is_equal, "=="),
            IntPredicate::Ne => (is_equal.map(|is_equal| !is_equal), "!="),
            IntPredicate::Slt => (is_below(0), "<"),
            IntPredicate::Sle => (is_below(1), "<="),
            IntPredicate::Sgt => (is_below(1).map(|is_below| !is_below), ">"),
            IntPredicate::Sge => (is_below(0).map(|is_below| !is_below), ">="),
            IntPredicate::Ult => (is_below(0).filter(|_| is_unsigned()), "<"),
            IntPredicate::Ule => (is_below(1).filter(|_| is_unsigned()), "<="),
            IntPredicate::Ugt => (is_below(1).map(|is_below| !is_below).filter(|_| is_unsigned()), ">"),
            IntPredicate::Uge => (is_below(0).map(|is_below| !is_below).filter(|_| is_unsigned()), ">="),
        };
        let open = || SimplifiedCondition::Open(format!("{} {sign} {}", self.text(&left), self.text(&right)));
        known.map_or_else(open, SimplifiedCondition::Known)
    }

    fn text(&self, expression: &Expression) -> String {
        expression.spelled(&|variable| self.variable(value_of(variable)))
    }

    /// A value that is no sum or product, and whether it needs no parentheses in a product.
    fn variable(&self, value: Value) -> (String, bool) {
        let statement = self.names.definitions.statement(value);
        let parts = statement.map(|Statement { operation, operands, .. }| (operation, &operands[..]));
        let operand =
            |operand: Value| self.simple(operand).spelled_operand(&|variable| self.variable(value_of(variable)));
        let is_before = |operands: &[Value]| operands.iter().all(|operand| *operand < value);
        match parts {
            Some((Operation::Binary(operation @ (Binary::Divide | Binary::Remainder)), &[left, right]))
                if is_before(&[left, right]) =>
            {
                let sign = if *operation == Binary::Divide { "/" } else { "%" };
                (format!("{} {sign} {}", operand(left), operand(right)), false)
            }
            Some((Operation::Select, &[condition, then, otherwise])) if is_before(&[condition, then, otherwise]) => {
                let condition = match self.condition(condition) {
                    SimplifiedCondition::Open(text) => text,
                    SimplifiedCondition::Known(known) => known.to_string(),
                };
                (format!("if {condition} then {} else {}", self.value(then), self.value(otherwise)), false)
            }
            _ => {
                let text = self.names.value(value);
                let is_atom = !text.contains(' ') || matches!(parts, Some((Operation::Dimension(_), _)));
                (text, is_atom)
            }
        }
    }

    /// What a value is equal to that is no sum or product.
    fn resolved(&self, value: Value) -> Option<Expression> {
        if let Some(VariableRange { least: Some(least), most: Some(most) }) = self.ranges.get(&value) {
            let [least, most] = [least, most].map(|limit| limit.simplified(self));
            return (least == most).then_some(least);
        }
        let Statement { operation, operands, .. } = self.names.definitions.statement(value)?;
        if operands.iter().any(|operand| *operand >= value) {
            return None;
        }
        match (operation, &operands[..]) {
            (Operation::Dimension(buffer), [axis]) => {
                let axis = i64::try_from(self.expression(*axis).value()?).ok()?;
                let first = *self.sizes.get(&(*buffer, axis))?;
                (first != value).then(|| self.expression(first))
            }
            (Operation::Select, &[condition, then, otherwise]) => match self.condition(condition) {
                SimplifiedCondition::Known(is_true) => Some(self.simple(if is_true { then } else { otherwise })),
                SimplifiedCondition::Open(_) => None,
            },
            (Operation::Binary(operation @ (Binary::Divide | Binary::Remainder)), &[left, right]) => {
                let (left, right) = (self.simple(left), self.simple(right));
                let is_smaller = left.least(self)? >= 0 && (left.clone() - right.clone()).most(self)? < 0;
                match (operation, right.value()) {
                    (Binary::Divide, _) if is_smaller => Some(Expression::constant(0)),
                    (Binary::Divide, Some(1)) => Some(left),
                    (Binary::Remainder, Some(1)) => Some(Expression::constant(0)),
                    (Binary::Remainder, _) if is_smaller => Some(left),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

impl Facts for Simplified<'_, '_> {
    fn equal(&self, variable: Variable) -> Option<Expression> {
        let value = value_of(variable);
        if let Some(known) = self.equal.borrow().get(&value) {
            return known.clone();
        }
        // Cyclic arithmetic, which an invalid nest may have, has an end.
        self.equal.borrow_mut().insert(value, None);
        let equal = self.resolved(value);
        self.equal.borrow_mut().insert(value, equal.clone());
        equal
    }

    fn range(&self, variable: Variable) -> VariableRange {
        let value = value_of(variable);
        if let Some(range) = self.ranges.get(&value) {
            return range.clone();
        }
        let zero = || Some(Expression::constant(0));
        let Some(Statement { operation, operands, .. }) = self.names.definitions.statement(value) else {
            // Extents are not negative.
            let is_extent = self.names.nest().parameters.contains(&value) && self.is_index(value);
            return VariableRange { least: zero().filter(|_| is_extent), most: None };
        };
        match (operation, &operands[..]) {
            (Operation::Dimension(_), _) => VariableRange { least: zero(), most: None },
            // Both are of numbers that are not negative.
            (Operation::Binary(Binary::Divide), &[left, _]) if left < value => {
                VariableRange { least: zero(), most: Some(self.expression(left)) }
            }
            (Operation::Binary(Binary::Remainder), &[_, right]) if right < value => {
                VariableRange { least: zero(), most: Some(self.expression(right) - Expression::constant(1)) }
            }
            _ => VariableRange::default(),
        }
    }
}

fn value_of(variable: Variable) -> Value {
    match variable {
        Variable::Dimension(number) | Variable::Symbol(number) => Value(number as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nest::{
        code::Code,
        index::Index::{Computed, Constant},
        print::tests::{r#loop, nest},
        tree::Nest,
    };

    /// Builds a nest of a loop over 8 parts, an outer one over as many as the extent, and the value that `build` makes.
    fn built(build: impl Fn(&Code<'_>, [Index; 3]) -> Value) -> (Nest, Value) {
        let mut found = None;
        let nest = nest(|b, _, n| {
            r#loop(b, Some((1, 2)), n, &[], |b, q, _| {
                r#loop(b, Some((1, 1)), Constant(8), &[], |b, p, _| {
                    found = Some(build(b, [p, q, n]));
                    vec![]
                });
                vec![]
            });
        });
        (nest, found.expect("the loop has been built"))
    }

    fn value(expected: &str, build: impl Fn(&Code<'_>, [Index; 3]) -> Index) {
        let (nest, value) = built(|b, all| build(b, all).materialize(b));
        assert_eq!(Simplified::of(&Names::of(&nest)).value(value), expected);
    }

    fn condition(expected: SimplifiedCondition, build: impl Fn(&Code<'_>, [Index; 3]) -> Value) {
        let (nest, value) = built(build);
        assert_eq!(Simplified::of(&Names::of(&nest)).condition(value), expected);
    }

    #[test]
    fn values_have_no_arithmetic_without_effect() {
        value("8 * p1_1 + 3", |b, [p, _, _]| {
            let (one, zero) = (Constant(1).materialize(b), Constant(0).materialize(b));
            let p = Computed(b.binary(Binary::Multiply, p.materialize(b), one, Type::INDEX));
            let p = Computed(b.binary(Binary::Add, p.materialize(b), zero, Type::INDEX));
            p.mul(b, Constant(8)).add(b, Constant(3))
        });
        value("8", |b, [p, _, _]| Constant(8).min(b, Constant(64).sub(b, p.mul(b, Constant(8)))));
        value("min(8, 60 - 8 * p1_1)", |b, [p, _, _]| Constant(8).min(b, Constant(60).sub(b, p.mul(b, Constant(8)))));
        value("s0 - p1_2", |b, [_, q, n]| n.sub(b, q).max(b, Constant(1)));
        value("ceildiv(s0, 64)", |b, [_, _, n]| n.ceildiv(b, Constant(8)).ceildiv(b, Constant(8)));
        value("p1_1", |b, [p, _, _]| p.rem(b, Constant(8)));
        value("0", |b, [p, _, _]| p.div(b, Constant(8)));
        value("4 * (p1_1 / 3) + ((p1_1 + 1) % 8)", |b, [p, _, _]| {
            p.div(b, Constant(3)).mul(b, Constant(4)).add(b, p.add(b, Constant(1)).rem(b, Constant(8)))
        });
    }

    #[test]
    fn selected_values_are_those_that_are_possible() {
        let select = |b: &Code<'_>, condition: Value, p: Index| {
            let values = [condition, p.materialize(b), Constant(2).materialize(b)];
            Computed(b.value(Operation::Select, &values, Type::INDEX))
        };
        value("p1_1 + 1", |b, [p, q, n]| select(b, q.compare(b, IntPredicate::Slt, n), p).add(b, Constant(1)));
        value("3", |b, [p, q, n]| select(b, q.compare(b, IntPredicate::Sge, n), p).add(b, Constant(1)));
        value("2 * (if p1_2 < 8 then p1_1 else 2)", |b, [p, q, _]| {
            select(b, q.compare(b, IntPredicate::Slt, Constant(8)), p).mul(b, Constant(2))
        });
    }

    #[test]
    fn conditions_that_follow_from_bounds_are_known() {
        use SimplifiedCondition::{Known, Open};
        let last = |b: &Code<'_>, p: Index| p.mul(b, Constant(8)).add(b, Constant(7));
        condition(Known(true), |b, [p, _, _]| last(b, p).compare(b, IntPredicate::Slt, Constant(64)));
        condition(Known(false), |b, [p, _, _]| last(b, p).compare(b, IntPredicate::Ugt, Constant(63)));
        condition(Open("8 * p1_1 + 7 < 60".to_owned()), |b, [p, _, _]| {
            last(b, p).compare(b, IntPredicate::Slt, Constant(60))
        });
        condition(Known(true), |b, [_, q, n]| q.compare(b, IntPredicate::Slt, n));
        condition(Known(false), |b, [_, q, n]| q.compare(b, IntPredicate::Eq, n));
        condition(Open("p1_2 == 0".to_owned()), |b, [_, q, _]| q.compare(b, IntPredicate::Eq, Constant(0)));
        condition(Open("p1_1 > 2".to_owned()), |b, [p, q, n]| {
            let both = [q.compare(b, IntPredicate::Slt, n), p.compare(b, IntPredicate::Sgt, Constant(2))];
            b.binary(Binary::And, both[0], both[1], Type::BIT)
        });
    }

    #[test]
    fn loops_have_numbers_of_iterations() {
        let count = |lower: i64, upper: i64, step: i64| {
            let (nest, _) = built(|b, _| {
                let bounds = [lower, upper, step].map(|bound| Constant(bound).materialize(b));
                b.value(Operation::Select, &bounds, Type::INDEX)
            });
            let names = Names::of(&nest);
            let is_select = |statement: &&Statement| statement.operation == Operation::Select;
            let statement = nest.blocks.iter().flatten().find(is_select).expect("it has been built");
            let bounds = <[Value; 3]>::try_from(statement.operands.clone()).expect("there are three");
            Simplified::of(&names).iterations(bounds)
        };
        assert_eq!([count(0, 8, 1), count(3, 8, 2), count(8, 3, 1)], [Ok(8), Ok(3), Ok(0)]);
    }
}
