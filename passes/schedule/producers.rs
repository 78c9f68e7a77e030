//! Default schedules of producers: they are computed in parts if the cost model predicts a gain.
//!
//! ```text
//! maxima of rows ──▶ sums of rows ──▶ quotients        three times over a matrix in memory
//! for each row: its maximum, its sum, its quotients    once, with a row in the cache
//! ```
//!
//! The dimensions of the consumer that the results of producers move with are divided into parts, in loops around all
//! others. A part has as many points as fit into a cache with everything that they read; the division with the shortest
//! predicted time is chosen. Producers that make this slower are left out, the most expensive ones first. If a dimension
//! that is divided has a dynamic extent, there may be many parts: then no buffer is assumed to be in a cache.
use super::{choose::Chosen, default, parts, plan::HostLayers, problem::ASSUMED_EXTENT, tuning::TuningContext};
use crate::{
    analysis::{
        computation::{AccessedBuffer, Computation},
        size,
    },
    lower::producers::{self, FoundProducer},
    machine::Machine,
    nest::shared_inputs,
};
use mdh_dialects::{
    ir::{self, OpView},
    schedule::{
        model::{ComputeAt, Schedule, System},
        rules,
    },
    view::InpView,
};

/// The fraction of a cache that a part of the consumer and its producers may occupy.
const OCCUPIED: f64 = 0.5;
/// The number of caches whose sizes are candidates for the size of a part.
const CACHES: usize = 2;
/// Time to enter the loops of a part, in seconds.
const PART_OVERHEAD: f64 = 5e-8;
/// The largest predicted time, as a fraction of the time without parts, for which computations are divided into parts.
const GAIN: f64 = 0.93;
/// The least predicted time for which the parts of a consumer are distributed over threads, in seconds.
const PARALLEL_SECONDS: f64 = 2e-5;
/// The maximum number of producers of a consumer: the search for their schedules takes time.
const MAX_PRODUCERS: usize = 12;
/// The maximum number of groups that are compared for a consumer.
const ROUNDS: usize = 4;
/// The number of parts for each thread.
const PARTS_PER_THREAD: u64 = 8;
/// The least number of indices of a dimension of dynamic extent in a part, as far as they fit into a cache.
const MIN_OPEN_ROWS: u64 = 16;
/// Fraction of the time for memory or for computing, whichever is shorter, that is not hidden by the other one.
const UNOVERLAPPED: f64 = 0.35;

/// The computations of a function with their schedules.
pub struct ProducerSearch<'a, 'c> {
    /// The computations of a module.
    pub computations: &'a [Computation<'c>],
    /// By computation: its function, and its number in the function.
    pub names: &'a [(String, usize)],
    /// The system of default schedules.
    pub system: &'a System,
    /// The target of default schedules.
    pub tuning: &'a TuningContext,
}

/// The division of a consumer into parts.
struct Division {
    /// The dimensions that are divided, outermost first: into single indices, and the last one into intervals.
    dimensions: Vec<usize>,
    /// The bytes that a part may occupy.
    bytes: f64,
}

/// A consumer and its producers, with schedules and the predicted time.
struct FusedGroup {
    consumer: Schedule,
    producers: Vec<(usize, Schedule)>,
    seconds: f64,
    /// By producer: the predicted time of all of its parts.
    each: Vec<f64>,
}

impl<'c> ProducerSearch<'_, 'c> {
    /// Replaces the default schedules of consumers and producers that are faster together. `expected`: by computation, the
    /// predicted time by its default schedule; `None` for schedules that may not be replaced.
    pub fn run(&self, chosen: &mut Chosen, expected: &[Option<f64>]) {
        if HostLayers::of(self.system).is_none() {
            return;
        }
        // A computation in which a given schedule computes another one keeps its loops, and is no producer itself.
        let is_named = |i: usize| {
            let name = |i: usize, number: usize| (&self.names[i].0, number);
            let consumer = |(other, schedule): (usize, &Option<Schedule>)| {
                schedule.as_ref()?.at.map(|at| name(other, at.consumer))
            };
            chosen.iter().enumerate().filter_map(consumer).any(|named| named == name(i, self.names[i].1))
        };
        let named: Vec<_> = (0..self.computations.len()).map(is_named).collect();
        for consumer in (0..self.computations.len()).rev() {
            let is_whole = |i: usize| chosen[i].as_ref().is_some_and(|schedule| schedule.at.is_none()) && !named[i];
            let own = |i: usize| expected[i].filter(|_| is_whole(i));
            if own(consumer).is_none() {
                continue;
            }
            if let Some(group) = self.best(consumer, &own) {
                for (i, schedule) in group.producers {
                    chosen[i] = Some(schedule);
                }
                chosen[consumer] = Some(group.consumer);
            }
        }
    }

    /// The best group of a consumer; `None` if all results are better computed at once. `own`: the predicted time of a
    /// computation by itself; `None` if it cannot be a producer.
    fn best(&self, consumer: usize, own: &dyn Fn(usize) -> Option<f64>) -> Option<FusedGroup> {
        let mut producers = self.sources(consumer, own);
        for _ in 0..ROUNDS {
            self.retain_exclusive(consumer, &mut producers);
            let moving = self.moving(consumer, &mut producers)?;
            let all: Vec<_> = producers.iter().chain([&consumer]).map(|i| &self.computations[*i]).collect();
            let (bytes, inner_bytes) = group_bytes(&all, &|_, _| true);
            let is_open = self.is_open(consumer, &moving);
            if !is_open && self.is_cached(bytes + inner_bytes) {
                return None;
            }
            // Results between the computations are neither written nor read again, and inputs that several read are read
            // once: that is all that parts save.
            let saved = 2.0 * inner_bytes + shared_bytes(&all);
            if saved < (bytes + saved) * (1.0 - GAIN) {
                return None;
            }
            let seconds = |i: usize| self.alone(i, own(i).unwrap_or(0.0), is_open);
            let before = producers.iter().map(|i| seconds(*i)).sum::<f64>() + seconds(consumer);
            let groups = self.divisions(&moving).filter_map(|division| self.group(consumer, &producers, &division));
            let group = groups.min_by(|a, b| a.seconds.total_cmp(&b.seconds));
            if group.as_ref().is_some_and(|group| group.seconds < before * GAIN) {
                return group;
            }
            let loss = |i: usize| group.as_ref().map_or(0.0, |group| group.each[i]) - seconds(producers[i]);
            let worst = (0..producers.len()).max_by(|a, b| loss(*a).total_cmp(&loss(*b)))?;
            producers.remove(worst);
        }
        None
    }

    /// Groups of consumers and producers that are computed in parts, each as the schedules of its computations, and its
    /// predicted time in seconds: what [`ProducerSearch::run`] chooses from, for every consumer by itself. `expected`: by
    /// computation, the predicted time by its default schedule; `None` for computations that belong to no group.
    pub fn groups(&self, expected: &[Option<f64>]) -> Vec<(Vec<(usize, Schedule)>, f64)> {
        let mut found: Vec<(Vec<(usize, Schedule)>, f64)> = vec![];
        if HostLayers::of(self.system).is_none() {
            return found;
        }
        let own = |i: usize| expected[i];
        for consumer in (0..self.computations.len()).rev().filter(|consumer| own(*consumer).is_some()) {
            let mut producers = self.sources(consumer, &own);
            for _ in 0..ROUNDS {
                self.retain_exclusive(consumer, &mut producers);
                let Some(moving) = self.moving(consumer, &mut producers) else { break };
                let groups = self.divisions(&moving).filter_map(|division| self.group(consumer, &producers, &division));
                let groups: Vec<_> = groups.collect();
                let slowest = groups
                    .first()
                    .and_then(|group| (0..producers.len()).max_by(|a, b| group.each[*a].total_cmp(&group.each[*b])));
                for FusedGroup { consumer: schedule, producers, seconds, .. } in groups {
                    let schedules: Vec<_> = producers.into_iter().chain([(consumer, schedule)]).collect();
                    if found.iter().all(|(known, _)| *known != schedules) {
                        found.push((schedules, seconds));
                    }
                }
                let Some(slowest) = slowest else { break };
                producers.remove(slowest);
            }
        }
        found
    }

    /// The nearest computations whose results a consumer reads, also through others, in the order of the program.
    fn sources(&self, consumer: usize, own: &dyn Fn(usize) -> Option<f64>) -> Vec<usize> {
        let (mut found, mut next) = (vec![], 0);
        let mut reader = Some(consumer);
        while let Some(current) = reader {
            for value in self.computations[current].inp_view.buffers() {
                let view = ir::defining(value);
                let source = (0..current).find(|i| Some(self.computations[*i].out_view.op()) == view);
                let source = source.filter(|i| own(*i).is_some() && !found.contains(i) && found.len() < MAX_PRODUCERS);
                found.extend(source);
            }
            reader = found.get(next).copied();
            next += 1;
        }
        found.sort_unstable();
        found
    }

    /// True if a dimension of a consumer that is divided into parts has a dynamic extent.
    fn is_open(&self, consumer: usize, dimensions: &[usize]) -> bool {
        dimensions.iter().any(|d| self.computations[consumer].domain.extent(*d).is_none())
    }

    /// The time of a computation by itself from its predicted time. `is_open`: true if its buffers may be larger than
    /// they are assumed to be, so that none stays in a cache.
    fn alone(&self, i: usize, seconds: f64, is_open: bool) -> f64 {
        let (bytes, _) = group_bytes(&[&self.computations[i]], &|_, _| true);
        let caches = &self.tuning.machine.caches;
        match caches.last().is_some_and(|cache| is_open && bytes <= cache.bytes as f64) {
            true => overlapped(seconds, memory_seconds(&self.tuning.machine, bytes, self.tuning.threads(), true)),
            false => seconds,
        }
    }

    /// True if so many bytes stay in the caches of a core, from which they can be read several times.
    fn is_cached(&self, bytes: f64) -> bool {
        let caches = &self.tuning.machine.caches;
        let own = caches.iter().take(caches.len().saturating_sub(1).max(1)).next_back();
        own.is_some_and(|cache| bytes <= cache.bytes as f64)
    }

    /// Leaves out computations whose results others than the consumer and its producers read, and that these do not
    /// read.
    fn retain_exclusive(&self, consumer: usize, producers: &mut Vec<usize>) {
        loop {
            let is_in = |view: InpView<'c>| {
                let is_of = |i: &usize| self.computations[*i].inp_view.op() == view.op();
                ir::users(view.result()).len() == 1 && producers.iter().chain([&consumer]).any(is_of)
            };
            let is_exclusive = |i: &usize| {
                let view = self.computations[*i].out_view;
                let users: Vec<_> = view.results().into_iter().flat_map(ir::users).collect();
                let is_read = |user: &ir::Op<'c>| InpView::cast(*user).is_some_and(&is_in);
                view.destinations().is_empty() && !users.is_empty() && users.iter().all(is_read)
            };
            let kept: Vec<_> = producers.iter().copied().filter(is_exclusive).collect();
            if kept.len() == producers.len() {
                return;
            }
            *producers = kept;
        }
    }

    /// The dimensions of the consumer that the results move with. Producers whose results move with none of them, which
    /// each part would compute again, are left out. `None` if no producer is left.
    fn moving(&self, consumer: usize, producers: &mut Vec<usize>) -> Option<Vec<usize>> {
        let computation = &self.computations[consumer];
        let mut dimensions: Vec<usize> = (0..computation.rank()).collect();
        loop {
            if producers.is_empty() || dimensions.is_empty() {
                return None;
            }
            let placed: Vec<_> = producers.iter().map(|i| &self.computations[*i]).collect();
            let ranges = producers::parts::around(computation, &placed, &dimensions);
            let moves: Vec<_> =
                ranges.into_iter().map(|ranges| ranges.map(|ranges| producers::parts::moving(&ranges))).collect();
            // All parts have the same dimensions: those that every producer moves with. With fewer of them, all readers of
            // a producer may read the same part.
            let moving = || moves.iter().flatten().filter(|moves| !moves.is_empty());
            let is_common = |d: &usize| moving().all(|moves| moves.contains(d));
            let common: Vec<_> = dimensions.iter().copied().filter(is_common).collect();
            if common != dimensions && !common.is_empty() {
                dimensions = common;
                continue;
            }
            let is_wrong = |moves: &Result<Vec<usize>, String>| moves.as_ref().map_or(true, Vec::is_empty);
            match moves.iter().position(is_wrong) {
                None if common.is_empty() => return None,
                None => return Some(dimensions),
                Some(wrong) => {
                    producers.remove(wrong);
                    self.retain_exclusive(consumer, producers);
                    dimensions = (0..computation.rank()).collect();
                }
            }
        }
    }

    /// The candidates for the division of a consumer into parts: along all of these dimensions, or along the outermost one
    /// alone, in parts for the caches of a core.
    fn divisions(&self, moving: &[usize]) -> impl Iterator<Item = Division> {
        let caches = self.tuning.machine.caches.iter().take(CACHES).map(|cache| cache.bytes as f64 * OCCUPIED);
        let dimensions = [moving, &moving[..1]].into_iter().take(moving.len().min(2)).map(<[usize]>::to_vec);
        let dimensions: Vec<_> = dimensions.collect();
        caches
            .flat_map(move |bytes| dimensions.clone().into_iter().map(move |dimensions| Division { dimensions, bytes }))
    }

    /// Schedules of a consumer and producers in parts, and their predicted time; `None` if a rule forbids it.
    fn group(&self, consumer: usize, producers: &[usize], division: &Division) -> Option<FusedGroup> {
        let (computation, moving) = (&self.computations[consumer], &division.dimensions);
        let assumed = |d: usize| computation.domain.extent(d).unwrap_or(ASSUMED_EXTENT);
        let of_group: Vec<_> = producers.iter().map(|i| &self.computations[*i]).collect();
        let ranges: Result<Vec<_>, _> = producers::parts::around(computation, &of_group, moving).into_iter().collect();
        let ranges = ranges.ok()?;
        let all: Vec<_> = of_group.iter().copied().chain([computation]).collect();
        let moves = |number: usize, buffer: &AccessedBuffer<'_>| {
            buffer.accesses.iter().any(|access| match ranges.get(number) {
                Some(ranges) => shared_inputs::depends_on_parts(ranges, access),
                None => moving.iter().any(|d| access.depends_on(*d)),
            })
        };
        let (bytes, _) = group_bytes(&all, &|_, _| true);
        let (moving_bytes, moving_inner_bytes) = group_bytes(&all, &moves);
        let points = moving.iter().try_fold(1u64, |points, d| points.checked_mul(assumed(*d)))?;
        let (inner, outer) = moving.split_last()?;
        let bytes_of_point = (moving_bytes + moving_inner_bytes) / points.max(1) as f64;
        let threads = self.tuning.threads().max(1);
        let rows = ((division.bytes / bytes_of_point) as u64).clamp(1, assumed(*inner).max(1));
        let rows = match computation.domain.extent(*inner) {
            Some(extent) => equal_parts(extent, rows, if outer.is_empty() { threads } else { 1 }),
            // With several parts for each thread, the threads have about the same work for any extent.
            None => rows.min((assumed(*inner) / (threads * PARTS_PER_THREAD)).max(MIN_OPEN_ROWS)),
        };
        let of_part = |d: usize| match d {
            _ if outer.contains(&d) => Some(1),
            _ if d == *inner => Some(rows),
            _ => computation.domain.extent(d),
        };
        let parts = outer.iter().try_fold(assumed(*inner).div_ceil(rows), |parts, d| parts.checked_mul(assumed(*d)))?;
        let of_extents = |number: usize, extents: Vec<Option<u64>>| {
            let own = all[number];
            let is_inner = |buffer: &AccessedBuffer<'_>| {
                of_group.iter().any(|producer| producer.outputs.iter().any(|output| output.value == buffer.value))
            };
            let executions = |buffer: &AccessedBuffer<'_>| {
                if moves(number, buffer) || is_inner(buffer) { 1.0 } else { parts as f64 }
            };
            default::of_part(own, extents, own.inputs.iter().map(executions).collect(), self.system, self.tuning)
        };
        let (schedule, prediction) = of_extents(producers.len(), (0..computation.rank()).map(of_part).collect())?;
        let mut schedule = parts::of_consumer(&schedule, computation, moving);
        let level = parts::innermost(&schedule, moving)?;
        let mut each = vec![];
        let mut scheduled = vec![];
        let placed: Vec<_> = of_group.iter().map(|producer| (*producer, level)).collect();
        for (number, i) in producers.iter().enumerate() {
            let extents = producers::extents(computation, &schedule, &placed, number).ok()?;
            let (own, prediction) = of_extents(number, extents)?;
            let own = parts::of_producer(&own, &self.computations[*i].operators);
            let at = Some(ComputeAt { consumer: self.names[consumer].1, level });
            each.push(prediction.seconds * parts as f64);
            scheduled.push((*i, Schedule { at, ..own }));
        }
        let compute = each.iter().sum::<f64>() + (prediction.seconds + PART_OVERHEAD) * parts as f64;
        let threads = threads.min(parts).max(1);
        if threads > 1 && compute > PARALLEL_SECONDS {
            parts::distribute(&mut schedule, moving, threads * PARTS_PER_THREAD, &computation.domain);
        }
        let memory = memory_seconds(&self.tuning.machine, bytes, threads, self.is_open(consumer, moving));
        let (compute, each) = (compute / threads as f64, each.into_iter().map(|own| own / threads as f64).collect());
        let seconds = overlapped(compute, memory);
        let found = |(i, own): &(usize, Schedule)| {
            FoundProducer::new(self.names[*i].1, self.computations[*i].clone(), own.clone())
        };
        let found: Vec<_> = scheduled.iter().filter_map(found).collect();
        let is_legal = rules::check(&schedule, &computation.shape()).is_ok()
            && scheduled.iter().all(|(i, own)| rules::check(own, &self.computations[*i].shape()).is_ok())
            && producers::check_group(computation, &schedule, &found).is_ok();
        is_legal.then_some(FusedGroup { consumer: schedule, producers: scheduled, seconds, each })
    }
}

/// The size of parts of at most `most` of `extent` points: parts of the same size if there is a divisor that is not much
/// smaller, otherwise of about the same size, and as many for each thread.
fn equal_parts(extent: u64, most: u64, threads: u64) -> u64 {
    let count = extent.div_ceil(most.max(1)).max(1).next_multiple_of(threads);
    let largest = extent.div_ceil(count).max(1);
    let divides = |size: &u64| extent.is_multiple_of(*size) && (extent / size).is_multiple_of(threads);
    (largest.div_ceil(2)..=largest).rev().find(divides).unwrap_or(largest)
}

/// The bytes that a group reads repeatedly: those of inputs, for each computation but one that reads them.
fn shared_bytes(all: &[&Computation<'_>]) -> f64 {
    let inputs = all.iter().enumerate().flat_map(|(number, one)| one.inputs.iter().map(move |input| (number, input)));
    let is_read_before = |(number, input): &(usize, &AccessedBuffer<'_>)| {
        all[..*number].iter().any(|other| other.inputs.iter().any(|known| known.value == input.value))
    };
    inputs.filter(is_read_before).map(|(_, input)| buffer_bytes(input)).sum()
}

/// The bytes of a buffer, with assumed dynamic sizes.
fn buffer_bytes(buffer: &AccessedBuffer<'_>) -> f64 {
    let sizes = buffer.shape.iter().map(|size| size.unwrap_or(ASSUMED_EXTENT) as f64);
    sizes.product::<f64>() * size::bytes(buffer.element) as f64
}

/// The bytes of the buffers that a group reads and writes in memory, and those of the results that only it reads, as far
/// as they count. The consumer is the last computation. `counts`: true for the buffers that count, by computation.
fn group_bytes<'c>(all: &[&Computation<'c>], counts: &dyn Fn(usize, &AccessedBuffer<'c>) -> bool) -> (f64, f64) {
    let Some((consumer, producers)) = all.split_last() else { return (0.0, 0.0) };
    let inner: Vec<_> = producers.iter().flat_map(|producer| &producer.outputs).collect();
    let mut outer: Vec<&AccessedBuffer<'c>> = vec![];
    for (number, computation) in all.iter().enumerate() {
        for buffer in &computation.inputs {
            let is_known = outer.iter().chain(&inner).any(|known| known.value == buffer.value);
            outer.extend((!is_known && counts(number, buffer)).then_some(buffer));
        }
    }
    outer.extend(&consumer.outputs);
    (outer.into_iter().map(buffer_bytes).sum(), inner.into_iter().map(buffer_bytes).sum())
}

/// The time of computing and of memory accesses together, which hide most of each other.
fn overlapped(compute: f64, memory: f64) -> f64 {
    compute.max(memory) + UNOVERLAPPED * compute.min(memory)
}

/// The time to move bytes from and to memory, or the outermost cache if they fit into it, in seconds. Inner caches take
/// part in the predictions of the parts. `is_open`: true if there may be more bytes, so that no cache has them.
fn memory_seconds(machine: &Machine, bytes: f64, threads: u64, is_open: bool) -> f64 {
    let Some((outermost, inner)) = machine.caches.split_last() else { return 0.0 };
    match inner.last().filter(|_| !is_open) {
        Some(cache) if bytes <= cache.bytes as f64 => 0.0,
        _ if !is_open && bytes <= outermost.bytes as f64 => {
            bytes / (outermost.bandwidth * machine.gigahertz * 1e9 * threads as f64)
        }
        _ => bytes / (machine.memory_bandwidth * 1e9 * threads as f64 / machine.cores.max(1) as f64),
    }
}
