//! The kernels of linked code: loaded before its first call, and unloaded with it.
use super::linker::Linker;
use crate::kernel::embed::{FINALIZE, INITIALIZE};
use anyhow::{Result, anyhow};
use mdh_runtime::Api;
use std::ffi::CString;

/// What runs the kernels of a function, and how they are unloaded.
pub struct Offload {
    api: Api,
    finalize: unsafe extern "C" fn(),
}

impl Offload {
    /// Defines what code with kernels calls, before it is linked.
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
        // SAFETY: `embed::constructors` has made the function, without arguments and results; it loads the kernels, once.
        unsafe { initialize() };
        let offload = Self { api, finalize };
        offload.error()?;
        Ok(offload)
    }

    /// What went wrong on the device since the last question.
    pub fn error(&self) -> Result<()> {
        match mdh_runtime::take_error(self.api) {
            Some(problem) => {
                mdh_runtime::release_all(self.api);
                Err(anyhow!("{problem}"))
            }
            None => Ok(()),
        }
    }

    /// The seconds that kernels took on their device, by its own clock, since the last question.
    pub fn seconds(&self) -> f64 {
        mdh_runtime::take_kernel_seconds(self.api).into_iter().sum()
    }
}

impl Drop for Offload {
    fn drop(&mut self) {
        // SAFETY: the function is that of the code that is still there; no kernel runs any more.
        unsafe { (self.finalize)() };
    }
}
