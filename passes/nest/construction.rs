//! The construction of a nest: the computation, its schedule, and everything that follows from both alone.
use crate::{
    analysis::index::Group,
    nest::{
        code::Recorder,
        initial::InitialValues,
        operators::Combiner,
        producers::{ProducerPlace, ProducerSources},
        source::Source,
        space::IterationSpace,
        tree::Buffer,
        workload::Workload,
    },
    target::KernelFlavour,
};
use mdh_dialects::schedule::model::{Placement, Schedule};

/// The inputs of the construction, which are the same at all positions of the nest.
#[derive(Clone)]
pub struct Construction<'a, 't> {
    /// The nest under construction.
    pub recorder: &'t Recorder,
    /// The computation.
    pub workload: &'a Workload,
    /// The schedule. For kernels, its distributed levels are hoisted (`gpu/hoist.rs`).
    pub schedule: &'a Schedule,
    /// The schedule as given by the user, for the levels that messages name.
    pub original: &'a Schedule,
    /// The partitioned iteration space.
    pub space: IterationSpace,
    /// The combining function; `None` if every operator is a concatenation.
    pub combiner: Option<Combiner>,
    /// By input buffer: its accesses, grouped.
    pub groups: Vec<Vec<Group>>,
    /// By input buffer and group: the source before any promotion. On the processor, the user's buffer, or a copy of it
    /// if an output may alias it; on a device, the copy in global memory.
    pub home: Vec<Vec<Source>>,
    /// By input buffer: the placement of the user's buffer, in the outermost region and row-major.
    pub home_inputs: Vec<Placement>,
    /// By dimension: the layers of the register tile.
    pub tile: Vec<Vec<usize>>,
    /// The number of leading loops that the scalar phase and the re-composition share.
    pub shared: usize,
    /// The number of leading loops that the de-composition and the scalar phase share.
    pub decomposed: usize,
    /// The carry that comes into a scan, if the computation is a scan with initial values. (Without a scan, the
    /// accumulator of the results has them.)
    pub carry_in: Option<InitialValues>,
    /// The buffers and values that producers read.
    pub producers: Vec<ProducerSources>,
    /// By producer: where its parts are computed.
    pub places: Vec<ProducerPlace>,
    /// True if floating-point results may be reassociated: parts of scans may be reduced before they are scanned.
    pub reassociate: bool,
    /// True if one running value reduces several dimensions, because results may be reassociated, or because the
    /// running value begins with an initial value, after which points follow in lexicographic order.
    pub has_one_value: bool,
    /// True if values of the scalar function can be vector lanes.
    pub is_vectorizable: bool,
    /// The properties of the target's kernels; `None` on the processor.
    pub kernels: Option<&'static KernelFlavour>,
}

impl Construction<'_, '_> {
    /// This construction with register tiles, and with vectors if all values can be lanes.
    pub fn with_tiles(self) -> Self {
        let is_vectorizable = self.has_vectors() && !self.workload.carries_into_reduction();
        Self { tile: self.schedule.tile_layers(), is_vectorizable, ..self }
    }

    /// Returns the dimensions of the result: concatenated (`cc`) and scanned (`ps`) ones.
    pub fn non_reduction_dimensions(&self) -> Vec<usize> {
        let operators = &self.workload.operators;
        (0..operators.len()).filter(|&d| operators[d].keeps()).collect()
    }
}

/// The construction of a nest with inputs in these buffers, without register tiles and vectors.
pub fn construction_without_tiles<'a, 't>(
    recorder: &'t Recorder,
    workload: &'a Workload,
    schedule: &'a Schedule,
    space: IterationSpace,
    inputs: &[Buffer],
) -> Construction<'a, 't> {
    let groups: Vec<Vec<Group>> =
        workload.inputs.iter().map(|input| Group::of(&input.accesses, input.first_component)).collect();
    let home = groups.iter().zip(inputs).map(|(groups, input)| vec![Source::user(*input); groups.len()]).collect();
    let (shared, decomposed) = (schedule.shared(&schedule.recompose), schedule.shared(&schedule.decompose));
    Construction {
        recorder,
        workload,
        schedule,
        original: schedule,
        space,
        combiner: workload.combiner.clone(),
        groups,
        home,
        home_inputs: workload.inputs.iter().map(|input| schedule.home(input.array.sizes.len())).collect(),
        tile: vec![vec![]; workload.rank()],
        shared,
        decomposed,
        carry_in: None,
        producers: vec![],
        places: workload.producers.iter().map(|producer| ProducerPlace::on_processor(schedule, producer)).collect(),
        reassociate: workload.reassociate,
        has_one_value: workload.reassociate || !workload.inits.is_empty() && !workload.has_scan(),
        is_vectorizable: false,
        kernels: None,
    }
}
