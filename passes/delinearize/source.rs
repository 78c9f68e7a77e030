//! Loop nests as ranges of polynomials, and their accesses of memrefs as polynomials.
use super::{
    polynomial::{Fit, Parameters, PolynomialReader, SourceParameter},
    range::{LoopRange, NestRanges},
};
use crate::{
    analysis::{
        index::Expression,
        origin::{argument_attribute, is_defined_in},
    },
    raise::loops::{
        linear::{LOOPS, Linear, loops},
        nest::{is_load, is_store},
    },
};
use mdh_dialects::{
    attributes::INNER_SIZES,
    ir::{self, Op, Val},
    pass::Failure,
};
use melior::ir::{Attribute, TypeLike, ValueLike};

/// An access of an element in a nest.
#[derive(Clone, Debug)]
pub struct PolynomialAccess<'c> {
    /// The load or store.
    pub operation: Op<'c>,
    /// The memref, without the casts around it.
    pub memref: Val<'c>,
    /// The memref with them.
    pub operand: Val<'c>,
    /// Sizes of all dimensions but the outermost one that attributes of the memref and of the casts suggest.
    pub suggested: Vec<Vec<i64>>,
    /// By axis: the index; or the requirement that one does not meet.
    pub indices: Result<Vec<Expression>, String>,
    /// True if the indices are linear in loop variables and values that are there.
    pub is_linear: bool,
    /// What must fit for the indices.
    pub fits: Vec<Fit>,
    /// The loops around it, by number.
    pub loops: Vec<usize>,
    /// True for a store.
    pub is_store: bool,
}

/// A loop variable: the loop, and the position among its arguments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopVariable<'c> {
    /// The loop.
    pub operation: Op<'c>,
    /// The position.
    pub position: usize,
}

/// A nest.
#[derive(Clone, Debug)]
pub struct PolynomialNest<'c> {
    /// The outermost loop.
    pub root: Op<'c>,
    /// By dimension.
    pub variables: Vec<LoopVariable<'c>>,
    /// The values of the loops; facts are those of the symbols so far.
    pub ranges: NestRanges,
    /// What must fit for the bounds, with the loops around.
    pub fits: Vec<(Fit, Vec<usize>)>,
    /// The accesses of memrefs, in order.
    pub accesses: Vec<PolynomialAccess<'c>>,
}

/// The memref of an access without casts that keep its rank, and the sizes that are suggested for it.
fn base(memref: Val<'_>) -> (Val<'_>, Vec<Vec<i64>>) {
    let rank = |value: Val<'_>| ir::shape(value.r#type()).map(|shape| shape.len());
    let mut suggested = vec![];
    let mut value = memref;
    loop {
        let attribute = match ir::defining(value) {
            Some(view) => ir::attribute(view, INNER_SIZES),
            None => argument_attribute(value, INNER_SIZES),
        };
        suggested.extend(attribute.and_then(inner_sizes));
        let cast = ir::defining(value).filter(|cast| ir::name(*cast) == "memref.cast");
        match cast.map(ir::operands).as_deref() {
            Some([source]) if rank(*source) == rank(value) && rank(*source).is_some() => value = *source,
            _ => return (value, suggested),
        }
    }
}

/// Checks the attributes that suggest sizes.
pub fn check_suggested(root: Op<'_>) -> Result<(), Failure<'_>> {
    for operation in ir::descendants(root) {
        let arguments = ir::attribute(operation, "arg_attrs").and_then(ir::array_attribute).unwrap_or_default();
        let arguments = arguments.into_iter().filter_map(|argument| ir::dictionary_entry(argument, INNER_SIZES));
        let mut all = ir::attribute(operation, INNER_SIZES).into_iter().chain(arguments);
        if let Some(wrong) = all.find(|attribute| inner_sizes(*attribute).is_none()) {
            let message = format!("{INNER_SIZES} requires an array<i64> of positive numbers, but it is {wrong}");
            return Err(Failure::new(operation, message));
        }
    }
    Ok(())
}

/// The numbers of an attribute that suggests sizes; `None` if they are not positive, or there are none.
fn inner_sizes(attribute: Attribute<'_>) -> Option<Vec<i64>> {
    let sizes = ir::dense_array_attribute(attribute)?;
    (!sizes.is_empty() && sizes.iter().all(|size| *size > 0)).then_some(sizes)
}

/// A nest while it is read.
struct NestReading<'p, 'c> {
    nest: PolynomialNest<'c>,
    values: Vec<Val<'c>>,
    parameters: &'p mut Parameters<'c>,
}

impl<'c> PolynomialNest<'c> {
    /// Reads a nest. The error is the requirement that its loops do not meet.
    pub fn of(root: Op<'c>, parameters: &mut Parameters<'c>) -> Result<Self, String> {
        let nest = Self { root, variables: vec![], ranges: NestRanges::default(), fits: vec![], accesses: vec![] };
        let mut reading = NestReading { nest, values: vec![], parameters };
        reading.enter(root, &[])?;
        let NestReading { mut nest, parameters, .. } = reading;
        nest.ranges.facts = parameters.facts();
        Ok(nest)
    }
}

impl<'c> NestReading<'_, 'c> {
    fn reader(&mut self) -> PolynomialReader<'_, 'c> {
        PolynomialReader { root: self.nest.root, variables: &self.values, parameters: self.parameters, fits: vec![] }
    }

    fn enter(&mut self, operation: Op<'c>, around: &[usize]) -> Result<(), String> {
        let body = ir::body(operation, 0).ok_or("requires loops with a body")?;
        let first = self.values.len();
        let own = loops(operation)?;
        let mut ranges = vec![];
        for source in &own {
            ranges.push(self.range(&source.lower, &source.upper, source.step, around)?);
        }
        self.nest.ranges.loops.extend(ranges);
        for (position, source) in own.iter().enumerate() {
            self.values.push(source.variable);
            self.nest.variables.push(LoopVariable { operation, position });
        }
        let inner: Vec<_> = around.iter().copied().chain(first..self.values.len()).collect();
        for operation in ir::block_operations(body) {
            let name = ir::name(operation);
            if LOOPS.contains(&name) {
                self.enter(operation, &inner)?;
            } else if is_load(name) || is_store(name) {
                self.access(operation, &inner);
            } else if ir::descendants(operation)
                .iter()
                .skip(1)
                .any(|op| is_load(ir::name(*op)) || is_store(ir::name(*op)))
            {
                return Err("requires loads and stores without conditions".into());
            }
        }
        Ok(())
    }

    /// The values of a loop.
    fn range(
        &mut self,
        lower: &Linear<'c>,
        upper: &Linear<'c>,
        step: i64,
        around: &[usize],
    ) -> Result<LoopRange, String> {
        let mut reader = self.reader();
        let mut bound = |form: &Linear<'c>| -> Result<Expression, String> {
            let mut sum = Expression::constant(form.constant);
            for (value, factor) in &form.terms {
                let term = reader.read(*value)?;
                let next = sum.checked_add_multiple(&term, (*factor).into());
                sum = next.ok_or("requires bounds with coefficients of 128 bits")?;
            }
            Ok(sum)
        };
        let (lower, upper) = (bound(lower)?, bound(upper)?);
        let fits = reader.fits;
        self.nest.fits.extend(fits.into_iter().map(|fit| (fit, around.to_vec())));
        let affine = [&lower, &upper].into_iter().all(super::shape::is_affine);
        if !affine {
            return Err("requires bounds that are affine in the variables of outer loops".into());
        }
        let step = i128::from(step);
        let below = |bound: &Expression| bound.checked_sub(&Expression::constant(1)).ok_or("requires small bounds");
        let length = upper.checked_sub(&lower).ok_or("requires small bounds")?;
        let (last, has_last) = match length.value() {
            _ if step == 1 => (below(&upper)?, true),
            Some(length) => {
                let steps = (length - 1).div_euclid(step).max(0);
                let last = lower.checked_add(&Expression::constant(steps.saturating_mul(step)));
                (last.ok_or("requires small bounds")?, true)
            }
            None if upper.has_dimensions() || lower.has_dimensions() => (below(&upper)?, false),
            None => {
                let last = SourceParameter::Last { lower: lower.clone(), upper: upper.clone(), step };
                (self.parameters.symbol(last), true)
            }
        };
        Ok(LoopRange { lower, upper, last, has_last, step })
    }

    fn access(&mut self, operation: Op<'c>, around: &[usize]) {
        let is_store = is_store(ir::name(operation));
        let operands = ir::operands(operation);
        let operands = if is_store { &operands[1..] } else { &operands[..] };
        let Some((memref, indices)) = operands.split_first().filter(|(memref, _)| memref.r#type().is_mem_ref()) else {
            return;
        };
        let mut reader = self.reader();
        let found = match ir::attribute(operation, "map") {
            Some(map) => reader.read_map(map, indices),
            None => indices.iter().map(|index| reader.read(*index)).collect(),
        };
        let fits = reader.fits;
        let forms = match ir::attribute(operation, "map") {
            Some(map) => Linear::of_map(map, indices),
            None => indices.iter().map(|index| Linear::of(*index)).collect(),
        };
        let is_there = |value: &Val<'c>| self.values.contains(value) || !is_defined_in(*value, self.nest.root);
        let is_linear = forms.is_some_and(|forms| forms.iter().all(|form| form.terms.iter().all(|(v, _)| is_there(v))));
        let operand = *memref;
        let (memref, suggested) = base(operand);
        self.nest.accesses.push(PolynomialAccess {
            operation,
            memref,
            operand,
            suggested,
            indices: found,
            is_linear,
            fits,
            loops: around.to_vec(),
            is_store,
        });
    }
}
