//! OpenMP's run-time library for compiled code.
use crate::failure::os_message;
use anyhow::{anyhow, ensure};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::{
    ffi::{CStr, OsStr, c_int},
    path::PathBuf,
    sync::{
        Arc, OnceLock, RwLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Maximum number of threads: OpenMP's run-time library ends the process if the system cannot create them.
pub const MAX_THREADS: usize = 1024;

/// A library that comes with the program.
static OWN: OnceLock<PathBuf> = OnceLock::new();

/// Makes compiled code use a library that comes with the program, under a name of its own. Without effect after the
/// first function on several threads has been compiled.
pub fn use_openmp(library: PathBuf) {
    OWN.get_or_init(|| library);
}

/// The library, or why it cannot be loaded.
static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();

/// OpenMP's run-time library, loaded once and never unloaded, because its threads outlive every call. Its symbols are not
/// visible to other libraries, which may have an OpenMP of their own.
pub fn openmp() -> anyhow::Result<&'static Library> {
    let load = || {
        check_threads(std::env::var_os("OMP_NUM_THREADS").as_deref())?;
        check_processor_file(std::env::var_os("KMP_CPUINFO_FILE").as_deref())?;
        // First the program's own library, then that of the LLVM that it is built with, then the system's search path.
        forget_registration();
        let own = OWN.get().map(|path| path.to_string_lossy().into_owned());
        let beside = option_env!("LLVM_SYS_221_PREFIX").map(|prefix| format!("{prefix}/lib/libomp.so"));
        let names = own.into_iter().chain(beside).chain(["libomp.so.5", "libomp.so"].map(str::to_owned));
        let mut problem = String::new();
        for name in names {
            // SAFETY: loading LLVM's OpenMP library runs its initializers, which have no requirements.
            match unsafe { Library::open(Some(&name), RTLD_NOW | RTLD_LOCAL) } {
                Ok(library) => {
                    start(&library);
                    return Ok(library);
                }
                Err(error) => problem = error.to_string(),
            }
        }
        Err(format!("cannot load LLVM's OpenMP library libomp: {problem}"))
    };
    LIBRARY.get_or_init(load).as_ref().map_err(|error| anyhow!("{error}"))
}

/// The address of a function of the library.
pub fn function(name: &CStr) -> anyhow::Result<*const ()> {
    let library = openmp()?;
    // SAFETY: the symbol is that of a function, whose address is read.
    let found = unsafe { library.get::<*const ()>(name.to_bytes_with_nul()) };
    let found = found.map_err(|error| anyhow!("the OpenMP library lacks {}: {error}", name.to_string_lossy()))?;
    Ok(found.into_raw().cast())
}

/// True if this thread executes a parallel region.
pub fn is_in_parallel() -> bool {
    LIBRARY.get().and_then(|library| library.as_ref().ok()).is_some_and(|library| {
        // SAFETY: this is the function's signature in the OpenMP standard.
        unsafe { library.get::<unsafe extern "C" fn() -> c_int>(b"omp_get_level\0").is_ok_and(|level| level() > 0) }
    })
}

/// Sets the number of threads of all following calls, of all functions.
pub fn set_threads(threads: usize) -> anyhow::Result<()> {
    ensure!(
        (1..=MAX_THREADS).contains(&threads),
        "the number of threads must be between 1 and {MAX_THREADS}, but is {threads}"
    );
    let library = openmp()?;
    check_start(library, threads)?;
    // SAFETY: this is the function's signature in the OpenMP standard.
    unsafe { library.get::<unsafe extern "C" fn(c_int)>(b"omp_set_num_threads\0")?(threads as c_int) };
    Ok(())
}

/// Checks that the system can start so many threads with the stacks that the library gives them (`OMP_STACKSIZE`, and
/// `KMP_STACKOFFSET` for each thread before), because the library ends the process if it cannot. Threads that were started
/// once are not checked again.
fn check_start(library: &Library, threads: usize) -> anyhow::Result<()> {
    static STARTED: AtomicUsize = AtomicUsize::new(1);
    if threads <= STARTED.load(Ordering::Relaxed) {
        return Ok(());
    }
    // SAFETY: this is the function's signature in LLVM's OpenMP library.
    let stack = unsafe { library.get::<unsafe extern "C" fn() -> usize>(b"kmp_get_stacksize_s\0").map(|size| size()) };
    let stack = stack.unwrap_or_default();
    let offset = stack_offset(std::env::var_os("KMP_STACKOFFSET").as_deref());
    let lock = Arc::new(RwLock::new(()));
    let all_at_once = lock.write();
    let start = |number: usize| {
        let (lock, offset) = (Arc::clone(&lock), offset.saturating_mul(2 * number));
        thread::Builder::new().stack_size(stack.saturating_add(offset)).spawn(move || drop(lock.read()))
    };
    let (started, failed): (Vec<_>, Vec<_>) = (1..threads).map(start).partition(Result::is_ok);
    drop(all_at_once);
    started.into_iter().flatten().for_each(|thread| drop(thread.join()));
    if let Some(error) = failed.into_iter().find_map(Result::err) {
        let offset =
            if offset > 0 { format!(" and offsets of {offset} bytes (KMP_STACKOFFSET)") } else { String::new() };
        let what = format!("cannot start {threads} threads with stacks of {stack} bytes (OMP_STACKSIZE){offset}");
        return Err(anyhow!("{what}: {}", os_message(&error)));
    }
    STARTED.fetch_max(threads, Ordering::Relaxed);
    Ok(())
}

/// The bytes of `KMP_STACKOFFSET`, a number with an optional unit; 0 if the library ignores it.
fn stack_offset(variable: Option<&OsStr>) -> usize {
    let text = variable.map(|text| text.to_string_lossy().trim().to_ascii_lowercase()).unwrap_or_default();
    let text = text.strip_suffix('b').unwrap_or(&text);
    let units = [("k", 10), ("m", 20), ("g", 30), ("t", 40), ("p", 50), ("e", 60)];
    let unit = units.into_iter().find_map(|(unit, bits)| Some((text.strip_suffix(unit)?, bits)));
    let (number, bits) = unit.unwrap_or((text, 0));
    let number = number.trim();
    match number.parse::<usize>() {
        Ok(number) => number.saturating_mul(1 << bits),
        Err(_) if !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()) => usize::MAX,
        Err(_) => 0,
    }
}

/// Checks the file of `KMP_CPUINFO_FILE`, without which libomp ends the process.
fn check_processor_file(variable: Option<&OsStr>) -> Result<(), String> {
    let Some(path) = variable.filter(|path| !path.is_empty()) else { return Ok(()) };
    std::fs::File::open(path).map(drop).map_err(|error| {
        let path = path.to_string_lossy();
        format!(
            "the environment variable KMP_CPUINFO_FILE requires a file, but '{path}' cannot be read: {}",
            os_message(&error)
        )
    })
}

/// Checks `OMP_NUM_THREADS`. Its value has no effect, because the number of threads is set before each call, but libomp
/// ends the process or hangs if it is not a list of supported numbers.
fn check_threads(variable: Option<&OsStr>) -> Result<(), String> {
    let Some(text) = variable.map(|text| text.to_string_lossy()) else { return Ok(()) };
    let fits = |number: &str| number.trim().parse().is_ok_and(|number: usize| (1..=MAX_THREADS).contains(&number));
    if text.split(',').all(fits) {
        return Ok(());
    }
    let required = format!("numbers from 1 to {MAX_THREADS}, separated by commas");
    Err(format!("the environment variable OMP_NUM_THREADS requires {required}, but is '{text}'"))
}

/// Starts the library, beside others of LLVM or Intel in this process: they register themselves, and the second one would
/// end the process, because two libraries that a program means to be one are an error. This one is only used by compiled
/// code, and has its own threads, so it takes no notice of others, and others find no trace of it.
fn start(library: &Library) {
    const ALLOWED: &str = "KMP_DUPLICATE_LIB_OK";
    let is_first = !registration().exists();
    let given = std::env::var_os(ALLOWED);
    // SAFETY: the variable is that of OpenMP libraries, and as with `os.environ` of Python, nothing else in this process
    // may be changing the environment; the function has this signature in the OpenMP standard.
    unsafe {
        std::env::set_var(ALLOWED, "TRUE");
        if let Ok(first) = library.get::<unsafe extern "C" fn() -> c_int>(b"omp_get_max_threads\0") {
            first();
        }
        match given {
            Some(given) => std::env::set_var(ALLOWED, given),
            None => std::env::remove_var(ALLOWED),
        }
    }
    if is_first {
        let _ = std::fs::remove_file(registration());
    }
}

/// The shared-memory file with which an OpenMP library registers itself.
fn registration() -> PathBuf {
    // SAFETY: the call has no requirements.
    let user = unsafe { libc::getuid() };
    PathBuf::from(format!("/dev/shm/__KMP_REGISTERED_LIB_{}_{user}", std::process::id()))
}

/// Removes the registration if it is empty: a process with this ID has ended between creating and filling it. libomp
/// would end this process by a bus error.
fn forget_registration() {
    let path = registration();
    if std::fs::metadata(&path).is_ok_and(|file| file.len() == 0) {
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_processors_must_exist() {
        assert_eq!(check_processor_file(None), Ok(()));
        assert_eq!(check_processor_file(Some(OsStr::new("/proc/cpuinfo"))), Ok(()));
        let error = "the environment variable KMP_CPUINFO_FILE requires a file, but '/none' cannot be read: no such file or directory";
        assert_eq!(check_processor_file(Some(OsStr::new("/none"))), Err(error.to_owned()));
    }

    #[test]
    fn offsets_of_stacks_have_units() {
        let offset = |text| stack_offset(Some(OsStr::new(text)));
        assert_eq!((stack_offset(None), offset(""), offset("-1"), offset("many")), (0, 0, 0, 0));
        assert_eq!((offset("64"), offset(" 2 KB"), offset("3m"), offset("1B")), (64, 2048, 3 << 20, 1));
        assert_eq!(offset("99999999999999999999"), usize::MAX);
    }

    #[test]
    fn what_libomp_does_not_survive_is_an_error() {
        for text in ["1", "1024", "4,2", " 4 , 2 "] {
            assert_eq!(check_threads(Some(OsStr::new(text))), Ok(()), "{text}");
        }
        assert_eq!(check_threads(None), Ok(()));
        for text in ["", "abc", "0", "-1", "1025", "99999999999999999999", "4,", "4;2"] {
            let error = format!(
                "the environment variable OMP_NUM_THREADS requires numbers from 1 to 1024, separated by commas, but is '{text}'"
            );
            assert_eq!(check_threads(Some(OsStr::new(text))), Err(error));
        }
    }
}
