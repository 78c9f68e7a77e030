//! Signatures of functions, read before the lowering.
mod written;

use anyhow::{Result, anyhow, bail};
use mdh_dialects::{
    attributes::{COMPLEX, PART},
    ir::{self, Op, OpView, Val},
};
use mdh_execution::array::Element;
use mdh_passes::analysis::{
    computation::{Computation, ExtentSource, InitialValue},
    index::Access,
    origin::part,
};
use melior::ir::{
    Attribute, Module, Type, TypeLike, ValueLike,
    attribute::TypeAttribute,
    r#type::{FunctionType, MemRefType},
};

pub use mdh_execution::signature::{Parameter, Signature};

/// The largest or smallest index that a function accesses in an argument: the constant, plus each factor times the
/// largest index of an extent. An extent is a size of an argument or, without a dimension, the value of an argument;
/// its largest index is one less.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexBound {
    /// The index of the argument.
    pub argument: usize,
    /// Its dimension.
    pub dimension: usize,
    /// The constant.
    pub constant: i64,
    /// Factor, argument and dimension of each term.
    pub terms: Vec<(i64, usize, Option<usize>)>,
}

/// The signature of a `func.func`. An error names an argument or result whose type the C interface does not
/// support.
pub fn of(function: Op<'_>) -> Result<Signature> {
    let name = ir::attribute(function, "sym_name").and_then(ir::string_attribute).unwrap_or_default().to_owned();
    let ty = ir::attribute(function, "function_type")
        .and_then(|attribute| TypeAttribute::try_from(attribute).ok())
        .and_then(|attribute| FunctionType::try_from(attribute.value()).ok())
        .ok_or_else(|| anyhow!("'{name}' is not a function"))?;
    let parameter = |kind: &str, i: usize, ty| {
        self::parameter(ty).map_err(|problem| anyhow!("{kind} {} of '{name}' {problem}", i + 1))
    };
    let mut arguments: Vec<Parameter> =
        (0..ty.input_count()).map(|i| parameter("argument", i, ty.input(i)?)).collect::<Result<_>>()?;
    for (i, argument) in arguments.iter_mut().enumerate() {
        argument.in_place &= written::may_write(function, i);
    }
    let attributes = |name| ir::attribute(function, name).and_then(ir::array_attribute).unwrap_or_default();
    for (argument, attributes) in arguments.iter_mut().zip(attributes("arg_attrs")) {
        let said = ir::dictionary_entry(attributes, "bufferization.writable");
        argument.in_place |= said.is_some_and(|said| said.to_string() == "true");
        argument.is_complex = is_complex(argument, attributes);
    }
    let results = (0..ty.result_count()).map(|i| parameter("result", i, ty.result(i)?)).collect::<Result<_>>();
    let mut results: Vec<Parameter> = results?;
    for (result, attributes) in results.iter_mut().zip(attributes("res_attrs")) {
        result.is_complex = is_complex(result, attributes);
    }
    Ok(Signature { name, arguments, results })
}

/// True if the attributes of a parameter say that it has pairs of floats, and it does.
fn is_complex(parameter: &Parameter, attributes: Attribute<'_>) -> bool {
    let is_pair = parameter.shape.as_deref().is_some_and(|shape| shape.last() == Some(&Some(2)));
    is_pair && parameter.element.is_float() && ir::dictionary_entry(attributes, COMPLEX).is_some()
}

/// An argument or a result of this type.
fn parameter(ty: Type<'_>) -> Result<Parameter> {
    let shape = ir::shape(ty);
    let element = Element::from_name(&ir::element_type_or_self(ty).to_string());
    let buffer = ty.is_tensor() || ty.is_mem_ref();
    let Some(element) = element.filter(|_| buffer == shape.is_some()) else {
        bail!("requires an integer, index or float type, or a ranked tensor or memref of one, but has type {ty}");
    };
    if let Ok(memref) = MemRefType::try_from(ty)
        && (ir::stated_layout(ty) != ir::StatedLayout::RowMajor || memref.memory_space().is_some())
    {
        bail!("requires a memref without layout and memory space, but has type {ty}");
    }
    Ok(Parameter { element, shape, in_place: ty.is_mem_ref(), is_complex: false })
}

/// The run-time checks that keep a function's accesses within its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Bounds of accesses that depend on dynamic sizes.
    pub bounds: Vec<IndexBound>,
    /// True if these are all accesses. Otherwise, others depend on computed sizes, or are in the code around
    /// computations.
    pub is_complete: bool,
}

/// Operations outside of `mdh`, `arith` and `math` that do not access a caller's memory.
const NO_CALLER_MEMORY: [&str; 7] =
    ["func.func", "func.return", "memref.alloc", "memref.dim", "tensor.dim", "tensor.empty", "tensor.from_elements"];

/// The run-time checks of a function: accesses that depend on dynamic sizes must be within its arguments.
pub fn checks(function: Op<'_>) -> Checks {
    let (bounds, mut is_complete) = bounds(function);
    is_complete &= ir::descendants(function).into_iter().all(|operation| {
        let (name, of) = (ir::name(operation), ir::parent(operation));
        let is_scalar = of.is_some_and(|of| of != function) && name.starts_with("scf.");
        let dialect = name.split('.').next().unwrap_or_default();
        // The views of a computation are the only uses of a part.
        let is_part = ir::attribute(operation, PART).is_some();
        NO_CALLER_MEMORY.contains(&name) || ["arith", "math", "mdh"].contains(&dialect) || is_scalar || is_part
    });
    Checks { bounds, is_complete }
}

/// The bounds of a function's computations, and whether they are known for all of them.
fn bounds(function: Op<'_>) -> (Vec<IndexBound>, bool) {
    let Some(block) = ir::body(function, 0) else { return (vec![], true) };
    let arguments = ir::arguments(block);
    let position = |value: Val<'_>| arguments.iter().position(|argument| *argument == value);
    let (mut bounds, mut is_complete) = (vec![], true);
    for computation in &Computation::all(function) {
        // Computations in loops and branches may not be executed.
        if ir::parent(computation.out_view.op()) != Some(function) {
            is_complete = false;
            continue;
        }
        let extents = extents(computation, &position);
        if computation.domain.is_empty() {
            continue;
        }
        let collapsed: Vec<_> = extents
            .iter()
            .zip(&computation.operators)
            .map(|(extent, operator)| if operator.reduces() { Some(Extent::Known(1)) } else { *extent })
            .collect();
        let first: Vec<_> = extents
            .iter()
            .zip(&computation.operators)
            .map(|(extent, operator)| if operator.combines() { Some(Extent::Known(1)) } else { *extent })
            .collect();
        let inputs = computation.inputs.iter().map(|buffer| (buffer, &extents));
        let inits = computation.inits.iter().filter_map(|initial| match initial {
            InitialValue::Elements(_, buffer) => Some((buffer, &first)),
            InitialValue::Scalar(_) => None,
        });
        for (buffer, extents) in
            inputs.chain(inits).chain(computation.outputs.iter().map(|buffer| (buffer, &collapsed)))
        {
            let is_part = part(buffer.value).is_some();
            let is_open = is_part || buffer.shape.contains(&None) || !computation.domain.is_static();
            let (source, offsets) = match part(buffer.value) {
                Some(view) => (ir::operands(view)[0], part_offsets(view, buffer.shape.len())),
                None => (buffer.value, Some(vec![0; buffer.shape.len()])),
            };
            let (Some(argument), Some(offsets)) = (position(source), offsets) else {
                // A new output is allocated with the sizes that are accessed.
                let is_new = ir::defining(buffer.value) == Some(computation.out_view.op());
                is_complete &= !is_open || is_new;
                continue;
            };
            is_complete &= !is_open || extents.iter().all(Option::is_some);
            for access in &buffer.accesses {
                for (dimension, (size, offset)) in buffer.shape.iter().zip(&offsets).enumerate() {
                    let signs = [1, -1].into_iter().filter_map(|sign| extreme_index(access, dimension, extents, sign));
                    // The verifier has checked static sizes and extents.
                    let open = |terms: &Vec<_>| !terms.is_empty() || size.is_none() || is_part;
                    let known = signs.filter(|(_, terms)| open(terms));
                    // A part may begin before its memref.
                    let begin = (is_part && *offset < 0).then(|| (0, vec![]));
                    bounds.extend(known.chain(begin).map(|(constant, mut terms)| {
                        // The program accesses nothing if one of its loops does not run.
                        let given = extents.iter().filter_map(|extent| match extent {
                            Some(Extent::Given(argument, source)) if is_part => Some((0, *argument, *source)),
                            _ => None,
                        });
                        terms.extend(given);
                        IndexBound { argument, dimension, constant: constant.saturating_add(*offset), terms }
                    }));
                }
            }
        }
    }
    // An extent that is a size of the argument itself is within bounds.
    bounds.retain(|bound| bound.constant != 0 || bound.terms != [(1, bound.argument, Some(bound.dimension))]);
    bounds.dedup();
    (bounds, is_complete)
}

/// The extents of a computation, as far as they are known at the time of a call. `position`: that of an argument.
fn extents(computation: &Computation<'_>, position: &dyn Fn(Val<'_>) -> Option<usize>) -> Vec<Option<Extent>> {
    let operands = computation.extent_operands();
    let extent = |source: &ExtentSource| match source {
        ExtentSource::Static(extent) => Some(Extent::Known(i64::try_from(*extent).ok()?)),
        ExtentSource::Input { buffer, dimension } => {
            let value = computation.inputs[*buffer].value;
            match part(value) {
                Some(view) => extent_of(part_size(view, *dimension)?, position),
                None => Some(Extent::Given(position(value)?, Some(*dimension))),
            }
        }
        ExtentSource::Operand(number) => extent_of(*operands.get(*number)?, position),
    };
    computation.extent_sources.iter().map(extent).collect()
}

/// The offsets of a part, if they are constants.
fn part_offsets(view: Op<'_>, rank: usize) -> Option<Vec<i64>> {
    ir::operands(view).into_iter().skip(1).take(rank).map(constant).collect()
}

/// The value of the size of a part in a dimension, which is dynamic.
fn part_size<'c>(view: Op<'c>, dimension: usize) -> Option<Val<'c>> {
    let shape = ir::shape(ir::results(view)[0].r#type())?;
    let before = shape.iter().take(dimension).filter(|size| size.is_none()).count();
    ir::operands(view).get(1 + shape.len() + before).copied()
}

fn constant(value: Val<'_>) -> Option<i64> {
    let operation = ir::defining(value).filter(|operation| ir::name(*operation) == "arith.constant")?;
    ir::attribute(operation, "value").and_then(ir::integer_attribute)
}

/// An extent that is a constant, an argument or the size of one; a maximum of one with zero is the same, because a
/// computation with fewer points accesses nothing.
fn extent_of(value: Val<'_>, position: &dyn Fn(Val<'_>) -> Option<usize>) -> Option<Extent> {
    if let Some(argument) = position(value) {
        return Some(Extent::Given(argument, None));
    }
    let operation = ir::defining(value)?;
    match (ir::name(operation), &ir::operands(operation)[..]) {
        ("arith.constant", _) => constant(value).map(Extent::Known),
        ("memref.dim" | "tensor.dim", [buffer, dimension]) => {
            Some(Extent::Given(position(*buffer)?, Some(usize::try_from(constant(*dimension)?).ok()?)))
        }
        ("arith.maxsi", [one, zero]) if constant(*zero) == Some(0) => extent_of(*one, position),
        _ => None,
    }
}

type Terms = (i64, Vec<(i64, usize, Option<usize>)>);

/// An extent of a computation, as known at the time of a call.
#[derive(Clone, Copy)]
enum Extent {
    Known(i64),
    /// The size of a dimension of an argument, or the value of an argument.
    Given(usize, Option<usize>),
}

/// The largest (sign 1) or smallest (-1) index of a dimension; `None` if an extent is unknown, or if the smallest index
/// is not negative.
fn extreme_index(access: &Access, dimension: usize, extents: &[Option<Extent>], sign: i64) -> Option<Terms> {
    let (mut constant, mut terms) = (access.origin(dimension), vec![]);
    if sign < 0 && access.terms(dimension).all(|(_, factor)| factor >= 0) {
        return None;
    }
    for (d, factor) in access.terms(dimension).filter(|(_, factor)| factor * sign > 0) {
        match extents[d]? {
            Extent::Known(extent) => constant += factor * (extent - 1),
            Extent::Given(argument, source) => terms.push((factor, argument, source)),
        }
    }
    Some((constant, terms))
}

/// The functions with a body that can be called from outside of the module.
pub fn public_functions<'c>(module: Op<'c>) -> Vec<Op<'c>> {
    let Some(block) = ir::body(module, 0) else { return vec![] };
    let public = |function: &Op<'c>| {
        ir::name(*function) == "func.func"
            && ir::body(*function, 0).is_some()
            && ir::attribute(*function, "sym_visibility").and_then(ir::string_attribute).is_none_or(|v| v == "public")
    };
    ir::block_operations(block).into_iter().filter(public).collect()
}

/// The public function with this name, or the only one without a name. The error lists the existing ones.
pub fn find<'c>(module: Op<'c>, name: Option<&str>) -> Result<Op<'c>> {
    let functions = public_functions(module);
    let symbol =
        |function: &Op<'c>| ir::attribute(*function, "sym_name").and_then(ir::string_attribute).unwrap_or_default();
    let names = functions.iter().map(symbol).collect::<Vec<_>>().join(", ");
    match name {
        Some(name) => functions.iter().find(|function| symbol(function) == name).copied().ok_or_else(|| {
            anyhow!("no public function '{name}': the module has {}", if names.is_empty() { "none" } else { &names })
        }),
        None => match functions.as_slice() {
            [function] => Ok(*function),
            [] => bail!("the module has no public function"),
            _ => bail!("the module has several public functions, name one of {names}"),
        },
    }
}

/// Makes all other public functions private.
pub fn export(module: &Module<'_>, functions: &[Op<'_>]) {
    let operation = ir::op(module.as_operation());
    let private = melior::ir::attribute::StringAttribute::new(ir::context(operation), "private").into();
    for function in public_functions(operation) {
        if !functions.contains(&function) {
            ir::set_attribute(function, "sym_visibility", private);
        }
    }
}
