//! Rule F6: producers in kernels, which threads compute for themselves or together (`nest/gpu/producers.rs`).
use super::levels::core_loops;
use crate::{
    nest::{
        shared_inputs::is_shared,
        workload::{Producer, Workload},
    },
    plan::resolve::memory,
};
use mdh_dialects::schedule::{
    model::{Placement, Schedule},
    roles::Memory,
    rules::name,
};

/// Checks the producers of a computation that is lowered to kernels with this schedule.
pub fn check(workload: &Workload, schedule: &Schedule) -> Result<(), String> {
    workload.producers.iter().enumerate().try_for_each(|(number, producer)| {
        check_cores(producer)?;
        check_inputs(producer)?;
        let memory = memory(schedule, producer.level).map_err(|blocks| {
            format!(
                "F6: requires a level inside of all levels of blocks, which compute their own parts, but level {} of computation {} is not inside of level {}",
                name(producer.level),
                producer.number + 1,
                name(blocks)
            )
        })?;
        check_copies(number, memory, workload, schedule)
    })
}

/// Each thread runs all loops of a producer.
fn check_cores(producer: &Producer) -> Result<(), String> {
    match core_loops(&producer.schedule).next() {
        Some((level, tag)) => Err(format!(
            "F6: requires one part in all levels of cores, because each thread runs all loops of the producer, but level {} of computation {} has several on {}",
            name(level),
            producer.number + 1,
            tag.layer
        )),
        None => Ok(()),
    }
}

/// No copy serves the parts of several threads.
fn check_inputs(producer: &Producer) -> Result<(), String> {
    let (workload, schedule) = (&producer.workload, &producer.schedule);
    for input in (0..workload.inputs.len()).filter(|input| is_shared(producer, *input)) {
        let home = schedule.home(workload.inputs[input].array.sizes.len());
        if let Some(placement) = copies(schedule, input, &home).next() {
            return Err(format!(
                "F6: requires that computation {} reads input {} where it is, because all of its parts read the same elements, but it copies them to {placement}",
                producer.number + 1,
                input + 1
            ));
        }
    }
    Ok(())
}

/// The consumer does not share the parts of a thread with other threads.
fn check_copies(number: usize, memory: Memory, workload: &Workload, schedule: &Schedule) -> Result<(), String> {
    let is_own = |input: &usize| workload.inputs[*input].producer.is_some_and(|(of, _)| of == number);
    for input in (0..workload.inputs.len()).filter(|input| memory == Memory::Private && is_own(input)) {
        let home = schedule.home(workload.inputs[input].array.sizes.len());
        let is_common = |placement: &&Placement| schedule.system.device_memory(&placement.region) != Memory::Private;
        if let Some(placement) = copies(schedule, input, &home).find(is_common) {
            return Err(format!(
                "F6: requires that the consumer copies parts which each thread computes for itself to private memory only, but it copies input {} to {placement}",
                input + 1
            ));
        }
    }
    Ok(())
}

/// The placements of an input other than its home.
pub fn copies<'a>(schedule: &'a Schedule, input: usize, home: &'a Placement) -> impl Iterator<Item = &'a Placement> {
    let steps = schedule.decompose.iter().map(move |step| &step.placements[input]);
    steps.chain([&schedule.scalar.reads[input]]).filter(move |placement| *placement != home)
}
