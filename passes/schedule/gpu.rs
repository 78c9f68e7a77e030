//! Schedules of kernels: for systems of device, shared and register memory, with blocks, perhaps warps, and threads.
//!
//! ```text
//! blocks · warps · threads · loops over tiles of reductions · [copy to shared memory] · registers · loops in a tile
//! ```
//!
//! A search over what each of these does of each dimension (a `Tiling`) under the limits of a device, ranked by an analytic cost
//! model. What has an extent that is not known has as many blocks as it needs, or loops if it is reduced one part after the other.
mod build;
mod cost;
mod layers;
mod search;
mod tiling;

#[cfg(test)]
pub(super) mod tests;

use super::{cost::Prediction, problem::Problem};
use crate::{nest::outline::Outline, schedule::tuning::TuningContext};
pub use layers::DeviceLayers;
use mdh_dialects::schedule::model::{Schedule, System};
use search::DeviceSearch;
use tiling::Tiling;

/// At most so many schedules, the default first, with what is expected of each; none for a system that no kernels are made for.
pub fn schedules(
    problem: &Problem,
    system: &System,
    tuning: &TuningContext,
    count: usize,
) -> Option<Vec<(Schedule, Prediction)>> {
    let layers = DeviceLayers::of(system)?;
    let device = layers.device(tuning);
    let search = DeviceSearch::new(problem, &device, &layers, tuning.strict);
    let found = search.run(count).into_iter();
    Some(found.map(|(tiling, expected)| (tiling.schedule(problem, system, &layers), expected)).collect())
}

/// What is expected of the nest of a schedule, with its loops as text; `None` for a system that no kernels are made for.
pub fn expected(
    problem: &Problem,
    outline: &Outline,
    schedule: &Schedule,
    tuning: &TuningContext,
) -> Option<(String, Prediction)> {
    let layers = DeviceLayers::of(&schedule.system)?;
    let device = layers.device(tuning);
    let tiling = Tiling::of(outline, schedule, problem, &layers);
    let expected = cost::DeviceModel::new(problem, &device).predict(&tiling, true);
    Some((tiling.describe(&layers), expected.unwrap_or_else(|| unreachable!("limits have been left out of account"))))
}
