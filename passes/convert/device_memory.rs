//! `mdh-device-memory`: moves the buffers of functions with `mdh.device_memory`, whose callers pass memory of the
//! device, to the device. Results become arguments: the caller provides their memory.
//!
//! ```mlir
//! func.func @f(%x: memref<8xf32>) -> memref<8xf32> attributes {llvm.emit_c_interface, mdh.device_memory} {
//!   %a = memref.alloc() : memref<8xf32>
//!   memref.copy %x, %a : memref<8xf32> to memref<8xf32>
//!   return %a : memref<8xf32>
//! }
//! ```
//! becomes
//! ```mlir
//! func.func @f(%x: memref<8xf32>, %r: memref<8xf32>) attributes {llvm.emit_c_interface, mdh.device_memory} {
//! %a = gpu.alloc () : memref<8xf32>
//! gpu.memcpy %a, %x : memref<8xf32>, memref<8xf32>
//! gpu.memcpy %r, %a : memref<8xf32>, memref<8xf32>
//! gpu.dealloc %a : memref<8xf32>
//! ```
//!
//! The functions that they call with buffers work in the memory of the device, too. A buffer that the host itself
//! accesses stays in its memory, if the function has allocated it; the host must not access other memory.
//!
//! Buffers that outlive their block are left to upstream's deallocation, which knows only memory of the host. With
//! `deallocated=true`, after this pass has run, they are moved to the device with their deallocations.
use crate::analysis::{
    effects::{CHECK_SIZE, MemoryAccess, is_in_kernel, place, uses},
    origin::{VIEWS, function_around, origin},
};
use mdh_dialects::{
    attributes::DEVICE_MEMORY,
    ir::{self, Blk, Builder, Op, Val},
    pass::{Failure, MdhPass},
    pass_options,
};
use melior::{
    dialect::DialectHandle,
    ir::{TypeLike, ValueLike, operation::OperationLike},
};

/// The pass.
pub struct DeviceMemory;

pass_options! {
    /// Options of `mdh-device-memory`.
    pub struct DeviceMemoryOptions {
        /// Deallocations have been inserted: move all remaining buffers to the device
        deallocated: bool = false,
    }
}

/// Operations that do not access the elements of their operands on the host, in addition to those of [`PASSING`].
const NOT_ACCESSING: [&str; 10] = [
    "arith.select",
    "builtin.unrealized_conversion_cast",
    "func.call",
    "func.return",
    "memref.assume_alignment",
    "memref.copy",
    "memref.dealloc",
    "memref.dim",
    "memref.extract_aligned_pointer_as_index",
    "memref.extract_strided_metadata",
];

/// Dialects whose operations pass buffers to others, or to the device.
const PASSING: [&str; 4] = ["bufferization", "cf", "gpu", "scf"];

impl MdhPass for DeviceMemory {
    const NAME: &'static str = "DeviceMemory";
    const ARGUMENT: &'static str = "mdh-device-memory";
    const DESCRIPTION: &'static str = "Move the buffers of functions with device memory to the device";
    const OP: &'static str = "builtin.module";
    type Options = DeviceMemoryOptions;

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::memref(), DialectHandle::gpu()]
    }

    fn run<'c>(module: Op<'c>, options: DeviceMemoryOptions) -> Result<(), Failure<'c>> {
        if !options.deallocated {
            extend_to_callees(module)?;
        }
        for function in ir::find(module, "func.func").into_iter().filter(|function| has_device_memory(*function)) {
            if !options.deallocated {
                check(function)?;
                if has_interface(function) {
                    pass_results(function);
                }
            }
            move_buffers(function, options.deallocated);
        }
        if !options.deallocated {
            declare_if_called(module, CHECK_SIZE, 4, 0);
        }
        Ok(())
    }
}

/// True if the buffers of a function are in the memory of the device.
fn has_device_memory(function: Op<'_>) -> bool {
    ir::attribute(function, DEVICE_MEMORY).is_some()
}

/// True if programs outside the module call the function.
fn has_interface(function: Op<'_>) -> bool {
    ir::attribute(function, "llvm.emit_c_interface").is_some()
}

fn name<'c>(function: Op<'c>) -> &'c str {
    ir::attribute(function, "sym_name").and_then(ir::string_attribute).unwrap_or_default()
}

/// Marks the functions that functions with device memory call with buffers. All callers of such a function must have
/// device memory.
fn extend_to_callees<'c>(module: Op<'c>) -> Result<(), Failure<'c>> {
    let mut functions = ir::find(module, "func.func");
    functions.retain(|function| has_device_memory(*function));
    while let Some(function) = functions.pop() {
        for call in ir::find(function, "func.call").into_iter().filter(|call| has_buffers(*call)) {
            let callee = ir::callee(call);
            let Some(callee) = callee.filter(|callee| ir::body(*callee, 0).is_some() && !has_interface(*callee)) else {
                let name = ir::callee_symbol(call).unwrap_or_default();
                return Err(Failure::new(
                    call,
                    format!(
                        "device memory requires that called functions are private and have a body, but '{name}' is not"
                    ),
                ));
            };
            if !has_device_memory(callee) {
                ir::set_attribute(callee, DEVICE_MEMORY, Builder::before(callee).unit());
                functions.push(callee);
            }
        }
    }
    for call in ir::find(module, "func.call") {
        let callee = ir::callee(call).filter(|callee| has_device_memory(*callee));
        let caller = function_around(call).filter(|caller| !has_device_memory(*caller));
        if let (Some(callee), Some(caller)) = (callee, caller) {
            let message =
                format!("'{}' requires callers with device memory, but '{}' has none", name(callee), name(caller));
            return Err(Failure::new(call, message).with_note(callee, "the function works in device memory"));
        }
    }
    Ok(())
}

/// True if an operation takes or returns a buffer.
fn has_buffers(operation: Op<'_>) -> bool {
    ir::operands(operation).iter().chain(&ir::results(operation)).any(|value| value.r#type().is_mem_ref())
}

/// The operations of a function that the host executes.
fn of_host<'c>(function: Op<'c>) -> Vec<Op<'c>> {
    ir::descendants(function).into_iter().filter(|operation| !is_in_kernel(*operation)).collect()
}

/// The memrefs whose elements a host operation accesses.
fn accessed<'c>(operation: Op<'c>) -> Vec<Val<'c>> {
    let name = ir::name(operation);
    let is_passing = name.split_once('.').is_some_and(|(dialect, _)| PASSING.contains(&dialect));
    if is_passing || NOT_ACCESSING.contains(&name) || VIEWS.contains(&name) {
        return vec![];
    }
    ir::operands(operation).into_iter().filter(|operand| operand.r#type().is_mem_ref()).collect()
}

/// True if a buffer is in the memory of the host: constants, the stack, and what the host itself accesses.
fn is_of_host(buffer: Val<'_>) -> bool {
    let Some(definition) = ir::defining(buffer) else { return false };
    match ir::name(definition) {
        "memref.alloca" | "memref.get_global" => true,
        "memref.alloc" => {
            let mut memrefs = vec![buffer];
            while let Some(memref) = memrefs.pop() {
                for user in ir::users(memref).into_iter().filter(|user| !is_in_kernel(*user)) {
                    if accessed(user).contains(&memref) {
                        return true;
                    }
                    memrefs.extend(ir::results(user).into_iter().filter(|_| VIEWS.contains(&ir::name(user))));
                }
            }
            false
        }
        _ => false,
    }
}

/// Checks that the host accesses only its own memory, and that this memory does not escape.
fn check<'c>(function: Op<'c>) -> Result<(), Failure<'c>> {
    for operation in of_host(function) {
        for memref in accessed(operation) {
            let source = origin(memref);
            let allocation = ir::defining(source).filter(|definition| ir::name(*definition) == "memref.alloc");
            if is_of_host(source) && (allocation.is_none() || uses(source).is_some()) {
                continue;
            }
            let message = format!(
                "'{}' has device memory, which requires that kernels access its buffers, but this operation does on the host",
                name(function)
            );
            let error = Failure::new(operation, message);
            return Err(match ir::defining(source) {
                Some(definition) => error.with_note(definition, "the buffer is defined here"),
                None => error,
            });
        }
    }
    Ok(())
}

/// Turns the results of a function that are buffers into arguments, which are filled before it returns.
fn pass_results<'c>(function: Op<'c>) {
    let Some(body) = ir::body(function, 0) else { return };
    let returns: Vec<_> = of_host(function).into_iter().filter(|op| ir::name(*op) == "func.return").collect();
    let Some(returned) = returns.first().map(|first| ir::operands(*first)) else { return };
    let b = Builder::before(function);
    let given: Vec<_> =
        returned.iter().map(|value| value.r#type().is_mem_ref().then(|| b.argument(body, value.r#type()))).collect();
    for r#return in returns {
        let (mut kept, b) = (vec![], Builder::before(r#return));
        for (i, (value, argument)) in ir::operands(r#return).into_iter().zip(&given).enumerate() {
            match argument {
                Some(argument) => {
                    check_sizes(i, *argument, value, r#return);
                    b.op("gpu.memcpy", &[*argument, value], &[], &[], vec![]);
                }
                None => kept.push(value),
            }
        }
        b.op("func.return", &kept, &[], &[], vec![]);
        ir::erase(r#return);
    }
    let types = |values: &[Val<'c>]| values.iter().map(|value| value.r#type()).collect::<Vec<_>>();
    let arguments = ir::arguments(body);
    let kept: Vec<_> = returned.into_iter().filter(|value| !value.r#type().is_mem_ref()).collect();
    ir::set_attribute(function, "function_type", b.type_of(b.function(&types(&arguments), &types(&kept))));
    if let Some(mut attributes) = ir::attribute(function, "arg_attrs").and_then(ir::array_attribute) {
        attributes.resize(arguments.len(), ir::dictionary_of(b.context, &[]));
        ir::set_attribute(function, "arg_attrs", b.array(&attributes));
    }
    ir::remove_attribute(function, "res_attrs");
}

/// Checks that the memory of a result has the sizes that the function computes: before it computes the result, if this
/// is an allocation, else before it returns. The run-time library keeps the error, and executes no kernel after it.
fn check_sizes<'c>(number: usize, argument: Val<'c>, result: Val<'c>, r#return: Op<'c>) {
    let allocation = ir::defining(result).filter(|definition| ir::name(*definition) == "memref.alloc");
    let b = Builder::before(allocation.unwrap_or(r#return));
    let mut sizes = allocation.map(ir::operands).unwrap_or_default().into_iter();
    let shape = ir::shape(result.r#type()).unwrap_or_default();
    for (dimension, _) in shape.iter().enumerate().filter(|(_, size)| size.is_none()) {
        let number_of = |place: usize| b.constant(place as i64, b.index());
        let size_of = |memref| b.value("memref.dim", &[memref, number_of(dimension)], b.index(), &[]);
        let wanted = sizes.next().unwrap_or_else(|| size_of(result));
        let operands = [number_of(number + 1), number_of(dimension + 1), wanted, size_of(argument)];
        b.op("func.call", &operands, &[], &[("callee", b.symbol(CHECK_SIZE))], vec![]);
    }
}

/// Declares a function of the run-time library, if it is called. It takes and returns these numbers of indices.
pub(super) fn declare_if_called(module: Op<'_>, symbol: &str, operands: usize, results: usize) {
    let is_called = ir::find(module, "func.call").into_iter().any(|call| ir::callee_symbol(call) == Some(symbol));
    let first = ir::body(module, 0).and_then(|body| ir::block_operations(body).first().copied());
    let Some(first) = first.filter(|_| is_called && ir::lookup_symbol(module, symbol).is_none()) else { return };
    let b = Builder::before(first);
    b.declare_function(symbol, &vec![b.index(); operands], &vec![b.index(); results], &[]);
}

/// Moves buffers to the device, with their copies and deallocations.
fn move_buffers(function: Op<'_>, deallocated: bool) {
    for operation in of_host(function) {
        let b = Builder::before(operation);
        match (ir::name(operation), &ir::operands(operation)[..]) {
            ("memref.alloc", sizes) => {
                let Some(buffer) = ir::results(operation).first().copied().filter(|buffer| !is_of_host(*buffer)) else {
                    continue;
                };
                let end = end(operation, buffer);
                if end.is_none() && !deallocated {
                    continue;
                }
                let moved = b.value("gpu.alloc", sizes, buffer.r#type(), &[b.segments(&[0, sizes.len(), 0])]);
                ir::replace_uses(buffer, moved);
                ir::erase(operation);
                if let Some(End::After(last)) = end.filter(|_| !deallocated) {
                    let deallocation = Builder::before(last).op("gpu.dealloc", &[moved], &[], &[], vec![]);
                    ir::move_after(deallocation, last);
                }
            }
            ("memref.dealloc", [memref]) if !is_of_host(origin(*memref)) && (deallocated || is_moved(*memref)) => {
                b.op("gpu.dealloc", &[*memref], &[], &[], vec![]);
                ir::erase(operation);
            }
            ("memref.copy", [from, to]) if !(is_of_host(origin(*from)) && is_of_host(origin(*to))) => {
                b.op("gpu.memcpy", &[*to, *from], &[], &[], vec![]);
                ir::erase(operation);
            }
            _ => {}
        }
    }
}

/// True if a buffer has been moved to the device.
fn is_moved(memref: Val<'_>) -> bool {
    ir::defining(origin(memref)).is_some_and(|definition| ir::name(definition) == "gpu.alloc")
}

/// Where the life of a buffer ends.
enum End<'c> {
    /// A deallocation frees it.
    Freed,
    /// After the last operation of its block that uses it.
    After(Op<'c>),
}

/// The end of the life of a buffer that is used, and perhaps freed, in the block of its allocation; `None` if it may
/// live longer.
fn end<'c>(allocation: Op<'c>, buffer: Val<'c>) -> Option<End<'c>> {
    let block: Blk<'c> = allocation.block().map(ir::blk)?;
    let operations = ir::block_operations(block);
    let mut last = place(&operations, allocation)?;
    let mut is_freed = false;
    for (user, access) in uses(buffer)? {
        is_freed |= access == MemoryAccess::Frees;
        last = last.max(place(&operations, user)?);
    }
    Some(if is_freed { End::Freed } else { End::After(operations[last]) })
}
