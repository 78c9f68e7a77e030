//! Random legal schedules, for tests and for experiments with many schedules.
use crate::analysis::index::{Domain, Partition};
use mdh_dialects::schedule::{
    model::{Level, Placement, ScalarPhase, Schedule, Step, System, Tag},
    roles::Memory,
    rules::Shape,
};

/// A small random number generator (SplitMix64): the same seed gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number. Unlike an iterator, a generator never ends.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below a bound, which is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// Returns true with a probability of 1 / `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Shuffles a list.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

/// Returns a random schedule that satisfies every rule.
pub fn random_schedule(shape: &Shape, system: &System, random: &mut Random) -> Schedule {
    let (layers, rank) = (system.layers(), shape.rank());
    // If no more layers are used than layers have no limit, every limit can be satisfied (see `legal_tags`).
    let unlimited = layers - system.limit.iter().flatten().count();
    let columns: Vec<_> = shape.extents().map(|extent| column(extent, layers, unlimited.min(3), random)).collect();
    let parts: Vec<Vec<_>> = (0..layers).map(|layer| columns.iter().map(|column| column[layer]).collect()).collect();

    let mut order: Vec<_> = levels(layers, rank);
    random.shuffle(&mut order);
    if random.once_in(3) {
        // The usual order, layer by layer, is too rare among all permutations.
        order.sort();
    }
    let scalar_order = other_order(&order, random);
    let mut recompose_order = other_order(&scalar_order, random);
    keep_prefix_sums_in_order(&mut recompose_order, shape);
    // Phases with the same order can be fused, which rarely happens by chance.
    let fused = random.once_in(3);
    let order = if fused { recompose_order.clone() } else { order };
    let scalar_order = if fused { recompose_order.clone() } else { scalar_order };

    let mut schedule = Schedule {
        system: system.clone(),
        parts,
        decompose: vec![],
        scalar: ScalarPhase { order: vec![], reads: vec![], writes: vec![] },
        recompose: vec![],
        at: None,
    };
    // If no buffer is moved, levels on registers and vectors are computed at once.
    let plain = random.once_in(2);
    let all = if plain { 0 } else { system.memory.len() };
    let tags = legal_tags(&schedule, shape, random);
    let scalar_tags = if random.once_in(3) { legal_tags(&schedule, shape, random) } else { tags.clone() };
    let recompose_tags = if random.once_in(3) { legal_tags(&schedule, shape, random) } else { scalar_tags.clone() };

    let at = |tags: &[Tag], level: Level| tags[level.layer * rank + level.dimension].clone();
    // Some inputs are packed once, at a random step.
    let packed: Vec<_> = shape
        .inputs
        .iter()
        .map(|&rank| (plain && random.once_in(2)).then(|| (random.below(order.len()), part(rank, system, random))))
        .collect();
    let read = |position: usize, random: &mut Random| -> Vec<Placement> {
        let buffers = shape.inputs.iter().zip(&packed);
        let one = |(&rank, packed): (&usize, &Option<(usize, Placement)>)| match packed {
            Some((from, placement)) if *from <= position => placement.clone(),
            _ if !plain && random.once_in(4) => part(rank, system, random),
            _ => placement(rank, all, system, random),
        };
        buffers.map(one).collect()
    };
    for (position, level) in order.into_iter().enumerate() {
        let placements = read(position, random);
        schedule.decompose.push(Step { level, tag: at(&tags, level), placements });
    }
    schedule.scalar.order = scalar_order.into_iter().map(|level| (level, at(&scalar_tags, level))).collect();
    schedule.scalar.reads = read(usize::MAX, random);
    schedule.scalar.writes = shape.outputs.iter().map(|&rank| placement(rank, all, system, random)).collect();
    for level in recompose_order {
        let tag = at(&recompose_tags, level);
        let combines = shape.operators[level.dimension].combines();
        let most = match system.core(&tag.layer) {
            Some(core) if combines => all.min(system.combine[core] + 1),
            _ => all,
        };
        let placements = shape.outputs.iter().map(|&rank| placement(rank, most, system, random)).collect();
        schedule.recompose.push(Step { level, tag, placements });
    }
    pad_and_buffer(&mut schedule, random);
    schedule
}

/// Pads and multi-buffers inputs where rule S12 allows it; all parts of an input in a region are stored alike.
fn pad_and_buffer(schedule: &mut Schedule, random: &mut Random) {
    if !schedule.system.is_device() {
        return;
    }
    for buffer in 0..schedule.scalar.reads.len() {
        let most = if random.once_in(4) { Placement::MAX_PAD } else { 4 };
        let pad = if random.once_in(3) { 1 + random.next() % most } else { 0 };
        let buffers = if random.once_in(2) { Placement::MAX_BUFFERS } else { 1 };
        let system = &schedule.system;
        let steps = schedule.decompose.iter_mut().map(|step| &mut step.placements);
        for placements in steps.chain([&mut schedule.scalar.reads]) {
            let placement = &mut placements[buffer];
            let memory = system.device_memory(&placement.region);
            placement.pad = if memory == Memory::Global { 0 } else { pad };
            placement.buffers = if memory == Memory::Shared { buffers } else { 1 };
        }
    }
}

/// Returns the part counts of one dimension by layer: at most `most` layers split the extent, evenly or not.
fn column(extent: Option<u64>, layers: usize, most: usize, random: &mut Random) -> Vec<Option<u64>> {
    let mut column = vec![Some(1); layers];
    let mut chosen: Vec<_> = (0..layers).collect();
    random.shuffle(&mut chosen);
    chosen.truncate(1 + random.below(most));
    chosen.sort_unstable();
    let Some(extent) = extent.filter(|&extent| extent > 0) else {
        for &layer in &chosen {
            // Sometimes more parts than the run-time extent needs.
            let most = if random.once_in(5) { 20 } else { 4 };
            column[layer] = Some(1 + random.below(most) as u64);
        }
        if extent == Some(0) {
            column = vec![Some(1); layers];
        }
        column[chosen[random.below(chosen.len())]] = None;
        return column;
    };
    let mut size = 1;
    let (outermost, inner) = (chosen[0], &chosen[1..]);
    for &layer in inner.iter().rev() {
        let rest = extent / size;
        let most = rest.min(if random.once_in(4) { rest } else { 9 });
        let count = 1 + random.below(most as usize) as u64;
        column[layer] = Some(count);
        size *= count;
    }
    column[outermost] = Some(extent.div_ceil(size));
    if random.once_in(5) {
        column[chosen[random.below(chosen.len())]] = None;
    }
    column
}

fn levels(layers: usize, rank: usize) -> Vec<Level> {
    (0..layers).flat_map(|layer| (0..rank).map(move |dimension| Level { layer, dimension })).collect()
}

/// Returns the same order, one with a common prefix, or any order.
fn other_order(order: &[Level], random: &mut Random) -> Vec<Level> {
    let mut other = order.to_vec();
    let agree = match random.below(3) {
        0 => other.len(),
        1 => random.below(other.len() + 1),
        _ => 0,
    };
    random.shuffle(&mut other[agree..]);
    other
}

/// Rule S7: sorts the layers of each prefix-sum dimension in its positions.
fn keep_prefix_sums_in_order(order: &mut [Level], shape: &Shape) {
    for (d, operator) in shape.operators.iter().enumerate() {
        if operator.is_scan() {
            let mut layers = 0..;
            for level in order.iter_mut().filter(|level| level.dimension == d) {
                level.layer = layers.next().unwrap_or(0);
            }
        }
    }
}

/// Returns tags by level, row-major. If a core layer has a limit, tags are swapped until it holds (S9).
fn legal_tags(schedule: &Schedule, shape: &Shape, random: &mut Random) -> Vec<Tag> {
    let (system, rank) = (&schedule.system, shape.rank());
    let levels = levels(system.layers(), rank);
    let mut slots: Vec<Tag> = system
        .layer_names()
        .flat_map(|layer| (0..rank).map(|dimension| Tag { layer: layer.to_owned(), dimension }))
        .collect();
    random.shuffle(&mut slots);
    if random.once_in(3) {
        // Layer by layer, as users write it: each layer of the decomposition is mapped to one layer of the system.
        let mut names: Vec<_> = system.layer_names().map(str::to_owned).collect();
        random.shuffle(&mut names);
        slots = names
            .into_iter()
            .flat_map(|layer| (0..rank).map(move |dimension| Tag { layer: layer.clone(), dimension }))
            .collect();
    }
    let domain = Domain::new(shape.extents());
    let partition = Partition::new(&domain, schedule);
    let count = |level: usize| partition.count(levels[level]).map_or(u64::MAX, |count| count.max(1));
    for (core, limit) in system.cores.iter().zip(&system.limit) {
        let Some(limit) = *limit else { continue };
        loop {
            let on_core: Vec<_> = (0..levels.len()).filter(|&level| slots[level].layer == *core).collect();
            let product = on_core.iter().fold(1u64, |product, &level| product.saturating_mul(count(level)));
            let largest = on_core.iter().copied().max_by_key(|&level| count(level));
            // While a limited layer has a level of several parts, a layer without a limit has one of a single part.
            let free = (0..levels.len()).find(|&level| {
                system.core(&slots[level].layer).is_none_or(|c| system.limit[c].is_none()) && count(level) == 1
            });
            match (largest, free) {
                (Some(largest), Some(free)) if product > limit => slots.swap(largest, free),
                _ => break,
            }
        }
    }
    slots
}

/// Returns any layout in one of the `regions` outermost regions; the outermost one at least half of the time. If
/// `regions` is 0, the placement of the user's buffer.
fn placement(rank: usize, regions: usize, system: &System, random: &mut Random) -> Placement {
    if regions == 0 {
        return Placement::new(system.outermost(), 0..rank);
    }
    let region = if random.once_in(2) { 0 } else { random.below(regions) };
    let mut layout: Vec<_> = (0..rank).collect();
    if random.once_in(2) {
        random.shuffle(&mut layout);
    }
    Placement::new(system.memory[region].clone(), layout)
}

/// Returns a part of an input in any region, with axes that may be packed by register tiles.
fn part(rank: usize, system: &System, random: &mut Random) -> Placement {
    let mut placement = placement(rank, system.memory.len(), system, random);
    for axis in (0..rank).filter(|_| random.once_in(2)).collect::<Vec<_>>() {
        placement.layout.push(axis);
    }
    placement
}
