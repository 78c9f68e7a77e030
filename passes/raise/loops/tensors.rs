//! Tensors that a nest changes, as memory: each insertion is a store to the tensor that the outermost loop carries.
//!
//! ```text
//! %r = scf.for %i iter_args(%t = %x)          memory r, which is %x before the nest
//!   %v = tensor.extract %t[%i - 1]       ──▶    reads r[i - 1]
//!   %n = tensor.insert %w into %t[%i]           r[i] = %w
//!   scf.yield %n
//! ```
//!
//! That requires that nothing uses a value of the tensor after the next one is known.
use super::slice;
use crate::raise::linalg::{
    build::is_read_only,
    region::{Carry, Function},
    structured::{Extent, Structured, StructuredOperand},
};
use mdh_dialects::ir::{self, Builder, Op, Val, ValueMap};
use melior::ir::{TypeLike, ValueLike};

/// A tensor.
#[derive(Debug)]
struct CarriedTensor<'c> {
    /// The result of the outermost loop, which stands for the memory.
    memory: Val<'c>,
    /// The value before the nest.
    initial: Val<'c>,
    /// True if the value before the nest keeps its elements.
    is_kept: bool,
    /// While the nest is read: its last value. While it is built: the value after the statements that are built.
    current: Val<'c>,
    /// The position of the result.
    position: usize,
}

/// The tensors that the outermost loop of a nest carries.
#[derive(Debug)]
pub struct CarriedTensors<'c>(Vec<CarriedTensor<'c>>);

impl<'c> CarriedTensors<'c> {
    /// The tensors of a nest with this outermost loop.
    pub fn of(root: Op<'c>) -> Self {
        let (operands, results) = (ir::operands(root), ir::results(root));
        let inits = operands.into_iter().rev().take(results.len()).rev();
        let tensors = inits.zip(results).enumerate().filter(|(_, (_, result))| result.r#type().is_tensor());
        let carried = |(position, (initial, memory))| {
            let is_other = |user: &Op<'c>| *user != root && ir::name(*user) != "tensor.dim";
            let is_kept = is_read_only(initial) || ir::users(initial).iter().any(is_other);
            CarriedTensor { memory, initial, is_kept, current: memory, position }
        };
        Self(tensors.map(carried).collect())
    }

    /// Enters a loop that carries these values, and returns by result the number of its tensor. The error is the
    /// requirement that it does not meet.
    pub fn enter(
        &mut self,
        inits: &[Val<'c>],
        arguments: &[Val<'c>],
        results: &[Val<'c>],
    ) -> Result<Vec<Option<usize>>, String> {
        let mut numbers = vec![];
        for ((init, argument), result) in inits.iter().zip(arguments).zip(results) {
            let is_own = |tensor: &CarriedTensor<'c>| tensor.memory == *result || tensor.current == *init;
            let number = match result.r#type().is_tensor() {
                true => {
                    let own = self.0.iter().position(is_own).filter(|number| !numbers.contains(&Some(*number)));
                    Some(own.ok_or("requires that the outermost loop carries each tensor that a loop in it carries")?)
                }
                false => None,
            };
            if let Some(number) = number {
                self.0[number].current = *argument;
            }
            numbers.push(number);
        }
        Ok(numbers)
    }

    /// Leaves a loop that yields these values.
    pub fn leave(&mut self, numbers: &[Option<usize>], yields: &[Val<'c>], results: &[Val<'c>]) -> Result<(), String> {
        for ((number, value), result) in numbers.iter().zip(yields).zip(results) {
            let Some(tensor) = number.map(|number| &mut self.0[number]) else { continue };
            if tensor.current != *value {
                return Err("requires that a loop passes on the last value of each tensor at its position".into());
            }
            tensor.current = *result;
        }
        Ok(())
    }

    /// A store to a memref, or an insertion with this result. The error is that the nest does not carry the tensor.
    pub fn store(&mut self, target: Val<'c>, results: &[Val<'c>]) -> Result<(), String> {
        let Some(result) = results.first() else { return Ok(()) };
        let tensor = self.0.iter_mut().find(|tensor| tensor.current == target);
        tensor.ok_or("requires insertions into tensors that the outermost loop carries")?.current = *result;
        Ok(())
    }

    /// What stands for the memory of a tensor or a memref.
    pub fn memory(&self, value: Val<'c>) -> Val<'c> {
        self.0.iter().find(|tensor| tensor.current == value).map_or(value, |tensor| tensor.memory)
    }

    /// The value of a tensor before the nest.
    pub fn initial(&self, tensor: Val<'c>) -> Val<'c> {
        self.0.iter().find(|carried| carried.memory == tensor).map_or(tensor, |carried| carried.initial)
    }

    /// Begins to build statements: the tensors have their values from before the nest.
    pub fn start(&mut self) {
        self.0.iter_mut().for_each(|tensor| tensor.current = tensor.initial);
    }

    /// The tensor whose memory a value stands for, or is a part of.
    fn carried(&self, value: Val<'c>) -> Option<&CarriedTensor<'c>> {
        let memory = slice::source(value).unwrap_or(value);
        self.0.iter().find(|tensor| tensor.memory == memory)
    }

    /// Makes the tensors with their values at present the operands of a statement, and the result of the nest that of the
    /// statement. A part of a tensor that keeps its elements is written in a copy of the whole tensor: bufferization would
    /// copy the part, too.
    pub fn set_operands(&mut self, structured: &mut Structured<'c>, function: &mut Function<'c>) {
        let b = Builder::before(structured.operation);
        for tensor in self.0.iter_mut().filter(|tensor| tensor.is_kept && tensor.current == tensor.initial) {
            let is_own = |output: &StructuredOperand<'c>| slice::source(output.value) == Some(tensor.memory);
            if structured.outputs.iter().any(is_own) {
                let b = Builder::before(condition(structured.operation).unwrap_or(structured.operation));
                let segments = b.segments(&[0, 1, 0]);
                tensor.current =
                    b.value("bufferization.alloc_tensor", &[tensor.initial], tensor.initial.r#type(), &[segments]);
            }
        }
        let position = |output: &StructuredOperand<'c>| self.carried(output.value).map_or(0, |tensor| tensor.position);
        structured.positions = structured.outputs.iter().map(position).collect();
        let mut present = ValueMap::default();
        let mut set = |operand: &mut StructuredOperand<'c>| {
            let Some(tensor) = self.carried(operand.value) else { return };
            let value = match slice::source(operand.value) {
                Some(_) => slice::moved(&b, operand.value, tensor.current),
                None => tensor.current,
            };
            present.extend([(operand.value, value)]);
            operand.value = value;
        };
        structured.inputs.iter_mut().chain(&mut structured.outputs).for_each(&mut set);
        if let Some((_, Carry::Elements(operand))) = &mut function.scan {
            set(operand);
        }
        for extent in &mut structured.extents {
            if let Extent::Size(tensor, _) = extent {
                *tensor = present.get(*tensor);
            }
        }
    }

    /// Notes the values that a statement gives tensors, which are the outputs that have results.
    pub fn advance(&mut self, structured: &Structured<'c>, results: &[Val<'c>]) {
        let end = structured.operation;
        let b = Builder::before(end);
        let outputs = structured.outputs.iter().zip(&structured.positions);
        let tensors = outputs.filter(|(output, _)| output.value.r#type().is_tensor());
        for (number, ((output, position), result)) in tensors.zip(results).enumerate() {
            let Some(tensor) = self.0.iter_mut().find(|tensor| tensor.position == *position) else { continue };
            let value = slice::inserted(&b, *result, output.value);
            // A statement in a condition gives the tensor a value if it is executed.
            let condition = condition(end);
            let otherwise = condition.and_then(|condition| ir::block_operations(ir::body(condition, 1)?).pop());
            tensor.current = match condition.zip(otherwise) {
                Some((condition, otherwise)) => {
                    ir::set_operand(end, number, value);
                    ir::set_operand(otherwise, number, tensor.current);
                    ir::results(condition)[number]
                }
                None => value,
            };
        }
    }

    /// Replaces the results of the nest with the last values.
    pub fn replace_results(&self) {
        self.0.iter().for_each(|tensor| ir::replace_uses(tensor.memory, tensor.current));
    }
}

/// The condition that a statement is built in, before the end of its branch.
pub fn condition(end: Op<'_>) -> Option<Op<'_>> {
    ir::parent(end).filter(|outer| ir::name(end) == "scf.yield" && ir::name(*outer) == "scf.if")
}
