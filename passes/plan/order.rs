//! The steps of the three phases in the order in which their loops run.
//!
//! On a processor this is the order of the schedule. In kernels, the levels that each block and thread owns come before
//! all other steps, or directly inside of levels that blocks combine, followed by those on registers as far as they fit
//! into the register tile:
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
//! differ, and these are accounted for at their allocation. The placements that a moved step names stay at its old
//! position.
use super::tile;
use mdh_dialects::{
    hom::CombineOperator,
    schedule::{
        model::{Level, Placement, Schedule, Step, System, Tag},
        roles::{Memory, MemoryRole},
    },
};

/// A step of the de- or re-composition.
#[derive(Clone, Debug)]
pub struct OrderedStep {
    /// The level of the step in the schedule.
    pub level: Level,
    /// The system level that executes it.
    pub tag: Tag,
    /// The placements, as in [`Step::placements`].
    pub placements: Vec<Placement>,
    /// False if the level has one part, or if the step only has the placements of one that has been moved.
    pub is_loop: bool,
}

/// The phases of a schedule, outermost step first.
#[derive(Clone, Debug)]
pub struct Phases<'a> {
    /// The schedule.
    pub schedule: &'a Schedule,
    /// The de-composition.
    pub decompose: Vec<OrderedStep>,
    /// The levels of the scalar phase with more than one part.
    pub scalar: Vec<(Level, Tag)>,
    /// By input buffer: where the scalar phase reads it.
    pub reads: Vec<Placement>,
    /// By output buffer: where the scalar phase writes it.
    pub writes: Vec<Placement>,
    /// The re-composition.
    pub recompose: Vec<OrderedStep>,
}

impl<'a> Phases<'a> {
    /// The phases in the order of the schedule.
    pub fn of(schedule: &'a Schedule) -> Self {
        let step = |step: &Step| OrderedStep {
            level: step.level,
            tag: step.tag.clone(),
            placements: step.placements.clone(),
            is_loop: schedule.is_loop(step.level),
        };
        Self {
            schedule,
            decompose: schedule.decompose.iter().map(step).collect(),
            scalar: schedule.scalar_loops().into_iter().map(|(level, tag)| (level, tag.clone())).collect(),
            reads: schedule.scalar.reads.clone(),
            writes: schedule.scalar.writes.clone(),
            recompose: schedule.recompose.iter().map(step).collect(),
        }
    }

    /// The phases in the order of kernels: loops over concatenated levels of core layers come first.
    pub fn of_kernels(schedule: &'a Schedule, operators: &[CombineOperator]) -> Self {
        let original = Self::of(schedule);
        let mut before = original.shared(&original.recompose);
        let mut found = original.with_aligned_blocks().hoisted(operators);
        // Loops inside of the common loops that had different orders may now be common, too.
        while found.shared(&found.recompose) > before {
            before = found.shared(&found.recompose);
            found = found.hoisted(operators);
        }
        if found.has_blocks_inside(found.shared(&found.recompose)) {
            found.place_in_global();
        }
        found.share_scans(operators);
        found
    }

    /// The number of leading loops that the steps of a phase share with the scalar phase.
    pub fn shared(&self, steps: &[OrderedStep]) -> usize {
        let steps = steps.iter().filter(|step| step.is_loop).map(|step| (step.level, &step.tag));
        steps.zip(&self.scalar).take_while(|((level, tag), (other, of))| level == other && *tag == of).count()
    }

    /// The number of loops of the scalar phase up to that over a level.
    pub fn depth(&self, level: Level) -> usize {
        self.scalar.iter().position(|(known, _)| *known == level).map_or(0, |position| position + 1)
    }

    /// True if a loop inside the first `shared` loops, which the scalar phase and the re-composition have in common, is
    /// mapped to blocks in either phase.
    pub fn has_blocks_inside(&self, shared: usize) -> bool {
        let steps = self.recompose.iter().filter(|step| step.is_loop).skip(shared);
        let mut inside = self.scalar[shared..].iter().map(|(_, tag)| tag).chain(steps.map(|step| &step.tag));
        inside.any(|tag| self.schedule.is_of_blocks(tag))
    }

    /// The levels that are loops of one part after the other in the re-composition, outermost first.
    pub fn sequential(&self) -> Vec<Level> {
        let schedule = self.schedule;
        let is_tile = |tag: &Tag| schedule.is_register(tag) || schedule.is_vector(tag);
        let is_one_by_one =
            |step: &&OrderedStep| step.is_loop && !is_tile(&step.tag) && !schedule.is_threaded(&step.tag);
        self.recompose.iter().filter(is_one_by_one).map(|step| step.level).collect()
    }

    /// By dimension: the layers of the register tile of the scalar phase. `has_lanes`: true if levels of lanes are in it, as
    /// on a processor.
    pub fn tile_layers(&self, has_lanes: bool) -> Vec<Vec<usize>> {
        let mut layers = vec![vec![]; self.schedule.parts.first().map_or(0, Vec::len)];
        let is_tile = |tag: &Tag| self.schedule.is_register(tag) || has_lanes && self.schedule.is_vector(tag);
        for (Level { layer, dimension }, _) in self.scalar.iter().filter(|(_, tag)| is_tile(tag)) {
            layers[*dimension].push(*layer);
        }
        layers
    }

    fn system(&self) -> &'a System {
        &self.schedule.system
    }

    /// True if all of these placements are in the private memory of a thread.
    fn is_private(&self, placements: &[Placement]) -> bool {
        placements.iter().all(|placement| self.system().device_memory(&placement.region) == Memory::Private)
    }

    fn is_block(&self, step: &OrderedStep) -> bool {
        step.is_loop && self.schedule.is_of_blocks(&step.tag)
    }

    /// If both phases distribute the same levels over blocks, gives the re-composition the tags of the scalar phase:
    /// block IDs then map to the same parts in both phases.
    fn with_aligned_blocks(mut self) -> Self {
        let schedule = self.schedule;
        let scalar: Vec<_> = self.scalar.iter().filter(|(_, tag)| schedule.is_of_blocks(tag)).cloned().collect();
        let is_block = |step: &OrderedStep| step.is_loop && schedule.is_of_blocks(&step.tag);
        let blocks: Vec<_> = self.recompose.iter().filter(|step| is_block(step)).map(|step| step.level).collect();
        if scalar.len() == blocks.len() && scalar.iter().all(|(level, _)| blocks.contains(level)) {
            for step in self.recompose.iter_mut().filter(|step| step.is_loop) {
                let known = scalar.iter().find(|(level, _)| *level == step.level);
                known.into_iter().for_each(|(_, tag)| step.tag.clone_from(tag));
            }
        }
        self
    }

    /// Places the values that kernels pass to other kernels in global memory. This applies if a level is distributed over
    /// blocks inside of the loops that the scalar phase and the re-composition share: these loops then run on the host,
    /// and each phase has its own kernels.
    fn place_in_global(&mut self) {
        let split = split(&self.recompose, self.shared(&self.recompose));
        let last = split.checked_sub(1).map(|last| self.recompose[last].placements.clone());
        // Moved steps have the placements of the step before them.
        let is_like_last =
            |step: &&OrderedStep| self.schedule.is_core(&step.tag) && Some(&step.placements) == last.as_ref();
        let count = split + self.recompose[split..].iter().take_while(is_like_last).count();
        let region = self.system().outermost();
        let around = self.recompose[..count].iter_mut().flat_map(|step| &mut step.placements);
        around.chain(&mut self.writes).for_each(|placement| region.clone_into(&mut placement.region));
    }

    /// Moves the results of scans over threads from private to shared memory: the thread that copies them to the next
    /// placement reads the parts of all threads. Reductions do not need this, because their result is a value.
    fn share_scans(&mut self, operators: &[CombineOperator]) {
        let Schedule { system, .. } = self.schedule;
        let shared = system.memory_of(MemoryRole::Shared).unwrap_or_default();
        let is_scan = |step: &&mut OrderedStep| {
            step.is_loop && operators[step.level.dimension].is_scan() && self.schedule.is_of_threads(&step.tag)
        };
        for placement in self.recompose.iter_mut().filter(is_scan).flat_map(|step| &mut step.placements) {
            if system.device_memory(&placement.region) == Memory::Private {
                shared.clone_into(&mut placement.region);
            }
        }
    }

    /// One round of [`Self::of_kernels`]: moves the levels of the loops that the phases share, and of those inside of
    /// each phase.
    fn hoisted(&self, operators: &[CombineOperator]) -> Self {
        let schedule = self.schedule;
        let shared = self.shared(&self.recompose);
        let concatenates = |level: Level| operators[level.dimension].concatenates();
        // Levels of blocks come first: the threads of a block cooperate, so whether the block has a part must not depend
        // on the thread.
        let blocks_first = |(_, tag): &(Level, Tag)| (schedule.system.core(&tag.layer), tag.dimension);
        let (head, tail) = self.scalar.split_at(shared);
        let own = |(level, tag): &&(Level, Tag)| schedule.is_core(tag) && concatenates(*level);
        let mut front: Vec<_> = head.iter().filter(own).cloned().collect();
        front.sort_by_key(blocks_first);
        let mut tile = if tail.is_empty() { self.register_tile(operators) } else { vec![] };

        // Inside of the common loops, each phase has its own loops.
        let (mut cores, rest): (Vec<_>, Vec<_>) = tail.iter().cloned().partition(|(_, tag)| schedule.is_core(tag));
        cores.sort_by_key(blocks_first);
        // Blocks combine results between kernels: these levels stay outside of the levels that each block owns.
        let combines = |level: Level, tag: &Tag| schedule.is_of_blocks(tag) && !concatenates(level);
        let around = head.iter().rposition(|(level, tag)| combines(*level, tag));
        let (outer, inner) = head.split_at(around.map_or(0, |position| position + 1));
        // Threads combine the results of a whole register tile: its levels go inside of these.
        let is_reduced =
            |(level, tag): &(Level, Tag)| schedule.is_of_threads(tag) && operators[level.dimension].reduces();
        let inner_of = inner.iter().rposition(is_reduced);
        if inner_of.is_none() {
            front.append(&mut tile);
        }
        let (between, innermost) = inner.split_at(inner_of.map_or(0, |position| position + 1));
        let (around, inner_of) = (around.map(|position| head[position].0), inner_of.map(|position| inner[position].0));
        let is_front = |level: Level| front.iter().chain(&tile).any(|(known, _)| *known == level);
        let others = |steps: &[(Level, Tag)]| -> Vec<(Level, Tag)> {
            steps.iter().filter(|(level, _)| !is_front(*level)).cloned().collect()
        };
        let scalar = [others(outer), front.clone(), others(between), tile.clone(), others(innermost), cores, rest];

        let home = |steps: &[OrderedStep], rank: fn(&Placement) -> usize| -> Vec<Placement> {
            let first = steps.first().map_or(&[][..], |step| &step.placements);
            first.iter().map(|placement| schedule.home(rank(placement))).collect()
        };
        let outputs = home(&self.recompose, |placement| placement.layout.len());
        let (head, tail) = self.recompose.split_at(split(&self.recompose, shared));
        let is_staged = |placements: &[Placement]| {
            placements.iter().all(|placement| schedule.system.device_memory(&placement.region) != Memory::Private)
        };
        let is_own = |step: &&OrderedStep| step.is_loop && schedule.is_core(&step.tag) && concatenates(step.level);
        let mut cores: Vec<_> = tail.iter().filter(is_own).map(|step| (step.level, step.tag.clone())).collect();
        cores.sort_by_key(blocks_first);
        let between = head.last().map_or(outputs.clone(), |step| step.placements.clone());
        let around_tail =
            tail.iter().rev().find(|step| step.is_loop && combines(step.level, &step.tag)).map(|step| step.level);
        let moved = [(&front[..], around), (&tile[..], inner_of)];
        let mut recompose = rebuilt(&moved, head, &outputs, is_staged);
        recompose.extend(rebuilt(&[(&cores, around_tail)], tail, &between, is_staged));
        // Each input has its own rank; a layout may name an axis twice, so its length is not the rank.
        let inputs =
            home(&self.decompose, |placement| placement.layout.iter().max().map_or(0, |axis| axis.saturating_add(1)));
        let decompose = rebuilt(&moved, &self.decompose, &inputs, |_| true);
        let mut new = Self { decompose, scalar: scalar.concat(), recompose, ..self.clone() };
        new.settle_registers();
        new
    }

    /// The levels of concatenated dimensions on registers, as far as they fit into the register tile.
    fn register_tile(&self, operators: &[CombineOperator]) -> Vec<(Level, Tag)> {
        let mut tile: Vec<(Level, Tag)> = vec![];
        let mut values = 1i64;
        for (level, tag) in &self.scalar {
            let count = self.schedule.parts[level.layer][level.dimension].and_then(|count| i64::try_from(count).ok());
            let is_in_tile = self.schedule.is_register(tag) && operators[level.dimension].concatenates();
            let Some(count) = count.filter(|_| is_in_tile) else { continue };
            if values.saturating_mul(count) <= tile::VALUES {
                values *= count;
                tile.push((*level, tag.clone()));
            }
        }
        tile
    }

    /// If all loops inside of the moved register levels have the private placements of the scalar results, gives the
    /// same placements to the register levels.
    fn settle_registers(&mut self) {
        let schedule = self.schedule;
        let is_tiled = |step: &OrderedStep| step.is_loop && schedule.is_register(&step.tag);
        let Some(first) = self.recompose.iter().position(is_tiled) else { return };
        let mut inner_of = self.recompose[first..].iter().skip_while(|step| !step.is_loop || is_tiled(step));
        let is_settled = |step: &OrderedStep| !step.is_loop || step.placements == self.writes;
        if self.is_private(&self.writes) && inner_of.all(is_settled) {
            self.recompose[first..].iter_mut().for_each(|step| step.placements.clone_from(&self.writes));
        }
    }

    /// True if the steps from `j` of the re-composition on have blocks that combine their results.
    pub fn combines_blocks(&self, j: usize, operators: &[CombineOperator]) -> bool {
        let mut steps = self.recompose[j..].iter();
        steps.any(|step| self.is_block(step) && operators[step.level.dimension].combines())
    }
}

/// The position of the first step after `loops` loops.
fn split(steps: &[OrderedStep], loops: usize) -> usize {
    let mut positions = steps.iter().enumerate().filter(|(_, step)| step.is_loop).map(|(position, _)| position + 1);
    loops.checked_sub(1).map_or(0, |last| positions.nth(last).unwrap_or(steps.len()))
}

/// Levels to move, and the level that they are moved directly inside of; `None` for the outermost position.
type MovedLevels<'a> = (&'a [(Level, Tag)], Option<Level>);

/// Moves some steps before all others, or directly inside of a level. `before`: the placements outside of all steps.
/// `stays`: true if placements of a moved step are retained at its old position.
fn rebuilt(
    moved: &[MovedLevels<'_>],
    steps: &[OrderedStep],
    before: &[Placement],
    stays: impl Fn(&[Placement]) -> bool,
) -> Vec<OrderedStep> {
    let directly_inside = |inner_of: Option<Level>, placements: &[Placement]| -> Vec<OrderedStep> {
        // If this phase lacks the level that the steps are moved inside of, they become the outermost ones.
        let is_there = |level: &Level| steps.iter().any(|step| step.level == *level);
        let moved =
            moved.iter().filter(|(_, around)| around.filter(is_there) == inner_of).flat_map(|(levels, _)| *levels);
        let step = |(level, tag): &(Level, Tag)| OrderedStep {
            level: *level,
            tag: tag.clone(),
            placements: placements.to_vec(),
            is_loop: true,
        };
        moved.map(step).collect()
    };
    let is_moved = |step: &OrderedStep| {
        step.is_loop && moved.iter().flat_map(|(levels, _)| *levels).any(|(known, _)| *known == step.level)
    };
    let mut previous = before.to_vec();
    let mut rebuilt = directly_inside(None, &previous);
    for step in steps {
        if !is_moved(step) {
            rebuilt.push(step.clone());
        } else if step.placements != previous && stays(&step.placements) {
            rebuilt.push(OrderedStep { is_loop: false, ..step.clone() });
        } else {
            continue;
        }
        previous = step.placements.clone();
        rebuilt.extend(directly_inside(Some(step.level), &previous));
    }
    rebuilt
}
