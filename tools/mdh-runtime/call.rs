//! The call of a function with device memory that a thread is in: its stream and its first error.
//!
//! ```text
//! begin (stream) ──▶ entry points of the compiled function, which submit work to the stream ──▶ end (error)
//! ```
use std::cell::RefCell;

/// Why a call fails: a message.
pub enum Problem {
    /// The caller has passed something invalid.
    Invalid(String),
    /// The device cannot do something.
    Failed(String),
}

impl Problem {
    /// The message.
    pub fn text(&self) -> &str {
        match self {
            Self::Invalid(text) | Self::Failed(text) => text,
        }
    }

    /// The status of the C interface: `MDH_INVALID` or `MDH_FAILED`.
    pub fn status(&self) -> i32 {
        match self {
            Self::Invalid(_) => 1,
            Self::Failed(_) => 3,
        }
    }
}

/// A call of a function with device memory.
#[derive(Default)]
pub struct Call {
    /// The stream of the caller, as the driver knows it.
    pub stream: usize,
    /// The first error: after it, entry points do nothing.
    pub error: Option<Problem>,
    /// The addresses that were allocated in the call.
    pub allocations: Vec<usize>,
}

thread_local! {
    static CURRENT: RefCell<Option<Call>> = const { RefCell::new(None) };
}

/// Begins a call on this thread.
pub fn begin(stream: usize) {
    CURRENT.set(Some(Call { stream, ..Call::default() }));
}

/// Ends the call on this thread.
pub fn end() -> Call {
    CURRENT.take().unwrap_or_default()
}

/// The stream of the call that this thread is in; `None` if it is in none.
pub fn stream() -> Option<usize> {
    CURRENT.with_borrow(|current| current.as_ref().map(|call| call.stream))
}

/// True if the call has failed.
pub fn has_failed() -> bool {
    CURRENT.with_borrow(|current| current.as_ref().is_some_and(|call| call.error.is_some()))
}

/// Records the error of the call.
pub fn fail(error: Problem) {
    CURRENT.with_borrow_mut(|current| {
        if let Some(call) = current {
            call.error.get_or_insert(error);
        }
    });
}

/// Records an allocation of the call, if there is one.
pub fn allocated(address: usize) {
    CURRENT.with_borrow_mut(|current| {
        if let Some(call) = current {
            call.allocations.push(address);
        }
    });
}
