//! An analytic cost model for CPUs: predicts the time of the loops of a plan on a machine.
//!
//! The compute time of a register tile follows from the instructions per point, the loads that its elements share, and
//! the latency of a combination. The bytes that a memory layer moves follow from the largest set of inner loops whose
//! data fit into the next cache inward. The data of an access are read again in each iteration of the loops around
//! these, down to the innermost one that the access depends on.
mod addresses;
mod code;
mod compute;
mod footprint;
mod geometry;
mod traffic;
mod window;

use super::{
    climb::Estimate,
    plan::{Plan, PlanLoop},
    problem::Problem,
};
use crate::machine::{MAX_CACHES, Machine};
use crate::plan::runner::Runner;
use footprint::Footprints;
use geometry::Geometry;

/// Time to start and join two threads, in seconds: with each further level of a tree of threads, it takes as long again.
const FORK_JOIN: f64 = 1.2e-6;
/// Overhead of a part of a parallel loop, in seconds.
const PART_OVERHEAD: f64 = 1e-7;
/// Time to transfer a cache line that one core has written to another core and back, in seconds.
const TRANSFER: f64 = 2e-7;
/// Number of cache lines that are on the way from another core at a time.
const TRANSFERS_AT_A_TIME: f64 = 16.0;
/// Time of a scan that threads share, as a multiple of one traversal: each thread scans its part, and then adds what the
/// parts before it sum up to.
const SHARED_SCAN: f64 = 1.35;
/// Fraction of non-bottleneck time that does not overlap with the bottleneck.
const UNOVERLAPPED: f64 = 0.35;
/// Fraction of the transfer time from the second cache to the first that counts as non-bottleneck time.
const L2_UNOVERLAPPED: f64 = 0.3;
/// Fraction of the nominal bandwidth that a loop nest attains: for the second cache, and for the caches outside it.
const SUSTAINED: [f64; 2] = [0.9, 0.6];

/// The traffic of a memory layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// The layer that the bytes come from: L2, L3 or memory; on a device shared memory and L1, L2, or memory.
    pub layer: &'static str,
    /// Bytes that all threads move.
    pub bytes: f64,
    /// Time in seconds.
    pub seconds: f64,
}

/// The predicted time of a plan or a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Total time in seconds.
    pub seconds: f64,
    /// Time of arithmetic and instructions in seconds.
    pub compute: f64,
    /// Traffic by memory layer.
    pub traffic: Vec<Traffic>,
    /// Time in seconds to start threads or kernels, and to combine their results.
    pub combination: f64,
    /// Time in seconds to pack inputs.
    pub packing: f64,
    /// Resources of the kernel; `None` on a CPU.
    pub launch: Option<Launch>,
}

/// The resources of a kernel on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Number of blocks.
    pub blocks: u64,
    /// Threads per block.
    pub threads: u64,
    /// Registers per thread.
    pub registers: u64,
    /// Bytes of shared memory per block.
    pub shared_bytes: u64,
    /// Resident blocks per compute unit.
    pub per_unit: u64,
    /// Compute units of the device.
    pub units: u64,
}

impl Prediction {
    /// Returns the name of the bottleneck.
    pub fn bound(&self) -> &'static str {
        let slowest = self.traffic.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds));
        match slowest {
            Some(traffic) if traffic.seconds > self.compute.max(self.combination) => traffic.layer,
            _ if self.combination > self.compute => "combination",
            _ => "compute",
        }
    }
}

/// The name of the layer outside of each cache, except for the last cache, outside of which is memory.
const OUTER_LAYERS: [&str; MAX_CACHES - 1] = ["L2", "L3"];

/// The inputs of the model that are the same for all plans.
#[derive(Clone, Copy)]
pub struct HostModel<'a> {
    /// The computation.
    pub problem: &'a Problem,
    /// The machine.
    pub machine: &'a Machine,
    /// Number of threads.
    pub threads: u64,
}

/// The distribution of a plan over threads.
#[derive(Clone, Copy)]
struct Threads {
    /// Number of parts that are distributed.
    parts: u64,
    /// Number of times that threads are started: once in each iteration of the loops around theirs.
    starts: f64,
    /// Number of threads that get at least one part.
    used: u64,
    /// Fraction of all points that the thread with the most parts gets.
    share: f64,
}

impl HostModel<'_> {
    /// Predicts the time of a plan.
    pub fn predict(&self, plan: &Plan) -> Prediction {
        let geometry = Geometry::new(self.problem, self.machine, plan);
        let (threads, touched) = (self.threads(&geometry), Footprints::new(&geometry));
        let compute = self.compute(&geometry, threads);
        let (combination, packing) = self.around(&touched, threads);
        let caches = self.machine.caches.len();
        let traffic = (0..caches).map(|cache| {
            let (bytes, seconds) = self.traffic(&touched, cache, threads);
            Traffic { layer: if cache + 1 == caches { "memory" } else { OUTER_LAYERS[cache] }, bytes, seconds }
        });
        let traffic: Vec<_> = traffic.collect();
        let seconds = total(compute, traffic.iter().map(|traffic| traffic.seconds)) + combination + packing;
        Prediction { seconds, compute, traffic, combination, packing, launch: None }
    }

    /// Returns the costs of a plan that a search compares: its times, multiplied by a weight that follows from the
    /// number of operations of its loops before simplification. May return `None` if the weighted time is at least
    /// `limit` seconds.
    pub fn estimate(&self, plan: &Plan, weight: impl Fn(u64) -> f64, limit: Option<f64>) -> Option<Estimate> {
        let geometry = Geometry::new(self.problem, self.machine, plan);
        let weight = weight(geometry.operations());
        let is_hopeless = |seconds: f64| limit.is_some_and(|limit| weight * seconds >= limit);
        if weight == f64::INFINITY {
            return limit.is_none().then_some(Estimate { seconds: weight, compute: weight });
        }
        let threads = self.threads(&geometry);
        let compute = self.compute(&geometry, threads);
        // All other terms only add to this.
        if is_hopeless(compute) {
            return None;
        }
        let touched = Footprints::new(&geometry);
        let (combination, packing) = self.around(&touched, threads);
        if is_hopeless(compute + combination + packing) {
            return None;
        }
        let mut traffic = [0.0; MAX_CACHES];
        let caches = self.machine.caches.len();
        for cache in (0..caches).rev() {
            traffic[cache] = self.traffic(&touched, cache, threads).1;
            if is_hopeless(compute.max(traffic[cache]) + combination + packing) {
                return None;
            }
        }
        let seconds = total(compute, traffic[..caches].iter().copied()) + combination + packing;
        Some(Estimate { seconds: weight * seconds, compute: weight * compute })
    }

    /// The distribution of a plan over threads.
    fn threads(&self, geometry: &Geometry<'_>) -> Threads {
        let loops = &geometry.plan.loops;
        let parts: u64 = loops.iter().filter(|l| l.kind == Runner::THREADS).map(|l| l.parts).product();
        let used = parts.min(self.threads).max(1);
        // The thread with the most parts finishes last.
        let share = (parts.div_ceil(used) as f64 * geometry.largest_part()).min(1.0);
        Threads { parts, starts: geometry.plan.starts(), used, share }
    }

    /// Converts cycles of a thread to seconds.
    fn seconds(&self, cycles: f64) -> f64 {
        cycles / (self.machine.gigahertz * 1e9)
    }

    /// Time of arithmetic and instructions in seconds.
    fn compute(&self, geometry: &Geometry<'_>, threads: Threads) -> f64 {
        let is_scan = |l: &PlanLoop| l.kind == Runner::THREADS && self.problem.is_scan(l.dimension);
        let traversals = if geometry.loops.iter().any(is_scan) { SHARED_SCAN } else { 1.0 };
        self.seconds(geometry.instructions()) * threads.share * traversals
    }

    /// Time in seconds to start threads and combine their results, and time to pack inputs.
    fn around(&self, touched: &Footprints<'_>, Threads { parts, starts, used, share }: Threads) -> (f64, f64) {
        let packing = self.seconds(touched.packing()) * share;
        let combination = match parts > 1 {
            true => {
                let combined = self.seconds(touched.partial_results(parts));
                let transfers = touched.false_sharing(used) + touched.lines_of_others(used) / TRANSFERS_AT_A_TIME;
                let started = FORK_JOIN * (used as f64).log2() + PART_OVERHEAD * parts as f64;
                starts * started + combined + transfers * TRANSFER
            }
            false => 0.0,
        };
        (combination, packing)
    }

    /// The bytes that all threads move into a cache, and the time in seconds that this takes.
    fn traffic(&self, touched: &Footprints<'_>, cache: usize, Threads { used, share, .. }: Threads) -> (f64, f64) {
        let machine = self.machine;
        let (bytes, slowed) = touched.moved(cache, used);
        let seconds = if cache + 1 == machine.caches.len() {
            let all = machine.memory_bandwidth * 1e9;
            touched.burst() * slowed / (all * (used as f64 / machine.cores as f64).clamp(0.5, 1.0))
        } else {
            self.seconds(slowed * share / (SUSTAINED[cache.min(1)] * machine.caches[cache + 1].bandwidth))
        };
        (bytes, seconds)
    }
}

/// Total time of compute and of the transfers into each cache in seconds; most of them overlap.
fn total(compute: f64, traffic: impl Iterator<Item = f64> + Clone) -> f64 {
    let slowest = traffic.clone().fold(compute, f64::max);
    // Transfers into the first cache overlap with arithmetic, but wait behind those from farther away.
    let overlaps = |(cache, seconds): (usize, f64)| match cache {
        0 if slowest == compute => L2_UNOVERLAPPED * seconds,
        _ => seconds,
    };
    let all = traffic.enumerate().map(overlaps).sum::<f64>() + compute;
    slowest + UNOVERLAPPED * (all - slowest).max(0.0)
}
