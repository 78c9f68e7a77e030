//! Typed C functions in headers: each calls the function of the same name with arrays that it makes of pointers, sizes and
//! numbers.
//!
//! ```text
//! mdh_call_NAME(const float *argument0, int64_t argument0_size0, int64_t argument0_stride, …, float *result0, …, message)
//!   -> NAME(arguments, results, message)
//! ```
use super::c_type;
use crate::{
    interface::{Exported, Memory},
    signature::Parameter,
};
use std::fmt::Write;

/// The prefix of the C names of typed functions.
pub const PREFIX: &str = "mdh_call_";

/// What headers say about typed functions whose arrays are in the memory of the host.
pub const RULES: &str = r#"//
// mdh_call_NAME calls NAME with plain pointers and numbers, which the compiler of C checks. Its parameters are the arguments, then the
// results. A scalar is a number, as a result a pointer to one. An array is a pointer to its first element, followed by its sizes, except
// for those that the program states, and, if it has two dimensions, by its stride: the number of elements from one row to the next, which
// is at least the size of a row. Arrays are row-major, and dense apart from this stride. Results are stored to memory of the caller; one
// that is NULL is dropped.
"#;

/// What headers say about typed functions whose arrays are in the memory of a device.
pub const RULES_ON_DEVICE: &str = r#"//
// mdh_call_NAME calls NAME with plain pointers and numbers, which the compiler of C checks. Its parameters are the arguments, then the
// results. A number is passed as such, as a result through a pointer to one. An array is a pointer to its first element, followed by its
// sizes, except for those that the program states.
"#;

/// Writes the typed function of a function.
pub fn function(text: &mut String, function: &Exported, c_name: &str, memory: Memory) {
    let (arguments, results) = (&function.signature.arguments, &function.signature.results);
    let given = |kind: &'static str, parameters: &[Parameter]| -> Vec<Given> {
        let one = |(i, parameter)| Given::new(own(c_name, &format!("{kind}{i}")), kind, parameter, memory);
        parameters.iter().enumerate().map(one).collect()
    };
    let (taken, made) = (given("argument", arguments), given("result", results));
    let (stream, message) = (own(c_name, "stream"), own(c_name, "message"));
    let mut lines: Vec<_> = taken.iter().chain(&made).map(|given| given.parameters.join(", ")).collect();
    lines.extend((memory == Memory::Device).then(|| format!("void *{stream}")));
    lines.push(format!("char *{message}"));
    let _ = writeln!(text, "\nstatic inline int32_t {PREFIX}{c_name}(\n    {}) {{", lines.join(",\n    "));
    taken.iter().chain(&made).for_each(|given| text.push_str(&given.declarations));
    let mut arrays = |name: &str, given: &[Given]| {
        let arrays: Vec<_> = given.iter().map(|given| given.array.as_str()).collect();
        match arrays.is_empty() {
            true => "NULL".to_owned(),
            false => {
                let name = own(c_name, name);
                let _ = writeln!(text, "  mdh_array {name}[] = {{\n    {}}};", arrays.join(",\n    "));
                name
            }
        }
    };
    let (taken, made) = (arrays("arguments", &taken), arrays("results", &made));
    let stream = if memory == Memory::Device { format!("{stream}, ") } else { String::new() };
    let call = format!("{c_name}({taken}, {made}, {stream}{message})");
    let free: String = (0..results.len()).map(|i| format!("  free({made}[{i}].allocation);\n")).collect();
    let status = own(c_name, "status");
    let _ = match free.is_empty() {
        true => writeln!(text, "  return {call};\n}}"),
        false => writeln!(text, "  int32_t {status} = {call};\n{free}  return {status};\n}}"),
    };
}

/// A name of the typed function's own; that of the function that it calls stays visible.
fn own(c_name: &str, name: &str) -> String {
    if name == c_name { format!("{name}_") } else { name.to_owned() }
}

/// The C text of an argument or a result of a typed function.
struct Given {
    /// Declarations of its parameters.
    parameters: Vec<String>,
    /// Declarations of its sizes and strides.
    declarations: String,
    /// The array that the general function takes.
    array: String,
}

impl Given {
    fn new(name: String, kind: &str, parameter: &Parameter, memory: Memory) -> Self {
        let is_read = kind == "argument" && !parameter.in_place;
        let (constant, constructor) = if is_read { ("const ", "const_") } else { ("", "") };
        let (ty, element) = (c_type(parameter.element), parameter.element);
        let Some(shape) = &parameter.shape else {
            let (pointer, address) = if is_read { ("", "&") } else { ("*", "") };
            return Self {
                parameters: vec![format!("{ty} {pointer}{name}")],
                declarations: String::new(),
                array: format!("mdh_{constructor}{element}({address}{name}, 0, NULL, NULL)"),
            };
        };
        let mut parameters = vec![format!("{constant}{ty} *{name}")];
        let mut sizes = vec![];
        for (i, size) in shape.iter().enumerate() {
            let dynamic = format!("{name}_size{i}");
            sizes.push(size.map_or(dynamic.clone(), |size| size.to_string()));
            parameters.extend(size.is_none().then(|| format!("int64_t {dynamic}")));
        }
        // A complex number is two elements.
        let parts = 1 + usize::from(parameter.is_complex);
        let has_stride = memory == Memory::Host && shape.len() + 1 - parts == 2;
        let strides = match (has_stride, parts) {
            (false, _) => None,
            (true, 1) => Some(format!("{name}_stride, 1")),
            (true, _) => Some(format!("{parts} * {name}_stride, {parts}, 1")),
        };
        parameters.extend(has_stride.then(|| format!("int64_t {name}_stride")));
        let mut declarations = String::new();
        let mut list = |what: &str, items: Option<String>| match items.filter(|items| !items.is_empty()) {
            None => "NULL".to_owned(),
            Some(items) => {
                let _ = writeln!(declarations, "  int64_t {name}_{what}[] = {{{items}}};");
                format!("{name}_{what}")
            }
        };
        let (sizes, strides) = (list("sizes", Some(sizes.join(", "))), list("strides", strides));
        let array = format!("mdh_{constructor}{element}({name}, {}, {sizes}, {strides})", shape.len());
        Self { parameters, declarations, array }
    }
}
