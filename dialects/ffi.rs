//! The C API of the dialect (`capi/Mdh.h`), and the few safe wrappers of it that IR views need. [`upstream`] has the
//! API for other dialects.
#![allow(missing_docs)]
use crate::ir::{Op, require_context};
use melior::{
    Context, StringRef,
    dialect::DialectHandle,
    ir::{Attribute, AttributeLike, Type, TypeLike},
};
use mlir_sys::*;
use std::ffi::{c_char, c_int, c_void};

pub mod upstream;

pub use upstream::{decompose_softmax, dlti_entries, indexing_maps, math_dialect, nvgpu_dialect, vector_dialect};

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MdhOptionKind {
    Bool = 0,
    Int = 1,
    String = 2,
}

#[repr(C)]
pub struct MdhOptionDesc {
    pub kind: MdhOptionKind,
    pub name: MlirStringRef,
    pub description: MlirStringRef,
    pub default_value: MlirStringRef,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct MdhPassRun {
    pub ptr: *mut c_void,
}

#[repr(C)]
pub struct MdhPassDesc {
    pub id: MlirTypeID,
    pub name: MlirStringRef,
    pub argument: MlirStringRef,
    pub description: MlirStringRef,
    pub op_name: MlirStringRef,
    pub dependent_dialect_count: isize,
    pub dependent_dialects: *const MlirDialectHandle,
    pub option_count: isize,
    pub options: *const MdhOptionDesc,
    pub run: unsafe extern "C" fn(MlirOperation, MdhPassRun) -> MlirLogicalResult,
}

pub type MdhAcceptSource = unsafe extern "C" fn(MlirStringRef, MlirStringRef, MlirContext) -> bool;
pub type MdhExpandPipeline = unsafe extern "C" fn(MlirStringRef, MlirStringCallback, *mut c_void) -> bool;

unsafe extern "C" {
    pub fn mlirGetDialectHandle__mdh__() -> MlirDialectHandle;

    pub fn mlirTypeIsAMdhMda(ty: MlirType) -> bool;
    pub fn mdhTypeIsScalar(ty: MlirType) -> bool;
    pub fn mlirMdhMdaTypeGet(
        context: MlirContext,
        extent_count: isize,
        extents: *const i64,
        scalar_count: isize,
        scalars: *const MlirType,
    ) -> MlirType;
    pub fn mlirMdhMdaTypeGetNumExtents(ty: MlirType) -> isize;
    pub fn mlirMdhMdaTypeGetExtent(ty: MlirType, i: isize) -> i64;
    pub fn mlirMdhMdaTypeGetNumScalars(ty: MlirType) -> isize;
    pub fn mlirMdhMdaTypeGetScalar(ty: MlirType, i: isize) -> MlirType;
    pub fn mlirAttributeIsAMdhTag(attribute: MlirAttribute) -> bool;
    pub fn mlirMdhTagAttrGet(context: MlirContext, layer: MlirStringRef, dimension: i64) -> MlirAttribute;
    pub fn mlirMdhTagAttrGetLayer(attribute: MlirAttribute) -> MlirStringRef;
    pub fn mlirMdhTagAttrGetDimension(attribute: MlirAttribute) -> i64;
    pub fn mlirMdhMemoryRoleAttrGet(ctx: MlirContext, role: i32) -> MlirAttribute;
    pub fn mlirMdhMemoryRoleAttrGetValue(attr: MlirAttribute) -> i32;
    pub fn mlirMdhCoreRoleAttrGet(ctx: MlirContext, role: i32) -> MlirAttribute;
    pub fn mlirMdhCoreRoleAttrGetValue(attr: MlirAttribute) -> i32;
    pub fn mlirAttributeIsAMdhPlacement(attribute: MlirAttribute) -> bool;
    pub fn mlirMdhPlacementAttrGet(
        context: MlirContext,
        region: MlirStringRef,
        rank: isize,
        layout: *const i64,
        pad: i64,
        buffers: i64,
    ) -> MlirAttribute;
    pub fn mlirMdhPlacementAttrGetRegion(attribute: MlirAttribute) -> MlirStringRef;
    pub fn mlirMdhPlacementAttrGetRank(attribute: MlirAttribute) -> isize;
    pub fn mlirMdhPlacementAttrGetDimension(attribute: MlirAttribute, i: isize) -> i64;
    pub fn mlirMdhPlacementAttrGetPad(attribute: MlirAttribute) -> i64;
    pub fn mlirMdhPlacementAttrGetBuffers(attribute: MlirAttribute) -> i64;
    pub fn mlirAttributeIsAMdhConcatenation(attribute: MlirAttribute) -> bool;
    pub fn mlirAttributeIsAMdhPointWise(attribute: MlirAttribute) -> bool;
    pub fn mlirAttributeIsAMdhPrefixSum(attribute: MlirAttribute) -> bool;
    pub fn mlirMdhConcatenationAttrGet(context: MlirContext) -> MlirAttribute;
    pub fn mlirMdhFunctionAttrGet(
        context: MlirContext,
        is_point_wise: bool,
        kind_count: isize,
        kinds: *const c_int,
        symbol: MlirAttribute,
    ) -> MlirAttribute;
    pub fn mlirMdhFunctionAttrGetSymbol(attribute: MlirAttribute) -> MlirAttribute;
    pub fn mlirMdhFunctionAttrIsList(attribute: MlirAttribute) -> bool;
    pub fn mlirMdhFunctionAttrGetNumKinds(attribute: MlirAttribute) -> isize;
    pub fn mlirMdhFunctionAttrGetKind(attribute: MlirAttribute, i: isize) -> c_int;
    pub fn mdhOperationIsCommutative(operation: MlirOperation) -> bool;
    pub fn mdhOperationCloneMapped(
        operation: MlirOperation,
        count: isize,
        from: *const MlirValue,
        to: *const MlirValue,
    ) -> MlirOperation;
    pub fn mdhOperationDetach(operation: MlirOperation);
    pub fn mdhBlockDetachArgument(block: MlirBlock, index: isize) -> MlirBlock;
    pub fn mdhDestroyDetached(
        operation_count: isize,
        operations: *const MlirOperation,
        block_count: isize,
        blocks: *const MlirBlock,
    ) -> isize;
    pub fn mdhLookupSymbol(from: MlirOperation, symbol: MlirStringRef) -> MlirOperation;
    pub fn mdhEmit(
        severity: i32,
        op: MlirOperation,
        message: MlirStringRef,
        note_count: isize,
        note_ops: *const MlirOperation,
        notes: *const MlirStringRef,
    );

    pub fn mdhRegisterPass(desc: *const MdhPassDesc);
    pub fn mdhCreatePass(desc: *const MdhPassDesc) -> MlirPass;
    pub fn mdhRegisterPipeline(argument: MlirStringRef, description: MlirStringRef, expand: MdhExpandPipeline);
    pub fn mdhPassRunGetBool(run: MdhPassRun, option: isize) -> bool;
    pub fn mdhPassRunGetInt(run: MdhPassRun, option: isize) -> i64;
    pub fn mdhPassRunGetString(run: MdhPassRun, option: isize) -> MlirStringRef;

    pub fn mdhRegisterAllForOpt(registry: MlirDialectRegistry);
    pub fn mdhOptMain(
        argc: c_int,
        argv: *mut *mut c_char,
        tool: MlirStringRef,
        registry: MlirDialectRegistry,
        accept: MdhAcceptSource,
    ) -> c_int;
    pub fn mdhBytecodeNestsAtMost(context: MlirContext, source: MlirStringRef, most: isize) -> bool;
    pub fn mdhLspServerMain(argc: c_int, argv: *mut *mut c_char, registry: MlirDialectRegistry) -> c_int;
    pub fn mdhReduceMain(argc: c_int, argv: *mut *mut c_char, context: MlirContext) -> c_int;
    pub fn mdhTranslateMain(argc: c_int, argv: *mut *mut c_char, tool: MlirStringRef) -> c_int;
    pub fn mdhRegisterDialect(registry: MlirDialectRegistry);
    pub fn mdhPluginRegisterDialect(registry: *mut c_void);
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
    assert!(crate::ir::name(function) == "func.func", "only a function has attributes of arguments");
    let count = crate::ir::attribute(function, "function_type").map_or(0, |ty| {
        // SAFETY: the verifier ensures that this attribute is a function type.
        unsafe { mlirFunctionTypeGetNumInputs(mlirTypeAttrGetValue(ty.to_raw())) }
    });
    require_context(crate::ir::context(function), &[], &[attribute]);
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
