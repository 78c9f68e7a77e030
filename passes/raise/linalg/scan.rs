//! Scans that are written as reductions over a window of a padded tensor, as JAX writes `cumsum`.
//!
//! ```text
//! %p = pad %x low[n - 1] with the identity          n values of x
//! out[i] = init + sum over r of %p[i + r]    ──▶    scan of x with the carry init: n operations instead of n * n
//! ```
//!
//! A window that begins with the first element, or before it, and ends at a distance k before `i`, is a scan whose results
//! are stored k elements later: exclusive scans have k = 1. A window that ends with the last element is a scan from the
//! last element to the first one: `out[n - 1 - j]` is the result at `j` of the scan of `x[n - 1 - j]`.
use super::{
    operator::{CombiningOperation, OperatorPart},
    region::{Carry, Component, Function},
    structured::{Extent, Structured, StructuredOperand},
};
use crate::fuse::constant_elements;
use mdh_dialects::{
    hom::Kind,
    ir::{self, Val},
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
    let padded = Padded::of(input.value, axis)?;
    let [Extent::Static(steps), Extent::Static(length)] =
        [structured.extents[dimension], structured.extents[reduction]]
    else {
        return None;
    };
    let scanned = Scanned::of(&padded, i64::try_from(steps).ok()?, i64::try_from(length).ok()?)?;
    let (ty, is_zero, start) = start(structured, output)?;
    if !is_neutral(*kind, padded.value, (ty, is_zero)) {
        return None;
    }
    let scan = without(structured, reduction, (input, padded.source, axis, dimension), &scanned)?;
    let number = dimension - usize::from(dimension > reduction);
    let function = Function {
        yields: function.yields.clone(),
        parts: function.parts.clone(),
        combining: function.combining.clone(),
        scan: Some((number, start)),
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

/// A tensor that is padded along one axis with a constant.
struct Padded<'c> {
    source: Val<'c>,
    /// The size of the source along the axis.
    size: i64,
    /// The number of elements before the source; negative if its first elements are cut off.
    low: i64,
    /// The constant: an integer or a float of at most 64 bits.
    value: ir::Number,
}

impl<'c> Padded<'c> {
    /// A `tensor.pad`, or a slice of one, that changes this axis only.
    fn of(value: Val<'c>, axis: usize) -> Option<Self> {
        let operation = ir::defining(value)?;
        let numbers = |name: &str| ir::attribute(operation, name).and_then(ir::dense_array_attribute);
        let is_only = |numbers: &[i64]| (0..numbers.len()).all(|other| other == axis || numbers[other] == 0);
        let source = *ir::operands(operation).first()?;
        match ir::name(operation) {
            "tensor.extract_slice" => {
                let (offsets, strides) = (numbers("static_offsets")?, numbers("static_strides")?);
                let (sizes, own) = (ir::shape(value.r#type())?, ir::shape(source.r#type())?);
                let is_same = |other: usize| other == axis || sizes[other] == own[other];
                let is_contiguous = strides.iter().all(|stride| *stride == 1);
                let fits = sizes.len() == own.len() && is_only(&offsets) && is_contiguous;
                let inner = Self::of(source, axis).filter(|_| fits && (0..sizes.len()).all(is_same))?;
                let low = Some(offsets[axis]).filter(|offset| *offset != ir::DYNAMIC)?;
                Some(Self { low: inner.low.checked_sub(low)?, ..inner })
            }
            "tensor.pad" => {
                let (low, high) = (numbers("static_low")?, numbers("static_high")?);
                let terminator = ir::block_operations(ir::body(operation, 0)?).pop()?;
                let constant = ir::defining(*ir::operands(terminator).first()?)?;
                let constant = Some(constant).filter(|constant| ir::name(*constant) == "arith.constant")?;
                let value = ir::number_attribute(ir::attribute(constant, "value")?)?;
                let size = i64::try_from((*ir::shape(source.r#type())?.get(axis)?)?).ok()?;
                let low = Some(low).filter(|low| is_only(low) && is_only(&high) && low[axis] != ir::DYNAMIC)?;
                Some(Self { source, size, low: low[axis], value })
            }
            _ => None,
        }
    }
}

/// The scan that the reductions over a window are: its length, and by position the element and the result.
struct Scanned {
    length: u64,
    /// A factor and a constant.
    element: (i64, i64),
    /// A factor and a constant.
    result: (i64, i64),
}

impl Scanned {
    /// The scan of `steps` windows of this length; `None` if they are none.
    fn of(padded: &Padded<'_>, steps: i64, length: i64) -> Option<Self> {
        // The window at 0 has the elements `first` to `last`, those outside of the tensor are neutral.
        let (first, last, end) = (padded.low.checked_neg()?, (length - 1).checked_sub(padded.low)?, padded.size - 1);
        let scan = |length: i64, element, result| {
            Some(Self { length: u64::try_from(length).ok().filter(|length| *length > 0)?, element, result })
        };
        if first.checked_add(steps - 1)? <= 0 && last <= 0 && steps.checked_add(last)? <= padded.size {
            return scan(steps + last, (1, 0), (1, -last));
        }
        let is_suffix = last >= end && first >= 0 && steps >= padded.size.checked_sub(first)?;
        is_suffix.then(|| scan(padded.size - first, (-1, end), (-1, end - first)))?
    }
}

/// The constant that all elements of an output are before: its type, whether its bits are zero, and the carry.
fn start<'c>(structured: &Structured<'c>, output: &StructuredOperand<'c>) -> Option<(Type<'c>, bool, Carry<'c>)> {
    if let Some(filled) = output.filled {
        let constant = ir::defining(filled).filter(|constant| ir::name(*constant) == "arith.constant")?;
        let number = ir::number_attribute(ir::attribute(constant, "value")?)?;
        let is_zero = matches!(number, ir::Number::Float(number) if number.to_bits() == 0);
        return Some((filled.r#type(), is_zero, Carry::Value(filled)));
    }
    let (ty, words) = constant_elements(structured.operation, output.value)?;
    Some((ty, words == [0], Carry::Constant(ty, words)))
}

/// True if combining with a value any number of times changes no result: it is the identity. A sum of floats that starts
/// with 0.0 is not changed by 0.0 either.
fn is_neutral(kind: Kind, value: ir::Number, (ty, is_zero): (Type<'_>, bool)) -> bool {
    let keeps_zero = kind == Kind::Add && value == ir::Number::Float(0.0) && is_zero;
    keeps_zero || kind.form(ty.is_float()).identity.is(value, ir::integer_width(ty))
}

/// The operation without its reduction iterator, on the source of the pad, which the scanned iterator indexes at `axis`.
fn without<'c>(
    structured: &Structured<'c>,
    reduction: usize,
    (input, source, axis, dimension): (&StructuredOperand<'c>, Val<'c>, usize, usize),
    scanned: &Scanned,
) -> Option<Structured<'c>> {
    let context = ir::context(structured.operation);
    let rank = structured.rank() - 1;
    let operand = |operand: &StructuredOperand<'c>, value: Val<'c>, axis: usize, (factor, constant): (i64, i64)| {
        let access = operand.access.as_ref()?;
        let rows = (0..access.rank()).map(|position| {
            let (coefficients, own) = access.row(position);
            let mut row = coefficients.to_vec();
            if position == axis {
                row.fill(0);
                row[dimension] = factor;
            }
            row.remove(reduction);
            (row, if position == axis { constant } else { own })
        });
        let access = IndexFunction::new(rows);
        let map = access.attribute(context, rank);
        Some(StructuredOperand { value, map: Some(map), access: Some(access), ..operand.clone() })
    };
    let output = structured.outputs.first()?;
    let of_output = output.access.as_ref()?.axis_of(dimension)?;
    let mut extents = structured.extents.clone();
    extents[dimension] = Extent::Static(scanned.length);
    extents.remove(reduction);
    // The pad, which dynamic extents may be sizes of, is left out.
    extents.iter().all(|extent| matches!(extent, Extent::Static(_))).then_some(())?;
    Some(Structured {
        operation: structured.operation,
        inputs: vec![operand(input, source, axis, scanned.element)?],
        outputs: vec![operand(output, output.value, of_output, scanned.result)?],
        positions: structured.positions.clone(),
        observed: structured.observed.clone(),
        reduces: vec![false; rank],
        extents,
        body: structured.body,
    })
}
