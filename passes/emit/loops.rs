//! Loops and branches: `scf.for` and `scf.if`.
use super::index::EmittedIndex::{self, Constant, Value};
use mdh_dialects::attributes::LOOP_ANNOTATION;
use mdh_dialects::ir::{self, Builder, Op, Unroll, Val};
use melior::ir::{BlockLike, Type, TypeLike, ValueLike};

/// Emits `for i in lower..upper` with loop-carried values. No loop is created for a single iteration.
pub fn carried<'c>(
    b: &Builder<'c>,
    lower: EmittedIndex<'c>,
    upper: EmittedIndex<'c>,
    initial: &[Val<'c>],
    types: &[Type<'c>],
    body: impl FnOnce(&Builder<'c>, EmittedIndex<'c>, &[Val<'c>]) -> Vec<Val<'c>>,
) -> Vec<Val<'c>> {
    let trip = lower.constant().zip(upper.constant()).map(|(low, high)| high - low);
    match trip {
        Some(..=0) => return initial.to_vec(),
        Some(1) => return body(b, lower, initial),
        _ => {}
    }
    let mut operands = vec![lower.materialize(b), upper.materialize(b), Constant(1).materialize(b)];
    operands.extend(initial);
    each(b, &operands, trip, types, |b, arguments| body(b, Value(arguments[0]), &arguments[1..]))
}

/// Emits an `scf.for`. `operands`: the bounds, the step and the initial loop-carried values, whose types are `types`.
/// `trip`: the trip count, if known. The body receives the induction variable and the loop-carried values.
pub fn each<'c>(
    b: &Builder<'c>,
    operands: &[Val<'c>],
    trip: Option<i64>,
    types: &[Type<'c>],
    body: impl FnOnce(&Builder<'c>, &[Val<'c>]) -> Vec<Val<'c>>,
) -> Vec<Val<'c>> {
    let (region, block) = b.region(&[&[b.index()], types].concat());
    let inside = b.at_end(block);
    let values = body(&inside, &ir::arguments(block));
    inside.op("scf.yield", &values, &[], &[], vec![]);
    let annotation = [(LOOP_ANNOTATION, b.unroll(Unroll::Full))];
    let attributes = if trip.is_some_and(|trip| is_to_unroll(b, trip, block)) { &annotation[..] } else { &[] };
    ir::results(b.op("scf.for", operands, types, attributes, vec![region]))
}

/// The largest number of operations of an unrolled reduction. LLVM's own unroller stops at a few hundred instructions.
pub const UNROLLED_OPERATIONS: i64 = 1024;

/// Returns true if a loop is a short reduction inside another loop: once it is unrolled fully, LLVM can vectorize the
/// outer loop. It may contain loops that are unrolled themselves.
fn is_to_unroll<'c>(b: &Builder<'c>, trip: i64, body: ir::Blk<'c>) -> bool {
    // The block of a loop body gets its parent only when it is complete.
    let is_inside = b.block().parent_operation().is_none_or(|parent| ir::name(ir::op(parent)) != "func.func");
    let count = unrolled(body);
    is_inside
        && ir::arguments(body).len() > 1
        && count.is_some_and(|count| count.saturating_mul(trip) <= UNROLLED_OPERATIONS)
}

/// The number of operations of a block after unrolling the loops in it; `None` if it contains a region that is not
/// unrolled.
pub fn unrolled(block: ir::Blk<'_>) -> Option<i64> {
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

/// Emits `if condition { then } else { otherwise }`, with results.
pub fn branch<'c>(
    b: &Builder<'c>,
    condition: Val<'c>,
    types: &[Type<'c>],
    then: impl FnOnce(&Builder<'c>) -> Vec<Val<'c>>,
    otherwise: impl FnOnce(&Builder<'c>) -> Vec<Val<'c>>,
) -> Vec<Val<'c>> {
    let (then_region, then_block) = b.region(&[]);
    let inside = b.at_end(then_block);
    let values = then(&inside);
    inside.op("scf.yield", &values, &[], &[], vec![]);
    let (else_region, else_block) = b.region(&[]);
    let inside = b.at_end(else_block);
    let values = otherwise(&inside);
    inside.op("scf.yield", &values, &[], &[], vec![]);
    ir::results(b.op("scf.if", &[condition], types, &[], vec![then_region, else_region]))
}
