//! `mdh-check-accesses`: checks each access to memory when it is executed.
//!
//! ```mlir
//! func.func @element(%x: memref<?xf32>, %i: index) -> f32 {
//!   %a = memref.load %x[%i] : memref<?xf32>
//!   return %a : f32
//! }
//! ```
//! becomes
//! ```mlir
//! %size = memref.dim %x, %c0 : memref<?xf32>
//! %inside = arith.cmpi ult, %i, %size : index
//! cf.assert %inside, "mdh check: ..error: requires an access inside of memref<?xf32>"
//! %a = memref.load %x[%i] : memref<?xf32>
//! ```
//!
//! The pass runs last on memrefs. If each memref is inside of an array of the program when a function begins, then no
//! access leaves the arrays, whatever the passes before have made of the program: accesses are inside of their memref,
//! views inside of what they are views of, and allocations have sizes whose bytes can be counted. An operation that is
//! not known to be safe is an error. Checks that never fail, because the indices have known bounds, are left out.
mod interval;
mod requirement;
mod view;

use interval::Intervals;
use mdh_dialects::{
    ir::{self, IntPredicate, Op, Val},
    pass::{Failure, MdhPass},
};
use melior::{
    dialect::DialectHandle,
    ir::{TypeLike, ValueLike},
};
use requirement::{AccessRequirement, ELEMENTS};

/// The pass.
pub struct CheckAccesses;

impl MdhPass for CheckAccesses {
    const NAME: &'static str = "CheckAccesses";
    const ARGUMENT: &'static str = "mdh-check-accesses";
    const DESCRIPTION: &'static str = "Check each access to memory when it is executed";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::arith(), DialectHandle::cf(), DialectHandle::memref()]
    }

    fn run<'c>(root: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        let mut known = Intervals::default();
        ir::descendants(root).into_iter().skip(1).try_for_each(|operation| check(operation, &mut known))
    }
}

/// Operations on memrefs that access no element, and make no memref.
const HARMLESS: &[&str] = &[
    "arith.select",
    "func.call",
    "func.func",
    "func.return",
    "memref.alloca",
    "memref.dealloc",
    "memref.dim",
    "memref.extract_aligned_pointer_as_index",
    "memref.extract_strided_metadata",
    "memref.get_global",
    "memref.prefetch",
    "memref.rank",
    "scf.condition",
    "scf.for",
    "scf.if",
    "scf.index_switch",
    "scf.while",
    "scf.yield",
];

/// Views: operations whose result is a part of their first operand.
const VIEWS: &[&str] = &[
    "memref.cast",
    "memref.collapse_shape",
    "memref.expand_shape",
    "memref.reinterpret_cast",
    "memref.subview",
    "memref.transpose",
];

/// Adds the checks of an operation.
fn check<'c>(operation: Op<'c>, known: &mut Intervals) -> Result<(), Failure<'c>> {
    let (name, operands) = (ir::name(operation), ir::operands(operation));
    let mut requirement = AccessRequirement::before(operation, known);
    let what = match (name, &operands[..]) {
        ("memref.load", [memref, indices @ ..]) | ("memref.store", [_, memref, indices @ ..]) => {
            requirement.inside(*memref, indices, 1)?;
            format!("an access inside of {}", memref.r#type())
        }
        ("memref.atomic_rmw", [_, memref, indices @ ..]) | ("memref.generic_atomic_rmw", [memref, indices @ ..]) => {
            requirement.inside(*memref, indices, 1)?;
            format!("an access inside of {}", memref.r#type())
        }
        ("vector.load", [memref, indices @ ..]) => {
            requirement.inside(*memref, indices, lanes(operation, ir::results(operation)[0])?)?;
            format!("an access inside of {}", memref.r#type())
        }
        ("vector.store", [vector, memref, indices @ ..]) => {
            requirement.inside(*memref, indices, lanes(operation, *vector)?)?;
            format!("an access inside of {}", memref.r#type())
        }
        ("vector.maskedload" | "vector.maskedstore", [memref, indices @ .., mask, _]) => {
            requirement.inside_where(*memref, indices, *mask, lanes(operation, *mask)?)?;
            format!("an access inside of {}", memref.r#type())
        }
        ("memref.copy", [from, to]) => {
            requirement.equal_sizes(*from, *to)?;
            format!("equal sizes of {} and {}", from.r#type(), to.r#type())
        }
        ("memref.alloc", sizes) => {
            requirement.countable(ir::results(operation)[0], sizes)?;
            format!("a buffer of at most {ELEMENTS} elements")
        }
        (name, [memref, ..]) if VIEWS.contains(&name) => {
            view::inside(&mut requirement, operation, *memref)?;
            return Ok(());
        }
        (name, [dividend, divisor]) if let Some(is_signed) = division(name) => {
            requirement.divisible(*dividend, *divisor, is_signed);
            "an integer divided neither by zero nor, if it is the least one, by -1".to_owned()
        }
        _ => {
            let mut values = operands.iter().copied().chain(ir::results(operation));
            return match values.find(|value| value.r#type().is_mem_ref() || value.r#type().is_unranked_mem_ref()) {
                Some(memref) if !HARMLESS.contains(&name) || memref.r#type().is_unranked_mem_ref() => {
                    Err(Failure::new(operation, format!("is not checked on {}", memref.r#type())))
                }
                _ => Ok(()),
            };
        }
    };
    requirement.assert(&what);
    Ok(())
}

/// The number of lanes of a vector of one dimension.
fn lanes<'c>(operation: Op<'c>, vector: Val<'c>) -> Result<i64, Failure<'c>> {
    match ir::shape(vector.r#type()).as_deref() {
        Some([Some(lanes)]) if !ir::is_scalable(vector.r#type()) => Ok(*lanes as i64),
        _ => Err(Failure::new(operation, format!("is not checked on {}", vector.r#type()))),
    }
}

/// Whether a division is of signed integers; `None` for other operations.
fn division(name: &str) -> Option<bool> {
    match name {
        "arith.divsi" | "arith.remsi" | "arith.ceildivsi" | "arith.floordivsi" => Some(true),
        "index.divs" | "index.rems" | "index.ceildivs" | "index.floordivs" => Some(true),
        "arith.divui" | "arith.remui" | "arith.ceildivui" | "index.divu" | "index.remu" | "index.ceildivu" => {
            Some(false)
        }
        _ => None,
    }
}
