//! The document: its head with the policy, the result, the charts, the best schedule, the evaluations, and the data.
//!
//! ```text
//! <head> policy, style </head>
//! <body> result · numbers · key · charts · failures · strategies · best schedule · evaluations · data, script </body>
//! ```
use super::{
    charts, chosen,
    data::{ReportedEvaluation, SessionReport, is_time},
    evaluations, statistics,
    text::{count, counted, digits, duration, embedded, time},
};
use crate::markup::escaped;
use std::fmt::Write;

/// What a page may load and run: only what is in it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; \
                      base-uri 'none'; form-action 'none'";

/// The smallest gain that is one, as a ratio of times.
const LEAST_GAIN: f64 = 1.005;

/// The ratio of the longest and the shortest time of the default beside others from which on the machine was busy.
const BUSY: f64 = 1.25;

/// Returns the page of a report.
pub fn of(report: &SessionReport) -> String {
    let busy = busy(report);
    let data = embedded(report);
    let report = &beside_default(report);
    let title = escaped(&report.title);
    let (style, script) = (include_str!("page.css"), include_str!("page.js"));
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
        <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
        <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
        <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n\
        <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n\
        <header><h1>{title}</h1>\n<p id=\"result\">{}</p>\n{}{}{}</header>\n",
        result(report),
        notes(report, busy),
        numbers(report),
        key(report)
    );
    html += "<section><h2>Times</h2>\n";
    if let Some(default) = report.default_time() {
        let _ = writeln!(
            html,
            "<p class=\"note\">A time is its ratio to the default, measured beside it, times {}.</p>",
            time(default)
        );
    }
    html += "<div class=\"charts\">\n";
    html += &[charts::over_evaluations, charts::over_time, charts::distribution, charts::prediction]
        .map(|chart| chart(report))
        .concat();
    html += "</div></section>\n";
    html += &evaluations::failures(report);
    html += &evaluations::strategies(report);
    let _ = writeln!(html, "<section id=\"winner\"><h2>The best schedule</h2>\n{}</section>", chosen::of(report));
    let _ = writeln!(html, "<section><h2>Evaluations</h2>\n{}</section>", evaluations::table(report));
    let _ = writeln!(
        html,
        "</main>\n<div id=\"tip\" role=\"status\" hidden></div>\n<script type=\"application/json\" id=\"data\">{data}</script>\n\
        <script>\n{script}</script>\n</body>\n</html>"
    );
    html
}

/// The report with the times that the ratios to the default imply: those that were measured at different times cannot be
/// compared. The data of the page are those that were measured.
fn beside_default(report: &SessionReport) -> SessionReport {
    let mut report = report.clone();
    if let Some(default) = report.default_time() {
        for one in report.evaluations.iter_mut().filter(|one| one.time().is_some()) {
            let ratio = if one.is_default { Some(1.0) } else { one.ratio.filter(|ratio| ratio.is_finite()) };
            one.seconds = ratio.map_or(one.seconds, |ratio| Some(default * ratio));
        }
    }
    report
}

/// The shortest and the longest time of the default beside others, if they differ as on a busy machine.
fn busy(report: &SessionReport) -> Option<(f64, f64)> {
    let beside = |one: &ReportedEvaluation| Some(one.time()? / one.ratio.filter(|ratio| *ratio > 0.0)?);
    let times: Vec<_> = report.evaluations.iter().filter_map(beside).filter(is_time).collect();
    let least = times.iter().copied().fold(f64::INFINITY, f64::min);
    let most = times.iter().copied().fold(0.0, f64::max);
    (most > BUSY * least).then_some((least, most))
}

/// Returns what to know about the result: what was not confirmed, and if the machine was busy.
fn notes(report: &SessionReport, busy: Option<(f64, f64)>) -> String {
    let mut html = String::new();
    if let Some((before, after)) = report.unconfirmed {
        let _ = writeln!(
            html,
            "<p class=\"note\" id=\"unconfirmed\">Not confirmed: during the search, a schedule took {} times the time of the \
            default; in the last comparison, in new processes beside the default, the fastest one took {} times.</p>",
            digits(before),
            digits(after)
        );
    }
    if let Some((least, most)) = busy {
        let _ = writeln!(
            html,
            "<p class=\"note\" id=\"busy\">The machine was busy: the default, measured beside the other schedules, took \
            from {} to {}.</p>",
            time(least),
            time(most)
        );
    }
    html
}

/// The best measured time in seconds.
fn best(report: &SessionReport) -> Option<f64> {
    let evaluated = statistics::improvements(&report.evaluations).last().map(|(_, time)| *time);
    report.winner.seconds.filter(is_time).or(evaluated)
}

/// Returns the result in a sentence.
fn result(report: &SessionReport) -> String {
    let evaluations = report.evaluations.len();
    let effort = format!("{} in {}", counted(evaluations, "evaluation"), duration(report.elapsed_seconds));
    let Some(best) = best(report) else {
        return match evaluations {
            0 => "The run ended before the first evaluation: the default schedule remains.".to_owned(),
            _ => format!("No schedule has a time after {effort}: the default schedule remains."),
        };
    };
    let (best_time, gain) = (time(best), report.default_time().map(|default| (default, default / best)));
    match gain {
        None => format!("The best schedule takes {best_time}; the default has no time, after {effort}."),
        Some((default, gain)) if gain >= LEAST_GAIN => format!(
            "The best schedule is <strong>{} times as fast as the default</strong>: {best_time} instead of {}, after {effort}.",
            digits(gain),
            time(default)
        ),
        Some((default, _)) => {
            format!("No schedule is faster than the default, which takes {}, after {effort}.", time(default))
        }
    }
}

/// Returns the main numbers, as a list of terms.
fn numbers(report: &SessionReport) -> String {
    let (all, measured) = (report.evaluations.len(), statistics::measured(&report.evaluations).count());
    let (best, default) = (best(report), report.default_time());
    let gain = best.zip(default).map(|(best, default)| default / best);
    let or_dash = |value: Option<String>| value.unwrap_or("–".to_owned());
    let failed = match all - measured {
        0 => "all measured".to_owned(),
        failed => format!("{} measured, {} failed", count(measured), count(failed)),
    };
    let entries = [
        ("best time", or_dash(best.map(time)), "of a call".to_owned()),
        ("default", or_dash(default.map(time)), "of a call".to_owned()),
        ("gain", or_dash(gain.map(|gain| format!("{}×", digits(gain)))), "default / best".to_owned()),
        ("evaluations", count(all), if all == 0 { String::new() } else { failed }),
        ("wall time", duration(report.elapsed_seconds), format!("budget: {}", escaped(&report.budget))),
    ];
    let entry = |(name, value, note): &(&str, String, String)| {
        format!("<div><dt>{name}</dt><dd>{value}<small>{note}</small></dd></div>\n")
    };
    format!("<dl class=\"numbers\">\n{}</dl>\n", entries.iter().map(entry).collect::<String>())
}

/// Returns what was tuned, and what the result is valid for.
fn key(report: &SessionReport) -> String {
    let function = format!("@{}", report.function);
    let own = [
        ("program", report.program.as_str()),
        ("function", &function),
        ("started", &report.started),
        ("strategy", &report.strategy),
    ];
    let given = report.key.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let entries = own.into_iter().chain(given).filter(|(_, value)| !value.is_empty());
    let entry = |(name, value)| format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name), escaped(value));
    let entries: String = entries.map(entry).collect();
    let computations = match report.computations.trim() {
        "" => String::new(),
        text => format!("<pre id=\"computations\">{}</pre>\n", escaped(text)),
    };
    format!(
        "<details open><summary>What was tuned</summary>\n<dl class=\"key\">\n{entries}</dl>\n{computations}</details>\n"
    )
}
