//! `mdh-calls-to-launches`: converts the calls that `mdh-launches-to-calls` created back to kernel launches.
//!
//! ```mlir
//! module attributes {gpu.container_module} {
//!   gpu.module @mdh_kernels {
//!     gpu.func @f_kernel_1(%x: f32) kernel {
//!       gpu.return
//!     }
//!   }
//!   func.func private @mdh_launch_1(index, index, index, index, index, index, f32)
//!   func.func @f(%n: index, %x: f32) {
//!     func.call @mdh_launch_1(%n, %n, %n, %n, %n, %n, %x)
//!         {mdh.kernel = @mdh_kernels::@f_kernel_1, mdh.launch = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0>}
//!         : (index, index, index, index, index, index, f32) -> ()
//!     return
//!   }
//! }
//! ```
//! becomes
//! ```mlir
//! gpu.launch_func @mdh_kernels::@f_kernel_1 blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : f32)
//! ```
use mdh_dialects::{
    attributes::{KERNEL, LAUNCH},
    ir::{self, Builder, Op},
    pass::{Failure, MdhPass},
};
use melior::dialect::DialectHandle;

/// The pass.
pub struct CallsToLaunches;

impl MdhPass for CallsToLaunches {
    const NAME: &'static str = "CallsToLaunches";
    const ARGUMENT: &'static str = "mdh-calls-to-launches";
    const DESCRIPTION: &'static str = "Convert the calls of mdh-launches-to-calls back to kernel launches";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::gpu()]
    }

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        for call in ir::find(module, "func.call") {
            let Some((kernel, segments)) = ir::attribute(call, KERNEL).zip(ir::attribute(call, LAUNCH)) else {
                continue;
            };
            let (b, operands) = (Builder::before(call), ir::operands(call));
            b.op("gpu.launch_func", &operands, &[], &[("kernel", kernel), (ir::SEGMENTS, segments)], vec![]);
            let declaration = ir::callee(call);
            ir::erase(call);
            declaration.into_iter().for_each(ir::erase);
        }
        Ok(())
    }
}
