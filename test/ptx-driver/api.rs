//! The functions of the CUDA driver API, with the names and types of `cuda.h`. `driver.rs` implements them.
#![allow(non_snake_case)]
mod contexts;
mod memory;
#[cfg(test)]
mod tests;

use crate::{
    driver::{Driver, Handle},
    fault::{Code, Fault},
    launch::{Launch, MAX_BLOCKS, MAX_IN_BLOCK, MAX_SHARED, MAX_THREADS, SHARED_UNASKED},
    memory::BYTES,
};
use std::{
    cell::RefCell,
    ffi::{CStr, CString, c_char},
    ptr,
    sync::{LazyLock, Mutex, PoisonError},
};

/// The device name. It must not be mistaken for a GPU.
const NAME: &str = "PTX interpreter (sm_90)";
/// The CUDA version whose functions are implemented here.
const VERSION: i32 = 12090;
/// The ordinal of the only device.
const DEVICE: i32 = 0;

static DRIVER: LazyLock<Mutex<Driver>> = LazyLock::new(Mutex::default);

thread_local! {
    /// The error of the last failed call of each host thread: code and message.
    static LAST: RefCell<Option<(Code, CString)>> = const { RefCell::new(None) };
}

/// Runs `action` and returns its `CUresult`; 0 for success.
fn attempt(action: impl FnOnce(&mut Driver) -> Result<(), Fault>) -> i32 {
    let mut driver = DRIVER.lock().unwrap_or_else(PoisonError::into_inner);
    match action(&mut driver) {
        Ok(()) => 0,
        Err(fault) => {
            let text = CString::new(fault.text).unwrap_or_default();
            LAST.with_borrow_mut(|last| *last = Some((fault.code, text)));
            fault.code as i32
        }
    }
}

/// As [`attempt`], but fails with `InvalidContext` if no context is current.
fn in_context(action: impl FnOnce(&mut Driver) -> Result<(), Fault>) -> i32 {
    attempt(|driver| if driver.current.is_empty() { Err(Code::InvalidContext.into()) } else { action(driver) })
}

/// Stores a result through an out-pointer. Null is an invalid value.
fn put<T>(out: *mut T, value: T) -> Result<(), Fault> {
    if out.is_null() {
        return Err(Code::InvalidValue.into());
    }
    // SAFETY: the caller passes the address of storage for a value of this type, as CUDA requires.
    unsafe { out.write(value) };
    Ok(())
}

fn is_device(device: i32) -> Result<(), Fault> {
    if device == DEVICE { Ok(()) } else { Err(Code::InvalidDevice.into()) }
}

#[unsafe(no_mangle)]
extern "C" fn cuInit(flags: u32) -> i32 {
    attempt(|driver| {
        driver.is_initialized = true;
        if flags == 0 { Ok(()) } else { Err(Code::InvalidValue.into()) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDriverGetVersion(version: *mut i32) -> i32 {
    attempt(|_| put(version, VERSION))
}

#[unsafe(no_mangle)]
extern "C" fn cuGetErrorName(error: i32, name: *mut *const c_char) -> i32 {
    static NAMES: LazyLock<Vec<CString>> =
        LazyLock::new(|| Code::ALL.iter().map(|code| CString::new(code.name()).unwrap_or_default()).collect());
    let found = Code::ALL.iter().position(|code| *code as i32 == error);
    attempt(|_| put(name, found.ok_or(Code::InvalidValue).map(|place| NAMES[place].as_ptr())?))
}

/// Describes an error. For the last error of the calling thread, the text is its full message, valid until the thread's
/// next error.
#[unsafe(no_mangle)]
extern "C" fn cuGetErrorString(error: i32, text: *mut *const c_char) -> i32 {
    static MEANINGS: LazyLock<Vec<CString>> =
        LazyLock::new(|| Code::ALL.iter().map(|code| CString::new(code.meaning()).unwrap_or_default()).collect());
    let last =
        LAST.with_borrow(|last| last.as_ref().filter(|(code, _)| *code as i32 == error).map(|(_, text)| text.as_ptr()));
    let known = Code::ALL.iter().position(|code| *code as i32 == error).map(|place| MEANINGS[place].as_ptr());
    let found = last.or(known);
    attempt(|_| put(text, found.ok_or(Code::InvalidValue)?))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetCount(count: *mut i32) -> i32 {
    attempt(|_| put(count, 1))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGet(device: *mut i32, index: i32) -> i32 {
    attempt(|_| is_device(index).and_then(|()| put(device, DEVICE)))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetName(name: *mut c_char, size: i32, device: i32) -> i32 {
    attempt(|_| {
        is_device(device)?;
        let most = usize::try_from(size).unwrap_or(0).checked_sub(1).ok_or(Code::InvalidValue)?;
        let bytes = NAME.bytes().take(most).chain([0]);
        // SAFETY: the caller passes the address of `size` characters, including the terminating zero.
        bytes.enumerate().try_for_each(|(place, byte)| put(unsafe { name.add(place) }, byte as c_char))
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, device: i32) -> i32 {
    attempt(|_| is_device(device).and_then(|()| put(bytes, BYTES as usize)))
}

/// The attributes are those of an H200, except for the memory size.
#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetAttribute(value: *mut i32, attribute: i32, device: i32) -> i32 {
    attempt(|_| {
        is_device(device)?;
        let found = match attribute {
            1 => MAX_THREADS,
            2..=4 => MAX_IN_BLOCK[attribute as usize - 2],
            5..=7 => MAX_BLOCKS[attribute as usize - 5],
            8 => SHARED_UNASKED,
            10 => crate::block::WARP as u32,
            // Registers per block, clock rate in kHz, and number of multiprocessors.
            12 => 65536,
            13 => 1_980_000,
            16 => 132,
            // Compute capability, major and minor.
            75 => 9,
            76 => 0,
            97 => MAX_SHARED,
            // Memory pools, for allocations in the order of a stream.
            115 => 1,
            _ => return Err(Code::InvalidValue.into()),
        };
        put(value, found as i32)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamCreate(stream: *mut Handle, flags: u32) -> i32 {
    in_context(|driver| if flags <= 1 { put(stream, driver.stream()) } else { Err(Code::InvalidValue.into()) })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamDestroy_v2(stream: Handle) -> i32 {
    in_context(|driver| driver.end_stream(stream))
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamSynchronize(stream: Handle) -> i32 {
    in_context(|driver| driver.synchronize(stream))
}

#[unsafe(no_mangle)]
extern "C" fn cuEventCreate(event: *mut Handle, flags: u32) -> i32 {
    in_context(|driver| if flags <= 3 { put(event, driver.event()) } else { Err(Code::InvalidValue.into()) })
}

#[unsafe(no_mangle)]
extern "C" fn cuEventDestroy_v2(event: Handle) -> i32 {
    in_context(|driver| driver.end_event(event))
}

#[unsafe(no_mangle)]
extern "C" fn cuEventRecord(event: Handle, stream: Handle) -> i32 {
    in_context(|driver| driver.record(stream, event))
}

#[unsafe(no_mangle)]
extern "C" fn cuEventSynchronize(event: Handle) -> i32 {
    in_context(|driver| driver.wait(event))
}

#[unsafe(no_mangle)]
extern "C" fn cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) -> i32 {
    in_context(|driver| put(milliseconds, driver.elapsed(start, end)?))
}

/// Loads PTX text, which ends with a zero byte.
fn load(driver: &mut Driver, image: *const c_char) -> Result<Handle, Fault> {
    if image.is_null() {
        return Err(Code::InvalidValue.into());
    }
    // SAFETY: the caller passes the address of a zero-terminated string.
    let text = unsafe { CStr::from_ptr(image) };
    driver.load(text.to_str().map_err(|_| Fault::new(Code::InvalidPtx, "a text is required"))?)
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleLoadData(module: *mut Handle, image: *const c_char) -> i32 {
    in_context(|driver| put(module, load(driver, image)?))
}

/// Loads PTX text. Only the options of the error log have an effect; the others do not influence results.
#[unsafe(no_mangle)]
extern "C" fn cuModuleLoadDataEx(
    module: *mut Handle,
    image: *const c_char,
    count: u32,
    options: *const i32,
    values: *const usize,
) -> i32 {
    const ERROR_LOG: i32 = 5;
    const ERROR_LOG_BYTES: i32 = 6;
    in_context(|driver| {
        let fault = match load(driver, image) {
            Ok(handle) => return put(module, handle),
            Err(fault) => fault,
        };
        let value = |wanted: i32| {
            // SAFETY: the caller passes the addresses of `count` options and values.
            let option = |place: usize| unsafe { (*options.add(place), *values.add(place)) };
            (0..count as usize).map(option).find(|(option, _)| *option == wanted).map(|(_, value)| value)
        };
        if let (Some(log), Some(most)) = (value(ERROR_LOG), value(ERROR_LOG_BYTES)) {
            let bytes = &fault.text.as_bytes()[..fault.text.len().min(most.saturating_sub(1))];
            let log = ptr::with_exposed_provenance_mut::<u8>(log);
            // SAFETY: the caller passes the address of `most` bytes, including the terminating zero.
            unsafe {
                ptr::copy_nonoverlapping(bytes.as_ptr(), log, bytes.len());
                log.add(bytes.len()).write(0);
            }
            return Err(Code::InvalidPtx.into());
        }
        Err(fault)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleUnload(module: Handle) -> i32 {
    in_context(|driver| driver.unload(module))
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleGetFunction(function: *mut Handle, module: Handle, name: *const c_char) -> i32 {
    in_context(|driver| {
        if name.is_null() {
            return Err(Code::InvalidValue.into());
        }
        // SAFETY: the caller passes the address of a zero-terminated string.
        let name = unsafe { CStr::from_ptr(name) }.to_str().map_err(|_| Code::NotFound)?;
        put(function, driver.kernel(module, name)?)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuFuncSetAttribute(function: Handle, attribute: i32, value: i32) -> i32 {
    const MAX_DYNAMIC_SHARED: i32 = 8;
    in_context(|driver| match (attribute, u32::try_from(value)) {
        (MAX_DYNAMIC_SHARED, Ok(bytes)) => driver.ask(function, bytes),
        _ => Err(Code::InvalidValue.into()),
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuLaunchKernel(
    function: Handle,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    stream: Handle,
    parameters: *const *const u8,
    extra: *const usize,
) -> i32 {
    in_context(|driver| {
        let layout = driver.parameters(function)?;
        if !extra.is_null() || parameters.is_null() && !layout.is_empty() {
            return Err(Code::InvalidValue.into());
        }
        let mut bytes = vec![0; layout.last().map_or(0, |(offset, size)| offset + size)];
        for (place, (offset, size)) in layout.into_iter().enumerate() {
            // SAFETY: the caller passes one address per kernel parameter, each of a value with the size of the
            // parameter.
            unsafe { ptr::copy_nonoverlapping(*parameters.add(place), bytes[offset..].as_mut_ptr(), size) };
        }
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let launch = Launch { function: 0, grid, block, dynamic_bytes: shared, parameters: bytes, is_backwards: false };
        driver.launch(stream, function, launch)
    })
}
