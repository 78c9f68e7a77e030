//! Passes written in Rust: registration by name, options, and diagnostics with notes.
#![allow(missing_docs)]
mod failure;
mod options;

pub use failure::Failure;
pub use options::{OptionDesc, OptionValue, OptionValues, PassOptions};

use crate::ffi::*;
use crate::ir::{Op, run_pass};
use melior::{StringRef, dialect::DialectHandle, pass::Pass};
use mlir_sys::*;
use std::ffi::c_void;

/// A pass, identified by a type.
pub trait MdhPass: 'static {
    const NAME: &'static str;
    const ARGUMENT: &'static str;
    const DESCRIPTION: &'static str;
    const OP: &'static str = "";
    /// The options of the pass.
    type Options: PassOptions;
    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![]
    }
    /// Rewrites the operation.
    ///
    /// ```no_run
    /// #![forbid(unsafe_code)]
    /// # use mdh_dialects::{ir::{self, Op}, pass::{Failure, MdhPass}}; use std::cell::Cell;
    /// thread_local!(static LAST: Cell<Option<String>> = Cell::new(None));
    /// # struct Keep;
    /// # impl MdhPass for Keep {
    /// # const NAME: &'static str = ""; const ARGUMENT: &'static str = ""; const DESCRIPTION: &'static str = "";
    /// # type Options = ();
    /// fn run<'c>(operation: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
    ///     LAST.set(Some(ir::name(operation).to_owned()));
    ///     Ok(())
    /// }
    /// # }
    /// ```
    ///
    /// Handles to the operation cannot outlive the run:
    ///
    /// ```compile_fail,E0521
    /// #![forbid(unsafe_code)]
    /// # use mdh_dialects::{ir::{self, Op}, pass::{Failure, MdhPass}}; use std::cell::Cell;
    /// thread_local!(static LAST: Cell<Option<Op<'static>>> = Cell::new(None));
    /// # struct Keep;
    /// # impl MdhPass for Keep {
    /// # const NAME: &'static str = ""; const ARGUMENT: &'static str = ""; const DESCRIPTION: &'static str = "";
    /// # type Options = ();
    /// fn run<'c>(operation: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
    ///     LAST.set(Some(operation));
    ///     Ok(())
    /// }
    /// # }
    /// ```
    fn run<'c>(operation: Op<'c>, options: Self::Options) -> Result<(), Failure<'c>>;
}

fn text(s: &'static str) -> MlirStringRef {
    MlirStringRef { data: s.as_ptr().cast(), length: s.len() }
}

/// Catches panics, which must not unwind into C++.
pub(crate) fn guard<R>(default: R, f: impl FnOnce() -> R) -> R {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).unwrap_or(default)
}

/// # Safety
/// MLIR must run the pass on the operation, and no other handles to it may exist.
unsafe extern "C" fn run<T: MdhPass>(operation: MlirOperation, run: MdhPassRun) -> MlirLogicalResult {
    let ok = guard(false, || {
        // SAFETY: guaranteed by the caller; `describe` registered the pass with this table.
        let options = T::Options::read(unsafe { OptionValues::new(run, T::Options::TABLE) });
        // SAFETY: MLIR runs a pass on an operation that nothing else changes.
        let ran =
            unsafe { run_pass(operation, |root| T::run(root, options).map_err(|failure| failure.emit(root)).is_ok()) };
        ran.unwrap_or_else(|message| {
            // SAFETY: a pass does not erase the operation on which it runs.
            Failure::from(message).emit(unsafe { Op::from_raw(operation) });
            false
        })
    });
    MlirLogicalResult { value: ok as i8 }
}

fn describe<T: MdhPass>() -> *const MdhPassDesc {
    let dialects: Vec<_> = T::dependent_dialects().iter().map(|d| d.to_raw()).collect();
    let options = options::describe(T::Options::TABLE);
    // A TypeID is a unique, suitably aligned address that lives forever.
    #[repr(align(8))]
    struct Id(#[allow(dead_code)] u64);
    let id = Box::leak(Box::new(Id(0)));
    Box::leak(Box::new(MdhPassDesc {
        // SAFETY: the address is aligned and unique.
        id: unsafe { mlirTypeIDCreate((id as *const Id).cast()) },
        name: text(T::NAME),
        argument: text(T::ARGUMENT),
        description: text(T::DESCRIPTION),
        op_name: text(T::OP),
        dependent_dialect_count: dialects.len() as isize,
        dependent_dialects: dialects.leak().as_ptr(),
        option_count: options.len() as isize,
        options: options.as_ptr(),
        run: run::<T>,
    }))
}

/// Registers a pass in MLIR's global registry.
pub fn register<T: MdhPass>() {
    // SAFETY: the descriptor lives as long as the process.
    unsafe { mdhRegisterPass(describe::<T>()) }
}

/// Creates a pass to add to a pass manager.
pub fn create_pass<T: MdhPass>() -> Pass {
    // SAFETY: as for `register`; the returned pass is owned here.
    unsafe { Pass::from_raw(mdhCreatePass(describe::<T>())) }
}

/// A named pipeline that expands to the text of a pass pipeline.
pub trait MdhPipeline {
    /// The command-line flag.
    const ARGUMENT: &'static str;
    /// The one-line description in help texts.
    fn description() -> String;
    /// The pass pipeline for the option text between the braces. Errors describe an invalid option.
    fn expand(options: &str) -> Result<String, String>;
}

/// # Safety
/// The text must come from MLIR, and `take` must accept `data`.
unsafe extern "C" fn expand<P: MdhPipeline>(
    options: MlirStringRef,
    take: MlirStringCallback,
    data: *mut c_void,
) -> bool {
    // SAFETY: guaranteed by the caller.
    let text = unsafe { crate::ir::text(options) }.unwrap_or_default().to_owned();
    let answer = guard(Err("internal error".to_owned()), || P::expand(&text));
    let (ok, text) = match answer {
        Ok(text) => (true, text),
        Err(text) => (false, text),
    };
    if let Some(take) = take {
        // SAFETY: guaranteed by the caller; the text lives until the call returns.
        unsafe { take(StringRef::new(&text).to_raw(), data) };
    }
    ok
}

/// Registers a pipeline in MLIR's global registry.
pub fn register_pipeline<P: MdhPipeline>() {
    let description = P::description();
    // SAFETY: MLIR copies the texts, and the function lives as long as the process.
    unsafe {
        mdhRegisterPipeline(StringRef::new(P::ARGUMENT).to_raw(), StringRef::new(&description).to_raw(), expand::<P>)
    }
}

fn emit(severity: i32, operation: Op<'_>, message: &str, notes: &[(Op<'_>, String)]) {
    let operations: Vec<_> = notes.iter().map(|(operation, _)| operation.to_raw()).collect();
    let texts: Vec<_> =
        notes.iter().map(|(_, text)| MlirStringRef { data: text.as_ptr().cast(), length: text.len() }).collect();
    let message = MlirStringRef { data: message.as_ptr().cast(), length: message.len() };
    // SAFETY: the operations are valid, both lists have the same length, and MLIR copies the texts.
    unsafe {
        mdhEmit(severity, operation.to_raw(), message, notes.len() as isize, operations.as_ptr(), texts.as_ptr());
    }
}

/// Reports a remark at an operation.
pub fn emit_remark(operation: Op<'_>, message: &str) {
    emit(2, operation, message, &[]);
}

/// Reports a warning at an operation.
pub fn emit_warning(operation: Op<'_>, message: &str) {
    emit(1, operation, message, &[]);
}
