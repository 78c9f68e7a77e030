//! The index arithmetic of a nest as expressions, for analyses of addresses and trip counts.
use super::{
    definitions::Definitions,
    index::Index::{self, Computed, Constant},
    tree::{Binary, Nest, Operation, Value},
};
use crate::analysis::index::Expression;
use std::collections::HashMap;

impl Nest {
    /// An index as an expression. For many queries, keep a [`Definitions`] and use its method.
    pub fn expression(&self, index: Index) -> Expression {
        Definitions::of(self).expression(index)
    }
}

impl Definitions<'_> {
    /// An index as an expression whose variables have the numbers of their values. Parameters and sizes of buffers are
    /// symbols. Dimensions are loop indices, block IDs and thread indices, and also, each as its own variable, results
    /// that an expression cannot represent (quotients rounded down, remainders, selects, elements of buffers).
    pub fn expression(&self, index: Index) -> Expression {
        match index {
            Constant(number) => Expression::constant(number),
            Computed(value) => self.expression_of(value, &mut HashMap::new()),
        }
    }

    /// `known` caches common subexpressions.
    fn expression_of(&self, value: Value, known: &mut HashMap<Value, Expression>) -> Expression {
        if let Some(expression) = known.get(&value) {
            return expression.clone();
        }
        let expression = self.arithmetic(value, known).unwrap_or_else(|| self.variable(value));
        known.insert(value, expression.clone());
        expression
    }

    fn arithmetic(&self, value: Value, known: &mut HashMap<Value, Expression>) -> Option<Expression> {
        let operation = match self.statement(value)?.operation {
            Operation::Constant(number) => return Some(Expression::constant(number)),
            Operation::Binary(operation) => operation,
            _ => return None,
        };
        let operands: Vec<_> = self.operands(value).collect();
        let [left, right] = operands[..] else { return None };
        if matches!(operation, Binary::Divide | Binary::Remainder | Binary::And) {
            return None;
        }
        let (left, right) = (self.expression_of(left, known), self.expression_of(right, known));
        match operation {
            Binary::Add => Some(left + right),
            Binary::Subtract => Some(left - right),
            Binary::Multiply => Some(left * right),
            Binary::Minimum => Some(left.min(right)),
            Binary::Maximum => Some(left.max(right)),
            Binary::CeilDivide => right.value().is_none_or(|by| by > 0).then(|| left.ceildiv(right)),
            Binary::Divide | Binary::Remainder | Binary::And => None,
        }
    }

    fn variable(&self, value: Value) -> Expression {
        let is_size =
            |value| matches!(self.statement(value), Some(s) if matches!(s.operation, Operation::Dimension(_)));
        let number = value.0 as usize;
        match self.nest.parameters.contains(&value) || is_size(value) {
            true => Expression::symbol(number),
            false => Expression::dimension(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nest::{
        code::{Code, Recorder},
        tree::{Array, Loop, MemorySpace},
        types::{Element, Type},
    };

    /// The text of the index that `build` computes from a parameter, `s0`, and a loop index, `d1`.
    fn text(build: impl FnOnce(&Code<'_>, Index, Index) -> Index) -> String {
        let recorder = Recorder::default();
        let extent = recorder.parameter(Type::INDEX);
        let b = recorder.begin();
        let inside = b.inside();
        let index = b.argument(Type::INDEX);
        let built = build(&inside, Computed(extent), Computed(index));
        inside.effect(Operation::Yield, &[]);
        let bounds = [Constant(0).materialize(&b), extent, Constant(1).materialize(&b)];
        let r#loop = Loop { level: None, index, carried: vec![], body: inside.block() };
        b.effect(Operation::Loop(r#loop), &bounds);
        recorder.finish().expression(built).to_string()
    }

    #[test]
    fn arithmetic_is_one_expression() {
        assert_eq!(text(|_, _, _| Constant(7)), "7");
        assert_eq!(text(|b, _, i| i.mul(b, Constant(16)).add(b, Constant(3)).sub(b, i)), "15 * d1 + 3");
        assert_eq!(text(|b, n, i| n.sub(b, i.mul(b, n)).min(b, Constant(4))), "min(4, s0 - d1 * s0)");
        assert_eq!(text(|b, n, i| n.ceildiv(b, Constant(32)).max(b, i)), "max(d1, ceildiv(s0, 32))");
    }

    #[test]
    fn what_an_expression_cannot_say_is_a_dimension() {
        // Values: 0 is the extent, 1 the index, 2 the divisor, 3 the remainder.
        assert_eq!(text(|b, _, i| i.rem(b, Constant(4)).add(b, i)), "d1 + d3");
        assert_eq!(text(|b, _, i| i.ceildiv(b, Constant(-4)).add(b, i)), "d1 + d3");
    }

    #[test]
    fn sizes_of_buffers_are_symbols() {
        let size = |b: &Code<'_>, n: Index, _| {
            let buffer = b.recorder.buffer(Array::row_major(Element::Index, vec![None], MemorySpace::Global));
            let axis = Constant(0).materialize(b);
            Computed(b.value(Operation::Dimension(buffer), &[axis], Type::INDEX)).add(b, n)
        };
        assert_eq!(text(size), "s0 + s3");
    }

    #[test]
    fn arithmetic_that_refers_to_itself_has_an_end() {
        let recorder = Recorder::default();
        let b = recorder.begin();
        let number = Constant(1).materialize(&b);
        let sum = b.binary(Binary::Add, number, number, Type::INDEX);
        let mut nest = recorder.finish();
        nest.blocks[0][1].operands[1] = sum;
        assert_eq!(nest.expression(Computed(sum)).to_string(), "d1");
    }
}
