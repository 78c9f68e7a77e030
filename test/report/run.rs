//! Tuning runs for tests: made from a seed, with the texts and numbers that a page has to withstand.
use super::{Chosen, EvaluationOutcome, ReportedEvaluation, SessionReport, Table};

/// Text that would run, or end its element, if it were part of a page as it is.
pub const HOSTILE: &str =
    "</script><script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\"> & 'quotes' \u{1}";

/// A picture of a nest with a line of text.
pub const PICTURE: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"300\" height=\"60\" viewBox=\"0 0 300 60\" \
    role=\"img\"><title>@matmul</title><style>.mdh-page { fill: #eee }</style><g><rect class=\"mdh-page\" width=\"300\" \
    height=\"60\" rx=\"6\" fill=\"#eeeeee\"/><text x=\"10\" y=\"30\" fill=\"#0f172a\">threads &lt; 2</text></g></svg>\n";

/// Returns a number with few digits, which is the same number after it was written and read.
pub fn rounded(number: f64) -> f64 {
    (number * 1e9).round() / 1e9
}

/// Numbers that depend only on the seed.
struct Numbers(u64);

impl Numbers {
    /// Returns a number from 0 to 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / (1u64 << 24) as f64
    }
}

/// Returns a run of some evaluations, of which the first is the default: about one in seven fails.
pub fn run(evaluations: usize) -> SessionReport {
    let mut numbers = Numbers(evaluations as u64);
    let mut at = 0.0;
    let mut all = vec![];
    for number in 1..=evaluations {
        at = rounded(at + 0.3 + 2.0 * numbers.next());
        all.push(evaluation(number, at, evaluations, &mut numbers));
    }
    let best = all.iter().filter_map(|one| Some((one.seconds?, one.predicted))).min_by(|a, b| a.0.total_cmp(&b.0));
    let (seconds, predicted) = best.map_or((None, None), |(seconds, predicted)| (Some(seconds), predicted));
    SessionReport {
        title: "Tuning of @matmul".to_owned(),
        program: "examples/matmul.mlir".to_owned(),
        function: "matmul".to_owned(),
        computations: "@matmul, computation 1: 1024 x 1024 x 1024, cc, cc, pw<add>, f32".to_owned(),
        key: [("fingerprint", "7c0f2a"), ("extents", "1024, 1024, 1024"), ("threads", "2"), ("engine", "cpu")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
        started: "2026-01-02 03:04:05 UTC".to_owned(),
        elapsed_seconds: rounded(at + 0.7),
        budget: "10 minutes".to_owned(),
        strategy: "bandit".to_owned(),
        evaluations: all,
        default: chosen(Some(8e-3), Some(7.3e-3), 6),
        winner: Chosen { seconds, predicted, ..chosen(None, None, 8) },
        unconfirmed: None,
    }
}

/// An evaluation; the later ones are faster.
fn evaluation(number: usize, at_seconds: f64, of: usize, numbers: &mut Numbers) -> ReportedEvaluation {
    let is_default = number == 1;
    let progress = number as f64 / of as f64;
    let spread = (numbers.next() * 3.5 - 0.35 - 0.3 * progress).exp();
    let seconds = if is_default { 8e-3 } else { rounded(8e-3 * spread) };
    let predicted = rounded(seconds * (0.5 * numbers.next() - 0.4).exp());
    let chance = numbers.next();
    let (outcome, reason) = match chance {
        _ if is_default || chance > 0.14 => (EvaluationOutcome::Measured, String::new()),
        _ if chance < 0.03 => (EvaluationOutcome::Wrong, "element [3, 5] is 1.5, the reference has 2.5".to_owned()),
        _ if chance < 0.05 => (EvaluationOutcome::Crashed, "signal 11".to_owned()),
        _ if chance < 0.08 => (EvaluationOutcome::TimedOut, "no result after 10 s".to_owned()),
        _ if chance < 0.11 => (EvaluationOutcome::Refused, HOSTILE.to_owned()),
        _ => (EvaluationOutcome::Hopeless, format!("the first call took {:.0} times the best", 10.0 + 20.0 * spread)),
    };
    let measured = (outcome == EvaluationOutcome::Measured).then_some(seconds);
    let strategy = if number.is_multiple_of(3) { "annealing" } else { "model" };
    let tile = 1 + (numbers.next() * 12.0) as usize;
    ReportedEvaluation {
        number,
        at_seconds,
        strategy: strategy.to_owned(),
        outcome,
        reason,
        seconds: measured,
        ratio: measured.map(|seconds| rounded(seconds / 8e-3)),
        predicted: Some(predicted),
        is_default,
        summary: format!("threads y 2 · z 4 · x 171 · y 8 · registers x {tile} · registers y 4 · vector y 16 · z 256"),
    }
}

/// A schedule with a register tile of some rows.
fn chosen(seconds: Option<f64>, predicted: Option<f64>, rows: usize) -> Chosen {
    let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
    let rows_text = rows.to_string();
    Chosen {
        schedule_json: format!("{{\n  \"version\": 2,\n  \"parts\": [[1, 2], [{rows}, 4]]\n}}\n"),
        seconds,
        predicted,
        tables: vec![Table {
            title: "@matmul, computation 1, on @cpu".to_owned(),
            header: row(["level", "0", "D1", "D2"]),
            rows: vec![
                row(["(1, 1)", "1", "4", "COR,x"]),
                row(["(1, 2)", "2", "1", "COR,y"]),
                row(["(2, 1)", &rows_text, "2", "REG,x"]),
                row(["(2, 2)", "4", "3", "REG,y"]),
            ],
        }],
        nest_svg: PICTURE.to_owned(),
        why: "expected: 7.308 ms, bound by compute\n".to_owned(),
    }
}
