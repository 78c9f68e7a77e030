//! Copies to destinations before a computation. Bufferization makes one of a tensor that the caller keeps; of static sizes it knows when it
//! need not, of others that is known when the function is called: then the nest has the copy (`nest/coverage.rs`).
use crate::analysis::computation::Computation;
use mdh_dialects::{
    ir::{self, Op, OpView, Val},
    view::OutView,
};
use melior::ir::operation::OperationLike;

/// By output, the copy that fills its destination before the computation, if nothing in between needs it there.
pub fn copies<'c>(computation: &Computation<'c>) -> Vec<Option<Op<'c>>> {
    let has_results = !computation.out_view.results().is_empty();
    let copy = |output: Val<'c>| copy_before(computation.out_view.op(), output).filter(|_| !has_results);
    computation.outputs.iter().map(|output| copy(output.value)).collect()
}

/// Erases the copies that a nest has replaced.
pub fn erase_replaced(copies: &[Option<Op<'_>>], is_replaced: &[bool]) {
    let replaced = copies.iter().zip(is_replaced).filter(|(_, is_replaced)| **is_replaced);
    replaced.filter_map(|(copy, _)| *copy).for_each(ir::erase);
}

/// The copy that fills a new buffer before an operation, if nothing in between uses the buffer or may write to what is copied.
fn copy_before<'c>(user: Op<'c>, buffer: Val<'c>) -> Option<Op<'c>> {
    let is_new = |value: Val<'c>| ir::defining(value).is_some_and(|definition| ir::name(definition) == "memref.alloc");
    let block = user.block().map(ir::blk).filter(|_| is_new(buffer))?;
    let [source, target] = [0, 1].map(|i| move |copy: Op<'c>| ir::operands(copy).get(i).copied());
    // The targets of the copies behind it.
    let mut filled = vec![];
    let mut before: Vec<_> =
        ir::block_operations(block).into_iter().take_while(|operation| *operation != user).collect();
    while let Some(operation) = before.pop() {
        let name = ir::name(operation);
        if name == "memref.copy" && target(operation) == Some(buffer) {
            // What is copied now is copied later then.
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
