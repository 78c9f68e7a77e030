//! The reference evaluator: computes a program directly from the definitions. Every other engine is tested against it.
//!
//! It reads `mdh.hom`, `mdh.view` and the common operations around them, never a lowered form. A function is evaluated
//! operation by operation. MDAs are aliases of buffers, so they are not computed where they are defined but when an
//! `out_view` reads them.
mod aliases;
pub mod bound;
mod buffers;
pub mod computation;
mod control;
mod elementwise;
pub mod float;
pub mod integer;
pub mod kernel;
mod linalg;
pub mod math;
mod memory;
mod packs;
pub mod prepare;
pub mod scalar;
mod tensors;
#[cfg(test)]
mod tests;
mod unregistered;

use crate::array::{Array, Element};
use bound::{Bound, BoundTracker};
pub use computation::Buffer;
use computation::Initial;
use mdh_dialects::{
    hom::MdHom,
    ir::{self, Op, OpView, Val},
    view::{InpView, OutView},
};
use mdh_passes::analysis::computation::InitialValue;
use melior::ir::{TypeLike, ValueLike};
use memory::{BufferMemory, BufferView, Value};
pub use scalar::Failure;
use scalar::Program;
use std::{collections::HashMap, rc::Rc, sync::Arc};

/// The outcome of a function.
#[derive(Clone, Debug)]
pub struct ReferenceOutcome {
    /// The results of the function.
    pub results: Vec<Buffer>,
    /// The arguments after the call: memrefs may have been written.
    pub arguments: Vec<Buffer>,
}

/// Evaluates a `func.func` on arguments; a scalar is an array of rank 0. `progress` is called with the completed
/// fraction of the current computation.
pub fn evaluate(
    function: Op<'_>,
    arguments: Vec<Array>,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<ReferenceOutcome, Failure> {
    run(function, arguments, Some(progress), false, None)
}

/// Evaluates as [`evaluate`] does, and propagates error bounds: the buffers of the outcome say how far the elements of
/// an engine may differ.
pub fn evaluate_with_errors(
    function: Op<'_>,
    arguments: Vec<Array>,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<ReferenceOutcome, Failure> {
    run(function, arguments, Some(progress), true, None)
}

/// Number of points of a computation that [`evaluate_sample`] evaluates, about: it needs seconds for so many, and minutes
/// for all points of large computations.
const SAMPLED_POINTS: u64 = 1 << 26;

/// Evaluates as [`evaluate_with_errors`] does, but only a sample of the results that nothing but the caller reads, if a
/// computation has many points. The other elements are undefined.
pub fn evaluate_sample(
    function: Op<'_>,
    arguments: Vec<Array>,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<ReferenceOutcome, Failure> {
    evaluate_part(function, arguments, SAMPLED_POINTS, progress)
}

/// Evaluates as [`evaluate_sample`] does, but about `most` points of each computation.
fn evaluate_part(
    function: Op<'_>,
    arguments: Vec<Array>,
    most: u64,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<ReferenceOutcome, Failure> {
    run(function, arguments, Some(progress), true, Some(most))
}

/// Checks that accesses of a function stay within the bounds of the arguments and that empty dimensions have an
/// identity, without computing anything. Operations that the evaluator does not support are not checked.
pub fn check(function: Op<'_>, arguments: Vec<Array>) -> Result<(), Failure> {
    match run(function, arguments, None, false, None) {
        Err(failure) if !failure.unsupported => Err(failure),
        _ => Ok(()),
    }
}

fn run(
    function: Op<'_>,
    arguments: Vec<Array>,
    progress: Option<&(dyn Fn(f64) + Sync)>,
    follow: bool,
    most: Option<u64>,
) -> Result<ReferenceOutcome, Failure> {
    let block = ir::body(function, 0).ok_or_else(|| Failure::at(function, "requires a body"))?;
    let parameters = ir::arguments(block);
    if parameters.len() != arguments.len() {
        let message = format!("requires {} arguments, but {} are given", parameters.len(), arguments.len());
        return Err(Failure::at(function, message));
    }
    let mut evaluator = Evaluator {
        memory: BufferMemory::default(),
        globals: vec![],
        follow,
        most,
        progress,
        depth: 0,
        iterations: 0,
        programs: HashMap::new(),
    };
    let mut values = vec![];
    for (parameter, array) in parameters.iter().zip(arguments) {
        let ty = parameter.r#type();
        let value = if ty.is_mem_ref() {
            evaluator.memory.allocate(array.into())
        } else if ir::shape(ty).is_some() {
            Value::Tensor(Arc::new(array.into()))
        } else {
            Value::Scalar(array.get(0), 0.0)
        };
        check_shape(*parameter, evaluator.memory.shape(&value).ok(), function)?;
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
    Ok(ReferenceOutcome { results, arguments })
}

struct Evaluator<'p> {
    memory: BufferMemory,
    /// The globals used so far, by name.
    globals: Vec<(String, Value)>,
    /// True if error bounds are propagated.
    follow: bool,
    /// Maximum number of points of a computation of which all results are computed although only the caller reads them;
    /// `None` without a limit.
    most: Option<u64>,
    /// The progress callback; `None` if nothing is to be computed.
    progress: Option<&'p (dyn Fn(f64) + Sync)>,
    /// The depth of the call stack.
    depth: usize,
    /// The number of loop iterations executed so far.
    iterations: usize,
    /// The programs of the operations executed so far, by their addresses: nothing changes the module meanwhile.
    programs: HashMap<usize, Rc<Program>>,
}

type Values<'c> = Vec<(Val<'c>, Value)>;
/// The values of the results of an operation.
type Results = Result<Vec<Value>, Failure>;

impl Evaluator<'_> {
    fn buffer_of(&self, value: Value, element: Option<Element>) -> Buffer {
        match (&value, element) {
            (Value::Scalar(slot, error), Some(element)) => {
                let errors = (*error != 0.0).then(|| vec![*error]);
                Buffer { errors, ..Array::scalar(element, *slot).into() }
            }
            _ => match self.memory.content(&value) {
                Ok(buffer) => Buffer::clone(&buffer),
                Err(_) => Array::scalar(Element::Index, 0).into(),
            },
        }
    }

    /// The program of an operation on scalars.
    fn program(&mut self, operation: Op<'_>) -> Result<Rc<Program>, Failure> {
        let address = operation.to_raw().ptr as usize;
        if let Some(known) = self.programs.get(&address) {
            return Ok(known.clone());
        }
        let program = Rc::new(Program::of_operation(operation)?);
        self.programs.insert(address, program.clone());
        Ok(program)
    }

    /// Executes an operation; returns the values of its results.
    fn operation<'c>(&mut self, operation: Op<'c>, values: &mut Values<'c>) -> Results {
        if let Some(results) = self.control(operation, values) {
            return results;
        }
        if InpView::is(operation) || MdHom::is(operation) {
            return Ok(vec![Value::Mda]);
        }
        if let Some(out_view) = OutView::cast(operation) {
            return self.out_view(out_view, values);
        }
        let operands = ir::operands(operation).into_iter().map(|value| find(values, value, operation).cloned());
        let operands = operands.collect::<Result<Vec<_>, _>>()?;
        let is_scalar = |value: &Val<'_>| ir::element_type(value.r#type()).is_none();
        let name = ir::name(operation);
        let is_scalar_result = ir::results(operation).iter().all(is_scalar);
        if !kernel::is_scalar_operation(name) || name.ends_with(".constant") && !is_scalar_result {
            return self.buffers(operation, &operands, values);
        }
        if !is_scalar_result {
            return self.elementwise(operation, &operands);
        }
        let program = self.program(operation)?;
        let (mut slots, mut bounds) = (program.slots(), program.bounds());
        for ((input, operand), value) in program.inputs().iter().zip(operands).zip(ir::operands(operation)) {
            let Value::Scalar(slot, error) = operand else { return Err(Failure::at(operation, "requires scalars")) };
            slots[*input] = slot;
            bounds[*input] = Bound::of(prepare::scalar_element(value, operation)?, slot, error);
        }
        program.run(&mut slots, &[], &mut BoundTracker { bounds: &mut bounds, in_any_order: false })?;
        let results = program.outputs().iter().zip(ir::results(operation)).map(|(output, result)| {
            let element = prepare::scalar_element(result, operation)?;
            Ok(Value::Scalar(slots[*output], if self.follow { bounds[*output].total(element) } else { 0.0 }))
        });
        results.collect()
    }

    fn out_view<'c>(&mut self, out_view: OutView<'c>, values: &Values<'c>) -> Results {
        let operation = out_view.op();
        let found = prepare::find(out_view)?;
        let mut inputs = vec![];
        for input in &found.inputs {
            let content = self.memory.content(find(values, input.value, operation)?);
            inputs.push(content.map_err(|message| Failure::at(found.inp_view.op(), message))?);
        }
        let scalar = |wanted: Val<'c>| match find(values, wanted, operation) {
            Ok(Value::Scalar(slot, _)) => Some(*slot),
            _ => None,
        };
        let inits = found.inits.iter().map(|initial| self.initial_value(initial, out_view, values));
        let inits = inits.collect::<Result<Vec<_>, _>>()?;
        let computation = prepare::prepare(&found, inputs, inits, &scalar, self.follow)?;
        let kept = prepare::kept(&computation.extents, &found.operators);
        let destinations: Vec<_> = ir::operands(operation).into_iter().skip(1).collect();
        let mut outputs = vec![];
        for (number, output) in found.outputs.iter().enumerate() {
            let own = computation.writes.iter().filter(|access| access.buffer == number);
            let functions: Vec<_> = own.map(|access| &access.function).collect();
            let buffer = match destinations.get(number) {
                Some(destination) => {
                    let content = self.memory.content(find(values, *destination, operation)?);
                    Buffer::clone(&*content.map_err(|message| Failure::at(operation, message))?)
                }
                None => {
                    let element = prepare::buffer_element(output.value, operation)?;
                    let shape = prepare::output_shape(&output.shape, &functions, &kept);
                    Buffer::undefined(element, &shape).map_err(|message| Failure::at(operation, message))?
                }
            };
            if !kept.contains(&0) {
                for function in functions {
                    prepare::inside(function, &kept, &buffer.array.shape).map_err(|problem| {
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
            // The caller of a function that another one calls may compute with the results.
            let is_last = self.depth == 1 && destinations.is_empty() && is_only_returned(operation);
            computation.run(&mut outputs, self.most.filter(|_| is_last), progress)?;
        } else {
            // Undefined, so that nothing depends on values that have not been computed.
            for output in &mut outputs {
                let undefined = Buffer::undefined(output.array.element, &output.array.shape);
                *output = undefined.map_err(|message| Failure::unsupported(operation, message))?;
            }
        }
        let mut results = vec![];
        for (number, mut buffer) in outputs.into_iter().enumerate() {
            // Most outputs are written completely, and need no record of defined elements.
            if buffer.defined.as_ref().is_some_and(|defined| defined.iter().all(|is_defined| *is_defined)) {
                buffer.defined = None;
            }
            match destinations.get(number).map(|destination| find(values, *destination, operation)).transpose()? {
                Some(destination) => {
                    let written = self.memory.write(destination, Arc::new(buffer));
                    let written = written.map_err(|message| Failure::at(operation, message))?;
                    if matches!(written, Value::Tensor(_)) {
                        results.push(written);
                    }
                }
                None if found.outputs[number].ty.is_mem_ref() => results.push(self.memory.allocate(buffer)),
                None => results.push(Value::Tensor(Arc::new(buffer))),
            }
        }
        Ok(results)
    }
}

impl Evaluator<'_> {
    /// Writes a tensor or memref, or a part of it, and returns the results of the writing operation.
    fn written(
        &mut self,
        operation: Op<'_>,
        destination: &Value,
        part: Option<BufferView>,
        content: Buffer,
    ) -> Results {
        let written = match part {
            None => self.memory.write(destination, Arc::new(content)),
            Some(part) => self.memory.replace(destination, &part, &content),
        };
        let written = written.map_err(|message| Failure::at(operation, message))?;
        Ok(ir::results(operation).iter().map(|_| written.clone()).collect())
    }

    /// The initial value of a component of a computation.
    fn initial_value<'c>(
        &self,
        initial: &InitialValue<'c>,
        out_view: OutView<'c>,
        values: &Values<'c>,
    ) -> Result<Initial, Failure> {
        let operation = out_view.op();
        match initial {
            InitialValue::Scalar(value) => match find(values, *value, operation)? {
                Value::Scalar(slot, error) => {
                    Ok(Initial::Scalar(prepare::scalar_element(*value, operation)?, *slot, *error))
                }
                _ => Err(Failure::at(operation, "requires a scalar as initial value")),
            },
            InitialValue::Elements(view, buffer) => {
                let content = self.memory.content(find(values, buffer.value, operation)?);
                let content = content.map_err(|message| Failure::at(view.op(), message))?;
                let function = view.accesses().and_then(|accesses| accesses.into_iter().flatten().next());
                let function =
                    function.ok_or_else(|| Failure::at(view.op(), "requires an access to the initial value"))?;
                Ok(Initial::Elements(content, function))
            }
        }
    }
}

fn find<'v, 'c>(values: &'v Values<'c>, wanted: Val<'c>, user: Op<'c>) -> Result<&'v Value, Failure> {
    let found = values.iter().rev().find(|(value, _)| *value == wanted);
    found.map(|(_, value)| value).ok_or_else(|| Failure::at(user, "uses a value that the evaluator has not computed"))
}

/// Returns true if a function returns the results of an operation, and nothing else reads them.
fn is_only_returned(operation: Op<'_>) -> bool {
    let mut users = ir::results(operation).into_iter().flat_map(ir::users);
    users.all(|user| ir::name(user) == "func.return")
}

fn single_result(operation: Op<'_>) -> Result<Val<'_>, Failure> {
    ir::results(operation).first().copied().ok_or_else(|| Failure::at(operation, "requires a result"))
}

/// Checks that a buffer fits the type of a value.
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
