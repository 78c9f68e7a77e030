//! The candidates of the learned model: starts, random points, and the neighbors of the best points.
//!
//! ```text
//! starts, random points ─┐
//!                        ├─▶ pool: points that are not known, with their features
//! neighbors of the best ─┘
//! ```
//!
//! Of a point with many neighbors a sample is added, and another one after the pool has shrunk.
use super::technique::View;
use crate::{schedule::random::Random, tune::landscape::Landscape};
use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
};

/// Number of random points at the start.
const FIRST_POINTS: usize = 600;
/// Number of random points that are added for each proposal.
const MORE_POINTS: usize = 4;
/// Number of candidates above which the ones that promise least are removed.
const MAX_POINTS: usize = 2000;
/// Number of best points whose neighbors are candidates.
const EXPANDED: usize = 4;
/// Number of neighbors of a point that are added at most, a random sample of more: describing candidates takes longer
/// than selecting one.
const MAX_NEIGHBORS: usize = 128;

/// A point that may be proposed.
pub(super) struct PooledPoint<Point> {
    /// The point.
    pub(super) point: Point,
    /// Its features.
    pub(super) features: Vec<f64>,
    /// What it promises, more than others if greater; `None` if that is not known yet.
    pub(super) score: Option<f64>,
}

/// The candidates.
pub(super) struct Pool<Point> {
    /// The candidates, all different and unknown.
    pub(super) candidates: Vec<PooledPoint<Point>>,
    inside: HashSet<Point>,
    expanded: HashSet<Point>,
    /// The features of known points.
    known: HashMap<Point, Vec<f64>>,
    is_started: bool,
}

impl<Point> Default for Pool<Point> {
    fn default() -> Self {
        let (candidates, known) = (vec![], HashMap::new());
        Self { candidates, inside: HashSet::new(), expanded: HashSet::new(), known, is_started: false }
    }
}

impl<Point: Clone + Eq + Hash> Pool<Point> {
    /// Adds new candidates, and removes those that became known.
    pub(super) fn renew<L: Landscape<Point = Point>>(&mut self, view: View<'_, L>, random: &mut Random) {
        if !self.is_started {
            view.starts.iter().for_each(|point| self.add(view, point.clone()));
        }
        let count = if self.is_started { MORE_POINTS } else { FIRST_POINTS };
        self.is_started = true;
        let points: Vec<_> = (0..count).map_while(|_| view.landscape.random(random)).collect();
        points.into_iter().for_each(|point| self.add(view, point));
        for (point, _) in view.record.best().take(EXPANDED) {
            if self.expanded.insert(point.clone()) {
                self.new_neighbors(view, point, random).into_iter().for_each(|neighbor| self.add(view, neighbor));
            }
        }
        let (inside, known) = (&mut self.inside, &mut self.known);
        self.candidates.retain_mut(|candidate| {
            let is_known = view.record.knows(&candidate.point);
            if is_known {
                inside.remove(&candidate.point);
                known.insert(candidate.point.clone(), std::mem::take(&mut candidate.features));
            }
            !is_known
        });
        if self.candidates.len() > MAX_POINTS {
            self.shrink();
        }
    }

    /// Returns neighbors of a point that are neither known nor candidates.
    fn new_neighbors<L: Landscape<Point = Point>>(
        &self,
        view: View<'_, L>,
        point: &Point,
        random: &mut Random,
    ) -> Vec<Point> {
        let mut neighbors = view.landscape.neighbors(point);
        neighbors.retain(|neighbor| !view.record.knows(neighbor) && !self.inside.contains(neighbor));
        if neighbors.len() > MAX_NEIGHBORS {
            random.shuffle(&mut neighbors);
            neighbors.truncate(MAX_NEIGHBORS);
        }
        neighbors
    }

    /// Removes the half that promises least, unless they are new.
    fn shrink(&mut self) {
        let score = |candidate: &PooledPoint<Point>| candidate.score.unwrap_or(f64::INFINITY);
        self.candidates.sort_by(|a, b| score(b).total_cmp(&score(a)));
        for candidate in self.candidates.drain(MAX_POINTS / 2..) {
            self.inside.remove(&candidate.point);
        }
        // Other neighbors of the best points become candidates, and those that were removed.
        self.expanded.clear();
    }

    /// Adds a point, unless it is known or a candidate.
    fn add<L: Landscape<Point = Point>>(&mut self, view: View<'_, L>, point: Point) {
        if !view.record.knows(&point) && self.inside.insert(point.clone()) {
            let features = features(view, &point);
            self.candidates.push(PooledPoint { point, features, score: None });
        }
    }

    /// Computes the features of known points that were no candidates.
    pub(super) fn describe<L: Landscape<Point = Point>>(&mut self, view: View<'_, L>) {
        for point in view.record.points() {
            if !self.known.contains_key(point) {
                self.known.insert(point.clone(), features(view, point));
            }
        }
    }

    /// Returns the features of a known point that was described.
    pub(super) fn features(&self, point: &Point) -> &[f64] {
        self.known.get(point).map_or(&[], Vec::as_slice)
    }
}

/// Returns the features of a point, with the logarithm of its predicted time if there is a cost model.
fn features<L: Landscape>(view: View<'_, L>, point: &L::Point) -> Vec<f64> {
    let mut features = view.landscape.features(point);
    features.extend(view.landscape.predicted(point).map(|seconds| seconds.max(f64::MIN_POSITIVE).ln()));
    features
}
