//! Rules F2 and F4: the level of the consumer, and the schedule of the producer.
use super::parts::ProducerPart;
use crate::{
    nest::workload::Input,
    plan::{order::Phases, resolve::depth},
};
use mdh_dialects::{
    hom::CombineOperator,
    schedule::{
        model::{Level, Schedule, Tag},
        rules,
    },
};

/// The levels of cores with several parts, in all phases.
pub fn core_loops(schedule: &Schedule) -> impl Iterator<Item = (Level, &Tag)> {
    let steps = schedule.decompose.iter().chain(&schedule.recompose).map(|step| (step.level, &step.tag));
    let loops = steps.chain(schedule.scalar.order.iter().map(|(level, tag)| (*level, tag)));
    loops.filter(|(level, tag)| schedule.is_loop(*level) && schedule.is_core(tag))
}

/// F4: the schedule of a producer is one for parts of its results, whose extents are not known.
pub fn check_parts(operators: &[CombineOperator], schedule: &Schedule) -> Result<(), String> {
    let is_number = |d: &usize| schedule.parts.iter().all(|layer| layer.get(*d).is_none_or(Option::is_some));
    match (0..operators.len()).filter(|d| operators[*d].keeps()).find(is_number) {
        Some(d) => Err(format!(
            "F4: requires a part count ? in dimension {}, whose extent is that of a part, but all of its counts are numbers",
            d + 1
        )),
        None => Ok(()),
    }
}

/// F4: the threads of the consumer compute the parts.
pub fn check_cores(schedule: &Schedule) -> Result<(), String> {
    match core_loops(schedule).find(|(_, tag)| !schedule.is_vector(tag)) {
        Some((level, tag)) => Err(format!(
            "F4: requires one part in levels of cores, whose threads compute the consumer, but level {} has several on {}",
            rules::name(level),
            tag.layer
        )),
        None => Ok(()),
    }
}

/// F2: the level is a loop around all phases of the consumer, outside of register tiles.
pub fn check_level(level: Level, schedule: &Schedule, inputs: &[Input], number: usize) -> Result<(), String> {
    let name = rules::name(level);
    let Some(position) = schedule.scalar.order.iter().position(|(known, _)| *known == level) else {
        return Err(format!("F2: requires a level of the consumer, but it has no level {name}"));
    };
    let depth = depth(schedule, level);
    let phases = Phases::of(schedule);
    let (shared, decomposed) = (phases.shared(&phases.recompose), phases.shared(&phases.decompose));
    if depth > shared.min(decomposed) {
        return Err(format!(
            "F2: requires a level whose loop is around all phases of the consumer, but level {name} is inside of the first {} loops, which they share",
            shared.min(decomposed)
        ));
    }
    let outer = schedule.scalar.order[..=position].iter().filter(|(level, _)| schedule.is_loop(*level));
    // The threads of a device are lanes on a host, but not if a producer is computed inside of their levels.
    let is_lanes = |tag: &Tag| schedule.is_vector(tag) && !schedule.is_of_threads(tag);
    if let Some((tile, _)) = outer.clone().find(|(_, tag)| schedule.is_register(tag) || is_lanes(tag)) {
        return Err(format!(
            "F2: requires a level outside of register tiles of the consumer, but level {} is one around level {name}",
            rules::name(*tile)
        ));
    }
    let mut around = 0;
    for step in &schedule.decompose {
        if around >= depth {
            break;
        }
        let moved = inputs.iter().zip(&step.placements).position(|(input, placement)| {
            let home = schedule.home(input.array.sizes.len());
            input.producer.is_some_and(|(of, _)| of == number) && *placement != home
        });
        if let Some(input) = moved {
            return Err(format!(
                "F2: requires that the consumer copies no result outside of level {name}, but step {} copies input {}",
                rules::name(step.level),
                input + 1
            ));
        }
        around += usize::from(schedule.is_loop(step.level));
    }
    Ok(())
}

/// F2: a producer is not computed inside of the level of one that reads its results.
pub fn check_order(number: usize, schedule: &Schedule, levels: &[Level], all: &[ProducerPart]) -> Result<(), String> {
    let own = depth(schedule, levels[number]);
    let reads = |reader: &ProducerPart| {
        reader.workload.inputs.iter().any(|input| input.producer.is_some_and(|(of, _)| of == number))
    };
    let mut readers = all.iter().zip(levels).skip(number + 1).filter(|(reader, _)| reads(reader));
    match readers.any(|(_, level)| depth(schedule, *level) < own) {
        true => Err("F2: requires a level that is not inside of that of a producer which reads the results".to_owned()),
        false => Ok(()),
    }
}
