//! C headers for compiled functions.
use crate::{
    array::Element,
    signature::{Parameter, Signature},
};
use std::{collections::BTreeSet, fmt::Write};

/// A header for C and C++ that declares the functions, types for their buffers, and functions that make these.
pub fn header(name: &str, signatures: &[Signature]) -> String {
    let guard: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    let guard = format!("MDH_{guard}_H");
    let mut text = format!("// Made by mdh compile --emit header.\n#ifndef {guard}\n#define {guard}\n{INTRODUCTION}");
    let parameters = signatures.iter().flat_map(|signature| signature.arguments.iter().chain(&signature.results));
    let buffers: BTreeSet<_> =
        parameters.filter_map(|p| Some((p.shape.as_ref()?.len(), p.element.to_string()))).collect();
    for (rank, element) in &buffers {
        if let Some(element) = Element::from_name(element) {
            buffer(&mut text, *rank, element);
        }
    }
    for (signature, c_name) in signatures.iter().zip(c_names(signatures)) {
        function(&mut text, signature, &c_name);
    }
    let _ = write!(text, "\n#ifdef __cplusplus\n}}\n#endif\n\n#endif // {guard}\n");
    text
}

const INTRODUCTION: &str = r#"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// A buffer is described by where it was allocated, where its elements start (aligned + offset), and by the size and stride, in
// elements, of each dimension. Arguments stay the caller's: mdh_<type>_<rank>d describes memory of the caller in row-major order.
// Results are allocated by the callee with malloc: the caller frees them with mdh_<type>_<rank>d_free.

#ifdef __cplusplus
extern "C" {
#endif
"#;

/// The type of an element in C. The floats of 16 bits and integers beyond 64 are extensions that GCC and Clang have.
fn c_type(element: Element) -> String {
    match element {
        Element::Integer(1) => "bool".to_owned(),
        Element::Integer(65..) => "__int128".to_owned(),
        Element::Integer(_) => format!("int{}_t", 8 * element.bytes()),
        Element::Index => "int64_t".to_owned(),
        Element::F16 => "_Float16".to_owned(),
        Element::Bf16 => "__bf16".to_owned(),
        Element::F32 => "float".to_owned(),
        Element::F64 => "double".to_owned(),
    }
}

fn descriptor(rank: usize, element: Element) -> String {
    format!("mdh_{element}_{rank}d")
}

fn buffer(text: &mut String, rank: usize, element: Element) {
    let name = descriptor(rank, element);
    // Headers of several modules may be used together.
    let guard = name.to_uppercase();
    let c = c_type(element);
    let sizes =
        if rank == 0 { String::new() } else { format!("  int64_t sizes[{rank}];\n  int64_t strides[{rank}];\n") };
    let arguments: String = (0..rank).map(|i| format!(", int64_t size{i}")).collect();
    let mut body = String::new();
    for i in 0..rank {
        let _ = writeln!(body, "  result.sizes[{i}] = size{i};");
    }
    for i in (0..rank).rev() {
        let stride = if i + 1 == rank { "1".to_owned() } else { format!("result.strides[{}] * size{}", i + 1, i + 1) };
        let _ = writeln!(body, "  result.strides[{i}] = {stride};");
    }
    let _ = write!(
        text,
        "
#ifndef {guard}
#define {guard}
typedef struct {{
  {c} *allocated;
  {c} *aligned;
  int64_t offset;
{sizes}}} {name}_t;

static inline {name}_t {name}({c} *data{arguments}) {{
  {name}_t result;
  result.allocated = data;
  result.aligned = data;
  result.offset = 0;
{body}  return result;
}}

static inline {c} *{name}_data({name}_t buffer) {{ return buffer.aligned + buffer.offset; }}

static inline void {name}_free({name}_t buffer) {{ free(buffer.allocated); }}
#endif
"
    );
}

fn type_name(parameter: &Parameter) -> String {
    match &parameter.shape {
        Some(shape) => format!("{}_t", descriptor(shape.len(), parameter.element)),
        None => c_type(parameter.element),
    }
}

fn is_identifier(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What C calls the functions: by their names where these are identifiers, else by similar ones that no other function has.
fn c_names(signatures: &[Signature]) -> Vec<String> {
    let mut taken: BTreeSet<_> = signatures.iter().map(|s| s.name.clone()).filter(|name| is_identifier(name)).collect();
    let mut name = |signature: &Signature| {
        if is_identifier(&signature.name) {
            return signature.name.clone();
        }
        let mut similar: String =
            signature.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if !is_identifier(&similar) {
            similar.insert(0, '_');
        }
        let numbered = (2u64..).map(|i| format!("{similar}_{i}"));
        let free = std::iter::once(similar.clone()).chain(numbered).find(|name| !taken.contains(name));
        let free = free.unwrap_or(similar);
        taken.insert(free.clone());
        free
    };
    signatures.iter().map(&mut name).collect()
}

/// A string literal of C.
fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | 0..0x20 | 0x7f.. => {
                let _ = write!(literal, "\\{byte:03o}");
            }
            _ => literal.push(char::from(byte)),
        }
    }
    literal.push('"');
    literal
}

fn function(text: &mut String, signature: &Signature, c_name: &str) {
    let Signature { name, arguments, results } = signature;
    let through_pointer = results.len() > 1 || results.iter().any(|result| result.shape.is_some());
    let result = match results.as_slice() {
        [] => "void".to_owned(),
        [result] => type_name(result),
        _ => {
            let fields: String =
                results.iter().enumerate().map(|(i, result)| format!("  {} result{i};\n", type_name(result))).collect();
            let _ = write!(text, "\ntypedef struct {{\n{fields}}} {c_name}_results_t;\n");
            format!("{c_name}_results_t")
        }
    };
    let mut interface: Vec<_> = through_pointer.then(|| format!("{result} *results")).into_iter().collect();
    let mut public = vec![];
    let mut values: Vec<_> = through_pointer.then(|| "&results".to_owned()).into_iter().collect();
    for (i, argument) in arguments.iter().enumerate() {
        let r#type = type_name(argument);
        let pointer = if argument.shape.is_some() { " *" } else { " " };
        interface.push(format!("{type}{pointer}argument{i}"));
        public.push(format!("{type} argument{i}"));
        values.push(format!("{}argument{i}", if argument.shape.is_some() { "&" } else { "" }));
    }
    let list = |items: Vec<String>| if items.is_empty() { "void".to_owned() } else { items.join(", ") };
    let (interface_result, body) = match (through_pointer, results.is_empty()) {
        (true, _) => (
            "void",
            format!("  {result} results;\n  _mlir_ciface_{c_name}({});\n  return results;\n", values.join(", ")),
        ),
        (false, true) => ("void", format!("  _mlir_ciface_{c_name}({});\n", values.join(", "))),
        (false, false) => (result.as_str(), format!("  return _mlir_ciface_{c_name}({});\n", values.join(", "))),
    };
    let describe = |kind: &str, i: usize, parameter: &Parameter| {
        let place = if parameter.in_place { ", may be written in place" } else { "" };
        format!("//   {kind}{i}: {}{place}\n", parameter.r#type())
    };
    // The symbol of a function that C has no name for is given by itself.
    let (comment, symbol) = if is_identifier(name) {
        (name.clone(), String::new())
    } else {
        (literal(name), format!(" __asm__({})", literal(&format!("_mlir_ciface_{name}"))))
    };
    let _ = write!(text, "\n// {comment}\n");
    for (i, argument) in arguments.iter().enumerate() {
        text.push_str(&describe("argument", i, argument));
    }
    for (i, result) in results.iter().enumerate() {
        let owner = if result.shape.is_some() { ", to be freed by the caller" } else { "" };
        let _ = writeln!(text, "//   result{i}: {}{owner}", result.r#type());
    }
    let _ = write!(
        text,
        "{interface_result} _mlir_ciface_{c_name}({}){symbol};\n\nstatic inline {result} {c_name}_call({}) {{\n{body}}}\n",
        list(interface),
        list(public)
    );
}
