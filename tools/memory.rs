//! Memory for compiled code.
use std::{
    ffi::c_void,
    fmt,
    io::Write as _,
    ops::{Deref, DerefMut},
    ptr::null_mut,
    slice,
};

/// Bytes that compiled code can take and give without copies: at the start of a cache line, and freed as C frees memory.
pub struct Bytes {
    start: *mut u8,
    length: usize,
    /// What is freed.
    allocation: *mut c_void,
}

// SAFETY: the memory belongs to this value alone.
unsafe impl Send for Bytes {}
// SAFETY: shared references only read it.
unsafe impl Sync for Bytes {}

impl Bytes {
    /// So many equal bytes; none where there is no memory for them.
    pub fn filled(length: usize, byte: u8) -> Option<Self> {
        let mut allocation = null_mut();
        // SAFETY: the alignment is a power of two and a multiple of a pointer's size, and the memory has the length that is filled.
        unsafe {
            if libc::posix_memalign(&mut allocation, 64, length.max(1)) != 0 {
                return None;
            }
            allocation.cast::<u8>().write_bytes(byte, length);
        }
        Some(Self { start: allocation.cast(), length, allocation })
    }

    /// Takes memory that `malloc` has allocated. Nothing is freed if there is no allocation.
    ///
    /// # Safety
    /// There are so many initialised bytes at the start, and they live until the allocation is freed, which nothing else does; nothing else
    /// accesses them.
    pub unsafe fn taken(start: *mut u8, length: usize, allocation: *mut c_void) -> Self {
        Self { start, length, allocation }
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        // SAFETY: it was allocated by a function of C, and belongs to this value.
        unsafe { libc::free(self.allocation) };
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: this owns as many initialised bytes.
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

/// The bytes of an index.
pub fn bytes_of(value: &mut i64) -> &mut [u8] {
    // SAFETY: any bytes are an integer, and there are eight.
    unsafe { std::slice::from_raw_parts_mut(std::ptr::from_mut(value).cast(), 8) }
}
