//! Evaluations: what a tuner learned about a candidate.
use mdh_database::{Cause, Outcome};
use mdh_dialects::schedule::model::Schedule;
use mdh_passes::tune::strategy::{self, Failure};

/// The time assumed for candidates that are stopped, as a multiple of the time of the default schedules.
const SLOW: f64 = 10.0;

/// An evaluation.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// Time since the first measurement in seconds.
    pub at: f64,
    /// What proposed the schedules.
    pub strategy: String,
    /// The outcome.
    pub outcome: Outcome,
    /// Predicted time in seconds; `None` without a prediction.
    pub predicted: Option<f64>,
    /// True for the default schedules.
    pub is_default: bool,
    /// The schedules, one for each computation.
    pub schedules: Vec<Schedule>,
}

/// Returns the time of an outcome divided by that of the default schedules; `None` if it was not measured.
pub fn ratio(outcome: &Outcome) -> Option<f64> {
    match outcome {
        Outcome::Measured { ratio, .. } => *ratio,
        Outcome::Failed { .. } => None,
    }
}

/// Returns an outcome as a strategy observes it. `unit`: the time of the default schedules in seconds.
pub fn observed(outcome: &Outcome, unit: f64) -> strategy::Outcome {
    match outcome {
        Outcome::Measured { ratio: Some(ratio), .. } => Ok(ratio * unit),
        Outcome::Measured { seconds, .. } => Ok(*seconds),
        Outcome::Failed { cause: Cause::Hopeless | Cause::TimedOut, .. } => Err(Failure::Slow(SLOW * unit)),
        Outcome::Failed { .. } => Err(Failure::Invalid),
    }
}
