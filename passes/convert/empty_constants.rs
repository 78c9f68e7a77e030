//! `mdh-empty-constants`: gives constants without elements the attribute that has none.
//!
//! ```mlir
//! func.func @none() -> tensor<0x4xi64> {
//!   %x = arith.constant dense_resource<none> : tensor<0x4xi64>
//!   return %x : tensor<0x4xi64>
//! }
//! ```
//! becomes
//! ```mlir
//! %x = arith.constant dense<> : tensor<0x4xi64>
//! ```
//!
//! Upstream's translation to LLVM IR divides by the number of elements of a resource.
use mdh_dialects::{
    ir::{self, Builder, Op},
    pass::{Failure, MdhPass},
};
use melior::ir::attribute::AttributeLike;

/// The pass.
pub struct EmptyConstants;

/// Operations with a constant, and the attribute that has it.
const CONSTANTS: [(&str, &str); 2] = [("arith.constant", "value"), ("memref.global", "initial_value")];

impl MdhPass for EmptyConstants {
    const NAME: &'static str = "EmptyConstants";
    const ARGUMENT: &'static str = "mdh-empty-constants";
    const DESCRIPTION: &'static str = "Give constants without elements the attribute that has none";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        for (name, attribute) in CONSTANTS {
            ir::find(module, name).into_iter().for_each(|constant| empty(constant, attribute));
        }
        Ok(())
    }
}

fn empty(constant: Op<'_>, name: &str) {
    let Some(value) = ir::attribute(constant, name) else { return };
    let ty = value.r#type();
    let is_empty = ir::shape(ty).is_some_and(|shape| shape.contains(&Some(0)));
    let none = is_empty.then(|| Builder::before(constant).dense_of_bytes(&[], ty)).flatten();
    if let Some(none) = none {
        ir::set_attribute(constant, name, none);
    }
}
