//! Contexts: the primary one, those that a program creates, and the stack of current ones.
use super::{DEVICE, attempt, in_context, is_device, put};
use crate::{
    driver::{Driver, Handle},
    fault::{Code, Fault},
};

/// The handle of the primary context of the device.
const PRIMARY: Handle = 1 << 20;

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: i32) -> i32 {
    attempt(|driver| {
        is_device(device)?;
        driver.retained += 1;
        put(context, PRIMARY)
    })
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuDevicePrimaryCtxRelease_v2(device: i32) -> i32 {
    attempt(|driver| {
        is_device(device)?;
        driver.retained = driver.retained.checked_sub(1).ok_or(Code::InvalidContext)?;
        Ok(())
    })
}

/// Creates a context, and makes it current.
#[unsafe(no_mangle)]
pub(super) extern "C" fn cuCtxCreate_v2(context: *mut Handle, _flags: u32, device: i32) -> i32 {
    attempt(|driver| {
        is_device(device)?;
        let created = driver.create_context();
        driver.current.push(created);
        put(context, created)
    })
}

/// Destroys a context that [`cuCtxCreate_v2`] has created, and frees its memory.
#[unsafe(no_mangle)]
pub(super) extern "C" fn cuCtxDestroy_v2(context: Handle) -> i32 {
    attempt(|driver| driver.destroy_context(context))
}

/// Fails if a context does not exist.
fn is_context(driver: &Driver, context: Handle) -> Result<(), Fault> {
    let is_primary = context == PRIMARY && driver.retained > 0;
    if is_primary || driver.has_context(context) { Ok(()) } else { Err(Code::InvalidContext.into()) }
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuCtxPushCurrent_v2(context: Handle) -> i32 {
    attempt(|driver| {
        is_context(driver, context)?;
        driver.current.push(context);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuCtxPopCurrent_v2(context: *mut Handle) -> i32 {
    attempt(|driver| {
        let popped = driver.current.pop().ok_or(Code::InvalidContext)?;
        put(context, popped)
    })
}

/// Replaces the current context; null removes it.
#[unsafe(no_mangle)]
pub(super) extern "C" fn cuCtxSetCurrent(context: Handle) -> i32 {
    attempt(|driver| {
        if context != 0 {
            is_context(driver, context)?;
        }
        driver.current.pop();
        driver.current.extend((context != 0).then_some(context));
        Ok(())
    })
}

/// Returns the current context; null if there is none.
#[unsafe(no_mangle)]
pub(super) extern "C" fn cuCtxGetCurrent(context: *mut Handle) -> i32 {
    attempt(|driver| put(context, driver.current.last().copied().unwrap_or_default()))
}

#[unsafe(no_mangle)]
pub(super) extern "C" fn cuCtxGetDevice(device: *mut i32) -> i32 {
    in_context(|_| put(device, DEVICE))
}

/// Waits for all work of the current context.
#[unsafe(no_mangle)]
pub(super) extern "C" fn cuCtxSynchronize() -> i32 {
    in_context(|driver| driver.finish())
}
