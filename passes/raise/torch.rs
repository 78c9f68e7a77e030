//! Scans of torch-mlir: `tm_tensor.scan` in generic form, whose dialect is not registered.
//!
//! ```text
//! "tm_tensor.scan"(%x, %output, %last) <{dimension = 1, inclusive = true, ..}> ({
//! ^bb0(%before, %value):
//!   "tm_tensor.yield"(%before + %value)               ──▶   md_hom %x combine [#mdh.cc, #mdh.ps<add>]
//! })
//! ```
//!
//! An inclusive scan starts with its first value; the previous contents of its outputs do not matter.
use mdh_dialects::{
    hom::{CombineOperator, Function, Kind, MdHom, Yield},
    ir::{self, Builder, Op},
    view::{IndexFunction, InpView, OutView, mda_type_of},
};
use melior::ir::{TypeLike, ValueLike};

/// The scan.
pub const SCAN: &str = "tm_tensor.scan";
/// The terminator of its region.
pub const YIELD: &str = "tm_tensor.yield";

/// Replaces a scan. The error is the reason why that is not possible.
pub fn raise_scan(operation: Op<'_>) -> Result<(), String> {
    let ([input, output, _], [scanned, last]) = (&ir::operands(operation)[..], &ir::results(operation)[..]) else {
        return Err("requires an input, an output and an accumulator, and results for both of these".to_owned());
    };
    let ty = input.r#type();
    let (Some(shape), Some(element)) = (ir::shape(ty), ir::element_type(ty)) else {
        return Err(format!("requires a ranked tensor, but the input has type {ty}"));
    };
    if !ty.is_tensor() || output.r#type() != scanned.r#type() || !mdh_dialects::view::is_scalar(element) {
        return Err(format!("requires tensors of numbers, but the input has type {ty}"));
    }
    let attribute = |name: &str| ir::attribute(operation, name);
    if attribute("inclusive").is_none_or(|inclusive| inclusive.to_string() != "true") {
        return Err("requires an inclusive scan".to_owned());
    }
    if !ir::users(*last).is_empty() {
        return Err("requires that the last value is not used".to_owned());
    }
    let dimension = attribute("dimension").and_then(ir::integer_attribute).and_then(|d| usize::try_from(d).ok());
    let dimension = dimension.filter(|d| *d < shape.len());
    let dimension = dimension.ok_or_else(|| format!("requires a dimension below {}", shape.len()))?;
    let block = ir::body(operation, 0).ok_or("requires a region")?;
    let value = ir::block_operations(block).pop().and_then(|end| ir::operands(end).first().copied());
    let combining = value.and_then(ir::defining).ok_or("requires a region that combines its arguments")?;
    let (operands, arguments) = (ir::operands(combining), ir::arguments(block));
    let is_of_both = operands == arguments || operands.iter().rev().eq(&arguments);
    let is_of_elements = arguments.len() == 2 && arguments.iter().all(|argument| argument.r#type() == element);
    let kind = Kind::of_operation(ir::name(combining)).filter(|_| is_of_both && is_of_elements);
    let kind = kind
        .ok_or_else(|| format!("requires an associative operation on two elements, but has {}", ir::name(combining)))?;

    let b = Builder::before(operation);
    let rank = shape.len();
    let unit = |axis: usize| ((0..rank).map(|d| i64::from(d == axis)).collect(), 0);
    let access = b.array(&[IndexFunction::new((0..rank).map(unit)).attribute(b.context, rank)]);
    let mda = mda_type_of(b.context, &shape, &[element]);
    let view = InpView::build(&b, &[*input], &[], &[access], mda);
    let scan = CombineOperator::PrefixSum(Function::Builtin(vec![kind])).attribute(b.context);
    let operators: Vec<_> = (0..rank)
        .map(|d| if d == dimension { scan } else { CombineOperator::Concatenation.attribute(b.context) })
        .collect();
    let (region, body) = b.region(&[element]);
    Yield::build(&b.at_end(body), &ir::arguments(body));
    let hom = MdHom::build(&b, view.result(), &[], &operators, region, mda);
    hom.set_raised();
    let new = OutView::build(&b, hom.result(), &[], &[access], &[scanned.r#type()]).results();
    ir::replace_uses(*scanned, new[0]);
    ir::erase(operation);
    Ok(())
}
