//! The nest: what a computation becomes by its schedule, as data.
//!
//! ```text
//! workload + schedule ──build──▶ nest ──emit──▶ scf · memref · vector · gpu
//! ```
//!
//! `tree.rs` says what a nest is, `code.rs` how it is recorded, `print.rs` how it reads, `memory.rs` what it holds. `host.rs` and `gpu/host.rs` build it, for the processor and for
//! devices; `build.rs` explains its structure. Nothing here knows MLIR's handles: `emit/` makes operations of a nest, and decides nothing.
pub mod accumulator;
pub mod address;
pub mod buffers;
pub mod build;
pub mod check;
pub mod code;
pub mod contents;
pub mod coverage;
pub mod definitions;
pub mod expression;
pub mod frame;
pub mod gpu;
pub mod host;
pub mod index;
pub mod lanes;
pub mod loops;
pub mod memory;
pub mod operators;
pub mod outline;
pub mod prefetch;
pub mod print;
pub mod reduce;
pub mod scan;
pub mod source;
pub mod space;
pub mod strategy;
pub mod tile;
pub mod tree;
pub mod types;
pub mod workload;

use crate::target::KernelFlavour;
use gpu::limits::Limits;
use mdh_dialects::schedule::model::Schedule;
use tree::Nest;
use workload::{Freedom, Workload};

/// The nest of a computation by a schedule for whoever wants to know something about it, whatever device has room for it.
pub fn of(workload: &Workload, schedule: &Schedule, freedom: Freedom) -> Nest {
    match KernelFlavour::of_system(&schedule.system).filter(|_| schedule.system.is_device()) {
        Some(kernels) => gpu::host::build(workload, schedule, freedom, kernels, &Limits::none()).0,
        None => host::build(workload, schedule, freedom, None),
    }
}
