//! `mdh-expand-unregistered`: expands the operations of StableHLO and TMTensor that frontends leave, and whose dialects
//! are not registered: loops, conditionals, scatters and windows.
//!
//! ```mlir
//! func.func @counts(%h: tensor<8xi32>, %k: tensor<20x1xi32>, %u: tensor<20xi32>) -> tensor<8xi32> {
//!   %r = "stablehlo.scatter"(%h, %k, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
//!   ^bb0(%a: tensor<i32>, %b: tensor<i32>):
//!     %s = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
//!     "stablehlo.return"(%s) : (tensor<i32>) -> ()
//!   }) : (tensor<8xi32>, tensor<20x1xi32>, tensor<20xi32>) -> tensor<8xi32>
//!   return %r : tensor<8xi32>
//! }
//! ```
//! becomes
//! ```mlir
//! %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %arg0) -> (tensor<8xi32>) {
//! %k = tensor.extract %arg1[%i, %z] : tensor<20x1xi32>
//! %j = arith.index_cast %k : i32 to index
//! %c = arith.cmpi ult, %j, %m : index
//! %t = scf.if %c -> (tensor<8xi32>) {
//! %a = tensor.extract %h[%j] : tensor<8xi32>
//! %s = arith.addi %a, %u : i32
//! %w = tensor.insert %s into %h[%j] : tensor<8xi32>
//! ```
//!
//! | operation | becomes |
//! |---|---|
//! | `stablehlo.while` | `scf.while` |
//! | `stablehlo.if`, `stablehlo.case` | `scf.if` |
//! | `stablehlo.scatter`, `tm_tensor.scatter` | loops over the updates, in lexicographic order; those outside of the tensor are skipped |
//! | `stablehlo.reduce_window` | `tensor.pad` and `linalg.generic`, which raising turns into a scan if it is one |
//!
//! `tm_tensor.scan` is raised as it is.
mod carried;
mod conditional;
pub mod region;
pub mod scatter;
mod while_loop;
pub mod window;

use mdh_dialects::{
    ffi,
    ir::{self, Op},
    pass::{Failure, MdhPass},
    pass_options,
};
use melior::dialect::DialectHandle;

/// The pass.
pub struct ExpandUnregistered;

pass_options! {
    /// Options of the expansion.
    pub struct ExpandUnregisteredOptions {
        /// Expand scatters and windows, too; otherwise, their regions are only converted to scalars
        all: bool = true,
    }
}

impl MdhPass for ExpandUnregistered {
    const NAME: &'static str = "ExpandUnregistered";
    const ARGUMENT: &'static str = "mdh-expand-unregistered";
    const DESCRIPTION: &'static str = "Expand the loops, conditionals, scatters and windows of StableHLO and TMTensor";
    type Options = ExpandUnregisteredOptions;

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![
            DialectHandle::arith(),
            DialectHandle::scf(),
            ffi::math_dialect(),
            DialectHandle::tensor(),
            DialectHandle::linalg(),
        ]
    }

    fn run<'c>(root: Op<'c>, options: ExpandUnregisteredOptions) -> Result<(), Failure<'c>> {
        // Raising says which loops are those of scatters.
        run(root, options.all, &mut |operation, reason| match is_unregistered(operation) {
            true => Err(Failure::new(operation, format!("cannot be expanded: {reason}"))),
            false => Ok(()),
        })
    }
}

/// The scan of torch-mlir, which raising replaces.
pub const SCAN: &str = "tm_tensor.scan";

/// The dialects.
const DIALECTS: [&str; 2] = ["stablehlo.", "tm_tensor."];

/// True for an operation that no pass lowers, because its dialect is not registered.
pub fn is_unregistered(operation: Op<'_>) -> bool {
    !ir::context(operation).is_registered_operation(ir::name(operation))
}

/// True for an operation of a dialect that is not registered, but that this pass or raising knows at its place.
pub fn is_known(operation: Op<'_>) -> bool {
    let of = |operation: Op<'_>| {
        let name = ir::name(operation);
        [SCAN, while_loop::WHILE, window::REDUCE_WINDOW].contains(&name)
            || scatter::SCATTERS.contains(&name)
            || conditional::CONDITIONALS.contains(&name)
    };
    let is_inside = || ir::parent(operation).is_some_and(of);
    of(operation) || is_inside() && region::is_known(ir::name(operation))
}

/// Expands the operations among the descendants of one, inner ones first. `all`: also scatters and windows; otherwise,
/// their regions are converted to scalars. `report` gets those that cannot be, and the loops of scatters, with the reason,
/// and may end it with an error.
pub fn run<'c, E>(root: Op<'c>, all: bool, report: &mut impl FnMut(Op<'c>, String) -> Result<(), E>) -> Result<(), E> {
    for mut operation in ir::descendants(root).into_iter().rev() {
        let name = ir::name(operation);
        let combines_elements = name == window::REDUCE_WINDOW || scatter::SCATTERS.contains(&name);
        if combines_elements && (!all || carried::has_signs(operation)) {
            match region::convert(operation) {
                Ok(converted) if all => operation = converted,
                Ok(_) => continue,
                Err(reason) => {
                    report(operation, reason)?;
                    continue;
                }
            }
        }
        match name {
            while_loop::WHILE => while_loop::expand(operation).or_else(|reason| report(operation, reason))?,
            name if conditional::CONDITIONALS.contains(&name) => {
                conditional::expand(operation).or_else(|reason| report(operation, reason))?;
            }
            window::REDUCE_WINDOW => window::expand(operation).or_else(|reason| report(operation, reason))?,
            name if scatter::SCATTERS.contains(&name) => match scatter::expand(operation) {
                Ok(None) => {}
                Ok(Some(outermost)) => report(outermost, scatter::REASON.to_owned())?,
                Err(reason) => report(operation, reason)?,
            },
            _ if DIALECTS.iter().any(|dialect| name.starts_with(dialect)) && !is_known(operation) => {
                report(operation, "requires an operation that raising knows".to_owned())?;
            }
            _ => {}
        }
    }
    carried::fold_casts(root);
    Ok(())
}
