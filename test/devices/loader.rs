//! Links C programs with the ICD loader of OpenCL, and loaders that replace some of its functions.
use std::{ffi::OsString, path::Path, process::Command};

use crate::device;

/// Links a C file of this folder with the loader, with further compiler options.
pub fn link(source: &str, output: &Path, options: &[&str]) {
    let environment = device::environment();
    let given = environment.iter().find(|(name, _)| *name == "MDH_OPENCL_LIBRARY").map(|(_, path)| path.clone());
    let real: OsString = given.or_else(|| std::env::var_os("MDH_OPENCL_LIBRARY")).unwrap_or("libOpenCL.so.1".into());
    let mut compiler = Command::new("cc");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../test/devices").join(source);
    compiler.args(options).arg("-o").arg(output).arg(source);
    // Dependencies of the loader may be missing at link time. They are resolved at run time.
    compiler.args(["-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"]);
    compiler.arg(if Path::new(&real).is_absolute() { real } else { "-l:libOpenCL.so.1".into() });
    assert!(compiler.status().expect("cc can be run").success());
}
