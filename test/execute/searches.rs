//! The searches for schedules, and the random schedules of tests, as strategies on the space of all legal schedules: what
//! they give are points of it, and give the same points again.
use super::{programs::root, schedules::with_computation};
use mdh_dialects::schedule::model::{Schedule, System};
use mdh_passes::{
    machine::Machine,
    schedule::{
        default::default_schedule,
        random::{Random, random_schedule},
        space::ComputationSpace,
        tuning::TuningContext,
    },
    tune::space::{ScheduleSpace, SpaceBounds},
};
use std::{fs, path::Path};

/// Systems and machines: with a search on processors of two kinds, without one, and with one on devices.
const SYSTEMS: [(&str, &str); 5] = [
    ("cpu", "avx512.json"),
    ("cpu", "avx2.json"),
    ("openmp", "avx2.json"),
    ("cuda", "avx512.json"),
    ("cuda_wrp", "avx512.json"),
];
/// The number of threads that schedules are made for.
const THREADS: usize = 8;
/// The number of random points, and the largest numbers of initial points and of neighbors.
const POINTS: usize = 40;

/// Checks the schedules of a computation in a function of a file: its default, initial, neighboring and random points of
/// the tuner, and random ones; and that those of the tuner have the same choices again.
pub fn are_in_the_space(file: &Path, function: &str) -> Result<(), String> {
    with_computation(file, function, |computation| {
        let shape = computation.shape();
        for (name, machine) in SYSTEMS {
            let system = System::builtin(name).ok_or_else(|| format!("no system {name} is built in"))?;
            let machine = root().join("examples/machines").join(machine);
            let machine = Machine::typical().read(&machine.to_string_lossy(), |path| fs::read_to_string(path))?;
            let tuning = TuningContext { machine, threads: Some(THREADS) };
            // Counting with limits takes long, and numbers of schedules do not require it.
            let products = shape.extents().map(|extent| Some(extent.map_or(1 << 20, |extent| 4 * extent))).collect();
            let legal = ScheduleSpace::within(
                &shape,
                &system,
                &SpaceBounds { products, limit_work: 0, ..SpaceBounds::default() },
            )?;
            let is_point = |what: &str, schedule: &Schedule| {
                let index = legal.index(schedule).map_err(|problem| format!("@{name}: {what}: {problem}"))?;
                match legal.schedule(&index)? == *schedule {
                    true => Ok(()),
                    false => Err(format!("@{name}: {what}: number {index} is another schedule")),
                }
            };
            is_point("the default", &default_schedule(computation, &system, &tuning))?;
            let mut random = Random::new(1);
            for _ in 0..POINTS {
                is_point("a random schedule", &random_schedule(&shape, &system, &mut random))?;
            }
            let Some(search) = ComputationSpace::of(computation, &system, &tuning) else { continue };
            let initial = search.starts().iter().take(POINTS).cloned().map(|point| ("an initial point", point));
            let near = search.starts().first().map_or_else(Vec::new, |best| search.neighbors(best));
            let near = near.into_iter().take(POINTS).map(|point| ("a neighbor", point));
            let drawn = (0..POINTS).filter_map(|_| Some(("a random point", search.random(&mut random)?)));
            for (what, point) in initial.chain(near).chain(drawn) {
                let Some(schedule) = search.schedule(&point) else { continue };
                is_point(what, &schedule)?;
                let again = search.choices(&schedule).and_then(|choices| search.schedule(&choices));
                // Threads of a warp that several dimensions of few points have lost are not found.
                if again.as_ref() != Some(&schedule) && name != "cuda_wrp" {
                    return Err(format!("@{name}: {what} has no choices that give its schedule: {point:?}"));
                }
            }
        }
        Ok(())
    })
}
