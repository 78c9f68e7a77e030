//! Calls that compiled code can leave: if a check fails or there is no memory, it goes back to the caller, and the
//! buffers that it has allocated are freed.
//!
//! ```text
//! call ──▶ compiled code ──▶ allocate ──▶ fail ──▶ call: Err("no memory for the 64 bytes of a buffer")
//! ```
use super::{
    arguments::RawArray,
    linker::{DeviceEntry, Entry, HostEntry},
    openmp, region,
};
use std::{
    cell::{Cell, RefCell},
    ffi::{c_char, c_void},
    io::Write as _,
    sync::Mutex,
};

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
    fn mdh_guard_active() -> i32;
    fn mdh_guard_leave() -> !;
}

/// Held by the thread that ends the process, so that only one says why.
static ENDING: Mutex<()> = Mutex::new(());

thread_local! {
    /// The buffers that the guarded call of this thread has allocated and not freed.
    static BUFFERS: RefCell<Vec<*mut c_void>> = const { RefCell::new(vec![]) };
    /// Why the guarded call of this thread was left.
    static REASON: Cell<Option<String>> = const { Cell::new(None) };
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

/// Notes a buffer of compiled code.
pub fn allocated(buffer: *mut c_void) {
    if is_active() {
        BUFFERS.with_borrow_mut(|buffers| buffers.push(buffer));
    }
}

/// Forgets a buffer that compiled code frees.
pub fn freed(buffer: *mut c_void) {
    if is_active() {
        BUFFERS.with_borrow_mut(|buffers| {
            if let Some(found) = buffers.iter().rposition(|other| *other == buffer) {
                buffers.swap_remove(found);
            }
        });
    }
}

/// The message with which this thread has left its guarded call.
pub fn reason() -> String {
    REASON.take().unwrap_or_default()
}

/// Forgets the buffers that this thread has allocated, and frees them if it has left the code that allocated them.
pub fn forget_buffers(has_returned: bool) {
    let mut buffers = BUFFERS.take();
    if !has_returned {
        // SAFETY: compiled code has allocated them, has not freed them, and does not run any more on this thread.
        buffers.iter().for_each(|buffer| unsafe { libc::free(*buffer) });
    }
    // The vector keeps its capacity.
    buffers.clear();
    BUFFERS.set(buffers);
}

/// Called by compiled code that cannot go on: leaves the guarded call of this thread, or its part of a parallel region.
/// Without one, and in a region whose other threads depend on it, prints the message and ends the process.
pub fn fail(message: String) -> ! {
    if !is_active() || openmp::is_in_parallel() && !region::is_active() {
        let _one = ENDING.lock();
        let _ = writeln!(std::io::stderr(), "{message}");
        // SAFETY: an ordinary exit would wait for the other threads of compiled code, or run while they do.
        unsafe { libc::_exit(1) };
    }
    REASON.set(Some(message));
    // SAFETY: the call of this thread has not returned. Nothing in the frames in between is to be dropped.
    unsafe { mdh_guard_leave() }
}

/// True if this thread is in a guarded call.
pub fn is_active() -> bool {
    // SAFETY: the function reads a variable of this thread.
    unsafe { mdh_guard_active() != 0 }
}
