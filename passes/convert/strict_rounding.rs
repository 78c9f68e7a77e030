//! `mdh-strict-rounding`: rounds the result of each operation to its type, as the reference evaluator does, without
//! excess precision.
//!
//! ```mlir
//! func.func @round(%x: f32) -> f32 {
//!   %a = arith.truncf %x fastmath<contract> : f32 to bf16
//!   %b = arith.extf %a fastmath<contract> : bf16 to f32
//!   return %b : f32
//! }
//! ```
//! becomes
//! ```mlir
//! %a = arith.truncf %x : f32 to bf16
//! %b = arith.extf %a : bf16 to f32
//! ```
//!
//! In kernels, a cast between bf16 and f64 becomes two casts: upstream expands only those between bf16 and f32, and
//! devices have none.
//!
//! Upstream computes types that a processor lacks in wider types, and its folders remove the intermediate rounding.
use mdh_dialects::{
    ir::{self, Builder, FloatPredicate, IntPredicate, Op, Val},
    pass::{Failure, MdhPass},
};
use melior::{
    dialect::DialectHandle,
    ir::{Type, ValueLike},
};

/// The pass.
pub struct StrictRounding;

impl MdhPass for StrictRounding {
    const NAME: &'static str = "StrictRounding";
    const ARGUMENT: &'static str = "mdh-strict-rounding";
    const DESCRIPTION: &'static str = "Round the result of each operation to its type";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::arith()]
    }

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        for cast in ["arith.truncf", "arith.extf"].into_iter().flat_map(|name| ir::find(module, name)) {
            ir::remove_attribute(cast, "fastmath");
        }
        for kernels in ir::find(module, "gpu.module") {
            ["arith.truncf", "arith.extf"].into_iter().flat_map(|name| ir::find(kernels, name)).for_each(through_f32);
        }
        Ok(())
    }
}

/// Replaces a cast between bf16 and f64 with two casts via f32, without rounding twice.
fn through_f32(cast: Op<'_>) {
    let b = Builder::before(cast);
    let (from, result) = (ir::operands(cast)[0], ir::results(cast)[0]);
    let (wide, narrow) = (from.r#type().to_string(), result.r#type().to_string());
    if wide.contains("f64") && narrow.contains("bf16") {
        let f32 = ir::with_element(from.r#type(), b.f32());
        let rounded = b.value("arith.truncf", &[odd(&b, from, f32)], result.r#type(), &[]);
        ir::replace_uses(result, rounded);
        ir::erase(cast);
    } else if wide.contains("bf16") && narrow.contains("f64") {
        let exact = b.value("arith.extf", &[from], ir::with_element(from.r#type(), b.f32()), &[]);
        ir::set_operand(cast, 0, exact);
    }
}

/// Converts f64 to f32, rounded to odd: an inexact value becomes the neighbor whose last bit is set. Rounding this
/// value to far fewer bits gives the same result as rounding the original.
fn odd<'c>(b: &Builder<'c>, value: Val<'c>, f32: Type<'c>) -> Val<'c> {
    let typed = |element| ir::with_element(f32, element);
    let (i32, f64, truth) = (typed(b.i32()), typed(b.f64()), typed(b.i1()));
    let constant = |number: i32| b.literal(number.into(), i32);
    let narrow = b.value("arith.truncf", &[value], f32, &[]);
    let wide = b.value("arith.extf", &[narrow], f64, &[]);
    let bits = b.value("arith.bitcast", &[narrow], i32, &[]);
    let is_inexact = b.cmpf(FloatPredicate::One, value, wide);
    let last = b.value("arith.andi", &[bits, constant(1)], i32, &[]);
    let is_even = b.cmpi(IntPredicate::Eq, last, constant(0));
    // The other neighbor of the exact value is odd: one step away from zero, or toward it.
    let zero = b.literal(0, f64);
    let (above, below) = (b.cmpf(FloatPredicate::Ogt, value, wide), b.cmpf(FloatPredicate::Olt, value, wide));
    let grows = b.value("arith.select", &[b.cmpf(FloatPredicate::Ogt, value, zero), above, below], truth, &[]);
    let step = b.value("arith.select", &[grows, constant(1), constant(-1)], i32, &[]);
    let moved = b.value("arith.addi", &[bits, step], i32, &[]);
    let moves = b.value("arith.andi", &[is_inexact, is_even], truth, &[]);
    let chosen = b.value("arith.select", &[moves, moved, bits], i32, &[]);
    b.value("arith.bitcast", &[chosen], f32, &[])
}
