//! The heap of compiled code that nobody trusts: each buffer has zeroed pages of its own, and a page behind them that
//! cannot be accessed. The pages of a freed buffer cannot be accessed any more, and get no other use.
use std::{
    collections::HashMap,
    ffi::c_void,
    ptr::null_mut,
    sync::{Mutex, PoisonError},
};

/// The buffers with their bytes, including the last page; `None` while the heap is not used.
static BUFFERS: Mutex<Option<HashMap<usize, usize>>> = Mutex::new(None);

/// Makes compiled code use this heap from now on.
pub fn enable() {
    buffers(|buffers| *buffers = Some(HashMap::new()));
}

fn buffers<R>(change: impl FnOnce(&mut Option<HashMap<usize, usize>>) -> R) -> R {
    change(&mut BUFFERS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// A new buffer, null if there is no memory for it; `None` if the heap is not used.
pub fn allocate(size: usize) -> Option<*mut c_void> {
    buffers(|buffers| buffers.as_mut().map(|buffers| mapped(size, buffers)))
}

fn mapped(size: usize, buffers: &mut HashMap<usize, usize>) -> *mut c_void {
    // SAFETY: the call has no requirements.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(1 << 16);
    let Some(bytes) = size.max(1).checked_next_multiple_of(page) else { return null_mut() };
    let Some(all) = bytes.checked_add(page) else { return null_mut() };
    // SAFETY: the pages are new, and the last one belongs to them.
    unsafe {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let start = libc::mmap(null_mut(), all, access, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0);
        if start == libc::MAP_FAILED {
            return null_mut();
        }
        if libc::mprotect(start.byte_add(bytes), page, libc::PROT_NONE) != 0 {
            libc::munmap(start, all);
            return null_mut();
        }
        buffers.insert(start as usize, all);
        start
    }
}

/// Frees a buffer; false if it is not one of this heap.
///
/// # Safety
/// Nothing uses the buffer any more.
pub unsafe fn release(buffer: *mut c_void) -> bool {
    let bytes = buffers(|buffers| buffers.as_mut().and_then(|buffers| buffers.remove(&(buffer as usize))));
    let Some(bytes) = bytes else { return false };
    // SAFETY: the pages are those of the buffer, which nothing uses. They are replaced by pages without memory.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
        libc::mmap(buffer, bytes, libc::PROT_NONE, flags, -1, 0);
    }
    true
}
