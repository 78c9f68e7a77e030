//! Runs `make install`, and builds an external C++ project against the result: `find_package(MDH)`, C API, passes,
//! plugin.
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tools folder has a parent").to_owned()
}

fn llvm() -> PathBuf {
    env::var_os("MLIR_SYS_220_PREFIX").unwrap_or("/usr/lib/llvm-22".into()).into()
}

/// Creates an empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("the test's folder can be removed");
    }
    fs::create_dir_all(&folder).expect("the test's folder can be made");
    folder
}

/// Runs a command that must succeed. Returns its standard output.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error} (make setup installs it)"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}\n{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// Installs what the tests' profile has built.
fn install(prefix: &Path) {
    let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
    run(Command::new(root().join("scripts/release/install.sh")).arg(prefix).arg(profile));
}

fn configure(source: &Path, build: &Path, prefix: &Path, compiler: &str) -> Command {
    let mut command = Command::new("cmake");
    command
        .args(["-G", "Ninja", "-S"])
        .arg(source)
        .arg("-B")
        .arg(build)
        .arg(format!("-DCMAKE_CXX_COMPILER={compiler}"))
        .arg(format!("-DCMAKE_PREFIX_PATH={};{}", prefix.display(), llvm().display()));
    command
}

#[test]
fn an_installed_tree_serves_a_project_out_of_tree() {
    let folder = folder("cmake");
    let (prefix, build) = (folder.join("installed"), folder.join("build"));
    install(&prefix);
    for file in [
        "bin/mdh",
        "bin/mdh-lsp-server",
        "bin/mdh-reduce",
        "bin/mdh-translate",
        "lib/libmdh.a",
        "include/mdh/capi/Mdh.h",
        "include/mdh/hom/HomOps.td",
        "share/bash-completion/completions/mdh",
        "share/doc/mdh/LICENSE",
    ] {
        assert!(prefix.join(file).exists(), "make install has not installed {file}");
    }

    let source = root().join("test/cmake");
    let clang = llvm().join("bin/clang++").to_string_lossy().into_owned();
    run(&mut configure(&source, &build, &prefix, &clang));
    run(Command::new("cmake").arg("--build").arg(&build));

    let program = root().join("docs/matvec.mlir");
    let lowered = |tool: &Path| run(Command::new(tool).arg("--lower-mdh").arg(&program));
    let expected = lowered(&prefix.join("bin/mdh-opt"));
    assert!(expected.contains("llvm.func @matvec"), "{expected}");
    assert_eq!(lowered(&build.join("out-of-tree-opt")), expected);

    let plugin = prefix.join("lib/libmdh_plugin.so");
    let stock = run(Command::new(llvm().join("bin/mlir-opt"))
        .arg(format!("--load-dialect-plugin={}", plugin.display()))
        .arg(format!("--load-pass-plugin={}", plugin.display()))
        .arg("--pass-pipeline=builtin.module(lower-mdh)")
        .arg(&program));
    assert_eq!(stock, expected);

    functions(&prefix, &folder.join("functions"));
    versions(&prefix, &folder.join("versions"));

    // Compilers other than LLVM's clang++ are rejected, with the reason.
    if Command::new("g++").arg("--version").output().is_ok() {
        let output = configure(&source, &folder.join("build-g++"), &prefix, "g++").output().expect("cmake runs");
        let text = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!output.status.success() && text.contains("mdh needs clang++ as the C++ compiler"), "{text}");
    }
}

/// A project in C calls functions of programs that `mdh_add_library` compiles, again when a program has changed.
fn functions(prefix: &Path, folder: &Path) {
    fs::create_dir_all(folder).expect("the test's folder is writable");
    for name in ["CMakeLists.txt", "main.c", "scale.mlir"] {
        fs::copy(root().join("test/cmake/functions").join(name), folder.join(name)).expect("a file can be copied");
    }
    let build = folder.join("build");
    let configure = || {
        let mut command = Command::new("cmake");
        command.args(["-G", "Ninja", "-S"]).arg(folder).arg("-B").arg(&build);
        command
            .arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()))
            .arg(format!("-DREPOSITORY={}", root().display()));
        command
    };
    run(&mut configure());
    let output = || {
        run(Command::new("cmake").arg("--build").arg(&build));
        run(&mut Command::new(build.join("functions")))
    };
    assert_eq!(output(), "8192 4096\n");
    let program = folder.join("scale.mlir");
    let text = fs::read_to_string(&program).expect("the file can be read");
    fs::write(&program, text.replace("2.0", "3.0")).expect("the test's folder is writable");
    assert_eq!(output(), "12288 4096\n");

    for (added, problem) in [
        ("mdh_add_library(more missing.mlir)", "mdh_add_library(more): the program does not exist:"),
        ("mdh_add_library(more scale.mlir CPUS native)", "mdh_add_library(more): unknown arguments: CPUS;native"),
        ("mdh_add_library(more scale.mlir CPU)", "mdh_add_library(more): required values are missing: CPU"),
        ("find_package(MDH REQUIRED COMPONENTS Other)", "mdh has the components Compiler and Dialect, but not Other"),
    ] {
        let lists = fs::read_to_string(root().join("test/cmake/functions/CMakeLists.txt")).expect("a file of the test");
        fs::write(folder.join("CMakeLists.txt"), format!("{lists}{added}\n")).expect("the test's folder is writable");
        let output = configure().output().expect("cmake runs");
        let text = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!output.status.success() && text.contains(problem), "{text}");
    }
}

/// Semantic versioning: before 1.0.0, the minor version must match.
fn versions(prefix: &Path, folder: &Path) {
    let version = env!("CARGO_PKG_VERSION");
    let numbers: Vec<u64> = version.split('.').map(|number| number.parse().expect("a number")).collect();
    let [major, minor, patch] = numbers[..] else { panic!("{version} is no version of three numbers") };
    let asked = [
        (String::new(), true),
        (format!("{major}"), true),
        (format!("{major}.{minor}"), true),
        (format!("{version} EXACT"), true),
        (format!("0.0...{}.0", major + 1), true),
        (format!("0.0...<{version}"), false),
        (format!("{major}.{minor}.{}", patch + 1), false),
        (format!("{major}.{}", minor + 1), false),
        (format!("{}", major + 1), false),
    ];
    // A package whose version does not match is rejected before LLVM and a compiler are looked up.
    let package = folder.join("package");
    fs::create_dir_all(&package).expect("the test's folder is writable");
    let installed = prefix.join("lib/cmake/mdh/MDHConfigVersion.cmake");
    fs::copy(&installed, package.join("MDHConfigVersion.cmake")).expect("the installed file can be read");
    fs::write(package.join("MDHConfig.cmake"), "").expect("the test's folder is writable");
    let searches: String = asked
        .iter()
        .map(|(asked, _)| {
            format!("find_package(MDH {asked} CONFIG QUIET PATHS {} NO_DEFAULT_PATH)\nmessage(STATUS \"found=${{MDH_FOUND}}\")\nunset(MDH_DIR CACHE)\n", package.display())
        })
        .collect();
    let text = format!("cmake_minimum_required(VERSION 3.20)\nproject(versions NONE)\n{searches}");
    fs::write(folder.join("CMakeLists.txt"), text).expect("the test's folder is writable");
    let output = run(Command::new("cmake").arg("-S").arg(folder).arg("-B").arg(folder.join("build")));
    let found: Vec<_> =
        output.lines().filter_map(|line| line.split_once("found=")).map(|(_, found)| found == "1").collect();
    assert_eq!(found, asked.iter().map(|(_, serves)| *serves).collect::<Vec<_>>(), "{asked:?}\n{output}");
}
