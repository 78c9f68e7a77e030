//! `mdh-device-buffers`: keeps buffers on the device between the computations of a function.
//!
//! ```mlir
//! func.func @chain(%n: index, %x: memref<8xf32>) {
//!   %a = gpu.alloc () : memref<8xf32>
//!   gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
//!              threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
//!     %one = arith.constant 1.0 : f32
//!     memref.store %one, %a[%tx] : memref<8xf32>
//!     gpu.terminator
//!   }
//!   %t = memref.alloc() : memref<8xf32>
//!   gpu.memcpy %t, %a : memref<8xf32>, memref<8xf32>
//!   gpu.dealloc %a : memref<8xf32>
//!   %b = gpu.alloc () : memref<8xf32>
//!   gpu.memcpy %b, %t : memref<8xf32>, memref<8xf32>
//!   gpu.memcpy %x, %b : memref<8xf32>, memref<8xf32>
//!   gpu.dealloc %b : memref<8xf32>
//!   return
//! }
//! ```
//! becomes
//! ```mlir
//! %a = gpu.alloc () : memref<8xf32>
//! gpu.launch ..
//! memref.store %one, %a[%tx] : memref<8xf32>
//! gpu.memcpy %x, %a : memref<8xf32>, memref<8xf32>
//! gpu.dealloc %a : memref<8xf32>
//! ```
//!
//! Within a block, a copy to the device is redundant if a device buffer already has the contents. The copy's
//! destination is replaced with that buffer if the buffer is only read from then on, or if its contents are not needed
//! any more; otherwise the copy becomes one on the device. Uninitialized memory is not copied. Afterwards, dead copies
//! are removed, that is, copies that are not read before they are overwritten or freed. Loop-invariant copies to the
//! device are hoisted out of loops.
//!
//! In a function with device memory (`mdh-device-memory`), arguments are on the device. They replace the buffers that are
//! copies of them and are only read, and the buffers that are copied to them in the end.
//!
//! Host memory that may be shared (function arguments, views of one buffer, memory that unknown operations and calls
//! can reach) counts as read and written together.
use crate::analysis::{
    effects::{Effects, MemoryAccess, access, is_in_kernel, may_share, place, uses},
    origin::{argument_block, is_device_argument, origin},
};
use mdh_dialects::{
    attributes::BUFFER,
    ir::{self, Blk, Builder, Op, Val},
    pass::{Failure, MdhPass},
};
use melior::{
    dialect::DialectHandle,
    ir::{BlockLike, ValueLike, operation::OperationLike},
};

/// The pass.
pub struct DeviceBuffers;

impl MdhPass for DeviceBuffers {
    const NAME: &'static str = "DeviceBuffers";
    const ARGUMENT: &'static str = "mdh-device-buffers";
    const DESCRIPTION: &'static str = "Keep buffers on the device between computations";
    const OP: &'static str = "builtin.module";
    type Options = ();

    fn dependent_dialects() -> Vec<DialectHandle> {
        vec![DialectHandle::memref(), DialectHandle::gpu()]
    }

    fn run<'c>(module: Op<'c>, (): ()) -> Result<(), Failure<'c>> {
        for function in ir::find(module, "func.func") {
            let mut blocks = vec![];
            collect(function, &mut blocks);
            for block in blocks {
                forward(block);
                // A replaced buffer may have been filled by a copy from another one.
                while ir::block_operations(block).into_iter().any(|copy| write_to_argument(block, copy)) {}
                erase_dead_copies(block);
                if let Some(r#loop) = block.parent_operation().map(ir::op).filter(|op| ir::name(*op) == "scf.for") {
                    hoist(block, r#loop);
                }
            }
        }
        Ok(())
    }
}

/// The host blocks in an operation, innermost first.
fn collect<'c>(operation: Op<'c>, blocks: &mut Vec<Blk<'c>>) {
    if ir::name(operation) == "gpu.launch" {
        return;
    }
    for block in ir::blocks(operation) {
        ir::block_operations(block).into_iter().for_each(|inner| collect(inner, blocks));
        blocks.push(block);
    }
}

/// Facts about the contents of memory at a point of a block.
#[derive(Default)]
struct Known<'c> {
    /// Sets of memrefs with equal elements, on the host and on the device.
    equal: Vec<Vec<Val<'c>>>,
    /// Allocations that have not been written.
    undefined: Vec<Val<'c>>,
}

impl<'c> Known<'c> {
    fn forget(&mut self, is_written: impl Fn(Val<'c>) -> bool) {
        self.equal.iter_mut().for_each(|memrefs| memrefs.retain(|memref| !is_written(*memref)));
        self.equal.retain(|memrefs| !memrefs.is_empty());
        self.undefined.retain(|memref| !is_written(*memref));
    }

    fn copy(&mut self, to: Val<'c>, from: Val<'c>) {
        self.forget(|memref| may_share(memref, to));
        if may_share(to, from) {
            return;
        }
        match self.equal.iter_mut().find(|memrefs| memrefs.contains(&from)) {
            Some(memrefs) => memrefs.push(to),
            None => self.equal.push(vec![from, to]),
        }
    }

    /// The memrefs on the device that have the same elements as a memref, including the memref itself.
    fn on_device(&self, memref: Val<'c>) -> Vec<Val<'c>> {
        let equal = self.equal.iter().find(|memrefs| memrefs.contains(&memref));
        let others = equal.into_iter().flatten().copied().filter(|other| *other != memref);
        std::iter::once(memref).chain(others).filter(|other| is_of_device(*other)).collect()
    }
}

/// Replaces copies to the device of elements that it already has, and erases copies of uninitialized memory.
fn forward(block: Blk<'_>) {
    let mut known = Known::default();
    let mut next = ir::block_operations(block).first().copied();
    while let Some(operation) = next {
        next = following(operation);
        // Deallocations are moved and erased in this loop, and do not affect the known contents.
        while let Some(deallocation) = next.filter(|next| ir::name(*next) == "gpu.dealloc") {
            next = following(deallocation);
        }
        match copied(operation) {
            Some((_, from)) if known.undefined.contains(&origin(from)) => ir::erase(operation),
            Some((to, from)) => {
                let sent = if is_of_device(to) { known.on_device(from) } else { vec![] };
                if sent.iter().any(|own| reuse(block, operation, to, *own)) {
                    continue;
                }
                if let Some(own) = sent.into_iter().find(|own| !is_of_device(from) && keep(block, operation, *own)) {
                    ir::set_operand(operation, 1, own);
                }
                known.copy(to, from);
            }
            None if matches!(ir::name(operation), "memref.alloc" | "gpu.alloc") => {
                known.undefined.extend(ir::results(operation));
            }
            None if ir::name(operation) == "gpu.dealloc" => {}
            None => {
                let effects = Effects::of(operation);
                known.forget(|memref| effects.write(memref));
            }
        }
    }
}

fn following<'c>(operation: Op<'c>) -> Option<Op<'c>> {
    operation.next_in_block().map(ir::op)
}

/// The destination and the source of an operation that only copies all elements of a memref.
fn copied<'c>(operation: Op<'c>) -> Option<(Val<'c>, Val<'c>)> {
    let operands = ir::operands(operation);
    match (ir::name(operation), &operands[..]) {
        ("gpu.memcpy", [to, from]) if access(operation, 0) == MemoryAccess::Writes => Some((*to, *from)),
        ("memref.copy", [from, to]) => Some((*to, *from)),
        _ => None,
    }
}

fn is_of_device(memref: Val<'_>) -> bool {
    ir::defining(memref).is_some_and(|operation| ir::name(operation) == "gpu.alloc") || is_device_argument(memref)
}

/// The live range of a device buffer that is allocated, used and freed in one block.
struct LiveRange<'c> {
    /// The positions of its users, except its allocation and deallocation.
    uses: Vec<usize>,
    end: usize,
    deallocation: Op<'c>,
}

impl<'c> LiveRange<'c> {
    fn of(operations: &[Op<'c>], buffer: Val<'c>) -> Option<Self> {
        place(operations, ir::defining(buffer)?)?;
        let (mut places, mut frees) = (vec![], vec![]);
        for (user, access) in uses(buffer)? {
            let place = place(operations, user)?;
            match access {
                MemoryAccess::Frees => frees.push((place, user)),
                _ => places.push(place),
            }
        }
        match frees[..] {
            [(end, deallocation)] if operations[end] == deallocation => Some(Self { uses: places, end, deallocation }),
            _ => None,
        }
    }
}

/// Replaces the buffer that a copy fills with memory of the same contents, and erases the copy. Returns true if this is
/// possible.
fn reuse<'c>(block: Blk<'c>, copy: Op<'c>, filled: Val<'c>, own: Val<'c>) -> bool {
    let operations = ir::block_operations(block);
    let (Some(of_filled), Some(start)) = (LiveRange::of(&operations, filled), place(&operations, copy)) else {
        return false;
    };
    // An argument lives longer than any buffer.
    let of_own = LiveRange::of(&operations, own);
    if of_own.is_none() && !is_device_argument(own) {
        return false;
    }
    if filled.r#type() != own.r#type() || of_filled.end < start || of_filled.uses.iter().any(|place| *place < start) {
        return false;
    }
    let deallocation = of_own.as_ref().map(|life| life.deallocation);
    let last = of_filled.uses.iter().copied().max().unwrap_or(start);
    let is_written = |buffer| {
        let mut between = operations[start + 1..=last].iter().filter(|other| Some(**other) != deallocation);
        between.any(|operation| Effects::of(*operation).write(buffer))
    };
    // Either this is the last use of the contents, or they do not change.
    let is_last = of_own.as_ref().is_some_and(|life| life.uses.iter().all(|place| *place < start));
    if !is_last && (is_written(filled) || is_written(own)) {
        return false;
    }
    if let Some(life) = of_own.filter(|life| life.end < of_filled.end) {
        ir::move_before(life.deallocation, of_filled.deallocation);
    }
    replace(filled, own, copy);
    ir::erase(copy);
    ir::erase(of_filled.deallocation);
    true
}

/// Replaces a buffer, which is allocated, with other memory, from an operation on. Both have the same type.
fn replace<'c>(buffer: Val<'c>, with: Val<'c>, from: Op<'c>) {
    let role = |buffer| ir::defining(buffer).and_then(|allocation| ir::attribute(allocation, BUFFER));
    // A cast carries the buffer's role for these kernels; its role for other kernels is an attribute of the allocation.
    let other = role(buffer).filter(|role_of_buffer| role(with) != Some(*role_of_buffer));
    let other = other.filter(|_| ir::users(buffer).into_iter().any(is_in_kernel));
    let cast = other.map(|role| Builder::before(from).value("memref.cast", &[with], with.r#type(), &[(BUFFER, role)]));
    for user in ir::users(buffer) {
        let new = cast.filter(|_| is_in_kernel(user)).unwrap_or(with);
        for (i, _) in ir::operands(user).into_iter().enumerate().filter(|(_, operand)| *operand == buffer) {
            ir::set_operand(user, i, new);
        }
    }
    ir::defining(buffer).into_iter().for_each(ir::erase);
}

/// Replaces a buffer that a copy sends to an argument on the device with this argument, if nothing else accesses the
/// argument meanwhile. Returns true if this is possible.
fn write_to_argument<'c>(block: Blk<'c>, copy: Op<'c>) -> bool {
    let Some((to, from)) = copied(copy).filter(|(to, from)| {
        is_device_argument(*to) && to.r#type() == from.r#type() && is_of_device(*from) && !is_device_argument(*from)
    }) else {
        return false;
    };
    let operations = ir::block_operations(block);
    let (Some(life), Some(end)) = (LiveRange::of(&operations, from), place(&operations, copy)) else { return false };
    let start = life.uses.iter().copied().min().unwrap_or(end);
    // Copies between the two, also in branches, are not needed any more.
    let mut between = ir::users(from);
    between.retain(|user| copied(*user).is_some_and(|pair| [(to, from), (from, to)].contains(&pair)));
    let effects = |range: &[Op<'c>]| range.iter().map(|other| Effects::without(*other, &between)).collect::<Vec<_>>();
    let is_accessed = effects(&operations[start..end]).iter().any(|effects| effects.read(to) || effects.write(to));
    let is_changed = effects(&operations[end..life.end]).iter().any(|of| of.write(to) || of.write(from));
    if is_accessed || is_changed {
        return false;
    }
    let first = ir::defining(from).unwrap_or(copy);
    between.into_iter().for_each(ir::erase);
    ir::erase(life.deallocation);
    replace(from, to, first);
    true
}

/// Extends the live range of a device buffer until a copy has read it. Returns true if this is possible.
fn keep<'c>(block: Blk<'c>, copy: Op<'c>, own: Val<'c>) -> bool {
    let operations = ir::block_operations(block);
    let (Some(life), Some(start)) = (LiveRange::of(&operations, own), place(&operations, copy)) else { return false };
    if life.end < start {
        ir::move_after(life.deallocation, copy);
    }
    true
}

/// Erases copies that are overwritten or freed before they are read.
fn erase_dead_copies(block: Blk<'_>) {
    let operations = ir::block_operations(block);
    let effects: Vec<_> = operations.iter().map(|operation| Effects::of(*operation)).collect();
    let mut is_left = vec![true; operations.len()];
    for (i, operation) in operations.iter().enumerate().rev() {
        let Some((to, _)) = copied(*operation) else { continue };
        let later = (i + 1..operations.len()).filter(|later| is_left[*later]);
        let is_read = |later: usize| effects[later].read(to);
        let is_over = |later: usize| {
            let frees = access(operations[later], 0) == MemoryAccess::Frees
                && ir::operands(operations[later]).first().is_some_and(|memref| *memref == origin(to));
            frees || copied(operations[later]).is_some_and(|(other, _)| other == to)
        };
        let end = later.clone().find(|later| is_read(*later) || is_over(*later));
        let is_needed = match end {
            Some(end) => is_read(end),
            None => !is_dead_after_block(&operations, origin(to)),
        };
        if !is_needed {
            is_left[i] = false;
            ir::erase(*operation);
        }
    }
}

/// Returns true if host memory is allocated and used only in this block, so that it is dead at the end of the block.
fn is_dead_after_block<'c>(operations: &[Op<'c>], memref: Val<'c>) -> bool {
    let is_here = |operation| place(operations, operation).is_some();
    let allocation = ir::defining(memref).filter(|operation| operations.contains(operation));
    allocation.is_some_and(|allocation| ir::name(allocation) == "memref.alloc")
        && uses(memref).is_some_and(|uses| uses.into_iter().all(|(user, _)| is_here(user)))
}

/// Hoists loop-invariant copies to the device, with the allocation and deallocation of their destination, out of a
/// loop.
fn hoist<'c>(block: Blk<'c>, r#loop: Op<'c>) {
    let effects = Effects::of(r#loop);
    for copy in ir::block_operations(block) {
        let Some((to, from)) = copied(copy).filter(|(to, from)| is_of_device(*to) && !is_of_device(*from)) else {
            continue;
        };
        let operations = ir::block_operations(block);
        let (Some(life), Some(allocation)) = (LiveRange::of(&operations, to), ir::defining(to)) else { continue };
        let mut others = operations.iter().filter(|other| **other != copy && **other != life.deallocation);
        let is_written = others.any(|other| Effects::of(*other).write(to));
        if is_written
            || effects.write(from)
            || !is_outside(r#loop, from)
            || !ir::operands(allocation).into_iter().all(|size| hoist_size(r#loop, size))
        {
            continue;
        }
        ir::move_before(allocation, r#loop);
        ir::move_before(copy, r#loop);
        ir::move_after(life.deallocation, r#loop);
    }
}

/// Returns true if a value is defined outside a loop.
fn is_outside<'c>(r#loop: Op<'c>, value: Val<'c>) -> bool {
    let block = match ir::defining(value) {
        Some(definition) => definition.block().map(ir::blk),
        None => argument_block(value),
    };
    let mut current = block.and_then(|block| block.parent_operation().map(ir::op));
    while let Some(outer) = current.filter(|outer| *outer != r#loop) {
        current = ir::parent(outer);
    }
    current.is_none()
}

/// Hoists the computation of a size out of a loop if its operands are defined outside. Returns true if the size is
/// available before the loop.
fn hoist_size<'c>(r#loop: Op<'c>, size: Val<'c>) -> bool {
    if is_outside(r#loop, size) {
        return true;
    }
    let Some(definition) = ir::defining(size).filter(|size| matches!(ir::name(*size), "memref.dim" | "arith.constant"))
    else {
        return false;
    };
    let is_there = ir::operands(definition).into_iter().all(|operand| hoist_size(r#loop, operand));
    if is_there {
        ir::move_before(definition, r#loop);
    }
    is_there
}
