//! Whether the statements of a nest may be executed one after the other, each in all of its iterations.
//!
//! ```text
//! for %i                              a[i] = ..     for all i
//!   a[%i] = ..                 ──▶    b[i] = a[i - 1]
//!   b[%i] = a[%i - 1]                 legal: the element that b[i] needs is written in the iteration before
//! ```
//!
//! Two accesses of one element have a distance in each loop that both are in: the difference of their iterations. It is
//! known where an index of both depends on that loop alone, with the same factor. The accesses keep their order if the
//! first distance that is not 0 is known and has the right sign, or if all are 0 and the text has this order.
use super::{
    linear::Linear,
    nest::SourceNest,
    statement::extent,
    store::{ElementAccess, Memory, StoreStatement},
};
use crate::analysis::origin::{argument_attribute, origin};
use mdh_dialects::{
    attributes::SOURCE_NAME,
    ir::{self, Val},
};

/// Requires that the statements may be executed one after the other. The error names the dependence.
pub fn check(nest: &SourceNest<'_>) -> Result<(), String> {
    for (i, statement) in nest.statements.iter().enumerate() {
        let reads = nest.reads_of(statement);
        for read in &reads {
            let is_own = statement.writes(read) || statement.is_carry(read);
            for target in statement.targets().filter(|target| !is_own && read.memory == target.memory) {
                own(nest, statement, target, read)?;
            }
        }
        for later in &nest.statements[i + 1..] {
            let shared = statement.loops.iter().zip(&later.loops).take_while(|(one, other)| one == other).count();
            let shared = &statement.loops[..shared];
            for target in statement.targets() {
                for other in later.targets() {
                    keeps_order(nest, shared, target, other, "written again")?;
                }
                for read in nest.reads_of(later) {
                    keeps_order(nest, shared, target, read, "read")?;
                }
            }
            for (read, other) in reads.iter().flat_map(|read| later.targets().map(move |other| (read, other))) {
                // A scan reads its carry before the first iteration only.
                if !(statement.is_carry(read) && read.is_same(other)) {
                    keeps_order(nest, shared, read, other, "written")?;
                }
            }
        }
    }
    Ok(())
}

/// Requires that a statement reads no element that another iteration of it writes.
fn own<'c>(
    nest: &SourceNest<'c>,
    statement: &StoreStatement<'c>,
    target: &ElementAccess<'c>,
    read: &ElementAccess<'c>,
) -> Result<(), String> {
    let Some(distances) = distances(nest, &statement.loops, target, read) else { return Ok(()) };
    let text: Vec<_> = distances.iter().map(|d| d.map_or("?".into(), |d: i64| d.to_string())).collect();
    Err(format!(
        "requires that iterations do not depend on each other, but an element of {} is written at distance ({}) from the \
         iteration that reads it",
        describe(read.memory),
        text.join(", ")
    ))
}

/// Requires that all instances of the first access of an element come before those of the second one.
fn keeps_order<'c>(
    nest: &SourceNest<'c>,
    shared: &[usize],
    first: &ElementAccess<'c>,
    second: &ElementAccess<'c>,
    verb: &str,
) -> Result<(), String> {
    if first.memory != second.memory {
        return match first.memory.may_overlap(second.memory) {
            true => Err(format!(
                "requires memrefs that do not share memory, but {} and {} may",
                describe(first.memory),
                describe(second.memory)
            )),
            false => Ok(()),
        };
    }
    let Some(distances) = distances(nest, shared, first, second) else { return Ok(()) };
    let deciding = distances.iter().find(|distance| **distance != Some(0));
    let is_before = match deciding {
        Some(Some(distance)) => *distance < 0,
        Some(None) => false,
        None => first.position < second.position,
    };
    match is_before {
        true => Ok(()),
        false => Err(format!(
            "requires statements that can be executed one after the other, but an element of {} is {verb} before an \
             earlier statement is done with it",
            describe(first.memory)
        )),
    }
}

/// By shared loop: the distance of the iteration of the first access of an element from that of the second one, `None`
/// if it is not known. `None` in all if no element is accessed by both.
fn distances<'c>(
    nest: &SourceNest<'c>,
    shared: &[usize],
    first: &ElementAccess<'c>,
    second: &ElementAccess<'c>,
) -> Option<Vec<Option<i64>>> {
    let mut distances = vec![None; shared.len()];
    for (one, other) in first.indices.iter().zip(&second.indices) {
        let is_variable = |value: Val<'c>| nest.loops.iter().position(|l| l.variable == value);
        let loops =
            |form: &Linear<'c>| form.terms.iter().filter_map(|(value, _)| is_variable(*value)).collect::<Vec<_>>();
        // A number that does not fit in 64 bits tells nothing.
        let Some(difference) = other.clone().plus(one, -1) else { continue };
        if loops(one).is_empty() && loops(other).is_empty() && difference.as_constant().is_some_and(|d| d != 0) {
            return None;
        }
        if let (Some(left), Some(right)) = (range(nest, one), range(nest, other))
            && (left.1 < right.0 || right.1 < left.0)
        {
            return None;
        }
        let ([own], [same]) = (&loops(one)[..], &loops(other)[..]) else { continue };
        let Some(position) = shared.iter().position(|l| l == own).filter(|_| own == same) else { continue };
        let l = &nest.loops[*own];
        let factor = one.factor(l.variable);
        // one: factor * i + a, other: factor * j + b; so factor * (i - j) = b - a.
        let Some(constant) = difference.as_constant() else { continue };
        let Some(step) = factor.checked_mul(l.step) else { continue };
        if constant % step != 0 {
            return None;
        }
        let distance = constant / step;
        let is_beyond = extent(l).is_some_and(|extent| distance.unsigned_abs() >= extent);
        match distances[position] {
            _ if is_beyond => return None,
            Some(known) if known != distance => return None,
            _ => distances[position] = Some(distance),
        }
    }
    Some(distances)
}

/// The smallest and the largest value of an index whose loops have static bounds.
fn range<'c>(nest: &SourceNest<'c>, form: &Linear<'c>) -> Option<(i64, i64)> {
    let (mut low, mut high) = (form.constant, form.constant);
    for (value, factor) in &form.terms {
        let l = nest.loops.iter().find(|l| l.variable == *value)?;
        let first = l.lower.as_constant()?;
        let last = first.checked_add(l.step.checked_mul(i64::try_from(extent(l)?.checked_sub(1)?).ok()?)?)?;
        let (one, other) = (factor.checked_mul(first)?, factor.checked_mul(last)?);
        low = low.checked_add(one.min(other))?;
        high = high.checked_add(one.max(other))?;
    }
    Some((low, high))
}

fn describe(memory: Memory<'_>) -> String {
    match memory {
        Memory::Buffer(value) => {
            let name = argument_attribute(origin(value), SOURCE_NAME).and_then(ir::string_attribute);
            if let Some(name) = name {
                return format!("'{name}'");
            }
            let kind = ir::defining(value).map_or("an argument", ir::name);
            format!("{} ({kind})", melior::ir::ValueLike::r#type(&value))
        }
        Memory::Cell(_) => "a value that a loop carries".into(),
    }
}
