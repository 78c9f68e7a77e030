//! Numbers about the evaluations of a run.
//!
//! ```text
//! times 5, 3, failed, 4, 2        ->   best so far: 5, 3, 3, 3, 2
//! predicted 1, 2, 3; measured 2, 5, 9   ->   rank correlation 1
//! ```
use super::data::{EvaluationOutcome, ReportedEvaluation};
use std::{cmp::Reverse, collections::BTreeMap};

/// Returns the evaluations that improved on all before them: their index and time.
pub fn improvements(evaluations: &[ReportedEvaluation]) -> Vec<(usize, f64)> {
    let mut best = f64::INFINITY;
    let mut improved = vec![];
    for (index, time) in measured(evaluations) {
        if time < best {
            best = time;
            improved.push((index, time));
        }
    }
    improved
}

/// Returns the indices and times of the measured evaluations.
pub fn measured(evaluations: &[ReportedEvaluation]) -> impl Iterator<Item = (usize, f64)> {
    evaluations.iter().enumerate().filter_map(|(index, one)| Some((index, one.time()?)))
}

/// Returns the measured evaluations with a prediction: their index, and the predicted and the measured time.
pub fn predicted(evaluations: &[ReportedEvaluation]) -> Vec<(usize, f64, f64)> {
    let both = |(index, time): (usize, f64)| Some((index, evaluations.get(index)?.prediction()?, time));
    measured(evaluations).filter_map(both).collect()
}

/// Returns the reasons of failures with their numbers, the most frequent first. Reasons that differ only in numbers are
/// one, without the numbers.
pub fn failures(evaluations: &[ReportedEvaluation]) -> Vec<(EvaluationOutcome, String, usize)> {
    let mut alike: BTreeMap<(EvaluationOutcome, String), (&str, bool, usize)> = BTreeMap::new();
    for one in evaluations.iter().filter(|one| one.time().is_none()) {
        let key = (one.outcome, without_numbers(&one.reason));
        let (first, is_same, count) = alike.entry(key).or_insert((&one.reason, true, 0));
        *is_same &= *first == one.reason;
        *count += 1;
    }
    let failure =
        |((outcome, pattern), (first, is_same, count)): ((EvaluationOutcome, String), (&str, bool, usize))| {
            (outcome, if is_same { first.to_owned() } else { pattern }, count)
        };
    let mut failures: Vec<_> = alike.into_iter().map(failure).collect();
    failures.sort_by_key(|(.., count)| Reverse(*count));
    failures
}

/// Returns a text with a mark in place of each number.
fn without_numbers(text: &str) -> String {
    let pieces = text.split(|character: char| character.is_ascii_digit());
    let mut pattern = String::new();
    for (i, piece) in pieces.enumerate() {
        // Neighboring digits, and digits around a point, are one number.
        let continues = pattern.ends_with('…') && (piece.is_empty() || piece == ".");
        if i > 0 && !pattern.ends_with('…') {
            pattern.push('…');
        }
        if !continues {
            pattern += piece;
        }
    }
    pattern
}

/// What a strategy of a run has achieved.
#[derive(Clone, Debug, PartialEq)]
pub struct Share<'a> {
    /// The name of the strategy.
    pub strategy: &'a str,
    /// The number of its evaluations.
    pub evaluations: usize,
    /// The number of those with a time.
    pub measured: usize,
    /// How often it improved on all evaluations before.
    pub improvements: usize,
    /// Its best time in seconds.
    pub best: Option<f64>,
}

/// Returns the share of each strategy, in the order of their first evaluations.
pub fn shares(evaluations: &[ReportedEvaluation]) -> Vec<Share<'_>> {
    let mut shares: Vec<Share<'_>> = vec![];
    let mut best = f64::INFINITY;
    for one in evaluations {
        let position = shares.iter().position(|share| share.strategy == one.strategy).unwrap_or(shares.len());
        if position == shares.len() {
            shares.push(Share { strategy: &one.strategy, evaluations: 0, measured: 0, improvements: 0, best: None });
        }
        let Some(share) = shares.get_mut(position) else { continue };
        share.evaluations += 1;
        if let Some(time) = one.time() {
            share.measured += 1;
            share.improvements += usize::from(time < best);
            share.best = Some(share.best.map_or(time, |best| best.min(time)));
            best = best.min(time);
        }
    }
    shares
}

/// Returns the numbers of values between neighboring limits. The last interval contains its upper limit.
pub fn histogram(values: &[f64], limits: &[f64]) -> Vec<usize> {
    let mut counts = vec![0; limits.len().saturating_sub(1)];
    for value in values {
        let above = limits.partition_point(|limit| limit <= value);
        let interval = above.saturating_sub(1).min(counts.len().saturating_sub(1));
        if let Some(count) = counts.get_mut(interval) {
            *count += 1;
        }
    }
    counts
}

/// Returns Spearman's rank correlation of pairs; `None` for fewer than three, or if one side is constant.
pub fn rank_correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    if pairs.len() < 3 {
        return None;
    }
    let left = ranks(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
    let right = ranks(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
    // The mean of ranks from 1 is this, with ties too.
    let mean = (pairs.len() as f64 + 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    let scale = (product(&left, &left) * product(&right, &right)).sqrt();
    (scale > 0.0).then(|| product(&left, &right) / scale)
}

/// Returns the ranks of values from 1; equal values have the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = |value: &f64| {
        let below = sorted.partition_point(|other| other < value);
        let upto = sorted.partition_point(|other| other <= value);
        (below + upto + 1) as f64 / 2.0
    };
    values.iter().map(rank).collect()
}

/// Returns the median of values; `None` without values.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    let lower = if sorted.len().is_multiple_of(2) { *sorted.get(middle.checked_sub(1)?)? } else { upper };
    Some((lower + upper) / 2.0)
}
