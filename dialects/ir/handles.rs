//! Handles to operations, values and blocks, and what is reached from them.
use crate::ffi::declarations::mdhOperationIsCommutative;
use melior::{
    Context, StringRef,
    ir::{
        Attribute, AttributeLike, BlockLike, BlockRef, OperationRef, RegionLike, RegionRef, Type, TypeLike, Value,
        ValueLike,
        operation::{OperationLike, WalkOrder, WalkResult},
    },
};
use mlir_sys::*;

/// An operation that is owned by a block.
pub type Op<'c> = OperationRef<'c, 'c>;
/// A value of an operation or a block.
pub type Val<'c> = Value<'c, 'c>;
/// A block that is owned by a region.
pub type Blk<'c> = BlockRef<'c, 'c>;

/// Shortens the lifetime of an operation handle to that of the handle from which it was reached.
pub fn op<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> Op<'a> {
    operation
}

/// Shortens the lifetime of a value handle to that of the handle from which it was reached.
pub fn val<'c: 'a, 'a>(value: impl Into<Value<'c, 'a>>) -> Val<'a> {
    value.into()
}

/// Shortens the lifetime of a block handle to that of the handle from which it was reached.
pub fn blk<'c: 'a, 'a>(block: BlockRef<'c, 'a>) -> Blk<'a> {
    block
}

/// The context of an operation.
pub fn context<'c>(operation: Op<'c>) -> &'c Context {
    // `ContextRef::to_ref` points into the `ContextRef` itself, so the handle is rebuilt from the raw pointer:
    // `Context` is one pointer wide, and the boxed copy is never dropped (which would destroy the context).
    // SAFETY: the operation is valid.
    let raw = unsafe { mlirOperationGetContext(operation.to_raw()) };
    CONTEXTS.with(|cache| {
        let mut cache = cache.borrow_mut();
        let known = cache.iter().find(|(pointer, _)| *pointer == raw.ptr as usize);
        let context: &'static Context = match known {
            Some((_, context)) => context,
            None => {
                // SAFETY: the context is valid for the lifetime of the operation, with which it is returned.
                let context: &'static melior::ContextRef<'static> =
                    Box::leak(Box::new(unsafe { melior::ContextRef::from_raw(raw) }));
                // SAFETY: the box is never freed.
                let context = unsafe { context.to_ref() };
                cache.push((raw.ptr as usize, context));
                context
            }
        };
        context
    })
}

thread_local! {
    static CONTEXTS: std::cell::RefCell<Vec<(usize, &'static Context)>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// The full name of an operation, such as `arith.addf`.
pub fn name<'c>(operation: Op<'c>) -> &'c str {
    // SAFETY: the operation is valid, and its context owns the name.
    unsafe { text(mlirIdentifierStr(mlirOperationGetName(operation.to_raw()))) }.unwrap_or_default()
}

/// True if the operation has the trait `IsCommutative`.
pub fn is_commutative(operation: Op<'_>) -> bool {
    // SAFETY: the operation is valid.
    unsafe { mdhOperationIsCommutative(operation.to_raw()) }
}

/// All operands.
pub fn operands<'c>(operation: Op<'c>) -> Vec<Val<'c>> {
    operation.operands().map(val).collect()
}

/// All results.
pub fn results<'c>(operation: Op<'c>) -> Vec<Val<'c>> {
    operation.results().map(val).collect()
}

/// An attribute by name, inherent or discardable.
pub fn attribute<'c>(operation: Op<'c>, name: &str) -> Option<Attribute<'c>> {
    operation.attribute(name).ok()
}

/// The operation that defines a value; `None` for a block argument.
pub fn defining<'c>(value: Val<'c>) -> Option<Op<'c>> {
    // SAFETY: the value is valid, and lives as long as the operation of which it is a result.
    unsafe {
        if !mlirValueIsAOpResult(value.to_raw()) {
            return None;
        }
        Op::from_option_raw(mlirOpResultGetOwner(value.to_raw()))
    }
}

/// The block of which a value is an argument; `None` for the result of an operation.
pub fn owner<'c>(value: Val<'c>) -> Option<Blk<'c>> {
    // SAFETY: the value is valid, and lives at most as long as the block.
    unsafe {
        if !mlirValueIsABlockArgument(value.to_raw()) {
            return None;
        }
        Blk::from_option_raw(mlirBlockArgumentGetOwner(value.to_raw()))
    }
}

/// The operations that use a value.
pub fn users<'c>(value: Val<'c>) -> Vec<Op<'c>> {
    let mut users = vec![];
    // SAFETY: the value is valid, and operations that use it live in the same module.
    unsafe {
        let mut current = mlirValueGetFirstUse(value.to_raw());
        while !mlirOpOperandIsNull(current) {
            users.push(Op::from_raw(mlirOpOperandGetOwner(current)));
            current = mlirOpOperandGetNextUse(current);
        }
    }
    users
}

/// Returns true if nothing uses a result of an operation.
pub fn is_unused(operation: Op<'_>) -> bool {
    results(operation).into_iter().all(|result| users(result).is_empty())
}

pub(super) const ONE_CONTEXT: &str =
    "types, attributes, locations and operations of different contexts are never joined";

/// Panics if a type or an attribute belongs to another context.
pub(crate) fn require_context(context: &Context, types: &[Type<'_>], attributes: &[Attribute<'_>]) {
    let expected = context.to_raw().ptr;
    // SAFETY: the types and the attributes are valid.
    let (mut types, mut attributes) = unsafe {
        let types = types.iter().map(|ty| mlirTypeGetContext(ty.to_raw()).ptr);
        (types, attributes.iter().map(|attribute| mlirAttributeGetContext(attribute.to_raw()).ptr))
    };
    let same = types.all(|context| context == expected) && attributes.all(|context| context == expected);
    assert!(same, "{ONE_CONTEXT}");
}

/// The block that contains an operation; `None` for the outermost operation and for an erased one.
pub fn block<'c>(operation: Op<'c>) -> Option<Blk<'c>> {
    // SAFETY: the operation is valid, and its block lives as long as its parent.
    unsafe { Blk::from_option_raw(mlirOperationGetBlock(operation.to_raw())) }
}

/// The operation after this one in its block.
pub fn next<'c>(operation: Op<'c>) -> Option<Op<'c>> {
    operation.next_in_block().map(op)
}

/// The operation that contains the block of this one.
pub fn parent<'c>(operation: Op<'c>) -> Option<Op<'c>> {
    OperationLike::parent_operation(&operation).map(op)
}

/// The operations of a block, including the terminator.
pub fn block_operations<'c>(block: Blk<'c>) -> Vec<Op<'c>> {
    let mut operations = vec![];
    let mut current = block.first_operation().map(op);
    while let Some(operation) = current {
        operations.push(operation);
        current = operation.next_in_block().map(op);
    }
    operations
}

/// The first block of a region of an operation; `None` if the region is absent or empty.
pub fn body<'c>(operation: Op<'c>, region: usize) -> Option<Blk<'c>> {
    // The error of a region that is absent would print the operation, which verifies and numbers the whole program.
    (region < operation.region_count()).then(|| operation.region(region).ok())??.first_block().map(blk)
}

/// The arguments of a block.
pub fn arguments<'c>(block: Blk<'c>) -> Vec<Val<'c>> {
    (0..block.argument_count()).filter_map(|i| block.argument(i).ok()).map(val).collect()
}

/// An operation and all operations nested in it, in pre-order.
pub fn descendants<'c>(root: Op<'c>) -> Vec<Op<'c>> {
    let mut found = vec![];
    root.walk(WalkOrder::PreOrder, |operation| {
        // SAFETY: the operation is nested in the root, and is valid as long as the root.
        found.push(unsafe { Op::from_raw(operation.to_raw()) });
        WalkResult::Advance
    });
    found
}

/// The operations of this name among an operation and its descendants, in pre-order.
pub fn find<'c>(root: Op<'c>, wanted: &str) -> Vec<Op<'c>> {
    descendants(root).into_iter().filter(|operation| name(*operation) == wanted).collect()
}

/// A string of the C API; `None` if it is not UTF-8. (`StringRef::as_str` panics on an empty string.)
///
/// # Safety
/// The pointer must refer to `length` bytes that live as long as the result.
pub(crate) unsafe fn text<'a>(raw: MlirStringRef) -> Option<&'a str> {
    if raw.length == 0 {
        return Some("");
    }
    // SAFETY: guaranteed by the caller.
    unsafe { StringRef::from_raw(raw) }.as_str().ok()
}

/// The regions of an operation.
pub fn regions<'c>(operation: Op<'c>) -> Vec<RegionRef<'c, 'c>> {
    OperationLike::regions(&operation).collect()
}

/// The blocks of all regions of an operation.
pub fn blocks<'c>(operation: Op<'c>) -> Vec<Blk<'c>> {
    let mut blocks = vec![];
    for region in regions(operation) {
        let mut current = region.first_block().map(blk);
        while let Some(block) = current {
            blocks.push(block);
            current = block.next_in_region().map(blk);
        }
    }
    blocks
}
