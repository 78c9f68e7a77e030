//! Kernels of single scalar operations: MLIR's semantics of `arith` and `math`.
pub(super) mod function;

use super::{float, integer, math};
use crate::array::{Element, Slot};
use mdh_dialects::ir::{self, FloatPredicate, IntPredicate, Op};
use melior::ir::{Type, TypeLike, ValueLike, attribute::FloatAttribute, r#type::IntegerType};

pub use function::Kernel;

/// The type of a scalar.
pub fn element_of<'c>(value: &impl ValueLike<'c>) -> Result<Element, String> {
    element(value.r#type())
}

/// The type of a scalar, or of each element of a tensor, on which `arith` and `math` work elementwise.
pub fn element_of_each<'c>(value: &impl ValueLike<'c>) -> Result<Element, String> {
    let ty = value.r#type();
    element(if ty.is_ranked_tensor() { ir::element_type_or_self(ty) } else { ty })
}

fn element(ty: Type<'_>) -> Result<Element, String> {
    element_of_type(ty).ok_or_else(|| format!("the evaluator has no scalars of type {ty}"))
}

/// The type of scalars; `None` if the evaluator has none. It is found without the text of the type, which MLIR takes long
/// to print.
pub fn element_of_type(ty: Type<'_>) -> Option<Element> {
    match () {
        () if ty.is_index() => Some(Element::Index),
        () if ty.is_f16() => Some(Element::F16),
        () if ty.is_bf16() => Some(Element::Bf16),
        () if ty.is_f32() => Some(Element::F32),
        () if ty.is_f64() => Some(Element::F64),
        () if ty.is_integer() => {
            let integer = IntegerType::try_from(ty).ok().filter(|integer| integer.is_signless())?;
            Some(Element::Integer(integer.width())).filter(|element| (1..=128).contains(&element.bits()))
        }
        () => None,
    }
}

/// Dialects of scalar operations.
const DIALECTS: [&str; 3] = ["arith.", "math.", "index."];

/// Operations of `index` with the operations of `arith` that compute the same.
const INDEX: [(&str, &str); 22] = [
    ("index.add", "arith.addi"),
    ("index.sub", "arith.subi"),
    ("index.mul", "arith.muli"),
    ("index.divs", "arith.divsi"),
    ("index.divu", "arith.divui"),
    ("index.ceildivs", "arith.ceildivsi"),
    ("index.ceildivu", "arith.ceildivui"),
    ("index.floordivs", "arith.floordivsi"),
    ("index.rems", "arith.remsi"),
    ("index.remu", "arith.remui"),
    ("index.maxs", "arith.maxsi"),
    ("index.maxu", "arith.maxui"),
    ("index.mins", "arith.minsi"),
    ("index.minu", "arith.minui"),
    ("index.shl", "arith.shli"),
    ("index.shrs", "arith.shrsi"),
    ("index.shru", "arith.shrui"),
    ("index.and", "arith.andi"),
    ("index.or", "arith.ori"),
    ("index.xor", "arith.xori"),
    ("index.casts", "arith.index_cast"),
    ("index.castu", "arith.index_castui"),
];

/// Returns true for operations on scalars.
pub fn is_scalar_operation(name: &str) -> bool {
    DIALECTS.iter().any(|dialect| name.starts_with(dialect))
}

/// The predicate of an `index.cmp`, `#index<cmp_predicate slt>`.
fn index_predicate(operation: Op<'_>) -> Option<IntPredicate> {
    const NAMES: [&str; 10] = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];
    let text = ir::attribute(operation, "pred")?.to_string();
    let mut words = text.split(|character: char| !character.is_ascii_lowercase());
    let number = words.find_map(|word| NAMES.iter().position(|name| *name == word))?;
    IntPredicate::ALL.get(number).copied()
}

/// The value of a constant.
pub fn constant(operation: Op<'_>) -> Result<Slot, String> {
    let result = ir::results(operation).first().copied().ok_or("requires a result")?;
    let element = element_of(&result)?;
    // Any number will do: nothing that has an effect reads it.
    if ir::name(operation) == "ub.poison" {
        return Ok(0);
    }
    let value = ir::attribute(operation, "value").ok_or("requires a value")?;
    if element.is_float() {
        let value = FloatAttribute::try_from(value).map_err(|_| format!("'{value}' is not a float"))?;
        return Ok(element.from_f64(value.value()));
    }
    // Parses the text, because the C API reads at most 64 bits.
    let text = value.to_string();
    let digits = text.split(" : ").next().unwrap_or_default();
    element.parse(digits).ok_or_else(|| format!("'{text}' is not of type {element}"))
}

/// The kernels of an operation, one for each result, each applied to all operands. `None` if the evaluator does not
/// support the operation.
pub fn kernels(operation: Op<'_>) -> Result<Option<Vec<Kernel>>, String> {
    let name = ir::name(operation);
    let operands = ir::operands(operation).iter().map(element_of_each).collect::<Result<Vec<_>, _>>();
    let results = ir::results(operation).iter().map(element_of_each).collect::<Result<Vec<_>, _>>();
    if !is_scalar_operation(name) {
        return Ok(None);
    }
    let (operands, results) = (operands?, results?);
    let kernels = match (name, operands.first()) {
        ("arith.cmpi", Some(first)) => IntPredicate::of(operation).map(|by| vec![integer::compare(by, *first)]),
        ("index.cmp", Some(first)) => index_predicate(operation).map(|by| vec![integer::compare(by, *first)]),
        ("arith.cmpf", Some(first)) => FloatPredicate::of(operation).map(|by| vec![float::compare(by, *first)]),
        _ => {
            let same = INDEX.iter().find(|(of_index, _)| *of_index == name);
            named(same.map_or(name, |(_, of_arith)| of_arith), &operands, &results)
        }
    };
    // A mismatch would be a mistake in the table below, not in the program.
    Ok(kernels.filter(|kernels| kernels.len() == results.len() && kernels.iter().all(|k| k.arity() == operands.len())))
}

/// The kernels of an operation by name and types, except comparisons.
pub fn named(name: &str, operands: &[Element], results: &[Element]) -> Option<Vec<Kernel>> {
    let (&first, &result) = (operands.first()?, results.first()?);
    if name == "arith.select" {
        return (operands.len() == 3 && first.bits() == 1)
            .then(|| vec![Kernel::ternary(|condition, yes, no| if condition == 0 { no } else { yes })]);
    }
    let kernel = match name {
        "arith.addui_extended" => {
            let mask = first.mask();
            let sum = Kernel::binary(move |a, b| a.wrapping_add(b) & mask);
            return Some(vec![sum, Kernel::binary(move |a, b| Slot::from(a.wrapping_add(b) & mask < a))]);
        }
        "arith.mulsi_extended" | "arith.mului_extended" => {
            return integer::extended_product(first, name == "arith.mulsi_extended");
        }
        "math.sincos" => {
            return Some(vec![float::named("math.sin", first)?, float::named("math.cos", first)?]);
        }
        "arith.extui" | "arith.index_castui" | "arith.trunci" => {
            let mask = result.mask();
            Kernel::unary(move |a| a & mask)
        }
        "arith.extsi" | "arith.index_cast" => Kernel::unary(move |a| result.from_integer(first.signed(a))),
        "arith.bitcast" => (first.bits() == result.bits()).then(|| Kernel::unary(|a| a))?,
        "arith.extf" | "arith.truncf" | "arith.convertf" => Kernel::unary(move |a| result.from_f64(first.to_f64(a))),
        "arith.sitofp" => float::from_signed(first, result),
        "arith.uitofp" => float::from_unsigned(result),
        "arith.fptosi" | "arith.fptoui" => float::to_integer(first, result, name == "arith.fptosi"),
        "math.isnan" => Kernel::unary(move |a| first.to_f64(a).is_nan().into()),
        "math.isinf" => Kernel::unary(move |a| first.to_f64(a).is_infinite().into()),
        "math.isfinite" => Kernel::unary(move |a| first.to_f64(a).is_finite().into()),
        "math.isnormal" => float::is_normal(first)?,
        "math.fpowi" => math::integer_power(first, *operands.get(1)?),
        _ if first.is_float() => float::named(name, first)?,
        _ => integer::named(name, first)?,
    };
    Some(vec![kernel])
}
