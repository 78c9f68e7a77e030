//! Widens integers of unusual width for SPIR-V.
//!
//! ```text
//! %n = trunc i64 %x to i63              %m = add i64 %x, -1
//! %m = add i63 %n, -1             ──▶   %l = shl i64 %m, 1
//! %y = sext i63 %m to i64               %y = ashr i64 %l, 1
//! ```
//!
//! LLVM creates them for loop counters, but SPIR-V does not have them, and LLVM's SPIR-V code generator widens them
//! without clearing the excess bits. Here, excess bits are undefined, and operations that depend on them clear them
//! first.
use anyhow::{Error, Result};
use inkwell::{
    IntPredicate,
    builder::Builder,
    context::ContextRef,
    module::Module,
    types::{BasicTypeEnum, IntType},
    values::{BasicValueEnum, InstructionOpcode, InstructionValue, IntValue, PhiValue},
};
use std::{collections::HashMap, num::NonZeroU32};

/// Widens integers of less than 64 bits whose width SPIR-V does not have. An error names an operation that cannot be
/// widened.
pub fn widen(module: &Module<'_>) -> Result<()> {
    let context = module.get_context();
    for function in module.get_functions() {
        let blocks = function.get_basic_block_iter();
        let instructions = blocks.flat_map(|block| block.get_instructions().collect::<Vec<_>>());
        let found: Vec<_> = instructions.filter(is_odd).collect();
        let mut widening = Widening { context, builder: context.create_builder(), wide: HashMap::new() };
        for instruction in &found {
            widening.instruction(*instruction)?;
        }
        for instruction in &found {
            let Some(wide) = widening.wide.get(instruction).copied() else { continue };
            if let Ok(phi) = PhiValue::try_from(*instruction) {
                widening.fill(phi, wide)?;
            }
        }
        for instruction in &found {
            let Some(wide) = widening.wide.get(instruction).copied() else { continue };
            let Ok(old) = IntValue::try_from(*instruction) else { continue };
            // Users of an integer of such a width are erased, too.
            let is_same = old.get_type() == wide.get_type();
            old.replace_all_uses_with(if is_same { wide } else { old.get_type().const_zero() });
        }
        found.into_iter().for_each(InstructionValue::erase_from_basic_block);
    }
    Ok(())
}

/// The smallest width of SPIR-V with at least `bits` bits; `None` if SPIR-V has the width, or if it is more than 64.
fn widened_width(bits: u32) -> Option<u32> {
    let widened_width = bits.next_power_of_two().max(8);
    (bits > 1 && bits != widened_width && widened_width <= 64).then_some(widened_width)
}

/// Returns true if an instruction has an operand or a result of such a width.
fn is_odd(instruction: &InstructionValue<'_>) -> bool {
    let result = BasicTypeEnum::try_from(instruction.get_type()).ok();
    let operands = instruction.get_operands().filter_map(|operand| Some(operand?.value()?.get_type()));
    let is_odd = |ty| matches!(ty, BasicTypeEnum::IntType(ty) if widened_width(ty.get_bit_width()).is_some());
    operands.chain(result).any(is_odd)
}

struct Widening<'l> {
    context: ContextRef<'l>,
    builder: Builder<'l>,
    /// The replacements of instructions.
    wide: HashMap<InstructionValue<'l>, IntValue<'l>>,
}

impl<'l> Widening<'l> {
    /// The widened type.
    fn r#type(&self, ty: IntType<'l>) -> Result<IntType<'l>> {
        let bits = ty.get_bit_width();
        let bits = NonZeroU32::new(widened_width(bits).unwrap_or(bits)).unwrap_or(NonZeroU32::MIN);
        self.context.custom_width_int_type(bits).map_err(Error::msg)
    }

    /// A value in its widened type.
    fn value(&mut self, value: IntValue<'l>) -> Result<IntValue<'l>> {
        let ty = self.r#type(value.get_type())?;
        if ty == value.get_type() {
            return Ok(value);
        }
        match value.as_instruction() {
            Some(instruction) => self.instruction(instruction),
            // A constant without a value is undefined.
            None if value.is_const() => Ok(ty.const_int(value.get_zero_extended_constant().unwrap_or(0), false)),
            None => Err(unknown(&value.to_string())),
        }
    }

    /// The replacement of an instruction.
    fn instruction(&mut self, instruction: InstructionValue<'l>) -> Result<IntValue<'l>> {
        use InstructionOpcode as Code;
        if let Some(wide) = self.wide.get(&instruction) {
            return Ok(*wide);
        }
        let BasicTypeEnum::IntType(ty) =
            BasicTypeEnum::try_from(instruction.get_type()).map_err(|()| unknown(&instruction.to_string()))?
        else {
            return Err(unknown(&instruction.to_string()));
        };
        let ty = self.r#type(ty)?;
        let code = instruction.get_opcode();
        if code == Code::Phi {
            self.builder.position_before(&instruction);
            let phi = self.builder.build_phi(ty, "")?.as_basic_value().into_int_value();
            self.wide.insert(instruction, phi);
            return Ok(phi);
        }
        let mut operands = vec![];
        let count = if code == Code::Call { 2 } else { instruction.get_num_operands() };
        for i in 0..count {
            let Some(BasicValueEnum::IntValue(value)) = instruction.get_operand(i).and_then(|operand| operand.value())
            else {
                return Err(unknown(&instruction.to_string()));
            };
            operands.push((self.value(value)?, value.get_type().get_bit_width()));
        }
        self.builder.position_before(&instruction);
        let raw = |i: usize| operands[i].0;
        let unsigned = |i: usize| self.exact(operands[i], false);
        let signed = |i: usize| self.exact(operands[i], true);
        let cast = |value, is_signed| self.builder.build_int_cast_sign_flag(value, ty, is_signed, "");
        let binary = |left: IntValue<'l>, right: IntValue<'l>| -> Result<_> {
            Ok(self.builder.build_binop(code, BasicValueEnum::from(left), right.into(), "")?.into_int_value())
        };
        let simple_from_data = |predicate, left, right| -> Result<_> {
            let condition = self.builder.build_int_compare(predicate, left, right, "")?;
            Ok(self.builder.build_select(condition, left, right, "")?.into_int_value())
        };
        let wide = match code {
            Code::Add | Code::Sub | Code::Mul | Code::And | Code::Or | Code::Xor => binary(raw(0), raw(1))?,
            Code::Shl => binary(raw(0), unsigned(1)?)?,
            Code::LShr | Code::UDiv | Code::URem => binary(unsigned(0)?, unsigned(1)?)?,
            Code::AShr => binary(signed(0)?, unsigned(1)?)?,
            Code::SDiv | Code::SRem => binary(signed(0)?, signed(1)?)?,
            Code::Trunc => cast(raw(0), false)?,
            Code::ZExt => cast(unsigned(0)?, false)?,
            Code::SExt => cast(signed(0)?, true)?,
            // No optimization follows, so the value does not change.
            Code::Freeze => raw(0),
            Code::Select => self.builder.build_select(raw(0), raw(1), raw(2), "")?.into_int_value(),
            Code::ICmp => {
                let predicate = instruction.get_icmp_predicate().ok_or_else(|| unknown(&instruction.to_string()))?;
                let (left, right) =
                    if is_signed(predicate) { (signed(0)?, signed(1)?) } else { (unsigned(0)?, unsigned(1)?) };
                self.builder.build_int_compare(predicate, left, right, "")?
            }
            Code::Call => match callee(instruction).as_deref() {
                Some("smin") => simple_from_data(IntPredicate::SLT, signed(0)?, signed(1)?)?,
                Some("smax") => simple_from_data(IntPredicate::SGT, signed(0)?, signed(1)?)?,
                Some("umin") => simple_from_data(IntPredicate::ULT, unsigned(0)?, unsigned(1)?)?,
                Some("umax") => simple_from_data(IntPredicate::UGT, unsigned(0)?, unsigned(1)?)?,
                _ => return Err(unknown(&instruction.to_string())),
            },
            _ => return Err(unknown(&instruction.to_string())),
        };
        self.wide.insert(instruction, wide);
        Ok(wide)
    }

    /// A value with its excess bits cleared or, if signed, set to the sign.
    fn exact(&self, (value, bits): (IntValue<'l>, u32), is_signed: bool) -> Result<IntValue<'l>> {
        let ty = value.get_type();
        let missing = ty.get_bit_width() - bits;
        if missing == 0 {
            return Ok(value);
        }
        if !is_signed {
            return Ok(self.builder.build_and(value, ty.const_int((1 << bits) - 1, false), "")?);
        }
        let missing = ty.const_int(u64::from(missing), false);
        let value = self.builder.build_left_shift(value, missing, "")?;
        Ok(self.builder.build_right_shift(value, missing, true, "")?)
    }

    /// Adds the incoming values to the phi that replaces another.
    fn fill(&mut self, old: PhiValue<'l>, new: IntValue<'l>) -> Result<()> {
        let new = new.as_instruction().and_then(|new| PhiValue::try_from(new).ok());
        for (value, block) in old.get_incomings() {
            let value = self.value(value.into_int_value())?;
            if let Some(new) = new {
                new.add_incoming(&[(&value, block)]);
            }
        }
        Ok(())
    }
}

/// Returns true for signed comparisons.
pub(super) fn is_signed(predicate: IntPredicate) -> bool {
    matches!(predicate, IntPredicate::SLT | IntPredicate::SLE | IntPredicate::SGT | IntPredicate::SGE)
}

/// The name of a called intrinsic without `llvm.` and its type suffix.
pub(super) fn callee(call: InstructionValue<'_>) -> Option<String> {
    let callee = call.get_operand(call.get_num_operands().checked_sub(1)?)?.value()?;
    let name = callee.get_name().to_str().ok()?.strip_prefix("llvm.")?;
    Some(name.split_once(".i")?.0.to_owned())
}

/// The error for an unsupported operation, given as text.
pub(super) fn unknown(text: &str) -> Error {
    Error::msg(format!(
        "SPIR-V requires integers of 8, 16, 32 or 64 bits, but the kernel has '{}'",
        text.trim_matches('"').trim()
    ))
}
