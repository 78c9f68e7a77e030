//! The schedules of a producer: a computation that is computed in parts at a level of its consumer (rules F1 to F6).
//!
//! ```text
//! parts ? 4 2, one part in levels of cores   ×   at level (2, 1) of computation 3, at level (2, 2) of computation 3, ..
//! ```
use crate::{
    analysis::computation::Computation,
    lower::producers::{self, FoundProducer, kernels, levels},
    nest::shared_inputs::is_shared,
};
use mdh_dialects::schedule::{
    model::{ComputeAt, Schedule, System},
    roles::Runner,
    rules::{Shape, name},
};

/// What rules F1 to F6 require of the schedules of a producer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProducerRules {
    /// The positions in consumers that satisfy the rules.
    pub positions: Vec<ComputeAt>,
    /// True for kernels, whose threads run all loops of the producer: rule F6 allows no lanes.
    pub is_for_kernels: bool,
    /// By input: true if rule F6 requires that it is read where it is; empty if no input is.
    pub in_place: Vec<bool>,
}

impl ProducerRules {
    /// Returns what the rules require of one of the producers of a consumer, with the schedules that the others have.
    /// `at`: the number of the consumer in its function, and that of the producer among all producers. The error is the
    /// first rule that the schedules violate already.
    pub fn of(
        (consumer, schedule): (&Computation<'_>, &Schedule),
        producers: &[FoundProducer<'_>],
        at: (usize, usize),
        is_for_kernels: bool,
    ) -> Result<Self, String> {
        let (consumer_number, own) = at;
        let legal = |all: &[FoundProducer<'_>]| {
            let workload = producers::workload(consumer, schedule, all)?;
            if is_for_kernels {
                kernels::check(&workload, schedule)?;
            }
            Ok::<_, String>(workload)
        };
        let workload = legal(producers)?;
        let of_kernels = workload.producers.get(own).filter(|_| is_for_kernels);
        let in_place =
            of_kernels.map(|own| (0..own.workload.inputs.len()).map(|input| is_shared(own, input)).collect());
        let is_legal = |position: &ComputeAt| {
            let mut all = producers.to_vec();
            all[own] = all[own].at_level(position.level);
            legal(&all).is_ok()
        };
        let levels =
            schedule.scalar.order.iter().map(|(level, _)| ComputeAt { consumer: consumer_number, level: *level });
        let positions = levels.filter(is_legal).collect();
        Ok(Self { positions, is_for_kernels, in_place: in_place.unwrap_or_default() })
    }

    /// Returns a computation whose dimensions that the results keep have the extents of a part, which are not known.
    pub(super) fn shape(shape: &Shape) -> Shape {
        let is_kept = |dimension: usize| shape.operators.get(dimension).is_some_and(|operator| operator.keeps());
        let extents = shape.extents().enumerate().map(|(dimension, extent)| extent.filter(|_| !is_kept(dimension)));
        Shape::new(extents, shape.operators.clone(), shape.inputs.clone(), shape.outputs.clone())
    }

    /// Returns the largest numbers of parts on the core layers of a system, as those of slots: 0 for cores whose parts the
    /// threads of the consumer would have to compute.
    pub(super) fn limits(&self, system: &System) -> Vec<Option<u64>> {
        let limits = system.limit.iter().enumerate();
        limits.map(|(core, limit)| if self.distributes(system, core) { Some(0) } else { *limit }).collect()
    }

    fn distributes(&self, system: &System, core: usize) -> bool {
        self.is_for_kernels || system.on_host(core) != Runner::Lanes
    }

    /// Returns true if an input is read where it is.
    pub(super) fn is_in_place(&self, input: usize) -> bool {
        self.in_place.get(input).copied().unwrap_or(false)
    }

    /// Checks the position and the part counts of a schedule, whose rules S1 to S12 are not known to hold; the error is the
    /// violated rule.
    pub(super) fn check_position(&self, schedule: &Schedule, shape: &Shape) -> Result<(), String> {
        match schedule.at {
            None => Err("F2: requires a level of a consumer, but the schedule names none".to_owned()),
            Some(at) if !self.positions.contains(&at) => Err(format!(
                "F2: requires one of {} levels of consumers, but level {} of computation {} is none of them",
                self.positions.len(),
                name(at.level),
                at.consumer + 1
            )),
            Some(_) => levels::check_parts(&shape.operators, schedule),
        }
    }

    /// Checks the levels of cores and the inputs of a schedule that satisfies rules S1 to S12; the error is the violated
    /// rule.
    pub(super) fn check_levels(&self, schedule: &Schedule, shape: &Shape) -> Result<(), String> {
        levels::check_cores(schedule)?;
        match levels::core_loops(schedule).next().filter(|_| self.is_for_kernels) {
            Some((level, tag)) => Err(format!(
                "F6: requires one part in all levels of cores, because each thread runs all loops of the producer, but level {} has several on {}",
                name(level),
                tag.layer
            )),
            None => self.check_inputs(schedule, shape),
        }
    }

    fn check_inputs(&self, schedule: &Schedule, shape: &Shape) -> Result<(), String> {
        for (input, rank) in shape.inputs.iter().enumerate().filter(|(input, _)| self.is_in_place(*input)) {
            if let Some(placement) = kernels::copies(schedule, input, &schedule.home(*rank)).next() {
                return Err(format!(
                    "F6: requires that input {} is read where it is, but it is copied to {placement}",
                    input + 1
                ));
            }
        }
        Ok(())
    }
}
