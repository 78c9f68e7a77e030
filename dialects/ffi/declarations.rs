//! The functions of the dialect's C API (`capi/Mdh.h`) and the structures that they take.
#![allow(missing_docs)]
use mlir_sys::*;
use std::ffi::{c_char, c_int, c_void};

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
    pub fn mlirTypeIsAMdhLoop(ty: MlirType) -> bool;
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
    pub fn mdhLlvmArrayTypeGetNumElements(ty: MlirType) -> i64;
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
