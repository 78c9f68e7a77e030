//! The best schedule of a run, and what distinguishes it from the default.
//!
//! ```text
//! default: (5, 1)  ?  3  ..               (5, 1)  8 (was ?)  3  ..
//! winner:  (5, 1)  8  3  ..       ──▶     2 of 315 entries differ
//! ```
use super::{
    data::{Chosen, SessionReport, Table},
    picture,
    text::{count, time_or_dash},
};
use crate::markup::escaped;
use mdh_passes::schedule::explain::COLUMNS;
use std::fmt::Write;

/// Returns the part of the page about the best schedule.
pub fn of(report: &SessionReport) -> String {
    let SessionReport { default, winner, .. } = report;
    let mut html = String::new();
    let is_default = winner.tables == default.tables && winner.schedule_json == default.schedule_json;
    if is_default {
        html += "<p>It is the default schedule.</p>\n";
    }
    for (number, table) in winner.tables.iter().enumerate() {
        compared(&mut html, table, default.tables.get(number));
    }
    if !winner.nest_svg.is_empty() {
        html += "<h3>Its loops</h3>\n";
        html += &picture::of(&winner.nest_svg, "the nest of the best schedule");
    }
    if !winner.why.trim().is_empty() {
        let _ =
            writeln!(html, "<h3>The prediction of the cost model</h3>\n<pre>{}</pre>", escaped(winner.why.trim_end()));
    }
    html += &schedule(winner, "The best schedule as JSON", "winner");
    if !is_default {
        html += &schedule(default, "The default schedule as JSON", "default");
        html += &explanation(default);
    }
    html
}

/// Writes a table, with the entries of the default where they differ.
fn compared(html: &mut String, table: &Table, default: Option<&Table>) {
    let column = |name: &str| default?.header.iter().position(|other| other == name);
    let columns: Vec<_> = table.header.iter().map(|name| column(name)).collect();
    let (mut rows, mut differences) = (String::new(), 0);
    for row in &table.rows {
        let own = |other: &&Vec<String>| other.first() == row.first();
        let before = default.and_then(|default| default.rows.iter().find(own));
        let is_idle = |row: &[String]| row.get(1).is_some_and(|parts| parts == "1");
        let is_idle = is_idle(row) && before.is_none_or(|before| is_idle(before));
        let _ = write!(rows, "<tr{}>", if is_idle { " class=\"idle\"" } else { "" });
        for (i, value) in row.iter().enumerate() {
            let old = before.and_then(|before| before.get(columns.get(i).copied().flatten()?));
            let is_changed = default.is_some() && old != Some(value);
            differences += usize::from(is_changed);
            entry(&mut rows, value, is_changed.then_some(old.map(String::as_str)), i == 0);
        }
        rows += "</tr>\n";
    }
    let entries: usize = table.rows.iter().map(Vec::len).sum();
    let note = match (default, differences) {
        (None, _) => "There is no table of the default to compare with.".to_owned(),
        (Some(_), 0) => "All entries are those of the default.".to_owned(),
        (Some(_), _) => format!(
            "{} of {} entries are not those of the default: they are marked, and the value of the default follows.",
            count(differences),
            count(entries)
        ),
    };
    let head: String = table.header.iter().map(|name| header(name)).collect();
    let title = escaped(&table.title);
    let _ = writeln!(
        html,
        "<p class=\"note differences\" data-differences=\"{differences}\">{note} Levels with one part have no effect; they \
        are pale.</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{title}\">\
        <table class=\"parameters\"><caption>{title}</caption><thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>"
    );
}

/// Writes an entry; `changed`: the entry of the default if it differs, which has none if it is `None`.
fn entry(html: &mut String, value: &str, changed: Option<Option<&str>>, is_name: bool) {
    let (open, close) = if is_name { ("th scope=\"row\"", "th") } else { ("td", "td") };
    let value = escaped(value);
    let _ = match changed {
        None => write!(html, "<{open}>{value}</{close}>"),
        Some(old) => {
            let old = match old {
                None => "not in the default".to_owned(),
                Some("") => "was empty".to_owned(),
                Some(old) => format!("was {}", escaped(old)),
            };
            write!(html, "<{open} class=\"changed\"><ins>{value}</ins> <small>{old}</small></{close}>")
        }
    };
}

fn header(name: &str) -> String {
    let meaning = COLUMNS.iter().find(|(column, _)| *column == name).map(|(_, meaning)| *meaning);
    let title = meaning.map_or(String::new(), |meaning| format!(" title=\"{meaning}\""));
    format!("<th scope=\"col\"{title}>{}</th>", escaped(name))
}

/// Returns a schedule file with a button to copy it.
fn schedule(chosen: &Chosen, title: &str, name: &str) -> String {
    if chosen.schedule_json.is_empty() {
        return String::new();
    }
    let (measured, predicted) = (time_or_dash(chosen.seconds), time_or_dash(chosen.predicted));
    format!(
        "<details><summary>{title} <span class=\"note\">measured {measured}, predicted {predicted}</span></summary>\n\
        <button type=\"button\" class=\"copy\" data-from=\"schedule-{name}\" hidden>Copy</button>\n\
        <pre id=\"schedule-{name}\" tabindex=\"0\">{}</pre></details>\n",
        escaped(&chosen.schedule_json)
    )
}

/// Returns the picture and the prediction of the default, to compare with.
fn explanation(default: &Chosen) -> String {
    let mut html = String::new();
    if !default.nest_svg.is_empty() {
        html += &picture::of(&default.nest_svg, "the nest of the default schedule");
    }
    if !default.why.trim().is_empty() {
        let _ = writeln!(html, "<pre>{}</pre>", escaped(default.why.trim_end()));
    }
    if html.is_empty() {
        return html;
    }
    format!("<details><summary>The loops and the prediction of the default</summary>\n{html}</details>\n")
}
