//! Code from the cache on disk, or from the compiler, which is loaded only then.
//!
//! ```text
//! request ──▶ cache ──▶ code
//!               └─ not there ──▶ mdh._compiler (MLIR) ──▶ code
//! ```
use crate::{errors::Kind, request::Request};
use anyhow::{Result, bail};
use inkwell::targets::TargetMachine;
use mdh_execution::{
    cache::{Cache, Key, MAGIC},
    database, forks,
    jit::Code,
};
use pyo3::{
    call::PyCallArgs,
    exceptions::PyUserWarning,
    prelude::*,
    types::{PyBytes, PyType},
};
use std::{cell::RefCell, env, fs, os::unix::fs::MetadataExt, path::PathBuf, rc::Rc, thread};

/// Bytes of the cache, if `MDH_CACHE_SIZE` does not say how many MiB there are.
const DEFAULT_MEBIBYTES: u64 = 512;

/// The code of a request.
pub fn code(py: Python<'_>, request: &Request) -> PyResult<Code> {
    // Kernels depend on the drivers of their devices.
    if request.target != "cpu" {
        return cached_or_compiled(py, request, None);
    }
    with_cache(py, |cache| cached_or_compiled(py, request, cache))?
}

/// Calls a function of `mdh._compiler`. A fork waits until it has returned, since the first one imports the compiler.
pub fn call_compiler<'py>(
    py: Python<'py>,
    function: &str,
    arguments: impl PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let _running = py.detach(forks::running);
    py.import("mdh._compiler")?.getattr(function)?.call1(arguments)
}

/// The explanation of a function, as JSON.
#[pyfunction]
pub fn explain<'py>(py: Python<'py>, request: Bound<'py, Request>) -> PyResult<Bound<'py, PyAny>> {
    call_compiler(py, "explain", (request,))
}

/// The problem that is remembered for a program of a framework; `None` if there is none.
#[pyfunction]
pub fn remembered_problem(py: Python<'_>, program: &str) -> PyResult<Option<String>> {
    let key = problem_key(py, program)?;
    with_cache(py, |cache| cache.and_then(|cache| cache.find_text(key)))
}

/// Remembers why a program of a framework cannot be compiled.
#[pyfunction]
pub fn remember_problem(py: Python<'_>, program: &str, problem: &str) -> PyResult<()> {
    let key = problem_key(py, program)?;
    with_cache(py, |cache| {
        if let Some(cache) = cache {
            cache.store_text(key, problem);
        }
    })
}

/// Calls a function with the cache, and warns of what goes wrong there.
fn with_cache<T>(py: Python<'_>, call: impl FnOnce(Option<&Cache>) -> T) -> PyResult<T> {
    let warnings = Rc::new(RefCell::new(vec![]));
    let cache = cache(&warnings);
    let outcome = call(cache.as_ref());
    for warning in warnings.take() {
        let category =
            py.import("mdh.errors").and_then(|errors| Ok(errors.getattr("CacheWarning")?.cast_into::<PyType>()?));
        let category = category.unwrap_or_else(|_| py.get_type::<PyUserWarning>());
        let text = std::ffi::CString::new(warning).unwrap_or_default();
        PyErr::warn(py, &category, &text, 2)?;
    }
    Ok(outcome)
}

fn cached_or_compiled(py: Python<'_>, request: &Request, cache: Option<&Cache>) -> PyResult<Code> {
    let key = cache.map(|_| key(py, request)).transpose()?;
    if let (Some(cache), Some(key)) = (cache, key)
        && let Some(code) = cache.find(key)
    {
        return Ok(code);
    }
    let bytes = call_compiler(py, "compile", (request.clone(),))?;
    // SAFETY: the compiler of this package has encoded them, in the same version.
    let code = unsafe { Code::decode(bytes.cast::<PyBytes>()?.as_bytes()) };
    let code = code.map_err(|error| Kind::Compilation.error(py, error))?;
    if let (Some(cache), Some(key)) = (cache, key) {
        cache.store(key, &code);
    }
    Ok(code)
}

/// The cache; `None` if the variable of the environment is empty.
fn cache(warnings: &Rc<RefCell<Vec<String>>>) -> Option<Cache> {
    let kept = Rc::clone(warnings);
    let opened = directory().and_then(|directory| match directory {
        Some(directory) => Cache::open(&directory, false, move |problem| kept.borrow_mut().push(problem.to_owned())),
        None => Ok(None),
    });
    match opened.and_then(|cache| Ok((cache, limit()?))) {
        Ok((cache, limit)) => cache.map(|cache| cache.bounded(limit)),
        Err(error) => {
            warnings.borrow_mut().push(format!("{error:#}"));
            None
        }
    }
}

/// `MDH_CACHE_DIR`, else a directory of the user's caches; `None` if the variable is empty or there is no home.
fn directory() -> Result<Option<PathBuf>> {
    if let Some(chosen) = env::var_os("MDH_CACHE_DIR") {
        return Ok(Some(PathBuf::from(chosen)).filter(|path| !path.as_os_str().is_empty()));
    }
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    Ok(caches.map(|caches| caches.join("mdh")))
}

/// `MDH_CACHE_SIZE` in bytes.
fn limit() -> Result<u64> {
    let Ok(text) = env::var("MDH_CACHE_SIZE") else { return Ok(DEFAULT_MEBIBYTES << 20) };
    match text.trim().parse::<u32>() {
        Ok(mebibytes) => Ok(u64::from(mebibytes) << 20),
        Err(_) => bail!("the environment variable MDH_CACHE_SIZE requires a number of MiB, but is '{text}'"),
    }
}

/// The key of everything that affects the code: the request, this build of the compiler, and the processor.
fn key(py: Python<'_>, request: &Request) -> PyResult<Key> {
    // Code with arrays in device memory is not cached.
    let Request { program, function, target, threads, strict, database: tuned, device_memory: _ } = request;
    let build = build(py)?;
    let [tuned, log] = tuned.as_deref().map(database::contents).unwrap_or_default();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let options = format!("{function:?} {target} {threads} {strict} {cores}");
    Ok(Key::of(&[
        MAGIC,
        env!("CARGO_PKG_VERSION").as_bytes(),
        format!("{:?}", inkwell::support::get_llvm_version()).as_bytes(),
        build.as_bytes(),
        TargetMachine::get_host_cpu_name().to_bytes(),
        TargetMachine::get_host_cpu_features().to_bytes(),
        options.as_bytes(),
        program.as_bytes(),
        &tuned,
        &log,
    ]))
}

/// The key of the problem of a program. A framework's version, types and options are a part of its text.
fn problem_key(py: Python<'_>, program: &str) -> PyResult<Key> {
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    Ok(Key::of(&[MAGIC, b"problem", version, build(py)?.as_bytes(), program.as_bytes()]))
}

/// What distinguishes builds of the compiler of the same version.
fn build(py: Python<'_>) -> PyResult<String> {
    let folder: PathBuf = py.import("mdh")?.getattr("__path__")?.get_item(0)?.extract()?;
    let described = |file: fs::Metadata| format!("{} {} {}", file.size(), file.mtime(), file.mtime_nsec());
    Ok(fs::metadata(folder.join("_compiler.abi3.so")).map(described).unwrap_or_default())
}
