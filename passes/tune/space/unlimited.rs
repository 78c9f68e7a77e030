//! Part counts and tags of the re-composition without rule S9: rule S8 couples them by the number of levels that are
//! combined.
//!
//! ```text
//! counts other than 1 of each combined dimension  ──▶  the class of each such level  ──▶  all other levels
//! ```
use super::{
    assignment::{Assigner, CoupledLevel, PhaseTags, choices, other_choices},
    columns::{ColumnSpace, PartCounts},
    digits::{DigitReader, DigitWriter},
    slots::{PhaseClasses, PhaseRoom},
};
use crate::tune::constraints::tree::{Branches, CountedTree, Effort, PathStep, ValueRun};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

/// A combined dimension: its number, and by number of counts other than 1 the number of its columns.
struct CombinedDimension {
    dimension: usize,
    columns: Vec<u128>,
}

/// The tree of the combined dimensions and the re-composition.
pub(super) struct Recomposition {
    dimensions: Vec<CombinedDimension>,
    classes: PhaseClasses,
    layers: usize,
}

/// A state of the tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum RecompositionState {
    /// The columns of this many dimensions are chosen, with this many combined levels.
    Columns(usize, usize),
    /// This many combined levels need a class, with the room that is left.
    Classes(usize, PhaseRoom),
    End,
}

impl Recomposition {
    /// Returns the tree of a system with this many layers.
    pub(super) fn new(columns: &[ColumnSpace], is_combined: &[bool], classes: PhaseClasses, layers: usize) -> Self {
        let combined = is_combined.iter().zip(columns).enumerate().filter(|(_, (is_combined, _))| **is_combined);
        let dimensions = combined
            .map(|(dimension, (_, column))| CombinedDimension {
                dimension,
                columns: (0..=layers).map(|loops| column.count_of(loops)).collect(),
            })
            .collect();
        Self { dimensions, classes, layers }
    }
}

fn run(first: usize, weight: BigUint, next: RecompositionState) -> ValueRun<RecompositionState, BigUint> {
    ValueRun { key: 0, first: first as u64, length: 1, weight, next }
}

impl Branches<BigUint> for Recomposition {
    type State = RecompositionState;

    fn start(&self) -> RecompositionState {
        RecompositionState::Columns(0, 0)
    }

    fn is_end(&self, state: &RecompositionState) -> bool {
        *state == RecompositionState::End
    }

    fn runs(&self, state: &RecompositionState, _: &mut Effort) -> Option<Vec<ValueRun<RecompositionState, BigUint>>> {
        let runs = match state {
            RecompositionState::End => vec![],
            RecompositionState::Columns(dimension, combined) => match self.dimensions.get(*dimension) {
                None => {
                    let room = self.classes.room(Some(0));
                    vec![run(0, BigUint::one(), RecompositionState::Classes(*combined, room))]
                }
                Some(columns) => {
                    let next = |loops: usize| RecompositionState::Columns(dimension + 1, combined + loops);
                    let columns = columns.columns.iter().enumerate();
                    columns.map(|(loops, count)| run(loops, BigUint::from(*count), next(loops))).collect()
                }
            },
            RecompositionState::Classes(0, room) => {
                let left = room.iter().map(|room| room.slots).sum();
                vec![run(0, other_choices(&self.classes, left), RecompositionState::End)]
            }
            RecompositionState::Classes(left, room) => {
                let next = |class: usize| {
                    let mut next = room.clone();
                    next[class] = room[class].after(Some(1))?;
                    let weight = choices(&self.classes, room, class, true);
                    Some(run(class, weight, RecompositionState::Classes(left - 1, next)))
                };
                (0..room.len()).filter_map(next).collect()
            }
        };
        Some(runs)
    }
}

/// The counted tree.
pub(super) struct RecompositionSpace {
    shape: CountedTree<Recomposition, BigUint>,
    combined: Vec<usize>,
    classes: PhaseClasses,
}

/// Returns the levels of a dimension with a count other than 1, outermost first.
fn loops(column: &[Option<u64>], dimension: usize, rank: usize) -> Vec<CoupledLevel> {
    let layers = (0..column.len()).filter(|layer| column[*layer] != Some(1));
    layers.map(|layer| CoupledLevel { level: layer * rank + dimension, is_combined: true }).collect()
}

impl RecompositionSpace {
    /// Counts the tree.
    pub(super) fn new(tree: Recomposition, work: u64) -> Result<Self, String> {
        let combined = tree.dimensions.iter().map(|dimension| dimension.dimension).collect();
        let (classes, levels) = (tree.classes.clone(), tree.layers * tree.classes.rank);
        let shape = CountedTree::new(tree, work).map_err(|_| {
            format!("the re-composition of {levels} levels requires more than {work} steps to be counted")
        })?;
        Ok(Self { shape, combined, classes })
    }

    /// Returns the number of points.
    pub(super) fn count(&self) -> &BigUint {
        self.shape.count()
    }

    /// Sets the columns of the combined dimensions to those of a point, and returns the tags.
    pub(super) fn read(&self, index: BigUint, columns: &[ColumnSpace], parts: &mut [PartCounts]) -> PhaseTags {
        let mut dimensions = self.combined.iter();
        let (mut levels, mut chosen) = (vec![].into_iter(), vec![]);
        let (mut assigner, mut others) = (Assigner::new(&self.classes), BigUint::zero());
        let mut is_in_columns = true;
        self.shape.unrank(index, |step| {
            if is_in_columns {
                match dimensions.next() {
                    Some(&dimension) => {
                        let number = step.choice.to_u128().unwrap_or(0);
                        parts[dimension] = columns[dimension].column_of(step.value as usize, number);
                        chosen.extend(loops(&parts[dimension], dimension, self.classes.rank));
                    }
                    None => {
                        is_in_columns = false;
                        levels = std::mem::take(&mut chosen).into_iter();
                    }
                }
            } else if let Some(level) = levels.next() {
                assigner.read(level, step.value as usize, &mut DigitReader(step.choice));
            } else {
                others = step.choice;
            }
        });
        assigner.read_others(&mut DigitReader(others))
    }

    /// Returns the number of the point with these columns and tags.
    pub(super) fn number(
        &self,
        columns: &[ColumnSpace],
        parts: &[PartCounts],
        tags: &PhaseTags,
    ) -> Result<BigUint, String> {
        let (mut path, mut levels) = (vec![], vec![]);
        for &dimension in &self.combined {
            let loops = loops(&parts[dimension], dimension, self.classes.rank);
            let choice = BigUint::from(columns[dimension].number_of(&parts[dimension])?);
            path.push(PathStep { key: 0, value: loops.len() as u64, choice });
            levels.extend(loops);
        }
        path.push(PathStep { key: 0, value: 0, choice: BigUint::zero() });
        let mut assigner = Assigner::new(&self.classes);
        for level in levels {
            let mut digits = DigitWriter::default();
            let class = assigner.write(level, tags, &mut digits).ok_or(NOT_A_BIJECTION)?;
            path.push(PathStep { key: 0, value: class as u64, choice: digits.finish() });
        }
        let mut digits = DigitWriter::default();
        assigner.write_others(tags, &mut digits).ok_or(NOT_A_BIJECTION)?;
        path.push(PathStep { key: 0, value: 0, choice: digits.finish() });
        self.shape.rank(path).ok_or_else(|| NOT_A_BIJECTION.to_owned())
    }
}

/// The tags of a schedule that satisfies rule S3 are a bijection.
pub(super) const NOT_A_BIJECTION: &str = "the tags of a phase are no bijection";
