//! Index arithmetic as text, with the fewest parentheses.
use super::names::Names;
use crate::nest::{
    index::Index,
    tree::{Binary, Operation, Statement, Value},
    types::Type,
};
use mdh_dialects::ir::IntPredicate;

/// Precedence, lowest first: an operand with a lower precedence than its position requires is parenthesized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Binding {
    /// A conditional expression; the position between commas or brackets.
    Choice,
    /// `and`
    And,
    /// `<`, `==`, …
    Comparison,
    /// `+`, `-`
    Sum,
    /// `*`, `/`, `%`
    Product,
    /// A name, a number or a function call.
    Atom,
}

impl Names<'_> {
    /// A value as text: its name, or its expression.
    pub fn value(&self, value: Value) -> String {
        self.operand(value, Binding::Choice)
    }

    /// An index as text, for a position that requires a precedence.
    pub fn index(&self, index: Index, place: Binding) -> String {
        match index {
            Index::Constant(number) => number.to_string(),
            Index::Computed(value) => self.operand(value, place),
        }
    }

    /// Values, separated by commas.
    pub fn list(&self, values: &[Value]) -> String {
        values.iter().map(|value| self.value(*value)).collect::<Vec<_>>().join(", ")
    }

    /// A value as text, for a position that requires a precedence.
    pub fn operand(&self, value: Value, place: Binding) -> String {
        if let Some(name) = self.name(value) {
            return name.to_owned();
        }
        let Some(statement) = self.printed_here(value) else { return format!("%?{}", value.0) };
        let (text, binding) = self.expression(statement);
        if binding < place { format!("({text})") } else { text }
    }

    /// The statement that computes a value, if it is printed inline. Cyclic arithmetic, which an invalid nest may have,
    /// is not.
    fn printed_here(&self, value: Value) -> Option<&Statement> {
        let statement = self.definitions.statement(value)?;
        let is_earlier = |operand: &Value| *operand < value;
        (self.is_inlined(statement) && statement.operands.iter().all(is_earlier)).then_some(statement)
    }

    /// The expression of an arithmetic statement, and its precedence.
    pub fn expression(&self, statement: &Statement) -> (String, Binding) {
        let operands = &statement.operands;
        let at = |i: usize, place| operands.get(i).map_or_else(|| "?".to_owned(), |value| self.operand(*value, place));
        match statement.operation {
            Operation::Constant(number) => (number.to_string(), Binding::Atom),
            Operation::Zero => ("0".to_owned(), Binding::Atom),
            Operation::Binary(operation) => self.binary(operation, operands),
            Operation::Compare(predicate) => {
                let (left, right) = (at(0, Binding::Sum), at(1, Binding::Sum));
                (format!("{left} {} {right}", sign(predicate)), Binding::Comparison)
            }
            Operation::FirstLanes => (format!("lane < {}", at(0, Binding::Sum)), Binding::Comparison),
            Operation::Select => {
                let (condition, value, otherwise) = (at(0, Binding::And), at(1, Binding::And), at(2, Binding::Choice));
                (format!("if {condition} then {value} else {otherwise}"), Binding::Choice)
            }
            Operation::Dimension(buffer) => {
                (format!("size({}, {})", self.buffer(buffer), at(0, Binding::Choice)), Binding::Atom)
            }
            Operation::Cast | Operation::SignedCast => {
                match statement.results.first().map(|result| self.nest().type_of(*result)) {
                    // Conversions to `index` are not printed.
                    Some(Type::INDEX) | None => self.only(operands),
                    Some(narrow) => (format!("{narrow}({})", at(0, Binding::Choice)), Binding::Atom),
                }
            }
            // A broadcast condition is printed like the condition of each lane.
            _ => self.only(operands),
        }
    }

    /// The text of the single operand, and its precedence.
    fn only(&self, operands: &[Value]) -> (String, Binding) {
        let Some(value) = operands.first() else { return ("?".to_owned(), Binding::Atom) };
        match self.printed_here(*value) {
            Some(statement) => self.expression(statement),
            None => (self.value(*value), Binding::Atom),
        }
    }

    fn binary(&self, operation: Binary, operands: &[Value]) -> (String, Binding) {
        let &[left, right] = operands else { return ("?".to_owned(), Binding::Atom) };
        let function = |name: &str| (format!("{name}({}, {})", self.value(left), self.value(right)), Binding::Atom);
        let infix = |[left, right]: [Value; 2], sign: &str, [of_left, of_right]: [Binding; 2], binding| {
            (format!("{} {sign} {}", self.operand(left, of_left), self.operand(right, of_right)), binding)
        };
        let [is_left_constant, is_right_constant] = [left, right].map(|value| self.number(value).is_some());
        match operation {
            Binary::Minimum => function("min"),
            Binary::Maximum => function("max"),
            Binary::CeilDivide => function("ceildiv"),
            Binary::And => infix([left, right], "and", [Binding::And; 2], Binding::And),
            Binary::Add => {
                let (left, right) = if is_left_constant && !is_right_constant { (right, left) } else { (left, right) };
                match self.number(right).filter(|number| *number < 0) {
                    Some(number) => {
                        (format!("{} - {}", self.operand(left, Binding::Sum), number.unsigned_abs()), Binding::Sum)
                    }
                    None => infix([left, right], "+", [Binding::Sum; 2], Binding::Sum),
                }
            }
            Binary::Subtract => infix([left, right], "-", [Binding::Sum, Binding::Product], Binding::Sum),
            Binary::Multiply => {
                let (left, right) = if is_right_constant && !is_left_constant { (right, left) } else { (left, right) };
                let place = if self.is_product(right) { Binding::Product } else { Binding::Atom };
                infix([left, right], "*", [Binding::Product, place], Binding::Product)
            }
            Binary::Divide => infix([left, right], "/", [Binding::Product, Binding::Atom], Binding::Product),
            Binary::Remainder => infix([left, right], "%", [Binding::Product, Binding::Atom], Binding::Product),
        }
    }

    /// The number, if a value is a constant.
    fn number(&self, value: Value) -> Option<i64> {
        match self.definitions.statement(value)?.operation {
            Operation::Constant(number) => Some(number),
            _ => None,
        }
    }

    /// Returns true if a value is a product, which needs no parentheses in another product.
    fn is_product(&self, value: Value) -> bool {
        let operation = self.definitions.statement(value).map(|statement| &statement.operation);
        operation == Some(&Operation::Binary(Binary::Multiply))
    }
}

fn sign(predicate: IntPredicate) -> &'static str {
    match predicate {
        IntPredicate::Eq => "==",
        IntPredicate::Ne => "!=",
        IntPredicate::Slt => "<",
        IntPredicate::Sle => "<=",
        IntPredicate::Sgt => ">",
        IntPredicate::Sge => ">=",
        IntPredicate::Ult => "<u",
        IntPredicate::Ule => "<=u",
        IntPredicate::Ugt => ">u",
        IntPredicate::Uge => ">=u",
    }
}

#[cfg(test)]
mod tests {
    use crate::nest::{
        code::Code,
        index::Index::{self, Computed, Constant},
        print::tests::{r#loop, nest, values},
        tree::{Binary, Operation},
        types::Type,
    };
    use mdh_dialects::ir::IntPredicate;

    /// The text of an index, in which `p1_1` is a loop's induction variable and `s0` a parameter.
    fn index(build: impl FnOnce(&Code<'_>, Index, Index) -> Index) -> String {
        let built = nest(|b, [_, vector, _], n| {
            r#loop(b, Some((1, 1)), n, &[], |b, p, _| {
                let index = build(b, p, n);
                b.effect(Operation::Prefetch(vector), &values(b, &[index]));
                vec![]
            });
        });
        let text = built.to_string();
        let (_, text) = text.split_once("prefetch input 2[").unwrap_or_default();
        text.trim_end().trim_end_matches(']').to_owned()
    }

    #[test]
    fn operands_have_parentheses_where_they_bind_less_tightly() {
        assert_eq!(index(|b, i, _| Constant(4).add(b, i).mul(b, Constant(16))), "16 * (p1_1 + 4)");
        assert_eq!(index(|b, i, n| n.sub(b, i.sub(b, Constant(1)))), "s0 - (p1_1 - 1)");
        assert_eq!(index(|b, i, n| n.sub(b, i).add(b, Constant(-3))), "s0 - p1_1 - 3");
        assert_eq!(index(|b, i, n| i.mul(b, n.mul(b, Constant(2)))), "p1_1 * 2 * s0");
        assert_eq!(index(|b, i, n| n.mul(b, i.rem(b, Constant(2)))), "s0 * (p1_1 % 2)");
        assert_eq!(index(|b, i, n| i.div(b, Constant(2)).rem(b, n)), "p1_1 / 2 % s0");
        assert_eq!(index(|b, i, n| i.max(b, n.add(b, i)).ceildiv(b, Constant(4))), "ceildiv(max(p1_1, s0 + p1_1), 4)");
    }

    #[test]
    fn narrow_numbers_are_indices() {
        let digit = |b: &Code<'_>, i: Index, _| {
            let narrow = b.value(Operation::Cast, &[i.materialize(b)], Type::WORD);
            let rest = b.binary(Binary::Remainder, narrow, b.constant(8, Type::WORD), Type::WORD);
            Computed(b.value(Operation::Cast, &[rest], Type::INDEX)).mul(b, Constant(4)).add(b, i)
        };
        assert_eq!(index(digit), "4 * (i32(p1_1) % 8) + p1_1");
    }

    #[test]
    fn choices_have_conditions() {
        let choose = |b: &Code<'_>, i: Index, n: Index| {
            let inside = i.compare(b, IntPredicate::Slt, n);
            let positive = n.compare(b, IntPredicate::Sgt, Constant(0));
            let both = b.binary(Binary::And, inside, positive, Type::BIT);
            Computed(b.select(both, i.materialize(b), Constant(0).materialize(b))).add(b, Constant(1))
        };
        assert_eq!(index(choose), "(if p1_1 < s0 and s0 > 0 then p1_1 else 0) + 1");
    }

    #[test]
    fn what_is_too_long_has_a_line() {
        let many = |b: &Code<'_>, i: Index, n: Index| (0..17).fold(i, |sum, _| sum.add(b, n));
        let sum = "p1_1".to_owned() + &" + s0".repeat(17);
        let nest = nest(|b, [_, vector, _], n| {
            r#loop(b, Some((1, 1)), n, &[], |b, p, _| {
                let index = many(b, p, n).mul(b, Constant(2));
                b.effect(Operation::Prefetch(vector), &values(b, &[index]));
                vec![]
            });
        });
        let text = nest.to_string();
        assert!(text.ends_with(&format!("  %0 = {sum}\n  prefetch input 2[2 * %0]\n")), "{text}");
    }
}
