//! A thin, safe layer over MLIR's C API: operations, values, and a builder.
//!
//! melior ties values to their block; a pass that rewrites IR needs handles that live longer. [`Op`], [`Val`] and
//! [`Blk`] live as long as the borrow of the module, or the run of the pass, in which they were made. They stay valid
//! for all of that time, even if [`erase`] removes what they refer to.
//!
//! ```no_run
//! #![forbid(unsafe_code)]
//! # use mdh_dialects::ir; use melior::Context;
//! let context = Context::new();
//! let module = ir::parse_module(&context, b"module {}").unwrap();
//! let operation = ir::op(module.as_operation());
//! ir::name(operation);
//! drop(module);
//! ```
//!
//! A handle cannot outlive its module:
//!
//! ```compile_fail,E0505
//! #![forbid(unsafe_code)]
//! # use mdh_dialects::ir; use melior::Context;
//! let context = Context::new();
//! let module = ir::parse_module(&context, b"module {}").unwrap();
//! let operation = ir::op(module.as_operation());
//! drop(module);
//! ir::name(operation);
//! ```
//!
//! Neither can the values and blocks that are reached from it:
//!
//! ```compile_fail,E0505
//! #![forbid(unsafe_code)]
//! # use mdh_dialects::ir; use melior::Context;
//! let context = Context::new();
//! let module = ir::parse_module(&context, b"module {}").unwrap();
//! let block = ir::body(ir::op(module.as_operation()), 0).unwrap();
//! drop(module);
//! ir::arguments(block);
//! ```
//!
//! No handle can exist while passes of MLIR, which erase operations, run on the module:
//!
//! ```compile_fail,E0502
//! #![forbid(unsafe_code)]
//! # use mdh_dialects::ir; use melior::{Context, pass::PassManager};
//! let context = Context::new();
//! let mut module = ir::parse_module(&context, b"module {}").unwrap();
//! let operation = ir::op(module.as_operation());
//! PassManager::new(&context).run(&mut module).unwrap();
//! ir::name(operation);
//! ```
//!
//! A type or an attribute cannot outlive its context:
//!
//! ```compile_fail,E0505
//! #![forbid(unsafe_code)]
//! # use mdh_dialects::ir; use melior::Context;
//! let context = Context::new();
//! let module = ir::parse_module(&context, b"module attributes {a = 1} {}").unwrap();
//! let attribute = ir::attribute(ir::op(module.as_operation()), "a").unwrap();
//! drop((module, context));
//! ir::integer_attribute(attribute);
//! ```
mod arith;
mod attributes;
mod builder;
mod changes;
pub(crate) mod constructors;
mod control_flow;
mod erased;
mod float_type;
pub(crate) mod handles;
mod modules;
mod op_view;
mod symbols;
mod tensors;
#[cfg(test)]
mod tests;
mod types;

pub use crate::ffi::upstream::kernel_memory;
pub use arith::{FloatPredicate, IntPredicate, promises};
pub use attributes::*;
pub use builder::*;
pub use changes::{
    ValueMap, move_after, move_before, remove_attribute, replace_uses, set_attribute, set_location, set_operand,
};
pub use constructors::{AddressSpace, DYNAMIC, IteratorType, Linkage, SEGMENTS, ShuffleMode, Unroll, segments};
pub use control_flow::{Edge, edges, terminator};
pub(crate) use erased::run_pass;
pub use erased::{erase, erase_argument, rewrite};
pub use float_type::FloatType;
pub(crate) use handles::text;
pub use handles::{
    Blk, Op, Val, arguments, attribute, blk, block, block_operations, blocks, body, context, defining, descendants,
    find, is_commutative, is_unused, name, next, op, operands, owner, parent, regions, results, users, val,
};
pub use modules::{parse_module, read_module};
pub use op_view::OpView;
pub(crate) use op_view::op_view;
pub use symbols::{callee, callee_symbol, function_reference, lookup_symbol, symbol_where, unused_symbol};
pub use tensors::groups;
pub use types::{
    Aggregate, StatedLayout, aggregate, bits, complex_part, element_type, element_type_or_self, integer_width,
    is_boolean, is_scalable, pointer_space, shape, stated_layout, strides, with_element,
};
