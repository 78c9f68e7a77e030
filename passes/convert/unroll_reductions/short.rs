//! Short reductions inside of other loops: LLVM is asked to unroll them fully, which lets it vectorize the outer loop.
//!
//! The choice depends on the number of operations that an iteration has become, so it is made on operations, and not on
//! the nest.
use mdh_dialects::{
    attributes::LOOP_ANNOTATION,
    ir::{self, Blk, Builder, Op, Unroll},
};
use melior::ir::{TypeLike, ValueLike};

/// The largest number of operations of an unrolled reduction. LLVM's own unroller stops at a few hundred instructions.
pub const UNROLLED_OPERATIONS: i64 = 1024;

/// Annotates the short reductions among an operation and its descendants, inner ones first.
pub fn unroll_in(operation: Op<'_>) {
    ir::find(operation, "scf.for").into_iter().rev().filter(|reduction| is_short(*reduction)).for_each(|reduction| {
        ir::set_attribute(reduction, LOOP_ANNOTATION, Builder::before(reduction).unroll(Unroll::Full));
    });
}

/// Returns true if a loop is a short reduction inside of another operation of the function. It may contain loops that
/// are unrolled themselves.
fn is_short(reduction: Op<'_>) -> bool {
    let is_inside = ir::parent(reduction).is_some_and(|parent| ir::name(parent) != "func.func");
    let count = || trip(reduction)?.checked_mul(unrolled(ir::body(reduction, 0)?)?);
    let is_reduction = !ir::results(reduction).is_empty();
    is_inside && is_reduction && count().is_some_and(|count| count <= UNROLLED_OPERATIONS)
}

/// The number of operations of a block after unrolling the loops in it; `None` if it contains a region that is not
/// unrolled.
pub fn unrolled(block: Blk<'_>) -> Option<i64> {
    ir::block_operations(block).into_iter().try_fold(0i64, |count, operation| {
        let own = match ir::regions(operation).is_empty() {
            // Index arithmetic is mostly shared between unrolled iterations, so it does not count.
            true => i64::from(ir::results(operation).iter().any(|result| !result.r#type().is_index())),
            false => {
                ir::attribute(operation, LOOP_ANNOTATION)?;
                unrolled(ir::body(operation, 0)?)?.saturating_mul(trip(operation)?)
            }
        };
        Some(count.saturating_add(own))
    })
}

/// The trip count of a loop with constant bounds and step 1.
pub fn trip(operation: Op<'_>) -> Option<i64> {
    let bound = |i: usize| {
        let value = ir::defining(*ir::operands(operation).get(i)?)?;
        ir::integer_attribute(ir::attribute(value, "value")?)
    };
    (bound(2)? == 1).then_some(bound(1)?.saturating_sub(bound(0)?))
}
