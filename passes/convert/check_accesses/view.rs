//! Views: the elements that a view can reach are among those that its memref reaches.
use super::{
    Failure, IntPredicate, Op, Val, ir,
    requirement::{AccessRequirement, ELEMENTS, and},
};
use melior::ir::ValueLike;

/// The elements that a memref reaches: from the offset on, so many steps of one element. Strides are not negative.
struct Reach<'c> {
    offset: Val<'c>,
    length: Val<'c>,
    /// Whether it has no element at all.
    is_empty: Val<'c>,
    /// Whether the length is what it says.
    is_countable: Val<'c>,
}

/// Checks a view behind the operation that makes it, before its first use.
pub fn inside<'c>(
    requirement: &mut AccessRequirement<'_, 'c>,
    operation: Op<'c>,
    of: Val<'c>,
) -> Result<(), Failure<'c>> {
    let view = ir::results(operation)[0];
    requirement.shape(of)?;
    requirement.shape(view)?;
    if is_static(view) && is_static(of) && view.r#type() == of.r#type() {
        return Ok(());
    }
    let Some(next) = ir::next(operation) else { return Ok(()) };
    let mut behind = requirement.moved(next);
    let [part, whole] = [reach(&behind, view), reach(&behind, of)];
    let b = behind.b;
    let distance = b.value("arith.subi", &[part.offset, whole.offset], b.index(), &[]);
    let rest = b.value("arith.subi", &[whole.length, distance], b.index(), &[]);
    let conditions = [
        part.is_countable,
        b.cmpi(IntPredicate::Eq, whole.is_empty, b.constant(0, b.i1())),
        b.cmpi(IntPredicate::Ule, distance, whole.length),
        b.cmpi(IntPredicate::Ule, part.length, rest),
    ];
    let all = conditions.into_iter().reduce(|all, next| and(&b, all, next)).unwrap_or(part.is_empty);
    behind.add(b.value("arith.ori", &[part.is_empty, all], b.i1(), &[]));
    behind.assert(&format!("a view inside of {}", of.r#type()));
    Ok(())
}

fn is_static(memref: Val<'_>) -> bool {
    let strides = ir::strides(memref.r#type());
    let has_numbers = strides.is_some_and(|(strides, offset)| offset.is_some() && strides.iter().all(Option::is_some));
    has_numbers && ir::shape(memref.r#type()).is_some_and(|shape| shape.iter().all(Option::is_some))
}

fn reach<'c>(requirement: &AccessRequirement<'_, 'c>, memref: Val<'c>) -> Reach<'c> {
    let b = requirement.b;
    let rank = ir::shape(memref.r#type()).map_or(0, |shape| shape.len());
    let element = ir::element_type_or_self(memref.r#type());
    let types: Vec<_> = [b.memref(&[], element, None)].into_iter().chain(vec![b.index(); 1 + 2 * rank]).collect();
    let parts = ir::results(b.op("memref.extract_strided_metadata", &[memref], &types, &[], vec![]));
    let (sizes, strides) = parts[2..].split_at(rank);
    let (zero, one, most) = (requirement.number(0), requirement.number(1), requirement.number(ELEMENTS));
    let truth = |value: bool| b.constant(i64::from(value), b.i1());
    let (mut length, mut is_empty, mut is_countable) = (zero, truth(false), truth(true));
    for (size, stride) in sizes.iter().zip(strides) {
        let is_zero = b.cmpi(IntPredicate::Eq, *size, zero);
        is_empty = b.value("arith.ori", &[is_empty, is_zero], b.i1(), &[]);
        // The stride of a single element is never used.
        let is_single = b.cmpi(IntPredicate::Ule, *size, one);
        let steps = b.value("arith.subi", &[*size, one], b.index(), &[]);
        let steps = b.value("arith.select", &[is_single, zero, steps], b.index(), &[]);
        let stride = b.value("arith.select", &[is_single, one, *stride], b.index(), &[]);
        let divisor = b.value("arith.maxui", &[stride, one], b.index(), &[]);
        let limit = b.value("arith.divui", &[most, divisor], b.index(), &[]);
        // A negative stride is a large unsigned one.
        let fits = and(&b, b.cmpi(IntPredicate::Ule, steps, limit), b.cmpi(IntPredicate::Ule, stride, most));
        is_countable = and(&b, is_countable, fits);
        let distance = b.value("arith.muli", &[steps, stride], b.index(), &[]);
        length = b.value("arith.addi", &[length, distance], b.index(), &[]);
    }
    Reach { offset: parts[1], length, is_empty, is_countable }
}
