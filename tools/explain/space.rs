//! The numbers of legal schedules of the computations of a program.
//!
//! ```text
//! @matmul, computation 1, on @cpu: 1.076e175 legal schedules
//! ```
use super::scheduled::Scheduled;
use mdh_passes::{
    lower::producers,
    schedule::random::Random,
    tune::space::{SampledCount, SampledCounts, ScheduleSpace, SpaceBounds, producer::ProducerRules},
};

/// Number of samples of a space that is too large to be counted.
const SAMPLES: u32 = 500;

/// The number of legal schedules of each computation on the system of its schedule, as lines. `all`: all computations of
/// some functions, so that they include the consumers of those that are computed in parts.
pub fn lines(all: &[Scheduled<'_>]) -> String {
    all.iter().map(|one| line(one, all)).collect()
}

fn line(one: &Scheduled<'_>, all: &[Scheduled<'_>]) -> String {
    let system = &one.schedule.system;
    let at = one.schedule.at.map(|at| format!(", in parts of computation {}", at.consumer + 1)).unwrap_or_default();
    let title = format!("@{}, computation {}{at}, on @{}", one.function, one.number + 1, system.name);
    match space(one, all) {
        Ok(space) => format!("{title}: {}\n", size(&space)),
        Err(problem) => format!("{title}: no number of schedules: {problem}\n"),
    }
}

/// The space of a computation: of its schedules for all results at once or, if it is computed in parts, of those at any
/// level of its consumer that the rules allow.
fn space(one: &Scheduled<'_>, all: &[Scheduled<'_>]) -> Result<ScheduleSpace, String> {
    let (shape, system) = (one.computation.shape(), &one.schedule.system);
    let consumer = one
        .schedule
        .at
        .and_then(|at| all.iter().find(|other| other.function == one.function && other.number == at.consumer));
    let Some(consumer) = consumer else { return ScheduleSpace::new(&shape, system) };
    let computations: Vec<_> = all.iter().map(|one| one.computation.clone()).collect();
    let producers = producers::of(&consumer.computation, &producers::numbered(&computations));
    let producers = producers.map_err(|failure| failure.message)?;
    let own = producers.iter().position(|producer| producer.number == one.number);
    let own = own.ok_or("F1: requires a later computation of the same block as the consumer")?;
    let group = (&consumer.computation, &consumer.schedule);
    let rules = ProducerRules::of(group, &producers, (consumer.number, own), consumer.schedule.system.is_device())?;
    ScheduleSpace::of_producer(&shape, system, rules, &SpaceBounds::default())
}

/// The number of schedules of a space, and of those that can be lowered to kernels.
fn size(space: &ScheduleSpace) -> String {
    let SampledCounts { schedules, kernels } = space.estimate(SAMPLES, &mut Random::new(1));
    let schedules = match (space.count(), schedules) {
        (Ok(count), _) => format!("{} legal schedules", rounded(&count.to_string())),
        (Err(problem), Some(estimate)) => format!("about {}: {problem}", estimated(&estimate, "legal schedules")),
        (Err(problem), None) => {
            format!("at most {} legal schedules: {problem}", rounded(&space.size().to_string()))
        }
    };
    match kernels {
        Some(kernels) => format!("{schedules}; about {}", estimated(&kernels, "satisfy S11 for kernels")),
        None => schedules,
    }
}

fn estimated(estimate: &SampledCount, what: &str) -> String {
    let (count, error) = (rounded(&estimate.count.to_string()), 100.0 * estimate.error);
    format!("{count} {what} (by {SAMPLES} samples, standard error {error:.1} %)")
}

/// A natural number in decimal digits: exact if it is short, otherwise rounded down.
fn rounded(digits: &str) -> String {
    const EXACT: usize = 24;
    match digits.len() {
        ..=EXACT => digits.to_owned(),
        length => format!("{}.{}e{}", &digits[..1], &digits[1..4], length - 1),
    }
}
