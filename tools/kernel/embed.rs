//! Embeds kernels into host code: the functions that load, launch and unload them, and the callers of these functions.
use crate::llvm;
use anyhow::{Context as _, Result};
use inkwell::{
    module::{Linkage, Module},
    values::{AnyValueEnum, BasicValue as _},
};
use mdh_execution::jit::{FINALIZE, INITIALIZE};
use mdh_passes::{convert::device_constants::CONSTANT, target::KernelFlavour};

/// Makes the calls of upstream's runtime functions, such as `mgpuMemAlloc`, those of our run-time library:
/// `mdhCudaMemAlloc` or `mdhOpenclMemAlloc`. `symbol`: that of the kernels; `None` without kernels.
pub fn call_runtime(module: &Module<'_>, flavour: &KernelFlavour, symbol: Option<&str>) -> Result<()> {
    if let Some(symbol) = symbol {
        own_constants(module, symbol)?;
    }
    let prefix = flavour.entry_points;
    for function in module.get_functions() {
        let name = function.get_name().to_string_lossy().into_owned();
        if let Some(rest) = name.strip_prefix("mgpu") {
            function.as_global_value().set_name(&format!("{prefix}{rest}"));
        }
    }
    Ok(())
}

/// Passes the module of kernels to the calls that ask for constants on the device (`mdh-device-constants`): the module is
/// a variable of upstream's, with the symbol of the kernels.
fn own_constants(module: &Module<'_>, symbol: &str) -> Result<()> {
    let Some(function) = module.get_function(CONSTANT) else { return Ok(()) };
    let variable = module.get_global(&format!("{symbol}_module")).context("the kernels have no module")?;
    let builder = module.get_context().create_builder();
    let mut next = function.as_global_value().as_pointer_value().get_first_use();
    while let Some(r#use) = next {
        next = r#use.get_next_use();
        // A call with a result is a value of its type.
        let call = match r#use.get_user() {
            AnyValueEnum::IntValue(result) => result.as_instruction_value(),
            _ => None,
        };
        let Some(call) = call else { continue };
        builder.position_before(&call);
        let owner = builder.build_load(module.get_context().i64_type(), variable.as_pointer_value(), "")?;
        call.set_operand(0, owner);
    }
    Ok(())
}

/// Moves the global constructors and destructors, which load and unload kernels, to `.init_array` and `.fini_array`,
/// which the system's loader calls. LLVM would emit them into older sections (`.ctors`, `.dtors`), which not every
/// linker converts.
pub fn arrays(module: &Module<'_>, symbol: &str) {
    if !module.get_triple().as_str().to_string_lossy().contains("linux") {
        return;
    }
    let context = module.get_context();
    let pointer = context.ptr_type(0u16.into());
    let mut used = vec![];
    for (list, callee, section) in [
        ("llvm.global_ctors", format!("{symbol}_load"), ".init_array"),
        ("llvm.global_dtors", format!("{symbol}_unload"), ".fini_array"),
    ] {
        llvm::remove_global(module, list);
        let Some(function) = module.get_function(&callee) else { continue };
        let entry = module.add_global(pointer, None, &format!("{callee}_entry"));
        entry.set_initializer(&function.as_global_value().as_pointer_value());
        entry.set_linkage(Linkage::Internal);
        // The priority makes kernels available before a program's own constructors run, which may call functions with
        // kernels.
        entry.set_section(Some(&format!("{section}.00123")));
        used.push(entry.as_pointer_value());
    }
    // Prevents their removal, because nothing in the module refers to them.
    let list = module.add_global(pointer.array_type(used.len() as u32), None, "llvm.used");
    list.set_initializer(&pointer.const_array(&used));
    list.set_linkage(Linkage::Appending);
    list.set_section(Some("llvm.metadata"));
}

/// Replaces the global constructors and destructors, which load and unload kernels, by functions [`INITIALIZE`] and
/// [`FINALIZE`], for code that is not loaded by the system's loader. They do nothing if there are no kernels.
pub fn constructors(module: &Module<'_>, symbol: &str) -> Result<()> {
    let context = module.get_context();
    let builder = context.create_builder();
    for (list, name, callee) in [
        ("llvm.global_ctors", INITIALIZE, format!("{symbol}_load")),
        ("llvm.global_dtors", FINALIZE, format!("{symbol}_unload")),
    ] {
        llvm::remove_global(module, list);
        let function = module.add_function(name, context.void_type().fn_type(&[], false), None);
        builder.position_at_end(context.append_basic_block(function, "entry"));
        if let Some(callee) = module.get_function(&callee) {
            builder.build_call(callee, &[], "")?;
        }
        builder.build_return(None)?;
    }
    Ok(())
}
