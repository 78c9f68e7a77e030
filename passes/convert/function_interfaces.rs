//! `mdh-function-interfaces`: declares the interface of functions to programs outside the module, before tensors become
//! memrefs.
//!
//! ```mlir
//! func.func @first(%x: tensor<8xf32>, %i: index) -> f32 {
//!   %y = tensor.extract %x[%i] : tensor<8xf32>
//!   return %y : f32
//! }
//! ```
//! becomes
//! ```mlir
//! func.func @first(%x: tensor<8xf32> {bufferization.writable = false}, %i: index) -> f32 attributes {llvm.emit_c_interface} {
//! ```
use crate::analysis::origin::{function_around, origin};
use mdh_dialects::{
    attributes::{IN_PLACE, MANUAL},
    ffi,
    ir::{self, Builder, Op, Val},
    pass::{Failure, MdhPass},
};
use melior::ir::{Attribute, TypeLike, ValueLike};

/// The pass.
pub struct FunctionInterfaces;

impl MdhPass for FunctionInterfaces {
    const NAME: &'static str = "FunctionInterfaces";
    const ARGUMENT: &'static str = "mdh-function-interfaces";
    const DESCRIPTION: &'static str =
        "Declare the C interface and the read-only tensors of public functions; preserve explicit deallocations";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        run(module);
        Ok(())
    }
}

/// Gives each public function a C interface and read-only tensors, and marks explicit deallocations, so that automatic
/// deallocation leaves them alone, or leaves them to it.
pub fn run(module: Op<'_>) {
    for function in ir::find(module, "func.func") {
        let private =
            ir::attribute(function, "sym_visibility").and_then(ir::string_attribute).is_some_and(|v| v != "public");
        let Some(body) = ir::body(function, 0).filter(|_| !private) else { continue };
        let b = Builder::before(function);
        ir::set_attribute(function, "llvm.emit_c_interface", b.unit());
        let written = tensor_arguments(function, &ir::arguments(body), b.truth(false));
        if !written.is_empty() {
            let numbers: Vec<_> = written.into_iter().map(|argument| argument as i64).collect();
            ir::set_attribute(function, IN_PLACE, b.numbers(&numbers));
        }
    }
    let called: Vec<_> = ir::descendants(module).into_iter().filter_map(ir::function_reference).collect();
    for deallocation in ir::find(module, "memref.dealloc") {
        keep_or_erase(deallocation, &called);
    }
}

/// Keeps a deallocation if it frees what its function allocates, or what a caller outside of the module passes, and
/// marks it. Automatic deallocation frees all other memrefs: results of calls and memrefs of callers, loops and branches.
fn keep_or_erase(deallocation: Op<'_>, called: &[&str]) {
    let unit = Builder::before(deallocation).unit();
    let memref = origin(ir::operands(deallocation)[0]);
    let is_own = match ir::defining(memref) {
        Some(definition) if ir::name(definition) == "memref.alloc" => {
            ir::set_attribute(definition, MANUAL, unit);
            true
        }
        Some(_) => false,
        None => is_argument_of_caller(deallocation, memref, called),
    };
    match is_own {
        true => ir::set_attribute(deallocation, MANUAL, unit),
        false => ir::erase(deallocation),
    }
}

/// True for an argument of the function around an operation if no function of the module calls it.
fn is_argument_of_caller<'c>(operation: Op<'c>, memref: Val<'c>, called: &[&str]) -> bool {
    let Some(function) = function_around(operation) else { return false };
    let name = ir::attribute(function, "sym_name").and_then(ir::string_attribute).unwrap_or_default();
    ir::body(function, 0).is_some_and(|body| ir::arguments(body).contains(&memref)) && !called.contains(&name)
}

/// Makes tensor arguments read-only unless the program specifies otherwise: a tensor is a value, so the memory of the
/// caller must not change. Returns the indices of the arguments that the function may write.
fn tensor_arguments<'c>(function: Op<'c>, arguments: &[Val<'c>], no: Attribute<'c>) -> Vec<usize> {
    const KEY: &str = "bufferization.writable";
    let mut written = vec![];
    let given = ir::attribute(function, "arg_attrs").and_then(ir::array_attribute).unwrap_or_default();
    for (i, argument) in arguments.iter().enumerate() {
        if !argument.r#type().is_tensor() {
            continue;
        }
        match given.get(i).and_then(|attributes| ir::dictionary_entry(*attributes, KEY)) {
            None => ffi::set_argument_attribute(function, i, KEY, no),
            Some(said) if said != no => written.push(i),
            Some(_) => {}
        }
    }
    written
}
