//! Machine code of a function, with its kernels embedded.
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

/// Machine code of a function, for [`super::Compiled`] to link. It may come from another process through the cache.
///
/// It cannot be constructed outside of this module, because it is executed:
///
/// ```compile_fail,E0451
/// let code = mdh_tools::jit::Code { object: vec![], parallel: false, api: None };
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// An object file.
    pub(crate) object: Vec<u8>,
    /// True if it calls OpenMP's run-time library.
    pub(crate) parallel: bool,
    /// The API that runs its kernels; `None` without a device.
    pub(crate) api: Option<Api>,
}

impl Code {
    /// Compiles a lowered function. Its kernels are compiled for the device and embedded.
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
