//! Whether a computation writes every element of its destinations, which then need not hold anything before.
use crate::{
    analysis::{
        computation::{Buffer, Computation},
        index::Access,
    },
    lower::{
        index::Index::{self, Constant, Value},
        loops,
        tile::and,
    },
};
use mdh_dialects::{
    ir::{self, Builder, IntPredicate, Op, OpView, Val},
    view::OutView,
};
use melior::ir::operation::OperationLike;

/// Leaves out copies to destinations that the computation overwrites. Bufferization makes one of a tensor that the caller keeps; of static
/// sizes it knows when it need not, of others that is known when the function is called.
pub fn copy_what_stays<'c>(b: &Builder<'c>, computation: &Computation<'c>, extents: &[Index<'c>]) {
    if !computation.out_view.results().is_empty() {
        return;
    }
    for output in &computation.outputs {
        let Some(copy) = copy_before(computation.out_view.op(), output.value) else { continue };
        let Some(conditions) = coverage(b, computation, output, extents) else { continue };
        if let Some(is_covered) = conditions.into_iter().fold(None, |all, condition| Some(and(b, all, condition))) {
            let copied = |b: &Builder<'c>| {
                b.op("memref.copy", &ir::operands(copy), &[], &[], vec![]);
                vec![]
            };
            loops::branch(b, is_covered, &[], |_| vec![], copied);
        }
        ir::erase(copy);
    }
}

/// The copy that fills a new buffer before an operation, if nothing in between uses the buffer or may write to what is copied.
fn copy_before<'c>(user: Op<'c>, buffer: Val<'c>) -> Option<Op<'c>> {
    let is_new = |value: Val<'c>| ir::defining(value).is_some_and(|definition| ir::name(definition) == "memref.alloc");
    let block = user.block().map(ir::blk).filter(|_| is_new(buffer))?;
    let target = |copy: Op<'c>| ir::operands(copy).get(1).copied();
    let mut before: Vec<_> =
        ir::block_operations(block).into_iter().take_while(|operation| *operation != user).collect();
    while let Some(operation) = before.pop() {
        let name = ir::name(operation);
        if name == "memref.copy" && target(operation) == Some(buffer) {
            return Some(operation);
        }
        let writes_elsewhere = name == "memref.copy"
            && target(operation).is_some_and(is_new)
            && !ir::operands(operation).contains(&buffer);
        let reads = ["mdh.", "arith.", "memref.dim", "memref.alloc"].iter().any(|prefix| name.starts_with(prefix));
        if !(reads || writes_elsewhere) || name == OutView::NAME {
            return None;
        }
    }
    None
}

/// What has to hold for a computation to write every element of an output; none if it need not, whatever holds. An access has a dimension of
/// its own for each dimension of the buffer, with one element for each index, and there are as many of both.
pub fn coverage<'c>(
    b: &Builder<'c>,
    computation: &Computation<'c>,
    output: &Buffer<'c>,
    extents: &[Index<'c>],
) -> Option<Vec<Val<'c>>> {
    let size = |axis: usize| match output.shape[axis] {
        Some(size) => Constant(size as i64),
        None => {
            let axis = Constant(axis as i64).materialize(b);
            Value(b.value("memref.dim", &[output.value, axis], b.index(), &[]))
        }
    };
    // What each axis has to be as long as.
    let covered = |access: &Access| {
        let uses = |axis: usize, d: usize| access.uses(axis, d) && computation.operators[d].keeps();
        let of = |axis: usize| (0..extents.len()).filter(move |&d| uses(axis, d)).collect::<Vec<_>>();
        let axes: Vec<_> = (0..output.shape.len()).map(of).collect();
        let length = |(axis, used): (usize, &Vec<usize>)| match used[..] {
            [] => Some(Constant(1)),
            [d] => {
                let is_alone = axes.iter().filter(|others| others.contains(&d)).count() == 1;
                (is_alone && access.stride(axis, d).abs() == 1).then_some(extents[d])
            }
            _ => None,
        };
        let lengths = axes.iter().enumerate().map(length).collect::<Option<Vec<_>>>()?;
        let known = |(axis, length): (usize, &Index<'c>)| output.shape[axis].zip(length.constant());
        let may_be = lengths.iter().enumerate().filter_map(known).all(|(size, length)| size as i64 == length);
        may_be.then_some(lengths)
    };
    // Where there is no point, there is nothing to write.
    if extents.iter().any(|extent| extent.constant() == Some(0)) {
        return None;
    }
    let lengths = output.accesses.iter().find_map(covered)?;
    let open = extents.iter().filter(|extent| extent.constant().is_none());
    let is_inhabited = open.map(|extent| extent.compare(b, IntPredicate::Sgt, Constant(0)));
    let is_open = |(axis, length): &(usize, Index<'c>)| output.shape[*axis].is_none() || length.constant().is_none();
    let unknown = lengths.into_iter().enumerate().filter(is_open);
    Some(is_inhabited.chain(unknown.map(|(axis, length)| size(axis).compare(b, IntPredicate::Eq, length))).collect())
}
