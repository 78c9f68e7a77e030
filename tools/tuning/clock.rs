//! Times of a candidate and of the best schedule so far, measured in turns: what slows the machine down slows both.
//!
//! ```text
//! best · candidate   candidate · best   best · candidate   …   ──▶   the median of the ratios of pairs
//! ```
use super::{
    process::{Ended, Process},
    protocol::{Event, WorkerCommand},
};
use std::time::Duration;

/// Minimum time of the runs of one turn in seconds.
const TURN: f64 = 0.02;
/// Maximum number of runs of one turn.
const MAX_RUNS: usize = 500;
/// Number of turns of a candidate that is about as fast as the best one.
const TURNS: usize = 5;
/// Further turns of a candidate that seems to be faster.
const MORE_TURNS: usize = 6;
/// The ratio to the best one above which one turn is enough, and the one above which two are.
const ENOUGH: [f64; 2] = [1.3, 1.1];
/// Time limit of a turn, as a multiple of the expected time.
const PATIENCE: f64 = 20.0;

/// The times of a schedule.
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    /// Median in seconds.
    pub seconds: f64,
    /// Median of the other schedule in seconds.
    pub other_seconds: f64,
    /// Median of the ratios to the other schedule.
    pub ratio: f64,
    /// Number of runs.
    pub samples: usize,
    /// Interquartile range divided by the median.
    pub spread: f64,
}

/// Returns the number of runs of a turn, from the time of one run.
fn runs(seconds: f64) -> usize {
    (TURN / seconds.max(1e-9)).ceil().clamp(1.0, MAX_RUNS as f64) as usize
}

/// Returns the time limit of runs that are expected to take some seconds; at least `patience`.
pub fn limit(seconds: f64, patience: Duration) -> Duration {
    patience.max(Duration::from_secs_f64((PATIENCE * seconds).min(1e6)))
}

/// Returns the times of one turn of a process, which is paused before and after it.
pub fn turn(process: &mut Process, seconds: f64, patience: Duration) -> Result<Vec<f64>, Ended> {
    let count = runs(seconds);
    process.resume();
    process.send(&WorkerCommand::Measure { count });
    let outcome = process.wait(limit(seconds * (count + 1) as f64, patience));
    process.pause();
    match outcome? {
        Event::Measured { seconds } if !seconds.is_empty() => Ok(seconds),
        other => Err(Ended::Failed(format!("expected times, but got {other:?}"))),
    }
}

/// The process that fails in a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Failing {
    /// The candidate.
    Candidate(Ended),
    /// The other one.
    Other(Ended),
}

/// Measures a candidate in turns with another schedule. `expected`: the time of a run of each in seconds, the candidate
/// first. A candidate that is clearly slower gets fewer turns; `turns` sets their number. `patience`: the minimum time
/// limit of a turn.
pub fn compare(
    candidate: &mut Process,
    other: &mut Process,
    mut expected: (f64, f64),
    turns: Option<usize>,
    patience: Duration,
) -> Result<Times, Failing> {
    let (mut all, mut all_others, mut ratios) = (vec![], vec![], vec![]);
    let mut wanted = turns.unwrap_or(TURNS);
    while ratios.len() < wanted {
        // The first one of a pair finds cores and caches as other processes have left them.
        let is_first = ratios.len() % 2 == 1;
        let before = is_first.then(|| turn(candidate, expected.0, patience)).transpose().map_err(Failing::Candidate)?;
        let others = turn(other, expected.1, patience).map_err(Failing::Other)?;
        let own = before.map_or_else(|| turn(candidate, expected.0, patience), Ok).map_err(Failing::Candidate)?;
        expected = (median(&own), median(&others));
        ratios.push(expected.0 / expected.1);
        all.extend(own);
        all_others.extend(others);
        let ratio = median(&ratios);
        if turns.is_none() {
            if ENOUGH.get(ratios.len() - 1).is_some_and(|enough| ratio > *enough) {
                break;
            }
            if ratios.len() == TURNS && ratio < 1.0 {
                wanted = TURNS + MORE_TURNS;
            }
        }
    }
    let (seconds, other_seconds) = (median(&all), median(&all_others));
    Ok(Times { seconds, other_seconds, ratio: median(&ratios), samples: all.len(), spread: spread(&all) })
}

/// Returns the median of some numbers; NaN of none.
pub fn median(numbers: &[f64]) -> f64 {
    quantile(numbers, 0.5)
}

/// Returns the interquartile range divided by the median.
pub fn spread(numbers: &[f64]) -> f64 {
    (quantile(numbers, 0.75) - quantile(numbers, 0.25)) / median(numbers)
}

fn quantile(numbers: &[f64], fraction: f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let position = fraction * sorted.len().saturating_sub(1) as f64;
    let (below, above) = (sorted.get(position.floor() as usize), sorted.get(position.ceil() as usize));
    below.zip(above).map_or(f64::NAN, |(below, above)| below + (above - below) * position.fract())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    const LIMIT: Duration = Duration::from_secs(20);

    #[test]
    fn quantiles_interpolate() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(spread(&[1.0, 2.0, 3.0, 4.0, 5.0]), 2.0 / 3.0);
        assert!(median(&[]).is_nan());
    }

    /// A process that always reports the same time.
    fn steady(seconds: f64) -> Process {
        let script = format!(r#"while read line; do echo '{{"event":"measured","seconds":[{seconds}]}}'; done"#);
        let mut process = Process::start(&["sh", "-c", &script].map(OsString::from)).unwrap();
        process.pause();
        process
    }

    #[test]
    fn slow_candidates_get_few_turns() {
        for (seconds, turns) in [(2.0, 1), (1.2, 2), (1.05, TURNS), (0.5, TURNS + MORE_TURNS)] {
            let times = compare(&mut steady(seconds), &mut steady(1.0), (1.0, 1.0), None, LIMIT).unwrap();
            assert_eq!(times, Times { seconds, other_seconds: 1.0, ratio: seconds, samples: turns, spread: 0.0 });
        }
        let times = compare(&mut steady(2.0), &mut steady(1.0), (1.0, 1.0), Some(3), LIMIT).unwrap();
        assert_eq!(times.samples, 3);
    }

    #[test]
    fn each_is_first_in_every_other_pair() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let writing = |name: &str| {
            let log = log.display();
            let script = format!(
                r#"while read line; do printf {name} >> {log}; echo '{{"event":"measured","seconds":[1]}}'; done"#
            );
            let mut process = Process::start(&["sh", "-c", &script].map(OsString::from)).unwrap();
            process.pause();
            process
        };
        compare(&mut writing("c"), &mut writing("o"), (1.0, 1.0), Some(4), LIMIT).unwrap();
        assert_eq!(std::fs::read_to_string(log).unwrap(), "occoocco");
    }

    #[test]
    fn the_failing_process_is_known() {
        let broken = || Process::start(&["sh", "-c", "exit 1"].map(OsString::from)).unwrap();
        let outcome = compare(&mut broken(), &mut steady(1.0), (1.0, 1.0), None, LIMIT);
        assert_eq!(outcome, Err(Failing::Candidate(Ended::Crashed("ended with exit code 1".to_owned()))));
        let outcome = compare(&mut steady(1.0), &mut broken(), (1.0, 1.0), None, LIMIT);
        assert!(matches!(outcome, Err(Failing::Other(_))));
    }
}
