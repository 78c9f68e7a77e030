//! Whether inlining a producer into all of its readers pays off: a comparison of the bytes that are not moved any more
//! with the operations that are executed repeatedly.
//!
//! Before, the producer reads its inputs and writes its result once, and each reader reads the result. Afterwards, each
//! reader reads the inputs of the producer, and applies its function at each point. A processor moves about as many
//! bytes to and from caches as it executes operations on vectors of the same time, so a byte counts as much as an
//! operation on an element.
use super::{candidates::is_fusible, compose::Row};
use crate::analysis::{
    computation::{AccessedBuffer, Computation},
    operation_kind::OperationKind,
    size,
};
use mdh_dialects::{
    hom::MdHom,
    ir::{self, Blk, OpView, Val},
    view::{InpView, OutView},
};
use melior::ir::ValueLike;

/// The largest number of operations of a function that is inlined, or of two that are joined.
const MAX_OPERATIONS: usize = 200;

/// True if inlining a producer into all readers of this result pays off.
pub fn pays_off(producer: &Computation<'_>, value: Val<'_>) -> bool {
    let Some(body) = producer.hom.body() else { return false };
    let Some(readers) = readers(value).filter(|_| operations(body) <= MAX_OPERATIONS) else { return false };
    let points = points(producer);
    let result: f64 = points * element_bytes(value);
    let inputs: f64 = producer.inputs.iter().map(|input| read(input, points)).sum();
    let count = readers.len() as f64;
    let evaluated: f64 = readers.iter().sum();
    let moved_less = inputs + result * (1.0 + count) - count * inputs;
    (evaluated - points).max(0.0) * weight(body) <= moved_less
}

/// By reader of a result: the number of times that it reads an element. `None` if something else uses the result.
fn readers(value: Val<'_>) -> Option<Vec<f64>> {
    let reader = |user| {
        let view = InpView::cast(user)?;
        let accesses = view.buffers().into_iter().zip(view.access_lists()).filter(|(buffer, _)| *buffer == value);
        let accesses: usize = accesses.filter_map(|(_, list)| Some(ir::array_attribute(list)?.len())).sum();
        let [hom] = ir::users(view.result())[..] else { return None };
        let hom = MdHom::cast(hom).filter(|hom| hom.mda() == view.result())?;
        let [out_view] = ir::users(hom.result())[..] else { return None };
        let computation = Computation::from_out_view(OutView::cast(out_view)?)?;
        // LLVM moves a value that is the same at all points out of the loops.
        let is_same =
            view.accesses()?.iter().zip(view.buffers()).filter(|(_, buffer)| *buffer == value).all(|(list, _)| {
                list.iter().all(|access| (0..access.rank()).all(|axis| access.row(axis).0.iter().all(|c| *c == 0)))
            });
        let points = if is_same { 1.0 } else { points(&computation) };
        is_fusible(&computation).then_some(points * accesses as f64)
    };
    ir::users(value).into_iter().map(reader).collect()
}

/// True if joining two computations pays off, which read these common elements once then. Each point may cost an
/// operation more, because registers are shared, too.
pub fn joining_pays_off<'c>(first: &Computation<'c>, second: &Computation<'c>, common: &[(Val<'c>, Vec<Row>)]) -> bool {
    let operations = [first, second].into_iter().filter_map(|computation| computation.hom.body()).map(operations);
    let points = points(first);
    let moved_less = |input: &AccessedBuffer<'c>| {
        let count = common.iter().filter(|(value, _)| *value == input.value).count();
        elements(input).min(points * count as f64) * element_bytes(input.value)
    };
    let moved_less: f64 = first.inputs.iter().map(moved_less).sum();
    operations.sum::<usize>() <= MAX_OPERATIONS && moved_less >= points
}

/// The number of operations of a function.
fn operations(body: Blk<'_>) -> usize {
    ir::block_operations(body).into_iter().flat_map(ir::descendants).count()
}

/// A dynamic size: a large one, so that sizes that occur in one product only do not balance.
const DYNAMIC: f64 = 1024.0;

fn points(computation: &Computation<'_>) -> f64 {
    computation.domain.extents().map(|extent| extent.map_or(DYNAMIC, |extent| extent as f64)).product()
}

/// The number of elements of a buffer.
fn elements(input: &AccessedBuffer<'_>) -> f64 {
    input.shape.iter().map(|size| size.map_or(DYNAMIC, |size| size as f64)).product()
}

fn element_bytes(value: Val<'_>) -> f64 {
    size::bytes(ir::element_type_or_self(value.r#type())) as f64
}

/// The bytes of an input that are read: at most all of its elements.
fn read(input: &AccessedBuffer<'_>, points: f64) -> f64 {
    elements(input).min(points * input.accesses.len() as f64) * element_bytes(input.value)
}

/// The number of operations of a function, in units of an addition.
fn weight(body: Blk<'_>) -> f64 {
    let of = |operation| match OperationKind::of(operation) {
        OperationKind::Free => 0.0,
        OperationKind::Quotient | OperationKind::IntegerQuotient | OperationKind::ReciprocalRoot => 4.0,
        OperationKind::Function => 20.0,
        _ => 1.0,
    };
    ir::block_operations(body).into_iter().flat_map(ir::descendants).map(of).sum()
}
