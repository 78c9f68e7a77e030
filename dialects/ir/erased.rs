//! Deferred destruction: erased operations stay allocated while handles to them may exist.
//!
//! A handle cannot outlive the run of a pass, or the closure of [`rewrite`], in which it was made. Both are scopes: an
//! operation that is erased inside a scope is detached at once and destroyed when the scope ends. Outside of any scope,
//! erased operations are never freed.
//!
//! The lifetime of an operation is that of the root operation of the scope around it, or else of its outermost ancestor,
//! by which it is known. Things with different lifetimes are never joined.
use super::handles::{self, Blk, Op, Val};
use crate::ffi::declarations::{mdhBlockDetachArgument, mdhDestroyDetached, mdhOperationDetach};
use melior::ir::{BlockLike, Module, ValueLike};
use mlir_sys::*;
use std::{cell::RefCell, collections::HashMap, marker::PhantomData};

/// The address of the operation that identifies a lifetime.
pub(super) type Lifetime = usize;

/// The operations and blocks that were erased in a scope.
struct Scope {
    root: MlirOperation,
    is_pass: bool,
    operations: Vec<MlirOperation>,
    blocks: Vec<MlirBlock>,
}

#[derive(Default)]
struct State {
    scopes: Vec<Scope>,
    /// The lifetimes of erased operations, by address.
    erased: HashMap<usize, Lifetime>,
    /// The lifetimes of regions without an owner, by address.
    regions: HashMap<usize, Lifetime>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// An open scope, which ends when this is dropped.
struct Entered(PhantomData<*const ()>);

impl Entered {
    /// # Safety
    /// The operation must stay valid until this is dropped, and no handle into it that exists at that time may be used
    /// later.
    unsafe fn new(root: MlirOperation, is_pass: bool) -> Self {
        STATE.with_borrow_mut(|state| {
            state.scopes.push(Scope { root, is_pass, operations: vec![], blocks: vec![] });
        });
        Self(PhantomData)
    }

    /// Ends the scope. Returns the number of erased operations and arguments that still have uses; these stay
    /// allocated.
    fn leave() -> usize {
        let Some(scope) = STATE.with_borrow_mut(|state| state.scopes.pop()) else { return 0 };
        let (operations, blocks) = (&scope.operations, &scope.blocks);
        STATE.with_borrow_mut(|state| {
            for operation in operations {
                state.erased.remove(&(operation.ptr as usize));
            }
        });
        // SAFETY: `erase` and `erase_argument` record each valid, detached operation and block once, and the contract
        // of `new` forbids the use of handles after the scope.
        let used = unsafe {
            let counts = (operations.len() as isize, blocks.len() as isize);
            mdhDestroyDetached(counts.0, operations.as_ptr(), counts.1, blocks.as_ptr())
        };
        used.unsigned_abs()
    }

    /// Ends the scope; an error if an erased operation still has uses.
    fn finish(self) -> Result<(), String> {
        std::mem::forget(self);
        match Self::leave() {
            0 => Ok(()),
            used => Err(format!("internal error: {used} operations or arguments are erased and still have uses")),
        }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        Self::leave();
    }
}

/// Runs a pass in its own scope. `run` reports its failures itself, because they may refer to erased operations, which
/// the end of the scope frees; it returns true on success. An error if an erased operation still has uses after a
/// success.
///
/// # Safety
/// The operation must be valid until this returns, and nothing else may change its contents.
pub(crate) unsafe fn run_pass(root: MlirOperation, run: impl for<'c> FnOnce(Op<'c>) -> bool) -> Result<bool, String> {
    // SAFETY: guaranteed by the caller; handles have the lifetime of the closure's argument, which ends before the
    // scope does.
    let (scope, operation) = unsafe { (Entered::new(root, true), Op::from_raw(root)) };
    let succeeded = run(operation);
    if succeeded { scope.finish().map(|()| true) } else { Ok(false) }
}

/// Changes a module: operations erased in `change` are freed after it, and handles cannot escape from it.
///
/// ```no_run
/// #![forbid(unsafe_code)]
/// # use mdh_dialects::ir; use melior::Context;
/// let context = Context::new();
/// let mut module = ir::parse_module(&context, b"module {}").unwrap();
/// let count = ir::rewrite(&mut module, |root| ir::descendants(root).len());
/// assert_eq!(count, 1);
/// ```
///
/// ```compile_fail
/// #![forbid(unsafe_code)]
/// # use mdh_dialects::ir; use melior::Context;
/// let context = Context::new();
/// let mut module = ir::parse_module(&context, b"module {}").unwrap();
/// let root = ir::rewrite(&mut module, |root| root);
/// ir::name(root);
/// ```
///
/// # Panics
/// If an erased operation still has uses.
pub fn rewrite<R>(module: &mut Module<'_>, change: impl for<'m> FnOnce(Op<'m>) -> R) -> R {
    // SAFETY: the module is borrowed until this returns, so there are no earlier handles, and those of the closure end
    // with it.
    let (scope, root) = unsafe {
        let root = mlirModuleGetOperation(module.to_raw());
        (Entered::new(root, false), Op::from_raw(root))
    };
    let result = change(root);
    if let Err(message) = scope.finish() {
        panic!("{message}");
    }
    result
}

/// The lifetime of a block.
pub(super) fn lifetime_of_block(block: Blk<'_>) -> Lifetime {
    // SAFETY: the block is valid, and so is its parent.
    unsafe {
        let parent = mlirBlockGetParentOperation(block.to_raw());
        if !parent.ptr.is_null() {
            return lifetime(Op::from_raw(parent));
        }
        let region = mlirBlockGetParentRegion(block.to_raw()).ptr as usize;
        STATE.with_borrow(|state| state.regions.get(&region).copied()).unwrap_or(region)
    }
}

/// The lifetime of an operation.
pub(super) fn lifetime(operation: Op<'_>) -> Lifetime {
    let address = operation.to_raw().ptr as usize;
    if STATE.with_borrow(|state| state.scopes.iter().any(|scope| scope.root.ptr as usize == address)) {
        return address;
    }
    match handles::block(operation) {
        Some(block) => lifetime_of_block(block),
        None => STATE.with_borrow(|state| state.erased.get(&address).copied()).unwrap_or(address),
    }
}

/// The lifetime of a value.
pub(super) fn lifetime_of_value(value: Val<'_>) -> Lifetime {
    match (handles::defining(value), handles::owner(value)) {
        (Some(operation), _) => lifetime(operation),
        (None, Some(block)) => lifetime_of_block(block),
        (None, None) => value.to_raw().ptr as usize,
    }
}

/// Records the lifetime of a new region.
pub(super) fn add_region(region: MlirRegion, lifetime: Lifetime) {
    STATE.with_borrow_mut(|state| state.regions.insert(region.ptr as usize, lifetime));
}

/// Forgets a region that an operation takes; returns its lifetime.
pub(super) fn take_region(region: MlirRegion) -> Option<Lifetime> {
    STATE.with_borrow_mut(|state| state.regions.remove(&(region.ptr as usize)))
}

/// Panics on a change of IR outside of the operation on which a pass runs: other threads may use that IR.
pub(super) fn require_inside(operation: Op<'_>) {
    let passes: Vec<_> = STATE.with_borrow(|state| {
        state.scopes.iter().filter(|scope| scope.is_pass).map(|scope| scope.root.ptr as usize).collect()
    });
    let is_root = passes.contains(&(operation.to_raw().ptr as usize));
    let outermost = |operation: Op<'_>| {
        let mut current = operation;
        while let Some(parent) = handles::parent(current) {
            current = parent;
        }
        current.to_raw().ptr as usize
    };
    let lifetime = lifetime(operation);
    // Only an operation outside of all scopes has a lifetime that is not the root of one.
    let is_around = !passes.is_empty() && !passes.contains(&lifetime) && {
        // SAFETY: the operation of a running pass is valid.
        let tops = passes.iter().map(|root| outermost(unsafe { Op::from_raw(MlirOperation { ptr: *root as *mut _ }) }));
        tops.into_iter().any(|top| top == outermost(operation))
    };
    assert!(!is_root && !is_around, "a pass changes only what is inside of the operation on which it runs");
}

/// Erases an operation: it is detached from its block, loses its operands, and is freed at the end of the pass or of
/// [`rewrite`]. Its results must have no uses by then. Erasing an erased operation, or one nested in it, has no effect.
///
/// Outside of a pass and of [`rewrite`], its memory is never freed.
///
/// # Panics
/// If a pass erases the operation on which it runs, or one outside of it.
pub fn erase(operation: Op<'_>) {
    require_inside(operation);
    if handles::block(operation).is_none() {
        return;
    }
    let (raw, lifetime) = (operation.to_raw(), lifetime(operation));
    STATE.with_borrow_mut(|state| {
        if let Some(scope) = state.scopes.iter_mut().find(|scope| scope.root.ptr as usize == lifetime) {
            scope.operations.push(raw);
        }
        state.erased.insert(raw.ptr as usize, lifetime);
    });
    // SAFETY: the operation is valid and in a block.
    unsafe { mdhOperationDetach(raw) };
}

/// Erases an argument of a block, like [`erase`] for operations.
///
/// # Panics
/// If the block has no such argument.
pub fn erase_argument(block: Blk<'_>, argument: usize) {
    let count = block.argument_count();
    assert!(argument < count, "a block of {count} arguments has no argument {argument}");
    let lifetime = lifetime_of_block(block);
    // SAFETY: the block is valid and has the argument.
    let holder = unsafe { mdhBlockDetachArgument(block.to_raw(), argument as isize) };
    STATE.with_borrow_mut(|state| {
        if let Some(scope) = state.scopes.iter_mut().find(|scope| scope.root.ptr as usize == lifetime) {
            scope.blocks.push(holder);
        }
    });
}
