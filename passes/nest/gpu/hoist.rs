//! Hoisting: a schedule in which the levels that each block and thread owns come before all other steps.
//!
//! ```mlir
//! // mdh-opt --lower-mdh="target=cuda stop-after=loops print-nest=true"
//! func.func @rows(%M: memref<8x16xf32>, %w: memref<8xf32>) {
//!   %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>] : (memref<8x16xf32>) -> !mdh.mda<8x16, f32>
//!   %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] attributes {schedule = {system = @cuda, parts = [[1, 16], [1, 1], [2, 1], [4, 1], [1, 1]],
//!       decompose = {tags = [["DM,x", "DM,y"], ["SM,x", "SM,y"], ["SMX,x", "SMX,y"], ["CC,x", "CC,y"], ["RM,x", "RM,y"]]}}} {
//!   ^bb0(%a: f32):
//!     mdh.hom.yield %a : f32
//!   } : !mdh.mda<8x16, f32> -> !mdh.mda<8x1, f32>
//!   mdh.view.out_view %r[affine_map<(i, k) -> (i)>] into %w : !mdh.mda<8x1, f32>, memref<8xf32>
//!   return
//! }
//! ```
//! has the parts of k outermost, then blocks and threads for those of i; it becomes
//! ```text
//! kernel blocks (2, 1, 1) threads (4, 1, 1):
//!   map level (3, 1) to blocks: block.x
//!   map level (4, 1) to threads: thread.x
//!   level (1, 2) carried:
//!     %0 = identity
//!     %1 = for p1_2 in 0..16 carrying (%2 = %0):
//!       %3 = load device input 1[4 * block.x + thread.x, p1_2]
//!       %4 = scalar (%3)
//!       %5 = accumulate (%2) with (%4)
//!       yield %5
//!     store %1 to device output 1[4 * block.x + thread.x]
//! ```
//!
//! A concatenated dimension can be decomposed before or after any other step: only the sizes of the buffers in between
//! differ, and these are accounted for at their allocation. The placement that a hoisted step named stays at its old
//! position, in a step of one part.
use crate::nest::tile;
use mdh_dialects::{
    hom::CombineOperator,
    schedule::{
        model::{Level, Placement, Schedule, Step, Tag},
        roles::{Memory, MemoryRole},
    },
};

/// Moves the loops over concatenated levels of core layers to the outermost position, or directly inside of levels that
/// blocks combine, followed by those on registers as far as they fit into the register tile. Each round adds a layer to
/// those of the system, with one part in each dimension: its steps retain the placements of moved steps.
pub fn hoisted(schedule: &Schedule, operators: &[CombineOperator]) -> Schedule {
    let shared = |schedule: &Schedule| schedule.shared(&schedule.recompose);
    let mut found = hoist(&align_blocks(schedule), operators);
    // Loops inside of the common loops that had different orders may now be common, too.
    let mut before = shared(schedule);
    while shared(&found) > before {
        before = shared(&found);
        found = hoist(&found, operators);
    }
    let common = shared(&found);
    if found.has_blocks_inside(common) {
        place_in_global(&mut found, common);
    }
    share_scans(&mut found, operators);
    found
}

/// If both phases distribute the same levels over blocks, gives the re-composition the tags of the scalar phase: block
/// IDs then map to the same parts in both phases.
fn align_blocks(schedule: &Schedule) -> Schedule {
    let mut new = schedule.clone();
    let (scalar, recompose) = schedule.blocks();
    if scalar.len() == recompose.len() && scalar.iter().all(|level| recompose.contains(level)) {
        for step in new.recompose.iter_mut().filter(|step| recompose.contains(&step.level)) {
            let known = schedule.scalar.order.iter().find(|(level, _)| *level == step.level);
            step.tag = known.map_or(step.tag.clone(), |(_, tag)| tag.clone());
        }
    }
    new
}

/// Places the values that kernels pass to other kernels in global memory. This applies if a level is distributed over
/// blocks inside of the `shared` loops that the scalar phase and the re-composition share: these loops then run on the
/// host, and each phase has its own kernels.
fn place_in_global(schedule: &mut Schedule, shared: usize) {
    let split = split(schedule, schedule.recompose.iter().map(|step| step.level), shared);
    let last = split.checked_sub(1).map(|last| schedule.recompose[last].placements.clone());
    // Hoisted steps have the placements of the step before them.
    let is_like_last = |step: &&Step| schedule.is_core(&step.tag) && Some(&step.placements) == last.as_ref();
    let count = split + schedule.recompose[split..].iter().take_while(is_like_last).count();
    let Schedule { system, scalar, recompose, .. } = schedule;
    let around = recompose[..count].iter_mut().flat_map(|step| &mut step.placements);
    for placement in around.chain(&mut scalar.writes) {
        placement.region = system.outermost().to_owned();
    }
}

/// Moves the results of scans over threads from private to shared memory: the thread that copies them to the next
/// placement reads the parts of all threads. Reductions do not need this, because their result is a value.
fn share_scans(schedule: &mut Schedule, operators: &[CombineOperator]) {
    let shared = schedule.system.memory_of(MemoryRole::Shared).unwrap_or_default().to_owned();
    let of_threads: Vec<_> = schedule.recompose.iter().map(|step| schedule.is_of_threads(&step.tag)).collect();
    let system = &schedule.system;
    for (step, of_threads) in schedule.recompose.iter_mut().zip(of_threads) {
        let count = schedule.parts.get(step.level.layer).and_then(|parts| parts.get(step.level.dimension));
        let is_scan = operators[step.level.dimension].is_scan();
        if !is_scan || !of_threads || count == Some(&Some(1)) {
            continue;
        }
        for placement in &mut step.placements {
            if system.device_memory(&placement.region) == Memory::Private {
                placement.region.clone_from(&shared);
            }
        }
    }
}

/// One round of [`hoisted`]: moves the levels of the loops that the phases share, and of those inside of each phase.
fn hoist(schedule: &Schedule, operators: &[CombineOperator]) -> Schedule {
    let loops = schedule.scalar_loops();
    let shared = schedule.shared(&schedule.recompose);
    let concatenates = |level: Level| operators[level.dimension].concatenates();
    let mut front: Vec<(Level, Tag)> = vec![];
    let own = |(level, tag): &&(Level, &Tag)| schedule.is_core(tag) && concatenates(*level);
    front.extend(loops[..shared].iter().filter(own).map(|(level, tag)| (*level, (*tag).clone())));
    // Levels of blocks come first: the threads of a block cooperate, so whether the block has a part must not depend on
    // the thread.
    let blocks_first = |(_, tag): &(Level, Tag)| (schedule.system.core(&tag.layer), tag.dimension);
    front.sort_by_key(blocks_first);
    let mut tile = if shared == loops.len() { register_tile(schedule, operators) } else { vec![] };
    let mut new = schedule.clone();
    new.parts.push(vec![Some(1); operators.len()]);
    let placeholder = schedule.parts.len();

    // Inside of the common loops, each phase has its own loops.
    let scalar = &schedule.scalar.order;
    let split = split(schedule, scalar.iter().map(|(level, _)| *level), shared);
    let (head, tail) = scalar.split_at(split);
    let (mut cores, rest): (Vec<_>, Vec<_>) =
        tail.iter().cloned().partition(|(level, tag)| schedule.is_loop(*level) && schedule.is_core(tag));
    cores.sort_by_key(blocks_first);
    // Blocks combine results between kernels: these levels stay outside of the levels that each block owns.
    let combines = |level: Level, tag: &Tag| schedule.is_block(level, tag) && !concatenates(level);
    let around = head.iter().rev().find(|(level, tag)| combines(*level, tag)).map(|(level, _)| *level);
    let outer = head.iter().position(|(level, _)| Some(*level) == around).map_or(0, |position| position + 1);
    // Threads combine the results of a whole register tile: its levels go inside of these.
    let is_reduced = |(level, tag): &(Level, Tag)| {
        schedule.is_loop(*level) && schedule.is_of_threads(tag) && operators[level.dimension].reduces()
    };
    let inner_of = head[outer..].iter().rev().find(|step| is_reduced(step)).map(|(level, _)| *level);
    if inner_of.is_none() {
        front.append(&mut tile);
    }
    let (outer, inner) = head.split_at(outer);
    let inner_split = inner.iter().position(|(level, _)| Some(*level) == inner_of).map_or(0, |position| position + 1);
    let (between, inner) = inner.split_at(inner_split);
    let is_front = |level: Level| front.iter().chain(&tile).any(|(known, _)| *known == level);
    let others = |steps: &[(Level, Tag)]| -> Vec<(Level, Tag)> {
        steps.iter().filter(|(level, _)| !is_front(*level)).cloned().collect()
    };
    new.scalar.order =
        [others(outer), front.clone(), others(between), tile.clone(), others(inner), cores, rest].concat();

    let home = |count: usize, steps: &[Step]| -> Vec<Placement> {
        let ranks = steps.first().map(|step| step.placements.iter().map(|placement| placement.layout.len()));
        ranks.map_or(vec![], |ranks| ranks.take(count).map(|rank| schedule.home(rank)).collect())
    };
    let outputs = home(usize::MAX, &schedule.recompose);
    let split = self::split(schedule, schedule.recompose.iter().map(|step| step.level), shared);
    let (head, tail) = schedule.recompose.split_at(split);
    let is_staged = |placements: &[Placement]| {
        placements.iter().all(|placement| schedule.system.device_memory(&placement.region) != Memory::Private)
    };
    let mut cores: Vec<_> = tail
        .iter()
        .filter(|step| schedule.is_loop(step.level) && schedule.is_core(&step.tag) && concatenates(step.level))
        .map(|step| (step.level, step.tag.clone()))
        .collect();
    cores.sort_by_key(blocks_first);
    let between = head.last().map_or(outputs.clone(), |step| step.placements.clone());
    let around_tail = tail.iter().rev().find(|step| combines(step.level, &step.tag)).map(|step| step.level);
    let hoisted = [(&front[..], around), (&tile[..], inner_of)];
    new.recompose = rebuild(&hoisted, head, &outputs, placeholder, is_staged);
    new.recompose.extend(rebuild(&[(&cores, around_tail)], tail, &between, placeholder, is_staged));
    settle_registers(&mut new);

    // Each input has its own rank; a layout may name an axis twice, so its length is not the rank.
    let inputs: Vec<_> = schedule.decompose.first().map_or(vec![], |step| {
        let rank = |placement: &Placement| placement.layout.iter().max().map_or(0, |axis| axis + 1);
        step.placements.iter().map(|placement| schedule.home(rank(placement))).collect()
    });
    new.decompose = rebuild(&hoisted, &schedule.decompose, &inputs, placeholder, |_| true);
    new
}

/// The levels of concatenated dimensions on registers, as far as they fit into the register tile.
fn register_tile(schedule: &Schedule, operators: &[CombineOperator]) -> Vec<(Level, Tag)> {
    let mut tile: Vec<(Level, Tag)> = vec![];
    let mut values = 1i64;
    for (level, tag) in schedule.scalar_loops() {
        let count = schedule.parts[level.layer][level.dimension].and_then(|count| i64::try_from(count).ok());
        let is_in_tile = schedule.is_register(tag) && operators[level.dimension].concatenates();
        let Some(count) = count.filter(|_| is_in_tile) else { continue };
        if values.saturating_mul(count) <= tile::VALUES {
            values *= count;
            tile.push((level, tag.clone()));
        }
    }
    tile
}

/// If all loops inside of the hoisted register levels have the private placements of the scalar results, gives the same
/// placements to the register levels.
fn settle_registers(schedule: &mut Schedule) {
    let is_loop = |step: &Step| schedule.is_loop(step.level);
    let is_tiled = |step: &Step| is_loop(step) && schedule.is_register(&step.tag);
    let Some(first) = schedule.recompose.iter().position(is_tiled) else { return };
    let writes = schedule.scalar.writes.clone();
    let is_private = |placement: &Placement| schedule.system.device_memory(&placement.region) == Memory::Private;
    let mut inner_of = schedule.recompose[first..].iter().skip_while(|step| !is_loop(step) || is_tiled(step));
    if writes.iter().all(is_private) && inner_of.all(|step| !is_loop(step) || step.placements == writes) {
        schedule.recompose[first..].iter_mut().for_each(|step| step.placements.clone_from(&writes));
    }
}

/// The position of the first step after `loops` loops.
fn split(schedule: &Schedule, levels: impl Iterator<Item = Level>, loops: usize) -> usize {
    let mut count = 0;
    let mut position = 0;
    for (i, level) in levels.enumerate() {
        if count == loops {
            break;
        }
        count += usize::from(schedule.is_loop(level));
        position = i + 1;
    }
    position
}

/// Levels to move, and the level that they are moved directly inside of; `None` for the outermost position.
type HoistedLevels<'a> = (&'a [(Level, Tag)], Option<Level>);

/// Moves some steps before all others, or directly inside of a level. `before`: the placements outside of all steps.
/// `stays`: true if placements of a moved step are retained in a step of one part.
fn rebuild(
    moved: &[HoistedLevels<'_>],
    steps: &[Step],
    before: &[Placement],
    placeholder: usize,
    is_unchanged: impl Fn(&[Placement]) -> bool,
) -> Vec<Step> {
    let hoisted = |inner_of: Option<Level>, placements: &[Placement]| -> Vec<Step> {
        // If this phase lacks the level that the steps are moved inside of, they become the outermost ones.
        let is_there = |level: &Level| steps.iter().any(|step| step.level == *level);
        let moved =
            moved.iter().filter(|(_, around)| around.filter(is_there) == inner_of).flat_map(|(levels, _)| *levels);
        moved.map(|(level, tag)| Step { level: *level, tag: tag.clone(), placements: placements.to_vec() }).collect()
    };
    let is_moved = |level: Level| moved.iter().flat_map(|(levels, _)| *levels).any(|(known, _)| *known == level);
    let mut previous = before.to_vec();
    let mut rebuilt = hoisted(None, &previous);
    for step in steps {
        if !is_moved(step.level) {
            rebuilt.push(step.clone());
        } else if step.placements != previous && is_unchanged(&step.placements) {
            rebuilt.push(Step { level: Level { layer: placeholder, ..step.level }, ..step.clone() });
        } else {
            continue;
        }
        previous = step.placements.clone();
        rebuilt.extend(hoisted(Some(step.level), &previous));
    }
    rebuilt
}
