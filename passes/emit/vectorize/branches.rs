//! `scf.if` on vectors.
//!
//! ```text
//! the condition is the same for all lanes   ──▶   scf.if with vectors as results
//! it differs, and both branches are total   ──▶   the operations of both, then arith.select
//! anything else                             ──▶   lane by lane, as other operations with regions
//! ```
use super::{BUDGET, Replace, Vectorizer, callee, is_total, is_vectorizable_block, size};
use crate::emit::lanes::{lift, select};
use mdh_dialects::ir::{self, Blk, Builder, Op, Val, ValueMap};
use melior::ir::{TypeLike, ValueLike};

impl Vectorizer {
    /// Vectorizes an `scf.if`, if possible.
    pub(super) fn branches<'c>(
        self,
        b: &Builder<'c>,
        operation: Op<'c>,
        map: &mut ValueMap<'c>,
        replace: &mut Replace<'_, 'c>,
    ) -> Option<Vec<Val<'c>>> {
        let [then, otherwise] = branches(operation)?;
        let condition = map.get(*ir::operands(operation).first()?);
        // The condition of a speculated lane may be poison, so no branch may depend on it.
        if self.is_speculated || condition.r#type().is_vector() {
            return is_selectable(operation).then(|| self.select(b, condition, [then, otherwise], map, replace));
        }
        let built = [then, otherwise].map(|block| {
            let (region, built) = b.region(&[]);
            let values = self.block(&b.at_end(built), block, map, replace);
            (region, b.at_end(built), values)
        });
        let [(then_region, then, then_values), (else_region, otherwise, else_values)] = built;
        let pairs: Vec<_> = then_values.into_iter().zip(else_values).collect();
        let is_vector = |(x, y): &(Val<'c>, Val<'c>)| x.r#type().is_vector() || y.r#type().is_vector();
        let same = |b: &Builder<'c>, differs: bool, value: Val<'c>| {
            if differs { lift(b, Some(self.lanes), value) } else { value }
        };
        let then_values: Vec<_> = pairs.iter().map(|pair| same(&then, is_vector(pair), pair.0)).collect();
        let else_values: Vec<_> = pairs.iter().map(|pair| same(&otherwise, is_vector(pair), pair.1)).collect();
        then.op("scf.yield", &then_values, &[], &[], vec![]);
        otherwise.op("scf.yield", &else_values, &[], &[], vec![]);
        let types: Vec<_> = then_values.iter().map(|value| value.r#type()).collect();
        Some(ir::results(b.op("scf.if", &[condition], &types, &[], vec![then_region, else_region])))
    }

    fn select<'c>(
        self,
        b: &Builder<'c>,
        condition: Val<'c>,
        branches: [Blk<'c>; 2],
        map: &mut ValueMap<'c>,
        replace: &mut Replace<'_, 'c>,
    ) -> Vec<Val<'c>> {
        let inside = Self { is_speculated: true, ..self };
        let [then, otherwise] = branches.map(|block| inside.block(b, block, map, replace));
        let differs = condition.r#type().is_vector();
        let chosen = |(x, y): (Val<'c>, Val<'c>)| {
            let is_lifted = differs || x.r#type().is_vector() || y.r#type().is_vector();
            let [x, y] = [x, y].map(|value| if is_lifted { lift(b, Some(self.lanes), value) } else { value });
            select(b, condition, x, y)
        };
        then.into_iter().zip(otherwise).map(chosen).collect()
    }
}

/// Both branches of an `scf.if` with results, if all values in them can be elements of vectors.
fn branches<'c>(operation: Op<'c>) -> Option<[Blk<'c>; 2]> {
    let blocks: [Blk<'c>; 2] = ir::blocks(operation).try_into().ok()?;
    let is_if = ir::name(operation) == "scf.if" && !ir::results(operation).is_empty();
    (is_if && blocks.iter().all(|block| is_vectorizable_block(*block))).then_some(blocks)
}

/// Returns true if an `scf.if` may become both of its branches and selects: they are short, and none of their
/// operations can trap or diverge.
pub fn is_selectable(operation: Op<'_>) -> bool {
    let is_short = |block: &Blk<'_>| size(*block, BUDGET).is_some();
    branches(operation)
        .is_some_and(|blocks| blocks.iter().all(|block| is_short(block) && is_executable_for_all_lanes(*block)))
}

/// Returns true if a block may execute for all lanes as soon as one lane reaches it, entirely on vectors.
fn is_executable_for_all_lanes(block: Blk<'_>) -> bool {
    ir::block_operations(block).split_last().is_none_or(|(_, operations)| {
        let is_call = |operation| {
            callee(operation).is_some_and(|body| is_vectorizable_block(body) && is_executable_for_all_lanes(body))
        };
        operations.iter().all(|&operation| is_total(operation) || is_call(operation) || is_selectable(operation))
    })
}
