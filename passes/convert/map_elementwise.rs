//! `mdh-map-elementwise`: makes arithmetic on tensors of dynamic sizes operations of `linalg` on their elements.
//!
//! ```mlir
//! func.func @changed(%x: tensor<?xi32>, %y: tensor<?xi32>) -> tensor<?xi32> {
//!   %r = arith.xori %x, %y : tensor<?xi32>
//!   return %r : tensor<?xi32>
//! }
//! ```
//! becomes
//! ```mlir
//! %r = linalg.map { arith.xori } ins(%x, %y : tensor<?xi32>, tensor<?xi32>) outs(%x : tensor<?xi32>)
//! ```
//!
//! A result of another type than all operands is written to a new tensor.
//!
//! Upstream's `convert-elementwise-to-linalg` does the same for all tensors, but folds operations before. The result of a
//! folder, such as 0 for `xori %x, %x`, is then a constant of a type without static sizes, which cannot be lowered.
use crate::analysis::extents::dim;
use mdh_dialects::{
    ir::{self, Builder, Op, Val, ValueMap},
    pass::{Failure, MdhPass},
};
use melior::{
    dialect::DialectHandle,
    ir::{Type, TypeLike, ValueLike, operation::OperationLike},
};
use std::collections::HashSet;

/// The pass.
pub struct MapElementwise;

impl MdhPass for MapElementwise {
    const NAME: &'static str = "MapElementwise";
    const ARGUMENT: &'static str = "mdh-map-elementwise";
    const DESCRIPTION: &'static str = "Make arithmetic on tensors of dynamic sizes operations of linalg";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::arith(), DialectHandle::linalg(), DialectHandle::tensor()]
    }

    fn run<'c>(root: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        ir::descendants(root).into_iter().filter(|operation| is_mapped(*operation)).for_each(map);
        Ok(())
    }
}

/// True for arithmetic on tensors whose result has a dynamic size.
fn is_mapped(operation: Op<'_>) -> bool {
    let is_arithmetic = ["arith.", "math."].iter().any(|dialect| ir::name(operation).starts_with(dialect));
    let [result] = ir::results(operation)[..] else { return false };
    let sizes = ir::shape(result.r#type()).filter(|_| result.r#type().is_tensor()).unwrap_or_default();
    is_arithmetic && sizes.contains(&None) && ir::operands(operation).iter().any(|value| value.r#type().is_tensor())
}

/// Replaces an operation on tensors of dynamic sizes; operands that are no tensors are the same for all elements.
fn map(operation: Op<'_>) {
    let b = Builder::before(operation).located(operation);
    let (operands, result) = (ir::operands(operation), ir::results(operation)[0]);
    let mut tensors: Vec<_> = operands.iter().copied().filter(|value| value.r#type().is_tensor()).collect();
    let output = tensors.iter().copied().find(|tensor| tensor.r#type() == result.r#type());
    let output = output.unwrap_or_else(|| empty(&b, result.r#type(), tensors[0]));
    let mut known = HashSet::new();
    tensors.retain(|tensor| known.insert(tensor.to_raw().ptr));
    let arguments = tensors.iter().chain([&output]).map(|value| ir::element_type_or_self(value.r#type()));
    let (region, block) = b.region(&arguments.collect::<Vec<_>>());
    let inside = b.at_end(block);
    let elements: ValueMap<'_> = tensors.iter().copied().zip(ir::arguments(block)).collect();
    let values: Vec<_> = operands.iter().map(|value| elements.get(*value)).collect();
    let attributes: Vec<_> = operation.attributes().collect();
    let named = attributes.iter().map(|(name, value)| (name.as_string_ref().as_str().unwrap_or_default(), *value));
    let element = ir::element_type_or_self(result.r#type());
    let value = inside.value(ir::name(operation), &values, element, &named.collect::<Vec<_>>());
    inside.op("linalg.yield", &[value], &[], &[], vec![]);
    let operands: Vec<_> = tensors.into_iter().chain([output]).collect();
    let mapped = b.op("linalg.map", &operands, &[result.r#type()], &[], vec![region]);
    ir::replace_uses(result, ir::results(mapped)[0]);
    ir::erase(operation);
}

/// A new tensor of a type with the sizes of another one.
fn empty<'c>(b: &Builder<'c>, ty: Type<'c>, like: Val<'c>) -> Val<'c> {
    let sizes = ir::shape(ty).unwrap_or_default();
    let dynamic = (0..sizes.len()).filter(|axis| sizes[*axis].is_none()).map(|axis| dim(b, like, axis));
    b.value("tensor.empty", &dynamic.collect::<Vec<_>>(), ty, &[])
}
