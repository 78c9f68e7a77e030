//! Machine code of a function, its kernels inside.
use super::linker::ENTRY;
use crate::{
    interface::{self, Exported},
    kernel::{Device, embed},
    object,
    program::Lowered,
    target::host::Processor,
};
use anyhow::Result;
use inkwell::context::Context;
use mdh_runtime::Api;

/// Machine code of a function that [`super::Compiled`] links; it may come from another process, by way of the cache.
///
/// Nobody else makes it, since it is called:
///
/// ```compile_fail,E0451
/// let code = mdh_tools::jit::Code { object: vec![], parallel: false, api: None };
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// An object file.
    pub(crate) object: Vec<u8>,
    /// Whether it calls OpenMP's run-time library.
    pub(crate) parallel: bool,
    /// What runs its kernels, if it is for a device.
    pub(crate) api: Option<Api>,
}

impl Code {
    /// Compiles a function that was lowered; kernels are compiled for the device, and become a part of it.
    pub fn new(lowered: &mut Lowered<'_, '_>, target: &Processor, device: Option<&Device>) -> Result<Self> {
        let context = Context::create();
        let signature = lowered.signature().clone();
        let module = lowered.module();
        let kernels = device.map(|device| device.compile(module)).transpose()?.flatten();
        if let (Some(kernels), Some(device)) = (&kernels, device) {
            kernels.embed(module, device);
        }
        let translated = target.translate(module, &context)?;
        interface::add(
            &translated,
            &[Exported { signature, symbol: ENTRY.to_string_lossy().into_owned(), checks: None }],
        )?;
        if let Some(device) = device {
            embed::rename_runtime(&translated, device.flavour());
            let symbol = kernels.as_ref().map_or("", |kernels| &kernels.symbol);
            embed::constructors(&translated, symbol)?;
        }
        target.optimize(&translated)?;
        let parallel = object::is_parallel(&translated);
        let object = target.object(&translated)?.as_slice().to_vec();
        Ok(Self { object, parallel, api: device.map(Device::api) })
    }
}
