//! The cost of math functions, counted in the bodies that the pass builds, so that the model follows changes of the
//! bodies.
use super::{FUNCTIONS, known_exponent, replace};
use crate::{analysis::size::bytes, emit::vectorize::called};
use mdh_dialects::ir::{self, Blk, Op};
use melior::ir::{Type, TypeLike, ValueLike};

/// The vector registers in which functions are computed.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    /// The bits of a register.
    pub bits: u64,
    /// True if the processor has a fused multiply-add.
    pub has_fma: bool,
}

/// Cycles of a call of the C library in f32 and in f64, measured with glibc 2.36. Functions that are not listed take
/// `MAX_CALLS`.
const LIBRARY: [(&str, [f64; 2]); 9] = [
    ("exp", [8.0, 12.0]),
    ("exp2", [8.0, 10.0]),
    ("log", [8.0, 10.0]),
    ("log2", [8.0, 10.0]),
    ("sin", [8.0, 30.0]),
    ("cos", [8.0, 30.0]),
    ("asin", [8.0, 8.0]),
    ("acos", [8.0, 8.0]),
    ("powf", [12.0, 30.0]),
];
const MAX_CALLS: f64 = 25.0;

/// Cycles of a function as a call of the C library.
pub fn library_cycles(operation: Op<'_>) -> f64 {
    let name = ir::name(operation).trim_start_matches("math.");
    let is_wide = ir::results(operation).first().is_some_and(|result| bits(result.r#type()) > 32);
    let known = LIBRARY.iter().find(|(known, _)| *known == name);
    known.map_or(MAX_CALLS, |(_, cycles)| cycles[usize::from(is_wide)])
}

/// The number of vector instructions of a scalar function for one register of results; `None` if the pass does not
/// expand the operation.
pub fn instructions(operation: Op<'_>, registers: Registers) -> Option<f64> {
    let lanes = lanes(operation, registers)?;
    let vectors = |values: Vec<ir::Val<'_>>| -> Vec<String> {
        values.iter().map(|value| format!("vector<{lanes}x{}>", value.r#type())).collect()
    };
    let (operands, results) = (vectors(ir::operands(operation)), vectors(ir::results(operation)));
    let name = ir::name(operation);
    let arguments: Vec<_> = (0..operands.len()).map(|i| format!("%{i}")).collect();
    let mut parameters: Vec<_> =
        operands.iter().zip(&arguments).map(|(kind, name)| format!("{name}: {kind}")).collect();
    let known = known_exponent(operation).map(|exponent| {
        parameters.pop();
        let is_integer = name == "math.fpowi";
        let number = if is_integer { format!("{exponent}") } else { format!("{exponent:?}") };
        format!("%1 = arith.constant dense<{number}> : {}", operands[1])
    });
    let text = format!(
        "func.func @caller({}) {{
          {}
          \"{name}\"({}) : ({}) -> ({})
          return
        }}",
        parameters.join(", "),
        known.unwrap_or_default(),
        arguments.join(", "),
        operands.join(", "),
        results.join(", ")
    );
    let mut module = ir::parse_module(ir::context(operation), text.as_bytes())?;
    ir::rewrite(&mut module, |root| {
        replace(root, FUNCTIONS);
        let caller = ir::body(ir::block_operations(ir::body(root, 0)?).into_iter().next()?, 0)?;
        let is_replaced = ir::block_operations(caller).iter().all(|inner| ir::name(*inner) != name);
        is_replaced.then(|| counted(caller, registers))
    })
}

/// The number of results of a function in a register; `None` if they are not floats.
pub fn lanes(operation: Op<'_>, registers: Registers) -> Option<u64> {
    let result = ir::results(operation).first()?.r#type();
    let is_known = ir::name(operation).starts_with("math.") && result.is_float() && bits(result) <= 64;
    is_known.then(|| (registers.bits / bits(result)).max(1))
}

fn bits(ty: Type<'_>) -> u64 {
    8 * bytes(ty)
}

/// The number of vector instructions of a block and of its callees, without conditional code.
fn counted(block: Blk<'_>, registers: Registers) -> f64 {
    ir::block_operations(block).into_iter().map(|operation| one(operation, registers)).sum()
}

fn one(operation: Op<'_>, registers: Registers) -> f64 {
    if let Some(body) = called(operation) {
        return counted(body, registers);
    }
    let Registers { bits: size, has_fma } = registers;
    let has_avx512 = size >= 512;
    let is_sse = size == 128 && !has_fma;
    let values = ir::operands(operation).into_iter().chain(ir::results(operation));
    let widest = |value: ir::Val<'_>| {
        let ty = value.r#type();
        let lanes: u64 = ir::shape(ty).map_or(1, |shape| shape.into_iter().flatten().product());
        let element = ir::element_type_or_self(ty);
        (lanes * bits(element), bits(element))
    };
    let (all, element) = values.map(widest).max().unwrap_or((0, 0));
    let count = all.div_ceil(size).max(1) as f64;
    let is_long = element == 64;
    let each = match ir::name(operation) {
        "arith.constant" | "arith.bitcast" | "vector.shape_cast" | "func.return" => 0.0,
        "arith.mulf" if has_fma && is_fused(operation) => 0.0,
        "arith.divf" | "math.sqrt" if is_long => 16.0,
        "arith.divf" | "math.sqrt" => 8.0,
        "arith.select" if is_sse => 3.0,
        "arith.shrsi" if is_long && !has_avx512 => 3.0,
        "arith.sitofp" | "arith.fptosi" | "arith.muli" if is_long && !has_avx512 => 8.0,
        "arith.muli" => 2.0,
        "arith.cmpi" if is_long && is_sse => 4.0,
        _ => 1.0,
    };
    count * each
}

/// True if a product is contracted with a sum.
fn is_fused(operation: Op<'_>) -> bool {
    let contracts = |operation: Op<'_>| {
        ir::attribute(operation, "fastmath").is_some_and(|flags| flags.to_string().contains("contract"))
    };
    let users = ir::results(operation).into_iter().flat_map(ir::users);
    let mut users = users.peekable();
    let is_used = users.peek().is_some();
    let is_sum = |user: Op<'_>| ["arith.addf", "arith.subf"].contains(&ir::name(user)) && contracts(user);
    is_used && contracts(operation) && users.all(is_sum)
}
