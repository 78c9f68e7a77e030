//! The operations that a computation depends on, moved before an earlier computation that it is joined with.
//!
//! ```text
//! %s = sums of %x                              %n = the size of %x
//! %n = the size of %x                  ──▶     %s, %m = sums and maxima of %x
//! return %s, the maxima %m of %x, %n           return %s, %m, %n
//! ```
use crate::analysis::{
    computation::{Computation, InitialValue},
    effects::{Effects, may_overlap},
    origin::VIEWS,
};
use mdh_dialects::{
    hom::MdHom,
    ir::{self, Op, OpView, Val},
    view::{InpView, OutView},
};
use melior::ir::{TypeLike, ValueLike, operation::OperationLike};

/// The operations to move before the first computation, in order, so that the second one can take place there. `None` if
/// it depends on the first one, or if an effect between both forbids it.
pub fn before<'c>(first: &Computation<'c>, second: &Computation<'c>) -> Option<Vec<Op<'c>>> {
    let (start, end) = (first.out_view.op(), second.out_view.op());
    let next = |operation: &Op<'c>| operation.next_in_block().map(ir::op);
    let between: Vec<_> = std::iter::successors(next(&start), next).take_while(|operation| *operation != end).collect();
    let mut needed = sources(end);
    let (mut moved, mut left) = (vec![], vec![start]);
    for operation in between.into_iter().rev() {
        match needed.contains(&operation) {
            true => {
                needed.extend(sources(operation));
                moved.push(operation);
            }
            false => left.push(operation),
        }
    }
    moved.reverse();
    if needed.contains(&start) || !moved.iter().all(|operation| is_pure(*operation)) {
        return None;
    }
    let accesses: Option<Vec<_>> =
        moved.iter().chain([&end]).filter_map(|op| OutView::cast(*op)).map(Accesses::of).collect();
    let accesses = accesses?;
    left.into_iter().all(|operation| is_apart(operation, &accesses)).then_some(moved)
}

/// The operations that define what an operation and its regions use.
fn sources(operation: Op<'_>) -> Vec<Op<'_>> {
    ir::descendants(operation).into_iter().flat_map(ir::operands).filter_map(ir::defining).collect()
}

/// True if an operation has no effect, except those of an out_view on memory.
fn is_pure(operation: Op<'_>) -> bool {
    let is_division = |name: &str| name.starts_with("arith.div") || name.starts_with("arith.rem");
    let is_on_tensors = |inner: Op<'_>| !ir::operands(inner).iter().any(|operand| operand.r#type().is_mem_ref());
    if [InpView::NAME, MdHom::NAME, OutView::NAME].contains(&ir::name(operation)) {
        return true;
    }
    ir::descendants(operation).into_iter().all(|inner| match ir::name(inner).split_once('.') {
        // A division may end the program.
        Some(("arith", _)) => !is_division(ir::name(inner)),
        Some(("math" | "tensor" | "linalg", _)) => is_on_tensors(inner),
        Some(("memref", name)) => name == "dim" || VIEWS.contains(&ir::name(inner)),
        _ => ir::name(inner) == "affine.apply",
    })
}

/// The memrefs that a computation accesses.
struct Accesses<'c> {
    reads: Vec<Val<'c>>,
    writes: Vec<Val<'c>>,
}

impl<'c> Accesses<'c> {
    fn of(view: OutView<'c>) -> Option<Self> {
        let computation = Computation::from_out_view(view)?;
        let initial = computation.inits.iter().filter_map(InitialValue::buffer).map(|buffer| buffer.value);
        let memrefs =
            |values: Vec<Val<'c>>| values.into_iter().filter(|value| value.r#type().is_mem_ref()).collect::<Vec<_>>();
        let reads = computation.inputs.iter().map(|input| input.value).chain(initial).collect();
        Some(Self { reads: memrefs(reads), writes: memrefs(view.destinations()) })
    }

    fn overlaps(&self, other: &Self) -> bool {
        let shared = |some: &[Val<'c>], others: &[Val<'c>]| {
            some.iter().any(|one| others.iter().any(|other| may_overlap(*one, *other)))
        };
        shared(&self.writes, &other.writes) || shared(&self.writes, &other.reads) || shared(&self.reads, &other.writes)
    }
}

/// True if computations with these accesses may take place before an operation instead of after it.
fn is_apart<'c>(operation: Op<'c>, moved: &[Accesses<'c>]) -> bool {
    if let Some(view) = OutView::cast(operation) {
        return Accesses::of(view).is_some_and(|own| !moved.iter().any(|accesses| accesses.overlaps(&own)));
    }
    if [InpView::NAME, MdHom::NAME].contains(&ir::name(operation)) {
        return true;
    }
    let effects = Effects::of(operation);
    let touches = |accesses: &Accesses<'c>| {
        accesses.reads.iter().any(|memref| effects.write(*memref))
            || accesses.writes.iter().any(|memref| effects.write(*memref) || effects.read(*memref))
    };
    !effects.is_unknown() && !moved.iter().any(touches)
}
