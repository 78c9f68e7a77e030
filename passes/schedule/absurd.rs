//! Warnings about schedules that are legal and make no sense on the machine.
use super::{default::Setting, explain, gpu, problem::Problem};
use crate::{
    analysis::computation::Computation,
    nest::{
        memory::{self, Taken},
        tile,
        tree::Nest,
    },
    target::KernelFlavour,
};
use mdh_dialects::schedule::{
    model::{Schedule, Step},
    roles::MemoryRole,
};

/// How many times the size of its cache a buffer may have before it is worth a warning.
const TIMES: u64 = 4;

/// What is absurd about a schedule of a computation on a machine, a sentence each.
pub fn warnings(computation: &Computation<'_>, schedule: &Schedule, setting: &Setting) -> Vec<String> {
    let nest = explain::nest(computation, schedule, setting);
    let mut found = of_device(computation, schedule, setting, &nest);
    let in_registers = |step: &&Step| schedule.is_register(&step.tag);
    let counts = schedule.recompose.iter().filter(in_registers).map(|step| {
        let parts = schedule.parts[step.level.layer][step.level.dimension];
        parts.unwrap_or(1)
    });
    let values = counts.fold(1u64, u64::saturating_mul);
    if values > tile::VALUES as u64 {
        found.push(format!(
            "the levels on registers have {values} parts together, but at most {} are computed at once: the others are loops",
            tile::VALUES
        ));
    }
    // The layers of a device are no caches.
    let held = if schedule.system.is_device() { vec![] } else { memory::held(&nest) };
    for held in held {
        let (region, Some(bytes)) = (&held.placement.region, held.bytes) else { continue };
        let cache = schedule.system.cache(region).and_then(|level| setting.machine.caches.get(level));
        if let Some(cache) = cache.filter(|cache| bytes / TIMES > cache.bytes) {
            found.push(format!(
                "the {} of step {} is held in {region}, which has {} bytes, but takes {bytes}",
                held.what, held.place, cache.bytes
            ));
        }
    }
    found
}

/// What a schedule of kernels asks for beyond what the device has. Where devices differ, nothing is known of one that nothing describes.
fn of_device(computation: &Computation<'_>, schedule: &Schedule, setting: &Setting, nest: &Nest) -> Vec<String> {
    let is_known = setting.machine.device.is_some()
        || KernelFlavour::of_system(&schedule.system).is_some_and(|kernels| kernels.devices_are_alike);
    let device = gpu::Layers::of(&schedule.system).map(|layers| layers.device(setting)).filter(|_| is_known);
    let Some(device) = device else { return vec![] };
    let name = &device.name;
    let mut found = vec![];
    let Taken { threads, shared, .. } = memory::taken(nest);
    let threads = threads.unwrap_or(1);
    if threads > device.most_threads {
        found.push(format!("a block has {threads} threads, but at most {} on the device {name}", device.most_threads));
    }
    if let Some(bytes) = shared.filter(|&bytes| bytes > device.shared_bytes) {
        found.push(format!(
            "a block holds {bytes} bytes in {}, but at most {} on the device {name}",
            schedule.system.memory_of(MemoryRole::Shared).unwrap_or_default(),
            device.shared_bytes
        ));
    }
    let expected = gpu::expected(&Problem::of(computation, setting.functions(&schedule.system)), schedule, setting);
    if let Some(launch) = expected.and_then(|(_, expected)| expected.launch) {
        let registers = launch.registers;
        if registers > device.registers_per_thread {
            found.push(format!(
                "a thread asks for about {registers} registers, but has at most {} on the device {name}",
                device.registers_per_thread
            ));
        } else if threads <= device.most_threads && registers.saturating_mul(threads) > device.registers_per_unit {
            found.push(format!(
                "a block of {threads} threads asks for about {registers} registers each, but a unit of the device {name} has {}",
                device.registers_per_unit
            ));
        }
    }
    found
}
