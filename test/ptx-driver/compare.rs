//! Comparison instructions.
use crate::{float::Float, program::Comparison, types::Type};
use half::{bf16, f16};
use std::cmp::Ordering;

/// A comparison by the `Option<Ordering>` of its operands, which is `None` if one of them is NaN.
macro_rules! by_order {
    ($name:expr, $t:ty) => {
        match $name {
            "eq" => test!($t, |order| order == Some(Ordering::Equal)),
            "ne" => test!($t, |order| order.is_some_and(Ordering::is_ne)),
            "lt" | "lo" => test!($t, |order| order == Some(Ordering::Less)),
            "le" | "ls" => test!($t, |order| order.is_some_and(Ordering::is_le)),
            "gt" | "hi" => test!($t, |order| order == Some(Ordering::Greater)),
            "ge" | "hs" => test!($t, |order| order.is_some_and(Ordering::is_ge)),
            "equ" => test!($t, |order| order.is_none_or(Ordering::is_eq)),
            "neu" => test!($t, |order| order.is_none_or(Ordering::is_ne)),
            "ltu" => test!($t, |order| order.is_none_or(Ordering::is_lt)),
            "leu" => test!($t, |order| order.is_none_or(Ordering::is_le)),
            "gtu" => test!($t, |order| order.is_none_or(Ordering::is_gt)),
            "geu" => test!($t, |order| order.is_none_or(Ordering::is_ge)),
            "num" => test!($t, |order| order.is_some()),
            "nan" => test!($t, |order| order.is_none()),
            _ => return None,
        }
    };
}

/// A test of the ordering of two registers, read as values of a type.
macro_rules! test {
    ($t:ty, |$order:ident| $body:expr) => {
        |a, b| {
            let $order = <$t as Value>::value(a).partial_cmp(&<$t as Value>::value(b));
            $body
        }
    };
}

/// A value read from the bits of a register.
trait Value: PartialOrd {
    fn value(bits: u64) -> Self;
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl Value for $t {
            fn value(bits: u64) -> Self {
                bits as Self
            }
        }
    )*};
}
integers! { u16 u32 u64 i16 i32 i64 }

macro_rules! floats {
    ($($t:ty)*) => {$(
        impl Value for $t {
            fn value(bits: u64) -> Self {
                Self::of(bits)
            }
        }
    )*};
}
floats! { f16 bf16 f32 f64 }

/// The comparison of a name and type; `None` if there is none.
pub fn comparison(name: &str, ty: Type) -> Option<Comparison> {
    let is_for_integers = ["eq", "ne", "lt", "le", "gt", "ge"].contains(&name);
    let is_for_unsigned = ["lo", "ls", "hi", "hs"].contains(&name);
    let is_legal = match ty {
        Type::B16 | Type::B32 | Type::B64 => ["eq", "ne"].contains(&name),
        Type::U16 | Type::U32 | Type::U64 => is_for_integers || is_for_unsigned,
        Type::S16 | Type::S32 | Type::S64 => is_for_integers,
        _ => !is_for_unsigned,
    };
    if !is_legal {
        return None;
    }
    Some(match ty {
        Type::B16 | Type::U16 => by_order!(name, u16),
        Type::B32 | Type::U32 => by_order!(name, u32),
        Type::B64 | Type::U64 => by_order!(name, u64),
        Type::S16 => by_order!(name, i16),
        Type::S32 => by_order!(name, i32),
        Type::S64 => by_order!(name, i64),
        Type::F16 => by_order!(name, f16),
        Type::Bf16 => by_order!(name, bf16),
        Type::F32 => by_order!(name, f32),
        Type::F64 => by_order!(name, f64),
        _ => return None,
    })
}
