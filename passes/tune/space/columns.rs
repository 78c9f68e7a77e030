//! The part counts of one dimension: a column, one count for each layer (rules S2 and S10).
//!
//! ```text
//! extent 10, three layers:   10 1 1    1 5 2    4 3 1    16 1 1    ? 2 3    ..
//! ```
//!
//! A column of numbers is given by its layers with a count other than 1 and the counts of the inner ones of them, whose
//! product is less than the extent; the outermost count follows. A column with a `?` is given by all other counts,
//! whose product is at most a bound.
use super::digits::{subset, subset_number};
use crate::tune::constraints::tree::{Branches, CountedTree, Effort, PathStep, Uncounted, ValueRun};
use mdh_dialects::schedule::model::Schedule;
use num_bigint::BigUint;
use num_integer::binomial;
use num_traits::ToPrimitive;

/// The part counts of a dimension by layer; `None` is `?`.
pub(super) type PartCounts = Vec<Option<u64>>;

/// Returns the part counts of a dimension of a schedule by layer.
pub(super) fn column(schedule: &Schedule, dimension: usize) -> PartCounts {
    schedule.parts.iter().filter_map(|row| row.get(dimension).copied()).collect()
}

/// The largest extent for which columns are counted; their products are at most twice as large.
const LARGEST_EXTENT: u64 = 1 << 61;
/// The largest product of part counts (rule S2).
const LARGEST_PRODUCT: u64 = 1 << 62;

/// The forms of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum ColumnForm {
    /// All counts are numbers; the outermost one follows from the others.
    Numbers,
    /// One layer has as many single points as the smallest power of two that covers the extent.
    Vector,
    /// One count is `?`.
    Dynamic,
}

impl ColumnForm {
    const ALL: [Self; 3] = [Self::Numbers, Self::Vector, Self::Dynamic];

    /// Returns the form with this key of a run.
    pub(super) fn of(key: u64) -> Self {
        Self::ALL.into_iter().find(|form| *form as u64 == key).unwrap_or(Self::Numbers)
    }
}

/// A dimension: what its columns depend on.
#[derive(Clone, Debug)]
pub(super) struct ColumnShape {
    pub(super) extent: Option<u64>,
    pub(super) layers: usize,
    /// The largest product of the other counts of a column with `?`.
    pub(super) bound: u64,
}

/// A column without the counts that follow from others: what the tree chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ColumnChoice {
    pub(super) form: ColumnForm,
    /// The number of its set of layers.
    pub(super) layers: u128,
    /// The counts of the inner layers with several parts, or of all layers with several parts if one is `?`.
    pub(super) counts: Vec<u64>,
}

/// A group of columns: by form and number of freely chosen counts, at least 2 each.
pub(super) struct ColumnGroup {
    pub(super) form: ColumnForm,
    pub(super) free: usize,
    /// The number of sets of layers.
    pub(super) sets: u128,
}

impl ColumnGroup {
    /// Returns the number of counts other than 1.
    pub(super) fn loops(&self) -> usize {
        self.free + 1
    }
}

impl ColumnShape {
    /// Returns a dimension with a bound on columns with `?`, if another one than the default: the largest product that
    /// numbers can have, 512 if the extent is dynamic.
    pub(super) fn new(extent: Option<u64>, layers: usize, bound: Option<u64>) -> Result<Self, String> {
        if let Some(extent) = extent.filter(|extent| *extent > LARGEST_EXTENT) {
            return Err(format!("the space requires extents of at most {LARGEST_EXTENT}, but one is {extent}"));
        }
        if let Some(bound) = bound.filter(|bound| !(1..=LARGEST_PRODUCT).contains(bound)) {
            return Err(format!("the bound of a dimension is from 1 to {LARGEST_PRODUCT}, but it is {bound}"));
        }
        let default = extent.map_or(512, |extent| (2 * extent).saturating_sub(2).max(1));
        Ok(Self { extent, layers, bound: bound.unwrap_or(default) })
    }

    /// Returns the groups of columns other than the one of ones, which only the extent 1 has.
    pub(super) fn groups(&self) -> Vec<ColumnGroup> {
        let sets = |size: usize| binomial(self.layers as u128, size as u128);
        let mut groups = vec![];
        if let Some(extent) = self.extent.filter(|extent| *extent > 1) {
            groups.extend((0..self.layers).map(|free| ColumnGroup {
                form: ColumnForm::Numbers,
                free,
                sets: sets(free + 1),
            }));
            if !extent.is_power_of_two() {
                groups.push(ColumnGroup { form: ColumnForm::Vector, free: 0, sets: sets(1) });
            }
        }
        let dynamic = |free: usize| {
            let others = binomial(self.layers as u128 - 1, free as u128);
            ColumnGroup { form: ColumnForm::Dynamic, free, sets: self.layers as u128 * others }
        };
        groups.extend((0..self.layers).map(dynamic));
        groups
    }

    /// Returns true if all counts may be 1.
    pub(super) fn has_ones(&self) -> bool {
        self.extent == Some(1)
    }

    /// Returns the largest product of the free counts of a form.
    pub(super) fn budget(&self, form: ColumnForm) -> u64 {
        match form {
            ColumnForm::Numbers => self.extent.map_or(0, |extent| extent.saturating_sub(1)),
            ColumnForm::Vector => 1,
            ColumnForm::Dynamic => self.bound,
        }
    }

    /// Returns the largest product of the part counts of a column; `None` if it is known at run time only.
    pub(super) fn largest_product(&self) -> Option<u64> {
        // An outermost count, and what `?` stands for, is a quotient rounded up: together with the other counts, less than
        // twice the extent, unless the others exceed the extent alone.
        self.extent.map(|extent| extent.saturating_mul(2).saturating_sub(2).max(self.bound).max(1))
    }

    /// Returns the number of parts that follows from the product of the other counts of a column; `None` if it is known
    /// at run time only.
    pub(super) fn rest(&self, form: ColumnForm, product: u64) -> Option<u64> {
        let extent = self.extent?;
        match form {
            ColumnForm::Numbers | ColumnForm::Dynamic => Some(extent.div_ceil(product.max(1)).max(1)),
            ColumnForm::Vector => Some(extent.next_power_of_two()),
        }
    }

    /// Returns the layers of a choice with a count other than 1 in the order of its counts, and that of the count which
    /// follows.
    pub(super) fn layers_of(&self, choice: &ColumnChoice) -> (Vec<usize>, usize) {
        let free = choice.counts.len();
        if choice.form != ColumnForm::Dynamic {
            let mut layers = subset(self.layers, free + 1, choice.layers.into());
            let outermost = if layers.is_empty() { 0 } else { layers.remove(0) };
            return (layers, outermost);
        }
        let others = binomial(self.layers as u128 - 1, free as u128);
        let dynamic = (choice.layers / others) as usize;
        let layers = subset(self.layers - 1, free, (choice.layers % others).into());
        (layers.into_iter().map(|layer| layer + usize::from(layer >= dynamic)).collect(), dynamic)
    }

    /// Returns the column of a choice; all counts are 1 for `None`.
    pub(super) fn column(&self, choice: Option<&ColumnChoice>) -> PartCounts {
        let mut column = vec![Some(1); self.layers];
        let Some(choice) = choice else { return column };
        let (layers, last) = self.layers_of(choice);
        for (layer, count) in layers.iter().zip(&choice.counts) {
            column[*layer] = Some(*count);
        }
        let product = choice.counts.iter().product();
        column[last] = if choice.form == ColumnForm::Dynamic { None } else { self.rest(choice.form, product) };
        column
    }

    /// Returns the choice of a column that satisfies the rules; `None` if all of its counts are 1. It is an error if
    /// the product of the counts of a column with `?` exceeds the bound.
    pub(super) fn choice(&self, column: &[Option<u64>]) -> Result<Option<ColumnChoice>, String> {
        let loops: Vec<_> = (0..column.len()).filter(|layer| column[*layer] != Some(1)).collect();
        let counts = |layers: &[usize]| -> Vec<u64> { layers.iter().filter_map(|layer| column[*layer]).collect() };
        let set = |length: usize, members: &[usize]| subset_number(length, members).to_u128().unwrap_or(0);
        if let Some(dynamic) = column.iter().position(Option::is_none) {
            let counts = counts(&loops);
            let product = counts.iter().try_fold(1u64, |product, count| product.checked_mul(*count));
            if product.is_none_or(|product| product > self.bound) {
                return Err(format!(
                    "the space has columns with ? whose other part counts multiply to at most {}, but these are {}",
                    self.bound,
                    counts.iter().map(u64::to_string).collect::<Vec<_>>().join(" * ")
                ));
            }
            let others: Vec<_> = loops.iter().filter(|layer| **layer != dynamic).collect();
            let others: Vec<_> = others.into_iter().map(|layer| layer - usize::from(*layer > dynamic)).collect();
            let sets = binomial(self.layers as u128 - 1, others.len() as u128);
            let layers = dynamic as u128 * sets + set(self.layers - 1, &others);
            return Ok(Some(ColumnChoice { form: ColumnForm::Dynamic, layers, counts }));
        }
        let Some((outermost, inner)) = loops.split_first() else { return Ok(None) };
        let counts = counts(inner);
        let is_exact = column[*outermost] == self.rest(ColumnForm::Numbers, counts.iter().product());
        let form = if is_exact { ColumnForm::Numbers } else { ColumnForm::Vector };
        Ok(Some(ColumnChoice { form, layers: set(self.layers, &loops), counts }))
    }
}

/// A state of the tree of columns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ColumnState {
    /// Nothing is chosen.
    Start,
    /// The number of counts other than 1 is chosen.
    Loops(usize),
    /// This many counts of at least 2 follow, with a product up to the budget.
    Counts(usize, u64),
}

impl Branches<u128> for ColumnShape {
    type State = ColumnState;

    fn start(&self) -> ColumnState {
        ColumnState::Start
    }

    fn is_end(&self, state: &ColumnState) -> bool {
        matches!(state, ColumnState::Counts(0, _))
    }

    fn runs(&self, state: &ColumnState, _: &mut Effort) -> Option<Vec<ValueRun<ColumnState, u128>>> {
        let single = |key: u64, first: usize, weight: u128, next: ColumnState| ValueRun {
            key,
            first: first as u64,
            length: 1,
            weight,
            next,
        };
        Some(match *state {
            ColumnState::Start => {
                (0..=self.layers).map(|loops| single(0, loops, 1, ColumnState::Loops(loops))).collect()
            }
            ColumnState::Loops(0) => {
                let is_one = u64::from(self.has_ones());
                vec![ValueRun { length: is_one, ..single(0, 0, 1, ColumnState::Counts(0, 0)) }]
            }
            ColumnState::Loops(loops) => {
                let groups = self.groups().into_iter().filter(|group| group.loops() == loops);
                let next = |group: &ColumnGroup| match group.free {
                    0 => ColumnState::Counts(0, 0),
                    free => ColumnState::Counts(free, self.budget(group.form)),
                };
                groups.map(|group| single(group.form as u64, group.free, group.sets, next(&group))).collect()
            }
            ColumnState::Counts(left, budget) => count_runs(left, budget),
        })
    }
}

/// Returns the values of the next of `left` counts of at least 2, whose product is at most `budget`.
fn count_runs(left: usize, budget: u64) -> Vec<ValueRun<ColumnState, u128>> {
    let mut runs = vec![];
    let most = largest_count(left, budget);
    let mut first = 2;
    while first <= most {
        let rest = budget / first;
        let last = if left == 1 { most } else { most.min(budget / rest) };
        let next = ColumnState::Counts(left - 1, if left == 1 { 0 } else { rest });
        runs.push(ValueRun { key: 0, first, length: last - first + 1, weight: 1, next });
        first = last + 1;
    }
    runs
}

/// Returns the largest first count of `left` counts of at least 2 with a product of at most `budget`; 0 if there is none.
pub(super) fn largest_count(left: usize, budget: u64) -> u64 {
    u32::try_from(left.saturating_sub(1)).ok().and_then(|others| budget.checked_shr(others)).unwrap_or(0)
}

/// The columns of a dimension, with their counts.
pub(super) struct ColumnSpace {
    pub(super) shape: ColumnShape,
    tree: CountedTree<ColumnShape, u128>,
}

impl ColumnSpace {
    /// Counts the columns; at most `work` runs of values are visited.
    pub(super) fn new(shape: ColumnShape, work: u64) -> Result<Self, String> {
        let tree = CountedTree::new(shape.clone(), work).map_err(|problem| {
            let extent = shape.extent.map_or_else(|| "?".to_owned(), |extent| extent.to_string());
            let problem = match problem {
                Uncounted::Work(limit) => format!("more than {limit} steps"),
                Uncounted::Overflow => "numbers of more than 128 bits".to_owned(),
            };
            format!(
                "the part counts of a dimension with the extent {extent} and the bound {} require {problem} to be counted",
                shape.bound
            )
        })?;
        Ok(Self { shape, tree })
    }

    /// Returns the number of columns.
    pub(super) fn count(&self) -> BigUint {
        BigUint::from(*self.tree.count())
    }

    /// Returns the number of columns with this many counts other than 1.
    pub(super) fn count_of(&self, loops: usize) -> u128 {
        self.tree.count_of(&ColumnState::Loops(loops))
    }

    /// Returns a column by its number among those with this many counts other than 1.
    pub(super) fn column_of(&self, loops: usize, number: u128) -> PartCounts {
        let mut choice: Option<ColumnChoice> = None;
        self.tree.unrank_of(&ColumnState::Loops(loops), number, |step| match &mut choice {
            Some(choice) => choice.counts.push(step.value),
            None if loops > 0 => {
                choice = Some(ColumnChoice { form: ColumnForm::of(step.key), layers: step.choice, counts: vec![] });
            }
            None => {}
        });
        self.shape.column(choice.as_ref())
    }

    /// Returns the number of a column among those with as many counts other than 1.
    pub(super) fn number_of(&self, column: &[Option<u64>]) -> Result<u128, String> {
        let choice = self.shape.choice(column)?;
        let loops = column.iter().filter(|count| **count != Some(1)).count();
        let path = match &choice {
            None => vec![PathStep { key: 0, value: 0, choice: 0 }],
            Some(choice) => {
                let value = choice.counts.len() as u64;
                let first = PathStep { key: choice.form as u64, value, choice: choice.layers };
                let others = choice.counts.iter().map(|count| PathStep { key: 0, value: *count, choice: 0 });
                std::iter::once(first).chain(others).collect()
            }
        };
        let number = self.tree.rank_of(&ColumnState::Loops(loops), path);
        number.ok_or_else(|| "the part counts are not in the space".to_owned())
    }

    /// Returns a column by its number among all.
    pub(super) fn column(&self, mut number: u128) -> PartCounts {
        for loops in 0..=self.shape.layers {
            let count = self.count_of(loops);
            if number < count {
                return self.column_of(loops, number);
            }
            number -= count;
        }
        self.shape.column(None)
    }

    /// Returns the number of a column among all.
    pub(super) fn number(&self, column: &[Option<u64>]) -> Result<u128, String> {
        let loops = column.iter().filter(|count| **count != Some(1)).count();
        let before: u128 = (0..loops).map(|loops| self.count_of(loops)).sum();
        Ok(before + self.number_of(column)?)
    }
}
