//! Scalar types, dimensions, and the buffers of views, as data and in MLIR.
use serde::{Deserialize, Serialize};

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Scalar {
    F16,
    Bf16,
    F32,
    F64,
    I1,
    I8,
    I16,
    I32,
    I64,
    Index,
}

impl Scalar {
    /// All types.
    pub const ALL: [Self; 10] =
        [Self::F32, Self::F64, Self::F16, Self::Bf16, Self::I1, Self::I8, Self::I16, Self::I32, Self::I64, Self::Index];

    /// The name in MLIR.
    pub fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I1 => "i1",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::Index => "index",
        }
    }

    /// Returns true for floating-point types.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::F32 | Self::F64)
    }

    /// The number of bits.
    pub fn width(self) -> u32 {
        match self {
            Self::I1 => 1,
            Self::I8 => 8,
            Self::I16 | Self::F16 | Self::Bf16 => 16,
            Self::I32 | Self::F32 => 32,
            Self::I64 | Self::Index | Self::F64 => 64,
        }
    }

    /// The largest number up to which the type represents all integers exactly.
    pub fn exact(self) -> f64 {
        match self {
            Self::Bf16 => 256.0,
            Self::F16 => 2048.0,
            Self::F32 => 16_777_216.0,
            _ => 9_007_199_254_740_992.0,
        }
    }
}

/// The combine operator of a dimension; the combining function is that of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operator {
    /// `#mdh.cc`
    Concatenation,
    /// `#mdh.pw`
    PointWise,
    /// `#mdh.ps`
    PrefixSum,
}

/// A dimension of the iteration space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dimension {
    /// The extent.
    pub extent: u64,
    /// True if the extent is `?` in the type.
    pub dynamic: bool,
    /// The combine operator.
    pub operator: Operator,
}

/// The index function of one buffer dimension.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexFunction {
    /// The coefficient of each iteration dimension.
    pub coefficients: Vec<i64>,
    /// The offset.
    pub constant: i64,
}

impl IndexFunction {
    /// The minimum and maximum index over an iteration space with these extents.
    pub fn range(&self, extents: &[u64]) -> (i64, i64) {
        let span = |c: i64, extent: u64| c * (extent as i64 - 1).max(0);
        let terms: Vec<_> = self.coefficients.iter().zip(extents).map(|(&c, &extent)| span(c, extent)).collect();
        let low: i64 = terms.iter().map(|term| *term.min(&0)).sum();
        let high: i64 = terms.iter().map(|term| *term.max(&0)).sum();
        (self.constant + low, self.constant + high)
    }

    /// The dimension that the row is equal to; `None` for other rows.
    pub fn single(&self) -> Option<usize> {
        let mut used = self.coefficients.iter().enumerate().filter(|(_, c)| **c != 0);
        let (d, &c) = used.next()?;
        (c == 1 && self.constant == 0 && used.next().is_none()).then_some(d)
    }
}

/// An access: a row for each buffer dimension.
pub type Access = Vec<IndexFunction>;

/// A size of a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// The number of elements.
    pub size: u64,
    /// True if the size is `?` in the type.
    pub dynamic: bool,
}

/// A buffer of an input or output view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buffer {
    /// The element type.
    pub element: Scalar,
    /// The sizes.
    pub sizes: Vec<Size>,
    /// True for a memref, false for a tensor.
    pub memref: bool,
    /// The accesses.
    pub accesses: Vec<Access>,
}

impl Buffer {
    /// The number of elements.
    pub fn elements(&self) -> u64 {
        self.sizes.iter().map(|size| size.size).product()
    }
}

/// The destination of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Destination {
    /// A new buffer.
    New,
    /// A destination of its own.
    Own,
    /// An input buffer, which is overwritten.
    Input(usize),
}

/// An output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The buffer.
    pub buffer: Buffer,
    /// Its destination; new for all outputs or for none.
    pub destination: Destination,
}

/// The MLIR type of a buffer.
pub fn buffer_type(buffer: &Buffer) -> String {
    let kind = if buffer.memref { "memref" } else { "tensor" };
    let sizes = buffer.sizes.iter().map(|size| if size.dynamic { "?x".to_owned() } else { format!("{}x", size.size) });
    format!("{kind}<{}{}>", sizes.collect::<String>(), buffer.element.name())
}

/// The accesses of a buffer.
pub fn bracket(accesses: &[Access], rank: usize) -> String {
    let dimensions: Vec<_> = (0..rank).map(|d| format!("d{d}")).collect();
    let maps = accesses.iter().map(|access| {
        let rows: Vec<_> = access.iter().map(row).collect();
        format!("affine_map<({}) -> ({})>", dimensions.join(", "), rows.join(", "))
    });
    format!("[{}]", maps.collect::<Vec<_>>().join(", "))
}

fn row(row: &IndexFunction) -> String {
    let term = |(d, c): (usize, &i64)| match c {
        0 => None,
        1 => Some(format!("d{d}")),
        c => Some(format!("d{d} * {c}")),
    };
    let mut terms: Vec<_> = row.coefficients.iter().enumerate().filter_map(term).collect();
    if row.constant != 0 || terms.is_empty() {
        terms.push(row.constant.to_string());
    }
    terms.join(" + ")
}
