//! `mdh-kernel-arguments`: turns values that a kernel captures from the host into numbers and pointers to global
//! memory, before kernels are outlined.
//!
//! ```mlir
//! func.func @f(%n: index) {
//!   %a = gpu.alloc (%n) {mdh.buffer = "input 1"} : memref<?xf32>
//!   gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
//!              threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
//!     %x = memref.load %a[%tx] : memref<?xf32>
//!     memref.store %x, %a[%bx] : memref<?xf32>
//!     gpu.terminator
//!   }
//!   return
//! }
//! ```
//! becomes
//! ```mlir
//! %p = llvm.inttoptr %i {mdh.noalias, mdh.role = "input 1"} : i64 to !llvm.ptr<1>
//! %s = arith.index_cast %n {mdh.role = "size 1 of input 1"} : index to i64
//! gpu.launch .. module(@mdh_kernels) function(@f_kernel_1) {
//! %g = llvm.addrspacecast %p : !llvm.ptr<1> to !llvm.ptr
//! .. = llvm.insertvalue %g, ..
//! .. = llvm.insertvalue %s, ..
//! %k = builtin.unrealized_conversion_cast %d : ..
//! %x = memref.load %k[%t] : memref<?xf32>
//! ```
//!
//! For OpenCL, dynamic shared memory is a kernel argument, too: `gpu.dynamic_shared_memory` becomes a pointer.
//!
//! Upstream passes whole descriptors, or bare pointers if all memrefs are static, and offers that choice for CUDA only.
//! With this pass, each kernel takes only what it needs, in the same way for every target, and any program can launch
//! it. All kernels share one `gpu.module`.
use crate::{
    analysis::{effects::Effects, origin::is_device_argument},
    target::KernelFlavour,
};
use mdh_dialects::{
    attributes::{BUFFER, MANUAL, NO_ALIAS, ROLE},
    ir::{self, Builder, FloatType, Op, StatedLayout, Val},
    pass::{Failure, MdhPass},
    pass_options,
};
use melior::{
    dialect::DialectHandle,
    ir::{
        Type, TypeLike, ValueLike,
        attribute::{FlatSymbolRefAttribute, StringAttribute},
        r#type::MemRefType,
    },
};

/// The pass.
pub struct KernelArguments;

/// The symbol of the `gpu.module` of all kernels.
pub const MODULE: &str = "mdh_kernels";

pass_options! {
    /// Options of passes on kernels.
    pub struct KernelOptions {
        /// The API that launches the kernels: cuda or opencl
        target: String = "cuda",
    }
}

impl MdhPass for KernelArguments {
    const NAME: &'static str = "KernelArguments";
    const ARGUMENT: &'static str = "mdh-kernel-arguments";
    const DESCRIPTION: &'static str = "Turn values that kernels capture into arguments: numbers and pointers";
    const OP: &'static str = "builtin.module";
    type Options = KernelOptions;

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::arith(), DialectHandle::llvm(), DialectHandle::memref(), DialectHandle::gpu()]
    }

    fn run<'c>(module: Op<'c>, options: KernelOptions) -> Result<(), Failure<'c>> {
        let kernels = KernelFlavour::named(&options.target)?;
        for operation in ["gpu.alloc", "gpu.dealloc"].into_iter().flat_map(|name| ir::find(module, name)) {
            ir::set_attribute(operation, MANUAL, Builder::before(operation).unit());
        }
        for function in ir::find(module, "func.func") {
            let name = ir::attribute(function, "sym_name").and_then(ir::string_attribute).unwrap_or_default();
            for (i, launch) in ir::find(function, "gpu.launch").into_iter().enumerate() {
                let b = Builder::before(launch);
                ir::set_attribute(launch, "module", b.symbol(MODULE));
                if ir::attribute(launch, "function").is_none() {
                    let symbol = FlatSymbolRefAttribute::new(b.context, &format!("{name}_kernel_{}", i + 1));
                    ir::set_attribute(launch, "function", symbol.into());
                }
                rewrite(launch, kernels.global_space).map_err(|message| Failure::new(launch, message))?;
                if kernels.takes_shared_memory {
                    share(launch);
                }
            }
        }
        Ok(())
    }
}

/// Replaces the dynamic shared memory of an OpenCL kernel with a pointer. The host must pass it as an argument,
/// although it has no value on the host.
fn share(launch: Op<'_>) {
    let mut pointer = None;
    for operation in ir::find(launch, "gpu.dynamic_shared_memory") {
        let (host, kernel) = (Builder::before(launch), Builder::before(operation));
        let role = (ROLE, host.string("shared memory"));
        let pointer = *pointer.get_or_insert_with(|| host.value("llvm.mlir.zero", &[], host.pointer(3), &[role]));
        // The size is never read: views of the memory have their own sizes.
        let descriptor = descriptor(&kernel, 3, pointer, kernel.word(0), &[(kernel.word(0), kernel.word(1))]);
        let result = ir::results(operation)[0];
        let cast = kernel.value("builtin.unrealized_conversion_cast", &[descriptor], result.r#type(), &[]);
        ir::replace_uses(result, cast);
        ir::erase(operation);
    }
}

/// Replaces captured host values that cannot be kernel arguments as they are.
fn rewrite<'c>(launch: Op<'c>, space: u32) -> Result<(), String> {
    let Some(body) = ir::body(launch, 0) else { return Ok(()) };
    let Some(first) = ir::block_operations(body).first().copied() else { return Ok(()) };
    let operations: Vec<_> = ir::descendants(launch).into_iter().filter(|operation| *operation != launch).collect();
    let captured = captured(launch, &operations);
    let memrefs: Vec<_> = captured.iter().filter(|value| value.r#type().is_mem_ref()).map(|m| memory(*m)).collect();
    let effects = Effects::of(launch);
    for value in captured {
        let host = Builder::before(launch);
        let kernel = host.at(first);
        let ty = value.r#type();
        let inside = match passed_bits(ty) {
            _ if ty.is_mem_ref() => {
                let own = memory(value);
                let is_only = || memrefs.iter().filter(|other| **other == own).count() == 1;
                let apart = !memrefs.contains(&None) && (is_only() || !effects.write(value));
                memref(&host, &kernel, value, space, apart)?
            }
            Some(WORD) => continue,
            Some(bits) => number(&host, &kernel, value, bits),
            None => return Err(format!("a kernel requires numbers and memrefs, but uses a value of type {ty}")),
        };
        for operation in &operations {
            for (i, operand) in ir::operands(*operation).into_iter().enumerate() {
                if operand == value {
                    ir::set_operand(*operation, i, inside);
                }
            }
        }
    }
    Ok(())
}

/// The number of bits in which numbers are passed to a kernel.
const WORD: u32 = 64;

/// The number of bits of a number; `None` for other types.
fn passed_bits(ty: Type<'_>) -> Option<u32> {
    let is_number = ty.is_integer() || ty.is_index();
    is_number.then(|| ir::integer_width(ty)).or_else(|| FloatType::of(ty).map(FloatType::bits))
}

/// Passes a number of less than 64 bits to the kernel as 64 bits, and restores it there. OpenCL kernels cannot take
/// booleans or bf16, and a program that launches the kernel need not know the number of bytes of each argument.
fn number<'c>(host: &Builder<'c>, kernel: &Builder<'c>, value: Val<'c>, bits: u32) -> Val<'c> {
    let (ty, word) = (value.r#type(), host.i64());
    let integer = host.integer(bits);
    let is_float = ty != integer;
    let value = if is_float { host.value("arith.bitcast", &[value], integer, &[]) } else { value };
    let value = host.value("arith.extui", &[value], word, &[]);
    let value = kernel.value("arith.trunci", &[value], integer, &[]);
    if is_float { kernel.value("arith.bitcast", &[value], ty, &[]) } else { value }
}

/// The values defined outside a launch that operations inside it use, in the order of their first use.
fn captured<'c>(launch: Op<'c>, inside: &[Op<'c>]) -> Vec<Val<'c>> {
    let mut own: Vec<Val<'c>> = inside.iter().flat_map(|operation| ir::results(*operation)).collect();
    let blocks = ir::descendants(launch).into_iter().flat_map(ir::blocks);
    own.extend(blocks.flat_map(ir::arguments));
    let mut captured = vec![];
    for operand in inside.iter().flat_map(|operation| ir::operands(*operation)) {
        if !own.contains(&operand) && !captured.contains(&operand) {
            captured.push(operand);
        }
    }
    captured
}

/// Rebuilds a host memref in the kernel from its pointer, and from those of its offset, sizes and strides that its type
/// does not contain. `apart`: true if no other pointer of the kernel points to the same memory, or if the kernel only
/// reads it.
fn memref<'c>(
    host: &Builder<'c>,
    kernel: &Builder<'c>,
    memref: Val<'c>,
    space: u32,
    apart: bool,
) -> Result<Val<'c>, String> {
    let ty = memref.r#type();
    let refused =
        || format!("a kernel requires memrefs with strides and without memory space, but uses one of type {ty}");
    let (strides, offset) = ir::strides(ty).ok_or_else(refused)?;
    let shape = ir::shape(ty).ok_or_else(refused)?;
    let identity = ir::stated_layout(ty) == StatedLayout::RowMajor;
    if MemRefType::try_from(ty).is_ok_and(|memref| memref.memory_space().is_some()) {
        return Err(refused());
    }
    let name = role(memref);
    let (index, word) = (host.index(), host.i64());
    let global = host.pointer(1);
    let named = |what: &str| (ROLE, StringAttribute::new(host.context, what).into());
    let of = |what: &str| if name.is_empty() { what.to_owned() } else { format!("{what} of {name}") };
    // Converts an index on the host to an argument of the kernel.
    let argument = |value, what: &str| host.value("arith.index_cast", &[value], word, &[named(&of(what))]);
    let constant = |value: i64| kernel.word(value);

    let address = host.value("memref.extract_aligned_pointer_as_index", &[memref], index, &[]);
    let address = host.value("arith.index_cast", &[address], word, &[]);
    let pointer = host.value("llvm.inttoptr", &[address], global, &[named(&name)]);
    if let Some(operation) = ir::defining(pointer).filter(|_| apart) {
        ir::set_attribute(operation, NO_ALIAS, host.unit());
    }
    let parts = (offset.is_none() || !identity).then(|| {
        let mut types = vec![host.memref(&[], ir::element_type_or_self(ty), None)];
        types.extend(vec![index; 1 + 2 * shape.len()]);
        ir::results(host.op("memref.extract_strided_metadata", &[memref], &types, &[], vec![]))
    });
    let part = |i: usize, what: &str| parts.as_ref().map(|parts| argument(parts[i], what));

    let offset = match offset {
        Some(offset) => constant(offset),
        None => part(1, "offset").ok_or_else(refused)?,
    };
    let mut sizes = vec![];
    for (i, size) in shape.iter().enumerate() {
        sizes.push(match size {
            Some(size) => constant(*size as i64),
            None => {
                let position = host.constant(i as i64, index);
                argument(host.value("memref.dim", &[memref, position], index, &[]), &format!("size {}", i + 1))
            }
        });
    }
    let mut values: Vec<Option<Val<'c>>> = vec![None; shape.len()];
    for i in (0..shape.len()).rev() {
        values[i] = Some(match strides[i] {
            Some(stride) => constant(stride),
            None if identity => {
                let (size, stride) = (sizes[i + 1], values[i + 1].ok_or_else(refused)?);
                kernel.value("llvm.mul", &[size, stride], word, &[])
            }
            None => part(2 + shape.len() + i, &format!("stride {}", i + 1)).ok_or_else(refused)?,
        });
    }

    let pointer = match space {
        0 => kernel.value("llvm.addrspacecast", &[pointer], kernel.pointer(0), &[]),
        _ => pointer,
    };
    let dimensions: Vec<_> = sizes.into_iter().zip(values.into_iter().flatten()).collect();
    let descriptor = descriptor(kernel, space, pointer, offset, &dimensions);
    Ok(kernel.value("builtin.unrealized_conversion_cast", &[descriptor], ty, &[]))
}

/// Builds the descriptor of a memref from a pointer in a memory space, the offset, and sizes with their strides.
fn descriptor<'c>(
    b: &Builder<'c>,
    space: u32,
    pointer: Val<'c>,
    offset: Val<'c>,
    dimensions: &[(Val<'c>, Val<'c>)],
) -> Val<'c> {
    let r#struct = b.descriptor(space, dimensions.len());
    let mut descriptor = b.value("llvm.mlir.poison", &[], r#struct, &[]);
    let mut insert = |value: Val<'c>, position: &[i64]| {
        let position = ("position", b.numbers(position));
        descriptor = b.value("llvm.insertvalue", &[descriptor, value], r#struct, &[position]);
    };
    insert(pointer, &[0]);
    insert(pointer, &[1]);
    insert(offset, &[2]);
    for (i, (size, stride)) in (0..).zip(dimensions) {
        insert(*size, &[3, i]);
        insert(*stride, &[4, i]);
    }
    descriptor
}

/// The role of a memref's memory in the computation (`mdh.buffer`); empty if unknown.
fn role(memref: Val<'_>) -> String {
    let role = sources(memref).find_map(|operation| ir::attribute(operation, BUFFER));
    role.and_then(ir::string_attribute).unwrap_or_default().to_owned()
}

/// The device allocation that a memref is a view of, if known.
pub fn allocation<'c>(memref: Val<'c>) -> Option<Op<'c>> {
    sources(memref).last().filter(|operation| ir::name(*operation) == "gpu.alloc")
}

/// The memory on the device that a memref is a view of: an allocation, or an argument of the function; `None` if it is
/// not known.
fn memory<'c>(memref: Val<'c>) -> Option<Val<'c>> {
    match sources(memref).last() {
        Some(allocation) if ir::name(allocation) == "gpu.alloc" => ir::results(allocation).first().copied(),
        Some(view) => ir::operands(view).first().copied().filter(|source| is_device_argument(*source)),
        None => Some(memref).filter(|memref| is_device_argument(*memref)),
    }
}

/// The definitions of a memref: the operation that defines it, then the operation that defines the memref of which it
/// is a view, and so on.
fn sources<'c>(memref: Val<'c>) -> impl Iterator<Item = Op<'c>> {
    let is_view = |operation: &Op<'c>| {
        ir::name(*operation).starts_with("memref.") || ir::name(*operation) == "builtin.unrealized_conversion_cast"
    };
    std::iter::successors(ir::defining(memref), move |operation| {
        ir::defining(*ir::operands(*operation).first().filter(|_| is_view(operation))?)
    })
}
