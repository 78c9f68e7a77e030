//! The allocation of buffers: results of parts of the iteration space, and where they are.
//!
//! The scope of an allocation follows from its memory: the processor, global memory of a device, shared memory of a
//! block, or private memory of a thread.
use crate::{
    analysis::index::Access,
    nest::{
        accumulator::Accumulator,
        construction::Construction,
        contents::{ContentKind, Contents},
        cursor::{Cursor, ExecutionSpace},
        index::Index,
        loops::Scope,
        source::Promotion,
        space::Point,
        store::Store,
    },
    plan::Cause,
};
use mdh_dialects::schedule::{
    model::{Level, Placement},
    roles::Memory,
};

/// The kind of device memory of a region.
pub fn memory<'t>(nest: &Construction<'_, 't>, region: &str) -> Memory {
    nest.schedule.system.device_memory(region)
}

/// The promotion of a part of a group of accesses, by input buffer and group.
pub fn promotion<'a, 't>(
    nest: &'a Construction<'_, 't>,
    (buffer, group): (usize, usize),
    placement: &'a Placement,
    point: &'a Point,
    scope: &'a Scope<'t>,
    is_multi_buffered: bool,
) -> Promotion<'a, 't> {
    Promotion {
        space: &nest.space,
        scope,
        group: &nest.groups[buffer][group],
        point,
        placement,
        is_multi_buffered,
        is_asynchronous: is_multi_buffered && copies_ahead(nest),
        tile: &nest.tile,
        element: nest.workload.inputs[buffer].array.element,
        parallel: false,
    }
}

/// The scope that allocates buffers in a kind of memory.
pub fn scope<'t>(cursor: &Cursor<'t>, memory: Memory) -> Scope<'t> {
    match (&cursor.place, memory) {
        (ExecutionSpace::Processor | ExecutionSpace::Host, _) => cursor.scope.clone(),
        (ExecutionSpace::Kernel(kernel), Memory::Global) => kernel.global.of_blocks(kernel.blocks),
        (ExecutionSpace::Kernel(kernel), Memory::Shared) => kernel.private.shared(),
        (ExecutionSpace::Kernel(kernel), Memory::Private) => kernel.private.clone(),
    }
}

/// Allocates buffers for the results of the iteration space at the cursor, including those of its register tile, in
/// the layouts of `placements`. `order`: the dimensions that they store, before they are sorted by layout; by
/// default the non-reduction dimensions. `lead`: the size of an additional leading dimension. The cause is the step
/// that makes the buffers necessary.
pub fn allocate<'t>(
    nest: &Construction<'_, 't>,
    cursor: &Cursor<'t>,
    placements: &[Placement],
    order: Option<Vec<usize>>,
    lead: Option<Index>,
    (what, cause): (ContentKind, Cause),
) -> Accumulator {
    let mut stores = vec![];
    let is_alone = nest.workload.outputs.len() == 1;
    for (i, (output, placement)) in nest.workload.outputs.iter().zip(placements).enumerate() {
        for (part, access) in output.accesses.iter().enumerate() {
            let dimensions = order.clone().unwrap_or_else(|| nest.non_reduction_dimensions());
            let dimensions = by_layout(&dimensions, access, &placement.layout);
            let memory = memory(nest, &placement.region);
            let scope = scope(cursor, memory);
            let point = cursor.point_of(memory);
            let (sizes, numbers): (Vec<_>, Vec<_>) = copies(nest, cursor, memory).into_iter().unzip();
            let sizes: Vec<_> = sizes.into_iter().chain(lead).collect();
            let output_number = (!is_alone).then_some(i);
            let contents = Contents { output: output_number, part, ..Contents::new(what, cause, placement) };
            let element = output.array.element;
            let store = Store::allocate(&scope, &nest.space, &point, &dimensions, &sizes, element, contents);
            let block = cursor.kernel().filter(|_| memory == Memory::Global).map(|kernel| kernel.block);
            stores.push(store.inside(block.into_iter().chain(numbers).collect()));
        }
    }
    Accumulator { stores, entered: vec![], inits: None }
}

/// The leading sizes and indices of a buffer in shared or global memory: each part of a reduction level that is
/// distributed over threads has its own copy.
fn copies<'t>(nest: &Construction<'_, 't>, cursor: &Cursor<'t>, memory: Memory) -> Vec<(Index, Index)> {
    let Some(kernel) = cursor.kernel().filter(|_| memory != Memory::Private) else { return vec![] };
    let reduced = kernel.fixed.iter().filter(|level| nest.workload.operators[level.dimension].reduces());
    let copy = |level: &Level| Some((nest.space.parts[level.layer][level.dimension], cursor.point.number(*level)?));
    reduced.filter_map(copy).collect()
}

/// True if copies to shared memory are asynchronous: threads continue while the copies are in flight.
pub fn copies_ahead<'t>(nest: &Construction<'_, 't>) -> bool {
    nest.kernels.is_some_and(|kernels| kernels.copies_ahead)
}

/// Sorts iteration dimensions in the order in which a buffer with this layout stores them. Dimensions that the index
/// function does not use come first.
fn by_layout(dimensions: &[usize], access: &Access, layout: &[usize]) -> Vec<usize> {
    let rank_of = |d: usize| layout.iter().position(|&axis| access.uses(axis, d));
    let mut sorted = dimensions.to_vec();
    sorted.sort_by_key(|&d| rank_of(d).map_or(0, |position| position + 1));
    sorted
}
