//! The current activity of a device driver in this process, for handlers that report a fatal signal.
use std::{
    ptr::null_mut,
    sync::atomic::{AtomicPtr, Ordering},
};

static ACTIVITY: AtomicPtr<String> = AtomicPtr::new(null_mut());

/// A text such as `the driver of 'A100' while it compiled the kernels of the program`, which is never freed; null while
/// no driver is active. It does not allocate or block, so signal handlers may call it.
pub fn activity() -> *const String {
    ACTIVITY.load(Ordering::Acquire)
}

/// Marks a driver as active until it is dropped.
pub struct ActivityGuard {
    former: *mut String,
}

impl ActivityGuard {
    /// Sets the activity; dropping the result restores the previous one.
    pub fn begin(text: &'static String) -> Self {
        Self { former: ACTIVITY.swap(std::ptr::from_ref(text).cast_mut(), Ordering::AcqRel) }
    }
}

impl Drop for ActivityGuard {
    fn drop(&mut self) {
        ACTIVITY.store(self.former, Ordering::Release);
    }
}

/// The text for an activity of a device's driver. It is leaked, because a handler may be reading it.
pub fn text(device: &str, what: &str) -> &'static String {
    Box::leak(Box::new(format!("the driver of '{device}' while it {what}")))
}
