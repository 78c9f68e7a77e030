//! Scans that are written as reductions over a window of a padded tensor, as JAX writes `cumsum`.
//!
//! ```text
//! %p = pad %x low[n - 1] with the identity          n values of x
//! out[i] = init + sum over r of %p[i + r]    ──▶    scan of x with the carry init: n operations instead of n * n
//! ```
use super::{
    operator::{CombiningOperation, OperatorPart},
    region::{Carry, Component, Function},
    structured::{Extent, Structured, StructuredOperand},
};
use crate::fuse::constant_elements;
use mdh_dialects::{
    hom::Kind,
    ir::{self, Op, Val},
    view::IndexFunction,
};
use melior::ir::{Type, TypeLike, ValueLike};

/// Returns the scan that a reduction over a window is; `None` if it is none.
pub fn of_window<'c>(structured: &Structured<'c>, function: &Function<'c>) -> Option<(Structured<'c>, Function<'c>)> {
    let mut reduced = (0..structured.rank()).filter(|d| structured.reduces[*d]);
    let (reduction, None) = (reduced.next()?, reduced.next()) else { return None };
    let ([OperatorPart::Known(_, CombiningOperation::BuiltIn(kind))], [Component::Value(value)], [output]) =
        (&function.parts.as_ref()?[..], &function.yields[..], &structured.outputs[..])
    else {
        return None;
    };
    let is_used =
        |input: &&StructuredOperand<'c>| input.argument.is_some_and(|argument| !ir::users(argument).is_empty());
    let mut used = structured.inputs.iter().filter(is_used);
    let (input, None) = (used.next()?, used.next()) else { return None };
    if input.argument != Some(*value) {
        return None;
    }
    let access = input.access.as_ref()?;
    let (axis, dimension) = window(access, reduction)?;
    let pad = Pad::of(ir::defining(input.value)?, axis)?;
    let [Extent::Static(steps), Extent::Static(length)] =
        [structured.extents[dimension], structured.extents[reduction]]
    else {
        return None;
    };
    let is_prefix = pad.low + 1 == length && pad.high == 0 && steps == length && pad.size == length;
    let start = constant_elements(structured.operation, output.value)?;
    if !is_prefix || !is_neutral(*kind, pad.value, &start) {
        return None;
    }
    let scan = without(structured, reduction, (input, pad.source, axis, dimension))?;
    let number = dimension - usize::from(dimension > reduction);
    let function = Function {
        yields: function.yields.clone(),
        parts: function.parts.clone(),
        combining: function.combining.clone(),
        scan: Some((number, Carry::Constant(start.0, start.1))),
    };
    Some((scan, function))
}

/// The axis whose index is the sum of the reduction iterator and another one, and the other one.
fn window(access: &IndexFunction, reduction: usize) -> Option<(usize, usize)> {
    let mut axes = (0..access.rank()).filter(|axis| access.row(*axis).0[reduction] != 0);
    let (axis, None) = (axes.next()?, axes.next()) else { return None };
    let (coefficients, constant) = access.row(axis);
    let mut others = (0..coefficients.len()).filter(|d| *d != reduction && coefficients[*d] != 0);
    let (other, None) = (others.next()?, others.next()) else { return None };
    (coefficients[reduction] == 1 && coefficients[other] == 1 && constant == 0).then_some((axis, other))
}

/// A `tensor.pad` of one axis with a constant.
struct Pad<'c> {
    source: Val<'c>,
    /// The size of the source along the axis.
    size: u64,
    low: u64,
    high: u64,
    /// The bits of the constant, for an integer or a float of at most 64 bits.
    value: ir::Number,
}

impl<'c> Pad<'c> {
    fn of(operation: Op<'c>, axis: usize) -> Option<Self> {
        if ir::name(operation) != "tensor.pad" {
            return None;
        }
        let source = *ir::operands(operation).first()?;
        let amounts = |name: &str| {
            let amounts = ir::attribute(operation, name).and_then(ir::dense_array_attribute)?;
            let others = amounts.iter().enumerate().all(|(other, amount)| other == axis || *amount == 0);
            u64::try_from(*amounts.get(axis)?).ok().filter(|_| others)
        };
        let terminator = ir::block_operations(ir::body(operation, 0)?).pop()?;
        let constant = ir::defining(*ir::operands(terminator).first()?)?;
        let constant = Some(constant).filter(|constant| ir::name(*constant) == "arith.constant")?;
        let value = ir::number_attribute(ir::attribute(constant, "value")?)?;
        let size = (*ir::shape(source.r#type())?.get(axis)?)?;
        Some(Self { source, size, low: amounts("static_low")?, high: amounts("static_high")?, value })
    }
}

/// True if combining with a value any number of times changes no result: it is the identity. A sum of floats that starts
/// with 0.0 is not changed by 0.0 either.
fn is_neutral(kind: Kind, value: ir::Number, (ty, start): &(Type<'_>, Vec<u64>)) -> bool {
    let is_zero = kind == Kind::Add && value == ir::Number::Float(0.0) && *start == [0];
    is_zero || kind.form(ty.is_float()).identity.is(value, ir::integer_width(*ty))
}

/// The operation without its reduction iterator, on the source of the pad: the scanned iterator is the index of `axis`.
fn without<'c>(
    structured: &Structured<'c>,
    reduction: usize,
    (input, source, axis, dimension): (&StructuredOperand<'c>, Val<'c>, usize, usize),
) -> Option<Structured<'c>> {
    let context = ir::context(structured.operation);
    let rank = structured.rank() - 1;
    let operand = |operand: &StructuredOperand<'c>, value: Val<'c>, is_window: bool| {
        let access = operand.access.as_ref()?;
        let rows = (0..access.rank()).map(|position| {
            let (coefficients, constant) = access.row(position);
            let mut row = coefficients.to_vec();
            if is_window && position == axis {
                row.fill(0);
                row[dimension] = 1;
            }
            row.remove(reduction);
            (row, constant)
        });
        let access = IndexFunction::new(rows);
        let map = access.attribute(context, rank);
        Some(StructuredOperand { value, map: Some(map), access: Some(access), ..operand.clone() })
    };
    let output = structured.outputs.first()?;
    let mut extents = structured.extents.clone();
    extents.remove(reduction);
    // Extents refer to the operands by position, which have changed.
    extents.iter().all(|extent| matches!(extent, Extent::Static(_))).then_some(())?;
    Some(Structured {
        operation: structured.operation,
        inputs: vec![operand(input, source, true)?],
        outputs: vec![operand(output, output.value, false)?],
        positions: structured.positions.clone(),
        observed: structured.observed.clone(),
        reduces: vec![false; rank],
        extents,
        body: structured.body,
    })
}
