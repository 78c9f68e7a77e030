//! The page of `mdh tune --report`, in a headless browser.
mod browser;
mod run;

use browser::Browser;
use mdh_tools::tuning::report::{Chosen, EvaluationOutcome, ReportedEvaluation, SessionReport, Table};
use serde_json::{Value, json};
use std::{fs, path::PathBuf};

/// A page in a browser.
struct Page {
    browser: Browser,
    file: PathBuf,
    /// The folder of the page, which is removed with it.
    _folder: tempfile::TempDir,
}

impl Page {
    /// Opens the page of a report, which is read from a file. `None` if no browser is installed.
    fn of(report: &SessionReport) -> Option<Self> {
        let browser = Browser::start()?;
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut page = Self { browser, file: folder.path().join("report.html"), _folder: folder };
        page.show(report);
        Some(page)
    }

    fn show(&mut self, report: &SessionReport) {
        let data = self.file.with_extension("json");
        fs::write(&data, serde_json::to_vec(report).unwrap()).unwrap();
        let read: SessionReport = serde_json::from_slice(&fs::read(&data).unwrap()).unwrap();
        assert!(read == *report, "the report is not as it was written");
        fs::write(&self.file, read.html()).unwrap();
        self.browser.open(&self.file);
    }

    fn value(&mut self, expression: &str) -> Value {
        self.browser.value(expression)
    }

    fn count(&mut self, selector: &str) -> Value {
        self.value(&format!("document.querySelectorAll({}).length", json!(selector)))
    }

    fn text(&mut self, selector: &str) -> String {
        let text = self.value(&format!("document.querySelector({}).textContent", json!(selector)));
        text.as_str().unwrap_or_else(|| panic!("{selector} has no text")).to_owned()
    }

    /// The indices of the evaluations in the rows that are shown, in order.
    fn rows(&mut self) -> Vec<usize> {
        let rows = self.value(
            "[...document.querySelectorAll('#evaluations tbody tr:not([hidden])')].map((row) => Number(row.dataset.i))",
        );
        serde_json::from_value(rows).unwrap()
    }

    #[track_caller]
    fn is_clean(&mut self) {
        let complaints = self.browser.complaints(&self.file);
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    }
}

fn measured(report: &SessionReport) -> Vec<&ReportedEvaluation> {
    report.evaluations.iter().filter(|one| one.outcome == EvaluationOutcome::Measured).collect()
}

/// A run in which nothing succeeded.
fn failed() -> SessionReport {
    let mut report = run::run(50);
    for one in &mut report.evaluations {
        *one = ReportedEvaluation { outcome: EvaluationOutcome::Crashed, seconds: None, ratio: None, ..one.clone() };
    }
    (report.default.seconds, report.winner.seconds) = (None, None);
    report
}

/// A run without predictions.
fn unpredicted() -> SessionReport {
    let mut report = run::run(50);
    report.evaluations.iter_mut().for_each(|one| one.predicted = None);
    report
}

/// A run whose times span many orders of magnitude.
fn wide() -> SessionReport {
    let mut report = run::run(200);
    for one in &mut report.evaluations {
        one.seconds = one.seconds.map(|seconds| run::rounded(seconds.powi(3) * 1e4));
    }
    report.elapsed_seconds = 90_000.0;
    report
}

#[test]
fn every_evaluation_is_a_point() {
    let sizes = [0, 1, 3, 50, 2000].map(run::run);
    let reports: Vec<_> = sizes.into_iter().chain([failed(), unpredicted(), wide()]).collect();
    let Some(mut page) = Page::of(&reports[0]) else { return };
    for report in &reports {
        page.show(report);
        let (all, measured) = (report.evaluations.len(), measured(report));
        for chart in ["over-evaluations", "over-time"] {
            assert_eq!(page.count(&format!("#{chart} circle[data-i]")), measured.len());
            assert_eq!(page.count(&format!("#{chart} path[data-i]")), all - measured.len());
            assert_eq!(page.count(&format!("#{chart} > svg > path.best")), usize::from(!measured.is_empty()));
            assert_eq!(
                page.count(&format!("#{chart} > svg > path.default")),
                usize::from(!measured.is_empty() || all == 0)
            );
        }
        let bars = "[...document.querySelectorAll('#distribution [data-count]')].reduce((sum, bar) => sum + Number(bar.dataset.count), 0)";
        assert_eq!(page.value(bars), measured.len());
        let predicted = measured.iter().filter(|one| one.predicted.is_some()).count();
        assert_eq!(page.count("#prediction [data-i]"), predicted);
        assert_eq!(page.count("#prediction > svg"), usize::from(predicted > 0));
        assert_eq!(page.count("#correlation"), usize::from(predicted >= 3));
        assert_eq!(page.rows(), (0..all).collect::<Vec<_>>());
        let data = page.text("#data");
        assert!(
            serde_json::from_str::<SessionReport>(&data).unwrap() == *report,
            "the data of the page are not the report"
        );
        page.is_clean();
    }
}

/// Labels of axes do not cover each other and are within their chart, and a page is not wider than its window.
#[test]
fn charts_are_readable_in_every_width() {
    let reports = [run::run(1), run::run(50), run::run(2000), failed(), wide()];
    let Some(mut page) = Page::of(&reports[0]) else { return };
    let overlaps = "[...document.querySelectorAll('.chart > svg')].flatMap((chart) => {
        const outside = chart.closest('.chart').getBoundingClientRect();
        const labels = [...chart.querySelectorAll('text')].map((label) => [label.textContent, label.getBoundingClientRect()]);
        return labels.flatMap(([text, a], i) => [
          ...(a.left < outside.left || a.right > outside.right ? [text] : []),
          ...labels.slice(0, i).filter(([, b]) =>
            a.left < b.right && b.left < a.right && a.top + 1 < b.bottom && b.top + 1 < a.bottom
          ).map(([other]) => `${chart.parentElement.id}: ${other}, ${text}`)])})";
    for report in &reports {
        page.show(report);
        for width in [360, 700, 1600] {
            let metrics = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
            page.browser.call("Emulation.setDeviceMetricsOverride", metrics);
            assert_eq!(page.value(overlaps), json!([]), "{width}");
            let beyond = "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth";
            assert_eq!(page.value(beyond), 0, "{width}");
        }
    }
}

/// The contrast of texts is at least 4.5, the value of the Web Content Accessibility Guidelines, with light and dark
/// colors; that of marks in charts is at least 3.
#[test]
fn contrasts_are_sufficient() {
    let Some(mut page) = Page::of(&run::run(50)) else { return };
    let contrasts = "(() => {
        const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
        const mixed = (colors) => {
          for (const color of colors) { canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1) }
          return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
        };
        const luminance = (rgb) => rgb.map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
          .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
        const below = (element) => element ? [...below(element.parentElement), getComputedStyle(element).backgroundColor] : [];
        const contrast = (element, color) => {
          const [a, b] = [mixed(below(element)), mixed([...below(element), color])].map(luminance);
          return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        };
        const texts = ['#result', '.note', '.numbers dt', '.numbers small', '.key dt', '.legend li', '.reason', '.idle > *',
          '.changed ins', '.changed small', 'b.best', 'b.default', 'caption', 'thead th', 'td', '#shown', 'pre', '.copy'];
        const marks = [['circle.point', 'fill'], ['path.failed', 'stroke'], ['path.best', 'stroke'],
          ['path.default', 'stroke'], ['.bar', 'fill'], ['.axis', 'stroke']];
        const poor = (selector, property, least) => {
          const element = document.querySelector(selector);
          const ratio = contrast(element, getComputedStyle(element)[property]);
          return ratio < least ? [`${selector} ${ratio.toFixed(2)}`] : [];
        };
        return [...texts.flatMap((text) => poor(text, 'color', 4.5)), ...poor('.chart .tick', 'fill', 4.5),
          ...marks.flatMap(([mark, property]) => poor(mark, property, 3))];
      })()";
    for scheme in ["light", "dark"] {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        page.browser.call("Emulation.setEmulatedMedia", features);
        assert_eq!(page.value(contrasts), json!([]), "{scheme}");
    }
    page.is_clean();
}

#[test]
fn columns_sort() {
    let report = run::run(50);
    let Some(mut page) = Page::of(&report) else { return };
    let head = |column: usize| format!("document.querySelectorAll('#evaluations thead button')[{column}]");
    let state = |column: usize| format!("document.querySelectorAll('#evaluations thead th')[{column}].ariaSort");
    let sorted = |key: &dyn Fn(&ReportedEvaluation) -> f64| {
        let mut order: Vec<_> = (0..report.evaluations.len()).collect();
        order.sort_by(|a, b| key(&report.evaluations[*a]).total_cmp(&key(&report.evaluations[*b])));
        order
    };
    // Evaluations without a time come last in both directions.
    page.browser.click(&head(4));
    assert_eq!(page.rows(), sorted(&|one| one.seconds.unwrap_or(f64::INFINITY)));
    assert_eq!(page.value(&state(4)), "ascending");
    page.browser.click(&head(4));
    assert_eq!(page.rows(), sorted(&|one| one.seconds.map_or(f64::INFINITY, |seconds| -seconds)));
    assert_eq!(page.value(&state(4)), "descending");
    page.browser.click(&head(3));
    let outcomes: Vec<_> = page.rows().into_iter().map(|i| report.evaluations[i].outcome.name()).collect();
    assert!(outcomes.is_sorted() && outcomes[0] != "measured", "{outcomes:?}");
    assert_eq!(page.value(&state(4)), Value::Null);
    page.browser.click(&head(0));
    assert_eq!(page.rows(), (0..50).collect::<Vec<_>>());
    page.is_clean();
}

#[test]
fn rows_are_filtered() {
    let report = run::run(200);
    let Some(mut page) = Page::of(&report) else { return };
    page.browser.click("document.getElementById('search')");
    page.browser.call("Input.insertText", json!({ "text": "Annealing reference" }));
    let has = |one: &ReportedEvaluation| one.strategy == "annealing" && one.reason.contains("reference");
    let expected: Vec<_> = (0..200).filter(|i| has(&report.evaluations[*i])).collect();
    assert!(!expected.is_empty());
    assert_eq!(page.rows(), expected);
    assert_eq!(page.text("#shown"), format!("{} of 200 evaluations", expected.len()));
    let choose =
        "(() => { search.value = ''; outcome.value = 'timed out'; outcome.dispatchEvent(new Event('input')) })()";
    page.value(choose);
    let expected: Vec<_> = (0..200).filter(|i| report.evaluations[*i].outcome == EvaluationOutcome::TimedOut).collect();
    assert_eq!(page.rows(), expected);
    page.is_clean();
}

#[test]
fn points_are_described() {
    let report = run::run(50);
    let Some(mut page) = Page::of(&report) else { return };
    assert_eq!(page.value("tip.hidden"), true);
    let best = measured(&report).into_iter().min_by(|a, b| a.seconds.unwrap().total_cmp(&b.seconds.unwrap())).unwrap();
    let index = best.number - 1;
    page.browser.hover(&format!("document.querySelector('#over-evaluations [data-i=\"{index}\"]')"));
    assert_eq!(page.value("tip.hidden"), false);
    let description = page.text("#tip");
    for part in [&best.number.to_string(), "best", &best.strategy, &best.summary] {
        assert!(description.contains(part), "{part} in {description}");
    }
    // A click leads to the row; keys lead from point to point.
    page.browser.click(&format!("document.querySelector('#over-time [data-i=\"{index}\"]')"));
    assert_eq!(
        page.value("[...document.querySelectorAll('.found')].map((row) => Number(row.dataset.i))"),
        json!([index])
    );
    // Browsers send events of a mouse at rest when what is below it moves, and leaving a chart ends the choice.
    page.browser.hover("document.querySelector('h1')");
    page.value("document.querySelector('#over-time > svg').focus()");
    page.browser.press("Escape");
    page.browser.press("ArrowRight");
    page.browser.press("ArrowRight");
    assert!(page.text("#tip dd").starts_with("2 "), "{}", page.text("#tip"));
    page.is_clean();
}

#[test]
fn differences_from_the_default_are_marked() {
    let Some(mut page) = Page::of(&run::run(3)) else { return };
    let changed = "[...document.querySelectorAll('.changed')].map((entry) => entry.textContent)";
    assert_eq!(page.value(changed), json!(["8 was 6"]));
    page.value("for (const details of document.querySelectorAll('details')) details.open = true");
    page.browser.click("document.querySelector('[data-from=schedule-winner]')");
    let copied = "new Promise((resolve) => setTimeout(() => resolve(getSelection().toString()), 200))";
    let selected = page.value(copied);
    let button = page.text("[data-from=schedule-winner]");
    assert!(button == "Copied" || (button == "Selected" && selected == run::run(3).winner.schedule_json), "{button}");
    page.is_clean();
}

/// All texts of a report as something that would run in a page.
fn hostile() -> SessionReport {
    let text = || run::HOSTILE.to_owned();
    let mut report = run::run(5);
    let table = Table { title: text(), header: vec![text(), text()], rows: vec![vec![text(), text()]] };
    let picture = |inside: &str| format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{inside}</svg>");
    let chosen = |inside: &str, seconds| Chosen {
        schedule_json: format!("{} {seconds:?}", text()),
        seconds,
        predicted: seconds,
        tables: vec![table.clone()],
        nest_svg: picture(inside),
        why: text(),
    };
    report.default = chosen("<script>document.title = 'broken'</script>", Some(1.0));
    report.winner = chosen("<image href=\"https://example.org/x.png\" onload=\"document.title='broken'\"/>", Some(0.5));
    for field in [&mut report.title, &mut report.program, &mut report.function, &mut report.computations] {
        *field = text();
    }
    for field in [&mut report.started, &mut report.budget, &mut report.strategy] {
        *field = text();
    }
    report.key.push((text(), text()));
    for one in &mut report.evaluations {
        (one.strategy, one.reason, one.summary) = (text(), text(), text());
    }
    report
}

#[test]
fn texts_do_not_run() {
    let report = hostile();
    let Some(mut page) = Page::of(&report) else { return };
    assert!(page.value("document.title").as_str().unwrap().starts_with("</script><script>"));
    assert_eq!(page.text("#winner caption"), run::HOSTILE.replace('\u{1}', "\u{fffd}"));
    // The data and the script of the page, and its two pictures as images.
    assert_eq!(page.count("script"), 2);
    assert_eq!(page.count("img"), 2);
    assert_eq!(page.count("img:not([src^='data:image/svg+xml,'])"), 0);
    page.browser.hover("document.querySelector('#over-time [data-i]')");
    assert_eq!(page.value("tip.hidden"), false);
    assert_eq!(page.count("#tip img, #tip script"), 0);
    page.is_clean();
}

/// What a page must not load is refused, even if a script of the page asks for it.
#[test]
fn nothing_is_loaded() {
    let Some(mut page) = Page::of(&run::run(3)) else { return };
    let refused = "new Promise((resolve) => {
        const seen = [];
        document.addEventListener('securitypolicyviolation', (event) => {
          seen.push(event.effectiveDirective);
          if (seen.length === 3) resolve(seen.sort());
        });
        fetch('https://example.invalid/').catch(() => {});
        new Image().src = 'https://example.invalid/x.png';
        document.head.append(Object.assign(document.createElement('script'), { src: 'https://example.invalid/x.js' }));
      })";
    assert_eq!(page.value(refused), json!(["connect-src", "img-src", "script-src-elem"]));
}

#[test]
fn pages_are_complete_without_scripts() {
    let report = run::run(50);
    let Some(mut page) = Page::of(&report) else { return };
    page.browser.call("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    page.show(&report);
    assert_eq!(page.count("#over-evaluations [data-i] > title"), 50);
    assert_eq!(page.count("#evaluations tbody tr"), 50);
    assert_eq!(page.count("#filters[hidden], .copy[hidden]"), 3);
    page.is_clean();
}
