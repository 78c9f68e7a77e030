//! The search strategies of the tuner: which point to measure next.
//!
//! ```text
//! propose ──▶ point ──▶ compiled and measured ──▶ observe ──▶ propose ──▶ ..
//! ```
//!
//! Several proposals may be outstanding, because candidates are compiled ahead. All strategies share the bookkeeping of
//! a record; a technique only says where to look next. The same seed and the same observations give the same
//! proposals.
mod annealing;
mod bandit;
mod forest;
mod learned;
mod local;
mod model;
mod pool;
mod record;
mod technique;
#[cfg(test)]
mod tests;

use super::landscape::Landscape;
use crate::schedule::random::Random;
use record::Record;
use technique::{Technique, View};

pub use technique::{Failure, Outcome};

/// A search strategy.
pub trait SearchStrategy<Point>: Send {
    /// Returns the next point to measure, which was neither proposed nor observed before. `None` if no such point was
    /// found: the space is exhausted. Outstanding proposals may be any number.
    fn propose(&mut self) -> Option<Point>;

    /// Records the outcome of a point, in any order. The point need not have been proposed: outcomes of a database may
    /// be recorded first. A later outcome of the same point replaces the earlier one.
    fn observe(&mut self, point: &Point, outcome: Outcome);
}

/// A kind of strategy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrategyKind {
    /// The name, as in `--strategy`.
    pub name: &'static str,
    /// What it does, on one line.
    pub description: &'static str,
}

/// All strategies.
pub const STRATEGIES: &[StrategyKind] = &[
    StrategyKind {
        name: "learned",
        description: "the greatest expected improvement by a model that is learned from the measured points",
    },
    StrategyKind { name: "model", description: "the order of the cost model, corrected by the measured points" },
    StrategyKind { name: "annealing", description: "random changes, of which worse ones are accepted less and less" },
    StrategyKind { name: "local", description: "changes of the best point, and of random ones where no change pays" },
    StrategyKind { name: "bandit", description: "the other strategies in turns, the more often the more they found" },
    StrategyKind { name: "random", description: "random points" },
];

/// The name of the strategy that needs the fewest measurements in general.
pub const DEFAULT_STRATEGY: &str = "learned";

/// Creates a strategy by name; `None` if there is none of that name.
pub fn strategy<'a, L: Landscape>(
    name: &str,
    landscape: &'a L,
    seed: u64,
) -> Option<Box<dyn SearchStrategy<L::Point> + 'a>> {
    let technique = technique_named(name)?;
    let starts = landscape.starts();
    Some(Box::new(Search { landscape, starts, technique, record: Record::default(), random: Random::new(seed) }))
}

/// Creates a technique by the name of its strategy.
fn technique_named<'a, L: Landscape + 'a>(name: &str) -> Option<Box<dyn Technique<L> + 'a>> {
    Some(match name {
        "annealing" => Box::new(annealing::Annealing::default()),
        "bandit" => Box::new(bandit::Bandit::default()),
        "learned" => Box::new(learned::Learned::default()),
        "local" => Box::new(local::Local::default()),
        "model" => Box::new(model::Model::default()),
        "random" => Box::new(Anywhere),
        _ => return None,
    })
}

/// The technique of random search.
struct Anywhere;

impl<L: Landscape> Technique<L> for Anywhere {
    fn suggest(&mut self, view: View<'_, L>, random: &mut Random) -> Option<L::Point> {
        view.unknown(random)
    }

    fn learn(&mut self, _: View<'_, L>, _: &L::Point, _: &mut Random) {}
}

/// A strategy: a technique with what it knows.
struct Search<'a, L: Landscape> {
    landscape: &'a L,
    starts: Vec<L::Point>,
    technique: Box<dyn Technique<L> + 'a>,
    record: Record<L::Point>,
    random: Random,
}

impl<L: Landscape> Search<'_, L> {
    /// Returns any unknown point: a random one, a start, or a neighbor of a known point.
    fn anything(&mut self) -> Option<L::Point> {
        let view = View { landscape: self.landscape, starts: &self.starts, record: &self.record };
        view.unknown(&mut self.random).or_else(|| view.unknown_start()).or_else(|| {
            let known = self.record.points();
            let mut neighbors = known.flat_map(|point| self.landscape.neighbors(point));
            neighbors.find(|point| !self.record.knows(point))
        })
    }
}

impl<L: Landscape> SearchStrategy<L::Point> for Search<'_, L> {
    fn propose(&mut self) -> Option<L::Point> {
        let view = View { landscape: self.landscape, starts: &self.starts, record: &self.record };
        let suggested = self.technique.suggest(view, &mut self.random);
        let point = suggested.filter(|point| !self.record.knows(point)).or_else(|| self.anything())?;
        self.record.propose(point.clone());
        Some(point)
    }

    fn observe(&mut self, point: &L::Point, outcome: Outcome) {
        self.record.observe(point, outcome);
        let view = View { landscape: self.landscape, starts: &self.starts, record: &self.record };
        self.technique.learn(view, point, &mut self.random);
    }
}
