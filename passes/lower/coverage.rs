//! Copies to destinations before a computation. Bufferization inserts such a copy for a tensor whose old contents stay
//! live. For static shapes, bufferization knows if the copy is redundant; for dynamic shapes, this is known only at run
//! time, and the nest contains the copy (`nest/coverage.rs`).
use crate::analysis::{
    computation::{Computation, InitialValue},
    origin::may_alias,
};
use mdh_dialects::{
    ir::{self, Op, OpView, Val},
    view::OutView,
};
use melior::ir::operation::OperationLike;

/// By output: the copy that fills its destination before the computation, if neither the computation nor an
/// operation in between needs the copied contents.
pub fn copies<'c>(computation: &Computation<'c>) -> Vec<Option<Op<'c>>> {
    let has_results = !computation.out_view.results().is_empty();
    let initial = computation.inits.iter().filter_map(InitialValue::buffer);
    let read: Vec<_> = computation.inputs.iter().map(|input| input.value).collect();
    let read: Vec<_> = read.into_iter().chain(initial.map(|buffer| buffer.value)).collect();
    let copy = |output: Val<'c>| {
        let is_read = || read.iter().any(|value| may_alias(*value, output));
        copy_before(computation.out_view.op(), output).filter(|_| !has_results && !is_read())
    };
    computation.outputs.iter().map(|output| copy(output.value)).collect()
}

/// Erases the copies that a nest replaces.
pub fn erase_replaced(copies: &[Option<Op<'_>>], is_replaced: &[bool]) {
    let replaced = copies.iter().zip(is_replaced).filter(|(_, is_replaced)| **is_replaced);
    replaced.filter_map(|(copy, _)| *copy).for_each(ir::erase);
}

/// The copy that fills a new buffer before an operation, if no operation in between uses the buffer or may write to the
/// copied source.
fn copy_before<'c>(user: Op<'c>, buffer: Val<'c>) -> Option<Op<'c>> {
    let is_new = |value: Val<'c>| ir::defining(value).is_some_and(|definition| ir::name(definition) == "memref.alloc");
    let block = user.block().map(ir::blk).filter(|_| is_new(buffer))?;
    let [source, target] = [0, 1].map(|i| move |copy: Op<'c>| ir::operands(copy).get(i).copied());
    // Targets of the copies between the current operation and `user`.
    let mut filled = vec![];
    let mut before: Vec<_> =
        ir::block_operations(block).into_iter().take_while(|operation| *operation != user).collect();
    while let Some(operation) = before.pop() {
        let name = ir::name(operation);
        if name == "memref.copy" && target(operation) == Some(buffer) {
            // The nest executes this copy later, so no copy in between may overwrite its source.
            return Some(operation).filter(|copy| !filled.contains(&source(*copy)));
        }
        let writes_elsewhere = name == "memref.copy"
            && target(operation).is_some_and(is_new)
            && !ir::operands(operation).contains(&buffer);
        let reads = ["mdh.", "arith.", "memref.dim", "memref.alloc"].iter().any(|prefix| name.starts_with(prefix));
        if !(reads || writes_elsewhere) || name == OutView::NAME {
            return None;
        }
        filled.extend(writes_elsewhere.then(|| target(operation)));
    }
    None
}
