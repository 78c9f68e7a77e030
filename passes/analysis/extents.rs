//! Dynamic extents as values of the program, by which extents of different computations are known to be equal.
use crate::analysis::{
    computation::{Computation, ExtentSource},
    constants::integers,
};
use mdh_dialects::{
    ir::{self, Builder, Op, OpView, Val},
    view::OutView,
};
use melior::ir::{TypeLike, ValueLike};

/// Reads the size of a tensor or memref along an axis.
pub fn dim<'c>(b: &Builder<'c>, buffer: Val<'c>, axis: usize) -> Val<'c> {
    let name = if buffer.r#type().is_mem_ref() { "memref.dim" } else { "tensor.dim" };
    b.value(name, &[buffer, b.constant(axis as i64, b.index())], b.index(), &[])
}

/// The buffer and the axis whose size `tensor.dim` or `memref.dim` reads; `None` if the axis is computed.
pub fn axis_of(dim: Op<'_>) -> Option<(Val<'_>, usize)> {
    let [buffer, axis] = ir::operands(dim)[..] else { return None };
    Some((buffer, usize::try_from(*integers(axis)?.first()?).ok()?))
}

/// The size that `tensor.dim` or `memref.dim` reads, if it is static.
pub fn static_size(dim: Op<'_>) -> Option<u64> {
    let (buffer, axis) = axis_of(dim)?;
    *ir::shape(buffer.r#type())?.get(axis)?
}

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
    let computation = Computation::from_out_view(view)?;
    let output = computation.outputs.iter().find(|output| output.value == value)?;
    let [access] = &output.accesses[..] else { return None };
    let d = (0..computation.rank()).find(|&d| access.is_index_of(axis, d))?;
    ExtentValue::of(&computation, d)
}
