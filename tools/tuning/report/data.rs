//! The data of the page about a tuning run.
use serde::{Deserialize, Serialize};
use std::fmt;

/// A tuning run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionReport {
    /// The title of the page.
    pub title: String,
    /// The program, as its user named it.
    pub program: String,
    /// The name of the function.
    pub function: String,
    /// The computations of the function with their extents, as lines of text.
    pub computations: String,
    /// What the result is valid for, as names and values: fingerprint, extents, threads, strict, engine, processor
    /// features, device, compiler.
    pub key: Vec<(String, String)>,
    /// The time at which the run began.
    pub started: String,
    /// The wall time of the run in seconds.
    pub elapsed_seconds: f64,
    /// The budget: a time or a number of evaluations.
    pub budget: String,
    /// The strategy of the run.
    pub strategy: String,
    /// The evaluations, in the order in which they ended.
    pub evaluations: Vec<ReportedEvaluation>,
    /// The default schedule.
    pub default: Chosen,
    /// The best schedule.
    pub winner: Chosen,
    /// The best ratio of the search and that of the last comparison, if this one did not confirm that a schedule is
    /// faster than the default.
    #[serde(default)]
    pub unconfirmed: Option<(f64, f64)>,
}

/// A schedule that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportedEvaluation {
    /// Its number, from 1.
    pub number: usize,
    /// The wall time in seconds from the beginning of the run to the end of the evaluation.
    pub at_seconds: f64,
    /// The strategy that chose the schedule.
    pub strategy: String,
    /// How it ended.
    pub outcome: EvaluationOutcome,
    /// Why it has no time; empty if it has one.
    pub reason: String,
    /// The time of a call in seconds; `None` if it was not measured. The page shows [`Self::ratio`] times the time of the
    /// default instead, so that times of a busy machine and of an idle one can be compared.
    pub seconds: Option<f64>,
    /// The time divided by that of the default, which was measured in turns with it: less than 1 is faster.
    pub ratio: Option<f64>,
    /// The time of a call in seconds that the cost model predicts.
    pub predicted: Option<f64>,
    /// True if it is the default schedule.
    pub is_default: bool,
    /// The loops in one line.
    pub summary: String,
}

/// How an evaluation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EvaluationOutcome {
    /// It has a time.
    Measured,
    /// Its result differs from that of the reference.
    Wrong,
    /// Its process ended by itself.
    Crashed,
    /// Its process was ended after the time limit.
    #[serde(rename = "timed out")]
    TimedOut,
    /// The compiler refused the schedule.
    Refused,
    /// It was stopped, because it was much slower than the best.
    Hopeless,
}

impl EvaluationOutcome {
    /// All outcomes, in order.
    pub const ALL: [Self; 6] =
        [Self::Measured, Self::Wrong, Self::Crashed, Self::TimedOut, Self::Refused, Self::Hopeless];

    /// Returns the word for the outcome, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Wrong => "wrong",
            Self::Crashed => "crashed",
            Self::TimedOut => "timed out",
            Self::Refused => "refused",
            Self::Hopeless => "hopeless",
        }
    }
}

impl fmt::Display for EvaluationOutcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A schedule of a function, with its explanation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    /// The schedule file.
    pub schedule_json: String,
    /// The time of a call in seconds; `None` if it was not measured.
    pub seconds: Option<f64>,
    /// The time of a call in seconds that the cost model predicts.
    pub predicted: Option<f64>,
    /// The paper's table for each computation.
    pub tables: Vec<Table>,
    /// The picture of the nests, as SVG; empty if there is none.
    pub nest_svg: String,
    /// The prediction of the cost model, as lines of text.
    pub why: String,
}

/// A table of strings. Its first column names the rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// What the table is about: the computation and the layers of its system.
    pub title: String,
    /// The column titles.
    pub header: Vec<String>,
    /// The rows, each as long as the header.
    pub rows: Vec<Vec<String>>,
}

impl ReportedEvaluation {
    /// Returns the time of a call in seconds; `None` if it was not measured, or the number is not a time.
    pub fn time(&self) -> Option<f64> {
        self.seconds.filter(|_| self.outcome == EvaluationOutcome::Measured).filter(is_time)
    }

    /// Returns the predicted time in seconds; `None` if there is none, or the number is not a time.
    pub fn prediction(&self) -> Option<f64> {
        self.predicted.filter(is_time)
    }
}

/// Returns true for numbers that are times of calls: from a picosecond to 30 years. An axis has no place for others.
pub fn is_time(seconds: &f64) -> bool {
    (1e-12..1e9).contains(seconds)
}
