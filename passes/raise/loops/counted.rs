//! Loops with a counter become counted loops.
//!
//! ```text
//! scf.while (%i = %a, %c = %s) {
//!   %r = arith.cmpi slt, %i, %n                  scf.for %k = %a to %n step 1 iter_args(%c = %s) {
//!   scf.condition(%r) %i, %c                       %i = arith.index_cast %k
//! } do {                                   ──▶     %d = f(%i, %c)
//!   %d = f(%i, %c)                                 scf.yield %d
//!   %j = arith.addi %i, 1                        }
//!   scf.yield %j, %d
//! }
//! ```
//!
//! Values that the loop passes on unchanged are those from before the loop, and other counters that start with a constant
//! are sums of this one and a constant.
use mdh_dialects::ir::{self, Builder, IntPredicate, Op, Val};
use melior::ir::{TypeLike, ValueLike};

/// Replaces the loops of a module that count.
pub fn run(module: Op<'_>) {
    for operation in ir::find(module, "scf.while").into_iter().rev() {
        // What a frontend does with the last value of the counter is mostly nothing.
        let users = ir::results(operation).into_iter().flat_map(ir::users);
        let is_unused = |user: &Op<'_>| ir::name(*user) == "tensor.from_elements" && ir::is_unused(*user);
        users.filter(is_unused).collect::<Vec<_>>().into_iter().for_each(ir::erase);
        if let Some(counted) = Counted::of(operation) {
            counted.replace();
        }
    }
}

/// What a carried value is.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// The counter of the loop plus a constant.
    Counter(i64),
    /// The value from before the loop.
    Invariant,
    /// Any other value.
    Carried,
}

/// A loop `while (i < bound) { ..; i += 1 }`.
struct Counted<'c> {
    operation: Op<'c>,
    /// The value that the counter is less than, from outside of the loop.
    bound: Val<'c>,
    /// The position of the counter.
    counter: usize,
    /// By carried value.
    roles: Vec<Role>,
}

impl<'c> Counted<'c> {
    fn of(operation: Op<'c>) -> Option<Self> {
        let (before, after) = (ir::body(operation, 0)?, ir::body(operation, 1)?);
        let conditions = ir::block_operations(before);
        let (condition, others) = conditions.split_last()?;
        let is_pure = |operation: &Op<'c>| {
            let name = ir::name(*operation);
            name.starts_with("arith.") || name == "tensor.empty" || name == "tensor.from_elements"
        };
        let passed = ir::operands(*condition);
        let (truth, passed) = passed.split_first()?;
        let values = ir::arguments(before);
        if passed != &values[..] || !others.iter().all(is_pure) {
            return None;
        }
        let comparison = ir::defining(*truth).filter(|comparison| ir::name(*comparison) == "arith.cmpi")?;
        let sides = ir::operands(comparison);
        let (value, bound) = match IntPredicate::of(comparison)? {
            IntPredicate::Slt => (sides[0], sides[1]),
            IntPredicate::Sgt => (sides[1], sides[0]),
            _ => return None,
        };
        let counter = values.iter().position(|argument| *argument == value)?;
        let arguments = ir::arguments(after);
        let inits = ir::operands(operation);
        let yields = ir::operands(ir::block_operations(after).pop()?);
        let role = |position: usize| {
            let is_counter = is_next(yields[position], arguments[position]);
            match distance(inits[counter], inits[position]).filter(|_| is_counter) {
                _ if yields[position] == arguments[position] => Role::Invariant,
                Some(distance) => Role::Counter(distance),
                None => Role::Carried,
            }
        };
        let roles: Vec<_> = (0..inits.len()).map(role).collect();
        if roles[counter] != Role::Counter(0) {
            return None;
        }
        let is_known = |bound: Val<'c>| match values.iter().position(|argument| *argument == bound) {
            Some(position) => (roles[position] == Role::Invariant).then(|| inits[position]),
            None => ir::defining(bound).and_then(ir::block).is_none_or(|block| block != before).then_some(bound),
        };
        let bound = match ir::defining(bound).filter(|constant| ir::name(*constant) == "arith.constant") {
            Some(constant) => ir::results(Builder::before(operation).clone_operation(constant))[0],
            None => is_known(bound)?,
        };
        Some(Self { operation, bound, counter, roles })
    }

    fn replace(self) {
        let Some(after) = ir::body(self.operation, 1) else { return };
        let b = Builder::before(self.operation);
        let (inits, results) = (ir::operands(self.operation), ir::results(self.operation));
        let start = inits[self.counter];
        let carried = || (0..inits.len()).filter(|position| self.roles[*position] == Role::Carried);
        let types: Vec<_> = carried().map(|position| inits[position].r#type()).collect();
        let bounds = [as_index(&b, start), as_index(&b, self.bound), b.constant(1, b.index())];
        let operands: Vec<_> = bounds.into_iter().chain(carried().map(|position| inits[position])).collect();
        let (region, block) = b.region(&[&[b.index()], &types[..]].concat());
        let inside = b.at_end(block);
        let own = ir::arguments(block);
        let number = match start.r#type() {
            ty if ty.is_index() => own[0],
            ty => inside.value("arith.index_cast", &[own[0]], ty, &[]),
        };
        let mut next = own.into_iter().skip(1);
        let argument = |position: usize| match self.roles[position] {
            Role::Counter(distance) => Some(shifted(&inside, number, distance)),
            Role::Invariant => Some(inits[position]),
            Role::Carried => next.next(),
        };
        let arguments: Vec<_> = (0..inits.len()).map_while(argument).collect();
        let values = inside.inline_block(after, &arguments, &mut |_, _| None);
        let yields: Vec<_> = carried().map(|position| values[position]).collect();
        inside.op("scf.yield", &yields, &[], &[], vec![]);
        let mut new = ir::results(b.op("scf.for", &operands, &types, &[], vec![region])).into_iter();
        for (position, result) in results.into_iter().enumerate() {
            let value = match self.roles[position] {
                _ if ir::users(result).is_empty() && self.roles[position] != Role::Carried => continue,
                Role::Counter(distance) => {
                    let last = b.value("arith.maxsi", &[start, self.bound], start.r#type(), &[]);
                    Some(shifted(&b, last, distance))
                }
                Role::Invariant => Some(inits[position]),
                Role::Carried => new.next(),
            };
            value.into_iter().for_each(|value| ir::replace_uses(result, value));
        }
        ir::erase(self.operation);
    }
}

/// True for the sum of a value and 1.
fn is_next(value: Val<'_>, previous: Val<'_>) -> bool {
    let Some(sum) = ir::defining(value).filter(|sum| ir::name(*sum) == "arith.addi") else { return false };
    let operands = ir::operands(sum);
    let is_one = |value: Val<'_>| constant(value) == Some(1);
    operands[0] == previous && is_one(operands[1]) || operands[1] == previous && is_one(operands[0])
}

/// The number that a constant is.
pub fn constant(value: Val<'_>) -> Option<i64> {
    let constant = ir::defining(value).filter(|constant| ir::name(*constant) == "arith.constant")?;
    ir::attribute(constant, "value").and_then(ir::integer_attribute)
}

/// The difference of a value from another one, if it is known.
fn distance(from: Val<'_>, to: Val<'_>) -> Option<i64> {
    match (constant(from), constant(to)) {
        _ if from == to => Some(0),
        (Some(first), Some(second)) if from.r#type() == to.r#type() => second.checked_sub(first),
        _ => None,
    }
}

/// The sum of a value and a constant.
fn shifted<'c>(b: &Builder<'c>, value: Val<'c>, distance: i64) -> Val<'c> {
    match distance {
        0 => value,
        _ => b.value("arith.addi", &[value, b.constant(distance, value.r#type())], value.r#type(), &[]),
    }
}

fn as_index<'c>(b: &Builder<'c>, value: Val<'c>) -> Val<'c> {
    match constant(value) {
        Some(number) => b.constant(number, b.index()),
        None if value.r#type().is_index() => value,
        None => b.value("arith.index_cast", &[value], b.index(), &[]),
    }
}
