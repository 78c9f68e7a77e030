//! Dynamic extents of computations that are rebuilt: each is the same size as before.
use super::{compose::single, elements::Elements};
use crate::analysis::computation::{Computation, ExtentSource};
use mdh_dialects::{
    ir::{self, OpView, Val},
    view::OutView,
};

/// The value of a dynamic extent.
#[derive(Clone, Copy, PartialEq)]
pub enum ExtentValue<'c> {
    /// The size of a dimension of a buffer.
    Size(Val<'c>, usize),
    /// An operand of the view.
    Operand(Val<'c>),
}

impl<'c> ExtentValue<'c> {
    /// The extent of a dimension of a computation; `None` if it is static.
    pub fn of(computation: &Computation<'c>, d: usize) -> Option<Self> {
        match computation.extent_sources[d] {
            ExtentSource::Static(_) => None,
            ExtentSource::Input { buffer, dimension } => Some(Self::Size(computation.inputs[buffer].value, dimension)),
            ExtentSource::Operand(position) => computation.extent_operands().get(position).copied().map(Self::Operand),
        }
    }

    /// The extent that follows from the elements of a view: the first size that a dimension alone is the index of.
    fn inferred(elements: &Elements<'c>, d: usize) -> Option<Self> {
        elements.list.iter().find_map(|(value, rows)| {
            let axis = rows.iter().position(|(row, constant)| single(row, *constant) == Some(d))?;
            Some(Self::Size(*value, axis))
        })
    }

    /// The extent that this one is equal to: the size of a new result is the extent of its computation.
    pub fn origin(self) -> Self {
        let mut current = self;
        while let Self::Size(value, axis) = current {
            match of_result(value, axis) {
                Some(before) => current = before,
                None => break,
            }
        }
        current
    }
}

/// The extent that the size of a new result is.
fn of_result<'c>(value: Val<'c>, axis: usize) -> Option<ExtentValue<'c>> {
    let view = ir::defining(value).and_then(OutView::cast).filter(|view| view.destinations().is_empty())?;
    let position = view.results().iter().position(|result| *result == value)?;
    let accesses = view.accesses()?;
    let [access] = &accesses[position][..] else { return None };
    let (row, constant) = access.row(axis);
    ExtentValue::of(&Computation::from_out_view(view)?, single(row, constant)?)
}

/// The extents that do not follow from the elements that a computation reads now, as operands of its view. `None` if one
/// would be another size than before.
pub fn operands<'c>(computation: &Computation<'c>, elements: &Elements<'c>) -> Option<Vec<Val<'c>>> {
    let mut operands = vec![];
    for d in 0..computation.rank() {
        let Some(value) = ExtentValue::of(computation, d).map(ExtentValue::origin) else { continue };
        match (ExtentValue::inferred(elements, d), value) {
            (Some(found), value) if found.origin() == value => {}
            (None, ExtentValue::Operand(operand)) => operands.push(operand),
            _ => return None,
        }
    }
    Some(operands)
}
