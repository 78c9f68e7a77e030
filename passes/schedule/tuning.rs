//! The target of default schedules: machine and number of threads.
use super::problem::MathImplementation;
use crate::{analysis::computation::Computation, convert::math_functions::cost::Registers, machine::Machine};
use mdh_dialects::{
    attributes::EXACT,
    ir::{self, Op},
    schedule::model::System,
};

/// Maximum number of threads of a schedule: the maximum number of cores of a machine.
pub const MAX_THREADS: usize = 65536;

/// The target of default schedules.
#[derive(Clone, Debug)]
pub struct TuningContext {
    /// The machine.
    pub machine: Machine,
    /// Number of threads, at most [`MAX_THREADS`]; `None` for the number of cores of the machine.
    pub threads: Option<usize>,
}

impl TuningContext {
    /// Returns the number of threads that the cost model assumes.
    pub fn threads(&self) -> u64 {
        self.threads.map_or(self.machine.cores, |threads| threads as u64)
    }

    /// Returns how `math` functions are implemented in the loops of a system. Devices have their own implementation,
    /// also of ordered computations.
    pub fn functions(&self, system: &System, computation: &Computation<'_>) -> MathImplementation {
        let Machine { vector_bits: bits, has_fma, .. } = self.machine;
        let is_exact = |operation: &Op<'_>| ir::attribute(*operation, EXACT).is_some();
        let hom = computation.hom;
        match (system.is_device(), hom.is_ordered() || ir::descendants(hom.op()).iter().any(is_exact)) {
            (true, _) => MathImplementation::Instructions(Registers { bits: 32, has_fma: true }),
            (false, true) => MathImplementation::Library,
            (false, false) => MathImplementation::Instructions(Registers { bits, has_fma }),
        }
    }
}
