//! Memory effects of operations, as far as they are known.
use crate::analysis::origin::{
    VIEWS, argument_attribute, is_allocated_after, is_device_argument, is_function_argument, origin, views,
};
use mdh_dialects::{
    attributes::DISJOINT,
    ir::{self, Op, Val},
};
use melior::ir::{TypeLike, ValueLike, operation::OperationLike};

/// The function of the run-time library that checks a size of a result in device memory: it takes the number of the
/// result, the dimension, the size and that of the memory. It accesses no memory.
pub const CHECK_SIZE: &str = "mgpuCheckSize";

/// The effect of an operation on a memref operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryAccess {
    /// No access, or to sizes only.
    Nothing,
    /// Reads elements.
    Reads,
    /// Writes elements.
    Writes,
    /// May read and write elements, with no other effect.
    ReadsAndWrites,
    /// Returns another memref of the same memory.
    Views,
    /// Frees the memory.
    Frees,
    /// Unknown: the memref may escape.
    Unknown,
}

/// The effect of an operation on a memref operand. Asynchronous device operations are `Unknown`, since their effects
/// happen later.
pub fn access(operation: Op<'_>, operand: usize) -> MemoryAccess {
    let is_synchronous =
        |operands: usize| ir::operands(operation).len() == operands && ir::results(operation).is_empty();
    match (ir::name(operation), operand) {
        ("memref.dim" | "memref.rank" | "memref.prefetch", 0) => MemoryAccess::Nothing,
        ("memref.load" | "vector.load" | "vector.maskedload" | "vector.gather" | "vector.transfer_read", 0)
        | ("memref.copy", 0) => MemoryAccess::Reads,
        ("memref.store" | "vector.store" | "vector.transfer_write", 1)
        | ("vector.maskedstore" | "vector.scatter", 0)
        | ("memref.copy", 1) => MemoryAccess::Writes,
        ("gpu.memcpy", 0) if is_synchronous(2) => MemoryAccess::Writes,
        ("gpu.memcpy", 1) if is_synchronous(2) => MemoryAccess::Reads,
        // A copy is complete when the thread waits for it, within the same kernel.
        ("nvgpu.device_async_copy", 0) => MemoryAccess::Writes,
        ("nvgpu.device_async_copy", _) => MemoryAccess::Reads,
        ("memref.dealloc", 0) => MemoryAccess::Frees,
        ("gpu.dealloc", 0) if is_synchronous(1) => MemoryAccess::Frees,
        (name, 0) if VIEWS.contains(&name) => MemoryAccess::Views,
        (name, _) if name.starts_with("linalg.") => MemoryAccess::ReadsAndWrites,
        _ => MemoryAccess::Unknown,
    }
}

/// Returns true if an operation accesses no memory other than that of its operands. Operations in its regions are not
/// considered.
fn is_local(operation: Op<'_>) -> bool {
    const DIALECTS: [&str; 12] =
        ["affine", "arith", "complex", "index", "linalg", "math", "memref", "nvgpu", "scf", "tensor", "ub", "vector"];
    match ir::name(operation).split_once('.') {
        Some(("gpu", name)) => !matches!(name, "launch_func" | "wait" | "host_register" | "host_unregister"),
        Some(("func", "call")) => ir::callee_symbol(operation) == Some(CHECK_SIZE) || is_of_numbers(operation),
        Some(("cf", "assert")) => true,
        Some(("llvm", name)) => name.starts_with("intr.") && has_numbers_only(operation),
        Some((dialect, _)) => DIALECTS.contains(&dialect),
        None => false,
    }
}

/// Returns true if all operands and results of an operation are numbers.
fn has_numbers_only(operation: Op<'_>) -> bool {
    let is_number = |value: &Val<'_>| {
        let ty = value.r#type();
        ty.is_integer() || ty.is_index() || ty.is_float()
    };
    ir::operands(operation).iter().chain(&ir::results(operation)).all(is_number)
}

/// Returns true if the callee takes and returns only numbers, accesses no memory and calls nothing.
fn is_of_numbers(call: Op<'_>) -> bool {
    let callee = ir::callee(call).filter(|callee| ir::body(*callee, 0).is_some());
    callee.is_some_and(|callee| {
        has_numbers_only(call)
            && ir::descendants(callee).into_iter().filter(|inner| *inner != callee).all(|inner| {
                let is_return = ir::name(inner) == "func.return";
                has_numbers_only(inner) && (is_return || ir::name(inner) != "func.call" && is_local(inner))
            })
    })
}

/// The memory effects of an operation, including its regions.
#[derive(Clone, Debug, Default)]
pub struct Effects<'c> {
    /// Origins of memrefs that it may read.
    reads: Vec<Val<'c>>,
    /// Origins of memrefs that it may write or free.
    writes: Vec<Val<'c>>,
    /// True if it may read and write all reachable memory.
    reaches: bool,
}

impl<'c> Effects<'c> {
    /// The effects of an operation.
    pub fn of(operation: Op<'c>) -> Self {
        Self::without(operation, &[])
    }

    /// The effects of an operation without those of some operations, which have no regions.
    pub fn without(operation: Op<'c>, left_out: &[Op<'c>]) -> Self {
        let mut effects = Self::default();
        for inner in ir::descendants(operation).into_iter().filter(|inner| !left_out.contains(inner)) {
            effects.reaches |= !is_local(inner);
            for (i, operand) in ir::operands(inner).into_iter().enumerate() {
                if !operand.r#type().is_mem_ref() {
                    continue;
                }
                let access = access(inner, i);
                let (reads, writes) = match access {
                    MemoryAccess::Nothing | MemoryAccess::Views => (false, false),
                    MemoryAccess::Reads => (true, false),
                    MemoryAccess::Writes | MemoryAccess::Frees => (false, true),
                    MemoryAccess::ReadsAndWrites | MemoryAccess::Unknown => (true, true),
                };
                let origin = origin(operand);
                if reads && !effects.reads.contains(&origin) {
                    effects.reads.push(origin);
                }
                if writes && !effects.writes.contains(&origin) {
                    effects.writes.push(origin);
                }
            }
        }
        effects
    }

    /// Returns true if it may have other effects than to access the memrefs that are its operands.
    pub fn is_unknown(&self) -> bool {
        self.reaches
    }

    /// Returns true if it may read elements of a memref.
    pub fn read(&self, memref: Val<'c>) -> bool {
        self.touch(&self.reads, memref)
    }

    /// Returns true if it may write elements of a memref.
    pub fn write(&self, memref: Val<'c>) -> bool {
        self.touch(&self.writes, memref)
    }

    /// Returns true if it may write elements of a memref that exists before the operation: not if all that it writes is
    /// allocated later.
    pub fn overwrite(&self, memref: Val<'c>) -> bool {
        let is_newer = |written: Val<'c>| is_allocated_after(written, origin(memref));
        let writes: Vec<_> = self.writes.iter().copied().filter(|written| !is_newer(*written)).collect();
        self.touch(&writes, memref)
    }

    fn touch(&self, touched: &[Val<'c>], memref: Val<'c>) -> bool {
        touched.iter().any(|other| may_share(*other, memref)) || self.reaches && !is_private(origin(memref))
    }
}

/// Returns true if two memrefs may share memory, even if callers pass aliasing arguments, except to functions with device
/// memory.
pub fn may_share<'c>(a: Val<'c>, b: Val<'c>) -> bool {
    let (a, b) = (origin(a), origin(b));
    if a == b {
        return true;
    }
    if is_of_kernel(a) != is_of_kernel(b) {
        return false;
    }
    let is_older = |value| {
        is_function_argument(value)
            || ir::defining(value).is_some_and(|operation| ir::name(operation) == "memref.get_global")
    };
    match (is_new(a), is_new(b)) {
        (true, true) => false,
        (true, false) => !is_older(b) && !is_private(a),
        (false, true) => !is_older(a) && !is_private(b),
        (false, false) => !is_device_argument(a) || !is_device_argument(b),
    }
}

/// True if both are derived from views of one block, or from arguments, that are known to share no memory.
fn are_disjoint<'c>(a: Val<'c>, b: Val<'c>) -> bool {
    let number = |view: Op<'c>| ir::attribute(view, DISJOINT).and_then(ir::integer_attribute);
    let marked = |value| views(value).find_map(|view| Some((ir::block(view)?, number(view)?)));
    let of_argument = |value| argument_attribute(origin(value), DISJOINT).and_then(ir::integer_attribute);
    let are_apart = match (marked(a), marked(b)) {
        (Some((block, one)), Some((other_block, other))) => block == other_block && one != other,
        _ => false,
    };
    are_apart || matches!((of_argument(a), of_argument(b)), (Some(one), Some(other)) if one != other)
}

/// True for memrefs that may share memory: neither is an argument that is declared to share none with others.
pub fn may_overlap<'c>(a: Val<'c>, b: Val<'c>) -> bool {
    if are_disjoint(a, b) {
        return false;
    }
    let (first, second) = (origin(a), origin(b));
    may_share(a, b) && (first == second || !is_marked(first) && !is_marked(second))
}

/// True for an argument that the function declares to share no memory with others (`llvm.noalias`).
fn is_marked(value: Val<'_>) -> bool {
    argument_attribute(value, "llvm.noalias").is_some()
}

/// Returns true if a memref is in shared (workgroup) or private memory of a kernel.
fn is_of_kernel(memref: Val<'_>) -> bool {
    ir::kernel_memory(memref.r#type()).is_some()
}

/// Returns true if a memref is the result of an allocation.
fn is_new(memref: Val<'_>) -> bool {
    ir::defining(memref).is_some_and(|operation| {
        matches!(ir::name(operation), "memref.alloc" | "memref.alloca" | "gpu.alloc")
            && ir::results(operation).len() == 1
    })
}

/// Returns true if a memref is the result of an allocation that does not escape: all of its users are known.
pub fn is_private(memref: Val<'_>) -> bool {
    is_new(memref) && uses(memref).is_some()
}

/// The users of an allocation and of its views, each with its effect; `None` if the memory may escape.
pub fn uses<'c>(memref: Val<'c>) -> Option<Vec<(Op<'c>, MemoryAccess)>> {
    let mut found = vec![];
    let mut memrefs = vec![memref];
    while let Some(memref) = memrefs.pop() {
        for user in ir::users(memref) {
            for i in (0..).zip(ir::operands(user)).filter(|(_, operand)| *operand == memref).map(|(i, _)| i) {
                match access(user, i) {
                    MemoryAccess::Unknown => return None,
                    MemoryAccess::Views => memrefs.extend(ir::results(user)),
                    access => found.push((user, access)),
                }
            }
        }
    }
    Some(found)
}

/// The position in a block of an operation, or of its ancestor in that block. `operations` are those of the block.
pub fn place<'c>(operations: &[Op<'c>], operation: Op<'c>) -> Option<usize> {
    let block = operations.first()?.block();
    let mut current = Some(operation);
    while let Some(outer) = current.filter(|outer| outer.block() != block) {
        current = ir::parent(outer);
    }
    operations.iter().position(|other| Some(*other) == current)
}

/// True for a launch of a kernel, and for the operations inside.
pub fn is_in_kernel(operation: Op<'_>) -> bool {
    let mut current = Some(operation);
    while let Some(outer) = current.filter(|outer| ir::name(*outer) != "gpu.launch") {
        current = ir::parent(outer);
    }
    current.is_some()
}
