//! Integer instructions, as functions of the bits of registers. Bits above the width of a type are ignored when a
//! register is read.
use crate::{
    program::{Binary, Ternary, Unary},
    types::Type,
};

/// Instantiates a function for an integer type. In the body, `T` is the type, and `W` the type of twice its width.
macro_rules! for_types {
    ($type:expr, $arm:ident, $($rest:tt)*) => {
        match $type {
            Type::B16 | Type::U16 => $arm!(u16, u32, $($rest)*),
            Type::S16 => $arm!(i16, i32, $($rest)*),
            Type::B32 | Type::U32 => $arm!(u32, u64, $($rest)*),
            Type::S32 => $arm!(i32, i64, $($rest)*),
            Type::B64 | Type::U64 => $arm!(u64, u128, $($rest)*),
            Type::S64 => $arm!(i64, i128, $($rest)*),
            _ => return None,
        }
    };
}

macro_rules! unary_arm {
    ($t:ty, $w:ty, $a:ident, $body:expr) => {
        |$a: u64| -> u64 {
            let $a = $a as $t;
            ($body) as u64
        }
    };
}

macro_rules! binary_arm {
    ($t:ty, $w:ty, $a:ident, $b:ident, $body:expr) => {
        |$a: u64, $b: u64| -> u64 {
            #[allow(dead_code)]
            type T = $t;
            #[allow(dead_code)]
            type W = $w;
            let ($a, $b) = ($a as $t, $b as $t);
            ($body) as u64
        }
    };
}

macro_rules! shift_arm {
    ($t:ty, $w:ty, $a:ident, $b:ident, $body:expr) => {
        |$a: u64, $b: u64| -> u64 {
            type T = $t;
            let ($a, $b) = ($a as $t, ($b as u32).min(<$t>::BITS));
            ($body) as u64
        }
    };
}

macro_rules! ternary_arm {
    ($t:ty, $w:ty, $a:ident, $b:ident, $c:ident, $body:expr) => {
        |$a: u64, $b: u64, $c: u64| -> u64 {
            #[allow(dead_code)]
            type T = $t;
            #[allow(dead_code)]
            type W = $w;
            let ($a, $b) = ($a as $t, $b as $t);
            ($body) as u64
        }
    };
}

/// A unary instruction, by its name without the type.
pub fn unary(name: &str, ty: Type) -> Option<Unary> {
    if ty == Type::Pred {
        return (name == "not").then_some(|a| a ^ 1);
    }
    Some(match name {
        "neg" => for_types!(ty, unary_arm, a, a.wrapping_neg_any()),
        "abs" if ty.is_signed() => for_types!(ty, unary_arm, a, a.wrapping_abs_any()),
        "not" => for_types!(ty, unary_arm, a, !a),
        "clz" => for_types!(ty, unary_arm, a, a.leading_zeros()),
        "popc" => for_types!(ty, unary_arm, a, a.count_ones()),
        "brev" => for_types!(ty, unary_arm, a, a.reverse_bits()),
        _ => return None,
    })
}

/// Wrapping negation and absolute value, for all integers.
trait Wrapping: Sized {
    fn wrapping_neg_any(self) -> Self;
    fn wrapping_abs_any(self) -> Self;
}

macro_rules! wrapping {
    ($($signed:ty, $unsigned:ty;)*) => {$(
        impl Wrapping for $signed {
            fn wrapping_neg_any(self) -> Self {
                self.wrapping_neg()
            }
            fn wrapping_abs_any(self) -> Self {
                self.wrapping_abs()
            }
        }
        impl Wrapping for $unsigned {
            fn wrapping_neg_any(self) -> Self {
                self.wrapping_neg()
            }
            fn wrapping_abs_any(self) -> Self {
                self
            }
        }
    )*};
}
wrapping! { i16, u16; i32, u32; i64, u64; }

/// A binary instruction, by its name without the type. The result of a division by zero is undefined; here, all its
/// bits are set.
pub fn binary(name: &str, ty: Type) -> Option<Binary> {
    if ty == Type::Pred {
        return Some(match name {
            "and" => |a, b| a & b,
            "or" => |a, b| a | b,
            "xor" => |a, b| a ^ b,
            _ => return None,
        });
    }
    Some(match name {
        "add" => for_types!(ty, binary_arm, a, b, a.wrapping_add(b)),
        "sub" => for_types!(ty, binary_arm, a, b, a.wrapping_sub(b)),
        "mul.lo" => for_types!(ty, binary_arm, a, b, a.wrapping_mul(b)),
        "mul.hi" => for_types!(ty, binary_arm, a, b, ((a as W).wrapping_mul(b as W) >> T::BITS) as T),
        "mul.wide" if ty.bytes() < 8 => for_types!(ty, binary_arm, a, b, (a as W).wrapping_mul(b as W)),
        "div" => for_types!(ty, binary_arm, a, b, if b == 0 { T::MAX | T::MIN } else { a.wrapping_div(b) }),
        "rem" => for_types!(ty, binary_arm, a, b, if b == 0 { T::MAX | T::MIN } else { a.wrapping_rem(b) }),
        "min" => for_types!(ty, binary_arm, a, b, a.min(b)),
        "max" => for_types!(ty, binary_arm, a, b, a.max(b)),
        "and" => for_types!(ty, binary_arm, a, b, a & b),
        "or" => for_types!(ty, binary_arm, a, b, a | b),
        "xor" => for_types!(ty, binary_arm, a, b, a ^ b),
        // Shift amounts above the width are clamped to the width.
        "shl" => for_types!(ty, shift_arm, a, b, if b == T::BITS { 0 } else { a << b }),
        "shr" => for_types!(ty, shift_arm, a, b, if b == T::BITS { (a >> (b - 1)) >> 1 } else { a >> b }),
        _ => return None,
    })
}

/// A ternary instruction, by its name without the type.
pub fn ternary(name: &str, ty: Type) -> Option<Ternary> {
    Some(match (name, ty) {
        ("mad.lo", _) => for_types!(ty, ternary_arm, a, b, c, a.wrapping_mul(b).wrapping_add(c as T)),
        ("mad.hi", _) => {
            for_types!(ty, ternary_arm, a, b, c, (((a as W).wrapping_mul(b as W) >> T::BITS) as T).wrapping_add(c as T))
        }
        ("mad.wide", _) if ty.bytes() < 8 => {
            for_types!(ty, ternary_arm, a, b, c, (a as W).wrapping_mul(b as W).wrapping_add(c as W))
        }
        ("bfe", Type::U32) => |a, b, c| extract(a & 0xffff_ffff, b, c, false),
        ("bfe", Type::S32) => |a, b, c| extract(a as i32 as u64, b, c, true),
        ("bfe", Type::U64) => |a, b, c| extract(a, b, c, false),
        ("bfe", Type::S64) => |a, b, c| extract(a, b, c, true),
        ("prmt", Type::B32) => permute,
        ("shf.l.wrap", Type::B32) => |a, b, c| ((b << 32 | a & 0xffff_ffff) << (c & 31)) >> 32,
        ("shf.r.wrap", Type::B32) => |a, b, c| (b << 32 | a & 0xffff_ffff) >> (c & 31),
        ("shf.l.clamp", Type::B32) => {
            |a, b, c| ((u128::from(b << 32 | a & 0xffff_ffff) << (c as u32).min(32)) >> 32) as u64
        }
        ("shf.r.clamp", Type::B32) => |a, b, c| (b << 32 | a & 0xffff_ffff) >> (c as u32).min(32),
        _ => return None,
    })
}

/// Extracts the bit field at `place` of `length` bits (`bfe`). A signed field is sign-extended from its last bit; bits
/// past the value are its sign. `value` is already extended to 64 bits.
fn extract(value: u64, place: u64, length: u64, is_signed: bool) -> u64 {
    let (place, length) = ((place & 0xff) as u32, (length & 0xff) as u32);
    let unused = 64 - length.min(64);
    if length == 0 {
        0
    } else if is_signed {
        ((((value as i64) >> place.min(63)) << unused) >> unused) as u64
    } else {
        (value.checked_shr(place).unwrap_or(0) << unused) >> unused
    }
}

/// Inserts the low `length` bits of `bits` into `into` at `place` (`bfi`).
pub fn insert([bits, into, place, length]: [u64; 4], width: u8) -> u64 {
    let (place, length) = ((place & 0xff) as u32, (length & 0xff) as u32);
    let mask = 1u64.checked_shl(length).map_or(u64::MAX, |bit| bit - 1);
    let moved = |value: u64| value.checked_shl(place).unwrap_or(0) & (u64::MAX >> (64 - width));
    into & !moved(mask) | moved(bits & mask)
}

/// Selects four of eight bytes (`prmt`). The top bit of a selector replicates the sign of its byte.
fn permute(a: u64, b: u64, selectors: u64) -> u64 {
    let bytes = b << 32 | a & 0xffff_ffff;
    (0..4).fold(0, |result, i| {
        let selector = selectors >> (4 * i) & 0xf;
        let byte = bytes >> (8 * (selector & 7)) & 0xff;
        let byte = if selector & 8 == 0 { byte } else { (byte >> 7) * 0xff };
        result | byte << (8 * i)
    })
}

/// An instruction that reads or writes the carry flag: (a, b, c, carry) to (result, carry).
pub type Carrying = fn(u64, u64, u64, bool) -> (u64, bool);

/// An extended-precision instruction, by its name without `.cc` and the type, and its number of operands.
pub fn carrying(name: &str, ty: Type) -> Option<(Carrying, usize)> {
    if ty.bytes() != 4 || ty.is_float() {
        return None;
    }
    fn sum(values: [u64; 2], carry: bool) -> (u64, bool) {
        let sum = (values[0] & 0xffff_ffff) + (values[1] & 0xffff_ffff) + u64::from(carry);
        (sum & 0xffff_ffff, sum >> 32 != 0)
    }
    fn difference(a: u64, b: u64, borrow: bool) -> (u64, bool) {
        let difference = (a & 0xffff_ffff).wrapping_sub(b & 0xffff_ffff).wrapping_sub(u64::from(borrow));
        (difference & 0xffff_ffff, difference >> 32 != 0)
    }
    let product = |part: &str| part.ends_with("hi") && ty.is_signed();
    // The upper half of a signed product differs from the unsigned one computed here.
    if product(name) {
        return None;
    }
    fn high(a: u64, b: u64) -> u64 {
        ((a & 0xffff_ffff) * (b & 0xffff_ffff)) >> 32
    }
    Some(match name {
        "add" => (|a, b, _, _| sum([a, b], false), 2),
        "addc" => (|a, b, _, carry| sum([a, b], carry), 2),
        "sub" => (|a, b, _, _| difference(a, b, false), 2),
        "subc" => (|a, b, _, carry| difference(a, b, carry), 2),
        "mad.lo" => (|a, b, c, _| sum([a.wrapping_mul(b), c], false), 3),
        "madc.lo" => (|a, b, c, carry| sum([a.wrapping_mul(b), c], carry), 3),
        "mad.hi" => (|a, b, c, _| sum([high(a, b), c], false), 3),
        "madc.hi" => (|a, b, c, carry| sum([high(a, b), c], carry), 3),
        _ => return None,
    })
}
