//! The tuning of one function: its inputs, the reference results, the search space, and the session.
use super::{
    database::LateDatabase,
    options::{INTERRUPTED, Tune},
    outcome::TuningOutcome,
    scripts, worker,
};
use crate::{
    array::{Array, Element},
    commands::{inputs, process, run},
    compare::{self, Coverage},
    device,
    explain::{self, Scheduled},
    machine, npy, program, reference, signature,
    signature::Signature,
    source::Language,
    temporary,
    tuning::{
        inputs::generate,
        session::{Record, State, Tuned, TuningSession, TuningSetup},
        turn::{self, Turn},
    },
};
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use mdh_database::{COMPILER, Key};
use mdh_dialects::{
    ir,
    schedule::model::{Schedule, System},
};
use mdh_execution::failure::os_message;
use mdh_passes::{
    analysis::computation::Computation,
    machine::Machine,
    notation::json,
    pipeline::{Options, REFERENCE},
    schedule::{
        tuned::{self, TuningKey},
        tuning::TuningContext,
    },
    tune::{adapt, landscape::Landscape, program::ProgramSpace, strategy},
};
use std::{
    env,
    ffi::OsString,
    fs,
    io::{IsTerminal, Read, stderr, stdin},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::Duration,
};

/// The number of tuned sizes from which a new size starts.
const NEIGHBORS: usize = 3;
/// The number of schedules of earlier sessions that are measured again at first.
const AGAIN: usize = 2;

/// Minimum time limit of the runs of a candidate.
const PATIENCE: Duration = Duration::from_secs(20);

/// A tuner of the functions of a program.
pub struct Tuner<'a> {
    tune: &'a Tune,
    /// Its command line, after the name of the command.
    arguments: &'a [OsString],
    database: Option<&'a LateDatabase>,
    /// The name of the program in messages.
    name: String,
    source: Vec<u8>,
}

/// A function with the reference results, all in files and memory.
struct Prepared {
    signature: Signature,
    written: Vec<usize>,
    expected: reference::ReferenceOutcome,
    /// By output: the type of its elements.
    elements: Vec<Element>,
}

impl<'a> Tuner<'a> {
    /// Reads a program.
    pub fn new(
        tune: &'a Tune,
        arguments: &'a [OsString],
        file: &Path,
        database: Option<&'a LateDatabase>,
    ) -> Result<Self> {
        let mut source = vec![];
        if file == Path::new("-") {
            stdin().read_to_end(&mut source).context("cannot read the standard input")?;
        } else if Language::of(file) != Language::Mlir {
            let context = program::context();
            source = program::read(&context, file, &tune.clang.flags)?.as_operation().to_string().into_bytes();
        } else {
            let text = fs::read(file);
            source = text.map_err(|error| anyhow!("cannot read '{}': {}", file.display(), os_message(&error)))?;
        }
        Ok(Self { tune, arguments, database, name: file.display().to_string(), source })
    }

    /// Tunes a function.
    pub fn run(&self, function: Option<&str>) -> Result<TuningOutcome> {
        let folder = temporary::folder_in(&env::temp_dir()).context("cannot make a temporary folder")?;
        let context = program::context();
        let mut module = program::parse(&context, &self.source)?;
        let (signature, written) = {
            let function = signature::find(ir::op(module.as_operation()), function)?;
            signature::export(&module, &[function]);
            (signature::of(function)?, inputs::written(function))
        };
        let given = &self.tune.execution.input;
        let arguments = match given.is_empty() && !signature.arguments.is_empty() {
            true => generate(&signature)?,
            false => inputs::read(&signature, given)?,
        };
        let machine = self.machine(&module)?;
        let options = Options { stop_after: Some("schedule".to_owned()), ..self.tune.passes(None)? };
        let scripts = scripts::of(&context, &self.source, &signature.name, &options)?;
        program::lower(&context, &mut module, &options)?;
        let operation = ir::op(module.as_operation());
        let all =
            explain::selected(explain::scheduled(operation)?, Some(&signature.name), &format!("'{}'", self.name))?;
        let threads = self.tune.lowering.threads;
        let tuning = TuningContext { machine, threads };
        let system = options.system.as_deref().unwrap_or(options.target.default_system);
        let system = System::resolve(operation, system).ok_or_else(|| anyhow!("unknown system '{system}'"))?;
        let (computations, names, defaults) = parts(&all);
        let mut space = ProgramSpace::of(&computations, &names, &defaults, &scripts, &system, &tuning);
        ensure!(!space.is_single(), "'{}' has no choices: its default schedule is the only one", signature.name);
        let own: Vec<_> = computations.iter().collect();
        let key = Key::from(&TuningKey::of(&own, &scripts, options.target, &tuning));
        let earlier = self.earlier(&key, &mut space, &own, &|name| System::resolve(operation, name))?;
        let prepared = self.prepare(signature, written, arguments, folder.path())?;
        let _turn = Turn::take(turn::TUNER, &INTERRUPTED, || {
            eprintln!("note: another tuner measures on this machine; '{}' waits for its end", prepared.signature.name);
        });
        let tuned = self.session(&prepared, &space, &key, earlier, folder.path())?;
        let function = &prepared.signature.name;
        let coverage = Coverage::of(&prepared.expected, &prepared.written);
        TuningOutcome::new(self.tune, (&self.name, &self.source), function, key, &all, (tuned, coverage))
    }

    /// The machine that default schedules are made for, which becomes the target of the module.
    fn machine(&self, module: &melior::ir::Module<'_>) -> Result<Machine> {
        let selected = self.tune.execution.engine.api().map(mdh_runtime::selected).transpose()?;
        let described = selected.as_ref().map(|selected| device::description(selected, &Machine::host()));
        let file = self.tune.lowering.machine.as_deref();
        let machine = machine::Options { file, target: None, device: described.as_ref() };
        machine.attach(module)?;
        machine.machine(Some(module))
    }

    /// What earlier sessions have measured, and the schedules to begin with.
    fn earlier(
        &self,
        key: &Key,
        space: &mut ProgramSpace,
        computations: &[&Computation<'_>],
        resolve: &dyn Fn(&str) -> Option<System>,
    ) -> Result<Earlier> {
        let mut earlier = Earlier::default();
        let Some(database) = self.database.map(LateDatabase::open).transpose()? else { return Ok(earlier) };
        let mut again = 0;
        for stored in database.rows(key, COMPILER)? {
            let text = stored.measurement.schedule;
            let Ok(schedules) = tuned::from_text(&text, computations, resolve) else {
                // What a rule refuses is not a point, and is not compiled again.
                if stored.is_current {
                    earlier.refused.push((text, stored.measurement.outcome));
                }
                continue;
            };
            if !space.admits(&schedules) {
                continue;
            }
            let point = space.point(&schedules);
            let is_measured = stored.seconds.is_some();
            if stored.is_current && !stored.measurement.is_default {
                earlier.known.push((point.clone(), schedules, stored.measurement.outcome));
            }
            // The best one is measured again, because others are compared with it.
            if is_measured && again < AGAIN && !stored.measurement.is_default {
                again += 1;
                earlier.first.push((point, "database".to_owned()));
            }
        }
        if again == 0 {
            for neighbor in database.nearest(key, COMPILER, NEIGHBORS)? {
                let text = &neighbor.stored.measurement.schedule;
                let from = format!("extents {}", neighbor.stored.key.extents);
                let adapted = adapt::adapted(text, computations, resolve);
                if let Some(schedules) = adapted.filter(|schedules| space.admits(schedules)) {
                    earlier.first.push((space.point(&schedules), from));
                }
            }
        }
        Ok(earlier)
    }

    /// Writes the inputs to files, and computes the reference results.
    fn prepare(
        &self,
        signature: Signature,
        written: Vec<usize>,
        arguments: Vec<Array>,
        folder: &Path,
    ) -> Result<Prepared> {
        let mut inputs = arguments.iter().enumerate();
        inputs.try_for_each(|(i, array)| npy::write(&worker::input(folder, i), array))?;
        fs::write(worker::program(folder), &self.source).context("cannot write the program to a temporary file")?;
        let context = program::context();
        let mut module = program::parse(&context, &self.source)?;
        program::run(&context, &mut module, &format!("builtin.module({REFERENCE})"))?;
        let function = signature::find(ir::op(module.as_operation()), Some(&signature.name))?;
        if run::has_dynamic_extents(function) {
            reference::check(function, arguments.clone())?;
        }
        let expected = run::evaluate(function, arguments, reference::evaluate_sample)?;
        let results = signature.results.iter().map(|result| result.element);
        let elements = results.chain(written.iter().map(|i| signature.arguments[*i].element)).collect();
        Ok(Prepared { signature, written, expected, elements })
    }

    fn session(
        &self,
        prepared: &Prepared,
        space: &ProgramSpace,
        key: &Key,
        earlier: Earlier,
        folder: &Path,
    ) -> Result<Tuned> {
        let function = &prepared.signature.name;
        let command = |schedule: &Path, outputs: &Path| -> Vec<OsString> {
            let own = worker::arguments(function, folder, schedule, outputs);
            process::own_program().into_iter().chain(own).chain(self.arguments.iter().cloned()).collect()
        };
        let check = |files: &[PathBuf]| -> Result<Option<String>> {
            let outputs = files.iter().zip(&prepared.elements);
            let outputs: Vec<_> =
                outputs.map(|(file, element)| Ok(npy::read(file, *element, false)?.0)).collect::<Result<_>>()?;
            Ok(compare::outputs(&prepared.expected, &outputs, &prepared.written).problem)
        };
        let file = |schedules: &[Schedule]| file(function, schedules);
        let bar = progress(function);
        let show = |state: &State<'_>| {
            let count = state.evaluations.len();
            let rate = count as f64 / state.start.elapsed().as_secs_f64().max(1e-9);
            bar.set_message(format!(
                "{function}: best {:.3e} s, {:.2} times as fast as the default; {count} evaluations, {rate:.1}/s, {}",
                state.best * state.default,
                1.0 / state.best,
                self.tune.budget.left(state.start, count)
            ));
        };
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let setup = TuningSetup {
            command: &command,
            check: &check,
            file: &file,
            budget: self.tune.budget,
            ahead: self.tune.ahead.unwrap_or(cores),
            patience: PATIENCE,
            interrupted: &INTERRUPTED,
            progress: &show,
        };
        let name = self.tune.strategy.as_str();
        let Some(strategy) = strategy::strategy(name, space, self.tune.seed) else {
            bail!("unknown strategy '{name}'")
        };
        let database = self.database.map(LateDatabase::open).transpose()?;
        let record = database.map(|database| Record { database, key, function });
        let mut session = TuningSession::new(setup, space, (name, strategy), record, folder);
        for (point, schedules, outcome) in earlier.known {
            session.known(point, &schedules, outcome);
        }
        earlier.refused.into_iter().for_each(|(text, outcome)| session.refused(text, outcome));
        earlier.first.into_iter().for_each(|(point, from)| session.first(point, &from));
        let tuned = session.run();
        bar.finish_and_clear();
        tuned
    }
}

/// Schedules of a function as the text of a schedule file that names the function, for programs with others.
pub fn file(function: &str, schedules: &[Schedule]) -> String {
    json::several_to_text(&[(function.to_owned(), schedules.iter().cloned().map(Some).collect())])
}

/// What earlier sessions have measured.
#[derive(Default)]
struct Earlier {
    known: Vec<(<ProgramSpace as Landscape>::Point, Vec<Schedule>, mdh_database::Outcome)>,
    first: Vec<(<ProgramSpace as Landscape>::Point, String)>,
    /// Texts of schedules that violate a rule.
    refused: Vec<(String, mdh_database::Outcome)>,
}

/// The computations, their names, and their schedules.
#[allow(clippy::type_complexity)]
fn parts<'c>(all: &[Scheduled<'c>]) -> (Vec<Computation<'c>>, Vec<(String, usize)>, Vec<Schedule>) {
    let computations = all.iter().map(|one| one.computation.clone()).collect();
    let names = all.iter().map(|one| (one.function.clone(), one.number)).collect();
    (computations, names, all.iter().map(|one| one.schedule.clone()).collect())
}

/// A line of progress on a terminal.
fn progress(function: &str) -> ProgressBar {
    if !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        bar.set_style(style);
    }
    bar.set_message(format!("{function}: the default schedule is measured"));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
