//! What inkwell has no safe function for: LLVM's SPIR-V target, and globals that disappear.
use inkwell::module::Module;

unsafe extern "C" {
    fn LLVMInitializeSPIRVTargetInfo();
    fn LLVMInitializeSPIRVTarget();
    fn LLVMInitializeSPIRVTargetMC();
    fn LLVMInitializeSPIRVAsmPrinter();
}

/// Makes LLVM's SPIR-V target known.
pub fn initialize_spirv() {
    static ONCE: std::sync::Once = std::sync::Once::new();
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
