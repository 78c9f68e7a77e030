//! Signals that become one error and exit code 1: of integer divisions that compiled code cannot do, and those that end the driver of a
//! device; and assertions of compiled code that do.
use anyhow::{Result, ensure};
use std::{
    mem::MaybeUninit,
    ptr::null_mut,
    sync::atomic::{AtomicBool, AtomicPtr, Ordering},
};

/// While it lives, a division by zero in any thread, or one that overflows, prints a message and ends the process.
pub struct Divisions {
    former: libc::sigaction,
}

static MESSAGE: AtomicPtr<String> = AtomicPtr::new(null_mut());
static IS_REPORTED: AtomicBool = AtomicBool::new(false);

impl Divisions {
    /// The message is printed on a line of its own.
    pub fn report(message: &str) -> Result<Self> {
        // It is never freed: another thread may be printing it.
        MESSAGE.store(Box::leak(Box::new(format!("{message}\n"))), Ordering::Release);
        Ok(Self { former: install(libc::SIGFPE, handle)? })
    }
}

/// While it lives, a signal that ends the driver of a device prints a message, and ends the process.
pub struct Drivers {
    former: Vec<(libc::c_int, libc::sigaction)>,
}

/// The signals of a driver that goes wrong or gives up, as messages name them.
const ENDS: [(libc::c_int, &str); 5] = [
    (libc::SIGSEGV, "11 (SIGSEGV)"),
    (libc::SIGABRT, "6 (SIGABRT)"),
    (libc::SIGBUS, "7 (SIGBUS)"),
    (libc::SIGILL, "4 (SIGILL)"),
    (libc::SIGTRAP, "5 (SIGTRAP)"),
];

impl Drivers {
    /// The message says what the driver has been doing.
    pub fn report() -> Result<Self> {
        let mut installed = Self { former: vec![] };
        for (signal, _) in ENDS {
            installed.former.push((signal, install(signal, handle_end)?));
        }
        Ok(installed)
    }
}

impl Drop for Drivers {
    fn drop(&mut self) {
        for (signal, former) in &self.former {
            // SAFETY: this is what the system has given for the same signal.
            unsafe { libc::sigaction(*signal, former, null_mut()) };
        }
    }
}

/// What handles a signal.
type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

/// Installs a handler, which must do only what a handler may do; returns what has handled the signal before.
fn install(signal: libc::c_int, handler: Handler) -> Result<libc::sigaction> {
    let mut former = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: all fields of a sigaction may be zero; the handler has the signature that SA_SIGINFO asks for.
    unsafe {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        action.sa_sigaction = handler as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        let status = libc::sigaction(signal, &action, former.as_mut_ptr());
        ensure!(status == 0, "cannot handle signals: {}", std::io::Error::last_os_error());
        Ok(former.assume_init())
    }
}

impl Drop for Divisions {
    fn drop(&mut self) {
        // SAFETY: this is what the system has given for the same signal.
        unsafe { libc::sigaction(libc::SIGFPE, &self.former, null_mut()) };
    }
}

/// Calls nothing but what POSIX allows in a handler of a signal, and allocates nothing.
extern "C" fn handle(signal: libc::c_int, information: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system passes the signal's information; the message is a leaked one, stored before the handler was installed.
    unsafe {
        if !matches!((*information).si_code, FPE_INTDIV | FPE_INTOVF) {
            // Not of a division, such as from another process.
            return pass_on(signal);
        }
        end(&[MESSAGE.load(Ordering::Acquire).as_ref().map_or("", |message| message.as_str())])
    }
}

/// Calls nothing but what POSIX allows in a handler of a signal, and allocates nothing.
extern "C" fn handle_end(signal: libc::c_int, _: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: texts of activities are never freed; the name is static.
    unsafe {
        let (activity, name) = (mdh_runtime::activity().as_ref(), ENDS.iter().find(|(known, _)| *known == signal));
        let (Some(activity), Some((_, name))) = (activity, name) else {
            // Not of a driver.
            return pass_on(signal);
        };
        end(&["error: signal ", name, " ended ", activity.as_str(), "\n"])
    }
}

/// In a handler: what would have happened without it.
fn pass_on(signal: libc::c_int) {
    // SAFETY: both may be called in a handler.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// In a handler, or instead of what would go wrong: ends the process with a message, which only the first thread that comes here writes.
fn end(texts: &[&str]) -> ! {
    // SAFETY: these may be called in a handler; the texts are there until the process ends.
    unsafe {
        if IS_REPORTED.swap(true, Ordering::AcqRel) {
            loop {
                libc::pause();
            }
        }
        for text in texts {
            libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len());
        }
        // An ordinary exit would run handlers, which a signal may have interrupted.
        libc::_exit(1)
    }
}

/// What the message of a check of [`crate::checks`] begins with; it is not printed.
pub const CHECK: &str = "mdh check: ";

/// What compiled code calls with the message of an assertion that does not hold: one of a check ends the process, any other one is
/// printed.
///
/// # Safety
/// The text ends with a zero byte.
pub unsafe extern "C" fn assertion_failed(text: *const libc::c_char) -> libc::c_int {
    // SAFETY: this is what the caller promises.
    let message = unsafe { std::ffi::CStr::from_ptr(text) };
    match message.to_str().ok().and_then(|message| message.strip_prefix(CHECK)) {
        Some(message) => end(&[message, "\n"]),
        // SAFETY: as above.
        None => unsafe { libc::puts(text) },
    }
}

/// The codes of integer divisions by zero and with overflow, on Linux; the crate does not have them.
const FPE_INTDIV: libc::c_int = 1;
const FPE_INTOVF: libc::c_int = 2;
