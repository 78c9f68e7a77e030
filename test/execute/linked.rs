//! Examples linked into C programs: an object file and a header from `mdh compile`, and a C main function, linked by
//! clang.
use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    arrays::{self, Array},
    programs::{Example, Function, compare_outputs, expected, folder, input, root, run},
};

/// How to build and run a program.
#[derive(Default)]
pub struct Build<'a> {
    /// Options of `mdh compile`.
    pub compile: &'a [&'a str],
    /// Options of clang.
    pub link: &'a [&'a str],
    /// Environment variables of the program.
    pub environment: &'a [(&'a str, &'a str)],
    /// Number of bytes by which the buffer of the last input is too short.
    pub missing: usize,
    /// The emulator command, if the program is for another architecture. It is then linked without libomp.
    pub emulator: &'a [&'a str],
}

/// Runs a program after removing leftovers of earlier processes with the same PID. libomp registers itself in shared
/// memory by PID. If a process is killed while it does so, it leaves an empty file, and the next process with this PID
/// dies with SIGBUS.
const ALONE: &str = r#"rm -f "/dev/shm/__KMP_REGISTERED_LIB_$$_$(id -u)"; exec "$@""#;

/// The installation prefix of LLVM.
pub fn llvm() -> PathBuf {
    env::var_os("MLIR_SYS_220_PREFIX").unwrap_or("/usr/lib/llvm-22".into()).into()
}

/// The library that makes the synchronization of OpenMP's run-time library, which is not instrumented, known to
/// ThreadSanitizer.
pub fn archer() -> String {
    llvm().join("lib/libarcher.so").to_string_lossy().into_owned()
}

/// The environment variables of a program with a sanitizer.
pub fn environment(archer: &str) -> [(&str, &str); 3] {
    let ignore = ("TSAN_OPTIONS", "ignore_noninstrumented_modules=1");
    [("OMP_NUM_THREADS", "2"), ("OMP_TOOL_LIBRARIES", archer), ignore]
}

/// The C function that makes an array, its size in bytes, and NumPy's and C's names of its element type.
fn types(array: &Array) -> (String, u64, &str, &str) {
    let (name, c, bytes) = match array.dtype.as_str() {
        "<f4" => ("f32", "float", 4),
        "<f8" => ("f64", "double", 8),
        "<i4" => ("i32", "int32_t", 4),
        "<i8" => ("i64", "int64_t", 8),
        other => panic!("no array of the examples has type {other}"),
    };
    let bytes = array.shape.iter().product::<u64>() * bytes;
    (format!("mdh_{name}"), bytes, &array.dtype, c)
}

/// The text of a C program that calls the function with its inputs, and writes its results to the folder.
fn main_function(example: &Example, function: &Function, folder: &Path, missing: usize) -> Result<String, String> {
    let name = &function.name;
    let mut body = String::from("  mdh_array arguments[20], results[20];\n");
    for (i, array) in function.inputs.iter().enumerate() {
        let path = input(example, array);
        let array = arrays::read(&path)?;
        let (make, bytes, _, _) = types(&array);
        let missing = if i + 1 == function.inputs.len() { missing } else { 0 };
        let rank = array.shape.len();
        let sizes: Vec<_> = array.shape.iter().map(u64::to_string).collect();
        let _ =
            writeln!(body, "  int64_t input{i}[] = {{{}}};", if rank == 0 { "0".to_owned() } else { sizes.join(", ") });
        let _ =
            writeln!(body, "  arguments[{i}] = {make}(load({path:?}, {bytes} - {missing}), {rank}, input{i}, NULL);");
    }
    let outputs =
        example.outputs.iter().map(|output| arrays::read(&expected(example, output))).collect::<Result<Vec<_>, _>>()?;
    for (i, array) in outputs.iter().enumerate() {
        let rank = array.shape.len();
        let _ = writeln!(body, "  int64_t output{i}[{}];", rank.max(1));
        let _ = writeln!(body, "  results[{i}] = {}(NULL, {rank}, output{i}, NULL);", types(array).0);
    }
    let _ = writeln!(body, "  if ({name}(arguments, results, NULL) != MDH_OK)\n    return 1;");
    for (i, (output, array)) in example.outputs.iter().zip(&outputs).enumerate() {
        let (_, _, ty, c) = types(array);
        let rank = array.shape.len();
        let path = folder.join(output).with_extension("npy");
        let _ = writeln!(
            body,
            "  save({path:?}, \"{ty}\", sizeof({c}), {rank}, output{i}, results[{i}].data);\n  free(results[{i}].allocation);"
        );
    }
    (0..function.inputs.len()).for_each(|i| {
        let _ = writeln!(body, "  free(arguments[{i}].data);");
    });
    let files = root().join("test/execute/files.c");
    Ok(format!("#include \"{name}.h\"\n#include {files:?}\n\nint main(void) {{\n{body}  return 0;\n}}\n"))
}

/// Builds and runs a program for a function of an example, and compares its results with NumPy's. Returns true if the
/// object file uses threads.
pub fn check(example: &Example, function: &Function, build: &Build, label: &str) -> Result<bool, String> {
    let folder = folder(&format!("{}-linked-{label}", function.name));
    let file = |extension: &str| folder.join(&function.name).with_extension(extension);
    for (emit, extension) in [("header", "h"), ("object", "o")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mdh"));
        command.arg("compile").arg(example.path()).args(["--function", &function.name, "--emit", emit, "--output"]);
        command.arg(file(extension)).args(if emit == "object" { build.compile } else { &[] });
        run(&mut command)?;
    }
    let text = main_function(example, function, &folder, build.missing)?;
    fs::write(file("c"), text).expect("the target folder is writable");
    let library = llvm().join("lib");
    let mut command = Command::new(llvm().join("bin/clang"));
    command.args(["-Wall", "-Wextra", "-Werror", "-fuse-ld=lld"]).arg("-I").arg(&folder);
    // The linker resolves symbols from left to right, so libraries come last.
    command.arg(file("c")).arg(file("o")).args(build.link);
    if build.emulator.is_empty() {
        command.arg("-L").arg(&library).arg(format!("-Wl,-rpath,{}", library.display())).arg("-lomp");
    }
    run(command.args(["-lm", "-o"]).arg(file("program")))?;
    let mut command = Command::new("sh");
    command.args(["-c", ALONE, "sh"]).args(build.emulator).arg(file("program"));
    run(command.envs(build.environment.iter().copied()))?;
    compare_outputs(example, &folder).map_err(|difference| format!("{}\n{difference}", file("program").display()))?;
    let object = fs::read(file("o")).map_err(|error| error.to_string())?;
    // A program with a sanitizer takes several megabytes.
    let _ = fs::remove_dir_all(&folder);
    let fork = b"__kmpc_fork_call";
    Ok(object.windows(fork.len()).any(|name| name == fork))
}
