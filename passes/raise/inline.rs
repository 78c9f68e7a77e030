//! Inlines private functions that contain operations on tensors into their callers, so that operations are raised and
//! fused together.
use super::scalars::{is_element, is_scalar_generic};
use mdh_dialects::ir::{self, Builder, Op};

/// Inlines calls of private functions with one block that contain operations of linalg or tensor and do not call
/// themselves, and erases the functions that nothing refers to any more. In the regions of operations, only functions on elements are
/// inlined: those on scalars and tensors of rank 0.
pub fn inline_functions(module: Op<'_>) {
    let mut inlined = vec![];
    // A function that is inlined does not reach itself, so that the number of rounds is the nesting of calls at most.
    loop {
        let calls = ir::find(module, "func.call").into_iter();
        let calls: Vec<_> = calls.filter_map(|call| Some((call, callee(call)?))).collect();
        if calls.is_empty() {
            break;
        }
        for (call, callee) in calls {
            inline(call, callee);
            if !inlined.contains(&callee) {
                inlined.push(callee);
            }
        }
    }
    // A function may call another one that is erased after it.
    while let Some(position) = inlined.iter().position(|function| !is_referenced(module, *function)) {
        ir::erase(inlined.swap_remove(position));
    }
}

/// Replaces a call with the body of the function.
fn inline(call: Op<'_>, callee: Op<'_>) {
    let Some(body) = ir::body(callee, 0) else { return };
    let values = Builder::before(call).inline_block(body, &ir::operands(call), &mut |_, _| None);
    for (old, new) in ir::results(call).into_iter().zip(values) {
        ir::replace_uses(old, new);
    }
    ir::erase(call);
}

/// The function that a call may be replaced with.
fn callee(call: Op<'_>) -> Option<Op<'_>> {
    let callee = ir::callee(call)?;
    let is_private = ir::attribute(callee, "sym_visibility").and_then(ir::string_attribute) == Some("private");
    let around: Vec<_> = std::iter::successors(ir::parent(call), |operation| ir::parent(*operation)).collect();
    let is_in_region = around.iter().any(|operation| {
        let name = ir::name(*operation);
        name.starts_with("linalg.") || name.starts_with("mdh.")
    });
    let has_one_block = ir::blocks(callee).len() == 1;
    let is_linalg = |inner: &Op<'_>| ir::name(*inner).starts_with("linalg.") && ir::name(*inner) != "linalg.yield";
    let is_on_elements = || {
        let values = ir::operands(call).into_iter().chain(ir::results(call));
        let is_outer = |inner: &Op<'_>| is_linalg(inner) && ir::parent(*inner) == Some(callee);
        values.into_iter().all(is_element)
            && ir::descendants(callee).into_iter().filter(is_outer).all(is_scalar_generic)
    };
    let is_on_tensors =
        |inner: Op<'_>| ["linalg.", "tensor."].iter().any(|dialect| ir::name(inner).starts_with(dialect));
    let has_tensors = || ir::descendants(callee).into_iter().any(is_on_tensors);
    (is_private && has_one_block && (!is_in_region || is_on_elements()) && has_tensors() && !is_recursive(callee))
        .then_some(callee)
}

/// True if a function calls itself, directly or through others.
fn is_recursive(function: Op<'_>) -> bool {
    let mut reached = vec![function];
    let mut next = 0;
    while next < reached.len() {
        for callee in ir::descendants(reached[next]).into_iter().filter_map(ir::callee) {
            if callee == function {
                return true;
            }
            if !reached.contains(&callee) {
                reached.push(callee);
            }
        }
        next += 1;
    }
    false
}

/// True if an operation refers to a function.
fn is_referenced(module: Op<'_>, function: Op<'_>) -> bool {
    let Some(symbol) = ir::attribute(function, "sym_name").and_then(ir::string_attribute) else { return true };
    ir::descendants(module).into_iter().any(|operation| ir::function_reference(operation) == Some(symbol))
}
