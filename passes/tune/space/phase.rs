//! The tags of one phase for given part counts, with rule S9: their share among all tags, and random ones.
//!
//! ```text
//! counts 4, 2, ? of the levels with several parts  ──▶  the class of each, and the room that is left  ──▶  its weight
//! ```
//!
//! Weights are numbers of choices as floats: they are for estimates and samples, not for counts.
use super::{
    assignment::{Assigner, CoupledLevel, PhaseTags, choices, other_choices},
    columns::{ColumnForm, ColumnSpace, column},
    digits::DigitReader,
    slots::{PhaseClasses, PhaseRoom, Room},
};
use crate::{schedule::random::Random, tune::constraints::number::Count};
use mdh_dialects::schedule::model::Schedule;
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// A level with several parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct CountedLevel {
    pub(super) level: CoupledLevel,
    /// The number of parts; `None` if it is known at run time only.
    parts: Option<u64>,
}

/// Returns the levels of a schedule with several parts, those of the most parts first.
pub(super) fn levels(spaces: &[ColumnSpace], is_combined: &[bool], schedule: &Schedule) -> Vec<CountedLevel> {
    let rank = spaces.len();
    let of_dimension = |dimension: usize| {
        let column = column(schedule, dimension);
        let rest = spaces[dimension].shape.rest(ColumnForm::Dynamic, column.iter().flatten().product());
        let level = move |(layer, count): (usize, Option<u64>)| CountedLevel {
            level: CoupledLevel { level: layer * rank + dimension, is_combined: is_combined[dimension] },
            parts: count.or(rest),
        };
        column.into_iter().enumerate().filter(|(_, count)| *count != Some(1)).map(level)
    };
    let mut levels: Vec<_> = (0..rank).flat_map(of_dimension).collect();
    // Few of them fit into limits, so that there are few states.
    levels.sort_by_key(|level| std::cmp::Reverse(level.parts.unwrap_or(u64::MAX)));
    levels
}

/// The weights of the room that is left, in an order that is always the same: so are samples.
type Weights = BTreeMap<PhaseRoom, f64>;

/// The tags of a phase.
pub(super) struct PhaseTagsGiven<'a> {
    levels: &'a [CountedLevel],
    classes: &'a PhaseClasses,
    /// By number of levels that have a class.
    weights: Vec<Weights>,
}

impl<'a> PhaseTagsGiven<'a> {
    /// Weighs the tags of these levels, with rule S9 or, if they are not limited, without it.
    pub(super) fn new(levels: &'a [CountedLevel], classes: &'a PhaseClasses, is_limited: bool) -> Self {
        let start = classes.room(if is_limited { None } else { Some(0) });
        let mut all = Self { levels, classes, weights: vec![Weights::from([(start, 1.0)])] };
        for level in levels {
            let mut after = Weights::new();
            for (room, weight) in all.weights.last().into_iter().flatten() {
                for (class, next) in all.after(room, level) {
                    *after.entry(next).or_default() += weight * all.choices(room, level, class);
                }
            }
            all.weights.push(after);
        }
        all
    }

    /// Returns the number of tags of these levels.
    pub(super) fn total(&self) -> f64 {
        self.weights.last().map_or(0.0, |last| last.values().sum())
    }

    /// Returns the classes that a level may have, and the room after it.
    fn after(&self, room: &[Room], level: &CountedLevel) -> impl Iterator<Item = (usize, PhaseRoom)> {
        (0..room.len()).filter_map(move |class| {
            let mut next = PhaseRoom::from_slice(room);
            next[class] = room[class].after(level.parts)?;
            Some((class, next))
        })
    }

    /// Returns the number of choices of a level in a class.
    fn choices(&self, room: &[Room], level: &CountedLevel, class: usize) -> f64 {
        let regions = self.classes.region_choices(Some(class).filter(|_| level.level.is_combined)) as f64;
        room[class].slots as f64 * regions.powi(self.classes.outputs as i32)
    }

    /// Returns random tags, each equally likely.
    pub(super) fn sample(&self, random: &mut Random) -> PhaseTags {
        let mut assigner = Assigner::new(self.classes);
        // The last level first: the weights are those of all paths to a room.
        let mut chosen = vec![];
        let mut room = weighted(self.weights.last().into_iter().flatten().map(|(room, w)| (room.clone(), *w)), random);
        for (level, before) in self.levels.iter().zip(&self.weights).rev() {
            let Some(to) = room else { break };
            let leading = before.iter().flat_map(|(from, weight)| {
                let classes = self.after(from, level).filter(|(_, next)| *next == to);
                classes.map(move |(class, _)| ((class, from), weight * self.choices(from, level, class)))
            });
            let found = weighted(leading, random);
            room = found.map(|(_, from)| from.clone());
            chosen.extend(found.map(|(class, from)| (level, class, from)));
        }
        let mut draw = |count: BigUint| DigitReader(BigUint::below(&count, &mut || random.next()));
        for (level, class, room) in chosen.into_iter().rev() {
            let count = choices(self.classes, room, class, level.level.is_combined);
            assigner.read(level.level, class, &mut draw(count));
        }
        let left = self.classes.slots().iter().map(Vec::len).sum::<usize>() - self.levels.len();
        assigner.read_others(&mut draw(other_choices(self.classes, left)))
    }
}

/// Returns a random one of some values with weights; `None` if there are none.
fn weighted<T>(all: impl Iterator<Item = (T, f64)>, random: &mut Random) -> Option<T> {
    // Each value replaces the one before it with the probability of its share of the weights so far.
    let (mut chosen, mut total) = (None, 0.0);
    for (value, weight) in all {
        total += weight;
        if (random.next() >> 11) as f64 / (1u64 << 53) as f64 * total < weight {
            chosen = Some(value);
        }
    }
    chosen
}
