//! `mdh-expand-compute`: the published form becomes the three operations.
//!
//! ```mlir
//! func.func private @mul(%a: f32, %b: f32) -> f32 {
//!   %p = arith.mulf %a, %b : f32
//!   return %p : f32
//! }
//! func.func private @add(%x: f32, %y: f32) -> f32 {
//!   %s = arith.addf %x, %y : f32
//!   return %s : f32
//! }
//! func.func @mv(%M: memref<4x8xf32>, %v: memref<8xf32>) -> memref<4xf32> {
//!   %w = mdh.compute "mv" {
//!     inp_view = [[affine_map<(i, k) -> (i, k)>], [affine_map<(i, k) -> (k)>]],
//!     md_hom = {scalar_func = @mul, combine_ops = ["cc", ["pw", @add]]},
//!     out_view = [[affine_map<(i, k) -> (i)>]]
//!   } {inp_types = [f32, f32], mda_size = [4, 8], out_types = [f32]} (%M, %v)
//!       : (memref<4x8xf32>, memref<8xf32>) -> memref<4xf32>
//!   return %w : memref<4xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! mdh.hom.operator @add_operator commutative (%x: f32, %y: f32) -> (f32) {
//! %s = arith.addf %x, %y : f32
//! mdh.hom.yield %s : f32
//! %in = mdh.view.inp_view %M[..], %v[..] : (memref<4x8xf32>, memref<8xf32>) -> !mdh.mda<4x8, f32, f32>
//! %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<@add_operator>] {
//! %p = arith.mulf %a, %b : f32
//! } : !mdh.mda<4x8, f32, f32> -> !mdh.mda<4x1, f32>
//! %w = mdh.view.out_view %r[..] : !mdh.mda<4x1, f32> -> memref<4xf32>
//! ```
use crate::schedule::attribute::quoted;
use mdh_dialects::{
    ir::{self, Builder, Op, Region},
    pass::{Failure, MdhPass},
};
use melior::ir::Attribute;

/// The pass.
pub struct ExpandCompute;

impl MdhPass for ExpandCompute {
    const NAME: &'static str = "ExpandCompute";
    const ARGUMENT: &'static str = "mdh-expand-compute";
    const DESCRIPTION: &'static str = "Expand mdh.compute to views and md_hom";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        run(module)
    }
}

/// Expands every `mdh.compute` in and below an operation.
pub fn run<'c>(root: Op<'c>) -> Result<(), Failure<'c>> {
    let computations = ir::find(root, "mdh.compute");
    let mut made = Operators::of(&computations);
    computations.into_iter().try_for_each(|compute| expand(compute, &mut made))
}

fn expand<'c>(compute: Op<'c>, made: &mut Operators<'c>) -> Result<(), Failure<'c>> {
    let fail = |message: String| Failure::new(compute, message);
    let dictionary =
        |name: &str| ir::attribute(compute, name).ok_or_else(|| fail(format!("requires the attribute {name}")));
    let (computation, types) = (dictionary("computation")?, dictionary("types")?);
    let entry = |of: Attribute<'c>, key: &str| {
        ir::dictionary_entry(of, key).ok_or_else(|| fail(format!("requires the entry {key}")))
    };
    let list = |of: Attribute<'c>, key: &str| {
        let value = entry(of, key)?;
        ir::array_attribute(value).ok_or_else(|| fail(format!("requires an array for {key}, but it is {value}")))
    };
    let (inputs, outputs) = (list(computation, "inp_view")?, list(computation, "out_view")?);
    let input_scalars = scalars(&inputs, &list(types, "inp_types")?, "inp_view", "inp_types").map_err(fail)?;
    let output_scalars = scalars(&outputs, &list(types, "out_types")?, "out_view", "out_types").map_err(fail)?;
    let extents: Vec<String> = list(types, "mda_size")?
        .into_iter()
        .map(|size| match (ir::integer_attribute(size), ir::string_attribute(size)) {
            (Some(size), _) if size >= 0 => Ok(size.to_string()),
            (_, Some("?")) => Ok("?".to_owned()),
            _ => Err(fail(format!("requires sizes of at least 0 or \"?\" in mda_size, but there is {size}"))),
        })
        .collect::<Result<_, _>>()?;
    let hom = entry(computation, "md_hom")?;
    let (function, operators) = (entry(hom, "scalar_func")?, list(hom, "combine_ops")?);
    if operators.len() != extents.len() {
        let (operators, extents) = (operators.len(), extents.len());
        return Err(fail(format!(
            "requires a combine operator for each of the {extents} sizes, but there are {operators}"
        )));
    }
    let b = Builder::before(compute);
    let operators = operators.into_iter().map(|operator| combine(compute, operator, made));
    let operators = operators.collect::<Result<Vec<_>, _>>()?;
    let mda = |extents: &[String], scalars: &[String]| {
        let scalars: String = scalars.iter().map(|scalar| format!(", {scalar}")).collect();
        b.r#type(&format!("!mdh.mda<{}{scalars}>", extents.join("x")))
    };
    let collapsed: Vec<_> = extents
        .iter()
        .zip(&operators)
        .map(|(extent, operator)| if operator.starts_with("#mdh.pw") { "1".to_owned() } else { extent.clone() })
        .collect();
    let (from, to) = (mda(&extents, &input_scalars), mda(&collapsed, &output_scalars));
    let buffers = ir::operands(compute);
    let segments = b.attribute(&format!("array<i32: {}, 0>", buffers.len()));
    let accesses = entry(computation, "inp_view")?;
    let value =
        b.value("mdh.view.inp_view", &buffers, from, &[("accesses", accesses), ("operandSegmentSizes", segments)]);
    let combine = b.attribute(&format!("[{}]", operators.join(", ")));
    let body = scalar_function(&b, compute, function, &input_scalars, &output_scalars)?;
    let value = ir::results(b.op("mdh.hom.md_hom", &[value], &[to], &[("combine", combine)], vec![body]))[0];
    let results: Vec<_> = ir::results(compute);
    let types: Vec<_> = results.iter().map(melior::ir::ValueLike::r#type).collect();
    let accesses = entry(computation, "out_view")?;
    let view = b.op("mdh.view.out_view", &[value], &types, &[("accesses", accesses)], vec![]);
    for (old, new) in results.into_iter().zip(ir::results(view)) {
        ir::replace_uses(old, new);
    }
    ir::erase(compute);
    Ok(())
}

/// The scalar tuple: the type of each buffer once for each of its accesses.
fn scalars(accesses: &[Attribute<'_>], types: &[Attribute<'_>], view: &str, key: &str) -> Result<Vec<String>, String> {
    if accesses.len() != types.len() {
        return Err(format!(
            "requires a type for each buffer of {view}, {}, but {key} has {}",
            accesses.len(),
            types.len()
        ));
    }
    let mut scalars = vec![];
    for (buffer, r#type) in accesses.iter().zip(types) {
        let count = ir::array_attribute(*buffer).map(|accesses| accesses.len());
        let count =
            count.ok_or_else(|| format!("requires an array of index functions in {view}, but there is {buffer}"))?;
        scalars.extend(std::iter::repeat_n(r#type.to_string(), count));
    }
    Ok(scalars)
}

/// A function by its symbol, with a body.
fn function<'c>(compute: Op<'c>, symbol: &str) -> Result<Op<'c>, Failure<'c>> {
    let found = ir::lookup_symbol(compute, symbol);
    let found =
        found.ok_or_else(|| Failure::new(compute, format!("requires the function @{symbol}, but there is none")))?;
    if ir::body(found, 0).is_none() {
        return Err(Failure::new(compute, format!("requires a body of @{symbol}, but there is none"))
            .with_note(found, "declared here"));
    }
    Ok(found)
}

/// The text of a combine operator; a function becomes an operator.
fn combine<'c>(compute: Op<'c>, operator: Attribute<'c>, made: &mut Operators<'c>) -> Result<String, Failure<'c>> {
    if ir::string_attribute(operator) == Some("cc") {
        return Ok("#mdh.cc".to_owned());
    }
    let required = || {
        let message = format!(
            "requires \"cc\", [\"pw\", @FUNCTION] or [\"ps\", @FUNCTION] in combine_ops, but there is {operator}"
        );
        Failure::new(compute, message)
    };
    let pair = ir::array_attribute(operator).filter(|pair| pair.len() == 2).ok_or_else(required)?;
    let kind = ir::string_attribute(pair[0]).filter(|kind| ["pw", "ps"].contains(kind)).ok_or_else(required)?;
    let symbol = ir::symbol_attribute(pair[1]).ok_or_else(required)?;
    let found = function(compute, symbol)?;
    if ir::name(found) == "mdh.hom.operator" {
        return Ok(format!("#mdh.{kind}<@{}>", quoted(symbol)));
    }
    Ok(format!("#mdh.{kind}<@{}>", quoted(&made.operator(found, symbol)?)))
}

/// The operators that are made of functions: one of each function.
struct Operators<'c> {
    /// The functions that some entry combines point-wise. That is commutative by definition of the published form.
    point_wise: Vec<Op<'c>>,
    /// Functions and the symbols of their operators.
    made: Vec<(Op<'c>, String)>,
}

impl<'c> Operators<'c> {
    /// Those of some computations; none is made yet.
    fn of(computations: &[Op<'c>]) -> Self {
        let mut point_wise = vec![];
        for compute in computations {
            let hom = ir::attribute(*compute, "computation").and_then(|of| ir::dictionary_entry(of, "md_hom"));
            let entries = hom.and_then(|hom| ir::dictionary_entry(hom, "combine_ops")).and_then(ir::array_attribute);
            for entry in entries.unwrap_or_default() {
                if let Some([kind, symbol]) = ir::array_attribute(entry).as_deref()
                    && ir::string_attribute(*kind) == Some("pw")
                {
                    let symbol = ir::symbol_attribute(*symbol);
                    point_wise.extend(symbol.and_then(|symbol| ir::lookup_symbol(*compute, symbol)));
                }
            }
        }
        Self { point_wise, made: vec![] }
    }

    /// The symbol of the operator of a function.
    fn operator(&mut self, function: Op<'c>, symbol: &str) -> Result<String, Failure<'c>> {
        if let Some((_, name)) = self.made.iter().find(|(of, _)| *of == function) {
            return Ok(name.clone());
        }
        let first = format!("{symbol}_operator");
        let mut names = std::iter::once(first.clone()).chain((0..).map(|i| format!("{first}_{i}")));
        let name = names.find(|name| ir::lookup_symbol(function, name).is_none()).unwrap_or(first);
        let b = Builder::before(function);
        let mut attributes = vec![("sym_name", b.attribute(&quoted(&name)))];
        attributes.extend(ir::attribute(function, "function_type").map(|r#type| ("function_type", r#type)));
        if self.point_wise.contains(&function) || commutes(function) {
            attributes.push(("commutative", b.attribute("unit")));
        }
        b.op("mdh.hom.operator", &[], &[], &attributes, vec![yielding(&b, function)?, Region::new()]);
        self.made.push((function, name.clone()));
        Ok(name)
    }
}

/// Whether each result of a function is a commutative operation on the arguments of its component.
fn commutes(function: Op<'_>) -> bool {
    let Some(block) = ir::body(function, 0) else { return false };
    let arguments = ir::arguments(block);
    let results = ir::block_operations(block).last().map(|last| ir::operands(*last)).unwrap_or_default();
    let count = results.len();
    arguments.len() == 2 * count
        && results.iter().enumerate().all(|(i, result)| {
            let (left, right) = (arguments[i], arguments[count + i]);
            ir::defining(*result).filter(|operation| ir::is_commutative(*operation)).is_some_and(|operation| {
                let operands = ir::operands(operation);
                operands == [left, right] || operands == [right, left]
            })
        })
}

/// The body of a function as a region that yields.
fn yielding<'c>(b: &Builder<'c>, function: Op<'c>) -> Result<Region<'c>, Failure<'c>> {
    let one_block = || Failure::new(function, "requires a function with one block here");
    let source = ir::body(function, 0).filter(|block| block_is_last(*block)).ok_or_else(one_block)?;
    let types: Vec<_> = ir::arguments(source).iter().map(melior::ir::ValueLike::r#type).collect();
    let (region, block) = b.region(&types);
    let inner = b.at_end(block);
    let values = inner.inline_block(source, &ir::arguments(block), &mut |_, _| None);
    inner.op("mdh.hom.yield", &values, &[], &[], vec![]);
    Ok(region)
}

fn block_is_last(block: ir::Blk<'_>) -> bool {
    melior::ir::BlockLike::next_in_region(&block).is_none()
}

fn scalar_function<'c>(
    b: &Builder<'c>,
    compute: Op<'c>,
    symbol: Attribute<'c>,
    inputs: &[String],
    outputs: &[String],
) -> Result<Region<'c>, Failure<'c>> {
    let name = ir::symbol_attribute(symbol)
        .ok_or_else(|| Failure::new(compute, format!("requires a symbol for scalar_func, but it is {symbol}")))?;
    let found = function(compute, name)?;
    let wanted = format!("({}) -> ({})", inputs.join(", "), outputs.join(", "));
    let wanted = b.r#type(&wanted);
    let r#type = ir::attribute(found, "function_type").map(|r#type| r#type.to_string()).unwrap_or_default();
    if r#type != wanted.to_string() {
        let message = format!("requires the type {wanted} of the scalar function @{name}, but it is {type}");
        return Err(Failure::new(compute, message).with_note(found, "defined here"));
    }
    yielding(b, found)
}
