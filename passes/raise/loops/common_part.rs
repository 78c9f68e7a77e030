//! Accesses of one memref whose indices differ in constants only, as those of a stencil: they have one part in
//! common, so that a computation reads one input, whose elements it loads once.
//!
//! ```text
//! x[%i] and x[%i + 2], for %i = 0 to %n    ──▶    %part = memref.subview %x[0] [%n + 2] [1], read at i and i + 2
//! ```
use super::{
    linear::{IndexRow, iterators},
    statement::{Part, StatementBuilder, rank},
    store::{ElementAccess, Memory, StoreStatement},
};
use crate::raise::linalg::structured::StructuredOperand;
use mdh_dialects::{ir::Val, view::IndexFunction};
use melior::ir::{TypeLike, ValueLike};

/// The accesses with a common part.
pub struct CommonPart<'c> {
    memory: Memory<'c>,
    /// By axis: the coefficients of the index by iterator, and the rest of the smallest index.
    rows: Vec<IndexRow<'c>>,
    /// By axis: the number of elements from the smallest to the largest index.
    spreads: Vec<u32>,
    part: Val<'c>,
}

/// The constants of the indices of an access by axis, if they are the only difference to these rows.
fn constants<'c>(rows: &[IndexRow<'c>], other: &[IndexRow<'c>]) -> Option<Vec<i64>> {
    let is_alike = |((row, base), (of_other, base_of_other)): (&IndexRow<'c>, &IndexRow<'c>)| {
        let difference = base_of_other.clone().plus(base, -1)?;
        (row == of_other && difference.terms.is_empty()).then_some(base_of_other.constant)
    };
    rows.iter().zip(other).map(is_alike).collect()
}

impl<'c> StatementBuilder<'_, 'c> {
    /// The common parts of the accesses of a statement with dynamic extents. The error is the requirement that they do not
    /// meet.
    pub fn common_parts(&self, statement: &StoreStatement<'c>) -> Result<Vec<CommonPart<'c>>, String> {
        let reads = self.nest.reads_of(statement);
        let mut parts: Vec<CommonPart<'c>> = vec![];
        for access in &reads {
            if parts.iter().any(|part| part.constants(self, access, statement).is_some()) {
                continue;
            }
            parts.extend(self.common_part(access, &reads, statement)?);
        }
        Ok(parts)
    }

    /// The common part of an access and those after it.
    fn common_part(
        &self,
        access: &ElementAccess<'c>,
        reads: &[&ElementAccess<'c>],
        statement: &StoreStatement<'c>,
    ) -> Result<Option<CommonPart<'c>>, String> {
        let Memory::Buffer(whole) = access.memory else { return Ok(None) };
        // The part of a tensor that a nest changes moves from one value of the tensor to another, for each operand.
        if !whole.r#type().is_mem_ref() {
            return Ok(None);
        }
        if statement.scan.is_some() || statement.targets().any(|target| target.memory.may_overlap(access.memory)) {
            return Ok(None);
        }
        let mut rows = self.rows(access, statement)?;
        let has_size = |d: usize| {
            let is_alone = |target: &ElementAccess<'c>| {
                let rows = self.rows(target, statement).unwrap_or_default();
                rows.iter().any(|(row, _)| row[d] == 1 && iterators(row) == [d])
            };
            self.extents[statement.loops[d]].is_ok() || statement.targets().any(is_alone)
        };
        let is_dynamic = |d: &usize| self.extents[statement.loops[*d]].is_err();
        // Along an axis, a loop with a dynamic extent visits adjacent elements, and the part of another operand has its
        // extent as a size.
        let is_adjacent = |(row, _): &IndexRow<'c>| {
            let used = iterators(row);
            used.iter().filter(|d| is_dynamic(d)).all(|d| row[*d] == 1 && used.len() == 1 && has_size(*d))
        };
        if !rows.iter().any(|(row, _)| iterators(row).iter().any(is_dynamic)) || !rows.iter().all(is_adjacent) {
            return Ok(None);
        }
        let mut all = vec![];
        for other in reads.iter().filter(|other| other.memory == access.memory) {
            all.extend(constants(&rows, &self.rows(other, statement)?));
        }
        let mut spreads = vec![];
        for (axis, (_, base)) in rows.iter_mut().enumerate() {
            let of_axis = || all.iter().map(|constants| constants[axis]);
            let (Some(least), Some(largest)) = (of_axis().min(), of_axis().max()) else { return Ok(None) };
            base.constant = least;
            // Arithmetic on indices stays in 64 bits.
            let Ok(spread) = u32::try_from(largest.abs_diff(least)) else { return Ok(None) };
            spreads.push(spread);
        }
        if spreads.iter().all(|spread| *spread == 0) {
            return Ok(None);
        }
        let axes: Vec<_> = spreads.iter().map(|spread| (1, *spread)).collect();
        let part = self.part(whole, &rows, &axes, access.at, statement)?;
        Ok(Some(CommonPart { memory: access.memory, rows, spreads, part }))
    }
}

impl<'c> CommonPart<'c> {
    /// The constants of the indices of an access, if it is one of them.
    fn constants(
        &self,
        builder: &StatementBuilder<'_, 'c>,
        access: &ElementAccess<'c>,
        statement: &StoreStatement<'c>,
    ) -> Option<Vec<i64>> {
        let rows = builder.rows(access, statement).ok().filter(|_| access.memory == self.memory)?;
        constants(&self.rows, &rows)
    }

    /// The operand of an access, if it is one of them.
    pub fn operand(
        &self,
        builder: &StatementBuilder<'_, 'c>,
        access: &ElementAccess<'c>,
        statement: &StoreStatement<'c>,
    ) -> Option<Part<'c>> {
        let constants = self.constants(builder, access, statement)?;
        let own =
            self.rows.iter().zip(constants).map(|((row, base), constant)| (row.clone(), constant - base.constant));
        let function = IndexFunction::new(own);
        let of_axis = |((row, _), spread): (&IndexRow<'c>, &u32)| {
            let d = iterators(row).first().copied().filter(|_| *spread == 0)?;
            builder.extents[statement.loops[d]].is_err().then_some(statement.loops[d])
        };
        let loops = self.rows.iter().zip(&self.spreads).map(of_axis).collect();
        let map = Some(function.attribute(builder.b.context, rank(statement)));
        Some((StructuredOperand { value: self.part, map, access: Some(function), argument: None, filled: None }, loops))
    }
}
