//! Dynamic extents of computations that are rebuilt: each is the same size as before.
use super::elements::Elements;
use crate::analysis::{computation::Computation, extents::ExtentValue};
use mdh_dialects::{ir::Val, view::size_of_extent};

/// The extent that follows from the elements of a view.
fn inferred<'c>(elements: &Elements<'c>, d: usize) -> Option<ExtentValue<'c>> {
    let (buffers, accesses) = elements.accesses();
    let (buffer, axis) = size_of_extent(&accesses, d)?;
    Some(ExtentValue::Size(buffers[buffer], axis))
}

/// The extents that do not follow from the elements that a computation reads now, as operands of its view. `None` if one
/// would be another size than before.
pub fn operands<'c>(computation: &Computation<'c>, elements: &Elements<'c>) -> Option<Vec<Val<'c>>> {
    let mut operands = vec![];
    for d in 0..computation.rank() {
        let Some(value) = ExtentValue::of(computation, d).map(ExtentValue::origin) else { continue };
        match (inferred(elements, d), value) {
            (Some(found), value) if found.origin() == value => {}
            (None, ExtentValue::Operand(operand)) => operands.push(operand),
            _ => return None,
        }
    }
    Some(operands)
}
