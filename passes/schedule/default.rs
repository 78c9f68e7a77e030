//! The default schedule of a computation: the entry points of the searches, and a simple schedule that is legal for any
//! computation on any system.
//!
//! The simple schedule distributes one dimension over the threads of a host or the blocks of a device. Every other
//! dimension is one sequential loop; the loops are ordered by the strides of the index functions in memory. All buffers
//! stay in the outermost region with the user's layout, and the three phases coincide. How results are combined depends
//! on the computation only, so that results are the same on every machine: a given number of threads only adds parts of
//! a concatenated dimension.
use super::{
    cost::Prediction,
    gpu,
    plan::{HostLayers, Plan},
    problem::{ASSUMED_EXTENT, Problem},
    search::HostSearch,
};
use crate::{
    analysis::{
        computation::{AccessedBuffer, Computation},
        index::{Access, Domain},
        memory_order::MemoryOrder,
    },
    schedule::tuning::TuningContext,
};
use mdh_dialects::{
    hom::{Function, Kind},
    schedule::{
        model::{Level, Placement, ScalarPhase, Schedule, Step, System, Tag},
        rules::Shape,
    },
};
use melior::ir::TypeLike;

/// Maximum number of parts of the parallel dimension: enough to balance the load of many cores.
const PARTS: u64 = 64;
/// Minimum number of points for which it pays to start threads.
const MIN_PARALLEL_WORK: u64 = 1 << 14;
/// Minimum number of points for which it pays to combine the partial results of threads.
const MIN_COMBINED_WORK: u64 = 1 << 18;
/// Elements of a cache line: an access with a larger stride uses one element of each line.
const LINE: u64 = 8;

/// Maximum number of points of short reductions that are moved inside the loop along memory.
const UNROLLED: u64 = 32;

/// An access to a buffer, with its weight in the cost.
struct Weighted<'a> {
    access: &'a Access,
    shape: &'a [Option<u64>],
    /// 2 for outputs, which are read and written, and 1 for inputs.
    weight: f64,
    output: bool,
}

/// Maximum extent for which schedules are searched.
pub(super) const MAX_EXTENT: u64 = 1 << 48;

/// Returns the default schedule of a computation: on a system of threads, caches, registers and vectors, or of kernels,
/// the schedule with the best predicted time; on other systems, and if an extent is too large to search, a simple one.
pub fn default_schedule(computation: &Computation<'_>, system: &System, tuning: &TuningContext) -> Schedule {
    expected(computation, system, tuning).0
}

/// Returns the default schedule of a computation, and its predicted time in seconds if a search has found it.
pub fn expected(computation: &Computation<'_>, system: &System, tuning: &TuningContext) -> (Schedule, Option<f64>) {
    match explained(computation, system, tuning) {
        Some((schedule, prediction)) => (schedule, Some(prediction.seconds)),
        None => (simple(computation, system, tuning), None),
    }
}

/// Returns the schedule with the best predicted time, and its prediction; `None` if the system lacks one of these
/// layers, or if an extent is too large to search.
pub fn explained(
    computation: &Computation<'_>,
    system: &System,
    tuning: &TuningContext,
) -> Option<(Schedule, Prediction)> {
    if let Some(kernels) = kernels(computation, system, tuning, 1) {
        return kernels.into_iter().next();
    }
    searched(&Problem::of(computation, tuning.functions(system, computation)), system, tuning, |search| {
        vec![search.run()]
    })?
    .pop()
}

/// Returns a schedule with one sequential loop per dimension, for code that one core runs.
pub fn sequential(computation: &Computation<'_>, system: &System, tuning: &TuningContext) -> Schedule {
    let order: Vec<_> = simple(computation, system, tuning).scalar.order;
    let mut dimensions: Vec<_> = order.iter().map(|(level, _)| level.dimension).collect();
    dimensions.truncate(computation.rank());
    build(&computation.shape(), &dimensions, None, system, None)
}

/// Returns the schedule of a part of a computation with the best predicted time on one thread, and its prediction.
/// `extents`: those of the part. `executions_per_copy`: by input, the number of parts that read the same elements.
pub fn of_part(
    computation: &Computation<'_>,
    extents: Vec<Option<u64>>,
    executions_per_copy: Vec<f64>,
    system: &System,
    tuning: &TuningContext,
) -> Option<(Schedule, Prediction)> {
    let part = Computation { domain: Domain::new(extents), ..computation.clone() };
    let tuning = TuningContext { threads: Some(1), ..tuning.clone() };
    let mut problem = Problem::of(&part, tuning.functions(system, &part));
    problem.executions_per_copy = executions_per_copy;
    searched(&problem, system, &tuning, |search| vec![search.run()])?.pop()
}

/// Returns at most `count` schedules with their predictions: the default first, then others from good to bad. `None`
/// under the conditions of [`explained`].
pub fn candidates(
    computation: &Computation<'_>,
    system: &System,
    tuning: &TuningContext,
    count: usize,
) -> Option<Vec<(Schedule, Prediction)>> {
    kernels(computation, system, tuning, count).or_else(|| {
        let problem = Problem::of(computation, tuning.functions(system, computation));
        searched(&problem, system, tuning, |search| search.candidates(count))
    })
}

/// Returns at most `count` schedules for a system of kernels; `None` on other systems, or if an extent is too large.
fn kernels(
    computation: &Computation<'_>,
    system: &System,
    tuning: &TuningContext,
    count: usize,
) -> Option<Vec<(Schedule, Prediction)>> {
    gpu::DeviceLayers::of(system)?;
    let problem = Problem::of(computation, tuning.functions(system, computation));
    let is_possible = problem.extents().all(|extent| extent <= MAX_EXTENT);
    is_possible.then(|| gpu::schedules(&problem, system, tuning, count)).flatten()
}

/// Returns the schedules of the plans that `take` selects from a search for CPUs.
fn searched(
    problem: &Problem,
    system: &System,
    tuning: &TuningContext,
    take: impl Fn(&HostSearch<'_>) -> Vec<(Plan, Prediction)>,
) -> Option<Vec<(Schedule, Prediction)>> {
    let layers = HostLayers::of(system)?;
    // Larger extents, rounded up to whole tiles, might violate rule S2.
    if problem.extents().any(|extent| extent > MAX_EXTENT) {
        return None;
    }
    let search = HostSearch {
        problem,
        machine: &tuning.machine,
        threads: tuning.threads(),
        most_loops: layers.sequential(),
        fixed: None,
    };
    let schedule = |(plan, prediction): (Plan, Prediction)| (plan.schedule(problem, system, &layers), prediction);
    Some(take(&search).into_iter().map(schedule).collect())
}

/// Returns a schedule with one parallel dimension and one sequential loop per dimension. The number of threads of
/// `tuning` only adds parts of a concatenated dimension if there are more threads than parts; it never changes how
/// results are combined.
fn simple(computation: &Computation<'_>, system: &System, tuning: &TuningContext) -> Schedule {
    let accesses = |buffers: &'_ [AccessedBuffer<'_>], output: bool| -> Vec<(Access, Vec<Option<u64>>, bool)> {
        let all = buffers.iter().flat_map(|buffer| buffer.accesses.iter().map(move |access| (access, buffer)));
        let in_memory = |(access, buffer): (&Access, &AccessedBuffer<'_>)| {
            let order = MemoryOrder::of(buffer);
            (order.access(access), order.sizes().to_vec(), output)
        };
        all.map(in_memory).collect()
    };
    let mut all = accesses(&computation.inputs, false);
    all.extend(accesses(&computation.outputs, true));
    let integers = computation.output_types.iter().all(|t| t.is_integer() || t.is_index());
    let keeps_order = Problem::of(computation, tuning.functions(system, computation)).keeps_order;
    simple_from_data(&computation.shape(), &all, (integers, keeps_order), system, tuning.threads)
}

/// Returns the simple schedule from plain data. `accesses` has each access with the sizes of its buffer, and true for
/// outputs. `integers` is true if results are integers, `keeps_order` if values must be combined in the order of the
/// definition.
pub fn simple_from_data(
    shape: &Shape,
    accesses: &[(Access, Vec<Option<u64>>, bool)],
    (integers, keeps_order): (bool, bool),
    system: &System,
    threads: Option<usize>,
) -> Schedule {
    let accesses: Vec<_> = accesses
        .iter()
        .map(|(access, shape, output)| Weighted {
            access,
            shape,
            weight: if *output { 2.0 } else { 1.0 },
            output: *output,
        })
        .collect();
    let costs: Vec<_> = (0..shape.rank()).map(|d| cost(shape, &accesses, integers, d)).collect();
    let mut dimensions = loop_order(shape, &costs);
    let concatenates = |d: &usize| shape.operators[*d].concatenates();
    if keeps_order {
        // The combined dimensions keep their order among themselves.
        let mut combined = (0..shape.rank()).filter(|d| !concatenates(d));
        dimensions =
            dimensions.into_iter().map(|d| if concatenates(&d) { d } else { combined.next().unwrap_or(d) }).collect();
    }
    let parallel = parallel_dimension(shape, &accesses, &dimensions).filter(|d| concatenates(d) || !keeps_order);
    build(shape, &dimensions, parallel, system, threads)
}

/// Returns the dimensions in loop order, outermost first.
fn loop_order(shape: &Shape, costs: &[f64]) -> Vec<usize> {
    let mut order: Vec<_> = (0..shape.rank()).collect();
    // The dimension that would be the worst innermost loop becomes the outermost one; the sort is stable.
    order.sort_by(|&a, &b| costs[b].total_cmp(&costs[a]));
    let Some(innermost) = order.pop() else { return order };
    // Reductions go directly around the innermost loop, where their accumulators are still in the cache.
    order.sort_by_key(|&d| shape.operators[d].reduces());
    order.push(innermost);
    if shape.operators[innermost].reduces() {
        return order;
    }
    // Short reductions go inside: they are unrolled, and their accumulators stay in registers.
    let mut points = 1;
    let short: Vec<_> = order
        .iter()
        .copied()
        .rev()
        .filter(|&d| {
            let extent = shape.extent(d).filter(|&extent| extent <= LINE && shape.operators[d].reduces());
            let fits = extent.is_some_and(|extent| points * extent <= UNROLLED);
            points *= extent.filter(|_| fits).unwrap_or(1);
            fits
        })
        .collect();
    order.sort_by_key(|d| short.contains(d));
    order
}

/// Estimates the cost of one iteration with this dimension innermost, as a relative number.
fn cost(shape: &Shape, accesses: &[Weighted<'_>], integers: bool, dimension: usize) -> f64 {
    let strides: Vec<_> = accesses.iter().map(|access| (stride(access, dimension), access.weight)).collect();
    let memory: f64 = strides.iter().map(|&(stride, weight)| stride.min(LINE) as f64 * weight).sum();
    let plain = shape.operators.iter().all(|operator| !operator.is_user());
    let sequential = |kinds: &[Kind]| !integers && !kinds.is_empty();
    let operator = &shape.operators[dimension];
    let chain = match operator.function() {
        None => false,
        Some(Function::Builtin(kinds)) => operator.is_scan() || sequential(kinds),
        Some(Function::Symbol(_)) => true,
    };
    if plain && !chain && strides.iter().all(|&(stride, _)| stride <= 1) {
        let lanes = shape.extent(dimension).unwrap_or(ASSUMED_EXTENT).clamp(1, LINE);
        return memory / lanes as f64;
    }
    // Each addition of a dependence chain waits for the previous one. User operators hide this latency behind their own
    // work.
    memory + if chain && plain { 4.0 } else { 0.0 }
}

/// The distance in memory, in elements, of consecutive indices of a dimension.
fn stride(weighted: &Weighted<'_>, dimension: usize) -> u64 {
    weighted.access.distance(dimension, weighted.shape.iter().map(|size| size.unwrap_or(ASSUMED_EXTENT)))
}

/// Returns the dimension for the core layer: one whose parts need no combining if it is long enough, else a long
/// combined one.
fn parallel_dimension(shape: &Shape, accesses: &[Weighted<'_>], order: &[usize]) -> Option<usize> {
    let extent = |d: usize| shape.extent(d).unwrap_or(ASSUMED_EXTENT);
    let all = (0..shape.rank()).fold(1u64, |work, d| work.saturating_mul(extent(d)));
    // A dynamic extent may be large.
    let work = if shape.extents().any(|extent| extent.is_none()) { all.max(MIN_COMBINED_WORK) } else { all };
    if work < MIN_PARALLEL_WORK {
        return None;
    }
    let kind = |d: usize| u8::from(shape.operators[d].combines()) + u8::from(shape.operators[d].is_scan());
    let output_stride =
        |d: usize| accesses.iter().filter(|access| access.output).map(|access| stride(access, d)).max().unwrap_or(0);
    // Up to an extent of 8, longer is better; beyond that, adjacent elements of the output should stay on one core.
    let best = |wanted: u8, least: u64, among: &[usize]| {
        let candidates = among.iter().copied().filter(|&d| kind(d) == wanted && extent(d) >= least);
        candidates.rev().max_by_key(|&d| (extent(d).min(8), output_stride(d)))
    };
    // The innermost loop stays long if another dimension is suitable.
    let outer = &order[..order.len().saturating_sub(1)];
    if let Some(found) = best(0, 4, outer).or_else(|| best(0, 4, order)) {
        return Some(found);
    }
    if work < MIN_COMBINED_WORK {
        return None;
    }
    // A scan traverses the result twice, which is cheap if each element takes much work.
    let scan = best(2, PARTS, order).filter(|&d| work / extent(d) >= LINE * LINE);
    // Each part of a point-wise dimension allocates a whole result.
    let kept = (0..shape.rank()).filter(|&d| kind(d) != 1).fold(1u64, |kept, d| kept.saturating_mul(extent(d)));
    scan.or_else(|| best(1, PARTS, order).filter(|_| kept.saturating_mul(4 * PARTS) <= work))
}

/// Returns the number of parts for the core layer: a divisor of the extent if there is a good one; `None` if the extent
/// is dynamic.
fn part_count(extent: Option<u64>, most: u64) -> Option<u64> {
    let extent = extent?;
    if extent <= most {
        return Some(extent);
    }
    let divisor = (most / 4..=most).rev().find(|&count| count > 0 && extent.is_multiple_of(count));
    // Without a divisor, the part size is rounded up. The count is then chosen such that no part is empty.
    Some(divisor.unwrap_or_else(|| extent.div_ceil(extent.div_ceil(most))))
}

fn build(shape: &Shape, order: &[usize], parallel: Option<usize>, system: &System, threads: Option<usize>) -> Schedule {
    let (layers, rank) = (system.layers(), shape.rank());
    // The outermost layer of the decomposition is mapped to the threads of a host or the blocks of a device, the next
    // one to the outermost memory layer.
    let parallel_core = system.host_threads();
    let (first, others): (Vec<_>, Vec<_>) =
        system.cores.iter().enumerate().partition(|(core, _)| Some(*core) == parallel_core);
    let first = first.into_iter().map(|(_, layer)| layer);
    let names: Vec<_> =
        first.chain(&system.memory).chain(others.into_iter().map(|(_, layer)| layer)).cloned().collect();
    let sequential = usize::from(parallel_core.is_some());
    let mut parts = vec![vec![Some(1); rank]; layers];
    for (d, extent) in shape.extents().enumerate() {
        parts[sequential][d] = extent.filter(|&extent| extent > 0);
        let Some(core) = parallel_core.filter(|_| parallel == Some(d)) else { continue };
        let concatenated = shape.operators[d].concatenates();
        let wanted = threads.filter(|_| concatenated).map_or(0, |threads| (threads as u64).saturating_mul(4));
        let innermost = order.last() == Some(&d);
        let usual = if innermost { (extent.unwrap_or(ASSUMED_EXTENT) / (LINE * LINE)).clamp(8, PARTS) } else { PARTS };
        let most = usual.max(wanted).min(system.limit[core].unwrap_or(u64::MAX));
        match part_count(extent, most).filter(|&count| count > 0) {
            Some(count) => {
                parts[0][d] = Some(count);
                parts[1][d] = extent.map(|extent| extent.div_ceil(count));
            }
            None if extent.is_none() => parts[0][d] = Some(most),
            None => {}
        }
    }
    let levels: Vec<_> =
        (0..layers).flat_map(|layer| order.iter().map(move |&dimension| Level { layer, dimension })).collect();
    let tag = |level: Level| Tag { layer: names[level.layer].clone(), dimension: level.dimension };
    let home = |ranks: &[usize]| -> Vec<Placement> {
        ranks.iter().map(|&rank| Placement::new(system.outermost(), 0..rank)).collect()
    };
    let steps = |ranks: &[usize]| -> Vec<Step> {
        levels.iter().map(|&level| Step { level, tag: tag(level), placements: home(ranks) }).collect()
    };
    Schedule {
        system: system.clone(),
        parts,
        decompose: steps(&shape.inputs),
        scalar: ScalarPhase {
            order: levels.iter().map(|&level| (level, tag(level))).collect(),
            reads: home(&shape.inputs),
            writes: home(&shape.outputs),
        },
        recompose: steps(&shape.outputs),
        at: None,
    }
}
