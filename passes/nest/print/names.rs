//! The names of values and buffers in the text of a nest.
//!
//! ```text
//! s0                a parameter of the nest, by the number of its value
//! p1_2, p1_2'       the part number of level (1, 2), and in a loop inside over the same level
//! i0                the induction variable of a loop over elements
//! block.x, threads.y
//! %0                the result of a statement that is not printed inline
//! input 1, initial value 1, output 1, device input 1, part1
//! ```
use crate::nest::{
    definitions::Definitions,
    tree::{Block, Buffer, Kernel, Loop, Nest, Operation, Statement, Storage, Value},
    types::{Element, Type},
};

/// The maximum number of operators of an expression that is printed inline. The result of a longer one is named and has
/// a line of its own.
const OPERATORS: usize = 16;

/// The names of the values and buffers of a nest.
pub struct Names<'n> {
    /// The defining statements of the values.
    pub definitions: Definitions<'n>,
    /// By value; `None` if its expression is printed inline.
    values: Vec<Option<String>>,
    buffers: Vec<Option<String>>,
    /// By value: the number of operators of its expression.
    operators: Vec<usize>,
    visited: Vec<bool>,
    /// The names of the induction variables of the enclosing loops.
    around: Vec<String>,
    /// The numbers of values, parts and outputs named so far.
    counts: [usize; 3],
}

impl<'n> Names<'n> {
    /// Names the values and buffers of a nest, in the order in which it is printed.
    pub fn of(nest: &'n Nest) -> Self {
        let mut names = Self {
            definitions: Definitions::of(nest),
            values: vec![None; nest.types.len()],
            buffers: vec![None; nest.buffers.len()],
            operators: vec![0; nest.types.len()],
            visited: vec![false; nest.blocks.len()],
            around: vec![],
            counts: [0; 3],
        };
        for value in &nest.parameters {
            names.call(*value, format!("s{}", value.0));
        }
        for buffer in nest.user_buffers() {
            match buffer.0 as usize {
                number if number < nest.inputs => names.call_buffer(buffer, input(nest, number)),
                number => match nest.initial_values.get(number - nest.inputs) {
                    Some(component) => names.call_buffer(buffer, format!("initial value {}", component + 1)),
                    None => names.call_output(buffer),
                },
            }
        }
        names.block(Nest::BODY);
        names
    }

    /// The nest.
    pub fn nest(&self) -> &'n Nest {
        self.definitions.nest
    }

    /// The name of a value, if it has one.
    pub fn name(&self, value: Value) -> Option<&str> {
        self.values.get(value.0 as usize)?.as_deref()
    }

    /// The name of a buffer.
    pub fn buffer(&self, buffer: Buffer) -> String {
        let name = self.buffers.get(buffer.0 as usize).cloned().flatten();
        name.unwrap_or_else(|| format!("buffer {}", buffer.0))
    }

    /// Returns true if the result of a statement is printed inline, at its uses.
    pub fn is_inlined(&self, statement: &Statement) -> bool {
        matches!(statement.results[..], [result] if is_expression(self.nest(), statement) && self.name(result).is_none())
    }

    fn call(&mut self, value: Value, name: String) {
        if let Some(known) = self.values.get_mut(value.0 as usize) {
            *known = Some(name);
        }
    }

    fn call_next(&mut self, values: &[Value]) {
        for value in values {
            self.call(*value, format!("%{}", self.counts[0]));
            self.counts[0] += 1;
        }
    }

    fn call_buffer(&mut self, buffer: Buffer, name: String) {
        if let Some(known) = self.buffers.get_mut(buffer.0 as usize) {
            *known = Some(name);
        }
    }

    fn call_part(&mut self, buffer: Buffer) {
        self.counts[1] += 1;
        self.call_buffer(buffer, format!("part{}", self.counts[1]));
    }

    fn call_output(&mut self, buffer: Buffer) {
        self.counts[2] += 1;
        self.call_buffer(buffer, format!("output {}", self.counts[2]));
    }

    fn block(&mut self, block: Block) {
        match self.visited.get_mut(block.0 as usize) {
            Some(visited) if !*visited => *visited = true,
            _ => return,
        }
        self.nest().block(block).iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &'n Statement) {
        match (&statement.results[..], is_expression(self.nest(), statement)) {
            (&[result], true) => {
                let known = |value: &Value| self.operators.get(value.0 as usize).copied().unwrap_or(0);
                let operators = statement.operands.iter().map(known).sum::<usize>();
                let operators = operators + usize::from(!statement.operands.is_empty());
                match operators <= OPERATORS {
                    true => self.operators[result.0 as usize] = operators,
                    false => self.call_next(&[result]),
                }
            }
            (results, _) => self.call_next(results),
        }
        match &statement.operation {
            Operation::Allocate(buffer, Storage::Result) => self.call_output(*buffer),
            Operation::Allocate(buffer, Storage::Device(role)) if role != TEMPORARY => {
                self.call_buffer(*buffer, format!("device {role}"));
            }
            Operation::Allocate(buffer, _) | Operation::Subview { buffer, .. } | Operation::View { buffer, .. } => {
                self.call_part(*buffer);
            }
            Operation::Loop(r#loop) | Operation::Parallel(r#loop) => self.call_loop(r#loop),
            Operation::Kernel(kernel) => self.call_kernel(kernel),
            operation => operation.blocks().into_iter().for_each(|block| self.block(block)),
        }
    }

    fn call_loop(&mut self, r#loop: &Loop) {
        let is_free = |name: &String| !self.around.contains(name);
        let name = match r#loop.level {
            Some(level) => {
                let name = format!("p{}_{}", level.layer + 1, level.dimension + 1);
                (0..).map(|primes| name.clone() + &"'".repeat(primes)).find(is_free)
            }
            None => (0..).map(|number| format!("i{number}")).find(is_free),
        };
        let name = name.unwrap_or_default();
        self.call(r#loop.index, name.clone());
        self.call_next(&r#loop.carried);
        self.around.push(name);
        self.block(r#loop.body);
        self.around.pop();
    }

    fn call_kernel(&mut self, kernel: &Kernel) {
        let names = ["block", "thread", "blocks", "threads"].into_iter();
        let names = names.flat_map(|name| ["x", "y", "z"].map(|axis| format!("{name}.{axis}")));
        kernel.numbers.iter().zip(names).for_each(|(number, name)| self.call(*number, name));
        kernel.shared.iter().for_each(|buffer| self.call_part(*buffer));
        self.block(kernel.body);
    }
}

/// The name of an input buffer: those of the computation come first, then those of its producers.
fn input(nest: &Nest, number: usize) -> String {
    let own = nest.inputs - nest.producers.iter().map(|(_, inputs)| inputs).sum::<usize>();
    let mut rest = number.checked_sub(own);
    for (of, inputs) in &nest.producers {
        match rest {
            Some(position) if position < *inputs => {
                return format!("input {} of computation {}", position + 1, of + 1);
            }
            _ => rest = rest.map(|position| position.wrapping_sub(*inputs)),
        }
    }
    format!("input {}", number + 1)
}

/// The role of device memory that is not a copy of a user's buffer.
const TEMPORARY: &str = "temporary";

/// Returns true if a statement is index arithmetic, also on narrower integers, or a condition on it, or a constant.
/// Functions of the program are not.
fn is_expression(nest: &Nest, statement: &Statement) -> bool {
    let type_of = |value: &Value| nest.types.get(value.0 as usize).copied();
    let Some(result) = statement.results.first().and_then(type_of) else { return false };
    let is_scalar = |ty: Type| matches!(ty, Type::Scalar(Element::Index | Element::Integer(_)));
    let are_scalars = || statement.operands.iter().filter_map(type_of).chain([result]).all(is_scalar);
    match statement.operation {
        Operation::Constant(_) | Operation::Zero | Operation::FirstLanes | Operation::Dimension(_) => true,
        Operation::Binary(_) | Operation::Compare(_) | Operation::Cast | Operation::SignedCast => are_scalars(),
        Operation::Select => [Type::INDEX, Type::BIT].contains(&result),
        Operation::Broadcast => result.element() == Some(Element::BIT),
        _ => false,
    }
}
