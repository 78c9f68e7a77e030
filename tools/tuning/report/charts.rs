//! The charts of the page, as SVG. A point has the index of its evaluation, by which the script finds its description.
//!
//! ```text
//! failed │     ×      ×          a point for each evaluation: those that failed are above the plot
//!   5 ms │ ●                     the best time so far is a line, the default's a dashed one
//!        │-┴──┐--●------ default
//!   2 ms │    └────┐ ●
//!        └─────────┴────▶ evaluations
//! ```
use super::{
    axis::{Axis, Tick},
    data::{ReportedEvaluation, SessionReport, is_time},
    statistics,
    text::{counted, digits, time},
};
use crate::markup::escaped;
use std::fmt::Write;

/// The size of a chart.
const SIZE: (f64, f64) = (480.0, 300.0);
/// The left and the right end of a plot.
const ACROSS: (f64, f64) = (82.0, 452.0);
/// The right end of the labels beside a plot.
const LABELS: f64 = 76.0;
/// The lower and the upper end of a plot.
const UP: (f64, f64) = (252.0, 14.0);
/// The same if there are marks of failed evaluations above the plot.
const BELOW_FAILED: (f64, f64) = (252.0, 34.0);
/// The height of the marks of failed evaluations.
const FAILED: f64 = 18.0;
/// About how many ticks an axis has at most.
const TICKS: usize = 6;
/// Number of points from which on they are drawn smaller.
const MANY: usize = 300;

/// Returns the best time over the evaluations, as a figure.
pub fn over_evaluations(report: &SessionReport) -> String {
    let count = report.evaluations.len();
    let across = Axis::from_zero(count as f64, ACROSS);
    let ticks = across.counts(TICKS);
    let places: Vec<_> = (1..=count).map(|number| across.position(number as f64)).collect();
    let chart = progress(report, &places, &ticks, "evaluations");
    figure("over-evaluations", "Best time over evaluations", &chart, &progress_legend(report), "")
}

/// Returns the best time over wall time, as a figure.
pub fn over_time(report: &SessionReport) -> String {
    let ends = report.evaluations.iter().map(|one| one.at_seconds).filter(|at| at.is_finite());
    let last = ends.fold(report.elapsed_seconds, f64::max);
    let across = Axis::from_zero(last, ACROSS);
    let (ticks, unit) = across.wall(TICKS);
    let places: Vec<_> = report.evaluations.iter().map(|one| across.position(one.at_seconds)).collect();
    let chart = progress(report, &places, &ticks, &format!("wall time ({unit})"));
    figure("over-time", "Best time over wall time", &chart, &progress_legend(report), "")
}

/// The chart of the best time; `places` are the positions of the evaluations.
fn progress(report: &SessionReport, places: &[f64], ticks: &[Tick], title: &str) -> String {
    let evaluations = &report.evaluations;
    let times = statistics::measured(evaluations).map(|(_, time)| time).chain(report.default_time());
    let has_failed = evaluations.iter().any(|one| one.time().is_none());
    let ends = if has_failed { BELOW_FAILED } else { UP };
    let up = Axis::of_times(times, ends);
    let mut chart = grid(&up.times(TICKS), ticks, ("time of a call (log scale)", title), ends);
    if has_failed {
        let _ = writeln!(
            chart,
            "<text class=\"tick\" x=\"{LABELS}\" y=\"{}\" text-anchor=\"end\">failed</text>",
            FAILED + 4.0
        );
    }
    let points = evaluations.iter().zip(places).enumerate();
    for (index, (one, x)) in points {
        match one.time() {
            Some(time) => point(&mut chart, (index, one, evaluations.len()), (*x, up.position(time))),
            None => cross(&mut chart, (index, one), *x),
        }
    }
    best(&mut chart, evaluations, places, &up);
    if let Some(default) = report.default_time() {
        line(&mut chart, "default", (ACROSS.0, up.position(default)), (ACROSS.1, up.position(default)));
    }
    chart
}

/// Draws the line of the best time so far, and a ring around the last improvement.
fn best(chart: &mut String, evaluations: &[ReportedEvaluation], places: &[f64], up: &Axis) {
    let improvements = statistics::improvements(evaluations);
    let mut path = String::new();
    let mut end = None;
    for (index, time) in improvements {
        let Some(x) = places.get(index) else { continue };
        let y = up.position(time);
        let _ = match path.is_empty() {
            true => write!(path, "M{x:.1} {y:.1}"),
            false => write!(path, "H{x:.1}V{y:.1}"),
        };
        end = Some((*x, y));
    }
    if let Some((x, y)) = end {
        let _ = writeln!(chart, "<path class=\"best\" d=\"{path}H{:.1}\"/>", ACROSS.1);
        let _ = writeln!(chart, "<circle class=\"winner\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\"/>");
    }
}

/// Returns the distribution of the measured times, as a figure.
pub fn distribution(report: &SessionReport) -> String {
    let (name, title) = ("distribution", "Distribution of times");
    let times: Vec<_> = statistics::measured(&report.evaluations).map(|(_, time)| time).collect();
    let Some(median) = statistics::median(&times) else {
        return figure(name, title, "", &[], "No evaluation was measured.");
    };
    let across = Axis::of_times(times.iter().copied().chain(report.default_time()), ACROSS);
    // An odd number, so that equal times are in the middle of an interval.
    let bins = ((times.len() as f64).sqrt() * 1.5).clamp(8.0, 40.0) as usize | 1;
    let limits = across.divided(bins);
    let counts = statistics::histogram(&times, &limits);
    let most = counts.iter().copied().max().unwrap_or_default();
    let up = Axis::from_zero(most as f64, UP);
    let mut chart = grid(&up.counts(TICKS), &across.times(TICKS), ("evaluations", "time of a call (log scale)"), UP);
    for (limits, count) in limits.windows(2).zip(&counts) {
        if let ([low, high], 1..) = (limits, *count) {
            bar(&mut chart, (&across, *low, *high), (&up, *count));
        }
    }
    let best = statistics::improvements(&report.evaluations).last().map(|(_, time)| *time);
    for (class, time) in [("default", report.default_time()), ("best", best)] {
        if let Some(time) = time {
            line(&mut chart, class, (across.position(time), UP.0), (across.position(time), UP.1));
        }
    }
    let legend = [Some(("bar", "measured".to_owned())), report.default_legend(), report.best_legend()];
    figure(name, title, &chart, &legend, &format!("The median is {}.", time(median)))
}

fn bar(chart: &mut String, (across, low, high): (&Axis, f64, f64), (up, count): (&Axis, usize)) {
    let (left, right) = (across.position(low) + 0.5, across.position(high) - 0.5);
    let top = up.position(count as f64);
    let _ = writeln!(
        chart,
        "<rect class=\"bar\" data-count=\"{count}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\">\
        <title>{} to {}: {}</title></rect>",
        right - left,
        UP.0 - top,
        time(low),
        time(high),
        counted(count, "evaluation")
    );
}

/// Returns the predicted against the measured times, as a figure.
pub fn prediction(report: &SessionReport) -> String {
    let (name, title) = ("prediction", "Predicted and measured times");
    let points = statistics::predicted(&report.evaluations);
    if points.is_empty() {
        return figure(name, title, "", &[], "No measured evaluation has a prediction.");
    }
    // Both axes have the same range, so that equal times are on the diagonal.
    let across = Axis::of_times(points.iter().flat_map(|(_, predicted, time)| [*predicted, *time]), ACROSS);
    let up = across.at(UP);
    let mut chart = grid(
        &up.times(TICKS),
        &across.times(TICKS),
        ("measured (log scale)", "predicted time of a call (log scale)"),
        UP,
    );
    line(&mut chart, "diagonal", (ACROSS.0, UP.0), (ACROSS.1, UP.1));
    for (index, predicted, time) in &points {
        if let Some(one) = report.evaluations.get(*index) {
            point(&mut chart, (*index, one, points.len()), (across.position(*predicted), up.position(*time)));
        }
    }
    let pairs: Vec<_> = points.iter().map(|(_, predicted, time)| (*predicted, *time)).collect();
    let note = match statistics::rank_correlation(&pairs) {
        Some(correlation) => format!(
            "Rank correlation (Spearman): <strong id=\"correlation\">{}</strong> over {}.",
            digits(correlation).replace('-', "−"),
            counted(pairs.len(), "evaluation")
        ),
        None => "A rank correlation requires at least three evaluations of different times.".to_owned(),
    };
    let legend = [Some(("point", "measured".to_owned())), Some(("diagonal", "prediction = measurement".to_owned()))];
    figure(name, title, &chart, &legend, &note)
}

/// An entry of a legend: the class of its mark, and its text; `None` is left out.
type Entry = Option<(&'static str, String)>;

impl SessionReport {
    /// Returns the time of a call with the default schedule.
    pub(super) fn default_time(&self) -> Option<f64> {
        let evaluated = || self.evaluations.iter().find(|one| one.is_default)?.time();
        self.default.seconds.filter(is_time).or_else(evaluated)
    }

    fn default_legend(&self) -> Entry {
        self.default_time().map(|seconds| ("default", format!("default, {}", time(seconds))))
    }

    fn best_legend(&self) -> Entry {
        let (_, seconds) = *statistics::improvements(&self.evaluations).last()?;
        Some(("best", format!("best, {}", time(seconds))))
    }
}

fn progress_legend(report: &SessionReport) -> [Entry; 4] {
    let (measured, all) = (statistics::measured(&report.evaluations).count(), report.evaluations.len());
    [
        (measured > 0).then(|| ("point", "measured".to_owned())),
        (measured < all).then(|| ("failed", "failed".to_owned())),
        report.best_legend(),
        report.default_legend(),
    ]
}

/// Returns a chart with its title, its legend and a note, which is HTML. An empty chart is left out.
fn figure(name: &str, title: &str, chart: &str, legend: &[Entry], note: &str) -> String {
    let (width, height) = SIZE;
    let entry = |(class, text): &(&str, String)| {
        let mark = match *class {
            "point" => "<circle class=\"point\" cx=\"10\" cy=\"6\" r=\"3.5\"/>",
            "failed" => "<path class=\"failed\" d=\"M6.5 2.5l7 7m0-7l-7 7\"/>",
            "bar" => "<rect class=\"bar\" x=\"4\" y=\"1\" width=\"12\" height=\"10\"/>",
            "default" => "<path class=\"default\" d=\"M0 6H20\"/>",
            "diagonal" => "<path class=\"diagonal\" d=\"M0 6H20\"/>",
            _ => "<path class=\"best\" d=\"M0 6H20\"/>",
        };
        format!(
            "<li><svg viewBox=\"0 0 20 12\" width=\"20\" height=\"12\" aria-hidden=\"true\">{mark}</svg>{}</li>",
            escaped(text)
        )
    };
    let entries: String = legend.iter().flatten().map(entry).collect();
    let (chart, legend) = match chart {
        "" => (String::new(), String::new()),
        chart => (
            format!(
                "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" tabindex=\"0\" aria-labelledby=\"{name}-title\" \
                aria-describedby=\"{name}-note\">\n{chart}</svg>\n"
            ),
            format!("<ul class=\"legend\">{entries}</ul>"),
        ),
    };
    format!(
        "<figure id=\"{name}\" class=\"chart\">\n<figcaption id=\"{name}-title\">{title}</figcaption>\n{chart}\
        <div id=\"{name}-note\">{legend}<p class=\"note\">{note}</p></div>\n</figure>\n"
    )
}

/// Returns the axes of a chart with their lines, ticks and titles: first those of the vertical axis.
fn grid(vertical: &[Tick], horizontal: &[Tick], (up, across): (&str, &str), ends: (f64, f64)) -> String {
    let mut chart = String::new();
    for Tick { at, label } in vertical {
        line(&mut chart, "grid", (ACROSS.0, *at), (ACROSS.1, *at));
        let label = escaped(label);
        let _ = writeln!(
            chart,
            "<text class=\"tick\" x=\"{LABELS}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            at + 4.0
        );
    }
    for Tick { at, label } in horizontal {
        line(&mut chart, "grid", (*at, ends.0), (*at, ends.1));
        let (label, y) = (escaped(label), ends.0 + 20.0);
        let _ = writeln!(chart, "<text class=\"tick\" x=\"{at:.1}\" y=\"{y}\" text-anchor=\"middle\">{label}</text>");
    }
    line(&mut chart, "axis", (ACROSS.0, ends.0), (ACROSS.1, ends.0));
    line(&mut chart, "axis", (ACROSS.0, ends.0), (ACROSS.0, ends.1));
    let (x, y) = ((ACROSS.0 + ACROSS.1) / 2.0, ends.0 + 40.0);
    let _ = writeln!(chart, "<text class=\"title\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{across}</text>");
    let y = (ends.0 + ends.1) / 2.0;
    let _ = writeln!(
        chart,
        "<text class=\"title\" transform=\"translate(11 {y}) rotate(-90)\" text-anchor=\"middle\">{up}</text>"
    );
    chart
}

fn line(chart: &mut String, class: &str, (x, y): (f64, f64), (to_x, to_y): (f64, f64)) {
    let _ = writeln!(chart, "<path class=\"{class}\" d=\"M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}\"/>");
}

/// Draws the point of an evaluation: its index, and the number of points.
fn point(chart: &mut String, (index, one, count): (usize, &ReportedEvaluation, usize), (x, y): (f64, f64)) {
    let radius = if count > MANY { 2.0 } else { 3.5 };
    let title = described(one);
    let _ = writeln!(
        chart,
        "<circle class=\"point\" data-i=\"{index}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"><title>{title}</title></circle>"
    );
}

/// Draws the mark of a failed evaluation.
fn cross(chart: &mut String, (index, one): (usize, &ReportedEvaluation), x: f64) {
    let (left, top, title) = (x - 3.5, FAILED - 3.5, described(one));
    let _ = writeln!(
        chart,
        "<path class=\"failed\" data-i=\"{index}\" d=\"M{left:.1} {top:.1}l7 7m0-7l-7 7\"><title>{title}</title></path>"
    );
}

/// Returns the description of an evaluation for browsers without scripts.
fn described(one: &ReportedEvaluation) -> String {
    let time = one.time().map_or_else(|| one.outcome.to_string(), time);
    format!("evaluation {}: {time}", one.number)
}
