//! C headers for compiled functions.
use crate::{
    array::Element,
    interface::{DECLARATIONS, Exported, type_number},
    signature::{Parameter, Signature},
};
use mdh_passes::target::Target;
use std::{collections::BTreeSet, fmt::Write};

/// A header for C and C++.
pub struct Header<'a> {
    /// The name of the file, without extension.
    pub name: &'a str,
    /// The functions that it declares.
    pub functions: &'a [Exported],
    /// What runs the loops.
    pub target: &'static Target,
}

impl Header<'_> {
    /// The text: the type of arrays, a function for each element type that makes one, and the functions.
    pub fn text(&self) -> String {
        let guard: String =
            self.name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
        let guard = format!("MDH_{guard}_H");
        let libraries = match self.target.kernels {
            None => "-lomp -lm, or -lm alone if it was compiled with --threads 1",
            Some(_) => "-lmdh_runtime -lm",
        };
        let is_checked = self.functions.iter().any(|function| function.checks.is_some());
        let rules = if is_checked { CHECKED } else { UNCHECKED };
        let mut text = format!(
            "// Made by mdh compile --emit header. The object file is linked with {libraries}.\n#ifndef {guard}\n#define {guard}\n\n\
             #include <stdbool.h>\n#include <stdint.h>\n#include <stdlib.h>\n{INTRODUCTION}{rules}\n{DECLARATIONS}\n\
             #ifdef __cplusplus\nextern \"C\" {{\n#endif\n"
        );
        let signatures = self.functions.iter().map(|function| &function.signature);
        let parameters = signatures.flat_map(|signature| signature.arguments.iter().chain(&signature.results));
        let elements: BTreeSet<_> = parameters.map(|parameter| parameter.element.to_string()).collect();
        elements.iter().filter_map(|name| Element::from_name(name)).for_each(|element| array(&mut text, element));
        for (function, c_name) in self.functions.iter().zip(c_names(self.functions)) {
            declaration(&mut text, function, &c_name);
        }
        let _ = write!(text, "\n#ifdef __cplusplus\n}}\n#endif\n\n#endif // {guard}\n");
        text
    }
}

const INTRODUCTION: &str = r#"
// A function takes an array for each argument and each result, and returns a status. mdh_<type> makes arrays of memory of the caller,
// and mdh_const_<type> those that are only read; scalars have rank 0. Arguments have any strides: of those that are not in row-major order the function makes a copy that is, and
// copies back what it writes. Arguments are only read, except where it is said below that they are written.
//
// A result with data is memory of the caller, of the sizes and strides that the array says. A result without data is allocated: the
// function fills in data and sizes (and strides, unless they are NULL), in row-major order, and the caller frees `allocation` by free(),
// also if there was an error. It is NULL where the result is the memory of an argument that is written, or of a result before.
// Results may be the memory of arguments that are only read; an argument that is written may not overlap any other argument or result.
//
// `message` is NULL or has room for MDH_MESSAGE bytes, which are written if the status is not MDH_OK.
"#;

const CHECKED: &str = r#"// Types, ranks, sizes and strides are checked before anything is computed, and so is that no computation leaves its arguments, unless
// it is said of a function that it has other accesses; what does not fit is MDH_INVALID. The caller answers for what no check can see: that the memory is there, and that what is written does not overlap.
"#;

const UNCHECKED: &str = r#"// Nothing is checked (--checked does): the caller answers for the number of arrays, for types and ranks, for sizes that are those below
// where these are numbers and fit together where they are not, for memory that is there, at a multiple of the size of an element (at
// most 8 bytes), and for results with the sizes that the function computes.
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

/// The functions that make an array of elements of a type, of what may be written and of what is only read.
fn array(text: &mut String, element: Element) {
    let name = format!("mdh_{element}");
    // Headers of several modules may be used together.
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
        type_number(element)
    );
}

/// Words that are no names in C or C++, or that the header itself and what it includes have.
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

/// Whether C and C++ take this as a name of a function.
pub fn is_identifier(name: &str) -> bool {
    let own = name.strip_prefix("mdh_").map(|own| own.strip_prefix("const_").unwrap_or(own));
    let is_own = own.is_some_and(|own| ["array", "function"].contains(&own) || Element::from_name(own).is_some());
    let is_reserved = is_own || ["MDH_", "__"].iter().any(|prefix| name.starts_with(prefix));
    !name.is_empty() && !is_reserved && !TAKEN.contains(&name) && is_word(name)
}

/// Whether this is made of the letters of names.
pub fn is_word(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What C calls the functions: by their names where these are identifiers, else by similar ones that no other function has.
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

fn declaration(text: &mut String, function: &Exported, c_name: &str) {
    let Exported { signature: Signature { name, arguments, results }, symbol, .. } = function;
    let comment = if is_identifier(name) { name.clone() } else { literal(name) };
    let _ = write!(text, "\n// {comment}\n");
    let mut describe = |kind: &str, i: usize, parameter: &Parameter, place: &str| {
        let r#type = if parameter.shape.is_some() { parameter.r#type() } else { parameter.element.to_string() };
        let _ = writeln!(text, "//   {kind}[{i}]: {}{place}", r#type);
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
    // The symbol of a function that C has no name for is given by itself.
    let assembler = if is_identifier(symbol) { String::new() } else { format!(" __asm__({})", literal(symbol)) };
    let _ =
        writeln!(text, "int32_t {c_name}(const mdh_array *arguments, mdh_array *results, char *message){assembler};");
}
