//! The reference evaluator: what a program means, straight from the definitions. It is the judge of every other engine.
//!
//! It reads `mdh.hom` and `mdh.view` and a little around them, never a lowered form. A function is evaluated operation by operation;
//! MDAs are not computed where they are defined but where an `out_view` asks for them, because they are aliases of buffers.
pub mod computation;
pub mod float;
pub mod integer;
pub mod kernel;
pub mod prepare;
pub mod scalar;
#[cfg(test)]
mod tests;

use crate::array::{Array, Element, Slot};
pub use computation::Buffer;
use mdh_dialects::ir::{self, Op, Val};
use melior::ir::{TypeLike, ValueLike};
pub use scalar::Failure;
use scalar::Program;
use std::sync::Arc;

/// What a function has computed.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The results of the function.
    pub results: Vec<Buffer>,
    /// Its arguments afterwards: memrefs may have been written.
    pub arguments: Vec<Buffer>,
    /// How many values have been combined to one, at most; the sum over the computations of the function.
    pub reduction_length: u64,
}

/// Evaluates a `func.func` on arguments; a scalar is an array without dimensions. `progress` is told which part of the
/// current computation is done.
pub fn evaluate(function: Op<'_>, arguments: Vec<Array>, progress: &(dyn Fn(f64) + Sync)) -> Result<Outcome, Failure> {
    run(function, arguments, Some(progress))
}

/// Checks that a function's accesses stay inside of the arguments' bounds and that empty dimensions have an identity, without
/// computing anything. What the evaluator does not know is not checked.
pub fn check(function: Op<'_>, arguments: Vec<Array>) -> Result<(), Failure> {
    match run(function, arguments, None) {
        Err(failure) if !failure.unsupported => Err(failure),
        _ => Ok(()),
    }
}

fn run(function: Op<'_>, arguments: Vec<Array>, progress: Option<&(dyn Fn(f64) + Sync)>) -> Result<Outcome, Failure> {
    let block = ir::body(function, 0).ok_or_else(|| Failure::at(function, "requires a body"))?;
    let parameters = ir::arguments(block);
    if parameters.len() != arguments.len() {
        let message = format!("requires {} arguments, but {} are given", parameters.len(), arguments.len());
        return Err(Failure::at(function, message));
    }
    let mut evaluator = Evaluator { memory: vec![], reduction_length: 0, progress, depth: 0 };
    let mut values = vec![];
    for (parameter, array) in parameters.iter().zip(arguments) {
        let r#type = parameter.r#type();
        let value = if r#type.is_mem_ref() {
            evaluator.allocate(array.into())
        } else if ir::shape(r#type).is_some() {
            Value::Tensor(Arc::new(array.into()))
        } else {
            Value::Scalar(array.get(0))
        };
        check_shape(*parameter, evaluator.shape(&value), function)?;
        values.push(value);
    }
    let results = evaluator.function(function, values.clone())?;
    let elements = |values: Vec<Val<'_>>| {
        values.into_iter().map(|value| prepare::scalar_element(value, function).ok()).collect::<Vec<_>>()
    };
    let terminator =
        ir::block_operations(block).last().copied().ok_or_else(|| Failure::at(function, "requires a body"))?;
    let result_elements = elements(ir::operands(terminator));
    let argument_elements = elements(parameters);
    let buffers = |values: Vec<Value>, elements: Vec<Option<Element>>| -> Vec<Buffer> {
        values.into_iter().zip(elements).map(|(value, element)| evaluator.buffer_of(value, element)).collect()
    };
    let results = buffers(results, result_elements);
    let arguments = buffers(values, argument_elements);
    Ok(Outcome { results, arguments, reduction_length: evaluator.reduction_length })
}

/// A value of a function.
#[derive(Clone)]
enum Value {
    Scalar(Slot),
    Tensor(Arc<Buffer>),
    /// A memref: the number of a buffer in memory.
    Memory(usize),
    /// An MDA, which is known by the operations that define it.
    Mda,
}

struct Evaluator<'p> {
    /// The contents of memrefs. What is shared is copied before it is written, so readers see the state at their time.
    memory: Vec<Arc<Buffer>>,
    reduction_length: u64,
    /// What is told how far a computation is; none where nothing is to be computed.
    progress: Option<&'p (dyn Fn(f64) + Sync)>,
    /// How many functions have been called and not returned.
    depth: usize,
}

type Values<'c> = Vec<(Val<'c>, Value)>;

impl Evaluator<'_> {
    fn allocate(&mut self, buffer: Buffer) -> Value {
        self.memory.push(Arc::new(buffer));
        Value::Memory(self.memory.len() - 1)
    }

    fn content<'v>(&'v self, value: &'v Value) -> Option<&'v Arc<Buffer>> {
        match value {
            Value::Tensor(buffer) => Some(buffer),
            Value::Memory(number) => self.memory.get(*number),
            Value::Scalar(_) | Value::Mda => None,
        }
    }

    fn shape(&self, value: &Value) -> Option<Vec<usize>> {
        self.content(value).map(|buffer| buffer.array.shape.clone())
    }

    fn buffer_of(&self, value: Value, element: Option<Element>) -> Buffer {
        match (&value, element) {
            (Value::Scalar(slot), Some(element)) => Array::scalar(element, *slot).into(),
            _ => match self.content(&value) {
                Some(buffer) => Buffer::clone(buffer),
                None => Array::scalar(Element::Index, 0).into(),
            },
        }
    }

    fn function<'c>(&mut self, function: Op<'c>, arguments: Vec<Value>) -> Result<Vec<Value>, Failure> {
        use melior::ir::BlockLike;
        let block = ir::body(function, 0).ok_or_else(|| Failure::at(function, "requires a body"))?;
        if block.next_in_region().is_some() {
            return Err(Failure::at(function, "has several blocks, but the evaluator requires one"));
        }
        if self.depth > 200 {
            return Err(Failure::at(function, "calls itself more than 200 times, which the evaluator does not"));
        }
        self.depth += 1;
        let mut values: Values<'c> = ir::arguments(block).into_iter().zip(arguments).collect();
        for operation in ir::block_operations(block) {
            if ir::name(operation) == "func.return" {
                self.depth -= 1;
                return ir::operands(operation)
                    .into_iter()
                    .map(|value| find(&values, value, operation).cloned())
                    .collect();
            }
            let results = self.operation(operation, &values)?;
            values.extend(ir::results(operation).into_iter().zip(results));
        }
        Err(Failure::at(function, "requires func.return at its end"))
    }

    /// Executes an operation; returns the values of its results.
    fn operation<'c>(&mut self, operation: Op<'c>, values: &Values<'c>) -> Result<Vec<Value>, Failure> {
        let operands = ir::operands(operation);
        let value = |i: usize| -> Result<&Value, Failure> {
            let operand =
                operands.get(i).ok_or_else(|| Failure::at(operation, format!("requires {} operands", i + 1)))?;
            find(values, *operand, operation)
        };
        let fail = |message: String| Failure::at(operation, message);
        match ir::name(operation) {
            "mdh.view.inp_view" | "mdh.hom.md_hom" => Ok(vec![Value::Mda]),
            "mdh.view.out_view" => self.out_view(operation, values),
            "func.call" => {
                let (function, _) = scalar::callee(operation)?;
                let arguments = (0..operands.len()).map(|i| value(i).cloned()).collect::<Result<_, _>>()?;
                self.function(function, arguments)
            }
            "memref.alloc" | "memref.alloca" | "tensor.empty" | "bufferization.alloc_tensor" => {
                let result = single_result(operation)?;
                let mut sizes = vec![];
                for i in 0..operands.len() {
                    sizes.push(
                        self.index(value(i)?).ok_or_else(|| fail("requires sizes that are not negative".into()))?,
                    );
                }
                let mut sizes = sizes.into_iter();
                let shape: Option<Vec<_>> = ir::shape(result.r#type())
                    .unwrap_or_default()
                    .into_iter()
                    .map(|size| size.map(|size| size as usize).or_else(|| sizes.next()))
                    .collect();
                let shape = shape.ok_or_else(|| fail("requires a size for each open dimension".into()))?;
                let buffer = Buffer::undefined(prepare::buffer_element(result, operation)?, &shape).map_err(fail)?;
                Ok(vec![if result.r#type().is_mem_ref() {
                    self.allocate(buffer)
                } else {
                    Value::Tensor(Arc::new(buffer))
                }])
            }
            "memref.dealloc" => Ok(vec![]),
            "memref.dim" | "tensor.dim" => {
                let shape = self.shape(value(0)?).ok_or_else(|| fail("requires a buffer".into()))?;
                let dimension = self.index(value(1)?).unwrap_or(usize::MAX);
                let size = shape
                    .get(dimension)
                    .ok_or_else(|| fail(format!("dimension {dimension} of a buffer of rank {}", shape.len())))?;
                Ok(vec![Value::Scalar(*size as Slot)])
            }
            "memref.cast" | "tensor.cast" => {
                let source = value(0)?.clone();
                check_shape(single_result(operation)?, self.shape(&source), operation)?;
                Ok(vec![source])
            }
            "memref.copy" => {
                let source = self.content(value(0)?).cloned().ok_or_else(|| fail("requires a buffer".into()))?;
                if self.shape(value(1)?).as_ref() != Some(&source.array.shape) {
                    return Err(fail("requires buffers of one shape".into()));
                }
                if let Value::Memory(number) = value(1)? {
                    self.memory[*number] = source;
                }
                Ok(vec![])
            }
            "bufferization.to_tensor" => {
                let content = self.content(value(0)?).cloned();
                Ok(vec![Value::Tensor(content.ok_or_else(|| fail("requires a buffer".into()))?)])
            }
            "bufferization.to_buffer" => {
                let content = self.content(value(0)?).cloned().ok_or_else(|| fail("requires a buffer".into()))?;
                Ok(vec![self.allocate(Buffer::clone(&content))])
            }
            "linalg.fill" => {
                let Value::Scalar(slot) = value(0)? else { return Err(fail("requires a scalar".into())) };
                let shape = self.shape(value(1)?).ok_or_else(|| fail("requires a buffer".into()))?;
                let filled =
                    Array::filled(prepare::buffer_element(operands[1], operation)?, &shape, *slot).map_err(fail)?;
                match value(1)? {
                    Value::Memory(number) => {
                        self.memory[*number] = Arc::new(filled.into());
                        Ok(vec![])
                    }
                    _ => Ok(vec![Value::Tensor(Arc::new(filled.into()))]),
                }
            }
            name if name.starts_with("arith.") || name.starts_with("math.") => {
                let program = Program::of_operation(operation)?;
                let mut slots = program.slots();
                for (i, input) in program.inputs().iter().enumerate() {
                    let Value::Scalar(slot) = value(i)? else { return Err(fail("requires scalars".into())) };
                    slots[*input] = *slot;
                }
                program.run(&mut slots, &[])?;
                Ok(program.outputs().iter().map(|output| Value::Scalar(slots[*output])).collect())
            }
            name => Err(Failure::unsupported(operation, format!("the reference evaluator cannot evaluate '{name}'"))),
        }
    }

    fn index(&self, value: &Value) -> Option<usize> {
        match value {
            Value::Scalar(slot) => usize::try_from(Element::Index.signed(*slot)).ok(),
            _ => None,
        }
    }

    fn out_view<'c>(&mut self, operation: Op<'c>, values: &Values<'c>) -> Result<Vec<Value>, Failure> {
        let found = prepare::find(operation)?;
        let mut inputs = vec![];
        for input in &found.inputs {
            let content = self.content(find(values, input.value, operation)?).cloned();
            inputs.push(content.ok_or_else(|| Failure::at(found.inp_view, "requires buffers"))?);
        }
        let scalar = |wanted: Val<'c>| match find(values, wanted, operation) {
            Ok(Value::Scalar(slot)) => Some(*slot),
            _ => None,
        };
        let computation = prepare::prepare(&found, inputs, &scalar)?;
        let kept = prepare::kept(&computation.extents, &found.operators);
        let destinations: Vec<_> = ir::operands(operation).into_iter().skip(1).collect();
        let mut outputs = vec![];
        for (number, output) in found.outputs.iter().enumerate() {
            let buffer = match destinations.get(number) {
                Some(destination) => {
                    let content = self.content(find(values, *destination, operation)?);
                    Buffer::clone(content.ok_or_else(|| Failure::at(operation, "requires buffers as destinations"))?)
                }
                None => {
                    let element = prepare::buffer_element(output.value, operation)?;
                    let shape = prepare::output_shape(output, &kept);
                    Buffer::undefined(element, &shape).map_err(|message| Failure::at(operation, message))?
                }
            };
            if !kept.contains(&0) {
                for access in &output.accesses {
                    prepare::inside(access, &kept, &buffer.array.shape).map_err(|problem| {
                        Failure::at(
                            operation,
                            format!("output buffer {} is accessed outside of its bounds: {problem}", number + 1),
                        )
                    })?;
                }
            }
            outputs.push(buffer);
        }
        if let Some(progress) = self.progress {
            computation.run(&mut outputs, progress)?;
        }
        self.reduction_length = self.reduction_length.saturating_add(computation.reduction_length());
        let mut results = vec![];
        for (number, mut buffer) in outputs.into_iter().enumerate() {
            // Most outputs are written everywhere, and need no record of it.
            if buffer.defined.as_ref().is_some_and(|defined| defined.iter().all(|is_defined| *is_defined)) {
                buffer.defined = None;
            }
            match destinations.get(number).map(|destination| find(values, *destination, operation)).transpose()? {
                Some(Value::Memory(number)) => self.memory[*number] = Arc::new(buffer),
                Some(_) => results.push(Value::Tensor(Arc::new(buffer))),
                None if found.outputs[number].r#type.is_mem_ref() => results.push(self.allocate(buffer)),
                None => results.push(Value::Tensor(Arc::new(buffer))),
            }
        }
        Ok(results)
    }
}

fn find<'v, 'c>(values: &'v Values<'c>, wanted: Val<'c>, user: Op<'c>) -> Result<&'v Value, Failure> {
    let found = values.iter().rev().find(|(value, _)| *value == wanted);
    found.map(|(_, value)| value).ok_or_else(|| Failure::at(user, "uses a value that the evaluator has not computed"))
}

fn single_result(operation: Op<'_>) -> Result<Val<'_>, Failure> {
    ir::results(operation).first().copied().ok_or_else(|| Failure::at(operation, "requires a result"))
}

/// Whether a buffer fits the type of a value.
fn check_shape(value: Val<'_>, shape: Option<Vec<usize>>, user: Op<'_>) -> Result<(), Failure> {
    let Some(shape) = shape else { return Ok(()) };
    let wanted = ir::shape(value.r#type()).unwrap_or_default();
    let fits = wanted.len() == shape.len()
        && wanted.iter().zip(&shape).all(|(wanted, size)| wanted.is_none_or(|wanted| wanted == *size as u64));
    if fits {
        Ok(())
    } else {
        Err(Failure::at(user, format!("requires type {}, but the buffer has shape {shape:?}", value.r#type())))
    }
}
