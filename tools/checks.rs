//! Adds run-time checks of dynamic sizes and indices: upstream's `generate-runtime-verification` for the code around
//! computations, with messages in the form of the compiler's, checks of scatters and of sizes (`checks/sizes.rs`), and checks of
//! what raised loops access (`checks/views.rs`).
//!
//! ```text
//! %y = tensor.cast %x : tensor<?xf32> to tensor<8xf32>   ──▶   cf.assert %is_8, "FILE:2:8: error: 'tensor.cast' fails: size mismatch of dim 0"
//!                                                              %y = tensor.cast %x : tensor<?xf32> to tensor<8xf32>
//! ```
//!
//! Operations outside of loops are checked before they are raised and fused, because these may replace them. What is in
//! loops is checked afterwards, if it is still there: checks would keep loops from being raised.
mod sizes;
mod views;

use crate::program;
use anyhow::Result;
use mdh_dialects::{
    attributes::PART,
    ir::{self, Builder, IntPredicate, Op, Val},
};
use mdh_passes::{
    analysis::location::{self, CHECK},
    expand_unregistered::scatter::{self, SCATTERS},
    target::upstream,
};
use melior::{
    Context,
    dialect::DialectHandle,
    ir::{Module, attribute::StringAttribute, operation::OperationLike},
};
use std::collections::HashSet;

/// The loops that may be raised.
const LOOPS: [&str; 6] = ["affine.for", "affine.parallel", "scf.for", "scf.forall", "scf.parallel", "scf.while"];

/// Adds the checks to the source of a program, except to what may be raised with the loops around it.
pub fn add_to_source(context: &Context, module: &mut Module<'_>) -> Result<()> {
    DialectHandle::cf().load_dialect(context);
    ir::rewrite(module, |root| {
        let scatters = SCATTERS.into_iter().flat_map(|name| ir::find(root, name));
        scatters.for_each(scatter::assert_sizes);
        forget_parts(root);
        sizes::assert(root);
    });
    // A structured operation is control flow for the loops around it.
    verify(context, module, |operation| !is_in_loop(operation) || ir::name(operation).starts_with("linalg."))
}

/// Removes the attributes of parts from a source: only raising knows which parts are those of computations.
pub fn forget_parts(root: Op<'_>) {
    let is_part = |operation: &Op<'_>| ir::attribute(*operation, PART).is_some();
    ir::descendants(root).into_iter().filter(is_part).for_each(|part| ir::remove_attribute(part, PART));
}

/// Adds the checks to a program whose computations are views and homomorphisms. The operations around them that are
/// checked already stay as they are.
pub fn add(context: &Context, module: &mut Module<'_>) -> Result<()> {
    DialectHandle::cf().load_dialect(context);
    ir::rewrite(module, views::check);
    verify(context, module, |operation| ir::attribute(operation, PART).is_none())?;
    ir::rewrite(module, erase_repeated);
    Ok(())
}

/// Adds upstream's checks of the operations that are wanted, unless they are known to succeed. The program's own
/// assertions get messages in the same form.
fn verify(context: &Context, module: &mut Module<'_>, is_wanted: impl Fn(Op<'_>) -> bool) -> Result<()> {
    ir::rewrite(module, |root| added(root).into_iter().for_each(|(assertion, text)| set(assertion, &text)));
    // Upstream fails on slices that do not determine which dimensions they remove.
    program::run(context, module, "builtin.module(any(mdh-split-rank-reductions),generate-runtime-verification)")?;
    if added(ir::op(module.as_operation())).is_empty() {
        return Ok(());
    }
    let open = undecided(context, module)?;
    ir::rewrite(module, |root| {
        for (assertion, text) in added(root) {
            // Upstream's message has the operation and the problem on separate lines.
            let operation = text.lines().nth(1).unwrap_or_default();
            let operation = operation.split_once(" = ").map_or(operation, |(_, operation)| operation);
            let name = operation.trim_start_matches('"').split([' ', '"', '(']).next().unwrap_or_default();
            let problem = text.lines().find_map(|line| line.strip_prefix("^ ")).unwrap_or_default();
            let checked = checked(assertion, name);
            if open.contains(&text) && checked.is_none_or(&is_wanted) {
                checked.into_iter().for_each(|slice| allow_empty(assertion, slice));
                set(assertion, &format!("'{name}' fails: {problem}"));
            } else {
                ir::erase(assertion);
            }
        }
        erase_unused(root);
    });
    Ok(())
}

/// The operation that an assertion checks: the next one with this name, because checks compute with others.
fn checked<'c>(assertion: Op<'c>, name: &str) -> Option<Op<'c>> {
    let next = |operation: &Op<'c>| operation.next_in_block().map(ir::op);
    std::iter::successors(Some(assertion), next).find(|operation| ir::name(*operation) == name)
}

/// Lets a slice without elements begin anywhere: nothing is read.
fn allow_empty(assertion: Op<'_>, slice: Op<'_>) {
    if !["memref.subview", "tensor.extract_slice"].contains(&ir::name(slice)) {
        return;
    }
    let Some([source, offsets, sizes, _]) = ir::segments(slice).and_then(|counts| <[i64; 4]>::try_from(counts).ok())
    else {
        return;
    };
    let b = Builder::before(assertion).located(assertion);
    let sizes = ir::operands(slice).into_iter().skip((source + offsets) as usize).take(sizes as usize);
    let condition = sizes.fold(ir::operands(assertion)[0], |condition, size| {
        let is_empty = b.cmpi(IntPredicate::Eq, size, b.constant(0, b.index()));
        b.value("arith.ori", &[condition, is_empty], b.i1(), &[])
    });
    ir::set_operand(assertion, 0, condition);
}

/// The texts of upstream's checks that the compiler cannot decide. Conditions on static sizes are constants; they are
/// folded in a copy, because the program is to be raised as it is written.
fn undecided(context: &Context, module: &Module<'_>) -> Result<HashSet<String>> {
    let mut copy = program::copy(&module.as_operation())?;
    program::run(context, &mut copy, &format!("builtin.module({})", upstream::CANONICALIZE))?;
    Ok(added(ir::op(copy.as_operation())).into_iter().map(|(_, text)| text).collect())
}

fn is_in_loop(operation: Op<'_>) -> bool {
    std::iter::successors(ir::parent(operation), |outer| ir::parent(*outer))
        .any(|outer| LOOPS.contains(&ir::name(outer)))
}

/// Erases what computes nothing but conditions of assertions that are erased: in loops, it would be in the way of raising.
fn erase_unused(root: Op<'_>) {
    const PURE: [&str; 8] = [
        "affine.apply",
        "affine.max",
        "affine.min",
        "memref.dim",
        "memref.extract_strided_metadata",
        "scf.if",
        "scf.yield",
        "tensor.dim",
    ];
    let is_pure = |operation: Op<'_>| {
        let is_pure = |inner: &Op<'_>| ir::name(*inner).starts_with("arith.") || PURE.contains(&ir::name(*inner));
        ir::descendants(operation).iter().all(is_pure)
    };
    let is_in_function = |operation: Op<'_>| {
        let outer = ir::parent(operation).map(ir::name).unwrap_or_default();
        !outer.starts_with("linalg.") && !outer.starts_with("mdh.")
    };
    // Uses come after definitions.
    for operation in ir::descendants(root).into_iter().rev() {
        let is_unused = !ir::results(operation).is_empty() && ir::is_unused(operation);
        if is_unused && is_in_function(operation) && is_pure(operation) {
            ir::erase(operation);
        }
    }
}

/// Erases checks that repeat earlier ones of the same block.
fn erase_repeated(root: Op<'_>) {
    let mut seen: Vec<(Op<'_>, String)> = vec![];
    for (assertion, text) in assertions(root) {
        let condition = |assertion| ir::operands(assertion)[0];
        let is_repeated = seen.iter().rev().any(|(earlier, earlier_text)| {
            *earlier_text == text
                && ir::block(*earlier) == ir::block(assertion)
                && is_same(condition(*earlier), condition(assertion))
        });
        match is_repeated {
            true => ir::erase(assertion),
            false => seen.push((assertion, text)),
        }
    }
}

/// True if both values are computed in the same way.
fn is_same<'c>(a: Val<'c>, b: Val<'c>) -> bool {
    if a == b {
        return true;
    }
    let (Some(one), Some(other)) = (ir::defining(a), ir::defining(b)) else { return false };
    let number = |of, value| ir::results(of).iter().position(|result| *result == value);
    let (operands, others) = (ir::operands(one), ir::operands(other));
    let is_computed = |operation: Op<'_>| {
        let name = ir::name(operation);
        name.starts_with("arith.") || ["memref.dim", "memref.extract_strided_metadata", "tensor.dim"].contains(&name)
    };
    let attributes = |operation: Op<'c>| (*operation).attributes().collect::<Vec<_>>();
    is_computed(one)
        && ir::name(one) == ir::name(other)
        && number(one, a) == number(other, b)
        && attributes(one) == attributes(other)
        && operands.len() == others.len()
        && operands.into_iter().zip(others).all(|(a, b)| is_same(a, b))
}

/// The checks that upstream has added.
fn added(root: Op<'_>) -> Vec<(Op<'_>, String)> {
    assertions(root).into_iter().filter(|(_, text)| !text.starts_with(CHECK)).collect()
}

fn assertions(root: Op<'_>) -> Vec<(Op<'_>, String)> {
    let text =
        |assertion| ir::attribute(assertion, "msg").and_then(ir::string_attribute).unwrap_or_default().to_owned();
    ir::find(root, "cf.assert").into_iter().map(|found| (found, text(found))).collect()
}

/// Sets the message, preceded by the location.
fn set(assertion: Op<'_>, problem: &str) {
    let text = location::assertion(assertion, problem);
    ir::set_attribute(assertion, "msg", StringAttribute::new(ir::context(assertion), &text).into());
}
