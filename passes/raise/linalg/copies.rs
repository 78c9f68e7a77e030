//! Pads and concatenations as computations that write to parts of one tensor.
//!
//! ```text
//! %p = tensor.pad %x low[1] high[2] { yield %v }         p[i] = v          for i < 1
//!                                                  ──▶   p[i + n + 1] = v  for i < 2
//!                                                        p[i + 1] = x[i]   for i < n
//! %c = tensor.concat dim(0) %x, %y                       c[i] = x[i]       for i < n
//!                                                  ──▶   c[i + n] = y[i]   for i < m
//! ```
//!
//! Fusion then inlines what computes `x` into the copy of it, and no element is written twice, unless the sides are a few
//! elements of each short row, which are written with the whole tensor. Functions with computations
//! that are written in `mdh` keep theirs, so that the numbers of computations in schedule files do not change.
use crate::analysis::origin::function_around;
use mdh_dialects::{
    attributes::RAISED,
    hom::{CombineOperator, Compute, MdHom, Yield},
    ir::{self, Builder, Op, OpView, Val},
    view::{IndexFunction, InpView, OutView, is_scalar, mda_type_of},
};
use melior::ir::{Attribute, Type, TypeLike, ValueLike};

/// Replaces the pads and concatenations with static sizes in a module.
pub fn run(module: Op<'_>) {
    let homs = MdHom::all(module).into_iter().filter(|hom| ir::attribute(hom.op(), RAISED).is_none());
    let written = homs.map(|hom| hom.op()).chain(Compute::all(module).into_iter().map(|compute| compute.op()));
    let kept: Vec<_> = written.filter_map(function_around).collect();
    for operation in ir::descendants(module) {
        if function_around(operation).is_some_and(|function| kept.contains(&function)) {
            continue;
        }
        let result = match ir::name(operation) {
            "tensor.pad" => pad(operation),
            "tensor.concat" => concatenation(operation),
            _ => None,
        };
        if let Some(result) = result {
            ir::replace_uses(ir::results(operation)[0], result);
            ir::erase(operation);
        }
    }
}

/// The static sizes of a tensor of numbers, all positive; `None` for another one.
pub fn sizes(tensor: Val<'_>) -> Option<Vec<i64>> {
    let ty = tensor.r#type();
    let sizes = ir::shape(ty)?.into_iter().map(|size| size.and_then(|size| i64::try_from(size).ok()));
    let sizes = sizes.collect::<Option<Vec<_>>>()?;
    let is_known = ty.is_tensor() && is_scalar(ir::element_type(ty)?) && !sizes.is_empty();
    (is_known && sizes.iter().all(|size| *size > 0)).then_some(sizes)
}

/// The padded tensor, if the value is that of a scalar from outside of the pad.
fn pad(pad: Op<'_>) -> Option<Val<'_>> {
    let source = *ir::operands(pad).first()?;
    let result = *ir::results(pad).first()?;
    let (inner, outer) = (sizes(source)?, sizes(result)?);
    let amounts = |name: &str| ir::attribute(pad, name).and_then(ir::dense_array_attribute);
    let (low, high) = (amounts("static_low")?, amounts("static_high")?);
    let fits = |axis: usize| {
        let all = inner[axis].checked_add(low[axis]).and_then(|sum| sum.checked_add(high[axis]));
        low[axis] >= 0 && high[axis] >= 0 && all == Some(outer[axis])
    };
    let rank = inner.len();
    if low.len() != rank || high.len() != rank || !(0..rank).all(fits) {
        return None;
    }
    let end = ir::block_operations(ir::body(pad, 0)?).pop()?;
    let value = *ir::operands(end).first()?;
    let constant = ir::defining(value).filter(|constant| ir::name(*constant) == "arith.constant");
    let is_inside = ir::owner(value).or_else(|| ir::defining(value).and_then(ir::block)) == ir::body(pad, 0);
    let b = Builder::before(pad);
    let value = match (is_inside, constant) {
        (false, _) => value,
        (true, Some(constant)) => ir::results(b.clone_operation(constant))[0],
        (true, None) => return None,
    };
    Parts::of(b, result.r#type()).padded(source, value, &low, &high)
}

/// True if a side consists of short runs, each near the next one, so that it costs more to write it alone than to write the
/// whole tensor: most cache lines contain an element of it. `length`: that of the side along the first axis of `sizes`.
fn is_scattered(length: i64, sizes: &[i64]) -> bool {
    const RUN: i64 = 16;
    const DISTANCE: i64 = 256;
    let row = |sizes: &[i64]| sizes.iter().fold(1i64, |count, size| count.saturating_mul(*size));
    length > 0 && length.saturating_mul(row(&sizes[1..])) < RUN && row(sizes) < DISTANCE
}

fn concatenation(concatenation: Op<'_>) -> Option<Val<'_>> {
    let result = *ir::results(concatenation).first()?;
    let axis = ir::attribute(concatenation, "dim").and_then(ir::integer_attribute)?;
    let axis = usize::try_from(axis).ok()?;
    let (operands, all) = (ir::operands(concatenation), sizes(result)?);
    let own = operands.iter().map(|operand| sizes(*operand)).collect::<Option<Vec<_>>>()?;
    let mut parts = Parts::of(Builder::before(concatenation), result.r#type());
    let mut offsets = vec![0; all.len()];
    for (operand, sizes) in operands.into_iter().zip(own) {
        parts.write(Some(operand), operand, &sizes, &offsets);
        offsets[axis] += sizes[axis];
    }
    Some(parts.tensor)
}

/// A tensor whose parts are written one after the other.
pub struct Parts<'c> {
    b: Builder<'c>,
    tensor: Val<'c>,
}

impl<'c> Parts<'c> {
    /// A new tensor of a type with static sizes.
    pub fn of(b: Builder<'c>, ty: Type<'c>) -> Self {
        Self { b, tensor: b.value("tensor.empty", &[], ty, &[]) }
    }

    /// Writes a tensor, and a scalar to so many elements before and after it along each axis; `None` if a size of the
    /// tensor is dynamic.
    pub fn padded(mut self, source: Val<'c>, value: Val<'c>, low: &[i64], high: &[i64]) -> Option<Val<'c>> {
        let (inner, outer) = (sizes(source)?, sizes(self.tensor)?);
        let rank = inner.len();
        let is_scattered = (0..rank).any(|axis| is_scattered(low[axis].max(high[axis]), &outer[axis..]));
        if is_scattered {
            self.write(None, value, &outer, &vec![0; rank]);
        }
        for axis in (0..rank).filter(|_| !is_scattered) {
            // The elements that are outside along this axis, and inside along those before it.
            for (offset, length) in [(0, low[axis]), (low[axis] + inner[axis], high[axis])] {
                if length > 0 {
                    let extents = [&inner[..axis], &[length], &outer[axis + 1..]].concat();
                    let offsets = [&low[..axis], &[offset], &vec![0; rank - axis - 1][..]].concat();
                    self.write(None, value, &extents, &offsets);
                }
            }
        }
        self.write(Some(source), value, &inner, low);
        Some(self.tensor)
    }

    /// Writes a tensor with these sizes to the part at these offsets, or a scalar to each element of the part.
    fn write(&mut self, source: Option<Val<'c>>, scalar: Val<'c>, extents: &[i64], offsets: &[i64]) {
        let b = &self.b;
        let rows = units(extents.len());
        let copy = copy(b, source.map(|source| (source, &rows[..])), scalar, extents);
        let written = access(b, &rows, offsets);
        self.tensor = OutView::build(b, copy, &[self.tensor], &[written], &[self.tensor.r#type()]).results()[0];
    }
}

/// A new tensor of these sizes, with the elements of another one, whose index along each axis is a row of coefficients.
pub fn copied<'c>(b: &Builder<'c>, source: Val<'c>, rows: &[Vec<i64>], sizes: &[i64]) -> Val<'c> {
    let copy = copy(b, Some((source, rows)), source, sizes);
    let written = access(b, &units(sizes.len()), &vec![0; sizes.len()]);
    let ty = b.tensor(sizes, ir::element_type_or_self(source.r#type()));
    OutView::build(b, copy, &[], &[written], &[ty]).results()[0]
}

/// The elements of a tensor at these rows for each point of these extents; without a tensor, a scalar.
fn copy<'c>(b: &Builder<'c>, source: Option<(Val<'c>, &[Vec<i64>])>, scalar: Val<'c>, extents: &[i64]) -> Val<'c> {
    let element = ir::element_type_or_self(source.map_or(scalar, |(source, _)| source).r#type());
    let sizes: Vec<_> = extents.iter().map(|extent| Some(extent.unsigned_abs())).collect();
    let (reads, rows): (Vec<_>, Vec<_>) = source.into_iter().unzip();
    let types = vec![element; reads.len()];
    let accesses: Vec<_> = rows.into_iter().map(|rows| access(b, rows, &vec![0; rows.len()])).collect();
    let view = InpView::build(b, &reads, &[], &accesses, mda_type_of(b.context, &sizes, &types));
    let (region, block) = b.region(&types);
    let value = ir::arguments(block).first().copied().unwrap_or(scalar);
    Yield::build(&b.at_end(block), &[value]);
    let operators = vec![CombineOperator::Concatenation.attribute(b.context); extents.len()];
    let hom = MdHom::build(b, view.result(), &[], &operators, region, mda_type_of(b.context, &sizes, &[element]));
    hom.set_raised();
    hom.result()
}

/// The coefficients of each index alone.
fn units(rank: usize) -> Vec<Vec<i64>> {
    (0..rank).map(|axis| (0..rank).map(|other| i64::from(other == axis)).collect()).collect()
}

/// An access with a row of coefficients and an offset for each axis.
fn access<'c>(b: &Builder<'c>, rows: &[Vec<i64>], offsets: &[i64]) -> Attribute<'c> {
    let dimensions = rows.first().map_or(0, Vec::len);
    let function = IndexFunction::new(rows.iter().cloned().zip(offsets.iter().copied()));
    b.array(&[function.attribute(b.context, dimensions)])
}
