//! ICD loaders of OpenCL that differ from the real one in some functions.
use std::{path::Path, process::Command};

use crate::device;

/// Builds a loader from a file of C in this folder.
pub fn build(source: &str, library: &Path) {
    let environment = device::environment();
    let given = environment.iter().find(|(name, _)| *name == "MDH_OPENCL_LIBRARY").map(|(_, path)| path.clone());
    let real = given.or_else(|| std::env::var_os("MDH_OPENCL_LIBRARY")).unwrap_or("libOpenCL.so.1".into());
    let mut compiler = Command::new("cc");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../test").join(source);
    compiler.args(["-shared", "-fPIC", "-o"]).arg(library).arg(source);
    // The loader may lack what it needs where this is linked: it is looked for when the program runs.
    compiler.args(["-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"]);
    compiler.arg(if Path::new(&real).is_absolute() { real } else { "-l:libOpenCL.so.1".into() });
    assert!(compiler.status().expect("cc can be run").success());
}
