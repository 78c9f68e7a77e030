//! The commands of a script on numbered loops, without the operations of the program.
//!
//! ```text
//! ^bb0(%i, %k)                     loops 0, 1
//! %b, %r = tile %i by [?]          0 ──▶ 2, 3
//! unroll %r                        3
//! ```
//!
//! A loop has the number that it has in the state of the loops: dimensions first, then the results of `tile`.
use super::{
    commands::{Changed, CommandContext},
    state::ScriptState,
};
use mdh_dialects::{
    ir::{self, Val},
    lowlevel::script::{CommandKind, ScriptOp},
    schedule::{
        model::{Schedule, System},
        rules::Shape,
    },
};

/// A command on numbered loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptStep {
    /// The loops that the command names.
    pub loops: Vec<usize>,
    /// What the command does with them.
    pub kind: CommandKind,
}

/// The commands of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptSteps {
    /// The symbol of the system, if one is given.
    pub system: Option<String>,
    /// The commands in order.
    pub steps: Vec<ScriptStep>,
    /// By dimension: true if no command names its loop.
    pub is_open: Vec<bool>,
}

impl ScriptSteps {
    /// Returns the commands of a script.
    pub fn of(script: ScriptOp<'_>) -> Self {
        let arguments = script.loops();
        let is_open = arguments.iter().map(|argument| ir::users(*argument).is_empty()).collect();
        let mut handles: Vec<(Val<'_>, usize)> = arguments.into_iter().zip(0..).collect();
        let (mut steps, mut next) = (vec![], handles.len());
        for command in script.commands() {
            let named = |value: &Val<'_>| handles.iter().find(|(handle, _)| handle == value).map(|(_, l)| *l);
            let loops = command.loops.iter().filter_map(named).collect();
            if let CommandKind::Tile { parts, .. } = &command.kind {
                handles.extend(command.results.into_iter().zip(next..));
                next += parts.len() + 1;
            }
            steps.push(ScriptStep { loops, kind: command.kind });
        }
        Self { system: script.system().map(str::to_owned), steps, is_open }
    }

    /// Returns the loops after all commands; the error is that of the first command that breaks a rule. `chosen` has the
    /// numbers for open part counts, in the order of the script.
    pub fn state(&self, system: &System, shape: &Shape, chosen: &[u64]) -> Result<ScriptState, String> {
        let (mut state, mut open) = (ScriptState::new(shape.rank()), 0);
        for step in &self.steps {
            let context = CommandContext { system, shape, chosen: chosen.get(open..).unwrap_or_default() };
            let Changed { state: changed, open: more, .. } = step.changed(&state, &context)?;
            (state, open) = (changed, open + more);
        }
        state.require_layers(system).map_err(|(_, message)| message)?;
        Ok(state)
    }

    /// Returns the dimensions of the open part counts, in the order of the script.
    pub fn open_counts(&self) -> Vec<usize> {
        let mut dimensions: Vec<usize> = (0..self.is_open.len()).collect();
        let mut open = vec![];
        for (l, parts, _) in self.tiles() {
            let d = dimensions.get(l).copied().unwrap_or_default();
            dimensions.extend(vec![d; parts.len() + 1]);
            open.extend(parts.iter().filter(|count| count.is_none()).map(|_| d));
        }
        open
    }

    /// Returns numbers for the open part counts that give a schedule, if any do. `state`: the loops after all commands.
    /// A loop that was split has the parts of all loops that it was split into.
    pub fn counts_of(&self, schedule: &Schedule, state: &ScriptState) -> Vec<u64> {
        let rows = state.rows(1, &schedule.system).rows;
        let mut parts = vec![1u64; state.loops.len()];
        for l in state.nested.iter().flatten().copied() {
            let row = rows[l].and_then(|row| schedule.parts.get(row));
            parts[l] = row.and_then(|row| *row.get(state.loops[l].dimension)?).unwrap_or(1);
        }
        let (mut first, mut counts) = (state.loops.len(), vec![]);
        for (l, given, is_into) in self.tiles().collect::<Vec<_>>().into_iter().rev() {
            first = first.saturating_sub(given.len() + 1);
            let results = &parts[first..=first + given.len()];
            let own = if is_into { &results[..given.len()] } else { &results[1..] };
            let open = own.iter().zip(given).filter(|(_, given)| given.is_none()).map(|(count, _)| *count);
            // The script's order is the reverse of this one.
            counts.splice(0..0, open);
            parts[l] = results.iter().fold(1, |product, count| product.saturating_mul(*count));
        }
        counts
    }

    /// Returns the loops that are split, with the given numbers of parts, and whether they are those of the outer loops.
    fn tiles(&self) -> impl Iterator<Item = (usize, &[Option<u64>], bool)> {
        self.steps.iter().filter_map(|step| match &step.kind {
            CommandKind::Tile { parts, is_into } => Some((*step.loops.first()?, parts.as_slice(), *is_into)),
            _ => None,
        })
    }
}

impl ScriptStep {
    /// Returns the loops after the command, which break no rule; the error is the rule that they break.
    pub fn changed(&self, state: &ScriptState, context: &CommandContext<'_>) -> Result<Changed, String> {
        let changed = state.after(&self.kind, &self.loops, context)?;
        changed.state.check(context.system, context.shape)?;
        Ok(changed)
    }
}
