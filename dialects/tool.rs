//! The mains of MLIR's tools, and registration of the dialect.
use crate::ffi::*;
use melior::{Context, StringRef, dialect::DialectRegistry};
use std::{
    ffi::{CStr, CString, OsString, c_char},
    io::Write as _,
    os::unix::ffi::OsStringExt,
    sync::Once,
};

/// A tool of MLIR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Reads IR, runs passes, prints IR.
    Opt,
    /// Diagnostics and navigation in an editor.
    LanguageServer,
    /// Shrinks a module that fails.
    Reduce,
    /// Translates from and to other forms.
    Translate,
}

/// Registers the dialect, how it is bufferized, and the translations to LLVM IR that compiled modules need.
pub fn register_dialect(registry: &DialectRegistry) {
    // SAFETY: the registry is valid.
    unsafe {
        mdhRegisterDialect(registry.to_raw());
        mdhRegisterAllForOpt(registry.to_raw());
    }
}

unsafe extern "C" {
    fn LLVMInstallFatalErrorHandler(handler: extern "C" fn(*const c_char));
    fn _exit(status: i32) -> !;
}

/// Makes what LLVM gives up on, such as damaged bytecode, an error of the tool: it would abort.
pub fn report_fatal_errors() {
    extern "C" fn report(reason: *const c_char) {
        // SAFETY: LLVM passes a text that ends in nul.
        let reason = unsafe { CStr::from_ptr(reason) };
        let reason = reason.to_string_lossy();
        // A reader that has seen enough is no error.
        if !reason.contains("Broken pipe") {
            let _ = writeln!(std::io::stderr(), "error: LLVM gives up: {reason}");
        }
        // SAFETY: this ends the process at once. LLVM also gives up in handlers that run at exit, where another exit would be the second.
        unsafe { _exit(1) }
    }
    static INSTALLED: Once = Once::new();
    // SAFETY: the function is there as long as the process, and does not return.
    INSTALLED.call_once(|| unsafe { LLVMInstallFatalErrorHandler(report) });
}

/// Runs a tool with the arguments of the process, its name first; returns the exit status.
pub fn main_of(tool: Tool, arguments: Vec<OsString>, registry: &DialectRegistry) -> i32 {
    report_fatal_errors();
    // The operating system passes no argument with a nul inside.
    let arguments: Vec<CString> =
        arguments.into_iter().filter_map(|argument| CString::new(argument.into_vec()).ok()).collect();
    let mut pointers: Vec<*mut i8> = arguments.iter().map(|argument| argument.as_ptr().cast_mut()).collect();
    let count = pointers.len() as i32;
    pointers.push(std::ptr::null_mut());
    let arguments = pointers.as_mut_ptr();
    // SAFETY: there are as many arguments, each ends in nul, a null pointer follows them, and all live until the tool is done.
    unsafe {
        match tool {
            Tool::Opt => mdhOptMain(count, arguments, StringRef::new("mdh-opt\n").to_raw(), registry.to_raw()),
            Tool::LanguageServer => mdhLspServerMain(count, arguments, registry.to_raw()),
            Tool::Reduce => {
                let context = Context::new_with_registry(registry, true);
                mdhReduceMain(count, arguments, context.to_raw())
            }
            Tool::Translate => mdhTranslateMain(count, arguments, StringRef::new("mdh-translate\n").to_raw()),
        }
    }
}
