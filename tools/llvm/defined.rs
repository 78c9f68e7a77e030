//! Gives every instruction a defined result, so that what a program computes cannot be taken for impossible.
//!
//! ```text
//! %i = fptosi float %x to i64                      ──▶  %p = fptosi float %x to i64
//!                                                        %i = freeze i64 %p
//! %j = add nsw i64 %i, 1                            ──▶  %j = add i64 %i, 1
//! %q = sdiv i64 %j, %d                              ──▶  %q = sdiv i64 %j, %e      where %e is %d, or 1
//! ```
//!
//! LLVM may remove a check of an index that is poison, such as the integer of a float that is too large. A frozen value
//! is an arbitrary one, but the same for the check and for the access. Memory of the stack is zero at first, so that
//! nothing of the process is in it.
use inkwell::{
    llvm_sys::{
        LLVMFastMathNoInfs, LLVMFastMathNoNaNs, LLVMIntPredicate, LLVMOpcode, LLVMTypeKind, core::*, prelude::*,
        target::*,
    },
    module::Module,
};
use mdh_dialects::ir::{self, Builder};
use melior::ir::ValueLike as _;

/// Replaces the conversions of floats to integers in a module of the LLVM dialect: numbers that no integer is near become
/// the nearest one, and NaN becomes zero. LLVM IR would forget such conversions of constants.
pub fn saturate_conversions(module: &mut melior::ir::Module<'_>) {
    ir::rewrite(module, |root| {
        for (name, saturating) in [("llvm.fptosi", "llvm.fptosi.sat"), ("llvm.fptoui", "llvm.fptoui.sat")] {
            for conversion in ir::find(root, name) {
                let (b, operands, old) =
                    (Builder::before(conversion), ir::operands(conversion), ir::results(conversion)[0]);
                let (_, no_bundles) = b.segments(&[]);
                let attributes =
                    [("intrin", b.string(saturating)), b.segments(&[1, 0]), ("op_bundle_sizes", no_bundles)];
                ir::replace_uses(old, b.value("llvm.call_intrinsic", &operands, old.r#type(), &attributes));
                ir::erase(conversion);
            }
        }
    });
}

/// Changes all functions of a module, before any optimization.
pub fn define_results(module: &Module<'_>) {
    // SAFETY: the module is alive, nothing else changes it, and only instructions whose uses were replaced are erased.
    unsafe {
        let builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module.as_mut_ptr()));
        let layout = LLVMGetModuleDataLayout(module.as_mut_ptr());
        for function in list(LLVMGetFirstFunction(module.as_mut_ptr()), |function| LLVMGetNextFunction(function)) {
            for block in list(LLVMGetFirstBasicBlock(function), |block| LLVMGetNextBasicBlock(block)) {
                for instruction in list(LLVMGetFirstInstruction(block), |it| LLVMGetNextInstruction(it)) {
                    define(builder, layout, instruction);
                }
            }
        }
        LLVMDisposeBuilder(builder);
    }
}

/// The elements of a linked list of LLVM.
fn list<T>(first: *mut T, next: impl Fn(*mut T) -> *mut T) -> Vec<*mut T> {
    std::iter::successors(Some(first).filter(|it| !it.is_null()), |it| Some(next(*it)).filter(|it| !it.is_null()))
        .collect()
}

/// # Safety
/// The instruction is in a block of a module with the data layout, in the context of the builder.
unsafe fn define(builder: LLVMBuilderRef, layout: LLVMTargetDataRef, instruction: LLVMValueRef) {
    use LLVMOpcode::*;
    // SAFETY: as required of the caller; each function is called only for the instructions that it is for.
    unsafe {
        let opcode = LLVMGetInstructionOpcode(instruction);
        // Values are put together in an undefined one.
        if !matches!(opcode, LLVMInsertElement | LLVMInsertValue | LLVMShuffleVector) {
            define_constants(instruction);
        }
        match opcode {
            LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMTrunc => {
                LLVMSetNSW(instruction, 0);
                LLVMSetNUW(instruction, 0);
            }
            LLVMUDiv | LLVMSDiv | LLVMLShr | LLVMAShr => LLVMSetExact(instruction, 0),
            LLVMZExt | LLVMUIToFP => LLVMSetNNeg(instruction, 0),
            LLVMOr => LLVMSetIsDisjoint(instruction, 0),
            LLVMICmp => LLVMSetICmpSameSign(instruction, 0),
            LLVMGetElementPtr => LLVMGEPSetNoWrapFlags(instruction, 0),
            LLVMAlloca => clear(builder, layout, instruction),
            LLVMCall => define_intrinsic(instruction),
            _ => {}
        }
        // LLVM's C API adds flags to those of an instruction, and cannot remove any.
        let promises_numbers = LLVMCanValueUseFastMathFlags(instruction) != 0
            && LLVMGetFastMathFlags(instruction) & (LLVMFastMathNoNaNs | LLVMFastMathNoInfs) != 0;
        match opcode {
            LLVMUDiv | LLVMURem => replace_divisor(builder, instruction, false),
            LLVMSDiv | LLVMSRem => replace_divisor(builder, instruction, true),
            LLVMShl | LLVMLShr | LLVMAShr | LLVMFPToSI | LLVMFPToUI | LLVMLoad | LLVMExtractElement
            | LLVMInsertElement => freeze(builder, instruction),
            LLVMCall if intrinsic(instruction).is_some() => freeze(builder, instruction),
            // The operands of a phi are frozen.
            _ if promises_numbers && opcode != LLVMPHI => freeze(builder, instruction),
            _ => {}
        }
    }
}

/// Replaces operands that are undefined, or vectors of which a part is, by zeros.
///
/// # Safety
/// The argument is an instruction.
unsafe fn define_constants(instruction: LLVMValueRef) {
    // SAFETY: as required of the caller; the indices are below the number of operands.
    unsafe {
        for i in 0..LLVMGetNumOperands(instruction) as u32 {
            let operand = LLVMGetOperand(instruction, i);
            if operand.is_null() || LLVMIsConstant(operand) == 0 {
                continue;
            }
            let is_undefined = |value: LLVMValueRef| LLVMIsUndef(value) != 0 || LLVMIsPoison(value) != 0;
            let ty = LLVMTypeOf(operand);
            if is_undefined(operand) {
                LLVMSetOperand(instruction, i, LLVMConstNull(ty));
            } else if LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMVectorTypeKind {
                let lanes: Vec<_> =
                    (0..LLVMGetVectorSize(ty)).map(|lane| LLVMGetAggregateElement(operand, lane)).collect();
                if lanes.iter().all(|lane| !lane.is_null()) && lanes.iter().any(|lane| is_undefined(*lane)) {
                    let zero = LLVMConstNull(LLVMGetElementType(ty));
                    let defined = |lane: LLVMValueRef| if is_undefined(lane) { zero } else { lane };
                    let mut lanes: Vec<_> = lanes.into_iter().map(defined).collect();
                    LLVMSetOperand(instruction, i, LLVMConstVector(lanes.as_mut_ptr(), lanes.len() as u32));
                }
            }
        }
    }
}

/// The name of the intrinsic function that a call names.
///
/// # Safety
/// The argument is a call.
unsafe fn intrinsic(call: LLVMValueRef) -> Option<String> {
    // SAFETY: as required of the caller; LLVM's name of a value has the length that it returns.
    unsafe {
        let callee = LLVMGetCalledValue(call);
        let mut length = 0;
        let name = LLVMGetValueName2(callee, &mut length);
        let name = std::slice::from_raw_parts(name.cast::<u8>(), length);
        std::str::from_utf8(name).ok().filter(|name| name.starts_with("llvm.")).map(str::to_owned)
    }
}

/// Removes the promises of intrinsics: that a number is not zero, or not the least one, and assumptions.
///
/// # Safety
/// The argument is a call.
unsafe fn define_intrinsic(call: LLVMValueRef) {
    // SAFETY: as required of the caller; these intrinsics have a truth value as this operand.
    unsafe {
        let Some(name) = intrinsic(call) else { return };
        let promise = match &name {
            name if ["llvm.ctlz.", "llvm.cttz.", "llvm.abs."].iter().any(|start| name.starts_with(start)) => {
                Some((1, 0))
            }
            name if name == "llvm.assume" => Some((0, 1)),
            _ => None,
        };
        if let Some((operand, value)) = promise {
            let truth = LLVMTypeOf(LLVMGetOperand(call, operand));
            LLVMSetOperand(call, operand, LLVMConstInt(truth, value, 0));
        }
    }
}

/// Freezes the result of an instruction, if it is a number or a vector of numbers.
///
/// # Safety
/// The instruction is in a block, in the context of the builder.
unsafe fn freeze(builder: LLVMBuilderRef, instruction: LLVMValueRef) {
    use LLVMTypeKind::*;
    // SAFETY: as required of the caller. Such an instruction does not end its block, so that there is a next one.
    unsafe {
        let ty = LLVMTypeOf(instruction);
        let element = if LLVMGetTypeKind(ty) == LLVMVectorTypeKind { LLVMGetElementType(ty) } else { ty };
        let is_number = matches!(
            LLVMGetTypeKind(element),
            LLVMIntegerTypeKind | LLVMHalfTypeKind | LLVMBFloatTypeKind | LLVMFloatTypeKind | LLVMDoubleTypeKind
        );
        if !is_number || LLVMGetFirstUse(instruction).is_null() {
            return;
        }
        LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(instruction));
        let frozen = LLVMBuildFreeze(builder, instruction, c"".as_ptr());
        LLVMReplaceAllUsesWith(instruction, frozen);
        LLVMSetOperand(frozen, 0, instruction);
    }
}

/// Replaces a divisor that has no quotient by 1.
///
/// # Safety
/// The instruction is a division of integers in a block, in the context of the builder.
unsafe fn replace_divisor(builder: LLVMBuilderRef, division: LLVMValueRef, is_signed: bool) {
    // SAFETY: as required of the caller; all values have the type of the operands.
    unsafe {
        let (dividend, divisor) = (LLVMGetOperand(division, 0), LLVMGetOperand(division, 1));
        let ty = LLVMTypeOf(divisor);
        let (zero, all_ones) = (LLVMConstNull(ty), LLVMConstAllOnes(ty));
        if !LLVMIsAConstantInt(divisor).is_null() && divisor != zero && divisor != all_ones {
            return;
        }
        LLVMPositionBuilderBefore(builder, division);
        let equal = |one, other| LLVMBuildICmp(builder, LLVMIntPredicate::LLVMIntEQ, one, other, c"".as_ptr());
        let mut is_wrong = equal(divisor, zero);
        if is_signed {
            // The least number is the only one besides zero that is its own negative.
            let negative = LLVMBuildSub(builder, zero, dividend, c"".as_ptr());
            let is_own_negative = equal(negative, dividend);
            let both = LLVMBuildAnd(builder, is_own_negative, equal(divisor, all_ones), c"".as_ptr());
            is_wrong = LLVMBuildOr(builder, is_wrong, both, c"".as_ptr());
        }
        let one = LLVMBuildSub(builder, zero, all_ones, c"".as_ptr());
        LLVMSetOperand(division, 1, LLVMBuildSelect(builder, is_wrong, one, divisor, c"".as_ptr()));
    }
}

/// Sets memory of the stack to zero where it is allocated.
///
/// # Safety
/// The instruction allocates memory on the stack, in a block of a module with the data layout.
unsafe fn clear(builder: LLVMBuilderRef, layout: LLVMTargetDataRef, allocation: LLVMValueRef) {
    // SAFETY: as required of the caller. An allocation does not end its block.
    unsafe {
        let context = LLVMGetTypeContext(LLVMTypeOf(allocation));
        let (byte, word) = (LLVMInt8TypeInContext(context), LLVMInt64TypeInContext(context));
        LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(allocation));
        let bytes = LLVMABISizeOfType(layout, LLVMGetAllocatedType(allocation));
        let count = LLVMBuildZExtOrBitCast(builder, LLVMGetOperand(allocation, 0), word, c"".as_ptr());
        let size = LLVMBuildMul(builder, count, LLVMConstInt(word, bytes, 0), c"".as_ptr());
        LLVMBuildMemSet(builder, allocation, LLVMConstNull(byte), size, LLVMGetAlignment(allocation));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm;
    use inkwell::context::Context;

    /// The body of a function that has these instructions, with defined results.
    fn defined(body: &str) -> String {
        let context = Context::create();
        let text = format!(
            "declare i64 @llvm.ctlz.i64(i64, i1)\ndeclare void @llvm.assume(i1)\n\
             define i64 @f(i64 %a, i64 %b, float %x, ptr %p) {{\n{body}\n}}"
        );
        let empty = context.create_module("");
        let module = llvm::parse(&text, empty.get_context()).expect("LLVM IR");
        define_results(&module);
        module.verify().expect("valid LLVM IR");
        module.print_to_string().to_string()
    }

    #[test]
    fn what_may_be_poison_is_frozen() {
        for instruction in [
            "fptosi float %x to i64",
            "fptoui float %x to i64",
            "shl i64 %a, %b",
            "lshr i64 %a, %b",
            "ashr i64 %a, %b",
            "load i64, ptr %p",
        ] {
            let text = defined(&format!("%r = {instruction}\nret i64 %r"));
            assert!(text.contains("= freeze i64 %r"), "{text}");
            assert!(!text.contains("ret i64 %r\n"), "{text}");
        }
    }

    #[test]
    fn promises_are_removed() {
        for (instruction, without) in [
            ("add nsw nuw i64 %a, %b", "add i64 %a, %b"),
            ("shl nsw i64 %a, 3", "shl i64 %a, 3"),
            ("lshr exact i64 %a, 3", "lshr i64 %a, 3"),
            ("or disjoint i64 %a, %b", "or i64 %a, %b"),
            ("call i64 @llvm.ctlz.i64(i64 %a, i1 true)", "call i64 @llvm.ctlz.i64(i64 %a, i1 false)"),
        ] {
            let text = defined(&format!("%r = {instruction}\nret i64 %r"));
            assert!(text.contains(&format!("= {without}\n")), "{text}");
        }
        let text = defined("%y = fadd nnan ninf contract float %x, %x\n%r = fptosi float %y to i64\nret i64 %r");
        assert!(text.contains("freeze float %y"), "{text}");
        let text = defined("%c = icmp ult i64 %a, %b\ncall void @llvm.assume(i1 %c)\nret i64 %a");
        assert!(text.contains("assume(i1 true)"), "{text}");
    }

    #[test]
    fn divisors_and_constants_are_defined() {
        for division in ["sdiv", "srem", "udiv", "urem"] {
            let text = defined(&format!("%r = {division} i64 %a, %b\nret i64 %r"));
            assert!(text.contains("select") && !text.contains(&format!("{division} i64 %a, %b\n")), "{text}");
            let text = defined(&format!("%r = {division} i64 %a, 3\nret i64 %r"));
            assert!(!text.contains("select"), "{text}");
        }
        assert!(defined("%r = add i64 %a, poison\nret i64 %r").contains("add i64 %a, 0"));
        assert!(defined("ret i64 undef").contains("ret i64 0"));
        assert!(defined("%s = alloca [4 x i64]\n%r = load i64, ptr %s\nret i64 %r").contains("memset"));
    }
}
