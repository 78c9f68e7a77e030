//! The buffers that the scalar function reads: the user's, or promoted parts of them.
//!
//! A promoted part contains the elements that the free layers reach, in the layout of the schedule. An axis that the
//! layout names twice is a packed axis: its first position enumerates the register tiles, its second position the
//! elements of one tile.
//!
//! ```text
//! for x: for y: part[y][x] = buffer[origin_x + x][origin_y + y]                                // layout [2, 1]
//! for t: for x: for v: part[t][x][v] = buffer[origin_x + x][origin_y + 16 * t + v]             // layout [2, 1, 2]
//! ```
use crate::{
    analysis::index::{self, Group, SingleDimension},
    nest::{
        address::{linear, linear_step, padded},
        code::Code,
        contents::Contents,
        index::Index::{self, Constant},
        lanes,
        loops::{self, Scope},
        space::{IterationSpace, Point},
        tree::{Buffer, Value},
        types::{Element, Lanes},
    },
};
use mdh_dialects::schedule::model::Placement;

mod flat;
mod wide;

/// The addressing of one buffer dimension for a group of accesses.
#[derive(Clone, Debug)]
enum PartAxis {
    /// The part enumerates the indices of the only iteration dimension of the axis without gaps.
    Single(SingleDimension),
    /// All other axes: the part contains the interval of elements from the first to the last accessed one (the hull),
    /// starting at an origin.
    Hull { origin: Index },
}

/// A buffer in memory, with the mapping of one group's elements onto it.
#[derive(Clone, Debug)]
pub struct Source {
    buffer: Buffer,
    /// `None` for the user's buffer, which the index functions address directly.
    part: Option<InputPart>,
    /// The index of the leading dimension if the buffer has several copies: the block ID, or the buffer slot of
    /// multi-buffered parts.
    number: Option<Index>,
    /// True if points may be outside of the part: their indices are clamped to it.
    is_confined: bool,
}

#[derive(Clone, Debug)]
/// The mapping of the elements of a group of accesses onto a promoted part.
struct InputPart {
    axes: Vec<PartAxis>,
    /// The dimensions of the part, slowest-varying first.
    stored_dimensions: Vec<StoredDimension>,
    /// The sizes of these dimensions.
    sizes: Vec<Index>,
    /// By iteration dimension, true if the part has memory for all points of its layers, including those past the end
    /// of the dimension.
    is_whole: Vec<bool>,
}

impl InputPart {
    /// True if a dimension of the part enumerates indices of iteration dimension `d`.
    fn is_along(&self, stored: &StoredDimension, d: usize) -> bool {
        matches!(self.axes[stored.axis], PartAxis::Single(single) if single.dimension == d)
    }
}

/// A dimension of a promoted part: the elements that some layers of an axis reach. A packed axis has two of them.
#[derive(Clone, Debug)]
struct StoredDimension {
    axis: usize,
    /// For [`PartAxis::Single`]: the layers that it enumerates.
    layers: Vec<usize>,
}

/// A position along one buffer dimension: the index in the user's buffer, and the point for [`PartAxis::Single`].
#[derive(Clone)]
struct AxisPosition {
    global: Index,
    point: Point,
}

impl Source {
    /// The user's buffer.
    pub fn user(buffer: Buffer) -> Self {
        Self { buffer, part: None, number: None, is_confined: false }
    }

    /// A buffer with a part of the results of a producer. `origins`: by axis, the index of the first element of the part.
    /// `stored`: the axes that the buffer stores, slowest-varying first, each with the size of the buffer; an axis with
    /// one index is not stored. `rank`: the number of dimensions of the iteration space.
    pub fn computed(buffer: Buffer, origins: &[Index], stored: &[(usize, Index)], rank: usize) -> Self {
        let stored_dimensions =
            stored.iter().map(|(axis, _)| StoredDimension { axis: *axis, layers: vec![] }).collect();
        let axes = origins.iter().map(|origin| PartAxis::Hull { origin: *origin }).collect();
        let sizes = stored.iter().map(|(_, size)| *size).collect();
        let part = InputPart { axes, stored_dimensions, sizes, is_whole: vec![false; rank] };
        Self { buffer, part: Some(part), number: None, is_confined: false }
    }

    /// The address that one access of the group reads at a point without free layers and, for vectors, at the lanes
    /// that follow it.
    pub fn access(
        &self,
        b: &Code<'_>,
        space: &IterationSpace,
        group: &Group,
        access: usize,
        point: &Point,
        lanes: Option<Lanes>,
    ) -> lanes::Address {
        let access = &group.accesses()[access];
        let positions = (0..group.rank())
            .map(|axis| AxisPosition { global: linear(b, space, point, access, axis), point: point.clone() });
        let positions: Vec<_> = positions.collect();
        let linear = |axis: usize| linear_step(b, space, access, axis, lanes);
        let step = |part: &InputPart, stored: &StoredDimension| match part.axes[stored.axis] {
            PartAxis::Single(SingleDimension { dimension, .. }) => space.step(b, dimension, &stored.layers, lanes),
            PartAxis::Hull { .. } => linear(stored.axis),
        };
        let steps = match &self.part {
            Some(part) => {
                let own = self.number.map(|_| Constant(0)).into_iter();
                own.chain(part.stored_dimensions.iter().map(|stored| step(part, stored))).collect()
            }
            None => (0..positions.len()).map(linear).collect(),
        };
        lanes::Address { buffer: self.buffer, indices: self.address(b, space, &positions), steps, line: None }
    }

    /// True if it is the user's buffer, in which each point reads its own elements, wherever its tile begins.
    pub fn is_user(&self) -> bool {
        self.part.is_none()
    }

    /// True if the buffer has memory for points past the end of a dimension, up to the parts of the schedule.
    pub fn has_memory_past_end(&self, d: usize) -> bool {
        self.part.as_ref().is_some_and(|part| part.is_whole[d])
    }

    fn load(&self, b: &Code<'_>, space: &IterationSpace, positions: &[AxisPosition]) -> Value {
        let indices: Vec<_> = self.address(b, space, positions).into_iter().map(|index| index.materialize(b)).collect();
        b.load(self.buffer, &indices)
    }

    fn address(&self, b: &Code<'_>, space: &IterationSpace, positions: &[AxisPosition]) -> Vec<Index> {
        let Some(part) = &self.part else { return positions.iter().map(|position| position.global).collect() };
        let local = |(stored, size): (&StoredDimension, &Index)| match &part.axes[stored.axis] {
            PartAxis::Single(single) => {
                positions[stored.axis].point.position(b, space, single.dimension, &stored.layers)
            }
            PartAxis::Hull { origin } => {
                let index = positions[stored.axis].global.sub(b, *origin);
                if self.is_confined { index.max(b, Constant(0)).min(b, size.sub(b, Constant(1))) } else { index }
            }
        };
        self.number.into_iter().chain(part.stored_dimensions.iter().zip(&part.sizes).map(local)).collect()
    }

    /// This buffer at an index of its leading dimension, if it has several copies.
    pub fn at(self, number: Option<Index>) -> Self {
        Self { number, ..self }
    }

    /// This buffer with clamped indices, for points that may be outside of the part. The values that they read are not
    /// used.
    pub fn confined(self) -> Self {
        Self { is_confined: true, ..self }
    }

    /// The same memory, with the part that the point of a promotion reaches.
    pub fn moved(&self, b: &Code<'_>, promotion: &Promotion<'_, '_>) -> Self {
        let axes = promotion.axes(b);
        let part = self.part.as_ref().map(|part| InputPart { axes, ..part.clone() });
        Self { part, ..self.clone() }
    }

    /// Copies a part into a new buffer.
    pub fn promote(&self, b: &Code<'_>, promotion: &Promotion<'_, '_>, contents: Contents) -> Self {
        let target = self.part(b, promotion, contents);
        let Promotion { group, point, parallel, .. } = *promotion;
        let positions = vec![AxisPosition { global: Constant(0), point: point.clone() }; group.rank()];
        Copy { from: self, to: &target, promotion }.stored_dimensions(b, 0, &positions, parallel);
        target
    }

    /// Allocates a buffer for a part, with several buffer slots if it is multi-buffered.
    pub fn part(&self, b: &Code<'_>, promotion: &Promotion<'_, '_>, contents: Contents) -> Self {
        let Promotion { space, scope, placement, .. } = *promotion;
        let outside = scope.builder();
        let axes = promotion.axes(b);
        let stored_dimensions = promotion.stored_dimensions();
        let size = |stored: &StoredDimension| match axes[stored.axis] {
            PartAxis::Single(SingleDimension { dimension, .. }) => space.size(&outside, dimension, &stored.layers),
            PartAxis::Hull { .. } => promotion.hull(&outside, stored.axis),
        };
        let sizes: Vec<_> = stored_dimensions.iter().map(size).collect();
        let mut stored = sizes.clone();
        match stored.as_mut_slice() {
            [.., last] if placement.pad > 0 => *last = last.add(&outside, Constant(placement.pad as i64)),
            [_, .., Constant(last)] => *last = padded(*last as u64, promotion.element.bytes()) as i64,
            _ => {}
        }
        if promotion.is_multi_buffered {
            stored.insert(0, Constant(placement.buffers as i64));
        }
        let buffer = scope.allocate(&stored, promotion.element, contents);
        let is_whole = (0..space.rank()).map(|d| promotion.is_whole(b, d)).collect();
        Self {
            buffer,
            part: Some(InputPart { axes, stored_dimensions, sizes, is_whole }),
            number: None,
            is_confined: false,
        }
    }
}

/// The promotion of a part: the elements that the free layers of a point reach.
pub struct Promotion<'a, 't> {
    /// The iteration space.
    pub space: &'a IterationSpace,
    /// The scope that allocates the part.
    pub scope: &'a Scope<'t>,
    /// The accesses that will read the part.
    pub group: &'a Group,
    /// The point whose fixed levels determine the part.
    pub point: &'a Point,
    /// The layout of the part, with packed axes for register tiles, and its padding and buffer slots.
    pub placement: &'a Placement,
    /// True if the part is multi-buffered: consecutive parts use as many buffer slots as the placement says. Otherwise
    /// the buffer has one.
    pub is_multi_buffered: bool,
    /// True if the copies may be asynchronous.
    pub is_asynchronous: bool,
    /// By iteration dimension, the layers of the register tile.
    pub tile: &'a [Vec<usize>],
    /// The element type.
    pub element: Element,
    /// True if all threads of the processor copy, distributed along the slowest-varying dimension of the layout.
    pub parallel: bool,
}

impl<'t> Promotion<'_, 't> {
    /// The addressing of each dimension of the user's buffer in the part.
    fn axes(&self, b: &Code<'t>) -> Vec<PartAxis> {
        let Promotion { space, group, point, .. } = *self;
        let axis = |axis: usize| {
            if let Some(single) = group.single(axis) {
                return PartAxis::Single(single);
            }
            let origin = group.terms(axis).fold(Constant(group.origins(axis).0), |origin, (d, c)| {
                origin.add(b, point.outermost_index(b, space, d, c).mul(b, Constant(c)))
            });
            PartAxis::Hull { origin }
        };
        (0..group.rank()).map(axis).collect()
    }

    /// An upper bound of the number of elements that the free layers reach along a [`PartAxis::Hull`] axis, computed
    /// outside of loops.
    fn hull(&self, outside: &Code<'t>, axis: usize) -> Index {
        let Promotion { space, group, point, .. } = *self;
        let size = group.hull(axis, number, |size, (d, stride)| {
            size.add(outside, space.bounded_span(outside, d, &point.free[d]).mul(outside, number(stride)))
        });
        // An empty dimension reaches no elements, and its span is -1.
        size.max(outside, Constant(0))
    }

    /// True if the part has memory for all points that its layers reach in a dimension, not only for those within the
    /// extent.
    fn is_whole(&self, b: &Code<'t>, d: usize) -> bool {
        let Promotion { space, point, .. } = *self;
        let free = &point.free[d];
        let reached = space.span(b, d, free).constant();
        let fits = |reached: i64| space.extent(d).constant().is_none_or(|extent| reached < extent);
        space.is_exact(d) || (*free != space.layers[d] && reached.is_some_and(fits))
    }

    /// The dimensions of the part, slowest-varying first.
    fn stored_dimensions(&self) -> Vec<StoredDimension> {
        let stored = |part| match part {
            index::AxisFootprint::Single { axis, single: SingleDimension { dimension, .. }, stored } => {
                let is_counted = |layer: &usize| stored.counts(self.tile[dimension].contains(layer));
                StoredDimension {
                    axis,
                    layers: self.point.free[dimension].iter().copied().filter(is_counted).collect(),
                }
            }
            index::AxisFootprint::Hull { axis } => StoredDimension { axis, layers: vec![] },
        };
        self.group.parts(&self.placement.layout).map(stored).collect()
    }
}

/// The copy of a part from one source to another.
struct Copy<'a, 't> {
    from: &'a Source,
    to: &'a Source,
    promotion: &'a Promotion<'a, 't>,
}

/// Emits a loop with a trip count around a body.
type CopyLoop<'a, 't> = dyn Fn(&Code<'t>, Index, &mut dyn FnMut(&Code<'t>, Index)) + 'a;

impl<'t> Copy<'_, 't> {
    /// Emits loops in the order of the part's memory.
    fn stored_dimensions(&self, b: &Code<'t>, depth: usize, positions: &[AxisPosition], parallel: bool) {
        let Some(part) = &self.to.part else { return };
        let Some(stored) = part.stored_dimensions.get(depth) else { return self.element(b, positions) };
        let with = |position: AxisPosition| {
            let mut positions = positions.to_vec();
            positions[stored.axis] = position;
            positions
        };
        let run = |b: &Code<'t>, trip: Index, body: &mut dyn FnMut(&Code<'t>, Index)| {
            if parallel && trip.constant() != Some(1) {
                loops::parallel(b, trip, |b, _, i| body(b, i));
            } else {
                loops::sequential(b, trip, |b, i| body(b, i));
            }
        };
        let (space, point) = (self.promotion.space, &positions[stored.axis].point);
        match &part.axes[stored.axis] {
            PartAxis::Single(single) => {
                self.runs(b, point.clone(), single.dimension, &stored.layers, &run, &mut |b, point| {
                    let global = single_index(b, *single, point.index(b, space, single.dimension));
                    self.stored_dimensions(b, depth + 1, &with(AxisPosition { global, point }), false);
                });
            }
            PartAxis::Hull { origin } => {
                let size = self.reached(b, stored.axis, point);
                run(b, size, &mut |b, i| {
                    let position = AxisPosition { global: origin.add(b, i), point: point.clone() };
                    self.stored_dimensions(b, depth + 1, &with(position), false);
                });
            }
        }
    }

    /// The number of elements that the free layers of a point reach along an axis, from the first to the last one.
    fn reached(&self, b: &Code<'t>, axis: usize, point: &Point) -> Index {
        let space = self.promotion.space;
        self.promotion
            .group
            .hull(axis, number, |size, (d, stride)| size.add(b, point.reach(b, space, d).mul(b, number(stride))))
    }

    /// Emits loops over free layers of one iteration dimension.
    fn runs(
        &self,
        b: &Code<'t>,
        point: Point,
        d: usize,
        layers: &[usize],
        run: &CopyLoop<'_, 't>,
        body: &mut dyn FnMut(&Code<'t>, Point),
    ) {
        let space = self.promotion.space;
        let Some(&(first, last)) = space.runs(d, layers).first() else { return body(b, point) };
        let last = self.together(d, layers, first, last);
        let trip = space.trip(b, d, first, last, &point);
        let rest: Vec<_> = layers.iter().copied().filter(|layer| *layer > last).collect();
        run(&b.over_layers(d, [first, last]), trip, &mut |b, number| {
            let inner = point.with(d, first, last, number);
            self.runs(b, inner, d, &rest, &|b, trip, body| loops::sequential(b, trip, |b, i| body(b, i)), body);
        });
    }

    /// The last layer of the run `first..=last` that one loop can cover together with `first`: the source must store
    /// all layers of the loop in the same dimension.
    fn together(&self, d: usize, layers: &[usize], first: usize, last: usize) -> usize {
        let apart = |layer: usize| {
            let stored_dimensions = self
                .from
                .part
                .iter()
                .flat_map(|part| part.stored_dimensions.iter().filter(|stored| part.is_along(stored, d)));
            stored_dimensions.map(|stored| stored.layers.contains(&layer)).collect::<Vec<_>>()
        };
        let together = (first..=last).filter(|layer| layers.contains(layer)).take_while(|&l| apart(l) == apart(first));
        together.last().unwrap_or(last)
    }

    fn element(&self, b: &Code<'t>, positions: &[AxisPosition]) {
        let value = self.from.load(b, self.promotion.space, positions);
        let address = self.to.address(b, self.promotion.space, positions);
        let indices: Vec<_> = address.into_iter().map(|index| index.materialize(b)).collect();
        b.store(self.to.buffer, &indices, value);
    }
}

/// A number of elements as an index.
fn number(count: u64) -> Index {
    Constant(count as i64)
}

/// The index along an axis at an index of its only dimension.
fn single_index<'t>(b: &Code<'t>, single: SingleDimension, index: Index) -> Index {
    index.mul(b, Constant(single.stride)).add(b, Constant(single.origin))
}
