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
    accumulator::Accumulator,
    code::Code,
    construction::Construction,
    cursor::Cursor,
    index::Index::{self, Constant},
    loops::{branch, carried},
    operators::Combiner,
    tree::Value,
};
use mdh_dialects::{
    hom::{Function, Kind},
    ir::IntPredicate,
    schedule::model::{Level, Step},
};

/// The number of additions to one accumulator, one after the other: the error of a block is then about that of the
/// addition of its sum to those of the others.
const BLOCK: u64 = 4096;

/// A sum of up to this many additions is not divided.
const LONGEST: u64 = 2 * BLOCK;

/// The number of additions that makes one more addition, of their sum to an accumulator in memory, cheap.
const SHORTEST: u64 = 128;

/// How a loop adds to its accumulators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summation {
    /// Each iteration adds to the same accumulators.
    Whole,
    /// Each iteration has accumulators of its own, which are added afterwards.
    Each,
    /// Each block of this many iterations has accumulators of its own.
    Blocks(i64),
}

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

impl<'t> Construction<'_, 't> {
    /// How the loop of step `j` of the re-composition, and the loops inside of it, add to the same accumulators.
    pub fn summation(&self, j: usize, cursor: &Cursor<'t>, combiner: &Combiner) -> Summation {
        if !self.divides_sums(combiner) {
            return Summation::Whole;
        }
        match (self.part_count(self.schedule.recompose[j].level), self.additions(j + 1, cursor)) {
            (Some(own), Some(inside)) if own.saturating_mul(inside) <= LONGEST => Summation::Whole,
            (own, Some(inside)) if inside <= BLOCK / 2 => {
                // Blocks of one length need no computation of their ends.
                let longest = BLOCK / inside.max(1);
                let divides = |block: &u64| own.is_some_and(|own| own.is_multiple_of(*block));
                let block = (longest.div_ceil(2)..=longest).rev().find(divides).unwrap_or(longest);
                Summation::Blocks(block as i64)
            }
            _ => Summation::Each,
        }
    }

    /// True if the loops from step `j` on add to accumulators of their own, which are then added to those in memory,
    /// because loops around them add to the latter, too.
    pub fn adds_partial_sums(&self, j: usize, cursor: &Cursor<'t>, combiner: &Combiner, into: &Accumulator) -> bool {
        let inside = self.additions(j, cursor);
        let mut around = into.entered.iter();
        let all = inside.and_then(|inside| {
            around.try_fold(inside, |product, level| Some(product.saturating_mul(self.part_count(*level)?)))
        });
        self.divides_sums(combiner)
            && all.is_none_or(|all| all > LONGEST)
            && inside.is_none_or(|inside| inside >= SHORTEST)
    }

    /// True if long sums are divided: of floats, if they may be reassociated, in code for the processor.
    fn divides_sums(&self, combiner: &Combiner) -> bool {
        self.reassociate && self.kernels.is_none() && self.adds_floats(combiner)
    }

    /// The number of additions of the loops from step `j` on to an accumulator; `None` if it follows from a dynamic
    /// extent.
    fn additions(&self, j: usize, cursor: &Cursor<'t>) -> Option<u64> {
        let is_loop =
            |step: &&Step| self.schedule.is_loop(step.level) && !cursor.tile.has(step.level) && !self.is_unrolled(step);
        let mut loops = self.schedule.recompose[j..].iter().filter(is_loop);
        loops.try_fold(1u64, |product, step| Some(product.saturating_mul(self.part_count(step.level)?)))
    }

    /// True if a level is in a register tile: its parts are combined before they are accumulated.
    fn is_unrolled(&self, step: &Step) -> bool {
        self.schedule.is_register(&step.tag) || self.schedule.is_vector(&step.tag)
    }

    /// True if the function of the reductions adds floats.
    fn adds_floats(&self, combiner: &Combiner) -> bool {
        let functions = self.workload.operators.iter().filter(|operator| operator.reduces());
        combiner.has_identity
            && functions.filter_map(|operator| operator.function()).any(|function| match function {
                Function::Builtin(kinds) => {
                    let mut components = kinds.iter().zip(&combiner.types);
                    components.any(|(kind, ty)| *kind == Kind::Add && ty.is_float())
                }
                Function::Symbol(_) => false,
            })
    }

    /// The static number of parts of a level; `None` if it follows from a dynamic extent.
    fn part_count(&self, level: Level) -> Option<u64> {
        let count = self.space.parts[level.layer][level.dimension];
        count.constant().and_then(|count| u64::try_from(count).ok())
    }
}
