//! Calls of compiled functions that they can leave (`guard.rs`).
use super::{
    arguments::RawArray,
    guard::{forget_buffers, reason},
    linker::{DeviceEntry, Entry, HostEntry},
};
use std::ffi::{c_char, c_void};

// `jit/guard.c`.
unsafe extern "C" {
    fn mdh_guard_call(
        on_host: Option<HostEntry>,
        on_device: Option<DeviceEntry>,
        arguments: *const RawArray,
        results: *mut RawArray,
        stream: *mut c_void,
        message: *mut c_char,
        status: *mut i32,
    ) -> i32;
}

/// Calls a function, and returns its status. The error says why the function could not go on; all memory that it has
/// allocated has been freed then, and memory that it writes may have been written in part. `stream`: that of a function
/// with arrays in device memory.
///
/// # Safety
/// The arrays and the message are those that the function requires.
pub unsafe fn call(
    function: Entry,
    arguments: &[RawArray],
    results: &mut [RawArray],
    stream: *mut c_void,
    message: *mut c_char,
) -> Result<i32, String> {
    let mut status = 0;
    let (on_host, on_device) = match function {
        Entry::Host(function) => (Some(function), None),
        Entry::Device(function) => (None, Some(function)),
    };
    let (given, returned) = (arguments.as_ptr(), results.as_mut_ptr());
    // SAFETY: as required of the caller. Where the function is left, the frames between this one and that of `fail` are
    // those of compiled code, and of functions without anything to drop.
    let has_returned =
        unsafe { mdh_guard_call(on_host, on_device, given, returned, stream, message, &raw mut status) } != 0;
    if has_returned {
        // The buffers are results now.
        forget_buffers(true);
        return Ok(status);
    }
    for result in results.iter_mut().filter(|result| !result.allocation.is_null()) {
        (result.data, result.allocation) = (std::ptr::null_mut(), std::ptr::null_mut());
    }
    forget_buffers(false);
    let message = reason();
    Err(message.strip_prefix("error: ").map_or(message.clone(), str::to_owned))
}
