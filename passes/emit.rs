//! Emission: creates the MLIR operations of a nest, statement by statement in order.
//!
//! ```text
//! for p1_1 in 0..6:                 ──▶   %c0 = ..; %c6 = ..; %c1 = ..; scf.for %i = %c0 to %c6 step %c1 {
//!   %0 = load input 1[p1_1]         ──▶     %a = memref.load %M[%i] : memref<6xf32>
//!   %1 = scalar (%0)                ──▶     the operations of the scalar function
//!   store %1 to output 1[p1_1]      ──▶     memref.store %r, %w[%i] : memref<6xf32>
//! ```
//!
//! Emission makes no decision about the nest and cannot fail: everything that a target or a device does not support is
//! detected on the nest. A nest refers to values, types and functions of the program by index; [`Program`] resolves
//! these indices.
pub mod function;
pub mod index;
pub mod lanes;
pub mod loops;
pub mod memory;
pub mod operators;
pub mod threads;
pub mod values;
pub mod vectorize;

use crate::nest::{
    alignment::Alignment,
    index::Index as NestIndex,
    tree::{Block, Buffer, Kernel, Loop, Nest, Operation, Purpose, Statement, Value},
};
use index::EmittedIndex;
use mdh_dialects::{
    hom::Function,
    ir::{self, Builder, Op, Val},
};
use melior::ir::{Attribute, Type};
use operators::CombineCode;
use std::{cell::RefCell, slice};

/// The MLIR entities that a nest refers to by index.
pub struct Program<'c> {
    /// The number of input buffers of the computation itself.
    pub inputs: usize,
    /// The user's buffers: inputs, initial values, then destinations. They are the first buffers of the nest.
    pub buffers: Vec<Val<'c>>,
    /// The values of the nest's parameters.
    pub parameters: Vec<Val<'c>>,
    /// The initial values that are scalars, by component; `None` for those that are buffers.
    pub inits: Vec<Option<Val<'c>>>,
    /// Element types that are opaque to the nest (`Element::Other`).
    pub types: Vec<Type<'c>>,
    /// The operation that contains the scalar function. Symbols are looked up from it, too.
    pub hom: Op<'c>,
    /// The combining function; `None` if no dimension combines values.
    pub function: Option<Function>,
    /// The types of the output tuple, which the combining function combines.
    pub output_types: Vec<Type<'c>>,
    /// The types of the result buffers that the user receives, in the order in which the nest allocates them. The
    /// program may prescribe their layout.
    pub results: Vec<Type<'c>>,
    /// By output: the copy that fills its destination before the computation, if there is one.
    pub copies: Vec<Option<Op<'c>>>,
    /// True if a multiplication and an addition may be contracted to a fused multiply-add.
    pub contract: bool,
    /// True if sums may be reassociated.
    pub reassociate: bool,
    /// The producers whose results the nest computes in parts.
    pub producers: Vec<Program<'c>>,
}

impl<'c> Program<'c> {
    /// The combining function as code; `None` if no dimension combines values.
    fn combiner(&self) -> Option<CombineCode<'c>> {
        self.function.as_ref().map(|function| CombineCode {
            function: function.clone(),
            types: self.output_types.clone(),
            scope: self.hom,
            contract: self.contract,
            reassociate: self.reassociate,
        })
    }
}

/// Emits the operations of a nest at the builder's insertion point. Returns its buffers by index; `None` for buffers
/// that it never creates.
pub fn emit<'c>(b: &Builder<'c>, nest: &Nest, program: &Program<'c>) -> Vec<Option<Val<'c>>> {
    let mut emission = Emission::new(nest, program);
    emission.block(b, Nest::BODY);
    emission.buffers
}

/// The state of emission: the values and buffers that have been emitted.
pub struct Emission<'a, 'c> {
    nest: &'a Nest,
    program: &'a Program<'c>,
    combiner: Option<CombineCode<'c>>,
    values: Vec<Option<Val<'c>>>,
    buffers: Vec<Option<Val<'c>>>,
    /// The alignment of accesses to memory of a device.
    alignment: Alignment<'a>,
    /// The types of the result buffers that are not allocated yet.
    results: slice::Iter<'a, Type<'c>>,
}

impl<'a, 'c> Emission<'a, 'c> {
    /// The initial state: only the user's buffers and the parameters of the nest are bound.
    fn new(nest: &'a Nest, program: &'a Program<'c>) -> Self {
        let mut buffers: Vec<_> = program.buffers.iter().copied().map(Some).collect();
        buffers.resize(nest.buffers.len(), None);
        let mut emission = Self {
            nest,
            program,
            combiner: program.combiner(),
            values: vec![None; nest.types.len()],
            buffers,
            alignment: Alignment::new(nest),
            results: program.results.iter(),
        };
        emission.bind(&nest.parameters, &program.parameters);
        emission
    }

    /// Binds values of the nest to SSA values.
    fn bind(&mut self, values: &[Value], found: &[Val<'c>]) {
        for (value, found) in values.iter().zip(found) {
            self.values[value.0 as usize] = Some(*found);
        }
    }

    /// Binds a buffer of the nest to an SSA value.
    fn bind_buffer(&mut self, buffer: Buffer, found: Val<'c>) {
        self.buffers[buffer.0 as usize] = Some(found);
    }

    fn value(&self, value: Value) -> Val<'c> {
        self.values[value.0 as usize].unwrap_or_else(|| unreachable!("{value:?} is computed before it is used"))
    }

    fn buffer(&self, buffer: Buffer) -> Val<'c> {
        self.buffers[buffer.0 as usize].unwrap_or_else(|| unreachable!("{buffer:?} is allocated before it is used"))
    }

    fn index(&self, index: NestIndex) -> EmittedIndex<'c> {
        match index {
            NestIndex::Constant(number) => EmittedIndex::Constant(number),
            NestIndex::Computed(value) => EmittedIndex::Value(self.value(value)),
        }
    }

    /// Emits the statements of a block; returns the values that it yields.
    fn block(&mut self, b: &Builder<'c>, block: Block) -> Vec<Val<'c>> {
        let mut left = vec![];
        for statement in self.nest.block(block) {
            left = self.statement(b, statement);
            self.bind(&statement.results, &left);
        }
        left
    }

    /// Emits a statement; returns its results, or the yielded values of a terminator.
    fn statement(&mut self, b: &Builder<'c>, statement: &'a Statement) -> Vec<Val<'c>> {
        let site = &Site {
            b: *b,
            operands: statement.operands.iter().map(|value| self.value(*value)).collect(),
            types: statement.results.iter().map(|value| self.r#type(b, self.nest.type_of(*value))).collect(),
        };
        match &statement.operation {
            Operation::Constant(number) => vec![b.constant(*number, site.types[0])],
            Operation::Zero => vec![b.literal(0, site.types[0])],
            Operation::Binary(binary) => site.plain(values::name(*binary)),
            Operation::Compare(predicate) => vec![b.cmpi(*predicate, site.operands[0], site.operands[1])],
            Operation::Select => site.plain("arith.select"),
            Operation::Cast => site.plain("arith.index_castui"),
            Operation::SignedCast => site.plain("arith.index_cast"),
            Operation::Dimension(buffer) => self.read(site, "memref.dim", *buffer, &[]),
            Operation::Broadcast => site.plain("vector.broadcast"),
            Operation::FirstLanes => site.plain("vector.create_mask"),
            Operation::Extract(lane) => site.with("vector.extract", &[values::position(b, *lane)]),
            Operation::FromElements => site.plain("vector.from_elements"),
            Operation::Permute(lanes) => site.with("vector.shuffle", &[("mask", b.numbers(lanes))]),
            Operation::Load(buffer) => {
                let alignment = memory::alignment(b, self.alignment.of(*buffer, &statement.operands));
                self.read(site, "memref.load", *buffer, &alignment)
            }
            Operation::Store(buffer) => {
                let alignment = memory::alignment(b, self.alignment.of(*buffer, &statement.operands[1..]));
                self.write(site, "memref.store", *buffer, &alignment)
            }
            Operation::LoadVector(buffer, access) => {
                self.read(site, "vector.load", *buffer, &memory::attributes(b, *access))
            }
            Operation::StoreVector(buffer, access) => {
                self.write(site, "vector.store", *buffer, &memory::attributes(b, *access))
            }
            Operation::LoadMasked(buffer) => self.read(site, "vector.maskedload", *buffer, &[]),
            Operation::StoreMasked(buffer) => self.read(site, "vector.maskedstore", *buffer, &[]),
            Operation::Prefetch(buffer) => self.read(site, "memref.prefetch", *buffer, &memory::prefetch_attributes(b)),
            Operation::CopyAsync { to, from, rank, width } => self.copy_async(site, (*to, *from), *rank, *width),
            Operation::GroupCopies => site.plain("nvgpu.device_async_create_group"),
            Operation::WaitCopies(count) => threads::wait(site, *count),
            Operation::Allocate(buffer, storage) => self.allocate(site, *buffer, storage),
            Operation::Free(buffer, storage) => self.free(b, *buffer, storage),
            Operation::Subview { buffer, of, offsets, lengths } => self.subview(site, (*buffer, *of), offsets, lengths),
            Operation::View { buffer, of } => self.view(site, *buffer, *of),
            Operation::DynamicSharedMemory => memory::dynamic_shared_memory(b),
            Operation::Copy { from, to, is_transfer } => self.copy(b, *from, *to, *is_transfer),
            Operation::CopyPrevious(output) => self.copy_before(b, *output),
            Operation::Scalar(scalar) => self.scalar(site, scalar),
            Operation::Combine(combine) => self.combine(site, *combine),
            Operation::Identity => self.identity(b),
            Operation::Initial(component) => self.initial(b, *component),
            Operation::Loop(of) => self.each(site, of),
            Operation::Parallel(of) => self.parallel(site, of),
            Operation::If { then, otherwise } => self.branch(site, *then, *otherwise),
            Operation::Yield => site.operands.clone(),
            Operation::Group(Purpose::Compute { producer }, block) => self.producer(b, *producer, *block),
            Operation::Group(_, block) => self.block(b, *block),
            Operation::Kernel(kernel) => self.kernel(site, kernel),
            Operation::Barrier => site.plain("gpu.barrier"),
            Operation::Shuffle(mode, distance) => vec![threads::shuffle(b, *mode, *distance, site.operands[0])],
        }
    }

    /// Emits a block whose functions are those of a producer.
    fn producer(&mut self, b: &Builder<'c>, producer: usize, block: Block) -> Vec<Val<'c>> {
        let (program, combiner) = (self.program, self.combiner.take());
        self.program = &program.producers[producer];
        self.combiner = self.program.combiner();
        let left = self.block(b, block);
        (self.program, self.combiner) = (program, combiner);
        left
    }

    /// Emits a sequential loop.
    fn each(&mut self, site: &Site<'c>, of: &Loop) -> Vec<Val<'c>> {
        loops::each(&site.b, &site.operands, &site.types, |b, arguments| {
            self.bind(&[&[of.index], &of.carried[..]].concat(), arguments);
            self.block(b, of.body)
        })
    }

    /// Emits a parallel loop, whose iterations are distributed over threads.
    fn parallel(&mut self, site: &Site<'c>, of: &Loop) -> Vec<Val<'c>> {
        let b = &site.b;
        let (region, block) = b.region(&[b.index()]);
        let inside = b.at_end(block);
        self.bind(&[of.index], &ir::arguments(block));
        self.block(&inside, of.body);
        inside.op("scf.reduce", &[], &[], &[], vec![]);
        ir::results(b.op("scf.parallel", &site.operands, &[], &[b.segments(&[1, 1, 1, 0])], vec![region]))
    }

    /// Emits an `if` with two branches.
    fn branch(&mut self, site: &Site<'c>, then: Block, otherwise: Block) -> Vec<Val<'c>> {
        let emission = RefCell::new(self);
        let of = |b: &Builder<'c>, block: Block| emission.borrow_mut().block(b, block);
        loops::branch(&site.b, site.operands[0], &site.types, |b| of(b, then), |b| of(b, otherwise))
    }

    /// Emits a kernel and its launch.
    fn kernel(&mut self, site: &Site<'c>, kernel: &Kernel) -> Vec<Val<'c>> {
        let b = &site.b;
        let (region, block) = b.region(&[b.index(); 12]);
        let inside = b.at_end(block);
        self.bind(&kernel.numbers, &ir::arguments(block));
        for buffer in &kernel.shared {
            let argument = b.argument(block, self.memref(b, *buffer));
            self.bind_buffer(*buffer, argument);
        }
        self.block(&inside, kernel.body);
        inside.op("gpu.terminator", &[], &[], &[], vec![]);
        let segments = b.segments(&[0, 1, 1, 1, 1, 1, 1, 0, 0, 0, usize::from(kernel.has_dynamic_shared_memory)]);
        let attributes = [segments, ("workgroup_attributions", b.i64_number(kernel.shared.len() as i64))];
        ir::results(b.op("gpu.launch", &site.operands, &[], &attributes, vec![region]))
    }
}

/// The insertion point of a statement's operation, with its operands and result types.
struct Site<'c> {
    b: Builder<'c>,
    operands: Vec<Val<'c>>,
    types: Vec<Type<'c>>,
}

impl<'c> Site<'c> {
    /// Creates the operation with this name; returns its results.
    fn plain(&self, name: &str) -> Vec<Val<'c>> {
        self.with(name, &[])
    }

    /// Creates the operation with this name and these attributes; returns its results.
    fn with(&self, name: &str, attributes: &[Named<'c>]) -> Vec<Val<'c>> {
        self.on(name, &self.operands, attributes)
    }

    /// Creates the operation with this name on the given operands; returns its results.
    fn on(&self, name: &str, operands: &[Val<'c>], attributes: &[Named<'c>]) -> Vec<Val<'c>> {
        ir::results(self.b.op(name, operands, &self.types, attributes, vec![]))
    }
}

/// An attribute and its name.
type Named<'c> = (&'static str, Attribute<'c>);
