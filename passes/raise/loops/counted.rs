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
//! Counters count up or down in constant steps, and are compared in any way that says when they end (`counting.rs`).
//! Values that the loop passes on unchanged are those from before the loop, and other counters that advance with this one
//! are sums of their first value and a multiple of its distance. After the loop, counters have their last values.
mod branch;
mod counting;
mod versions;

use super::linear::LOOPS;
use crate::analysis::origin::{is_defined_in, is_of_llvm_ir};
use counting::{CounterStep, Counting, LoopCondition, as_index, bits, product, sum};
use mdh_dialects::{
    attributes::ORIGINAL,
    ir::{self, Builder, IntPredicate, Op, Val},
};
use melior::ir::{TypeLike, ValueLike};

pub use counting::constant;

/// Replaces the loops of a module that count.
pub fn run(module: Op<'_>) {
    // Bounds of inner loops are computed before outer ones, if no branch is between them.
    for operation in ir::find(module, "scf.while").into_iter().rev() {
        branch::moved(operation);
    }
    versions::run(module);
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

/// What a loop of a C program requires.
pub const REQUIRED: &str = "requires a counter that advances by a constant and cannot wrap around, and a bound that does \
    not change";

/// The loops of C programs that do not count.
pub fn others(module: Op<'_>) -> Vec<Op<'_>> {
    let is_original = |operation: &Op<'_>| {
        std::iter::successors(Some(*operation), |outer| ir::parent(*outer))
            .any(|outer| ir::attribute(outer, ORIGINAL).is_some())
    };
    let all = ir::find(module, "scf.while").into_iter().filter(|operation| is_of_llvm_ir(*operation));
    all.filter(|operation| !is_original(operation)).collect()
}

/// What a carried value is.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// A counter that advances so many times as far as that of the loop. `is_exact`: it does not wrap around as a number
    /// with a sign.
    Counter { factor: i64, is_exact: bool },
    /// The value from before the loop.
    Invariant,
    /// Any other value.
    Carried,
}

/// A loop `while (i < bound) { ..; i += 1 }`, or another one that counts.
struct Counted<'c> {
    operation: Op<'c>,
    counting: Counting<'c>,
    /// The position of the counter.
    counter: usize,
    /// By carried value.
    roles: Vec<Role>,
}

/// The counter of a loop within the loop.
struct Position<'c> {
    /// The counter as an index.
    value: Val<'c>,
    /// How far it is from its first value.
    distance: Val<'c>,
    /// The first value, if it is known.
    first: Option<i64>,
}

/// A loop with a counter that is compared with a bound.
struct Compared<'c> {
    /// The position of the counter.
    counter: usize,
    /// The comparison; the bound is that in the loop.
    condition: LoopCondition<'c>,
    /// What is added to the counter, and the sum.
    step: CounterStep,
    next: Val<'c>,
    /// The first values of what the loop carries, and what it is.
    inits: Vec<Val<'c>>,
    roles: Vec<Role>,
    /// The block of the condition.
    before: ir::Blk<'c>,
}

impl<'c> Compared<'c> {
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
        let predicate = IntPredicate::of(comparison)?;
        let sides = ir::operands(comparison);
        let arguments = ir::arguments(after);
        let inits = ir::operands(operation);
        let yields = ir::operands(ir::block_operations(after).pop()?);
        let step = |position: usize| CounterStep::of(yields[position], arguments[position]);
        // The counter that a side of the comparison is, and its extension.
        let counter = |side: Val<'c>| {
            let argument = |value: Val<'c>| values.iter().position(|argument| *argument == value);
            let is_extension = |operation: &Op<'c>| {
                let is_known = EXTENSIONS.iter().flatten().any(|name| *name == ir::name(*operation));
                is_known && bits(side) >= bits(ir::operands(*operation)[0])
            };
            let extension = ir::defining(side).filter(|_| argument(side).is_none()).filter(is_extension);
            let value = extension.map_or(side, |extension| ir::operands(extension)[0]);
            let position = argument(value)?;
            // Numbers of the same bits are the same.
            Some((position, extension.filter(|_| bits(side) > bits(value)), step(position)?))
        };
        let (position, extension, own, predicate, bound) = match (counter(sides[0]), counter(sides[1])) {
            (Some((position, extension, own)), _) => (position, extension, own, predicate, sides[1]),
            (None, Some((position, extension, own))) => (position, extension, own, predicate.swapped(), sides[0]),
            (None, None) => return None,
        };
        let advancing = |position: usize| {
            let other = step(position).filter(|_| bits(inits[position]).is_some())?;
            let is_multiple = other.step.checked_rem(own.step)? == 0;
            let factor = other.step / own.step;
            is_multiple.then_some(Role::Counter { factor, is_exact: other.is_signed_exact })
        };
        let role = |position: usize| match advancing(position) {
            _ if yields[position] == arguments[position] => Role::Invariant,
            Some(role) => role,
            None => Role::Carried,
        };
        let roles: Vec<_> = (0..inits.len()).map(role).collect();
        let condition = LoopCondition { predicate, extension, bound };
        let found = Self { counter: position, condition, step: own, next: yields[position], inits, roles, before };
        is_outside(before, bound, &|value| found.invariant(value)).then_some(found)
    }

    /// What a value that the loop carries unchanged is before the loop.
    fn invariant(&self, value: Val<'c>) -> Option<Val<'c>> {
        let position = ir::arguments(self.before).iter().position(|argument| *argument == value)?;
        (self.roles[position] == Role::Invariant).then(|| self.inits[position])
    }

    /// How the counter counts with this step.
    fn counting(&self, step: CounterStep) -> Option<Counting<'c>> {
        Counting::of(self.inits[self.counter], step, self.condition)
    }

    /// The bound before the loop.
    fn outside(&self, operation: Op<'c>) -> Val<'c> {
        outside(operation, self.before, self.condition.bound, &|value| self.invariant(value))
    }
}

impl<'c> Counted<'c> {
    fn of(operation: Op<'c>) -> Option<Self> {
        let compared = Compared::of(operation)?;
        let mut counting = compared.counting(compared.step)?;
        counting.bound = compared.outside(operation);
        Some(Self { operation, counting, counter: compared.counter, roles: compared.roles })
    }

    fn replace(self) {
        let Some(after) = ir::body(self.operation, 1) else { return };
        let b = Builder::before(self.operation);
        let (inits, results) = (ir::operands(self.operation), ir::results(self.operation));
        let carried = || (0..inits.len()).filter(|position| self.roles[*position] == Role::Carried);
        let types: Vec<_> = carried().map(|position| inits[position].r#type()).collect();
        // Before all loops that the bounds do not depend on, so that these do not depend on each other.
        let outer = Builder::before(outermost(self.operation, &[self.counting.start, self.counting.bound]));
        let (first, bounds) = self.counting.bounds(&outer);
        let step = outer.literal(self.counting.step.unsigned_abs().into(), b.index());
        let operands: Vec<_> =
            bounds.into_iter().chain([step]).chain(carried().map(|position| inits[position])).collect();
        let (region, block) = b.region(&[&[b.index()], &types[..]].concat());
        let inside = b.at_end(block);
        let own = ir::arguments(block);
        let position = self.position(&inside, own[0], first);
        let mut next = own.into_iter().skip(1);
        let mut indices = vec![];
        let argument = |number: usize| match self.roles[number] {
            Role::Counter { factor, .. } => {
                let value = match number == self.counter {
                    true => position.value,
                    false => self.other([&b, &inside], &position, inits[number], factor),
                };
                indices.push((number, value));
                Some(converted(&inside, value, inits[number]))
            }
            Role::Invariant => Some(inits[number]),
            Role::Carried => next.next(),
        };
        let arguments: Vec<_> = (0..inits.len()).map_while(argument).collect();
        let values = inside.inline_block(after, &arguments, &mut |_, _| None);
        let yields: Vec<_> = carried().map(|position| values[position]).collect();
        inside.op("scf.yield", &yields, &[], &[], vec![]);
        for (number, index) in indices {
            match self.roles[number] {
                _ if number == self.counter => extend(arguments[number], index, self.counting.is_unsigned),
                Role::Counter { is_exact: true, .. } => extend(arguments[number], index, false),
                _ => {}
            }
        }
        let mut new = ir::results(b.op("scf.for", &operands, &types, &[], vec![region])).into_iter();
        for (number, result) in results.into_iter().enumerate() {
            let value = match self.roles[number] {
                _ if ir::users(result).is_empty() && self.roles[number] != Role::Carried => continue,
                Role::Counter { factor, .. } => {
                    let total = product(&b, self.counting.total(&b, bounds), factor);
                    let last = b.value("arith.addi", &[as_index(&b, inits[number], false), total], b.index(), &[]);
                    Some(converted(&b, last, inits[number]))
                }
                Role::Invariant => Some(inits[number]),
                Role::Carried => new.next(),
            };
            value.into_iter().for_each(|value| ir::replace_uses(result, value));
        }
        ir::erase(self.operation);
    }

    /// The counter in an iteration. `variable`: that of the new loop. `first`: the first value of the counter.
    fn position(&self, b: &Builder<'c>, variable: Val<'c>, first: Val<'c>) -> Position<'c> {
        let difference = |one, other| b.value("arith.subi", &[one, other], b.index(), &[]);
        let (value, distance) = match constant(first) {
            _ if self.counting.step < 0 => (difference(first, variable), variable),
            Some(first) if first != i64::MIN => (variable, sum(b, variable, -first)),
            _ => (variable, difference(variable, first)),
        };
        Position { value, distance, first: constant(first) }
    }

    /// Another counter in an iteration as an index, which advances `factor` times as far.
    fn other(&self, [b, inside]: [&Builder<'c>; 2], position: &Position<'c>, init: Val<'c>, factor: i64) -> Val<'c> {
        let difference = constant(init).zip(position.first);
        let difference = difference.and_then(|(init, first)| init.checked_sub(first.checked_mul(factor)?));
        match difference {
            Some(difference) => sum(inside, product(inside, position.value, factor), difference),
            None if init == self.counting.start && factor == 1 => position.value,
            None => {
                let distance = product(inside, position.distance, factor.wrapping_mul(self.counting.step.signum()));
                match constant(init) {
                    Some(init) => sum(inside, distance, init),
                    None => inside.value("arith.addi", &[distance, as_index(b, init, false)], b.index(), &[]),
                }
            }
        }
    }
}

/// Replaces extensions of a counter by the number that it is, an index.
fn extend<'c>(counter: Val<'c>, index: Val<'c>, is_unsigned: bool) {
    if counter == index {
        return;
    }
    let names = EXTENSIONS[usize::from(is_unsigned)];
    for user in ir::users(counter).into_iter().filter(|user| names.contains(&ir::name(*user))) {
        let result = ir::results(user)[0];
        if bits(result) >= bits(counter) {
            ir::replace_uses(result, converted(&Builder::before(user), index, result));
            ir::erase(user);
        }
    }
}

/// The operations that keep numbers with a sign in more bits, and those for numbers without one.
const EXTENSIONS: [[&str; 2]; 2] = [["arith.extsi", "arith.index_cast"], ["arith.extui", "arith.index_castui"]];

/// The outermost of the loops directly around an operation in which none of the values is defined, or the operation.
fn outermost<'c>(operation: Op<'c>, values: &[Val<'c>]) -> Op<'c> {
    let mut place = operation;
    while let Some(parent) = ir::parent(place) {
        let is_loop = ir::name(parent) == "scf.while" || LOOPS.contains(&ir::name(parent));
        if !is_loop || values.iter().any(|value| is_defined_in(*value, parent)) {
            break;
        }
        place = parent;
    }
    place
}

/// What a value that a loop carries unchanged is before the loop; `None` for other values.
type Invariant<'f, 'c> = &'f dyn Fn(Val<'c>) -> Option<Val<'c>>;

/// True for a value of the condition that is the same in all iterations: it comes from outside of the loop, does not
/// change, or is computed from such values.
fn is_outside<'c>(before: ir::Blk<'c>, value: Val<'c>, invariant: Invariant<'_, 'c>) -> bool {
    if ir::arguments(before).contains(&value) {
        return invariant(value).is_some();
    }
    let operation = ir::defining(value).filter(|operation| ir::block(*operation) == Some(before));
    operation.is_none_or(|operation| ir::operands(operation).into_iter().all(|own| is_outside(before, own, invariant)))
}

/// Such a value before the loop.
fn outside<'c>(r#loop: Op<'c>, before: ir::Blk<'c>, value: Val<'c>, invariant: Invariant<'_, 'c>) -> Val<'c> {
    let Some(operation) = ir::defining(value).filter(|operation| ir::block(*operation) == Some(before)) else {
        return invariant(value).unwrap_or(value);
    };
    let operands = ir::operands(operation).into_iter().map(|operand| outside(r#loop, before, operand, invariant));
    let operands: Vec<_> = operands.collect();
    let position = ir::results(operation).iter().position(|result| *result == value).unwrap_or_default();
    // A division that is not executed today may be one by 0.
    let is_division = ["div", "rem"].iter().any(|kind| ir::name(operation).contains(kind));
    let place = if is_division { r#loop } else { outermost(r#loop, &operands) };
    let copy = Builder::before(place).clone_operation(operation);
    for (number, operand) in operands.into_iter().enumerate() {
        ir::set_operand(copy, number, operand);
    }
    ir::results(copy)[position]
}

/// An index as a value of the type of another value, modulo its numbers.
fn converted<'c>(b: &Builder<'c>, index: Val<'c>, like: Val<'c>) -> Val<'c> {
    match like.r#type() {
        ty if ty.is_index() => index,
        ty => b.value("arith.index_cast", &[index], ty, &[]),
    }
}
