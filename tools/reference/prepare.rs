//! Prepares a computation of the IR for evaluation: extents, scalar function and operators, and accesses checked
//! against their buffers.
use super::{
    bound::Rule,
    computation::{Access, Buffer, Combine, Computation, Initial},
    float, integer,
    kernel::{element_of, element_of_type},
    scalar::{Failure, Program},
};
use crate::array::{Element, Slot};
use mdh_dialects::{
    hom::{CombineOperator, Function, MdHom, Operator},
    ir::{self, Op, OpView, Val},
    view::{IndexFunction, InpView, OutView},
};
use mdh_passes::analysis::computation::{self as ir_computation, ExtentSource};
use std::sync::Arc;

/// The computation that ends in an `out_view`. Fails if it is not of the form `out_view ∘ md_hom ∘ inp_view`.
pub fn find<'c>(out_view: OutView<'c>) -> Result<ir_computation::Computation<'c>, Failure> {
    let found = ir_computation::Computation::from_out_view(out_view).ok_or_else(|| {
        let required = format!("requires the result of {} on the result of {}", MdHom::NAME, InpView::NAME);
        Failure::at(out_view.op(), required)
    })?;
    if found.md_hom().is_none() {
        let message = format!("the reference evaluator reads {}, not lowered forms", MdHom::NAME);
        return Err(Failure::unsupported(found.hom.op(), message));
    }
    Ok(found)
}

/// Prepares a computation. `inputs` are the contents of its input buffers, and `inits` its initial values; `scalar`
/// looks up scalar values of the function around it; `follow` says whether error bounds are propagated.
pub fn prepare<'c>(
    found: &ir_computation::Computation<'c>,
    inputs: Vec<Arc<Buffer>>,
    inits: Vec<Initial>,
    scalar: &dyn Fn(Val<'c>) -> Option<Slot>,
    follow: bool,
) -> Result<Computation, Failure> {
    let extents = extents(found, &inputs, scalar)?;
    let block = found.hom.body().ok_or_else(|| Failure::at(found.hom.op(), "requires a scalar function"))?;
    let function = Program::new(block)?;
    let reads = accesses(found.inp_view.accesses());
    let writes = accesses(found.out_view.accesses());
    for (count, expected, what) in [
        (function.inputs().len(), reads.len(), "arguments of the scalar function for the accesses"),
        (function.outputs().len(), writes.len(), "results of the scalar function for the accesses"),
    ] {
        if count != expected {
            return Err(Failure::at(found.hom.op(), format!("requires {expected} {what}, but there are {count}")));
        }
    }
    let empty = extents.contains(&0);
    if !empty {
        for access in &reads {
            let shape = &inputs[access.buffer].array.shape;
            inside(&access.function, &extents, shape).map_err(|problem| {
                Failure::at(
                    found.inp_view.op(),
                    format!("input buffer {} is accessed outside of its bounds: {problem}", access.buffer + 1),
                )
            })?;
        }
    }
    let outputs: Vec<_> = found.output_types.iter().map(|ty| element_of_type(*ty)).collect();
    let outputs = outputs
        .into_iter()
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| Failure::unsupported(found.hom.op(), "requires scalars that the evaluator knows"))?;
    let combine = found
        .operators
        .iter()
        .map(|operator| combine(found.hom.op(), operator, &outputs))
        .collect::<Result<Vec<_>, _>>()?;
    let has_results = !kept(&extents, &found.operators).contains(&0);
    let without_combined =
        |(extent, operator): (&usize, &CombineOperator)| if operator.combines() { 1 } else { *extent };
    let elements: Vec<_> = extents.iter().zip(&found.operators).map(without_combined).collect();
    for (number, initial) in inits.iter().enumerate().filter(|_| has_results) {
        let Initial::Elements(buffer, function) = initial else { continue };
        inside(function, &elements, &buffer.array.shape).map_err(|problem| {
            let message = format!("initial value {} is accessed outside of its bounds: {problem}", number + 1);
            Failure::at(found.hom.op(), message)
        })?;
    }
    for (d, (extent, combine)) in extents.iter().zip(&combine).enumerate() {
        if let (0, Combine::PointWise(_, None), true, true) = (extent, combine, has_results, inits.is_empty()) {
            let message = format!("dimension {} is empty and its operator has no identity", d + 1);
            return Err(Failure::at(found.hom.op(), message));
        }
    }
    Ok(Computation { extents, function, combine, inits, inputs, reads, writes, outputs, follow })
}

/// The extents of the result: a reduction dimension has one index.
pub fn kept(extents: &[usize], operators: &[CombineOperator]) -> Vec<usize> {
    extents.iter().zip(operators).map(|(extent, operator)| if operator.reduces() { 1 } else { *extent }).collect()
}

/// The shape of an output buffer: the sizes of its type; a dynamic size is one more than the largest index written.
pub fn output_shape(sizes: &[Option<u64>], functions: &[&IndexFunction], kept: &[usize]) -> Vec<usize> {
    let reached = |dimension: usize| {
        // Each size depends on its own dimensions only: an empty dimension of rows does not make the number of columns
        // zero.
        let empty = |function: &&&IndexFunction| {
            function.row(dimension).0.iter().zip(kept).any(|(c, extent)| *c != 0 && *extent == 0)
        };
        let reached = functions.iter().filter(|function| !empty(function));
        let highest = reached.map(|function| range(function, dimension, kept).1).max();
        usize::try_from(highest.unwrap_or(-1).saturating_add(1)).unwrap_or_default()
    };
    let sizes = sizes.iter().enumerate();
    sizes.map(|(dimension, size)| size.map_or_else(|| reached(dimension), |size| size as usize)).collect()
}

/// Checks that an index function stays within a buffer; the error names the dimension and both ranges.
pub fn inside(function: &IndexFunction, extents: &[usize], shape: &[usize]) -> Result<(), String> {
    for (dimension, size) in shape.iter().enumerate() {
        let (low, high) = range(function, dimension, extents);
        if low < 0 || high >= *size as i128 {
            return Err(format!(
                "dimension {} has indices 0 to {}, accessed are {low} to {high}",
                dimension + 1,
                *size as i128 - 1
            ));
        }
    }
    Ok(())
}

/// The minimum and maximum index in a dimension of a buffer.
fn range(function: &IndexFunction, dimension: usize, extents: &[usize]) -> (i128, i128) {
    let (coefficients, constant) = function.row(dimension);
    let constant = i128::from(constant);
    coefficients.iter().zip(extents).fold((constant, constant), |(low, high), (coefficient, extent)| {
        let reach = i128::from(*coefficient) * (*extent as i128 - 1);
        (low + reach.min(0), high + reach.max(0))
    })
}

/// The accesses of a view, read from its attribute: the reference does not depend on the analysis of the passes that it
/// checks.
fn accesses(functions: Option<Vec<Vec<IndexFunction>>>) -> Vec<Access> {
    let buffers = functions.unwrap_or_default().into_iter().enumerate();
    buffers
        .flat_map(|(buffer, functions)| functions.into_iter().map(move |function| Access { buffer, function }))
        .collect()
}

fn extents<'c>(
    found: &ir_computation::Computation<'c>,
    inputs: &[Arc<Buffer>],
    scalar: &dyn Fn(Val<'c>) -> Option<Slot>,
) -> Result<Vec<usize>, Failure> {
    let operands = found.extent_operands();
    let extent = |(d, source): (usize, &ExtentSource)| match source {
        ExtentSource::Static(extent) => Ok(*extent as usize),
        ExtentSource::Input { buffer, dimension } => Ok(inputs[*buffer].array.shape[*dimension]),
        ExtentSource::Operand(number) => {
            let value = operands.get(*number).and_then(|operand| scalar(*operand));
            let value = value
                .ok_or_else(|| Failure::at(found.inp_view.op(), format!("requires an operand for extent {}", d + 1)))?;
            let value = Element::Index.signed(value);
            usize::try_from(value).map_err(|_| {
                Failure::at(found.inp_view.op(), format!("extent {} is {value}, which is negative", d + 1))
            })
        }
    };
    found.extent_sources.iter().enumerate().map(extent).collect()
}

fn combine(hom: Op<'_>, operator: &CombineOperator, outputs: &[Element]) -> Result<Combine, Failure> {
    let Some(function) = operator.function() else { return Ok(Combine::Concatenation) };
    let (program, identity) = match function {
        Function::Builtin(kinds) => {
            if kinds.len() != outputs.len() {
                let message = format!("requires {} combining functions, but has {}", outputs.len(), kinds.len());
                return Err(Failure::at(hom, message));
            }
            let mut kernels = vec![];
            let mut identities = vec![];
            for (kind, element) in kinds.iter().zip(outputs) {
                let make = if element.is_float() { float::combine } else { integer::combine };
                let (kernel, identity) = make(*kind, *element)
                    .ok_or_else(|| Failure::at(hom, format!("{kind:?} does not combine {element}").to_lowercase()))?;
                kernels.push((kernel, Rule::of_operator(*kind, *element)));
                identities.push(identity);
            }
            (Program::of_kernels(kernels), Some(identities))
        }
        Function::Symbol(symbol) => {
            let missing = || Failure::at(hom, format!("no operator '{symbol}'"));
            let declared = Operator::lookup(hom, symbol).ok_or_else(missing)?;
            let body = declared.body().ok_or_else(missing)?;
            let program = Program::new(body)?;
            let count = outputs.len();
            if program.inputs().len() != 2 * count || program.outputs().len() != count {
                return Err(Failure::at(
                    hom,
                    format!("requires that operator '{symbol}' combines two tuples of {count}"),
                ));
            }
            let identity = match declared.identity() {
                None => None,
                Some(block) => {
                    let program = Program::new(block)?;
                    let mut slots = program.slots();
                    program.run(&mut slots, &[], &mut ())?;
                    Some(program.outputs().iter().map(|output| slots[*output]).collect())
                }
            };
            (program, identity)
        }
    };
    Ok(if operator.is_scan() { Combine::PrefixSum(program) } else { Combine::PointWise(program, identity) })
}

/// The element type of a buffer.
pub fn buffer_element(value: Val<'_>, user: Op<'_>) -> Result<Element, Failure> {
    use melior::ir::ValueLike;
    let unknown =
        || Failure::unsupported(user, format!("the reference evaluator has no arrays of type {}", value.r#type()));
    ir::element_type(value.r#type()).and_then(element_of_type).ok_or_else(unknown)
}

/// The element type of a scalar.
pub fn scalar_element(value: Val<'_>, user: Op<'_>) -> Result<Element, Failure> {
    element_of(&value).map_err(|message| Failure::at(user, message))
}
