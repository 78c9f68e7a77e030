//! Scans of torch-mlir: `tm_tensor.scan` in generic form, whose dialect is not registered.
//!
//! ```text
//! "tm_tensor.scan"(%x, %output, %last) <{dimension = 1, inclusive = true, ..}> ({
//! ^bb0(%before, %value):
//!   "tm_tensor.yield"(%before + %value)               ──▶   md_hom %x combine [#mdh.cc, #mdh.ps<add>]
//! })
//! ```
//!
//! An inclusive scan starts with its first value; the previous contents of its outputs do not matter. An exclusive one
//! starts with the accumulator, which is its first result, and the results are stored one element later.
//!
//! The accumulator becomes the last result if there are two results or more, and stays otherwise.
use crate::analysis::extents::dim;
use mdh_dialects::{
    hom::{CombineOperator, Function, Kind, MdHom, Yield},
    ir::{self, Builder, Op, Val},
    view::{IndexFunction, InpView, OutView, mda_type_of},
};
use melior::ir::{Attribute, Type, TypeLike, ValueLike};

/// Checks the types of the operands and the results of a scan, and returns its dimension.
pub fn check_scan(operation: Op<'_>) -> Result<usize, String> {
    let ([input, output, before], [scanned, last]) = (&ir::operands(operation)[..], &ir::results(operation)[..]) else {
        return Err("requires an input, an output and an accumulator, and results for both of these".to_owned());
    };
    let ty = input.r#type();
    let (Some(shape), Some(element)) = (ir::shape(ty), ir::element_type(ty)) else {
        return Err(format!("requires a ranked tensor, but the input has type {ty}"));
    };
    if !ty.is_tensor() || !mdh_dialects::view::is_scalar(element) {
        return Err(format!("requires tensors of numbers, but the input has type {ty}"));
    }
    if [output, scanned].iter().any(|value| value.r#type() != ty) {
        let (output, scanned) = (output.r#type(), scanned.r#type());
        return Err(format!(
            "requires an output and a result of the type of the input, {ty}, but they have types {output} and {scanned}"
        ));
    }
    let dimension = ir::attribute(operation, "dimension").and_then(ir::integer_attribute);
    let dimension = dimension.and_then(|d| usize::try_from(d).ok()).filter(|d| *d < shape.len());
    let dimension = dimension.ok_or_else(|| format!("requires a dimension below {}", shape.len()))?;
    let outer: Vec<_> = (0..shape.len()).filter(|axis| *axis != dimension).map(|axis| shape[axis]).collect();
    let is_accumulator = |ty: Type<'_>| {
        ty.is_tensor() && ir::shape(ty).as_ref() == Some(&outer) && ir::element_type(ty) == Some(element)
    };
    if let Some(other) = [before, last].iter().find(|value| !is_accumulator(value.r#type())) {
        return Err(format!("requires an accumulator without the scanned axis, but it has type {}", other.r#type()));
    }
    Ok(dimension)
}

/// Replaces a scan. The error is the reason why that is not possible.
pub fn raise_scan(operation: Op<'_>) -> Result<(), String> {
    let dimension = check_scan(operation)?;
    let ([input, output, before], [scanned, last]) = (&ir::operands(operation)[..], &ir::results(operation)[..]) else {
        return Ok(());
    };
    let ty = input.r#type();
    let (Some(shape), Some(element)) = (ir::shape(ty), ir::element_type(ty)) else { return Ok(()) };
    let is_inclusive =
        ir::attribute(operation, "inclusive").and_then(ir::integer_attribute).is_some_and(|inclusive| inclusive != 0);
    let block = ir::body(operation, 0).ok_or("requires a region")?;
    let value = ir::block_operations(block).pop().and_then(|end| ir::operands(end).first().copied());
    let combining = value.and_then(ir::defining).ok_or("requires a region that combines its arguments")?;
    let (operands, arguments) = (ir::operands(combining), ir::arguments(block));
    let is_of_both = operands == arguments || operands.iter().rev().eq(&arguments);
    let is_of_elements = arguments.len() == 2 && arguments.iter().all(|argument| argument.r#type() == element);
    let kind = Kind::of_operation(ir::name(combining)).filter(|_| is_of_both && is_of_elements);
    let kind = kind
        .ok_or_else(|| format!("requires an associative operation on two elements, but has {}", ir::name(combining)))?;

    let size = shape[dimension];
    let is_last_used = !ir::users(*last).is_empty();
    if size.is_none() && (!is_inclusive || is_last_used) {
        return Err(format!("requires a static size along the dimension of the scan, but the input has type {ty}"));
    }
    let b = Builder::before(operation);
    let scan = Scan { b, input: *input, shape, dimension, kind };
    let result = match is_inclusive {
        true => scan.build(None, scanned.r#type()),
        false => scan.exclusive(*before, *output),
    };
    if is_last_used {
        let total = match size {
            Some(size) if size > 1 => scan.last(result, size, last.r#type()),
            _ => *before,
        };
        ir::replace_uses(*last, total);
    }
    ir::replace_uses(*scanned, result);
    ir::erase(operation);
    Ok(())
}

/// A scan of a tensor along a dimension.
struct Scan<'c> {
    b: Builder<'c>,
    input: Val<'c>,
    shape: Vec<Option<u64>>,
    dimension: usize,
    kind: Kind,
}

impl<'c> Scan<'c> {
    /// The index function that has all axes, or all but the scanned one; `shift` is added to the scanned index.
    fn access(&self, is_complete: bool, shift: i64) -> Attribute<'c> {
        let rank = self.shape.len();
        let row = |axis: usize| {
            let shift = if axis == self.dimension { shift } else { 0 };
            ((0..rank).map(|d| i64::from(d == axis)).collect(), shift)
        };
        let axes = (0..rank).filter(|axis| is_complete || *axis != self.dimension);
        self.b.array(&[IndexFunction::new(axes.map(row)).attribute(self.b.context, rank)])
    }

    /// Builds the computation. `start`: the accumulator, and the tensor whose elements after the first one are written.
    fn build(&self, start: Option<(Val<'c>, Val<'c>)>, result: Type<'c>) -> Val<'c> {
        let b = &self.b;
        let element = ir::element_type_or_self(self.input.r#type());
        let extents = |own: Option<u64>| {
            let mut extents = self.shape.clone();
            extents[self.dimension] = own;
            mda_type_of(b.context, &extents, &[element])
        };
        let size = self.shape[self.dimension];
        let mda = extents(size.map(|size| size - u64::from(start.is_some())));
        let view = InpView::build(b, &[self.input], &[], &[self.access(true, 0)], mda);
        let init = start
            .map(|(before, _)| InpView::build(b, &[before], &[], &[self.access(false, 0)], extents(Some(1))).result());
        let scan = CombineOperator::PrefixSum(Function::Builtin(vec![self.kind])).attribute(b.context);
        let concatenation = CombineOperator::Concatenation.attribute(b.context);
        let operators: Vec<_> =
            (0..self.shape.len()).map(|d| if d == self.dimension { scan } else { concatenation }).collect();
        let (region, body) = b.region(&[element]);
        Yield::build(&b.at_end(body), &ir::arguments(body));
        let hom = MdHom::build(b, view.result(), init.as_slice(), &operators, region, mda);
        hom.set_raised();
        let destinations: Vec<_> = start.map(|(_, destination)| destination).into_iter().collect();
        let access = self.access(true, i64::from(start.is_some()));
        OutView::build(b, hom.result(), &destinations, &[access], &[result]).results()[0]
    }

    /// Builds an exclusive scan: the accumulator, and then the scan that starts with it.
    fn exclusive(&self, before: Val<'c>, output: Val<'c>) -> Val<'c> {
        let (size, ty) = (self.shape[self.dimension].unwrap_or_default(), output.r#type());
        if size == 0 {
            return output;
        }
        let (sizes, attributes) = self.slice(0, 2);
        let first = self.b.value("tensor.insert_slice", &[&[before, output], &sizes[..]].concat(), ty, &attributes);
        if size == 1 { first } else { self.build(Some((before, first)), ty) }
    }

    /// The last results along the dimension.
    fn last(&self, result: Val<'c>, size: u64, ty: Type<'c>) -> Val<'c> {
        let (sizes, attributes) = self.slice(size as i64 - 1, 1);
        self.b.value("tensor.extract_slice", &[&[result], &sizes[..]].concat(), ty, &attributes)
    }

    /// The dynamic sizes and the attributes of a slice of one element along the dimension, of an operation with this number
    /// of operands before them.
    fn slice(&self, offset: i64, operands: usize) -> (Vec<Val<'c>>, Vec<(&'static str, Attribute<'c>)>) {
        let b = &self.b;
        let at = |value: i64, other: i64| {
            b.numbers(
                &(0..self.shape.len()).map(|d| if d == self.dimension { value } else { other }).collect::<Vec<_>>(),
            )
        };
        let size = |d: usize| match self.shape[d] {
            _ if d == self.dimension => 1,
            Some(size) => size as i64,
            None => ir::DYNAMIC,
        };
        let open = (0..self.shape.len()).filter(|d| *d != self.dimension && self.shape[*d].is_none());
        let sizes: Vec<_> = open.map(|d| dim(b, self.input, d)).collect();
        let mut segments = vec![1; operands];
        segments.extend([0, sizes.len(), 0]);
        let attributes = vec![
            ("static_offsets", at(offset, 0)),
            ("static_sizes", b.numbers(&(0..self.shape.len()).map(size).collect::<Vec<_>>())),
            ("static_strides", at(1, 1)),
            b.segments(&segments),
        ];
        (sizes, attributes)
    }
}
