//! `stablehlo.while` as `scf.while`.
//!
//! ```text
//! "stablehlo.while"(%x) ({                          scf.while (%a = %x) {
//! ^bb0(%a): ..                                        ..
//!   "stablehlo.return"(%c) : tensor<i1>      ──▶      scf.condition(%c[]) %a
//! }, {                                              } do {
//! ^bb0(%a): ..                                      ^bb0(%a): ..
//!   "stablehlo.return"(%n)                            scf.yield %n
//! })                                                }
//! ```
//!
//! A tensor of rank 0 that the loop carries becomes a scalar.
use super::{
    carried::{carried, casts},
    region::RETURN,
};
use mdh_dialects::ir::{self, Blk, Builder, Op, Val};
use melior::ir::{Type, ValueLike};

/// The loop.
pub const WHILE: &str = "stablehlo.while";

/// Replaces a loop. The error is the requirement that it does not meet; nothing has changed then.
pub fn expand(operation: Op<'_>) -> Result<(), String> {
    let operands = ir::operands(operation);
    let types: Vec<Type<'_>> = ir::results(operation).iter().map(|result| result.r#type()).collect();
    let of = |values: Vec<Val<'_>>| values.iter().map(|value| value.r#type().to_string()).collect::<Vec<_>>();
    let wanted: Vec<_> = types.iter().map(ToString::to_string).collect();
    for (number, what) in ["condition", "body"].into_iter().enumerate() {
        let body = ir::body(operation, number).ok_or_else(|| format!("requires a {what}"))?;
        let end = ir::block_operations(body).pop().filter(|end| ir::name(*end) == RETURN);
        let end = end.ok_or_else(|| format!("requires a {what} that ends with {RETURN}"))?;
        let yielded = if number == 0 { vec!["tensor<i1>".to_owned()] } else { wanted.clone() };
        if of(ir::arguments(body)) != wanted || of(ir::operands(end)) != yielded {
            return Err(format!("requires a {what} from ({}) to ({})", wanted.join(", "), yielded.join(", ")));
        }
    }
    if of(operands.clone()) != wanted {
        return Err(format!("requires operands of the types of the results, ({})", wanted.join(", ")));
    }
    let b = Builder::before(operation);
    let regions = vec![b.clone_region(operation, 0), b.clone_region(operation, 1)];
    let carried: Vec<_> = types.iter().map(|ty| carried(&b, *ty)).collect();
    let new = b.op("scf.while", &casts(&b, &operands, &carried), &carried, &[], regions);
    for number in 0..2 {
        let Some(body) = ir::body(new, number) else { continue };
        replace_arguments(&b, body, &carried);
        let Some(end) = ir::block_operations(body).pop() else { continue };
        let here = Builder::before(end);
        match number {
            0 => {
                let condition = here.value("tensor.extract", &ir::operands(end), here.i1(), &[]);
                let all: Vec<_> = [condition].into_iter().chain(ir::arguments(body)).collect();
                here.op("scf.condition", &all, &[], &[], vec![]);
            }
            _ => drop(here.op("scf.yield", &casts(&here, &ir::operands(end), &carried), &[], &[], vec![])),
        }
        ir::erase(end);
    }
    let results = casts(&b, &ir::results(new), &types);
    for (old, new) in ir::results(operation).into_iter().zip(results) {
        ir::replace_uses(old, new);
    }
    ir::erase(operation);
    Ok(())
}

/// Gives the arguments of a block these types.
fn replace_arguments<'c>(b: &Builder<'c>, block: Blk<'c>, types: &[Type<'c>]) {
    let old = ir::arguments(block);
    if old.iter().map(|argument| argument.r#type()).eq(types.iter().copied()) {
        return;
    }
    let of_old: Vec<_> = old.iter().map(|argument| argument.r#type()).collect();
    let new: Vec<_> = types.iter().map(|ty| b.argument(block, *ty)).collect();
    let Some(first) = ir::block_operations(block).first().copied() else { return };
    for (old, new) in old.iter().zip(casts(&Builder::before(first), &new, &of_old)) {
        ir::replace_uses(*old, new);
    }
    old.iter().for_each(|_| ir::erase_argument(block, 0));
}
