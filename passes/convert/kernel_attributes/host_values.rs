//! Host values of a launch as expressions over the arguments of the host function: JSON, for programs that launch
//! kernels by themselves.
//!
//! ```text
//! %n = memref.dim %arg0, %c1        ──▶   {"ceildiv": [{"size": 2, "of": "argument 1"}, 256]}
//! %b = arith.ceildivsi %n, %c256
//! ```
use crate::{analysis::origin::function_around, convert::kernel_arguments::allocation};
use mdh_dialects::ir::{self, IntPredicate, Op, Val};
use melior::ir::ValueLike;
use serde_json::{Value, json};

/// The largest number of operations of an expression; longer ones are not useful.
const MAX_OPERATIONS: usize = 256;

/// Binary operations and their names in expressions. Divisions round toward zero (`div`), down or up. Upstream turns
/// signed operations into unsigned ones if it knows that sizes are not negative.
const BINARY: [(&str, &str); 14] = [
    ("arith.addi", "add"),
    ("arith.subi", "sub"),
    ("arith.muli", "mul"),
    ("arith.divsi", "div"),
    ("arith.divui", "div"),
    ("arith.floordivsi", "floordiv"),
    ("arith.ceildivsi", "ceildiv"),
    ("arith.ceildivui", "ceildiv"),
    ("arith.remsi", "rem"),
    ("arith.remui", "rem"),
    ("arith.minsi", "min"),
    ("arith.maxsi", "max"),
    ("arith.andi", "and"),
    ("arith.ori", "or"),
];

/// The name of a comparison; unsigned comparisons have the names of signed ones.
fn comparison(predicate: IntPredicate) -> &'static str {
    match predicate {
        IntPredicate::Eq => "eq",
        IntPredicate::Ne => "ne",
        IntPredicate::Slt | IntPredicate::Ult => "lt",
        IntPredicate::Sle | IntPredicate::Ule => "le",
        IntPredicate::Sgt | IntPredicate::Ugt => "gt",
        IntPredicate::Sge | IntPredicate::Uge => "ge",
    }
}

/// The expression of a host value at an operation of its function. Leaves are numbers,
/// `{"size": D, "of": "argument N"}`, `{"value": "argument N"}` and `{"loop": N}`, the induction variable of the N-th
/// enclosing loop, outermost first; D and N count from 1. `None` for other values.
pub fn value<'c>(at: Op<'c>, of: Val<'c>) -> Option<Value> {
    value_where(at, of, &|_| None)
}

/// Returns the sizes of a memref if the caller knows them.
pub type SizeLookup<'s, 'c> = &'s dyn Fn(Val<'c>) -> Option<Vec<Value>>;

/// As [`value`], with known sizes of some memrefs.
pub fn value_where<'c>(at: Op<'c>, of: Val<'c>, known: SizeLookup<'_, 'c>) -> Option<Value> {
    Host { at, left: MAX_OPERATIONS, known }.value(of)
}

/// The condition under which an operation executes: the conjunction of the conditions of all enclosing branches; `true`
/// if there are none.
pub fn condition(at: Op<'_>) -> Option<Value> {
    let mut host = Host { at, left: MAX_OPERATIONS, known: &|_| None };
    let mut all = json!(true);
    let mut inner = at;
    while let Some(outer) = ir::parent(inner).filter(|outer| ir::name(*outer) != "func.func") {
        if ir::name(outer) == "scf.if" {
            let condition = host.value(*ir::operands(outer).first()?)?;
            let is_then = ir::body(outer, 0).is_some_and(|then| ir::block_operations(then).contains(&inner));
            let condition = if is_then { condition } else { json!({ "not": [condition] }) };
            all = if all == json!(true) { condition } else { json!({ "and": [condition, all] }) };
        }
        inner = outer;
    }
    Some(all)
}

/// The element type and sizes of the buffer that a pointer argument of a launch points to, and the index, from 1, of
/// its memory among the device allocations of the function: kernels that pass data to each other have pointers with the
/// same index.
pub fn buffer<'c>(at: Op<'c>, pointer: Val<'c>) -> Option<Value> {
    let memref = pointee(pointer)?;
    let sizes = sizes_where(at, memref, &|_| None)?;
    Some(json!({ "element": ir::element_type(memref.r#type())?.to_string(), "sizes": sizes, "memory": memory(memref) }))
}

/// The memref that a pointer argument of a launch points to.
pub fn pointee<'c>(pointer: Val<'c>) -> Option<Val<'c>> {
    let number = ir::defining(pointer).filter(|operation| ir::name(*operation) == "llvm.inttoptr")?;
    let index = ir::defining(*ir::operands(number).first()?)?;
    let address = ir::defining(*ir::operands(index).first()?)?;
    ir::operands(address).first().filter(|_| ir::name(address) == "memref.extract_aligned_pointer_as_index").copied()
}

/// The sizes of a memref at an operation of its function; `None` if a size depends on anything but arguments and loops.
pub fn sizes_where<'c>(at: Op<'c>, memref: Val<'c>, known: SizeLookup<'_, 'c>) -> Option<Vec<Value>> {
    let mut host = Host { at, left: MAX_OPERATIONS, known };
    (0..ir::shape(memref.r#type())?.len()).map(|axis| host.size(memref, axis)).collect()
}

/// The index, from 1, of the device allocation that a memref is a view of; `None` if no allocation of the function is
/// known to create it.
fn memory(memref: Val<'_>) -> Option<usize> {
    let own = allocation(memref)?;
    ir::find(function_around(own)?, "gpu.alloc").into_iter().position(|other| other == own).map(|before| before + 1)
}

struct Host<'s, 'c> {
    at: Op<'c>,
    known: SizeLookup<'s, 'c>,
    /// The number of operations that the expression may still have.
    left: usize,
}

impl<'c> Host<'_, 'c> {
    fn value(&mut self, value: Val<'c>) -> Option<Value> {
        let Some(operation) = ir::defining(value) else { return self.argument(value) };
        self.left = self.left.checked_sub(1)?;
        let operands = ir::operands(operation);
        let name = ir::name(operation);
        if let Some((_, known)) = BINARY.iter().find(|(known, _)| *known == name) {
            return self.node(known, &operands);
        }
        match name {
            "arith.constant" => match ir::attribute(operation, "value")? {
                bit if ir::is_boolean(value.r#type()) => Some(json!(ir::integer_attribute(bit)? != 0)),
                number => Some(json!(ir::integer_attribute(number)?)),
            },
            // The numbers are sizes and distances, which fit into all types that they are cast to.
            "arith.index_cast" => self.value(*operands.first()?),
            // Booleans are passed as numbers, and other numbers as their bits.
            "arith.extui" => {
                let (number, width) = (*operands.first()?, ir::integer_width(operands.first()?.r#type()));
                let value = self.value(number)?;
                Some(match width {
                    1 => json!({ "select": [value, 1, 0] }),
                    _ if value.get("bits").is_some() => value,
                    _ => json!({ "and": [value, 1u64.checked_shl(width)? - 1] }),
                })
            }
            "arith.bitcast" => self.node("bits", &operands),
            "arith.select" => self.node("select", &operands),
            "arith.cmpi" => self.node(comparison(IntPredicate::of(operation)?), &operands),
            "memref.dim" => {
                let axis = ir::defining(*operands.get(1)?).and_then(|axis| ir::attribute(axis, "value"))?;
                self.size(*operands.first()?, usize::try_from(ir::integer_attribute(axis)?).ok()?)
            }
            _ => None,
        }
    }

    fn node(&mut self, name: &str, operands: &[Val<'c>]) -> Option<Value> {
        let operands = operands.iter().map(|operand| self.value(*operand)).collect::<Option<Vec<_>>>()?;
        Some(json!({ name: operands }))
    }

    /// The expression of a size of a memref.
    fn size(&mut self, memref: Val<'c>, axis: usize) -> Option<Value> {
        let shape = ir::shape(memref.r#type())?;
        if let Some(size) = shape.get(axis)? {
            return Some(json!(size));
        }
        if let Some(sizes) = (self.known)(memref) {
            return sizes.get(axis).cloned();
        }
        let Some(operation) = ir::defining(memref) else {
            let Value::String(of) = self.argument(memref)?.get("value")?.clone() else { return None };
            return Some(json!({ "size": axis + 1, "of": of }));
        };
        let dynamic = shape[..axis].iter().filter(|size| size.is_none()).count();
        match ir::name(operation) {
            "gpu.alloc" | "memref.alloc" => self.value(*ir::operands(operation).get(dynamic)?),
            "memref.cast" => self.size(*ir::operands(operation).first()?, axis),
            _ => None,
        }
    }

    /// The expression of an argument of the function, or of the induction variable of a loop.
    fn argument(&self, value: Val<'c>) -> Option<Value> {
        let around: Vec<_> = std::iter::successors(ir::parent(self.at), |operation| ir::parent(*operation)).collect();
        let position =
            |operation: Op<'c>| ir::arguments(ir::body(operation, 0)?).iter().position(|known| *known == value);
        let loops: Vec<_> = around.iter().rev().filter(|operation| ir::name(**operation) == "scf.for").collect();
        if let Some(found) = loops.iter().position(|operation| position(**operation) == Some(0)) {
            return Some(json!({ "loop": found + 1 }));
        }
        let function = around.into_iter().find(|operation| ir::name(*operation) == "func.func")?;
        Some(json!({ "value": format!("argument {}", position(function)? + 1) }))
    }
}
