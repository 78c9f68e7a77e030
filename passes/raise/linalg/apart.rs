//! Accesses of one memref that never meet.
//!
//! ```text
//! x[2 * i + 1] and x[2 * j]    ──▶    apart: the difference of the indices is odd
//! ```
use super::structured::StructuredOperand;
use crate::{
    analysis::origin::part,
    raise::loops::linear::{IndexRow, Linear},
};
use mdh_dialects::ir::{self, Val};

/// True if two operands of one operation are known to have no element in common, whatever the iterations.
pub fn are_apart<'c>(one: &StructuredOperand<'c>, other: &StructuredOperand<'c>) -> bool {
    let (Some((memref, rows)), Some((other_memref, other_rows))) = (rows(one), rows(other)) else { return false };
    let is_apart = |(row, other): (&IndexRow<'c>, &IndexRow<'c>)| {
        let difference = row.1.clone().plus(&other.1, -1).and_then(|difference| difference.as_constant());
        let factors = row.0.iter().chain(&other.0).map(|factor| factor.unsigned_abs());
        let divisor = factors.fold(0, num_integer::gcd);
        difference.is_some_and(|difference| match divisor {
            0 => difference != 0,
            divisor => difference.unsigned_abs() % divisor != 0,
        })
    };
    memref == other_memref && rows.len() == other_rows.len() && rows.iter().zip(&other_rows).any(is_apart)
}

/// The memref of an operand and the indices in it. A part is the memref that it is a part of.
fn rows<'c>(operand: &StructuredOperand<'c>) -> Option<(Val<'c>, Vec<IndexRow<'c>>)> {
    let access = operand.access.as_ref()?;
    let own = (0..access.rank()).map(|axis| access.row(axis));
    let constant = |constant| Linear { terms: vec![], constant };
    let Some(view) = part(operand.value).filter(|view| ir::name(*view) == "memref.subview") else {
        return Some((operand.value, own.map(|(row, number)| (row.to_vec(), constant(number))).collect()));
    };
    let list = |name: &str| ir::attribute(view, name).and_then(ir::dense_array_attribute);
    let (fixed, steps) = (list("static_offsets")?, list("static_strides")?);
    let operands = ir::operands(view);
    let (memref, others) = operands.split_first()?;
    let mut dynamic = others.iter();
    let mut found = vec![];
    for ((offset, step), (row, number)) in fixed.iter().zip(&steps).zip(own) {
        let offset = if *offset == ir::DYNAMIC { Linear::of(*dynamic.next()?)? } else { constant(*offset) };
        let row = row.iter().map(|factor| factor.checked_mul(*step)).collect::<Option<Vec<_>>>()?;
        found.push((row, offset.plus(&constant(number), *step)?));
    }
    Some((*memref, found))
}
