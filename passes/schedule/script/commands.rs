//! The commands of a script: each changes the loops of a schedule, or fails with what it requires.
//!
//! ```text
//! x 512   ──tile %x by [8]──▶   x 64 · x 8        x 512   ──tile %x into [8]──▶   x 8 · x 64
//! ```
use super::{
    layers::sequential,
    state::{LoopParts, ScriptPlacement, ScriptState},
};
use mdh_dialects::{
    lowlevel::script::{BufferKind, CommandKind, ScriptPhase},
    schedule::{
        model::{ComputeAt, Level, Placement, System},
        roles::{CoreRole, MemoryRole},
        rules::Shape,
    },
};

/// What commands depend on besides the loops.
pub struct CommandContext<'a> {
    /// The system.
    pub system: &'a System,
    /// The computation.
    pub shape: &'a Shape,
    /// The part counts that replace open ones, in the order of the script; missing ones stay open.
    pub chosen: &'a [u64],
}

/// The loops after a command.
pub struct Changed {
    /// The state.
    pub state: ScriptState,
    /// The number of open part counts of the command.
    pub open: usize,
}

impl From<ScriptState> for Changed {
    fn from(state: ScriptState) -> Self {
        Self { state, open: 0 }
    }
}

impl ScriptState {
    /// The state after a command on `loops`; `chosen` of the context begins with its own open part counts.
    pub fn after(
        &self,
        command: &CommandKind,
        loops: &[usize],
        context: &CommandContext<'_>,
    ) -> Result<Changed, String> {
        let first = loops.first().copied();
        let required = || first.ok_or_else(|| "requires a loop, but there is none".to_owned());
        let mut state = self.clone();
        match command {
            CommandKind::Tile { parts, is_into } => return self.tiled(required()?, parts, *is_into, context),
            CommandKind::Interchange(phase) => state.interchange(loops, *phase),
            CommandKind::Parallelize { layer, axis, phase } => {
                state.loops[required()?].axis = *axis;
                let layer = core(layer.as_deref(), context.system)?;
                if let Some(axis) = axis.filter(|axis| *axis >= self.rank()) {
                    return Err(format!(
                        "requires one of {} dimensions after along, but it is {}",
                        self.rank(),
                        axis + 1
                    ));
                }
                state.assign(required()?, layer, *phase)?;
            }
            CommandKind::Sequentialize(layer, phase) => {
                let system = context.system;
                if system.region(layer).is_none() {
                    let known = system.memory.join(", ");
                    return Err(format!(
                        "requires a memory layer of @{}, one of {known}, but got {layer}",
                        system.name
                    ));
                }
                state.assign(required()?, layer, *phase)?;
            }
            CommandKind::Vectorize => {
                let layer = layer_of(context.system, "lanes", context.system.core_of(CoreRole::Lanes))?;
                state.assign(required()?, layer, None)?;
            }
            CommandKind::Unroll => {
                let layer = layer_of(context.system, "registers", context.system.memory_of(MemoryRole::Registers))?;
                state.assign(required()?, layer, None)?;
            }
            CommandKind::Place { of, buffer, region, layout, pad, slots } => {
                let rank = rank(*of, *buffer, context.shape)?;
                let layout = layout.clone().unwrap_or_else(|| (0..rank).collect());
                let placement = Placement { pad: *pad, buffers: *slots, ..Placement::new(region.as_str(), layout) };
                state.placements.push(ScriptPlacement { of: *of, buffer: *buffer, inside: first, placement });
            }
            CommandKind::Layout { of, buffer, layout } => {
                rank(*of, *buffer, context.shape)?;
                state.lay_out(*of, *buffer, layout, first, context.system);
            }
            CommandKind::ComputeAt([consumer, layer, dimension]) => {
                if self.at.is_some() {
                    return Err(
                        "requires one position in a later computation, but the script has one already".to_owned()
                    );
                }
                let level = Level { layer: *layer, dimension: *dimension };
                state.at = Some(ComputeAt { consumer: *consumer, level });
            }
        }
        Ok(state.into())
    }

    /// The state after a loop is split.
    fn tiled(
        &self,
        l: usize,
        parts: &[Option<u64>],
        is_into: bool,
        context: &CommandContext<'_>,
    ) -> Result<Changed, String> {
        let mut state = self.clone();
        let d = self.loops[l].dimension;
        let (count, layers) = (self.nested[d].len() + parts.len(), context.system.layers());
        if count > layers {
            return Err(format!(
                "requires at most {layers} loops of dimension {}, one for each layer of @{}, but there are {count}",
                d + 1,
                context.system.name
            ));
        }
        if self.loops[l].layers.iter().any(Option::is_some) {
            return Err("requires a loop without a layer: a loop is tiled before it is parallelized, sequentialized, vectorized or unrolled".to_owned());
        }
        let mut chosen = context.chosen.iter().copied();
        let given = parts.iter().map(|count| match count.or_else(|| chosen.next()) {
            Some(count) => LoopParts::Count(count),
            None => LoopParts::Open,
        });
        let mut given: Vec<_> = given.collect();
        let rest = match self.loops[l].parts {
            LoopParts::Count(all) => {
                let known = given.iter().try_fold(1u64, |product, parts| match parts {
                    LoopParts::Count(count) => product.checked_mul(*count),
                    _ => None,
                });
                known.map_or(LoopParts::Open, |product| LoopParts::Count(all.div_ceil(product.max(1))))
            }
            other => other,
        };
        let position = if is_into { given.len() } else { 0 };
        given.insert(position, rest);
        let first = state.loops.len();
        let new: Vec<_> = (first..first + given.len()).collect();
        state.loops.extend(given.into_iter().map(|parts| super::state::ScriptLoop { parts, ..self.loops[l].clone() }));
        let replace = |list: &mut Vec<usize>| {
            if let Some(position) = list.iter().position(|other| *other == l) {
                list.splice(position..=position, new.iter().copied());
            }
        };
        state.order.iter_mut().for_each(replace);
        replace(&mut state.nested[d]);
        for place in state.placements.iter_mut().filter(|place| place.inside == Some(l)) {
            place.inside = Some(first);
        }
        let open = parts.iter().filter(|count| count.is_none()).count();
        Ok(Changed { state, open })
    }

    /// Gives loops the places that they have together, in this order.
    fn interchange(&mut self, loops: &[usize], phase: Option<ScriptPhase>) {
        for (number, order) in self.order.iter_mut().enumerate() {
            if phase.is_some_and(|phase| phase as usize != number) {
                continue;
            }
            let mut next = loops.iter();
            for place in order.iter_mut().filter(|l| loops.contains(l)) {
                if let Some(l) = next.next() {
                    *place = *l;
                }
            }
        }
    }

    /// Assigns a loop to a layer, in one phase or in all of them.
    fn assign(&mut self, l: usize, layer: &str, phase: Option<ScriptPhase>) -> Result<(), String> {
        let d = self.loops[l].dimension;
        for number in (0..3).filter(|number| phase.is_none_or(|phase| phase as usize == *number)) {
            let is_taken =
                |other: &&usize| **other != l && self.loops[**other].layers[number].as_deref() == Some(layer);
            if self.nested[d].iter().any(|other| is_taken(&other)) {
                return Err(format!(
                    "S3: requires a layer of its own for each loop of dimension {}, but {layer} has another one already",
                    d + 1
                ));
            }
            self.loops[l].layers[number] = Some(layer.to_owned());
        }
        Ok(())
    }

    /// Changes the layout of a buffer from a loop on, or in the scalar function.
    fn lay_out(&mut self, of: BufferKind, buffer: usize, layout: &[usize], inside: Option<usize>, system: &System) {
        let order = &self.order[if of == BufferKind::Input { 0 } else { 2 }];
        let position = inside.and_then(|l| order.iter().position(|other| *other == l)).unwrap_or(order.len());
        let current = self.placed(of, buffer).get(position).copied().flatten();
        let current = current.cloned().unwrap_or_else(|| Placement::new(system.outermost(), []));
        let placement = Placement { layout: layout.to_vec(), ..current };
        self.placements.push(ScriptPlacement { of, buffer, inside, placement });
    }
}

/// The rank of a buffer.
fn rank(of: BufferKind, buffer: usize, shape: &Shape) -> Result<usize, String> {
    let ranks = if of == BufferKind::Input { &shape.inputs } else { &shape.outputs };
    let (name, count) = (of.name(), ranks.len());
    let error = || format!("requires an {name} from 1 to {count}, but it is {}", buffer + 1);
    ranks.get(buffer).copied().ok_or_else(error)
}

/// The layer of a role.
fn layer_of<'a>(system: &System, role: &str, layer: Option<&'a str>) -> Result<&'a str, String> {
    layer.ok_or_else(|| {
        format!("requires a layer of the role {role}, but the layers of @{} are {}", system.name, system.layers_text())
    })
}

/// The core layer of a parallel loop.
fn core<'a>(layer: Option<&'a str>, system: &'a System) -> Result<&'a str, String> {
    let is_for_loops = |core: &usize| system.core_roles[*core] != CoreRole::Lanes;
    let known: Vec<_> = (0..system.cores.len()).filter(is_for_loops).map(|core| system.cores[core].as_str()).collect();
    let Some(layer) = layer.or_else(|| system.host_threads().map(|core| system.cores[core].as_str())) else {
        return Err(format!(
            "requires a layer of threads, but the layers of @{} are {}",
            system.name,
            system.layers_text()
        ));
    };
    match known.contains(&layer) {
        true => Ok(layer),
        false => Err(format!(
            "requires a core layer of @{} that is not for lanes, one of {}, but got {layer}",
            system.name,
            known.join(", ")
        )),
    }
}

impl ScriptState {
    /// Requires a sequential layer for each loop that no command assigns to a layer; the error names the dimension.
    pub fn require_layers(&self, system: &System) -> Result<(), (usize, String)> {
        let layers = sequential(system);
        for d in 0..self.rank() {
            let rows = self.rows(1, system);
            if self.nested[d].iter().any(|l| rows.is_homeless[*l]) {
                let open = self.nested[d].iter().filter(|l| self.loops[**l].layers[1].is_none()).count();
                let message = format!(
                    "requires a layer for each loop of dimension {}, but {open} sequential loops have the memory layers {}: parallelize, vectorize or unroll one",
                    d + 1,
                    layers.join(", ")
                );
                return Err((d, message));
            }
        }
        Ok(())
    }
}
