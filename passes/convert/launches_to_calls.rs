//! `mdh-launches-to-calls`: replaces kernel launches with function calls, until `mdh-calls-to-launches`.
//!
//! ```mlir
//! module attributes {gpu.container_module} {
//!   gpu.module @mdh_kernels {
//!     gpu.func @f_kernel_1(%x: f32) kernel {
//!       gpu.return
//!     }
//!   }
//!   func.func @f(%n: index, %x: f32) {
//!     gpu.launch_func @mdh_kernels::@f_kernel_1 blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32)
//!     return
//!   }
//! }
//! ```
//! becomes
//! ```mlir
//! func.func private @mdh_launch_1(index, index, index, index, index, index, f32)
//! call @mdh_launch_1(%n, %n, %n, %n, %n, %n, %x) {mdh.kernel = @mdh_kernels::@f_kernel_1, mdh.launch = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0>} ..
//! ```
//!
//! The upstream pass that frees buffers rejects operations with unknown memory effects, but accepts calls.
use crate::convert::kernel_attributes::{SHARED_BYTES, arguments};
use mdh_dialects::{
    attributes::{KERNEL, LAUNCH},
    ir::{self, Builder, Op},
    pass::{Failure, MdhPass},
};
use melior::{dialect::DialectHandle, ir::ValueLike};

/// The pass.
pub struct LaunchesToCalls;

impl MdhPass for LaunchesToCalls {
    const NAME: &'static str = "LaunchesToCalls";
    const ARGUMENT: &'static str = "mdh-launches-to-calls";
    const DESCRIPTION: &'static str = "Convert kernel launches to calls";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::func()]
    }

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        let Some(first) = ir::body(module, 0).and_then(|body| ir::block_operations(body).first().copied()) else {
            return Ok(());
        };
        for (i, launch) in ir::find(module, "gpu.launch_func").into_iter().enumerate() {
            // A launch with further operands than sizes, dynamic shared memory and arguments is ordered by the program
            // itself.
            let operands = ir::operands(launch);
            let Some(segments) = ir::attribute(launch, ir::SEGMENTS) else { continue };
            let shared = ir::dense_array_attribute(segments).and_then(|list| list.get(SHARED_BYTES).copied());
            let expected = 6 + arguments(launch).len() + shared.map_or(0, |count| count as usize);
            let Some(kernel) = ir::attribute(launch, "kernel").filter(|_| operands.len() == expected) else { continue };
            let (b, top) = (Builder::before(launch), Builder::before(first));
            let name = format!("mdh_launch_{}", i + 1);
            let types: Vec<_> = operands.iter().map(ValueLike::r#type).collect();
            top.declare_function(&name, &types, &[], &[]);
            let attributes = [("callee", b.symbol(&name)), (KERNEL, kernel), (LAUNCH, segments)];
            b.op("func.call", &operands, &[], &attributes, vec![]);
            ir::erase(launch);
        }
        Ok(())
    }
}
