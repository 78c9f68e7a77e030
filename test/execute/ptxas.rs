//! Assembles the kernels of examples with NVIDIA's `ptxas`.
use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use crate::{
    kernels::with_schedule,
    programs::{Example, example, folder, run},
    report,
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

/// Compiles an example with options of `mdh compile`, assembles its PTX, and returns the assembler's report on each
/// kernel.
fn assemble(assembler: &Path, example: &Example, options: &[&str], label: &str) -> Result<String, String> {
    let folder = folder(&format!("{}-ptx-{label}", example.name));
    let ptx = folder.join("kernels.ptx");
    let mut compile = Command::new(env!("CARGO_BIN_EXE_mdh"));
    compile.arg("compile").arg(example.path()).args(["--target", "cuda", "--arch", "sm_90", "--emit", "ptx"]);
    run(compile.args(options).arg("--output").arg(&ptx))?;
    let mut assemble = Command::new(assembler);
    let output = run(assemble.args(["-arch=sm_90", "-v", "-o", "/dev/null"]).arg(&ptx))?;
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The kernels that spill registers, according to the report.
fn spills(text: &str) -> Vec<String> {
    let mut kernel = "";
    let mut spills = vec![];
    for line in text.lines() {
        if let Some((_, name)) = line.split_once("Function properties for ") {
            kernel = name;
        }
        if line.contains("spill stores") && !line.contains(" 0 bytes spill stores") {
            spills.push(format!("{kernel}: {}", line.trim()));
        }
    }
    spills
}

/// Memory-bound examples, and the maximum number of registers of their kernels. With fewer registers, more warps fit on
/// a multiprocessor and hide the latency.
const WAITING: [&str; 5] = ["dot", "jacobi2d", "map", "matvec", "reduce"];
const MAX_REGISTERS: usize = 128;

/// The maximum number of registers of a kernel, according to the report.
fn registers(text: &str) -> Option<usize> {
    let used = text.lines().filter_map(|line| line.split_once("Used ")?.1.split_once(" registers"));
    used.filter_map(|(count, _)| count.parse().ok()).max()
}

/// The default schedules of all functions: no kernel spills registers, and memory-bound kernels stay below the register
/// limit.
pub fn default_schedules(name: &str) {
    let Some(assembler) = assembler() else { return };
    let example = example(name);
    for system in SYSTEMS {
        let text = assemble(assembler, example, &["--system", system], system);
        report(text.and_then(|text| {
            let spills = spills(&text);
            let described = || format!("{name} for @{system} spills registers\n{}", spills.join("\n"));
            if !text.contains(" 0 bytes spill stores") {
                return Err(format!("{name} for @{system} has no kernel\n{text}"));
            }
            if !spills.is_empty() {
                return Err(described());
            }
            let most = registers(&text).ok_or_else(|| format!("{name} for @{system} has no registers\n{text}"))?;
            match WAITING.contains(&name) && most > MAX_REGISTERS {
                true => Err(format!("a kernel of {name} for @{system} has {most} registers")),
                false => Ok(()),
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
