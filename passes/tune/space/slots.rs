//! The levels of a system that tags name, as classes of equal meaning for the rules S8 and S9.
//!
//! ```text
//! cuda, two dimensions:   others: DM SM RM SMX, 8 slots   CC: 2 slots, at most 1024 parts
//! ```
use mdh_dialects::schedule::{model::System, rules::Shape};
use num_bigint::BigUint;
use smallvec::SmallVec;

/// Layers of a system whose levels have the same meaning for the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SlotClass {
    /// The layers, memory first.
    pub(super) layers: Vec<usize>,
    /// The largest number of parts (S9); 0 if no level may have several, not even one whose parts follow from the extent.
    pub(super) limit: Option<u64>,
    /// The number of regions in which parts of the layers may be combined (S8).
    pub(super) regions: usize,
}

/// The classes of a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PhaseClasses {
    pub(super) classes: Vec<SlotClass>,
    /// The number of dimensions, and thus of slots of a layer.
    pub(super) rank: usize,
    /// The number of memory layers.
    pub(super) regions: usize,
    /// The number of output buffers that steps of the phase place; 0 in other phases than the re-composition.
    pub(super) outputs: usize,
}

/// What is left of a class: the number of slots, and of parts that fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Room {
    pub(super) slots: usize,
    pub(super) parts: u64,
}

/// What is left of the classes of a phase: few classes, in many states.
pub(super) type PhaseRoom = SmallVec<[Room; 4]>;

impl Room {
    const UNLIMITED: u64 = u64::MAX;

    /// Returns the room after a level with this many parts, `None` if they are known at run time only; `None` if it
    /// does not fit.
    pub(super) fn after(self, parts: Option<u64>) -> Option<Self> {
        let slots = self.slots.checked_sub(1)?;
        if self.parts == Self::UNLIMITED {
            return Some(Self { slots, ..self });
        }
        let left = self.parts.checked_div(parts?).filter(|left| *left > 0)?;
        // Without slots, the limit has no effect: equal states are shared.
        Some(Self { slots, parts: if slots == 0 { 1 } else { left } })
    }

    /// Returns the largest number of parts of a level that fits.
    pub(super) fn largest(self) -> u64 {
        if self.slots == 0 { 0 } else { self.parts }
    }

    /// Returns the largest number of parts for which as many fit after it as for `parts`.
    pub(super) fn last_alike(self, parts: u64) -> u64 {
        match self.parts.checked_div(parts) {
            _ if self.parts == Self::UNLIMITED || self.slots <= 1 => u64::MAX,
            Some(left) => self.parts.checked_div(left).unwrap_or(u64::MAX),
            None => u64::MAX,
        }
    }
}

impl PhaseClasses {
    /// Returns the classes of the de-composition and scalar phases. `limits`: by core layer, its largest number of parts.
    pub(super) fn without_outputs(shape: &Shape, system: &System, limits: &[Option<u64>]) -> Self {
        Self::new(shape, system, limits, false)
    }

    /// Returns the classes of the re-composition phase. `limits`: by core layer, its largest number of parts.
    pub(super) fn with_outputs(shape: &Shape, system: &System, limits: &[Option<u64>]) -> Self {
        Self::new(shape, system, limits, true)
    }

    fn new(shape: &Shape, system: &System, limits: &[Option<u64>], has_outputs: bool) -> Self {
        let regions = system.memory.len();
        let outputs = if has_outputs { shape.outputs.len() } else { 0 };
        let is_combined = outputs > 0 && shape.operators.iter().any(|operator| operator.combines());
        let all = SlotClass { layers: (0..regions).collect(), limit: None, regions };
        let mut classes = vec![all];
        for (core, (limit, combine)) in limits.iter().zip(&system.combine).enumerate() {
            let combined = if is_combined { (combine + 1).min(regions) } else { regions };
            // Of layers without any level of several parts, there is none together.
            let is_shared = limit.is_none_or(|limit| limit == 0);
            let is_alike = |class: &&mut SlotClass| class.limit == *limit && class.regions == combined;
            match classes.iter_mut().find(is_alike).filter(|_| is_shared) {
                Some(class) => class.layers.push(regions + core),
                None => {
                    classes.push(SlotClass { layers: vec![regions + core], limit: *limit, regions: combined });
                }
            }
        }
        Self { classes, rank: shape.rank(), regions, outputs }
    }

    /// Returns the room of all classes. A limit that the parts of all dimensions together cannot exceed has no effect.
    pub(super) fn room(&self, largest: Option<u64>) -> PhaseRoom {
        let room = |class: &SlotClass| Room {
            slots: class.layers.len() * self.rank,
            parts: class.limit.filter(|limit| largest.is_none_or(|l| l > *limit)).unwrap_or(Room::UNLIMITED),
        };
        self.classes.iter().map(room).collect()
    }

    /// Returns the number of choices of regions for the outputs of a step of a class, if its parts are combined.
    pub(super) fn region_choices(&self, class: Option<usize>) -> usize {
        class.and_then(|class| self.classes.get(class)).map_or(self.regions, |class| class.regions)
    }

    /// Returns the number of choices of all outputs of a step.
    pub(super) fn step_choices(&self, class: Option<usize>) -> BigUint {
        BigUint::from(self.region_choices(class)).pow(self.outputs as u32)
    }

    /// Returns the number of choices of regions for the other steps.
    pub(super) fn other_choices(&self, steps: usize) -> BigUint {
        BigUint::from(self.regions).pow((self.outputs * steps) as u32)
    }

    /// Returns the slots of each class, in ascending order; a slot is a layer of the system and a dimension.
    pub(super) fn slots(&self) -> Vec<Vec<usize>> {
        let slots = |layer: &usize| layer * self.rank..(layer + 1) * self.rank;
        let of = |class: &SlotClass| class.layers.iter().flat_map(slots).collect();
        self.classes.iter().map(of).collect()
    }

    /// Returns the class of a slot.
    pub(super) fn class_of(&self, slot: usize) -> usize {
        let layer = slot.checked_div(self.rank).unwrap_or(0);
        self.classes.iter().position(|class| class.layers.contains(&layer)).unwrap_or(0)
    }
}
