//! Where OpenCL's drivers are. Tests of several packages share it.
use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

/// Where the build puts things.
pub fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the folder of the build").to_owned()
}

/// Makes OpenCL find the run-time system that `scripts/opencl.sh` installs, unless the user says where one is.
pub fn environment() -> Vec<(&'static str, OsString)> {
    let folder = target().join("gpu");
    if env::var_os("OCL_ICD_VENDORS").is_some() || !folder.join("vendors").exists() {
        return vec![];
    }
    let libraries = folder.join("lib");
    let loader = libraries.join("libOpenCL.so.1");
    // The loader of that system itself links libraries beside it.
    let path = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    // An empty name would mean the current folder.
    let others = env::split_paths(&path).filter(|path| !path.as_os_str().is_empty());
    let path = env::join_paths([libraries].into_iter().chain(others)).expect("folders without colons");
    vec![
        ("OCL_ICD_VENDORS", folder.join("vendors").into()),
        ("MDH_OPENCL_LIBRARY", loader.into()),
        ("LD_LIBRARY_PATH", path),
    ]
}
