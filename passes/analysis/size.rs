//! Sizes of types, and the numbers that integers of them can be.
use mdh_dialects::ir::{self, Val};
use melior::ir::{Type, TypeLike, ValueLike};

/// The size in bytes of an element in memory.
pub(crate) fn bytes(element: Type<'_>) -> u64 {
    match ir::complex_part(element) {
        Some(part) => 2 * bytes(part),
        // `index` has 64 bits.
        None => ir::bits(element).map_or(8, |bits| u64::from(bits.div_ceil(8)).next_power_of_two()),
    }
}

/// The number of bits of an index or integer; `None` for other types.
pub(crate) fn integer_bits(value: Val<'_>) -> Option<u32> {
    let ty = value.r#type();
    match () {
        () if ty.is_index() => Some(64),
        () if ty.is_integer() => Some(ir::integer_width(ty)),
        () => None,
    }
}

/// The smallest and the largest number of so many bits, fewer than 128.
pub(crate) fn limits(bits: u32, is_unsigned: bool) -> [i128; 2] {
    match is_unsigned {
        true => [0, (1 << bits) - 1],
        false => [-(1 << (bits - 1)), (1 << (bits - 1)) - 1],
    }
}
