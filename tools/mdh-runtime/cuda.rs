//! CUDA: the functions of NVIDIA's driver, and the driver interface on top of them.
use crate::{
    device::{Api, Device, Error},
    driver::{Driver, Launch},
    library::{Handle, Out, functions, load},
};
use std::{
    ffi::{CStr, CString, c_char},
    sync::OnceLock,
};

functions! {
    /// The driver functions that this file uses, under their names in CUDA's header.
    DriverFunctions {
        cuInit(u32) -> i32;
        cuDriverGetVersion(Out<i32>) -> i32;
        cuGetErrorName(i32, Out<*const c_char>) -> i32;
        cuGetErrorString(i32, Out<*const c_char>) -> i32;
        cuDeviceGetCount(Out<i32>) -> i32;
        cuDeviceGet(Out<i32>, i32) -> i32;
        cuDeviceGetName(Out<c_char>, i32, i32) -> i32;
        cuDeviceTotalMem_v2(Out<usize>, i32) -> i32;
        cuDeviceGetAttribute(Out<i32>, i32, i32) -> i32;
        cuDevicePrimaryCtxRetain(Out<Handle>, i32) -> i32;
        cuDevicePrimaryCtxRelease_v2(i32) -> i32;
        cuCtxPushCurrent_v2(Handle) -> i32;
        cuCtxPopCurrent_v2(Out<Handle>) -> i32;
        cuCtxSynchronize() -> i32;
        cuStreamCreate(Out<Handle>, u32) -> i32;
        cuStreamDestroy_v2(Handle) -> i32;
        cuStreamSynchronize(Handle) -> i32;
        cuEventCreate(Out<Handle>, u32) -> i32;
        cuEventDestroy_v2(Handle) -> i32;
        cuEventRecord(Handle, Handle) -> i32;
        cuEventSynchronize(Handle) -> i32;
        cuEventElapsedTime(Out<f32>, Handle, Handle) -> i32;
        cuModuleLoadDataEx(Out<Handle>, *const u8, u32, *const i32, *const usize) -> i32;
        cuModuleUnload(Handle) -> i32;
        cuModuleGetFunction(Out<Handle>, Handle, *const c_char) -> i32;
        cuFuncSetAttribute(Handle, i32, i32) -> i32;
        cuLaunchKernel(Handle, u32, u32, u32, u32, u32, u32, u32, Handle, *const usize, usize) -> i32;
        cuMemAlloc_v2(Out<usize>, usize) -> i32;
        cuMemAllocManaged(Out<usize>, usize, u32) -> i32;
        cuMemFree_v2(usize) -> i32;
        cuMemAllocAsync(Out<usize>, usize, Handle) -> i32;
        cuMemFreeAsync(usize, Handle) -> i32;
        cuPointerGetAttribute(Out<u64>, i32, usize) -> i32;
        cuMemcpyAsync(usize, usize, usize, Handle) -> i32;
        cuMemsetD32Async(usize, u32, usize, Handle) -> i32;
        cuMemsetD16Async(usize, u16, usize, Handle) -> i32;
    }
}

const NO_DEVICE: i32 = 100;
/// The status of the toolkit's stub library, which exists only for linking.
const STUB_LIBRARY: i32 = 34;

/// Attributes of `cuDeviceGetAttribute`.
mod attribute {
    pub const MAX_THREADS_PER_BLOCK: i32 = 1;
    pub const MAX_BLOCK_DIM: [i32; 3] = [2, 3, 4];
    pub const MAX_GRID_DIM: [i32; 3] = [5, 6, 7];
    pub const MAX_SHARED_MEMORY_PER_BLOCK: i32 = 8;
    pub const WARP_SIZE: i32 = 10;
    pub const MAX_REGISTERS_PER_BLOCK: i32 = 12;
    pub const CLOCK_RATE: i32 = 13;
    pub const MULTIPROCESSOR_COUNT: i32 = 16;
    pub const COMPUTE_CAPABILITY_MAJOR: i32 = 75;
    pub const COMPUTE_CAPABILITY_MINOR: i32 = 76;
    pub const MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: i32 = 97;
    pub const MEMORY_POOLS_SUPPORTED: i32 = 115;
}

/// Attributes of `cuPointerGetAttribute`.
mod pointer_attribute {
    pub const MEMORY_TYPE: i32 = 2;
    pub const IS_MANAGED: i32 = 8;
    pub const DEVICE_ORDINAL: i32 = 9;
}

/// A device in use: its primary context, which is current on a thread only during a call.
pub struct Cuda {
    device: Device,
    number: i32,
    context: Handle,
    /// Its own stream.
    own: Handle,
    /// The stream of a caller that work goes to instead.
    callers: Option<Handle>,
    /// True if memory can be allocated and freed in the order of a stream.
    has_pools: bool,
    functions: &'static DriverFunctions,
}

/// Two events around a launch.
pub struct Events {
    start: Handle,
    end: Handle,
}

/// The functions of the driver, which is initialized and never unloaded.
fn functions() -> Result<&'static DriverFunctions, Error> {
    static FUNCTIONS: OnceLock<Result<DriverFunctions, Error>> = OnceLock::new();
    let functions = FUNCTIONS.get_or_init(|| {
        let library = load(&["libcuda.so.1".to_owned()]).map_err(|error| {
            Error::NoDevice(if error.ends_with("No such file or directory") && error.starts_with("libcuda.so.1") {
                "no CUDA device: there is no driver library libcuda.so.1; install NVIDIA's driver, or set LD_LIBRARY_PATH to its \
                    folder"
                    .to_owned()
            } else {
                format!("no CUDA device: NVIDIA's driver libcuda.so.1 cannot be loaded ({error})")
            })
        })?;
        let functions = DriverFunctions::new(library).map_err(|name| {
            Error::NoDevice(format!("no CUDA device: NVIDIA's driver is too old, it is required to have {name}"))
        })?;
        // SAFETY: the flags are documented to be 0.
        match unsafe { (functions.cuInit)(0) } {
            NO_DEVICE => {
                Err(Error::NoDevice("no CUDA device: NVIDIA's driver is installed, but finds no GPU".to_owned()))
            }
            STUB_LIBRARY => {
                let text = "no CUDA device: the libcuda.so.1 that is found first is the toolkit's stand-in; set LD_LIBRARY_PATH to the \
                    folder of NVIDIA's driver";
                Err(Error::NoDevice(text.to_owned()))
            }
            status => functions.check(status, "initialize NVIDIA's driver").map_err(Error::Failed).map(|()| functions),
        }
    });
    functions.as_ref().map_err(Clone::clone)
}

impl DriverFunctions {
    /// Converts a status to an error that names the failed action.
    fn check(&self, status: i32, action: &str) -> Result<(), String> {
        if status == 0 {
            return Ok(());
        }
        let text = |ask: unsafe extern "C" fn(i32, Out<*const c_char>) -> i32| {
            let mut text = std::ptr::null();
            // SAFETY: the driver stores a null pointer, or a constant of its own that ends with a zero byte.
            unsafe {
                ask(status, &mut text);
                (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
            }
        };
        match (text(self.cuGetErrorName), text(self.cuGetErrorString)) {
            (Some(name), Some(meaning)) => Err(format!("CUDA cannot {action}: {name} ({meaning})")),
            _ => Err(format!("CUDA cannot {action}: error {status}")),
        }
    }

    /// An attribute; 0 if the driver does not report it.
    fn attribute(&self, device: i32, what: i32) -> u64 {
        let mut value = 0;
        // SAFETY: the driver stores a number.
        let status = unsafe { (self.cuDeviceGetAttribute)(&mut value, what, device) };
        if status == 0 { u64::try_from(value).unwrap_or(0) } else { 0 }
    }

    /// The device handle (`CUdevice`) of an index.
    fn number(&self, index: usize) -> Result<i32, String> {
        let mut number = 0;
        // SAFETY: the driver stores a number.
        let status = unsafe { (self.cuDeviceGet)(&mut number, i32::try_from(index).unwrap_or(i32::MAX)) };
        self.check(status, &format!("find device {index}"))?;
        Ok(number)
    }

    fn describe(&self, index: usize) -> Result<Device, String> {
        let number = self.number(index)?;
        let (mut name, mut bytes, mut version) = ([0u8; 256], 0, 0);
        // SAFETY: the buffer has this many characters, and the numbers are written.
        let statuses = unsafe {
            [
                (self.cuDeviceGetName)(name.as_mut_ptr().cast(), name.len() as i32 - 1, number),
                (self.cuDeviceTotalMem_v2)(&mut bytes, number),
                (self.cuDriverGetVersion)(&mut version),
            ]
        };
        statuses.into_iter().try_for_each(|status| self.check(status, &format!("describe device {index}")))?;
        let name = CStr::from_bytes_until_nul(&name).map(CStr::to_string_lossy).unwrap_or_default().into_owned();
        let ask = |what| self.attribute(number, what);
        let (major, minor) = (ask(attribute::COMPUTE_CAPABILITY_MAJOR), ask(attribute::COMPUTE_CAPABILITY_MINOR));
        Ok(Device {
            api: Api::Cuda,
            index,
            name,
            vendor: "NVIDIA".to_owned(),
            version: format!("{}.{}", version / 1000, version % 1000 / 10),
            is_gpu: true,
            compute_units: ask(attribute::MULTIPROCESSOR_COUNT),
            most_threads: ask(attribute::MAX_THREADS_PER_BLOCK),
            most_block: attribute::MAX_BLOCK_DIM.map(ask),
            most_grid: attribute::MAX_GRID_DIM.map(ask),
            // The opt-in limit; older devices have only the default one.
            shared_bytes: ask(attribute::MAX_SHARED_MEMORY_PER_BLOCK)
                .max(ask(attribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)),
            memory_bytes: bytes as u64,
            // The driver limits an allocation only by the memory.
            most_allocation_bytes: bytes as u64,
            warp: vec![ask(attribute::WARP_SIZE)],
            registers: Some(ask(attribute::MAX_REGISTERS_PER_BLOCK)),
            has_f64: true,
            has_f16: (major, minor) >= (5, 3),
            has_subgroup_shuffles: major >= 3,
            clock_mhz: ask(attribute::CLOCK_RATE) / 1000,
            capability: Some((major as u32, minor as u32)),
        })
    }
}

impl Cuda {
    /// Calls the driver with the context current on this thread, and restores the previous context.
    fn call(&self, action: &str, calls: impl FnOnce(&DriverFunctions) -> i32) -> Result<(), String> {
        let functions = self.functions;
        // SAFETY: the context is retained as long as `self` lives.
        functions.check(unsafe { (functions.cuCtxPushCurrent_v2)(self.context) }, "make its context current")?;
        let status = calls(functions);
        let mut popped = 0;
        // SAFETY: the context has been pushed above.
        unsafe { (functions.cuCtxPopCurrent_v2)(&mut popped) };
        functions.check(status, action)
    }

    /// The stream that work goes to.
    fn stream(&self) -> Handle {
        self.callers.unwrap_or(self.own)
    }

    /// An attribute of a pointer; `None` if the driver does not know the pointer.
    fn pointer_attribute(&self, address: usize, what: i32) -> Option<u32> {
        let mut value = 0u64;
        let asked = self.call("examine memory", |functions| {
            // SAFETY: the driver stores at most 32 bits for the attributes of this file. Any address may be asked for.
            unsafe { (functions.cuPointerGetAttribute)(&mut value, what, address) }
        });
        // The machine is little-endian, as all hosts of CUDA are.
        asked.is_ok().then_some(value as u32)
    }

    /// Creates the events of a launch, both or none.
    fn events(&self) -> Result<Events, String> {
        let mut events = Events { start: 0, end: 0 };
        let made = self.call("make events", |functions| {
            // SAFETY: the driver stores handles; without flags, events record times.
            unsafe {
                first_error([
                    (functions.cuEventCreate)(&mut events.start, 0),
                    (functions.cuEventCreate)(&mut events.end, 0),
                ])
            }
        });
        match made {
            Ok(()) => Ok(events),
            Err(error) => {
                self.destroy(&events);
                Err(error)
            }
        }
    }

    fn destroy(&self, events: &Events) {
        // A failure can be ignored, because the events are no longer used.
        let _ = self.call("destroy events", |functions| {
            let made = [events.start, events.end].into_iter().filter(|event| *event != 0);
            // SAFETY: the events were created in this context, and are destroyed once.
            first_error(made.map(|event| unsafe { (functions.cuEventDestroy_v2)(event) }))
        });
    }
}

fn first_error(statuses: impl IntoIterator<Item = i32>) -> i32 {
    // A fold, because all calls must be made.
    statuses.into_iter().fold(0, |first, status| if first == 0 { status } else { first })
}

impl Driver for Cuda {
    const API: Api = Api::Cuda;
    const TAKES_TEXT: bool = true;
    type Module = Handle;
    type Function = Handle;
    type Timing = Events;

    fn devices() -> Result<Vec<Device>, Error> {
        let functions = functions()?;
        let mut count = 0;
        // SAFETY: the driver stores a number.
        functions.check(unsafe { (functions.cuDeviceGetCount)(&mut count) }, "count devices").map_err(Error::Failed)?;
        if count <= 0 {
            return Err(Error::NoDevice("no CUDA device: NVIDIA's driver is installed, but finds no GPU".to_owned()));
        }
        (0..count as usize).map(|index| functions.describe(index).map_err(Error::Failed)).collect()
    }

    fn open(device: &Device) -> Result<Self, String> {
        let functions = functions().map_err(|error| error.to_string())?;
        let number = functions.number(device.index)?;
        let mut context = 0;
        // SAFETY: the driver stores a handle, which is released when `self` is dropped.
        let status = unsafe { (functions.cuDevicePrimaryCtxRetain)(&mut context, number) };
        functions.check(status, &format!("use '{}'", device.name))?;
        let has_pools = functions.attribute(number, attribute::MEMORY_POOLS_SUPPORTED) == 1;
        let mut opened = Self { device: device.clone(), number, context, own: 0, callers: None, has_pools, functions };
        let mut stream = 0;
        // Without flags, the stream synchronizes with the default stream, which others may use.
        // SAFETY: the driver stores a handle.
        opened.call("make a stream", |functions| unsafe { (functions.cuStreamCreate)(&mut stream, 0) })?;
        opened.own = stream;
        Ok(opened)
    }

    fn device(&self) -> &Device {
        &self.device
    }

    fn load(&self, image: &[u8], level: Option<u32>) -> Result<Handle, String> {
        const ERROR_LOG_BUFFER: i32 = 5;
        const ERROR_LOG_BUFFER_BYTES: i32 = 6;
        const OPTIMIZATION_LEVEL: i32 = 7;
        const MAX_LINES: usize = 5;
        // PTX is a null-terminated text; a trailing zero byte does not affect machine code.
        let mut text = image.to_vec();
        text.push(0);
        let mut log = vec![0u8; 8192];
        let mut options = vec![ERROR_LOG_BUFFER, ERROR_LOG_BUFFER_BYTES];
        let mut values = vec![log.as_mut_ptr().expose_provenance(), log.len() - 1];
        if let Some(level) = level {
            options.push(OPTIMIZATION_LEVEL);
            values.push(level.min(4) as usize);
        }
        let mut module = 0;
        let loaded = self.call("load a module", |functions| {
            let count = options.len() as u32;
            // SAFETY: each option has its value in the documented form; the image is null-terminated.
            unsafe {
                (functions.cuModuleLoadDataEx)(&mut module, text.as_ptr(), count, options.as_ptr(), values.as_ptr())
            }
        });
        loaded.map(|()| module).map_err(|error| {
            let log = CStr::from_bytes_until_nul(&log).map(CStr::to_string_lossy).unwrap_or_default();
            let lines: Vec<_> = log.lines().map(str::trim).filter(|line| !line.is_empty()).take(MAX_LINES).collect();
            if lines.is_empty() { error } else { format!("{error}: {}", lines.join("; ")) }
        })
    }

    fn unload(&self, module: Handle) {
        // A failure can be ignored, because the module is no longer used.
        let _ = self.call("unload a module", |functions| {
            // The kernels may still run on streams of callers.
            // SAFETY: the module was loaded in this context, and is unloaded once.
            unsafe { first_error([(functions.cuCtxSynchronize)(), (functions.cuModuleUnload)(module)]) }
        });
    }

    fn function(&self, module: &mut Handle, name: &str) -> Result<Handle, String> {
        let text = CString::new(name).unwrap_or_default();
        let mut function = 0;
        self.call(&format!("find the kernel '{name}'"), |functions| {
            // SAFETY: the module is loaded, and the name is null-terminated.
            unsafe { (functions.cuModuleGetFunction)(&mut function, *module, text.as_ptr()) }
        })?;
        Ok(function)
    }

    fn launch(&self, function: &Handle, launch: &Launch<'_>) -> Result<Option<Events>, String> {
        const MAX_DYNAMIC_SHARED_SIZE_BYTES: i32 = 8;
        let events = if launch.is_measured { Some(self.events()?) } else { None };
        // The limits of the device are within the types of the driver's parameters.
        let ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]) =
            (launch.grid.map(|size| size as u32), launch.block.map(|size| size as u32));
        let launched = self.call("launch a kernel", |functions| {
            let record = |event: Option<Handle>| match event {
                // SAFETY: event and stream belong to this context.
                Some(event) => unsafe { (functions.cuEventRecord)(event, self.stream()) },
                None => 0,
            };
            let started = record(events.as_ref().map(|events| events.start));
            let (shared, parameters) = (launch.shared_bytes, launch.parameters.as_ptr());
            // Sizes above the default limit require opting in. No device's limit exceeds an `i32`.
            let asked = match shared {
                0 => 0,
                // SAFETY: the function belongs to a loaded module.
                _ => unsafe { (functions.cuFuncSetAttribute)(*function, MAX_DYNAMIC_SHARED_SIZE_BYTES, shared as i32) },
            };
            if asked != 0 {
                return asked;
            }
            // SAFETY: compiled code passes the address of a value of the right type for each parameter of the kernel.
            let launched = unsafe {
                (functions.cuLaunchKernel)(
                    *function,
                    grid_x,
                    grid_y,
                    grid_z,
                    block_x,
                    block_y,
                    block_z,
                    shared,
                    self.stream(),
                    parameters,
                    0,
                )
            };
            first_error([started, launched, record(events.as_ref().map(|events| events.end))])
        });
        if let (Err(_), Some(events)) = (&launched, &events) {
            self.destroy(events);
        }
        launched.map(|()| events)
    }

    fn seconds(&self, events: Events) -> Result<f64, String> {
        let mut milliseconds = 0.0;
        let measured = self.call("run a kernel", |functions| {
            // SAFETY: both events were recorded; the driver stores a number.
            unsafe {
                match (functions.cuEventSynchronize)(events.end) {
                    0 => (functions.cuEventElapsedTime)(&mut milliseconds, events.start, events.end),
                    status => status,
                }
            }
        });
        self.destroy(&events);
        measured.map(|()| f64::from(milliseconds) * 1e-3)
    }

    fn allocate(&self, bytes: u64, is_host_shared: bool) -> Result<usize, String> {
        const GLOBAL: u32 = 1;
        let mut address = 0;
        self.call(&format!("allocate {bytes} bytes"), |functions| {
            // SAFETY: the driver stores an address.
            unsafe {
                match self.callers.filter(|_| self.has_pools) {
                    _ if is_host_shared => (functions.cuMemAllocManaged)(&mut address, bytes as usize, GLOBAL),
                    Some(stream) => (functions.cuMemAllocAsync)(&mut address, bytes as usize, stream),
                    None => (functions.cuMemAlloc_v2)(&mut address, bytes as usize),
                }
            }
        })?;
        Ok(address)
    }

    fn free(&self, address: usize) -> Result<(), String> {
        if let Some(stream) = self.callers.filter(|_| self.has_pools) {
            // SAFETY: the memory belongs to this context, and the caller frees it once; the stream is that of its uses.
            return self.call("free memory", |functions| unsafe { (functions.cuMemFreeAsync)(address, stream) });
        }
        // Submitted work may use the memory.
        let outcome = self.synchronize();
        // SAFETY: the memory belongs to this context, and the caller frees it once.
        outcome.and(self.call("free memory", |functions| unsafe { (functions.cuMemFree_v2)(address) }))
    }

    fn copy(&self, to: usize, from: usize, bytes: usize, involves_host: bool) -> Result<(), String> {
        self.call(&format!("copy {bytes} bytes"), |functions| {
            // SAFETY: compiled code passes buffers of at least `bytes` bytes. Host buffers are not accessed after the
            // call.
            unsafe {
                match (functions.cuMemcpyAsync)(to, from, bytes, self.stream()) {
                    0 if involves_host => (functions.cuStreamSynchronize)(self.stream()),
                    status => status,
                }
            }
        })
    }

    fn fill(&self, to: usize, pattern: &[u8], count: usize) -> Result<(), String> {
        self.call(&format!("fill {count} elements"), |functions| {
            // SAFETY: compiled code passes a buffer of at least `count` elements.
            unsafe {
                match *pattern {
                    [a, b] => (functions.cuMemsetD16Async)(to, u16::from_ne_bytes([a, b]), count, self.stream()),
                    [a, b, c, d] => {
                        (functions.cuMemsetD32Async)(to, u32::from_ne_bytes([a, b, c, d]), count, self.stream())
                    }
                    _ => unreachable!("patterns have 2 or 4 bytes"),
                }
            }
        })
    }

    fn synchronize(&self) -> Result<(), String> {
        // SAFETY: the stream lives as long as `self`.
        self.call("finish its work", |functions| unsafe { (functions.cuStreamSynchronize)(self.stream()) })
    }

    fn use_stream(&mut self, stream: Option<usize>) {
        self.callers = stream;
    }

    fn problem_of_memory(&self, address: usize) -> Option<String> {
        const DEVICE: u32 = 2;
        let ask = |what| self.pointer_attribute(address, what);
        let is_managed = ask(pointer_attribute::IS_MANAGED).is_some_and(|value| value & 0xff != 0);
        let is_of_device = ask(pointer_attribute::MEMORY_TYPE) == Some(DEVICE);
        let device = ask(pointer_attribute::DEVICE_ORDINAL).filter(|_| is_of_device);
        let (index, name) = (self.device.index, &self.device.name);
        match device {
            _ if is_managed => None,
            Some(device) if device as usize == index => None,
            Some(device) => {
                Some(format!("requires memory of '{name}', which is device {index}, but got memory of device {device}"))
            }
            None => Some(format!("requires memory of '{name}', but got memory of the host, at {address:#x}")),
        }
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // A failure can be ignored, because the device is no longer used.
        if self.own != 0 {
            // SAFETY: the stream was created in this context, and is destroyed once.
            let _ = self.call("destroy a stream", |functions| unsafe { (functions.cuStreamDestroy_v2)(self.own) });
        }
        // SAFETY: `self` has retained the context once.
        unsafe { (self.functions.cuDevicePrimaryCtxRelease_v2)(self.number) };
    }
}
