//! Neighbors of a point: points that differ in one parameter, or in two where a constraint allows neither change alone.
//!
//! ```text
//! a * b = 12:   (3, 4)   ──▶   (1, 12), (2, 6), (4, 3), (6, 2), (12, 1)
//! ```
//!
//! If one point is a neighbor of another, the other is a neighbor of the first.
use super::{
    counted::{GroupTree, SpaceGroup, with_tree},
    formula::Parameter,
    group::ParameterGroup,
    number::Count,
    space::ConstraintSpace,
    tree::{Branch, CountedTree},
};
use std::collections::HashSet;

/// The largest difference of a parameter's values between neighbors, which bounds their number.
const MAX_DISTANCE: u64 = 1 << 13;

/// A point of a group and the sub-trees on its path.
struct GroupPath<'a, N: Count> {
    tree: &'a CountedTree<ParameterGroup, N>,
    values: Vec<u64>,
    /// By depth: the sub-tree.
    nodes: Vec<usize>,
}

impl<'a, N: Count> GroupPath<'a, N> {
    /// Returns the path of a point; `None` if it is not in the group.
    fn new(tree: &'a CountedTree<ParameterGroup, N>, values: Vec<u64>) -> Option<Self> {
        let mut nodes = vec![tree.root()];
        for value in &values {
            nodes.push(tree.child(*nodes.last()?, *value)?);
        }
        Some(Self { tree, values, nodes })
    }

    /// Returns the other values that a sub-tree at a depth has, with the sub-trees after them.
    fn others(&self, node: usize, depth: usize) -> Vec<(u64, usize)> {
        let branches = self.tree.branches(node);
        let own = self.values[depth];
        let (least, most) = (own.saturating_sub(MAX_DISTANCE), own.saturating_add(MAX_DISTANCE));
        let near = |run: &Branch<N>| run.first.max(least)..=(run.first + (run.length - 1)).min(most);
        let values = branches.iter().flat_map(|run| near(run).map(|value| (value, run.child)));
        values.filter(|(value, _)| *value != own).collect()
    }

    /// Returns the sub-tree after the values of the point at depths from `from` to before `to`.
    fn follow(&self, node: usize, from: usize, to: usize) -> Option<usize> {
        self.values[from..to].iter().try_fold(node, |node, value| self.tree.child(node, *value))
    }

    /// Returns the changes that lead to neighbors: one or two depths with their values.
    fn changes(&self, is_coupled: impl Fn(usize, usize) -> bool) -> Vec<Vec<(usize, u64)>> {
        let depths = self.values.len();
        let mut alone = HashSet::new();
        let mut found = vec![];
        for depth in 0..depths {
            for (value, child) in self.others(self.nodes[depth], depth) {
                if self.follow(child, depth + 1, depths).is_some() {
                    alone.insert((depth, value));
                    found.push(vec![(depth, value)]);
                }
            }
        }
        for (first, second) in (0..depths).flat_map(|a| (a + 1..depths).map(move |b| (a, b))) {
            if !is_coupled(first, second) {
                continue;
            }
            for (value, child) in self.others(self.nodes[first], first) {
                let is_alone = alone.contains(&(first, value));
                let Some(node) = self.follow(child, first + 1, second).filter(|_| !is_alone) else { continue };
                let others = self.others(node, second).into_iter();
                let others = others.filter(|(other, after)| {
                    !alone.contains(&(second, *other)) && self.follow(*after, second + 1, depths).is_some()
                });
                found.extend(others.map(|(other, _)| vec![(first, value), (second, other)]));
            }
        }
        found
    }
}

fn changes<N: Count>(
    tree: &CountedTree<ParameterGroup, N>,
    parameters: &[Parameter],
    point: &[u64],
    is_coupled: impl Fn(Parameter, Parameter) -> bool,
) -> Vec<Vec<(Parameter, u64)>> {
    let values = parameters.iter().filter_map(|parameter| point.get(parameter.0).copied()).collect();
    let Some(path) = GroupPath::new(tree, values) else { return vec![] };
    let changes = path.changes(|a, b| is_coupled(parameters[a], parameters[b]));
    let named =
        |change: Vec<(usize, u64)>| change.into_iter().map(|(depth, value)| (parameters[depth], value)).collect();
    changes.into_iter().map(named).collect()
}

impl ConstraintSpace {
    /// Returns the neighbors of a point: all points that differ in one parameter, and those that differ in two
    /// parameters of a constraint where neither change is allowed alone. Values differ by at most 8192. None if the point
    /// is not in the space.
    pub fn neighbors(&self, point: &[u64]) -> Vec<Vec<u64>> {
        if self.contains(point).is_err() {
            return vec![];
        }
        let constraints = &self.definition.constraints;
        let read: Vec<_> = constraints.iter().map(|constraint| constraint.requirement.parameters()).collect();
        let is_coupled = |a: Parameter, b: Parameter| read.iter().any(|read| read.contains(&a) && read.contains(&b));
        let mut found = vec![];
        for SpaceGroup { parameters, tree, .. } in &self.groups {
            for change in with_tree!(tree, tree => changes(tree, parameters, point, is_coupled)) {
                let mut neighbor = point.to_vec();
                for (parameter, value) in change {
                    neighbor[parameter.0] = value;
                }
                found.push(neighbor);
            }
        }
        found
    }
}
