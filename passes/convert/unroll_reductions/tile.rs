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
use crate::machine::Machine;
use mdh_dialects::{
    attributes::LOOP_ANNOTATION,
    ir::{self, Builder, Op, Unroll, Val},
};
use melior::ir::{Type, TypeLike, ValueLike};

/// Operations that load vectors.
const LOADS: [&str; 2] = ["vector.load", "vector.maskedload"];

/// Annotates the loops over dynamic extents among an operation and its descendants that have no free register.
pub fn keep_rolled_in(operation: Op<'_>, machine: &Machine) {
    let loops = ir::find(operation, "scf.for").into_iter();
    let is_dynamic = |of: &Op<'_>| ir::attribute(*of, LOOP_ANNOTATION).is_none() && trip(*of).is_none();
    loops.filter(|of| is_dynamic(of) && fills_registers(*of, machine)).for_each(|of| {
        ir::set_attribute(of, LOOP_ANNOTATION, Builder::before(of).unroll(Unroll::Count(1)));
    });
}

/// True if an innermost loop has no free register: its accumulators, the vectors that it loads and uses several times
/// (others are operands in memory), and one more for a value that is the same in all lanes.
fn fills_registers(reduction: Op<'_>, machine: &Machine) -> bool {
    let Some(body) = ir::body(reduction, 0) else { return false };
    let operations = ir::block_operations(body);
    let is_innermost = operations.iter().all(|operation| ir::regions(*operation).is_empty());
    let sum = |values: Vec<Val<'_>>| values.into_iter().map(|value| registers(value.r#type(), machine)).sum::<u64>();
    let accumulators = sum(ir::results(reduction));
    let loads = operations.into_iter().filter(|operation| LOADS.contains(&ir::name(*operation)));
    let shared = loads.flat_map(ir::results).filter(|value| ir::users(*value).len() > 1).collect();
    is_innermost && accumulators > 0 && accumulators + sum(shared) + 1 >= machine.vector_registers
}

/// The number of vector registers of a value; 0 if it is no vector.
fn registers(ty: Type<'_>, machine: &Machine) -> u64 {
    let lanes = || ir::shape(ty)?.into_iter().product::<Option<u64>>();
    let bits = || lanes()?.checked_mul(ir::bits(ir::element_type(ty)?)?.into());
    if ty.is_vector() { bits().unwrap_or_default().div_ceil(machine.vector_bits) } else { 0 }
}
