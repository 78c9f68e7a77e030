//! Calls that compiled code can leave: if a check fails or there is no memory, it goes back to the caller, and the
//! buffers that it has allocated are freed.
//!
//! ```text
//! call ──▶ compiled code ──▶ allocate ──▶ fail ──▶ call: Err("no memory for the 64 bytes of a buffer")
//! ```
use super::{
    arguments::RawArray,
    linker::{DeviceEntry, Entry, HostEntry},
    openmp,
};
use std::{
    cell::{Cell, RefCell},
    ffi::{c_char, c_void},
    io::Write as _,
    sync::atomic::{AtomicU64, Ordering},
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
        divisions: *mut u64,
    ) -> i32;
    fn mdh_guard_active() -> i32;
    fn mdh_guard_leave() -> !;
    fn mdh_guard_divisions() -> *mut u64;
    fn mdh_guard_use_openmp(fork_call: *const ());
    fn mdh_guard_fork(location: *mut c_void, count: i32, body: *mut c_void, ...);
}

thread_local! {
    /// The buffers that the guarded call of this thread has allocated and not freed.
    static BUFFERS: RefCell<Vec<*mut c_void>> = const { RefCell::new(vec![]) };
    /// Why the guarded call of this thread was left.
    static REASON: Cell<Option<String>> = const { Cell::new(None) };
}

/// How a call has ended.
pub struct Outcome {
    /// The status of the function; the error says why it could not go on.
    pub status: Result<i32, String>,
    /// How many of its divisions were skipped, in all of its threads.
    pub divisions: u64,
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
) -> Outcome {
    let mut status = 0;
    let divisions = AtomicU64::new(0);
    let (on_host, on_device) = match function {
        Entry::Host(function) => (Some(function), None),
        Entry::Device(function) => (None, Some(function)),
    };
    let (given, returned) = (arguments.as_ptr(), results.as_mut_ptr());
    // SAFETY: as required of the caller. Where the function is left, the frames between this one and that of `fail` are
    // those of compiled code, and of functions without anything to drop.
    let has_returned = unsafe {
        mdh_guard_call(on_host, on_device, given, returned, stream, message, &raw mut status, divisions.as_ptr())
    } != 0;
    let divisions = divisions.load(Ordering::Acquire);
    let buffers = BUFFERS.take();
    if has_returned {
        // They are results now. The vector keeps its capacity.
        let mut kept = buffers;
        kept.clear();
        BUFFERS.set(kept);
        return Outcome { status: Ok(status), divisions };
    }
    for result in results.iter_mut().filter(|result| !result.allocation.is_null()) {
        (result.data, result.allocation) = (std::ptr::null_mut(), std::ptr::null_mut());
    }
    // SAFETY: compiled code has allocated them, has not freed them, and does not run any more.
    buffers.into_iter().for_each(|buffer| unsafe { libc::free(buffer) });
    Outcome { status: Err(REASON.take().unwrap_or_default()), divisions }
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

/// Called by compiled code that cannot go on: leaves the guarded call of this thread. Without one, and in a parallel
/// region, which other threads wait to end, prints the message and ends the process.
pub fn fail(message: String) -> ! {
    if !is_active() || openmp::is_in_parallel() {
        let _ = writeln!(std::io::stderr(), "{message}");
        // SAFETY: an ordinary exit would wait for the other threads of compiled code, or run while they do.
        unsafe { libc::_exit(1) };
    }
    let reason = message.strip_prefix("error: ").unwrap_or(&message).to_owned();
    drop(message);
    REASON.set(Some(reason));
    // SAFETY: the call of this thread has not returned. Nothing in the frames in between is to be dropped.
    unsafe { mdh_guard_leave() }
}

/// Counts a division that is skipped in a call that this thread executes or takes part in; returns false outside of calls.
/// Async-signal-safe.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub fn count_division() -> bool {
    // SAFETY: the pointer is null or that of the number in `call`, which waits for all threads that take part.
    let skipped = unsafe { mdh_guard_divisions().cast::<AtomicU64>().as_ref() };
    skipped.map(|skipped| skipped.fetch_add(1, Ordering::Release)).is_some()
}

/// The function that compiled code calls instead of OpenMP's `__kmpc_fork_call`, which is given: the threads of a parallel
/// region take part in the call.
pub fn fork_call(openmp: *const ()) -> *const () {
    // SAFETY: OpenMP's library, which is never unloaded, has only one such function.
    unsafe { mdh_guard_use_openmp(openmp) };
    mdh_guard_fork as *const ()
}

/// True if this thread is in a guarded call.
fn is_active() -> bool {
    // SAFETY: the function reads a variable of this thread.
    unsafe { mdh_guard_active() != 0 }
}
