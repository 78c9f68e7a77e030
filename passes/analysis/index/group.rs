//! Groups of accesses to a buffer that differ in constants only, and their footprint: the part of the buffer that they
//! access together.
//!
//! ```text
//! buffer[d0 + 1, d1], buffer[d0 - 1, d1]     with 4 indices of d0 and 8 of d1: a part of 6 x 8 elements
//! ```
use super::{access::Access, expression::Expression, partition::Partition};
use mdh_dialects::schedule::model::{Level, StoredAxis, stored_axes};

/// The accesses to a buffer that differ in constants only; they share promoted parts and cache lines.
#[derive(Clone, Debug)]
pub struct Group {
    accesses: Vec<Access>,
    /// By axis: the smallest and the largest constant.
    origins: Vec<(i64, i64)>,
    /// By access: its component of the scalar tuple.
    pub components: Vec<usize>,
}

/// An axis that depends on a single dimension: its promoted part has one entry for each index of that dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingleDimension {
    /// The dimension.
    pub dimension: usize,
    /// The stride of the dimension along the axis.
    pub stride: i64,
    /// The index along the axis at the first point of the domain.
    pub origin: i64,
}

/// A dimension of a promoted part in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisFootprint {
    /// The indices of the only dimension of an axis, without gaps.
    Single {
        /// The axis.
        axis: usize,
        /// Its dimension.
        single: SingleDimension,
        /// The levels of the dimension that are counted (see [`StoredAxis`]).
        stored: StoredAxis,
    },
    /// All indices of an axis from the smallest to the largest one that is accessed.
    Hull {
        /// The axis.
        axis: usize,
    },
}

impl Group {
    /// Groups the accesses of a buffer, whose components of the scalar tuple are consecutive.
    pub fn of(accesses: &[Access], first_component: usize) -> Vec<Self> {
        let mut groups: Vec<Self> = vec![];
        for (i, access) in accesses.iter().enumerate() {
            let component = first_component + i;
            match groups.iter_mut().find(|group| group.access().is_parallel_to(access)) {
                Some(group) => {
                    for (axis, (low, high)) in group.origins.iter_mut().enumerate() {
                        let origin = access.origin(axis);
                        (*low, *high) = (origin.min(*low), origin.max(*high));
                    }
                    group.accesses.push(access.clone());
                    group.components.push(component);
                }
                None => groups.push(Self {
                    accesses: vec![access.clone()],
                    origins: (0..access.rank()).map(|axis| (access.origin(axis), access.origin(axis))).collect(),
                    components: vec![component],
                }),
            }
        }
        groups
    }

    /// The first access; it represents all accesses up to constants.
    pub fn access(&self) -> &Access {
        &self.accesses[0]
    }

    /// The accesses.
    pub fn accesses(&self) -> &[Access] {
        &self.accesses
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.access().rank()
    }

    /// Returns true if the accessed elements depend on a dimension.
    pub fn depends_on(&self, d: usize) -> bool {
        self.access().depends_on(d)
    }

    /// Returns true if a dimension changes the index of the last axis only, which is contiguous in memory.
    pub fn is_contiguous_along(&self, d: usize) -> bool {
        self.access().is_contiguous_along(d)
    }

    /// The dimensions that an axis depends on, each with its stride along the axis.
    pub fn terms(&self, axis: usize) -> impl Iterator<Item = (usize, i64)> + Clone {
        self.access().terms(axis)
    }

    /// The smallest and the largest constant of an axis.
    pub fn origins(&self, axis: usize) -> (i64, i64) {
        self.origins[axis]
    }

    /// The distance between the smallest and the largest constant of an axis.
    pub fn spread(&self, axis: usize) -> u64 {
        let (low, high) = self.origins(axis);
        high.abs_diff(low)
    }

    /// The only dimension of an axis; `None` if the axis depends on several dimensions, or if the constants of the
    /// accesses differ.
    pub fn single(&self, axis: usize) -> Option<SingleDimension> {
        let mut terms = self.terms(axis);
        let (dimension, stride) = terms.next()?;
        let origin = self.access().origin(axis);
        (terms.next().is_none() && self.spread(axis) == 0).then_some(SingleDimension { dimension, stride, origin })
    }

    /// The number of indices of an axis from the smallest to the largest one that is accessed, as a number, an
    /// expression or generated code: `constant` receives the spread plus one, and `add` adds the span of each dimension
    /// times its absolute stride.
    pub fn hull<Size>(
        &self,
        axis: usize,
        constant: impl FnOnce(u64) -> Size,
        add: impl FnMut(Size, (usize, u64)) -> Size,
    ) -> Size {
        let terms = self.terms(axis).map(|(d, stride)| (d, stride.unsigned_abs()));
        terms.fold(constant(self.spread(axis).saturating_add(1)), add)
    }

    /// An upper bound of the number of distinct indices of an axis that are accessed by `covered` indices of each
    /// dimension: at most the number of points.
    pub fn reached(&self, axis: usize, covered: impl Fn(usize) -> u64) -> u64 {
        let points = self.terms(axis).fold(1u64, |points, (d, _)| points.saturating_mul(covered(d)));
        points.saturating_add(self.spread(axis)).min(self.span(axis, covered))
    }

    /// The number of indices of an axis from the smallest to the largest one that is accessed by `covered` indices of
    /// each dimension.
    pub fn span(&self, axis: usize, covered: impl Fn(usize) -> u64) -> u64 {
        let add = |span: u64, (d, stride): (usize, u64)| {
            span.saturating_add(stride.saturating_mul(covered(d).saturating_sub(1)))
        };
        self.hull(axis, |constant| constant, add)
    }

    /// The dimensions of a part with a layout, slowest first. An axis that depends on several dimensions (a hull)
    /// cannot be split into register tiles and elements.
    pub fn parts<'a>(&'a self, layout: &'a [usize]) -> impl Iterator<Item = AxisFootprint> + 'a {
        stored_axes(layout).filter_map(|(axis, stored)| match self.single(axis) {
            Some(single) => Some(AxisFootprint::Single { axis, single, stored }),
            None => (stored != StoredAxis::Elements).then_some(AxisFootprint::Hull { axis }),
        })
    }

    /// The footprint of levels, given by dimension: the sizes, slowest dimension first, of a part with a layout that
    /// contains all elements they access. `tile`: by dimension, the layers of the register tiles.
    pub fn footprint(
        &self,
        partition: &Partition<'_>,
        levels: &[Vec<Level>],
        layout: &[usize],
        tile: &[Vec<usize>],
    ) -> Vec<Expression> {
        let size = |part: AxisFootprint| match part {
            AxisFootprint::Single { single: SingleDimension { dimension, .. }, stored, .. } => {
                let is_counted = |level: &Level| stored.counts(tile[dimension].contains(&level.layer));
                let counted: Vec<_> = levels[dimension].iter().copied().filter(is_counted).collect();
                partition.size(dimension, &counted)
            }
            AxisFootprint::Hull { axis } => self.hull(axis, Expression::from, |size, (d, stride)| {
                size + partition.span(d, &levels[d]) * Expression::from(stride)
            }),
        };
        self.parts(layout).map(size).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(rows: [(Vec<i64>, i64); 2]) -> Access {
        Access::new(rows)
    }

    fn stencil() -> Vec<Group> {
        let at = |i, j| access([(vec![1, 0], i), (vec![0, 1], j)]);
        Group::of(&[at(1, 0), at(-1, 0), access([(vec![0, 1], 0), (vec![1, 0], 0)]), at(0, 0)], 5)
    }

    #[test]
    fn groups_have_the_same_linear_part() {
        let groups = stencil();
        assert_eq!(groups.iter().map(|group| group.components.clone()).collect::<Vec<_>>(), [vec![5, 6, 8], vec![7]]);
        assert_eq!((groups[0].origins(0), groups[0].spread(0), groups[0].spread(1)), ((-1, 1), 2, 0));
        assert_eq!(groups[0].single(0), None);
        assert_eq!(groups[0].single(1), Some(SingleDimension { dimension: 1, stride: 1, origin: 0 }));
    }

    #[test]
    fn reach_is_that_of_all_accesses() {
        let stencil = &stencil()[0];
        assert_eq!((stencil.span(0, |_| 4), stencil.span(1, |_| 8)), (6, 8));
        // Stride 3: a span of 10 indices, but 4 distinct elements.
        let strided = &Group::of(&[access([(vec![3, 0], 0), (vec![1, 1], 0)])], 0)[0];
        assert_eq!((strided.span(0, |_| 4), strided.reached(0, |_| 4)), (10, 4));
        assert_eq!((strided.span(1, |_| 4), strided.reached(1, |_| 4)), (7, 7));
    }

    #[test]
    fn parts_follow_the_layout() {
        let stencil = &stencil()[0];
        let single = SingleDimension { dimension: 1, stride: 1, origin: 0 };
        let parts: Vec<_> = stencil.parts(&[1, 0, 1, 0]).collect();
        let stored = |stored| AxisFootprint::Single { axis: 1, single, stored };
        assert_eq!(parts, [stored(StoredAxis::Tiles), AxisFootprint::Hull { axis: 0 }, stored(StoredAxis::Elements)]);
    }

    #[test]
    fn spans_saturate() {
        let far = &Group::of(&[access([(vec![i64::MIN, 1], 0), (vec![0, 0], 0)])], 0)[0];
        assert_eq!(far.span(0, |_| u64::MAX), u64::MAX);
        assert_eq!(far.reached(1, |_| u64::MAX), 1);
    }
}
