//! C headers for compiled functions.
mod typed;

use crate::{
    array::Element,
    interface::{CHECKED_PREFIX, DECLARATIONS, Exported, Memory},
    signature::{Parameter, Signature},
};
use mdh_passes::target::Target;
use std::{collections::BTreeSet, fmt::Write};

/// A C and C++ header.
pub struct Header<'a> {
    /// The name of the file, without extension.
    pub name: &'a str,
    /// The functions that it declares.
    pub functions: &'a [Exported],
    /// The target of the code.
    pub target: &'static Target,
    /// Where the arrays of the functions are.
    pub memory: Memory,
}

impl Header<'_> {
    /// The text: the array type, constructors of arrays for each element type, and the functions.
    pub fn text(&self) -> String {
        let guard: String =
            self.name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
        let guard = format!("MDH_{guard}_H");
        let libraries = match self.target.kernels {
            None => "-lomp -lm, or -lm alone if it was compiled with --threads 1",
            Some(_) => "-lmdh_runtime -lm",
        };
        let is_checked = self.functions.iter().any(|function| function.checks.is_some());
        let (introduction, rules, typed) = match (self.memory, is_checked) {
            (Memory::Host, true) => (INTRODUCTION, CHECKED, typed::RULES),
            (Memory::Host, false) => (INTRODUCTION, UNCHECKED, typed::RULES),
            (Memory::Device, true) => (INTRODUCTION_ON_DEVICE, CHECKED_ON_DEVICE, typed::RULES_ON_DEVICE),
            (Memory::Device, false) => (INTRODUCTION_ON_DEVICE, UNCHECKED_ON_DEVICE, typed::RULES_ON_DEVICE),
        };
        let mut text = format!(
            "// Made by mdh compile --emit header. The object file is linked with {libraries}.\n#ifndef {guard}\n#define {guard}\n\n\
             #include <stdbool.h>\n#include <stdint.h>\n#include <stdlib.h>\n{introduction}{rules}{CONSTANTS}{typed}\n{DECLARATIONS}\n\
             #ifdef __cplusplus\nextern \"C\" {{\n#endif\n"
        );
        let signatures = self.functions.iter().map(|function| &function.signature);
        let parameters = signatures.flat_map(|signature| signature.arguments.iter().chain(&signature.results));
        let elements: BTreeSet<_> = parameters.map(|parameter| parameter.element.to_string()).collect();
        elements.iter().filter_map(|name| Element::from_name(name)).for_each(|element| array(&mut text, element));
        for (function, c_name) in self.functions.iter().zip(c_names(self.functions)) {
            declaration(&mut text, function, &c_name, self.memory);
            typed::function(&mut text, function, &c_name, self.memory);
        }
        let _ = write!(text, "\n#ifdef __cplusplus\n}}\n#endif\n\n#endif // {guard}\n");
        text
    }
}

const INTRODUCTION: &str = r#"
// A function takes an array for each argument and each result, and returns a status. mdh_<type> makes an array of the caller's memory,
// mdh_const_<type> one that is only read; scalars have rank 0. Arguments may have any strides: the function makes a row-major copy of an
// argument in another layout, and copies it back if it is written. Arguments are only read, unless marked as written below.
//
// A result with data is stored to the caller's memory, with the sizes and strides of the array. A result without data is allocated: the
// function fills in data and sizes (and strides, unless they are NULL), in row-major order, and the caller passes `allocation` to free(),
// even after an error. `allocation` is NULL if the result is in the memory of a written argument, or of a previous result.
// Results may be stored to the memory of arguments that are only read; a written argument must not overlap any other argument or result.
//
// `message` is NULL or a buffer of MDH_MESSAGE bytes, which is written if the status is not MDH_OK.
"#;

const CHECKED: &str = r#"// Types, ranks, sizes and strides are checked before anything is computed, and so are the bounds of all accesses, unless a function is
// marked below as having other accesses; a violation returns MDH_INVALID. The caller must guarantee what cannot be checked: that the
// memory is valid, and that written arrays do not overlap others.
"#;

const UNCHECKED: &str = r#"// Nothing is checked (see --checked). The caller must guarantee the number of arrays, their types and ranks, the static sizes below,
// dynamic sizes that fit together, valid memory that is aligned to the size of an element (at most 8 bytes), and results of the sizes
// that the function computes.
"#;

const INTRODUCTION_ON_DEVICE: &str = r#"
// A function takes an array for each argument and each result, and a stream (CUstream) or NULL, and returns a status. mdh_<type> makes an
// array of memory of the device, mdh_const_<type> one that is only read; the sizes are in memory of the host. All arrays are in row-major
// order, at multiples of 16 bytes. Numbers, which are marked below by a type without sizes, are arrays of rank 0 in memory of the host.
//
// The function submits its work to the stream, and returns before the work is done, unless it needs a number from the device. Results are
// stored to memory of the caller, who provides it with the sizes that the function computes. Arguments are only read, unless marked as
// written below. Results and written arguments must not share memory with any other argument or result.
//
// The device is that of the run-time library: the first GPU, unless MDH_DEVICE selects another. Its primary context is used, and the stream
// belongs to it. An error of the device returns MDH_FAILED: what the call has allocated is freed.
//
// `message` is NULL or a buffer of MDH_MESSAGE bytes, which is written if the status is not MDH_OK.
"#;

const CHECKED_ON_DEVICE: &str = r#"// Types, ranks, sizes, and the places of arrays are checked before anything is computed, and so are the bounds of all accesses, unless a
// function is marked below as having other accesses; a violation returns MDH_INVALID. The caller must guarantee that the memory is valid.
"#;

const UNCHECKED_ON_DEVICE: &str = r#"// Only the order and alignment of arrays, and dynamic sizes of results, are checked (see --checked). The caller must guarantee the number of
// arrays, their types and ranks, the static sizes below, dynamic sizes that fit together, and valid memory of the device.
"#;

const CONSTANTS: &str = r#"//
// The constant mdh_checked_NAME says whether NAME in the object is checked: it is 1 or 0.
"#;

/// The C type of an element.
fn c_type(element: Element) -> String {
    match element {
        Element::Integer(1) => "bool".to_owned(),
        Element::Integer(65..) => "mdh_int128".to_owned(),
        Element::Integer(_) => format!("int{}_t", 8 * element.bytes()),
        Element::Index => "int64_t".to_owned(),
        Element::F16 => "mdh_float16".to_owned(),
        Element::Bf16 => "mdh_bfloat16".to_owned(),
        Element::F32 => "float".to_owned(),
        Element::F64 => "double".to_owned(),
    }
}

/// The name in GCC and Clang of a type that only they have. Headers declare another name for it as an extension, so that
/// there are no warnings with `-pedantic`.
fn extension(element: Element) -> Option<&'static str> {
    match element {
        Element::Integer(65..) => Some("__int128"),
        Element::F16 => Some("_Float16"),
        Element::Bf16 => Some("__bf16"),
        _ => None,
    }
}

/// Writes the functions that make arrays of an element type, for writable and for read-only data.
fn array(text: &mut String, element: Element) {
    if let Some(ty) = extension(element) {
        let name = c_type(element);
        let guard = format!("{}_TYPE", name.to_uppercase());
        let _ = write!(text, "\n#ifndef {guard}\n#define {guard}\n__extension__ typedef {ty} {name};\n#endif\n");
    }
    let name = format!("mdh_{element}");
    // Guarded, because headers of several modules may be included together.
    let (guard, c) = (name.to_uppercase(), c_type(element));
    let _ = write!(
        text,
        "
#ifndef {guard}
#define {guard}
static inline mdh_array {name}({c} *data, int32_t rank, int64_t *sizes, int64_t *strides) {{
  mdh_array array = {{data, sizes, strides, NULL, {:#x}, rank}};
  return array;
}}

static inline mdh_array mdh_const_{element}(const {c} *data, int32_t rank, const int64_t *sizes, const int64_t *strides) {{
  return {name}(({c} *)data, rank, (int64_t *)sizes, (int64_t *)strides);
}}
#endif
",
        element.type_number()
    );
}

/// Names that are reserved in C or C++, or declared by the header and the files that it includes.
const TAKEN: &[&str] = &[
    "NULL",
    "abort",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "exit",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "main",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
];

/// Returns true if C and C++ accept the name for a function.
pub fn is_identifier(name: &str) -> bool {
    let own = name.strip_prefix("mdh_").map(|own| own.strip_prefix("const_").unwrap_or(own));
    let types = ["array", "function", "device_function", "int128", "float16", "bfloat16"];
    let is_own = own.is_some_and(|own| types.contains(&own) || Element::from_name(own).is_some());
    let is_reserved =
        is_own || ["MDH_", "__", typed::PREFIX, CHECKED_PREFIX].iter().any(|prefix| name.starts_with(prefix));
    !name.is_empty() && !is_reserved && !TAKEN.contains(&name) && is_word(name)
}

/// Returns true if the name consists of letters, digits and underscores, and does not start with a digit.
pub fn is_word(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The C names of functions: their symbols if these are identifiers, else similar names that no other function has.
fn c_names(functions: &[Exported]) -> Vec<String> {
    let mut taken: BTreeSet<_> =
        functions.iter().map(|f| f.symbol.clone()).filter(|name| is_identifier(name)).collect();
    let mut name = |function: &Exported| {
        if is_identifier(&function.symbol) {
            return function.symbol.clone();
        }
        let mut similar: String =
            function.symbol.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if !is_word(&similar) {
            similar.insert(0, '_');
        }
        if !is_identifier(&similar) {
            similar.insert_str(0, "function_");
        }
        let numbered = (2u64..).map(|i| format!("{similar}_{i}"));
        let free = std::iter::once(similar.clone()).chain(numbered).find(|name| !taken.contains(name));
        let free = free.unwrap_or(similar);
        taken.insert(free.clone());
        free
    };
    functions.iter().map(&mut name).collect()
}

/// A C string literal.
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

fn declaration(text: &mut String, function: &Exported, c_name: &str, memory: Memory) {
    let Exported { signature: Signature { name, arguments, results }, symbol, .. } = function;
    let comment = if is_identifier(name) { name.clone() } else { literal(name) };
    let _ = write!(text, "\n// {comment}\n");
    let mut describe = |kind: &str, i: usize, parameter: &Parameter, place: &str| {
        let ty = if parameter.shape.is_some() { parameter.r#type() } else { parameter.element.to_string() };
        let _ = writeln!(text, "//   {kind}[{i}]: {}{place}", ty);
    };
    for (i, argument) in arguments.iter().enumerate() {
        describe("arguments", i, argument, if argument.in_place { ", written" } else { "" });
    }
    for (i, result) in results.iter().enumerate() {
        describe("results", i, result, "");
    }
    if function.checks.as_ref().is_some_and(|checks| !checks.is_complete) {
        text.push_str(
            "//   Accesses that follow from computed sizes, or stand around its computations, are not checked.\n",
        );
    }
    // If the symbol is not an identifier, an `__asm__` label sets it.
    let assembler = |prefix: &str| match is_identifier(symbol) {
        true => String::new(),
        false => format!(" __asm__({})", literal(&format!("{prefix}{symbol}"))),
    };
    let stream = if memory == Memory::Device { "void *stream, " } else { "" };
    let _ = writeln!(
        text,
        "int32_t {c_name}(const mdh_array *arguments, mdh_array *results, {stream}char *message){};\n\
         extern const int32_t {CHECKED_PREFIX}{c_name}{};",
        assembler(""),
        assembler(CHECKED_PREFIX)
    );
}
