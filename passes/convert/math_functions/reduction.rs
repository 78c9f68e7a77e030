//! Argument reduction of trigonometric functions: a multiple of pi/2 and a rest.
//!
//! Up to some thousands (f32) or millions (f64), the multiple is subtracted in four parts of pi/2, of which three have
//! so few bits that their products are exact (W. J. Cody and W. Waite, 1980, chapter 8). So a rest near zero keeps full
//! precision. In f64, the rounding errors of the differences before the last one are subtracted, too. Larger arguments
//! are multiplied by as many bits of 2/pi as their product modulo 4 requires, lane by lane and in integers (M. Payne
//! and R. Hanek, Radian reduction for trigonometric functions, 1983).
use super::{
    exponential::nearest,
    library::{Library, Use},
    value::{Float, Format, Integer, LaneType},
};
use crate::emit::{
    index::EmittedIndex::Constant,
    lanes::{extract, insert},
    loops::{branch, carried},
};
use mdh_dialects::ir::{Builder, Val};
use melior::ir::{Type, ValueLike};

/// A reduced argument.
pub struct Reduced<'c> {
    /// The multiple of pi/2; for large arguments, its last two bits.
    pub quadrant: Integer<'c>,
    /// The rest: at most pi/4, up to rounding errors.
    pub rest: Float<'c>,
}

/// 2/pi in binary: 64 zeros, then the bits after the point.
const TWO_OVER_PI: [u64; 20] = [
    0x0000000000000000,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
];

/// pi/2 in units of 2^-63.
const HALF_PI: u64 = 0xc90fdaa22168c235;

/// Reduces an argument. For infinities, the rest is NaN.
pub fn reduced<'c>(library: &Library<'c>, x: Float<'c>) -> Reduced<'c> {
    let on = x.on;
    let (parts, limit) = match on.format {
        Format::F32 => {
            ([1.570556640625, 0.0002396702766418457, 1.5890691429376602e-08, 2.563344151594519e-12], 3_000.0)
        }
        Format::F64 => {
            ([1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32], 1_600_000.0)
        }
    };
    let (n, quadrant) = nearest(x, std::f64::consts::FRAC_2_PI);
    let [first, second, third, fourth] = parts;
    let rest = n.multiply_add(-first, x);
    let rest = match on.format {
        Format::F32 => [second, third, fourth].into_iter().fold(rest, |rest, part| n.multiply_add(-part, rest)),
        Format::F64 => {
            let (rest, excess) = difference(rest, n * second);
            let (rest, more) = difference(rest, n * third);
            rest - n.multiply_add(fourth, excess + more)
        }
    };
    let magnitude = x.magnitude();
    let is_long = magnitude.exceeds(limit) & magnitude.is_below(f64::INFINITY);
    let b = on.builder;
    let types = [rest.value, quadrant.value].map(|value| value.r#type());
    let operands = [x.value, is_long.value, rest.value, quadrant.value];
    let reduce = |b: &Builder<'c>| {
        library.call(LaneType { builder: *b, ..on }, "long_reduction", Use::Rare, &operands, &types, |lanes, given| {
            by_lane(library, lanes, given, &types)
        })
    };
    let results = branch(&b, is_long.any(), &types, reduce, |_| vec![rest.value, quadrant.value]);
    Reduced { rest: Float { on, value: results[0] }, quadrant: Integer { on, value: results[1] } }
}

/// A difference and its rounding error (by how much it is too large), which is exact if the second number is not the
/// larger one (T. J. Dekker, 1971). It keeps the sign of zero.
fn difference<'c>(from: Float<'c>, number: Float<'c>) -> (Float<'c>, Float<'c>) {
    let difference = from - number;
    (difference, number - (from - difference))
}

/// Replaces the rests and quadrants in lanes with large arguments. `given`: arguments, true for lanes whose argument is
/// large, rests and quadrants.
fn by_lane<'c>(library: &Library<'c>, lanes: LaneType<'c>, given: &[Val<'c>], types: &[Type<'c>]) -> Vec<Val<'c>> {
    let [arguments, is_long, ..] = *given else { return vec![] };
    let Some(count) = lanes.count else { return long(library, lanes, arguments) };
    carried(&lanes.builder, Constant(0), Constant(count as i64), &given[2..], types, |b, lane, vectors| {
        let reduce = |b: &Builder<'c>| {
            let found = long(library, LaneType { builder: *b, count: None, ..lanes }, extract(b, arguments, lane));
            found.into_iter().zip(vectors).map(|(value, vector)| insert(b, value, *vector, lane)).collect()
        };
        branch(b, extract(b, is_long, lane), types, reduce, |_| vectors.to_vec())
    })
}

/// The rest and the quadrant of one large argument.
fn long<'c>(library: &Library<'c>, lanes: LaneType<'c>, x: Val<'c>) -> Vec<Val<'c>> {
    let b = lanes.builder;
    let x = Float { on: LaneType { count: None, ..lanes }, value: x };
    let wide = if lanes.format == Format::F32 { x.widened() } else { x };
    let types = [b.f64(), b.i64()];
    let found = library.call(wide.on, "long_argument", Use::Rare, &[wide.value], &types, |lanes, given| {
        from_bits(library, Float { on: lanes, value: given[0] })
    });
    if lanes.format == Format::F64 {
        return found;
    }
    let rest = Float { on: wide.on, value: found[0] }.narrowed();
    vec![rest.value, b.value("arith.trunci", &[found[1]], b.i32(), &[])]
}

/// The rest and the quadrant of an f64 of at least 2^11, in integers.
fn from_bits<'c>(library: &Library<'c>, x: Float<'c>) -> Vec<Val<'c>> {
    let b = x.on.builder;
    let (word, wide) = (b.i64(), b.integer(128));
    let number = |number: u64, ty: Type<'c>| b.constant(number as i64, ty);
    let op = |name: &str, left: Val<'c>, right: Val<'c>| b.value(name, &[left, right], left.r#type(), &[]);
    let by = |name: &str, left: Val<'c>, right: u64| op(name, left, number(right, left.r#type()));
    let widened = |value: Val<'c>| b.value("arith.extui", &[value], wide, &[]);
    let bits = x.magnitude().bits().value;
    // |x| = mantissa 2^exponent.
    let exponent = by("arith.subi", by("arith.shrui", bits, 52), 1075);
    let mantissa = by("arith.ori", by("arith.andi", bits, (1 << 52) - 1), 1 << 52);
    // The bits of 2/pi, starting with the bit whose product with 2^exponent is 2. Earlier bits only contribute
    // multiples of 4.
    let first = by("arith.addi", exponent, 62);
    let (place, shift) = (by("arith.shrui", first, 6), by("arith.andi", first, 63));
    let ty = b.memref(&[Some(TWO_OVER_PI.len() as u64)], word, None);
    let table = library.symbol("mdh.two_over_pi", |b, symbol| {
        let words = TWO_OVER_PI.map(|bits| b.number(bits.cast_signed(), word));
        let attributes = [
            ("sym_name", b.string(symbol)),
            ("sym_visibility", b.string("private")),
            ("type", b.type_of(ty)),
            ("initial_value", b.dense(&words, word)),
            ("constant", b.unit()),
        ];
        b.op("memref.global", &[], &[], &attributes, vec![]);
    });
    let table = b.value("memref.get_global", &[], ty, &[("name", b.symbol(&table))]);
    let index = b.value("arith.index_cast", &[place], b.index(), &[]);
    let words: [Val<'c>; 4] = std::array::from_fn(|i| {
        widened(b.value("memref.load", &[table, by("arith.addi", index, i as u64)], word, &[]))
    });
    let window: [Val<'c>; 3] = std::array::from_fn(|i| {
        let pair = op("arith.ori", by("arith.shli", words[i], 64), words[i + 1]);
        by("arith.shrui", op("arith.shli", pair, widened(shift)), 64)
    });
    // The product modulo 4, in units of 2^-126.
    let products = window.map(|part| op("arith.muli", part, widened(mantissa)));
    let high = op("arith.addi", by("arith.shli", products[0], 64), products[1]);
    let product = op("arith.addi", high, by("arith.shrui", products[2], 64));
    // Rounded to the nearest integer: the rest is the fraction, as a signed number.
    let fraction = by("arith.shli", product, 2);
    let truncated = |value: Val<'c>| b.value("arith.trunci", &[value], word, &[]);
    let quadrant = truncated(op("arith.addi", by("arith.shrui", product, 126), by("arith.shrui", fraction, 127)));
    let sign = by("arith.shrsi", fraction, 127);
    let magnitude = op("arith.subi", op("arith.xori", fraction, sign), sign);
    let zeros = b.value("math.ctlz", &[magnitude], wide, &[]);
    let top = truncated(by("arith.shrui", op("arith.shli", magnitude, zeros), 64));
    // Times pi/2, in units of 2^-63, so that the result is rounded once.
    let product = op("arith.muli", widened(top), number(HALF_PI, wide));
    let top = truncated(by("arith.shrui", product, 64));
    let fraction = Float { on: x.on, value: b.value("arith.uitofp", &[top], x.on.float_type(), &[]) };
    let scale = Integer { on: x.on, value: truncated(zeros) };
    let rest = fraction * (x.on.integer(-63) - scale).power_of_two();
    // Both change their sign with that of x, and the rest also with that of the fraction.
    let negative = x.bits().shifted_right(63);
    let flipped = Integer { on: x.on, value: truncated(sign) } ^ negative;
    let rest = (rest.bits() | (flipped.shifted_left(63))).as_float();
    let quadrant = Integer { on: x.on, value: quadrant };
    vec![rest.value, ((quadrant ^ negative) - negative).value]
}
