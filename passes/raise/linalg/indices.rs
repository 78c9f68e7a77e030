//! Inputs whose elements are indices, as JAX writes `argmax`: the region computes them.
//!
//! ```text
//! %n[i, j] = index_cast(j)
//! reads %x[i, j], %n[i, j]      ──▶   reads %x[i, j]
//! ^bb0(%a, %b, ..): f(%a, %b)         ^bb0(%a, %b, ..): f(%a, index_cast(linalg.index 1))
//! ```
use super::structured::Structured;
use crate::fuse::index_elements;
use mdh_dialects::ir::{self, Builder};
use melior::ir::{TypeLike, ValueLike};

/// Replaces the arguments of a reduction with several outputs that are indices of its iterators.
pub fn compute<'c>(structured: &Structured<'c>) {
    if structured.outputs.len() < 2 || !structured.reduces.contains(&true) {
        return;
    }
    let Some(first) = ir::block_operations(structured.body).into_iter().next() else { return };
    for input in structured.inputs.iter().filter(|input| input.value.r#type().is_tensor()) {
        let (Some(argument), Some(access)) = (input.argument, &input.access) else { continue };
        let ty = argument.r#type();
        if ir::users(argument).is_empty() || ty.is_float() {
            continue;
        }
        let at = structured.operation;
        let Some(iterator) = index_elements(at, input.value, access, structured.rank()) else { continue };
        let b = Builder::before(first);
        let index = b.value("linalg.index", &[], b.index(), &[("dim", b.i64_number(iterator as i64))]);
        let value = if ty.is_index() { index } else { b.value("arith.index_cast", &[index], ty, &[]) };
        ir::replace_uses(argument, value);
    }
}
