//! Counted spaces: points by number, numbers of points, uniform samples, and what a point violates.
//!
//! ```text
//! point(0), point(1), .., point(count - 1)   ──▶   vectors of values, by parameter
//! ```
use super::{Constraint, SpaceDefinition, counted::SpaceGroup};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};

/// Why a point is not in a space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointProblem {
    /// The point has a different number of values.
    Length {
        /// The number of parameters.
        required: usize,
        /// The number of values of the point.
        actual: usize,
    },
    /// A parameter cannot have its value.
    Value {
        /// The name of the parameter.
        parameter: String,
        /// The values that it can have.
        required: String,
        /// The value of the point.
        actual: u64,
    },
    /// The first constraint that the point violates.
    Violation {
        /// The constraint.
        constraint: Box<Constraint>,
        /// What it requires, with the names of the parameters.
        required: String,
        /// The values of the parameters that it reads.
        actual: String,
    },
}

impl std::fmt::Display for PointProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Length { required, actual } => {
                write!(f, "the space has {required} parameters, but the point has {actual}")
            }
            Self::Value { parameter, required, actual } => {
                write!(f, "the parameter {parameter} requires {required}, but it is {actual}")
            }
            Self::Violation { constraint, required, actual } => {
                write!(f, "{} requires {required} ({}), but {actual}", constraint.name, constraint.reason)
            }
        }
    }
}

/// A space that is not empty, with its counts.
pub struct ConstraintSpace {
    pub(super) definition: SpaceDefinition,
    pub(super) groups: Vec<SpaceGroup>,
    count: BigUint,
    /// The counts of the groups, if the count has at most 128 bits.
    small: Option<(u128, Vec<u128>)>,
}

impl ConstraintSpace {
    pub(super) fn new(definition: SpaceDefinition, groups: Vec<SpaceGroup>) -> Self {
        let count: BigUint = groups.iter().map(SpaceGroup::count).product();
        let counts: Option<Vec<_>> = groups.iter().map(|group| group.count().to_u128()).collect();
        let small = count.to_u128().zip(counts);
        Self { definition, groups, count, small }
    }

    /// Returns the number of points.
    pub fn count(&self) -> &BigUint {
        &self.count
    }

    /// Returns the names of the parameters.
    pub fn names(&self) -> &[String] {
        &self.definition.names
    }

    /// Returns the point with this number, the values by parameter; `None` unless the number is below the count.
    pub fn point(&self, index: &BigUint) -> Option<Vec<u64>> {
        if let Some(index) = index.to_u128().filter(|_| self.small.is_some()) {
            return self.small_point(index);
        }
        if *index >= self.count {
            return None;
        }
        let mut point = vec![0; self.definition.names.len()];
        let mut rest = index.clone();
        for group in self.groups.iter().rev() {
            let (others, own) = rest.div_rem(&group.count());
            group.write(&own, &mut point)?;
            rest = others;
        }
        Some(point)
    }

    /// Returns the point with this number, like [`Self::point`]; `None` if the count has more than 128 bits.
    pub fn small_point(&self, index: u128) -> Option<Vec<u64>> {
        let (count, counts) = self.small.as_ref()?;
        if index >= *count {
            return None;
        }
        let mut point = vec![0; self.definition.names.len()];
        let mut rest = index;
        for (group, count) in self.groups.iter().zip(counts).rev() {
            // The quotient of 64-bit numbers is much faster.
            let (others, own) = match (u64::try_from(rest), u64::try_from(*count)) {
                (Ok(rest), Ok(count)) => (u128::from(rest / count), u128::from(rest % count)),
                _ => rest.div_rem(count),
            };
            group.write_small(own, &mut point);
            rest = others;
        }
        Some(point)
    }

    /// Returns the number of a point; the error is the first problem of a point that is not in the space.
    pub fn index(&self, point: &[u64]) -> Result<BigUint, PointProblem> {
        self.contains(point)?;
        let mut index = BigUint::zero();
        for group in &self.groups {
            index = index * group.count() + group.rank(point).unwrap_or_default();
        }
        Ok(index)
    }

    /// Returns a point; each is equally likely. `random` returns 64 random bits.
    pub fn sample(&self, random: &mut dyn FnMut() -> u64) -> Vec<u64> {
        let mut point = vec![0; self.definition.names.len()];
        self.groups.iter().for_each(|group| group.sample(random, &mut point));
        point
    }

    /// Checks that a point is in the space; the error is its first problem.
    pub fn contains(&self, point: &[u64]) -> Result<(), PointProblem> {
        let SpaceDefinition { names, values, constraints } = &self.definition;
        if point.len() != names.len() {
            return Err(PointProblem::Length { required: names.len(), actual: point.len() });
        }
        for ((name, values), value) in names.iter().zip(values).zip(point) {
            if !values.contains(*value) {
                let (parameter, required) = (name.clone(), values.text().to_owned());
                return Err(PointProblem::Value { parameter, required, actual: *value });
            }
        }
        match constraints.iter().find(|constraint| !constraint.requirement.holds(point)) {
            None => Ok(()),
            Some(constraint) => Err(PointProblem::Violation {
                constraint: Box::new(constraint.clone()),
                required: constraint.requirement.text(names),
                actual: self.definition.values_text(&constraint.requirement.parameters(), point),
            }),
        }
    }
}
