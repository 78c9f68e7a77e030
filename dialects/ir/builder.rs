//! The builder of operations.
use super::{
    changes::{ValueMap, replace_uses, require_same_lifetime},
    erased::{self, erase, lifetime, lifetime_of_block, lifetime_of_value},
    handles::{
        self, Blk, ONE_CONTEXT, Op, Val, block, block_operations, blocks, context, descendants, operands,
        require_context, results, val,
    },
};
use crate::ffi::declarations::mdhOperationCloneMapped;
use melior::{
    Context,
    ir::{
        Attribute, Block, BlockLike, Identifier, Location, Operation, RegionLike, Type, ValueLike,
        operation::{OperationBuilder, OperationLike, WalkOrder, WalkResult},
    },
};
use mlir_sys::*;
use std::{collections::HashSet, mem::ManuallyDrop};

/// A region without an owner. If no operation takes it, it is never freed, because handles to its contents may exist.
pub struct Region<'c>(ManuallyDrop<melior::ir::Region<'c>>);

impl<'c> Region<'c> {
    /// A region without blocks.
    pub fn new() -> Self {
        Self(ManuallyDrop::new(melior::ir::Region::new()))
    }
}

impl Default for Region<'_> {
    fn default() -> Self {
        Self::new()
    }
}

const NO_PLACE: &str = "an operation that is erased, or that no block holds, has no place before it";

/// An insertion point: before an operation, or at the end of a block.
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
    ///
    /// # Panics
    /// If no block contains the operation.
    pub fn before(operation: Op<'c>) -> Self {
        let Some(block) = block(operation) else { panic!("{NO_PLACE}") };
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

    /// The same insertion point, with the location of an operation.
    pub fn located(&self, at: Op<'c>) -> Self {
        Self { location: at.location(), ..*self }
    }

    /// The block of the insertion point.
    pub fn block(&self) -> Blk<'c> {
        self.block
    }

    /// The operation before the insertion point; `None` at the start of a block.
    pub fn previous(&self) -> Option<Op<'c>> {
        block_operations(self.block).into_iter().take_while(|operation| Some(*operation) != self.before).last()
    }

    /// The operations between `previous`, which [`previous`](Self::previous) returned earlier, and the insertion point.
    pub fn built_after(&self, previous: Option<Op<'c>>) -> Vec<Op<'c>> {
        let first = match previous {
            Some(previous) => OperationLike::next_in_block(&previous).map(handles::op),
            None => self.block.first_operation().map(handles::op),
        };
        let next = |operation: &Op<'c>| OperationLike::next_in_block(operation).map(handles::op);
        std::iter::successors(first, next).take_while(|operation| Some(*operation) != self.before).collect()
    }

    /// The block of the insertion point and its lifetime. Panics if the operation before which to insert was erased, or the
    /// contexts differ.
    fn place(&self) -> (Blk<'c>, erased::Lifetime) {
        let block = match self.before.map(block) {
            Some(block) => block.unwrap_or_else(|| panic!("{NO_PLACE}")),
            None => self.block,
        };
        // SAFETY: the location and the block are valid, and so is the parent of the block.
        let (location, around) = unsafe {
            let parent = mlirBlockGetParentOperation(block.to_raw());
            let around = (!parent.ptr.is_null()).then(|| mlirOperationGetContext(parent).ptr);
            (mlirLocationGetContext(self.location.to_raw()).ptr, around)
        };
        let own = self.context.to_raw().ptr;
        assert!(location == own && around.is_none_or(|around| around == own), "{ONE_CONTEXT}");
        (block, lifetime_of_block(block))
    }

    /// Declares a private function. `attributes`: further ones.
    pub fn declare_function(
        &self,
        symbol: &str,
        operands: &[Type<'c>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
    ) {
        let own = [
            ("sym_name", self.string(symbol)),
            ("function_type", self.type_of(self.function(operands, results))),
            ("sym_visibility", self.string("private")),
        ];
        self.op("func.func", &[], &[], &[&own, attributes].concat(), vec![Region::new()]);
    }

    /// Builds an operation.
    ///
    /// # Panics
    /// If the operation before which to insert is erased, or an operand, a region, a type or an attribute belongs to
    /// another module or context.
    pub fn op(
        &self,
        name: &str,
        operands: &[Val<'c>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
        regions: Vec<Region<'c>>,
    ) -> Op<'c> {
        let lifetime = self.require_operands(operands);
        let values: Vec<_> = attributes.iter().map(|(_, attribute)| *attribute).collect();
        require_context(self.context, results, &values);
        let regions = regions.into_iter().map(|region| {
            let region = ManuallyDrop::into_inner(region.0);
            if let Some(other) = erased::take_region(region.to_raw()) {
                require_same_lifetime(lifetime, other);
            }
            region
        });
        let attributes: Vec<_> =
            attributes.iter().map(|(name, attribute)| (Identifier::new(self.context, name), *attribute)).collect();
        let built = OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_results(results)
            .add_attributes(&attributes)
            .add_regions_vec(regions.collect())
            .build()
            .unwrap_or_else(|error| unreachable!("{name} can be built: {error}"));
        self.insert(built)
    }

    /// Panics if a value belongs to another module; returns the lifetime of what is built.
    pub(super) fn require_operands(&self, operands: &[Val<'c>]) -> erased::Lifetime {
        let lifetime = self.place().1;
        operands.iter().for_each(|operand| require_same_lifetime(lifetime, lifetime_of_value(*operand)));
        lifetime
    }

    /// Inserts an operation that has been built.
    pub(super) fn insert(&self, built: Operation<'c>) -> Op<'c> {
        match self.before {
            Some(anchor) => self.place().0.insert_operation_before(anchor, built),
            None => self.block.append_operation(built),
        }
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

    /// A region with one block, whose arguments have these types.
    pub fn region(&self, arguments: &[Type<'c>]) -> (Region<'c>, Blk<'c>) {
        require_context(self.context, arguments, &[]);
        let arguments: Vec<_> = arguments.iter().map(|t| (*t, self.location)).collect();
        let region = Region::new();
        erased::add_region(region.0.to_raw(), self.place().1);
        let block = region.0.append_block(Block::new(&arguments));
        // SAFETY: a region is freed only with the operation that takes it, so the block lives as long as the module of
        // this builder.
        let block = unsafe { Blk::from_raw(block.to_raw()) };
        (region, block)
    }

    /// Appends an argument to a block.
    pub fn argument(&self, block: Blk<'c>, ty: Type<'c>) -> Val<'c> {
        require_context(self.context, &[ty], &[]);
        val(block.add_argument(ty, self.location))
    }

    /// Copies a region of an operation.
    ///
    /// # Panics
    /// If the operation has no such region, or belongs to another module.
    pub fn clone_region(&self, operation: Op<'c>, region: usize) -> Region<'c> {
        let (count, lifetime) = (operation.region_count(), self.place().1);
        assert!(region < count, "an operation of {count} regions has no region {region}");
        require_same_lifetime(lifetime, self::lifetime(operation));
        let target = Region::new();
        erased::add_region(target.0.to_raw(), lifetime);
        // SAFETY: the operation is valid and has the region; no other handles to the copy exist.
        unsafe {
            let copy = mlirOperationClone(operation.to_raw());
            mlirRegionTakeBody(target.0.to_raw(), mlirOperationGetRegion(copy, region as isize));
            mlirOperationDestroy(copy);
        }
        target
    }

    /// Clones an operation at the insertion point.
    ///
    /// # Panics
    /// As [`Builder::op`].
    pub fn clone_operation(&self, operation: Op<'c>) -> Op<'c> {
        require_same_lifetime(self.place().1, lifetime(operation));
        self.clone_mapped(operation, &ValueMap::default())
    }

    /// Clones an operation at the insertion point with its operands replaced, also in its regions. Adds no use to
    /// values of the original, not even temporarily: other threads may clone the same operation.
    ///
    /// # Panics
    /// As [`Builder::op`]; also if the operation uses a value of another module or root operation that `map` does not
    /// replace.
    pub fn clone_mapped(&self, operation: Op<'c>, map: &ValueMap<'c>) -> Op<'c> {
        let (block, lifetime) = self.place();
        let inner = descendants(operation);
        let own: HashSet<usize> = inner
            .iter()
            .flat_map(|inner| {
                results(*inner).into_iter().chain(blocks(*inner).into_iter().flat_map(handles::arguments))
            })
            .map(|value| value.to_raw().ptr as usize)
            .collect();
        let used = inner.iter().flat_map(|inner| operands(*inner));
        let used: Vec<_> = used.filter(|value| !own.contains(&(value.to_raw().ptr as usize))).collect();
        let new: Vec<_> = used.iter().map(|value| map.get(*value)).collect();
        new.iter().for_each(|value| require_same_lifetime(lifetime, lifetime_of_value(*value)));
        let raw = |values: &[Val<'c>]| values.iter().map(|value| value.to_raw()).collect::<Vec<_>>();
        let (used, new) = (raw(&used), raw(&new));
        // SAFETY: the operation is valid, both lists have the same length, the block contains the insertion point, and
        // the copy has no other owner.
        unsafe {
            let copy = mdhOperationCloneMapped(operation.to_raw(), used.len() as isize, used.as_ptr(), new.as_ptr());
            match self.before {
                Some(anchor) => mlirBlockInsertOwnedOperationBefore(block.to_raw(), anchor.to_raw(), copy),
                None => mlirBlockAppendOwnedOperation(block.to_raw(), copy),
            }
            Op::from_raw(copy)
        }
    }

    /// Clones the operations of a block, except its terminator, at the insertion point, with its arguments replaced;
    /// returns the replacements of the terminator's operands. `replace` may return values for the results of an
    /// operation instead of cloning it.
    pub fn inline_block(
        &self,
        block: Blk<'c>,
        arguments: &[Val<'c>],
        replace: &mut dyn FnMut(&Builder<'c>, Op<'c>) -> Option<Vec<Val<'c>>>,
    ) -> Vec<Val<'c>> {
        let mut map: ValueMap<'c> = handles::arguments(block).into_iter().zip(arguments.iter().copied()).collect();
        let operations = block_operations(block);
        let Some((terminator, rest)) = operations.split_last() else { return vec![] };
        for &operation in rest {
            let values = self.copy_mapped(operation, &map, replace);
            map.extend(results(operation).into_iter().zip(values));
        }
        operands(*terminator).into_iter().map(|value| map.get(value)).collect()
    }

    /// Clones an operation at the insertion point with its operands replaced, also in its regions; returns its results.
    /// `replace` may instead return values for the results of the operation, or of one nested in it.
    pub fn copy_mapped(
        &self,
        operation: Op<'c>,
        map: &ValueMap<'c>,
        replace: &mut dyn FnMut(&Builder<'c>, Op<'c>) -> Option<Vec<Val<'c>>>,
    ) -> Vec<Val<'c>> {
        let copy = self.clone_mapped(operation, map);
        let mut nested = vec![];
        copy.walk(WalkOrder::PostOrder, |inner| {
            // SAFETY: the operation is nested in the copy, and is valid as long as the copy.
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
