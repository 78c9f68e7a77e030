//! A forest of randomized regression trees: a model of a function that is learned from some of its values.
//!
//! ```text
//! rows of features, targets ──▶ trees: a + b < 3.2 ? (a < 1.5 ? 0.3 : 0.7) : 1.1 ──▶ mean and deviation for a new row
//! ```
//!
//! Each tree splits the rows at random thresholds of random features, of which the best is taken (P. Geurts et al.,
//! "Extremely randomized trees"). Some splits compare the sum or the difference of two features: of logarithms of sizes
//! these are products and ratios, for example the number of threads of a block. The trees agree near known rows only.
use super::technique::fraction;
use crate::schedule::random::Random;

/// Number of trees.
const TREES: usize = 30;
/// One split out of this many compares two features.
const PAIR_SHARE: usize = 4;
/// Sum of squared deviations below which rows are alike, as a fraction of the sum of squares.
const ALIKE: f64 = 1e-12;

/// A learned model.
pub(super) struct Forest {
    trees: Vec<Vec<TreeNode>>,
}

/// A node of a tree. The nodes are in prefix order.
#[derive(Clone, Copy)]
enum TreeNode {
    /// Rows whose value is below the threshold belong to the next node, all others to the one at `right`.
    Split { value: SplitValue, threshold: f64, right: usize },
    /// The mean of the targets.
    Leaf(f64),
}

/// What a split compares: a feature, or the weighted sum of two.
#[derive(Clone, Copy)]
struct SplitValue {
    first: usize,
    /// The second feature and its weight, 1 or -1.
    second: Option<(usize, f64)>,
}

impl SplitValue {
    /// Returns a random value of rows with a number of features.
    fn random(features: usize, random: &mut Random) -> Self {
        let first = random.below(features);
        let weight = if random.once_in(2) { 1.0 } else { -1.0 };
        let second = random.once_in(PAIR_SHARE).then(|| (random.below(features), weight));
        Self { first, second }
    }

    /// Returns the value of a row.
    fn of(self, row: &[f64]) -> f64 {
        let feature = |index: usize| row.get(index).copied().unwrap_or_default();
        feature(self.first) + self.second.map_or(0.0, |(index, weight)| weight * feature(index))
    }
}

/// The expected value of a function at a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Expected {
    /// The mean.
    pub(super) mean: f64,
    /// The standard deviation.
    pub(super) deviation: f64,
}

/// A row with its target.
#[derive(Clone, Copy)]
pub(super) struct Example<'a> {
    /// The features.
    pub(super) row: &'a [f64],
    /// The value of the function.
    pub(super) target: f64,
}

impl Forest {
    /// Learns a model from rows of equal length.
    pub(super) fn learn(mut examples: Vec<Example<'_>>, random: &mut Random) -> Self {
        let mut grower = Grower { random, values: vec![], tree: vec![] };
        let trees = (0..TREES).map(|_| {
            grower.grow(&mut examples);
            std::mem::take(&mut grower.tree)
        });
        Self { trees: trees.collect() }
    }

    /// Returns the expected value at a row.
    pub(super) fn expect(&self, row: &[f64]) -> Expected {
        let values = self.trees.iter().map(|tree| value(tree, row));
        let (sum, squares) = values.fold((0.0, 0.0), |(sum, squares), value| (sum + value, squares + value * value));
        let count = self.trees.len().max(1) as f64;
        let mean = sum / count;
        Expected { mean, deviation: (squares / count - mean * mean).max(0.0).sqrt() }
    }
}

/// Returns the value of a tree at a row.
fn value(tree: &[TreeNode], row: &[f64]) -> f64 {
    let mut at = 0;
    loop {
        match tree.get(at) {
            Some(TreeNode::Split { value, threshold, right }) => {
                at = if value.of(row) < *threshold { at + 1 } else { *right };
            }
            Some(TreeNode::Leaf(mean)) => return *mean,
            None => return 0.0,
        }
    }
}

/// A tree while it grows.
struct Grower<'a> {
    random: &'a mut Random,
    /// The values that a split compares, by row.
    values: Vec<f64>,
    tree: Vec<TreeNode>,
}

impl Grower<'_> {
    /// Adds the nodes for rows.
    fn grow(&mut self, examples: &mut [Example<'_>]) {
        let targets = || examples.iter().map(|example| example.target);
        let (sum, squares) = targets().fold((0.0, 0.0), |(sum, squares), one| (sum + one, squares + one * one));
        let mean = sum / examples.len().max(1) as f64;
        let best = match squares - sum * mean > ALIKE * squares {
            true => self.best_split(examples, sum),
            false => None,
        };
        let at = self.tree.len();
        self.tree.push(TreeNode::Leaf(mean));
        let Some((value, threshold)) = best else {
            return;
        };
        let middle = partition(examples, |row| value.of(row) < threshold);
        let (left, right) = examples.split_at_mut(middle);
        self.grow(left);
        let next = self.tree.len();
        if let Some(node) = self.tree.get_mut(at) {
            *node = TreeNode::Split { value, threshold, right: next };
        }
        self.grow(right);
    }

    /// Returns the best of random splits of rows, as many as there are features: that with the least sum of squared
    /// deviations on both sides. `None` if none divides the rows.
    fn best_split(&mut self, examples: &[Example<'_>], sum: f64) -> Option<(SplitValue, f64)> {
        let features = examples.first()?.row.len();
        let (mut best, mut best_gain) = (None, 0.0);
        for _ in 0..features {
            let value = SplitValue::random(features, self.random);
            self.values.clear();
            self.values.extend(examples.iter().map(|example| value.of(example.row)));
            let low = self.values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let threshold = low + (high - low) * fraction(self.random);
            let (mut left, mut count) = (0.0, 0.0);
            for (value, example) in self.values.iter().zip(examples) {
                if *value < threshold {
                    (left, count) = (left + example.target, count + 1.0);
                }
            }
            let others = examples.len() as f64 - count;
            if count == 0.0 || others == 0.0 {
                continue;
            }
            let gain = left * left / count + (sum - left).powi(2) / others - sum * sum / (count + others);
            if gain > best_gain {
                (best, best_gain) = (Some((value, threshold)), gain);
            }
        }
        best
    }
}

/// Moves the rows that satisfy a condition to the front, and returns their number.
fn partition(examples: &mut [Example<'_>], is_left: impl Fn(&[f64]) -> bool) -> usize {
    let mut left = 0;
    for at in 0..examples.len() {
        if examples.get(at).is_some_and(|example| is_left(example.row)) {
            examples.swap(at, left);
            left += 1;
        }
    }
    left
}
