//! `mdh-stack-buffers`: moves small buffers that a thread allocates in a parallel loop to its stack.
//!
//! ```mlir
//! func.func @f(%x: f32, %y: memref<8xf32>) {
//!   %c0 = arith.constant 0 : index
//!   %c1 = arith.constant 1 : index
//!   %c8 = arith.constant 8 : index
//!   omp.parallel {
//!     omp.wsloop {
//!       omp.loop_nest (%i) : index = (%c0) to (%c8) step (%c1) {
//!         %a = memref.alloc() {bufferization.manual_deallocation} : memref<4xf32>
//!         memref.store %x, %a[%c0] : memref<4xf32>
//!         %v = memref.load %a[%c0] : memref<4xf32>
//!         memref.store %v, %y[%i] : memref<8xf32>
//!         memref.dealloc %a {bufferization.manual_deallocation} : memref<4xf32>
//!         omp.yield
//!       }
//!     }
//!     omp.terminator
//!   }
//!   return
//! }
//! ```
//! becomes
//! ```mlir
//! omp.parallel {
//!   %a = memref.alloca() : memref<4xf32>
//!   omp.wsloop {
//!     omp.loop_nest (%i) : index = (%c0) to (%c8) step (%c1) {
//!       memref.store %x, %a[%c0] : memref<4xf32>
//!       ..
//! ```
//!
//! The buffers are allocated where the threads begin, not in the loop, in which each iteration would grow the stack. There
//! LLVM keeps them in registers if all of their indices are constants: so a part of a producer that is a register tile
//! of its consumer is never in memory.
use crate::{analysis::size, nest::loops::STACK_BYTES};
use mdh_dialects::{
    attributes::MANUAL,
    ir::{self, Builder, Op, Val},
    pass::{Failure, MdhPass},
};
use melior::{dialect::DialectHandle, ir::ValueLike};

/// The pass.
pub struct StackBuffers;

impl MdhPass for StackBuffers {
    const NAME: &'static str = "StackBuffers";
    const ARGUMENT: &'static str = "mdh-stack-buffers";
    const DESCRIPTION: &'static str = "Move small buffers of threads to their stacks";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::memref()]
    }

    fn run<'c>(root: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        for allocation in ir::find(root, "memref.alloc") {
            let mut around = std::iter::successors(ir::parent(allocation), |inner| ir::parent(*inner));
            if let Some(parallel) = around.find(|operation| ir::name(*operation) == "omp.parallel") {
                move_to_stack(allocation, parallel);
            }
        }
        Ok(())
    }
}

/// Moves a buffer to the stack if it is small, and the nest that allocates it frees it in the same block.
fn move_to_stack<'c>(allocation: Op<'c>, parallel: Op<'c>) {
    let buffer = ir::results(allocation)[0];
    let free = ir::users(buffer).into_iter().find(|user| ir::name(*user) == "memref.dealloc");
    let Some(free) = free.filter(|free| ir::block(*free) == ir::block(allocation)) else { return };
    let is_manual = ir::attribute(allocation, MANUAL).is_some();
    let first = ir::body(parallel, 0).and_then(|body| ir::block_operations(body).first().copied());
    let (Some(first), Some(bytes)) = (first, bytes(buffer)) else { return };
    if !is_manual || bytes > STACK_BYTES {
        return;
    }
    let b = Builder::before(first).located(allocation);
    let alignment = ir::attribute(allocation, "alignment").map(|alignment| ("alignment", alignment));
    let attributes: Vec<_> = [b.segments(&[0, 0])].into_iter().chain(alignment).collect();
    let moved = b.value("memref.alloca", &[], buffer.r#type(), &attributes);
    ir::replace_uses(buffer, moved);
    ir::erase(free);
    ir::erase(allocation);
}

/// The size of a buffer in bytes; `None` if it is dynamic.
fn bytes(buffer: Val<'_>) -> Option<u64> {
    let ty = buffer.r#type();
    let element = size::bytes(ir::element_type(ty)?);
    ir::shape(ty)?.into_iter().try_fold(element, |bytes, size| bytes.checked_mul(size?))
}
