//! The nest: the loop nests of a computation as its schedule prescribes them, as plain data.
//!
//! ```text
//! workload + schedule ──build──▶ nest ──emit──▶ scf · memref · vector · gpu
//! ```
//!
//! `tree.rs` defines the nest, `code.rs` records it, `print.rs` prints it, and `memory.rs` computes its memory
//! footprint. `host.rs` builds nests for processors and `gpu/host.rs` for devices. `build.rs` explains their structure.
//! Nothing here uses handles of MLIR: `emit/` translates a nest to operations and makes no decisions.
pub mod accumulator;
pub mod address;
pub mod alignment;
pub mod buffers;
pub mod build;
pub mod check;
pub mod code;
pub mod construction;
pub mod contents;
pub mod coverage;
pub mod cursor;
pub mod definitions;
pub mod expression;
pub mod gpu;
pub mod host;
pub mod index;
pub mod initial;
pub mod initialize;
pub mod lanes;
pub mod loops;
pub mod memory;
pub mod operators;
pub mod outline;
pub mod partial_sums;
pub mod partial_tiles;
pub mod prefetch;
pub mod print;
pub mod producers;
pub mod reads;
pub mod reduce;
pub mod scan;
pub mod shared_inputs;
pub mod source;
pub mod space;
pub mod store;
pub mod strategy;
pub mod tile;
pub mod tree;
pub mod types;
pub mod workload;

use crate::target::KernelFlavour;
use gpu::limits::Limits;
use mdh_dialects::schedule::model::Schedule;
use tree::Nest;
use workload::{Producer, Workload};

/// The nest of a computation by a schedule, for analyses and reports. No limits of a device are checked.
pub fn of(workload: &Workload, schedule: &Schedule) -> Nest {
    // Producers at some levels can be computed on a host only.
    let is_possible = |producer: &Producer| gpu::producers::memory(schedule, producer.level).is_ok();
    let is_device = schedule.system.is_device() && workload.producers.iter().all(is_possible);
    match KernelFlavour::of_system(&schedule.system).filter(|_| is_device) {
        Some(kernels) => gpu::host::build(workload, schedule, kernels, &Limits::none()).0,
        None => host::build(workload, schedule, None),
    }
}
