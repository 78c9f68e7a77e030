//! Parts of memrefs and tensors: the elements that a statement accesses, where indices depend on values from outside of the
//! nest, or on loops with dynamic extents.
//!
//! ```text
//! for %i = 0 to %n { y[%i + %k] = x[%i] }    ──▶    memref.subview %y[%k] [%n] [1], or for tensors
//!                                                   %part = tensor.extract_slice %y[%k] [%n] [1]
//!                                                   %new = (the statement on %part)
//!                                                   tensor.insert_slice %new into %y[%k] [%n] [1]
//! ```
//!
//! The attribute `mdh.part` of a part is the operation that accesses it, for run-time checks.
use super::{
    linear::{IndexRow, iterators},
    statement::StatementBuilder,
    store::StoreStatement,
};
use mdh_dialects::{
    attributes::PART,
    ir::{self, DYNAMIC, Op, Val},
};
use melior::ir::{TypeLike, ValueLike};

impl<'c> StatementBuilder<'_, 'c> {
    /// The distance of the elements of a part along an axis whose index has these coefficients: that of the only loop, if
    /// its bounds are dynamic.
    pub fn stride(&self, row: &[i64], statement: &StoreStatement<'c>) -> i64 {
        match iterators(row)[..] {
            [d] if row[d] > 1 && self.extents[statement.loops[d]].is_err() => row[d],
            _ => 1,
        }
    }

    /// The part of a memref or a tensor that starts at these indices. `axes`: of each axis, the distance of the elements,
    /// and the number of elements that the part has beyond those of the loops. The error is the requirement that it does
    /// not meet.
    pub fn part(
        &self,
        whole: Val<'c>,
        rows: &[IndexRow<'c>],
        axes: &[(i64, u32)],
        access: Op<'c>,
        statement: &StoreStatement<'c>,
    ) -> Result<Val<'c>, String> {
        let b = &self.b;
        let (mut sizes, mut dynamic) = (vec![], vec![]);
        for ((row, _), (distance, more)) in rows.iter().zip(axes) {
            let used = iterators(row);
            let length = used.iter().try_fold(1 + u64::from(*more), |length, d| {
                let extent = self.extents[statement.loops[*d]].ok()?;
                length.checked_add(u64::try_from(row[*d]).ok()?.checked_mul(extent - 1)?)
            });
            match (length, &used[..]) {
                (Some(length), _) => sizes.push(Some(length)),
                (None, [d]) if row[*d] == *distance => {
                    sizes.push(None);
                    let extent = self.extents[statement.loops[*d]].err();
                    dynamic.extend(extent.map(|extent| match more {
                        0 => extent,
                        _ => self.binary("arith.addi", extent, b.constant(i64::from(*more), b.index())),
                    }));
                }
                _ => return Err("requires an index of each loop with dynamic bounds alone".into()),
            }
        }
        let static_sizes: Vec<_> = sizes.iter().map(|size| size.map_or(DYNAMIC, |size| size as i64)).collect();
        let element = ir::element_type_or_self(whole.r#type());
        let (name, ty) = match whole.r#type().is_tensor() {
            true => ("tensor.extract_slice", b.tensor(&static_sizes, element)),
            false => {
                let (strides, _) = ir::strides(whole.r#type()).ok_or("requires memrefs with strides")?;
                let strides = strides.iter().zip(axes).map(|(stride, (distance, _))| {
                    stride.and_then(|stride| u64::try_from(stride.checked_mul(*distance)?).ok())
                });
                ("memref.subview", b.memref_with_strides(&sizes, element, &strides.collect::<Vec<_>>(), false))
            }
        };
        let first = rows.iter().find_map(|(_, base)| base.as_constant().filter(|first| *first < 0));
        if let Some(first) = first {
            return Err(format!("requires indices of at least 0, but one begins with {first}"));
        }
        let offsets: Vec<_> = rows.iter().map(|(_, base)| self.value(base)).collect();
        let segments = b.segments(&[1, offsets.len(), dynamic.len(), 0]);
        let operands: Vec<_> = [whole].into_iter().chain(offsets).chain(dynamic).collect();
        let attributes = [
            segments,
            ("static_offsets", b.numbers(&vec![DYNAMIC; rows.len()])),
            ("static_sizes", b.numbers(&static_sizes)),
            ("static_strides", b.numbers(&axes.iter().map(|(distance, _)| *distance).collect::<Vec<_>>())),
            (PART, b.string(ir::name(access))),
        ];
        Ok(b.located(access).value(name, &operands, ty, &attributes))
    }
}
