//! Memory of a kernel: shared memory of a block, and private memory of a thread.
//!
//! ```text
//! all shared buffers static, 48 KiB  ──▶   gpu.launch .. workgroup(%w: memref<1024xf32, ..>)
//! more of them, or dynamic ones      ──▶   gpu.launch .. dynamic_shared_memory_size %bytes {
//!                                            %all = gpu.dynamic_shared_memory, %w = memref.view %all[%offset][%size]
//! a thread's own, static, 32 KiB     ──▶   memref.alloca
//! more of them, or dynamic ones      ──▶   %own = memref.subview of global memory, with a slot for each thread
//! ```
//!
//! The shared memory of a block is laid out after all its buffers are known. Sizes are computed on the host, which
//! needs them for the launch.
use crate::nest::{
    code::Code,
    index::Index::{self, Constant},
    loops::Scope,
    memory::{ALIGNMENT, aligned},
    tree::{Array, Buffer, Layout, MemorySpace, Operation, Storage, Value},
    types::{Element, Type},
};
use std::cell::{Cell, RefCell};

/// The most bytes of a thread's private arrays. Beyond this, no compiler keeps even a part of them in registers.
const PRIVATE: u64 = 32 << 10;
/// Bytes of shared memory that a block of any CUDA device has without an opt-in.
const STATIC_SHARED: u64 = 48 << 10;

/// The buffers of a kernel in shared and private memory, and their allocation.
pub struct KernelMemory<'t> {
    /// The scope of device memory, which the host allocates.
    global: Scope<'t>,
    /// The linear index of this thread in the launch, and the number of threads of the launch.
    thread: [Index; 2],
    /// Bytes of a thread's private arrays.
    private: Cell<u64>,
    shared: RefCell<Vec<Shared>>,
}

/// A buffer in shared memory.
struct Shared {
    sizes: Vec<Index>,
    element: Element,
    buffer: Buffer,
}

impl<'t> KernelMemory<'t> {
    /// The memory of a kernel without buffers. `thread`: the linear index of the thread in the launch, and the number
    /// of threads of the launch.
    pub fn new(global: Scope<'t>, thread: [Index; 2]) -> Self {
        Self { global, thread, private: Cell::default(), shared: RefCell::default() }
    }

    /// The insertion point at which sizes are computed, on the host.
    pub fn host(&self) -> Code<'t> {
        self.global.builder()
    }

    /// The buffers in shared memory.
    pub fn buffers(&self) -> Vec<Buffer> {
        self.shared.borrow().iter().map(|shared| shared.buffer).collect()
    }

    /// Adds a buffer in shared memory; [`Self::lay_out`] allocates it.
    pub fn shared(&self, b: &Code<'t>, sizes: &[Index], element: Element) -> Buffer {
        let buffer = b.recorder.buffer(Array::row_major(element, shape(sizes), MemorySpace::Shared));
        self.shared.borrow_mut().push(Shared { sizes: sizes.to_vec(), element, buffer });
        buffer
    }

    /// Allocates a private array of a thread at the entry of the kernel: on the stack, or in global memory if it is
    /// dynamic or exceeds the limit.
    pub fn private(&self, b: &Code<'t>, sizes: &[Index], element: Element) -> Buffer {
        let bytes = bytes(sizes, element).map(|bytes| bytes.saturating_add(self.private.get()));
        let Some(bytes) = bytes.filter(|bytes| *bytes <= PRIVATE) else { return self.slice(b, sizes, element) };
        self.private.set(bytes.next_multiple_of(ALIGNMENT));
        let buffer = b.recorder.buffer(Array::row_major(element, shape(sizes), MemorySpace::Private));
        b.effect(Operation::Allocate(buffer, Storage::Stack), &[]);
        buffer
    }

    /// A thread's slice of a buffer in global memory. The thread index varies fastest: adjacent threads access adjacent
    /// elements.
    fn slice(&self, b: &Code<'t>, sizes: &[Index], element: Element) -> Buffer {
        let [thread, threads] = self.thread;
        let all = [sizes, &[threads]].concat();
        let whole = self.global.reserve(&all, element);
        let mut strides = vec![];
        let mut stride = threads.constant();
        for size in sizes.iter().rev() {
            strides.push(stride);
            stride = stride.and_then(|stride| stride.checked_mul(size.constant()?));
        }
        strides.reverse();
        // A launch of one thread has a constant thread index, which is 0.
        let layout = Layout::Strided { strides, offset: thread.constant().map(|_| 0) };
        let array = Array { element, sizes: shape(sizes), layout, space: MemorySpace::Global };
        let buffer = b.recorder.buffer(array);
        let offsets = [vec![Constant(0); sizes.len()], vec![thread]].concat();
        let lengths = [sizes, &[Constant(1)]].concat();
        let dynamic = |list: &[Index]| -> Vec<_> {
            list.iter().filter(|index| index.constant().is_none()).map(|index| index.materialize(b)).collect()
        };
        let operands = [dynamic(&offsets), dynamic(&lengths)].concat();
        let known = |list: &[Index]| list.iter().map(|index| index.constant()).collect();
        let (offsets, lengths) = (known(&offsets), known(&lengths));
        b.effect(Operation::Subview { buffer, of: whole, offsets, lengths }, &operands);
        buffer
    }

    /// Lays out the shared memory of a block after all its buffers are known. Returns `None` if static buffers suffice,
    /// which belong to the kernel. Otherwise emits views of dynamic shared memory at `b`, and returns its bytes for the
    /// launch, in 32 bits.
    pub fn lay_out(&self, b: &Code<'t>) -> Option<Value> {
        let mut shared = self.shared.borrow_mut();
        let fixed = |shared: &Shared| bytes(&shared.sizes, shared.element);
        let total = shared.iter().filter_map(fixed).fold(0u64, |total, bytes| total.saturating_add(aligned(bytes)));
        if total <= STATIC_SHARED && shared.iter().all(|shared| fixed(shared).is_some()) {
            return None;
        }
        let host = self.host();
        let all = b.value(Operation::DynamicSharedMemory, &[], Type::Copies);
        // Offsets are computed in units of the alignment, so that the alignment is visible in the kernel. Static
        // buffers come first, at constant offsets.
        let unit = Constant(ALIGNMENT as i64);
        let mut units = Constant(0);
        shared.sort_by_key(|shared| fixed(shared).is_none());
        for Shared { sizes, element, buffer } in shared.iter() {
            let dynamic = sizes.iter().filter(|size| size.constant().is_none()).map(|size| size.materialize(b));
            let operands: Vec<_> = [units.mul(b, unit).materialize(b)].into_iter().chain(dynamic).collect();
            b.effect(Operation::View { buffer: *buffer, of: all }, &operands);
            let bytes = Constant(element.bytes() as i64);
            let bytes = sizes.iter().fold(bytes, |bytes, size| bytes.mul(&host, *size));
            units = units.add(&host, bytes.add(&host, Constant(ALIGNMENT as i64 - 1)).div(&host, unit));
        }
        // No device has more bytes than an `i32` can represent.
        let bytes = units.mul(&host, unit).min(&host, Constant(i32::MAX.into())).materialize(&host);
        Some(host.value(Operation::SignedCast, &[bytes], Type::WORD))
    }
}

/// Bytes of a buffer, saturating; `None` if a size is dynamic.
fn bytes(sizes: &[Index], element: Element) -> Option<u64> {
    sizes.iter().try_fold(element.bytes(), |bytes, size| {
        Some(bytes.saturating_mul(u64::try_from(size.constant()?).unwrap_or(0)))
    })
}

/// Sizes as in the type of a memref.
pub fn shape(sizes: &[Index]) -> Vec<Option<u64>> {
    sizes.iter().map(|size| size.constant().map(|size| size as u64)).collect()
}
