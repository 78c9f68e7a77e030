//! The nest: what a computation becomes by its schedule, as data.
//!
//! ```text
//! workload + schedule ──build──▶ nest ──emit──▶ scf · memref · vector · gpu
//! ```
//!
//! `tree.rs` says what a nest is, `code.rs` how it is recorded, `print.rs` how it reads. `host.rs` and `gpu/host.rs` build it, for the processor and for
//! devices; `build.rs` explains its structure. Nothing here knows MLIR's handles: `emit/` makes operations of a nest, and decides nothing.
pub mod accumulator;
pub mod address;
pub mod buffers;
pub mod build;
pub mod check;
pub mod code;
pub mod coverage;
pub mod definitions;
pub mod expression;
pub mod frame;
pub mod gpu;
pub mod host;
pub mod index;
pub mod lanes;
pub mod loops;
pub mod operators;
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
