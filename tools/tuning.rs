//! Auto-tuning: candidates are compiled and measured in processes of their own, compared with the reference evaluator,
//! and recorded.
//!
//! ```text
//! strategy ──▶ schedule ──▶ process: compile ── pause ── run, compare ── measure in turns with the best
//!     ▲                                                                          │
//!     └──────────────────────────────── database ◀───────────────────────────────┘
//! ```
pub mod budget;
pub mod clock;
pub mod evaluation;
pub mod inputs;
pub mod process;
pub mod protocol;
pub mod record;
pub mod report;
pub mod session;
pub mod turn;
pub mod worker;
