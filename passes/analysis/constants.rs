//! Constant integers.
use mdh_dialects::ir::{self, Val};
use melior::ir::{TypeLike, ValueLike};

/// The elements of a constant of integers or indices, one for a scalar or a splat, as signed numbers; `None` for other
/// values.
pub fn integers(value: Val<'_>) -> Option<Vec<i128>> {
    let constant = ir::defining(value).filter(|operation| ir::name(*operation) == "arith.constant")?;
    let attribute = ir::attribute(constant, "value")?;
    let element = ir::element_type_or_self(value.r#type());
    let width = ir::integer_width(element);
    if element.is_integer() && width > 64 && ir::element_type(value.r#type()).is_none() {
        // The C API reads at most 64 bits.
        return Some(vec![attribute.to_string().split(" : ").next()?.parse().ok()?]);
    }
    if let Some(number) = ir::integer_attribute(attribute) {
        return Some(vec![sign_extended(number.into(), width)]);
    }
    let (bytes, data) = ir::dense_elements(attribute).filter(|_| element.is_integer() || element.is_index())?;
    if bytes > 16 {
        return None;
    }
    let number = |chunk: &[u8]| {
        let mut word = [0; 16];
        word[..chunk.len()].copy_from_slice(chunk);
        sign_extended(i128::from_le_bytes(word), width)
    };
    Some(data.chunks(bytes).map(number).collect())
}

/// The number that the lowest bits of a word represent.
fn sign_extended(word: i128, width: u32) -> i128 {
    let unused = 128u32.saturating_sub(width.max(1));
    (word << unused) >> unused
}
