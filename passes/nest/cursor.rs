//! What a nest is built from, and the state of building at one place of it.
use crate::{
    analysis::index::Group,
    nest::{
        accumulator::Accumulator,
        code::{Code, Recorder},
        gpu::{
            kernel::{BufferedLoop, KernelContext},
            kernel_memory::Obstacle,
        },
        index::Index,
        loops::Scope,
        operators::Combiner,
        source::Source,
        space::{IterationSpace, Point},
        tile::Tile,
        tree::Purpose,
        workload::Workload,
    },
    target::KernelFlavour,
};
use mdh_dialects::schedule::model::{Level, Placement, Schedule};

/// Everything about a computation that its nest is built from.
#[derive(Clone)]
pub struct Construction<'a, 't> {
    /// The nest.
    pub recorder: &'t Recorder,
    /// The computation.
    pub workload: &'a Workload,
    /// Its schedule.
    pub schedule: &'a Schedule,
    /// The schedule as it was given, which has the levels that messages name.
    pub original: &'a Schedule,
    /// Its partitioned iteration space.
    pub space: IterationSpace,
    /// The combining function; none where every operator is a concatenation.
    pub combiner: Option<Combiner>,
    /// By input buffer: its accesses, grouped.
    pub groups: Vec<Vec<Group>>,
    /// By input buffer and group: the user's buffer.
    pub home: Vec<Vec<Source>>,
    /// The placement of the user's buffers: the outermost region, row-major.
    pub home_inputs: Vec<Placement>,
    /// By dimension: the layers of the register tile.
    pub tile: Vec<Vec<usize>>,
    /// The number of leading levels that scalar phase and re-composition share.
    pub shared: usize,
    /// The number of leading levels that de-composition and scalar phase share.
    pub decomposed: usize,
    /// Whether the reduction of several dimensions may have one running value, and parts of scans may be reduced before they are scanned.
    pub reassociate: bool,
    /// Whether its values can be lanes of vectors.
    pub is_vectorizable: bool,
    /// What its kernels are like, if it runs on the blocks and threads of a device.
    pub kernels: Option<&'static KernelFlavour>,
}

/// The state of generation at one place of the nest.
#[derive(Clone)]
pub struct Cursor<'t> {
    /// Where code goes.
    pub b: Code<'t>,
    /// What is fixed here.
    pub point: Point,
    /// Where buffers are allocated.
    pub scope: Scope<'t>,
    /// What runs this.
    pub place: ExecutionSpace<'t>,
    /// Why there can be no kernels.
    pub problem: Obstacle,
    /// The levels whose parts are computed at once; the point has the number 0 for them.
    pub tile: Tile,
    /// Whether a parallel loop is around this.
    pub threaded: bool,
    /// The number of levels with more than one part that are fixed.
    pub depth: usize,
    /// By input buffer and group.
    pub sources: Vec<Vec<Source>>,
    /// The last of them that are not in a thread's own memory: what other threads may be asked to copy.
    pub common: Vec<Vec<Source>>,
    /// By input buffer: how many levels were fixed where these were copied.
    pub since: Vec<usize>,
    /// The innermost loop in a kernel around this, if all threads of a block take it together.
    pub buffered_loop: Option<BufferedLoop>,
    /// By input buffer.
    pub placements: Vec<Placement>,
    /// The materialised results of the scalar phase, once they are there.
    pub results: Option<Accumulator>,
}

impl<'t> Cursor<'t> {
    /// The outermost frame.
    pub fn new(nest: &Construction<'_, 't>, b: Code<'t>, scope: Scope<'t>) -> Self {
        Self {
            b,
            point: Point::new(&nest.space),
            scope,
            place: if nest.kernels.is_some() { ExecutionSpace::Host } else { ExecutionSpace::Processor },
            problem: Obstacle::default(),
            tile: Tile::default(),
            threaded: false,
            depth: 0,
            sources: nest.home.clone(),
            common: nest.home.clone(),
            since: vec![0; nest.home.len()],
            buffered_loop: None,
            placements: nest.home_inputs.clone(),
            results: None,
        }
    }

    /// This frame inside a loop over a level.
    pub fn inside(&self, b: &Code<'t>, level: Level, number: Index) -> Self {
        let point = self.point.with(level.dimension, level.layer, level.layer, number);
        Self { b: *b, point, depth: self.depth + 1, buffered_loop: None, ..self.clone() }
    }

    /// This frame among statements that belong together.
    pub fn within(&self, purpose: Purpose) -> Self {
        Self { b: self.b.group(purpose), ..self.clone() }
    }

    /// This frame with the scope of a thread.
    pub fn on_thread(mut self, scope: &Scope<'t>) -> Self {
        self.scope = scope.clone();
        self.threaded = true;
        self
    }
}

/// Where the code of a loop nest runs.
#[derive(Clone, Default)]
pub enum ExecutionSpace<'t> {
    /// On the processor, with its buffers.
    #[default]
    Processor,
    /// On the processor, with buffers of a device, which only kernels reach.
    Host,
    /// In a kernel.
    Kernel(Box<KernelContext<'t>>),
}

impl<'t> Construction<'_, 't> {
    /// The number of parts of a level that start before the end of its dimension.
    pub fn trip(&self, cursor: &Cursor<'t>, level: Level) -> Index {
        self.space.trip(&cursor.b, level.dimension, level.layer, level.layer, &cursor.point)
    }

    /// The dimensions that are not reduced: those that outputs are stored along.
    pub fn non_reduction_dimensions(&self) -> Vec<usize> {
        let operators = &self.workload.operators;
        (0..operators.len()).filter(|&d| operators[d].keeps()).collect()
    }
}
