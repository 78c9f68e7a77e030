//! Compiles the wrappers between callers and compiled code (`interface/call.c` and `interface/call_on_device.c`), and the
//! choice of a processor's level (`interface/level.c`), to LLVM IR, which is linked into modules; says where the
//! documentation of the dialect is, which the language server shows.
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

fn main() {
    let prefix = PathBuf::from(env::var("MLIR_SYS_220_PREFIX").expect("MLIR_SYS_220_PREFIX (see .cargo/config.toml)"));
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=interface");
    let documentation = env::var("DEP_MDH_DOC").expect("mdh-dialects names the documentation of the dialect");
    println!("cargo:rustc-env=MDH_DIALECT_DOCUMENTATION={documentation}");
    println!("cargo:rustc-env=MDH_LLVM_PREFIX={}", prefix.display());
    for name in ["call", "call_on_device"] {
        compile(&prefix, name, &[]);
    }
    compile(&prefix, "level", &["-target", "x86_64-unknown-linux-gnu"]);
}

/// Compiles a file to LLVM IR in `OUT_DIR`.
fn compile(prefix: &Path, name: &str, options: &[&str]) {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap()).join("interface");
    let output = Path::new(&env::var("OUT_DIR").unwrap()).join(format!("{name}.ll"));
    let status = Command::new(prefix.join("bin/clang"))
        // Unoptimized, because the target machine is not known here; the passes of each module optimize it.
        .args([
            "-std=gnu11",
            "-Os",
            "-Xclang",
            "-disable-llvm-passes",
            "-emit-llvm",
            "-S",
            "-fPIC",
            "-U_FORTIFY_SOURCE",
        ])
        .args(["-fno-strict-aliasing", "-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-Wall", "-Wextra"])
        .arg("-Werror")
        .args(options)
        .arg(folder.join(format!("{name}.c")))
        .arg("-o")
        .arg(&output)
        .status()
        .expect("run clang");
    assert!(status.success(), "clang interface/{name}.c");
    let text = fs::read_to_string(&output).unwrap();
    let kept: Vec<&str> =
        text.lines().filter(|line| !["target ", "source_filename"].iter().any(|key| line.starts_with(key))).collect();
    let mut text = kept.join("\n") + "\n";
    // Internal functions get names that functions of programs cannot have.
    let internal: Vec<String> = kept
        .iter()
        .filter(|line| line.starts_with("define internal "))
        .filter_map(|line| Some(line.split_once('@')?.1.split_once('(')?.0.to_owned()))
        .collect();
    for name in internal {
        text = text.replace(&format!("@{name}("), &format!("@mdh.{name}("));
    }
    fs::write(&output, text).unwrap();
}
