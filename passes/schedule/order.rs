//! The order of loops of partial schedules that state part counts and no order.
//!
//! ```text
//! default    threads i 8 · k 64 · registers j 4         parts of the file: threads j 2, k 64, registers i 4
//! its order  registers i 4 · k 64 · threads j 2   ──▶   threads j 2 · k 64 · registers i 4
//! ```
//!
//! The order of the default is that of other loops: a level that is no loop there may be anywhere. The order with the
//! shortest predicted time is chosen, from that of the default and that of the layers, with one loop moved at a time.
use super::{cost::HostModel, explain, gpu, plan::Plan, problem::Problem, tuning::TuningContext};
use crate::{analysis::computation::Computation, plan::outline::Outline};
use mdh_dialects::schedule::{
    model::{Level, Placement, Schedule, Step, Tag},
    rules,
};
use serde_json::Value;

/// Maximum number of rounds, each of which moves every loop to every place.
const MAX_ROUNDS: usize = 3;
/// Maximum number of loops that are moved; others are in the better one of both initial orders.
const MAX_LOOPS: usize = 10;

/// True if a partial schedule states part counts, and neither the order of loops nor their layers.
pub fn is_open(partial: &Value) -> bool {
    let states = |phase: &str, field: &str| {
        partial.get(phase).and_then(|phase| phase.get(field)).is_some_and(|value| !value.is_null())
    };
    let phases = ["decompose", "scalar", "recompose"];
    partial.get("parts").is_some_and(|parts| !parts.is_null())
        && !phases.iter().any(|phase| states(phase, "order") || states(phase, "tags"))
}

/// True if a partial schedule states where buffers are read and written.
fn has_placements(partial: &Value) -> bool {
    let phases = [("decompose", "reads"), ("scalar", "reads"), ("scalar", "writes"), ("recompose", "writes")];
    phases.iter().any(|(phase, field)| {
        partial.get(phase).and_then(|phase| phase.get(field)).is_some_and(|value| !value.is_null())
    })
}

/// The schedule with the order of loops that has the shortest predicted time. Where the partial schedule says nothing
/// about buffers, they stay where the user has them, unless the copies of the default are faster.
pub fn best(schedule: Schedule, partial: &Value, computation: &Computation<'_>, tuning: &TuningContext) -> Schedule {
    let shape = computation.shape();
    let problem = Problem::of(computation, tuning.functions(&schedule.system, computation));
    let seconds = |schedule: &Schedule| {
        rules::check(schedule, &shape).ok()?;
        let outline = Outline::of(&explain::plan(computation, schedule));
        if let Some((_, expected)) = gpu::expected(&problem, &outline, schedule, tuning) {
            return Some(expected.seconds);
        }
        let plan = Plan::of(&outline, schedule, &problem);
        let model = HostModel { problem: &problem, machine: &tuning.machine, threads: tuning.threads() };
        Some(model.predict(&plan).seconds)
    };
    let mut layered: Vec<_> = schedule.scalar.order.iter().map(|(level, _)| *level).collect();
    layered.sort_by_key(|level| level.layer);
    let mut candidates = vec![reordered(&schedule, &layered)];
    if !has_placements(partial) {
        candidates.extend([at_home(&schedule), at_home(&candidates[0])]);
    }
    let (mut best, mut chosen) = (seconds(&schedule).unwrap_or(f64::INFINITY), schedule);
    for candidate in candidates {
        if let Some(shorter) = seconds(&candidate).filter(|shorter| *shorter < best) {
            (best, chosen) = (shorter, candidate);
        }
    }
    for _ in 0..MAX_ROUNDS {
        let before = best;
        let loops: Vec<_> = chosen.scalar_loops().into_iter().map(|(level, _)| level).collect();
        if loops.len() > MAX_LOOPS {
            break;
        }
        for level in loops {
            for candidate in moved(&chosen, level) {
                if let Some(shorter) = seconds(&candidate).filter(|shorter| *shorter < best) {
                    (best, chosen) = (shorter, candidate);
                }
            }
        }
        if best >= before {
            break;
        }
    }
    chosen
}

/// The schedule with a loop at every other place among its loops.
fn moved(schedule: &Schedule, level: Level) -> Vec<Schedule> {
    let order: Vec<_> = schedule.scalar.order.iter().map(|(level, _)| *level).collect();
    let others: Vec<_> = order.iter().copied().filter(|other| *other != level).collect();
    let places = (0..=others.len()).filter(|place| others.get(*place).is_none_or(|next| schedule.is_loop(*next)));
    let at = |place: usize| {
        let mut order = others.clone();
        order.insert(place, level);
        order
    };
    places.map(at).filter(|changed| *changed != order).map(|order| reordered(schedule, &order)).collect()
}

/// The schedule with all phases in an order. A step keeps the placements of its position, so that copies stay around as
/// many loops.
fn reordered(schedule: &Schedule, order: &[Level]) -> Schedule {
    let position = |level: Level| order.iter().position(|known| *known == level).unwrap_or(order.len());
    let steps = |steps: &[Step]| {
        let mut sorted = steps.to_vec();
        sorted.sort_by_key(|step| position(step.level));
        let placements = steps.iter().map(|step| step.placements.clone());
        sorted.iter_mut().zip(placements).for_each(|(step, placements)| step.placements = placements);
        sorted
    };
    let mut changed = schedule.clone();
    changed.decompose = steps(&schedule.decompose);
    changed.scalar.order.sort_by_key(|(level, _): &(Level, Tag)| position(*level));
    changed.recompose = steps(&schedule.recompose);
    changed
}

/// The schedule with all buffers where the user has them.
fn at_home(schedule: &Schedule) -> Schedule {
    let mut changed = schedule.clone();
    let home = |placement: &mut Placement| {
        let rank = placement.layout.iter().max().map_or(0, |last| last + 1);
        *placement = schedule.home(rank);
    };
    for step in changed.decompose.iter_mut().chain(&mut changed.recompose) {
        step.placements.iter_mut().for_each(home);
    }
    changed.scalar.reads.iter_mut().chain(&mut changed.scalar.writes).for_each(home);
    changed
}
