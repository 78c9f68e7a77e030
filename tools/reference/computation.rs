//! Evaluates `out_view ∘ md_hom ∘ inp_view` one point of the iteration space after the other, following the
//! definitions.
//!
//! `md_hom(f, (op_1, …, op_D))(a)` is `op_1` over `i_1` of (`op_2` over `i_2` of … `f(a[i_1, …, i_D])`). The value of
//! an inner operator is an MDA again: concatenated and scanned dimensions keep their index sets, a dimension combined
//! point-wise has one index. Such an MDA is stored as a block: its elements, each a tuple of scalars, in row-major
//! order. Then
//!
//! - `cc` concatenates the blocks of its index set,
//! - `pw(g)` combines the elements of the blocks by `g`, from the first block to the last,
//! - `ps(g)` concatenates them, each combined by `g` with the one before.
//!
//! With initial values, the result at a point is `init op fold`. Without a scan, the fold goes on from the initial value
//! over the points in lexicographic order; in a scan, the initial value is combined with the first value.
//!
//! Concatenated indices are independent of each other, so ranges of them are evaluated by parallel threads.
mod initial;
mod parts;

pub use initial::Initial;

use super::{
    bound::{Bound, BoundTracker},
    scalar::{Failure, Program},
};
use crate::array::{Array, Element, Slot, strides};
use mdh_dialects::view::IndexFunction;
use rayon::prelude::*;
use std::{
    ops::Range,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

/// An array whose elements may be undefined.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// The elements; undefined ones consist of the byte [`UNDEFINED`].
    pub array: Array,
    /// Whether each element is defined; `None` if all are.
    pub defined: Option<Vec<bool>>,
    /// The error bound of each element: how far an engine's may differ; `None` if all bounds are zero.
    pub errors: Option<Vec<f64>>,
}

/// The byte that undefined elements consist of.
pub const UNDEFINED: u8 = 0xcd;

impl From<Array> for Buffer {
    fn from(array: Array) -> Self {
        Self { array, defined: None, errors: None }
    }
}

impl Buffer {
    /// A buffer whose elements are all undefined. Fails if it is too large for memory.
    pub fn undefined(element: Element, shape: &[usize]) -> Result<Self, String> {
        let fill = Slot::from_le_bytes([UNDEFINED; 16]) & element.mask();
        let array = Array::filled(element, shape, fill)?;
        let defined = Some(vec![false; array.len()]);
        Ok(Self { array, defined, errors: None })
    }

    /// Returns true if element number `i` is defined.
    pub fn is_defined(&self, i: usize) -> bool {
        self.defined.as_ref().is_none_or(|defined| defined[i])
    }

    /// The error bound of element number `i`.
    pub fn error(&self, i: usize) -> f64 {
        self.errors.as_ref().map_or(0.0, |errors| errors[i])
    }

    /// Sets element number `i` and its error bound.
    pub fn set(&mut self, i: usize, slot: Slot, is_defined: bool, error: f64) {
        self.array.set(i, slot);
        if error != 0.0 || self.errors.is_some() {
            let count = self.array.len();
            self.errors.get_or_insert_with(|| vec![0.0; count])[i] = error;
        }
        match &mut self.defined {
            Some(defined) => defined[i] = is_defined,
            None if is_defined => {}
            None => {
                let mut defined = vec![true; self.array.len()];
                defined[i] = false;
                self.defined = Some(defined);
            }
        }
    }
}

/// One access of a view.
pub struct Access {
    /// The index of the buffer.
    pub buffer: usize,
    /// The index function into the buffer.
    pub function: IndexFunction,
}

/// The combine operator of a dimension.
pub enum Combine {
    /// `cc`.
    Concatenation,
    /// `pw`, with the identity of its function if there is one.
    PointWise(Program, Option<Vec<Slot>>),
    /// `ps`.
    PrefixSum(Program),
}

/// A computation with its input buffers.
pub struct Computation {
    /// The extents of the iteration space.
    pub extents: Vec<usize>,
    /// The scalar function.
    pub function: Program,
    /// The combine operator of each dimension.
    pub combine: Vec<Combine>,
    /// The initial values, one for each component of the results; empty if there are none.
    pub inits: Vec<Initial>,
    /// The input buffers.
    pub inputs: Vec<Arc<Buffer>>,
    /// The accesses of the components of the scalar function's arguments.
    pub reads: Vec<Access>,
    /// The accesses of the components of its results.
    pub writes: Vec<Access>,
    /// The types of the components of its results.
    pub outputs: Vec<Element>,
    /// True if error bounds are propagated.
    pub follow: bool,
}

/// Elements of an MDA in row-major order: the components of each tuple, and whether each tuple is defined.
#[derive(Default)]
struct Block {
    components: Vec<Slot>,
    /// Empty if all inputs are defined.
    defined: Vec<bool>,
    /// The bound of each component; empty unless error bounds are propagated.
    bounds: Vec<Bound>,
}

/// An access prepared for one array.
struct Reader<'a> {
    element: Element,
    bytes: usize,
    mask: Slot,
    data: &'a [u8],
    defined: Option<&'a [bool]>,
    errors: Option<&'a [f64]>,
    /// The stride of each iteration dimension, in elements.
    steps: Vec<i64>,
    /// The element at the origin of the iteration space.
    origin: i64,
}

impl Computation {
    /// Computes elements and writes them to the outputs: all elements, or a sample of them if there are more than `most`
    /// points. `progress` is called with the completed fraction of the work.
    pub fn run(
        &self,
        outputs: &mut [Buffer],
        most: Option<u64>,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<(), Failure> {
        let mut buffers = self.inputs.iter().chain(self.inits.iter().filter_map(Initial::buffer));
        let track = buffers.any(|buffer| buffer.defined.is_some());
        let readers: Vec<_> =
            self.reads.iter().map(|access| reader(&self.inputs[access.buffer], &access.function)).collect();
        let is_concatenated: Vec<_> =
            self.combine.iter().map(|combine| matches!(combine, Combine::Concatenation)).collect();
        let sample = most.and_then(|most| parts::sample(&self.extents, &is_concatenated, most));
        let parts = sample.unwrap_or_else(|| parts::all(&self.extents, &is_concatenated));
        let outputs = Mutex::new(outputs);
        let problem: Mutex<Option<(usize, Failure)>> = Mutex::new(None);
        // The error of the first failing part is reported, independently of thread timing.
        let first_problem = AtomicUsize::new(usize::MAX);
        let done = AtomicU64::new(0);
        let lock_failed = |_| Failure {
            location: String::new(),
            message: "a thread of the evaluator has failed".into(),
            unsupported: false,
        };
        parts.par_iter().enumerate().try_for_each(|(number, ranges)| {
            if first_problem.load(Ordering::Relaxed) < number {
                return Ok(());
            }
            let mut block = Block::default();
            let mut worker = Worker::new(self, &readers, ranges, track);
            match worker.start(&mut block) {
                Ok(()) => self.write(&block, ranges, &mut outputs.lock().map_err(|_| lock_failed(()))?),
                Err(failure) => {
                    first_problem.fetch_min(number, Ordering::Relaxed);
                    let mut problem = problem.lock().map_err(|_| lock_failed(()))?;
                    if problem.as_ref().is_none_or(|(other, _)| number < *other) {
                        *problem = Some((number, failure));
                    }
                }
            }
            progress((done.fetch_add(1, Ordering::Relaxed) + 1) as f64 / parts.len() as f64);
            Ok(())
        })?;
        match problem.into_inner().map_err(|_| lock_failed(()))? {
            Some((_, failure)) => Err(failure),
            None => Ok(()),
        }
    }

    /// `out_view`: writes the elements of a block where the index functions say.
    fn write(&self, block: &Block, ranges: &[Range<usize>], outputs: &mut [Buffer]) {
        let kept: Vec<Range<usize>> = ranges
            .iter()
            .zip(&self.combine)
            .map(|(range, combine)| if matches!(combine, Combine::PointWise(..)) { 0..1 } else { range.clone() })
            .collect();
        let places: Vec<_> =
            self.writes.iter().map(|access| linear(&access.function, &outputs[access.buffer].array.shape)).collect();
        let arity = self.writes.len();
        let count: usize = kept.iter().map(Range::len).product();
        let mut point: Vec<usize> = kept.iter().map(|range| range.start).collect();
        for i in 0..count {
            let is_defined = block.defined.get(i).copied().unwrap_or(true);
            for (component, (access, (steps, origin))) in self.writes.iter().zip(&places).enumerate() {
                let place = steps
                    .iter()
                    .zip(&point)
                    .fold(*origin, |place, (step, i)| place.wrapping_add(step.wrapping_mul(*i as i64)));
                let number = i * arity + component;
                let error = block.bounds.get(number).map_or(0.0, |bound| bound.total(self.outputs[component]));
                outputs[access.buffer].set(place as usize, block.components[number], is_defined, error);
            }
            for (index, range) in point.iter_mut().zip(&kept).rev() {
                *index += 1;
                if *index < range.end {
                    break;
                }
                *index = range.start;
            }
        }
    }
}

/// Composes an index function with a row-major layout: a stride in elements for each dimension, and the element at the
/// origin.
///
/// It wraps around: the coefficient of a dimension with one index may have any value and is only multiplied by zero.
pub(super) fn linear(function: &IndexFunction, shape: &[usize]) -> (Vec<i64>, i64) {
    let strides = strides(shape);
    let rows: Vec<_> = (0..function.rank()).map(|axis| function.row(axis)).collect();
    let dimensions = rows.first().map_or(0, |(coefficients, _)| coefficients.len());
    let sum = |factors: &mut dyn Iterator<Item = i64>| {
        factors.zip(&strides).fold(0i64, |sum, (factor, stride)| sum.wrapping_add(factor.wrapping_mul(*stride as i64)))
    };
    let along = |d: usize| sum(&mut rows.iter().map(|(coefficients, _)| coefficients[d]));
    ((0..dimensions).map(along).collect(), sum(&mut rows.iter().map(|(_, constant)| *constant)))
}

fn reader<'a>(buffer: &'a Buffer, function: &IndexFunction) -> Reader<'a> {
    let (steps, origin) = linear(function, &buffer.array.shape);
    let element = buffer.array.element;
    let (bytes, data) = (element.bytes(), &buffer.array.data[..]);
    Reader {
        element,
        bytes,
        mask: element.mask(),
        data,
        defined: buffer.defined.as_deref(),
        errors: buffer.errors.as_deref(),
        steps,
        origin,
    }
}

impl Reader<'_> {
    /// The element at a position. The common sizes come first, because this runs for every access of every point.
    #[inline]
    fn load(&self, place: usize) -> Slot {
        let data = &self.data[place * self.bytes..];
        match (self.bytes, data) {
            (4, [a, b, c, d, ..]) => Slot::from(u32::from_le_bytes([*a, *b, *c, *d])) & self.mask,
            (8, [a, b, c, d, e, f, g, h, ..]) => {
                Slot::from(u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h])) & self.mask
            }
            _ => self.element.load(&data[..self.bytes]),
        }
    }
}

/// Evaluates a part of the iteration space.
struct Worker<'a> {
    computation: &'a Computation,
    readers: &'a [Reader<'a>],
    ranges: &'a [Range<usize>],
    /// True if some inputs have undefined elements.
    track: bool,
    /// The current point.
    point: Vec<usize>,
    /// The position of each access at the current point, in elements.
    places: Vec<i64>,
    /// The slots of the scalar function.
    slots: Vec<Slot>,
    /// The bounds of `slots`.
    bounds: Vec<Bound>,
    /// The state of each dimension's combine operator.
    operators: Vec<Operator>,
}

/// The slots of a combining function, a block to reuse, and the bounds of the slots.
type Operator = (Vec<Slot>, Block, Vec<Bound>);

impl<'a> Worker<'a> {
    fn new(computation: &'a Computation, readers: &'a [Reader<'a>], ranges: &'a [Range<usize>], track: bool) -> Self {
        let operators = computation.combine.iter().map(|combine| match combine {
            Combine::Concatenation => (vec![], Block::default(), vec![]),
            Combine::PointWise(program, _) | Combine::PrefixSum(program) => {
                (program.slots(), Block::default(), program.bounds())
            }
        });
        Self {
            computation,
            readers,
            ranges,
            track,
            point: vec![0; ranges.len()],
            places: readers.iter().map(|reader| reader.origin).collect(),
            slots: computation.function.slots(),
            bounds: computation.function.bounds(),
            operators: operators.collect(),
        }
    }

    /// Appends the MDA of the dimensions from `d` on, for the current indices of the dimensions before.
    /// `first`: true if initial values are to be combined with the first value of each element.
    fn evaluate(&mut self, d: usize, first: bool, result: &mut Block) -> Result<(), Failure> {
        let Some(combine) = self.computation.combine.get(d) else { return self.point(first, result) };
        let range = self.ranges[d].clone();
        if let Combine::PointWise(function, _) = combine
            && d + 1 == self.ranges.len()
            && !range.is_empty()
            && !first
        {
            return self.reduce(d, function, result);
        }
        self.step(d, range.start as i64);
        match combine {
            Combine::Concatenation => {
                for i in range.clone() {
                    self.point[d] = i;
                    self.evaluate(d + 1, first, result)?;
                    self.step(d, 1);
                }
            }
            Combine::PointWise(function, identity) => {
                self.point_wise(d, (function, identity.as_deref()), first, result)?;
            }
            Combine::PrefixSum(function) => self.prefix_sums(d, function, first, result)?,
        }
        self.step(d, -(range.end.max(range.start) as i64));
        Ok(())
    }

    /// Appends the value of the current point, combined with the initial values if they are to be.
    fn point(&mut self, first: bool, result: &mut Block) -> Result<(), Failure> {
        let is_defined = self.scalar()?;
        if first {
            let mut value = Block::default();
            self.push(is_defined, &mut value);
            self.push_initial(result);
            return self.accumulate_last(&value, result);
        }
        self.push(is_defined, result);
        Ok(())
    }

    /// `pw`: appends the combination of the MDAs of the dimensions after `d`.
    fn point_wise(
        &mut self,
        d: usize,
        (function, identity): (&Program, Option<&[Slot]>),
        first: bool,
        result: &mut Block,
    ) -> Result<(), Failure> {
        let range = self.ranges[d].clone();
        let start = result.components.len();
        let defined = result.defined.len();
        let mut next = std::mem::take(&mut self.operators[d].1);
        for i in range.clone() {
            self.point[d] = i;
            if i == range.start {
                self.evaluate(d + 1, first, result)?;
            } else {
                next.components.clear();
                next.defined.clear();
                next.bounds.clear();
                self.evaluate(d + 1, false, &mut next)?;
                let target = (&mut result.components[start..], result.bounds.get_mut(start..).unwrap_or_default());
                self.combine(d, function, target, None, (&next.components, &next.bounds))?;
                for (left, right) in result.defined[defined..].iter_mut().zip(&next.defined) {
                    *left &= right;
                }
            }
            self.step(d, 1);
        }
        self.operators[d].1 = next;
        match identity.filter(|_| range.is_empty()) {
            _ if range.is_empty() && first => self.initial_block(d + 1, result),
            Some(identity) => self.identities(d + 1, identity, result),
            None => {}
        }
        Ok(())
    }

    /// Appends one identity for each element that the dimensions from `d` on produce.
    fn identities(&self, d: usize, identity: &[Slot], result: &mut Block) {
        let inner = self.ranges.iter().zip(&self.computation.combine).skip(d);
        let kept = inner.map(|(range, combine)| match combine {
            Combine::PointWise(..) => 1,
            _ => range.len(),
        });
        for _ in 0..kept.product() {
            result.components.extend_from_slice(identity);
            if self.computation.follow {
                let parts = identity.iter().zip(&self.computation.outputs);
                result.bounds.extend(parts.map(|(slot, element)| Bound::of(*element, *slot, 0.0)));
            }
            result.defined.extend(self.track.then_some(true));
        }
    }

    /// `ps`: appends the MDAs of the dimensions after `d`, each combined with those before.
    fn prefix_sums(&mut self, d: usize, function: &Program, first: bool, result: &mut Block) -> Result<(), Failure> {
        let range = self.ranges[d].clone();
        let (mut before, mut before_defined) = (result.components.len(), result.defined.len());
        for i in range.clone() {
            self.point[d] = i;
            let (here, here_defined) = (result.components.len(), result.defined.len());
            self.evaluate(d + 1, first && i == range.start, result)?;
            if i > range.start {
                let (left, right) = result.components.split_at_mut(here);
                let bounds_here = here.min(result.bounds.len());
                let (left_bounds, right_bounds) = result.bounds.split_at_mut(bounds_here);
                let left = (&left[before..], left_bounds.get(before..).unwrap_or_default());
                self.combine(d, function, (right, right_bounds), Some(left), (&[], &[]))?;
                let (left, right) = result.defined.split_at_mut(here_defined);
                for (left, right) in left[before_defined..].iter().zip(right) {
                    *right &= left;
                }
            }
            (before, before_defined) = (here, here_defined);
            self.step(d, 1);
        }
        Ok(())
    }

    fn step(&mut self, d: usize, count: i64) {
        for (place, reader) in self.places.iter_mut().zip(self.readers) {
            // A constant index function has no steps.
            *place = place.wrapping_add(reader.steps.get(d).copied().unwrap_or_default().wrapping_mul(count));
        }
    }

    /// `target := left op right`, tuple by tuple. An operand that is not given is the contents of the target.
    /// Components are paired with their bounds.
    fn combine(
        &mut self,
        d: usize,
        function: &Program,
        target: (&mut [Slot], &mut [Bound]),
        left: Option<(&[Slot], &[Bound])>,
        right: (&[Slot], &[Bound]),
    ) -> Result<(), Failure> {
        let arity = function.outputs().len();
        let follow = self.computation.follow;
        let (slots, _, bounds) = &mut self.operators[d];
        for i in (0..target.0.len()).step_by(arity.max(1)) {
            for (component, input) in function.inputs().iter().enumerate() {
                let ((from, from_bounds), place) = match (left, component < arity) {
                    (Some(left), true) => (left, i + component),
                    (None, true) => ((&*target.0, &*target.1), i + component),
                    (Some(_), false) => ((&*target.0, &*target.1), i + component - arity),
                    (None, false) => (right, i + component - arity),
                };
                slots[*input] = from[place];
                if follow {
                    bounds[*input] = from_bounds[place];
                }
            }
            apply(function, slots, bounds, follow)?;
            for (component, output) in function.outputs().iter().enumerate() {
                target.0[i + component] = slots[*output];
                if follow {
                    target.1[i + component] = bounds[*output];
                }
            }
        }
        Ok(())
    }

    /// Reduces the innermost dimension point-wise: as in `evaluate`, but without blocks of one tuple.
    fn reduce(&mut self, d: usize, function: &Program, result: &mut Block) -> Result<(), Failure> {
        let range = self.ranges[d].clone();
        let follow = self.computation.follow;
        let outputs = self.computation.function.outputs();
        let (left, right) = function.inputs().split_at(outputs.len());
        let start = result.components.len();
        let mut all_defined = true;
        self.step(d, range.start as i64);
        for i in range.clone() {
            self.point[d] = i;
            all_defined &= self.scalar()?;
            if i == range.start {
                result.components.extend(outputs.iter().map(|output| self.slots[*output]));
                if follow {
                    result.bounds.extend(outputs.iter().map(|output| self.bounds[*output]));
                }
            } else {
                let (slots, _, bounds) = &mut self.operators[d];
                for (component, output) in outputs.iter().enumerate() {
                    slots[left[component]] = result.components[start + component];
                    slots[right[component]] = self.slots[*output];
                    if follow {
                        bounds[left[component]] = result.bounds[start + component];
                        bounds[right[component]] = self.bounds[*output];
                    }
                }
                apply(function, slots, bounds, follow)?;
                for (component, output) in function.outputs().iter().enumerate() {
                    result.components[start + component] = slots[*output];
                    if follow {
                        result.bounds[start + component] = bounds[*output];
                    }
                }
            }
            self.step(d, 1);
        }
        self.step(d, -(range.end as i64));
        result.defined.extend(self.track.then_some(all_defined));
        Ok(())
    }

    /// Evaluates the scalar function at the current point, leaving the results in `slots`. Returns true if all
    /// arguments are defined.
    #[inline]
    fn scalar(&mut self) -> Result<bool, Failure> {
        let function = &self.computation.function;
        let mut is_defined = true;
        for ((reader, place), slot) in self.readers.iter().zip(&self.places).zip(function.inputs()) {
            let place = *place as usize;
            self.slots[*slot] = reader.load(place);
            if self.computation.follow {
                let error = reader.errors.map_or(0.0, |errors| errors[place]);
                self.bounds[*slot] = Bound::of(reader.element, self.slots[*slot], error);
            }
            if let Some(defined) = reader.defined {
                is_defined &= defined[place];
            }
        }
        if self.computation.follow {
            let mut follow = BoundTracker { bounds: &mut self.bounds, in_any_order: false };
            function.run(&mut self.slots, &self.point, &mut follow)?;
        } else {
            function.run(&mut self.slots, &self.point, &mut ())?;
        }
        Ok(is_defined)
    }
}

/// Runs the program of an operator.
#[inline]
fn apply(function: &Program, slots: &mut [Slot], bounds: &mut [Bound], follow: bool) -> Result<(), Failure> {
    if follow {
        function.run(slots, &[], &mut BoundTracker { bounds, in_any_order: true })
    } else {
        function.run(slots, &[], &mut ())
    }
}
