//! Iteration domains: the points over which a computation iterates.
use super::expression::Expression;

/// An iteration domain: by dimension, the indices from 0 to its extent.
///
/// An extent is a constant, or the symbol of its dimension if it is known only at run time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Domain {
    extents: Vec<Expression>,
}

impl Domain {
    /// The domain of these extents; `None` if dynamic.
    pub fn new(extents: impl IntoIterator<Item = Option<u64>>) -> Self {
        let extent = |(d, extent): (usize, Option<u64>)| extent.map_or_else(|| Expression::symbol(d), Expression::from);
        Self { extents: extents.into_iter().enumerate().map(extent).collect() }
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.extents.len()
    }

    /// The extent of a dimension; `None` if dynamic.
    pub fn extent(&self, d: usize) -> Option<u64> {
        self.extents[d].count()
    }

    /// The extents of all dimensions; `None` if dynamic.
    pub fn extents(&self) -> impl Iterator<Item = Option<u64>> + Clone {
        self.extents.iter().map(Expression::count)
    }

    /// The trip count of a loop over all indices of a dimension.
    pub fn trips(&self, d: usize) -> Expression {
        self.extents[d].clone()
    }

    /// The distance from the first to the last index of a dimension; -1 if it is empty.
    pub fn span(&self, d: usize) -> Expression {
        self.trips(d) - Expression::constant(1)
    }

    /// The number of points.
    pub fn points(&self) -> Expression {
        self.extents.iter().cloned().fold(Expression::constant(1), |points, extent| points * extent)
    }

    /// Returns true if no extent depends on other dimensions.
    pub fn is_rectangular(&self) -> bool {
        !self.extents.iter().any(|extent| extent.has_dimensions())
    }

    /// Returns true if all extents are known at compile time.
    pub fn is_static(&self) -> bool {
        self.extents.iter().all(|extent| extent.value().is_some())
    }

    /// Returns true if the domain is known to be empty.
    pub fn is_empty(&self) -> bool {
        self.extents().any(|extent| extent == Some(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dynamic_extents_are_symbols() {
        let domain = Domain::new([Some(10), None]);
        assert_eq!((domain.rank(), domain.extent(0), domain.extent(1)), (2, Some(10), None));
        assert_eq!(domain.points().to_string(), "10 * s1");
        assert_eq!(domain.span(1).to_string(), "s1 - 1");
        assert!(domain.is_rectangular() && !domain.is_static() && !domain.is_empty());
    }

    #[test]
    fn one_empty_dimension_leaves_no_point() {
        assert_eq!(Domain::new([Some(0), None]).points(), Expression::constant(0));
        assert!(Domain::new([Some(0), None]).is_empty());
        assert_eq!(Domain::new([]).points(), Expression::constant(1));
    }

    #[test]
    fn extents_of_other_dimensions_are_not_rectangular() {
        let triangle =
            Domain { extents: vec![Expression::symbol(0), Expression::dimension(0) + Expression::constant(1)] };
        assert!(!triangle.is_rectangular());
        assert_eq!(triangle.extent(1), None);
    }
}
