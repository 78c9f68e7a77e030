//! `mdh-opencl-memory`: brings the memory of OpenCL kernels into the form that upstream's conversion for SPIR-V
//! accepts.
//!
//! ```mlir
//! gpu.module @kernels {
//!   gpu.func @f(%x: f32, %i: index) workgroup(%w : memref<8xf32, #gpu.address_space<workgroup>>) kernel {
//!     memref.store %x, %w[%i] : memref<8xf32, #gpu.address_space<workgroup>>
//!     gpu.return
//!   }
//! }
//! ```
//! becomes
//! ```mlir
//! llvm.mlir.global internal @f_workgroup_..() {addr_space = 3 : i32, ..} : !llvm.array<8 x f32>
//! gpu.func @f(%x: f32, %i: index) kernel {
//! llvm.mlir.addressof @f_workgroup_.. : !llvm.ptr<3>
//! memref.store %x, %w[%i] : memref<8xf32, 3>
//! ```
//!
//! Upstream accepts only integers as memory spaces and no memory space for global memory, and turns work-group memory
//! into kernel arguments, which the host would have to pass.
//!
//! In memory, i1 becomes a byte. SPIR-V gives booleans no size, and Intel's compiler loses elements of private arrays
//! of booleans.
use mdh_dialects::{
    ir::{self, AddressSpace, Builder, Linkage, Op, Val},
    pass::{Failure, MdhPass},
};
use melior::{
    dialect::DialectHandle,
    ir::{Type, TypeLike, ValueLike, attribute::StringAttribute, r#type::MemRefType},
};

/// The pass.
pub struct OpenclMemory;

/// The memory spaces of memrefs in kernels, and their OpenCL address spaces.
const SPACES: [(AddressSpace, u32); 2] = [(AddressSpace::Workgroup, 3), (AddressSpace::Private, 4)];

impl MdhPass for OpenclMemory {
    const NAME: &'static str = "OpenclMemory";
    const ARGUMENT: &'static str = "mdh-opencl-memory";
    const DESCRIPTION: &'static str = "Convert the memory of kernels to the address spaces of OpenCL";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::llvm()]
    }

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        for kernel in ir::find(module, "gpu.func") {
            rewrite(kernel)?;
        }
        Ok(())
    }
}

fn rewrite<'c>(kernel: Op<'c>) -> Result<(), Failure<'c>> {
    let Some(entry) = ir::body(kernel, 0) else { return Ok(()) };
    let Some(first) = ir::block_operations(entry).first().copied() else { return Ok(()) };
    let name = ir::attribute(kernel, "sym_name").and_then(ir::string_attribute).unwrap_or_default();
    let (top, b) = (Builder::before(kernel), Builder::before(first));
    booleans_to_bytes(kernel, &b);
    let arguments = ir::arguments(entry);
    let of_workgroup = |value: &Val<'c>| {
        let memref = MemRefType::try_from(value.r#type()).ok();
        memref.and_then(|memref| memref.memory_space()) == Some(b.address_space(AddressSpace::Workgroup))
    };
    for (i, argument) in arguments.iter().enumerate().filter(|(_, argument)| of_workgroup(argument)).rev() {
        let array = array(&b, argument.r#type()).ok_or_else(|| refused(kernel, argument.r#type()))?;
        let symbol = format!("{name}_workgroup_{}", i + 1);
        let attributes = [
            ("sym_name", StringAttribute::new(b.context, &symbol).into()),
            ("global_type", b.type_of(array)),
            ("linkage", b.linkage(Linkage::Internal)),
            ("addr_space", b.i32_number(3)),
            ("alignment", b.i64_number(16)),
        ];
        top.op("llvm.mlir.global", &[], &[], &attributes, vec![ir::Region::new()]);
        let symbol = melior::ir::attribute::FlatSymbolRefAttribute::new(b.context, &symbol).into();
        let pointer = b.value("llvm.mlir.addressof", &[], b.pointer(3), &[("global_name", symbol)]);
        let replaced =
            descriptor(&b, pointer, 3, argument.r#type()).ok_or_else(|| refused(kernel, argument.r#type()))?;
        ir::replace_uses(*argument, replaced);
        ir::erase_argument(entry, i);
    }
    ir::set_attribute(kernel, "workgroup_attributions", b.i64_number(0));
    for alloca in ir::find(kernel, "memref.alloca") {
        let (b, result) = (Builder::before(alloca), ir::results(alloca)[0]);
        let array = array(&b, result.r#type()).ok_or_else(|| refused(alloca, result.r#type()))?;
        let one = b.word(1);
        let attributes = [("elem_type", b.type_of(array)), ("alignment", b.i64_number(16))];
        let pointer = b.value("llvm.alloca", &[one], b.pointer(0), &attributes);
        let pointer = b.value("llvm.addrspacecast", &[pointer], b.pointer(4), &[]);
        let replaced = descriptor(&b, pointer, 4, result.r#type()).ok_or_else(|| refused(alloca, result.r#type()))?;
        ir::replace_uses(result, replaced);
        ir::erase(alloca);
    }
    // Views of these buffers, and memrefs that loops and branches carry.
    for value in values(kernel) {
        let memref = MemRefType::try_from(value.r#type()).ok();
        if let Some((memref, space)) = memref.and_then(|memref| Some((memref, space(&b, memref)?))) {
            value.set_type(b.memref_in(memref, space));
        }
    }
    Ok(())
}

/// Replaces i1 in memory with bytes.
fn booleans_to_bytes<'c>(kernel: Op<'c>, b: &Builder<'c>) {
    let is_truth = |ty: Type<'c>| ir::element_type_or_self(ty) == b.i1();
    for operation in ir::descendants(kernel) {
        let at = Builder::before(operation);
        match ir::name(operation) {
            "memref.load" | "vector.load" => {
                let result = ir::results(operation)[0];
                if is_truth(result.r#type()) {
                    let copy = ir::results(at.clone_operation(operation))[0];
                    copy.set_type(ir::with_element(result.r#type(), b.integer(8)));
                    ir::replace_uses(result, at.value("arith.trunci", &[copy], result.r#type(), &[]));
                    ir::erase(operation);
                }
            }
            "memref.store" | "vector.store" => {
                let value = ir::operands(operation)[0];
                if is_truth(value.r#type()) {
                    let wide = ir::with_element(value.r#type(), b.integer(8));
                    ir::set_operand(operation, 0, at.value("arith.extui", &[value], wide, &[]));
                }
            }
            _ => {}
        }
    }
    for value in values(kernel) {
        let memref = MemRefType::try_from(value.r#type()).ok();
        if let Some(memref) = memref.filter(|memref| is_truth((*memref).into())) {
            value.set_type(b.memref_of(memref, b.integer(8)));
        }
    }
}

/// The results of all operations, and the arguments of all blocks.
fn values<'c>(kernel: Op<'c>) -> Vec<Val<'c>> {
    let operations = ir::descendants(kernel);
    let results = operations.iter().flat_map(|operation| ir::results(*operation));
    let arguments = operations.iter().flat_map(|operation| ir::blocks(*operation)).flat_map(ir::arguments);
    results.chain(arguments).collect()
}

/// The OpenCL address space of a memref in shared or private memory; `None` for other memrefs.
fn space<'c>(b: &Builder<'c>, memref: MemRefType<'c>) -> Option<u32> {
    let own = memref.memory_space()?;
    SPACES.into_iter().find(|(space, _)| b.address_space(*space) == own).map(|(_, number)| number)
}

fn refused<'c>(operation: Op<'c>, ty: Type<'c>) -> Failure<'c> {
    let message = format!("memory of a kernel requires sizes that are known and no layout, but has type {ty}");
    Failure::new(operation, message)
}

/// The LLVM array type with the elements of a memref.
fn array<'c>(b: &Builder<'c>, ty: Type<'c>) -> Option<Type<'c>> {
    let sizes: Option<Vec<u64>> = ir::shape(ty)?.into_iter().collect();
    let element = ir::element_type(ty)?;
    let element = if element.is_index() { b.i64() } else { element };
    b.llvm_array(sizes?.iter().product(), element)
}

/// Builds a memref in a memory space from the pointer to a contiguous array.
fn descriptor<'c>(b: &Builder<'c>, pointer: Val<'c>, space: u32, ty: Type<'c>) -> Option<Val<'c>> {
    let sizes: Vec<u64> = ir::shape(ty)?.into_iter().collect::<Option<_>>()?;
    let strides: Vec<i64> = ir::strides(ty)?.0.into_iter().collect::<Option<_>>()?;
    let r#struct = b.descriptor(space, sizes.len());
    let mut fields = vec![(pointer, vec![0]), (pointer, vec![1]), (b.word(0), vec![2])];
    for (i, (size, stride)) in (0..).zip(sizes.into_iter().zip(strides)) {
        fields.push((b.word(size as i64), vec![3, i]));
        fields.push((b.word(stride), vec![4, i]));
    }
    let mut value = b.value("llvm.mlir.poison", &[], r#struct, &[]);
    for (field, position) in fields {
        value = b.value("llvm.insertvalue", &[value, field], r#struct, &[("position", b.numbers(&position))]);
    }
    let spaced = b.memref_in(MemRefType::try_from(ty).ok()?, space);
    Some(b.value("builtin.unrealized_conversion_cast", &[value], spaced, &[]))
}
