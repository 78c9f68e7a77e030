//! Counted groups: the tree of a group with counts of the smallest sufficient type, and the points of small groups.
//!
//! ```text
//! a group of 1875 points   ──▶   a table of 1875 rows        a larger one   ──▶   a tree
//! ```
use super::{
    formula::{Parameter, Requirement},
    group::ParameterGroup,
    number::Count,
    tree::{CountedTree, PathStep, Uncounted},
    values::ParameterValues,
};
use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};

/// The largest number of points of a group that has a table.
const MAX_ROWS: u64 = 1 << 12;

/// The tree of a group.
pub(super) enum GroupTree {
    Small(CountedTree<ParameterGroup, u64>),
    Medium(CountedTree<ParameterGroup, u128>),
    Large(CountedTree<ParameterGroup, BigUint>),
}

/// Evaluates an expression on the tree, whatever its type of counts.
macro_rules! with_tree {
    ($tree:expr, $name:ident => $value:expr) => {
        match $tree {
            GroupTree::Small($name) => $value,
            GroupTree::Medium($name) => $value,
            GroupTree::Large($name) => $value,
        }
    };
}
pub(super) use with_tree;

/// The parameters of a group, and their tree.
pub(super) struct SpaceGroup {
    pub(super) parameters: Vec<Parameter>,
    pub(super) tree: GroupTree,
    /// The values of all points, if they are few.
    rows: Vec<u64>,
}

fn number<N: Count>(count: &N) -> BigUint {
    count.clone().into()
}

/// Sets the values of the parameters to those of a point of their group.
fn write<N: Count>(tree: &CountedTree<ParameterGroup, N>, index: N, parameters: &[Parameter], point: &mut [u64]) {
    let mut parameters = parameters.iter();
    tree.unrank(index, |step| {
        if let Some(value) = parameters.next().and_then(|parameter| point.get_mut(parameter.0)) {
            *value = step.value;
        }
    });
}

fn rank<N: Count>(tree: &CountedTree<ParameterGroup, N>, parameters: &[Parameter], point: &[u64]) -> Option<BigUint> {
    let step = |parameter: &Parameter| Some(PathStep { key: 0, value: *point.get(parameter.0)?, choice: N::zero() });
    let path: Option<Vec<_>> = parameters.iter().map(step).collect();
    tree.rank(path?).map(Into::into)
}

impl SpaceGroup {
    /// Counts a group; `values` has the values of all parameters, by number. At most `limit` values and runs are
    /// visited.
    pub(super) fn new(
        parameters: Vec<Parameter>,
        values: &[ParameterValues],
        requirements: &[&Requirement],
        limit: u64,
    ) -> Result<Self, Uncounted> {
        let group = || ParameterGroup::new(&parameters, values, requirements);
        let small = CountedTree::new(group(), limit).map(GroupTree::Small);
        let medium = small.or_else(|problem| match problem {
            Uncounted::Overflow => CountedTree::new(group(), limit).map(GroupTree::Medium),
            Uncounted::Work(_) => Err(problem),
        });
        let tree = medium.or_else(|problem| match problem {
            Uncounted::Overflow => CountedTree::new(group(), limit).map(GroupTree::Large),
            Uncounted::Work(_) => Err(problem),
        })?;
        let mut group = Self { parameters, tree, rows: vec![] };
        group.rows = group.table();
        Ok(group)
    }

    /// Returns the values of all points, if they are few.
    fn table(&self) -> Vec<u64> {
        let GroupTree::Small(tree) = &self.tree else { return vec![] };
        let mut rows = vec![];
        if *tree.count() <= MAX_ROWS {
            (0..*tree.count()).for_each(|index| tree.unrank(index, |step| rows.push(step.value)));
        }
        rows
    }

    /// Returns true if the group has no point.
    pub(super) fn is_empty(&self) -> bool {
        with_tree!(&self.tree, tree => tree.count().is_zero())
    }

    /// Returns the number of points.
    pub(super) fn count(&self) -> BigUint {
        with_tree!(&self.tree, tree => number(tree.count()))
    }

    /// Sets the values of the parameters to those of a point; `None` if the index is not below the count.
    pub(super) fn write(&self, index: &BigUint, point: &mut [u64]) -> Option<()> {
        with_tree!(&self.tree, tree => {
            let index = Count::of(index).filter(|index| index < tree.count())?;
            write(tree, index, &self.parameters, point);
        });
        Some(())
    }

    /// Sets the values of the parameters to those of the point with an index below the count, which has at most 128
    /// bits.
    pub(super) fn write_small(&self, index: u128, point: &mut [u64]) {
        match &self.tree {
            GroupTree::Small(tree) => self.write_row(tree, index.to_u64().unwrap_or(0), point),
            GroupTree::Medium(tree) => write(tree, index, &self.parameters, point),
            GroupTree::Large(tree) => write(tree, BigUint::from(index), &self.parameters, point),
        }
    }

    fn write_row(&self, tree: &CountedTree<ParameterGroup, u64>, index: u64, point: &mut [u64]) {
        let mut rows = self.rows.chunks_exact(self.parameters.len().max(1));
        match usize::try_from(index).ok().and_then(|index| rows.nth(index)) {
            Some(row) => self.parameters.iter().zip(row).for_each(|(parameter, value)| point[parameter.0] = *value),
            None => write(tree, index, &self.parameters, point),
        }
    }

    /// Sets the values of the parameters to those of a random point.
    pub(super) fn sample(&self, random: &mut dyn FnMut() -> u64, point: &mut [u64]) {
        match &self.tree {
            GroupTree::Small(tree) => self.write_row(tree, u64::below(tree.count(), random), point),
            GroupTree::Medium(tree) => write(tree, u128::below(tree.count(), random), &self.parameters, point),
            GroupTree::Large(tree) => write(tree, BigUint::below(tree.count(), random), &self.parameters, point),
        }
    }

    /// Returns the number of the point with these values among those of the group.
    pub(super) fn rank(&self, point: &[u64]) -> Option<BigUint> {
        with_tree!(&self.tree, tree => rank(tree, &self.parameters, point))
    }
}
