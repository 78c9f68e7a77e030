//! Scans, scatters and windows of StableHLO and TMTensor, by their definitions. Their regions are on scalars.
use super::{
    Evaluator, Values,
    bound::{Bound, BoundTracker},
    computation::Buffer,
    linalg::{captured, captured_scalars},
    memory::Value,
    scalar::{Failure, Program},
};
use crate::array::{Element, Slot, strides};
use mdh_dialects::ir::{self, Op};
use mdh_passes::{
    expand_unregistered::{
        scatter::{self, entries},
        window,
    },
    raise::torch,
};
use melior::ir::ValueLike;
use std::sync::Arc;

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
    pub(super) fn scan<'c>(
        &mut self,
        operation: Op<'c>,
        operands: &[Value],
        values: &Values<'c>,
    ) -> Result<Vec<Value>, Failure> {
        let fail = |message: String| Failure::at(operation, message);
        let attribute = |name: &str| ir::attribute(operation, name);
        let dimension = torch::check_scan(operation).map_err(fail)?;
        let is_inclusive = attribute("inclusive").is_some_and(|inclusive| inclusive.to_string() == "true");
        let mut combiner = Combiner::new(operation, values)?;
        let contents = self.contents(operation, operands)?;
        let [input, output, last] = &contents[..] else { return Err(fail("requires 3 operands".into())) };
        let shape = &input.array.shape;
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
    pub(super) fn scatter<'c>(
        &mut self,
        operation: Op<'c>,
        operands: &[Value],
        values: &Values<'c>,
    ) -> Result<Vec<Value>, Failure> {
        scatter::check(operation).map_err(|message| Failure::at(operation, message))?;
        let mut combiner = Combiner::new(operation, values)?;
        let contents = self.contents(operation, operands)?;
        let is_of_torch = ir::name(operation) == "tm_tensor.scatter";
        let [first, indices, third] = &contents[..] else { return Err(Failure::at(operation, "requires 3 operands")) };
        let (target, updates) = if is_of_torch { (third, first) } else { (first, third) };
        let numbers = DimensionNumbers::of(operation);
        let numbers = numbers.ok_or_else(|| Failure::at(operation, "requires dimension numbers that fit"))?;
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
    pub(super) fn reduce_window<'c>(
        &mut self,
        operation: Op<'c>,
        operands: &[Value],
        values: &Values<'c>,
    ) -> Result<Vec<Value>, Failure> {
        let fail = |message: &str| Failure::at(operation, message);
        let axes = window::axes(operation).map_err(|message| fail(&message))?;
        let mut combiner = Combiner::new(operation, values)?;
        let contents = self.contents(operation, operands)?;
        let [input, initial] = &contents[..] else { return Err(fail("requires 2 operands")) };
        let shape = &input.array.shape;
        let result = ir::results(operation).first().and_then(|result| ir::shape(result.r#type()));
        let sizes =
            result.and_then(|sizes| sizes.into_iter().map(|size| Some(size? as usize)).collect::<Option<Vec<_>>>());
        let mut result = Buffer::undefined(input.array.element, &sizes.ok_or_else(|| fail("requires static sizes"))?)
            .map_err(|message| fail(&message))?;
        let start = item(initial, 0);
        let count = axes.iter().try_fold(1i64, |count, axis| count.checked_mul(axis.window));
        let count = count.ok_or_else(|| fail("requires less than 2^63 elements in a window"))?;
        let mut results = vec![];
        for i in 0..result.array.len() {
            let at = result.array.position(i);
            let mut value = start;
            for number in 0..count {
                let mut rest = number;
                let mut index = vec![0; at.len()];
                for (d, axis) in axes.iter().enumerate().rev() {
                    let [stride, dilation, low] = [axis.stride, axis.dilation, axis.low].map(i128::from);
                    index[d] = at[d] as i128 * stride + i128::from(rest % axis.window) * dilation - low;
                    rest /= axis.window;
                }
                value = combiner.combine(value, place(shape, &index).map_or(start, |place| item(input, place)))?;
            }
            results.push((i, value));
        }
        result = self.items(result, results.into_iter());
        result.defined = result.defined.filter(|defined| defined.contains(&false));
        Ok(vec![Value::Tensor(Arc::new(result))])
    }
}

/// An index of the tensor of indices, as a number.
fn start(indices: &Buffer, index: &[usize]) -> Option<i128> {
    let index: Vec<_> = index.iter().map(|index| *index as i128).collect();
    let element: Element = indices.array.element;
    Some(element.signed(indices.array.get(place(&indices.array.shape, &index)?)))
}

/// The attribute that maps updates to the elements that they change.
enum DimensionNumbers {
    /// `tm_tensor.scatter`: by component of an index, the axis.
    Torch(Vec<i64>),
    /// `stablehlo.scatter`: lists of axes by name.
    StableHlo(Vec<(String, Vec<usize>)>),
}

impl DimensionNumbers {
    fn of(operation: Op<'_>) -> Option<Self> {
        match ir::attribute(operation, "scatter_dimension_numbers") {
            Some(attribute) => entries(&attribute.to_string()).map(Self::StableHlo),
            None => ir::attribute(operation, "dimension_map").and_then(ir::dense_array_attribute).map(Self::Torch),
        }
    }

    /// The index of the element that an update changes.
    fn index(&self, rank: usize, indices: &Buffer, update: &[usize]) -> Option<Vec<i128>> {
        match self {
            Self::Torch(map) => index_of_torch(map, rank, indices, update),
            Self::StableHlo(entries) => index_of_stablehlo(entries, rank, indices, update),
        }
    }
}

/// The index that an update of a `tm_tensor.scatter` combines: the last axes are those of the update but the first one.
fn index_of_torch(map: &[i64], rank: usize, indices: &Buffer, update: &[usize]) -> Option<Vec<i128>> {
    let mut index = vec![0; rank];
    for (axis, position) in update.iter().enumerate().skip(1) {
        index[rank + axis - update.len()] = *position as i128;
    }
    for (component, axis) in map.iter().enumerate() {
        *index.get_mut(usize::try_from(*axis).ok()?)? += start(indices, &[*update.first()?, component])?;
    }
    Some(index)
}

/// The index that an update of a `stablehlo.scatter` combines: the sum of the start, batching and window indices.
fn index_of_stablehlo(
    entries: &[(String, Vec<usize>)],
    rank: usize,
    indices: &Buffer,
    update: &[usize],
) -> Option<Vec<i128>> {
    let list = |name: &str| entries.iter().find(|(key, _)| key == name).map_or(&[][..], |(_, list)| list);
    let vector = list("index_vector_dim").first().copied().unwrap_or(0);
    let windows = list("update_window_dims");
    let scattered: Vec<_> = (0..update.len()).filter(|axis| !windows.contains(axis)).map(|axis| update[axis]).collect();
    let mut index = vec![0; rank];
    for (component, axis) in list("scatter_dims_to_operand_dims").iter().enumerate() {
        let mut at = scattered.clone();
        if vector < indices.array.shape.len() {
            at.insert(vector, component);
        }
        *index.get_mut(*axis)? += start(indices, &at)?;
    }
    let batches = list("input_batching_dims");
    for (axis, other) in batches.iter().zip(list("scatter_indices_batching_dims")) {
        *index.get_mut(*axis)? += *scattered.get(other - usize::from(*other >= vector))? as i128;
    }
    let inserted = list("inserted_window_dims");
    let kept = (0..rank).filter(|axis| !inserted.contains(axis) && !batches.contains(axis));
    for (axis, window) in kept.zip(windows) {
        index[axis] += *update.get(*window)? as i128;
    }
    Some(index)
}
