//! The learned model: proposes the point with the greatest expected improvement by a model of the speeds that were
//! measured so far.
//!
//! ```text
//! measured speeds, prediction of the cost model ──▶ forest ──▶ expected improvement of each candidate ──▶ the greatest
//! ```
//!
//! A speed is the inverse of a time: differences of slow points, which do not matter, are small.
//! The first points cover the space, from its middle, or are the best predicted ones. After that every other proposal
//! is a neighbor of the best point as long as it has unknown ones: the model alone misses details that a local search
//! finds. A second forest learns where candidates fail.
use super::{
    forest::{Example, Expected, Forest},
    pool::Pool,
    technique::{Failure, Technique, View},
};
use crate::{schedule::random::Random, tune::landscape::Landscape};
use std::collections::HashSet;

/// Number of points that are proposed before the first model is learned.
const FIRST_POINTS: usize = 8;
/// Number of candidates of which the one farthest from all known points is proposed first.
const COVERING_CHOICES: usize = 20;
/// The growth of the number of outcomes after which the model is learned again.
const GROWTH: f64 = 1.04;
/// One proposal out of this many is a neighbor of the best point.
const LOCAL_SHARE: usize = 2;
/// Least deviation of an expected speed, in standard deviations of all speeds: no candidate is certain.
const MIN_DEVIATION: f64 = 0.2;
/// Least probability that a candidate does not fail.
const MIN_SUCCESS: f64 = 0.02;

/// The learned model and its candidates.
pub(super) struct Learned<Point> {
    pool: Pool<Point>,
    models: Option<Models>,
    /// The best point, and its neighbors.
    best: Option<(Point, HashSet<Point>)>,
}

impl<Point> Default for Learned<Point> {
    fn default() -> Self {
        Self { pool: Pool::default(), models: None, best: None }
    }
}

/// What is learned from the outcomes.
struct Models {
    /// The speed, as a part of the best one.
    speeds: Forest,
    /// The probability that a point has a time; `None` if none has failed.
    success: Option<Forest>,
    /// The least deviation of a speed.
    min_deviation: f64,
    /// Number of outcomes.
    outcomes: usize,
}

impl Models {
    /// Learns from all outcomes; `None` without a time.
    fn learn<L: Landscape>(view: View<'_, L>, pool: &Pool<L::Point>, random: &mut Random) -> Option<Self> {
        let (_, best) = view.record.best().next()?;
        let (mut speeds, mut success) = (vec![], vec![]);
        for entry in view.record.entries() {
            let row = pool.features(&entry.point);
            let seconds = match entry.outcome {
                Some(Ok(seconds) | Err(Failure::Slow(seconds))) => Some(seconds),
                Some(Err(Failure::Invalid)) => None,
                None => continue,
            };
            speeds.extend(seconds.map(|seconds| Example { row, target: (best / seconds).min(1.0) }));
            success.push(Example { row, target: f64::from(u8::from(seconds.is_some())) });
        }
        let count = speeds.len() as f64;
        let mean = speeds.iter().map(|example| example.target).sum::<f64>() / count;
        let variance = speeds.iter().map(|example| (example.target - mean).powi(2)).sum::<f64>() / count;
        let (outcomes, has_failed) = (success.len(), success.len() > speeds.len());
        Some(Self {
            speeds: Forest::learn(speeds, random),
            success: has_failed.then(|| Forest::learn(success, random)),
            min_deviation: MIN_DEVIATION * variance.sqrt(),
            outcomes,
        })
    }

    /// Returns what a candidate promises: its expected improvement, if it does not fail.
    fn score(&self, features: &[f64]) -> f64 {
        let expected = self.speeds.expect(features);
        let deviation = expected.deviation.hypot(self.min_deviation);
        let success = self.success.as_ref().map_or(1.0, |forest| forest.expect(features).mean);
        improvement(Expected { deviation, ..expected }) * success.max(MIN_SUCCESS)
    }
}

impl<L: Landscape> Technique<L> for Learned<L::Point> {
    fn suggest(&mut self, view: View<'_, L>, random: &mut Random) -> Option<L::Point> {
        self.pool.renew(view, random);
        if view.record.known() < FIRST_POINTS {
            return self.first(view, random);
        }
        self.learn_models(view, random);
        self.score();
        let near = match random.once_in(LOCAL_SHARE) {
            true => self.greatest(|point| self.best.as_ref().is_some_and(|(_, near)| near.contains(point))),
            false => None,
        };
        near.or_else(|| self.greatest(|_| true))
    }

    fn learn(&mut self, view: View<'_, L>, point: &L::Point, _: &mut Random) {
        if view.record.best().next().is_some_and(|(best, _)| best == point) {
            self.best = Some((point.clone(), view.landscape.neighbors(point).into_iter().collect()));
        }
    }
}

impl<Point: Clone + Eq + std::hash::Hash> Learned<Point> {
    /// Returns one of the first points: a start, or a point far from all known ones, at first one in the middle.
    fn first<L: Landscape<Point = Point>>(&mut self, view: View<'_, L>, random: &mut Random) -> Option<Point> {
        if let Some(start) = view.unknown_start() {
            return Some(start);
        }
        self.pool.describe(view);
        let candidates = &self.pool.candidates;
        let ranges = ranges(candidates.iter().map(|candidate| &candidate.features));
        let middle: Vec<_> = ranges.iter().map(|(low, high)| 0.5 * (low + high)).collect();
        let known: Vec<_> = view.record.points().map(|point| self.pool.features(point)).collect();
        let score = |features: &[f64]| match known[..] {
            [] => -distance(features, &middle, &ranges),
            _ => known.iter().map(|other| distance(features, other, &ranges)).fold(f64::INFINITY, f64::min),
        };
        let choices = (0..COVERING_CHOICES).filter_map(|_| candidates.get(random.below(candidates.len())));
        let scored = choices.map(|candidate| (score(&candidate.features), candidate));
        let farthest = scored.max_by(|(a, _), (b, _)| a.total_cmp(b));
        farthest.map(|(_, candidate)| candidate.point.clone())
    }

    /// Learns the models if there are enough new outcomes.
    fn learn_models<L: Landscape<Point = Point>>(&mut self, view: View<'_, L>, random: &mut Random) {
        let outcomes = view.record.entries().iter().filter(|entry| entry.outcome.is_some()).count();
        let is_new = |models: &Models| outcomes as f64 >= models.outcomes as f64 * GROWTH && outcomes > models.outcomes;
        if self.models.as_ref().is_none_or(is_new) {
            self.pool.describe(view);
            self.models = Models::learn(view, &self.pool, random);
            self.pool.candidates.iter_mut().for_each(|candidate| candidate.score = None);
        }
    }

    /// Determines what candidates promise.
    fn score(&mut self) {
        let Some(models) = &self.models else {
            return;
        };
        for candidate in &mut self.pool.candidates {
            candidate.score.get_or_insert_with(|| models.score(&candidate.features));
        }
    }

    /// Returns the candidate that promises most of those that satisfy a condition; of equals the first one.
    fn greatest(&self, is_allowed: impl Fn(&Point) -> bool) -> Option<Point> {
        let mut best: Option<(f64, &Point)> = None;
        for candidate in self.pool.candidates.iter().filter(|candidate| is_allowed(&candidate.point)) {
            let score = candidate.score?;
            if best.is_none_or(|(greatest, _)| score > greatest) {
                best = Some((score, &candidate.point));
            }
        }
        best.map(|(_, point)| point.clone())
    }
}

/// Returns the least and the greatest value of each feature.
fn ranges<'a>(mut rows: impl Iterator<Item = &'a Vec<f64>>) -> Vec<(f64, f64)> {
    let first = rows.next().into_iter().flatten();
    let mut ranges: Vec<_> = first.map(|value| (*value, *value)).collect();
    for row in rows {
        for ((low, high), value) in ranges.iter_mut().zip(row) {
            (*low, *high) = (low.min(*value), high.max(*value));
        }
    }
    ranges
}

/// Returns the squared distance of two rows, each feature in proportion to its range.
fn distance(a: &[f64], b: &[f64], ranges: &[(f64, f64)]) -> f64 {
    let differences = a.iter().zip(b).zip(ranges).filter(|(_, (low, high))| high > low);
    differences.map(|((a, b), (low, high))| ((a - b) / (high - low)).powi(2)).sum()
}

/// Returns the expected improvement of a normally distributed speed above the best one, which is 1.
fn improvement(expected: Expected) -> f64 {
    let deviation = expected.deviation.max(f64::MIN_POSITIVE);
    let z = (expected.mean - 1.0) / deviation;
    let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    (deviation * (z * probability_below(z) + density)).max(0.0)
}

/// Returns the probability that a standard normal variable is below a number, with an error below 1e-7 (M. Abramowitz
/// and I. Stegun, "Handbook of Mathematical Functions", 26.2.17).
fn probability_below(z: f64) -> f64 {
    const COEFFICIENTS: [f64; 5] = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.319381530];
    let t = 1.0 / (1.0 + 0.2316419 * z.abs());
    let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let above = density * COEFFICIENTS.iter().fold(0.0, |sum, coefficient| (sum + coefficient) * t);
    if z > 0.0 { 1.0 - above } else { above }
}
