//! Loops, branches, and the scopes that allocate and free temporary buffers.
use super::{
    code::Code,
    contents::{Contents, Owner},
    gpu::kernel_memory::{KernelMemory, shape},
    index::Index::{self, Computed, Constant},
    tree::{Array, Buffer, Loop, MemorySpace, Operation, Purpose, Storage, Value},
    types::{Element, Type},
};
use std::{cell::RefCell, rc::Rc};

/// `for i in lower..upper`, with loop-carried values.
pub fn carried<'t>(
    b: &Code<'t>,
    lower: Index,
    upper: Index,
    initial: &[Value],
    body: impl FnOnce(&Code<'t>, Index, &[Value]) -> Vec<Value>,
) -> Vec<Value> {
    if let (Some(low), Some(high)) = (lower.constant(), upper.constant()) {
        if low >= high {
            return initial.to_vec();
        }
        if low + 1 == high {
            return body(&b.of_no_level(), lower, initial);
        }
    }
    let mut operands = vec![lower.materialize(b), upper.materialize(b), Constant(1).materialize(b)];
    operands.extend(initial);
    let types: Vec<_> = initial.iter().map(|value| b.type_of(*value)).collect();
    let inside = b.inside();
    let index = b.argument(Type::INDEX);
    let arguments: Vec<_> = types.iter().map(|ty| b.argument(*ty)).collect();
    let values = body(&inside, Computed(index), &arguments);
    inside.effect(Operation::Yield, &values);
    let r#loop = Loop { level: b.level(), index, carried: arguments, body: inside.block() };
    b.statement(Operation::Loop(r#loop), &operands, &types)
}

/// `for i in 0..trip`
pub fn sequential<'t>(b: &Code<'t>, trip: Index, body: impl FnOnce(&Code<'t>, Index)) {
    carried(b, Constant(0), trip, &[], |b, i, _| {
        body(b, i);
        vec![]
    });
}

/// `if condition { then } else { otherwise }`, with results of these types.
pub fn branch<'t>(
    b: &Code<'t>,
    condition: Value,
    types: &[Type],
    then: impl FnOnce(&Code<'t>) -> Vec<Value>,
    otherwise: impl FnOnce(&Code<'t>) -> Vec<Value>,
) -> Vec<Value> {
    let inside = b.inside();
    let values = then(&inside);
    inside.effect(Operation::Yield, &values);
    let other = b.inside();
    let values = otherwise(&other);
    other.effect(Operation::Yield, &values);
    b.statement(Operation::If { then: inside.block(), otherwise: other.block() }, &[condition], types)
}

/// `if condition { then }`
pub fn when<'t>(b: &Code<'t>, condition: Value, then: impl FnOnce(&Code<'t>)) {
    let then = |b: &Code<'t>| {
        then(b);
        vec![]
    };
    branch(b, condition, &[], then, |_| vec![]);
}

/// A scope allocates its temporary buffers once, outside of sequential loops: for the computation, for one iteration of
/// a parallel loop, or for a kernel.
#[derive(Clone)]
pub struct Scope<'t> {
    place: Code<'t>,
    allocated: Rc<RefCell<Vec<Buffer>>>,
    memory: ScopeMemory<'t>,
}

/// The kind of memory that a scope allocates.
#[derive(Clone)]
enum ScopeMemory<'t> {
    /// Memory of the processor that runs the code.
    Processor { on_stack: bool, owner: Owner },
    /// Global memory of a device, allocated by the host. If the number of blocks is given, each block has its own part.
    Device { blocks: Option<Index> },
    /// Private memory of a thread of a kernel, or shared memory of a block.
    Kernel { is_shared: bool, kernel_memory: Rc<KernelMemory<'t>> },
}

/// Buffers of up to this many bytes are allocated on the stack: a register tile of 64 vectors of 64 bytes.
pub const STACK_BYTES: u64 = 4096;

impl<'t> Scope<'t> {
    /// Opens a scope here. `on_stack`: true if small buffers may be on the stack. Inside of a loop, each iteration
    /// would grow the stack.
    pub fn open(b: &Code<'t>, on_stack: bool) -> Self {
        Self::new(b, ScopeMemory::Processor { on_stack, owner: Owner::Computation })
    }

    /// Opens a scope for an iteration of a parallel loop.
    fn of_thread(b: &Code<'t>) -> Self {
        Self::new(b, ScopeMemory::Processor { on_stack: false, owner: Owner::Thread })
    }

    /// Opens a scope here for code in a loop of this scope, whose sizes depend on the iteration.
    pub fn inside(&self, b: &Code<'t>) -> Self {
        Self::new(b, ScopeMemory::Processor { on_stack: false, owner: self.owner() })
    }

    /// Opens a scope of device memory here, on the host.
    pub fn device(b: &Code<'t>) -> Self {
        Self::new(b, ScopeMemory::Device { blocks: None })
    }

    fn new(b: &Code<'t>, memory: ScopeMemory<'t>) -> Self {
        Self { place: b.group(Purpose::Allocations), allocated: Rc::default(), memory }
    }

    /// This scope of device memory for kernels of `blocks` blocks, each of which has its own part.
    pub fn of_blocks(&self, blocks: Index) -> Self {
        Self { memory: ScopeMemory::Device { blocks: Some(blocks) }, ..self.clone() }
    }

    /// Opens a scope of a thread's private memory at the beginning of a kernel.
    pub fn private(b: &Code<'t>, kernel_memory: Rc<KernelMemory<'t>>) -> Self {
        Self::new(b, ScopeMemory::Kernel { is_shared: false, kernel_memory })
    }

    /// The scope of the shared memory of the block, from the scope of one of its threads.
    pub fn shared(&self) -> Self {
        let memory = match &self.memory {
            ScopeMemory::Kernel { kernel_memory, .. } => {
                ScopeMemory::Kernel { is_shared: true, kernel_memory: kernel_memory.clone() }
            }
            other => other.clone(),
        };
        Self { memory, ..self.clone() }
    }

    /// The insertion point at which sizes of allocations are computed.
    pub fn builder(&self) -> Code<'t> {
        match &self.memory {
            ScopeMemory::Kernel { kernel_memory, .. } => kernel_memory.host(),
            _ => self.place,
        }
    }

    /// The insertion point of allocations.
    pub fn place(&self) -> Code<'t> {
        self.place
    }

    /// The unit that owns a copy of each buffer in this scope.
    fn owner(&self) -> Owner {
        match self.memory {
            ScopeMemory::Processor { owner, .. } => owner,
            ScopeMemory::Device { blocks: None } => Owner::Computation,
            ScopeMemory::Device { .. } | ScopeMemory::Kernel { is_shared: true, .. } => Owner::Block,
            ScopeMemory::Kernel { .. } => Owner::Thread,
        }
    }

    /// Allocates a buffer of these sizes, which lives until the scope closes, and records its contents.
    pub fn allocate(&self, sizes: &[Index], element: Element, contents: Contents) -> Buffer {
        let buffer = self.reserve(sizes, element);
        self.place.recorder.record_contents(buffer, contents, self.owner());
        buffer
    }

    /// Allocates a buffer of these sizes without a record of its contents.
    pub fn reserve(&self, sizes: &[Index], element: Element) -> Buffer {
        let b = self.place();
        let sizes: Vec<_> = match &self.memory {
            ScopeMemory::Kernel { is_shared: true, kernel_memory } => return kernel_memory.shared(&b, sizes, element),
            ScopeMemory::Kernel { is_shared: false, kernel_memory } => {
                return kernel_memory.private(&b, sizes, element);
            }
            ScopeMemory::Device { blocks: Some(blocks) } => [blocks].into_iter().chain(sizes).copied().collect(),
            _ => sizes.to_vec(),
        };
        let dynamic: Vec<_> = sizes.iter().filter(|s| s.constant().is_none()).map(|s| s.materialize(&b)).collect();
        let array = Array::row_major(element, shape(&sizes), MemorySpace::Global);
        let bytes = sizes
            .iter()
            .try_fold(element.bytes(), |bytes, size| bytes.checked_mul(u64::try_from(size.constant()?).ok()?));
        let buffer = b.recorder.buffer(array);
        let storage = match &self.memory {
            ScopeMemory::Processor { on_stack, .. } if *on_stack && bytes.is_some_and(|bytes| bytes <= STACK_BYTES) => {
                b.effect(Operation::Allocate(buffer, Storage::Stack), &dynamic);
                return buffer;
            }
            ScopeMemory::Processor { .. } => Storage::Heap,
            _ => Storage::Device("temporary".to_owned()),
        };
        b.effect(Operation::Allocate(buffer, storage), &dynamic);
        self.allocated.borrow_mut().push(buffer);
        buffer
    }

    /// Frees all buffers of the scope.
    pub fn close(&self, b: &Code<'t>) {
        let storage = match self.memory {
            ScopeMemory::Device { .. } => Storage::Device("temporary".to_owned()),
            _ => Storage::Heap,
        };
        for buffer in self.allocated.borrow_mut().drain(..) {
            b.effect(Operation::Free(buffer, storage.clone()), &[]);
        }
    }
}

/// `for i in 0..trip` distributed over all threads; each iteration has its own scope for buffers.
pub fn parallel<'t>(b: &Code<'t>, trip: Index, body: impl FnOnce(&Code<'t>, &Scope<'t>, Index)) {
    let bounds = [Constant(0).materialize(b), trip.materialize(b), Constant(1).materialize(b)];
    let inside = b.inside();
    let index = b.argument(Type::INDEX);
    let scope = Scope::of_thread(&inside);
    body(&inside, &scope, Computed(index));
    scope.close(&inside);
    let r#loop = Loop { level: b.level(), index, carried: vec![], body: inside.block() };
    b.effect(Operation::Parallel(r#loop), &bounds);
}
