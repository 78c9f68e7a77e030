//! `mdh-define-arithmetic`: gives integer operations the results that `docs/spec.md` defines, where those of upstream
//! are poison.
//!
//! ```mlir
//! func.func @f(%x: i32, %n: i32) -> (i32, i32, i32, i32) {
//!   %left = arith.shli %x, %n overflow<nsw> : i32
//!   %right = arith.shrsi %x, %n : i32
//!   %rest = arith.remsi %x, %n : i32
//!   %four = arith.constant 4 : i32
//!   %shifted = arith.shli %x, %four : i32
//!   return %left, %right, %rest, %shifted : i32, i32, i32, i32
//! }
//! ```
//! becomes
//! ```mlir
//! %inside = arith.cmpi ult, %n, %width : i32
//! %s = arith.shli %x, %n : i32
//! %left = arith.select %inside, %s, %zero : i32
//! %most = arith.minui %n, %last : i32
//! %right = arith.shrsi %x, %most : i32
//! %is_minus_one = arith.cmpi eq, %n, .. : i32
//! %divisor = arith.select %is_minus_one, .., %n : i32
//! %rest = arith.remsi %x, %divisor : i32
//! %shifted = arith.shli %x, %four : i32
//! ```
//!
//! A shift by at least the width gives 0, or the sign for `shrsi`; the remainder of a division by -1 is 0, also that of
//! the least integer. Promises that nothing overflows, that nothing is lost, and that numbers are not negative are
//! removed: the operations wrap around, round and extend as without them.
//!
//! Functions of nests of C programs keep their promises (`mdh-lift-llvm`).
//!
//! It runs before all folders: those of upstream turn constants into poison, too. Amounts below the width, and divisors
//! other than -1, need no code if they are known.
use crate::analysis::{constants::integers, origin::is_of_llvm_ir};
use mdh_dialects::{
    ir::{self, Builder, IntPredicate, Op, Val},
    pass::{Failure, MdhPass},
};
use melior::{
    dialect::DialectHandle,
    ir::{Type, ValueLike},
};

/// The pass.
pub struct DefineArithmetic;

impl MdhPass for DefineArithmetic {
    const NAME: &'static str = "DefineArithmetic";
    const ARGUMENT: &'static str = "mdh-define-arithmetic";
    const DESCRIPTION: &'static str = "Define the results of integer operations that upstream leaves undefined";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::arith()]
    }

    fn run<'c>(operation: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        // What overflows in C is undefined there, too: loops with counters of C need the promises.
        let all = ir::descendants(operation);
        let is_defined = |found: &Op<'c>| !is_of_llvm_ir(*found);
        for found in all.into_iter().filter(|found| ir::name(*found).starts_with("arith.") && is_defined(found)) {
            drop_promises(found);
            match ir::name(found) {
                "arith.shli" | "arith.shrui" => shift(found),
                "arith.shrsi" => shift_signed(found),
                "arith.remsi" => remainder(found),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Removes the attributes that make results poison.
fn drop_promises(operation: Op<'_>) {
    const OVERFLOW: &str = "overflowFlags";
    for promise in ["isExact", "nonNeg"] {
        if ir::attribute(operation, promise).is_some() {
            ir::remove_attribute(operation, promise);
        }
    }
    if let Some(flags) = ir::attribute(operation, OVERFLOW) {
        let none = Builder::before(operation).overflow(0);
        if flags != none {
            ir::set_attribute(operation, OVERFLOW, none);
        }
    }
}

/// The operands of a shift or a remainder, and their type, if the type has constants and the second operand may be one
/// for which the result is poison.
fn undefined<'c>(operation: Op<'c>, is_defined: impl Fn(i128) -> bool) -> Option<(Val<'c>, Val<'c>, Type<'c>)> {
    let [left, right] = ir::operands(operation)[..] else { return None };
    let ty = left.r#type();
    let has_constants = ir::shape(ty).is_none_or(|shape| shape.iter().all(Option::is_some));
    let is_known = integers(right).is_some_and(|numbers| numbers.into_iter().all(is_defined));
    (has_constants && !is_known).then_some((left, right, ty))
}

fn width(ty: Type<'_>) -> i128 {
    ir::integer_width(ir::element_type_or_self(ty)).into()
}

/// True if an amount is below the width for each value: the low bits, or a minimum.
fn is_below(amount: Val<'_>, width: i128) -> bool {
    let Some(operation) = ir::defining(amount) else { return false };
    let most = ir::operands(operation).into_iter().filter_map(integers).find_map(|numbers| numbers.into_iter().max());
    let is_least = ["arith.andi", "arith.minui"].contains(&ir::name(operation));
    let numbers = ir::operands(operation).into_iter().filter_map(integers).flatten().all(|number| number >= 0);
    is_least && numbers && most.is_some_and(|most| most < width)
}

fn shift(operation: Op<'_>) {
    let Some(ty) = ir::results(operation).first().map(|result| result.r#type()) else { return };
    let width = width(ty);
    let Some((_, amount, ty)) = undefined(operation, |amount| (0..width).contains(&amount)) else { return };
    if is_below(amount, width) {
        return;
    }
    let b = Builder::before(operation);
    let inside = b.cmpi(IntPredicate::Ult, amount, b.literal(width, ty));
    let (result, zero) = (ir::results(operation)[0], b.literal(0, ty));
    let shifted = ir::results(b.clone_operation(operation))[0];
    ir::replace_uses(result, b.value("arith.select", &[inside, shifted, zero], ty, &[]));
    ir::erase(operation);
}

fn shift_signed(operation: Op<'_>) {
    let Some(ty) = ir::results(operation).first().map(|result| result.r#type()) else { return };
    let width = width(ty);
    let Some((_, amount, ty)) = undefined(operation, |amount| (0..width).contains(&amount)) else { return };
    if !is_below(amount, width) {
        let b = Builder::before(operation);
        let most = b.value("arith.minui", &[amount, b.literal(width - 1, ty)], ty, &[]);
        ir::set_operand(operation, 1, most);
    }
}

fn remainder(operation: Op<'_>) {
    let Some((_, divisor, ty)) = undefined(operation, |divisor| divisor != -1) else { return };
    // The only divisor of one bit that is not zero is -1, and also 1.
    if width(ty) > 1 {
        let b = Builder::before(operation);
        let is_minus_one = b.cmpi(IntPredicate::Eq, divisor, b.literal(-1, ty));
        let divisor = b.value("arith.select", &[is_minus_one, b.literal(1, ty), divisor], ty, &[]);
        ir::set_operand(operation, 1, divisor);
    }
}
