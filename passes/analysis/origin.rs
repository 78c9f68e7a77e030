//! Origins of memrefs, and alias analysis based on them.
use mdh_dialects::{
    attributes::{DEVICE_MEMORY, DIRECTIVE, NEST, PART},
    ir::{self, Op, Val},
};
use melior::ir::{Attribute, BlockLike, TypeLike, ValueLike, operation::OperationLike};

/// The operations whose result is a part, a cast or a reshape of their first operand.
pub const VIEWS: [&str; 8] = [
    "memref.cast",
    "memref.collapse_shape",
    "memref.expand_shape",
    "memref.memory_space_cast",
    "memref.reinterpret_cast",
    "memref.subview",
    "memref.transpose",
    "memref.view",
];

/// The memref from which this one is derived by views: an allocation, an argument, or a value that is not traced
/// further, such as a result of `scf.if`.
pub fn origin(memref: Val<'_>) -> Val<'_> {
    views(memref).filter_map(source).last().unwrap_or(memref)
}

/// The memref that a view is derived from.
fn source(view: Op<'_>) -> Option<Val<'_>> {
    ir::operands(view).first().copied().filter(|source| source.r#type().is_mem_ref())
}

/// The views that a memref is derived by, the last one first.
pub fn views<'c>(memref: Val<'c>) -> impl Iterator<Item = Op<'c>> {
    let view = |value| {
        let view = ir::defining(value).filter(|operation| VIEWS.contains(&ir::name(*operation)))?;
        source(view).map(|_| view)
    };
    std::iter::successors(view(memref), move |last| source(*last).and_then(view))
}

/// The operation that makes the part of a memref or tensor that a value is, if raising has built it.
pub fn part<'c>(value: Val<'c>) -> Option<Op<'c>> {
    ir::defining(value).filter(|view| ir::attribute(*view, PART).is_some())
}

/// Returns true if two memrefs may share memory. Distinct function arguments are assumed not to alias; the caller must
/// ensure this.
pub fn may_alias(a: Val<'_>, b: Val<'_>) -> bool {
    let (a, b) = (origin(a), origin(b));
    let distinct = |value| allocation(value).is_some() || constant(value).is_some() || is_function_argument(value);
    a == b || !((distinct(a) && distinct(b)) || is_allocated_after(a, b) || is_allocated_after(b, a))
}

/// True if a value is an allocation that is reached when another value exists already, which then is other memory.
pub(super) fn is_allocated_after(value: Val<'_>, other: Val<'_>) -> bool {
    allocation(value).is_some_and(|allocation| is_before(other, allocation))
}

fn allocation(value: Val<'_>) -> Option<Op<'_>> {
    ir::defining(value).filter(|operation| matches!(ir::name(*operation), "memref.alloc" | "memref.alloca"))
}

/// The constant global that a memref is: it has its own memory, which is never written.
pub fn constant<'c>(memref: Val<'c>) -> Option<Op<'c>> {
    let operation = ir::defining(memref).filter(|operation| ir::name(*operation) == "memref.get_global")?;
    let symbol = ir::attribute(operation, "name").and_then(ir::symbol_attribute)?;
    ir::lookup_symbol(operation, symbol).filter(|global| ir::attribute(*global, "constant").is_some())
}

/// True if a value is defined in a region of an operation.
pub fn is_defined_in<'c>(value: Val<'c>, operation: Op<'c>) -> bool {
    let owner = match ir::defining(value) {
        Some(defining) => ir::parent(defining),
        None => argument_block(value).and_then(|block| block.parent_operation().map(ir::op)),
    };
    std::iter::successors(owner, |outer| ir::parent(*outer)).any(|outer| outer == operation)
}

/// The block of which a value is an argument.
pub fn argument_block<'c>(value: Val<'c>) -> Option<ir::Blk<'c>> {
    ir::owner(value)
}

/// The function that contains an operation.
pub fn function_around<'c>(operation: Op<'c>) -> Option<Op<'c>> {
    let mut outer = std::iter::successors(ir::parent(operation), |operation| ir::parent(*operation));
    outer.find(|operation| ir::name(*operation) == "func.func")
}

/// True for an operation of a nest that comes from LLVM IR, which says for each operation what it promises.
pub fn is_of_llvm_ir(operation: Op<'_>) -> bool {
    function_around(operation).is_some_and(|function| ir::attribute(function, NEST).is_some())
}

/// True for an operation of a nest with a directive, which promises that values may be combined in any order.
pub fn has_directive(operation: Op<'_>) -> bool {
    function_around(operation).is_some_and(|function| ir::attribute(function, DIRECTIVE).is_some())
}

/// The function of which a value is an argument, of any of its blocks.
pub fn function_of_argument<'c>(value: Val<'c>) -> Option<Op<'c>> {
    let owner = argument_block(value).and_then(|block| block.parent_operation().map(ir::op));
    owner.filter(|owner| ir::name(*owner) == "func.func")
}

/// The function that a value is an argument of, and its position; `None` for arguments of other blocks.
pub fn function_argument<'c>(value: Val<'c>) -> Option<(Op<'c>, usize)> {
    let function = function_of_argument(value)?;
    let position = ir::arguments(ir::body(function, 0)?).iter().position(|argument| *argument == value)?;
    Some((function, position))
}

/// An attribute of an argument of a function.
pub fn argument_attribute<'c>(value: Val<'c>, name: &str) -> Option<Attribute<'c>> {
    let (function, position) = function_argument(value)?;
    let attributes = ir::attribute(function, "arg_attrs").and_then(ir::array_attribute)?;
    ir::dictionary_entry(*attributes.get(position)?, name)
}

/// True for an argument in the memory of the device of a function that is called from outside the module. Such an
/// argument shares no memory with another, unless both are only read: callers ensure this.
pub fn is_device_argument(value: Val<'_>) -> bool {
    function_of_argument(value).is_some_and(|owner| {
        ["llvm.emit_c_interface", DEVICE_MEMORY].iter().all(|name| ir::attribute(owner, name).is_some())
            && ir::body(owner, 0) == argument_block(value)
    })
}

pub(super) fn is_function_argument(value: Val<'_>) -> bool {
    function_of_argument(value).is_some()
}

/// Returns true if a value is defined before an operation is reached: earlier in its block or in an enclosing block, or
/// as an argument of such a block.
fn is_before(value: Val<'_>, operation: Op<'_>) -> bool {
    let (definition, argument_block) = (ir::defining(value), argument_block(value));
    let mut current = Some(operation);
    while let Some(inside) = current {
        let Some(block) = inside.block().map(ir::blk) else { return false };
        let mut until = ir::block_operations(block).into_iter().take_while(|sibling| *sibling != inside);
        if argument_block == Some(block)
            || definition.is_some_and(|definition| until.any(|sibling| sibling == definition))
        {
            return true;
        }
        current = ir::parent(inside);
    }
    false
}
