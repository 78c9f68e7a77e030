//! `mdh-kernel-attributes`: annotates kernel arguments with facts that are known on the host.
//!
//! ```mlir
//! module attributes {gpu.container_module} {
//!   gpu.module @mdh_kernels {
//!     gpu.func @f_kernel_1(%x: !llvm.ptr<1>) kernel {
//!       gpu.return
//!     }
//!   }
//!   func.func @f(%a: i64, %n: index) {
//!     %p = llvm.inttoptr %a {mdh.noalias, mdh.role = "input 1"} : i64 to !llvm.ptr<1>
//!     gpu.launch_func @mdh_kernels::@f_kernel_1 blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%p : !llvm.ptr<1>)
//!     return
//!   }
//! }
//! ```
//! becomes
//! ```mlir
//! gpu.func @f_kernel_1(%x: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}) kernel attributes {mdh.roles = ["input 1"], ..
//! ```
pub mod host_values;
pub mod launch_program;

use super::kernel_arguments::KernelOptions;
use crate::target::KernelFlavour;
use mdh_dialects::{
    attributes::{NO_ALIAS, ROLE, ROLES, SIZES, VALUES},
    ir::{self, Builder, Op, Val},
    pass::{Failure, MdhPass},
    schedule::systems::WARP,
};
use melior::{
    Context,
    ir::{
        Attribute, Identifier, TypeLike, ValueLike,
        attribute::{ArrayAttribute, DictionaryAttribute, FlatSymbolRefAttribute, IntegerAttribute, StringAttribute},
        r#type::IntegerType,
    },
};
use serde_json::Value;

/// The pass.
pub struct KernelAttributes;

impl MdhPass for KernelAttributes {
    const NAME: &'static str = "KernelAttributes";
    const ARGUMENT: &'static str = "mdh-kernel-attributes";
    const DESCRIPTION: &'static str = "Annotate kernel arguments with facts that are known on the host";
    const OP: &'static str = "builtin.module";
    type Options = KernelOptions;

    fn run<'c>(module: Op<'c>, options: KernelOptions) -> Result<(), Failure<'c>> {
        launch_program::attach(module);
        let kernels = KernelFlavour::named(&options.target)?;
        for launch in ir::find(module, "gpu.launch_func") {
            let Some(kernel) = kernel(module, launch) else { continue };
            let context = ir::context(module);
            let i32 = IntegerType::new(context, 32).into();
            let values = arguments(launch);
            // The memory of a noalias argument must not be changed by other threads before a barrier, which holds for
            // inputs only.
            let exchanges = !ir::find(kernel, "gpu.barrier").is_empty();
            let attributes: Vec<_> = values.iter().map(|value| attributes(context, *value, exchanges)).collect();
            ir::set_attribute(kernel, "arg_attrs", ArrayAttribute::new(context, &attributes).into());
            let roles: Vec<_> = values.iter().map(|value| role(context, *value)).collect();
            ir::set_attribute(kernel, ROLES, ArrayAttribute::new(context, &roles).into());
            let texts = |texts: Vec<Option<Value>>| {
                let text = |value: Option<Value>| StringAttribute::new(context, &value.unwrap_or_default().to_string());
                let texts: Vec<_> = texts.into_iter().map(|value| text(value).into()).collect();
                ArrayAttribute::new(context, &texts).into()
            };
            let expression = |value: &Val<'c>| match value.r#type().is_index() || value.r#type().is_integer() {
                true => host_values::value(launch, *value),
                false => host_values::buffer(launch, *value),
            };
            ir::set_attribute(kernel, VALUES, texts(values.iter().map(expression).collect()));
            // Three grid sizes, three block sizes, the bytes of dynamic shared memory if there are some, and the
            // condition of the launch.
            let sizes = ir::operands(launch);
            let sizes = sizes[..sizes.len() - values.len()].iter().map(|size| host_values::value(launch, *size));
            ir::set_attribute(kernel, SIZES, texts(sizes.chain([host_values::condition(launch)]).collect()));
            if let Some(name) = kernels.warp_attribute.filter(|_| !ir::find(kernel, "gpu.shuffle").is_empty()) {
                ir::set_attribute(kernel, name, IntegerAttribute::new(i32, WARP).into());
            }
            for end in ir::find(kernel, "gpu.return").into_iter().filter(|_| kernels.ends_with_barrier && !exchanges) {
                Builder::before(end).op("gpu.barrier", &[], &[], &[], vec![]);
            }
        }
        Ok(())
    }
}

/// The index of the operand segment of a launch that has the bytes of dynamic shared memory.
pub const SHARED_BYTES: usize = 10;

/// The kernel of a launch: upstream's outlining creates one kernel for each launch.
pub fn kernel<'c>(module: Op<'c>, launch: Op<'c>) -> Option<Op<'c>> {
    let wanted = ir::attribute(launch, "kernel")?.to_string();
    let symbol = |operation| {
        let name = ir::attribute(operation, "sym_name").and_then(ir::string_attribute)?;
        Some(FlatSymbolRefAttribute::new(ir::context(module), name).to_string())
    };
    ir::find(module, "gpu.module").into_iter().find_map(|kernels| {
        let (path, body) = (symbol(kernels)?, ir::body(kernels, 0)?);
        let matches = |function| symbol(function).is_some_and(|name| wanted == format!("{path}::{name}"));
        ir::block_operations(body).into_iter().find(|operation| matches(*operation))
    })
}

/// The kernel operands of a launch.
pub fn arguments<'c>(launch: Op<'c>) -> Vec<Val<'c>> {
    let segments = ir::segments(launch).unwrap_or_default();
    // The last segment is the stream.
    let Some(before) = segments.len().checked_sub(2) else { return vec![] };
    let start: i64 = segments[..before].iter().sum();
    ir::operands(launch).into_iter().skip(start as usize).take(segments[before] as usize).collect()
}

/// The attributes of a kernel argument, given its value on the host.
fn attributes<'c>(context: &'c Context, value: Val<'c>, exchanges: bool) -> Attribute<'c> {
    let apart = ir::defining(value).is_some_and(|operation| ir::attribute(operation, NO_ALIAS).is_some());
    let role = role(context, value);
    let is_input = ir::string_attribute(role).is_some_and(|role| role.starts_with("input"));
    let mut known = vec![];
    if apart {
        // Every device allocation has at least this alignment.
        known.push(("llvm.align", IntegerAttribute::new(IntegerType::new(context, 64).into(), 16).into()));
    }
    if apart && (is_input || !exchanges) {
        known.push(("llvm.noalias", Attribute::unit(context)));
    }
    let known: Vec<_> = known.into_iter().map(|(name, value)| (Identifier::new(context, name), value)).collect();
    DictionaryAttribute::new(context, &known).into()
}

/// The role of a kernel argument (`mdh.role`), from the operation that defines its value.
fn role<'c>(context: &'c Context, value: Val<'c>) -> Attribute<'c> {
    let role = ir::defining(value).and_then(|operation| ir::attribute(operation, ROLE));
    let is_number = value.r#type().is_index() || value.r#type().is_integer();
    role.unwrap_or_else(|| StringAttribute::new(context, if is_number { "number" } else { "" }).into())
}
