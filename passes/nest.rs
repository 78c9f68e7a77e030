//! The nest: the loop nests of a computation as its schedule prescribes them, as plain data.
//!
//! ```text
//! workload + schedule ──resolve──▶ plan ──record──▶ nest ──emit──▶ scf · memref · vector · gpu
//! ```
//!
//! `tree.rs` defines the nest, `code.rs` records its statements, `print.rs` prints it, and `memory.rs` computes its memory
//! footprint. `planning.rs` gives the plan of a computation, whose nodes `record.rs` walks: `host.rs` begins nests for
//! processors and `gpu/host.rs` for devices. Nothing here uses handles of MLIR: `emit/` translates a nest to operations
//! and makes no decisions.
pub mod accumulator;
pub mod address;
pub mod alignment;
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
pub mod planning;
pub mod prefetch;
pub mod print;
pub mod producer_sources;
pub mod producers;
pub mod reads;
pub mod record;
pub mod scan;
pub mod shared_inputs;
pub mod source;
pub mod space;
pub mod store;
pub mod tile;
pub mod tree;
pub mod types;
pub mod workload;

use mdh_dialects::schedule::model::Schedule;
use tree::Nest;
use workload::Workload;

/// The nest of a computation by a schedule, for analyses and reports. No limits of a device are checked.
pub fn of(workload: &Workload, schedule: &Schedule) -> Nest {
    let kernels = planning::kernels(workload, schedule);
    let plan = planning::plan(workload, schedule, kernels);
    match kernels {
        Some(kernels) => gpu::host::build(workload, schedule, &plan, kernels),
        None => host::build(workload, schedule, &plan, None),
    }
}
