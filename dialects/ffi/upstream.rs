//! Types, attributes and rewrites of MLIR's own dialects, by MLIR's C API, or by ours where MLIR's has no function
//! (`capi/Upstream.h`).
use crate::ir::{
    constructors::{AddressSpace, IteratorType, Linkage, ShuffleMode, Unroll},
    handles::{self, Op, Val, require_context, text},
};
use melior::{
    Context, StringRef,
    dialect::DialectHandle,
    ir::{Attribute, AttributeLike, Type, TypeLike, Value, ValueLike},
};
use mlir_sys::*;
use std::{ffi::c_int, ptr};

/// Attributes without parameters.
#[repr(C)]
#[derive(Clone, Copy)]
enum Constant {
    WorkgroupMemory = 0,
    PrivateMemory = 1,
    ShuffleUp = 2,
    ShuffleDown = 3,
    Contract = 4,
    CombineOr = 5,
    SpirvKernels = 6,
    Parallel = 7,
    Reduction = 8,
}

unsafe extern "C" {
    fn mdhLlvmArrayTypeGet(element: MlirType, count: u64) -> MlirType;
    fn mdhNvgpuAsyncTokenTypeGet(context: MlirContext) -> MlirType;
    fn mdhTypeReplace(ty: MlirType, from: MlirType, to: MlirType) -> MlirType;
    fn mdhTypeGetGpuAddressSpace(ty: MlirType) -> c_int;
    fn mdhNumberAttrGet(ty: MlirType, count: isize, words: *const u64) -> MlirAttribute;
    fn mdhConstantAttrGet(context: MlirContext, constant: Constant) -> MlirAttribute;
    fn mdhLlvmUnrollAttrGet(context: MlirContext, is_full: bool, count: i32) -> MlirAttribute;
    fn mdhLlvmAliasScopes(context: MlirContext, count: isize, scopes: *mut MlirAttribute);
    fn mdhGpuSelectObjectAttrGet(context: MlirContext, target: MlirAttribute) -> MlirAttribute;
    fn mdhNvvmTargetAttrGet(context: MlirContext, chip: MlirStringRef) -> MlirAttribute;
    fn mdhDltiGetNumEntries(attribute: MlirAttribute) -> isize;
    fn mdhDltiGetKey(attribute: MlirAttribute, i: isize) -> MlirStringRef;
    fn mdhDltiGetValue(attribute: MlirAttribute, i: isize) -> MlirAttribute;
    fn mdhDltiSpecGet(
        context: MlirContext,
        is_system: bool,
        count: isize,
        keys: *const MlirStringRef,
        values: *const MlirAttribute,
    ) -> MlirAttribute;
    fn mdhLinalgDecompose(operation: MlirOperation) -> MlirValue;
    fn mdhOperationGetProperties(operation: MlirOperation) -> MlirAttribute;
}

/// Loads a dialect into a context, as the constructors of its types and attributes require.
fn loaded(context: &Context, dialect: DialectHandle) -> MlirContext {
    dialect.load_dialect(context);
    context.to_raw()
}

/// `!llvm.ptr<space>`.
pub fn pointer(context: &Context, space: u32) -> Type<'_> {
    // SAFETY: the dialect is loaded.
    unsafe { Type::from_raw(mlirLLVMPointerTypeGet(loaded(context, DialectHandle::llvm()), space)) }
}

/// `!llvm.array<…>`; `None` if `element` is not a valid element type.
pub fn llvm_array<'c>(context: &'c Context, count: u64, element: Type<'c>) -> Option<Type<'c>> {
    require_context(context, &[element], &[]);
    loaded(context, DialectHandle::llvm());
    // SAFETY: the element is valid, and the dialect of the array is loaded in its context.
    unsafe { Type::from_option_raw(mdhLlvmArrayTypeGet(element.to_raw(), count)) }
}

/// `!llvm.struct<(…)>` of fields that are valid in LLVM structs.
pub fn llvm_struct<'c>(context: &'c Context, fields: &[Type<'c>]) -> Type<'c> {
    require_context(context, fields, &[]);
    let fields: Vec<_> = fields.iter().map(|field| field.to_raw()).collect();
    let (context, count) = (loaded(context, DialectHandle::llvm()), fields.len() as isize);
    // SAFETY: the dialect is loaded, and the count is that of the fields, which belong to the context.
    unsafe { Type::from_raw(mlirLLVMStructTypeLiteralGet(context, count, fields.as_ptr(), false)) }
}

/// `!nvgpu.device.async.token`.
pub fn copy_token(context: &Context) -> Type<'_> {
    // SAFETY: the dialect is loaded.
    unsafe { Type::from_raw(mdhNvgpuAsyncTokenTypeGet(loaded(context, nvgpu_dialect()))) }
}

/// Replaces `from` by `to` everywhere in a type, except inside named structs.
pub fn replace_type<'c>(context: &'c Context, ty: Type<'c>, from: Type<'c>, to: Type<'c>) -> Type<'c> {
    require_context(context, &[ty, from, to], &[]);
    // SAFETY: the types are valid and of one context.
    unsafe { Type::from_raw(mdhTypeReplace(ty.to_raw(), from.to_raw(), to.to_raw())) }
}

/// A number attribute, or a splat of a shaped type, from the bits of a float or a signed integer, low word first.
///
/// # Panics
/// If the type is neither a number nor a static shape of numbers.
pub fn number<'c>(context: &'c Context, words: &[u64], ty: Type<'c>) -> Attribute<'c> {
    require_context(context, &[ty], &[]);
    // SAFETY: the type is valid and numeric, the count matches the words, and there is at least one word.
    unsafe {
        let raw = ty.to_raw();
        let element = if mlirTypeIsAShaped(raw) { mlirShapedTypeGetElementType(raw) } else { raw };
        let is_number = mlirTypeIsAFloat(element) || mlirTypeIsAInteger(element) || mlirTypeIsAIndex(element);
        let has_sizes = !mlirTypeIsAShaped(raw) || mlirShapedTypeHasStaticShape(raw);
        assert!(is_number && has_sizes && !words.is_empty(), "{ty} has no constant numbers");
        Attribute::from_raw(mdhNumberAttrGet(raw, words.len() as isize, words.as_ptr()))
    }
}

/// Dense elements of a shaped type, from the bytes of all elements, or of one element for a splat.
pub fn dense<'c>(context: &'c Context, bytes: &[u8], ty: Type<'c>) -> Option<Attribute<'c>> {
    require_context(context, &[ty], &[]);
    // SAFETY: the type is valid, and the C API rejects buffers whose size does not match the elements.
    unsafe {
        let raw = ty.to_raw();
        if !mlirTypeIsAShaped(raw) || !mlirShapedTypeHasStaticShape(raw) {
            return None;
        }
        Attribute::from_option_raw(mlirDenseElementsAttrRawBufferGet(raw, bytes.len(), bytes.as_ptr().cast()))
    }
}

/// The indexing maps of a structured operation of `linalg`, an array of affine maps; `None` for other operations.
pub fn indexing_maps<'c>(operation: Op<'c>) -> Option<Attribute<'c>> {
    // SAFETY: the operation is valid; the function returns null for operations that are not structured.
    unsafe { Attribute::from_option_raw(mlirLinalgGetIndexingMapsAttribute(operation.to_raw())) }
}

/// The properties of an operation as a dictionary, also those that are no attributes, such as the `overflowFlags` of the
/// LLVM dialect.
pub fn properties<'c>(operation: Op<'c>) -> Option<Attribute<'c>> {
    // SAFETY: the operation is valid; the function returns null for operations without properties.
    unsafe { Attribute::from_option_raw(mdhOperationGetProperties(operation.to_raw())) }
}

/// Builds, before a `linalg.softmax` on tensors, the operations that compute its result, which is returned; `None` for
/// other operations.
pub fn decompose_softmax<'c>(operation: Op<'c>) -> Option<Val<'c>> {
    let is_on_tensors = || handles::operands(operation).iter().all(|operand| operand.r#type().is_tensor());
    if handles::name(operation) != "linalg.softmax" || !is_on_tensors() {
        return None;
    }
    let context = handles::context(operation);
    for dialect in [DialectHandle::arith(), math_dialect(), DialectHandle::tensor(), DialectHandle::linalg()] {
        dialect.load_dialect(context);
    }
    // SAFETY: the operation is valid, on tensors as its decomposition requires, and the dialects of the new operations
    // are loaded.
    let value = unsafe { mdhLinalgDecompose(operation.to_raw()) };
    // SAFETY: a value that is not null is that of an operation in the block of `operation`.
    (!value.ptr.is_null()).then(|| unsafe { Value::from_raw(value) })
}

/// The affine map from `dimensions` dimensions to no results.
pub fn map_to_nothing(context: &Context, dimensions: usize) -> Attribute<'_> {
    // SAFETY: the context is valid.
    unsafe {
        Attribute::from_raw(mlirAffineMapAttrGet(mlirAffineMapZeroResultGet(context.to_raw(), dimensions as isize, 0)))
    }
}

fn constant(context: &Context, dialect: DialectHandle, constant: Constant) -> Attribute<'_> {
    // SAFETY: the dialect is loaded.
    unsafe { Attribute::from_raw(mdhConstantAttrGet(loaded(context, dialect), constant)) }
}

/// `#gpu.address_space<…>`.
pub fn address_space(context: &Context, space: AddressSpace) -> Attribute<'_> {
    let space = match space {
        AddressSpace::Workgroup => Constant::WorkgroupMemory,
        AddressSpace::Private => Constant::PrivateMemory,
    };
    constant(context, DialectHandle::gpu(), space)
}

/// The memory of a kernel in which a memref is; `None` for other types, and for global memory.
pub fn kernel_memory(ty: Type<'_>) -> Option<AddressSpace> {
    /// MLIR's enumeration values of workgroup and private memory.
    const SPACES: [(c_int, AddressSpace); 2] = [(2, AddressSpace::Workgroup), (3, AddressSpace::Private)];
    // SAFETY: the type is valid.
    let space = unsafe { mdhTypeGetGpuAddressSpace(ty.to_raw()) };
    SPACES.into_iter().find_map(|(number, found)| (number == space).then_some(found))
}

/// `#gpu<shuffle_mode …>`.
pub fn shuffle_mode(context: &Context, mode: ShuffleMode) -> Attribute<'_> {
    let mode = match mode {
        ShuffleMode::Up => Constant::ShuffleUp,
        ShuffleMode::Down => Constant::ShuffleDown,
    };
    constant(context, DialectHandle::gpu(), mode)
}

/// `#linalg.iterator_type<…>`.
pub fn iterator_type(context: &Context, iterator: IteratorType) -> Attribute<'_> {
    let iterator = match iterator {
        IteratorType::Parallel => Constant::Parallel,
        IteratorType::Reduction => Constant::Reduction,
    };
    constant(context, DialectHandle::linalg(), iterator)
}

/// `#arith.fastmath<contract>`.
pub fn contract(context: &Context) -> Attribute<'_> {
    constant(context, DialectHandle::arith(), Constant::Contract)
}

/// `#vector.kind<or>`.
pub fn or_kind(context: &Context) -> Attribute<'_> {
    constant(context, vector_dialect(), Constant::CombineOr)
}

/// The target of kernels for OpenCL: `#spirv.target_env<…>`.
pub fn spirv_target(context: &Context) -> Attribute<'_> {
    // SAFETY: the handle is valid for the lifetime of the process.
    let dialect = unsafe { DialectHandle::from_raw(mlirGetDialectHandle__spirv__()) };
    constant(context, dialect, Constant::SpirvKernels)
}

/// The target of kernels for an NVIDIA architecture: `#nvvm.target<chip = …>`.
pub fn nvvm_target<'c>(context: &'c Context, architecture: &str) -> Attribute<'c> {
    // SAFETY: the handle is valid for the lifetime of the process; the dialect is loaded, and copies the name.
    unsafe {
        let context = loaded(context, DialectHandle::from_raw(mlirGetDialectHandle__nvvm__()));
        Attribute::from_raw(mdhNvvmTargetAttrGet(context, StringRef::new(architecture).to_raw()))
    }
}

/// `#llvm.linkage<…>`.
pub fn linkage(context: &Context, linkage: Linkage) -> Attribute<'_> {
    let linkage = match linkage {
        Linkage::External => MlirLLVMLinkage_MlirLLVMLinkageExternal,
        Linkage::Internal => MlirLLVMLinkage_MlirLLVMLinkageInternal,
    };
    // SAFETY: the dialect is loaded.
    unsafe { Attribute::from_raw(mlirLLVMLinkageAttrGet(loaded(context, DialectHandle::llvm()), linkage)) }
}

/// `#llvm.loop_annotation<unroll = …>`.
pub fn unroll(context: &Context, unroll: Unroll) -> Attribute<'_> {
    let (is_full, count) = match unroll {
        Unroll::Full => (true, 0),
        Unroll::Count(count) => (false, count),
    };
    // SAFETY: the dialect is loaded.
    unsafe { Attribute::from_raw(mdhLlvmUnrollAttrGet(loaded(context, DialectHandle::llvm()), is_full, count)) }
}

/// New `#llvm.alias_scope<…>`, all of one new domain.
pub fn alias_scopes(context: &Context, count: usize) -> Vec<Attribute<'_>> {
    let mut scopes = vec![MlirAttribute { ptr: ptr::null() }; count];
    // SAFETY: the dialect is loaded, and the buffer has `count` elements.
    unsafe {
        mdhLlvmAliasScopes(loaded(context, DialectHandle::llvm()), count as isize, scopes.as_mut_ptr());
        scopes.into_iter().map(|scope| Attribute::from_raw(scope)).collect()
    }
}

/// `#gpu.object<…>`: the code of kernels for a target.
pub fn gpu_object<'c>(context: &'c Context, target: Attribute<'c>, code: &[u8]) -> Attribute<'c> {
    /// MLIR's enumeration value of the format `Binary`.
    const BINARY: u32 = 3;
    require_context(context, &[], &[target]);
    let code = MlirStringRef { data: code.as_ptr().cast(), length: code.len() };
    let none = MlirAttribute { ptr: ptr::null() };
    // SAFETY: the dialect is loaded, the target belongs to the context, and the code, which is copied, has the given
    // length.
    unsafe {
        let context = loaded(context, DialectHandle::gpu());
        Attribute::from_raw(mlirGPUObjectAttrGet(context, target.to_raw(), BINARY, code, none))
    }
}

/// `#gpu.select_object<…>`: selects the object to load.
pub fn select_object<'c>(context: &'c Context, which: Attribute<'c>) -> Attribute<'c> {
    require_context(context, &[], &[which]);
    // SAFETY: the dialect is loaded, and the attribute belongs to the context.
    unsafe { Attribute::from_raw(mdhGpuSelectObjectAttrGet(loaded(context, DialectHandle::gpu()), which.to_raw())) }
}

/// The entries with string keys of a DLTI map, device or system specification; `None` for other attributes.
pub fn dlti_entries<'c>(attribute: Attribute<'c>) -> Option<Vec<(&'c str, Attribute<'c>)>> {
    let raw = attribute.to_raw();
    // SAFETY: the attribute is valid, the indices are below its number of entries, and its context owns the keys.
    unsafe {
        let count = mdhDltiGetNumEntries(raw);
        let entry = |i| {
            let key = text(mdhDltiGetKey(raw, i)).filter(|key| !key.is_empty())?;
            Some((key, Attribute::from_raw(mdhDltiGetValue(raw, i))))
        };
        (count >= 0).then(|| (0..count).filter_map(entry).collect())
    }
}

/// The DLTI specification of a device.
pub fn dlti_device<'c>(context: &'c Context, entries: &[(&str, Attribute<'c>)]) -> Option<Attribute<'c>> {
    dlti(context, false, entries)
}

/// The DLTI specification of the devices of a system. `None`, with an error, if an entry is not a device specification
/// or two have the same name.
pub fn dlti_system<'c>(context: &'c Context, devices: &[(&str, Attribute<'c>)]) -> Option<Attribute<'c>> {
    dlti(context, true, devices)
}

fn dlti<'c>(context: &'c Context, is_system: bool, entries: &[(&str, Attribute<'c>)]) -> Option<Attribute<'c>> {
    let (keys, values): (Vec<_>, Vec<_>) = entries.iter().copied().unzip();
    require_context(context, &[], &values);
    let keys: Vec<_> = keys.into_iter().map(|key| StringRef::new(key).to_raw()).collect();
    let values: Vec<_> = values.iter().map(|value| value.to_raw()).collect();
    // SAFETY: the handle is valid for the lifetime of the process; the dialect is loaded; the count matches keys and
    // values, which belong to the context.
    unsafe {
        let context = loaded(context, DialectHandle::from_raw(mlirGetDialectHandle__dlti__()));
        let count = keys.len() as isize;
        Attribute::from_option_raw(mdhDltiSpecGet(context, is_system, count, keys.as_ptr(), values.as_ptr()))
    }
}

/// The `vector` dialect, for which melior has no handle.
pub fn vector_dialect() -> DialectHandle {
    // SAFETY: the handle is valid for the lifetime of the process.
    unsafe { DialectHandle::from_raw(mlirGetDialectHandle__vector__()) }
}

/// The `math` dialect, for which melior has no handle.
pub fn math_dialect() -> DialectHandle {
    // SAFETY: the handle is valid for the lifetime of the process.
    unsafe { DialectHandle::from_raw(mlirGetDialectHandle__math__()) }
}

/// The `nvgpu` dialect, for which melior has no handle.
pub fn nvgpu_dialect() -> DialectHandle {
    // SAFETY: the handle is valid for the lifetime of the process.
    unsafe { DialectHandle::from_raw(mlirGetDialectHandle__nvgpu__()) }
}
