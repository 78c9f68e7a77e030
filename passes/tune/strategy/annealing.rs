//! Simulated annealing: a random change of the current point, which is accepted if it is faster, and if it is slower the
//! less likely the slower it is and the longer the search lasts.
//!
//! ```text
//! point, 2 s ──▶ neighbor, 3 s ──▶ accepted with a probability of exp(-ln(3 / 2) / temperature)
//! ```
//!
//! The temperature falls from the spread of the logarithms of the observed times. When it is low, or when no unknown
//! point was found near the current one, the search restarts: from the best point, or from a random one.
use super::{
    local,
    technique::{Technique, View},
};
use crate::{schedule::random::Random, tune::landscape::Landscape};
use std::hash::Hash;

/// The first temperature, in standard deviations of the logarithms of the observed times.
const FIRST_TEMPERATURE: f64 = 0.5;
/// The ratio of the temperatures after and before an observation.
const COOLING: f64 = 0.93;
/// The temperature at which a search restarts, as a fraction of the first one.
const LAST_TEMPERATURE: f64 = 0.02;
/// Maximum number of changes through known points before a search restarts.
const MAX_KNOWN: usize = 64;

/// The state of an annealing.
pub(super) struct Annealing<Point> {
    /// The current point and its time in seconds; `None` before a restart.
    current: Option<(Point, f64)>,
    /// The temperature as a fraction of the first one.
    temperature: f64,
}

impl<Point> Default for Annealing<Point> {
    fn default() -> Self {
        Self { current: None, temperature: 1.0 }
    }
}

impl<Point: Clone + Eq + Hash> Annealing<Point> {
    /// Moves to a point if it is accepted.
    fn visit<L: Landscape<Point = Point>>(&mut self, view: View<'_, L>, point: &Point, random: &mut Random) {
        let Some(seconds) = view.record.seconds(point) else {
            return;
        };
        let accepts = self.current.as_ref().is_none_or(|(_, current)| {
            let temperature = FIRST_TEMPERATURE * self.temperature * spread(view);
            let probability = ((current / seconds).ln() / temperature.max(f64::MIN_POSITIVE)).exp();
            (random.next() as f64) < probability * u64::MAX as f64
        });
        if accepts {
            self.current = Some((point.clone(), seconds));
        }
    }
}

impl<L: Landscape> Technique<L> for Annealing<L::Point> {
    fn suggest(&mut self, view: View<'_, L>, random: &mut Random) -> Option<L::Point> {
        if view.record.measured() == 0 {
            return view.unknown_start();
        }
        if self.temperature < LAST_TEMPERATURE {
            (self.current, self.temperature) = (None, 1.0);
            if random.once_in(2) {
                return view.unknown(random);
            }
        }
        if self.current.is_none() {
            self.current = view.record.best().next().map(|(point, seconds)| (point.clone(), seconds));
        }
        for _ in 0..MAX_KNOWN {
            let (current, _) = self.current.as_ref()?;
            let point = local::change(view, current, random)?;
            if !view.record.knows(&point) {
                return Some(point);
            }
            self.visit(view, &point, random);
        }
        (self.current, self.temperature) = (None, 1.0);
        None
    }

    fn learn(&mut self, view: View<'_, L>, point: &L::Point, random: &mut Random) {
        self.temperature *= COOLING;
        self.visit(view, point, random);
    }
}

/// The standard deviation of the logarithms of the observed times.
fn spread<L: Landscape>(view: View<'_, L>) -> f64 {
    let count = view.record.measured().max(1) as f64;
    let logarithms = || view.record.best().map(|(_, seconds)| seconds.ln());
    let mean = logarithms().sum::<f64>() / count;
    (logarithms().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
}
