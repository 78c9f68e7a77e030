//! Loops and branches: `scf.for` and `scf.if`.
use super::index::EmittedIndex::{self, Constant, Value};
use mdh_dialects::ir::{self, Builder, Val};
use melior::ir::Type;

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
    each(b, &operands, types, |b, arguments| body(b, Value(arguments[0]), &arguments[1..]))
}

/// Emits an `scf.for`. `operands`: the bounds, the step and the initial loop-carried values, whose types are `types`.
/// The body receives the induction variable and the loop-carried values.
pub fn each<'c>(
    b: &Builder<'c>,
    operands: &[Val<'c>],
    types: &[Type<'c>],
    body: impl FnOnce(&Builder<'c>, &[Val<'c>]) -> Vec<Val<'c>>,
) -> Vec<Val<'c>> {
    let (region, block) = b.region(&[&[b.index()], types].concat());
    let inside = b.at_end(block);
    let values = body(&inside, &ir::arguments(block));
    inside.op("scf.yield", &values, &[], &[], vec![]);
    ir::results(b.op("scf.for", operands, types, &[], vec![region]))
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
