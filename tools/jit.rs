//! Runs compiled functions in this process: LLVM's ORC JIT, OpenMP's run-time library, and calls through the C interface.
//!
//! All unsafe code of the tools is here, in `memory`, in `signal` and around the interfaces of devices.
mod llvm;

pub use llvm::{enabled_features, features, processors, translate, translate_operation};

use crate::{
    array::{Array, Element},
    kernel::{self, Device},
    memory::allocate,
    signal::assertion_failed,
    signature::{Parameter, Signature},
    target::{Target, TargetOptions},
};
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use inkwell::{
    AddressSpace,
    attributes::AttributeLoc,
    context::Context,
    llvm_sys::{
        error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage},
        orc2::{lljit::*, *},
    },
    memory_buffer::MemoryBuffer,
    module::{Linkage, Module},
    types::{BasicType, BasicTypeEnum},
};
use mdh_runtime::Api;
use std::{
    alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error},
    ffi::{CStr, CString, c_char, c_int, c_void},
    mem::ManuallyDrop,
    ptr::null_mut,
    sync::OnceLock,
    time::{Duration, Instant},
};

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A buffer, or with rank 0 a scalar of any type. A buffer for a memref is updated.
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

/// What the entry function takes: a pointer to each argument of the C interface, and one to its result.
type Entry = unsafe extern "C" fn(*mut *mut c_void);

const ENTRY: &CStr = c"mdh_entry";

/// No call runs on more threads: OpenMP's run-time library ends the process when the system has no room for them.
pub const MOST_THREADS: usize = 1024;

/// Machine code of a function that [`Compiled`] links; it may come from another process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// An object file.
    pub object: Vec<u8>,
    /// Whether it calls OpenMP's run-time library.
    pub parallel: bool,
    /// What runs its kernels, if it is for a device.
    pub api: Option<Api>,
}

impl Code {
    /// Compiles the function of a signature, from a module in the LLVM dialect; kernels are compiled for the device, and become a part of it.
    pub fn new(
        module: &melior::ir::Module<'_>,
        signature: &Signature,
        target: &Target,
        device: Option<&Device>,
    ) -> Result<Self> {
        let context = Context::create();
        let kernels = device.map(|device| device.compile(module)).transpose()?.flatten();
        if let (Some(kernels), Some(device)) = (&kernels, device) {
            kernels.embed(module, device);
        }
        let translated = target.translate(module, &context)?;
        add_entry(&translated, signature)?;
        if let Some(device) = device {
            kernel::rename_runtime(&translated, device);
            let symbol = kernels.as_ref().map_or("", |kernels| &kernels.symbol);
            kernel::constructors(&translated, symbol)?;
        }
        target.optimize(&translated)?;
        let parallel = translated.get_functions().any(|function| {
            let name = function.get_name().to_bytes();
            name.starts_with(b"__kmpc_") || name.starts_with(b"omp_")
        });
        let object = target.object(&translated)?.as_slice().to_vec();
        Ok(Self { object, parallel, api: device.map(Device::api) })
    }
}

impl Compiled {
    /// Compiles the function of a signature, from a module in the LLVM dialect, with its kernels for a device.
    pub fn new(
        module: &melior::ir::Module<'_>,
        signature: Signature,
        options: &TargetOptions,
        device: Option<&Device>,
    ) -> Result<Self> {
        Self::link(&Code::new(module, &signature, &Target::new(options)?, device)?, signature)
    }

    /// Links code that was compiled for this signature.
    pub fn link(code: &Code, signature: Signature) -> Result<Self> {
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
        // SAFETY: the address is that of the function that `add_entry` made for this signature; the checksum
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
        let mut inputs = vec![];
        for (i, (argument, parameter)) in arguments.iter().zip(parameters).enumerate() {
            inputs.push(Input::new(argument, parameter).with_context(|| format!("argument {} of '{name}'", i + 1))?);
        }
        let (offsets, size) = result_layout(results);
        let outcome = Aligned::new(size);
        let mut slots: Vec<*mut c_void> = inputs.iter_mut().map(Input::slot).collect();
        let position = if returns_struct(results) { 0 } else { slots.len() };
        slots.insert(position, outcome.pointer.cast());
        let start = Instant::now();
        // SAFETY: there is a slot for each argument of the function and for its result, in the order of the entry function. Every
        // argument has the type and the sizes of the signature, and the buffers live until after the call.
        unsafe { (self.entry)(slots.as_mut_ptr()) };
        let time = start.elapsed();
        let problem = self.device_error();

        for ((argument, parameter), input) in arguments.iter_mut().zip(parameters).zip(&inputs) {
            if let Argument::Array(array) = argument
                && parameter.in_place
            {
                array.data.copy_from_slice(input.buffer.bytes());
            }
        }
        let mut owned = vec![];
        let mut arrays = vec![];
        for (parameter, offset) in results.iter().zip(offsets) {
            let element = parameter.element;
            let Some(shape) = &parameter.shape else {
                let size = element.bytes();
                arrays.push(Array { element, shape: vec![], data: outcome.bytes()[offset..offset + size].to_vec() });
                continue;
            };
            let words = 3 + 2 * shape.len();
            let words = outcome.bytes()[offset..offset + 8 * words].chunks_exact(8);
            let words: Vec<_> = words.map(|word| i64::from_ne_bytes(word.try_into().unwrap_or_default())).collect();
            // SAFETY: the function has filled in the descriptor of a memref of this rank and element type.
            let mut array = unsafe { read_descriptor(&words, element) };
            if element.bits() as usize != 8 * element.bytes() {
                // Compiled code leaves the bits that such an integer does not have undefined.
                (0..array.len()).for_each(|i| array.set(i, array.get(i)));
            }
            arrays.push(array);
            owned.push(words[0]);
        }
        // Two results may be one buffer; a result that is the memory of an argument is not ours to free.
        owned.sort_unstable();
        owned.dedup();
        for allocated in owned {
            if !inputs.iter().any(|input| input.buffer.pointer as i64 == allocated) {
                // SAFETY: compiled code allocates results with malloc and gives them to its caller; each is freed once.
                unsafe { libc::free(allocated as usize as *mut c_void) };
            }
        }
        problem?;
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

unsafe extern "C" fn missing(_: *mut *mut c_void) {}

/// OpenMP's run-time library, loaded once and for ever: its threads outlive every call.
fn openmp() -> Result<&'static libloading::os::unix::Library> {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    static LIBRARY: OnceLock<std::result::Result<Library, String>> = OnceLock::new();
    let load = || {
        // First next to the LLVM that the project is built with, then where the system looks.
        forget_registration();
        let beside = option_env!("LLVM_SYS_221_PREFIX").map(|prefix| format!("{prefix}/lib/libomp.so"));
        let names = beside.into_iter().chain(["libomp.so.5", "libomp.so"].map(str::to_owned));
        let mut problem = String::new();
        for name in names {
            // SAFETY: loading LLVM's OpenMP library runs its initialisers, which have no requirements.
            match unsafe { Library::open(Some(&name), RTLD_NOW | RTLD_GLOBAL) } {
                Ok(library) => return Ok(library),
                Err(error) => problem = error.to_string(),
            }
        }
        Err(problem)
    };
    LIBRARY.get_or_init(load).as_ref().map_err(|error| anyhow!("cannot load LLVM's OpenMP library libomp: {error}"))
}

/// Removes the file in shared memory by which libomp registers itself, if it is empty: a process with this number has ended between
/// making and filling it, and libomp ends the next one with this number by a bus error.
fn forget_registration() {
    // SAFETY: the call has no conditions.
    let user = unsafe { libc::getuid() };
    let path = format!("/dev/shm/__KMP_REGISTERED_LIB_{}_{user}", std::process::id());
    if std::fs::metadata(&path).is_ok_and(|file| file.len() == 0) {
        let _ = std::fs::remove_file(path);
    }
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

/// Adds a function that takes pointers to the arguments, so that functions of any type are called in the same way.
fn add_entry(module: &Module<'_>, signature: &Signature) -> Result<()> {
    let name = &signature.name;
    let function = module.get_function(&format!("_mlir_ciface_{name}"));
    let function = function.ok_or_else(|| anyhow!("'{name}' has no C interface"))?;
    let result = function.get_type().get_return_type();
    let parameters = function.get_type().get_param_types();
    let expected = signature.arguments.len() + usize::from(returns_struct(&signature.results));
    ensure!(
        parameters.len() == expected
            && result.is_some() == (!signature.results.is_empty() && !returns_struct(&signature.results)),
        "the C interface of '{name}' does not fit its signature"
    );
    // What was exported is called through the entry only, and may become part of it.
    for other in module.get_functions().filter(|function| function.count_basic_blocks() > 0) {
        other.set_linkage(Linkage::Internal);
    }
    let context = module.get_context();
    let pointer = context.ptr_type(AddressSpace::default());
    let entry_type = context.void_type().fn_type(&[pointer.into()], false);
    let entry = module.add_function(&ENTRY.to_string_lossy(), entry_type, None);
    for attribute in function.attributes(AttributeLoc::Function) {
        entry.add_attribute(AttributeLoc::Function, attribute);
    }
    let builder = context.create_builder();
    builder.position_at_end(context.append_basic_block(entry, "entry"));
    let slots =
        entry.get_first_param().ok_or_else(|| anyhow!("the entry function has an argument"))?.into_pointer_value();
    let slot = |i: usize| -> Result<_> {
        let index = context.i64_type().const_int(i as u64, false);
        // SAFETY: whoever calls the entry function gives it this many slots.
        let address = unsafe { builder.build_in_bounds_gep(pointer, slots, &[index], "slot")? };
        Ok(builder.build_load(pointer, address, "pointer")?.into_pointer_value())
    };
    let mut values = vec![];
    for (i, parameter) in parameters.iter().enumerate() {
        let r#type = BasicTypeEnum::try_from(*parameter).map_err(|()| anyhow!("argument {} is not a value", i + 1))?;
        let pointer = slot(i)?;
        values.push(match r#type {
            BasicTypeEnum::PointerType(_) => pointer.into(),
            _ => builder.build_load(r#type.as_basic_type_enum(), pointer, "value")?.into(),
        });
    }
    let call = builder.build_call(function, &values, "")?;
    if let Some(value) = call.try_as_basic_value().basic() {
        builder.build_store(slot(parameters.len())?, value)?;
    }
    builder.build_return(None)?;
    Ok(())
}

/// Whether the C interface returns through a pointer: memrefs, and several results, make a struct.
fn returns_struct(results: &[Parameter]) -> bool {
    results.len() > 1 || results.iter().any(|result| result.shape.is_some())
}

/// Where the results are in the struct of results, and its size.
fn result_layout(results: &[Parameter]) -> (Vec<usize>, usize) {
    let mut end: usize = 0;
    let offsets = results.iter().map(|result| {
        let (size, alignment) = match &result.shape {
            Some(shape) => (8 * (3 + 2 * shape.len()), 8),
            None => {
                let size = result.element.bytes();
                (size, size)
            }
        };
        let offset = end.next_multiple_of(alignment);
        end = offset + size;
        offset
    });
    (offsets.collect(), end)
}

/// An argument in memory as the C interface wants it.
struct Input {
    buffer: Aligned,
    /// The descriptor; none for a scalar, which is passed by value from the buffer.
    descriptor: Option<Vec<i64>>,
}

impl Input {
    fn new(argument: &Argument, parameter: &Parameter) -> Result<Self> {
        let array = match (argument, &parameter.shape) {
            (Argument::Index(value), None) if parameter.element == Element::Index => {
                let mut buffer = Aligned::new(8);
                buffer.bytes_mut().copy_from_slice(&value.to_ne_bytes());
                return Ok(Self { buffer, descriptor: None });
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
        let mut buffer = Aligned::new(array.data.len());
        buffer.bytes_mut().copy_from_slice(&array.data);
        let descriptor = parameter.shape.is_some().then(|| {
            let address = buffer.pointer as usize as i64;
            let mut descriptor = vec![address, address, 0];
            descriptor.extend(array.shape.iter().map(|size| *size as i64));
            descriptor.extend(row_major(&array.shape));
            descriptor
        });
        Ok(Self { buffer, descriptor })
    }

    fn slot(&mut self) -> *mut c_void {
        match &mut self.descriptor {
            Some(descriptor) => descriptor.as_mut_ptr().cast(),
            None => self.buffer.pointer.cast(),
        }
    }
}

/// The strides of a dense row-major array.
fn row_major(shape: &[usize]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i] as i64;
    }
    strides
}

/// Copies what a memref descriptor describes: allocated and aligned pointer, offset, sizes, strides.
///
/// # Safety
/// The descriptor must be of a live memref with elements of this type.
unsafe fn read_descriptor(words: &[i64], element: Element) -> Array {
    let rank = (words.len() - 3) / 2;
    let bytes = element.bytes();
    let shape: Vec<usize> = words[3..3 + rank].iter().map(|size| usize::try_from(*size).unwrap_or_default()).collect();
    let strides = &words[3 + rank..];
    let count: usize = shape.iter().product();
    let mut data = Vec::with_capacity(count * bytes);
    let start = words[1] as usize as *const u8;
    let dense = shape
        .iter()
        .zip(strides)
        .zip(row_major(&shape))
        .all(|((size, stride), wanted)| *size <= 1 || *stride == wanted);
    let mut point = vec![0usize; rank];
    let (pieces, length) = if dense { (usize::from(count > 0), count * bytes) } else { (count, bytes) };
    for _ in 0..pieces {
        let index: i64 = words[2] + point.iter().zip(strides).map(|(i, stride)| *i as i64 * stride).sum::<i64>();
        // SAFETY: the point is inside of the sizes, so its element is in the memory of the memref.
        let piece = unsafe { std::slice::from_raw_parts(start.offset(index as isize * bytes as isize), length) };
        data.extend_from_slice(piece);
        for (i, size) in point.iter_mut().zip(&shape).rev() {
            *i += 1;
            if *i < *size {
                break;
            }
            *i = 0;
        }
    }
    Array { element, shape, data }
}

/// Memory at the start of a cache line.
struct Aligned {
    pointer: *mut u8,
    length: usize,
}

impl Aligned {
    fn layout(length: usize) -> Layout {
        // An empty buffer still has an address.
        Layout::from_size_align(length.max(1), 64)
            .unwrap_or_else(|_| unreachable!("no array has more than isize::MAX bytes"))
    }

    fn new(length: usize) -> Self {
        let layout = Self::layout(length);
        // SAFETY: the layout has at least one byte.
        let pointer = unsafe { alloc_zeroed(layout) };
        if pointer.is_null() {
            handle_alloc_error(layout);
        }
        Self { pointer, length }
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: this owns as many initialised bytes; compiled code has no access outside of a call.
        unsafe { std::slice::from_raw_parts(self.pointer, self.length) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and nothing else refers to them.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.length) }
    }
}

impl Drop for Aligned {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout.
        unsafe { dealloc(self.pointer, Self::layout(self.length)) };
    }
}
