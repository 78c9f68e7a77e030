//! Reductions over dynamic extents whose register tile fills the vector registers of the processor: LLVM is asked to
//! leave them rolled.
//!
//! ```text
//! 4 x 3 accumulators + 3 loaded vectors + 1 broadcast = 16 registers   ──▶   unroll count 1
//! ```
//!
//! LLVM unrolls small loops by itself, and computes the iterations that are left over apart if their number is not
//! known. The accumulators are then merged from both, and without a free register they are moved, or spilled, in every
//! iteration. Loops that leave registers free gain from unrolling, and so do those with a constant number of iterations:
//! these share address arithmetic.
use super::short::trip;
use mdh_dialects::{
    attributes::LOOP_ANNOTATION,
    ir::{self, Builder, Op, Unroll, Val},
};
use melior::ir::{Type, TypeLike, ValueLike};

/// The vector registers of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorRegisters {
    /// The width of a register in bits.
    pub bits: u64,
    /// Their number.
    pub count: u64,
}

impl VectorRegisters {
    /// The number of registers of a value; 0 if it is no vector.
    fn of(self, ty: Type<'_>) -> u64 {
        let lanes = || ir::shape(ty)?.into_iter().product::<Option<u64>>();
        let bits = || Some(u64::from(ir::bits(ir::element_type(ty)?)?));
        let all = || lanes()?.checked_mul(bits()?);
        if ty.is_vector() { all().unwrap_or_default().div_ceil(self.bits) } else { 0 }
    }

    /// True if an innermost loop has no free register: its accumulators, the vectors that it loads and uses several
    /// times (others are operands in memory), and one more for a value that is the same in all lanes.
    fn are_full(self, reduction: Op<'_>) -> bool {
        let Some(body) = ir::body(reduction, 0) else { return false };
        let operations = ir::block_operations(body);
        let is_innermost = operations.iter().all(|operation| ir::regions(*operation).is_empty());
        let sum = |values: Vec<Val<'_>>| values.into_iter().map(|value| self.of(value.r#type())).sum::<u64>();
        let accumulators = sum(ir::results(reduction));
        let loads = operations.into_iter().filter(|operation| LOADS.contains(&ir::name(*operation)));
        let shared = loads.flat_map(ir::results).filter(|value| ir::users(*value).len() > 1).collect();
        is_innermost && accumulators > 0 && accumulators + sum(shared) + 1 >= self.count
    }
}

/// Operations that load vectors.
const LOADS: [&str; 3] = ["vector.load", "vector.maskedload", "vector.transfer_read"];

/// Annotates the loops over dynamic extents among an operation and its descendants that have no free register.
pub fn keep_rolled_in(operation: Op<'_>, registers: VectorRegisters) {
    let loops = ir::find(operation, "scf.for").into_iter();
    let is_dynamic = |of: &Op<'_>| ir::attribute(*of, LOOP_ANNOTATION).is_none() && trip(*of).is_none();
    loops.filter(|of| is_dynamic(of) && registers.are_full(*of)).for_each(|of| {
        ir::set_attribute(of, LOOP_ANNOTATION, Builder::before(of).unroll(Unroll::Count(1)));
    });
}
