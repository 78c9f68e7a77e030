//! The page about a tuning run, `mdh tune --report FILE.html`: one file that a browser shows without a network.
//!
//! ```text
//! Report                                     @matmul: 1.23 times as fast as the default after 50 evaluations in 4 min
//!   evaluations: number, outcome, seconds    ┌ best time ┐ ┌ best time ┐ ┌ distribution ┐ ┌ predicted and measured ┐
//!   default, winner: tables, picture    ──▶  └ evaluation┘ └ wall time ┘ └──────────────┘ └────────────────────────┘
//!   key, budget, strategy                    the winner: entries that differ, its nest, both schedules as JSON
//!                                            the evaluations: a table to sort and to filter
//! ```
//!
//! Charts are SVG, drawn here: the page is complete without JavaScript and on paper. Its script adds descriptions of
//! points, and sorts, filters and copies. A policy in the page forbids everything from elsewhere. The data are in the
//! page, as JSON, so that other programs can read them.
mod axis;
mod charts;
mod chosen;
mod data;
mod evaluations;
mod page;
mod picture;
mod statistics;
mod text;

#[cfg(test)]
#[path = "../../test/report/run.rs"]
mod run;
#[cfg(test)]
mod tests;

pub use data::{Chosen, EvaluationOutcome, ReportedEvaluation, SessionReport, Table};

impl SessionReport {
    /// Returns the page, a complete document in HTML. It depends on nothing but the report.
    pub fn html(&self) -> String {
        page::of(self)
    }
}
