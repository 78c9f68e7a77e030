//! Tables of the evaluations: all of them, the reasons of failures, and the shares of strategies.
//!
//! ```text
//! #   after    strategy   outcome     time      × default   predicted   loops
//! 1   2.1 s    model      measured    1.23 ms   1.00        1.10 ms     threads y 2 · z 784 · registers x 8
//! 2   9.4 s    random     timed out   –         –           1.40 ms     …
//! ```
use super::{
    data::{EvaluationOutcome, ReportedEvaluation, SessionReport},
    statistics,
    text::{clipped, count, counted, digits, duration, time_or_dash},
};
use crate::markup::escaped;
use std::fmt::Write;

/// Maximum number of reasons that are listed.
const REASONS: usize = 12;
/// Maximum number of characters of a listed reason.
const REASON: usize = 300;

/// The columns: the title, and true for numbers.
const COLUMNS: [(&str, bool); 8] = [
    ("#", true),
    ("after", true),
    ("strategy", false),
    ("outcome", false),
    ("time", true),
    ("× default", true),
    ("predicted", true),
    ("loops", false),
];

/// Returns the table of all evaluations, with the inputs to filter it.
pub fn table(report: &SessionReport) -> String {
    let best = statistics::improvements(&report.evaluations).last().map(|(index, _)| *index);
    let rows = report.evaluations.iter().enumerate();
    let rows: String = rows.map(|(index, one)| row(index, one, Some(index) == best)).collect();
    let head = COLUMNS.iter().map(|(title, is_number)| {
        let class = if *is_number { " class=\"number\"" } else { "" };
        format!("<th scope=\"col\"{class}><button type=\"button\">{title}</button></th>")
    });
    let present = |outcome: &&EvaluationOutcome| report.evaluations.iter().any(|one| one.outcome == **outcome);
    let options = EvaluationOutcome::ALL.iter().filter(present).map(|outcome| format!("<option>{outcome}</option>"));
    let all = counted(report.evaluations.len(), "evaluation");
    format!(
        "<form id=\"filters\" hidden><label>Search <input type=\"search\" id=\"search\" autocomplete=\"off\"></label>\n\
        <label>Outcome <select id=\"outcome\"><option value=\"\">all</option>{}</select></label>\n\
        <output id=\"shown\" aria-live=\"polite\">{all}</output></form>\n\
        <div class=\"scroll tall\" tabindex=\"0\" role=\"group\" aria-label=\"the evaluations\">\
        <table id=\"evaluations\"><thead><tr>{}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n",
        options.collect::<String>(),
        head.collect::<String>()
    )
}

/// Returns a row. Numbers are in it once more, for sorting.
fn row(index: usize, one: &ReportedEvaluation, is_best: bool) -> String {
    let mut html = format!("<tr data-i=\"{index}\"{}>", if is_best { " class=\"winner\"" } else { "" });
    let badge = |has: bool, text: &str| if has { format!(" <b class=\"{text}\">{text}</b>") } else { String::new() };
    let number = format!("{}{}{}", count(one.number), badge(is_best, "best"), badge(one.is_default, "default"));
    let ratio = one.ratio.filter(|ratio| ratio.is_finite());
    let numbers = |html: &mut String, value: Option<f64>, text: &str| {
        let value = value.map_or(String::new(), |value| format!(" data-v=\"{value}\""));
        let _ = write!(html, "<td class=\"number\"{value}>{text}</td>");
    };
    numbers(&mut html, Some(one.number as f64), &number);
    numbers(&mut html, Some(one.at_seconds).filter(|at| at.is_finite()), &duration(one.at_seconds));
    let _ = write!(html, "<td>{}</td><td>{}</td>", escaped(&one.strategy), one.outcome);
    numbers(&mut html, one.time(), &time_or_dash(one.time()));
    numbers(&mut html, ratio, &ratio.map_or("–".to_owned(), digits));
    numbers(&mut html, one.prediction(), &time_or_dash(one.prediction()));
    let reason = match one.reason.is_empty() {
        true => String::new(),
        false => format!("<div class=\"reason\">{}</div>", escaped(&one.reason)),
    };
    let _ = writeln!(html, "<td class=\"loops\"><code>{}</code>{reason}</td></tr>", escaped(&one.summary));
    html
}

/// Returns the reasons of failures as a table; empty if there are none.
pub fn failures(report: &SessionReport) -> String {
    let failures = statistics::failures(&report.evaluations);
    if failures.is_empty() {
        return String::new();
    }
    let (listed, others) = failures.split_at(failures.len().min(REASONS));
    let mut rows = String::new();
    for (outcome, reason, number) in listed {
        let reason = escaped(&clipped(reason, REASON));
        let _ =
            writeln!(rows, "<tr><td class=\"number\">{}</td><td>{outcome}</td><td>{reason}</td></tr>", count(*number));
    }
    if !others.is_empty() {
        let sum = others.iter().map(|(.., number)| number).sum();
        let reasons = counted(others.len(), "other reason");
        let _ = writeln!(rows, "<tr><td class=\"number\">{}</td><td></td><td>{reasons}</td></tr>", count(sum));
    }
    format!(
        "<section><h2>Evaluations without a time</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" \
        aria-label=\"evaluations without a time\"><table id=\"failures\"><thead><tr>\
        <th scope=\"col\" class=\"number\">number</th><th scope=\"col\">outcome</th><th scope=\"col\">reason</th>\
        </tr></thead>\n<tbody>\n{rows}</tbody></table></div></section>\n"
    )
}

/// Returns the shares of the strategies as a table; empty if there are fewer than two.
pub fn strategies(report: &SessionReport) -> String {
    let shares = statistics::shares(&report.evaluations);
    if shares.len() < 2 {
        return String::new();
    }
    let titles = ["evaluations", "measured", "improvements", "best time"];
    let titles: String =
        titles.iter().map(|title| format!("<th scope=\"col\" class=\"number\">{title}</th>")).collect();
    let mut rows = String::new();
    for share in &shares {
        let numbers = [share.evaluations, share.measured, share.improvements].map(count);
        let numbers = numbers.into_iter().chain([time_or_dash(share.best)]);
        let numbers: String = numbers.map(|number| format!("<td class=\"number\">{number}</td>")).collect();
        let _ = writeln!(rows, "<tr><th scope=\"row\">{}</th>{numbers}</tr>", escaped(share.strategy));
    }
    format!(
        "<section><h2>Strategies</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"strategies\">\
        <table id=\"strategies\"><thead><tr><th scope=\"col\">strategy</th>{titles}</tr></thead>\n<tbody>\n{rows}</tbody>\
        </table></div></section>\n"
    )
}
