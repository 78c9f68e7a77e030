//! How the counter of a loop counts: from where, in which steps, and up to which bound.
//!
//! ```text
//! while (i <= n) { ..; i += 4 }    ──▶    up from i to n + 1 in steps of 4
//! while (i > n)  { ..; i -= 1 }    ──▶    down from i, max(i, n) - n times
//! ```
//!
//! The counter and the bound are numbers with or without a sign, as the comparison reads them. The counter must not wrap
//! around while the comparison holds: the operation promises it (`nsw`, `nuw`), or the bound is so far from the ends of
//! the type that the counter cannot pass them. A loop of 2^50 iterations or more does not end, so that a counter of 64 bits
//! without a sign, which begins with a number less than 2^62 and counts up in short steps, does not wrap around.
use crate::analysis::size::{integer_bits, limits};
use mdh_dialects::ir::{self, Builder, IntPredicate, Op, Val};
use melior::ir::{TypeLike, ValueLike};

/// The longest step of a counter of 64 bits without a sign that takes 2^50 steps at least to wrap around.
const SHORT: i64 = 4096;

/// The largest bound whose difference from a number of fewer than 64 bits surely has 64 bits.
const SMALL: i64 = 1 << 62;

/// The comparison of a counter with a bound for which a loop runs.
#[derive(Clone, Copy, Debug)]
pub struct LoopCondition<'c> {
    /// How the counter is compared with the bound.
    pub predicate: IntPredicate,
    /// The extension of the counter that is compared, if it is not the counter itself.
    pub extension: Option<Op<'c>>,
    /// The bound, from outside of the loop.
    pub bound: Val<'c>,
}

/// The sum of a counter and a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CounterStep {
    /// The constant, which is not 0.
    pub step: i64,
    /// True if the sum does not wrap around as a number with a sign.
    pub is_signed_exact: bool,
    /// True if the sum does not wrap around as a number without a sign.
    is_unsigned_exact: bool,
}

/// How a counter counts.
#[derive(Clone, Copy, Debug)]
pub struct Counting<'c> {
    /// The first value.
    pub start: Val<'c>,
    /// The constant that is added to it, which is not 0.
    pub step: i64,
    /// True if the counter is a number without a sign.
    pub is_unsigned: bool,
    /// What it is compared with.
    pub bound: Val<'c>,
    includes_bound: bool,
    is_bound_unsigned: bool,
}

impl CounterStep {
    /// The step from a value of a counter to the next one; `None` if this is no sum with a constant.
    pub fn of(next: Val<'_>, previous: Val<'_>) -> Option<Self> {
        let operation = ir::defining(next)?;
        let operands = ir::operands(operation);
        let step = match ir::name(operation) {
            "arith.addi" if operands[0] == previous => constant(operands[1])?,
            "arith.addi" if operands[1] == previous => constant(operands[0])?,
            "arith.subi" if operands[0] == previous => constant(operands[1])?.checked_neg()?,
            _ => return None,
        };
        // A negative constant is a large one without a sign.
        let is_sum = ir::name(operation) == "arith.addi";
        let is_unsigned_exact = ir::promises(operation, "nuw") && is_sum == (step > 0);
        (step != 0).then_some(Self { step, is_signed_exact: ir::promises(operation, "nsw"), is_unsigned_exact })
    }

    /// The step, if the sum wraps around neither with nor without a sign; `None` if the operation cannot say so.
    pub fn assumed_exact(self, next: Val<'_>) -> Option<Self> {
        let is_sum = ir::defining(next).is_some_and(|operation| ir::name(operation) == "arith.addi");
        (is_sum && self.step > 0).then_some(Self { is_signed_exact: true, is_unsigned_exact: true, ..self })
    }
}

impl<'c> Counting<'c> {
    /// How a counter with this first value counts; `None` if that is not known, or if it may wrap around.
    pub fn of(start: Val<'c>, increment: CounterStep, condition: LoopCondition<'c>) -> Option<Self> {
        use IntPredicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
        let LoopCondition { predicate, extension, bound } = condition;
        let step = increment.step;
        let (is_up, includes_bound) = match predicate {
            Slt | Ult => (true, false),
            Sle | Ule => (true, true),
            Sgt | Ugt => (false, false),
            Sge | Uge => (false, true),
            Ne => (step > 0, false),
            Eq => return None,
        };
        let (width, bound_width) = (bits(start)?, bits(bound)?);
        let is_comparison_unsigned = matches!(predicate, Ult | Ule | Ugt | Uge);
        let (is_unsigned, is_bound_unsigned) = match extension.map(ir::name) {
            Some("arith.extui" | "arith.index_castui") => (true, is_comparison_unsigned),
            Some(_) => (false, is_comparison_unsigned),
            None if predicate == Ne => {
                // As a number without a sign, a counter from 0 meets any bound before it wraps around.
                let most = range(start, true)?[1];
                let meets = step > 0 && (most <= range(bound, true)?[0] || width == 64 && most < 1 << 62);
                let is_unsigned = !increment.is_signed_exact && (increment.is_unsigned_exact || meets);
                (is_unsigned, is_unsigned)
            }
            None => (is_comparison_unsigned, is_comparison_unsigned),
        };
        let [least, most] = range(start, is_unsigned)?;
        let [bound_least, bound_most] = range(bound, is_bound_unsigned)?;
        let is_exact = if is_unsigned { increment.is_unsigned_exact } else { increment.is_signed_exact };
        let past = i128::from(step) + i128::from(step.signum()) * (i128::from(includes_bound) - 1);
        let next = match (predicate, is_up) {
            (Ne, true) => (step == 1 && most <= bound_least).then_some(bound_most),
            (Ne, false) => (step == -1 && least >= bound_most).then_some(bound_least),
            (_, true) => bound_most.checked_add(past),
            (_, false) => bound_least.checked_add(past),
        };
        let [lowest, highest] = limits(width, is_unsigned);
        let is_long = width == 64 && is_unsigned && most < 1 << 62;
        let is_long = is_long && (1..=if predicate == Ne { 1 } else { SHORT }).contains(&step);
        let fits = is_exact || is_long || next.is_some_and(|next| (lowest..=highest).contains(&next));
        // A negative counter is a large number if it is extended with its sign.
        let is_natural = is_unsigned || !is_comparison_unsigned || (least >= 0 && is_up);
        // Numbers of 64 bits without a sign are used as those with one: then a larger bound is never reached, but a
        // larger first value is beyond all bounds.
        let is_small = match is_up {
            true => width < 64 || !is_unsigned || most < 1 << 63,
            false => !is_bound_unsigned || bound_most < 1 << 63,
        };
        (is_up == (step > 0) && fits && is_natural && is_small && bound_width >= width).then_some(Self {
            start,
            step,
            is_unsigned,
            bound,
            includes_bound,
            is_bound_unsigned,
        })
    }

    /// Whether a counter that counts up to this bound stays in its type, which its step is promised to do for a condition;
    /// `None` if that is not a comparison of the bound.
    pub fn stays(&self, b: &Builder<'c>, condition: &LoopCondition<'c>) -> Option<Val<'c>> {
        if condition.predicate == IntPredicate::Ne {
            // It meets each bound that is not less than the first value.
            let is_alike = condition.extension.is_none() && self.step == 1;
            let predicate = if self.is_unsigned { IntPredicate::Ule } else { IntPredicate::Sle };
            return is_alike.then(|| b.cmpi(predicate, self.start, self.bound));
        }
        let past = i128::from(self.step) + i128::from(self.includes_bound) - 1;
        let [_, highest] = limits(bits(self.start)?, self.is_unsigned);
        let limit = b.literal(highest - past, self.bound.r#type());
        let predicate = if self.is_bound_unsigned { IntPredicate::Ule } else { IntPredicate::Sle };
        Some(b.cmpi(predicate, self.bound, limit))
    }

    /// The first value, and the bounds of a loop in steps of a positive number, as indices. Its variable is the counter if
    /// this counts up, and the distance from the first value otherwise.
    pub fn bounds(&self, b: &Builder<'c>) -> (Val<'c>, [Val<'c>; 2]) {
        let first = as_index(b, self.start, self.is_unsigned);
        let bound = as_index(b, self.bound, self.is_bound_unsigned);
        let more = i64::from(self.includes_bound);
        if self.step > 0 {
            return (first, [first, sum(b, bound, more)]);
        }
        let is_short = bits(self.start) < Some(64);
        let end = match (constant(first), constant(bound)) {
            (Some(first), Some(bound)) => b.constant(first.saturating_sub(bound).saturating_add(more), b.index()),
            // The difference has at most 64 bits, or the loop does not end.
            (None, Some(bound)) if (-SMALL..=if is_short { SMALL } else { 0 }).contains(&bound) => {
                sum(b, first, more - bound)
            }
            _ => {
                // The last value for which the loop runs is above this one.
                let bound = sum(b, bound, -more);
                let larger = match bits(self.bound) {
                    Some(64) => b.value("arith.maxsi", &[first, bound], b.index(), &[]),
                    _ => first,
                };
                b.value("arith.subi", &[larger, bound], b.index(), &[])
            }
        };
        (first, [b.constant(0, b.index()), end])
    }

    /// How often the steps of a loop with these bounds are taken in all, times the constant: the distance of the last
    /// value from the first one.
    pub fn total(&self, b: &Builder<'c>, [lower, upper]: [Val<'c>; 2]) -> Val<'c> {
        let index = b.index();
        let larger = b.value("arith.maxsi", &[lower, upper], index, &[]);
        let length =
            if constant(lower) == Some(0) { larger } else { b.value("arith.subi", &[larger, lower], index, &[]) };
        let count = match self.step.unsigned_abs() {
            1 => length,
            step => b.value("arith.ceildivsi", &[length, b.literal(step.into(), index)], index, &[]),
        };
        product(b, count, self.step)
    }
}

/// The number that a constant is.
pub fn constant(value: Val<'_>) -> Option<i64> {
    let constant = ir::defining(value).filter(|constant| ir::name(*constant) == "arith.constant")?;
    ir::attribute(constant, "value").and_then(ir::integer_attribute)
}

/// The number of bits of an index, or of an integer of 2 to 64 bits.
pub fn bits(value: Val<'_>) -> Option<u32> {
    integer_bits(value).filter(|width| (2..=64).contains(width))
}

/// A value as an index.
pub fn as_index<'c>(b: &Builder<'c>, value: Val<'c>, is_unsigned: bool) -> Val<'c> {
    let width = bits(value).unwrap_or(64);
    match constant(value) {
        Some(number) if is_unsigned && number < 0 && width < 64 => b.constant(number + (1 << width), b.index()),
        Some(number) => b.constant(number, b.index()),
        None if value.r#type().is_index() => value,
        None if is_unsigned => b.value("arith.index_castui", &[value], b.index(), &[]),
        None => b.value("arith.index_cast", &[value], b.index(), &[]),
    }
}

/// The sum of an index and a number.
pub fn sum<'c>(b: &Builder<'c>, value: Val<'c>, number: i64) -> Val<'c> {
    match (number, constant(value)) {
        (0, _) => value,
        (_, Some(known)) => b.constant(known.wrapping_add(number), b.index()),
        _ => b.value("arith.addi", &[value, b.constant(number, b.index())], b.index(), &[]),
    }
}

/// The product of an index and a number.
pub fn product<'c>(b: &Builder<'c>, value: Val<'c>, number: i64) -> Val<'c> {
    match number {
        1 => value,
        _ => b.value("arith.muli", &[value, b.constant(number, b.index())], b.index(), &[]),
    }
}

/// The smallest and the largest number that a value may be; `None` if it is no integer.
fn range(value: Val<'_>, is_unsigned: bool) -> Option<[i128; 2]> {
    let width = bits(value)?;
    if let Some(number) = constant(value).map(i128::from) {
        let number = if is_unsigned && number < 0 { number + (1 << width) } else { number };
        return Some([number; 2]);
    }
    let operation = ir::defining(value);
    let source = operation.and_then(|operation| bits(*ir::operands(operation).first()?)).filter(|own| *own < width);
    let all = limits(width, is_unsigned);
    Some(match (operation.map(ir::name), source) {
        (Some("arith.extui" | "arith.index_castui"), Some(source)) => limits(source, true),
        (Some("arith.extsi" | "arith.index_cast"), Some(source)) if !is_unsigned => limits(source, false),
        (Some("memref.dim" | "tensor.dim"), _) => [0, (1 << 63) - 1],
        _ => all,
    })
}
