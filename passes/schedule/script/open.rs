//! The loops of the dimensions that a script leaves open: those of the best plan that has the loops of the script.
//!
//! ```text
//! threads x 8 · x 32 · y 384 · z 512   ──▶   threads x 8 · y 8 · x 32 · registers y 3 · vector y 16 · z 512
//! ```
use super::{
    Script,
    complete::search,
    state::{LoopParts, ScriptLoop, ScriptPlacement, ScriptState},
};
use crate::{
    analysis::computation::Computation,
    schedule::{
        default::MAX_EXTENT,
        plan::{HostLayers, LoopKind, Plan},
        problem::Problem,
        search::fixed::{FixedLoop, FixedLoops},
        tuning::TuningContext,
    },
};
use mdh_dialects::{
    ir,
    lowlevel::script::BufferKind,
    schedule::{
        model::{Placement, System},
        roles::{CoreRole, HostCore, MemoryRole},
        rules,
    },
};

/// Maximum number of points of a register tile: levels of larger tiles are loops.
const MAX_TILE: u64 = 2048;

impl<'c> Script<'_, 'c> {
    /// By dimension: true if no command names its loop.
    pub fn open_dimensions(&self) -> Vec<bool> {
        self.op.loops().into_iter().map(|argument| ir::users(argument).is_empty()).collect()
    }

    /// Returns the loops of a script with those of the best plan for the open dimensions. `None` if there is none: no
    /// dimension is open, the system has no search for plans, the phases differ, the results are computed in parts, or
    /// no plan has the loops of the script.
    pub fn opened(
        &self,
        state: &ScriptState,
        computation: &Computation<'c>,
        tuning: &TuningContext,
    ) -> Option<ScriptState> {
        let is_open = self.open_dimensions();
        let layers = HostLayers::of(self.system)?;
        let is_fused = state.order.windows(2).all(|pair| pair[0] == pair[1]);
        if !is_open.contains(&true) || state.at.is_some() || !is_fused {
            return None;
        }
        let problem = Problem::of(computation, tuning.functions(self.system));
        if problem.extents().any(|extent| extent > MAX_EXTENT) {
            return None;
        }
        let ids: Vec<_> = state.order[1].iter().copied().filter(|l| !is_open[state.loops[*l].dimension]).collect();
        let loops = ids.iter().map(|l| FixedLoop {
            dimension: state.loops[*l].dimension,
            kind: kind(state.loops[*l].layers[1].as_deref(), self.system),
            parts: state.parts(*l, self.shape, None),
        });
        let is_placed = |buffer: usize| {
            state.placements.iter().any(|place| place.of == BufferKind::Input && place.buffer == buffer)
        };
        let may_pack = (0..self.shape.inputs.len()).map(|buffer| !is_placed(buffer)).collect();
        let fixed = FixedLoops { loops: loops.collect(), is_open, may_pack };
        if fixed.tile() > MAX_TILE {
            return None;
        }
        let plan = search(&problem, self.system, tuning, Some(&fixed)).best()?;
        let positions = fixed.positions(&plan)?;
        let merged = self.merged(state, &plan, &ids, &positions, &fixed.is_open, layers.packed());
        rules::check(&merged.schedule(self.system, self.shape), self.shape).is_ok().then_some(merged)
    }

    /// The loops of a plan, with the handles of the script: `ids` are loops of the script, `positions` theirs in the plan.
    fn merged(
        &self,
        state: &ScriptState,
        plan: &Plan,
        ids: &[usize],
        positions: &[Option<usize>],
        is_open: &[bool],
        region: &str,
    ) -> ScriptState {
        let mut state = state.clone();
        let mut order: Vec<Option<usize>> = vec![None; plan.loops.len()];
        for (l, position) in ids.iter().zip(positions) {
            let parts = position.map_or(1, |position| plan.loops[position].parts);
            if state.loops[*l].parts == LoopParts::Open {
                state.loops[*l].parts = LoopParts::Count(parts);
            }
            if let Some(position) = position {
                order[*position] = Some(*l);
            }
        }
        let mut front = vec![];
        for d in (0..is_open.len()).filter(|d| is_open[*d]) {
            front.extend(self.add_dimension(&mut state, plan, d, &mut order));
        }
        for packed in &plan.packed {
            let placement = Placement::new(region, packed.layout.iter().copied());
            let inside = order.get(packed.before).copied().flatten();
            let of = BufferKind::Input;
            state.placements.push(ScriptPlacement { of, buffer: packed.buffer, inside, placement });
        }
        // Loops with one part are not in the plan: they stay directly around the next loop of the script.
        let mut order: Vec<_> = front.into_iter().chain(order.into_iter().flatten()).collect();
        for (i, l) in ids.iter().enumerate().rev().filter(|(i, _)| positions[*i].is_none()) {
            let next = ids.get(i + 1).and_then(|next| order.iter().position(|other| other == next));
            order.insert(next.unwrap_or(order.len()), *l);
        }
        state.order = [order.clone(), order.clone(), order];
        state
    }

    /// Adds the loops of a dimension of a plan, and returns a loop that is around all others: the initial one, if its
    /// number of parts is not known and no loop of the plan is sequential.
    fn add_dimension(
        &self,
        state: &mut ScriptState,
        plan: &Plan,
        d: usize,
        order: &mut [Option<usize>],
    ) -> Option<usize> {
        let system = self.system;
        let mut own: Vec<_> = plan.loops.iter().enumerate().filter(|(_, l)| l.dimension == d).collect();
        // The parts of a dimension are nested in the order of the layers of plans.
        own.sort_by_key(|(_, l)| match l.kind {
            LoopKind::Threads => 0,
            LoopKind::Sequential => 1,
            LoopKind::Unrolled => 2,
            LoopKind::Lanes => 3,
        });
        let is_static = self.shape.extent(d).is_some_and(|extent| extent > 0);
        let sequential = own.iter().position(|(_, l)| l.kind == LoopKind::Sequential);
        let rest = sequential.or((is_static && !own.is_empty()).then_some(0));
        let mut nested = vec![];
        for (i, (position, l)) in own.iter().enumerate() {
            let layer = match l.kind {
                LoopKind::Threads => system.core_of(CoreRole::Threads),
                LoopKind::Sequential => None,
                LoopKind::Unrolled => system.memory_of(MemoryRole::Registers),
                LoopKind::Lanes => system.core_of(CoreRole::Lanes),
            };
            let layer = layer.map(str::to_owned);
            let parts = if rest == Some(i) { LoopParts::Rest } else { LoopParts::Count(l.parts) };
            let layers = [layer.clone(), layer.clone(), layer];
            nested.push(state.loops.len());
            order[*position] = Some(state.loops.len());
            state.loops.push(ScriptLoop { dimension: d, parts, layers, axis: None });
        }
        let initial = rest.is_none().then_some(d);
        nested.splice(0..0, initial);
        state.nested[d] = nested;
        initial
    }
}

/// The execution of a loop on a host.
fn kind(layer: Option<&str>, system: &System) -> LoopKind {
    match layer.map(|layer| (system.core(layer), system.memory_role(layer))) {
        Some((Some(core), _)) => match system.on_host(core) {
            HostCore::Threads => LoopKind::Threads,
            HostCore::Lanes => LoopKind::Lanes,
            HostCore::Sequential => LoopKind::Sequential,
        },
        Some((None, Some(MemoryRole::Registers))) => LoopKind::Unrolled,
        _ => LoopKind::Sequential,
    }
}
