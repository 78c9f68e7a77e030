//! Copies that keep the order of all elements, as reshapes.
//!
//! ```text
//! %y[i, k, j] = %x[i, j, k], i < 4, j < 1, k < 8            %t = tensor.collapse_shape %x [[0], [1, 2]]
//!                                                    ──▶    %y = tensor.expand_shape %t [[0], [1, 2]]
//! ```
//!
//! Such copies are transpositions that only move axes of size 1: frontends write them for products of tensors.
use super::compose::{Row, combine, rows};
use crate::analysis::computation::Computation;
use mdh_dialects::{
    ir::{self, Builder, OpView, Val},
    view::IndexFunction,
};
use melior::ir::{Type, TypeLike, ValueLike, r#type::RankedTensorType};

/// Replaces the result of a computation by a reshape of its input, if it is a copy that keeps the order of all elements.
pub fn replace(computation: &Computation<'_>) {
    let (Some(source), [result]) = (source(computation), &computation.out_view.results()[..]) else { return };
    let sizes = |value: Val<'_>| ir::shape(value.r#type())?.into_iter().collect::<Option<Vec<_>>>();
    let Some((inner, outer)) = sizes(source).zip(sizes(*result)) else { return };
    let Some(groups) = groups(&inner, &outer) else { return };
    let reshape = Reshape { b: Builder::before(computation.out_view.op()), groups };
    ir::replace_uses(*result, reshape.build(source, &inner, result.r#type()));
}

/// The tensor that a computation copies in the same order to a new tensor of as many elements.
fn source<'c>(computation: &Computation<'c>) -> Option<Val<'c>> {
    let (inputs, outputs) = (computation.inp_view.accesses()?, computation.out_view.accesses()?);
    let ([input], [output]) = (&computation.inputs[..], &computation.outputs[..]) else { return None };
    let ([read], [written]) = (&inputs.first()?[..], &outputs.first()?[..]) else { return None };
    let is_new = computation.out_view.destinations().is_empty() && computation.inits.is_empty();
    let concatenates = computation.operators.iter().all(|operator| operator.concatenates());
    let is_tensor = input.ty.is_tensor() && output.ty.is_tensor() && input.element == output.element;
    let body = computation.hom.body()?;
    let yielded = ir::operands(ir::block_operations(body).pop()?);
    let is_copy = is_new && concatenates && is_tensor && yielded == ir::arguments(body);

    let extents: Vec<_> = computation.domain.extents().collect::<Option<_>>()?;
    let (from, to): (Option<Vec<_>>, Option<Vec<_>>) =
        (input.shape.iter().copied().collect(), output.shape.iter().copied().collect());
    let ((from, to), points) = (from.zip(to)?, product(&extents)?);
    // By C8, the points write different elements: all of them, if there are as many.
    let is_complete = points > 0 && product(&from)? == points && product(&to)? == points;
    let is_in_order = offset(read, &from, &extents)? == offset(written, &to, &extents)?;
    (is_copy && is_complete && is_in_order).then_some(input.value)
}

/// The position of an element among all elements of a tensor, in row-major order, at a point. Dimensions with one index do
/// not count.
fn offset(access: &IndexFunction, sizes: &[u64], extents: &[u64]) -> Option<Row> {
    let mut factors = vec![1i64; sizes.len()];
    for axis in (1..sizes.len()).rev() {
        factors[axis - 1] = factors[axis].checked_mul(i64::try_from(sizes[axis]).ok()?)?;
    }
    let mut sum = combine(&factors, &rows(access, extents.len()), 0, extents.len())?;
    sum.0.iter_mut().zip(extents).filter(|(_, extent)| **extent == 1).for_each(|(coefficient, _)| *coefficient = 0);
    Some(sum)
}

fn product(sizes: &[u64]) -> Option<u64> {
    sizes.iter().try_fold(1u64, |product, size| product.checked_mul(*size))
}

/// The axes of two shapes, in the smallest groups of equal sizes: (4, 1, 8) and (4, 8, 1) have groups of sizes 4 and 8.
/// `None` if the numbers of elements differ.
fn groups(inner: &[u64], outer: &[u64]) -> Option<Vec<[Vec<usize>; 2]>> {
    let (mut groups, mut next) = (vec![], [0, 0]);
    let shapes = [inner, outer];
    while next[0] < inner.len() && next[1] < outer.len() {
        let mut group = [vec![next[0]], vec![next[1]]];
        let mut sizes = [inner[next[0]], outer[next[1]]];
        while sizes[0] != sizes[1] {
            let smaller = usize::from(sizes[1] < sizes[0]);
            let axis = group[smaller].last()? + 1;
            sizes[smaller] = sizes[smaller].checked_mul(*shapes[smaller].get(axis)?)?;
            group[smaller].push(axis);
        }
        next = [group[0].last()? + 1, group[1].last()? + 1];
        groups.push(group);
    }
    // Axes of size 1 are left at the end of one shape.
    for (side, shape) in shapes.into_iter().enumerate() {
        for (axis, size) in shape.iter().enumerate().skip(next[side]) {
            (*size == 1).then_some(())?;
            if let Some(last) = groups.last_mut() {
                last[side].push(axis);
            }
        }
    }
    Some(groups)
}

/// A reshape between the axes of an inner and an outer shape, in groups of equal sizes. A tensor of rank 0 has no group.
struct Reshape<'c> {
    b: Builder<'c>,
    groups: Vec<[Vec<usize>; 2]>,
}

impl<'c> Reshape<'c> {
    /// The reshaped tensor. `sizes`: those of the source.
    fn build(&self, source: Val<'c>, sizes: &[u64], ty: Type<'c>) -> Val<'c> {
        let b = &self.b;
        let is_moved = |side: usize| self.groups.is_empty() || self.groups.iter().any(|group| group[side].len() > 1);
        let element = ir::element_type_or_self(ty);
        let common: Vec<_> =
            self.groups.iter().map(|[inner, _]| inner.iter().map(|axis| sizes[*axis]).product()).collect();
        let common: Type<'c> = RankedTensorType::new(&common, element, None).into();
        let collapsed = match is_moved(0) && common != source.r#type() {
            true => b.value("tensor.collapse_shape", &[source], common, &[("reassociation", self.attribute(0))]),
            false => source,
        };
        if !is_moved(1) || collapsed.r#type() == ty {
            return collapsed;
        }
        let shape: Vec<_> = ir::shape(ty).into_iter().flatten().map(|size| size.unwrap_or_default() as i64).collect();
        let attributes = [("reassociation", self.attribute(1)), ("static_output_shape", b.numbers(&shape))];
        b.value("tensor.expand_shape", &[collapsed], ty, &attributes)
    }

    fn attribute(&self, side: usize) -> melior::ir::Attribute<'c> {
        let axes = |group: &[Vec<usize>; 2]| {
            let axes: Vec<_> = group[side].iter().map(|axis| self.b.i64_number(*axis as i64)).collect();
            self.b.array(&axes)
        };
        self.b.array(&self.groups.iter().map(axes).collect::<Vec<_>>())
    }
}
