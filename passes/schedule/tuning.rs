//! The target of default schedules: machine, number of threads, and strictness.
use super::problem::MathImplementation;
use crate::{convert::math_functions::cost::Registers, machine::Machine, nest::workload::FastMath};
use mdh_dialects::schedule::model::System;

/// Maximum number of threads of a schedule: the maximum number of cores of a machine.
pub const MAX_THREADS: usize = 65536;

/// The target of default schedules.
#[derive(Clone, Debug)]
pub struct TuningContext {
    /// The machine.
    pub machine: Machine,
    /// Number of threads, at most [`MAX_THREADS`]; `None` for the number of cores of the machine.
    pub threads: Option<usize>,
    /// True if values must be combined in the order of the definition.
    pub strict: bool,
}

impl TuningContext {
    /// Returns the number of threads that the cost model assumes.
    pub fn threads(&self) -> u64 {
        self.threads.map_or(self.machine.cores, |threads| threads as u64)
    }

    /// Returns the floating-point contract: how the generated code may differ from the definition.
    pub fn fast_math(&self) -> FastMath {
        FastMath { contract: !self.strict, reassociate: !self.strict }
    }

    /// Returns how `math` functions are implemented in the loops of a system. Devices have their own implementation,
    /// also if `strict`.
    pub fn functions(&self, system: &System) -> MathImplementation {
        let Machine { vector_bits: bits, has_fma, .. } = self.machine;
        match (system.is_device(), self.strict) {
            (true, _) => MathImplementation::Instructions(Registers { bits: 32, has_fma: true }),
            (false, true) => MathImplementation::Library,
            (false, false) => MathImplementation::Instructions(Registers { bits, has_fma }),
        }
    }
}
