//! The outcome of a session: as text, as JSON, as a schedule file, and as a page.
use super::options::Tune;
use crate::{
    compare::Coverage,
    explain::{
        Scheduled,
        report::{self as explained, Request},
    },
    machine, program, signature,
    tuning::{
        evaluation::{Evaluation, ratio},
        report::{Chosen, EvaluationOutcome, ReportedEvaluation, SessionReport, Table},
        session::Tuned,
    },
};
use anyhow::{Context as _, Result};
use mdh_database::{COMPILER, Cause, Key, Outcome};
use mdh_dialects::{ir, schedule::model::Schedule};
use mdh_passes::{
    notation::json,
    schedule::{explain::seconds, tuned::summary},
};
use serde_json::{Value, json};
use std::fmt;

/// The outcome of tuning a function.
pub struct TuningOutcome {
    tuned: Tuned,
    /// What the comparison of candidates with the reference evaluator sees.
    coverage: Coverage,
    /// The name of the function.
    function: String,
    key: Key,
    strategy: String,
    /// The page about the session, if one is requested.
    page: Option<String>,
}

impl TuningOutcome {
    /// Describes a session. `source`: the program and its name. Errors are those of the explanations for the page.
    pub fn new(
        tune: &Tune,
        (name, source): (&str, &[u8]),
        function: &str,
        key: Key,
        all: &[Scheduled<'_>],
        (tuned, coverage): (Tuned, Coverage),
    ) -> Result<Self> {
        let strategy = tune.strategy.clone();
        let mut outcome = Self { tuned, coverage, function: function.to_owned(), key, strategy, page: None };
        if tune.report.is_some() {
            let report = outcome.report(tune, name, source, all)?;
            outcome.page = Some(report.html());
        }
        Ok(outcome)
    }

    /// The best schedules as the text of a schedule file.
    pub fn schedule_file(&self) -> String {
        self.file(&self.tuned.best)
    }

    fn file(&self, schedules: &[Schedule]) -> String {
        json::file_text(schedules.iter().map(|schedule| (self.function.as_str(), schedule)))
    }

    /// The page about the session; empty if none was requested.
    pub fn page(&self) -> &str {
        self.page.as_deref().unwrap_or_default()
    }

    /// The number of evaluations without a time.
    fn failed(&self) -> usize {
        self.tuned.evaluations.iter().filter(|evaluation| ratio(&evaluation.outcome).is_none()).count()
    }

    /// The outcome as an object.
    pub fn json(&self) -> Value {
        let Tuned { default, ratio, elapsed, known, is_interrupted, is_exhausted, .. } = &self.tuned;
        let schedules: Vec<_> = self.tuned.best.iter().map(json::to_value).collect();
        json!({
            "function": self.function,
            "fingerprint": self.key.fingerprint,
            "extents": self.key.extents.to_string(),
            "engine": self.key.engine,
            "threads": self.key.threads,
            "strategy": self.strategy,
            "compiler": COMPILER,
            "default_seconds": default,
            "best_seconds": default * ratio,
            "ratio": ratio,
            "evaluations": self.tuned.evaluations.len(),
            "failed": self.failed(),
            "known": known,
            "elapsed_seconds": elapsed,
            "interrupted": is_interrupted,
            "exhausted": is_exhausted,
            "check": Value::Object(self.coverage.fields().map(|(name, value)| (name.to_owned(), value)).into_iter().collect()),
            "schedules": schedules,
        })
    }

    fn report(&self, tune: &Tune, name: &str, source: &[u8], all: &[Scheduled<'_>]) -> Result<SessionReport> {
        let Key { fingerprint, extents, strict, threads, features, engine, device } = &self.key;
        let own = self.tuned.evaluations.iter().enumerate().map(|(i, evaluation)| self.evaluation(i, evaluation));
        let evaluations: Vec<_> = own.collect();
        let key = [
            ("fingerprint", fingerprint.clone()),
            ("extents", extents.to_string()),
            ("threads", threads.to_string()),
            ("strict", strict.to_string()),
            ("engine", engine.clone()),
            ("processor", features.clone()),
            ("device", device.clone()),
            ("compiler", COMPILER.to_owned()),
        ];
        let computations = all.iter().map(|one| {
            let names = one.computation.dimension_names();
            let extent = |(d, extent): (usize, Option<u64>)| {
                let name = names.get(d).map(|name| format!(" ({name})")).unwrap_or_default();
                format!("{}{name}", mdh_dialects::schedule::rules::count_text(extent))
            };
            let extents: Vec<_> = one.computation.domain.extents().enumerate().map(extent).collect();
            format!("computation {} of @{}: {}", one.number + 1, one.function, extents.join(" x "))
        });
        let first = self.tuned.evaluations.first();
        let defaults = first.map(|evaluation| evaluation.schedules.clone()).unwrap_or_default();
        let predicted = |schedules: &[Schedule]| {
            let own = self.tuned.evaluations.iter().find(|evaluation| evaluation.schedules == schedules);
            own.and_then(|evaluation| evaluation.predicted)
        };
        let chosen = |schedules: &[Schedule], seconds: f64| -> Result<Chosen> {
            let chosen = self.chosen(tune, source, schedules)?;
            Ok(Chosen { seconds: Some(seconds), predicted: predicted(schedules), ..chosen })
        };
        Ok(SessionReport {
            title: format!("Tuning of @{}", self.function),
            program: name.to_owned(),
            function: self.function.clone(),
            computations: computations.collect::<Vec<_>>().join("\n"),
            key: key.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            started: humantime::format_rfc3339_seconds(self.tuned.started).to_string(),
            elapsed_seconds: self.tuned.elapsed,
            budget: tune.budget.to_string(),
            strategy: self.strategy.clone(),
            evaluations,
            default: chosen(&defaults, self.tuned.default)?,
            winner: chosen(&self.tuned.best, self.tuned.default * self.tuned.ratio)?,
            unconfirmed: self.tuned.unconfirmed,
        })
    }

    fn evaluation(&self, i: usize, evaluation: &Evaluation) -> ReportedEvaluation {
        let (outcome, reason, time) = match &evaluation.outcome {
            Outcome::Measured { seconds, .. } => (EvaluationOutcome::Measured, String::new(), Some(*seconds)),
            Outcome::Failed { cause, reason } => {
                let outcome = match cause {
                    Cause::Wrong => EvaluationOutcome::Wrong,
                    Cause::Crashed => EvaluationOutcome::Crashed,
                    Cause::TimedOut => EvaluationOutcome::TimedOut,
                    Cause::Refused => EvaluationOutcome::Refused,
                    Cause::Hopeless => EvaluationOutcome::Hopeless,
                };
                (outcome, reason.clone(), None)
            }
        };
        ReportedEvaluation {
            number: i + 1,
            at_seconds: evaluation.at,
            strategy: evaluation.strategy.clone(),
            outcome,
            reason,
            seconds: time,
            ratio: ratio(&evaluation.outcome),
            predicted: evaluation.predicted,
            is_default: evaluation.is_default,
            summary: evaluation.schedules.iter().map(summary).collect::<Vec<_>>().join("; "),
        }
    }

    /// Schedules with their explanation: tables, picture and predictions.
    fn chosen(&self, tune: &Tune, source: &[u8], schedules: &[Schedule]) -> Result<Chosen> {
        let folder = crate::temporary::folder_in(&std::env::temp_dir()).context("cannot make a temporary folder")?;
        let path = folder.path().join("schedule.json");
        std::fs::write(&path, super::function::file(&self.function, schedules))
            .context("cannot write a temporary file")?;
        let context = program::context();
        let mut module = program::parse(&context, source)?;
        signature::export(&module, &[signature::find(ir::op(module.as_operation()), Some(&self.function))?]);
        let options = tune.passes(Some(&path))?;
        let machine = machine::Options { file: tune.lowering.machine.as_deref(), ..machine::Options::default() };
        let request = Request {
            program: "the program",
            function: Some(&self.function),
            target: Some(options.target),
            options,
            machine,
        };
        let value = explained::of(&context, &mut module, request)?;
        let strings = |value: &Value| -> Vec<String> {
            value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let table = |computation: &Value| Table {
            title: computation["title"].as_str().unwrap_or_default().to_owned(),
            header: strings(&computation["parameters"]["header"]),
            rows: computation["parameters"]["rows"].as_array().into_iter().flatten().map(strings).collect(),
        };
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        Ok(Chosen {
            schedule_json: self.file(schedules),
            seconds: None,
            predicted: None,
            tables: value["computations"].as_array().into_iter().flatten().map(table).collect(),
            nest_svg: text("svg"),
            why: text("why"),
        })
    }
}

impl fmt::Display for TuningOutcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tuned { default, ratio, elapsed, known, is_interrupted, is_exhausted, evaluations, .. } = &self.tuned;
        writeln!(
            formatter,
            "{}: {} with the default schedule, {} with the best one, {:.2} times as fast",
            self.function,
            seconds(*default),
            seconds(default * ratio),
            1.0 / ratio
        )?;
        let failed = match self.failed() {
            0 => String::new(),
            failed => format!(", {failed} without a time"),
        };
        let known = if *known > 0 { format!(", {known} known before") } else { String::new() };
        let end = match (is_interrupted, is_exhausted) {
            (true, _) => ", interrupted",
            (false, true) => ", all that the strategy found",
            (false, false) => "",
        };
        writeln!(formatter, "  {} evaluations in {elapsed:.0} s{failed}{known}{end}", evaluations.len())?;
        let coverage = self.coverage.to_string();
        if !coverage.is_empty() {
            writeln!(formatter, "  {coverage}")?;
        }
        for schedule in &self.tuned.best {
            writeln!(formatter, "  {}", summary(schedule))?;
        }
        Ok(())
    }
}
