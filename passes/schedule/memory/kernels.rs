//! What kernels hold beyond the user's buffers: private to a thread, shared by the threads of a block, or in global memory.
//!
//! The rules are those of `passes/nest/gpu/` and of `Construction::promote`, `Construction::allocate` and `Construction::recompose` in a kernel, for the schedule as
//! `hoisted` leaves it: what is shared or global is there once for all threads of a block and all points of a register tile, and what
//! threads exchange is a value of each of them in shared memory.
use super::{Geometry, Held, Owner, bytes};
use crate::{
    analysis::{computation::Computation, index::Partition},
    nest::gpu::{
        exchange::{counts_slower, in_warp},
        hoist::hoisted,
    },
};
use mdh_dialects::{
    hom::CombineOperator,
    schedule::{
        model::{Level, Placement, Schedule, Step, Tag},
        roles::{Memory, MemoryRole},
        rules::name,
    },
};
use melior::ir::Type;

/// Buffers in the memory of kernels begin at multiples of this.
const ALIGNMENT: u64 = 16;
/// The threads that combine the partial results of blocks for one element.
const COMBINING: u64 = 128;

/// The bytes of shared memory of a block, or of a thread's own memory: the most of them that the parts of a kernel take together; none if one
/// has a dynamic size.
pub fn total(held: &[Held], owner: Owner) -> Option<u64> {
    let of_owner = held.iter().filter(|held| held.owner == owner && held.in_kernel);
    of_owner
        .map(|held| held.bytes)
        .try_fold(0u64, |sum, bytes| Some(sum.saturating_add(bytes?.next_multiple_of(ALIGNMENT))))
}

/// The threads of a block; none if a level of threads has as many parts as its extent needs.
pub fn threads(computation: &Computation<'_>, schedule: &Schedule) -> Option<u64> {
    let combines = |step: &Step| {
        schedule.is_loop(step.level)
            && schedule.is_of_threads(&step.tag)
            && computation.operators[step.level.dimension].combines()
    };
    let threads = i64::try_from(occupied(computation, schedule)?).unwrap_or(i64::MAX);
    let exchanges = schedule.recompose.iter().any(combines);
    Some(if exchanges { schedule.system.whole_warps(threads) } else { threads } as u64)
}

/// The threads of a block that have a part of something.
fn occupied(computation: &Computation<'_>, schedule: &Schedule) -> Option<u64> {
    let (loops, common) = (schedule.scalar_loops(), schedule.shared(&schedule.recompose));
    let partition = Partition::new(&computation.domain, schedule);
    let product = |levels: &mut dyn Iterator<Item = (Level, &Tag)>| {
        let mut counts = levels.filter(|(_, tag)| schedule.is_of_threads(tag)).map(|(level, _)| level);
        counts.try_fold(1u64, |product, level| Some(product.saturating_mul(partition.count(level)?)))
    };
    let both = product(&mut loops[..common].iter().copied())?;
    let scalar = product(&mut loops[common..].iter().copied())?;
    let steps = schedule.recompose.iter().filter(|step| schedule.is_loop(step.level)).skip(common);
    let recompose = product(&mut steps.map(|step| (step.level, &step.tag)))?;
    Some(both.saturating_mul(scalar.max(recompose)))
}

/// The buffers that kernels hold, and those that the host allocates for them.
pub fn held(computation: &Computation<'_>, schedule: &Schedule) -> Vec<Held> {
    let hoisted = hoisted(schedule, &computation.operators);
    let opened = opened(computation, &hoisted);
    let nest = Kernels { geometry: Geometry::new(computation, &hoisted), original: schedule, opened };
    let mut held = nest.promoted();
    held.extend(nest.results());
    held.extend(nest.combined());
    held
}

struct Kernels<'a, 'c> {
    geometry: Geometry<'a, 'c>,
    /// The schedule as it was given, which messages name the steps of.
    original: &'a Schedule,
    /// The levels on registers whose parts are computed at once.
    opened: Vec<Level>,
}

/// The levels on registers that become a tile: behind their step nothing but loops and combining in a thread is left. The others are loops.
fn opened(computation: &Computation<'_>, schedule: &Schedule) -> Vec<Level> {
    let steps = &schedule.recompose;
    if schedule.shared(steps) < schedule.scalar_loops().len() {
        return vec![];
    }
    let is_plain = |step: &Step| {
        let is_scan = computation.operators[step.level.dimension].is_scan();
        step.placements == schedule.scalar.writes
            && !(schedule.is_loop(step.level) && (is_scan || schedule.is_core(&step.tag)))
    };
    let first = steps.iter().rposition(|step| !is_plain(step)).map_or(0, |last| last + 1);
    let on_registers =
        steps[first..].iter().filter(|step| schedule.is_loop(step.level) && schedule.is_register(&step.tag));
    on_registers.map(|step| step.level).collect()
}

impl<'a> Kernels<'a, '_> {
    fn schedule(&self) -> &'a Schedule {
        self.geometry.schedule
    }

    fn memory(&self, placement: &Placement) -> Memory {
        self.schedule().system.device_memory(&placement.region)
    }

    /// A step's level, or that of the hoisted step whose placements it keeps.
    fn place(&self, phase: char, step: &Step, original: &[Step]) -> String {
        let is_kept = step.level.layer >= self.original.parts.len();
        let same = |known: &&Step| {
            known.level.dimension == step.level.dimension
                && known.placements == step.placements
                && self.original.is_loop(known.level)
        };
        let level = original.iter().find(same).filter(|_| is_kept).map_or(step.level, |known| known.level);
        format!("{phase} {}", name(level))
    }

    /// What is fixed for a buffer of a kind of memory: not the parts that the threads of a block have where they share it, nor those that a
    /// register tile computes at once.
    fn fixed<'t>(&self, memory: Memory, loops: &[(Level, &'t Tag)]) -> Vec<(Level, &'t Tag)> {
        let schedule = self.schedule();
        let is_free = |level: Level, tag: &Tag| {
            self.opened.contains(&level) || memory != Memory::Private && schedule.is_of_threads(tag)
        };
        loops.iter().filter(|(level, tag)| !is_free(*level, tag)).copied().collect()
    }

    /// Who has a buffer of its own, and whether a kernel holds it.
    fn owner(&self, memory: Memory, loops: &[(Level, &Tag)]) -> (Owner, bool) {
        match memory {
            Memory::Private => (Owner::Thread, true),
            Memory::Shared => (Owner::Block, true),
            Memory::Global if self.geometry.threaded(loops) => (Owner::Block, false),
            Memory::Global => (Owner::Computation, false),
        }
    }

    /// How many loops are around the innermost one that a kernel has among some, none if it has none.
    fn turn(&self, loops: &[(Level, &Tag)]) -> Option<usize> {
        let (schedule, partition) = (self.schedule(), &self.geometry.partition);
        let steps: Vec<_> = schedule.recompose.iter().filter(|step| schedule.is_loop(step.level)).collect();
        let combines = |step: &&Step| {
            let operator = &self.geometry.computation.operators[step.level.dimension];
            schedule.is_of_blocks(&step.tag) && operator.combines()
        };
        // The host goes through what is around the blocks that combine something, or that a phase of its own has.
        let common = schedule.shared(&schedule.recompose);
        let on_host =
            if schedule.has_blocks_behind(common) { common } else { steps.iter().rposition(combines).unwrap_or(0) };
        let is_loop = |&(level, tag): &(Level, &Tag)| {
            !schedule.is_core(tag) && !self.opened.contains(&level) && partition.count(level) != Some(1)
        };
        loops.iter().rposition(is_loop).filter(|depth| *depth >= on_host)
    }

    fn promoted(&self) -> Vec<Held> {
        let (schedule, computation) = (self.schedule(), self.geometry.computation);
        let (loops, shared) = (schedule.scalar_loops(), schedule.shared(&schedule.decompose));
        let homes: Vec<_> = computation.inputs.iter().map(|input| schedule.home(input.shape.len())).collect();
        let mut current = homes.clone();
        let mut since = vec![0; homes.len()];
        let mut held = vec![];
        let mut visit = |place: String, loops: &[(Level, &Tag)], placements: &[Placement]| {
            for (i, (input, placement)) in computation.inputs.iter().zip(placements).enumerate() {
                if std::mem::replace(&mut current[i], placement.clone()) == *placement {
                    continue;
                }
                if *placement == homes[i] {
                    since[i] = 0;
                    continue;
                }
                let memory = self.memory(placement);
                let fixed = self.fixed(memory, loops);
                // Where no loop is around whose parts are copied from the same place, there is nothing to take turns.
                let in_turn = memory == Memory::Shared && self.turn(loops).is_some_and(|depth| since[i] <= depth);
                let places = if in_turn { placement.buffers } else { 1 };
                if memory != Memory::Private {
                    since[i] = loops.len();
                }
                let elements = self.geometry.reached(input, &fixed, placement).map(|n| n.saturating_mul(places));
                let (owner, in_kernel) = self.owner(memory, loops);
                held.push(Held {
                    what: format!("part of input {}", i + 1),
                    place: place.clone(),
                    placement: Some(placement.clone()),
                    bytes: elements.map(|n| n.saturating_mul(bytes(input.element))),
                    owner,
                    in_kernel,
                });
            }
        };
        let mut depth = 0;
        for step in &schedule.decompose {
            let place = self.place('D', step, &self.original.decompose);
            visit(place, &loops[..depth.min(shared)], &step.placements);
            depth += usize::from(schedule.is_loop(step.level));
        }
        visit("S".to_owned(), &loops, &schedule.scalar.reads);
        held
    }

    /// A buffer for each output in its placement, over some dimensions, and so many copies of it.
    fn hold(
        &self,
        what: &str,
        place: &str,
        loops: &[(Level, &Tag)],
        dimensions: &[usize],
        copies: Option<u64>,
        placements: &[Placement],
    ) -> Vec<Held> {
        let outputs = &self.geometry.computation.outputs;
        let one = |(i, (output, placement)): (usize, (&_, &Placement))| {
            let output: &crate::analysis::computation::Buffer<'_> = output;
            let memory = self.memory(placement);
            let fixed = self.fixed(memory, loops);
            let elements = self.geometry.elements(dimensions.iter().copied(), &fixed).zip(copies);
            let tuple = bytes(output.element).saturating_mul(output.accesses.len() as u64);
            let (owner, in_kernel) = self.owner(memory, loops);
            let own = if memory == Memory::Private { Some(1) } else { self.copies(loops) };
            Held {
                what: if outputs.len() == 1 { what.to_owned() } else { format!("{what}, output {}", i + 1) },
                place: place.to_owned(),
                placement: Some(placement.clone()),
                bytes: elements
                    .zip(own)
                    .map(|((n, copies), own)| n.saturating_mul(copies).saturating_mul(own).saturating_mul(tuple)),
                owner,
                in_kernel,
            }
        };
        outputs.iter().zip(placements).enumerate().map(one).collect()
    }

    /// How many parts of reduced dimensions the threads around have, each of which has its own in memory that is theirs together.
    fn copies(&self, loops: &[(Level, &Tag)]) -> Option<u64> {
        let (schedule, computation) = (self.schedule(), self.geometry.computation);
        let mut own = loops
            .iter()
            .filter(|(level, tag)| schedule.is_of_threads(tag) && computation.operators[level.dimension].reduces());
        own.try_fold(1u64, |copies, (level, _)| Some(copies.saturating_mul(self.geometry.partition.count(*level)?)))
    }

    /// What a separate scalar phase leaves for the re-composition.
    fn results(&self) -> Vec<Held> {
        let schedule = self.schedule();
        let (loops, common) = (schedule.scalar_loops(), schedule.shared(&schedule.recompose));
        if common == loops.len() {
            return vec![];
        }
        let all: Vec<_> = (0..self.geometry.computation.rank()).collect();
        let what = "results of the scalar function";
        self.hold(what, "S", &loops[..common], &all, Some(1), &schedule.scalar.writes)
    }

    /// Whether what the steps from `j` on yield is in registers: it stays in a thread's own memory, and the loops there either only keep, or
    /// reduce outside of nothing but register tiles.
    fn is_in_registers(&self, j: usize) -> bool {
        let schedule = self.schedule();
        let writes = &schedule.scalar.writes;
        let placements = schedule.recompose.get(j).map_or(writes, |step| &step.placements);
        let behind = &schedule.recompose[j.min(schedule.recompose.len())..];
        let is_private = placements.iter().all(|placement| self.memory(placement) == Memory::Private);
        let is_settled = behind.iter().all(|step| step.placements == *placements) && writes == placements;
        if !is_private || !is_settled || schedule.shared(&schedule.recompose) < schedule.scalar_loops().len() {
            return false;
        }
        let loops = behind.iter().filter(|step| schedule.is_loop(step.level) && !schedule.is_register(&step.tag));
        let operators: Vec<_> = loops.map(|step| &self.geometry.computation.operators[step.level.dimension]).collect();
        operators.iter().all(|operator| operator.concatenates()) || operators.iter().all(|operator| operator.reduces())
    }

    /// Buffers of the re-composition.
    fn combined(&self) -> Vec<Held> {
        let (schedule, computation) = (self.schedule(), self.geometry.computation);
        let homes: Vec<_> = computation.outputs.iter().map(|output| schedule.home(output.shape.len())).collect();
        let operators = &computation.operators;
        let kept: Vec<_> = (0..operators.len()).filter(|&d| operators[d].keeps()).collect();
        let writes = &schedule.scalar.writes;
        let is_separate = schedule.shared(&schedule.recompose) < schedule.scalar_loops().len();
        let (mut around, mut is_reducing): (&[Placement], bool) = (&homes, false);
        let mut loops: Vec<(Level, &Tag)> = vec![];
        let mut held = vec![];
        let mut exchanged = 0usize;
        let mut exchanges = String::new();
        for (j, step) in schedule.recompose.iter().map(Some).chain([None]).enumerate() {
            let placements = step.map_or(writes, |step| &step.placements);
            let place = step.map_or("S".to_owned(), |step| self.place('R', step, &self.original.recompose));
            if around != placements.as_slice() && self.is_in_registers(j) {
                around = placements;
            }
            let operator =
                step.filter(|step| schedule.is_loop(step.level)).map(|step| &operators[step.level.dimension]);
            // A scan in a reduction runs in its own memory before it is added.
            let is_scan = is_reducing && operator.is_some_and(CombineOperator::is_scan);
            if is_scan || (around != placements.as_slice() && !(step.is_none() && is_separate)) {
                held.extend(self.hold("part of the outputs", &place, &loops, &kept, Some(1), placements));
                (around, is_reducing) = (placements, false);
            }
            let Some((step, operator)) = step.zip(operator) else { continue };
            let before = loops.clone();
            loops.push((step.level, &step.tag));
            let count = self.geometry.partition.count(step.level);
            let inner = schedule.recompose.get(j + 1).map_or(writes, |step| &step.placements);
            let is_block = schedule.is_of_blocks(&step.tag);
            let is_parallel = schedule.is_core(&step.tag) && count != Some(1);
            let is_in_warp = is_parallel && !is_block && self.is_in_warp(step.level, count);
            match operator {
                CombineOperator::PointWise(_) if is_parallel && is_block => {
                    let found = self.hold("partial results", &place, &loops, &kept, count, inner);
                    held.extend(found.into_iter().map(|held| Held { owner: Owner::Computation, ..held }));
                    let system = &schedule.system;
                    let width = system.whole_warps(count.map_or(COMBINING, |count| count.min(COMBINING)) as i64);
                    // The kernel that combines them holds nothing else.
                    let exchange = self.exchange(&place, Some(width as u64), 1);
                    let exchange = exchange.filter(|_| in_warp(system, width, 1, width) < width);
                    held.extend(exchange.map(|held| Held { in_kernel: false, ..held }));
                    (around, is_reducing) = (inner, false);
                }
                CombineOperator::PointWise(_) if is_parallel => {
                    if !self.is_in_registers(j + 1) {
                        held.extend(self.hold("partial results", &place, &loops, &kept, Some(1), inner));
                    }
                    if exchanged == 0 && !is_in_warp {
                        (exchanged, exchanges) = (1, place);
                    }
                    (around, is_reducing) = (inner, false);
                }
                CombineOperator::PrefixSum(_) if is_parallel && is_block => {
                    let others: Vec<_> = kept.iter().copied().filter(|&d| d != step.level.dimension).collect();
                    held.extend(self.hold("carried sums", &place, &before, &others, count, &step.placements));
                }
                CombineOperator::PrefixSum(_) if is_parallel && !is_in_warp => (exchanged, exchanges) = (2, place),
                CombineOperator::PointWise(_) => is_reducing = true,
                _ => {}
            }
        }
        if exchanged > 0 {
            held.extend(self.exchange(&exchanges, threads(computation, self.original), exchanged));
        }
        held
    }

    /// Whether the threads that share out a level of the re-composition are in one warp, so that they need no memory to combine.
    fn is_in_warp(&self, level: Level, count: Option<u64>) -> bool {
        let (schedule, computation) = (self.schedule(), self.geometry.computation);
        let mut steps: Vec<_> = schedule.recompose.iter().filter(|step| schedule.is_loop(step.level)).collect();
        let own = steps.split_off(schedule.shared(&schedule.recompose));
        let sorted = |steps: Vec<&'a Step>| {
            let mut steps: Vec<_> = steps.into_iter().filter(|step| schedule.is_of_threads(&step.tag)).collect();
            steps.sort_by_key(|step| counts_slower(&schedule.system, &step.tag));
            steps
        };
        let faster = [sorted(steps), sorted(own)].concat().into_iter().take_while(|step| step.level != level);
        let of = |level: Level| self.geometry.partition.count(level);
        let stride = faster.map(|step| of(step.level)).product::<Option<u64>>();
        let occupied = occupied(computation, schedule);
        let Some(((count, stride), occupied)) = count.zip(stride).zip(occupied) else { return false };
        in_warp(&schedule.system, count as i64, stride as i64, occupied as i64) >= count as i64
    }

    /// A value of each thread for each component of the results, in shared memory.
    fn exchange(&self, place: &str, threads: Option<u64>, sets: usize) -> impl Iterator<Item = Held> {
        let component = |r#type: &Type<'_>| {
            let bytes = threads.map(|threads| threads.saturating_mul(bytes(*r#type)));
            bytes.map(|bytes| bytes.next_multiple_of(ALIGNMENT).saturating_mul(sets as u64))
        };
        let mut types = self.geometry.computation.output_types.iter().map(component);
        let bytes = types.try_fold(0u64, |sum, bytes| Some(sum.saturating_add(bytes?)));
        // Shared memory of this kind has no layout.
        let placement = self.schedule().system.memory_of(MemoryRole::Shared).map(|region| Placement::new(region, []));
        let what = "values that threads exchange".to_owned();
        [Held { what, place: place.to_owned(), placement, bytes, owner: Owner::Block, in_kernel: true }].into_iter()
    }
}
