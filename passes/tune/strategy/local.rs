//! Local search: the neighbors of the best point in random order, of a better one as soon as it is found; where no
//! change pays, two or three changes at once, and after some attempts a random point.
//!
//! ```text
//! point ──▶ neighbors ──▶ a better one ──▶ neighbors ──▶ .. ──▶ no better one ──▶ other point ──▶ ..
//! ```
use super::technique::{Technique, View};
use crate::{schedule::random::Random, tune::landscape::Landscape};

/// Number of local optima without a new best point before a search restarts from a random point.
const MAX_FAILED_CLIMBS: usize = 8;
/// Largest number of changes that lead from a local optimum to the next start.
const MAX_CHANGES: usize = 3;
/// Attempts to find an unknown point some changes away.
const ATTEMPTS: usize = 32;

/// The state of a local search.
pub(super) struct Local<Point> {
    /// The point whose neighbors are examined, and its time in seconds.
    current: Option<(Point, f64)>,
    /// Its neighbors that were not suggested, in reverse order.
    neighbors: Vec<Point>,
    /// Number of climbs since the best point changed.
    failed: usize,
}

impl<Point> Default for Local<Point> {
    fn default() -> Self {
        Self { current: None, neighbors: vec![], failed: 0 }
    }
}

impl<L: Landscape> Technique<L> for Local<L::Point> {
    fn suggest(&mut self, view: View<'_, L>, random: &mut Random) -> Option<L::Point> {
        if view.record.measured() == 0 {
            return view.unknown_start();
        }
        while let Some(point) = self.neighbors.pop() {
            if !view.record.knows(&point) {
                return Some(point);
            }
        }
        self.failed += 1;
        if self.failed > MAX_FAILED_CLIMBS {
            (self.failed, self.current) = (0, None);
            return view.unknown(random);
        }
        let (best, _) = view.record.best().next()?;
        let point = walk(view, best, random)?;
        self.current = None;
        Some(point)
    }

    fn learn(&mut self, view: View<'_, L>, point: &L::Point, random: &mut Random) {
        let Some(seconds) = view.record.seconds(point) else {
            return;
        };
        if self.current.as_ref().is_some_and(|(_, current)| *current <= seconds) {
            return;
        }
        if view.record.best().next().is_some_and(|(best, _)| best == point) {
            self.failed = 0;
        }
        self.current = Some((point.clone(), seconds));
        self.neighbors = view.landscape.neighbors(point);
        random.shuffle(&mut self.neighbors);
    }
}

/// Returns an unknown point a few changes away from a point; `None` if none was found.
fn walk<L: Landscape>(view: View<'_, L>, from: &L::Point, random: &mut Random) -> Option<L::Point> {
    (0..ATTEMPTS).find_map(|_| {
        let changes = 2 + random.below(MAX_CHANGES - 1);
        let point = (0..changes).try_fold(from.clone(), |point, _| change(view, &point, random))?;
        (!view.record.knows(&point)).then_some(point)
    })
}

/// Returns a random neighbor of a point; `None` if it has none.
pub(super) fn change<L: Landscape>(view: View<'_, L>, point: &L::Point, random: &mut Random) -> Option<L::Point> {
    let mut neighbors = view.landscape.neighbors(point);
    (!neighbors.is_empty()).then(|| neighbors.swap_remove(random.below(neighbors.len())))
}
