//! Auto-tuning: search spaces, strategies, and the schedules of a function as a space.
//!
//! ```text
//! computations of a function ──▶ space ──▶ strategy ──▶ schedules to measure
//!                                             ▲                 │
//!                                             └─ observations ──┘
//! ```
pub mod adapt;
pub mod constraints;
pub mod landscape;
pub mod program;
pub mod space;
pub mod strategy;
