//! Registers with Python what happens at a fork: it waits until no thread compiles or links, because a child that has
//! their locks could never compile. All calls of `mdh._compiler` are made by this module: a fork that begins before the
//! compiler is imported would not know what that registers.
use mdh_execution::forks;
use pyo3::{
    prelude::*,
    types::{PyDict, PyModule},
};

/// Waits without Python's global lock, which threads that compile may need.
#[pyfunction]
fn before_fork(py: Python<'_>) {
    py.detach(forks::before_fork);
}

#[pyfunction]
fn after_fork_in_parent() {
    forks::after_fork(false);
}

#[pyfunction]
fn after_fork_in_child() {
    forks::after_fork(true);
}

/// Registers the functions of a module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let functions = PyDict::new(module.py());
    functions.set_item("before", wrap_pyfunction!(before_fork, module)?)?;
    functions.set_item("after_in_parent", wrap_pyfunction!(after_fork_in_parent, module)?)?;
    functions.set_item("after_in_child", wrap_pyfunction!(after_fork_in_child, module)?)?;
    module.py().import("os")?.call_method("register_at_fork", (), Some(&functions)).map(drop)
}
