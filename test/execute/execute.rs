//! Runs every example on every engine and compares with results that NumPy computed. `oracle.py` writes these; the
//! tests only compare.
//!
//! Tests are named `EXAMPLE::WHAT`. WHAT is the reference evaluator, the CPU with the default schedule, or the CPU with
//! one of four random schedules, each drawn until it differs from the default in the aspect that the test is named for.
//! The same schedules are run on OpenCL and CUDA devices, where available. A failure prints the command to reproduce
//! it. The tests with sanitizers and for older processors link object files with C programs.
mod arrays;
#[path = "../devices/device.rs"]
mod device;
mod exchange;
mod kernels;
mod linked;
mod parts;
mod programs;
mod ptxas;
mod resources;
mod schedules;
mod searches;
mod shares;
mod special;

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use linked::Build;
use programs::{Example, check, example, examples, folder, root, run};
use schedules::Difference;

/// Fails a test with a readable message.
fn report(result: Result<(), String>) {
    if let Err(message) = result {
        panic!("\n{message}");
    }
}

/// The function of fixed size.
fn small(example: &Example) -> &programs::Function {
    let name = format!("{}_small", example.name);
    example.function(&name).unwrap_or_else(|| panic!("{} has no function {name}", example.name))
}

/// Runs the reference evaluator, on the function of fixed size and on the one with dynamic extents.
fn reference(name: &str) {
    let example = example(name);
    report(check(example, small(example), &["--engine", "reference"], "reference"));
    if let Some(function) = example.function(name) {
        report(check(example, function, &["--engine", "reference"], "reference"));
    }
}

/// Runs the CPU with the default schedule, on the same functions.
fn default_schedule(name: &str) {
    let example = example(name);
    for threads in ["1", "2"] {
        let options = ["--engine", "cpu", "--threads", threads];
        report(check(example, small(example), &options, "default"));
        if let Some(function) = example.function(name) {
            report(check(example, function, &options, "default"));
        }
    }
}

/// Checks that the searches for schedules find points of the space of all legal schedules, on some functions.
fn searches_are_in_the_space(name: &str) {
    let example = example(name);
    for function in example.functions.iter().rev().take(2) {
        report(searches::are_in_the_space(&example.path(), &function.name));
    }
}

/// Writes a schedule for the function of fixed size that differs from the default in the given aspect, and returns its
/// file.
fn schedule_file(example: &Example, difference: Difference, label: &str) -> PathBuf {
    let function = small(example);
    let file = folder(&format!("{}-{label}-schedule", function.name)).join("schedule.json");
    let schedule =
        schedules::find(&example.path(), &function.name, difference).unwrap_or_else(|message| panic!("\n{message}"));
    fs::write(&file, schedule).expect("the target folder is writable");
    file
}

/// Runs the CPU with such a schedule.
fn other_schedule(name: &str, difference: Difference) {
    let example = example(name);
    let function = small(example);
    let label = format!("{difference:?}");
    let file = schedule_file(example, difference, &label);
    for threads in ["1", "2"] {
        let options = ["--engine", "cpu", "--threads", threads, "--schedule", &file.to_string_lossy()];
        report(check(example, function, &options, &label));
    }
}

/// Links object files with a sanitizer. Uses the default schedules of the given systems for dynamic extents, which are
/// multi-threaded, and other schedules for fixed extents.
fn sanitizer(name: &str, sanitizer: &str, systems: &[&str], others: &[Difference]) {
    let example = example(name);
    let link = format!("-fsanitize={sanitizer}");
    let archer = linked::archer();
    let mut has_threads = false;
    let mut check = |function, options: &[&str], label: &str| {
        let compile = [&["--sanitize", sanitizer], options].concat();
        let environment = linked::environment(&archer);
        let build = Build { compile: &compile, link: &[&link], environment: &environment, ..Build::default() };
        match linked::check(example, function, &build, &format!("{sanitizer}-{label}")) {
            Ok(parallel) => has_threads |= parallel,
            Err(message) => panic!("\n{message}"),
        }
    };
    for difference in others {
        let label = format!("{difference:?}");
        let file = schedule_file(example, *difference, &format!("{sanitizer}-{label}"));
        check(small(example), &["--schedule", &file.to_string_lossy()], &label);
    }
    for system in systems {
        check(example.function(name).unwrap_or(small(example)), &["--system", system], system);
    }
    assert!(has_threads, "no object file of {name} uses threads");
}

/// No access is out of bounds, and all buffers are freed.
fn address_sanitizer(name: &str) {
    sanitizer(name, "address", &["cpu"], &[Difference::RegionsAndLayouts, Difference::PartialTiles]);
}

/// There are no data races.
fn thread_sanitizer(name: &str) {
    sanitizer(name, "thread", &["cpu", "openmp"], &[Difference::Orders]);
}

/// Object files for processors with narrower vectors and fewer instructions than the host.
#[cfg(target_arch = "x86_64")]
fn older_processors(name: &str) {
    let example = example(name);
    let has_avx2 =
        is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("bmi2");
    for (cpu, runs) in [("haswell", has_avx2), ("x86-64-v2", is_x86_feature_detected!("sse4.2")), ("x86-64", true)] {
        if !runs {
            eprintln!("skipped: this machine does not run code for {cpu}");
            continue;
        }
        let build = Build { compile: &["--cpu", cpu], environment: &[("OMP_NUM_THREADS", "2")], ..Build::default() };
        report(linked::check(example, small(example), &build, cpu).map(drop));
    }
}

/// Object files for aarch64, run by an emulator: with the default schedule for an unknown processor, and for a
/// described machine.
fn other_architecture(name: &str) {
    const EMULATOR: &str = "/usr/bin/qemu-aarch64";
    const LIBRARIES: &str = "/usr/aarch64-linux-gnu";
    if !Path::new(EMULATOR).exists() || !Path::new(LIBRARIES).join("lib/libc.so.6").exists() {
        println!("unsupported: no emulator of aarch64, or no C library for it (scripts/setup/cross.sh installs them)");
        return;
    }
    let example = example(name);
    let triple = ["--triple", "aarch64-linux-gnu", "--threads", "1"];
    let machine = folder(&format!("{name}-aarch64-machine")).join("machine.json");
    let text = r#"{"caches": [{"bytes": 65536}, {"bytes": 524288}], "gigahertz": 2.6}"#;
    fs::write(&machine, text).expect("the target folder is writable");
    let machine = machine.to_string_lossy();
    let described = ["--cpu", "neoverse-v1", "--machine", &machine];
    for (label, more) in [("aarch64", &[][..]), ("aarch64-described", &described[..])] {
        let build = Build {
            compile: &[&triple, more].concat(),
            link: &["--target=aarch64-linux-gnu"],
            emulator: &[EMULATOR, "-L", LIBRARIES],
            ..Build::default()
        };
        report(linked::check(example, small(example), &build, label).map(drop));
    }
}

/// Results do not depend on the number of threads, even if sums are rounded: with one fixed schedule, and in the order
/// of the definition (`--strict`).
fn numbers_of_threads(name: &str) {
    let example = example(name);
    let function = example.function(name).unwrap_or(small(example));
    let folder = folder(&format!("{name}-schedule"));
    let mut explain = Command::new(env!("CARGO_BIN_EXE_mdh"));
    explain.arg("explain").arg(example.path()).args(["--function", &function.name, "--candidates", "1", "--output"]);
    report(programs::run(explain.arg(&folder)).map(drop));
    let schedule = folder.join("candidate-01.json");
    let schedule = schedule.to_str().expect("the target folder has a name in UTF-8");
    for options in [&["--schedule", schedule][..], &["--system", "openmp"], &["--strict"]] {
        report(special::numbers_of_threads(example, function, options));
    }
}

/// NaN, infinities and signed zeros in the inputs.
fn special_values(name: &str) {
    let example = example(name);
    report(special::special_values(example, small(example)));
}

/// The commands in the header comment of an example, run as a reader would type them.
fn commands_at_the_top(name: &str) {
    let folder = folder(&format!("{name}-commands"));
    symlink(root().join("examples"), folder.join("examples")).expect("the target folder is writable");
    let text = fs::read_to_string(example(name).path()).expect("an example has a file");
    let commands: Vec<&str> =
        text.lines().take_while(|line| line.starts_with("//")).filter_map(|line| line.strip_prefix("//   ")).collect();
    assert!(!commands.is_empty(), "{name}.mlir begins with no commands");
    report(run(Command::new("sh").args(["-ex", "-c", &commands.join("\n")]).current_dir(&folder)).map(drop));
}

/// The tests of one example. The first attribute is for its commands and default schedules, the second for the tests on
/// random schedules and devices, the third for the tests with other compilers and builds.
macro_rules! example {
    ($name:ident [$(#[$commands:meta])?] [$(#[$schedules:meta])?] [$(#[$builds:meta])?]) => {
        mod $name {
            const NAME: &str = stringify!($name);

            #[test]
            fn reference() {
                crate::reference(NAME);
            }

            #[test]
            $(#[$commands])?
            fn default_schedule() {
                crate::default_schedule(NAME);
            }

            #[test]
            $(#[$schedules])?
            fn searches_are_in_the_space() {
                crate::searches_are_in_the_space(NAME);
            }

            #[test]
            $(#[$schedules])?
            fn other_orders() {
                crate::other_schedule(NAME, crate::Difference::Orders);
            }

            #[test]
            $(#[$schedules])?
            fn other_tags() {
                crate::other_schedule(NAME, crate::Difference::Tags);
            }

            #[test]
            $(#[$schedules])?
            fn other_regions_and_layouts() {
                crate::other_schedule(NAME, crate::Difference::RegionsAndLayouts);
            }

            #[test]
            $(#[$schedules])?
            fn partial_tiles() {
                crate::other_schedule(NAME, crate::Difference::PartialTiles);
            }

            crate::kernels::on_a_device! {
                [$(#[$commands])?] [$(#[$schedules])?]
                "opencl" opencl_default opencl_orders opencl_tags opencl_regions_and_layouts opencl_partial_tiles
            }

            crate::kernels::on_a_device! {
                [$(#[$commands])?] [$(#[$schedules])?]
                "cuda" cuda_default cuda_orders cuda_tags cuda_regions_and_layouts cuda_partial_tiles
            }

            #[test]
            $(#[$schedules])?
            fn ptxas_default() {
                crate::ptxas::default_schedules(NAME);
            }

            #[test]
            $(#[$builds])?
            fn ptxas_others() {
                crate::ptxas::other_schedules(NAME);
            }

            #[test]
            $(#[$builds])?
            fn address_sanitizer() {
                crate::address_sanitizer(NAME);
            }

            #[test]
            $(#[$builds])?
            fn thread_sanitizer() {
                crate::thread_sanitizer(NAME);
            }

            #[test]
            #[cfg(target_arch = "x86_64")]
            $(#[$builds])?
            fn older_processors() {
                crate::older_processors(NAME);
            }

            #[test]
            $(#[$builds])?
            fn other_architecture() {
                crate::other_architecture(NAME);
            }

            #[test]
            $(#[$commands])?
            fn commands_at_the_top() {
                crate::commands_at_the_top(NAME);
            }
        }
    };
}

/// The tests of each example. `make test` runs all tests of the first list, all but the other builds for the second
/// list, the default schedules and the commands for the third list, whose computations resemble others, and only the
/// reference for the last list, which the first contraction represents. `make test-all` runs everything.
macro_rules! examples {
    (
        all: $($all:ident)*;
        few_builds: $($few_builds:ident)*;
        few_schedules: $($few_schedules:ident)*;
        represented: $($represented:ident)*;
    ) => {
        const TESTED: &[&str] = &[
            $(stringify!($all),)* $(stringify!($few_builds),)* $(stringify!($few_schedules),)* $(stringify!($represented)),*
        ];
        $(example! { $all [] [] [] })*
        $(example! { $few_builds [] [] [#[ignore = "long: make test-all"]] })*
        $(example! { $few_schedules [] [#[ignore = "long: make test-all"]] [#[ignore = "long: make test-all"]] })*
        $(example! {
            $represented
            [#[ignore = "long: make test-all"]] [#[ignore = "long: make test-all"]] [#[ignore = "long: make test-all"]]
        })*
    };
}

examples! {
    all: ccsdt_gdab_efgc histo jacobi2d matmul prl reduce_multiple scan;
    few_builds: compute_matvec conv2d dot jacobi1d mandelbrot map mbbs mcc mcc_capsule;
    few_schedules: bmatmul compute_jacobi1d genhisto jacobi3d matmul_transposed matvec mcc_strided reduce;
    represented: ccsdt_gdac_efgb ccsdt_gdbc_efga ccsdt_geab_dfgc ccsdt_geac_dfgb ccsdt_gebc_dfga ccsdt_gfab_degc ccsdt_gfac_degb
        ccsdt_gfbc_dega;
}

/// The tests of examples that compute floats from floats; one of the nine CCSD(T) contractions represents all. `make
/// test` varies the number of threads for the first list only.
macro_rules! floats {
    (all: $($all:ident)*; few: $($few:ident)*;) => {
        mod special_values {
            $(float_test! { $all special_values [] })*
            $(float_test! { $few special_values [] })*
        }

        mod numbers_of_threads {
            $(float_test! { $all numbers_of_threads [] })*
            $(float_test! { $few numbers_of_threads [#[ignore = "long: make test-all"]] })*
        }
    };
}

macro_rules! float_test {
    ($name:ident $test:ident [$(#[$attribute:meta])?]) => {
        #[test]
        $(#[$attribute])?
        fn $name() {
            crate::$test(stringify!($name));
        }
    };
}

floats! {
    all: dot jacobi2d matmul mbbs reduce scan;
    few: bmatmul ccsdt_gdab_efgc compute_jacobi1d compute_matvec conv2d jacobi1d jacobi3d map matmul_transposed matvec mcc mcc_capsule
        mcc_strided reduce_multiple;
}

/// The tests of examples in which threads and blocks combine partial results.
macro_rules! repeated {
    (all: $($all:ident)*; few: $($few:ident)*;) => {
        mod repeated {
            $(repeated_test! { $all [] })*
            $(repeated_test! { $few [#[ignore = "long: make test-all"]] })*
        }
    };
}

macro_rules! repeated_test {
    ($name:ident [$(#[$attribute:meta])?]) => {
        mod $name {
            #[test]
            $(#[$attribute])?
            fn opencl() {
                crate::kernels::repeated(stringify!($name), "opencl");
            }

            #[test]
            $(#[$attribute])?
            fn cuda() {
                crate::kernels::repeated(stringify!($name), "cuda");
            }
        }
    };
}

repeated! {
    all: dot prl scan;
    few: genhisto matvec mbbs reduce;
}

/// C programs linked with object files that embed kernels.
#[test]
fn linked_programs_run_on_a_device() {
    if !device::is_there("opencl") {
        return;
    }
    let tools = Path::new(env!("CARGO_BIN_EXE_mdh")).parent().expect("a program is in a folder").join("deps");
    let library = tools.to_str().expect("the target folder has a name in UTF-8");
    let environment = device::environment();
    let environment: Vec<_> =
        environment.iter().map(|(name, value)| (*name, value.to_str().expect("a name in UTF-8"))).collect();
    let path = format!("-Wl,-rpath,{library}");
    let link = ["-L", library, &path, "-lmdh_runtime"];
    for name in ["matmul", "dot", "prl"] {
        let example = example(name);
        let build =
            Build { compile: &["--target", "opencl"], link: &link, environment: &environment, ..Build::default() };
        report(linked::check(example, small(example), &build, "opencl").map(drop));
    }
}

/// A read past the end of an input.
#[test]
fn what_a_sanitizer_reports_is_a_failure() {
    let example = example("dot");
    let archer = linked::archer();
    let build = Build {
        compile: &["--sanitize", "address"],
        link: &["-fsanitize=address"],
        environment: &linked::environment(&archer),
        missing: 4,
        ..Build::default()
    };
    let message = linked::check(example, small(example), &build, "short").expect_err("the sanitizer reports it");
    assert!(message.contains("AddressSanitizer: heap-buffer-overflow"), "{message}");
    assert!(message.contains("dot_small"), "{message}");
}

#[test]
fn every_example_is_tested() {
    let files: BTreeSet<String> = fs::read_dir(root().join("examples"))
        .expect("the examples are a folder")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "mlir"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    let tested: BTreeSet<String> = TESTED.iter().map(ToString::to_string).collect();
    let generated: BTreeSet<String> = examples().iter().map(|example| example.name.clone()).collect();
    assert_eq!(files, tested, "files in examples/ and examples in execute.rs");
    assert_eq!(files, generated, "files in examples/ and examples in generate.py");
}
