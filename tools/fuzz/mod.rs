//! Random programs with random schedules, compared with the reference evaluator.
//!
//! ```text
//! seed ──generate──▶ Program ──text──▶ .mlir ──┬─▶ reference evaluator ──┬──▶ compare
//!                                              └─▶ compiled code ────────┘
//! ```
//!
//! A case is a program, a schedule, a number of threads and options; its seed alone reproduces it on every machine.
//! Cases run in child processes, so that a crash or an endless loop of the compiler is a failure like any other.
pub mod buffer;
pub mod campaign;
pub mod case;
mod casts;
pub mod chains;
pub mod compare;
pub mod control;
pub mod execute;
pub mod generate;
pub mod initial;
pub mod linalg;
pub mod loops;
pub mod operators;
pub mod options;
pub mod plant;
pub mod producer;
pub mod program;
pub mod scalar;
pub mod shrink;
pub mod simplify;
pub mod sizes;
pub mod snapshot;
pub mod text;
pub mod tuples;
pub mod views;
