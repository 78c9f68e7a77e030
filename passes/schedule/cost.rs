//! An analytic cost model: how long the loops of a plan take on a machine.
//!
//! The arithmetic of one register tile follows from the instructions of a point, the loads that its elements share, and how long
//! a combined value takes; the bytes that a layer of memory moves from the innermost loops whose data fit into the cache in front of it
//! (the data of an access are read again in each iteration of the loops around those, up to the last one that it depends on).
mod code;
mod compute;
mod nest;
mod traffic;

use super::{
    machine::Machine,
    plan::{Kind, Plan},
    problem::Problem,
};
use nest::Nest;

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
    pub layer: String,
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
    pub fn bound(&self) -> &str {
        let slowest = self.traffic.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds));
        match slowest {
            Some(traffic) if traffic.seconds > self.compute.max(self.combination) => &traffic.layer,
            _ if self.combination > self.compute => "combination",
            _ => "compute",
        }
    }
}

/// How many operations the loops of a plan have, before anything in them is simplified.
pub fn operations(problem: &Problem, machine: &Machine, plan: &Plan) -> u64 {
    Nest::new(problem, machine, plan).operations()
}

/// Predicts the time of a plan with so many threads.
pub fn predict(problem: &Problem, machine: &Machine, plan: &Plan, threads: u64) -> Prediction {
    let nest = Nest::new(problem, machine, plan);
    let cycles = |cycles: f64| cycles / (machine.gigahertz * 1e9);
    let parts: u64 = plan.loops.iter().filter(|l| l.kind == Kind::Threads).map(|l| l.parts).product();
    let used = parts.min(threads).max(1);
    // The thread with the most parts is the last one.
    let share = parts.div_ceil(used) as f64 / parts as f64;
    let compute = cycles(nest.instructions()) * share;
    let packing = cycles(nest.packing()) * share;
    let combination = match parts > 1 {
        true => FORK + PART * parts as f64 + cycles(nest.partial_results(parts)) + nest.contended(used) * TRANSFER,
        false => 0.0,
    };
    let traffic: Vec<_> = (0..machine.caches.len())
        .map(|cache| {
            let (bytes, slowed) = nest.moved(cache, used);
            let last = cache + 1 == machine.caches.len();
            let seconds = if last {
                let all = machine.memory_bandwidth * 1e9;
                slowed / (all * (used as f64 / machine.cores as f64).clamp(0.5, 1.0))
            } else {
                cycles(slowed * share / (SUSTAINED[cache.min(1)] * machine.caches[cache + 1].bandwidth))
            };
            let layer = if last { "memory".to_owned() } else { format!("L{}", cache + 2) };
            Traffic { layer, bytes, seconds }
        })
        .collect();
    let slowest = traffic.iter().map(|traffic| traffic.seconds).fold(compute, f64::max);
    let overlaps =
        |(cache, traffic): (usize, &Traffic)| if cache == 0 { STREAMED * traffic.seconds } else { traffic.seconds };
    let all = traffic.iter().enumerate().map(overlaps).sum::<f64>() + compute;
    let seconds = slowest + EXPOSED * (all - slowest).max(0.0) + combination + packing;
    Prediction { seconds, compute, traffic, combination, packing, launch: None }
}
