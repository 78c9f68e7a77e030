//! The devices that tests run on, if available. Without a GPU, `test/ptx-driver` is the CUDA driver.
#[path = "../../tools/mdh-runtime/tests/support/environment.rs"]
mod environment;

use std::{
    env,
    ffi::OsString,
    fs,
    os::unix::fs::symlink,
    path::PathBuf,
    process::{self, Command},
    sync::OnceLock,
};

/// Environment variables of programs that use devices.
type Environment = Vec<(&'static str, OsString)>;

/// The environment variables with which programs find OpenCL and CUDA devices.
pub fn environment() -> Environment {
    static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
    let make = || {
        let mut environment = environment::environment();
        // A real GPU is preferred.
        if missing("cuda", &environment).is_some() {
            let folders =
                environment.iter().find(|(name, _)| *name == "LD_LIBRARY_PATH").map(|(_, value)| value.clone());
            let folders = folders.or_else(|| env::var_os("LD_LIBRARY_PATH")).unwrap_or_default();
            // An empty entry would mean the current folder.
            let others = env::split_paths(&folders).filter(|folder| !folder.as_os_str().is_empty());
            let folders = env::join_paths([driver()].into_iter().chain(others)).expect("folders without colons");
            environment.retain(|(name, _)| *name != "LD_LIBRARY_PATH");
            environment.push(("LD_LIBRARY_PATH", folders));
        }
        environment
    };
    ENVIRONMENT.get_or_init(make).clone()
}

/// The folder in which the software driver has the file name of NVIDIA's.
fn driver() -> PathBuf {
    let program = env::current_exe().expect("the test's program");
    let programs = program.parent().expect("a program is in a folder");
    let built = programs.join("libmdh_ptx_driver.so");
    assert!(built.is_file(), "{} is not built", built.display());
    let folder = programs.join("ptx-driver");
    let link = folder.join("libcuda.so.1");
    if fs::read_link(&link).ok().as_ref() != Some(&built) {
        // Renaming is atomic: other tests may use the link at the same time.
        let new = folder.join(process::id().to_string());
        let made =
            fs::create_dir_all(&folder).and_then(|()| symlink(&built, &new)).and_then(|()| fs::rename(&new, &link));
        made.expect("the target folder is writable");
    }
    folder
}

/// The reason why an engine has no device; `None` if it has one.
fn missing(engine: &str, environment: &Environment) -> Option<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mdh"));
    command.args(["devices", "--engine", engine]).envs(environment.iter().cloned());
    let output = command.output().expect("mdh runs");
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).trim().to_owned())
}

/// True if the engine, `cuda` or `opencl`, has a device. Otherwise prints a message, and the caller skips the test.
pub fn is_there(engine: &str) -> bool {
    static MISSING: [OnceLock<Option<String>>; 2] = [const { OnceLock::new() }; 2];
    let missing = MISSING[usize::from(engine == "cuda")].get_or_init(|| missing(engine, &environment()));
    missing.iter().for_each(|sentence| println!("unsupported: {sentence}"));
    missing.is_none()
}
