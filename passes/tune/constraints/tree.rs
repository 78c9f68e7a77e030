//! The engine: trees whose sub-trees are shared, which are counted, ranked and unranked without being enumerated.
//!
//! ```text
//! state ──▶ runs of values that lead to equal states ──▶ count = sum over runs: values × weight × count of the state
//! ```
//!
//! A tree is given by the branches of its states ([`Branches`]). Paths that lead to equal states share one sub-tree, so
//! the work depends on the number of states and not on the number of paths.
use super::number::Count;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::{borrow::Cow, hash::Hash};

/// The maximum number of runs whose tables are kept, of 64 bytes or more each; others are made again when needed.
const KEPT_RUNS: usize = 1 << 19;
/// The number of the sub-tree at the end of each path, which has one point.
const END: usize = 0;

/// Values `first`, `first + 1`, .. of a branch that lead to equal states.
#[derive(Clone, Debug)]
pub struct ValueRun<S, N> {
    /// Distinguishes branches of a state that have equal values.
    pub key: u64,
    /// The first value.
    pub first: u64,
    /// The number of values.
    pub length: u64,
    /// The number of choices for each value.
    pub weight: N,
    /// The state after each of them.
    pub next: S,
}

/// A tree, given by the branches of its states.
pub trait Branches<N> {
    /// What the rest of a path depends on.
    type State: Clone + Eq + Hash;

    /// Returns the state of the root.
    fn start(&self) -> Self::State;

    /// Returns true if paths end in a state.
    fn is_end(&self, state: &Self::State) -> bool;

    /// Returns the branches of a state, in ascending order of keys and values, without overlaps; `None` if the work is
    /// more than what is left.
    fn runs(&self, state: &Self::State, work: &mut Effort) -> Option<Vec<ValueRun<Self::State, N>>>;
}

/// The work of counting a tree, in values and runs that are visited.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    spent: u64,
    limit: u64,
}

impl Effort {
    /// Returns no work so far, of at most `limit`.
    pub fn new(limit: u64) -> Self {
        Self { spent: 0, limit }
    }

    /// Adds work; `None` if the limit is exceeded.
    pub fn spend(&mut self, work: u64) -> Option<()> {
        self.spent = self.spent.saturating_add(work);
        (self.spent <= self.limit).then_some(())
    }
}

/// One branch on a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathStep<N> {
    /// The key of the run.
    pub key: u64,
    /// The value.
    pub value: u64,
    /// The number of the choice for this value, below the weight of the run.
    pub choice: N,
}

/// A branch to a sub-tree.
#[derive(Clone, Debug)]
pub struct Branch<N> {
    /// The key of the run.
    pub key: u64,
    /// The first value.
    pub first: u64,
    /// The number of values.
    pub length: u64,
    /// The number of the sub-tree.
    pub child: usize,
    weight: N,
    /// The number of points of the branches before this one.
    before: N,
}

struct SharedNode<N> {
    count: N,
    branches: Option<Box<[Branch<N>]>>,
}

/// Why a tree cannot be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uncounted {
    /// A count is too large for its type.
    Overflow,
    /// More values and runs than this limit would have to be visited.
    Work(u64),
}

/// A tree with its counts.
pub struct CountedTree<B: Branches<N>, N> {
    branches: B,
    nodes: Vec<SharedNode<N>>,
    /// The states of the sub-trees after the first one, in the same order. Their hashes need no protection against
    /// chosen keys, and are a large part of the work.
    states: IndexSet<B::State, FxBuildHasher>,
    kept: usize,
    effort: Effort,
    root: usize,
}

impl<B: Branches<N>, N: Count> CountedTree<B, N> {
    /// Counts a tree; at most `limit` values and runs are visited.
    pub fn new(branches: B, limit: u64) -> Result<Self, Uncounted> {
        let end = SharedNode { count: N::one(), branches: Some(Box::default()) };
        let effort = Effort::new(limit);
        let mut tree = Self { branches, nodes: vec![end], states: IndexSet::default(), kept: 0, effort, root: END };
        tree.root = tree.visit(tree.branches.start())?;
        Ok(tree)
    }

    fn visit(&mut self, state: B::State) -> Result<usize, Uncounted> {
        if let Some(known) = self.number(&state) {
            return Ok(known);
        }
        let limit = Uncounted::Work(self.effort.limit);
        let runs = self.branches.runs(&state, &mut self.effort).ok_or(limit)?;
        self.effort.spend(1 + runs.len() as u64).ok_or(limit)?;
        let mut branches = Vec::with_capacity(runs.len());
        for ValueRun { key, first, length, weight, next } in runs {
            branches.push(Branch { key, first, length, child: self.visit(next)?, weight, before: N::zero() });
        }
        let branches = self.table(branches).ok_or(Uncounted::Overflow)?;
        let count = branches.last().map_or(Some(N::zero()), |last| last.before.checked_add(&self.points(last)?));
        let count = count.ok_or(Uncounted::Overflow)?;
        let is_kept = self.kept + branches.len() <= KEPT_RUNS;
        self.kept += if is_kept { branches.len() } else { 0 };
        let branches = is_kept.then(|| branches.into_boxed_slice());
        self.nodes.push(SharedNode { count, branches });
        self.states.insert(state);
        Ok(self.nodes.len() - 1)
    }

    fn number(&self, state: &B::State) -> Option<usize> {
        if self.branches.is_end(state) { Some(END) } else { Some(self.states.get_index_of(state)? + 1) }
    }

    /// Returns the branches that have points, with the numbers of points before them; `None` if a count is too large for
    /// its type.
    fn table(&self, branches: Vec<Branch<N>>) -> Option<Vec<Branch<N>>> {
        let mut before = N::zero();
        let mut table = Vec::with_capacity(branches.len());
        for branch in branches {
            let points = self.points(&branch)?;
            if !points.is_zero() {
                let after = before.checked_add(&points)?;
                table.push(Branch { before, ..branch });
                before = after;
            }
        }
        Some(table)
    }

    /// Returns the number of points of a branch.
    fn points(&self, branch: &Branch<N>) -> Option<N> {
        N::from(branch.length).checked_mul(&branch.weight)?.checked_mul(&self.nodes[branch.child].count)
    }

    /// Returns the number of points.
    pub fn count(&self) -> &N {
        &self.nodes[self.root].count
    }

    /// Returns the number of values and runs that were visited.
    pub fn work(&self) -> u64 {
        self.effort.spent
    }

    /// Returns the number of points of the sub-tree of a state that paths lead to; 0 for other states.
    pub fn count_of(&self, state: &B::State) -> N {
        self.number(state).map_or_else(N::zero, |node| self.nodes[node].count.clone())
    }

    /// Returns the number of the sub-tree of the root.
    pub fn root(&self) -> usize {
        self.root
    }

    /// Returns the branches of a sub-tree that have points.
    pub fn branches(&self, node: usize) -> Cow<'_, [Branch<N>]> {
        let state = || self.states.get_index(node.checked_sub(1)?);
        match (&self.nodes[node].branches, state()) {
            (Some(kept), _) => Cow::Borrowed(kept),
            (None, Some(state)) => {
                let runs = self.branches.runs(state, &mut Effort::new(u64::MAX)).unwrap_or_default();
                let branch = |ValueRun { key, first, length, weight, next }| {
                    Some(Branch { key, first, length, child: self.number(&next)?, weight, before: N::zero() })
                };
                let branches: Option<Vec<_>> = runs.into_iter().map(branch).collect();
                Cow::Owned(branches.and_then(|branches| self.table(branches)).unwrap_or_default())
            }
            (None, None) => Cow::Borrowed(&[]),
        }
    }

    /// Returns the path of a point and passes its branches to `visit`; `index` is below the count.
    pub fn unrank(&self, index: N, visit: impl FnMut(PathStep<N>)) {
        self.unrank_from(self.root, index, visit);
    }

    /// Passes the branches of a point of the sub-tree of a state to `visit`; `index` is below its count.
    pub fn unrank_of(&self, state: &B::State, index: N, visit: impl FnMut(PathStep<N>)) {
        self.unrank_from(self.number(state).unwrap_or(END), index, visit);
    }

    fn unrank_from(&self, mut node: usize, mut index: N, mut visit: impl FnMut(PathStep<N>)) {
        while node != END {
            let branches = self.branches(node);
            let at = branches.partition_point(|branch| branch.before <= index);
            let Some(branch) = at.checked_sub(1).and_then(|at| branches.get(at)) else { return };
            let rest = index - branch.before.clone();
            let (choice, below) = quotient(rest, &self.nodes[branch.child].count);
            let (value, choice) = quotient(choice, &branch.weight);
            visit(PathStep { key: branch.key, value: branch.first + value.to_u64().unwrap_or(0), choice });
            (node, index) = (branch.child, below);
        }
    }

    /// Returns the number of the point with this path; `None` if the tree has no such point.
    pub fn rank(&self, path: impl IntoIterator<Item = PathStep<N>>) -> Option<N> {
        self.rank_from(self.root, path)
    }

    /// Returns the number of the point with this path in the sub-tree of a state.
    pub fn rank_of(&self, state: &B::State, path: impl IntoIterator<Item = PathStep<N>>) -> Option<N> {
        self.rank_from(self.number(state)?, path)
    }

    fn rank_from(&self, mut node: usize, path: impl IntoIterator<Item = PathStep<N>>) -> Option<N> {
        let mut index = N::zero();
        for step in path {
            let branches = self.branches(node);
            let branch = find(&branches, step.key, step.value).filter(|branch| step.choice < branch.weight)?;
            let choice = N::from(step.value - branch.first) * branch.weight.clone() + step.choice;
            index = index + branch.before.clone() + choice * self.nodes[branch.child].count.clone();
            node = branch.child;
        }
        (node == END).then_some(index)
    }

    /// Returns the sub-tree after a value of key 0, if it has points.
    pub fn child(&self, node: usize, value: u64) -> Option<usize> {
        find(&self.branches(node), 0, value).map(|branch| branch.child)
    }
}

/// Returns the quotient and the remainder; divisions by 1 are frequent.
fn quotient<N: Count>(dividend: N, divisor: &N) -> (N, N) {
    if divisor.is_one() { (dividend, N::zero()) } else { dividend.div_rem(divisor) }
}

fn find<N>(branches: &[Branch<N>], key: u64, value: u64) -> Option<&Branch<N>> {
    let at = branches.partition_point(|branch| (branch.key, branch.first) <= (key, value));
    let branch = branches.get(at.checked_sub(1)?)?;
    (branch.key == key && value - branch.first < branch.length).then_some(branch)
}
