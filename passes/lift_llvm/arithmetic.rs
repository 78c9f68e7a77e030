//! Operations of the LLVM dialect on numbers as those of `arith` and `math`.
//!
//! ```text
//! llvm.add %a, %b overflow<nsw>                  ──▶   arith.addi %a, %b overflow<nsw>
//! llvm.intr.fmuladd(%a, %b, %c)                  ──▶   %p = arith.mulf %a, %b fastmath<contract>
//!                                                      arith.addf %p, %c fastmath<contract>
//! ```
use mdh_dialects::{
    attributes::EXACT,
    ffi::properties,
    ir::{self, Builder, Op, Val},
};
use melior::ir::{Attribute, Type, TypeLike, ValueLike};

/// Operations with the same operands, results and predicates.
const SAME: [(&str, &str); 62] = [
    ("llvm.add", "arith.addi"),
    ("llvm.sub", "arith.subi"),
    ("llvm.mul", "arith.muli"),
    ("llvm.shl", "arith.shli"),
    ("llvm.sdiv", "arith.divsi"),
    ("llvm.udiv", "arith.divui"),
    ("llvm.srem", "arith.remsi"),
    ("llvm.urem", "arith.remui"),
    ("llvm.and", "arith.andi"),
    ("llvm.or", "arith.ori"),
    ("llvm.xor", "arith.xori"),
    ("llvm.lshr", "arith.shrui"),
    ("llvm.ashr", "arith.shrsi"),
    ("llvm.icmp", "arith.cmpi"),
    ("llvm.select", "arith.select"),
    ("llvm.sext", "arith.extsi"),
    ("llvm.zext", "arith.extui"),
    ("llvm.trunc", "arith.trunci"),
    ("llvm.intr.smax", "arith.maxsi"),
    ("llvm.intr.smin", "arith.minsi"),
    ("llvm.intr.umax", "arith.maxui"),
    ("llvm.intr.umin", "arith.minui"),
    ("llvm.fadd", "arith.addf"),
    ("llvm.fsub", "arith.subf"),
    ("llvm.fmul", "arith.mulf"),
    ("llvm.fdiv", "arith.divf"),
    ("llvm.frem", "arith.remf"),
    ("llvm.fneg", "arith.negf"),
    ("llvm.fcmp", "arith.cmpf"),
    ("llvm.fpext", "arith.extf"),
    ("llvm.fptrunc", "arith.truncf"),
    ("llvm.sitofp", "arith.sitofp"),
    ("llvm.uitofp", "arith.uitofp"),
    ("llvm.fptosi", "arith.fptosi"),
    ("llvm.fptoui", "arith.fptoui"),
    ("llvm.bitcast", "arith.bitcast"),
    ("llvm.intr.maxnum", "arith.maxnumf"),
    ("llvm.intr.minnum", "arith.minnumf"),
    ("llvm.intr.maximum", "arith.maximumf"),
    ("llvm.intr.minimum", "arith.minimumf"),
    ("llvm.intr.fabs", "math.absf"),
    ("llvm.intr.sqrt", "math.sqrt"),
    ("llvm.intr.exp", "math.exp"),
    ("llvm.intr.exp2", "math.exp2"),
    ("llvm.intr.log", "math.log"),
    ("llvm.intr.log2", "math.log2"),
    ("llvm.intr.log10", "math.log10"),
    ("llvm.intr.sin", "math.sin"),
    ("llvm.intr.cos", "math.cos"),
    ("llvm.intr.tan", "math.tan"),
    ("llvm.intr.sinh", "math.sinh"),
    ("llvm.intr.cosh", "math.cosh"),
    ("llvm.intr.tanh", "math.tanh"),
    ("llvm.intr.asin", "math.asin"),
    ("llvm.intr.acos", "math.acos"),
    ("llvm.intr.atan", "math.atan"),
    ("llvm.intr.pow", "math.powf"),
    ("llvm.intr.copysign", "math.copysign"),
    ("llvm.intr.floor", "math.floor"),
    ("llvm.intr.ceil", "math.ceil"),
    ("llvm.intr.trunc", "math.trunc"),
    ("llvm.intr.fma", "math.fma"),
];

/// Functions of `math.h`, which `memory(none)` declares to write no errno, without the suffix of `float`.
const FUNCTIONS: [(&str, &str); 22] = [
    ("sqrt", "math.sqrt"),
    ("exp", "math.exp"),
    ("exp2", "math.exp2"),
    ("expm1", "math.expm1"),
    ("log", "math.log"),
    ("log2", "math.log2"),
    ("log10", "math.log10"),
    ("log1p", "math.log1p"),
    ("sin", "math.sin"),
    ("cos", "math.cos"),
    ("tan", "math.tan"),
    ("sinh", "math.sinh"),
    ("cosh", "math.cosh"),
    ("tanh", "math.tanh"),
    ("asin", "math.asin"),
    ("acos", "math.acos"),
    ("atan", "math.atan"),
    ("atan2", "math.atan2"),
    ("cbrt", "math.cbrt"),
    ("erf", "math.erf"),
    ("pow", "math.powf"),
    ("fabs", "math.absf"),
];

/// Operations that compute nothing.
const WITHOUT_EFFECT: [&str; 8] = [
    "llvm.intr.dbg.value",
    "llvm.intr.dbg.declare",
    "llvm.intr.dbg.label",
    "llvm.intr.lifetime.start",
    "llvm.intr.lifetime.end",
    "llvm.intr.assume",
    "llvm.intr.experimental.noalias.scope.decl",
    "llvm.intr.sideeffect",
];

/// True for an operation that computes nothing, and needs no counterpart.
pub fn has_no_effect(operation: Op<'_>) -> bool {
    WITHOUT_EFFECT.contains(&ir::name(operation))
}

/// True for numbers that computations have.
pub fn is_number(ty: Type<'_>) -> bool {
    let is_wide_enough = |bits| [16, 32, 64].contains(&bits);
    ty.is_integer() && ir::bits(ty).is_some_and(|bits| bits <= 64)
        || ty.is_float() && ir::bits(ty).is_some_and(is_wide_enough)
}

/// The name of the counterpart of an operation with the same operands and results.
fn counterpart(operation: Op<'_>) -> Option<&'static str> {
    let name = ir::name(operation);
    if name == "llvm.call" {
        let writes_nothing = ir::attribute(operation, "memory_effects").is_some_and(|effects| {
            let effects = effects.to_string();
            !["= read", "= write", "readwrite"].iter().any(|effect| effects.contains(effect))
        });
        // A function of the program may have the name of one of math.h.
        let is_of_library = ir::callee(operation).is_some_and(|callee| ir::body(callee, 0).is_none());
        let callee = ir::callee_symbol(operation).filter(|_| writes_nothing && is_of_library)?;
        let result = ir::results(operation).first().copied().filter(|result| result.r#type().is_float())?;
        let name = match ir::bits(result.r#type())? {
            32 => callee.strip_suffix('f')?,
            _ => callee,
        };
        return FUNCTIONS.iter().find(|(of, _)| *of == name).map(|(_, to)| *to);
    }
    SAME.iter().find(|(of, _)| *of == name).map(|(_, to)| *to)
}

/// True for an operation on numbers that has a counterpart.
pub fn is_arithmetic(operation: Op<'_>) -> bool {
    let mut all = ir::operands(operation).into_iter().chain(ir::results(operation));
    let has_counterpart = match ir::name(operation) {
        "llvm.mlir.constant" => ir::attribute(operation, "value").and_then(ir::number_attribute).is_some(),
        "llvm.intr.fmuladd" | "llvm.intr.abs" => true,
        _ => counterpart(operation).is_some(),
    };
    has_counterpart && all.all(|value| is_number(value.r#type()))
}

/// True for integer arithmetic, which may be computed anew in the function of a nest.
pub fn is_integer_arithmetic(operation: Op<'_>) -> bool {
    let mut all = ir::operands(operation).into_iter().chain(ir::results(operation));
    let name = ir::name(operation);
    is_arithmetic(operation)
        && (all.all(|value| value.r#type().is_integer()) || name == "llvm.mlir.constant")
        && !is_division(operation)
}

/// True for an operation that fails for some operands.
pub fn is_division(operation: Op<'_>) -> bool {
    ["llvm.sdiv", "llvm.udiv", "llvm.srem", "llvm.urem"].contains(&ir::name(operation))
}

/// The attributes of the counterpart of an operation.
fn attributes<'c>(b: &Builder<'c>, operation: Op<'c>) -> Vec<(&'static str, Attribute<'c>)> {
    let own = |name| ir::attribute(operation, name);
    let overflow = properties(operation).and_then(|own| ir::dictionary_entry(own, "overflowFlags"));
    let overflow = overflow.and_then(ir::integer_attribute).filter(|flags| *flags != 0);
    let overflow = overflow.map(|flags| b.overflow(flags));
    // A conversion has no flags that its counterpart would take.
    let is_selected = |name: &str| !["llvm.select", "llvm.bitcast", "llvm.trunc"].contains(&name);
    let math = own("fastmathFlags").filter(|_| is_selected(ir::name(operation)));
    let math = math.map(|flags| b.fast_math(Some(flags), false));
    let takes_overflow = ["llvm.add", "llvm.sub", "llvm.mul", "llvm.shl"].contains(&ir::name(operation));
    let may_differ = math.is_some_and(|flags| ["afn", "fast>"].iter().any(|name| flags.to_string().contains(name)));
    let exact = counterpart(operation).filter(|name| name.starts_with("math.") && !may_differ).map(|_| b.unit());
    let all = [
        ("overflowFlags", overflow.filter(|_| takes_overflow)),
        ("fastmath", math),
        ("predicate", own("predicate")),
        (EXACT, exact),
    ];
    all.into_iter().filter_map(|(name, attribute)| Some((name, attribute?))).collect()
}

/// Builds the counterpart of an operation on numbers, on these operands.
pub fn build<'c>(b: &Builder<'c>, operation: Op<'c>, operands: &[Val<'c>]) -> Option<Val<'c>> {
    let ty = ir::results(operation).first()?.r#type();
    match ir::name(operation) {
        "llvm.mlir.constant" => {
            let value = ir::attribute(operation, "value")?;
            Some(b.value("arith.constant", &[], ty, &[("value", value)]))
        }
        "llvm.intr.fmuladd" => {
            let flags = b.fast_math(ir::attribute(operation, "fastmathFlags"), true);
            let product = b.value("arith.mulf", &operands[..2], ty, &[("fastmath", flags)]);
            Some(b.value("arith.addf", &[product, operands[2]], ty, &[("fastmath", flags)]))
        }
        "llvm.intr.abs" => Some(b.value("math.absi", operands, ty, &[])),
        _ => Some(b.value(counterpart(operation)?, operands, ty, &attributes(b, operation))),
    }
}
