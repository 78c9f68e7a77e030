//! Expands bit reversals for SPIR-V.
//!
//! ```text
//! %r = llvm.bitreverse.i2(%n)   ──▶   %r = (%n & 1) << 1 | (%n >> 1) & 1
//! ```
//!
//! LLVM forms them from code that permutes the bits of a number. SPIR-V allows them in shaders only. `widths.rs` widens
//! the results of odd width.
use crate::llvm::calls;
use anyhow::Result;
use inkwell::{module::Module, values::BasicValueEnum};

/// Replaces bit reversals.
pub fn expand(module: &Module<'_>) -> Result<()> {
    let context = module.get_context();
    let builder = context.create_builder();
    for function in module.get_functions() {
        if !function.get_name().to_bytes().starts_with(b"llvm.bitreverse.i") {
            continue;
        }
        for call in calls(module, function) {
            let Some(BasicValueEnum::IntValue(value)) = call.get_operand(0).and_then(|operand| operand.value()) else {
                continue;
            };
            let ty = value.get_type();
            let bits = ty.get_bit_width();
            let number = |number: u32| ty.const_int(u64::from(number), false);
            builder.position_before(&call);
            let mut reversed = ty.const_zero();
            for bit in 0..bits {
                let low = builder.build_right_shift(value, number(bit), false, "")?;
                let low = builder.build_and(low, number(1), "")?;
                let moved = builder.build_left_shift(low, number(bits - 1 - bit), "")?;
                reversed = builder.build_or(reversed, moved, "")?;
            }
            if let Some(reversed) = reversed.as_instruction() {
                call.replace_all_uses_with(&reversed);
                call.erase_from_basic_block();
            }
        }
    }
    Ok(())
}
