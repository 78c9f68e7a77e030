//! What inkwell has no function for: translations from MLIR to LLVM IR, the names that LLVM's targets know, its SPIR-V target, and globals
//! that disappear.
use anyhow::{Result, anyhow, ensure};
use inkwell::{
    context::Context,
    llvm_sys::target_machine::LLVMTargetMachineRef,
    module::Module,
    passes::PassBuilderOptions,
    targets::TargetMachine,
    values::{FunctionValue, InstructionOpcode, InstructionValue},
};
use mdh_dialects::ir;
use std::{
    ffi::{c_int, c_void},
    sync::Once,
};

unsafe extern "C" {
    fn mdhDisableChecksumRecognition();
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

/// Runs passes of LLVM on a module, without one that may take for ever.
pub fn run_passes(module: &Module<'_>, passes: &str, machine: &TargetMachine) -> Result<()> {
    static DISABLED: Once = Once::new();
    // SAFETY: no other thread of ours runs passes of LLVM before this is done; it sets a switch that they read.
    DISABLED.call_once(|| unsafe { mdhDisableChecksumRecognition() });
    module.run_passes(passes, machine, PassBuilderOptions::create()).map_err(|error| anyhow!("{error}"))
}

/// Translates a module of the LLVM dialect to LLVM IR.
pub fn translate<'l>(module: &melior::ir::Module<'_>, context: &'l Context) -> Result<Module<'l>> {
    translate_operation(ir::op(module.as_operation()), context)
}

/// Translates an operation that holds a module of the LLVM dialect, such as `gpu.module`, to LLVM IR.
pub fn translate_operation<'l>(operation: ir::Op<'_>, context: &'l Context) -> Result<Module<'l>> {
    melior::utility::register_all_llvm_translations(ir::context(operation));
    // SAFETY: both contexts are alive; the result is checked, and belongs to the given context, whose lifetime it gets.
    unsafe {
        let raw = mlir_sys::mlirTranslateModuleToLLVMIR(operation.to_raw(), context.raw().cast());
        ensure!(!raw.is_null(), "the module cannot be translated to LLVM IR");
        Ok(Module::new(raw.cast()))
    }
}

/// The names of the processors of a machine's target.
pub fn processors(machine: &TargetMachine) -> Vec<String> {
    names(machine, 0)
}

/// The names of the features of a machine's target.
pub fn features(machine: &TargetMachine) -> Vec<String> {
    names(machine, 1)
}

/// The names of the features that a machine has.
pub fn enabled_features(machine: &TargetMachine) -> Vec<String> {
    names(machine, 2)
}

/// The names of a kind, numbered as in `capi/Target.h`.
fn names(machine: &TargetMachine, which: c_int) -> Vec<String> {
    unsafe extern "C" fn push(name: mlir_sys::MlirStringRef, names: *mut c_void) {
        // SAFETY: `names` is the vector below, and the name lives during the call.
        unsafe {
            let bytes = std::slice::from_raw_parts(name.data.cast::<u8>(), name.length);
            (*names.cast::<Vec<String>>()).push(String::from_utf8_lossy(bytes).into_owned());
        }
    }
    let mut names: Vec<String> = vec![];
    // SAFETY: the machine is alive, and the callback is given what it expects.
    unsafe { mdhTargetNames(machine.as_mut_ptr(), which, push, (&raw mut names).cast()) };
    names
}

/// Makes LLVM's SPIR-V target known.
pub fn initialize_spirv() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: these functions of LLVM's C interface have no conditions; they run once.
        unsafe {
            LLVMInitializeSPIRVTargetInfo();
            LLVMInitializeSPIRVTarget();
            LLVMInitializeSPIRVTargetMC();
            LLVMInitializeSPIRVAsmPrinter();
        }
    });
}

/// Removes a global that nothing refers to, if it is there; returns whether it was.
pub fn remove_global(module: &Module<'_>, name: &str) -> bool {
    let Some(global) = module.get_global(name) else { return false };
    // SAFETY: nothing uses it, and no other handle of it is left.
    unsafe { global.delete() };
    true
}

/// The calls of a function.
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
