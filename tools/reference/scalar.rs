//! The interpreter of scalar functions and combine operators.
//!
//! A region is compiled once to a flat list of instructions on numbered slots. It runs once per point, so execution
//! performs no lookups.
use super::{
    bound::{Bound, Observer, Rule},
    integer,
    kernel::{self, Kernel},
};
use crate::array::{Element, Slot};
use mdh_dialects::{
    hom,
    ir::{self, Blk, IntPredicate, Op, OpView, Val},
};
use melior::ir::{BlockLike, operation::OperationLike};
use std::fmt;

/// An error at a location of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The location as MLIR prints it: `file:line:column`.
    pub location: String,
    /// The error message.
    pub message: String,
    /// True if the program is valid but uses an operation that the evaluator does not support.
    pub unsupported: bool,
}

impl Failure {
    /// An error at an operation.
    pub fn at(operation: Op<'_>, message: impl Into<String>) -> Self {
        let location = operation.location().to_string();
        let location = location.strip_prefix("loc(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(&location);
        Self { location: location.replace('"', ""), message: message.into(), unsupported: false }
    }

    /// An operation that the evaluator does not support.
    pub fn unsupported(operation: Op<'_>, message: impl Into<String>) -> Self {
        Self { unsupported: true, ..Self::at(operation, message) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: error: {}", self.location, self.message)
    }
}

impl std::error::Error for Failure {}

/// The place of instructions that cannot fail: MLIR takes long to print locations.
const NO_PLACE: usize = usize::MAX;

/// An instruction of a program. Numbers are slots; targets of jumps are instruction indices.
enum Instruction {
    Apply { kernel: Kernel, rule: Rule, result: usize, operands: [usize; 3], place: usize },
    Copy { from: usize, to: usize },
    Index { dimension: usize, to: usize },
    Jump { to: usize },
    JumpUnless { condition: usize, to: usize },
    RequirePositive { step: usize, place: usize },
}

/// A compiled region.
pub struct Program {
    instructions: Vec<Instruction>,
    /// The initial values of the slots: constants, and zeros.
    slots: Vec<Slot>,
    /// The slots of constants, and their types.
    constants: Vec<(usize, Element)>,
    /// The slots of the arguments.
    inputs: Vec<usize>,
    /// The slots of the yielded values.
    outputs: Vec<usize>,
    /// Locations of instructions that can fail.
    places: Vec<String>,
}

impl Program {
    /// Compiles a block with a terminator whose operands are the results.
    pub fn new(block: Blk<'_>) -> Result<Self, Failure> {
        Self::with_captured(block, &[])
    }

    /// Compiles a block that uses values from outside of it; they are inputs after the arguments.
    pub fn with_captured<'c>(block: Blk<'c>, captured: &[Val<'c>]) -> Result<Self, Failure> {
        let mut compiler = ScalarCompiler { program: Self::empty(), values: vec![], calls: vec![] };
        let values = ir::arguments(block).into_iter().chain(captured.iter().copied());
        let inputs = values.map(|value| compiler.define(value)).collect();
        compiler.program.inputs = inputs;
        compiler.program.outputs = compiler.block(block)?;
        Ok(compiler.program)
    }

    /// Returns true if an instruction reads a slot, or if it is a result.
    pub fn reads(&self, slot: usize) -> bool {
        let reads = |instruction: &Instruction| match instruction {
            Instruction::Apply { kernel, operands, .. } => operands[..kernel.arity()].contains(&slot),
            Instruction::Copy { from, .. } => *from == slot,
            Instruction::JumpUnless { condition, .. } => *condition == slot,
            Instruction::RequirePositive { step, .. } => *step == slot,
            Instruction::Index { .. } | Instruction::Jump { .. } => false,
        };
        self.outputs.contains(&slot) || self.instructions.iter().any(reads)
    }

    /// Compiles one operation; its operands are the inputs, its results the outputs.
    pub fn of_operation(operation: Op<'_>) -> Result<Self, Failure> {
        let mut compiler = ScalarCompiler { program: Self::empty(), values: vec![], calls: vec![] };
        for operand in ir::operands(operation) {
            let slot = compiler.define(operand);
            compiler.program.inputs.push(slot);
        }
        compiler.operation(operation)?;
        compiler.program.outputs =
            ir::results(operation).into_iter().map(|r| compiler.slot(r, operation)).collect::<Result<_, _>>()?;
        Ok(compiler.program)
    }

    /// A program that applies a kernel, with its rule, to each pair of components of two tuples, the left components
    /// first.
    pub fn of_kernels(kernels: Vec<(Kernel, Rule)>) -> Self {
        let count = kernels.len();
        let mut program = Self::empty();
        program.slots = vec![0; 3 * count];
        program.inputs = (0..2 * count).collect();
        program.outputs = (2 * count..3 * count).collect();
        program.places.push(String::new());
        program.instructions = kernels
            .into_iter()
            .enumerate()
            .map(|(i, (kernel, rule))| Instruction::Apply {
                kernel,
                rule,
                result: 2 * count + i,
                operands: [i, count + i, 0],
                place: 0,
            })
            .collect();
        program
    }

    fn empty() -> Self {
        Self { instructions: vec![], slots: vec![], constants: vec![], inputs: vec![], outputs: vec![], places: vec![] }
    }

    /// The initial values of the slots.
    pub fn slots(&self) -> Vec<Slot> {
        self.slots.clone()
    }

    /// The initial bounds of the slots: constants have no error.
    pub fn bounds(&self) -> Vec<Bound> {
        let mut bounds = vec![Bound::default(); self.slots.len()];
        for (slot, element) in &self.constants {
            bounds[*slot] = Bound::of(*element, self.slots[*slot], 0.0);
        }
        bounds
    }

    /// The slots of the arguments.
    pub fn inputs(&self) -> &[usize] {
        &self.inputs
    }

    /// The slots of the results.
    pub fn outputs(&self) -> &[usize] {
        &self.outputs
    }

    /// Runs the program at a point of the iteration space on slots that contain the arguments; `follow` tracks errors.
    #[inline]
    pub fn run(&self, slots: &mut [Slot], point: &[usize], follow: &mut impl Observer) -> Result<(), Failure> {
        let mut next = 0;
        while let Some(instruction) = self.instructions.get(next) {
            next += 1;
            match instruction {
                Instruction::Apply { kernel, rule, result, operands: operands @ [a, b, c], place } => {
                    slots[*result] = match kernel {
                        Kernel::Unary(function) => function(slots[*a]),
                        Kernel::Binary(function) => function(slots[*a], slots[*b]),
                        Kernel::Ternary(function) => function(slots[*a], slots[*b], slots[*c]),
                        Kernel::PartialBinary(function) => {
                            function(slots[*a], slots[*b]).map_err(|message| self.failure(*place, &message, point))?
                        }
                    };
                    follow.applied(rule, kernel, &operands[..kernel.arity()], slots, *result);
                }
                Instruction::Copy { from, to } => {
                    slots[*to] = slots[*from];
                    follow.copied(*from, *to);
                }
                Instruction::Index { dimension, to } => {
                    slots[*to] = point.get(*dimension).copied().unwrap_or_default() as Slot;
                    follow.exact(*to);
                }
                Instruction::Jump { to } => next = *to,
                Instruction::JumpUnless { condition, to } => {
                    if slots[*condition] == 0 {
                        next = *to;
                    }
                }
                Instruction::RequirePositive { step, place } => {
                    if slots[*step] == 0 {
                        return Err(self.failure(*place, "step of a loop is zero", point));
                    }
                }
            }
        }
        Ok(())
    }

    fn failure(&self, place: usize, message: &str, point: &[usize]) -> Failure {
        let point = point.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let at = if point.is_empty() { String::new() } else { format!(" at point ({point})") };
        let location = self.places.get(place).cloned().unwrap_or_default();
        Failure { location, message: format!("{message}{at}"), unsupported: false }
    }
}

struct ScalarCompiler<'c> {
    program: Program,
    values: Vec<(Val<'c>, usize)>,
    /// The functions whose bodies are being compiled.
    calls: Vec<Op<'c>>,
}

impl<'c> ScalarCompiler<'c> {
    fn new_slot(&mut self, value: Slot) -> usize {
        self.program.slots.push(value);
        self.program.slots.len() - 1
    }

    fn define(&mut self, value: Val<'c>) -> usize {
        let slot = self.new_slot(0);
        self.values.push((value, slot));
        slot
    }

    fn slot(&self, value: Val<'c>, user: Op<'c>) -> Result<usize, Failure> {
        // The latest definition, because the body of a function may be compiled several times.
        let found = self.values.iter().rev().find(|(known, _)| *known == value);
        found
            .map(|(_, slot)| *slot)
            .ok_or_else(|| Failure::at(user, "uses a value from outside of the scalar function"))
    }

    fn slots(&self, values: Vec<Val<'c>>, user: Op<'c>) -> Result<Vec<usize>, Failure> {
        values.into_iter().map(|value| self.slot(value, user)).collect()
    }

    fn emit(&mut self, instruction: Instruction) -> usize {
        self.program.instructions.push(instruction);
        self.program.instructions.len() - 1
    }

    fn here(&self) -> usize {
        self.program.instructions.len()
    }

    fn set_target(&mut self, jump: usize) {
        let here = self.here();
        if let Instruction::Jump { to } | Instruction::JumpUnless { to, .. } = &mut self.program.instructions[jump] {
            *to = here;
        }
    }

    fn place(&mut self, operation: Op<'c>) -> usize {
        self.program.places.push(Failure::at(operation, "").location);
        self.program.places.len() - 1
    }

    /// Parallel copies: a source may be the destination of another copy.
    fn copy_all(&mut self, from: &[usize], to: &[usize]) {
        if let ([from], [to]) = (from, to) {
            self.emit(Instruction::Copy { from: *from, to: *to });
            return;
        }
        let between: Vec<_> = from
            .iter()
            .map(|from| {
                let slot = self.new_slot(0);
                self.emit(Instruction::Copy { from: *from, to: slot });
                slot
            })
            .collect();
        for (from, to) in between.into_iter().zip(to) {
            self.emit(Instruction::Copy { from, to: *to });
        }
    }

    /// Compiles a block; returns the slots of the terminator's operands.
    fn block(&mut self, block: Blk<'c>) -> Result<Vec<usize>, Failure> {
        let operations = ir::block_operations(block);
        let Some((terminator, rest)) = operations.split_last() else { return Ok(vec![]) };
        for operation in rest {
            self.operation(*operation)?;
        }
        self.slots(ir::operands(*terminator), *terminator)
    }

    fn body(&self, operation: Op<'c>, region: usize) -> Result<Blk<'c>, Failure> {
        ir::body(operation, region)
            .ok_or_else(|| Failure::at(operation, format!("requires a region number {}", region + 1)))
    }

    fn operation(&mut self, operation: Op<'c>) -> Result<(), Failure> {
        match ir::name(operation) {
            "arith.constant" | "index.constant" | "index.bool.constant" | "ub.poison" => {
                let value = kernel::constant(operation).map_err(|message| Failure::unsupported(operation, message))?;
                let slot = self.new_slot(value);
                if let Some(Ok(element)) = ir::results(operation).first().map(kernel::element_of) {
                    self.program.constants.push((slot, element));
                }
                self.values.extend(ir::results(operation).into_iter().map(|result| (result, slot)));
                Ok(())
            }
            hom::Index::NAME => {
                let index = hom::Index::cast(operation).ok_or_else(|| Failure::at(operation, "requires an index"))?;
                let dimension = index.dimension();
                for result in ir::results(operation) {
                    let to = self.define(result);
                    self.emit(Instruction::Index { dimension, to });
                }
                Ok(())
            }
            "linalg.index" => {
                let dimension = ir::attribute(operation, "dim").and_then(ir::integer_attribute).unwrap_or_default();
                for result in ir::results(operation) {
                    let to = self.define(result);
                    self.emit(Instruction::Index { dimension: dimension as usize, to });
                }
                Ok(())
            }
            "scf.if" => self.conditional(operation),
            "scf.for" => self.counted_loop(operation),
            "scf.while" => self.while_loop(operation),
            "func.call" => self.call(operation),
            name => {
                let kernels = kernel::kernels(operation).map_err(|message| Failure::unsupported(operation, message))?;
                let kernels = kernels.ok_or_else(|| {
                    Failure::unsupported(operation, format!("the reference evaluator cannot evaluate '{name}'"))
                })?;
                let mut operands = [0; 3];
                for (slot, value) in operands.iter_mut().zip(ir::operands(operation)) {
                    *slot = self.slot(value, operation)?;
                }
                let can_fail = kernels.iter().any(|kernel| matches!(kernel, Kernel::PartialBinary(_)));
                let place = if can_fail { self.place(operation) } else { NO_PLACE };
                let unknown = |message| Failure::unsupported(operation, message);
                let types = ir::operands(operation).iter().map(kernel::element_of_each).collect::<Result<Vec<_>, _>>();
                let types = types.map_err(unknown)?;
                for (kernel, result) in kernels.into_iter().zip(ir::results(operation)) {
                    let rule = Rule::new(name, &types, kernel::element_of_each(&result).map_err(unknown)?);
                    let result = self.define(result);
                    self.emit(Instruction::Apply { kernel, rule, result, operands, place });
                }
                Ok(())
            }
        }
    }

    fn conditional(&mut self, operation: Op<'c>) -> Result<(), Failure> {
        let condition = self.slots(ir::operands(operation), operation)?[0];
        let results: Vec<_> = ir::results(operation).into_iter().map(|result| self.define(result)).collect();
        let to_else = self.emit(Instruction::JumpUnless { condition, to: 0 });
        let yes = self.body(operation, 0)?;
        let yielded = self.block(yes)?;
        self.copy_all(&yielded, &results);
        let to_end = self.emit(Instruction::Jump { to: 0 });
        self.set_target(to_else);
        if let Some(no) = ir::body(operation, 1) {
            let yielded = self.block(no)?;
            self.copy_all(&yielded, &results);
        }
        self.set_target(to_end);
        Ok(())
    }

    fn counted_loop(&mut self, operation: Op<'c>) -> Result<(), Failure> {
        let operands = self.slots(ir::operands(operation), operation)?;
        let [low, high, step, initial @ ..] = operands.as_slice() else {
            return Err(Failure::at(operation, "requires two bounds and a step"));
        };
        let block = self.body(operation, 0)?;
        let arguments: Vec<_> = ir::arguments(block).into_iter().map(|argument| self.define(argument)).collect();
        let (counter, carried) = (arguments[0], &arguments[1..]);
        let unknown = |message| Failure::at(operation, message);
        let element = kernel::element_of(&ir::arguments(block)[0]).map_err(unknown)?;
        let unsigned = ir::attribute(operation, "unsignedCmp").is_some();
        let less = integer::compare(if unsigned { IntPredicate::Ult } else { IntPredicate::Slt }, element);
        let add = kernel::named("arith.addi", &[element; 2], &[element]).and_then(|mut kernels| kernels.pop());
        let add = add.ok_or_else(|| unknown("requires an integer counter".into()))?;
        let (less_rule, add_rule) = (
            Rule::new("arith.cmpi", &[element; 2], Element::Integer(1)),
            Rule::new("arith.addi", &[element; 2], element),
        );
        let condition = self.new_slot(0);
        let place = self.place(operation);
        self.emit(Instruction::RequirePositive { step: *step, place });
        // The counter is written in the loop, so it must not share a slot with the lower bound.
        self.emit(Instruction::Copy { from: *low, to: counter });
        self.copy_all(initial, carried);
        let start = self.emit(Instruction::Apply {
            kernel: less,
            rule: less_rule,
            result: condition,
            operands: [counter, *high, 0],
            place,
        });
        let to_end = self.emit(Instruction::JumpUnless { condition, to: 0 });
        let yielded = self.block(block)?;
        self.copy_all(&yielded, carried);
        self.emit(Instruction::Apply {
            kernel: add,
            rule: add_rule,
            result: counter,
            operands: [counter, *step, 0],
            place,
        });
        self.emit(Instruction::Jump { to: start });
        self.set_target(to_end);
        self.values.extend(ir::results(operation).into_iter().zip(carried.iter().copied()));
        Ok(())
    }

    fn while_loop(&mut self, operation: Op<'c>) -> Result<(), Failure> {
        let initial = self.slots(ir::operands(operation), operation)?;
        let (before, after) = (self.body(operation, 0)?, self.body(operation, 1)?);
        let before_arguments: Vec<_> =
            ir::arguments(before).into_iter().map(|argument| self.define(argument)).collect();
        let after_arguments: Vec<_> = ir::arguments(after).into_iter().map(|argument| self.define(argument)).collect();
        self.copy_all(&initial, &before_arguments);
        let start = self.here();
        let forwarded = self.block(before)?;
        let Some((condition, forwarded)) = forwarded.split_first() else {
            return Err(Failure::at(operation, "requires a condition"));
        };
        self.copy_all(forwarded, &after_arguments);
        let to_end = self.emit(Instruction::JumpUnless { condition: *condition, to: 0 });
        let yielded = self.block(after)?;
        self.copy_all(&yielded, &before_arguments);
        self.emit(Instruction::Jump { to: start });
        self.set_target(to_end);
        self.values.extend(ir::results(operation).into_iter().zip(after_arguments));
        Ok(())
    }

    fn call(&mut self, operation: Op<'c>) -> Result<(), Failure> {
        let (function, block) = callee(operation)?;
        if self.calls.contains(&function) {
            return Err(Failure::at(
                operation,
                "calls a recursive function, which the reference evaluator does not support",
            ));
        }
        let operands = self.slots(ir::operands(operation), operation)?;
        self.calls.push(function);
        self.values.extend(ir::arguments(block).into_iter().zip(operands));
        let returned = self.block(block)?;
        self.calls.pop();
        self.values.extend(ir::results(operation).into_iter().zip(returned));
        Ok(())
    }
}

/// The function that a `func.call` calls, and its body.
pub fn callee<'c>(call: Op<'c>) -> Result<(Op<'c>, Blk<'c>), Failure> {
    let symbol = ir::callee_symbol(call).unwrap_or_default();
    let function = ir::callee(call).filter(|function| ir::name(*function) == "func.func");
    let function = function.ok_or_else(|| Failure::at(call, format!("no function '{symbol}'")))?;
    let block =
        ir::body(function, 0).ok_or_else(|| Failure::unsupported(call, format!("function '{symbol}' has no body")))?;
    if block.next_in_region().is_some() {
        return Err(Failure::unsupported(
            call,
            format!("function '{symbol}' has several blocks, but the evaluator requires one"),
        ));
    }
    Ok((function, block))
}
