//! Adds run-time checks of dynamic sizes and indices to the code around computations: upstream's
//! `generate-runtime-verification`, with messages in the form of the compiler's, and checks of scatters.
//!
//! ```text
//! %y = tensor.cast %x : tensor<?xf32> to tensor<8xf32>   ──▶   cf.assert %is_8, "FILE:2:8: error: 'tensor.cast' fails: size mismatch of dim 0"
//!                                                              %y = tensor.cast %x : tensor<?xf32> to tensor<8xf32>
//! ```
use crate::{program, signal::CHECK};
use anyhow::Result;
use mdh_dialects::ir::{self, Op};
use mdh_passes::{
    expand_unregistered::scatter::{self, SCATTERS},
    target::upstream,
};
use melior::{
    Context,
    dialect::DialectHandle,
    ir::{Module, attribute::StringAttribute, operation::OperationLike},
};

/// Adds the checks to a program before it is lowered, when its only loads and loops are those of the user. The
/// program's own assertions get messages in the same form.
pub fn add(context: &Context, module: &mut Module<'_>) -> Result<()> {
    DialectHandle::cf().load_dialect(context);
    ir::rewrite(module, |root| {
        let scatters = SCATTERS.into_iter().flat_map(|name| ir::find(root, name));
        scatters.for_each(scatter::assert_sizes);
    });
    ir::rewrite(module, |root| assertions(root).into_iter().for_each(|(assertion, text)| set(assertion, &text)));
    // Upstream fails on slices that do not determine which dimensions they remove.
    program::run(context, module, "builtin.module(any(mdh-split-rank-reductions),generate-runtime-verification)")?;
    if !ir::find(ir::op(module.as_operation()), "cf.assert").is_empty() {
        // Conditions on static sizes are constants.
        program::run(context, module, &format!("builtin.module({})", upstream::CANONICALIZE))?;
    }
    ir::rewrite(module, |root| {
        for (assertion, text) in assertions(root).into_iter().filter(|(_, text)| !text.starts_with(CHECK)) {
            // Upstream's message has the operation and the problem on separate lines.
            let operation = text.lines().nth(1).unwrap_or_default();
            let operation = operation.split_once(" = ").map_or(operation, |(_, operation)| operation);
            let name = operation.trim_start_matches('"').split([' ', '"', '(']).next().unwrap_or_default();
            let problem = text.lines().find_map(|line| line.strip_prefix("^ ")).unwrap_or_default();
            set(assertion, &format!("'{name}' fails: {problem}"));
        }
    });
    Ok(())
}

fn assertions(root: Op<'_>) -> Vec<(Op<'_>, String)> {
    let text =
        |assertion| ir::attribute(assertion, "msg").and_then(ir::string_attribute).unwrap_or_default().to_owned();
    ir::find(root, "cf.assert").into_iter().map(|found| (found, text(found))).collect()
}

/// Sets the message, preceded by the location.
fn set(assertion: Op<'_>, problem: &str) {
    let text = format!("{CHECK}{}error: {problem}", program::place(&assertion.location()));
    ir::set_attribute(assertion, "msg", StringAttribute::new(ir::context(assertion), &text).into());
}
