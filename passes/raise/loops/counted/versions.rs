//! Loops whose counters could wrap around have a version for when they do not.
//!
//! ```text
//! while (%i ule %n) {               if (%n ule 2^32 - 2) {
//!   ..                                while (%i ule %n) { ..; %j = arith.addi %i, 1 overflow<nuw> }
//!   %j = arith.addi %i, 1    ──▶    } else {
//! }                                   while (%i ule %n) { ..; %j = arith.addi %i, 1 }      mdh.original
//!                                   }
//! ```
//!
//! A bound that is so far from the end of the type that the counter does not pass it is known before the outermost loop.
use super::{Compared, LOOPS};
use crate::analysis::origin::is_defined_in;
use mdh_dialects::{
    attributes::ORIGINAL,
    ir::{self, Builder, Op, Val, ValueMap},
};
use melior::ir::ValueLike;

/// A counter that does not wrap around under a condition.
struct Wrapping<'c> {
    /// The sum of the counter and its step.
    sum: Op<'c>,
    /// True if it does not wrap around as a number without a sign, false for one with a sign.
    is_unsigned: bool,
    /// The truth of the condition.
    condition: Val<'c>,
}

/// Gives the outermost loops around counters that could wrap around a second version.
pub fn run<'c>(module: Op<'c>) {
    let is_loop = |operation: &Op<'c>| ir::name(*operation) == "scf.while" || LOOPS.contains(&ir::name(*operation));
    for root in ir::descendants(module).into_iter().filter(is_loop) {
        let around = || std::iter::successors(ir::parent(root), |outer| ir::parent(*outer));
        if ir::attribute(root, ORIGINAL).is_some() || around().any(|outer| is_loop(&outer)) {
            continue;
        }
        let found: Vec<_> = ir::find(root, "scf.while").into_iter().filter_map(|inner| wrapping(inner, root)).collect();
        if !found.is_empty() {
            build(root, &found);
        }
    }
}

/// The condition of a loop, before the outermost loop around it; `None` if it counts without one, or does not count.
fn wrapping<'c>(operation: Op<'c>, root: Op<'c>) -> Option<Wrapping<'c>> {
    let compared = Compared::of(operation)?;
    if compared.counting(compared.step).is_some() {
        return None;
    }
    let mut counting = compared.counting(compared.step.assumed_exact(compared.next)?)?;
    counting.bound = compared.outside(operation);
    if [counting.bound, counting.start].into_iter().any(|value| is_defined_in(value, root)) {
        return None;
    }
    let sum = ir::defining(compared.next)?;
    let condition = counting.stays(&Builder::before(root), &compared.condition)?;
    Some(Wrapping { sum, is_unsigned: counting.is_unsigned, condition })
}

/// Builds a branch with a copy of a loop in which these sums do not wrap around, and the loop.
fn build<'c>(root: Op<'c>, found: &[Wrapping<'c>]) {
    let b = Builder::before(root);
    let and = |one, other| b.value("arith.andi", &[one, other], b.integer(1), &[]);
    let Some(condition) = found.iter().map(|wrapping| wrapping.condition).reduce(and) else { return };
    let results = ir::results(root);
    let types: Vec<_> = results.iter().map(|result| result.r#type()).collect();
    let ((fast, block), (slow, other)) = (b.region(&[]), b.region(&[]));
    let copy = b.at_end(block).clone_mapped(root, &ValueMap::default());
    let (old, new) = (ir::descendants(root), ir::descendants(copy));
    for wrapping in found {
        let Some(position) = old.iter().position(|operation| *operation == wrapping.sum) else { continue };
        let promised = |flag: &str| ir::promises(wrapping.sum, flag);
        let [signed, unsigned] = [promised("nsw") || !wrapping.is_unsigned, promised("nuw") || wrapping.is_unsigned];
        let flags = b.overflow(i64::from(signed) + 2 * i64::from(unsigned));
        ir::set_attribute(new[position], "overflowFlags", flags);
    }
    b.at_end(block).op("scf.yield", &ir::results(copy), &[], &[], vec![]);
    let branch = b.op("scf.if", &[condition], &types, &[], vec![fast, slow]);
    for (result, value) in results.iter().zip(ir::results(branch)) {
        ir::replace_uses(*result, value);
    }
    let end = b.at_end(other).op("scf.yield", &results, &[], &[], vec![]);
    ir::move_before(root, end);
    ir::set_attribute(root, ORIGINAL, b.unit());
}
