//! An analytic cost model: how long the loops of a plan take on a machine.
//!
//! The arithmetic of one register tile follows from the instructions of a point, the loads that its elements share, and how long
//! a combined value takes; the bytes that a layer of memory moves from the innermost loops whose data fit into the cache in front of it
//! (the data of an access are read again in each iteration of the loops around those, up to the last one that it depends on).
mod code;
mod compute;
mod footprint;
mod geometry;
mod traffic;

use super::{
    climb::Estimate,
    plan::{Kind, Plan},
    problem::Problem,
};
use crate::machine::{MOST_CACHES, Machine};
use footprint::Footprints;
use geometry::Geometry;

/// Seconds until threads have begun and come to their end.
const FORK: f64 = 4e-6;
/// Seconds that a part of a parallel loop costs.
const PART: f64 = 1e-7;
/// Seconds until a line of a cache that one core has written is in another one's, and back.
const TRANSFER: f64 = 2e-7;
/// How much of what takes less time than the slowest part is not hidden behind it, and how much of the time of the second cache counts there.
const EXPOSED: f64 = 0.35;
const STREAMED: f64 = 0.3;
/// How much of the tabled bandwidth of the second cache, and of those behind it, a loop nest gets.
const SUSTAINED: [f64; 2] = [0.9, 0.6];

/// What a layer of memory moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// The layer behind a cache: L2, L3 or memory.
    pub layer: &'static str,
    /// Bytes of all threads.
    pub bytes: f64,
    /// Seconds that it takes.
    pub seconds: f64,
}

/// What the model expects of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The time in seconds.
    pub seconds: f64,
    /// Seconds of arithmetic and instructions.
    pub compute: f64,
    /// By layer of memory.
    pub traffic: Vec<Traffic>,
    /// Seconds for threads and the combination of their results.
    pub combination: f64,
    /// Seconds to pack inputs.
    pub packing: f64,
    /// What a kernel takes of a device.
    pub launch: Option<Launch>,
}

/// What a kernel takes of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Blocks.
    pub blocks: u64,
    /// The threads of a block.
    pub threads: u64,
    /// The registers of a thread.
    pub registers: u64,
    /// The bytes of shared memory of a block.
    pub shared_bytes: u64,
    /// How many blocks a compute unit holds at a time.
    pub per_unit: u64,
    /// The compute units of the device.
    pub units: u64,
}

impl Prediction {
    /// What takes longest.
    pub fn bound(&self) -> &'static str {
        let slowest = self.traffic.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds));
        match slowest {
            Some(traffic) if traffic.seconds > self.compute.max(self.combination) => traffic.layer,
            _ if self.combination > self.compute => "combination",
            _ => "compute",
        }
    }
}

/// The layers behind the caches, but for the last one, behind which is memory.
const BEHIND: [&str; MOST_CACHES - 1] = ["L2", "L3"];

/// What stays the same for all plans.
#[derive(Clone, Copy)]
pub struct Model<'a> {
    /// The computation.
    pub problem: &'a Problem,
    /// The machine.
    pub machine: &'a Machine,
    /// How many threads it is for.
    pub threads: u64,
}

/// The threads of a plan.
#[derive(Clone, Copy)]
struct Threads {
    /// The parts that are theirs.
    parts: u64,
    /// How many threads have some.
    used: u64,
    /// The share of all parts that the one with the most parts has.
    share: f64,
}

impl Model<'_> {
    /// The time of a plan.
    pub fn predict(&self, plan: &Plan) -> Prediction {
        let geometry = Geometry::new(self.problem, self.machine, plan);
        let (threads, touched) = (self.threads(plan), Footprints::new(&geometry));
        let compute = self.compute(&geometry, threads);
        let (combination, packing) = self.around(&touched, threads);
        let caches = self.machine.caches.len();
        let traffic = (0..caches).map(|cache| {
            let (bytes, seconds) = self.traffic(&touched, cache, threads);
            Traffic { layer: if cache + 1 == caches { "memory" } else { BEHIND[cache] }, bytes, seconds }
        });
        let traffic: Vec<_> = traffic.collect();
        let seconds = total(compute, traffic.iter().map(|traffic| traffic.seconds)) + combination + packing;
        Prediction { seconds, compute, traffic, combination, packing, launch: None }
    }

    /// What a search compares of a plan: its time, times a weight that follows from how many operations its loops have, before anything in
    /// them is simplified. None if it takes no fewer seconds than a limit.
    pub fn estimate(&self, plan: &Plan, weight: impl Fn(u64) -> f64, limit: Option<f64>) -> Option<Estimate> {
        let geometry = Geometry::new(self.problem, self.machine, plan);
        let weight = weight(geometry.operations());
        let is_hopeless = |seconds: f64| limit.is_some_and(|limit| weight * seconds >= limit);
        if weight == f64::INFINITY {
            return limit.is_none().then_some(Estimate { seconds: weight, compute: weight });
        }
        let threads = self.threads(plan);
        let compute = self.compute(&geometry, threads);
        // All other parts of the time come on top.
        if is_hopeless(compute) {
            return None;
        }
        let touched = Footprints::new(&geometry);
        let (combination, packing) = self.around(&touched, threads);
        if is_hopeless(compute + combination + packing) {
            return None;
        }
        let mut traffic = [0.0; MOST_CACHES];
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

    fn threads(&self, plan: &Plan) -> Threads {
        let parts: u64 = plan.loops.iter().filter(|l| l.kind == Kind::Threads).map(|l| l.parts).product();
        let used = parts.min(self.threads).max(1);
        // The thread with the most parts is the last one.
        Threads { parts, used, share: parts.div_ceil(used) as f64 / parts as f64 }
    }

    /// The seconds that so many cycles of a thread take.
    fn seconds(&self, cycles: f64) -> f64 {
        cycles / (self.machine.gigahertz * 1e9)
    }

    /// Seconds of arithmetic and instructions.
    fn compute(&self, geometry: &Geometry<'_>, threads: Threads) -> f64 {
        self.seconds(geometry.instructions()) * threads.share
    }

    /// Seconds for threads and the combination of their results, and to pack inputs.
    fn around(&self, touched: &Footprints<'_>, Threads { parts, used, share }: Threads) -> (f64, f64) {
        let packing = self.seconds(touched.packing()) * share;
        let combination = match parts > 1 {
            true => {
                let combined = self.seconds(touched.partial_results(parts));
                FORK + PART * parts as f64 + combined + touched.contended(used) * TRANSFER
            }
            false => 0.0,
        };
        (combination, packing)
    }

    /// The bytes that all threads move into a cache, and the seconds that it takes.
    fn traffic(&self, touched: &Footprints<'_>, cache: usize, Threads { used, share, .. }: Threads) -> (f64, f64) {
        let machine = self.machine;
        let (bytes, slowed) = touched.moved(cache, used);
        let seconds = if cache + 1 == machine.caches.len() {
            let all = machine.memory_bandwidth * 1e9;
            slowed / (all * (used as f64 / machine.cores as f64).clamp(0.5, 1.0))
        } else {
            self.seconds(slowed * share / (SUSTAINED[cache.min(1)] * machine.caches[cache + 1].bandwidth))
        };
        (bytes, seconds)
    }
}

/// Seconds of arithmetic and of what each cache gets, which overlap for the most part.
fn total(compute: f64, traffic: impl Iterator<Item = f64> + Clone) -> f64 {
    let slowest = traffic.clone().fold(compute, f64::max);
    let overlaps = |(cache, seconds): (usize, f64)| if cache == 0 { STREAMED * seconds } else { seconds };
    let all = traffic.enumerate().map(overlaps).sum::<f64>() + compute;
    slowest + EXPOSED * (all - slowest).max(0.0)
}
