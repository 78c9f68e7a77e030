//! The tests of the Python package: `scripts/setup/python.sh` makes an environment, in which the package consists of the Python
//! files and of the native module that Cargo has built.
#[path = "devices/device.rs"]
mod device;

use std::{
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package is in a folder of the repository")
}

/// The folder of the profile, in which Cargo builds.
fn built() -> PathBuf {
    let test = env::current_exe().expect("a test has a path");
    test.ancestors().nth(2).expect("tests are in the folder deps").to_owned()
}

/// The interpreter of the environment, which is made once.
fn python() -> &'static Path {
    static PYTHON: LazyLock<PathBuf> = LazyLock::new(|| {
        let status = Command::new(root().join("scripts/setup/python.sh")).status().expect("the script can be run");
        assert!(status.success(), "scripts/setup/python.sh: {status}");
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
        target.join("python/bin/python")
    });
    &PYTHON
}

/// A folder with the package as it is installed.
fn package() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let package = folder.path().join("mdh");
    fs::create_dir(&package).unwrap();
    for entry in fs::read_dir(root().join("tools/mdh-python/python/mdh")).unwrap() {
        let entry = entry.unwrap();
        symlink(entry.path(), package.join(entry.file_name())).unwrap();
    }
    for (library, module) in
        [("libmdh_python.so", "_native.abi3.so"), ("libmdh_python_compiler.so", "_compiler.abi3.so")]
    {
        symlink(built().join(library), package.join(module)).unwrap();
    }
    folder
}

fn run(arguments: &[&str]) {
    let folder = package();
    let output = Command::new(python())
        .args(["-X", "dev"])
        .args(arguments)
        .current_dir(root().join("tools/mdh-python"))
        .envs(device::environment())
        .env("PYTHONPATH", folder.path())
        .env("MDH_CACHE_DIR", folder.path().join("cache"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("Python can be run");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
}

#[test]
fn types_are_checked() {
    run(&["-m", "mypy", "--strict", "--cache-dir=/dev/null", "python/mdh"]);
}

#[test]
fn the_package_does_what_its_tests_say() {
    // Tests of kernels skip what is not there.
    for engine in ["cuda", "opencl"] {
        device::is_there(engine);
    }
    // The others require frameworks; `make frontends` runs them.
    run(&["-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider", "--ignore=tests/frameworks", "tests"]);
}
