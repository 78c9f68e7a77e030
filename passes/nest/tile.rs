//! Register tiles: points of the iteration space whose values are computed together, in registers.
//!
//! ```text
//! for i in 0..6 (REG): for j in 0..16 (SIMD): for k: …   ──▶   for k: 6 vectors of 16 lanes
//! ```
//!
//! A level that is tagged with registers is unrolled, and a level that is tagged with lanes is vectorized on a host.
//! Either is unrolled-and-jammed at the position of its step: the loops inside of the step run once for all of its
//! parts. If points of a tile may be out of bounds, code is emitted twice, without and with a check of each point.
use crate::{
    nest::{
        code::Code,
        index::Index::{self, Computed, Constant},
        lanes::Mask,
        space::{IterationSpace, Point},
        tree::{Binary, Value},
        types::{Lanes, Type},
    },
    plan::tile::{self, TileAxis},
};
use mdh_dialects::{ir::IntPredicate, schedule::model::Level};

/// The levels of the current tile in the order of their steps, and the dimensions with bounds checks.
#[derive(Clone, Debug, Default)]
pub struct Tile {
    /// One for each level of the tile.
    pub axes: Vec<TileAxis>,
    /// The dimensions in which some points of the tile may be out of bounds; the first point never is.
    checked: Vec<usize>,
    /// The dimensions in which it is known whether tiles at this position of the nest are full.
    known: Vec<(usize, bool)>,
}

/// An element of a tile: the points that differ in their lanes only.
#[derive(Clone)]
pub struct PointVector {
    /// The point of the first lane. If the element is out of bounds, this is the point of another element.
    pub point: Point,
    /// The mask of the points inside of the iteration space.
    pub mask: Mask,
}

impl Tile {
    /// True if a level is an axis of the tile.
    pub fn has(&self, level: Level) -> bool {
        tile::has(&self.axes, level)
    }

    /// The lanes of its vectors, if it has any.
    pub fn lanes(&self) -> Option<Lanes> {
        let axis = self.axes.iter().find(|axis| axis.is_lanes)?;
        Some(Lanes { level: axis.level, count: axis.count })
    }

    /// The number of its elements.
    pub fn values(&self) -> i64 {
        tile::values(&self.axes)
    }

    /// This tile with one more axis.
    pub fn with(&self, axis: TileAxis) -> Self {
        let mut tile = self.clone();
        tile.axes.push(axis);
        tile
    }

    /// True if points are bounds-checked in a dimension.
    pub fn checks(&self, d: usize) -> bool {
        self.checked.contains(&d)
    }

    /// This tile with or without bounds checks in a dimension.
    pub fn checking(&self, d: usize, checks: bool) -> Self {
        let mut tile = self.clone();
        tile.checked.retain(|known| *known != d);
        tile.checked.extend(checks.then_some(d));
        tile
    }

    /// True if tiles at this position are known to be full in a dimension, false if they are known to be partial.
    pub fn is_full(&self, d: usize) -> Option<bool> {
        self.known.iter().find(|(known, _)| *known == d).map(|(_, is_full)| *is_full)
    }

    /// This tile at a position where it is known whether tiles are full in a dimension.
    pub fn knowing(&self, d: usize, is_full: bool) -> Self {
        let mut tile = self.clone();
        tile.known.push((d, is_full));
        tile
    }

    /// This tile with one part of a level, which is not on lanes.
    pub fn single(&self, level: Level) -> Self {
        let mut tile = self.clone();
        let own = tile.axes.iter_mut().find(|axis| axis.level == level);
        own.into_iter().for_each(|axis| *axis = TileAxis { level, count: 1, is_lanes: false });
        tile
    }

    /// This tile without bounds checks.
    pub fn unchecked(&self) -> Self {
        Self { checked: vec![], ..self.clone() }
    }

    /// The dimensions in which points are bounds-checked.
    pub fn checked(&self) -> &[usize] {
        &self.checked
    }

    /// The axes of a dimension, lanes last: the number of lanes in bounds depends on the position of the element.
    fn along(&self, d: usize) -> Vec<TileAxis> {
        let mut axes: Vec<_> = self.axes.iter().copied().filter(|axis| axis.level.dimension == d).collect();
        axes.sort_by_key(|axis| (axis.is_lanes, axis.level.layer));
        axes
    }

    /// The number of points of the tile in a dimension.
    pub fn points(&self, d: usize) -> i64 {
        self.along(d).iter().fold(1, |points, axis| points.saturating_mul(axis.count))
    }

    /// The distance from the first to the last point of the tile in a dimension.
    pub fn span(&self, b: &Code<'_>, space: &IterationSpace, d: usize) -> Index {
        self.along(d).iter().fold(Constant(0), |span, axis| {
            let term = Constant(axis.count - 1).mul(b, space.strides[axis.level.layer][d]);
            span.add(b, term)
        })
    }

    /// The part numbers of each element in the unrolled levels, in the order of the axes; the last one varies fastest.
    pub fn numbers(&self) -> Vec<Vec<(Level, i64)>> {
        let unrolled = self.axes.iter().filter(|axis| !axis.is_lanes);
        unrolled.fold(vec![vec![]], |elements, axis| {
            let parts = |numbers: Vec<(Level, i64)>| {
                (0..axis.count).map(move |n| numbers.iter().copied().chain([(axis.level, n)]).collect())
            };
            elements.into_iter().flat_map(parts).collect()
        })
    }

    /// The elements of the tile at a point in which all levels of the tile have part number 0.
    pub fn elements(&self, b: &Code<'_>, space: &IterationSpace, point: &Point) -> Vec<PointVector> {
        self.numbers().iter().map(|numbers| self.element(b, space, point, numbers)).collect()
    }

    fn element(&self, b: &Code<'_>, space: &IterationSpace, point: &Point, numbers: &[(Level, i64)]) -> PointVector {
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
                    // At least the first lane is in bounds, or the element is replaced by another one and its lanes are
                    // masked off.
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

/// The conjunction of two conditions.
pub fn and<'t>(b: &Code<'t>, left: Option<Value>, right: Value) -> Value {
    left.map_or(right, |left| b.binary(Binary::And, left, right, Type::BIT))
}
