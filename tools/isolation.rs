//! The allow-list of `mdh run --isolated`: operations that cannot access anything outside of the program. All others
//! are refused, with their location, before anything is compiled. What they compute is checked when it is executed
//! (`passes/convert/check_accesses.rs`), in a process without rights (`confinement.rs`).
use crate::program;
use anyhow::{Result, bail};
use mdh_dialects::ir::{self, Op, Val};
use melior::ir::{Attribute, Type, TypeLike, ValueLike, operation::OperationLike};

/// Dialects whose operations only compute, or access memory under run-time checks.
const DIALECTS: &[&str] = &["arith", "index", "linalg", "math", "mdh", "scf", "tensor"];

/// Operations of these dialects whose sizes are not checked at run time.
const UNCHECKED: &[&str] = &[
    "linalg.pack",
    "linalg.unpack",
    "tensor.bitcast",
    "tensor.gather",
    "tensor.insert_slice",
    "tensor.parallel_insert_slice",
    "tensor.reshape",
    "tensor.scatter",
    "tensor.unpack",
    "tensor.pack",
];

/// Operations that make views with sizes and strides. If these are dynamic, the check itself could overflow.
const VIEWS: &[&str] = &["memref.subview", "tensor.extract_slice"];

/// Operations that expand a dimension, of which at most one result size may be dynamic.
const EXPANSIONS: &[&str] = &["memref.expand_shape", "tensor.expand_shape"];

/// Allowed operations of other dialects, whose remaining operations may access more.
const OPERATIONS: &[&str] = &[
    "affine.apply",
    "affine.delinearize_index",
    "affine.for",
    "affine.if",
    "affine.linearize_index",
    "affine.max",
    "affine.min",
    "affine.yield",
    "bufferization.alloc_tensor",
    "bufferization.materialize_in_destination",
    "bufferization.to_buffer",
    "bufferization.to_tensor",
    "builtin.module",
    "cf.assert",
    "func.call",
    "func.func",
    "func.return",
    "memref.alloc",
    "memref.cast",
    "memref.collapse_shape",
    "memref.copy",
    "memref.dim",
    "memref.expand_shape",
    "memref.get_global",
    "memref.global",
    "memref.load",
    "memref.rank",
    "memref.store",
    "memref.subview",
];

/// Operations that allocate the size of their result type. A dynamic size may overflow the number of bytes, so that the
/// allocation is smaller than the shape that accesses are checked against.
const ALLOCATIONS: &[&str] =
    &["bufferization.alloc_tensor", "memref.alloc", "tensor.empty", "tensor.generate", "tensor.pad", "tensor.splat"];

/// Maximum number of elements of a buffer, over its static sizes.
const MAX_ELEMENTS: u64 = 1 << 40;

/// Dialects whose attributes any operation may have: they make no promise that the compiler trusts without a check.
const ATTRIBUTES: &[&str] = &["bufferization", "dlti", "mdh"];

/// Attributes that name external code, are passed to LLVM unchanged, or say how the memory of an argument is laid out.
const REFUSED_ATTRIBUTES: &[&str] = &["bufferization.buffer_layout", "library_call", "mdh.disjoint", "passthrough"];

/// The largest alignment of a buffer in bytes.
const MAX_ALIGNMENT: i64 = 4096;

/// Checks a whole program, before any pass has run. The error names the first refused operation, and its location.
pub fn check(module: Op<'_>) -> Result<()> {
    for operation in ir::descendants(module) {
        let refused = |what: &str| program::wrong_at(operation, &format!("--isolated refuses {what}"));
        let name = ir::name(operation);
        let dialect = name.split('.').next().unwrap_or_default();
        if !DIALECTS.contains(&dialect) && !OPERATIONS.contains(&name) {
            bail!(refused(&format!("'{name}', which may access memory or functions outside of the program")));
        }
        if let Some(problem) = unchecked(operation) {
            bail!(refused(&format!("'{name}' {problem}: nothing checks it when it runs")));
        }
        let symbol = || ir::attribute(operation, "sym_name").and_then(ir::string_attribute).unwrap_or_default();
        if name == "func.func" && ir::body(operation, 0).is_none() {
            bail!(refused(&format!("the function @{}, which is external: it has no body", symbol())));
        }
        if name == "memref.global" && ir::attribute(operation, "initial_value").is_none() {
            bail!(refused(&format!("the buffer @{}, which is external: it has no value", symbol())));
        }
        for shape in ir::results(operation).into_iter().filter_map(|result| ir::shape(result.r#type())) {
            if ALLOCATIONS.contains(&name) && shape.contains(&None) {
                bail!(refused(&format!("'{name}' of sizes that are not static")));
            }
            let elements = shape.iter().flatten().try_fold(1u64, |product, size| product.checked_mul((*size).max(1)));
            if elements.is_none_or(|elements| elements > MAX_ELEMENTS) {
                bail!(refused(&format!("buffers of more than {MAX_ELEMENTS} elements")));
            }
        }
        for ty in ir::results(operation).into_iter().map(|result| result.r#type()).filter(|ty| ty.is_mem_ref()) {
            let is_number = |ty: Type<'_>| ty.is_integer() || ty.is_float() || ty.is_index();
            if !ir::element_type(ty).is_some_and(is_number) {
                bail!(refused(&format!("'{name}' of {ty}: its elements are not numbers")));
            }
        }
        let mut names: Vec<String> = operation
            .attributes()
            .map(|(name, _)| name.as_string_ref().as_str().unwrap_or_default().to_owned())
            .collect();
        for of_each in ["arg_attrs", "res_attrs"] {
            names.extend(ir::attribute(operation, of_each).map(names_in).unwrap_or_default());
        }
        if let Some(name) = names.iter().find(|name| is_refused(name)) {
            bail!(refused(&format!("the attribute '{name}', which the compiler would trust without a check")));
        }
    }
    Ok(())
}

/// The property of an operation that could cause an out-of-bounds access that no run-time check detects; `None` if
/// there is none.
fn unchecked(operation: Op<'_>) -> Option<&'static str> {
    let name = ir::name(operation);
    let text = |key: &str| ir::attribute(operation, key).map(|attribute| attribute.to_string()).unwrap_or_default();
    let is_dynamic = |key: &str| {
        let numbers = ir::attribute(operation, key).and_then(ir::dense_array_attribute).unwrap_or_default();
        numbers.contains(&i64::MIN)
    };
    let shape = || ir::results(operation).first().and_then(|result| ir::shape(result.r#type())).unwrap_or_default();
    let maps = text("indexing_maps");
    let flags = ["overflowFlags", "overflow_flags"].map(text).concat();
    // A shift by at least the width has no defined result.
    let amount = || {
        let amount = ir::operands(operation).get(1).copied().and_then(ir::defining)?;
        let is_constant = matches!(ir::name(amount), "arith.constant" | "index.constant");
        ir::integer_attribute(ir::attribute(amount, "value").filter(|_| is_constant)?)
    };
    let alignment = || ir::attribute(operation, "alignment").and_then(ir::integer_attribute);
    let width = || ir::results(operation).first().map_or(0, |result| i64::from(ir::integer_width(result.r#type())));
    match name {
        _ if UNCHECKED.contains(&name) => Some("of any sizes"),
        _ if VIEWS.contains(&name) && ["static_sizes", "static_strides"].into_iter().any(is_dynamic) => {
            Some("of sizes or strides that are not static")
        }
        _ if EXPANSIONS.contains(&name) && shape().iter().filter(|size| size.is_none()).count() > 1 => {
            Some("to several sizes that are not static")
        }
        _ if ["mod", "floordiv", "ceildiv"].iter().any(|operator| maps.contains(operator)) => {
            Some("with a map that is not linear")
        }
        _ if flags.contains("nsw") || flags.contains("nuw") => Some("with a promise that it does not overflow"),
        _ if ["isExact", "nonNeg"].iter().any(|key| ir::attribute(operation, key).is_some()) => Some("with a promise"),
        _ if ["nnan", "ninf", "fast>"].iter().any(|flag| text("fastmath").contains(flag)) => {
            Some("with a promise about its values")
        }
        "tensor.pad" if has_guessed_sizes(operation) => Some("to sizes that do not follow from those of its operand"),
        "memref.load" | "memref.store" if alignment().is_some() => Some("with a promise of an alignment"),
        _ if alignment().is_some_and(|bytes| !(0..=MAX_ALIGNMENT).contains(&bytes)) => {
            Some("with an alignment of more than 4096 bytes")
        }
        "arith.shli" | "arith.shrsi" | "arith.shrui" | "index.shl" | "index.shrs" | "index.shru"
            if amount().is_none_or(|amount| amount < 0 || amount >= width()) =>
        {
            Some("by a number of bits that is not a constant below the width")
        }
        _ => None,
    }
}

/// True for an operation whose result has a static size where the size of its operand, or what is added to it, is dynamic.
fn has_guessed_sizes(pad: Op<'_>) -> bool {
    let shape = |value: Option<&Val<'_>>| value.and_then(|value| ir::shape(value.r#type())).unwrap_or_default();
    let [low, high] = ["static_low", "static_high"]
        .map(|key| ir::attribute(pad, key).and_then(ir::dense_array_attribute).unwrap_or_default());
    let added = low.iter().zip(&high).map(|(low, high)| *low == ir::DYNAMIC || *high == ir::DYNAMIC);
    let sizes = shape(ir::operands(pad).first()).into_iter().zip(shape(ir::results(pad).first()));
    sizes.zip(added).any(|((size, padded), added)| padded.is_some() && (size.is_none() || added))
}

/// The attribute names in the dictionaries of arguments or results.
fn names_in(attributes: Attribute<'_>) -> Vec<String> {
    let each = ir::array_attribute(attributes).unwrap_or_default().into_iter().filter_map(ir::dictionary);
    each.flatten().map(|(name, _)| name.to_owned()).collect()
}

fn is_refused(name: &str) -> bool {
    // Calls from C require this attribute; it adds nothing to a function.
    const INTERFACE: &str = "llvm.emit_c_interface";
    let dialect = name.split_once('.').map(|(dialect, _)| dialect);
    let is_unknown = dialect.is_some_and(|dialect| !ATTRIBUTES.contains(&dialect));
    name != INTERFACE && (is_unknown || REFUSED_ATTRIBUTES.contains(&name))
}
