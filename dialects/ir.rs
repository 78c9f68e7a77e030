//! A thin, safe layer over MLIR's C API: operations, values, and a builder.
//!
//! melior ties values to their block; a pass that rewrites IR needs handles that live longer. [`Op`], [`Val`] and
//! [`Blk`] live as long as the borrow of the module, or the run of the pass, in which they were made. They stay valid
//! for all of that time, even if [`erase`] removes what they refer to.
//!
//! ```no_run
//! #![forbid(unsafe_code)]
//! # use mdh_dialects::ir; use melior::Context;
//! let context = Context::new();
//! let module = ir::parse_module(&context, b"module {}").unwrap();
//! let operation = ir::op(module.as_operation());
//! ir::name(operation);
//! drop(module);
//! ```
//!
//! A handle cannot outlive its module:
//!
//! ```compile_fail,E0505
//! #![forbid(unsafe_code)]
//! # use mdh_dialects::ir; use melior::Context;
//! let context = Context::new();
//! let module = ir::parse_module(&context, b"module {}").unwrap();
//! let operation = ir::op(module.as_operation());
//! drop(module);
//! ir::name(operation);
//! ```
//!
//! Neither can the values and blocks that are reached from it:
//!
//! ```compile_fail,E0505
//! #![forbid(unsafe_code)]
//! # use mdh_dialects::ir; use melior::Context;
//! let context = Context::new();
//! let module = ir::parse_module(&context, b"module {}").unwrap();
//! let block = ir::body(ir::op(module.as_operation()), 0).unwrap();
//! drop(module);
//! ir::arguments(block);
//! ```
//!
//! No handle can exist while passes of MLIR, which erase operations, run on the module:
//!
//! ```compile_fail,E0502
//! #![forbid(unsafe_code)]
//! # use mdh_dialects::ir; use melior::{Context, pass::PassManager};
//! let context = Context::new();
//! let mut module = ir::parse_module(&context, b"module {}").unwrap();
//! let operation = ir::op(module.as_operation());
//! PassManager::new(&context).run(&mut module).unwrap();
//! ir::name(operation);
//! ```
//!
//! A type or an attribute cannot outlive its context:
//!
//! ```compile_fail,E0505
//! #![forbid(unsafe_code)]
//! # use mdh_dialects::ir; use melior::Context;
//! let context = Context::new();
//! let module = ir::parse_module(&context, b"module attributes {a = 1} {}").unwrap();
//! let attribute = ir::attribute(ir::op(module.as_operation()), "a").unwrap();
//! drop((module, context));
//! ir::integer_attribute(attribute);
//! ```
mod arith;
mod attributes;
mod builder;
mod constructors;
mod erased;
mod op_view;
mod tensors;
#[cfg(test)]
mod tests;

use erased::{Home, home, home_of_block, home_of_value};
use melior::{
    Context, StringRef,
    ir::{
        Attribute, AttributeLike, BlockLike, BlockRef, Module, OperationRef, RegionLike, RegionRef, Type, TypeLike,
        Value, ValueLike,
        operation::{OperationLike, WalkOrder, WalkResult},
    },
};
use mlir_sys::*;
use std::collections::HashMap;

pub use arith::{FloatPredicate, IntPredicate};
pub use attributes::*;
pub use builder::*;
pub use constructors::{AddressSpace, DYNAMIC, Linkage, SEGMENTS, ShuffleMode, Unroll, segments};
pub(crate) use erased::run_pass;
pub use erased::{erase, erase_argument, rewrite};
pub use op_view::OpView;
pub(crate) use op_view::op_view;
pub use tensors::groups;

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
    unsafe { crate::ffi::mdhOperationIsCommutative(operation.to_raw()) }
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

/// Sets an attribute.
///
/// # Panics
/// If the attribute belongs to another context.
pub fn set_attribute<'c>(operation: Op<'c>, name: &str, attribute: Attribute<'c>) {
    require_context(context(operation), &[], &[attribute]);
    // SAFETY: both are valid and belong to one context.
    unsafe { mlirOperationSetAttributeByName(operation.to_raw(), StringRef::new(name).to_raw(), attribute.to_raw()) }
}

/// Removes an attribute, if present.
pub fn remove_attribute(operation: Op<'_>, name: &str) {
    // SAFETY: the operation is valid.
    unsafe { mlirOperationRemoveAttributeByName(operation.to_raw(), StringRef::new(name).to_raw()) };
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

/// Replaces all uses of a value.
///
/// # Panics
/// If the values belong to different modules.
pub fn replace_uses<'c>(of: Val<'c>, with: Val<'c>) {
    require_same_home(home_of_value(of), home_of_value(with));
    // SAFETY: both values are valid, and one does not outlive the other.
    unsafe { mlirValueReplaceAllUsesOfWith(of.to_raw(), with.to_raw()) }
}

/// Panics if the modules differ: one may be freed before the other.
fn require_same_home(one: Home, other: Home) {
    assert!(one == other, "operations and values of different modules are never joined");
}

const ONE_CONTEXT: &str = "types, attributes, locations and operations of different contexts are never joined";

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

/// Panics on an invalid move: of or to a detached operation, into the operation itself, or to another module.
fn require_move(operation: Op<'_>, anchor: Op<'_>) {
    erased::require_inside(operation);
    require_same_home(home(operation), home(anchor));
    let mut around = Some(anchor);
    while let Some(current) = around {
        assert!(current != operation, "an operation moves to before or behind others, not into itself");
        around = parent(current);
    }
    assert!(block(operation).is_some() && block(anchor).is_some(), "an operation that is erased has no place");
}

/// Moves an operation before another one.
///
/// # Panics
/// If one of them is erased, the anchor is nested in the operation, or they belong to different modules.
pub fn move_before(operation: Op<'_>, anchor: Op<'_>) {
    require_move(operation, anchor);
    // SAFETY: both are valid and in blocks of one module, and the anchor is not nested in the operation.
    unsafe { mlirOperationMoveBefore(operation.to_raw(), anchor.to_raw()) }
}

/// Moves an operation after another one.
///
/// # Panics
/// As [`move_before`].
pub fn move_after(operation: Op<'_>, anchor: Op<'_>) {
    require_move(operation, anchor);
    // SAFETY: as for `move_before`.
    unsafe { mlirOperationMoveAfter(operation.to_raw(), anchor.to_raw()) }
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

/// Looks up the operation that a symbol names in the nearest symbol table only, as the verifier does.
pub fn lookup_symbol<'c>(from: Op<'c>, symbol: &str) -> Option<Op<'c>> {
    // SAFETY: the operation is live, and the symbol lives during the call; a null result becomes `None`.
    unsafe { Op::from_option_raw(crate::ffi::mdhLookupSymbol(from.to_raw(), StringRef::new(symbol).to_raw())) }
}

/// The symbol of the function that a call names.
pub fn callee_symbol<'c>(call: Op<'c>) -> Option<&'c str> {
    attribute(call, "callee").and_then(symbol_attribute)
}

/// The function that a call names, if the nearest symbol table has it.
pub fn callee<'c>(call: Op<'c>) -> Option<Op<'c>> {
    lookup_symbol(call, callee_symbol(call)?)
}

/// The symbol of the function that a `func.call` or a `func.constant` refers to.
pub fn function_reference<'c>(operation: Op<'c>) -> Option<&'c str> {
    match name(operation) {
        "func.call" => callee_symbol(operation),
        "func.constant" => attribute(operation, "value").and_then(symbol_attribute),
        _ => None,
    }
}

/// A symbol that the nearest symbol table does not have: `first`, or `first_0`, `first_1`, …
pub fn unused_symbol(from: Op<'_>, first: &str) -> String {
    symbol_where(from, first, |_| false)
}

/// The first of `first`, `first_0`, `first_1`, … that the nearest symbol table does not have, or that is wanted.
pub fn symbol_where(from: Op<'_>, first: &str, is_wanted: impl Fn(&str) -> bool) -> String {
    let numbered = (0..).map(|i| format!("{first}_{i}"));
    let mut names = std::iter::once(first.to_owned()).chain(numbered);
    let is_free = |name: &String| is_wanted(name) || lookup_symbol(from, name).is_none();
    names.find(is_free).unwrap_or_else(|| first.to_owned())
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

/// The sizes of a ranked tensor or memref type, each `None` if dynamic; `None` for other types.
pub fn shape(ty: Type<'_>) -> Option<Vec<Option<u64>>> {
    // SAFETY: the type is valid, and only a ranked shaped type is queried for its sizes.
    unsafe {
        let raw = ty.to_raw();
        if !mlirTypeIsAShaped(raw) || !mlirShapedTypeHasRank(raw) {
            return None;
        }
        Some(
            (0..mlirShapedTypeGetRank(raw) as isize)
                .map(|i| (!mlirShapedTypeIsDynamicDim(raw, i)).then(|| mlirShapedTypeGetDimSize(raw, i) as u64))
                .collect(),
        )
    }
}

/// The strides and the offset of a memref type, in elements, each `None` if dynamic; `None` for other types and
/// non-strided layouts.
pub fn strides(ty: Type<'_>) -> Option<(Vec<Option<i64>>, Option<i64>)> {
    // SAFETY: the type is a valid memref, and the buffer has as many strides as the memref has dimensions.
    unsafe {
        let raw = ty.to_raw();
        if !mlirTypeIsAMemRef(raw) {
            return None;
        }
        let (mut strides, mut offset) = (vec![0; mlirShapedTypeGetRank(raw) as usize], 0);
        let found = mlirMemRefTypeGetStridesAndOffset(raw, strides.as_mut_ptr(), &mut offset);
        let dynamic = mlirShapedTypeGetDynamicStrideOrOffset();
        let known = |value: i64| (value != dynamic).then_some(value);
        (found.value != 0).then(|| (strides.into_iter().map(known).collect(), known(offset)))
    }
}

/// The element type of a shaped type.
pub fn element_type<'c>(ty: Type<'c>) -> Option<Type<'c>> {
    // SAFETY: the type is valid, and only a shaped type is queried for its element type.
    unsafe { mlirTypeIsAShaped(ty.to_raw()).then(|| Type::from_raw(mlirShapedTypeGetElementType(ty.to_raw()))) }
}

/// The element type of a shaped type; another type itself.
pub fn element_type_or_self<'c>(ty: Type<'c>) -> Type<'c> {
    element_type(ty).unwrap_or(ty)
}

/// The type of both parts of a complex type; `None` for another type.
pub fn complex_part<'c>(ty: Type<'c>) -> Option<Type<'c>> {
    // SAFETY: the type is valid, and only a complex type is queried for that of its parts.
    unsafe { mlirTypeIsAComplex(ty.to_raw()).then(|| Type::from_raw(mlirComplexTypeGetElementType(ty.to_raw()))) }
}

/// The type with its element type replaced: of a vector, a ranked tensor, or a scalar.
///
/// # Panics
/// If the types belong to different contexts.
pub fn with_element<'c>(ty: Type<'c>, element: Type<'c>) -> Type<'c> {
    let raw = ty.to_raw();
    // SAFETY: the types are valid and of one context, and only a shaped type is queried for its shape.
    unsafe {
        assert!(mlirTypeGetContext(raw).ptr == mlirTypeGetContext(element.to_raw()).ptr, "{ONE_CONTEXT}");
        let rank = if mlirTypeIsAShaped(raw) && mlirShapedTypeHasRank(raw) { mlirShapedTypeGetRank(raw) } else { 0 };
        let sizes: Vec<_> = (0..rank as isize).map(|i| mlirShapedTypeGetDimSize(raw, i)).collect();
        match () {
            () if mlirTypeIsAVector(raw) => {
                let scalable: Vec<_> = (0..rank as isize).map(|i| mlirVectorTypeIsDimScalable(raw, i)).collect();
                let (sizes, scalable) = (sizes.as_ptr(), scalable.as_ptr());
                Type::from_raw(mlirVectorTypeGetScalable(rank as isize, sizes, scalable, element.to_raw()))
            }
            () if mlirTypeIsARankedTensor(raw) => {
                let encoding = mlirRankedTensorTypeGetEncoding(raw);
                Type::from_raw(mlirRankedTensorTypeGet(rank as isize, sizes.as_ptr(), element.to_raw(), encoding))
            }
            () => element,
        }
    }
}

/// The width of an integer type in bits; 64 for `index`.
pub fn integer_width(ty: Type<'_>) -> u32 {
    // SAFETY: the type is valid, and only an integer type is queried for its width.
    unsafe { if mlirTypeIsAInteger(ty.to_raw()) { mlirIntegerTypeGetWidth(ty.to_raw()) } else { 64 } }
}

/// A map from values to their replacements, with look-up in constant time, because a function may have any number of
/// values.
#[derive(Clone, Debug, Default)]
pub struct ValueMap<'c>(HashMap<usize, Val<'c>>);

impl<'c> ValueMap<'c> {
    /// The replacement of a value; the value itself if it has none.
    pub fn get(&self, value: Val<'c>) -> Val<'c> {
        self.0.get(&(value.to_raw().ptr as usize)).copied().unwrap_or(value)
    }
}

impl<'c> Extend<(Val<'c>, Val<'c>)> for ValueMap<'c> {
    fn extend<I: IntoIterator<Item = (Val<'c>, Val<'c>)>>(&mut self, pairs: I) {
        self.0.extend(pairs.into_iter().map(|(old, new)| (old.to_raw().ptr as usize, new)));
    }
}

impl<'c> FromIterator<(Val<'c>, Val<'c>)> for ValueMap<'c> {
    fn from_iter<I: IntoIterator<Item = (Val<'c>, Val<'c>)>>(pairs: I) -> Self {
        let mut map = Self::default();
        map.extend(pairs);
        map
    }
}

/// Replaces an operand.
///
/// # Panics
/// If the operation has no such operand, or the value belongs to another module.
pub fn set_operand(operation: Op<'_>, i: usize, value: Val<'_>) {
    let count = operation.operand_count();
    assert!(i < count, "an operation of {count} operands has no operand {i}");
    require_same_home(home(operation), home_of_value(value));
    // SAFETY: both are valid, the value does not outlive the module of the operation, and the operation has such an
    // operand.
    unsafe { mlirOperationSetOperand(operation.to_raw(), i as isize, value.to_raw()) }
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

/// Parses and verifies a module, in text or bytecode. `None` on failure, which is reported as diagnostics.
pub fn parse_module<'c>(context: &'c Context, source: &[u8]) -> Option<Module<'c>> {
    // MLIR requires a zero byte after the source.
    let source: Vec<u8> = source.iter().copied().chain([0]).collect();
    let text = MlirStringRef { data: source.as_ptr().cast(), length: source.len() - 1 };
    // SAFETY: the context is valid, the text lives until the call returns, and the returned module is owned here and
    // does not outlive the context.
    unsafe { Module::from_option_raw(mlirModuleCreateParse(context.to_raw(), text)) }
}

/// Parses and verifies a module from a file, whose name becomes part of its locations. `None` on failure, which is
/// reported as diagnostics.
pub fn read_module<'c>(context: &'c Context, path: &str) -> Option<Module<'c>> {
    // SAFETY: as for `parse_module`.
    unsafe { Module::from_option_raw(mlirModuleCreateParseFromFile(context.to_raw(), StringRef::new(path).to_raw())) }
}
