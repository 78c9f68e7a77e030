//! The native module of the Python package `mdh`: calls compiled functions on arrays. The compiler is a module of its
//! own, `mdh._compiler`, so that functions in the cache do not load MLIR.
//!
//! ```text
//! text ──cached──▶ compiled code ──function──▶ results (memory)
//!                  arrays in the caller's memory (buffer), numbers (argument); arrays of a GPU (device)
//! ```
mod argument;
mod buffer;
mod cached;
mod device;
mod errors;
mod forks;
mod function;
mod memory;
mod openmp;
mod request;

use mdh_execution::temporary;
use pyo3::{prelude::*, types::PyModule};
use std::path::PathBuf;

/// Makes a folder in a folder, and returns its path. Those that processes have left behind are removed.
#[pyfunction]
fn temporary_folder(folder: PathBuf) -> std::io::Result<PathBuf> {
    Ok(temporary::folder_in(&folder)?.keep())
}

/// The module `mdh._native`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    openmp::use_own(module)?;
    forks::register(module)?;
    module.add_class::<function::Executable>()?;
    module.add_class::<request::Request>()?;
    module.add_class::<memory::Memory>()?;
    module.add_function(wrap_pyfunction!(cached::explain, module)?)?;
    module.add_function(wrap_pyfunction!(cached::remembered_problem, module)?)?;
    module.add_function(wrap_pyfunction!(cached::remember_problem, module)?)?;
    module.add_function(wrap_pyfunction!(temporary_folder, module)?)?;
    module.add_function(wrap_pyfunction!(function::compile, module)?)
}
