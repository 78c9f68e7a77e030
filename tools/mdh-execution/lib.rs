//! Runs compiled functions in this process. Needs LLVM, but not MLIR: a program whose functions are in the cache does
//! not load the compiler.
//!
//! ```text
//! Code ──jit──▶ a function ──call──▶ arrays
//!   ▲
//! cache: code that other processes have compiled
//! ```
pub mod array;
pub mod cache;
pub mod database;
#[path = "../../passes/failure.rs"]
pub mod failure;
pub mod forks;
pub mod jit;
pub mod memory;
pub mod signal;
pub mod signature;
pub mod temporary;
