//! Scalars of programs: comparisons and extremes as `arith` defines them, on bits.
use mdh_dialects::ir::{self, FloatPredicate, IntPredicate, Number};
use melior::ir::{Type, TypeLike};

/// The type of a scalar: a float, or an integer of at most 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarType {
    /// A float of any width. Its values are held as 64 bits: comparisons and selections do not round.
    Float,
    /// An integer or an index of this many bits.
    Integer(u32),
}

impl ScalarType {
    /// The type of a scalar; `None` for wider integers, and for those without bits.
    pub fn of(ty: Type<'_>) -> Option<Self> {
        match ty.is_float() {
            true => Some(Self::Float),
            false => Some(Self::Integer(ir::integer_width(ty))).filter(|_| (1..=64).contains(&ir::integer_width(ty))),
        }
    }

    /// The bits of a number.
    pub fn bits(self, number: Number) -> Option<u64> {
        match (self, number) {
            (Self::Float, Number::Float(value)) if value.is_nan() => Some(f64::NAN.to_bits()),
            (Self::Float, Number::Float(value)) => Some(value.to_bits()),
            (Self::Integer(_), Number::Truth(value)) => Some(value.into()),
            (Self::Integer(width), Number::Integer(value)) => Some(value as u64 & mask(width)),
            _ => None,
        }
    }
}

/// The bits of an integer type.
pub fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// The signed integer of a type, or 0 for a float.
pub fn number(bits: u64, ty: ScalarType) -> i64 {
    match ty {
        ScalarType::Float => 0,
        ScalarType::Integer(width) => signed(bits, width),
    }
}

/// The text of a value in a message.
pub fn text(bits: u64, ty: ScalarType) -> String {
    match ty {
        ScalarType::Float => format!("{:?}", f64::from_bits(bits)),
        ScalarType::Integer(1) => (bits == 1).to_string(),
        ScalarType::Integer(width) => signed(bits, width).to_string(),
    }
}

/// The signed integer of these bits.
pub fn signed(bits: u64, width: u32) -> i64 {
    (bits << (64 - width)) as i64 >> (64 - width)
}

/// The maximum or minimum of floats.
#[derive(Clone, Copy, Debug)]
pub struct FloatExtreme {
    /// True for the maximum.
    pub is_maximum: bool,
    /// True if the other value is the result if one is NaN.
    pub ignores_nan: bool,
}

impl FloatExtreme {
    /// True if the first value is the result.
    pub fn takes_first(self, (x, y): (f64, f64)) -> bool {
        match (x.is_nan(), y.is_nan()) {
            (false, false) => x.total_cmp(&y).is_gt() == self.is_maximum,
            (first, _) => first != self.ignores_nan,
        }
    }
}

/// True if a comparison of floats holds.
pub fn float_holds(predicate: FloatPredicate, (x, y): (f64, f64)) -> bool {
    use FloatPredicate as P;
    let unordered = x.is_nan() || y.is_nan();
    match predicate {
        P::AlwaysFalse => false,
        P::Oeq => x == y,
        P::Ogt => x > y,
        P::Oge => x >= y,
        P::Olt => x < y,
        P::Ole => x <= y,
        P::One => !unordered && x != y,
        P::Ord => !unordered,
        P::Ueq => unordered || x == y,
        P::Ugt => unordered || x > y,
        P::Uge => unordered || x >= y,
        P::Ult => unordered || x < y,
        P::Ule => unordered || x <= y,
        P::Une => x != y,
        P::Uno => unordered,
        P::AlwaysTrue => true,
    }
}

/// True if a comparison of integers of a width holds.
pub fn integer_holds(predicate: IntPredicate, width: u32, (x, y): (u64, u64)) -> bool {
    use IntPredicate as P;
    let (s, t) = (signed(x, width), signed(y, width));
    match predicate {
        P::Eq => x == y,
        P::Ne => x != y,
        P::Slt => s < t,
        P::Sle => s <= t,
        P::Sgt => s > t,
        P::Sge => s >= t,
        P::Ult => x < y,
        P::Ule => x <= y,
        P::Ugt => x > y,
        P::Uge => x >= y,
    }
}
