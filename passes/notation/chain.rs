//! Conversion between a low-level chain and its schedule.
use crate::{analysis::computation::Computation, notation::attribute};
use mdh_dialects::{
    hom::MdHom,
    ir::{Op, OpView},
    lowlevel::{Scalar, StepView},
    pass::Failure,
    schedule::{
        model::{Level, ScalarPhase, Schedule, Step, System, Tag},
        rules,
    },
};

/// The schedule of a computation at any stage between mdh-schedule and the lowering.
pub fn schedule(computation: &Computation<'_>) -> Result<Schedule, String> {
    let scalar = computation.scalar();
    let attribute = scalar.map_or_else(|| computation.md_hom().and_then(MdHom::schedule), Scalar::schedule);
    match attribute {
        Some(attribute) => attribute::read(attribute, &computation.shape(), computation.hom.op()),
        None if scalar.is_some() => read(computation),
        None => Err("requires a schedule: run mdh-schedule first".to_owned()),
    }
}

/// Reads the schedule from a complete chain, which mdh-promote-memory produced or a user wrote.
pub fn read(computation: &Computation<'_>) -> Result<Schedule, String> {
    let scalar = computation.scalar().ok_or("requires a low-level chain: run mdh-partition first")?;
    let symbol = scalar.system();
    let system = System::resolve(scalar.op(), symbol)
        .ok_or_else(|| format!("@{symbol} is neither declared nor a built-in system"))?;
    let (layers, rank) = (system.layers(), computation.rank());
    let mut parts = vec![vec![Some(1); rank]; layers];
    let mut decompose = vec![];
    for operation in &computation.decompose {
        let (step, count) = step(*operation)?;
        if let Some(entry) = parts.get_mut(step.level.layer).and_then(|row| row.get_mut(step.level.dimension)) {
            *entry = count;
        }
        decompose.push(step);
    }
    let mut recompose = vec![];
    for operation in &computation.recompose {
        let (step, _) = step(*operation)?;
        recompose.push(step);
    }
    recompose.reverse();
    let order = scalar_order(scalar, layers, rank)?;
    let missing = |key: &str| format!("requires {key} on the scalar step: run mdh-promote-memory first");
    let reads = scalar.reads().ok_or_else(|| missing("reads"))?;
    let writes = scalar.writes().ok_or_else(|| missing("writes"))?;
    let scalar_phase = ScalarPhase { order, reads, writes };
    Ok(Schedule { system, parts, decompose, scalar: scalar_phase, recompose, at: scalar.at() })
}

/// The schedule that a chain carries between mdh-partition and mdh-promote-memory; `None` otherwise.
pub fn attached<'c>(computation: &Computation<'c>) -> Result<Option<Schedule>, Failure<'c>> {
    let Some(attribute) = computation.scalar().and_then(Scalar::schedule) else { return Ok(None) };
    let fail = |message: String| Failure::new(computation.hom.op(), message);
    let shape = computation.shape();
    let schedule = attribute::read(attribute, &shape, computation.hom.op()).map_err(fail)?;
    rules::check(&schedule, &shape).map_err(|violations| fail(rules::summary(&violations)))?;
    if !agree(&computation.decompose, schedule.decompose.iter())
        || !agree(&computation.recompose, schedule.recompose.iter().rev())
    {
        return Err(fail("the steps of the chain differ from the schedule that it carries".to_owned()));
    }
    Ok(Some(schedule))
}

/// The chains with a schedule among an operation and its descendants. `require` checks each chain without one.
pub fn attached_among<'c>(
    root: Op<'c>,
    require: impl Fn(&Computation<'c>) -> Result<(), Failure<'c>>,
) -> Result<Vec<(Computation<'c>, Scalar<'c>, Schedule)>, Failure<'c>> {
    let mut found = vec![];
    for computation in Computation::all(root) {
        let Some(scalar) = computation.scalar() else { continue };
        match attached(&computation)? {
            Some(schedule) => found.push((computation, scalar, schedule)),
            None => require(&computation)?,
        }
    }
    Ok(found)
}

/// True if the operations have the levels of the steps.
fn agree<'s, 'c, S: StepView<'c>>(operations: &[S], steps: impl ExactSizeIterator<Item = &'s Step>) -> bool {
    operations.len() == steps.len()
        && operations.iter().zip(steps).all(|(operation, step)| operation.level() == Some(step.level))
}

/// Checks that a chain without a schedule already has its tags.
pub fn require_tags<'c>(computation: &Computation<'c>) -> Result<(), Failure<'c>> {
    let down = computation.decompose.iter().find(|step| !step.has_tag()).map(|step| step.op());
    let up = || computation.recompose.iter().find(|step| !step.has_tag()).map(|step| step.op());
    let scalar = || computation.scalar().filter(|scalar| !scalar.has_tags()).map(Scalar::op);
    down.or_else(up).or_else(scalar).map_or(Ok(()), |step| {
        Err(Failure::new(step, "requires a tag: run mdh-tag-operators on a partitioned schedule"))
    })
}

/// Checks that a chain without a schedule already has its placements.
pub fn require_placements<'c>(computation: &Computation<'c>) -> Result<(), Failure<'c>> {
    let down = computation.decompose.iter().find(|step| !step.has_placements()).map(|step| step.op());
    let scalar = || computation.scalar().filter(|scalar| !scalar.has_placements()).map(Scalar::op);
    let up = || computation.recompose.iter().find(|step| !step.has_placements()).map(|step| step.op());
    down.or_else(scalar).or_else(up).map_or(Ok(()), |step| {
        Err(Failure::new(step, "requires placements of its buffers: run mdh-promote-memory on a partitioned schedule"))
    })
}

fn step<'c, S: StepView<'c>>(operation: S) -> Result<(Step, Option<u64>), String> {
    let level = operation.level().ok_or("requires a layer and a dimension of at least 1")?;
    let missing = |what: &str, pass: &str| format!("requires {what} on step {}: run {pass} first", rules::name(level));
    let tag = operation.tag().ok_or_else(|| missing("a tag", "mdh-tag-operators"))?;
    let placements = operation.placements().ok_or_else(|| missing(S::PLACEMENTS, "mdh-promote-memory"))?;
    Ok((Step { level, tag, placements }, operation.parts()))
}

fn scalar_order(scalar: Scalar<'_>, layers: usize, rank: usize) -> Result<Vec<(Level, Tag)>, String> {
    let rows = scalar.order();
    let tags = scalar.tags().ok_or("requires tags on the scalar step: run mdh-tag-operators first")?;
    let levels = (0..layers).flat_map(|layer| (0..rank).map(move |dimension| Level { layer, dimension }));
    let mut order: Vec<_> = levels.zip(tags).collect();
    order.sort_by_key(|(level, _)| rows[level.layer][level.dimension]);
    Ok(order)
}
