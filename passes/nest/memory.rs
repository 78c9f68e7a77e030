//! The memory that a nest allocates in addition to the user's buffers, from the contents that the construction records.
//!
//! The same code may be emitted in several versions: in the branches of a condition, as a peeled first iteration, or as
//! a separate kernel. Buffers with the same contents in several versions count once, with the largest size.
use super::{
    contents::{Contents, Owner},
    definitions::Definitions,
    tree::{Array, Buffer, Kernel, MemorySpace, Nest, Operation, Statement, Storage, Value},
};
use crate::target::limits::Limits;
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
    let buffers = kernel.shared.iter().copied().chain(buffers_inside(nest, kernel));
    let (shared, private): (Vec<_>, Vec<_>) =
        buffers.map(|buffer| nest.array(buffer)).partition(|array| array.space == MemorySpace::Shared);
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

/// Checks that the static buffers in shared memory of each kernel are within the limits of a device. `region`: the shared
/// memory, as the system names it.
pub fn check_shared(nest: &Nest, limits: &Limits, region: &str) -> Result<(), String> {
    let Limits { device, shared_bytes: most, .. } = limits;
    for statement in nest.blocks.iter().flatten() {
        let Operation::Kernel(kernel) = &statement.operation else { continue };
        let buffers = shared_buffers(nest, kernel);
        let bytes = buffers.iter().filter_map(|buffer| nest.array(*buffer).bytes());
        let total = bytes.fold(0u64, |total, bytes| total.saturating_add(aligned(bytes)));
        if total > *most {
            let listed = allocations_in(nest, |buffer| buffers.contains(&buffer));
            let listed: Vec<_> = listed.iter().filter_map(Allocation::text).collect();
            return Err(format!(
                "requires at most {most} bytes in {region} for a block on {device}, but the schedule has {total}: {}",
                listed.join(", ")
            ));
        }
    }
    Ok(())
}

/// The buffers of a kernel in shared memory.
fn shared_buffers(nest: &Nest, kernel: &Kernel) -> Vec<Buffer> {
    let all = kernel.shared.iter().copied().chain(buffers_inside(nest, kernel));
    all.filter(|buffer| nest.array(*buffer).space == MemorySpace::Shared).collect()
}

/// The buffers that the code of a kernel makes.
fn buffers_inside(nest: &Nest, kernel: &Kernel) -> Vec<Buffer> {
    let (mut buffers, mut blocks) = (vec![], vec![kernel.body]);
    while let Some(block) = blocks.pop() {
        for inner in nest.block(block) {
            buffers.extend(inner.operation.allocated());
            blocks.extend(inner.operation.blocks());
        }
    }
    buffers
}

impl Allocation {
    /// The allocation as an error message lists it; `None` if its size is dynamic.
    fn text(&self) -> Option<String> {
        let Self { what, place, placement, bytes, .. } = self;
        let region = if placement.layout.is_empty() { String::new() } else { format!(" in {placement}") };
        bytes.map(|bytes| format!("{bytes} for the {what}{region} of step {place}"))
    }
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
    if let Some(what) = output.or_else(|| allocated.map(Contents::of_step)) {
        return Err(format!("requires less than 2^63 bytes for each buffer, but this limit is exceeded by the {what}"));
    }
    // Only private memory of threads, which is one buffer for all of them, has no record of its contents.
    let statements = nest.blocks.iter().flatten();
    let of_threads = statements.filter(|statement| {
        matches!(&statement.operation, Operation::Allocate(buffer, Storage::Device(_)) if is_too_large(nest.array(*buffer)))
    });
    match of_threads.count() {
        0 => Ok(()),
        _ => Err(
            "requires less than 2^63 bytes for each buffer, but the private memory of all threads together takes more"
                .to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests;
