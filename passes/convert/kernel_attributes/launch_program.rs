//! The host program of a function around its kernels, as a list of steps: JSON, for programs that launch kernels by
//! themselves (docs/kernels.md).
//!
//! ```text
//! %d = gpu.alloc () : memref<16xf32>              {"allocate": {"buffer": "buffer 1", "memory": "device", "element": "f32", "sizes": [16]}}
//! gpu.memcpy %d, %arg0                      ──▶   {"copy": {"from": {"buffer": "argument 1", ..}, "to": {"buffer": "buffer 1", ..}}}
//! scf.for %t = %c0 to %c512 step %c1 {            {"for": {"from": 0, "to": 512, "step": 1, "carried": [], "steps": [
//!   gpu.launch_func @mdh_kernels::@f ..             {"launch": {"kernel": "f", ..}}]}}
//! }
//! ```
//!
//! The description is complete, or it names the operation that no step can express.
use super::{self as kernel_attributes, host_values};
use mdh_dialects::{
    attributes::PROGRAM,
    ir::{self, Builder, Op, StatedLayout, Val},
};
use melior::ir::{TypeLike, ValueLike};
use serde_json::{Value, json};

/// The address space of shared memory, which no launch passes: the driver allocates it.
const SHARED_SPACE: u32 = 3;

/// An operation that no step can express, and the reason.
pub struct Unsupported<'c> {
    /// The operation.
    pub at: Op<'c>,
    /// The requirement that the operation violates.
    pub message: String,
}

type Described<'c, T> = Result<T, Unsupported<'c>>;

/// Attaches launch programs to public functions that launch kernels, directly or through calls.
pub fn attach(module: Op<'_>) {
    for function in ir::find(module, "func.func").into_iter().filter(|function| launches(*function, 0)) {
        let is_private = ir::attribute(function, "sym_visibility").and_then(ir::string_attribute) == Some("private");
        if is_private {
            continue;
        }
        let program = describe(function).unwrap_or_else(|Unsupported { at, message }| {
            let place = melior::ir::operation::OperationLike::location(&at).to_string();
            json!({ "refused": message, "at": place })
        });
        let context = ir::context(function);
        let text = melior::ir::attribute::StringAttribute::new(context, &program.to_string());
        ir::set_attribute(function, PROGRAM, text.into());
    }
}

/// The largest depth of calls that is searched for launches.
const MAX_CALL_DEPTH: usize = 64;

/// Returns true if a function launches kernels, directly or through calls.
fn launches(function: Op<'_>, depth: usize) -> bool {
    !ir::find(function, "gpu.launch_func").is_empty()
        || depth < MAX_CALL_DEPTH
            && ir::find(function, "func.call")
                .into_iter()
                .filter_map(ir::callee)
                .any(|callee| callee != function && launches(callee, depth + 1))
}

/// The launch program of a function.
pub fn describe<'c>(function: Op<'c>) -> Described<'c, Value> {
    let Some(body) = ir::body(function, 0) else { return Err(refuse(function, "a body")) };
    let mut program = LaunchProgram { views: vec![], buffers: 0 };
    let mut arguments = vec![];
    for (i, argument) in ir::arguments(body).into_iter().enumerate() {
        let name = format!("argument {}", i + 1);
        if argument.r#type().is_mem_ref() {
            let view =
                MemoryView::of_type(&name, argument).ok_or_else(|| refuse(function, "arguments of known strides"))?;
            let sizes: Vec<_> = ir::shape(argument.r#type()).unwrap_or_default();
            arguments.push(json!({ "name": name, "element": view.element, "sizes": sizes }));
            program.views.push((argument, view));
        } else {
            arguments.push(json!({ "name": name, "element": argument.r#type().to_string() }));
        }
    }
    let (steps, end) = program.block(body)?;
    let end = end.ok_or_else(|| refuse(function, "an end"))?;
    let results = ir::operands(end).into_iter().map(|value| {
        Ok(match value.r#type().is_mem_ref() {
            true => json!({ "buffer": program.whole(end, value)? }),
            false => json!({ "value": program.number(end, value)? }),
        })
    });
    let results = results.collect::<Described<'c, Vec<_>>>()?;
    let name = ir::attribute(function, "sym_name").and_then(ir::string_attribute).unwrap_or_default();
    Ok(json!({ "name": name, "arguments": arguments, "results": results, "steps": steps }))
}

fn refuse<'c>(at: Op<'c>, required: &str) -> Unsupported<'c> {
    Unsupported { at, message: format!("the manifest requires {required}, but got '{}'", ir::name(at)) }
}

/// A view of a buffer; offset, sizes and strides are in elements.
#[derive(Clone)]
struct MemoryView {
    buffer: String,
    element: String,
    offset: Value,
    sizes: Vec<Value>,
    strides: Vec<Value>,
    /// True if it covers the whole buffer.
    is_whole: bool,
}

impl MemoryView {
    /// The view of a whole buffer; `None` if its type does not contain its strides.
    fn of_type(buffer: &str, memref: Val<'_>) -> Option<Self> {
        let sizes = ir::shape(memref.r#type())?.into_iter().enumerate().map(|(i, size)| match size {
            Some(size) => json!(size),
            None => json!({ "size": i + 1, "of": buffer }),
        });
        Self::of_sizes(buffer, memref, sizes.collect())
    }

    fn of_sizes(buffer: &str, memref: Val<'_>, sizes: Vec<Value>) -> Option<Self> {
        let ty = memref.r#type();
        let (strides, offset) = ir::strides(ty)?;
        let strides = match ir::stated_layout(ty) {
            StatedLayout::RowMajor => dense(&sizes),
            _ => strides.into_iter().map(|stride| stride.map(Value::from)).collect::<Option<_>>()?,
        };
        let element = ir::element_type(ty)?.to_string();
        Some(Self { buffer: buffer.to_owned(), element, offset: json!(offset?), sizes, strides, is_whole: true })
    }

    fn json(&self) -> Value {
        json!({ "buffer": self.buffer, "offset": self.offset, "sizes": self.sizes, "strides": self.strides })
    }
}

/// The row-major strides of a buffer of these sizes.
fn dense(sizes: &[Value]) -> Vec<Value> {
    let mut strides = vec![json!(1); sizes.len()];
    for i in (1..sizes.len()).rev() {
        strides[i - 1] = product(&sizes[i], &strides[i]);
    }
    strides
}

fn product(a: &Value, b: &Value) -> Value {
    match (a.as_i64(), b.as_i64()) {
        (Some(a), Some(b)) => json!(a.saturating_mul(b)),
        (_, Some(1)) => a.clone(),
        (Some(1), _) => b.clone(),
        _ => json!({ "mul": [a, b] }),
    }
}

fn sum(a: &Value, b: &Value) -> Value {
    match (a.as_i64(), b.as_i64()) {
        (Some(a), Some(b)) => json!(a.saturating_add(b)),
        (Some(0), _) => b.clone(),
        (_, Some(0)) => a.clone(),
        _ => json!({ "add": [a, b] }),
    }
}

struct LaunchProgram<'c> {
    /// The views of the memrefs that are defined so far.
    views: Vec<(Val<'c>, MemoryView)>,
    /// The number of named buffers.
    buffers: usize,
}

impl<'c> LaunchProgram<'c> {
    /// The steps of a block, and its terminator.
    fn block(&mut self, block: ir::Blk<'c>) -> Described<'c, (Vec<Value>, Option<Op<'c>>)> {
        let (mut steps, mut operations) = (vec![], ir::block_operations(block));
        let end = operations.pop();
        for operation in operations {
            steps.extend(self.step(operation)?);
        }
        Ok((steps, end))
    }

    /// The step of an operation; `None` if it only computes values that other steps use.
    fn step(&mut self, operation: Op<'c>) -> Described<'c, Option<Value>> {
        let (operands, results) = (ir::operands(operation), ir::results(operation));
        Ok(Some(match ir::name(operation) {
            "memref.alloc" | "memref.alloca" => self.allocate(operation, "host")?,
            "gpu.alloc" => self.allocate(operation, "device")?,
            "gpu.dealloc" | "memref.dealloc" => json!({ "free": self.whole(operation, operands[0])? }),
            "gpu.memcpy" => self.copy(operation, operands[1], operands[0])?,
            "memref.copy" => self.copy(operation, operands[0], operands[1])?,
            "linalg.fill" => {
                let value = self.element(operation, operands[0])?;
                json!({ "fill": { "to": self.view(operation, operands[1])?.json(), "value": value } })
            }
            "memref.store" => self.store(operation)?,
            "gpu.launch_func" => self.launch(operation)?,
            "scf.for" => self.r#loop(operation)?,
            "scf.if" => self.branch(operation)?,
            "memref.get_global" => self.constant(operation)?,
            "memref.cast" | "builtin.unrealized_conversion_cast" if results[0].r#type().is_mem_ref() => {
                let view = self.view(operation, operands[0])?;
                self.views.push((results[0], view));
                return Ok(None);
            }
            "memref.subview" | "memref.reinterpret_cast" => {
                self.part(operation)?;
                return Ok(None);
            }
            name if name.starts_with("arith.") || NUMBERS.contains(&name) => return Ok(None),
            _ => return Err(refuse(operation, "a step that launches a kernel, or allocates, copies or fills memory")),
        }))
    }

    fn name(&mut self) -> String {
        self.buffers += 1;
        format!("buffer {}", self.buffers)
    }

    /// The view of a memref.
    fn view(&self, at: Op<'c>, memref: Val<'c>) -> Described<'c, MemoryView> {
        let known = self.views.iter().rev().find(|(value, _)| *value == memref);
        known.map(|(_, view)| view.clone()).ok_or_else(|| refuse(at, "memory whose origin is known"))
    }

    fn sizes(&self, memref: Val<'c>) -> Option<Vec<Value>> {
        self.views.iter().rev().find(|(value, _)| *value == memref).map(|(_, view)| view.sizes.clone())
    }

    /// The buffer of a memref that covers all of it.
    fn whole(&self, at: Op<'c>, memref: Val<'c>) -> Described<'c, String> {
        let view = self.view(at, memref)?;
        if view.is_whole { Ok(view.buffer) } else { Err(refuse(at, "whole buffers here")) }
    }

    fn number(&self, at: Op<'c>, value: Val<'c>) -> Described<'c, Value> {
        host_values::value_where(at, value, &|memref| self.sizes(memref))
            .ok_or_else(|| refuse(at, "numbers that follow from sizes, loops and arguments"))
    }

    fn allocate(&mut self, operation: Op<'c>, memory: &str) -> Described<'c, Value> {
        let (name, memref) = (self.name(), ir::results(operation)[0]);
        let sizes = host_values::sizes_where(operation, memref, &|memref| self.sizes(memref));
        let sizes = sizes.ok_or_else(|| refuse(operation, "sizes that follow from sizes, loops and arguments"))?;
        let view = MemoryView::of_sizes(&name, memref, sizes).ok_or_else(|| refuse(operation, "dense buffers"))?;
        let step = json!({ "buffer": name, "memory": memory, "element": view.element, "sizes": view.sizes });
        self.views.push((memref, view));
        Ok(json!({ "allocate": step }))
    }

    fn copy(&self, operation: Op<'c>, from: Val<'c>, to: Val<'c>) -> Described<'c, Value> {
        let (from, to) = (self.view(operation, from)?, self.view(operation, to)?);
        Ok(json!({ "copy": { "from": from.json(), "to": to.json() } }))
    }

    /// A store of one element of a buffer by the host, such as a scalar that a scalar function uses.
    fn store(&self, operation: Op<'c>) -> Described<'c, Value> {
        let operands = ir::operands(operation);
        let (value, view) = (self.element(operation, operands[0])?, self.view(operation, operands[1])?);
        let mut offset = view.offset.clone();
        for (index, stride) in operands[2..].iter().zip(&view.strides) {
            offset = sum(&offset, &product(&self.number(operation, *index)?, stride));
        }
        let element = MemoryView { offset, sizes: vec![], strides: vec![], is_whole: false, ..view };
        Ok(json!({ "fill": { "to": element.json(), "value": value } }))
    }

    /// An element: its bytes, or the argument that provides it. Expressions describe sizes, and do not round or wrap as
    /// the numbers of a program do.
    fn element(&self, at: Op<'c>, value: Val<'c>) -> Described<'c, Value> {
        let Some(operation) = ir::defining(value) else { return self.number(at, value) };
        let required = "elements that are constants or arguments";
        let constant = Some(operation).filter(|operation| ir::name(*operation) == "arith.constant");
        let Some(constant) = constant.and_then(|operation| ir::attribute(operation, "value")) else {
            return Err(refuse(operation, required));
        };
        let dense = Builder::before(at).dense(&[constant], value.r#type());
        let bytes = ir::dense_elements(dense).map(|(_, bytes)| json!({ "bytes": bytes }));
        bytes.ok_or_else(|| refuse(operation, required))
    }

    fn constant(&mut self, operation: Op<'c>) -> Described<'c, Value> {
        let (name, memref) = (self.name(), ir::results(operation)[0]);
        let refused = || refuse(operation, "constants with elements");
        let global = ir::attribute(operation, "name").and_then(ir::symbol_attribute);
        let global = global.and_then(|symbol| ir::lookup_symbol(operation, symbol)).ok_or_else(refused)?;
        let elements = ir::attribute(global, "initial_value").and_then(ir::dense_elements);
        let (_, bytes) = elements.filter(|_| ir::attribute(global, "constant").is_some()).ok_or_else(refused)?;
        let view = MemoryView::of_type(&name, memref).ok_or_else(refused)?;
        // A splat may have a single element.
        let hexadecimal: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let step = json!({ "buffer": name, "element": view.element, "sizes": view.sizes, "bytes": hexadecimal });
        self.views.push((memref, view));
        Ok(json!({ "constant": step }))
    }

    fn launch(&self, launch: Op<'c>) -> Described<'c, Value> {
        let kernel = ir::attribute(launch, "kernel").map(|kernel| kernel.to_string()).unwrap_or_default();
        let kernel = kernel.rsplit("::@").next().unwrap_or_default().trim_matches('"').to_owned();
        let values = kernel_attributes::arguments(launch);
        let sizes = ir::operands(launch);
        let sizes = sizes[..sizes.len() - values.len()].iter().map(|size| self.number(launch, *size));
        let sizes = sizes.collect::<Described<'c, Vec<_>>>()?;
        let arguments = values.into_iter().map(|value| match ir::pointer_space(value.r#type()) {
            Some(SHARED_SPACE) => Ok(Value::Null),
            Some(_) => {
                let memref = host_values::pointee(value).ok_or_else(|| refuse(launch, "pointers to buffers"))?;
                Ok(json!({ "buffer": self.view(launch, memref)?.buffer }))
            }
            None => self.number(launch, value),
        });
        let arguments = arguments.collect::<Described<'c, Vec<_>>>()?;
        let shared = sizes.get(6).cloned().unwrap_or_else(|| json!(0));
        let step = json!({ "kernel": kernel, "grid": sizes[..3], "block": sizes[3..6], "dynamic_shared_bytes": shared,
            "arguments": arguments });
        Ok(json!({ "launch": step }))
    }

    /// Gives a buffer its own name, since it is a different one in each iteration or in each branch.
    fn rename(&mut self, at: Op<'c>, memref: Val<'c>) -> Described<'c, String> {
        let refused = || refuse(at, "that buffers are carried, and whole ones only");
        if !memref.r#type().is_mem_ref() {
            return Err(refused());
        }
        let name = self.name();
        let view = MemoryView::of_type(&name, memref).ok_or_else(refused)?;
        self.views.push((memref, view));
        Ok(name)
    }

    fn r#loop(&mut self, operation: Op<'c>) -> Described<'c, Value> {
        let operands = ir::operands(operation);
        let bounds =
            operands[..3].iter().map(|bound| self.number(operation, *bound)).collect::<Described<'c, Vec<_>>>()?;
        let body = ir::body(operation, 0).ok_or_else(|| refuse(operation, "a body"))?;
        let mut carried = vec![];
        for (inside, before) in ir::arguments(body).into_iter().skip(1).zip(&operands[3..]) {
            let from = inside.r#type().is_mem_ref().then(|| self.whole(operation, *before)).transpose()?;
            carried.push((self.rename(operation, inside)?, from));
        }
        let (steps, end) = self.block(body)?;
        let next = end.map(ir::operands).unwrap_or_default();
        let mut names = vec![];
        for (((name, from), next), result) in carried.into_iter().zip(next).zip(ir::results(operation)) {
            let (next, result) = (self.whole(operation, next)?, self.rename(operation, result)?);
            names.push(json!({ "buffer": name, "from": from, "next": next, "result": result }));
        }
        let step = json!({ "from": bounds[0], "to": bounds[1], "step": bounds[2], "carried": names, "steps": steps });
        Ok(json!({ "for": step }))
    }

    fn branch(&mut self, operation: Op<'c>) -> Described<'c, Value> {
        let condition = self.number(operation, ir::operands(operation)[0])?;
        let mut branches = vec![];
        for region in 0..2 {
            let (steps, end) =
                ir::body(operation, region).map(|body| self.block(body)).transpose()?.unwrap_or_default();
            branches.push((steps, end.map(ir::operands).unwrap_or_default()));
        }
        let mut results = vec![];
        for (i, result) in ir::results(operation).into_iter().enumerate() {
            let name = self.rename(operation, result)?;
            let then = self.whole(operation, branches[0].1[i])?;
            results.push(json!({ "buffer": name, "then": then, "else": self.whole(operation, branches[1].1[i])? }));
        }
        let step = json!({ "condition": condition, "then": branches[0].0, "else": branches[1].0, "results": results });
        Ok(json!({ "if": step }))
    }

    /// Records a view of a part of a buffer.
    fn part(&mut self, operation: Op<'c>) -> Described<'c, ()> {
        let (operands, result) = (ir::operands(operation), ir::results(operation)[0]);
        let refused = || refuse(operation, "parts with offsets, sizes and strides that are known");
        let from = self.view(operation, operands[0])?;
        let is_subview = ir::name(operation) == "memref.subview";
        let mut dynamic = operands[1..].iter();
        let mut parts = vec![];
        for name in ["static_offsets", "static_sizes", "static_strides"] {
            let numbers = ir::attribute(operation, name).and_then(ir::dense_array_attribute).ok_or_else(refused)?;
            let numbers = numbers.into_iter().map(|number| match number {
                i64::MIN => self.number(operation, *dynamic.next().ok_or_else(refused)?),
                number => Ok(json!(number)),
            });
            parts.push(numbers.collect::<Described<'c, Vec<_>>>()?);
        }
        let [offsets, mut sizes, mut strides] = <[_; 3]>::try_from(parts).map_err(|_| refused())?;
        let offset = if is_subview {
            strides = strides.iter().zip(&from.strides).map(|(a, b)| product(a, b)).collect();
            let distances = offsets.iter().zip(&from.strides).map(|(offset, stride)| product(offset, stride));
            distances.fold(from.offset.clone(), |all, distance| sum(&all, &distance))
        } else {
            offsets.first().cloned().unwrap_or_else(|| json!(0))
        };
        // A view may drop dimensions of extent 1.
        let rank = ir::shape(result.r#type()).ok_or_else(refused)?.len();
        let mut axis = 0;
        while sizes.len() > rank {
            let one = (axis..sizes.len()).find(|i| sizes[*i] == json!(1)).ok_or_else(refused)?;
            sizes.remove(one);
            strides.remove(one);
            axis = one;
        }
        let view = MemoryView { offset, sizes, strides, is_whole: false, ..from };
        self.views.push((result, view));
        Ok(())
    }
}

/// Operations that only compute numbers and addresses.
const NUMBERS: [&str; 5] = [
    "memref.dim",
    "memref.extract_aligned_pointer_as_index",
    "memref.extract_strided_metadata",
    "llvm.inttoptr",
    "llvm.mlir.zero",
];
