//! Computations with their schedules.
use mdh_dialects::schedule::model::Schedule;
use mdh_passes::analysis::computation::Computation;

/// A computation with its schedule.
pub struct Scheduled<'c> {
    /// The name of its function.
    pub function: String,
    /// Its number in the function, from 0.
    pub number: usize,
    /// The computation.
    pub computation: Computation<'c>,
    /// Its schedule.
    pub schedule: Schedule,
}
