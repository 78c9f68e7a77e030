//! The manifest: a JSON description of kernels for programs that launch them.
use crate::{array::Element, program};
use anyhow::Result;
use mdh_dialects::{
    attributes::{PROGRAM, ROLES, SIZES, VALUES},
    ir::{self, Op},
};
use mdh_passes::convert::kernel_attributes::{self, SHARED_BYTES};
use melior::{
    dialect::llvm::r#type::pointer,
    ir::{TypeLike, ValueLike},
};
use serde::Serialize;
use serde_json::Value;

/// The version of the manifest.
const VERSION: u32 = 3;

/// The address space of shared memory.
const SHARED_SPACE: u32 = 3;

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DescribedKernel {
    /// The name of its entry point.
    pub name: String,
    /// The number of blocks in x, y and z: numbers, or expressions.
    pub grid: [Value; 3],
    /// The number of threads per block in x, y and z.
    pub block: [Value; 3],
    /// Static shared memory per block, in bytes.
    pub shared_bytes: u64,
    /// Dynamic shared memory per block, in bytes: a number, or an expression.
    pub dynamic_shared_bytes: Value,
    /// The condition under which the program launches it: `true`, or an expression.
    pub when: Value,
    /// Its arguments, in order.
    pub arguments: Vec<Argument>,
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Argument {
    /// `pointer` (to global memory), `shared` (dynamic local memory of OpenCL), `i64`, `f32`, …
    pub kind: String,
    /// Its size in bytes; 0 for `shared`, whose size the launch specifies.
    pub bytes: u64,
    /// Its role, such as `input 1`, `size 1 of input 1`, or `number`; `None` if unknown.
    pub role: Option<String>,
    /// For a number, its expression. For a pointer, the element type and the expressions of the sizes of its buffer.
    /// Null if it is known only at run time.
    pub value: Value,
}

#[derive(Serialize)]
struct Manifest<'a> {
    version: u32,
    target: &'a str,
    architecture: Option<&'a str>,
    kernels: &'a [DescribedKernel],
    functions: &'a [Value],
}

/// The launch programs of all functions with kernels in a module of the LLVM dialect.
pub fn programs(module: Op<'_>) -> Vec<Value> {
    let functions = ir::find(module, "llvm.func").into_iter();
    let texts = functions.filter_map(|function| ir::attribute(function, PROGRAM).and_then(ir::string_attribute));
    // The C wrapper of a function has the same program.
    let mut programs: Vec<Value> = vec![];
    for program in texts.filter_map(|text| serde_json::from_str(text).ok()) {
        if !programs.contains(&program) {
            programs.push(program);
        }
    }
    programs
}

/// The text of the manifest. The error names an operation that a launch program cannot express.
pub fn write(
    target: &str,
    architecture: Option<&str>,
    kernels: &[DescribedKernel],
    functions: &[Value],
) -> Result<String> {
    let refused = |program: &&Value| program.get("refused").is_some();
    if let Some(program) = functions.iter().find(refused) {
        let text = |key: &str| program[key].as_str().unwrap_or_default();
        return Err(program::wrong_where(text("at"), text("refused")));
    }
    let manifest = Manifest { version: VERSION, target, architecture, kernels, functions };
    let text = serde_json::to_string_pretty(&manifest).unwrap_or_else(|_| unreachable!("it has text as keys only"));
    Ok(text + "\n")
}

/// Describes a kernel, given as a function of the LLVM dialect; `bytes` returns the size of a global.
pub fn describe(module: Op<'_>, kernel: Op<'_>, bytes: impl Fn(&str) -> u64) -> DescribedKernel {
    let launches = ir::find(module, "gpu.launch_func");
    let own: Vec<_> =
        launches.into_iter().filter(|launch| kernel_attributes::kernel(module, *launch) == Some(kernel)).collect();
    let expressions = |name: &str| -> Vec<Value> {
        let texts = ir::attribute(kernel, name).and_then(ir::array_attribute).unwrap_or_default();
        let read = |text| serde_json::from_str(ir::string_attribute(text)?).ok();
        texts.into_iter().map(|text| read(text).unwrap_or_default()).collect()
    };
    let (values, sizes) = (expressions(VALUES), expressions(SIZES));
    // The value that all launches agree on.
    let size = |operand: usize| {
        let mut constants = own.iter().map(|launch| constant(ir::operands(*launch).get(operand).copied()?));
        let first = constants.next().flatten().filter(|first| constants.all(|size| size == Some(*first)));
        first.map_or_else(|| sizes.get(operand).cloned().unwrap_or_default(), Value::from)
    };
    let roles = ir::attribute(kernel, ROLES).and_then(ir::array_attribute).unwrap_or_default();
    let role = |i: usize| {
        let role = roles.get(i).copied().and_then(ir::string_attribute)?;
        (!role.is_empty()).then(|| role.to_owned())
    };
    let parameters = ir::body(kernel, 0).map(ir::arguments).unwrap_or_default();
    let shared_pointer = pointer(ir::context(module), SHARED_SPACE);
    let arguments = parameters.iter().enumerate().map(|(i, parameter)| {
        let ty = parameter.r#type();
        let (kind, bytes) = match () {
            () if ty == shared_pointer => ("shared".to_owned(), 0),
            () if ty.is_llvm_pointer_type() => ("pointer".to_owned(), 8),
            () => {
                let name = ty.to_string();
                let bytes = Element::from_name(&name).map_or(0, |element| element.bits().div_ceil(8));
                (name, u64::from(bytes))
            }
        };
        Argument { kind, bytes, role: role(i), value: values.get(i).cloned().unwrap_or_default() }
    });
    // A global may be used several times.
    let mut shared: Vec<_> = ir::find(kernel, "llvm.mlir.addressof")
        .into_iter()
        .filter(|address| ir::results(*address).iter().any(|result| result.r#type() == shared_pointer))
        .filter_map(|address| ir::attribute(address, "global_name").and_then(ir::symbol_attribute))
        .collect();
    shared.sort_unstable();
    shared.dedup();
    // The segments of grid and block sizes are followed by that of the dynamic shared memory, if any.
    let is_dynamic = own.iter().any(|launch| {
        let kinds = ir::segments(*launch);
        kinds.is_some_and(|kinds| kinds.get(SHARED_BYTES).is_some_and(|count| *count > 0))
    });
    DescribedKernel {
        name: symbol(kernel).to_owned(),
        grid: [size(0), size(1), size(2)],
        block: [size(3), size(4), size(5)],
        shared_bytes: shared.into_iter().map(bytes).sum(),
        dynamic_shared_bytes: if is_dynamic { size(6) } else { Value::from(0) },
        when: sizes.last().cloned().unwrap_or_default(),
        arguments: arguments.collect(),
    }
}

/// The value of a constant of the LLVM dialect.
fn constant(value: ir::Val<'_>) -> Option<i64> {
    let operation = ir::defining(value).filter(|operation| ir::name(*operation) == "llvm.mlir.constant")?;
    ir::integer_attribute(ir::attribute(operation, "value")?)
}

/// The symbol of an operation.
pub fn symbol<'c>(operation: Op<'c>) -> &'c str {
    ir::attribute(operation, "sym_name").and_then(ir::string_attribute).unwrap_or_default()
}
