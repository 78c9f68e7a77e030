//! Tensors of rank 0 in regions of linalg become scalars, so that JAX's functions of elements can be raised.
//!
//! ```text
//! %t = tensor.from_elements %c
//! %s = linalg.generic ins(%t) {                    %y = f(%c)
//! ^bb0(%x, %out): linalg.yield f(%x) }      ──▶
//! %y = tensor.extract %s[]
//! ```
use mdh_dialects::ir::{self, Builder, Op, Val};
use melior::ir::{TypeLike, ValueLike};

/// True for a value that is a scalar or a tensor of rank 0.
pub fn is_element(value: Val<'_>) -> bool {
    let ty = value.r#type();
    match ty.is_tensor() {
        true => ir::shape(ty).is_some_and(|shape| shape.is_empty()),
        false => mdh_dialects::view::is_scalar(ty),
    }
}

/// True for an operation of linalg on tensors of rank 0.
pub fn is_scalar_generic(operation: Op<'_>) -> bool {
    let operands = ir::operands(operation);
    ir::name(operation) == "linalg.generic"
        && !ir::results(operation).is_empty()
        && operands.into_iter().all(is_element)
}

/// Replaces tensors of rank 0 in the regions of the operations of linalg.
pub fn run(module: Op<'_>) {
    for outer in ir::descendants(module) {
        let is_outermost = ir::name(outer).starts_with("linalg.") && !is_nested(outer);
        if !is_outermost || !ir::descendants(outer).into_iter().any(|inner| ir::name(inner).starts_with("tensor.")) {
            continue;
        }
        let nested = ir::descendants(outer).into_iter().filter(|inner| *inner != outer && is_scalar_generic(*inner));
        for generic in nested.collect::<Vec<_>>() {
            inline(generic);
        }
        for extract in ir::find(outer, "tensor.extract") {
            if let Some(element) = element(extract) {
                ir::replace_uses(ir::results(extract)[0], element);
            }
        }
        let is_tensor = |name| ["tensor.extract", "tensor.from_elements", "tensor.empty"].contains(&name);
        for inner in ir::descendants(outer).into_iter().rev() {
            if is_tensor(ir::name(inner)) && ir::is_unused(inner) {
                ir::erase(inner);
            }
        }
    }
}

/// True for an operation in a region of linalg.
pub fn is_nested(operation: Op<'_>) -> bool {
    let outer = std::iter::successors(ir::parent(operation), |operation| ir::parent(*operation));
    outer.into_iter().any(|outer| ir::name(outer).starts_with("linalg."))
}

/// Replaces an operation on tensors of rank 0 with its region.
fn inline(generic: Op<'_>) {
    let Some(body) = ir::body(generic, 0) else { return };
    let b = Builder::before(generic);
    let arguments: Vec<_> = ir::operands(generic)
        .into_iter()
        .map(|value| match value.r#type().is_tensor() {
            true => b.value("tensor.extract", &[value], ir::element_type_or_self(value.r#type()), &[]),
            false => value,
        })
        .collect();
    let values = b.inline_block(body, &arguments, &mut |_, _| None);
    for (result, value) in ir::results(generic).into_iter().zip(values) {
        let tensor = b.value("tensor.from_elements", &[value], result.r#type(), &[]);
        ir::replace_uses(result, tensor);
    }
    ir::erase(generic);
}

/// The element that an operation extracts from a tensor of rank 0, if it is known.
fn element<'c>(extract: Op<'c>) -> Option<Val<'c>> {
    let [tensor] = ir::operands(extract)[..] else { return None };
    let elements = ir::defining(tensor).filter(|operation| ir::name(*operation) == "tensor.from_elements")?;
    ir::operands(elements).first().copied()
}
