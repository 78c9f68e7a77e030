//! `mdh-opencl-negations`: negates floats in kernels by their sign bits.
//!
//! ```mlir
//! gpu.module @kernels {
//!   gpu.func @f(%x: f32) -> f32 {
//!     %n = arith.negf %x : f32
//!     gpu.return %n : f32
//!   }
//! }
//! ```
//! becomes
//! ```mlir
//! %bits = arith.bitcast %x : f32 to i32
//! %flipped = arith.xori %bits, .. : i32
//! %n = arith.bitcast %flipped : i32 to f32
//! ```
//!
//! Intel's OpenCL run-time system computes the maximum of the negated values for the negation of a maximum, `-(a > b ? a
//! : b)`, where it is a negation or a product with -1. For a selection that a program contains itself, without the order of
//! zeros of `maximumf`, LLVM restores the negation, and the run-time system is wrong.
use super::guard_divisions::is_in_kernel;
use mdh_dialects::{
    ir::{self, Builder, FloatType, Op, Val},
    pass::{Failure, MdhPass},
};
use melior::{
    dialect::DialectHandle,
    ir::{ValueLike, attribute::FloatAttribute},
};

/// The pass.
pub struct OpenclNegations;

impl MdhPass for OpenclNegations {
    const NAME: &'static str = "OpenclNegations";
    const ARGUMENT: &'static str = "mdh-opencl-negations";
    const DESCRIPTION: &'static str = "Negate floats in kernels by their sign bits";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::arith()]
    }

    fn run<'c>(root: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        for operation in ir::descendants(root).into_iter().filter(|operation| is_in_kernel(*operation)) {
            if let Some(value) = negated(operation) {
                replace(operation, value);
            }
        }
        Ok(())
    }
}

/// The value that an operation negates.
fn negated<'c>(operation: Op<'c>) -> Option<Val<'c>> {
    let is = |value: Val<'c>, number: f64| {
        let constant = ir::defining(value).filter(|operation| ir::name(*operation) == "arith.constant");
        let attribute = constant.and_then(|constant| FloatAttribute::try_from(ir::attribute(constant, "value")?).ok());
        attribute.is_some_and(|attribute| attribute.value().to_bits() == number.to_bits())
    };
    match (ir::name(operation), &ir::operands(operation)[..]) {
        ("arith.negf", [value]) => Some(*value),
        ("arith.mulf", [value, factor] | [factor, value]) if is(*factor, -1.0) => Some(*value),
        ("arith.subf", [zero, value]) if is(*zero, -0.0) => Some(*value),
        _ => None,
    }
}

fn replace<'c>(operation: Op<'c>, value: Val<'c>) {
    let ty = value.r#type();
    let float = FloatType::of(ir::element_type_or_self(ty)).filter(|float| *float != FloatType::Bf16);
    let Some(width) = float.map(FloatType::bits) else { return };
    let b = Builder::before(operation);
    let integers = ir::with_element(ty, b.integer(width));
    let bits = b.value("arith.bitcast", &[value], integers, &[]);
    let sign = b.literal(i128::MIN >> (128 - width), integers);
    let flipped = b.value("arith.xori", &[bits, sign], integers, &[]);
    ir::replace_uses(ir::results(operation)[0], b.value("arith.bitcast", &[flipped], ty, &[]));
    ir::erase(operation);
}
