//! Conversions between floats and integers: of floats that are out of the range of the integer type, which are poison
//! upstream, and of booleans, which some devices convert without a sign.
//!
//! ```text
//! arith.fptosi %x : f32 to i32   ──▶   0 if %x is a NaN, else the nearest integer of the type
//! arith.fptosi %x : f32 to i1    ──▶   %x <= -1
//! arith.sitofp %x : i1 to f32    ──▶   select(%x, -1, 0)
//! ```
//!
//! The code is that of comparisons and selections, which processors execute on vectors, unlike LLVM's saturating
//! conversions.
use super::{Expansion, float_type};
use mdh_dialects::ir::{self, Builder, FloatPredicate, FloatType, Op, Val};
use melior::ir::{Type, ValueLike};

/// The operations and their expansions.
pub const EXPANSIONS: [(&str, Expansion); 4] = [
    ("arith.fptosi", |b, operation| to_integer(b, operation, true)),
    ("arith.fptoui", |b, operation| to_integer(b, operation, false)),
    ("arith.sitofp", |b, operation| of_boolean(b, operation, -1.0)),
    ("arith.uitofp", |b, operation| of_boolean(b, operation, 1.0)),
];

/// A float constant, of 16 bits only -1, 0 or 1; `None` for other types of floats.
fn float<'c>(b: &Builder<'c>, value: f64, ty: Type<'c>) -> Option<Val<'c>> {
    let bits = match float_type(ty)? {
        FloatType::F16 if value == 0.0 => 0,
        float @ FloatType::F16 => i128::from(float.one() | if value < 0.0 { float.negative_zero() } else { 0 }),
        FloatType::Bf16 => i128::from((value as f32).to_bits() >> 16),
        FloatType::F32 => (value as f32).to_bits().into(),
        FloatType::F64 => value.to_bits().into(),
    };
    Some(b.literal(bits, ty))
}

fn of_boolean<'c>(b: &Builder<'c>, operation: Op<'c>, one: f64) -> Option<Val<'c>> {
    let (value, result) = (ir::operands(operation)[0], ir::results(operation)[0].r#type());
    if !ir::is_boolean(ir::element_type_or_self(value.r#type())) {
        return None;
    }
    let (one, zero) = (float(b, one, result)?, float(b, 0.0, result)?);
    Some(b.value("arith.select", &[value, one, zero], result, &[]))
}

/// The range of an integer type as floats of a type: the least number, the largest float that is in the range after it
/// is rounded toward zero, and the first number beyond it if there are numbers of the type between the two.
struct ConversionRange {
    least: f64,
    most: f64,
    beyond: Option<f64>,
}

impl ConversionRange {
    fn of(bits: u32, is_signed: bool, digits: u32, largest: f64) -> Self {
        let magnitude_bits = bits - u32::from(is_signed);
        let power = 2f64.powi(magnitude_bits.min(2000) as i32);
        let least = if is_signed { -power } else { 0.0 };
        match magnitude_bits <= digits {
            true => Self { least, most: power - 1.0, beyond: None },
            // Of the floats below a power of two, the largest one has all digits set.
            false => {
                let below = power - 2f64.powi((magnitude_bits - digits).min(2000) as i32);
                let beyond = if power > largest { f64::INFINITY } else { power };
                Self { least: least.max(-largest), most: below.min(largest), beyond: Some(beyond) }
            }
        }
    }
}

/// True if a value was converted from integers, all of which are in the range. The conversion may have rounded up, to a
/// power of two, and in f16 to an infinity.
fn is_in_range(value: Val<'_>, bits: u32, is_signed: bool) -> bool {
    let is_f16 = float_type(value.r#type()) == Some(FloatType::F16);
    let Some(operation) = ir::defining(value).filter(|_| !is_f16) else { return false };
    let from = || ir::integer_width(ir::element_type_or_self(ir::operands(operation)[0].r#type()));
    match ir::name(operation) {
        "arith.sitofp" => is_signed && from() < bits.min(128),
        "arith.uitofp" => from() < bits.min(128) - u32::from(is_signed),
        _ => false,
    }
}

/// The largest number of an integer type.
fn largest<'c>(b: &Builder<'c>, bits: u32, is_signed: bool, ty: Type<'c>) -> Val<'c> {
    let mut words = vec![u64::MAX; bits.div_ceil(64) as usize];
    if let Some(last) = words.last_mut().filter(|_| is_signed) {
        *last = (1 << ((bits - 1) % 64)) - 1;
    }
    b.wide_literal(&words, ty)
}

fn to_integer<'c>(b: &Builder<'c>, operation: Op<'c>, is_signed: bool) -> Option<Val<'c>> {
    let (given, result) = (ir::operands(operation)[0], ir::results(operation)[0].r#type());
    let bits = ir::integer_width(ir::element_type_or_self(result));
    if bits == 1 {
        let (predicate, one) = if is_signed { (FloatPredicate::Ole, -1.0) } else { (FloatPredicate::Oge, 1.0) };
        return Some(b.cmpf(predicate, given, float(b, one, given.r#type())?));
    }
    // All numbers without bits are 0.
    if bits == 0 || is_in_range(given, bits, is_signed) {
        return None;
    }
    // Floats of 16 bits are exact in f32, in which most processors convert.
    let (value, digits, most) = match float_type(given.r#type())? {
        FloatType::F32 => (given, f32::MANTISSA_DIGITS, f32::MAX.into()),
        FloatType::F64 => (given, f64::MANTISSA_DIGITS, f64::MAX),
        FloatType::F16 | FloatType::Bf16 => {
            let wide = b.value("arith.extf", &[given], ir::with_element(given.r#type(), b.f32()), &[]);
            (wide, f32::MANTISSA_DIGITS, f32::MAX.into())
        }
    };
    let ty = value.r#type();
    let range = ConversionRange::of(bits, is_signed, digits, most);
    let select = |condition, yes: Val<'c>, no| b.value("arith.select", &[condition, yes, no], yes.r#type(), &[]);
    let (zero, least, most) = (float(b, 0.0, ty)?, float(b, range.least, ty)?, float(b, range.most, ty)?);
    // Of a NaN, no comparison holds, so that it becomes the least number, which is 0 without a sign.
    let number = if is_signed { select(b.cmpf(FloatPredicate::Ord, value, value), value, zero) } else { value };
    let raised = select(b.cmpf(FloatPredicate::Ogt, number, least), number, least);
    let clamped = select(b.cmpf(FloatPredicate::Olt, raised, most), raised, most);
    let name = if is_signed { "arith.fptosi" } else { "arith.fptoui" };
    let integer = b.value(name, &[clamped], result, &[]);
    let Some(beyond) = range.beyond else { return Some(integer) };
    let is_beyond = b.cmpf(FloatPredicate::Oge, value, float(b, beyond, ty)?);
    Some(select(is_beyond, largest(b, bits, is_signed, result), integer))
}
