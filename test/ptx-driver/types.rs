//! The types of instructions and variables.

/// A type, as in the suffix of an instruction name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    B8,
    B16,
    B32,
    B64,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    F32,
    F64,
    Pred,
}

impl Type {
    /// The type of a name, without its dot.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "b8" => Self::B8,
            "b16" => Self::B16,
            "b32" => Self::B32,
            "b64" => Self::B64,
            "u8" => Self::U8,
            "u16" => Self::U16,
            "u32" => Self::U32,
            "u64" => Self::U64,
            "s8" => Self::S8,
            "s16" => Self::S16,
            "s32" => Self::S32,
            "s64" => Self::S64,
            "f16" => Self::F16,
            "f16x2" => Self::F16x2,
            "bf16" => Self::Bf16,
            "bf16x2" => Self::Bf16x2,
            "f32" => Self::F32,
            "f64" => Self::F64,
            "pred" => Self::Pred,
            _ => return None,
        })
    }

    /// The size in bytes; a predicate is never in memory.
    pub fn bytes(self) -> u8 {
        match self {
            Self::B8 | Self::U8 | Self::S8 | Self::Pred => 1,
            Self::B16 | Self::U16 | Self::S16 | Self::F16 | Self::Bf16 => 2,
            Self::B32 | Self::U32 | Self::S32 | Self::F32 | Self::F16x2 | Self::Bf16x2 => 4,
            Self::B64 | Self::U64 | Self::S64 | Self::F64 => 8,
        }
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Self::S8 | Self::S16 | Self::S32 | Self::S64)
    }

    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F16x2 | Self::Bf16 | Self::Bf16x2 | Self::F32 | Self::F64)
    }
}
