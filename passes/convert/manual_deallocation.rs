//! `mdh-manual-deallocation`: marks allocations whose deallocation is marked as manual.
//!
//! ```mlir
//! func.func @f(%x: f32) {
//!   %c0 = arith.constant 0 : index
//!   %a = memref.alloc() : memref<8xf32>
//!   memref.store %x, %a[%c0] : memref<8xf32>
//!   memref.dealloc %a {bufferization.manual_deallocation} : memref<8xf32>
//!   return
//! }
//! ```
//! becomes
//! ```mlir
//! %a = memref.alloc() {bufferization.manual_deallocation} : memref<8xf32>
//! memref.dealloc %a {bufferization.manual_deallocation} : memref<8xf32>
//! ```
//!
//! Nests free their own buffers, and both operations are marked, so that upstream's deallocation ignores them. But
//! upstream's canonicalization replaces an allocation of a size that has turned out to be constant, without the mark.
use crate::analysis::origin::origin;
use mdh_dialects::{
    attributes::MANUAL,
    ir::{self, Builder, Op},
    pass::{Failure, MdhPass},
};

/// The pass.
pub struct ManualDeallocation;

impl MdhPass for ManualDeallocation {
    const NAME: &'static str = "ManualDeallocation";
    const ARGUMENT: &'static str = "mdh-manual-deallocation";
    const DESCRIPTION: &'static str = "Mark allocations whose deallocation is marked as manual";
    type Options = ();

    fn run<'c>(root: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        for deallocation in ir::find(root, "memref.dealloc") {
            if ir::attribute(deallocation, MANUAL).is_none() {
                continue;
            }
            let memref = ir::operands(deallocation).first().copied().map(origin);
            let allocation = memref.and_then(ir::defining).filter(|operation| ir::name(*operation) == "memref.alloc");
            if let Some(allocation) = allocation {
                ir::set_attribute(allocation, MANUAL, Builder::before(allocation).unit());
            }
        }
        Ok(())
    }
}
