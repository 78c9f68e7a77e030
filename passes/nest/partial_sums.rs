//! Partial sums of long sums of floats: a loop that adds many numbers to one accumulator runs in blocks, each of which
//! adds to an accumulator of its own. The error of a sum grows with the number of additions one after the other: with
//! the length of a block and the number of blocks, instead of their product.
//!
//! ```mlir
//! // mdh-opt --lower-mdh="stop-after=loops print-nest=true"
//! mdh.lowlevel.system @loops memory [MM: global] cores [COR: threads] combine [MM]
//! func.func @sum(%x: memref<65536xf32>, %s: memref<f32>) {
//!   %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (memref<65536xf32>) -> !mdh.mda<65536, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.pw<add>] attributes {schedule = {system = @loops, parts = [[65536], [1]], decompose = {tags = [["MM,x"], ["COR,x"]]}}} {
//!   ^bb0(%a: f32):
//!     mdh.hom.yield %a : f32
//!   } : !mdh.mda<65536, f32> -> !mdh.mda<1, f32>
//!   mdh.view.out_view %r[affine_map<(i) -> ()>] into %s : !mdh.mda<1, f32>, memref<f32>
//!   return
//! }
//! ```
//! becomes
//! ```text
//! level (1, 1) carried:
//!   %a = identity
//!   %b = identity
//!   %c = for i0 in 0..16 carrying (%d = %a):
//!     %e = for p1_1 in 4096 * i0..(4096 * i0 + 4096) carrying (%f = %b):
//!       %x = load input 1[p1_1]
//!       %y = scalar (%x)
//!       %g = accumulate (%f) with (%y)
//!       yield %g
//!     %h = combine (%d) with (%e)
//!     yield %h
//!   store %c to output 1[]
//! ```
//!
//! A loop without a static trip count runs in blocks, too: its first block continues with the initial values, so that
//! a short loop has no addition more. In kernels, threads divide long reductions, and registers are scarce: their loops
//! stay as they are.
use super::{
    code::Code,
    index::Index::{self, Constant},
    loops::{branch, carried},
    tree::Value,
};
use mdh_dialects::ir::IntPredicate;

/// Adds accumulators to others.
type Addition<'f, 't> = dyn Fn(&Code<'t>, &[Value], &[Value]) -> Vec<Value> + 'f;

/// The loop in blocks: their length, the value of an accumulator before its first addition, and the addition of the
/// accumulators of a block to others.
pub struct PartialSums<'f, 't> {
    /// The number of iterations of a block.
    pub block: i64,
    /// The value of each accumulator before its first addition.
    pub identity: &'f [Value],
    /// Adds the accumulators of a block to others.
    pub add: &'f Addition<'f, 't>,
}

impl<'t> PartialSums<'_, 't> {
    /// `for i in lower..upper`, with loop-carried accumulators.
    pub fn carried(
        &self,
        b: &Code<'t>,
        (lower, upper): (Index, Index),
        initial: &[Value],
        body: impl FnOnce(&Code<'t>, Index, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let over = |inside: &Code<'t>| b.level().map_or(*inside, |level| inside.over(level));
        let (outside, block) = (&b.of_no_level(), Constant(self.block));
        let count = upper.sub(outside, lower).ceildiv(outside, block);
        let rest = upper.sub(outside, lower).constant().map(|trip| trip % self.block);
        let bounds = |b: &Code<'t>, number: Index| {
            let from = number.mul(b, block).add(b, lower);
            let to = from.add(b, block);
            (from, if rest == Some(0) { to } else { to.min(b, upper) })
        };
        match count.constant() {
            Some(number) if number <= 1 => return carried(b, lower, upper, initial, body),
            Some(_) => {
                return carried(outside, Constant(0), count, initial, |b, number, sums| {
                    let (from, to) = bounds(b, number);
                    let partial = carried(&over(b), from, to, self.identity, body);
                    (self.add)(b, sums, &partial)
                });
            }
            None => {}
        }
        // The accumulators of the last block are not added to the sums in the loop, so that nothing is added if there is
        // one block.
        let types: Vec<_> = initial.iter().map(|value| b.type_of(*value)).collect();
        let state = [self.identity, initial].concat();
        let state = carried(outside, Constant(0), count, &state, |b, number, state| {
            let (sums, partial) = state.split_at(types.len());
            let (from, to) = bounds(b, number);
            let partial = carried(&over(b), from, to, partial, body);
            let is_last = number.add(b, Constant(1)).compare(b, IntPredicate::Eq, count);
            let next = |b: &Code<'t>| [(self.add)(b, sums, &partial), self.identity.to_vec()].concat();
            branch(b, is_last, &types.repeat(2), |_| [sums, &partial].concat(), next)
        });
        let (sums, partial) = state.split_at(types.len());
        let is_one = count.compare(outside, IntPredicate::Sle, Constant(1));
        branch(outside, is_one, &types, |_| partial.to_vec(), |b| (self.add)(b, sums, partial))
    }
}
