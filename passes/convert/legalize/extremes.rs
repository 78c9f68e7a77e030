//! `maximumf`, `minimumf`, `maxnumf` and `minnumf` with ordered zeros, -0 below +0. Upstream's comparisons return the
//! zero that the operand order selects.
//!
//! ```text
//! maximumf(a, b)   ──▶   a == b, or one is NaN ? bits of both : a > b ? a : b
//! ```
//!
//! Equal numbers have equal bits, except for the sign of zeros: the sign bit of the maximum is the AND of both sign
//! bits, that of the minimum is their OR. The OR of the bits of a NaN and of any number is a NaN. So a single bitwise
//! expression covers both cases, without a branch or a call, on vectors as on scalars. The last select is a single
//! instruction on most processors.
use super::{Expansion, float_type};
use mdh_dialects::ir::{self, Builder, FloatPredicate, FloatType, Op, Val};
use melior::ir::ValueLike;

/// The operations and their expansions.
pub const EXPANSIONS: [(&str, Expansion); 4] = [
    ("arith.maximumf", |b, operation| Some(expand(b, operation, true, true))),
    ("arith.minimumf", |b, operation| Some(expand(b, operation, false, true))),
    ("arith.maxnumf", |b, operation| Some(expand(b, operation, true, false))),
    ("arith.minnumf", |b, operation| Some(expand(b, operation, false, false))),
];

/// The maximum or minimum. If one operand is NaN: NaN if `is_nan`, else the other operand.
fn expand<'c>(b: &Builder<'c>, operation: Op<'c>, larger: bool, is_nan: bool) -> Val<'c> {
    let (mut left, mut right) = (ir::operands(operation)[0], ir::operands(operation)[1]);
    let ty = left.r#type();
    let bits_type = ir::with_element(ty, b.integer(width(left)));
    let is_bf16 = float_type(ty) == Some(FloatType::Bf16);
    // Select between the bits of bf16, since some targets lack bf16.
    let select = |condition, yes, no| {
        if !is_bf16 {
            return b.value("arith.select", &[condition, yes, no], ty, &[]);
        }
        let [yes, no] = [yes, no].map(|value| b.value("arith.bitcast", &[value], bits_type, &[]));
        let chosen = b.value("arith.select", &[condition, yes, no], bits_type, &[]);
        b.value("arith.bitcast", &[chosen], ty, &[])
    };
    if number(left).is_some() {
        (left, right) = (right, left);
    }
    // A comparison suffices for a constant that is not zero, or that is the zero of the preferred sign, whatever the
    // sign of the other operand.
    if number(right).is_some_and(|number| number != 0.0 || number.is_sign_positive() == larger) {
        let predicate = match (larger, is_nan) {
            (true, true) => FloatPredicate::Ugt,
            (true, false) => FloatPredicate::Ogt,
            (false, true) => FloatPredicate::Ult,
            (false, false) => FloatPredicate::Olt,
        };
        return select(b.cmpf(predicate, left, right), left, right);
    }
    let [x, y] = [left, right].map(|value| b.value("arith.bitcast", &[value], bits_type, &[]));
    let mut both = b.value("arith.ori", &[x, y], bits_type, &[]);
    if larger {
        let magnitude = b.literal((1 << (width(left) - 1)) - 1, bits_type);
        let sign = b.value("arith.andi", &[x, y], bits_type, &[]);
        let sign = b.value("arith.ori", &[sign, magnitude], bits_type, &[]);
        both = b.value("arith.andi", &[both, sign], bits_type, &[]);
    }
    let both = b.value("arith.bitcast", &[both], ty, &[]);
    let beyond = b.cmpf(if larger { FloatPredicate::Ogt } else { FloatPredicate::Olt }, left, right);
    let chosen = select(beyond, left, right);
    let equal = b.cmpf(if is_nan { FloatPredicate::Ueq } else { FloatPredicate::Oeq }, left, right);
    let chosen = select(equal, both, chosen);
    if is_nan {
        return chosen;
    }
    // If `left` is NaN, `right` is chosen already.
    select(b.cmpf(FloatPredicate::Uno, right, right), left, chosen)
}

fn width(value: Val<'_>) -> u32 {
    float_type(value.r#type()).map_or(64, FloatType::bits)
}

/// The constant value of a scalar, or of all elements of a splat vector, if known.
pub fn number(value: Val<'_>) -> Option<f64> {
    let constant = ir::defining(value).filter(|operation| ir::name(*operation) == "arith.constant")?;
    let text = ir::attribute(constant, "value")?.to_string();
    let text = text.split(" : ").next()?;
    let text = text.strip_prefix("dense<").and_then(|text| text.strip_suffix('>')).unwrap_or(text);
    text.parse().ok()
}
