//! Runs compiled functions in this process with LLVM's ORC JIT, OpenMP's run-time library, and calls through the C
//! interface.
//!
//! ```text
//! Code ──linker──▶ a function ──call──▶ arrays
//!       openmp, offload: what it calls   arguments: as the C interface has them
//!                                        guard: code that cannot go on leaves the call
//!                                        region: and parallel regions
//! ```
mod arguments;
mod call;
mod code;
pub(crate) mod guard;
mod guarded_call;
mod linker;
mod offload;
mod openmp;
mod region;

pub use arguments::{Argument, RawArray, raw};
pub use call::CallError;
pub use code::Code;
pub use linker::ENTRY;
pub use offload::{FINALIZE, INITIALIZE};
pub use openmp::{MAX_THREADS, openmp, use_openmp};

use anyhow::{Context as _, Result};
use linker::{Entry, Linker};
use offload::Offload;

use crate::signature::Signature;

/// A function that is ready to be called.
pub struct Compiled {
    // Dropped first, because linked code unloads the kernels.
    offload: Option<Offload>,
    is_parallel: bool,
    _linker: Linker,
    entry: Entry,
    signature: Signature,
}

impl Compiled {
    /// Links code.
    pub fn link(code: &Code) -> Result<Self> {
        if code.parallel {
            openmp::openmp()?;
        }
        let linker = Linker::new()?;
        if let Some(api) = code.api {
            Offload::define(&linker, api)?;
        }
        let entry = linker.add(code).context("cannot link the compiled code")?;
        let offload = code.api.map(|api| Offload::load(&linker, api)).transpose()?;
        Ok(Self { offload, is_parallel: code.parallel, _linker: linker, entry, signature: code.signature.clone() })
    }

    /// Kernel time in seconds since the last call of this function, by the clock of the device; `None` for a function
    /// without a device.
    pub fn kernel_seconds(&self) -> Option<f64> {
        self.offload.as_ref().map(Offload::seconds)
    }

    /// The signature of the function.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Sets the number of threads of all following calls.
    pub fn set_threads(&self, threads: usize) -> Result<()> {
        openmp::set_threads(threads)
    }
}
