//! `mdh-schedule`: attaches a schedule to each computation: its own, one from a file, or the default.
//!
//! ```mlir
//! // mdh-opt --mdh-schedule=system=simple
//! mdh.lowlevel.system @simple memory [MM: global] cores []
//! func.func @mv(%M: tensor<6x8xf32>, %v: tensor<8xf32>) -> tensor<6xf32> {
//!   %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
//!       : (tensor<6x8xf32>, tensor<8xf32>) -> !mdh.mda<6x8, f32, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
//!   ^bb0(%a: f32, %b: f32):
//!     %p = arith.mulf %a, %b : f32
//!     mdh.hom.yield %p : f32
//!   } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x1, f32>
//!   %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> tensor<6xf32>
//!   return %w : tensor<6xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! %r = mdh.hom.md_hom %in .. {schedule = {decompose = {tags = [["MM,x", "MM,y"]]}, parts = [array<i64: 6, 8>], system = @simple}} {
//! ```
mod choose;
mod climb;
pub mod cost;
pub mod declare_systems;
pub mod default;
pub mod explain;
pub mod gpu;
pub mod lint;
mod order;
pub mod parts;
pub mod plan;
pub mod problem;
pub mod producers;
pub mod random;
pub mod script;
pub mod search;
pub mod space;
#[cfg(test)]
mod tests;
pub mod tuned;
pub mod tuning;

use self::{choose::Chooser, producers::ProducerSearch};
use crate::{
    analysis::computation::Computation,
    convert::math_functions::MathFunctions,
    files, lower,
    machine::Machine,
    notation::{
        attribute, chain,
        json::{self, File},
        partial::Change,
    },
    schedule::tuning::{MAX_THREADS, TuningContext},
    target::Target,
};
use mdh_dialects::{
    hom::MdHom,
    ir::{self, Builder, Op, OpView},
    pass::{Failure, MdhPass},
    pass_options,
    schedule::model::{Schedule, System},
};
use melior::dialect::DialectHandle;
use serde_json::Value;

/// The pass.
pub struct ChooseSchedule;

pass_options! {
    /// The options of the pass as texts; [`Options`] has them parsed.
    pub struct ScheduleOptions {
        /// The system of default schedules, declared in the module or built in
        system: String = "cpu",
        /// A schedule file (JSON)
        file: String = "",
        /// Number of threads that default schedules are made for; 0: the number of cores of the machine
        threads: i64 = 0,
        /// A machine description (JSON), which overrides the target of the module and the host
        machine: String = "",
        /// Changes of single schedule entries, such as parts[5][1]=12, separated by semicolons
        set: String = "",
        /// A database of tuned schedules, which replace default ones
        database: String = "",
        /// The target that tuned schedules were measured on
        target: String = "cpu",
        /// Print the loops after each command of a mdh.lowlevel.schedule to the standard error
        print_script: bool = false,
    }
}

impl MdhPass for ChooseSchedule {
    const NAME: &'static str = "ChooseSchedule";
    const ARGUMENT: &'static str = "mdh-schedule";
    const DESCRIPTION: &'static str = "Attach a schedule to each computation: its own, one from a file, or the default";
    type Options = ScheduleOptions;

    // The cost model counts the instructions in the expanded bodies of `math` functions.
    fn dependent_dialects() -> Vec<DialectHandle> {
        let own = MathFunctions::dependent_dialects();
        own.into_iter().chain([DialectHandle::llvm()]).collect()
    }

    fn run<'c>(module: Op<'c>, options: ScheduleOptions) -> Result<(), Failure<'c>> {
        let ScheduleOptions { system, file: path, threads, machine, set, database, target, print_script } = options;
        let file = match path.as_str() {
            "" => None,
            _ => {
                let text = files::read(files::reader()?, "schedule", &path)?;
                Some((path, text))
            }
        };
        let number = usize::try_from(threads).ok().filter(|threads| *threads <= MAX_THREADS);
        let threads = number
            .ok_or_else(|| format!("the number of threads must be between 0 and {MAX_THREADS}, but is {threads}"))?;
        let threads = Some(threads).filter(|&threads| threads > 0);
        let machine = match machine.as_str() {
            "" => None,
            path => Some(Machine::of(module)?.read(path, files::reader()?)?),
        };
        let changes = set.split(';').map(str::trim).filter(|change| !change.is_empty());
        let changes = changes
            .map(|change| Change::parse(change).map_err(|error| format!("the option set: '{change}': {error}")))
            .collect::<Result<Vec<_>, _>>()?;
        let database = Some(database).filter(|database| !database.is_empty());
        let target = Target::named(&target)?;
        let options = Options { system, file, threads, machine, changes, database, target, print_script };
        self::run(module, &options)
    }
}

/// The parsed options of the pass.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The system of default schedules.
    pub system: String,
    /// The name of a schedule file, for messages, and its text.
    pub file: Option<(String, String)>,
    /// Number of threads that default schedules are made for; `None` for the number of cores of the machine.
    pub threads: Option<usize>,
    /// The machine that default schedules are made for; `None` for that of the module.
    pub machine: Option<Machine>,
    /// Changes of single entries, of given and default schedules.
    pub changes: Vec<Change>,
    /// The database of tuned schedules.
    pub database: Option<String>,
    /// The target that tuned schedules were measured on.
    pub target: &'static Target,
    /// Print the loops after each command of a script to the standard error.
    pub print_script: bool,
}

/// Schedules every homomorphism of a module or a function. In a module, also declares the systems of the schedules.
pub fn run<'c>(module: Op<'c>, options: &Options) -> Result<(), Failure<'c>> {
    // If the pass runs on a function, other threads may modify the module around it.
    let is_module = ir::name(module) == "builtin.module";
    split_shared(module);
    let (computations, homs): (Vec<_>, Vec<_>) = homomorphisms(module).unzip();
    let file = match &options.file {
        Some((name, text)) => {
            let parsed = json::parse_file(text).map_err(|error| format!("{name}: {error}"))?;
            Some((name, parsed))
        }
        None => None,
    };
    // An invalid machine description is an error even if no default schedule depends on it.
    let machine = match &options.machine {
        Some(machine) => machine.clone(),
        None => Machine::of(module)?,
    };
    let tuning = TuningContext { machine, threads: options.threads };
    let names = Computation::numbered(&computations);
    if let Some((name, file)) = &file {
        fits(file, &names).map_err(|error| format!("{name}: {error}"))?;
    }
    names_exist(&options.changes, &names).map_err(|error| format!("the option set: {error}"))?;
    let scripts = script::find::scripts(module, &computations)?;
    let tuned = choose::tuned(module, &computations, &names, &scripts, options, &tuning);
    let (file, computations, names) = (file.as_ref(), computations.as_slice(), names.as_slice());
    let chooser = Chooser { options, file, tuning: &tuning, computations, names, tuned, scripts: &scripts };
    let mut schedules: Vec<Option<Schedule>> = vec![None; computations.len()];
    let mut origins = vec![String::new(); computations.len()];
    let mut expected = vec![None; computations.len()];
    for i in chooser.order() {
        let choice = chooser.choose(i, homs[i], &schedules)?;
        schedules[i] = Some(choice.schedule);
        (origins[i], expected[i]) = (choice.origin, choice.expected);
    }
    if let Some(system) = System::resolve(module, &options.system) {
        let search = ProducerSearch { computations, names, system: &system, tuning: &tuning };
        search.run(&mut schedules, &expected);
    }
    for ((md_hom, schedule), origin) in homs.iter().zip(&schedules).zip(origins) {
        let (hom, Some(schedule)) = (md_hom.op(), schedule) else { continue };
        let fail = |message: String| Failure::new(hom, format!("{origin}{message}"));
        match is_module {
            true => schedule.system.declare(hom),
            false => schedule.system.require(hom),
        }
        .map_err(fail)?;
        md_hom.set_schedule(attribute::of(schedule, ir::context(hom)).map_err(fail)?);
    }
    let has_producers = schedules.iter().flatten().any(|schedule| schedule.at.is_some());
    if has_producers {
        let scripts: Vec<_> = homs.iter().map(|hom| hom.op()).zip(scripts.iter().copied()).collect();
        lower::producers::check(&Computation::all(module)).map_err(|failure| script::at_command(failure, &scripts))?;
    }
    if is_module {
        script::find::erase(module);
    }
    Ok(())
}

/// Returns the computations that are not partitioned yet, with their homomorphisms.
fn homomorphisms<'c>(module: Op<'c>) -> impl Iterator<Item = (Computation<'c>, MdHom<'c>)> {
    Computation::all(module).into_iter().filter_map(|computation| {
        let hom = computation.md_hom()?;
        Some((computation, hom))
    })
}

/// Gives each out_view its own md_hom, because a schedule places the buffers of one out_view.
fn split_shared(module: Op<'_>) {
    let mut seen: Vec<MdHom<'_>> = vec![];
    for (computation, hom) in homomorphisms(module) {
        if !seen.contains(&hom) {
            seen.push(hom);
            continue;
        }
        let copy = Builder::before(hom.op()).clone_operation(hom.op());
        computation.out_view.set_mda(ir::results(copy)[0]);
    }
    for hom in MdHom::all(module) {
        // Results without uses need no schedule.
        if ir::users(hom.result()).is_empty() {
            let input = ir::defining(hom.mda());
            ir::erase(hom.op());
            if let Some(view) = input.filter(|view| ir::is_unused(*view)) {
                ir::erase(view);
            }
        }
    }
}

/// Returns the schedules of all computations of a module as the text of a schedule file.
pub fn export<'c>(module: Op<'c>) -> Result<String, Failure<'c>> {
    let computations = Computation::all(module);
    let schedules = computations
        .iter()
        .map(|computation| chain::schedule(computation).map_err(|error| Failure::new(computation.hom.op(), error)));
    let schedules = schedules.collect::<Result<Vec<_>, _>>()?;
    let names = Computation::numbered(&computations);
    Ok(json::file_text(names.iter().zip(&schedules).map(|((function, _), schedule)| (function.as_str(), schedule))))
}

/// Checks that the computation of every change exists.
fn names_exist(changes: &[Change], names: &[(String, usize)]) -> Result<(), String> {
    for change in changes {
        match &change.computation {
            None if names.len() == 1 => {}
            None => {
                let count = names.len();
                return Err(format!(
                    "{change} requires one computation, but the module has {count}: schedules.FUNCTION[NUMBER] names one"
                ));
            }
            Some(wanted) if names.contains(wanted) => {}
            Some((function, number)) => {
                let known: Vec<_> = names.iter().map(|(name, number)| format!("{name}[{number}]")).collect();
                return Err(format!("{change}: no computation {function}[{number}], only {}", known.join(", ")));
            }
        }
    }
    Ok(())
}

/// Checks that the computation of every schedule of a file exists.
fn fits(file: &File<Value>, names: &[(String, usize)]) -> Result<(), String> {
    let File::Several(functions) = file else {
        return match names.len() {
            1 => Ok(()),
            count => Err(format!(
                "one schedule requires one computation, but the module has {count}: name the functions under \"schedules\""
            )),
        };
    };
    for (function, schedules) in functions {
        let count = names.iter().filter(|(name, _)| name == function).count();
        if count == 0 {
            let mut known: Vec<_> = names.iter().map(|(name, _)| format!("@{name}")).collect();
            known.dedup();
            return Err(format!("no computation in @{function}, only in {}", known.join(", ")));
        }
        if schedules.len() > count {
            return Err(format!("{} schedules for @{function}, but it has {count} computations", schedules.len()));
        }
    }
    Ok(())
}
