//! The tags and output regions of a phase: those of levels that rules couple are chosen one by one, all others are a
//! permutation of the slots that are left.
//!
//! ```text
//! level (2, 1) on CC: slot 3 of 4, region 1 of 2   ..   all other levels: a permutation, any regions
//! ```
use super::{
    digits::{DigitReader, DigitWriter, factorial},
    slots::{PhaseClasses, Room},
};
use num_bigint::BigUint;

/// The tags of a phase by level, as slots, and the regions of outputs by level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PhaseTags {
    pub(super) slots: Vec<usize>,
    pub(super) regions: Vec<Vec<usize>>,
}

/// A level that rules couple with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CoupledLevel {
    /// The level: layer times number of dimensions plus dimension.
    pub(super) level: usize,
    /// True if parts of it are combined.
    pub(super) is_combined: bool,
}

impl CoupledLevel {
    fn regions_class(self, class: usize) -> Option<usize> {
        self.is_combined.then_some(class)
    }
}

/// Returns the number of choices for a level in a class: its slot and its regions.
pub(super) fn choices(classes: &PhaseClasses, room: &[Room], class: usize, is_combined: bool) -> BigUint {
    let slots = room.get(class).map_or(0, |room| room.slots);
    classes.step_choices(is_combined.then_some(class)) * slots
}

/// Returns the number of choices for the levels that nothing couples.
pub(super) fn other_choices(classes: &PhaseClasses, levels: usize) -> BigUint {
    factorial(levels) * classes.other_choices(levels)
}

/// Assigns slots and regions to the levels of a phase, or finds the choices of an assignment.
pub(super) struct Assigner<'a> {
    classes: &'a PhaseClasses,
    /// By class: the slots that are left.
    left: Vec<Vec<usize>>,
    /// By level: the slot.
    slots: Vec<Option<usize>>,
    regions: Vec<Vec<usize>>,
}

impl<'a> Assigner<'a> {
    /// Begins with all slots.
    pub(super) fn new(classes: &'a PhaseClasses) -> Self {
        let left = classes.slots();
        let levels = left.iter().map(Vec::len).sum();
        Self { classes, left, slots: vec![None; levels], regions: vec![vec![]; levels] }
    }

    /// Assigns a slot of a class and regions to a level by the number of the choice, the next digits.
    pub(super) fn read(&mut self, level: CoupledLevel, class: usize, digits: &mut DigitReader) {
        let Some(left) = self.left.get_mut(class) else { return };
        let position = digits.read_small(left.len());
        if position < left.len() {
            self.slots[level.level] = Some(left.remove(position));
        }
        self.regions[level.level] = self.read_regions(level.regions_class(class), digits);
    }

    fn read_regions(&self, class: Option<usize>, digits: &mut DigitReader) -> Vec<usize> {
        let choices = self.classes.region_choices(class);
        (0..self.classes.outputs).map(|_| digits.read_small(choices)).collect()
    }

    /// Assigns the remaining slots, and regions, to all other levels.
    pub(super) fn read_others(mut self, digits: &mut DigitReader) -> PhaseTags {
        let mut left = self.left.concat();
        left.sort_unstable();
        let order = digits.read_permutation(left.len());
        let mut order = order.into_iter().filter_map(|position| left.get(position).copied());
        let others: Vec<_> = (0..self.slots.len()).filter(|level| self.slots[*level].is_none()).collect();
        for level in others {
            self.slots[level] = order.next();
            self.regions[level] = self.read_regions(None, digits);
        }
        PhaseTags { slots: self.slots.into_iter().flatten().collect(), regions: self.regions }
    }

    /// Takes the slot of a level, adds the digits of the choice, and returns its class.
    pub(super) fn write(&mut self, level: CoupledLevel, tags: &PhaseTags, digits: &mut DigitWriter) -> Option<usize> {
        let slot = *tags.slots.get(level.level)?;
        let class = self.classes.class_of(slot);
        let left = self.left.get_mut(class)?;
        let position = left.iter().position(|other| *other == slot)?;
        digits.write(position, left.len());
        left.remove(position);
        self.slots[level.level] = Some(slot);
        self.write_regions(level.regions_class(class), tags.regions.get(level.level)?, digits);
        Some(class)
    }

    fn write_regions(&self, class: Option<usize>, regions: &[usize], digits: &mut DigitWriter) {
        let choices = self.classes.region_choices(class);
        for region in regions.iter().take(self.classes.outputs) {
            digits.write(*region, choices);
        }
    }

    /// Adds the digits of all other levels.
    pub(super) fn write_others(self, tags: &PhaseTags, digits: &mut DigitWriter) -> Option<()> {
        let mut left = self.left.concat();
        left.sort_unstable();
        let others: Vec<_> = (0..self.slots.len()).filter(|level| self.slots[*level].is_none()).collect();
        let position = |level: &usize| left.iter().position(|slot| tags.slots.get(*level) == Some(slot));
        digits.write_permutation(&others.iter().map(position).collect::<Option<Vec<_>>>()?)?;
        for level in others {
            self.write_regions(None, tags.regions.get(level)?, digits);
        }
        Some(())
    }
}
