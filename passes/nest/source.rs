//! Where the scalar function reads: the user's buffers, or promoted parts of them.
//!
//! A promoted part holds the elements that the free layers reach, in the layout that the schedule asks for. An axis that the layout
//! names twice is taken apart: first come the register tiles, and at its second place the elements of one tile.
//!
//! ```text
//! for x: for y: part[y][x] = buffer[origin_x + x][origin_y + y]                                // layout [2, 1]
//! for t: for x: for v: part[t][x][v] = buffer[origin_x + x][origin_y + 16 * t + v]             // layout [2, 1, 2]
//! ```
use crate::{
    analysis::index::{self, Group, Single},
    nest::{
        address::{linear, linear_step, padded},
        code::Code,
        contents::Contents,
        index::Index::{self, Constant},
        lanes,
        loops::{self, Scope},
        space::{Point, Space},
        tree::{Buffer, Value},
        types::{Element, Lanes},
    },
};
use mdh_dialects::schedule::model::Placement;

mod flat;
mod wide;

/// How one buffer dimension of a group of accesses is addressed.
#[derive(Clone, Debug)]
enum Axis {
    /// The part counts the indices of its only dimension without gaps.
    Single(Single),
    /// Anything else: the part is the hull of what is reached, from an origin on.
    Hull { origin: Index },
}

/// A buffer in memory with the mapping of one group's elements onto it.
#[derive(Clone, Debug)]
pub struct Source {
    buffer: Buffer,
    /// None: the user's buffer, addressed by the index functions themselves.
    part: Option<Part>,
    /// Which of several it is that lie one behind the other: where each block has one, or sequential parts use two in turn.
    number: Option<Index>,
    /// Whether points may lie outside of the part, and are read in it.
    is_confined: bool,
}

#[derive(Clone, Debug)]
struct Part {
    axes: Vec<Axis>,
    /// Its dimensions from the slowest to the fastest.
    strips: Vec<Strip>,
    /// Their sizes.
    sizes: Vec<Index>,
    /// By iteration dimension whether it has memory for all points of its layers, also those behind the end.
    is_whole: Vec<bool>,
}

impl Part {
    /// Whether a strip counts indices of an iteration dimension.
    fn is_along(&self, strip: &Strip, d: usize) -> bool {
        matches!(self.axes[strip.axis], Axis::Single(single) if single.dimension == d)
    }
}

/// A dimension of a promoted part: what some layers of an axis reach.
#[derive(Clone, Debug)]
struct Strip {
    axis: usize,
    /// For [`Axis::Single`].
    layers: Vec<usize>,
}

/// A position along one buffer dimension: the index in the user's buffer, and the point for [`Axis::Single`].
#[derive(Clone)]
struct Position {
    global: Index,
    point: Point,
}

impl Source {
    /// The user's buffer.
    pub fn user(buffer: Buffer) -> Self {
        Self { buffer, part: None, number: None, is_confined: false }
    }

    /// Where one access of the group reads at a point with nothing free, and behind it in the lanes of vectors.
    pub fn access(
        &self,
        b: &Code<'_>,
        space: &Space,
        group: &Group,
        access: usize,
        point: &Point,
        lanes: Option<Lanes>,
    ) -> lanes::Address {
        let access = &group.accesses()[access];
        let positions = (0..group.rank())
            .map(|axis| Position { global: linear(b, space, point, access, axis), point: point.clone() });
        let positions: Vec<_> = positions.collect();
        let linear = |axis: usize| linear_step(b, space, access, axis, lanes);
        let step = |part: &Part, strip: &Strip| match part.axes[strip.axis] {
            Axis::Single(Single { dimension, .. }) => space.step(b, dimension, &strip.layers, lanes),
            Axis::Hull { .. } => linear(strip.axis),
        };
        let steps = match &self.part {
            Some(part) => {
                let own = self.number.map(|_| Constant(0)).into_iter();
                own.chain(part.strips.iter().map(|strip| step(part, strip))).collect()
            }
            None => (0..positions.len()).map(linear).collect(),
        };
        lanes::Address { buffer: self.buffer, indices: self.address(b, space, &positions), steps, line: None }
    }

    /// Whether it has memory for points of a dimension that lie behind the end, as far as the parts of a schedule reach.
    pub fn has_memory_behind(&self, d: usize) -> bool {
        self.part.as_ref().is_some_and(|part| part.is_whole[d])
    }

    fn load(&self, b: &Code<'_>, space: &Space, positions: &[Position]) -> Value {
        let indices: Vec<_> = self.address(b, space, positions).into_iter().map(|index| index.materialize(b)).collect();
        b.load(self.buffer, &indices)
    }

    fn address(&self, b: &Code<'_>, space: &Space, positions: &[Position]) -> Vec<Index> {
        let Some(part) = &self.part else { return positions.iter().map(|position| position.global).collect() };
        let local = |(strip, size): (&Strip, &Index)| match &part.axes[strip.axis] {
            Axis::Single(single) => positions[strip.axis].point.position(b, space, single.dimension, &strip.layers),
            Axis::Hull { origin } => {
                let index = positions[strip.axis].global.sub(b, *origin);
                if self.is_confined { index.max(b, Constant(0)).min(b, size.sub(b, Constant(1))) } else { index }
            }
        };
        self.number.into_iter().chain(part.strips.iter().zip(&part.sizes).map(local)).collect()
    }

    /// This buffer as one of several, if there are several.
    pub fn at(self, number: Option<Index>) -> Self {
        Self { number, ..self }
    }

    /// This buffer where points may lie outside of the part, because nothing is done with what is read there.
    pub fn confined(self) -> Self {
        Self { is_confined: true, ..self }
    }

    /// The same memory with the part that the point of a promotion reaches.
    pub fn moved(&self, b: &Code<'_>, promotion: &Promotion<'_, '_>) -> Self {
        let axes = promotion.axes(b);
        let part = self.part.as_ref().map(|part| Part { axes, ..part.clone() });
        Self { part, ..self.clone() }
    }

    /// Copies a part into a new buffer.
    pub fn promote(&self, b: &Code<'_>, promotion: &Promotion<'_, '_>, contents: Contents) -> Self {
        let target = self.part(b, promotion, contents);
        let Promotion { group, point, parallel, .. } = *promotion;
        let positions = vec![Position { global: Constant(0), point: point.clone() }; group.rank()];
        Copy { from: self, to: &target, promotion }.strips(b, 0, &positions, parallel);
        target
    }

    /// A new buffer for a part, or for as many as use it in turn.
    pub fn part(&self, b: &Code<'_>, promotion: &Promotion<'_, '_>, contents: Contents) -> Self {
        let Promotion { space, scope, placement, .. } = *promotion;
        let outside = scope.builder();
        let axes = promotion.axes(b);
        let strips = promotion.strips();
        let size = |strip: &Strip| match axes[strip.axis] {
            Axis::Single(Single { dimension, .. }) => space.size(&outside, dimension, &strip.layers),
            Axis::Hull { .. } => promotion.hull(&outside, strip.axis),
        };
        let sizes: Vec<_> = strips.iter().map(size).collect();
        let mut stored = sizes.clone();
        match stored.as_mut_slice() {
            [.., last] if placement.pad > 0 => *last = last.add(&outside, Constant(placement.pad as i64)),
            [_, .., Constant(last)] => *last = padded(*last as u64, promotion.element.bytes()) as i64,
            _ => {}
        }
        if promotion.in_turn {
            stored.insert(0, Constant(placement.buffers as i64));
        }
        let buffer = scope.allocate(&stored, promotion.element, contents);
        let is_whole = (0..space.rank()).map(|d| promotion.is_whole(b, d)).collect();
        Self { buffer, part: Some(Part { axes, strips, sizes, is_whole }), number: None, is_confined: false }
    }
}

/// A part to be promoted: what the free layers of a point reach.
pub struct Promotion<'a, 't> {
    /// The iteration space.
    pub space: &'a Space,
    /// Where the part is allocated.
    pub scope: &'a Scope<'t>,
    /// The accesses that will read the part.
    pub group: &'a Group,
    /// What is fixed.
    pub point: &'a Point,
    /// The layout of the part, whose dimensions that are named twice are taken apart into register tiles, and how it is stored.
    pub placement: &'a Placement,
    /// Whether sequential parts have the number of places that the placement says, each its own for a while; one else.
    pub in_turn: bool,
    /// Whether elements may be copied while the thread goes on.
    pub is_asynchronous: bool,
    /// By iteration dimension: the layers of the register tile.
    pub tile: &'a [Vec<usize>],
    /// The element type.
    pub element: Element,
    /// Whether all threads copy, along the slowest dimension of the layout.
    pub parallel: bool,
}

impl<'t> Promotion<'_, 't> {
    /// How each dimension of the user's buffer is addressed in the part.
    fn axes(&self, b: &Code<'t>) -> Vec<Axis> {
        let Promotion { space, group, point, .. } = *self;
        let axis = |axis: usize| {
            if let Some(single) = group.single(axis) {
                return Axis::Single(single);
            }
            let origin = group.terms(axis).fold(Constant(group.origins(axis).0), |origin, (d, c)| {
                let first = if c > 0 { point.offset(b, space, d) } else { point.last(b, space, d) };
                origin.add(b, first.mul(b, Constant(c)))
            });
            Axis::Hull { origin }
        };
        (0..group.rank()).map(axis).collect()
    }

    /// The most elements that the free layers reach along an axis of several dimensions or constants, computed outside of loops.
    fn hull(&self, outside: &Code<'t>, axis: usize) -> Index {
        let Promotion { space, group, point, .. } = *self;
        let size = group.hull(axis, number, |size, (d, stride)| {
            let full = space.extent(d).sub(outside, Constant(1));
            let span = space.span(outside, d, &point.free[d]);
            // A bound that is known is enough: memory of a size that is known costs the least.
            let span =
                if span.constant().is_some() && full.constant().is_none() { span } else { span.min(outside, full) };
            size.add(outside, span.mul(outside, number(stride)))
        });
        // An empty dimension reaches nothing, and its span is -1.
        size.max(outside, Constant(0))
    }

    /// Whether a part is as large as its layers reach in a dimension, and not only as the extent.
    fn is_whole(&self, b: &Code<'t>, d: usize) -> bool {
        let Promotion { space, point, .. } = *self;
        let free = &point.free[d];
        let reached = space.span(b, d, free).constant();
        let fits = |reached: i64| space.extent(d).constant().is_none_or(|extent| reached < extent);
        space.is_exact(d) || (*free != space.layers[d] && reached.is_some_and(fits))
    }

    /// The dimensions of the part.
    fn strips(&self) -> Vec<Strip> {
        let strip = |part| match part {
            index::Part::Single { axis, single: Single { dimension, .. }, strip } => {
                let is_counted = |layer: &usize| strip.counts(self.tile[dimension].contains(layer));
                Strip { axis, layers: self.point.free[dimension].iter().copied().filter(is_counted).collect() }
            }
            index::Part::Hull { axis } => Strip { axis, layers: vec![] },
        };
        self.group.parts(&self.placement.layout).map(strip).collect()
    }
}

struct Copy<'a, 't> {
    from: &'a Source,
    to: &'a Source,
    promotion: &'a Promotion<'a, 't>,
}

/// Generates a loop of so many iterations around a body.
type Loop<'a, 't> = dyn Fn(&Code<'t>, Index, &mut dyn FnMut(&Code<'t>, Index)) + 'a;

impl<'t> Copy<'_, 't> {
    /// Loops in the order of the part's memory.
    fn strips(&self, b: &Code<'t>, depth: usize, positions: &[Position], parallel: bool) {
        let Some(part) = &self.to.part else { return };
        let Some(strip) = part.strips.get(depth) else { return self.element(b, positions) };
        let with = |position: Position| {
            let mut positions = positions.to_vec();
            positions[strip.axis] = position;
            positions
        };
        let run = |b: &Code<'t>, trip: Index, body: &mut dyn FnMut(&Code<'t>, Index)| {
            if parallel && trip.constant() != Some(1) {
                loops::parallel(b, trip, |b, _, i| body(b, i));
            } else {
                loops::sequential(b, trip, |b, i| body(b, i));
            }
        };
        let (space, point) = (self.promotion.space, &positions[strip.axis].point);
        match &part.axes[strip.axis] {
            Axis::Single(single) => {
                self.runs(b, point.clone(), single.dimension, &strip.layers, &run, &mut |b, point| {
                    let global = single_index(b, *single, point.offset(b, space, single.dimension));
                    self.strips(b, depth + 1, &with(Position { global, point }), false);
                });
            }
            Axis::Hull { origin } => {
                let size = self.reached(b, strip.axis, point);
                run(b, size, &mut |b, i| {
                    let position = Position { global: origin.add(b, i), point: point.clone() };
                    self.strips(b, depth + 1, &with(position), false);
                });
            }
        }
    }

    /// How many elements the free layers of a point reach along an axis, from the first to the last one.
    fn reached(&self, b: &Code<'t>, axis: usize, point: &Point) -> Index {
        let space = self.promotion.space;
        self.promotion.group.hull(axis, number, |size, (d, stride)| {
            let (first, last) = (point.offset(b, space, d), point.last(b, space, d));
            let is_constant = space.is_exact(d) || point.free[d] == space.layers[d];
            let span = if is_constant { space.span(b, d, &point.free[d]) } else { last.sub(b, first) };
            size.add(b, span.mul(b, number(stride)))
        })
    }

    /// Loops over free layers of one iteration dimension.
    fn runs(
        &self,
        b: &Code<'t>,
        point: Point,
        d: usize,
        layers: &[usize],
        run: &Loop<'_, 't>,
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

    /// The last of the layers from the first of a run on that one number counts: those that the source has in one dimension, too.
    fn together(&self, d: usize, layers: &[usize], first: usize, last: usize) -> usize {
        let apart = |layer: usize| {
            let strips =
                self.from.part.iter().flat_map(|part| part.strips.iter().filter(|strip| part.is_along(strip, d)));
            strips.map(|strip| strip.layers.contains(&layer)).collect::<Vec<_>>()
        };
        let together = (first..=last).filter(|layer| layers.contains(layer)).take_while(|&l| apart(l) == apart(first));
        together.last().unwrap_or(last)
    }

    fn element(&self, b: &Code<'t>, positions: &[Position]) {
        let value = self.from.load(b, self.promotion.space, positions);
        let address = self.to.address(b, self.promotion.space, positions);
        let indices: Vec<_> = address.into_iter().map(|index| index.materialize(b)).collect();
        b.store(self.to.buffer, &indices, value);
    }
}

/// A number of elements.
fn number(count: u64) -> Index {
    Constant(count as i64)
}

/// The index along an axis at an index of its only dimension.
fn single_index<'t>(b: &Code<'t>, single: Single, index: Index) -> Index {
    index.mul(b, Constant(single.stride)).add(b, Constant(single.origin))
}
