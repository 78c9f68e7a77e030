//! Tensors of one element in the bodies of loops become scalars.
//!
//! ```text
//! %s = tensor.extract_slice %x[%i] [1] [1]
//! %e = tensor.collapse_shape %s                              %e = tensor.extract %x[%i]
//! %n = linalg.generic ins(%c, %e) { f(%c, %e) }       ──▶    %n = f(%c, %e)
//! %t = tensor.insert_slice %n into %y[%i] [1] [1]            %t = tensor.insert %n into %y[%i]
//! ```
use crate::expand_unregistered::region;
use mdh_dialects::{
    ir::{self, Builder, DYNAMIC, Op, Val},
    view::is_scalar,
};
use melior::ir::{TypeLike, ValueLike};

/// Replaces tensors of one element in loops, outside of the regions of computations.
pub fn run(module: Op<'_>) {
    let is_loop = |operation: &Op<'_>| ["scf.while", "scf.for"].contains(&ir::name(*operation));
    let is_computation = |operation: &Op<'_>| {
        let name = ir::name(*operation);
        name.starts_with("linalg.") || name.starts_with("mdh.")
    };
    let is_in_loop = |operation: &Op<'_>| {
        let around: Vec<_> = std::iter::successors(ir::parent(*operation), |outer| ir::parent(*outer)).collect();
        around.iter().any(is_loop) && !around.iter().any(is_computation)
    };
    let inner: Vec<_> = ir::descendants(module).into_iter().filter(is_in_loop).collect();
    let replaced: Vec<_> = inner.into_iter().filter(|operation| replace(*operation)).collect();
    replaced.into_iter().for_each(ir::erase);
    for operation in ir::descendants(module).into_iter().rev().filter(is_in_loop) {
        let is_pure = ["tensor.", "arith.", "linalg."].iter().any(|dialect| ir::name(operation).starts_with(dialect));
        if is_pure && !ir::results(operation).is_empty() && ir::is_unused(operation) {
            ir::erase(operation);
        }
    }
}

/// True for a scalar, or a tensor of one element.
fn is_single(value: Val<'_>) -> bool {
    let ty = value.r#type();
    let element = ir::element_type_or_self(ty);
    let has_one = ir::shape(ty).is_none_or(|shape| shape.iter().all(|size| *size == Some(1)));
    is_scalar(element) && has_one && (ty == element || ty.is_tensor())
}

/// Replaces the uses of an operation on tensors of one element, and returns true if it did.
fn replace(operation: Op<'_>) -> bool {
    let (operands, results) = (ir::operands(operation), ir::results(operation));
    let b = Builder::before(operation);
    match ir::name(operation) {
        "linalg.generic" if !results.is_empty() && operands.iter().copied().all(is_single) => {
            let Some(body) = ir::body(operation, 0) else { return false };
            let pairs = ir::arguments(body).into_iter().zip(&operands);
            let arguments = pairs.map(|(argument, operand)| match ir::users(argument).is_empty() {
                true => argument,
                false => element(&b, *operand),
            });
            let arguments: Vec<_> = arguments.collect();
            let values = b.inline_block(body, &arguments, &mut |here, inner| {
                (ir::name(inner) == "linalg.index").then(|| vec![here.constant(0, here.index())])
            });
            for (result, value) in results.into_iter().zip(values) {
                let tensor = b.value("tensor.from_elements", &[value], result.r#type(), &[]);
                ir::replace_uses(result, tensor);
            }
            true
        }
        "tensor.extract" if is_single(operands[0]) => {
            let value = element(&b, operands[0]);
            ir::replace_uses(results[0], value);
            true
        }
        "tensor.insert_slice" if is_single(operands[0]) => {
            let Some(offsets) = offsets(&b, operation, 2) else { return false };
            let all: Vec<_> = [element(&b, operands[0]), operands[1]].into_iter().chain(offsets).collect();
            let tensor = b.value("tensor.insert", &all, results[0].r#type(), &[]);
            ir::replace_uses(results[0], tensor);
            true
        }
        _ => false,
    }
}

/// The element of a scalar or a tensor of one element.
fn element<'c>(b: &Builder<'c>, value: Val<'c>) -> Val<'c> {
    let ty = value.r#type();
    if !ty.is_tensor() {
        return value;
    }
    let operation = ir::defining(value);
    let operands = operation.map(ir::operands).unwrap_or_default();
    match (operation.map(ir::name), &operands[..]) {
        (Some("tensor.from_elements"), [only]) => return *only,
        (Some("linalg.fill"), [scalar, _]) => return *scalar,
        (Some("tensor.collapse_shape" | "tensor.expand_shape"), [source]) => return element(b, *source),
        (Some("tensor.extract_slice"), [source, ..]) => {
            if let Some(offsets) = operation.and_then(|slice| offsets(b, slice, 1)) {
                let all: Vec<_> = [*source].into_iter().chain(offsets).collect();
                return b.value("tensor.extract", &all, ir::element_type_or_self(ty), &[]);
            }
        }
        (Some("arith.constant"), _) => {
            if let Some(words) = operation.and_then(region::constant) {
                return b.wide_literal(&words, ir::element_type_or_self(ty));
            }
        }
        _ => {}
    }
    let rank = ir::shape(ty).map_or(0, |shape| shape.len());
    let zeros = (0..rank).map(|_| b.constant(0, b.index()));
    let all: Vec<_> = [value].into_iter().chain(zeros).collect();
    b.value("tensor.extract", &all, ir::element_type_or_self(ty), &[])
}

/// The offsets of a slice, whose dynamic ones are operands from position `first` on.
fn offsets<'c>(b: &Builder<'c>, slice: Op<'c>, first: usize) -> Option<Vec<Val<'c>>> {
    let offsets = ir::attribute(slice, "static_offsets").and_then(ir::dense_array_attribute)?;
    let mut dynamic = ir::operands(slice).into_iter().skip(first);
    let offset = |offset: i64| match offset {
        DYNAMIC => dynamic.next(),
        known => Some(b.constant(known, b.index())),
    };
    offsets.into_iter().map(offset).collect()
}
