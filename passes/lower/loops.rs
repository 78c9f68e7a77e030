//! Loops and allocations: `scf.for`, `scf.parallel`, and where temporary buffers are allocated and freed.
use crate::{
    convert::loop_annotations::LOOP_ANNOTATION,
    lower::{
        gpu::held::{Held, shape},
        index::Index::{self, Constant, Value},
    },
    schedule::memory,
};
use mdh_dialects::{
    attributes::{BUFFER, MANUAL},
    ir::{self, Builder, Op, Unroll, Val},
};
use melior::ir::{BlockLike, Type, TypeLike, ValueLike};
use std::{cell::RefCell, rc::Rc};

/// `for i in lower..upper`, with values carried from one iteration to the next.
pub fn carried<'c>(
    b: &Builder<'c>,
    lower: Index<'c>,
    upper: Index<'c>,
    initial: &[Val<'c>],
    types: &[Type<'c>],
    body: impl FnOnce(&Builder<'c>, Index<'c>, &[Val<'c>]) -> Vec<Val<'c>>,
) -> Vec<Val<'c>> {
    if let (Some(low), Some(high)) = (lower.constant(), upper.constant()) {
        if low >= high {
            return initial.to_vec();
        }
        if low + 1 == high {
            return body(b, lower, initial);
        }
    }
    let index = b.index();
    let mut operands = vec![lower.materialize(b), upper.materialize(b), Constant(1).materialize(b)];
    operands.extend(initial);
    let mut arguments = vec![index];
    arguments.extend(types);
    let (region, block) = b.region(&arguments);
    let inside = b.at_end(block);
    let arguments = ir::arguments(block);
    let values = body(&inside, Value(arguments[0]), &arguments[1..]);
    inside.op("scf.yield", &values, &[], &[], vec![]);
    let trip = lower.constant().zip(upper.constant()).map(|(low, high)| high - low);
    let annotation = [(LOOP_ANNOTATION, b.unroll(Unroll::Full))];
    let attributes = if trip.is_some_and(|trip| is_to_unroll(b, trip, block)) { &annotation[..] } else { &[] };
    ir::results(b.op("scf.for", &operands, types, attributes, vec![region]))
}

/// The operations that an unrolled reduction may have. LLVM by itself stops at a few hundred instructions.
pub const UNROLLED_OPERATIONS: i64 = 1024;

/// Whether a loop is a short reduction inside of another loop: unrolled, it leaves that one to be vectorized. Around loops that are
/// unrolled themselves it may be, too.
fn is_to_unroll<'c>(b: &Builder<'c>, trip: i64, body: ir::Blk<'c>) -> bool {
    // The body of a loop gets its parent when it is complete.
    let is_inside = b.block().parent_operation().is_none_or(|parent| ir::name(ir::op(parent)) != "func.func");
    let count = unrolled(body);
    is_inside
        && ir::arguments(body).len() > 1
        && count.is_some_and(|count| count.saturating_mul(trip) <= UNROLLED_OPERATIONS)
}

/// How many operations a block has once the loops in it are unrolled; none if some operation in it has a region that stays.
pub fn unrolled(block: ir::Blk<'_>) -> Option<i64> {
    ir::block_operations(block).into_iter().try_fold(0i64, |count, operation| {
        let own = match ir::regions(operation).is_empty() {
            // Index arithmetic is the same in most iterations.
            true => i64::from(ir::results(operation).iter().any(|result| !result.r#type().is_index())),
            false => {
                ir::attribute(operation, LOOP_ANNOTATION)?;
                unrolled(ir::body(operation, 0)?)?.saturating_mul(trip(operation)?)
            }
        };
        Some(count.saturating_add(own))
    })
}

/// The iterations of a loop between constants, whose step is 1.
pub fn trip(operation: Op<'_>) -> Option<i64> {
    let bound = |i: usize| {
        let value = ir::defining(*ir::operands(operation).get(i)?)?;
        ir::integer_attribute(ir::attribute(value, "value")?)
    };
    (bound(2)? == 1).then_some(bound(1)?.saturating_sub(bound(0)?))
}

/// `for i in 0..trip`
pub fn sequential<'c>(b: &Builder<'c>, trip: Index<'c>, body: impl FnOnce(&Builder<'c>, Index<'c>)) {
    carried(b, Constant(0), trip, &[], &[], |b, i, _| {
        body(b, i);
        vec![]
    });
}

/// `if condition { then } else { otherwise }`, with results.
pub fn branch<'c>(
    b: &Builder<'c>,
    condition: Val<'c>,
    types: &[Type<'c>],
    then: impl FnOnce(&Builder<'c>) -> Vec<Val<'c>>,
    otherwise: impl FnOnce(&Builder<'c>) -> Vec<Val<'c>>,
) -> Vec<Val<'c>> {
    let (then_region, then_block) = b.region(&[]);
    let inside = b.at_end(then_block);
    let values = then(&inside);
    inside.op("scf.yield", &values, &[], &[], vec![]);
    let (else_region, else_block) = b.region(&[]);
    let inside = b.at_end(else_block);
    let values = otherwise(&inside);
    inside.op("scf.yield", &values, &[], &[], vec![]);
    ir::results(b.op("scf.if", &[condition], types, &[], vec![then_region, else_region]))
}

/// `if condition { then }`
pub fn when<'c>(b: &Builder<'c>, condition: Val<'c>, then: impl FnOnce(&Builder<'c>)) {
    let then = |b: &Builder<'c>| {
        then(b);
        vec![]
    };
    branch(b, condition, &[], then, |_| vec![]);
}

/// A place where temporary buffers are allocated once, outside of sequential loops: the computation, one iteration
/// of a parallel loop, or a kernel.
#[derive(Clone)]
pub struct Scope<'c> {
    marker: Op<'c>,
    allocated: Rc<RefCell<Vec<Val<'c>>>>,
    memory: Memory<'c>,
}

/// What kind of memory a scope allocates.
#[derive(Clone)]
enum Memory<'c> {
    /// That of the processor that runs the code.
    Processor { on_stack: bool },
    /// Global memory of a device, allocated by the host; a part for each block if their number is given.
    Device { blocks: Option<Index<'c>> },
    /// Memory of one thread of a kernel, or of one block.
    Kernel { is_shared: bool, held: Rc<Held<'c>> },
}

/// Buffers up to this many bytes are allocated on the stack.
const STACK_BYTES: u64 = 256;

impl<'c> Scope<'c> {
    /// Opens a scope at the builder's place.
    pub fn open(b: &Builder<'c>) -> Self {
        let marker = marker(b);
        // Elsewhere the stack would grow with each iteration of a loop around the scope.
        let on_stack = ir::parent(marker).map(ir::name) == Some("func.func");
        Self { marker, allocated: Rc::default(), memory: Memory::Processor { on_stack } }
    }

    /// Opens a scope of a device's memory at the builder's place on the host.
    pub fn device(b: &Builder<'c>) -> Self {
        Self { marker: marker(b), allocated: Rc::default(), memory: Memory::Device { blocks: None } }
    }

    /// This scope of a device's memory for kernels of so many blocks, each of which has its own part.
    pub fn of_blocks(&self, blocks: Index<'c>) -> Self {
        Self { memory: Memory::Device { blocks: Some(blocks) }, ..self.clone() }
    }

    /// Opens a scope of a thread's own memory where a kernel begins.
    pub fn private(b: &Builder<'c>, held: Rc<Held<'c>>) -> Self {
        Self { marker: marker(b), allocated: Rc::default(), memory: Memory::Kernel { is_shared: false, held } }
    }

    /// The scope of the memory that the threads of a block share, from the scope of one of them.
    pub fn shared(&self) -> Self {
        let memory = match &self.memory {
            Memory::Kernel { held, .. } => Memory::Kernel { is_shared: true, held: held.clone() },
            other => other.clone(),
        };
        Self { memory, ..self.clone() }
    }

    /// Where sizes of allocations are computed.
    pub fn builder(&self) -> Builder<'c> {
        match &self.memory {
            Memory::Kernel { held, .. } => held.host(),
            _ => self.place(),
        }
    }

    /// Where allocations go.
    pub fn place(&self) -> Builder<'c> {
        Builder::before(self.marker)
    }

    /// A buffer of these sizes that lives until the scope closes.
    pub fn allocate(&self, sizes: &[Index<'c>], element: Type<'c>) -> Val<'c> {
        let b = self.place();
        let sizes: Vec<_> = match &self.memory {
            Memory::Kernel { is_shared: true, held } => return held.shared(&b, sizes, element),
            Memory::Kernel { is_shared: false, held } => return held.private(&b, sizes, element),
            Memory::Device { blocks: Some(blocks) } => [blocks].into_iter().chain(sizes).copied().collect(),
            _ => sizes.to_vec(),
        };
        let dynamic: Vec<_> = sizes.iter().filter(|s| s.constant().is_none()).map(|s| s.materialize(&b)).collect();
        let manual = (MANUAL, b.unit());
        let r#type = b.memref(&shape(&sizes), element, None);
        let buffer = match &self.memory {
            Memory::Processor { on_stack } => {
                let bytes = sizes.iter().try_fold(memory::bytes(element), |bytes, size| {
                    bytes.checked_mul(u64::try_from(size.constant()?).ok()?)
                });
                let segments = b.segments(&[dynamic.len(), 0]);
                if *on_stack && bytes.is_some_and(|bytes| bytes <= STACK_BYTES) {
                    return b.value("memref.alloca", &dynamic, r#type, &[segments]);
                }
                let attributes = [segments, ("alignment", b.i64_number(64)), manual];
                b.value("memref.alloc", &dynamic, r#type, &attributes)
            }
            _ => {
                let attributes = [b.segments(&[0, dynamic.len(), 0]), (BUFFER, b.string("temporary"))];
                b.value("gpu.alloc", &dynamic, r#type, &attributes)
            }
        };
        self.allocated.borrow_mut().push(buffer);
        buffer
    }

    /// Frees what was allocated.
    pub fn close(&self, b: &Builder<'c>) {
        let manual = [(MANUAL, b.unit())];
        let (name, attributes) = match self.memory {
            Memory::Device { .. } => ("gpu.dealloc", &[][..]),
            _ => ("memref.dealloc", &manual[..]),
        };
        for buffer in self.allocated.borrow_mut().drain(..) {
            b.op(name, &[buffer], &[], attributes, vec![]);
        }
    }
}

/// An operation before which allocations go; a constant, which disappears as dead code.
fn marker<'c>(b: &Builder<'c>) -> Op<'c> {
    b.op("arith.constant", &[], &[b.index()], &[("value", b.number(0, b.index()))], vec![])
}

/// `for i in 0..trip` by all threads, as `scf.parallel`; each iteration has its own scope for buffers.
pub fn parallel<'c>(b: &Builder<'c>, trip: Index<'c>, body: impl FnOnce(&Builder<'c>, &Scope<'c>, Index<'c>)) {
    let bounds = [Constant(0).materialize(b), trip.materialize(b), Constant(1).materialize(b)];
    let (region, block) = b.region(&[b.index()]);
    let inside = b.at_end(block);
    let scope = Scope::open(&inside);
    if let Some(iteration) = ir::arguments(block).first() {
        body(&inside, &scope, Value(*iteration));
    }
    scope.close(&inside);
    inside.op("scf.reduce", &[], &[], &[], vec![]);
    let segments = b.segments(&[1, 1, 1, 0]);
    b.op("scf.parallel", &bounds, &[], &[segments], vec![region]);
}
