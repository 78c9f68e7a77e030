//! Views of memory that are made of an offset, sizes and strides.
use mdh_dialects::ir::{self, Builder, DYNAMIC, Op, Val};
use melior::ir::{ValueLike, r#type::MemRefType};

/// The parts of a memref.
pub struct Metadata<'c> {
    /// The memory, as a memref without dimensions.
    pub base: Val<'c>,
    /// The first element.
    pub offset: Val<'c>,
    /// The distance of elements, by dimension.
    pub strides: Vec<Val<'c>>,
}

/// The parts of a memref; `None` for other types.
pub fn metadata<'c>(b: &Builder<'c>, memref: Val<'c>) -> Option<Metadata<'c>> {
    let (ty, rank) = (MemRefType::try_from(memref.r#type()).ok()?, ir::shape(memref.r#type())?.len());
    let scalar = MemRefType::new(ir::element_type_or_self(memref.r#type()), &[], None, ty.memory_space()).into();
    let types: Vec<_> = [scalar].into_iter().chain(vec![b.index(); 1 + 2 * rank]).collect();
    let parts = ir::results(b.op("memref.extract_strided_metadata", &[memref], &types, &[], vec![]));
    Some(Metadata { base: parts[0], offset: parts[1], strides: parts[2 + rank..].to_vec() })
}

/// Replaces the result of a view with a `memref.reinterpret_cast` of the same type, and erases the view. `sizes`: the
/// dynamic ones. `strides`: of all dimensions; those that the type has are not used.
pub fn replace<'c>(
    view: Op<'c>,
    b: &Builder<'c>,
    (base, offset): (Val<'c>, Val<'c>),
    sizes: &[Val<'c>],
    strides: &[Val<'c>],
) {
    let result = ir::results(view)[0];
    let ty = result.r#type();
    let Some(((fixed, first), shape)) = ir::strides(ty).zip(ir::shape(ty)) else { return };
    let offsets: Vec<_> = Some(offset).filter(|_| first.is_none()).into_iter().collect();
    let strides = strides.iter().zip(&fixed).filter(|(_, fixed)| fixed.is_none());
    let strides: Vec<_> = strides.map(|(stride, _)| *stride).collect();
    let sizes_of_type: Vec<_> = shape.iter().map(|size| size.map_or(DYNAMIC, |size| size as i64)).collect();
    let attributes = [
        ("static_offsets", b.numbers(&[first.unwrap_or(DYNAMIC)])),
        ("static_sizes", b.numbers(&sizes_of_type)),
        ("static_strides", b.numbers(&fixed.iter().map(|stride| stride.unwrap_or(DYNAMIC)).collect::<Vec<_>>())),
        b.segments(&[1, offsets.len(), sizes.len(), strides.len()]),
    ];
    let operands = [&[base], &offsets[..], sizes, &strides[..]].concat();
    ir::replace_uses(result, b.value("memref.reinterpret_cast", &operands, ty, &attributes));
    ir::erase(view);
}
