//! Expands integers of more than 64 bits for SPIR-V.
//!
//! ```text
//!                                   %l = add i64 %xl, %yl
//! %s = add i65 %x, %y     ──▶       %carry = icmp ult i64 %l, %xl
//!                                   %h = add i64 (add i64 %xh, %yh), zext %carry
//! ```
//!
//! LLVM creates them when it replaces a loop by the closed form of its sum, and programs may use them, but SPIR-V does
//! not have them. They become pairs of 64-bit words, the low word first. The excess bits of the high word are
//! undefined; operations that depend on them clear them first.
use super::widths::{callee, is_signed, unknown};
use anyhow::Result;
use inkwell::{
    IntPredicate,
    builder::Builder,
    module::Module,
    types::{BasicTypeEnum, IntType},
    values::{BasicValueEnum, InstructionOpcode, InstructionValue, IntValue, PhiValue},
};
use std::collections::HashMap;

/// Bits per word, and of the widest supported integer.
const WORD: u32 = 64;
const WIDEST: u32 = 2 * WORD;

/// The low and the high word.
type Pair<'l> = [IntValue<'l>; 2];

/// Replaces integers of 65 to 128 bits. An error names an operation that cannot be replaced.
pub fn expand(module: &Module<'_>) -> Result<()> {
    let context = module.get_context();
    for function in module.get_functions() {
        let blocks = function.get_basic_block_iter();
        let instructions = blocks.flat_map(|block| block.get_instructions().collect::<Vec<_>>());
        let found: Vec<_> = instructions.filter(is_wide).collect();
        let mut pairs = Pairs { builder: context.create_builder(), word: context.i64_type(), known: HashMap::new() };
        for instruction in &found {
            match wide(instruction) {
                Some(_) => drop(pairs.instruction(*instruction)?),
                None => pairs.narrow(*instruction)?,
            }
        }
        for instruction in &found {
            let Some(pair) = pairs.known.get(instruction).copied() else { continue };
            if let Ok(phi) = PhiValue::try_from(*instruction) {
                pairs.fill(phi, pair)?;
            }
        }
        for instruction in &found {
            if let Some(ty) = wide(instruction) {
                // Its users are erased, too.
                IntValue::try_from(*instruction).into_iter().for_each(|old| old.replace_all_uses_with(ty.const_zero()));
            }
        }
        found.into_iter().for_each(InstructionValue::erase_from_basic_block);
    }
    Ok(())
}

/// Returns true for integers, or vectors of integers, of more than 64 bits.
fn exceeds(ty: BasicTypeEnum<'_>) -> bool {
    let element = match ty {
        BasicTypeEnum::VectorType(vector) => vector.get_element_type(),
        other => other,
    };
    matches!(element, BasicTypeEnum::IntType(element) if element.get_bit_width() > WORD)
}

/// Returns true if an instruction has an operand or a result of such a type.
fn is_wide(instruction: &InstructionValue<'_>) -> bool {
    let result = BasicTypeEnum::try_from(instruction.get_type()).ok();
    let operands = instruction.get_operands().filter_map(|operand| Some(operand?.value()?.get_type()));
    operands.chain(result).any(exceeds)
}

/// The result type of an instruction if it is such an integer.
fn wide<'l>(instruction: &InstructionValue<'l>) -> Option<IntType<'l>> {
    match BasicTypeEnum::try_from(instruction.get_type()) {
        Ok(BasicTypeEnum::IntType(ty)) if ty.get_bit_width() > WORD => Some(ty),
        _ => None,
    }
}

struct Pairs<'l> {
    builder: Builder<'l>,
    word: IntType<'l>,
    /// The replacements of instructions.
    known: HashMap<InstructionValue<'l>, Pair<'l>>,
}

impl<'l> Pairs<'l> {
    fn number(&self, number: u32) -> IntValue<'l> {
        self.word.const_int(u64::from(number), false)
    }

    /// The first `count` operands of an instruction, which must be integers.
    fn operands(&self, instruction: InstructionValue<'l>, count: u32) -> Result<Vec<IntValue<'l>>> {
        let operand = |i| match instruction.get_operand(i).and_then(|operand| operand.value()) {
            Some(BasicValueEnum::IntValue(value)) => Ok(value),
            _ => Err(unknown(&instruction.to_string())),
        };
        (0..count).map(operand).collect()
    }

    /// A value as words; those of a constant are folded.
    fn pair(&mut self, value: IntValue<'l>) -> Result<Pair<'l>> {
        match value.as_instruction() {
            Some(instruction) => self.instruction(instruction),
            None if value.is_const() => {
                let half = value.get_type().const_int(u64::from(WORD), false);
                let high = self.builder.build_right_shift(value, half, false, "")?;
                let word = |value| self.builder.build_int_truncate(value, self.word, "");
                Ok([word(value)?, word(high)?])
            }
            None => Err(unknown(&value.to_string())),
        }
    }

    /// The replacement of an instruction with a wide result.
    fn instruction(&mut self, instruction: InstructionValue<'l>) -> Result<Pair<'l>> {
        use InstructionOpcode as Code;
        if let Some(pair) = self.known.get(&instruction) {
            return Ok(*pair);
        }
        let code = instruction.get_opcode();
        let bits = wide(&instruction).map_or(WIDEST + 1, IntType::get_bit_width);
        if bits > WIDEST {
            return Err(unknown(&instruction.to_string()));
        }
        if code == Code::Phi {
            self.builder.position_before(&instruction);
            let phi =
                || Ok::<_, anyhow::Error>(self.builder.build_phi(self.word, "")?.as_basic_value().into_int_value());
            let pair = [phi()?, phi()?];
            self.known.insert(instruction, pair);
            return Ok(pair);
        }
        let count = if code == Code::Call { 2 } else { instruction.get_num_operands() };
        let operands = self.operands(instruction, count)?;
        let mut pairs = vec![];
        for operand in &operands {
            let is_wide = operand.get_type().get_bit_width() > WORD;
            pairs.push(if is_wide { Some(self.pair(*operand)?) } else { None });
        }
        let pair = |i: usize| pairs[i].ok_or_else(|| unknown(&instruction.to_string()));
        self.builder.position_before(&instruction);
        let b = &self.builder;
        let each = |apply: &dyn Fn(IntValue<'l>, IntValue<'l>) -> Result<IntValue<'l>>| -> Result<_> {
            let ([al, ah], [bl, bh]) = (pair(0)?, pair(1)?);
            Ok([apply(al, bl)?, apply(ah, bh)?])
        };
        let found = match code {
            Code::Add => self.add(pair(0)?, pair(1)?)?,
            Code::Sub => self.subtract(pair(0)?, pair(1)?)?,
            Code::Mul => self.multiply(pair(0)?, pair(1)?)?,
            Code::And => each(&|x, y| Ok(b.build_and(x, y, "")?))?,
            Code::Or => each(&|x, y| Ok(b.build_or(x, y, "")?))?,
            Code::Xor => each(&|x, y| Ok(b.build_xor(x, y, "")?))?,
            Code::Shl => self.left(pair(0)?, pair(1)?[0])?,
            Code::LShr => self.right(self.exact(pair(0)?, bits, false)?, pair(1)?[0], false)?,
            Code::AShr => self.right(self.exact(pair(0)?, bits, true)?, pair(1)?[0], true)?,
            Code::Trunc => pair(0)?,
            Code::ZExt | Code::SExt => {
                let is_signed = code == Code::SExt;
                match pairs[0] {
                    Some(pair) => self.exact(pair, operands[0].get_type().get_bit_width(), is_signed)?,
                    None => {
                        let low = b.build_int_cast_sign_flag(operands[0], self.word, is_signed, "")?;
                        let sign = || b.build_right_shift(low, self.number(WORD - 1), true, "");
                        [low, if is_signed { sign()? } else { self.word.const_zero() }]
                    }
                }
            }
            // No optimization follows, so the value does not change.
            Code::Freeze => pair(0)?,
            Code::Select => self.simple_from_data(operands[0], pair(1)?, pair(2)?)?,
            Code::Call => {
                let predicate = match callee(instruction).as_deref() {
                    Some("smin") => IntPredicate::SLT,
                    Some("smax") => IntPredicate::SGT,
                    Some("umin") => IntPredicate::ULT,
                    Some("umax") => IntPredicate::UGT,
                    _ => return Err(unknown(&instruction.to_string())),
                };
                let condition = self.compare(predicate, pair(0)?, pair(1)?, bits)?;
                self.simple_from_data(condition, pair(0)?, pair(1)?)?
            }
            _ => return Err(unknown(&instruction.to_string())),
        };
        self.known.insert(instruction, found);
        Ok(found)
    }

    /// Replaces an instruction with wide operands and a narrow result.
    fn narrow(&mut self, instruction: InstructionValue<'l>) -> Result<()> {
        let problem = || unknown(&instruction.to_string());
        let old = IntValue::try_from(instruction).map_err(|()| problem())?;
        let operands = match instruction.get_opcode() {
            InstructionOpcode::Trunc => self.operands(instruction, 1)?,
            InstructionOpcode::ICmp => self.operands(instruction, 2)?,
            _ => return Err(problem()),
        };
        let pairs = operands.iter().map(|operand| self.pair(*operand)).collect::<Result<Vec<_>>>()?;
        self.builder.position_before(&instruction);
        let new = match (&pairs[..], instruction.get_icmp_predicate()) {
            ([one, other], Some(predicate)) => {
                self.compare(predicate, *one, *other, operands[0].get_type().get_bit_width())?
            }
            ([one], None) => self.builder.build_int_cast_sign_flag(one[0], old.get_type(), false, "")?,
            _ => return Err(problem()),
        };
        old.replace_all_uses_with(new);
        Ok(())
    }

    fn add(&self, [al, ah]: Pair<'l>, [bl, bh]: Pair<'l>) -> Result<Pair<'l>> {
        let b = &self.builder;
        let low = b.build_int_add(al, bl, "")?;
        let carry = b.build_int_compare(IntPredicate::ULT, low, al, "")?;
        let carry = b.build_int_z_extend(carry, self.word, "")?;
        Ok([low, b.build_int_add(b.build_int_add(ah, bh, "")?, carry, "")?])
    }

    fn subtract(&self, [al, ah]: Pair<'l>, [bl, bh]: Pair<'l>) -> Result<Pair<'l>> {
        let b = &self.builder;
        let borrow = b.build_int_compare(IntPredicate::ULT, al, bl, "")?;
        let borrow = b.build_int_z_extend(borrow, self.word, "")?;
        Ok([b.build_int_sub(al, bl, "")?, b.build_int_sub(b.build_int_sub(ah, bh, "")?, borrow, "")?])
    }

    fn multiply(&self, [al, ah]: Pair<'l>, [bl, bh]: Pair<'l>) -> Result<Pair<'l>> {
        let b = &self.builder;
        let crossed = b.build_int_add(b.build_int_mul(al, bh, "")?, b.build_int_mul(ah, bl, "")?, "")?;
        let high = b.build_int_add(self.high_product(al, bl)?, crossed, "")?;
        Ok([b.build_int_mul(al, bl, "")?, high])
    }

    /// The high word of the product of two words, computed from half words.
    fn high_product(&self, x: IntValue<'l>, y: IntValue<'l>) -> Result<IntValue<'l>> {
        let b = &self.builder;
        let low = |value| b.build_and(value, self.word.const_int(u64::from(u32::MAX), false), "");
        let high = |value| b.build_right_shift(value, self.number(WORD / 2), false, "");
        let (xl, xh, yl, yh) = (low(x)?, high(x)?, low(y)?, high(y)?);
        let [ll, lh, hl, hh] = [(xl, yl), (xl, yh), (xh, yl), (xh, yh)].map(|(x, y)| b.build_int_mul(x, y, ""));
        let (lh, hl) = (lh?, hl?);
        let middle = b.build_int_add(b.build_int_add(high(ll?)?, low(lh)?, "")?, low(hl)?, "")?;
        let upper = b.build_int_add(b.build_int_add(hh?, high(lh)?, "")?, high(hl)?, "")?;
        Ok(b.build_int_add(upper, high(middle)?, "")?)
    }

    /// The shift within a word, 63 minus that shift, and whether the shift crosses words.
    fn distance(&self, by: IntValue<'l>) -> Result<(IntValue<'l>, IntValue<'l>, IntValue<'l>)> {
        let b = &self.builder;
        let inside = b.build_and(by, self.number(WORD - 1), "")?;
        let back = b.build_xor(inside, self.number(WORD - 1), "")?;
        let exceeds = b.build_int_compare(IntPredicate::UGE, by, self.number(WORD), "")?;
        Ok((inside, back, exceeds))
    }

    fn left(&self, [low, high]: Pair<'l>, by: IntValue<'l>) -> Result<Pair<'l>> {
        let b = &self.builder;
        let (inside, back, exceeds) = self.distance(by)?;
        let moved = b.build_left_shift(low, inside, "")?;
        // Shifts in two steps, because a shift by the whole width is undefined.
        let over = b.build_right_shift(b.build_right_shift(low, self.number(1), false, "")?, back, false, "")?;
        let near = [moved, b.build_or(b.build_left_shift(high, inside, "")?, over, "")?];
        self.simple_from_data(exceeds, [self.word.const_zero(), moved], near)
    }

    fn right(&self, [low, high]: Pair<'l>, by: IntValue<'l>, is_signed: bool) -> Result<Pair<'l>> {
        let b = &self.builder;
        let (inside, back, exceeds) = self.distance(by)?;
        let moved = b.build_right_shift(high, inside, is_signed, "")?;
        let over = b.build_left_shift(b.build_left_shift(high, self.number(1), "")?, back, "")?;
        let near = [b.build_or(b.build_right_shift(low, inside, false, "")?, over, "")?, moved];
        let sign = b.build_right_shift(high, self.number(WORD - 1), true, "")?;
        let fill = if is_signed { sign } else { self.word.const_zero() };
        self.simple_from_data(exceeds, [moved, fill], near)
    }

    fn simple_from_data(&self, condition: IntValue<'l>, then: Pair<'l>, otherwise: Pair<'l>) -> Result<Pair<'l>> {
        let select = |i: usize| -> Result<_> {
            Ok(self.builder.build_select(condition, then[i], otherwise[i], "")?.into_int_value())
        };
        Ok([select(0)?, select(1)?])
    }

    /// A comparison of integers of `bits` bits.
    fn compare(&self, predicate: IntPredicate, one: Pair<'l>, other: Pair<'l>, bits: u32) -> Result<IntValue<'l>> {
        use IntPredicate::{EQ, NE, SGE, SGT, SLE, SLT, UGE, UGT, ULE, ULT};
        let b = &self.builder;
        let is_signed = is_signed(predicate);
        let [[al, ah], [bl, bh]] = [self.exact(one, bits, is_signed)?, self.exact(other, bits, is_signed)?];
        let low = match predicate {
            SLT => ULT,
            SLE => ULE,
            SGT => UGT,
            SGE => UGE,
            other => other,
        };
        let high = match predicate {
            SLE => SLT,
            SGE => SGT,
            ULE => ULT,
            UGE => UGT,
            other => other,
        };
        let (low, high) = (b.build_int_compare(low, al, bl, "")?, b.build_int_compare(high, ah, bh, "")?);
        Ok(match predicate {
            EQ => b.build_and(low, high, "")?,
            NE => b.build_or(low, high, "")?,
            _ => {
                let same = b.build_int_compare(EQ, ah, bh, "")?;
                b.build_or(high, b.build_and(same, low, "")?, "")?
            }
        })
    }

    /// A value of `bits` bits with its excess bits cleared or, if signed, set to the sign.
    fn exact(&self, [low, high]: Pair<'l>, bits: u32, is_signed: bool) -> Result<Pair<'l>> {
        let missing = WIDEST - bits;
        if missing == 0 {
            return Ok([low, high]);
        }
        let missing = self.number(missing);
        let high = self.builder.build_left_shift(high, missing, "")?;
        Ok([low, self.builder.build_right_shift(high, missing, is_signed, "")?])
    }

    /// Adds the incoming values to the phis that replace another.
    fn fill(&mut self, old: PhiValue<'l>, new: Pair<'l>) -> Result<()> {
        let new = new.map(|new| new.as_instruction().and_then(|new| PhiValue::try_from(new).ok()));
        for (value, block) in old.get_incomings() {
            let pair = self.pair(value.into_int_value())?;
            for (phi, value) in new.iter().flatten().zip(&pair) {
                phi.add_incoming(&[(value, block)]);
            }
        }
        Ok(())
    }
}
