//! What the producers of a nest read from the program.
use super::{index::Index, initial::InitialSource, tree::Buffer};

/// The buffers and values of the program that a producer reads.
#[derive(Clone, Debug, Default)]
pub struct ProducerSources {
    /// Its input buffers.
    pub inputs: Vec<Buffer>,
    /// The initial values by component; `None` for constants.
    pub inits: Vec<Option<InitialSource>>,
    /// The extents of its iteration space.
    pub extents: Vec<Index>,
}
