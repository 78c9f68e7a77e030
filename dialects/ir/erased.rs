//! Operations that are erased stay allocated while there may be handles to them.
//!
//! A handle cannot outlive the run of a pass, or the closure of [`rewrite`], in which it was made. Both are scopes here: what is
//! erased inside of one is detached at once and destroyed when it ends. Outside of any scope, erased operations are never freed.
//!
//! Every operation has a home: the operation on which the scope around it runs, or else the one that no block holds. What has
//! different homes has different lifetimes, and is never joined.
use super::{Blk, Op, Val};
use crate::{
    ffi::{mdhBlockDetachArgument, mdhDestroyDetached, mdhOperationDetach},
    pass::Failure,
};
use melior::ir::{BlockLike, Module, ValueLike};
use mlir_sys::*;
use std::{cell::RefCell, collections::HashMap, marker::PhantomData};

/// The address of the operation that a home is.
pub(super) type Home = usize;

/// What is erased in a scope.
struct Scope {
    root: MlirOperation,
    is_pass: bool,
    operations: Vec<MlirOperation>,
    blocks: Vec<MlirBlock>,
}

#[derive(Default)]
struct State {
    scopes: Vec<Scope>,
    /// The homes of operations that are erased, by their addresses.
    erased: HashMap<usize, Home>,
    /// The homes of regions that no operation has yet, by their addresses.
    regions: HashMap<usize, Home>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// A scope that ends when this is dropped.
struct Entered(PhantomData<*const ()>);

impl Entered {
    /// # Safety
    /// The operation must be valid until this is dropped, and no handle to anything inside of it that exists then may be used later.
    unsafe fn new(root: MlirOperation, is_pass: bool) -> Self {
        STATE.with_borrow_mut(|state| {
            state.scopes.push(Scope { root, is_pass, operations: vec![], blocks: vec![] });
        });
        Self(PhantomData)
    }

    /// Ends the scope; says how many erased operations and arguments have uses. They stay allocated.
    fn leave() -> usize {
        let Some(scope) = STATE.with_borrow_mut(|state| state.scopes.pop()) else { return 0 };
        let (operations, blocks) = (&scope.operations, &scope.blocks);
        STATE.with_borrow_mut(|state| {
            for operation in operations {
                state.erased.remove(&(operation.ptr as usize));
            }
        });
        // SAFETY: `erase` and `erase_argument` put valid operations and blocks that nothing holds here, each once, and the contract of
        // `new` says that no handle is used later.
        let used = unsafe {
            let counts = (operations.len() as isize, blocks.len() as isize);
            mdhDestroyDetached(counts.0, operations.as_ptr(), counts.1, blocks.as_ptr())
        };
        used.unsigned_abs()
    }

    /// Ends the scope; an error where an operation was erased that has uses.
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

/// Runs a pass in a scope of its own; says whether it succeeds, after a report of what fails.
///
/// # Safety
/// The operation must be valid, and stay so until this returns; nothing else changes what is inside of it.
pub(crate) unsafe fn run_pass(
    root: MlirOperation,
    run: impl for<'c> FnOnce(Op<'c>) -> Result<(), Failure<'c>>,
) -> bool {
    // SAFETY: the caller's promise; handles have the lifetime of the closure's argument, which ends before the scope does.
    let (scope, operation) = unsafe { (Entered::new(root, true), Op::from_raw(root)) };
    // A failure may be at an operation that is erased, and freed with the scope.
    let outcome = match run(operation) {
        Ok(()) => scope.finish().map_err(Failure::from),
        failed => failed,
    };
    outcome.map_err(|failure| failure.emit(operation)).is_ok()
}

/// Changes a module: what is erased in `change` is freed behind it, and handles do not leave it.
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
/// Where an operation was erased that still has uses.
pub fn rewrite<R>(module: &mut Module<'_>, change: impl for<'m> FnOnce(Op<'m>) -> R) -> R {
    // SAFETY: the module is borrowed until this returns, so that there are no handles from before, and those of the closure end with it.
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

/// Where a block belongs.
pub(super) fn home_of_block(block: Blk<'_>) -> Home {
    // SAFETY: the block is valid, and so is what is around it.
    unsafe {
        let parent = mlirBlockGetParentOperation(block.to_raw());
        if !parent.ptr.is_null() {
            return home(Op::from_raw(parent));
        }
        let region = mlirBlockGetParentRegion(block.to_raw()).ptr as usize;
        STATE.with_borrow(|state| state.regions.get(&region).copied()).unwrap_or(region)
    }
}

/// Where an operation belongs.
pub(super) fn home(operation: Op<'_>) -> Home {
    let address = operation.to_raw().ptr as usize;
    if STATE.with_borrow(|state| state.scopes.iter().any(|scope| scope.root.ptr as usize == address)) {
        return address;
    }
    match super::block(operation) {
        Some(block) => home_of_block(block),
        None => STATE.with_borrow(|state| state.erased.get(&address).copied()).unwrap_or(address),
    }
}

/// Where a value belongs.
pub(super) fn home_of_value(value: Val<'_>) -> Home {
    match (super::defining(value), super::owner(value)) {
        (Some(operation), _) => home(operation),
        (None, Some(block)) => home_of_block(block),
        (None, None) => value.to_raw().ptr as usize,
    }
}

/// Says where a new region belongs.
pub(super) fn add_region(region: MlirRegion, home: Home) {
    STATE.with_borrow_mut(|state| state.regions.insert(region.ptr as usize, home));
}

/// Forgets a region that an operation takes; says where it belonged.
pub(super) fn take_region(region: MlirRegion) -> Option<Home> {
    STATE.with_borrow_mut(|state| state.regions.remove(&(region.ptr as usize)))
}

/// Stops what would change IR beyond the operation on which a pass runs, which other threads may use.
pub(super) fn require_inside(operation: Op<'_>) {
    let passes: Vec<_> = STATE.with_borrow(|state| {
        state.scopes.iter().filter(|scope| scope.is_pass).map(|scope| scope.root.ptr as usize).collect()
    });
    let is_root = passes.contains(&(operation.to_raw().ptr as usize));
    let outermost = |operation: Op<'_>| {
        let mut current = operation;
        while let Some(parent) = super::parent(current) {
            current = parent;
        }
        current.to_raw().ptr as usize
    };
    let home = home(operation);
    // Only an operation outside of all scopes has a home that is none of theirs.
    let is_around = !passes.is_empty() && !passes.contains(&home) && {
        // SAFETY: the operation of a running pass is valid.
        let tops = passes.iter().map(|root| outermost(unsafe { Op::from_raw(MlirOperation { ptr: *root as *mut _ }) }));
        tops.into_iter().any(|top| top == outermost(operation))
    };
    assert!(!is_root && !is_around, "a pass changes only what is inside of the operation on which it runs");
}

/// Erases an operation: it has no block and no operands any more, and is freed when the pass, or [`rewrite`], is over. Its results
/// must have no uses by then. Erasing an operation again, or one inside of it, changes nothing.
///
/// Outside of a pass and of [`rewrite`], its memory is never freed.
///
/// # Panics
/// Where a pass erases the operation on which it runs, or one outside of it.
pub fn erase(operation: Op<'_>) {
    require_inside(operation);
    if super::block(operation).is_none() {
        return;
    }
    let (raw, home) = (operation.to_raw(), home(operation));
    STATE.with_borrow_mut(|state| {
        if let Some(scope) = state.scopes.iter_mut().find(|scope| scope.root.ptr as usize == home) {
            scope.operations.push(raw);
        }
        state.erased.insert(raw.ptr as usize, home);
    });
    // SAFETY: the operation is valid and in a block.
    unsafe { mdhOperationDetach(raw) };
}

/// Erases an argument of a block, as [`erase`] does an operation.
///
/// # Panics
/// Where the block has no such argument.
pub fn erase_argument(block: Blk<'_>, argument: usize) {
    let count = block.argument_count();
    assert!(argument < count, "a block of {count} arguments has no argument {argument}");
    let home = home_of_block(block);
    // SAFETY: the block is valid and has the argument.
    let holder = unsafe { mdhBlockDetachArgument(block.to_raw(), argument as isize) };
    STATE.with_borrow_mut(|state| {
        if let Some(scope) = state.scopes.iter_mut().find(|scope| scope.root.ptr as usize == home) {
            scope.blocks.push(holder);
        }
    });
}
