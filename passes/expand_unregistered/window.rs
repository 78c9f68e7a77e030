//! `stablehlo.reduce_window` as a reduction over a window of a padded tensor.
//!
//! ```text
//! "stablehlo.reduce_window"(%x, %init) ({ add })           %p = tensor.pad %x with %init
//!   window_dimensions = 3, padding = [[2, 0]]        ──▶   out[i] = init + sum over r < 3 of %p[i + r]
//! ```
use super::region;
use mdh_dialects::{
    ir::{self, Builder, IteratorType, Op, Val},
    view::{IndexFunction, is_scalar},
};
use melior::ir::{Type, ValueLike};

/// The error for operands and results of another number.
fn one_tensor(operation: Op<'_>) -> String {
    let (operands, results) = (ir::operands(operation).len(), ir::results(operation).len());
    format!("requires one tensor and one initial value, but has {operands} operands and {results} results")
}

/// The reduction.
pub const REDUCE_WINDOW: &str = "stablehlo.reduce_window";

/// The window along an axis.
pub struct WindowAxis {
    /// The size of the tensor.
    size: i64,
    /// The number of elements of a window.
    pub window: i64,
    /// The distance of consecutive windows.
    pub stride: i64,
    /// The distance of consecutive elements of a window.
    pub dilation: i64,
    /// The number of elements before the tensor; elements are cut off if it is negative.
    pub low: i64,
    /// The number of elements after the tensor; elements are cut off if it is negative.
    high: i64,
}

/// Replaces a reduction. The error is the requirement that it does not meet; nothing has changed then.
pub fn expand(operation: Op<'_>) -> Result<(), String> {
    let (&[input, start], &[result]) = (&ir::operands(operation)[..], &ir::results(operation)[..]) else {
        return Err(one_tensor(operation));
    };
    let element = ir::element_type_or_self(input.r#type());
    let has_types = ir::element_type(result.r#type()) == Some(element)
        && ir::element_type(start.r#type()) == Some(element)
        && ir::shape(start.r#type()).is_some_and(|shape| shape.is_empty());
    if !has_types || !is_scalar(element) {
        return Err(format!(
            "requires numbers of one type, but has {}, {} and {}",
            input.r#type(),
            start.r#type(),
            result.r#type()
        ));
    }
    let axes = axes(operation)?;
    let body = ir::body(operation, 0).ok_or("requires a region")?;
    let yielded = region::yielded(body, 2, element)?;
    region::check(body)?;

    let b = Builder::before(operation);
    let start = region::element(&b, start);
    let padded = pad(&b, input, start, &axes);
    let empty = b.value("tensor.empty", &[], result.r#type(), &[]);
    let filled = fill(&b, start, empty);
    let windows: Vec<_> = (0..axes.len()).filter(|axis| axes[*axis].window != 1).collect();
    let sizes: Vec<_> = windows.iter().map(|axis| axes[*axis].window).collect();
    let window = b.value("tensor.empty", &[], b.tensor(&sizes, element), &[]);
    let rank = axes.len() + windows.len();
    let unit = |d: usize| (0..rank).map(move |other| i64::from(other == d)).collect::<Vec<_>>();
    let of_input = (0..axes.len()).map(|axis| {
        let mut row = vec![0; rank];
        row[axis] = axes[axis].stride;
        if let Some(number) = windows.iter().position(|window| *window == axis) {
            row[axes.len() + number] = axes[axis].dilation;
        }
        (row, 0)
    });
    let of_window = (axes.len()..rank).map(|d| (unit(d), 0));
    let of_result = (0..axes.len()).map(|d| (unit(d), 0));
    let map = |function: IndexFunction| function.attribute(b.context, rank);
    let maps = [IndexFunction::new(of_input), IndexFunction::new(of_window), IndexFunction::new(of_result)].map(map);
    let kind = |d: usize| if d < axes.len() { IteratorType::Parallel } else { IteratorType::Reduction };
    let (region, block) = b.region(&[element; 3]);
    let attributes = [("indexing_maps", b.array(&maps)), b.iterator_types((0..rank).map(kind)), b.segments(&[2, 1])];
    let new = b.op("linalg.generic", &[padded, window, filled], &[result.r#type()], &attributes, vec![region]);
    let arguments = ir::arguments(block);
    let inside = b.at_end(block);
    let value = region::inline(&inside, body, &[arguments[2], arguments[0]], yielded);
    inside.op("linalg.yield", &[value], &[], &[], vec![]);
    ir::replace_uses(result, ir::results(new)[0]);
    ir::erase(operation);
    Ok(())
}

/// The windows along the axes of a `stablehlo.reduce_window`. The error is that they do not fit its operand and its
/// result, or that these have dynamic sizes.
pub fn axes(operation: Op<'_>) -> Result<Vec<WindowAxis>, String> {
    let (&[input, _], &[result]) = (&ir::operands(operation)[..], &ir::results(operation)[..]) else {
        return Err(one_tensor(operation));
    };
    let (input, result) = (input.r#type(), result.r#type());
    let fixed = |ty: Type<'_>| {
        let sizes = ir::shape(ty)?.into_iter().map(|size| i64::try_from(size?).ok());
        sizes.collect::<Option<Vec<_>>>()
    };
    let (Some(sizes), Some(results)) = (fixed(input), fixed(result)) else {
        return Err(format!("requires static sizes, but has {input} and {result}"));
    };
    let rank = sizes.len();
    let list = |name: &str| match ir::attribute(operation, name) {
        None => Some(vec![1; rank]),
        Some(attribute) => ir::dense_array_attribute(attribute).filter(|list| list.len() == rank),
    };
    let lists = ["window_dimensions", "window_strides", "window_dilations", "base_dilations"].map(list);
    let [Some(windows), Some(strides), Some(dilations), Some(bases)] = lists else {
        return Err(format!("requires {rank} window dimensions, strides and dilations"));
    };
    if bases.iter().any(|base| *base != 1) {
        return Err(format!("requires base dilations of 1, but they are {bases:?}"));
    }
    let padding = padding(operation, rank).ok_or_else(|| format!("requires a padding of {rank} pairs"))?;
    let axis = |axis: usize| {
        let (window, stride, dilation) = (windows[axis], strides[axis], dilations[axis]);
        let (low, high) = padding[axis];
        let all = sizes[axis].checked_add(low)?.checked_add(high)?;
        let length = (window.checked_sub(1)?).checked_mul(dilation)?.checked_add(1)?;
        // A negative padding cuts elements of the tensor off, not of the other padding.
        let rest = sizes[axis].checked_add(low.min(0))?.checked_add(high.min(0))?;
        let is_positive = window > 0 && stride > 0 && dilation > 0 && all >= 0 && rest >= 0;
        let count = if !is_positive {
            None
        } else if all < length {
            Some(0)
        } else {
            Some((all - length) / stride + 1)
        };
        let fits = results.len() == rank && count == Some(results[axis]);
        fits.then_some(WindowAxis { size: sizes[axis], window, stride, dilation, low, high })
    };
    let axes = (0..rank).map(axis).collect::<Option<Vec<_>>>();
    axes.ok_or_else(|| format!("requires windows that fit its operand and its result, but has {input} and {result}"))
}

/// The padding before and after each axis.
fn padding(operation: Op<'_>, rank: usize) -> Option<Vec<(i64, i64)>> {
    let Some(attribute) = ir::attribute(operation, "padding") else { return Some(vec![(0, 0); rank]) };
    let (bytes, data) = ir::dense_elements(attribute).filter(|(bytes, _)| *bytes == 8)?;
    let numbers: Vec<_> = data
        .chunks_exact(bytes)
        .map(|bytes| bytes.try_into().map(i64::from_le_bytes))
        .collect::<Result<_, _>>()
        .ok()?;
    let number = |i: usize| if numbers.len() == 1 { numbers.first() } else { numbers.get(i) }.copied();
    let is_complete = numbers.len() == 1 || numbers.len() == 2 * rank;
    (0..rank)
        .map(|axis| Some((number(2 * axis)?, number(2 * axis + 1)?)))
        .collect::<Option<_>>()
        .filter(|_| is_complete)
}

/// The tensor with its padding, without the elements that a negative padding cuts off.
fn pad<'c>(b: &Builder<'c>, input: Val<'c>, value: Val<'c>, axes: &[WindowAxis]) -> Val<'c> {
    let element = value.r#type();
    let mut padded = input;
    let is_cut = |axis: &WindowAxis| axis.low < 0 || axis.high < 0;
    if axes.iter().any(is_cut) {
        let sizes: Vec<_> = axes.iter().map(|axis| axis.size + axis.low.min(0) + axis.high.min(0)).collect();
        let offsets: Vec<_> = axes.iter().map(|axis| -axis.low.min(0)).collect();
        padded = b.slice(padded, &offsets, &sizes);
    }
    if axes.iter().any(|axis| axis.low > 0 || axis.high > 0) {
        let all: Vec<_> = axes.iter().map(|axis| axis.size + axis.low + axis.high).collect();
        let (region, block) = b.region(&vec![b.index(); axes.len()]);
        b.at_end(block).op("tensor.yield", &[value], &[], &[], vec![]);
        let amounts =
            |of: fn(&WindowAxis) -> i64| b.numbers(&axes.iter().map(|axis| of(axis).max(0)).collect::<Vec<_>>());
        let attributes = [
            ("static_low", amounts(|axis| axis.low)),
            ("static_high", amounts(|axis| axis.high)),
            b.segments(&[1, 0, 0]),
        ];
        padded = ir::results(b.op("tensor.pad", &[padded], &[b.tensor(&all, element)], &attributes, vec![region]))[0];
    }
    padded
}

/// The tensor filled with a value.
fn fill<'c>(b: &Builder<'c>, value: Val<'c>, empty: Val<'c>) -> Val<'c> {
    let (region, block) = b.region(&[value.r#type(), value.r#type()]);
    b.at_end(block).op("linalg.yield", &[ir::arguments(block)[0]], &[], &[], vec![]);
    ir::results(b.op("linalg.fill", &[value, empty], &[empty.r#type()], &[b.segments(&[1, 1])], vec![region]))[0]
}
