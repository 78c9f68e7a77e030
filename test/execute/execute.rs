//! Every example on every engine against results that NumPy computed: `oracle.py` writes them, this only compares.
//!
//! The tests are named `EXAMPLE::WHAT`: the reference evaluator, the CPU with the default schedule, and with four schedules
//! that are drawn at random until they differ from the default in what the test is named for. A failure prints the command to
//! run again.
mod arrays;
mod programs;
mod schedules;

use std::{collections::BTreeSet, fs, os::unix::fs::symlink, process::Command};

use programs::{Example, check, example, examples, folder, root, run};
use schedules::Difference;

/// Ends a test with a message that is meant to be read.
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

/// The reference evaluator, on the function of fixed size and on the one with dynamic extents.
fn reference(name: &str) {
    let example = example(name);
    report(check(example, small(example), &["--engine", "reference"], "reference"));
    if let Some(function) = example.function(name) {
        report(check(example, function, &["--engine", "reference"], "reference"));
    }
}

/// The CPU with the default schedule, likewise.
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

/// The CPU with a schedule that differs from the default in the way asked for.
fn other_schedule(name: &str, difference: Difference) {
    let example = example(name);
    let function = small(example);
    let label = format!("{difference:?}");
    let file = folder(&format!("{}-{label}-schedule", function.name)).join("schedule.json");
    let schedule =
        schedules::find(&example.path(), &function.name, difference).unwrap_or_else(|message| panic!("\n{message}"));
    fs::write(&file, schedule).expect("the target folder is writable");
    for threads in ["1", "2"] {
        let options = ["--engine", "cpu", "--threads", threads, "--schedule", &file.to_string_lossy()];
        report(check(example, function, &options, &label));
    }
}

/// The commands in the comment at the top of an example, as a reader would type them.
fn commands_at_the_top(name: &str) {
    let folder = folder(&format!("{name}-commands"));
    symlink(root().join("examples"), folder.join("examples")).expect("the target folder is writable");
    let text = fs::read_to_string(example(name).path()).expect("an example has a file");
    let commands: Vec<&str> =
        text.lines().take_while(|line| line.starts_with("//")).filter_map(|line| line.strip_prefix("//   ")).collect();
    assert!(!commands.is_empty(), "{name}.mlir begins with no commands");
    report(run(Command::new("sh").args(["-ex", "-c", &commands.join("\n")]).current_dir(&folder)).map(drop));
}

/// The tests of each example.
macro_rules! examples {
    ($($name:ident)*) => {
        const TESTED: &[&str] = &[$(stringify!($name)),*];
        $(mod $name {
            const NAME: &str = stringify!($name);

            #[test]
            fn reference() {
                crate::reference(NAME);
            }

            #[test]
            fn default_schedule() {
                crate::default_schedule(NAME);
            }

            #[test]
            fn other_orders() {
                crate::other_schedule(NAME, crate::Difference::Orders);
            }

            #[test]
            fn other_tags() {
                crate::other_schedule(NAME, crate::Difference::Tags);
            }

            #[test]
            fn other_regions_and_layouts() {
                crate::other_schedule(NAME, crate::Difference::RegionsAndLayouts);
            }

            #[test]
            fn partial_tiles() {
                crate::other_schedule(NAME, crate::Difference::PartialTiles);
            }

            #[test]
            fn commands_at_the_top() {
                crate::commands_at_the_top(NAME);
            }
        })*
    };
}

examples! {
    bmatmul ccsdt_gdab_efgc ccsdt_gdac_efgb ccsdt_gdbc_efga ccsdt_geab_dfgc ccsdt_geac_dfgb ccsdt_gebc_dfga ccsdt_gfab_degc
    ccsdt_gfac_degb ccsdt_gfbc_dega compute_jacobi1d compute_matvec conv2d dot genhisto histo jacobi1d jacobi2d jacobi3d mandelbrot
    map matmul matmul_transposed matvec mbbs mcc mcc_capsule mcc_strided prl reduce reduce_multiple scan
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
