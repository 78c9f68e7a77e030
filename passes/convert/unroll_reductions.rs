//! `mdh-unroll-reductions`: asks LLVM to unroll the innermost reductions of kernels.
//!
//! ```mlir
//! gpu.module @kernels {
//!   gpu.func @sum(%x: memref<64xf32>, %zero: f32) -> f32 {
//!     %c0 = arith.constant 0 : index
//!     %c1 = arith.constant 1 : index
//!     %c64 = arith.constant 64 : index
//!     %r = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %zero) -> (f32) {
//!       %a = memref.load %x[%k] : memref<64xf32>
//!       %t = arith.addf %s, %a : f32
//!       scf.yield %t : f32
//!     }
//!     gpu.return %r : f32
//!   }
//! }
//! ```
//! becomes
//! ```mlir
//! #loop_unroll = #llvm.loop_unroll<count = 8 : i32>
//! #loop_annotation = #llvm.loop_annotation<unroll = #loop_unroll>
//! scf.for %k = ..
//! } {llvm.loop_annotation = #loop_annotation}
//! ```
//!
//! A thread with a large register tile has long iterations, which LLVM does not unroll by itself. Unrolled iterations
//! load contiguous elements together, and share the loop overhead.
pub mod short;
pub mod tile;

use crate::analysis::size::bytes;
use mdh_dialects::{
    attributes::LOOP_ANNOTATION,
    ir::{self, Builder, Op, Unroll},
    pass::{Failure, MdhPass},
};
use melior::ir::ValueLike;
use short::{UNROLLED_OPERATIONS, trip, unrolled};

/// The pass.
pub struct UnrollReductions;

/// The largest unroll factor: 8 loads of 16 bits are one load of 128 bits.
pub const MAX_UNROLL_FACTOR: i32 = 8;

impl MdhPass for UnrollReductions {
    const NAME: &'static str = "UnrollReductions";
    const ARGUMENT: &'static str = "mdh-unroll-reductions";
    const DESCRIPTION: &'static str = "Ask LLVM to unroll the innermost reductions of kernels";
    type Options = ();

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        let kernels = ir::find(module, "gpu.func");
        for reduction in kernels.into_iter().flat_map(|kernel| ir::find(kernel, "scf.for")) {
            if let Some(count) = count(reduction) {
                let unroll = Builder::before(reduction).unroll(Unroll::Count(count));
                ir::set_attribute(reduction, LOOP_ANNOTATION, unroll);
            }
        }
        Ok(())
    }
}

/// The unroll factor of a loop; `None` if it is left to LLVM.
fn count(reduction: Op<'_>) -> Option<i32> {
    let is_settled = ir::attribute(reduction, LOOP_ANNOTATION).is_some() || ir::results(reduction).is_empty();
    let trip = trip(reduction).filter(|_| !is_settled)?;
    // The live values of unrolled iterations take twice the registers if they have 64 bits.
    let is_wide = ir::results(reduction).iter().any(|result| bytes(result.r#type()) > 4);
    let operations = unrolled(ir::body(reduction, 0)?)?.max(1).saturating_mul(1 + i64::from(is_wide));
    let fits = |count: &i32| {
        trip % i64::from(*count) == 0 && operations.saturating_mul(i64::from(*count)) <= UNROLLED_OPERATIONS
    };
    let powers = std::iter::successors(Some(MAX_UNROLL_FACTOR), |count| Some(count / 2));
    powers.take_while(|count| *count > 1).find(fits)
}
