//! `mdh-legalize`: expands operations that upstream passes do not convert to the LLVM dialect into operations that they
//! convert.
//!
//! ```mlir
//! func.func @larger(%a: f32, %b: f32) -> f32 {
//!   %m = arith.maximumf %a, %b : f32
//!   return %m : f32
//! }
//! ```
//! becomes
//! ```mlir
//! %x = arith.bitcast %a : f32 to i32
//! %y = arith.bitcast %b : f32 to i32
//! %more = arith.cmpf ogt, %a, %b : f32
//! %larger = arith.select %more, %a, %b : f32
//! %same = arith.cmpf ueq, %a, %b : f32
//! %m = arith.select %same, .., %larger : f32
//! ```
pub mod conversions;
pub mod extremes;

use crate::{
    convert::unroll_reductions::short,
    emit::{index::EmittedIndex::Constant, loops},
};
use mdh_dialects::{
    ir::{self, Builder, FloatPredicate, FloatType, IntPredicate, Op, Val},
    pass::{Failure, MdhPass},
};
use melior::{
    dialect::DialectHandle,
    ir::{Type, TypeLike, ValueLike},
};

/// The pass.
pub struct Legalize;

impl MdhPass for Legalize {
    const NAME: &'static str = "Legalize";
    const ARGUMENT: &'static str = "mdh-legalize";
    const DESCRIPTION: &'static str = "Expand operations that upstream passes do not convert to the LLVM dialect";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::arith(), DialectHandle::llvm(), DialectHandle::memref(), DialectHandle::scf()]
    }

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        legalize(module);
        Ok(())
    }
}

/// Replaces, in an operation and its regions:
/// - `memref.alloca_scope`, which must remain a single block when control flow is lowered to blocks, with its contents;
/// - `math.isinf` and `math.isnormal` with comparisons;
/// - `math.clampf` with a maximum and a minimum, which upstream mixes up;
/// - `math.fma` on bf16 with one on f32, and `math.ipowi` on index with one on i64, or with multiplications in kernels,
///   because upstream calls a function that does not exist;
/// - `arith.truncf` from f64 to bf16, otherwise a call that some C libraries lack, with a truncation via f32 that
///   rounds once;
/// - `arith.sitofp` and `arith.uitofp` to bf16, which upstream converts via f32, with conversions that round once;
/// - `arith.maximumf`, `minimumf`, `maxnumf` and `minnumf`, for which upstream does not order zeros, as in
///   `extremes.rs`;
/// - conversions of floats to integers, which are poison if they are out of range, and of booleans to floats, as in
///   `conversions.rs`.
pub fn legalize(root: Op<'_>) {
    // Innermost first.
    for scope in ir::find(root, "memref.alloca_scope").into_iter().rev() {
        inline_scope(scope);
    }
    for (name, expand) in EXPANSIONS.into_iter().chain(extremes::EXPANSIONS).chain(conversions::EXPANSIONS) {
        for operation in ir::find(root, name) {
            let b = Builder::before(operation);
            if let Some(result) = expand(&b, operation) {
                ir::replace_uses(ir::results(operation)[0], result);
                ir::erase(operation);
            }
        }
    }
}

/// Returns the value that replaces the only result of an operation; `None` if upstream passes convert the operation.
type Expansion = for<'c> fn(&Builder<'c>, Op<'c>) -> Option<Val<'c>>;

const EXPANSIONS: [(&str, Expansion); 8] = [
    ("math.isinf", |b, operation| is_infinite(b, operation)),
    ("math.isnormal", |b, operation| is_normal(b, operation)),
    ("math.clampf", |b, operation| Some(clamp(b, operation))),
    ("math.fma", |b, operation| fma(b, operation)),
    ("math.ipowi", |b, operation| power(b, operation)),
    ("arith.truncf", |b, operation| truncate(b, operation)),
    ("arith.sitofp", |b, operation| convert(b, operation, true)),
    ("arith.uitofp", |b, operation| convert(b, operation, false)),
];

/// Inlines the operations of a scope. If they allocate, the stack pointer is saved before and restored after them.
fn inline_scope(scope: Op<'_>) {
    let Some(body) = ir::body(scope, 0) else { return };
    let b = Builder::before(scope);
    let allocates = !ir::find(scope, "memref.alloca").is_empty();
    let stack = allocates.then(|| b.value("llvm.intr.stacksave", &[], b.pointer(0), &[]));
    let values = b.inline_block(body, &[], &mut |_, _| None);
    if let Some(stack) = stack {
        b.op("llvm.intr.stackrestore", &[stack], &[], &[], vec![]);
    }
    for (result, value) in ir::results(scope).into_iter().zip(values) {
        ir::replace_uses(result, value);
    }
    ir::erase(scope);
}

fn float_type(ty: Type<'_>) -> Option<FloatType> {
    FloatType::of(ir::element_type_or_self(ty))
}

/// The precision of bf16 in binary digits.
const BF16_DIGITS: u32 = 8;

fn absolute<'c>(b: &Builder<'c>, operation: Op<'c>) -> Val<'c> {
    let value = ir::operands(operation)[0];
    b.value("math.absf", &[value], value.r#type(), &[])
}

fn infinity<'c>(b: &Builder<'c>, ty: Type<'c>) -> Option<Val<'c>> {
    Some(b.literal(float_type(ty)?.infinity().into(), ty))
}

fn is_infinite<'c>(b: &Builder<'c>, operation: Op<'c>) -> Option<Val<'c>> {
    let value = absolute(b, operation);
    Some(b.cmpf(FloatPredicate::Oeq, value, infinity(b, value.r#type())?))
}

fn is_normal<'c>(b: &Builder<'c>, operation: Op<'c>) -> Option<Val<'c>> {
    let value = absolute(b, operation);
    let ty = value.r#type();
    let smallest = float_type(ty)?.smallest_normal().into();
    let large = b.cmpf(FloatPredicate::Oge, value, b.literal(smallest, ty));
    let finite = b.cmpf(FloatPredicate::Olt, value, infinity(b, ty)?);
    Some(b.value("arith.andi", &[large, finite], large.r#type(), &[]))
}

fn clamp<'c>(b: &Builder<'c>, operation: Op<'c>) -> Val<'c> {
    let operands = ir::operands(operation);
    let ty = operands[0].r#type();
    let raised = b.value("arith.maximumf", &operands[..2], ty, &[]);
    b.value("arith.minimumf", &[raised, operands[2]], ty, &[])
}

fn fma<'c>(b: &Builder<'c>, operation: Op<'c>) -> Option<Val<'c>> {
    let ty = ir::results(operation)[0].r#type();
    if float_type(ty) != Some(FloatType::Bf16) {
        return None;
    }
    let wide = ir::with_element(ty, b.f32());
    let operands: Vec<_> =
        ir::operands(operation).into_iter().map(|value| b.value("arith.extf", &[value], wide, &[])).collect();
    let result = b.value("math.fma", &operands, wide, &[]);
    Some(b.value("arith.truncf", &[result], ty, &[]))
}

fn power<'c>(b: &Builder<'c>, operation: Op<'c>) -> Option<Val<'c>> {
    let ty = ir::results(operation)[0].r#type();
    let is_index = ir::element_type_or_self(ty).is_index();
    let is_in_kernel = std::iter::successors(ir::parent(operation), |parent| ir::parent(*parent))
        .any(|op| ir::name(op) == "gpu.module");
    if !is_index && !is_in_kernel {
        return None;
    }
    let wide = if is_index { ir::with_element(ty, b.i64()) } else { ty };
    let cast = |value: Val<'c>, to| if is_index { b.value("arith.index_cast", &[value], to, &[]) } else { value };
    let operands: Vec<_> = ir::operands(operation).into_iter().map(|value| cast(value, wide)).collect();
    let result = match operands[..] {
        [base, exponent] if is_in_kernel => power_by_squaring(b, base, exponent),
        _ => b.value("math.ipowi", &operands, wide, &[]),
    };
    Some(cast(result, ty))
}

/// Power by squaring: for each set bit of the exponent, multiplies by the base squared as many times as the position of
/// the bit. For a negative exponent, only the bases 1 and -1 have powers other than 0.
fn power_by_squaring<'c>(b: &Builder<'c>, base: Val<'c>, exponent: Val<'c>) -> Val<'c> {
    let ty = base.r#type();
    let [zero, one, minus_one] = [0, 1, -1].map(|number| b.literal(number, ty));
    let bits = ir::integer_width(ir::element_type_or_self(ty)).into();
    let is_odd = |b: &Builder<'c>, value: Val<'c>| {
        let last = b.value("arith.andi", &[value, one], ty, &[]);
        b.cmpi(IntPredicate::Ne, last, zero)
    };
    let values = loops::carried(b, Constant(0), Constant(bits), &[one, base, exponent], &[ty; 3], |b, _, values| {
        let &[power, square, rest] = values else { return values.to_vec() };
        let product = b.value("arith.muli", &[power, square], ty, &[]);
        let power = b.value("arith.select", &[is_odd(b, rest), product, power], ty, &[]);
        let square = b.value("arith.muli", &[square, square], ty, &[]);
        vec![power, square, b.value("arith.shrui", &[rest, one], ty, &[])]
    });
    ir::defining(values[0]).into_iter().for_each(short::unroll_in);
    let sign = b.value("arith.select", &[is_odd(b, exponent), minus_one, one], ty, &[]);
    let is = |number: Val<'c>| b.cmpi(IntPredicate::Eq, base, number);
    let inverse = b.value("arith.select", &[is(minus_one), sign, zero], ty, &[]);
    let inverse = b.value("arith.select", &[is(one), one, inverse], ty, &[]);
    let is_negative = b.cmpi(IntPredicate::Slt, exponent, zero);
    b.value("arith.select", &[is_negative, inverse, values[0]], ty, &[])
}

/// Rounding to f32 and then to bf16 would round twice. So the f32 is rounded to odd: an inexact value with an even last
/// bit is replaced with its neighbor on the other side of the exact value. The set last bit then tells the second
/// rounding that the value is inexact.
fn truncate<'c>(b: &Builder<'c>, operation: Op<'c>) -> Option<Val<'c>> {
    let value = ir::operands(operation)[0];
    let result = ir::results(operation)[0].r#type();
    if float_type(value.r#type()) != Some(FloatType::F64) || float_type(result) != Some(FloatType::Bf16) {
        return None;
    }
    let (single, bits_type) = (ir::with_element(result, b.f32()), ir::with_element(result, b.i32()));
    let near = b.value("arith.truncf", &[value], single, &[]);
    let back = b.value("arith.extf", &[near], value.r#type(), &[]);
    let inexact = b.cmpf(FloatPredicate::One, back, value);
    let bits = b.value("arith.bitcast", &[near], bits_type, &[]);
    let one = b.literal(1, bits_type);
    let last = b.value("arith.andi", &[bits, one], bits_type, &[]);
    let even = b.cmpi(IntPredicate::Eq, last, b.literal(0, bits_type));
    let moves = b.value("arith.andi", &[inexact, even], inexact.r#type(), &[]);
    let magnitude = |value: Val<'c>| b.value("math.absf", &[value], value.r#type(), &[]);
    let beyond = b.cmpf(FloatPredicate::Ogt, magnitude(back), magnitude(value));
    let smaller = b.value("arith.subi", &[bits, one], bits_type, &[]);
    let larger = b.value("arith.addi", &[bits, one], bits_type, &[]);
    let neighbour = b.value("arith.select", &[beyond, smaller, larger], bits_type, &[]);
    let odd = b.value("arith.select", &[moves, neighbour, bits], bits_type, &[]);
    let odd = b.value("arith.bitcast", &[odd], single, &[]);
    Some(b.value("arith.truncf", &[odd], result, &[]))
}

/// Converts via f32, from an integer that f32 represents exactly. That integer is rounded to odd, as above, to a
/// multiple of a power of two that is large enough for exactness and small enough to preserve the bits that determine
/// the bf16.
fn convert<'c>(b: &Builder<'c>, operation: Op<'c>, is_signed: bool) -> Option<Val<'c>> {
    let value = ir::operands(operation)[0];
    let (wide, result) = (value.r#type(), ir::results(operation)[0].r#type());
    let integer = ir::element_type_or_self(wide);
    let mut bits = integer.is_integer().then(|| ir::integer_width(integer))?;
    if float_type(result) != Some(FloatType::Bf16) || bits <= f32::MANTISSA_DIGITS || bits > u128::BITS {
        return None;
    }
    let magnitude = if is_signed { b.value("math.absi", &[value], wide, &[]) } else { value };
    // The mask of the bits below the power of two, by magnitude.
    let mut below = None;
    let mut steps = vec![];
    while bits > f32::MANTISSA_DIGITS {
        let lost = bits - f32::MANTISSA_DIGITS;
        // From this magnitude on, half of the last bit of bf16 is an even multiple of the power of two.
        bits = lost + BF16_DIGITS + 1;
        steps.push((1u128 << bits, (1u128 << lost) - 1));
    }
    for (least, mask) in steps.into_iter().rev() {
        let [least, mask, zero] = [least, mask, 0].map(|number| b.literal(number as i128, wide));
        let large = b.cmpi(IntPredicate::Uge, magnitude, least);
        below = Some(b.value("arith.select", &[large, mask, below.unwrap_or(zero)], wide, &[]));
    }
    let below = below?;
    let rest = b.value("arith.andi", &[value, below], wide, &[]);
    let carry = b.value("arith.addi", &[rest, below], wide, &[]);
    let odd = b.value("arith.ori", &[carry, value], wide, &[]);
    let above = b.value("arith.xori", &[below, b.literal(-1, wide)], wide, &[]);
    let odd = b.value("arith.andi", &[odd, above], wide, &[]);
    let name = if is_signed { "arith.sitofp" } else { "arith.uitofp" };
    let single = b.value(name, &[odd], ir::with_element(result, b.f32()), &[]);
    Some(b.value("arith.truncf", &[single], result, &[]))
}
