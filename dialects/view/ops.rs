//! Views of the operations of `mdh.view`.
use super::IndexFunction;
use crate::ir::{self, Builder, Op, OpView, Val, op_view};
use melior::ir::{Attribute, Type, attribute::ArrayAttribute};

op_view! {
    /// `mdh.view.inp_view`: from buffers to an MDA.
    InpView = "mdh.view.inp_view"
}

op_view! {
    /// `mdh.view.out_view`: from an MDA to buffers.
    OutView = "mdh.view.out_view"
}

/// The attribute of both views that holds an array of affine maps for each buffer.
const ACCESSES: &str = "accesses";

fn access_lists(view: Op<'_>) -> Vec<Attribute<'_>> {
    ir::attribute(view, ACCESSES).and_then(ir::array_attribute).unwrap_or_default()
}

/// The accesses by buffer; none where one is not linear.
fn accesses(view: Op<'_>) -> Option<Vec<Vec<IndexFunction>>> {
    let list = |buffer| ir::array_attribute(buffer)?.into_iter().map(IndexFunction::from_attribute).collect();
    access_lists(view).into_iter().map(list).collect()
}

impl<'c> InpView<'c> {
    /// Builds a view of buffers; `accesses` has an array of affine maps for each. `extents` are those that no buffer tells.
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

    /// The extents that no buffer tells.
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

    /// The accesses by buffer; none where one is not linear.
    pub fn accesses(self) -> Option<Vec<Vec<IndexFunction>>> {
        accesses(self.0)
    }

    /// The MDA.
    pub fn result(self) -> Val<'c> {
        ir::results(self.0)[0]
    }
}

impl<'c> OutView<'c> {
    /// Builds a view to new buffers of these types; `accesses` has an array of affine maps for each.
    pub fn build(b: &Builder<'c>, mda: Val<'c>, accesses: &[Attribute<'c>], buffers: &[Type<'c>]) -> Self {
        let accesses = ArrayAttribute::new(b.context, accesses).into();
        Self(b.op(Self::NAME, &[mda], buffers, &[(ACCESSES, accesses)], vec![]))
    }

    /// The MDA.
    pub fn mda(self) -> Val<'c> {
        ir::operands(self.0)[0]
    }

    /// Exchanges the MDA.
    pub fn set_mda(self, mda: Val<'c>) {
        ir::set_operand(self.0, 0, mda);
    }

    /// The buffers that are written; none where the view makes new ones.
    pub fn destinations(self) -> Vec<Val<'c>> {
        ir::operands(self.0).split_off(1)
    }

    /// The new buffers, or tensors with the contents of the destinations afterwards.
    pub fn results(self) -> Vec<Val<'c>> {
        ir::results(self.0)
    }

    /// The buffers after the accesses: destinations, or else results.
    pub fn buffers(self) -> Vec<Val<'c>> {
        let destinations = self.destinations();
        if destinations.is_empty() { self.results() } else { destinations }
    }

    /// The accesses by buffer; none where one is not linear.
    pub fn accesses(self) -> Option<Vec<Vec<IndexFunction>>> {
        accesses(self.0)
    }
}
