//! Runs compiled functions in this process: LLVM's ORC JIT, OpenMP's run-time library, and calls through the C interface.
//!
//! All unsafe code of the tools is here, in `memory`, in `signal` and around the interfaces of devices.
mod llvm;
mod openmp;

pub use llvm::{enabled_features, features, processors, run_passes, translate, translate_operation};

use self::openmp::openmp;
use crate::{
    array::{Array, Element},
    interface::{self, Exported, type_number},
    kernel::{self, Device},
    memory::{Bytes, allocate},
    object,
    program::Lowered,
    signal::assertion_failed,
    signature::{Parameter, Signature},
    target::{Target, TargetOptions},
};
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use inkwell::{
    context::Context,
    llvm_sys::{
        error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage},
        orc2::{lljit::*, *},
    },
    memory_buffer::MemoryBuffer,
};
use mdh_runtime::Api;
use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    mem::ManuallyDrop,
    ptr::null_mut,
    time::{Duration, Instant},
};

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A buffer, or with rank 0 a scalar of any type. What the function may write is updated in place; the others are only read.
    Array(Array),
    /// A scalar of type index.
    Index(i64),
}

/// A function that is ready to be called.
pub struct Compiled {
    jit: LLVMOrcLLJITRef,
    entry: Entry,
    signature: Signature,
    offload: Option<Offload>,
}

/// What runs the kernels of a function, and how they are unloaded.
struct Offload {
    api: Api,
    finalize: unsafe extern "C" fn(),
}

/// An array as the C interface takes it (`interface/array.c`).
#[repr(C)]
struct RawArray {
    data: *mut c_void,
    sizes: *mut i64,
    strides: *mut i64,
    allocation: *mut c_void,
    number: i32,
    rank: i32,
}

/// A function of the C interface.
type Entry = unsafe extern "C" fn(*const RawArray, *mut RawArray, *mut c_char) -> i32;

const ENTRY: &CStr = c"mdh_entry";

/// No call runs on more threads: OpenMP's run-time library ends the process when the system has no room for them.
pub const MOST_THREADS: usize = 1024;

/// Machine code of a function that [`Compiled`] links; it may come from another process, by way of the cache.
///
/// Nobody else makes it, since it is called:
///
/// ```compile_fail,E0451
/// let code = mdh_tools::jit::Code { object: vec![], parallel: false, api: None };
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// An object file.
    pub(crate) object: Vec<u8>,
    /// Whether it calls OpenMP's run-time library.
    pub(crate) parallel: bool,
    /// What runs its kernels, if it is for a device.
    pub(crate) api: Option<Api>,
}

impl Code {
    /// Compiles a function that was lowered; kernels are compiled for the device, and become a part of it.
    pub fn new(lowered: &mut Lowered<'_, '_>, target: &Target, device: Option<&Device>) -> Result<Self> {
        let context = Context::create();
        let signature = lowered.signature().clone();
        let module = lowered.module();
        let kernels = device.map(|device| device.compile(module)).transpose()?.flatten();
        if let (Some(kernels), Some(device)) = (&kernels, device) {
            kernels.embed(module, device);
        }
        let translated = target.translate(module, &context)?;
        interface::add(
            &translated,
            &[Exported { signature, symbol: ENTRY.to_string_lossy().into_owned(), checks: None }],
        )?;
        if let Some(device) = device {
            kernel::rename_runtime(&translated, device);
            let symbol = kernels.as_ref().map_or("", |kernels| &kernels.symbol);
            kernel::constructors(&translated, symbol)?;
        }
        target.optimize(&translated)?;
        let parallel = object::is_parallel(&translated);
        let object = target.object(&translated)?.as_slice().to_vec();
        Ok(Self { object, parallel, api: device.map(Device::api) })
    }
}

impl Compiled {
    /// Compiles a function that was lowered, with its kernels for a device.
    pub fn new(lowered: &mut Lowered<'_, '_>, options: &TargetOptions, device: Option<&Device>) -> Result<Self> {
        let code = Code::new(lowered, &Target::new(options)?, device)?;
        Self::link(&code, lowered.signature().clone())
    }

    /// Links code that was compiled for this signature.
    pub(crate) fn link(code: &Code, signature: Signature) -> Result<Self> {
        if code.parallel {
            openmp()?;
        }
        let mut jit = null_mut();
        // SAFETY: a null builder means the default one; the result is checked before it is used.
        check(unsafe { LLVMOrcCreateLLJIT(&mut jit, null_mut()) }).context("cannot create a JIT compiler")?;
        // From here on, dropping this disposes of the JIT compiler.
        let mut compiled = Self { jit, entry: missing, signature, offload: None };
        for (name, function) in code.api.map(mdh_runtime::entry_points).unwrap_or_default() {
            compiled.define(&CString::new(name)?, function)?;
        }
        compiled.entry = compiled.add(&code.object).context("cannot link the compiled code")?;
        if let Some(api) = code.api {
            mdh_runtime::collect_errors(api);
            let function = |name: &str| -> Result<unsafe extern "C" fn()> {
                let mut address = 0;
                // SAFETY: the JIT compiler is alive, and the name ends with a zero byte; `kernel::constructors` has made the function.
                unsafe {
                    check(LLVMOrcLLJITLookup(jit, &mut address, CString::new(name)?.as_ptr()))?;
                    Ok(std::mem::transmute::<usize, unsafe extern "C" fn()>(address as usize))
                }
            };
            let (initialize, finalize) = (function(kernel::INITIALIZE)?, function(kernel::FINALIZE)?);
            // SAFETY: the function loads the kernels, once.
            unsafe { initialize() };
            compiled.offload = Some(Offload { api, finalize });
            compiled.device_error()?;
        }
        Ok(compiled)
    }

    /// What went wrong on the device since the last question.
    fn device_error(&self) -> Result<()> {
        match self.offload.as_ref().and_then(|offload| mdh_runtime::take_error(offload.api)) {
            Some(problem) => {
                self.offload.iter().for_each(|offload| mdh_runtime::release_all(offload.api));
                Err(anyhow!("{problem}"))
            }
            None => Ok(()),
        }
    }

    /// The seconds that kernels took on their device, by its own clock, since the last question; none for a function without a device.
    pub fn kernel_seconds(&self) -> Option<f64> {
        let offload = self.offload.as_ref()?;
        Some(mdh_runtime::take_kernel_seconds(offload.api).into_iter().sum())
    }

    fn add(&self, object: &[u8]) -> Result<Entry> {
        self.define(c"__truncsfbf2", bf16_truncation as *const ())?;
        self.define(c"malloc", allocate as *const ())?;
        self.define(c"puts", assertion_failed as *const ())?;
        let mut problems: Vec<String> = vec![];
        // The JIT compiler takes the buffer, also when it fails.
        let object = ManuallyDrop::new(MemoryBuffer::create_from_memory_range_copy(object, "mdh"));
        let mut address = 0;
        // SAFETY: the JIT compiler is alive, nothing else owns the buffer, and the name ends with a zero byte. Problems such as missing
        // symbols are reported before the look-up ends, to the vector of this function.
        let looked_up = unsafe {
            let session = LLVMOrcLLJITGetExecutionSession(self.jit);
            LLVMOrcExecutionSessionSetErrorReporter(session, report, (&raw mut problems).cast());
            check(LLVMOrcLLJITAddObjectFile(self.jit, LLVMOrcLLJITGetMainJITDylib(self.jit), object.as_mut_ptr()))
                .and_then(|()| check(LLVMOrcLLJITLookup(self.jit, &mut address, ENTRY.as_ptr())))
        };
        // SAFETY: as above; from here on nothing refers to the vector.
        unsafe {
            LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(self.jit), report, null_mut())
        };
        looked_up.map_err(|error| if problems.is_empty() { error } else { anyhow!("{}", problems.join("; ")) })?;
        // SAFETY: the address is that of the function that `interface::add` made for this signature; the checksum
        // and the key of a cache entry say that it is.
        Ok(unsafe { std::mem::transmute::<usize, Entry>(address as usize) })
    }

    /// Defines a function for compiled code.
    fn define(&self, name: &CStr, function: *const ()) -> Result<()> {
        // SAFETY: the JIT compiler takes the interned name and, where it succeeds, the definition.
        unsafe {
            let mut pair = LLVMOrcCSymbolMapPair {
                Name: LLVMOrcLLJITMangleAndIntern(self.jit, name.as_ptr()),
                Sym: LLVMJITEvaluatedSymbol {
                    Address: function as u64,
                    Flags: LLVMJITSymbolFlags {
                        GenericFlags: LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsExported as u8,
                        TargetFlags: 0,
                    },
                },
            };
            let unit = LLVMOrcAbsoluteSymbols(&mut pair, 1);
            check(LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(self.jit), unit))
        }
    }

    /// What the function takes and returns.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Calls the function. Errors name an argument that does not fit; nothing has been called then.
    pub fn call(&self, arguments: &mut [Argument]) -> Result<Vec<Array>> {
        Ok(self.measure(arguments)?.0)
    }

    /// Calls the function and says how long it ran, without the copies of arguments and results around it.
    pub fn measure(&self, arguments: &mut [Argument]) -> Result<(Vec<Array>, Duration)> {
        let Signature { name, arguments: parameters, results } = &self.signature;
        if arguments.len() != parameters.len() {
            bail!("'{name}' requires {} arguments, but {} are given", parameters.len(), arguments.len());
        }
        let mut given = vec![];
        for (i, (argument, parameter)) in arguments.iter_mut().zip(parameters).enumerate() {
            given.push(Given::new(argument, parameter).with_context(|| format!("argument {} of '{name}'", i + 1))?);
        }
        let inputs: Vec<_> = given.iter_mut().map(Given::raw).collect();
        let rank = |result: &Parameter| result.shape.as_ref().map_or(0, Vec::len);
        let mut sizes: Vec<Vec<i64>> = results.iter().map(|result| vec![0; rank(result)]).collect();
        let mut outcome: Vec<_> =
            results.iter().zip(&mut sizes).map(|(r, sizes)| raw(null_mut(), sizes, r.element)).collect();
        let start = Instant::now();
        // SAFETY: there is an array for each argument of the function and for each result, as its signature says: every argument has the
        // type and the sizes, and lives until after the call; the memory of those that the function may write belongs to the caller.
        let status = unsafe { (self.entry)(inputs.as_ptr(), outcome.as_mut_ptr(), null_mut()) };
        let time = start.elapsed();
        let problem = self.device_error();
        let outcome: Vec<_> = outcome.into_iter().map(|raw| (raw.data, raw.allocation)).collect();
        let mut arrays = vec![];
        for ((result, sizes), (data, allocation)) in results.iter().zip(sizes).zip(outcome) {
            let shape: Vec<usize> = sizes.iter().map(|size| usize::try_from(*size).unwrap_or_default()).collect();
            let length = if data.is_null() { 0 } else { shape.iter().product::<usize>() * result.element.bytes() };
            // SAFETY: the function has put so many elements there, in row-major order, and gives what it allocated to its caller.
            let mut data = unsafe { Bytes::taken(data.cast(), length, allocation) };
            if allocation.is_null() {
                // The memory is that of an argument, or of a result before.
                let copy = data.clone();
                data = copy;
            }
            arrays.push(Array { element: result.element, shape, data });
        }
        problem?;
        ensure!(status == 0, "no memory for the arrays of '{name}'");
        Ok((arrays, time))
    }

    /// The number of threads of the following calls.
    pub fn set_threads(&self, threads: usize) -> Result<()> {
        ensure!(
            (1..=MOST_THREADS).contains(&threads),
            "the number of threads must be between 1 and {MOST_THREADS}, but is {threads}"
        );
        let library = openmp()?;
        // SAFETY: this is the signature of the function in the OpenMP standard.
        unsafe { library.get::<unsafe extern "C" fn(c_int)>(b"omp_set_num_threads\0")?(threads as c_int) };
        Ok(())
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        if let Some(offload) = &self.offload {
            // SAFETY: the function is that of the code that is still there; no kernel runs any more.
            unsafe { (offload.finalize)() };
        }
        // SAFETY: nothing of the compiled code is used after this; an error in disposing of it has no consequence.
        let _ = check(unsafe { LLVMOrcDisposeLLJIT(self.jit) });
    }
}

/// Keeps an error of the JIT compiler in a vector, if there is one.
extern "C" fn report(problems: *mut c_void, error: LLVMErrorRef) {
    if let Err(problem) = check(error)
        // SAFETY: the pointer is null or that of the vector in `add`, which waits for the JIT compiler.
        && let Some(problems) = unsafe { problems.cast::<Vec<String>>().as_mut() }
    {
        problems.push(problem.to_string());
    }
}

/// What LLVM calls to make a bf16 on processors without instructions for it: it is in compiler-rt, but not yet in Debian's libgcc.
/// The calling conventions return a bf16 in the low bits of the register that a f32 is returned in.
extern "C" fn bf16_truncation(value: f32) -> f32 {
    f32::from_bits(u32::from(half::bf16::from_f32(value).to_bits()))
}

unsafe extern "C" fn missing(_: *const RawArray, _: *mut RawArray, _: *mut c_char) -> i32 {
    0
}

fn check(error: LLVMErrorRef) -> Result<()> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: an error is consumed by asking for its message, which is copied and then freed.
    unsafe {
        let message: *mut c_char = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(anyhow!("{text}"))
    }
}

/// An argument that fits its parameter, in the memory of the caller.
struct Given<'a> {
    data: &'a mut [u8],
    sizes: Vec<i64>,
    element: Element,
}

impl<'a> Given<'a> {
    fn new(argument: &'a mut Argument, parameter: &Parameter) -> Result<Self> {
        let array = match (argument, &parameter.shape) {
            (Argument::Index(value), None) if parameter.element == Element::Index => {
                return Ok(Self { data: bytes_of(value), sizes: vec![], element: Element::Index });
            }
            (Argument::Index(_), _) => bail!("requires {}, but is an index", parameter.r#type()),
            (Argument::Array(array), _) => array,
        };
        let wanted = parameter.shape.as_deref().unwrap_or_default();
        let fits = wanted.len() == array.shape.len()
            && wanted.iter().zip(&array.shape).all(|(wanted, size)| wanted.is_none_or(|wanted| wanted == *size as u64));
        ensure!(fits, "requires {}, but has shape {:?}", parameter.r#type(), array.shape);
        ensure!(
            array.element == parameter.element,
            "requires {}, but has elements of type {}",
            parameter.r#type(),
            array.element
        );
        let count = array.shape.iter().try_fold(1usize, |count, size| count.checked_mul(*size));
        let bytes = count.and_then(|count| count.checked_mul(array.element.bytes()));
        ensure!(
            bytes == Some(array.data.len()),
            "has {} bytes, which do not fit its shape {:?}",
            array.data.len(),
            array.shape
        );
        let sizes = array.shape.iter().map(|size| *size as i64).collect();
        Ok(Self { data: &mut array.data, sizes, element: parameter.element })
    }

    fn raw(&mut self) -> RawArray {
        raw(self.data.as_mut_ptr().cast(), &mut self.sizes, self.element)
    }
}

/// The bytes of an index.
fn bytes_of(value: &mut i64) -> &mut [u8] {
    // SAFETY: any bytes are an integer, and there are eight.
    unsafe { std::slice::from_raw_parts_mut(std::ptr::from_mut(value).cast(), 8) }
}

/// An array in row-major order.
fn raw(data: *mut c_void, sizes: &mut [i64], element: Element) -> RawArray {
    let rank = sizes.len() as i32;
    RawArray {
        data,
        sizes: sizes.as_mut_ptr(),
        strides: null_mut(),
        allocation: null_mut(),
        number: type_number(element),
        rank,
    }
}
