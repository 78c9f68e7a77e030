//! Initial values in the reference evaluator.
use super::{Block, Bound, Buffer, Combine, Failure, Worker, apply, linear};
use crate::array::{Element, Slot};
use mdh_dialects::view::IndexFunction;
use std::sync::Arc;

/// The initial value of a component of the results.
pub enum Initial {
    /// A scalar of a type, and its error bound.
    Scalar(Element, Slot, f64),
    /// The elements of a buffer, at index 0 of the dimensions that are combined.
    Elements(Arc<Buffer>, IndexFunction),
}

impl Initial {
    /// The buffer, if it is not a scalar.
    pub fn buffer(&self) -> Option<&Arc<Buffer>> {
        match self {
            Self::Scalar(..) => None,
            Self::Elements(buffer, _) => Some(buffer),
        }
    }
}

impl Worker<'_> {
    /// Appends the elements of all ranges.
    pub(super) fn start(&mut self, result: &mut Block) -> Result<(), Failure> {
        let computation = self.computation;
        let is_scan = computation.combine.iter().any(|combine| matches!(combine, Combine::PrefixSum(_)));
        match (computation.inits.is_empty(), is_scan) {
            (true, _) => self.evaluate(0, false, result),
            (false, true) => self.evaluate(0, true, result),
            (false, false) => self.fold_elements(0, result),
        }
    }

    /// Appends the results of the concatenated dimensions from `d` on.
    fn fold_elements(&mut self, d: usize, result: &mut Block) -> Result<(), Failure> {
        let is_kept = |d: &usize| matches!(self.computation.combine[*d], Combine::Concatenation);
        let Some(d) = (d..self.ranges.len()).find(is_kept) else {
            self.push_initial(result);
            return self.fold_points(0, &mut Block::default(), result);
        };
        let range = self.ranges[d].clone();
        self.step(d, range.start as i64);
        for i in range.clone() {
            self.point[d] = i;
            self.fold_elements(d + 1, result)?;
            self.step(d, 1);
        }
        self.step(d, -(range.end.max(range.start) as i64));
        Ok(())
    }

    /// Combines the last element with the values of the reduced dimensions from `d` on, in lexicographic order.
    fn fold_points(&mut self, d: usize, value: &mut Block, result: &mut Block) -> Result<(), Failure> {
        let is_reduced = |d: &usize| matches!(self.computation.combine[*d], Combine::PointWise(..));
        let Some(d) = (d..self.ranges.len()).find(is_reduced) else {
            let is_defined = self.scalar()?;
            *value = Block::default();
            self.push(is_defined, value);
            return self.accumulate_last(value, result);
        };
        let range = self.ranges[d].clone();
        self.step(d, range.start as i64);
        for i in range.clone() {
            self.point[d] = i;
            self.fold_points(d + 1, value, result)?;
            self.step(d, 1);
        }
        self.step(d, -(range.end.max(range.start) as i64));
        Ok(())
    }

    /// Appends the value of the scalar function at the current point.
    pub(super) fn push(&self, is_defined: bool, block: &mut Block) {
        let outputs = self.computation.function.outputs().iter();
        block.components.extend(outputs.clone().map(|output| self.slots[*output]));
        if self.computation.follow {
            block.bounds.extend(outputs.map(|output| self.bounds[*output]));
        }
        block.defined.extend(self.track.then_some(is_defined));
    }

    /// Appends the initial values at the current point.
    pub(super) fn push_initial(&self, block: &mut Block) {
        let computation = self.computation;
        let mut is_defined = true;
        for initial in &computation.inits {
            let (element, slot, error) = match initial {
                Initial::Scalar(element, slot, error) => (*element, *slot, *error),
                Initial::Elements(buffer, function) => {
                    let (steps, origin) = linear(function, &buffer.array.shape);
                    let kept = steps.iter().zip(&self.point).zip(&computation.combine);
                    let kept = kept.filter(|(_, combine)| matches!(combine, Combine::Concatenation));
                    let place = kept
                        .fold(origin, |place, ((step, index), _)| place.wrapping_add(step.wrapping_mul(*index as i64)))
                        as usize;
                    is_defined &= buffer.is_defined(place);
                    (buffer.array.element, buffer.array.get(place), buffer.error(place))
                }
            };
            block.components.push(slot);
            if computation.follow {
                block.bounds.push(Bound::of(element, slot, error));
            }
        }
        block.defined.extend(self.track.then_some(is_defined));
    }

    /// Appends the initial values of all elements that the dimensions from `d` on produce.
    pub(super) fn initial_block(&mut self, d: usize, result: &mut Block) {
        let range = match self.computation.combine.get(d) {
            None => return self.push_initial(result),
            Some(Combine::PointWise(..)) => 0..1,
            Some(_) => self.ranges[d].clone(),
        };
        for i in range {
            self.point[d] = i;
            self.initial_block(d + 1, result);
        }
    }

    /// `last element := last element op value`
    pub(super) fn accumulate_last(&mut self, value: &Block, result: &mut Block) -> Result<(), Failure> {
        let found = self.computation.combine.iter().enumerate().find_map(|(d, combine)| match combine {
            Combine::Concatenation => None,
            Combine::PointWise(function, _) | Combine::PrefixSum(function) => Some((d, function)),
        });
        let Some((d, function)) = found else { return Ok(()) };
        let follow = self.computation.follow;
        let arity = function.outputs().len();
        let start = result.components.len() - arity;
        let (left, right) = function.inputs().split_at(arity);
        let (slots, _, bounds) = &mut self.operators[d];
        for component in 0..arity {
            slots[left[component]] = result.components[start + component];
            slots[right[component]] = value.components[component];
            if follow {
                bounds[left[component]] = result.bounds[start + component];
                bounds[right[component]] = value.bounds[component];
            }
        }
        apply(function, slots, bounds, follow)?;
        for (component, output) in function.outputs().iter().enumerate() {
            result.components[start + component] = slots[*output];
            if follow {
                result.bounds[start + component] = bounds[*output];
            }
        }
        if let (Some(left), Some(right)) = (result.defined.last_mut(), value.defined.last()) {
            *left &= right;
        }
        Ok(())
    }
}
