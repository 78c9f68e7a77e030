//! Scans, scatters and windows of StableHLO and TMTensor, by their definitions. Their regions are on scalars.
//!
//! Attributes are read and checked here, not by the passes that replace these operations: the evaluator judges them.
mod scatter;
mod window;

use super::{
    Evaluator, Results, Values,
    bound::{Bound, BoundTracker},
    computation::Buffer,
    linalg::{captured, captured_scalars},
    memory::Value,
    scalar::{Failure, Program},
};
use crate::array::{Slot, strides};
use mdh_dialects::ir::{self, Op};
use scatter::DimensionNumbers;
use std::sync::Arc;
use window::Windows;

/// The scan of TMTensor.
pub(super) const SCAN: &str = "tm_tensor.scan";
/// The scatter of TMTensor.
const SCATTER_OF_TORCH: &str = "tm_tensor.scatter";
/// The scatters.
pub(super) const SCATTERS: [&str; 2] = ["stablehlo.scatter", SCATTER_OF_TORCH];
/// The reduction of windows.
pub(super) const REDUCE_WINDOW: &str = "stablehlo.reduce_window";

/// An element with its bound, and whether it is defined.
type Item = (Slot, Bound, bool);

/// The region of an operation, on scalars.
struct Combiner {
    program: Program,
    slots: Vec<Slot>,
    bounds: Vec<Bound>,
}

impl Combiner {
    fn new<'c>(operation: Op<'c>, values: &Values<'c>) -> Result<Self, Failure> {
        let block = ir::body(operation, 0).ok_or_else(|| Failure::at(operation, "requires a region"))?;
        let captured = captured(operation);
        let program = Program::with_captured(block, &captured)?;
        let (mut slots, mut bounds) = (program.slots(), program.bounds());
        if program.inputs().len() != captured.len() + 2 || program.outputs().len() != 1 {
            return Err(Failure::unsupported(operation, "the reference evaluator requires a region on two elements"));
        }
        let scalars = captured_scalars(operation, &captured, values)?;
        for (input, (slot, error, element)) in program.inputs()[2..].iter().zip(scalars) {
            slots[*input] = slot;
            bounds[*input] = Bound::of(element, slot, error);
        }
        Ok(Self { program, slots, bounds })
    }

    /// The region's result for two elements.
    fn combine(&mut self, one: Item, other: Item) -> Result<Item, Failure> {
        for (input, (slot, bound, _)) in self.program.inputs().iter().zip([one, other]) {
            self.slots[*input] = slot;
            self.bounds[*input] = bound;
        }
        let mut tracker = BoundTracker { bounds: &mut self.bounds, in_any_order: true };
        self.program.run(&mut self.slots, &[], &mut tracker)?;
        let output = self.program.outputs()[0];
        Ok((self.slots[output], self.bounds[output], one.2 && other.2))
    }
}

fn item(buffer: &Buffer, i: usize) -> Item {
    let slot = buffer.array.get(i);
    (slot, Bound::of(buffer.array.element, slot, buffer.error(i)), buffer.is_defined(i))
}

/// The place of an index in a tensor; `None` outside of it.
fn place(shape: &[usize], index: &[i128]) -> Option<usize> {
    let inside = |(index, size): (&i128, &usize)| usize::try_from(*index).ok().filter(|index| index < size);
    let index: Vec<_> = index.iter().zip(shape).map(inside).collect::<Option<_>>()?;
    Some(index.iter().zip(strides(shape)).map(|(index, step)| index * step).sum())
}

impl Evaluator<'_> {
    /// Writes computed elements to a buffer.
    fn items(&self, mut buffer: Buffer, items: impl Iterator<Item = (usize, Item)>) -> Buffer {
        let element = buffer.array.element;
        for (i, (slot, bound, is_defined)) in items {
            buffer.set(i, slot, is_defined, if self.follow { bound.total(element) } else { 0.0 });
        }
        buffer
    }

    /// The contents of operands, and those of the results if nothing is to be computed: nothing is known about them.
    fn contents(&self, operation: Op<'_>, operands: &[Value]) -> Result<Vec<Arc<Buffer>>, Failure> {
        let content = |value| self.memory.content(value).map_err(|message| Failure::at(operation, message));
        let contents = operands.iter().map(content).collect::<Result<Vec<_>, _>>()?;
        match self.progress {
            Some(_) => Ok(contents),
            None => Err(Failure::unsupported(operation, "is not checked without being computed")),
        }
    }

    /// Executes a `tm_tensor.scan`: each element is combined with the result before it. An exclusive one starts with the
    /// accumulator, and combines the element before. The accumulator becomes the last result, if there are two or more.
    pub(super) fn scan<'c>(&mut self, operation: Op<'c>, operands: &[Value], values: &Values<'c>) -> Results {
        let fail = |message: String| Failure::at(operation, message);
        let attribute = |name: &str| ir::attribute(operation, name);
        let is_inclusive = attribute("inclusive").is_some_and(|inclusive| inclusive.to_string() == "true");
        let mut combiner = Combiner::new(operation, values)?;
        let contents = self.contents(operation, operands)?;
        let [input, output, last] = &contents[..] else { return Err(fail("requires 3 operands".into())) };
        let shape = &input.array.shape;
        let dimension = attribute("dimension").and_then(ir::integer_attribute);
        let dimension = dimension.and_then(|d| usize::try_from(d).ok()).filter(|d| *d < shape.len());
        let dimension = dimension.ok_or_else(|| fail(format!("requires a dimension below {}", shape.len())))?;
        let outer: Vec<_> = (0..shape.len()).filter(|d| *d != dimension).map(|d| shape[d]).collect();
        if (&output.array.shape, &last.array.shape) != (shape, &outer) {
            let (output, last) = (&output.array.shape, &last.array.shape);
            return Err(fail(format!(
                "requires an output of shape {shape:?} and an accumulator of shape {outer:?}, but they have shapes \
                 {output:?} and {last:?}"
            )));
        }
        let steps = strides(shape);
        let (step, size) = (steps[dimension], shape[dimension]);
        let mut results: Vec<Item> = vec![];
        let mut totals: Vec<_> = (0..last.array.len()).map(|i| item(last, i)).collect();
        for i in 0..input.array.len() {
            // The accumulator has all axes but the scanned one.
            let number = i / step.max(1) / size * step + i % step;
            let result = match (i / step % size, is_inclusive) {
                (0, true) => item(input, i),
                (0, false) => item(last, number),
                (_, true) => combiner.combine(results[i - step], item(input, i))?,
                (_, false) => combiner.combine(results[i - step], item(input, i - step))?,
            };
            if i / step % size > 0 {
                totals[number] = result;
            }
            results.push(result);
        }
        let scanned = self.items(Buffer::clone(output), results.into_iter().enumerate());
        let totals = self.items(Buffer::clone(last), totals.into_iter().enumerate());
        Ok(vec![Value::Tensor(Arc::new(scanned)), Value::Tensor(Arc::new(totals))])
    }

    /// Executes a scatter: the updates in lexicographic order, but for those outside of the tensor.
    pub(super) fn scatter<'c>(&mut self, operation: Op<'c>, operands: &[Value], values: &Values<'c>) -> Results {
        let mut combiner = Combiner::new(operation, values)?;
        let contents = self.contents(operation, operands)?;
        let is_of_torch = ir::name(operation) == SCATTER_OF_TORCH;
        let [first, indices, third] = &contents[..] else { return Err(Failure::at(operation, "requires 3 operands")) };
        let (target, updates) = if is_of_torch { (third, first) } else { (first, third) };
        let shapes = [target, indices, updates].map(|buffer| &buffer.array.shape[..]);
        let numbers = DimensionNumbers::of(operation, shapes).map_err(|message| Failure::at(operation, message))?;
        let rank = target.array.shape.len();
        let mut results: Vec<_> = (0..target.array.len()).map(|i| item(target, i)).collect();
        for i in 0..updates.array.len() {
            let index = numbers.index(rank, indices, &updates.array.position(i));
            let index = index.ok_or_else(|| Failure::at(operation, "requires an index for each update"))?;
            let Some(place) = place(&target.array.shape, &index) else { continue };
            let (before, update) = (results[place], item(updates, i));
            results[place] =
                if is_of_torch { combiner.combine(update, before) } else { combiner.combine(before, update) }?;
        }
        Ok(vec![Value::Tensor(Arc::new(self.items(Buffer::clone(target), results.into_iter().enumerate())))])
    }

    /// Executes a `stablehlo.reduce_window`: each result combines the initial value with the elements of its window,
    /// which are the initial value outside of the tensor.
    pub(super) fn reduce_window<'c>(&mut self, operation: Op<'c>, operands: &[Value], values: &Values<'c>) -> Results {
        let fail = |message: &str| Failure::at(operation, message);
        let mut combiner = Combiner::new(operation, values)?;
        let contents = self.contents(operation, operands)?;
        let [input, initial] = &contents[..] else { return Err(fail("requires 2 operands")) };
        let shape = &input.array.shape;
        let windows = Windows::of(operation, shape).map_err(|message| fail(&message))?;
        let result = windows.result();
        let mut result = Buffer::undefined(input.array.element, &result).map_err(|message| fail(&message))?;
        let start = item(initial, 0);
        let mut results = vec![];
        for i in 0..result.array.len() {
            let at = result.array.position(i);
            let mut value = start;
            for number in 0..windows.count() {
                let index = windows.element(&at, number);
                value = combiner.combine(value, place(shape, &index).map_or(start, |place| item(input, place)))?;
            }
            results.push((i, value));
        }
        result = self.items(result, results.into_iter());
        result.defined = result.defined.filter(|defined| defined.contains(&false));
        Ok(vec![Value::Tensor(Arc::new(result))])
    }
}
