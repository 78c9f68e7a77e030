//! What the buffers of a kernel hold: memory that the threads of a block share, and what a thread has for itself.
//!
//! ```text
//! all shared buffers static, 48 KiB  ──▶   gpu.launch .. workgroup(%w: memref<1024xf32, ..>)
//! more of them, or dynamic ones      ──▶   gpu.launch .. dynamic_shared_memory_size %bytes {
//!                                            %all = gpu.dynamic_shared_memory, %w = memref.view %all[%offset][%size]
//! a thread's own, static, 32 KiB     ──▶   memref.alloca
//! more of them, or dynamic ones      ──▶   %own = memref.subview of global memory, which has a place for each thread of the launch
//! ```
//!
//! What a block shares is laid out when all of it is known. Sizes are computed on the host, which has to know them before the launch.
use super::limits::Limits;
use crate::nest::{
    code::Code,
    index::Index::{self, Constant},
    loops::Scope,
    memory::{self, ALIGNMENT, LARGEST, aligned},
    tree::{Array, Buffer, Layout, Operation, Space, Storage, Value},
    types::{Element, Type},
};
use mdh_dialects::schedule::{model::Schedule, roles::MemoryRole};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

/// The most bytes of a thread's own arrays, beyond which no compiler keeps even a part of them in registers.
const PRIVATE: u64 = 32 << 10;
/// The most bytes of the buffers of a block that every device of CUDA has without being asked.
const UNASKED: u64 = 48 << 10;

/// What a device has for a computation, and why the computation cannot run there: the first reason.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// What a block may have.
    pub limits: Rc<Limits>,
    /// The name of the memory that the threads of a block share.
    shared: Rc<str>,
    found: Rc<RefCell<Option<String>>>,
}

impl Problem {
    /// No problem yet of a computation with this schedule.
    pub fn new(schedule: &Schedule, limits: &Limits) -> Self {
        let shared = schedule.system.memory_of(MemoryRole::Shared).unwrap_or_default();
        Self { limits: Rc::new(limits.clone()), shared: shared.into(), found: Rc::default() }
    }

    /// Keeps a problem if it is the first.
    pub fn fail(&self, problem: String) {
        self.found.borrow_mut().get_or_insert(problem);
    }

    /// The first problem, if there is one.
    pub fn get(&self) -> Option<String> {
        self.found.borrow().clone()
    }
}

/// What the buffers of a kernel hold, and where they come from.
pub struct Held<'t> {
    /// The memory of the device, as the host allocates it.
    global: Scope<'t>,
    /// The number of this thread among all of the launch, and how many there are.
    thread: [Index; 2],
    /// Bytes of a thread's own arrays.
    private: Cell<u64>,
    shared: RefCell<Vec<Shared>>,
    problem: Problem,
}

/// A buffer that the threads of a block share.
struct Shared {
    sizes: Vec<Index>,
    element: Element,
    buffer: Buffer,
}

impl<'t> Held<'t> {
    /// Nothing; `thread` is the number of the thread among all of the launch, and how many there are.
    pub fn new(global: Scope<'t>, thread: [Index; 2], problem: Problem) -> Self {
        Self { global, thread, private: Cell::default(), shared: RefCell::default(), problem }
    }

    /// Where sizes are computed: on the host.
    pub fn host(&self) -> Code<'t> {
        self.global.builder()
    }

    /// The buffers that the threads of a block share.
    pub fn buffers(&self) -> Vec<Buffer> {
        self.shared.borrow().iter().map(|shared| shared.buffer).collect()
    }

    /// A buffer of the threads of a block.
    pub fn shared(&self, b: &Code<'t>, sizes: &[Index], element: Element) -> Buffer {
        let buffer = b.recorder.buffer(Array::row_major(element, shape(sizes), Space::Shared));
        self.shared.borrow_mut().push(Shared { sizes: sizes.to_vec(), element, buffer });
        buffer
    }

    /// An array of a thread, allocated where the kernel begins.
    pub fn private(&self, b: &Code<'t>, sizes: &[Index], element: Element) -> Buffer {
        let bytes = bytes(sizes, element).map(|bytes| bytes.saturating_add(self.private.get()));
        let Some(bytes) = bytes.filter(|bytes| *bytes <= PRIVATE) else { return self.slice(b, sizes, element) };
        self.private.set(bytes.next_multiple_of(ALIGNMENT));
        let buffer = b.recorder.buffer(Array::row_major(element, shape(sizes), Space::Private));
        b.effect(Operation::Allocate(buffer, Storage::Stack), &[]);
        buffer
    }

    /// A thread's own part of global memory. The number of the thread counts fastest: neighbouring threads reach neighbours.
    fn slice(&self, b: &Code<'t>, sizes: &[Index], element: Element) -> Buffer {
        let [thread, threads] = self.thread;
        let all = [sizes, &[threads]].concat();
        if bytes(&all, element).is_some_and(|bytes| bytes > LARGEST) {
            self.problem.fail(
                "requires less than 2^63 bytes for each buffer, but more for what all threads have for themselves"
                    .to_owned(),
            );
        }
        let whole = self.global.reserve(&all, element);
        let mut strides = vec![];
        let mut stride = threads.constant();
        for size in sizes.iter().rev() {
            strides.push(stride);
            stride = stride.and_then(|stride| stride.checked_mul(size.constant()?));
        }
        strides.reverse();
        // A launch of one thread knows its number, which is 0.
        let layout = Layout::Strided { strides, offset: thread.constant().map(|_| 0) };
        let array = Array { element, sizes: shape(sizes), layout, space: Space::Global };
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

    /// Lays out what a block shares when all of it is known, with views at the place of `b` where it is dynamic; then these are the
    /// bytes for the launch, in 32 bits.
    pub fn lay_out(&self, b: &Code<'t>) -> Option<Value> {
        let mut shared = self.shared.borrow_mut();
        let fixed = |shared: &Shared| bytes(&shared.sizes, shared.element);
        let total = shared.iter().filter_map(fixed).fold(0u64, |total, bytes| total.saturating_add(aligned(bytes)));
        let Limits { device, shared_bytes: most, .. } = &*self.problem.limits;
        if total > *most {
            let region = &*self.problem.shared;
            let buffers: Vec<_> = shared.iter().map(|shared| shared.buffer).collect();
            let held: Vec<_> = b.recorder.held(&buffers).iter().filter_map(text).collect();
            let held = held.join(", ");
            self.problem.fail(format!(
                "requires at most {most} bytes in {region} for a block on {device}, but the schedule has {total}: {held}"
            ));
            return None;
        }
        if total <= UNASKED && shared.iter().all(|shared| fixed(shared).is_some()) {
            return None;
        }
        let host = self.host();
        let all = b.value(Operation::LaunchMemory, &[], Type::Copies);
        // In units of the alignment, so that the kernel sees it. What is static comes first, at constant offsets.
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
        // What no `i32` can say is more than any device has.
        let bytes = units.mul(&host, unit).min(&host, Constant(i32::MAX.into())).materialize(&host);
        Some(host.value(Operation::SignedCast, &[bytes], Type::WORD))
    }
}

/// What a block holds, as a message names it; none if its size is dynamic.
fn text(held: &memory::Held) -> Option<String> {
    let memory::Held { what, place, placement, bytes, .. } = held;
    let region = if placement.layout.is_empty() { String::new() } else { format!(" in {placement}") };
    bytes.map(|bytes| format!("{bytes} for the {what}{region} of step {place}"))
}

/// The bytes of a buffer, as many as there are numbers for; none if a size is dynamic.
fn bytes(sizes: &[Index], element: Element) -> Option<u64> {
    sizes.iter().try_fold(element.bytes(), |bytes, size| {
        Some(bytes.saturating_mul(u64::try_from(size.constant()?).unwrap_or(0)))
    })
}

/// Sizes as the type of a memref has them.
pub fn shape(sizes: &[Index]) -> Vec<Option<u64>> {
    sizes.iter().map(|size| size.constant().map(|size| size as u64)).collect()
}
