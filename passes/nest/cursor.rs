//! The cursor of the construction: its state at one position of the nest.
use crate::{
    nest::{
        accumulator::Accumulator,
        code::Code,
        construction::Construction,
        gpu::kernel::{BufferedLoop, KernelContext},
        index::Index,
        loops::Scope,
        source::Source,
        space::Point,
        tile::Tile,
        tree::Purpose,
    },
    plan::PlannedPromotion,
};
use mdh_dialects::schedule::model::Level;

/// The state of the construction at one position of the nest.
#[derive(Clone)]
pub struct Cursor<'t> {
    /// The insertion point of statements.
    pub b: Code<'t>,
    /// The part number of each level whose loop is around this position.
    pub point: Point,
    /// Where buffers are allocated.
    pub scope: Scope<'t>,
    /// The execution space of the code here.
    pub place: ExecutionSpace<'t>,
    /// The register tile around this position. The point has part number 0 for its levels.
    pub tile: Tile,
    /// True inside of a parallel loop.
    pub is_in_parallel_loop: bool,
    /// True if a value has been combined before those of this position, so that they are not the first.
    pub is_after_first: bool,
    /// The number of levels with more than one part that are around this position.
    pub depth: usize,
    /// By input buffer and group: the source before any promotion. For an input that a producer computes, the part that
    /// has been computed at this position.
    pub home: Vec<Vec<Source>>,
    /// The parts of producers that have been computed: the producer, and a source for each of its outputs.
    pub parts: Vec<(usize, Vec<Source>)>,
    /// The inputs of producers that have been copied for all parts.
    pub shared: Vec<SharedInput>,
    /// By input buffer and group: where its elements are read from.
    pub sources: Vec<Vec<Source>>,
    /// By input buffer and group: the innermost source outside of the private memory of a thread, from which the
    /// threads of a block copy together.
    pub common: Vec<Vec<Source>>,
    /// By input buffer: the depth at which `common` was promoted.
    pub placed_at: Vec<usize>,
    /// By input buffer: true if its elements are read before any promotion.
    pub is_home: Vec<bool>,
    /// The innermost loop of the kernel around this position, if all threads of the block execute it with the same trip
    /// count.
    pub buffered_loop: Option<BufferedLoop>,
    /// The results of a separate scalar phase in memory; `None` before it.
    pub results: Option<Accumulator>,
}

impl<'t> Cursor<'t> {
    /// The cursor at the entry of the nest.
    pub fn new(nest: &Construction<'_, 't>, b: Code<'t>, scope: Scope<'t>) -> Self {
        Self {
            b,
            point: Point::new(&nest.space),
            scope,
            place: if nest.kernels.is_some() { ExecutionSpace::Host } else { ExecutionSpace::Processor },
            tile: Tile::default(),
            is_in_parallel_loop: false,
            is_after_first: false,
            depth: 0,
            home: nest.home.clone(),
            parts: vec![],
            shared: vec![],
            sources: nest.home.clone(),
            common: nest.home.clone(),
            placed_at: vec![0; nest.home.len()],
            is_home: vec![true; nest.home.len()],
            buffered_loop: None,
            results: None,
        }
    }

    /// This cursor inside of a loop over the parts of a level.
    pub fn inside(&self, b: &Code<'t>, level: Level, number: Index) -> Self {
        let point = self.point.with(level.dimension, level.layer, level.layer, number);
        Self { b: *b, point, depth: self.depth + 1, buffered_loop: None, ..self.clone() }
    }

    /// The part of an output of a producer that has been computed.
    pub fn part(&self, (producer, output): (usize, usize)) -> Option<&Source> {
        self.parts.iter().find(|(known, _)| *known == producer)?.1.get(output)
    }

    /// This cursor inside of a new group of statements.
    pub fn within(&self, purpose: Purpose) -> Self {
        Self { b: self.b.group(purpose), ..self.clone() }
    }

    /// This cursor inside of a parallel loop, with the scope of one of its threads.
    pub fn on_thread(mut self, scope: &Scope<'t>) -> Self {
        self.scope = scope.clone();
        self.is_in_parallel_loop = true;
        self
    }
}

/// A copy of an input that all parts of a producer read.
#[derive(Clone)]
pub struct SharedInput {
    /// The producer, by its number in the workload.
    pub producer: usize,
    /// The input of the producer, and the region and layout of the copy.
    pub promotion: PlannedPromotion,
    /// By group of accesses: the copy.
    pub sources: Vec<Source>,
}

/// The execution space of a part of the nest.
#[derive(Clone, Default)]
pub enum ExecutionSpace<'t> {
    /// The processor, with buffers in its memory.
    #[default]
    Processor,
    /// The host around kernels: the processor, with buffers in device memory, which only kernels access.
    Host,
    /// A kernel.
    Kernel(Box<KernelContext<'t>>),
}
