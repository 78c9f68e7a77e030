//! `mdh-generalize-complex`: makes named operations of `linalg` on complex numbers operations without a name, whose regions
//! may have other arithmetic.
//!
//! ```mlir
//! func.func @product(%x: tensor<4xcomplex<f32>>, %y: tensor<complex<f32>>) -> tensor<complex<f32>> {
//!   %r = linalg.reduce { complex.mul } ins(%x : tensor<4xcomplex<f32>>) outs(%y : tensor<complex<f32>>) dimensions = [0]
//!   return %r : tensor<complex<f32>>
//! }
//! ```
//! becomes
//! ```mlir
//! linalg.generic {indexing_maps = [..], iterator_types = ["reduction"]} ins(%x : tensor<4xcomplex<f32>>) outs(..) attrs .. {mdh.associative} {
//! complex.mul
//! ```
//!
//! Upstream's `convert-complex-to-standard`, which runs next, would change the region of a matrix product, which its verifier
//! requires as it is. A reduction with products is declared associative: raising does not see that any more when they are
//! arithmetic on real and imaginary parts.
//! Operations that only move elements keep their names.
use crate::split_complex::is_any_complex;
use mdh_dialects::{
    attributes::ASSOCIATIVE,
    ffi::indexing_maps,
    ir::{self, Builder, IteratorType, Op, Val},
    pass::{Failure, MdhPass},
    view::{IndexFunction, IndexMap},
};
use melior::{
    dialect::DialectHandle,
    ir::{Attribute, ValueLike},
};

/// The pass.
pub struct GeneralizeComplex;

impl MdhPass for GeneralizeComplex {
    const NAME: &'static str = "GeneralizeComplex";
    const ARGUMENT: &'static str = "mdh-generalize-complex";
    const DESCRIPTION: &'static str = "Make named operations of linalg on complex numbers operations without a name";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::linalg()]
    }

    fn run<'c>(root: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        let is_structured = |operation: &Op<'c>| {
            ir::name(*operation).starts_with("linalg.")
                && !KEPT.contains(&ir::name(*operation))
                && is_any_complex(&[ir::operands(*operation), ir::results(*operation)].concat())
        };
        for operation in ir::descendants(root).into_iter().filter(is_structured) {
            let operation = if ir::name(operation) == GENERIC { Some(operation) } else { generalized(operation) };
            if let Some(operation) = operation.filter(|operation| is_product(*operation)) {
                ir::set_attribute(operation, ASSOCIATIVE, Attribute::unit(ir::context(operation)));
            }
        }
        Ok(())
    }
}

const GENERIC: &str = "linalg.generic";

/// Operations that move elements, and what is in regions.
const KEPT: [&str; 6] =
    ["linalg.broadcast", "linalg.copy", "linalg.fill", "linalg.index", "linalg.transpose", "linalg.yield"];

/// Replaces an operation with a name; `None` if it has no index functions or no region.
fn generalized(operation: Op<'_>) -> Option<Op<'_>> {
    let (operands, results) = (ir::operands(operation), ir::results(operation));
    let maps = indexing_maps(operation).and_then(ir::array_attribute).filter(|maps| maps.len() == operands.len())?;
    ir::body(operation, 0).filter(|body| ir::arguments(*body).len() == operands.len())?;
    let b = Builder::before(operation);
    let inputs = operands.len().checked_sub(results.len())?;
    let outputs: Vec<_> = maps[inputs..].iter().filter_map(|map| IndexFunction::from_attribute(*map)).collect();
    let rank = maps.first().and_then(|map| IndexMap::from_attribute(*map)).map_or(0, |map| map.dimensions);
    let kind = |d: usize| match outputs.iter().any(|output| output.depends_on(d)) {
        true => IteratorType::Parallel,
        false => IteratorType::Reduction,
    };
    let mut attributes = vec![
        ("indexing_maps", b.array(&maps)),
        b.iterator_types((0..rank).map(kind)),
        b.segments(&[inputs, results.len()]),
    ];
    attributes.extend(ir::attribute(operation, ASSOCIATIVE).map(|unit| (ASSOCIATIVE, unit)));
    let types: Vec<_> = results.iter().map(|result| result.r#type()).collect();
    let region = b.clone_region(operation, 0);
    let new = b.op(GENERIC, &operands, &types, &attributes, vec![region]);
    results.into_iter().zip(ir::results(new)).for_each(|(old, new)| ir::replace_uses(old, new));
    ir::erase(operation);
    Some(new)
}

/// True if an operation multiplies or adds a value to each output, and multiplies complex numbers.
fn is_product<'c>(operation: Op<'c>) -> bool {
    let Some(block) = ir::body(operation, 0) else { return false };
    let arguments = ir::arguments(block);
    let values = ir::block_operations(block).pop().map(ir::operands).unwrap_or_default();
    let outputs = &arguments[arguments.len().saturating_sub(values.len())..];
    let combining = |(value, output): (&Val<'c>, &Val<'c>)| {
        let operation = ir::defining(*value)?;
        let takes = ir::operands(operation).iter().filter(|operand| *operand == output).count() == 1;
        (takes && ir::users(*output).len() == 1).then_some(ir::name(operation))
    };
    let names: Option<Vec<_>> = values.iter().zip(outputs).map(combining).collect();
    names.is_some_and(|names| {
        names.contains(&"complex.mul") && names.iter().all(|name| ["complex.add", "complex.mul"].contains(name))
    })
}
