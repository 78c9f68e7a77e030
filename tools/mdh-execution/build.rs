//! Compiles the calls that compiled code can leave (`jit/guard.c`).
use std::{env, path::PathBuf};

fn main() {
    let prefix = PathBuf::from(env::var("LLVM_SYS_221_PREFIX").expect("LLVM_SYS_221_PREFIX (see .cargo/config.toml)"));
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=jit/guard.c");
    cc::Build::new()
        .compiler(prefix.join("bin/clang"))
        .std("gnu11")
        .file("jit/guard.c")
        .warnings_into_errors(true)
        .compile("mdh_guard");
}
