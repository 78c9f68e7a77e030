//! Kernels: the loop nests of a computation on the blocks and threads of a device.
//!
//! ```text
//! scf.parallel (%i) (SMX) {              gpu.launch blocks(%i) threads(%t) {
//!   scf.parallel (%t) (CC) { .. }   ──▶    ..
//! }                                      }
//! ```
//!
//! The layers of a device system have these roles: a grid of blocks in global memory, the threads of a block
//! (optionally in warps) with shared memory, and the private memory of a thread. All threads execute the same steps.
//! The part of a concatenated dimension that a block or thread owns is fixed at the entry of the kernel (`hoist.rs`),
//! so that control flow is uniform: out-of-bounds threads execute the last part with stores predicated off
//! (`parts.rs`). Threads exchange values through shuffles and shared memory between barriers (`threads.rs`,
//! `exchange.rs`), and blocks through global memory between kernels (`launch.rs`, `scans.rs`). Buffers are transferred
//! to the device and back around each computation (`host.rs`); buffers that several computations of a function use stay
//! there (`passes/convert/device_buffers.rs`).
pub mod blocks;
pub mod double_buffer;
pub mod exchange;
pub mod host;
pub mod kernel;
pub mod kernel_memory;
pub mod launch;
pub mod linearized;
pub mod parts;
pub mod producers;
pub mod scans;
pub mod threads;
