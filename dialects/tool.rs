//! The main functions of MLIR's tools, and registration of the dialect.
use crate::{ffi::*, nesting};
use melior::{Context, StringRef, dialect::DialectRegistry};
use mlir_sys::{MlirContext, MlirStringRef};
use std::{
    ffi::{CStr, CString, OsString, c_char, c_int},
    fs::File,
    io::{self, PipeReader, PipeWriter, Write as _},
    os::{fd::AsFd, unix::ffi::OsStringExt},
    sync::Once,
    thread,
};

/// A tool of MLIR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Reads IR, runs passes, prints IR.
    Opt,
    /// Diagnostics and navigation in an editor.
    LanguageServer,
    /// Reduces a failing module.
    Reduce,
    /// Translates from and to other formats.
    Translate,
}

/// Registers the dialect, its bufferization, and the translations to LLVM IR that compiled modules need.
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

/// Turns fatal errors of LLVM, such as for damaged bytecode, into an error message and exit status 1; by default LLVM
/// aborts.
pub fn report_fatal_errors() {
    extern "C" fn report(reason: *const c_char) {
        // SAFETY: LLVM passes a text that ends in nul.
        let reason = unsafe { CStr::from_ptr(reason) };
        let reason = reason.to_string_lossy();
        // A closed pipe is not an error: the reader has read enough.
        if !reason.contains("Broken pipe") {
            let _ = writeln!(std::io::stderr(), "error: fatal LLVM error: {reason}");
        }
        // SAFETY: this ends the process at once. LLVM also reports fatal errors in handlers that run at exit, where a
        // second `exit` would be undefined.
        unsafe { _exit(1) }
    }
    static INSTALLED: Once = Once::new();
    // SAFETY: the function lives as long as the process, and does not return.
    INSTALLED.call_once(|| unsafe { LLVMInstallFatalErrorHandler(report) });
}

/// Runs a tool with the arguments of the process, its name first; returns the exit status.
pub fn run_tool(tool: Tool, arguments: Vec<OsString>, registry: &DialectRegistry) -> i32 {
    report_fatal_errors();
    // The operating system passes no argument with a nul inside.
    let arguments: Vec<CString> =
        arguments.into_iter().filter_map(|argument| CString::new(argument.into_vec()).ok()).collect();
    let mut pointers: Vec<*mut i8> = arguments.iter().map(|argument| argument.as_ptr().cast_mut()).collect();
    let count = pointers.len() as i32;
    pointers.push(std::ptr::null_mut());
    let arguments = pointers.as_mut_ptr();
    // SAFETY: the count matches the arguments, each ends in nul, a null pointer follows them, and all live until the
    // tool returns.
    unsafe {
        match tool {
            Tool::Opt => {
                mdhOptMain(count, arguments, StringRef::new("mdh-opt\n").to_raw(), registry.to_raw(), accept_source)
            }
            Tool::LanguageServer => mdhLspServerMain(count, arguments, registry.to_raw()),
            Tool::Reduce => {
                let context = Context::new_with_registry(registry, true);
                // As `mdh` does, which knows some operations of dialects that are not registered.
                context.set_allow_unregistered_dialects(true);
                mdhReduceMain(count, arguments, context.to_raw())
            }
            Tool::Translate => mdhTranslateMain(count, arguments, StringRef::new("mdh-translate\n").to_raw()),
        }
    }
}

/// Returns true if `mdh-opt` should process a source; prints an error otherwise.
unsafe extern "C" fn accept_source(name: MlirStringRef, source: MlirStringRef, context: MlirContext) -> bool {
    let source = match source.length {
        0 => &[],
        // SAFETY: the buffer lives during the call; only an empty one may be null.
        length => unsafe { std::slice::from_raw_parts(source.data.cast::<u8>(), length) },
    };
    // SAFETY: the name lives during the call.
    let name = unsafe { crate::ir::text(name) }.unwrap_or("-");
    let outcome = std::panic::catch_unwind(|| check_nesting_raw(context, source));
    match outcome {
        Ok(Ok(())) => true,
        Ok(Err(problem)) => {
            let _ = writeln!(io::stderr(), "{name}:{problem}");
            false
        }
        Err(_) => false,
    }
}

/// Checks that a program, in text or bytecode, does not overflow the stack of the parser and the later stages.
pub fn check_nesting(context: &Context, source: &[u8]) -> Result<(), nesting::TooDeep> {
    check_nesting_raw(context.to_raw(), source)
}

fn check_nesting_raw(context: MlirContext, source: &[u8]) -> Result<(), nesting::TooDeep> {
    if !nesting::is_bytecode(source) {
        return nesting::check(source);
    }
    let most = nesting::MAX_LEVELS;
    let text = MlirStringRef { data: source.as_ptr().cast(), length: source.len() };
    // SAFETY: the context is live, and the source lives during the call.
    let fits = unsafe { mdhBytecodeNestsAtMost(context, text, most as isize) };
    let message = format!("requires nesting of at most {most} levels in bytecode");
    if fits { Ok(()) } else { Err(nesting::TooDeep { line: 1, column: 1, message }) }
}

unsafe extern "C" {
    fn dup2(from: c_int, to: c_int) -> c_int;
}

/// Redirects descriptor `to`, which is 0 or 1, to `from`.
fn redirect(from: impl AsFd, to: c_int) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    // SAFETY: both are descriptors of this process; nothing owns 0 and 1, and the standard library never closes them.
    match unsafe { dup2(from.as_fd().as_raw_fd(), to) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Runs a function that reads the standard input and writes the standard output, with filters between it and the
/// client: `incoming` reads from the client and writes to the function, `outgoing` reads from the function and writes
/// to the client. Returns the result of the function.
pub fn run_with_filters(
    incoming: impl FnOnce(File, PipeWriter) + Send + 'static,
    outgoing: impl FnOnce(PipeReader, File) + Send + 'static,
    run: impl FnOnce() -> i32,
) -> io::Result<i32> {
    let (input, output) =
        (io::stdin().as_fd().try_clone_to_owned()?.into(), io::stdout().as_fd().try_clone_to_owned()?);
    let (own_input, to_run) = io::pipe()?;
    let (from_run, own_output) = io::pipe()?;
    redirect(&own_input, 0)?;
    redirect(&own_output, 1)?;
    drop((own_input, own_output));
    // The thread ends with the process, or at the end of its input.
    thread::spawn(move || incoming(input, to_run));
    let users = File::from(output.try_clone()?);
    let reader = thread::spawn(move || outgoing(from_run, users));
    let status = run();
    // Closing the last writer gives the reader the end of file.
    redirect(&output, 1)?;
    let _ = reader.join();
    Ok(status)
}
