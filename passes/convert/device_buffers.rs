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
//! Host memory that may be shared (function arguments, views of one buffer, memory that unknown operations and calls
//! can reach) counts as read and written together.
use crate::analysis::{
    effects::{Effects, MemoryAccess, access, may_share, uses},
    origin::{argument_block, origin},
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

    /// The device buffers that have the same elements as a memref.
    fn on_device(&self, memref: Val<'c>) -> Vec<Val<'c>> {
        let equal = self.equal.iter().find(|memrefs| memrefs.contains(&memref));
        equal.into_iter().flatten().copied().filter(|other| is_of_device(*other)).collect()
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
                let sent = if is_of_device(to) && !is_of_device(from) { known.on_device(from) } else { vec![] };
                if sent.iter().any(|own| reuse(block, operation, to, *own)) {
                    continue;
                }
                if let Some(own) = sent.into_iter().find(|own| keep(block, operation, *own)) {
                    ir::set_operand(operation, 1, own);
                }
                known.copy(to, from);
            }
            None if ir::name(operation) == "memref.alloc" => known.undefined.extend(ir::results(operation)),
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
    ir::defining(memref).is_some_and(|operation| ir::name(operation) == "gpu.alloc")
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

/// The position in a block of an operation, or of its ancestor in that block.
fn place<'c>(operations: &[Op<'c>], operation: Op<'c>) -> Option<usize> {
    let block = operations.first()?.block();
    let mut current = Some(operation);
    while let Some(outer) = current.filter(|outer| outer.block() != block) {
        current = ir::parent(outer);
    }
    operations.iter().position(|other| Some(*other) == current)
}

/// Replaces the buffer that a copy fills with a buffer of the same contents, and erases the copy. Returns true if this
/// is possible.
fn reuse<'c>(block: Blk<'c>, copy: Op<'c>, filled: Val<'c>, own: Val<'c>) -> bool {
    let operations = ir::block_operations(block);
    let life = |buffer| LiveRange::of(&operations, buffer);
    let (Some(of_filled), Some(of_own), Some(start)) = (life(filled), life(own), place(&operations, copy)) else {
        return false;
    };
    if filled.r#type() != own.r#type() || of_filled.end < start || of_filled.uses.iter().any(|place| *place < start) {
        return false;
    }
    let is_written = |buffer| {
        let mut between = operations[start + 1..of_filled.end].iter().filter(|other| **other != of_own.deallocation);
        between.any(|operation| Effects::of(*operation).write(buffer))
    };
    // Either this is the last use of the contents, or they do not change.
    let is_last = of_own.uses.iter().all(|place| *place < start);
    if !is_last && (is_written(filled) || is_written(own)) {
        return false;
    }
    if of_own.end < of_filled.end {
        ir::move_before(of_own.deallocation, of_filled.deallocation);
    }
    let role = |buffer| ir::defining(buffer).and_then(|allocation| ir::attribute(allocation, BUFFER));
    // A cast carries the buffer's role for these kernels; its role for earlier kernels is an attribute of the
    // allocation.
    let other = role(filled).filter(|role_of_filled| role(own) != Some(*role_of_filled));
    let other = other.filter(|_| ir::users(filled).into_iter().any(is_in_kernel));
    let cast = other.map(|role| Builder::before(copy).value("memref.cast", &[own], own.r#type(), &[(BUFFER, role)]));
    ir::erase(copy);
    ir::erase(of_filled.deallocation);
    for user in ir::users(filled) {
        let new = cast.filter(|_| is_in_kernel(user)).unwrap_or(own);
        for (i, _) in ir::operands(user).into_iter().enumerate().filter(|(_, operand)| *operand == filled) {
            ir::set_operand(user, i, new);
        }
    }
    ir::defining(filled).into_iter().for_each(ir::erase);
    true
}

fn is_in_kernel(operation: Op<'_>) -> bool {
    let mut current = Some(operation);
    while let Some(outer) = current.filter(|outer| ir::name(*outer) != "gpu.launch") {
        current = ir::parent(outer);
    }
    current.is_some()
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
