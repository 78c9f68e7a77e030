//! Calls of functions with arrays in device memory, by the addresses of their entry points.
use crate::support::interface::Interface;
use std::ffi::{CStr, c_void};

type Pointer = *mut c_void;

/// Begins a call with memory of the device.
pub fn begin_call(cuda: &Interface, stream: usize) {
    // SAFETY: this is the signature of the entry point.
    let begin: extern "C" fn(usize) = unsafe { std::mem::transmute(cuda.address("BeginCall")) };
    begin(stream);
}

/// Ends a call: its status and its message, which has at most 99 bytes.
pub fn end_call(cuda: &Interface) -> (i32, String) {
    let mut text = [0u8; 100];
    // SAFETY: as above.
    let end: extern "C" fn(*mut u8, usize) -> i32 = unsafe { std::mem::transmute(cuda.address("EndCall")) };
    let status = end(text.as_mut_ptr(), text.len());
    (status, CStr::from_bytes_until_nul(&text).expect("a zero byte").to_string_lossy().into_owned())
}

/// What is wrong with an address of memory.
pub fn problem_of_memory(cuda: &Interface, address: usize) -> Option<String> {
    let mut text = [0u8; 200];
    // SAFETY: as above.
    let check: extern "C" fn(usize, *mut u8, usize) -> i32 =
        unsafe { std::mem::transmute(cuda.address("CheckMemory")) };
    let is_wrong = check(address, text.as_mut_ptr(), text.len()) != 0;
    is_wrong.then(|| CStr::from_bytes_until_nul(&text).expect("a zero byte").to_string_lossy().into_owned())
}

/// Compares the size of the memory of a result with the wanted one.
pub fn check_size(cuda: &Interface, wanted: i64, given: i64) {
    // SAFETY: as above.
    let check: extern "C" fn(i64, i64, i64, i64) = unsafe { std::mem::transmute(cuda.address("CheckSize")) };
    check(1, 2, wanted, given);
}

/// The address of the copy of a constant on the device; its program has a module of kernels.
pub fn constant(cuda: &Interface, module: Pointer, values: &[f32]) -> Pointer {
    // SAFETY: as above.
    let constant: extern "C" fn(usize, usize, usize) -> usize =
        unsafe { std::mem::transmute(cuda.address("Constant")) };
    let address = constant(module.addr(), values.as_ptr().expose_provenance(), size_of_val(values));
    std::ptr::with_exposed_provenance_mut(address)
}
