//! Choices for kernels as points of a search space that a tuner explores: random choices, and numbers that describe
//! choices.
use super::{DeviceChoices, DeviceSearch, Padding};
use crate::schedule::{
    climb::{self, Found, Neighbors, SearchSpace},
    random::Random,
};

/// Maximum number of changes that the cost model recommends.
const MAX_IMPROVEMENTS: usize = 12;
/// Maximum number of random changes of initial choices.
const RANDOM_CHANGES: usize = 8;

impl DeviceSearch<'_> {
    /// Returns the predicted time of choices in seconds; `None` if they are impossible.
    pub(in crate::schedule) fn seconds(&self, choices: &DeviceChoices) -> Option<f64> {
        self.cost(choices, None).map(|cost| cost.seconds).filter(|seconds| seconds.is_finite())
    }

    /// Returns choices after the changes that the cost model recommends; `None` if they are impossible.
    pub(in crate::schedule) fn improved(&self, choices: &DeviceChoices) -> Option<DeviceChoices> {
        let found = Found::new(self.seconds(choices)?, choices.clone());
        Some(climb::improve(self, found, MAX_IMPROVEMENTS).choices)
    }

    /// Returns all choices that differ from these by one change.
    pub(in crate::schedule) fn around(&self, choices: &DeviceChoices) -> Vec<DeviceChoices> {
        Neighbors::by(choices, |changes| self.neighbors(changes))
    }

    /// Returns initial choices after some random changes.
    pub(in crate::schedule) fn random(&self, starts: &[DeviceChoices], random: &mut Random) -> Option<DeviceChoices> {
        let mut choices = starts.get(random.below(starts.len()))?.clone();
        for _ in 0..random.below(RANDOM_CHANGES + 1) {
            let around = self.around(&choices);
            let Some(changed) = around.get(random.below(around.len())) else { continue };
            if self.seconds(changed).is_some() {
                choices = changed.clone();
            }
        }
        Some(choices)
    }

    /// Returns numbers that describe choices, as many for all choices: logarithms of sizes, positions of axes, and
    /// which inputs are in shared memory.
    pub(in crate::schedule) fn features(&self, choices: &DeviceChoices) -> Vec<f64> {
        let logarithm = |number: u64| (number.max(1) as f64).log2();
        let truth = |value: bool| f64::from(u8::from(value));
        let mut features = vec![truth(choices.is_double_buffered)];
        for (d, dimension) in choices.dimensions.iter().enumerate() {
            features.extend([
                logarithm(dimension.threads),
                logarithm(dimension.registers),
                logarithm(dimension.inner),
                logarithm(dimension.blocks),
                truth(dimension.is_blocked),
                choices.axes.iter().position(|axis| *axis == d).map_or(-1.0, |position| position as f64),
            ]);
        }
        for input in &choices.inputs {
            let padding = |wanted: Padding| truth(input.padding == wanted);
            features.extend([truth(input.is_shared), input.row as f64]);
            features.extend([Padding::Odd, Padding::Aligned, Padding::Shifted].map(padding));
        }
        features
    }
}
