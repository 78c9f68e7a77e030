//! Libraries that are loaded at run time, as tables of their functions.
use libloading::Library;
use std::sync::{
    Once,
    atomic::{AtomicBool, Ordering},
};

/// What a driver passes out as a number, and takes back.
pub type Handle = usize;
/// Where a function of a driver writes a result.
pub type Out<T> = *mut T;

/// Defines a struct of the functions of a library. Handles and addresses are pointer-sized numbers in their types: they
/// are passed on, and never dereferenced.
macro_rules! functions {
    ($(#[$attribute:meta])* $table:ident { $($name:ident($($parameter:ty),* $(,)?) $(-> $result:ty)?;)* }) => {
        $(#[$attribute])*
        #[allow(non_snake_case)]
        pub struct $table {
            $(pub $name: unsafe extern "C" fn($($parameter),*) $(-> $result)?,)*
            // Last, so that the library outlives the functions.
            _library: libloading::Library,
        }

        impl $table {
            /// Looks all functions up; the error is the name of a missing one.
            pub fn new(library: libloading::Library) -> Result<Self, String> {
                // SAFETY: the names and types are those that the library documents; the table keeps the library loaded.
                unsafe {
                    Ok(Self {
                        $($name: *library.get(concat!(stringify!($name), "\0").as_bytes())
                            .map_err(|_| stringify!($name).to_owned())?,)*
                        _library: library,
                    })
                }
            }
        }
    };
}
pub(crate) use functions;

/// Loads the first library that exists; otherwise returns the last error.
pub fn load(names: &[String]) -> Result<Library, String> {
    let mut last = String::new();
    for name in names {
        // SAFETY: loading a driver runs its initialization, which is intended.
        match unsafe { Library::new(name) } {
            Ok(library) => return Ok(library),
            Err(error) => last = error.to_string(),
        }
    }
    Err(last)
}

static IS_PROCESS_ENDING: AtomicBool = AtomicBool::new(false);
static WATCH: Once = Once::new();

extern "C" fn note_exit() {
    IS_PROCESS_ENDING.store(true, Ordering::Release);
}

/// Returns true if the process is exiting, so that drivers may have shut down.
pub fn is_process_ending() -> bool {
    IS_PROCESS_ENDING.load(Ordering::Acquire)
}

/// Ends the process without exit handlers and destructors.
pub fn exit_at_once(code: i32) -> ! {
    // SAFETY: the function takes a number and does not return.
    unsafe { libc::_exit(code) }
}

/// Registers an exit handler. It is called when a driver is loaded, so that the handler runs before the driver shuts
/// down.
pub fn watch_exit() {
    WATCH.call_once(|| {
        // SAFETY: the function takes nothing, and only stores a flag. If it cannot be registered, destructors behave as
        // in any other program.
        unsafe { libc::atexit(note_exit) };
    });
}
