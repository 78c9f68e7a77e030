//! The rules of a schedule, S1 to S10 and S12 of `docs/spec.md`, on plain data: no IR takes part.
use super::model::{Level, Placement, Schedule, Step, System, Tag};
use crate::hom::CombineOperator;

/// What the rules need to know about a computation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The extents of the iteration space; `None` where dynamic.
    pub(super) extents: Vec<Option<u64>>,
    /// One combine operator a dimension.
    pub operators: Vec<CombineOperator>,
    /// The rank of each input buffer.
    pub inputs: Vec<usize>,
    /// The rank of each output buffer.
    pub outputs: Vec<usize>,
}

impl Shape {
    /// The shape of a computation with these extents, `None` where dynamic, and operators, on buffers of these ranks.
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

    /// The extent of a dimension; `None` where dynamic.
    pub fn extent(&self, d: usize) -> Option<u64> {
        self.extents[d]
    }

    /// The extents; `None` where dynamic.
    pub fn extents(&self) -> impl Iterator<Item = Option<u64>> + Clone {
        self.extents.iter().copied()
    }
}

/// The largest product of part counts in a dimension: index arithmetic is in signed 64-bit integers, and partial tiles
/// reach up to twice the extent.
const LARGEST: u64 = 1 << 62;

/// Checks every rule. On failure: all violations, each a sentence that begins with its rule.
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
    if !found.is_empty() {
        return Err(found);
    }
    parts(schedule, shape, &mut found);
    let decompose: Vec<_> = schedule.decompose.iter().map(|step| (step.level, &step.tag)).collect();
    let scalar: Vec<_> = schedule.scalar.order.iter().map(|(level, tag)| (*level, tag)).collect();
    let recompose: Vec<_> = schedule.recompose.iter().map(|step| (step.level, &step.tag)).collect();
    for (phase, steps) in [("de-composition", &decompose), ("scalar", &scalar), ("re-composition", &recompose)] {
        let before = found.len();
        levels(phase, steps, layers, rank, &mut found);
        if found.len() == before {
            tags(phase, steps, &schedule.system, rank, &mut found);
            limits(phase, steps, schedule, shape, &mut found);
        }
    }
    let mut place = |at: String, kind: &str, placements: &[Placement], ranks: &[usize]| {
        placed(&at, kind, placements, ranks, &schedule.system, &mut found);
    };
    for step in &schedule.decompose {
        place(format!("de-composition step {}", name(step.level)), "input", &step.placements, &shape.inputs);
    }
    place("the scalar phase".to_owned(), "input", &schedule.scalar.reads, &shape.inputs);
    place("the scalar phase".to_owned(), "output", &schedule.scalar.writes, &shape.outputs);
    for step in &schedule.recompose {
        place(format!("re-composition step {}", name(step.level)), "output", &step.placements, &shape.outputs);
    }
    prefix_sums(&schedule.recompose, shape, &mut found);
    for step in schedule.recompose.iter().filter(|step| step.level.layer < layers && step.level.dimension < rank) {
        combining(step, schedule, shape, &mut found);
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// The first violation, which the others often follow from, and how many others there are.
pub fn summary(violations: &[String]) -> String {
    match violations {
        [] => String::new(),
        [first] => first.clone(),
        [first, others @ ..] => format!("{first} (the first of {} violations)", others.len() + 1),
    }
}

/// A level as messages write it.
pub fn name(level: Level) -> String {
    format!("({}, {})", level.layer + 1, level.dimension + 1)
}

/// The number of parts of a level on actual extents; none where it is known at run time only.
pub fn count(schedule: &Schedule, extents: &[Option<u64>], level: Level) -> Option<u64> {
    let column = |layer: usize| schedule.parts[layer][level.dimension];
    if let Some(parts) = column(level.layer) {
        return Some(parts);
    }
    let product = |mut layers: std::ops::Range<usize>| layers.try_fold(1u64, |p, l| p.checked_mul(column(l)?.max(1)));
    let outer = product(0..level.layer)?;
    let inner = product(level.layer + 1..schedule.parts.len())?;
    Some(extents[level.dimension]?.div_ceil(outer).div_ceil(inner))
}

/// S2: the parts cover the extent and none is always empty; S10: where `?` may and must stand.
fn parts(schedule: &Schedule, shape: &Shape, found: &mut Vec<String>) {
    for (d, extent) in shape.extents.iter().enumerate() {
        let dimension = d + 1;
        let column: Vec<_> = schedule.parts.iter().map(|row| row[d]).collect();
        if let Some(layer) = column.iter().position(|&count| count == Some(0)) {
            found.push(format!(
                "S2: level {} has 0 parts, but at least 1 is required",
                name(Level { layer, dimension: d })
            ));
            continue;
        }
        let product = column.iter().flatten().try_fold(1u64, |product, &count| product.checked_mul(count));
        let Some(product) = product.filter(|&product| product <= LARGEST) else {
            found.push(format!("S2: the part counts of dimension {dimension} multiply to more than 2^62"));
            continue;
        };
        match (column.iter().filter(|count| count.is_none()).count(), extent) {
            (0, None) => found.push(format!(
                "S10: dimension {dimension} has a dynamic extent, so one of its part counts must be ?, but all are numbers"
            )),
            (0, Some(extent)) if product < *extent => found.push(format!(
                "S2: the part counts of dimension {dimension} multiply to {product}, but its extent is {extent}"
            )),
            (0, Some(extent)) => {
                let layer = column.iter().position(|&count| count != Some(1)).unwrap_or(0);
                let outer = column[layer].unwrap_or(1);
                let size = product / outer;
                let level = Level { layer, dimension: d };
                // Lanes are a property of the machine: parts that are points may be as many as a vector has that covers the extent.
                let is_vector = size == 1 && outer == extent.next_power_of_two();
                if !is_vector && (outer - 1).saturating_mul(size) >= *extent {
                    found.push(format!(
                        "S2: level {} has {outer} parts of {size} points, but {} cover the extent {extent} of dimension {dimension}",
                        name(level),
                        extent.div_ceil(size)
                    ));
                }
            }
            (1, _) => {}
            (several, _) => found.push(format!(
                "S10: dimension {dimension} has {several} part counts that are ?, but at most one can follow from the extent"
            )),
        }
    }
}

/// S1: every level exactly once.
fn levels(phase: &str, steps: &[(Level, &Tag)], layers: usize, rank: usize, found: &mut Vec<String>) {
    let mut seen = vec![vec![false; rank]; layers];
    for (level, _) in steps {
        match seen.get_mut(level.layer).and_then(|row| row.get_mut(level.dimension)) {
            None => found.push(format!(
                "S1: the {phase} phase has the level {}, but there are {layers} layers and {rank} dimensions",
                name(*level)
            )),
            Some(true) => found.push(format!("S1: the {phase} phase has the level {} twice", name(*level))),
            Some(first) => *first = true,
        }
    }
    for (layer, row) in seen.iter().enumerate() {
        for (dimension, _) in row.iter().enumerate().filter(|(_, seen)| !**seen) {
            found.push(format!("S1: the {phase} phase lacks the level {}", name(Level { layer, dimension })));
        }
    }
}

/// S3: the tags are a bijection onto the system's levels.
fn tags(phase: &str, steps: &[(Level, &Tag)], system: &System, rank: usize, found: &mut Vec<String>) {
    let mut taken: Vec<(&Tag, Level)> = vec![];
    for (level, tag) in steps {
        let at = name(*level);
        if !system.layer_names().any(|layer| layer == tag.layer) {
            found.push(format!(
                "S3: level {at} of the {phase} phase is tagged with the layer {}, but the system @{} has the layers {}",
                tag.layer,
                system.name,
                system.layer_names().collect::<Vec<_>>().join(", ")
            ));
        } else if tag.dimension >= rank {
            found.push(format!(
                "S3: level {at} of the {phase} phase is tagged with the dimension {}, but there are {rank}",
                tag.dimension + 1
            ));
        } else if let Some((_, other)) = taken.iter().find(|(known, _)| known == tag) {
            found.push(format!(
                "S3: levels {} and {at} of the {phase} phase have the same tag ({}, {})",
                name(*other),
                tag.layer,
                tag.dimension + 1
            ));
        } else {
            taken.push((tag, *level));
        }
    }
}

/// S4: regions are memory layers; S5: layouts are permutations; S6: one placement a buffer; S12: how parts are stored.
fn placed(at: &str, kind: &str, placements: &[Placement], ranks: &[usize], system: &System, found: &mut Vec<String>) {
    if placements.len() != ranks.len() {
        found.push(format!("S6: {at} places {} {kind} buffers, but there are {}", placements.len(), ranks.len()));
        return;
    }
    for (i, (placement, &rank)) in placements.iter().zip(ranks).enumerate() {
        let buffer = i + 1;
        if system.region(&placement.region).is_none() {
            found.push(format!(
                "S4: {at} places {kind} buffer {buffer} in {}, but the memory layers of the system @{} are {}",
                placement.region,
                system.name,
                system.memory.join(", ")
            ));
        }
        let mut sorted = placement.layout.clone();
        sorted.sort_unstable();
        // A part of an input may be taken apart into register tiles.
        if kind == "input" && sorted.chunk_by(|a, b| a == b).all(|same| same.len() <= 2) {
            sorted.dedup();
        }
        if !sorted.into_iter().eq(0..rank) {
            let layout: Vec<_> = placement.layout.iter().map(|d| d.saturating_add(1).to_string()).collect();
            found.push(format!(
                "S5: {at} gives {kind} buffer {buffer} the layout [{}], but a permutation of 1 to {rank} is required",
                layout.join(", ")
            ));
        }
        if let Some(problem) = stored(kind, placement, system) {
            found.push(format!("S12: {at} gives {kind} buffer {buffer} the placement {placement}, but {problem}"));
        }
    }
}

/// What is wrong with the pad or the number of buffers of a placement.
fn stored(kind: &str, placement: &Placement, system: &System) -> Option<String> {
    let region = system.region(&placement.region).filter(|_| placement.has_suffix())?;
    let (pad, buffers) = (placement.pad, placement.buffers);
    match () {
        () if kind != "input" => Some("pad and buffers are for parts of inputs".to_owned()),
        () if !system.is_device() => Some(format!(
            "pad and buffers require a system with three memory layers and two or three core layers, and @{} has {} and {}",
            system.name,
            system.memory.len(),
            system.cores.len()
        )),
        () if region == 0 => Some(format!("pad and buffers require {} or {}", system.memory[1], system.memory[2])),
        () if pad > Placement::MOST_PAD => Some(format!("pad requires at most {} elements", Placement::MOST_PAD)),
        () if !(1..=Placement::MOST_BUFFERS).contains(&buffers) => Some("buffers requires 1 or 2".to_owned()),
        () if buffers == 2 && region != 1 => Some(format!("buffers 2 requires {}", system.memory[1])),
        () => None,
    }
}

/// S7: the layers of a prefix-sum dimension stay in order, the outermost layer outermost.
fn prefix_sums(steps: &[Step], shape: &Shape, found: &mut Vec<String>) {
    for (d, operator) in shape.operators.iter().enumerate() {
        if !operator.is_scan() {
            continue;
        }
        let of_dimension: Vec<_> = steps.iter().map(|step| step.level).filter(|level| level.dimension == d).collect();
        for pair in of_dimension.windows(2).filter(|pair| pair[0].layer > pair[1].layer) {
            found.push(format!(
                "S7: the re-composition phase has level {} outside level {}, but the layers of the prefix-sum dimension {} must stay in order",
                name(pair[0]),
                name(pair[1]),
                d + 1
            ));
        }
    }
}

/// S8: results of several cores are combined only where all of them reach.
fn combining(step: &Step, schedule: &Schedule, shape: &Shape, found: &mut Vec<String>) {
    let system = &schedule.system;
    let Some(core) = system.core(&step.tag.layer) else { return };
    if shape.operators[step.level.dimension].concatenates() || !schedule.is_loop(step.level) {
        return;
    }
    for (i, placement) in step.placements.iter().enumerate() {
        if system.region(&placement.region).is_some_and(|region| region > system.combine[core]) {
            found.push(format!(
                "S8: re-composition step {} combines parts of the core layer {} of output buffer {} in {}, but the system @{} allows {}",
                name(step.level),
                step.tag.layer,
                i + 1,
                placement.region,
                system.name,
                system.memory[..=system.combine[core]].join(", ")
            ));
        }
    }
}

/// S9: a core layer has no more parts than the system allows.
fn limits(phase: &str, steps: &[(Level, &Tag)], schedule: &Schedule, shape: &Shape, found: &mut Vec<String>) {
    let system = &schedule.system;
    for (core, limit) in system.cores.iter().zip(&system.limit) {
        let Some(limit) = limit else { continue };
        let mut product = 1u64;
        for (level, _) in steps.iter().filter(|(_, tag)| tag.layer == *core) {
            match count(schedule, &shape.extents, *level) {
                Some(count) => product = product.saturating_mul(count.max(1)),
                None => found.push(format!(
                    "S9: level {} of the {phase} phase has ? parts of a dynamic extent on the core layer {core}, which allows {limit}",
                    name(*level)
                )),
            }
        }
        if product > *limit {
            found.push(format!(
                "S9: the {phase} phase has {product} parts on the core layer {core}, but the system @{} allows {limit}",
                system.name
            ));
        }
    }
}
