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
mod emission;
pub mod function;
pub mod index;
pub mod lanes;
pub mod loops;
pub mod memory;
pub mod operators;
pub mod threads;
pub mod values;
pub mod vectorize;

use crate::nest::tree::{Block, Kernel, Loop, Nest, Operation, Purpose, Statement};
use emission::{Emission, Site};
use mdh_dialects::ir::{self, Builder, Val};
use std::cell::RefCell;

pub use emission::Program;

/// Emits the operations of a nest at the builder's insertion point. Returns its buffers by index; `None` for buffers
/// that it never creates.
pub fn emit<'c>(b: &Builder<'c>, nest: &Nest, program: &Program<'c>) -> Vec<Option<Val<'c>>> {
    let mut emission = Emission::new(nest, program);
    emission.block(b, Nest::BODY);
    emission.buffers
}

impl<'a, 'c> Emission<'a, 'c> {
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
            Operation::Binary(binary) => site.create(values::name(*binary)),
            Operation::Compare(predicate) => vec![b.cmpi(*predicate, site.operands[0], site.operands[1])],
            Operation::Select => site.create("arith.select"),
            Operation::Cast => site.create("arith.index_castui"),
            Operation::SignedCast => site.create("arith.index_cast"),
            Operation::Dimension(buffer) => self.read(site, "memref.dim", *buffer, &[]),
            Operation::Broadcast => site.create("vector.broadcast"),
            Operation::FirstLanes => site.create("vector.create_mask"),
            Operation::Extract(lane) => site.with("vector.extract", &[values::position(b, *lane)]),
            Operation::FromElements => site.create("vector.from_elements"),
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
            Operation::GroupCopies => site.create("nvgpu.device_async_create_group"),
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
            Operation::Barrier => site.create("gpu.barrier"),
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
