//! A thin, safe layer over MLIR's C API: operations, values, and a builder.
//!
//! melior ties values to the block that holds them; a pass that rewrites IR needs handles that live as long as the context.
//! [`Op`] and [`Val`] are such handles. They stay valid until the operation is erased, which only [`erase`] and the upstream passes do.
mod attributes;

use melior::{
    Context, StringRef,
    ir::{
        Attribute, AttributeLike, Block, BlockLike, BlockRef, Location, Module, OperationRef, Region, RegionLike,
        RegionRef, Type, TypeLike, Value, ValueLike,
        operation::{OperationBuilder, OperationLike, WalkOrder, WalkResult},
    },
};
use mlir_sys::*;
use std::collections::HashMap;

pub use attributes::*;

/// An operation that some block owns.
pub type Op<'c> = OperationRef<'c, 'c>;
/// A value of some operation or block.
pub type Val<'c> = Value<'c, 'c>;
/// A block that some region owns.
pub type Blk<'c> = BlockRef<'c, 'c>;

/// The same operation with the lifetime of its context.
pub fn op<'c>(operation: OperationRef<'c, '_>) -> Op<'c> {
    unsafe { Op::from_raw(operation.to_raw()) }
}

/// The same value with the lifetime of its context.
pub fn val<'c>(value: impl ValueLike<'c>) -> Val<'c> {
    unsafe { Val::from_raw(value.to_raw()) }
}

/// The same block with the lifetime of its context.
pub fn blk<'c>(block: BlockRef<'c, '_>) -> Blk<'c> {
    unsafe { Blk::from_raw(block.to_raw()) }
}

/// The context of an operation.
pub fn context<'c>(operation: Op<'c>) -> &'c Context {
    // `ContextRef::to_ref` points into the `ContextRef` itself, so the handle is rebuilt from the raw pointer:
    // `Context` is one pointer wide and the boxed copy is never dropped (that would destroy the context).
    let raw = unsafe { mlirOperationGetContext(operation.to_raw()) };
    CONTEXTS.with(|cache| {
        let mut cache = cache.borrow_mut();
        let known = cache.iter().find(|(pointer, _)| *pointer == raw.ptr as usize);
        let context: &'static Context = match known {
            Some((_, context)) => context,
            None => {
                let context: &'static melior::ContextRef<'static> =
                    Box::leak(Box::new(unsafe { melior::ContextRef::from_raw(raw) }));
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
    unsafe {
        let raw = mlirIdentifierStr(mlirOperationGetName(operation.to_raw()));
        text(raw).unwrap_or_default()
    }
}

/// Whether the operands of an operation can be exchanged, by its definition.
pub fn is_commutative(operation: Op<'_>) -> bool {
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
pub fn set_attribute<'c>(operation: Op<'c>, name: &str, attribute: Attribute<'c>) {
    unsafe { mlirOperationSetAttributeByName(operation.to_raw(), StringRef::new(name).to_raw(), attribute.to_raw()) }
}

/// Removes an attribute, if it is there.
pub fn remove_attribute(operation: Op<'_>, name: &str) {
    unsafe { mlirOperationRemoveAttributeByName(operation.to_raw(), StringRef::new(name).to_raw()) };
}

/// The operation that defines a value; none for a block argument.
pub fn defining<'c>(value: Val<'c>) -> Option<Op<'c>> {
    unsafe {
        if !mlirValueIsAOpResult(value.to_raw()) {
            return None;
        }
        Op::from_option_raw(mlirOpResultGetOwner(value.to_raw()))
    }
}

/// The operations that use a value.
pub fn users<'c>(value: Val<'c>) -> Vec<Op<'c>> {
    let mut users = vec![];
    unsafe {
        let mut current = mlirValueGetFirstUse(value.to_raw());
        while !mlirOpOperandIsNull(current) {
            users.push(Op::from_raw(mlirOpOperandGetOwner(current)));
            current = mlirOpOperandGetNextUse(current);
        }
    }
    users
}

/// Replaces every use of a value.
pub fn replace_uses<'c>(of: Val<'c>, with: Val<'c>) {
    unsafe { mlirValueReplaceAllUsesOfWith(of.to_raw(), with.to_raw()) }
}

/// Erases an operation; its results must have no uses.
pub fn erase(operation: Op<'_>) {
    unsafe { mlirOperationDestroy(operation.to_raw()) }
}

/// Moves an operation to before another one.
pub fn move_before(operation: Op<'_>, anchor: Op<'_>) {
    unsafe { mlirOperationMoveBefore(operation.to_raw(), anchor.to_raw()) }
}

/// Moves an operation to behind another one.
pub fn move_after(operation: Op<'_>, anchor: Op<'_>) {
    unsafe { mlirOperationMoveAfter(operation.to_raw(), anchor.to_raw()) }
}

/// The operation that holds the block of this one.
pub fn parent<'c>(operation: Op<'c>) -> Option<Op<'c>> {
    operation.parent_operation().map(op)
}

/// The operations in the first block of a region, the terminator included.
pub fn block_operations<'c>(block: Blk<'c>) -> Vec<Op<'c>> {
    let mut operations = vec![];
    let mut current = block.first_operation().map(op);
    while let Some(operation) = current {
        operations.push(operation);
        current = operation.next_in_block().map(op);
    }
    operations
}

/// The first block of a region of an operation; none where the region is absent or empty.
pub fn body<'c>(operation: Op<'c>, region: usize) -> Option<Blk<'c>> {
    operation.region(region).ok()?.first_block().map(blk)
}

/// The arguments of a block.
pub fn arguments<'c>(block: Blk<'c>) -> Vec<Val<'c>> {
    (0..block.argument_count()).filter_map(|i| block.argument(i).ok()).map(val).collect()
}

/// An operation and everything below it, in pre-order.
pub fn descendants<'c>(root: Op<'c>) -> Vec<Op<'c>> {
    let mut found = vec![];
    root.walk(WalkOrder::PreOrder, |operation| {
        found.push(unsafe { Op::from_raw(operation.to_raw()) });
        WalkResult::Advance
    });
    found
}

/// The operations of this name in and below an operation, in pre-order.
pub fn find<'c>(root: Op<'c>, wanted: &str) -> Vec<Op<'c>> {
    descendants(root).into_iter().filter(|operation| name(*operation) == wanted).collect()
}

/// The operation that a symbol names, seen from an operation: as the verifier sees it, in the nearest symbol table only.
pub fn lookup_symbol<'c>(from: Op<'c>, symbol: &str) -> Option<Op<'c>> {
    // SAFETY: the operation is alive, and the symbol during the call; null is no operation.
    unsafe { Op::from_option_raw(crate::ffi::mdhLookupSymbol(from.to_raw(), StringRef::new(symbol).to_raw())) }
}

/// A string of the C API; none where it is not UTF-8. (`StringRef::as_str` panics on an empty string.)
pub(crate) fn text<'a>(raw: MlirStringRef) -> Option<&'a str> {
    if raw.length == 0 {
        return Some("");
    }
    unsafe { StringRef::from_raw(raw) }.as_str().ok()
}

/// The sizes of a ranked tensor or memref type, `None` where dynamic; none for other types.
pub fn shape(r#type: Type<'_>) -> Option<Vec<Option<u64>>> {
    unsafe {
        let raw = r#type.to_raw();
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

/// The strides and the offset of a memref type, in elements, `None` where dynamic; none for other types and layouts without strides.
pub fn strides(r#type: Type<'_>) -> Option<(Vec<Option<i64>>, Option<i64>)> {
    unsafe {
        let raw = r#type.to_raw();
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
pub fn element_type<'c>(r#type: Type<'c>) -> Option<Type<'c>> {
    unsafe { mlirTypeIsAShaped(r#type.to_raw()).then(|| Type::from_raw(mlirShapedTypeGetElementType(r#type.to_raw()))) }
}

/// The width of an integer type in bits; `index` has 64.
pub fn integer_width(r#type: Type<'_>) -> u32 {
    unsafe { if mlirTypeIsAInteger(r#type.to_raw()) { mlirIntegerTypeGetWidth(r#type.to_raw()) } else { 64 } }
}

/// Where new operations go: before an operation, or at the end of a block.
#[derive(Clone, Copy)]
pub struct Builder<'c> {
    /// The context of everything that is built.
    pub context: &'c Context,
    /// The location of everything that is built.
    pub location: Location<'c>,
    block: Blk<'c>,
    before: Option<Op<'c>>,
}

impl<'c> Builder<'c> {
    /// Builds before an operation, at its location.
    pub fn before(operation: Op<'c>) -> Self {
        let block = unsafe { Blk::from_raw(mlirOperationGetBlock(operation.to_raw())) };
        Self { context: context(operation), location: operation.location(), block, before: Some(operation) }
    }

    /// The same context and location, at the end of another block.
    pub fn at_end(&self, block: Blk<'c>) -> Self {
        Self { block, before: None, ..*self }
    }

    /// The same context and location, before another operation.
    pub fn at(&self, operation: Op<'c>) -> Self {
        Self { location: self.location, ..Self::before(operation) }
    }

    /// The block in which this builds.
    pub fn block(&self) -> Blk<'c> {
        self.block
    }

    /// A type or attribute from its text; the text is ours, so it always parses.
    pub fn r#type(&self, text: &str) -> Type<'c> {
        Type::parse(self.context, text).unwrap_or_else(|| unreachable!("the type {text} parses"))
    }

    /// An attribute from its text; the text is ours, so it always parses.
    pub fn attribute(&self, text: &str) -> Attribute<'c> {
        Attribute::parse(self.context, text).unwrap_or_else(|| unreachable!("the attribute {text} parses"))
    }

    /// Builds an operation.
    pub fn op(
        &self,
        name: &str,
        operands: &[Val<'c>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
        regions: Vec<Region<'c>>,
    ) -> Op<'c> {
        let attributes: Vec<_> = attributes
            .iter()
            .map(|(name, attribute)| (melior::ir::Identifier::new(self.context, name), *attribute))
            .collect();
        let built = OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_results(results)
            .add_attributes(&attributes)
            .add_regions_vec(regions)
            .build()
            .unwrap_or_else(|error| unreachable!("{name} can be built: {error}"));
        let inserted = match self.before {
            Some(anchor) => self.block.insert_operation_before(anchor, built),
            None => self.block.append_operation(built),
        };
        op(inserted)
    }

    /// Builds an operation with one result.
    pub fn value(
        &self,
        name: &str,
        operands: &[Val<'c>],
        result: Type<'c>,
        attributes: &[(&str, Attribute<'c>)],
    ) -> Val<'c> {
        results(self.op(name, operands, &[result], attributes, vec![]))[0]
    }

    /// A region with one block that has arguments of these types.
    pub fn region(&self, arguments: &[Type<'c>]) -> (Region<'c>, Blk<'c>) {
        let arguments: Vec<_> = arguments.iter().map(|t| (*t, self.location)).collect();
        let region = Region::new();
        let block = region.append_block(Block::new(&arguments));
        let block = unsafe { Blk::from_raw(block.to_raw()) };
        (region, block)
    }

    /// One more argument of a block, the last one.
    pub fn argument(&self, block: Blk<'c>, r#type: Type<'c>) -> Val<'c> {
        val(block.add_argument(r#type, self.location))
    }

    /// Copies a region of an operation.
    pub fn clone_region(&self, operation: Op<'c>, region: usize) -> Region<'c> {
        unsafe {
            let copy = mlirOperationClone(operation.to_raw());
            let target = Region::new();
            mlirRegionTakeBody(target.to_raw(), mlirOperationGetRegion(copy, region as isize));
            mlirOperationDestroy(copy);
            target
        }
    }

    /// Copies an operation to here.
    pub fn clone_operation(&self, operation: Op<'c>) -> Op<'c> {
        unsafe {
            let copy = mlirOperationClone(operation.to_raw());
            match self.before {
                Some(anchor) => mlirBlockInsertOwnedOperationBefore(self.block.to_raw(), anchor.to_raw(), copy),
                None => mlirBlockAppendOwnedOperation(self.block.to_raw(), copy),
            }
            Op::from_raw(copy)
        }
    }

    /// Copies the operations of a block, but for its terminator, to here, with its arguments replaced; returns what the
    /// terminator's operands become. `replace` may give a value for an operation's result instead of copying the operation.
    pub fn inline_block(
        &self,
        block: Blk<'c>,
        arguments: &[Val<'c>],
        replace: &mut dyn FnMut(&Builder<'c>, Op<'c>) -> Option<Vec<Val<'c>>>,
    ) -> Vec<Val<'c>> {
        let mut map: ValueMap<'c> = self::arguments(block).into_iter().zip(arguments.iter().copied()).collect();
        let operations = block_operations(block);
        let Some((terminator, rest)) = operations.split_last() else { return vec![] };
        for &operation in rest {
            let values = self.copy_mapped(operation, &map, replace);
            map.extend(results(operation).into_iter().zip(values));
        }
        operands(*terminator).into_iter().map(|value| map.get(value)).collect()
    }

    /// Copies an operation to here with other operands, also inside of its regions; returns its results. `replace` may give values
    /// for the results of it, or of an operation inside of it, instead.
    pub fn copy_mapped(
        &self,
        operation: Op<'c>,
        map: &ValueMap<'c>,
        replace: &mut dyn FnMut(&Builder<'c>, Op<'c>) -> Option<Vec<Val<'c>>>,
    ) -> Vec<Val<'c>> {
        let copy = self.clone_operation(operation);
        remap(copy, map);
        let mut nested = vec![];
        copy.walk(WalkOrder::PostOrder, |inner| {
            nested.push(unsafe { Op::from_raw(inner.to_raw()) });
            WalkResult::Advance
        });
        for inner in nested {
            let here = Builder { location: self.location, ..Builder::before(inner) };
            if let Some(values) = replace(&here, inner) {
                for (old, new) in results(inner).into_iter().zip(&values) {
                    replace_uses(old, *new);
                }
                erase(inner);
                if inner == copy {
                    return values;
                }
            }
        }
        results(copy)
    }
}

/// What values become; found in constant time, because a function may have any number of them.
#[derive(Clone, Debug, Default)]
pub struct ValueMap<'c>(HashMap<usize, Val<'c>>);

impl<'c> ValueMap<'c> {
    /// What a value becomes: itself, if nothing else is said.
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

fn remap<'c>(operation: Op<'c>, map: &ValueMap<'c>) {
    operation.walk(WalkOrder::PreOrder, |inner| {
        for (i, operand) in operands(op(inner)).into_iter().enumerate() {
            let new = map.get(operand);
            if new != operand {
                set_operand(op(inner), i, new);
            }
        }
        WalkResult::Advance
    });
}

/// Exchanges an operand.
pub fn set_operand(operation: Op<'_>, i: usize, value: Val<'_>) {
    unsafe { mlirOperationSetOperand(operation.to_raw(), i as isize, value.to_raw()) }
}

/// The regions of an operation.
pub fn regions<'c>(operation: Op<'c>) -> Vec<RegionRef<'c, 'c>> {
    operation.regions().map(|region| unsafe { RegionRef::from_raw(region.to_raw()) }).collect()
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

/// Parses and verifies a module, text or bytecode. Diagnostics say why there is none.
pub fn parse_module<'c>(context: &'c Context, source: &[u8]) -> Option<Module<'c>> {
    // MLIR wants a zero byte after the source.
    let source: Vec<u8> = source.iter().copied().chain([0]).collect();
    let text = MlirStringRef { data: source.as_ptr().cast(), length: source.len() - 1 };
    unsafe { Module::from_option_raw(mlirModuleCreateParse(context.to_raw(), text)) }
}

/// Reads and verifies a module from a file, whose name is in its locations. Diagnostics say why there is none.
pub fn read_module<'c>(context: &'c Context, path: &str) -> Option<Module<'c>> {
    unsafe { Module::from_option_raw(mlirModuleCreateParseFromFile(context.to_raw(), StringRef::new(path).to_raw())) }
}
