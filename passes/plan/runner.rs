//! What runs the parts of a level, and how their results are combined.
use mdh_dialects::schedule::roles::CoreRole;
pub use mdh_dialects::schedule::roles::Runner;
use std::fmt;

/// The combination of the results of the parts of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// In order, in registers: loop-carried values.
    Carried,
    /// In order, by reading and writing the memory of the result.
    InMemory,
    /// Private partial results of the blocks, warps or threads that compute the parts, then their combination.
    TreeAcross(CoreRole),
    /// A prefix sum: in order, each part continues the prefix of the part before.
    Scan,
    /// Prefix sums of the parts in parallel, combined with the carry-in of each part: the combination of all parts
    /// before it.
    ScanAcross(CoreRole),
}

impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Carried => f.write_str("carried"),
            Self::InMemory => f.write_str("in memory"),
            Self::TreeAcross(role) => write!(f, "in a tree across {}", role.name()),
            Self::Scan => f.write_str("in a scan"),
            Self::ScanAcross(role) => write!(f, "in a scan across {}", role.name()),
        }
    }
}
