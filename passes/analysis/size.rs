//! Sizes of types.
use mdh_dialects::ir;
use melior::ir::Type;

/// The size in bytes of an element in memory.
pub(crate) fn bytes(element: Type<'_>) -> u64 {
    match ir::complex_part(element) {
        Some(part) => 2 * bytes(part),
        // `index` has 64 bits.
        None => ir::bits(element).map_or(8, |bits| u64::from(bits.div_ceil(8)).next_power_of_two()),
    }
}
