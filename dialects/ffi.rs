//! The C API of the dialect (`capi/Mdh.h`), and the few safe wrappers of it that IR views need. [`upstream`] has the
//! API for other dialects.
#![allow(missing_docs)]
use crate::ir::handles::{self, Op, require_context};
use melior::{
    Context, StringRef,
    dialect::DialectHandle,
    ir::{Attribute, AttributeLike, Type, TypeLike},
};
use mlir_sys::*;
use std::ffi::c_int;

pub mod declarations;
pub mod upstream;

pub use declarations::*;
pub use upstream::{
    decompose_softmax, dlti_entries, indexing_maps, math_dialect, nvgpu_dialect, properties, vector_dialect,
};

/// True for `!mdh.loop`.
pub fn is_loop_type(ty: Type<'_>) -> bool {
    // SAFETY: the type is valid.
    unsafe { mlirTypeIsAMdhLoop(ty.to_raw()) }
}

/// See [`crate::view::mda_type`].
pub fn mda_type<'c>(ty: Type<'c>) -> Option<(Vec<Option<u64>>, Vec<Type<'c>>)> {
    let raw = ty.to_raw();
    // SAFETY: the type is a valid MDA type, and the indices are below its numbers of extents and scalars.
    unsafe {
        mlirTypeIsAMdhMda(raw).then(|| {
            let extents =
                (0..mlirMdhMdaTypeGetNumExtents(raw)).map(|i| u64::try_from(mlirMdhMdaTypeGetExtent(raw, i)).ok());
            let scalars =
                (0..mlirMdhMdaTypeGetNumScalars(raw)).map(|i| Type::from_raw(mlirMdhMdaTypeGetScalar(raw, i)));
            (extents.collect(), scalars.collect())
        })
    }
}

/// An `!mdh.mda` type; `None` extents are dynamic.
pub fn mda_type_get<'c>(context: &'c Context, extents: &[Option<u64>], scalars: &[Type<'c>]) -> Type<'c> {
    require_context(context, scalars, &[]);
    let extents: Vec<i64> = extents.iter().map(|extent| extent.map_or(-1, |extent| extent as i64)).collect();
    let scalars: Vec<_> = scalars.iter().map(|scalar| scalar.to_raw()).collect();
    // SAFETY: the context and the scalars, which live as long as it, are valid, and the counts match the lists.
    unsafe {
        Type::from_raw(mlirMdhMdaTypeGet(
            context.to_raw(),
            extents.len() as isize,
            extents.as_ptr(),
            scalars.len() as isize,
            scalars.as_ptr(),
        ))
    }
}

/// Sets an attribute of an argument of a `func.func`.
///
/// # Panics
/// If the operation is not a `func.func` or has no such argument.
pub fn set_argument_attribute<'c>(function: Op<'c>, argument: usize, name: &str, attribute: Attribute<'c>) {
    assert!(handles::name(function) == "func.func", "only a function has attributes of arguments");
    let count = handles::attribute(function, "function_type").map_or(0, |ty| {
        // SAFETY: the verifier ensures that this attribute is a function type.
        unsafe { mlirFunctionTypeGetNumInputs(mlirTypeAttrGetValue(ty.to_raw())) }
    });
    require_context(handles::context(function), &[], &[attribute]);
    assert!((argument as isize) < count, "a function of {count} arguments has no argument {argument}");
    let name = StringRef::new(name);
    // SAFETY: the operation is a valid function that has the argument.
    unsafe { mlirFuncSetArgAttr(function.to_raw(), argument as isize, name.to_raw(), attribute.to_raw()) }
}

/// The contents of a combine operator attribute.
pub enum Combine<'c> {
    /// `#mdh.cc`.
    Concatenation,
    /// `#mdh.pw<@…>` (true) or `#mdh.ps<@…>`: the symbol.
    Symbol(bool, Attribute<'c>),
    /// `#mdh.pw<…>` (true) or `#mdh.ps<…>`: the enumeration values of the kinds, and whether the attribute has a list.
    Kinds(bool, Vec<c_int>, bool),
}

/// The contents of a combine operator attribute; `None` for other attributes.
pub fn combine<'c>(attribute: Attribute<'c>) -> Option<Combine<'c>> {
    let raw = attribute.to_raw();
    // SAFETY: the attribute is valid, and each accessor is called only for the kind of attribute that it is.
    unsafe {
        if mlirAttributeIsAMdhConcatenation(raw) {
            return Some(Combine::Concatenation);
        }
        let point_wise = mlirAttributeIsAMdhPointWise(raw);
        if !point_wise && !mlirAttributeIsAMdhPrefixSum(raw) {
            return None;
        }
        Some(match Attribute::from_option_raw(mlirMdhFunctionAttrGetSymbol(raw)) {
            Some(symbol) => Combine::Symbol(point_wise, symbol),
            None => {
                let kinds = (0..mlirMdhFunctionAttrGetNumKinds(raw)).map(|i| mlirMdhFunctionAttrGetKind(raw, i));
                Combine::Kinds(point_wise, kinds.collect(), mlirMdhFunctionAttrIsList(raw))
            }
        })
    }
}

/// Builds a combine operator attribute; its kinds become a list.
pub fn combine_get<'c>(context: &'c Context, combine: &Combine<'c>) -> Attribute<'c> {
    handle().load_dialect(context);
    // SAFETY: the context and the symbol, which belongs to it, are valid, and the count matches the list of kinds.
    unsafe {
        let raw = context.to_raw();
        let function = |is_point_wise, kinds: &[c_int], symbol| {
            mlirMdhFunctionAttrGet(raw, is_point_wise, kinds.len() as isize, kinds.as_ptr(), symbol)
        };
        Attribute::from_raw(match combine {
            Combine::Concatenation => mlirMdhConcatenationAttrGet(raw),
            Combine::Symbol(is_point_wise, symbol) => {
                require_context(context, &[], &[*symbol]);
                function(*is_point_wise, &[], symbol.to_raw())
            }
            Combine::Kinds(is_point_wise, kinds, _) => {
                function(*is_point_wise, kinds, MlirAttribute { ptr: std::ptr::null() })
            }
        })
    }
}

/// The handle that registers the dialect.
pub fn handle() -> DialectHandle {
    // SAFETY: the handle is valid for the lifetime of the process.
    unsafe { DialectHandle::from_raw(mlirGetDialectHandle__mdh__()) }
}
