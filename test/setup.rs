//! The messages of `make setup` on machines that it cannot set up. Nothing is installed: the tests' PATH has no
//! apt-get.
use std::{
    env, fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
};

/// A fake machine: a folder of commands, which is all of PATH.
struct Machine {
    folder: PathBuf,
}

impl Machine {
    /// A machine with the commands that the script itself uses, but none of the project's dependencies.
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("setup").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("bin")).expect("the test's folder can be made");
        for tool in ["cut", "dirname", "grep", "head", "rm", "sed", "sort"] {
            let inherited = env::var_os("PATH").unwrap_or_default();
            let file = env::split_paths(&inherited).map(|folder| folder.join(tool)).find(|file| file.exists());
            symlink(file.expect("a command of every machine"), folder.join(tool))
                .expect("the test's folder is writable");
        }
        Self { folder }
    }

    /// Adds a command that prints a line.
    fn with(self, command: &str, line: &str) -> Self {
        let file = self.folder.join(command);
        fs::write(&file, format!("#!/bin/sh\necho '{line}'\n")).expect("the test's folder is writable");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("the test's folder is writable");
        self
    }

    /// Sets the distribution in `/etc/os-release`.
    fn release(self, id: &str, version: &str) -> Self {
        fs::write(self.folder.join("os-release"), format!("ID={id}\nVERSION_ID=\"{version}\"\n"))
            .expect("the test's folder is writable");
        self
    }

    /// The last line of the script's output. The script must fail.
    fn error(&self, llvm: Option<&Path>) -> String {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a parent").join("scripts/setup/setup.sh");
        let mut command = Command::new("/bin/sh");
        command.arg(script).env("PATH", &self.folder).env("OS_RELEASE", self.folder.join("os-release"));
        match llvm {
            Some(llvm) => command.env("MLIR_SYS_220_PREFIX", llvm),
            None => command.env_remove("MLIR_SYS_220_PREFIX"),
        };
        let output = command.output().expect("a shell runs");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{text}");
        text.lines().last().unwrap_or_default().to_owned()
    }

    /// A machine with all dependencies except LLVM, and with some version of Rust.
    fn complete(name: &str, rust: &str) -> Self {
        let line = format!("rustc {rust}");
        let commands = ["cc", "cmake", "ninja", "python3", "cargo"];
        commands.into_iter().fold(Self::new(name), |machine, command| machine.with(command, "")).with("rustc", &line)
    }
}

#[test]
fn not_root() {
    let machine = Machine::new("not-root").with("id", "1000").with("apt-get", "").release("debian", "12");
    let error = machine.error(None);
    assert!(error.starts_with("setup: error: not root, so these packages cannot be installed: "), "{error}");
    assert!(
        error.contains(
            "cmake ninja-build python3 python3-venv cargo-web rustc-web rustfmt-web (as root: apt-get install "
        ),
        "{error}"
    );
}

#[test]
fn not_debian() {
    let error = Machine::new("not-debian").with("id", "0").release("fedora", "44").error(None);
    assert!(error.starts_with("setup: error: no apt-get here, so these packages cannot be installed: "), "{error}");
    let hint = "(the project is set up on debian 12, and on ubuntu with LLVM's own packages; or LLVM_PREFIX=DIR names an LLVM 22 with MLIR, \
                and rustup installs Rust 1.88 or newer)";
    assert!(error.ends_with(hint), "{error}");
}

/// Packages that Ubuntu's own sources lack are reported before anything is installed.
#[test]
fn ubuntu() {
    let commands = [("id", "0"), ("apt-get", ""), ("apt-cache", "  Candidate: (none)"), ("mktemp", "")];
    let machine = Machine::new("ubuntu").release("ubuntu", "24.04");
    let machine = commands.into_iter().fold(machine, |machine, (command, line)| machine.with(command, line));
    let script = "#!/bin/sh\necho \"$@\" >>\"$(dirname \"$0\")/asked\"\n";
    fs::write(machine.folder.join("apt-get"), script).expect("the test's folder is writable");
    fs::write(machine.folder.join("mktemp"), format!("#!/bin/sh\necho '{}'\n", machine.folder.join("log").display()))
        .expect("the test's folder is writable");
    let error = machine.error(None);
    let start = "setup: error: these packages are in no configured package source of ubuntu 24.04: ";
    assert!(
        error.starts_with(start) && error.contains("(on ubuntu, LLVM's own packages have LLVM and MLIR 22"),
        "{error}"
    );
    let asked = fs::read_to_string(machine.folder.join("asked")).expect("apt-get was asked");
    assert_eq!(asked, "update\n");
}

#[test]
fn no_llvm() {
    let machine = Machine::complete("no-llvm", "1.95.0");
    let expected = "setup: error: no LLVM 22 in /nowhere: /nowhere/bin/llvm-config is not there";
    assert_eq!(machine.error(Some(Path::new("/nowhere"))), expected);
}

#[test]
fn another_llvm() {
    let machine = Machine::complete("another-llvm", "1.95.0").with("bin/llvm-config", "19.1.7");
    let expected = format!("setup: error: needs LLVM 22, {} has 19.1.7", machine.folder.display());
    assert_eq!(machine.error(Some(&machine.folder)), expected);
}

#[test]
fn part_of_llvm() {
    let machine = Machine::complete("part-of-llvm", "1.95.0").with("bin/llvm-config", "22.1.8");
    let folder = machine.folder.display();
    let expected = format!("setup: error: the LLVM 22.1.8 in {folder} is not complete: bin/mlir-tblgen is not there");
    assert_eq!(machine.error(Some(&machine.folder)), expected);
}

#[test]
fn old_rust() {
    let llvm = env::var_os("MLIR_SYS_220_PREFIX").map(PathBuf::from);
    let error = Machine::complete("old-rust", "1.63.0").error(llvm.as_deref());
    assert_eq!(error, "setup: error: needs rustc 1.88 or newer, got 1.63.0");
}
