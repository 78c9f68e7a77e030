//! Memory for compiled code.
use std::{ffi::c_void, io::Write as _};

/// Makes this process keep the memory that it frees, for the next call: what the system gives anew costs a call more than its work. For
/// programs that do little else than calls.
pub fn keep() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: these change where memory comes from and when it goes back, nothing else.
    unsafe {
        libc::mallopt(libc::M_MMAP_MAX, 0);
        libc::mallopt(libc::M_TRIM_THRESHOLD, libc::c_int::MAX);
    }
}

/// What compiled code calls for memory: `malloc`, of huge pages where these are worth it and the system has them. Where there is no
/// memory the process ends with an error, which compiled code does not look for.
pub extern "C" fn allocate(size: usize) -> *mut c_void {
    let pointer = huge(size);
    if pointer.is_null() {
        let _ = writeln!(std::io::stderr(), "error: no memory for the {size} bytes of a buffer");
        // SAFETY: an ordinary exit would wait for, or run into, the other threads of compiled code.
        unsafe { libc::_exit(1) };
    }
    pointer
}

#[cfg(target_os = "linux")]
fn huge(size: usize) -> *mut c_void {
    /// The bytes of a huge page.
    const HUGE: usize = 2 << 20;
    if size < 2 * HUGE {
        // SAFETY: any size may be asked for.
        return unsafe { libc::malloc(size) };
    }
    // SAFETY: any size may be asked for, with any alignment that is a power of two; advice changes no memory.
    unsafe {
        let pointer = libc::memalign(HUGE, size);
        if !pointer.is_null() {
            libc::madvise(pointer, size, libc::MADV_HUGEPAGE);
        }
        pointer
    }
}

#[cfg(not(target_os = "linux"))]
fn huge(size: usize) -> *mut c_void {
    // SAFETY: any size may be asked for.
    unsafe { libc::malloc(size) }
}
