//! The types of a nest: elements, vectors of them, and tokens.
use mdh_dialects::{ir::FloatType, schedule::model::Level};
use std::fmt;

/// The type of an element of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// An index, which has 64 bits in memory.
    Index,
    /// A signless integer of this many bits.
    Integer(u32),
    /// A floating-point number.
    Float(FloatType),
    /// Another type, by its number among the types of the computation. A nest only moves values of this type; functions
    /// of the program compute with them.
    Other(u32),
}

impl Element {
    /// A Boolean (`i1`).
    pub const BIT: Self = Self::Integer(1);

    /// True if it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Self::Float(_))
    }

    /// True if it can be the element type of a vector.
    pub fn is_vectorizable(self) -> bool {
        !matches!(self, Self::Other(_))
    }

    /// True if elements have the same size in memory and as lanes of a vector. Integers of other widths than 8, 16, 32
    /// and 64 bits are padded in memory, and not in vectors.
    pub fn is_packed_alike(self) -> bool {
        !matches!(self, Self::Integer(bits) if ![8, 16, 32, 64].contains(&bits))
    }

    /// The number of bits of a value; `None` for `index` and other types.
    pub fn bits(self) -> Option<u32> {
        match self {
            Self::Index | Self::Other(_) => None,
            Self::Integer(bits) => Some(bits),
            Self::Float(float) => Some(float.bits()),
        }
    }

    /// Bytes of an element in memory.
    pub fn bytes(self) -> u64 {
        // `index` and other types have 64 bits.
        self.bits().map_or(8, |bits| u64::from(bits).div_ceil(8).next_power_of_two())
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index => f.write_str("index"),
            Self::Integer(bits) => write!(f, "i{bits}"),
            Self::Float(FloatType::F16) => f.write_str("f16"),
            Self::Float(FloatType::Bf16) => f.write_str("bf16"),
            Self::Float(FloatType::F32) => f.write_str("f32"),
            Self::Float(FloatType::F64) => f.write_str("f64"),
            Self::Other(number) => write!(f, "type{number}"),
        }
    }
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// One element.
    Scalar(Element),
    /// A vector of this many lanes.
    Vector(i64, Element),
    /// An opaque token: a group of asynchronous copies, or the dynamic shared memory of a launch.
    Copies,
}

impl Type {
    /// An index.
    pub const INDEX: Self = Self::Scalar(Element::Index);
    /// A Boolean (`i1`).
    pub const BIT: Self = Self::Scalar(Element::BIT);
    /// An integer of 32 bits.
    pub const WORD: Self = Self::Scalar(Element::Integer(32));

    /// The element type, of the value or of its lanes.
    pub fn element(self) -> Option<Element> {
        match self {
            Self::Scalar(element) | Self::Vector(_, element) => Some(element),
            Self::Copies => None,
        }
    }

    /// True if it is a vector.
    pub fn is_vector(self) -> bool {
        matches!(self, Self::Vector(..))
    }

    /// The vector type with this many lanes of this type's elements.
    pub fn with_lanes(self, lanes: i64) -> Self {
        self.element().map_or(self, |element| Self::Vector(lanes, element))
    }
}

impl From<Element> for Type {
    fn from(element: Element) -> Self {
        Self::Scalar(element)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(element) => write!(f, "{element}"),
            Self::Vector(lanes, element) => write!(f, "{lanes} x {element}"),
            Self::Copies => f.write_str("copies"),
        }
    }
}

/// The level whose parts are the lanes of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// The level.
    pub level: Level,
    /// Its number of parts.
    pub count: i64,
}
