//! The memory that a nest allocates in addition to the user's buffers, from the contents that the construction records.
//!
//! The same code may be emitted in several versions: in the branches of a condition, as a peeled first iteration, or as
//! a separate kernel. Buffers with the same contents in several versions count once, with the largest size.
use super::{
    contents::{Contents, Owner},
    definitions::Definitions,
    tree::{Array, Buffer, Kernel, MemorySpace, Nest, Operation, Statement, Value},
};
use mdh_dialects::schedule::model::Placement;

/// The maximum size of a buffer in bytes: addresses are signed 64-bit integers.
pub const LARGEST: u64 = i64::MAX as u64;

/// The alignment of buffers in the memory of a kernel: the largest alignment of an element.
pub const ALIGNMENT: u64 = 16;

/// The memory for one purpose: one buffer, or several if accesses are in groups or tuples have components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Its contents, as text.
    pub what: String,
    /// The step that makes it necessary, as text.
    pub place: String,
    /// Its region and layout.
    pub placement: Placement,
    /// Its size in bytes: an upper bound over all parts, saturating at `u64::MAX`; `None` if it depends on a dynamic
    /// extent.
    pub bytes: Option<u64>,
    /// The unit that owns a copy.
    pub owner: Owner,
}

/// The resources of a block: the maximum over all kernels that levels are mapped to; `None` if dynamic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockUsage {
    /// Its number of threads.
    pub threads: Option<u64>,
    /// Bytes of shared memory.
    pub shared: Option<u64>,
    /// Bytes of private memory of a thread.
    pub private: Option<u64>,
}

/// Returns the allocations of a nest.
pub fn allocations(nest: &Nest) -> Vec<Allocation> {
    allocations_in(nest, |_| true)
}

/// Returns the allocations of a nest that consist of some of its buffers.
pub fn allocations_in(nest: &Nest, is_chosen: impl Fn(Buffer) -> bool) -> Vec<Allocation> {
    let mut parts: Vec<(&Contents, Owner, Option<u64>)> = vec![];
    for (buffer, contents, owner) in nest.contents.iter().filter(|(buffer, ..)| is_chosen(*buffer)) {
        let bytes = own_bytes(nest.array(*buffer), *owner);
        match parts.iter_mut().find(|(known, of, _)| *known == contents && of == owner) {
            Some((.., most)) => *most = most.zip(bytes).map(|(most, bytes)| most.max(bytes)),
            None => parts.push((contents, *owner, bytes)),
        }
    }
    parts.sort_by_key(|(contents, ..)| contents.order());
    let mut sums: Vec<(Contents, Owner, Option<u64>)> = vec![];
    for (contents, owner, bytes) in parts {
        let contents = Contents { part: 0, ..contents.clone() };
        match sums.iter_mut().find(|(known, of, _)| *known == contents && *of == owner) {
            Some((.., sum)) => *sum = sum.zip(bytes).map(|(sum, bytes)| sum.saturating_add(bytes)),
            None => sums.push((contents, owner, bytes)),
        }
    }
    let allocation = |(contents, owner, bytes): (Contents, Owner, Option<u64>)| {
        let (what, place) = (contents.to_string(), contents.cause.to_string());
        Allocation { what, place, placement: contents.placement, bytes, owner }
    };
    sums.into_iter().map(allocation).collect()
}

/// Returns the bytes of one owner's copy of a buffer. In global memory, the copies of all blocks are one buffer with a
/// leading dimension.
fn own_bytes(array: &Array, owner: Owner) -> Option<u64> {
    let own = match (owner, array.space) {
        (Owner::Block, MemorySpace::Global) => &array.sizes[1..],
        _ => &array.sizes[..],
    };
    Array::row_major(array.element, own.to_vec(), array.space).bytes()
}

/// Returns the resources of a block of a nest's kernels.
pub fn block_usage(nest: &Nest) -> BlockUsage {
    let definitions = Definitions::of(nest);
    let mut most = BlockUsage { threads: Some(0), shared: Some(0), private: Some(0) };
    for statement in nest.blocks.iter().flatten() {
        let Operation::Kernel(kernel) = &statement.operation else { continue };
        if kernel.levels.is_some() {
            let BlockUsage { threads, shared, private } = taken_by(nest, &definitions, statement, kernel);
            let larger = |one: Option<u64>, other: Option<u64>| Some(one?.max(other?));
            most.threads = larger(most.threads, threads);
            most.shared = larger(most.shared, shared);
            most.private = larger(most.private, private);
        }
    }
    most
}

/// The resources of a block of one kernel; `statement` is its launch.
fn taken_by(nest: &Nest, definitions: &Definitions<'_>, statement: &Statement, kernel: &Kernel) -> BlockUsage {
    let size = |value: &Value| match definitions.statement(*value)?.operation {
        Operation::Constant(size) => u64::try_from(size).ok(),
        _ => None,
    };
    let mut sizes = statement.operands[3..6].iter().map(size);
    let threads = sizes.try_fold(1u64, |product, size| Some(product.saturating_mul(size?)));
    let mut buffers = kernel.shared.clone();
    let mut blocks = vec![kernel.body];
    while let Some(block) = blocks.pop() {
        for inner in nest.block(block) {
            buffers.extend(inner.operation.allocated());
            blocks.extend(inner.operation.blocks());
        }
    }
    let (shared, private): (Vec<_>, Vec<_>) =
        buffers.into_iter().map(|buffer| nest.array(buffer)).partition(|array| array.space == MemorySpace::Shared);
    let total = |arrays: &[&Array]| {
        let mut bytes = arrays.iter().map(|array| array.bytes());
        bytes.try_fold(0u64, |sum, bytes| Some(sum.saturating_add(aligned(bytes?))))
    };
    BlockUsage { threads, shared: total(&shared), private: total(&private) }
}

/// Rounds bytes up to the offset of the next buffer in the memory of a kernel.
pub fn aligned(bytes: u64) -> u64 {
    bytes.checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX)
}

/// Checks that the static sizes of the outputs and of all allocations are less than 2^63 bytes.
pub fn check(nest: &Nest) -> Result<(), String> {
    // Index arithmetic saturates at this number, so a size of this value is too large.
    let is_too_large =
        |array: &Array| array.bytes().is_some_and(|bytes| bytes > LARGEST) || array.sizes.contains(&Some(LARGEST));
    let outputs =
        nest.buffers.iter().skip(nest.inputs + nest.initial_values.len()).take(nest.replaces_copy.len()).enumerate();
    let mut outputs = outputs.filter(|(_, array)| is_too_large(array));
    let allocated = nest.contents.iter().filter(|(buffer, ..)| is_too_large(nest.array(*buffer)));
    let allocated = allocated.map(|(_, contents, _)| contents).min_by_key(|contents| contents.order());
    let output = outputs.next().map(|(i, _)| format!("output buffer {}", i + 1));
    match output.or_else(|| allocated.map(Contents::of_step)) {
        Some(what) => {
            Err(format!("requires less than 2^63 bytes for each buffer, but this limit is exceeded by the {what}"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
