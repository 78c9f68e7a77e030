//! The compiler of the Python package: `mdh._compiler`, which needs MLIR. `mdh._native` imports it for what is not in the
//! cache.
#[path = "../openmp.rs"]
mod openmp;
#[path = "../request.rs"]
mod request;

use anyhow::{Result, anyhow, bail};
use mdh_passes::{
    pipeline::Options,
    target::{TARGETS, Target},
};
use mdh_runtime::Api;
use mdh_tools::{commands, explain::report, interface::Memory, opt, program, session::Session};
use pyo3::{
    exceptions::PyRuntimeError,
    prelude::*,
    types::{PyBytes, PyModule, PyType},
};
use rayon::{ThreadPool, ThreadPoolBuilder};
use request::Request;
use std::{
    ffi::OsString,
    mem, process,
    sync::{Arc, Mutex, PoisonError},
};

impl Request {
    fn options(&self) -> Result<Options> {
        let (name, device) = self.target.split_once(':').map_or((&*self.target, None), |(n, d)| (n, Some(d)));
        let target: &'static Target = TARGETS.iter().find(|known| known.name == name).ok_or_else(|| {
            let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
            anyhow!("no target '{name}': there are {}", names.join(", "))
        })?;
        match (device, target.kernels.as_ref().and_then(|_| Api::named(target.name))) {
            (Some(device), Some(api)) => drop(mdh_runtime::select(api, device)?),
            (Some(device), None) => bail!("the target {name} has no devices, but the device '{device}' is given"),
            (None, _) => {}
        }
        let database = self.database.clone();
        let (strict, threads) = (self.strict, Some(self.threads));
        Ok(Options { target, strict, threads, database, has_runtime_checks: true, ..Options::default() })
    }

    /// The code of the function, with checks of its arguments.
    fn code(&self) -> Result<Vec<u8>> {
        let context = program::context_without_threads();
        let session = Session::new(self.options()?, None, None);
        let memory = if self.device_memory { Memory::Device } else { Memory::Host };
        session.checked_code(&context, self.program.as_bytes(), self.function.as_deref(), memory)?.encode()
    }

    /// The explanation of the function.
    fn explanation(&self) -> Result<String> {
        let (context, function) = (program::context_without_threads(), self.function.as_deref());
        Ok(report::of_text(&context, self.program.as_bytes(), function, self.options()?)?.to_string())
    }

    /// The program after a stage of the pipeline, or its code.
    fn source(&self, stage: &str) -> Result<String> {
        let session = Session::new(self.options()?, None, None);
        session.checked_text(
            &program::context_without_threads(),
            self.program.as_bytes(),
            self.function.as_deref(),
            stage,
        )
    }
}

/// The threads that compile and search for schedules, of this process: those of its parent do not exist after a fork.
fn pool() -> Result<Arc<ThreadPool>> {
    /// Bytes of a stack: that of the main thread, for which the compiler limits the nesting of programs.
    const STACK: usize = 8 << 20;
    static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    match &*pool {
        Some((process, pool)) if *process == process::id() => Ok(Arc::clone(pool)),
        _ => {
            let made = Arc::new(ThreadPoolBuilder::new().stack_size(STACK).build()?);
            // That of the parent is never dropped, because its threads could not be waited for.
            if let Some(former) = pool.replace((process::id(), Arc::clone(&made))) {
                mem::forget(former);
            }
            Ok(made)
        }
    }
}

/// Runs an action without Python's global lock. Its errors are compilation errors.
fn compiled<T: Send>(py: Python<'_>, action: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    program::report_with(log);
    py.detach(|| pool()?.install(action)).map_err(|error| {
        let message = program::causes(&error);
        let class = py.import("mdh.errors").and_then(|errors| errors.getattr("CompilationError"));
        match class.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
            Ok(class) => PyErr::from_type(class, message),
            Err(_) => PyRuntimeError::new_err(message),
        }
    })
}

/// Compiles a function, and returns its code in the form that `_native` links.
#[pyfunction]
fn compile<'py>(py: Python<'py>, request: Request) -> PyResult<Bound<'py, PyBytes>> {
    Ok(PyBytes::new(py, &compiled(py, || request.code())?))
}

/// The program after a stage of the pipeline, as MLIR, or its code.
#[pyfunction]
fn source(py: Python<'_>, request: Request, stage: &str) -> PyResult<String> {
    compiled(py, || request.source(stage))
}

/// The explanation of a function, as JSON.
#[pyfunction]
fn explain(py: Python<'_>, request: Request) -> PyResult<String> {
    compiled(py, || request.explanation())
}

/// Logs what the compiler says about a program that it compiles, by the logger "mdh". It is called from any thread.
fn log(text: &str, is_warning: bool) {
    let level = if is_warning { "warning" } else { "info" };
    // Logging that fails is no reason to fail.
    let _ = Python::attach(|py| {
        let logger = py.import("logging")?.call_method1("getLogger", ("mdh",))?;
        logger.call_method1(level, ("%s", text.trim_end())).map(drop)
    });
}

/// Runs a command line: that of `mdh`, or by the name of the program that of `mdh-opt` or another tool of MLIR. Returns
/// its exit code.
#[pyfunction]
fn run(py: Python<'_>, arguments: Vec<OsString>) -> i32 {
    let is_tool = arguments.first().is_some_and(|name| name != "mdh");
    py.detach(|| if is_tool { opt::run(arguments) } else { commands::run(arguments).into() })
}

/// The module `mdh._compiler`.
#[pymodule]
fn _compiler(module: &Bound<'_, PyModule>) -> PyResult<()> {
    openmp::use_own(module)?;
    module.add_function(wrap_pyfunction!(compile, module)?)?;
    module.add_function(wrap_pyfunction!(source, module)?)?;
    module.add_function(wrap_pyfunction!(explain, module)?)?;
    module.add_function(wrap_pyfunction!(run, module)?)
}
