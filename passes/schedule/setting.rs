//! What default schedules are made for.
use super::problem::Functions;
use crate::{convert::math_functions::cost::Registers, machine::Machine, nest::workload::Freedom};
use mdh_dialects::schedule::model::System;

/// The most threads that a schedule can be made for: as many as a machine may have cores.
pub const MOST_THREADS: usize = 65536;

/// What default schedules are made for.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The machine.
    pub machine: Machine,
    /// How many threads it is for, at most [`MOST_THREADS`]; as many as the machine has cores if not given.
    pub threads: Option<usize>,
    /// Whether values must be combined in the order of the definition.
    pub strict: bool,
}

impl Setting {
    /// How many threads the cost model counts with.
    pub fn threads(&self) -> u64 {
        self.threads.map_or(self.machine.cores, |threads| threads as u64)
    }

    /// How code may differ from the definition.
    pub fn freedom(&self) -> Freedom {
        Freedom { contract: !self.strict, reassociate: !self.strict }
    }

    /// What computes functions in the loops of a system: devices have their own, whatever is asked for.
    pub fn functions(&self, system: &System) -> Functions {
        let Machine { vector_bits: bits, has_fma, .. } = self.machine;
        match (system.is_device(), self.strict) {
            (true, _) => Functions::Instructions(Registers { bits: 32, has_fma: true }),
            (false, true) => Functions::Library,
            (false, false) => Functions::Instructions(Registers { bits, has_fma }),
        }
    }
}
