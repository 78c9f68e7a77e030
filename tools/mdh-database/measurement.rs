//! The measurement of one schedule, and which of two measurements of the same schedule is kept.
//!
//! ```text
//! schedule, version of the compiler ──▶ 1.25 ms, 0.83 of the default's time │ wrong, crashed, …: the reason
//! ```
use serde_json::Value;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Why a schedule has no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// Its results differ from the reference's.
    Wrong,
    /// Its compilation or its run ended the process.
    Crashed,
    /// Its compilation or its run did not end in time.
    TimedOut,
    /// It breaks a rule or a limit of the device.
    Refused,
    /// It was stopped early, because it was slower than the best one by far.
    Hopeless,
}

impl Cause {
    /// All causes.
    pub const ALL: [Self; 5] = [Self::Wrong, Self::Crashed, Self::TimedOut, Self::Refused, Self::Hopeless];

    /// Returns its name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wrong => "wrong",
            Self::Crashed => "crashed",
            Self::TimedOut => "timed out",
            Self::Refused => "refused",
            Self::Hopeless => "hopeless",
        }
    }

    /// Returns the cause with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.name() == name)
    }
}

/// What came out of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Its results are right, and its time is known.
    Measured {
        /// The median of the samples in seconds.
        seconds: f64,
        /// The time divided by that of the default schedule in the same period; below 1 is faster. Free of the drift
        /// of the machine's speed, which `seconds` is not. `None` if the default was not measured.
        ratio: Option<f64>,
        /// The number of samples.
        samples: u32,
        /// The interquartile range of the samples, divided by their median.
        spread: f64,
    },
    /// It has no time.
    Failed {
        /// Why.
        cause: Cause,
        /// The details for people.
        reason: String,
    },
}

/// The name of an outcome with a time.
pub(crate) const MEASURED: &str = "measured";

impl Outcome {
    /// Returns its name in tables and files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Measured { .. } => MEASURED,
            Self::Failed { cause, .. } => cause.name(),
        }
    }
}

/// An outcome as fields that are present or not, as they are in a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fields {
    pub outcome: String,
    pub seconds: Option<f64>,
    pub ratio: Option<f64>,
    pub samples: Option<u32>,
    pub spread: Option<f64>,
    pub reason: Option<String>,
}

impl From<&Outcome> for Fields {
    fn from(outcome: &Outcome) -> Self {
        let name = outcome.name().to_owned();
        match outcome {
            Outcome::Measured { seconds, ratio, samples, spread } => Self {
                outcome: name,
                seconds: Some(*seconds),
                ratio: *ratio,
                samples: Some(*samples),
                spread: Some(*spread),
                reason: None,
            },
            Outcome::Failed { reason, .. } => Self {
                outcome: name,
                seconds: None,
                ratio: None,
                samples: None,
                spread: None,
                reason: Some(reason.clone()),
            },
        }
    }
}

impl TryFrom<Fields> for Outcome {
    type Error = String;

    fn try_from(fields: Fields) -> Result<Self, String> {
        match fields {
            Fields {
                outcome,
                seconds: Some(seconds),
                ratio,
                samples: Some(samples),
                spread: Some(spread),
                reason: None,
            } if outcome == MEASURED => Ok(Self::Measured { seconds, ratio, samples, spread }),
            Fields { outcome, seconds: None, ratio: None, samples: None, spread: None, reason: Some(reason) } => {
                let cause = Cause::named(&outcome).ok_or_else(|| format!("no outcome is named '{outcome}'"))?;
                Ok(Self::Failed { cause, reason })
            }
            Fields { outcome, .. } => Err(format!(
                "an outcome requires either seconds, samples and a spread, or a reason, which '{outcome}' does not have"
            )),
        }
    }
}

/// The measurement of a schedule for a [`Key`](crate::Key).
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The schedule: the JSON text of a schedule file. It is kept as given, but white space outside of strings makes no
    /// difference to which schedule it is.
    pub schedule: String,
    /// True if it is the default schedule of its key.
    pub is_default: bool,
    /// What came out.
    pub outcome: Outcome,
    /// The time that the cost model expects, in seconds.
    pub predicted: Option<f64>,
    /// What proposed the schedule, such as the name of a strategy.
    pub strategy: String,
    /// The version of the compiler.
    pub compiler: String,
    /// The name of the function, for people.
    pub function: String,
    /// When it ended; kept in microseconds.
    pub created: SystemTime,
}

impl Measurement {
    /// Checks that the measurement can be kept: the schedule is a JSON object, and times are finite and positive.
    pub(crate) fn check(&self) -> Result<(), String> {
        let positive = |what: &str, value: f64| match value.is_finite() && value > 0.0 {
            true => Ok(()),
            false => Err(format!("the {what} requires a positive number, but it is {value}")),
        };
        if let Outcome::Measured { seconds, ratio, samples, spread } = self.outcome {
            positive("time in seconds", seconds)?;
            positive("ratio to the default's time", ratio.unwrap_or(1.0))?;
            positive("number of samples", f64::from(samples))?;
            if !(spread.is_finite() && spread >= 0.0) {
                return Err(format!("the spread requires a number of at least 0, but it is {spread}"));
            }
        }
        positive("expected time in seconds", self.predicted.unwrap_or(1.0))?;
        microseconds(self.created).ok_or("the time of the measurement is out of range")?;
        digest(&self.schedule).map(|_| ())
    }

    /// True if this measurement replaces another one of the same schedule and version of the compiler: the newer one
    /// is kept, but one that was stopped early never replaces a complete one. Of two of the same time, one of them in
    /// an order of their contents is kept. Since this is a total order, rows are the same in whichever order
    /// measurements are recorded and databases merged.
    pub(crate) fn replaces(&self, other: &Self) -> bool {
        let is_complete = |outcome: &Outcome| !matches!(outcome, Outcome::Failed { cause: Cause::Hopeless, .. });
        let contents = |of: &Self| format!("{:?}", (&of.outcome, of.predicted, &of.strategy, &of.function));
        let rank = |of: &Self| (is_complete(&of.outcome), microseconds(of.created), contents(of));
        rank(self) > rank(other)
    }
}

/// Returns the identity of a schedule: a hash of its JSON text without white space.
pub(crate) fn digest(schedule: &str) -> Result<[u8; 32], String> {
    match serde_json::from_str(schedule) {
        Ok(value @ Value::Object(_)) => Ok(*blake3::hash(value.to_string().as_bytes()).as_bytes()),
        Ok(_) => Err("a schedule requires a JSON object".to_owned()),
        Err(problem) => Err(format!("a schedule requires a JSON object: {problem}")),
    }
}

/// Returns the microseconds since 1970; `None` before that, and in more than 290,000 years.
pub(crate) fn microseconds(time: SystemTime) -> Option<i64> {
    time.duration_since(UNIX_EPOCH).ok().and_then(|since| i64::try_from(since.as_micros()).ok())
}

/// Returns the time that is this number of microseconds after 1970.
pub(crate) fn time(microseconds: i64) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(Duration::from_micros(u64::try_from(microseconds).ok()?))
}

#[cfg(test)]
#[path = "measurement/tests.rs"]
pub(crate) mod tests;
