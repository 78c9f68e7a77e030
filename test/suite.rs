//! The tests that compare text: the lit folders of `test/` with FileCheck, command lines with their output, and the
//! commands in the documents.
//!
//! A folder with `.mlir` tests has a `.toml` beside it. To run one folder: `cargo test --test suite -- lit
//! trycmd=dialects`. To run one file: `lit test/dialects/hom/ops.mlir`, which uses the tools in `target/debug`.
//! `TRYCMD=overwrite` accepts changed output of commands.
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use trycmd::{TestCases, schema::Bin};

/// The root of the repository. It also becomes the working directory, from which documents give their commands.
fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the repository").to_owned();
    env::set_current_dir(&root).expect("the repository can be entered");
    root
}

/// The folder of our tools.
fn tools() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_mdh-opt")).parent().expect("a program is in a folder").to_owned()
}

/// The installation prefix of LLVM.
fn llvm() -> PathBuf {
    env::var_os("MLIR_SYS_220_PREFIX").unwrap_or("/usr/lib/llvm-22".into()).into()
}

/// Test cases that find our tools, LLVM's, and Python.
fn cases() -> TestCases {
    root();
    let tools = tools();
    let llvm = llvm().join("bin");
    let inherited = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([tools.clone(), llvm.clone()].into_iter().chain(env::split_paths(&inherited)))
        .expect("no folder of PATH has a colon in its name");
    let python = env::split_paths(&inherited).map(|folder| folder.join("python3")).find(|file| file.exists());
    let cases = TestCases::new();
    cases
        .env("PATH", path.to_string_lossy())
        // Tuned schedules of a developer would replace default ones.
        .env("MDH_DATABASE", "")
        .env("MDH_TOOLS", tools.to_string_lossy())
        .env("MDH_LLVM", llvm.to_string_lossy())
        .env("MDH_TEST_OUTPUT", concat!(env!("CARGO_TARGET_TMPDIR"), "/lit"))
        .register_bin("mdh", Path::new(env!("CARGO_BIN_EXE_mdh")))
        .register_bin("mdh-opt", Path::new(env!("CARGO_BIN_EXE_mdh-opt")))
        .register_bins(["lit", "FileCheck", "llvm-nm", "mlir-opt"].map(|name| (name, Bin::Path(llvm.join(name)))))
        .register_bin("python3", python.map_or(Bin::Ignore, Bin::Path));
    cases
}

#[test]
fn lit() {
    cases().timeout(Duration::from_secs(900)).case("test/*.toml").run();
}

#[test]
fn commands() {
    cases().timeout(Duration::from_secs(120)).case("test/**/*.trycmd").run();
}

/// Runs the `console` blocks of the documents, except commands that set up a machine or a build.
#[test]
fn documents() {
    let cases = cases();
    cases.register_bins(["apt-get", "cargo", "cd", "cmake", "git", "make", "sudo"].map(|name| (name, Bin::Ignore)));
    cases.timeout(Duration::from_secs(120)).case("README.md").case("docs/*.md").run();
}

#[test]
fn generated_pages_are_fresh() {
    let (committed, fresh) = (root().join("docs/generated"), Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated"));
    if fresh.exists() {
        fs::remove_dir_all(&fresh).expect("the test's folder can be removed");
    }
    let output = Command::new("python3")
        .args([root().join("scripts/docs/pages.py"), tools(), llvm(), fresh.clone()])
        .output()
        .expect("python3 can be run (make setup installs it)");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let pages = |folder: &Path| -> BTreeMap<String, String> {
        let files = folder.read_dir().unwrap_or_else(|error| panic!("{}: {error}", folder.display())).flatten();
        let page = |path: PathBuf| fs::read_to_string(path).expect("a page is text");
        files.map(|file| (file.file_name().to_string_lossy().into_owned(), page(file.path()))).collect()
    };
    let (committed, fresh) = (pages(&committed), pages(&fresh));
    let stale: BTreeSet<&String> =
        committed.keys().chain(fresh.keys()).filter(|name| committed.get(*name) != fresh.get(*name)).collect();
    assert!(stale.is_empty(), "stale pages in docs/generated: {stale:?} (make docs writes them anew)");
}

#[test]
fn every_example_is_listed() {
    let listed = fs::read_to_string(root().join("docs/examples.md")).expect("docs/examples.md is text");
    let files = root().join("examples").read_dir().expect("the folder of examples can be read").flatten();
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    let missing: Vec<String> =
        names.filter(|name| name.ends_with(".mlir") && !listed.contains(&format!("](../examples/{name})"))).collect();
    assert!(missing.is_empty(), "docs/examples.md lists no {missing:?} in its table");
}

#[test]
fn every_folder_of_programs_has_a_case() {
    let holds_programs = |folder: &Path| {
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in folder.read_dir().expect("a folder can be read").flatten() {
                let path = entry.path();
                let is_input = path.extension().is_some_and(|extension| extension == "in");
                // Programs among the input files of commands, and of projects of CMake, are not tests by themselves.
                if (is_input && path.with_extension("trycmd").exists()) || path.join("CMakeLists.txt").exists() {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "mlir") {
                    return true;
                }
            }
        }
        false
    };
    let test = root().join("test");
    let folders = test.read_dir().expect("the folder of tests can be read").flatten().map(|entry| entry.path());
    let forgotten: Vec<PathBuf> = folders
        .filter(|folder| folder.is_dir() && folder.file_name().is_some_and(|name| name != "Output"))
        .filter(|folder| holds_programs(folder) && !folder.with_extension("toml").exists())
        .collect();
    assert!(forgotten.is_empty(), "these folders hold programs but have no .toml beside them: {forgotten:?}");
}
