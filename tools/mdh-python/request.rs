//! What is compiled, and how: a class of `_native`, whose attributes `_compiler` reads.
use pyo3::prelude::*;

/// What is compiled, and how.
#[pyclass(frozen, get_all, eq, hash, module = "mdh._native")]
#[derive(Clone, PartialEq, Eq, Hash, FromPyObject)]
pub struct Request {
    /// A program in MLIR.
    pub program: String,
    /// The function; its only public function without a name.
    pub function: Option<String>,
    /// The name of the target, for kernels optionally with a colon and the index or a part of the name of the device.
    pub target: String,
    /// The number of threads of a call.
    pub threads: usize,
    /// Whether floats are combined and rounded as defined.
    pub strict: bool,
    /// The database of tuned schedules.
    pub database: Option<String>,
    /// Whether arrays are in the memory of the device.
    pub device_memory: bool,
}
