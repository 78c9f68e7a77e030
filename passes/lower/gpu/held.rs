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
use crate::{
    analysis::computation::Computation,
    lower::{
        index::Index::{self, Constant},
        loops::Scope,
    },
    schedule::{
        memory::{self, LARGEST, Owner, kernels},
        model::Schedule,
        roles::MemoryRole,
    },
};
use mdh_dialects::ir::{self, AddressSpace, Blk, Builder, DYNAMIC, Val};
use melior::ir::Type;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

/// The most bytes of a thread's own arrays, beyond which no compiler keeps even a part of them in registers.
const PRIVATE: u64 = 32 << 10;
/// The most bytes of the buffers of a block that every device of CUDA has without being asked.
const UNASKED: u64 = 48 << 10;
/// Buffers begin at the largest alignment that an element can have.
const ALIGNMENT: u64 = 16;

/// What a device has for a computation, and why the computation cannot run there: the first reason.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// What a block may have.
    pub limits: Rc<Limits>,
    /// The name of the memory that the threads of a block share, and what the schedule places there.
    shared: Rc<(String, String)>,
    found: Rc<RefCell<Option<String>>>,
}

impl Problem {
    /// No problem yet of a computation with this schedule.
    pub fn new(computation: &Computation<'_>, schedule: &Schedule, limits: &Limits) -> Self {
        let held = kernels::held(computation, schedule);
        let held = held.iter().filter(|held| held.owner == Owner::Block && held.in_kernel);
        let texts = held.filter_map(|held| {
            let placement = held.placement.as_ref().filter(|placement| !placement.layout.is_empty());
            let placement = placement.map(|placement| format!(" in {placement}")).unwrap_or_default();
            held.bytes.map(|bytes| format!("{bytes} for the {}{placement} of step {}", held.what, held.place))
        });
        let shared = schedule.system.memory_of(MemoryRole::Shared).unwrap_or_default().to_owned();
        let shared = (shared, texts.collect::<Vec<_>>().join(", "));
        Self { limits: Rc::new(limits.clone()), shared: Rc::new(shared), found: Rc::default() }
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
pub struct Held<'c> {
    /// The body of the kernel.
    body: Blk<'c>,
    /// The memory of the device, as the host allocates it.
    global: Scope<'c>,
    /// The number of this thread among all of the launch, and how many there are.
    thread: [Index<'c>; 2],
    /// Bytes of a thread's own arrays.
    private: Cell<u64>,
    shared: RefCell<Vec<Shared<'c>>>,
    problem: Problem,
}

/// A buffer that the threads of a block share.
struct Shared<'c> {
    sizes: Vec<Index<'c>>,
    element: Type<'c>,
    /// An argument of the body.
    buffer: Val<'c>,
}

impl<'c> Held<'c> {
    /// Nothing, in a kernel with this body; `thread` is the number of the thread among all of the launch, and how many there are.
    pub fn new(body: Blk<'c>, global: Scope<'c>, thread: [Index<'c>; 2], problem: Problem) -> Self {
        Self { body, global, thread, private: Cell::default(), shared: RefCell::default(), problem }
    }

    /// Where sizes are computed: on the host.
    pub fn host(&self) -> Builder<'c> {
        self.global.builder()
    }

    /// A buffer of the threads of a block.
    pub fn shared(&self, b: &Builder<'c>, sizes: &[Index<'c>], element: Type<'c>) -> Val<'c> {
        let buffer = b.argument(self.body, b.memref(&shape(sizes), element, Some(AddressSpace::Workgroup)));
        self.shared.borrow_mut().push(Shared { sizes: sizes.to_vec(), element, buffer });
        buffer
    }

    /// An array of a thread, allocated where the kernel begins.
    pub fn private(&self, b: &Builder<'c>, sizes: &[Index<'c>], element: Type<'c>) -> Val<'c> {
        let bytes = bytes(sizes, element).map(|bytes| bytes.saturating_add(self.private.get()));
        let Some(bytes) = bytes.filter(|bytes| *bytes <= PRIVATE) else { return self.slice(b, sizes, element) };
        self.private.set(bytes.next_multiple_of(ALIGNMENT));
        let r#type = b.memref(&shape(sizes), element, Some(AddressSpace::Private));
        b.value("memref.alloca", &[], r#type, &[b.segments(&[0, 0])])
    }

    /// A thread's own part of global memory. The number of the thread counts fastest: neighbouring threads reach neighbours.
    fn slice(&self, b: &Builder<'c>, sizes: &[Index<'c>], element: Type<'c>) -> Val<'c> {
        let [thread, threads] = self.thread;
        let all = [sizes, &[threads]].concat();
        if bytes(&all, element).is_some_and(|bytes| bytes > LARGEST) {
            self.problem.fail(
                "requires less than 2^63 bytes for each buffer, but more for what all threads have for themselves"
                    .to_owned(),
            );
        }
        let whole = self.global.allocate(&all, element);
        let mut strides = vec![];
        let mut stride = threads.constant();
        for size in sizes.iter().rev() {
            strides.push(stride.map(|stride| stride as u64));
            stride = stride.and_then(|stride| stride.checked_mul(size.constant()?));
        }
        strides.reverse();
        // A launch of one thread knows its number, which is 0.
        let r#type = b.memref_with_strides(&shape(sizes), element, &strides, thread.constant().is_some());
        let offsets = [vec![Constant(0); sizes.len()], vec![thread]].concat();
        let lengths = [sizes, &[Constant(1)]].concat();
        let steps = vec![Constant(1); lengths.len()];
        let list = |list: &[Index<'c>]| {
            let numbers: Vec<_> = list.iter().map(|index| index.constant().unwrap_or(DYNAMIC)).collect();
            b.numbers(&numbers)
        };
        let dynamic = |list: &[Index<'c>]| -> Vec<_> {
            list.iter().filter(|index| index.constant().is_none()).map(|index| index.materialize(b)).collect()
        };
        let [at, of] = [dynamic(&offsets), dynamic(&lengths)];
        let operands = [vec![whole], at.clone(), of.clone()].concat();
        let attributes = [
            b.segments(&[1, at.len(), of.len(), 0]),
            ("static_offsets", list(&offsets)),
            ("static_sizes", list(&lengths)),
            ("static_strides", list(&steps)),
        ];
        b.value("memref.subview", &operands, r#type, &attributes)
    }

    /// Lays out what a block shares when all of it is known, with views at the place of `b` where it is dynamic; then these are the
    /// bytes for the launch, an `i32`.
    pub fn lay_out(&self, b: &Builder<'c>) -> Option<Val<'c>> {
        let mut shared = self.shared.borrow_mut();
        let fixed = |shared: &Shared<'c>| bytes(&shared.sizes, shared.element);
        let total = shared.iter().filter_map(fixed).fold(0u64, |total, bytes| total.saturating_add(aligned(bytes)));
        let Limits { device, shared_bytes: most, .. } = &*self.problem.limits;
        if total > *most {
            let (region, held) = &*self.problem.shared;
            self.problem.fail(format!(
                "requires at most {most} bytes in {region} for a block on {device}, but the schedule has {total}: {held}"
            ));
            return None;
        }
        if total <= UNASKED && shared.iter().all(|shared| fixed(shared).is_some()) {
            return None;
        }
        let host = self.host();
        let view = |sizes: &[Option<u64>], element| b.memref(sizes, element, Some(AddressSpace::Workgroup));
        let all = b.value("gpu.dynamic_shared_memory", &[], view(&[None], b.integer(8)), &[]);
        // In units of the alignment, so that the kernel sees it. What is static comes first, at constant offsets.
        let unit = Constant(ALIGNMENT as i64);
        let mut units = Constant(0);
        shared.sort_by_key(|shared| fixed(shared).is_none());
        for Shared { sizes, element, buffer } in shared.iter() {
            let dynamic = sizes.iter().filter(|size| size.constant().is_none()).map(|size| size.materialize(b));
            let operands: Vec<_> = [all, units.mul(b, unit).materialize(b)].into_iter().chain(dynamic).collect();
            let replaced = b.value("memref.view", &operands, view(&shape(sizes), *element), &[]);
            ir::replace_uses(*buffer, replaced);
            let bytes = Constant(memory::bytes(*element) as i64);
            let bytes = sizes.iter().fold(bytes, |bytes, size| bytes.mul(&host, *size));
            units = units.add(&host, bytes.add(&host, Constant(ALIGNMENT as i64 - 1)).div(&host, unit));
        }
        let of_launch = ir::arguments(self.body).len() - shared.len();
        (of_launch..of_launch + shared.len()).rev().for_each(|i| ir::erase_argument(self.body, i));
        // What no `i32` can say is more than any device has.
        let bytes = units.mul(&host, unit).min(&host, Constant(i32::MAX.into())).materialize(&host);
        Some(host.value("arith.index_cast", &[bytes], host.i32(), &[]))
    }
}

fn aligned(bytes: u64) -> u64 {
    bytes.checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX)
}

/// The bytes of a buffer, as many as there are numbers for; none if a size is dynamic.
fn bytes(sizes: &[Index<'_>], element: Type<'_>) -> Option<u64> {
    sizes.iter().try_fold(memory::bytes(element), |bytes, size| {
        Some(bytes.saturating_mul(u64::try_from(size.constant()?).unwrap_or(0)))
    })
}

/// Sizes as the type of a memref has them.
pub fn shape(sizes: &[Index<'_>]) -> Vec<Option<u64>> {
    sizes.iter().map(|size| size.constant().map(|size| size as u64)).collect()
}
