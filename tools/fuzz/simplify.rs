//! Simplifies schedules, and adapts them to programs that have been shrunk.
use crate::fuzz::program::Program;
use mdh_dialects::schedule::{
    model::{Level, Placement, Schedule, Tag},
    rules::Shape,
};

/// Adapts the part counts to the extents of a program.
pub fn fit(schedule: &mut Schedule, program: &Program) {
    for (d, dimension) in program.dimensions.iter().enumerate() {
        let layers = schedule.parts.len();
        let dynamic = (0..layers).find(|&l| schedule.parts[l][d].is_none());
        if dimension.dynamic && dynamic.is_none() {
            schedule.parts[0][d] = None;
        }
        if (0..layers).any(|l| schedule.parts[l][d].is_none()) {
            continue;
        }
        // From the innermost layer outwards, each layer keeps as many parts as needed; the outermost gets the rest.
        let mut rest = dimension.extent.max(1);
        let outermost = (0..layers).find(|&layer| schedule.is_loop(Level { layer, dimension: d })).unwrap_or(0);
        for layer in (0..layers).rev() {
            let count = schedule.parts[layer][d].unwrap_or(1).min(rest);
            let count = if layer == outermost { rest } else { count };
            schedule.parts[layer][d] = Some(count);
            rest = rest.div_ceil(count);
        }
    }
}

/// Removes a dimension.
pub fn remove_dimension(schedule: &mut Schedule, removed: usize) {
    schedule.parts.iter_mut().for_each(|row| {
        row.remove(removed);
    });
    let mut decompose: Vec<_> = schedule.decompose.iter().map(|step| (step.level, step.tag.clone())).collect();
    let mut recompose: Vec<_> = schedule.recompose.iter().map(|step| (step.level, step.tag.clone())).collect();
    for phase in [&mut decompose, &mut recompose, &mut schedule.scalar.order] {
        remove_levels(phase, removed);
    }
    schedule.decompose.retain(|step| step.level.dimension != removed);
    schedule.recompose.retain(|step| step.level.dimension != removed);
    for (step, (level, tag)) in schedule.decompose.iter_mut().zip(decompose) {
        (step.level, step.tag) = (level, tag);
    }
    for (step, (level, tag)) in schedule.recompose.iter_mut().zip(recompose) {
        (step.level, step.tag) = (level, tag);
    }
}

/// Removes the levels of a dimension. Levels that were tagged with the removed dimension take over tags of the removed
/// levels.
fn remove_levels(phase: &mut Vec<(Level, Tag)>, removed: usize) {
    let freed = phase.iter().filter(|(level, tag)| level.dimension == removed && tag.dimension != removed);
    let mut freed: Vec<_> = freed.map(|(_, tag)| tag.clone()).collect();
    phase.retain(|(level, _)| level.dimension != removed);
    for (level, tag) in phase {
        if tag.dimension == removed {
            let same_layer = freed.iter().position(|free| free.layer == tag.layer).unwrap_or(0);
            if same_layer < freed.len() {
                *tag = freed.remove(same_layer);
            }
        }
        level.dimension -= usize::from(level.dimension > removed);
        tag.dimension -= usize::from(tag.dimension > removed);
    }
}

/// Removes an input buffer.
pub fn remove_input(schedule: &mut Schedule, input: usize) {
    schedule.decompose.iter_mut().for_each(|step| drop(step.placements.remove(input)));
    schedule.scalar.reads.remove(input);
}

/// Removes an output buffer.
pub fn remove_output(schedule: &mut Schedule, output: usize) {
    schedule.recompose.iter_mut().for_each(|step| drop(step.placements.remove(output)));
    schedule.scalar.writes.remove(output);
}

/// Schedules that differ in one place, in which they are simpler.
pub fn candidates(schedule: &Schedule, shape: &Shape) -> Vec<Schedule> {
    let mut all = vec![];
    let mut edit = |change: &dyn Fn(&mut Schedule)| {
        let mut simpler = schedule.clone();
        change(&mut simpler);
        if simpler != *schedule {
            all.push(simpler);
        }
    };
    let (layers, rank) = (schedule.parts.len(), shape.rank());
    edit(&|s| home(s, usize::MAX));
    (0..3).for_each(|phase| edit(&|s| home(s, phase)));
    edit(&|s| {
        let mut order: Vec<_> = s.scalar.order.iter().map(|(level, _)| *level).collect();
        order.sort();
        reorder(s, &order);
    });
    edit(&|s| {
        let order: Vec<_> = s.recompose.iter().map(|step| step.level).collect();
        reorder(s, &order);
    });
    edit(&|s| {
        let order = s.scalar.order.clone();
        s.decompose.sort_by_key(|step| order.iter().position(|(level, _)| *level == step.level));
    });
    edit(&|s| {
        let order = s.scalar.order.clone();
        s.recompose.sort_by_key(|step| order.iter().position(|(level, _)| *level == step.level));
    });
    // The same tag for each level in all phases, or tags in the order of layers.
    edit(&|s| {
        let tags = s.scalar.order.clone();
        retag(s, &|level| tags.iter().find(|(other, _)| *other == level).map(|(_, tag)| tag.clone()));
    });
    edit(&|s| {
        let names: Vec<_> = s.system.cores.iter().chain(&s.system.memory).cloned().collect();
        retag(s, &|level| Some(Tag { layer: names[level.layer].clone(), dimension: level.dimension }));
    });
    edit(&|s| {
        let names: Vec<_> = s.system.memory.iter().chain(&s.system.cores).cloned().collect();
        retag(s, &|level| Some(Tag { layer: names[level.layer].clone(), dimension: level.dimension }));
    });
    for d in 0..rank {
        for layer in 0..layers {
            edit(&|s| s.parts[layer][d] = Some(1));
            edit(&|s| s.parts[layer][d] = s.parts[layer][d].map(|count| count.min(2)));
            edit(&|s| s.parts[layer][d] = s.parts[layer][d].or(Some(shape.extent(d).unwrap_or(1))));
        }
    }
    edit(&|s| each_part(s, &|placement| placement.pad = 0));
    edit(&|s| each_part(s, &|placement| placement.buffers = 1));
    for step in 0..schedule.decompose.len() {
        edit(&|s| {
            s.decompose[step].placements =
                follow(s.decompose.get(step.wrapping_sub(1)), &s.decompose[step].placements, s)
        });
        edit(&|s| {
            s.recompose[step].placements =
                follow(s.recompose.get(step.wrapping_sub(1)), &s.recompose[step].placements, s)
        });
    }
    edit(&|s| s.scalar.reads = follow(s.decompose.last(), &s.scalar.reads, s));
    edit(&|s| s.scalar.writes = follow(s.recompose.last(), &s.scalar.writes, s));
    all
}

/// Changes all placements of inputs.
fn each_part(schedule: &mut Schedule, change: &dyn Fn(&mut Placement)) {
    let steps = schedule.decompose.iter_mut().map(|step| &mut step.placements);
    steps.chain([&mut schedule.scalar.reads]).flatten().for_each(change);
}

/// The placements of the previous step, or those of the user's buffers.
fn follow(
    before: Option<&mdh_dialects::schedule::model::Step>,
    own: &[Placement],
    schedule: &Schedule,
) -> Vec<Placement> {
    match before {
        Some(step) => step.placements.clone(),
        None => own.iter().map(|placement| schedule.home(placement.layout.len())).collect(),
    }
}

/// Leaves the buffers of one phase, or of all phases, where the user has them.
fn home(schedule: &mut Schedule, phase: usize) {
    let system = schedule.clone();
    let chosen = |n: usize| phase == n || phase == usize::MAX;
    let all = |placements: &mut Vec<Placement>| placements.iter_mut().for_each(|p| *p = system.home(p.layout.len()));
    if chosen(0) {
        schedule.decompose.iter_mut().for_each(|step| all(&mut step.placements));
    }
    if chosen(1) {
        all(&mut schedule.scalar.reads);
        all(&mut schedule.scalar.writes);
    }
    if chosen(2) {
        schedule.recompose.iter_mut().for_each(|step| all(&mut step.placements));
    }
}

/// Uses the same order of levels in all phases.
fn reorder(schedule: &mut Schedule, order: &[Level]) {
    let position = |level: &Level| order.iter().position(|other| other == level);
    schedule.decompose.sort_by_key(|step| position(&step.level));
    schedule.scalar.order.sort_by_key(|(level, _)| position(level));
    schedule.recompose.sort_by_key(|step| position(&step.level));
}

fn retag(schedule: &mut Schedule, tag: &dyn Fn(Level) -> Option<Tag>) {
    let set = |level: Level, old: &mut Tag| {
        if let Some(new) = tag(level) {
            *old = new;
        }
    };
    schedule.decompose.iter_mut().for_each(|step| set(step.level, &mut step.tag));
    schedule.scalar.order.iter_mut().for_each(|(level, old)| set(*level, old));
    schedule.recompose.iter_mut().for_each(|step| set(step.level, &mut step.tag));
}
