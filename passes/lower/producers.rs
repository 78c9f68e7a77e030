//! Producers of a computation: earlier ones that are computed at a level of it, as their schedules say, and the rules F1
//! to F6 that this requires (`docs/schedules.md`).
pub mod kernels;
pub mod levels;
pub mod parts;

use crate::{
    analysis::{
        computation::{AccessedBuffer, Computation, Hom},
        effects::Effects,
        index::Partition,
        origin::may_alias,
    },
    nest::workload::{PartRange, Producer, Workload},
    notation::{attribute, chain},
    plan::resolve::depth,
};
use mdh_dialects::{
    ir::{self, Op, OpView, Val},
    pass::Failure,
    schedule::model::{ComputeAt, Level, Schedule},
    view::{InpView, OutView},
};
use parts::ProducerPart;

/// A producer, with its schedule.
#[derive(Clone, Debug)]
pub struct FoundProducer<'c> {
    /// Its number among the computations of the function, counted from 0.
    pub number: usize,
    /// The computation.
    pub computation: Computation<'c>,
    /// Its schedule.
    schedule: Schedule,
    /// The level of the consumer.
    level: Level,
}

impl<'c> FoundProducer<'c> {
    /// A computation with a number in its function and a schedule; `None` if the schedule has no position in a consumer.
    pub fn new(number: usize, computation: Computation<'c>, schedule: Schedule) -> Option<Self> {
        let level = schedule.at?.level;
        Some(Self { number, computation, schedule, level })
    }

    /// The same computation and schedule at another level of the consumer.
    pub fn at_level(&self, level: Level) -> Self {
        Self { level, ..self.clone() }
    }
}

/// A computation of a module, with what is known about it before any other is lowered.
#[derive(Clone, Copy, Debug)]
pub struct NumberedView<'c> {
    /// Its view.
    pub out_view: OutView<'c>,
    /// Its number in its function, counted from 0.
    pub number: usize,
    /// The position in a consumer that its schedule names.
    pub at: Option<ComputeAt>,
}

/// The views of computations, with their numbers in their functions.
pub fn numbered<'c>(all: &[Computation<'c>]) -> Vec<NumberedView<'c>> {
    let numbered = all.iter().zip(Computation::numbered(all));
    let view = |(computation, (_, number)): (&Computation<'c>, (String, usize))| NumberedView {
        out_view: computation.out_view,
        number,
        at: position(computation),
    };
    numbered.map(view).collect()
}

/// The position in a consumer that the schedule of a computation names; `None` for others, and before `mdh-schedule`.
fn position(computation: &Computation<'_>) -> Option<ComputeAt> {
    match computation.hom {
        Hom::Scalar(scalar) => scalar.at(),
        Hom::MdHom(hom) => attribute::position(hom.schedule()?),
    }
}

/// F1: requires that the consumer of each producer exists. `all`: all computations of an operation, in order.
pub fn check<'c>(all: &[Computation<'c>]) -> Result<(), Failure<'c>> {
    let names = Computation::numbered(all);
    let numbered = numbered(all);
    if numbered.iter().all(|one| one.at.is_none()) {
        return Ok(());
    }
    for ((computation, (function, number)), own) in all.iter().zip(&names).zip(&numbered) {
        let Some(at) = own.at else { continue };
        let fail = |message: String| Err(Failure::new(computation.hom.op(), message));
        let consumer = names.iter().position(|(of, place)| of == function && *place == at.consumer);
        let Some((consumer, of_consumer)) = consumer.map(|consumer| (&all[consumer], &numbered[consumer])) else {
            let count = names.iter().filter(|(of, _)| of == function).count();
            return fail(format!(
                "F1: requires the number of a computation of @{function} as the consumer, from 1 to {count}, but it is {}",
                at.consumer + 1
            ));
        };
        let is_alike = ir::block(consumer.out_view.op()) == ir::block(computation.out_view.op());
        if at.consumer <= *number || !is_alike {
            let problem = if is_alike { "is not after it" } else { "is in another block" };
            return fail(format!(
                "F1: requires a later computation of the same block as the consumer, but computation {} {problem}",
                at.consumer + 1
            ));
        }
        if of_consumer.at.is_some() {
            return fail(format!(
                "F1: requires a consumer that is not computed in parts itself, but computation {} is: name its consumer",
                at.consumer + 1
            ));
        }
    }
    // The rules that concern a consumer together with its producers.
    for (computation, _) in all.iter().zip(&numbered).filter(|(_, own)| own.at.is_none()) {
        let producers = of(computation, &numbered)?;
        let before = operations_before(computation);
        for producer in &producers {
            let fail = |message: String| Failure::new(producer.computation.hom.op(), message);
            check_readers(computation, producer, &producers).map_err(fail)?;
            check_memory(computation, producer, &before).map_err(fail)?;
        }
        if let Some(producer) = producers.last() {
            let schedule = chain::schedule(computation);
            let workload = schedule.and_then(|schedule| self::workload(computation, &schedule, &producers));
            workload.map_err(|message| Failure::new(producer.computation.hom.op(), message))?;
        }
    }
    Ok(())
}

/// The producers of a computation, in the order of the program. `all`: all computations of an operation, whose producers
/// [`check`] has checked: it sees all of them before any is lowered, and knows which memory each of them writes.
pub fn of<'c>(consumer: &Computation<'c>, all: &[NumberedView<'c>]) -> Result<Vec<FoundProducer<'c>>, Failure<'c>> {
    let view = consumer.out_view.op();
    let Some(own) = all.iter().find(|known| known.out_view.op() == view) else { return Ok(vec![]) };
    let is_placed = |other: &&NumberedView<'c>| other.at.is_some_and(|at| at.consumer == own.number);
    let placed: Vec<_> = all.iter().filter(is_placed).collect();
    if placed.is_empty() {
        return Ok(vec![]);
    }
    let before = operations_before(consumer);
    let mut found = vec![];
    for NumberedView { out_view, number, .. } in
        placed.into_iter().filter(|other| before.contains(&other.out_view.op()))
    {
        let Some(computation) = Computation::from_out_view(*out_view) else { continue };
        let hom = computation.hom.op();
        let schedule = chain::schedule(&computation).map_err(|message| Failure::new(hom, message))?;
        found.extend(FoundProducer::new(*number, computation, schedule));
    }
    Ok(found)
}

/// The operations before a computation in its block.
fn operations_before<'c>(computation: &Computation<'c>) -> Vec<Op<'c>> {
    let view = computation.out_view.op();
    let operations = ir::block(view).map(ir::block_operations).unwrap_or_default();
    operations.into_iter().take_while(|operation| *operation != view).collect()
}

/// Checks all rules for a consumer and producers so that they hold after bufferization, too. It may let operations
/// overwrite what a producer reads, so between a producer and its consumer there are only operations that write to memory
/// which they allocate themselves. It copies what a view in another block reads, and the copy would be another reader.
pub fn check_group<'c>(
    consumer: &Computation<'c>,
    schedule: &Schedule,
    producers: &[FoundProducer<'c>],
) -> Result<(), String> {
    // Destinations are overwritten by other operations only.
    const PURE: [&str; 12] = [
        "cf.assert",
        "scf.if",
        "scf.yield",
        "tensor.cast",
        "tensor.collapse_shape",
        "tensor.dim",
        "tensor.empty",
        "tensor.expand_shape",
        "tensor.extract",
        "tensor.extract_slice",
        "tensor.from_elements",
        "tensor.splat",
    ];
    let before = operations_before(consumer);
    let is_first =
        |operation: &Op<'c>| producers.iter().any(|producer| producer.computation.out_view.op() == *operation);
    let between = before.iter().skip_while(|operation| !is_first(operation));
    let is_pure = |operation: &Op<'c>| {
        let name = ir::name(*operation);
        name.starts_with("arith.") || name.starts_with("index.") || PURE.contains(&name)
    };
    let mut others = between.filter(|operation| {
        let is_new = || OutView::cast(**operation).is_none_or(|view| view.destinations().is_empty());
        let is_computation = ir::name(**operation).starts_with("mdh.") && is_new();
        !(is_computation || ir::descendants(**operation).iter().all(is_pure))
    });
    if !before.iter().any(is_first) || others.next().is_some() || !consumer.out_view.destinations().is_empty() {
        return Err("requires computations with new results in one block, and nothing else between them".to_owned());
    }
    let all = || producers.iter().map(|producer| &producer.computation).chain([consumer]);
    let block = ir::block(consumer.out_view.op());
    let is_near = |operation: Op<'c>| ir::block(operation) == block;
    if !all().all(|computation| is_near(computation.hom.op()) && is_near(computation.inp_view.op())) {
        return Err("requires views in the block of the computations".to_owned());
    }
    for producer in producers {
        check_readers(consumer, producer, producers)?;
        check_memory(consumer, producer, &before)?;
    }
    workload(consumer, schedule, producers).map(|_| ())
}

/// F1: only the consumer and its producers read the results.
fn check_readers<'c>(
    consumer: &Computation<'c>,
    producer: &FoundProducer<'c>,
    all: &[FoundProducer<'c>],
) -> Result<(), String> {
    let readers = all.iter().map(|other| &other.computation).chain([consumer]);
    let readers: Vec<_> = readers.map(|computation| computation.inp_view).collect();
    // A view may be that of several computations.
    let is_reader =
        |user: &Op<'c>| readers.iter().any(|reader| reader.op() == *user && ir::users(reader.result()).len() == 1);
    let view = producer.computation.out_view;
    let mut users = view.buffers().into_iter().flat_map(ir::users).filter(|user| *user != view.op());
    match users.find(|user| !is_reader(user)) {
        Some(user) => {
            let name = ir::name(user);
            let what = if InpView::is(user) { "another computation" } else { name };
            Err(format!("F1: requires results that only the consumer reads, but {what} uses them"))
        }
        None => Ok(()),
    }
}

/// F5: the results are new tensors or memrefs, and what the producer reads is not overwritten before the consumer has
/// ended.
fn check_memory<'c>(consumer: &Computation<'c>, producer: &FoundProducer<'c>, before: &[Op<'c>]) -> Result<(), String> {
    let computation = &producer.computation;
    if !computation.out_view.destinations().into_iter().all(is_allocated) {
        return Err("F5: requires new results, but has destinations".to_owned());
    }
    if computation.inits.iter().any(|initial| initial.buffer().is_some()) {
        return Err("F5: requires scalars as initial values, but one is the elements of a buffer".to_owned());
    }
    let between = before.iter().skip_while(|operation| **operation != computation.out_view.op()).skip(1);
    let effects: Vec<_> = between.map(|operation| (*operation, Effects::of(*operation))).collect();
    for (i, input) in computation.inputs.iter().enumerate().filter(|(_, input)| is_memref(input)) {
        let is_written = |(operation, effects): &(Op<'c>, Effects<'c>)| match OutView::cast(*operation) {
            Some(view) => view.destinations().into_iter().any(|output| may_alias(output, input.value)),
            None => !ir::name(*operation).starts_with("mdh.") && effects.overwrite(input.value),
        };
        let is_overwritten =
            || consumer.out_view.destinations().into_iter().any(|output| may_alias(output, input.value));
        if let Some((operation, _)) = effects.iter().find(|between| is_written(between)) {
            let name = ir::name(*operation);
            return Err(format!(
                "F5: requires inputs that nothing overwrites before the consumer, but {name} may overwrite input {}",
                i + 1
            ));
        }
        if is_overwritten() {
            return Err(format!(
                "F5: requires inputs that the consumer does not overwrite, but it may overwrite input {}",
                i + 1
            ));
        }
    }
    Ok(())
}

/// True for the memory of results that bufferization has allocated.
fn is_allocated(destination: Val<'_>) -> bool {
    ir::defining(destination).is_some_and(|operation| ir::name(operation) == "memref.alloc")
}

fn is_memref(buffer: &AccessedBuffer<'_>) -> bool {
    use melior::ir::TypeLike;
    buffer.ty.is_mem_ref()
}

/// The workload of a computation with its producers. The error is the first rule that is violated.
pub fn workload(
    consumer: &Computation<'_>,
    schedule: &Schedule,
    producers: &[FoundProducer<'_>],
) -> Result<Workload, String> {
    let all: Vec<_> = producers.iter().map(|producer| (&producer.computation, producer.level)).collect();
    let (mut workload, parts) = parts_of(consumer, schedule, &all)?;
    for (FoundProducer { number, schedule, level, .. }, ProducerPart { workload: own, ranges, .. }) in
        producers.iter().zip(parts)
    {
        levels::check_parts(&own.operators, schedule)?;
        levels::check_cores(schedule)?;
        let producer = Producer { number: *number, workload: own, schedule: schedule.clone(), level: *level, ranges };
        workload.producers.push(producer);
    }
    Ok(workload)
}

/// The extents of the parts of a producer, as upper bounds: those that its default schedule is made for. `producers`: all
/// producers of the consumer in the order of the program, each with its level.
pub fn extents(
    consumer: &Computation<'_>,
    schedule: &Schedule,
    producers: &[(&Computation<'_>, Level)],
    number: usize,
) -> Result<Vec<Option<u64>>, String> {
    let (_, parts) = parts_of(consumer, schedule, producers)?;
    let (producer, level) = producers[number];
    let partition = Partition::new(&consumer.domain, schedule);
    let order = schedule.scalar_loops();
    let inside = &order[depth(schedule, level)..];
    let span = |d: usize| {
        let levels = partition.levels(d).filter(|level| inside.iter().any(|(known, _)| known == level));
        partition.span(d, &levels.collect::<Vec<_>>()).count()
    };
    let extent = |(d, range): (usize, &Option<PartRange>)| {
        let Some(range) = range else { return producer.domain.extent(d) };
        let first = u64::try_from(range.high.checked_sub(range.low)?).ok()?.checked_add(1)?;
        let mut moving = range.coefficients.iter();
        moving.try_fold(first, |sum, (d, c)| sum.checked_add(span(*d)?.checked_mul(c.unsigned_abs())?))
    };
    Ok(parts[number].ranges.iter().enumerate().map(extent).collect())
}

/// The workload of a computation, and the parts of its producers.
fn parts_of(
    consumer: &Computation<'_>,
    schedule: &Schedule,
    producers: &[(&Computation<'_>, Level)],
) -> Result<(Workload, Vec<ProducerPart>), String> {
    let computations: Vec<_> = producers.iter().map(|(producer, _)| *producer).collect();
    let placed: Vec<_> = producers.iter().map(|(_, level)| *level).collect();
    let (workload, mut found) = parts::marked(consumer, &computations);
    // What reads the results of a producer comes after it.
    for number in (0..found.len()).rev() {
        levels::check_level(placed[number], schedule, &workload.inputs, number)?;
        parts::check_results(&found[number].workload)?;
        levels::check_order(number, schedule, &placed, &found)?;
        let loops = schedule.scalar_loops();
        let around = &loops[..depth(schedule, placed[number])];
        let is_around = |d: usize| around.iter().any(|(level, _)| level.dimension == d);
        found[number].ranges = parts::ranges(number, &workload, &found, &is_around)?;
        parts::check_scans(&found[number])?;
    }
    Ok((workload, found))
}
