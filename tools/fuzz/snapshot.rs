//! Hashes of the generated code, one line for each function and way to compile it. A change of the compiler that should
//! not affect code must leave all lines unchanged.
use crate::{kernel::Device, program, signature};
use anyhow::{Context as _, Result, anyhow};
use mdh_dialects::{
    ir,
    schedule::model::{Schedule, System},
};
use mdh_passes::{
    analysis::computation::Computation,
    expand_compute,
    machine::Machine,
    notation::json,
    pipeline::Options,
    plan::check,
    schedule::{
        lint,
        random::{Random, random_schedule},
        tuning::TuningContext,
    },
    target::Target,
};
use melior::ir::Module;
use std::{fs, path::Path};

/// The systems of random schedules, by target.
const SYSTEMS: [(&str, &[&str]); 2] = [("cpu", &["cpu", "openmp"]), ("cuda", &["cuda", "cuda_wrp"])];
/// Number of threads assumed by default schedules.
const THREADS: usize = 4;
/// Number of schedules to draw in search of one that fits a device.
const TRIES: u64 = 1_000;

/// A function, a way to compile it, and the outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The function, the target and the schedule.
    pub what: String,
    /// The hash of the code, or the error.
    pub outcome: String,
}

/// The lines of a program. For each public function and target: the default schedule, the default schedule with strict
/// floating-point order, and random schedules with seeds from 0. Default schedules are made for the machine that a file
/// describes.
pub fn lines(file: &Path, machine: &Path, schedules: u64) -> Result<Vec<Line>> {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let machine = machine.to_str().ok_or_else(|| anyhow!("the path of the machine is not UTF-8"))?;
    let source = fs::read(file).with_context(|| format!("cannot read '{}'", file.display()))?;
    let tuning = TuningContext {
        machine: Machine::typical().read(machine, |path| fs::read_to_string(path)).map_err(anyhow::Error::msg)?,
        threads: Some(THREADS),
    };
    let mut lines = vec![];
    for function in functions(&source)? {
        for (target, systems) in SYSTEMS {
            let options = Options {
                target: Target::named(target).map_err(anyhow::Error::msg)?,
                machine: Some(machine.to_owned()),
                threads: Some(THREADS),
                ..Options::default()
            };
            let mut add = |way: String, options: &Options| {
                let outcome = code(&source, &function, options);
                let outcome = outcome.map_or_else(
                    |error| format!("{error:#}").replace('\n', " | "),
                    |code| blake3::hash(code.as_bytes()).to_hex()[..16].to_owned(),
                );
                lines.push(Line { what: format!("{name} {function} {target} {way}"), outcome });
            };
            add("default".into(), &options);
            add("strict".into(), &Options { strict: true, ..options.clone() });
            for seed in 0..schedules {
                let system = systems[seed as usize % systems.len()];
                let Some(text) = schedule(&source, &function, system, &tuning, seed)? else { continue };
                let folder = tempfile::tempdir()?;
                let path = folder.path().join("schedule.json");
                fs::write(&path, text)?;
                let schedule = path.to_str().map(str::to_owned);
                add(format!("{system} {seed}"), &Options { schedule, ..options.clone() });
            }
        }
    }
    Ok(lines)
}

/// The names of the public functions of a program.
fn functions(source: &[u8]) -> Result<Vec<String>> {
    let context = program::context();
    let module = program::parse(&context, source)?;
    let functions = signature::public_functions(ir::op(module.as_operation()));
    let name = |function| ir::attribute(function, "sym_name").and_then(ir::string_attribute).map(str::to_owned);
    Ok(functions.into_iter().filter_map(name).collect())
}

/// A random schedule file for the computations of a function. For a device, the schedule must be within its limits,
/// because LLVM takes unbounded time and memory for kernels with millions of values. `None` if all drawn schedules are
/// too large.
fn schedule(source: &[u8], function: &str, system: &str, tuning: &TuningContext, seed: u64) -> Result<Option<String>> {
    let context = program::context();
    let module = program::parse(&context, source)?;
    let root = ir::op(module.as_operation());
    expand_compute::run(root).map_err(|_| anyhow!("@{function} does not expand"))?;
    let system = System::builtin(system).ok_or_else(|| anyhow!("no system {system} is built in"))?;
    let mut random = Random::new(seed);
    let found = signature::find(root, Some(function))?;
    let mut draw = |computation: &Computation<'_>| -> Option<Schedule> {
        let shape = computation.shape();
        let fits = |schedule: &Schedule| {
            check::schedule(schedule).is_ok() && lint::exceeded(computation, schedule, tuning).is_empty()
        };
        let mut drawn = (0..TRIES).map(|_| random_schedule(&shape, &system, &mut random));
        drawn.find(|schedule| !system.is_device() || fits(schedule))
    };
    let schedules: Option<Vec<_>> = Computation::all(found).iter().map(|each| draw(each).map(Some)).collect();
    Ok(schedules.map(|schedules| json::several_to_text(&[(function.to_owned(), schedules)])))
}

/// The LLVM dialect of a function, and the PTX of its kernels.
fn code(source: &[u8], function: &str, options: &Options) -> Result<String> {
    let context = program::context();
    let mut module: Module<'_> = program::parse(&context, source)?;
    let found = signature::find(ir::op(module.as_operation()), Some(function))?;
    signature::export(&module, &[found]);
    program::lower(&context, &mut module, options)?;
    let text = module.as_operation().to_string();
    if options.target.kernels.is_none() {
        return Ok(text);
    }
    let kernels = Device::new(options.target, None)?.compile(&module)?;
    Ok(text + &kernels.map(|kernels| kernels.assembly).unwrap_or_default())
}
