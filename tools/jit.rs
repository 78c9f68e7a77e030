//! Compiles lowered functions to machine code, with their kernels embedded, and links it.
use crate::{
    interface::{self, Exported},
    kernel::{Device, embed},
    object,
    program::Lowered,
    signature::Checks,
    target::host::{Processor, ProcessorOptions},
};
use anyhow::Result;
use inkwell::context::Context;

pub use mdh_execution::jit::*;

/// Compiles a lowered function. Its kernels are compiled for the device and embedded. `checks`: the checks of its
/// arguments at each call; without them, the caller guarantees that arguments match.
pub fn code(
    lowered: &mut Lowered<'_, '_>,
    target: &Processor,
    device: Option<&Device>,
    checks: Option<Checks>,
) -> Result<Code> {
    let context = Context::create();
    let signature = lowered.signature().clone();
    let module = lowered.module();
    let kernels = device.map(|device| device.compile(module)).transpose()?.flatten();
    if let (Some(kernels), Some(device)) = (&kernels, device) {
        kernels.embed(module, device);
    }
    let translated = target.translate(module, &context)?;
    let exported = Exported { signature: signature.clone(), symbol: ENTRY.to_string_lossy().into_owned(), checks };
    interface::add(&translated, &[exported])?;
    if let Some(device) = device {
        embed::rename_runtime(&translated, device.flavour());
        let symbol = kernels.as_ref().map_or("", |kernels| &kernels.symbol);
        embed::constructors(&translated, symbol)?;
    }
    target.optimize(&translated)?;
    let parallel = object::is_parallel(&translated);
    let object = target.object(&translated)?.as_slice().to_vec();
    // SAFETY: `interface::add` has made the function of the C interface for this signature.
    Ok(unsafe { Code::new(signature, object, parallel, device.map(Device::api)) })
}

/// Compiles a lowered function, and its kernels for a device, and links it.
pub fn compiled(
    lowered: &mut Lowered<'_, '_>,
    options: &ProcessorOptions,
    device: Option<&Device>,
) -> Result<Compiled> {
    Compiled::link(&code(lowered, &Processor::new(options)?, device, None)?)
}
