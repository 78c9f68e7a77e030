//! Structured operations of `linalg`: the region is evaluated at each point of the iteration space, in lexicographic
//! order, on elements of the inputs and of the outputs, which it replaces. Raised programs are tested against it.
use super::{
    Evaluator, Results, Values,
    bound::{Bound, BoundTracker},
    computation::{Buffer, linear},
    memory::Value,
    prepare::{self, inside},
    scalar::{Failure, Program},
};
use crate::array::{Element, Slot};
use mdh_dialects::{
    ffi::indexing_maps,
    ir::{self, Op, Val},
    view::{IndexFunction, IndexMap},
};
use melior::ir::{TypeLike, ValueLike};
use std::sync::Arc;

/// An operand: a scalar, or the elements of a buffer.
enum Operand {
    Scalar(Element, u128, f64),
    Elements { buffer: usize, steps: Vec<i64>, origin: i64 },
}

impl Evaluator<'_> {
    /// Executes a structured operation; returns the values of its results.
    pub(super) fn structured<'c>(&mut self, operation: Op<'c>, operands: &[Value], values: &Values<'c>) -> Results {
        let fail = |message: String| Failure::at(operation, message);
        let unsupported = |message: &str| Failure::unsupported(operation, message);
        let unknown = || unsupported(&format!("the reference evaluator cannot evaluate '{}'", ir::name(operation)));
        let maps = indexing_maps(operation).and_then(ir::array_attribute).ok_or_else(unknown)?;
        let block = ir::body(operation, 0).ok_or_else(unknown)?;
        let captured = captured(operation);
        let program = Program::with_captured(block, &captured)?;
        let outer = captured_scalars(operation, &captured, values)?;
        let functions = maps.iter().map(|map| IndexFunction::from_attribute(*map)).collect::<Option<Vec<_>>>();
        let functions =
            functions.ok_or_else(|| unsupported("the reference evaluator requires linear index functions"))?;
        let mlir = ir::operands(operation);
        let (mut buffers, mut places): (Vec<Buffer>, Vec<Operand>) = (vec![], vec![]);
        for ((value, operand), function) in operands.iter().zip(&mlir).zip(&functions) {
            places.push(match value {
                Value::Scalar(slot, error) => {
                    Operand::Scalar(prepare::scalar_element(*operand, operation)?, *slot, *error)
                }
                _ => {
                    let content = self.memory.content(value).map_err(fail)?;
                    let same = mlir.iter().take(places.len()).position(|other| other == operand);
                    let known = same.and_then(|other| match places[other] {
                        Operand::Elements { buffer, .. } if !operand.r#type().is_tensor() => Some(buffer),
                        _ => None,
                    });
                    let (steps, origin) = linear(function, &content.array.shape);
                    let buffer = known.unwrap_or(buffers.len());
                    if known.is_none() {
                        buffers.push(Buffer::clone(&content));
                    }
                    Operand::Elements { buffer, steps, origin }
                }
            });
        }
        let shapes: Vec<_> = operands.iter().map(|value| self.memory.shape(value).unwrap_or_default()).collect();
        let rank = maps.first().and_then(|map| IndexMap::from_attribute(*map)).map_or(0, |map| map.dimensions);
        let extent = |d| functions.iter().zip(&shapes).find_map(|(function, shape)| Some(shape[function.axis_of(d)?]));
        let extents = (0..rank).map(extent).collect::<Option<Vec<_>>>();
        let extents = extents.ok_or_else(|| fail("requires an operand with each iterator alone as an index".into()))?;
        for (number, (function, shape)) in functions.iter().zip(&shapes).enumerate() {
            let axes = (0..rank).filter_map(|d| Some((d, function.axis_of(d)?)));
            if let Some((d, axis)) = axes.into_iter().find(|(d, axis)| shape[*axis] != extents[*d]) {
                let (size, extent) = (shape[axis], extents[d]);
                let place = format!("axis {} of operand {}", axis + 1, number + 1);
                return Err(fail(format!(
                    "requires size {extent} along iterator {}, but {place} has size {size}",
                    d + 1
                )));
            }
        }
        if !extents.contains(&0) {
            for (number, (function, shape)) in functions.iter().zip(&shapes).enumerate() {
                if matches!(places[number], Operand::Elements { .. }) {
                    inside(function, &extents, shape).map_err(|problem| {
                        fail(format!("operand {} is accessed outside of its bounds: {problem}", number + 1))
                    })?;
                }
            }
        }
        let first_output = places.len() - program.outputs().len();
        if self.progress.is_some() {
            self.run_structured(&program, &extents, &mut buffers, &places, &outer)?;
        }
        let mut results = vec![];
        for number in first_output..places.len() {
            let Operand::Elements { buffer, .. } = places[number] else { return Err(fail("requires buffers".into())) };
            let mut content = buffers[buffer].clone();
            if content.defined.as_ref().is_some_and(|defined| defined.iter().all(|is_defined| *is_defined)) {
                content.defined = None;
            }
            let written = self.memory.write(&operands[number], Arc::new(content)).map_err(fail)?;
            if matches!(written, Value::Tensor(_)) {
                results.push(written);
            }
        }
        Ok(results)
    }

    fn run_structured(
        &self,
        program: &Program,
        extents: &[usize],
        buffers: &mut [Buffer],
        places: &[Operand],
        outer: &[(u128, f64, Element)],
    ) -> Result<(), Failure> {
        let (mut slots, mut bounds) = (program.slots(), program.bounds());
        let arguments = program.inputs().len() - outer.len();
        for (slot, (value, error, element)) in program.inputs()[arguments..].iter().zip(outer) {
            slots[*slot] = *value;
            bounds[*slot] = Bound::of(*element, *value, *error);
        }
        let first_output = places.len() - program.outputs().len();
        let count: usize = extents.iter().product();
        let reads: Vec<_> = program.inputs().iter().copied().filter(|slot| program.reads(*slot)).collect();
        // The bounds of written elements, by buffer: a sum keeps the magnitudes of its addends.
        let mut written: Vec<Vec<Option<Bound>>> = vec![vec![]; buffers.len()];
        let mut point = vec![0; extents.len()];
        for _ in 0..count {
            let place = |steps: &[i64], origin: i64| {
                let terms = steps.iter().zip(&point);
                terms.fold(origin, |place, (step, index)| place.wrapping_add(step.wrapping_mul(*index as i64))) as usize
            };
            let mut is_defined = true;
            for (operand, slot) in places.iter().zip(&program.inputs()[..arguments]) {
                match operand {
                    Operand::Scalar(element, value, error) => {
                        slots[*slot] = *value;
                        bounds[*slot] = Bound::of(*element, *value, *error);
                    }
                    Operand::Elements { buffer, steps, origin } => {
                        let (number, buffer, place) = (*buffer, &buffers[*buffer], place(steps, *origin));
                        slots[*slot] = buffer.array.get(place);
                        bounds[*slot] = match written[number].get(place) {
                            Some(Some(bound)) => *bound,
                            _ => Bound::of(buffer.array.element, slots[*slot], buffer.error(place)),
                        };
                        is_defined &= !reads.contains(slot) || buffer.is_defined(place);
                    }
                }
            }
            program.run(&mut slots, &point, &mut BoundTracker { bounds: &mut bounds, in_any_order: true })?;
            for (operand, slot) in places[first_output..].iter().zip(program.outputs()) {
                let Operand::Elements { buffer, steps, origin } = operand else { continue };
                let (number, place) = (*buffer, place(steps, *origin));
                let buffer = &mut buffers[number];
                let error = if self.follow { bounds[*slot].total(buffer.array.element) } else { 0.0 };
                buffer.set(place, slots[*slot], is_defined, error);
                if self.follow {
                    let count = buffer.array.len();
                    written[number].resize(count, None);
                    written[number][place] = Some(bounds[*slot]);
                }
            }
            for (index, extent) in point.iter_mut().zip(extents).rev() {
                *index += 1;
                if *index < *extent {
                    break;
                }
                *index = 0;
            }
        }
        Ok(())
    }
}

/// The values that a region uses from outside.
pub(super) fn captured<'c>(operation: Op<'c>) -> Vec<Val<'c>> {
    let inner: Vec<_> = ir::descendants(operation).into_iter().skip(1).collect();
    let blocks: Vec<_> = [operation].iter().chain(&inner).flat_map(|inner| ir::blocks(*inner)).collect();
    let is_inside = |value: Val<'c>| match ir::defining(value) {
        Some(defining) => inner.contains(&defining),
        None => blocks.iter().any(|block| ir::arguments(*block).contains(&value)),
    };
    let mut found = vec![];
    for value in inner.iter().flat_map(|inner| ir::operands(*inner)) {
        if !is_inside(value) && !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// The scalars that captured values are, each with its error and its type.
pub(super) fn captured_scalars<'c>(
    operation: Op<'c>,
    captured: &[Val<'c>],
    values: &Values<'c>,
) -> Result<Vec<(Slot, f64, Element)>, Failure> {
    let scalar = |value: &Val<'c>| match super::find(values, *value, operation)? {
        Value::Scalar(slot, error) => Ok((*slot, *error, prepare::scalar_element(*value, operation)?)),
        _ => Err(Failure::unsupported(operation, "the reference evaluator requires scalars from outside of a region")),
    };
    captured.iter().map(scalar).collect()
}
