//! The database of tuning results: an SQLite file that any number of processes share. Needs neither MLIR nor LLVM, but with
//! the feature `passes`, with which passes ask it for schedules.
//!
//! ```text
//! tuner ──record──▶ key (computation, sizes, machine) ──▶ a row for each schedule measured
//!                   key ──best──▶ the fastest schedule
//!                   key without rows ──nearest──▶ the fastest schedules of other sizes
//! ```
//!
//! Every write is one transaction: a process that is killed loses at most the measurement in progress. Problems with a
//! file are values of [`Error`], which callers print as warnings if they can do without the database.
mod database;
mod error;
mod exchange;
mod extents;
#[path = "../../passes/failure.rs"]
mod failure;
mod key;
mod measurement;
mod merge;
mod open;
#[cfg(feature = "passes")]
pub mod passes;
mod prune;
mod query;
mod schema;
mod t4;

pub use database::{Database, Recorded};
pub use error::{Error, Kind, Result};
pub use extents::Extents;
pub use key::Key;
pub use measurement::{Cause, Measurement, Outcome};
pub use merge::Merged;
pub use prune::{Prune, Pruned};
pub use query::{Neighbor, Stored, Summary};
pub use schema::VERSION;

/// The version of the compiler that this crate belongs to, as it is recorded with measurements.
pub const COMPILER: &str = env!("CARGO_PKG_VERSION");
