//! No program and no schedule crashes a tool. Mutations of the programs and schedules of this repository, with a fixed
//! seed, give a result or an error. `MDH_ROBUST_CASES` is the number of cases, `MDH_ROBUST_SEED` the first seed.
use mutation::{Random, mutate};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

mod mutation;

/// Time limit of a tool for one case. A typical case takes a tenth of a second.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The error after which MLIR's parser frees a block although operations outside of its region use its values, and then
/// writes to it (LLVM 22.1, also in the stock `mlir-opt`).
const USED_BLOCK: &str = "error: redefinition of block";

fn setting(name: &str, otherwise: u64) -> u64 {
    env::var(name).map_or(otherwise, |value| value.parse().unwrap_or_else(|_| panic!("{name} requires a number")))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the repository").to_owned()
}

/// The files with an extension in a folder, recursively, sorted by name.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = vec![];
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("a folder can be read").flatten() {
            let path = entry.path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(found_extension) if found_extension == extension => found.push(path),
                _ => (),
            }
        }
    }
    found.sort();
    found
}

/// The programs of each file. A test of errors has several.
fn programs() -> Vec<Vec<String>> {
    let folders = ["examples", "test/dialects", "test/passes"];
    let paths = folders.iter().flat_map(|folder| files(&root().join(folder), "mlir"));
    paths
        .map(|path| fs::read_to_string(path).expect("a program can be read"))
        .map(|text| text.split("// -----").map(str::to_owned).collect())
        .collect()
}

/// The program with only one function of an example, and the text before the first function.
fn only(example: &str, function: &str) -> String {
    let text = fs::read_to_string(root().join("examples").join(example)).expect("an example can be read");
    let mut parts = text.split("func.func @");
    let head = parts.next().unwrap_or_default().to_owned();
    let body = parts.find(|part| part.starts_with(&format!("{function}("))).expect("the example has the function");
    format!("{head}func.func @{body}")
}

/// Programs with a schedule: those of the examples, and the defaults.
fn scheduled() -> Vec<(String, String)> {
    let schedules = root().join("examples/schedules");
    let schedule = |name: &str| fs::read_to_string(schedules.join(name)).expect("a schedule can be read");
    let mut pairs = vec![
        (only("matvec.mlir", "matvec_512x4096"), schedule("matvec_figure17.json")),
        (only("matmul.mlir", "matmul_resnet50"), schedule("matmul_resnet50_tvm.json")),
    ];
    for name in ["matvec", "matmul", "scan", "prl", "jacobi2d", "mcc", "reduce_multiple", "mbbs"] {
        let path = root().join("examples").join(name).with_extension("mlir");
        for system in ["cpu", "cuda", "artificial"] {
            let arguments = ["--system", system, "--export", "-"];
            let output = Command::new(env!("CARGO_BIN_EXE_mdh")).arg("explain").arg(&path).args(arguments).output();
            let output = output.expect("the tool starts");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let text = fs::read_to_string(&path).expect("an example can be read");
            pairs.push((text, String::from_utf8_lossy(&output.stdout).into_owned()));
        }
    }
    pairs
}

/// The exit status of the tool, or `None` if it exceeded the time limit, and its error output.
fn run(command: &mut Command, errors: &Path) -> (Option<ExitStatus>, String) {
    let file = fs::File::create(errors).expect("a file can be written");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file).spawn().expect("the tool starts");
    let start = Instant::now();
    let status = loop {
        match child.try_wait().expect("the tool can be waited for") {
            Some(status) => break Some(status),
            None if start.elapsed() > TIME_LIMIT => {
                child.kill().expect("the tool can be stopped");
                child.wait().expect("the tool ends");
                break None;
            }
            None => thread::sleep(Duration::from_millis(2)),
        }
    };
    (status, String::from_utf8_lossy(&fs::read(errors).expect("the errors can be read")).into_owned())
}

/// The complaint about the exit of a tool, if any.
fn complaint(status: Option<ExitStatus>, errors: &str) -> Option<String> {
    let code = match status {
        None => return Some(format!("it does not end within {TIME_LIMIT:?}")),
        Some(status) => status.code(),
    };
    match code {
        None if errors.contains(USED_BLOCK) => None,
        None => Some("it dies of a signal".to_owned()),
        Some(code @ (70 | 101 | 134)) => Some(format!("it ends with {code}, an internal error")),
        Some(_) if errors.contains("panicked") || errors.contains("internal error") => Some("it panics".to_owned()),
        Some(code) if code != 0 && !errors.contains("error:") => Some(format!("it ends with {code} without an error")),
        Some(_) => None,
    }
}

/// Runs the cases of a kind, each with its own files, and fails with all complaints. Returns the number of cases that
/// the tools accept.
fn campaign(name: &str, count: u64, case: impl Fn(&mut Random, &Path) -> Command + Sync) -> u64 {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("robust").join(name);
    fs::create_dir_all(&folder).expect("a folder can be made");
    let first = setting("MDH_ROBUST_SEED", 1);
    let (next, accepted) = (AtomicU64::new(0), AtomicU64::new(0));
    let worker = || {
        let mut complaints = vec![];
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return complaints;
            }
            let stem = folder.join(format!("{}", first + number));
            let errors = stem.with_extension("txt");
            let mut command = case(&mut Random::new(first + number), &stem);
            let (status, text) = run(&mut command, &errors);
            accepted.fetch_add(u64::from(status.is_some_and(|status| status.success())), Ordering::Relaxed);
            match complaint(status, &text) {
                Some(complaint) => complaints.push(format!("{complaint}, see {}: {command:?}", errors.display())),
                None => {
                    for extension in ["mlir", "mlirbc", "json", "txt"] {
                        // Not every case has all of these files.
                        let _ = fs::remove_file(stem.with_extension(extension));
                    }
                }
            }
        }
    };
    let complaints: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker ends")).collect()
    });
    assert!(complaints.is_empty(), "{} of {count}:\n{}", complaints.len(), complaints.join("\n"));
    accepted.into_inner()
}

#[test]
fn mutated_programs_give_a_result_or_an_error() {
    let programs = programs();
    let count = setting("MDH_ROBUST_CASES", 500);
    let accepted = campaign("programs", count, |random, stem| {
        let (file, other) = (random.simple_from_data(&programs), random.simple_from_data(&programs));
        let (program, other) = (random.simple_from_data(file), random.simple_from_data(other));
        let text = mutate(program, other, random);
        let path = stem.with_extension("mlir");
        fs::write(&path, text).expect("a file can be written");
        match random.below(10) {
            0 => tool(env!("CARGO_BIN_EXE_mdh"), &["explain"], &path),
            1 => tool(env!("CARGO_BIN_EXE_mdh"), &["compile", "--emit", "llvm-ir", "--opt-level", "1"], &path),
            2 => tool(env!("CARGO_BIN_EXE_mdh-opt"), &["--mdh-check", "--canonicalize", "--cse"], &path),
            _ => tool(env!("CARGO_BIN_EXE_mdh-opt"), &["--lower-mdh"], &path),
        }
    });
    assert!(are_mixed(accepted, count), "{accepted} of {count} programs are accepted");
}

#[test]
fn mutated_schedules_give_a_result_or_an_error() {
    let pairs = scheduled();
    let count = setting("MDH_ROBUST_CASES", 500) / 2;
    let accepted = campaign("schedules", count, |random, stem| {
        let (program, schedule) = random.simple_from_data(&pairs);
        let (_, other) = random.simple_from_data(&pairs);
        let schedule = mutate(schedule, other, random);
        let (path, schedule_path) = (stem.with_extension("mlir"), stem.with_extension("json"));
        fs::write(&path, program).expect("a file can be written");
        fs::write(&schedule_path, schedule).expect("a file can be written");
        let option = format!("--lower-mdh=schedule={}", schedule_path.display());
        tool(env!("CARGO_BIN_EXE_mdh-opt"), &[&option], &path)
    });
    assert!(are_mixed(accepted, count), "{accepted} of {count} schedules are accepted");
}

/// Bytecode is only truncated, because MLIR's reader trusts the contents of a complete file.
#[test]
fn truncated_bytecode_gives_an_error() {
    let example = root().join("examples/matvec.mlir");
    let output = tool(env!("CARGO_BIN_EXE_mdh-opt"), &["--emit-bytecode"], &example).output().expect("the tool starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let accepted = campaign("bytecode", setting("MDH_ROBUST_CASES", 500) / 10, |random, stem| {
        let path = stem.with_extension("mlirbc");
        // An empty file is an empty module.
        let length = 1 + random.below(output.stdout.len() - 1);
        fs::write(&path, &output.stdout[..length]).expect("a file can be written");
        tool(env!("CARGO_BIN_EXE_mdh-opt"), &["--lower-mdh"], &path)
    });
    assert_eq!(accepted, 0, "truncated bytecode is accepted");
}

/// True if the tools accept some cases and reject others. Otherwise the mutations would test little.
fn are_mixed(accepted: u64, count: u64) -> bool {
    (count / 20..=count - count / 20).contains(&accepted)
}

fn tool(program: &str, arguments: &[&str], file: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).arg(file);
    command
}
