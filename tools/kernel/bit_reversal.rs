//! Reversals of bits for SPIR-V.
//!
//! ```text
//! %n = trunc i64 %x to i2
//! %r = llvm.bitreverse.i2(%n)   ──▶   %y = (%x & 1) << 1 | (%x >> 1) & 1
//! %y = zext i2 %r to i64
//! ```
//!
//! LLVM makes them of numbers whose digits change places. SPIR-V has them for graphics only, and no integers of other widths than bytes.
use super::functions::calls;
use anyhow::Result;
use inkwell::{
    module::Module,
    types::BasicTypeEnum,
    values::{AnyValueEnum, BasicValueEnum, InstructionOpcode, InstructionValue, IntValue},
};

/// Replaces reversals of bits.
pub fn expand(module: &Module<'_>) -> Result<()> {
    let context = module.get_context();
    let builder = context.create_builder();
    for function in module.get_functions() {
        if !function.get_name().to_bytes().starts_with(b"llvm.bitreverse.i") {
            continue;
        }
        for call in calls(module, function) {
            let Some(value) = operand(&call) else { continue };
            let bits = value.get_type().get_bit_width();
            let truncation = value.as_instruction().filter(|value| value.get_opcode() == InstructionOpcode::Trunc);
            let value = truncation.and_then(|truncation| operand(&truncation)).unwrap_or(value);
            let wide = value.get_type();
            let number = |number: u32| wide.const_int(u64::from(number), false);
            builder.position_before(&call);
            let mut reversed = wide.const_zero();
            for bit in 0..bits {
                let low = builder.build_right_shift(value, number(bit), false, "")?;
                let low = builder.build_and(low, number(1), "")?;
                let moved = builder.build_left_shift(low, number(bits - 1 - bit), "")?;
                reversed = builder.build_or(reversed, moved, "")?;
            }
            let users: Vec<_> = std::iter::successors(call.get_first_use(), |used| used.get_next_use())
                .filter_map(|used| match used.get_user() {
                    AnyValueEnum::IntValue(user) => user.as_instruction(),
                    _ => None,
                })
                .filter(|user| user.get_opcode() == InstructionOpcode::ZExt)
                .collect();
            for user in users {
                let Ok(BasicTypeEnum::IntType(r#type)) = BasicTypeEnum::try_from(user.get_type()) else { continue };
                let resized = builder.build_int_cast_sign_flag(reversed, r#type, false, "")?;
                if let Some(resized) = resized.as_instruction() {
                    user.replace_all_uses_with(&resized);
                    user.erase_from_basic_block();
                }
            }
            let narrow =
                builder.build_int_truncate_or_bit_cast(reversed, operand(&call).map_or(wide, |o| o.get_type()), "")?;
            if let Some(narrow) = narrow.as_instruction() {
                call.replace_all_uses_with(&narrow);
                call.erase_from_basic_block();
            }
        }
    }
    Ok(())
}

/// The first operand, if it is an integer.
fn operand<'l>(instruction: &InstructionValue<'l>) -> Option<IntValue<'l>> {
    match instruction.get_operand(0)?.value()? {
        BasicValueEnum::IntValue(value) => Some(value),
        _ => None,
    }
}
