//! Checks of structured operations: operands have the same size along each iterator. What is inside of a window is checked
//! where accesses are: by the views of a raised operation, or by upstream for one that stays.
//!
//! ```text
//! linalg.matmul ins(%a, %b) outs(%c)   ──▶   cf.assert (the size of %a in axis 2 == the size of %b in axis 1), ..
//! ```
use super::sizes::Checker;
use mdh_dialects::{
    ffi::indexing_maps,
    ir::{self, IntPredicate, Op, Val},
    view::{IndexFunction, IndexMap},
};
use mdh_passes::analysis::extents::{ExtentValue, axis_of};
use melior::ir::ValueLike;

/// Checks an operation, as far as its sizes are dynamic and not known to be the same.
pub fn check(checker: &Checker<'_>) {
    let maps = indexing_maps(checker.operation).and_then(ir::array_attribute).unwrap_or_default();
    let rank = maps.first().and_then(|map| IndexMap::from_attribute(*map)).map_or(0, |map| map.dimensions);
    let functions: Vec<_> = maps.into_iter().map(IndexFunction::from_attribute).collect();
    let operands = ir::operands(checker.operation);
    for iterator in 0..rank {
        let axes = operands.iter().zip(&functions).enumerate().flat_map(|(number, (operand, function))| {
            let axes = function.iter().flat_map(move |function| function.axes_of(iterator));
            axes.map(move |axis| (number, *operand, axis))
        });
        let axes: Vec<_> = axes.collect();
        let Some(((number, operand, axis), others)) = axes.split_first() else { continue };
        let size = origin(ExtentValue::Size(*operand, *axis));
        for (other_number, other, other_axis) in others {
            let requirement = format!(
                "the same size in axis {} of operand {} and in axis {} of operand {}",
                axis + 1,
                number + 1,
                other_axis + 1,
                other_number + 1
            );
            let sizes = (checker.size(*operand, *axis), checker.size(*other, *other_axis));
            let is_known = origin(ExtentValue::Size(*other, *other_axis)) == size;
            if let (false, (Some(one), Some(other))) = (is_known, sizes) {
                checker.compare(IntPredicate::Eq, one, other, &requirement);
            }
        }
    }
}

/// The size that this one is equal to: that of the destination of a result, or the size of an empty tensor.
pub fn origin(extent: ExtentValue<'_>) -> ExtentValue<'_> {
    std::iter::successors(Some(extent), |extent| before(*extent)).last().unwrap_or(extent)
}

fn before(extent: ExtentValue<'_>) -> Option<ExtentValue<'_>> {
    match extent {
        ExtentValue::Operand(value) => {
            let dim = ir::defining(value).filter(|found| ["memref.dim", "tensor.dim"].contains(&ir::name(*found)))?;
            axis_of(dim).map(|(buffer, axis)| ExtentValue::Size(buffer, axis))
        }
        ExtentValue::Size(value, axis) => {
            let definition = ir::defining(value)?;
            if ir::name(definition) == "tensor.empty" {
                return dynamic_size(definition, axis).map(ExtentValue::Operand);
            }
            indexing_maps(definition)?;
            let (operands, results) = (ir::operands(definition), ir::results(definition));
            let position = results.iter().position(|result| *result == value)?;
            let destination = (operands.len() + position).checked_sub(results.len())?;
            Some(ExtentValue::Size(operands[destination], axis))
        }
    }
}

/// The operand of `tensor.empty` that is the size of an axis; `None` if it is static.
fn dynamic_size<'c>(empty: Op<'c>, axis: usize) -> Option<Val<'c>> {
    let sizes = ir::shape(ir::results(empty).first()?.r#type())?;
    let before = sizes[..axis].iter().filter(|size| size.is_none()).count();
    sizes[axis].is_none().then(|| ir::operands(empty).get(before).copied())?
}
