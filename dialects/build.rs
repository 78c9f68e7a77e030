//! Runs mlir-tblgen on the .td files and compiles the C++ part of the dialect.
use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// The folders that contain C++.
const FAMILIES: [&str; 4] = ["hom", "view", "lowlevel", "capi"];

fn main() {
    let prefix = PathBuf::from(env::var("MLIR_SYS_220_PREFIX").expect("MLIR_SYS_220_PREFIX (see .cargo/config.toml)"));
    let llvm_include = prefix.join("include");
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap());
    let include = root.clone();
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    let generated = out.join("include");
    std::fs::create_dir_all(generated.join("mdh")).unwrap();

    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=Mdh.td");
    for source in
        ["MdhDialect.h", "MdhDialect.td", "MdhDialect.cpp", "Verify.h", "Verify.cpp"].into_iter().chain(FAMILIES)
    {
        println!("cargo:rerun-if-changed={source}");
    }

    let tblgen = |source: &str, output: &str, arguments: &[&str]| {
        let status = Command::new(prefix.join("bin/mlir-tblgen"))
            .args(arguments)
            .arg("-I")
            .arg(&llvm_include)
            .arg("-I")
            .arg(&include)
            .arg(include.join(source))
            .arg("-o")
            .arg(generated.join(output))
            .status()
            .expect("run mlir-tblgen");
        assert!(status.success(), "mlir-tblgen {arguments:?} {source}");
    };
    let pair = |source: &str, stem: &str, kind: &str, extra: &[&str]| {
        for (suffix, file) in [("decls", "h"), ("defs", "cpp")] {
            let mut arguments = vec![format!("-gen-{kind}-{suffix}")];
            arguments.extend(extra.iter().map(|x| x.to_string()));
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            tblgen(source, &format!("mdh/{stem}.{file}.inc"), &arguments);
        }
    };
    pair("Mdh.td", "MdhDialect", "dialect", &["-dialect=mdh"]);
    pair("Mdh.td", "MdhEnums", "enum", &[]);
    pair("Mdh.td", "MdhAttrs", "attrdef", &["-attrdefs-dialect=mdh"]);
    pair("Mdh.td", "MdhTypes", "typedef", &["-typedefs-dialect=mdh"]);
    pair("Mdh.td", "MdhOps", "op", &[]);
    tblgen("Mdh.td", "MdhDialect.md", &["-gen-dialect-doc", "-dialect=mdh"]);

    cc::Build::new()
        // Compile with the compiler that built LLVM: type IDs of traits come from __PRETTY_FUNCTION__, which g++
        // formats differently.
        .compiler(prefix.join("bin/clang++"))
        .cpp(true)
        .debug(false)
        .warnings(false)
        .std("c++17")
        .flag_if_supported("-fno-exceptions")
        .flag_if_supported("-fvisibility=hidden")
        .flag_if_supported("-fvisibility-inlines-hidden")
        .flag_if_supported("-Wno-unused-parameter")
        .flag_if_supported("-Wno-deprecated-declarations")
        // LLVM itself was built with it: otherwise, `Pass::Statistic` has a different layout here than in libMLIR.so
        // (found by valgrind).
        .define("NDEBUG", None)
        .define("_GNU_SOURCE", None)
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_FORMAT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None)
        .include(&include)
        .include(&generated)
        .flag(format!("-isystem{}", llvm_include.display()))
        .file(root.join("MdhDialect.cpp"))
        .file(root.join("Verify.cpp"))
        .files(FAMILIES.iter().flat_map(|family| sources(&root.join(family))))
        .compile("mdh_dialect_cpp");

    link_c_api(&prefix.join("lib"), &out.join("link"));

    println!("cargo:include={}", include.display());
    println!("cargo:generated={}", generated.display());
    println!("cargo:doc={}", generated.join("MdhDialect.md").display());
}

fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|x| x == "cpp"))
        .collect();
    files.sort();
    files
}

/// In shared mode, mlir-sys links `-lMLIR-C`. Debian ships the C API only as static archives, so a linker script
/// replaces that library: the C API is linked statically into our binaries, and everything else stays in libMLIR.so.
fn link_c_api(libraries: &Path, directory: &Path) {
    if libraries.join("libMLIR-C.so").exists() {
        return;
    }
    let mut archives: Vec<String> = std::fs::read_dir(libraries)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter(|name| name.starts_with("libMLIRCAPI") && name.ends_with(".a"))
        .map(|name| libraries.join(name).display().to_string())
        .collect();
    archives.sort();
    std::fs::create_dir_all(directory).unwrap();
    let script = format!(
        "GROUP(\n  {}\n  AS_NEEDED({} {})\n)\n",
        archives.join("\n  "),
        libraries.join("libMLIR.so").display(),
        libraries.join("libLLVM.so").display()
    );
    std::fs::write(directory.join("libMLIR-C.so"), script).unwrap();
    println!("cargo:rustc-link-search=native={}", directory.display());
}
