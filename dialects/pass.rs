//! Passes in Rust, registered by name, with options and statistics; diagnostics with notes.
#![allow(missing_docs)]
use crate::ffi::*;
use crate::ir::{Op, run_pass};
use melior::{StringRef, dialect::DialectHandle, pass::Pass};
use mlir_sys::*;
use std::{
    ffi::{CString, c_void},
    marker::PhantomData,
};

pub struct OptionDesc {
    pub kind: MdhOptionKind,
    pub name: &'static str,
    pub description: &'static str,
    pub default: &'static str,
}

/// What `run` can ask of the pass manager, while it runs. All panic where the pass has no such option or statistic.
///
/// ```compile_fail,E0521
/// #![forbid(unsafe_code)]
/// # use mdh_dialects::pass::Run; use std::cell::Cell;
/// thread_local!(static LAST: Cell<Option<Run<'static>>> = Cell::new(None));
/// fn keep(run: Run<'_>) {
///     LAST.set(Some(run));
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Run<'r> {
    raw: MdhPassRun,
    options: &'static [OptionDesc],
    statistics: usize,
    running: PhantomData<&'r ()>,
}

impl Run<'_> {
    fn option(self, option: usize, kind: MdhOptionKind) -> isize {
        let known = self.options.get(option).is_some_and(|option| option.kind == kind);
        assert!(known, "the pass has no option {option} of the kind {kind:?}");
        option as isize
    }
    pub fn int(self, option: usize) -> i64 {
        let option = self.option(option, MdhOptionKind::Int);
        // SAFETY: the pass runs and has the option.
        unsafe { mdhPassRunGetInt(self.raw, option) }
    }
    pub fn bool(self, option: usize) -> bool {
        let option = self.option(option, MdhOptionKind::Bool);
        // SAFETY: the pass runs and has the option.
        unsafe { mdhPassRunGetBool(self.raw, option) }
    }
    pub fn int_list(self, option: usize) -> Vec<i64> {
        let option = self.option(option, MdhOptionKind::IntList);
        // SAFETY: the pass runs and has the option with so many elements.
        unsafe {
            (0..mdhPassRunGetIntListSize(self.raw, option))
                .map(|i| mdhPassRunGetIntListElement(self.raw, option, i))
                .collect()
        }
    }
    pub fn string(self, option: usize) -> String {
        let option = self.option(option, MdhOptionKind::String);
        // SAFETY: the pass runs, has the option, and keeps its text.
        unsafe { crate::ir::text(mdhPassRunGetString(self.raw, option)) }.unwrap_or_default().to_owned()
    }
    pub fn count(self, statistic: usize, n: i64) {
        assert!(statistic < self.statistics, "the pass has no statistic {statistic}");
        // SAFETY: the pass runs and has the statistic.
        unsafe { mdhPassRunAddStatistic(self.raw, statistic as isize, n) }
    }
}

/// A pass. The value is its state; it is cloned for each thread.
pub trait MdhPass: Default + Clone + Send + 'static {
    const NAME: &'static str;
    const ARGUMENT: &'static str;
    const DESCRIPTION: &'static str;
    const OP: &'static str = "";
    const OPTIONS: &'static [OptionDesc] = &[];
    /// Pairs of name and description; each must end in a nul.
    const STATISTICS: &'static [&'static str] = &[];
    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![]
    }
    /// Rewrites the operation. A message is reported at the operation; an empty one says that the error is reported already.
    ///
    /// ```no_run
    /// #![forbid(unsafe_code)]
    /// # use mdh_dialects::{ir::{self, Op}, pass::{MdhPass, Run}}; use std::cell::Cell;
    /// thread_local!(static LAST: Cell<Option<String>> = Cell::new(None));
    /// # #[derive(Clone, Default)] struct Keep;
    /// # impl MdhPass for Keep {
    /// # const NAME: &'static str = ""; const ARGUMENT: &'static str = ""; const DESCRIPTION: &'static str = "";
    /// fn run<'c>(&mut self, operation: Op<'c>, _: Run<'_>) -> Result<(), String> {
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
    /// # use mdh_dialects::{ir::{self, Op}, pass::{MdhPass, Run}}; use std::cell::Cell;
    /// thread_local!(static LAST: Cell<Option<Op<'static>>> = Cell::new(None));
    /// # #[derive(Clone, Default)] struct Keep;
    /// # impl MdhPass for Keep {
    /// # const NAME: &'static str = ""; const ARGUMENT: &'static str = ""; const DESCRIPTION: &'static str = "";
    /// fn run<'c>(&mut self, operation: Op<'c>, _: Run<'_>) -> Result<(), String> {
    ///     LAST.set(Some(operation));
    ///     Ok(())
    /// }
    /// # }
    /// ```
    fn run<'c>(&mut self, operation: Op<'c>, run: Run<'_>) -> Result<(), String>;
}

fn raw(s: &'static str) -> MlirStringRef {
    MlirStringRef { data: s.as_ptr().cast(), length: s.len() }
}

/// Panics must not cross into C++.
fn guard<R>(default: R, f: impl FnOnce() -> R) -> R {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).unwrap_or(default)
}

/// # Safety
/// The prototype is null or a state that `create` made.
unsafe extern "C" fn create<T: MdhPass>(_: *mut c_void, prototype: *mut c_void) -> *mut c_void {
    let prototype = prototype.cast::<T>();
    // SAFETY: the caller's promise.
    Box::into_raw(Box::new(match unsafe { prototype.as_ref() } {
        Some(x) => x.clone(),
        None => T::default(),
    }))
    .cast()
}
/// # Safety
/// The state is one that `create` made, and not used later.
unsafe extern "C" fn destroy<T: MdhPass>(state: *mut c_void) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(state.cast::<T>()) });
}
/// # Safety
/// The state is one that `create` made, which nothing else uses now; the pass runs on the operation, of which nothing else holds handles.
unsafe extern "C" fn run<T: MdhPass>(
    operation: MlirOperation,
    run: MdhPassRun,
    state: *mut c_void,
) -> MlirLogicalResult {
    let ok = guard(false, || {
        // SAFETY: the caller's promise.
        let state = unsafe { &mut *state.cast::<T>() };
        let (options, statistics) = (T::OPTIONS, T::STATISTICS.len() / 2);
        let run = Run { raw: run, options, statistics, running: PhantomData };
        // SAFETY: MLIR runs a pass on an operation that nothing else changes.
        let Err(message) = (unsafe { run_pass(operation, |operation| state.run(operation, run)) }) else { return true };
        if !message.is_empty() {
            // Without the prefix of the operation: it is usually the whole module.
            let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
            // SAFETY: the operation on which a pass runs is still there behind it, and the text ends in nul.
            unsafe { mlirEmitError(mlirOperationGetLocation(operation), message.as_ptr()) };
        }
        false
    });
    MlirLogicalResult { value: ok as i8 }
}

fn describe<T: MdhPass>() -> *const MdhPassDesc {
    assert!(T::STATISTICS.iter().all(|text| text.ends_with('\0')), "the texts of statistics end in nul");
    let leak = |v: Vec<MlirStringRef>| Box::leak(v.into_boxed_slice()).as_ptr();
    let dialects: Vec<_> = T::dependent_dialects().iter().map(|d| d.to_raw()).collect();
    let options: Vec<_> = T::OPTIONS
        .iter()
        .map(|o| MdhOptionDesc {
            kind: o.kind,
            name: raw(o.name),
            description: raw(o.description),
            default_value: raw(o.default),
        })
        .collect();
    // A unique, suitably aligned, immortal address is what a TypeID is.
    #[repr(align(8))]
    struct Id(#[allow(dead_code)] u64);
    let id = Box::leak(Box::new(Id(0)));
    Box::leak(Box::new(MdhPassDesc {
        // SAFETY: the address is aligned, and nothing else gets it.
        id: unsafe { mlirTypeIDCreate((id as *const Id).cast()) },
        name: raw(T::NAME),
        argument: raw(T::ARGUMENT),
        description: raw(T::DESCRIPTION),
        op_name: raw(T::OP),
        dependent_dialect_count: dialects.len() as isize,
        dependent_dialects: Box::leak(dialects.into_boxed_slice()).as_ptr(),
        option_count: options.len() as isize,
        options: Box::leak(options.into_boxed_slice()).as_ptr(),
        statistic_count: T::STATISTICS.len() as isize / 2,
        statistics: leak(T::STATISTICS.iter().map(|s| raw(s)).collect()),
    }))
}

fn callbacks<T: MdhPass>() -> MdhPassCallbacks {
    MdhPassCallbacks { create: create::<T>, destroy: destroy::<T>, initialize: None, run: run::<T> }
}

/// Registers a pass in MLIR's global registry.
pub fn register<T: MdhPass>() {
    // SAFETY: the description lives as long as the process, and the functions are those of one type of state.
    unsafe { mdhRegisterPass(describe::<T>(), callbacks::<T>(), std::ptr::null_mut()) }
}

/// Creates a pass to add to a pass manager.
pub fn create_pass<T: MdhPass>() -> Pass {
    // SAFETY: as for `register`; the pass is ours.
    unsafe { Pass::from_raw(mdhCreatePass(describe::<T>(), callbacks::<T>(), std::ptr::null_mut())) }
}

/// A pipeline by name that expands to the text of other passes.
pub trait MdhPipeline {
    /// The flag.
    const ARGUMENT: &'static str;
    /// One line for help texts.
    const DESCRIPTION: &'static str;
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
    // SAFETY: MLIR copies the texts, and the function is there as long as the process.
    unsafe {
        mdhRegisterPipeline(StringRef::new(P::ARGUMENT).to_raw(), StringRef::new(P::DESCRIPTION).to_raw(), expand::<P>)
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

/// Reports an error at an operation, after its name.
pub fn emit_error(operation: Op<'_>, message: &str) {
    emit(0, operation, message, &[]);
}

/// Reports an error at an operation, with notes at others.
pub fn emit_error_with_note(operation: Op<'_>, message: &str, notes: &[(Op<'_>, String)]) {
    emit(0, operation, message, notes);
}

/// Reports a warning at an operation.
pub fn emit_warning(operation: Op<'_>, message: &str) {
    emit(1, operation, message, &[]);
}
