//! `mdh-expand-compute`: expands `mdh.compute`, the published form, to `inp_view`, `md_hom` and `out_view`.
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
use mdh_dialects::{
    hom::{CombineOperator, Compute, Function, MdHom, Operator, Yield},
    ir::{self, Builder, Op, OpView, Region},
    pass::{Failure, MdhPass},
    view::{InpView, OutView, mda_type_of},
};
use melior::ir::{Attribute, Type, ValueLike, r#type::FunctionType};

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

/// Expands every `mdh.compute` among an operation and its descendants.
pub fn run<'c>(root: Op<'c>) -> Result<(), Failure<'c>> {
    let computations = Compute::all(root);
    let mut built = Operators::of(&computations);
    computations.into_iter().try_for_each(|compute| expand(compute, &mut built))
}

fn expand<'c>(compute: Compute<'c>, built: &mut Operators<'c>) -> Result<(), Failure<'c>> {
    let fail = |message: String| Failure::new(compute.op(), message);
    let computation = compute.computation().ok_or_else(|| fail("requires the attribute computation".to_owned()))?;
    let types = compute.types().ok_or_else(|| fail("requires the attribute types".to_owned()))?;
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
    let extents: Vec<Option<u64>> = list(types, "mda_size")?
        .into_iter()
        .map(|size| match (ir::integer_attribute(size).map(u64::try_from), ir::string_attribute(size)) {
            (Some(Ok(size)), _) => Ok(Some(size)),
            (_, Some("?")) => Ok(None),
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
    let b = Builder::before(compute.op());
    let operators = operators.into_iter().map(|operator| combine(compute.op(), operator, built));
    let operators = operators.collect::<Result<Vec<_>, _>>()?;
    let reduced: Vec<_> = extents
        .iter()
        .zip(&operators)
        .map(|(extent, operator)| if operator.reduces() { Some(1) } else { *extent })
        .collect();
    let from = mda_type_of(b.context, &extents, &input_scalars);
    let to = mda_type_of(b.context, &reduced, &output_scalars);
    let value = InpView::build(&b, &compute.inputs(), &[], &inputs, from).result();
    let combine: Vec<_> = operators.iter().map(|operator| operator.attribute(b.context)).collect();
    let body = scalar_function(&b, compute.op(), function, &input_scalars, &output_scalars)?;
    let value = MdHom::build(&b, value, &[], &combine, body, to).result();
    let types: Vec<_> = compute.outputs().iter().map(ValueLike::r#type).collect();
    let view = OutView::build(&b, value, &[], &outputs, &types);
    for (old, new) in compute.outputs().into_iter().zip(view.results()) {
        ir::replace_uses(old, new);
    }
    ir::erase(compute.op());
    Ok(())
}

/// The scalar tuple of a view: the type of each buffer once for each of its accesses.
fn scalars<'c>(
    accesses: &[Attribute<'c>],
    types: &[Attribute<'c>],
    view: &str,
    key: &str,
) -> Result<Vec<Type<'c>>, String> {
    if accesses.len() != types.len() {
        return Err(format!(
            "requires a type for each buffer of {view}, {}, but {key} has {}",
            accesses.len(),
            types.len()
        ));
    }
    let mut scalars = vec![];
    for (buffer, ty) in accesses.iter().zip(types) {
        let count = ir::array_attribute(*buffer).map(|accesses| accesses.len());
        let count =
            count.ok_or_else(|| format!("requires an array of index functions in {view}, but there is {buffer}"))?;
        let scalar = ir::type_attribute(*ty);
        let scalar = scalar.ok_or_else(|| format!("requires types in {key}, but there is {ty}"))?;
        scalars.extend(std::iter::repeat_n(scalar, count));
    }
    Ok(scalars)
}

/// The function or operator with a symbol; it must have a body.
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

/// Converts a combine operator of the published form; a function becomes an `mdh.hom.operator`.
fn combine<'c>(
    compute: Op<'c>,
    operator: Attribute<'c>,
    built: &mut Operators<'c>,
) -> Result<CombineOperator, Failure<'c>> {
    if ir::string_attribute(operator) == Some("cc") {
        return Ok(CombineOperator::Concatenation);
    }
    let required = || {
        let message = format!(
            "requires \"cc\", [\"pw\", @FUNCTION] or [\"ps\", @FUNCTION] in combine_ops, but there is {operator}"
        );
        Failure::new(compute, message)
    };
    let pair = ir::array_attribute(operator).filter(|pair| pair.len() == 2).ok_or_else(required)?;
    let combine = match ir::string_attribute(pair[0]) {
        Some("pw") => CombineOperator::PointWise,
        Some("ps") => CombineOperator::PrefixSum,
        _ => return Err(required()),
    };
    let symbol = ir::symbol_attribute(pair[1]).ok_or_else(required)?;
    let found = function(compute, symbol)?;
    let symbol = if Operator::is(found) { symbol.to_owned() } else { built.operator(found, symbol)? };
    Ok(combine(Function::Symbol(symbol)))
}

/// The operators built from functions, one for each function.
struct Operators<'c> {
    /// The functions that some entry combines point-wise, and which are thus commutative by definition of the published
    /// form.
    point_wise: Vec<Op<'c>>,
    /// Functions and the symbols of their operators.
    built: Vec<(Op<'c>, String)>,
}

impl<'c> Operators<'c> {
    /// The state for some computations, before any operator is built.
    fn of(computations: &[Compute<'c>]) -> Self {
        let mut point_wise = vec![];
        for compute in computations {
            let hom = compute.computation().and_then(|of| ir::dictionary_entry(of, "md_hom"));
            let entries = hom.and_then(|hom| ir::dictionary_entry(hom, "combine_ops")).and_then(ir::array_attribute);
            for entry in entries.unwrap_or_default() {
                if let Some([kind, symbol]) = ir::array_attribute(entry).as_deref()
                    && ir::string_attribute(*kind) == Some("pw")
                {
                    let symbol = ir::symbol_attribute(*symbol);
                    point_wise.extend(symbol.and_then(|symbol| ir::lookup_symbol(compute.op(), symbol)));
                }
            }
        }
        Self { point_wise, built: vec![] }
    }

    /// The symbol of the operator of a function, which is built on first use.
    fn operator(&mut self, function: Op<'c>, symbol: &str) -> Result<String, Failure<'c>> {
        if let Some((_, name)) = self.built.iter().find(|(of, _)| *of == function) {
            return Ok(name.clone());
        }
        let name = ir::unused_symbol(function, &format!("{symbol}_operator"));
        let b = Builder::before(function);
        let commutative = self.point_wise.contains(&function) || is_commutative(function);
        let ty = ir::attribute(function, "function_type");
        let ty = ty.ok_or_else(|| Failure::new(function, "requires a function here"))?;
        Operator::build(&b, &name, ty, commutative, body_region(&b, function)?, Region::new());
        self.built.push((function, name.clone()));
        Ok(name)
    }
}

/// True if each result of a function is a commutative operation on the two arguments of its component.
fn is_commutative(function: Op<'_>) -> bool {
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

/// Converts the body of a function to a region that ends in a yield.
fn body_region<'c>(b: &Builder<'c>, function: Op<'c>) -> Result<Region<'c>, Failure<'c>> {
    let one_block = || Failure::new(function, "requires a function with one block here");
    let source = ir::body(function, 0).filter(|block| block_is_last(*block)).ok_or_else(one_block)?;
    let types: Vec<_> = ir::arguments(source).iter().map(ValueLike::r#type).collect();
    let (region, block) = b.region(&types);
    let inner = b.at_end(block);
    let values = inner.inline_block(source, &ir::arguments(block), &mut |_, _| None);
    Yield::build(&inner, &values);
    Ok(region)
}

fn block_is_last(block: ir::Blk<'_>) -> bool {
    melior::ir::BlockLike::next_in_region(&block).is_none()
}

fn scalar_function<'c>(
    b: &Builder<'c>,
    compute: Op<'c>,
    symbol: Attribute<'c>,
    inputs: &[Type<'c>],
    outputs: &[Type<'c>],
) -> Result<Region<'c>, Failure<'c>> {
    let name = ir::symbol_attribute(symbol)
        .ok_or_else(|| Failure::new(compute, format!("requires a symbol for scalar_func, but it is {symbol}")))?;
    let found = function(compute, name)?;
    let wanted = FunctionType::new(b.context, inputs, outputs).into();
    let ty = ir::attribute(found, "function_type").and_then(ir::type_attribute);
    if ty != Some(wanted) {
        let ty = ty.map(|ty| ty.to_string()).unwrap_or_default();
        let message = format!("requires the type {wanted} of the scalar function @{name}, but it is {ty}");
        return Err(Failure::new(compute, message).with_note(found, "defined here"));
    }
    body_region(b, found)
}
