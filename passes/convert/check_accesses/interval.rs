//! Bounds of indices that are known when a program is compiled, without any assumption about overflow.
use mdh_dialects::ir::{self, Val};
use melior::ir::{BlockLike, TypeLike, ValueLike};
use std::collections::HashMap;

/// The smallest and the largest value of an index.
pub type Interval = (i64, i64);

/// Values at most this many operations away are followed.
const DEPTH: usize = 32;

/// The intervals of the indices of a function that are known so far.
#[derive(Default)]
pub struct Intervals(HashMap<usize, Option<Interval>>);

impl Intervals {
    /// The interval of an index; `None` if it may be any number.
    pub fn of(&mut self, value: Val<'_>) -> Option<Interval> {
        self.within(value, DEPTH)
    }

    fn within(&mut self, value: Val<'_>, depth: usize) -> Option<Interval> {
        let key = value.to_raw().ptr as usize;
        if let Some(known) = self.0.get(&key) {
            return *known;
        }
        if depth == 0 || !value.r#type().is_index() {
            return None;
        }
        let found = match ir::defining(value) {
            Some(_) => self.result(value, depth - 1),
            None => self.variable(value, depth - 1),
        };
        self.0.insert(key, found);
        found
    }

    /// The interval of the result of an operation that does not wrap around.
    fn result(&mut self, value: Val<'_>, depth: usize) -> Option<Interval> {
        let operation = ir::defining(value)?;
        let operands = ir::operands(operation);
        if ir::name(operation) == "arith.constant" {
            let number = ir::integer_attribute(ir::attribute(operation, "value")?)?;
            return Some((number, number));
        }
        let [one, other] = operands[..] else { return None };
        let (one, other) = (self.within(one, depth), self.within(other, depth));
        match ir::name(operation) {
            "arith.minsi" => match (one, other) {
                (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.min(other.1))),
                (one, other) => one.or(other).map(|known| (i64::MIN, known.1)),
            },
            "arith.maxsi" => match (one, other) {
                (Some(one), Some(other)) => Some((one.0.max(other.0), one.1.max(other.1))),
                (one, other) => one.or(other).map(|known| (known.0, i64::MAX)),
            },
            name => exact(name, one?, other?),
        }
    }

    /// The interval of the variable of a loop.
    fn variable(&mut self, value: Val<'_>, depth: usize) -> Option<Interval> {
        let block = ir::owner(value)?;
        let variables = ir::arguments(block);
        let (at, around) = (variables.iter().position(|other| *other == value)?, block.parent_operation().map(ir::op)?);
        let operands = ir::operands(around);
        // The bounds of all loops of a nest come before their steps.
        let count = match ir::name(around) {
            "scf.for" if at == 0 && ir::attribute(around, "unsignedCmp").is_none() => 1,
            "omp.loop_nest" if ir::attribute(around, "loop_inclusive").is_none() => variables.len(),
            _ => return None,
        };
        let mut bound = |group: usize| self.within(*operands.get(group * count + at)?, depth);
        let (lower, upper, step) = (bound(0)?, bound(1)?, bound(2)?);
        let last = upper.1.checked_sub(1)?;
        // OpenMP counts the iterations as the difference of the bounds, which must not be negative.
        let is_counted = ir::name(around) == "scf.for" || lower.1 <= upper.0;
        // The variable of the last iteration plus the step must be a number, too.
        let does_end = step.0 > 0 && last.checked_add(step.1).is_some();
        (is_counted && does_end && lower.0 <= last).then_some((lower.0, last))
    }
}

fn exact(name: &str, one: Interval, other: Interval) -> Option<Interval> {
    match name {
        "arith.addi" => one.0.checked_add(other.0).zip(one.1.checked_add(other.1)),
        "arith.subi" => one.0.checked_sub(other.1).zip(one.1.checked_sub(other.0)),
        "arith.muli" => {
            let products = [(one.0, other.0), (one.0, other.1), (one.1, other.0), (one.1, other.1)];
            let products = products.map(|(one, other)| i128::from(one) * i128::from(other));
            let bound = |number: Option<i128>| number.and_then(|number| i64::try_from(number).ok());
            bound(products.into_iter().min()).zip(bound(products.into_iter().max()))
        }
        "arith.remsi" | "arith.remui" if one.0 >= 0 && other.0 > 0 => Some((0, one.1.min(other.1 - 1))),
        "arith.divsi" | "arith.divui" if one.0 >= 0 && other.0 > 0 => Some((one.0 / other.1, one.1 / other.0)),
        _ => None,
    }
}
