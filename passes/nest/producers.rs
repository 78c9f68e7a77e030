//! Producers: computations whose results the nest reads in parts, each computed directly before it is read.
//!
//! A producer is computed at a level of its consumer: each iteration of the loop over the parts of the level first
//! computes the part of the producer's results that the iteration reads, into a buffer of that size, with loops of the
//! producer's own schedule. Inputs of the consumer that are results of a producer are read from this buffer. So it
//! takes the place of a promotion, with a computation instead of a copy.
//!
//! ```mlir
//! // mdh-opt --lower-mdh="stop-after=loops print-nest=true"
//! mdh.lowlevel.system @simple memory [MM: global] cores []
//! func.func @normalized(%x: memref<6x8xf32>) -> memref<6x8xf32> {
//!   %in = mdh.view.inp_view %x[affine_map<(i, k) -> (i, k)>] : (memref<6x8xf32>) -> !mdh.mda<6x8, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @simple, parts = [["?", 8]],
//!       decompose = {tags = [["MM,x", "MM,y"]]}, at = {consumer = 2, level = [1, 1]}}} {
//!   ^bb0(%a: f32):
//!     mdh.hom.yield %a : f32
//!   } : !mdh.mda<6x8, f32> -> !mdh.mda<6x1, f32>
//!   %sums = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<6x1, f32> -> memref<6xf32>
//!   %both = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>], %sums[affine_map<(i, j) -> (i)>]
//!       : (memref<6x8xf32>, memref<6xf32>) -> !mdh.mda<6x8, f32, f32>
//!   %q = mdh.hom.md_hom %both combine [#mdh.cc, #mdh.cc] attributes {schedule = {system = @simple, parts = [[6, 8]],
//!       decompose = {tags = [["MM,x", "MM,y"]]}}} {
//!   ^bb0(%a: f32, %s: f32):
//!     %d = arith.divf %a, %s : f32
//!     mdh.hom.yield %d : f32
//!   } : !mdh.mda<6x8, f32, f32> -> !mdh.mda<6x8, f32>
//!   %y = mdh.view.out_view %q[affine_map<(i, j) -> (i, j)>] : !mdh.mda<6x8, f32> -> memref<6x8xf32>
//!   return %y : memref<6x8xf32>
//! }
//! ```
//! becomes
//! ```text
//! allocate part1: 1 x f32 on the stack
//! for p1_1 in 0..6:
//!   compute a part of computation 1:
//!     level (1, 2) carried:
//!       ..
//!       %1 = for p1_2 in 0..8 carrying (%2 = ..):
//!         %3 = load input 1 of computation 1[p1_1, p1_2]
//!         %4 = scalar (%3)
//!         %5 = accumulate (%2) with (%4)
//!         yield %5
//!       store %1 to part1[0]
//!   for p1_2 in 0..8:
//!     %6 = load input 1[p1_1, p1_2]
//!     %7 = load part1[0]
//!     %8 = scalar (%6, %7)
//! ```
use super::{
    accumulator::Accumulator,
    code::Code,
    construction::{Construction, plain_construction},
    contents::{Cause, ContentKind, Contents},
    cursor::Cursor,
    index::Index::{self, Constant},
    initial::{InitialSource, InitialValues},
    source::Source,
    space::IterationSpace,
    store::Store,
    tree::{Buffer, Purpose},
    workload::{PartRange, Producer},
};
use mdh_dialects::schedule::model::{Level, Schedule};

/// The buffers and values of the program that a producer reads.
#[derive(Clone, Debug, Default)]
pub struct ProducerSources {
    /// Its input buffers.
    pub inputs: Vec<Buffer>,
    /// The initial values by component; `None` for constants.
    pub inits: Vec<Option<InitialSource>>,
    /// The extents of its iteration space.
    pub extents: Vec<Index>,
}

/// The number of loops around the position inside of a level of the scalar phase.
pub fn depth(schedule: &Schedule, level: Level) -> usize {
    let order = schedule.scalar.order.iter().map(|(level, _)| *level);
    let position = schedule.scalar.order.iter().position(|(known, _)| *known == level);
    order.take(position.map_or(0, |position| position + 1)).filter(|level| schedule.is_loop(*level)).count()
}

impl<'t> Construction<'_, 't> {
    /// The number of loops around the innermost position at which a producer is computed.
    pub fn depth_of_producers(&self) -> usize {
        self.workload.producers.iter().map(|producer| depth(self.schedule, producer.level)).max().unwrap_or(0)
    }

    /// Computes the parts of producers at the depth of the cursor, from which the inputs are then read.
    pub fn compute_producers(&self, cursor: &mut Cursor<'t>) {
        if cursor.depth == 0 {
            self.share_inputs(cursor);
        }
        for (number, producer) in self.workload.producers.iter().enumerate() {
            if depth(self.schedule, producer.level) == cursor.depth {
                self.compute_producer(cursor, number, producer);
            }
        }
    }

    fn compute_producer(&self, cursor: &mut Cursor<'t>, number: usize, producer: &Producer) {
        let Some(sources) = self.producers.get(number) else { return };
        let inside = cursor.within(Purpose::Compute { producer: number });
        let (b, workload, whole) = (&inside.b, &producer.workload, &sources.extents);
        let part = |d: usize, range: &PartRange| {
            range.inside(b, (self.first(b, cursor, range), self.reach(b, cursor, range)), whole[d])
        };
        let (firsts, extents): (Vec<_>, Vec<_>) = producer.dimensions(whole, part).unzip();
        let space = IterationSpace::new(b, extents, &producer.schedule).starting_at(firsts.clone());

        let (mut stores, mut parts) = (vec![], vec![]);
        for (component, output) in workload.outputs.iter().enumerate() {
            let (element, access) = (output.array.element, &output.accesses[0]);
            // By axis; an axis with one index has no dimension.
            let dimensions = (0..access.rank()).map(|axis| access.terms(axis).map(|(d, _)| d).next());
            let dimensions: Vec<Option<usize>> = dimensions.collect();
            let outside = cursor.scope.builder();
            let bound = |range: &PartRange| self.bound(&outside, cursor, range);
            let size = |d: usize| producer.ranges[d].as_ref().map_or(whole[d], bound).max(&outside, Constant(0));
            let sizes: Vec<_> = dimensions.iter().flatten().map(|&d| size(d)).collect();
            let placement = producer.schedule.home(access.rank());
            let contents = Contents {
                part: component,
                ..Contents::new(ContentKind::Results(producer.number), Cause::Producer(producer.level), &placement)
            };
            let buffer = cursor.scope.allocate(&sizes, element, contents);
            let stored = dimensions.iter().flatten().map(|&d| (d, space.layers[d].clone())).collect();
            stores.push(Store::of_part(buffer, element, stored));
            let mut sizes = sizes.into_iter();
            let axes: Vec<_> = dimensions.iter().map(|d| d.and_then(|d| Some((firsts[d], sizes.next()?)))).collect();
            parts.push(Source::computed(buffer, &axes, self.space.rank()));
        }

        let placements = workload.outputs.iter().map(|output| producer.schedule.home(output.array.sizes.len()));
        let outputs = Accumulator { stores, placements: placements.collect(), entered: vec![], inits: None };
        self.generate_producer(cursor, b, (number, producer), space, outputs);
        cursor.parts.push((number, parts));
        self.read_parts(cursor, number);
    }

    /// Generates the loops of a producer over the part of its iteration space that `space` describes.
    fn generate_producer(
        &self,
        cursor: &Cursor<'t>,
        b: &Code<'t>,
        (number, producer): (usize, &Producer),
        space: IterationSpace,
        outputs: Accumulator,
    ) {
        let Some(sources) = self.producers.get(number) else { return };
        let Producer { workload, schedule, .. } = producer;
        let scope = cursor.scope.inside(b);
        let mut nest = plain_construction(self.recorder, workload, schedule, space, &sources.inputs, self.reassociate);
        for (input, home) in workload.inputs.iter().zip(&mut nest.home) {
            if let Some(part) = input.producer.and_then(|of| cursor.part(of)) {
                home.fill(part.clone());
            }
        }
        let nest = &mut nest.with_tiles();
        let inits = InitialValues::new(b, &scope, nest, &sources.inits, &outputs.stores);
        let outputs = nest.start(inits, outputs);
        let is_in_parallel_loop = cursor.is_in_parallel_loop;
        let mut inner = Cursor { is_in_parallel_loop, ..Cursor::new(nest, *b, scope.clone()) };
        for shared in cursor.shared.iter().filter(|shared| shared.producer == number) {
            inner.placements[shared.input] = shared.placement.clone();
            inner.sources[shared.input].clone_from(&shared.sources);
            inner.common[shared.input].clone_from(&shared.sources);
        }
        nest.generate_or_fill(&inner, outputs);
        scope.close(b);
    }

    /// Makes the inputs that are results of a producer read from the part that has been computed.
    fn read_parts(&self, cursor: &mut Cursor<'t>, number: usize) {
        for (i, input) in self.workload.inputs.iter().enumerate() {
            let of = input.producer.filter(|(producer, _)| *producer == number);
            let Some(part) = of.and_then(|of| cursor.part(of)).cloned() else { continue };
            let sources = vec![part; self.groups[i].len()];
            cursor.home[i].clone_from(&sources);
            cursor.common[i].clone_from(&sources);
            cursor.sources[i] = sources;
        }
    }

    /// The first index of a range at the cursor.
    fn first(&self, b: &Code<'t>, cursor: &Cursor<'t>, range: &PartRange) -> Index {
        range.coefficients.iter().fold(Constant(range.low), |first, &(d, c)| {
            first.add(b, cursor.point.outermost_index(b, &self.space, d, c).mul(b, Constant(c)))
        })
    }

    /// The number of indices of a range at the cursor.
    fn reach(&self, b: &Code<'t>, cursor: &Cursor<'t>, range: &PartRange) -> Index {
        // A loop around the producer has only indices within the extent.
        let moving = range.coefficients.iter().filter(|(d, _)| !cursor.point.free[*d].is_empty());
        moving.fold(range.spread(), |reach, &(d, c)| {
            reach.add(b, cursor.point.reach(b, &self.space, d).mul(b, Constant(c.abs())))
        })
    }

    /// An upper bound of the number of indices of a range, computed outside of loops.
    fn bound(&self, outside: &Code<'t>, cursor: &Cursor<'t>, range: &PartRange) -> Index {
        range.coefficients.iter().fold(range.spread(), |bound, &(d, c)| {
            let span = self.space.bounded_span(outside, d, &cursor.point.free[d]);
            bound.add(outside, span.mul(outside, Constant(c.abs())))
        })
    }
}

impl Producer {
    /// By dimension: the first index and the number of indices, which `part` gives for a range. `whole`: the extents.
    pub fn dimensions(
        &self,
        whole: &[Index],
        part: impl Fn(usize, &PartRange) -> (Index, Index),
    ) -> impl Iterator<Item = (Index, Index)> {
        let ranges = self.ranges.iter().zip(whole).enumerate();
        ranges.map(move |(d, (range, extent))| range.as_ref().map_or((Constant(0), *extent), |range| part(d, range)))
    }
}

impl PartRange {
    /// The number of indices that are read at one point of the consumer.
    pub fn spread(&self) -> Index {
        Constant(self.high.saturating_sub(self.low).saturating_add(1))
    }

    /// The first index and the number of indices of a part that are inside of a dimension of this extent.
    pub fn inside(&self, b: &Code<'_>, (first, count): (Index, Index), extent: Index) -> (Index, Index) {
        if !self.is_limited {
            return (first, count);
        }
        let (inside, end) = (first.max(b, Constant(0)), first.add(b, count).min(b, extent));
        (inside, end.sub(b, inside).max(b, Constant(0)))
    }
}
