//! A bandit over several techniques: each is used the more often the more often it found a new best point, lately even
//! more so, and the less it was used so far. All of them learn every outcome.
//!
//! ```text
//! learned: . . best . best     score 0.8 + bonus of few uses ──▶ suggests next
//! local:   best . . . .        score 0.1 + bonus
//! ```
//!
//! The score is the area under the curve of improvements (D. DaCosta et al., "Adaptive operator selection with dynamic
//! multi-armed bandits"), as in OpenTuner and ATF.
use super::{
    technique::{Technique, View},
    technique_named,
};
use crate::{schedule::random::Random, tune::landscape::Landscape};

/// The techniques, by the names of their strategies.
const ARMS: [&str; 4] = ["learned", "model", "local", "annealing"];
/// Number of outcomes that count.
const WINDOW: usize = 100;
/// Weight of the bonus of techniques that were used little.
const EXPLORATION: f64 = 0.05;

/// The techniques with their success.
pub(super) struct Bandit<'a, L: Landscape> {
    arms: Vec<Box<dyn Technique<L> + 'a>>,
    /// The outstanding suggestions, with the positions of their techniques.
    pending: Vec<(L::Point, usize)>,
    /// The technique of each outcome, and true if it was the best one so far; the latest at the end.
    history: Vec<(usize, bool)>,
}

impl<'a, L: Landscape + 'a> Default for Bandit<'a, L> {
    fn default() -> Self {
        Self { arms: ARMS.into_iter().filter_map(technique_named).collect(), pending: vec![], history: vec![] }
    }
}

impl<L: Landscape> Bandit<'_, L> {
    /// Returns the positions of the techniques, the one to use first.
    fn order(&self) -> Vec<usize> {
        let mut scores: Vec<_> = (0..self.arms.len()).map(|arm| (self.score(arm), arm)).collect();
        scores.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        scores.into_iter().map(|(_, arm)| arm).collect()
    }

    /// Returns the area under the curve of improvements of a technique, with the bonus of few uses.
    fn score(&self, arm: usize) -> f64 {
        let own = self.history.iter().filter(|(other, _)| *other == arm);
        let outstanding = self.pending.iter().filter(|(_, other)| *other == arm).count();
        let (uses, area) = own.fold((0.0, 0.0), |(uses, area), (_, is_best)| {
            let uses: f64 = uses + 1.0;
            (uses, area + if *is_best { uses } else { 0.0 })
        });
        let uses_with_outstanding = uses + outstanding as f64;
        if uses_with_outstanding < 1.0 {
            return f64::INFINITY;
        }
        let all = (self.history.len() + self.pending.len()).max(2) as f64;
        2.0 * area / (uses * (uses + 1.0)).max(1.0) + EXPLORATION * (2.0 * all.log2() / uses_with_outstanding).sqrt()
    }
}

impl<L: Landscape> Technique<L> for Bandit<'_, L> {
    fn suggest(&mut self, view: View<'_, L>, random: &mut Random) -> Option<L::Point> {
        for arm in self.order() {
            let suggested = self.arms.get_mut(arm).and_then(|technique| technique.suggest(view, random));
            if let Some(point) = suggested.filter(|point| !view.record.knows(point)) {
                self.pending.push((point.clone(), arm));
                return Some(point);
            }
        }
        None
    }

    fn learn(&mut self, view: View<'_, L>, point: &L::Point, random: &mut Random) {
        for arm in &mut self.arms {
            arm.learn(view, point, random);
        }
        if let Some(position) = self.pending.iter().position(|(other, _)| other == point) {
            let (_, arm) = self.pending.swap_remove(position);
            let is_best = view.record.best().next().is_some_and(|(best, _)| best == point);
            self.history.push((arm, is_best));
            if self.history.len() > WINDOW {
                self.history.remove(0);
            }
        }
    }
}
