//! Numbers that describe choices for kernels, for a tuner that learns.
use super::{DeviceChoices, DeviceSearch, Padding};

impl DeviceSearch<'_> {
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
