//! `mdh-return-in-place`: returns arguments that are updated in place directly, without a copy.
//!
//! ```mlir
//! func.func @update(%x: memref<4xf32>) -> memref<4xf32> attributes {mdh.in_place = array<i64: 0>} {
//!   %copy = bufferization.clone %x : memref<4xf32> to memref<4xf32>
//!   return %copy : memref<4xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! func.func @update(%x: memref<4xf32>) -> memref<4xf32> {
//! return %x : memref<4xf32>
//! ```
//!
//! Upstream's deallocation transfers the ownership of each result to the caller, so it copies a result that is an
//! argument. A caller that allows a function to write to an argument (`bufferization.writable = true` on a tensor,
//! which `mdh-function-interfaces` records as `mdh.in_place`) already owns this memory. Functions that are called
//! within the module keep the copy, since the callers free their results.
use mdh_dialects::{
    attributes::IN_PLACE,
    ir::{self, Op},
    pass::{Failure, MdhPass},
};

/// The pass.
pub struct ReturnInPlace;

impl MdhPass for ReturnInPlace {
    const NAME: &'static str = "ReturnInPlace";
    const ARGUMENT: &'static str = "mdh-return-in-place";
    const DESCRIPTION: &'static str = "Return arguments that are updated in place without a copy";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        let called: Vec<_> = ir::descendants(module).into_iter().filter_map(ir::function_reference).collect();
        for function in ir::find(module, "func.func") {
            let numbers = ir::attribute(function, IN_PLACE).and_then(ir::dense_array_attribute).unwrap_or_default();
            ir::remove_attribute(function, IN_PLACE);
            let name = ir::attribute(function, "sym_name").and_then(ir::string_attribute).unwrap_or_default();
            let Some(body) = ir::body(function, 0).filter(|_| !called.contains(&name)) else { continue };
            let arguments = ir::arguments(body);
            for argument in numbers.into_iter().filter_map(|i| arguments.get(usize::try_from(i).ok()?)) {
                return_as_it_is(*argument);
            }
        }
        Ok(())
    }
}

/// Replaces copies of an argument that are only returned with the argument itself.
fn return_as_it_is(argument: ir::Val<'_>) {
    for clone in ir::users(argument).into_iter().filter(|user| ir::name(*user) == "bufferization.clone") {
        let [copy] = ir::results(clone)[..] else { continue };
        if ir::users(copy).iter().all(|user| ir::name(*user) == "func.return") {
            ir::replace_uses(copy, argument);
            ir::erase(clone);
        }
    }
}
