//! Accesses: affine index functions from points of the iteration domain to elements of a buffer.
use mdh_dialects::view::IndexFunction;

/// An access: by axis (dimension of the buffer), the index as an affine function of the point.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// By axis: the coefficients of the dimensions.
    coefficients: Vec<Vec<i64>>,
    /// By axis: the constant.
    constants: Vec<i64>,
}

impl Access {
    /// Creates an access from the coefficients and the constant of each axis.
    pub fn new(axes: impl IntoIterator<Item = (Vec<i64>, i64)>) -> Self {
        let (coefficients, constants) = axes.into_iter().unzip();
        Self { coefficients, constants }
    }

    /// The access that an index function describes.
    pub fn of(function: &IndexFunction) -> Self {
        Self::new((0..function.rank()).map(|axis| {
            let (coefficients, constant) = function.row(axis);
            (coefficients.to_vec(), constant)
        }))
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.constants.len()
    }

    /// The dimensions that an axis depends on, each with its stride along the axis.
    pub fn terms(&self, axis: usize) -> impl Iterator<Item = (usize, i64)> + Clone {
        self.coefficients[axis].iter().copied().enumerate().filter(|(_, c)| *c != 0)
    }

    /// The index along an axis at the first point of the domain.
    pub fn origin(&self, axis: usize) -> i64 {
        self.constants[axis]
    }

    /// By axis: the index at the first point of the domain.
    pub fn origins(&self) -> &[i64] {
        &self.constants
    }

    /// The stride of a dimension along an axis; 0 if the axis does not depend on it.
    pub fn stride(&self, axis: usize, d: usize) -> i64 {
        self.coefficients[axis][d]
    }

    /// Returns true if an axis depends on a dimension.
    pub fn uses(&self, axis: usize, d: usize) -> bool {
        self.stride(axis, d) != 0
    }

    /// Returns true if the element depends on a dimension.
    pub fn depends_on(&self, d: usize) -> bool {
        (0..self.rank()).any(|axis| self.uses(axis, d))
    }

    /// Returns true if a dimension changes the index of the last axis only, which is contiguous in memory.
    pub fn is_contiguous_along(&self, d: usize) -> bool {
        let Some(last) = self.rank().checked_sub(1) else { return false };
        self.uses(last, d) && !(0..last).any(|axis| self.uses(axis, d))
    }

    /// The axis along which consecutive indices of a dimension access consecutive elements, if the dimension occurs in
    /// no other axis.
    pub fn axis(&self, d: usize) -> Option<usize> {
        let mut axes = (0..self.rank()).filter(|&axis| self.uses(axis, d));
        let axis = axes.next()?;
        (self.stride(axis, d) == 1 && axes.next().is_none()).then_some(axis)
    }

    /// Returns true if the index along an axis equals the index of a dimension.
    pub fn is_index_of(&self, axis: usize, d: usize) -> bool {
        self.origin(axis) == 0 && self.terms(axis).eq([(d, 1)])
    }

    /// Returns true if a dimension moves a sliding window along some axis, that is, if the axis depends on further
    /// dimensions.
    pub fn has_sliding_window(&self, d: usize) -> bool {
        (0..self.rank()).any(|axis| self.uses(axis, d) && self.terms(axis).count() > 1)
    }

    /// Returns true if two accesses differ in their constants only.
    pub fn is_parallel_to(&self, other: &Self) -> bool {
        self.coefficients == other.coefficients
    }

    /// The access at index 0 of some dimensions: for an output, the reduction dimensions, which its indices do not
    /// depend on.
    pub fn at_first(&self, is_fixed: impl Fn(usize) -> bool) -> Self {
        let mut access = self.clone();
        for row in &mut access.coefficients {
            row.iter_mut().enumerate().filter(|(d, _)| is_fixed(*d)).for_each(|(_, c)| *c = 0);
        }
        access
    }

    /// The access with other axes: some of its own, or `None` for the index 0.
    pub fn with_axes(&self, axes: impl IntoIterator<Item = Option<usize>>) -> Self {
        let none = || (self.coefficients.first().map_or_else(Vec::new, |row| vec![0; row.len()]), 0);
        let own = |axis: usize| (self.coefficients[axis].clone(), self.constants[axis]);
        Self::new(axes.into_iter().map(|axis| axis.map_or_else(none, own)))
    }

    /// The element that is accessed `indices` indices of a dimension after a given element.
    pub fn moved(&self, element: &[i64], d: usize, indices: i64) -> Vec<i64> {
        let axes = element.iter().zip(&self.coefficients);
        axes.map(|(at, row)| at.wrapping_add(row[d].wrapping_mul(indices))).collect()
    }

    /// The signed distance, in elements, of consecutive indices of a dimension in a row-major buffer of these sizes.
    pub fn step(&self, d: usize, sizes: &[u64]) -> i64 {
        let (mut size, mut step) = (1i64, 0i64);
        for (row, extent) in self.coefficients.iter().zip(sizes).rev() {
            step = step.saturating_add(row[d].saturating_mul(size));
            size = size.saturating_mul(i64::try_from(*extent).unwrap_or(i64::MAX));
        }
        step
    }

    /// The distance, in elements, of consecutive indices of a dimension in a row-major buffer of these sizes: the sum
    /// of the absolute distances along all axes.
    pub fn distance(&self, d: usize, sizes: impl DoubleEndedIterator<Item = u64> + ExactSizeIterator) -> u64 {
        let (mut size, mut total) = (1u64, 0u64);
        for (row, extent) in self.coefficients.iter().zip(sizes).rev() {
            total = total.saturating_add(row[d].unsigned_abs().saturating_mul(size));
            size = size.saturating_mul(extent);
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(d0, d1, d2) -> (d1, 2 * d0 + d2 + 3)`
    fn window() -> Access {
        Access::new([(vec![0, 1, 0], 0), (vec![2, 0, 1], 3)])
    }

    #[test]
    fn terms_are_the_dimensions_that_occur() {
        let access = window();
        assert_eq!(access.terms(1).collect::<Vec<_>>(), [(0, 2), (2, 1)]);
        assert_eq!((access.rank(), access.origin(1), access.stride(1, 0)), (2, 3, 2));
        assert!(access.is_index_of(0, 1) && !access.is_index_of(1, 2));
        assert!(access.has_sliding_window(0) && access.has_sliding_window(2) && !access.has_sliding_window(1));
        assert!((0..3).all(|d| access.depends_on(d)));
        assert!(!access.at_first(|d| d == 0).depends_on(0));
    }

    #[test]
    fn neighbours_are_along_one_axis() {
        let access = window();
        assert_eq!((access.axis(0), access.axis(1), access.axis(2)), (None, Some(0), Some(1)));
        assert!(access.is_contiguous_along(2) && access.is_contiguous_along(0) && !access.is_contiguous_along(1));
        let diagonal = Access::new([(vec![1], 0), (vec![1], 0)]);
        assert_eq!(diagonal.axis(0), None);
        assert!(!diagonal.is_contiguous_along(0));
    }

    #[test]
    fn strides_are_those_of_rows() {
        let access = window();
        assert_eq!([0, 1, 2].map(|d| access.step(d, &[10, 50])), [2, 50, 1]);
        let backwards = Access::new([(vec![1], 0), (vec![-1], 9)]);
        assert_eq!(backwards.step(0, &[10, 10]), 9);
        assert_eq!(backwards.distance(0, [10, 10].into_iter()), 11);
        assert_eq!(access.moved(&[1, 4], 0, 5), [1, 14]);
    }
}
