//! What is known of a search space: the points that were proposed or observed, with their outcomes.
//!
//! ```text
//! propose(a), observe(b, 2 s), observe(a, 1 s) ──▶ known: a, b; best: a, b
//! ```
use super::technique::{Failure, Outcome};
use std::{collections::HashMap, hash::Hash};

/// The known points, in the order in which they became known.
pub(super) struct Record<Point> {
    entries: Vec<Entry<Point>>,
    positions: HashMap<Point, usize>,
    /// The positions of the points with a time, best first.
    ranked: Vec<usize>,
}

/// A known point.
pub(super) struct Entry<Point> {
    /// The point.
    pub(super) point: Point,
    /// Its outcome; `None` as long as it is only proposed.
    pub(super) outcome: Option<Outcome>,
}

impl<Point> Default for Record<Point> {
    fn default() -> Self {
        Self { entries: vec![], positions: HashMap::new(), ranked: vec![] }
    }
}

impl<Point: Clone + Eq + Hash> Record<Point> {
    /// Records a proposal.
    pub(super) fn propose(&mut self, point: Point) {
        self.add(point);
    }

    /// Records an outcome; a time that is not positive and finite is invalid.
    pub(super) fn observe(&mut self, point: &Point, outcome: Outcome) {
        let position = self.add(point.clone());
        let is_time = |seconds: f64| seconds.is_finite() && seconds > 0.0;
        let outcome = match outcome {
            Ok(seconds) if is_time(seconds) => Ok(seconds),
            Err(Failure::Slow(seconds)) if is_time(seconds) => Err(Failure::Slow(seconds)),
            _ => Err(Failure::Invalid),
        };
        if let Some(entry) = self.entries.get_mut(position) {
            entry.outcome = Some(outcome);
        }
        self.ranked.retain(|other| *other != position);
        if let Ok(seconds) = outcome {
            let at = self.ranked.partition_point(|other| self.seconds_at(*other) <= seconds);
            self.ranked.insert(at, position);
        }
    }

    /// Returns the position of a point, which is new if it was unknown.
    fn add(&mut self, point: Point) -> usize {
        let next = self.entries.len();
        let position = *self.positions.entry(point.clone()).or_insert(next);
        if position == next {
            self.entries.push(Entry { point, outcome: None });
        }
        position
    }

    fn seconds_at(&self, position: usize) -> f64 {
        let outcome = self.entries.get(position).and_then(|entry| entry.outcome);
        outcome.and_then(Result::ok).unwrap_or(f64::INFINITY)
    }

    /// Returns true if a point was proposed or observed.
    pub(super) fn knows(&self, point: &Point) -> bool {
        self.positions.contains_key(point)
    }

    /// Returns the number of known points.
    pub(super) fn known(&self) -> usize {
        self.entries.len()
    }

    /// Returns the known points, in order.
    pub(super) fn points(&self) -> impl Iterator<Item = &Point> {
        self.entries.iter().map(|entry| &entry.point)
    }

    /// Returns the known points with their outcomes, in order.
    pub(super) fn entries(&self) -> &[Entry<Point>] {
        &self.entries
    }

    /// Returns the number of points with a time.
    pub(super) fn measured(&self) -> usize {
        self.ranked.len()
    }

    /// Returns the points with a time in seconds, best first; of equals the earlier one.
    pub(super) fn best(&self) -> impl Iterator<Item = (&Point, f64)> {
        let known = self.ranked.iter().filter_map(|position| Some((*position, self.entries.get(*position)?)));
        known.map(|(position, entry)| (&entry.point, self.seconds_at(position)))
    }

    /// Returns the time of a point in seconds; `None` if it has none.
    pub(super) fn seconds(&self, point: &Point) -> Option<f64> {
        self.outcome(point)?.ok()
    }

    /// Returns the outcome of a point; `None` if it was not observed.
    pub(super) fn outcome(&self, point: &Point) -> Option<Outcome> {
        self.entries.get(*self.positions.get(point)?)?.outcome
    }
}
