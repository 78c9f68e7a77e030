//! Arrays of scalars: arguments and results of functions, with elements in row-major order.
use crate::memory::Bytes;
use half::{bf16, f16};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The bits of one scalar. Integers are zero-extended, so that equal values have equal bits.
pub type Slot = u128;

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Element {
    /// A signless integer of this many bits, 1 to 128.
    Integer(u32),
    /// An index: 64 bits.
    Index,
    /// A 16-bit IEEE float.
    F16,
    /// A bfloat16: the upper half of a 32-bit float.
    Bf16,
    /// A 32-bit float.
    F32,
    /// A 64-bit float.
    F64,
}

impl Element {
    /// The type with this MLIR name; `None` if arrays of it are not supported.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "index" => Self::Index,
            "f16" => Self::F16,
            "bf16" => Self::Bf16,
            "f32" => Self::F32,
            "f64" => Self::F64,
            _ => Self::Integer(name.strip_prefix('i')?.parse().ok().filter(|width| (1..=128).contains(width))?),
        })
    }

    /// The number of bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Integer(width) => width,
            Self::F16 | Self::Bf16 => 16,
            Self::F32 => 32,
            Self::F64 | Self::Index => 64,
        }
    }

    /// Bytes in memory: integers are rounded up to the next power of two, as in compiled code.
    pub fn bytes(self) -> usize {
        (self.bits() as usize).div_ceil(8).next_power_of_two()
    }

    /// The type code in the C interface, `mdh_array`.
    pub fn type_number(self) -> i32 {
        let bits = self.bits() as i32;
        match self {
            Self::Integer(_) | Self::Index => 0x100 | bits,
            Self::F16 | Self::F32 | Self::F64 => 0x200 | bits,
            Self::Bf16 => 0x300 | bits,
        }
    }

    /// Returns true for floats.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::F32 | Self::F64)
    }

    /// The mask of a value's bits.
    pub fn mask(self) -> Slot {
        Slot::MAX >> (128 - self.bits())
    }

    /// The value as an f64; integers are converted as signed.
    pub fn to_f64(self, slot: Slot) -> f64 {
        match self {
            Self::F16 => f16::from_bits(slot as u16).to_f64(),
            Self::Bf16 => bf16::from_bits(slot as u16).to_f64(),
            Self::F32 => f64::from(f32::from_bits(slot as u32)),
            Self::F64 => f64::from_bits(slot as u64),
            Self::Integer(_) | Self::Index => self.signed(slot) as f64,
        }
    }

    /// The nearest float of this type; for integers, rounds toward zero.
    pub fn from_f64(self, value: f64) -> Slot {
        match self {
            Self::F16 => f16::from_f32(to_odd(value)).to_bits().into(),
            Self::Bf16 => bf16::from_f32(to_odd(value)).to_bits().into(),
            Self::F32 => (value as f32).to_bits().into(),
            Self::F64 => value.to_bits().into(),
            Self::Integer(_) | Self::Index => value as i128 as Slot & self.mask(),
        }
    }

    /// The value of an integer in two's complement.
    pub fn signed(self, slot: Slot) -> i128 {
        let unused = 128 - self.bits();
        ((slot << unused) as i128) >> unused
    }

    /// Truncates an integer to this type.
    pub fn from_integer(self, value: i128) -> Slot {
        value as Slot & self.mask()
    }

    /// Formats a value; `i1` is 0 or 1.
    pub fn text(self, slot: Slot) -> String {
        match self {
            Self::F16 => f16::from_bits(slot as u16).to_string(),
            Self::Bf16 => bf16::from_bits(slot as u16).to_string(),
            Self::F32 => f32::from_bits(slot as u32).to_string(),
            Self::F64 => f64::from_bits(slot as u64).to_string(),
            Self::Integer(1) => slot.to_string(),
            Self::Integer(_) | Self::Index => self.signed(slot).to_string(),
        }
    }

    /// Parses a number in Rust's notation, such as `-3`, `1.5e-3` or `nan`; `None` if it is not a value of this type.
    pub fn parse(self, text: &str) -> Option<Slot> {
        if self.is_float() {
            return text.parse().ok().map(|value| self.from_f64(value));
        }
        let value: i128 = match text {
            "true" => 1,
            "false" => 0,
            _ => text.parse().ok()?,
        };
        let slot = self.from_integer(value);
        // Both signed and unsigned values are accepted: 255 and -1 are the same i8.
        (value == self.signed(slot) || Slot::try_from(value) == Ok(slot)).then_some(slot)
    }

    /// Reads an element from memory; `bytes` has the size of an element.
    pub fn load(self, bytes: &[u8]) -> Slot {
        let slot = match *bytes {
            [a] => Slot::from(a),
            [a, b] => Slot::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => Slot::from(u32::from_le_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => Slot::from(u64::from_le_bytes([a, b, c, d, e, f, g, h])),
            _ => bytes.iter().rev().fold(0, |slot, byte| slot << 8 | Slot::from(*byte)),
        };
        slot & self.mask()
    }

    /// Writes an element to memory.
    pub fn store(self, slot: Slot, bytes: &mut [u8]) {
        let source = slot.to_le_bytes();
        bytes.copy_from_slice(&source[..bytes.len()]);
    }
}

/// Rounds to odd: of the two neighbors of an inexact value, takes the one whose last bit is 1. A second rounding to a
/// smaller type then gives the correctly rounded result (no double rounding).
fn to_odd(value: f64) -> f32 {
    let near = value as f32;
    let (back, bits) = (f64::from(near), near.to_bits());
    if back == value || value.is_nan() || bits & 1 == 1 {
        near
    } else if back.abs() > value.abs() {
        f32::from_bits(bits - 1)
    } else {
        f32::from_bits(bits + 1)
    }
}

impl fmt::Display for Element {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(width) => write!(formatter, "i{width}"),
            Self::Index => formatter.write_str("index"),
            Self::F16 => formatter.write_str("f16"),
            Self::Bf16 => formatter.write_str("bf16"),
            Self::F32 => formatter.write_str("f32"),
            Self::F64 => formatter.write_str("f64"),
        }
    }
}

/// An array in row-major order; rank 0 is a scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The type of the elements.
    pub element: Element,
    /// The sizes.
    pub shape: Vec<usize>,
    /// The elements, little-endian, [`Element::bytes`] each; integers are zero-extended.
    pub data: Bytes,
}

impl Array {
    /// An array of equal elements. Fails if it is too large for memory.
    pub fn filled(element: Element, shape: &[usize], slot: Slot) -> Result<Self, String> {
        let too_large = || format!("an array of shape {shape:?} is larger than the address space");
        let count = shape.iter().try_fold(1usize, |count, size| count.checked_mul(*size)).ok_or_else(too_large)?;
        let bytes =
            count.checked_mul(element.bytes()).filter(|bytes| *bytes <= isize::MAX as usize).ok_or_else(too_large)?;
        let mut one = vec![0; element.bytes()];
        element.store(slot, &mut one);
        let mut data = Bytes::filled(bytes, one[0])
            .ok_or_else(|| format!("no memory for {bytes} bytes, an array of shape {shape:?}"))?;
        if one.iter().any(|byte| *byte != one[0]) {
            data.chunks_exact_mut(one.len()).for_each(|place| place.copy_from_slice(&one));
        }
        Ok(Self { element, shape: shape.to_vec(), data })
    }

    /// A scalar.
    pub fn scalar(element: Element, slot: Slot) -> Self {
        let mut data = vec![0; element.bytes()];
        element.store(slot, &mut data);
        Self { element, shape: vec![], data: Bytes::from(&data[..]) }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.data.len() / self.element.bytes()
    }

    /// Returns true if the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Element number `i` in row-major order.
    pub fn get(&self, i: usize) -> Slot {
        let bytes = self.element.bytes();
        self.element.load(&self.data[i * bytes..(i + 1) * bytes])
    }

    /// Sets element number `i` in row-major order.
    pub fn set(&mut self, i: usize, slot: Slot) {
        let bytes = self.element.bytes();
        self.element.store(slot, &mut self.data[i * bytes..(i + 1) * bytes]);
    }

    /// The index of element number `i`.
    pub fn position(&self, mut i: usize) -> Vec<usize> {
        let mut position = vec![0; self.shape.len()];
        for (index, size) in position.iter_mut().zip(&self.shape).rev() {
            *index = i % size;
            i /= size;
        }
        position
    }
}

/// The row-major stride of each dimension, in elements.
pub fn strides(shape: &[usize]) -> Vec<usize> {
    let mut stride = 1;
    let next = |size: &usize| {
        let here = stride;
        stride *= size;
        here
    };
    let mut strides: Vec<_> = shape.iter().rev().map(next).collect();
    strides.reverse();
    strides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_extended_with_zeros_in_memory_and_signed_as_text() {
        let element = Element::Integer(7);
        let slot = element.from_integer(-1);
        assert_eq!((slot, element.bytes(), element.signed(slot)), (0x7f, 1, -1));
        assert_eq!(element.text(slot), "-1");
        assert_eq!(Element::Integer(128).text(Element::Integer(128).from_integer(i128::MIN)), i128::MIN.to_string());
        assert_eq!(Element::Integer(24).bytes(), 4);
    }

    #[test]
    fn numbers_out_of_range_do_not_parse() {
        let byte = Element::Integer(8);
        assert_eq!(byte.parse("255"), byte.parse("-1"));
        assert_eq!(byte.parse("256"), None);
        assert_eq!(byte.parse("-129"), None);
        assert_eq!(byte.parse("1.5"), None);
        assert_eq!(Element::F32.parse("1.5"), Some(0x3fc0_0000));
        assert_eq!(Element::Integer(1).parse("true"), Some(1));
    }

    #[test]
    fn floats_of_16_bits_are_rounded_once() {
        for (element, digits, largest) in [(Element::F16, 10, 65504.0), (Element::Bf16, 7, 3.389_531_389_251_535_5e38)]
        {
            let (ulp, tiny) = (2f64.powi(-digits), 2f64.powi(-45));
            let round = |value: f64| element.to_f64(element.from_f64(value));
            for (value, expected) in [
                (1.0 + ulp / 2.0, 1.0),
                (1.0 + ulp / 2.0 + tiny, 1.0 + ulp),
                (1.0 + ulp * 1.5 - tiny, 1.0 + ulp),
                (1.0 + ulp * 1.5, 1.0 + ulp * 2.0),
                (largest, largest),
                (1e300, f64::INFINITY),
                (1e-300, 0.0),
            ] {
                assert_eq!((round(value), round(-value)), (expected, -expected), "{value} as {element}");
            }
            assert!(round(-1e-300).is_sign_negative() && round(f64::NAN).is_nan());
        }
        // The midpoint between the smallest subnormal number and zero, and just above.
        assert_eq!(Element::F16.from_f64(2f64.powi(-25)), 0);
        assert_eq!(Element::F16.from_f64(2f64.powi(-25) * (1.0 + f64::EPSILON)), 1);
        // The midpoint between the largest number and infinity, and just below.
        assert_eq!(Element::F16.from_f64(65520.0), 0x7c00);
        assert_eq!(Element::F16.from_f64(65520.0 - 1e-9), 0x7bff);
    }

    #[test]
    fn elements_are_in_row_major_order() {
        let mut array = Array::filled(Element::F32, &[2, 3], 0).unwrap();
        array.set(4, Element::F32.from_f64(2.5));
        assert_eq!(array.position(4), [1, 1]);
        assert_eq!(array.element.to_f64(array.get(4)), 2.5);
        assert_eq!(strides(&[2, 3, 4]), [12, 4, 1]);
        assert!(Array::filled(Element::F32, &[usize::MAX, 2], 0).is_err());
    }
}
