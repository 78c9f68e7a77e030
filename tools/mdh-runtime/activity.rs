//! What the driver of a device is doing for this process, for whoever reports the signal that ends it.
use std::{
    ptr::null_mut,
    sync::atomic::{AtomicPtr, Ordering},
};

static ACTIVITY: AtomicPtr<String> = AtomicPtr::new(null_mut());

/// A text such as `the driver of 'A100' while it compiled the kernels of the program`, which is never freed; null while no driver does
/// anything. It allocates nothing and waits for nobody, as a handler of a signal may.
pub fn activity() -> *const String {
    ACTIVITY.load(Ordering::Acquire)
}

/// While it lives, a driver does something.
pub struct Doing {
    former: *mut String,
}

impl Doing {
    /// Begins something.
    pub fn begin(text: &'static String) -> Self {
        Self { former: ACTIVITY.swap(std::ptr::from_ref(text).cast_mut(), Ordering::AcqRel) }
    }
}

impl Drop for Doing {
    fn drop(&mut self) {
        ACTIVITY.store(self.former, Ordering::Release);
    }
}

/// The text for something that the driver of a device does. It stays for good: a handler may be reading it.
pub fn text(device: &str, what: &str) -> &'static String {
    Box::leak(Box::new(format!("the driver of '{device}' while it {what}")))
}
