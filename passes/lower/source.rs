//! Where the scalar function reads: the user's buffers, or promoted parts of them.
//!
//! A promoted part holds the elements that the free layers reach, in the layout that the schedule asks for:
//!
//! ```text
//! for x: for y: part[y][x] = buffer[origin_x + x][origin_y + y]     // layout [2, 1]
//! ```
use crate::lower::{
    index::Index::{self, Constant},
    lanes::{self, Lanes},
    loops::{self, Scope},
    space::{Point, Space},
};
use mdh_dialects::{
    ir::{Builder, Val},
    view::IndexFunction,
};
use melior::ir::Type;

/// How one buffer dimension of a group of accesses is addressed.
#[derive(Clone, Debug)]
enum Axis<'c> {
    /// Exactly one iteration dimension occurs, with the same offset in all accesses: the part counts its indices without gaps.
    Single { dimension: usize, coefficient: i64, constant: i64, among: Vec<usize> },
    /// Anything else: the part is the hull of what is reached, from an origin on.
    Hull { origin: Index<'c> },
}

/// The accesses of one buffer that have the same linear part; they share promoted parts.
#[derive(Clone, Debug)]
pub struct Group {
    /// By buffer dimension, then iteration dimension.
    coefficients: Vec<Vec<i64>>,
    /// By access, then buffer dimension.
    constants: Vec<Vec<i64>>,
    /// By access: its component of the scalar tuple.
    pub components: Vec<usize>,
}

impl Group {
    /// Whether its elements differ along an iteration dimension.
    pub fn depends_on(&self, d: usize) -> bool {
        self.coefficients.iter().any(|row| row[d] != 0)
    }

    /// Groups the accesses of a buffer.
    pub fn of(accesses: &[IndexFunction], first_component: usize) -> Vec<Self> {
        let mut groups: Vec<Self> = vec![];
        for (i, access) in accesses.iter().enumerate() {
            let group = match groups.iter_mut().position(|g| g.coefficients == access.coefficients) {
                Some(found) => &mut groups[found],
                None => {
                    groups.push(Self {
                        coefficients: access.coefficients.clone(),
                        constants: vec![],
                        components: vec![],
                    });
                    let last = groups.len() - 1;
                    &mut groups[last]
                }
            };
            group.constants.push(access.constants.clone());
            group.components.push(first_component + i);
        }
        groups
    }

    /// The only iteration dimension in a buffer dimension, where all accesses have the same offset.
    fn single(&self, axis: usize) -> Option<(usize, i64, i64)> {
        let mut used = self.coefficients[axis].iter().enumerate().filter(|(_, c)| **c != 0);
        let (dimension, coefficient) = used.next()?;
        let constant = self.constants[0][axis];
        let same = self.constants.iter().all(|constants| constants[axis] == constant);
        (used.next().is_none() && same).then_some((dimension, *coefficient, constant))
    }

    fn range(&self, axis: usize) -> (i64, i64) {
        let constants = self.constants.iter().map(|constants| constants[axis]);
        (constants.clone().min().unwrap_or(0), constants.max().unwrap_or(0))
    }
}

/// A buffer in memory with the mapping of one group's elements onto it.
#[derive(Clone, Debug)]
pub struct Source<'c> {
    memref: Val<'c>,
    /// None: the user's buffer, addressed by the index functions themselves.
    part: Option<Part<'c>>,
}

#[derive(Clone, Debug)]
struct Part<'c> {
    axes: Vec<Axis<'c>>,
    layout: Vec<usize>,
}

/// A position along one buffer dimension while copying: the index in the user's buffer, and the point for `Axis::Single`.
struct Position<'c> {
    global: Index<'c>,
    point: Option<Point<'c>>,
}

impl<'c> Source<'c> {
    /// The user's buffer.
    pub fn user(memref: Val<'c>) -> Self {
        Self { memref, part: None }
    }

    /// Where one access of the group reads at a point with nothing free, and behind it in the lanes of vectors.
    pub fn access(
        &self,
        b: &Builder<'c>,
        space: &Space<'c>,
        group: &Group,
        access: usize,
        point: &Point<'c>,
        lanes: Option<Lanes>,
    ) -> lanes::Address<'c> {
        let positions = (0..group.coefficients.len()).map(|axis| Position {
            global: linear(b, space, point, &group.coefficients[axis], group.constants[access][axis]),
            point: Some(point.clone()),
        });
        let positions: Vec<_> = positions.collect();
        let step = |axis: usize| match self.part.as_ref().map(|part| &part.axes[axis]) {
            Some(Axis::Single { dimension, among, .. }) => space.step(b, *dimension, among, lanes),
            Some(Axis::Hull { .. }) | None => linear_step(b, space, &group.coefficients[axis], lanes),
        };
        let steps = match &self.part {
            Some(part) => part.layout.iter().map(|&axis| step(axis)).collect(),
            None => (0..positions.len()).map(step).collect(),
        };
        lanes::Address { memref: self.memref, indices: self.address(b, space, &positions), steps, line: None }
    }

    fn load(&self, b: &Builder<'c>, space: &Space<'c>, positions: &[Position<'c>], element: Type<'c>) -> Val<'c> {
        let mut operands = vec![self.memref];
        operands.extend(self.address(b, space, positions).into_iter().map(|index| index.materialize(b)));
        b.value("memref.load", &operands, element, &[])
    }

    fn address(&self, b: &Builder<'c>, space: &Space<'c>, positions: &[Position<'c>]) -> Vec<Index<'c>> {
        let Some(part) = &self.part else { return positions.iter().map(|position| position.global).collect() };
        let local = |axis: usize| match (&part.axes[axis], &positions[axis].point) {
            (Axis::Single { dimension, among, .. }, Some(point)) => point.position(b, space, *dimension, among),
            (Axis::Hull { origin }, _) => positions[axis].global.sub(b, *origin),
            (Axis::Single { .. }, None) => positions[axis].global,
        };
        part.layout.iter().map(|&axis| local(axis)).collect()
    }

    /// Copies a part into a new buffer.
    pub fn promote(&self, b: &Builder<'c>, promotion: &Promotion<'_, 'c>) -> Self {
        let Promotion { space, scope, group, point, layout, .. } = *promotion;
        let rank = group.coefficients.len();
        let outside = scope.builder();
        let mut axes = vec![];
        let mut sizes = vec![];
        for axis in 0..rank {
            if let Some((dimension, coefficient, constant)) = group.single(axis) {
                let among = point.free[dimension].clone();
                sizes.push(space.size(&outside, dimension, &among));
                axes.push(Axis::Single { dimension, coefficient, constant, among });
            } else {
                let (low, high) = group.range(axis);
                let coefficients = &group.coefficients[axis];
                let mut origin = Constant(low);
                let mut size = Constant(high - low + 1);
                for (d, &c) in coefficients.iter().enumerate().filter(|(_, c)| **c != 0) {
                    let first = if c > 0 { point.offset(b, space, d) } else { point.last(b, space, d) };
                    origin = origin.add(b, first.mul(b, Constant(c)));
                    let full = space.extents[d].sub(&outside, Constant(1));
                    let span = space.span(&outside, d, &point.free[d]).min(&outside, full);
                    size = size.add(&outside, span.mul(&outside, Constant(c.abs())));
                }
                // An empty dimension reaches nothing, and its span is -1.
                sizes.push(size.max(&outside, Constant(0)));
                axes.push(Axis::Hull { origin });
            }
        }
        let stored: Vec<_> = layout.iter().map(|&axis| sizes[axis]).collect();
        let memref = scope.allocate(&stored, promotion.element);
        let target = Self { memref, part: Some(Part { axes, layout: layout.to_vec() }) };
        Copy { from: self, to: &target, promotion }.axes(b, 0, &mut vec![], promotion.parallel);
        target
    }
}

/// A part to be promoted: what the free layers of a point reach.
pub struct Promotion<'a, 'c> {
    /// The iteration space.
    pub space: &'a Space<'c>,
    /// Where the part is allocated.
    pub scope: &'a Scope<'c>,
    /// The accesses that will read the part.
    pub group: &'a Group,
    /// What is fixed.
    pub point: &'a Point<'c>,
    /// The buffer's dimensions from the slowest to the fastest in the part.
    pub layout: &'a [usize],
    /// The element type.
    pub element: Type<'c>,
    /// Whether all threads copy, along the slowest dimension of the layout.
    pub parallel: bool,
}

struct Copy<'a, 'c> {
    from: &'a Source<'c>,
    to: &'a Source<'c>,
    promotion: &'a Promotion<'a, 'c>,
}

/// Generates a loop of so many iterations around a body.
type Loop<'a, 'c> = dyn Fn(&Builder<'c>, Index<'c>, &mut dyn FnMut(&Builder<'c>, Index<'c>)) + 'a;

impl<'c> Copy<'_, 'c> {
    /// Loops along the buffer's own dimensions, in the order of the new layout.
    fn axes(
        &self,
        b: &Builder<'c>,
        depth: usize,
        done: &mut Vec<(usize, Index<'c>, Option<Point<'c>>)>,
        parallel: bool,
    ) {
        let Some(part) = &self.to.part else { return };
        let Some(&axis) = part.layout.get(depth) else { return self.element(b, done) };
        let run = |b: &Builder<'c>, trip: Index<'c>, body: &mut dyn FnMut(&Builder<'c>, Index<'c>)| {
            if parallel && trip.constant() != Some(1) {
                loops::parallel(b, trip, |b, _, i| body(b, i));
            } else {
                loops::sequential(b, trip, |b, i| body(b, i));
            }
        };
        match &part.axes[axis] {
            Axis::Single { dimension, coefficient, constant, .. } => {
                self.runs(b, self.promotion.point.clone(), *dimension, &run, &mut |b, point| {
                    let index = point.offset(b, self.promotion.space, *dimension);
                    let global = index.mul(b, Constant(*coefficient)).add(b, Constant(*constant));
                    done.push((axis, global, Some(point)));
                    self.axes(b, depth + 1, done, false);
                    done.pop();
                });
            }
            Axis::Hull { origin } => {
                let (low, high) = self.promotion.group.range(axis);
                let mut size = Constant(high - low + 1);
                for (d, &c) in self.promotion.group.coefficients[axis].iter().enumerate().filter(|(_, c)| **c != 0) {
                    let (first, last) = (
                        self.promotion.point.offset(b, self.promotion.space, d),
                        self.promotion.point.last(b, self.promotion.space, d),
                    );
                    let span = if self.promotion.space.is_exact(d)
                        || self.promotion.point.free[d] == self.promotion.space.layers[d]
                    {
                        self.promotion.space.span(b, d, &self.promotion.point.free[d])
                    } else {
                        last.sub(b, first)
                    };
                    size = size.add(b, span.mul(b, Constant(c.abs())));
                }
                run(b, size, &mut |b, i| {
                    done.push((axis, origin.add(b, i), None));
                    self.axes(b, depth + 1, done, false);
                    done.pop();
                });
            }
        }
    }

    /// Loops over the free layers of one iteration dimension.
    fn runs(
        &self,
        b: &Builder<'c>,
        point: Point<'c>,
        d: usize,
        run: &Loop<'_, 'c>,
        body: &mut dyn FnMut(&Builder<'c>, Point<'c>),
    ) {
        let Some(&(first, last)) = point.runs(self.promotion.space, d).first() else { return body(b, point) };
        let trip = self.promotion.space.trip(b, d, first, last, point.offset(b, self.promotion.space, d));
        run(b, trip, &mut |b, number| {
            let inner = point.with(d, first, last, number);
            self.runs(b, inner, d, &|b, trip, body| loops::sequential(b, trip, |b, i| body(b, i)), body);
        });
    }

    fn element(&self, b: &Builder<'c>, done: &[(usize, Index<'c>, Option<Point<'c>>)]) {
        let mut positions: Vec<_> = done.to_vec();
        positions.sort_by_key(|(axis, ..)| *axis);
        let positions: Vec<_> = positions.into_iter().map(|(_, global, point)| Position { global, point }).collect();
        let value = self.from.load(b, self.promotion.space, &positions, self.promotion.element);
        let mut operands = vec![value, self.to.memref];
        let address = self.to.address(b, self.promotion.space, &positions);
        operands.extend(address.into_iter().map(|index| index.materialize(b)));
        b.op("memref.store", &operands, &[], &[], vec![]);
    }
}

/// How far apart two lanes are in a buffer dimension with these coefficients.
pub fn linear_step<'c>(b: &Builder<'c>, space: &Space<'c>, coefficients: &[i64], lanes: Option<Lanes>) -> Index<'c> {
    lanes.map_or(Constant(0), |Lanes { level, .. }| {
        space.strides[level.layer][level.dimension].mul(b, Constant(coefficients[level.dimension]))
    })
}

/// `constant + sum of coefficient * index`
pub fn linear<'c>(
    b: &Builder<'c>,
    space: &Space<'c>,
    point: &Point<'c>,
    coefficients: &[i64],
    constant: i64,
) -> Index<'c> {
    let terms = coefficients.iter().enumerate().filter(|(_, c)| **c != 0);
    let sum = terms.fold(Constant(0), |sum, (d, &c)| {
        let term = point.offset(b, space, d).mul(b, Constant(c));
        sum.add(b, term)
    });
    sum.add(b, Constant(constant))
}
