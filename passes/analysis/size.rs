//! Sizes of types.
use melior::ir::Type;

/// The size in bytes of an element in memory.
pub(crate) fn bytes(element: Type<'_>) -> u64 {
    let text = element.to_string();
    let bits = text.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<u64>();
    // `index`, the only element type without a width in its name, has 64 bits.
    bits.map_or(8, |bits| bits.div_ceil(8).next_power_of_two())
}
