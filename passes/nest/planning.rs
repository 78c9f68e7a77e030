//! What the plan of a nest depends on: the facts of a computation.
use super::workload::{Input, Workload};
use crate::{
    analysis::computation::ExtentSource,
    plan::{
        LoopPlan,
        facts::{PlanFacts, PlannedInput},
        order::Phases,
        resolve,
        static_counts::StaticCounts,
    },
    target::KernelFlavour,
};
use mdh_dialects::{
    hom::{Function, Kind},
    schedule::model::Schedule,
};

/// The plan of a computation by a schedule. `kernels`: the properties of the target's kernels; `None` on the processor.
pub fn plan(workload: &Workload, schedule: &Schedule, kernels: Option<&KernelFlavour>) -> LoopPlan {
    let phases = phases(workload, schedule, kernels);
    resolve::resolve(&facts(workload, &phases, static_extents(workload, workload), kernels), &phases)
}

/// The plan of a computation on the machine that its schedule is for.
pub fn usual_plan(workload: &Workload, schedule: &Schedule) -> LoopPlan {
    plan(workload, schedule, kernels(workload, schedule))
}

/// The properties of the kernels that a schedule is for; `None` on the processor, which also runs computations with
/// producers that kernels cannot compute in parts.
pub fn kernels(workload: &Workload, schedule: &Schedule) -> Option<&'static KernelFlavour> {
    let mut levels = workload.producers.iter().map(|producer| producer.level);
    let is_device = schedule.system.is_device() && levels.all(|level| resolve::memory(schedule, level).is_ok());
    KernelFlavour::of_system(&schedule.system).filter(|_| is_device)
}

/// The phases of a schedule in the order of their loops.
pub fn phases<'a>(workload: &Workload, schedule: &'a Schedule, kernels: Option<&KernelFlavour>) -> Phases<'a> {
    match kernels {
        Some(_) => Phases::of_kernels(schedule, &workload.operators),
        None => Phases::of(schedule),
    }
}

/// The facts of a computation with these static extents, at the entry of its nest.
pub fn facts(
    workload: &Workload,
    phases: &Phases<'_>,
    extents: Vec<Option<i64>>,
    kernels: Option<&KernelFlavour>,
) -> PlanFacts {
    let schedule = phases.schedule;
    let input = |input: &Input| PlannedInput {
        home: schedule.home(input.array.sizes.len()),
        is_produced: input.producer.is_some(),
    };
    let inputs: Vec<_> = workload.inputs.iter().map(input).collect();
    let has_scan = workload.has_scan();
    let levels = workload.producers.iter().map(|producer| producer.level);
    PlanFacts {
        operators: workload.operators.clone(),
        counts: StaticCounts::new(extents, schedule),
        has_identity: workload.combiner.as_ref().map(|combiner| combiner.has_identity),
        has_inits: !workload.inits.is_empty() && !has_scan,
        is_vectorizable: kernels.is_none() && workload.has_vectors() && !workload.carries_into_reduction(),
        has_one_value: workload.has_one_value(),
        reduces_before_scan: workload.reassociate && workload.reduces_before_scan(),
        divides_sums: workload.reassociate && kernels.is_none() && adds_floats(workload),
        placements: inputs.iter().map(|input| input.home.clone()).collect(),
        inputs,
        outputs: workload.outputs.iter().map(|output| schedule.home(output.array.sizes.len())).collect(),
        producers: resolve::places(levels, phases, kernels.is_some()),
        has_kernels: kernels.is_some(),
        is_in_parallel_loop: false,
    }
}

/// The extents of a computation that are known before the program runs. `consumer`: the computation in whose nest it is.
fn static_extents(workload: &Workload, consumer: &Workload) -> Vec<Option<i64>> {
    let extent = |source: &ExtentSource| match *source {
        ExtentSource::Static(extent) => Some(extent as i64),
        ExtentSource::Operand(_) => None,
        ExtentSource::Input { buffer, dimension } => {
            let Input { array, producer, .. } = &workload.inputs[buffer];
            array.sizes[dimension].map(|size| size as i64).or_else(|| {
                // The buffer never exists as a whole: the extent is that of the producer.
                let (of, output) = (*producer)?;
                let producer = &consumer.producers[of].workload;
                let access = &producer.outputs[output].accesses[0];
                match access.terms(dimension).next() {
                    Some((d, _)) => static_extents(producer, consumer)[d],
                    None => Some(access.origin(dimension).saturating_add(1)),
                }
            })
        }
    };
    workload.extents.iter().map(extent).collect()
}

/// True if the function of the reductions adds floats.
fn adds_floats(workload: &Workload) -> bool {
    let Some(combiner) = workload.combiner.as_ref().filter(|combiner| combiner.has_identity) else { return false };
    let functions = workload.operators.iter().filter(|operator| operator.reduces());
    functions.filter_map(|operator| operator.function()).any(|function| match function {
        Function::Builtin(kinds) => {
            let mut components = kinds.iter().zip(&combiner.types);
            components.any(|(kind, ty)| *kind == Kind::Add && ty.is_float())
        }
        Function::Symbol(_) => false,
    })
}

impl Workload {
    /// True if one running value reduces several dimensions, because results may be reassociated, or because the running
    /// value begins with an initial value, after which points follow in lexicographic order.
    pub fn has_one_value(&self) -> bool {
        self.reassociate || !self.inits.is_empty() && !self.has_scan()
    }

    /// True if all values of the computation can be vector lanes.
    fn has_vectors(&self) -> bool {
        let mut types = self.input_types.iter().chain(&self.output_types);
        types.all(|element| element.is_vectorizable())
            && self.body.is_vectorizable
            && self.combiner.as_ref().is_none_or(|combiner| combiner.is_vectorizable)
    }
}
