//! Replays strategies on measured search spaces.
//!
//! ```text
//! a space, a strategy, 100 seeds ──▶ the median number of evaluations until 95 % of the best performance is reached
//! ```
use crate::space::Space;
use anyhow::{Context, Result};
use mdh_passes::tune::strategy::{self, Failure};
use rayon::prelude::*;
use serde::Serialize;

/// The number of evaluations that each seed needs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluations {
    /// The required fraction of the best performance.
    pub fraction: f64,
    /// Number of configurations that reach it.
    pub good: usize,
    /// The median; `None` if it is above the budget.
    pub median: Option<usize>,
    /// The median of random search without repetitions, exactly.
    pub random: usize,
    /// By seed; `None` if the fraction is not reached within the budget.
    pub by_seed: Vec<Option<usize>>,
}

impl Evaluations {
    /// Returns the median as a part of that of random search; `None` if it is above the budget.
    pub fn ratio(&self) -> Option<f64> {
        self.median.map(|median| median as f64 / self.random as f64)
    }
}

/// Replays a strategy with the seeds `0..seeds`, and returns the evaluations for each fraction of the best performance.
///
/// # Errors
///
/// If there is no strategy of this name.
pub fn replay(space: &Space, name: &str, seeds: u64, budget: usize, fractions: &[f64]) -> Result<Vec<Evaluations>> {
    let best = space.times().iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let limits: Vec<_> = fractions.iter().map(|fraction| best / fraction).collect();
    let by_seed: Result<Vec<_>> =
        (0..seeds).into_par_iter().map(|seed| one(space, name, seed, budget, &limits)).collect();
    let by_seed = by_seed?;
    let evaluations = |(index, (fraction, limit)): (usize, (&f64, &f64))| {
        let good = space.times().iter().flatten().filter(|time| *time <= limit).count();
        let by_seed: Vec<_> = by_seed.iter().map(|needed| needed.get(index).copied().flatten()).collect();
        let random = random_median(space.times().len(), good);
        Evaluations { fraction: *fraction, good, median: median(&by_seed), random, by_seed }
    };
    Ok(fractions.iter().zip(&limits).enumerate().map(evaluations).collect())
}

/// Returns the number of evaluations until each limit is reached; `None` if it is above the budget.
fn one(space: &Space, name: &str, seed: u64, budget: usize, limits: &[f64]) -> Result<Vec<Option<usize>>> {
    let mut strategy = strategy::strategy(name, space, seed).with_context(|| format!("no strategy '{name}'"))?;
    let mut needed = vec![None; limits.len()];
    for count in 1..=budget {
        let Some(point) = strategy.propose() else {
            break;
        };
        let time = space.time(point);
        for (needed, limit) in needed.iter_mut().zip(limits) {
            if needed.is_none() && time.is_some_and(|time| time <= *limit) {
                *needed = Some(count);
            }
        }
        if needed.iter().all(Option::is_some) {
            break;
        }
        strategy.observe(&point, time.ok_or(Failure::Invalid));
    }
    Ok(needed)
}

/// Returns the median, the lower one of two; `None` counts as more than any number.
fn median(needed: &[Option<usize>]) -> Option<usize> {
    let mut sorted: Vec<_> = needed.iter().map(|needed| needed.unwrap_or(usize::MAX)).collect();
    sorted.sort_unstable();
    let middle = sorted.len().checked_sub(1)? / 2;
    sorted.get(middle).copied().filter(|median| *median < usize::MAX)
}

/// The error of a product of probabilities that is allowed for.
const ROUNDING: f64 = 1e-9;

/// Returns the least number of evaluations by which random search without repetitions has found one of `good` among
/// `all` configurations with a probability of at least one half.
pub fn random_median(all: usize, good: usize) -> usize {
    let mut missed = 1.0;
    for count in 0..all {
        // The probability that the next configuration is none of the good ones, either.
        missed *= 1.0 - good as f64 / (all - count) as f64;
        if missed <= 0.5 + ROUNDING {
            return count + 1;
        }
    }
    all
}
