//! Scripts: the commands of an `mdh.lowlevel.schedule` change the loops of a computation step by step.
//!
//! ```text
//! ^bb0(%i, %k)                     x 512 · y 4096
//! %b, %r = tile %i by [8]          x 64 · x 8 · y 4096
//! parallelize %b                   threads x 64 · x 8 · y 4096
//! unroll %r                        threads x 64 · registers x 8 · y 4096   ──▶   a schedule
//! ```
//!
//! Each command is checked by the rules of schedules; an error is at the command, with the loops before it.
mod commands;
mod complete;
mod convert;
pub mod find;
mod layers;
mod open;
pub mod space;
mod state;
pub mod steps;
#[cfg(test)]
mod tests;

use commands::CommandContext;
use mdh_dialects::{
    ir::{self, Op, OpView},
    lowlevel::script::{CommandKind, ScriptOp},
    pass::Failure,
    schedule::{
        model::{Schedule, System},
        rules::Shape,
    },
};
use state::ScriptState;
use steps::{ScriptStep, ScriptSteps};

/// A script for a computation on a system.
pub struct Script<'a, 'c> {
    /// The script.
    pub op: ScriptOp<'c>,
    /// The system.
    pub system: &'a System,
    /// The computation.
    pub shape: &'a Shape,
}

/// The loops after all commands of a script, and what led to them.
pub struct ScriptRun<'c> {
    /// The state after all commands.
    state: ScriptState,
    /// The texts of the states: the initial one, then that after each command, with the name of the command.
    steps: Vec<(&'c str, String)>,
    /// The number of open part counts.
    open: usize,
    /// By dimension: the last command that tiled one of its loops.
    tiles: Vec<Option<Op<'c>>>,
}

impl<'c> Script<'_, 'c> {
    /// Applies all commands; `chosen` has the numbers for open part counts, in the order of the script.
    pub fn run(&self, chosen: &[u64]) -> Result<ScriptRun<'c>, Failure<'c>> {
        let arguments = self.op.loops();
        let rank = self.shape.rank();
        if arguments.len() != rank {
            let message = format!(
                "requires a loop for each of {rank} dimensions, but the block has {} arguments",
                arguments.len()
            );
            return Err(Failure::new(self.op.op(), message));
        }
        let state = ScriptState::new(rank);
        let first = ("", state.text(self.system, self.shape));
        let mut run = ScriptRun { state, steps: vec![first], open: 0, tiles: vec![None; rank] };
        let steps = ScriptSteps::of(self.op);
        for (command, step) in self.op.commands().iter().zip(&steps.steps) {
            self.step(&mut run, command.op, step, chosen)?;
        }
        if let Err((d, message)) = run.state.require_layers(self.system) {
            let at = run.tiles[d].unwrap_or(self.op.op());
            return Err(Failure::new(at, message).with_note(at, format!("the loops: {}", run.loops())));
        }
        Ok(run)
    }

    /// Applies a command and checks the result.
    fn step(&self, run: &mut ScriptRun<'c>, at: Op<'c>, step: &ScriptStep, chosen: &[u64]) -> Result<(), Failure<'c>> {
        let chosen = chosen.get(run.open..).unwrap_or_default();
        let context = CommandContext { system: self.system, shape: self.shape, chosen };
        let changed = step.changed(&run.state, &context).map_err(|message| self.failure(at, message, &run.state))?;
        if let (CommandKind::Tile { .. }, Some(l)) = (&step.kind, step.loops.first()) {
            let d = run.state.loops[*l].dimension;
            run.open += changed.open;
            run.tiles[d] = Some(at);
        }
        let name = ir::name(at).rsplit('.').next().unwrap_or_default();
        run.steps.push((name, changed.state.text(self.system, self.shape)));
        run.state = changed.state;
        Ok(())
    }

    /// An error at a command, with the loops before it.
    fn failure(&self, at: Op<'c>, message: String, before: &ScriptState) -> Failure<'c> {
        let loops = before.text(self.system, self.shape);
        Failure::new(at, message).with_note(at, format!("the loops before: {loops}"))
    }
}

impl ScriptRun<'_> {
    /// The loops at the beginning and after each command, a line for each.
    pub fn history(&self) -> String {
        let line = |(command, loops): &(&str, String)| match command.is_empty() {
            true => format!("{loops}\n"),
            false => format!("  {command}: {loops}\n"),
        };
        self.steps.iter().map(line).collect()
    }

    /// Adds the final state, in which nothing is open.
    fn finish(&mut self, state: ScriptState, script: &Script<'_, '_>) {
        self.steps.push(("chosen", state.text(script.system, script.shape)));
        self.state = state;
    }

    /// The loops after the last command.
    fn loops(&self) -> &str {
        self.steps.last().map_or("", |(_, loops)| loops)
    }

    /// The schedule with the loops. Open part counts are 1.
    pub fn schedule(&self, script: &Script<'_, '_>) -> Schedule {
        self.state.schedule(script.system, script.shape)
    }
}

/// Moves an error about a position in a later computation to the command that has set it. `scripts`: each homomorphism
/// with its script.
pub fn at_command<'c>(failure: Failure<'c>, scripts: &[(Op<'c>, Option<ScriptOp<'c>>)]) -> Failure<'c> {
    let script = scripts.iter().find(|(hom, _)| Some(*hom) == failure.at).and_then(|(_, script)| *script);
    let commands = script.map(ScriptOp::commands).unwrap_or_default();
    let command = commands.iter().find(|command| matches!(command.kind, CommandKind::ComputeAt(_)));
    match (command, failure.at) {
        (Some(command), Some(hom)) => {
            Failure::new(command.op, failure.message).with_note(hom, "the computation is here")
        }
        _ => failure,
    }
}
