//! Programs in C that are linked with the ICD loader of OpenCL, and loaders that differ from it in some functions.
use std::{ffi::OsString, path::Path, process::Command};

use crate::device;

/// Links a file of C in this folder with the loader, with more options for the compiler.
pub fn link(source: &str, output: &Path, options: &[&str]) {
    let environment = device::environment();
    let given = environment.iter().find(|(name, _)| *name == "MDH_OPENCL_LIBRARY").map(|(_, path)| path.clone());
    let real: OsString = given.or_else(|| std::env::var_os("MDH_OPENCL_LIBRARY")).unwrap_or("libOpenCL.so.1".into());
    let mut compiler = Command::new("cc");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../test").join(source);
    compiler.args(options).arg("-o").arg(output).arg(source);
    // The loader may lack what it needs where this is linked: it is looked for when the program runs.
    compiler.args(["-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"]);
    compiler.arg(if Path::new(&real).is_absolute() { real } else { "-l:libOpenCL.so.1".into() });
    assert!(compiler.status().expect("cc can be run").success());
}
