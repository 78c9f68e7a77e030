//! Loops whose body is in a branch of their condition, as `lift-cf-to-scf` makes them.
//!
//! ```text
//! scf.while (%i = %a) {                               scf.while (%i = %a) {
//!   %r = arith.cmpi slt, %i, %n                         %r = arith.cmpi slt, %i, %n
//!   %v = scf.if %r {                                    scf.condition(%r) %i
//!     %d = f(%i)                                      } do {
//!     scf.yield %d                            ──▶       %d = f(%i)
//!   } else {                                            scf.yield %d
//!     scf.yield %p                                    }
//!   }
//!   scf.condition(%r) %v
//! } do {
//!   scf.yield %v
//! }
//! ```
use mdh_dialects::ir::{self, Builder, Op, Val, ValueMap};
use melior::ir::{Type, ValueLike};

/// The parts of a loop whose body is in a branch of its condition.
struct Branching<'c> {
    operation: Op<'c>,
    /// What computes the condition.
    pure: Vec<Op<'c>>,
    branch: Op<'c>,
    truth: Val<'c>,
    /// What the condition passes on.
    passed: Vec<Val<'c>>,
}

/// Moves the body of a loop out of its condition.
pub fn moved(operation: Op<'_>) {
    if let Some(branching) = Branching::of(operation) {
        branching.moved();
    }
}

/// True for an operation that may be executed once more.
fn is_pure(operation: Op<'_>) -> bool {
    const MAY_FAIL: [&str; 7] = ["divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui", "floordivsi"];
    let name = ir::name(operation).strip_prefix("arith.");
    name.is_some_and(|name| !MAY_FAIL.contains(&name))
}

impl<'c> Branching<'c> {
    fn of(operation: Op<'c>) -> Option<Self> {
        let before = ir::block_operations(ir::body(operation, 0)?);
        let [pure @ .., branch, condition] = &before[..] else { return None };
        let (truth, passed) = ir::operands(*condition).split_first().map(|(truth, rest)| (*truth, rest.to_vec()))?;
        let is_branch = ir::name(*branch) == "scf.if" && ir::operands(*branch) == [truth];
        let otherwise = ir::body(*branch, 1).map(ir::block_operations);
        // The branch that ends the loop computes nothing.
        let is_empty = otherwise.is_none_or(|operations| operations.len() == 1);
        let is_moved = is_branch && is_empty && pure.iter().all(|operation| is_pure(*operation));
        is_moved.then(|| Self { operation, pure: pure.to_vec(), branch: *branch, truth, passed })
    }

    /// The values that the condition passes on at the end of one of the branches, whose own values are `of_branch`.
    fn values(&self, map: &ValueMap<'c>, of_branch: &[Val<'c>]) -> Vec<Val<'c>> {
        let results = ir::results(self.branch);
        let value = |value: &Val<'c>| match results.iter().position(|result| result == value) {
            Some(position) => of_branch[position],
            None => map.get(*value),
        };
        self.passed.iter().map(value).collect()
    }

    /// Clones the operations of the condition; returns the values of what they compute.
    fn condition(&self, b: &Builder<'c>, map: &mut ValueMap<'c>) {
        for operation in &self.pure {
            let copy = b.clone_mapped(*operation, map);
            map.extend(ir::results(*operation).into_iter().zip(ir::results(copy)));
        }
    }

    fn moved(&self) {
        let b = Builder::before(self.operation);
        let [before, after] = [0, 1].map(|region| ir::body(self.operation, region));
        let (Some(before), Some(after)) = (before, after) else { return };
        let arguments = ir::arguments(before);
        let types: Vec<Type<'c>> = arguments.iter().map(|argument| argument.r#type()).collect();
        let (new_before, first) = b.region(&types);
        let (new_after, second) = b.region(&types);
        let map = |values: Vec<Val<'c>>| arguments.iter().copied().zip(values).collect::<ValueMap<'c>>();

        let mut own = map(ir::arguments(first));
        self.condition(&b.at_end(first), &mut own);
        let passed: Vec<_> = std::iter::once(own.get(self.truth)).chain(ir::arguments(first)).collect();
        b.at_end(first).op("scf.condition", &passed, &[], &[], vec![]);

        let inner = b.at_end(second);
        let mut own = map(ir::arguments(second));
        self.condition(&inner, &mut own);
        let Some(body) = ir::body(self.branch, 0) else { return };
        let of_branch = copy(&inner, body, &mut own);
        let values = self.values(&own, &of_branch);
        own.extend(ir::arguments(after).into_iter().zip(values));
        let yields = copy(&inner, after, &mut own);
        inner.op("scf.yield", &yields, &[], &[], vec![]);

        let new = b.op("scf.while", &ir::operands(self.operation), &types, &[], vec![new_before, new_after]);
        let mut own = map(ir::results(new));
        self.condition(&b, &mut own);
        let last = ir::body(self.branch, 1).and_then(|block| ir::block_operations(block).pop());
        let last: Vec<_> = last.map(ir::operands).unwrap_or_default().into_iter().map(|value| own.get(value)).collect();
        for (old, value) in ir::results(self.operation).into_iter().zip(self.values(&own, &last)) {
            ir::replace_uses(old, value);
        }
        ir::erase(self.operation);
    }
}

/// Clones the operations of a block but its terminator, whose operands are returned.
fn copy<'c>(b: &Builder<'c>, block: ir::Blk<'c>, map: &mut ValueMap<'c>) -> Vec<Val<'c>> {
    let operations = ir::block_operations(block);
    let Some((terminator, rest)) = operations.split_last() else { return vec![] };
    for operation in rest {
        let clone = b.clone_mapped(*operation, map);
        map.extend(ir::results(*operation).into_iter().zip(ir::results(clone)));
    }
    ir::operands(*terminator).into_iter().map(|value| map.get(value)).collect()
}
