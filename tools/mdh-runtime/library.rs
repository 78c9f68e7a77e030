//! Libraries that are looked for at run time, as tables of their functions.
use libloading::Library;
use std::sync::{
    Once,
    atomic::{AtomicBool, Ordering},
};

/// Makes a struct of the functions of a library. Handles and addresses are numbers of a pointer's size in their types: they are passed
/// on, and never followed.
macro_rules! functions {
    ($(#[$attribute:meta])* $table:ident { $($name:ident($($parameter:ty),* $(,)?) $(-> $result:ty)?;)* }) => {
        $(#[$attribute])*
        #[allow(non_snake_case)]
        pub struct $table {
            $(pub $name: unsafe extern "C" fn($($parameter),*) $(-> $result)?,)*
            // Last: the functions are its.
            _library: libloading::Library,
        }

        impl $table {
            /// Finds all functions; says which one is not there.
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

/// Loads the first library that there is; else the error of the last.
pub fn load(names: &[String]) -> Result<Library, String> {
    let mut last = String::new();
    for name in names {
        // SAFETY: loading a driver runs its initialization, which is what it is loaded for.
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

/// Whether the process ends, so that a driver may already have ended itself.
pub fn is_process_ending() -> bool {
    IS_PROCESS_ENDING.load(Ordering::Acquire)
}

/// Notes the end of the process; called when a driver is loaded, so that the note is made before the driver ends.
pub fn watch_exit() {
    WATCH.call_once(|| {
        // SAFETY: the function takes nothing, and only stores a flag. Without the note (there is no room for one) nothing is worse
        // than with any other program.
        unsafe { libc::atexit(note_exit) };
    });
}
