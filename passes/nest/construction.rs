//! The construction of a nest: the computation, its schedule, and everything that follows from both alone.
use crate::{
    analysis::index::Group,
    nest::{
        code::Recorder, cursor::Cursor, index::Index, initial::InitialValues, operators::Combiner, planning::facts,
        producer_sources::ProducerSources, source::Source, space::IterationSpace, tree::Buffer, workload::Workload,
    },
    plan::{
        LoopPlan,
        facts::{PlanFacts, ProducerPlace},
        order::Phases,
        resolve,
    },
    target::KernelFlavour,
};
use mdh_dialects::schedule::model::{Level, Placement, Schedule};

/// The inputs of the construction, which are the same at all positions of the nest.
#[derive(Clone)]
pub struct Construction<'a, 't> {
    /// The nest under construction.
    pub recorder: &'t Recorder,
    /// The computation.
    pub workload: &'a Workload,
    /// The schedule.
    pub schedule: &'a Schedule,
    /// The phases of the schedule, in the order of their loops.
    pub phases: &'a Phases<'a>,
    /// The partitioned iteration space.
    pub space: IterationSpace,
    /// The combining function; `None` if every operator is a concatenation.
    pub combiner: Option<Combiner>,
    /// By input buffer: its accesses, grouped.
    pub groups: Vec<Vec<Group>>,
    /// By input buffer and group: the source before any promotion. On the processor, the user's buffer, or a copy of it
    /// if an output may alias it; on a device, the copy in global memory.
    pub home: Vec<Vec<Source>>,
    /// By dimension: the layers of the register tile.
    pub tile: Vec<Vec<usize>>,
    /// The levels that are loops of one part after the other in the re-composition, outermost first.
    pub sequential: Vec<Level>,
    /// The carry that comes into a scan, if the computation is a scan with initial values. (Without a scan, the
    /// accumulator of the results has them.)
    pub carry_in: Option<InitialValues>,
    /// The buffers and values that producers read.
    pub producers: Vec<ProducerSources>,
    /// By producer: where its parts are computed.
    pub places: Vec<ProducerPlace>,
    /// The properties of the target's kernels; `None` on the processor.
    pub kernels: Option<&'static KernelFlavour>,
}

impl<'a, 't> Construction<'a, 't> {
    /// The construction of a nest with inputs in these buffers. `kernels`: the properties of the target's kernels; `None`
    /// on the processor.
    pub fn new(
        recorder: &'t Recorder,
        workload: &'a Workload,
        phases: &'a Phases<'a>,
        space: IterationSpace,
        inputs: &[Buffer],
        kernels: Option<&'static KernelFlavour>,
    ) -> Self {
        let groups: Vec<Vec<Group>> =
            workload.inputs.iter().map(|input| Group::of(&input.accesses, input.first_component)).collect();
        let home = groups.iter().zip(inputs).map(|(groups, input)| vec![Source::user(*input); groups.len()]).collect();
        let schedule = phases.schedule;
        Self {
            recorder,
            workload,
            schedule,
            phases,
            combiner: workload.combiner.clone(),
            groups,
            home,
            tile: phases.tile_layers(kernels.is_none()),
            sequential: phases.sequential(),
            carry_in: None,
            producers: vec![],
            places: resolve::places(
                workload.producers.iter().map(|producer| producer.level),
                phases,
                kernels.is_some(),
            ),
            kernels,
            space,
        }
    }

    /// The plan of the nest from a cursor at its entry. `placements`: by input buffer, its placement there.
    pub fn plan(&self, cursor: &Cursor<'_>, placements: Vec<Placement>) -> LoopPlan {
        let facts = facts(self.workload, self.phases, self.space.static_extents(), self.kernels);
        let is_in_parallel_loop = cursor.is_in_parallel_loop;
        resolve::resolve(&PlanFacts { placements, is_in_parallel_loop, ..facts }, self.phases)
    }

    /// By input buffer: the placement of the user's buffer, in the outermost region and row-major.
    pub fn home_placements(&self) -> Vec<Placement> {
        self.workload.inputs.iter().map(|input| self.schedule.home(input.array.sizes.len())).collect()
    }

    /// Returns the dimensions of the result: concatenated (`cc`) and scanned (`ps`) ones.
    pub fn non_reduction_dimensions(&self) -> Vec<usize> {
        let operators = &self.workload.operators;
        (0..operators.len()).filter(|&d| operators[d].keeps()).collect()
    }

    /// Returns the number of parts of a level that start before the end of its dimension.
    pub fn trip(&self, cursor: &Cursor<'_>, level: Level) -> Index {
        self.space.trip(&cursor.b, level.dimension, level.layer, level.layer, &cursor.point)
    }
}
