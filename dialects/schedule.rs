//! Schedules as data: the tuning parameters of the paper's Table 1, the systems that they target, and the rules of
//! both.
//!
//! The verifiers of the dialect, which call these rules, and all passes depend on this module.
pub mod chain;
pub mod model;
pub mod roles;
pub mod rules;
pub mod systems;
