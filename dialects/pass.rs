//! Passes in Rust, registered by name, with options and statistics; diagnostics with notes.
#![allow(missing_docs)]
use crate::ffi::*;
use crate::ir::Op;
use melior::{StringRef, dialect::DialectHandle, ir::operation::OperationLike, pass::Pass};
use mlir_sys::*;
use std::ffi::c_void;

pub struct OptionDesc {
    pub kind: MdhOptionKind,
    pub name: &'static str,
    pub description: &'static str,
    pub default: &'static str,
}

/// What `run` can ask of the pass manager.
#[derive(Clone, Copy)]
pub struct Run(MdhPassRun);

impl Run {
    pub fn int(self, option: usize) -> i64 {
        unsafe { mdhPassRunGetInt(self.0, option as isize) }
    }
    pub fn bool(self, option: usize) -> bool {
        unsafe { mdhPassRunGetBool(self.0, option as isize) }
    }
    pub fn int_list(self, option: usize) -> Vec<i64> {
        unsafe {
            (0..mdhPassRunGetIntListSize(self.0, option as isize))
                .map(|i| mdhPassRunGetIntListElement(self.0, option as isize, i))
                .collect()
        }
    }
    pub fn string(self, option: usize) -> String {
        unsafe {
            let s = mdhPassRunGetString(self.0, option as isize);
            crate::ir::text(s).unwrap_or_default().to_owned()
        }
    }
    pub fn count(self, statistic: usize, n: i64) {
        unsafe { mdhPassRunAddStatistic(self.0, statistic as isize, n) }
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
    fn run<'c>(&mut self, operation: Op<'c>, run: Run) -> Result<(), String>;
}

fn raw(s: &'static str) -> MlirStringRef {
    MlirStringRef { data: s.as_ptr().cast(), length: s.len() }
}

/// Panics must not cross into C++.
fn guard<R>(default: R, f: impl FnOnce() -> R) -> R {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).unwrap_or(default)
}

unsafe extern "C" fn create<T: MdhPass>(_: *mut c_void, prototype: *mut c_void) -> *mut c_void {
    let prototype = prototype.cast::<T>();
    Box::into_raw(Box::new(match unsafe { prototype.as_ref() } {
        Some(x) => x.clone(),
        None => T::default(),
    }))
    .cast()
}
unsafe extern "C" fn destroy<T: MdhPass>(state: *mut c_void) {
    drop(unsafe { Box::from_raw(state.cast::<T>()) });
}
unsafe extern "C" fn run<T: MdhPass>(
    operation: MlirOperation,
    run: MdhPassRun,
    state: *mut c_void,
) -> MlirLogicalResult {
    let ok = guard(false, || unsafe {
        let operation = Op::from_raw(operation);
        match (*state.cast::<T>()).run(operation, Run(run)) {
            Ok(()) => true,
            Err(message) => {
                if !message.is_empty() {
                    // Without the prefix of the operation: it is usually the whole module.
                    let message = std::ffi::CString::new(message.replace('\0', " ")).unwrap_or_default();
                    mlirEmitError(operation.location().to_raw(), message.as_ptr());
                }
                false
            }
        }
    });
    MlirLogicalResult { value: ok as i8 }
}

fn describe<T: MdhPass>() -> *const MdhPassDesc {
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
    unsafe { mdhRegisterPass(describe::<T>(), callbacks::<T>(), std::ptr::null_mut()) }
}

/// Creates a pass to add to a pass manager.
pub fn create_pass<T: MdhPass>() -> Pass {
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

unsafe extern "C" fn expand<P: MdhPipeline>(
    options: MlirStringRef,
    take: MlirStringCallback,
    data: *mut c_void,
) -> bool {
    let text = crate::ir::text(options).unwrap_or_default().to_owned();
    let answer = guard(Err("internal error".to_owned()), || P::expand(&text));
    let (ok, text) = match answer {
        Ok(text) => (true, text),
        Err(text) => (false, text),
    };
    if let Some(take) = take {
        unsafe { take(StringRef::new(&text).to_raw(), data) };
    }
    ok
}

/// Registers a pipeline in MLIR's global registry.
pub fn register_pipeline<P: MdhPipeline>() {
    unsafe {
        mdhRegisterPipeline(StringRef::new(P::ARGUMENT).to_raw(), StringRef::new(P::DESCRIPTION).to_raw(), expand::<P>)
    }
}

fn emit(severity: i32, operation: Op<'_>, message: &str, notes: &[(Op<'_>, String)]) {
    let operations: Vec<_> = notes.iter().map(|(operation, _)| operation.to_raw()).collect();
    let texts: Vec<_> =
        notes.iter().map(|(_, text)| MlirStringRef { data: text.as_ptr().cast(), length: text.len() }).collect();
    let message = MlirStringRef { data: message.as_ptr().cast(), length: message.len() };
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
