//! Schedules of a computation as files: those of the search from good to bad, or random legal ones.
use super::scheduled::Scheduled;
use crate::object;
use anyhow::{Result, anyhow};
use mdh_dialects::schedule::model::Schedule;
use mdh_execution::failure::os_message;
use mdh_passes::{
    notation::json as notation,
    plan::check,
    schedule::{
        default,
        random::{Random, random_schedule},
        tuning::TuningContext,
    },
};
use std::path::{Path, PathBuf};

/// Maximum number of draws for each random schedule: others are those of before, or break the rules of kernels.
const MAX_DRAWS: usize = 100;

/// Writes up to `count` schedules of a computation to files in a folder, which is created if it is missing. `seed`: that
/// of random schedules, instead of those of the search. Returns the files, and the expected times in seconds of those of
/// the search.
pub fn write(
    one: &Scheduled<'_>,
    tuning: &TuningContext,
    count: usize,
    seed: Option<u64>,
    folder: &Path,
) -> Result<Vec<(PathBuf, Option<f64>)>> {
    let found = match seed {
        Some(seed) => random(one, count, seed).into_iter().map(|schedule| (schedule, None)).collect(),
        None => searched(one, tuning, count)?,
    };
    std::fs::create_dir_all(folder)
        .map_err(|error| anyhow!("cannot make the directory '{}': {}", folder.display(), os_message(&error)))?;
    let file = |(number, (schedule, seconds)): (usize, (Schedule, Option<f64>))| {
        let file = folder.join(format!("candidate-{:02}.json", number + 1));
        object::write(&file, notation::file_text([(one.function.as_str(), &schedule)].into_iter()).as_bytes())?;
        Ok((file, seconds))
    };
    found.into_iter().enumerate().map(file).collect()
}

/// Returns schedules of the search, from good to bad, with their expected times.
fn searched(one: &Scheduled<'_>, tuning: &TuningContext, count: usize) -> Result<Vec<(Schedule, Option<f64>)>> {
    let system = &one.schedule.system;
    let found = default::candidates(&one.computation, system, tuning, count).ok_or_else(|| {
        anyhow!("--candidates requires a search: there is none on the system '{}', or for such extents", system.name)
    })?;
    Ok(found.into_iter().map(|(schedule, expected)| (schedule, Some(expected.seconds))).collect())
}

/// Returns different random legal schedules on the system of the computation; fewer if there are no more.
fn random(one: &Scheduled<'_>, count: usize, seed: u64) -> Vec<Schedule> {
    let (shape, system) = (one.computation.shape(), &one.schedule.system);
    let (mut random, mut found) = (Random::new(seed), vec![]);
    for _ in 0..MAX_DRAWS * count {
        let schedule = random_schedule(&shape, system, &mut random);
        let is_possible = !system.is_device() || check::schedule(&schedule).is_ok();
        if is_possible && !found.contains(&schedule) {
            found.push(schedule);
        }
        if found.len() == count {
            break;
        }
    }
    found
}
