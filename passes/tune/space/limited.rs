//! Part counts and tags of all phases with rule S9: the counts of levels on a core layer are at most its limit together.
//!
//! ```text
//! layers of the counts of a dimension  ──▶  each count and its class in each phase  ──▶  all other levels
//! ```
//!
//! Sub-trees depend on how much is left of each limit and of the extent only, rounded down.
use super::{
    assignment::{Assigner, CoupledLevel, PhaseTags, choices, other_choices},
    columns::{ColumnChoice, ColumnForm, ColumnShape, PartCounts, largest_count},
    digits::{DigitReader, DigitWriter},
    slots::{PhaseClasses, PhaseRoom},
    unlimited::NOT_A_BIJECTION,
};
use crate::tune::constraints::tree::{Branches, CountedTree, Effort, PathStep, Uncounted, ValueRun};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

/// The key of the column of ones.
const ONES: u64 = 3;
/// De-composition, scalar phase, re-composition.
pub(super) const PHASES: usize = 3;

/// The classes of the system's levels in each phase.
pub(super) type Classes = [PhaseClasses; PHASES];
/// The room in each phase, by class.
type Rooms = [PhaseRoom; PHASES];

/// The tree of columns and tags.
pub(super) struct LimitedTags {
    columns: Vec<ColumnShape>,
    is_combined: Vec<bool>,
    classes: Classes,
}

/// What is left of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct OpenColumn {
    form: ColumnForm,
    /// The number of counts that are chosen, besides the one that follows.
    left: usize,
    /// The largest product of them.
    budget: u64,
    /// One less than the count that follows, if all of them are 1.
    quotient: u64,
}

/// A state of the tree: a dimension, its column if it is begun, and the room that is left.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::large_enum_variant, reason = "all states of a tree but one are open")]
pub(super) enum LimitedState {
    Open(usize, Option<OpenColumn>, Rooms),
    End,
}

type LimitedRun = ValueRun<LimitedState, BigUint>;

impl LimitedTags {
    pub(super) fn new(columns: Vec<ColumnShape>, is_combined: Vec<bool>, classes: Classes) -> Self {
        Self { columns, is_combined, classes }
    }

    /// Returns true if no column and no tags exceed a limit.
    pub(super) fn is_unlimited(&self) -> bool {
        let largest = self.largest(0);
        let has_none = |phase: &PhaseClasses| phase.room(largest) == phase.room(Some(0));
        self.classes.iter().all(has_none)
    }

    /// Returns the largest product of the counts of the dimensions from one on; `None` if there is none.
    fn largest(&self, dimension: usize) -> Option<u64> {
        let columns = self.columns.get(dimension..).unwrap_or_default();
        columns.iter().try_fold(1u64, |product, column| Some(product.saturating_mul(column.largest_product()?)))
    }

    /// Returns the state before a dimension. Limits that nothing exceeds from here on have no effect.
    fn before(&self, dimension: usize, mut rooms: Rooms) -> LimitedState {
        let largest = self.largest(dimension);
        for (phase, rooms) in self.classes.iter().zip(&mut rooms) {
            let unlimited = phase.room(Some(0));
            for (room, unlimited) in rooms.iter_mut().zip(unlimited) {
                if room.slots > 0 && largest.is_some_and(|largest| largest <= room.parts) {
                    room.parts = unlimited.parts;
                }
            }
        }
        LimitedState::Open(dimension, None, rooms)
    }

    fn column_runs(&self, dimension: usize, column: &ColumnShape, rooms: &Rooms) -> Vec<LimitedRun> {
        let groups = column.groups().into_iter().map(|group| {
            let budget = if group.free == 0 { 0 } else { column.budget(group.form) };
            let quotient = match group.form {
                ColumnForm::Vector => column.rest(group.form, 1).unwrap_or(1) - 1,
                _ => column.extent.map_or(0, |extent| extent.saturating_sub(1)),
            };
            let open = OpenColumn { form: group.form, left: group.free, budget, quotient };
            let next = LimitedState::Open(dimension, Some(open), rooms.clone());
            let (key, first) = (group.form as u64, group.free as u64);
            ValueRun { key, first, length: 1, weight: BigUint::from(group.sets), next }
        });
        let next = column.has_ones().then(|| self.before(dimension + 1, rooms.clone()));
        let ones = next.map(|next| ValueRun { key: ONES, first: 0, length: 1, weight: BigUint::one(), next });
        groups.chain(ones).collect()
    }

    /// Returns the number of combinations of classes of the phases.
    fn combinations(&self) -> usize {
        self.classes.iter().map(|phase| phase.classes.len()).product()
    }

    /// Returns the class in each phase of a combination.
    fn classes_of(&self, mut combination: usize) -> [usize; PHASES] {
        self.classes.each_ref().map(|phase| {
            let class = combination % phase.classes.len();
            combination /= phase.classes.len();
            class
        })
    }

    fn combination_of(&self, classes: [usize; PHASES]) -> usize {
        let phases = self.classes.iter().zip(classes).rev();
        phases.fold(0, |all, (phase, class)| all * phase.classes.len() + class)
    }

    /// Returns the number of choices of slots and regions for a level in these classes.
    fn weight(&self, dimension: usize, rooms: &Rooms, classes: [usize; PHASES]) -> BigUint {
        let is_combined = self.is_combined[dimension];
        let phases = self.classes.iter().zip(rooms).zip(classes);
        phases.map(|((phase, room), class)| choices(phase, room, class, is_combined)).product()
    }

    /// Returns the room after a level with this many parts; `None` if it does not fit.
    fn fit(rooms: &Rooms, classes: [usize; PHASES], parts: Option<u64>) -> Option<Rooms> {
        let mut next = rooms.clone();
        for (room, class) in next.iter_mut().zip(classes) {
            let room = room.get_mut(class)?;
            *room = room.after(parts)?;
        }
        Some(next)
    }

    /// Returns the runs of the next chosen count of a column in these classes.
    fn count_runs(&self, dimension: usize, open: OpenColumn, rooms: &Rooms, combination: usize) -> Vec<LimitedRun> {
        let classes = self.classes_of(combination);
        let room = |phase: usize| rooms[phase].get(classes[phase]);
        let limits = (0..PHASES).map(|phase| room(phase).map_or(0, |room| room.largest()));
        let most = limits.fold(largest_count(open.left, open.budget), u64::min);
        let mut runs = vec![];
        if most < 2 {
            return runs;
        }
        let weight = self.weight(dimension, rooms, classes);
        let is_last = open.left == 1;
        let mut first = 2;
        while first <= most {
            let alike = |total: u64| total.checked_div(total / first).unwrap_or(u64::MAX);
            let of_budget = if is_last { u64::MAX } else { alike(open.budget) };
            let of_rooms = (0..PHASES).filter_map(|phase| Some(room(phase)?.last_alike(first)));
            let last = of_rooms.fold(most.min(of_budget).min(alike(open.quotient)), u64::min);
            if let Some(next) = Self::fit(rooms, classes, Some(first)) {
                let budget = if is_last { 0 } else { open.budget / first };
                let open = OpenColumn { left: open.left - 1, budget, quotient: open.quotient / first, ..open };
                let next = LimitedState::Open(dimension, Some(open), next);
                let length = last - first + 1;
                runs.push(ValueRun { key: combination as u64, first, length, weight: weight.clone(), next });
            }
            first = last + 1;
        }
        runs
    }

    /// Returns the run of the count that follows from the others, in these classes.
    fn last_run(&self, dimension: usize, open: OpenColumn, rooms: &Rooms, combination: usize) -> Option<LimitedRun> {
        let classes = self.classes_of(combination);
        let parts = self.columns[dimension].extent.map(|_| open.quotient + 1);
        let next = self.before(dimension + 1, Self::fit(rooms, classes, parts)?);
        let weight = self.weight(dimension, rooms, classes);
        Some(ValueRun { key: combination as u64, first: 0, length: 1, weight, next })
    }
}

impl Branches<BigUint> for LimitedTags {
    type State = LimitedState;

    fn start(&self) -> LimitedState {
        let rooms = self.classes.each_ref().map(|phase| phase.room(None));
        self.before(0, rooms)
    }

    fn is_end(&self, state: &LimitedState) -> bool {
        *state == LimitedState::End
    }

    fn runs(&self, state: &LimitedState, _: &mut Effort) -> Option<Vec<LimitedRun>> {
        let LimitedState::Open(dimension, open, rooms) = state else { return Some(vec![]) };
        let combinations = 0..self.combinations();
        Some(match (self.columns.get(*dimension), open) {
            (None, _) => {
                let left = |room: &PhaseRoom| room.iter().map(|room| room.slots).sum();
                let phases = self.classes.iter().zip(rooms);
                let weight = phases.map(|(phase, room)| other_choices(phase, left(room))).product();
                vec![ValueRun { key: 0, first: 0, length: 1, weight, next: LimitedState::End }]
            }
            (Some(column), None) => self.column_runs(*dimension, column, rooms),
            (_, Some(open)) if open.left == 0 => {
                combinations.filter_map(|combination| self.last_run(*dimension, *open, rooms, combination)).collect()
            }
            (_, Some(open)) => {
                combinations.flat_map(|combination| self.count_runs(*dimension, *open, rooms, combination)).collect()
            }
        })
    }
}

/// The counted tree.
pub(super) struct LimitedSpace {
    tree: CountedTree<LimitedTags, BigUint>,
    /// What the tree is made of.
    parts: LimitedTags,
}

impl LimitedSpace {
    /// Counts the tree; at most `work` runs are visited.
    pub(super) fn new(parts: LimitedTags, work: u64) -> Result<Self, String> {
        let tree = LimitedTags::new(parts.columns.clone(), parts.is_combined.clone(), parts.classes.clone());
        match CountedTree::new(tree, work) {
            Ok(tree) => Ok(Self { tree, parts }),
            Err(Uncounted::Work(limit)) => Err(format!("more than {limit} steps")),
            Err(Uncounted::Overflow) => Err("larger numbers".to_owned()),
        }
    }

    /// Returns the number of points.
    pub(super) fn count(&self) -> &BigUint {
        self.tree.count()
    }

    fn assigners(&self) -> [Assigner<'_>; PHASES] {
        self.parts.classes.each_ref().map(Assigner::new)
    }

    /// Returns the levels of the chosen counts of a column and of the one that follows.
    fn levels(&self, dimension: usize, choice: &ColumnChoice) -> impl Iterator<Item = CoupledLevel> {
        let (chosen, last) = self.parts.columns[dimension].layers_of(choice);
        let (rank, is_combined) = (self.parts.columns.len(), self.parts.is_combined[dimension]);
        let level = move |layer: usize| CoupledLevel { level: layer * rank + dimension, is_combined };
        chosen.into_iter().chain([last]).map(level)
    }

    /// Returns the columns and the tags of a point.
    pub(super) fn read(&self, index: BigUint) -> (Vec<PartCounts>, Vec<PhaseTags>) {
        let mut steps = vec![];
        self.tree.unrank(index, |step| steps.push(step));
        let mut steps = steps.into_iter();
        let (mut columns, mut assigners) = (vec![], self.assigners());
        for (dimension, shape) in self.parts.columns.iter().enumerate() {
            let Some(first) = steps.next().filter(|first| first.key != ONES) else {
                columns.push(shape.column(None));
                continue;
            };
            let (form, free) = (ColumnForm::of(first.key), first.value as usize);
            let mut choice = ColumnChoice { form, layers: first.choice.to_u128().unwrap_or(0), counts: vec![1; free] };
            let levels: Vec<_> = self.levels(dimension, &choice).collect();
            for (number, (level, step)) in levels.into_iter().zip(&mut steps).enumerate() {
                if let Some(count) = choice.counts.get_mut(number) {
                    *count = step.value;
                }
                let mut digits = DigitReader(step.choice);
                for (assigner, class) in assigners.iter_mut().zip(self.parts.classes_of(step.key as usize)) {
                    assigner.read(level, class, &mut digits);
                }
            }
            columns.push(shape.column(Some(&choice)));
        }
        let mut digits = DigitReader(steps.next().map_or_else(BigUint::zero, |last| last.choice));
        let tags = assigners.into_iter().map(|assigner| assigner.read_others(&mut digits)).collect();
        (columns, tags)
    }

    /// Returns the number of the point with these columns and tags.
    pub(super) fn number(&self, columns: &[PartCounts], tags: &[PhaseTags]) -> Result<BigUint, String> {
        let (mut path, mut assigners) = (vec![], self.assigners());
        for (dimension, shape) in self.parts.columns.iter().enumerate() {
            let Some(choice) = shape.choice(&columns[dimension])? else {
                path.push(PathStep { key: ONES, value: 0, choice: BigUint::zero() });
                continue;
            };
            let (key, value) = (choice.form as u64, choice.counts.len() as u64);
            path.push(PathStep { key, value, choice: BigUint::from(choice.layers) });
            let counts = choice.counts.iter().copied().chain([0]);
            for (level, value) in self.levels(dimension, &choice).zip(counts) {
                let (mut digits, mut classes) = (DigitWriter::default(), [0; PHASES]);
                for ((assigner, tags), class) in assigners.iter_mut().zip(tags).zip(&mut classes) {
                    *class = assigner.write(level, tags, &mut digits).ok_or(NOT_A_BIJECTION)?;
                }
                let key = self.parts.combination_of(classes) as u64;
                path.push(PathStep { key, value, choice: digits.finish() });
            }
        }
        let mut digits = DigitWriter::default();
        for (assigner, tags) in assigners.into_iter().zip(tags) {
            assigner.write_others(tags, &mut digits).ok_or(NOT_A_BIJECTION)?;
        }
        path.push(PathStep { key: 0, value: 0, choice: digits.finish() });
        self.tree.rank(path).ok_or_else(|| "the part counts on a core layer exceed its limit".to_owned())
    }
}
