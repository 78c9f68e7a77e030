//! Memory: allocations, copies, and fills.
use super::{attempt, in_context, put};
use crate::{
    driver::{Driver, Handle},
    fault::{Code, Fault},
    memory::BYTES,
};
use std::ptr;

/// Where an address must be. With unified addressing, a function for the host accepts any address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Any,
    Device,
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> i32 {
    in_context(|driver| put(address, driver.allocate(bytes as u64, false)?))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemAllocManaged(address: *mut u64, bytes: usize, flags: u32) -> i32 {
    in_context(|driver| {
        if ![1, 2].contains(&flags) {
            return Err(Code::InvalidValue.into());
        }
        put(address, driver.allocate(bytes as u64, true)?)
    })
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemFree_v2(address: u64) -> i32 {
    in_context(|driver| driver.free(address))
}

/// Allocates memory in the order of a stream: here, at once.
#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemAllocAsync(address: *mut u64, bytes: usize, stream: Handle) -> i32 {
    in_context(|driver| {
        driver.is_stream(stream)?;
        put(address, driver.allocate(bytes as u64, false)?)
    })
}

/// Frees memory when the work before it on the stream is done.
#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemFreeAsync(address: u64, stream: Handle) -> i32 {
    in_context(|driver| driver.free_later(stream, address))
}

/// Stores an attribute of an address: a number of 32 bits, or a byte.
#[unsafe(no_mangle)]
pub(super) extern "C" fn cuPointerGetAttribute(data: *mut u8, attribute: i32, address: u64) -> i32 {
    const MEMORY_TYPE: i32 = 2;
    const IS_MANAGED: i32 = 8;
    const DEVICE_ORDINAL: i32 = 9;
    attempt(|driver| {
        // As for CUDA, memory of the host that the driver has not allocated is unknown.
        if !driver.memory.has(address) {
            return Err(Code::InvalidValue.into());
        }
        match attribute {
            MEMORY_TYPE => put(data.cast(), 2u32),
            IS_MANAGED => put(data, u8::from(driver.memory.is_host_shared(address))),
            DEVICE_ORDINAL => put(data.cast(), 0u32),
            _ => Err(Code::InvalidValue.into()),
        }
    })
}

/// Returns the free and the total memory of the device in bytes.
#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> i32 {
    in_context(|driver| {
        put(free, (BYTES - driver.memory.used()) as usize)?;
        put(total, BYTES as usize)
    })
}

/// Copies between any two addresses of the host and the device.
fn copy(driver: &mut Driver, to: u64, from: u64, bytes: usize, stream: Handle) -> Result<(), Fault> {
    let (is_to_device, is_from_device) = (driver.memory.has(to), driver.memory.has(from));
    if is_to_device && is_from_device {
        return driver.copy(stream, to, from, bytes);
    }
    // For pageable host memory, the call returns after the copy.
    driver.synchronize(stream)?;
    let host = |address: u64| ptr::with_exposed_provenance_mut::<u8>(address as usize);
    // SAFETY: the caller passes addresses of `bytes` bytes.
    unsafe {
        match (is_to_device, is_from_device) {
            (true, _) => driver.memory.view().write(to, std::slice::from_raw_parts(host(from), bytes)),
            (_, true) => driver.memory.view().read(from, std::slice::from_raw_parts_mut(host(to), bytes)),
            _ => {
                ptr::copy(host(from), host(to), bytes);
                Ok(())
            }
        }
    }
}

/// As [`copy`], for a function that says where the addresses are.
fn copy_between(sides: [Side; 2], to: u64, from: u64, bytes: usize, stream: Handle) -> i32 {
    in_context(|driver| {
        let fits = |side: Side, address: u64| side == Side::Any || driver.memory.has(address);
        if !fits(sides[0], to) || !fits(sides[1], from) {
            return Err(Code::InvalidValue.into());
        }
        copy(driver, to, from, bytes, stream)
    })
}

/// As [`copy_between`], and waits for the copy.
fn copy_now(sides: [Side; 2], to: u64, from: u64, bytes: usize) -> i32 {
    match copy_between(sides, to, from, bytes, 0) {
        0 => in_context(|driver| driver.synchronize(0)),
        code => code,
    }
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemcpy(to: u64, from: u64, bytes: usize) -> i32 {
    copy_now([Side::Any, Side::Any], to, from, bytes)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemcpyHtoD_v2(to: u64, from: *const u8, bytes: usize) -> i32 {
    copy_now([Side::Device, Side::Any], to, from.expose_provenance() as u64, bytes)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemcpyDtoH_v2(to: *mut u8, from: u64, bytes: usize) -> i32 {
    copy_now([Side::Any, Side::Device], to.expose_provenance() as u64, from, bytes)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) -> i32 {
    copy_now([Side::Device, Side::Device], to, from, bytes)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: Handle) -> i32 {
    copy_between([Side::Any, Side::Any], to, from, bytes, stream)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemcpyHtoDAsync_v2(to: u64, from: *const u8, bytes: usize, stream: Handle) -> i32 {
    copy_between([Side::Device, Side::Any], to, from.expose_provenance() as u64, bytes, stream)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemcpyDtoHAsync_v2(to: *mut u8, from: u64, bytes: usize, stream: Handle) -> i32 {
    copy_between([Side::Any, Side::Device], to.expose_provenance() as u64, from, bytes, stream)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: Handle) -> i32 {
    copy_between([Side::Device, Side::Device], to, from, bytes, stream)
}

/// Fills memory with a value of `size` bytes, and waits for it.
fn fill_now(to: u64, value: u32, size: u8, count: usize) -> i32 {
    in_context(|driver| {
        driver.fill(0, to, value, size, count)?;
        driver.synchronize(0)
    })
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemsetD8_v2(to: u64, value: u8, count: usize) -> i32 {
    fill_now(to, value.into(), 1, count)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemsetD16_v2(to: u64, value: u16, count: usize) -> i32 {
    fill_now(to, value.into(), 2, count)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemsetD32_v2(to: u64, value: u32, count: usize) -> i32 {
    fill_now(to, value, 4, count)
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemsetD8Async(to: u64, value: u8, count: usize, stream: Handle) -> i32 {
    in_context(|driver| driver.fill(stream, to, value.into(), 1, count))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemsetD16Async(to: u64, value: u16, count: usize, stream: Handle) -> i32 {
    in_context(|driver| driver.fill(stream, to, value.into(), 2, count))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuMemsetD32Async(to: u64, value: u32, count: usize, stream: Handle) -> i32 {
    in_context(|driver| driver.fill(stream, to, value, 4, count))
}
