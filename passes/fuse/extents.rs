//! Dynamic extents of computations that are rebuilt: each is the same size as before.
use super::{compose::single, elements::Elements};
use crate::analysis::{computation::Computation, extents::ExtentValue};
use mdh_dialects::ir::Val;

/// The extent that follows from the elements of a view: the first size that a dimension alone is the index of.
fn inferred<'c>(elements: &Elements<'c>, d: usize) -> Option<ExtentValue<'c>> {
    elements.list.iter().find_map(|(value, rows)| {
        let axis = rows.iter().position(|(row, constant)| single(row, *constant) == Some(d))?;
        Some(ExtentValue::Size(*value, axis))
    })
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
