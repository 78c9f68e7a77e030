//! What a session has reached: its evaluations, which are told to the strategy and recorded, and whether it is over.
use super::{State, TuningSession};
use crate::tuning::evaluation::{Evaluation, observed};
use mdh_database::{COMPILER, Measurement, Outcome};
use mdh_dialects::schedule::model::Schedule;
use mdh_passes::{
    schedule::tuned,
    tune::{landscape::Landscape, program::ProgramPoint},
};
use std::{sync::atomic::Ordering, time::Duration};

impl TuningSession<'_> {
    pub(super) fn is_interrupted(&self) -> bool {
        self.setup.interrupted.load(Ordering::Relaxed)
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_interrupted() || self.setup.budget.is_used(self.start, self.evaluations.len())
    }

    /// The time of the default schedules in seconds.
    pub(super) fn unit(&self) -> f64 {
        self.default.as_ref().map_or(1.0, |default| default.seconds)
    }

    /// Records an outcome, and tells it to the strategy.
    pub(super) fn finish(&mut self, point: ProgramPoint, schedules: &[Schedule], strategy: String, outcome: Outcome) {
        let is_default = self.evaluations.is_empty();
        let evaluation = Evaluation {
            at: self.start.elapsed().as_secs_f64(),
            strategy,
            outcome,
            predicted: self.space.predicted(&point),
            is_default,
            schedules: schedules.to_vec(),
        };
        let text = tuned::to_text(schedules);
        self.write(std::slice::from_ref(&evaluation), Duration::ZERO);
        self.strategy.observe(&point, observed(&evaluation.outcome, self.unit()));
        self.known.insert(text, evaluation.outcome.clone());
        self.evaluations.push(evaluation);
        let state = State {
            evaluations: &self.evaluations,
            default: self.unit(),
            best: self.best.as_ref().map_or(1.0, |best| best.ratio),
            start: self.start,
        };
        (self.setup.progress)(&state);
    }

    /// Records evaluations in the database with the times at which they ended, and `later`, all of them in one
    /// transaction. Without the database, the session goes on: the results are in its memory.
    pub(super) fn write(&mut self, evaluations: &[Evaluation], later: Duration) {
        let Some(record) = &self.record else { return };
        let ended = |evaluation: &Evaluation| self.start_of_clock + Duration::from_secs_f64(evaluation.at);
        let measurement = |evaluation: &Evaluation| Measurement {
            schedule: tuned::to_text(&evaluation.schedules),
            is_default: evaluation.is_default,
            outcome: evaluation.outcome.clone(),
            predicted: evaluation.predicted,
            strategy: evaluation.strategy.clone(),
            compiler: COMPILER.to_owned(),
            function: record.function.to_owned(),
            created: ended(evaluation) + later,
        };
        let rows: Vec<_> = evaluations.iter().map(|evaluation| (record.key.clone(), measurement(evaluation))).collect();
        if let Err(error) = record.database.record_all(&rows) {
            eprintln!("warning: results are not recorded any more: {error}");
            self.record = None;
        }
    }
}
