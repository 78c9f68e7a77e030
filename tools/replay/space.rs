//! A measured search space as a strategy sees it.
//!
//! ```text
//! x: 16, 32, 64; y: 0, 1; point (1, 0) ──▶ neighbors (0, 0), (2, 0), (1, 1); features log2(32) = 5, 0
//! ```
use crate::read::Measured;
use mdh_passes::{schedule::random::Random, tune::landscape::Landscape};
use std::collections::HashMap;

/// A measured search space. Its points are the indices of configurations; neighbors differ in one parameter.
pub struct Space {
    times: Vec<Option<f64>>,
    neighbors: Vec<Vec<usize>>,
    features: Vec<Vec<f64>>,
}

impl Space {
    /// Creates a space.
    pub fn new(measured: &Measured) -> Self {
        let position: HashMap<_, _> = measured.points.iter().zip(0..).collect();
        let neighbors = |point: &Vec<usize>| {
            let changed = measured.parameters.iter().enumerate().flat_map(|(parameter, (_, values))| {
                (0..values.len()).map(move |value| {
                    let mut changed = point.clone();
                    changed[parameter] = value;
                    changed
                })
            });
            changed.filter(|changed| changed != point).filter_map(|changed| position.get(&changed).copied()).collect()
        };
        let features = |point: &Vec<usize>| {
            let values = point.iter().zip(&measured.parameters);
            values.map(|(value, (_, values))| feature(values, *value)).collect()
        };
        Self {
            times: measured.times.clone(),
            neighbors: measured.points.iter().map(neighbors).collect(),
            features: measured.points.iter().map(features).collect(),
        }
    }

    /// Returns the time of a point; `None` if it failed.
    pub fn time(&self, point: usize) -> Option<f64> {
        self.times.get(point).copied().flatten()
    }

    /// Returns the times of all points.
    pub fn times(&self) -> &[Option<f64>] {
        &self.times
    }
}

/// Returns the feature of a parameter: the logarithm of a size, which is positive.
fn feature(values: &[f64], value: usize) -> f64 {
    let is_size = values.iter().all(|value| *value > 0.0);
    let value = values.get(value).copied().unwrap_or_default();
    if is_size { value.log2() } else { value }
}

impl Landscape for Space {
    type Point = usize;

    fn starts(&self) -> Vec<usize> {
        vec![]
    }

    fn random(&self, random: &mut Random) -> Option<usize> {
        Some(random.below(self.times.len())).filter(|point| *point < self.times.len())
    }

    fn neighbors(&self, point: &usize) -> Vec<usize> {
        self.neighbors.get(*point).cloned().unwrap_or_default()
    }

    fn predicted(&self, _: &usize) -> Option<f64> {
        None
    }

    fn features(&self, point: &usize) -> Vec<f64> {
        self.features.get(*point).cloned().unwrap_or_default()
    }
}
