//! The environment in which OpenCL drivers are found. Tests of several packages share it.
use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// The output folder of the build.
pub fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the folder of the build").to_owned()
}

/// Variables that make OpenCL find the run-time that `scripts/setup/opencl.sh` installs, unless the user has set the vendors'
/// folder.
pub fn environment() -> Vec<(&'static str, OsString)> {
    let folder = target().join("gpu");
    if env::var_os("OCL_ICD_VENDORS").is_some() || !folder.join("vendors").exists() {
        return vec![];
    }
    let libraries = folder.join("lib");
    let loader = libraries.join("libOpenCL.so.1");
    // The loader of that run-time links libraries in the same folder.
    let path = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    // An empty entry would mean the current folder.
    let others = env::split_paths(&path).filter(|path| !path.as_os_str().is_empty());
    let path = env::join_paths([libraries].into_iter().chain(others)).expect("folders without colons");
    vec![
        ("OCL_ICD_VENDORS", folder.join("vendors").into()),
        ("MDH_OPENCL_LIBRARY", loader.into()),
        ("LD_LIBRARY_PATH", path),
    ]
}
