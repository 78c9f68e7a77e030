//! Register tiles: the points of the iteration space that are computed at once, in registers.
//!
//! ```text
//! for i in 0..6 (REG): for j in 0..16 (SIMD): for k: …   ──▶   for k: 6 vectors of 16 lanes
//! ```
//!
//! A level that is tagged with registers is unrolled, and a level of the lanes of a host becomes the lanes of vectors.
//! Either is opened where its step stands and jammed into everything behind it: the loops behind it run once for all of its parts.
//! Where a part may reach over the end of a dimension, code exists twice, without and with a check of each point.
use crate::nest::{
    code::Code,
    index::Index::{self, Computed, Constant},
    lanes::Mask,
    space::{Point, Space},
    tree::{Axis, Binary, Value},
    types::{Lanes, Type},
};
use mdh_dialects::{ir::IntPredicate, schedule::model::Level};

/// The most values of a tuple's component that a tile has: more would not fit into the registers of any machine.
pub const VALUES: i64 = 64;
/// The most lanes of a vector.
pub const LANES: i64 = 128;
/// The most points of a tile: lanes that are not neighbours in memory are read one by one, in each of its values.
const POINTS: i64 = 2048;

/// The levels that are open, in the order of their steps, and how much is known of their points.
#[derive(Clone, Debug, Default)]
pub struct Tile {
    /// One for each open level.
    pub axes: Vec<Axis>,
    /// The dimensions in which some points of the tile may lie behind the end; the first point never does.
    checked: Vec<usize>,
}

/// The points of a tile that differ in their lanes only.
#[derive(Clone)]
pub struct PointVector {
    /// The point of the first lane. Where the element is not valid it is that of another element.
    pub point: Point,
    /// Which of its points lie inside of the iteration space.
    pub mask: Mask,
}

impl Tile {
    /// Whether a level is open.
    pub fn has(&self, level: Level) -> bool {
        self.axes.iter().any(|axis| axis.level == level)
    }

    /// The lanes of its vectors, if it has any.
    pub fn lanes(&self) -> Option<Lanes> {
        let axis = self.axes.iter().find(|axis| axis.is_lanes)?;
        Some(Lanes { level: axis.level, count: axis.count })
    }

    /// The number of its elements.
    pub fn values(&self) -> i64 {
        self.axes.iter().filter(|axis| !axis.is_lanes).map(|axis| axis.count).product()
    }

    /// A level with this many parts as an axis, if a tile may have one more of that size.
    pub fn axis(&self, level: Level, count: i64, is_vector: bool) -> Option<Axis> {
        let is_lanes = is_vector && self.lanes().is_none() && count <= LANES;
        let points = self.axes.iter().fold(count, |points, axis| points.saturating_mul(axis.count));
        let fits = points <= POINTS && (is_lanes || self.values().saturating_mul(count) <= VALUES);
        fits.then_some(Axis { level, count, is_lanes })
    }

    /// This tile with one more level.
    pub fn with(&self, axis: Axis) -> Self {
        let mut tile = self.clone();
        tile.axes.push(axis);
        tile
    }

    /// Whether points are checked in a dimension.
    pub fn checks(&self, d: usize) -> bool {
        self.checked.contains(&d)
    }

    /// This tile with points that are checked, or not, in a dimension.
    pub fn checking(&self, d: usize, checks: bool) -> Self {
        let mut tile = self.clone();
        tile.checked.retain(|known| *known != d);
        tile.checked.extend(checks.then_some(d));
        tile
    }

    /// This tile with points that are not checked in any dimension.
    pub fn unchecked(&self) -> Self {
        Self { checked: vec![], ..self.clone() }
    }

    /// The dimensions in which points are checked.
    pub fn checked(&self) -> &[usize] {
        &self.checked
    }

    /// The axes of a dimension, lanes last: how many of them are inside depends on where the element is.
    fn along(&self, d: usize) -> Vec<Axis> {
        let mut axes: Vec<_> = self.axes.iter().copied().filter(|axis| axis.level.dimension == d).collect();
        axes.sort_by_key(|axis| (axis.is_lanes, axis.level.layer));
        axes
    }

    /// The distance from its first to its last point in a dimension.
    pub fn span(&self, b: &Code<'_>, space: &Space, d: usize) -> Index {
        self.along(d).iter().fold(Constant(0), |span, axis| {
            let term = Constant(axis.count - 1).mul(b, space.strides[axis.level.layer][d]);
            span.add(b, term)
        })
    }

    /// The part numbers of each element in its unrolled levels, in the order of the axes; the last one counts fastest.
    pub fn numbers(&self) -> Vec<Vec<(Level, i64)>> {
        let unrolled = self.axes.iter().filter(|axis| !axis.is_lanes);
        unrolled.fold(vec![vec![]], |elements, axis| {
            let parts = |numbers: Vec<(Level, i64)>| {
                (0..axis.count).map(move |n| numbers.iter().copied().chain([(axis.level, n)]).collect())
            };
            elements.into_iter().flat_map(parts).collect()
        })
    }

    /// The elements around a point at which all open levels have the number 0.
    pub fn elements(&self, b: &Code<'_>, space: &Space, point: &Point) -> Vec<PointVector> {
        self.numbers().iter().map(|numbers| self.element(b, space, point, numbers)).collect()
    }

    fn element(&self, b: &Code<'_>, space: &Space, point: &Point, numbers: &[(Level, i64)]) -> PointVector {
        let mut point = point.clone();
        let mut mask = Mask::default();
        for &(level, number) in numbers.iter().filter(|(level, _)| !self.checks(level.dimension)) {
            point.set(level, Constant(number));
        }
        for &d in &self.checked {
            for axis in self.along(d) {
                let Level { layer, dimension } = axis.level;
                let offset = point.offset(b, space, dimension);
                let stride = space.strides[layer][dimension];
                if axis.is_lanes {
                    // At least the first lane is inside, or the element is that of another one, whose lanes are not asked for.
                    let rest = space.extent(d).sub(b, offset).ceildiv(b, stride);
                    mask.lanes = Some(rest.min(b, Constant(axis.count)));
                    continue;
                }
                let number = numbers.iter().find(|(known, _)| *known == axis.level).map_or(0, |(_, number)| *number);
                if number == 0 {
                    continue;
                }
                let reached = Constant(number).mul(b, stride).add(b, offset);
                let inside = reached.compare(b, IntPredicate::Slt, space.extent(d));
                let chosen = [inside, Constant(number).materialize(b), Constant(0).materialize(b)];
                point.set(axis.level, Computed(b.select(chosen[0], chosen[1], chosen[2])));
                mask.element = Some(and(b, mask.element, inside));
            }
        }
        PointVector { point, mask }
    }
}

/// The conjunction of conditions.
pub fn and<'t>(b: &Code<'t>, left: Option<Value>, right: Value) -> Value {
    left.map_or(right, |left| b.binary(Binary::And, left, right, Type::BIT))
}
