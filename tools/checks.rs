//! What the code around computations requires of sizes and indices that nobody knows before it runs: upstream's checks, with messages
//! like those of the compiler.
//!
//! ```text
//! %y = tensor.cast %x : tensor<?xf32> to tensor<8xf32>   ──▶   cf.assert %is_8, "FILE:2:8: error: 'tensor.cast' fails: size mismatch of dim 0"
//!                                                              %y = tensor.cast %x : tensor<?xf32> to tensor<8xf32>
//! ```
use crate::{program, signal::CHECK};
use anyhow::Result;
use mdh_dialects::ir::{self, Op};
use melior::{
    Context,
    ir::{Module, attribute::StringAttribute, operation::OperationLike},
};

/// Adds the checks to a program that has not been lowered: there are no loads and loops but its own. Its own assertions get messages of
/// the same form.
pub fn add(context: &Context, module: &mut Module<'_>) -> Result<()> {
    for (assertion, text) in assertions(module) {
        set(assertion, &text);
    }
    program::run(context, module, "builtin.module(generate-runtime-verification)")?;
    for (assertion, text) in assertions(module) {
        if !text.starts_with(CHECK) {
            // The operation and what is wrong with it stand on lines of their own.
            let operation = text.lines().nth(1).unwrap_or_default();
            let operation = operation.split_once(" = ").map_or(operation, |(_, operation)| operation);
            let name = operation.trim_start_matches('"').split([' ', '"', '(']).next().unwrap_or_default();
            let problem = text.lines().find_map(|line| line.strip_prefix("^ ")).unwrap_or_default();
            set(assertion, &format!("'{name}' fails: {problem}"));
        }
    }
    Ok(())
}

fn assertions<'c>(module: &Module<'c>) -> Vec<(Op<'c>, String)> {
    let text =
        |assertion| ir::attribute(assertion, "msg").and_then(ir::string_attribute).unwrap_or_default().to_owned();
    ir::find(ir::op(module.as_operation()), "cf.assert").into_iter().map(|found| (found, text(found))).collect()
}

/// Sets the message, with the location before it.
fn set(assertion: Op<'_>, problem: &str) {
    let text = format!("{CHECK}{}error: {problem}", program::place(&assertion.location()));
    ir::set_attribute(assertion, "msg", StringAttribute::new(ir::context(assertion), &text).into());
}
