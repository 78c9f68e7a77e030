//! Compiled functions.
use crate::{
    argument::Given,
    buffer::Lent,
    cached,
    device::OnDevice,
    errors::{Kind, described},
    memory::Memory,
    request::Request,
};
use mdh_execution::{
    forks,
    jit::{CallError, Compiled, MAX_THREADS, RawArray},
    signature::{Parameter, Signature},
};
use mdh_runtime::Api;
use pyo3::{
    prelude::*,
    types::{PyList, PyTuple},
};
use std::{env, ffi::c_void, num::NonZeroUsize, ptr, thread};

/// The environment variable that names a database of tuned schedules.
const DATABASE: &str = "MDH_DATABASE";

/// A compiled function, which is called with arrays.
#[pyclass(frozen, module = "mdh._native")]
pub struct Executable {
    compiled: Compiled,
    request: Request,
}

/// Compiles a function of a program in MLIR; its only public function without a name. `target`: its name, for kernels
/// optionally with a colon and the index or a part of the name of the device, which is that of all functions from then
/// on. `threads`: the number of threads of each call, by default one for each core. `database`: tuned schedules, by
/// default those that the environment variable names.
#[pyfunction]
#[pyo3(signature = (program, function=None, *, target="cpu", threads=None, strict=false, database=None))]
pub fn compile(
    py: Python<'_>,
    program: String,
    function: Option<String>,
    target: &str,
    threads: Option<Bound<'_, PyAny>>,
    strict: bool,
    database: Option<String>,
) -> PyResult<Executable> {
    let threads = count(py, threads)?;
    let database = database.or_else(|| env::var(DATABASE).ok()).filter(|database| !database.is_empty());
    let target = target.to_owned();
    Executable::new(py, Request { program, function, target, threads, strict, database, device_memory: false })
}

/// The number of threads, by default one for each core.
fn count(py: Python<'_>, threads: Option<Bound<'_, PyAny>>) -> PyResult<usize> {
    let Some(given) = threads else {
        return Ok(thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MAX_THREADS));
    };
    let wrong = |kind: Kind| {
        let message = format!("threads requires an integer from 1 to {MAX_THREADS}, but is {}", described(&given));
        kind.error(py, message)
    };
    let number: i128 = given.extract().map_err(|_| wrong(Kind::ArgumentType))?;
    usize::try_from(number)
        .ok()
        .filter(|number| (1..=MAX_THREADS).contains(number))
        .ok_or_else(|| wrong(Kind::ArgumentValue))
}

impl Executable {
    /// Compiles and links what is requested.
    fn new(py: Python<'_>, request: Request) -> PyResult<Self> {
        let failed = |error: String| Kind::Compilation.error(py, error);
        // A child could not wait for what its parent's threads initialize, compile or link.
        let _running = py.detach(forks::running);
        let code = cached::code(py, &request)?;
        if let Some((name, device)) = request.target.split_once(':')
            && let Some(api) = Api::named(name)
        {
            mdh_runtime::select(api, device).map_err(|error| failed(error.to_string()))?;
        }
        let compiled = py.detach(|| Compiled::link(&code));
        let compiled = compiled.map_err(|error| failed(format!("{error:#}")))?;
        // What `source` is asked for is of this function, also if the program has others.
        let request = Request { function: Some(compiled.signature().name.clone()), ..request };
        Ok(Self { compiled, request })
    }

    fn signature(&self) -> &Signature {
        self.compiled.signature()
    }

    /// The buffers that results are written to.
    fn destinations(&self, py: Python<'_>, out: &[Bound<'_, PyAny>]) -> PyResult<Vec<Lent>> {
        let Signature { name, results, .. } = self.signature();
        if out.len() != results.len() {
            let (wanted, given) = (results.len(), out.len());
            let message = format!("'{name}' requires {wanted} arrays for results, but {given} are given");
            return Err(Kind::ArgumentType.error(py, message));
        }
        let lend = |(i, (array, result)): (usize, (&Bound<'_, PyAny>, &Parameter))| {
            Lent::new(array, &Parameter { in_place: true, ..result.clone() }, &format!("result {}", i + 1))
        };
        out.iter().zip(results).enumerate().map(lend).collect()
    }
}

#[pymethods]
impl Executable {
    /// The name of the function.
    #[getter]
    fn name(&self) -> &str {
        &self.signature().name
    }

    /// The types of the arguments, in MLIR.
    #[getter]
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.signature().arguments.iter().map(Parameter::r#type))
    }

    /// The types of the results, in MLIR.
    #[getter]
    fn results<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.signature().results.iter().map(Parameter::r#type))
    }

    /// Whether the function may write to each argument.
    #[getter]
    fn updated<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.signature().arguments.iter().map(|parameter| parameter.in_place))
    }

    /// The number of threads of a call.
    #[getter]
    fn threads(&self) -> usize {
        self.request.threads
    }

    /// What was compiled, and how, for the functions of `mdh._compiler`.
    #[getter]
    fn request(&self) -> Request {
        self.request.clone()
    }

    /// The program after a stage of the pipeline, as MLIR.
    fn source<'py>(&self, py: Python<'py>, stage: &str) -> PyResult<Bound<'py, PyAny>> {
        cached::call_compiler(py, "source", (self.request.clone(), stage))
    }

    /// Calls a function of buffers, which writes those after the inputs.
    fn run<'py>(
        &self,
        py: Python<'py>,
        inputs: Vec<Bound<'py, PyAny>>,
        outputs: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let arguments: Vec<_> = inputs.into_iter().chain(outputs).collect();
        self.__call__(&PyTuple::new(py, arguments)?, None).map(drop)
    }

    /// The same function for arrays in the memory of its device.
    fn on_device(&self, py: Python<'_>) -> PyResult<Self> {
        Self::new(py, Request { device_memory: true, ..self.request.clone() })
    }

    /// Calls a function of buffers with arrays in device memory, which are pairs of an address and sizes, and with
    /// numbers; it writes the arrays after the inputs. The call ends when its work has been submitted to a stream.
    fn run_on_device<'py>(&self, py: Python<'py>, arguments: Vec<Bound<'py, PyAny>>, stream: usize) -> PyResult<()> {
        let Signature { name, arguments: parameters, results } = self.signature();
        if !self.request.device_memory || !results.is_empty() {
            let message = format!("'{name}' is no function of buffers in device memory");
            return Err(Kind::ArgumentType.error(py, message));
        }
        if arguments.len() != parameters.len() {
            let (wanted, given) = (parameters.len(), arguments.len());
            let message = format!("'{name}' requires {wanted} arrays in device memory, but {given} are given");
            return Err(Kind::ArgumentType.error(py, message));
        }
        let mut given = vec![];
        for (i, (argument, parameter)) in arguments.iter().zip(parameters).enumerate() {
            given.push(OnDevice::new(argument, parameter, i + 1, stream)?);
        }
        let inputs: Vec<_> = given.iter_mut().zip(parameters).map(|(one, p)| one.raw(p.element)).collect();
        let stream = ptr::with_exposed_provenance_mut(stream);
        let call =
            Call { compiled: &self.compiled, inputs: &inputs, outputs: &mut [], threads: self.threads(), stream };
        py.detach(move || call.run()).map_err(|error| exception(py, error))
    }

    /// Calls the function, and returns a list of its results; an empty one if they are written to `out`.
    #[pyo3(signature = (*arguments, out=None))]
    fn __call__<'py>(
        &self,
        arguments: &Bound<'py, PyTuple>,
        out: Option<Vec<Bound<'py, PyAny>>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = arguments.py();
        let Signature { name, arguments: parameters, results } = self.signature();
        if arguments.len() != parameters.len() {
            let (wanted, given) = (parameters.len(), arguments.len());
            let message = format!("'{name}' requires {wanted} arguments, but {given} are given");
            return Err(Kind::ArgumentType.error(py, message));
        }
        let mut given = Vec::with_capacity(parameters.len());
        for (i, (argument, parameter)) in arguments.iter().zip(parameters).enumerate() {
            given.push(Given::new(&argument, parameter, i + 1)?);
        }
        let inputs: Vec<_> = given.iter_mut().zip(parameters).map(|(one, p)| one.raw(p.element)).collect();
        let mut written = match &out {
            Some(out) => self.destinations(py, out)?,
            None => vec![],
        };
        let news = if out.is_some() { &[] } else { &results[..] };
        let mut memories: Vec<_> = news.iter().map(Memory::new).collect();
        let destinations = written.iter_mut().zip(results).map(|(lent, result)| lent.raw(result.element));
        let mut outputs: Vec<_> = destinations.chain(memories.iter_mut().map(Memory::raw)).collect();
        let (threads, stream) = (self.threads(), ptr::null_mut());
        let call = Call { compiled: &self.compiled, inputs: &inputs, outputs: &mut outputs, threads, stream };
        let status = py.detach(move || call.run());
        // After an error, too, the function may have allocated results, which are freed with their owner.
        let first = out.as_ref().map_or(0, Vec::len);
        let taken: Vec<_> =
            memories.iter_mut().zip(&outputs[first..]).map(|(memory, output)| memory.take(output)).collect();
        status.map_err(|error| exception(py, error))?;
        if taken.contains(&None) {
            return Err(Kind::Execution.error(py, format!("no memory for the results of '{name}'")));
        }
        let list = PyList::empty(py);
        for memory in memories {
            list.append(Py::new(py, memory)?)?;
        }
        Ok(list)
    }
}

/// The exception of an error.
fn exception(py: Python<'_>, error: CallError) -> PyErr {
    match error {
        CallError::Argument(problem) => Kind::ArgumentValue.error(py, problem),
        CallError::Execution(problem) => Kind::Execution.error(py, problem),
    }
}

/// A call with arrays in memory that Python has lent.
struct Call<'a> {
    compiled: &'a Compiled,
    inputs: &'a [RawArray],
    outputs: &'a mut [RawArray],
    threads: usize,
    /// That of a function with arrays in device memory.
    stream: *mut c_void,
}

// SAFETY: the thread that detaches from Python runs the call itself, and waits for it; the arrays are lent until then.
unsafe impl Send for Call<'_> {}

impl Call<'_> {
    fn run(self) -> Result<(), CallError> {
        // SAFETY: the arrays have the types of the function's parameters, which `Given` or `OnDevice` has checked. Memory of
        // a device belongs to Python, as does the stream: as in other libraries, the program keeps it until the work ends.
        unsafe { self.compiled.call_in_place(self.inputs, self.outputs, self.threads, self.stream) }
    }
}
