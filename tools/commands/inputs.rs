//! Reads arguments of a function from the command line, and finds those that are outputs.
use crate::{
    array::Array,
    npy,
    reference::scalar,
    signature::{Parameter, Signature},
};
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use mdh_dialects::{
    ir::{self, Op, OpView, Val},
    view::OutView,
};
use mdh_passes::analysis::{
    effects::{MemoryAccess, access},
    origin::origin,
};
use melior::ir::{TypeLike, ValueLike};
use std::path::Path;

/// Reads all arguments of a function. Notes about conversions are printed to the standard error.
pub fn read(signature: &Signature, inputs: &[String]) -> Result<Vec<Array>> {
    let Signature { name, arguments, .. } = signature;
    if inputs.len() != arguments.len() {
        let types = arguments.iter().map(Parameter::r#type).collect::<Vec<_>>().join(", ");
        let types = if types.is_empty() { String::new() } else { format!(" ({types})") };
        bail!("'{name}' requires {} inputs{types}, but got {}", arguments.len(), inputs.len());
    }
    let each = inputs.iter().zip(arguments).enumerate();
    each.map(|(i, (input, parameter))| {
        one(input, parameter).with_context(|| format!("input {} of '{name}' ('{input}')", i + 1))
    })
    .collect()
}

fn one(input: &str, parameter: &Parameter) -> Result<Array> {
    let element = parameter.element;
    if let Some(slot) = element.parse(input) {
        let shape = parameter.shape.as_deref().unwrap_or_default();
        let shape: Option<Vec<_>> = shape.iter().map(|size| size.map(|size| size as usize)).collect();
        let shape = shape
            .ok_or_else(|| anyhow!("requires a file: a number does not say the sizes of {}", parameter.r#type()))?;
        return Array::filled(element, &shape, slot).map_err(anyhow::Error::msg);
    }
    let path = Path::new(input);
    let looks_like_number = input.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && !path.exists()
        && path.extension().is_none_or(|e| e != "npy");
    ensure!(!looks_like_number, "is neither a number of type {element} nor a file");
    let (array, notes) = npy::read(path, element, parameter.is_complex)?;
    let wanted = parameter.shape.as_deref().unwrap_or_default();
    let fits = wanted.len() == array.shape.len()
        && wanted.iter().zip(&array.shape).all(|(wanted, size)| wanted.is_none_or(|wanted| wanted == *size as u64));
    ensure!(fits, "requires shape {}, but holds shape {:?}", shape_text(wanted), array.shape);
    if !notes.is_empty() {
        eprintln!("note: '{input}' is {}, and is converted", notes.join(" and "));
    }
    Ok(array)
}

fn shape_text(shape: &[Option<u64>]) -> String {
    let sizes = shape.iter().map(|size| size.map_or("?".to_owned(), |size| size.to_string()));
    format!("[{}]", sizes.collect::<Vec<_>>().join(", "))
}

/// The indices of the arguments that a function writes: memrefs that are a destination, or that are copied, stored or
/// filled into, in the function or in one that it calls. Tensors are values: a modified tensor is a result.
pub fn written(function: Op<'_>) -> Vec<usize> {
    written_within(function, &mut vec![])
}

/// `known`: functions visited so far with the arguments that they write. A recursive call adds nothing to what is found
/// without it.
fn written_within<'c>(function: Op<'c>, known: &mut Vec<(Op<'c>, Vec<usize>)>) -> Vec<usize> {
    if let Some((_, written)) = known.iter().find(|(other, _)| *other == function) {
        return written.clone();
    }
    known.push((function, vec![]));
    let Some(block) = ir::body(function, 0) else { return vec![] };
    let arguments = ir::arguments(block);
    let position = |value: Val<'_>| {
        arguments.iter().position(|argument| argument.r#type().is_mem_ref() && *argument == origin(value))
    };
    let mut written = vec![];
    for operation in ir::descendants(function) {
        let mut operands = ir::operands(operation);
        let targets: Vec<_> = match ir::name(operation) {
            OutView::NAME => operands.into_iter().skip(1).collect(),
            "affine.store"
            | "affine.vector_store"
            | "memref.atomic_rmw"
            | "bufferization.materialize_in_destination" => operands.get(1).copied().into_iter().collect(),
            "memref.generic_atomic_rmw" => operands.into_iter().take(1).collect(),
            // The outputs of linalg's operations come last.
            name if name.starts_with("linalg.") && !name.starts_with("linalg.yield") => {
                let segments = ir::segments(operation);
                let inputs = segments.and_then(|segments| usize::try_from(*segments.first()?).ok());
                operands.split_off(inputs.unwrap_or(operands.len().saturating_sub(1)).min(operands.len()))
            }
            "func.call" => match scalar::callee(operation) {
                Ok((callee, _)) => {
                    written_within(callee, known).into_iter().filter_map(|i| operands.get(i).copied()).collect()
                }
                Err(_) => vec![],
            },
            _ => {
                let all = operands.into_iter().enumerate();
                all.filter(|(i, _)| access(operation, *i) == MemoryAccess::Writes).map(|(_, operand)| operand).collect()
            }
        };
        written.extend(targets.into_iter().filter_map(position));
    }
    written.sort_unstable();
    written.dedup();
    if let Some((_, found)) = known.iter_mut().find(|(other, _)| *other == function) {
        found.clone_from(&written);
    }
    written
}
