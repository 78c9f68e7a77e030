//! Schedules: the tuning parameters 0, D1–D4, S1–S6, R1–R4 of the paper's Table 1, as data.
use super::roles::{CoreRole, MemoryRole, Runner};
use std::fmt;

/// An MDH level: a layer and a dimension, both counted from 0 (the IR, JSON and messages count from 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Level {
    /// The layer; 0 is the outermost.
    pub layer: usize,
    /// The dimension of the iteration space.
    pub dimension: usize,
}

/// A level of the abstract system model: a named layer and a dimension counted from 0 (an operator tag).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag {
    /// The name of a memory or core layer of the system.
    pub layer: String,
    /// The dimension.
    pub dimension: usize,
}

/// The storage of a part of a buffer: a memory region, a layout, padding and buffer slots.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The name of a memory layer of the system.
    pub region: String,
    /// A permutation of the buffer's dimensions, counted from 0, slowest first; the identity is row-major. In a part of
    /// an input, a dimension may occur twice (a packed axis): the first occurrence counts its register tiles, the
    /// second one the elements of a tile.
    pub layout: Vec<usize>,
    /// Padding of the fastest dimension of a part of an input, in elements; 0 leaves it to the compiler.
    pub pad: u64,
    /// The number of buffer slots of a part of an input: 1, or 2 for double buffering, where the next part is copied
    /// while the current one is computed.
    pub buffers: u64,
}

impl Placement {
    /// The maximum padding, in elements.
    pub const MAX_PAD: u64 = 64;
    /// The maximum number of buffer slots.
    pub const MAX_BUFFERS: u64 = 2;

    /// A region and a layout, without padding and with one buffer slot.
    pub fn new(region: impl Into<String>, layout: impl IntoIterator<Item = usize>) -> Self {
        Self { region: region.into(), layout: layout.into_iter().collect(), pad: 0, buffers: 1 }
    }

    /// True if the placement has padding or several buffer slots.
    pub fn has_suffix(&self) -> bool {
        self.pad != 0 || self.buffers != 1
    }

    /// The layout with dimensions counted from 1, such as `2, 1`.
    pub fn layout_text(&self) -> String {
        let layout: Vec<_> = self.layout.iter().map(|d| (d.wrapping_add(1) as i64).to_string()).collect();
        layout.join(", ")
    }

    /// The text after the layout, such as ` pad 1 buffers 2`.
    pub fn suffixes(&self) -> String {
        let mut text = String::new();
        if self.pad != 0 {
            text += &format!(" pad {}", self.pad);
        }
        if self.buffers != 1 {
            text += &format!(" buffers {}", self.buffers);
        }
        text
    }
}

/// The syntax of the IR, such as `HM[1, 2]` or `SM[2, 1] pad 1 buffers 2`.
impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]{}", self.region, self.layout_text(), self.suffixes())
    }
}

/// The indices that one dimension of a stored part enumerates: those of a whole axis, or one half of a packed axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredAxis {
    /// All indices of an axis.
    All,
    /// The register tiles along a packed axis.
    Tiles,
    /// The elements of one register tile along a packed axis.
    Elements,
}

impl StoredAxis {
    /// True if the dimension enumerates the parts of a level; `is_inside` is true for a level inside of register tiles.
    pub fn counts(self, is_inside: bool) -> bool {
        match self {
            Self::All => true,
            Self::Tiles => !is_inside,
            Self::Elements => is_inside,
        }
    }
}

/// The dimensions of a part with a layout, slowest first: the axis of the buffer, and which of its indices the
/// dimension enumerates.
pub fn stored_axes(layout: &[usize]) -> impl Iterator<Item = (usize, StoredAxis)> {
    layout.iter().enumerate().map(move |(position, axis)| {
        let is_again = |others: &[usize]| others.contains(axis);
        let stored = match (is_again(&layout[..position]), is_again(&layout[position + 1..])) {
            (true, _) => StoredAxis::Elements,
            (false, true) => StoredAxis::Tiles,
            (false, false) => StoredAxis::All,
        };
        (*axis, stored)
    })
}

/// The abstract system model (paper, Definition 10).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct System {
    /// The symbol.
    pub name: String,
    /// Memory layers, outermost first.
    pub memory: Vec<String>,
    /// By memory layer: its role.
    pub memory_roles: Vec<MemoryRole>,
    /// Core layers, outermost first.
    pub cores: Vec<String>,
    /// By core layer: its role.
    pub core_roles: Vec<CoreRole>,
    /// By core layer: the index in `memory` of the innermost region in which its parts may be combined.
    pub combine: Vec<usize>,
    /// By core layer: the largest number of parts over all dimensions; `None` if unlimited.
    pub limit: Vec<Option<u64>>,
}

impl System {
    /// The number of layers of the de-composition: memory layers and core layers together.
    pub fn layers(&self) -> usize {
        self.memory.len() + self.cores.len()
    }
}

/// One step of the de- or re-composition phase.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The level that the step de-composes or re-composes.
    pub level: Level,
    /// The system level that executes it (D2, R2).
    pub tag: Tag,
    /// By input buffer: where its parts are read from (D3, D4); or by output buffer: where combined parts are written
    /// to (R3, R4).
    pub placements: Vec<Placement>,
}

/// The scalar phase.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ScalarPhase {
    /// The levels in the order of iteration, outermost first (S1), with the system level that executes each (S2).
    pub order: Vec<(Level, Tag)>,
    /// By input buffer: where it is read from (S3, S4).
    pub reads: Vec<Placement>,
    /// By output buffer: where it is written to (S5, S6).
    pub writes: Vec<Placement>,
}

/// The position at which the results of a computation are computed, if only one later computation reads them: in parts,
/// each directly before the consumer reads it, instead of all at once before the consumer starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ComputeAt {
    /// The consumer: its number among the computations of the function, counted from 0 (the IR, JSON and messages count
    /// from 1).
    pub consumer: usize,
    /// The level of the consumer: each of its parts computes the part of the results that it reads.
    pub level: Level,
}

/// A complete set of tuning parameters for one computation on one system.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Schedule {
    /// The system.
    pub system: System,
    /// Parameter 0, by layer, then by dimension: the number of parts; `None` (`?`) if it follows from the extent.
    pub parts: Vec<Vec<Option<u64>>>,
    /// The de-composition phase, outermost step first (the order is D1).
    pub decompose: Vec<Step>,
    /// The scalar phase.
    pub scalar: ScalarPhase,
    /// The re-composition phase, outermost step first (the order is R1; the steps are executed from last to first).
    pub recompose: Vec<Step>,
    /// The position in a later computation; `None` if all results are computed at once. The extents of the dimensions
    /// that the results keep are then those of a part, so each of them has the part count `?`.
    pub at: Option<ComputeAt>,
}

impl Schedule {
    /// True if a level has more than one part.
    pub fn is_loop(&self, level: Level) -> bool {
        self.parts[level.layer][level.dimension] != Some(1)
    }

    /// The levels of the scalar phase that have more than one part, outermost first.
    pub fn scalar_loops(&self) -> Vec<(Level, &Tag)> {
        let order = self.scalar.order.iter().map(|(level, tag)| (*level, tag));
        order.filter(|(level, _)| self.is_loop(*level)).collect()
    }

    fn on_host(&self, tag: &Tag) -> Option<Runner> {
        self.system.core(&tag.layer).map(|core| self.system.on_host(core))
    }

    /// True if the parts of a level with this tag are mapped to the threads of a host.
    pub fn is_threaded(&self, tag: &Tag) -> bool {
        self.on_host(tag) == Some(Runner::THREADS)
    }

    /// True if the parts of a level with this tag are mapped to the vector lanes of a host.
    pub fn is_vector(&self, tag: &Tag) -> bool {
        self.on_host(tag) == Some(Runner::Lanes)
    }

    /// True if a tag names a core layer: on a device, blocks, warps or threads.
    pub fn is_core(&self, tag: &Tag) -> bool {
        self.system.core(&tag.layer).is_some()
    }

    /// True if a tag names registers: the parts of its level are unrolled.
    pub fn is_register(&self, tag: &Tag) -> bool {
        self.system.memory_role(&tag.layer) == Some(MemoryRole::Registers)
    }

    /// True if a tag names the blocks of a device.
    pub fn is_of_blocks(&self, tag: &Tag) -> bool {
        self.system.core_role(&tag.layer) == Some(CoreRole::Blocks)
    }

    /// True if a tag names the warps or the threads of a block.
    pub fn is_of_threads(&self, tag: &Tag) -> bool {
        matches!(self.system.core_role(&tag.layer), Some(CoreRole::Warps | CoreRole::Threads))
    }

    /// True if a level with this tag has several parts, mapped to blocks.
    pub fn is_block(&self, level: Level, tag: &Tag) -> bool {
        self.is_loop(level) && self.is_of_blocks(tag)
    }

    /// The levels whose parts are mapped to blocks, in the scalar phase and in the re-composition phase.
    pub fn blocks(&self) -> (Vec<Level>, Vec<Level>) {
        let scalar =
            self.scalar.order.iter().filter(|(level, tag)| self.is_block(*level, tag)).map(|(level, _)| *level);
        let recompose =
            self.recompose.iter().filter(|step| self.is_block(step.level, &step.tag)).map(|step| step.level);
        (scalar.collect(), recompose.collect())
    }

    /// The placement of the user's buffers: in the outermost region, row-major.
    pub fn home(&self, rank: usize) -> Placement {
        Placement::new(self.system.outermost(), 0..rank)
    }
}
