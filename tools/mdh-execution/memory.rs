//! Memory that is shared with compiled code.
pub mod guarded;

use crate::jit::guard;
use std::{
    ffi::c_void,
    fmt,
    ops::{Deref, DerefMut},
    ptr::null_mut,
    slice,
};

/// Bytes that can be passed to and returned from compiled code without copies: aligned to a cache line, and freed by
/// C's `free`.
pub struct Bytes {
    start: *mut u8,
    length: usize,
    /// The pointer to free.
    allocation: *mut c_void,
}

// SAFETY: the memory belongs to this value alone.
unsafe impl Send for Bytes {}
// SAFETY: shared references only read it.
unsafe impl Sync for Bytes {}

impl Bytes {
    /// `length` equal bytes; `None` if the allocation fails.
    pub fn filled(length: usize, byte: u8) -> Option<Self> {
        let mut allocation = null_mut();
        // SAFETY: the alignment is a power of two and a multiple of a pointer's size, and the allocation has the length
        // that is filled.
        unsafe {
            if libc::posix_memalign(&mut allocation, 64, length.max(1)) != 0 {
                return None;
            }
            allocation.cast::<u8>().write_bytes(byte, length);
        }
        Some(Self { start: allocation.cast(), length, allocation })
    }

    /// Takes ownership of memory that `malloc` has allocated. Nothing is freed if `allocation` is null.
    ///
    /// # Safety
    /// There are `length` initialized bytes at `start`. They live until `allocation` is freed, which nothing else does,
    /// and nothing else accesses them.
    pub unsafe fn taken(start: *mut u8, length: usize, allocation: *mut c_void) -> Self {
        Self { start, length, allocation }
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        // SAFETY: it was allocated by a function of C or by compiled code, and is owned by this value.
        unsafe { free(self.allocation) };
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: this value owns that many initialized bytes.
        unsafe { slice::from_raw_parts(self.start, self.length) }
    }
}

impl DerefMut for Bytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        if self.length == 0 {
            return &mut [];
        }
        // SAFETY: as above, and nothing else refers to them.
        unsafe { slice::from_raw_parts_mut(self.start, self.length) }
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        let layout = || std::alloc::Layout::array::<u8>(bytes.len()).unwrap_or(std::alloc::Layout::new::<u8>());
        let mut copy = Self::filled(bytes.len(), 0).unwrap_or_else(|| std::alloc::handle_alloc_error(layout()));
        copy.copy_from_slice(bytes);
        copy
    }
}

impl Clone for Bytes {
    fn clone(&self) -> Self {
        Self::from(&**self)
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Bytes {}

impl fmt::Debug for Bytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}

/// Makes the allocator keep freed memory for later calls, because page faults in fresh memory can take longer than a
/// call's computation. For processes that do little but call compiled functions.
pub fn keep() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: these only change where memory comes from and when it is returned.
    unsafe {
        libc::mallopt(libc::M_MMAP_MAX, 0);
        libc::mallopt(libc::M_TRIM_THRESHOLD, libc::c_int::MAX);
    }
}

/// The `malloc` of compiled code, which uses huge pages for large sizes if the system has them. Compiled code does not
/// check for failures, so that one ends the call.
pub extern "C" fn allocate(size: usize) -> *mut c_void {
    let pointer = guarded::allocate(size).unwrap_or_else(|| huge(size));
    if pointer.is_null() {
        guard::fail(format!("error: no memory for the {size} bytes of a buffer"));
    }
    guard::allocated(pointer);
    pointer
}

/// The `free` of compiled code.
///
/// # Safety
/// The pointer is null or from [`allocate`], and nothing uses the memory afterwards.
pub unsafe extern "C" fn release(pointer: *mut c_void) {
    guard::freed(pointer);
    // SAFETY: as required of the caller.
    unsafe { free(pointer) };
}

/// Frees memory of C or of compiled code.
///
/// # Safety
/// The pointer is null, or was allocated by one of both; nothing uses the memory afterwards.
unsafe fn free(pointer: *mut c_void) {
    // SAFETY: as required of the caller.
    unsafe {
        if !guarded::release(pointer) {
            libc::free(pointer);
        }
    }
}

#[cfg(target_os = "linux")]
fn huge(size: usize) -> *mut c_void {
    /// Bytes per huge page.
    const HUGE: usize = 2 << 20;
    if size < 2 * HUGE {
        // SAFETY: any size is allowed.
        return unsafe { libc::malloc(size) };
    }
    // SAFETY: any size and any power-of-two alignment are allowed; the advice does not change memory.
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
    // SAFETY: any size is allowed.
    unsafe { libc::malloc(size) }
}

/// The bytes of an `i64`.
pub fn bytes_of(value: &mut i64) -> &mut [u8] {
    // SAFETY: an integer consists of eight initialized bytes, and any bytes are a valid integer.
    unsafe { std::slice::from_raw_parts_mut(std::ptr::from_mut(value).cast(), 8) }
}
