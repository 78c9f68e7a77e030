//! The order of the cost model: the best predicted of the starts and of the neighbors of what is known to be good.
//!
//! ```text
//! starts ─┐
//!         ├─▶ the least of predicted · correction ──▶ measured ──▶ neighbors, with the correction of the point
//! neighbors of the best ─┘
//! ```
//!
//! The correction of a point is the ratio of the measured and the predicted time of the point that it is a neighbor of,
//! because the model errs alike on similar points. Without a model, the starts come first, in their order, and then the
//! neighbors of the best points.
use super::technique::{Technique, View};
use crate::{schedule::random::Random, tune::landscape::Landscape};
use std::collections::HashSet;

/// Number of the best measured points whose neighbors are candidates.
const EXPANDED: usize = 4;
/// Number of best predicted points whose neighbors are candidates although they are not measured.
const EXPANDED_STARTS: usize = 8;
/// One proposal out of this many is a random point, in case that the model misses the good ones.
const RANDOM_SHARE: usize = 16;

/// A point that may be proposed, with its expected time in seconds.
struct PricedPoint<Point> {
    point: Point,
    seconds: f64,
}

/// The candidates of the strategy.
pub(super) struct Model<Point> {
    candidates: Vec<PricedPoint<Point>>,
    expanded: HashSet<Point>,
    is_started: bool,
}

impl<Point> Default for Model<Point> {
    fn default() -> Self {
        Self { candidates: vec![], expanded: HashSet::new(), is_started: false }
    }
}

impl<L: Landscape> Technique<L> for Model<L::Point> {
    fn suggest(&mut self, view: View<'_, L>, random: &mut Random) -> Option<L::Point> {
        if !self.is_started {
            self.is_started = true;
            view.starts.iter().for_each(|start| self.add(view, start.clone(), 1.0));
            view.starts.iter().take(EXPANDED_STARTS).for_each(|start| self.expand(view, start));
        }
        let best: Vec<_> = view.record.best().take(EXPANDED).map(|(point, _)| point.clone()).collect();
        best.iter().for_each(|point| self.expand(view, point));
        self.candidates.retain(|candidate| !view.record.knows(&candidate.point));
        if random.once_in(RANDOM_SHARE) {
            return view.unknown(random);
        }
        // Of equals the first one.
        let order =
            |(_, a): &(usize, &PricedPoint<_>), (_, b): &(usize, &PricedPoint<_>)| a.seconds.total_cmp(&b.seconds);
        let (position, _) = self.candidates.iter().enumerate().min_by(order)?;
        Some(self.candidates.remove(position).point)
    }

    fn learn(&mut self, _: View<'_, L>, _: &L::Point, _: &mut Random) {}
}

impl<Point: Clone + Eq + std::hash::Hash> Model<Point> {
    /// Adds the neighbors of a point.
    fn expand<L: Landscape<Point = Point>>(&mut self, view: View<'_, L>, point: &Point) {
        if !self.expanded.insert(point.clone()) {
            return;
        }
        let measured = view.record.seconds(point);
        let correction = match (measured, view.landscape.predicted(point)) {
            (Some(measured), Some(predicted)) => measured / predicted,
            (Some(measured), None) => measured,
            (None, _) => 1.0,
        };
        for neighbor in view.landscape.neighbors(point) {
            self.add(view, neighbor, correction);
        }
    }

    /// Adds a point.
    fn add<L: Landscape<Point = Point>>(&mut self, view: View<'_, L>, point: Point, correction: f64) {
        let seconds = correction * view.landscape.predicted(&point).unwrap_or(1.0);
        self.candidates.push(PricedPoint { point, seconds });
    }
}
