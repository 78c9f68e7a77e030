//! The library for threads of the wheel.
use pyo3::{prelude::*, types::PyModule};
use std::path::PathBuf;

/// Uses the library for threads of the wheel, which is that of no other package, if there is one.
pub fn use_own(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let package = module.py().import("mdh")?.getattr("__file__")?.extract::<PathBuf>()?;
    let beside = package.with_file_name("libmdh_omp.so.5");
    if beside.exists() {
        mdh_execution::jit::use_openmp(beside);
    }
    Ok(())
}
