//! The C interface of compiled functions, version 1: one signature for all functions, callable from C, Rust, Python and
//! other languages.
//!
//! ```text
//! int32_t NAME(const mdh_array *arguments, mdh_array *results, char *message)
//!   -> mdh_call (interface/call.c): checks, row-major copies, results to their places
//!     -> the entry: pointers to memref descriptors and scalars
//!       -> _mlir_ciface_NAME, as upstream makes it
//! ```
//!
//! If arrays are in the memory of a device, results are arguments of the compiled function (`mdh-device-memory`), and the
//! caller passes a stream:
//!
//! ```text
//! int32_t NAME(const mdh_array *arguments, mdh_array *results, void *stream, char *message)
//!   -> mdh_call_on_device (interface/call_on_device.c): checks
//!     -> the entry: pointers to memref descriptors, also of results, and scalars
//!       -> _mlir_ciface_NAME
//! ```
pub mod levels;

use crate::{
    array::Element,
    llvm,
    signature::{Checks, Parameter, Signature},
};
use anyhow::{Context as _, Result, anyhow, ensure};
use clap::ValueEnum;
use inkwell::module::{Linkage, Module};
use mdh_dialects::{
    attributes::DEVICE_MEMORY,
    ir::{self, Builder, Op},
};
use std::fmt::Write;

/// Where the arrays of exported functions are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Memory {
    /// In the memory of the host: arguments and results are copied to and from the device
    #[default]
    Host,
    /// In the memory of the device: functions take a stream and submit their work to it
    Device,
}

impl Memory {
    /// The wrapper that all modules contain, as LLVM IR.
    fn wrapper(self) -> &'static str {
        match self {
            Self::Host => include_str!(concat!(env!("OUT_DIR"), "/call.ll")),
            Self::Device => include_str!(concat!(env!("OUT_DIR"), "/call_on_device.ll")),
        }
    }

    /// The function of the wrapper that exported functions call.
    fn called(self) -> &'static str {
        match self {
            Self::Host => "mdh_call",
            Self::Device => "mdh_call_on_device",
        }
    }

    /// Declares in the program where the arrays of a function are.
    pub fn mark(self, function: Op<'_>) {
        if self == Self::Device {
            ir::set_attribute(function, DEVICE_MEMORY, Builder::before(function).unit());
        }
    }

    /// Returns true if the wrapper declares a function of this name.
    fn declares(self, symbol: &str) -> bool {
        let call = format!("@{symbol}(");
        self.wrapper().lines().any(|line| line.starts_with("declare") && line.contains(&call))
    }
}

/// The C declarations that all headers contain.
pub const DECLARATIONS: &str = include_str!("interface/array.c");

/// The prefix of constants of exported functions: 1 if the function is checked, else 0.
pub const CHECKED_PREFIX: &str = "mdh_checked_";

/// A function that is exported from its module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// Its arguments and results.
    pub signature: Signature,
    /// Its symbol.
    pub symbol: String,
    /// The checks of its arguments; `None` if it is unchecked.
    pub checks: Option<Checks>,
}

impl Exported {
    /// The symbol of the constant that says whether it is checked.
    pub fn checked_symbol(&self) -> String {
        format!("{CHECKED_PREFIX}{}", self.symbol)
    }
}

/// Adds the exported functions to a module. All other functions become internal.
pub fn add(module: &Module<'_>, exported: &[Exported], memory: Memory) -> Result<()> {
    let own = |name: &str| module.get_function(name).is_some_and(|function| function.count_basic_blocks() > 0);
    let ciface_symbol = |function: &Exported| format!("_mlir_ciface_{}", function.signature.name);
    for Exported { symbol, .. } in exported {
        let is_called = module.get_function(symbol).is_some() && !own(symbol) || memory.declares(symbol);
        ensure!(
            !is_called && symbol != memory.called() && !exported.iter().any(|other| ciface_symbol(other) == *symbol),
            "'{symbol}' cannot be exported: the code itself calls a function of this name (--prefix makes another name)"
        );
        ensure!(
            !exported.iter().any(|other| other.checked_symbol() == *symbol),
            "'{symbol}' cannot be exported: a constant says by this name whether a function is checked"
        );
    }
    // Other functions with the name of an exported function, or of one that it calls, are renamed by the linker,
    // because they are internal.
    for function in module.get_functions().filter(|function| function.count_basic_blocks() > 0) {
        let name = function.get_name().to_string_lossy().into_owned();
        let has_interface = exported.iter().any(|exported| ciface_symbol(exported) == name);
        function.set_linkage(if has_interface { Linkage::External } else { Linkage::Internal });
    }
    let mut text = memory.wrapper().to_owned();
    for (i, function) in exported.iter().enumerate() {
        let name = ciface_symbol(function);
        ensure!(own(&name), "'{}' has no C interface", function.signature.name);
        one(&mut text, i, function, &name, memory);
        let is_checked = i32::from(function.checks.is_some());
        let _ = writeln!(text, "{} = constant i32 {is_checked}", global(&function.checked_symbol()));
    }
    let interface = llvm::parse(&text, module.get_context()).context("the interface")?;
    interface.set_triple(&module.get_triple());
    interface.set_data_layout(&module.get_data_layout());
    module.link_in_module(interface).map_err(|error| anyhow!("the interface: {error}"))?;
    for function in module.get_functions().filter(|function| function.count_basic_blocks() > 0) {
        let name = function.get_name().to_string_lossy();
        let is_exported = exported.iter().any(|exported| exported.symbol == name);
        function.set_linkage(if is_exported { Linkage::External } else { Linkage::Internal });
    }
    Ok(())
}

/// Returns true if upstream's interface returns a struct through a pointer: for memrefs, and for several results.
fn returns_struct(results: &[Parameter]) -> bool {
    results.len() > 1 || results.iter().any(|result| result.shape.is_some())
}

/// The byte offsets of the results in the struct of results, and its size.
fn result_layout(results: &[Parameter]) -> (Vec<usize>, usize) {
    let mut end: usize = 0;
    let offsets = results.iter().map(|result| {
        let (size, alignment) = match &result.shape {
            Some(shape) => (8 * (3 + 2 * shape.len()), 8),
            None => {
                let size = result.element.bytes();
                (size, size)
            }
        };
        let offset = end.next_multiple_of(alignment);
        end = offset + size;
        offset
    });
    (offsets.collect(), end)
}

/// The name of a global in LLVM IR.
fn global(name: &str) -> String {
    let mut text = String::from("@\"");
    for byte in name.bytes() {
        let _ = match byte {
            b'"' | b'\\' | 0..0x20 | 0x7f.. => write!(text, "\\{byte:02X}"),
            _ => write!(text, "{}", char::from(byte)),
        };
    }
    text.push('"');
    text
}

/// The type of a scalar in LLVM IR.
fn scalar(element: Element) -> String {
    match element {
        Element::Integer(bits) => format!("i{bits}"),
        Element::Index => "i64".to_owned(),
        Element::F16 => "half".to_owned(),
        Element::Bf16 => "bfloat".to_owned(),
        Element::F32 => "float".to_owned(),
        Element::F64 => "double".to_owned(),
    }
}

fn list(ty: &str, items: &[String]) -> String {
    let content = if items.is_empty() { "zeroinitializer".to_owned() } else { format!("[{}]", items.join(", ")) };
    format!("[{} x {ty}] {content}", items.len())
}

/// Where upstream's interface of a function has its arguments and results.
struct Places {
    /// 1 if the first operand is a pointer to the struct of results, else 0.
    first: usize,
    /// The parameters that are operands, in their order, after the struct of results.
    operands: Vec<Parameter>,
    /// The results that are returned.
    returned: Vec<Parameter>,
    /// For each argument and each result, the index of its operand, or its byte offset in the struct of results.
    places: Vec<usize>,
    /// The size of the struct of results in bytes.
    size: usize,
}

impl Places {
    fn of(Signature { arguments, results, .. }: &Signature, memory: Memory) -> Self {
        let is_operand = |result: &Parameter| memory == Memory::Device && result.shape.is_some();
        let (passed, returned): (Vec<_>, Vec<_>) = results.iter().cloned().partition(is_operand);
        let first = usize::from(returns_struct(&returned));
        let (offsets, size) = result_layout(&returned);
        let mut offsets = offsets.into_iter();
        let mut next = first + arguments.len();
        let of_result = |result: &Parameter| match is_operand(result) {
            true => {
                next += 1;
                next - 1
            }
            false => offsets.next().unwrap_or_default(),
        };
        let places = (first..first + arguments.len()).chain(results.iter().map(of_result).collect::<Vec<_>>());
        let places = places.collect();
        Self { first, operands: arguments.iter().cloned().chain(passed).collect(), returned, places, size }
    }

    /// The index of the results in the pointers that the entry takes.
    fn of_results(&self) -> usize {
        if self.first == 1 { 0 } else { self.operands.len() }
    }
}

/// Writes an exported function, its description for the wrapper, and its entry.
fn one(text: &mut String, number: usize, function: &Exported, inner: &str, memory: Memory) {
    let Signature { name, arguments, results } = &function.signature;
    let of = |what: &str| format!("@mdh.{number}.{what}");
    let layout = Places::of(&function.signature, memory);
    let (results_place, size) = (layout.of_results(), layout.size);
    let mut parameters = vec![];
    let places = layout.places.iter();
    for (i, (parameter, place)) in arguments.iter().chain(results).zip(places).enumerate() {
        let shape = parameter.shape.as_deref().unwrap_or_default();
        let sizes: Vec<_> = shape.iter().map(|size| format!("i64 {}", size.map_or(-1, |size| size as i64))).collect();
        let _ = writeln!(text, "{} = private constant {}", of(&format!("sizes.{i}")), list("i64", &sizes));
        parameters.push(format!(
            "{{ i32, i32, i32, i32, i64, ptr }} {{ i32 {}, i32 {}, i32 {}, i32 {}, i64 {place}, ptr {} }}",
            parameter.element.type_number(),
            shape.len(),
            i32::from(parameter.shape.is_none()),
            i32::from(i < arguments.len() && parameter.in_place),
            of(&format!("sizes.{i}"))
        ));
    }
    let mut bounds = vec![];
    for (i, bound) in function.checks.iter().flat_map(|checks| &checks.bounds).enumerate() {
        let terms: Vec<_> = bound
            .terms
            .iter()
            .map(|(factor, argument, dimension)| {
                let dimension = dimension.map_or(-1, |dimension| dimension as i64);
                format!("{{ i32, i32, i64 }} {{ i32 {argument}, i32 {dimension}, i64 {factor} }}")
            })
            .collect();
        let _ =
            writeln!(text, "{} = private constant {}", of(&format!("terms.{i}")), list("{ i32, i32, i64 }", &terms));
        bounds.push(format!(
            "{{ i32, i32, i64, i64, ptr }} {{ i32 {}, i32 {}, i64 {}, i64 {}, ptr {} }}",
            bound.argument,
            bound.dimension,
            bound.constant,
            terms.len(),
            of(&format!("terms.{i}"))
        ));
    }
    let numbers: usize = layout.operands.iter().filter_map(|a| Some(3 + 2 * a.shape.as_ref()?.len())).sum();
    let c_name: String = global(name)[2..].trim_end_matches('"').to_owned();
    let _ = writeln!(
        text,
        "{} = private constant [{} x i8] c\"{c_name}\\00\"\n{} = private constant {}\n{} = private constant {}\n\
         {} = private constant {{ ptr, i32, i32, i32, i32, i64, i64, i64, i64, ptr, ptr }} {{ ptr {}, i32 {}, i32 {}, i32 {}, \
         i32 {}, i64 {results_place}, i64 {}, i64 {numbers}, i64 {}, ptr {}, ptr {} }}",
        of("name"),
        name.len() + 1,
        of("parameters"),
        list("{ i32, i32, i32, i32, i64, ptr }", &parameters),
        of("bounds"),
        list("{ i32, i32, i64, i64, ptr }", &bounds),
        of("function"),
        of("name"),
        arguments.len(),
        results.len(),
        i32::from(function.checks.is_some()),
        bounds.len(),
        layout.operands.len() + 1,
        size.div_ceil(16),
        of("parameters"),
        of("bounds"),
    );
    entry(text, &of("entry"), inner, &layout);
    let given = match memory {
        Memory::Host => "ptr %arguments, ptr %results, ptr %message",
        Memory::Device => "ptr %arguments, ptr %results, ptr %stream, ptr %message",
    };
    let _ = writeln!(
        text,
        "define i32 {}({given}) nounwind {{\n  %status = call i32 @{}(ptr {}, ptr {}, {given})\n  ret i32 %status\n}}",
        global(&function.symbol),
        memory.called(),
        of("function"),
        of("entry")
    );
}

/// Writes the entry of a function. All entries have the same signature: an array of pointers, one for each argument and
/// one for the results.
fn entry(text: &mut String, name: &str, inner: &str, layout: &Places) {
    let (first, results_place) = (layout.first, layout.of_results());
    let mut body = String::new();
    let pointer = |body: &mut String, place: usize| {
        let _ = writeln!(body, "  %place{place} = getelementptr inbounds ptr, ptr %pointers, i64 {place}");
        let _ = writeln!(body, "  %pointer{place} = load ptr, ptr %place{place}");
    };
    let mut values = vec![];
    pointer(&mut body, results_place);
    if first == 1 {
        values.push((("ptr").to_owned(), format!("%pointer{results_place}")));
    }
    for (i, argument) in layout.operands.iter().enumerate() {
        let place = i + first;
        pointer(&mut body, place);
        values.push(match &argument.shape {
            Some(_) => ("ptr".to_owned(), format!("%pointer{place}")),
            None => {
                let ty = scalar(argument.element);
                let alignment = argument.element.bytes().min(8);
                let _ = writeln!(body, "  %value{place} = load {ty}, ptr %pointer{place}, align {alignment}");
                (ty, format!("%value{place}"))
            }
        });
    }
    let result = match layout.returned.as_slice() {
        [one] if first == 0 => scalar(one.element),
        _ => "void".to_owned(),
    };
    let types: Vec<_> = values.iter().map(|(ty, _)| ty.as_str()).collect();
    let given: Vec<_> = values.iter().map(|(ty, value)| format!("{ty} {value}")).collect();
    let call = format!("call {result} {}({})", global(inner), given.join(", "));
    let _ = match result.as_str() {
        "void" => writeln!(body, "  {call}"),
        _ => writeln!(body, "  %result = {call}\n  store {result} %result, ptr %pointer{results_place}"),
    };
    let _ = writeln!(
        text,
        "declare {result} {}({})\ndefine internal void {name}(ptr %pointers) nounwind {{\n{body}  ret void\n}}",
        global(inner),
        types.join(", ")
    );
}
