//! Signals that become one error message and exit code 1: crashes of a device's driver. Failed assertions of compiled
//! code.
use crate::jit::guard;
use anyhow::{Result, ensure};
use std::{
    mem::MaybeUninit,
    ptr::null_mut,
    sync::atomic::{AtomicBool, Ordering},
};

static IS_REPORTED: AtomicBool = AtomicBool::new(false);

/// While this is alive, a fatal signal during an activity of a device's driver prints a message and ends the process.
pub struct DriverCrashHandler {
    former: Vec<(libc::c_int, libc::sigaction)>,
}

/// The signals of a driver that crashes or aborts, with their names in messages.
const FATAL_SIGNALS: [(libc::c_int, &str); 5] = [
    (libc::SIGSEGV, "11 (SIGSEGV)"),
    (libc::SIGABRT, "6 (SIGABRT)"),
    (libc::SIGBUS, "7 (SIGBUS)"),
    (libc::SIGILL, "4 (SIGILL)"),
    (libc::SIGTRAP, "5 (SIGTRAP)"),
];

impl DriverCrashHandler {
    /// Installs the handlers. The message names the activity of the driver.
    pub fn report() -> Result<Self> {
        let mut installed = Self { former: vec![] };
        for (signal, _) in FATAL_SIGNALS {
            installed.former.push((signal, install(signal, handle_end)?));
        }
        Ok(installed)
    }
}

impl Drop for DriverCrashHandler {
    fn drop(&mut self) {
        for (signal, former) in &self.former {
            // SAFETY: this is the previous action of the same signal.
            unsafe { libc::sigaction(*signal, former, null_mut()) };
        }
    }
}

/// A signal handler.
type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

/// Installs a handler, which must be async-signal-safe; returns the previous action.
fn install(signal: libc::c_int, handler: Handler) -> Result<libc::sigaction> {
    let mut former = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: all fields of a sigaction may be zero; the handler has the signature that SA_SIGINFO requires.
    unsafe {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        action.sa_sigaction = handler as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        let status = libc::sigaction(signal, &action, former.as_mut_ptr());
        ensure!(status == 0, "cannot handle signals: {}", std::io::Error::last_os_error());
        Ok(former.assume_init())
    }
}

/// Async-signal-safe: calls only functions that POSIX allows in handlers, and does not allocate.
extern "C" fn handle_end(signal: libc::c_int, _: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: texts of activities are never freed; the name is static.
    unsafe {
        let (activity, name) =
            (mdh_runtime::activity().as_ref(), FATAL_SIGNALS.iter().find(|(known, _)| *known == signal));
        let (Some(activity), Some((_, name))) = (activity, name) else {
            // No driver is active.
            return pass_on(signal);
        };
        end(&["error: signal ", name, " ended ", activity.as_str(), "\n"])
    }
}

/// Called in a handler: takes the default action of the signal.
fn pass_on(signal: libc::c_int) {
    // SAFETY: both functions are async-signal-safe.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// Ends the process with a message, in a handler or after a failed check. Only the first thread that gets here writes.
fn end(texts: &[&str]) -> ! {
    // SAFETY: these functions are async-signal-safe; the texts live until the process ends.
    unsafe {
        if IS_REPORTED.swap(true, Ordering::AcqRel) {
            loop {
                libc::pause();
            }
        }
        for text in texts {
            libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len());
        }
        // An ordinary exit would run exit handlers in code that the signal may have interrupted.
        libc::_exit(1)
    }
}

/// The prefix of messages of the checks that the compiler adds to programs; it is not printed.
pub const CHECK: &str = "mdh check: ";

/// Called by compiled code with the message of a failed assertion: a failed check ends the call; any other message is
/// printed.
///
/// # Safety
/// The text is null-terminated.
pub unsafe extern "C" fn assertion_failed(text: *const libc::c_char) -> libc::c_int {
    // SAFETY: the caller guarantees it.
    let message = unsafe { std::ffi::CStr::from_ptr(text) };
    match message.to_str().ok().and_then(|message| message.strip_prefix(CHECK)) {
        Some(message) => guard::fail(message.to_owned()),
        // SAFETY: as above.
        None => unsafe { libc::puts(text) },
    }
}
