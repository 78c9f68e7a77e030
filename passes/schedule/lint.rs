//! Lints: warnings about legal schedules that the machine cannot run, or runs inefficiently.
use super::{cost::HostModel, explain, gpu, plan::Plan, problem::Problem};
use crate::{
    analysis::computation::Computation,
    nest::{
        memory::{self, BlockUsage},
        tree::Nest,
    },
    plan::{outline::Outline, runner::Runner, tile},
    schedule::tuning::TuningContext,
    target::KernelFlavour,
};
use mdh_dialects::schedule::{
    model::{Level, Schedule, Step},
    roles::MemoryRole,
    rules::name,
};

/// A buffer is worth a warning if it is more than this many times as large as its cache.
const MAX_CACHE_RATIO: u64 = 4;

/// The fraction of the predicted time that counts as most of it.
const MOST: f64 = 0.5;

/// Returns the warnings about a schedule of a computation on a machine, one sentence each.
pub fn warnings(computation: &Computation<'_>, schedule: &Schedule, tuning: &TuningContext) -> Vec<String> {
    let nest = explain::nest(computation, schedule);
    let outline = Outline::of(&explain::plan(computation, schedule));
    let mut found = of_device(computation, schedule, tuning, (&nest, &outline));
    found.extend(tile(computation, schedule, &outline));
    found.extend(starts(computation, schedule, tuning, &outline));
    // The memory layers of a device are not caches.
    let allocations = if schedule.system.is_device() { vec![] } else { memory::allocations(&nest) };
    for allocation in allocations {
        let (region, Some(bytes)) = (&allocation.placement.region, allocation.bytes) else { continue };
        let cache = schedule.system.cache(region).and_then(|level| tuning.machine.caches.get(level));
        if let Some(cache) = cache.filter(|cache| bytes / MAX_CACHE_RATIO > cache.bytes) {
            found.push(format!(
                "the {} of step {} is in {region}, which has {} bytes, but takes {bytes}",
                allocation.what, allocation.place, cache.bytes
            ));
        }
    }
    found
}

/// Returns the warnings about resources that the kernels of a schedule take beyond those of the device.
pub fn exceeded(computation: &Computation<'_>, schedule: &Schedule, tuning: &TuningContext) -> Vec<String> {
    let nest = explain::nest(computation, schedule);
    of_device(computation, schedule, tuning, (&nest, &Outline::of(&explain::plan(computation, schedule))))
}

/// Warns about levels that have tags of the register tile, but are loops of the nest.
fn tile(computation: &Computation<'_>, schedule: &Schedule, outline: &Outline) -> Option<String> {
    let operators = &computation.shape().operators;
    let is_device = schedule.system.is_device();
    let is_tiled = |step: &&Step| schedule.is_register(&step.tag) || !is_device && schedule.is_vector(&step.tag);
    // The compiler of a kernel unrolls short loops of scans.
    let is_loop = |step: &&Step| {
        let is_scan = is_device && operators[step.level.dimension].is_scan();
        outline.runner(step.level) == Some(Runner::Loop) && !is_scan
    };
    let loops = schedule.recompose.iter().filter(is_tiled).filter(is_loop);
    let loops: Vec<_> = loops.map(|step| format!("{} on {}", name(step.level), step.tag.layer)).collect();
    let parts = |step: &Step| schedule.parts[step.level.layer][step.level.dimension].unwrap_or(1);
    let in_registers = schedule.recompose.iter().filter(|step| schedule.is_register(&step.tag));
    let values = in_registers.map(parts).fold(1u64, u64::saturating_mul);
    match loops.as_slice() {
        _ if values > tile::VALUES as u64 => Some(format!(
            "the levels of registers have {values} parts in total, but a register tile has at most {} values: the remaining levels become loops",
            tile::VALUES
        )),
        [] => None,
        loops => Some(format!(
            "levels {} become loops instead of part of the register tile: a tile has at most {} values and one level of at most {} vector lanes, \
             static part counts, and no promotion, scan or threads inside",
            loops.join(", "),
            tile::VALUES,
            tile::LANES
        )),
    }
}

/// Warns about threads that are started in loops if this takes most of the predicted time.
fn starts(
    computation: &Computation<'_>,
    schedule: &Schedule,
    tuning: &TuningContext,
    outline: &Outline,
) -> Option<String> {
    if schedule.system.is_device() {
        return None;
    }
    let is_threads = |(_, runner): &(Level, Runner)| matches!(runner, Runner::Cores(_));
    let around = outline.levels.iter().position(is_threads).filter(|position| *position > 0)?;
    let problem = Problem::of(computation, tuning.functions(&schedule.system, computation));
    let plan = Plan::of(outline, schedule, &problem);
    let model = HostModel { problem: &problem, machine: &tuning.machine, threads: tuning.threads() };
    let expected = model.predict(&plan);
    let starts = plan.starts();
    let loops: Vec<_> = outline.levels[..around].iter().map(|(level, _)| name(*level)).collect();
    (starts > 1.0 && expected.combination > expected.seconds * MOST).then(|| {
        format!(
            "threads are started {starts} times, once in each iteration of the loops of levels {}, which takes most of the predicted time: requires levels of cores outside of these loops",
            loops.join(", ")
        )
    })
}

/// Warns about a schedule of kernels that needs more than the device has. If devices differ and the machine describes
/// none, there are no warnings.
fn of_device(
    computation: &Computation<'_>,
    schedule: &Schedule,
    tuning: &TuningContext,
    (nest, outline): (&Nest, &Outline),
) -> Vec<String> {
    let is_known = tuning.machine.device.is_some()
        || KernelFlavour::of_system(&schedule.system).is_some_and(|kernels| kernels.devices_are_alike);
    let device = gpu::DeviceLayers::of(&schedule.system).map(|layers| layers.device(tuning)).filter(|_| is_known);
    let Some(device) = device else { return vec![] };
    let name = &device.name;
    let mut found = vec![];
    let BlockUsage { threads, shared, .. } = memory::block_usage(nest);
    let threads = threads.unwrap_or(1);
    if threads > device.most_threads {
        found.push(format!("a block has {threads} threads, but at most {} on the device {name}", device.most_threads));
    }
    if let Some(bytes) = shared.filter(|&bytes| bytes > device.shared_bytes) {
        found.push(format!(
            "a block has {bytes} bytes in {}, but at most {} on the device {name}",
            schedule.system.memory_of(MemoryRole::Shared).unwrap_or_default(),
            device.shared_bytes
        ));
    }
    let problem = Problem::of(computation, tuning.functions(&schedule.system, computation));
    let expected = gpu::expected(&problem, outline, schedule, tuning);
    if let Some(launch) = expected.and_then(|(_, expected)| expected.launch) {
        let registers = launch.registers;
        if registers > device.registers_per_thread {
            found.push(format!(
                "a thread needs about {registers} registers, but has at most {} on the device {name}",
                device.registers_per_thread
            ));
        } else if threads <= device.most_threads && registers.saturating_mul(threads) > device.registers_per_unit {
            found.push(format!(
                "a block of {threads} threads needs about {registers} registers each, but a unit of the device {name} has {}",
                device.registers_per_unit
            ));
        }
    }
    found
}
