//! LLVM functions that inkwell does not wrap: translation from MLIR to LLVM IR, the names that targets know, the SPIR-V
//! target, and removal of globals.
pub mod defined;

use anyhow::{Result, anyhow, ensure};
use inkwell::{
    context::{AsContextRef, Context, ContextRef},
    llvm_sys::{
        core::{LLVMDisposeMessage, LLVMGEPGetNoWrapFlags, LLVMGEPSetNoWrapFlags, LLVMReplaceAllUsesWith},
        debuginfo::LLVMStripModuleDebugInfo,
        ir_reader::LLVMParseIRInContext2,
        target_machine::LLVMTargetMachineRef,
    },
    memory_buffer::MemoryBuffer,
    module::Module,
    passes::PassBuilderOptions,
    targets::TargetMachine,
    values::{AsValueRef as _, FunctionValue, InstructionOpcode, InstructionValue},
};
use mdh_dialects::ir;
use std::{
    ffi::{CStr, c_int, c_void},
    ptr::null_mut,
    sync::Once,
};

unsafe extern "C" {
    fn mdhDisableChecksumRecognition();
    fn mdhImportLlvmModule(context: mlir_sys::MlirContext, module: *mut c_void) -> mlir_sys::MlirModule;
    fn mdhTargetNames(
        machine: LLVMTargetMachineRef,
        which: c_int,
        callback: unsafe extern "C" fn(mlir_sys::MlirStringRef, *mut c_void),
        data: *mut c_void,
    );
    fn LLVMInitializeSPIRVTargetInfo();
    fn LLVMInitializeSPIRVTarget();
    fn LLVMInitializeSPIRVTargetMC();
    fn LLVMInitializeSPIRVAsmPrinter();
}

/// Runs LLVM passes on a module, except for the recognition of checksums, which may not terminate.
pub fn run_passes(module: &Module<'_>, passes: &str, machine: &TargetMachine) -> Result<()> {
    static DISABLED: Once = Once::new();
    // SAFETY: this sets an option that passes read, and no other thread of ours runs LLVM passes before it is done.
    DISABLED.call_once(|| unsafe { mdhDisableChecksumRecognition() });
    module.run_passes(passes, machine, PassBuilderOptions::create()).map_err(|error| anyhow!("{error}"))
}

/// Translates a module of the LLVM dialect to LLVM IR.
pub fn translate<'l>(module: &melior::ir::Module<'_>, context: &'l Context) -> Result<Module<'l>> {
    translate_operation(ir::op(module.as_operation()), context)
}

/// Translates an operation that contains a module of the LLVM dialect, such as `gpu.module`, to LLVM IR.
pub fn translate_operation<'l>(operation: ir::Op<'_>, context: &'l Context) -> Result<Module<'l>> {
    melior::utility::register_all_llvm_translations(ir::context(operation));
    // SAFETY: both contexts are alive; the result is checked, and is owned by the given context, whose lifetime it has.
    unsafe {
        let raw = mlir_sys::mlirTranslateModuleToLLVMIR(operation.to_raw(), context.raw().cast());
        ensure!(!raw.is_null(), "the module cannot be translated to LLVM IR");
        Ok(Module::new(raw.cast()))
    }
}

/// The module of the LLVM dialect of a module of LLVM IR; `None` on failure, which is reported as diagnostics.
pub fn import<'c>(context: &'c melior::Context, module: Module<'_>) -> Option<melior::ir::Module<'c>> {
    let owned = std::mem::ManuallyDrop::new(module);
    // SAFETY: the context is alive, and the function frees the module, which nothing else owns; the result is owned here,
    // and does not outlive the context.
    unsafe {
        let imported = mdhImportLlvmModule(context.to_raw(), owned.as_mut_ptr().cast());
        melior::ir::Module::from_option_raw(imported)
    }
}

/// Parses LLVM IR. Inkwell's function does not free the text, which LLVM 22 does not own.
pub fn parse<'l>(text: &str, context: ContextRef<'l>) -> Result<Module<'l>> {
    parse_any(text.as_bytes(), "text", context)
}

/// Parses LLVM IR, text or bitcode. The name is that of its file.
pub fn parse_any<'l>(source: &[u8], name: &str, context: impl AsContextRef<'l>) -> Result<Module<'l>> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(source, name);
    let (mut module, mut message) = (null_mut(), null_mut());
    // SAFETY: the context and the buffer are alive; the module is owned by the context. A message is copied, and freed.
    unsafe {
        if LLVMParseIRInContext2(context.as_ctx_ref(), buffer.as_mut_ptr(), &mut module, &mut message) == 0 {
            return Ok(Module::new(module));
        }
        let problem = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        Err(anyhow!("{problem}"))
    }
}

/// The processor names of a machine's target.
pub fn processors(machine: &TargetMachine) -> Vec<String> {
    names(machine, 0)
}

/// The feature names of a machine's target.
pub fn features(machine: &TargetMachine) -> Vec<String> {
    names(machine, 1)
}

/// The names of a machine's enabled features.
pub fn enabled_features(machine: &TargetMachine) -> Vec<String> {
    names(machine, 2)
}

/// Names of one kind, numbered as in `capi/Target.h`.
fn names(machine: &TargetMachine, which: c_int) -> Vec<String> {
    unsafe extern "C" fn push(name: mlir_sys::MlirStringRef, names: *mut c_void) {
        // SAFETY: `names` is the vector below, and the name is alive during the call.
        unsafe {
            let bytes = std::slice::from_raw_parts(name.data.cast::<u8>(), name.length);
            (*names.cast::<Vec<String>>()).push(String::from_utf8_lossy(bytes).into_owned());
        }
    }
    let mut names: Vec<String> = vec![];
    // SAFETY: the machine is alive, and the callback gets the data that it expects.
    unsafe { mdhTargetNames(machine.as_mut_ptr(), which, push, (&raw mut names).cast()) };
    names
}

/// Registers LLVM's SPIR-V target.
pub fn initialize_spirv() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: these functions of LLVM's C interface have no requirements; they run once.
        unsafe {
            LLVMInitializeSPIRVTargetInfo();
            LLVMInitializeSPIRVTarget();
            LLVMInitializeSPIRVTargetMC();
            LLVMInitializeSPIRVAsmPrinter();
        }
    });
}

/// Removes an unused global if it exists; returns true if it did.
pub fn remove_global(module: &Module<'_>, name: &str) -> bool {
    let Some(global) = module.get_global(name) else { return false };
    // SAFETY: the global is unused, and no other handle of it exists.
    unsafe { global.delete() };
    true
}

/// Removes the promise that addresses do not wrap around as numbers without a sign from the instructions of a function:
/// pointers of C may be into the middle of an object, and have elements before them. `wraps`: sums may wrap around as numbers
/// with a sign, too.
pub fn allow_offsets(function: FunctionValue<'_>, wraps: bool) {
    const NO_UNSIGNED_WRAP: u32 = 4;
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions().collect::<Vec<_>>());
    for address in instructions.filter(|instruction| instruction.get_opcode() == InstructionOpcode::GetElementPtr) {
        // SAFETY: the instruction is alive, and of the only kind that has these flags.
        unsafe {
            let flags = LLVMGEPGetNoWrapFlags(address.as_value_ref());
            LLVMGEPSetNoWrapFlags(address.as_value_ref(), if wraps { 0 } else { flags & !NO_UNSIGNED_WRAP });
        }
    }
}

/// Replaces the definition of a function by a declaration of the same name, which returns.
pub fn declare_instead<'l>(module: &Module<'l>, function: FunctionValue<'l>) -> FunctionValue<'l> {
    let name = function.get_name().to_string_lossy().into_owned();
    let declared = module.add_function("", function.get_type(), None);
    declared.set_call_conventions(function.get_call_conventions());
    // SAFETY: both are functions of this module with one type, and nothing uses the old one when it is deleted.
    unsafe {
        LLVMReplaceAllUsesWith(function.as_value_ref(), declared.as_value_ref());
        function.delete();
    }
    declared.as_global_value().set_name(&name);
    declared
}

/// Removes the debug information of a module.
pub fn strip_debug_info(module: &Module<'_>) {
    // SAFETY: the module is alive.
    unsafe { LLVMStripModuleDebugInfo(module.as_mut_ptr()) };
}

/// All calls of a function.
pub fn calls<'l>(module: &Module<'l>, callee: FunctionValue<'l>) -> Vec<InstructionValue<'l>> {
    let blocks = module.get_functions().flat_map(|function| function.get_basic_block_iter().collect::<Vec<_>>());
    let instructions = blocks.flat_map(|block| block.get_instructions().collect::<Vec<_>>());
    let is_call = |instruction: &InstructionValue<'l>| {
        let called =
            instruction.get_num_operands().checked_sub(1).and_then(|last| instruction.get_operand(last)?.value());
        instruction.get_opcode() == InstructionOpcode::Call
            && called.is_some_and(|called| {
                called.is_pointer_value() && called.into_pointer_value() == callee.as_global_value().as_pointer_value()
            })
    };
    instructions.filter(is_call).collect()
}
