//! Compiles lowered functions to machine code, with their kernels embedded, and links it.
use crate::{
    interface::{self, Exported, Memory},
    kernel::{Device, Kernels, embed},
    object,
    program::Lowered,
    signature::Checks,
    target::host::{Processor, ProcessorOptions},
};
use anyhow::Result;
use inkwell::{context::Context, module::Module};
use mdh_passes::target::KernelFlavour;

pub use mdh_execution::jit::*;

/// Compiles a lowered function. Its kernels are compiled for the device and embedded. `checks`: the checks of its
/// arguments at each call; without them, the caller guarantees that arguments match. `memory`: where its arrays are.
pub fn code(
    lowered: &mut Lowered<'_, '_>,
    target: &Processor,
    device: Option<&Device>,
    checks: Option<Checks>,
    memory: Memory,
) -> Result<Code> {
    let context = Context::create();
    let signature = lowered.signature().clone();
    let (translated, _) = optimized(lowered, target, device, checks, memory, &context)?;
    let parallel = object::is_parallel(&translated);
    let object = target.object(&translated)?.as_slice().to_vec();
    // SAFETY: `interface::add` has made the function of the C interface for this signature and memory.
    Ok(unsafe { Code::new(signature, object, parallel, device.map(Device::api), memory == Memory::Device) })
}

/// The names of texts of the code for a processor, and for a device if there is one.
pub fn texts(device: Option<&KernelFlavour>) -> Vec<&'static str> {
    ["llvm-ir", "assembly"].into_iter().chain(device.map(|flavour| flavour.text.unwrap_or(flavour.code))).collect()
}

/// The code of a lowered function as text, by its name in [`texts`].
pub fn text(
    lowered: &mut Lowered<'_, '_>,
    target: &Processor,
    device: Option<&Device>,
    checks: Option<Checks>,
    what: &str,
) -> Result<String> {
    let context = Context::create();
    let (translated, kernels) = optimized(lowered, target, device, checks, Memory::Host, &context)?;
    match what {
        "llvm-ir" => Ok(translated.print_to_string().to_string()),
        "assembly" => target.assembly(&translated),
        _ => Ok(kernels.map(|kernels| kernels.assembly).unwrap_or_default()),
    }
}

/// A lowered function with its C interface as optimized LLVM IR, and the kernels that are embedded.
fn optimized<'l>(
    lowered: &mut Lowered<'_, '_>,
    target: &Processor,
    device: Option<&Device>,
    checks: Option<Checks>,
    memory: Memory,
    context: &'l Context,
) -> Result<(Module<'l>, Option<Kernels>)> {
    let signature = lowered.signature().clone();
    let module = lowered.module();
    let kernels = device.map(|device| device.compile(module)).transpose()?.flatten();
    if let (Some(kernels), Some(device)) = (&kernels, device) {
        kernels.embed(module, device);
    }
    let translated = target.translate(module, context)?;
    let exported = Exported { signature, symbol: ENTRY.to_string_lossy().into_owned(), checks };
    interface::add(&translated, &[exported], memory)?;
    if let Some(device) = device {
        let symbol = kernels.as_ref().map(|kernels| kernels.symbol.as_str());
        embed::call_runtime(&translated, device.flavour(), symbol)?;
        embed::constructors(&translated, symbol.unwrap_or_default())?;
    }
    target.optimize(&translated)?;
    Ok((translated, kernels))
}

/// Compiles a lowered function, and its kernels for a device, and links it.
pub fn compiled(
    lowered: &mut Lowered<'_, '_>,
    options: &ProcessorOptions,
    device: Option<&Device>,
) -> Result<Compiled> {
    Compiled::link(&code(lowered, &Processor::new(options)?, device, None, Memory::Host)?)
}
