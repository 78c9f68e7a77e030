//! Destinations that a computation overwrites completely: their previous contents need not be copied to them.
use super::{
    code::Code,
    index::Index::{self, Computed, Constant},
    loops,
    tile::and,
    tree::{Buffer, Operation, Value},
    types::Type,
    workload::{Output, Workload},
};
use crate::analysis::index::Access;
use mdh_dialects::ir::IntPredicate;

/// Replaces the program's copies to destinations that the computation overwrites: omits a copy that is known to be
/// unnecessary, and otherwise copies only if a run-time check of the sizes requires it. Bufferization inserts such
/// copies for tensors that the caller keeps. Returns, by output, true if the nest replaces the program's copy.
pub fn copy_what_stays(b: &Code<'_>, workload: &Workload, buffers: &[Buffer], extents: &[Index]) -> Vec<bool> {
    let replaces = |(number, (output, buffer)): (usize, (&Output, &Buffer))| {
        if workload.has_results || !output.is_copied_before {
            return false;
        }
        let Some(conditions) = coverage(b, workload, output, *buffer, extents) else { return false };
        if let Some(is_covered) = conditions.into_iter().fold(None, |all, condition| Some(and(b, all, condition))) {
            let copied = |b: &Code<'_>| {
                b.effect(Operation::CopyPrevious(number), &[]);
                vec![]
            };
            loops::branch(b, is_covered, &[], |_| vec![], copied);
        }
        true
    };
    workload.outputs.iter().zip(buffers).enumerate().map(replaces).collect()
}

/// The run-time conditions under which a computation writes every element of an output, empty if it always does; `None`
/// if no condition on sizes and extents guarantees it. An output is covered if an access has a separate iteration
/// dimension for each axis of the buffer (an axis of size 1 needs none), with stride 1 or -1, and the sizes are equal
/// to the extents, which are positive.
pub fn coverage(
    b: &Code<'_>,
    workload: &Workload,
    output: &Output,
    buffer: Buffer,
    extents: &[Index],
) -> Option<Vec<Value>> {
    let size = |axis: usize| size(b, buffer, &output.array.sizes, axis);
    // The required length of each axis.
    let covered = |access: &Access| {
        let uses = |axis: usize, d: usize| access.uses(axis, d) && workload.operators[d].keeps();
        let of = |axis: usize| (0..extents.len()).filter(move |&d| uses(axis, d)).collect::<Vec<_>>();
        let axes: Vec<_> = (0..output.array.sizes.len()).map(of).collect();
        let length = |(axis, used): (usize, &Vec<usize>)| match used[..] {
            [] => Some(Constant(1)),
            [d] => {
                let is_alone = axes.iter().filter(|others| others.contains(&d)).count() == 1;
                (is_alone && access.stride(axis, d).abs() == 1).then_some(extents[d])
            }
            _ => None,
        };
        let lengths = axes.iter().enumerate().map(length).collect::<Option<Vec<_>>>()?;
        let known = |(axis, length): (usize, &Index)| output.array.sizes[axis].zip(length.constant());
        let may_be = lengths.iter().enumerate().filter_map(known).all(|(size, length)| size as i64 == length);
        may_be.then_some(lengths)
    };
    // An empty iteration space writes nothing.
    if extents.iter().any(|extent| extent.constant() == Some(0)) {
        return None;
    }
    let lengths = output.accesses.iter().find_map(covered)?;
    let open = extents.iter().filter(|extent| extent.constant().is_none());
    let is_inhabited = open.map(|extent| extent.compare(b, IntPredicate::Sgt, Constant(0)));
    let is_open = |(axis, length): &(usize, Index)| output.array.sizes[*axis].is_none() || length.constant().is_none();
    let unknown = lengths.into_iter().enumerate().filter(is_open);
    Some(is_inhabited.chain(unknown.map(|(axis, length)| size(axis).compare(b, IntPredicate::Eq, length))).collect())
}

/// The size of a buffer along an axis, constant if known in `sizes`.
pub fn size(b: &Code<'_>, buffer: Buffer, sizes: &[Option<u64>], axis: usize) -> Index {
    match sizes[axis] {
        Some(size) => Constant(size as i64),
        None => {
            let axis = Constant(axis as i64).materialize(b);
            Computed(b.value(Operation::Dimension(buffer), &[axis], Type::INDEX))
        }
    }
}
