//! The choice of the schedule of one computation: its own, one from a file, or the default, with the changes of `set`.
use super::{
    Options,
    default::{self, default_schedule},
    lint, order, parts,
    script::{Script, steps::ScriptSteps},
    tuned::{self, TuningKey},
    tuning::TuningContext,
};
use crate::{
    analysis::{computation::Computation, index::Domain},
    lower::producers,
    notation::{
        attribute,
        json::{self, File},
        partial,
        reader::Node,
    },
};
use mdh_dialects::{
    hom::MdHom,
    ir::{Op, OpView},
    lowlevel::script::ScriptOp,
    pass::{Failure, emit_warning},
    schedule::{
        model::{ComputeAt, Level, Schedule, System},
        rules, systems,
    },
};
use serde_json::Value;

/// The computations of a module, and everything that their schedules are chosen from.
pub struct Chooser<'a, 'c> {
    /// The options.
    pub options: &'a Options,
    /// The name of the schedule file, and its contents.
    pub file: Option<&'a (&'a String, File<Value>)>,
    /// The target of default schedules.
    pub tuning: &'a TuningContext,
    /// The computations.
    pub computations: &'a [Computation<'c>],
    /// By computation: its function, and its number in the function.
    pub names: &'a [(String, usize)],
    /// By computation: the schedule that a tuner has found.
    pub tuned: Vec<Option<Schedule>>,
    /// By computation: the script that schedules it, if any.
    pub scripts: &'a [Option<ScriptOp<'c>>],
}

/// A schedule, and what is known about it.
pub struct Choice {
    /// The schedule.
    pub schedule: Schedule,
    /// The prefix of messages about it.
    pub origin: String,
    /// The predicted time in seconds, if it is the default that a search has found.
    pub expected: Option<f64>,
}

/// The schedules that have been chosen, by computation.
pub type Chosen = [Option<Schedule>];

impl<'c> Chooser<'_, 'c> {
    /// The order in which schedules are chosen. Partial schedules of producers come last, and the last of them first: the
    /// default that completes them depends on what reads their results.
    pub fn order(&self) -> Vec<usize> {
        let is_last = |i: &usize| self.given(*i).is_some_and(|given| partial::is_partial(given) && has_position(given));
        let (last, first): (Vec<_>, Vec<_>) = (0..self.computations.len()).partition(is_last);
        first.into_iter().chain(last.into_iter().rev()).collect()
    }

    /// Chooses the schedule of a computation.
    pub fn choose(&self, i: usize, md_hom: MdHom<'c>, chosen: &Chosen) -> Result<Choice, Failure<'c>> {
        let (computation, hom) = (&self.computations[i], md_hom.op());
        let (function, number) = &self.names[i];
        let shape = computation.shape();
        let resolve = |name: &str| System::resolve(hom, name);
        let default = |system: Option<System>, place: Option<ComputeAt>| {
            let system = system.or_else(|| resolve(&self.options.system)).ok_or_else(|| {
                let known = systems::BUILTIN.join(", ");
                format!("unknown system {:?}: requires one of the module or {known}", self.options.system)
            })?;
            match place {
                Some(place) => self.default_of_parts(i, place, &system, chosen).map(|schedule| (schedule, None)),
                None => Ok(default::expected(computation, &system, self.tuning)),
            }
        };
        let mut expected = None;
        let (schedule, origin) = match (md_hom.schedule(), self.scripts[i], self.file.zip(self.given(i))) {
            (Some(own), _, _) => (attribute::read(own, &shape, hom), String::new()),
            (None, Some(script), given) => {
                if let Some(((name, _), _)) = given {
                    let message = format!(
                        "requires one schedule for a computation, but {name} has one for computation {} of @{function}, too",
                        number + 1
                    );
                    return Err(Failure::new(script.op(), message));
                }
                (Ok(self.scripted(i, script)?), String::new())
            }
            (None, None, Some(((name, _), value))) => {
                let origin = format!("{name}: the schedule of computation {} in @{function}: ", number + 1);
                let schedule = match partial::is_partial(value) {
                    true => position(value).and_then(|place| {
                        let completed =
                            partial::complete(value, &shape, &resolve, |system| Ok(default(system, place)?.0))?;
                        Ok(match place.is_none() && order::is_open(value) {
                            true => order::best(completed, value, computation, self.tuning),
                            false => completed,
                        })
                    }),
                    false => json::from_value(value, &shape, &resolve),
                };
                let outdated = schedule.as_ref().ok().and_then(|read| json::system::warning(value, &read.system));
                outdated.iter().for_each(|warning| emit_warning(hom, &format!("{origin}{warning}")));
                (schedule, origin)
            }
            (None, None, None) => match &self.tuned[i] {
                Some(tuned) => (Ok(tuned.clone()), String::new()),
                None => {
                    let found = default(None, None);
                    expected = found.as_ref().ok().and_then(|(_, seconds)| *seconds);
                    (found.map(|(schedule, _)| schedule), String::new())
                }
            },
        };
        let fail = |message: String| Failure::new(hom, format!("{origin}{message}"));
        let mut schedule = schedule.map_err(fail)?;
        let changes = self.changes(i);
        if !changes.is_empty() {
            expected = None;
            schedule = partial::changed(&schedule, &changes, &shape, &resolve)
                .map_err(|error| fail(format!("the option set: {error}")))?;
        }
        rules::check(&schedule, &shape).map_err(|violations| fail(rules::summary(&violations)))?;
        let is_given =
            md_hom.schedule().is_some() || self.scripts[i].is_some() || !origin.is_empty() || !changes.is_empty();
        if is_given {
            let warnings = lint::warnings(computation, &schedule, self.tuning);
            warnings.iter().for_each(|warning| emit_warning(hom, &format!("{origin}{warning}")));
        }
        Ok(Choice { schedule, origin, expected })
    }

    /// The schedule that a script makes.
    fn scripted(&self, i: usize, op: ScriptOp<'c>) -> Result<Schedule, Failure<'c>> {
        let name = op.system().unwrap_or(&self.options.system);
        let system = System::resolve(op.op(), name).ok_or_else(|| {
            let known = systems::BUILTIN.join(", ");
            Failure::new(op.op(), format!("requires a system of the module or one of {known}, but got {name}"))
        })?;
        let shape = self.computations[i].shape();
        let (computation, tuned) = (&self.computations[i], self.tuned[i].as_ref());
        let script = Script { op, system: &system, shape: &shape };
        if op.commands().is_empty() {
            script.run(&[])?;
            let own = || default_schedule(computation, &system, self.tuning);
            return Ok(tuned.cloned().unwrap_or_else(own));
        }
        let completed = tuned.and_then(|schedule| script.completed_by(schedule, computation, self.tuning));
        let run = match completed {
            Some(run) => run,
            None => script.complete(computation, self.tuning)?,
        };
        if self.options.print_script {
            let (function, number) = &self.names[i];
            eprint!("@{function}, computation {}, on @{}: {}", number + 1, system.name, run.history());
        }
        Ok(run.schedule(&script))
    }

    /// The default schedule of a producer that is computed in parts: the default for the extents of a part, on one thread.
    fn default_of_parts(
        &self,
        i: usize,
        place: ComputeAt,
        system: &System,
        chosen: &Chosen,
    ) -> Result<Schedule, String> {
        let function = &self.names[i].0;
        let is_consumer = |other: &usize| self.names[*other] == (function.clone(), place.consumer);
        let consumer = (0..self.computations.len()).find(is_consumer);
        let computation = &self.computations[i];
        let single = TuningContext { threads: Some(1), ..self.tuning.clone() };
        let of_extents = |extents: Vec<Option<u64>>| {
            let part = Computation { domain: Domain::new(extents), ..computation.clone() };
            // A thread of a kernel runs all loops of a producer.
            let schedule = match system.is_device() {
                true => default::sequential(&part, system, &single),
                false => default_schedule(&part, system, &single),
            };
            parts::of_producer(&schedule, &computation.operators)
        };
        let whole = || of_extents(computation.domain.extents().collect());
        let Some((consumer, schedule)) = consumer.and_then(|of| Some((of, chosen[of].as_ref()?))) else {
            return Ok(whole());
        };
        let level = |other: usize| -> Option<Level> {
            let known = chosen[other].as_ref().and_then(|schedule| schedule.at);
            let at = known.or_else(|| self.given(other).and_then(|value| position(value).ok()?))?;
            (self.names[other].0 == *function && at.consumer == place.consumer).then_some(at.level)
        };
        let producers: Vec<_> = (0..consumer).filter_map(|other| Some((other, level(other)?))).collect();
        let number = producers.iter().position(|(other, _)| *other == i);
        let producers: Vec<_> = producers.iter().map(|(other, level)| (&self.computations[*other], *level)).collect();
        match number {
            Some(number) => {
                producers::extents(&self.computations[consumer], schedule, &producers, number).map(of_extents)
            }
            None => Ok(whole()),
        }
    }

    fn changes(&self, i: usize) -> Vec<&partial::Change> {
        let (function, number) = &self.names[i];
        let is_here = |change: &&partial::Change| match &change.computation {
            None => true,
            Some((name, place)) => name == function && place == number,
        };
        self.options.changes.iter().filter(is_here).collect()
    }

    /// The schedule that the file has for a computation.
    fn given(&self, i: usize) -> Option<&Value> {
        let (function, number) = &self.names[i];
        match &self.file?.1 {
            File::One(schedule) => Some(schedule),
            File::Several(functions) => functions.iter().find(|(name, _)| name == function)?.1.get(*number)?.as_ref(),
        }
    }
}

/// By computation: the schedule of the database for all computations of its function, if those with a script have what
/// the script decides. A database that cannot be used is a warning.
pub fn tuned<'c>(
    module: Op<'c>,
    computations: &[Computation<'c>],
    names: &[(String, usize)],
    scripts: &[Option<ScriptOp<'c>>],
    options: &Options,
    tuning: &TuningContext,
) -> Vec<Option<Schedule>> {
    let mut schedules = vec![None; computations.len()];
    let Some(database) = &options.database else { return schedules };
    let completes = |i: usize, schedule: &Schedule| {
        let Some(op) = scripts[i] else { return true };
        let system = System::resolve(op.op(), op.system().unwrap_or(&options.system));
        let Some(system) = system.filter(|system| *system == schedule.system) else { return false };
        let script = Script { op, system: &system, shape: &computations[i].shape() };
        op.commands().is_empty() || script.completed_by(schedule, &computations[i], tuning).is_some()
    };
    let find = |schedules: &mut Vec<Option<Schedule>>| -> Result<(), String> {
        let source = tuned::open(database)?;
        for function in names.chunk_by(|a, b| a.0 == b.0) {
            let is_own = |name: &(String, usize)| name.0 == function[0].0;
            let own: Vec<_> = (0..names.len()).filter(|i| is_own(&names[*i])).collect();
            let of_function: Vec<_> = own.iter().map(|i| &computations[*i]).collect();
            let own_scripts: Vec<_> = own.iter().map(|i| scripts[*i].map(ScriptSteps::of)).collect();
            let key = TuningKey::of(&of_function, &own_scripts, options.target, tuning);
            let Some(text) = source.best(&key)? else { continue };
            let resolve = |name: &str| System::resolve(module, name);
            // Schedules of another program, which violate a rule here, are none for this one.
            let found = tuned::from_text(&text, &of_function, &resolve).unwrap_or_default();
            if own.iter().zip(&found).all(|(i, schedule)| completes(*i, schedule)) {
                own.iter().zip(found).for_each(|(i, schedule)| schedules[*i] = Some(schedule));
            }
        }
        Ok(())
    };
    if let Err(error) = find(&mut schedules) {
        emit_warning(module, &format!("default schedules are used instead of tuned ones: {error}"));
    }
    schedules
}

/// True if a schedule has a position in a consumer.
fn has_position(schedule: &Value) -> bool {
    schedule.get("at").is_some_and(|at| !at.is_null())
}

/// The position in a consumer that a schedule has.
fn position(schedule: &Value) -> Result<Option<ComputeAt>, String> {
    Node::root(schedule).optional("at").map(|at| json::read_at(&at)).transpose()
}
