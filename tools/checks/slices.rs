//! Checks of slices that upstream does not have: slices that are inserted into tensors lie within the tensor, and have the
//! sizes of what is inserted; no slice has a negative size.
//!
//! ```text
//! tensor.insert_slice %x into %y[%o] [%n] [1]   ──▶   cf.assert (%n == the size of %x), (0 <= %o and %n <= the size of %y - %o)
//! memref.subview %y[%o] [%n] [1]                ──▶   cf.assert (0 <= %n)
//! ```
use super::{
    sizes::{Checker, Size},
    structured::origin,
};
use mdh_dialects::ir::{self, IntPredicate, Op, Val};
use mdh_passes::analysis::extents::ExtentValue;
use melior::ir::ValueLike;

/// The operations that insert.
const INSERTIONS: [&str; 2] = ["tensor.insert_slice", "tensor.parallel_insert_slice"];
/// The operations whose results are slices.
pub const VIEWS: [&str; 2] = ["memref.subview", "tensor.extract_slice"];

/// The operations with checks.
pub fn all(root: Op<'_>) -> impl Iterator<Item = Op<'_>> {
    INSERTIONS.into_iter().chain(VIEWS).flat_map(move |name| ir::find(root, name))
}

/// Adds the checks of a slice, as far as its numbers are dynamic and not known to fit.
pub fn check(operation: Op<'_>) {
    // The operations of `scf.forall.in_parallel` are insertions only.
    let is_parallel = ir::name(operation) == INSERTIONS[1];
    let before = if is_parallel { ir::parent(operation) } else { Some(operation) };
    let Some(before) = before else { return };
    let checker = Checker::before(operation, before);
    // An operation of another form is refused by its verifier.
    let _ = if VIEWS.contains(&ir::name(operation)) { view(&checker) } else { insertion(&checker) };
}

/// The dynamic offsets, sizes and strides, of which the first are the given segment.
fn dynamic<'c>(operation: Op<'c>, first: usize) -> Option<[Vec<Val<'c>>; 3]> {
    let (operands, counts) = (ir::operands(operation), ir::segments(operation)?);
    let mut dynamic = operands.get(first..)?;
    let mut take = |position: usize| {
        let (own, rest) = dynamic.split_at_checked(usize::try_from(*counts.get(position)?).ok()?)?;
        dynamic = rest;
        Some(own.to_vec())
    };
    Some([take(first)?, take(first + 1)?, take(first + 2)?])
}

/// The sizes of a slice that is a result.
pub fn sizes<'c>(slice: Op<'c>) -> Option<Vec<Size<'c>>> {
    let [_, sizes, _] = dynamic(slice, 1)?;
    Checker::before(slice, slice).list("static_sizes", &sizes)
}

/// Upstream checks the first and the last index only.
fn view(checker: &Checker<'_>) -> Option<()> {
    for (axis, size) in sizes(checker.operation)?.into_iter().enumerate() {
        let Size::Value(value) = size else { continue };
        if matches!(origin(ExtentValue::Operand(value)), ExtentValue::Operand(_)) {
            let requirement = format!("a size of at least 0 in axis {}", axis + 1);
            checker.compare(IntPredicate::Sge, size, Size::Known(0), &requirement);
        }
    }
    Some(())
}

fn insertion(checker: &Checker<'_>) -> Option<()> {
    let operands = ir::operands(checker.operation);
    let [offsets, sizes, strides] = dynamic(checker.operation, 2)?;
    let (source, target) = (*operands.first()?, *operands.get(1)?);
    // Only dimensions of static size are removed, so that the dynamic ones are in the same order.
    let shape = ir::shape(source.r#type())?;
    let axes = shape.iter().enumerate().filter(|(_, size)| size.is_none()).map(|(axis, _)| axis);
    for (axis, size) in axes.zip(&sizes) {
        if origin(ExtentValue::Operand(*size)) != origin(ExtentValue::Size(source, axis)) {
            let requirement = format!("the size of axis {} of what is inserted", axis + 1);
            checker.compare(IntPredicate::Eq, Size::Value(*size), checker.size(source, axis)?, &requirement);
        }
    }
    let offsets = checker.list("static_offsets", &offsets)?;
    let strides = checker.list("static_strides", &strides)?;
    let sizes = checker.list("static_sizes", &sizes)?;
    for (axis, ((offset, size), stride)) in offsets.into_iter().zip(&sizes).zip(strides).enumerate() {
        checker.is_within(&sizes, (offset, *size, stride), checker.size(target, axis)?, axis)?;
    }
    Some(())
}

impl<'c> Checker<'c> {
    /// Checks that a slice with elements lies within the size of an axis.
    fn is_within(
        &self,
        sizes: &[Size<'c>],
        (offset, size, stride): (Size<'c>, Size<'c>, Size<'c>),
        whole: Size<'c>,
        axis: usize,
    ) -> Option<()> {
        let is_known = [offset, size, stride, whole].iter().all(|number| matches!(number, Size::Known(_)));
        let is_whole = match (offset, size, stride, whole) {
            (Size::Known(0), Size::Value(size), Size::Known(1), Size::Value(whole)) => {
                origin(ExtentValue::Operand(size)) == origin(ExtentValue::Operand(whole))
            }
            _ => false,
        };
        if is_known || is_whole {
            return Some(());
        }
        let one = Size::Known(1);
        // The distance of the last element from the first: it does not overflow, because the stride divides what is left.
        let last = self.combine("arith.subi", &[whole, one])?;
        let left = self.combine("arith.subi", &[last, offset])?;
        let steps = match stride {
            Size::Known(1) => left,
            // A divisor of 0 has been refused by the other conditions, whose results are all computed.
            _ => self.combine("arith.divsi", &[left, self.combine("arith.maxsi", &[stride, one])?])?,
        };
        let conditions = [
            (IntPredicate::Sge, offset, Size::Known(0)),
            (IntPredicate::Sge, left, Size::Known(0)),
            (IntPredicate::Sge, stride, one),
            (IntPredicate::Slt, size, self.combine("arith.addi", &[steps, Size::Known(2)])?),
        ];
        let fits = self.all(&conditions)?;
        let is_empty = sizes.iter().filter(|size| !matches!(size, Size::Known(1..)));
        let holds = is_empty.fold(fits, |holds, size| self.or(holds, (IntPredicate::Eq, *size, Size::Known(0))));
        self.assert(holds, &format!("a slice within the tensor in axis {}", axis + 1));
        Some(())
    }
}
