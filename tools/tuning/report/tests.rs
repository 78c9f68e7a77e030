//! The numbers, axes and texts of a page.
use super::{
    Chosen, EvaluationOutcome, ReportedEvaluation, SessionReport, Table,
    axis::{Axis, Tick},
    chosen,
    data::is_time,
    evaluations, page, picture,
    run::{self, run},
    statistics, text,
};

fn labels(ticks: &[Tick]) -> Vec<&str> {
    ticks.iter().map(|tick| tick.label.as_str()).collect()
}

#[test]
fn data_cannot_end_their_element() {
    assert_eq!(text::embedded(&"</script>&"), "\"\\u003c/script\\u003e\\u0026\"");
}

#[test]
fn times_have_three_digits() {
    let cases = [
        (0.0, "0.00 ns"),
        (1.5e-9, "1.50 ns"),
        (9.996e-6, "10.0 µs"),
        (999.4e-6, "999 µs"),
        (999.6e-6, "1.00 ms"),
        (0.0123, "12.3 ms"),
        (1.0, "1.00 s"),
        (12_345.0, "12,345 s"),
    ];
    for (seconds, expected) in cases {
        assert_eq!(text::time(seconds), expected);
    }
    assert_eq!(text::time_or_dash(None), "–");
}

#[test]
fn wall_times_have_units() {
    let cases = [
        (0.0, "0.0 s"),
        (59.9, "59.9 s"),
        (59.96, "1 min 0 s"),
        (3599.7, "1 h 0 min"),
        (7384.0, "2 h 3 min"),
        (f64::NAN, "–"),
        (-1.0, "–"),
    ];
    for (seconds, expected) in cases {
        assert_eq!(text::duration(seconds), expected);
    }
}

#[test]
fn counts_have_separators() {
    let cases = [("0", "0"), ("999", "999"), ("1000", "1,000"), ("-1234567.89", "-1,234,567.89")];
    for (number, expected) in cases {
        assert_eq!(text::thousands(number), expected);
    }
    assert_eq!(text::counted(1, "evaluation"), "1 evaluation");
    assert_eq!(text::counted(2000, "evaluation"), "2,000 evaluations");
}

#[test]
fn axes_of_times_have_few_ticks() {
    let ticks = |low: f64, high: f64| Axis::of_times([low, high], (0.0, 100.0)).times(6);
    assert_eq!(labels(&ticks(3e-4, 2e-2)), ["500 µs", "1 ms", "2 ms", "5 ms", "10 ms", "20 ms"]);
    assert_eq!(labels(&ticks(1e-6, 1e-2)), ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms"]);
    assert_eq!(labels(&ticks(8e-3, 8e-3)), ["7.6 ms", "7.8 ms", "8 ms", "8.2 ms", "8.4 ms"]);
    for (low, high) in [(1e-9, 1e3), (1e-3, 1.01e-3), (0.999, 1.001), (1e-4, 9e-4), (2e-3, 1e2)] {
        let ticks = ticks(low, high);
        assert!((2..=8).contains(&ticks.len()), "{low} {high} {ticks:?}");
        assert!(ticks.is_sorted_by(|a, b| a.at + 5.0 < b.at && a.label != b.label), "{low} {high} {ticks:?}");
    }
    assert_eq!(Axis::of_times([], (0.0, 100.0)).times(6), []);
}

#[test]
fn axes_of_counts_and_wall_times_begin_at_zero() {
    assert_eq!(labels(&Axis::from_zero(2000.0, (0.0, 1.0)).counts(6)), ["0", "500", "1,000", "1,500", "2,000"]);
    assert_eq!(labels(&Axis::from_zero(0.0, (0.0, 1.0)).counts(6)), ["0", "1"]);
    let (ticks, unit) = Axis::from_zero(600.0, (0.0, 1.0)).wall(6);
    assert_eq!((labels(&ticks), unit), (vec!["0", "2", "4", "6", "8", "10"], "min"));
    let (ticks, unit) = Axis::from_zero(1.8, (0.0, 1.0)).wall(6);
    assert_eq!((labels(&ticks), unit), (vec!["0.0", "0.5", "1.0", "1.5"], "s"));
}

#[test]
fn positions_are_within_the_axis() {
    let axis = Axis::of_times([1e-3, 1e-1], (10.0, 20.0));
    assert!((axis.position(1e-2) - 15.0).abs() < 1e-9);
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
        assert!((10.0..=20.0).contains(&axis.position(value)), "{value}");
    }
    assert_eq!(Axis::from_zero(f64::NAN, (0.0, 8.0)).position(0.5), 4.0);
}

#[test]
fn intervals_contain_all_values() {
    let limits = Axis::of_times([1e-3, 2e-3], (0.0, 1.0)).divided(7);
    assert_eq!(limits.len(), 8);
    assert_eq!(statistics::histogram(&[1e-3, 1.5e-3, 2e-3], &limits).iter().sum::<usize>(), 3);
    assert_eq!(statistics::histogram(&[1.0, 2.0, 2.0, 3.0], &[1.0, 2.0, 3.0]), [1, 3]);
    assert_eq!(statistics::histogram(&[], &[1.0, 2.0]), [0]);
}

#[test]
fn correlations_are_those_of_ranks() {
    let correlation = |pairs: &[(f64, f64)]| statistics::rank_correlation(pairs);
    assert_eq!(correlation(&[(1.0, 2.0), (2.0, 5.0), (3.0, 9.0)]), Some(1.0));
    assert_eq!(correlation(&[(1.0, 9.0), (2.0, 5.0), (3.0, 2.0)]), Some(-1.0));
    // Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4.
    let tied = correlation(&[(1.0, 1.0), (2.0, 3.0), (2.0, 2.0), (3.0, 4.0)]).unwrap();
    assert!((tied - 4.5 / 22.5f64.sqrt()).abs() < 1e-12, "{tied}");
    assert_eq!(correlation(&[(1.0, 2.0), (2.0, 5.0)]), None);
    assert_eq!(correlation(&[(1.0, 2.0), (1.0, 5.0), (1.0, 7.0)]), None);
    assert_eq!(statistics::median(&[3.0, 1.0]), Some(2.0));
    assert_eq!(statistics::median(&[]), None);
}

fn evaluation(number: usize, outcome: EvaluationOutcome, seconds: f64, reason: &str) -> ReportedEvaluation {
    ReportedEvaluation {
        number,
        at_seconds: number as f64,
        strategy: if number.is_multiple_of(2) { "random".to_owned() } else { "model".to_owned() },
        outcome,
        reason: reason.to_owned(),
        seconds: Some(seconds),
        ratio: None,
        predicted: None,
        is_default: false,
        summary: String::new(),
    }
}

#[test]
fn only_measured_times_are_improvements() {
    let all = [
        evaluation(1, EvaluationOutcome::Measured, 5.0, ""),
        evaluation(2, EvaluationOutcome::Wrong, 1.0, "differs"),
        evaluation(3, EvaluationOutcome::Measured, 4.0, ""),
        evaluation(4, EvaluationOutcome::Measured, f64::NAN, ""),
        evaluation(5, EvaluationOutcome::Measured, 4.0, ""),
        evaluation(6, EvaluationOutcome::Measured, 3.0, ""),
    ];
    assert_eq!(statistics::improvements(&all), [(0, 5.0), (2, 4.0), (5, 3.0)]);
    let shares = statistics::shares(&all);
    let share = |i: usize| (shares[i].strategy, shares[i].evaluations, shares[i].measured, shares[i].improvements);
    assert_eq!((share(0), share(1)), (("model", 3, 3, 2), ("random", 3, 1, 1)));
    assert_eq!((shares[0].best, shares[1].best), (Some(4.0), Some(3.0)));
    assert!(!is_time(&0.0) && !is_time(&f64::INFINITY) && is_time(&1e-9));
}

#[test]
fn reasons_that_differ_in_numbers_are_one() {
    let all = [
        evaluation(1, EvaluationOutcome::Crashed, 0.0, "signal 11"),
        evaluation(2, EvaluationOutcome::Hopeless, 0.0, "took 12.5 times the best of 3"),
        evaluation(3, EvaluationOutcome::Hopeless, 0.0, "took 130 times the best of 3"),
        evaluation(4, EvaluationOutcome::Hopeless, 0.0, "took 7 times the best of 4"),
        evaluation(5, EvaluationOutcome::Crashed, 0.0, "signal 11"),
        evaluation(6, EvaluationOutcome::Wrong, 0.0, "signal 11"),
    ];
    let expected = [
        (EvaluationOutcome::Hopeless, "took … times the best of …".to_owned(), 3),
        (EvaluationOutcome::Crashed, "signal 11".to_owned(), 2),
        (EvaluationOutcome::Wrong, "signal 11".to_owned(), 1),
    ];
    assert_eq!(statistics::failures(&all), expected);
}

#[test]
fn many_reasons_are_counted() {
    let reason = |number: usize| "x".repeat(number);
    let all = (1..=20).map(|number| evaluation(number, EvaluationOutcome::Refused, 0.0, &reason(number))).collect();
    let table = evaluations::failures(&SessionReport { evaluations: all, ..run(0) });
    assert_eq!(table.matches("<tr>").count(), 1 + 12 + 1);
    assert!(table.contains("8 other reasons"), "{table}");
}

#[test]
fn plain_pictures_are_part_of_the_page() {
    assert!(picture::of(run::PICTURE, "nest").contains(run::PICTURE));
    let svg = |inside: &str| format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{inside}</svg>");
    assert!(picture::of(&svg("<g/><rect x=\"1\" y=\"a &gt; b\"/>a &lt; b"), "nest").contains("<rect "));
    let others = [
        svg("<script>1</script>"),
        svg("<a href=\"x\">1</a>"),
        svg("<rect onclick=\"x\"/>"),
        svg("<rect xlink:href=\"x\"/>"),
        svg("<rect fill=\"url(https://example.org)\"/>"),
        svg("<style>@import 'x';</style>"),
        svg("<style>rect { fill: URL(x) }</style>"),
        svg("<rect x='1'/>"),
        svg("<rect x=\"1\"y=\"<\"/>"),
        svg("<!-- -->"),
        svg("<?xml?>"),
        svg("<g>"),
        svg("</g>"),
        svg("<rect"),
        svg("<rect / onclick=\"x\"/>"),
        format!("{}<g/>", svg("")),
        format!("text{}", svg("")),
        format!("{}{}", svg(""), svg("")),
        "<g></g>".to_owned(),
        "text".to_owned(),
    ];
    for other in others {
        let html = picture::of(&other, "a \"nest\"");
        let begins = html.starts_with("<div class=\"nest\" tabindex=\"0\"><img src=\"data:image/svg+xml,%3C")
            || (!other.starts_with('<') && html.contains("<img src=\"data:image/svg+xml,"));
        assert!(begins && html.matches('<').count() == 3 && html.contains("alt=\"a &quot;nest&quot;\""), "{html}");
    }
}

fn table(parts: &[&str]) -> Table {
    let row = |(i, parts): (usize, &&str)| vec![format!("({}, 1)", i + 1), (*parts).to_owned()];
    let header = ["level", "0"].map(str::to_owned).to_vec();
    Table { title: "title".to_owned(), header, rows: parts.iter().enumerate().map(row).collect() }
}

#[test]
fn entries_that_differ_show_the_default() {
    let report = |default: Table, winner: Table| SessionReport {
        default: Chosen { tables: vec![default], ..Chosen::default() },
        winner: Chosen { tables: vec![winner], ..Chosen::default() },
        ..run(0)
    };
    let html = chosen::of(&report(table(&["2", "", "4"]), table(&["8", "3", "4", "5"])));
    for part in [
        "<ins>8</ins> <small>was 2</small>",
        "<ins>3</ins> <small>was empty</small>",
        "<ins>5</ins> <small>not in the default</small>",
        "<td>4</td>",
        "data-differences=\"4\"",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    let html = chosen::of(&report(table(&["2"]), table(&["2"])));
    assert!(html.contains("It is the default schedule") && !html.contains("class=\"changed\""), "{html}");
    let html = chosen::of(&SessionReport { default: Chosen::default(), ..report(table(&[]), table(&["2"])) });
    assert!(html.contains("no table of the default") && !html.contains("class=\"changed\""), "{html}");
}

/// The sentence of the result, without elements.
fn result(report: &SessionReport) -> String {
    let html = page::of(report);
    let sentence = html.split_once("<p id=\"result\">").and_then(|(_, rest)| rest.split_once("</p>"));
    sentence.expect("a result").0.replace("<strong>", "").replace("</strong>", "")
}

#[test]
fn the_result_is_a_sentence() {
    let report = |default: Option<f64>, winner: Option<f64>, evaluations: usize| {
        let mut report = SessionReport { elapsed_seconds: 65.0, ..run(evaluations) };
        report.evaluations.iter_mut().for_each(|one| one.outcome = EvaluationOutcome::Crashed);
        (report.default.seconds, report.winner.seconds) = (default, winner);
        result(&report)
    };
    let cases = [
        (
            report(Some(3e-3), Some(2e-3), 2),
            "The best schedule is 1.50 times as fast as the default: 2.00 ms instead of 3.00 ms, after 2 evaluations in 1 min 5 s.",
        ),
        (
            report(Some(3e-3), Some(3e-3), 1),
            "No schedule is faster than the default, which takes 3.00 ms, after 1 evaluation in 1 min 5 s.",
        ),
        (
            report(None, Some(2e-3), 1),
            "The best schedule takes 2.00 ms; the default has no time, after 1 evaluation in 1 min 5 s.",
        ),
        (
            report(Some(3e-3), None, 2),
            "No schedule has a time after 2 evaluations in 1 min 5 s: the default schedule remains.",
        ),
        (report(Some(3e-3), None, 0), "The run ended before the first evaluation: the default schedule remains."),
    ];
    for (sentence, expected) in cases {
        assert_eq!(sentence, expected);
    }
}

/// A search on a machine that was busy at its end: the cards, plots and strategies agree, and the page says why.
#[test]
fn what_was_not_confirmed_is_said_and_times_agree() {
    let mut report = run(6);
    report.evaluations.iter_mut().filter(|one| !one.is_default).for_each(|one| {
        one.outcome = EvaluationOutcome::Measured;
        (one.seconds, one.ratio) = (Some(26.2e-3), Some(1.02));
    });
    (report.default.seconds, report.winner.seconds) = (Some(41.5e-3), Some(41.5e-3));
    report.unconfirmed = Some((0.63, 1.02));
    let html = page::of(&report);
    let (html, _) = html.split_once("<script type=\"application/json\"").expect("the data");
    assert!(!html.contains("26.2 ms"), "{html}");
    for part in [
        "a schedule took 0.63 times the time of the default; in the last comparison, in new processes beside the default, the fastest one took 1.02 times",
        "The machine was busy: the default, measured beside the other schedules, took from 8.00 ms to 25.7 ms",
        "42.3 ms",
        "1.00×",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    let calm = page::of(&run(6));
    assert!(!calm.contains("id=\"unconfirmed\"") && !calm.contains("id=\"busy\""));
}

#[test]
fn outcomes_have_their_names_in_data() {
    for outcome in EvaluationOutcome::ALL {
        assert_eq!(serde_json::to_string(&outcome).unwrap(), format!("\"{outcome}\""));
    }
}

/// Numbers that are no times do not reach the page.
#[test]
fn numbers_that_are_no_times_are_left_out() {
    for number in [f64::NAN, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE, 0.0, -1.0] {
        let mut report = run(10);
        for one in &mut report.evaluations {
            (one.seconds, one.predicted, one.ratio, one.at_seconds) =
                (Some(number), Some(number), Some(number), number);
        }
        report.elapsed_seconds = number;
        (report.default.seconds, report.winner.seconds) = (Some(number), Some(number));
        let html = page::of(&report);
        let (html, _) = html.split_once("<script type=\"application/json\"").expect("the data");
        assert!(!html.contains("NaN") && !html.contains(">inf") && !html.contains("\"inf"), "{number}");
    }
}
