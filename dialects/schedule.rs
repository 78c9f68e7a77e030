//! Schedules as data: the tuning parameters of the paper's Table 1, the systems that they are for, and the rules of both.
//!
//! It stands below the verifiers of the dialect, which call its rules, and below all passes.
pub mod chain;
pub mod model;
pub mod roles;
pub mod rules;
pub mod systems;
