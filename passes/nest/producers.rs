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
    construction::Construction,
    contents::{ContentKind, Contents},
    cursor::{Cursor, SharedInput},
    gpu::producers,
    index::Index::{self, Constant},
    initial::InitialValues,
    initialize,
    record::allocate,
    source::Source,
    space::{IterationSpace, Point},
    store::Store,
    tree::{Buffer, Purpose},
    types::Element,
    workload::{PartRange, Producer},
};
use crate::plan::{Cause, order::Phases};
use mdh_dialects::schedule::roles::Memory;

/// A part of the iteration space of a producer: by dimension, the first index and the number of indices.
#[derive(Clone)]
pub struct PartSpace {
    /// The first indices.
    pub firsts: Vec<Index>,
    /// The numbers of indices.
    pub extents: Vec<Index>,
    /// Upper bounds of these numbers, computed where buffers are allocated.
    pub most: Vec<Index>,
    /// The dimensions of which it is one index of a larger part, each with the position in that part.
    pub apart: Vec<(usize, Index)>,
}

/// Computes parts of producers, from which the inputs are then read.
pub fn compute_producers<'t>(nest: &Construction<'_, 't>, cursor: &mut Cursor<'t>, producers: &[usize]) {
    let mut is_after_barrier = false;
    for &number in producers {
        let (producer, memory) = (&nest.workload.producers[number], nest.places[number].memory);
        let kernel = cursor.kernel().filter(|_| memory == Memory::Shared).cloned();
        // Threads may still read the previous parts.
        if let Some(kernel) = kernel.as_ref().filter(|_| !is_after_barrier) {
            kernel.barrier(&cursor.b);
        }
        compute_producer(nest, cursor, number, producer);
        if let Some(kernel) = &kernel {
            kernel.barrier(&cursor.b);
        }
        is_after_barrier = kernel.is_some();
    }
}

fn compute_producer<'t>(nest: &Construction<'_, 't>, cursor: &mut Cursor<'t>, number: usize, producer: &Producer) {
    let Some(sources) = nest.producers.get(number) else { return };
    let memory = nest.places[number].memory;
    let kernel = cursor.kernel().filter(|_| memory == Memory::Shared).cloned();
    let inside = cursor.within(Purpose::Compute { producer: number });
    let (b, point, whole) = (&inside.b, cursor.point_of(memory), &sources.extents);
    let scope = allocate::scope(cursor, memory);
    let outside = scope.builder();
    let part = |d: usize, range: &PartRange| {
        range.inside(b, (first(nest, b, &point, range), reach(nest, b, &point, range)), whole[d])
    };
    let (firsts, extents) = producer.dimensions(whole, part).unzip();
    let bound = |_: usize, range: &PartRange| (Constant(0), bound(nest, &outside, &point, range));
    let most = producer.dimensions(whole, bound).map(|(_, most)| most.max(&outside, Constant(0))).collect();
    let space = PartSpace { firsts, extents, most, apart: vec![] };
    let apart = if kernel.is_some() { producer.independent() } else { vec![] };

    let (mut stores, mut parts) = (vec![], vec![]);
    for (component, output) in producer.workload.outputs.iter().enumerate() {
        let (element, access) = (output.array.element, &output.accesses[0]);
        // By axis; an axis with one index has no dimension.
        let dimensions: Vec<Option<usize>> =
            (0..access.rank()).map(|axis| access.terms(axis).map(|(d, _)| d).next()).collect();
        let stored = dimensions.iter().enumerate().filter_map(|(axis, d)| Some((axis, (*d)?)));
        let (outer, inner): (Vec<_>, Vec<_>) = stored.partition(|(_, d)| apart.contains(d));
        let stored: Vec<_> = outer.iter().chain(&inner).map(|&(axis, d)| (axis, space.most[d])).collect();
        let sizes: Vec<_> = stored.iter().map(|(_, size)| *size).collect();
        let placement = match cursor.kernel() {
            Some(_) => producers::placement(nest, memory, access.rank()),
            None => producer.schedule.home(access.rank()),
        };
        let contents = Contents {
            part: component,
            ..Contents::new(ContentKind::Results(producer.number), Cause::Producer(producer.level), &placement)
        };
        let buffer = scope.allocate(&sizes, element, contents);
        let of = |stored: &[(usize, usize)]| stored.iter().map(|(_, d)| *d).collect();
        stores.push(PartStore { buffer, element, outer: of(&outer), inner: of(&inner) });
        let origins: Vec<_> = dimensions.iter().map(|d| d.map_or(Constant(0), |d| space.firsts[d])).collect();
        parts.push(Source::computed(buffer, &origins, &stored, nest.space.rank()));
    }

    match &kernel {
        Some(kernel) => space.by_threads(b, kernel, &apart, &mut |b, space| {
            generate_producer(nest, cursor, b, (number, producer), space, &stores);
        }),
        None => generate_producer(nest, cursor, b, (number, producer), space, &stores),
    }
    cursor.parts.push((number, parts));
    read_parts(nest, cursor, number);
}

/// Generates the loops of a producer over a part of its iteration space.
fn generate_producer<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    b: &Code<'t>,
    (number, producer): (usize, &Producer),
    part: PartSpace,
    stores: &[PartStore],
) {
    let Some(sources) = nest.producers.get(number) else { return };
    let Producer { workload, schedule, .. } = producer;
    let (space, scope) = match cursor.kernel() {
        // The sizes of buffers in a kernel are known where it is launched.
        Some(kernel) => {
            let largest = IterationSpace::new(&kernel.private.builder(), part.most, schedule);
            (IterationSpace::new(b, part.extents, schedule).within(largest), kernel.private.clone())
        }
        None => (IterationSpace::new(b, part.extents, schedule), cursor.scope.inside(b)),
    };
    let space = space.starting_at(part.firsts);
    let outputs = Accumulator {
        stores: stores.iter().map(|store| store.at(&space, &part.apart)).collect(),
        entered: vec![],
        inits: None,
    };
    let phases = Phases::of(schedule);
    let nest = &mut Construction::new(nest.recorder, workload, &phases, space, &sources.inputs, None);
    for (input, home) in workload.inputs.iter().zip(&mut nest.home) {
        if let Some(part) = input.producer.and_then(|of| cursor.part(of)) {
            home.fill(part.clone());
        }
    }
    let inits = InitialValues::new(b, &scope, nest, &sources.inits, &outputs.stores);
    let outputs = initialize::start(nest, inits, outputs);
    let is_in_parallel_loop = cursor.is_in_parallel_loop;
    let mut inner = Cursor { is_in_parallel_loop, ..Cursor::new(nest, *b, scope.clone()) };
    let mut placements = nest.home_placements();
    for SharedInput { promotion, sources, .. } in cursor.shared.iter().filter(|shared| shared.producer == number) {
        let input = promotion.input;
        placements[input].clone_from(&promotion.placement);
        inner.is_home[input] = false;
        inner.sources[input].clone_from(sources);
        inner.common[input].clone_from(sources);
    }
    initialize::generate_or_fill(nest, &nest.plan(&inner, placements), &inner, outputs);
    if cursor.kernel().is_none() {
        scope.close(b);
    }
}

/// Makes the inputs that are results of a producer read from the part that has been computed.
fn read_parts<'t>(nest: &Construction<'_, 't>, cursor: &mut Cursor<'t>, number: usize) {
    for (i, input) in nest.workload.inputs.iter().enumerate() {
        let of = input.producer.filter(|(producer, _)| *producer == number);
        let Some(part) = of.and_then(|of| cursor.part(of)).cloned() else { continue };
        let sources = vec![part; nest.groups[i].len()];
        cursor.home[i].clone_from(&sources);
        cursor.common[i].clone_from(&sources);
        cursor.sources[i] = sources;
    }
}

/// The first index of a range at a point.
fn first<'t>(nest: &Construction<'_, 't>, b: &Code<'t>, point: &Point, range: &PartRange) -> Index {
    range.coefficients.iter().fold(Constant(range.low), |first, &(d, c)| {
        // Along a dimension whose layers are all fixed, the point reaches one index.
        let stride = if point.free[d].is_empty() { 1 } else { c };
        first.add(b, point.outermost_index(b, &nest.space, d, stride).mul(b, Constant(c)))
    })
}

/// The number of indices of a range at a point.
fn reach<'t>(nest: &Construction<'_, 't>, b: &Code<'t>, point: &Point, range: &PartRange) -> Index {
    // A loop around the producer has only indices within the extent.
    let moving = range.coefficients.iter().filter(|(d, _)| !point.free[*d].is_empty());
    moving.fold(range.spread(), |reach, &(d, c)| reach.add(b, point.reach(b, &nest.space, d).mul(b, Constant(c.abs()))))
}

/// An upper bound of the number of indices of a range, computed outside of loops.
fn bound<'t>(nest: &Construction<'_, 't>, outside: &Code<'t>, point: &Point, range: &PartRange) -> Index {
    range.coefficients.iter().fold(range.spread(), |bound, &(d, c)| {
        let span = nest.space.bounded_span(outside, d, &point.free[d]);
        bound.add(outside, span.mul(outside, Constant(c.abs())))
    })
}

/// A buffer for a part of a component of the results.
struct PartStore {
    buffer: Buffer,
    element: Element,
    /// The dimensions that the buffer stores first, of each of which a thread computes one index at a time.
    outer: Vec<usize>,
    /// The other dimensions that it stores.
    inner: Vec<usize>,
}

impl PartStore {
    /// The buffer at these positions along the outer dimensions.
    fn at(&self, space: &IterationSpace, apart: &[(usize, Index)]) -> Store {
        let index = |d: &usize| apart.iter().find(|(known, _)| known == d).map(|(_, index)| *index);
        let owner = self.outer.iter().filter_map(index).collect();
        let stored = self.inner.iter().map(|&d| (d, space.layers[d].clone())).collect();
        Store::of_part(self.buffer, self.element, stored).inside(owner)
    }
}

impl Producer {
    /// The concatenated dimensions: no point depends on another one along them.
    fn independent(&self) -> Vec<usize> {
        let operators = &self.workload.operators;
        (0..operators.len()).filter(|&d| operators[d].concatenates()).collect()
    }

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
