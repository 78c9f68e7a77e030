//! The contents of attributes as Rust data.
use super::{
    handles::{require_context, text},
    types::complex_part,
};
use melior::{
    Context, StringRef,
    ir::{Attribute, AttributeLike, Identifier, Type, TypeLike},
};
use mlir_sys::*;

/// A string literal in MLIR syntax.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | 0..0x20 | 0x7f.. => quoted.push_str(&format!("\\{byte:02X}")),
            _ => quoted.push(char::from(byte)),
        }
    }
    quoted.push('"');
    quoted
}

/// The text of a string attribute.
pub fn string_attribute<'c>(attribute: Attribute<'c>) -> Option<&'c str> {
    // SAFETY: the attribute is a valid string, which its context owns.
    unsafe {
        mlirAttributeIsAString(attribute.to_raw()).then(|| text(mlirStringAttrGetValue(attribute.to_raw()))).flatten()
    }
}

/// The name in a flat symbol reference.
pub fn symbol_attribute<'c>(attribute: Attribute<'c>) -> Option<&'c str> {
    // SAFETY: the attribute is a valid symbol reference, whose name its context owns.
    unsafe {
        mlirAttributeIsAFlatSymbolRef(attribute.to_raw())
            .then(|| text(mlirFlatSymbolRefAttrGetValue(attribute.to_raw())))
            .flatten()
    }
}

/// The type in a type attribute.
pub fn type_attribute<'c>(attribute: Attribute<'c>) -> Option<Type<'c>> {
    let raw = attribute.to_raw();
    // SAFETY: the attribute is valid, and only a type attribute is queried for its type.
    unsafe { mlirAttributeIsAType(raw).then(|| Type::from_raw(mlirTypeAttrGetValue(raw))) }
}

/// The value of an integer attribute.
pub fn integer_attribute(attribute: Attribute<'_>) -> Option<i64> {
    // SAFETY: the attribute is a valid integer.
    unsafe { mlirAttributeIsAInteger(attribute.to_raw()).then(|| mlirIntegerAttrGetValueInt(attribute.to_raw())) }
}

/// The value of a number attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// `true` or `false`.
    Truth(bool),
    /// An integer, signed or not.
    Integer(i128),
    /// A float, converted to 64 bits.
    Float(f64),
}

/// The value of a boolean, float, or integer attribute; `None` for integers of more than 64 bits and for other
/// attributes.
pub fn number_attribute(attribute: Attribute<'_>) -> Option<Number> {
    let raw = attribute.to_raw();
    // SAFETY: the attribute is valid, and each accessor is called only for the kind of attribute that it is.
    unsafe {
        if mlirAttributeIsABool(raw) {
            return Some(Number::Truth(mlirBoolAttrGetValue(raw)));
        }
        if mlirAttributeIsAFloat(raw) {
            return Some(Number::Float(mlirFloatAttrGetValueDouble(raw)));
        }
        let ty = mlirAttributeGetType(raw);
        if !mlirAttributeIsAInteger(raw) || (mlirTypeIsAInteger(ty) && mlirIntegerTypeGetWidth(ty) > 64) {
            return None;
        }
        Some(Number::Integer(match () {
            () if !mlirTypeIsAInteger(ty) => mlirIntegerAttrGetValueInt(raw).into(),
            () if mlirIntegerTypeIsUnsigned(ty) => mlirIntegerAttrGetValueUInt(raw).into(),
            () if mlirIntegerTypeIsSigned(ty) => mlirIntegerAttrGetValueSInt(raw).into(),
            () => mlirIntegerAttrGetValueInt(raw).into(),
        }))
    }
}

/// The elements of an array attribute.
pub fn array_attribute<'c>(attribute: Attribute<'c>) -> Option<Vec<Attribute<'c>>> {
    // SAFETY: the attribute is a valid array, and the indices are below its number of elements.
    unsafe {
        mlirAttributeIsAArray(attribute.to_raw()).then(|| {
            (0..mlirArrayAttrGetNumElements(attribute.to_raw()))
                .map(|i| Attribute::from_raw(mlirArrayAttrGetElement(attribute.to_raw(), i)))
                .collect()
        })
    }
}

/// The elements of a dense array of 64-bit or 32-bit integers.
pub fn dense_array_attribute(attribute: Attribute<'_>) -> Option<Vec<i64>> {
    // SAFETY: the attribute is a valid dense array of one of the two widths, and the indices are below its number of
    // elements.
    unsafe {
        let raw = attribute.to_raw();
        let wide = mlirAttributeIsADenseI64Array(raw);
        (wide || mlirAttributeIsADenseI32Array(raw)).then(|| {
            let element = |i| match wide {
                true => mlirDenseI64ArrayGetElement(raw, i),
                false => i64::from(mlirDenseI32ArrayGetElement(raw, i)),
            };
            (0..mlirDenseArrayGetNumElements(raw)).map(element).collect()
        })
    }
}

/// The elements of a dense attribute of integers, indices or floats: the bytes per element, and the elements as
/// little-endian bytes. A splat may give only one element.
pub fn dense_elements(attribute: Attribute<'_>) -> Option<(usize, Vec<u8>)> {
    // SAFETY: the attribute is valid and dense; its data are `count` elements of `bytes` bytes, one for a splat.
    unsafe {
        let raw = attribute.to_raw();
        if !mlirAttributeIsADenseIntElements(raw) && !mlirAttributeIsADenseFPElements(raw) {
            return None;
        }
        let element = mlirShapedTypeGetElementType(mlirAttributeGetType(raw));
        let bits = match () {
            () if mlirTypeIsAInteger(element) => mlirIntegerTypeGetWidth(element),
            () if mlirTypeIsAFloat(element) => mlirFloatTypeGetWidth(element),
            () => 64,
        };
        let is_splat = mlirDenseElementsAttrIsSplat(raw);
        let count = if is_splat { 1 } else { usize::try_from(mlirElementsAttrGetNumElements(raw)).ok()? };
        // Booleans may be packed to eight per byte.
        if bits == 1 {
            let one = |i| u8::from(mlirDenseElementsAttrGetBoolValue(raw, i as isize));
            return Some((1, (0..count).map(one).collect()));
        }
        let bytes = bits.div_ceil(8) as usize;
        let data = match count {
            0 => vec![],
            _ => std::slice::from_raw_parts(mlirDenseElementsAttrGetRawData(raw).cast::<u8>(), count * bytes).to_vec(),
        };
        Some((bytes, data))
    }
}

/// The real and the imaginary parts of a dense attribute of complex floats, as little-endian bytes. A splat gives only one
/// number.
pub fn complex_elements(attribute: Attribute<'_>) -> Option<[Vec<u8>; 2]> {
    // SAFETY: the attribute is valid and dense; its data are `count` pairs of floats of `bytes` bytes, one for a splat.
    unsafe {
        let raw = attribute.to_raw();
        if !mlirAttributeIsADenseElements(raw) {
            return None;
        }
        let part = complex_part(Type::from_raw(mlirShapedTypeGetElementType(mlirAttributeGetType(raw))))?;
        if !mlirTypeIsAFloat(part.to_raw()) {
            return None;
        }
        let bytes = mlirFloatTypeGetWidth(part.to_raw()).div_ceil(8) as usize;
        let is_splat = mlirDenseElementsAttrIsSplat(raw);
        let count = if is_splat { 1 } else { usize::try_from(mlirElementsAttrGetNumElements(raw)).ok()? };
        let data = match count {
            0 => &[],
            _ => std::slice::from_raw_parts(mlirDenseElementsAttrGetRawData(raw).cast::<u8>(), 2 * count * bytes),
        };
        let part = |first: usize| data.chunks(bytes).skip(first).step_by(2).flatten().copied().collect();
        Some([part(0), part(1)])
    }
}

/// A dictionary attribute with these entries, whose names must be distinct.
pub fn dictionary_of<'c>(context: &'c Context, entries: &[(&str, Attribute<'c>)]) -> Attribute<'c> {
    let attributes: Vec<_> = entries.iter().map(|(_, attribute)| *attribute).collect();
    require_context(context, &[], &attributes);
    let named = |(name, attribute): &(&str, Attribute<'c>)| MlirNamedAttribute {
        name: Identifier::new(context, name).to_raw(),
        attribute: attribute.to_raw(),
    };
    let named: Vec<_> = entries.iter().map(named).collect();
    // SAFETY: the count matches the entries, whose names and attributes belong to the context.
    unsafe { Attribute::from_raw(mlirDictionaryAttrGet(context.to_raw(), named.len() as isize, named.as_ptr())) }
}

/// An entry of a dictionary attribute.
pub fn dictionary_entry<'c>(attribute: Attribute<'c>, key: &str) -> Option<Attribute<'c>> {
    // SAFETY: the attribute is a valid dictionary.
    unsafe {
        if !mlirAttributeIsADictionary(attribute.to_raw()) {
            return None;
        }
        Attribute::from_option_raw(mlirDictionaryAttrGetElementByName(attribute.to_raw(), StringRef::new(key).to_raw()))
    }
}

/// The entries of a dictionary attribute.
pub fn dictionary<'c>(attribute: Attribute<'c>) -> Option<Vec<(&'c str, Attribute<'c>)>> {
    // SAFETY: the attribute is a valid dictionary, the indices are below its number of entries, and its context owns
    // the names.
    unsafe {
        mlirAttributeIsADictionary(attribute.to_raw()).then(|| {
            (0..mlirDictionaryAttrGetNumElements(attribute.to_raw()))
                .map(|i| {
                    let entry = mlirDictionaryAttrGetElement(attribute.to_raw(), i);
                    (text(mlirIdentifierStr(entry.name)).unwrap_or_default(), Attribute::from_raw(entry.attribute))
                })
                .collect()
        })
    }
}
