//! Expands asynchronous copies for architectures without them.
//!
//! ```text
//! cp.async.ca.shared.global.4(to, from)         store i32 (load i32 from), to
//! cp.async.commit.group                   ──▶
//! cp.async.wait.group 1
//! ```
//!
//! Synchronous copies need no wait: a barrier already follows the wait before other threads read the data.
use crate::llvm::calls;
use anyhow::{Error, Result};
use inkwell::{
    module::Module,
    values::{BasicValue, BasicValueEnum},
};
use std::num::NonZeroU32;

/// Bits per byte.
const BITS: NonZeroU32 = NonZeroU32::new(8).unwrap();
/// The prefix of the intrinsics.
const COPIES: &str = "llvm.nvvm.cp.async.";

/// Replaces asynchronous copies to shared memory with loads and stores.
pub fn expand_asynchronous_copies(module: &Module<'_>) -> Result<()> {
    let context = module.get_context();
    let builder = context.create_builder();
    for function in module.get_functions() {
        let name = function.get_name().to_string_lossy().into_owned();
        let Some(what) = name.strip_prefix(COPIES) else { continue };
        let bytes = what.split_once("shared.global.").and_then(|(_, bytes)| bytes.parse::<NonZeroU32>().ok());
        for call in calls(module, function) {
            let operand = |i: u32| call.get_operand(i)?.value().filter(|value| value.is_pointer_value());
            let pointer = |i: u32| operand(i).map(BasicValueEnum::into_pointer_value);
            if let Some(((bytes, to), from)) = bytes.zip(pointer(0)).zip(pointer(1)) {
                builder.position_before(&call);
                let ty = context.custom_width_int_type(bytes.saturating_mul(BITS)).map_err(Error::msg)?;
                let loaded = builder.build_load(ty, from, "")?;
                let store = builder.build_store(to, loaded)?;
                for access in loaded.as_instruction_value().into_iter().chain([store]) {
                    access.set_alignment(bytes.get()).map_err(Error::msg)?;
                }
            }
            call.erase_from_basic_block();
        }
    }
    Ok(())
}
