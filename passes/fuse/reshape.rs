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
use melior::ir::{Type, TypeLike};

/// Replaces the result of a computation by a reshape of its input, if it is a copy that keeps the order of all elements.
/// Returns false for others.
pub fn replace(computation: &Computation<'_>) -> bool {
    let reshaped = copy(computation).and_then(|copy| copy.reshaped(&Builder::before(computation.out_view.op())));
    let Some((result, reshaped)) = computation.out_view.results().pop().zip(reshaped) else { return false };
    ir::replace_uses(result, reshaped);
    true
}

/// A copy in the same order to a new tensor of as many elements.
struct OrderedCopy<'c> {
    source: Val<'c>,
    /// The sizes of the source.
    from: Vec<u64>,
    /// The type of the new tensor.
    ty: Type<'c>,
    /// The sizes of the new tensor.
    to: Vec<u64>,
}

/// The copy that a computation is, if it is one.
fn copy<'c>(computation: &Computation<'c>) -> Option<OrderedCopy<'c>> {
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
    (is_copy && is_complete && is_in_order).then_some(OrderedCopy { source: input.value, from, ty: output.ty, to })
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

impl<'c> OrderedCopy<'c> {
    /// The source in the shape of the new tensor; `None` if no groups of axes have equal sizes.
    fn reshaped(&self, b: &Builder<'c>) -> Option<Val<'c>> {
        let [inner, outer] = groups(&self.from, &self.to)?;
        // A tensor of rank 0 has no groups.
        let is_moved = |groups: &[Vec<usize>]| groups.is_empty() || groups.iter().any(|group| group.len() > 1);
        let is_collapsed = is_moved(&inner) && !self.from.is_empty();
        let collapsed = if is_collapsed { b.collapsed(self.source, &inner) } else { self.source };
        let is_expanded = is_moved(&outer) && !self.to.is_empty();
        Some(if is_expanded { b.expanded(collapsed, &outer, self.ty) } else { collapsed })
    }
}

/// The axes of two shapes, in the smallest groups of equal sizes: (4, 1, 8) and (4, 8, 1) have groups of sizes 4 and 8.
/// `None` if the numbers of elements differ.
fn groups(inner: &[u64], outer: &[u64]) -> Option<[Vec<Vec<usize>>; 2]> {
    let (mut groups, mut next): ([Vec<Vec<usize>>; 2], _) = ([vec![], vec![]], [0, 0]);
    let shapes = [inner, outer];
    while next[0] < inner.len() && next[1] < outer.len() {
        let mut ends = next.map(|first| first + 1);
        let mut sizes = [inner[next[0]], outer[next[1]]];
        while sizes[0] != sizes[1] {
            let smaller = usize::from(sizes[1] < sizes[0]);
            sizes[smaller] = sizes[smaller].checked_mul(*shapes[smaller].get(ends[smaller])?)?;
            ends[smaller] += 1;
        }
        (0..2).for_each(|side| groups[side].push((next[side]..ends[side]).collect()));
        next = ends;
    }
    for (side, shape) in shapes.into_iter().enumerate() {
        // Axes of size 1 are left at the end of one shape.
        shape[next[side]..].iter().all(|size| *size == 1).then_some(())?;
        groups[side].last_mut().into_iter().for_each(|last| last.extend(next[side]..shape.len()));
    }
    Some(groups)
}
