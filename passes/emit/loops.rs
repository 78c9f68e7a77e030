//! Loops and branches: `scf.for` and `scf.if`.
use super::index::Index::{self, Constant, Value};
use mdh_dialects::attributes::LOOP_ANNOTATION;
use mdh_dialects::ir::{self, Builder, Op, Unroll, Val};
use melior::ir::{BlockLike, Type, TypeLike, ValueLike};

/// `for i in lower..upper`, with values carried from one iteration to the next. One iteration is no loop.
pub fn carried<'c>(
    b: &Builder<'c>,
    lower: Index<'c>,
    upper: Index<'c>,
    initial: &[Val<'c>],
    types: &[Type<'c>],
    body: impl FnOnce(&Builder<'c>, Index<'c>, &[Val<'c>]) -> Vec<Val<'c>>,
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

/// An `scf.for` with these operands: bounds, the step, and what is carried, which has these types. `trip`: how many iterations it has, where
/// that is known. The body gets its index and what an iteration has of the values that are carried.
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

/// The operations that an unrolled reduction may have. LLVM by itself stops at a few hundred instructions.
pub const UNROLLED_OPERATIONS: i64 = 1024;

/// Whether a loop is a short reduction inside of another loop: unrolled, it leaves that one to be vectorized. Around loops that are
/// unrolled themselves it may be, too.
fn is_to_unroll<'c>(b: &Builder<'c>, trip: i64, body: ir::Blk<'c>) -> bool {
    // The body of a loop gets its parent when it is complete.
    let is_inside = b.block().parent_operation().is_none_or(|parent| ir::name(ir::op(parent)) != "func.func");
    let count = unrolled(body);
    is_inside
        && ir::arguments(body).len() > 1
        && count.is_some_and(|count| count.saturating_mul(trip) <= UNROLLED_OPERATIONS)
}

/// How many operations a block has once the loops in it are unrolled; none if some operation in it has a region that stays.
pub fn unrolled(block: ir::Blk<'_>) -> Option<i64> {
    ir::block_operations(block).into_iter().try_fold(0i64, |count, operation| {
        let own = match ir::regions(operation).is_empty() {
            // Index arithmetic is the same in most iterations.
            true => i64::from(ir::results(operation).iter().any(|result| !result.r#type().is_index())),
            false => {
                ir::attribute(operation, LOOP_ANNOTATION)?;
                unrolled(ir::body(operation, 0)?)?.saturating_mul(trip(operation)?)
            }
        };
        Some(count.saturating_add(own))
    })
}

/// The iterations of a loop between constants, whose step is 1.
pub fn trip(operation: Op<'_>) -> Option<i64> {
    let bound = |i: usize| {
        let value = ir::defining(*ir::operands(operation).get(i)?)?;
        ir::integer_attribute(ir::attribute(value, "value")?)
    };
    (bound(2)? == 1).then_some(bound(1)?.saturating_sub(bound(0)?))
}

/// `if condition { then } else { otherwise }`, with results.
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
