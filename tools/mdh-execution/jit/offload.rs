//! The kernels of linked code: loaded before its first call, and unloaded when it is dropped.
use super::linker::Linker;
use anyhow::{Result, anyhow};
use mdh_runtime::Api;
use std::ffi::CString;

/// The function of code with kernels that loads them.
pub const INITIALIZE: &str = "mdh_initialize";
/// The function of code with kernels that unloads them.
pub const FINALIZE: &str = "mdh_finalize";

/// The API of a function's kernels, and the function that unloads them.
pub struct Offload {
    api: Api,
    finalize: unsafe extern "C" fn(),
}

impl Offload {
    /// Defines the entry points that code with kernels calls, before it is linked.
    pub fn define(linker: &Linker, api: Api) -> Result<()> {
        for (name, function) in mdh_runtime::entry_points(api) {
            linker.define(&CString::new(name)?, function)?;
        }
        Ok(())
    }

    /// Loads the kernels of linked code.
    pub fn load(linker: &Linker, api: Api) -> Result<Self> {
        mdh_runtime::collect_errors(api);
        let (initialize, finalize) = (linker.function(INITIALIZE)?, linker.function(FINALIZE)?);
        // SAFETY: `embed::constructors` has created the function without arguments and results; it is called once.
        unsafe { initialize() };
        let offload = Self { api, finalize };
        offload.error()?;
        Ok(offload)
    }

    /// The first error of the device since the last call. After an error, all device memory is released.
    pub fn error(&self) -> Result<()> {
        match mdh_runtime::take_error(self.api) {
            Some(problem) => {
                self.release();
                Err(anyhow!("{problem}"))
            }
            None => Ok(()),
        }
    }

    /// Releases all device memory.
    pub fn release(&self) {
        mdh_runtime::release_all(self.api);
    }

    /// Ends the call with device memory that this thread was in, and frees what it has allocated.
    pub fn abandon(&self) {
        mdh_runtime::abandon_call(self.api);
    }

    /// Kernel time in seconds since the last call, by the clock of the device.
    pub fn seconds(&self) -> f64 {
        mdh_runtime::take_kernel_seconds(self.api).into_iter().sum()
    }
}

impl Drop for Offload {
    fn drop(&mut self) {
        // SAFETY: the function belongs to code that is still linked; no kernel is running.
        unsafe { (self.finalize)() };
    }
}
