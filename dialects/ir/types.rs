//! The parts of types.
use super::handles::ONE_CONTEXT;
use crate::ffi::declarations::mdhLlvmArrayTypeGetNumElements;
use melior::ir::{Type, TypeLike};
use mlir_sys::*;

/// The sizes of a ranked tensor or memref type, each `None` if dynamic; `None` for other types.
pub fn shape(ty: Type<'_>) -> Option<Vec<Option<u64>>> {
    // SAFETY: the type is valid, and only a ranked shaped type is queried for its sizes.
    unsafe {
        let raw = ty.to_raw();
        if !mlirTypeIsAShaped(raw) || !mlirShapedTypeHasRank(raw) {
            return None;
        }
        Some(
            (0..mlirShapedTypeGetRank(raw) as isize)
                .map(|i| (!mlirShapedTypeIsDynamicDim(raw, i)).then(|| mlirShapedTypeGetDimSize(raw, i) as u64))
                .collect(),
        )
    }
}

/// The strides and the offset of a memref type, in elements, each `None` if dynamic; `None` for other types and
/// non-strided layouts.
pub fn strides(ty: Type<'_>) -> Option<(Vec<Option<i64>>, Option<i64>)> {
    // SAFETY: the type is a valid memref, and the buffer has as many strides as the memref has dimensions.
    unsafe {
        let raw = ty.to_raw();
        if !mlirTypeIsAMemRef(raw) {
            return None;
        }
        let (mut strides, mut offset) = (vec![0; mlirShapedTypeGetRank(raw) as usize], 0);
        let found = mlirMemRefTypeGetStridesAndOffset(raw, strides.as_mut_ptr(), &mut offset);
        let dynamic = mlirShapedTypeGetDynamicStrideOrOffset();
        let known = |value: i64| (value != dynamic).then_some(value);
        (found.value != 0).then(|| (strides.into_iter().map(known).collect(), known(offset)))
    }
}

/// The element type of a shaped type.
pub fn element_type<'c>(ty: Type<'c>) -> Option<Type<'c>> {
    // SAFETY: the type is valid, and only a shaped type is queried for its element type.
    unsafe { mlirTypeIsAShaped(ty.to_raw()).then(|| Type::from_raw(mlirShapedTypeGetElementType(ty.to_raw()))) }
}

/// The element type of a shaped type; another type itself.
pub fn element_type_or_self<'c>(ty: Type<'c>) -> Type<'c> {
    element_type(ty).unwrap_or(ty)
}

/// The type of both parts of a complex type; `None` for another type.
pub fn complex_part<'c>(ty: Type<'c>) -> Option<Type<'c>> {
    // SAFETY: the type is valid, and only a complex type is queried for that of its parts.
    unsafe { mlirTypeIsAComplex(ty.to_raw()).then(|| Type::from_raw(mlirComplexTypeGetElementType(ty.to_raw()))) }
}

/// The type with its element type replaced: of a vector, a ranked tensor, or a scalar.
///
/// # Panics
/// If the types belong to different contexts.
pub fn with_element<'c>(ty: Type<'c>, element: Type<'c>) -> Type<'c> {
    let raw = ty.to_raw();
    // SAFETY: the types are valid and of one context, and only a shaped type is queried for its shape.
    unsafe {
        assert!(mlirTypeGetContext(raw).ptr == mlirTypeGetContext(element.to_raw()).ptr, "{ONE_CONTEXT}");
        let rank = if mlirTypeIsAShaped(raw) && mlirShapedTypeHasRank(raw) { mlirShapedTypeGetRank(raw) } else { 0 };
        let sizes: Vec<_> = (0..rank as isize).map(|i| mlirShapedTypeGetDimSize(raw, i)).collect();
        match () {
            () if mlirTypeIsAVector(raw) => {
                let scalable: Vec<_> = (0..rank as isize).map(|i| mlirVectorTypeIsDimScalable(raw, i)).collect();
                let (sizes, scalable) = (sizes.as_ptr(), scalable.as_ptr());
                Type::from_raw(mlirVectorTypeGetScalable(rank as isize, sizes, scalable, element.to_raw()))
            }
            () if mlirTypeIsARankedTensor(raw) => {
                let encoding = mlirRankedTensorTypeGetEncoding(raw);
                Type::from_raw(mlirRankedTensorTypeGet(rank as isize, sizes.as_ptr(), element.to_raw(), encoding))
            }
            () => element,
        }
    }
}

/// The width of an integer type in bits; 64 for `index`.
pub fn integer_width(ty: Type<'_>) -> u32 {
    // SAFETY: the type is valid, and only an integer type is queried for its width.
    unsafe { if mlirTypeIsAInteger(ty.to_raw()) { mlirIntegerTypeGetWidth(ty.to_raw()) } else { 64 } }
}

/// The width of an integer or float type in bits; `None` for other types.
pub fn bits(ty: Type<'_>) -> Option<u32> {
    // SAFETY: the type is valid, and only an integer or a float is queried for its width.
    unsafe {
        match ty.to_raw() {
            raw if mlirTypeIsAInteger(raw) => Some(mlirIntegerTypeGetWidth(raw)),
            raw if mlirTypeIsAFloat(raw) => Some(mlirFloatTypeGetWidth(raw)),
            _ => None,
        }
    }
}

/// True for integers of one bit.
pub fn is_boolean(ty: Type<'_>) -> bool {
    ty.is_integer() && integer_width(ty) == 1
}

/// How the type of a memref states its layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatedLayout {
    /// Row-major, without strides.
    RowMajor,
    /// By strides and an offset.
    Strided,
    /// By an affine map, from which strides are not derived.
    Map,
}

/// How the type of a memref states its layout; row-major for other types.
pub fn stated_layout(ty: Type<'_>) -> StatedLayout {
    // SAFETY: the type is valid, and only a memref is queried for its layout, and only an affine map for its map.
    unsafe {
        if !mlirTypeIsAMemRef(ty.to_raw()) {
            return StatedLayout::RowMajor;
        }
        let layout = mlirMemRefTypeGetLayout(ty.to_raw());
        match mlirAttributeIsAAffineMap(layout) {
            true if mlirAffineMapIsIdentity(mlirAffineMapAttrGetValue(layout)) => StatedLayout::RowMajor,
            true => StatedLayout::Map,
            false => StatedLayout::Strided,
        }
    }
}

/// The address space of an LLVM pointer; `None` for other types.
pub fn pointer_space(ty: Type<'_>) -> Option<u32> {
    // SAFETY: the type is valid, and only a pointer is queried for its address space.
    unsafe { mlirTypeIsALLVMPointerType(ty.to_raw()).then(|| mlirLLVMPointerTypeGetAddressSpace(ty.to_raw())) }
}

/// A type of the LLVM dialect that has elements or fields.
#[derive(Clone, Debug, PartialEq)]
pub enum Aggregate<'c> {
    /// An array: the number of its elements, and their type.
    Array(u64, Type<'c>),
    /// A struct: its fields, and if there is no padding between them.
    Struct(Vec<Type<'c>>, bool),
}

/// The contents of `!llvm.array` and `!llvm.struct`; `None` for other types, and for structs whose fields are not known.
pub fn aggregate<'c>(ty: Type<'c>) -> Option<Aggregate<'c>> {
    let raw = ty.to_raw();
    // SAFETY: the type is valid, and each accessor is called only for the kind of type that it is, with positions below
    // the number of fields.
    unsafe {
        if let Ok(count) = u64::try_from(mdhLlvmArrayTypeGetNumElements(raw)) {
            return Some(Aggregate::Array(count, Type::from_raw(mlirLLVMArrayTypeGetElementType(raw))));
        }
        if !mlirTypeIsALLVMStructType(raw) || mlirLLVMStructTypeIsOpaque(raw) {
            return None;
        }
        let fields = (0..mlirLLVMStructTypeGetNumElementTypes(raw))
            .map(|i| Type::from_raw(mlirLLVMStructTypeGetElementType(raw, i)));
        Some(Aggregate::Struct(fields.collect(), mlirLLVMStructTypeIsPacked(raw)))
    }
}

/// True if a vector type has a dimension whose size is a multiple of that of the processor's vectors.
pub fn is_scalable(ty: Type<'_>) -> bool {
    // SAFETY: the type is valid, and only a vector is queried for its dimensions.
    unsafe { mlirTypeIsAVector(ty.to_raw()) && mlirVectorTypeIsScalable(ty.to_raw()) }
}
