//! Assembles the kernels of examples with NVIDIA's `ptxas`.
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use crate::{
    kernels::with_schedule,
    programs::{Example, example, folder, run},
    report,
    resources::{ARCHITECTURE, compare, resources},
    schedules::Difference,
    small,
};

/// The systems whose kernels are PTX.
const SYSTEMS: [&str; 2] = ["cuda", "cuda_wrp"];

/// The path of the assembler. If it is missing, prints a message, and the test ends.
fn assembler() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let found = FOUND.get_or_init(mdh_tools::target::ptx::ptxas::find).as_deref();
    if found.is_none() {
        println!("unsupported: ptxas is not installed");
    }
    found
}

/// The PTX of an example, and the assembler's report on it.
struct Assembled {
    ptx: String,
    report: String,
}

/// Compiles an example with options of `mdh compile`, and assembles its PTX.
fn assemble(assembler: &Path, example: &Example, options: &[&str], label: &str) -> Result<Assembled, String> {
    let folder = folder(&format!("{}-ptx-{label}", example.name));
    let ptx = folder.join("kernels.ptx");
    let mut compile = Command::new(env!("CARGO_BIN_EXE_mdh"));
    compile.arg("compile").arg(example.path()).args(["--target", "cuda", "--arch", ARCHITECTURE, "--emit", "ptx"]);
    run(compile.args(options).arg("--output").arg(&ptx))?;
    let mut assemble = Command::new(assembler);
    let architecture = format!("-arch={ARCHITECTURE}");
    let output = run(assemble.args([&architecture, "-v", "-o", "/dev/null"]).arg(&ptx))?;
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(Assembled { ptx: fs::read_to_string(&ptx).map_err(|error| error.to_string())?, report })
}

/// The default schedules of all functions: no kernel spills registers, and kernels take what is recorded.
pub fn default_schedules(name: &str) {
    let Some(assembler) = assembler() else { return };
    let example = example(name);
    for system in SYSTEMS {
        let assembled = assemble(assembler, example, &["--system", system], system);
        report(assembled.and_then(|Assembled { ptx, report }| {
            let found = resources(&ptx, &report)?;
            match found.values().any(|kernel| kernel.spilled > 0) {
                true => Err(format!("{name} for @{system} spills registers\n{report}")),
                false => compare(name, system, &found),
            }
        }));
    }
}

/// Other schedules of the function of fixed size.
pub fn other_schedules(name: &str) {
    let Some(assembler) = assembler() else { return };
    let example = example(name);
    let function = small(example);
    let differences =
        [Difference::Orders, Difference::Tags, Difference::RegionsAndLayouts, Difference::PartialTiles].into_iter();
    for (difference, system) in differences.zip(SYSTEMS.into_iter().cycle()) {
        let label = format!("{system}-{difference:?}");
        report(with_schedule(example, function, system, difference, "ptx", |file| {
            assemble(assembler, example, &["--function", &function.name, "--schedule", file], &label).map(drop)
        }));
    }
}
