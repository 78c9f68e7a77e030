//! Typed views of the operations of `mdh.view`.
use super::IndexFunction;
use crate::{
    ir::{self, Builder, Op, OpView, Val, op_view},
    verify::mda,
};
use melior::ir::{Attribute, Type, ValueLike, attribute::ArrayAttribute};

op_view! {
    /// `mdh.view.inp_view`: maps buffers to an MDA.
    InpView = "mdh.view.inp_view"
}

op_view! {
    /// `mdh.view.out_view`: maps an MDA to buffers.
    OutView = "mdh.view.out_view"
}

/// The attribute of both views with an array of affine maps for each buffer.
const ACCESSES: &str = "accesses";

fn access_lists(view: Op<'_>) -> Vec<Attribute<'_>> {
    ir::attribute(view, ACCESSES).and_then(ir::array_attribute).unwrap_or_default()
}

/// The accesses by buffer; `None` if one is not linear.
pub(super) fn accesses(view: Op<'_>) -> Option<Vec<Vec<IndexFunction>>> {
    let list = |buffer| ir::array_attribute(buffer)?.into_iter().map(IndexFunction::from_attribute).collect();
    access_lists(view).into_iter().map(list).collect()
}

impl<'c> InpView<'c> {
    /// Builds a view of buffers; `accesses` has an array of affine maps for each. `extents` are those that do not
    /// follow from a buffer.
    pub fn build(
        b: &Builder<'c>,
        buffers: &[Val<'c>],
        extents: &[Val<'c>],
        accesses: &[Attribute<'c>],
        mda: Type<'c>,
    ) -> Self {
        let accesses = ArrayAttribute::new(b.context, accesses).into();
        let attributes = [(ACCESSES, accesses), b.segments(&[buffers.len(), extents.len()])];
        Self(b.op(Self::NAME, &[buffers, extents].concat(), &[mda], &attributes, vec![]))
    }

    /// The buffers.
    pub fn buffers(self) -> Vec<Val<'c>> {
        let mut operands = ir::operands(self.0);
        operands.truncate(self.count());
        operands
    }

    /// The extents that do not follow from a buffer.
    pub fn extents(self) -> Vec<Val<'c>> {
        ir::operands(self.0).split_off(self.count())
    }

    fn count(self) -> usize {
        let segments = ir::attribute(self.0, "operandSegmentSizes").and_then(ir::dense_array_attribute);
        segments.and_then(|sizes| usize::try_from(*sizes.first()?).ok()).unwrap_or_default()
    }

    /// The accesses, an array of affine maps for each buffer.
    pub fn access_lists(self) -> Vec<Attribute<'c>> {
        access_lists(self.0)
    }

    /// The accesses by buffer; `None` if one is not linear.
    pub fn accesses(self) -> Option<Vec<Vec<IndexFunction>>> {
        accesses(self.0)
    }

    /// The result MDA.
    pub fn result(self) -> Val<'c> {
        ir::results(self.0)[0]
    }
}

impl<'c> OutView<'c> {
    /// Builds a view to destinations, or to new buffers if there are none. `accesses` has an array of affine maps for
    /// each buffer. `results`: the types of the new buffers or of updated tensors.
    pub fn build(
        b: &Builder<'c>,
        mda: Val<'c>,
        destinations: &[Val<'c>],
        accesses: &[Attribute<'c>],
        results: &[Type<'c>],
    ) -> Self {
        let accesses = ArrayAttribute::new(b.context, accesses).into();
        Self(b.op(Self::NAME, &[&[mda], destinations].concat(), results, &[(ACCESSES, accesses)], vec![]))
    }

    /// The operand MDA.
    pub fn mda(self) -> Val<'c> {
        ir::operands(self.0)[0]
    }

    /// Replaces the operand MDA.
    pub fn set_mda(self, mda: Val<'c>) {
        ir::set_operand(self.0, 0, mda);
    }

    /// The destination buffers; empty if the view creates new buffers.
    pub fn destinations(self) -> Vec<Val<'c>> {
        ir::operands(self.0).split_off(1)
    }

    /// The new buffers, or the updated destinations if they are tensors.
    pub fn results(self) -> Vec<Val<'c>> {
        ir::results(self.0)
    }

    /// The written buffers: the destinations, or else the results.
    pub fn buffers(self) -> Vec<Val<'c>> {
        let destinations = self.destinations();
        if destinations.is_empty() { self.results() } else { destinations }
    }

    /// True if all elements of a destination are written; false if this is not known. By C8 and C9, the accesses reach
    /// different elements at all points, so it suffices to compare the numbers of elements.
    pub fn overwrites(self, destination: usize) -> bool {
        let product = |sizes: Vec<Option<u64>>, first: usize| {
            sizes.into_iter().try_fold(first as u128, |product, size| product.checked_mul(size?.into()))
        };
        let accesses = self.accesses().unwrap_or_default();
        let sizes = self.destinations().get(destination).and_then(|value| ir::shape(value.r#type()));
        let elements = sizes.and_then(|sizes| product(sizes, 1));
        let written = accesses.get(destination).and_then(|bracket| product(mda(Some(&self.mda())).0, bracket.len()));
        elements.is_some() && elements == written
    }

    /// The accesses, an array of affine maps for each buffer.
    pub fn access_lists(self) -> Vec<Attribute<'c>> {
        access_lists(self.0)
    }

    /// The accesses by buffer; `None` if one is not linear.
    pub fn accesses(self) -> Option<Vec<Vec<IndexFunction>>> {
        accesses(self.0)
    }
}
