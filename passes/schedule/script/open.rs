//! The loops of the dimensions that a script leaves open: those of the best plan that has the loops of the script.
//!
//! ```text
//! threads x 8 · x 32 · y 384 · z 512   ──▶   threads x 8 · y 8 · x 32 · registers y 3 · vector y 16 · z 512
//! ```
use super::state::{LoopParts, ScriptLoop, ScriptPlacement, ScriptState};
use crate::schedule::{
    default::MAX_EXTENT,
    plan::{HostLayers, Plan},
    problem::Problem,
    search::fixed::{FixedLoop, FixedLoops},
};
use mdh_dialects::{
    lowlevel::script::BufferKind,
    schedule::{
        model::{Placement, System},
        roles::{CoreRole, MemoryRole, Runner},
        rules::{self, Shape},
    },
};

/// Maximum number of points of a register tile: levels of larger tiles are loops.
const MAX_TILE: u64 = 2048;

/// The loops of a script that plans must have.
pub struct OpenLoops {
    /// The loops of plans.
    pub fixed: FixedLoops,
    /// Their numbers in the script.
    ids: Vec<usize>,
    /// The region of packed inputs.
    region: String,
}

impl OpenLoops {
    /// Returns the loops that plans must have. `None` if no dimension is open, the system has no search for plans, the
    /// phases differ, or the results are computed in parts. `state`: the loops after all commands.
    pub fn of(state: &ScriptState, is_open: &[bool], problem: &Problem, system: &System) -> Option<Self> {
        let layers = HostLayers::of(system)?;
        let is_fused = state.order.windows(2).all(|pair| pair[0] == pair[1]);
        if !is_open.contains(&true) || state.at.is_some() || !is_fused {
            return None;
        }
        if problem.extents().any(|extent| extent > MAX_EXTENT) {
            return None;
        }
        let ids: Vec<_> = state.order[1].iter().copied().filter(|l| !is_open[state.loops[*l].dimension]).collect();
        let loops = ids.iter().map(|l| FixedLoop {
            dimension: state.loops[*l].dimension,
            kind: kind(state.loops[*l].layers[1].as_deref(), system),
            parts: state.parts(*l, &problem.shape, None),
        });
        let is_placed = |buffer: usize| {
            state.placements.iter().any(|place| place.of == BufferKind::Input && place.buffer == buffer)
        };
        let may_pack = (0..problem.shape.inputs.len()).map(|buffer| !is_placed(buffer)).collect();
        let fixed = FixedLoops { loops: loops.collect(), is_open: is_open.to_vec(), may_pack };
        (fixed.tile() <= MAX_TILE).then(|| Self { fixed, ids, region: layers.packed().to_owned() })
    }

    /// Returns the loops of a plan, with the handles of the script; `None` if the plan has not the loops of the script,
    /// or if they break a rule.
    pub fn merged(&self, state: &ScriptState, plan: &Plan, system: &System, shape: &Shape) -> Option<ScriptState> {
        let positions = self.fixed.positions(plan)?;
        let merged = self.with_plan(state, plan, &positions, system, shape);
        rules::check(&merged.schedule(system, shape), shape).is_ok().then_some(merged)
    }

    /// Returns the loops of a plan, with the handles of the script. `positions`: those of the script's loops in the plan.
    fn with_plan(
        &self,
        state: &ScriptState,
        plan: &Plan,
        positions: &[Option<usize>],
        system: &System,
        shape: &Shape,
    ) -> ScriptState {
        let (ids, is_open) = (&self.ids, &self.fixed.is_open);
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
            front.extend(add_dimension(&mut state, plan, d, &mut order, system, shape));
        }
        for packed in &plan.packed {
            let placement = Placement::new(self.region.as_str(), packed.layout.iter().copied());
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
}

/// Adds the loops of a dimension of a plan, and returns a loop that is around all others: the initial one, if its
/// number of parts is not known and no loop of the plan is sequential.
fn add_dimension(
    state: &mut ScriptState,
    plan: &Plan,
    d: usize,
    order: &mut [Option<usize>],
    system: &System,
    shape: &Shape,
) -> Option<usize> {
    let mut own: Vec<_> = plan.loops.iter().enumerate().filter(|(_, l)| l.dimension == d).collect();
    // The parts of a dimension are nested in the order of the layers of plans.
    own.sort_by_key(|(_, l)| match l.kind {
        Runner::Cores(_) => 0,
        Runner::Loop => 1,
        Runner::Unrolled => 2,
        Runner::Lanes => 3,
    });
    let is_static = shape.extent(d).is_some_and(|extent| extent > 0);
    let sequential = own.iter().position(|(_, l)| l.kind == Runner::Loop);
    let rest = sequential.or((is_static && !own.is_empty()).then_some(0));
    let mut nested = vec![];
    for (i, (position, l)) in own.iter().enumerate() {
        let layer = match l.kind {
            Runner::Cores(_) => system.core_of(CoreRole::Threads),
            Runner::Loop => None,
            Runner::Unrolled => system.memory_of(MemoryRole::Registers),
            Runner::Lanes => system.core_of(CoreRole::Lanes),
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

/// The execution of a loop on a host.
fn kind(layer: Option<&str>, system: &System) -> Runner {
    match layer.map(|layer| (system.core(layer), system.memory_role(layer))) {
        Some((Some(core), _)) => system.on_host(core),
        Some((None, Some(MemoryRole::Registers))) => Runner::Unrolled,
        _ => Runner::Loop,
    }
}
