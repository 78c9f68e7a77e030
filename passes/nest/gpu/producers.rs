//! Producers in kernels: a thread computes its own parts of their results, or the threads of a block compute parts
//! together.
//!
//! ```text
//! S: i (SMX), j (CC), at j   ──▶   kernel:                       a thread computes the part that it reads,
//!                                    part = .. i, j              in its private memory
//!                                    y[i, j] = .. part
//!
//! S: i (SMX), at i, j (CC)   ──▶   kernel:                       the threads compute the elements of the part
//!                                    barrier                     one after the other, in shared memory
//!                                    for n in thread.x, thread.x + 32, ..: part[n] = ..
//!                                    barrier
//!                                    y[i, j] = .. part
//! ```
//!
//! The level of the consumer decides: if all levels of threads are around it, each thread has its own parts.
//! A thread computes an element of a part as the processor does: with the loops of the producer's schedule, and with
//! all other buffers in its private memory.
use crate::nest::{
    code::Code,
    construction::Construction,
    gpu::kernel::{KernelContext, delinearize},
    index::Index::{self, Constant},
    loops,
    producers::PartSpace,
};
use mdh_dialects::{
    ir::IntPredicate,
    schedule::{
        model::Placement,
        roles::{Memory, MemoryRole},
    },
};

/// A row-major placement in a kind of memory of a kernel.
pub fn placement<'t>(nest: &Construction<'_, 't>, memory: Memory, rank: usize) -> Placement {
    let system = &nest.schedule.system;
    let private = || system.memory_of(MemoryRole::Registers).or_else(|| system.memory_of(MemoryRole::Cache));
    let region = if memory == Memory::Shared { system.memory_of(MemoryRole::Shared) } else { private() };
    Placement::new(region.unwrap_or_default(), 0..rank)
}

impl PartSpace {
    /// Distributes the indices of some dimensions over the threads of a block, one index of each of them at a time.
    /// `body` gets the part of these indices.
    pub fn by_threads<'t>(
        &self,
        b: &Code<'t>,
        kernel: &KernelContext<'t>,
        dimensions: &[usize],
        body: &mut dyn FnMut(&Code<'t>, Self),
    ) {
        let threads = Constant(kernel.threads);
        let bases: Vec<_> = dimensions.iter().rev().map(|&d| self.extents[d]).collect();
        let total = bases.iter().fold(Constant(1), |total: Index, base| total.mul(b, *base));
        let is_full = total.constant().is_some_and(|total| total % kernel.threads == 0);
        let mut element = |b: &Code<'t>, number: Index| {
            let positions = delinearize(b, number, &bases).into_iter().rev();
            let mut part = Self { apart: dimensions.iter().copied().zip(positions).collect(), ..self.clone() };
            for &(d, position) in &part.apart {
                part.firsts[d] = part.firsts[d].add(b, position);
                (part.extents[d], part.most[d]) = (Constant(1), Constant(1));
            }
            body(b, part);
        };
        loops::sequential(b, total.ceildiv(b, threads), |b, round| {
            let number = round.mul(b, threads).add(b, kernel.thread);
            if is_full {
                return element(b, number);
            }
            let exists = number.compare(b, IntPredicate::Slt, total);
            loops::when(b, exists, |b| element(b, number));
        });
    }
}
