//! `mdh-launches-to-calls` and `mdh-calls-to-launches`: launches of kernels as calls of functions, and back.
//!
//! ```text
//! gpu.launch_func @mdh_kernels::@f_kernel_1      ◀──▶   func.call @mdh_launch_1(%gx, .., %bz, %x) {mdh.kernel = @mdh_kernels::@..}
//!     blocks in (%gx, ..) .. args(%x : f32)
//! ```
//!
//! The upstream pass that frees buffers refuses operations of which it does not know what they do with memory. It knows calls.
use crate::convert::kernel_attributes::{SHARED_BYTES, arguments};
use mdh_dialects::{
    ir::{self, Builder, Op},
    pass::{Failure, MdhPass},
};
use melior::{
    dialect::DialectHandle,
    ir::{ValueLike, attribute::FlatSymbolRefAttribute, attribute::StringAttribute},
};

/// On a call: the kernel, and the kinds of operands of its launch.
const KERNEL: &str = "mdh.kernel";
const LAUNCH: &str = "mdh.launch";

/// How many operands of each kind a launch has.
const SEGMENTS: &str = "operandSegmentSizes";

/// Launches become calls.
pub struct LaunchesToCalls;

impl MdhPass for LaunchesToCalls {
    const NAME: &'static str = "LaunchesToCalls";
    const ARGUMENT: &'static str = "mdh-launches-to-calls";
    const DESCRIPTION: &'static str = "Make calls of launches of kernels";
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
            // Where a launch has more than sizes, bytes that blocks share, and arguments, the program says when it runs.
            let operands = ir::operands(launch);
            let Some(segments) = ir::attribute(launch, SEGMENTS) else { continue };
            let shared = ir::dense_array_attribute(segments).and_then(|list| list.get(SHARED_BYTES).copied());
            let expected = 6 + arguments(launch).len() + shared.map_or(0, |count| count as usize);
            let Some(kernel) = ir::attribute(launch, "kernel").filter(|_| operands.len() == expected) else { continue };
            let (b, top) = (Builder::before(launch), Builder::before(first));
            let name = format!("mdh_launch_{}", i + 1);
            let types: Vec<_> = operands.iter().map(|operand| operand.r#type().to_string()).collect();
            let attributes = [
                ("sym_name", StringAttribute::new(b.context, &name).into()),
                ("function_type", b.attribute(&format!("({}) -> ()", types.join(", ")))),
                ("sym_visibility", b.attribute("\"private\"")),
            ];
            top.op("func.func", &[], &[], &attributes, vec![ir::Region::new()]);
            let callee = FlatSymbolRefAttribute::new(b.context, &name).into();
            b.op("func.call", &operands, &[], &[("callee", callee), (KERNEL, kernel), (LAUNCH, segments)], vec![]);
            ir::erase(launch);
        }
        Ok(())
    }
}

/// Calls become launches again.
pub struct CallsToLaunches;

impl MdhPass for CallsToLaunches {
    const NAME: &'static str = "CallsToLaunches";
    const ARGUMENT: &'static str = "mdh-calls-to-launches";
    const DESCRIPTION: &'static str = "Make launches of kernels of the calls that stand for them";
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
            let callee = ir::attribute(call, "callee").and_then(ir::symbol_attribute);
            b.op("gpu.launch_func", &operands, &[], &[("kernel", kernel), (SEGMENTS, segments)], vec![]);
            let declaration = callee.and_then(|name| ir::lookup_symbol(module, name));
            ir::erase(call);
            declaration.into_iter().for_each(ir::erase);
        }
        Ok(())
    }
}
