//! The strategy of both searches for default schedules: a hill climb from the best of many initial choices.
//!
//! ```text
//! starts ──▶ the best of each kind ──▶ changed while it pays ──▶ the best of them ──▶ changed further ──▶ the best
//! ```
//!
//! A [`SearchSpace`] defines the choices, their neighbors and their costs; its [`ClimbLimits`] set how many choices
//! advance from stage to stage. Equal choices, costs and limits give equal results on any number of threads: of equal
//! costs the first one wins.
use super::random::Random;
use rayon::prelude::*;

/// Maximum cost after a change, as a fraction of the cost before it. A smaller gain is not worth a more complex
/// schedule.
const MAX_COST_RATIO: f64 = 0.99;

/// Maximum number of changes that the cost model recommends for choices.
const MAX_IMPROVEMENTS: usize = 12;
/// Maximum number of random changes of choices.
const RANDOM_CHANGES: usize = 8;

/// The costs that a search compares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Total time in seconds.
    pub seconds: f64,
    /// Time of arithmetic and instructions in seconds.
    pub compute: f64,
}

/// The size of a search: the number of choices that are improved, and of changes in each stage.
pub struct ClimbLimits {
    /// The rankings of the initial choices: the best ones of each ranking are changed.
    pub rankings: &'static [fn(&Estimate) -> f64],
    /// Maximum number of choices of one kind that are taken from a ranking.
    pub max_per_kind: usize,
    /// Maximum number of kinds that are taken from a ranking.
    pub max_kinds: usize,
    /// Maximum number of choices that are taken from a ranking in all.
    pub all: usize,
    /// The stages, in order.
    pub stages: &'static [ClimbStage],
}

/// A stage of a climb.
pub struct ClimbStage {
    /// Maximum number of changes of each choice.
    pub rounds: usize,
    /// Number of choices that remain, the best ones.
    pub kept: usize,
    /// The changes of each round.
    pub changes: Changes,
}

/// The changes of choices that a search considers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// Those to [`SearchSpace::neighbors`].
    Neighbors,
    /// Those to [`SearchSpace::refined`].
    All,
}

/// A search space.
pub(crate) trait SearchSpace: Sync {
    /// A point of the space.
    type Choices: Clone + PartialEq + Send + Sync;
    /// A class of choices. Changes lead from one class to another only through worse choices.
    type Kind: PartialEq;

    /// The limits of its search.
    const LIMITS: ClimbLimits;

    /// Returns the initial choices.
    fn starts(&self) -> Vec<Self::Choices>;

    /// Returns the kind of choices.
    fn kind(&self, choices: &Self::Choices) -> Self::Kind;

    /// Returns the cost of choices; `None` if they are impossible. `None` is also allowed if they cost at least `limit`
    /// seconds.
    fn cost(&self, choices: &Self::Choices, limit: Option<f64>) -> Option<Estimate>;

    /// Adds all neighbors: the choices that are one change away.
    fn neighbors(&self, changes: &mut Neighbors<'_, Self::Choices>);

    /// Returns all choices that the last stage of a search considers: the neighbors, and others that are too many for
    /// all stages.
    fn refined(&self, choices: &Self::Choices) -> Vec<Self::Choices> {
        Neighbors::by(choices, |changes| self.neighbors(changes))
    }

    /// Returns all choices that a tuner may measure next: the refined ones, and others that the cost model does not
    /// consider.
    fn around(&self, choices: &Self::Choices) -> Vec<Self::Choices> {
        self.refined(choices)
    }

    /// Returns the predicted time of choices in seconds; `None` if they are impossible.
    fn seconds(&self, choices: &Self::Choices) -> Option<f64> {
        self.cost(choices, None).map(|cost| cost.seconds).filter(|seconds| seconds.is_finite())
    }

    /// Returns choices after the changes that the cost model recommends; `None` if they are impossible.
    fn improved(&self, choices: &Self::Choices) -> Option<Self::Choices>
    where
        Self: Sized,
    {
        let found = Found::new(self.seconds(choices)?, choices.clone());
        Some(improve(self, found, MAX_IMPROVEMENTS, Changes::Neighbors).choices)
    }

    /// Returns choices after some random changes.
    fn random(&self, start: &Self::Choices, random: &mut Random) -> Self::Choices {
        let mut choices = start.clone();
        for _ in 0..random.below(RANDOM_CHANGES + 1) {
            let around = self.around(&choices);
            let Some(changed) = around.get(random.below(around.len())) else { continue };
            if self.seconds(changed).is_some() {
                choices = changed.clone();
            }
        }
        choices
    }
}

/// Choices and their neighbors: the choices that differ from them by one change.
pub(crate) struct Neighbors<'a, Choices> {
    choices: &'a Choices,
    changed: Vec<Choices>,
}

impl<'a, Choices: Clone + PartialEq> Neighbors<'a, Choices> {
    /// Returns the neighbors of choices that a function adds.
    pub(crate) fn by(choices: &'a Choices, add: impl FnOnce(&mut Self)) -> Vec<Choices> {
        let mut changes = Self { choices, changed: vec![] };
        add(&mut changes);
        changes.changed
    }

    /// Returns the unchanged choices.
    pub(crate) fn of(&self) -> &'a Choices {
        self.choices
    }

    /// Adds an edited copy of the choices, unless it equals them.
    pub(crate) fn add(&mut self, edit: impl FnOnce(&mut Choices)) {
        let mut changed = self.choices.clone();
        edit(&mut changed);
        if changed != *self.choices {
            self.changed.push(changed);
        }
    }
}

/// Choices that a search has reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<Choices> {
    /// Their cost in seconds.
    pub seconds: f64,
    /// The choices.
    pub choices: Choices,
    /// The changes none of which pays any more, if known (a local optimum).
    optimum_of: Option<Changes>,
}

impl<Choices> Found<Choices> {
    /// Creates choices with a cost, whose changes have not been examined.
    pub fn new(seconds: f64, choices: Choices) -> Self {
        Self { seconds, choices, optimum_of: None }
    }
}

/// The result of a search.
pub struct Climb<Choices> {
    /// The choices that remain after the last stage, best first.
    pub best: Vec<Found<Choices>>,
    /// All possible initial choices, best first by the last ranking.
    pub starts: Vec<(Estimate, Choices)>,
}

/// Searches a space within its limits.
pub fn search<S: SearchSpace>(space: &S) -> Climb<S::Choices> {
    let starts = space.starts().into_par_iter();
    let mut starts: Vec<_> = starts.filter_map(|choices| Some((space.cost(&choices, None)?, choices))).collect();
    let mut best = vec![];
    for ranking in S::LIMITS.rankings {
        starts.sort_by(|(a, _), (b, _)| ranking(a).total_cmp(&ranking(b)));
        take(space, &starts, &mut best);
    }
    for stage in S::LIMITS.stages {
        best = best.into_par_iter().map(|found| improve(space, found, stage.rounds, stage.changes)).collect();
        best.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        best.dedup_by(|a, b| a.choices == b.choices);
        best.truncate(stage.kept);
    }
    Climb { best, starts }
}

/// Takes the best choices of each kind from a ranking.
fn take<S: SearchSpace>(space: &S, ranking: &[(Estimate, S::Choices)], taken: &mut Vec<Found<S::Choices>>) {
    let ClimbLimits { max_per_kind, max_kinds, all, .. } = S::LIMITS;
    let mut counts: Vec<(S::Kind, usize)> = vec![];
    let mut total = 0;
    for (cost, choices) in ranking {
        let kind = space.kind(choices);
        let position = counts.iter().position(|(known, _)| *known == kind).unwrap_or_else(|| {
            counts.push((kind, 0));
            counts.len() - 1
        });
        let count = &mut counts[position].1;
        if *count == max_per_kind || position >= max_kinds || total == all {
            continue;
        }
        (*count, total) = (*count + 1, total + 1);
        if !taken.iter().any(|known| known.choices == *choices) {
            taken.push(Found::new(cost.seconds, choices.clone()));
        }
    }
}

/// Applies the best change until none pays any more, at most `rounds` times.
pub fn improve<S: SearchSpace>(
    space: &S,
    mut found: Found<S::Choices>,
    rounds: usize,
    changes: Changes,
) -> Found<S::Choices> {
    for _ in 0..rounds {
        if found.optimum_of == Some(Changes::All) || found.optimum_of == Some(changes) {
            break;
        }
        let (mut limit, mut best) = (MAX_COST_RATIO * found.seconds, None);
        let around = match changes {
            Changes::Neighbors => Neighbors::by(&found.choices, |changes| space.neighbors(changes)),
            Changes::All => space.refined(&found.choices),
        };
        for changed in around {
            let cost = space.cost(&changed, Some(limit));
            if let Some(cost) = cost.filter(|cost| cost.seconds < limit) {
                (limit, best) = (cost.seconds, Some(changed));
            }
        }
        match best {
            Some(choices) => found = Found::new(limit, choices),
            None => found.optimum_of = Some(changes),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers, with a cost by number. Changes add or subtract one; the kinds are the lower and the upper half.
    struct Numbers(&'static [f64]);

    impl SearchSpace for Numbers {
        type Choices = usize;
        type Kind = bool;

        const LIMITS: ClimbLimits = ClimbLimits {
            rankings: &[|estimate| estimate.seconds, |estimate| estimate.compute],
            max_per_kind: 1,
            max_kinds: 2,
            all: 2,
            stages: &[
                ClimbStage { rounds: 1, kept: 2, changes: Changes::Neighbors },
                ClimbStage { rounds: 9, kept: 1, changes: Changes::Neighbors },
            ],
        };

        fn starts(&self) -> Vec<usize> {
            (0..self.0.len()).filter(|number| number.is_multiple_of(3)).collect()
        }

        fn kind(&self, number: &usize) -> bool {
            2 * number < self.0.len()
        }

        fn cost(&self, number: &usize, limit: Option<f64>) -> Option<Estimate> {
            let seconds = *self.0.get(*number)?;
            limit.is_none_or(|limit| seconds < limit).then_some(Estimate { seconds, compute: -seconds })
        }

        fn neighbors(&self, changes: &mut Neighbors<'_, usize>) {
            changes.add(|number| *number = number.wrapping_sub(1));
            changes.add(|number| *number += 1);
            changes.add(|number| *number += 0);
        }

        fn refined(&self, number: &usize) -> Vec<usize> {
            Neighbors::by(number, |changes| {
                self.neighbors(changes);
                changes.add(|number| *number = 0);
            })
        }
    }

    #[test]
    fn the_best_of_each_kind_are_improved() {
        let climb = search(&Numbers(&[4.0, 3.0, 5.0, 9.0, 7.0, 6.0, 5.0, 4.5, 2.0, 8.0]));
        assert_eq!(climb.starts.iter().map(|(_, number)| *number).collect::<Vec<_>>(), [3, 9, 6, 0]);
        // From 9 and 6 the search reaches 8, which is better than the result from 0.
        assert_eq!(climb.best, [Found { seconds: 2.0, choices: 8, optimum_of: Some(Changes::Neighbors) }]);
    }

    #[test]
    fn small_gains_are_no_reason_for_a_change() {
        let numbers = Numbers(&[1.0, 0.995, 0.5, 0.4]);
        assert_eq!(
            improve(&numbers, Found::new(1.0, 0), 9, Changes::Neighbors),
            Found { seconds: 1.0, choices: 0, optimum_of: Some(Changes::Neighbors) }
        );
        assert_eq!(
            improve(&numbers, Found::new(0.995, 1), 1, Changes::Neighbors),
            Found { seconds: 0.5, choices: 2, optimum_of: None }
        );
        assert_eq!(
            improve(&numbers, Found::new(0.995, 1), 9, Changes::Neighbors),
            Found { seconds: 0.4, choices: 3, optimum_of: Some(Changes::Neighbors) }
        );
    }

    #[test]
    fn a_local_optimum_of_neighbors_may_be_left_by_other_changes() {
        let numbers = Numbers(&[1.0, 5.0, 4.0, 6.0]);
        let found = improve(&numbers, Found::new(6.0, 3), 9, Changes::Neighbors);
        assert_eq!(found, Found { seconds: 4.0, choices: 2, optimum_of: Some(Changes::Neighbors) });
        let found = improve(&numbers, found, 9, Changes::All);
        assert_eq!(found, Found { seconds: 1.0, choices: 0, optimum_of: Some(Changes::All) });
    }

    #[test]
    fn the_first_of_equals_counts() {
        let numbers = Numbers(&[3.0, 5.0, 3.0]);
        assert_eq!(improve(&numbers, Found::new(5.0, 1), 1, Changes::Neighbors).choices, 0);
    }
}
