//! Default schedules of producers: they are computed in parts if the cost model predicts a gain.
//!
//! ```text
//! maxima of rows ──▶ sums of rows ──▶ quotients        three times over a matrix in memory
//! for each row: its maximum, its sum, its quotients    once, with a row in the cache
//! ```
//!
//! The dimensions of the consumer that the results of producers move with are divided into parts, in loops around all
//! others. A part has as many points as fit into the first cache with everything that they read. Producers that make
//! this slower are left out, the most expensive ones first.
use super::{choose::Chosen, default, parts, plan::HostLayers, tuning::TuningContext};
use crate::{
    analysis::{
        computation::{AccessedBuffer, Computation},
        index::Domain,
        size,
    },
    lower::producers::{self, FoundProducer},
    machine::Machine,
};
use mdh_dialects::{
    ir::{self, OpView},
    schedule::{
        model::{ComputeAt, Schedule, System},
        rules,
    },
    view::InpView,
};

/// The fraction of the first cache that a part of the consumer and its producers may occupy.
const OCCUPIED: f64 = 0.5;
/// Time to enter the loops of a part, in seconds.
const PART_OVERHEAD: f64 = 5e-8;
/// The smallest predicted gain for which computations are divided into parts.
const GAIN: f64 = 0.9;
/// The least predicted time for which the parts of a consumer are distributed over threads, in seconds.
const PARALLEL_SECONDS: f64 = 2e-5;
/// The maximum number of producers of a consumer: the search for their schedules takes time.
const MAX_PRODUCERS: usize = 12;
/// The maximum number of groups that are compared for a consumer.
const ROUNDS: usize = 4;
/// The number of parts for each thread.
const PARTS_PER_THREAD: u64 = 8;
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
        for consumer in (0..self.computations.len()).rev() {
            let is_whole = |i: usize| chosen[i].as_ref().is_some_and(|schedule| schedule.at.is_none());
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
            let (bytes, inner_bytes) = group_bytes(&all);
            if self.is_cached(bytes + inner_bytes) {
                return None;
            }
            let seconds = |i: usize| own(i).unwrap_or(0.0);
            let before = producers.iter().map(|i| seconds(*i)).sum::<f64>() + seconds(consumer);
            let group = self.group(consumer, &producers, &moving);
            if group.as_ref().is_some_and(|group| group.seconds < before * GAIN) {
                return group;
            }
            let loss = |i: usize| group.as_ref().map_or(0.0, |group| group.each[i]) - seconds(producers[i]);
            let worst = (0..producers.len()).max_by(|a, b| loss(*a).total_cmp(&loss(*b)))?;
            producers.remove(worst);
        }
        None
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
            let moves = producers::parts::moving(computation, &placed, &dimensions);
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

    /// Schedules of a consumer and producers in parts, and their predicted time; `None` if a rule forbids it.
    fn group(&self, consumer: usize, producers: &[usize], moving: &[usize]) -> Option<FusedGroup> {
        let computation = &self.computations[consumer];
        let extent = |d: usize| computation.domain.extent(d);
        let all: Vec<_> = producers.iter().chain([&consumer]).map(|i| &self.computations[*i]).collect();
        let (bytes, inner_bytes) = group_bytes(&all);
        let points = moving.iter().try_fold(1u64, |points, d| points.checked_mul(extent(*d)?))?;
        let (inner, outer) = moving.split_last()?;
        let cache = self.tuning.machine.caches.first()?.bytes as f64 * OCCUPIED;
        let rows = ((cache / ((bytes + inner_bytes) / points.max(1) as f64)) as u64).clamp(1, extent(*inner)?.max(1));
        let of_part = |d: usize| match d {
            _ if outer.contains(&d) => Some(1),
            _ if d == *inner => Some(rows),
            _ => extent(d),
        };
        let parts = outer.iter().try_fold(extent(*inner)?.div_ceil(rows), |parts, d| parts.checked_mul(extent(*d)?))?;
        let single = TuningContext { threads: Some(1), ..self.tuning.clone() };
        let of_extents = |computation: &Computation<'c>, extents: Vec<Option<u64>>| {
            let part = Computation { domain: Domain::new(extents), ..computation.clone() };
            default::explained(&part, self.system, &single)
        };
        let (schedule, prediction) = of_extents(computation, (0..computation.rank()).map(of_part).collect())?;
        let mut schedule = parts::of_dimensions(&schedule, moving);
        let level = parts::innermost(&schedule, moving)?;
        let mut each = vec![];
        let mut scheduled = vec![];
        let placed: Vec<_> = producers.iter().map(|i| (&self.computations[*i], level)).collect();
        for (number, i) in producers.iter().enumerate() {
            let extents = producers::extents(computation, &schedule, &placed, number).ok()?;
            let (own, prediction) = of_extents(&self.computations[*i], extents)?;
            let own = parts::of_producer(&own, &self.computations[*i].operators);
            let at = Some(ComputeAt { consumer: self.names[consumer].1, level });
            each.push(prediction.seconds * parts as f64);
            scheduled.push((*i, Schedule { at, ..own }));
        }
        let compute = each.iter().sum::<f64>() + (prediction.seconds + PART_OVERHEAD) * parts as f64;
        let threads = self.tuning.threads().min(parts).max(1);
        if threads > 1 && compute > PARALLEL_SECONDS {
            parts::distribute(&mut schedule, moving, threads * PARTS_PER_THREAD, &computation.domain);
        }
        let memory = memory_seconds(&self.tuning.machine, bytes, threads);
        let (compute, each) = (compute / threads as f64, each.into_iter().map(|own| own / threads as f64).collect());
        let seconds = compute.max(memory) + UNOVERLAPPED * compute.min(memory);
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

/// The bytes of the buffers that a group reads and writes in memory, and those of the results that only it reads. The
/// consumer is the last computation.
fn group_bytes(all: &[&Computation<'_>]) -> (f64, f64) {
    let bytes = |buffer: &AccessedBuffer<'_>| {
        let sizes = buffer.shape.iter().map(|size| size.unwrap_or(1) as f64);
        sizes.product::<f64>() * size::bytes(buffer.element) as f64
    };
    let Some((consumer, producers)) = all.split_last() else { return (0.0, 0.0) };
    let inner: Vec<_> = producers.iter().flat_map(|producer| &producer.outputs).collect();
    let mut outer: Vec<&AccessedBuffer<'_>> = vec![];
    for buffer in all.iter().flat_map(|computation| &computation.inputs) {
        let is_known = outer.iter().chain(&inner).any(|known| known.value == buffer.value);
        outer.extend((!is_known).then_some(buffer));
    }
    outer.extend(&consumer.outputs);
    (outer.into_iter().map(bytes).sum(), inner.into_iter().map(bytes).sum())
}

/// The time to move bytes from and to memory, or the outermost cache if they fit into it, in seconds. Inner caches take
/// part in the predictions of the parts.
fn memory_seconds(machine: &Machine, bytes: f64, threads: u64) -> f64 {
    let Some((outermost, inner)) = machine.caches.split_last() else { return 0.0 };
    match inner.last() {
        Some(cache) if bytes <= cache.bytes as f64 => 0.0,
        _ if bytes <= outermost.bytes as f64 => {
            bytes / (outermost.bandwidth * machine.gigahertz * 1e9 * threads as f64)
        }
        _ => bytes / (machine.memory_bandwidth * 1e9 * threads as f64 / machine.cores.max(1) as f64),
    }
}
