//! What a search strategy of the tuner knows about a search space: points, their neighbors, and what is known of a
//! point before it is measured.
//!
//! ```text
//! starts ──▶ point ──▶ neighbors ──▶ ..        point ──▶ predicted time, features
//! random ──▶ point
//! ```
use crate::schedule::random::Random;
use std::hash::Hash;

/// A search space, as strategies see it.
///
/// All methods are deterministic: the same point always has the same neighbors in the same order, and the same numbers.
pub trait Landscape: Sync {
    /// A point: all choices that determine a candidate. Equal points are the same candidate.
    type Point: Clone + Eq + Hash + Send + Sync;

    /// Returns promising points, best predicted first. The list may be empty.
    fn starts(&self) -> Vec<Self::Point>;

    /// Returns a random point: uniform, or at least such that every point is possible. `None` if the space is empty.
    fn random(&self, random: &mut Random) -> Option<Self::Point>;

    /// Returns the points that differ from a point by one change.
    fn neighbors(&self, point: &Self::Point) -> Vec<Self::Point>;

    /// Returns the time in seconds that a cost model predicts; `None` without a model.
    fn predicted(&self, point: &Self::Point) -> Option<f64>;

    /// Returns the numbers that describe a point for a learned model, always as many. Sizes and counts are best given as
    /// logarithms, because their products and ratios matter, and categories as one number 0 or 1 each.
    fn features(&self, point: &Self::Point) -> Vec<f64>;
}
