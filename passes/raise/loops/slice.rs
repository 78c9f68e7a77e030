//! Parts of tensors that a nest changes. Until statements are built, these are slices of the nest's result, which stands for
//! the memory of the tensor.
//!
//! ```text
//! %part = tensor.extract_slice %result[%k] [%n] [1]    ──▶    %part = tensor.extract_slice %current[%k] [%n] [1]
//!                                                             %next = tensor.insert_slice %new into %current[%k] [%n] [1]
//! ```
use crate::analysis::origin::part;
use mdh_dialects::{
    attributes::PART,
    ir::{self, Builder, Op, Val, ValueMap},
};
use melior::ir::ValueLike;

/// The operation that makes a part of a tensor.
fn slice(value: Val<'_>) -> Option<Op<'_>> {
    part(value).filter(|part| ir::name(*part) == "tensor.extract_slice")
}

/// The tensor that a value is a part of, if it is one.
pub fn source(value: Val<'_>) -> Option<Val<'_>> {
    ir::operands(slice(value)?).first().copied()
}

/// Makes a part of a tensor one of another tensor, at another place, and returns it.
pub fn moved<'c>(b: &Builder<'c>, part: Val<'c>, tensor: Val<'c>) -> Val<'c> {
    let Some((slice, old)) = slice(part).zip(source(part)) else { return part };
    let map = ValueMap::from_iter([(old, tensor)]);
    let moved = b.copy_mapped(slice, &map, &mut |_, _| None)[0];
    ir::erase(slice);
    moved
}

/// The tensor whose part has a new value; `new` itself if it is not that of a part.
pub fn inserted<'c>(b: &Builder<'c>, new: Val<'c>, part: Val<'c>) -> Val<'c> {
    let Some(slice) = slice(part) else { return new };
    let (tensor, others) = (ir::operands(slice)[0], ir::operands(slice).into_iter().skip(1));
    let mut counts: Vec<_> = ir::segments(slice).unwrap_or_default().iter().map(|count| *count as usize).collect();
    counts.insert(0, 1);
    let names = ["static_offsets", "static_sizes", "static_strides", PART];
    let own = names.into_iter().filter_map(|name| Some((name, ir::attribute(slice, name)?)));
    let attributes: Vec<_> = own.chain([b.segments(&counts)]).collect();
    let operands: Vec<_> = [new, tensor].into_iter().chain(others).collect();
    b.located(slice).value("tensor.insert_slice", &operands, tensor.r#type(), &attributes)
}
