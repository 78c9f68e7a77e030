//! Default schedules for kernels: for systems with global, shared and register memory, blocks, optionally warps, and
//! threads.
//!
//! ```text
//! blocks · warps · threads · loops over tiles of reductions · [copy to shared memory] · registers · loops in a tile
//! ```
//!
//! The search chooses how each dimension is split over these levels (a `Tiling`), within the limits of a device, and
//! ranks the candidates by an analytic cost model. A dimension with a dynamic extent has a dynamic number of blocks, or
//! of loop iterations if it is reduced one part after the other.
mod build;
mod cost;
mod layers;
mod search;
mod tiling;

#[cfg(test)]
pub(super) mod tests;

use super::{cost::Prediction, problem::Problem};
use crate::{machine::device::Device, plan::outline::Outline, schedule::tuning::TuningContext};
pub use layers::DeviceLayers;
use mdh_dialects::schedule::model::{Schedule, System};
pub use search::DeviceChoices;
use search::DeviceSearch;
use tiling::Tiling;

/// Returns at most `count` schedules with their predictions, the default schedule first; `None` if no kernels are
/// generated for the system.
pub fn schedules(
    problem: &Problem,
    system: &System,
    tuning: &TuningContext,
    count: usize,
) -> Option<Vec<(Schedule, Prediction)>> {
    let layers = DeviceLayers::of(system)?;
    let device = layers.device(tuning);
    let search = DeviceSearch::new(problem, &device, &layers);
    let found = search.run(count).into_iter();
    Some(found.map(|(tiling, expected)| (tiling.schedule(problem, system, &layers), expected)).collect())
}

/// The search space of a computation on a device.
pub(super) struct DeviceSpace<'a> {
    problem: &'a Problem,
    layers: DeviceLayers<'a>,
    device: Device,
}

impl<'a> DeviceSpace<'a> {
    /// Returns the space; `None` if no kernels are generated for the system.
    pub(super) fn new(problem: &'a Problem, system: &'a System, tuning: &TuningContext) -> Option<Self> {
        let layers = DeviceLayers::of(system)?;
        let device = layers.device(tuning);
        Some(Self { problem, layers, device })
    }

    /// Returns the search for choices.
    pub(super) fn search(&self) -> DeviceSearch<'_> {
        DeviceSearch::new(self.problem, &self.device, &self.layers)
    }

    /// Returns the choices that give a schedule; `None` if none do.
    pub(super) fn choices(&self, schedule: &Schedule) -> Option<DeviceChoices> {
        let mut all = self.search().choices(schedule, &self.layers).into_iter();
        all.find(|choices| self.schedule(choices).as_ref() == Some(schedule))
    }

    /// Returns the schedule of choices; `None` if they are impossible.
    pub(super) fn schedule(&self, choices: &DeviceChoices) -> Option<Schedule> {
        let tiling = self.search().tiling(choices)?;
        Some(tiling.schedule(self.problem, self.layers.system, &self.layers))
    }
}

/// Returns the prediction for the nest of a schedule, with its loops as text; `None` if no kernels are generated for
/// the system.
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

/// Returns the predicted time of the nest of a schedule in seconds; `None` if the device cannot run it, or if no kernels
/// are generated for the system.
pub fn possible(problem: &Problem, outline: &Outline, schedule: &Schedule, tuning: &TuningContext) -> Option<f64> {
    let layers = DeviceLayers::of(&schedule.system)?;
    let device = layers.device(tuning);
    let tiling = Tiling::of(outline, schedule, problem, &layers);
    Some(cost::DeviceModel::new(problem, &device).predict(&tiling, false)?.seconds)
}
