//! The entry points that compiled code calls: the functions of MLIR's GPU runtime wrappers, with the signatures that
//! `--gpu-to-llvm` assumes, under distinct names for each API.
use crate::{
    CUDA, OPENCL,
    call::{self, Problem},
};
use std::ffi::{CStr, c_char, c_void};

type Pointer = *mut c_void;

fn pointer(handle: usize) -> Pointer {
    std::ptr::with_exposed_provenance_mut(handle)
}

fn image<'a>(data: Pointer, bytes: usize) -> Option<&'a [u8]> {
    // SAFETY: compiled code passes the address and the size of a constant of its own.
    (!data.is_null() && bytes > 0).then(|| unsafe { std::slice::from_raw_parts(data.cast(), bytes) })
}

fn terminated<'a>(text: *const c_char) -> Option<&'a CStr> {
    // SAFETY: compiled code passes a null-terminated constant.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
}

fn parameters<'a>(addresses: *mut Pointer, count: usize) -> Option<&'a [usize]> {
    match count {
        0 => Some(&[]),
        // SAFETY: compiled code passes an array of `count` addresses, which are read as numbers.
        _ => (!addresses.is_null()).then(|| unsafe { std::slice::from_raw_parts(addresses.cast(), count) }),
    }
}

/// Writes a text and a terminating zero to a buffer of some bytes; what does not fit is left out.
fn store(text: &str, buffer: *mut c_char, bytes: usize) {
    let most = bytes.saturating_sub(1);
    if buffer.is_null() || bytes == 0 {
        return;
    }
    let count = (0..=text.len().min(most)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    // SAFETY: the caller passes the address of `bytes` bytes, more than are written.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), count);
        buffer.add(count).write(0);
    }
}

/// Defines the entry points of an API, and a function that lists them.
macro_rules! entries {
    ($list:ident, $runtime:ident, { $($name:ident($($parameter:ident: $type:ty),*) $(-> $result:ty)? $body:block)* }) => {
        /// Names and addresses.
        pub fn $list() -> Vec<(&'static str, *const ())> {
            vec![$((stringify!($name), $name as *const ())),*]
        }
        $(
            #[allow(non_snake_case)]
            #[unsafe(no_mangle)]
            extern "C" fn $name($($parameter: $type),*) $(-> $result)? $body
        )*
    };
}

macro_rules! api {
    (
        $list:ident, $runtime:ident,
        $StreamCreate:ident, $StreamDestroy:ident, $StreamSynchronize:ident, $StreamWaitEvent:ident,
        $EventCreate:ident, $EventDestroy:ident, $EventSynchronize:ident, $EventRecord:ident,
        $ModuleLoad:ident, $ModuleLoadJIT:ident, $ModuleUnload:ident, $ModuleGetFunction:ident, $LaunchKernel:ident,
        $MemAlloc:ident, $MemFree:ident, $Memcpy:ident, $Memset32:ident, $Memset16:ident $(,)?
    ) => {
        entries! { $list, $runtime, {
            $StreamCreate() -> Pointer { pointer($runtime.stream()) }
            $StreamDestroy(_stream: Pointer) {}
            $StreamSynchronize(_stream: Pointer) { $runtime.synchronize() }
            // The queue is in order, so all recorded work precedes what follows.
            $StreamWaitEvent(_stream: Pointer, _event: Pointer) {}
            $EventCreate() -> Pointer { pointer($runtime.stream()) }
            $EventDestroy(_event: Pointer) {}
            $EventSynchronize(_event: Pointer) { $runtime.synchronize() }
            $EventRecord(_event: Pointer, _stream: Pointer) {}
            $ModuleLoad(data: Pointer, bytes: usize) -> Pointer { pointer($runtime.load(image(data, bytes), None)) }
            // MLIR passes no size here; the text is null-terminated.
            $ModuleLoadJIT(text: *const c_char, level: i32) -> Pointer {
                pointer($runtime.load_text(terminated(text), u32::try_from(level).unwrap_or(0)))
            }
            $ModuleUnload(module: Pointer) { $runtime.unload(module.addr()) }
            $ModuleGetFunction(module: Pointer, kernel: *const c_char) -> Pointer {
                pointer($runtime.function(module.addr(), terminated(kernel)))
            }
            $LaunchKernel(
                function: Pointer, grid_x: u64, grid_y: u64, grid_z: u64, block_x: u64, block_y: u64, block_z: u64,
                shared_bytes: i32, _stream: Pointer, values: *mut Pointer, _extra: *mut Pointer, count: usize
            ) {
                let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
                $runtime.launch(function.addr(), grid, block, shared_bytes, parameters(values, count))
            }
            // MLIR passes the flag as a byte, of which only the lowest bit is valid.
            $MemAlloc(bytes: u64, _stream: Pointer, is_host_shared: u8) -> Pointer {
                pointer($runtime.allocate(bytes, is_host_shared & 1 == 1))
            }
            $MemFree(memory: Pointer, _stream: Pointer) { $runtime.free(memory.expose_provenance()) }
            $Memcpy(to: Pointer, from: Pointer, bytes: usize, _stream: Pointer) {
                $runtime.copy(to.expose_provenance(), from.expose_provenance(), bytes)
            }
            $Memset32(to: Pointer, value: u32, count: usize, _stream: Pointer) {
                $runtime.fill(to.expose_provenance(), &value.to_ne_bytes(), count)
            }
            $Memset16(to: Pointer, value: u16, count: usize, _stream: Pointer) {
                $runtime.fill(to.expose_provenance(), &value.to_ne_bytes(), count)
            }
        } }
    };
}

api! {
    cuda, CUDA,
    mdhCudaStreamCreate, mdhCudaStreamDestroy, mdhCudaStreamSynchronize, mdhCudaStreamWaitEvent,
    mdhCudaEventCreate, mdhCudaEventDestroy, mdhCudaEventSynchronize, mdhCudaEventRecord,
    mdhCudaModuleLoad, mdhCudaModuleLoadJIT, mdhCudaModuleUnload, mdhCudaModuleGetFunction, mdhCudaLaunchKernel,
    mdhCudaMemAlloc, mdhCudaMemFree, mdhCudaMemcpy, mdhCudaMemset32, mdhCudaMemset16,
}

api! {
    opencl, OPENCL,
    mdhOpenclStreamCreate, mdhOpenclStreamDestroy, mdhOpenclStreamSynchronize, mdhOpenclStreamWaitEvent,
    mdhOpenclEventCreate, mdhOpenclEventDestroy, mdhOpenclEventSynchronize, mdhOpenclEventRecord,
    mdhOpenclModuleLoad, mdhOpenclModuleLoadJIT, mdhOpenclModuleUnload, mdhOpenclModuleGetFunction, mdhOpenclLaunchKernel,
    mdhOpenclMemAlloc, mdhOpenclMemFree, mdhOpenclMemcpy, mdhOpenclMemset32, mdhOpenclMemset16,
}

// Calls of functions with device memory, which only CUDA has: `interface/call_on_device.c` calls these entry points.
entries! { calls, CUDA, {
    mdhCudaBeginCall(stream: Pointer) { CUDA.begin_call(stream.expose_provenance()) }
    // Returns a status of the C interface (`interface/array.c`), and its message.
    mdhCudaEndCall(message: *mut c_char, bytes: usize) -> i32 {
        match CUDA.end_call() {
            None => 0,
            Some(problem) => {
                store(problem.text(), message, bytes);
                problem.status()
            }
        }
    }
    // Compiled code calls this before it uses the memory of a result.
    mdhCudaCheckSize(result: i64, dimension: i64, wanted: i64, given: i64) {
        if wanted != given {
            call::fail(Problem::Invalid(format!(
                "result {result} has size {wanted} in dimension {dimension}, but its memory has {given}"
            )));
        }
    }
    // Compiled code has addresses as numbers here, because it passes them on to kernels.
    mdhCudaConstant(module: usize, from: usize, bytes: usize) -> usize { CUDA.constant(module, from, bytes) }
    mdhCudaCheckMemory(memory: Pointer, message: *mut c_char, bytes: usize) -> i32 {
        match CUDA.problem_of_memory(memory.expose_provenance()) {
            None => 0,
            Some(problem) => {
                store(&problem, message, bytes);
                1
            }
        }
    }
} }
