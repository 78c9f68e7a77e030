//! Narrows loop counters of kernels, and values derived from them, to 32 bits if constants prove that they are small.
//!
//! ```text
//! %i = phi i64 [ 0, .. ], [ %n, .. ]           %j = phi i32 [ 0, .. ], [ %m, .. ]
//! %k = or disjoint i64 %i, (zext i32 %t)       %l = or disjoint i32 %j, %t
//! %o = mul nuw nsw i64 %k, 56             ──▶  %o = mul nuw nsw i64 (zext nneg i32 %l), 56
//! %n = add i64 %i, 32                          %m = add nuw nsw i32 %j, 32
//! %c = icmp eq i64 %n, 1024                    %c = icmp eq i32 %m, 1024
//! ```
//!
//! On a GPU, 64-bit arithmetic takes several instructions and pairs of registers. Narrowing before LLVM's optimizations
//! would cost more than it saves: LLVM would lose the no-wrap flags of sums, and could not fold constants into
//! addresses. After those optimizations, the constants are already separate.
//!
//! Each value is proved individually to be at most [`MOST`], from constants, the ranges of thread and block IDs, and
//! loops with constant bounds. Other values stay wide: those that depend on dynamic extents, and those past 2^31
//! elements. So do addresses, and products that only addresses use, because a multiply-add of 32 bits to 64 bits is one
//! instruction. Values outside of loops stay wide, too: they cost little, and narrowing them tends to need more
//! registers.
use anyhow::Result;
use inkwell::{
    IntPredicate,
    basic_block::BasicBlock,
    builder::Builder,
    module::Module,
    types::{BasicTypeEnum, IntType},
    values::{BasicValueEnum, FunctionValue, InstructionOpcode as Code, InstructionValue, IntValue, PhiValue},
};
use std::collections::{HashMap, HashSet};

/// The largest number that is the same as a signed and as an unsigned 32-bit integer.
const MOST: u64 = i32::MAX as u64;

/// The width of indices and addresses, in bits.
const WIDE: u32 = u64::BITS;

/// Narrows the loop counters of all functions.
pub fn narrow(module: &Module<'_>) -> Result<()> {
    let context = module.get_context();
    for function in module.get_functions() {
        let instructions = instructions(function);
        let narrowed = simple_from_data(&instructions);
        let mut narrowing = Narrowing {
            builder: context.create_builder(),
            narrow: context.i32_type(),
            known: HashMap::new(),
            narrowed,
        };
        narrowing.rewrite(&instructions)?;
    }
    Ok(())
}

fn instructions(function: FunctionValue<'_>) -> Vec<InstructionValue<'_>> {
    function.get_basic_block_iter().flat_map(|block| block.get_instructions().collect::<Vec<_>>()).collect()
}

/// The result type of an instruction if it is an integer.
fn integer<'l>(instruction: InstructionValue<'l>) -> Option<IntType<'l>> {
    match BasicTypeEnum::try_from(instruction.get_type()) {
        Ok(BasicTypeEnum::IntType(ty)) => Some(ty),
        _ => None,
    }
}

fn operand<'l>(instruction: InstructionValue<'l>, i: u32) -> Option<IntValue<'l>> {
    match instruction.get_operand(i)?.value()? {
        BasicValueEnum::IntValue(value) => Some(value),
        _ => None,
    }
}

/// The integer operands that the result depends on.
fn sources<'l>(instruction: InstructionValue<'l>) -> Option<Vec<IntValue<'l>>> {
    let phi = PhiValue::try_from(instruction).ok();
    match instruction.get_opcode() {
        Code::Phi => phi?.get_incomings().map(|(value, _)| integer_value(value)).collect(),
        Code::Select => Some(vec![operand(instruction, 1)?, operand(instruction, 2)?]),
        Code::Add
        | Code::Sub
        | Code::Mul
        | Code::Shl
        | Code::LShr
        | Code::And
        | Code::Or
        | Code::UDiv
        | Code::URem
        | Code::ICmp => Some(vec![operand(instruction, 0)?, operand(instruction, 1)?]),
        _ => None,
    }
}

fn integer_value(value: BasicValueEnum<'_>) -> Option<IntValue<'_>> {
    if let BasicValueEnum::IntValue(value) = value { Some(value) } else { None }
}

/// The instructions to compute in 32 bits: those with small results, and comparisons of small operands.
fn simple_from_data<'l>(instructions: &[InstructionValue<'l>]) -> HashSet<InstructionValue<'l>> {
    let mut bounds = Bounds { known: HashMap::new() };
    let mut users: HashMap<InstructionValue<'l>, Vec<InstructionValue<'l>>> = HashMap::new();
    for user in instructions {
        let operands = user.get_operands().filter_map(|operand| integer_value(operand?.value()?)?.as_instruction());
        operands.for_each(|operand| users.entry(operand).or_default().push(*user));
    }
    let mut fits = |instruction: &InstructionValue<'l>| {
        let Some(sources) = sources(*instruction) else { return false };
        sources.iter().all(|source| source.get_type().get_bit_width() == WIDE && bounds.of(*source) <= MOST)
            && (instruction.get_opcode() == Code::ICmp || bounds.of_instruction(*instruction) <= MOST)
    };
    let small: HashSet<_> = instructions.iter().copied().filter(|instruction| fits(instruction)).collect();
    let is_counter = |instruction: &InstructionValue<'l>| Counter::of(*instruction).is_some();
    let mut excluded = HashSet::new();
    loop {
        let mut reached: HashSet<_> = small.iter().copied().filter(is_counter).collect();
        let mut sources: Vec<_> = reached.iter().copied().collect();
        while let Some(source) = sources.pop() {
            // Values of other widths are followed, too, because they may lead to more candidates.
            for user in users.get(&source).into_iter().flatten().filter(|user| integer(**user).is_some()) {
                if !excluded.contains(user) && reached.insert(*user) {
                    sources.push(*user);
                }
            }
        }
        let chosen: HashSet<_> = small.intersection(&reached).copied().collect();
        let is_for_address = |instruction: &&InstructionValue<'l>| {
            let is_product = [Code::Mul, Code::Shl].contains(&instruction.get_opcode());
            is_product && users.get(*instruction).is_none_or(|users| users.iter().all(|user| !chosen.contains(user)))
        };
        let count = excluded.len();
        excluded.extend(chosen.iter().filter(is_for_address).copied());
        if excluded.len() == count {
            return chosen;
        }
    }
}

/// Upper bounds of values as unsigned numbers.
struct Bounds<'l> {
    known: HashMap<InstructionValue<'l>, u64>,
}

impl<'l> Bounds<'l> {
    fn of(&mut self, value: IntValue<'l>) -> u64 {
        match value.as_instruction() {
            Some(instruction) => self.of_instruction(instruction),
            None => value.get_zero_extended_constant().unwrap_or(all(value.get_type())),
        }
    }

    fn of_instruction(&mut self, instruction: InstructionValue<'l>) -> u64 {
        let Some(ty) = integer(instruction) else { return u64::MAX };
        if let Some(bound) = self.known.get(&instruction) {
            return *bound;
        }
        // A cyclic dependence that is not a loop counter may have any value.
        self.known.insert(instruction, all(ty));
        let bound = self.derive(instruction).unwrap_or(u64::MAX).min(all(ty));
        self.known.insert(instruction, bound);
        bound
    }

    /// The bound of a result that does not overflow; `None` if nothing is known.
    fn derive(&mut self, instruction: InstructionValue<'l>) -> Option<u64> {
        let all = all(integer(instruction)?);
        let fits = |bound: &u64| *bound <= all;
        let code = instruction.get_opcode();
        if code == Code::ZExt {
            let source = operand(instruction, 0)?;
            let sign = source.get_type().get_bit_width() - 1;
            let is_positive = instruction.get_non_negative_flag().is_ok_and(|flag| flag);
            return Some(self.of(source).min(if is_positive { (1 << sign) - 1 } else { u64::MAX }));
        }
        if code == Code::Call {
            return range(instruction);
        }
        if let Some(counter) = Counter::of(instruction) {
            return counter.most().filter(fits);
        }
        let sources = sources(instruction)?;
        if code == Code::Phi || code == Code::Select {
            return sources.into_iter().map(|source| self.of(source)).max();
        }
        let (left, right) = (self.of(*sources.first()?), self.of(*sources.get(1)?));
        let constant = sources.get(1)?.get_zero_extended_constant();
        match code {
            Code::Add => left.checked_add(right).filter(fits),
            Code::Mul => left.checked_mul(right).filter(fits),
            Code::Shl => left.checked_mul(1u64.checked_shl(u32::try_from(constant?).ok()?)?).filter(fits),
            Code::Sub => instruction.get_no_unsigned_wrap_flag().is_ok_and(|flag| flag).then_some(left),
            Code::LShr => left.checked_shr(u32::try_from(constant?).ok()?),
            Code::And => Some(left.min(right)),
            Code::Or => left.max(right).checked_add(1)?.checked_next_power_of_two().map(|power| power - 1),
            Code::UDiv => left.checked_div(constant?),
            Code::URem => Some(left.min(constant?.checked_sub(1)?)),
            _ => None,
        }
    }
}

/// The largest value of a type.
fn all(ty: IntType<'_>) -> u64 {
    u64::MAX >> 64u32.saturating_sub(ty.get_bit_width()).min(63)
}

/// The largest result of a call according to its `range` attribute, which upstream attaches to thread and block IDs.
fn range(call: InstructionValue<'_>) -> Option<u64> {
    let text = call.to_string();
    // The name of the callee is followed by the ranges of its arguments.
    let (low, high) = text.split_once('@')?.0.split_once("range(i32 ")?.1.split_once(')')?.0.split_once(", ")?;
    let (low, high): (u64, u64) = (low.parse().ok()?, high.parse().ok()?);
    (low < high).then(|| high - 1)
}

/// A loop counter with a constant start and step, in a loop with a constant bound.
struct Counter {
    start: u64,
    step: u64,
    end: End,
}

/// The condition for another iteration of the loop.
enum End {
    /// The counter is not equal to this.
    Before(u64),
    /// The counter is less than this.
    Below(u64),
    /// The counter of the next iteration is not equal to this.
    NextBefore(u64),
    /// The counter of the next iteration is less than this.
    NextBelow(u64),
}

impl Counter {
    fn of(phi: InstructionValue<'_>) -> Option<Self> {
        let incomings: Vec<_> = PhiValue::try_from(phi).ok()?.get_incomings().collect();
        let [one, other] = incomings.try_into().ok()?;
        Self::from(phi, one, other).or_else(|| Self::from(phi, other, one))
    }

    fn from<'l>(phi: InstructionValue<'l>, enter: Incoming<'l>, back: Incoming<'l>) -> Option<Self> {
        let start = integer_value(enter.0)?.get_zero_extended_constant()?;
        let next = integer_value(back.0)?.as_instruction().filter(|next| next.get_opcode() == Code::Add)?;
        let step = operand(next, 1)?.get_zero_extended_constant()?;
        if operand(next, 0)?.as_instruction() != Some(phi) || step > MOST {
            return None;
        }
        let branch = back.1.get_terminator().filter(|branch| branch.get_num_operands() == 3)?;
        let condition = operand(branch, 0)?.as_instruction().filter(|c| c.get_opcode() == Code::ICmp)?;
        // The operands of a branch are its condition, the false destination, and the true destination.
        let goes_back = |i: u32| branch.get_operand(i).and_then(|operand| operand.block()) == phi.get_parent();
        let (if_false, if_true) = (goes_back(1), goes_back(2));
        let (value, limit) = (operand(condition, 0)?.as_instruction()?, operand(condition, 1)?);
        let limit = limit.get_zero_extended_constant().filter(|limit| *limit <= MOST)?;
        let is_next = value == next;
        if if_false == if_true || !(is_next || value == phi) {
            return None;
        }
        let end = match (condition.get_icmp_predicate()?, if_true) {
            (IntPredicate::NE, true) | (IntPredicate::EQ, false) if is_next => End::NextBefore(limit),
            (IntPredicate::NE, true) | (IntPredicate::EQ, false) => End::Before(limit),
            (IntPredicate::ULT, true) | (IntPredicate::UGE, false) if is_next => End::NextBelow(limit),
            (IntPredicate::ULT, true) | (IntPredicate::UGE, false) => End::Below(limit),
            _ => return None,
        };
        Some(Self { start, step, end })
    }

    /// The largest value of the counter; `None` if the loop may step over its end.
    fn most(&self) -> Option<u64> {
        let Self { start, step, end } = self;
        // True if the steps hit the end exactly.
        let is_met = |end: u64| end.checked_sub(*start)?.checked_rem(*step).filter(|rest| *rest == 0);
        match *end {
            End::Before(end) => is_met(end).map(|_| end),
            End::NextBefore(end) => is_met(end).filter(|_| end > *start).map(|_| end - step),
            End::Below(end) => Some((end + step).max(*start)),
            End::NextBelow(end) => Some(end.max(*start)),
        }
    }
}

/// An incoming value of a phi, and its block.
type Incoming<'l> = (BasicValueEnum<'l>, BasicBlock<'l>);

struct Narrowing<'l> {
    builder: Builder<'l>,
    narrow: IntType<'l>,
    /// The instructions to compute in 32 bits.
    narrowed: HashSet<InstructionValue<'l>>,
    /// Their 32-bit results.
    known: HashMap<InstructionValue<'l>, IntValue<'l>>,
}

impl<'l> Narrowing<'l> {
    fn rewrite(&mut self, instructions: &[InstructionValue<'l>]) -> Result<()> {
        let found: Vec<_> = instructions.iter().copied().filter(|i| self.narrowed.contains(i)).collect();
        for instruction in &found {
            self.instruction(*instruction)?;
        }
        for instruction in &found {
            let (Ok(old), Some(new)) = (PhiValue::try_from(*instruction), self.known.get(instruction).copied()) else {
                continue;
            };
            let new = new.as_instruction().and_then(|new| PhiValue::try_from(new).ok());
            for (value, block) in old.get_incomings() {
                let value = self.value(value.into_int_value(), block.get_terminator())?;
                if let Some(new) = new {
                    new.add_incoming(&[(&value, block)]);
                }
            }
        }
        for instruction in &found {
            let Some(new) = self.known.get(instruction).copied() else { continue };
            let Ok(old) = IntValue::try_from(*instruction) else { continue };
            if old.get_type() == new.get_type() {
                old.replace_all_uses_with(new);
                continue;
            }
            let mut place = *instruction;
            while place.get_opcode() == Code::Phi {
                let Some(next) = place.get_next_instruction() else { break };
                place = next;
            }
            self.builder.position_before(&place);
            let wide = self.builder.build_int_z_extend(new, old.get_type(), "")?;
            if let Some(extension) = wide.as_instruction() {
                extension.set_non_negative_flag(true)?;
            }
            old.replace_all_uses_with(wide);
        }
        found.into_iter().for_each(InstructionValue::erase_from_basic_block);
        Ok(())
    }

    /// A value in 32 bits, inserted before its user.
    fn value(&mut self, value: IntValue<'l>, user: Option<InstructionValue<'l>>) -> Result<IntValue<'l>> {
        if let Some(constant) = value.get_zero_extended_constant() {
            return Ok(self.narrow.const_int(constant, false));
        }
        if let Some(instruction) = value.as_instruction().filter(|source| self.narrowed.contains(source)) {
            return self.instruction(instruction);
        }
        if let Some(user) = user {
            self.builder.position_before(&user);
        }
        Ok(self.builder.build_int_truncate(value, self.narrow, "")?)
    }

    fn instruction(&mut self, instruction: InstructionValue<'l>) -> Result<IntValue<'l>> {
        if let Some(known) = self.known.get(&instruction) {
            return Ok(*known);
        }
        let code = instruction.get_opcode();
        if code == Code::Phi {
            self.builder.position_before(&instruction);
            let phi = self.builder.build_phi(self.narrow, "")?.as_basic_value().into_int_value();
            self.known.insert(instruction, phi);
            return Ok(phi);
        }
        let sources = sources(instruction).unwrap_or_default();
        let values: Vec<_> =
            sources.into_iter().map(|source| self.value(source, Some(instruction))).collect::<Result<_>>()?;
        let (left, right) = (values[0], values[1]);
        self.builder.position_before(&instruction);
        let new = match (code, instruction.get_icmp_predicate()) {
            (_, Some(predicate)) => self.builder.build_int_compare(predicate, left, right, "")?,
            (Code::Select, _) => {
                let condition = operand(instruction, 0).map_or(self.narrow.const_zero(), |condition| condition);
                self.builder.build_select(condition, left, right, "")?.into_int_value()
            }
            _ => self.builder.build_binop(code, BasicValueEnum::from(left), right.into(), "")?.into_int_value(),
        };
        if let Some(new) = new.as_instruction() {
            match code {
                Code::Add | Code::Sub | Code::Mul | Code::Shl => {
                    new.set_no_unsigned_wrap_flag(true)?;
                    new.set_no_signed_wrap_flag(true)?;
                }
                Code::Or => new.set_disjoint_flag(instruction.get_disjoint_flag()?)?,
                _ => {}
            }
        }
        self.known.insert(instruction, new);
        Ok(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkwell::{context::Context, memory_buffer::MemoryBuffer};

    /// A kernel with a loop from `start` by `step`, after narrowing. In iteration `i`, each thread accesses element
    /// `32 * i + thread`, of 56 bytes each.
    fn narrowed(start: &str, step: &str, condition: &str) -> String {
        narrowed_threads("0, 32", start, step, condition)
    }

    /// The same, for another range of thread IDs.
    fn narrowed_threads(range: &str, start: &str, step: &str, condition: &str) -> String {
        let text = format!(
            "declare i32 @thread()
             define void @kernel(ptr %x, i64 %extent) {{
             entry:
               %thread = call range(i32 {range}) i32 @thread()
               %number = zext i32 %thread to i64
               br label %turn
             turn:
               %i = phi i64 [ {start}, %entry ], [ %next, %turn ]
               %tile = shl nuw nsw i64 %i, 5
               %element = or disjoint i64 %tile, %number
               %bytes = mul nuw nsw i64 %element, 56
               %address = getelementptr i8, ptr %x, i64 %bytes
               store i8 0, ptr %address
               %next = add i64 %i, {step}
               %condition = icmp {condition}
               br i1 %condition, label %turn, label %exit
             exit:
               ret void
             }}"
        );
        let context = Context::create();
        let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "kernel");
        let llvm = context.create_module_from_ir(buffer).expect("a module");
        narrow(&llvm).expect("a module");
        llvm.verify().expect("a module that verifies");
        llvm.print_to_string().to_string()
    }

    const COUNTER: &str = "phi i32 [ 0, %entry ]";
    const ELEMENT: &str = "or disjoint i32";

    #[test]
    fn small_numbers_have_32_bits() {
        let text = narrowed("0", "1", "ne i64 %next, 100");
        for part in [COUNTER, "shl nuw nsw i32", ELEMENT, "add nuw nsw i32", "icmp ne i32", "zext nneg i32"] {
            assert!(text.contains(part), "no '{part}' in {text}");
        }
        // Only an address uses the product.
        assert!(text.contains("mul nuw nsw i64"), "{text}");
        assert!(!text.contains("phi i64") && !text.contains("icmp ne i64"), "{text}");
    }

    #[test]
    fn each_number_is_proved() {
        // 32 * 67108863 + 31 is the largest 31-bit number.
        for (limit, counter, element) in [
            (67_108_863, true, true),
            (67_108_864, true, true),
            (67_108_865, true, false),
            (2_147_483_647, true, false),
            (2_147_483_648u64, false, false),
            (4_294_967_297, false, false),
        ] {
            let text = narrowed("0", "1", &format!("ne i64 %next, {limit}"));
            assert_eq!((text.contains(COUNTER), text.contains(ELEMENT)), (counter, element), "{limit}: {text}");
        }
    }

    #[test]
    fn loops_end_at_constants() {
        for (start, step, condition, is_narrow) in [
            ("0", "4", "ne i64 %next, 100", true),
            ("0", "4", "ne i64 %i, 100", true),
            ("0", "7", "ult i64 %next, 100", true),
            ("0", "7", "ult i64 %i, 100", true),
            // The loop steps over its end.
            ("0", "3", "ne i64 %next, 100", false),
            ("0", "3", "ne i64 %i, 100", false),
            ("200", "4", "ne i64 %next, 100", false),
            ("100", "4", "ne i64 %next, 100", false),
            ("0", "0", "ne i64 %next, 100", false),
            // The loop continues from there.
            ("0", "1", "eq i64 %next, 1", false),
            ("0", "1", "ugt i64 %next, 100", false),
            ("0", "1", "ne i64 %next, %extent", false),
            ("%extent", "1", "ne i64 %next, 100", false),
            ("0", "%extent", "ult i64 %next, 100", false),
            ("0", "-1", "ult i64 %next, 100", false),
            ("0", "1", "ult i64 %number, 100", false),
        ] {
            let text = narrowed(start, step, condition);
            assert_eq!(text.contains("phi i32"), is_narrow, "{start} {step} {condition}: {text}");
        }
    }

    #[test]
    fn ranges_may_go_over_the_largest_number() {
        for (range, is_narrow) in [("0, 1024", true), ("1, 0", false), ("-8, 8", false), ("5, 3", false)] {
            let text = narrowed_threads(range, "0", "1", "ne i64 %next, 100");
            // A thread ID without a known range may be any 32-bit number.
            assert_eq!(text.contains(ELEMENT), is_narrow, "{range}: {text}");
        }
    }
}
