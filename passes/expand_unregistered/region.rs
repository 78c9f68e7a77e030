//! Regions on elements, which StableHLO writes with tensors of rank 0, as operations on scalars.
//!
//! ```text
//! ^bb0(%a: tensor<f32>, %b: tensor<f32>):
//!   %e = tensor.empty() : tensor<f32>
//!   %s = linalg.generic ins(%a, %b) outs(%e) {      ──▶    %s = arith.addf %a, %b : f32
//!   ^bb0(%x: f32, %y: f32, %o: f32):
//!     %t = arith.addf %x, %y : f32
//!     linalg.yield %t
//!   }
//!   "stablehlo.return"(%s)
//! ```
//!
//! StableHLO's unsigned integers become signless ones.
use super::{
    carried::{CAST, casts, signless},
    scatter::SCATTERS,
};
use mdh_dialects::{
    hom::verify::is_evaluable,
    ir::{self, Blk, Builder, Op, Val, ValueMap},
};
use melior::ir::{Type, TypeLike, ValueLike, r#type::IntegerType};

/// The terminator of regions of StableHLO.
pub const RETURN: &str = "stablehlo.return";
/// The terminators of regions.
const ENDS: [&str; 2] = [RETURN, "tm_tensor.yield"];

/// An operation on elements, with its operations on truth values, integers and floats.
const OPERATIONS: [(&str, &str, &str, Option<&str>); 7] = [
    ("stablehlo.add", "arith.ori", "arith.addi", Some("arith.addf")),
    ("stablehlo.multiply", "arith.andi", "arith.muli", Some("arith.mulf")),
    ("stablehlo.maximum", "arith.ori", "arith.maxsi", Some("arith.maximumf")),
    ("stablehlo.minimum", "arith.andi", "arith.minsi", Some("arith.minimumf")),
    ("stablehlo.and", "arith.andi", "arith.andi", None),
    ("stablehlo.or", "arith.ori", "arith.ori", None),
    ("stablehlo.xor", "arith.xori", "arith.xori", None),
];

/// The attributes that say what scatters and windows compute.
const ATTRIBUTES: [&str; 7] = [
    "scatter_dimension_numbers",
    "dimension_map",
    "window_dimensions",
    "window_strides",
    "window_dilations",
    "base_dilations",
    "padding",
];

/// True for an operation that such a region may contain, though its dialect is not registered.
pub fn is_known(name: &str) -> bool {
    ENDS.contains(&name) || OPERATIONS.iter().any(|(known, ..)| *known == name)
}

/// The operation on scalars of a type.
fn on_scalars(name: &str, ty: Type<'_>) -> Option<&'static str> {
    let (_, of_truth, of_integers, of_floats) = OPERATIONS.iter().find(|(known, ..)| *known == name)?;
    let is_unsigned = IntegerType::try_from(ty).is_ok_and(|integer| integer.is_unsigned());
    match ty {
        _ if is_unsigned && *of_integers == "arith.maxsi" => Some("arith.maxui"),
        _ if is_unsigned && *of_integers == "arith.minsi" => Some("arith.minui"),
        _ if ty.is_float() => *of_floats,
        _ if ir::integer_width(ty) == 1 => Some(of_truth),
        _ => Some(of_integers),
    }
}

/// The only value that a region yields. The error is the requirement that the region does not meet.
pub fn yielded<'c>(body: Blk<'c>, arguments: usize, element: Type<'c>) -> Result<Val<'c>, String> {
    let all = ir::arguments(body);
    let is_element = |value: &Val<'c>| ir::element_type_or_self(value.r#type()) == element && is_single(value.r#type());
    let end = ir::block_operations(body).pop().filter(|end| ENDS.contains(&ir::name(*end)));
    let values = end.map(ir::operands).unwrap_or_default();
    match values[..] {
        [value] if is_element(&value) && all.len() == arguments && all.iter().all(is_element) => Ok(value),
        _ => Err(format!("requires a region that computes one {element} from {arguments} of them")),
    }
}

/// True for a scalar or a tensor of rank 0.
fn is_single(ty: Type<'_>) -> bool {
    ir::shape(ty).is_none_or(|shape| shape.is_empty())
}

/// Requires that a region can be inlined.
pub fn check(body: Blk<'_>) -> Result<(), String> {
    let mut operations = ir::block_operations(body);
    operations.pop();
    match operations.into_iter().find(|operation| !is_on_elements(*operation)) {
        None => Ok(()),
        Some(wrong) => Err(format!("requires a region of operations on elements, but it has {}", ir::name(wrong))),
    }
}

fn is_on_elements(operation: Op<'_>) -> bool {
    let results = ir::results(operation);
    let operands = ir::operands(operation);
    match ir::name(operation) {
        "tensor.empty" => true,
        CAST => is_conversion(operation),
        "linalg.generic" => {
            let is_inner = |inner: &Op<'_>| is_evaluable(*inner) || ir::name(*inner) == "linalg.yield";
            let inner = ir::descendants(operation);
            operands.iter().all(|operand| is_single(operand.r#type())) && inner[1..].iter().all(is_inner)
        }
        "tensor.extract" | "tensor.from_elements" => {
            operands.len() == 1 && is_single(operands[0].r#type()) && is_single(results[0].r#type())
        }
        "arith.constant" => constant(operation).is_some() || is_evaluable(operation),
        name if OPERATIONS.iter().any(|(known, ..)| *known == name) => {
            let fits = |operand: &Val<'_>| Some(operand.r#type()) == results.first().map(|result| result.r#type());
            operands.len() == 2
                && operands.iter().all(|operand| fits(operand) && is_single(operand.r#type()))
                && on_scalars(name, ir::element_type_or_self(operands[0].r#type())).is_some()
        }
        name => name != "func.call" && ir::descendants(operation).into_iter().all(is_evaluable),
    }
}

/// True for the conversion of an element from an integer with a sign or none to a signless one, or back.
fn is_conversion(operation: Op<'_>) -> bool {
    let b = Builder::before(operation);
    match (&ir::operands(operation)[..], &ir::results(operation)[..]) {
        ([operand], [result]) => {
            let types = [operand, result].map(|value| ir::element_type_or_self(signless(&b, value.r#type())));
            types[0] == types[1] && [operand, result].iter().all(|value| is_single(value.r#type()))
        }
        _ => false,
    }
}

/// The bits of a constant tensor of one element.
pub fn constant(operation: Op<'_>) -> Option<Vec<u64>> {
    let is_constant = ir::name(operation) == "arith.constant";
    let ty = ir::results(operation).first()?.r#type();
    ir::shape(ty).filter(|shape| shape.iter().all(|size| *size == Some(1)) && is_constant)?;
    let (bytes, data) = ir::dense_elements(ir::attribute(operation, "value")?)?;
    let words = data.get(..bytes)?.chunks(8);
    Some(words.map(|word| word.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))).collect())
}

/// Replaces an operation on tensors by one with a region on scalars, and signless integers. The error is the requirement
/// that it does not meet.
pub fn convert<'c>(operation: Op<'c>) -> Result<Op<'c>, String> {
    let body = ir::body(operation, 0).ok_or("requires a region")?;
    let types: Vec<_> =
        ir::arguments(body).into_iter().map(|argument| ir::element_type_or_self(argument.r#type())).collect();
    let element = types.first().ok_or("requires a region with arguments")?;
    let value = yielded(body, types.len(), *element)?;
    check(body)?;
    let b = Builder::before(operation);
    let all_signless = |types: &[Type<'c>]| types.iter().map(|ty| signless(&b, *ty)).collect::<Vec<_>>();
    let (region, block) = b.region(&all_signless(&types));
    let inside = b.at_end(block);
    let value = inline(&inside, body, &ir::arguments(block), value);
    inside.op(RETURN, &[value], &[], &[], vec![]);
    let attributes: Vec<_> =
        ATTRIBUTES.iter().filter_map(|name| Some((*name, ir::attribute(operation, name)?))).collect();
    let types = |values: &[Val<'c>]| values.iter().map(|value| value.r#type()).collect::<Vec<_>>();
    let (operands, results) = (ir::operands(operation), ir::results(operation));
    let mut converted = casts(&b, &operands, &all_signless(&types(&operands)));
    // The indices of a scatter are no elements: their sign counts.
    if let Some(indices) = converted.get_mut(1).filter(|_| SCATTERS.contains(&ir::name(operation))) {
        *indices = operands[1];
    }
    let new = b.op(ir::name(operation), &converted, &all_signless(&types(&results)), &attributes, vec![region]);
    for (old, new) in results.iter().zip(casts(&b, &ir::results(new), &types(&results))) {
        ir::replace_uses(*old, new);
    }
    ir::erase(operation);
    Ok(new)
}

/// The element of a tensor of rank 0, as a literal if it is a constant.
pub fn element<'c>(b: &Builder<'c>, tensor: Val<'c>) -> Val<'c> {
    let element = ir::element_type_or_self(tensor.r#type());
    match ir::defining(tensor).and_then(constant) {
        Some(words) => b.wide_literal(&words, element),
        None => b.value("tensor.extract", &[tensor], element, &[]),
    }
}

/// Builds a region that can be inlined, on scalars, and returns the value that it yields.
pub fn inline<'c>(b: &Builder<'c>, body: Blk<'c>, arguments: &[Val<'c>], yielded: Val<'c>) -> Val<'c> {
    let mut inlined = Inlined { b: *b, map: ValueMap::default() };
    inlined.map.extend(ir::arguments(body).into_iter().zip(arguments.iter().copied()));
    let mut operations = ir::block_operations(body);
    operations.pop();
    for operation in operations {
        inlined.operation(operation);
    }
    inlined.scalar(yielded)
}

struct Inlined<'c> {
    b: Builder<'c>,
    /// By value of the region: the scalar.
    map: ValueMap<'c>,
}

impl<'c> Inlined<'c> {
    /// The scalar of a value of the region, or of one from outside.
    fn scalar(&self, value: Val<'c>) -> Val<'c> {
        let known = self.map.get(value);
        match known.r#type().is_tensor() {
            // Its element is not defined.
            true if ir::defining(known).is_some_and(|defining| ir::name(defining) == "tensor.empty") => {
                self.b.literal(0, ir::element_type_or_self(known.r#type()))
            }
            true => element(&self.b, known),
            false => known,
        }
    }

    fn operation(&mut self, operation: Op<'c>) {
        let results = ir::results(operation);
        let operands = ir::operands(operation);
        let values = match ir::name(operation) {
            "tensor.empty" => return,
            "linalg.generic" => {
                let Some(body) = ir::body(operation, 0) else { return };
                let pairs = ir::arguments(body).into_iter().zip(operands);
                let used = pairs.filter(|(argument, _)| !ir::users(*argument).is_empty());
                let mut map: ValueMap<'c> = used.map(|(argument, operand)| (argument, self.scalar(operand))).collect();
                let all = ir::block_operations(body);
                let Some((end, inner)) = all.split_last() else { return };
                for inner in inner {
                    let values = self.b.copy_mapped(*inner, &map, &mut |_, _| None);
                    map.extend(ir::results(*inner).into_iter().zip(values));
                }
                ir::operands(*end).into_iter().map(|value| map.get(value)).collect()
            }
            "tensor.extract" | "tensor.from_elements" | CAST => vec![self.scalar(operands[0])],
            "arith.constant" if constant(operation).is_some() => vec![element(&self.b, results[0])],
            name => {
                let ty = ir::element_type_or_self(results[0].r#type());
                let scalars: Vec<_> = operands.into_iter().map(|operand| self.scalar(operand)).collect();
                match on_scalars(name, ty) {
                    Some(name) => vec![self.b.value(name, &scalars, signless(&self.b, ty), &[])],
                    None => self.b.copy_mapped(operation, &self.map, &mut |_, _| None),
                }
            }
        };
        self.map.extend(results.into_iter().zip(values));
    }
}
