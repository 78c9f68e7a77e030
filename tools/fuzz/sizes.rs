//! Random programs whose sizes, offsets and indices are computed, with run-time checks, against the reference evaluator:
//! a program that leaves a buffer gives an error in both, and no other program does.
//!
//! The generator computes each index as the program does. Most sizes fit, so that errors are not all at the first
//! operation; others are negative, wrong by one, or so large that their bytes exceed the address space. No size is between
//! these, which would only take memory.
mod operations;

use crate::{
    array::{Array, Element, Slot},
    fuzz::compare::compare_results,
    interface::Memory,
    jit::{self, Argument},
    program::{self, Lowered},
    reference, signature,
    target::host::{Processor, ProcessorOptions, Sanitizer},
};
use anyhow::{Context as _, Result, anyhow, ensure};
use mdh_dialects::ir;
use mdh_passes::{pipeline::Options, schedule::random::Random};
use melior::Context;
use std::fmt::Write as _;

/// The most elements along an axis.
const MAX_SIZE: i64 = 40;
/// The least size that no memory has room for.
const HUGE: i64 = 1 << 45;

/// A tensor: its name and its sizes, each static in its type or not.
#[derive(Clone)]
struct Tensor {
    name: String,
    sizes: Vec<i64>,
    is_static: Vec<bool>,
}

impl Tensor {
    fn ty(&self) -> String {
        let axes = self.sizes.iter().zip(&self.is_static);
        let axes: String =
            axes.map(|(size, fixed)| if *fixed { format!("{size}x") } else { "?x".to_owned() }).collect();
        format!("tensor<{axes}i32>")
    }
}

/// A program under construction.
struct Sizes<'r> {
    random: &'r mut Random,
    text: String,
    count: usize,
    /// Indices: their names and values.
    indices: Vec<(String, i64)>,
    tensors: Vec<Tensor>,
}

/// The text of a random program, and its arguments.
pub fn program(seed: u64) -> Result<(String, Vec<Array>)> {
    let mut random = Random::new(seed);
    let (mut indices, mut tensors) = (vec![], vec![]);
    for i in 0..2 + random.below(2) {
        let small = random.below(8) as i64;
        indices.push((format!("%n{i}"), [small, 1, 2, -1, 1 << 62][random.below(9).saturating_sub(4)]));
    }
    for i in 0..1 + random.below(3) {
        let sizes: Vec<_> = (0..1 + random.below(2)).map(|_| random.below(7) as i64).collect();
        tensors.push(Tensor { name: format!("%t{i}"), is_static: vec![false; sizes.len()], sizes });
    }
    let (scalars, buffers) = (indices.clone(), tensors.clone());
    let mut sizes = Sizes { random: &mut random, text: String::new(), count: 0, indices, tensors };
    (0..3 + sizes.random.below(9)).for_each(|_| sizes.operation());
    let parameters: Vec<_> = scalars
        .iter()
        .map(|(name, _)| format!("{name}: index"))
        .chain(buffers.iter().map(|buffer| format!("{}: {}", buffer.name, buffer.ty())))
        .collect();
    let (names, types): (Vec<_>, Vec<_>) = sizes
        .tensors
        .iter()
        .map(|tensor| (tensor.name.clone(), tensor.ty()))
        .chain(sizes.indices.iter().map(|(name, _)| (name.clone(), "index".to_owned())))
        .skip(buffers.len())
        .unzip();
    let text = format!(
        "func.func @program({}) -> ({}) {{\n  %fill = arith.constant 7 : i32\n{}  return {} : {}\n}}\n",
        parameters.join(", "),
        types.join(", "),
        sizes.text,
        names.join(", "),
        types.join(", ")
    );
    let element = Element::from_name("i32").ok_or_else(|| anyhow!("no such type"))?;
    let scalars = scalars.iter().map(|(_, value)| Ok(Array::scalar(Element::Index, Slot::from(*value as u64))));
    let buffers = buffers.iter().map(|buffer| {
        let shape: Vec<_> = buffer.sizes.iter().map(|size| *size as usize).collect();
        let mut array = Array::filled(element, &shape, 0).map_err(anyhow::Error::msg)?;
        (0..array.len()).for_each(|i| array.set(i, random.below(6) as Slot));
        Ok(array)
    });
    let arguments = scalars.chain(buffers).collect::<Result<Vec<_>>>()?;
    Ok((text, arguments))
}

impl Sizes<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "  {text}");
    }

    fn name(&mut self) -> String {
        self.count += 1;
        format!("%v{}", self.count)
    }

    fn define(&mut self, operation: &str) -> String {
        let name = self.name();
        self.line(&format!("{name} = {operation}"));
        name
    }

    fn any_index(&mut self) -> (String, i64) {
        self.indices[self.random.below(self.indices.len())].clone()
    }

    fn any_tensor(&mut self) -> Tensor {
        let (a, b) = (self.random.below(self.tensors.len()), self.random.below(self.tensors.len()));
        self.tensors[a.max(b)].clone()
    }

    /// A tensor with one axis, if a random one has.
    fn vector(&mut self) -> Option<Tensor> {
        Some(self.any_tensor()).filter(|tensor| tensor.sizes.len() == 1)
    }

    fn constant(&mut self, value: i64) -> String {
        self.define(&format!("arith.constant {value} : index"))
    }

    /// An index that some computation gives, which fits `wanted` most of the time; a size is not between those that are
    /// small and those that no memory has room for.
    fn index(&mut self, wanted: impl Fn(i64) -> bool) -> (String, i64) {
        let is_size = |value: i64| !(MAX_SIZE..HUGE).contains(&value);
        let fits = !self.random.once_in(6);
        for _ in 0..8 {
            let (name, value) = self.any_index();
            if is_size(value) && (!fits || wanted(value)) {
                return (name, value);
            }
        }
        let value = (0..MAX_SIZE).find(|value| wanted(*value)).unwrap_or(1);
        let (name, known) = self.any_index();
        // A difference that canonicalization does not fold.
        let rest = self.constant(value.wrapping_sub(known));
        (self.define(&format!("arith.addi {name}, {rest} : index")), value)
    }

    /// A new index, computed from others.
    fn compute(&mut self) {
        let ((left, a), (right, b)) = (self.any_index(), self.any_index());
        let (text, value) = match self.random.below(12) {
            0 => (format!("arith.addi {left}, {right} : index"), a.wrapping_add(b)),
            1 => (format!("arith.subi {left}, {right} : index"), a.wrapping_sub(b)),
            2 => (format!("arith.muli {left}, {right} : index"), a.wrapping_mul(b)),
            3 => (format!("index.mul {left}, {right}"), a.wrapping_mul(b)),
            4 => (format!("index.shl {left}, {right}"), if (0..64).contains(&b) { a << b } else { 0 }),
            5 => (format!("arith.divsi {left}, {right} : index"), a.checked_div(b).unwrap_or(0)),
            6 => (format!("index.maxs {left}, {right}"), a.max(b)),
            7 => (format!("arith.minsi {left}, {right} : index"), a.min(b)),
            8 => {
                let map = format!("affine.apply affine_map<(d0)[s0] -> (d0 * 3 + s0)>({left})[{right}]");
                (map, a.wrapping_mul(3).wrapping_add(b))
            }
            9 => (format!("affine.max affine_map<(d0) -> (d0 - 2, 1)>({left})"), a.wrapping_sub(2).max(1)),
            10 => {
                let narrow = self.define(&format!("arith.index_cast {left} : index to i8"));
                (format!("arith.index_cast {narrow} : i8 to index"), a as i8 as i64)
            }
            _ => {
                let tensor = self.any_tensor();
                let axis = self.random.below(tensor.sizes.len());
                let of = self.constant(axis as i64);
                (format!("tensor.dim {}, {of} : {}", tensor.name, tensor.ty()), tensor.sizes[axis])
            }
        };
        let name = self.define(&text);
        self.indices.push((name, value));
    }

    fn add(&mut self, name: String, sizes: Vec<i64>, is_static: Vec<bool>) {
        // After an error nothing runs, whatever the sizes would be.
        let sizes = sizes.into_iter().map(|size| size.clamp(0, MAX_SIZE)).collect();
        self.tensors.push(Tensor { name, sizes, is_static });
    }
}

/// Runs the program of a seed with run-time checks, and compares the results, or that there are none, with the reference
/// evaluator's. Returns true if there are results. A sanitizer requires that its run-time library is loaded, which ends the
/// process at the first access outside of a buffer.
pub fn check(context: &Context, seed: u64, sanitizer: Option<Sanitizer>) -> Result<bool> {
    let (text, arguments) = program(seed)?;
    let mut module = program::parse(context, text.as_bytes()).with_context(|| text.clone())?;
    program::run(context, &mut module, "builtin.module(any(mdh-expand-softmax,lower-affine))")?;
    let function = signature::find(ir::op(module.as_operation()), None)?;
    let expected = reference::evaluate_with_errors(function, arguments.clone(), &|_| ());
    if let Err(failure) = &expected {
        ensure!(!failure.unsupported, "{failure}\n{text}");
    }
    let mut module = program::parse(context, text.as_bytes())?;
    let checks = signature::checks(signature::find(ir::op(module.as_operation()), None)?);
    let options = Options { threads: Some(1), has_runtime_checks: true, ..Options::default() };
    let level = u8::from(seed.is_multiple_of(4));
    let processor = Processor::new(&ProcessorOptions { level, sanitizer, ..ProcessorOptions::default() })?;
    let mut lowered = match (&expected, Lowered::new(context, &mut module, "program", &options)) {
        // Constant sizes are checked by the compiler.
        (Err(_), Err(_)) => return Ok(false),
        (_, lowered) => lowered.with_context(|| text.clone())?,
    };
    let code = jit::code(&mut lowered, &processor, None, Some(checks), Memory::Host)?;
    let compiled = jit::Compiled::link(&code)?;
    compiled.set_threads(1)?;
    let argument = |array: Array| match array.element {
        Element::Index if array.shape.is_empty() => Argument::Index(array.get(0) as i64),
        _ => Argument::Array(array),
    };
    let mut given: Vec<_> = arguments.into_iter().map(argument).collect();
    match (expected, compiled.call(&mut given)) {
        (Ok(expected), Ok(results)) => {
            compare_results(&expected.results, &results).map_err(|error| anyhow!("{error}\n{text}"))?;
            Ok(true)
        }
        (Err(_), Err(_)) => Ok(false),
        (Ok(_), Err(error)) => Err(anyhow!("only the code fails: {error:#}\n{text}")),
        (Err(failure), Ok(_)) => Err(anyhow!("only the reference evaluator fails: {failure}\n{text}")),
    }
}
