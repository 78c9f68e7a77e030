//! `mdh-math-functions`: expands functions on floats to arithmetic, for any number of vector lanes.
//!
//! ```mlir
//! func.func @f(%x: vector<16xf32>) -> vector<16xf32> {
//!   %y = math.exp %x : vector<16xf32>
//!   return %y : vector<16xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! %y = call @mdh.exp.16xf32(%x) : (vector<16xf32>) -> vector<16xf32>
//! func.func private @mdh.exp.16xf32(%z: vector<16xf32>) -> vector<16xf32> ..
//! .. = arith.mulf ..
//! return .. : vector<16xf32>
//! ```
//!
//! Without this pass, each lane calls the C library. There is one function for each operation, type and number of
//! lanes; LLVM decides which calls to inline. Scalars are computed in the same way, so a result does not depend on its
//! lane. Types of 16 bits are computed in f32. `docs/math.md` states the accuracy of each function. None of them relies
//! on a fused multiply-add instruction. An operation with `mdh.exact` stays: its result is that of the C library.
pub mod cost;
mod cube_root;
mod error_function;
mod exponential;
mod hyperbolic;
mod inverse_hyperbolic;
mod inverse_trigonometric;
mod library;
mod logarithm;
mod power;
mod reduction;
mod rounding;
mod trigonometric;
mod value;

use super::{legalize::extremes::number, math_calls::symbol_table};
use crate::machine::Machine;
use library::{Library, Use};
use mdh_dialects::{
    attributes::EXACT,
    ffi::vector_dialect,
    ir::{self, Builder, FloatType, Op, Val},
    pass::{Failure, MdhPass},
};
use melior::{
    dialect::DialectHandle,
    ir::{Type, TypeLike, ValueLike},
};
use value::{Float, Format, LaneType};

/// The pass.
pub struct MathFunctions;

/// Computes a function on values of one format: its results from its operands.
type FunctionBody = for<'c> fn(&Library<'c>, &[Float<'c>]) -> Vec<Float<'c>>;

/// The operations that become functions, with their bodies.
const FUNCTIONS: &[(&str, FunctionBody)] = &[
    ("math.exp", |_, x| vec![exponential::exp(x[0])]),
    ("math.exp2", |_, x| vec![exponential::exp2(x[0])]),
    ("math.tanh", |_, x| vec![exponential::tanh(x[0])]),
    ("math.log", |_, x| vec![logarithm::log(x[0])]),
    ("math.log2", |_, x| vec![logarithm::log2(x[0])]),
    ("math.log10", |_, x| vec![logarithm::log10(x[0])]),
    ("math.sin", |library, x| vec![trigonometric::sin(library, x[0])]),
    ("math.cos", |library, x| vec![trigonometric::cos(library, x[0])]),
    ("math.tan", |library, x| vec![trigonometric::tan(library, x[0])]),
    ("math.sincos", |library, x| trigonometric::sincos(library, x[0])),
    ("math.erf", |_, x| vec![error_function::erf(x[0])]),
    ("math.erfc", |_, x| vec![error_function::erfc(x[0])]),
    ("math.expm1", |_, x| vec![hyperbolic::expm1(x[0])]),
    ("math.sinh", |_, x| vec![hyperbolic::sinh(x[0])]),
    ("math.cosh", |_, x| vec![hyperbolic::cosh(x[0])]),
    ("math.log1p", |_, x| vec![inverse_hyperbolic::log1p(x[0])]),
    ("math.asinh", |_, x| vec![inverse_hyperbolic::asinh(x[0])]),
    ("math.acosh", |_, x| vec![inverse_hyperbolic::acosh(x[0])]),
    ("math.atanh", |_, x| vec![inverse_hyperbolic::atanh(x[0])]),
    ("math.asin", |_, x| vec![inverse_trigonometric::asin(x[0])]),
    ("math.acos", |_, x| vec![inverse_trigonometric::acos(x[0])]),
    ("math.atan", |_, x| vec![inverse_trigonometric::atan(x[0])]),
    ("math.atan2", |_, x| vec![inverse_trigonometric::atan2(x[0], x[1])]),
    ("math.powf", |_, x| vec![power::powf(x[0], x[1])]),
    ("math.fpowi", |_, x| vec![power::powf(x[0], x[1])]),
    ("math.cbrt", |_, x| vec![cube_root::cbrt(x[0])]),
];

/// Rounding operations, which become functions on processors without instructions for them.
const ROUNDINGS: &[(&str, FunctionBody)] = &[
    ("math.ceil", |_, x| vec![rounding::ceil(x[0])]),
    ("math.floor", |_, x| vec![rounding::floor(x[0])]),
    ("math.round", |_, x| vec![rounding::round(x[0])]),
    ("math.roundeven", |_, x| vec![rounding::round_even(x[0])]),
    ("math.trunc", |_, x| vec![rounding::trunc(x[0])]),
];

/// The names of the operations that become functions.
pub fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|(name, _)| *name)
}

impl MdhPass for MathFunctions {
    const NAME: &'static str = "MathFunctions";
    const ARGUMENT: &'static str = "mdh-math-functions";
    const DESCRIPTION: &'static str = "Expand functions on floats to arithmetic, for any number of lanes";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![
            DialectHandle::func(),
            DialectHandle::arith(),
            DialectHandle::scf(),
            DialectHandle::memref(),
            vector_dialect(),
        ]
    }

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        replace(module, FUNCTIONS);
        let machine = Machine::of(module)?;
        // x86 has these instructions with SSE4.1, which the description of a machine lacks; all processors with wider
        // vectors or FMA have it.
        if machine.vector_bits <= 128 && !machine.has_fma {
            replace(module, ROUNDINGS);
        }
        Ok(())
    }
}

/// Replaces operations with calls of functions, in a module and its regions.
fn replace(module: Op<'_>, functions: &[(&str, FunctionBody)]) {
    let mut libraries: Vec<Library<'_>> = vec![];
    let may_differ = |operation: &Op<'_>| ir::attribute(*operation, EXACT).is_none();
    for operation in ir::descendants(module).into_iter().filter(may_differ) {
        let Some((name, body)) = functions.iter().find(|(name, _)| *name == ir::name(operation)) else { continue };
        let Some(around) = module_of(operation) else { continue };
        let known = libraries.iter().position(|library| library.module() == around);
        let known = known.unwrap_or_else(|| {
            libraries.push(Library::new(around));
            libraries.len() - 1
        });
        if let Some(results) = replaced(&libraries[known], operation, name, *body) {
            for (old, new) in ir::results(operation).into_iter().zip(results) {
                ir::replace_uses(old, new);
            }
            ir::erase(operation);
        }
    }
}

/// The module that contains an operation; `None` in kernels, which use the math functions of their target.
fn module_of(operation: Op<'_>) -> Option<Op<'_>> {
    symbol_table(operation).filter(|module| ir::name(*module) == "builtin.module")
}

/// Replaces an operation with a call; returns its results, or `None` for types that are not supported.
fn replaced<'c>(library: &Library<'c>, operation: Op<'c>, name: &str, body: FunctionBody) -> Option<Vec<Val<'c>>> {
    let b = Builder::before(operation);
    let operands = ir::operands(operation);
    let ty = operands.first()?.r#type();
    let element = element_of(*operands.first()?);
    let (format, is_short) = match FloatType::of(element)? {
        FloatType::F64 => (Format::F64, false),
        FloatType::F32 => (Format::F32, false),
        FloatType::F16 | FloatType::Bf16 => (Format::F32, true),
    };
    let shape = ir::shape(ty).map(|sizes| sizes.into_iter().collect::<Option<Vec<_>>>());
    let count = match shape {
        None => None,
        Some(sizes) => Some(sizes?.into_iter().product()),
    };
    let lanes = LaneType { builder: b, format, count };
    let known = known_exponent(operation);
    let mut given = vec![];
    for operand in operands.iter().take(if known.is_some() { 1 } else { operands.len() }) {
        let own = element_of(*operand);
        let flat = reshaped(&b, *operand, lanes.r#type(own));
        given.push(match own.is_integer() {
            // Integers of 64 bits are not all representable.
            true if ir::integer_width(own) > 32 => return None,
            true => b.value("arith.sitofp", &[flat], lanes.of(Format::F64).float_type(), &[]),
            false if is_short => b.value("arith.extf", &[flat], lanes.float_type(), &[]),
            false => flat,
        });
    }
    let results = if let Some(exponent) = known {
        vec![power::with_known_exponent(Float { on: lanes, value: given[0] }, exponent).value]
    } else {
        let function = name.trim_start_matches("math.");
        let types = vec![lanes.float_type(); ir::results(operation).len()];
        library.call(lanes, function, Use::Often, &given, &types, |lanes, operands| {
            let operands: Vec<_> = operands.iter().map(|value| float(lanes, *value)).collect();
            body(library, &operands).into_iter().map(|result| result.value).collect()
        })
    };
    let finish = |result: Val<'c>| {
        let short = lanes.r#type(element);
        let result = if is_short { b.value("arith.truncf", &[result], short, &[]) } else { result };
        reshaped(&b, result, ty)
    };
    Some(results.into_iter().map(finish).collect())
}

/// The element type of a vector, or the type of a scalar.
fn element_of<'c>(value: Val<'c>) -> Type<'c> {
    ir::element_type_or_self(value.r#type())
}

/// An operand of a function, in the format of the results or in f64.
fn float<'c>(lanes: LaneType<'c>, value: Val<'c>) -> Float<'c> {
    let on = if value.r#type() == lanes.float_type() { lanes } else { lanes.of(Format::F64) };
    Float { on, value }
}

/// The exponent of a power if it is one of the constants with a short expansion, the same in all lanes.
pub fn known_exponent(operation: Op<'_>) -> Option<f64> {
    let exponent = matches!(ir::name(operation), "math.powf" | "math.fpowi").then(|| ir::operands(operation)[1])?;
    let sources = std::iter::successors(Some(exponent), |value| {
        let broadcast = ir::defining(*value).filter(|operation| ir::name(*operation) == "vector.broadcast")?;
        Some(ir::operands(broadcast)[0])
    });
    let number = number(sources.last()?)?;
    power::KNOWN_EXPONENTS.contains(&number).then_some(number)
}

/// Reshapes a vector, with the same elements in the same order; a scalar is returned unchanged.
fn reshaped<'c>(b: &Builder<'c>, value: Val<'c>, ty: Type<'c>) -> Val<'c> {
    if value.r#type() == ty || !ty.is_vector() {
        return value;
    }
    b.value("vector.shape_cast", &[value], ty, &[])
}
