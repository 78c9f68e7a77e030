//! The placements of a buffer: regions, layouts, padding and buffer slots (rules S4, S5 and S12).
//!
//! ```text
//! output of rank 2: DM[1, 2] DM[2, 1] SM[1, 2] ..   input: also packed axes SM[1, 2, 1], pad and buffers in SM and RM
//! ```
use super::digits::{DigitReader, DigitWriter};
use crate::tune::constraints::tree::{Branches, CountedTree, Effort, PathStep, ValueRun};
use mdh_dialects::schedule::{
    model::{Placement, System},
    roles::Memory,
};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

/// The layouts of an input of this rank, slowest dimension first: each axis occurs once or twice.
struct InputLayouts {
    rank: usize,
    /// True for that of the user's buffer alone.
    is_row_major: bool,
}

/// The number of axes that do not occur yet, and of those that occur once and again later.
type LayoutState = (usize, usize);

/// What the next dimension of a layout is.
const ONCE: u64 = 0;
const FIRST: u64 = 1;
const AGAIN: u64 = 2;

impl Branches<BigUint> for InputLayouts {
    type State = LayoutState;

    fn start(&self) -> LayoutState {
        (self.rank, 0)
    }

    fn is_end(&self, state: &LayoutState) -> bool {
        *state == (0, 0)
    }

    fn runs(&self, &(unused, open): &LayoutState, _: &mut Effort) -> Option<Vec<ValueRun<LayoutState, BigUint>>> {
        let run = |key: u64, choices: usize, next: Option<LayoutState>| {
            Some(ValueRun { key, first: 0, length: 1, weight: BigUint::from(choices), next: next? })
        };
        let fewer = unused.checked_sub(1);
        if self.is_row_major {
            return Some(run(ONCE, 1, fewer.map(|unused| (unused, open))).into_iter().collect());
        }
        let runs = [
            run(ONCE, unused, fewer.map(|unused| (unused, open))),
            run(FIRST, unused, fewer.map(|unused| (unused, open + 1))),
            run(AGAIN, open, open.checked_sub(1).map(|open| (unused, open))),
        ];
        Some(runs.into_iter().flatten().collect())
    }
}

/// A region with its padding and buffer slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RegionStorage {
    region: usize,
    pad: u64,
    buffers: u64,
}

/// The placements of an input.
pub(super) struct InputPlacements {
    storages: Vec<RegionStorage>,
    layouts: CountedTree<InputLayouts, BigUint>,
    rank: usize,
    memory: Vec<String>,
    radix: BigUint,
}

impl InputPlacements {
    /// Returns the placements of an input of this rank; only that of the user's buffer if it `is_in_place`. At most `work`
    /// steps are needed to count them.
    pub(super) fn new(rank: usize, is_in_place: bool, system: &System, work: u64) -> Result<Self, String> {
        let layouts = InputLayouts { rank, is_row_major: is_in_place };
        let layouts = CountedTree::new(layouts, work).map_err(|_| {
            format!("the layouts of a buffer of rank {rank} require more than {work} steps to be counted")
        })?;
        let regions = if is_in_place { 1 } else { system.memory.len() };
        let storages: Vec<_> = (0..regions).flat_map(|region| storages(region, is_in_place, system)).collect();
        let radix = layouts.count() * storages.len();
        Ok(Self { storages, layouts, rank, memory: system.memory.clone(), radix })
    }

    /// Returns the number of placements.
    pub(super) fn count(&self) -> &BigUint {
        &self.radix
    }

    /// Returns the placement of the next digit.
    pub(super) fn read(&self, digits: &mut DigitReader) -> Placement {
        let storage = self.storages.get(digits.read_small(self.storages.len())).copied();
        let RegionStorage { region, pad, buffers } = storage.unwrap_or(RegionStorage { region: 0, pad: 0, buffers: 1 });
        let (mut unused, mut open, mut layout) = ((0..self.rank).collect::<Vec<_>>(), vec![], vec![]);
        self.layouts.unrank(digits.read(self.layouts.count()), |step| {
            let choice = step.choice.to_usize().unwrap_or(0);
            let from: &mut Vec<usize> = if step.key == AGAIN { &mut open } else { &mut unused };
            if choice < from.len() {
                let axis = from.remove(choice);
                layout.push(axis);
                if step.key == FIRST {
                    open.push(axis);
                }
            }
        });
        let region = self.memory.get(region).cloned().unwrap_or_default();
        Placement { region, layout, pad, buffers }
    }

    /// Adds the digits of a placement; `None` if it is none of these.
    pub(super) fn write(&self, placement: &Placement, digits: &mut DigitWriter) -> Option<()> {
        let Placement { region, layout, pad, buffers } = placement;
        let region = self.memory.iter().position(|known| known == region)?;
        let storage = RegionStorage { region, pad: *pad, buffers: *buffers };
        let number = self.storages.iter().position(|known| *known == storage)?;
        digits.write(number, self.storages.len());
        let (mut unused, mut open, mut path) = ((0..self.rank).collect::<Vec<_>>(), vec![], vec![]);
        for (position, axis) in layout.iter().enumerate() {
            let is_later = layout[position + 1..].contains(axis);
            let key = match unused.contains(axis) {
                true if is_later => FIRST,
                true => ONCE,
                false => AGAIN,
            };
            let from: &mut Vec<usize> = if key == AGAIN { &mut open } else { &mut unused };
            let choice = from.iter().position(|other| other == axis)?;
            from.remove(choice);
            if key == FIRST {
                open.push(*axis);
            }
            path.push(PathStep { key, value: 0, choice: BigUint::from(choice) });
        }
        digits.write(self.layouts.rank(path)?, self.layouts.count().clone());
        Some(())
    }
}

/// Returns the padding and the buffer slots that rule S12 allows in a region.
fn storages(region: usize, is_in_place: bool, system: &System) -> Vec<RegionStorage> {
    let memory = system.memory.get(region).map(|name| system.device_memory(name));
    let (pads, most) = match memory.filter(|_| system.is_device() && !is_in_place) {
        Some(Memory::Shared) => (Placement::MAX_PAD, Placement::MAX_BUFFERS),
        Some(Memory::Private) => (Placement::MAX_PAD, 1),
        Some(Memory::Global) | None => (0, 1),
    };
    (0..=pads).flat_map(|pad| (1..=most).map(move |buffers| RegionStorage { region, pad, buffers })).collect()
}

/// Returns the number of layouts of an output of this rank.
pub(super) fn output_layouts(rank: usize) -> BigUint {
    (1..=rank).fold(BigUint::one(), |product, factor| product * factor)
}
