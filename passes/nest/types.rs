//! Types of a nest: elements, vectors of them, and what is copied meanwhile.
use mdh_dialects::schedule::model::Level;
use std::fmt;

/// The type of an element of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// An index, which has 64 bits in memory.
    Index,
    /// A signless integer of so many bits.
    Integer(u32),
    /// A float, as MLIR calls its type.
    Float(&'static str),
    /// A type that is neither, by its number among those of the computation: it is moved, and only functions of the program compute with it.
    Other(u32),
}

/// The names of MLIR's types of floats.
const FLOATS: [&str; 18] = [
    "f4E2M1FN",
    "f6E2M3FN",
    "f6E3M2FN",
    "f8E5M2",
    "f8E4M3",
    "f8E4M3FN",
    "f8E5M2FNUZ",
    "f8E4M3FNUZ",
    "f8E4M3B11FNUZ",
    "f8E3M4",
    "f8E8M0FNU",
    "bf16",
    "f16",
    "tf32",
    "f32",
    "f64",
    "f80",
    "f128",
];

impl Element {
    /// A truth value.
    pub const BIT: Self = Self::Integer(1);

    /// The float with this name.
    pub fn float(name: &str) -> Option<Self> {
        FLOATS.iter().find(|known| **known == name).map(|name| Self::Float(name))
    }

    /// Whether it is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Self::Float(_))
    }

    /// Whether it can be the element of a vector.
    pub fn is_vectorizable(self) -> bool {
        !matches!(self, Self::Other(_))
    }

    /// Whether an element in memory is as large as one in a vector, which packs other types more tightly.
    pub fn is_packed_alike(self) -> bool {
        !matches!(self, Self::Integer(bits) if ![8, 16, 32, 64].contains(&bits))
    }

    /// The bits of a value; none where the type does not say.
    pub fn bits(self) -> Option<u32> {
        match self {
            Self::Index | Self::Other(_) => None,
            Self::Integer(bits) => Some(bits),
            Self::Float(name) => name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok(),
        }
    }

    /// The bytes of an element in memory.
    pub fn bytes(self) -> u64 {
        // `index` has 64 bits.
        self.bits().map_or(8, |bits| u64::from(bits).div_ceil(8).next_power_of_two())
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index => f.write_str("index"),
            Self::Integer(bits) => write!(f, "i{bits}"),
            Self::Float(name) => f.write_str(name),
            Self::Other(number) => write!(f, "type{number}"),
        }
    }
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// One element.
    Scalar(Element),
    /// So many of them, the lanes of a vector.
    Vector(i64, Element),
    /// A group of copies that are under way.
    Copies,
}

impl Type {
    /// An index.
    pub const INDEX: Self = Self::Scalar(Element::Index);
    /// A truth value.
    pub const BIT: Self = Self::Scalar(Element::BIT);
    /// An integer of 32 bits.
    pub const WORD: Self = Self::Scalar(Element::Integer(32));

    /// The element of it, or of its lanes.
    pub fn element(self) -> Option<Element> {
        match self {
            Self::Scalar(element) | Self::Vector(_, element) => Some(element),
            Self::Copies => None,
        }
    }

    /// Whether it has lanes.
    pub fn is_vector(self) -> bool {
        matches!(self, Self::Vector(..))
    }

    /// Vectors of so many lanes of this type's elements.
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
