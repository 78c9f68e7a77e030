//! Changes of operations in place: their attributes, operands, uses and positions.
use super::{
    erased::{self, Lifetime, lifetime, lifetime_of_value},
    handles::{Op, Val, block, context, parent, require_context},
};
use melior::{
    StringRef,
    ir::{Attribute, AttributeLike, Location, ValueLike, operation::OperationLike},
};
use mlir_sys::*;
use std::collections::HashMap;

/// Sets an attribute.
///
/// # Panics
/// If the attribute belongs to another context.
pub fn set_attribute<'c>(operation: Op<'c>, name: &str, attribute: Attribute<'c>) {
    require_context(context(operation), &[], &[attribute]);
    // SAFETY: both are valid and belong to one context.
    unsafe { mlirOperationSetAttributeByName(operation.to_raw(), StringRef::new(name).to_raw(), attribute.to_raw()) }
}

/// Sets the location of an operation.
pub fn set_location<'c>(operation: Op<'c>, location: Location<'c>) {
    // SAFETY: the operation is valid, and the location belongs to a context with the lifetime of the operation's, of which a
    // program has one.
    unsafe { mlirOperationSetLocation(operation.to_raw(), location.to_raw()) }
}

/// Removes an attribute, if present.
pub fn remove_attribute(operation: Op<'_>, name: &str) {
    // SAFETY: the operation is valid.
    unsafe { mlirOperationRemoveAttributeByName(operation.to_raw(), StringRef::new(name).to_raw()) };
}

/// Replaces all uses of a value.
///
/// # Panics
/// If the values belong to different modules.
pub fn replace_uses<'c>(of: Val<'c>, with: Val<'c>) {
    require_same_lifetime(lifetime_of_value(of), lifetime_of_value(with));
    // SAFETY: both values are valid, and one does not outlive the other.
    unsafe { mlirValueReplaceAllUsesOfWith(of.to_raw(), with.to_raw()) }
}

/// Panics if the modules differ: one may be freed before the other.
pub(super) fn require_same_lifetime(one: Lifetime, other: Lifetime) {
    assert!(one == other, "operations and values of different modules are never joined");
}

/// Panics on an invalid move: of or to a detached operation, into the operation itself, or to another module.
fn require_move(operation: Op<'_>, anchor: Op<'_>) {
    erased::require_inside(operation);
    require_same_lifetime(lifetime(operation), lifetime(anchor));
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
    require_same_lifetime(lifetime(operation), lifetime_of_value(value));
    // SAFETY: both are valid, the value does not outlive the module of the operation, and the operation has such an
    // operand.
    unsafe { mlirOperationSetOperand(operation.to_raw(), i as isize, value.to_raw()) }
}
