//! The manifest of kernels: it is complete for every example, and sufficient for other programs to launch the kernels.
//! Also tests the benchmark that launches them this way.
mod device;
mod loader;

use std::{
    ffi::OsStr,
    fs,
    os::unix::fs::PermissionsExt,
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

/// A list of a manifest: `kernels` or `functions`.
fn list(text: &[u8], name: &str) -> Vec<Value> {
    let manifest: Value = serde_json::from_slice(text).expect("the manifest is JSON");
    manifest[name].as_array().expect("the manifest has such a list").clone()
}

/// The names in a list.
fn names(list: &Value) -> Vec<String> {
    let name = |name: &Value| name.as_str().expect("a name").to_owned();
    list.as_array().expect("a list").iter().map(name).collect()
}

/// The names of the kernels that steps launch, in order.
fn launched(steps: &Value) -> Vec<String> {
    let nested = |step: &Value| match step["launch"]["kernel"].as_str() {
        Some(name) => vec![name.to_owned()],
        None => {
            [&step["for"]["steps"], &step["if"]["then"], &step["if"]["else"]].into_iter().flat_map(launched).collect()
        }
    };
    steps.as_array().into_iter().flatten().flat_map(nested).collect()
}

/// The paths of fields that a kernel lacks.
fn missing(kernel: &Value) -> Vec<String> {
    let sizes =
        ["grid", "block"].into_iter().flat_map(|name| (0..3).map(move |i| (format!("{name} {i}"), &kernel[name][i])));
    let others = ["when", "dynamic_shared_bytes"].into_iter().map(|name| (name.to_owned(), &kernel[name]));
    let arguments = kernel["arguments"].as_array().expect("a kernel lists arguments").iter().enumerate();
    let arguments = arguments.flat_map(|(i, argument)| {
        // The size of dynamic shared memory is a field of the launch, so the argument has no value.
        let value = (argument["kind"] != "shared").then(|| (format!("value of argument {i}"), &argument["value"]));
        let memory =
            (argument["kind"] == "pointer").then(|| (format!("memory of argument {i}"), &argument["value"]["memory"]));
        [(format!("role of argument {i}"), &argument["role"])].into_iter().chain(value).chain(memory)
    });
    let found = sizes.chain(others).chain(arguments).filter(|(_, value)| value.is_null());
    found.map(|(what, _)| format!("{}: {what}", kernel["name"])).collect()
}

/// True if another example represents this one: one contraction does all of CCSD(T).
fn is_represented(name: &str) -> bool {
    name.starts_with("ccsdt_") && name != "ccsdt_gdab_efgc"
}

#[test]
fn examples_have_complete_manifests() {
    let mut count = 0;
    for file in examples().read_dir().expect("the examples can be read").flatten().map(|entry| entry.path()) {
        let name = file.file_stem().and_then(OsStr::to_str).unwrap_or_default();
        if file.extension().is_none_or(|extension| extension != "mlir") || is_represented(name) {
            continue;
        }
        for target in ["cuda", "opencl"] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_mdh"));
            let output = run(command.arg("compile").arg(&file).args(["--target", target, "--emit", "manifest"]));
            let kernels = list(&output.stdout, "kernels");
            let missing: Vec<_> = kernels.iter().flat_map(missing).collect();
            assert!(missing.is_empty(), "{} for {target}: {missing:?}", file.display());
            let steps = list(&output.stdout, "functions").into_iter().map(|function| launched(&function["steps"]));
            let names: Vec<_> = kernels.iter().filter_map(|kernel| kernel["name"].as_str()).collect();
            assert_eq!(steps.collect::<Vec<_>>().concat(), names, "{} for {target}", file.display());
            count += 1;
        }
    }
    assert!(count > 20, "only {count} manifests");
}

/// Evaluates an expression, given the extents of the function's arguments.
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

/// Encodes steps without loops as words for `manifest.c`, given the extents of the function's arguments.
fn words(steps: &Value, kernels: &[Value], value: &dyn Fn(&Value) -> i64) -> Vec<String> {
    let bytes = |sizes: &Value| 4 * sizes.as_array().expect("sizes").iter().map(value).product::<i64>();
    let name = |of: &Value| of.as_str().expect("a name").to_owned();
    let step = |step: &Value| match step.as_object().and_then(|step| step.iter().next()).expect("a step") {
        (kind, step) if kind == "allocate" => {
            assert_eq!(step["element"], "f32");
            vec![name(&step["memory"]), name(&step["buffer"]), bytes(&step["sizes"]).to_string()]
        }
        (kind, buffer) if kind == "free" => vec![kind.clone(), name(buffer)],
        (kind, step) if kind == "copy" => {
            let (from, to) = (&step["from"], &step["to"]);
            assert_eq!((value(&from["offset"]), value(&to["offset"])), (0, 0));
            vec![kind.clone(), name(&from["buffer"]), name(&to["buffer"]), bytes(&to["sizes"]).to_string()]
        }
        (kind, step) if kind == "if" => {
            let branch = if value(&step["condition"]) != 0 { "then" } else { "else" };
            words(&step[branch], kernels, value)
        }
        (kind, step) if kind == "launch" => {
            let kernel = kernels.iter().find(|kernel| kernel["name"] == step["kernel"]).expect("a kernel");
            let kinds = kernel["arguments"].as_array().expect("a kernel has arguments").iter();
            let arguments = step["arguments"].as_array().expect("a launch has arguments").iter().zip(kinds);
            let arguments: Vec<_> = arguments
                .map(|(argument, described)| match described["kind"].as_str() {
                    Some("pointer") => format!("p:{}", name(&argument["buffer"])),
                    Some("shared") => format!("s:{}", value(&step["dynamic_shared_bytes"])),
                    _ => format!("i:{}", value(argument)),
                })
                .collect();
            let sizes = ["grid", "block"].into_iter().flat_map(|name| (0..3).map(move |i| &step[name][i]));
            let sizes: Vec<_> = sizes.map(|size| value(size).to_string()).collect();
            [vec![kind.clone(), name(&step["kernel"])], sizes, vec![arguments.len().to_string()], arguments].concat()
        }
        (kind, _) => panic!("the program does '{kind}'"),
    };
    steps.as_array().expect("steps are a list").iter().flat_map(step).collect()
}

#[test]
fn a_program_in_c_runs_a_function_of_dynamic_extents() {
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
    let manifest = fs::read(folder.join("matvec.json")).expect("the manifest stands beside the module");
    let (kernels, functions) = (list(&manifest, "kernels"), list(&manifest, "functions"));
    let [function] = &functions[..] else { panic!("{} functions", functions.len()) };
    for (rows, columns) in [(37i64, 53i64), (300, 7)] {
        let (matrix, vector): (&[i64], &[i64]) = (&[rows, columns], &[columns]);
        let value = |expression: &Value| evaluate(expression, &[matrix, vector]);
        let entry = |row: i64, column: i64| ((row * 7 + column * 3) % 11 - 5) as f32;
        let factor = |column: i64| (column % 5 - 2) as f32;
        let file = |role: &str| folder.join(format!("{role}.bin"));
        let write = |role: &str, values: Vec<f32>| {
            let bytes: Vec<u8> = values.into_iter().flat_map(f32::to_le_bytes).collect();
            fs::write(file(role), bytes).expect("the file can be written");
        };
        write("argument 1", (0..rows * columns).map(|i| entry(i / columns, i % columns)).collect());
        write("argument 2", (0..columns).map(factor).collect());
        let mut launch = Command::new(&host);
        launch.envs(device::environment()).env("CL_CONFIG_CPU_TARGET_ARCH", "core-avx2").arg(&module);
        for argument in function["arguments"].as_array().expect("a function has arguments") {
            let name = argument["name"].as_str().expect("an argument has a name");
            launch.args(["read", name]).arg(file(name));
        }
        launch.args(words(&function["steps"], &kernels, &value));
        let result = function["results"][0]["buffer"].as_str().expect("a result is a buffer");
        run(launch.args(["write", result]).arg(file("result")));
        let bytes = fs::read(file("result")).expect("the file can be read");
        let results: Vec<_> =
            bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect();
        let expected: Vec<f32> = (0..rows).map(|i| (0..columns).map(|k| entry(i, k) * factor(k)).sum()).collect();
        assert_eq!(results, expected);
    }
}

/// Compiles a function to PTX, runs it with an engine, and launches it by its manifest. Returns the launcher's output.
fn launch(program: &Path, function: &str, engine: &str, inputs: &[PathBuf], outputs: usize, folder: &Path) -> String {
    let module = folder.join(function).with_extension("ptx");
    let expected: Vec<_> = (0..outputs).map(|i| folder.join(format!("{function}_{i}.npy"))).collect();
    let mut evaluate = Command::new(env!("CARGO_BIN_EXE_mdh"));
    evaluate.arg("run").arg(program).args(["--function", function, "--engine", engine]);
    evaluate.args(inputs.iter().flat_map(|path| ["--input".as_ref(), path.as_os_str()]));
    run(evaluate.args(expected.iter().flat_map(|path| ["--output".as_ref(), path.as_os_str()])));
    let mut compile = Command::new(env!("CARGO_BIN_EXE_mdh"));
    compile.arg("compile").arg(program).args(["--function", function, "--target", "cuda", "--emit", "ptx"]);
    run(compile.arg("--output").arg(&module));
    let mut launch = Command::new("python3");
    launch.envs(device::environment()).arg(examples().join("../test/devices/launch.py")).arg(&module).arg(function);
    let output = run(launch.args(inputs).arg("--").args(&expected));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn examples_run_by_their_manifests_alone() {
    if !device::is_there("cuda") {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("launch");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder is writable");
    let generator = || {
        let mut command = Command::new("python3");
        command.arg(examples().join("generate.py"));
        command
    };
    let listed: Value = serde_json::from_slice(&run(generator().arg("--list")).stdout).expect("the list is JSON");
    let examples_listed = listed.as_array().expect("the list is one");
    for example in examples_listed {
        let (name, function) = (example["name"].as_str().expect("a name"), &example["functions"][0]);
        if is_represented(name) {
            continue;
        }
        let arrays = folder.join(name);
        run(generator().arg(name).arg("--output").arg(&arrays));
        let inputs: Vec<_> =
            names(&function["inputs"]).iter().map(|label| arrays.join(label).with_extension("npy")).collect();
        let program = examples().join(name).with_extension("mlir");
        let (function, outputs) = (function["name"].as_str().expect("a name"), names(&example["outputs"]).len());
        let launches = launch(&program, function, "reference", &inputs, outputs, &folder);
        // A second kernel combines the results of the blocks of prl. The blocks of mbbs scan: they reduce their parts, one
        // block scans the sums, and all blocks scan their parts. The scan example has one block.
        let expected = match name {
            "prl" => "2 launches",
            "mbbs" => "3 launches",
            _ => "1 launches",
        };
        assert_eq!(launches, expected, "{name}");
    }
    assert!(examples_listed.len() > 20, "only {} examples", examples_listed.len());
}

/// Writes a one-dimensional array, or a zero-dimensional one if `count` is `None`.
fn array(path: PathBuf, ty: &str, count: Option<usize>, value: impl Fn(usize) -> [u8; 4]) -> PathBuf {
    let shape = count.map_or_else(|| "()".to_owned(), |count| format!("({count},)"));
    let mut header = format!("{{'descr': '{ty}', 'fortran_order': False, 'shape': {shape}, }}");
    header.extend(std::iter::repeat_n(' ', 117 - header.len()));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(header.bytes().chain((0..count.unwrap_or(1)).flat_map(value)));
    fs::write(&path, bytes).expect("the file can be written");
    path
}

#[test]
fn what_the_host_does_around_kernels_is_in_the_manifest() {
    if !device::is_there("cuda") {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("launches");
    fs::create_dir_all(&folder).expect("the target folder is writable");
    let program = examples().join("../test/tools/compile/Inputs/launches.mlir");
    let floats = |count: Option<usize>| {
        let path = folder.join(format!("floats_{}.npy", count.unwrap_or_default()));
        array(path, "<f4", count, |i| ((i % 7) as f32 - 2.5).to_le_bytes())
    };
    let integers = |count, factor: i32| {
        let path = folder.join(format!("integers_{count}_{factor}.npy"));
        array(path, "<i4", Some(count), |i| (i as i32 * factor - 5).to_le_bytes())
    };
    for (function, inputs, launches) in [
        ("padded", vec![floats(Some(16)), floats(None)], 1),
        ("captured", vec![floats(None), floats(Some(16))], 1),
        ("often", vec![integers(37, 1)], 7),
        ("update", vec![integers(12, 1), integers(12, 5)], 5),
        ("chained", vec![floats(Some(130))], 2),
        ("chained", vec![floats(Some(30))], 1),
    ] {
        let said = launch(&program, function, "cpu", &inputs, 1, &folder);
        assert_eq!(said, format!("{launches} launches"), "{function}");
    }
}

#[test]
fn a_job_of_the_benchmark_that_fails_costs_no_other() {
    run(Command::new("python3").arg(examples().join("../test/devices/gpu_jobs.py")));
}

/// The checks for machines with a GPU alone: all agree, and a wrong result is found and recorded.
#[test]
fn kernels_are_checked_against_stored_results() {
    if !device::is_there("cuda") {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("checks");
    let _ = fs::remove_dir_all(&folder);
    let record = folder.join("record.json");
    let checks = |options: &[&str]| {
        let mut command = Command::new("python3");
        command.current_dir(examples().join("..")).envs(device::environment());
        command.args(["-m", "bench.gpu.checks"]).arg(&folder).args(options);
        command
    };
    let tools = Path::new(env!("CARGO_BIN_EXE_mdh")).parent().expect("a program is in a folder");
    let tools = tools.to_str().expect("the path of the target folder is UTF-8");
    // `matvec` stands for matvec and compute_matvec.
    run(&mut checks(&["--compile", "--random", "6", "--tools", tools, "matvec", "histo"]));
    let output = run(checks(&["--output"]).arg(&record));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains(" checks passed on ") && said.contains(", 0 failed, 0 were not run"), "{said}");
    let passed = |record: &Path| {
        let record: Value = serde_json::from_slice(&fs::read(record).expect("the record is there")).expect("JSON");
        (names(&record["passed"]), record["failed"].as_object().expect("an object").clone())
    };
    let (found, failed) = passed(&record);
    assert!(failed.is_empty() && found.iter().filter(|name| name.contains("-random-")).count() == 6, "{found:?}");
    assert!(found.contains(&"matvec-cuda".to_owned()) && found.contains(&"matvec_small-cuda_wrp".to_owned()));

    let expected = folder.join("expected/matvec.w.npy");
    let mut bytes = fs::read(&expected).expect("the expected array is there");
    *bytes.last_mut().expect("an array has bytes") ^= 0x40;
    fs::write(&expected, bytes).expect("the target folder is writable");
    let output = checks(&["--count", "1", "matvec_small-cuda", "--output"]).arg(&record).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("matvec_small-cuda: matvec.w.npy differs\n"), "{said}");
    assert_eq!(passed(&record).1.len(), 1);

    // With a program in place of compute-sanitizer, which runs the check, and finds a race.
    let sanitizer = folder.join("sanitizer");
    let script = "#!/bin/sh\ntool=$2\nshift 4\n\"$@\" || exit 1\n[ $tool != racecheck ] || { echo '========= a race'; exit 9; }\n";
    fs::write(&sanitizer, script).expect("the target folder is writable");
    fs::set_permissions(&sanitizer, fs::Permissions::from_mode(0o755)).expect("the file is ours");
    let output = checks(&["--count", "1", "histo", "--sanitizer"]).arg(&sanitizer).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains(" (racecheck): ========= a race\n2 checks passed on ") && said.contains(", 1 failed"),
        "{said}"
    );
}
