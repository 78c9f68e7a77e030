//! A project outside of the workspace uses the compiler as a crate, as docs/embedding.md describes.
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tools folder has a parent").to_owned()
}

#[test]
#[ignore = "builds the compiler for another project, which takes minutes (make test-all)"]
fn a_project_of_its_own_compiles_and_calls_a_function() {
    let source = root().join("test/embedding");
    // Outside of the repository, so that Cargo finds no configuration.
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let manifest = fs::read_to_string(source.join("Cargo.toml")).expect("the project has a manifest");
    let tools = env!("CARGO_MANIFEST_DIR");
    fs::write(folder.path().join("Cargo.toml"), manifest.replace("../../tools", tools)).expect("a file can be written");
    fs::copy(source.join("main.rs"), folder.path().join("main.rs")).expect("a file can be copied");
    fs::copy(root().join("Cargo.lock"), folder.path().join("Cargo.lock")).expect("a file can be copied");
    let mut command = Command::new(env!("CARGO"));
    command.arg("--config").arg(root().join(".cargo/config.toml")).args(["run", "--offline", "--quiet"]);
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    // Share the target folder, so that nothing is rebuilt.
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the folder is in the target folder");
    command.arg("--").arg(root().join("docs/matvec.mlir")).current_dir(&folder).env("CARGO_TARGET_DIR", built);
    // The workspace's tests run with these variables, which locate LLVM. The project must get them from the
    // configuration passed by `--config`. A user who builds with another LLVM sets them together with `RUSTFLAGS`.
    if env::var_os("RUSTFLAGS").is_none() {
        for name in ["MLIR_SYS_220_PREFIX", "LLVM_SYS_221_PREFIX", "TABLEGEN_220_PREFIX", "MLIR_SYS_LINK_SHARED"] {
            command.env_remove(name);
        }
    }
    let output = command.output().expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let expected = "1046528\n1046528\nargument 1 of 'matvec': requires tensor<512x4096xf32>, but has shape [4096]\n";
    assert_eq!(text, expected);
}
