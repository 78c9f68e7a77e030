//! OpenCL: the functions of the ICD loader, and the driver interface on top of them.
//!
//! Buffers are shared virtual memory (SVM), so that they are addresses as in CUDA.
use crate::{
    device::{Api, Device, Error},
    driver::{Driver, Launch},
    library::{Handle, Out, functions, load},
    spirv::{self, Parameter},
};
use std::{
    collections::HashMap,
    env,
    ffi::{CString, c_char, c_void},
    sync::{Arc, OnceLock},
};

functions! {
    /// The functions of OpenCL 2.1 that this file uses.
    LoaderFunctions {
        clGetPlatformIDs(u32, Out<Handle>, Out<u32>) -> i32;
        clGetDeviceIDs(Handle, u64, u32, Out<Handle>, Out<u32>) -> i32;
        clGetDeviceInfo(Handle, u32, usize, Out<c_void>, Out<usize>) -> i32;
        clCreateContext(usize, u32, *const Handle, usize, usize, Out<i32>) -> Handle;
        clReleaseContext(Handle) -> i32;
        clCreateCommandQueueWithProperties(Handle, Handle, *const u64, Out<i32>) -> Handle;
        clReleaseCommandQueue(Handle) -> i32;
        clFinish(Handle) -> i32;
        clCreateProgramWithIL(Handle, *const u8, usize, Out<i32>) -> Handle;
        clBuildProgram(Handle, u32, *const Handle, *const c_char, usize, usize) -> i32;
        clGetProgramBuildInfo(Handle, Handle, u32, usize, Out<c_void>, Out<usize>) -> i32;
        clReleaseProgram(Handle) -> i32;
        clCreateKernel(Handle, *const c_char, Out<i32>) -> Handle;
        clReleaseKernel(Handle) -> i32;
        clSetKernelArg(Handle, u32, usize, usize) -> i32;
        clSetKernelArgSVMPointer(Handle, u32, usize) -> i32;
        clEnqueueNDRangeKernel(Handle, Handle, u32, usize, *const usize, *const usize, u32, usize, Out<Handle>) -> i32;
        clWaitForEvents(u32, *const Handle) -> i32;
        clGetEventProfilingInfo(Handle, u32, usize, Out<c_void>, Out<usize>) -> i32;
        clReleaseEvent(Handle) -> i32;
        clSVMAlloc(Handle, u64, usize, u32) -> usize;
        clSVMFree(Handle, usize);
        clEnqueueSVMMemcpy(Handle, u32, usize, usize, usize, u32, usize, usize) -> i32;
        clEnqueueSVMMemFill(Handle, usize, *const u8, usize, usize, u32, usize, usize) -> i32;
    }
}

const DEVICE_NOT_FOUND: i32 = -1;
const PLATFORM_NOT_FOUND: i32 = -1001;
const ALL_DEVICES: u64 = 0xffff_ffff;
const GPU: u64 = 1 << 2;
const COARSE_GRAIN: u64 = 1;
const FINE_GRAIN: u64 = 1 << 1;
const ROUNDS_DIVISIONS_CORRECTLY: u64 = 1 << 7;

/// Parameters of `clGetDeviceInfo`.
mod info {
    pub const TYPE: u32 = 0x1000;
    pub const MAX_COMPUTE_UNITS: u32 = 0x1002;
    pub const MAX_WORK_GROUP_SIZE: u32 = 0x1004;
    pub const MAX_WORK_ITEM_SIZES: u32 = 0x1005;
    pub const MAX_CLOCK_FREQUENCY: u32 = 0x100c;
    pub const ADDRESS_BITS: u32 = 0x100d;
    pub const MAX_MEM_ALLOC_SIZE: u32 = 0x1010;
    pub const SINGLE_FP_CONFIG: u32 = 0x101b;
    pub const GLOBAL_MEM_SIZE: u32 = 0x101f;
    pub const LOCAL_MEM_SIZE: u32 = 0x1023;
    pub const NAME: u32 = 0x102b;
    pub const VENDOR: u32 = 0x102c;
    pub const DRIVER_VERSION: u32 = 0x102d;
    pub const EXTENSIONS: u32 = 0x1030;
    pub const DOUBLE_FP_CONFIG: u32 = 0x1032;
    pub const SVM_CAPABILITIES: u32 = 0x1053;
    pub const IL_VERSION: u32 = 0x105b;
    pub const WARP_SIZE_NV: u32 = 0x4003;
    pub const SUB_GROUP_SIZES_INTEL: u32 = 0x4108;
}

/// A device in use.
pub struct Opencl {
    device: Device,
    handle: Handle,
    context: Handle,
    queue: Handle,
    svm: u64,
    takes_spirv: bool,
    build_options: &'static str,
    functions: &'static LoaderFunctions,
}

/// A program, and the parameters of its kernels.
pub struct Module {
    program: Handle,
    parameters: HashMap<String, Vec<Parameter>>,
    kernels: Vec<Handle>,
}

/// A kernel.
#[derive(Clone)]
pub struct Kernel {
    handle: Handle,
    parameters: Arc<[Parameter]>,
}

/// The functions of the ICD loader. It is never unloaded, because drivers run threads of their own.
fn functions() -> Result<&'static LoaderFunctions, Error> {
    static FUNCTIONS: OnceLock<Result<LoaderFunctions, Error>> = OnceLock::new();
    let functions = FUNCTIONS.get_or_init(|| {
        avoid_avx512();
        let given = env::var("MDH_OPENCL_LIBRARY").ok().filter(|path| !path.is_empty());
        let names = given.clone().map_or(vec!["libOpenCL.so.1".to_owned(), "libOpenCL.so".to_owned()], |path| vec![path]);
        let library = load(&names).map_err(|error| {
            Error::NoDevice(match &given {
                Some(path) => {
                    format!("no OpenCL device: MDH_OPENCL_LIBRARY requires the path of an ICD loader, got '{path}' ({error})")
                }
                // The loader exists, but one of its dependencies is missing.
                None if !error.starts_with("libOpenCL.so") => {
                    format!("no OpenCL device: the ICD loader libOpenCL.so.1 cannot be loaded ({error}); set LD_LIBRARY_PATH to the folder of what it needs")
                }
                None => "no OpenCL device: there is no ICD loader libOpenCL.so.1; install one (Debian: ocl-icd-libopencl1), or set \
                    MDH_OPENCL_LIBRARY to the path of one"
                    .to_owned(),
            })
        })?;
        LoaderFunctions::new(library).map_err(|name| {
            Error::NoDevice(format!("no OpenCL device: the ICD loader is too old, OpenCL 2.1 requires it to have {name}"))
        })
    });
    functions.as_ref().map_err(Clone::clone)
}

/// The environment variable from which Intel's run-time reads its target architecture.
const INTEL_ARCHITECTURE: &str = "CL_CONFIG_CPU_TARGET_ARCH";

/// Makes Intel's CPU run-time compile for AVX2 unless the user chooses an architecture. For AVX-512, its compiler
/// (2026.2) writes vectors with all bits set to a mask register, which gives wrong results.
fn avoid_avx512() {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") && env::var_os(INTEL_ARCHITECTURE).is_none() {
        // SAFETY: no driver is loaded yet whose threads could read the environment, and this happens once.
        unsafe { env::set_var(INTEL_ARCHITECTURE, "core-avx2") };
    }
}

/// Converts a status to an error that names the failed action.
fn check(status: i32, action: &str) -> Result<(), String> {
    let name = match status {
        0 => return Ok(()),
        -4 => "CL_MEM_OBJECT_ALLOCATION_FAILURE",
        -5 => "CL_OUT_OF_RESOURCES",
        -6 => "CL_OUT_OF_HOST_MEMORY",
        -11 => "CL_BUILD_PROGRAM_FAILURE",
        -14 => "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
        -30 => "CL_INVALID_VALUE",
        -42 => "CL_INVALID_BINARY",
        -44 => "CL_INVALID_PROGRAM",
        -45 => "CL_INVALID_PROGRAM_EXECUTABLE",
        -46 => "CL_INVALID_KERNEL_NAME",
        -50 => "CL_INVALID_ARG_VALUE",
        -51 => "CL_INVALID_ARG_SIZE",
        -52 => "CL_INVALID_KERNEL_ARGS",
        -54 => "CL_INVALID_WORK_GROUP_SIZE",
        -55 => "CL_INVALID_WORK_ITEM_SIZE",
        -59 => "CL_INVALID_OPERATION",
        _ => return Err(format!("OpenCL cannot {action}: error {status}")),
    };
    Err(format!("OpenCL cannot {action}: {name}"))
}

/// The handles of all devices.
fn handles() -> Result<Vec<Handle>, Error> {
    let functions = functions()?;
    let failed = |status, action: &str| check(status, action).map_err(Error::Failed);
    let mut count = 0;
    // SAFETY: with a null pointer, platforms are only counted.
    let status = unsafe { (functions.clGetPlatformIDs)(0, std::ptr::null_mut(), &mut count) };
    if status == PLATFORM_NOT_FOUND || count == 0 {
        let text = "no OpenCL device: the ICD loader finds no platform; install the OpenCL driver of the device, or set OCL_ICD_VENDORS \
            to the folder of its .icd file";
        return Err(Error::NoDevice(text.to_owned()));
    }
    failed(status, "list its platforms")?;
    let mut platforms = vec![0; count as usize];
    // SAFETY: the vector has `count` entries.
    failed(unsafe { (functions.clGetPlatformIDs)(count, platforms.as_mut_ptr(), &mut count) }, "list its platforms")?;
    let mut all = vec![];
    for platform in &platforms {
        let mut count = 0;
        // SAFETY: with a null pointer, devices are only counted.
        let status = unsafe { (functions.clGetDeviceIDs)(*platform, ALL_DEVICES, 0, std::ptr::null_mut(), &mut count) };
        if status == DEVICE_NOT_FOUND || count == 0 {
            continue;
        }
        failed(status, "list its devices")?;
        let mut devices = vec![0; count as usize];
        // SAFETY: the vector has `count` entries.
        let status =
            unsafe { (functions.clGetDeviceIDs)(*platform, ALL_DEVICES, count, devices.as_mut_ptr(), &mut count) };
        failed(status, "list its devices")?;
        all.extend(devices);
    }
    if all.is_empty() {
        let count = platforms.len();
        let text = format!("no OpenCL device: the ICD loader finds {count} platform(s), but none of them has a device");
        return Err(Error::NoDevice(text));
    }
    Ok(all)
}

/// A property of a device, as bytes; empty if the device does not report it.
fn bytes(functions: &LoaderFunctions, device: Handle, what: u32) -> Vec<u8> {
    let mut size = 0;
    // SAFETY: with a null pointer, only the size is returned.
    let status = unsafe { (functions.clGetDeviceInfo)(device, what, 0, std::ptr::null_mut(), &mut size) };
    let mut bytes = vec![0; if status == 0 { size } else { 0 }];
    if bytes.is_empty() {
        return bytes;
    }
    // SAFETY: the vector has `size` bytes.
    let status =
        unsafe { (functions.clGetDeviceInfo)(device, what, size, bytes.as_mut_ptr().cast(), std::ptr::null_mut()) };
    if status == 0 { bytes } else { vec![] }
}

fn text(functions: &LoaderFunctions, device: Handle, what: u32) -> String {
    let bytes = bytes(functions, device, what);
    String::from_utf8_lossy(&bytes).trim_end_matches('\0').trim().to_owned()
}

/// A number of 4 or 8 bytes; 0 if the device does not report it.
fn number(functions: &LoaderFunctions, device: Handle, what: u32) -> u64 {
    let bytes = bytes(functions, device, what);
    match (bytes.as_slice().try_into(), bytes.as_slice().try_into()) {
        (Ok(bytes), _) => u64::from_ne_bytes(bytes),
        (_, Ok(bytes)) => u32::from_ne_bytes(bytes).into(),
        _ => 0,
    }
}

/// An array of `size_t`, 8 bytes each on a 64-bit host.
fn numbers(functions: &LoaderFunctions, device: Handle, what: u32) -> Vec<u64> {
    let bytes = bytes(functions, device, what);
    bytes.chunks_exact(8).filter_map(|chunk| Some(u64::from_ne_bytes(chunk.try_into().ok()?))).collect()
}

fn describe(functions: &LoaderFunctions, handle: Handle, index: usize) -> Device {
    let text = |what| text(functions, handle, what);
    let number = |what| number(functions, handle, what);
    let extensions = text(info::EXTENSIONS);
    let has = |extension: &str| extensions.split_whitespace().any(|one| one == extension);
    let mut most_block = [1; 3];
    for (most, size) in most_block.iter_mut().zip(numbers(functions, handle, info::MAX_WORK_ITEM_SIZES)) {
        *most = size.max(1);
    }
    // The address size limits the global size, in threads.
    let most_threads_of_grid = if number(info::ADDRESS_BITS) == 32 { u64::from(u32::MAX) } else { u64::MAX };
    let warp = match numbers(functions, handle, info::SUB_GROUP_SIZES_INTEL) {
        sizes if !sizes.is_empty() => sizes,
        _ => Some(number(info::WARP_SIZE_NV)).filter(|size| *size > 0).into_iter().collect(),
    };
    Device {
        api: Api::Opencl,
        index,
        name: text(info::NAME),
        vendor: text(info::VENDOR),
        version: text(info::DRIVER_VERSION),
        is_gpu: number(info::TYPE) & GPU != 0,
        compute_units: number(info::MAX_COMPUTE_UNITS),
        most_threads: number(info::MAX_WORK_GROUP_SIZE),
        most_block,
        most_grid: most_block.map(|size| most_threads_of_grid / size),
        shared_bytes: number(info::LOCAL_MEM_SIZE),
        memory_bytes: number(info::GLOBAL_MEM_SIZE),
        most_allocation_bytes: number(info::MAX_MEM_ALLOC_SIZE),
        warp,
        registers: None,
        has_f64: number(info::DOUBLE_FP_CONFIG) != 0,
        has_f16: has("cl_khr_fp16"),
        has_subgroup_shuffles: has("cl_khr_subgroup_shuffle"),
        clock_mhz: number(info::MAX_CLOCK_FREQUENCY),
        capability: None,
    }
}

impl Driver for Opencl {
    const API: Api = Api::Opencl;
    const TAKES_TEXT: bool = false;
    type Module = Module;
    type Function = Kernel;
    type Timing = Handle;

    fn devices() -> Result<Vec<Device>, Error> {
        let functions = functions()?;
        Ok(handles()?.into_iter().enumerate().map(|(index, handle)| describe(functions, handle, index)).collect())
    }

    fn open(device: &Device) -> Result<Self, String> {
        let functions = functions().map_err(|error| error.to_string())?;
        let handles = handles().map_err(|error| error.to_string())?;
        let handle = *handles.get(device.index).ok_or_else(|| format!("'{}' is not there any more", device.name))?;
        let svm = number(functions, handle, info::SVM_CAPABILITIES);
        if svm & COARSE_GRAIN == 0 {
            return Err(format!("OpenCL requires shared virtual memory here, which '{}' does not have", device.name));
        }
        let mut status = 0;
        // SAFETY: no properties, one device, and no error callback.
        let context = unsafe { (functions.clCreateContext)(0, 1, &handle, 0, 0, &mut status) };
        check(status, &format!("use '{}'", device.name))?;
        const QUEUE_PROPERTIES: u64 = 0x1093;
        const PROFILING: u64 = 2;
        let properties = [QUEUE_PROPERTIES, PROFILING, 0];
        // SAFETY: the list of properties ends with a zero.
        let queue = unsafe {
            (functions.clCreateCommandQueueWithProperties)(context, handle, properties.as_ptr(), &mut status)
        };
        let takes_spirv = text(functions, handle, info::IL_VERSION).contains("SPIR-V");
        // Divisions are rounded as on the host if the device supports it.
        let rounds = number(functions, handle, info::SINGLE_FP_CONFIG) & ROUNDS_DIVISIONS_CORRECTLY != 0;
        let build_options = if rounds { "-cl-fp32-correctly-rounded-divide-sqrt" } else { "" };
        // From here on, dropping `opened` releases the context.
        let opened =
            Self { device: device.clone(), handle, context, queue, svm, takes_spirv, build_options, functions };
        check(status, &format!("make a queue of '{}'", device.name))?;
        Ok(opened)
    }

    fn device(&self) -> &Device {
        &self.device
    }

    fn load(&self, image: &[u8], _level: Option<u32>) -> Result<Module, String> {
        let parameters = spirv::kernels(image)?;
        if !self.takes_spirv {
            return Err(format!("OpenCL requires a device that takes SPIR-V, which '{}' does not", self.device.name));
        }
        let mut status = 0;
        // SAFETY: address and size are those of the image, which is copied.
        let program =
            unsafe { (self.functions.clCreateProgramWithIL)(self.context, image.as_ptr(), image.len(), &mut status) };
        check(status, "load a SPIR-V module")?;
        let options = CString::new(self.build_options).unwrap_or_default();
        // SAFETY: one device, null-terminated options, and no callback: the call returns when the build is complete.
        let status = unsafe { (self.functions.clBuildProgram)(program, 1, &self.handle, options.as_ptr(), 0, 0) };
        if let Err(error) = check(status, "build a SPIR-V module") {
            let log = self.build_log(program);
            // SAFETY: the program has just been created, and there are no other references to it.
            unsafe { (self.functions.clReleaseProgram)(program) };
            return Err(if log.is_empty() { error } else { format!("{error}: {log}") });
        }
        Ok(Module { program, parameters, kernels: vec![] })
    }

    fn unload(&self, module: Module) {
        for kernel in module.kernels {
            // SAFETY: the caller gives up the module, and with it its kernels.
            unsafe { (self.functions.clReleaseKernel)(kernel) };
        }
        // SAFETY: as above.
        unsafe { (self.functions.clReleaseProgram)(module.program) };
    }

    fn function(&self, module: &mut Module, name: &str) -> Result<Kernel, String> {
        let Some(parameters) = module.parameters.get(name) else {
            let mut names: Vec<_> = module.parameters.keys().map(|name| format!("'{name}'")).collect();
            names.sort();
            return Err(format!("the SPIR-V module has no kernel '{name}'; it has: {}", names.join(", ")));
        };
        let mut status = 0;
        let text = CString::new(name).unwrap_or_default();
        // SAFETY: the program is built, and the name is null-terminated.
        let handle = unsafe { (self.functions.clCreateKernel)(module.program, text.as_ptr(), &mut status) };
        check(status, &format!("find the kernel '{name}'"))?;
        module.kernels.push(handle);
        Ok(Kernel { handle, parameters: parameters.as_slice().into() })
    }

    fn launch(&self, kernel: &Kernel, launch: &Launch<'_>) -> Result<Option<Handle>, String> {
        let shared = kernel.parameters.iter().filter(|parameter| **parameter == Parameter::Shared).count();
        if shared > 1 || shared == 0 && launch.shared_bytes != 0 {
            let bytes = launch.shared_bytes;
            return Err(format!(
                "OpenCL requires a kernel with one argument in local memory for the {bytes} bytes of the launch, but it has {shared}"
            ));
        }
        let (takes, got) = (kernel.parameters.len(), launch.parameters.len());
        if takes != got {
            return Err(format!("the kernel requires {takes} arguments, got {got}"));
        }
        for (index, (parameter, address)) in (0..).zip(kernel.parameters.iter().zip(launch.parameters)) {
            if *address == 0 {
                return Err(format!(
                    "argument {index} of the kernel requires the address of its value, got a null pointer"
                ));
            }
            let status = match *parameter {
                // SAFETY: compiled code passes the address of a pointer; the driver checks the pointer itself.
                Parameter::Pointer => unsafe {
                    let value = std::ptr::with_exposed_provenance::<usize>(*address).read_unaligned();
                    (self.functions.clSetKernelArgSVMPointer)(kernel.handle, index, value)
                },
                // SAFETY: local memory has a size and no value. A size of zero is not allowed.
                Parameter::Shared => unsafe {
                    (self.functions.clSetKernelArg)(kernel.handle, index, launch.shared_bytes.max(1) as usize, 0)
                },
                // SAFETY: compiled code passes the address of a value of the kernel's type.
                Parameter::Value(bytes) => unsafe {
                    (self.functions.clSetKernelArg)(kernel.handle, index, bytes, *address)
                },
                Parameter::Other => {
                    return Err(format!(
                        "argument {index} of the kernel requires a type that is a number or a pointer"
                    ));
                }
            };
            check(status, &format!("set argument {index} of the kernel"))?;
        }
        // The limits of the grid guarantee that the products do not overflow.
        let block = launch.block.map(|size| size as usize);
        let global = [0, 1, 2].map(|dimension| launch.grid[dimension] as usize * block[dimension]);
        let mut event = 0;
        let measured = if launch.is_measured { &raw mut event } else { std::ptr::null_mut() };
        // SAFETY: three dimensions, no offset, no events to wait for; the event is stored if it is requested.
        let status = unsafe {
            (self.functions.clEnqueueNDRangeKernel)(
                self.queue,
                kernel.handle,
                3,
                0,
                global.as_ptr(),
                block.as_ptr(),
                0,
                0,
                measured,
            )
        };
        check(status, "launch a kernel")?;
        Ok(launch.is_measured.then_some(event))
    }

    fn seconds(&self, event: Handle) -> Result<f64, String> {
        const START: u32 = 0x1282;
        const END: u32 = 0x1283;
        let mut nanoseconds = [0u64; 2];
        // SAFETY: the event belongs to a launch, and is released only here; each answer has 8 bytes.
        let statuses = unsafe {
            let waited = (self.functions.clWaitForEvents)(1, &event);
            let [start, end] = &mut nanoseconds;
            let ask = |what, answer: &mut u64| {
                let answer = std::ptr::from_mut(answer).cast();
                (self.functions.clGetEventProfilingInfo)(event, what, 8, answer, std::ptr::null_mut())
            };
            let asked = [waited, ask(START, start), ask(END, end)];
            (self.functions.clReleaseEvent)(event);
            asked
        };
        statuses.into_iter().try_for_each(|status| check(status, "run a kernel"))?;
        Ok(nanoseconds[1].saturating_sub(nanoseconds[0]) as f64 * 1e-9)
    }

    fn allocate(&self, bytes: u64, is_host_shared: bool) -> Result<usize, String> {
        if is_host_shared && self.svm & FINE_GRAIN == 0 {
            let name = &self.device.name;
            return Err(format!("memory that the host shares requires fine-grained SVM, which '{name}' does not have"));
        }
        const READ_WRITE: u64 = 1;
        const FINE_GRAIN_BUFFER: u64 = 1 << 10;
        let flags = if is_host_shared { READ_WRITE | FINE_GRAIN_BUFFER } else { READ_WRITE };
        // SAFETY: any size is allowed, and an alignment of 0 is that of the largest type.
        match unsafe { (self.functions.clSVMAlloc)(self.context, flags, bytes as usize, 0) } {
            0 => Err(format!("'{}' has not enough free memory for a buffer of {bytes} bytes", self.device.name)),
            address => Ok(address),
        }
    }

    fn free(&self, address: usize) -> Result<(), String> {
        // Submitted work may use the memory.
        let outcome = self.synchronize();
        // SAFETY: the memory belongs to this context, and the caller frees it once.
        unsafe { (self.functions.clSVMFree)(self.context, address) };
        outcome
    }

    fn copy(&self, to: usize, from: usize, bytes: usize, involves_host: bool) -> Result<(), String> {
        // SAFETY: compiled code passes buffers of at least `bytes` bytes. Host buffers are not accessed after the call.
        let status =
            unsafe { (self.functions.clEnqueueSVMMemcpy)(self.queue, involves_host.into(), to, from, bytes, 0, 0, 0) };
        check(status, &format!("copy {bytes} bytes"))
    }

    fn fill(&self, to: usize, pattern: &[u8], count: usize) -> Result<(), String> {
        let (width, bytes) = (pattern.len(), count.saturating_mul(pattern.len()));
        // SAFETY: compiled code passes a buffer of at least `bytes` bytes; the pattern is copied.
        let status =
            unsafe { (self.functions.clEnqueueSVMMemFill)(self.queue, to, pattern.as_ptr(), width, bytes, 0, 0, 0) };
        check(status, &format!("fill {bytes} bytes"))
    }

    fn synchronize(&self) -> Result<(), String> {
        // SAFETY: the queue lives as long as `self`.
        check(unsafe { (self.functions.clFinish)(self.queue) }, "finish its work")
    }
}

impl Opencl {
    /// The first lines of the compiler's build log, joined into one line.
    fn build_log(&self, program: Handle) -> String {
        const BUILD_LOG: u32 = 0x1183;
        const MAX_LINES: usize = 5;
        let mut size = 0;
        // SAFETY: with a null pointer, only the size is returned; the second call has a buffer of that size.
        let log = unsafe {
            let ask = |size, log, needed| {
                (self.functions.clGetProgramBuildInfo)(program, self.handle, BUILD_LOG, size, log, needed)
            };
            ask(0, std::ptr::null_mut(), &mut size);
            let mut log = vec![0u8; size];
            ask(size, log.as_mut_ptr().cast(), std::ptr::null_mut());
            log
        };
        let log = String::from_utf8_lossy(&log);
        // Intel's compiler also logs its progress, which does not explain an error.
        let says_something = |line: &&str| !line.is_empty() && !line.ends_with(" started") && !line.ends_with(" done");
        let lines = log.trim_end_matches('\0').lines().map(str::trim).filter(says_something);
        lines.take(MAX_LINES).collect::<Vec<_>>().join("; ")
    }
}

impl Drop for Opencl {
    fn drop(&mut self) {
        // SAFETY: `self` owns both; a queue that could not be created is null, which is only an error.
        unsafe {
            (self.functions.clReleaseCommandQueue)(self.queue);
            (self.functions.clReleaseContext)(self.context);
        }
    }
}
