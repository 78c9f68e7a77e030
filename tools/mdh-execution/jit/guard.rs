//! Calls that compiled code can leave: if a check fails or there is no memory, it goes back to the caller, and the
//! buffers that it has allocated are freed.
//!
//! ```text
//! call ──▶ compiled code ──▶ allocate ──▶ fail ──▶ call: Err("no memory for the 64 bytes of a buffer")
//! ```
use super::{openmp, region};
use std::{
    cell::{Cell, RefCell},
    ffi::c_void,
    io::Write as _,
    sync::Mutex,
};

// `jit/guard.c`.
unsafe extern "C" {
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
