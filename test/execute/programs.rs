//! The examples: their functions and inputs, and how to run one and compare its results with NumPy's.
use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use serde::Deserialize;

use crate::{arrays, device};

/// Time limit of a program, after which it counts as hung.
const PATIENCE: Duration = Duration::from_secs(300);

/// An example, as `generate.py --list` describes it.
#[derive(Deserialize)]
pub struct Example {
    /// The file name, without its extension.
    pub name: String,
    /// The functions. The one with dynamic extents, if any, has the name of the example.
    pub functions: Vec<Function>,
    /// The names of its results.
    pub outputs: Vec<String>,
}

/// A function of an example.
#[derive(Deserialize)]
pub struct Function {
    /// The symbol.
    pub name: String,
    /// The names of its inputs.
    pub inputs: Vec<String>,
}

impl Example {
    /// A function of the example.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// The path of the file.
    pub fn path(&self) -> PathBuf {
        root().join("examples").join(&self.name).with_extension("mlir")
    }
}

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the repository")
}

/// Creates an empty folder for the files of one test.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("execute").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder is writable");
    folder
}

/// `PATH` with our tools and LLVM's first.
pub fn search_path() -> OsString {
    let tools = Path::new(env!("CARGO_BIN_EXE_mdh")).parent().expect("a program is in a folder").to_owned();
    let inherited = env::var_os("PATH").unwrap_or_default();
    env::join_paths([tools].into_iter().chain(env::split_paths(&inherited)))
        .expect("no folder of PATH has a colon in its name")
}

/// Runs a command, and kills it after the time limit.
pub fn run(command: &mut Command) -> Result<Output, String> {
    // Waiting threads sleep instead of spinning, because several tests share the cores.
    command.env("OMP_WAIT_POLICY", "passive").env("PATH", search_path());
    let shown = format!("{command:?}");
    let fail = |what: String| format!("{shown}\n{what}");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| fail(error.to_string()))?;
    let id = child.id();
    let started = Instant::now();
    let waiting = thread::spawn(move || {
        // Read on another thread, so that a child with much output does not block on a full pipe.
        let read = |pipe: Option<&mut dyn std::io::Read>| {
            let mut bytes = vec![];
            if let Some(pipe) = pipe {
                let _ = pipe.read_to_end(&mut bytes);
            }
            bytes
        };
        let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
        let errors = thread::spawn(move || read(stderr.as_mut().map(|pipe| pipe as &mut dyn std::io::Read)));
        let stdout = read(stdout.as_mut().map(|pipe| pipe as &mut dyn std::io::Read));
        let status = child.wait();
        status.map(|status| Output { status, stdout, stderr: errors.join().unwrap_or_default() })
    });
    while !waiting.is_finished() {
        if started.elapsed() > PATIENCE {
            let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
            return Err(fail(format!("hangs: ended after {} s", PATIENCE.as_secs())));
        }
        thread::sleep(Duration::from_millis(5));
    }
    let output =
        waiting.join().map_err(|_| fail("could not be read".into()))?.map_err(|error| fail(error.to_string()))?;
    if output.status.success() {
        return Ok(output);
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Err(fail(format!("{}\n{}{}", output.status, text(&output.stdout), text(&output.stderr))))
}

/// All examples.
pub fn examples() -> &'static [Example] {
    static EXAMPLES: OnceLock<Vec<Example>> = OnceLock::new();
    EXAMPLES.get_or_init(|| {
        let mut command = Command::new("python3");
        let output = run(command.arg(root().join("examples/generate.py")).arg("--list"))
            .unwrap_or_else(|error| panic!("{error}"));
        serde_json::from_slice(&output.stdout).expect("generate.py --list prints JSON")
    })
}

/// The example with this name.
pub fn example(name: &str) -> &'static Example {
    examples()
        .iter()
        .find(|example| example.name == name)
        .unwrap_or_else(|| panic!("generate.py has no example {name}"))
}

/// The folder with the small inputs of all examples.
fn inputs() -> &'static Path {
    static INPUTS: OnceLock<PathBuf> = OnceLock::new();
    INPUTS.get_or_init(|| {
        let folder = folder("inputs");
        let mut command = Command::new("python3");
        command.arg(root().join("examples/generate.py")).args(["--all", "--output"]).arg(&folder);
        run(&mut command).unwrap_or_else(|error| panic!("{error}"));
        folder
    })
}

/// The file of an input of an example.
pub fn input(example: &Example, name: &str) -> PathBuf {
    inputs().join(&example.name).join(name).with_extension("npy")
}

/// The file of a result of an example that NumPy computed.
pub fn expected(example: &Example, output: &str) -> PathBuf {
    root().join("test/execute/expected").join(format!("{}.{output}.npy", example.name))
}

/// Compares the results of an example in a folder with NumPy's.
pub fn compare_outputs(example: &Example, folder: &Path) -> Result<(), String> {
    for output in &example.outputs {
        let actual = arrays::read(&folder.join(output).with_extension("npy"))?;
        arrays::compare(&actual, &arrays::read(&expected(example, output))?)
            .map_err(|difference| format!("{output} {difference}"))?;
    }
    Ok(())
}

/// Runs a function of an example on input files, with further options of `mdh run`. Writes its results to a folder.
pub fn execute(
    example: &Example,
    function: &Function,
    inputs: &[PathBuf],
    folder: &Path,
    options: &[&str],
) -> Result<(), String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mdh"));
    command.arg("run").arg(example.path()).args(["--function", &function.name]);
    for input in inputs {
        command.arg("--input").arg(input);
    }
    for output in &example.outputs {
        command.arg("--output").arg(folder.join(output).with_extension("npy"));
    }
    if options.contains(&"opencl") || options.contains(&"cuda") {
        command.envs(device::environment());
    }
    run(command.args(options)).map(drop)
}

/// Runs a function of an example on its small inputs. Compares its results with NumPy's, and with the reference
/// evaluator's within rounding tolerance (`--check`).
pub fn check(example: &Example, function: &Function, options: &[&str], label: &str) -> Result<(), String> {
    let folder = folder(&format!("{}-{label}", function.name));
    let inputs: Vec<_> = function.inputs.iter().map(|name| input(example, name)).collect();
    let is_judged = options.iter().any(|option| ["reference", "--check"].contains(option));
    let judged = [options, if is_judged { &[][..] } else { &["--check"] }].concat();
    execute(example, function, &inputs, &folder, &judged)?;
    compare_outputs(example, &folder).map_err(|difference| {
        format!("{} of {} with {options:?}\n{difference}", function.name, example.path().display())
    })?;
    let _ = fs::remove_dir_all(&folder);
    Ok(())
}
