//! Warnings about schedules that are legal and make no sense on the machine.
use super::{
    machine::Machine,
    memory,
    model::{Schedule, Step},
};
use crate::{analysis::computation::Computation, lower::tile};

/// How many times the size of its cache a buffer may have before it is worth a warning.
const TIMES: u64 = 4;

/// What is absurd about a schedule of a computation on a machine, a sentence each.
pub fn warnings(computation: &Computation<'_>, schedule: &Schedule, machine: &Machine) -> Vec<String> {
    let mut found = vec![];
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
    for held in memory::held(computation, schedule) {
        let Some((region, bytes)) = held.placement.as_ref().map(|placement| &placement.region).zip(held.bytes) else {
            continue;
        };
        let cache = region.strip_prefix('L').and_then(|level| level.parse::<usize>().ok());
        let cache = cache.and_then(|level| machine.caches.get(level.checked_sub(1)?));
        if let Some(cache) = cache.filter(|cache| bytes / TIMES > cache.bytes) {
            found.push(format!(
                "the {} of step {} is held in {region}, which has {} bytes, but takes {bytes}",
                held.what, held.place, cache.bytes
            ));
        }
    }
    found
}
