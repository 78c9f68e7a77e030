//! A low-level chain and its schedule: each can be had from the other.
use crate::{
    analysis::computation::Computation,
    schedule::{
        attribute,
        model::{Level, Placement, ScalarPhase, Schedule, Step, System, Tag},
        rules,
    },
};
use mdh_dialects::{
    ir::{self, Op},
    lowlevel,
    pass::Failure,
};
use melior::ir::Attribute;

/// The attribute of the scalar step that carries the schedule from mdh-partition to mdh-promote-memory.
pub const SCHEDULE: &str = "mdh.schedule";

/// The schedule of a computation at any stage between mdh-schedule and the lowering.
pub fn schedule(computation: &Computation<'_>) -> Result<Schedule, String> {
    let attribute = ir::attribute(computation.hom, "schedule").or_else(|| ir::attribute(computation.hom, SCHEDULE));
    match attribute {
        Some(attribute) => attribute::read(attribute, &computation.shape(), computation.hom),
        None if ir::name(computation.hom) == "mdh.lowlevel.scalar" => read(computation),
        None => Err("requires a schedule: run mdh-schedule first".to_owned()),
    }
}

/// Reads the schedule back from a complete chain, one that mdh-promote-memory has made or a person has written.
pub fn read(computation: &Computation<'_>) -> Result<Schedule, String> {
    let scalar = computation.hom;
    if ir::name(scalar) != "mdh.lowlevel.scalar" {
        return Err("requires a low-level chain: run mdh-partition first".to_owned());
    }
    let symbol = ir::attribute(scalar, "system").and_then(ir::symbol_attribute).unwrap_or_default();
    let system = System::resolve(scalar, symbol)
        .ok_or_else(|| format!("@{symbol} is neither declared nor a built-in system"))?;
    let (layers, rank) = (system.layers(), computation.rank());
    let mut parts = vec![vec![Some(1); rank]; layers];
    let mut decompose = vec![];
    for operation in &computation.decompose {
        let (step, count) = step(*operation, "reads")?;
        if let Some(entry) = parts.get_mut(step.level.layer).and_then(|row| row.get_mut(step.level.dimension)) {
            *entry = count;
        }
        decompose.push(step);
    }
    let mut recompose = vec![];
    for operation in &computation.recompose {
        let (step, count) = step(*operation, "writes")?;
        let other = parts.get(step.level.layer).and_then(|row| row.get(step.level.dimension)).copied();
        if other.is_some_and(|other| other != count) {
            let text = |count: Option<u64>| count.map_or("?".to_owned(), |count| count.to_string());
            return Err(format!(
                "level {} has {} parts in the de-composition, but {} in the re-composition",
                rules::name(step.level),
                text(other.flatten()),
                text(count)
            ));
        }
        recompose.push(step);
    }
    recompose.reverse();
    let order = scalar_order(scalar, layers, rank)?;
    let (reads, writes) = (placements(scalar, "reads")?, placements(scalar, "writes")?);
    Ok(Schedule { system, parts, decompose, scalar: ScalarPhase { order, reads, writes }, recompose })
}

/// The schedule that a chain carries between mdh-partition and mdh-promote-memory, if it does.
pub(super) fn attached<'c>(computation: &Computation<'c>) -> Result<Option<Schedule>, Failure<'c>> {
    let scalar = computation.hom;
    let Some(attribute) = ir::attribute(scalar, SCHEDULE) else { return Ok(None) };
    let fail = |message: String| Failure::new(scalar, message);
    let shape = computation.shape();
    let schedule = attribute::read(attribute, &shape, scalar).map_err(fail)?;
    rules::check(&schedule, &shape).map_err(|violations| fail(rules::summary(&violations)))?;
    let down = schedule.decompose.iter();
    let up = schedule.recompose.iter().rev();
    for (operations, steps) in
        [(&computation.decompose, down.collect::<Vec<_>>()), (&computation.recompose, up.collect())]
    {
        let agree = operations.len() == steps.len()
            && operations.iter().zip(&steps).all(|(operation, step)| level(*operation) == Some(step.level));
        if !agree {
            return Err(fail("the steps of the chain differ from the schedule that it carries".to_owned()));
        }
    }
    Ok(Some(schedule))
}

/// Checks that a chain without a schedule has its tags already.
pub(super) fn require<'c>(computation: &Computation<'c>, of_step: &str, of_scalar: &str) -> Result<(), Failure<'c>> {
    let steps = computation.decompose.iter().chain(&computation.recompose);
    let missing = steps.copied().find(|step| ir::attribute(*step, of_step).is_none());
    let missing = missing.or_else(|| ir::attribute(computation.hom, of_scalar).is_none().then_some(computation.hom));
    missing.map_or(Ok(()), |step| {
        Err(Failure::new(step, "requires a tag: run mdh-tag-operators on a partitioned schedule"))
    })
}

/// Checks that a chain without a schedule has its placements already.
pub(super) fn require_placements<'c>(computation: &Computation<'c>) -> Result<(), Failure<'c>> {
    let lacks = |operation: &Op<'c>, name: &str| ir::attribute(*operation, name).is_none();
    let missing = computation.decompose.iter().find(|step| lacks(step, "reads"));
    let scalar = Some(&computation.hom).filter(|scalar| lacks(scalar, "reads") || lacks(scalar, "writes"));
    let missing = missing.or(scalar).or_else(|| computation.recompose.iter().find(|step| lacks(step, "writes")));
    missing.map_or(Ok(()), |step| {
        Err(Failure::new(*step, "requires placements of its buffers: run mdh-promote-memory on a partitioned schedule"))
    })
}

fn level(operation: Op<'_>) -> Option<Level> {
    let number = |name: &str| ir::attribute(operation, name).and_then(ir::integer_attribute);
    let position = |name: &str| usize::try_from(number(name)?).ok()?.checked_sub(1);
    Some(Level { layer: position("layer")?, dimension: position("dimension")? })
}

fn step(operation: Op<'_>, key: &str) -> Result<(Step, Option<u64>), String> {
    let level = level(operation).ok_or("requires a layer and a dimension of at least 1")?;
    let count = ir::attribute(operation, "parts").and_then(ir::integer_attribute).unwrap_or(1);
    let attribute = ir::attribute(operation, "tag");
    let tag = attribute
        .and_then(tag)
        .ok_or_else(|| format!("requires a tag on step {}: run mdh-tag-operators first", rules::name(level)))?;
    let placements = placements(operation, key)
        .map_err(|_| format!("requires {key} on step {}: run mdh-promote-memory first", rules::name(level)))?;
    Ok((Step { level, tag, placements }, u64::try_from(count).ok()))
}

fn scalar_order(scalar: Op<'_>, layers: usize, rank: usize) -> Result<Vec<(Level, Tag)>, String> {
    let order = ir::attribute(scalar, "order").and_then(ir::array_attribute).unwrap_or_default();
    let rows: Vec<_> = order.into_iter().map(|row| ir::dense_array_attribute(row).unwrap_or_default()).collect();
    if rows.len() != layers || rows.iter().any(|row| row.len() != rank) {
        return Err(format!("requires an order with {layers} rows of {rank} positions"));
    }
    let tags = ir::attribute(scalar, "tags").and_then(ir::array_attribute);
    let tags = tags.and_then(|tags| tags.into_iter().map(tag).collect::<Option<Vec<_>>>());
    let tags = tags.ok_or("requires tags on the scalar step: run mdh-tag-operators first")?;
    if tags.len() != layers * rank {
        return Err(format!("requires {} tags on the scalar step, but there are {}", layers * rank, tags.len()));
    }
    let levels = (0..layers).flat_map(|layer| (0..rank).map(move |dimension| Level { layer, dimension }));
    let mut order: Vec<_> = levels.zip(tags).collect();
    order.sort_by_key(|(level, _)| rows[level.layer][level.dimension]);
    Ok(order)
}

fn placements(operation: Op<'_>, key: &str) -> Result<Vec<Placement>, String> {
    let list = ir::attribute(operation, key).and_then(ir::array_attribute);
    list.and_then(|list| list.into_iter().map(placement).collect())
        .ok_or_else(|| format!("requires {key} on the scalar step: run mdh-promote-memory first"))
}

fn tag(attribute: Attribute<'_>) -> Option<Tag> {
    let (layer, dimension) = lowlevel::tag(attribute)?;
    Some(Tag { layer, dimension: usize::try_from(dimension).ok()?.checked_sub(1)? })
}

fn placement(attribute: Attribute<'_>) -> Option<Placement> {
    let lowlevel::Placement { region, layout, pad, buffers } = lowlevel::placement(attribute)?;
    let layout = layout.into_iter().map(|d| usize::try_from(d).ok()?.checked_sub(1)).collect::<Option<_>>()?;
    Some(Placement { region, layout, pad: u64::try_from(pad).ok()?, buffers: u64::try_from(buffers).ok()? })
}
