//! Indices that are computed from induction variables by integers of fewer bits, with bounds that they never exceed.
//!
//! ```text
//! %i = arith.index_cast %k : index to i32         for %k in 0 to 16
//! %j = arith.subi %c15, %i : i32
//! %a = arith.index_cast %j : i32 to index    ──▶  %b = arith.subi %c15, %k : index
//! %b = maxsi(minsi(%a, 15), 0)
//! ```
//!
//! A frontend limits each index to the size of its tensor, and adds the size to negative ones.
use super::counted::constant;
use mdh_dialects::ir::{self, Builder, IntPredicate, Op, Val};
use melior::ir::{TypeLike, ValueLike};
use std::collections::HashMap;

/// Simplifies the indices in the counted loops of a module.
pub fn run(module: Op<'_>) {
    let mut ranges = Ranges::default();
    for operation in ir::descendants(module) {
        let mut around = std::iter::successors(ir::parent(operation), |outer| ir::parent(*outer));
        if !around.any(|outer| outer == module) {
            // In the other branch of a condition that always holds.
            continue;
        } else if ir::name(operation) == "scf.for" {
            ranges.enter(operation);
        } else if ir::name(operation) == "scf.if" {
            ranges.decide(operation);
        } else if let [result] = ir::results(operation)[..]
            && !ranges.replace(operation, result)
        {
            ranges.of_result(operation, result);
        }
    }
    for operation in ir::descendants(module).into_iter().rev() {
        let is_in_loop = ir::parent(operation).is_some_and(|parent| ir::name(parent) == "scf.for");
        if is_in_loop && ir::name(operation).starts_with("arith.") && ir::is_unused(operation) {
            ir::erase(operation);
        }
    }
}

/// The smallest and the largest value.
type Range = (i64, i64);

/// The ranges of integers and indices that are not those of their types.
#[derive(Default)]
struct Ranges(HashMap<usize, Range>);

/// True for a signless integer of 2 to 64 bits, or an index.
fn is_number(value: Val<'_>) -> bool {
    let ty = value.r#type();
    ty.is_index() || ty.is_integer() && (2..=64).contains(&ir::integer_width(ty))
}

/// All values of an integer type of at most 64 bits. Truth values are 0 and 1.
fn of_type(value: Val<'_>) -> Range {
    match ir::integer_width(value.r#type()) {
        1 => (0, 1),
        bits => (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)),
    }
}

impl Ranges {
    fn of(&self, value: Val<'_>) -> Range {
        match constant(value) {
            Some(number) if ir::integer_width(value.r#type()) > 1 => (number, number),
            _ => self.0.get(&(value.to_raw().ptr as usize)).copied().unwrap_or_else(|| of_type(value)),
        }
    }

    fn set(&mut self, value: Val<'_>, (low, high): Range) {
        let (least, most) = of_type(value);
        // A value that is out of the range of its type wraps around.
        if least <= low && high <= most && low <= high {
            self.0.insert(value.to_raw().ptr as usize, (low, high));
        }
    }

    /// The range of an induction variable.
    fn enter(&mut self, operation: Op<'_>) {
        let operands = ir::operands(operation);
        let variable = ir::body(operation, 0).and_then(|body| ir::arguments(body).first().copied());
        if let (Some(variable), None) = (variable, ir::attribute(operation, "unsignedCmp")) {
            let (low, high) = (self.of(operands[0]).0, self.of(operands[1]).1);
            if is_number(variable) {
                self.set(variable, (low, high.saturating_sub(1)));
            }
        }
    }

    fn of_result(&mut self, operation: Op<'_>, result: Val<'_>) {
        let operands = ir::operands(operation);
        let is_truth = |value: &Val<'_>| ir::integer_width(value.r#type()) == 1 && value.r#type().is_integer();
        if !operands.iter().chain([&result]).all(|value| is_number(*value) || is_truth(value)) {
            return;
        }
        let all: Vec<_> = operands.iter().filter(|operand| is_number(**operand)).map(|value| self.of(*value)).collect();
        let range = match (ir::name(operation), &all[..]) {
            ("arith.index_cast", [range]) => Some(*range),
            ("arith.addi", [one, other]) => one.0.checked_add(other.0).zip(one.1.checked_add(other.1)),
            ("arith.subi", [one, other]) => one.0.checked_sub(other.1).zip(one.1.checked_sub(other.0)),
            ("arith.muli", [one, other]) => {
                let products = [(one.0, other.0), (one.0, other.1), (one.1, other.0), (one.1, other.1)];
                let products = products.map(|(one, other)| i128::from(one) * i128::from(other));
                let least = products.into_iter().min().and_then(|least| i64::try_from(least).ok());
                least.zip(products.into_iter().max().and_then(|most| i64::try_from(most).ok()))
            }
            ("arith.maxsi", [one, other]) => Some((one.0.max(other.0), one.1.max(other.1))),
            ("arith.minsi", [one, other]) => Some((one.0.min(other.0), one.1.min(other.1))),
            ("arith.cmpi", [one, other]) => IntPredicate::of(operation).and_then(|of| decided(of, *one, *other)),
            ("arith.select", [one, other]) => Some((one.0.min(other.0), one.1.max(other.1))),
            _ => None,
        };
        range.into_iter().for_each(|range| self.set(result, range));
    }

    /// Replaces a branch whose condition always holds.
    fn decide(&self, operation: Op<'_>) {
        let body = ir::body(operation, 0).filter(|_| self.of(ir::operands(operation)[0]) == (1, 1));
        let Some(mut inner) = body.map(ir::block_operations) else { return };
        let Some(end) = inner.pop() else { return };
        inner.into_iter().for_each(|inner| ir::move_before(inner, operation));
        for (result, value) in ir::results(operation).into_iter().zip(ir::operands(end)) {
            ir::replace_uses(result, value);
        }
        ir::erase(operation);
    }

    /// Replaces the uses of a result that is one of its operands, or an index that can be computed without a conversion.
    fn replace(&mut self, operation: Op<'_>, result: Val<'_>) -> bool {
        let operands = ir::operands(operation);
        let value = match (ir::name(operation), &operands[..]) {
            ("arith.maxsi", [one, other]) if is_number(result) => self.larger(*one, *other),
            ("arith.minsi", [one, other]) if is_number(result) => {
                self.larger(*one, *other).map(|larger| if larger == *one { *other } else { *one })
            }
            ("arith.select", [truth, one, other]) => match self.of(*truth) {
                (0, 0) => Some(*other),
                (1, 1) => Some(*one),
                _ => None,
            },
            ("arith.index_cast", [value]) if result.r#type().is_index() => {
                self.as_index(&Builder::before(operation), *value)
            }
            _ => None,
        };
        value.inspect(|value| ir::replace_uses(result, *value)).is_some()
    }

    /// The value that is never smaller than the other one.
    fn larger<'c>(&self, one: Val<'c>, other: Val<'c>) -> Option<Val<'c>> {
        let ((low, high), (other_low, other_high)) = (self.of(one), self.of(other));
        if low >= other_high { Some(one) } else { (other_low >= high).then_some(other) }
    }

    /// An integer computed as an index, if no operation wraps around.
    fn as_index<'c>(&mut self, b: &Builder<'c>, value: Val<'c>) -> Option<Val<'c>> {
        let defining = ir::defining(value)?;
        let operands = ir::operands(defining);
        let name = ir::name(defining);
        let new = match (name, &operands[..]) {
            ("arith.constant", _) => b.constant(constant(value)?, b.index()),
            _ if !self.0.contains_key(&(value.to_raw().ptr as usize)) => return None,
            ("arith.index_cast", [index]) => *index,
            ("arith.addi" | "arith.subi" | "arith.muli", [one, other]) => {
                let operands = [self.as_index(b, *one)?, self.as_index(b, *other)?];
                b.value(name, &operands, b.index(), &[])
            }
            _ => return None,
        };
        self.set(new, self.of(value));
        Some(new)
    }
}

/// Whether a comparison holds for all values of two ranges, as a range of truth values.
fn decided(predicate: IntPredicate, one: Range, other: Range) -> Option<Range> {
    let is_below = |one: Range, other: Range| match () {
        () if one.1 < other.0 => Some(true),
        () if one.0 >= other.1 => Some(false),
        () => None,
    };
    let is_positive = one.0 >= 0 && other.0 >= 0;
    let truth = match predicate {
        IntPredicate::Ult if is_positive => is_below(one, other),
        IntPredicate::Slt => is_below(one, other),
        IntPredicate::Sgt => is_below(other, one),
        IntPredicate::Sge => is_below(one, other).map(|truth| !truth),
        IntPredicate::Sle => is_below(other, one).map(|truth| !truth),
        _ => None,
    };
    truth.map(|truth| (i64::from(truth), i64::from(truth)))
}
