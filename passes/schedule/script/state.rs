//! The state of a script: the loops of a schedule, which commands change step by step.
//!
//! ```text
//! x 512 · y 4096   ──tile %x by [8]──▶   x 64 · x 8 · y 4096   ──parallelize──▶   threads x 64 · x 8 · y 4096
//! ```
use crate::notation::json::axis;
use mdh_dialects::{
    lowlevel::script::{BufferKind, ScriptPhase},
    schedule::{
        model::{ComputeAt, Placement, System},
        roles::{CoreRole, MemoryRole},
        rules::{Shape, count_text},
    },
};

/// The number of parts of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopParts {
    /// A number.
    Count(u64),
    /// A number that the cost model chooses, or that depends on such a number.
    Open,
    /// As many as the extent needs; one loop of each dimension.
    Rest,
}

/// A loop of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptLoop {
    /// The dimension.
    pub dimension: usize,
    /// The number of parts.
    pub parts: LoopParts,
    /// By phase: the layer that executes it; `None` if no command names one.
    pub layers: [Option<String>; 3],
    /// The dimension of blocks or threads on a device; `None` if no command names one.
    pub axis: Option<usize>,
}

/// A placement of a buffer, from a loop on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptPlacement {
    /// The kind of the buffer.
    pub of: BufferKind,
    /// The number of the buffer, counted from 0.
    pub buffer: usize,
    /// The loop; `None` for the scalar function alone.
    pub inside: Option<usize>,
    /// The placement.
    pub placement: Placement,
}

/// The loops of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptState {
    /// All loops, also those that have been tiled; the other fields refer to them by their index.
    pub loops: Vec<ScriptLoop>,
    /// By phase: the loops, outermost first.
    pub order: [Vec<usize>; 3],
    /// By dimension: the loops, the one with the largest parts first.
    pub nested: Vec<Vec<usize>>,
    /// The placements of buffers, in the order of the commands.
    pub placements: Vec<ScriptPlacement>,
    /// The position in a later computation.
    pub at: Option<ComputeAt>,
}

impl ScriptState {
    /// One sequential loop for each of `rank` dimensions.
    pub fn new(rank: usize) -> Self {
        let of = |dimension| ScriptLoop { dimension, parts: LoopParts::Rest, layers: [None, None, None], axis: None };
        let all: Vec<_> = (0..rank).collect();
        Self {
            loops: all.iter().copied().map(of).collect(),
            order: [all.clone(), all.clone(), all],
            nested: (0..rank).map(|d| vec![d]).collect(),
            placements: vec![],
            at: None,
        }
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.nested.len()
    }

    /// True if the extents of a dimension are those of a part of the results.
    fn is_part(&self, d: usize, shape: &Shape) -> bool {
        self.at.is_some() && shape.operators[d].keeps()
    }

    /// The number of parts of a loop; `None` if it is open or follows from an extent that is not known. With
    /// `placeholder`, that number stands for each open number of parts.
    pub fn parts(&self, l: usize, shape: &Shape, placeholder: Option<u64>) -> Option<u64> {
        let d = self.loops[l].dimension;
        let count = |other: usize| match self.loops[other].parts {
            LoopParts::Count(count) => Some(count),
            LoopParts::Open => placeholder,
            LoopParts::Rest => None,
        };
        if self.loops[l].parts != LoopParts::Rest {
            return count(l);
        }
        // Empty dimensions have an empty loop, whatever the other parts are.
        let extent = shape.extent(d).filter(|extent| *extent > 0 && !self.is_part(d, shape))?;
        let position = self.nested[d].iter().position(|other| *other == l)?;
        let product =
            |loops: &[usize]| loops.iter().try_fold(1u64, |product, other| product.checked_mul(count(*other)?.max(1)));
        let (outer, inner) = (product(&self.nested[d][..position])?, product(&self.nested[d][position + 1..])?);
        Some(extent.div_ceil(outer).div_ceil(inner).max(1))
    }

    /// The placement of a buffer at each of the loops of its phase, outermost first, and in the scalar function; `None`
    /// for the placement of the user's buffer.
    pub fn placed(&self, of: BufferKind, buffer: usize) -> Vec<Option<&Placement>> {
        let order = &self.order[if of == BufferKind::Input { 0 } else { 2 }];
        let own = || self.placements.iter().filter(|place| place.of == of && place.buffer == buffer);
        let mut current = None;
        let mut all = vec![];
        for l in order {
            // The last command wins if several name one loop.
            current = own().rfind(|place| place.inside == Some(*l)).map(|place| &place.placement).or(current);
            all.push(current);
        }
        all.push(own().rfind(|place| place.inside.is_none()).map(|place| &place.placement).or(current));
        all
    }

    /// The state as text: the loops, outermost first, and before each loop the buffers that are placed from it on.
    pub fn text(&self, system: &System, shape: &Shape) -> String {
        let [decompose, scalar, recompose] = ScriptPhase::ALL.map(|phase| self.phase_text(phase, system, shape));
        let is_fused = (0..2).all(|i| self.order[i] == self.order[i + 1])
            && self.order[0].iter().all(|l| self.loops[*l].layers.windows(2).all(|pair| pair[0] == pair[1]));
        match is_fused {
            true => {
                let mut items = self.loop_texts(0, system, shape);
                self.insert_placements(&mut items, BufferKind::Output);
                self.insert_placements(&mut items, BufferKind::Input);
                items.into_iter().flatten().collect::<Vec<_>>().join(" · ")
            }
            false => format!("decompose {decompose}; scalar {scalar}; recompose {recompose}"),
        }
    }

    fn phase_text(&self, phase: ScriptPhase, system: &System, shape: &Shape) -> String {
        let mut items = self.loop_texts(phase as usize, system, shape);
        match phase {
            ScriptPhase::Decompose => self.insert_placements(&mut items, BufferKind::Input),
            ScriptPhase::Scalar => {}
            ScriptPhase::Recompose => self.insert_placements(&mut items, BufferKind::Output),
        }
        items.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }

    /// The texts of the loops of a phase, each in a list of its own, and an empty list for the scalar function.
    fn loop_texts(&self, phase: usize, system: &System, shape: &Shape) -> Vec<Vec<String>> {
        let text = |l: &usize| {
            let own = &self.loops[*l];
            let layer = own.layers[phase].as_deref().map_or(String::new(), |layer| match system.core_role(layer) {
                Some(CoreRole::Lanes) => "vector ".to_owned(),
                Some(role) => format!("{} ", role.name()),
                None if system.memory_role(layer) == Some(MemoryRole::Registers) => "registers ".to_owned(),
                None => format!("{layer} "),
            });
            vec![format!("{layer}{} {}", axis(own.dimension), count_text(self.parts(*l, shape, None)))]
        };
        self.order[phase].iter().map(text).chain([vec![]]).collect()
    }

    /// Inserts the placements of buffers before the texts of the loops where they begin.
    fn insert_placements(&self, items: &mut [Vec<String>], of: BufferKind) {
        let order = &self.order[if of == BufferKind::Input { 0 } else { 2 }];
        for place in self.placements.iter().filter(|place| place.of == of).rev() {
            let position = place.inside.and_then(|l| order.iter().position(|other| *other == l));
            let text = format!("[{} {} in {}]", of.name(), place.buffer + 1, place.placement);
            if let Some(item) = items.get_mut(position.unwrap_or(order.len())) {
                item.insert(0, text);
            }
        }
    }
}
