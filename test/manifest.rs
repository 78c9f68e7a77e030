//! The manifest of kernels: complete for every example, and enough for other programs to launch them; and the benchmark that does so.
mod device;
mod loader;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

fn run(command: &mut Command) -> Output {
    let output = command.output().expect("the program runs");
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn kernels(text: &[u8]) -> Vec<Value> {
    let manifest: Value = serde_json::from_slice(text).expect("the manifest is JSON");
    manifest["kernels"].as_array().expect("the manifest lists kernels").clone()
}

/// What is missing of a kernel, by the path to it.
fn missing(kernel: &Value) -> Vec<String> {
    let sizes =
        ["grid", "block"].into_iter().flat_map(|name| (0..3).map(move |i| (format!("{name} {i}"), &kernel[name][i])));
    let others = ["when", "dynamic_shared_bytes"].into_iter().map(|name| (name.to_owned(), &kernel[name]));
    let arguments = kernel["arguments"].as_array().expect("a kernel lists arguments").iter().enumerate();
    let arguments = arguments.flat_map(|(i, argument)| {
        // A launch says how much memory is shared, so that the argument has no value.
        let value = (argument["kind"] != "shared").then(|| (format!("value of argument {i}"), &argument["value"]));
        let memory =
            (argument["kind"] == "pointer").then(|| (format!("memory of argument {i}"), &argument["value"]["memory"]));
        [(format!("role of argument {i}"), &argument["role"])].into_iter().chain(value).chain(memory)
    });
    let found = sizes.chain(others).chain(arguments).filter(|(_, value)| value.is_null());
    found.map(|(what, _)| format!("{}: {what}", kernel["name"])).collect()
}

#[test]
fn examples_have_complete_manifests() {
    let mut count = 0;
    for file in examples().read_dir().expect("the examples can be read").flatten().map(|entry| entry.path()) {
        if file.extension().is_none_or(|extension| extension != "mlir") {
            continue;
        }
        for target in ["cuda", "opencl"] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_mdh"));
            let output = run(command.arg("compile").arg(&file).args(["--target", target, "--emit", "manifest"]));
            let missing: Vec<_> = kernels(&output.stdout).iter().flat_map(missing).collect();
            assert!(missing.is_empty(), "{} for {target}: {missing:?}", file.display());
            count += 1;
        }
    }
    assert!(count > 20, "only {count} manifests");
}

/// The value of an expression, with the sizes of the arguments of the function.
fn evaluate(expression: &Value, sizes: &[&[i64]]) -> i64 {
    if let Some(number) = expression.as_i64().or(expression.as_bool().map(i64::from)) {
        return number;
    }
    if let Some(axis) = expression["size"].as_u64() {
        let of = expression["of"].as_str().and_then(|of| of.strip_prefix("argument ")?.parse::<usize>().ok());
        return sizes[of.expect("a size is one of an argument") - 1][axis as usize - 1];
    }
    let (name, operands) = expression.as_object().and_then(|object| object.iter().next()).expect("an operation");
    let operands = operands.as_array().expect("an operation has a list of operands");
    let values: Vec<_> = operands.iter().map(|operand| evaluate(operand, sizes)).collect();
    match (name.as_str(), &values[..]) {
        ("add", [a, b]) => a + b,
        ("sub", [a, b]) => a - b,
        ("mul", [a, b]) => a * b,
        ("div", [a, b]) => a / b,
        ("floordiv", [a, b]) => a.div_euclid(*b),
        ("ceildiv", [a, b]) => -(-a).div_euclid(*b),
        ("rem", [a, b]) => a % b,
        ("min", [a, b]) => *a.min(b),
        ("max", [a, b]) => *a.max(b),
        ("and", [a, b]) => a & b,
        ("or", [a, b]) => a | b,
        ("not", [a]) => 1 - a,
        ("gt", [a, b]) => i64::from(a > b),
        ("ge", [a, b]) => i64::from(a >= b),
        ("lt", [a, b]) => i64::from(a < b),
        ("le", [a, b]) => i64::from(a <= b),
        ("eq", [a, b]) => i64::from(a == b),
        ("ne", [a, b]) => i64::from(a != b),
        ("select", [a, b, c]) => *if *a != 0 { b } else { c },
        other => panic!("unknown operation {other:?}"),
    }
}

#[test]
fn another_program_launches_a_kernel_of_dynamic_extents() {
    if !device::is_there("opencl") {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("manifest");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder is writable");
    let (module, host) = (folder.join("matvec.spv"), folder.join("host"));
    let mut compile = Command::new(env!("CARGO_BIN_EXE_mdh"));
    compile.arg("compile").arg(examples().join("matvec.mlir")).args(["--function", "matvec", "--target", "opencl"]);
    run(compile.args(["--emit", "spirv", "--output"]).arg(&module));
    loader::link("manifest.c", &host, &[]);
    let manifest = kernels(&fs::read(folder.join("matvec.json")).expect("the manifest stands beside the module"));
    for (rows, columns) in [(37i64, 53i64), (300, 7)] {
        let (matrix, vector): (&[i64], &[i64]) = (&[rows, columns], &[columns]);
        let value = |expression: &Value| evaluate(expression, &[matrix, vector]);
        let launched: Vec<_> = manifest.iter().filter(|kernel| value(&kernel["when"]) != 0).collect();
        let [kernel] = launched[..] else { panic!("{} kernels are launched", launched.len()) };
        let entry = |row: i64, column: i64| ((row * 7 + column * 3) % 11 - 5) as f32;
        let factor = |column: i64| (column % 5 - 2) as f32;
        let file = |role: &str| folder.join(format!("{role}.bin"));
        let write = |role: &str, values: Vec<f32>| {
            let bytes: Vec<u8> = values.into_iter().flat_map(f32::to_le_bytes).collect();
            fs::write(file(role), bytes).expect("the file can be written");
        };
        write("input 1", (0..rows * columns).map(|i| entry(i / columns, i % columns)).collect());
        write("input 2", (0..columns).map(factor).collect());
        write("output 1", vec![f32::NAN; rows as usize]);
        let mut launch = Command::new(&host);
        launch.envs(device::environment()).env("CL_CONFIG_CPU_TARGET_ARCH", "core-avx2").arg(&module);
        launch.arg(kernel["name"].as_str().expect("a kernel has a name"));
        for size in ["grid", "block"].into_iter().flat_map(|name| (0..3).map(move |i| &kernel[name][i])) {
            launch.arg(value(size).to_string());
        }
        for argument in kernel["arguments"].as_array().expect("a kernel has arguments") {
            launch.arg(match argument["kind"].as_str() {
                Some("pointer") => {
                    let sizes = argument["value"]["sizes"].as_array().expect("a buffer has sizes");
                    assert_eq!(argument["value"]["element"], "f32");
                    let bytes = 4 * sizes.iter().map(value).product::<i64>();
                    let role = argument["role"].as_str().expect("a pointer has a role");
                    format!("p:{bytes}:{}", file(role).display())
                }
                Some("shared") => format!("s:{}", value(&kernel["dynamic_shared_bytes"])),
                _ => format!("i:{}", value(&argument["value"])),
            });
        }
        run(&mut launch);
        let bytes = fs::read(file("output 1")).expect("the file can be read");
        let results: Vec<_> =
            bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect();
        let expected: Vec<f32> = (0..rows).map(|i| (0..columns).map(|k| entry(i, k) * factor(k)).sum()).collect();
        assert_eq!(results, expected);
    }
}

#[test]
fn a_program_without_our_tools_launches_all_kernels_of_a_function() {
    if !device::is_there("cuda") {
        return;
    }
    let root = examples().join("..");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("launch");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder is writable");
    // The kernels of one function hand several buffers over; a scan has further kernels for several blocks, of which there is one here.
    for (name, inputs, outputs, launches) in [
        ("prl", 4, 4, 2),
        ("scan", 1, 1, 1),
        ("reduce_multiple", 1, 2, 1),
        ("histo", 2, 1, 1),
        ("mcc_strided", 2, 1, 1),
    ] {
        let program = examples().join(name).with_extension("mlir");
        run(Command::new("python3")
            .arg(examples().join("generate.py"))
            .arg(name)
            .arg("--output")
            .arg(folder.join(name)));
        let listed = run(Command::new("python3").arg(examples().join("generate.py")).args([name, "--list"]));
        let listed: Value = serde_json::from_slice(&listed.stdout).expect("the list is JSON");
        let entry =
            listed.as_array().and_then(|all| all.iter().find(|entry| entry["name"] == name)).expect("an example");
        let files: Vec<_> = entry["functions"][0]["inputs"].as_array().expect("inputs").iter().collect();
        let file = |label: &Value| folder.join(name).join(label.as_str().expect("a name")).with_extension("npy");
        assert_eq!(files.len(), inputs);
        let expected: Vec<_> = (0..outputs).map(|i| folder.join(format!("{name}_{i}.npy"))).collect();
        let mut evaluate = Command::new(env!("CARGO_BIN_EXE_mdh"));
        evaluate.arg("run").arg(&program).args(["--function", name, "--engine", "reference"]);
        evaluate.args(files.iter().flat_map(|label| ["--input".into(), file(label)]));
        run(evaluate.args(expected.iter().flat_map(|path| ["--output".into(), path.clone()])));
        let module = folder.join(name).with_extension("ptx");
        let mut compile = Command::new(env!("CARGO_BIN_EXE_mdh"));
        compile.arg("compile").arg(&program).args([
            "--function",
            name,
            "--target",
            "cuda",
            "--emit",
            "ptx",
            "--output",
        ]);
        run(compile.arg(&module));
        let mut launch = Command::new("python3");
        launch.envs(device::environment()).arg(root.join("test/launch.py")).arg(&module);
        launch.args(files.iter().map(|label| file(label))).arg("--").args(&expected);
        let output = run(&mut launch);
        assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{launches} launches\n"), "{name}");
    }
}

#[test]
fn a_job_of_the_benchmark_that_fails_costs_no_other() {
    run(Command::new("python3").arg(examples().join("../test/gpu_jobs.py")));
}
