//! The rules of a schedule, S1 to S10 and S12 of `docs/spec.md`, on plain data, independent of the IR.
use super::{
    chain::{Chain, ChainStep, Position},
    model::{Level, Placement, Schedule, System},
    roles::{DEVICE, Memory, MemoryRole},
};
use crate::hom::CombineOperator;

/// The properties of a computation that the rules depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The extents of the iteration space; `None` if dynamic.
    pub(super) extents: Vec<Option<u64>>,
    /// One combine operator per dimension.
    pub operators: Vec<CombineOperator>,
    /// The rank of each input buffer.
    pub inputs: Vec<usize>,
    /// The rank of each output buffer.
    pub outputs: Vec<usize>,
}

impl Shape {
    /// The shape of a computation with these extents, `None` if dynamic, and operators, on buffers of these ranks.
    pub fn new(
        extents: impl IntoIterator<Item = Option<u64>>,
        operators: Vec<CombineOperator>,
        inputs: Vec<usize>,
        outputs: Vec<usize>,
    ) -> Self {
        Self { extents: extents.into_iter().collect(), operators, inputs, outputs }
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.extents.len()
    }

    /// The extent of a dimension; `None` if dynamic.
    pub fn extent(&self, d: usize) -> Option<u64> {
        self.extents[d]
    }

    /// The extents; `None` if dynamic.
    pub fn extents(&self) -> impl Iterator<Item = Option<u64>> + Clone {
        self.extents.iter().copied()
    }
}

/// A violated rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The position of the violation.
    pub at: Position,
    /// A sentence that begins with the label of the rule.
    pub message: String,
    /// Another position that is involved, and a description of it.
    pub note: Option<(Position, &'static str)>,
}

/// The largest product of part counts in a dimension: index arithmetic uses signed 64-bit integers, and partial tiles
/// reach up to twice the extent.
const LARGEST: u64 = 1 << 62;

/// Checks all rules of a schedule. On failure, returns all violations, each a sentence that begins with the label of
/// its rule.
pub fn check(schedule: &Schedule, shape: &Shape) -> Result<(), Vec<String>> {
    let mut found = vec![];
    let (layers, rank) = (schedule.system.layers(), shape.extents.len());
    if schedule.parts.len() != layers {
        found.push(format!(
            "S1: the system @{} has {layers} layers, but the part counts have {} rows",
            schedule.system.name,
            schedule.parts.len()
        ));
    }
    if let Some((layer, row)) = schedule.parts.iter().enumerate().find(|(_, row)| row.len() != rank) {
        found.push(format!(
            "S1: the computation has {rank} dimensions, but layer {} has {} part counts",
            layer + 1,
            row.len()
        ));
    }
    if found.is_empty() {
        found.extend(violations(&Chain::of(schedule, shape)).into_iter().map(|violation| violation.message));
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// The first violation, which often causes the others, and the total number of violations.
pub fn summary(violations: &[String]) -> String {
    match violations {
        [] => String::new(),
        [first] => first.clone(),
        [first, others @ ..] => format!("{first} (the first of {} violations)", others.len() + 1),
    }
}

/// A level in the format of messages.
pub fn name(level: Level) -> String {
    format!("({}, {})", level.layer + 1, level.dimension + 1)
}

/// A part count or an extent in the format of messages.
pub fn count_text(count: Option<u64>) -> String {
    count.map_or_else(|| "?".to_owned(), |count| count.to_string())
}

/// The number of parts of a level for the given extents; `None` if it is known only at run time.
fn actual(parts: &[Vec<Option<u64>>], extents: &[Option<u64>], level: Level) -> Option<u64> {
    let column = |layer: usize| parts[layer][level.dimension];
    if let Some(parts) = column(level.layer) {
        return Some(parts);
    }
    let product = |mut layers: std::ops::Range<usize>| layers.try_fold(1u64, |p, l| p.checked_mul(column(l)?.max(1)));
    let outer = product(0..level.layer)?;
    let inner = product(level.layer + 1..parts.len())?;
    Some(extents[level.dimension]?.div_ceil(outer).div_ceil(inner))
}

/// S2: the message if a level has fewer than 1 part; `None` if the count is valid.
pub fn part_count_violation(level: Level, parts: i128) -> Option<String> {
    (parts < 1).then(|| format!("S2: level {} has {parts} parts, but at least 1 is required", name(level)))
}

/// All violations in an expression, which may be incomplete.
pub fn violations(chain: &Chain) -> Vec<Violation> {
    let mut rules = Rules { chain, found: vec![] };
    let phases = [
        Phase {
            name: "de-composition",
            steps: chain.decompose.iter().enumerate().map(|(i, step)| (Position::Decompose(i), step)).collect(),
            is_complete: chain.inputs.is_some(),
            end: Some(Position::Inputs),
        },
        Phase {
            name: "scalar",
            steps: chain.scalar.iter().map(|step| (Position::Scalar, step)).collect(),
            is_complete: true,
            end: None,
        },
        Phase {
            name: "re-composition",
            steps: chain.recompose.iter().enumerate().map(|(i, step)| (Position::Recompose(i), step)).rev().collect(),
            is_complete: chain.outputs.is_some(),
            end: Some(Position::Outputs),
        },
    ];
    let has_levels = phases.each_ref().map(|phase| rules.levels(phase));
    rules.agreement();
    for dimension in 0..chain.rank() {
        rules.cover(dimension);
    }
    if let Some(system) = &chain.system {
        for (phase, _) in phases.iter().zip(has_levels).filter(|(_, has_levels)| *has_levels) {
            rules.tags(phase, system);
            rules.limits(phase, system);
        }
    }
    for (i, step) in chain.decompose.iter().enumerate() {
        let at = format!("de-composition step {}", name(step.level));
        rules.placed(Position::Decompose(i), &at, "input", step.placements.as_deref());
    }
    rules.placed(Position::Scalar, "the scalar phase", "input", chain.reads.as_deref());
    rules.placed(Position::Scalar, "the scalar phase", "output", chain.writes.as_deref());
    for (i, step) in chain.recompose.iter().enumerate() {
        let at = format!("re-composition step {}", name(step.level));
        rules.placed(Position::Recompose(i), &at, "output", step.placements.as_deref());
    }
    rules.prefix_sums();
    if let Some(system) = &chain.system {
        for (i, step) in chain.recompose.iter().enumerate() {
            rules.combining(i, step, system);
        }
    }
    rules.found
}

/// The levels of one phase.
struct Phase<'a> {
    name: &'static str,
    /// The steps in the order of execution.
    steps: Vec<(Position, &'a ChainStep)>,
    is_complete: bool,
    /// The view at which the phase ends.
    end: Option<Position>,
}

struct Rules<'a> {
    chain: &'a Chain,
    found: Vec<Violation>,
}

const SYSTEM: (Position, &str) = (Position::System, "the system is here");
const OTHER: &str = "the other step is here";

impl Rules<'_> {
    fn add(&mut self, at: Position, message: String) {
        self.found.push(Violation { at, message, note: None });
    }

    fn add_with(&mut self, note: (Position, &'static str), at: Position, message: String) {
        // A note at the position of the violation is redundant.
        self.found.push(Violation { at, message, note: Some(note).filter(|(place, _)| *place != at) });
    }

    /// S1: the phase has every level exactly once; returns true if the rule holds.
    fn levels(&mut self, phase: &Phase<'_>) -> bool {
        let (layers, rank, before) = (self.chain.layers, self.chain.rank(), self.found.len());
        let name_of_phase = phase.name;
        let mut seen: Vec<Vec<Option<Position>>> = vec![vec![None; rank]; layers];
        for &(at, step) in &phase.steps {
            let level = name(step.level);
            match seen.get_mut(step.level.layer).and_then(|row| row.get_mut(step.level.dimension)) {
                None => self.add(
                    at,
                    format!(
                        "S1: the {name_of_phase} phase has the level {level}, but there are {layers} layers and {rank} dimensions"
                    ),
                ),
                Some(Some(other)) => {
                    let note = (*other, OTHER);
                    self.add_with(note, at, format!("S1: the {name_of_phase} phase has the level {level} twice"));
                }
                Some(first) => *first = Some(at),
            }
        }
        for (layer, row) in seen.iter().enumerate().filter(|_| phase.is_complete) {
            for (dimension, _) in row.iter().enumerate().filter(|(_, seen)| seen.is_none()) {
                let level = name(Level { layer, dimension });
                let note = phase.end.map(|end| (end, "the phase ends at this view"));
                let message = format!("S1: the {name_of_phase} phase lacks the level {level}");
                self.found.push(Violation { at: Position::Scalar, message, note });
            }
        }
        self.found.len() == before
    }

    /// S2: the phases agree on the part counts.
    fn agreement(&mut self) {
        for (i, step) in self.chain.recompose.iter().enumerate() {
            let other = self.chain.decompose.iter().rposition(|other| other.level == step.level);
            let Some(other) = other.filter(|&other| self.chain.decompose[other].parts != step.parts) else { continue };
            let message = format!(
                "S2: level {} has {} parts in the de-composition, but {} in the re-composition",
                name(step.level),
                count_text(self.chain.decompose[other].parts),
                count_text(step.parts)
            );
            let note = (Position::Decompose(other), "the step of the de-composition is here");
            self.add_with(note, Position::Recompose(i), message);
        }
    }

    /// S2: the parts cover the extent and none is always empty; S10: `?` occurs at most once per dimension, and only
    /// where allowed or required.
    fn cover(&mut self, d: usize) {
        let Some(parts) = &self.chain.parts else { return };
        let (dimension, extent) = (d + 1, self.chain.extents[d]);
        let column: Vec<_> = parts.iter().map(|row| row[d]).collect();
        let step = |layer: usize| {
            let level = Level { layer, dimension: d };
            self.chain
                .decompose
                .iter()
                .position(|step| step.level == level)
                .map_or(Position::Scalar, Position::Decompose)
        };
        let counts = || column.iter().enumerate().filter_map(|(layer, count)| Some((layer, (*count)?)));
        let level = |layer: usize| Level { layer, dimension: d };
        if let Some((layer, message)) =
            counts().find_map(|(l, count)| Some((l, part_count_violation(level(l), count.into())?)))
        {
            return self.add(step(layer), message);
        }
        let mut product = 1u64;
        for (layer, count) in counts() {
            match product.checked_mul(count).filter(|&product| product <= LARGEST) {
                Some(larger) => product = larger,
                None => {
                    let message = format!("S2: the part counts of dimension {dimension} multiply to more than 2^62");
                    return self.add(step(layer), message);
                }
            }
        }
        match (column.iter().filter(|count| count.is_none()).count(), extent) {
            (0, None) => self.add(
                Position::Scalar,
                format!(
                    "S10: dimension {dimension} has a dynamic extent, so one of its part counts must be ?, but all are numbers"
                ),
            ),
            // The one part of a level that is no loop would be computed.
            (0, Some(0)) => self.add(
                Position::Scalar,
                format!(
                    "S2: dimension {dimension} has the extent 0, so one of its part counts must be ?, but all are numbers"
                ),
            ),
            (0, Some(extent)) if product < extent => self.add(
                Position::Scalar,
                format!("S2: the part counts of dimension {dimension} multiply to {product}, but its extent is {extent}"),
            ),
            (0, Some(extent)) => {
                let layer = column.iter().position(|&count| count != Some(1)).unwrap_or(0);
                let outer = column[layer].unwrap_or(1);
                let size = product / outer;
                // Lanes are a property of the machine: if parts are single points, there may be as many as the lanes of
                // the smallest vector that covers the extent.
                let is_vector = size == 1 && outer == extent.next_power_of_two();
                if !is_vector && (outer - 1).saturating_mul(size) >= extent {
                    let message = format!(
                        "S2: level {} has {outer} parts of {size} points, but {} cover the extent {extent} of dimension {dimension}",
                        name(level(layer)),
                        extent.div_ceil(size)
                    );
                    self.add(step(layer), message);
                }
            }
            (1, _) => {}
            (several, _) => self.add(
                Position::Scalar,
                format!(
                    "S10: dimension {dimension} has {several} part counts that are ?, but at most one can follow from the extent"
                ),
            ),
        }
    }

    /// S3: the tags are a bijection onto the system's levels.
    fn tags(&mut self, phase: &Phase<'_>, system: &System) {
        let rank = self.chain.rank();
        let mut taken: Vec<(Position, &ChainStep)> = vec![];
        for &(at, step) in &phase.steps {
            let Some(tag) = &step.tag else { continue };
            let level = name(step.level);
            if !system.layer_names().any(|layer| layer == tag.layer) {
                let message = format!(
                    "S3: level {level} of the {} phase is tagged with the layer {}, but the system @{} has the layers {}",
                    phase.name,
                    tag.layer,
                    system.name,
                    system.layer_names().collect::<Vec<_>>().join(", ")
                );
                self.add_with(SYSTEM, at, message);
            } else if tag.dimension >= rank {
                let message = format!(
                    "S3: level {level} of the {} phase is tagged with the dimension {}, but there are {rank}",
                    phase.name,
                    tag.dimension.wrapping_add(1) as i64
                );
                self.add(at, message);
            } else if let Some((other, first)) = taken.iter().find(|(_, known)| known.tag == step.tag) {
                let message = format!(
                    "S3: levels {} and {level} of the {} phase have the same tag ({}, {})",
                    name(first.level),
                    phase.name,
                    tag.layer,
                    tag.dimension + 1
                );
                self.add_with((*other, OTHER), at, message);
            } else {
                taken.push((at, step));
            }
        }
    }

    /// S4: regions are memory layers; S5: layouts are permutations; S6: one placement per buffer; S12: padding and
    /// buffer slots.
    fn placed(&mut self, place: Position, at: &str, kind: &str, placements: Option<&[Placement]>) {
        let Some(placements) = placements else { return };
        let chain = self.chain;
        let ranks = if kind == "input" { &chain.inputs } else { &chain.outputs }.as_deref();
        if let Some(ranks) = ranks.filter(|ranks| ranks.len() != placements.len()) {
            let count = placements.len();
            let message = format!("S6: {at} places {count} {kind} buffers, but there are {}", ranks.len());
            return self.add(place, message);
        }
        for (i, placement) in placements.iter().enumerate() {
            let buffer = i + 1;
            if let Some(system) = chain.system.as_ref().filter(|system| system.region(&placement.region).is_none()) {
                let message = format!(
                    "S4: {at} places {kind} buffer {buffer} in {}, but the memory layers of the system @{} are {}",
                    placement.region,
                    system.name,
                    system.memory.join(", ")
                );
                self.add_with(SYSTEM, place, message);
            }
            let mut sorted = placement.layout.clone();
            sorted.sort_unstable();
            // A part of an input may have packed axes, which occur twice: register tiles and their elements.
            if kind == "input" && sorted.chunk_by(|a, b| a == b).all(|same| same.len() <= 2) {
                sorted.dedup();
            }
            let rank = ranks.map_or(sorted.len(), |ranks| ranks[i]);
            if !sorted.into_iter().eq(0..rank) {
                let message = format!(
                    "S5: {at} gives {kind} buffer {buffer} the layout [{}], but a permutation of 1 to {rank} is required",
                    placement.layout_text()
                );
                self.add(place, message);
            }
            if let Some((problem, note)) =
                chain.system.as_ref().and_then(|system| storage_violation(kind, placement, system))
            {
                let message =
                    format!("S12: {at} gives {kind} buffer {buffer} the placement {placement}, but {problem}");
                self.found.push(Violation { at: place, message, note });
            }
        }
    }

    /// S7: the layers of a prefix-sum dimension stay in order, with the outermost layer outermost.
    fn prefix_sums(&mut self) {
        for dimension in 0..self.chain.rank() {
            let steps = self.chain.recompose.iter().enumerate();
            let steps = steps.filter(|(_, step)| step.level.dimension == dimension && step.operator.is_scan());
            let steps: Vec<_> = steps.map(|(i, step)| (i, step.level)).collect();
            for pair in steps.windows(2).filter(|pair| pair[0].1.layer > pair[1].1.layer) {
                let message = format!(
                    "S7: the re-composition phase has level {} outside level {}, but the layers of the prefix-sum dimension {} must stay in order",
                    name(pair[0].1),
                    name(pair[1].1),
                    dimension + 1
                );
                self.add_with((Position::Recompose(pair[1].0), OTHER), Position::Recompose(pair[0].0), message);
            }
        }
    }

    /// S8: results of several cores are combined only in memory that all of them can access.
    fn combining(&mut self, i: usize, step: &ChainStep, system: &System) {
        let Some(tag) = &step.tag else { return };
        let Some(core) = system.core(&tag.layer) else { return };
        if step.operator.concatenates() || step.parts == Some(1) {
            return;
        }
        for (buffer, placement) in step.placements.iter().flatten().enumerate() {
            if system.region(&placement.region).is_some_and(|region| region > system.combine[core]) {
                let message = format!(
                    "S8: re-composition step {} combines parts of the core layer {} of output buffer {} in {}, but the system @{} allows {}",
                    name(step.level),
                    tag.layer,
                    buffer + 1,
                    placement.region,
                    system.name,
                    system.memory[..=system.combine[core]].join(", ")
                );
                self.add_with(SYSTEM, Position::Recompose(i), message);
            }
        }
    }

    /// S9: the number of parts on a core layer is at most the limit of the system.
    fn limits(&mut self, phase: &Phase<'_>, system: &System) {
        let chain = self.chain;
        for (core, limit) in system.cores.iter().zip(&system.limit) {
            let Some(limit) = *limit else { continue };
            let (mut product, mut last) = (1u64, None);
            let is_on_core = |step: &ChainStep| step.tag.as_ref().is_some_and(|tag| tag.layer == *core);
            for &(at, step) in phase.steps.iter().filter(|(_, step)| is_on_core(step)) {
                let parts = chain.parts.as_ref().map(|parts| actual(parts, &chain.extents, step.level));
                match step.parts.map(Some).or(parts) {
                    Some(Some(count)) => {
                        product = product.saturating_mul(count.max(1));
                        last = last.or((product > limit).then_some(at));
                    }
                    Some(None) => self.add(
                        at,
                        format!(
                            "S9: level {} of the {} phase has a dynamic number of parts (?) on the core layer {core}, but the core layer allows at most {limit} parts",
                            name(step.level),
                            phase.name
                        ),
                    ),
                    None => {}
                }
            }
            if let Some(at) = last {
                let message = format!(
                    "S9: the {} phase has {product} parts on the core layer {core}, but the system @{} allows {limit}",
                    phase.name, system.name
                );
                self.add_with(SYSTEM, at, message);
            }
        }
    }
}

/// S12: the problem with the padding or the number of buffers of a placement, if any, and a note if it is due to the
/// system.
fn storage_violation(
    kind: &str,
    placement: &Placement,
    system: &System,
) -> Option<(String, Option<(Position, &'static str)>)> {
    system.region(&placement.region).filter(|_| placement.has_suffix())?;
    let memory = system.device_memory(&placement.region);
    let (pad, buffers) = (placement.pad, placement.buffers);
    let problem = match () {
        () if kind != "input" => "pad and buffers are for parts of inputs".to_owned(),
        () if !system.is_device() => {
            let problem =
                format!("pad and buffers require {DEVICE}, and @{} has {}", system.name, system.layers_text());
            return Some((problem, Some(SYSTEM)));
        }
        () if memory == Memory::Global => {
            let inner = system.memory.iter().filter(|layer| system.device_memory(layer) != Memory::Global);
            let inner: Vec<_> = inner.map(String::as_str).collect();
            format!("pad and buffers require {}", inner.join(" or "))
        }
        () if pad > Placement::MAX_PAD => format!("pad requires at most {} elements", Placement::MAX_PAD),
        () if !(1..=Placement::MAX_BUFFERS).contains(&buffers) => "buffers requires 1 or 2".to_owned(),
        () if buffers == 2 && memory != Memory::Shared => {
            format!("buffers 2 requires {}", system.memory_of(MemoryRole::Shared).unwrap_or_default())
        }
        () => return None,
    };
    Some((problem, None))
}

#[cfg(test)]
mod tests;
