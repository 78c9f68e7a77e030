//! Passes in Rust, registered by name, with options; diagnostics with notes.
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

/// A pass, named by a type.
pub trait MdhPass: 'static {
    const NAME: &'static str;
    const ARGUMENT: &'static str;
    const DESCRIPTION: &'static str;
    const OP: &'static str = "";
    /// What users may ask of it.
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
    /// Handles to the operation do not outlive the run:
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

/// Panics must not cross into C++.
pub(crate) fn guard<R>(default: R, f: impl FnOnce() -> R) -> R {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).unwrap_or(default)
}

/// # Safety
/// The pass runs on the operation, of which nothing else holds handles.
unsafe extern "C" fn run<T: MdhPass>(operation: MlirOperation, run: MdhPassRun) -> MlirLogicalResult {
    let ok = guard(false, || {
        // SAFETY: the caller's promise; `describe` gave the pass this table.
        let options = T::Options::read(unsafe { OptionValues::new(run, T::Options::TABLE) });
        // SAFETY: MLIR runs a pass on an operation that nothing else changes.
        unsafe { run_pass(operation, |operation| T::run(operation, options)) }
    });
    MlirLogicalResult { value: ok as i8 }
}

fn describe<T: MdhPass>() -> *const MdhPassDesc {
    let dialects: Vec<_> = T::dependent_dialects().iter().map(|d| d.to_raw()).collect();
    let options = options::describe(T::Options::TABLE);
    // A unique, suitably aligned, immortal address is what a TypeID is.
    #[repr(align(8))]
    struct Id(#[allow(dead_code)] u64);
    let id = Box::leak(Box::new(Id(0)));
    Box::leak(Box::new(MdhPassDesc {
        // SAFETY: the address is aligned, and nothing else gets it.
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
    // SAFETY: the description lives as long as the process.
    unsafe { mdhRegisterPass(describe::<T>()) }
}

/// Creates a pass to add to a pass manager.
pub fn create_pass<T: MdhPass>() -> Pass {
    // SAFETY: as for `register`; the pass is ours.
    unsafe { Pass::from_raw(mdhCreatePass(describe::<T>())) }
}

/// A pipeline by name that expands to the text of other passes.
pub trait MdhPipeline {
    /// The flag.
    const ARGUMENT: &'static str;
    /// One line for help texts.
    fn description() -> String;
    /// The passes, from the text between the braces. Errors say what is wrong with an option.
    fn expand(options: &str) -> Result<String, String>;
}

/// # Safety
/// The text is one of MLIR, and `take` may be called with `data`.
unsafe extern "C" fn expand<P: MdhPipeline>(
    options: MlirStringRef,
    take: MlirStringCallback,
    data: *mut c_void,
) -> bool {
    // SAFETY: the caller's promise.
    let text = unsafe { crate::ir::text(options) }.unwrap_or_default().to_owned();
    let answer = guard(Err("internal error".to_owned()), || P::expand(&text));
    let (ok, text) = match answer {
        Ok(text) => (true, text),
        Err(text) => (false, text),
    };
    if let Some(take) = take {
        // SAFETY: the caller's promise; the text is there until the call returns.
        unsafe { take(StringRef::new(&text).to_raw(), data) };
    }
    ok
}

/// Registers a pipeline in MLIR's global registry.
pub fn register_pipeline<P: MdhPipeline>() {
    let description = P::description();
    // SAFETY: MLIR copies the texts, and the function is there as long as the process.
    unsafe {
        mdhRegisterPipeline(StringRef::new(P::ARGUMENT).to_raw(), StringRef::new(&description).to_raw(), expand::<P>)
    }
}

fn emit(severity: i32, operation: Op<'_>, message: &str, notes: &[(Op<'_>, String)]) {
    let operations: Vec<_> = notes.iter().map(|(operation, _)| operation.to_raw()).collect();
    let texts: Vec<_> =
        notes.iter().map(|(_, text)| MlirStringRef { data: text.as_ptr().cast(), length: text.len() }).collect();
    let message = MlirStringRef { data: message.as_ptr().cast(), length: message.len() };
    // SAFETY: the operations are valid, and there are as many texts, which MLIR copies.
    unsafe {
        mdhEmit(severity, operation.to_raw(), message, notes.len() as isize, operations.as_ptr(), texts.as_ptr());
    }
}

/// Reports a warning at an operation.
pub fn emit_warning(operation: Op<'_>, message: &str) {
    emit(1, operation, message, &[]);
}
