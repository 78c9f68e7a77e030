//! Domains partitioned by a schedule: trip counts, strides, and the number of indices that levels cover.
//!
//! The index of a point in a dimension is the sum over the layers of part index times stride, where the stride of a
//! layer is the product of the part counts of the inner layers. Parts that would begin past the extent are never
//! visited. The layer with `?` has as many parts as the extent requires.
use super::{domain::Domain, expression::Expression};
use mdh_dialects::schedule::model::{Level, Schedule};

/// A domain, partitioned by the part counts of a schedule.
#[derive(Clone, Copy, Debug)]
pub struct Partition<'a> {
    domain: &'a Domain,
    schedule: &'a Schedule,
}

impl<'a> Partition<'a> {
    /// Creates the partition of a domain by a schedule for it.
    pub fn new(domain: &'a Domain, schedule: &'a Schedule) -> Self {
        Self { domain, schedule }
    }

    /// The levels of a dimension that have more than one part, outermost first.
    pub fn levels(&self, dimension: usize) -> impl Iterator<Item = Level> {
        let levels = (0..self.schedule.parts.len()).map(move |layer| Level { layer, dimension });
        levels.filter(|&level| self.schedule.is_loop(level))
    }

    /// The number of parts of a level.
    pub fn parts(&self, level: Level) -> Expression {
        let column = |layer: usize| self.schedule.parts[layer][level.dimension];
        if let Some(parts) = column(level.layer) {
            return parts.into();
        }
        let product = |layers: std::ops::Range<usize>| {
            let known = layers.filter_map(column).map(|parts| parts.max(1));
            known.fold(Expression::constant(1), |product, parts| product * parts.into())
        };
        let (outer, inner) = (product(0..level.layer), product(level.layer + 1..self.schedule.parts.len()));
        self.domain.trips(level.dimension).ceildiv(outer).ceildiv(inner)
    }

    /// The number of parts of a level, if known at compile time.
    pub fn count(&self, level: Level) -> Option<u64> {
        self.parts(level).count()
    }

    /// The distance, in indices, between the first indices of consecutive parts of a level.
    pub fn stride(&self, level: Level) -> Expression {
        let inner = (level.layer + 1..self.schedule.parts.len()).map(|layer| Level { layer, ..level });
        inner.fold(Expression::constant(1), |stride, level| stride * self.parts(level))
    }

    /// The first index of the part with these part indices of the levels of a dimension.
    pub fn offset(&self, numbers: &[(Level, Expression)]) -> Expression {
        let terms = numbers.iter().map(|(level, number)| number.clone() * self.stride(*level));
        terms.fold(Expression::constant(0), |offset, term| offset + term)
    }

    /// The trip count of a level whose enclosing parts begin at `offset`: the number of parts that begin before the end
    /// of the dimension. It is zero or negative if there is none.
    pub fn trips(&self, level: Level, offset: Expression) -> Expression {
        let rest = self.domain.trips(level.dimension) - offset;
        self.parts(level).min(rest.ceildiv(self.stride(level)))
    }

    /// An upper bound, over all parts, of the number of indices that some levels of a dimension cover.
    pub fn size(&self, dimension: usize, levels: &[Level]) -> Expression {
        if self.levels(dimension).eq(levels.iter().copied()) {
            return self.domain.trips(dimension);
        }
        levels.iter().fold(Expression::constant(1), |size, &level| size * self.parts(level))
    }

    /// An upper bound, over all parts, of the distance from the first to the last index that some levels of a dimension
    /// cover. A static bound is preferred to the extent.
    pub fn span(&self, dimension: usize, levels: &[Level]) -> Expression {
        let one = || Expression::constant(1);
        let spans =
            levels.iter().map(|&level| (self.parts(level) - one()).max(Expression::constant(0)) * self.stride(level));
        let span = spans.fold(Expression::constant(0), |sum, span| sum + span);
        if span.value().is_some() && self.domain.extent(dimension).is_none() {
            return span;
        }
        span.min(self.domain.span(dimension).max(Expression::constant(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::random::{Random, random_schedule};
    use mdh_dialects::hom::CombineOperator;
    use mdh_dialects::schedule::rules::Shape;

    /// A schedule for one dimension with these part counts.
    fn schedule(extent: Option<u64>, parts: &[Option<u64>]) -> (Domain, Schedule) {
        let operators = vec![CombineOperator::Concatenation];
        let shape = Shape::new([extent], operators, vec![], vec![]);
        let system = mdh_dialects::schedule::model::System::builtin("openmp").expect("a built-in system");
        let mut schedule = random_schedule(&shape, &system, &mut Random::new(1));
        schedule.parts = parts.iter().map(|parts| vec![*parts]).collect();
        (Domain::new([extent]), schedule)
    }

    fn level(layer: usize) -> Level {
        Level { layer, dimension: 0 }
    }

    #[test]
    fn open_levels_have_the_parts_that_the_extent_needs() {
        let (domain, schedule) = schedule(Some(100), &[Some(3), None, Some(8)]);
        let partition = Partition::new(&domain, &schedule);
        assert_eq!(partition.count(level(1)), Some(5));
        assert_eq!(partition.stride(level(0)).value(), Some(40));
        assert_eq!(partition.levels(0).collect::<Vec<_>>(), [level(0), level(1), level(2)]);
    }

    #[test]
    fn dynamic_extents_stay_symbols() {
        let (domain, schedule) = schedule(None, &[Some(4), None, Some(8)]);
        let partition = Partition::new(&domain, &schedule);
        assert_eq!(partition.parts(level(1)).to_string(), "ceildiv(s0, 32)");
        assert_eq!(partition.count(level(1)), None);
        let offset = partition.offset(&[(level(0), Expression::dimension(0)), (level(1), Expression::dimension(1))]);
        assert_eq!(offset.to_string(), "8 * d0 * ceildiv(s0, 32) + 8 * d1");
        let trips = partition.trips(level(2), Expression::dimension(1) * Expression::constant(8));
        assert_eq!(trips.to_string(), "min(8, s0 - 8 * d1)");
        assert_eq!((partition.span(0, &[level(2)]).count(), partition.span(0, &[level(1)]).count()), (Some(7), None));
    }

    #[test]
    fn trip_counts_end_where_the_domain_does() {
        for extent in 1..40 {
            let (domain, schedule) = schedule(Some(extent), &[Some(3), None, Some(4)]);
            let partition = Partition::new(&domain, &schedule);
            let trips = |layer, offset: i128| {
                partition.trips(level(layer), Expression::constant(offset)).value().expect("a number").max(0)
            };
            let stride = |layer| partition.stride(level(layer)).value().expect("a number");
            let mut points = 0;
            for outer in 0..trips(0, 0) {
                for middle in 0..trips(1, outer * stride(0)) {
                    points += trips(2, outer * stride(0) + middle * stride(1));
                }
            }
            assert_eq!(points, i128::from(extent));
        }
    }

    #[test]
    fn what_levels_reach_is_bounded_by_the_extent() {
        let (domain, schedule) = schedule(Some(100), &[Some(3), Some(5), Some(8)]);
        let partition = Partition::new(&domain, &schedule);
        let all: Vec<_> = partition.levels(0).collect();
        assert_eq!((partition.size(0, &all).count(), partition.span(0, &all).count()), (Some(100), Some(99)));
        assert_eq!((partition.size(0, &all[1..]).count(), partition.span(0, &all[1..]).count()), (Some(40), Some(39)));
        let apart = [level(0), level(2)];
        assert_eq!((partition.size(0, &apart).count(), partition.span(0, &apart).count()), (Some(24), Some(87)));
    }
}
