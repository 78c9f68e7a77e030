//! Inlines private functions that contain linalg into their callers, so that operations are raised and fused together.
use mdh_dialects::ir::{self, Builder, Op};

/// Inlines calls of private functions with one block that contain operations of linalg and do not call themselves, and
/// erases the functions that nothing calls any more.
pub fn inline_functions(module: Op<'_>) {
    let mut inlined = vec![];
    // A function that is inlined does not reach itself, so that the number of calls to inline is finite.
    while let Some((call, callee)) =
        ir::find(module, "func.call").into_iter().find_map(|call| Some((call, callee(call)?)))
    {
        let Some(body) = ir::body(callee, 0) else { break };
        let values = Builder::before(call).inline_block(body, &ir::operands(call), &mut |_, _| None);
        for (old, new) in ir::results(call).into_iter().zip(values) {
            ir::replace_uses(old, new);
        }
        ir::erase(call);
        if !inlined.contains(&callee) {
            inlined.push(callee);
        }
    }
    // A function may call another one that is erased after it.
    while let Some(position) = inlined.iter().position(|function| !is_called(module, *function)) {
        ir::erase(inlined.swap_remove(position));
    }
}

/// The function that a call may be replaced with.
fn callee(call: Op<'_>) -> Option<Op<'_>> {
    let callee = called(call)?;
    let is_private = ir::attribute(callee, "sym_visibility").and_then(ir::string_attribute) == Some("private");
    let around: Vec<_> = std::iter::successors(ir::parent(call), |operation| ir::parent(*operation)).collect();
    let is_in_region = around.iter().any(|operation| {
        let name = ir::name(*operation);
        name.starts_with("linalg.") || name.starts_with("mdh.")
    });
    let has_one_block = ir::blocks(callee).len() == 1;
    let contains_linalg = || ir::descendants(callee).into_iter().any(|inner| ir::name(inner).starts_with("linalg."));
    (is_private && has_one_block && !is_in_region && contains_linalg() && !is_recursive(callee)).then_some(callee)
}

/// The function that an operation calls.
fn called(call: Op<'_>) -> Option<Op<'_>> {
    let symbol = ir::attribute(call, "callee").and_then(ir::symbol_attribute)?;
    ir::lookup_symbol(call, symbol)
}

/// True if a function calls itself, directly or through others.
fn is_recursive(function: Op<'_>) -> bool {
    let mut reached = vec![function];
    let mut next = 0;
    while next < reached.len() {
        for callee in ir::descendants(reached[next]).into_iter().filter_map(called) {
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

/// True if a symbol is used.
fn is_called(module: Op<'_>, function: Op<'_>) -> bool {
    let Some(symbol) = ir::attribute(function, "sym_name").and_then(ir::string_attribute) else { return true };
    ir::descendants(module)
        .into_iter()
        .any(|operation| ir::attribute(operation, "callee").and_then(ir::symbol_attribute) == Some(symbol))
}
